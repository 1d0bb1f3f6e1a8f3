"""Changes without an expectation or a K, lists that go on from the wrong one, and what stands behind a failing name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE

FOUR = [f"Player {at}" for at in range(1, 5)]
# home, away, goals of both
GAMES = [
    (1, 2, 3, 1), (3, 4, 0, 2), (1, 3, 1, 1), (4, 2, 2, 0), (2, 3, 1, 2), (4, 1, 3, 2),
    (2, 1, 1, 0), (3, 1, 2, 0), (4, 3, 1, 1), (1, 4, 2, 1), (3, 2, 0, 1), (2, 4, 1, 3),
]  # fmt: skip
STARTS = (1500, 1620, 1440, 1555)

Change = Callable[[Worksheet], None]


def sheet_of(book: Workbook) -> Worksheet:
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    return sheet


def loud(path: Path) -> dict[str, tuple[str, str | None]]:
    """What is told above a note: code and fix by the place."""
    verdict = validate(path)
    told = {one.range: (one.code, one.fix) for one in verdict.findings if one.severity != NOTE}
    assert told or verdict.status == "agrees", verdict.reason
    return told


def desk(path: Path, change: str) -> Path:
    """Games that are each worked out by themselves, with both sides' new ratings."""
    book = Workbook()
    sheet = sheet_of(book)
    sheet.append(["K", 20])
    sheet.append(["White", "Black", "Elo W", "Elo B", "Result", "Exp.", "+/- W", "New W", "+/- B", "New B"])
    for row, (one, two, won, lost) in enumerate(GAMES, 3):
        score = (won > lost) + (won == lost) / 2
        sheet.append([
            FOUR[one - 1], FOUR[two - 1], STARTS[one - 1] + row, STARTS[two - 1] - row, score,
            f"=1/(1+10^((D{row}-C{row})/400))", f"=$B$1*(E{row}-F{row})", f"=C{row}+G{row}",
            change.format(row), f"=D{row}+I{row}",
        ])  # fmt: skip
    book.save(path)
    return path


def test_a_change_that_asks_for_no_expectation_is_told_beside_one_that_does(tmp_path: Path) -> None:
    assert not loud(desk(tmp_path / "sound.xlsx", "=$B$1*(F{0}-E{0})"))
    assert loud(desk(tmp_path / "wrong.xlsx", "=$B$1*(1-E{0})")) == {"Sheet!I3:I14": ("ES117", "=$B$1*(F3-E3)")}


def months(path: Path, change: Change = lambda sheet: None) -> Path:
    """Three months of four games: all games of a month start from the ratings at its beginning."""
    book = Workbook()
    sheet = sheet_of(book)
    sheet.append([
        "Month", "Home", "Away", "H", "A", "Elo H", "Elo A", "Score", "Exp.", "Change",
        None, "Player", "Start", 1, 2, 3,
    ])  # fmt: skip
    for row, (one, two, won, lost) in enumerate(GAMES, 2):
        for column, value in zip("ABCDE", (1 + (row - 2) // 4, FOUR[one - 1], FOUR[two - 1], won, lost), strict=True):
            sheet[f"{column}{row}"] = value
        for column, who in (("F", "B"), ("G", "C")):
            sums = "".join(
                f'{sign}SUMIFS($J$1:$J{row - 1},${side}$1:${side}{row - 1},{who}{row},$A$1:$A{row - 1},"<"&A{row})'
                for sign, side in (("+", "B"), ("-", "C"))
            )
            sheet[f"{column}{row}"] = f"=VLOOKUP({who}{row},$L$2:$M$5,2,FALSE){sums}"
        sheet[f"H{row}"] = f"=IF(D{row}>E{row},1,IF(D{row}=E{row},0.5,0))"
        sheet[f"I{row}"] = f"=1/(1+10^((G{row}-F{row})/400))"
        sheet[f"J{row}"] = f"=24*(H{row}-I{row})"
    for row, (name, start) in enumerate(zip(FOUR, STARTS, strict=True), 2):
        sheet[f"L{row}"], sheet[f"M{row}"] = name, start
        for column in "NOP":
            sheet[f"{column}{row}"] = listed(column, row, chr(ord(column) - 1))
    change(sheet)
    book.save(path)
    return path


def listed(column: str, row: int, before: str) -> str:
    """A list's rating: the one in the list before and what the month's games gave."""
    sums = "".join(
        f"{sign}SUMIFS($J$2:$J$13,${side}$2:${side}$13,$L{row},$A$2:$A$13,{column}$1)"
        for sign, side in (("+", "B"), ("-", "C"))
    )
    return f"={before}{row}{sums}"


def begin(column: str) -> Change:
    def changed(sheet: Worksheet) -> None:
        for row in range(2, 6):
            sheet[f"{column}{row}"] = listed(column, row, "M")

    return changed


def test_months_agree_where_each_list_goes_on_from_the_one_before(tmp_path: Path) -> None:
    assert not loud(months(tmp_path / "months.xlsx"))


@pytest.mark.parametrize("column", ["O", "P"])
def test_a_month_that_begins_from_the_start_again_is_told(column: str, tmp_path: Path) -> None:
    told = loud(months(tmp_path / "months.xlsx", begin(column)))
    ((code, fix),) = (said for place, said in told.items() if place == f"Sheet!{column}2:{column}5")
    assert code == "ES106"
    assert fix == listed(column, 2, chr(ord(column) - 1))


def test_the_first_game_of_a_log_may_be_the_one_with_a_wrong_name(tmp_path: Path) -> None:
    def misspelt(sheet: Worksheet) -> None:
        sheet["C2"] = "Playeer 2"

    assert "ES402" in {code for code, _ in loud(months(tmp_path / "months.xlsx", misspelt)).values()}


def test_a_blank_behind_a_name_of_the_list_is_told_where_it_stands(tmp_path: Path) -> None:
    def blank(sheet: Worksheet) -> None:
        sheet["L2"] = "Player 1 "

    told = loud(months(tmp_path / "months.xlsx", blank))
    assert told["Sheet!L2"][0] == "ES412"


def rows_of_two(path: Path, after: str, change: Change = lambda sheet: None) -> Path:
    """A row for each side of a game, whose rating after is looked up by his name; a list of the latest beside it."""
    book = Workbook()
    sheet = sheet_of(book)
    sheet.append(["Player", "Opponent", "Score", "Elo", "Opp.", "Exp.", "Change", "New", None, "Name", "Start", "Now"])
    for game, (one, two, won, lost) in enumerate(GAMES):
        for at, (own, other, score) in enumerate((
            (one, two, (won > lost) + (won == lost) / 2), (two, one, (won < lost) + (won == lost) / 2),
        )):  # fmt: skip
            row, above = 2 + 2 * game + at, 1 + 2 * game
            latest = "=IFERROR(LOOKUP(2,1/($A$1:$A{0}={1}),$H$1:$H{0}),VLOOKUP({1},$J$2:$K$5,2,FALSE))"
            values = (
                FOUR[own - 1], FOUR[other - 1], score, latest.format(above, f"A{row}"), latest.format(above, f"B{row}"),
                f"=1/(1+10^((E{row}-D{row})/400))", f"=20*(C{row}-F{row})", after.format(row),
            )  # fmt: skip
            for column, value in zip("ABCDEFGH", values, strict=True):
                sheet[f"{column}{row}"] = value
    for row, (name, start) in enumerate(zip(FOUR, STARTS, strict=True), 2):
        sheet[f"J{row}"], sheet[f"K{row}"] = name, start
        sheet[f"L{row}"] = f"=LOOKUP(2,1/($A$2:$A$25=J{row}),$H$2:$H$25)"
    change(sheet)
    book.save(path)
    return path


def test_a_new_rating_that_starts_from_the_opponents_is_told_by_whose_it_becomes(tmp_path: Path) -> None:
    assert not loud(rows_of_two(tmp_path / "sound.xlsx", "=D{0}+G{0}"))
    told = loud(rows_of_two(tmp_path / "wrong.xlsx", "=E{0}+G{0}"))
    assert told["Sheet!H2:H25"] == ("ES114", "=D2+G2")


def test_a_list_of_which_half_shows_the_start_is_told(tmp_path: Path) -> None:
    def halved(sheet: Worksheet) -> None:
        sheet["L3"], sheet["L4"] = "=K3", "=K4"

    told = loud(rows_of_two(tmp_path / "half.xlsx", "=D{0}+G{0}", halved))
    assert told == {"Sheet!L3:L4": ("ES123", "=LOOKUP(2,1/($A$2:$A$25=J3),$H$2:$H$25)")}


def one_player(path: Path, change: Change = lambda sheet: None) -> Path:
    """One player's rounds, all from the same own rating, and what they give in the end."""
    book = Workbook()
    sheet = sheet_of(book)
    sheet.append(["Rating", 1610])
    sheet.append(["Round", "Opponent", "Elo", "Score", "Exp."])
    for row, (rating, score) in enumerate(
        zip(range(1450, 1900, 45), (1, 1, 0, 0.5, 1, 0, 1, 0, 0, 0.5), strict=True), 3
    ):
        sheet.append([row - 2, f"Player {row}", rating, score, f"=1/(1+10^((C{row}-$B$1)/400))"])
    sheet["A14"], sheet["D14"], sheet["E14"] = "Sum", "=SUM(D3:D12)", "=SUM(E3:E12)"
    sheet["A15"], sheet["B15"] = "New rating", "=B1+30*(D14-E14)"
    change(sheet)
    book.save(path)
    return path


def filled(text: str, first: int, last: int) -> Change:
    def changed(sheet: Worksheet) -> None:
        for row in range(first, last + 1):
            sheet[f"E{row}"] = text.format(row)

    return changed


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [("=1/(1+10^((C{0}-$B$1)/200))", 6, 8), ("=1/(1+10^(($B$1-C{0})/400))", 7, 12)],
    ids=["a block with another scale", "turned round from a row on"],
)
def test_a_second_formula_among_the_rounds_of_one_player_is_told(
    text: str, first: int, last: int, tmp_path: Path
) -> None:
    assert not loud(one_player(tmp_path / "sound.xlsx"))
    told = loud(one_player(tmp_path / "wrong.xlsx", filled(text, first, last)))
    assert told == {f"Sheet!E{first}:E{last}": ("ES129", f"=1/(1+10^((C{first}-$B$1)/400))")}


def test_a_round_with_another_formula_is_told_by_that_of_the_others(tmp_path: Path) -> None:
    told = loud(one_player(tmp_path / "wrong.xlsx", filled("=1/(10^((C{0}-$B$1)/400))", 7, 7)))
    assert {place: fix for place, (_, fix) in told.items()} == {"Sheet!E7": "=1/(1+10^((C7-$B$1)/400))"}


def journal(path: Path, change: str) -> Path:
    """One player's games one after the other, each from the rating after the last."""
    book = Workbook()
    sheet = sheet_of(book)
    sheet.append(["K", 40])
    sheet.append(["Opponent", "Elo", "Score", "Own", "Exp.", "Change", "New"])
    for row, (rating, score) in enumerate(
        zip(range(1450, 1900, 45), (1, 1, 0, 0.5, 1, 0, 1, 0, 0, 0.5), strict=True), 3
    ):
        own = 1600 if row == 3 else f"=G{row - 1}"
        expected, new = f"=1/(1+10^((B{row}-D{row})/400))", f"=D{row}+F{row}"
        sheet.append([f"Player {row}", rating, score, own, expected, change.format(row), new])
    book.save(path)
    return path


def test_a_k_that_nothing_reads_is_put_before_the_change(tmp_path: Path) -> None:
    assert not loud(journal(tmp_path / "sound.xlsx", "=$B$1*(C{0}-E{0})"))
    told = loud(journal(tmp_path / "wrong.xlsx", "=(C{0}-E{0})"))
    assert told == {"Sheet!F3:F12": ("ES120", "=$B$1*(C3-E3)")}


def season(path: Path, wins: str) -> Path:
    """A log of goals with a table that counts games, wins and draws, and takes the lost ones off."""
    book = Workbook()
    sheet = sheet_of(book)
    sheet.append([
        "Home", "H", "A", "Away", "Elo H", "Elo A", "Exp.", "Change", None,
        "Player", "Start", "Games", "Won", "Drawn", "Lost", "Points",
    ])  # fmt: skip
    for row, (one, two, won, lost) in enumerate(GAMES, 2):
        for column, value in zip("ABCD", (FOUR[one - 1], won, lost, FOUR[two - 1]), strict=True):
            sheet[f"{column}{row}"] = value
        for column, who in (("E", "A"), ("F", "D")):
            sheet[f"{column}{row}"] = (
                f"=VLOOKUP({who}{row},$J$2:$K$5,2,FALSE)+SUMIF(A$1:A{row - 1},{who}{row},H$1:H{row - 1})"
                f"-SUMIF(D$1:D{row - 1},{who}{row},H$1:H{row - 1})"
            )
        sheet[f"G{row}"] = f"=1/(1+10^((F{row}-E{row})/400))"
        sheet[f"H{row}"] = f"=20*((B{row}>C{row})+(B{row}=C{row})/2-G{row})"
    at = {"home": "($A$2:$A$13=J{0})", "away": "($D$2:$D$13=J{0})"}
    for row, (name, start) in enumerate(zip(FOUR, STARTS, strict=True), 2):
        sheet[f"J{row}"], sheet[f"K{row}"] = name, start
        sheet[f"L{row}"] = f"=COUNTIF($A$2:$A$13,J{row})+COUNTIF($D$2:$D$13,J{row})"
        sheet[f"M{row}"] = wins.format(row)
        both = f"({at['home']}+{at['away']})".format(row)
        sheet[f"N{row}"] = f"=SUMPRODUCT({both}*($B$2:$B$13=$C$2:$C$13))"
        sheet[f"O{row}"], sheet[f"P{row}"] = f"=L{row}-M{row}-N{row}", f"=3*M{row}+N{row}"
    book.save(path)
    return path


def test_wins_at_home_alone_are_told_once_and_not_with_what_follows_from_them(tmp_path: Path) -> None:
    at_home = "SUMPRODUCT(($A$2:$A$13=J{0})*($B$2:$B$13>$C$2:$C$13))"
    away = "SUMPRODUCT(($D$2:$D$13=J{0})*($B$2:$B$13<$C$2:$C$13))"
    assert not loud(season(tmp_path / "sound.xlsx", f"={at_home}+{away}"))
    told = loud(season(tmp_path / "wrong.xlsx", f"={at_home}"))
    assert {place.split("!")[1][0]: code for place, (code, _) in told.items()} == {"M": "ES214"}


def events(path: Path, change: Change = lambda sheet: None) -> Path:
    """One player's events below each other, each rated from the rating to which the one before led."""
    book = Workbook()
    sheet = sheet_of(book)
    sheet["A1"], sheet["B1"] = "K", 20
    for event, ratings in enumerate(((1500, 2150, 1610, 1700), (1480, 1720, 1830, 1690), (1600, 1555, 1790, 1810))):
        head = 3 + 8 * event
        sheet[f"A{head}"], sheet[f"D{head}"] = f"Event {event + 1}", "Own rating"
        sheet[f"E{head}"] = 1660 if event == 0 else f"=ROUND(E{head - 8}+F{head - 2},0)"
        for column, title in zip("ABCDEF", ("Round", "Opponent", "Elo", "Score", "Expected", "Change"), strict=True):
            sheet[f"{column}{head + 1}"] = title
        for at, (rating, score) in enumerate(zip(ratings, (1, 0, 0.5, 1), strict=True)):
            row = head + 2 + at
            apart = f"MAX(-400,MIN(400,C{row}-$E${head}))"
            values = (
                at + 1, f"Player {row}", rating, score, f"=1/(1+10^({apart}/400))", f"=ROUND($B$1*(D{row}-E{row}),1)",
            )  # fmt: skip
            for column, value in zip("ABCDEF", values, strict=True):
                sheet[f"{column}{row}"] = value
        sheet[f"E{head + 6}"], sheet[f"F{head + 6}"] = "Sum", f"=SUM(F{head + 2}:F{head + 5})"
    sheet["D27"], sheet["E27"] = "After the year", "=ROUND(E19+F25,0)"
    change(sheet)
    book.save(path)
    return path


def test_events_below_each_other_agree_each_by_its_own_rating(tmp_path: Path) -> None:
    verdict = validate(events(tmp_path / "events.xlsx"))
    assert (verdict.status, [one for one in verdict.findings if one.severity != NOTE]) == ("agrees", [])


def k_of_the_sums(sheet: Worksheet) -> None:
    """Let K be taken of the sum of each event, whose new rating stands below it and is shown by the next one."""
    for head in (3, 11, 19):
        for row in range(head + 2, head + 6):
            sheet[f"F{row}"] = f"=D{row}-E{row}"
        sheet[f"F{head + 6}"] = f"=$B$1*SUM(F{head + 2}:F{head + 5})"
        sheet[f"H{head + 6}"] = f"=ROUND(E{head}+F{head + 6},0)"
    sheet["E11"], sheet["E19"], sheet["D27"], sheet["E27"] = "=H9", "=H17", None, None


def test_k_may_be_taken_of_the_sum_of_an_event(tmp_path: Path) -> None:
    assert validate(events(tmp_path / "sound.xlsx", k_of_the_sums)).status == "agrees"

    def wrong(sheet: Worksheet) -> None:
        k_of_the_sums(sheet)
        sheet["H25"] = "=ROUND(E19+F17,0)"

    assert loud(events(tmp_path / "wrong.xlsx", wrong)).keys() == {"Sheet!H25"}


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("E27", "=ROUND(E19+F17,0)"), ("E11", "=ROUND(E3,0)+1"), ("E19", "=ROUND(E3+F17,0)"), ("F17", "=SUM(F13:F15)"),
        ("E21", "=1/(1+10^(MAX(-400,MIN(400,C21-$E$11))/400))"),
    ],
    ids=["the sum of another event", "no sum", "an event left out", "a sum without its last game", "another's own"],
)  # fmt: skip
def test_what_is_wrong_between_events_is_told(cell: str, text: str, tmp_path: Path) -> None:
    def changed(sheet: Worksheet) -> None:
        sheet[cell] = text

    told = loud(events(tmp_path / "events.xlsx", changed))
    assert any(cell in place or cell.replace("F17", "E19") in place for place in told), told


def opponents_after(sheet: Worksheet) -> None:
    """Let the second row of each game look its opponent up in the row above, which is of the same game."""
    for row in range(3, 26, 2):
        sheet[f"E{row}"] = str(sheet[f"E{row}"].value).replace(f"$A{row - 2}", f"$A{row - 1}").replace(
            f"$H{row - 2}", f"$H{row - 1}"
        )  # fmt: skip


def test_the_second_row_of_a_game_that_reads_the_first_ones_new_rating_is_told(tmp_path: Path) -> None:
    told = loud(rows_of_two(tmp_path / "leak.xlsx", "=D{0}+G{0}", opponents_after))
    assert told
    assert all(place.startswith("Sheet!E") for place in told), told


def texts(path: Path, score: str, results: tuple[str, ...], table: tuple[tuple[str, float], ...] = ()) -> Path:
    """A log of results such as 10-9, with a list of the latest ratings and their places on a sheet of its own."""
    book = Workbook()
    sheet = sheet_of(book)
    sheet.append(["Home", "Away", "Result", "Elo H", "Elo A", "Score", "Exp.", "Change"])
    for row, ((one, two, *_), result) in enumerate(zip(GAMES, results, strict=True), 2):
        for column, value in zip("ABC", (FOUR[one - 1], FOUR[two - 1], result), strict=True):
            sheet[f"{column}{row}"] = value
        for column, who in (("D", "A"), ("E", "B")):
            sheet[f"{column}{row}"] = (
                f"=VLOOKUP({who}{row},List!$A$2:$B$5,2,FALSE)+SUMIF(A$1:A{row - 1},{who}{row},H$1:H{row - 1})"
                f"-SUMIF(B$1:B{row - 1},{who}{row},H$1:H{row - 1})"
            )
        sheet[f"F{row}"] = score.format(row)
        sheet[f"G{row}"], sheet[f"H{row}"] = f"=1/(1+10^((E{row}-D{row})/400))", f"=20*(F{row}-G{row})"
    for row, (text, worth) in enumerate(table, 2):
        sheet[f"J{row}"], sheet[f"K{row}"] = text, worth
    players = book.create_sheet("List")
    players.append(["Player", "Start", "Now", "Place"])
    for row, (name, start) in enumerate(zip(FOUR, STARTS, strict=True), 2):
        sums = f"SUMIF(Sheet!$A$2:$A$13,A{row},Sheet!$H$2:$H$13)-SUMIF(Sheet!$B$2:$B$13,A{row},Sheet!$H$2:$H$13)"
        players.append([name, start, f"=B{row}+{sums}", f"=RANK(C{row},$C$2:$C$5)"])
    book.save(path)
    return path


GOALS = ("10-9", "3-12", "7-7", "9-10", "8-4", "11-9", "6-10", "9-3", "10-10", "4-9", "12-8", "2-5")
SETS = ("3:2", "3:0", "1:3", "2:3", "3:1", "0:3", "3:2", "2:3", "3:0", "0:3", "1:3", "3:1")
WORTH = (("3:0", 1.0), ("3:1", 0.85), ("3:2", 0.65), ("2:3", 0.35), ("1:3", 0.15), ("0:3", 0.0))
BY_VALUE = (
    '=IF(VALUE(LEFT(C{0},FIND("-",C{0})-1))>VALUE(MID(C{0},FIND("-",C{0})+1,3)),1,'
    'IF(VALUE(LEFT(C{0},FIND("-",C{0})-1))=VALUE(MID(C{0},FIND("-",C{0})+1,3)),0.5,0))'
)


def test_goals_that_are_compared_as_texts_are_told(tmp_path: Path) -> None:
    assert not loud(texts(tmp_path / "sound.xlsx", BY_VALUE, GOALS))
    told = loud(texts(tmp_path / "wrong.xlsx", BY_VALUE.replace("VALUE", ""), GOALS))
    assert {place: code for place, (code, _) in told.items()} == {"Sheet!F2:F13": "ES127"}


def test_a_table_of_sets_whose_results_do_not_sum_to_one_is_told(tmp_path: Path) -> None:
    look_up = "=VLOOKUP(C{0},$J$2:$K$7,2,FALSE)"
    assert not loud(texts(tmp_path / "sound.xlsx", look_up, SETS, WORTH))
    swapped = tuple((text, 0.53 if text == "2:3" else worth) for text, worth in WORTH)
    wrong = validate(texts(tmp_path / "wrong.xlsx", look_up, SETS, swapped))
    (said,) = (one.message for one in wrong.findings if one.code == "ES127")
    assert "0.53" in said
    assert "do not sum to one" in said


def on_the_list(path: Path, cells: dict[str, object]) -> Path:
    """A sound log of results whose list is changed in some cells."""
    texts(path, BY_VALUE, GOALS)
    book = load_workbook(path)
    for cell, value in cells.items():
        book["List"][cell] = value
    book.save(path)
    return path


def test_places_by_a_range_that_slides_are_told_with_one_that_stands(tmp_path: Path) -> None:
    sliding = {f"D{row}": f"=RANK(C{row},C{row}:C{row + 3})" for row in range(2, 6)}
    assert loud(on_the_list(tmp_path / "wrong.xlsx", sliding)) == {"List!D2:D5": ("ES125", "=RANK(C2,$C$2:$C$5)")}


def test_a_rating_that_was_pasted_on_the_list_is_told(tmp_path: Path) -> None:
    cells: dict[str, object] = {"C4": 1433.2}
    for row in (6, 7):  # newcomers
        sums = f"SUMIF(Sheet!$A$2:$A$13,A{row},Sheet!$H$2:$H$13)-SUMIF(Sheet!$B$2:$B$13,A{row},Sheet!$H$2:$H$13)"
        cells |= {f"A{row}": f"Player {row}", f"B{row}": 1500, f"C{row}": f"=B{row}+{sums}"}
    ((place, (code, fix)),) = loud(on_the_list(tmp_path / "wrong.xlsx", cells)).items()
    assert (place, code) == ("List!C4", "ES201")
    assert str(fix).startswith("=B4+SUMIF(")


def test_a_k_that_is_halved_for_single_players_is_told(tmp_path: Path) -> None:
    halved = {row: f"=$K$1/2*(F{row}-G{row})" for row in range(2, 14)}
    book = load_workbook(texts(tmp_path / "wrong.xlsx", BY_VALUE, GOALS))
    book["Sheet"]["J1"], book["Sheet"]["K1"] = "K", 40
    for row, text in halved.items():
        book["Sheet"][f"H{row}"] = text
    book.save(tmp_path / "wrong.xlsx")
    assert loud(tmp_path / "wrong.xlsx") == {"Sheet!H2:H13": ("ES120", "=$K$1*(F2-G2)")}


def test_a_margin_with_the_numbers_of_a_rule_takes_its_logarithm(tmp_path: Path) -> None:
    margin = "=20*(F{0}-G{0})*{1}(MAX(ABS(J{0}),1)+1)*2.2/(ABS(D{0}-E{0})*0.001+2.2)"
    for logarithm in ("LN", "LOG10"):
        book = load_workbook(texts(tmp_path / f"{logarithm}.xlsx", BY_VALUE, GOALS))
        for row, (*_, won, lost) in enumerate(GAMES, 2):
            book["Sheet"][f"J{row}"], book["Sheet"][f"H{row}"] = won - lost, margin.format(row, logarithm)
        book.save(tmp_path / f"{logarithm}.xlsx")
    assert not any("logarithm" in one.message for one in validate(tmp_path / "LN.xlsx").findings)
    told = [one for one in validate(tmp_path / "LOG10.xlsx").findings if "logarithm" in one.message]
    assert [(one.code, one.range, one.fix) for one in told] == [("ES108", "Sheet!H2:H13", margin.format(2, "LN"))]


def test_a_letter_that_no_formula_knows_is_behind_the_errors_below_it(tmp_path: Path) -> None:
    book = load_workbook(journal(tmp_path / "wrong.xlsx", "=$B$1*(C{0}-E{0})"))
    sheet = sheet_of(book)
    for row in range(3, 13):
        sheet[f"H{row}"] = "R" if row == 5 else "WDL"[row % 3]
        sheet[f"C{row}"] = f'=IFS(H{row}="W",1,H{row}="D",0.5,H{row}="L",0)'.replace("IFS", "_xlfn.IFS")
    book.save(tmp_path / "wrong.xlsx")
    assert loud(tmp_path / "wrong.xlsx")["Sheet!H5"][0] == "ES408"


def test_headings_a_and_b_are_no_players_who_have_won(tmp_path: Path) -> None:
    winners = tuple("A" if won > lost else "B" for *_, won, lost in GAMES)
    book = load_workbook(texts(tmp_path / "letters.xlsx", '=IF(C{0}="A",1,0)', winners))
    book["Sheet"]["A1"], book["Sheet"]["B1"] = "A", "B"
    book.save(tmp_path / "letters.xlsx")
    assert not loud(tmp_path / "letters.xlsx")
