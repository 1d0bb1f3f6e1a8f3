"""What is told of games to come: the odds of one, the chances of a season, and the share of draws in both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from elo_sheets._late import Array, np, pd
from elo_sheets.errors import UsageError
from elo_sheets.games import GamesRead, Problem
from elo_sheets.odds.forecast import draws_at, labelle_odds
from elo_sheets.odds.match import Odds
from elo_sheets.replaying.settings import Settings
from elo_sheets.team_games import TeamGamesRead
from elo_sheets.uses.season_runs import Drawn

# The quantiles of a rating that is told of after the games.
BAND = (0.05, 0.5, 0.95)
# Points are compared after this many decimals: 0.1 + 0.2 ties with 0.3.
_DECIMALS = 9


@dataclass(frozen=True)
class Pairing:
    """A game between two players, as the first one sees it, who has White or plays at home.

    `ratings` are those before it, `draws` is the model of draws or the share of drawn games between equals. `log` holds
    the games that the ratings follow from.
    """

    players: tuple[str, str]
    ratings: tuple[float, float]
    odds: Odds
    system: str
    settings: Settings
    draws: str | float
    log: GamesRead | TeamGamesRead
    notes: Sequence[str] = ()

    def __repr__(self) -> str:
        a, b = self.players
        win, draw, loss = self.odds
        return f"<{a} v {b}, {self.system}: win {win:.1%}, draw {draw:.1%}, loss {loss:.1%}>"

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each of the two: rating, win, draw, loss, as he sees them."""
        rows = [(self.ratings[0], *self.odds), (self.ratings[1], *self.odds[::-1])]
        return pd.DataFrame(
            rows, index=pd.Index(self.players, name="player"), columns=["rating", "win", "draw", "loss"]
        )


@dataclass(frozen=True)
class Chances:
    """What the runs say of one player.

    `points` are those so far, `expected_points` the mean at the end; `places[i]` is the probability of place i + 1,
    where players level on points share their places equally. `rating` is that of now; `band` are the 5 %, 50 % and 95 %
    quantiles of the rating after the games, or None where the system cannot rate a game by its result alone.
    """

    name: str
    points: float
    expected_points: float
    places: Sequence[float]
    rating: float
    band: tuple[float, float, float] | None


@dataclass(frozen=True)
class Simulated:
    """A simulation: the players, most expected points first, and what it was made from.

    Of the games `played` those `counted` count for the points. `draws` is the model, or the share of drawn games.
    """

    players: Sequence[Chances]
    system: str
    settings: Settings
    runs: int
    seed: int
    draws: str | float
    update: bool
    played: int
    counted: int
    remaining: int
    log: GamesRead
    notes: Sequence[str] = ()

    def __repr__(self) -> str:
        return f"<{self.remaining} games to come, {self.runs} runs, {self.system}: {len(self.players)} players>"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a player, most expected points first: points, expected_points, rating, and each place."""
        rows = [
            {"points": one.points, "expected_points": one.expected_points, "rating": one.rating}
            | {f"place_{at}": chance for at, chance in enumerate(one.places, 1)}
            for one in self.players
        ]
        return pd.DataFrame(rows, index=pd.Index([one.name for one in self.players], name="player"))


def draw_model(model: str | float, games: pd.DataFrame, forecast: Callable[[], Array]) -> tuple[str | float, Drawn]:
    """Return the model's share of draws, or its name, and the share at an expected score and two ratings.

    `forecast` gives what was expected of the games, which the share of those played is measured by.
    """
    if model == "labelle":
        return model, lambda _, rating, opponent: labelle_odds(rating, opponent, first_move_pawns=0).draw
    if isinstance(model, str) and model not in {"log", "none"}:
        raise UsageError(f"expected draws as log, none, labelle, or a share such as 0.3, got {model!r}")
    if model != "log" or games.empty:
        fixed = model if isinstance(model, float | int) else 0.0
        return fixed, lambda *_: fixed
    share = float((games["score"] == 0.5).mean())
    expected = forecast()
    evenness = float(np.nanmean(4 * expected * (1 - expected)))
    return share, lambda expected, *_: draws_at(expected, share, evenness)


def since_day(games: pd.DataFrame, since: str | None) -> Any:
    """Return which games count for the points: those from a day on, or all.

    Raises `UsageError` for what is no day.
    """
    if since is None:
        return np.full(len(games), True)
    try:
        day = date.fromisoformat(since)
    except ValueError:
        raise UsageError(f"expected a day such as 2025-10-01 to count points from, got {since!r}") from None
    return (games["date"] >= pd.Timestamp(day)).to_numpy()


def unless_open(problems: Iterable[Problem], left: pd.DataFrame) -> list[Problem]:
    """Return the problems of a log without those of the rows that are games still to be played."""
    rows = set(zip(left["source"], left["source_row"], strict=True))
    return [problem for problem in problems if (problem.source, problem.row) not in rows]


def place_chances(points: Array) -> Array:
    """Return each player's probability of each place, from points by player and run; ties share their places equally.

    >>> import numpy as np
    >>> place_chances(np.array([[2.0, 1.0], [1.0, 1.0]])).tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """
    count, runs = points.shape
    points = np.round(points, _DECIMALS)
    chances = np.zeros((count, count))
    for i, own in enumerate(points):
        above = (points > own).sum(axis=0)
        level = (points == own).sum(axis=0)
        for key, often in enumerate(np.bincount(above * (count + 1) + level)):
            if often:
                first, ties = divmod(key, count + 1)
                chances[i, first : first + ties] += often / ties
    return np.asarray(chances / runs)
