"""Forecasts, which have chances and no results, the side that has the advantage of home, and chances out of a table."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from judged import first_sheet, told
from openpyxl import Workbook, load_workbook

from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE

TEAMS = {f"Verein {number}": 1380 + 57 * number for number in range(1, 7)}
FIRST, PAIRINGS = 5, 24
LAST = FIRST + PAIRINGS - 1
SOUND = {
    "E": "=INDEX(Liste!$B$2:$B$7,MATCH(B{r},Liste!$A$2:$A$7,0))",
    "F": "=INDEX(Liste!$B$2:$B$7,MATCH(C{r},Liste!$A$2:$A$7,0))",
    "G": "=1/(1+10^((F{r}-E{r}-$B$1)/$B$2))",
    "H": "=0.24",
    "I": "=G{r}-H{r}/2",
    "J": "=1-I{r}-H{r}",
}
VISITORS = "=1/(1+10^((F{r}-E{r}+$B$1)/$B$2))"
ORDER = {"H": "=G{r}-J{r}/2", "I": "=1-H{r}-J{r}", "J": "=0.24"}  # home, away, draw


def forecast(
    path: Path, changed: dict[str, str], sides: tuple[str, str] = ("Heim", "Gast"), drawn: bool = False
) -> Path:
    """A list of pairings with the chances of home, draw and away; `drawn` types a chance of a draw in every row."""
    book, dice = Workbook(), random.Random(7)
    sheet, teams = book.worksheets[0], book.create_sheet("Liste")
    sheet.title = "Vorschau"
    teams.append(["Verein", "Elo"])
    for team in TEAMS.items():
        teams.append(team)
    for setting in (("Heimvorteil", 45), ("Skala", 400)):
        sheet.append(setting)
    for column, text in zip("ABCEFGHIJ", ("Tag", *sides, "Elo 1", "Elo 2", "Erw.", "x", "y", "z"), strict=True):
        sheet[f"{column}4"] = text
    for row in range(FIRST, LAST + 1):
        for column, value in zip("ABC", (row, *dice.sample(list(TEAMS), 2)), strict=True):
            sheet[f"{column}{row}"] = value
        for column, text in (SOUND | changed).items():
            if column != "K" or row % 3 == 1:  # neutral ground, some of the games
                sheet[f"{column}{row}"] = text.format(r=row)
        if drawn:
            sheet[f"H{row}"] = round(dice.uniform(0.1, 0.25), 2)
    book.save(path)
    return path


@pytest.mark.parametrize("drawn", [False, True])
@pytest.mark.parametrize("changed", [{}, ORDER, {"J": "=1-G{r}-H{r}/2"}, {"I": "=ROUND(G{r}-H{r}/2,2)"}])
def test_a_forecast_is_asked_for_no_results(tmp_path: Path, changed: dict[str, str], drawn: bool) -> None:
    verdict = validate(forecast(tmp_path / "sound.xlsx", changed, drawn=drawn and changed is not ORDER))
    assert [one for one in verdict.findings if one.severity != NOTE] == []
    assert verdict.status == "agrees"


TWO = {"H": "=1-G{r}", "I": "=1/G{r}", "J": "=1/H{r}"}  # both chances and their odds
TIPS = {"I": '=IF(G{r}>=0.5,"1","2")', "J": '=IF(K{r}="","",IF(I{r}=K{r},1,0))', "K": "1"}  # and who has won
LATE = "=IF({r}=11,IF(G{r}<0.5,B{r},C{r}),IF(G{r}>=0.5,B{r},C{r}))"
OLDER = '=IF(AND({r}>20,C{r}="Verein 5"),1600,INDEX(Liste!$B$2:$B$7,MATCH(C{r},Liste!$A$2:$A$7,0)))'
BACK = "=INDEX(Liste!$B$2:$B$7,MATCH(B{r},Liste!$A$2:$A$7,0))"


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, None),
        ({"I": "=1/H{r}", "J": "=1/G{r}"}, ("", "I5:J5")),
        ({"F": BACK}, ("ES114", "F")),
        (TIPS, None),
        ({"I": "=IF(G{r}>=0.5,B{r},C{r})"}, None),  # the tip is the favourite's name
        (TIPS | {"F": OLDER}, ("ES123", "F")),
        ({"I": LATE}, ("ES108", "I")),
        ({"H": "=G{r}"}, ("ES113", "H")),
        ({"G": VISITORS}, ("ES121", "G")),
        ({"K": "n", "G": '=1/(1+10^((F{r}-E{r}-IF(K{r}="n",0,$B$1))/$B$2))'}, None),
    ],
)
def test_pairings_without_results_are_held_against_curve_and_list(
    tmp_path: Path, changed: dict[str, str], told: tuple[str, str] | None
) -> None:
    verdict = validate(forecast(tmp_path / "two.xlsx", TWO | changed))
    loud = [(one.code, one.range) for one in verdict.findings if one.severity != NOTE]
    if told is None:
        assert (verdict.status, loud, verdict.facts["pairings"]) == ("agrees", [], PAIRINGS)
    elif told[0]:
        assert told in [(code, place.removeprefix("Vorschau!")[0]) for code, place in loud]
    else:
        assert verdict.status == "unchecked"
        assert f"Vorschau!{told[1]}" in (verdict.reason or "")


@pytest.mark.parametrize(
    ("changed", "column", "says"),
    [
        ({"J": "=1-G{r}+H{r}/2"}, "J", "124 %"),
        (ORDER | {"I": "=1-H{r}"}, "I", "124 %"),
        ({"J": "=1.1-I{r}-H{r}"}, "J", "110 %"),
    ],
)
def test_chances_of_more_than_one_in_all_are_told(
    tmp_path: Path, changed: dict[str, str], column: str, says: str
) -> None:
    verdict = validate(forecast(tmp_path / "wrong.xlsx", changed))
    told = [one for one in verdict.findings if one.severity != NOTE]
    assert [(one.code, one.range) for one in told] == [("ES128", f"Vorschau!{column}{FIRST}:{column}{LAST}")]
    assert says in told[0].message


def test_an_advantage_of_home_that_helps_the_visitors_is_told(tmp_path: Path) -> None:
    verdict = validate(forecast(tmp_path / "wrong.xlsx", {"G": VISITORS}))
    told = [one for one in verdict.findings if one.severity != NOTE]
    assert [(one.code, one.fix) for one in told] == [("ES121", "=1/(1+10^((F5-E5-$B$1)/$B$2))")]
    assert "the 45 points of Vorschau!B1 count for the visitors" in told[0].message


@pytest.mark.parametrize("sides", [("Gast", "Heim"), ("away", "home")])
def test_an_advantage_is_that_of_the_side_at_home_wherever_it_stands(tmp_path: Path, sides: tuple[str, str]) -> None:
    verdict = validate(forecast(tmp_path / "sound.xlsx", {"G": VISITORS}, sides))
    assert [one for one in verdict.findings if one.severity != NOTE] == []
    verdict = validate(forecast(tmp_path / "wrong.xlsx", {}, sides))
    assert "ES121" in [one.code for one in verdict.findings if one.severity != NOTE]


def test_ratings_and_scores_may_be_taken_from_each_other_alike(tmp_path: Path) -> None:
    """`=C4-B4` of the ratings and `=G4-F4` of result and chance are one formula, seen from its cell."""
    book, dice = Workbook(), random.Random(3)
    sheet, chances = book.worksheets[0], book.create_sheet("Table")
    sheet.title = "Season"
    chances.append(["from", "higher", "lower"])
    for step in range(30):
        chances.append([step * 25, round(0.5 + step / 70, 2), round(0.5 - step / 70, 2)])
    sheet.append(["K", 15])
    sheet.append([])
    sheet.append(["Opponent", "Rating", "Mine", "Lead", "Capped", "Chance", "Score", "Gain", "After"])
    for row in range(4, 30):
        own = 1710 if row == 4 else f"=I{row - 1}"
        look_up = f"=IF(D{row}>=0,VLOOKUP(E{row},Table!$A$2:$C$31,2),VLOOKUP(E{row},Table!$A$2:$C$31,3))"
        lead, capped, gain = f"=C{row}-B{row}", f"=MIN(400,ABS(D{row}))", f"=G{row}-F{row}"
        score = dice.choice((1, 0.5, 0))
        sheet.append([f"Player {row}", dice.randrange(1300, 2100), own, lead, capped, look_up, score, gain])
        sheet[f"I{row}"] = f"=C{row}+$B$1*H{row}"
    book.save(tmp_path / "table.xlsx")
    verdict = validate(tmp_path / "table.xlsx")
    assert [one for one in verdict.findings if one.severity != NOTE] == []


def with_margins(away: str) -> Workbook:
    """Chances of three results with odds, and those odds less a margin; the draw is the likelier the nearer the two."""
    book = Workbook()
    sheet = first_sheet(book)
    sheet["A1"], sheet["B1"], sheet["C1"], sheet["D1"] = "Home edge", 60, "Margin", 0.05
    titles = ("Home", "Away", "Elo H", "Elo A", "We", "P1", "PX", "P2", "1", "X", "2", "less 1", "less X", "less 2")
    for column, title in enumerate(titles, 1):
        sheet.cell(3, column, title)
    for row in range(4, 24):
        values = (f"Team {row}", f"Team {row + 1}", 1400 + row * 37 % 300, 1400 + row * 53 % 300)
        for column, value in enumerate(values, 1):
            sheet.cell(row, column, value)
        sheet[f"E{row}"] = f"=1/(1+10^((D{row}-C{row}-$B$1)/400))"
        sheet[f"F{row}"] = f"=E{row}-G{row}/2"
        sheet[f"G{row}"] = f"=0.28*EXP(-(((E{row}-0.5)/0.3)^2)/2)"
        sheet[f"H{row}"] = away.format(row=row)
        for odds, chance, less in zip("IJK", "FGH", "LMN", strict=True):
            sheet[f"{odds}{row}"] = f"=1/{chance}{row}"
            sheet[f"{less}{row}"] = f"={odds}{row}/(1+$D$1)"
    return book


def test_odds_less_a_margin_follow_chances_and_three_chances_sum_to_one(tmp_path: Path) -> None:
    assert told(with_margins("=1-F{row}-G{row}"), tmp_path / "sound.xlsx") == []
    assert told(with_margins("=1-E{row}"), tmp_path / "wrong.xlsx") == [("ES128", "Sheet!H4:H23")]


def test_how_near_a_forecast_came_is_no_change_of_a_rating(tmp_path: Path) -> None:
    near = {"M": "=IF((G{r}>0.5)=(O{r}>P{r}),1,0)", "N": "=(G{r}-(O{r}>P{r}))^2+(J{r}-(O{r}<P{r}))^2"}
    path = forecast(tmp_path / "played.xlsx", near)
    book = load_workbook(path)
    for row in range(FIRST, LAST + 1):
        book["Vorschau"][f"O{row}"], book["Vorschau"][f"P{row}"] = row * 7 % 4, row * 5 % 3
    book.save(path)
    assert [one for one in validate(path).findings if one.severity != NOTE] == []
