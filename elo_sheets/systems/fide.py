"""FIDE ratings, by the official table: standard, rapid and blitz; today's rules, or those of each game's date.

Source: FIDE Handbook B.02, effective 1 March 2024, 8.3.1 amended on 1 October 2025; for rapid and blitz the chapter
B02RBRegulations2024. Per game the tabulated expectation of the difference is taken from the score; the differences of
a calendar month are summed, multiplied by K once, and the change is rounded once, halves away from zero.

- 8.3.1, 400 rule: a difference above 400 counts as 400. Since 1 October 2025 a player rated 2650 or higher is
  rated with the full difference; only his own rating decides. The first day is a setting.
- K: 10 for life once a published rating reached 2400; else 40 to the end of the year of the 18th birthday while
  no published rating reached 2300; else 40 for the first 30 rated games; else 20.
- 8.3.3: if K times the games of the period exceeds 700, K is the largest whole number that does not.
- Rapid and blitz (`kind`): 400 points count at most for everybody, and a game of players 600 or more points apart, one
  of them above 2600, is not rated: it counts in no sum and as no game.
- Dated rules (`rules`), by each game's date: at most 350 points count before 1 July 2009. From 1 January 2022 to
  29 February 2024 at most 400 points count in one game of an event only, that of the largest difference, and the full
  difference in the others. Before 1 July 2014 K is 15 instead of 20, there is no junior K, and K 10 begins after 30
  games. Rapid and blitz: K 20 for everybody before 1 October 2022; the full difference before 1 January 2022; every
  game is rated before 1 December 2024. A game without a date counts as older than every rule.

Reproduces the FIDE calculator's single games, the published period 2053 (list of December 2025), the official
calculations of 2008 to 2010, and an event of 2022 with one capped game.

Deviations: see `DEVIATIONS`.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from elo_sheets.errors import UsageError
from elo_sheets.ops import (
    NO_CAP,
    absolute,
    both,
    clip,
    either,
    floor,
    maximum,
    minimum,
    round_half_away,
    table_step,
    where,
)
from elo_sheets.systems._facts import (
    CHANGE,
    EXPECTED,
    FAVOURITE,
    GAMES,
    K_USED,
    RATING_AFTER,
    Facts,
    step,
)
from elo_sheets.systems._system import (
    Parameter,
    State,
    Step,
    System,
    Value,
    born_parameter,
    called,
    games_parameter,
    period_parameter,
)
from elo_sheets.systems._tables import DAY_SOURCES, DIFFERENCE_TABLE, FIRST_DAYS, PERFORMANCE_STEPS, dated
from elo_sheets.systems.elo import difference, games_after

DEVIATIONS = (
    "With today's rules every game beyond the limit is capped, whatever its date: the limit of one capped game per "
    "event (1 January 2022 to 29 February 2024) is part of the dated rules.",
    "A rating that falls below 1400 stays a number here, where FIDE would print none.",
    "A game without a period total rounds like the period's last one: the change shown behind each game is that of the "
    "period so far.",
    "The rule of one capped game per event speaks of a benefit; here it holds for the larger difference in either "
    "direction, the first of equal ones; a period shorter than the event has a widest game of its own.",
    "Dated rules: the limit of 350 points is applied to every game before 1 July 2009; it is said to have begun on "
    "1 April 2006, and no source tells what was before.",
    "Dated rules: the sources give K of new players as 25 in July 2009 and as 30 before July 2014, and not the day of "
    "the change: one value holds until July 2014, and it is a setting.",
    "Dated rules: no source dates the limit of K times games or the first day of K 15, so they are not dated; a period "
    "takes K by its last game.",
    "Opponents are rated on the list before the period, where FIDE takes the list of each event's first day.",
    "Every player starts with a rating: first ratings, and games against players without one that are left out, are "
    "not part of the replay; `fide_initial_rating` computes a first rating.",
    "Rapid and blitz: a player without such a rating starts from the initial rating; FIDE takes the standard rating, "
    "which can be given as the start.",
)

# What a player brings besides the rating and the games.
PEAK = Facts("The highest published rating before the game.", "Highest before")

# A first rating needs so many games.
FIRST_GAMES = 5
# A first rating is published from this rating on.
LEAST_RATING = 1400

# The age of a player whose year of birth is not known: no junior.
GROWN_UP = 99


@step("The largest difference that counts.", label="Gap cap", unit="number")
def cap(rating: Any, date: Any, full_difference_from: Any) -> Any:
    return where(rating >= 2650, where(date >= full_difference_from, NO_CAP, 400), 400)


@FAVOURITE
def higher_expected(difference: Any) -> Any:
    return table_step(DIFFERENCE_TABLE, round_half_away(absolute(difference)))


@EXPECTED
def expected(difference: Any, higher_expected: Any) -> Any:
    return where(difference >= 0, higher_expected, 1 - higher_expected)


@step("The score minus the expected one: FIDE's ΔR.", label="ΔR", unit="share")
def delta(score: Any, expected: Any) -> Any:
    return score - expected


@step("The highest published rating, this one included.", label="Highest so far")
def published_peak(peak: Any, rating: Any) -> Any:
    return maximum(peak, rating)


@step("The age in the year of the game, 99 where the year of birth is not known.", unit="count")
def age(year: Any, born: Any) -> Any:
    return where(both(born > 0, year > 0), year - born, GROWN_UP)


@step("K by rating, games and age, before the limit of K times the number of games.", label="List K", unit="number")
def k(games: Any, published_peak: Any, age: Any) -> Any:
    junior = both(age <= 18, published_peak < 2300)
    return where(published_peak >= 2400, 10, where(either(junior, games < 30), 40, 20))


@K_USED
def k_used(k: Any, period_games: Any) -> Any:
    return where(k * period_games > 700, floor(700 / period_games), k)


@CHANGE.labelled("Change so far")
def change(k_used: Any, period_delta: Any) -> Any:
    # The sum is a whole number of hundredths; said so, its product with K rounds as on paper.
    return round_half_away(k_used * round_half_away(period_delta, 2))


@RATING_AFTER
def rating_after(rating: Any, change: Any) -> Any:
    return rating + change


@step("The highest published rating after the period.", label="Highest after")
def peak_after(published_peak: Any, rating_after: Any) -> Any:
    return maximum(published_peak, rating_after)


# Rapid and blitz


@step("1 where the rules of the game's day rate the game.")
def rated(rating: Any, opponent_rating: Any) -> Any:
    apart = absolute(rating - opponent_rating) >= 600
    return where(both(apart, maximum(rating, opponent_rating) > 2600), 0, 1)


@called(difference)
def rapid_difference(rating: Any, opponent_rating: Any) -> Any:
    return clip(rating - opponent_rating, -400, 400)


@called(delta)
def rapid_delta(score: Any, expected: Any, rated: Any) -> Any:
    return rated * (score - expected)


@called(k_used)
def rapid_k_used(k: Any, period_rated: Any) -> Any:
    return where(k * period_rated > 700, floor(700 / maximum(period_rated, 1)), k)


@called(games_after)
def rapid_games_after(games: Any, period_rated: Any) -> Any:
    return games + period_rated


# Dated rules


@step("The largest difference that counts by the rules of the game's day.", label="Gap limit")
def limit(rating: Any, date: Any, limit_400_from: Any, full_difference_from: Any) -> Any:
    full = both(rating >= 2650, date >= full_difference_from)
    return where(full, NO_CAP, where(date < limit_400_from, 350, 400))


@called(limit)
def rapid_limit(date: Any, rapid_limit_from: Any) -> Any:
    return where(date < rapid_limit_from, NO_CAP, 400)


@called(cap)
def dated_cap(date: Any, widest: Any, limit: Any, once_per_event_from: Any, every_game_from: Any) -> Any:
    once = both(date >= once_per_event_from, date < every_game_from)
    return where(both(once, widest < 1), NO_CAP, limit)


@called(rated)
def dated_rated(rating: Any, opponent_rating: Any, date: Any, unrated_gap_from: Any) -> Any:
    return where(date < unrated_gap_from, 1, rated(rating, opponent_rating))


@step("K by today's rules.", label="Today's K")
def k_today(games: Any, published_peak: Any, age: Any) -> Any:
    return k(games, published_peak, age)


@step("K by the rules before July 2014.", label="K before July 2014")
def k_before_2014(games: Any, published_peak: Any, earlier_new_k: Any) -> Any:
    return where(games < 30, earlier_new_k, where(published_peak >= 2400, 10, 15))


@called(k)
def dated_k(date: Any, k_today: Any, k_before_2014: Any, k_40_from: Any) -> Any:
    return where(date < k_40_from, k_before_2014, k_today)


@called(k)
def rapid_dated_k(date: Any, k_today: Any, rapid_k_from: Any) -> Any:
    return where(date < rapid_k_from, 20, k_today)


# The form of the rule by (rapid or blitz, dated rules).
_GAME: dict[tuple[bool, bool], tuple[Step, ...]] = {
    (False, False): (cap, difference, higher_expected, expected, delta),
    (False, True): (limit, dated_cap, difference, higher_expected, expected, delta),
    (True, False): (rated, rapid_difference, higher_expected, expected, rapid_delta),
    (True, True): (dated_rated, rapid_limit, dated_cap, difference, higher_expected, expected, rapid_delta),
}
_K: dict[tuple[bool, bool], tuple[Step, ...]] = {
    (False, False): (k,),
    (False, True): (k_today, k_before_2014, dated_k),
    (True, False): (k,),
    (True, True): (k_today, rapid_dated_k),
}


def _closing(form: tuple[bool, bool]) -> tuple[Step, ...]:
    games = (rapid_k_used, rapid_games_after) if form[0] else (k_used, games_after)
    return (published_peak, age, *_K[form], games[0], change, rating_after, games[1], peak_after)


def _variant(settings: Mapping[str, Value]) -> System:
    form = (settings["kind"] != "standard", settings["rules"] == "dated")
    sums = ("delta", "rated") if form[0] else ("delta",)
    return replace(FIDE, game=_GAME[form], sums=sums, closing=_closing(form), variant=None)


def _first_day(name: str, label: str, meaning: str) -> Parameter:
    return Parameter(
        f"{name}_from", dated(FIRST_DAYS[name]), label, f"first day {meaning}", is_date=True, source=DAY_SOURCES[name]
    )


FIDE = System(
    name="fide",
    title="FIDE",
    about="the official table of expectations, K 40, 20 or 10, one rounding per month",
    sources=("FIDE Handbook B.02, effective 1 March 2024, 8.3.1 amended 1 October 2025",),
    deviations=DEVIATIONS,
    parameters=(
        Parameter("initial", 1400.0, "Initial rating", "published rating before the first game"),
        games_parameter("rated games before the first one here; K is 40 until 30", aliases=("games",)),
        Parameter(
            "initial_peak",
            0.0,
            "Highest rating before",
            "highest published rating before the first game here; 0 means not above the initial rating",
            "Initial_peak",
            minimum=0.0,
            aliases=("peak",),
        ),
        born_parameter("year of birth for the junior K; 0 means unknown"),
        _first_day(
            "full_difference",
            "Full difference from",
            "on which a player rated 2650 or higher is rated with the full difference",
        ),
        Parameter(
            "kind", "standard", "Kind of chess", "standard, rapid or blitz", choices=("standard", "rapid", "blitz")
        ),
        Parameter(
            "rules",
            "current",
            "Rules",
            "current: the rules of 2024 for every game, with the full difference from 2650 by its date; "
            "dated: those of each game's date",
            choices=("current", "dated"),
        ),
        _first_day("limit_400", "Limit 400 from", "on which 400 points of difference count at most, before it 350"),
        _first_day("once_per_event", "Once per event from", "on which the limit holds for one game of an event"),
        _first_day("every_game", "Every game from", "on which the limit holds for every game again"),
        _first_day("k_40", "K 40 from", "of K 40, 20 and 10 and of the junior K"),
        Parameter(
            "earlier_new_k",
            30.0,
            "Earlier K of new players",
            "K for the first 30 rated games before K 40",
            "Earlier_new_K",
            minimum=0.0,
            source="FIDE Handbook article 161, 8.56, as quoted on samara-chess.ru",
            unofficial="it was 25 in July 2009 (fide.com, 13 July 2009); no source gives the day of the change",
        ),
        _first_day("rapid_limit", "Rapid limit from", "on which rapid and blitz have the limit of 400 points"),
        _first_day("rapid_k", "Rapid K from", "on which rapid and blitz have the K of standard chess, before it 20"),
        _first_day(
            "unrated_gap", "Unrated gap from", "on which rapid and blitz games of distant players are not rated"
        ),
        period_parameter("month"),
    ),
    publishes_ratings=True,
    # Beyond the games of K 40: how many they were is not published with a rating.
    settled={"initial_games": 30.0},
    state=(State("rating", "initial"), State("games", "initial_games", GAMES), State("peak", "initial_peak", PEAK)),
    game=_GAME[False, False],
    sums=("delta",),
    closing=_closing((False, False)),
    variant=_variant,
    tables=(DIFFERENCE_TABLE, PERFORMANCE_STEPS),
    labels={
        "period_delta": "Sum ΔR",
        "period_rated": "Rated games",
    },
)


# Outside the rating period


def newcomer_average(opponents_total: Any, games: Any) -> Any:
    return (opponents_total + 2 * 1800) / (games + 2)


def newcomer_percent(score: Any, games: Any) -> Any:
    return round_half_away(100 * (score + 1) / (games + 2))


def newcomer_rating(newcomer_average: Any, newcomer_percent: Any) -> Any:
    return minimum(2200, round_half_away(newcomer_average + table_step(PERFORMANCE_STEPS, newcomer_percent)))


def percent(score: Any, games: Any) -> Any:
    return round_half_away(100 * score / games)


def difference_2022(score: Any, games: Any, percent: Any) -> Any:
    above = 40 * (score - games / 2)
    return where(2 * score >= games, above, table_step(PERFORMANCE_STEPS, percent))


def newcomer_rating_2022(average_opponent: Any, difference_2022: Any) -> Any:
    return round_half_away(average_opponent + difference_2022)


def fide_initial_rating(
    opponents: Sequence[float], score: float, on: datetime.date | None = None, *, is_first_event: bool = True
) -> float | None:
    """Return the first rating of an unrated player, or None where FIDE would publish none.

    `opponents` are the ratings of the rated opponents, pooled over the events within 26 months; `score` is in points
    against them. None: fewer than five games, a rating below the floor (1400; 1000 before March 2024), or no points at
    all, for a first event without a point does not count; where other games follow it, the caller leaves it out.
    `is_first_event` is False where the games given are those after such an event: they count without a point too.

    The rule is that of the day `on`, today's if it is None. Since 1 March 2024 two draws with 1800 are added, and the
    rating is 2200 at most (Handbook B022024, 8.2; that the percentage is rounded half up is our reading). From
    1 January 2022 to 29 February 2024 each half point above 50 per cent adds 20 to the average opponent, and below
    that the table is read. Raises `UsageError` for an earlier day: no source at hand gives the rule.

    >>> fide_initial_rating([2000] * 5, 3)
    1993.0
    >>> fide_initial_rating([2000] * 5, 3, on=datetime.date(2023, 6, 1))
    2020.0
    >>> fide_initial_rating([2400] * 5, 0) is None
    True
    """
    if on is not None and on < FIRST_DAYS["newcomer_2022"]:
        raise UsageError(f"expected a day from {FIRST_DAYS['newcomer_2022']} on, got {on}: earlier rules are not known")
    games, total = len(opponents), sum(opponents)
    if games < FIRST_GAMES or (is_first_event and score == 0):
        return None
    if on is None or on >= FIRST_DAYS["newcomer_2024"]:
        rating = newcomer_rating(newcomer_average(total, games), newcomer_percent(score, games))
        return rating if rating >= LEAST_RATING else None
    rating = newcomer_rating_2022(total / games, difference_2022(score, games, percent(score, games)))
    return rating if rating >= 1000 else None


def fide_increased_2024(rating: Any, decimals: int = 0) -> Any:
    """Return a rating after the one-time increase of 1 March 2024.

    From 1000 to below 2000 a rating rises by 40 per cent of what it lacks to 2000; others stay. No source says how
    FIDE rounded fractions: `decimals` is ours, halves away from zero. Sources differ on whether rapid and blitz ratings
    were increased too.

    >>> fide_increased_2024(1500)
    1700.0
    """
    low = both(rating >= 1000, rating < 2000)
    return where(low, round_half_away(rating + 0.4 * (2000 - rating), decimals), rating)
