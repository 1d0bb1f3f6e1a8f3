"""DWZ, the ratings of the German Chess Federation: the rules of 2014, and those that follow on 1 August 2026.

Source of the rules of 2014: *Wertungsordnung* of the Deutscher Schachbund, 3.3 (expected score), 3.4 (first rating),
3.5 and annex 1.2 (coefficient E). An event is evaluated at once, every opponent at his rating before it: W - We points
more than expected give 800 (W - We) / (E + n) in n games, and the new rating is rounded. The rules of 2026 (`rules`)
replace 800 / (E + n) by a coefficient K and let no rating fall below 1100; they are taken from three programs that
agree (har64/DWZ-Calc 0.7, a browser extension, a Python package), because their official text has not been seen.

The index, the number of a player's evaluated events, rises by one with each event; E and K depend on it.

Reproduces ten official evaluations of 2005 to 2010, sums of expected scores included, the table of expected scores
behind them, and the published examples of the SK Troisdorf. Of the performances (*Turnierleistung*) that thirteen such
evaluations print, ten come out, and the others within a point.

Deviations: see `DEVIATIONS`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from elo_sheets.errors import UsageError
from elo_sheets.ops import absolute, both, clip, exp, maximum, minimum, normal_cdf, round_half_away, sign, sqrt, where
from elo_sheets.systems import elo
from elo_sheets.systems._facts import CHANGE, EXPECTED, K_USED, RATING_AFTER, Facts, step
from elo_sheets.systems._parts import difference
from elo_sheets.systems._system import Parameter, State, Step, System, Value, born_parameter, called, period_parameter
from elo_sheets.systems.fide import age

DEVIATIONS = (
    "The setting `rules` decides for the whole log, not the date of an event: rate the events from 1 August 2026 on "
    "separately, starting from `converted_to_2026`.",
    "Every player starts with a rating: first ratings, and games against players without one that are left out, are "
    "not part of the replay; `first_rating` computes a first rating.",
    "Expected scores are rounded to three decimals and certain from a difference of 735 on, as in the official "
    "evaluations of 2005 to 2010; the text of 2014 gives the curve alone, and whether the evaluations under the rules "
    "of 2026 round is not known.",
    "The special evaluation of 3.6.3, whose text was not seen, is not applied.",
)

# What a player brings besides the rating.
INDEX = Facts("How many events were evaluated before, which holds the coefficient down while it is small.")

# A first rating needs so many games.
FIRST_GAMES = 5

# Standard deviation of a player's performance in a game.
SPREAD = 200.0

# Decimals of a performance: one halfway between two ratings is rounded as on paper.
PERFORMANCE_DIGITS = 4

# Halvings of an interval of 6000 points: to the last digit of a float.
ROUNDS = 60


# --- the game


@EXPECTED
def expected(difference: Any, spread: Any) -> Any:
    chance = round_half_away(normal_cdf(difference / sqrt(2 * spread**2)), 3)
    return where(absolute(difference) >= 735, (1 + sign(difference)) / 2, chance)


@called(expected)
def logistic_expected(difference: Any) -> Any:
    return elo.expected(difference, 400)


# --- the event


@step("The points scored in the event beyond the expected ones.", label="W - We")
def surplus(period_score: Any, period_expected: Any) -> Any:
    # Sums of decimals: said so, a score that equals the expected one is not taken for less.
    return round_half_away(period_score - period_expected, 9)


@CHANGE
def change(k_used: Any, surplus: Any) -> Any:
    return k_used * surplus


@step("How many events are evaluated with this one.")
def index_after(index: Any) -> Any:
    return index + 1


# --- rules of 2014


@step(
    "The coefficient E before age and brake: it grows with the rating, and juniors move faster.",
    label="E before age and brake",
)
def base_development(rating: Any, age: Any) -> Any:
    return (rating / 1000) ** 4 + where(age <= 20, 5, where(age <= 25, 10, 15))


@step("The factor for juniors who score at least what is expected.")
def acceleration(rating: Any, age: Any, surplus: Any) -> Any:
    return where(both(age <= 20, surplus >= 0), clip(rating / 2000, 0.5, 1), 1)


@step("What is added for players below 1300 who lose, so that they do not fall fast.")
def brake(rating: Any, surplus: Any) -> Any:
    return where(both(rating < 1300, surplus < 0), exp((1300 - maximum(rating, 0)) / 150) - 1, 0)


@step("The most that E may be, by the number of events so far.", label="E at most")
def development_limit(index: Any, brake: Any) -> Any:
    return where(brake > 0, 150, clip(5 * index, 5, 30))


@step("The coefficient E: the higher, the less a point is worth.", label="E")
def development(base_development: Any, acceleration: Any, brake: Any, development_limit: Any) -> Any:
    return clip(round_half_away(base_development * acceleration + brake), 5, development_limit)


@K_USED
def k_used(development: Any, period_games: Any) -> Any:
    return 800 / (development + period_games)


@RATING_AFTER
def rating_after(rating: Any, change: Any) -> Any:
    return round_half_away(rating + change)


# --- rules of 2026


@step("The coefficient before age and results are looked at.", label="K before success and brake")
def base_k(rating: Any, age: Any, index: Any) -> Any:
    # The rows of the table fall by 2 with each event from the third to the eleventh, to 32, 28 and 25.
    adult = where(both(age > 25, rating < 2000), 50, 47)
    return where(index <= 2, 60, where(both(age <= 25, rating < 2200), 54, adult) - 2 * minimum(index, 11))


@step("What is added for a result beyond the expected one.")
def success_bonus(rating: Any, age: Any, surplus: Any) -> Any:
    earned = where(age <= 20, maximum(2000 - rating, 0) / 30, where(rating < 1600, 4, 0))
    return where(surplus >= 0, earned, 0)


@step("The factor that brakes a fall.")
def brake_factor(rating: Any, surplus: Any) -> Any:
    return where(both(rating < 1600, surplus < 0), (rating + 800) / 2400, 1)


@called(k_used)
def k_used_2026(base_k: Any, success_bonus: Any, brake_factor: Any) -> Any:
    return minimum(80, round_half_away(base_k * brake_factor + success_bonus, 1))


@called(rating_after)
def rating_after_2026(rating: Any, change: Any) -> Any:
    return maximum(1100, round_half_away(rating + change))


CLOSING: dict[Value, tuple[Step, ...]] = {
    "2014": (
        age,
        surplus,
        base_development,
        acceleration,
        brake,
        development_limit,
        development,
        k_used,
        change,
        rating_after,
        index_after,
    ),
    "2026": (
        age,
        surplus,
        base_k,
        success_bonus,
        brake_factor,
        k_used_2026,
        change,
        rating_after_2026,
        index_after,
    ),
}

CURVES: dict[Value, Step] = {"normal": expected, "logistic": logistic_expected}


def form(settings: Mapping[str, Value]) -> System:
    """Return DWZ with the steps that the settings choose."""
    game = (difference, CURVES[settings["expectancy"]])
    return replace(DWZ, game=game, closing=CLOSING[settings["rules"]], variant=None)


# --- first ratings and conversions


class FirstRating(NamedTuple):
    """A first rating, the performance that it comes from, and by how much that performance's expected score misses."""

    rating: float
    performance: float
    residual: float


def performance(opponents: Sequence[float], score: float, spread: float = SPREAD) -> tuple[float, float] | None:
    """Return the rating whose expected score against the opponents is `score`, and by how much it still misses.

    `opponents` are ratings, `score` points out of as many games; the curve is the unrounded normal one. None at 0 and
    100 per cent, where no rating will do. Raises `UsageError` for a score that the games cannot give.

    >>> performance([1500, 1500, 1500, 1500], 2)[0]
    1500.0
    >>> performance([1500, 1600], 2) is None
    True
    """
    if not 0 <= score <= len(opponents):
        raise UsageError(f"expected a score from 0 to {len(opponents)} in {len(opponents)} games, got {score!r}")
    if score in (0, len(opponents)):
        return None

    def excess(rating: float) -> float:
        deviation = sqrt(2 * spread**2)
        return float(sum(normal_cdf((rating - opponent) / deviation) for opponent in opponents)) - score

    low, high = min(opponents) - 15 * spread, max(opponents) + 15 * spread
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        low, high = (low, middle) if excess(middle) >= 0 else (middle, high)
    return high, excess(high)


def tournament_performance(opponents: Sequence[float], score: float, spread: float = SPREAD) -> float | None:
    """Return the *Turnierleistung*: the performance, rounded, as official evaluations print it for every player.

    The player's own rating does not matter. None at 0 and 100 per cent. Of thirteen official evaluations of 2005 to
    2010 it gives ten, and the others within a point.

    >>> tournament_performance([1551, 1828, 2310, 2211, 2082, 1547, 2049, 2210, 2375], 6.5)
    2279.0
    >>> tournament_performance([1500, 1600], 2) is None
    True
    """
    solved = performance(opponents, score, spread)
    return None if solved is None else float(round_half_away(round_half_away(solved[0], PERFORMANCE_DIGITS)))


def rating_of_performance(performance: Any) -> Any:
    """Return the first DWZ that a performance gives by the rules of 2014: below 800 it is 700 and an eighth of it.

    >>> rating_of_performance(400), rating_of_performance(1234)
    (750.0, 1234.0)
    """
    return round_half_away(where(performance < 800, 700 + performance / 8, performance))


def rating_of_performance_2026(performance: Any) -> Any:
    """Return the first DWZ that a performance gives by the rules of 2026, at least 1100; a single source gives them.

    >>> rating_of_performance_2026(1000), rating_of_performance_2026(1500), rating_of_performance_2026(2100)
    (1165.0, 1540.0, 2100.0)
    """
    low = 1100 + 9 * 0.08 * performance / 11
    raised = where(performance < 1100, low, performance + 0.08 * (2000 - performance))
    return maximum(1100, round_half_away(where(performance >= 2000, performance, raised)))


def first_rating(
    opponents: Sequence[float], score: float, rules: str = "2014", spread: float = SPREAD
) -> FirstRating | None:
    """Return the first DWZ of a player without one, from his games against players with a rating.

    `opponents` are their ratings, `score` his points. None where there is no first rating: for fewer than five games,
    for 0 per cent, and by the rules of 2014 for 100 per cent; those of 2026 then add a draw with an opponent of the
    average rating. The performance is rounded to four decimals, the rating to a whole number, as every DWZ is. `spread`
    is a setting of the system. Raises `UsageError` for other rules or an impossible score.

    >>> first_rating([1500, 1500, 1500, 1500, 1500], 2.5)
    FirstRating(rating=1500.0, performance=1500.0, residual=0.0)
    >>> first_rating([1500, 1500, 1500, 1500, 1500], 0) is None
    True
    """
    if rules not in CLOSING:
        raise UsageError(f"expected rules to be one of {', '.join(map(str, CLOSING))}, got {rules!r}")
    newer = rules == "2026"
    if len(opponents) < FIRST_GAMES:
        return None
    if newer and score == len(opponents):
        opponents, score = [*opponents, sum(opponents) / len(opponents)], score + 0.5
    solved = performance(opponents, score, spread)
    if solved is None:
        return None
    found = float(round_half_away(solved[0], PERFORMANCE_DIGITS))
    rating = rating_of_performance_2026(found) if newer else rating_of_performance(found)
    return FirstRating(rating, found, solved[1])


def converted_to_2026(dwz: Any) -> Any:
    """Return what an existing DWZ counts as on 1 August 2026, not rounded: 0.64 DWZ + 760 from 1000 to 2110.

    Below 1000 it is 400 more, for which there is a single source; above 2110 it stays.

    >>> converted_to_2026(900), converted_to_2026(1500), converted_to_2026(2200)
    (1300, 1720.0, 2200)
    """
    return where(dwz < 1000, dwz + 400, where(dwz <= 2110, 0.64 * dwz + 760, dwz))


DWZ = System(
    name="dwz",
    title="DWZ",
    about="Germany: the normal curve, and a coefficient that grows with rating, age and evaluated events",
    sources=(
        "Deutscher Schachbund, Wertungsordnung, 3.3, 3.4, 3.5 and annex 1.2 (rules of 2014)",
        "har64/DWZ-Calc 0.7 and two other programs (rules of 2026)",
    ),
    deviations=DEVIATIONS,
    parameters=(
        Parameter(
            "initial",
            1500.0,
            "Initial rating",
            "rating before the first event here",
            unofficial="a first rating comes from a player's own games (first_rating)",
        ),
        Parameter(
            "initial_index",
            1.0,
            "Initial index",
            "events evaluated before the first one here; 1 is the index of a first rating",
            minimum=0.0,
            aliases=("index",),
            source="Wertungsordnung 3.4.1 and annex 1.2",
        ),
        born_parameter("year of birth for the age groups up to 20 and up to 25; 0 means unknown, as over 25"),
        Parameter(
            "spread",
            SPREAD,
            "Spread",
            "standard deviation of a player's performance in a game",
            minimum=1e-6,
            source="Wertungsordnung 3.3.1",
        ),
        Parameter(
            "rules",
            "2014",
            "Rules",
            "2014: until 31 July 2026; 2026: from 1 August 2026",
            "Rules_of",
            choices=tuple(map(str, CLOSING)),
            since=(("2026", "2026-08-01"),),
            source="2026: programs that agree; the official text was not seen",
        ),
        Parameter(
            "expectancy",
            "normal",
            "Expectancy",
            "normal: the curve of the rules, rounded to three decimals; logistic: odds of ten to one at 400 points",
            choices=tuple(map(str, CURVES)),
            unofficial="for the rules of 2026: the programs disagree",
        ),
        period_parameter("event"),
    ),
    publishes_ratings=True,
    # From this index on the limit of the coefficient E does not rise any more.
    settled={"initial_index": 6.0},
    state=(State("rating", "initial"), State("index", "initial_index", INDEX)),
    game=(difference, expected),
    sums=("score", "expected"),
    closing=CLOSING["2014"],
    labels={
        "period_score": "W",
        "period_expected": "We",
    },
    variant=form,
)
