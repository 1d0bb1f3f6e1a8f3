"""The default engine computes sums over ranges that it does not take element by element, as other programs do."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest
from judged import first_sheet, told
from openpyxl import Workbook
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.table import Table

from elo_sheets.engines.elements import by_elements
from elo_sheets.engines.recalculate import recalculate

pytestmark = pytest.mark.fast

MIXED = [1, 0.5, "X", None, "+", 0]
RATINGS = [1500, 1530, 1560, 1590, 1620, 1650]
NAMES = ["Ann", "Bob", "Ann", None, "Cy", "Bob"]
POINTS = [1, 0, 1, 0.5, 1, 0]
DAYS = [date(2026, 1, 1) + timedelta(20 * day) for day in range(6)]
NUMBERS = [type(one) in (int, float) for one in MIXED]

SUMS = {
    "SUMPRODUCT(ISNUMBER({mixed})/(1+10^(({ratings}-1520)/400)))": sum(
        1 / (1 + 10 ** ((rating - 1520) / 400)) for rating, number in zip(RATINGS, NUMBERS, strict=True) if number
    ),
    "SUMPRODUCT(--ISTEXT({mixed}))": 2,
    "SUMPRODUCT(ISBLANK({mixed})*1)": 1,
    "SUMPRODUCT(NOT(ISNUMBER({mixed}))*{ratings})": 1560 + 1590 + 1620,
    "SUMPRODUCT((MONTH({days})=2)*{points})": 1,
    "SUMPRODUCT(--(YEAR({days})=2026),{ratings})": sum(RATINGS),
    'SUMPRODUCT((TEXT({days},"yyyy-mm")="2026-02")*{ratings})': 1560,
    'SUMPRODUCT((LEFT({names},1)="A")*{points})': 2,
    "SUMPRODUCT(LEN({names}))": 14,
    "SUMPRODUCT(1/COUNTIF({points},{points}))": 3,
    "SUMPRODUCT(ROUND({ratings}/7,0))": sum(round(rating / 7) for rating in RATINGS),
    "SUMPRODUCT(MOD({ratings},400))": sum(rating % 400 for rating in RATINGS),
    "SUMPRODUCT(LARGE({ratings},{{1,2,3}}))": 1650 + 1620 + 1590,
    "SUM(LARGE({ratings},{{1,2,3}}))": 1650 + 1620 + 1590,
    "AVERAGE(SMALL({ratings},{{1,2}}))": 1515,
    'SUMPRODUCT(ISNUMBER(SEARCH("a",{names}))*{points})': 2,
    "SUMPRODUCT(--EXACT({names},\"Ann\"))": 2,
}  # fmt: skip


def _filled() -> Workbook:
    book = Workbook()
    sheet = first_sheet(book)
    for at, row in enumerate(zip(MIXED, RATINGS, NAMES, POINTS, DAYS, strict=True), 1):
        for column, value in enumerate(row):
            sheet.cell(at, 8 + column, value)
            sheet.cell(1 + column, at, value)
    return book


@pytest.mark.parametrize("formula", SUMS)
def test_a_sum_takes_each_element_of_a_range(formula: str, tmp_path: Path) -> None:
    book = _filled()
    sheet = first_sheet(book)
    down = {"mixed": "H1:H6", "ratings": "I1:I6", "names": "J1:J6", "points": "K1:K6", "days": "L1:L6"}
    across = {"mixed": "A1:F1", "ratings": "A2:F2", "names": "A3:F3", "points": "A4:F4", "days": "A5:F5"}
    sheet["N1"] = f"={formula.format(**down)}"
    sheet["N2"] = f"={formula.format(**across)}"
    book.save(tmp_path / "book.xlsx")
    found = recalculate(tmp_path / "book.xlsx").values["Sheet"]
    assert [found[1, 14], found[2, 14]] == pytest.approx([SUMS[formula]] * 2)


def test_a_sum_in_an_array_formula_and_over_a_table(tmp_path: Path) -> None:
    book = _filled()
    sheet = first_sheet(book)
    sheet["N1"] = ArrayFormula("N1", "=SUM(IF(ISNUMBER(H1:H6),I1:I6))")
    sheet.append([])
    for row in [["Day", "Points"], *([day, point] for day, point in zip(DAYS, POINTS, strict=True))]:
        sheet.append(row)
    top = sheet.max_row - 6
    sheet.add_table(Table(displayName="Games", ref=f"A{top}:B{top + 6}"))
    sheet["N2"] = "=SUMPRODUCT((MONTH(Games[Day])=2)*Games[Points])"
    book.save(tmp_path / "book.xlsx")
    found = recalculate(tmp_path / "book.xlsx").values["Sheet"]
    assert found[1, 14] == 1500 + 1530 + 1650
    assert found[2, 14] == 1


def test_what_the_engine_takes_is_left_as_it_is() -> None:
    for formula in (
        "SUMPRODUCT((A1:A9=B1)*C1:C9)",
        "SUMPRODUCT(A1:A9,B1:B9)",
        "SUM(A1:A9)",
        "SUMPRODUCT(ABS(A1:A9-5))",
        "SUMPRODUCT(ISNUMBER(A1:A9),B1:B9)",  # of which programs say different things
    ):
        assert by_elements(formula) is formula


def test_a_cross_table_that_counts_the_games_played_agrees(tmp_path: Path) -> None:
    book, points = Workbook(), "X1101;0X½1+;0½X10;100X½;0-1½X"
    sheet = first_sheet(book)
    sheet.append(["K", 30])
    sheet.append([None, "Opponent", *(f"=B{row}" for row in range(4, 9))])
    sheet.append(["Name", "Rating", 1, 2, 3, 4, 5, "Expected", "Change", "New"])
    for row, line in enumerate(points.split(";"), 4):
        results = [{"½": 0.5, "1": 1, "0": 0}.get(one, one) for one in line]
        expected = f"=SUMPRODUCT(ISNUMBER(C{row}:G{row})/(1+10^((C$2:G$2-$B{row})/400)))"
        change = f"=$B$1*(SUM(C{row}:G{row})-H{row})"
        sheet.append([f"Player {row - 3}", 1900 - 50 * row, *results, expected, change, f"=ROUND(B{row}+I{row},0)"])
    assert told(book, tmp_path / "book.xlsx") == []
