"""Matrices, periods, tournaments, league tables and books of values."""

from __future__ import annotations

from collections.abc import Callable

import books
import pytest

from elo_sheets.recognise import recognise_book
from elo_sheets.recognise.model import Recognised

LAYOUTS: list[tuple[Callable[[], books.Sheets], str]] = [
    (books.winner_loser_matrix, "winner-loser matrix"),
    (books.all_pairs_matrix, "all-pairs"),
    (books.all_pairs_list, "all-pairs"),
    (books.period_book, "periods"),
    (books.tournament_book, "tournament"),
    (books.league_table, "league-table"),
    (books.values_only, "values-only"),
]


def ask(sheets: books.Sheets) -> Recognised:
    return recognise_book(books.as_book(sheets))


@pytest.mark.parametrize(("make", "layout"), LAYOUTS, ids=lambda value: getattr(value, "__name__", value))
def test_a_sound_book_is_recognised_and_nothing_is_said(make: Callable[[], books.Sheets], layout: str) -> None:
    found = ask(make())
    assert (found.layout, found.findings) == (layout, ())
    assert found.reason or (
        layout in ("periods", "tournament", "winner-loser matrix") and found.rated == found.listed > 0
    )


@pytest.mark.parametrize(
    ("cells", "code", "cell"),
    [
        ({"E4": "=1/(1+10^(($B4-E$2)/400))"}, "ES101", "E4"),
        ({"F7": 0.61}, "ES201", "F7"),
        ({"F5": "=1/(1+10^((F$2-$B5)/480))"}, "ES110", "F5"),
        ({"F5": "=1/(1+10^((F$2-$B6)/400))"}, "ES106", "F5"),
        ({"F5": None}, "ES202", "F5"),
    ],
)
def test_a_cell_of_a_matrix_that_differs_is_named(cells: dict[str, object], code: str, cell: str) -> None:
    found = ask(books.changed(books.all_pairs_matrix(), **cells))  # type: ignore[arg-type]
    assert [(f.code, f.range) for f in found.findings] == [(code, f"Pairs!{cell}")]


def test_the_diagonal_may_be_blank_or_filled() -> None:
    filled = {f"{'CDEFGH'[i]}{3 + i}": 0.5 for i in range(6)}
    assert ask(books.changed(books.all_pairs_matrix(), **filled)).findings == ()


def test_a_cross_table_is_closed_by_sums_and_nothing_is_said() -> None:
    found = ask(books.cross_table())
    assert (found.facts.get("scale"), found.findings) == (400.0, ())


def test_a_change_that_ignores_the_expectation_is_named_in_a_period() -> None:
    book = books.period_book(months=1)
    cells = book["Month 1"]
    for row in range(2, 7):
        cells[f"E{row}"] = f"=B{row}+$O$1*C{row}"
    found = ask(book)
    assert [(f.code, f.range) for f in found.findings] == [("ES117", "'Month 1'!E2:E6")]


def test_a_total_that_misses_a_round_is_named() -> None:
    found = ask(books.changed(books.tournament_book(), G13="=SUM(G5:G10)"))
    assert [(f.code, f.range, f.fix) for f in found.findings] == [("ES125", "Tournament!G13", "=SUM(G5:G11)")]


def test_a_wrong_row_of_the_published_table_is_named_with_the_right_number() -> None:
    book = books.tournament_book()
    book["Table"]["B20"] = 0.69
    found = ask(book)
    assert [(f.code, f.range, f.expected) for f in found.findings] == [("ES203", "Table!B20", 0.68)]


def test_a_league_table_has_no_elo_and_its_sums_are_checked() -> None:
    found = ask(books.changed(books.league_table(), C4="=D4+E4", J3=27))
    # Each is told once: a number that was typed over its formula as that, a wrong formula as the total it makes wrong.
    assert {(f.code, f.range) for f in found.findings} == {("ES214", "Liga!C4"), ("ES201", "Liga!J3")}
    assert "no Elo" in str(found.reason)


@pytest.mark.parametrize(("k", "scale", "digits"), [(24, 400, 2), (32, 480, 0), (16, 173, 6)])
def test_values_are_explained_by_one_rule(k: float, scale: float, digits: int) -> None:
    found = ask(books.values_only(k=k, scale=scale, digits=digits))
    assert (found.facts["k"], found.facts["scale"]) == (k, scale)
    assert found.findings == ()


def test_a_value_that_the_rule_does_not_explain_is_proven_wrong() -> None:
    book = books.values_only()
    before = book["Log"]["G12"]
    assert isinstance(before, float)
    book["Log"]["G12"] = before + 5
    found = ask(book)
    assert [(f.range, f.confidence) for f in found.findings] == [("Log!G12", "proven")]
    assert found.findings[0].expected == pytest.approx(before, abs=0.01)
