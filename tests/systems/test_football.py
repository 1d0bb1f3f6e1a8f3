"""World Football Elo, FIFA, and FiveThirtyEight's NFL, NBA and tennis ratings."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elo_sheets.conformance import cases_of
from elo_sheets.conformance.published import answers
from elo_sheets.formula import to_formula
from elo_sheets.games import make_games
from elo_sheets.replaying.cases import columns_of
from elo_sheets.replaying.replay import replay
from elo_sheets.systems import System, needs
from elo_sheets.systems import _parts as parts
from elo_sheets.systems import fifa as fifa_rules
from elo_sheets.systems import tennis as tennis_rules
from elo_sheets.systems import world_football as world_football_rules
from elo_sheets.systems.elo import ELO
from elo_sheets.systems.fifa import FIFA
from elo_sheets.systems.nba import NBA
from elo_sheets.systems.nfl import NFL
from elo_sheets.systems.tennis import TENNIS
from elo_sheets.systems.world_football import WORLD_FOOTBALL

DATA = Path(__file__).parents[1] / "data" / "nfl"

SYSTEMS = [WORLD_FOOTBALL, FIFA, NBA, NFL, TENNIS]
with_goals = pytest.mark.parametrize("rules", [WORLD_FOOTBALL, NBA, NFL], ids=lambda rules: rules.name)
every_system = pytest.mark.parametrize("rules", SYSTEMS, ids=lambda rules: rules.name)

Game = tuple[float, float, dict[str, float]]

ratings = st.floats(900, 2100)
goals = st.integers(0, 60)


def rated(rules: System, rating: float, opponent: float, **game: float) -> dict[str, Any]:
    """Every column of one game of the side that is rated, with the system's own settings."""
    usual = {"side": 1, "neutral": 0, "weight": 0, "knockout": 0, "shootout": 0, "seasons": 0, "period_games": 1}
    values: dict[str, Any] = {**rules.settings(), **usual, **game, "rating": rating, "opponent_rating": opponent}
    values |= {"games": 0, "opponent_start_rating": opponent}
    if "points" in values:
        lead = values["points"] - values["opponent_points"]
        values.setdefault("score", (1 + (lead > 0) - (lead < 0)) / 2)
    for line in rules.lines:
        if line.name == "rating_after":
            values["period_change"] = values["change"]
        values[line.name] = line.step(*(values[name] for name in line.reads))
    return values


# --- published answers --------------------------------------------------------------------------------------

FAMILY = ("world-football-elo", "fifa", "nba-538", "nfl-538", "tennis-538")
PUBLISHED = [answer for answer in answers().values() if answer["system"] in FAMILY]


@pytest.mark.parametrize("answer", PUBLISHED, ids=lambda answer: answer["id"])
def test_a_published_answer_comes_out(answer: Mapping[str, Any]) -> None:
    for case in cases_of(answer):
        columns = columns_of(case)
        values = dict(columns.given)
        for line in columns.lines:
            values[line.name] = line.step(*(values[name] for name in line.reads))
        for name, expected in columns.expected.items():
            assert values[name] == pytest.approx(expected, abs=columns.tolerance, rel=0), case


@every_system
def test_no_formula_is_longer_than_a_screen_line(rules: System) -> None:
    assert [line.name for line in rules.lines if len(to_formula(line.trace())) > 110] == []


# --- the NFL log of FiveThirtyEight -------------------------------------------------------------------------


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


RESTARTS = {row["team"]: row for row in rows_of(DATA / "restarts.csv")}


def name_in(team: str, season: str) -> str:
    """A team that was set anew goes on under another name."""
    restart = RESTARTS.get(team)
    return f"{team} {restart['season']}" if restart and season >= restart["season"] else team


def nfl_games(rows: Iterable[Mapping[str, str]]) -> pd.DataFrame:
    return make_games(
        {
            "date": row["date"],
            "white": name_in(row["team1"], row["season"]),
            "black": name_in(row["team2"], row["season"]),
            "score": float(row["result1"]),
            "white_points": float(row["score1"]),
            "black_points": float(row["score2"]),
            "neutral": row["neutral"] == "1",
            "season": row["season"],
            "source": "nfl_games.csv",
            "source_row": number,
        }
        for number, row in enumerate(rows, 2)
    )


def nfl_starts(games: pd.DataFrame) -> dict[str, dict[str, float]]:
    starts = {row["team"]: float(row["elo"]) for row in rows_of(DATA / "initial_elos.csv")}
    starts |= {name_in(team, row["season"]): float(row["elo"]) for team, row in RESTARTS.items()}
    playing = set(games["white"]) | set(games["black"])
    return {team: {"rating": elo} for team, elo in starts.items() if team in playing}


def check_nfl(rows: list[dict[str, str]], start: Callable[[pd.DataFrame], dict[str, dict[str, float]]]) -> None:
    games = nfl_games(rows)
    history = replay(games, NFL, start=start(games)).history
    home, away = history[history["colour"] == "white"], history[history["colour"] == "black"]
    published = pd.DataFrame(rows)[["elo1", "elo2", "elo_prob1"]].astype("float64")
    assert len(home) == len(rows)
    assert (home["start_rating"].to_numpy() - published["elo1"]).abs().max() < 0.001
    assert (away["start_rating"].to_numpy() - published["elo2"]).abs().max() < 0.001
    assert (home["expected"].to_numpy() - published["elo_prob1"]).abs().max() < 1e-5
    assert (away["expected"].to_numpy() - (1 - published["elo_prob1"])).abs().max() < 1e-5


def test_the_first_seasons_of_the_nfl_have_the_published_ratings_before_every_game() -> None:
    rows = rows_of(DATA / "games_1920_1925.csv")
    assert len(rows) == 502
    check_nfl(rows, nfl_starts)


def test_a_season_with_play_offs_and_neutral_ground_has_the_published_ratings_before_every_game() -> None:
    rows = rows_of(DATA / "games_1966.csv")
    assert [row["neutral"] for row in rows].count("1") == 1
    first: dict[str, dict[str, float]] = {}
    for row in rows:
        for side in "12":
            first.setdefault(name_in(row[f"team{side}"], "1966"), {"rating": float(row[f"elo{side}"])})
    check_nfl(rows, lambda games: first)


def test_all_games_of_the_nfl_have_the_published_ratings_before_every_game() -> None:
    folder = os.environ.get("ELO_SHEETS_DATA")
    if not folder:
        pytest.skip("documented check: set ELO_SHEETS_DATA")
    rows = rows_of(Path(folder) / "538" / "nfl_games.csv")
    assert len(rows) == 16810
    check_nfl(rows, nfl_starts)


@pytest.mark.parametrize("period", ["game", "column:season"])
def test_elo_with_the_settings_of_the_nfl_is_the_nfl(period: str) -> None:
    games = nfl_games(rows_of(DATA / "games_1920_1925.csv"))
    settings = {"initial": 1300, "advantage": 65, "margin": "nfl", "carry_over": 2 / 3, "carry_mean": 1505}
    mine = replay(games, ELO, {**settings, "period": period}).ratings
    theirs = replay(games, NFL, {"period": period}).ratings
    pd.testing.assert_frame_equal(mine, theirs, check_exact=False, rtol=0, atol=1e-9)


# --- margins ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("margin", "multiplier"), [(0, 1), (1, 1), (2, 1.5), (3, 1.75), (4, 1.875), (5, 2), (7, 2.25), (-1, 1), (-3, 1.75)]
)
def test_the_multiplier_of_world_football_is_the_published_one(margin: int, multiplier: float) -> None:
    assert parts.goal_multiplier(margin) == multiplier


@with_goals
@given(ratings, ratings, goals, goals, st.booleans())
def test_what_one_side_wins_the_other_loses(
    rules: System, own: float, other: float, points: int, against: int, neutral: bool
) -> None:
    mine = rated(rules, own, other, points=points, opponent_points=against, neutral=neutral)
    theirs = rated(rules, other, own, points=against, opponent_points=points, neutral=neutral, side=-1)
    assert mine["change"] == pytest.approx(-theirs["change"], abs=1e-9)
    assert mine["expected"] + theirs["expected"] == pytest.approx(1, abs=1e-12)


@with_goals
@given(ratings, ratings, goals)
def test_a_draw_on_neutral_ground_never_moves_the_favourite_up(
    rules: System, own: float, other: float, points: int
) -> None:
    favourite, outsider = max(own, other), min(own, other)
    assert rated(rules, favourite, outsider, points=points, opponent_points=points, neutral=1)["change"] <= 0


@with_goals
@given(ratings, ratings, st.integers(1, 60))
def test_a_win_never_lowers_a_rating(rules: System, own: float, other: float, points: int) -> None:
    assert rated(rules, own, other, points=points, opponent_points=0)["change"] >= 0


@with_goals
@given(ratings, ratings, st.integers(1, 59))
def test_a_higher_win_is_worth_no_less(rules: System, own: float, other: float, points: int) -> None:
    lower = rated(rules, own, other, points=points, opponent_points=0)["change"]
    assert rated(rules, own, other, points=points + 1, opponent_points=0)["change"] >= lower


@pytest.mark.parametrize("multiplier", [parts.nfl_multiplier, parts.nba_multiplier])
@pytest.mark.parametrize("edge", [-1250, -2200, -5000])
def test_an_upset_beyond_all_measure_still_counts_for_the_winner(multiplier: Callable[..., float], edge: float) -> None:
    assert multiplier(1, edge) > 0


@pytest.mark.parametrize("rules", [NBA, NFL], ids=lambda rules: rules.name)
def test_the_same_margin_is_worth_more_to_the_outsider(rules: System) -> None:
    outsider = rated(rules, 1300, 1600, points=20, opponent_points=10, neutral=1)
    favourite = rated(rules, 1600, 1300, points=20, opponent_points=10, neutral=1)
    assert outsider["multiplier"] > favourite["multiplier"]


# --- seasons ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seasons", "start"), [(0, 1600), (1, 1576.25), (2, 1576.25)])
def test_a_new_season_pulls_a_team_to_the_mean_once_however_long_the_pause(seasons: int, start: float) -> None:
    assert parts.start_rating(1600, seasons, 0.75, 1505) == start


def test_a_step_that_reads_no_rating_is_the_same_from_the_season_start() -> None:
    assert parts.from_start(parts.margin) is parts.margin
    assert needs(parts.from_start(parts.difference)) == ("start_rating", "opponent_start_rating")


# --- World Football Elo -------------------------------------------------------------------------------------


def test_neutral_ground_takes_the_advantage_away() -> None:
    assert [parts.advantage_used(100, side, neutral) for side in (1, -1) for neutral in (0, 1)] == [100, 0, -100, 0]


def test_the_weight_of_the_log_is_k_and_the_setting_stands_in_for_it() -> None:
    assert [world_football_rules.k_used(weight, 25) for weight in (0, 60, 20)] == [25, 60, 20]


@pytest.mark.parametrize(
    ("score", "shootout", "shootout_score", "result"),
    [
        (0.5, 1, 0.5, 0.5),
        (0.5, -1, 0.5, 0.5),
        (0.5, 1, 0.75, 0.75),
        (0.5, -1, 0.75, 0.25),
        (1, 0, 0.75, 1),
        (0, 0, 1, 0),
    ],
)
def test_a_shoot_out_is_a_draw_unless_the_setting_says_what_it_is_worth(
    score: float, shootout: float, shootout_score: float, result: float
) -> None:
    assert world_football_rules.result(score, shootout, shootout_score) == result


def test_changes_are_rounded_to_whole_points_unless_the_setting_says_otherwise() -> None:
    game = {"white": "A", "black": "B", "score": 1, "white_points": 3, "black_points": 1, "neutral": True}
    games = make_games([{**game, "source": "test", "source_row": 1}])
    start = {"A": {"rating": 630}, "B": {"rating": 500}}
    whole = replay(games, WORLD_FOOTBALL, start=start).ratings
    assert whole["rating"].tolist() == [640, 490]  # 9.63549 as published
    exact = replay(games, WORLD_FOOTBALL, {"rounding": "none"}, start=start).ratings
    assert exact["rating"].tolist() == pytest.approx([639.63549, 490.36451], abs=1e-5)


def test_elo_with_the_settings_of_world_football_is_world_football() -> None:
    rows = rows_of(DATA / "games_1966.csv")
    games = nfl_games(rows)
    mine = replay(games, ELO, {"advantage": 100, "margin": "eloratings"}).ratings
    pd.testing.assert_frame_equal(mine, replay(games, WORLD_FOOTBALL, {"rounding": "none"}).ratings, rtol=0, atol=1e-9)


# --- FIFA ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "shootout", "result"),
    [(1, 0, 1), (0.5, 0, 0.5), (0, 0, 0), (0.5, 1, 0.75), (0.5, -1, 0.5), (1, -1, 1), (0, 1, 0)],
)
def test_a_shoot_out_counts_three_quarters_and_a_half_after_a_draw_only(
    score: float, shootout: float, result: float
) -> None:
    assert fifa_rules.result(score, shootout) == result


@pytest.mark.parametrize(
    ("gain", "knockout", "change"), [(-3, 0, -3), (-3, 1, 0), (0, 1, 0), (3, 1, 3), (3, 0, 3), (-1e-9, 1, 0)]
)
def test_a_knockout_phase_takes_no_points_away(gain: float, knockout: float, change: float) -> None:
    assert fifa_rules.change(gain, knockout) == change


def test_fifa_takes_the_importance_from_the_log_or_the_setting() -> None:
    assert [fifa_rules.importance_used(weight, 10) for weight in (0, 5, 60)] == [10, 5, 60]


@pytest.mark.parametrize(
    ("system", "weights"), [(WORLD_FOOTBALL, [20, 30, 40, 50, 60]), (FIFA, [5, 10, 15, 25, 35, 40, 50, 60])]
)
def test_the_kinds_of_match_have_the_weights_of_the_source(system: System, weights: list[float]) -> None:
    assert system.weights is not None
    assert sorted(set(system.weights.kinds.values())) == weights


@given(ratings, ratings, st.sampled_from([0, 0.5, 1]))
def test_swapping_the_teams_swaps_the_points_outside_a_knockout_phase(own: float, other: float, score: float) -> None:
    mine, theirs = rated(FIFA, own, other, score=score), rated(FIFA, other, own, score=1 - score)
    assert mine["change"] == pytest.approx(-theirs["change"], abs=1e-9)


@given(ratings, ratings)
def test_there_is_no_home_advantage_in_the_ranking_of_fifa(own: float, other: float) -> None:
    at_home, away = rated(FIFA, own, other, score=1), rated(FIFA, own, other, score=1, side=-1)
    assert at_home["change"] == away["change"]


def test_a_log_with_a_knockout_and_a_shoot_out_is_rated_by_them() -> None:
    game = {"white": "A", "black": "B", "score": 0.5, "shootout": -1, "knockout": True, "weight": 60}
    games = make_games([{**game, "source": "test", "source_row": 1}])
    start = {"A": {"rating": 1500}, "B": {"rating": 1300}}
    found = replay(games, FIFA, start=start).ratings.set_index("player")["rating"]
    assert found["A"] == 1500
    assert found["B"] == pytest.approx(1300 + 60 * (0.75 - 0.317014), abs=1e-3)


# --- tennis -------------------------------------------------------------------------------------------------


def test_each_player_has_the_k_of_his_own_matches() -> None:
    games = make_games(
        {"white": white, "black": black, "score": 1, "source": "test", "source_row": row}
        for row, (white, black) in enumerate([("A", "B"), ("A", "C")], 1)
    )
    history = replay(games, TENNIS, start={"A": {"games": 311}}).history
    assert history["k_used"].round(2).tolist() == [25.01, 131.33, 24.98, 131.33]
    assert history["games"].tolist() == [311, 0, 312, 0]


@given(st.integers(0, 2000))
def test_k_falls_with_every_match(games: int) -> None:
    before, after = (tennis_rules.k_used(n, 250, 5, 0.4, 0, 1) for n in (games, games + 1))
    assert 0 < after < before


@pytest.mark.parametrize(("weight", "factor"), [(0, 1), (1, 1.1)])
def test_the_grand_slam_factor_counts_where_the_log_gives_a_weight(weight: float, factor: float) -> None:
    assert tennis_rules.k_used(0, 250, 5, 0.4, weight, 1.1) == pytest.approx(131.32639 * factor, abs=1e-4)


def test_elo_with_the_settings_of_tennis_is_tennis() -> None:
    games = nfl_games(rows_of(DATA / "games_1966.csv"))
    mine = replay(games, ELO, {"k": 250, "k_rule": "tennis"}).ratings
    pd.testing.assert_frame_equal(mine, replay(games, TENNIS).ratings, rtol=0, atol=1e-9)
