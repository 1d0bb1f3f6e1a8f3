"""Statistics of results: who is the stronger, how good forecasts were, what a goal takes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.expr import Ref
from elo_sheets.formula import to_formula
from elo_sheets.games import make_games
from elo_sheets.odds.statistics import (
    accuracy,
    brier_score,
    calibration,
    goal,
    half_points_needed,
    inflation,
    likelihood_of_superiority,
    likelihood_of_superiority_normal,
    log_loss,
    score_error,
    score_needed,
    score_share,
)
from elo_sheets.replaying.replay import replay
from elo_sheets.systems import system

counts = st.integers(0, 300)
forecasts = st.lists(st.tuples(st.sampled_from([0, 0.5, 1]), st.floats(0, 1)), min_size=1, max_size=30)
MEASURES = (log_loss, brier_score, accuracy, calibration)

# --- likelihood of superiority


def by_counting(wins: int, losses: int) -> float:
    """The share of all courses of wins + losses + 1 fair trials in which no more than `wins` succeed."""
    trials = wins + losses + 1
    ways, found = 1, 0
    for won in range(wins + 1):
        found += ways
        ways = ways * (trials - won) // (won + 1)
    return found / 2**trials


@given(counts, counts)
def test_the_exact_likelihood_is_that_of_fair_trials(wins: int, losses: int) -> None:
    assert likelihood_of_superiority(wins, losses) == pytest.approx(by_counting(wins, losses), abs=1e-13, rel=1e-10)


@given(counts, counts)
def test_one_of_two_players_is_the_stronger(wins: int, losses: int) -> None:
    for likelihood in (likelihood_of_superiority, likelihood_of_superiority_normal):
        assert likelihood(wins, losses) + likelihood(losses, wins) == pytest.approx(1, abs=1e-12)


@given(counts, counts)
def test_a_win_more_makes_it_likelier_to_be_the_stronger(wins: int, losses: int) -> None:
    for likelihood in (likelihood_of_superiority, likelihood_of_superiority_normal):
        assert likelihood(wins + 1, losses) >= likelihood(wins, losses) - 1e-13


def test_at_thousands_of_games_the_normal_approximation_agrees_to_1e_5() -> None:
    # The published case of section 1: 5975 wins, 6077 losses.
    exact, normal = likelihood_of_superiority(5975, 6077), likelihood_of_superiority_normal(5975, 6077)
    assert exact == pytest.approx(normal, abs=1.1e-5)
    assert exact == pytest.approx(by_counting(5975, 6077), abs=1e-11)


def test_a_million_games_are_counted() -> None:
    assert likelihood_of_superiority(10**6, 10**6) == pytest.approx(0.5, abs=1e-8)


def test_without_decided_games_nothing_is_known() -> None:
    assert likelihood_of_superiority(0, 0) == likelihood_of_superiority_normal(0, 0) == 0.5


def test_negative_games_are_refused() -> None:
    with pytest.raises(UsageError, match="expected wins and losses of 0 or more"):
        likelihood_of_superiority(-1, 3)


def test_the_likelihood_in_a_sheet_is_the_binomial_distribution() -> None:
    formula = to_formula(likelihood_of_superiority(Ref("wins"), Ref("losses")))
    assert formula == "BINOMDIST(wins,wins+losses+1,0.5,TRUE)"


# --- the score of a match


@given(counts, counts, counts.map(lambda n: n + 1))
def test_the_error_of_a_score_is_the_spread_of_the_results(wins: int, draws: int, losses: int) -> None:
    results = np.repeat([1, 0.5, 0], [wins, draws, losses])
    share = score_share(wins, draws, losses)
    assert share == pytest.approx(results.mean())
    assert score_error(wins, draws, losses, share) == pytest.approx(results.std() / math.sqrt(results.size), abs=1e-12)


# --- the quality of forecasts


@given(st.lists(st.tuples(st.sampled_from([0, 0.5, 1]), st.floats(0.01, 0.99)), min_size=1, max_size=30))
def test_a_forecast_seen_from_the_other_side_is_as_good(games: list[tuple[float, float]]) -> None:
    scores, expected = (np.array(column) for column in zip(*games, strict=True))
    for measure in (log_loss, brier_score, accuracy):
        assert measure(1 - scores, 1 - expected) == pytest.approx(measure(scores, expected), abs=1e-12)


@given(st.lists(st.sampled_from([0, 1]), min_size=1, max_size=20))
def test_to_know_all_results_is_perfect(results: list[int]) -> None:
    assert log_loss(results, results) == pytest.approx(0, abs=1e-14)
    assert brier_score(results, results) == 0
    assert accuracy(results, results) == 1


@given(st.lists(st.sampled_from([0, 0.5, 1]), min_size=1, max_size=20))
def test_a_half_for_every_game_has_a_log_loss_of_ln_2_and_hits_half(results: list[float]) -> None:
    assert log_loss(results, [0.5] * len(results)) == pytest.approx(math.log(2))
    assert accuracy(results, [0.5] * len(results)) == 0.5


def test_a_certain_forecast_that_fails_has_a_finite_log_loss() -> None:
    assert log_loss([0], [1]) == pytest.approx(-math.log(1e-15), rel=1e-2)


def test_the_published_mean_of_three_games_comes_out_for_lists_and_arrays() -> None:
    scores, expected = [1, 0.5, 0], [0.6400649998028851, 0.5, 0.35993500019711494]
    for kind in (list, np.array):
        assert log_loss(kind(scores), kind(expected)) == pytest.approx(0.5285060905823163, abs=1e-12)


@given(forecasts, st.integers(1, 20))
def test_the_bins_of_a_calibration_hold_all_games_once(games: list[tuple[float, float]], bins: int) -> None:
    scores, expected = zip(*games, strict=True)
    rows = calibration(scores, expected, bins)
    assert sum(row["games"] for row in rows) == len(games)
    assert sum(row["games"] * row["score"] for row in rows) == pytest.approx(sum(scores))
    assert all(row["low"] - 1e-12 <= row["expected"] <= row["high"] + 1e-12 for row in rows)


def test_a_forecast_on_a_border_belongs_to_the_bin_above_and_1_to_the_last() -> None:
    rows = calibration([1, 1, 1, 1], [0.3, 0.7, 0.9, 1], bins=10)
    assert [(row["low"], row["games"]) for row in rows] == [(0.3, 1), (0.7, 1), (0.9, 2)]


@pytest.mark.parametrize("measure", MEASURES)
def test_no_games_and_lists_of_two_lengths_are_refused(measure: Any) -> None:
    with pytest.raises(UnreadableInput, match="no game"):
        measure([], [])
    with pytest.raises(UsageError, match="expected one forecast for each score, got 1 for 2"):
        measure([1, 0], [0.5])


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(("score", "forecast"), [(math.nan, 0.5), (1, math.nan), (1, math.inf)])
def test_a_game_without_score_or_forecast_is_refused(measure: Any, score: float, forecast: float) -> None:
    with pytest.raises(UsageError, match="expected a score and a forecast for every game"):
        measure([1, score], [0.5, forecast])


@pytest.mark.parametrize(("expected", "bins"), [([0.5], 0), ([1.1], 10), ([-0.1], 10)])
def test_bins_that_cannot_be_filled_are_refused(expected: list[float], bins: int) -> None:
    with pytest.raises(UsageError, match="expected"):
        calibration([1], expected, bins)


# --- goals


@given(st.floats(1000, 2800), st.floats(0, 20), st.floats(-100, 100), st.sampled_from([10, 20, 40]))
def test_the_score_needed_reaches_the_target(rating: float, expected: float, more: float, k: float) -> None:
    score = score_needed(rating, rating + more, expected, k)
    assert rating + k * (score - expected) == pytest.approx(rating + more)


@pytest.mark.parametrize(
    ("score", "half_points"),
    [(3.1, 3.5), (3.5, 3.5), (3.5000001, 4), (3.0000000000000004, 3), (0, 0), (0.01, 0.5), (-1.2, 0)],
)
def test_a_goal_takes_the_next_half_point(score: float, half_points: float) -> None:
    assert half_points_needed(score) == half_points


@pytest.mark.parametrize(("games", "possible"), [(3, False), (4, True), (5, True)])
def test_a_goal_is_possible_if_the_games_hold_its_half_points(games: int, possible: bool) -> None:
    # The published case: 3.1001880735 points from an expected score of 2.1001880735.
    found = goal(1500, 1520, 2.1001880735491567, 20, games)
    assert found.score == pytest.approx(3.1001880735491567)
    assert (found.half_points, found.possible) == (3.5, possible)


# --- inflation

CAUSES = ["games", "bonus", "adjustments", "turnover"]


def log_of(*games: tuple[str, str, float, str]) -> Any:
    return make_games(
        {"white": white, "black": black, "score": score, "date": date, "source": "test", "source_row": row}
        for row, (white, black, score, date) in enumerate(games, 1)
    )


def drifted(system_name: str, games: Any, settings: dict[str, Any] | None = None, **options: Any) -> Any:
    return inflation(replay(games, system(system_name), settings).history, **options).set_index("period")


pairings = st.tuples(st.integers(0, 5), st.integers(1, 5), st.sampled_from([0, 0.5, 1]), st.integers(2019, 2024))
logs = st.lists(pairings, min_size=1, max_size=25).map(
    lambda games: log_of(
        *((f"P{a}", f"P{(a + b) % 6}", s, f"{year}-03-01") for a, b, s, year in sorted(games, key=str))
    )
)
FORMS = [
    ("elo", {}),
    ("elo", {"k_rule": "games", "floor": 1480, "ceiling": 1530}),
    ("elo", {"carry_over": 0.75, "carry_mean": 1600}),
    ("elo", {"period": "year"}),
    ("fide", {"initial": 1500}),
    ("egf", {"period": "month"}),
    ("glicko", {"period": "month"}),
]


@pytest.mark.parametrize(("name", "given_settings"), FORMS)
@settings(max_examples=20, deadline=None)
@given(games=logs)
def test_the_causes_of_a_drift_sum_to_it(name: str, given_settings: dict[str, Any], games: Any) -> None:
    found = drifted(name, games, given_settings)
    assert found[CAUSES].iloc[1:].sum(axis=1).tolist() == pytest.approx(found["change"].iloc[1:].tolist(), abs=1e-9)
    assert found["mean"].diff().iloc[1:].tolist() == pytest.approx(found["change"].iloc[1:].tolist(), abs=1e-9)
    assert found.iloc[0][["change", *CAUSES]].isna().all()


@settings(max_examples=20, deadline=None)
@given(games=logs)
def test_plain_elo_drifts_by_newcomers_and_leavers_alone(games: Any) -> None:
    found = drifted("elo", games).iloc[1:]
    assert found[["games", "bonus", "adjustments"]].abs().to_numpy() == pytest.approx(0, abs=1e-9)


TWO_YEARS = (("Ann", "Bob", 1, "2024-05-01"), ("Ann", "Bob", 1, "2025-05-01"))


def test_unequal_k_creates_points_in_games() -> None:
    rules = {"k_rule": "games", "new_games": 1, "k": 10, "new_k": 40}
    assert drifted("elo", log_of(*TWO_YEARS), rules)["games"].iloc[1] == pytest.approx(0)
    # Cid is new and wins about 40 / 2 points, of which Bob loses about 10 / 2.
    newcomer_wins = drifted("elo", log_of(*TWO_YEARS, ("Bob", "Cid", 0, "2025-06-01")), rules)
    assert newcomer_wins["games"].iloc[1] == pytest.approx((20 - 5) / 3, abs=0.5)


def test_a_floor_gives_points_as_a_bonus() -> None:
    found = drifted("elo", log_of(*TWO_YEARS), {"floor": 1490})
    # Bob stands on the floor when the second year begins, so that all he loses there is given back.
    assert found["bonus"].iloc[1] > 0
    assert found["change"].iloc[1] == pytest.approx(found["bonus"].iloc[1])


def test_a_carry_over_is_an_adjustment() -> None:
    found = drifted("elo", log_of(*TWO_YEARS), {"carry_over": 0.5, "carry_mean": 1600})
    assert found["adjustments"].iloc[1] == pytest.approx(50)  # half the way from the mean of 1500 to 1600


def test_a_column_of_bonuses_is_taken_out_of_the_games() -> None:
    history = replay(log_of(*TWO_YEARS), system("egf"), {"period": "month"}).history
    history["given"] = history["bonus"] * history["period_games"]
    plain, split = inflation(history), inflation(history, bonus="given")
    assert split["bonus"].iloc[1] - plain["bonus"].iloc[1] == pytest.approx(history["given"].iloc[2:].mean())
    assert (split["games"] + split["bonus"]).iloc[1] == pytest.approx((plain["games"] + plain["bonus"]).iloc[1])


def test_the_pool_is_counted_by_month_where_asked() -> None:
    found = drifted("elo", log_of(*TWO_YEARS, ("Bob", "Cid", 1, "2025-06-01")), every="month")
    assert [day.strftime("%Y-%m-%d") for day in found.index] == ["2024-05-01", "2025-05-01", "2025-06-01"]
    assert found["players"].tolist() == [2, 2, 2]


def test_a_history_without_dates_or_ratings_is_refused() -> None:
    history = replay(log_of(*TWO_YEARS), system("elo")).history
    with pytest.raises(UnreadableInput, match="needs the date of every game"):
        inflation(history.assign(date=pd.NaT))
    with pytest.raises(UsageError, match="columns rating_after: this one has none"):
        inflation(history.drop(columns="rating_after"))
    with pytest.raises(UsageError, match="by year or month, got 'week'"):
        inflation(history, "week")  # type: ignore[arg-type]


def test_a_pool_without_games_has_no_periods() -> None:
    history = replay(log_of(*TWO_YEARS), system("elo")).history
    assert inflation(history.iloc[:0]).empty
