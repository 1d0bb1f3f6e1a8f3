"""What labels say of a rule that no formula follows: games on neutral ground, and the ratings at which a K changes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from elo_sheets.detective.chain import Log
from elo_sheets.expr import Binary, Call, Expr, Number, Text, replaced, walk
from elo_sheets.recognise.context import WARNING, Context, Proposal
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.model import Area, Key, Model, cell_area, range_text
from elo_sheets.recognise.settings import EDGE, K_LABEL

NEUTRAL = re.compile(r"\bneutr", re.I)  # as most languages of Europe begin it
SPAN = re.compile(r"\D*?(\d+)\s*(?:[-–—]|to|bis|a|à|tot|do)\s*(\d+)\D*", re.I)
LEAST, MOST = 3, 40  # rows of a table of ratings; sums that are as typed below them, for each that is not
TINY = 1e-9  # of a sum of results


def on_neutral_ground(context: Context, log: Log) -> Iterator[Proposal]:
    """Yield the formulas that give an edge to the side at home, also where a column that nobody reads says neutral."""
    model, sheet, first = context.model, log.sheet, log.games[0]
    for column in sorted({at for row, at in model.book.sheets[sheet] if first <= row <= log.games[-1]}):
        called = model.header((sheet, first, column))
        marks = {row: value for row in log.games if (value := model.value((sheet, row, column))) not in (None, "")}
        keys = [(sheet, row, column) for row in marks]
        if not NEUTRAL.search(called) or not 0 < len(marks) < len(log.games):
            continue
        if any(key in model.forms or context.evaluator.readers.is_read(key) for key in keys):
            continue
        told = {*marks.values()}
        repairs = dict(_unless(model, log, (sheet, first, column), str(*told))) if len(told) == 1 else {}
        fix = next(("=" + text for key, text in repairs.items() if key[1] in marks), None)
        says = f"nobody reads the column {called!r}: in its games, too, the home side has its edge"
        effect = None if repairs else 0.0
        cells = tuple(repairs or keys)
        yield Proposal("ES121", cells, says, repairs, severity=WARNING, fix=fix, effect=effect, rank=2)


def _unless(model: Model, log: Log, marked: Key, mark: str) -> Iterator[tuple[Key, str]]:
    """The formulas of the games that read a labelled edge, with none where a mark stands in the column of `marked`."""
    for row in log.games:
        for key in ((log.sheet, row, at) for at in sorted(log.computed)):
            tree = model.tree(key)
            edge = None if tree is None else next((node for node in walk(tree) if _is_edge(model, node, key)), None)
            if tree is not None and edge is not None:
                test = Binary("=", cell_area((log.sheet, row, marked[2])), Text(mark))
                yield key, spell_anchored(model, key, replaced(tree, edge, Call("IF", (test, Number(0.0), edge))))
                break


def _is_edge(model: Model, node: Expr, key: Key) -> bool:
    """Whether a part of a formula is a typed number that is called an edge."""
    if not isinstance(node, Area) or not node.single:
        return False
    cell = (node.sheet or key[0], node.row, node.column)
    beside = ((cell[0], cell[1], cell[2] - 1), (cell[0], cell[1] - 1, cell[2]))
    labels = (value for one in beside if isinstance(value := model.value(one), str))
    return cell not in model.forms and bool(model.number(cell)) and any(EDGE.search(label) for label in labels)


def mislabelled(model: Model) -> Iterator[Proposal]:
    """Yield the number of a table at which a span of ratings begins, where the label beside it says another one."""
    areas = {(key[0], area) for key, form in model.forms.items() if form.areas for area in model.areas(key)}
    columns = {
        (area.sheet or sheet, area.column) for sheet, area in areas
        if area.column < area.right and LEAST <= area.bottom - area.row + 1 <= MOST
    }  # fmt: skip
    for sheet, column in sorted(columns):
        rows = [row for row in model.columns.get((sheet, column), ()) if model.number((sheet, row, column)) is not None]
        told = {row: begins for row in rows if (begins := _begins(model, (sheet, row, column))) is not None}
        off = [row for row, begins in told.items() if model.number((sheet, row, column)) != begins]
        if len(off) == 1 and len(told) > 1:
            key, due = (sheet, off[0], column), told[off[0]]
            says = f"{range_text([key])} is {model.number(key):g}, and the label beside it begins at {due:g}"
            yield Proposal("ES408", (key,), says, values={key: due}, severity=WARNING, rank=1)


def _begins(model: Model, key: Key) -> float | None:
    """Where a span begins by the label beside its first number, such as 1800-1999."""
    texts = (model.value((key[0], key[1], key[2] + by)) for by in (-1, 1, 2, 3))
    spans = (SPAN.fullmatch(text) for text in texts if isinstance(text, str))
    return next((float(span[1]) for span in spans if span is not None), None)


def sums_told_otherwise(model: Model) -> Iterator[Proposal]:
    """Yield the results whose sum is not what is typed below it, where it is so in the other blocks of a sheet."""
    told: dict[tuple[str, int], list[tuple[Key, bool]]] = {}
    for key in sorted(model.forms):
        below, (sheet, row, column) = (key[0], key[1] + 1, key[2]), key
        number, typed = model.number(key), None if below in model.forms else model.number(below)
        match model.tree(key):
            case Call("SUM", (Area() as area,)) if area.column == area.right == column and area.bottom == row - 1:
                if number is not None and typed is not None and number > 0:
                    told.setdefault((sheet, column), []).append((key, abs(number - typed) < TINY))
    for (sheet, column), sums in told.items():
        off = [key for key, same in sums if not same]
        for key in off if LEAST * len(off) <= len(sums) - len(off) else ():
            (area,) = model.areas(key)
            cells = tuple((sheet, row, column) for row in range(area.row, area.bottom + 1))
            typed = model.number((sheet, key[1] + 1, column))
            says = f"these results sum to {model.number(key):g}, and {typed:g} is typed below"
            yield Proposal("ES408", cells, says, severity=WARNING, effect=0.0, rank=1)


def first_of_all(context: Context) -> Iterator[Proposal]:
    """Yield the formulas that all read the K of one row, where each row has a K of its own that nobody reads."""
    model = context.model
    for (sheet, column), rows in sorted(model.columns.items()):
        typed = [row for row in rows if model.number((sheet, row, column)) and (sheet, row, column) not in model.forms]
        if len(typed) < LEAST or not K_LABEL.fullmatch(model.header((sheet, typed[0], column))):
            continue
        read = [row for row in typed if context.evaluator.readers.is_read((sheet, row, column))]
        if len(read) != 1 or len({model.number((sheet, row, column)) for row in typed}) < 2:
            continue
        repairs: dict[Key, str] = {}
        for key in sorted(key for key in model.forms if key[0] == sheet and key[1] in typed):
            tree = model.tree(key)
            node = None if tree is None else next((one for one in walk(tree) if _is_at(one, read[0], column)), None)
            if tree is not None and node is not None:
                own = replaced(tree, node, cell_area((sheet, key[1], column)))
                repairs[key] = spell_anchored(model, key, own).replace(f"${key[1]}", str(key[1]))
        if len(repairs) == len(typed):
            says = f"everybody has the K of row {read[0]}, and nobody reads those of the others"
            fix = "=" + repairs[next(key for key in repairs if key[1] != read[0])]
            yield Proposal("ES120", tuple(repairs), says, repairs, fix=fix, rank=1)


def _is_at(node: Expr, row: int, column: int) -> bool:
    return isinstance(node, Area) and node.single and (node.row, node.column) == (row, column)


def entries_of_another(model: Model, log: Log) -> Iterator[Proposal]:
    """Yield the formulas that read what is typed in the row above, where others of their row read their own row's."""
    games = {*log.games}
    for column in sorted(log.computed - log.before.keys()):
        keys = [key for row in log.games if (key := (log.sheet, row, column)) in model.forms]
        for typed in sorted(log.typed - log.names):
            above = [key for key in keys if (log.sheet, key[1] - 1, typed) in {*model.precedents(key, 1)}]
            own = any((log.sheet, key[1], typed) in {*model.precedents(key, 1)} for key in keys)
            others = (key for key in model.forms if key[0] == log.sheet and key[1] in games and key[2] in log.computed)
            if own or len(above) < len(keys) or not keys or not any(
                (log.sheet, key[1], typed) in {*model.precedents(key, 1)} for key in others if key[2] != column
            ):  # fmt: skip
                continue
            repairs = {key: _below(model, key, typed) for key in above}
            says = "the formula reads what is typed in the row above, and others of its row what is typed there"
            yield Proposal("ES106", tuple(repairs), says, repairs, fix="=" + repairs[above[-1]], rank=1)


def _below(model: Model, key: Key, column: int) -> str:
    """A cell's formula that reads its own row's entry in place of the one above."""
    tree = model.tree(key)
    assert tree is not None
    node = next(one for one in walk(tree) if isinstance(one, Area) and (one.row, one.column) == (key[1] - 1, column))
    return spell_anchored(model, key, replaced(tree, node, cell_area((key[0], key[1], column))))


__all__ = ["entries_of_another", "first_of_all", "mislabelled", "on_neutral_ground", "sums_told_otherwise"]
