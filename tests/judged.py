"""Books of openpyxl as `validate` judges them."""

from __future__ import annotations

from pathlib import Path

from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE


def told(book: Workbook, path: Path) -> list[tuple[str, str]]:
    """Code and place of what is told above a note; nothing only where the book agrees."""
    book.save(path)
    verdict = validate(path)
    found = [(one.code, one.range) for one in verdict.findings if one.severity != NOTE]
    assert found or verdict.status == "agrees", verdict.reason
    return found


def first_sheet(book: Workbook) -> Worksheet:
    """Return the sheet with which a book opens."""
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    return sheet
