"""Books after recipes that are public: what was once taken for a mistake in them, and mistakes that were not seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from judged import first_sheet, told
from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet

PLAYERS = [f"Player {number}" for number in range(1, 7)]
GAMES = range(60)


def pair(number: int) -> tuple[str, str]:
    return PLAYERS[number % 6], PLAYERS[(number + 1 + number // 6 % 4) % 6]


def before(name: str, row: int, start: str) -> str:
    won, lost = (f"SUMIF({c}$1:{c}{row - 1},{name}{row},H$1:H{row - 1})" for c in "BC")
    return f"={start}+{won}-{lost}"


def league(result: Callable[[int], Sequence[object]], change: str, start: str = "1500") -> Workbook:
    """Sixty games: D and what else the result needs is typed, E and F are the ratings, G the chance, H the change."""
    book = Workbook()
    sheet = first_sheet(book)
    sheet.append(["Game", "Home", "Away", "Result", "Elo home", "Elo away", "Chance", "Change", "Points", "Against"])
    for number in GAMES:
        row = number + 2
        told, *beside = result(number)
        ratings = [before(name, row, start) for name in "BC"]
        chance = f"=1/(1+10^((F{row}-E{row})/400))"
        sheet.append([number + 1, *pair(number), told, *ratings, chance, "=" + change.format(row), *beside])
    return book


def favourites(number: int) -> list[object]:
    return [pair(number)[number % 3 == 0]]


BY_NAME = "20*(IF(D{0}=B{0},1,0)-G{0})"


def test_a_winner_who_is_neither_side_is_told(tmp_path: Path) -> None:
    book = league(favourites, BY_NAME)
    assert told(book, tmp_path / "sound.xlsx") == []
    sheet = first_sheet(book)
    sheet["D20"], sheet["D31"] = f"{sheet['B20'].value}x", next(p for p in PLAYERS if p not in pair(29))
    assert {place for _, place in told(book, tmp_path / "wrong.xlsx")} == {"Sheet!D20", "Sheet!D31"}


def goals(number: int) -> list[object]:
    ours, theirs = number % 4, (number // 2 + 1) % 3
    return ["", ours, theirs]


BY_MARGIN = "20*K{0}*(IF(I{0}>J{0},1,IF(I{0}=J{0},0.5,0))-G{0})"


def with_margin(draws: str) -> Workbook:
    book = league(goals, BY_MARGIN)
    sheet = first_sheet(book)
    sheet["K1"] = "Margin"
    for number in GAMES:
        row = number + 2
        is_draw = sheet[f"I{row}"].value == sheet[f"J{row}"].value
        sheet[f"K{row}"] = draws if is_draw else f"=LN(ABS(I{row}-J{row})+1)"
    return book


def test_draws_may_have_a_margin_of_their_own_where_the_others_would_give_nothing(tmp_path: Path) -> None:
    assert told(with_margin("=LN(2)"), tmp_path / "sound.xlsx") == []


def test_an_event_that_is_named_in_a_formula_is_no_player(tmp_path: Path) -> None:
    book = league(favourites, '20*IF(I{0}="Slam",1.1,1)*(IF(D{0}=B{0},1,0)-G{0})')
    sheet = first_sheet(book)
    for number in GAMES:
        sheet[f"I{number + 2}"] = ("Slam", "Masters", "Open", "Cup", "Final")[number % 5]
    assert told(book, tmp_path / "events.xlsx") == []


def test_guests_whom_the_formulas_know_stand_on_no_list(tmp_path: Path) -> None:
    book = league(favourites, BY_NAME)
    sheet, players = first_sheet(book), book.create_sheet("Players")
    for number in (3, 17, 40):
        sheet[f"C{number + 2}"] = f"Guest {number}"
        sheet[f"D{number + 2}"] = pair(number)[0]
    for row in range(2, 62):
        for name, rating in zip("BC", "EF", strict=True):
            rest = str(sheet[f"{rating}{row}"].value)[1:]
            sheet[f"{rating}{row}"] = f'=IF(LEFT({name}{row},5)="Guest",1200,{rest})'
    players.append(["Player", "Elo"])
    for row, player in enumerate(PLAYERS, 2):
        won, lost = (f"SUMIF(Sheet!{c}$2:{c}$61,A{row},Sheet!H$2:H$61)" for c in "BC")
        players.append([player, f"=1500+{won}-{lost}"])
    assert told(book, tmp_path / "guests.xlsx") == []


def seasons(share: str, label: str = "Part of last year kept") -> Workbook:
    book = league(favourites, BY_NAME)
    table = book.create_sheet("Next season")
    table.append(["Player", "End", "Start", label, 0.75])
    for row, player in enumerate(PLAYERS, 2):
        won, lost = (f"SUMIF(Sheet!{c}$2:{c}$61,A{row},Sheet!H$2:H$61)" for c in "BC")
        table.append([player, f"=1500+{won}-{lost}", "=" + share.format(row)])
    return book


KEPT = "$E$1*B{0}+(1-$E$1)*1500"
FALLEN = "(1-$E$1)*B{0}+$E$1*1500"


@pytest.mark.parametrize(("label", "sound", "wrong"), [
    ("Part of last year kept", KEPT, FALLEN),
    ("Regression to the mean", FALLEN, KEPT),
])  # fmt: skip
def test_what_a_new_season_keeps_is_what_its_label_says(tmp_path: Path, label: str, sound: str, wrong: str) -> None:
    assert told(seasons(sound, label), tmp_path / "sound.xlsx") == []
    places = [place for _, place in told(seasons(wrong, label), tmp_path / "wrong.xlsx")]
    assert places == ["'Next season'!C2:C7"]


def test_one_start_of_another_number_is_told_where_it_is_a_slip(tmp_path: Path) -> None:
    book = league(favourites, BY_NAME, start="VLOOKUP({}{},Players!A$2:B$7,2,0)")
    sheet, players = first_sheet(book), book.create_sheet("Players")
    for row in range(2, 62):
        for name, rating in zip("BC", "EF", strict=True):
            sheet[f"{rating}{row}"] = str(sheet[f"{rating}{row}"].value).replace("{}{}", f"{name}{row}")
    players.append(["Player", "Start", "Elo"])
    for row, player in enumerate(PLAYERS, 2):
        won, lost = (f"SUMIF(Sheet!{c}$2:{c}$61,A{row},Sheet!H$2:H$61)" for c in "BC")
        players.append([player, 1200, f"=B{row}+{won}-{lost}"])
    assert told(book, tmp_path / "sound.xlsx") == []
    players["B4"] = 1350  # somebody may start higher
    assert told(book, tmp_path / "strong.xlsx") == []
    players["B4"] = 1020
    assert [place for _, place in told(book, tmp_path / "wrong.xlsx")] == ["Players!B4"]


def pods(strength: str = "10^(G{0}/400)+10^(H{0}/400)+10^(I{0}/400)") -> Workbook:
    """Sixty games of three, of which one wins all: B to D who plays, E who won."""
    book = Workbook()
    sheet = first_sheet(book)
    sheet.append(["Game", "One", "Two", "Three", "Winner", "K", "R1", "R2", "R3", "All", "E1", "E2", "E3", *"XYZ"])
    sheet["F2"] = 24
    for number in GAMES:
        row, (one, two) = number + 2, pair(number)
        three = next(p for p in PLAYERS[number % 4 :] + PLAYERS if p not in (one, two))
        sheet[f"A{row}"] = number + 1
        for column, value in zip("BCDE", (one, two, three, (one, two, three)[number % 3]), strict=True):
            sheet[f"{column}{row}"] = value
        sheet[f"J{row}"] = "=" + strength.format(row)
        for name, rating, chance, change in zip("BCD", "GHI", "KLM", "NOP", strict=True):
            gained = "+".join(
                f"SUMIF({c}$1:{c}{row - 1},${name}{row},{d}$1:{d}{row - 1})" for c, d in zip("BCD", "NOP", strict=True)
            )
            sheet[f"{rating}{row}"] = f"=1500+{gained}"
            sheet[f"{chance}{row}"] = f"=10^({rating}{row}/400)/J{row}"
            sheet[f"{change}{row}"] = f"=$F$2*(IF({name}{row}=E{row},1,0)-{chance}{row})"
    return book


def test_the_winner_of_a_game_of_many_may_stand_there_by_name(tmp_path: Path) -> None:
    assert told(pods(), tmp_path / "sound.xlsx") == []
    book = pods()
    first_sheet(book)["E9"] = "Nobody"
    assert ("ES408", "Sheet!E9") in told(book, tmp_path / "nobody.xlsx")
    book = pods()
    first_sheet(book)["N30"] = "=$F$2*(IF(B30=E30,1,0)-L30)"
    assert "Sheet!N30" in {place for _, place in told(book, tmp_path / "wrong.xlsx")}


def bets(list_of_away: str = "$B$2:$B$7") -> Workbook:
    """Chances of home, draw and away from a list, and what a bet on each would bring at the bookmaker's odds."""
    book = Workbook()
    sheet, teams = first_sheet(book), book.create_sheet("List")
    for number, team in enumerate(PLAYERS):
        teams[f"A{number + 2}"], teams[f"B{number + 2}"] = team, 1700 - 60 * number
    sheet.append(["Home", "Away", "Elo H", "Elo A", "We", "H", "D", "A", "Odds H", "Odds D", "Odds A", *"VWX"])
    for number in range(24):
        row = number + 2
        ratings = [f"=INDEX(List!{column},MATCH({c}{row},List!$A$2:$A$7,0))" for c, column in
                   (("A", "$B$2:$B$7"), ("B", list_of_away))]  # fmt: skip
        chances = [f"=1/(1+10^((D{row}-C{row}-65)/400))", f"=E{row}-G{row}/2",
                   f"=0.28*EXP(-(((C{row}+65-D{row})/350)^2))", f"=1-F{row}-G{row}"]  # fmt: skip
        odds = [1.5 + number % 5 / 4, 3.3 + number % 3 / 5, 2.1 + number % 7 / 3]
        values = [f"={chance}{row}*{odd}{row}-1" for chance, odd in zip("FGH", "IJK", strict=True)]
        sheet.append([*pair(number), *ratings, *chances, *odds, *values])
    return book


def test_what_a_bet_brings_is_no_change_of_a_rating(tmp_path: Path) -> None:
    assert told(bets(), tmp_path / "sound.xlsx") == []


def test_a_list_that_is_read_a_row_too_high_is_told_for_the_whole_column(tmp_path: Path) -> None:
    assert [place for _, place in told(bets("$B$1:$B$6"), tmp_path / "wrong.xlsx")] == ["Sheet!D2:D25"]


def exchanged(wrong: int | None = None) -> Workbook:
    """Points that the loser hands to the winner by a table, in a column that the ratings sum up; one row is wrong."""
    book = league(favourites, "IF(D{0}=B{0},1,-1)*K{0}")
    sheet, chart = first_sheet(book), book.create_sheet("Chart")
    for points in ([0, 8, 8], [13, 7, 10], [38, 6, 13], [63, 5, 16], [88, 4, 20]):
        chart.append(points)
    for row in range(2, 62):
        sheet[f"G{row}"] = f"=ABS(E{row}-F{row})"
        fair = f"OR(AND(E{row}>=F{row},D{row}=B{row}),AND(F{row}>E{row},D{row}=C{row}))"
        look = f"VLOOKUP(G{row},Chart!$A$1:$C$5,{{}},TRUE)"
        sheet[f"K{row}"] = f"=IF({fair},{look.format(2)},{look.format(2 if row == wrong else 3)})"
    return book


def test_points_of_a_table_that_are_summed_up_are_replayed(tmp_path: Path) -> None:
    assert told(exchanged(), tmp_path / "sound.xlsx") == []
    assert [place for _, place in told(exchanged(33), tmp_path / "wrong.xlsx")] == ["Sheet!K33"]


def places_beside() -> tuple[Workbook, Worksheet]:
    """A log whose ratings are taken from the last game of each side, the row of which stands beside."""
    book = league(favourites, BY_NAME)
    sheet = first_sheet(book)
    for row in range(2, 62):
        for name, rating, (own, other) in (("B", "E", "KL"), ("C", "F", "MN")):
            for column, names in ((own, "B"), (other, "C")):
                found = f"LOOKUP(2,1/({names}$1:{names}{row - 1}={name}{row}),ROW({names}$1:{names}{row - 1}))"
                sheet[f"{column}{row}"] = f"=IFERROR({found},0)"
            last = f"IF({own}{row}>{other}{row},INDEX(O$1:O{row - 1},{own}{row}),INDEX(P$1:P{row - 1},{other}{row}))"
            sheet[f"{rating}{row}"] = f"=IF(MAX({own}{row}:{other}{row})=0,1500,{last})"
        sheet[f"O{row}"], sheet[f"P{row}"] = f"=E{row}+H{row}", f"=F{row}-H{row}"
    return book, sheet


def test_the_row_of_the_last_game_may_stand_beside_a_rating(tmp_path: Path) -> None:
    book, sheet = places_beside()
    assert told(book, tmp_path / "sound.xlsx") == []
    sheet["E40"] = "=IF(MAX(K40:L40)=0,1500,IF(K40>L40,INDEX(P$1:P39,K40),INDEX(O$1:O39,L40)))"
    assert "Sheet!E40" in {place for _, place in told(book, tmp_path / "wrong.xlsx")}


def lines(read: str = "G") -> Workbook:
    """Thirty games in two lines each, the winner first; the rating before is the one after the last line of a name."""
    book = Workbook()
    sheet = first_sheet(book)
    sheet.append(["Game", "Player", "Won", "Before", "Opponent", "Chance", "After", "K", 30])
    for number in range(30):
        for side, name in enumerate(pair(number)):
            row = 2 * number + side + 2
            start = 2 * number + 1
            before_it = f"=IFERROR(LOOKUP(2,1/(B$1:B{start}=B{row}),{read}$1:{read}{start}),1200)"
            opponent = f"=D{row + 1 - 2 * side}"
            chance, after = f"=1/(1+10^((E{row}-D{row})/400))", f"=D{row}+$I$1*(C{row}-F{row})"
            sheet.append([number + 1, name, 1 - side, before_it, opponent, chance, after])
    return book


def test_ratings_that_are_looked_up_among_those_before_never_move(tmp_path: Path) -> None:
    assert told(lines(), tmp_path / "sound.xlsx") == []
    assert [place for _, place in told(lines("D"), tmp_path / "wrong.xlsx")] == ["Sheet!D2:D61"]


def trainer(chance: str = "(1-G{0})") -> Workbook:
    """A solver and puzzles, each with a K of his own, and what each side gains in a column of its own."""
    book = Workbook()
    sheet = first_sheet(book)
    sheet.append(
        ["Day", "Solver", "Puzzle", "Solved?", "Elo", "Elo of it", "Chance", "Solver gains", "Puzzle gains", 24, 12]
    )
    for number in GAMES:
        row = number + 2
        starts = ("1400", f"INDEX(M$2:M$7,MATCH(C{row},L$2:L$7,0))")
        ratings = [f"={start}+SUMIF({c}$1:{c}{row - 1},{c}{row},{d}$1:{d}{row - 1})"
                   for start, c, d in zip(starts, "BC", "HI", strict=True)]  # fmt: skip
        gains = [f'=$J$1*((D{row}="y")-G{row})', f'=$K$1*((D{row}="n")-{chance.format(row)})']
        sheet.append([number + 1, "Me", PLAYERS[number * 7 % 6], "yynyn"[number % 5], *ratings,
                      f"=1/(1+10^((F{row}-E{row})/400))", *gains])  # fmt: skip
    for number, puzzle in enumerate(PLAYERS, 2):
        sheet[f"L{number}"], sheet[f"M{number}"] = puzzle, 1150 + 70 * number
    return book


def test_a_change_by_the_chance_of_the_other_side_is_told_where_it_is_added(tmp_path: Path) -> None:
    assert told(trainer(), tmp_path / "sound.xlsx") == []
    assert [place for _, place in told(trainer("G{0}"), tmp_path / "wrong.xlsx")] == ["Sheet!I2:I61"]


def months(k_of_march: str = "$B$1") -> Workbook:
    """A sheet for each of five months, each of which goes on from the one before, and the settings."""
    book = Workbook()
    first_sheet(book).append(["K", 20, "K of the cup", 35])
    names = ("Jan", "Feb", "Mar", "Apr", "May")
    for at, month in enumerate(names):
        sheet = book.create_sheet(month)
        sheet.append(
            ["Day", "Home", "Away", "Result", "Elo home", "Elo away", "Chance", "Change", "", "Club", "Start", "End"]
        )
        for number in range(12):
            row = number + 2
            ratings = [f"=VLOOKUP({c}{row},$J$2:$K$7,2,FALSE)+SUMIF(B$1:B{row - 1},{c}{row},H$1:H{row - 1})"
                       f"-SUMIF(C$1:C{row - 1},{c}{row},H$1:H{row - 1})" for c in "BC"]  # fmt: skip
            k = k_of_march if month == "Mar" else "$B$1"
            sheet.append([number + 1, *pair(number + 12 * at), (1, 0.5, 0)[number * (at + 2) % 3], *ratings,
                          f"=1/(1+10^((F{row}-E{row})/400))", f"=Sheet!{k}*(D{row}-G{row})"])  # fmt: skip
        for row, club in enumerate(PLAYERS, 2):
            sheet[f"J{row}"] = club
            sheet[f"K{row}"] = (
                f"=INDEX({names[at - 1]}!L$2:L$7,MATCH(J{row},{names[at - 1]}!J$2:J$7,0))" if at else 1500 + 40 * row
            )
            sheet[f"L{row}"] = f"=K{row}+SUMIF(B$2:B$13,J{row},H$2:H$13)-SUMIF(C$2:C$13,J{row},H$2:H$13)"
    return book


def test_a_sheet_whose_games_have_another_k_than_those_of_the_other_sheets_is_told(tmp_path: Path) -> None:
    assert told(months(), tmp_path / "sound.xlsx") == []
    assert [place for _, place in told(months("$D$1"), tmp_path / "wrong.xlsx")] == ["Mar!H2:H13"]


def lists(base: str = "L") -> Workbook:
    """Four months side by side: games, the mean of the opponents, points, what was expected, and the new rating."""
    book = Workbook()
    sheet = first_sheet(book)
    sheet.append(["Player", "Start", *["Games", "Mean", "Points", "Expected", "Elo"] * 4])
    for number, player in enumerate(PLAYERS):
        row = number + 2
        sheet[f"A{row}"], sheet[f"B{row}"] = player, 1400 + 45 * number
        for at, (own, n, mean, points, expected, new) in enumerate(("BCDEFG", "GHIJKL", "LMNOPQ", "QRSTUV")):
            games = 2 + (number + at) % 3
            sheet[f"{n}{row}"], sheet[f"{mean}{row}"] = games, 1450 + 30 * ((number + 2 * at) % 5)
            sheet[f"{points}{row}"] = (number * 3 + at) % (2 * games + 1) / 2
            sheet[f"{expected}{row}"] = f"={n}{row}/(1+10^(({mean}{row}-{own}{row})/400))"
            start = base if new == "Q" else own
            sheet[f"{new}{row}"] = f"=ROUND({start}{row}+20*({points}{row}-{expected}{row}),0)"
    return book


def test_a_month_that_goes_on_from_another_month_than_the_rest_is_told(tmp_path: Path) -> None:
    assert told(lists(), tmp_path / "sound.xlsx") == []
    assert [place for _, place in told(lists("G"), tmp_path / "wrong.xlsx")] == ["Sheet!Q2:Q7"]


SCORED = "20*(IF(I{0}>J{0},1,IF(I{0}=J{0},0.5,0))-G{0})"


def with_settings(*rows: Sequence[object]) -> Workbook:
    """A league by goals with a sheet of settings."""
    book = league(goals, SCORED)
    settings = book.create_sheet("Settings")
    for row in rows:
        settings.append(row)
    return book


def set_chances(book: Workbook, formula: str) -> None:
    for number in GAMES:
        first_sheet(book)[f"G{number + 2}"] = formula.format(number + 2)


@pytest.mark.parametrize(
    ("setting", "sound"),
    [
        (("Home advantage", 60), "=1/(1+10^((F{0}-E{0}-Settings!$B$2)/400))"),
        (("Scale", 150), "=1/(1+10^((F{0}-E{0})/Settings!$B$2))"),
    ],
)
def test_a_setting_that_no_expectation_reads_is_told_where_the_games_stand(
    setting: Sequence[object], sound: str, tmp_path: Path
) -> None:
    book = with_settings(("K", 20), setting, ("Start", 1500))
    for number in GAMES:
        first_sheet(book)[f"H{number + 2}"] = ("=" + SCORED).format(number + 2).replace("20*", "Settings!$B$1*")
        for column in "EF":
            text = str(first_sheet(book)[f"{column}{number + 2}"].value)
            first_sheet(book)[f"{column}{number + 2}"] = text.replace("1500", "Settings!$B$3")
    set_chances(book, sound)
    assert told(book, tmp_path / "sound.xlsx") == []
    set_chances(book, "=1/(1+10^((F{0}-E{0})/400))")
    assert [place for _, place in told(book, tmp_path / "wrong.xlsx")] == ["Sheet!G2:G61"]


def test_a_winner_of_whom_the_goals_say_otherwise_is_told_with_them(tmp_path: Path) -> None:
    book = league(goals, SCORED)
    sheet = first_sheet(book)
    for row in range(2, 62):
        ours, theirs = sheet[f"I{row}"].value, sheet[f"J{row}"].value
        sheet[f"D{row}"] = "drawn" if ours == theirs else sheet[f"{'B' if ours > theirs else 'C'}{row}"].value
    assert told(book, tmp_path / "sound.xlsx") == []
    row = next(row for row in range(20, 62) if sheet[f"I{row}"].value > sheet[f"J{row}"].value)
    sheet[f"I{row}"], sheet[f"J{row}"] = sheet[f"J{row}"].value, sheet[f"I{row}"].value
    places = ",".join(place for _, place in told(book, tmp_path / "wrong.xlsx"))
    assert f"D{row}" in places
    assert f"J{row}" in places


def test_a_remark_beside_the_only_games_of_another_formula_says_why(tmp_path: Path) -> None:
    book = with_settings(("Home advantage", 60))
    sheet = first_sheet(book)
    set_chances(book, "=1/(1+10^((F{0}-E{0}-Settings!$B$1)/400))")
    for row in (9, 23, 40):
        sheet[f"G{row}"], sheet[f"M{row}"] = f"=1/(1+10^((F{row}-E{row})/400))", "neutral"
    assert told(book, tmp_path / "sound.xlsx") == []
    sheet["M23"] = None
    assert "Sheet!G23" in {place for _, place in told(book, tmp_path / "wrong.xlsx")}


def test_parentheses_lost_in_all_expected_scores_are_told_where_nothing_else_can_be_read(tmp_path: Path) -> None:
    book = league(goals, SCORED)
    set_chances(book, "=1/(1+10^(F{0}-E{0}/400))")
    assert "Sheet!G2:G61" in {place for _, place in told(book, tmp_path / "wrong.xlsx")}


def test_a_k_that_counts_the_result_alone_is_told_though_it_goes_by_the_event(tmp_path: Path) -> None:
    book = league(goals, "K{0}*(IF(I{0}>J{0},1,IF(I{0}=J{0},0.5,0))-G{0})")
    sheet = first_sheet(book)
    for number in GAMES:
        sheet[f"K{number + 2}"] = (10, 25, 50)[number % 3]
    assert told(book, tmp_path / "sound.xlsx") == []
    for row in range(2, 62):
        sheet[f"H{row}"] = f"=K{row}*IF(I{row}>J{row},1,IF(I{row}=J{row},0.5,0))-G{row}"
    assert "Sheet!H2:H61" in {place for _, place in told(book, tmp_path / "wrong.xlsx")}


def test_a_season_that_keeps_what_a_note_says_falls_back_is_told(tmp_path: Path) -> None:
    book = league(goals, SCORED)
    first, second = first_sheet(book), book.copy_worksheet(first_sheet(book))
    second.title = "Second"
    for at, name in enumerate(PLAYERS, 2):
        first[f"N{at}"], second[f"N{at}"] = name, name
        first[f"O{at}"] = f"=1500+SUMIF(B$2:B$61,N{at},H$2:H$61)-SUMIF(C$2:C$61,N{at},H$2:H$61)"
        second[f"O{at}"] = f"=Sheet!O{at}*2/3+1500/3"
    for row in range(2, 62):
        for column in "EF":
            text = str(second[f"{column}{row}"].value)
            name = "B" if column == "E" else "C"
            second[f"{column}{row}"] = text.replace("1500", f"VLOOKUP({name}{row},$N$2:$O$7,2,FALSE)")
    second["Q1"] = "1/3 of every rating falls back to 1500"
    assert told(book, tmp_path / "sound.xlsx") == []
    for at in range(2, 8):
        second[f"O{at}"] = f"=Sheet!O{at}/3+1500*2/3"
    assert told(book, tmp_path / "wrong.xlsx") == [("ES108", "Second!O2:O7")]


@pytest.mark.parametrize("change", ["{0}*C{1}", "{0}*(C{1}-D{1})"])
def test_a_calculator_whose_changes_leave_out_the_expected_score_is_told(change: str, tmp_path: Path) -> None:
    book = Workbook()
    sheet = first_sheet(book)
    sheet.append(["Elo A", "Elo B", "Result", "Chance A", "New A", "New B"])
    for number in range(12):
        row = number + 2
        gain = change.format(32, row)
        chance = f"=1/(1+10^((B{row}-A{row})/400))"
        sheet.append([1400 + 37 * number, 1720 - 23 * number, number % 2, chance, f"=A{row}+{gain}", f"=B{row}-{gain}"])
    found = told(book, tmp_path / "book.xlsx")
    assert ("ES117" in {code for code, _ in found}) is ("D" not in change)
