"""Sheets that compare no ratings: totals below a table, and names beside numbers, are right as they stand."""

from __future__ import annotations

import random
from datetime import date
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


def test_a_date_in_the_heading_of_a_block_is_no_rating(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.worksheets[0]
    for block in range(4):
        first = 2 + 9 * block
        sheet[f"A{first - 1}"], sheet[f"B{first - 1}"] = f"Evening {block + 1}", date(2025, 3, 1 + block)
        for column, head in zip("ABCDE", ("Player", "Before", "Points", "Expected", "After"), strict=True):
            sheet[f"{column}{first}"] = head
        for row in range(first + 1, first + 6):
            others = [at for at in range(first + 1, first + 6) if at != row]
            sheet[f"A{row}"], sheet[f"C{row}"] = f"Player {row - first}", (block + 3 * row) % 5
            sheet[f"B{row}"] = f"=E{row - 9}" if block else 1400 + 30 * row
            sheet[f"D{row}"] = "=" + "+".join(f"1/(1+10^((B{at}-B{row})/400))" for at in others)
            sheet[f"E{row}"] = f"=B{row}+16*(C{row}-D{row})"
    book.save(tmp_path / "evenings.xlsx")
    verdict = validate(tmp_path / "evenings.xlsx")
    assert [one for one in verdict.findings if one.severity != NOTE] == []
    sheet["B23"] = 1512  # over the formula of the third evening's third player
    book.save(tmp_path / "typed.xlsx")
    assert ("ES201", "Sheet!B23") in [(one.code, one.range) for one in validate(tmp_path / "typed.xlsx").findings]
