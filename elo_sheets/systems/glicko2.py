"""Glicko-2: rating, deviation RD and volatility, updated once per rating period.

Source: Mark E. Glickman, *Example of the Glicko-2 system* (glicko2.pdf, 2012, revised 2022), steps 1 to 8. Inside, a
rating is mu = (r - 1500)/173.7178 and a deviation phi = RD/173.7178; 173.7178 is the paper's own number. Step 5 finds
the new volatility as the root of f by the Illinois method, from the paper's starting points A and B.

Reproduces the paper's example: 1500, RD 200, volatility 0.06, tau 0.5, against 1400 (RD 30, won), 1550 (RD 100, lost)
and 1700 (RD 300, lost) comes to 1464.05, 151.52, 0.05999. The printed 1464.06 comes from rounded intermediate values.

The paper looks for the smallest k with f(ln sigma² - k tau) >= 0. There f is above k/tau - 1/2, so k is 1 for every tau
up to 2; above, tau/2 is taken for k, which does as well.

Idle periods each add sigma² to phi², so they are one step: `elapsed` - 1 of them before the period's own.

Deviations: the iteration goes on until A and B are within 1e-14, where the paper suggests 1e-6. At 1e-6 the last
digit of an exponential decides in which round it stops, and two programs may differ by 7e-5 points. It is cut after
25 rounds, where the paper's loop has no limit; `residual` shows |B - A|. For tau 0.3 to 1.2, volatilities 0.03 to 0.1
and RDs 30 to 350 four to seven rounds are the rule and 22 the most that was found for a period up to five standard
deviations from what was expected; one nine standard deviations away has needed 34. The information of a period is at
least 1e-30, as in Glicko. The forecast is that of the Glicko paper, with both deviations, since this paper gives
none.
"""

from __future__ import annotations

from typing import Any

from elo_sheets.ops import absolute, exp, log, maximum, same, sqrt, where
from elo_sheets.systems._facts import (
    CHANGE,
    EXPECTED,
    FORECAST,
    JOINT_G,
    PHI_AFTER,
    RD,
    RD_AFTER,
    START_RD,
    VOLATILITY,
    VOLATILITY_AFTER,
    G,
    step,
)
from elo_sheets.systems._system import Parameter, Repeat, State, System, called, period_parameter
from elo_sheets.systems.glicko import (
    LEAST_INFORMATION,
    chance,
    discount,
    information,
    rating_after,
    surprise,
)

# Where the scale of mu has its zero.
CENTRE = 1500

# The rounds of the Illinois method at most.
ROUNDS = 25

# Just above zero: keeps a logarithm a number in the branch that is not taken.
TINY = 1e-300

# --- step 2: the scale of the rule; before the period, the idle ones ------------------------------------------


@START_RD
def start_rd(rd: Any, volatility: Any, elapsed: Any, scale: Any) -> Any:
    return sqrt(rd**2 + (elapsed - 1) * (scale * volatility) ** 2)


@step("The rating on the internal scale.", unit="small")
def mu(rating: Any, scale: Any) -> Any:
    return (rating - CENTRE) / scale


@step("The deviation on the internal scale.", unit="small")
def phi(start_rd: Any, scale: Any) -> Any:
    return start_rd / scale


# --- steps 3 and 4: the games ---------------------------------------------------------------------------------


@G
def g(opponent_phi: Any) -> Any:
    return discount(opponent_phi)


@EXPECTED
def expected(mu: Any, opponent_mu: Any, g: Any) -> Any:
    return chance(g, mu - opponent_mu)


@step("Both players' deviations together, on the internal scale.")
def joint_phi(phi: Any, opponent_phi: Any) -> Any:
    return sqrt(phi**2 + opponent_phi**2)


@JOINT_G
def joint_g(joint_phi: Any) -> Any:
    return discount(joint_phi)


@FORECAST
def forecast(mu: Any, opponent_mu: Any, joint_g: Any) -> Any:
    return chance(joint_g, mu - opponent_mu)


@step("The variance that the period's games alone would leave.", label="v", unit="small")
def v(period_information: Any) -> Any:
    return 1 / maximum(period_information, LEAST_INFORMATION)


@step("By how much the period's games alone would move the rating, on the internal scale.", unit="small")
def delta(v: Any, period_surprise: Any) -> Any:
    return v * period_surprise


# --- step 5: the volatility -----------------------------------------------------------------------------------


@step(
    "The logarithm of the old volatility's square, where the search for the new one begins.",
    label="ln σ²",
    unit="small",
)
def log_variance(volatility: Any) -> Any:
    return log(maximum(volatility**2, TINY))


def f(x: Any, delta: Any, phi: Any, v: Any, log_variance: Any, tau: Any) -> Any:
    """Return the paper's f, whose root is the logarithm of the new squared volatility."""
    pull = exp(x) * (delta**2 - phi**2 - v - exp(x)) / (2 * (phi**2 + v + exp(x)) ** 2)
    return pull - (x - log_variance) / tau**2


@called("a")
def first_a(log_variance: Any) -> Any:
    return log_variance


@called("b")
def first_b(delta: Any, phi: Any, v: Any, log_variance: Any, tau: Any) -> Any:
    excess = delta**2 - phi**2 - v
    return where(excess > 0, log(maximum(excess, TINY)), log_variance - maximum(tau, tau**2 / 2))


@called("c")
def first_c(b: Any) -> Any:
    return b


@called("f_a")
def first_f_a(a: Any, delta: Any, phi: Any, v: Any, log_variance: Any, tau: Any) -> Any:
    return f(a, delta, phi, v, log_variance, tau)


@called("f_b")
def first_f_b(b: Any, delta: Any, phi: Any, v: Any, log_variance: Any, tau: Any) -> Any:
    return f(b, delta, phi, v, log_variance, tau)


@called("f_c")
def first_f_c(f_b: Any) -> Any:
    return f_b


@step("The next point to try.", unit="small")
def c(a: Any, b: Any, f_a: Any, f_b: Any) -> Any:
    return a + (a - b) * f_a / where(same(f_a, f_b), 1, f_b - f_a)


@step("The same function at c.", label="f(C)", unit="small")
def f_c(c: Any, delta: Any, phi: Any, v: Any, log_variance: Any, tau: Any) -> Any:
    return f(c, delta, phi, v, log_variance, tau)


@step("One end of the interval that holds the new volatility, as the logarithm of its square.", unit="small")
def a(a: Any, b: Any, f_b: Any, f_c: Any) -> Any:
    return where(f_c * f_b <= 0, b, a)


@step("The function whose zero is the new volatility, at a.", label="f(A)", unit="small")
def f_a(f_a: Any, f_b: Any, f_c: Any) -> Any:
    return where(f_c * f_b <= 0, f_b, f_a / 2)


@step("The other end of that interval.", unit="small")
def b(c: Any) -> Any:
    return c


@step("The same function at b.", label="f(B)", unit="small")
def f_b(f_c: Any) -> Any:
    return f_c


@step("Whether the interval is small enough, so that nothing moves any more.", unit="count")
def done(a: Any, b: Any, convergence: Any) -> Any:
    return absolute(b - a) <= convergence


ILLINOIS = Repeat(
    start=(first_a, first_b, first_c, first_f_a, first_f_b, first_f_c),
    steps=(c, f_c, a, f_a, b, f_b),
    done=done,
    count=ROUNDS,
)


@step("How wide the interval still is: above the convergence, the rounds did not suffice.", unit="small")
def residual(a: Any, b: Any) -> Any:
    return absolute(b - a)


@VOLATILITY_AFTER
def volatility_after(a: Any) -> Any:
    return exp(a / 2)


# --- steps 6 to 8: the new values -----------------------------------------------------------------------------


def narrowed(phi: Any, v: Any) -> Any:
    """Return the deviation after results of variance `v`: the paper's phi'."""
    return 1 / sqrt(1 / phi**2 + 1 / v)


@step("The deviation with the new volatility, before the games count.", unit="small")
def phi_star(phi: Any, volatility_after: Any) -> Any:
    return sqrt(phi**2 + volatility_after**2)


@PHI_AFTER
def phi_after(phi_star: Any, v: Any) -> Any:
    return narrowed(phi_star, v)


@CHANGE
def change(phi_after: Any, period_surprise: Any, scale: Any) -> Any:
    return scale * phi_after**2 * period_surprise


@RD_AFTER
def rd_after(phi_after: Any, scale: Any) -> Any:
    return scale * phi_after


SCALE = Parameter("scale", 173.7178, "Glicko-2 scale", "rating points per unit of mu and phi", "Glicko_2_scale", 1e-6)

CONVERGENCE = Parameter(
    "convergence",
    1e-14,
    "Convergence",
    "the volatility is found when A and B are as close as this",
    "Convergence",
    minimum=0.0,
)

GLICKO_2 = System(
    name="glicko2",
    title="Glicko-2",
    about="Glicko with a volatility for each player: how erratic his results are",
    sources=("Mark E. Glickman, Example of the Glicko-2 system, 2012, revised 2022, glicko.net/glicko/glicko2.pdf",),
    deviations=(
        "the iteration of the volatility goes on until A and B are within 1e-14 (the paper suggests 1e-6), so that all"
        " programs find the same digits; it stops after 25 rounds at the latest; the residual shows how close it came",
        "games certain to thirty digits count as telling 1e-30, so that nothing is divided by zero",
        "the forecast with both deviations is that of the Glicko paper: the Glicko-2 paper has none",
    ),
    parameters=(
        Parameter("initial", 1500.0, "Initial rating", "rating before the first game", "Initial_rating"),
        Parameter("initial_rd", 350.0, "Initial RD", "RD before the first game", "Initial_RD", minimum=1e-6),
        Parameter(
            "initial_volatility",
            0.06,
            "Initial volatility",
            "volatility before the first game",
            "Initial_volatility",
            minimum=1e-6,
            aliases=("volatility", "sigma"),
        ),
        Parameter(
            "tau",
            0.5,
            "tau",
            "how fast the volatility may change: small is slow",
            "System_constant",
            minimum=1e-6,
            source="the paper's example; reasonable values are 0.3 to 1.2",
        ),
        SCALE,
        CONVERGENCE,
        period_parameter("month"),
    ),
    state=(
        State("rating", "initial"),
        State("rd", "initial_rd", RD),
        State("volatility", "initial_volatility", VOLATILITY),
    ),
    opening=(start_rd, mu, phi),
    game=(g, expected, information, surprise),
    forecast=(joint_phi, joint_g, forecast),
    sums=("information", "surprise"),
    closing=(
        v,
        delta,
        log_variance,
        ILLINOIS,
        residual,
        volatility_after,
        phi_star,
        phi_after,
        change,
        rating_after,
        rd_after,
    ),
)
