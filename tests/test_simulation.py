"""The rest of a season, played out: against exact odds, against the replay, and as the command."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from elo_sheets.cli import cli
from elo_sheets.errors import EloSheetsError, UnreadableInput, UsageError
from elo_sheets.games import make_games
from elo_sheets.odds.forecast import labelle_odds, odds_with_draws
from elo_sheets.odds.match import match_odds
from elo_sheets.readers.fixtures import read_fixtures
from elo_sheets.replaying.replay import replay
from elo_sheets.replaying.starting import Starts
from elo_sheets.systems import JointSystem, System, system
from elo_sheets.testing import sample_log
from elo_sheets.uses import season_runs as _season
from elo_sheets.uses.chances import place_chances
from elo_sheets.uses.prediction import predict
from elo_sheets.uses.simulation import round_robin, scheduled, simulate

SAMPLES = Path(__file__).parents[1] / "samples"
RUNS = 20_000


def games(*rows: tuple[str, str, float], **columns: Any) -> pd.DataFrame:
    """Games one after the other."""
    return make_games(
        {"white": w, "black": b, "score": score, "source": "made", "source_row": row, **columns}
        for row, (w, b, score) in enumerate(rows, 1)
    )


NONE = games()


def error(chance: float) -> float:
    """Four standard errors of a share of the runs."""
    return 4 * math.sqrt(chance * (1 - chance) / RUNS)


# --- against exact odds


def rated(a: float, b: float, count: int) -> pd.DataFrame:
    return games(*[("Ann", "Bob", 0.5)] * count, white_rating=a, black_rating=b)


@pytest.mark.parametrize("count", [1, 2, 7, 12])
@pytest.mark.parametrize("share", [0.0, 0.3])
def test_a_match_ends_as_often_as_its_exact_odds_say(count: int, share: float) -> None:
    found = simulate(NONE, rated(1600, 1500, count), system("elo"), runs=RUNS, draws=share).players[0]
    exact = match_odds(odds_with_draws(1 / (1 + 10 ** (-100 / 400)), share), count)
    assert found.name == "Ann"
    assert found.places[0] == pytest.approx(exact.score, abs=error(exact.score))


def test_labelles_draws_come_as_often_as_his_model_says() -> None:
    exact = labelle_odds(2500, 2400, first_move_pawns=0)
    found = simulate(
        NONE, rated(2500, 2400, 1), system("elo"), {"curve": "normal"}, runs=RUNS, draws="labelle", points=(1, 0, 0)
    )
    points = {one.name: one.expected_points for one in found.players}
    assert points["Ann"] == pytest.approx(exact.win, abs=error(exact.win))
    assert points["Bob"] == pytest.approx(exact.loss, abs=error(exact.loss))


def test_places_of_a_round_robin_are_those_of_every_course_it_can_take() -> None:
    names, ratings = ["Ann", "Bob", "Cid"], {"Ann": 1700.0, "Bob": 1600.0, "Cid": 1500.0}
    pairs = [pair for pairs in round_robin(names) for pair in pairs]
    odds = {pair: odds_with_draws(1 / (1 + 10 ** ((ratings[pair[1]] - ratings[pair[0]]) / 400)), 0.2) for pair in pairs}
    exact = dict.fromkeys(itertools.product(names, range(3)), 0.0)
    for course in itertools.product((0, 1, 2), repeat=3):
        chance = math.prod(odds[pair][result] for pair, result in zip(pairs, course, strict=True))
        points: Counter[str] = Counter()
        for (white, black), result in zip(pairs, course, strict=True):
            points[white] += 2 - result
            points[black] += result
        for name in names:
            above = sum(points[other] > points[name] for other in names)
            ties = sum(points[other] == points[name] for other in names)
            for place in range(above, above + ties):
                exact[name, place] += chance / ties
    fixtures = games(*[(white, black, 0.5) for white, black in pairs]).assign(
        white_rating=[ratings[white] for white, _ in pairs], black_rating=[ratings[black] for _, black in pairs]
    )
    found = simulate(NONE, fixtures, system("elo"), runs=RUNS, draws=0.2)
    for one in found.players:
        for place in range(3):
            chance = exact[one.name, place]
            assert one.places[place] == pytest.approx(chance, abs=error(chance)), (one.name, place)


def test_places_and_points_add_up() -> None:
    played = sample_log(3)
    found = simulate(played, scheduled([f"Player {i}" for i in range(1, 9)], double=True), system("elo"), runs=500)
    places = np.array([one.places for one in found.players])
    assert places.sum(axis=0) == pytest.approx(1)
    assert places.sum(axis=1) == pytest.approx(1)
    assert sum(one.expected_points for one in found.players) == pytest.approx(len(played) + 56)


def test_points_that_floats_tell_apart_are_a_tie() -> None:
    assert place_chances(np.array([[0.1 + 0.2], [0.3], [0.0]])).tolist() == [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]]


# --- against the replay

RULES = [
    ("elo", {}),
    ("elo", {"k_rule": "tennis", "advantage": 60, "floor": 1400}),
    ("elo", {"period": "month"}),
    ("fide", {}),
    ("fide", {"period": "game"}),
    ("ecf", {}),
    ("ecf-grade", {"period": "month"}),
    ("dwz", {}),
    ("ingo", {}),
    ("egf", {"period": "month"}),
    ("glicko", {}),
    ("glicko2", {}),
    ("glicko2", {"period": "game"}),
    ("lichess", {}),
    ("trueskill", {}),
]


def halves(months: int = 4) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A season up to a month's end, and the rest of it."""
    log = sample_log(7).drop(columns=["white_points", "black_points"])
    first = log["date"].dt.month <= months
    log["event"] = log["date"].dt.month.astype(str)
    return log[first].reset_index(drop=True), log[~first].reset_index(drop=True)


@pytest.mark.parametrize(("name", "settings"), RULES)
@pytest.mark.parametrize("update", [False, True])
def test_the_ratings_of_every_run_are_those_of_a_replay(
    name: str, settings: dict[str, Any], update: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = system(name)
    assert isinstance(rules, System)
    played, left = halves()
    values = rules.settings(settings)
    season = _season.prepare(played, left, rules, values, Starts(), False, True)
    drawn: dict[int, Any] = {}
    rate = _season.Table.rate

    def recorded(self: Any, period: Any, opened: Any, scores: Any) -> None:
        drawn.update(scores)
        rate(self, period, opened, scores)

    monkeypatch.setattr(_season.Table, "rate", recorded)
    _, ratings = _season.play(season, 3, 5, lambda *_: 0.2, (1, 0.5, 0), update, None)
    assert ratings is not None
    for run in range(3):
        results = left.assign(score=[float(drawn[game][run]) for game in range(len(left))])
        whole = pd.concat([played, results], ignore_index=True).assign(game=range(1, len(played) + len(left) + 1))
        table = replay(whole, rules, values).ratings.set_index("player")["rating"]
        expected = table[list(season.names)].to_numpy("float64")
        assert [np.broadcast_to(rating, 3)[run] for rating in ratings] == pytest.approx(list(expected), rel=1e-9), (
            name,
            run,
        )


@pytest.mark.parametrize(("name", "settings"), [*RULES, ("uschess", {}), ("nfl", {}), ("world-football", {})])
def test_a_game_to_come_is_expected_as_a_prediction_says(name: str, settings: dict[str, Any]) -> None:
    rules = system(name)
    assert isinstance(rules, System | JointSystem)
    values = rules.settings(settings)
    played, left = halves()
    if name in {"nfl", "world-football"}:
        played, left = (
            part.assign(white_points=part["score"] * 2, black_points=2 - part["score"] * 2) for part in (played, left)
        )
    left = left.head(1)
    season = _season.prepare(played, left, rules, values, Starts(), False, True)
    whole = pd.concat([played, left], ignore_index=True).assign(game=range(1, len(played) + 2))
    assert next(iter(_season.expected_now(season))) == pytest.approx(predict(whole, rules, values)[-1], rel=1e-12)


def test_every_system_of_steps_can_be_simulated_or_says_why_not() -> None:
    played, left = halves()
    for name in ("trueskill", "aga", "uschess", "tennis"):
        settings = {"initial": -5.0} if name == "aga" else {}
        found = simulate(played, left, system(name), settings, runs=10)
        assert len(found.players) == 8
        assert all((one.band is None) == isinstance(system(name), JointSystem) for one in found.players)


# --- what it is asked


def test_one_seed_gives_one_result_and_another_seed_another() -> None:
    played, left = halves()
    first, again, other = (simulate(played, left, system("elo"), runs=200, seed=seed).players for seed in (4, 4, 5))
    assert first == again
    assert first != other


def test_ratings_that_follow_the_results_spread_the_points() -> None:
    left = rated(1500, 1500, 60)
    chances = [
        simulate(NONE, left, system("elo"), {"k": 60}, runs=2000, update=update, draws=0).players[0].band
        for update in (False, True)
    ]
    assert chances[0] is not None
    assert chances[1] is not None
    # Who has won is the favourite of the next game: the ratings wander off instead of being called back.
    assert chances[1][2] - chances[1][0] > chances[0][2] - chances[0][0]


def test_points_so_far_count_and_the_games_of_other_seasons_do_not() -> None:
    played = pd.concat(
        [games(("Ann", "Bob", 1), season="2024"), games(("Ann", "Bob", 1), season="2025")], ignore_index=True
    ).assign(game=[1, 2])
    found = simulate(played, games(("Bob", "Ann", 0.5)), system("elo"), points=(3, 1, 0), runs=10)
    assert {one.name: one.points for one in found.players} == {"Ann": 6, "Bob": 0}
    counted = np.array([False, True])
    found = simulate(played, games(("Bob", "Ann", 0.5)), system("elo"), points=(3, 1, 0), runs=10, counted=counted)
    assert {one.name: one.points for one in found.players} == {"Ann": 3, "Bob": 0}


def test_published_ratings_are_where_it_begins_if_asked() -> None:
    played = games(("Ann", "Bob", 1), white_rating=2000.0, black_rating=1900.0)
    left = games(("Bob", "Ann", 0.5))
    ratings = {one.name: one.rating for one in simulate(played, left, system("elo"), runs=10, published=True).players}
    assert ratings == {"Ann": 2000, "Bob": 1900}
    ratings = {one.name: one.rating for one in simulate(played, left, system("elo"), runs=10).players}
    assert ratings == {"Ann": 1510, "Bob": 1490}


def test_the_share_of_draws_is_that_of_the_log_unless_given() -> None:
    played = games(("Ann", "Bob", 1), ("Ann", "Bob", 0.5), ("Ann", "Bob", 0.5), ("Ann", "Bob", 0))
    assert simulate(played, games(("Ann", "Bob", 0.5)), system("elo"), runs=10).draws == 0.5


@pytest.mark.parametrize("count", range(2, 9))
@pytest.mark.parametrize("double", [False, True])
def test_a_round_robin_pairs_everybody_once_a_round_and_balances_colours(count: int, double: bool) -> None:
    names = [f"Player {i}" for i in range(count)]
    rounds = round_robin(names, double)
    met = Counter(frozenset(pair) for pairs in rounds for pair in pairs)
    assert set(met.values()) == {1 + double}
    assert len(met) == count * (count - 1) // 2
    assert all(len({name for pair in pairs for name in pair}) == 2 * len(pairs) for pairs in rounds)
    white = Counter(pair[0] for pairs in rounds for pair in pairs)
    black = Counter(pair[1] for pairs in rounds for pair in pairs)
    assert all(abs(white[name] - black[name]) <= (0 if double else 1) for name in names)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"runs": 0}, "expected at least one run, got 0"),
        ({"seed": -1}, "expected a seed of 0 or more, got -1"),
        ({"draws": "some"}, "expected draws to be log, labelle, none, or their share from 0 to 1, got 'some'"),
        ({"points": (0, 1, 2)}, "expected no fewer points for a win than for a draw"),
    ],
)
def test_what_cannot_be_simulated_is_refused(how: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        simulate(NONE, rated(1, 2, 1), system("elo"), **how)


def test_a_season_without_games_to_come_is_refused() -> None:
    with pytest.raises(UnreadableInput, match="no game is left to play"):
        simulate(games(("Ann", "Bob", 1)), NONE, system("elo"))


def test_a_fit_of_the_whole_log_cannot_forecast() -> None:
    with pytest.raises(UsageError, match="system whr fits the whole log at once"):
        simulate(games(("Ann", "Bob", 1)), rated(1, 2, 1), system("whr"))


def test_a_system_that_rates_by_points_cannot_go_on_with_the_ratings_of_a_run() -> None:
    played = games(("Ann", "Bob", 1), white_points=3.0, black_points=1.0)
    left = games(("Bob", "Ann", 0.5))
    with pytest.raises(UsageError, match="system nfl cannot rate a game by its result alone: say --no-update"):
        simulate(played, left, system("nfl"), update=True)
    assert simulate(played, left, system("nfl"), runs=10).players[0].band is None


def season(teams: int) -> pd.DataFrame:
    return scheduled([f"Team {i}" for i in range(1, teams + 1)], double=True)


# --- games without a result

LOG = """\
date,home,away,result,home goals,away goals
2026-01-05,Ann,Bob,H,2,1
2026-01-06,Cid,Ann,D,0,0
2026-02-05,Bob,Ann,,,
2026-02-06,ann,Cid,postponed,,
2026-02-07,Cid,Cid,,,
2026-02-08,Cid
"""


def pairs(text: str | bytes, **how: Any) -> list[list[str]]:
    data = text.encode() if isinstance(text, str) else text
    found = read_fixtures([io.BytesIO(data)], **how)
    return found.games[["white", "black"]].to_numpy().tolist()  # type: ignore[no-any-return]


def test_rows_without_a_result_are_games_to_come() -> None:
    assert pairs(LOG) == [["Bob", "Ann"], ["ann", "Cid"]]


def test_a_row_that_cannot_be_a_game_to_come_is_a_problem() -> None:
    assert [p.row for p in read_fixtures([io.BytesIO(LOG.encode())]).problems] == [6]


def test_fixtures_need_no_column_of_results() -> None:
    assert pairs("Round;Heim;Gast\n1;Ann;Bob\n2;Bob;Ann\n") == [["Ann", "Bob"], ["Bob", "Ann"]]


def test_fixtures_take_a_mapping_and_may_be_compressed() -> None:
    data = gzip.compress(b"x,y,z\nAnn,1,Bob\n")
    assert pairs(data, columns={"white": "x", "black": "z"}) == [["Ann", "Bob"]]


def test_a_journal_of_one_player_holds_no_games_of_all() -> None:
    with pytest.raises(UnreadableInput, match=r"opponents only in column 'Opponent'.*the games of all who play"):
        read_fixtures([io.BytesIO(b"Date,Opponent,Result\n2026-05-01,Bob,W\n2026-05-02,Cid,\n")])
    found = read_fixtures([io.BytesIO(b"Player,Opponent,Result\nAnn,Bob,W\nAnn,Cid,\n")])
    assert found.games[["white", "black"]].to_numpy().tolist() == [["Ann", "Cid"]]


def test_fixtures_without_two_sides_are_refused() -> None:
    with pytest.raises(UnreadableInput, match="expected columns for the two sides, got the headers 'x', 'y'"):
        pairs("x,y\n1,2\n")


def test_a_log_of_winners_and_losers_has_no_games_to_come() -> None:
    assert pairs("winner,loser\nAnn,Bob\n") == []


def test_open_games_of_a_pgn_file_are_games_to_come() -> None:
    text = (SAMPLES / "uzchesscup.pgn").read_bytes()
    decided = text.count(b'[Result "1-0"]')
    assert decided > 0
    assert pairs(text) == []
    assert len(pairs(text.replace(b'[Result "1-0"]', b'[Result "*"]'))) == decided


def test_pairings_of_a_tournament_report_without_a_result_are_games_to_come() -> None:
    path = Path(__file__).parent / "data" / "trf" / "javafo_example.trf"
    lines = path.read_bytes().decode().splitlines()
    assert pairs("\n".join(lines)) == []
    rounds = [
        f"{line[:91]}{line[91:96]} {line[97:98]}  " if line.startswith("001") and line[95:96] == " " else line
        for line in lines
    ]
    opened = ["".join(line) for line in rounds]
    found = pairs("\n".join(opened))
    first = [line for line in lines if line.startswith("001") and line[97] in "wb" and line[99] in "10="]
    assert len(found) == len(first) // 2


# --- the command


def run(*arguments: str, code: int = 0, **how: Any) -> Any:
    done = CliRunner().invoke(cli, ["simulate", *arguments], **how)
    if code == 0 and done.exception is not None:
        raise done.exception
    return done


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("log.csv").write_text(LOG, "utf-8")
    return "log.csv"


def test_the_command_prints_a_table(log: str) -> None:
    done = run(log, "--runs", "4000", "--draws", "none")
    assert done.stdout.splitlines()[:3] == [
        "2 games to come, 2 of 2 played count; 4000 runs, system elo, draws 0.0%",
        "",
        "player  points  expected     1.     2.     3.  rating        after (5 %–95 %)",
    ]
    assert done.stderr == (
        "left out: log.csv, row 6, away 'Cid': a game against oneself: the other side is 'Cid' too\n"
        "left out: log.csv, row 7: fewer fields than the header: 2 instead of 6\n"
    )


def test_the_command_prints_json_with_the_places_of_every_player(log: str) -> None:
    found = json.loads(run(log, "--json", "--runs", "100", "--seed", "3").stdout)
    assert found["schema"] == 1
    assert (found["runs"], found["seed"], found["games_remaining"], found["update"]) == (100, 3, 2, False)
    assert sorted(one["name"] for one in found["players"]) == ["Ann", "Bob", "Cid"]
    for one in found["players"]:
        assert len(one["places"]) == 3
        assert sum(one["places"]) == pytest.approx(1)
        assert one["rating_after"]["low"] <= one["rating_after"]["median"] <= one["rating_after"]["high"]


def test_the_command_gives_the_same_for_one_seed(log: str) -> None:
    assert run(log, "--json").stdout == run(log, "--json").stdout


def test_a_file_of_fixtures_takes_the_place_of_the_logs_open_rows(log: str) -> None:
    Path("left.csv").write_text("home,away\nann,Dot\n", "utf-8")
    found = json.loads(run(log, "--remaining", "left.csv", "--json", "--runs", "50", "--points", "3,1,0").stdout)
    assert found["games_remaining"] == 1
    assert {one["name"]: one["points"] for one in found["players"]} == {"Ann": 4, "Bob": 0, "Cid": 1, "Dot": 0}


def test_a_schedule_begins_at_no_points(log: str) -> None:
    found = json.loads(run(log, "--double-round-robin", "--json", "--runs", "50").stdout)
    assert (found["games_remaining"], found["games_counted"], found["games_played"]) == (6, 0, 2)
    assert {one["points"] for one in found["players"]} == {0}


def test_a_schedule_of_some_players(log: str) -> None:
    arguments = ["--round-robin", "--player", "ann", "--player", "Cid", "--json", "--runs", "50"]
    found = json.loads(run(log, *arguments).stdout)
    assert sorted(one["name"] for one in found["players"]) == ["Ann", "Cid"]


def test_points_count_from_a_day_on(log: str) -> None:
    found = json.loads(run(log, "--since", "2026-01-06", "--json", "--runs", "50").stdout)
    assert {one["name"]: one["points"] for one in found["players"]} == {"Ann": 0.5, "Bob": 0, "Cid": 0.5}


def test_a_list_of_pairings_with_ratings_is_an_event(tmp_path: Path) -> None:
    (tmp_path / "event.csv").write_text("white,black,white elo,black elo\nAnn,Bob,2400,2000\n", "utf-8")
    found = json.loads(run(str(tmp_path / "event.csv"), "--json", "--runs", str(RUNS)).stdout)
    assert {one["name"]: one["rating"] for one in found["players"]} == {"Ann": 2400, "Bob": 2000}
    assert found["players"][0]["expected_points"] == pytest.approx(10 / 11, abs=error(10 / 11))


def test_the_log_may_come_from_the_standard_input(log: str) -> None:
    by_pipe = json.loads(run("-", "--json", input=LOG).stdout)
    by_name = json.loads(run(log, "--json").stdout)
    assert by_pipe["players"] == by_name["players"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--round-robin", "--remaining", "log.csv"], "the remaining games are those of a file or of a schedule"),
        (["--player", "Ann"], "players are named for a schedule"),
        (["--round-robin", "--player", "Anne"], "no game of 'Anne' in the log; did you mean Ann?"),
        (["--round-robin", "--player", "Ann"], "expected at least two players for a round robin, got 1"),
        (["--since", "May"], "expected a day such as 2025-10-01 to count points from, got 'May'"),
        (["--system", "elos"], "did you mean elo?"),
        (
            ["--update", "--system", "uschess", "--set", "period=game"],
            "system uschess cannot rate a game by its result alone",
        ),
    ],
)
def test_what_contradicts_itself_is_refused_in_words(log: str, arguments: list[str], words: str) -> None:
    done = run(log, *arguments, code=2)
    assert isinstance(done.exception, EloSheetsError)
    assert done.exception.exit_code == 2
    assert words in str(done.exception)


def test_points_that_cannot_be_read_are_refused_in_words(log: str) -> None:
    done = run(log, "--points", "3;1;0", code=2)
    assert "expected points for a win, a draw and a loss, such as 3,1,0, got '3;1;0'" in " ".join(done.stderr.split())
