"""Calculators in other words, forms and orders: right ones agree in silence, a planted fault is found."""

from __future__ import annotations

from collections.abc import Callable

import books
import calculators
import pytest

from elo_sheets.recognise import recognise_book
from elo_sheets.verdict.findings import NOTE

Make = Callable[[], books.Sheets]

# A fault, the cell that may be named for it, and the new rating that it spoils: where, right number, wrong number.
FAULTS: list[tuple[Make, dict[str, object], set[str]]] = [
    (calculators.drop_down, {"D4": "=1/(1+10^((B4-B5)/400))"}, {"D4"}),
    (calculators.drop_down, {"C5": "=C4"}, {"C5"}),
    (calculators.drop_down, {"E5": "=B4+$B$8*(C5-D5)"}, {"E5"}),
    (calculators.words_in_a_table, {"B7": "=1/(1+POWER(10,(B2-B1))/400)"}, {"B7"}),
    (calculators.percent, {"B4": "=100/(1+10^((C3-B3)*400))"}, {"B4"}),
    (calculators.k_by_rating, {"E3": "=10^(B2/400)/(10^(B2/400)+10^(B3/400))"}, {"E3"}),
    (calculators.k_by_rating, {"G3": "=B3-F3"}, {"G3"}),
    (calculators.k_table, {"B7": "=1/(1+EXP((B2-B1)/400))"}, {"B7"}),
    (calculators.k_table, {"B10": "=B2+B5*(1-B3-B8)"}, {"B10"}),
    (calculators.all_results, {"C7": "=$B$1+$B$3*(0-$B$4)"}, {"C7"}),
    (calculators.rounded, {"D9": "=1/(1+10^(-(B5-D5)/400))"}, {"D9"}),
    (calculators.capped, {"B6": "=1/(1+10^(B5/400))"}, {"B6"}),
    (calculators.table_of_expectations, {"B7": "=B6"}, {"B7"}),
    (calculators.on_one_line, {"E2": '=B2+32*(IF(C2="L",1,IF(C2="D",0.5,0))-1/(1+10^((B2-A2)/400)))'}, {"E2"}),
    (calculators.switches, {"E7": "=1/(1+$B$1*((B6-B7)/$B$2))"}, {"E7"}),
    (calculators.two_results, {"B11": "=B2+B4*(B8-B7)"}, {"B11"}),
    (calculators.only_mine, {"B6": "=1/(1+10^(ABS(B2-B1)/400))"}, {"B6"}),
]


@pytest.mark.parametrize("make", calculators.SOUND, ids=lambda make: make.__name__)
def test_a_right_calculator_agrees_and_nothing_is_said(make: Make) -> None:
    found = recognise_book(books.as_book(make()))
    assert (found.layout, found.findings, found.reason) == ("calculator", (), None)


@pytest.mark.parametrize(("make", "cells", "places"), FAULTS)
def test_a_fault_is_found_at_its_cell(make: Make, cells: dict[str, object], places: set[str]) -> None:
    found = recognise_book(books.as_book(books.changed(make(), **cells)))
    loud = {f.range.rpartition("!")[2] for f in found.findings if f.severity != NOTE}
    assert loud == places


def test_the_effect_is_told_in_points() -> None:
    """After a win 1710 + 20·(1 − 1/(1 + 10^(−120/400))); with the chance of the other side 20·… of that side."""
    book = books.changed(calculators.drop_down(), D4="=1/(1+10^((B4-B5)/400))")
    (finding,) = recognise_book(books.as_book(book)).findings
    right = 1 / (1 + 10 ** (-120 / 400))
    assert finding.expected == pytest.approx(right)
    assert abs(finding.effect) == pytest.approx(20 * (right - (1 - right)))


@pytest.mark.parametrize(
    ("make", "facts"),
    [
        (calculators.capped, {"cap": 400.0, "scale": 400.0, "k": 10.0}),
        (calculators.table_of_expectations, {"curve": "FIDE table", "k": 20.0}),
        (calculators.home_side, {"advantage": 65.0, "k": 30.0}),
    ],
)
def test_what_a_sheet_declares_is_a_fact(make: Make, facts: dict[str, object]) -> None:
    assert facts.items() <= recognise_book(books.as_book(make())).facts.items()
