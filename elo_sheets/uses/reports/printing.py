"""A report as a PDF: LibreOffice prints a small book that holds the sheet and what its charts draw, as values."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from elo_sheets.engines.office import convert, soffice
from elo_sheets.errors import NotChecked
from elo_sheets.files.save import private_folder, replacing
from elo_sheets.uses.reports.cells import sheets_read
from elo_sheets.workbook.plan import CellPlan, ColumnPlan, Fill, Plan, SheetPlan
from elo_sheets.workbook.write import write_book


def write_pdf(plan: Plan, name: str, target: Path, *, overwrite: bool = False) -> None:
    """Write a sheet of a completed plan as a PDF of one page; raises `NotChecked` without LibreOffice."""
    if soffice() is None:
        raise NotChecked(
            f"cannot print {target}: libreoffice is not installed; install LibreOffice (for example: apt install "
            "libreoffice-calc), or write a page instead, which a browser prints (-o report.html)"
        )
    sheet = plan.sheet(name)
    behind = [one for one in plan.sheets if one.name in set(sheets_read(sheet)) - {name}]
    sheets = (_as_values(replace(sheet, one_page=True, printed=True)), *(_hidden(one) for one in behind))
    with private_folder() as folder:
        book = folder / "report.xlsx"
        write_book(Plan(plan.title, sheets, {}), book)
        (made := folder / "printed").mkdir()
        pdf = convert(book, "pdf", made)
        with replacing(target, overwrite=overwrite) as beside:
            shutil.copyfile(pdf, beside)


def _hidden(sheet: SheetPlan) -> SheetPlan:
    """Return a sheet that charts draw from, as values alone."""
    bare = _as_values(replace(sheet, charts=(), highlights=(), sparklines=()))
    return replace(bare, hidden=True)


def _as_values(sheet: SheetPlan) -> SheetPlan:
    """Return a sheet that says the same without a formula and without a cell to type into."""
    tables = (replace(table, is_range=True, columns=tuple(map(_column, table.columns))) for table in sheet.tables)
    own = [one for one in sheet.highlights if "!" not in one.formula and "[" not in one.formula]
    cells = tuple(map(_cell, sheet.cells))
    return replace(sheet, cells=cells, tables=tuple(tables), highlights=tuple(own), sparklines=())


def _cell(cell: CellPlan) -> CellPlan:
    return replace(cell, formula=None, is_input=False, validation=None, name="", link="")


def _column(column: ColumnPlan) -> ColumnPlan:
    return replace(column, fill=Fill(column.fill.values, unit=column.fill.unit), is_input=False, validation=None)
