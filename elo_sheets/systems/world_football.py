"""World Football Elo Ratings, of men's national teams.

Source: eloratings.net, its formulas and chart as quoted on public pages. K by the kind of match (`K_BY_KIND`), from
the log's weight or else a setting, times 1 for a margin up to one goal, 1.5 for two and (11 + goals) / 8 from three on;
100 points for the home side, none on neutral ground; updated match by match.

Reproduces the printed chart of expectancies (a difference of 100: 0.640; of 800: 0.990) and K 60 after a win by seven
goals: 135.

Deviations: no source says how a shoot-out counts, whether changes are rounded, or where a team begins. Here a match
decided by a shoot-out is a draw, nothing is rounded and a team begins at 1500; all three are settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from elo_sheets.ops import round_half_away, same, where
from elo_sheets.systems._parts import advantage_used, goal_multiplier, home_difference, margin
from elo_sheets.systems._system import Parameter, State, System, Value, called, period_parameter, scale_parameter
from elo_sheets.systems.elo import expected, rating_after

# K by the kind of match; give it as the game's weight.
K_BY_KIND = {
    "World Cup finals": 60.0,
    "continental finals": 50.0,
    "major intercontinental tournament": 50.0,
    "World Cup qualifier": 40.0,
    "continental qualifier": 40.0,
    "major tournament": 40.0,
    "other tournament": 30.0,
    "friendly": 20.0,
}


def k_used(weight: Any, k: Any) -> Any:
    return where(weight > 0, weight, k)


def result(score: Any, shootout: Any, shootout_score: Any) -> Any:
    return where(same(score, 0.5), 0.5 + shootout * (shootout_score - 0.5), score)


def k_with_goals(k_used: Any, multiplier: Any) -> Any:
    return k_used * multiplier


def change(k_with_goals: Any, result: Any, expected: Any) -> Any:
    return k_with_goals * (result - expected)


@called("change")
def rounded_change(k_with_goals: Any, result: Any, expected: Any) -> Any:
    return round_half_away(change(k_with_goals, result, expected))


def form(settings: Mapping[str, Value]) -> System:
    """Return the system with changes rounded as the settings say."""
    last = rounded_change if settings["rounding"] == "whole" else change
    return replace(WORLD_FOOTBALL, game=(*WORLD_FOOTBALL.game[:-1], last), variant=None)


WORLD_FOOTBALL = System(
    name="world-football",
    title="World Football Elo",
    about="Elo of national teams with home advantage, K by the kind of match and a multiplier for goals",
    sources=("World Football Elo Ratings, eloratings.net",),
    parameters=(
        Parameter(
            "initial",
            1500.0,
            "Initial rating",
            "rating of a team before its first match",
            "Initial_rating",
            unofficial="no source gives a team's first rating",
        ),
        Parameter(
            "k",
            20.0,
            "K",
            "K of a match for which the log gives no weight: 20 friendly to 60 World Cup finals",
            "K_factor",
            minimum=0.0,
            source="eloratings.net: 20 for a friendly",
        ),
        scale_parameter(source="eloratings.net"),
        Parameter(
            "advantage",
            100.0,
            "Home advantage",
            "points that the home side counts more; none on neutral ground",
            "Home_advantage",
            source="eloratings.net",
        ),
        Parameter(
            "shootout_score",
            0.5,
            "Shoot-out score",
            "score of the side that wins a shoot-out after a draw; 0.5 leaves the draw",
            "Shootout_score",
            minimum=0.0,
            unofficial="no source says how a shoot-out counts",
        ),
        Parameter(
            "rounding",
            "none",
            "Rounding",
            "none: changes keep their decimals; whole: rounded to whole points, halves away from zero",
            "Rounding",
            choices=("none", "whole"),
            unofficial="no source says whether changes are rounded",
        ),
        period_parameter("game"),
    ),
    state=(State("rating", "initial"),),
    game=(advantage_used, home_difference, expected, k_used, margin, goal_multiplier, k_with_goals, result, change),
    sums=("change",),
    closing=(rating_after,),
    deviations=(
        "A shoot-out leaves the draw unless the settings say otherwise: no source says how it counts.",
        "Changes are not rounded unless the settings say so: no source says whether they are.",
        "A team begins at 1500 unless its start is given: no source gives a first rating.",
    ),
    labels={
        "advantage_used": "Advantage",
        "k_used": "K",
        "k_with_goals": "K with goals",
        "period_change": "Period change",
        "period_games": "Period games",
    },
    zero_sum=True,
    variant=form,
)
