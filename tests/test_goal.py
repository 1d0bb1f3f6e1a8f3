"""`goal`: the published example, chances against counted ones, norms, and the same digits in all faces."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import faces
import pytest
from click.testing import CliRunner
from faces import NORMAL, PRECISION, in_sheets

from elo_sheets.cli import cli
from elo_sheets.conformance.published import answers
from elo_sheets.odds.goal import chance_of_score, games_needed, goal_odds, goal_record

ANSWER = answers()["elo-score-needed"]
OPPONENTS = ANSWER["inputs"]["opponents"]

run, document, refused = (partial(one, "goal") for one in (faces.run, faces.document, faces.refused))


def counted_chance(expected: list[float], score: float, draws: float) -> float:
    """The chance of at least that score, from every way in which the games can end."""
    odds = []
    for share in expected:
        drawn = min(draws, 2 * share, 2 * (1 - share))
        odds.append({1.0: share - drawn / 2, 0.5: drawn, 0.0: 1 - share - drawn / 2})
    total = 0.0
    for results in product((1.0, 0.5, 0.0), repeat=len(expected)):
        if sum(results) >= score:
            chance = 1.0
            for game, result in zip(odds, results, strict=True):
                chance *= game[result]
            total += chance
    return total


def test_the_score_needed_is_the_published_one() -> None:
    inputs, expected = ANSWER["inputs"], ANSWER["expected"]
    found = goal_odds(inputs["rating"], inputs["target"], OPPONENTS, k=inputs["K"])
    assert found.expected == pytest.approx(expected["expected"], abs=ANSWER["tolerance"])
    assert found.score_needed == pytest.approx(expected["score_needed"], abs=ANSWER["tolerance"])
    assert (found.half_points_needed, found.possible) == (3.5, True)


@pytest.mark.parametrize("draws", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("score", [0, 0.5, 2, 3.5, 5, 5.5])
def test_the_chance_is_that_of_all_ways_counted(score: float, draws: float) -> None:
    expected = [0.5, 0.64, 0.24, 0.91, 0.4]
    assert chance_of_score(expected, score, draws) == pytest.approx(counted_chance(expected, score, draws), abs=1e-12)


def test_a_target_below_the_rating_may_need_nothing() -> None:
    found = goal_odds(1500, 1400, games=2, average=1500)
    assert (found.half_points_needed, found.possible, found.chance) == (0.0, True, 1.0)


def test_a_target_out_of_reach_has_no_chance() -> None:
    found = goal_odds(1500, 1700, games=3, average=1500)
    assert (found.possible, found.chance, found.performance_needed) == (False, 0.0, None)


def test_every_point_that_there_is_can_be_needed() -> None:
    found = goal_odds(1500, 1510, [1500])
    assert (found.half_points_needed, found.possible, found.chance) == (1.0, True, 0.5)


def test_games_and_average_are_so_many_equal_opponents() -> None:
    assert goal_odds(1500, 1520, games=3, average=1600).opponents == (1600.0,) * 3
    assert goal_odds(1500, 1520, games=3, average=1600) == goal_odds(1500, 1520, [1600] * 3)


def test_more_games_are_needed_for_a_smaller_share_of_the_points() -> None:
    found = games_needed(50, 20, 0.5)
    assert found == {0.5: None, 0.6: 25, 0.7: 13, 0.8: 9, 0.9: 7, 1.0: 5}


def test_a_grandmaster_norm_takes_seven_of_nine_against_2400() -> None:
    found = goal_odds(2400, None, games=9, average=2400, norm="gm", draws=0.5).norm
    assert found is not None
    assert (found.score_needed, found.possible) == (7.0, True)  # Title Regulations 0.5 name 7 of 9 at 2380


@pytest.mark.parametrize(("average", "enough"), [(2379.4, False), (2379.5, True), (2380, True)])
def test_a_norm_needs_opponents_of_an_average_that_is_rounded(average: float, enough: bool) -> None:
    norm = goal_odds(2400, None, games=9, average=average, norm="gm").norm
    assert norm is not None
    assert norm.average_enough is enough


def test_a_norm_needs_nine_games() -> None:
    assert goal_odds(2400, None, games=8, average=2500, norm="im").possible is False
    assert goal_odds(2400, None, games=9, average=2500, norm="im").possible is True


def test_a_norm_that_no_score_brings_has_no_score() -> None:
    found = document("1500", "--games", "9", "--average", "1700", "--norm", "gm")
    assert (found["score_needed"], found["possible"], found["chance"]) == (None, False, 0.0)


# --- three faces ------------------------------------------------------------------------------------------------------

GOALS: list[dict[str, Any]] = [
    {"rating": 1500.0, "target": target, "opponents": opponents, "k": 20.0, "curve": curve, "draws": draws}
    for target, opponents, curve, draws in product(
        (1490.0, 1520.0, 1700.0), (OPPONENTS, [1510, 2300]), ("logistic", "normal", "linear"), (0.0, 0.4)
    )
]


def test_the_command_prints_the_numbers_of_the_function() -> None:
    for case in GOALS:
        opponents = ["--opponents", ",".join(map(str, case["opponents"]))]
        options = [f"--{name}={case[name]}" for name in ("k", "curve", "draws")]
        found = document(str(case["rating"]), str(case["target"]), *opponents, *options)
        assert found == goal_record(goal_odds(**case))


@pytest.mark.parametrize("engine", ["ironcalc", pytest.param("libreoffice", marks=pytest.mark.libreoffice)])
def test_a_sheet_computes_the_digits_of_the_function(engine: str) -> None:
    found = [goal_odds(**case) for case in GOALS]
    sheets = in_sheets([one.columns for one in found], engine)
    for case, one, cells in zip(GOALS, found, sheets, strict=True):
        wanted = {"expected_total": one.expected, "score_needed": one.score_needed}
        wanted |= {"half_points_needed": one.half_points_needed, "goal_possible": one.possible}
        slack = 10 * NORMAL if case["curve"] == "normal" else 0
        assert {name: cells[name] for name in wanted} == pytest.approx(wanted, rel=PRECISION[engine], abs=slack)


# --- the command ------------------------------------------------------------------------------------------------------


def test_goal_prints_what_it_takes() -> None:
    done = run("1500", "1520", "--opponents", "1500,1600,1700,1550,1450")
    assert done.stdout == (
        "expected score: 2.1002 of 5\n"
        "score needed for 1520 at K 20: 3.1002, so 3.5 of 5; chance 0.0956\n"
        "performance needed: 1649.5\n"
        "\n"
        "share of points  games needed\n"
        "50%                        13\n"
        "60%                         6\n"
        "70%                         4\n"
        "80%                         3\n"
        "90%                         3\n"
        "100%                        2\n"
    )
    assert done.stderr == "note: the chance counts no draws: give their share with --draws\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("1500", "--games", "3", "--average", "1500"),
            "expected a target rating or a norm, got neither: give the target behind the rating, or --norm gm",
        ),
        (
            ("1500", "1600"),
            "expected whom the games are against: give --opponents 1500,1600, or --games 5 and --average 1550",
        ),
        (
            ("1500", "1600", "--games", "3"),
            "expected whom the games are against: give --opponents 1500,1600, or --games 5 and --average 1550",
        ),
        (
            ("1500", "1600", "--games", "3", "--opponents", "1500"),
            "expected --opponents, or --games and --average, got both",
        ),
        (("1500", "1600", "--opponents", "1500,x"), "expected a rating such as 1500 for opponent 2, got 'x'"),
        (
            ("1500", "1600", "--opponents", "1500", "--k", "0"),
            "expected a K above 0, got 0.0: no game would move the rating",
        ),
        (
            ("1500", "1600", "--opponents", "1500", "--draws", "1.5"),
            "expected a share of draws from 0 to 1, such as --draws 0.3, got 1.5",
        ),
        (
            ("1500", "1600", "--opponents", "1500", "--curve", "norml"),
            "expected a curve (logistic, normal, linear), got 'norml'; did you mean normal?",
        ),
        (
            ("1500", "--opponents", "1500", "--norm", "gmm"),
            "expected a norm (gm, im, wgm, wim), got 'gmm'; did you mean gm?",
        ),
    ],
)
def test_goal_refuses(arguments: tuple[str, ...], message: str) -> None:
    assert refused(*arguments) == message


def test_a_target_out_of_reach_is_not_told_as_points_of_the_games() -> None:
    done = CliRunner().invoke(cli, ["goal", "1500", "1700", "--opponents", "1500,1600,1700,1550,1450"])
    assert "12.1002, which is more than 5 games can give: not possible" in done.stdout
