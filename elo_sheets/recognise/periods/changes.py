"""Lists of players that end with the change: judged with the new ratings beside them that they lead to."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from elo_sheets.files.package import Cell, cell_name
from elo_sheets.recognise.context import Context, RoleCells, Sheetwork
from elo_sheets.recognise.evaluate import Evaluator
from elo_sheets.recognise.model import Key, Model, range_text
from elo_sheets.recognise.periods.closed import LEAST_RATING, MOST_RATING, columns_of_formulas, majority

MOST_CHANGE = 400.0  # rating points
STEP = 64.0
CLOSE = 1e-6
MOST_ROWS = 400
Added = Mapping[Key, Key]  # the cells of new ratings, each with its change


def with_new_ratings(context: Context) -> tuple[Context, Added] | None:
    """Return the book with a column of new ratings for each list that ends with changes; None where there is none."""
    model, added, sheets, computed = context.model, dict[Key, Key](), dict(context.model.book.sheets), {}
    for (sheet, column), rows in columns_of_formulas(model).items():
        opening = _opening(context, sheet, column, rows)
        if opening is None:
            continue
        at = max(column for _, column in sheets[sheet]) + 1
        sheets[sheet] = dict(sheets[sheet])
        for row in rows:
            key, change, start = (sheet, row, at), (sheet, row, column), (sheet, row, opening)
            text = f"{cell_name(*start[1:])}+{cell_name(*change[1:])}"
            sheets[sheet][key[1:]] = Cell(text, None)
            computed[key] = (model.number(start) or 0.0) + (model.number(change) or 0.0)
            added[key] = change
    if not added:
        return None
    values = {sheet: dict(cells) for sheet, cells in model.computed.items()}
    for (sheet, row, column), number in computed.items():
        values.setdefault(sheet, {})[row, column] = number
    longer = Model(dataclasses.replace(model.book, sheets=sheets), values)
    return dataclasses.replace(context, model=longer, evaluator=Evaluator(longer)), added


def _opening(context: Context, sheet: str, column: int, rows: list[int]) -> int | None:
    """The column of ratings that a column of changes goes by: a change falls with its own, and stays if all rise."""
    model, number = context.model, context.evaluator.number
    if majority(model, sheet, column, rows) is None or len(rows) > MOST_ROWS:
        return None
    changes = [model.number((sheet, row, column)) for row in rows]
    if any(change is None or abs(change) > MOST_CHANGE or model.readers.get((sheet, row, column))
           for change, row in zip(changes, rows, strict=True)):  # fmt: skip
        return None
    first = (sheet, rows[0], column)
    for at in sorted({one for row, one in model.book.sheets[sheet] if row == rows[0]} - {column}):
        ratings = {(sheet, row, at): model.number((sheet, row, at)) for row in rows}
        if not all(one is not None and LEAST_RATING <= one < MOST_RATING for one in ratings.values()):
            continue
        more = {key: (one or 0.0) + STEP for key, one in ratings.items()}
        own = (sheet, rows[0], at)
        here, above, along = number(first, {}), number(first, {own: more[own]}), number(first, more)
        if None not in (here, above, along) and above < here - CLOSE and abs(along - here) <= CLOSE:  # type: ignore[operator]
            return at
    return None


def as_changes(work: Sheetwork, added: Added) -> Sheetwork:
    """Return what was found with new ratings that are none of the book's as what was found of its changes."""
    work.ratings = {added.get(key, key) for key in work.ratings}
    work.excused -= set(added)
    work.proposals = [one for one in work.proposals if not set(one.cells) & set(added)]
    work.roles = [one for one in work.roles if not set(one.cells) & set(added)]
    work.roles.append(RoleCells("D", tuple(added.values())))
    for key, change in added.items():
        if work.reason is not None:
            work.reason = work.reason.replace(range_text([key]), range_text([change]))
    return work


__all__ = ["as_changes", "with_new_ratings"]
