"""The EGF's rating: the federation's own case, handicap, limits, ranks and properties."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elo_sheets.errors import UsageError
from elo_sheets.games import make_games
from elo_sheets.replaying.cases import Period, columns_of
from elo_sheets.replaying.readings import by_floats
from elo_sheets.replaying.replay import replay
from elo_sheets.systems import egf as rules
from elo_sheets.systems.egf import EGF

PROGRAM = Path(__file__).parents[1] / "data" / "egf" / "program.csv"
CASES = list(csv.DictReader(PROGRAM.read_text(encoding="utf-8").splitlines()))

ratings = st.floats(-900, 3000, allow_nan=False)


def played(rating: float, opponent: float, score: float, side: int = 1, handicap: float = 0, games: int = 1) -> Any:
    """Every column of a tournament against one opponent."""
    game = {"opponent_rating": opponent, "score": score, "side": side, "handicap": handicap}
    return by_floats([columns_of(Period(EGF, {"rating": rating}, [game] * games, {}))])[0]


def expected(rating: float, opponent: float, side: int = 1, handicap: float = 0) -> float:
    return float(played(rating, opponent, 1, side, handicap)["expected 1"])


@pytest.mark.parametrize("case", CASES)
def test_every_quantity_is_that_of_the_federations_program(case: dict[str, str]) -> None:
    number = {name: float(value) for name, value in case.items()}
    got = played(number["rating"], number["opponent_rating"], number["score"])
    names = {"new_rating": "rating_after", "change": "change 1", "expected": "expected 1"}
    names |= {"con": "con", "bonus": "bonus", "beta": "own_beta 1"}
    # The program takes the change as the difference of the ratings, whose last digit is worth 5e-13.
    assert {name: got[column] for name, column in names.items()} == {
        name: pytest.approx(number[name], abs=1e-12, rel=0) for name in names
    }


def test_a_tournament_is_rated_from_the_ratings_before_it() -> None:
    one, three = (played(2100, 2100, 1, games=games) for games in (1, 3))
    assert three["rating_after"] - 2100 == pytest.approx(3 * (one["rating_after"] - 2100))


@given(ratings, ratings, st.integers(0, 9))
def test_expected_scores_sum_to_one(white: float, black: float, handicap: int) -> None:
    assert expected(white, black, 1, handicap) + expected(black, white, -1, handicap) == pytest.approx(1)


@pytest.mark.parametrize(("handicap", "points"), [(0, 0), (1, 50), (2, 150), (9, 850)])
def test_handicap_stones_count_for_black(handicap: float, points: float) -> None:
    assert expected(1500 + points, 1500, 1, handicap) == pytest.approx(0.5)
    assert expected(1500, 1500 + points, -1, handicap) == pytest.approx(0.5)


def test_handicap_stones_count_inside_the_expectation_only() -> None:
    even, handicap = played(1500, 1700, 1, -1), played(1500, 1700, 1, -1, 3)
    assert [even[name] for name in ("con", "bonus")] == [handicap[name] for name in ("con", "bonus")]
    assert even["change 1"] > handicap["change 1"]


@pytest.mark.parametrize(("sum_of_changes", "held"), [(-99.9, -99.9), (-100, -100), (-100.1, -100), (300, 300)])
def test_a_tournament_takes_at_most_100_points(sum_of_changes: float, held: float) -> None:
    assert rules.change_held(sum_of_changes) == held


@pytest.mark.parametrize(("rating", "after"), [(-800, -900), (-801, -900), (-799, -899)])
def test_no_rating_falls_below_30_kyu(rating: float, after: float) -> None:
    assert rules.rating_after(rating, -100) == after


@given(ratings, ratings)
def test_the_favourite_expects_at_least_half(own: float, other: float) -> None:
    assert expected(max(own, other), min(own, other)) >= 0.5 - 1e-12


@given(ratings, ratings)
def test_a_draw_moves_the_favourite_up_by_no_more_than_the_bonus(own: float, other: float) -> None:
    got = played(max(own, other), min(own, other), 0.5)
    assert got["change 1"] <= got["bonus"] + 1e-9


def test_swapping_the_colours_of_an_even_game_swaps_the_results() -> None:
    def final(white: str, black: str, score: float) -> list[tuple[str, float]]:
        game = {"white": white, "black": black, "score": score, "event": "Open", "source": "test", "source_row": 1}
        table = replay(make_games([game]), EGF, start={"Ann": {"rating": 1900}, "Bob": {"rating": 1700}}).ratings
        return list(zip(table["player"], table["rating"], strict=True))

    assert final("Ann", "Bob", 1) == final("Bob", "Ann", 0)


@pytest.mark.parametrize(
    ("rank", "rating"),
    [("30k", -900), ("20k", 100), ("1k", 2000), ("1d", 2100), ("7d", 2700), ("1p", 2700), ("9p", 2940)],
)
def test_a_rank_has_its_published_rating(rank: str, rating: float) -> None:
    assert rules.rating_of_rank(rank) == rating


@pytest.mark.parametrize("rank", ["0k", "31k", "8d", "10p", "k", "3", "3 stones", ""])
def test_what_is_no_rank_is_named(rank: str) -> None:
    with pytest.raises(UsageError, match="expected a rank from 30k to 1k"):
        rules.rating_of_rank(rank)
