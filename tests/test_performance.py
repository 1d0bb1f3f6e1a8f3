"""Performance ratings; the published ones are among the answers of elo_sheets.conformance."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elo_sheets.odds.performance import linear_performance, table_performance

# Table 8.1.1 gives 50 per cent 0 points, 58 per cent 57, 64 per cent 102, 65 per cent 110, 67 per cent 125, 75 193.
HALVES = [
    (2400.4, 4.5, 9, 2400),
    (2400.5, 4.5, 9, 2401),
    (1500, 11.5, 20, 1557),
    (1500, 644, 1000, 1602),
    (1500, 645, 1000, 1610),
    (1500, 2, 3, 1625),
    (1500, 1, 3, 1375),
    (1500, 3, 4, 1693),
    (1500, 1, 4, 1307),
    (1500, 9, 9, 2300),
    (1500, 0, 9, 700),
]


@pytest.mark.parametrize(("average", "score", "games", "performance"), HALVES)
def test_the_table_performance_rounds_average_and_percentage_half_up(
    average: float, score: float, games: int, performance: float
) -> None:
    assert table_performance(average, score, games) == performance


@settings(deadline=None)
@given(st.integers(0, 100), st.integers(1000, 2900))
def test_a_score_and_its_mirror_are_as_far_from_the_average(percent: int, average: int) -> None:
    above, below = (table_performance(average, p, 100) - average for p in (percent, 100 - percent))
    assert above == -below


@settings(deadline=None)
@given(st.integers(0, 99))
def test_a_better_score_is_a_better_table_performance(percent: int) -> None:
    assert table_performance(2000, percent, 100) < table_performance(2000, percent + 1, 100)


@pytest.mark.parametrize(
    ("wins", "losses", "games", "performance"),
    [(0, 0, 3, 1500), (3, 0, 3, 1900), (0, 3, 3, 1100), (2, 1, 4, 1600)],
)
def test_the_linear_performance_counts_400_points_a_win_over_the_losses(
    wins: int, losses: int, games: int, performance: float
) -> None:
    assert linear_performance(1500, wins, losses, games) == performance
