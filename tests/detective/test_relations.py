"""Sentences on games: what a change really uses is found at other results and ratings than stand there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from openpyxl import Workbook

from elo_sheets.detective.houses import parse_house
from elo_sheets.errors import UsageError
from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE, Verdict

SCORES = (1, 0, 0.5, 1, 0, 0, 1, 0.5, 1, 0, 0.5, 0, 1, 1, 0, 0.5, 0, 1, 0, 1)
FIRST, LAST = 4, 3 + len(SCORES)
COLUMNS = {
    "E": "=1/(1+10^((B{r}-{own})/400))",
    "F": "=$B$1*(S{r}-E{r})",
    "G": "={own}+F{r}",
    "S": "=IF(C{r}>D{r},1,IF(C{r}=D{r},0.5,0))",
}
BETWEEN = 12  # a row that is no game


def journal(path: Path, wrong: dict[str, tuple[str, str]], rows: range, between: str = "") -> Path:
    """One player's log with goals, in which `wrong` replaces text in the formulas of `rows`."""
    book = Workbook()
    sheet = book.create_sheet("Games", 0)
    for cell, value in (("A1", "K"), ("B1", 20), ("C1", "Start"), ("D1", 1500), ("S3", "Score")):
        sheet[cell] = value
    for at, head in enumerate(["Opponent", "Rating", "For", "Against", "Expected", "Change", "New rating"], 1):
        sheet.cell(3, at, head)
    above, row = "$D$1", FIRST
    for at, score in enumerate(SCORES):
        if between and row == BETWEEN:
            sheet.cell(row, 1, between)
            row += 1
        for column, value in enumerate([f"Player {at % 7 + 2}", 1380 + 37 * (at % 9), *_goals(score, at)], 1):
            sheet.cell(row, column, value)
        for column, form in COLUMNS.items():
            text = form.format(r=row, own=above)
            sheet[f"{column}{row}"] = re.sub(*wrong[column], text) if column in wrong and row in rows else text
        above, row = f"G{row}", row + 1
    book.save(path)
    return path


def _goals(score: float, at: int) -> tuple[int, int]:
    more = at % 3 + 1
    return (more, 0) if score == 1 else (0, more) if score == 0 else (more, more)


def loud(verdict: Verdict) -> list[tuple[str, str, str | None]]:
    return [(one.code, one.range, one.fix) for one in verdict.findings if one.severity != NOTE]


ALL = range(FIRST, LAST + 1)
WRONG = {
    "an expectation in per cent": ({"E": ("=1/", "=100/")}, "ES127", "E", "=1/(1+10^((B4-$D$1)/400))"),
    "half a point off": ({"F": (r"E(\d+)\)", r"E\1-0.5)")}, "ES127", "F", "=$B$1*(S4-E4)"),
    "wins that count one and a half": ({"F": (r"\(S", "(1.5*S")}, "ES127", "F", "=$B$1*(S4-E4)"),
    "draws for the first": ({"S": (">D", ">=D")}, "ES104", "S", "=IF(C4>D4,1,IF(C4=D4,0.5,0))"),
}


@pytest.mark.parametrize(("wrong", "code", "column", "fix"), WRONG.values(), ids=WRONG)
def test_a_whole_column_that_is_no_rating_rule_is_found_and_put_right(
    tmp_path: Path, wrong: dict[str, tuple[str, str]], code: str, column: str, fix: str
) -> None:
    found = loud(validate(journal(tmp_path / "wrong.xlsx", wrong, ALL)))
    assert (code, f"Games!{column}{FIRST}:{column}{LAST}", fix) in found


@pytest.mark.parametrize("first", [8, 11, 20], ids="from row {}".format)
def test_a_rule_that_begins_further_down_is_found_where_it_begins(tmp_path: Path, first: int) -> None:
    wrong = {"E": ("/400", "/250")}
    found = loud(validate(journal(tmp_path / "wrong.xlsx", wrong, range(first, LAST + 1))))
    assert any(where == f"Games!E{first}:E{LAST}" for _, where, _ in found)


@pytest.mark.parametrize("between", ["", "Spring"])
def test_a_sound_log_agrees(tmp_path: Path, between: str) -> None:
    verdict = validate(journal(tmp_path / "sound.xlsx", {}, ALL, between))
    assert (verdict.status, loud(verdict)) == ("agrees", [])


def test_a_margin_counts_for_both_sides(tmp_path: Path) -> None:
    columns = {"F": (r"=\$B\$1\*\(S(\d+)", r"=$B$1*(1+ABS(C\1-D\1)/8)*(S\1")}
    assert validate(journal(tmp_path / "sound.xlsx", columns, ALL)).status == "agrees"
    wrong = {"F": (columns["F"][0], columns["F"][1].replace("ABS(C\\1-D\\1)", "MAX(0,C\\1-D\\1)"))}
    found = validate(journal(tmp_path / "wrong.xlsx", wrong, ALL)).findings
    assert any("a margin counts where one side wins, not where the other does" in one.message for one in found)


HOUSES = {
    "draws that count nothing": ({"S": (",IF.*0.5,0\\)", ",0")}, "draw", 0.0),
    "a scale of its own": ({"E": ("/400", "/60")}, "scale", 60.0),
}


@pytest.mark.parametrize(("own", "name", "number"), HOUSES.values(), ids=HOUSES)
def test_a_rule_of_the_house_is_a_finding_until_it_is_declared(
    tmp_path: Path, own: dict[str, tuple[str, str]], name: str, number: float
) -> None:
    path = journal(tmp_path / "own.xlsx", own, ALL)
    found = validate(path)
    assert found.status == "differs"
    assert any(f"--allow '{name}={number:g}'" in one.message for one in found.findings)
    declared = validate(path, allow={name: number})
    assert (declared.status, loud(declared)) == ("agrees", [])
    assert declared.facts["allowed"] == f"{name}={number:g}"
    assert validate(path, allow={name: number + 0.2}).status == "differs"


@pytest.mark.parametrize("text", ["draws=0", "draw=", "draw=much", "draw", "k=inf"])
def test_what_declares_no_rule_of_the_house_is_refused_with_what_would(text: str) -> None:
    with pytest.raises(UsageError, match=r"such as \w+=0"):
        parse_house(text)
    assert parse_house("Draw = 0,5") == ("draw", 0.5)


def test_a_factor_of_the_margin_and_the_lead_is_no_other_k(tmp_path: Path) -> None:
    """FiveThirtyEight's rule of basketball: the margin counts less where the stronger side wins."""
    book = Workbook()
    sheet = book.create_sheet("Games", 0)
    for cell, value in (("P1", "K"), ("Q1", 20), ("P2", "Home"), ("Q2", 100)):
        sheet[cell] = value
    for at, head in enumerate(["Home", "Away", "PH", "PA", "Elo H", "Elo A", "P(H)", "Factor", "Change"], 1):
        sheet.cell(3, at, head)
    names = [f"Player {at}" for at in range(1, 6)]
    for at, row in enumerate(range(4, 24)):
        home, away, margin = names[at % 5], names[(at + 1 + at // 5 % 4) % 5], (9, -4, 17, -12, 3)[at * 3 % 5]
        for column, value in enumerate([home, away, 96 + at % 7 + margin, 96 + at % 7], 1):
            sheet.cell(row, column, value)
        for column, who in (("E", "A"), ("F", "B")):
            won, lost = (f"SUMIF(${side}$3:${side}{row - 1},{who}{row},$I$3:$I{row - 1})" for side in "AB")
            sheet[f"{column}{row}"] = f"=1500+{won}-{lost}"
        sheet[f"M{row}"] = f"=E{row}+$Q$2-F{row}"
        sheet[f"G{row}"] = f"=1/(1+10^(-M{row}/400))"
        sheet[f"J{row}"] = f"=C{row}-D{row}"
        sheet[f"H{row}"] = f"=((ABS(J{row})+3)^0.8)/(7.5+0.006*IF(J{row}>0,M{row},-M{row}))"
        sheet[f"I{row}"] = f"=$Q$1*H{row}*(IF(J{row}>0,1,0)-G{row})"
        sheet[f"K{row}"], sheet[f"L{row}"] = f"=E{row}+I{row}", f"=F{row}-I{row}"
    book.save(path := tmp_path / "basketball.xlsx")
    verdict = validate(path)
    assert (loud(verdict), verdict.status) == ([], "agrees")
