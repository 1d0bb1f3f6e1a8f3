"""ECF, the ratings of the English Chess Federation since July 2020, and the grades that they replaced.

`ecf`: the monthly K rating of players with a full rating. Source: englishchess.org.uk, *The calculation of ECF grades
on a monthly basis*, and ecfrating.org.uk, *K Rating*: R1 = R0 + k (W - We), We from FIDE's table, k 20, for juniors 40.
Reproduces the Mid-Sussex league's example: a win against an equal gives 10 points.

`ecf-grade`: the grade of 1958 to 2020. Source: Wikipedia, *ECF grading system*. A game's performance is the opponent's
grade, held within 40 of the player's own, less 50, and 100 times the score; the new grade is the mean of these.
Reproduces the published examples of 160 against 140 and 100.

Deviations: see `DEVIATIONS` and `GRADE_DEVIATIONS`.
"""

from __future__ import annotations

from typing import Any

from elo_sheets.ops import clip, where
from elo_sheets.systems._facts import CHANGE, EXPECTED, K_USED, PERFORMANCE, step
from elo_sheets.systems._system import Parameter, State, System, born_parameter, called, period_parameter
from elo_sheets.systems._tables import DIFFERENCE_TABLE
from elo_sheets.systems.elo import difference
from elo_sheets.systems.fide import age, delta, expected, higher_expected, rating_after

DEVIATIONS = (
    "Every player counts as fully rated: partial ratings (fewer than 10 games), the performance rating with an "
    "imaginary draw that new players get, and the three passes of a month are not applied, because the rating of the "
    "imaginary opponent is not public.",
    "A game against a partially rated opponent counts in full, where the federation halves it.",
    "Ratings are not rounded, and no category is given: no source gives the rounding.",
)

GRADE_DEVIATIONS = (
    "A grade is the mean of one period's games: games of earlier periods that made the number up to 30 are not added.",
    "The period is a calendar year: grades came out once a year until 2012, then twice; `period` can name a column of "
    "the log for half years.",
    "Grades are not rounded: no source gives the rounding.",
    "The expected score is what the rule implies: the score that leaves a grade as it was.",
)


# --- ratings since 2020


@K_USED.labelled("K used")
def k_used(age: Any, k: Any, junior_k: Any, junior_age: Any) -> Any:
    return where(age <= junior_age, junior_k, k)


@CHANGE.labelled("Change so far")
def change(k_used: Any, period_delta: Any) -> Any:
    return k_used * period_delta


ECF = System(
    name="ecf",
    title="ECF",
    about="England: FIDE's table of expectations, K 20, juniors 40, updated each month",
    sources=(
        "englishchess.org.uk, The calculation of ECF grades on a monthly basis",
        "ecfrating.org.uk, help: K Rating and P Rating",
    ),
    deviations=DEVIATIONS,
    parameters=(
        Parameter(
            "initial",
            1500.0,
            "Initial rating",
            "rating before the first game here",
            unofficial="a first rating comes from a player's own games",
        ),
        Parameter("k", 20.0, "K", "points at stake in a game", "K_factor", minimum=0.0, aliases=("k_factor",)),
        Parameter("junior_k", 40.0, "Junior K", "points at stake in a junior's game", minimum=0.0),
        Parameter(
            "junior_age",
            18.0,
            "Junior up to",
            "last age, the year less the year of birth, at which a player is a junior",
            minimum=0.0,
            unofficial="no source gives the age",
        ),
        born_parameter("year of birth for the junior K; 0 means unknown"),
        Parameter(
            "cap",
            400.0,
            "Gap cap",
            "difference that counts at most",
            minimum=0.0,
            unofficial="no source says whether FIDE's limit of 400 points holds; 1000000 lifts it",
        ),
        period_parameter("month"),
    ),
    publishes_ratings=True,
    state=(State("rating", "initial"),),
    game=(difference, higher_expected, expected, delta),
    sums=("delta",),
    closing=(age, k_used, change, rating_after),
    tables=(DIFFERENCE_TABLE,),
    labels={
        "delta": "W - We",
        "period_delta": "Sum of W - We",
    },
)


# --- grades until 2020


@step("The opponent's grade, held within 40 of the own.", label="Opponent counted")
def counted_opponent(rating: Any, opponent_rating: Any) -> Any:
    return clip(opponent_rating, rating - 40, rating + 40)


@PERFORMANCE
def performance(counted_opponent: Any, score: Any) -> Any:
    return counted_opponent - 50 + 100 * score


@called("expected")
@EXPECTED
def grade_expected(rating: Any, counted_opponent: Any) -> Any:
    return 0.5 + (rating - counted_opponent) / 100


@called(rating_after)
def grade_after(period_performance: Any, period_games: Any) -> Any:
    return period_performance / period_games


def rating_of_grade(grade: Any) -> Any:
    """Return the rating that a grade became in July 2020: 7.5 times the grade and 700.

    >>> rating_of_grade(160)
    1900.0
    """
    return 7.5 * grade + 700


ECF_GRADE = System(
    name="ecf-grade",
    title="ECF grade",
    about="England until 2020: the mean of the performances of a period",
    sources=("Wikipedia, ECF grading system",),
    deviations=GRADE_DEVIATIONS,
    parameters=(
        Parameter(
            "initial",
            120.0,
            "Initial grade",
            "grade before the first game here",
            "Initial_rating",
            unofficial="no source gives a common first grade",
        ),
        period_parameter("year"),
    ),
    publishes_ratings=True,
    state=(State("rating", "initial"),),
    game=(counted_opponent, performance),
    forecast=(grade_expected,),
    sums=("performance",),
    closing=(grade_after,),
    labels={
        "period_performance": "Sum of performances",
    },
)
