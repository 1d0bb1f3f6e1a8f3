"""What a template's books hold, told from the plan of an empty one: sheets, columns, formulas."""

from __future__ import annotations

from dataclasses import dataclass

from elo_sheets.files.references import cell_name
from elo_sheets.workbook.build import blank_book, plan_book
from elo_sheets.workbook.dialect import options, typed
from elo_sheets.workbook.plan import CellPlan
from elo_sheets.workbook.templates import systems_asked
from elo_sheets.workbook.words import said


@dataclass(frozen=True)
class Described:
    """One column or cell: where it stands, whether its owner types it, else the formula of its first row."""

    sheet: str
    label: str
    is_input: bool
    formula: str | None
    about: str


def describe_template(name: str, system: str | None = None, dialect: str = "portable") -> list[Described]:
    """Return every column and named input of a template's sheets, in order, for a rating system of its list.

    Raises `UsageError` for a template, system or dialect that does not exist or does not fit.
    """
    (rules, *further), asked = systems_asked(name, system)
    plan = plan_book(blank_book(name, rules, {}, 10, asked | options(dialect), further))
    found = []
    for sheet in plan.sheets:
        for cell in sheet.cells:
            if cell.formula is not None or cell.is_input:
                label = _label(sheet.cells, cell.row, cell.column)
                formula = None if cell.formula is None else f"={typed(cell.formula)}"
                found.append(Described(sheet.name, label, cell.is_input, formula, ""))
        for table in sheet.tables:
            first = table.first_data_row
            text = None
            for column in table.columns:
                filled = column.fill.spill == 0  # by the formula of a column left of it
                text = text if filled else column.fill.typical_formula(first)
                formula = None if text is None else f"={typed(text)}"
                found.append(Described(sheet.name, column.label, column.is_input, formula, said(table, column)))
    return found


def _label(cells: tuple[CellPlan, ...], row: int, column: int) -> str:
    """Return what stands left of a cell, or above it, and says what it holds."""
    words = {(cell.row, cell.column): cell.value for cell in cells if cell.formula is None and not cell.is_input}
    for at in (*((row, left) for left in range(column - 1, 0, -1)), *((up, column) for up in range(row - 1, 0, -1))):
        if isinstance(words.get(at), str):
            return str(words[at])
    return cell_name(row, column)
