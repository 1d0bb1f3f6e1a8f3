"""Ratings that stand apart from their games: on another sheet, month by month, or as the change alone."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from judged import first_sheet, told
from openpyxl import Workbook
from openpyxl.utils import get_column_letter as letter

from elo_sheets.validate import validate

PLAYERS = [f"Player {at}" for at in range(1, 7)]
TEAMS = [f"Team {at}" for at in range(1, 9)]


def games(count: int, seed: int = 5, players: Sequence[str] = PLAYERS) -> list[tuple[str, str, float]]:
    chance = random.Random(seed)
    return [(*chance.sample(players, 2), chance.choice((1.0, 0.5, 0.0))) for _ in range(count)]  # type: ignore[misc]


def apart(header: int, top: int) -> Workbook:
    """A log whose games read each player's rating on the sheet Ratings, a row a game, which begins elsewhere."""
    book = Workbook()
    log, ratings = first_sheet(book), book.create_sheet("Ratings")
    log.title = "Games"
    log["J1"], log["K1"] = "K", 24
    for column, title in enumerate(("White", "Black", "Result", "Elo W", "Elo B", "Expected", "Change"), 1):
        log.cell(header, column, title)
    ratings.cell(top, 1, "After")
    ratings.cell(top + 1, 1, "start")
    last = letter(len(PLAYERS) + 1)
    for column, name in enumerate(PLAYERS, 2):
        ratings.cell(top, column, name)
        ratings.cell(top + 1, column, 1400 + 35 * column)
    for at, (white, black, score) in enumerate(games(40)):
        row, own = header + 1 + at, top + 2 + at
        for column, value in enumerate((white, black, score), 1):
            log.cell(row, column, value)
        for column, name in (("D", "A"), ("E", "B")):
            log[f"{column}{row}"] = (
                f"=INDEX(Ratings!$B{own - 1}:${last}{own - 1},MATCH({name}{row},Ratings!$B${top}:${last}${top},0))"
            )
        log[f"F{row}"] = f"=1/(1+10^((E{row}-D{row})/400))"
        log[f"G{row}"] = f"=$K$1*(C{row}-F{row})"
        ratings.cell(own, 1, at + 1)
        for column in range(2, len(PLAYERS) + 2):
            name = f"{letter(column)}${top}"
            gain = f"IF({name}=Games!$A{row},Games!$G{row},IF({name}=Games!$B{row},-Games!$G{row},0))"
            ratings.cell(own, column, f"={letter(column)}{own - 1}+{gain}")
    return book


@pytest.mark.parametrize(("header", "top"), [(3, 1), (1, 1), (2, 4)])
def test_ratings_after_each_game_may_stand_on_a_sheet_of_their_own(header: int, top: int, tmp_path: Path) -> None:
    assert told(apart(header, top), tmp_path / "sound.xlsx") == []
    row, own = header + 20, top + 21
    wrong = apart(header, top)
    formula = str(wrong["Games"][f"D{row}"].value)
    wrong["Games"][f"D{row}"] = formula.replace(f"B{own - 1}:$G{own - 1}", f"B{own}:$G{own}")
    assert [place for _, place in told(wrong, tmp_path / "game.xlsx")] == [f"Games!D{row}"]
    over = apart(header, top)
    over["Games"][f"G{row}"] = 3.5
    assert [place for _, place in told(over, tmp_path / "over.xlsx")] == [f"Games!G{row}"]
    typed = apart(header, top)
    typed["Ratings"][f"C{own}"] = 1500
    assert told(typed, tmp_path / "rating.xlsx") == [("ES201", f"Ratings!C{own}")]


def months() -> Workbook:
    """One player's games, each of which compares the rating of its month; the months sum their games up."""
    book, chance = Workbook(), random.Random(3)
    log, lists = first_sheet(book), book.create_sheet("Months")
    log.title = "Games"
    for sheet, titles in (
        (log, ("Month", "Opponent", "Rating", "Score", "Own", "Expected", "Change")),
        (lists, ("Month", "K", "Rating", "Games", "Sum", "New")),
    ):
        for column, title in enumerate(titles, 1):
            sheet.cell(1, column, title)
    row = 2
    for month, count in enumerate((4, 6, 3, 5, 7), 2):
        first = row
        for _ in range(count):
            values = (f"2025-{month:02}", f"Opponent {row}", chance.randrange(1500, 1900), chance.choice((0, 0.5, 1)))
            for column, value in enumerate(values, 1):
                log.cell(row, column, value)
            log[f"E{row}"] = f"=Months!$C${month}"
            log[f"F{row}"] = f"=1/(1+10^((C{row}-E{row})/400))"
            log[f"G{row}"] = f"=VLOOKUP(A{row},Months!$A$2:$B$6,2,FALSE)*(D{row}-F{row})"
            row += 1
        lists[f"A{month}"], lists[f"B{month}"] = f"2025-{month:02}", 40 if month < 4 else 20
        lists[f"C{month}"] = 1700 if month == 2 else f"=F{month - 1}"
        lists[f"D{month}"] = f"=COUNT(Games!D{first}:D{row - 1})"
        lists[f"E{month}"] = f"=SUM(Games!G{first}:G{row - 1})"
        lists[f"F{month}"] = f"=ROUND(C{month}+E{month},0)"
    return book


def test_one_players_months_go_on_from_each_other(tmp_path: Path) -> None:
    assert told(months(), tmp_path / "sound.xlsx") == []
    wrong = months()
    wrong["Games"]["G13"] = str(wrong["Games"]["G13"].value).replace("-F13", "+F13")
    assert [place for _, place in told(wrong, tmp_path / "wrong.xlsx")] == ["Games!G13"]
    for cell, formula in (("D4", "=COUNT(Games!D12:D13)"), ("E4", "=SUM(Games!G12:G13)")):
        short = months()
        short["Months"][cell] = formula
        assert told(short, tmp_path / f"{cell}.xlsx") == [("ES125", f"Months!{cell}")]


def cross_table(place: str = "") -> Workbook:
    """A round robin that ends with the changes: nobody's new rating is shown."""
    book, chance = Workbook(), random.Random(8)
    sheet = first_sheet(book)
    sheet["A1"], sheet["B1"] = "K", 20
    size, first = len(PLAYERS), 4
    titles = ("No.", "Player", "Rating", *range(1, size + 1), "Points", "Expected", "Change", "Place")
    for column, title in enumerate(titles, 1):
        sheet.cell(3, column, title)
    points, expected, change = (letter(3 + size + at) for at in (1, 2, 3))
    ratings = f"$C${first}:$C${first + size - 1}"
    for at, name in enumerate(PLAYERS):
        row = first + at
        sheet[f"A{row}"], sheet[f"B{row}"], sheet[f"C{row}"] = at + 1, name, 1500 + 60 * at
        sheet.cell(row, 4 + at, "x")
        for other in range(at):
            score = chance.choice((0, 0.5, 1))
            sheet.cell(row, 4 + other, score)
            sheet.cell(first + other, 4 + at, 1 - score)
        sheet[f"{points}{row}"] = f"=SUM(D{row}:{letter(3 + size)}{row})"
        sheet[f"{expected}{row}"] = f"=SUMPRODUCT(1/(1+10^(({ratings}-C{row})/400)))-0.5"
        sheet[f"{change}{row}"] = f"=$B$1*({points}{row}-{expected}{row})"
        own = f"{points}{row},{points}${first}:{points}${first + size - 1}"
        sheet[f"{letter(7 + size)}{row}"] = f"=RANK({own}{place})"
    return book


def test_a_cross_table_may_end_with_the_change(tmp_path: Path) -> None:
    assert told(cross_table(), tmp_path / "sound.xlsx") == []
    wrong = cross_table()
    wrong.worksheets[0]["K6"] = "=SUMPRODUCT(1/(1+10^(($C$4:$C$9-C5)/400)))-0.5"
    assert "Sheet!K6" in {place for _, place in told(wrong, tmp_path / "wrong.xlsx")}


def seasons(moved: Sequence[int]) -> Workbook:
    """Two seasons; the second starts from what the first one ended with, pulled to the mean, by the team's row."""
    book = Workbook()
    teams = first_sheet(book)
    teams.title = "Teams"
    teams["H1"], teams["I1"] = "Kept", 0.75
    for column, title in enumerate(("Team", "Start 1", "End 1", "Start 2", "End 2"), 1):
        teams.cell(2, column, title)
    for number, (label, start) in enumerate((("S1", "B"), ("S2", "D"))):
        log = book.create_sheet(label)
        for column, title in enumerate(("Home", "Away", "Result", "Elo H", "Elo A", "Expected", "Change"), 1):
            log.cell(1, column, title)
        for row, (home, away, score) in enumerate(games(30, number, TEAMS), 2):
            for column, value in enumerate((home, away, score), 1):
                log.cell(row, column, value)
            for column, name in (("D", "A"), ("E", "B")):
                log[f"{column}{row}"] = (
                    f"=INDEX(Teams!${start}$3:${start}$10,MATCH({name}{row},Teams!$A$3:$A$10,0))"
                    f"+SUMIF(A$1:A{row - 1},{name}{row},G$1:G{row - 1})"
                    f"-SUMIF(B$1:B{row - 1},{name}{row},G$1:G{row - 1})"
                )
            log[f"F{row}"] = f"=1/(1+10^((E{row}-D{row})/400))"
            log[f"G{row}"] = f"=20*(C{row}-F{row})"
    for row, name in enumerate(TEAMS, 3):
        teams[f"A{row}"], teams[f"B{row}"] = name, 1500
        for end, start, log in (("C", "B", "S1"), ("E", "D", "S2")):
            gains = "".join(
                f"{sign}SUMIF({log}!{side}$2:{side}$31,A{row},{log}!G$2:G$31)"
                for sign, side in (("+", "A"), ("-", "B"))
            )
            teams[f"{end}{row}"] = f"={start}{row}{gains}"
        teams[f"D{row}"] = f"=1500+$I$1*(C{row - (row in moved)}-1500)"
    return book


def test_a_start_that_is_carried_over_from_another_row_is_told(tmp_path: Path) -> None:
    assert told(seasons([]), tmp_path / "sound.xlsx") == []
    assert ("ES106", "Teams!D7:D9") in told(seasons([7, 8, 9]), tmp_path / "wrong.xlsx")


def test_a_ranking_of_new_ratings_is_held_in_every_layout(tmp_path: Path) -> None:
    book = cross_table()
    sheet = book.worksheets[0]
    for row in range(4, 10):
        sheet[f"N{row}"] = f"=C{row}+L{row}"
        sheet[f"O{row}"] = f"=RANK(N{row},N$4:N$9)"
    assert told(book, tmp_path / "sound.xlsx") == []
    for row in range(4, 10):
        sheet[f"O{row}"] = f"=RANK(N{row},N$4:N$9,1)"
    assert told(book, tmp_path / "wrong.xlsx") == [("ES213", "Sheet!O4:O9")]


def performances(share: str) -> Workbook:
    """The opponents' ratings and the results of each player in a row, some with a game less, and the performance."""
    book, chance = Workbook(), random.Random(6)
    sheet = first_sheet(book)
    titles = ("Player", "Elo", *(f"o{at}" for at in range(1, 6)), *(f"r{at}" for at in range(1, 6)))
    for column, title in enumerate((*titles, "Games", "Points", "Mean", "Performance", "Lead", "Place"), 1):
        sheet.cell(1, column, title)
    for row in range(2, 10):
        sheet[f"A{row}"], sheet[f"B{row}"] = f"Player {row}", 1600 + 40 * row
        for at in range(4 + row % 2):
            sheet.cell(row, 3 + at, chance.randrange(1500, 2000))
            sheet.cell(row, 8 + at, chance.choice((0, 0.5, 1)))
        sheet[f"M{row}"], sheet[f"N{row}"] = f"=COUNT(H{row}:L{row})", f"=SUM(H{row}:L{row})"
        sheet[f"O{row}"] = f"=AVERAGE(C{row}:G{row})"
        sheet[f"P{row}"] = f"=O{row}+800*N{row}/{share.format(row=row)}-400"
        sheet[f"Q{row}"], sheet[f"R{row}"] = f"=P{row}-B{row}", f"=RANK(P{row},P$2:P$9)"
    return book


def test_performances_are_held_against_the_results_of_their_rows(tmp_path: Path) -> None:
    assert told(performances("M{row}"), tmp_path / "sound.xlsx") == []
    assert told(performances("5"), tmp_path / "wrong.xlsx") == [("ES108", "Sheet!P2:P8")]


def tournaments(new: str = "=C{row}+H{row}*(D{row}-G{row})", change: str = "=I{row}-C{row}") -> Workbook:
    """Points of several games against a mean of opponents in each line, in two sections that are ranked apart."""
    book = Workbook()
    sheet = first_sheet(book)
    sheet.append(["Section", "Player", "Old", "Points", "Games", "Mean", "Expected", "K", "New", "Change", "Rank"])
    for row in range(2, 14):
        first, last = (2, 7) if row < 8 else (8, 13)
        values = ["AB"[row > 7], f"Player {row}", 1500 + 17 * row, 2 + row % 3 / 2, 5, 1550 + row]
        expected = f"=E{row}/(1+10^((F{row}-C{row})/400))"
        rank = f"=RANK(I{row},I${first}:I${last})"
        k = 20 + 20 * (row % 4 == 0)
        sheet.append([*values, expected, k, new.format(row=row), change.format(row=row), rank])
    return book


def test_lines_of_several_games_may_show_whole_points_or_the_change_alone(tmp_path: Path) -> None:
    assert told(tournaments("=ROUND(C{row}+H{row}*(D{row}-G{row}),0)"), tmp_path / "whole.xlsx") == []
    assert told(tournaments("=H{row}*(D{row}-G{row})", ""), tmp_path / "change.xlsx") == []


def test_wins_draws_and_losses_may_stand_for_points(tmp_path: Path) -> None:
    book = Workbook()
    sheet = first_sheet(book)
    sheet.append(["Name", "Rating", "Wins", "Draws", "Losses", "Opponents", "Score", "Expected", "New"])
    for row in range(2, 12):
        counts = (row % 4, row % 3, row % 2 + 1)
        score, expected = f"=C{row}+D{row}/2", f"=(C{row}+D{row}+E{row})/(1+10^((F{row}-B{row})/400))"
        new = f"=B{row}+16*(G{row}-H{row})"
        sheet.append([f"Player {row}", 1500 + 17 * row, *counts, 1550 + 3 * row, score, expected, new])
    assert told(book, tmp_path / "sound.xlsx") == []
    sheet["G7"] = "=C7+D7"
    assert [place for _, place in told(book, tmp_path / "wrong.xlsx")] == ["Sheet!G7"]


def test_a_row_of_totals_may_sum_some_columns_and_average_others(tmp_path: Path) -> None:
    book = Workbook()
    sheet = first_sheet(book)
    sheet.append(["Board", "Home", "Elo", "Away", "Elo", "Result", "Expected", "Change"])
    for row in range(2, 10):
        result = (1, 0.5, 0)[row % 3]
        sheet.append([row - 1, f"Player {row}", 1900 - 30 * row, f"Player {row + 20}", 1850 - 21 * row, result])
        sheet[f"G{row}"], sheet[f"H{row}"] = f"=1/(1+10^((E{row}-C{row})/400))", f"=20*(F{row}-G{row})"
    for column, total in zip("CEFGH", ("AVERAGE", "AVERAGE", "SUM", "SUM", "SUM"), strict=True):
        sheet[f"{column}11"] = f"={total}({column}2:{column}9)"
    assert told(book, tmp_path / "sound.xlsx") == []


def test_a_place_of_another_line_is_not_passed_over(tmp_path: Path) -> None:
    book = tournaments()
    book.worksheets[0]["K5"] = "=RANK(I4,I$2:I$7)"
    book.save(tmp_path / "book.xlsx")
    assert validate(tmp_path / "book.xlsx").status != "agrees"


def test_more_points_than_games_are_not_passed_over(tmp_path: Path) -> None:
    book = tournaments()
    book.worksheets[0]["D6"] = 7
    book.save(tmp_path / "book.xlsx")
    assert validate(tmp_path / "book.xlsx").status != "agrees"


def test_what_an_earlier_line_hands_on_is_held_too(tmp_path: Path) -> None:
    book = tournaments()
    for row in range(3, 14):
        book.worksheets[0][f"C{row}"] = f"=I{row - 1}"
    book.worksheets[0]["C6"] = "=I4"
    assert ("ES106", "Sheet!C6") in told(book, tmp_path / "wrong.xlsx")


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("J5", "=I4-C5"),
        ("I5", 1600),
        ("I5", "=C5-H5*(D5-G5)"),
        ("G6", "=E6/(1+10^((C6-F6)/400))"),
        ("G7", "=E8/(1+10^((F7-C7)/400))"),
    ],
)
def test_points_of_several_games_may_be_held_against_a_mean(cell: str, value: object, tmp_path: Path) -> None:
    assert told(tournaments(), tmp_path / "sound.xlsx") == []
    wrong = tournaments()
    wrong.worksheets[0][cell] = value
    assert [place for _, place in told(wrong, tmp_path / "wrong.xlsx")] == [f"Sheet!{cell}"]
