"""World Football Elo Ratings, of men's national teams.

Source: eloratings.net, its formulas and chart as quoted on public pages. K by the kind of match: from the log's weight,
or by the name of its competition from the table in `football.toml`, or else a setting; times 1 for a margin up to one
goal, 1.5 for two and (11 + goals) / 8 from three on; 100 points for the home side, none on neutral ground; updated
match by match, the change rounded to a whole point.

Reproduces the printed chart of expectancies (a difference of 100: 0.640; of 800: 0.990) and K 60 after a win by seven
goals: 135. Of published year-end ratings in two comparisons 74 of 179 and 86 of 195 come out to the point with whole
changes, 51 and 58 without rounding; the rest departs by the first ratings of teams and by what a competition weighs,
which no source gives in full.

Deviations: see `WORLD_FOOTBALL.deviations`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from elo_sheets.ops import round_half_away, same, where
from elo_sheets.systems._facts import CHANGE, K_USED, RESULT, step
from elo_sheets.systems._parts import advantage_used, goal_multiplier, home_difference, home_parameter, margin
from elo_sheets.systems._system import Parameter, State, System, Value, called, period_parameter, scale_parameter
from elo_sheets.systems._weights import football_weights, weights_parameter
from elo_sheets.systems.elo import expected, rating_after


@K_USED
def k_used(weight: Any, k: Any) -> Any:
    return where(weight > 0, weight, k)


@RESULT
def result(score: Any, shootout: Any, shootout_score: Any) -> Any:
    return where(same(score, 0.5), 0.5 + shootout * (shootout_score - 0.5), score)


@step("K times the factor for the goals.")
def k_with_goals(k_used: Any, multiplier: Any) -> Any:
    return k_used * multiplier


@CHANGE
def change(k_with_goals: Any, result: Any, expected: Any) -> Any:
    return k_with_goals * (result - expected)


@called(change)
def rounded_change(k_with_goals: Any, result: Any, expected: Any) -> Any:
    return round_half_away(change(k_with_goals, result, expected))


def form(settings: Mapping[str, Value]) -> System:
    """Return the system with changes rounded as the settings say."""
    last = change if settings["rounding"] == "none" else rounded_change
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
            unofficial="no source gives a team's first rating",
        ),
        Parameter(
            "k",
            20.0,
            "K",
            "K of a match for which neither the log nor the table of weights has one",
            "K_factor",
            minimum=0.0,
            source="eloratings.net: 20 for a friendly",
        ),
        weights_parameter("K", "k"),
        scale_parameter(source="eloratings.net"),
        home_parameter(100.0, "eloratings.net"),
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
            "whole",
            "Rounding",
            "whole: changes are rounded to whole points, halves away from zero; none: they keep their decimals",
            choices=("whole", "none"),
            unofficial="no source says that changes are rounded; with whole points more published year-ends come out",
        ),
        period_parameter("game"),
    ),
    state=(State("rating", "initial"),),
    game=(
        advantage_used,
        home_difference,
        expected,
        k_used,
        margin,
        goal_multiplier,
        k_with_goals,
        result,
        rounded_change,
    ),
    sums=("change",),
    closing=(rating_after,),
    deviations=(
        "A shoot-out leaves the draw unless the settings say otherwise: no source says how it counts.",
        "Changes are rounded to whole points unless the settings say otherwise: no source says so, but of published "
        "year-end ratings in two comparisons 74 of 179 and 86 of 195 come out to the point with it, 51 and 58 without; "
        "the rest departs by teams' first ratings and by what a competition weighs, which no source gives in full.",
        "A competition that the table does not name counts as a match without a weight, not as any other tournament.",
        "A team begins at 1500 unless its start is given: no source gives a first rating.",
    ),
    zero_sum=True,
    weights=football_weights("k", "K", "k"),
    variant=form,
)
