"""Logs with two rows a game: limits of ratings and differences are rules; level games and late lists are mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl import Workbook

from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE, Verdict

PLAYERS = ("Player 1", "Player 2", "Player 3", "Player 4", "Player 5")
SCORES = (1, 0, 1, 1, 0.5, 0, 1, 0, 1, 1, 0, 0.5, 1, 1)
TOP = 4
LAST = TOP + 2 * len(SCORES) - 1
COLUMNS = {
    "D": "=IFERROR(LOOKUP(2,1/(B$3:B{a}=B{r}),H$3:H{a}),1500)",
    "E": "=D{o}",
    "F": "=1/(1+10^((E{r}-D{r})/400))",
    "G": "=$B$1*(C{r}-F{r})",
    "H": "=D{r}+G{r}",
}
LIST = "=LOOKUP(2,1/(B$4:B${last}=J{r}),{column}$4:{column}${last})"


def rounds(path: Path, wrong: dict[str, str] | None = None, rows: range = range(0), shown: str = "H") -> Path:
    """Games of five players and a list of them: `wrong` are other formulas for `rows`, {o} is the opponent's row."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet["A1"], sheet["B1"], sheet["C1"], sheet["D1"] = "K", 32, "Lowest", 1470
    for at, head in enumerate(["Game", "Player", "Points", "Before", "Opponent", "Expected", "Change", "After"], 1):
        sheet.cell(3, at, head)
    for at, score in enumerate(SCORES):
        one, two = at % 5, (at * 3 + 2) % 5
        two = (two + 1) % 5 if two == one else two
        for side, (who, points) in enumerate(((one, score), (two, 1 - score))):
            row = TOP + 2 * at + side
            for column, value in enumerate((at + 1, PLAYERS[who], points), 1):
                sheet.cell(row, column, value)
            forms = {**COLUMNS, **(wrong or {})} if row in rows else COLUMNS
            for letter, text in forms.items():
                text = text.format(r=row, a=TOP + 2 * at - 1, o=row + 1 - 2 * side)
                sheet[f"{letter}{row}"] = text if text.startswith("=") else float(text)
    sheet["J3"], sheet["K3"] = "Player", "Rating"
    for row, who in enumerate(PLAYERS, TOP):
        sheet[f"J{row}"], sheet[f"K{row}"] = who, LIST.format(r=row, last=LAST, column=shown)
        sheet[f"L{row}"] = f"=MAX(1500,_xlfn.MAXIFS(H$4:H${LAST},B$4:B${LAST},J{row}))"  # the highest rating
    book.save(path)
    return path


def loud(verdict: Verdict) -> dict[str, tuple[str, str | None]]:
    return {one.range: (one.code, one.fix) for one in verdict.findings if one.severity != NOTE}


ALL = range(TOP, LAST + 1)
SOUND = {
    "as it is": {},
    "a floor that holds": {"H": "=MAX($D$1,D{r}+G{r})"},
    "a limit of differences": {"F": "=MAX(-40,MIN(40,E{r}-D{r}))", "G": "=$B$1*(C{r}-1/(1+10^(F{r}/400)))"},
}


@pytest.mark.parametrize("columns", SOUND.values(), ids=SOUND)
def test_limits_are_rules(tmp_path: Path, columns: dict[str, str]) -> None:
    verdict = validate(rounds(tmp_path / "sound.xlsx", columns, ALL))
    assert (verdict.status, loud(verdict)) == ("agrees", {})


def test_a_rating_that_is_compared_with_itself_is_told_with_the_opponents(tmp_path: Path) -> None:
    first = TOP + 12
    found = loud(validate(rounds(tmp_path / "wrong.xlsx", {"E": "=D{r}"}, range(first, LAST + 1))))
    assert found == {f"Sheet!E{first}:E{LAST}": ("ES114", f"=D{first + 1}")}


def test_a_game_that_both_sides_won_is_told_where_each_row_reads_the_others_rating(tmp_path: Path) -> None:
    path = rounds(tmp_path / "wrong.xlsx", {"C": "1"}, range(TOP + 8, TOP + 10))
    assert "ES411" in {code for code, _ in loud(validate(path)).values()}


def test_a_list_of_ratings_before_the_last_games_is_told(tmp_path: Path) -> None:
    verdict = validate(rounds(tmp_path / "wrong.xlsx", shown="D"))
    assert loud(verdict) == {
        f"Sheet!K{TOP}:K{TOP + 4}": ("ES106", f"=LOOKUP(2,1/(B${TOP}:B${LAST}=J{TOP}),H${TOP}:H${LAST})")
    }


def test_a_k_of_the_second_row_alone_is_told_with_the_others(tmp_path: Path) -> None:
    found = loud(validate(rounds(tmp_path / "wrong.xlsx", {"G": "=$B$1/2*(C{r}-F{r})"}, range(TOP + 1, LAST + 1, 2))))
    assert set(found.values()) == {("ES120", f"=$B$1*(C{TOP + 1}-F{TOP + 1})")}
