"""Performance ratings; there are several, so each is named."""

from __future__ import annotations

from typing import Any

from elo_sheets.ops import round_half_away
from elo_sheets.systems._tables import PERFORMANCE_TABLE


def linear_performance(average_opponent: Any, wins: Any, losses: Any, games: Any) -> Any:
    """Return the linear performance ("algorithm of 400"): average opponent + 400 (wins - losses) / games.

    On traced values it is the formula of a sheet, as the steps of a rating system are.

    >>> linear_performance(1500, 2, 1, 4)
    1600.0
    """
    return average_opponent + 400 * (wins - losses) / games


def table_performance(average_opponent: float, score: float, games: int) -> float:
    """Return the performance by FIDE's table 8.1.1, as Title Regulations 1.4.9 compute it.

    The average opponent and the score in per cent are rounded half up to whole numbers; 100 and 0 per cent give
    the notional 800 points above and below. `score` is in points, out of `games`.

    >>> table_performance(2400.4, 4.5, 9)
    2400.0
    """
    percent = int(round_half_away(100 * score / games))
    return float(round_half_away(average_opponent)) + PERFORMANCE_TABLE[percent]
