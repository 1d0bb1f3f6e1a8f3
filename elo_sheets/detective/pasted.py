"""Columns of games that do not count all of them: values pasted below, and ranges that begin below the first game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from elo_sheets.detective.chain import CLOSE, Log
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.departures import filled, spell_anchored
from elo_sheets.recognise.model import BOTTOM, ROW, Area, Key, at_cell, with_areas

LEAST = 3  # games by a formula, and as many below it without
LAST = 7  # the rank of what nothing else says


def pasted(context: Context, log: Log) -> Iterator[Proposal]:
    """Yield the numbers below the formulas of columns that games read, where those would give other ones.

    Columns that were pasted together are one finding: with one of them put right a game still reads the other.
    """
    model, repairs = context.model, dict[Key, str]()
    columns = {key[2] for key in model.forms if key[0] == log.sheet and key[1] in log.rows}
    for column in sorted(columns):
        keys = [(log.sheet, row, column) for row in log.games]
        above = [key for key in keys if key in model.forms]
        below = [key for key in keys if key not in model.forms and model.number(key) is not None]
        if min(len(above), len(below)) < LEAST or above[-1] > below[0] or not model.readers.get(below[-1]):
            continue
        form = model.forms[above[-1]]
        due = {key: context.evaluator.tree_value(at_cell(form.tree, key), key, {}) for key in below}
        off = [key for key in below if _differs(due[key], model.number(key))]
        if off and all(isinstance(number, (int, float)) for number in due.values()):
            repairs |= {key: filled(model, key, at_cell(form.tree, key), above[-1]) for key in below}
    if repairs:
        yield Proposal("ES201", tuple(repairs), repairs=repairs, fix="=" + next(iter(repairs.values())), rank=LAST)


def begun_late(context: Context, log: Log) -> Iterator[Proposal]:
    """Yield the cells of columns whose growing ranges begin, fixed in most of them, below the first games."""
    model, first, repairs, latest = context.model, log.games[0], dict[Key, str](), 0
    for column in sorted({key[2] for key in model.forms if key[0] == log.sheet and key[1] in log.rows}):
        keys = [key for row in log.games if (key := (log.sheet, row, column)) in model.forms]
        starts = {key: [area.row for area in model.forms[key].areas if _grows(area, key, log.sheet)] for key in keys}
        lasts = Counter(max(rows) for rows in starts.values() if rows)
        usual, many = lasts.most_common(1)[0] if lasts else (0, 0)
        if usual <= first or 2 * many <= len(keys) or len(keys) < LEAST:
            continue

        def begun(area: Area, key: Key) -> Area:
            return replace(area, row=first) if _grows(area, key, log.sheet) and area.row > first else area

        late = [key for key, rows in starts.items() if rows and max(rows) > first]
        trees = {key: at_cell(with_areas(model.forms[key].tree, partial(begun, key=key)), key) for key in late}
        repairs |= {key: spell_anchored(model, key, tree) for key, tree in trees.items()}
        latest = max(latest, usual)
    if repairs:
        says = f"the ranges begin in row {latest}, and leave out the games above it"
        yield Proposal("ES125", tuple(repairs), says, repairs, fix="=" + next(iter(repairs.values())), rank=LAST)


def _grows(area: Area, key: Key, sheet: str) -> bool:
    """Whether a range begins in a fixed row and ends above its own game."""
    ends = not area.single and area.fixed & ROW and not area.fixed & BOTTOM
    return bool(ends) and area.sheet in (None, sheet) and area.bottom <= 0 and area.row < key[1]


def _differs(due: object, number: float | None) -> bool:
    return isinstance(due, (int, float)) and number is not None and abs(due - number) > CLOSE


__all__ = ["begun_late", "pasted"]
