"""Layouts of other hands: a sound book is never said to differ, and a mistake in one is told."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from elo_sheets.validate import validate

PLAYERS = [f"Player {number}" for number in range(1, 13)]
SEED = 7


def sheet_of(book: Workbook) -> Worksheet:
    sheet = book.active
    assert sheet is not None
    return sheet


def status(book: Workbook, path: Path) -> str:
    book.save(path)
    return validate(path).status


LATEST = (
    "=IF(COUNTIF($B$3:$C{a},{who}{r})=0,1500,IF(_xlfn.MAXIFS($A$3:$A{a},$B$3:$B{a},{who}{r})>"
    "_xlfn.MAXIFS($A$3:$A{a},$C$3:$C{a},{who}{r}),OFFSET($J$3,_xlfn.MAXIFS($A$3:$A{a},$B$3:$B{a},{who}{r})-ROW($J$3),0),"
    "OFFSET($K$3,_xlfn.MAXIFS($A$3:$A{a},$C$3:$C{a},{who}{r})-ROW($K$3),0)))"
)


@pytest.mark.parametrize(("first", "due"), [("=IF(D{r}>E{r},1,IF(D{r}<E{r},0,0.5))", "agrees"),
                                            ("=IF(D{r}<E{r},1,IF(D{r}>E{r},0,0.5))", "differs")])  # fmt: skip
def test_points_in_the_hundreds_are_a_result_with_a_score_for_each_side(tmp_path: Path, first: str, due: str) -> None:
    book, draw = Workbook(), Random(SEED)
    sheet = sheet_of(book)
    sheet["A1"], sheet["B1"] = "K", 16
    sheet.append([])
    for column, text in enumerate("Row,A,B,Pts A,Pts B,S A,S B,Rat A,Rat B,New A,New B".split(","), 1):
        sheet.cell(3, column, text)
    for r in range(4, 30):
        a, b = draw.sample(PLAYERS[:6], 2)
        x = draw.randrange(300, 450)
        y = x if r in (9, 20) else draw.randrange(300, 450)
        row = [r, a, b, x, y, first, "=IF(E{r}>D{r},1,IF(E{r}<D{r},0,0.5))", LATEST.replace("{who}", "B"),
               LATEST.replace("{who}", "C"), "=H{r}+$B$1*(F{r}-1/(1+10^((I{r}-H{r})/400)))",
               "=I{r}+$B$1*(G{r}-1/(1+10^((H{r}-I{r})/400)))"]  # fmt: skip
        for column, value in enumerate(row, 1):
            sheet.cell(r, column, value.format(r=r, a=r - 1) if isinstance(value, str) else value)
    assert status(book, tmp_path / "points.xlsx") == due


@pytest.mark.parametrize("heading", ["Pos", "Finish"])
@pytest.mark.parametrize("sign", ["<", ">"])
def test_of_places_the_lower_wins(tmp_path: Path, heading: str, sign: str) -> None:
    book, draw = Workbook(), Random(SEED)
    sheet = sheet_of(book)
    sheet["A1"], sheet["B1"] = "K", 24
    pairs = len(PLAYERS) // 2
    for race in range(5):
        top = 3 + race * (pairs + 3)
        sheet.cell(top, 1, f"Race {race + 1}")
        for column, text in enumerate(
            f"Driver 1,Driver 2,{heading} 1,{heading} 2,Elo 1,Elo 2,Exp,Res,New 1,New 2".split(","), 1
        ):
            sheet.cell(top + 1, column, text)
        places = draw.sample(range(1, len(PLAYERS) + 1), len(PLAYERS))
        for at in range(pairs):
            r = top + 2 + at
            before = [f"={column}{r - pairs - 3}" for column in "IJ"] if race else [1500, 1500]
            row = [*PLAYERS[2 * at : 2 * at + 2], *places[2 * at : 2 * at + 2], *before,
                   f"=1/(1+10^((F{r}-E{r})/400))", f"=IF(C{r}{sign}D{r},1,0)", f"=E{r}+$B$1*(H{r}-G{r})",
                   f"=F{r}-$B$1*(H{r}-G{r})"]  # fmt: skip
            for column, value in enumerate(row, 1):
                sheet.cell(r, column, value)
    assert (status(book, tmp_path / "places.xlsx") == "differs") is (sign == ">")


@pytest.mark.parametrize("odd", [{}, {12: 7}])
def test_a_look_up_in_a_growing_range_may_count_its_last_line(tmp_path: Path, odd: dict[int, int]) -> None:
    book, draw = Workbook(), Random(SEED)
    sheet = sheet_of(book)
    sheet["H1"], sheet["I1"] = "K", 30
    for column, text in enumerate(["Date", "White", "Black", "Result", "Score", "Expected", "Gain", *PLAYERS[:6]], 1):
        sheet.cell(3, column, text)
        if column > 7:
            sheet.cell(4, column, 600 + 70 * column)
    for r in range(5, 30):
        a, b = draw.sample(PLAYERS[:6], 2)
        other, own = (f"HLOOKUP({side}{r},$H$3:$M{r - 1},{odd.get(r, r - 3)},FALSE)" for side in "CB")
        row = [r, a, b, draw.choice("GNP"), f'=IF(D{r}="G",1,IF(D{r}="N",0.5,0))', f"=1/(1+10^(({other}-{own})/400))",
               f"=$I$1*(E{r}-F{r})",
               *(f"={c}{r - 1}+IF($B{r}={c}$3,$G{r},0)-IF($C{r}={c}$3,$G{r},0)" for c in "HIJKLM")]  # fmt: skip
        for column, value in enumerate(row, 1):
            sheet.cell(r, column, value)
    assert status(book, tmp_path / "growing.xlsx") == ("differs" if odd else "agrees")


def test_letters_of_the_sides_in_players_columns_may_lack(tmp_path: Path) -> None:
    book, draw = Workbook(), Random(SEED)
    sheet = sheet_of(book)
    sheet["A1"], sheet["B1"] = "K", 40
    players = PLAYERS[:7]
    for column, text in enumerate(
        ["Date", "Goals A", "Goals B", *players, "Mean A", "Mean B", "Exp", "Change", *players], 1
    ):
        sheet.cell(3, column, text)
    for column in range(15, 22):
        sheet.cell(4, column, 1000)
    for r in range(5, 30):
        for column, value in zip((1, 2, 3), (r, draw.randrange(9), draw.randrange(9)), strict=True):
            sheet.cell(r, column, value)
        for number, at in enumerate(draw.sample(range(7), 6)):
            sheet.cell(r, 4 + at, "AB"[number % 2])
        sheet[f"K{r}"], sheet[f"L{r}"] = (f'=AVERAGEIF($D{r}:$J{r},"{side}",O{r - 1}:U{r - 1})' for side in "AB")
        sheet[f"M{r}"] = f"=1/(1+10^((L{r}-K{r})/400))"
        sheet[f"N{r}"] = f"=$B$1*(IF(B{r}>C{r},1,IF(B{r}=C{r},0.5,0))-M{r})"
        for own, entry in zip("OPQRSTU", "DEFGHIJ", strict=True):
            sheet[f"{own}{r}"] = f'={own}{r - 1}+IF({entry}{r}="A",$N{r},IF({entry}{r}="B",-$N{r},0))'
    assert status(book, tmp_path / "letters.xlsx") != "differs"


def test_points_that_are_expected_are_no_change_of_a_rating(tmp_path: Path) -> None:
    book, draw = Workbook(), Random(SEED)
    sheet = sheet_of(book)
    sheet["A1"], sheet["B1"] = "Home", 60
    for column, text in enumerate("Home,Away,Elo H,Elo A,E H,E A,Draw,Win H,Win A,xPts H,xPts A".split(","), 1):
        sheet.cell(3, column, text)
    for r in range(4, 20):
        row = [*draw.sample(PLAYERS, 2), draw.randrange(1400, 1600), draw.randrange(1400, 1600),
               "=1/(1+10^((D{r}-C{r}-$B$1)/400))", "=1-E{r}", "=0.28*(1-ABS(E{r}-F{r}))", "=E{r}-G{r}/2",
               "=F{r}-G{r}/2", "=3*H{r}+G{r}", "=3*I{r}+G{r}"]  # fmt: skip
        for column, value in enumerate(row, 1):
            sheet.cell(r, column, value.format(r=r) if isinstance(value, str) else value)
    assert status(book, tmp_path / "expected.xlsx") != "differs"
