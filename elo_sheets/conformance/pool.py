"""What the answers about whole-pool fits are asked of: Bradley–Terry, BayesElo, Chessmetrics and WHR."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import lru_cache, partial
from typing import Any

from elo_sheets._late import pd
from elo_sheets.conformance.published import answers, asks
from elo_sheets.games import make_games
from elo_sheets.replaying.cases import Case, Row, Value
from elo_sheets.systems import bayeselo, chessmetrics
from elo_sheets.systems._pool import POINT
from elo_sheets.systems.bayeselo import BAYESELO
from elo_sheets.systems.bradley_terry import BRADLEY_TERRY
from elo_sheets.systems.whr import whr_history

PROBABILITIES = (bayeselo.win_probability, bayeselo.loss_probability, bayeselo.draw_probability)
PERFORMANCES = (chessmetrics.raw_performance, chessmetrics.padded_performance)
PADDING = {"padding_rating": 2300, "bonus": 43}

# The answers count days; WHR sees only the days between them.
DAY_0 = date(2000, 1, 1)

WHITE_SCORES = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0, "W": 1.0, "B": 0.0}


def games_of(played: Iterable[tuple[str, str, str, int]]) -> pd.DataFrame:
    """Return the games table of White, Black, result and day."""
    return make_games(
        {
            "date": DAY_0 + timedelta(days=day),
            "white": white,
            "black": black,
            "score": WHITE_SCORES[result],
            "source": "published",
            "source_row": number,
        }
        for number, (white, black, result, day) in enumerate(played, 1)
    )


def later(table: Callable[[], Any], *places: Any) -> Callable[[], float]:
    """Return what looks up a number of a table only when it is asked for."""

    def look_up() -> float:
        found = table()
        for place in places:
            found = found[place]
        return float(found)

    return look_up


@asks("bt-final")
def strengths(inputs: Any, expected: Any) -> list[Case]:
    wins = inputs["wins_row_over_column"]
    names = [f"Team {number}" for number in range(len(wins))]
    played = [
        (winner, loser, "1-0", 0)
        for winner, row in zip(names, wins, strict=True)
        for loser, number in zip(names, row, strict=True)
        for _ in range(int(number))
    ]
    fit = lru_cache(lambda: BRADLEY_TERRY.fit(games_of(played), {}).set_index("player")["gamma"])
    return [Value(f"gamma of {name}", later(fit, name), number) for name, number in zip(names, expected, strict=True)]


@asks("bayeselo-fixed")
def program_run(inputs: Any, expected: Any) -> list[Case]:
    """The printed list is scaled; the numbers in full precision are not."""
    expected = dict(expected)
    scale = expected.pop("scale", None)
    if "see" in inputs:
        inputs = answers()[inputs["see"]]["inputs"]
    given = {"advantage": inputs["elo_advantage"], "drawelo": inputs["elo_draw"], "prior": inputs["prior_draws"]}
    settings = BAYESELO.settings({**given, "scale": "elo" if scale is None else "none"})
    played = [(game["white"], game["black"], game["result"], 0) for game in inputs["games"]]
    fit = lru_cache(lambda: BAYESELO.fit(games_of(played), settings).set_index("player")["rating"])
    cases: list[Case] = [Value(f"rating of {name}", later(fit, name), rating) for name, rating in expected.items()]
    if scale is not None:
        steps = (bayeselo.draw_odds, bayeselo.print_scale)
        cases.append(Row({"drawelo": inputs["elo_draw"]}, steps, "print_scale", scale))
    return cases


@asks("bayeselo-prob-")
def probabilities(inputs: Any, expected: Any) -> list[Case]:
    return [Row(inputs, PROBABILITIES, f"{result}_probability", chance) for result, chance in expected.items()]


@asks("chessmetrics-perf", "chessmetrics-kasparov-")
def performance(inputs: Any, expected: Any) -> list[Case]:
    """An answer gives the score in points of `n` games, or as a fraction: the points of one game."""
    score, games = (inputs["score"], inputs["n"]) if "n" in inputs else (inputs["score_fraction"], 1)
    given = {"average_opponent": inputs["average_opponent"], "score": score, "games": games, **PADDING}
    wanted: Mapping[str, float] = expected if isinstance(expected, dict) else {"raw": expected}
    return [Row(given, PERFORMANCES, f"{kind}_performance", number) for kind, number in wanted.items()]


@asks("chessmetrics-weight")
def age_weights(inputs: Any, expected: Any) -> list[Case]:
    ages: Sequence[float] = inputs["age_months"]
    return [
        Row({"age_months": age, "window": 48}, (chessmetrics.age_weight,), "age_weight", weight)
        for age, weight in zip(ages, expected, strict=True)
    ]


@asks("chessmetrics-simultaneous-")
def tournament(inputs: Any, expected: Any) -> list[Case]:
    names = inputs["players"]
    double_round_robin = [(one, other) for one in names for other in names if one != other]
    scores, start = (dict(zip(names, inputs[column], strict=True)) for column in ("scores", "start"))
    fit = lru_cache(
        partial(chessmetrics.simultaneous_performances, double_round_robin, scores, start, rounds=inputs["iterations"])
    )
    return [Value(name, later(fit, name), number) for name, number in zip(names, expected, strict=True)]


@asks("whr-shusaku")
def player_days(inputs: Any, expected: Any) -> list[Case]:
    """The variances, in natural units and hundredths, are those of either player."""
    expected = dict(expected)
    played = [(game["white"], game["black"], game["winner"], game["day"]) for game in inputs["games"]]
    variances = expected.pop("variance_x100")

    @lru_cache
    def histories() -> dict[Any, Any]:
        history = whr_history(games_of(played), {"w2": inputs["w2"]})
        history["variance"] = 100 * (POINT * history["standard_deviation"]) ** 2
        return {name: own.reset_index(drop=True) for name, own in history.groupby("player")}

    def values(name: str, column: str, numbers: Sequence[float]) -> list[Case]:
        return [
            Value(f"{column} of {name}, day {day}", later(histories, name, column, day - 1), number)
            for day, number in enumerate(numbers, 1)
        ]

    ratings = [case for name, numbers in expected.items() for case in values(name, "rating", numbers)]
    return [*ratings, *(case for name in expected for case in values(name, "variance", variances))]
