"""What the answers about US Chess ratings are asked of."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from elo_sheets.conformance.published import asks
from elo_sheets.replaying.cases import Case, Maker, Row, Value, on_page
from elo_sheets.systems import Line, Step, needs
from elo_sheets.systems import uschess as rules

# What the answers call the columns of the standard formula.
NAMES = {"K": "k_used", "E": "period_expected", "bonus": "bonus", "post": "standard_rating"}

SCORES = {"W": 1.0, "D": 0.5, "L": 0.0}


def games_before(given: float | None) -> float:
    """Return the number of games; where an answer says only that a player is established, as many as ever count."""
    return 50 if given is None else given


def total(*values: Any) -> Any:
    return sum(values[1:], values[0])


@asks("us-effective-")
def effective(inputs: Any, expected: Any) -> list[Case]:
    given = {"rating": inputs["rating"], "games": inputs["N"]}
    steps = (rules.full_games, rules.effective_games)
    return [Row(given, steps, "effective_games", expected["N_eff"])]


@asks("us-k-")
def k(inputs: Any, expected: Any) -> list[Case]:
    given = {"effective_games": inputs["N_eff"], "period_games": inputs["m"], "rating": 1500, "dual_rated": "no"}
    steps = (rules.base_k, rules.dual_factor, rules.k_used)
    return [Row(given, steps, "k_used", expected["K"])]


@asks("us-standard-")
def standard(inputs: Any, expected: Any) -> list[Case]:
    """Every opponent is another player, but for one whom the answer may name twice."""
    opponents = inputs["opponents"]
    given = {f"opponent_rating {number}": rating for number, rating in enumerate(opponents, 1)}
    given |= {
        "rating": inputs["rating"],
        "games": games_before(inputs["N"]),
        "dual_rated": "no",
        "period_games": len(opponents),
        "most_often": max(map(opponents.count, opponents)),
        "period_score": inputs["score"],
        "bonus_factor": inputs["B"],
    }
    each = [
        Line(f"expected {number}", rules.expected, ("rating", f"opponent_rating {number}"))
        for number in range(1, len(opponents) + 1)
    ]
    steps: list[Step | Line] = [
        rules.full_games,
        rules.effective_games,
        rules.base_k,
        rules.dual_factor,
        rules.k_used,
        *each,
        Line("period_expected", total, tuple(line.name for line in each)),
        rules.gain,
        rules.bonus_allowed,
        rules.bonus,
        rules.standard_rating,
    ]
    return [Row(given, steps, NAMES[name], number) for name, number in expected.items()]


@asks("us-special-")
def special(inputs: Any, expected: Any) -> list[Case]:
    rating = inputs["rating"]
    played = rules.effective_games(inputs["N"], rules.full_games(rating))
    compute = partial(rules.special_rating, rating, played, inputs["opponents"], inputs["score"])
    page = on_page("specialRating", rating, float(played), inputs["opponents"], inputs["score"])
    return [Value("special_rating", compute, expected["post"], page)]


@asks("us-floor-absolute")
def absolute_floor(inputs: Any, expected: Any) -> list[Case]:
    given = {
        "absolute_floor": rules.LOWEST,
        "period_wins": inputs["wins"],
        "period_draws": inputs["draws"],
        "full_events": inputs["events_with_3_games"],
    }
    step = rules.absolute_floor_after
    return [Row(given, (step,), step.__name__, expected["floor"])]


@asks("us-floor-")
def established_floor(inputs: Any, expected: Any) -> list[Case]:
    peak, floor = inputs["peak"], expected["floor"]
    if floor is None:
        page = f"{on_page('US.established_floor', float(rules.hundreds_below(peak)))} || null"
        compute = partial(rules.floor_from_peak, peak)
        return [Value("floor_from_peak", compute, None, page)]
    steps = (rules.hundreds_below, rules.established_floor)
    return [Row({"peak": peak}, steps, "established_floor", floor)]


def start(step: Step, name: str) -> Maker:
    """Return the maker of answers about a start value: one step of what is given."""

    def make(inputs: Any, expected: Any) -> list[Case]:
        given = {name: inputs[name] for name in needs(step)}
        return [Row(given, (step,), step.__name__, expected[name])]

    return make


@asks("us-section-")
def section(inputs: Any, expected: Any) -> list[Case]:
    """A whole section from its crosstable: each game stands in it twice, and is rated once."""
    rows = [row["id"] for row in inputs["players"]]
    players = [
        rules.Entrant(inputs["starts"][row["id"]])
        if row["pre"] is None
        else rules.Entrant(row["pre"], games_before(row["games_before"]))
        for row in inputs["players"]
    ]
    games = [
        (player, int(other) - 1, SCORES[result])
        for player, row in enumerate(inputs["players"])
        for result, other in re.findall(r"\b([WDL])(\d+)", row["rounds"])
        if player < int(other) - 1
    ]

    entrants = [player._asdict() for player in players]

    def rating(player: int) -> float:
        return rules.rate_section(players, games)[player].rating

    return [
        Value(
            f"rating of {name}",
            partial(rating, player),
            number,
            on_page("rateSection", entrants, games, 10, then=f"[{player}].rating"),
        )
        for player, (name, number) in enumerate(zip(rows, expected, strict=True))
    ]


asks("us-age-")(start(rules.start_from_age, "rating"))
asks("us-from-fide-")(start(rules.start_from_fide, "uschess"))
