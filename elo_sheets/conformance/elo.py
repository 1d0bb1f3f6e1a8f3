"""What the answers about Elo in general are asked of: the steps of `elo`, performance ratings, and forecasts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from elo_sheets.conformance.published import asks
from elo_sheets.odds.forecast import match_error_bar
from elo_sheets.odds.performance import average_opponent, exact_performance, linear_performance
from elo_sheets.odds.statistics import (
    likelihood_of_superiority_normal,
    log_loss,
    score_error,
    score_needed,
    score_share,
)
from elo_sheets.replaying.cases import Case, Row, Value, on_page
from elo_sheets.replaying.cases import summed as total
from elo_sheets.systems import Line, Step
from elo_sheets.systems import elo as rules

GAME = (rules.cap, rules.difference, rules.expected, rules.k_used, rules.change)


def odds(expected: Any) -> Any:
    return expected / (1 - expected)


def period_change(change: Any) -> Any:
    return change


def inputs_of(own: float, opponent: float, score: float, k: float) -> dict[str, float | str]:
    game = {"rating": own, "opponent_rating": opponent, "score": score}
    return {**game, "k": k, "scale": 400, "gap_rule": "none"}


def row(given: Mapping[str, float | str], step: str, expected: float) -> Row:
    return Row(given, (*GAME, odds), step, expected)


@asks("elo-1600-1500-k20", "elo-1500-1650-k20")
def pairs(inputs: Any, expected: Any) -> list[Case]:
    own, other, k = inputs["a"], inputs["b"], inputs["K"]
    rows: list[Case] = [
        row(inputs_of(own, other, score, k), "change", expected[result])
        for result, score in (("win", 1), ("draw", 0.5), ("loss", 0))
    ]
    rows.append(row(inputs_of(own, other, 1, k), "expected", expected["E_a"]))
    if "E_b" in expected:
        rows.append(row(inputs_of(other, own, 1, k), "expected", expected["E_b"]))
    return rows


@asks("elo-guide-row")
def guide(inputs: Any, expected: Any) -> list[Case]:
    given = inputs_of(inputs["own"], inputs["opponent"], inputs["score"], inputs["K"])
    return [row(given, "change", expected["change"])]


@asks("elo-odds")
def printed_odds(inputs: Any, expected: Any) -> list[Case]:
    """A printed row of the odds table; where a gap rule makes a difference count as the row's, it reads the same.

    The modes of the calculator pages: `cap400` counts 400 points at most, `fide2650` does so below a rating of 2650.
    """
    gap = inputs["difference"]
    given = inputs_of(1500 + gap, 1500, 1, 20)
    rows: list[Case] = [
        row(given, "expected", expected["E_higher"]),
        row(given, "odds", expected["odds"]),
    ]
    for rule, own, other, counted in GAP_RULES:
        if abs(counted) == gap:
            number = expected["E_higher"] if counted > 0 else 1 - expected["E_higher"]
            rows.append(row({**inputs_of(own, other, 1, 20), "gap_rule": rule}, "expected", number))
    return rows


# Rule, own rating, opponent's rating, and the difference that counts.
GAP_RULES = (
    ("none", 2200, 1600, 600),
    ("cap400", 1900, 1500, 400),
    ("cap400", 2000, 1500, 400),
    ("cap400", 2100, 1500, 400),
    ("cap400", 2700, 2100, 400),
    ("cap400", 1500, 2100, -400),
    ("cap400", 2700, 3300, -400),
    ("fide2650", 2649, 2049, 400),
    ("fide2650", 2650, 2050, 600),
    ("fide2650", 2651, 2051, 600),
    ("fide2650", 2050, 2650, -400),
    ("fide2650", 2700, 2200, 500),
    ("fide2650", 2700, 3200, -500),
)


@asks("elo-opponent-choice")
def opponent_choice(inputs: Any, expected: Any) -> list[Case]:
    return [
        row(inputs_of(1500, 1500 + inputs["opponent_minus_own"], score, inputs["K"]), "change", expected[result])
        for result, score in (("win", 1), ("loss", 0), ("mean_at_50_percent", 0.5))
    ]


@asks("elo-1978-portisch")
def portisch(inputs: Any, expected: Any) -> list[Case]:
    given = {"rating": inputs["rating"], "k_used": inputs["K"]}
    given |= {"score": inputs["score"], "expected": inputs["expected"]}
    steps = (rules.change, period_change, rules.rating_after)
    return [Row(given, steps, "rating_after", expected["new"])]


@asks("elo-perf-inverse")
def inverse(inputs: Any, expected: Any) -> list[Case]:
    compute = partial(exact_performance, inputs["opponents"], inputs["score"])
    page = on_page("exactPerformance", inputs["opponents"], inputs["score"])
    return [Value("exact performance", compute, expected["Rp"], page)]


@asks("elo-perf-linear")
def linear(inputs: Any, expected: Any) -> list[Case]:
    given = {"average_opponent": average_opponent(inputs["opponents"]), "games": len(inputs["opponents"])}
    given |= {"wins": inputs["wins"], "losses": inputs["losses"]}
    return [Row(given, (linear_performance,), "linear_performance", expected["Rp"])]


@asks("elo-los")
def superiority(inputs: Any, expected: Any) -> list[Case]:
    given = {"wins": inputs["wins"], "losses": inputs["losses"]}
    step = likelihood_of_superiority_normal
    return [Row(given, (step,), step.__name__, expected["LOS"])]


@asks("elo-error-bar")
def error_bar(inputs: Any, expected: Any) -> list[Case]:
    steps = (score_share, score_error)
    limits = enumerate(zip(("low", "value", "high"), expected["elo"], strict=True))
    return [
        Row(inputs, steps, "score_share", expected["score"]),
        Row(inputs, steps, "score_error", expected["se"]),
        *(Value(what, partial(_limit, i, **inputs), number) for i, (what, number) in limits),
    ]


def _limit(which: int, wins: float, draws: float, losses: float) -> float | None:
    return match_error_bar(wins, draws, losses)[which]


@asks("elo-score-needed")
def score_for_target(inputs: Any, expected: Any) -> list[Case]:
    given = {"rating": inputs["rating"], "target": inputs["target"], "k": inputs["K"], "scale": 400}
    given |= {f"difference {i}": inputs["rating"] - opponent for i, opponent in enumerate(inputs["opponents"], 1)}
    games = range(1, len(inputs["opponents"]) + 1)
    steps: tuple[Step | Line, ...] = (
        *(Line(f"expected {i}", rules.expected, (f"difference {i}", "scale")) for i in games),
        Line("expected_total", total, tuple(f"expected {i}" for i in games)),
        score_needed,
    )
    wanted = {"expected_total": expected["expected"], "score_needed": expected["score_needed"]}
    return [Row(given, steps, step, number) for step, number in wanted.items()]


@asks("elo-log-loss")
def losses(inputs: Any, expected: Any) -> list[Case]:
    games = inputs["games"]
    chances = [rules.expected(game["own"] - game["opponent"], 400) for game in games]
    compute = partial(log_loss, [game["score"] for game in games], chances)
    return [Value("log-loss", compute, expected)]
