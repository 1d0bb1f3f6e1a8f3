"""What clubs and leagues keep that once was taken for a mistake, and mistakes in it that once were not seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged import first_sheet, told
from openpyxl import Workbook
from openpyxl.utils import get_column_letter

from elo_sheets.validate import validate

PLAYERS = [f"Player {number}" for number in range(1, 7)]
STARTS = (1800, 1720, 1640, 1560, 1480, 1400)


def pair(number: int) -> tuple[str, str]:
    return PLAYERS[number % 6], PLAYERS[(number + 1 + number // 6 % 4) % 6]


def league(score: str, typed: tuple[list[object], ...], *, back: bool = False) -> Workbook:
    """Sixty games; `score` is of the side whose change stands there, the second named with `back`."""
    book = Workbook()
    sheet = first_sheet(book)
    sheet.append(["Round", "One", "Two", "X", "Y", "Elo one", "Elo two", "Expected", "Change"])
    signs = "-+" if back else "+-"
    for number in range(60):
        row = number + 2
        before = [
            f"=VLOOKUP({c}{row},Players!A$2:B$7,2,0){signs[0]}SUMIF(B$1:B{row - 1},{c}{row},I$1:I{row - 1})"
            f"{signs[1]}SUMIF(C$1:C{row - 1},{c}{row},I$1:I{row - 1})"
            for c in "BC"
        ]
        own, other = "GF" if back else "FG"
        share = f"=1/(1+10^(({other}{row}-{own}{row})/400))"
        change = f"=24*({score.format(row)}-H{row})"
        sheet.append([number // 6 + 1, *pair(number), *typed[number % len(typed)], *before, share, change])
    players = book.create_sheet("Players")
    players.append(["Player", "Start", "Elo"])
    for row, (name, start) in enumerate(zip(PLAYERS, STARTS, strict=True), 2):
        changes = (
            f"{sign}SUMIF(Sheet!{c}$2:{c}$61,A{row},Sheet!I$2:I$61)" for sign, c in zip(signs, "BC", strict=True)
        )
        players.append([name, start, f"=B{row}" + "".join(changes)])
    return book


def test_points_of_two_one_and_none_are_scores(tmp_path: Path) -> None:
    assert told(league("D{0}/2", ([2, 0], [1, 1], [0, 2])), tmp_path / "draughts.xlsx") == []


@pytest.mark.parametrize("weights", [(1, 1.5, 2), (1, 1, 0)])  # the first may be a friendly
def test_a_weight_of_the_game_beside_a_k_in_the_formula_is_no_k(weights: tuple[float, ...], tmp_path: Path) -> None:
    book = league("D{0}/2", ([2, 0], [1, 1], [0, 2]))
    sheet = first_sheet(book)
    for row in range(2, 62):
        sheet[f"K{row}"], sheet[f"I{row}"] = weights[row % 3], f"=24*K{row}*(D{row}/2-H{row})"
    assert told(book, tmp_path / "weighted.xlsx") == []


def test_the_visitors_may_be_named_first(tmp_path: Path) -> None:
    book = league("IF(E{0}>D{0},1,0)", ([4, 3], [1, 5], [2, 3]), back=True)
    assert told(book, tmp_path / "hockey.xlsx") == []


def test_a_ranking_by_what_players_started_from_is_told(tmp_path: Path) -> None:
    for column, found in (("C", []), ("B", [("ES213", "Ranking!B2:B7")])):
        book = league("D{0}/2", ([2, 0], [0, 2], [0, 2], [1, 1]))
        ranking = book.create_sheet("Ranking")
        ranking.append(["Place", "Player", "Elo", "Start"])
        for row in range(2, 8):
            at = f"MATCH(LARGE(Players!{column}$2:{column}$7,A{row}),Players!{column}$2:{column}$7,0)"
            shown = (f"=INDEX(Players!{c}$2:{c}$7,MATCH(B{row},Players!A$2:A$7,0))" for c in "CB")
            ranking.append([row - 1, f"=INDEX(Players!A$2:A$7,{at})", *shown])
        assert told(book, tmp_path / f"{column}.xlsx") == found


def test_a_draw_that_counts_for_one_side_only_is_told_in_any_language(tmp_path: Path) -> None:
    for draw, found in (('IF(D{0}="patta",0.5,0)', []), ("0", [("ES127", "Sheet!J2:J61")])):
        book = Workbook()
        sheet = first_sheet(book)
        sheet.append(["No", "Bianco", "Nero", "Esito", "Elo B", "Elo N", "We B", "We N", "W B", "W N", "B", "N"])
        last: dict[str, str] = {}
        for number in range(60):
            row = number + 2
            before = [last.get(name, f"={STARTS[PLAYERS.index(name)]}") for name in pair(number)]
            scores = ('=IF(D{0}="1-0",1,IF(D{0}="patta",0.5,0))', f'=IF(D{{0}}="0-1",1,{draw})')
            result = ("1-0", "patta", "0-1", "patta")[number % 4]
            shares = f"=1/(1+10^((F{row}-E{row})/400))", f"=1-G{row}"
            after = f"=E{row}+20*(I{row}-G{row})", f"=F{row}+20*(J{row}-H{row})"
            cells = [number, *pair(number), result, *before, *shares, *(one.format(row) for one in scores), *after]
            sheet.append(cells)
            last |= {name: f"={column}{row}" for name, column in zip(pair(number), "KL", strict=True)}
        assert told(book, tmp_path / "patta.xlsx") == found


def test_newcomers_are_looked_up_and_others_linked_from_a_list_above_another(tmp_path: Path) -> None:
    book = Workbook()
    sheet = first_sheet(book)
    last: dict[str, str] = {}
    for number in range(60):
        row = number + 3
        one, two = pair(number)
        before = [last.get(name, f"=O{PLAYERS.index(name) + 3}") for name in (one, two)]
        share = f"=1/(1+10^((F{row}-E{row})/400))"
        score = f"=IF(C{row}>D{row},1,IF(C{row}<D{row},0,0.5))"
        after = f"=E{row}+25*(G{row}-H{row})", f"=F{row}-25*(G{row}-H{row})"
        points = ((13, 9), (11, 11), (5, 13))[number % 3]
        for column, cell in zip("ABCDEFGHIJ", [one, two, *points, *before, score, share, *after], strict=True):
            sheet[f"{column}{row}"] = cell
        last |= {name: f"={column}{row}" for name, column in zip((one, two), "IJ", strict=True)}
    for column, heading in zip("ABCDEFGHIJ", "A B X Y old old S E new new".split(), strict=True):
        sheet[f"{column}2"] = heading
    for at, name in enumerate(PLAYERS):
        sheet[f"N{at + 3}"], sheet[f"O{at + 3}"] = name, 1500
        sheet[f"N{at + 11}"], sheet[f"O{at + 11}"] = name, last[name]
    sheet["N2"], sheet["O2"], sheet["N10"], sheet["O10"] = "Player", "Start", "At the end", "Rating"
    assert told(book, tmp_path / "linked.xlsx") == []


@pytest.mark.parametrize("bonus", ["=MAX(0,G{0}-14*SQRT(B{0}))", "=0*G{0}"])
def test_a_bonus_that_follows_from_the_change_comes_on_top_of_it(bonus: str, tmp_path: Path) -> None:
    """And so many games as a line has are no K."""
    book = Workbook()
    sheet = first_sheet(book)
    sheet.append(["Event", "Rounds", "Score", "Mean", "Before", "Expected", "Change", "Bonus", "Raw", "After"])
    for number in range(24):
        row = number + 2
        before = f"=J{row - 1}" if number else 1500
        share, change = f"=B{row}/(1+10^((D{row}-E{row})/400))", f"=32*(C{row}-F{row})"
        score, rounds, raw = 0.5 * (2 + number * 5 % 7), 4 + number % 3, f"=E{row}+G{row}+H{row}"
        mean = 1450 + number * 37 % 160
        cells = [f"Event {number}", rounds, score, mean, before, share, change, bonus.format(row), raw]
        sheet.append([*cells, f"=MAX(1300,ROUND(I{row},0))"])
    assert told(book, tmp_path / "bonus.xlsx") == []
    sheet["E15"] = "=J12"
    assert [place.rpartition("!")[2] for _, place in told(book, tmp_path / "skipped.xlsx")] == ["E15"]


def rounds() -> Workbook:
    """A double round robin: each round is rated by the list after the round before, the last one is a round, too."""
    book = Workbook()
    sheet = first_sheet(book)
    sheet.append(["Round", "White", "Black", "Score", "Elo W", "Elo B", "Expected", "White", "Black"])
    order = [*range(6)]
    lists = book.create_sheet("Lists")
    for at in range(10):
        for board in range(3):
            row = 2 + 3 * at + board
            names = [PLAYERS[order[board]], PLAYERS[order[5 - board]]][:: 1 if at < 5 else -1]
            column = "BCDEFGHIJK"[at]
            before = [f"=INDEX(Lists!{column}$2:{column}$7,MATCH({c}{row},Lists!A$2:A$7,0))" for c in "BC"]
            share, change = f"=1/(1+10^((F{row}-E{row})/400))", f"=20*(D{row}-G{row})"
            sheet.append([at + 1, *names, (row * 7 % 3) / 2, *before, share, change, f"=-H{row}"])
        order = [order[0], order[-1], *order[1:-1]]
    lists.append(["Player", "Start", *(f"R{at}" for at in range(1, 11))])
    for row, (name, start) in enumerate(zip(PLAYERS, STARTS, strict=True), 2):
        sums = []
        for at in range(10):
            first, last, before = 2 + 3 * at, 4 + 3 * at, "BCDEFGHIJK"[at]
            games = (
                f"SUMIF(Sheet!${c}${first}:${c}${last},$A{row},Sheet!${p}${first}:${p}${last})" for c, p in ("BH", "CI")
            )
            sums.append(f"={before}{row}+" + "+".join(games))
        lists.append([name, start, *sums])
    return book


def test_the_last_round_of_a_list_counts_as_the_others_do(tmp_path: Path) -> None:
    assert told(rounds(), tmp_path / "rounds.xlsx") == []


def test_a_matrix_with_a_column_of_its_own_rating_each_is_no_tournament_of_one(tmp_path: Path) -> None:
    book = Workbook()
    sheet, chances = first_sheet(book), book.create_sheet("Chances")
    sheet.append(["No", "Name", "Elo", *range(1, 7), "Points", "Expected", "Change", "New"])
    chances.append(["", *PLAYERS])
    for at, (name, start) in enumerate(zip(PLAYERS, STARTS, strict=True)):
        row = at + 2
        scores = ["X" if other == at else [0, 0.5, 1][(at - other) % 3] for other in range(6)]
        new = f"=SUM(D{row}:I{row})", f"=SUM(Chances!B{row}:G{row})", f"=10*(J{row}-K{row})", f"=C{row}+L{row}"
        sheet.append([at + 1, name, start, *scores, *new])
        shares = (
            f"=1/(1+10^((Sheet!$C${other + 2}-Sheet!$C{row})/400))" if other != at else None for other in range(6)
        )
        chances.append([name, *shares])
    for row in range(6):  # what one side scored the other did not
        for other in range(row):
            sheet.cell(row + 2, other + 4).value = 1 - float(str(sheet.cell(other + 2, row + 4).value))
    assert told(book, tmp_path / "cross.xlsx") == []


def test_months_side_by_side_go_on_from_each_other(tmp_path: Path) -> None:
    book = Workbook()
    sheet = first_sheet(book)
    sheet.append(["Player", "K", "Start", *("N", "Mean", "W", "We", "Elo") * 4])
    for at, name in enumerate(PLAYERS):
        row = at + 2
        cells: list[object] = [name, 20, STARTS[at]]
        for month in range(4):
            own = "CHMR"[month]
            n, mean, points, expected = ("DEFG", "IJKL", "NOPQ", "STUV")[month]
            games = (at + month) % 4 and 2 + (at + month) % 3
            typed: list[object] = (
                [games, 1500 + 17 * at - 40 * month, (at * 3 + month) % (2 * games + 1) / 2]
                if games
                else [0, None, None]
            )
            share = f"=IF({n}{row}=0,0,{n}{row}/(1+10^(({mean}{row}-{own}{row})/400)))"
            cells += [*typed, share, f"=ROUND({own}{row}+$B{row}*({points}{row}-{expected}{row}),0)"]
        sheet.append(cells)
    assert told(book, tmp_path / "months.xlsx") == []
    for row in range(2, 8):  # the last month goes on from the month before last
        for column in "VW":
            sheet[f"{column}{row}"] = str(sheet[f"{column}{row}"].value).replace(f"R{row}", f"M{row}")
    book.save(tmp_path / "skipped.xlsx")
    assert validate(tmp_path / "skipped.xlsx").status != "agrees"


def test_games_to_the_right_may_have_a_row_for_each_player(tmp_path: Path) -> None:
    book = Workbook()
    sheet = first_sheet(book)
    lines: list[list[object]] = [
        ["Winner", None],
        ["Loser", None],
        ["Chance", None],
        ["Points", 30],
        ["Player", "Start"],
    ]
    lines += [[name, 1000] for name in PLAYERS]
    for number in range(40):
        here, before = get_column_letter(number + 3), get_column_letter(number + 2)
        ratings = (f"INDEX({before}$6:{before}$11,MATCH({here}{row},$A$6:$A$11,0))" for row in (2, 1))
        games: list[object] = [
            *pair(number),
            "=1/(1+10^((" + "-".join(ratings) + ")/400))",
            f"=$B$4*(1-{here}3)",
            number + 1,
        ]
        games += [
            f"={before}{row}+IF({here}$1=$A{row},{here}$4,0)-IF({here}$2=$A{row},{here}$4,0)" for row in range(6, 12)
        ]
        for line, cell in zip(lines, games, strict=True):
            line.append(cell)
    for line in lines:
        sheet.append(line)
    assert told(book, tmp_path / "right.xlsx") == []
