"""The much-read guide, rebuilt as a workbook: what is found of its errors."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from elo_sheets.validate import Finding, Verdict, validate
from elo_sheets.validate.findings import DIFFERS, NOTE

GUIDE = Path(__file__).parent.parent / "samples/wrong_guide.xlsx"


@cache
def verdict() -> Verdict:
    return validate(GUIDE)


def found_at(cell: str) -> list[Finding]:
    return [
        finding
        for finding in verdict().findings
        if finding.severity != NOTE and finding.range.partition(":")[0] == cell
    ]


def test_the_guide_differs() -> None:
    assert verdict().status == DIFFERS


def test_the_right_row_of_the_test_table_stays_unsaid() -> None:
    assert found_at("Test!F3") == []


def test_the_new_rating_that_adds_to_itself_is_called_circular() -> None:
    assert "ES215" in {finding.code for finding in found_at("Rating!H5")}
