"""Bradley–Terry: the ratings under which the whole log is most likely.

Sources: R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs I", *Biometrika* 39 (1952); D. R.
Hunter, "MM algorithms for generalized Bradley–Terry models", *Annals of Statistics* 32 (2004), for when the
ratings exist. Player i beats player j with probability p_i / (p_i + p_j); the strengths p have the geometric mean 1,
and a rating is 400 log10 p. Reproduces the worked example of the encyclopedia article on the model: four teams with
the strengths 0.640, 1.043, 0.660 and 2.270.

The ratings are finite only if nobody, and no group, won or lost every game against the others, and if games link
everybody with everybody; else the fit refuses and names players.

Deviations: see `BRADLEY_TERRY.deviations`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elo_sheets._late import np, pd
from elo_sheets.systems._pool import (
    SCALE,
    Array,
    Trials,
    View,
    all_but_first,
    apart,
    check_comparable,
    climb,
    fitted,
    judge,
    on_both,
    pool_of,
    together,
)
from elo_sheets.systems._system import Fit, Value


def gamma(rating: Any) -> Any:
    return 10 ** (rating / SCALE)


def opponent_gamma(opponent_rating: Any) -> Any:
    return gamma(opponent_rating)


def win_probability(gamma: Any, opponent_gamma: Any) -> Any:
    return gamma / (gamma + opponent_gamma)


def fit(games: pd.DataFrame, settings: Mapping[str, Value]) -> pd.DataFrame:
    """Return player, rating, gamma and standard_error: the maximum of the likelihood, ratings with the mean 0.

    `gamma` is the strength p, with the geometric mean 1. The standard error takes the ratings of the opponents as
    exact. Raises `UnreadableInput` naming players when a rating would be infinite or there is no common scale.
    """
    pool = pool_of(games, "bradley-terry")
    many = len(pool.names)
    trials = halves(pool.white, pool.black, pool.score)
    check_comparable(pool, trials, "leave them out, or use a system with a prior, such as bayeselo")

    def look(ratings: Array) -> View:
        height, slope, curve = judge(apart(ratings, trials), trials.weight)
        information = on_both(curve, trials, many)
        return View(
            height,
            together(slope, trials, many),
            lambda step: together(curve * apart(step, trials), trials, many),
            lambda rest: rest / information,
        )

    found = climb(look, np.zeros(many), all_but_first(many))
    ratings = found.top - found.top.mean()
    error = np.sqrt(found.view.divide(np.ones(many)))
    columns = {"player": pool.names, "rating": ratings, "gamma": gamma(ratings), "standard_error": error}
    return fitted(columns, found.residual, found.rounds)


def halves(white: Array, black: Array, score: Array) -> Trials:
    """Return the games as trials: a win counts once for the winner, a draw half for each player."""
    weight = np.append(score, 1 - score)
    counts = weight > 0
    return Trials(np.append(white, black)[counts], np.append(black, white)[counts], weight[counts])


BRADLEY_TERRY = Fit(
    name="bradley-terry",
    title="Bradley–Terry",
    about="the ratings under which the whole log is most likely; no order of the games, no prior",
    sources=(
        "R. A. Bradley and M. E. Terry, Rank analysis of incomplete block designs I, Biometrika 39, 1952",
        "D. R. Hunter, MM algorithms for generalized Bradley-Terry models, Annals of Statistics 32, 2004",
    ),
    deviations=(
        "a draw counts as half a win of each player: the model knows no draw",
        "the maximum of the likelihood is found by Newton's method instead of MM: the same ratings in fewer rounds",
    ),
    parameters=(),
    fit=fit,
    steps=(gamma, opponent_gamma, win_probability),
    forecast=lambda own, other, _: (win_probability(gamma(own), gamma(other)), None),
    labels={"gamma": "Strength", "opponent_gamma": "Opponent strength"},
)
