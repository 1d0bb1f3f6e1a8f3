"""The ECF's monthly rating and the legacy grade: thresholds, conversions and properties."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elo_sheets.games import make_games
from elo_sheets.replaying.cases import Period, columns_of
from elo_sheets.replaying.readings import by_floats
from elo_sheets.replaying.replay import replay
from elo_sheets.systems import System
from elo_sheets.systems import ecf as rules
from elo_sheets.systems.ecf import ECF, ECF_GRADE

YEAR = 2022

ratings = st.integers(600, 2800)


def played(system: System, rating: float, opponent: float, score: float, **more: Any) -> dict[str, Any]:
    """Every column of a period of one game; `age` and settings as keywords."""
    own = {"rating": rating, "year": YEAR, "born": YEAR - more.pop("age", 40)}
    game = {"opponent_rating": opponent, "score": score}
    return dict(by_floats([columns_of(Period(system, own, [game], {}, more))])[0])


@pytest.mark.parametrize(("age", "change"), [(17, 20), (18, 20), (19, 10), (40, 10)])
def test_a_junior_moves_twice_as_far(age: int, change: float) -> None:
    assert played(ECF, 1500, 1500, 1, age=age)["change"] == change


def test_a_player_of_unknown_age_is_no_junior() -> None:
    assert played(ECF, 1500, 1500, 1, age=YEAR)["change"] == 10


@pytest.mark.parametrize(("gap", "expected"), [(399, 0.92), (400, 0.92), (401, 0.92), (900, 0.92)])
def test_400_points_count_at_most_unless_the_cap_is_lifted(gap: int, expected: float) -> None:
    assert played(ECF, 1500 + gap, 1500, 1)["delta 1"] == pytest.approx(1 - expected, abs=1e-12)
    assert played(ECF, 2400, 1500, 1, cap=1_000_000)["delta 1"] == 0


def test_the_games_of_a_month_are_rated_together() -> None:
    rows = [("2022-03-01", 1.0), ("2022-03-31", 0.0), ("2022-04-01", 1.0)]
    games = make_games(
        {"white": "Ann", "black": "Bob", "score": score, "date": day, "source": "test", "source_row": row}
        for row, (day, score) in enumerate(rows, 1)
    )
    history = replay(games, ECF).history
    assert history.loc[history["player"] == "Ann", "rating"].tolist() == [1500, 1500, 1500]


@given(ratings, ratings)
def test_a_draw_never_moves_the_favourite_up(own: int, other: int) -> None:
    favourite = max(own, other)
    assert played(ECF, favourite, min(own, other), 0.5)["rating_after"] <= favourite


@given(ratings, ratings, st.sampled_from([0, 0.5, 1]))
def test_what_one_wins_the_other_loses(own: int, other: int, score: float) -> None:
    gain = played(ECF, own, other, score)["change"]
    assert played(ECF, other, own, 1 - score)["change"] == pytest.approx(-gain, abs=1e-9)


# --- grades -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("opponent", "counted"), [(119, 120), (120, 120), (121, 121), (199, 199), (201, 200)])
def test_an_opponent_counts_within_40_of_the_own_grade(opponent: float, counted: float) -> None:
    assert rules.counted_opponent(160, opponent) == counted


def test_a_grade_is_the_mean_of_a_year() -> None:
    rows = [("2015-01-10", 1.0), ("2015-12-20", 0.0), ("2016-01-05", 1.0)]
    games = make_games(
        {"white": "Ann", "black": "Bob", "score": score, "date": day, "source": "test", "source_row": row}
        for row, (day, score) in enumerate(rows, 1)
    )
    # 140 + 50 and 140 - 50 in the first year, 120 + 50 in the second.
    start = {"Ann": {"rating": 120}, "Bob": {"rating": 140}}
    history = replay(games, ECF_GRADE, start=start).history.query("player == 'Ann'")
    assert history["rating"].tolist() == [120, 120, 140]
    assert history["rating_after"].iloc[-1] == 120 + 50


@given(st.integers(0, 250), st.integers(0, 250))
def test_the_expected_score_leaves_a_grade_as_it_was(own: int, other: int) -> None:
    counted = rules.counted_opponent(own, other)
    expected = rules.grade_expected(own, counted)
    assert 0.1 - 1e-12 <= expected <= 0.9 + 1e-12
    assert rules.performance(counted, expected) == pytest.approx(own, abs=1e-9)
