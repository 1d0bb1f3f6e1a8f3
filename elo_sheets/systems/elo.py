"""Elo with the logistic curve, as the public calculator pages use it, and the forms that its relatives take.

Sources: Arpad Elo, *The Rating of Chessplayers, Past and Present* (1978), for the method; the gap rules are the
three modes of the public calculator pages: `none` (the full difference), `cap400` (400 points count at most,
for both players) and `fide2650` (the cap holds for a player rated below 2650 only). Reproduces 1600 v 1500 at
K 20: a win gives +7.2, a draw -2.8, a loss -12.8.

Every other form is a setting, and all of them combine:

- `curve`: `logistic`, 1 / (1 + 10 ^ (-D / scale)); `normal`, the normal distribution with the standard deviation
  scale * 5 / 7, which at 400 is FIDE's 2000 / 7; `linear`, 0.5 + D / (2 * scale) from 0 to 1, which at 400 is the
  expectation of the US special formula.
- `advantage`: points that White or the home side has more in the difference, before the gap rule; none on neutral
  ground.
- `k_rule`: `fixed`; `ladder`, another K from each of two ratings on (FIDE's 10 from 2400 is the default; often quoted
  is K 32, 24 from 2100, 16 from 2400); `games`, another K for a player's first games; `tennis`, FiveThirtyEight's
  K / (games + offset) ^ shape, whose own numbers are K 250, offset 5, shape 0.4.
- `margin_rule`: the change is multiplied by the goals' or points' margin as World Football Elo, FiveThirtyEight's NFL
  or its NBA ratings do.
- `floor` and `ceiling`: the rating after a period is held between them, and the held rating is what the next period
  starts from; the points beyond are lost.
- `carry_over`: the share of a rating that a new season keeps; the rest is `carry_mean`, or else the initial rating.

`fide2650` keeps the logistic curve, as those pages do; the official table is system `fide`.

Deviations: see `ELO.deviations`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from elo_sheets.ops import NO_CAP, clip, normal_cdf, same, where
from elo_sheets.systems._facts import (
    CHANGE,
    DIFFERENCE,
    EXPECTED,
    GAMES,
    GAMES_AFTER,
    K_USED,
    RATING_AFTER,
    SEASON_START,
    step,
)
from elo_sheets.systems._parts import (
    advantage_used,
    carried,
    from_start,
    goal_multiplier,
    margin,
    multiplied_change,
    nba_multiplier,
    nfl_multiplier,
    winner_edge,
)
from elo_sheets.systems._system import (
    LARGEST,
    Parameter,
    State,
    Step,
    System,
    Value,
    called,
    games_parameter,
    period_parameter,
    scale_parameter,
)


@step("The largest difference that counts.", label="Gap cap", unit="number")
def cap(gap_rule: Any, rating: Any) -> Any:
    return where(
        same(gap_rule, "none"),
        NO_CAP,
        where(same(gap_rule, "cap400"), 400, where(rating >= 2650, NO_CAP, 400)),
    )


@DIFFERENCE
def difference(rating: Any, opponent_rating: Any, cap: Any) -> Any:
    return clip(rating - opponent_rating, -cap, cap)


@EXPECTED
def expected(difference: Any, scale: Any) -> Any:
    return 1 / (1 + 10 ** (-difference / scale))


@K_USED
def k_used(k: Any) -> Any:
    return k


@CHANGE
def change(k_used: Any, score: Any, expected: Any) -> Any:
    return k_used * (score - expected)


@RATING_AFTER
def rating_after(rating: Any, period_change: Any) -> Any:
    return rating + period_change


# --- other forms


@called(expected)
def rest_expected(expected: Any) -> Any:
    return 1 - expected


@called(difference)
def capped_home_difference(rating: Any, opponent_rating: Any, advantage_used: Any, cap: Any) -> Any:
    return difference(rating + advantage_used, opponent_rating, cap)


@called(expected)
def normal_expected(difference: Any, scale: Any) -> Any:
    return normal_cdf(difference / (scale * 5 / 7))


@called(expected)
def linear_expected(difference: Any, scale: Any) -> Any:
    return clip(0.5 + difference / (2 * scale), 0, 1)


@called(k_used)
def ladder_k_used(rating: Any, k: Any, ladder_from: Any, ladder_k: Any, second_from: Any, second_k: Any) -> Any:
    return where(rating >= second_from, second_k, where(rating >= ladder_from, ladder_k, k))


@called(k_used)
def newcomer_k_used(games: Any, k: Any, new_games: Any, new_k: Any) -> Any:
    return where(games < new_games, new_k, k)


@called(k_used)
def tennis_k_used(games: Any, k: Any, offset: Any, shape: Any) -> Any:
    return k / (games + offset) ** shape


@called(rating_after)
def held_rating_after(rating: Any, period_change: Any, floor: Any, ceiling: Any) -> Any:
    return clip(rating + period_change, floor, ceiling)


@GAMES_AFTER
def games_after(games: Any, period_games: Any) -> Any:
    return games + period_games


@SEASON_START
def start_rating(rating: Any, seasons: Any, carry_over: Any, carry_mean: Any, initial: Any) -> Any:
    mean = where(same(carry_mean, 0), initial, carry_mean)
    return where(seasons > 0, carried(rating, carry_over, mean), rating)


CURVES: dict[Value, Step] = {"logistic": expected, "normal": normal_expected, "linear": linear_expected}

SCALES: dict[Value, str] = {
    "normal": "difference at which 92 % are expected; 5/7 of it are the standard deviation",
    "linear": "difference at which every game is expected to be won",
}

K_RULES: dict[Value, Step] = {
    "fixed": k_used,
    "ladder": ladder_k_used,
    "games": newcomer_k_used,
    "tennis": tennis_k_used,
}

MARGINS: dict[Value, tuple[Step, ...]] = {
    "none": (change,),
    "eloratings": (margin, goal_multiplier, multiplied_change),
    "nfl": (margin, winner_edge, nfl_multiplier, multiplied_change),
    "nba": (margin, winner_edge, nba_multiplier, multiplied_change),
}


def _scaled_by(curve: Value) -> Callable[[Parameter], Parameter]:
    """Return what makes the scale's parameter say what it means under a curve."""

    def say(parameter: Parameter) -> Parameter:
        is_other = parameter.name == "scale" and curve in SCALES
        return replace(parameter, meaning=SCALES[curve]) if is_other else parameter

    return say


def divisor_parameters(games: str, source: str) -> tuple[Parameter, Parameter]:
    """Return the two settings of `tennis_k_used`, with the word for games."""
    added = f"{games} added to a player's own before K is divided"
    return (
        Parameter("offset", 5.0, "K offset", added, minimum=1e-6, source=source),
        Parameter("shape", 0.4, "K shape", f"power of the {games} that K is divided by", minimum=0.0, source=source),
    )


def form(settings: Mapping[str, Value]) -> System:
    """Return Elo with the steps that the settings choose."""
    at_home = settings["advantage"] != 0
    held = (settings["floor"], settings["ceiling"]) != (-LARGEST, LARGEST)
    counted = settings["k_rule"] in {"games", "tennis"}
    seasonal = settings["carry_over"] != 1
    game: tuple[Step, ...] = (
        cap,
        *((advantage_used, capped_home_difference) if at_home else (difference,)),
        CURVES[settings["curve"]],
        K_RULES[settings["k_rule"]],
        *MARGINS[settings["margin_rule"]],
    )
    closing: tuple[Step, ...] = (held_rating_after if held else rating_after,)
    if seasonal:
        game, closing = tuple(map(from_start, game)), tuple(map(from_start, closing))
    return replace(
        ELO,
        parameters=tuple(map(_scaled_by(settings["curve"]), ELO.parameters)),
        state=(*ELO.state, State("games", "initial_games", GAMES)) if counted else ELO.state,
        opening=(start_rating,) if seasonal else (),
        game=game,
        closing=(*closing, games_after) if counted else closing,
        zero_sum=settings["k_rule"] == "fixed",
        opposite={} if settings["gap_rule"] == "fide2650" else {"expected": rest_expected},
        variant=None,
    )


ELO = System(
    name="elo",
    title="Elo",
    about="one number per player; the difference of two gives the expected score by the logistic curve",
    sources=("Arpad E. Elo, The Rating of Chessplayers, Past and Present, 1978",),
    parameters=(
        Parameter("initial", 1500.0, "Initial rating", "rating before the first game"),
        Parameter("k", 20.0, "K", "points at stake in a game", "K_factor", minimum=0.0, aliases=("k_factor",)),
        scale_parameter(),
        Parameter(
            "gap_rule",
            "none",
            "Gap rule",
            "none: full difference; cap400: 400 points count at most; fide2650: capped below 2650 only",
            choices=("none", "cap400", "fide2650"),
            aliases=("rule", "gap"),
        ),
        Parameter(
            "curve",
            "logistic",
            "Curve",
            "logistic: odds of ten to one at the scale; normal: standard deviation 5/7 of the scale; "
            "linear: certain at the scale",
            choices=tuple(map(str, CURVES)),
        ),
        Parameter(
            "advantage", 0.0, "Advantage", "points that White or the home side counts more; none on neutral ground"
        ),
        Parameter(
            "k_rule",
            "fixed",
            "K rule",
            "fixed: K; ladder: by the own rating; games: another K for the first games; "
            "tennis: K / (games + offset) ^ shape",
            choices=tuple(map(str, K_RULES)),
        ),
        Parameter("ladder_from", 2400.0, "Ladder from", "rating from which the ladder's first K holds"),
        Parameter(
            "ladder_k",
            10.0,
            "Ladder K",
            "K from that rating on",
            minimum=0.0,
            source="FIDE Handbook B.02, 8.3.3: 20, and 10 from 2400",
        ),
        Parameter(
            "second_from",
            LARGEST,
            "Second step from",
            "rating from which the ladder's second K holds; not below the first",
            "Second_from",
        ),
        Parameter("second_k", 10.0, "Second K", "K from that rating on", minimum=0.0),
        Parameter(
            "new_games",
            30.0,
            "New for",
            "games for which a player is new",
            "New_games",
            minimum=0.0,
            source="FIDE Handbook B.02, 8.3.3",
        ),
        Parameter(
            "new_k",
            40.0,
            "K when new",
            "K of a new player",
            "New_K",
            minimum=0.0,
            source="FIDE Handbook B.02, 8.3.3",
        ),
        games_parameter(),
        *divisor_parameters("games", "FiveThirtyEight, tennis"),
        Parameter(
            "margin_rule",
            "none",
            "Margin rule",
            "none: the result alone counts; eloratings, nfl, nba: the change is multiplied by the margin of victory",
            choices=tuple(map(str, MARGINS)),
            aliases=("margin",),
        ),
        Parameter("floor", -LARGEST, "Floor", "no rating falls below it", "Rating_floor"),
        Parameter("ceiling", LARGEST, "Ceiling", "no rating rises above it", "Rating_ceiling"),
        Parameter(
            "carry_over", 1.0, "Carry-over", "share of the rating that a new season keeps; 1 keeps all", minimum=0.0
        ),
        Parameter(
            "carry_mean",
            0.0,
            "Carry-over mean",
            "rating that makes up the rest; 0: the initial rating",
            "Carry_mean",
        ),
        period_parameter("game"),
    ),
    state=(State("rating", "initial"),),
    game=(cap, difference, expected, k_used, change),
    sums=("change",),
    closing=(rating_after,),
    labels={
        "opponent_start_rating": "Opponent's season start",
    },
    deviations=(
        "With the margins nfl and nba the multiplier's divisor is held at 0.1 or more, so that no win lowers a rating.",
    ),
    zero_sum=True,
    variant=form,
)
