"""Sheets that compare no ratings: totals below a table, and names beside numbers, are right as they stand."""

from __future__ import annotations

import random
from pathlib import Path

from openpyxl import Workbook

from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE

TEAMS, FIRST = 11, 3
LAST = FIRST + TEAMS - 1


def test_totals_of_a_whole_table_and_names_beside_numbers_are_no_slips(tmp_path: Path) -> None:
    book, dice = Workbook(), random.Random(5)
    sheet, view = book.worksheets[0], book.create_sheet("View")
    sheet.title = "Points"
    view.append(["Team", "Total", "Best"])
    for row in range(FIRST, LAST + 1):
        sheet[f"B{row}"] = f"Team {row}"
        for column in "CDEFGH":
            sheet[f"{column}{row}"] = dice.randrange(40, 90)
        for column, name in zip("IJK", ("SUM", "MAX", "MIN"), strict=True):
            sheet[f"{column}{row}"] = f"={name}(C{row}:H{row})"
        for column, source in zip("ABC", "BIJ", strict=True):
            view[f"{column}{row}"] = f"=Points!{source}{row}"
    for column, name in zip("IJK", ("SUM", "MAX", "MIN"), strict=True):
        sheet[f"{column}{LAST + 1}"] = f"={name}(C{FIRST}:H{LAST})"
    book.save(tmp_path / "points.xlsx")
    verdict = validate(tmp_path / "points.xlsx")
    assert [one for one in verdict.findings if one.severity != NOTE] == []
