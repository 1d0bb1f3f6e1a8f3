"""FIDE standard ratings, by the official table.

Source: FIDE Handbook B.02, effective 1 March 2024, 8.3.1 amended on 1 October 2025. Per game the tabulated
expectation of the difference is taken from the score; the differences of a calendar month are summed, multiplied
by K once, and the change is rounded once, halves away from zero.

- 8.3.1, 400 rule: a difference above 400 counts as 400. Since 1 October 2025 a player rated 2650 or higher is
  rated with the full difference; only his own rating decides. The first day is a setting.
- K: 10 for life once a published rating reached 2400; else 40 to the end of the year of the 18th birthday while
  no published rating reached 2300; else 40 for the first 30 rated games; else 20.
- 8.3.3: if K times the games of the period exceeds 700, K is the largest whole number that does not.

Reproduces the FIDE calculator's single games and the published period 2053 (list of December 2025).

Deviations: the limit of one capped game per event (1 January 2022 to 29 February 2024) is not applied: every
game is capped. A rating that falls below 1400 stays a number here, where FIDE would print none. A game without
a period total rounds like the period's last one: the change shown behind each game is that of the period so far.
"""

from __future__ import annotations

from typing import Any

from elo_sheets.ops import (
    NO_CAP,
    absolute,
    both,
    clip,
    either,
    floor,
    maximum,
    round_half_away,
    table_step,
    where,
)
from elo_sheets.systems._system import Parameter, State, System, period_parameter
from elo_sheets.systems._tables import DIFFERENCE_TABLE, FULL_DIFFERENCE_FROM, dated

# The age of a player whose year of birth is not known: no junior.
GROWN_UP = 99


def cap(rating: Any, date: Any, full_difference_from: Any) -> Any:
    return where(rating >= 2650, where(date >= full_difference_from, NO_CAP, 400), 400)


def difference(rating: Any, opponent_rating: Any, cap: Any) -> Any:
    return clip(rating - opponent_rating, -cap, cap)


def higher_expected(difference: Any) -> Any:
    return table_step(DIFFERENCE_TABLE, round_half_away(absolute(difference)))


def expected(difference: Any, higher_expected: Any) -> Any:
    return where(difference >= 0, higher_expected, 1 - higher_expected)


def delta(score: Any, expected: Any) -> Any:
    return score - expected


def published_peak(peak: Any, rating: Any) -> Any:
    return maximum(peak, rating)


def age(year: Any, born: Any) -> Any:
    return where(both(born > 0, year > 0), year - born, GROWN_UP)


def k(games: Any, published_peak: Any, age: Any) -> Any:
    junior = both(age <= 18, published_peak < 2300)
    return where(published_peak >= 2400, 10, where(either(junior, games < 30), 40, 20))


def k_used(k: Any, period_games: Any) -> Any:
    return where(k * period_games > 700, floor(700 / period_games), k)


def change(k_used: Any, period_delta: Any) -> Any:
    # The sum is a whole number of hundredths; said so, its product with K rounds as on paper.
    return round_half_away(k_used * round_half_away(period_delta, 2))


def rating_after(rating: Any, change: Any) -> Any:
    return rating + change


def games_after(games: Any, period_games: Any) -> Any:
    return games + period_games


def peak_after(published_peak: Any, rating_after: Any) -> Any:
    return maximum(published_peak, rating_after)


FIDE = System(
    name="fide",
    title="FIDE",
    about="the official table of expectations, K 40, 20 or 10, one rounding per month",
    sources=("FIDE Handbook B.02, effective 1 March 2024, 8.3.1 amended 1 October 2025",),
    parameters=(
        Parameter("initial", 1400.0, "Initial rating", "published rating before the first game", "Initial_rating"),
        Parameter(
            "initial_games",
            0.0,
            "Games before",
            "rated games before the first one here; K is 40 until 30",
            "Initial_games",
            minimum=0.0,
            aliases=("games",),
        ),
        Parameter(
            "initial_peak",
            0.0,
            "Highest rating before",
            "highest published rating before the first game here; 0 means not above the initial rating",
            "Initial_peak",
            minimum=0.0,
            aliases=("peak",),
        ),
        Parameter(
            "born",
            0.0,
            "Year of birth",
            "year of birth for the junior K; 0 means unknown",
            "Year_born",
            minimum=0.0,
        ),
        Parameter(
            "full_difference_from",
            dated(FULL_DIFFERENCE_FROM),
            "Full difference from",
            "first day on which a player rated 2650 or higher is rated with the full difference",
            "Full_difference_from",
            is_date=True,
            source="FIDE Handbook B.02, 8.3.1 as amended",
        ),
        period_parameter("month"),
    ),
    state=(State("rating", "initial"), State("games", "initial_games"), State("peak", "initial_peak")),
    game=(cap, difference, higher_expected, expected, delta),
    sums=("delta",),
    closing=(published_peak, age, k, k_used, change, rating_after, games_after, peak_after),
    tables=(DIFFERENCE_TABLE,),
    labels={
        "cap": "Gap cap",
        "delta": "ΔR",
        "change": "Change so far",
        "k": "List K",
        "k_used": "K",
        "games": "Games before",
        "period_delta": "Sum ΔR",
        "period_games": "Period games",
        "higher_expected": "Favourite expects",
        "peak": "Highest before",
        "published_peak": "Highest so far",
        "peak_after": "Highest after",
    },
)
