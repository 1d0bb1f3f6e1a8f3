"""Glicko-2: rating, deviation RD and volatility, updated once per rating period.

Source: Mark E. Glickman, *Example of the Glicko-2 system* (glicko2.pdf, 2012, revised 2022), steps 1 to 8. Inside, a
rating is mu = (r - 1500)/173.7178 and a deviation phi = RD/173.7178; 173.7178 is the paper's own number. Step 5 finds
the new volatility as the root of the paper's f, by another iteration than the paper's.

Reproduces the paper's example: 1500, RD 200, volatility 0.06, tau 0.5, against 1400 (RD 30, won), 1550 (RD 100, lost)
and 1700 (RD 300, lost) comes to 1464.05, 151.52, 0.05999. The printed 1464.06 comes from rounded intermediate values.

With s = phi² + v, x the logarithm of the new sigma² and u = e^x/(s + e^x), its share in all variance, the paper's f is

    f(x) = u ((Δ²/s)(1 - u) - 1)/2 - (x - ln sigma²)/tau²

whose first part lies between -1/2 and (Δ²/s - 1)²/(8 Δ²/s). So the root is found between ln sigma² and
ln sigma² - tau²/2 after results that were likelier than expected, and between ln sigma² and the smaller of the paper's
ln(Δ² - s) and ln sigma² + tau² (Δ²/s - 1)²/(8 Δ²/s) after others. The sign of f at the quarters of this interval says
in which quarter. From its middle on, each round goes to the nearer root of the parabola that has f's value, slope and
curvature (Euler's method), and not beyond the quarter. Four rounds bring x as close as float64 holds it: in three
million periods up to twenty standard deviations from what was expected, with tau from 0.2 to 1.5, and in a million up
to a hundred. Nothing decides when to stop, so every program goes the same way.

Results far from what was expected give f three roots (from nine standard deviations on with tau 0.5, from four with tau
1.2). Taken is the one in the first quarter, seen from ln sigma², at whose end f has changed its sign.

Idle periods each add sigma² to phi², so they are one step: `elapsed` - 1 of them before the period's own.

Deviations: see `GLICKO_2.deviations`.
"""

from __future__ import annotations

from typing import Any

from elo_sheets.ops import absolute, clip, exp, log, maximum, minimum, sqrt, where
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
from elo_sheets.systems._system import Parameter, Repeat, State, Step, System, called, period_parameter
from elo_sheets.systems.glicko import LEAST_INFORMATION, chance, discount, information, rating_after, surprise

# Where the scale of mu has its zero.
CENTRE = 1500

# The rounds of Euler's method.
ROUNDS = 4

# Just above zero: keeps a logarithm a number in the branch that is not taken.
TINY = 1e-300

# No volatility falls by more than a factor of e^250 in a period, however large tau is.
LARGEST_FALL = 500

# The slope below which f counts as flat: keeps the divisor of a round from zero.
FLAT = 1e-9

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


@step("The variance that delta is expected to have, but for the volatility: phi² + v.", label="φ² + v", unit="small")
def expected_square(phi: Any, v: Any) -> Any:
    return phi**2 + v


@step("How many times as large as expected delta² came out.", label="Δ²/(φ² + v)", unit="small")
def surprise_ratio(delta: Any, expected_square: Any) -> Any:
    return delta**2 / expected_square


@step("The logarithm of the old volatility's square.", label="ln σ²", unit="small")
def log_variance(volatility: Any) -> Any:
    return log(maximum(volatility**2, TINY))


@step("How far from ln σ² that of the new volatility may lie, and to which side.", unit="small")
def reach(delta: Any, expected_square: Any, surprise_ratio: Any, volatility: Any, log_variance: Any, tau: Any) -> Any:
    excess = delta**2 - expected_square
    most = (tau * (surprise_ratio - 1)) ** 2 / (8 * maximum(surprise_ratio, 1))
    rise = minimum(log(maximum(excess, TINY)) - log_variance, most)
    return where(excess > volatility**2, rise, -minimum(tau**2 / 2, LARGEST_FALL))


def f_beyond(further: Any, delta: Any, expected_square: Any, log_variance: Any, tau: Any) -> Any:
    """Return the paper's f where x is ln σ² and `further`."""
    variance = exp(log_variance + further)
    return (
        variance * (delta**2 - expected_square - variance) / (2 * (expected_square + variance) ** 2) - further / tau**2
    )


@step("The function whose zero is sought, at a quarter of the reach.", label="f(¼)", unit="small")
def f_quarter(reach: Any, delta: Any, expected_square: Any, log_variance: Any, tau: Any) -> Any:
    return f_beyond(reach / 4, delta, expected_square, log_variance, tau)


@step("The same function at half of the reach.", label="f(½)", unit="small")
def f_half(reach: Any, delta: Any, expected_square: Any, log_variance: Any, tau: Any) -> Any:
    return f_beyond(reach / 2, delta, expected_square, log_variance, tau)


@step("The same function at three quarters of the reach.", label="f(¾)", unit="small")
def f_three_quarters(reach: Any, delta: Any, expected_square: Any, log_variance: Any, tau: Any) -> Any:
    return f_beyond(reach * 0.75, delta, expected_square, log_variance, tau)


@step("The middle of the quarter in which the function changes its sign, where the rounds begin.", unit="small")
def middle(reach: Any, log_variance: Any, f_quarter: Any, f_half: Any, f_three_quarters: Any) -> Any:
    second_half = where(f_three_quarters * reach > 0, 0.875, 0.625)
    second = where(f_half * reach > 0, second_half, 0.375)
    return log_variance + reach * where(f_quarter * reach > 0, second, 0.125)


@called("x")
def first_x(middle: Any) -> Any:
    return middle


@step("The slope of the function where this round begins.", label="Slope of f", unit="small")
def slope(share: Any, surprise_ratio: Any, tau: Any) -> Any:
    return share * (1 - share) * (surprise_ratio * (1 - 2 * share) - 1) / 2 - 1 / tau**2


@step("The logarithm of the new volatility's square, as this round finds it.", label="ln new σ²", unit="small")
def x(x: Any, share: Any, f: Any, slope: Any, surprise_ratio: Any, middle: Any, reach: Any) -> Any:
    twice_curvature = share * (1 - share) * (surprise_ratio * (1 - 6 * share * (1 - share)) + 2 * share - 1)
    root = sqrt(maximum(slope**2 - f * twice_curvature, 0))
    half = absolute(reach) / 8
    return clip(x + 2 * f / maximum(root - slope, FLAT), middle - half, middle + half)


@step("The share of the new volatility's square in all variance of the period, at that point.", unit="small")
def share(x: Any, expected_square: Any) -> Any:
    return exp(x) / (expected_square + exp(x))


@step("The function at that point: in the end zero but for the last digits.", label="f", unit="small")
def f(share: Any, x: Any, log_variance: Any, surprise_ratio: Any, tau: Any) -> Any:
    return share * (surprise_ratio * (1 - share) - 1) / 2 - (x - log_variance) / tau**2


EULER = Repeat(start=(first_x, share, f), steps=(slope, x, share, f), count=ROUNDS)

# Step 5 as columns.
SEARCH: tuple[Step | Repeat, ...] = (
    expected_square,
    surprise_ratio,
    log_variance,
    reach,
    f_quarter,
    f_half,
    f_three_quarters,
    middle,
    EULER,
)


@VOLATILITY_AFTER
def volatility_after(x: Any) -> Any:
    return exp(x / 2)


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


def volatility_parameter(default: float) -> Parameter:
    """Return the parameter that says how erratic a new player's results are taken to be."""
    said, aliases = "volatility before the first game", ("volatility", "sigma")
    return Parameter("initial_volatility", default, "Initial volatility", said, minimum=1e-6, aliases=aliases)


GLICKO_2 = System(
    name="glicko2",
    title="Glicko-2",
    about="Glicko with a volatility for each player: how erratic his results are",
    sources=("Mark E. Glickman, Example of the Glicko-2 system, 2012, revised 2022, glicko.net/glicko/glicko2.pdf",),
    deviations=(
        "the volatility is found by four rounds of Euler's method within a quarter of an interval that holds it, to the"
        " last digits of a float (the paper: the Illinois method, until A and B are within 1e-6)",
        "where the paper's f has several roots, after results far from what was expected, the one in the first quarter"
        " of that interval in which f changes its sign is taken (the paper does not say which)",
        "games certain to thirty digits count as telling 1e-30, so that nothing is divided by zero",
        "the forecast with both deviations is that of the Glicko paper: the Glicko-2 paper has none",
    ),
    parameters=(
        Parameter("initial", 1500.0, "Initial rating", "rating before the first game"),
        Parameter("initial_rd", 350.0, "Initial RD", "RD before the first game", minimum=1e-6),
        volatility_parameter(0.06),
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
        *SEARCH,
        volatility_after,
        phi_star,
        phi_after,
        change,
        rating_after,
        rd_after,
    ),
)
