"""A plan with the columns, rows and names that the owner of a book gave it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from elo_sheets.files.cells import Cell
from elo_sheets.files.references import Place, column_number, quote_sheet
from elo_sheets.uses.updating.old import Old
from elo_sheets.validate.moved import Moved
from elo_sheets.validate.read import renamed_columns
from elo_sheets.workbook.plan import CellPlan, ColumnPlan, Fill, Plan, SheetPlan, TablePlan, Validation

# The numbers of rows that a formula leaves open are numbers of their own while its references move.
_OPEN = (*("row", "up", "before", "other", "back100", "block", "through", "carried", "lo", "hi"), *("white", "black"))
_FIRST, _APART = 1_030_000, 1_000
_MARK = re.compile(r"(?<!\d)10(?:3\d|4[0-2])\d{3}(?!\d)")
_SLOT = re.compile(r"\{(" + "|".join(_OPEN) + r")\}")

# The role of a column of the owner's in a table of the template.
OWN = "own"


@dataclass(frozen=True)
class Owned:
    """How an owner's book differs from its plan: what he put in, and what he calls sheets and columns."""

    old: Old

    @cached_property
    def sheets(self) -> dict[str, str]:
        """The names of sheets that were renamed, by those of the template."""
        pairs = zip(self.old.named.sheets, self.old.raw.sheets, strict=True)
        return {then: now for then, now in pairs if then != now}

    @cached_property
    def headers(self) -> dict[str, dict[str, str]]:
        """The headers that were renamed, by table and the template's header."""
        found = {}
        for name, table in self.old.named.tables.items():
            now = next(one for one in self.old.raw.all_tables if one.name == table.name)
            pairs = zip(table.columns, now.columns, strict=True)
            if changed := {then: label for then, label in pairs if then != label}:
                found[name.lower()] = changed
        return found

    def sheet(self, name: str) -> str:
        """Return what a sheet of the template is called."""
        return self.sheets.get(name, name)

    @cached_property
    def back(self) -> list[Moved]:
        """From the places of the plan to those of today."""
        return [replace(one, back=True) for one in self.old.moved]

    def text(self, formula: str, own: str) -> str:
        """Return a formula of the plan's sheet `own` as it stands in the owner's book."""
        if self.back and ("!" in formula or any(one.sheet == own for one in self.back)):
            marked = _SLOT.sub(lambda slot: str(_FIRST + _APART * _OPEN.index(slot[1])), formula)
            for turn in self.back:
                marked = turn.formula(marked, own)
            slots = _SLOT.search(formula) is not None
            formula = _MARK.sub(_slot, marked) if slots else marked
        if self.headers and "[" in formula:
            formula = renamed_columns(formula, self.headers)
        for then, now in self.sheets.items():
            formula = re.sub(rf"(?<![\w.'])(?:'{re.escape(then)}'|{re.escape(then)})!", _prefix(now), formula)
        return formula

    def place(self, sheet: str, row: int, column: int) -> tuple[int, int]:
        """Return where a cell of the plan stands."""
        turn = next((one for one in self.back if one.sheet == sheet), None)
        return (row, column) if turn is None else turn.place(row, column)

    def plan(self, plan: Plan) -> Plan:
        """Return the plan of the owner's book."""
        names = {name: self.text(target, "") for name, target in plan.names.items()}
        return replace(plan, sheets=tuple(map(self._sheet, plan.sheets)), names=names)

    def _sheet(self, sheet: SheetPlan) -> SheetPlan:
        own = sheet.name

        def area(text: str) -> str:
            return self.text(text, own)

        return replace(
            sheet,
            name=self.sheet(own),
            cells=tuple(self._cell(cell, own) for cell in sheet.cells),
            tables=tuple(self._table(table, own) for table in sheet.tables),
            highlights=tuple(
                replace(one, range=area(one.range), formula=area(one.formula)) for one in sheet.highlights
            ),
            sparklines=tuple(
                replace(one, range=area(one.range), row=at[0], column=at[1])
                for one in sheet.sparklines
                for at in (self.place(own, one.row, one.column),)
            ),
            charts=tuple(
                replace(
                    chart,
                    series=tuple(
                        replace(one, name=area(one.name), categories=area(one.categories), values=area(one.values))
                        for one in chart.series
                    ),
                )
                for chart in sheet.charts
            ),
            heights={self.place(own, row, 1)[0]: height for row, height in sheet.heights.items()},
        )

    def _cell(self, cell: CellPlan, own: str) -> CellPlan:
        row, column = self.place(own, cell.row, cell.column)
        formula = None if cell.formula is None else self.text(cell.formula, own)
        merged = self.place(own, cell.row, cell.merge_to)[1] if cell.merge_to else 0
        rule = self._rule(cell.validation, own)
        return replace(cell, row=row, column=column, formula=formula, merge_to=merged, validation=rule)

    def _rule(self, rule: Validation | None, own: str) -> Validation | None:
        return rule if rule is None else replace(rule, range=self.text(rule.range, own))

    def _table(self, table: TablePlan, own: str) -> TablePlan:
        row, column = self.place(own, table.first_row, table.first_column)
        found = [self._column(one, table, own) for one in table.columns]
        stands = next((one for one in self.old.named.all_tables if one.name == table.name), None)
        labels = [one.label.casefold() for one in table.columns]
        last = ""
        for label in [] if stands is None or table.is_range else stands.columns:
            if label.casefold() not in labels:  # it stands behind the column that was before it
                at = labels.index(last) + 1 if last else 0
                labels.insert(at, label.casefold())
                found.insert(at, ColumnPlan(label, Fill([None] * table.rows), OWN))
            last = label.casefold()
        return replace(table, first_row=row, first_column=column, columns=tuple(found))

    def _column(self, column: ColumnPlan, table: TablePlan, own: str) -> ColumnPlan:
        fill = column.fill
        texts: dict[str, Any] = {
            name: None if (text := getattr(fill, name)) is None else self.text(text, own)
            for name in ("formula", "opening", "first", "means")
        }
        label = self.headers.get(table.name.lower(), {}).get(column.label, column.label)
        return replace(column, label=label, fill=replace(fill, **texts), validation=self._rule(column.validation, own))


def _prefix(sheet: str) -> Callable[[re.Match[str]], str]:
    return lambda _: f"{quote_sheet(sheet)}!"


def _slot(mark: re.Match[str]) -> str:
    return "{" + _OPEN[(int(mark[0]) - _FIRST) // _APART] + "}"


class Cover:
    """Which cells of a sheet are the template's, and which of them are typed into."""

    def __init__(self, sheet: SheetPlan) -> None:
        self.sheet = sheet
        self.cells = {(cell.row, column) for cell in sheet.cells for column in _columns(cell)}
        self.typed_cells = {(cell.row, cell.column) for cell in sheet.cells if cell.is_input}
        self.tables = [
            (
                table.first_row,
                table.last_row,
                {at for at, column in enumerate(table.columns, table.first_column) if column.role != OWN},
                {at for at, column in enumerate(table.columns, table.first_column) if column.is_input},
                set(range(table.first_column, table.first_column + len(table.columns))),
            )
            for table in sheet.tables
        ]

    def covers(self, place: Place) -> bool:
        """Return whether the template writes a cell; the header of an owner's column is in its table."""
        row, column = place
        return place in self.cells or any(
            (first < row <= last and column in own) or (row == first and column in whole)
            for first, last, own, _, whole in self.tables
        )

    def rows_beside(self, columns: Mapping[int, tuple[str, ...]]) -> set[int]:
        """Return the rows in which a cell stands that the template does not write, of the columns in each row."""
        with_cells = {row for row, _ in self.cells}
        known: dict[tuple[object, ...], bool] = {}
        beside = set()
        for row, letters in columns.items():
            # Rows of the same tables are alike, but for those in which single cells stand.
            here = tuple((first < row <= last, row == first) for first, last, *_ in self.tables)
            key = (letters, here, row if row in with_cells else 0)
            if key not in known:
                known[key] = not all(self.covers((row, column_number(one))) for one in letters)
            if known[key]:
                beside.add(row)
        return beside

    def typed_formulas(self, cells: Mapping[Place, Cell]) -> set[int]:
        """Return the rows in which a formula stands in a cell for typing."""
        typed = {column for _, column in self.typed_cells}.union(*(columns for _, _, _, columns, _ in self.tables))
        return {
            place[0]
            for place, cell in cells.items()
            if place[1] in typed and cell.formula is not None and self.is_typed(place)
        }

    def is_typed(self, place: Place) -> bool:
        """Return whether a cell is for typing."""
        row, column = place
        inside = any(first < row <= last and column in typed for first, last, _, typed, _ in self.tables)
        return inside or place in self.typed_cells


def _columns(cell: CellPlan) -> range:
    return range(cell.column, max(cell.column, cell.merge_to) + 1)
