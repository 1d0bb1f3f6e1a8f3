"""The rounds of one player: his new rating by Elo's rule and by Glicko's, with what stands beside it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from openpyxl import Workbook

from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE, Verdict

RATINGS = (1400, 1550, 1700, 1650, 1490)
SCORES = (1, 0, 0, 0.5, 1)
DEVIATIONS = (30, 100, 300, 60, 120)
FIRST, LAST = 9, 13
ELO = {"E": "=1/(1+10^((C{r}-$B$1)/400))"}
ELO_CLOSED = {"B5": "=B1+B6", "B6": "=B3*(SUM(D9:D13)-SUM(E9:E13))"}
GLICKO = {
    "E": "=1/SQRT(1+3*$B$4^2*F{r}^2/PI()^2)",
    "G": "=1/(1+10^(-E{r}*($B$1-C{r})/400))",
    "H": "=E{r}^2*G{r}*(1-G{r})",
    "I": "=E{r}*(D{r}-G{r})",
}
GLICKO_CLOSED = {
    "B4": "=LN(10)/400",
    "B5": "=B1+B4/(1/B2^2+B6)*SUM(I9:I13)",
    "B6": "=B4^2*SUM(H9:H13)",
    "B7": "=MAX(30,SQRT(1/(1/B2^2+B6)))",
}


def rounds(path: Path, columns: Mapping[str, str], closed: Mapping[str, str]) -> Path:
    """Five rounds under each other, and the cells that close them: the paper's example, and more."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    settings = (("Rating", 1500), *([("RD", 200)] if columns is GLICKO else [("Event", "open")]), ("K", 20))
    for row, (label, value) in enumerate(settings, 1):
        sheet[f"A{row}"], sheet[f"B{row}"] = label, value
    for cell, text in closed.items():
        sheet[cell] = text
    for at, (rating, score, deviation) in enumerate(zip(RATINGS, SCORES, DEVIATIONS, strict=True)):
        row = FIRST + at
        for column, value in zip("ABCD", (at + 1, f"Player {at + 2}", rating, score), strict=True):
            sheet[f"{column}{row}"] = value
        if columns is not ELO:
            sheet[f"F{row}"] = deviation
        for column, text in columns.items():
            sheet[f"{column}{row}"] = text.format(r=row)
    book.save(path)
    return path


def said(verdict: Verdict) -> tuple[str, dict[str, str | None]]:
    return verdict.status, {one.range: one.fix for one in verdict.findings if one.severity != NOTE}


SOUND = {
    "Elo": (ELO, ELO_CLOSED),
    "Elo with the changes and the performance": (
        {**ELO, "F": "=$B$3*(D{r}-E{r})"},
        {**ELO_CLOSED, "B7": "=AVERAGE(C9:C13)+400*(2*SUM(D9:D13)-5)/5", "F14": "=SUM(F9:F13)"},
    ),
    "Glicko": (GLICKO, GLICKO_CLOSED),
}


@pytest.mark.parametrize(("columns", "closed"), SOUND.values(), ids=SOUND)
def test_a_new_rating_that_follows_from_the_rounds_agrees(
    tmp_path: Path, columns: dict[str, str], closed: dict[str, str]
) -> None:
    assert said(validate(rounds(tmp_path / "sound.xlsx", columns, closed))) == ("agrees", {})


WRONG = {
    "the common logarithm": ("B4", "=LOG(10)/400"),
    "the deviation for its square": ("B7", "=MAX(30,SQRT(1/(1/B2+B6)))"),
}


@pytest.mark.parametrize(("cell", "text"), WRONG.values(), ids=WRONG)
def test_a_slip_in_glickos_rule_is_told_with_its_repair(tmp_path: Path, cell: str, text: str) -> None:
    verdict = validate(rounds(tmp_path / "wrong.xlsx", GLICKO, {**GLICKO_CLOSED, cell: text}))
    assert said(verdict) == ("differs", {f"Sheet!{cell}": GLICKO_CLOSED[cell]})


def test_a_number_that_follows_no_rule_is_never_called_right(tmp_path: Path) -> None:
    closed = {**ELO_CLOSED, "B7": "=B3*SUM(E9:E13)^2"}
    assert said(validate(rounds(tmp_path / "odd.xlsx", ELO, closed))) == ("unchecked", {})
