"""`match`: the command, the function and a sheet give one number, and it is the published one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from elo_sheets.cli import cli
from elo_sheets.conformance import by_engine
from elo_sheets.conformance.labelle import RESULTS, either_first, leads
from elo_sheets.conformance.published import answers
from elo_sheets.errors import EloSheetsError, UsageError
from elo_sheets.odds.forecast import (
    LABELLE,
    difference,
    elo_per_pawn,
    logistic_difference,
    match_forecast,
    match_record,
    mean_rating,
)
from elo_sheets.odds.match import TENNIS, Format, Odds, best_of, first_to, format_odds, win_by
from elo_sheets.replaying.cases import Columns
from elo_sheets.systems import Line, lines
from elo_sheets.systems import elo as rules

chances = st.floats(0.01, 0.99)


def run(*arguments: str) -> dict[str, Any]:
    done = CliRunner().invoke(cli, ["match", "--json", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def printed(*arguments: str) -> str:
    done = CliRunner().invoke(cli, ["match", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def answer(name: str) -> Any:
    return answers()[name]["expected"]


# --- the published numbers


def test_the_printed_example_of_the_calculator_comes_out_to_its_digits() -> None:
    text = printed("2000", "2400", "--draws", "labelle")
    for digits in ("0.029872", "0.080757", "229.843", "137.906", "0.101768"):
        assert digits in text


def test_the_printed_example_comes_out_in_full_precision() -> None:
    found = run("2000", "2400", "--draws", "labelle")
    assert found["win"] == pytest.approx(answer("labelle-draw-example-full")["p1_win"], abs=1e-12)
    assert found["draw"] == pytest.approx(answer("labelle-draw-example-full")["draw"], abs=1e-12)
    assert found["expected"] == pytest.approx(answer("labelle-draw-example-full")["expected_score"], abs=1e-12)


@pytest.mark.parametrize(("a", "b"), [("2000", "2400"), ("2400", "2000"), ("2750", "2750"), ("1500", "1500")])
@pytest.mark.parametrize(("first", "mover"), [("a", "player1_first"), ("b", "player2_first")])
def test_the_first_move_counts_for_who_has_it(a: str, b: str, first: str, mover: str) -> None:
    found = run(a, b, "--draws", "labelle", "--first", first)
    expected = answer(f"labelle-first-move-{a}-{b}")[mover]
    assert [found[result] for result in RESULTS] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "key", "expected", "tolerance"),
    [
        (["--expected", "0.75"], "difference", answer("labelle-inverse"), 1e-3),
        (["--expected", "0.6", "--best-of", "3"], "win", answer("match-best-of-3"), 1e-12),
        (["--expected", "0.6", "--best-of", "5"], "win", answer("match-best-of-5"), 1e-12),
        (["--expected", "0.6", "--best-of", "7"], "win", answer("match-best-of-7"), 1e-12),
        (["--expected", "0.6", "--win-by", "2"], "win", answer("match-ruin-2"), 1e-12),
        (["1600", "1500", "--win-by", "2"], "win", answer("match-ruin-elo"), 1e-12),
        (["--expected", "0.6", "--first-to", "4", "--win-by", "2"], "win", answer("match-tennis-game"), 1e-12),
        (["--expected", "0.55", "--first-to", "25", "--win-by", "2"], "win", answer("match-volleyball-25"), 1e-12),
        (["--expected", "0.55", "--first-to", "21", "--win-by", "2"], "win", 0.745837596967794, 1e-12),
        (["1700", "1500", "--tennis", "--best-of", "5"], "win", answer("match-tennis-200")["p_bo5"], 1e-9),
        (["1700", "1500", "--tennis"], "win", answer("match-tennis-200")["p_match"], 1e-9),
        (["1", "2", "--best-of", "5"], "ratio", answer("labelle-best-of-ratio")[2], 1e-12),
        (["5", "4", "--go", "aga"], "difference", answer("labelle-aga-stone")["logistic"], 1e-2),
        (["5", "4", "--go", "aga", "--curve", "normal"], "difference", answer("labelle-aga-stone")["normal"], 1e-2),
        (["100", "100", "--go", "egf"], "elo_per_rank_before_2021", 86.9, 0.05),
        (["2700", "2700", "--go", "egf"], "elo_per_rank_before_2021", 248.2, 0.05),
        (["1600", "1500"], "win", answer("elo-1600-1500-k20-full")["E_a"], 1e-12),
    ],
)
def test_published_numbers_come_out(arguments: list[str], key: str, expected: float, tolerance: float) -> None:
    assert run(*arguments)[key] == pytest.approx(expected, abs=tolerance)


def test_ranks_of_the_egf_are_the_ratings_that_they_stand_for() -> None:
    assert run("1d", "3k", "--go", "egf") == run("--go", "egf", "2100", "1800")
    for arguments, words in (
        (["1d", "3k"], "'1d' is not a valid float"),
        (["1d", "3k", "--go", "aga"], "expected a rating of the AGA"),
        (["31k", "3k", "--go", "egf"], "expected a rank from 30k to 1k"),
    ):
        done = CliRunner().invoke(cli, ["match", *arguments])
        assert done.exit_code == 2
        assert words in done.stderr


def test_a_set_of_tennis_stands_beside_the_match() -> None:
    game = run("1700", "1500", "--tennis", "--best-of", "5")["game"]
    assert game["win"] == pytest.approx(answer("match-tennis-200")["p_set"], abs=1e-9)
    assert game["difference"] == pytest.approx(answer("match-tennis-200")["set_elo"], abs=1e-9)


def test_games_whose_first_mover_is_unknown_are_the_mean_of_both() -> None:
    found = run("1000", "800", "--draws", "labelle", "--games", "4")
    assert [found[result] for result in RESULTS] == pytest.approx(answer("labelle-match-4-draws"), abs=1e-9)


def test_a_match_goes_on_from_its_score() -> None:
    inputs = answers()["match-current-score"]["inputs"]
    odds = Odds(inputs["win"], inputs["draw"], 1 - inputs["win"] - inputs["draw"])
    form = Format(games=inputs["n"], score=tuple(inputs["score"]))
    assert format_odds(form, [odds]) == pytest.approx(answer("match-current-score"), abs=1e-12)
    found = run("1500", "1500", "--draws", "0.5", "--games", "6", "--score", "2.5-1.5")
    assert [found[result] for result in RESULTS] == pytest.approx(answer("match-current-score"), abs=1e-12)


# --- three faces


class Face(NamedTuple):
    """Arguments of the command, and the columns of a sheet that come to the same."""

    arguments: list[str]
    how: dict[str, Any]
    given: Mapping[str, float]
    lines: tuple[Line, ...]
    columns: Mapping[str, str]


def pawns(difference: Any, elo_per_pawn: Any) -> Any:
    return difference / elo_per_pawn


def single(a: float, b: float, first: str | None) -> Face:
    given = {"rating": a, "opponent_rating": b, "draw_pawns": 0.6}
    given |= {"side": -1 if first == "b" else 1, "first_move_pawns": 0.1 if first else 0}
    arguments = [str(a), str(b), "--draws", "labelle", *(["--first", first] if first else [])]
    how = {"rating": a, "opponent": b, "draws": "labelle", "first": first}
    columns = {name: name for name in (*RESULTS, "difference", "pawns", "elo_per_pawn", "draw_shift")}
    return Face(arguments, how, given, (*lines(LABELLE), *lines((pawns,))), columns)


def drawable(a: float, b: float, games: int, lead: int) -> Face:
    score = (lead, 0) if lead > 0 else (0, -lead)
    given = {"rating": a, "opponent_rating": b, "draw_pawns": 0.6, "first_move_pawns": 0.1}
    given |= {"side first": 1, "side second": -1, "certain": 1, "never": 0}
    found = (*either_first(), *leads(games - abs(lead), lead))
    arguments = [str(a), str(b), "--draws", "labelle", "--games", str(games), "--score", f"{score[0]}-{score[1]}"]
    how = {"rating": a, "opponent": b, "form": Format(games=games, score=score), "draws": "labelle"}
    return Face(arguments, how, given, found, {result: f"match {result}" for result in RESULTS})


def race(a: float, b: float, options: Mapping[str, Any], chance: Callable[..., Any]) -> Face:
    """A match without draws, whose chance is a formula of that of a game."""

    def win(expected: Any) -> Any:
        return chance(expected)

    arguments = [str(a), str(b)]
    for name, value in options.items():
        text = f"{value[0]}-{value[1]}" if name == "score" else str(value)
        arguments += [f"--{name.replace('_', '-')}", text]
    found = lines((mean_rating, elo_per_pawn, difference, rules.expected, pawns, win))
    given = {"rating": a, "opponent_rating": b, "scale": 400}
    how = {"rating": a, "opponent": b, "form": Format(**options)}
    return Face(
        arguments, how, given, tuple(found), {name: name for name in ("win", "expected", "difference", "pawns")}
    )


def tennis(a: float, b: float) -> Face:
    def win(set_win: Any) -> Any:
        return best_of(set_win, 5)

    expected = Line("match_win", rules.expected, ("difference", "scale"))
    found = (*lines((difference,)), expected, *lines((*TENNIS, win)))
    how = {"rating": a, "opponent": b, "form": Format(best_of=5), "tennis": True}
    given = {"rating": a, "opponent_rating": b, "scale": 400}
    arguments = [str(a), str(b), "--tennis", "--best-of", "5"]
    return Face(arguments, how, given, found, {"win": "win", "expected": "match_win"})


def inverse(expected: float) -> Face:
    given = {"expected": expected, "scale": 400}
    columns = {"difference": "logistic_difference"}
    return Face(
        ["--expected", str(expected)], {"expected": expected}, given, tuple(lines((logistic_difference,))), columns
    )


PAIRS = [(1600.0, 1500.0), (1234.5, 2345.5), (2400.0, 2000.0), (1500.0, 1500.0)]
FACES = [
    *(single(a, b, first) for a, b in PAIRS for first in (None, "a", "b")),
    *(drawable(a, b, games, lead) for a, b in PAIRS for games, lead in ((2, 0), (5, 1), (6, -2))),
    *(race(a, b, {"best_of": 7}, lambda p: best_of(p, 7)) for a, b in PAIRS),
    *(race(a, b, {"best_of": 5, "score": (1, 2)}, lambda p: best_of(p, 5, (1, 2))) for a, b in PAIRS),
    *(race(a, b, {"win_by": 3}, lambda p: win_by(p, 3)) for a, b in PAIRS),
    *(
        race(a, b, {"first_to": 11, "win_by": 2, "score": (4, 6)}, lambda p: first_to(p, 11, 2, (4, 6)))
        for a, b in PAIRS
    ),
    *(tennis(a, b) for a, b in PAIRS),
    *(inverse(expected) for expected in (0.02, 0.5, 0.75, 0.97)),
]


def of_record(record: Mapping[str, Any], face: Face) -> list[float]:
    return [record[key] for key in face.columns]


def test_the_command_gives_what_the_function_gives() -> None:
    for face in FACES:
        assert run(*face.arguments) == match_record(match_forecast(**face.how)), face.arguments


@pytest.mark.parametrize("engine", ["ironcalc", pytest.param("libreoffice", marks=pytest.mark.libreoffice)])
def test_a_sheet_of_the_same_formulas_gives_what_the_command_gives(engine: str) -> None:
    # The answer only lends its name to the blocks of the sheet.
    rows = [Columns("labelle-draw-example", face.given, face.lines, {}, 0) for face in FACES]
    for face, values in zip(FACES, by_engine(rows, engine), strict=True):
        found = [float(values[column]) for column in face.columns.values()]
        # LibreOffice keeps 15 digits of a difference of 1111.
        assert found == pytest.approx(of_record(run(*face.arguments), face), abs=1e-12, rel=1e-14), face.arguments


# --- formats from a score


@given(chances, st.integers(1, 12), st.integers(1, 4), st.integers(0, 9), st.integers(0, 9))
def test_a_race_is_worth_the_mean_of_the_races_after_the_next_point(
    p: float, n: int, m: int, own: int, other: int
) -> None:
    if max(own, other) >= max(n, m):
        own, other = own % max(n, m), other % max(n, m)
    here = first_to(p, n, m, (own, other))
    after = p * first_to(p, n, m, (own + 1, other)) + (1 - p) * first_to(p, n, m, (own, other + 1))
    assert here == pytest.approx(after, abs=1e-12)


@given(chances, st.integers(0, 3), st.integers(0, 3))
def test_the_opponent_wins_the_other_matches(p: float, own: int, other: int) -> None:
    odds = format_odds(Format(best_of=7, score=(own, other)), [Odds(p, 0, 1 - p)])
    assert sum(odds) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(("score", "won"), [((3, 1), 1.0), ((2, 3), 0.0)])
def test_a_match_that_is_over_is_certain(score: tuple[int, int], won: float) -> None:
    assert best_of(0.6, 5, score) == won


def test_colours_alternate_from_the_next_game_on() -> None:
    first, second = (match_forecast(2500, 2400, draws="labelle", first=who) for who in ("a", "b"))
    two = match_forecast(2500, 2400, Format(games=2), draws="labelle", first="a")
    assert two.odds == format_odds(Format(games=2), [first.odds, second.odds])
    assert two.odds == pytest.approx(
        match_forecast(2500, 2400, Format(games=2), draws="labelle", first="b").odds, abs=1e-15
    )


def test_a_format_that_multiplies_a_difference_says_so() -> None:
    found = match_forecast(1600, 1500, Format(win_by=3))
    assert found.match_difference == pytest.approx(300)
    assert found.ratio == 3


def test_a_certain_score_has_no_difference() -> None:
    found = run("--expected", "1")
    assert (found["difference"], found["pawns"], found["match_difference"]) == (None, None, None)


def test_with_an_expected_score_the_ratings_only_value_the_pawn() -> None:
    found = match_forecast(2000, 2400, expected=0.75)
    assert found.difference == pytest.approx(190.8485, abs=1e-4)
    assert found.pawns == pytest.approx(190.8485 / 229.843, abs=1e-5)


def test_a_share_of_draws_beyond_the_room_for_it_is_cut() -> None:
    found = run("--expected", "0.9", "--draws", "0.5")
    assert [found[result] for result in RESULTS] == pytest.approx([0.8, 0.2, 0])


# --- what contradicts itself


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "expected two ratings, or an expected score"),
        (["1600"], "expected the ratings of both players, got one, 1600.0"),
        (["1600", "nan"], "expected a rating from -1000000 to 1000000, got nan"),
        (["1600", "1e9"], "expected a rating from -1000000 to 1000000, got 1000000000.0"),
        (["1600", "1500", "--scale", "0"], "expected a scale above 0, got 0.0"),
        (["0", "1000000", "--scale", "1"], "too far apart to be compared: is the scale too small?"),
        (["--expected", "1.5"], "expected a score per game from 0 to 1, got 1.5"),
        (["1", "2", "--draws", "labelle", "--best-of", "3"], "each game has a winner: leave out --draws"),
        (["1", "2", "--draws", "0.3", "--first-to", "4"], "each game has a winner: leave out --draws"),
        (["1", "2", "--draws", "0.3", "--win-by", "2"], "each game has a winner: leave out --draws"),
        (["1", "2", "--draws", "0.3", "--tennis"], "no set of tennis is drawn"),
        (["1", "2", "--tennis", "--games", "3"], "a match of tennis is --best-of so many sets"),
        (["1", "2", "--tennis", "--go", "aga"], "--tennis and --go are two games"),
        (["--expected", "0.5", "--go", "egf"], "--go reads two ratings"),
        (["0.5", "2", "--go", "aga"], "expected a rating of the AGA, 1 or more (dan) or -1 or less (kyu), got 0.5"),
        (["1", "2", "--first", "a"], "the first move counts with --draws labelle alone"),
        (["1", "2", "--draws", "labelle", "--curve", "logistic"], "follow the normal curve: leave out --curve"),
        (["1", "2", "--draws", "labelle", "--scale", "200"], "a scale of 400: leave out --scale"),
        (["1", "2", "--draws", "labelle", "--go", "egf"], "are those of chess"),
        (["--expected", "0.5", "--draws", "labelle"], "give both ratings"),
        (["1", "2", "--best-of", "4"], "expected an odd number of games, got 4"),
        (["1", "2", "--best-of", "3", "--games", "3"], "either best of or a number of games: give one of them"),
        (["1", "2", "--best-of", "3", "--win-by", "2"], "either best of or first to or win by: give one of them"),
        (["1", "2", "--first-to", "0"], "expected a whole number of games or points from 1 to 1000, got 0"),
        (["1", "2", "--score", "2-1"], "a score is that of a match"),
        (["1", "2", "--score", "3-3", "--best-of", "5"], "a match of first to 3 can have, got 3-3"),
        (["1", "2", "--score", "2.5-0.5", "--best-of", "5"], "whole points"),
        (["1", "2", "--score", "3-0", "--win-by", "2"], "at most 2 apart, got 3-0"),
        (["1", "2", "--score", "3-2", "--games", "4"], "expected a score of at most 4 games, in half points, got 3-2"),
    ],
)
def test_what_contradicts_itself_is_refused_in_words(arguments: list[str], words: str) -> None:
    done = CliRunner().invoke(cli, ["match", *arguments])
    assert isinstance(done.exception, EloSheetsError)
    assert done.exception.exit_code == 2
    assert words in str(done.exception)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["1", "2", "--score", "much", "--games", "3"], "expected a score such as 2-1 or 2.5-1.5, got 'much'"),
        (["1", "2", "--draws", "1.2"], "expected labelle, none, or a share from 0 to 1, got '1.2'"),
        (["1", "2", "--curve", "cubic"], "'cubic' is not one of 'logistic', 'normal'"),
    ],
)
def test_an_option_that_cannot_be_read_is_refused_in_words(arguments: list[str], words: str) -> None:
    done = CliRunner().invoke(cli, ["match", *arguments])
    assert done.exit_code == 2
    assert words in " ".join(done.stderr.split())


@pytest.mark.parametrize("how", [{"draws": "some"}, {"draws": 2.0}, {"first": "c"}, {"go": "kgs"}, {"curve": "cubic"}])
def test_the_function_refuses_what_the_command_cannot_be_given(how: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"^expected "):
        match_forecast(1600, 1500, **how)


def test_the_text_is_a_table_and_what_goes_with_it() -> None:
    assert printed("1600", "1500", "--best-of", "3") == (
        "         A wins      draw    B wins  expected  difference\n"
        "game   0.640065  0.000000  0.359935  0.640065      +100.0\n"
        "match  0.704602  0.000000  0.295398  0.704602      +151.0\n"
        "\n"
        "expected score by the logistic curve: 0.640065\n"
        "difference in points: 100\n"
        "difference in pawns: 0.822857\n"
        "points for a pawn at the average rating: 121.528\n"
        "the format multiplies a small difference by: 1.5\n"
    )
