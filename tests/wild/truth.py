"""The numbers that must come out, in plain Python: nothing of elo_sheets is used here."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

Ratings = dict[str, float]


@dataclass(frozen=True)
class Game:
    """A game of two: `goals` of both sides, from which the score follows; `day` counts from the first."""

    one: str
    two: str
    goals: tuple[int, int]
    day: int = 0

    @property
    def score(self) -> float:
        mine, theirs = self.goals
        return 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0


@dataclass
class Rated:
    """What one game did: for both sides the rating before, the expected score, K, the change, the rating after."""

    game: Game
    before: tuple[float, float]
    expected: tuple[float, float]
    k: tuple[float, float]
    change: tuple[float, float]
    after: tuple[float, float]
    extra: dict[str, float] = field(default_factory=dict)


def expected(own: float, other: float, scale: float = 400.0) -> float:
    return 1.0 / (1.0 + 10.0 ** ((other - own) / scale))


def whole(value: float) -> float:
    """Round to a whole number, halves away from zero, as spreadsheets do."""
    return math.copysign(math.floor(abs(value) + 0.5), value)


def one_by_one(
    games: Sequence[Game | tuple[str, str, float]],
    start: Mapping[str, float],
    k: Callable[[str, int], float],
    scale: float = 400.0,
    edge: float = 0.0,
    margin: Callable[[Game, float], float] | None = None,
    rounding: Callable[[float], float] = float,
) -> tuple[list[Rated | None], Ratings]:
    """Return what each game did, and the last ratings. A bonus is a tuple (player, "", points) and gives None.

    `k` is asked with the player and the number of his games before; `margin` with the game and the first side's lead.
    """
    now = dict(start)
    played: dict[str, int] = dict.fromkeys(now, 0)
    found: list[Rated | None] = []
    for game in games:
        if not isinstance(game, Game):
            now[game[0]] += game[2]
            found.append(None)
            continue
        a, b = now[game.one], now[game.two]
        one = expected(a + edge, b, scale)
        two = expected(b, a + edge, scale)
        weight = margin(game, a + edge - b) if margin else 1.0
        ka, kb = k(game.one, played[game.one]), k(game.two, played[game.two])
        up = rounding(ka * weight * (game.score - one))
        down = rounding(kb * weight * (1.0 - game.score - two))
        now[game.one], now[game.two] = a + up, b + down
        played[game.one] += 1
        played[game.two] += 1
        found.append(Rated(game, (a, b), (one, two), (ka, kb), (up, down), (a + up, b + down), {"margin": weight}))
    return found, now


# FIDE Handbook B.02, table 8.1.2: the first difference of ratings of each step, and the stronger side's expected score
FIDE_STEPS = (
    *(0, 4, 11, 18, 26, 33, 40, 47, 54, 62, 69, 77, 84, 92, 99, 107, 114, 122, 130, 138, 146, 154, 163, 171, 180, 189),
    *(198, 207, 216, 226, 236, 246, 257, 268, 279, 291, 303, 316, 329, 345, 358, 375, 392),
)
FIDE_TABLE = tuple((first, round(0.5 + 0.01 * number, 2)) for number, first in enumerate(FIDE_STEPS))


def fide_expected(own: float, other: float) -> float:
    """Return FIDE's expected score: from the table, with differences of more than 400 points counted as 400."""
    gap = min(400.0, abs(own - other))
    stronger = max(chance for first, chance in FIDE_TABLE if gap >= first)
    return stronger if own >= other else round(1 - stronger, 2)


def by_periods(
    periods: Sequence[Sequence[Game]],
    start: Mapping[str, float],
    k: float,
    chance: Callable[[float, float], float],
    rounding: Callable[[float], float] = float,
) -> tuple[list[Rated], list[Ratings]]:
    """Return what each game did, and the ratings at the start of each period and after the last."""
    lists, rated = [dict(start)], []
    for games in periods:
        now = lists[-1]
        gained = dict.fromkeys(now, 0.0)
        for game in games:
            a, b = now[game.one], now[game.two]
            e = chance(a, b), chance(b, a)
            up, down = k * (game.score - e[0]), k * (1 - game.score - e[1])
            gained[game.one] += up
            gained[game.two] += down
            rated.append(Rated(game, (a, b), e, (k, k), (up, down), (a + up, b + down)))
        lists.append({name: rounding(rating + gained[name]) for name, rating in now.items()})
    return rated, lists


Q = math.log(10) / 400


@dataclass
class Glicko:
    """One side of one game as Glickman's paper rates it: with the numbers from the start of its period."""

    own: tuple[float, float]
    other: tuple[float, float]
    g: float
    expected: float
    score: float


def glicko(
    periods: Sequence[Sequence[Game]], start: Mapping[str, tuple[float, float]], c: float, most: float = 350.0
) -> tuple[list[tuple[Glicko, Glicko]], list[dict[str, tuple[float, float, float, float]]]]:
    """Return what each game's sides were, and for each period (rating, RD at its start; rating, RD after it)."""
    now = dict(start)
    lines, lists = [], []
    for games in periods:
        opened = {name: (r, min(most, math.sqrt(rd**2 + c**2))) for name, (r, rd) in now.items()}
        sums = {name: [0.0, 0.0] for name in now}
        for game in games:
            sides = []
            for me, you, score in ((game.one, game.two, game.score), (game.two, game.one, 1 - game.score)):
                own, other = opened[me], opened[you]
                g = 1 / math.sqrt(1 + 3 * Q**2 * other[1] ** 2 / math.pi**2)
                e = 1 / (1 + 10 ** (-g * (own[0] - other[0]) / 400))
                sums[me][0] += g**2 * e * (1 - e)
                sums[me][1] += g * (score - e)
                sides.append(Glicko(own, other, g, e, score))
            lines.append((sides[0], sides[1]))
        now = {}
        for name, (r, rd) in opened.items():
            weight = 1 / rd**2 + Q**2 * sums[name][0]
            now[name] = (r + Q / weight * sums[name][1], math.sqrt(1 / weight))
        lists.append({name: (*opened[name], *now[name]) for name in now})
    return lines, lists
