"""Rows between games are no faults: byes, bonuses, walkovers, headings, totals; what is wrong beside them is told."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from judged import first_sheet, told
from openpyxl import Workbook
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

PLAYERS = [f"Player {number}" for number in range(1, 9)]
BETWEEN = ("", "blank", "title", "heading", "total")  # rows without a player
GAMES, EVERY = 60, 15  # each fifteenth game is followed by a row of another kind, or is one
E = "1/(1+10^(({other}-{own})/400))"


def _games(seed: int) -> Iterator[tuple[int, str, str, float]]:
    chance = random.Random(seed)
    for number in range(1, GAMES + 1):
        one, two = chance.sample(PLAYERS, 2)
        yield number, one, two, chance.choice((1, 0, 0.5, 1))


def _between(sheet: Worksheet, kind: str, first: int) -> bool:
    """Write a row between games; False where the next game is one of the kind, or the kind is no row."""
    row = sheet.max_row + 1
    if kind in ("blank", "title"):
        sheet.cell(row + 1 if kind == "blank" else row, 1, "Second half")
    elif kind == "heading":
        for column in range(1, 9):
            sheet.cell(row, column, sheet.cell(1, column).value)
    elif kind == "total":
        sheet.cell(row, 1, "Games")
        sheet.cell(row, 4, f"=COUNT(D{first}:D{row - 1})")
    return kind in BETWEEN[1:]


def pool(kind: str) -> Workbook:
    """A log whose ratings are a start and the sums of earlier changes, with a list of players."""
    book = Workbook()
    sheet, players = first_sheet(book), book.create_sheet("Players")
    name, last = sheet.title, GAMES + 30
    players.append(["Player", "Start", "Now"])
    for row, player in enumerate(PLAYERS, 2):
        ranges = [f"{name}!{c}$2:{c}${last}" for c in "BCH"]
        now = f"=B{row}+SUMIF({ranges[0]},A{row},{ranges[2]})-SUMIF({ranges[1]},A{row},{ranges[2]})"
        players.append([player, 1200 + 40 * row, now])
    sheet.append(["No", "A", "B", "Result", "Elo A", "Elo B", "Expected", "Change", "Remark"])
    first = 2
    for number, one, two, result in _games(3):
        if number % EVERY == 0 and _between(sheet, kind, first):
            first = sheet.max_row + 1
        row = sheet.max_row + 1

        def rating(column: str, row: int = row) -> str:
            start = f"VLOOKUP({column}{row},Players!$A$2:$B$9,2,FALSE)"
            sums = [f"SUMIF({c}$1:{c}{row - 1},{column}{row},H$1:H{row - 1})" for c in "BC"]
            return f"{start}+{sums[0]}-{sums[1]}"

        odd = number % EVERY == 0
        expected, change = f"1/(1+10^((F{row}-E{row})/400))", f"20*(D{row}-G{row})"
        if kind == "bonus" and odd:
            sheet.append([number, one, None, None, f"={rating('B')}", None, None, 10, "bonus"])
            continue
        cells = [number, one, two, result, f"={rating('B')}", f"={rating('C')}", f"={expected}", f"={change}", None]
        if kind in ("bye", "–", ""):
            if odd and kind:
                cells[2] = kind
            cells[5:8] = [f'=IF(C{row}="{kind}","",{rating("C")})', f'=IF(C{row}="{kind}","",{expected})',
                          f'=IF(C{row}="{kind}",0,{change})']  # fmt: skip
        if kind in ("friendly", "walkover"):
            cells[7:] = [f'=IF(I{row}<>"",0,{change})', kind if odd else None]
        sheet.append(cells)
    return book


def lines(kind: str) -> Workbook:
    """A log with a line for each player of a game."""
    book = Workbook()
    sheet = first_sheet(book)
    sheet.append(["Game", "Player", "Opponent", "Points", "Before", "Other", "Expected", "Change", "After", "Remark"])
    first = 2
    for number, one, two, result in _games(4):
        odd = number % EVERY == 0
        if odd and _between(sheet, kind, first):
            first = sheet.max_row + 1
        sides = [(one, two, result), (two, one, 1 - result)]
        sides = [(one, "spielfrei", 1)] if kind == "spielfrei" and odd else sides
        for side, (player, opponent, points) in enumerate(sides):
            row = sheet.max_row + 1
            above = row - side - 1
            before = f"=IFERROR(LOOKUP(2,1/(B$1:B{above}=B{row}),I$1:I{above}),1500)" if above > 1 else 1500
            change = f"32*(D{row}-G{row})"
            change = f'=IF(J{row}="",{change},0)' if kind in ("friendly", "walkover") else f"={change}"
            cells = [f"=E{row - 1 if side else row + 1}", f"=1/(1+10^((F{row}-E{row})/400))", change]
            cells = [None, None, 0] if len(sides) == 1 else cells
            remark = kind if kind in ("friendly", "walkover") and odd else None
            sheet.append([number, player, opponent, points, before, *cells, f"=E{row}+H{row}", remark])
        if kind == "bonus" and odd:
            row = sheet.max_row + 1
            before = f"=IFERROR(LOOKUP(2,1/(B$1:B{row - 1}=B{row}),I$1:I{row - 1}),1500)"
            sheet.append([None, one, None, None, before, None, None, 10, f"=E{row}+H{row}", "bonus"])
    return book


def columns(kind: str) -> Workbook:
    """A log with a column for each player's rating."""
    book = Workbook()
    sheet = first_sheet(book)
    sheet.append(["No", "A", "B", "Score", "Expected", "Gain", *PLAYERS, "Remark"])
    sheet.append([*[None] * 6, *[1500] * len(PLAYERS)])
    first, above = 3, 2
    for number, one, two, result in _games(7):
        odd = number % EVERY == 0
        if odd and _between(sheet, kind, first):
            first = sheet.max_row + 1
        row = sheet.max_row + 1
        looked = [f"INDEX(G{above}:N{above},MATCH({c}{row},G$1:N$1,0))" for c in "BC"]
        expected, gain = f"1/(1+10^(({looked[1]}-{looked[0]})/400))", f"24*(D{row}-E{row})"
        cells = [number, one, two, result, f"={expected}", f"={gain}"]
        if kind in ("bye", "–", ""):
            cells[2] = kind if odd and kind else two
            cells[4:] = [f'=IF(C{row}="{kind}","",{expected})', f'=IF(C{row}="{kind}",0,{gain})']
        if kind == "walkover":
            cells[5] = f'=IF(O{row}="",{gain},0)'
        if kind == "bonus" and odd:
            cells = [number, one, None, "bonus", None, 10]
        carried = (f"={c}{above}+IF($B{row}={c}$1,$F{row},0)-IF($C{row}={c}$1,$F{row},0)"
                   for c in map(get_column_letter, range(7, 15)))  # fmt: skip
        sheet.append([*cells, *carried, kind if kind == "walkover" and odd else None])
        above = row
    return book


LAYOUTS: dict[Callable[[str], Workbook], tuple[str, ...]] = {
    pool: (*BETWEEN, "bye", "–", "bonus", "friendly", "walkover"),
    lines: (*BETWEEN, "spielfrei", "bonus", "friendly", "walkover"),
    columns: (*BETWEEN, "bye", "–", "bonus", "walkover"),
}
CASES = [(layout, kind) for layout, kinds in LAYOUTS.items() for kind in kinds]


@pytest.mark.parametrize(("layout", "kind"), CASES, ids=[f"{one.__name__}-{kind or 'plain'}" for one, kind in CASES])
def test_what_stands_between_games_is_no_fault(layout: Callable[[str], Workbook], kind: str, tmp_path: Path) -> None:
    assert told(layout(kind), tmp_path / "sound.xlsx") == []
    book = layout(kind)
    sheet = first_sheet(book)
    place = "F24" if layout is columns else "H24"
    k = "24*" if layout is columns else "32*" if layout is lines else "20*"
    sheet[place] = str(sheet[place].value).replace(k, "42*")
    assert [where.rpartition("!")[2] for _, where in told(book, tmp_path / "wrong.xlsx")] == [place]


def test_a_bonus_typed_as_a_text_is_told(tmp_path: Path) -> None:
    book = pool("bonus")
    sheet = first_sheet(book)
    row = next(row for row in range(2, sheet.max_row) if sheet.cell(row, 9).value == "bonus")
    sheet.cell(row, 8, "10")
    assert ("ES410", f"{sheet.title}!H{row}") in told(book, tmp_path / "book.xlsx")


def test_a_line_that_names_another_opponent_than_the_player_of_the_other_line_is_told(tmp_path: Path) -> None:
    book = lines("")
    sheet = first_sheet(book)
    names = {str(sheet[place].value) for place in ("B41", "C41")}
    sheet["C41"] = next(player for player in PLAYERS if player not in names)
    assert told(book, tmp_path / "book.xlsx") == [("ES408", f"{sheet.title}!C41")]


def test_a_season_that_begins_with_another_row_than_the_last_game_is_told(tmp_path: Path) -> None:
    book = columns("friendly")
    sheet = first_sheet(book)
    old, names = sheet.max_row, list(map(get_column_letter, range(7, 15)))
    for reset in (old + 1, 2 * old):
        row, last = sheet.max_row + 1, sheet.max_row
        sheet.append(["Reset", *[None] * 5, *(f"=1500+0.5*({c}{last}-1500)" for c in names)])
        for number, one, two, result in [*_games(reset)][:30]:
            row = sheet.max_row + 1
            looked = [f"INDEX(G{row - 1}:N{row - 1},MATCH({c}{row},G$1:N$1,0))" for c in "BC"]
            carried = (f"={c}{row - 1}+IF($B{row}={c}$1,$F{row},0)-IF($C{row}={c}$1,$F{row},0)" for c in names)
            share, gain = f"=1/(1+10^(({looked[1]}-{looked[0]})/400))", f"=24*(D{row}-E{row})"
            sheet.append([number, one, two, result, share, gain, *carried])
    second = next(row for row in range(old + 5, sheet.max_row) if sheet.cell(row, 1).value == "Reset")
    for column in "BC":
        sheet[f"{column}{second - 1}"] = "Player 1" if column == "B" else "Player 3"
    assert told(book, tmp_path / "sound.xlsx") == []
    sheet[f"I{second}"] = f"=1500+0.5*(I{second - 2}-1500)"
    assert ("ES123", f"{sheet.title}!I{second}") in told(book, tmp_path / "wrong.xlsx")


def test_a_margin_of_added_goals_is_told(tmp_path: Path) -> None:
    book, chance = Workbook(), random.Random(5)
    sheet = first_sheet(book)
    sheet.append(["Home", "Away", "Goals H", "Goals A", "Margin", "Factor", "Elo H", "Elo A", "Expected", "Change"])
    for row, (_, one, two, _) in enumerate(_games(9), 2):
        ratings = [f"=1500+SUMIF(A$1:A{row - 1},{c}{row},J$1:J{row - 1})-SUMIF(B$1:B{row - 1},{c}{row},J$1:J{row - 1})"
                   for c in "AB"]  # fmt: skip
        change = f"=20*F{row}*(IF(C{row}>D{row},1,IF(C{row}=D{row},0.5,0))-I{row})"
        factor = f"=IF(E{row}<2,1,IF(E{row}=2,1.5,(11+E{row})/8))"
        goals = chance.randint(0, 5), chance.randint(0, 4)
        expected = f"=1/(1+10^((H{row}-G{row})/400))"
        sheet.append([one, two, *goals, f"=ABS(C{row}-D{row})", factor, *ratings, expected, change])
    assert told(book, tmp_path / "sound.xlsx") == []
    for row in range(2, GAMES + 2):
        sheet[f"E{row}"] = f"=ABS(C{row}+D{row})"
    assert told(book, tmp_path / "wrong.xlsx") == [("ES103", f"{sheet.title}!E2:E{GAMES + 1}")]
