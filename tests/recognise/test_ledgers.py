"""Logs and pools that elo-sheets did not make: sound ones stay silent, and each planted fault is named in its cell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE, Finding

SCORES = (1, 0, 0.5, 1, 1, 0, 0.5, 0, 1, 0, 1, 0.5, 0, 1, 1, 0)
PAIRS = ("AB", "CD", "AC", "BD", "AD", "BC", "BA", "DC", "CA", "DB", "DA", "CB", "AB", "CD", "AC", "BD")
NAMES = {"A": "Anna", "B": "Bert", "C": "Cora", "D": "Dave"}
Fault = Callable[[Worksheet], None]


def write_log(path: Path, fault: Fault | None = None) -> Path:
    """One player's games: opponent's rating, score, before, expected, change, after."""
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Log"
    sheet.append(["Opponent", "Score", "Before", "Expected", "Change", "After", None, "K", 24])
    for i, score in enumerate(SCORES):
        r = i + 2
        sheet.append([1450 + 37 * (i * 5 % 11), score])
        sheet[f"C{r}"] = f"=F{r - 1}" if i else 1500
        sheet[f"D{r}"] = f"=1/(1+10^((A{r}-C{r})/400))"
        sheet[f"E{r}"] = f"=$I$1*(B{r}-D{r})"
        sheet[f"F{r}"] = f"=C{r}+E{r}"
    if fault is not None:
        fault(sheet)
    book.save(path)
    return path


def write_pool(path: Path, fault: Fault | None = None) -> Path:
    """A ledger of four players, the rating before found by the latest row of the name."""
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Games"
    sheet.append(["White", "Black", "Result", "Rw", "Rb", "Ew", "Rw new", "Rb new", None, "K", 20])
    for i, score in enumerate(SCORES):
        r, low = i + 2, i + 1
        white, black = PAIRS[i]
        sheet.append([NAMES[white], NAMES[black], score])
        for column, who in (("D", "A"), ("E", "B")):
            row = f"SUMPRODUCT(MAX(($A$1:$B{low}={who}{r})*ROW($A$1:$B{low})))"
            latest = f"IF(INDEX($A$1:$A{low},{row})={who}{r},INDEX($G$1:$G{low},{row}),INDEX($H$1:$H{low},{row}))"
            sheet[f"{column}{r}"] = f"=IF(COUNTIF($A$1:$B{low},{who}{r})=0,1500,{latest})"
        sheet[f"F{r}"] = f"=1/(1+10^((E{r}-D{r})/400))"
        sheet[f"G{r}"] = f"=D{r}+$K$1*(C{r}-F{r})"
        sheet[f"H{r}"] = f"=E{r}-$K$1*(C{r}-F{r})"
    if fault is not None:
        fault(sheet)
    book.save(path)
    return path


def loud(path: Path) -> list[Finding]:
    return [finding for finding in validate(path).findings if finding.severity != NOTE]


def put(cell: str, content: object) -> Fault:
    def fault(sheet: Worksheet) -> None:
        sheet[cell] = content  # type: ignore[assignment]

    return fault


def column(letter: str, formula: str) -> Fault:
    def fault(sheet: Worksheet) -> None:
        for row in range(2, len(SCORES) + 2):
            sheet[f"{letter}{row}"] = formula.replace("#", str(row))

    return fault


@pytest.mark.parametrize("write", [write_log, write_pool])
def test_a_sound_ledger_is_silent(write: Callable[[Path], Path], tmp_path: Path) -> None:
    assert loud(write(tmp_path / "sound.xlsx")) == []


@pytest.mark.parametrize(
    ("fault", "code", "cell"),
    [
        (put("D9", "=1/(1+10^((C9-A9)/400))"), "ES101", "Log!D9"),
        (put("D9", "=1/(1+10^((A9-C9)))"), "ES102", "Log!D9"),
        (put("E9", "=24*(B9-D9)"), "ES105", "Log!E9"),
        (put("F9", 1519.0), "ES201", "Log!F9"),
        (put("F9", None), "ES202", "Log!F9"),
        (put("F9", "=C9"), "ES126", "Log!F9"),
        (put("B9", "0"), "ES410", "Log!B9"),
        (put("B9", 2), "ES411", "Log!B9"),
        (column("D", "=1/(1+10^((C#-A#)/400))"), "ES101", "Log!D2:D17"),
        (column("D", "=1/(1+10*((A#-C#)/400))"), "ES103", "Log!D2:D17"),
        (column("D", "=1/(1+10^((A#-C#)))"), "ES102", "Log!D2:D17"),
        (column("D", "=1/(1+EXP((A#-C#)/400))"), "ES111", "Log!D2:D17"),
        (column("D", "=1/(1+10^(ABS(A#-C#)/400))"), "ES112", "Log!D2:D17"),
        (column("E", "=$I$1*(B#-(1-D#))"), "ES113", "Log!E2:E17"),
        (column("E", "=$I$1*B#"), "ES117", "Log!E2:E17"),
    ],
)
def test_a_fault_in_a_log_is_named_in_its_cell(fault: Fault, code: str, cell: str, tmp_path: Path) -> None:
    found = loud(write_log(tmp_path / "faulty.xlsx", fault))
    assert (code, cell) in [(finding.code, finding.range) for finding in found]


@pytest.mark.parametrize(
    ("fault", "code", "cell"),
    [
        (put("H9", "=E9+$K$1*(C9-F9)"), "ES115", "Games!H9"),
        (put("G9", "=E9+$K$1*(C9-F9)"), "ES114", "Games!G9"),
        (put("A9", "Dave "), "ES412", "Games!A9"),
        (column("H", "=E#+$K$1*(C#-F#)"), "ES115", "Games!H2:H17"),
        (column("H", "=E#"), "ES126", "Games!H2:H17"),
        (column("G", "=E#+$K$1*(C#-F#)"), "ES114", "Games!G2:G17"),
    ],
)
def test_a_fault_in_a_pool_is_named_in_its_cell(fault: Fault, code: str, cell: str, tmp_path: Path) -> None:
    found = loud(write_pool(tmp_path / "faulty.xlsx", fault))
    assert (code, cell) in [(finding.code, finding.range) for finding in found]


def test_figures_above_the_header_are_no_part_of_the_columns_below(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.append(["Peak", None, "=MAX(F5:F40)", None, None, "=COUNT(B5:B40)"])
    sheet.append(["K", 24])
    sheet.append([])
    sheet.append(["Opponent", "Score", "Before", "Expected", "Change", "After"])
    for r, score in enumerate(SCORES, 5):
        sheet.append([1450 + 37 * (r * 5 % 11), score, f"=F{r - 1}" if r > 5 else 1500,
                      f"=1/(1+10^((A{r}-C{r})/400))", f"=$B$2*(B{r}-D{r})", f"=C{r}+E{r}"])  # fmt: skip
    book.save(tmp_path / "log.xlsx")
    assert loud(tmp_path / "log.xlsx") == []
    sheet["F9"] = "=C9"
    book.save(tmp_path / "log.xlsx")
    assert [(f.code, f.range) for f in loud(tmp_path / "log.xlsx")] == [("ES126", "Sheet!F9")]


def test_the_effect_is_measured_by_recalculation(tmp_path: Path) -> None:
    found = loud(write_log(tmp_path / "faulty.xlsx", put("F9", 1600.0)))
    right = next(f for f in found if f.code == "ES201")
    assert right.confidence == "proven"
    assert isinstance(right.expected, float)
    assert right.effect == pytest.approx(1600.0 - right.expected, abs=0.01)
    assert right.fix == "=C9+E9"


def test_without_a_k_anywhere_the_cost_of_unmoved_ratings_is_said_to_be_unknown(tmp_path: Path) -> None:
    def unmoved(sheet: Worksheet) -> None:
        for row in range(2, len(SCORES) + 2):
            sheet[f"E{row}"], sheet[f"F{row}"] = None, f"=C{row}"
        sheet["H1"] = sheet["I1"] = None

    (found,) = loud(write_log(tmp_path / "faulty.xlsx", unmoved))
    assert (found.code, found.effect, found.fix) == ("ES126", 0.0, None)
    assert "cannot be told" in found.message


def test_an_equivalent_spelling_in_one_row_is_silent(tmp_path: Path) -> None:
    assert loud(write_log(tmp_path / "sound.xlsx", put("E9", "=-$I$1*(D9-B9)"))) == []
