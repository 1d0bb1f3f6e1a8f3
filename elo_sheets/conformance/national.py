"""What the answers about German, English and European Go ratings are asked of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from elo_sheets.conformance.published import asks
from elo_sheets.replaying.cases import Case, Period, Row
from elo_sheets.systems import Step, System, ecf, egf, ingo
from elo_sheets.systems import dwz as german

# Any year will do: ages are differences.
YEAR = 2020


def own(rating: float, age: float, **states: float) -> dict[str, float]:
    return {"rating": rating, "year": YEAR, "born": YEAR - age, **states}


def against(opponents: Sequence[float], scores: Sequence[float]) -> list[dict[str, float]]:
    return [{"opponent_rating": o, "score": s} for o, s in zip(opponents, scores, strict=True)]


def single(system: System, rating: float, opponent: float, score: float, new: float) -> Period:
    """Return a period of one game between players of whom nothing but the ratings is given."""
    game = {"opponent_rating": opponent, "score": score, "side": 1, "handicap": 0}
    return Period(system, {"rating": rating}, [game], {"rating_after": new})


def converted(inputs: Any, expected: Any, given: str, step: Step) -> list[Case]:
    """Return the conversions of an answer that lists numbers and what they become."""
    return [
        Row({given: before}, (step,), step.__name__, after)
        for before, after in zip(inputs[given], expected, strict=True)
    ]


# --- Germany


@asks("dwz-1")
def dwz_games(inputs: Any, expected: Any) -> list[Case]:
    player = own(inputs["rating"], inputs["age"], index=inputs["index"])
    return [
        Period(german.DWZ, player, against([inputs["opponent"]], [score]), {"rating_after": expected[result]})
        for result, score in (("win", 1), ("loss", 0))
    ]


@asks("dwz-1530-youth")
def dwz_youth(inputs: Any, expected: Any) -> list[Case]:
    games = against(inputs["opponents"], [inputs["score"] / len(inputs["opponents"])] * len(inputs["opponents"]))
    return [
        Period(
            german.DWZ,
            own(inputs["rating"], inputs["age"], index=inputs["index"]),
            games,
            {"development": expected["E"], "rating_after": expected["new"]},
            {"expectancy": inputs["expectancy"]},
        )
    ]


@asks("dwz-official-")
def dwz_official(inputs: Any, expected: Any) -> list[Case]:
    """Return an official evaluation; it states E and not the age, so the player is of an age that E comes from."""
    age = 20 if inputs["E"] < 30 else 30
    return [
        Period(
            german.DWZ,
            own(inputs["rating"], age, index=6),
            against(inputs["opponents"], inputs["scores"]),
            {"development": inputs["E"], "period_expected": expected["We"], "rating_after": expected["new"]},
        )
    ]


@asks("dwz-table-3-decimals")
def dwz_table(inputs: Any, expected: Any) -> list[Case]:
    pairs = zip(inputs["difference"], expected, strict=True)
    return [
        Row(
            {"difference": sign * gap, "spread": 200},
            (german.expected,),
            "expected",
            expected if sign > 0 else 1 - expected,
        )
        for gap, expected in pairs
        for sign in (1, -1)
    ]


@asks("dwz2026-k-")
def dwz_k(inputs: Any, expected: Any) -> list[Case]:
    given = {name: inputs[name] for name in ("rating", "age", "index")}
    given |= {"period_score": inputs["score"], "period_expected": inputs["expected"]}
    steps = (german.surplus, german.base_k, german.success_bonus, german.brake_factor, german.k_used_2026)
    return [Row(given, steps, "k_used", expected["K"])]


@asks("ingo-130-160")
def ingo_game(inputs: Any, expected: Any) -> list[Case]:
    sides = (("a", "b", inputs["score_a"]), ("b", "a", 1 - inputs["score_a"]))
    return [
        Period(
            ingo.INGO,
            own(inputs[side], inputs[f"age_{side}"]),
            against([inputs[other]], [score]),
            {"rating_after": expected[side]},
        )
        for side, other, score in sides
    ]


# --- England


@asks("ecf-equal-win")
def ecf_game(inputs: Any, expected: Any) -> list[Case]:
    return [
        Period(
            ecf.ECF,
            {"rating": 1500},
            against([1500 - inputs["difference"]], [inputs["score"]]),
            {"change": expected["change"]},
            {"k": inputs["K"]},
        )
    ]


@asks("ecf-legacy-grade")
def legacy_grades(inputs: Any, expected: Any) -> list[Case]:
    pairs = zip(inputs["own_opponent_score"], expected, strict=True)
    return [single(ecf.ECF_GRADE, grade, opponent, score, new) for (grade, opponent, score), new in pairs]


# --- Go in Europe

SE = (egf.advantage, egf.own_beta, egf.opposing_beta, egf.expected)


def egf_expectation(rating: float, opponent: float, expected: float) -> Row:
    given: Mapping[str, float] = {"rating": rating, "opponent_rating": opponent, "side": 1, "handicap": 0}
    return Row(given, SE, "expected", expected)


@asks("egf-2100")
def egf_results(inputs: Any, expected: Any) -> list[Case]:
    return [
        single(egf.EGF, inputs["rating"], inputs["opponent"], score, expected[result])
        for result, score in (("win", 1), ("loss", 0))
    ]


@asks("egf-sample-even")
def egf_tournament_game(inputs: Any, expected: Any) -> list[Case]:
    rating, opponent, score = inputs["rating"], inputs["opponent"], inputs["score"]
    return [
        single(egf.EGF, rating, opponent, score, rating + expected["change"]),
        single(egf.EGF, opponent, rating, 1 - score, opponent + expected["opponent_change"]),
    ]


@asks("egf-expected")
def egf_expected(inputs: Any, expected: Any) -> list[Case]:
    return [egf_expectation(inputs["r1"], inputs["r2"], expected["Se"])]


@asks("egf-con")
def egf_con(inputs: Any, expected: Any) -> list[Case]:
    return [
        Row({"rating": rating, "class_factor": 1}, (egf.con,), "con", con)
        for rating, con in zip(inputs["rating"], expected, strict=True)
    ]


@asks("egf-2073-win")
def egf_program(inputs: Any, expected: Any) -> list[Case]:
    game = single(egf.EGF, inputs["rating"], inputs["opponent"], inputs["score"], expected["new"])
    parts = {"con": expected["con"], "bonus": expected["bonus"]}
    return [
        Period(game.system, game.own, game.games, {**game.expected, **parts}),
        egf_expectation(inputs["rating"], inputs["opponent"], expected["Se"]),
    ]


asks("ingo-to-dwz")(partial(converted, given="ingo", step=ingo.dwz_of_ingo))
asks("ecf-grade")(partial(converted, given="grade", step=ecf.rating_of_grade))
