"""Ingo, the ratings of West Germany from 1948 to 1992: the lower, the better.

Source: the Ingo system as public DWZ pages and the open-source library atomflunder/skillratings give it; the weights
have the latter alone as source. A game's performance is the opponent's number and 50, less 100 times the score; the
new number is the mean of the performances and the old number, which counts as 10, 15 or 20 games of players up to 20,
up to 25, or older.

Reproduces the library's published test: 130 beats 160, and the numbers become 129 and 161.

Deviations: see `DEVIATIONS`.
"""

from __future__ import annotations

from typing import Any

from elo_sheets.ops import clip, where
from elo_sheets.systems._facts import EXPECTED, PERFORMANCE, RATING_AFTER, step
from elo_sheets.systems._system import Parameter, State, System, born_parameter, period_parameter
from elo_sheets.systems.fide import age

DEVIATIONS = (
    "No number is rounded: no source gives the rounding.",
    "The expected score is what the rule implies: the score that leaves a number as it was, held between 0 and 1.",
    "Every player starts with a number; how first numbers were given is not part of the sources.",
)


@PERFORMANCE
def performance(opponent_rating: Any, score: Any) -> Any:
    return opponent_rating + 50 - 100 * score


@EXPECTED
def expected(rating: Any, opponent_rating: Any) -> Any:
    return clip(0.5 + (opponent_rating - rating) / 100, 0, 1)


@step("How many games the old number counts for, by age.", label="Weight")
def weight_used(age: Any) -> Any:
    return where(age <= 20, 10, where(age <= 25, 15, 20))


@RATING_AFTER
def rating_after(rating: Any, weight_used: Any, period_performance: Any, period_games: Any) -> Any:
    return (rating * weight_used + period_performance) / (weight_used + period_games)


def dwz_of_ingo(ingo: Any) -> Any:
    """Return the DWZ that an Ingo number stands for: 2840 - 8 Ingo.

    >>> dwz_of_ingo(100)
    2040
    """
    return 2840 - 8 * ingo


INGO = System(
    name="ingo",
    title="Ingo",
    about="Germany until 1992, the lower the better: the mean of the last performances and the old number",
    sources=("the Ingo system as public DWZ pages and atomflunder/skillratings give it",),
    deviations=DEVIATIONS,
    lower_is_better=True,
    parameters=(
        Parameter(
            "initial",
            150.0,
            "Initial number",
            "Ingo number before the first event here",
            "Initial_rating",
            unofficial="no source gives a common first number",
        ),
        born_parameter("year of birth for the weights of players up to 20 and up to 25; 0 means unknown, as over 25"),
        period_parameter("event"),
    ),
    publishes_ratings=True,
    state=(State("rating", "initial"),),
    game=(performance,),
    forecast=(expected,),
    sums=("performance",),
    closing=(age, weight_used, rating_after),
    labels={
        "period_performance": "Sum of performances",
    },
)
