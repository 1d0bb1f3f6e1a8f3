"""What the answers about win probabilities, draws and matches are asked of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from elo_sheets.conformance.published import asks
from elo_sheets.odds.forecast import (
    DRAW_PAWNS,
    FIRST_MOVE_PAWNS,
    LABELLE,
    aga_difference,
    composed,
    labelle_odds,
    logistic_difference,
)
from elo_sheets.odds.match import TENNIS, Odds, best_of, best_of_ratio, first_to, lead_chance, match_odds, win_by
from elo_sheets.replaying.cases import Case, Row, Value
from elo_sheets.systems import Line, Step, called, lines
from elo_sheets.systems import elo as rules

SCALE = {"scale": 400.0}
RESULTS = ("win", "draw", "loss")


def rows(given: Mapping[str, float], steps: Sequence[Step | Line], expected: Mapping[str, float]) -> list[Case]:
    """Return a row for each number that the columns must come to."""
    return [Row(given, steps, step, number) for step, number in expected.items()]


def single(expected: float, given: Mapping[str, float], *steps: Step) -> list[Case]:
    """Return the row of an answer with one number: that of the last step."""
    return rows(given, steps, {steps[-1].__name__: expected})


# --- one game


@asks("labelle-draw-example")
def draw_model(inputs: Any, expected: Any) -> list[Case]:
    given = {"rating": inputs["rating1"], "opponent_rating": inputs["rating2"], "draw_pawns": inputs["pawns"]}
    names = {"expected_score": "even_expected", "elo_shift": "draw_shift", "p1_win": "win"}
    found = {names.get(name, name): number for name, number in expected.items()}
    return rows({**given, "side": 1, "first_move_pawns": 0}, LABELLE, found)


@asks("labelle-draw-example-full")
def draw_model_in_full(inputs: Any, expected: Any) -> list[Case]:
    """Return the same as values: IronCalc's NORMSDIST is off by 4e-12 here, more than the answer's 1e-12."""
    odds = labelle_odds(inputs["rating1"], inputs["rating2"], draw_pawns=inputs["pawns"], first_move_pawns=0)
    found = {"expected_score": odds.score, "p1_win": odds.win, "draw": odds.draw}
    return [Value(name, partial(float, found[name]), number) for name, number in expected.items()]


# What of the draw model depends on who moves first.
SIDED = {"side", "move_shift", "win_shift", "win_or_draw_shift", "win", "win_or_draw", "draw", "loss"}


def mean(first: Any, second: Any) -> Any:
    return (first + second) / 2


def either_first() -> Iterator[Line]:
    """Yield the columns of the draw model for the player who moves first, for the second, and for nobody knows who."""
    for mover in ("first", "second"):
        for line in lines(LABELLE):
            reads = tuple(f"{read} {mover}" if read in SIDED else read for read in line.reads)
            if line.name in SIDED:
                yield Line(f"{line.name} {mover}", line.step, reads)
            elif mover == "first":
                yield line
    for name in RESULTS:
        yield Line(name, mean, (f"{name} first", f"{name} second"))


def players(inputs: Mapping[str, Any]) -> dict[str, float]:
    return {
        "rating": inputs["rating1"],
        "opponent_rating": inputs["rating2"],
        "draw_pawns": inputs.get("draw_pawns", DRAW_PAWNS),
        "first_move_pawns": inputs.get("first_move_pawns", FIRST_MOVE_PAWNS),
        "side first": 1,
        "side second": -1,
    }


@asks("labelle-first-move")
def first_move(inputs: Any, expected: Any) -> list[Case]:
    movers = {"player1_first": (" first", 1), "player2_first": (" second", -1), "unknown_first": ("", None)}
    columns: dict[str, float] = {}
    values: list[Case] = []
    for name, numbers in expected.items():
        suffix, side = movers[name]
        columns |= {f"{result}{suffix}": number for result, number in zip(RESULTS, numbers, strict=True)}
        odds = partial(
            labelle_odds,
            inputs["rating1"],
            inputs["rating2"],
            side,
            draw_pawns=inputs["draw_pawns"],
            first_move_pawns=inputs["first_move_pawns"],
        )
        values += of_odds(odds, numbers, name)
    return [*rows(players(inputs), tuple(either_first()), columns), *values]


def of_odds(odds: Callable[[], Odds], numbers: Sequence[float], name: str) -> list[Case]:
    """Return the three numbers of odds that a function gives."""

    def number(place: int) -> float:
        return float(odds()[place])

    return [
        Value(f"{name}: {result}", partial(number, place), expected)
        for place, (result, expected) in enumerate(zip(RESULTS, numbers, strict=True))
    ]


@asks("labelle-inverse")
def inverse(inputs: Any, expected: Any) -> list[Case]:
    return single(expected, {"expected": inputs["p"], **SCALE}, logistic_difference)


@asks("labelle-komi")
def komi(inputs: Any, expected: Any) -> list[Case]:
    def fourteen_times(logistic_difference: Any) -> Any:
        return 14 * logistic_difference

    return single(expected, {"expected": inputs["p"], **SCALE}, logistic_difference, fourteen_times)


@asks("labelle-chain")
def chain(inputs: Any, expected: Any) -> list[Case]:
    def logistic(p_ab: Any, p_bc: Any) -> Any:
        return composed(p_ab, p_bc)

    def normal(p_ab: Any, p_bc: Any) -> Any:
        return composed(p_ab, p_bc, "normal")

    return rows(inputs, (logistic, normal), expected)


@asks("labelle-aga-stone")
def stone(inputs: Any, expected: Any) -> list[Case]:
    def logistic(sigma_px: Any) -> Any:
        return aga_difference(1, sigma_px)

    def normal(sigma_px: Any) -> Any:
        return aga_difference(1, sigma_px, "normal")

    return rows(inputs, (logistic, normal), expected)


# --- matches


@asks("match-best-of")
def best_of_answer(inputs: Any, expected: Any) -> list[Case]:
    def match_win(p: Any) -> Any:
        return best_of(p, inputs["n"])

    return single(expected, {"p": inputs["p"]}, match_win)


@asks("labelle-best-of-ratio")
def ratios(inputs: Any, expected: Any) -> list[Case]:
    return [
        Value(f"best of {games}", partial(best_of_ratio, games), ratio)
        for games, ratio in zip(inputs["n"], expected, strict=True)
    ]


@asks("match-ruin")
def margin(inputs: Any, expected: Any) -> list[Case]:
    def match_win(expected: Any) -> Any:
        return win_by(expected, inputs["margin"])

    if "p" in inputs:
        return single(expected, {"expected": inputs["p"]}, match_win)
    return single(expected, {"difference": inputs["elo"], **SCALE}, rules.expected, match_win)


@asks("match-tennis-game", "match-volleyball")
def race(inputs: Any, expected: Any) -> list[Case]:
    def match_win(p: Any) -> Any:
        return first_to(p, inputs["target"])

    return single(expected, {"p": inputs["p"]}, match_win)


@asks("match-tennis-200")
def tennis(inputs: Any, expected: Any) -> list[Case]:
    @called("set_elo")
    def set_difference(set_win: Any, scale: Any) -> Any:
        return logistic_difference(set_win, scale)

    def p_bo5(set_win: Any) -> Any:
        return best_of(set_win, 5)

    match_win = Line("match_win", rules.expected, ("difference", "scale"))
    columns = (match_win, *lines((*TENNIS, set_difference, p_bo5)))
    names = {"p_match": "match_win", "p_set": "set_win"}
    found = {names.get(name, name): number for name, number in expected.items()}
    return rows({"difference": inputs["match_elo_diff_bo3"], **SCALE}, columns, found)


def leads(games: int, lead: int) -> Iterator[Line]:
    """Yield the columns of a match of drawable games: the chance of each lead after each game, then of each result.

    They read `win`, `draw` and `loss` of a game, `certain` (1) and `never` (0).
    """

    def chance(game: int, at: int) -> str:
        if game == 0 or abs(at - lead) > game:
            return "certain" if (game, at) == (0, lead) else "never"
        return f"lead {at} after {game}"

    for game in range(1, games + 1):
        for at in range(lead - game, lead + game + 1):
            before = (chance(game - 1, at - 1), chance(game - 1, at), chance(game - 1, at + 1))
            yield Line(chance(game, at), lead_chance, (*before, *RESULTS))
    ends = range(lead - games, lead + games + 1)
    for result, wanted in zip(RESULTS, (1, 0, -1), strict=True):
        reads = tuple(chance(games, at) for at in ends if (at > 0) - (at < 0) == wanted)
        yield Line(f"match {result}", total, reads)


def total(first: Any, *others: Any) -> Any:
    for other in others:
        first = first + other
    return first


def match_cases(
    numbers: Sequence[float],
    given: Mapping[str, float],
    game: Sequence[Line],
    games: float,
    lead: int,
    odds: Callable[[], Odds],
) -> list[Case]:
    columns = (*game, *leads(int(games), lead))
    expected = {f"match {result}": number for result, number in zip(RESULTS, numbers, strict=True)}
    return [
        *rows({**given, "certain": 1, "never": 0}, columns, expected),
        *of_odds(odds, numbers, "match"),
    ]


@asks("labelle-match-4-draws")
def drawable_match(inputs: Any, expected: Any) -> list[Case]:

    def odds() -> Odds:
        return match_odds(labelle_odds(inputs["rating1"], inputs["rating2"]), inputs["n"])

    return match_cases(expected, players(inputs), tuple(either_first()), inputs["n"], 0, odds)


@asks("match-current-score")
def current_score(inputs: Any, expected: Any) -> list[Case]:
    own, other = inputs["score"]
    game = Odds(inputs["win"], inputs["draw"], 1 - inputs["win"] - inputs["draw"])
    odds = partial(match_odds, game, inputs["n"], (own, other))
    return match_cases(expected, game._asdict(), (), inputs["n"] - own - other, int(own - other), odds)
