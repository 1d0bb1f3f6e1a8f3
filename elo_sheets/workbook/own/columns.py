"""The columns that a template of somebody's own adds to a book: where they stand, and what their formulas give.

Nothing here knows the formulas, which may use any function: the embedded engine gives their values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from elo_sheets.errors import UsageError
from elo_sheets.files.cells import CellError
from elo_sheets.files.package import read_book
from elo_sheets.workbook.book import HEADER_ROW, Inputs
from elo_sheets.workbook.layout import TableLayout
from elo_sheets.workbook.own.templates import OWN, ROLE
from elo_sheets.workbook.plan import CellPlan, ColumnPlan, Fill, Plan, SheetPlan, TablePlan

Form = Mapping[str, Any]


def own_sheet(form: Form, heading: tuple[CellPlan, ...]) -> SheetPlan:
    """Return a sheet of somebody's own, whose table has no columns yet."""
    name = re.sub(r"\W", "_", str(form["name"]))
    return SheetPlan(form["name"], heading, (TablePlan(name, HEADER_ROW, (), form["rows"]),), frozen_rows=HEADER_ROW)


def with_own_columns(sheet: SheetPlan, form: Form, inputs: Inputs) -> SheetPlan:
    """Return a sheet with the columns that its form adds behind those of its first table.

    Raises `UsageError` where something stands there already, or a header is there twice.
    """
    added: Sequence[Form] = form.get(OWN, ())
    if not added:
        return sheet
    table, *others = sheet.tables
    start = table.first_column + len(table.columns)
    labels = [*(column.label for column in table.columns), *(column["label"] for column in added)]
    twice = {label for label in labels if [other.lower() for other in labels].count(label.lower()) > 1}
    if twice:
        raise UsageError(f"the sheet {sheet.name} would have two columns called {min(twice)}: give yours another label")
    if any(other.first_column < start + len(added) and other.first_column >= start for other in others):
        raise UsageError(f"the sheet {sheet.name} has no room for {len(added)} columns behind its table")
    layout = TableLayout(table.name, labels, table.first_row, table.first_column)
    typed = inputs.tables.get(sheet.name, {})
    columns = tuple(_column(one, layout, typed.get(one["label"]), table.rows) for one in added)
    widths = {at: float(one["width"]) for at, one in enumerate(added, start)}
    grown = replace(table, columns=(*table.columns, *columns))
    return replace(sheet, tables=(grown, *others), widths={**sheet.widths, **widths})


def _column(form: Form, layout: TableLayout, typed: Sequence[Any] | None, rows: int) -> ColumnPlan:
    label, role = form["label"], f"{ROLE}{form['label']}"
    if "formula" in form:
        formula = layout.formula(str(form["formula"]).removeprefix("=").replace("[@", "["))
        fill = Fill([0.0] * rows, formula, form.get("unit", "number"))  # the engine gives the values
    else:
        fill = Fill([*(typed or ()), *[None] * rows][:rows])
    return ColumnPlan(
        label, fill, role, form["style"], float(form["width"]), bool(form.get("input")), about=form.get("about", "")
    )


def with_values(plan: Plan) -> Plan:
    """Return a plan with the values of the formulas that are somebody's own.

    Raises `UsageError` that names sheet, column and row where one gives an error or names a list that spills.
    """
    if not any(_is_open(column) for sheet in plan.sheets for table in sheet.tables for column in table.columns):
        return plan
    _refuse_lists(plan)
    from elo_sheets.engines.recalculate import recalculate
    from elo_sheets.workbook.write import write_book

    with TemporaryDirectory() as folder:
        path = Path(folder) / "book.xlsx"
        write_book(plan, path)
        found = recalculate(read_book(path), "ironcalc").values
    return replace(plan, sheets=tuple(_filled(sheet, found.get(sheet.name, {})) for sheet in plan.sheets))


def _refuse_lists(plan: Plan) -> None:
    """Stop where a formula of somebody's own names a list that spills, which is no table."""
    tables = [(sheet.name, table) for sheet in plan.sheets for table in sheet.tables]
    lists = {table.name: name for name, table in tables if table.is_range}
    for sheet, table in tables:
        for column in filter(_is_open, table.columns):
            named = [table.name, *re.findall(r"(\w+)\[", column.fill.formula or "")]
            spilt = next((lists[name] for name in named if name in lists), None)
            if spilt is not None:
                raise UsageError(
                    f"sheet {sheet}, column {column.label}: with modern formulas {spilt} is a list that spills, which "
                    "no column of a template of one's own can read; make the book with --dialect portable"
                )


def _is_open(column: ColumnPlan) -> bool:
    return column.role.startswith(ROLE) and column.fill.formula is not None


def _filled(sheet: SheetPlan, found: Mapping[tuple[int, int], Any]) -> SheetPlan:
    tables = []
    for table in sheet.tables:
        columns = list(table.columns)
        for i, column in enumerate(columns):
            if not _is_open(column):
                continue
            cells = range(table.first_data_row, table.first_data_row + table.rows)
            values = [found.get((row, table.first_column + i)) for row in cells]
            for row, value in zip(cells, values, strict=True):
                if isinstance(value, CellError):
                    raise UsageError(
                        f"sheet {sheet.name}, column {column.label}, row {row}: the formula of the template gives "
                        f"{value}; let it give empty text there, by IF or IFERROR, or correct its names"
                    )
            columns[i] = replace(column, fill=replace(column.fill, values=values))
        tables.append(replace(table, columns=tuple(columns)))
    return replace(sheet, tables=tuple(tables))
