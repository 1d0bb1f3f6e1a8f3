"""Calculators: sound ones are silent, each planted fault is named at its cell with a formula that mends it."""

from __future__ import annotations

import books
import pytest

from elo_sheets.recognise import recognise_book

CASES = [
    (books.english_calculator, {"D7": "=1/(1+10^((B7-B8)/$B$4))"}, "ES101", "D7", "=1/(1+10^((B8-B7)/$B$4))"),
    (books.english_calculator, {"D8": "=1/(1+10^(B7-B8)/$B$4)"}, "ES103", "D8", "=1/(1+10^((B7-B8)/$B$4))"),
    (books.english_calculator, {"D8": "=1/1+10^((B7-B8)/$B$4)"}, "ES103", "D8", "=1/(1+10^((B7-B8)/$B$4))"),
    (books.english_calculator, {"D8": "=1/(1+10*((B7-B8)/$B$4))"}, "ES103", "D8", "=1/(1+10^((B7-B8)/$B$4))"),
    (books.english_calculator, {"D8": "=1/(1+EXP((B7-B8)/$B$4))"}, "ES111", "D8", "=1/(1+10^((B7-B8)/$B$4))"),
    (books.english_calculator, {"D8": "=1/(1+10^(ABS(B7-B8)/$B$4))"}, "ES112", "D8", "=1/(1+10^((B7-B8)/$B$4))"),
    (books.english_calculator, {"D8": "=1/(1+10^(B7-B8))"}, "ES102", "D8", "=1/(1+10^((B7-B8)/B4))"),
    (books.english_calculator, {"E8": "=$B$3*(C8-D7)"}, "ES113", "E8", "=$B$3*(C8-D8)"),
    (books.english_calculator, {"E8": "=$B$3*C8"}, "ES117", "E8", "=$B$3*(C8-D8)"),
    (books.english_calculator, {"E8": "=32*(C8-D8)"}, "ES105", "E8", "=B3*(C8-D8)"),
    (books.english_calculator, {"F8": "=B7+E8"}, "ES114", "F8", "=B8+E8"),
    (books.english_calculator, {"F8": "=B8+E7"}, "ES115", "F8", "=B8+E8"),
    (books.english_calculator, {"F8": "=ROUND(B8+E8,0)"}, "ES107", "F8", "=B8+E8"),
    (books.english_calculator, {"F8": "=MAX(1480,B8+E8)"}, "ES118", "F8", "=B8+E8"),
    (books.english_calculator, {"C8": "=C7"}, "ES115", "C8", "=1-C7"),
    (books.english_calculator, {"D8": 0.31}, "ES201", "D8", "=1/(1+10^((B7-B8)/B4))"),
    (books.english_calculator, {"F8": 1466}, "ES201", "F8", "=B8+E8"),
    (books.german_calculator, {"B4": "=1/(1+10^((B3-D3)/400))"}, "ES101", "B4", "=1/(1+10^((D3-B3)/400))"),
    (books.german_calculator, {"B4": "=1/(1+10^(D3-B3)/400)"}, "ES103", "B4", "=1/(1+10^((D3-B3)/400))"),
    (books.german_calculator, {"D4": "=B4"}, "ES113", "D4", "=1-B4"),
    (books.german_calculator, {"D7": "=D3+B6*(D5-D4)"}, "ES120", "D7", "=D3+D6*(D5-D4)"),
    (books.german_calculator, {"B7": "=B3+B6*B5-B4"}, "ES103", "B7", "=B3+B6*(B5-B4)"),
    (books.q_calculator, {"B2": "=POWER(10,B1)"}, "ES102", "B2", "=10^(B1/400)"),
    (books.q_calculator, {"B3": "=D2/(B2+D2)"}, "ES113", "B3", "=B2/(B2+D2)"),
    (books.outcomes_calculator, {"C7": "=B3*(0-B4/100)"}, "ES104", "C7", "=B3*(0.5-B4/100)"),
    (books.outcomes_calculator, {"C8": "=B2+C7"}, "ES114", "C8", "=B1+C7"),
    (books.french_calculator, {"B7": '=IF(B3="gain",1,IF(B3="nul",0,0))'}, "ES104", "B7", None),
    (books.french_calculator, {"B6": "=1/(1+EXP(B5/400))"}, "ES111", "B6", "=1/(1+10^(B5/400))"),
    (books.french_calculator, {"B5": "=ABS(B2-B1)"}, "ES112", "B5", "=B2-B1"),
    (books.block_calculator, {"D4": "=1/(1+10^((A4-B4)/400))"}, "ES101", "D4", None),
    (books.english_calculator, {"B7": "1613"}, "ES410", "B7", None),
    (books.english_calculator, {"C7": 2}, "ES411", "C7", None),
]


@pytest.mark.parametrize("make", books.CALCULATORS, ids=lambda make: make.__name__)
def test_a_sound_calculator_is_recognised_and_nothing_is_said(make: object) -> None:
    found = recognise_book(books.as_book(make()))  # type: ignore[operator]
    assert (found.layout, found.findings, found.reason) == ("calculator", (), None)


@pytest.mark.parametrize(("make", "cells", "code", "cell", "fix"), CASES)
def test_a_fault_is_named_at_its_cell(make, cells, code, cell, fix) -> None:  # type: ignore[no-untyped-def]
    found = recognise_book(books.as_book(books.changed(make(), **cells)))
    hits = [f for f in found.findings if f.range.rpartition("!")[2] == cell]
    assert [f.code for f in hits] == [code]
    if fix is not None:
        assert hits[0].fix == fix


def test_equal_ratings_do_not_hide_a_wrong_curve() -> None:
    book = books.changed(books.german_calculator(), B4="=1/(1+10^(ABS(D3-B3)/400))")
    found = recognise_book(books.as_book(book))
    assert [(f.code, f.severity) for f in found.findings] == [("ES112", "warning")]


def test_the_scale_is_a_fact_and_no_fault() -> None:
    book = books.changed(books.german_calculator(), B4="=1/(1+10^((D3-B3)/250))")
    found = recognise_book(books.as_book(book))
    assert found.findings == ()
    assert found.facts["scale"] == 250.0
