"""Repairs are tried before anything is called an error: the cause is told once, with the formula that puts it right."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from openpyxl import Workbook

from elo_sheets.files.package import Book, Cell
from elo_sheets.recognise.repair import Repair, with_changes
from elo_sheets.validate import validate
from elo_sheets.verdict.findings import ERROR, NOTE, Verdict

PLAYERS = [f"Player {n}" for n in range(1, 6)]
PAIRS = list(itertools.permutations(PLAYERS, 2))
FIRST, LAST = 6, 5 + len(PAIRS)
FORMULAS = {
    "E": "=VLOOKUP(A{r},$N$6:$O$10,2,FALSE)+SUMIF($A$5:$A{a},A{r},$I$5:$I{a})+SUMIF($B$5:$B{a},A{r},$J$5:$J{a})",
    "F": "=VLOOKUP(B{r},$N$6:$O$10,2,FALSE)+SUMIF($A$5:$A{a},B{r},$I$5:$I{a})+SUMIF($B$5:$B{a},B{r},$J$5:$J{a})",
    "G": "=1/(1+10^((F{r}-(E{r}+$B$3))/400))",
    "H": "=1/(1+10^((E{r}+$B$3-F{r})/400))",
    "M": "=IF(C{r}>D{r},1,IF(C{r}=D{r},0.5,0))",
    "I": "=$B$1*(M{r}-G{r})",
    "J": "=$B$1*(1-M{r}-H{r})",
    "K": "=E{r}+I{r}",
    "L": "=F{r}+J{r}",
}
HEADS = (
    *("Home", "Away", "Goals H", "Goals A", "Before H", "Before A", "Expected H", "Expected A"),
    *("Change H", "Change A", "After H", "After A", "Score", "Player", "Start"),
)


def log(path: Path, wrong: dict[str, str], typed: dict[str, float] | None = None, edge: str = "Home advantage") -> Path:
    """A log of home and away games, in which `wrong` replaces the formulas of whole columns and `typed` some cells."""
    book = Workbook()
    sheet = book.create_sheet("Log", 0)
    for cell, value in (("A1", "K"), ("B1", 24), ("A3", edge), ("B3", 60)):
        sheet[cell] = value
    for column, head in enumerate(HEADS, 1):
        sheet.cell(5, column, head)
    for row, (at, (home, away)) in enumerate(enumerate(PAIRS), FIRST):
        for column, typed_in in enumerate([home, away, at * 7 % 4, at * 5 % 3], 1):
            sheet.cell(row, column, typed_in)
        for letter, formula in (FORMULAS | wrong).items():
            sheet[f"{letter}{row}"] = formula.format(r=row, a=row - 1)
    for row, name in enumerate(PLAYERS, FIRST):
        sheet[f"N{row}"], sheet[f"O{row}"] = name, 1500 + 40 * (row - FIRST)
    for cell, number in (typed or {}).items():
        sheet[cell] = number
    book.save(path)
    return path


def errors(verdict: Verdict) -> list[tuple[str, str, str | None]]:
    return [(one.code, one.range, one.fix) for one in verdict.findings if one.severity == ERROR]


def test_a_sound_log_agrees(tmp_path: Path) -> None:
    verdict = validate(log(tmp_path / "sound.xlsx", {}))
    assert (verdict.status, [one for one in verdict.findings if one.severity != NOTE]) == ("agrees", [])


WRONG = {
    "base two in both columns": (
        {column: FORMULAS[column].replace("10^", "2^") for column in "GH"},
        "ES111",
        "G6:H25",
        "G",
    ),
    "a K typed for one side": ({"J": "=50*(1-M{r}-H{r})"}, "ES105", "J6:J25", "J"),
    "home goals against numbers": ({"M": "=IF(C{r}>1,1,IF(C{r}=1,0.5,0))"}, "ES127", "M6:M25", "M"),
}


@pytest.mark.parametrize(("wrong", "code", "cells", "column"), WRONG.values(), ids=WRONG)
def test_a_column_that_is_wrong_is_one_error_with_the_formula_that_belongs_there(
    tmp_path: Path, wrong: dict[str, str], code: str, cells: str, column: str
) -> None:
    verdict = validate(log(tmp_path / "wrong.xlsx", wrong, {"B3": 0}))
    assert errors(verdict) == [(code, f"Log!{cells}", FORMULAS[column].format(r=FIRST, a=FIRST - 1))]


@pytest.mark.parametrize("label", ["Фора хозяев"])
def test_an_edge_that_helps_the_visitors_is_found_whatever_its_label(tmp_path: Path, label: str) -> None:
    wrong = {column: FORMULAS[column].replace("E{r}+$B$3", "E{r}-$B$3") for column in "GH"}
    verdict = validate(log(tmp_path / "wrong.xlsx", wrong, edge=label))
    assert "ES121" in [one.code for one in verdict.findings if one.severity != NOTE]


def test_goals_below_nought_are_found_where_they_stand(tmp_path: Path) -> None:
    verdict = validate(log(tmp_path / "wrong.xlsx", {}, {"C9": -3}))
    assert errors(verdict) == [("ES411", "Log!C9", None)]


def test_a_formula_put_between_arrays_is_one_too() -> None:
    book = Book(
        path=Path("book.xlsx"), sheets={"Log": {(2, 1): Cell("MAX(IF(B:B=1,C:C))", 1.0, "A2"), (3, 1): Cell(None, 7.0)}}
    )
    changed = with_changes(book, Repair({("Log", 3, 1): "MAX(IF(B:B=2,C:C))"}))
    assert changed.sheets["Log"][3, 1].array == "A3"
