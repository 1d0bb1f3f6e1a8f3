"""EGF, the ratings of the European Go Federation (GoR), by the rules since 2021.

Source: European Go Database, *EGF Official ratings system* (europeangodatabase.eu), and the federation's own program
european-go/rating-system. Each game of a tournament gives con (score - Se) and a bonus, all from the ratings before
it; Se is 1 / (1 + e^(beta(opponent) - beta(own))) with beta(r) = -7 ln(3300 - r). In a handicap game Black's rating
counts 100 for each stone more, less 50, inside Se only. A tournament takes at most 100 points away, and no rating falls
below -900, which is 30 kyu.

Reproduces the test case of the federation's program (2073.715 beats 2056.795) to the last printed digit, and a game of
the tournament T191116B.

Deviations: see `DEVIATIONS`.
"""

from __future__ import annotations

import re
from typing import Any

from elo_sheets.errors import UsageError
from elo_sheets.ops import exp, log, maximum, where
from elo_sheets.systems._facts import CHANGE, EXPECTED, RATING_AFTER, step
from elo_sheets.systems._system import Parameter, State, System, period_parameter

DEVIATIONS = (
    "Every tournament counts alike unless `class_factor` is set: the factors of the classes are not public for these "
    "rules.",
    "The limit of 100 points holds for a rating period, which is the tournament unless `period` says otherwise.",
    "Inside Se and con no rating, handicap included, counts more than 3299: at 3300 the formulas end.",
    "Komi does not count, and no rating is set anew when a player enters with another rank.",
)


def beta(rating: Any) -> Any:
    """Return the EGF's beta of a rating: -7 ln(3300 - rating); 3299 stands for every rating above it.

    >>> round(beta(2100), 4)
    -49.6305
    """
    return -7 * log(maximum(3300 - rating, 1))


@step("The factor of a result: the weaker, the larger.")
def con(rating: Any, class_factor: Any) -> Any:
    return class_factor * (maximum(3300 - rating, 1) / 200) ** 1.6


@step("What every game adds, so that ratings do not sink.")
def bonus(rating: Any) -> Any:
    return log(1 + exp((2300 - rating) / 80)) / 5


@step("The rating points that the handicap stones are worth.", label="Black's advantage")
def advantage(handicap: Any) -> Any:
    return where(handicap > 0, 100 * (handicap - 0.5), 0)


@step("The own rating on the scale of the expectancy, with the handicap.", label="β own")
def own_beta(rating: Any, side: Any, advantage: Any) -> Any:
    return beta(rating + where(side < 0, advantage, 0))


@step("The opponent's rating on the scale of the expectancy, with the handicap.", label="β opponent")
def opposing_beta(opponent_rating: Any, side: Any, advantage: Any) -> Any:
    return beta(opponent_rating + where(side > 0, advantage, 0))


@EXPECTED.labelled("Se")
def expected(own_beta: Any, opposing_beta: Any) -> Any:
    return 1 / (1 + exp(opposing_beta - own_beta))


@CHANGE
def change(con: Any, score: Any, expected: Any, bonus: Any) -> Any:
    return con * (score - expected) + bonus


@step("The changes of the period together, at least -100.", label="Change, at least -100")
def change_held(period_change: Any) -> Any:
    return maximum(-100, period_change)


@RATING_AFTER
def rating_after(rating: Any, change_held: Any) -> Any:
    return maximum(-900, rating + change_held)


def rating_of_rank(rank: str) -> float:
    """Return the rating that a rank stands for: 20k 100, 1k 2000, 1d 2100, 7d and 1p 2700, 9p 2940.

    Ranks run from 30k to 1k, from 1d to 7d, and from 1p to 9p. Raises `UsageError` for anything else.

    >>> [rating_of_rank(rank) for rank in ("20k", "1k", "1d", "9p")]
    [100.0, 2000.0, 2100.0, 2940.0]
    """
    first_and_step = {"k": (2000, -100, 30), "d": (2100, 100, 7), "p": (2700, 30, 9)}
    found = re.fullmatch(r"([1-9]\d?)\s*([kdp])", rank.strip().lower())
    if found is not None:
        number, (first, step, last) = int(found[1]), first_and_step[found[2]]
        if number <= last:
            return float(first + step * (number - 1))
    raise UsageError(f"expected a rank from 30k to 1k, 1d to 7d or 1p to 9p, got {rank!r}")


EGF = System(
    name="egf",
    title="EGF",
    about="Go in Europe: a volatility and a bonus that fall with the rating, handicap stones in the expectancy",
    sources=(
        "European Go Database, EGF Official ratings system, europeangodatabase.eu",
        "european-go/rating-system, the federation's program (MIT)",
    ),
    deviations=DEVIATIONS,
    parameters=(
        Parameter(
            "initial",
            100.0,
            "Initial rating",
            "rating before the first tournament here: by the declared rank, 20k 100, 1k 2000, 1d 2100",
            minimum=-900.0,
        ),
        Parameter(
            "class_factor",
            1.0,
            "Class factor",
            "factor of con by the class of the tournament",
            minimum=0.0,
            unofficial="no source gives the factors for the rules since 2021; 1, 0.75 and 0.5 weighted the classes A, "
            "B and C before",
        ),
        period_parameter("event"),
    ),
    publishes_ratings=True,
    state=(State("rating", "initial"),),
    opening=(con, bonus),
    game=(advantage, own_beta, opposing_beta, expected, change),
    sums=("change",),
    closing=(change_held, rating_after),
)
