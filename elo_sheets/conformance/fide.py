"""What FIDE's answers are asked of: the steps of `fide`, its tables and its functions.

For `fide-period-2400` the regulation's single rounding gives +5 (2405), the published list shows 2406, which rounding
each of the three events (-6, +4, +8) gives. Thirteen of fourteen cases that can tell the two apart follow the
regulation, so the rule stays as written and the answer expects 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

from elo_sheets.conformance.published import asks
from elo_sheets.odds.performance import average_opponent, table_performance
from elo_sheets.ops import normal_cdf, round_half_away
from elo_sheets.replaying.cases import Case, Period, Row, Value
from elo_sheets.replaying.cases import summed as total
from elo_sheets.systems import Line, System
from elo_sheets.systems import elo as elo_rules
from elo_sheets.systems import fide as rules
from elo_sheets.systems._tables import FIRST_DAYS, dated

# K times the difference, as FIDE's calculator prints it before the period is rounded, is Elo's own step.
SINGLE_GAME = (rules.cap, elo_rules.difference, rules.higher_expected, rules.expected, elo_rules.change)

FIRST_DAY = dated(FIRST_DAYS["full_difference"])
AUTUMN_2025 = dated(date(2025, 11, 15))  # the games of the list of December 2025
SPRING_2010 = dated(date(2010, 1, 31))


def change_unrounded(k_used: Any, period_delta: Any) -> Any:
    return k_used * period_delta


def games_counted(games: Any, games_after: Any) -> Any:
    return games_after - games


def fide_printing(which: str) -> System:
    """Return current or dated rules with what FIDE prints as columns: the change before rounding, and the games."""
    system = rules.FIDE.shaped(rules.FIDE.settings({"rules": which}))
    return replace(system, closing=(*system.closing, change_unrounded, games_counted))


def player(rating: float, k: float, day: float) -> dict[str, float]:
    """Return the states of a player who has that K: 40 is a newcomer's, the others follow from the rating."""
    return {"rating": rating, "games": 0 if k == 40 else 30, "peak": rating, "date": day}


@asks("fide-single")
def singles(inputs: Any, expected: Any) -> list[Case]:
    given = {"rating": inputs["own"], "opponent_rating": inputs["opponent"], "score": inputs["score"]}
    given |= {"k_used": inputs["K"], "full_difference_from": FIRST_DAY}
    days = {"change_plain_400_cap": FIRST_DAY - 1, "change_2025_rule": FIRST_DAY}
    return [Row({**given, "date": day}, SINGLE_GAME, "change", expected[rule]) for rule, day in days.items()]


def event(k: float, played: Mapping[str, Any], expected: Mapping[str, float]) -> Period:
    """Return one event of a published period as a period of its own, rated from the list that it used."""
    games = [{"opponent_rating": game["opponent"], "score": game["score"]} for game in played["games"]]
    own = player(played["rating_used"], k, AUTUMN_2025)
    return Period(fide_printing("current"), own, games, expected)


@asks("fide-period")
def periods(inputs: Any, expected: Any) -> list[Case]:
    close = {"k_used": expected["K"], "change": expected["rounded"]}
    close |= {"rating_after": expected["new"]} if "new" in expected else {}
    events = inputs["events"]
    if len(events) == 1:
        whole = {"games_counted": expected["n"], "period_delta": expected["sum_delta"][0]}
        whole |= {"change_unrounded": expected["change"], **close}
        return [event(inputs["K"], events[0], whole)]
    cases: list[Case] = [
        event(inputs["K"], played, {"period_delta": sum_delta})
        for played, sum_delta in zip(events, expected["sum_delta"], strict=True)
    ]
    # Each event is rated from the list of its first day, so the period is closed over the sums of its events.
    given = {f"delta {i}": sum_delta for i, sum_delta in enumerate(expected["sum_delta"], 1)}
    given |= {f"games {i}": float(len(played["games"])) for i, played in enumerate(events, 1)}
    given |= {"rating": inputs["list_rating"], "k": inputs["K"]}
    count = range(1, len(events) + 1)
    steps = (
        Line("period_delta", total, tuple(f"delta {i}" for i in count)),
        Line("period_games", total, tuple(f"games {i}" for i in count)),
        rules.k_used,
        change_unrounded,
        rules.change,
        rules.rating_after,
    )
    close |= {"period_games": expected["n"], "change_unrounded": expected["change"]}
    return cases + [Row(given, steps, step, number) for step, number in close.items()]


@asks("fide-2800-11wins")
def eleven_wins(inputs: Any, expected: Any) -> list[Case]:
    games = [{"opponent_rating": inputs["opponent"], "score": inputs["score"]}] * inputs["n"]
    own = player(inputs["own"], inputs["K"], AUTUMN_2025)
    return [Period(rules.FIDE, own, games, {"change": expected["rounded"], "k_used": inputs["K"]})]


@asks("fide-official")
def official(inputs: Any, expected: Any) -> list[Case]:
    """The calculations of 2008 to 2010, with the rules and so the K of that time."""
    games = [
        {"opponent_rating": opponent, "score": score, "widest": 0}
        for opponent, score in zip(inputs["opponents"], inputs["scores"], strict=True)
    ]
    numbers = {
        "k_used": inputs["K"],
        "period_delta": sum(inputs["scores"]) - expected["We"],
        "change_unrounded": expected["change"],
    }
    own = player(inputs["rating"], inputs["K"], SPRING_2010)
    return [Period(fide_printing("dated"), own, games, numbers)]


@asks("fide-rb")
def rapid(inputs: Any, expected: Any) -> list[Case]:
    own = player(inputs["own"], inputs["K"], AUTUMN_2025)
    games = [{"opponent_rating": inputs["opponent"], "score": inputs["score"], "widest": 1}]
    numbers = {"period_rated": float(expected["rated"]), "change": expected["rounded"], "k": inputs["K"]}
    return [
        Period(rules.FIDE, own, games, numbers, {"kind": kind, "rules": which})
        for kind in ("rapid", "blitz")
        for which in ("current", "dated")
    ]


@asks("fide-kn")
def k_limits(inputs: Any, expected: Any) -> list[Case]:
    return [
        Row({"k": inputs["K"], games: inputs["n"]}, (step,), "k_used", expected["K_used"])
        for games, step in (("period_games", rules.k_used), ("period_rated", rules.rapid_k_used))
    ]


@asks("fide-round")
def roundings(inputs: Any, expected: Any) -> list[Case]:
    wanted, change = expected["rounded"], inputs["change"]
    ways = [(1, change)]
    if (10 * change) % 1 == 0:  # a sum of hundredths
        ways.append((10, change / 10))
    if change == 1.5:  # wins at .92 and .93: 1.4999999999999991 after K in binary arithmetic
        ways.append((10, (1 - 0.92) + (1 - 0.93)))
    return [Row({"k_used": k, "period_delta": delta}, (rules.change,), "change", wanted) for k, delta in ways]


def as_printed(expected: Any) -> Any:
    # 1 - 0.93 is not the number 0.07 in binary; the table prints hundredths.
    return round_half_away(expected, 2)


@asks("fide-table-8.1.2")
def difference_table(inputs: Any, expected: Any) -> list[Case]:
    steps = (rules.higher_expected, rules.expected, as_printed)
    return [
        Row({"difference": side * gap}, steps, "as_printed", number)
        for first, last, higher, lower in expected
        for gap in (first, 3000 if last is None else last)
        for side, number in ((1, higher), (-1, lower))
        if gap or side > 0
    ]


@asks("fide-table-8.1.1")
def performance_table(inputs: Any, expected: Any) -> list[Case]:
    return [
        Row(
            {"average_opponent": 2000, "score": percent, "games": 100},
            (table_performance,),
            "table_performance",
            2000 + dp,
        )
        for percent, dp in expected
    ]


def leaves_the_curve(difference: int) -> bool:
    """Return whether the table and the rounded normal curve of FIDE's scale differ there."""
    return bool(round_half_away(normal_cdf(difference * 7 / 2000), 2) != rules.higher_expected(difference))


def departures(first: int, last: int) -> list[int]:
    return [difference for difference in range(first, last + 1) if leaves_the_curve(difference)]


@asks("fide-table-normal-exceptions")
def normal_exceptions(inputs: Any, expected: Any) -> list[Case]:
    first, last = inputs["D_range"]
    return [
        Value("exceptions", lambda: float(len(departures(first, last))), len(expected)),
        *(
            Value(f"exception {i}", partial(_nth_departure, first, last, i), number)
            for i, number in enumerate(expected, 1)
        ),
    ]


def _nth_departure(first: int, last: int, which: int) -> float | None:
    found = departures(first, last)
    return float(found[which - 1]) if which <= len(found) else None


@asks("fide-initial-")
def newcomers(inputs: Any, expected: Any) -> list[Case]:
    wanted = expected["Ru"]
    opponents = inputs["opponents"]
    given = {"opponents_total": sum(opponents), "games": len(opponents), "score": inputs["score"]}
    steps = (rules.newcomer_average, rules.newcomer_percent, rules.newcomer_rating)
    compute = partial(rules.fide_initial_rating, opponents, inputs["score"])
    return [
        Row(given, steps, "newcomer_rating", wanted),
        Value("initial rating", compute, wanted),
    ]


@asks("fide-initial2022-")
def newcomers_2022(inputs: Any, expected: Any) -> list[Case]:
    wanted = expected["Ru"]
    given = {"average_opponent": inputs["average"], "games": inputs["n"], "score": inputs["score"]}
    steps = (rules.percent, rules.difference_2022, rules.newcomer_rating_2022)
    opponents = [inputs["average"]] * inputs["n"]
    compute = partial(rules.fide_initial_rating, opponents, inputs["score"], on=date(2024, 2, 29))
    return [
        Row(given, steps, "newcomer_rating_2022", wanted),
        Value("initial rating", compute, wanted),
    ]


@asks("fide-perf")
def performances(inputs: Any, expected: Any) -> list[Case]:
    opponents = inputs["opponents"]
    given = {"score": inputs["score"], "games": len(opponents)}
    given["average_opponent"] = average_opponent(opponents)
    wanted = expected["Rp"]
    return [Row(given, (table_performance,), "table_performance", wanted)]


@asks("fide-uplift")
def increases(inputs: Any, expected: Any) -> list[Case]:
    step = Line("increased", rules.fide_increased_2024, ("rating",))
    given = {"rating": inputs["rating"]}
    return [Row(given, (step,), "increased", expected["new"])]
