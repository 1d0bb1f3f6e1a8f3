"""Games of sides that are still to be played: the odds of one, and a season of them played out."""

from __future__ import annotations

import io
import itertools
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from elo_sheets.cli import cli
from elo_sheets.errors import UsageError
from elo_sheets.replaying.sided import SidedRule, resolve_sides
from elo_sheets.systems import system
from elo_sheets.uses.pairing import predict_pairing
from elo_sheets.uses.sided_runs import RuleOfRuns
from elo_sheets.uses.simulation import simulate_logs

PLAYED = "Date,Team A,Team B,Score\n2026-01-05,Ann / Ben,Cid / Dot,10-7\n2026-01-06,Ann / Cid,Ben / Dot,10-9\n"
LEFT = "2026-02-06,Ann / Dot,Ben / Cid,\n2026-02-07,Dot / Cid,Ann / Eve,\n"
SHAPES = ((2, 2), (4, 1))
STARTS = {"Ann": {"rating": 1700.0}, "Ben": {"rating": 1500.0}, "Cid": {"rating": 1400.0}, "Dot": {"rating": 1600.0}}


def log(text: str, name: str = "log.csv") -> io.BytesIO:
    stream = io.BytesIO(text.encode())
    stream.name = name
    return stream


def chance(gap: float) -> float:
    return 1 / (1 + 10 ** (-gap / 400))


@pytest.mark.parametrize(("rule", "gap"), [("mean", 1600 - 1500), ("sum", 3200 - 3000), ("strongest", 1700 - 1600)])
def test_the_odds_of_a_doubles_follow_from_the_rating_of_the_sides(rule: str, gap: float) -> None:
    found = (
        predict_pairing("Ann / Ben", "Cid & Dot", start=STARTS, settings={"side_rule": rule})
        if rule == "mean"
        else None
    )
    if found is None:
        before = log("Date,Team A,Team B,Score\n2026-01-05,Ann / Ben,Cid / Dot,5-5\n")
        found = predict_pairing("Ann / Ben", "Cid / Dot", before, start=STARTS, settings={"side_rule": rule}, draws=0)
        moved = 20 * (0.5 - chance(gap))
        gap += (4 if rule == "sum" else 2) * moved
    assert found.odds.score == pytest.approx(chance(gap), abs=1e-12)
    assert found.ratings[0] - found.ratings[1] == pytest.approx(gap)


def test_glicko2_knows_the_deviations_of_both_sides() -> None:
    start = {name: {"rating": rating, "rd": 50.0} for name, rating in (("Ann", 1700.0), ("Ben", 1500.0))}
    start |= {name: {"rating": 1500.0, "rd": 150.0} for name in ("Cid", "Dot")}
    found = predict_pairing("Ann / Ben", "Cid / Dot", start=start, system="glicko2")
    # The composite of 1600 and RD 50 against that of 1500 and RD 150, the Glicko paper's forecast with both deviations
    # (before the game the volatility of 0.06 widens them).
    rd = math.hypot(50, 0.06 * 173.7178)
    q = math.log(10) / 400
    other = math.hypot(150, 0.06 * 173.7178)
    near = 1 / (1 + 10 ** (-100 / math.sqrt(1 + 3 * q * q * (rd**2 + other**2) / math.pi**2) / 400))
    assert found.odds.score == pytest.approx(near, abs=2e-3)


def test_who_comes_in_first_of_two_at_a_table() -> None:
    table = log("1st,2nd,3rd\nAnn,Ben,Cid\n")
    found = predict_pairing("ann", "Cid", table)
    assert found.odds.score == pytest.approx(chance(20))
    assert found.players == ("Ann", "Cid")


def test_what_nothing_is_known_of_is_said() -> None:
    with pytest.raises(UsageError, match="did you mean Ben"):
        predict_pairing("Ann / Bem", "Cid", log(PLAYED))
    with pytest.raises(UsageError, match="different players"):
        predict_pairing("Ann / Ben", "Ben / Cid", log(PLAYED))
    with pytest.raises(UsageError, match="nothing is known of 'Eve'"):
        predict_pairing("Ann / Eve", "Ben", start={name: STARTS[name] for name in ("Ann", "Ben")})
    with pytest.raises(UsageError, match="no ground and no day"):
        predict_pairing("Ann / Ben", "Cid / Dot", log(PLAYED), neutral=True)


def test_the_rest_of_a_season_of_doubles_is_played_out_as_the_odds_say() -> None:
    done = simulate_logs([log(PLAYED + LEFT)], runs=40_000, seed=3, draws=0.0, settings={"k": 200})
    assert (done.played, done.remaining, done.log.problems) == (2, 2, [])
    # Two games of equal sides before, +-100 each; Ann 1700 - …: the second game is rated from what the first left.
    one = predict_pairing("Ann / Dot", "Ben / Cid", log(PLAYED), settings={"k": 200}, draws=0.0).odds.win
    two = predict_pairing("Dot / Cid", "Ann / Eve", log(PLAYED), start={"Eve": 1500.0}, settings={"k": 200}, draws=0.0)
    wanted = {"Ann": 2 + one + two.odds.loss, "Dot": one + two.odds.win, "Ben": 1 + 1 - one, "Eve": two.odds.loss}
    found = {player.name: player for player in done.players}
    for name, points in wanted.items():
        assert found[name].expected_points == pytest.approx(points, abs=0.02)
        assert sum(found[name].places) == pytest.approx(1)
    assert found["Ann"].points == 2


def test_with_update_a_game_is_drawn_and_rated_from_what_the_run_has_come_to() -> None:
    k = 200
    done = simulate_logs([log(PLAYED + LEFT)], runs=40_000, seed=3, draws=0.0, settings={"k": k}, update=True)
    rating = {"Ann": 1500.0, "Ben": 1500.0, "Cid": 1500.0, "Dot": 1500.0, "Eve": 1500.0}

    def play(now: dict[str, float], sides: list[list[str]], won: bool) -> tuple[float, dict[str, float]]:
        own, other = (sum(now[name] for name in side) / 2 for side in sides)
        likely = chance(own - other) if won else chance(other - own)
        moved = k * (1 - likely) * (1 if won else -1)
        return likely, now | {n: now[n] + moved for n in sides[0]} | {n: now[n] - moved for n in sides[1]}

    for sides in ([["Ann", "Ben"], ["Cid", "Dot"]], [["Ann", "Cid"], ["Ben", "Dot"]]):
        rating = play(rating, sides, True)[1]
    points = dict.fromkeys(rating, 0.0)
    after: list[tuple[float, float]] = []
    for first, second in itertools.product((True, False), repeat=2):
        one, now = play(rating, [["Ann", "Dot"], ["Ben", "Cid"]], first)
        two, now = play(now, [["Dot", "Cid"], ["Ann", "Eve"]], second)
        after.append((now["Ann"], one * two))
        for name in (*(["Ann", "Dot"] if first else ["Ben", "Cid"]), *(["Dot", "Cid"] if second else ["Ann", "Eve"])):
            points[name] += one * two
    found = {player.name: player for player in done.players}
    for name, wanted in points.items():
        assert found[name].expected_points - found[name].points == pytest.approx(wanted, abs=0.01)
    assert done.update
    assert found["Ann"].band is not None
    for value, part in zip(found["Ann"].band, (0.05, 0.5, 0.95), strict=True):
        below = [sum(p for rating, p in after if rating < value + d) for d in (-1e-6, 1e-6)]
        assert below[0] - 0.01 <= part <= below[1] + 0.01


@pytest.mark.parametrize(
    ("name", "sides", "size", "table"),
    [
        *(
            (name, *shape, "pairwise")
            for name in ("elo", "glicko", "glicko2", "trueskill", "weng-lin")
            for shape in SHAPES
        ),
        ("elo", 4, 1, "mean"),
        ("elo", 4, 1, "winner"),
    ],
)
def test_all_runs_at_once_are_rated_as_one_after_the_other(name: str, sides: int, size: int, table: str) -> None:
    random = np.random.default_rng(8)
    form, values = resolve_sides(system(name), {"table_rule": table} if name == "elo" else {})
    one, many = SidedRule(form, values, sides), RuleOfRuns(form, values, sides)
    places = random.integers(1, 4, (sides, 6)).astype("float64")
    seats = range(sides * size)
    states = [{key: value * random.uniform(0.9, 1.1, 6) for key, value in one.initial.items()} for _ in seats]

    def rows(pick: Callable[[Any], Any]) -> list[dict[str, Any]]:
        told = [{key: pick(value) for key, value in state.items()} for state in states]
        side = [{"side": i // size + 1, "place": pick(places[i // size]), "points": 0.0, "weight": 1.0} for i in seats]
        return [{**row, "states": state} for row, state in zip(side, told, strict=True)]

    together = many.rate(rows(lambda array: array))
    for run in range(6):
        alone = one.rate(rows(lambda array, run=run: float(array[run])))  # type: ignore[misc]
        for found, wanted in zip(together, alone, strict=True):
            for after in (f"{state}_after" for state in one.states):
                assert found.row[after][run] == pytest.approx(wanted.row[after], rel=1e-9)


def test_the_odds_do_not_hang_on_the_order_of_the_partners() -> None:
    for name in ("glicko", "glicko2"):
        found = [
            predict_pairing(side, "Cid / Dot", start=STARTS, system=name).odds.score
            for side in ("Ann / Ben", "Ben / Ann")
        ]
        assert found[0] == pytest.approx(found[1], abs=1e-12)


def test_margins_are_for_games_played_and_the_odds_need_none() -> None:
    settings = {"margin_rule": "eloratings"}
    odds = predict_pairing("Ann / Ben", "Cid / Dot", log(PLAYED), settings=settings, draws=0.0).odds
    done = simulate_logs([log(PLAYED + LEFT)], runs=500, settings=settings)
    assert odds.win > 0.5
    assert all(player.band is None for player in done.players)
    with pytest.raises(UsageError, match="by its result alone: say --no-update"):
        simulate_logs([log(PLAYED + LEFT)], runs=500, settings=settings, update=True)


def test_a_table_of_many_is_drawn_so_that_each_two_have_the_odds_of_the_rule() -> None:
    played = "game,player,place\n1,Ann,1\n1,Ben,2\n1,Cid,3\n"
    left = log("game,player,place\n2,Ann,\n2,Ben,\n2,Cid,\n", "left.csv")
    done = simulate_logs([log(played)], remaining=[left], runs=60_000, settings={"k": 300})
    ratings = {player.name: player.rating for player in done.players}
    # The mean over the others of the chance to be ahead of each.
    for player in done.players:
        others = [other for name, other in ratings.items() if name != player.name]
        wanted = sum(chance(player.rating - other) for other in others) / 2
        assert player.expected_points - player.points == pytest.approx(wanted, abs=0.01)


def test_the_order_of_a_table_is_that_of_plackett_and_luce() -> None:
    start = {"Ann": {"rating": 1700.0}, "Ben": {"rating": 1600.0}, "Cid": {"rating": 1400.0}}
    left = log("game,player,place\n2,Ann,\n2,Ben,\n2,Cid,\n")
    done = simulate_logs([left], runs=60_000, start=start)
    strengths = {name: 10 ** (state["rating"] / 400) for name, state in start.items()}
    places = {player.name: list(player.places) for player in done.players}
    wanted = {name: [0.0, 0.0, 0.0] for name in start}
    for order in itertools.permutations(start):
        likely = strengths[order[0]] / sum(strengths.values())
        likely *= strengths[order[1]] / (strengths[order[1]] + strengths[order[2]])
        for place, name in enumerate(order):
            wanted[name][place] += likely
    for name, chances in wanted.items():
        assert places[name] == pytest.approx(chances, abs=0.01)


def test_what_a_simulation_of_sides_has_no_use_for_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "log.csv"
    target.write_text(PLAYED + LEFT, encoding="utf-8")
    for option, said in (
        ("--round-robin", "with --remaining"),
        ("--published", "--published"),
    ):
        done = CliRunner().invoke(cli, ["simulate", str(target), option])
        assert done.exit_code != 0
        assert said in str(done.exception)


def test_the_commands_print_both(tmp_path: Path) -> None:
    target = tmp_path / "log.csv"
    target.write_text(PLAYED + LEFT, encoding="utf-8")
    told = json.loads(
        CliRunner().invoke(cli, ["predict", "Ann / Ben", "Cid / Dot", "--log", str(target), "--json"]).stdout
    )
    assert (told["players"], told["games"], told["kept"]) == (["Ann / Ben", "Cid / Dot"], 2, 2)
    assert told["win"] + told["draw"] + told["loss"] == pytest.approx(1)
    season = json.loads(CliRunner().invoke(cli, ["simulate", str(target), "--runs", "500", "--json"]).stdout)
    assert (season["games_played"], season["games_remaining"]) == (2, 2)
    assert {player["name"] for player in season["players"]} == {"Ann", "Ben", "Cid", "Dot", "Eve"}
