"""What labels say of a rule that no formula follows: games on neutral ground, and the ratings at which a K changes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from elo_sheets.detective.chain import Log
from elo_sheets.expr import Binary, Call, Expr, Number, Text, replaced, walk
from elo_sheets.recognise.context import WARNING, Context, Proposal
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.model import Area, Key, Model, cell_area, range_text
from elo_sheets.recognise.settings import EDGE

NEUTRAL = re.compile(r"\bneutr", re.I)  # as most languages of Europe begin it
SPAN = re.compile(r"\D*?(\d+)\s*(?:[-–—]|to|bis|a|à|tot|do)\s*(\d+)\D*", re.I)
LEAST, MOST = 3, 40  # rows of a table of ratings


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


__all__ = ["mislabelled", "on_neutral_ground"]
