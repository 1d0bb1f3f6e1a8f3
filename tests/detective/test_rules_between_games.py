"""Rules that hold beside the games: floors, friendlies, decays, seasons and margins, and the slips beside them."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from judged import first_sheet, told
from openpyxl import Workbook

PLAYERS = [f"Player {at}" for at in range(1, 7)]
FIRST, GAMES = 4, 36
LAST = FIRST + GAMES - 1
PREVIOUS = (
    "IFERROR(LOOKUP(2,1/(B$3:B{p}={n}{r}),ROW(B$3:B{p})),0)",
    "IFERROR(LOOKUP(2,1/(C$3:C{p}={n}{r}),ROW(C$3:C{p})),0)",
)


def log(**formulas: str) -> Workbook:
    """A log by sums: A week, B and C names, D and E points, F a mark, G and H ratings, I expected, J change, K, L new.

    `formulas` take the place of those of a column; N1 holds K, N2 the start and N3 a floor.
    """
    book, dice = Workbook(), Random(31)
    sheet = first_sheet(book)
    sheet.title = "Log"
    for row, (text, number) in enumerate((("K", 24), ("Start", 1500), ("Floor", 1480)), 1):
        sheet[f"M{row}"], sheet[f"N{row}"] = text, number
    heads = "Week,Home,Away,Pts H,Pts A,F?,Elo H,Elo A,Exp,Change,New H,New A"
    for column, text in enumerate(heads.split(","), 1):
        sheet.cell(FIRST - 1, column, text)
    before = "=$N$2+SUMIF(B$3:B{p},{n}{r},J$3:J{p})-SUMIF(C$3:C{p},{n}{r},J$3:J{p})"
    usual = {
        "G": before.replace("{n}", "B"),
        "H": before.replace("{n}", "C"),
        "I": "=1/(1+10^((H{r}-G{r})/400))",
        "J": "=$N$1*(IF(D{r}>E{r},1,IF(D{r}<E{r},0,0.5))-I{r})",
        "K": "=G{r}+J{r}",
        "L": "=H{r}-J{r}",
    }
    for row in range(FIRST, LAST + 1):
        one, two = dice.sample(PLAYERS, 2)
        points = dice.sample(range(3, 15), 2)
        mark = "F" if row % 5 == 0 or row == LAST else None
        for column, value in enumerate(((row - FIRST) // 3 + 1, one, two, *points, mark), 1):
            sheet.cell(row, column, value)
        for column, text in {**usual, **formulas}.items():
            sheet[f"{column}{row}"] = text.format(r=row, p=row - 1)
    return book


FRIENDLIES = '=IF(F{r}="F",0,$N$1*(IF(D{r}>E{r},1,IF(D{r}<E{r},0,0.5))-I{r}))'


def test_friendlies_with_a_mark_do_not_count_and_are_no_fault(tmp_path: Path) -> None:
    assert told(log(J=FRIENDLIES), tmp_path / "sound.xlsx") == []


def test_of_a_change_that_is_typed_that_cell_alone_is_told(tmp_path: Path) -> None:
    book = log()
    first_sheet(book)["J20"] = 17.5
    assert told(book, tmp_path / "typed.xlsx") == [("ES201", "Log!J20")]


def latest(name: str) -> str:
    """The latest new rating of who is named in a column, and the start where there is none."""
    one, two = (text.replace("{n}", name) for text in PREVIOUS)
    white, black = (f"INDEX({column}$1:{column}{{p}},{place})" for column, place in (("K", one), ("L", two)))
    return f"IF({one}+{two}=0,$N$2,IF({one}>{two},{white},{black}))"


FLOOR = {"G": "=" + latest("B"), "H": "=" + latest("C"), "K": "=MAX($N$3,G{r}+J{r})", "L": "=MAX($N$3,H{r}-J{r})"}


def test_a_floor_that_stands_in_a_cell_is_a_rule(tmp_path: Path) -> None:
    assert told(log(**FLOOR), tmp_path / "floor.xlsx") == []
    found = told(log(**{**FLOOR, "L": "=MAX(1480,H{r}-J{r})"}), tmp_path / "typed.xlsx")
    assert found == [("ES118", f"Log!L{FIRST}:L{LAST}")]


def away(name: str) -> str:
    """How many weeks a player has missed since his last game."""
    one, two = (text.replace("{n}", name) for text in PREVIOUS)
    return f"IF({one}+{two}=0,0,MAX(0,A{{r}}-INDEX(A$1:A{{p}},MAX({one},{two}))-1))"


@pytest.mark.parametrize(("sign", "found"), [("-", False), ("+", True)])
def test_ratings_may_fall_with_each_week_that_a_player_missed(sign: str, found: bool, tmp_path: Path) -> None:
    decay = {"G": f"={latest('B')}-2*{away('B')}", "H": f"={latest('C')}{sign}2*{away('C')}"}
    places = [place for _, place in told(log(**decay), tmp_path / "decay.xlsx")]
    assert bool(places) is found
    assert all(place.startswith("Log!H") for place in places)


MARGIN = "=$N$1*LN(ABS(D{{r}}-E{{r}})+1)*2.2/({lead}*0.001+2.2)*(IF(D{{r}}>E{{r}},1,0)-I{{r}})"


def test_a_margin_goes_by_the_lead_of_who_wins(tmp_path: Path) -> None:
    winners = MARGIN.format(lead="IF(D{r}>E{r},G{r}-H{r},H{r}-G{r})")
    assert told(log(J=winners), tmp_path / "sound.xlsx") == []
    ((code, place),) = told(log(J=MARGIN.format(lead="(G{r}-H{r})")), tmp_path / "home.xlsx")
    assert (code, place) == ("ES120", f"Log!J{FIRST}:J{LAST}")


HEADS = "Team,Begin,End,Home,Away,H,A,Elo H,Elo A,Exp,Change".split(",")


@pytest.mark.parametrize("slips", [0, 3])
def test_a_season_goes_on_from_the_one_before(slips: int, tmp_path: Path) -> None:
    book, dice = Workbook(), Random(5)
    book.remove(first_sheet(book))
    for year in range(2021, 2024):
        sheet = book.create_sheet(str(year))
        for column, text in zip("ABCEFGHIJKL", HEADS, strict=True):
            sheet[f"{column}1"] = text
        for row, name in enumerate(PLAYERS, 2):
            before = 2021 if year == 2023 and row < 2 + slips else year - 1
            carried = f"=1500+2/3*('{before}'!C{row}-1500)"
            sheet[f"A{row}"], sheet[f"B{row}"] = name, 1500 if year == 2021 else carried
            sheet[f"C{row}"] = f"=B{row}+SUMIF(E$2:E$25,A{row},L$2:L$25)-SUMIF(F$2:F$25,A{row},L$2:L$25)"
        for row in range(2, 26):
            one, two = dice.sample(PLAYERS, 2)
            for column, value in zip("EFGH", (one, two, *dice.sample(range(5), 2)), strict=True):
                sheet[f"{column}{row}"] = value
            for column, name in zip("IJ", "EF", strict=True):
                won, lost = (f"SUMIF({at}$1:{at}{row - 1},{name}{row},L$1:L{row - 1})" for at in "EF")
                sheet[f"{column}{row}"] = f"=INDEX($B$2:$B$7,MATCH({name}{row},$A$2:$A$7,0))+{won}-{lost}"
            sheet[f"K{row}"] = f"=1/(1+10^((J{row}-I{row})/400))"
            sheet[f"L{row}"] = f"=16*(IF(G{row}>H{row},1,0)-K{row})"
    found = told(book, tmp_path / "seasons.xlsx")
    assert found == ([("ES106", "'2023'!B2:B4")] if slips else [])
