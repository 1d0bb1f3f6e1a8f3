"""What labels say and no formula follows: games on neutral ground, spans of ratings with a K of their own."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from judged import first_sheet, told
from openpyxl import Workbook

TEAMS = [f"Team {number}" for number in range(1, 7)]


def internationals(expected: str) -> Workbook:
    """A log with an edge for the home side, some games on neutral ground, and a K by the rating."""
    book = Workbook()
    sheet, config = first_sheet(book), book.create_sheet("Config")
    for row in (["Home advantage", 80], [], ["from", "K", "ratings"], [0, 40, "below 1500"], [1500, 30, "1500-1599"],
                [1600, 20, "1600–1699"], [1700, 10, "1700 and more"]):  # fmt: skip
        config.append(row)
    sheet.append(["Home", "Away", "Neutral", "Goals H", "Goals A", "Elo H", "Elo A", "E", "K H", "K A", "+ H", "+ A"])
    for number in range(40):
        row = number + 2
        one, two = TEAMS[number % 6], TEAMS[(number + 1 + number // 6 % 4) % 6]
        sums = [f"SUMIF(A$1:A{row - 1},{c}{row},K$1:K{row - 1})+SUMIF(B$1:B{row - 1},{c}{row},L$1:L{row - 1})"
                for c in "AB"]  # fmt: skip
        score = f"IF(D{row}>E{row},1,IF(D{row}=E{row},0.5,0))"
        ks = [f"=VLOOKUP({c}{row},Config!$A$4:$B$7,2,TRUE)" for c in "FG"]
        gains = [f"=I{row}*({score}-H{row})", f"=J{row}*(1-{score}-(1-H{row}))"]
        goals = [number * 7 % 4, number * 5 % 3]
        before = [f"=1500+{sums[0]}", f"=1500+{sums[1]}"]
        share = "=" + expected.replace("#", str(row))
        sheet.append([one, two, "x" if number % 7 == 3 else None, *goals, *before, share, *ks, *gains])
    return book


RIGHT = '1/(1+10^((G#-F#-IF(C#="x",0,Config!$B$1))/400))'


def test_a_column_of_neutral_games_that_nobody_reads_is_told(tmp_path: Path) -> None:
    assert told(internationals(RIGHT), tmp_path / "right.xlsx") == []
    found = told(internationals("1/(1+10^((G#-F#-Config!$B$1)/400))"), tmp_path / "wrong.xlsx")
    assert [code for code, _ in found] == ["ES121"]


def test_neutral_games_of_a_log_without_an_edge_accuse_nobody(tmp_path: Path) -> None:
    book = internationals("1/(1+10^((G#-F#)/400))")
    book["Config"]["A1"] = book["Config"]["B1"] = None
    assert told(book, tmp_path / "level.xlsx") == []


def test_a_span_that_begins_elsewhere_than_its_label_says_is_told(tmp_path: Path) -> None:
    book = internationals(RIGHT)
    book["Config"]["A6"] = 1560
    assert told(book, tmp_path / "book.xlsx") == [("ES408", "Config!A6")]


@pytest.mark.parametrize("label", ["1600–1699 (club)", "K 20", "from 1600"])
def test_another_label_accuses_nobody(label: str, tmp_path: Path) -> None:
    book = internationals(RIGHT)
    book["Config"]["C6"] = label
    assert told(book, tmp_path / "book.xlsx") == []


def matches(total: float | None = None) -> Workbook:
    """Matches of five boards below each other, with the sum of each and what the league says; rated by W − We."""
    book, dice = Workbook(), Random(2)
    sheet, members = first_sheet(book), book.create_sheet("Members")
    players = [f"Player {number}" for number in range(1, 8)]
    row = 1
    for match in range(6):
        sheet.cell(row, 1, f"Match {match + 1}")
        for column, text in enumerate(("Board", "Player", "Elo", "Opponent's", "Result", "We", "W-We"), 1):
            sheet.cell(row + 1, column, text)
        points = 0.0
        for board, player in enumerate(dice.sample(players, 5), row + 2):
            result = dice.choice((0, 0.5, 1))
            points += result
            look = f"=VLOOKUP(B{board},Members!$A$2:$B$8,2,FALSE)"
            cells = [board - row - 1, player, look, 1500 + 10 * dice.randrange(20), result,
                     f"=1/(1+10^((D{board}-C{board})/400))", f"=E{board}-F{board}"]  # fmt: skip
            for column, value in enumerate(cells, 1):
                sheet.cell(board, column, value)
        sheet.cell(row + 7, 2, "Sum")
        sheet.cell(row + 7, 5, f"=SUM(E{row + 2}:E{row + 6})")
        sheet.cell(row + 8, 2, "League")
        sheet.cell(row + 8, 5, points if total is None or match != 3 else points + total)
        row += 10
    members.append(["Player", "Elo", "K", "Sum", "New"])
    for at, player in enumerate(players, 2):
        sums = f"=SUMIF(Sheet!$B$3:$B${row},A{at},Sheet!$G$3:$G${row})"
        members.append([player, 1500 + 25 * at, 20 if at % 2 else 40, sums, f"=ROUND(B{at}+C{at}*D{at},0)"])
    return book


def test_results_that_the_total_below_them_contradicts_are_told(tmp_path: Path) -> None:
    assert told(matches(), tmp_path / "sound.xlsx") == []
    assert told(matches(0.5), tmp_path / "wrong.xlsx") == [("ES408", "Sheet!E33:E37")]
