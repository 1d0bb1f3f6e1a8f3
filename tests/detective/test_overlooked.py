"""What formulas overlook, parts that depart from those beside them, and what is no fault though it looks like one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from judged import first_sheet, told
from openpyxl import Workbook

PLAYERS = [f"Player {number}" for number in range(1, 7)]
ROWS = range(2, 38)


def pair(row: int) -> tuple[str, str]:
    return PLAYERS[row % 6], PLAYERS[(row + 1 + row // 6 % 4) % 6]


def league(result: Callable[[int], object], score: str, change: str = "=20*(E{0}-H{0})") -> Workbook:
    """A log with the result in D, the score in E, ratings in F and G, the chance in H and the change in I."""
    book = Workbook()
    sheet = first_sheet(book)
    sheet.append(["Day", "Home", "Away", "Result", "Score", "Elo 1", "Elo 2", "Chance", "Change"])
    for row in ROWS:
        own, other = (
            f"=1500+SUMIF(B$1:B{row - 1},{name}{row},I$1:I{row - 1})-SUMIF(C$1:C{row - 1},{name}{row},I$1:I{row - 1})"
            for name in "BC"
        )
        chance = f"=1/(1+10^((G{row}-F{row})/400))"
        sheet.append([row, *pair(row), result(row), score.format(row), own, other, chance, change.format(row)])
    return book


def winner(row: int) -> str:
    return "döntetlen" if row % 5 == 0 else pair(row)[row % 3 == 0]


def ranked(points: str, end: int = 37) -> Workbook:
    """A list beside a log by goals, with the rating, the games and the points of each player."""
    book = league(lambda row: row % 3 / 2, "=D{0}")
    table = book.create_sheet("Table")
    table.append(["Player", "Elo", "Home", "Away", "Points"])
    for row, player in enumerate(PLAYERS, 2):
        elo = (
            f"=1500+SUMIF(Sheet!B$2:B${end},A{row},Sheet!I$2:I${end})-SUMIF(Sheet!C$2:C${end},A{row},Sheet!I$2:I${end})"
        )
        counts = [f"=COUNTIF(Sheet!{c}$2:{c}$37,A{row})" for c in "BC"]
        table.append([player, elo, *counts, points.format(row)])
    return book


HALVES = "=COUNTIFS(Sheet!B$2:B$37,A{0},Sheet!E$2:E$37,1)+0.5*COUNTIFS(Sheet!B$2:B$37,A{0},Sheet!E$2:E$37,0.5)"
THREES = "=3*COUNTIFS(Sheet!B$2:B$37,A{0},Sheet!E$2:E$37,1)+COUNTIFS(Sheet!B$2:B$37,A{0},Sheet!E$2:E$37,0.5)"


@pytest.mark.parametrize("points", [HALVES, THREES])
def test_three_points_for_a_win_and_one_for_a_draw_are_a_rule(tmp_path: Path, points: str) -> None:
    assert told(ranked(points), tmp_path / "sound.xlsx") == []


def test_sums_that_end_before_those_beside_them_are_told(tmp_path: Path) -> None:
    assert ("ES125", "Table!B2:B7") in told(ranked(HALVES, 31), tmp_path / "short.xlsx")


def test_a_count_that_is_added_to_itself_is_told(tmp_path: Path) -> None:
    twice = "=COUNTIFS(Sheet!B$2:B$37,A{0},Sheet!E$2:E$37,1)+COUNTIFS(Sheet!B$2:B$37,A{0},Sheet!E$2:E$37,1)"
    assert told(ranked(twice), tmp_path / "twice.xlsx") == [("ES106", "Table!E2:E7")]


def test_a_draw_by_whatever_word_counts_half(tmp_path: Path) -> None:
    score = "=IF(D{0}=B{0},1,IF(D{0}=C{0},0,%s))"
    assert told(league(winner, score % "0.5"), tmp_path / "half.xlsx") == []
    assert told(league(winner, score % "0"), tmp_path / "nothing.xlsx") == [("ES104", "Sheet!E2:E37")]


def test_a_game_that_was_not_played_has_a_nought_and_a_remark(tmp_path: Path) -> None:
    book = league(lambda row: row % 3 / 2, "=D{0}")
    sheet = first_sheet(book)
    sheet["I20"] = 0
    assert ("ES201", "Sheet!I20") in told(book, tmp_path / "typed.xlsx")
    sheet["J20"] = "walkover, not rated"
    assert told(book, tmp_path / "remarked.xlsx") == []


def test_a_percentage_among_shares_is_told(tmp_path: Path) -> None:
    book = league(lambda row: 0.3 + row % 7 / 20, "=D{0}")
    assert told(book, tmp_path / "shares.xlsx") == []
    first_sheet(book)["D15"] = 45
    assert told(book, tmp_path / "percent.xlsx") == [("ES411", "Sheet!D15")]


def test_who_loses_may_lose_nothing(tmp_path: Path) -> None:
    """In the last games, as FIFA has it of the knock-out stage: both sides have a change of their own."""
    book = league(lambda row: 1 if row > 20 else row % 3 / 2, "=D{0}")
    sheet = first_sheet(book)
    for row in ROWS:
        for column, gain in (("I", f"20*(E{row}-H{row})"), ("J", f"20*(H{row}-E{row})")):
            sheet[f"{column}{row}"] = f"=IF(A{row}>20,MAX(0,{gain}),{gain})"
        for column, name in (("F", "B"), ("G", "C")):
            sums = (f"SUMIF({c}$1:{c}{row - 1},{name}{row},{d}$1:{d}{row - 1})" for c, d in (("B", "I"), ("C", "J")))
            sheet[f"{column}{row}"] = "=1500+" + "+".join(sums)
    assert told(book, tmp_path / "knock_out.xlsx") == []


ONE_SIDE = "={0}{1}+SUMIFS(Sheet!$H$2:$H$37,Sheet!$B$2:$B$37,$A{1},Sheet!$A$2:$A$37,{2}$1)"
BOTH = ONE_SIDE + "-SUMIFS(Sheet!$H$2:$H$37,Sheet!$C$2:$C$37,$A{1},Sheet!$A$2:$A$37,{2}$1)"


def months(first: str) -> Workbook:
    """A log by months, and a list that goes on from month to month."""
    book = Workbook()
    log, table = first_sheet(book), book.create_sheet("List")
    log.append(["Month", "White", "Black", "Score", "Elo W", "Elo B", "Chance", "Change"])
    for row in ROWS:
        ratings = [
            f'=1500+SUMIFS(H$1:H{row - 1},B$1:B{row - 1},{name}{row},A$1:A{row - 1},"<"&A{row})'
            f'-SUMIFS(H$1:H{row - 1},C$1:C{row - 1},{name}{row},A$1:A{row - 1},"<"&A{row})'
            for name in "BC"
        ]
        log.append([
            1 + (row - 2) // 12, *pair(row), row % 3 / 2, *ratings, f"=1/(1+10^((F{row}-E{row})/400))",
            f"=20*(D{row}-G{row})",
        ])  # fmt: skip
    table.append(["Player", "Start", 1, 2, 3])
    for row, player in enumerate(PLAYERS, 2):
        lists = [(first if to == "C" else BOTH).format(of, row, to) for of, to in zip("BCD", "CDE", strict=True)]
        table.append([player, 1500, *lists])
    return book


def test_a_month_of_a_list_that_forgets_one_side_is_told(tmp_path: Path) -> None:
    assert told(months(BOTH), tmp_path / "both.xlsx") == []
    assert ("ES129", "List!C2:C7") in told(months(ONE_SIDE), tmp_path / "one_side.xlsx")


def own_rows(chances: tuple[str, str], gap: str = "", change: str = "=20*({0}-{1})") -> Workbook:
    """Games with typed ratings: both chances, both changes and both new ratings stand in the row."""
    book = Workbook()
    sheet = first_sheet(book)
    sheet.append(["A", "B", "Elo A", "Elo B", "Score", "Gap", "E A", "E B", "+/- A", "+/- B", "New A", "New B"])
    for row in range(2, 22):
        shown = [gap.format(row) or None, *(chance.format(row) for chance in chances)]
        changes = [change.format(f"E{row}", f"G{row}"), change.format(f"(1-E{row})", f"H{row}")]
        after = [f"={old}{row}+{by}{row}" for old, by in ("CI", "DJ")]
        sheet.append([*pair(row), 1500 + 17 * row, 1790 - 11 * row, row % 3 / 2, *shown, *changes, *after])
    return book


TWO = ("=1/(1+10^((D{0}-C{0})/400))", "=1/(1+10^((C{0}-D{0})/400))")


def test_both_chances_in_each_others_place_are_told_where_they_stand(tmp_path: Path) -> None:
    assert told(own_rows(TWO), tmp_path / "sound.xlsx") == []
    found = told(own_rows(TWO[::-1]), tmp_path / "crossed.xlsx")
    assert {place.partition("!")[2][0] for _, place in found} <= {"G", "H"}


def test_a_chance_that_is_one_number_in_all_games_is_told(tmp_path: Path) -> None:
    found = told(own_rows(("=0.5", TWO[1])), tmp_path / "even.xlsx")
    assert ("ES101", "Sheet!G2:G21") in found


def test_ratings_that_are_added_up_in_a_column_of_their_own_are_told(tmp_path: Path) -> None:
    chances = ("=1/(1+10^(-F{0}/400))", "=1-G{0}")
    assert told(own_rows(chances, "=C{0}-D{0}"), tmp_path / "sound.xlsx") == []
    assert told(own_rows(chances, "=C{0}+D{0}"), tmp_path / "sum.xlsx") == [("ES101", "Sheet!F2:F21")]


def forecasts(away: str) -> Workbook:
    """Chances of a win, a draw and a loss, and the points that are expected of them."""
    book = Workbook()
    sheet, teams = first_sheet(book), book.create_sheet("Teams")
    sheet.append(["Home", "Away", "Elo H", "Elo A", "E", "Win", "Draw", "Loss", "Points H", "Points A"])
    for row in ROWS:
        ratings = [f"=VLOOKUP({name}{row},Teams!$A$2:$B$7,2,FALSE)" for name in "AB"]
        share, points = f"=1/(1+10^((D{row}-C{row}-65)/400))", [f"=3*{won}{row}+G{row}" for won in "FH"]
        chances = [f"=E{row}-G{row}/2", f"=0.3*(1-ABS(2*E{row}-1))", away.format(row)]
        sheet.append([*pair(row), *ratings, share, *chances, *points])
    teams.append(["Team", "Elo"])
    for number, player in enumerate(PLAYERS):
        teams.append([player, 1450 + 40 * number])
    return book


def test_chances_of_three_results_that_sum_to_more_than_all_are_told(tmp_path: Path) -> None:
    assert told(forecasts("=1-E{0}"), tmp_path / "more.xlsx") == [("ES128", "Sheet!H2:H37")]


def weekly(turned: int | None = None) -> Workbook:
    """Games in blocks of a week, and a table that goes on from week to week by what the games of each gave."""
    book = Workbook()
    sheet, table = first_sheet(book), book.create_sheet("Weekly")
    sheet.append(["Week", "A", "B", "Score", "Elo A", "Elo B", "E", "Change"])
    for row in ROWS:
        week = (row - 2) // 4
        ratings = [f"=INDEX(Weekly!$B${week + 2}:$G${week + 2},MATCH({name}{row},Weekly!$B$1:$G$1,0))" for name in "BC"]
        share = f"=1/(1+10^((F{row}-E{row})/400))"
        sheet.append([week + 1, *pair(row), row % 3 / 2, *ratings, share, f"=24*(D{row}-G{row})"])
    table.append(["Week", *PLAYERS])
    table.append(["Start", *[1200] * 6])
    for week in range(9):
        first, last, sign = 2 + 4 * week, 5 + 4 * week, "+" if week == turned else "-"
        won, lost = (f"SUMIF(Sheet!${c}${first}:${c}${last},{{0}}$1,Sheet!$H${first}:$H${last})" for c in "BC")
        table.append([week + 1, *(f"={c}{week + 2}+{won}{sign}{lost}".format(c) for c in "BCDEFG")])
    return book


def test_a_week_whose_formulas_are_built_otherwise_is_told(tmp_path: Path) -> None:
    assert ("ES108", "Weekly!B7:G7") in told(weekly(turned=4), tmp_path / "turned.xlsx")


@pytest.mark.parametrize(("base", "found"), [("10", []), ("2", [("ES128", "Sheet!D4:D13")])])
def test_a_power_of_another_number_than_ten_over_400_is_told_of_one_players_games(
    tmp_path: Path, base: str, found: list[tuple[str, str]]
) -> None:
    book = Workbook()
    sheet = first_sheet(book)
    sheet["A1"], sheet["B1"] = "Elo", 1520
    for column, text in enumerate(("Opponent", "Elo", "Score", "Expected"), 1):
        sheet.cell(3, column, text)
    for row in range(4, 14):
        sheet.append([PLAYERS[row % 6], 1400 + 23 * row, row % 3 / 2, f"=1/(1+{base}^((B{row}-$B$1)/400))"])
    sheet["A15"], sheet["D15"] = "New Elo", "=B1+20*(SUM(C4:C13)-SUM(D4:D13))"
    assert told(book, tmp_path / "games.xlsx") == found
