"""Performance ratings; there are several, so each is named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from elo_sheets.errors import UsageError
from elo_sheets.ops import round_half_away, table_step
from elo_sheets.systems._tables import PERFORMANCE_STEPS
from elo_sheets.systems.elo import CURVES

# So far beyond its opponents no rating is expected to lose or win a millionth of a point.
FAR = 5000.0

# Halvings of the interval of an exact performance: from some 10,000 points to less than a float can tell apart.
HALVINGS = 64


def average_opponent(opponents: Sequence[float]) -> float:
    """Return the mean of the opponents' ratings, not rounded.

    >>> average_opponent([1400, 1550, 1700])
    1550.0
    """
    return sum(opponents) / len(opponents)


def linear_performance(average_opponent: Any, wins: Any, losses: Any, games: Any) -> Any:
    """Return the linear performance ("algorithm of 400"): average opponent + 400 (wins - losses) / games.

    On traced values it is the formula of a sheet, as the steps of a rating system are.

    >>> linear_performance(1500, 2, 1, 4)
    1600.0
    """
    return scaled_performance(average_opponent, wins, losses, games, 400)


def scaled_performance(average_opponent: Any, wins: Any, losses: Any, games: Any, scale: Any) -> Any:
    """Return the same of ratings by which `scale` points mean odds of ten to one, as Elo's 400 do."""
    return average_opponent + scale * (wins - losses) / games


def table_performance(average_opponent: Any, score: Any, games: Any) -> Any:
    """Return the performance by FIDE's table 8.1.1, as Title Regulations 1.4.9 compute it.

    The average opponent and the score in per cent are rounded half up to whole numbers; 100 and 0 per cent give
    the notional 800 points above and below. `score` is in points, out of `games`. On traced values it is the formula
    of a sheet.

    >>> table_performance(2400.4, 4.5, 9)
    2400.0
    """
    return round_half_away(average_opponent) + table_step(PERFORMANCE_STEPS, round_half_away(100 * score / games))


def score_for_performance(average_opponent: float, games: int, target: float) -> float | None:
    """Return the smallest score, in half points, whose table performance is at least the target; None if none is.

    >>> score_for_performance(2400, 9, 2600)
    7.0
    """
    scores = (halves / 2 for halves in range(2 * games + 1))
    return next((s for s in scores if table_performance(average_opponent, s, games) >= target), None)


def exact_performance(opponents: Sequence[float], score: float, curve: str = "logistic") -> float | None:
    """Return the rating whose expected score against the opponents is the score: the exact inverse.

    `score` is in points. None at 0 and at 100 per cent, where no rating is expected to score that, and without
    opponents. `curve` is that of system `elo` at its scale of 400: logistic; normal, which FIDE's table is made from;
    or linear, where the smallest of several ratings comes back. The difference is never capped. With unequal opponents
    this is not the average opponent and a difference. Found by halving an interval a fixed number of times, to the
    precision of floats. Raises `UsageError` for another curve.

    >>> round(exact_performance([1500, 2100], 1.5), 1)
    2119.2
    """
    if curve not in CURVES:
        raise UsageError(f"expected a curve ({', '.join(map(str, CURVES))}), got {curve!r}")
    if not 0 < score < len(opponents):
        return None
    low, high = min(opponents) - FAR, max(opponents) + FAR
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if sum(CURVES[curve](middle - opponent, 400) for opponent in opponents) < score:
            low = middle
        else:
            high = middle
    return (low + high) / 2
