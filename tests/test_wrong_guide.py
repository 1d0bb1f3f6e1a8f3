"""The much-read guide, rebuilt as a workbook: each of its errors is found, with the right number beside it.

The right changes are those of the Elo formula worked by hand: 16·(1 − 0.5) = 8 and so on, to two decimals.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from elo_sheets.validate import Finding, Verdict, validate
from elo_sheets.verdict.findings import DIFFERS, NOTE

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


@pytest.mark.parametrize(
    ("cell", "printed", "right"),
    [
        ("Test!F2", 16.0, 8.0),
        ("Test!F4", 10.0, 3.84),
        ("Test!F5", 22.0, 12.16),
        ("Test!F6", -2.0, -15.84),
        ("Test!F7", 10.0, 5.60),
    ],
)
def test_a_wrong_row_of_the_test_table_stands_beside_the_right_number(cell: str, printed: float, right: float) -> None:
    (finding,) = found_at(cell)
    assert finding.found == printed
    assert finding.expected == pytest.approx(right, abs=0.005)


def test_the_right_row_of_the_test_table_stays_unsaid() -> None:
    assert found_at("Test!F3") == []


def test_the_new_rating_that_adds_to_itself_is_called_circular() -> None:
    """1500 + 32·(1 − 1/(1 + 10^(50/400))) is the rating after the first game."""
    (finding,) = [f for f in found_at("Rating!H5") if f.code == "ES215"]
    assert finding.expected == pytest.approx(1500 + 32 * (1 - 1 / (1 + 10 ** (50 / 400))), abs=1e-9)
    assert finding.fix == "=D5+G5"


def test_the_rating_before_that_never_follows_is_found() -> None:
    """From the second game on the current rating is read, not the rating after the game before."""
    (finding,) = [f for row in (5, 6) for f in found_at(f"Rating!D{row}")]
    assert finding.code in {"ES124", "ES126"}
    assert finding.expected == pytest.approx(1500 + 32 * (1 - 1 / (1 + 10 ** (50 / 400))), abs=1e-9)
    assert finding.found == 1500.0


def test_the_k_that_no_formula_reads_is_noted() -> None:
    """Rating!B3 says 16; the games of a player at 1500 are rated with the 32 of the ladder."""
    (finding,) = [f for f in verdict().findings if f.range == "Rating!B3"]
    assert finding.severity == NOTE
    assert "16" in finding.message
    assert "32" in finding.message
