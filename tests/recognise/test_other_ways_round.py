"""Logs whose newest game stands on top, and logs with a game in each column, judged as those that run downwards."""

from __future__ import annotations

from pathlib import Path

import pytest
from books import Sheets, changed, write

from elo_sheets.files.package import Value, column_letters
from elo_sheets.recognise.transposed import Across, Turn, Upwards
from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE, Finding, Verdict

SCORES = (1, 0, 0.5, 1, 1, 0, 0.5, 0, 1, 0, 1, 0.5, 0, 1, 1, 0)
PAIRS = ("AB", "CD", "AC", "BD", "AD", "BC", "BA", "DC", "CA", "DB", "DA", "CB", "AB", "CD", "AC", "BD")
NAMES = {"A": "Anna", "B": "Bert", "C": "Cora", "D": "Dave"}
GAMES = len(SCORES)
DAY = 45292  # 1 January 2024


def newest_log() -> Sheets:
    """One player's games, rows 4 (the newest) to 19; the oldest starts from a typed rating."""
    cells: dict[str, Value] = {"A1": "K", "B1": 24}
    cells |= dict(
        zip(("A3", "B3", "C3", "D3", "E3", "F3"), ("Date", "Rival", "S", "Before", "E", "After"), strict=True)
    )
    for i, score in enumerate(SCORES):
        r = 3 + GAMES - i
        cells |= {f"A{r}": DAY + 3 * i, f"B{r}": 1450 + 37 * (i * 5 % 11), f"C{r}": score}
        cells[f"D{r}"] = f"=F{r + 1}" if i else 1500
        cells[f"E{r}"] = f"=1/(1+10^((B{r}-D{r})/400))"
        cells[f"F{r}"] = f"=D{r}+$B$1*(C{r}-E{r})"
    return {"Log": cells}


def newest_pool() -> Sheets:
    """Four players, rows 3 (the newest) to 18; a rating before is the first row of the name in the rows below."""
    cells: dict[str, Value] = dict(
        zip(
            ("A2", "B2", "C2", "D2", "E2", "F2", "G2", "H2"),
            ("White", "Black", "Result", "Rw", "Rb", "Ew", "Rw new", "Rb new"),
            strict=True,
        )
    )
    cells |= {"J1": "K", "K1": 20}
    for i, (pair, score) in enumerate(zip(PAIRS, SCORES, strict=True)):
        r, low = 2 + GAMES - i, 3 + GAMES - i
        cells |= {f"A{r}": NAMES[pair[0]], f"B{r}": NAMES[pair[1]], f"C{r}": score}
        for column, who in (("D", "A"), ("E", "B")):
            first, second = (f"MATCH({who}{r},{side}{low}:{side}$20,0)" for side in "AB")
            latest = (
                f"IF(IFERROR({first},99)<IFERROR({second},99),INDEX(G{low}:G$20,{first}),INDEX(H{low}:H$20,{second}))"
            )
            cells[f"{column}{r}"] = f"=IF(COUNTIF(A{low}:B$20,{who}{r})=0,1500,{latest})"
        cells[f"F{r}"] = f"=1/(1+10^((E{r}-D{r})/400))"
        cells[f"G{r}"] = f"=D{r}+$K$1*(C{r}-F{r})"
        cells[f"H{r}"] = f"=E{r}-$K$1*(C{r}-F{r})"
    return {"Games": cells}


def newest_sums() -> Sheets:
    """A pool in which a rating before is 1200 and all changes of the name in the rows below; a list beside it."""
    cells: dict[str, Value] = dict(
        zip(("A1", "B1", "C1", "D1", "E1", "F1", "G1"), ("Home", "Away", "S", "R1", "R2", "E", "Change"), strict=True)
    )
    for i, (pair, score) in enumerate(zip(PAIRS, SCORES, strict=True)):
        r, low, end = 1 + GAMES - i, 2 + GAMES - i, 40
        cells |= {f"A{r}": NAMES[pair[0]], f"B{r}": NAMES[pair[1]], f"C{r}": score}
        for column, who in (("D", "A"), ("E", "B")):
            gains = f"SUMIF(A{low}:A${end},{who}{r},G{low}:G${end})-SUMIF(B{low}:B${end},{who}{r},G{low}:G${end})"
            cells[f"{column}{r}"] = f"=1200+{gains}"
        cells[f"F{r}"] = f"=1/(1+10^((E{r}-D{r})/400))"
        cells[f"G{r}"] = f"=32*(C{r}-F{r})"
    cells |= {"I1": "Player", "J1": "Rating"}
    for j, name in enumerate(NAMES.values(), 2):
        cells |= {f"I{j}": name, f"J{j}": f"=1200+SUMIF(A$2:A$40,I{j},G$2:G$40)-SUMIF(B$2:B$40,I{j},G$2:G$40)"}
    return {"Pool": cells}


def newest_rivals() -> Sheets:
    """Two players' running calculator: every new game gets a row on top of the last one; the start at the bottom."""
    cells: dict[str, Value] = dict(
        zip(("A1", "B1", "C1", "D1", "E1", "F1"), ("Game", "Ann won", "E Ann", "E Ben", "Ann", "Ben"), strict=True)
    )
    last = 2 + GAMES
    cells |= {f"A{last}": "start", f"E{last}": 1500, f"F{last}": 1600}
    for i, score in enumerate(SCORES):
        r = last - 1 - i
        cells |= {f"A{r}": i + 1, f"B{r}": score}
        cells[f"C{r}"] = f"=1/(1+10^((F{r + 1}-E{r + 1})/400))"
        cells[f"D{r}"] = f"=1-C{r}"
        cells[f"E{r}"] = f"=E{r + 1}+20*(B{r}-C{r})"
        cells[f"F{r}"] = f"=F{r + 1}+20*(1-B{r}-D{r})"
    return {"Duel": cells}


def newest_list() -> Sheets:
    """A list of games, the newest on top, a ledger that shows it row by row, and a sheet that shows the ledger."""
    games: dict[str, Value] = {"A1": "My games", "A3": "Rival's rating", "B3": "Result", "C3": "Event"}
    ledger: dict[str, Value] = {"A1": "Rival", "B1": "Result", "C1": "Before", "D1": "Expected", "E1": "After"}
    card: dict[str, Value] = {"B5": "Rating", "C5": "Result"}
    for i, score in enumerate(SCORES):
        r = 1 + GAMES - i
        games |= {f"A{r + 2}": 1450 + 37 * (i * 5 % 11), f"B{r + 2}": score, f"C{r + 2}": f"Event {i // 4}"}
        ledger |= {f"A{r}": f"=Games!A{r + 2}", f"B{r}": f"=Games!B{r + 2}"}
        ledger |= {f"C{r}": f"=E{r + 1}" if i else 1500, f"D{r}": f"=1/(1+10^((A{r}-C{r})/400))"}
        ledger[f"E{r}"] = f"=C{r}+24*(B{r}-D{r})"
        card |= {f"B{r + 4}": f"=Ledger!E{r}", f"C{r + 4}": f"=Ledger!B{r}"}
    return {"Ledger": ledger, "Games": games, "Card": card}


def guarded(newest_on_top: bool = True, spare: int = 4) -> Sheets:
    """A log with rows to grow into, each formula behind a guard; the first game's rating before is typed."""
    heads = ("Rival", "S", "Before", "E", "Change", "After")
    cells: dict[str, Value] = {f"{c}1": head for c, head in zip("ABCDEF", heads, strict=True)}
    for i in range(GAMES + spare):
        r = 1 + GAMES + spare - i if newest_on_top else 2 + i
        before = r + 1 if newest_on_top else r - 1
        cells |= {f"A{r}": 1450 + 37 * (i * 5 % 11), f"B{r}": SCORES[i]} if i < GAMES else {}
        formulas = {"C": f"F{before}", "D": f"1/(1+10^((A{r}-C{r})/400))", "E": f"24*(B{r}-D{r})", "F": f"C{r}+E{r}"}
        cells |= {f"{c}{r}": f'=IF(B{r}="","",{text})' for c, text in formulas.items()}
        cells |= {} if i else {f"C{r}": 1500}
    return {"Log": cells}


def rivals_across() -> Sheets:
    """Two players' games in columns B to Q, what Ann scored in all one column further on."""
    heads = ("Game", "Ann", "Ben", "Ann scores", "Expected", "Ann after", "Ben after")
    cells: dict[str, Value] = {f"A{row}": head for row, head in enumerate(heads, 1)}
    for i, score in enumerate(SCORES):
        c, before = column_letters(2 + i), column_letters(1 + i)
        cells |= {f"{c}1": i + 1, f"{c}2": f"={before}6" if i else 1500, f"{c}3": f"={before}7" if i else 1600}
        cells |= {f"{c}4": score, f"{c}5": f"=1/(1+10^(({c}3-{c}2)/400))"}
        cells |= {f"{c}6": f"={c}2+32*({c}4-{c}5)", f"{c}7": f"={c}3-32*({c}4-{c}5)"}
    last = column_letters(1 + GAMES)
    return {"Match": cells | {"S1": "Total", "S4": f"=SUM(B4:{last}4)"}}


ACROSS = ("Rival", "Rating", "Result", "Before", "Expected", "K", "After")


def across() -> Sheets:
    """One player's games in columns C (the oldest) to R, one thing a row."""
    cells: dict[str, Value] = {f"A{row}": text for row, text in enumerate(ACROSS, 3)}
    cells |= {"A1": "My games", "B9": 1480}
    for i, score in enumerate(SCORES):
        c, before = column_letters(3 + i), column_letters(2 + i)
        cells |= {f"{c}3": f"Rival {i % 5}", f"{c}4": 1450 + 37 * (i * 5 % 11), f"{c}5": score, f"{c}8": 24}
        cells[f"{c}6"] = f"={before}9"
        cells[f"{c}7"] = f"=1/(1+10^(({c}4-{c}6)/400))"
        cells[f"{c}9"] = f"={c}6+{c}8*({c}5-{c}7)"
    return {"Log": cells}


def newest_first_across() -> Sheets:
    """The same with the newest game on the left, in column B."""
    cells: dict[str, Value] = {f"A{row}": text for row, text in enumerate(ACROSS, 1)}
    for i, score in enumerate(SCORES):
        c, before = column_letters(1 + GAMES - i), column_letters(2 + GAMES - i)
        cells |= {f"{c}1": f"Rival {i % 5}", f"{c}2": 1450 + 37 * (i * 5 % 11), f"{c}3": score, f"{c}6": 24}
        cells[f"{c}4"] = f"={before}7" if i else 1480
        cells[f"{c}5"] = f"=1/(1+10^(({c}2-{c}4)/400))"
        cells[f"{c}7"] = f"={c}4+{c}6*({c}3-{c}5)"
    return {"Log": cells}


BOOKS = {
    "log": newest_log,
    "pool": newest_pool,
    "sums": newest_sums,
    "rivals": newest_rivals,
    "list": newest_list,
    "guarded": guarded,
    "guarded, newest last": lambda: guarded(newest_on_top=False),
    "rivals across": rivals_across,
    "across": across,
    "across, newest first": newest_first_across,
}


def judged(sheets: Sheets, folder: Path) -> Verdict:
    return validate(write(sheets, folder / "book.xlsx"))


def loud(verdict: Verdict) -> list[Finding]:
    return [finding for finding in verdict.findings if finding.severity != NOTE]


@pytest.mark.parametrize("name", BOOKS)
def test_a_sound_book_is_replayed_and_agrees(name: str, tmp_path: Path) -> None:
    verdict = judged(BOOKS[name](), tmp_path)
    assert (verdict.status, loud(verdict), verdict.games.rated) == ("agrees", [], GAMES), verdict.reason


def one_players(start: float, k: float) -> list[tuple[float, float, float]]:
    """Rating before, expectation and rating after of the games of one player's log, by arithmetic."""
    found, rating = [], start
    for i, score in enumerate(SCORES):
        expected = 1 / (1 + 10 ** ((1450 + 37 * (i * 5 % 11) - rating) / 400))
        found.append((rating, expected, rating + k * (score - expected)))
        rating = found[-1][2]
    return found


def misread(game: int, start: float, k: float) -> float:
    """How far the rating after a game is off when it starts from the rating after the game before the last one."""
    games = one_players(start, k)
    wrong = games[game - 2][2]
    rival = 1450 + 37 * (game * 5 % 11)
    return wrong + k * (SCORES[game] - 1 / (1 + 10 ** ((rival - wrong) / 400))) - games[game][2]


def the_pools(start: float, k: float) -> list[tuple[float, float, float]]:
    """White's and Black's rating before and White's expectation in the games of a pool, by arithmetic."""
    ratings = dict.fromkeys("ABCD", start)
    found = []
    for (white, black), score in zip(PAIRS, SCORES, strict=True):
        expected = 1 / (1 + 10 ** ((ratings[black] - ratings[white]) / 400))
        found.append((ratings[white], ratings[black], expected))
        ratings[white] += k * (score - expected)
        ratings[black] -= k * (score - expected)
    return found


def newest(letter: str, formula: str, first: int, below: int = 1) -> dict[str, Value]:
    """A column of a book with its newest game in row `first`: # is the row, ~ the row below."""
    rows = range(first, first + GAMES)
    return {f"{letter}{r}": formula.replace("#", str(r)).replace("~", str(r + below)) for r in rows}


# The game of row r is game 19 - r of the log, counted from 0, and game 18 - r of the pool.
SEVENTH, POOLS_SEVENTH = one_players(1500, 24)[7], the_pools(1500, 20)[7]
ACROSS_SEVENTH = one_players(1480, 24)[7]
LOG_FAULTS = [
    ({"E12": "=1/(1+10^((D12-B12)/400))"}, "ES101", "Log!E12", 24 * (2 * SEVENTH[1] - 1)),
    ({"F12": 1600}, "ES201", "Log!F12", 1600 - SEVENTH[2]),
    ({"F12": "=D12+24*(C12-E12)"}, "ES105", "Log!F12", 0.0),
    ({"F12": "=D12+$B$1*C12"}, "ES117", "Log!F12", 24 * SEVENTH[1]),
    ({"D12": "=F14"}, "ES106", "Log!D12", misread(7, 1500, 24)),
    ({"C12": "1"}, "ES410", "Log!C12", None),
    (newest("E", "=1/(1+10^((D#-B#)/400))", 4), "ES101", "Log!E4:E19", None),
    (newest("F", "=D#+$B$1*C#", 4), "ES117", "Log!F4:F19", None),
]
POOL_FAULTS = [
    ({"H11": "=E11+$K$1*(C11-F11)"}, "ES115", "Games!H11", 2 * 20 * (0 - POOLS_SEVENTH[2])),
    ({"G11": "=E11+$K$1*(C11-F11)"}, "ES114", "Games!G11", POOLS_SEVENTH[1] - POOLS_SEVENTH[0]),
    ({"A11": "Dave "}, "ES412", "Games!A11", None),
    (newest("H", "=E#", 3), "ES126", "Games!H3:H18", None),
    (newest("D", "=IFERROR(INDEX(G~:G$20,MATCH(A#,A~:A$20,0)),1500)", 3), "ES123", "Games!D3:D16", None),
]
OTHER_FAULTS: list[tuple[str, dict[str, Value], str, str, float | None]] = [
    ("guarded", {"F14": 1600}, "ES201", "Log!F14", 1600 - SEVENTH[2]),
    ("guarded", {"D14": '=IF(B14="","",1/(1+10^((C14-A14)/400)))'}, "ES101", "Log!D14", 24 * (2 * SEVENTH[1] - 1)),
    ("rivals across", {"I7": "=I3+32*(I4-I5)"}, "ES115", "Match!I7", None),
    ("rivals", {"F10": "=F11"}, "ES126", "Duel!F10", None),
    ("sums", {"G9": "=32*(C9-(1-F9))"}, "ES113", "Pool!G9", None),
]
ACROSS_FAULTS = [
    ({"J7": "=1/(1+10^((J6-J4)/400))"}, "ES101", "Log!J7", 24 * (2 * ACROSS_SEVENTH[1] - 1)),
    ({"J9": 1600}, "ES201", "Log!J9", 1600 - ACROSS_SEVENTH[2]),
    ({"J6": "=H9"}, "ES106", "Log!J6", misread(7, 1480, 24)),
    ({"J9": None}, "ES202", "Log!J9", None),
    ({"J5": 2}, "ES411", "Log!J5", None),
]


@pytest.mark.parametrize(
    ("name", "cells", "code", "where", "effect"),
    [("log", *one) for one in LOG_FAULTS]
    + [("pool", *one) for one in POOL_FAULTS]
    + [("across", *one) for one in ACROSS_FAULTS]
    + OTHER_FAULTS,
)
def test_a_fault_is_named_in_its_cell_with_its_effect(
    name: str, cells: dict[str, Value], code: str, where: str, effect: float | None, tmp_path: Path
) -> None:
    found = loud(judged(changed(BOOKS[name](), **cells), tmp_path))
    one = next((f for f in found if (f.code, f.range) == (code, where)), None)
    assert one is not None, [(f.code, f.range, f.message) for f in found]
    if effect is not None:
        assert one.effect == pytest.approx(effect, abs=0.01)


def test_roles_are_shown_and_given_as_the_cells_stand(tmp_path: Path) -> None:
    path = write(across(), tmp_path / "book.xlsx")
    shown = {role.role[0]: role.range for role in validate(path).roles}
    assert (shown["E"], shown["R"], shown["B"]) == ("Log!C7:R7", "Log!C9:R9", "Log!C6:R6")
    given = validate(path, roles={"E": "Log!7:7"})
    assert given.status == "agrees"
    assert [role.range for role in given.roles if role.confidence == "given"] == ["Log!C7:R7"]
    refused = validate(path, roles={"E": "Log!9:9"})
    assert (refused.status, str(refused.reason)[:9]) == ("unchecked", "Log!C9:R9")


def test_messages_name_cells_and_directions_as_they_stand(tmp_path: Path) -> None:
    beyond = {"S3": "Rival 1", "S4": 1500, "S5": 1, "S8": 24}
    found = loud(judged(changed(across(), **beyond), tmp_path))
    assert [(f.code, f.range, f.fix) for f in found] == [("ES202", "Log!S6:S9", "=R9")]


@pytest.mark.parametrize(
    ("turn", "message", "there"),
    [
        (
            Upwards("Log", 3, 1, 9, 6),
            "Log!A4 takes the row above over; a look-up",
            "Log!A8 takes the row below over; a look-up",
        ),
        (Upwards("Log", 3, 2, 9, 6), "no row of Log near row 4", "no row of Log near row 8"),
        (
            Across("Log"),
            "row 7 of Log reads Log!B4:B9 below",
            "column G of Log reads Log!D2:I2 to the right",
        ),
        (Across("Log"), "Other!B4 reads the row above", "Other!B4 reads the row above"),
    ],
)
def test_a_message_is_turned_with_its_sheet(turn: Turn, message: str, there: str) -> None:
    assert turn.message(message) == there


def test_what_stands_above_the_header_stays_there(tmp_path: Path) -> None:
    above: dict[str, Value] = {"D1": "=MAX(F4:F40)", "F1": "=F4", "E1": "Now"}
    found = loud(judged(changed(newest_log(), **above, F9="=D9+$B$1*C9"), tmp_path))
    assert [(f.code, f.range) for f in found] == [("ES117", "Log!F9")]


def test_a_list_of_players_beside_the_games_stays_where_it_is(tmp_path: Path) -> None:
    verdict = judged(
        changed(newest_sums(), J3="=1200+SUMIF(A$5:A$40,I3,G$5:G$40)-SUMIF(B$5:B$40,I3,G$5:G$40)"), tmp_path
    )
    assert [(f.code, f.range) for f in loud(verdict)] == [("ES125", "Pool!J3")]


def test_a_count_beside_the_games_may_go_the_other_way(tmp_path: Path) -> None:
    sheets = newest_sums()
    sheets["Pool"] |= {"L1": "Place", "L2": 1} | {f"L{r}": f"=L{r - 1}+1" for r in range(3, 15)}
    verdict = judged(sheets, tmp_path)
    assert (verdict.status, loud(verdict), verdict.games.rated) == ("agrees", [], GAMES)


def test_a_list_and_its_ledger_are_turned_together(tmp_path: Path) -> None:
    sheets = newest_list()
    sheets["Ledger"] |= {f"{c}{r}": f"=Games!{c}{r + 3}" for c in "AB" for r in range(2, 9)}
    (found,) = loud(judged(sheets, tmp_path))
    assert (found.code, found.range) == ("ES210", "Ledger!A2:B8")
    assert "1 row(s) further down in the list" in found.message


@pytest.mark.parametrize(
    ("turn", "formula", "there"),
    [
        (Across("Log"), "SUM($B2:C$4)+Log!D:D-LOG10(Other!A1)&\"A1\"", "SUM(B$2:$D3)+Log!4:4-LOG10(Other!A1)&\"A1\""),
        (Upwards("Log", 3, 1, 9, 6), "A3+A$9+A2+A10+SUM(B$3:B5,$C:C)", "A9+A$3+A2+A10+SUM(B7:B$9,$C:C)"),
        (Upwards("Log", 3, 1, 9, 6), "'Log'!G4+SUMIF(B5:B$9,$A4,H5:H$9)", "'Log'!G4+SUMIF(B$3:B7,$A8,H5:H$9)"),
    ],
)  # fmt: skip
def test_a_turn_moves_every_reference_to_its_sheet_and_undoes_itself(turn: Turn, formula: str, there: str) -> None:
    assert turn.formula(formula, "Log") == there
    assert turn.formula(there, "Log") == formula
