"""Games of many with a rating column for each player, and matrices of wins that close ratings once."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from judged import first_sheet, told
from openpyxl import Workbook

from elo_sheets.validate import validate

SEATS = "FGHI"
POINTS = "BCDE"


def races(seat: str = "", wrong: str = "") -> Workbook:
    """Races of four, every pair a game of K/3: points in B to E, ratings in F to I; a `seat` reads a `wrong` one."""
    book, dice = Workbook(), Random(8)
    sheet = first_sheet(book)
    sheet["A1"], sheet["B1"] = "K", 30
    for points, rating, number in zip(POINTS, SEATS, range(1, 5), strict=True):
        sheet[f"{points}3"], sheet[f"{rating}3"] = f"Player {number}", f"Player {number} rating"
        sheet[f"{rating}4"] = 1500
    for row in range(5, 21):
        for points, value in zip(POINTS, dice.sample(range(10, 60), 4), strict=True):
            sheet[f"{points}{row}"] = value
        for mine, own in zip(POINTS, SEATS, strict=True):
            terms = [
                f"IF({mine}{row}>{theirs}{row},1,IF({mine}{row}={theirs}{row},0.5,0))"
                f"-1/(1+10^(({wrong if own == seat and other == 'I' else other}{row - 1}-{own}{row - 1})/400))"
                for theirs, other in zip(POINTS, SEATS, strict=True) if other != own
            ]  # fmt: skip
            sheet[f"{own}{row}"] = f"={own}{row - 1}+$B$1/3*({'+'.join(terms)})"
    return book


def test_columns_of_players_of_games_of_many_are_followed(tmp_path: Path) -> None:
    assert told(races(), tmp_path / "sound.xlsx") == []


def test_a_column_that_reads_another_players_rating_is_told(tmp_path: Path) -> None:
    assert told(races("H", "G"), tmp_path / "wrong.xlsx") == [("ES106", "Sheet!H5:H20")]


def test_a_rating_that_is_typed_among_columns_of_players_is_told(tmp_path: Path) -> None:
    book = races()
    first_sheet(book)["G12"] = 1490
    assert told(book, tmp_path / "typed.xlsx") == [("ES201", "Sheet!G12")]


def wins(slip: str = "") -> Workbook:
    """A matrix of how often each of five beat each other, expected wins beside it, and new ratings by K 8."""
    book, dice = Workbook(), Random(4)
    sheet = first_sheet(book)
    sheet["A1"], sheet["B1"] = "K", 8
    for column, text in zip(
        "BCDEFGHIJ", ("Old", *(f"Player {at}" for at in range(1, 6)), "Won", "Due", "New"), strict=True
    ):
        sheet[f"{column}3"] = text
    for row in range(4, 9):
        sheet[f"A{row}"], sheet[f"B{row}"] = f"Player {row - 3}", 1400 + 37 * row
        due = []
        for at, column in enumerate("CDEFG", 4):
            if at != row:
                sheet[f"{column}{row}"] = dice.randrange(6)
                due.append(f"({column}{row}+{'CDEFG'[row - 4]}{at})/(1+10^((B${at}-B{row})/400))".replace("$", ""))
        sheet[f"H{row}"], sheet[f"I{row}"] = f"=SUM(C{row}:G{row})", "=" + "+".join(due)
        sheet[f"J{row}"] = f"=B{row}+$B$1*(H{row}-I{row})"
    if slip:
        sheet["H6"] = slip
    return book


@pytest.mark.parametrize(("slip", "found"), [("", []), ("=SUM(E4:E8)", [("ES106", "Sheet!H6")])])
def test_a_matrix_of_wins_closes_ratings_once(slip: str, found: list[tuple[str, str]], tmp_path: Path) -> None:
    assert told(wins(slip), tmp_path / "wins.xlsx") == found


def test_another_rating_beside_the_new_ones_is_not_taken_for_right(tmp_path: Path) -> None:
    book = wins()
    for row in range(4, 9):
        first_sheet(book)[f"M{row}"] = f"=B{row}+$B$1/2*(H{row}-I{row})"
    book.save(tmp_path / "beside.xlsx")
    verdict = validate(tmp_path / "beside.xlsx")
    assert (verdict.status, "M4" in (verdict.reason or "")) == ("unchecked", True)


def seasons(turned: bool = False) -> Workbook:
    """Two seasons of wins, the second from the ratings of the first; `turned` counts there what a player has lost."""
    book = wins()
    first = first_sheet(book)
    first["C7"] = None  # who has won against one player alone
    second = book.copy_worksheet(first)
    second.title = "Second"
    for row, column in zip(range(4, 9), "CDEFG", strict=True):
        second[f"B{row}"] = f"={first.title}!J{row}"
        if turned:
            second[f"H{row}"] = f"=SUM({column}$4:{column}$8)"
    return book


def test_seasons_of_wins_go_on_from_each_other_and_count_alike(tmp_path: Path) -> None:
    assert told(seasons(), tmp_path / "sound.xlsx") == []
    assert told(seasons(turned=True), tmp_path / "turned.xlsx") == [("ES115", "Second!H4:H8")]
