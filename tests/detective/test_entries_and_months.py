"""Games entered twice or won by both sides, and sheets of months that do not go on from the one before."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date
from itertools import permutations
from pathlib import Path

import pytest
from judged import first_sheet, told
from openpyxl import Workbook, load_workbook

from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE, Verdict

SIX = [f"Player {at}" for at in range(1, 7)]
Game = tuple[object, str, str, float]


def loud(verdict: Verdict) -> dict[str, str]:
    return {one.range: one.code for one in verdict.findings if one.severity != NOTE}


def rounds() -> list[Game]:
    """Everybody against everybody once by the circle, three games a round; the favourite of numbers wins, or a draw."""
    found: list[Game] = []
    ring = SIX[1:]
    for number in range(1, 6):
        one = [SIX[0], *ring]
        for at in range(3):
            white, black = one[at], one[5 - at]
            score = (1.0, 0.0, 0.5, 1.0, 0.0)[(number + 2 * at) % 5]
            found.append((number, white, black, score))
        ring = [*ring[-1:], *ring[:-1]]
    return found


def running(path: Path, games: Sequence[Game], *, numbered: bool, apart: bool = False) -> Path:
    """A log in which every rating before is a sum of earlier changes; without rounds unless `numbered`.

    Rounds that are `apart` have a line between them.
    """
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet["J1"], sheet["K1"] = "K", 30
    for at, head in enumerate(("Round", "White", "Black", "Result", "Elo W", "Elo B", "Exp.", "Change"), 1):
        sheet.cell(2, at, head)
    for at, (number, white, black, score) in enumerate(games):
        row = 3 + at + (int(str(number)) if apart else 0)
        for column, value in zip("ABCD", (number if numbered else None, white, black, score), strict=True):
            sheet[f"{column}{row}"] = value
        for column, who in (("E", "B"), ("F", "C")):
            above = row - 1
            sheet[f"{column}{row}"] = (
                f"=1500+SUMIF(B$2:B{above},{who}{row},H$2:H{above})-SUMIF(C$2:C{above},{who}{row},H$2:H{above})"
            )
        sheet[f"G{row}"] = f"=1/(1+10^((F{row}-E{row})/400))"
        sheet[f"H{row}"] = f"=$K$1*(D{row}-G{row})"
    book.save(path)
    return path


def with_again(games: list[Game], at: int) -> list[Game]:
    return [*games[: at + 1], games[at], *games[at + 1 :]]


@pytest.mark.parametrize("numbered", [True, False], ids=["rounds", "everybody once"])
def test_a_game_that_stands_twice_is_told(numbered: bool, tmp_path: Path) -> None:
    games = rounds()
    sound = validate(running(tmp_path / "sound.xlsx", games, numbered=numbered))
    assert (sound.status, loud(sound)) == ("agrees", {})
    found = loud(validate(running(tmp_path / "twice.xlsx", with_again(games, 7), numbered=numbered)))
    assert found == {f"Sheet!{'A11:C11' if numbered else 'B11:C11'}": "ES406"}


def test_a_game_of_a_winner_and_a_loser_that_stands_twice_is_told_by_its_number(tmp_path: Path) -> None:
    """Without a number it may have been played twice a day."""
    games = [(at, *(game[1:3] if game[3] else game[2:0:-1]), 1.0) for at, game in enumerate(rounds() * 2, 1)]
    for at, again in (("sound", games), ("twice", with_again(games, 7))):
        path = running(tmp_path / f"{at}.xlsx", again, numbered=True)
        book = load_workbook(path)
        for row in range(3, 3 + len(again)):
            book["Sheet"][f"D{row}"] = None
            book["Sheet"][f"H{row}"] = f"=$K$1*(1-G{row})"
        book.save(path)
        assert loud(validate(path)) == ({} if at == "sound" else {"Sheet!A11:C11": "ES406"})


@pytest.mark.parametrize(
    ("results", "score", "odd", "told"),
    [
        ((4, 0, 2), "D{r}/4", (2, 1), {"Sheet!I9": "ES127"}),  # boards of a match, one of them with three
        (("1-0", "0-1", "½-½"), 'IF(D{r}="1-0",1,IF(D{r}="0-1",0,0.5))', "0 - 1", {"Sheet!D9": "ES408"}),
    ],
)
def test_a_result_that_the_score_of_the_others_does_not_fit_is_told(
    results: tuple[object, ...], score: str, odd: object, told: dict[str, str], tmp_path: Path
) -> None:
    for at, expected in (("sound", {}), ("wrong", told)):
        path = running(tmp_path / f"{at}.xlsx", rounds(), numbered=True)
        book = load_workbook(path)
        sheet = book["Sheet"]
        for row in range(3, 18):
            result = results[(1.0, 0.0, 0.5).index(sheet[f"D{row}"].value)]
            one = odd if at == "wrong" and row == 9 else result
            sheet[f"D{row}"], sheet[f"L{row}"] = one if isinstance(one, tuple) else (
                one, 4 - result if isinstance(result, int) else None
            )  # fmt: skip
            sheet[f"I{row}"], sheet[f"H{row}"] = "=" + score.format(r=row), f"=$K$1*(I{row}-G{row})"
        book.save(path)
        assert loud(validate(path)) == expected


def test_a_list_that_takes_ratings_over_row_by_row_from_names_in_another_order_is_told(tmp_path: Path) -> None:
    row_by_row = {MONTHS[1]: f"=1500+0.75*({MONTHS[0]}!C{{r}}-1500)"}
    sound = validate(months(tmp_path / "sound.xlsx", row_by_row, count=2))
    assert loud(sound) == {}
    cells: dict[str, object] = {f"{MONTHS[1]}!A{row}": name for row, name in ((4, SIX[4]), (6, SIX[2]))}
    found = validate(months(tmp_path / "wrong.xlsx", row_by_row, cells=cells, count=2))
    assert f"{MONTHS[1]}!B4:B6" in loud(found)


def test_a_game_that_stands_twice_in_a_round_between_empty_lines_is_told(tmp_path: Path) -> None:
    games = [(number + 5 * again, *game) for again in (0, 1) for number, *game in rounds()]  # everybody meets twice
    assert loud(validate(running(tmp_path / "sound.xlsx", games, numbered=False, apart=True))) == {}
    found = loud(validate(running(tmp_path / "twice.xlsx", with_again(games, 8), numbered=False, apart=True)))
    assert found == {"Sheet!B15:C15": "ES406"}


def test_fixtures_to_come_move_nobody_and_are_no_fault(tmp_path: Path) -> None:
    games: list[Game] = [*rounds()[:12], *((number, a, b, None) for number, a, b, _ in rounds()[12:])]  # type: ignore[misc]
    path = running(tmp_path / "fixtures.xlsx", games, numbered=True)
    book = load_workbook(path)
    sheet = book.worksheets[0]
    for row in range(3, 18):
        sheet[f"H{row}"] = f'=IF(D{row}="",0,$K$1*(D{row}-G{row}))'
    book.save(path)
    assert (validate(path).status, loud(validate(path))) == ("agrees", {})
    for row in range(3, 18):
        sheet[f"H{row}"] = f"=$K$1*(D{row}-G{row})"
    book.save(path)
    assert set(loud(validate(path)).values()) == {"ES404"}  # without the guard a game to come is a loss


def test_a_rematch_is_a_game_of_its_own(tmp_path: Path) -> None:
    again = [*rounds()[:9], rounds()[8], *rounds()[2:7]]  # not everybody has met, and no round is entered
    assert "ES406" not in loud(validate(running(tmp_path / "book.xlsx", again, numbered=False))).values()


def test_equal_games_on_a_day_are_asked_about_where_nobody_meets_twice_a_day(tmp_path: Path) -> None:
    games = [(date(2025, 5, 1 + int(str(number))), *rest) for number, *rest in rounds()]
    found = validate(running(tmp_path / "once.xlsx", with_again(games, 7), numbered=True))
    assert loud(found) == {"Sheet!A11:C11": "ES406"}
    for at in (3, 1):  # one rematch may be a slip of the hand
        day, white, black, score = games[at]
        games.insert(at + 1, (day, white, black, 1 - score if score != 0.5 else 1.0))
        found = validate(running(tmp_path / f"rematches_{at}.xlsx", with_again(games, len(games) - 2), numbered=True))
        assert bool(loud(found)) == (at == 3)
        assert [one.code for one in found.findings] == ["ES406"]


@pytest.mark.parametrize("numbered", [True, False])
def test_a_game_without_formulas_is_told_where_it_has_its_number(numbered: bool, tmp_path: Path) -> None:
    games = [(at, *game[1:]) for at, game in enumerate(rounds(), 1)]
    path = running(tmp_path / "games.xlsx", games, numbered=True)
    book = load_workbook(path)
    for column in "EFGH" if numbered else "AEFGH":  # without a number it may be a friendly
        book.worksheets[0][f"{column}10"] = None
    if not numbered:
        for row in range(11, 18):
            book.worksheets[0][f"A{row}"] = row - 3
    book.save(path)
    told = loud(validate(path))
    assert set(told.values()) == ({"ES202"} if numbered else set())
    assert all(place.endswith("10") for place in told)


def two_rows(path: Path, scores: Sequence[tuple[float, float]]) -> Path:
    """A log with a row for each side of a game."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet["J1"], sheet["K1"] = "K", 24
    for at, head in enumerate(("Who", "Against", "Points", "Elo", "Elo opp.", "Exp.", "New"), 1):
        sheet.cell(2, at, head)
    pairs = list(permutations(SIX, 2))
    for at, pair in enumerate(scores):
        names = pairs[at * 7 % len(pairs)]
        for side in (0, 1):
            row, above, facing = 3 + 2 * at + side, 2 + 2 * at, 3 + 2 * at + 1 - side
            sheet[f"A{row}"], sheet[f"B{row}"], sheet[f"C{row}"] = names[side], names[1 - side], pair[side]
            sheet[f"D{row}"] = f"=IFERROR(LOOKUP(2,1/(A$2:A{above}=A{row}),G$2:G{above}),1400)"
            sheet[f"E{row}"] = f"=D{facing}"
            sheet[f"F{row}"] = f"=1/(1+10^((E{row}-D{row})/400))"
            sheet[f"G{row}"] = f"=D{row}+$K$1*(C{row}-F{row})"
    book.save(path)
    return path


def test_both_rows_of_a_game_cannot_win(tmp_path: Path) -> None:
    scores = [(1.0, 0.0), (0.5, 0.5), (0.0, 1.0)] * 5
    assert loud(validate(two_rows(tmp_path / "sound.xlsx", scores))) == {}
    found = validate(two_rows(tmp_path / "wrong.xlsx", [*scores[:6], (1.0, 1.0), *scores[7:]]))
    assert found.status == "differs"
    assert loud(found) == {"Sheet!C15:C16": "ES411"}


MONTHS = ["January", "February", "March", "April"]


CHANCE = "=1/(1+10^((I{r}-H{r})/400))"


def months(
    path: Path,
    begins: dict[str, str] | None = None,
    chances: dict[str, str] | None = None,
    cells: dict[str, object] | None = None,
    table: Sequence[float] = (),
    count: int = 4,
) -> Path:
    """A sheet for each of so many months: a list of the players, what they begin and end with, and the games beside it.

    `begins` has for a month the formula of its first ratings, `chances` that of the expected scores, {r} the row;
    `cells` are changed in the end. A `table` has the chances of leads of 20 points each.
    """
    book = Workbook()
    book.remove(book.worksheets[0])
    for at, month in enumerate(MONTHS[:count]):
        sheet = book.create_sheet(month)
        sheet["A1"], sheet["B1"], sheet["C1"] = "Name", "Start", "End"
        for row, name in enumerate(SIX, 2):
            sheet[f"A{row}"] = name
            usual = f"=INDEX({MONTHS[at - 1]}!C$2:C$7,MATCH(A{{r}},{MONTHS[at - 1]}!A$2:A$7,0))"
            text = (begins or {}).get(month, usual)
            sheet[f"B{row}"] = 1300 + 40 * row if at == 0 else text.format(r=row)
            sheet[f"C{row}"] = f"=B{row}+SUMIF(E$2:E$9,A{row},K$2:K$9)-SUMIF(F$2:F$9,A{row},K$2:K$9)"
        for row in range(2, 10):
            one, two = SIX[(row + at) % 6], SIX[(row * 2 + at + 1 + (row + at) % 2) % 6]
            two = two if two != one else SIX[(SIX.index(one) + 1) % 6]
            sheet[f"E{row}"], sheet[f"F{row}"], sheet[f"G{row}"] = one, two, (1, 0, 0.5)[(row + at) % 3]
            sheet[f"H{row}"] = f"=VLOOKUP(E{row},A$2:B$7,2,FALSE)"
            sheet[f"I{row}"] = f"=VLOOKUP(F{row},A$2:B$7,2,FALSE)"
            sheet[f"J{row}"] = (chances or {}).get(month, CHANCE).format(r=row)
            sheet[f"K{row}"] = f"=20*(G{row}-J{row})"
    for row, chance in enumerate(table, 1):
        book[MONTHS[-1]][f"N{row}"], book[MONTHS[-1]][f"O{row}"] = 20 * (row - 1), chance
    for cell, content in (cells or {}).items():
        month, _, at = cell.partition("!")
        book[month][at] = content
    book.save(path)
    return path


def test_months_that_go_on_from_each_other_have_no_finding(tmp_path: Path) -> None:
    assert loud(validate(months(tmp_path / "sound.xlsx"))) == {}


WRONG = {
    "two months back": "=INDEX(January!C$2:C$7,MATCH(A{r},January!A$2:A$7,0))",
    "what it began with": "=INDEX(February!B$2:B$7,MATCH(A{r},February!A$2:A$7,0))",
}


@pytest.mark.parametrize("count", [3, 4])
@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_a_month_that_begins_elsewhere_is_found_with_its_formula(text: str, count: int, tmp_path: Path) -> None:
    found = validate(months(tmp_path / "wrong.xlsx", {"March": text}, count=count))
    assert found.status == "differs"
    told = [one for one in found.findings if one.range.startswith("March!B") and one.severity != NOTE]
    assert told
    assert str(told[0].fix).replace("$", "") == "=INDEX(February!C2:C7,MATCH(A2,February!A2:A7,0))"


def test_a_month_whose_chances_are_worked_out_otherwise_is_held_against_the_others(tmp_path: Path) -> None:
    higher = "=MAX(1/(1+10^((I{r}-H{r})/400)),1/(1+10^((H{r}-I{r})/400)))"  # of both sides, whoever is at home
    found = validate(months(tmp_path / "wrong.xlsx", chances={"March": higher}))
    assert found.status == "differs"
    assert "March!J2:J9" in loud(found)


def a_column_each(path: Path, games: Sequence[Game], lacks: str = "") -> Path:
    """A log with a column for each player; rows without a name wait. `lacks` is a cell that is emptied."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for at, head in enumerate(("Round", "White", "Black", "Result", "Exp.", "Change", *SIX), 1):
        sheet.cell(1, at, head)
    for at, column in enumerate("GHIJKL"):
        sheet[f"{column}2"] = 1500 + 20 * at
    for row, entries in enumerate(games, 3):
        for column, value in zip("ABCD", entries, strict=True):
            sheet[f"{column}{row}"] = value
        here = [f"INDEX($G{row - 1}:$L{row - 1},MATCH({name}{row},$G$1:$L$1,0))" for name in "BC"]
        sheet[f"E{row}"] = f'=IF(B{row}="","",1/(1+10^(({here[1]}-{here[0]})/400)))'
        sheet[f"F{row}"] = f'=IF(B{row}="","",24*(D{row}-E{row}))'
        for column in "GHIJKL":
            above, who = f"{column}{row - 1}", f"{column}$1"
            moved = f"IF({who}=$B{row},{above}+$F{row},IF({who}=$C{row},{above}-$F{row},{above}))"
            sheet[f"{column}{row}"] = f'=IF($B{row}="",{above},{moved})'
    if lacks:
        sheet[lacks] = None
    book.save(path)
    return path


@pytest.mark.parametrize(("lacks", "code"), [("", None), ("B9", "ES404"), ("I2", "ES205")])
def test_a_name_or_a_start_that_lacks_is_told_where_each_player_has_a_column(
    lacks: str, code: str | None, tmp_path: Path
) -> None:
    found = loud(validate(a_column_each(tmp_path / "book.xlsx", rounds(), lacks)))
    assert found == ({} if code is None else {f"Sheet!{lacks}": code})


def test_a_k_set_anew_within_a_month_is_an_error_and_between_months_a_note(tmp_path: Path) -> None:
    later = {f"March!K{row}": f"=10*(G{row}-J{row})" for row in range(6, 10)}
    found = validate(months(tmp_path / "within.xlsx", cells=later))
    assert (found.status, loud(found)) == ("differs", {"March!K6:K9": "ES129"})
    whole = {f"{month}!K{row}": f"=10*(G{row}-J{row})" for month in ("March", "April") for row in range(2, 10)}
    assert loud(validate(months(tmp_path / "between.xlsx", cells=whole))) == {}


def test_an_entry_of_a_table_of_chances_that_breaks_its_order_is_told(tmp_path: Path) -> None:
    table = [round(1 / (1 + 10 ** (-20 * lead / 400)), 2) for lead in range(25)]
    lead = "VLOOKUP(ABS(H{r}-I{r}),April!N$1:O$25,2,TRUE)"
    chances = dict.fromkeys(MONTHS, f"=IF(H{{r}}>=I{{r}},{lead},1-{lead})")
    assert loud(validate(months(tmp_path / "sound.xlsx", chances=chances, table=table))) == {}
    table[3] = 0.95 - table[3]
    found = loud(validate(months(tmp_path / "wrong.xlsx", chances=chances, table=table)))
    assert found == {"April!O4": "ES203"}


def test_a_score_that_two_games_of_a_day_hardly_share_tells_of_a_game_entered_twice(tmp_path: Path) -> None:
    chance, book = random.Random(4), Workbook()
    sheet = first_sheet(book)
    for column, title in enumerate(("Date", "A", "B", "Points A", "Points B", "Elo A", "Elo B", "E", "Change"), 1):
        sheet.cell(1, column, title)
    players = [f"Player {at}" for at in range(1, 9)]
    played = [(day, *chance.sample(players, 2), 21, chance.randrange(3, 20)) for day in range(12) for _ in range(4)]
    for twice in (False, True):
        for row, (day, *game) in enumerate(played[:22] + played[21:22] * twice + played[22:], 2):
            for column, value in enumerate((date(2025, 3, 1 + day), *game), 1):
                sheet.cell(row, column, value)
            for own, name in (("F", "B"), ("G", "C")):
                sums = (f"SUMIF({side}$1:{side}{row - 1},{name}{row},I$1:I{row - 1})" for side in "BC")
                sheet[f"{own}{row}"] = f"=1200+{'-'.join(sums)}"
            sheet[f"H{row}"] = f"=1/(1+10^((G{row}-F{row})/400))"
            sheet[f"I{row}"] = f"=24*(IF(D{row}>E{row},1,0)-H{row})"
        assert told(book, tmp_path / f"{twice}.xlsx") == ([("ES406", "Sheet!A24:C24")] if twice else [])
