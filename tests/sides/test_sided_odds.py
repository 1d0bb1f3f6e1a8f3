"""Games of sides that are still to be played: the odds of one, and a season of them played out."""

from __future__ import annotations

import io
import itertools
import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner

from elo_sheets.cli import cli
from elo_sheets.errors import UsageError
from elo_sheets.uses.pairing import predict_pairing
from elo_sheets.uses.simulation import simulate_logs

PLAYED = "Date,Team A,Team B,Score\n2026-01-05,Ann / Ben,Cid / Dot,10-7\n2026-01-06,Ann / Cid,Ben / Dot,10-9\n"
LEFT = "2026-02-06,Ann / Dot,Ben / Cid,\n2026-02-07,Dot / Cid,Ann / Eve,\n"
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
    # Ann against the composite of 1500 and RD 150, the Glicko paper's forecast with both deviations (before the game
    # the volatility of 0.06 widens hers).
    rd = math.hypot(50, 0.06 * 173.7178)
    q = math.log(10) / 400
    other = math.hypot(150, 0.06 * 173.7178)
    near = 1 / (1 + 10 ** (-200 / math.sqrt(1 + 3 * q * q * (rd**2 + other**2) / math.pi**2) / 400))
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
        ("--update", "--no-update"),
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
