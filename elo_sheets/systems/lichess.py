"""Lichess: Glicko-2 as its server runs it, one update per game.

Sources: the server's code, lichess-org/scalachess (`rating`: GlickoCalculator, RatingCalculator, ColorAdvantage) and
lichess-org/lila (`modules/rating`: Glicko, PerfExt, RatingRegulator). Between games RD grows with calendar time, at
0.21436 periods a day; within a game no time passes, so the paper's step 6 is left out. White's advantage of 11.782457
points stands inside the expected score: half is added to White, half taken from Black. A gain is multiplied by the
pool's factor (live settings since April 2019; here those of 2026), then no game moves a rating by more than 700, then
rating, RD and volatility are kept within limits. The display cuts decimals off; the ratings here keep them.

Reproduces the single games of the server's own tests, such as 1500 (RD 350, volatility 0.06) beating its like without
advantage: 1662.21, RD 290.2305.

Deviations: see `LICHESS.deviations`.
"""

from __future__ import annotations

from typing import Any

from elo_sheets.ops import clip, exp, minimum, same, sqrt, where
from elo_sheets.systems._facts import (
    EXPECTED,
    FORECAST,
    PHI_AFTER,
    RATING_AFTER,
    RD_AFTER,
    START_RD,
    VOLATILITY_AFTER,
    step,
)
from elo_sheets.systems._system import Parameter, System, period_parameter
from elo_sheets.systems.glicko import chance, information, surprise
from elo_sheets.systems.glicko2 import (
    GLICKO_2,
    SCALE,
    SEARCH,
    change,
    delta,
    g,
    joint_g,
    joint_phi,
    mu,
    narrowed,
    phi,
    v,
    volatility_parameter,
)


@START_RD
def start_rd(rd: Any, volatility: Any, days: Any, periods_per_day: Any, scale: Any, rd_min: Any, rd_max: Any) -> Any:
    return clip(sqrt(rd**2 + days * periods_per_day * (scale * volatility) ** 2), rd_min, rd_max)


@step("The difference of the ratings on the internal scale, with the first move.")
def lead(mu: Any, opponent_mu: Any, side: Any, advantage: Any, scale: Any) -> Any:
    return mu - opponent_mu + side * advantage / scale


@EXPECTED
def expected(lead: Any, g: Any) -> Any:
    return chance(g, lead)


@FORECAST
def forecast(lead: Any, joint_g: Any) -> Any:
    return chance(joint_g, lead)


@VOLATILITY_AFTER
def volatility_after(x: Any, volatility_max: Any) -> Any:
    return minimum(exp(x / 2), volatility_max)


@PHI_AFTER
def phi_after(phi: Any, v: Any) -> Any:
    return narrowed(phi, v)


@step("The factor of the server's regulator for gains, by speed.", unit="small")
def gain_factor(speed: Any) -> Any:
    rapid_or_classical = where(same(speed, "rapid"), 1.015, where(same(speed, "classical"), 1.01, 1))
    return where(same(speed, "bullet"), 1.01, where(same(speed, "blitz"), 1.005, rapid_or_classical))


@step("The change after the regulator.")
def regulated_change(change: Any, gain_factor: Any) -> Any:
    return where(change > 0, change * gain_factor, change)


@step("The change, held to the most that one game may move.")
def limited_change(regulated_change: Any, change_max: Any) -> Any:
    return clip(regulated_change, -change_max, change_max)


@RATING_AFTER
def rating_after(rating: Any, limited_change: Any, rating_min: Any, rating_max: Any) -> Any:
    return clip(rating + limited_change, rating_min, rating_max)


@RD_AFTER
def rd_after(phi_after: Any, scale: Any, rd_min: Any, rd_max: Any) -> Any:
    return clip(scale * phi_after, rd_min, rd_max)


LICHESS = System(
    name="lichess",
    title="Lichess",
    about="Glicko-2 after every game, RD growing with the days between games, as the Lichess server does it",
    sources=(
        "lichess-org/scalachess, rating/src/main/scala/glicko, MIT",
        "lichess-org/lila, modules/rating (Glicko, PerfExt, RatingRegulator), AGPL-3.0",
        "Mark E. Glickman, Example of the Glicko-2 system, 2012, revised 2022",
    ),
    deviations=(
        "the factors of gains, which the server has changed over the years, apply only if speed names a pool",
        "a rating beyond its limits is kept at the limit, where the server starts such a player afresh",
        "a change against a bot is not halved: a log does not say who is one",
        "the volatility is found as by system glicko2, to the last digits of a float (the server: by the Illinois"
        " method until A and B are within 1e-6)",
        "the forecast with both deviations is that of the Glicko paper",
    ),
    parameters=(
        Parameter(
            "initial",
            1500.0,
            "Initial rating",
            "rating before the first game; the server starts bots at 2000, accounts that a teacher manages at 800",
        ),
        Parameter("initial_rd", 500.0, "Initial RD", "RD before the first game", minimum=1e-6),
        volatility_parameter(0.09),
        Parameter("tau", 0.75, "tau", "how fast the volatility may change", "System_constant", minimum=1e-6),
        Parameter(
            "advantage",
            11.782457,
            "White's advantage",
            "points that White is ahead by the first move; crazyhouse 20.30966, 0 for none",
            "White_advantage",
        ),
        Parameter(
            "speed",
            "none",
            "Speed",
            "pool whose factor multiplies gains: bullet 1.01, blitz 1.005, rapid 1.015, classical 1.01, none 1",
            choices=("none", "bullet", "blitz", "rapid", "classical"),
        ),
        Parameter(
            "periods_per_day",
            0.21436,
            "Periods per day",
            "rating periods in a day; 0.21436 takes an RD of 60 to 110 in a year",
            minimum=0.0,
        ),
        Parameter("rd_min", 45.0, "Smallest RD", "RD never falls below this", minimum=1e-6),
        Parameter("rd_max", 500.0, "Largest RD", "RD never grows beyond this", minimum=1e-6),
        Parameter("volatility_max", 0.1, "Largest volatility", "volatility's limit", minimum=1e-6),
        Parameter("rating_min", 400.0, "Lowest rating", "a rating never falls below this"),
        Parameter("rating_max", 4000.0, "Highest rating", "a rating never rises above this"),
        Parameter("change_max", 700.0, "Largest change", "a game moves no rating by more", minimum=0.0),
        SCALE,
        period_parameter("game"),
    ),
    state=GLICKO_2.state,
    opening=(start_rd, mu, phi),
    game=(g, lead, expected, information, surprise),
    forecast=(joint_phi, joint_g, forecast),
    sums=("information", "surprise"),
    closing=(
        v,
        delta,
        *SEARCH,
        volatility_after,
        phi_after,
        change,
        gain_factor,
        regulated_change,
        limited_change,
        rating_after,
        rd_after,
    ),
)
