"""Weng-Lin (OpenSkill): a mean and a standard deviation for each player, moved in closed form after every game.

Source: Ruby C. Weng and Chih-Jen Lin, *A Bayesian Approximation Method for Online Ranking*, Journal of Machine Learning
Research 12, 2011, Algorithm 1 (Bradley-Terry, full pair) and Algorithm 4 (Plackett-Luce), with gamma = sigma_i / c. For
two sides of one player each both algorithms are this one: c² = sigma1² + sigma2² + 2 beta², p = 1 / (1 + e^(-t)) with t
the difference of the means in units of c; the result moves mu by sigma²/c (s - p), and the variance loses the share
gamma sigma²/c² p (1 - p), held at kappa. Before a game both variances grow by tau², as the package openskill has it.

Reproduces the numbers of the Python package openskill 6.2.0. Games of teams and tables of many follow the setting
`model`: Plackett-Luce, the package's default, or Bradley-Terry full.

The state is called `rating` and `sigma`, the rating being mu; a leaderboard shows mu - 3 sigma.

Deviations: see `WENG_LIN.deviations`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from elo_sheets.ops import exp, maximum, sqrt
from elo_sheets.systems._facts import EXPECTED, RATING_AFTER, step
from elo_sheets.systems._system import Parameter, State, System, period_parameter
from elo_sheets.systems.trueskill import MU, SIGMA, SKILL, start_sigma, t


@step("The standard deviation of the difference of both performances.", label="c", unit="small")
def c(start_sigma: Any, opponent_start_sigma: Any, beta: Any) -> Any:
    return sqrt(start_sigma**2 + opponent_start_sigma**2 + 2 * beta**2)


@EXPECTED
def expected(t: Any) -> Any:
    return 1 / (1 + exp(-t))


@step("The points that the game moves the skill.", label="Omega")
def omega(start_sigma: Any, c: Any, score: Any, expected: Any) -> Any:
    return start_sigma**2 / c * (score - expected)


@step("How much of that share counts: the own uncertainty in units of c.", label="gamma", unit="small")
def gamma(start_sigma: Any, c: Any) -> Any:
    return start_sigma / c


@step("The share of the variance that the game takes away.", label="Delta", unit="small")
def delta(gamma: Any, start_sigma: Any, c: Any, expected: Any) -> Any:
    return gamma * (start_sigma / c) ** 2 * expected * (1 - expected)


@RATING_AFTER.labelled("Mu after")
def rating_after(rating: Any, period_omega: Any) -> Any:
    return rating + period_omega


@step("The standard deviation after the game.")
def sigma_after(start_sigma: Any, period_delta: Any, kappa: Any) -> Any:
    return start_sigma * sqrt(maximum(1 - period_delta, kappa))


MODELS = ("plackett-luce", "bradley-terry")


def rate_sides(
    sides: Sequence[Sequence[tuple[float, float]]],
    places: Sequence[float],
    weights: Sequence[Sequence[float]] | None = None,
    *,
    model: str = "plackett-luce",
    beta: float = 25 / 6,
    tau: float = 25 / 300,
    kappa: float = 1e-4,
) -> list[list[tuple[float, float]]]:
    """Return mu and sigma of each player after one game of two or more sides of one or more players.

    `sides` hold (mu, sigma) of their players before the game, `places` the finishing places, equal ones being ties.
    With `weights` a player takes so much of what his side gains, and the loss divided by it, as the package openskill
    has it. `model` is one of `MODELS`.

    >>> new = (25, 25 / 3)
    >>> [[round(mu, 3) for mu, _ in side] for side in rate_sides([[new], [new, new]], [1, 2])]
    [[28.708], [21.292, 21.292]]
    """
    shares = [[1.0] * len(side) for side in sides] if weights is None else weights
    opened = [[(mu, start_sigma(sigma, tau)) for mu, sigma in side] for side in sides]
    totals = [(sum(mu for mu, _ in side), sum(sigma**2 for _, sigma in side)) for side in opened]
    told = (_plackett_luce if model == MODELS[0] else _bradley_terry)(totals, places, beta)
    found: list[list[tuple[float, float]]] = []
    for side, own, (_, variance), (moved, lost) in zip(opened, shares, totals, told, strict=True):
        rated = []
        for (mu, sigma), weight in zip(side, own, strict=True):
            part = sigma**2 / variance * (weight if moved >= 0 else 1 / weight)
            rated.append((mu + part * moved, sigma * max(1 - part * lost, kappa) ** 0.5))
        found.append(rated)
    return found


def _bradley_terry(
    totals: Sequence[tuple[float, float]], places: Sequence[float], beta: float
) -> list[tuple[float, float]]:
    """Return omega and delta of each side: Algorithm 1, every side against every other."""
    found = []
    for i, (mean, variance) in enumerate(totals):
        moved = lost = 0.0
        for q, (other, spread) in enumerate(totals):
            if q == i:
                continue
            unit = (variance + spread + 2 * beta**2) ** 0.5
            chance = float(expected((mean - other) / unit))
            score = 1.0 if places[i] < places[q] else (0.5 if places[i] == places[q] else 0.0)
            moved += variance / unit * (score - chance)
            lost += variance**0.5 / unit * variance / unit**2 * chance * (1 - chance)
        found.append((moved, lost))
    return found


def _plackett_luce(
    totals: Sequence[tuple[float, float]], places: Sequence[float], beta: float
) -> list[tuple[float, float]]:
    """Return omega and delta of each side: Algorithm 4, in which every place is won against those behind it."""
    unit = sum(variance + beta**2 for _, variance in totals) ** 0.5
    # The largest is taken away: the shares stay, and no exponential overflows.
    top = max(mean for mean, _ in totals)
    strength = [float(exp((mean - top) / unit)) for mean, _ in totals]
    field = [sum(s for s, place in zip(strength, places, strict=True) if place >= own) for own in places]
    tied = [sum(place == own for place in places) for own in places]
    found = []
    for i, (_, variance) in enumerate(totals):
        moved = lost = 0.0
        for q in range(len(totals)):
            if places[q] <= places[i]:
                chance = strength[i] / field[q]
                moved += ((1.0 if q == i else 0.0) - chance) / tied[q]
                lost += chance * (1 - chance) / tied[q]
        found.append((variance / unit * moved, variance**0.5 / unit * variance / unit**2 * lost))
    return found


WENG_LIN = System(
    name="weng-lin",
    title="Weng-Lin (OpenSkill)",
    about="mean and standard deviation of a skill, moved in closed form; the ratings of the OpenSkill packages",
    sources=(
        "Ruby C. Weng, Chih-Jen Lin, A Bayesian Approximation Method for Online Ranking, JMLR 12, 2011",
        "the Python package openskill 6.2.0 for gamma, tau and kappa",
    ),
    deviations=(
        "tied sides of teams are not given one change of their means, as the package openskill 6.2.0 does: the paper "
        "has it otherwise",
        "the games of a longer period than one game are added up from the period's start",
    ),
    parameters=(
        *SKILL,
        Parameter("kappa", 1e-4, "kappa", "least share of the variance that a period leaves", "Kappa", minimum=1e-12),
        period_parameter("game"),
    ),
    state=(State("rating", "initial", MU), State("sigma", "initial_sigma", SIGMA)),
    opening=(start_sigma,),
    game=(c, t, expected, omega, gamma, delta),
    sums=("omega", "delta"),
    closing=(rating_after, sigma_after),
)
