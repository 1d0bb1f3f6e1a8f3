"""Elo with the logistic curve, as the public calculator pages use it.

Sources: Arpad Elo, *The Rating of Chessplayers, Past and Present* (1978), for the method; the gap rules are the
three modes of the public calculator pages: `none` (the full difference), `cap400` (400 points count at most,
for both players) and `fide2650` (the cap holds for a player rated below 2650 only). Reproduces 1600 v 1500 at
K 20: a win gives +7.2, a draw -2.8, a loss -12.8.

Deviation: none. `fide2650` keeps the logistic curve, as those pages do; the official table is system `fide`.
"""

from __future__ import annotations

from typing import Any

from elo_sheets.ops import NO_CAP, clip, same, where
from elo_sheets.systems._system import Parameter, State, System, period_parameter


def cap(gap_rule: Any, rating: Any) -> Any:
    return where(
        same(gap_rule, "none"),
        NO_CAP,
        where(same(gap_rule, "cap400"), 400, where(rating >= 2650, NO_CAP, 400)),
    )


def difference(rating: Any, opponent_rating: Any, cap: Any) -> Any:
    return clip(rating - opponent_rating, -cap, cap)


def expected(difference: Any, scale: Any) -> Any:
    return 1 / (1 + 10 ** (-difference / scale))


def k_used(k: Any) -> Any:
    return k


def change(k_used: Any, score: Any, expected: Any) -> Any:
    return k_used * (score - expected)


def rating_after(rating: Any, period_change: Any) -> Any:
    return rating + period_change


ELO = System(
    name="elo",
    title="Elo",
    about="one number per player; the difference of two gives the expected score by the logistic curve",
    sources=("Arpad E. Elo, The Rating of Chessplayers, Past and Present, 1978",),
    parameters=(
        Parameter("initial", 1500.0, "Initial rating", "rating before the first game", "Initial_rating"),
        Parameter("k", 20.0, "K", "points at stake in a game", "K_factor", minimum=0.0, aliases=("k_factor",)),
        Parameter("scale", 400.0, "Scale", "difference that means odds of ten to one", "Rating_scale", minimum=1e-6),
        Parameter(
            "gap_rule",
            "none",
            "Gap rule",
            "none: full difference; cap400: 400 points count at most; fide2650: capped below 2650 only",
            "Gap_rule",
            choices=("none", "cap400", "fide2650"),
            aliases=("rule", "gap"),
        ),
        period_parameter("game"),
    ),
    state=(State("rating", "initial"),),
    game=(cap, difference, expected, k_used, change),
    sums=("change",),
    closing=(rating_after,),
    labels={
        "cap": "Gap cap",
        "k_used": "K",
        "period_change": "Period change",
        "period_games": "Period games",
    },
    zero_sum=True,
)
