"""TrueSkill for two players: a mean mu and a standard deviation sigma, updated after every game.

Source: Ralf Herbrich, Tom Minka and Thore Graepel, *TrueSkill: A Bayesian Skill Rating System*, NIPS 19, 2006, for one
player a side. Before a game both variances grow by tau². With c² = 2 beta² + sigma1² + sigma2², t the difference of the
means and e the draw margin in units of c, the result moves mu by sigma²/c times v and takes the share sigma²/c² times w
from the variance.

Reproduces the numbers of the Python package trueskill 0.4.5: two new players, a win: 29.396 and 20.604, sigma 7.171;
a draw: 25 and 25, sigma 6.458.

The state is called `rating` and `sigma`, the rating being mu; what a leaderboard shows is `conservative_skill`.

Deviations: see `TRUESKILL.deviations`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
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

# So many standard deviations below zero the tail of the normal distribution is read from its series, since
# spreadsheets may lose so small a tail.
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

# A result that lessens the uncertainty by less than this was certain, and tells nothing.
NOTHING_NEW = 1e-200


def free_for_all(
    players: Sequence[tuple[float, float]],
    places: Sequence[int],
    *,
    beta: float = 25 / 6,
    tau: float = 25 / 300,
    draw_probability: float = 0.1,
) -> list[tuple[float, float]]:
    """Return mu and sigma of each player after one game of many, one player a side.

    `players` are (mu, sigma) before and `places` the finishing places; equal places are draws. It is `rate_sides` with
    sides of one. Raises `UsageError` for less than two players or lists of different lengths.

    Reproduces the table of eight new players that Microsoft Research published (of its sixteen numbers, one printed
    twice, 4.874, lies on the border of rounding: 4.874549).

    >>> [(round(mu, 3), round(sigma, 3)) for mu, sigma in free_for_all([(25, 25 / 3)] * 8, range(1, 9))[:2]]
    [(36.771, 5.749), (32.242, 5.133)]
    """
    sides = [[player] for player in players]
    rated = rate_sides(sides, places, beta=beta, tau=tau, draw_probability=draw_probability)
    return [side[0] for side in rated]


def rate_sides(
    sides: Sequence[Sequence[tuple[float, float]]],
    places: Sequence[float],
    weights: Sequence[Sequence[float]] | None = None,
    *,
    beta: float = 25 / 6,
    tau: float = 25 / 300,
    draw_probability: float = 0.1,
) -> list[list[tuple[float, float]]]:
    """Return mu and sigma of each player after one game of two or more sides of one or more players.

    `sides` hold (mu, sigma) of their players before the game, `places` the finishing places, equal ones being draws,
    and `weights` the share of the game that each player played, above 0 and up to 1 (all by default). A side performs
    as the weighted sum of its players. Only neighbours in the order of places are compared, and what the comparisons
    say of each other passes between them until it rests (expectation propagation, at most `ROUNDS` times); with two
    sides the first round is exact. The draw margin grows with the root of the number of players in both sides. Raises
    `UsageError` for less than two sides, an empty one, or lists of different lengths.

    Source: Herbrich, Minka, Graepel 2006, section 3; the weights are the partial play of its section 2.

    >>> new = (25, 25 / 3)
    >>> [[round(mu, 3) for mu, _ in side] for side in rate_sides([[new], [new, new]], [1, 2])]
    [[33.731], [16.269, 16.269]]
    """
    shares = [[1.0] * len(side) for side in sides] if weights is None else [list(side) for side in weights]
    if len(sides) != len(places) or len(sides) < 2 or [*map(len, sides)] != [*map(len, shares)] or not all(sides):
        raise UsageError(f"expected two or more players with a place each, got {len(sides)} and {len(places)}")
    order = sorted(range(len(sides)), key=lambda i: places[i])
    opened = [[(mu, start_sigma(sigma, tau) ** 2) for mu, sigma in side] for side in sides]
    totals = [_performance(side, share, beta) for side, share in zip(opened, shares, strict=True)]
    # Beliefs are kept as precision and precision times mean, so that messages are added and taken away.
    prior = [(1 / totals[i][1], totals[i][0] / totals[i][1]) for i in order]
    margins = [
        draw_margin(draw_probability, beta) * ((len(sides[i]) + len(sides[j])) / 2) ** 0.5 for i, j in pairwise(order)
    ]
    drawn = [places[i] == places[j] for i, j in pairwise(order)]
    told = _passed(prior, margins, drawn)
    found: list[list[tuple[float, float]]] = [[] for _ in sides]
    for side, (precision, weighted) in zip(order, told, strict=True):
        mean, variance = totals[side]
        for (mu, own), share in zip(opened[side], shares[side], strict=True):
            # What the result says of the side, less what the others and the spread beta make of it.
            spread = variance - share**2 * own
            skill = share**2 * precision / (1 + precision * spread)
            centre = share * (weighted - precision * (mean - share * mu)) / (1 + precision * spread)
            total = 1 / own + skill
            found[side].append(((mu / own + centre) / total, 1 / total**0.5))
    return found


def _performance(players: Sequence[tuple[float, float]], shares: Sequence[float], beta: float) -> tuple[float, float]:
    """Return the mean and the variance of what a side performs."""
    mean = sum(share * mu for (mu, _), share in zip(players, shares, strict=True))
    return mean, sum(share**2 * (variance + beta**2) for (_, variance), share in zip(players, shares, strict=True))


def _passed(
    prior: Sequence[tuple[float, float]], margins: Sequence[float], drawn: Sequence[bool]
) -> list[tuple[float, float]]:
    """Return what all comparisons of neighbours say of the performance of each side, in the order of places."""
    above = [(0.0, 0.0)] * len(prior)  # what the comparison with the side before says of each
    below = [(0.0, 0.0)] * len(prior)  # … with the side behind
    there_and_back = [*range(len(prior) - 1), *range(len(prior) - 3, -1, -1)]
    for _ in range(ROUNDS):
        moved = 0.0
        for i in there_and_back:
            better, worse = _plus(prior[i], above[i]), _plus(prior[i + 1], below[i + 1])
            said = _compared(better, worse, margins[i], drawn[i])
            moved = max(
                moved, *(abs(a - b) for a, b in zip((*said[0], *said[1]), (*below[i], *above[i + 1]), strict=True))
            )
            below[i], above[i + 1] = said
        if moved < STILL:
            break
    return [_plus(a, b) for a, b in zip(above, below, strict=True)]


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
    if w_now < NOTHING_NEW:
        return (0.0, 0.0), (0.0, 0.0)
    w_now = min(w_now, MOST_CERTAIN)
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


# Of every rule that keeps the mean and the standard deviation of a skill.
SKILL = (
    Parameter("initial", 25.0, "Initial mu", "mean of the skill before the first game", aliases=("mu",)),
    Parameter(
        "initial_sigma",
        25 / 3,
        "Initial sigma",
        "standard deviation of the skill before the first game",
        minimum=1e-6,
        aliases=("sigma",),
    ),
    Parameter("beta", 25 / 6, "beta", "standard deviation of a performance", "Performance_sigma", minimum=1e-6),
    Parameter("tau", 25 / 300, "tau", "growth of sigma before a game", "Sigma_growth", minimum=0.0),
)

TRUESKILL = System(
    name="trueskill",
    title="TrueSkill",
    about="mean and standard deviation of a skill, with a draw margin; two players, one update per game",
    sources=("Ralf Herbrich, Tom Minka, Thore Graepel, TrueSkill: A Bayesian Skill Rating System, NIPS 19, 2006",),
    deviations=(
        "beyond eight standard deviations the tail is taken from its series, a draw by its limit",
        "the games of a longer period than one game count together as evidence from the period's start",
        "teams and tables of many are rated game by game alone",
    ),
    parameters=(
        *SKILL,
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
