"""What results say: who is the stronger, how sure that is, how good forecasts were, and what score a goal takes.

Sources: the chess programmers' match statistics (TalkChess, 2014: Laskos, Coulom) for the likelihood of superiority;
the rest follows from the definitions that each function states. What is a formula is written with `elo_sheets.ops` and
can be traced; what runs over a list of games takes lists or arrays.
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

from elo_sheets._late import np, pd
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.expr import Expr, call
from elo_sheets.ops import clip, floor, log, maximum, normal_cdf, sign, sqrt

# No forecast counts as more certain than this in the log-loss, which would be infinite otherwise.
CERTAINTY = 1e-15

# What floats lose in a sum of expected scores does not make another half point necessary.
_HALF_POINT_SLACK = 1e-9

# A continued fraction ends when a round changes it by no more than this share, or after so many rounds.
_SETTLED = 1e-16
_ROUNDS = 100_000
_TINY = 1e-300


# --- likelihood of superiority


def likelihood_of_superiority(wins: Any, losses: Any) -> Any:
    """Return the probability that the first player is the stronger, from wins and losses between two players.

    Exact for a uniform prior of the probability to win a decided game: the share above 1/2 of the Beta distribution
    with wins + 1 and losses + 1. For whole numbers that is the binomial distribution up to `wins` of
    wins + losses + 1 fair trials, which is the formula when traced. Draws cancel; without games it is 1/2. Takes
    floats or traced values. Precise to 1e-14 at a hundred games, 1e-9 at a million. Raises `UsageError` for negative
    numbers.

    >>> round(likelihood_of_superiority(1, 0), 12), round(likelihood_of_superiority(5975, 6077), 4)
    (0.75, 0.1764)
    """
    if isinstance(wins, Expr) or isinstance(losses, Expr):
        return call("BINOMDIST", wins, wins + losses + 1, 0.5, True)
    if min(wins, losses) < 0:
        raise UsageError(f"expected wins and losses of 0 or more, got {wins!r} and {losses!r}")
    lower_half, _ = _beta_lower_half(max(wins, losses) + 1.0, min(wins, losses) + 1.0)
    return 1 - lower_half if wins >= losses else lower_half


def _beta_lower_half(a: float, b: float) -> tuple[float, float]:
    """Return the share below 1/2 of the Beta distribution, for a >= b, and by how much the last round changed it.

    The continued fraction of the regularised incomplete beta function, by Lentz's method.
    """
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) - (a + b) * math.log(2) - math.log(a)
    c, d = 1.0, 1 / (1 - (a + b) / (2 * (a + 1)) or _TINY)
    fraction, residual = d, 1.0
    for m in range(1, _ROUNDS):
        for part in (
            m * (b - m) / (2 * (a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) / (2 * (a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + part * d or _TINY)
            c = 1 + part / c or _TINY
            fraction *= c * d
            residual = abs(c * d - 1)
        if residual <= _SETTLED:
            break
    return math.exp(logarithm) * fraction, residual


def likelihood_of_superiority_normal(wins: Any, losses: Any) -> Any:
    """Return the normal approximation of `likelihood_of_superiority`: Phi((wins - losses) / sqrt(wins + losses)).

    Draws cancel; without games it is 1/2. At thousands of games the two agree to 1e-5.

    >>> round(likelihood_of_superiority_normal(5975, 6077), 10)
    0.1764141146
    """
    return normal_cdf((wins - losses) / sqrt(maximum(wins + losses, 1)))


# --- the score of a match


def score_share(wins: Any, draws: Any, losses: Any) -> Any:
    """Return the score per game, from 0 to 1; there must be a game.

    >>> score_share(40, 30, 30)
    0.55
    """
    return (wins + draws / 2) / (wins + draws + losses)


def score_error(wins: Any, draws: Any, losses: Any, score_share: Any) -> Any:
    """Return the standard error of the score per game, from how far the results lie from it.

    0 when all games ended alike: such a match says nothing about the error.

    >>> round(score_error(40, 30, 30, 0.55), 12)
    0.041533119315
    """
    squares = wins * (1 - score_share) ** 2 + draws * (0.5 - score_share) ** 2 + losses * score_share**2
    return sqrt(squares) / (wins + draws + losses)


# --- the quality of forecasts


def game_log_loss(score: Any, expected: Any) -> Any:
    """Return the log-loss of one forecast, in natural logarithms; half of either term for a draw, so never 0 there.

    `expected` counts as at least 1e-15 away from 0 and from 1.

    >>> round(game_log_loss(0.5, 0.5), 6)
    0.693147
    """
    held = clip(expected, CERTAINTY, 1 - CERTAINTY)
    return -(score * log(held) + (1 - score) * log(1 - held))


def game_brier_score(score: Any, expected: Any) -> Any:
    """Return the squared error of one forecast, from 0 to 1.

    >>> game_brier_score(0.5, 0)
    0.25
    """
    return (score - expected) ** 2


def game_hit(score: Any, expected: Any) -> Any:
    """Return 1 if the favourite won, 0 if he lost, and 1/2 for a draw or without a favourite.

    >>> game_hit(1, 0.6), game_hit(1, 0.4), game_hit(1, 0.5), game_hit(0.5, 0.9)
    (1.0, 0.0, 0.5, 0.5)
    """
    return 0.5 + sign(expected - 0.5) * (score - 0.5)


def log_loss(scores: Any, expected: Any) -> float:
    """Return the mean log-loss of forecasts: 0 is perfect, ln 2 is what 1/2 for every game gets.

    `scores` are 1, 0.5 or 0 and `expected` the expected scores, one for each game. Compare models on the same games
    only. Raises `UnreadableInput` without games, `UsageError` for lists of different lengths or with NaN.

    >>> round(log_loss([1, 0.5, 0], [0.64006, 0.5, 0.35994]), 5)
    0.52851
    """
    return float(game_log_loss(*_games(scores, expected)).mean())


def brier_score(scores: Any, expected: Any) -> float:
    """Return the mean squared error of forecasts: 0 is perfect, 1 the worst. Raises as `log_loss` does.

    >>> brier_score([1, 0.5, 0], [1, 0.5, 0.5])
    0.08333333333333333
    """
    return float(game_brier_score(*_games(scores, expected)).mean())


def accuracy(scores: Any, expected: Any) -> float:
    """Return the share of the points that the favourites scored; a game without a favourite counts 1/2.

    A draw is half a hit, whatever was forecast. Raises as `log_loss` does.

    >>> accuracy([1, 0, 0.5], [0.7, 0.4, 0.6])
    0.8333333333333334
    """
    return float(game_hit(*_games(scores, expected)).mean())


def calibration(scores: Any, expected: Any, bins: int = 10) -> list[dict[str, float]]:
    """Return expected and real scores in equal bins of the expected score, those without games left out.

    Each row has the bin's ends `low` and `high` (a forecast on a border belongs to the bin above it, 1 to the last),
    the number of `games`, and the mean `expected` and real `score`. Raises as `log_loss` does, and `UsageError` for
    less than one bin or a forecast outside 0 to 1.

    >>> for row in calibration([1, 0.5, 1], [0.2, 0.3, 0.9], bins=2):
    ...     print(row)
    {'low': 0.0, 'high': 0.5, 'games': 2.0, 'expected': 0.25, 'score': 0.75}
    {'low': 0.5, 'high': 1.0, 'games': 1.0, 'expected': 0.9, 'score': 1.0}
    """
    score, forecast = _games(scores, expected)
    if bins < 1:
        raise UsageError(f"expected at least one bin, got {bins!r}")
    if forecast.min() < 0 or forecast.max() > 1:
        raise UsageError(f"expected forecasts from 0 to 1, got {forecast.min():g} to {forecast.max():g}")
    borders = np.arange(1, bins) / bins
    place = np.searchsorted(borders, forecast, side="right")
    games, expected_sums, score_sums = (
        np.bincount(place, weights, minlength=bins) for weights in (np.ones_like(score), forecast, score)
    )
    return [
        {
            "low": i / bins,
            "high": (i + 1) / bins,
            "games": float(games[i]),
            "expected": float(expected_sums[i] / games[i]),
            "score": float(score_sums[i] / games[i]),
        }
        for i in range(bins)
        if games[i]
    ]


def _games(scores: Any, expected: Any) -> tuple[Any, Any]:
    found = np.asarray(scores, "float64"), np.asarray(expected, "float64")
    if found[0].shape != found[1].shape or found[0].ndim != 1:
        raise UsageError(f"expected one forecast for each score, got {found[1].size} for {found[0].size}")
    if not found[0].size:
        raise UnreadableInput("there is no game whose forecast could be judged")
    if not np.isfinite(found).all():
        raise UsageError("expected a score and a forecast for every game, got NaN or infinity")
    return found


# --- goals


def score_needed(rating: Any, target: Any, expected_total: Any, k: Any) -> Any:
    """Return the score, in points, with which a rating reaches the target: expected total + (target - rating) / K.

    `expected_total` is the sum of the expected scores. The result may be below 0 or above the number of games; `goal`
    says whether it can be made.

    >>> score_needed(1500, 1520, 2.1, 20)
    3.1
    """
    return expected_total + (target - rating) / k


def half_points_needed(score_needed: Any) -> Any:
    """Return the smallest score, in whole and half points, that is enough; at least 0.

    >>> half_points_needed(3.1), half_points_needed(3.5), half_points_needed(-2)
    (3.5, 3.5, 0.0)
    """
    return maximum(0.0, -floor(_HALF_POINT_SLACK - 2 * score_needed) / 2)


def goal_possible(half_points_needed: Any, games: Any) -> Any:
    """Return whether so many points can be made in the games."""
    return half_points_needed <= games


class Goal(NamedTuple):
    """What a target takes: the exact score, the score in half points, and whether the games can bring it."""

    score: Any
    half_points: Any
    possible: Any


def goal(rating: Any, target: Any, expected_total: Any, k: Any, games: Any) -> Goal:
    """Return the score that a target takes, and whether it is possible in so many games.

    >>> goal(1500, 1520, 2.1, 20, 5)
    Goal(score=3.1, half_points=3.5, possible=True)
    >>> goal(1500, 1600, 2.1, 20, 5).possible
    False
    """
    score = score_needed(rating, target, expected_total, k)
    enough = half_points_needed(score)
    return Goal(score, enough, goal_possible(enough, games))


# --- inflation

_CAUSES = ("games", "bonus", "adjustments", "turnover")
_CALENDAR = {"year": "Y", "month": "M"}  # and pandas' names


def inflation(
    history: pd.DataFrame, every: Literal["year", "month"] = "year", bonus: str | None = None
) -> pd.DataFrame:
    """Return the mean rating of a pool in every year or month with games, and what moved it since the one before.

    `history` is that of a pool. The pool of a period are the players who have played in it, with their last ratings. A
    row has `period` (its first day), `players`, `mean`, `change` (of the mean) and the causes, which sum to the change:

    - `games`: points that the games create or destroy, by unequal K or rounding;
    - `bonus`: points that the closing steps add beyond the sum of the games' changes (floors, ceilings, limits), and
      those of the column `bonus`, if given: points of a player's rating period that are inside the other numbers;
    - `adjustments`: points between the end of a player's rating period and the start of his next, such as a carry-over;
    - `turnover`: newcomers, with their ratings before their first game of the period, less those who no longer play.

    Each is in points of the mean; the first row has none (NaN). Where a rule has no step `change` that is added up over
    the period, what its closing steps add is part of `games`.

    Raises `UnreadableInput` for a game without a date, `UsageError` for a history without ratings before and after or
    another calendar.

    >>> from elo_sheets.games import make_games
    >>> from elo_sheets.replaying.replay import replay
    >>> from elo_sheets.systems import system
    >>> games = [("Ann", "Bob", "2024-05-01"), ("Ann", "Cid", "2025-05-01")]
    >>> rows = [{"white": w, "black": b, "score": 1, "date": d, "source": "doc", "source_row": 1} for w, b, d in games]
    >>> found = inflation(replay(make_games(rows), system("elo")).history)
    >>> found[["players", "mean", "change", "games", "turnover"]].iloc[1].round(2).tolist()
    [2.0, 1505.0, 5.0, 0.0, 5.0]
    """
    if every not in _CALENDAR:
        raise UsageError(f"expected inflation by {' or '.join(_CALENDAR)}, got {every!r}")
    missing = {"rating", "rating_after", *([bonus] if bonus else [])} - set(history)
    if missing:
        raise UsageError(f"expected a history with the columns {', '.join(sorted(missing))}: this one has none")
    if history["date"].isna().any():
        raise UnreadableInput("a pool's inflation over time needs the date of every game")
    table = _player_periods(history, bonus)
    table["period"] = table["date"].dt.to_period(_CALENDAR[every]).dt.start_time
    rows = []
    before: dict[str, float] = {}
    for period, part in table.groupby("period", sort=True):
        last = part.drop_duplicates("player", keep="last")
        now = dict(zip(last["player"], last["rating_after"], strict=True))
        rows.append({"period": period, "players": len(now), "mean": _mean(now), **_causes(part, before, now)})
        before = now
    return pd.DataFrame(rows, columns=["period", "players", "mean", "change", *_CAUSES])


def _causes(part: pd.DataFrame, before: dict[str, float], now: dict[str, float]) -> dict[str, float]:
    """Return what moved the mean rating from one pool to the next, in points of the mean."""
    if not before:
        return {}
    new = part.drop_duplicates("player")
    new = new[~new["player"].isin(list(before))]
    left = sum(rating for player, rating in before.items() if player not in now)
    points = {
        "games": part["games"].sum(),
        "bonus": part["bonus"].sum(),
        # What happened to a newcomer before his first game happened outside the pool.
        "adjustments": part["opened"].sum() + part["between"].sum() - new["between"].sum(),
        "turnover": new["rating"].sum() - left - (len(now) - len(before)) * _mean(before),
    }
    return {"change": _mean(now) - _mean(before)} | {cause: points[cause] / len(now) for cause in _CAUSES}


def _mean(ratings: dict[str, float]) -> float:
    return sum(ratings.values()) / len(ratings)


def _player_periods(history: pd.DataFrame, bonus: str | None) -> pd.DataFrame:
    """Return a row for each player and rating period: ratings before and after, and the points by their causes."""
    closed = history.drop_duplicates(["player", "period"], keep="last").sort_values("period", kind="stable")
    start = closed.get("start_rating", closed["rating"])
    whole = closed["rating_after"] - start
    games = closed.get("period_change", whole)
    extra = closed[bonus] if bonus else 0.0
    previous = closed.groupby("player")["rating_after"].shift()
    return closed[["player", "date", "rating", "rating_after"]].assign(
        games=games - extra,
        bonus=whole - games + extra,
        opened=start - closed["rating"],
        between=(closed["rating"] - previous).fillna(0.0),
    )
