"""Tables beside a log of goals that count something else than its games give."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook

from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE, Verdict

TEAMS = [f"Player {at}" for at in range(1, 6)]
FIRST, LAST = 3, 22
COUNT = "SUMPRODUCT((Games!$A$3:$A$22=$A{r})*(Games!$C$3:$C$22{one}Games!$D$3:$D$22))"
AWAY = "SUMPRODUCT((Games!$B$3:$B$22=$A{r})*(Games!$C$3:$C$22{other}Games!$D$3:$D$22))"
GOALS = (
    "=SUMIF(Games!$A$3:$A$22,$A{r},Games!${at_home}$3:${at_home}$22)"
    "+SUMIF(Games!$B$3:$B$22,$A{r},Games!${away}$3:${away}$22)"
)


def counted(one: str, other: str) -> str:
    return f"={COUNT.replace('{one}', one)}+{AWAY.replace('{other}', other)}"


PLAYED = "=COUNTIF(Games!$A$3:$B$22,A{r})"
TABLE = {
    "C": counted(">", "<"),
    "D": counted("=", "="),
    "E": counted("<", ">"),
    "B": "=C{r}+D{r}+E{r}",
    "F": GOALS.replace("{at_home}", "C").replace("{away}", "D"),
    "G": GOALS.replace("{at_home}", "D").replace("{away}", "C"),
    "H": "=F{r}-G{r}",
    "I": "=3*C{r}+D{r}",
}


def league(path: Path, columns: Mapping[str, str]) -> Path:
    """A season of five, everybody at home against everybody, rated beside the goals, with its table."""
    book = Workbook()
    games = book.active
    assert games is not None
    games.title = "Games"
    games["J1"], games["K1"] = "K", 20
    for at, head in enumerate(("Home", "Away", "HG", "AG", "Elo H", "Elo A", "Exp.", "S", "Change"), 1):
        games.cell(2, at, head)
    for at, (home, away) in enumerate(permutations(TEAMS, 2)):
        row, above = FIRST + at, FIRST + at - 1
        for column, value in zip("ABCD", (home, away, (3 * at + 1) % 4, (5 * at) % 3), strict=True):
            games[f"{column}{row}"] = value
        for column, who in (("E", "A"), ("F", "B")):
            games[f"{column}{row}"] = (
                f"=1500+SUMIF(A$2:A{above},{who}{row},I$2:I{above})-SUMIF(B$2:B{above},{who}{row},I$2:I{above})"
            )
        games[f"G{row}"] = f"=1/(1+10^((F{row}-E{row})/400))"
        games[f"H{row}"] = f"=IF(C{row}>D{row},1,IF(C{row}=D{row},0.5,0))"
        games[f"I{row}"] = f"=$K$1*(H{row}-G{row})"
    table = book.create_sheet("Table")
    for at, head in enumerate(("Team", "P", "W", "D", "L", "GF", "GA", "GD", "Pts"), 1):
        table.cell(1, at, head)
    for row, team in enumerate(TEAMS, 2):
        table[f"A{row}"] = team
        for column, text in columns.items():
            table[f"{column}{row}"] = text.format(r=row)
    book.save(path)
    return path


def loud(verdict: Verdict) -> dict[str, str]:
    return {one.range: one.code for one in verdict.findings if one.severity != NOTE}


def test_a_table_that_counts_what_the_games_give_has_no_finding(tmp_path: Path) -> None:
    assert loud(validate(league(tmp_path / "sound.xlsx", TABLE))) == {}


def test_a_table_of_the_games_at_home_is_held_against_nothing(tmp_path: Path) -> None:
    at_home = {"C": ">", "D": "=", "E": "<"}
    columns = {column: "=" + COUNT.replace("{one}", sign) for column, sign in at_home.items()}
    assert loud(validate(league(tmp_path / "home.xlsx", {**TABLE, **columns}))) == {}


WRONG = {
    "won away where lost": ({"E": counted("<", "<")}, "E"),
    "draws at home alone": ({"D": "=" + COUNT.replace("{one}", "=")}, "D"),
    "won at home alone": ({"C": "=" + COUNT.replace("{one}", ">"), "E": "=B{r}-C{r}-D{r}", "B": PLAYED}, "C"),
    "goals scored twice": ({"G": TABLE["F"]}, "G"),
    "goals conceded twice": ({"F": TABLE["G"]}, "F"),
}


def test_draws_of_one_side_alone_are_told_where_games_tell_only_scores(tmp_path: Path) -> None:
    path, scores = league(tmp_path / "scores.xlsx", {"F": TABLE["B"]}), "Games!$H$3:$H$22"
    book = load_workbook(path)
    games, table = book["Games"], book["Table"]
    for row in range(FIRST, LAST + 1):
        games[f"H{row}"], games[f"C{row}"], games[f"D{row}"] = row % 3 / 2, None, None
    for row in range(2, 7):
        table[f"B{row}"] = PLAYED.format(r=row)
        for column, (white, black) in {"C": (1, 0), "D": (0.5, 0.5), "E": (0, 1)}.items():
            sides = zip("AB", (white, black), strict=True)
            counts = [f"COUNTIFS(Games!${side}$3:${side}$22,A{row},{scores},{score})" for side, score in sides]
            table[f"{column}{row}"] = "=" + "+".join(counts)
        table[f"F{row}"] = None
    book.save(path)
    assert loud(validate(path)) == {}
    for row in range(2, 7):
        table[f"D{row}"] = f"=COUNTIFS(Games!$A$3:$A$22,A{row},{scores},0.5)"
    book.save(path)
    assert set(loud(validate(path)).values()) == {"ES214"}


@pytest.mark.parametrize(("columns", "letter"), WRONG.values(), ids=WRONG)
def test_a_column_that_counts_something_else_is_found(columns: dict[str, str], letter: str, tmp_path: Path) -> None:
    found = validate(league(tmp_path / "wrong.xlsx", {**TABLE, **columns}))
    assert found.status == "differs"
    told = loud(found)
    assert set(told.values()) == {"ES214"}
    assert all(place.startswith(f"Table!{letter}") for place in told)


GAINED = "Games!$D$1+SUMIF(Games!$A$3:$A$22,A{r},Games!$F$3:$F$22)-SUMIF(Games!${of}$3:${of}$22,A{r},Games!$F$3:$F$22)"


def winners(path: Path, lost: str = "B", taken_off: str = "B", places: bool = False) -> Path:
    """A log of winners and losers, with a list of ratings and games won and lost; `places` are typed as they stand."""
    book = Workbook()
    games = book.active
    assert games is not None
    games.title = "Games"
    for cell, value in zip(("A1", "B1", "C1", "D1"), ("K", 32, "Start", 1200), strict=True):
        games[cell] = value
    for at, head in enumerate(("Winner", "Loser", "Elo W", "Elo L", "E", "Gain"), 1):
        games.cell(2, at, head)
    for row, (won, other) in enumerate(permutations(TEAMS, 2), FIRST):
        games[f"A{row}"], games[f"B{row}"] = sorted(
            (won, other), key=lambda who: 2 * int(who[-1]) % 5, reverse=row % 3 > 0
        )
        for column, who in (("C", "A"), ("D", "B")):
            sums = [f"SUMIF({side}$2:{side}{row - 1},{who}{row},F$2:F{row - 1})" for side in "AB"]
            games[f"{column}{row}"] = f"=$D$1+{sums[0]}-{sums[1]}"
        games[f"E{row}"] = f"=1/(1+10^((D{row}-C{row})/400))"
        games[f"F{row}"] = f"=$B$1*(1-E{row})"
    table = book.create_sheet("Table")
    for at, head in enumerate(("Player", "Elo", "W", "L", "Rank"), 1):
        table.cell(1, at, head)
    for row, team in enumerate(TEAMS, 2):
        table[f"A{row}"], table[f"B{row}"] = team, "=" + GAINED.format(r=row, of=taken_off)
        table[f"C{row}"] = f"=COUNTIF(Games!$A$3:$A$22,A{row})"
        table[f"D{row}"] = f"=COUNTIF(Games!${lost}$3:${lost}$22,A{row})"
        table[f"E{row}"] = row - 1 if places else f"=RANK(B{row},B$2:B$6)"
    book.save(path)
    return path


def test_a_list_beside_winners_and_losers_is_held_against_the_games(tmp_path: Path) -> None:
    assert loud(validate(winners(tmp_path / "sound.xlsx"))) == {}
    assert loud(validate(winners(tmp_path / "lost.xlsx", lost="A"))) == {"Table!D2:D6": "ES214"}
    assert set(loud(validate(winners(tmp_path / "places.xlsx", places=True))).values()) == {"ES213"}
    taken = validate(winners(tmp_path / "taken.xlsx", taken_off="A"))
    assert loud(taken) == {"Table!B2:B6": "ES106"}
    assert [one.fix for one in taken.findings if one.code == "ES106"] == ["=" + GAINED.format(r=2, of="B")]
