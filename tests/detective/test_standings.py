"""Tables beside a log of goals that count something else than its games give."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from pathlib import Path

import pytest
from openpyxl import Workbook

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
    "goals scored twice": ({"G": TABLE["F"]}, "G"),
    "goals conceded twice": ({"F": TABLE["G"]}, "F"),
}


@pytest.mark.parametrize(("columns", "letter"), WRONG.values(), ids=WRONG)
def test_a_column_that_counts_something_else_is_found(columns: dict[str, str], letter: str, tmp_path: Path) -> None:
    found = validate(league(tmp_path / "wrong.xlsx", {**TABLE, **columns}))
    assert found.status == "differs"
    told = loud(found)
    assert set(told.values()) == {"ES214"}
    assert all(place.startswith(f"Table!{letter}") for place in told)
