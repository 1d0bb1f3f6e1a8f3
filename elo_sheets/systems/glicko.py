"""Glicko: a rating and its deviation RD, updated once per rating period.

Source: Mark E. Glickman, *The Glicko system* (glicko.pdf; the method is that of *Parameter estimation in large dynamic
paired comparison experiments*, Applied Statistics 48, 1999). Step 1 lets the deviation grow with the periods that
have passed, step 2 rates all games of the period together, every opponent at his rating and RD of its start.

Reproduces the paper's example: 1500 with RD 200 beats 1400 (RD 30), loses to 1550 (RD 100) and to 1700 (RD 300), and
comes to 1464 with RD 151.4. The paper's 10^(x/400) is written e^(q x), which is the same with q = ln(10)/400.

Deviations: see `GLICKO.deviations`.
"""

from __future__ import annotations

from typing import Any

from elo_sheets.ops import PI, exp, log, maximum, minimum, sqrt
from elo_sheets.systems._facts import CHANGE, EXPECTED, FORECAST, JOINT_G, RATING_AFTER, RD, RD_AFTER, START_RD, G, step
from elo_sheets.systems._system import Parameter, State, System, period_parameter

# The least information of a period, so that 1 / information stays a number.
LEAST_INFORMATION = 1e-30


def discount(deviation: Any) -> Any:
    """Return Glickman's g: how much a result tells when a strength is uncertain by `deviation`, in units of 1/q."""
    return 1 / sqrt(1 + 3 * (deviation / PI) ** 2)


def chance(g: Any, difference: Any) -> Any:
    """Return the expected score for a difference in units of 1/q, discounted by `g`."""
    return 1 / (1 + exp(-g * difference))


@START_RD
def start_rd(rd: Any, c: Any, elapsed: Any, rd_max: Any) -> Any:
    return minimum(sqrt(rd**2 + c**2 * elapsed), rd_max)


@G
def g(opponent_start_rd: Any, q: Any) -> Any:
    return discount(q * opponent_start_rd)


@EXPECTED
def expected(rating: Any, opponent_rating: Any, g: Any, q: Any) -> Any:
    return chance(g, q * (rating - opponent_rating))


@step("How much the game tells: most between equals.", unit="small")
def information(g: Any, expected: Any) -> Any:
    return g**2 * expected * (1 - expected)


@step("The score minus the expected one, dampened by the opponent's uncertainty.", unit="small")
def surprise(g: Any, score: Any, expected: Any) -> Any:
    return g * (score - expected)


@step("Both players' deviations together.", label="Joint RD")
def joint_rd(start_rd: Any, opponent_start_rd: Any) -> Any:
    return sqrt(start_rd**2 + opponent_start_rd**2)


@JOINT_G
def joint_g(joint_rd: Any, q: Any) -> Any:
    return discount(q * joint_rd)


@FORECAST
def forecast(rating: Any, opponent_rating: Any, joint_g: Any, q: Any) -> Any:
    return chance(joint_g, q * (rating - opponent_rating))


@step("d²: the variance that the period's games alone would leave, on the scale of ratings.", label="d²")
def d2(period_information: Any, q: Any) -> Any:
    return 1 / (q**2 * maximum(period_information, LEAST_INFORMATION))


@step("The variance after the period, from the old one and that of the games.")
def new_variance(start_rd: Any, d2: Any) -> Any:
    return 1 / (1 / start_rd**2 + 1 / d2)


@CHANGE
def change(new_variance: Any, period_surprise: Any, q: Any) -> Any:
    return q * new_variance * period_surprise


@RATING_AFTER
def rating_after(rating: Any, change: Any) -> Any:
    return rating + change


@RD_AFTER
def rd_after(new_variance: Any, rd_floor: Any) -> Any:
    return maximum(sqrt(new_variance), rd_floor)


def growth_constant(typical: Any, maximum: Any, periods: Any) -> Any:
    """Return c with which an RD of `typical` grows to `maximum` in `periods` idle periods.

    Source: Glickman, *The Glicko system*, step 1. `typical` must not exceed `maximum`, `periods` must be positive.

    >>> round(growth_constant(50, 350, 30), 1)
    63.2
    """
    return sqrt((maximum**2 - typical**2) / periods)


GLICKO = System(
    name="glicko",
    title="Glicko",
    about="a rating and its deviation RD; what a game moves depends on how sure both ratings are",
    sources=(
        "Mark E. Glickman, The Glicko system, glicko.net/glicko/glicko.pdf",
        "Mark E. Glickman, Parameter estimation in large dynamic paired comparison experiments, "
        "Applied Statistics 48, 1999",
    ),
    deviations=(
        "no floor of RD unless rd_floor is set: the paper recommends one such as 30 outside of its two steps",
        "games certain to thirty digits count as telling 1e-30, so that nothing is divided by zero",
    ),
    parameters=(
        Parameter("initial", 1500.0, "Initial rating", "rating before the first game"),
        Parameter("initial_rd", 350.0, "Initial RD", "RD before the first game", minimum=1e-6),
        Parameter(
            "c",
            63.2,
            "c",
            "growth of RD per period; 63.2 takes an RD of 50 back to 350 in 30 periods",
            "RD_growth",
            minimum=0.0,
            source="the paper's example; choose it for your period with growth_constant",
        ),
        Parameter("rd_max", 350.0, "Largest RD", "RD never grows beyond this", minimum=1e-6),
        Parameter(
            "rd_floor",
            0.0,
            "RD floor",
            "RD never falls below this; 0 is the rule without a floor, the paper's remark recommends one such as 30",
            minimum=0.0,
        ),
        Parameter("q", log(10) / 400, "q", "ln(10)/400: 400 points mean odds of ten to one", "Glicko_q", 1e-9),
        period_parameter("month"),
    ),
    state=(State("rating", "initial"), State("rd", "initial_rd", RD)),
    opening=(start_rd,),
    game=(g, expected, information, surprise),
    forecast=(joint_rd, joint_g, forecast),
    sums=("information", "surprise"),
    closing=(d2, new_variance, change, rating_after, rd_after),
)
