"""Points that go by the difference of two ratings: a table of them, an IF in an IF, or World Rugby's line."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged import first_sheet, told
from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet

PLAYERS = [f"Player {number}" for number in range(1, 7)]
STARTS = (1850, 1720, 1640, 1500, 1380, 1250)
TABLE = ((0, 8, 8), (13, 7, 10), (38, 6, 13), (63, 5, 16), (88, 4, 20), (113, 3, 25), (138, 2, 30), (188, 1, 40))
BY_TABLE = "=IF(D{0}>=E{0},VLOOKUP(ABS(D{0}-E{0}),L$2:N$9,2),VLOOKUP(ABS(D{0}-E{0}),L$2:N$9,3))"
BY_IFS = "=IF(D{0}-E{0}>150,2,IF(D{0}-E{0}>50,5,IF(D{0}-E{0}>-50,8,IF(D{0}-E{0}>-150,16,30))))"


def list_of_players(sheet: Worksheet, starts: tuple[float, ...], column: str) -> None:
    for row, (name, start) in enumerate(zip(PLAYERS, starts, strict=True), 2):
        sheet[f"{column}{row}"], sheet[f"{chr(ord(column) + 1)}{row}"] = name, start


def winners(points: str) -> Workbook:
    """Sixty matches, the winner first, who gets what the loser loses."""
    book = Workbook()
    sheet = first_sheet(book)
    sheet.append(["No", "Winner", "Loser", "Before", "Before", "Points", "After", "After"])
    list_of_players(sheet, STARTS, "P")
    for row, line in enumerate(TABLE, 2):
        for column, number in zip("LMN", line, strict=True):
            sheet[f"{column}{row}"] = number
    last: dict[str, str] = {}
    for number in range(60):
        row = number + 2
        pair = PLAYERS[number % 6], PLAYERS[(number + 1 + number // 6 % 4) % 6]
        pair = pair if number % 4 else pair[::-1]
        before = [
            last.get(name, f"=VLOOKUP({column}{row},P$2:Q$7,2,0)") for name, column in zip(pair, "BC", strict=True)
        ]
        cells = [number + 1, *pair, *before, points.format(row), f"=D{row}+F{row}", f"=E{row}-F{row}"]
        for column, cell in zip("ABCDEFGH", cells, strict=True):
            sheet[f"{column}{row}"] = cell
        last |= {name: f"={column}{row}" for name, column in zip(pair, "GH", strict=True)}
    return book


def rugby(gap: str = "=F{0}+3-G{0}") -> Workbook:
    """Matches by World Rugby's rule: the gap is held within ten, a win by more than 15 counts half as much more."""
    book = Workbook()
    sheet = first_sheet(book)
    sheet.append(
        ["Date", "Home", "Away", "For", "Against", "Home before", "Away before", "Gap", "Core", "Points", "", ""]
    )
    list_of_players(sheet, (87.2, 82.4, 79.1, 77.7, 73.5, 70.3), "P")
    for number in range(45):
        row = number + 2
        before = [
            f"=VLOOKUP({c}{row},P$2:Q$7,2,0)+SUMIF(B$1:B{row - 1},{c}{row},J$1:J{row - 1})"
            f"-SUMIF(C$1:C{row - 1},{c}{row},J$1:J{row - 1})"
            for c in "BC"
        ]
        cells = [
            f"2024-{1 + number // 4:02}", PLAYERS[number % 6], PLAYERS[(number + 1 + number // 6 % 4) % 6],
            10 + number * 7 % 31, 12 + number * 11 % 23, *before, f"=MAX(-10,MIN(10,{gap.format(row)[1:]}))",
            f"=IF(D{row}>E{row},1-H{row}/10,IF(D{row}<E{row},-1-H{row}/10,-H{row}/10))",
            f"=I{row}*IF(ABS(D{row}-E{row})>15,1.5,1)", f"=F{row}+J{row}", f"=G{row}-J{row}",
        ]  # fmt: skip
        for column, cell in zip("ABCDEFGHIJKL", cells, strict=True):
            sheet[f"{column}{row}"] = cell
    sheet["K1"], sheet["L1"] = "Home after", "Away after"
    return book


@pytest.mark.parametrize("points", [BY_TABLE, BY_IFS])
def test_points_by_the_difference_agree(points: str, tmp_path: Path) -> None:
    assert told(winners(points), tmp_path / "sound.xlsx") == []


def test_the_rule_of_world_rugby_agrees(tmp_path: Path) -> None:
    assert told(rugby(), tmp_path / "sound.xlsx") == []


def test_points_typed_over_are_told(tmp_path: Path) -> None:
    book = winners(BY_TABLE)
    first_sheet(book)["F30"] = 9
    assert told(book, tmp_path / "wrong.xlsx") == [("ES201", "Sheet!F30")]


def test_an_upset_that_is_paid_as_expected_is_told(tmp_path: Path) -> None:
    book = winners(BY_TABLE)
    sheet = first_sheet(book)
    sheet["F41"] = str(sheet["F41"].value).replace(",2)", ",3)")
    assert [place for _, place in told(book, tmp_path / "wrong.xlsx")] == ["Sheet!F41"]


def test_a_rating_that_starts_from_another_game_is_told(tmp_path: Path) -> None:
    book = winners(BY_TABLE)
    sheet = first_sheet(book)
    sheet["D40"] = "=G7"
    assert ("ES123", "Sheet!D40") in told(book, tmp_path / "wrong.xlsx")


def test_a_table_by_which_the_stronger_gets_more_is_told(tmp_path: Path) -> None:
    turned = BY_TABLE.replace(">=", "<")
    assert [place for _, place in told(winners(turned), tmp_path / "wrong.xlsx")] == ["Sheet!F2:F61"]


def test_a_loser_who_gets_the_points_too_is_told(tmp_path: Path) -> None:
    book = winners(BY_TABLE)
    sheet = first_sheet(book)
    for row in range(2, 62):
        sheet[f"H{row}"] = f"=E{row}+F{row}"
    assert [place for _, place in told(book, tmp_path / "wrong.xlsx")] == ["Sheet!H2:H61"]


def test_an_advantage_of_the_visitors_is_told(tmp_path: Path) -> None:
    assert [place for _, place in told(rugby("=F{0}-3-G{0}"), tmp_path / "wrong.xlsx")] == ["Sheet!H2:H46"]
