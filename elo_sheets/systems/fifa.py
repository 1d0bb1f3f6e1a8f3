"""FIFA's ranking of men's national teams since August 2018, which FIFA calls SUM.

Source: FIFA, the procedure of the ranking, 2018. P = P before + I * (W - We), with We = 1 / (1 + 10 ^ (-difference /
600)) and no home advantage. I is the importance of the match: from the log's weight, or by the name of its competition
from the table in `football.toml`, or else a setting. W is 1, 0.5 or 0; after a shoot-out the winner has 0.75 and the
loser 0.5. In the knockout phase of a final competition no team loses points.

Reproduces the official example: a team of 1300 beats one of 1500 with I = 25, and they come to 1317 and 1483.

Deviations: see `FIFA.deviations`.
"""

from __future__ import annotations

from typing import Any

from elo_sheets.ops import maximum, same, where
from elo_sheets.systems._facts import CHANGE, RESULT, step
from elo_sheets.systems._parts import difference
from elo_sheets.systems._system import Parameter, State, System, period_parameter, scale_parameter
from elo_sheets.systems._weights import football_weights, weights_parameter
from elo_sheets.systems.elo import expected, rating_after


@step("The importance I of the match.", label="I")
def importance_used(weight: Any, importance: Any) -> Any:
    return where(weight > 0, weight, importance)


@RESULT.labelled("W")
def result(score: Any, shootout: Any) -> Any:
    return where(same(score, 0.5), 0.5 + 0.25 * maximum(shootout, 0), score)


@step("The importance times the result beyond the expected one.", label="I × (W − We)")
def gain(importance_used: Any, result: Any, expected: Any) -> Any:
    return importance_used * (result - expected)


@CHANGE
def change(gain: Any, knockout: Any) -> Any:
    return where(knockout > 0, maximum(gain, 0), gain)


FIFA = System(
    name="fifa",
    title="FIFA ranking (SUM)",
    about="points of men's national teams by the importance of the match; none are lost in a knockout phase",
    sources=("FIFA, men's world ranking procedure, 2018",),
    parameters=(
        Parameter(
            "initial",
            1500.0,
            "Initial points",
            "points of a team before its first match",
            unofficial="no source gives a new team's first points",
        ),
        Parameter(
            "importance",
            10.0,
            "Importance",
            "I of a match for which neither the log nor the table of weights has one",
            minimum=0.0,
            source="FIFA, 2018: 10 for a friendly in an international window",
        ),
        weights_parameter("I", "importance"),
        scale_parameter(600.0, source="FIFA, 2018"),
        period_parameter("game"),
    ),
    state=(State("rating", "initial"),),
    game=(difference, expected, importance_used, result, gain, change),
    sums=("change",),
    closing=(rating_after,),
    weights=football_weights("importance", "I", "importance"),
    deviations=(
        "A competition's name tells neither the round nor the international windows: without a weight in the log the "
        "World Cup counts 50 to its end, continental finals 35, the Nations League 15, friendlies 10.",
        "Points are not rounded: the procedure does not say how.",
        "A team begins at 1500 unless its start is given: no source gives a new team's first points.",
    ),
    labels={
        "expected": "We",
    },
)
