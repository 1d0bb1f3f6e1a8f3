"""Parts that several relatives of Elo's rule share: home advantage, margins of victory, and a new season.

Sources: the World Football Elo Ratings (eloratings.net) for the multiplier by goals; FiveThirtyEight for the other two
(NBA: How We Calculate NBA Elo Ratings, 2015; NFL: the published program and data of nfl-elo-game) and for the share of
a rating that a new season keeps. Both multipliers of FiveThirtyEight fall with the winner's edge, so that favourites
who win high do not rise for ever.

Deviation: the divisor of FiveThirtyEight's multipliers is held at 0.1 or more. It would reach zero, and then turn a
win into a loss, only for a winner who stood 1250 (NBA) or 2200 (NFL) points below.
"""

from __future__ import annotations

from typing import Any

from elo_sheets.ops import absolute, log, maximum, same, sign, where
from elo_sheets.systems._facts import CHANGE, DIFFERENCE, SEASON_START, step
from elo_sheets.systems._system import Parameter, Step, called, period_parameter, renamed, scale_parameter

CARRIED = (("rating", "start_rating"), ("opponent_rating", "opponent_start_rating"))


def from_start(step: Step) -> Step:
    """Return the step with the ratings that the season starts from in the place of the last ones."""
    return renamed(step, CARRIED)


# --- differences


@DIFFERENCE
def difference(rating: Any, opponent_rating: Any) -> Any:
    return rating - opponent_rating


def home_parameter(default: float, source: str) -> Parameter:
    """Return the setting of `advantage_used`."""
    meaning = "points that the home side counts more; none on neutral ground"
    return Parameter("advantage", default, "Home advantage", meaning, source=source)


@step("The points for playing at home: minus for the visitors, 0 on neutral ground.", label="Advantage")
def advantage_used(advantage: Any, side: Any, neutral: Any) -> Any:
    return advantage * side * (1 - neutral)


@called(difference)
def home_difference(rating: Any, opponent_rating: Any, advantage_used: Any) -> Any:
    return rating + advantage_used - opponent_rating


# --- margins


@step("The own points or goals minus the opponent's.")
def margin(points: Any, opponent_points: Any) -> Any:
    return points - opponent_points


@step("The difference as the winner sees it: negative for an upset.", label="Winner's edge")
def winner_edge(difference: Any, margin: Any) -> Any:
    return difference * sign(margin)


@called("multiplier")
@step("The factor for the margin: a clear win moves more.", unit="small")
def goal_multiplier(margin: Any) -> Any:
    """World Football Elo: 1 up to one goal, 1.5 for two, then (11 + goals) / 8."""
    return where(absolute(margin) <= 1, 1, where(absolute(margin) <= 2, 1.5, (11 + absolute(margin)) / 8))


@called("multiplier")
@step("The factor for the margin: a clear win moves more.", unit="small")
def nfl_multiplier(margin: Any, winner_edge: Any) -> Any:
    """FiveThirtyEight, NFL; the divisor of a tie is 1."""
    divisor = where(same(margin, 0), 1, maximum(0.1, 0.001 * winner_edge + 2.2))
    return log(maximum(absolute(margin), 1) + 1) * 2.2 / divisor


@called("multiplier")
@step("The factor for the margin: a clear win moves more.", unit="small")
def nba_multiplier(margin: Any, winner_edge: Any) -> Any:
    """FiveThirtyEight, NBA; a tie, which that sport does not know, counts as an edge of 0."""
    return (absolute(margin) + 3) ** 0.8 / maximum(0.1, 7.5 + 0.006 * winner_edge)


@called("change")
@CHANGE
def multiplied_change(k_used: Any, multiplier: Any, score: Any, expected: Any) -> Any:
    return k_used * multiplier * (score - expected)


# --- seasons


def carried(rating: Any, share: Any, mean: Any) -> Any:
    """Return what a new season leaves of a rating: `share` of it, and the rest of `mean`.

    >>> carried(1600, 0.75, 1505)
    1576.25
    """
    return share * rating + (1 - share) * mean


@SEASON_START
def start_rating(rating: Any, seasons: Any, carry_over: Any, carry_mean: Any) -> Any:
    return where(seasons > 0, carried(rating, carry_over, carry_mean), rating)


# --- FiveThirtyEight's leagues

LEAGUE_LABELS = {"opponent_start_rating": "Opponent's season start"}


def league_parameters(advantage: float, carry_over: float, source: str) -> tuple[Parameter, ...]:
    """Return the settings of a league; the numbers that are not given are the same in all of them."""
    return (
        Parameter("initial", 1300.0, "Initial rating", "rating of a team before its first game", source=source),
        Parameter("k", 20.0, "K", "points at stake before the margin counts", "K_factor", minimum=0.0, source=source),
        scale_parameter(source=source),
        home_parameter(advantage, source),
        Parameter(
            "carry_over",
            carry_over,
            "Carry-over",
            "share of the rating that a new season keeps",
            minimum=0.0,
            source=source,
        ),
        Parameter(
            "carry_mean", 1505.0, "Carry-over mean", "rating that makes up the rest", "Carry_mean", source=source
        ),
        period_parameter("game"),
    )
