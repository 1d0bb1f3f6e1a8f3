"""Whole-History Rating: a rating for each day on which a player played, all of them fitted together.

Sources: Rémi Coulom, "Whole-History Rating: A Bayesian rating system for players of time-varying strength", *Computers
and Games* (2008); its reference implementation goshrine/whole_history_rating (2012). Games follow the Bradley–Terry
model between the ratings that the two players have on that day; from one of his days to the next a player's rating
drifts with variance w2 per day; on his first day he also wins one virtual game and loses one against a player
of rating 0. The fit is the maximum of the posterior. Reproduces the implementation's published output for five games
of two players: -92, -94, -95, -96 against 92, 94, 95, 96.

The prior decides the scale of short logs: other programs take other ones and print other numbers.

- The standard deviation of a rating comes from the player's own days, the ratings of his opponents taken as exact.
- As in the reference implementation, 0.001 is added to every curvature before the variances are taken: 0.2 of the
  published hundredths. It changes no rating.
- The table of ratings shows each player on his last day.

Deviations: see `WHR.deviations`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from elo_sheets._late import np, pd
from elo_sheets.systems._pool import (
    POINT,
    SCALE,
    Array,
    Climbed,
    Trials,
    View,
    apart,
    climb,
    days_of,
    fitted,
    judge,
    on_both,
    pool_of,
    together,
)
from elo_sheets.systems._system import Fit, Parameter, Value
from elo_sheets.systems.bradley_terry import halves
from elo_sheets.systems.elo import expected

# What the reference implementation adds to minus the second derivatives, in natural units.
EXTRA_CURVATURE = 0.001


def win_probability(rating: Any, opponent_rating: Any) -> Any:
    return expected(rating - opponent_rating, SCALE)


def drift_variance(w2: Any, days: Any) -> Any:
    return w2 * days


class PlayerDays(NamedTuple):
    """The days on which players played, ordered by player and then by day; one element each."""

    player: Array
    day: Array
    since: Array  # days since the player's day before; 0 for his first
    ranks: Sequence[Array]  # which are first days of their player, second days, and so on


def fit(games: pd.DataFrame, settings: Mapping[str, Value]) -> pd.DataFrame:
    """Return player, rating and standard_deviation, both on the last day on which the player played."""
    history = whr_history(games, settings)
    last = history.drop_duplicates("player", keep="last").drop(columns="date").reset_index(drop=True)
    last.attrs.update(history.attrs)
    return last


def whr_history(games: pd.DataFrame, settings: Mapping[str, object] | None = None) -> pd.DataFrame:
    """Return player, date, rating and standard_deviation: a row for each day on which a player played.

    Ratings and deviations are in Elo points; `attrs` holds the residual and the rounds of the fit. Raises
    `UnreadableInput` for a log without games or with a game that has no date, `UsageError` for an unknown setting.

    >>> from elo_sheets.games import make_games
    >>> games = [
    ...     {"date": f"2025-01-0{day}", "white": "Shusai", "black": "Shusaku", "score": score}
    ...     for day, score in ((1, 0), (2, 1), (3, 1))
    ... ]
    >>> history = whr_history(make_games([{**game, "source": "doc", "source_row": 1} for game in games]))
    >>> history["rating"].round().tolist()
    [43.0, 45.0, 45.0, -43.0, -45.0, -45.0]
    """
    values = WHR.settings(settings)
    pool, day = pool_of(games, "whr"), days_of(games, "whr").to_numpy("datetime64[D]").astype("int64")
    days, white, black = player_days(pool.white, pool.black, day)
    many = len(days.player)
    trials = with_virtual_games(halves(white, black, pool.score), days, float(values["virtual_games"]))
    drift = drift_variance(float(values["w2"]), np.maximum(days.since, 1))
    found, variance = most_likely(trials, days, np.where(days.since > 0, 1 / drift, 0))
    columns = {
        "player": np.array(pool.names, dtype=object)[days.player],
        "date": days.day.astype("datetime64[D]").astype("datetime64[ns]"),
        "rating": found.top[:many],
        "standard_deviation": np.sqrt(variance[:many]),
    }
    return fitted(columns, found.residual, found.rounds)


def player_days(white: Array, black: Array, day: Array) -> tuple[PlayerDays, Array, Array]:
    """Return the player-days of games, and for each game the number of White's and of Black's."""
    earliest, span = day.min(), np.ptp(day) + 1
    keys, sides = np.unique(np.append(white, black) * span + np.append(day, day) - earliest, return_inverse=True)
    player, since = keys // span, np.diff(keys, prepend=0)
    starts = np.flatnonzero(np.diff(player, prepend=-1))
    lengths = np.diff(starts, append=len(player))
    since[starts] = 0
    ranks = [starts[lengths > rank] + rank for rank in range(lengths.max())]
    white_day, black_day = np.split(sides, 2)
    return PlayerDays(player, keys % span + earliest, since, ranks), white_day, black_day


def with_virtual_games(trials: Trials, days: PlayerDays, games: float) -> Trials:
    """Return the trials and, for every first day, virtual wins and losses against the number after the last day."""
    first = days.ranks[0]
    anchor = np.full(len(first), len(days.player))
    return Trials(
        np.concatenate([trials.winner, first, anchor]),
        np.concatenate([trials.loser, anchor, first]),
        np.append(trials.weight, np.full(2 * len(first), games)),
    )


def most_likely(trials: Trials, days: PlayerDays, stiffness: Array) -> tuple[Climbed, Array]:
    """Return the maximum of the posterior and the variances there.

    The values are the ratings of the player-days and then the 0 of the virtual player. `stiffness` is 1 / variance of
    the drift since the player's day before, 0 for his first day.
    """
    many = len(days.player) + 1
    stiffness = np.append(stiffness, 0.0)
    towards_next = np.append(stiffness[1:], 0.0)

    def pull(values: Array) -> Array:
        tension = stiffness * np.diff(values, prepend=0.0)
        return tension - np.append(tension[1:], 0.0)

    def own_days(curve: Array, more: float = 0.0) -> Tridiagonal:
        diagonal = on_both(curve, trials, many) + stiffness + towards_next + more
        return Tridiagonal(diagonal, -stiffness, days.ranks)

    def look(values: Array) -> View:
        height, slope, curve = judge(apart(values, trials), trials.weight)
        return View(
            height - float(values @ pull(values)) / 2,
            together(slope, trials, many) - pull(values),
            lambda step: together(curve * apart(step, trials), trials, many) + pull(step),
            own_days(curve).divider(),
        )

    found = climb(look, np.zeros(many), np.append(np.ones(many - 1), 0.0))
    _, _, curve = judge(apart(found.top, trials), trials.weight)
    return found, own_days(curve, EXTRA_CURVATURE * POINT**2).inverse_diagonal()


class Tridiagonal(NamedTuple):
    """A symmetric matrix that links each player-day with itself and with the player's day before, nothing else."""

    diagonal: Array
    before: Array  # the link of each day with the day before; 0 for first days
    ranks: Sequence[Array]

    def divider(self) -> Callable[[Array], Array]:
        """Return the function that solves the equations of this matrix for a right-hand side."""
        pivots = self.forward_pivots()
        ratio = self.before.copy()
        ratio[1:] /= pivots[:-1]

        def divide(right: Array) -> Array:
            x = right.copy()
            for rank in self.ranks[1:]:
                x[rank] -= ratio[rank] * x[rank - 1]
            x /= pivots
            for rank in reversed(self.ranks[1:]):
                x[rank - 1] -= ratio[rank] * x[rank]
            return x

        return divide

    def inverse_diagonal(self) -> Array:
        """Return the diagonal of the inverse: the variances where this is minus the second derivatives."""
        return 1 / (self.forward_pivots() + self.backward_pivots() - self.diagonal)

    def forward_pivots(self) -> Array:
        """Return the diagonal after each day's link with the day before is eliminated."""
        pivots = self.diagonal.copy()
        for rank in self.ranks[1:]:
            pivots[rank] -= self.before[rank] ** 2 / pivots[rank - 1]
        return pivots

    def backward_pivots(self) -> Array:
        """Return the diagonal after each day's link with the day after is eliminated."""
        pivots = self.diagonal.copy()
        for rank in reversed(self.ranks[1:]):
            pivots[rank - 1] -= self.before[rank] ** 2 / pivots[rank]
        return pivots


WHR = Fit(
    name="whr",
    title="Whole-History Rating",
    about="a rating for each day on which a player played, all fitted together; ratings drift between the days",
    sources=(
        "Rémi Coulom, Whole-History Rating: A Bayesian rating system for players of time-varying strength, 2008",
        "goshrine/whole_history_rating, the reference implementation, 2012",
    ),
    deviations=(
        "a draw counts as half a win of each player: the model knows no draw",
        "all players move together in each round of Newton's method instead of one after the other: the same ratings",
    ),
    parameters=(
        Parameter(
            "w2",
            300.0,
            "Drift per day",
            "variance of the change of a rating in one day, in squared Elo points",
            minimum=1e-6,
            source="default of the reference implementation",
        ),
        Parameter(
            "virtual_games",
            1.0,
            "Virtual wins and losses",
            "strength of the prior: games won and as many lost on a player's first day against a rating of 0",
            "Virtual_games",
            minimum=1e-6,
            source="default of the reference implementation",
        ),
    ),
    fit=fit,
    steps=(win_probability, drift_variance),
    forecast=lambda own, other, _: (win_probability(own, other), None),
    labels={"win_probability": "Expected"},
)
