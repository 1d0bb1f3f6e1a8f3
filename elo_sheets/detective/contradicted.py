"""Results that another entry of their game contradicts, and entries for which no formula asks.

A winner's name beside the goals by which he lost; an R for a draw, where the formula asks for a U.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from elo_sheets.detective.chain import Log
from elo_sheets.detective.names import plain
from elo_sheets.detective.sides import worth_of
from elo_sheets.expr import Binary, Expr, Text, walk
from elo_sheets.files.package import Value
from elo_sheets.recognise.context import WARNING, Proposal
from elo_sheets.recognise.model import Area, Key, Model, range_text

LEAST = 8  # games that both entries tell of
NEARLY = 0.9  # of them in which both tell the same: more may be against it where somebody gave up while he led
MOST_ENTRIES = 6  # different results: more are no letters or words of one
SCORES = (0.0, 0.5, 1.0)


def contradicted(model: Model, log: Log) -> Iterator[Proposal]:
    """Yield the results of games that are not what two columns of counts beside each other say of who won."""
    typed = [
        column for row, column in sorted(model.book.sheets[log.sheet])
        if row == log.games[0] and (log.sheet, row, column) not in model.forms
    ]  # fmt: skip
    for result in sorted(log.results - log.names):
        worths = {row: worth for row in log.games if (worth := _worth(model, log, row, result)) is not None}
        for counts in pairwise(typed):
            if result in counts or counts[1] != counts[0] + 1 or set(counts) & log.names:
                continue
            by_counts = {row: by for row in worths if (by := _by_counts(model, log, row, counts)) is not None}
            decided = [row for row in by_counts if by_counts[row] != 0.5]
            off = [row for row in by_counts if by_counts[row] != worths[row]]
            if len(decided) < LEAST or not off or len(off) > (1 - NEARLY) * len(by_counts):
                continue
            for row in off:
                key, keys = (log.sheet, row, result), [(log.sheet, row, column) for column in counts]
                due = _due(model, log, row, result, by_counts[row])
                told = "otherwise" if due is None else _shown(due)
                counted = f"{_spelt(model, keys)} in {range_text(keys)}"
                says = f"the result is {_shown(model.value(key))}, but {counted} says {told}"
                values, effect = ({}, 0.0) if due is None else ({key: due}, None)
                yield Proposal("ES408", (key,), says, values=values, severity=WARNING, effect=effect, rank=1)
            return


def unasked(model: Model, log: Log) -> Iterator[Proposal]:
    """Yield the formulas that ask for an entry which stands in no game, and count two of those that do alike."""
    last = log.games[-1]
    for column in sorted(log.typed - log.names):
        entries = Counter(plain(model.value((log.sheet, row, column))) for row in log.games)
        if None in entries or len(entries) > MOST_ENTRIES:
            continue
        for at in sorted(log.computed):
            cell = (log.sheet, last, at)
            tree = model.tree(cell)
            asked = {} if tree is None else {plain(text): text for text in _compared(tree, (log.sheet, last, column))}
            absent, others = asked.keys() - entries.keys(), entries.keys() - asked.keys()
            if not absent or len(others) < 2 or len(others) == len(entries):
                continue
            form = model.forms[cell]
            cells = tuple(key for row in log.games if model.forms.get(key := (log.sheet, row, at)) is form)
            alike = sorted(
                {str(v).strip() for row in log.games if plain(v := model.value((log.sheet, row, column))) in others}
            )
            sought = " and ".join(repr(asked[one]) for one in sorted(absent, key=str))
            says = f"{sought} is asked for and stands in no game, and {' and '.join(map(repr, alike))} count alike"
            yield Proposal("ES104", cells, says, severity=WARNING, effect=0.0, rank=1)
            return


def _compared(tree: Expr, key: Key) -> Iterator[str]:
    """The texts with which a formula compares a cell."""
    for node in walk(tree):
        if isinstance(node, Binary) and node.operator == "=":
            for one, text in ((node.left, node.right), (node.right, node.left)):
                if isinstance(one, Area) and one.single and (one.sheet or key[0], one.row, one.column) == key:
                    yield from [text.value] if isinstance(text, Text) and text.value.strip() else []


def _worth(model: Model, log: Log, row: int, column: int) -> float | None:
    """What an entry says of the first-named side's result: the winner's name, a score, or a word."""
    value = model.value((log.sheet, row, column))
    names = [plain(model.value((log.sheet, row, name))) for name in sorted(log.names)]
    if isinstance(value, str) and len(names) == 2 and plain(value) in names:
        return float(plain(value) == names[0])
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value) if value in SCORES else None
    return worth_of(value)


def _by_counts(model: Model, log: Log, row: int, counts: tuple[int, int]) -> float | None:
    numbers = [model.number((log.sheet, row, column)) for column in counts]
    one, two = numbers
    if one is None or two is None or min(one, two) < 0 or one % 1 or two % 1:
        return None
    return 0.5 + (one > two) / 2 - (one < two) / 2


def _due(model: Model, log: Log, row: int, column: int, worth: float) -> Value:
    """The entry that goes with what the counts say; None where it cannot be spelt."""
    value = model.value((log.sheet, row, column))
    if isinstance(value, (int, float)):
        return worth
    names = [model.value((log.sheet, row, name)) for name in sorted(log.names)]
    return names[0 if worth == 1 else 1] if value in names and worth != 0.5 else None


def _shown(value: Value) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


def _spelt(model: Model, keys: list[Key]) -> str:
    return ":".join(f"{model.number(key):g}" for key in keys)


__all__ = ["contradicted", "unasked"]
