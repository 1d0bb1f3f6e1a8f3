"""The calculator of a goal: what a target rating or a norm takes, and the chance of it.

Sources: those of the formulas in `statistics`, `match` and `performance`; for norms FIDE's Title Regulations of 1 July
2017, 0.5 (performance and average of the opponents) and 1.4 (nine games).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from elo_sheets.errors import UsageError
from elo_sheets.odds.calculators import amount, close_match, computed, number
from elo_sheets.odds.event import parse_opponents
from elo_sheets.odds.forecast import difference, odds_with_draws
from elo_sheets.odds.match import MOST_GAMES, series_odds
from elo_sheets.odds.performance import average_opponent, exact_performance, score_for_performance
from elo_sheets.odds.statistics import goal_possible, half_points_needed, score_needed
from elo_sheets.ops import round_half_away
from elo_sheets.replaying.cases import Columns, summed
from elo_sheets.systems import Line
from elo_sheets.systems import elo as elo_rules


class Norm(NamedTuple):
    """What a title's norm asks: a performance by FIDE's table, and an average of the opponents."""

    performance: float
    average: float


NORMS = {"gm": Norm(2600, 2380), "im": Norm(2450, 2230), "wgm": Norm(2400, 2180), "wim": Norm(2250, 2030)}
NORM_GAMES = 9

# Shares of the points for which the number of games is told.
SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True)
class NormNeeded:
    """What a norm takes in these games; `average_enough` and `games_enough` say whether they can bring one at all."""

    title: str
    performance: float
    score_needed: float | None
    chance: float
    average_enough: bool
    games_enough: bool

    @property
    def possible(self) -> bool:
        """Whether the games can bring the norm; titles and federations of the opponents are not asked."""
        return self.score_needed is not None and self.average_enough and self.games_enough


@dataclass(frozen=True)
class GoalOdds:
    """What a target takes: `score_needed` exactly and as the next half point, and the chance of making that.

    `games_needed` tells for shares of the points how many games against such opponents would do, None if none would.
    `performance_needed` is the exact performance that the score needed means, None where there is none.
    """

    rating: float
    target: float | None
    k: float
    opponents: tuple[float, ...]
    expected: float
    score_needed: float | None
    half_points_needed: float | None
    possible: bool
    chance: float
    performance_needed: float | None
    games_needed: Mapping[float, int | None]
    norm: NormNeeded | None
    columns: Columns


def goal_odds(
    rating: float,
    target: float | None,
    opponents: Sequence[Any] = (),
    *,
    games: int | None = None,
    average: float | None = None,
    k: float = 20,
    curve: str = "logistic",
    draws: float = 0.0,
    norm: str | None = None,
) -> GoalOdds:
    """Return the score that lifts a rating to a target in one event, and the chance of making it.

    The opponents are given by their ratings, or as so many `games` against the rating `average`. All count at the
    ratings before the event. `draws` is the share of games that are drawn, as far as the expected scores allow it; the
    chance follows from win, draw and loss of every game. `norm` (gm, im, wgm, wim) adds what FIDE's norm takes; it can
    stand for the target. Raises `UsageError` for what is missing, unknown or out of range.

    >>> found = goal_odds(1500, 1520, [1500, 1600, 1700, 1550, 1450])
    >>> round(found.score_needed, 4), found.half_points_needed, found.possible, round(found.chance, 4)
    (3.1002, 3.5, True, 0.0956)
    """
    ratings = _goal_opponents(opponents, games, average)
    if target is None and norm is None:
        raise UsageError(
            "expected a target rating or a norm, got neither: give the target behind the rating, or --norm gm"
        )
    if curve not in elo_rules.CURVES:
        known = tuple(map(str, elo_rules.CURVES))
        raise UsageError(f"expected a curve ({', '.join(known)}), got {curve!r}{close_match(curve, known)}")
    if not 0 <= amount(draws, "share of draws") <= 1:
        raise UsageError(f"expected a share of draws from 0 to 1, such as --draws 0.3, got {draws!r}")
    if amount(k, "K") == 0:
        raise UsageError(f"expected a K above 0, got {k!r}: no game would move the rating")
    own = number(rating, "rating")
    columns = goal_columns(own, None if target is None else number(target, "target"), ratings, float(k), curve)
    found = computed(columns)
    expected = [float(found[f"expected {i}"]) for i in range(1, len(ratings) + 1)]
    title = None if norm is None else _norm(norm, ratings, expected, draws)
    if target is None:
        assert title is not None
        exact = half = title.score_needed
        possible = title.possible
    else:
        exact, half = float(found["score_needed"]), float(found["half_points_needed"])
        possible = bool(found["goal_possible"])
    return GoalOdds(
        rating=own,
        target=None if target is None else float(target),
        k=float(k),
        opponents=tuple(ratings),
        expected=float(found["expected_total"]),
        score_needed=exact,
        half_points_needed=half,
        possible=possible,
        chance=title.chance if title is not None and target is None else chance_of_score(expected, half or 0.0, draws),
        performance_needed=None if exact is None else exact_performance(ratings, exact, curve),
        games_needed={} if target is None else games_needed(float(target) - own, k, sum(expected) / len(expected)),
        norm=title,
        columns=columns,
    )


def goal_columns(rating: float, target: float | None, opponents: Sequence[float], k: float, curve: str) -> Columns:
    """Return the columns of a sheet that computes expected scores and, with a target, the score needed."""
    given: dict[str, float | str] = {"rating": rating, "scale": 400.0}
    given |= {f"opponent {i}": opponent for i, opponent in enumerate(opponents, 1)}
    count = range(1, len(opponents) + 1)
    lines = []
    for i in count:
        lines.append(Line(f"difference {i}", difference, ("rating", f"opponent {i}")))
        lines.append(Line(f"expected {i}", elo_rules.CURVES[curve], (f"difference {i}", "scale")))
    lines.append(Line("expected_total", summed, tuple(f"expected {i}" for i in count)))
    if target is not None:
        given |= {"target": target, "k": k, "games": float(len(opponents))}
        lines.append(Line("score_needed", score_needed, ("rating", "target", "expected_total", "k")))
        lines.append(Line("half_points_needed", half_points_needed, ("score_needed",)))
        lines.append(Line("goal_possible", goal_possible, ("half_points_needed", "games")))
    return Columns("", given, tuple(lines), {}, 0)


def chance_of_score(expected: Sequence[float], score: float, draws: float = 0.0) -> float:
    """Return the chance of at least so many points, in half points, from the games' expected scores.

    Games are independent; `draws` is the share of them that is drawn, as far as each expected score allows it.

    >>> chance_of_score([0.5, 0.5], 1), chance_of_score([0.5, 0.5], 1.5, draws=0.5)
    (0.75, 0.3125)
    """
    if score <= 0:
        return 1.0
    lead = len(expected) - round(2 * score)  # level at the end if exactly the score is made
    found = series_odds([odds_with_draws(share, draws) for share in expected], lead)
    return float(found.win + found.draw)


def games_needed(points: float, k: float, expected: float) -> dict[float, int | None]:
    """Return how many games gain so many points, for shares of the points; `expected` is the expected score per game.

    None where that share is not more than expected.

    >>> games_needed(40, 20, 0.5)[0.6], games_needed(40, 20, 0.5)[0.5]
    (20, None)
    """
    found: dict[float, int | None] = {}
    for share in SHARES:
        gain = float(elo_rules.change(k, share, expected))
        enough = -int(-(points / gain - 1e-9) // 1) if gain > 0 else None
        found[share] = 0 if points <= 0 else enough
    return found


def _goal_opponents(opponents: Sequence[Any], games: int | None, average: float | None) -> list[float]:
    if opponents:
        if games is not None or average is not None:
            raise UsageError("expected --opponents, or --games and --average, got both")
        return parse_opponents(opponents)
    if games is None or average is None:
        raise UsageError(
            "expected whom the games are against: give --opponents 1500,1600, or --games 5 and --average 1550"
        )
    if amount(games, "number of games", 1) % 1 or games > MOST_GAMES:
        raise UsageError(f"expected a whole number of games from 1 to {MOST_GAMES}, got {games!r}")
    return [number(average, "average of the opponents")] * int(games)


def _norm(title: str, opponents: Sequence[float], expected: Sequence[float], draws: float) -> NormNeeded:
    if title not in NORMS:
        raise UsageError(f"expected a norm ({', '.join(NORMS)}), got {title!r}{close_match(title, tuple(NORMS))}")
    wanted, average = NORMS[title], average_opponent(opponents)
    needed = score_for_performance(average, len(opponents), wanted.performance)
    return NormNeeded(
        title,
        wanted.performance,
        needed,
        0.0 if needed is None else chance_of_score(expected, needed, draws),
        bool(round_half_away(average) >= wanted.average),
        len(opponents) >= NORM_GAMES,
    )


def goal_record(found: GoalOdds) -> dict[str, Any]:
    """Return a goal as its JSON output holds it."""
    norm = found.norm
    return {
        "schema": 1,
        "rating": found.rating,
        "target": found.target,
        "k": found.k,
        "games": len(found.opponents),
        "average_opponent": average_opponent(found.opponents),
        "expected": found.expected,
        "score_needed": found.score_needed,
        "half_points_needed": found.half_points_needed,
        "possible": found.possible,
        "chance": found.chance,
        "performance_needed": found.performance_needed,
        "games_needed": [{"share": share, "games": games} for share, games in found.games_needed.items()],
        "norm": None if norm is None else {**vars(norm), "possible": norm.possible},
    }
