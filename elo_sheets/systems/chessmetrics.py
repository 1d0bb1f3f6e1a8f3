"""Chessmetrics: the average of a player's performances in the last 48 months, the newest counting most.

Source: Jeff Sonas, chessmetrics.com, page "Formulas" (2005). Over a player's games, weighted by age, the performance is
average opponent + 850 (score / games - 1/2); padded, it also counts four draws against that average opponent and three
against players of 2300, and gets 43 points on top. A game counts in full in its own month and linearly less until
it is 48 months old. As opponents' ratings are performances too, all are computed again from the last ones until they
are stable. Reproduces Kasparov's 8 / 12 against 2733 in Linares 2005 (2875, padded 2797) and the page's
iteration for the seven players of that tournament.

- 2300 and 43 suit a list of the world's best; both are settings, and so are the 48 months: an older description has 24.
- Only players with five weighted games are on the list, and only games between them count.
- The list of every month since the first is computed, and each is shifted so that the players who are ranked 3 to 20
  on it and on the list before have the same mean on both. Nothing else holds the level: the 43 points lift everybody
  the more, the more games are played. With `shift` none there is one list, and only its differences mean something.

Deviations: see `CHESSMETRICS.deviations`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from elo_sheets._late import np, pd
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.ops import clip, maximum
from elo_sheets.systems._pool import Array, Pool, days_of, fitted, pool_of, tally
from elo_sheets.systems._system import EXCEL_EPOCH, Fit, Parameter, Value

# A list is stable when no rating is further than this from where repetition leads; it is computed at most so often.
STABLE = 1e-6
ROUNDS = 20_000

# Rating points between a score of nothing and all the points.
SPAN = 850

# Ranks whose players hold the level of the list.
LEVEL_RANKS = slice(2, 20)


def age_weight(age_months: Any, window: Any) -> Any:
    return maximum(0, 1 - age_months / window)


def raw_performance(average_opponent: Any, score: Any, games: Any) -> Any:
    return average_opponent + SPAN * (score / games - 0.5)


def forecast(rating: float, opponent_rating: float, _: Mapping[str, Any]) -> tuple[float, None]:
    """Return the score at which a player would perform as he is rated: `raw_performance` turned round."""
    return clip(0.5 + (rating - opponent_rating) / SPAN, 0, 1), None


def padded_performance(raw_performance: Any, average_opponent: Any, games: Any, padding_rating: Any, bonus: Any) -> Any:
    return (raw_performance * games + 4 * average_opponent + 3 * padding_rating) / (games + 7) + bonus


class Listed(NamedTuple):
    """The games that count for a list, with their weights; the players on it are numbered from 0."""

    who: Array  # their numbers in the whole log
    white: Array
    black: Array
    weight: Array
    games: Array  # each player's weighted games
    score: Array  # each player's weighted score

    def average_opponent(self, ratings: Array) -> Array:
        """Return the weighted average of each player's opponents."""
        many = len(self.who)
        total = tally(self.white, many, self.weight * ratings[self.black])
        return (total + tally(self.black, many, self.weight * ratings[self.white])) / self.games


class Stable(NamedTuple):
    """The ratings, the largest change of the last round, and the number of rounds."""

    ratings: Array
    residual: float
    rounds: int


def fit(games: pd.DataFrame, settings: Mapping[str, Value]) -> pd.DataFrame:
    """Return player, rating, weighted_games, weighted_score and average_opponent, as of the setting `day`.

    Later games do not count. A player who is not on the list has the rating NaN, no games and no score. Raises
    `UnreadableInput` when a game has no date, or when nobody has enough weighted games.
    """
    pool, dates = pool_of(games, "chessmetrics"), days_of(games, "chessmetrics")
    day = float(settings["day"])
    last = pd.Timestamp(EXCEL_EPOCH) + pd.Timedelta(days=day) if day > 0 else dates.max()
    months = (dates.dt.year * 12 + dates.dt.month).to_numpy()
    played, newest = (dates <= last).to_numpy(), last.year * 12 + last.month
    pool = pool._replace(white=pool.white[played], black=pool.black[played], score=pool.score[played])
    months = months[played]
    earliest = months.min(initial=newest) if settings["shift"] == "monthly" else newest

    shifted, level = np.full(len(pool.names), np.nan), 0.0
    ratings = np.full(len(pool.names), float(settings["padding_rating"]))
    for month in range(earliest, newest + 1):
        on_list = listed_games(pool, month - months, settings)
        if not len(on_list.who):
            continue
        found = stable_list(on_list, ratings[on_list.who], settings)
        ratings[on_list.who] = found.ratings
        now = np.full(len(pool.names), np.nan)
        now[on_list.who] = found.ratings
        level = list_shift(shifted, now, level)
        shifted = now + level
    if not len(on_list.who):
        raise UnreadableInput(
            f"nobody has {settings['minimum_games']:g} weighted games against others who have as many on "
            f"{last.date()}; give a smaller minimum_games or another day"
        )
    columns: dict[str, Any] = {"player": pool.names, "rating": shifted}
    for name, values in (
        ("weighted_games", on_list.games),
        ("weighted_score", on_list.score),
        ("average_opponent", on_list.average_opponent(shifted[on_list.who])),
    ):
        columns[name] = np.full(len(pool.names), np.nan if name == "average_opponent" else 0.0)
        columns[name][on_list.who] = values
    return fitted(columns, found.residual, found.rounds)


def listed_games(pool: Pool, age_months: Array, settings: Mapping[str, Value]) -> Listed:
    """Return the games that count for a list of which they are so many months old (below 0: not yet played).

    Whoever has too few weighted games is left out with his games, until everybody left has enough.
    """
    many = len(pool.names)
    weight = np.where(age_months >= 0, age_weight(age_months, float(settings["window"])), 0.0)
    while True:
        games = tally(pool.white, many, weight) + tally(pool.black, many, weight)
        few = (games > 0) & (games < float(settings["minimum_games"]))
        if not few.any():
            break
        weight = np.where(few[pool.white] | few[pool.black], 0.0, weight)
    counts = weight > 0
    white, black, weight, points = (column[counts] for column in (pool.white, pool.black, weight, pool.score))
    score = tally(white, many, weight * points) + tally(black, many, weight * (1 - points))
    who, number = np.flatnonzero(games), np.cumsum(games > 0) - 1
    return Listed(who, number[white], number[black], weight, games[who], score[who])


def stable_list(on_list: Listed, start: Array, settings: Mapping[str, Value]) -> Stable:
    """Return the padded performances that come out of themselves."""
    rating, bonus = float(settings["padding_rating"]), float(settings["bonus"])
    games, score = on_list.games, on_list.score

    def performance(average_opponent: Array) -> Array:
        raw = raw_performance(average_opponent, score, games)
        return padded_performance(raw, average_opponent, games, rating, bonus)

    # Each round brings every rating closer to where it ends, by 3 parts in games + 7 at least.
    return repeated(on_list, performance, start, ROUNDS, STABLE * 3 / (float(games.max()) + 7))


def repeated(
    on_list: Listed, performance: Callable[[Array], Array], ratings: Array, rounds: int, stable: float
) -> Stable:
    """Return the ratings after all are computed from the last ones again and again."""
    residual, done = float("inf"), 0
    while residual > stable and done < rounds:
        before, done = ratings, done + 1
        ratings = performance(on_list.average_opponent(before))
        residual = float(np.abs(ratings - before).max())
    return Stable(ratings, residual, done)


def list_shift(before: Array, now: Array, otherwise: float) -> float:
    """Return the points to add to a list: those ranked 3 to 20 on it and on the list before keep their mean.

    Where nobody is ranked so on both, the points are `otherwise`. NaN is no rating.
    """

    def ranked(ratings: Array) -> Array:
        return np.argsort(-ratings, kind="stable")[LEVEL_RANKS]

    both = np.intersect1d(ranked(before), ranked(now))
    difference = (before - now)[both]
    difference = difference[~np.isnan(difference)]
    return float(difference.mean()) if len(difference) else otherwise


def simultaneous_performances(
    pairings: Sequence[tuple[str, str]], scores: Mapping[str, float], start: Mapping[str, float], rounds: int
) -> dict[str, float]:
    """Return raw performances of a tournament's players, each computed from the opponents' ones of the round before.

    `pairings` names the two players of each game, `scores` their points in all. The mean of the ratings stays that of
    `start`. The first of `rounds` takes the opponents' ratings from `start`.

    >>> pairings = [("Ann", "Ben"), ("Ben", "Cy"), ("Cy", "Ann")]
    >>> found = simultaneous_performances(
    ...     pairings, {"Ann": 2, "Ben": 1, "Cy": 0}, {"Ann": 2500, "Ben": 2500, "Cy": 2500}, rounds=20
    ... )
    >>> {player: round(rating) for player, rating in found.items()}
    {'Ann': 2783, 'Ben': 2500, 'Cy': 2217}
    """
    names = sorted({name for pair in pairings for name in pair})
    for given in (scores, start):
        if sorted(given) != names:
            raise UsageError(f"expected a score and a starting rating of {', '.join(names)}, got {', '.join(given)}")
    numbers = np.array([[names.index(name) for name in pair] for pair in pairings])
    white, black = numbers.T
    games = tally(numbers.ravel(), len(names))
    on_list = Listed(
        np.arange(len(names)), white, black, np.ones(len(pairings)), games, np.array([scores[n] for n in names])
    )
    ratings = np.array([float(start[name]) for name in names])

    def performance(average_opponent: Array) -> Array:
        raw = raw_performance(average_opponent, on_list.score, games)
        return raw + ratings.mean() - raw.mean()

    found = repeated(on_list, performance, ratings, rounds, 0.0)
    return dict(zip(names, found.ratings.tolist(), strict=True))


CHESSMETRICS = Fit(
    name="chessmetrics",
    title="Chessmetrics",
    about="weighted average of the performances in the last 48 months, computed for all players at once",
    sources=("Jeff Sonas, chessmetrics.com, Formulas, 2005",),
    deviations=(
        "the pool is everybody who keeps enough weighted games; the source grows it in twelve steps from one player",
        "age is counted in calendar months: the source does not say how it counts days",
        "the first list stands where the padded formula puts it: no earlier one holds its level",
    ),
    parameters=(
        Parameter(
            "day",
            0.0,
            "Day of the list",
            "day of the list, such as 2005-03-31; later games do not count; 0 means the day of the last game",
            "List_day",
            minimum=0.0,
            is_date=True,
        ),
        Parameter("window", 48.0, "Window", "months after which a game no longer counts", "Window_months", minimum=1.0),
        Parameter(
            "padding_rating",
            2300.0,
            "Padding rating",
            "rating of the three virtual opponents that everybody draws with; suits a list of the world's best",
        ),
        Parameter("bonus", 43.0, "Bonus", "points added to every padded performance", "Padding_bonus"),
        Parameter(
            "minimum_games", 5.0, "Weighted games", "weighted games that a player needs to be on the list", minimum=1e-6
        ),
        Parameter(
            "shift",
            "monthly",
            "List shift",
            "monthly: the lists of all months since the first are computed, and those ranked 3 to 20 on two lists in a "
            "row have the same mean on both; none: one list as computed",
            choices=("monthly", "none"),
        ),
    ),
    fit=fit,
    forecast=forecast,
    steps=(age_weight, raw_performance, padded_performance),
    labels={"age_weight": "Weight"},
)
