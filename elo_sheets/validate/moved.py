"""Columns and rows that the owner of a book put between its own: the book as it was before, findings as it is now.

A book knows its cells by their places. Where a column of notes stands inside a table now, or a heading above it, its
cells get the names that they had, so that what compares them need not know; what is found is said with today's names.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from elo_sheets.errors import NotChecked
from elo_sheets.files.cells import Book, Cell, Value
from elo_sheets.files.references import (
    MAX_COLUMN,
    MAX_ROW,
    Place,
    Table,
    cell_name,
    parse_cell_name,
    structured_references,
)
from elo_sheets.recognise.model import Area, area_of, split_sheet
from elo_sheets.recognise.transposed import REFERENCE, Turn
from elo_sheets.validate.read import Manifest, ReadBack, Recalculated, plan_of_this_size, read_plan
from elo_sheets.verdict.findings import Finding
from elo_sheets.workbook.plan import Plan, SheetPlan


@dataclass(frozen=True)
class Moved(Turn):
    """A sheet without the columns and rows that were put in; they are numbered as they stand now, in order.

    A program may make room inside a table alone: the columns were put in from the row `top` on. `back` leads to the
    numbers of today.
    """

    columns: tuple[int, ...] = ()
    rows: tuple[int, ...] = ()
    top: int = 1
    back: bool = False

    def place(self, row: int, column: int) -> Place:
        columns = self._columns_at(row)
        if not self.back and (row in self.rows or column in columns):  # out of the way of what stands there then
            return MAX_ROW - row, MAX_COLUMN - column
        return self._number(row, self.rows), self._number(column, columns)

    def box(self, area: Area) -> Area:
        columns = self._columns_at(area.bottom)
        (row, bottom), (column, right) = (
            (self._number(first, added), last if last == most else self._number(last, added, is_last=True))
            for first, last, added, most in (
                (area.row, area.bottom, self.rows, MAX_ROW),
                (area.column, area.right, columns, MAX_COLUMN),
            )
        )
        if row > bottom or column > right:  # nothing but what was put in
            (row, column), (bottom, right) = self.place(area.row, area.column), self.place(area.bottom, area.right)
        return Area(area.sheet, row, column, bottom, right, area.fixed, area.single)

    def line(self, number: int, is_row: bool) -> str:
        return str(self._number(number, self.rows if is_row else self.columns))

    @property
    def words(self) -> Mapping[str, str]:
        return {}

    def formula(self, text: str, own: str) -> str:
        if own.upper() != self.sheet.upper() and self.sheet.replace("'", "''").upper() not in text.upper():
            return text  # which reads no cell of the sheet
        parts, end = [], 0
        for match in structured_references(text):
            parts += [super().formula(text[end : match.start()], own), match[0]]
            end = match.end()
        return "".join([*parts, super().formula(text[end:], own)])

    def _columns_at(self, row: int) -> tuple[int, ...]:
        top = self.top - sum(one < self.top for one in self.rows) if self.back else self.top
        return self.columns if row >= top else ()

    def _number(self, number: int, added: Sequence[int], is_last: bool = False) -> int:
        """The number of a row or column; for what was put in that of the next one, or of the one before it."""
        if not self.back:
            return number - sum(one < number + is_last for one in added)
        for one in added:
            number += one <= number
        return number


def read_back(book: Book, values: Recalculated, manifest: Manifest) -> tuple[ReadBack, Book, Recalculated, list[Moved]]:
    """Return what a book holds, and the book and its computed values before anything was put in; and what was."""
    read = None
    try:
        read = read_plan(book, values, manifest)
        moved = moves(book, read.plan)
    except NotChecked:
        moved = [] if read else moves(book, plan_of_this_size(book, values, manifest))
        if not moved:
            raise
    if moved:
        book, values = before(book, values, moved)
        try:
            read = read_plan(book, values, manifest)
        except NotChecked as reason:
            raise NotChecked(text_today(str(reason), moved)) from None
    assert read is not None
    return read, book, values, moved


def moves(book: Book, plan: Plan) -> list[Moved]:
    """Return how the sheets of a book differ from their plan by what was put in.

    Raises `NotChecked` when columns of a table were deleted or exchanged; columns may be added behind them.
    """
    found = (_moved(book, sheet, plan) for sheet in plan.sheets if sheet.name in book.sheets)
    return [one for one in found if one.columns or one.rows]


def _moved(book: Book, sheet: SheetPlan, plan: Plan) -> Moved:
    headers, known = dict(_headers(book, sheet)), dict(_known(book, sheet))
    named = {
        planned: now
        for name, target in plan.names.items()
        if (planned := _cell(target, sheet.name)) and (now := _cell(book.names.get(name, ""), sheet.name))
    }
    rows, columns = (_put_in(axis, (headers, known, named)) for axis in (0, 1))
    wide = Moved(sheet.name, columns, rows)
    if not headers or not columns:
        return wide
    header = min(row for row, _ in headers.values())
    narrow = dataclasses.replace(wide, top=header)
    above = [(planned, now) for planned, now in (known | named).items() if now[0] < header]
    kept, shifted = (sum(one.place(*now) == planned for planned, now in above) for one in (narrow, wide))
    return narrow if kept > shifted else wide


def _headers(book: Book, sheet: SheetPlan) -> Iterator[tuple[Place, Place]]:
    """Yield where each header of a table should stand, and where it stands."""
    for table in sheet.tables:
        found = book.tables.get(table.name)
        if found is None:
            continue
        here = [label.casefold() for label in found.columns]
        labels = [column.label.casefold() for column in table.columns]
        at = [here.index(label) if label in here else -1 for label in labels]
        if (
            found.sheet != sheet.name
            or -1 in at
            or any(a >= b for a, b in pairwise(at))
            or found.first_row < table.first_row
            or found.first_col < table.first_column
        ):
            lacks = [column.label for column, place in zip(table.columns, at, strict=True) if place < 0]
            earlier = (
                f"; a book that an earlier release wrote gets {', '.join(lacks)} by elo-sheets update" if lacks else ""
            )
            raise NotChecked(
                f"the layout of the table {table.name} was changed: its columns should be "
                f"{', '.join(column.label for column in table.columns)}, in this order, from {sheet.name}!"
                f"{cell_name(table.first_row, table.first_column)} on; others may stand between and behind them"
                + earlier
            )
        for planned, now in enumerate(at, table.first_column):
            yield (table.first_row, planned), (found.first_row, found.first_col + now)


def _known(book: Book, sheet: SheetPlan) -> Iterator[tuple[Place, Place]]:
    """Yield where what is written outside the tables of a sheet should stand, and where it stands."""
    cells = book.sheets[sheet.name]
    own = {(cell.row, cell.column): Cell(cell.formula, cell.value) for cell in sheet.cells if not cell.is_input}
    if all(at in cells and _same(cells[at], cell) for at, cell in own.items() if _look(cell) is not None):
        yield from zip(own, own, strict=True)
        return
    tables = [table for table in book.all_tables if table.sheet == sheet.name]
    outside = {at: cell for at, cell in cells.items() if not any(_inside(at, table) for table in tables)}
    planned, here = _places(own), _places(outside)
    for look in planned.keys() & here.keys():
        if len(planned[look]) == len(here[look]):
            for then, now in zip(planned[look], here[look], strict=True):
                yield then, now
                yield from zip(_read_cells(own[then], sheet.name), _read_cells(outside[now], sheet.name), strict=True)


def _read_cells(cell: Cell, own: str) -> list[Place]:
    """Return the first cell of each area of its own sheet that a formula reads, in order.

    What is typed has no look of its own, and is known by the formulas that read it.
    """
    found: list[Place] = []
    for match in REFERENCE.finditer(cell.formula or ""):
        where, cells = split_sheet((match["sheet"] or "") + (match["cells"] or ""))
        area = area_of(cells, 0, 0) if where in (None, own) else None
        if area is not None:
            found.append((area.row, area.column))
    return found


def _inside(place: Place, table: Table) -> bool:
    rows, columns = range(table.first_row, table.last_row + 1), range(table.first_col, table.last_col + 1)
    return place[0] in rows and place[1] in columns


def _same(one: Cell, other: Cell) -> bool:
    return one.formula == other.formula and (one.formula is not None or one.value == other.value)


def _look(cell: Cell) -> Value:
    """Return a constant, or a formula whatever cells it reads; None for an empty cell."""
    if cell.formula is None:
        return cell.value or None
    return "=" + REFERENCE.sub(lambda match: match[0] if match["cells"] is None else "#", cell.formula)


def _places(cells: Mapping[Place, Cell]) -> dict[Value, list[Place]]:
    found: dict[Value, list[Place]] = {}
    for place, cell in sorted(cells.items(), key=lambda item: item[0]):
        if (look := _look(cell)) is not None:
            found.setdefault(look, []).append(place)
    return found


def _put_in(axis: int, sources: Sequence[Mapping[Place, Place]]) -> tuple[int, ...]:
    """Return the rows (axis 0) or columns (1) that were put in, each before the first known place that moved by it.

    Of two sources that know a row or column the first counts, and in it what most say.
    """
    offsets: dict[int, int] = {}
    for source in reversed(sources):
        votes: dict[int, Counter[int]] = {}
        for planned, now in source.items():
            votes.setdefault(planned[axis], Counter())[now[axis] - planned[axis]] += 1
        offsets |= {at: count.most_common(1)[0][0] for at, count in votes.items()}
    if not any(offsets.values()):
        return ()
    added: list[int] = []
    for at, offset in _rising(sorted(item for item in offsets.items() if item[1] >= 0)):
        added += range(at + len(added), at + offset)
    return tuple(added)


def _rising(offsets: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest part in which no offset falls: a cell that was moved alone is left out."""
    best: list[list[tuple[int, int]]] = [[]]
    for item in offsets:
        longest = max((run for run in best if not run or run[-1][1] <= item[1]), key=len)
        best.append([*longest, item])
    return max(best, key=len)


def _cell(target: str, sheet: str) -> Place | None:
    where, cells = split_sheet(target.removeprefix("="))
    if where != sheet or ":" in cells:
        return None
    try:
        return parse_cell_name(cells)
    except ValueError:
        return None


def before(book: Book, values: Recalculated, moved: Sequence[Moved]) -> tuple[Book, Recalculated]:
    """Return a book and its computed values as they would be if nothing had been put in."""
    for turn in moved:
        sheets = {
            sheet: {turn.key((sheet, *at))[1:]: turn.cell(cell, sheet) for at, cell in cells.items()}
            for sheet, cells in book.sheets.items()
        }
        tables = [_table_before(turn, table) if table.sheet == turn.sheet else table for table in book.all_tables]
        names = {name: turn.formula(text, "") for name, text in book.names.items()}
        known = {table.name: table for table in tables}
        book = dataclasses.replace(
            book,
            sheets=sheets,
            names=names,
            all_tables=tables,
            tables={name: known[table.name] for name, table in book.tables.items()},
        )
        values = turn.values(values)
    return book, values


def _table_before(turn: Moved, table: Table) -> Table:
    first = turn.place(table.first_row, next(c for c in range(table.first_col, MAX_COLUMN) if c not in turn.columns))
    kept = [label for at, label in enumerate(table.columns, table.first_col) if at not in turn.columns]
    last_row, _ = turn.place(table.last_row, table.last_col)
    return dataclasses.replace(
        table,
        first_row=first[0],
        first_col=first[1],
        last_row=last_row,
        last_col=first[1] + len(kept) - 1,
        columns=kept,
    )


def today(findings: Sequence[Finding], moved: Sequence[Moved]) -> list[Finding]:
    """Return findings with the places of today."""
    for turn in moved:
        findings = [dataclasses.replace(turn, back=True).finding(found) for found in findings]
    return list(findings)


def text_today(text: str, moved: Sequence[Moved]) -> str:
    """Return a text with the cells that it names, each with its sheet, where they are today."""
    for turn in moved:
        text = dataclasses.replace(turn, back=True).formula(text, "")
    return text
