"""TrueSkill for two players: a mean mu and a standard deviation sigma, updated after every game.

Source: Ralf Herbrich, Tom Minka and Thore Graepel, *TrueSkill: A Bayesian Skill Rating System*, NIPS 19, 2006, for one
player a side. Before a game both variances grow by tau². With c² = 2 beta² + sigma1² + sigma2², t the difference of the
means and e the draw margin in units of c, the result moves mu by sigma²/c times v and takes the share sigma²/c² times w
from the variance.

Reproduces the numbers of the Python package trueskill 0.4.5: two new players, a win: 29.396 and 20.604, sigma 7.171;
a draw: 25 and 25, sigma 6.458.

The state is called `rating` and `sigma`, the rating being mu; what a leaderboard shows is `conservative_skill`.

Deviations: a result more than eight standard deviations to the wrong side takes v from the series of the tail, e - t
and its first corrections, since spreadsheets may lose so small a tail; a draw as unlikely takes the limits e - t and 1.
Several games in one period, which the paper does not have, count as evidence from the state at the period's start: what
they add to 1/sigma² is added up. Teams are not rated, and more than two sides by `free_for_all` alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from elo_sheets.errors import UsageError
from elo_sheets.ops import (
    absolute,
    exp,
    maximum,
    minimum,
    normal_cdf,
    normal_pdf,
    normal_quantile,
    same,
    sign,
    sqrt,
    where,
)
from elo_sheets.systems._facts import EXPECTED, RATING_AFTER, Facts, step
from elo_sheets.systems._system import Parameter, State, System, period_parameter

# What a player brings: the two numbers of the skill.
MU = Facts("The rating before the game.", "Mu")
SIGMA = Facts("The standard deviation of the skill before the game.")

# So many standard deviations below zero the tail of the normal distribution is read from its series.
FAR = -8

# A draw less likely than this, about the tail beyond `FAR`, moves by its limit.
LEAST_DRAW = 1e-15

# The draw margin of a draw probability of 1 would be infinite.
MOST_CERTAIN = 1 - 1e-12


@step("The standard deviation with what a game adds to the uncertainty.", label="Sigma at start")
def start_sigma(sigma: Any, tau: Any) -> Any:
    return sqrt(sigma**2 + tau**2)


@step("How close two performances are in a draw, by the share of draws.", unit="small")
def draw_margin(draw_probability: Any, beta: Any) -> Any:
    return normal_quantile(minimum((draw_probability + 1) / 2, MOST_CERTAIN)) * sqrt(2 * beta**2)


@step("The standard deviation of the difference of both performances.", label="c", unit="small")
def c(start_sigma: Any, opponent_start_sigma: Any, beta: Any) -> Any:
    return sqrt(2 * beta**2 + start_sigma**2 + opponent_start_sigma**2)


@step("The difference of the skills in units of c.", label="t", unit="small")
def t(rating: Any, opponent_rating: Any, c: Any) -> Any:
    return (rating - opponent_rating) / c


@step("The draw margin in units of c.", label="e", unit="small")
def e(draw_margin: Any, c: Any) -> Any:
    return draw_margin / c


@EXPECTED
def expected(t: Any) -> Any:
    return normal_cdf(t)


@step("By how much the winner was expected to be ahead beyond a draw.", unit="small")
def win_lead(score: Any, t: Any, e: Any) -> Any:
    return (2 * score - 1) * t - e


@step("v of a win that was all but impossible, by its asymptotic series.")
def tail_v(win_lead: Any) -> Any:
    far = minimum(win_lead, FAR)
    return -far - 1 / far + 2 / far**3 - 10 / far**5


@step("v of a win: how far the winner's skill moves.", unit="small")
def win_v(win_lead: Any, tail_v: Any) -> Any:
    near = maximum(win_lead, FAR)
    return where(win_lead < FAR, tail_v, normal_pdf(near) / normal_cdf(near))


@step("w of a win: how much the uncertainty shrinks.", unit="small")
def win_w(win_lead: Any, win_v: Any) -> Any:
    return win_v * (win_v + win_lead)


@step("The difference of the skills, without its sign.", unit="small")
def distance(t: Any) -> Any:
    return absolute(t)


@step("The chance of a draw.", unit="small")
def draw_chance(distance: Any, e: Any) -> Any:
    return normal_cdf(e - distance) - normal_cdf(-e - distance)


@step("The normal density at the near end of the draw margin.", unit="small")
def near_density(distance: Any, e: Any) -> Any:
    return normal_pdf(e - distance)


@step("The normal density at the far end of the draw margin.", unit="small")
def far_density(distance: Any, e: Any) -> Any:
    return normal_pdf(e + distance)


@step("v of a draw: how far the better player's skill moves.", unit="small")
def draw_v(distance: Any, e: Any, draw_chance: Any, near_density: Any, far_density: Any) -> Any:
    pull = (far_density - near_density) / maximum(draw_chance, LEAST_DRAW)
    return where(draw_chance < LEAST_DRAW, e - distance, pull)


@step("The densities at both ends, each times its place.", unit="small")
def draw_edges(distance: Any, e: Any, near_density: Any, far_density: Any) -> Any:
    return (e - distance) * near_density + (e + distance) * far_density


@step("w of a draw: how much the uncertainty shrinks.", unit="small")
def draw_w(draw_v: Any, draw_edges: Any, draw_chance: Any) -> Any:
    return where(draw_chance < LEAST_DRAW, 1, draw_v**2 + draw_edges / maximum(draw_chance, LEAST_DRAW))


@step("How far the game moves the skill, by its result.", label="v", unit="small")
def v(score: Any, win_v: Any, draw_v: Any, t: Any) -> Any:
    return where(same(score, 0.5), sign(t) * draw_v, (2 * score - 1) * win_v)


@step("How much the game lessens the uncertainty, by its result.", label="w", unit="small")
def w(score: Any, win_w: Any, draw_w: Any) -> Any:
    return where(same(score, 0.5), draw_w, win_w)


@step("The points that the game alone moves the skill.")
def shift(start_sigma: Any, c: Any, v: Any) -> Any:
    return start_sigma**2 / c * v


@step("The share of the variance that the game takes away.", unit="small")
def share(start_sigma: Any, c: Any, w: Any) -> Any:
    return start_sigma**2 / c**2 * w


@step("What the game adds to the precision, in units of the old one.", unit="small")
def evidence(share: Any) -> Any:
    return share / (1 - share)


@step("The shift, weighted by that evidence.")
def weighted_shift(shift: Any, evidence: Any) -> Any:
    return shift * (1 + evidence)


@RATING_AFTER.labelled("Mu after")
def rating_after(rating: Any, period_weighted_shift: Any, period_evidence: Any) -> Any:
    return rating + period_weighted_shift / (1 + period_evidence)


@step("The standard deviation after the game.")
def sigma_after(start_sigma: Any, period_evidence: Any) -> Any:
    return start_sigma / sqrt(1 + period_evidence)


def conservative_skill(rating: Any, sigma: Any) -> Any:
    """Return the skill that a leaderboard shows: mu - 3 sigma, which the true one exceeds almost surely.

    >>> conservative_skill(25, 25 / 3)
    0.0
    """
    return rating - 3 * sigma


# Rounds of the messages between neighbours of a free-for-all, and the change at which they rest.
ROUNDS = 100
STILL = 1e-10


def free_for_all(
    players: Sequence[tuple[float, float]],
    places: Sequence[int],
    *,
    beta: float = 25 / 6,
    tau: float = 25 / 300,
    draw_probability: float = 0.1,
) -> list[tuple[float, float]]:
    """Return mu and sigma of each player after one game of many, one player a side.

    `players` are (mu, sigma) before and `places` the finishing places; equal places are draws. Only neighbours in the
    order of places are compared, and what the comparisons say of each other passes between them until it rests
    (expectation propagation, at most `ROUNDS` times). No replay uses it: a log's games have two sides. Raises
    `UsageError` for less than two players or lists of different lengths.

    Source: Herbrich, Minka, Graepel 2006, section 3. Reproduces the table of eight new players that Microsoft Research
    published (of its sixteen numbers, one printed twice, 4.874, lies on the border of rounding: 4.874549).

    >>> [(round(mu, 3), round(sigma, 3)) for mu, sigma in free_for_all([(25, 25 / 3)] * 8, range(1, 9))[:2]]
    [(36.771, 5.749), (32.242, 5.133)]
    """
    if len(players) != len(places) or len(players) < 2:
        raise UsageError(f"expected two or more players with a place each, got {len(players)} and {len(places)}")
    order = sorted(range(len(players)), key=lambda i: places[i])
    opened = [(players[i][0], start_sigma(players[i][1], tau) ** 2) for i in order]
    margin = draw_margin(draw_probability, beta)
    # Beliefs are kept as precision and precision times mean, so that messages are added and taken away.
    prior = [(1 / (variance + beta**2), mu / (variance + beta**2)) for mu, variance in opened]
    above = [(0.0, 0.0)] * len(order)  # what the comparison with the player before says of each
    below = [(0.0, 0.0)] * len(order)  # … with the player behind
    there_and_back = [*range(len(order) - 1), *range(len(order) - 3, -1, -1)]
    for _ in range(ROUNDS):
        moved = 0.0
        for i in there_and_back:
            drawn = places[order[i]] == places[order[i + 1]]
            better, worse = _plus(prior[i], above[i]), _plus(prior[i + 1], below[i + 1])
            said = _compared(better, worse, margin, drawn)
            moved = max(
                moved, *(abs(a - b) for a, b in zip((*said[0], *said[1]), (*below[i], *above[i + 1]), strict=True))
            )
            below[i], above[i + 1] = said
        if moved < STILL:
            break
    found: list[tuple[float, float]] = [(0.0, 0.0)] * len(order)
    for place, (mu, variance) in enumerate(opened):
        precision, weighted = _plus(above[place], below[place])
        # Of the performance; the skill knows it through the spread beta.
        skill = precision / (1 + precision * beta**2)
        share = weighted / (1 + precision * beta**2)
        total = 1 / variance + skill
        found[order[place]] = ((mu / variance + share) / total, 1 / total**0.5)
    return found


def _plus(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    return a[0] + b[0], a[1] + b[1]


def _compared(
    better: tuple[float, float], worse: tuple[float, float], margin: float, drawn: bool
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return what the result of two neighbours says of the performance of each."""
    mean = [belief[1] / belief[0] for belief in (better, worse)]
    variance = [1 / belief[0] for belief in (better, worse)]
    spread = (variance[0] + variance[1]) ** 0.5
    t_now, e_now = (mean[0] - mean[1]) / spread, margin / spread
    if drawn:
        far, chance = distance(t_now), draw_chance(distance(t_now), e_now)
        near, beyond = near_density(far, e_now), far_density(far, e_now)
        pull = draw_v(far, e_now, chance, near, beyond)
        v_now, w_now = sign(t_now) * pull, draw_w(pull, draw_edges(far, e_now, near, beyond), chance)
    else:
        lead = win_lead(1, t_now, e_now)
        v_now = win_v(lead, tail_v(lead))
        w_now = win_w(lead, v_now)
    # The difference after the result, less what was believed of it before: the message of the result itself.
    precision = w_now / (1 - w_now) / spread**2
    centre = mean[0] - mean[1] + spread * v_now * (1 + (1 - w_now) / w_now)
    told = [1 / (1 / precision + other) for other in reversed(variance)]
    return (told[0], told[0] * (mean[1] + centre)), (told[1], told[1] * (mean[0] - centre))


def match_quality(rating: Any, sigma: Any, opponent_rating: Any, opponent_sigma: Any, beta: Any) -> Any:
    """Return how likely a draw is compared with two equal players of known skill: from 0 to 1.

    Source: Herbrich, Minka, Graepel 2006, section 4. The sigmas count as they are, without tau.

    >>> round(match_quality(25, 25 / 3, 25, 25 / 3, 25 / 6), 3)
    0.447
    """
    variance = 2 * beta**2 + sigma**2 + opponent_sigma**2
    return sqrt(2 * beta**2 / variance) * exp(-((rating - opponent_rating) ** 2) / (2 * variance))


TRUESKILL = System(
    name="trueskill",
    title="TrueSkill",
    about="mean and standard deviation of a skill, with a draw margin; two players, one update per game",
    sources=("Ralf Herbrich, Tom Minka, Thore Graepel, TrueSkill: A Bayesian Skill Rating System, NIPS 19, 2006",),
    deviations=(
        "beyond eight standard deviations the tail is taken from its series, a draw by its limit",
        "the games of a longer period than one game count together as evidence from the period's start",
        "only one player a side and two sides: no teams, no free-for-all",
    ),
    parameters=(
        Parameter(
            "initial", 25.0, "Initial mu", "mean of the skill before the first game", "Initial_mu", aliases=("mu",)
        ),
        Parameter(
            "initial_sigma",
            25 / 3,
            "Initial sigma",
            "standard deviation of the skill before the first game",
            "Initial_sigma",
            minimum=1e-6,
            aliases=("sigma",),
        ),
        Parameter("beta", 25 / 6, "beta", "standard deviation of a performance", "Performance_sigma", minimum=1e-6),
        Parameter("tau", 25 / 300, "tau", "growth of sigma before a game", "Sigma_growth", minimum=0.0),
        Parameter("draw_probability", 0.1, "Draw probability", "share of draws among equals", "Draw_probability", 0.0),
        period_parameter("game"),
    ),
    state=(State("rating", "initial", MU), State("sigma", "initial_sigma", SIGMA)),
    opening=(start_sigma,),
    game=(
        draw_margin,
        c,
        t,
        e,
        win_lead,
        tail_v,
        win_v,
        win_w,
        distance,
        draw_chance,
        near_density,
        far_density,
        draw_v,
        draw_edges,
        draw_w,
        v,
        w,
        shift,
        share,
        evidence,
        weighted_shift,
    ),
    forecast=(expected,),
    sums=("evidence", "weighted_shift"),
    closing=(rating_after, sigma_after),
)
