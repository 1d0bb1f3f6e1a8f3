"""Ratings that stand still for an evening, and whole-number results in which nobody can draw."""

from __future__ import annotations

from pathlib import Path

from judged import first_sheet, told
from openpyxl import Workbook

PLAYERS = [f"Player {number}" for number in range(1, 7)]


def evenings() -> Workbook:
    """Ten evenings of five games: what is gained on one counts from the next one on, and by racks."""
    book = Workbook()
    sheet = first_sheet(book)
    sheet.append(["Evening", "A", "B", "Racks A", "Racks B", "Elo A", "Elo B", "P", "Expected", "Change"])
    for number in range(50):
        row = number + 2
        one, two = PLAYERS[number % 6], PLAYERS[(number + 1 + number // 6 % 4) % 6]
        ratings = [
            f"=1400+SUMIFS(J$1:J{row - 1},B$1:B{row - 1},{c}{row},A$1:A{row - 1},\"<\"&A{row})"
            f"-SUMIFS(J$1:J{row - 1},C$1:C{row - 1},{c}{row},A$1:A{row - 1},\"<\"&A{row})"
            for c in "BC"
        ]  # fmt: skip
        racks = [5, number * 7 % 5] if number % 3 else [number * 7 % 5, 5]
        share, expects = f"=1/(1+10^((G{row}-F{row})/400))", f"=(D{row}+E{row})*H{row}"
        sheet.append([number // 5 + 1, one, two, *racks, *ratings, share, expects, f"=1.5*(D{row}-I{row})"])
    return book


def test_ratings_that_stand_still_for_an_evening_agree(tmp_path: Path) -> None:
    assert told(evenings(), tmp_path / "evenings.xlsx") == []


def test_a_rating_that_moves_within_its_evening_is_told(tmp_path: Path) -> None:
    book = evenings()
    sheet = first_sheet(book)
    sheet["F26"] = str(sheet["F26"].value).replace('"<"', '"<="')
    assert [place.rpartition("!")[2] for _, place in told(book, tmp_path / "evenings.xlsx")] == ["F26"]


def test_racks_of_the_match_above_are_told(tmp_path: Path) -> None:
    book = evenings()
    sheet = first_sheet(book)
    for row in range(3, 52):
        sheet[f"I{row}"] = f"=(D{row - 1}+E{row})*H{row}"
    sheet["I2"] = "=(N(D1)+E2)*H2"
    assert ("ES106", "Sheet!I2:I51") in told(book, tmp_path / "evenings.xlsx")


def best_of_three(score: str) -> Workbook:
    """A line for each team of a match that nobody can draw; maps are typed."""
    book = Workbook()
    sheet = first_sheet(book)
    sheet.append(["Match", "Team", "Maps", "Before", "Other", "Expected", "Score", "After"])
    for number in range(60):
        row, side = number + 2, number % 2
        match = number // 2
        team = PLAYERS[(match + side * (1 + match // 6 % 4)) % 6]
        maps = 2 if (match % 3 == 0) == (side == 0) else match % 2
        other, last = row + 1 - 2 * side, row - 1 - side
        before = f"=IFERROR(LOOKUP(2,1/(B$1:B{last}=B{row}),H$1:H{last}),1200)"
        wins = "=" + score.replace("@", f"C{row}").replace("#", f"C{other}")
        after = f"=D{row}+28*(G{row}-F{row})"
        sheet.append([match + 1, team, maps, before, f"=D{other}", f"=1/(1+10^((E{row}-D{row})/400))", wins, after])
    return book


def test_a_draw_that_no_match_can_have_is_not_asked_for(tmp_path: Path) -> None:
    assert told(best_of_three("IF(@>#,1,0)"), tmp_path / "maps.xlsx") == []


def test_an_opponent_who_is_read_from_another_match_is_told(tmp_path: Path) -> None:
    book = best_of_three("IF(@>#,1,0)")
    sheet = first_sheet(book)
    for row in range(44, 62, 2):
        sheet[f"E{row}"] = f"=D{row - 1}"
    found = told(book, tmp_path / "maps.xlsx")
    assert found
    assert all(code == "ES106" and place.startswith("Sheet!E") for code, place in found)
