"""Lists of matches with typed ratings, and logs of two names a row: what no single cell of them shows."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from pathlib import Path

import pytest
from openpyxl import Workbook

from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE, Verdict

SCORES = (1, 0, 0.5, 1, 1, 0, 0.5, 0, 1, 0.5, 0, 1)
FIRST, LAST = 4, 3 + len(SCORES)
HEADS = ("Day", "Player", "Opponent", "Result", "Elo", "Elo opponent", "Expected", "Change", "Change opponent", "New",
         "New opponent")  # fmt: skip
TYPED = {
    "G": "=1/(1+10^((F{r}-E{r})/400))",
    "H": "=$B$1*(D{r}-G{r})",
    "I": "=$B$1*(G{r}-D{r})",
    "J": "=E{r}+H{r}",
    "K": "=F{r}+I{r}",
}
LOOKED_UP = "=1500+SUMIF(B$3:B{a},{who}{r},H$3:H{a})+SUMIF(C$3:C{a},{who}{r},I$3:I{a})"
RUNNING = {"E": LOOKED_UP.replace("{who}", "B"), "F": LOOKED_UP.replace("{who}", "C")}


def matches(path: Path, columns: dict[str, str], cells: Mapping[str, object] | None = None) -> Path:
    """Games of six players: `columns` are formulas for every row, {r}, with the row above, {a}; `cells` come last."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet["A1"], sheet["B1"] = "K", 24
    for at, head in enumerate(HEADS, 1):
        sheet.cell(3, at, head)
    for at, score in enumerate(SCORES):
        row, one, two = FIRST + at, at % 6 + 1, (at * 2 + 1) % 5 + 1
        two += two >= one
        typed = (dt.date(2024, 3, 1 + at), f"Player {one}", f"Player {two}", score, 1420 + 31 * one, 1610 - 17 * two)
        for at_column, value in enumerate(typed, 1):
            sheet.cell(row, at_column, value)
        for letter, text in columns.items():
            sheet[f"{letter}{row}"] = text.format(r=row, a=row - 1)
    for cell, value in (cells or {}).items():
        sheet[cell] = value
    book.save(path)
    return path


def loud(verdict: Verdict) -> dict[str, str]:
    return {one.range: one.code for one in verdict.findings if one.severity != NOTE}


SOUND = {
    "typed ratings": TYPED,
    "sums of earlier changes": {**TYPED, **RUNNING},
    "a change with a chance of its own": {
        **TYPED,
        **RUNNING,
        "H": "=_xlfn.LET(_xlpm.d,F{r}-E{r},$B$1*(D{r}-1/(1+10^(_xlpm.d/400))))",
        "I": "=-H{r}",
    },
    "two changes that each work out their own chance": {**TYPED, **RUNNING, **(OWN := {
        "H": "=_xlfn.LET(_xlpm.gap,F{r}-E{r},$B$1*(D{r}-1/(1+10^(_xlpm.gap/400))))",
        "I": "=_xlfn.LET(_xlpm.gap,E{r}-F{r},$B$1*(1-D{r}-1/(1+10^(_xlpm.gap/400))))",
    })},
}  # fmt: skip


@pytest.mark.parametrize("columns", SOUND.values(), ids=SOUND)
def test_a_sound_list_agrees_with_every_game_rated(tmp_path: Path, columns: dict[str, str]) -> None:
    verdict = validate(matches(tmp_path / "sound.xlsx", columns))
    assert (verdict.status, loud(verdict)) == ("agrees", {})


WRONG: dict[str, tuple[dict[str, str], dict[str, object], str, str]] = {
    "a base of two": ({"G": "=1/(1+2^((F{r}-E{r})/400))"}, {}, f"G{FIRST}:G{LAST}", "ES111"),
    "half of K for one side": ({"I": "=$B$1/2*(G{r}-D{r})"}, {}, f"I{FIRST}:I{LAST}", "ES120"),
    "a change that nothing reads": ({"J": "=E{r}"}, {}, f"J{FIRST}:J{LAST}", "ES126"),
    "a game that is always level": ({"H": "=$B$1*(0.5-G{r})", "I": "=-H{r}"}, {}, f"H{FIRST}:H{LAST}", "ES127"),
    "parentheses that both sides lack": (
        {"H": "=$B$1*D{r}-G{r}", "I": "=$B$1*(1-D{r})-(1-G{r})"},
        {},
        f"H{FIRST}:I{LAST}",
        "ES103",
    ),
    "a number typed over the last formula": ({}, {f"K{LAST}": 1571.3}, f"K{LAST}", "ES201"),
}


@pytest.mark.parametrize(("columns", "cells", "where", "code"), WRONG.values(), ids=WRONG)
def test_a_wrong_list_is_found_where_it_is_wrong(
    tmp_path: Path, columns: dict[str, str], cells: dict[str, object], where: str, code: str
) -> None:
    verdict = validate(matches(tmp_path / "wrong.xlsx", {**TYPED, **columns}, cells))
    assert verdict.status == "differs"
    assert loud(verdict).get(f"Sheet!{where}") == code


def test_a_formula_is_proposed_as_its_owner_types_it(tmp_path: Path) -> None:
    wrong = {"I": OWN["I"].replace("(1-D{r}-", "(D{r}-")}
    (found,) = (
        one for one in validate(matches(tmp_path / "wrong.xlsx", {**TYPED, **RUNNING, **OWN, **wrong})).findings
    )
    assert (found.code, found.range) == ("ES127", f"Sheet!I{FIRST}:I{LAST}")
    assert found.fix == f"=LET(gap,E{FIRST}-F{FIRST},$B$1*(1-D{FIRST}-1/(1+10^(gap/400))))"
    assert "a win (0) counts 0, not 1" in found.message


def test_two_games_of_the_same_players_in_turn_are_two_games(tmp_path: Path) -> None:
    # the rematch reads the rating of one game too early: its range ends a row too soon
    row = FIRST + 6
    names = {f"B{row - 1}": "Player 1", f"C{row - 1}": "Player 2", f"B{row}": "Player 2", f"C{row}": "Player 1"}
    short = RUNNING["E"].format(r=row, a=row - 2)
    path = matches(tmp_path / "wrong.xlsx", {**TYPED, **RUNNING}, {**names, f"E{row}": short})
    assert f"Sheet!E{row}" in loud(validate(path))
    assert validate(matches(tmp_path / "sound.xlsx", {**TYPED, **RUNNING}, names)).status == "agrees"


def test_a_game_that_is_entered_twice_is_told(tmp_path: Path) -> None:
    row = FIRST + 5
    book = matches(tmp_path / "once.xlsx", {**TYPED, **RUNNING})
    assert "ES406" not in loud(validate(book)).values()
    twice = {f"A{row}": dt.date(2024, 3, 5), f"B{row}": "Player 5", f"C{row}": "Player 4", f"D{row}": 1}
    above = {f"A{row - 1}": dt.date(2024, 3, 5), f"B{row - 1}": "Player 5", f"C{row - 1}": "Player 4", f"D{row - 1}": 1}
    found = loud(validate(matches(tmp_path / "twice.xlsx", {**TYPED, **RUNNING}, {**above, **twice})))
    assert "ES406" in found.values()


@pytest.mark.parametrize("nothing", ['""', "0"])
def test_a_fixture_that_is_listed_twice_is_no_game_twice(tmp_path: Path, nothing: str) -> None:
    open_changes = {
        "H": f'=IF(D{{r}}="",{nothing},$B$1*(D{{r}}-G{{r}}))',
        "I": f'=IF(D{{r}}="",{nothing},$B$1*(G{{r}}-D{{r}}))',
        "J": "=E{r}+N(H{r})",
        "K": "=F{r}+N(I{r})",
    }
    fixture = {"A": dt.date(2024, 4, 1), "B": "Player 5", "C": "Player 4", "D": None}
    cells = {f"{letter}{row}": value for row in (LAST - 1, LAST) for letter, value in fixture.items()}
    verdict = validate(matches(tmp_path / "fixtures.xlsx", {**TYPED, **RUNNING, **open_changes}, cells))
    assert (verdict.status, loud(verdict)) == ("agrees", {})


def test_an_approximate_look_up_is_told_though_the_exact_one_finds_nobody(tmp_path: Path) -> None:
    book, slip = Workbook(), 9
    games, ratings = book.active, book.create_sheet("List")
    assert games is not None
    ratings.append(["Player", "Elo"])
    for number in range(1, 7):
        ratings.append([f"Player {number}", 1400 + 50 * number])
    games.append(["Day", "White", "Black", "Score", "Elo W", "Elo B", "Expected", "Change"])
    for row, score in enumerate(SCORES, 2):
        one, two = row % 6 + 1, row * 2 % 5 + 1
        names = f"Player {one}x" if row == slip else f"Player {one}", f"Player {two + (two >= one)}"
        kind = "TRUE" if row == slip else "FALSE"
        looked_up = [f"=VLOOKUP({letter}{row},List!$A$2:$B$7,2,{kind})" for letter in "BC"]
        expected, change = f"=1/(1+10^((F{row}-E{row})/400))", f"=20*(D{row}-G{row})"
        games.append([row, *names, score, *looked_up, expected, change])
    book.save(tmp_path / "approximate.xlsx")
    assert loud(validate(tmp_path / "approximate.xlsx")).get(f"Sheet!E{slip}") == "ES108"


def ranked(cells: Mapping[str, object] | None = None) -> dict[str, object]:
    """A list of the players beside the games, by name: rating, points, and the place by the rating."""
    found: dict[str, object] = {"N3": "Player", "O3": "Rating", "P3": "Points", "Q3": "Place"}
    for at in range(1, 7):
        row = FIRST + at - 1
        found[f"N{row}"] = f"Player {at}"
        found[f"O{row}"] = f"=1500+SUMIF(B$4:B$15,N{row},H$4:H$15)+SUMIF(C$4:C$15,N{row},I$4:I$15)"
        found[f"P{row}"] = f"=SUMIF(B$4:B$15,N{row},D$4:D$15)"
        found[f"Q{row}"] = f"=RANK(O{row},O$4:O$9)"
    return found | dict(cells or {})


def best_first(names: list[str]) -> dict[str, object]:
    """The places below the list, with names that were typed beside the ratings."""
    head = {"M19": "Place", "N19": "Player", "O19": "Rating"}
    rows = [
        {f"M{20 + at}": at + 1, f"N{20 + at}": name, f"O{20 + at}": f"=LARGE(O$4:O$9,M{20 + at})"}
        for at, name in enumerate(names)
    ]
    return {key: value for row in (head, *rows) for key, value in row.items()}


ORDER = ["Player 2", "Player 5", "Player 1", "Player 3", "Player 6", "Player 4"]


def test_a_ranking_is_held_against_the_numbers_that_it_ranks(tmp_path: Path) -> None:
    def told(name: str, cells: Mapping[str, object]) -> dict[str, str]:
        return loud(validate(matches(tmp_path / f"{name}.xlsx", {**TYPED, **RUNNING}, ranked(cells))))

    sound = validate(matches(tmp_path / "sound.xlsx", {**TYPED, **RUNNING}, ranked()))
    assert (sound.status, loud(sound)) == ("agrees", {})
    short = validate(
        matches(
            tmp_path / "s.xlsx", {**TYPED, **RUNNING}, ranked({f"Q{r}": f"=RANK(O{r},O$4:O$7)" for r in range(4, 10)})
        )
    )
    assert loud(short) == {"Sheet!Q4:Q9": "ES125"}
    assert next(one.fix for one in short.findings if one.code == "ES125") == "=RANK(O4,O$4:O$9)"
    assert set(told("names", best_first(ORDER)).values()) == {"ES213"}
