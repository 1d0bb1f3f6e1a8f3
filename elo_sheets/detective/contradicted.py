"""Results that another entry of their game contradicts, and entries for which no formula asks.

A winner's name beside the goals by which he lost; an R for a draw, where the formula asks for a U.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations, pairwise

from elo_sheets.detective.chain import Log
from elo_sheets.detective.names import alike, plain
from elo_sheets.detective.sides import worth_of
from elo_sheets.expr import Binary, Call, Expr, Text, walk
from elo_sheets.files.package import Value
from elo_sheets.recognise.context import WARNING, Proposal
from elo_sheets.recognise.departures import spell, spell_anchored
from elo_sheets.recognise.model import Area, Key, Model, at_cell, range_text, with_areas
from elo_sheets.recognise.nearmiss import places

LEAST = 8  # games that both entries tell of
NEARLY = 0.9  # of them in which both tell the same: more may be against it where somebody gave up while he led
MOST_ENTRIES = 6  # different results: more are no letters or words of one
COUNTS = re.compile(r"\s*(\d{1,3})\s*[:\-–]\s*(\d{1,3})\s*")
SCORES = (0.0, 0.5, 1.0)


def contradictions(model: Model, log: Log) -> Iterator[Proposal]:
    """Yield what the entries of a log contradict, and what its formulas ask of them in vain."""
    for told in (unasked, of_neither, contradicted, not_mirrored, added_up, taken_from_another, never_moved):
        yield from told(model, log)


def contradicted(model: Model, log: Log) -> Iterator[Proposal]:
    """Yield the results of games that are not what two columns of counts beside each other say of who won."""
    typed = [
        column for row, column in sorted(model.book.sheets[log.sheet])
        if row == log.games[0] and (log.sheet, row, column) not in model.forms
    ]  # fmt: skip
    won = {column for column in typed if _tells_winners(model, log, column)}
    for result in sorted((log.results | won) - log.names):
        worths = {row: worth for row in log.games if (worth := _worth(model, log, row, result)) is not None}
        for counts in (*pairwise(typed), *((column,) for column in typed)):
            if result in counts or counts[-1] - counts[0] != len(counts) - 1 or set(counts) & log.names:
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
                known = due is not None and result in log.results  # else the game follows the counts
                cells, values = ((key,), {key: due}) if known else ((key, *keys) if result in won else (key,), {})
                effect = None if values else 0.0
                yield Proposal("ES408", cells, says, values=values, severity=WARNING, effect=effect, rank=1)
            return


def of_neither(model: Model, log: Log) -> Iterator[Proposal]:
    """Yield the winners who are neither side of their game, where nearly all are one, or it is a draw."""
    names = {row: [model.value((log.sheet, row, at)) for at in sorted(log.names)] for row in log.games}
    players = {row: {plain(name): name for name in both} for row, both in names.items()}
    everybody = {who for both in players.values() for who in both}
    entered = (column for row, column in sorted(model.book.sheets[log.sheet]) if row == log.games[0])
    for column in (column for column in entered if column not in log.names and _tells_winners(model, log, column)):
        won = {row: who for row in log.games if (who := plain(model.value((log.sheet, row, column)))) is not None}
        near = {row: alike(who, players[row]) for row, who in won.items()}
        off = [row for row, who in won.items() if who not in players[row] and (near[row] or who in everybody)]
        sides = sum(who in players[row] for row, who in won.items())
        for row in off if sides >= LEAST and len(off) <= (1 - NEARLY) * (sides + len(off)) else ():
            key = (log.sheet, row, column)
            says = f"{model.value(key)!r} has won, and is neither side of this game"
            values = {key: players[row][near[row][0]]} if near[row] else {}
            effect = None if values else 0.0
            yield Proposal("ES408", (key,), says, values=values, severity=WARNING, effect=effect, rank=1)


def _tells_winners(model: Model, log: Log, column: int) -> bool:
    """Whether most entries of a typed column name one of the two sides of their game."""
    told = [
        plain(model.value((log.sheet, row, column)))
        in [plain(model.value((log.sheet, row, name))) for name in sorted(log.names)]
        for row in log.games
        if (log.sheet, row, column) not in model.forms and model.value((log.sheet, row, column)) not in (None, "")
    ]
    return 2 * sum(told) > len(told)


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


def not_mirrored(model: Model, log: Log) -> Iterator[Proposal]:
    """Yield the lines of games, of two lines each, that name another opponent than the player of their other line."""
    rows = model.book.sheets[log.sheet]
    typed = {column for row, column in rows if row == log.games[0] and (log.sheet, row, column) not in model.forms}
    for own, other in combinations(sorted(typed), 2):
        names = {row: tuple(plain(model.value((log.sheet, row, at))) for at in (own, other)) for row in log.games}
        pairs, off, rows_left = 0, list[tuple[int, int]](), [*log.games]
        while len(rows_left) > 1:
            row, below = rows_left[:2]
            (one, two), (three, four) = names[row], names[below]
            met = (one == four) + (two == three) if None not in (one, two, three, four) and one != two else 0
            pairs += met == 2
            off += [(row, below)] if met == 1 else []
            rows_left = rows_left[2 if met else 1 :]
        if pairs < LEAST or not off or len(off) > (1 - NEARLY) * pairs:
            continue
        for row, below in off:
            here, there = (row, below) if names[row][1] != names[below][0] else (below, row)
            key, due = (log.sheet, here, other), model.value((log.sheet, there, own))
            says = f"the player in the other line of this game is {due!r}, and the opponent here {model.value(key)!r}"
            yield Proposal("ES408", (key,), says, values={key: due}, severity=WARNING, rank=1)
        return


def added_up(model: Model, log: Log) -> Iterator[Proposal]:
    """Yield the formulas that ask how large the sum of two counts is without its sign, which a sum of such has not."""
    for column in sorted(log.computed):
        key = (log.sheet, log.games[-1], column)
        tree = model.tree(key)
        for node, rebuilt in places(tree) if tree is not None else ():
            if not isinstance(node, Call) or node.function != "ABS" or not isinstance(node.arguments[0], Binary):
                continue
            one = node.arguments[0]
            cells = [area for area in (one.left, one.right) if isinstance(area, Area) and area.single]
            rows = [(log.sheet, row, area.column) for row in log.games for area in cells if area.row == key[1]]
            if one.operator != "+" or len(rows) < 2 * len(log.games) or any((model.number(at) or 0) < 0 for at in rows):
                continue
            form = model.form_of(spell(rebuilt(Call("ABS", (Binary("-", one.left, one.right),))), log.sheet), key)
            same = [at for row in log.games if model.forms.get(at := (log.sheet, row, column)) is model.forms[key]]
            repairs = {} if form is None else {at: spell_anchored(model, at, at_cell(form.tree, at)) for at in same}
            if repairs:
                says = "what is added up here is never negative: ABS is asked for of a difference"
                yield Proposal("ES103", tuple(repairs), says, repairs=repairs, fix="=" + repairs[same[0]], rank=1)


def taken_from_another(model: Model, log: Log) -> Iterator[Proposal]:
    """Yield the differences of a rating of their game and one of another row, in columns that only show a change."""
    ratings, games, repairs = {**log.before, **log.after}, {*log.games}, dict[Key, str]()
    for key in sorted(key for key in model.forms if key[0] == log.sheet and key[1] in games):
        match model.tree(key):
            case Binary("-", Area(single=True) as one, Area(single=True) as other) as tree:
                rows, names = {one.row, other.row}, {ratings.get(one.column), ratings.get(other.column)}
                own = (
                    {one.sheet, other.sheet} == {log.sheet} and key[1] in rows and len(names) == 1 and None not in names
                )
                if own and len(rows) > 1:
                    moved = [replace(area, row=key[1], bottom=key[1]) for area in (one, other)]
                    repairs[key] = spell_anchored(model, key, Binary(tree.operator, *moved))
    if repairs:
        says, fix = "the change is shown from the rating of another row", "=" + next(iter(repairs.values()))
        yield Proposal("ES106", tuple(repairs), says, repairs=repairs, fix=fix, rank=1)


def never_moved(model: Model, log: Log) -> Iterator[Proposal]:
    """Yield the ratings before that are looked up among ratings before: no game ever moves one."""
    gained = {*log.after, *log.changes, *(column for column, *_ in log.moves)}
    for column, name in sorted(log.before.items()):
        keys = [key for row in log.games if (key := (log.sheet, row, column)) in model.forms]
        areas = [area for area in (model.areas(keys[-1]) if keys else ()) if not area.single]
        read = {at for area in areas if area.sheet in (None, log.sheet) for at in range(area.column, area.right + 1)}
        after = [at for at, who in log.after.items() if who == name]
        if column not in read or read & gained or len(after) != 1:
            continue
        trees = {key: with_areas(tree, partial(_moved, column, after[0])) for key in keys
                 if (tree := model.tree(key)) is not None}  # fmt: skip
        repairs = {key: spell_anchored(model, key, tree) for key, tree in trees.items()}
        says = "the rating is looked up among the ratings before the games, so that no game ever moves it"
        yield Proposal("ES123", tuple(repairs), says, repairs=repairs, fix="=" + repairs[keys[0]], rank=1)


def _moved(column: int, to: int, area: Area) -> Area:
    """A range of one column, of another one; any other reference as it is."""
    is_range = not area.single and area.column == area.right == column
    return replace(area, column=to, right=to) if is_range else area


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


def _by_counts(model: Model, log: Log, row: int, counts: tuple[int, ...]) -> float | None:
    """Who won by the counts of both sides, which stand in two cells or as a text such as 3:1 in one."""
    numbers = [model.number((log.sheet, row, column)) for column in counts]
    if len(counts) == 1:
        text = COUNTS.fullmatch(str(model.value((log.sheet, row, counts[0]))))
        numbers = [float(one) for one in text.groups()] if text else [None, None]
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
    return ":".join(str(model.value(key)) if model.number(key) is None else f"{model.number(key):g}" for key in keys)


__all__ = ["contradictions"]
