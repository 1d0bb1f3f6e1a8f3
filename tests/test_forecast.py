"""Forecasts of one game: curves and back, error bars, draws, Go. Published numbers are asked for by the battery."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elo_sheets.errors import UsageError
from elo_sheets.expr import Expr, Ref
from elo_sheets.formula import to_formula
from elo_sheets.odds import forecast, statistics
from elo_sheets.odds.forecast import (
    aga_difference,
    composed,
    difference_for,
    egf_difference,
    egf_points_before_2021,
    expected_score,
    labelle_odds,
    match_error_bar,
    material_difference,
    odds_with_draws,
    odds_without_draws,
)
from elo_sheets.odds.match import Odds
from elo_sheets.ops import normal_quantile
from elo_sheets.systems import egf

CURVES = ("logistic", "normal", "linear")

ratings = st.floats(100, 3000)
shares = st.floats(0.001, 0.999)
curves = st.sampled_from(CURVES)
sides = st.sampled_from([1, -1, None])


# --- curves and back


@given(ratings, ratings, curves)
def test_expected_scores_of_both_players_sum_to_one(own: float, other: float, curve: str) -> None:
    assert expected_score(own, other, curve) + expected_score(other, own, curve) == pytest.approx(1, abs=1e-15)


@given(ratings, ratings, st.floats(1, 500), curves)
def test_a_better_player_is_expected_to_score_no_less(own: float, other: float, more: float, curve: str) -> None:
    assert expected_score(own + more, other, curve) >= expected_score(own, other, curve)


@given(shares, curves, st.floats(100, 1000))
def test_a_difference_is_the_one_whose_expected_score_was_asked_for(share: float, curve: str, scale: float) -> None:
    assert expected_score(difference_for(share, curve, scale), 0, curve, scale) == pytest.approx(share, abs=1e-12)


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("share", [-0.5, 0, 1, 1.5])
def test_a_score_that_no_difference_gives_has_none(curve: str, share: float) -> None:
    assert difference_for(share, curve) is None
    assert np.isnan(difference_for(np.array([share, 0.5]), curve)).tolist() == [True, False]


def test_the_formula_of_a_difference_is_empty_where_there_is_none() -> None:
    assert to_formula(difference_for(Ref("p"))) == 'IF(AND(p>0,p<1),400*LN(p/(1-p))/LN(10),"")'


def test_the_curves_are_those_of_section_1() -> None:
    assert expected_score(2000, 1600, "logistic") == 10 / 11
    assert expected_score(1900, 1500, "linear") == 1
    assert expected_score(1600, 1500, "linear") == 0.625
    assert expected_score(2000 / 7, 0, "normal") == pytest.approx(0.8413447460685429)


@pytest.mark.parametrize("call", [lambda c: expected_score(1, 2, c), lambda c: difference_for(0.5, c)])
def test_an_unknown_curve_is_refused(call: object) -> None:
    with pytest.raises(UsageError, match=r"expected a curve .*got 'cubic'"):
        call("cubic")  # type: ignore[operator]


@given(shares, shares, curves.filter(lambda curve: curve != "linear"))
def test_two_edges_add_up_whichever_comes_first(first: float, second: float, curve: str) -> None:
    assert composed(first, second, curve) == pytest.approx(composed(second, first, curve), abs=1e-12)
    assert composed(first, 1 - first, curve) == pytest.approx(0.5, abs=1e-12)


# --- the error bar of a match


@given(st.integers(0, 200), st.integers(0, 200), st.integers(0, 200), curves)
def test_the_error_bar_of_the_opponent_is_the_mirrored_one(wins: int, draws: int, losses: int, curve: str) -> None:
    own, other = match_error_bar(wins, draws, losses, curve=curve), match_error_bar(losses, draws, wins, curve=curve)
    mirrored = [None if limit is None else -limit for limit in reversed(other)]
    for a, b in zip(own, mirrored, strict=True):
        assert (a is None) == (b is None)
        assert a is None or b is None or a == pytest.approx(b, abs=1e-6)


def test_the_published_error_bar_comes_out() -> None:
    published = [-21.850090815487462, 34.860070287560106, 93.50224996093108]
    assert list(match_error_bar(40, 30, 30)) == pytest.approx(published, abs=1e-9)
    assert statistics.score_share(40, 30, 30) == 0.55
    assert statistics.score_error(40, 30, 30, 0.55) == pytest.approx(0.041533119314590375, abs=1e-12)
    assert normal_quantile(0.975) == pytest.approx(forecast.NINETY_FIVE, abs=1e-15)


def test_a_match_without_games_or_with_wins_alone_has_no_error_bar() -> None:
    assert match_error_bar(0, 0, 0) == (None, None, None)
    assert match_error_bar(5, 0, 0) == (None, None, None)


def test_a_limit_beyond_all_scores_is_left_out_and_the_others_stay() -> None:
    low, value, high = match_error_bar(3, 0, 1)
    assert (low is None, high) == (False, None)
    assert value == pytest.approx(190.8485, abs=1e-4)


def test_four_times_the_games_halve_the_error_bar() -> None:
    assert statistics.score_error(160, 120, 120, 0.55) == pytest.approx(statistics.score_error(40, 30, 30, 0.55) / 2)


# --- win, draw and loss


def assert_odds(odds: Odds) -> None:
    assert sum(odds) == pytest.approx(1, abs=1e-12)
    assert all(-1e-12 <= chance <= 1 + 1e-12 for chance in odds)


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_fixed_share_of_draws_leaves_the_expected_score(expected: float, draw: float) -> None:
    odds = odds_with_draws(expected, draw)
    assert_odds(odds)
    assert odds.score == pytest.approx(expected, abs=1e-15)
    assert odds.draw <= draw


@given(st.floats(0, 1))
def test_without_draws_the_odds_are_the_expected_score(expected: float) -> None:
    assert odds_without_draws(expected) == odds_with_draws(expected, 0)


@given(ratings, ratings, sides, st.floats(0, 2), st.floats(0, 1))
def test_the_draw_model_gives_odds(own: float, other: float, side: int | None, draws: float, move: float) -> None:
    assert_odds(labelle_odds(own, other, side, draw_pawns=draws, first_move_pawns=move))


@given(ratings, ratings, sides)
def test_swapping_the_players_swaps_the_odds(own: float, other: float, side: int | None) -> None:
    swapped = labelle_odds(other, own, None if side is None else -side).swapped
    assert labelle_odds(own, other, side) == pytest.approx(swapped, abs=1e-12)


@given(ratings, ratings)
def test_the_first_move_never_lowers_the_chance_to_win_nor_raises_that_to_lose(own: float, other: float) -> None:
    first, second = labelle_odds(own, other, 1), labelle_odds(own, other, -1)
    assert first.win >= second.win
    assert first.loss <= second.loss


@given(ratings, ratings)
def test_draws_leave_the_expected_score_when_nobody_knows_who_moves_first(own: float, other: float) -> None:
    assert labelle_odds(own, other).score == pytest.approx(expected_score(own, other, "normal"), abs=1e-12)


@given(st.floats(100, 2900), st.floats(1, 100))
def test_equal_players_draw_more_often_the_stronger_they_are(rating: float, more: float) -> None:
    assert labelle_odds(rating + more, rating + more).draw > labelle_odds(rating, rating).draw


def test_without_draw_odds_and_first_move_nothing_is_drawn() -> None:
    odds = labelle_odds(1800, 2000, draw_pawns=0, first_move_pawns=0)
    assert odds == pytest.approx(odds_without_draws(expected_score(1800, 2000, "normal")))


@given(ratings, ratings, st.floats(-3, 3))
def test_pawns_that_one_player_has_more_the_other_has_less(own: float, other: float, pawns: float) -> None:
    assert material_difference(own, other, pawns) == pytest.approx(-material_difference(other, own, -pawns))


# --- readings


def test_a_column_of_ratings_gives_a_column_of_odds() -> None:
    own, other = np.array([2000.0, 2400.0, 1500.0]), np.array([2400.0, 2000.0, 1500.0])
    columns = labelle_odds(own, other, 1)
    for i in range(3):
        assert [column[i] for column in columns] == pytest.approx(list(labelle_odds(own[i], other[i], 1)), abs=1e-15)


@pytest.mark.parametrize(
    "traced",
    [
        *(expected_score(Ref("a"), Ref("b"), curve) for curve in CURVES),
        *labelle_odds(Ref("a"), Ref("b"), 1),
        *odds_with_draws(Ref("a"), Ref("b")),
        composed(Ref("a"), Ref("b")),
        material_difference(Ref("a"), Ref("b"), Ref("c")),
        egf_difference(Ref("a"), Ref("b")),
        aga_difference(Ref("a"), curve="normal"),
    ],
)
def test_what_is_a_formula_can_be_written_into_a_cell(traced: object) -> None:
    assert isinstance(traced, Expr)
    assert to_formula(traced)


# --- Go


@given(st.floats(100, 2900), st.floats(100, 2900))
def test_a_difference_of_the_egf_in_elo_gives_the_egfs_expected_score(own: float, other: float) -> None:
    by_egf = egf.expected(egf.beta(own), egf.beta(other))
    assert expected_score(egf_difference(own, other), 0) == pytest.approx(by_egf, abs=1e-12)


@pytest.mark.parametrize(("rating", "points"), [(100, 86.9), (2700, 248.2)])
def test_a_hundred_points_of_the_old_egf_are_worth_more_at_the_top(rating: float, points: float) -> None:
    assert egf_points_before_2021(rating) == pytest.approx(points, abs=0.05)


def test_stones_on_the_normal_curve_add_up() -> None:
    assert aga_difference(2, curve="normal") == pytest.approx(2 * aga_difference(1, curve="normal"))
