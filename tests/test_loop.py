"""The loop: compiled and plain it gives the same float64 numbers, in pieces and in any order of periods too."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pandas as pd
import pytest

from elo_sheets.errors import FormulaError, UnreadableInput, UsageError
from elo_sheets.expr import Call, Logical, Ref, Text, equal
from elo_sheets.games import make_games
from elo_sheets.ops import both, either, minimum, normal_pdf, round_half_away, sqrt, where
from elo_sheets.ops import log as log_of
from elo_sheets.replaying import replay as replaying
from elo_sheets.replaying.periods import event_codes, period_keys
from elo_sheets.replaying.replay import GameArrays, replay, replay_arrays, worth_compiling
from elo_sheets.replaying.source import fold, python, support
from elo_sheets.systems import SYSTEMS, System, called, system
from elo_sheets.testing import sample_log

STEPS = {name: rules for name, rules in SYSTEMS.items() if isinstance(rules, System)}
slow = pytest.mark.slow
every_period = pytest.mark.parametrize(
    "period", [pytest.param("game", marks=slow), "month", pytest.param("event", marks=slow)]
)


# What differs in kind: one state and several, a search, goals, a curve of its own.
KINDS = ("elo", "fide", "glicko2", "world-football", "egf")
# A loop by months is that of any period of several games; what is rated game by game is another one.
LOOPS = [*((name, "month") for name in STEPS), *((name, period) for name in KINDS for period in ("game", "event"))]


@slow
@pytest.mark.parametrize(("name", "period"), LOOPS)
def test_compiled_and_plain_give_the_same_numbers(name: str, period: str) -> None:
    games = sample_log(5, games=80)
    plain, fast = (replay(games, STEPS[name], {"period": period}, compiled=how) for how in (False, True))
    pd.testing.assert_frame_equal(plain.history, fast.history, check_exact=True)
    pd.testing.assert_frame_equal(plain.ratings, fast.ratings, check_exact=True)


# Compiled and plain are one by the test above, so that of the loops without a history those are compiled that differ in
# kind.
BARE = [(name, False) for name in STEPS] + [pytest.param(name, True, marks=slow) for name in KINDS]


@every_period
@pytest.mark.parametrize(("name", "compiled"), BARE)
def test_ratings_without_a_history_are_those_with_one(name: str, period: str, compiled: bool) -> None:
    games = sample_log(6, games=80)
    full = replay(games, STEPS[name], {"period": period}, compiled=compiled)
    bare = replay(games, STEPS[name], {"period": period}, compiled=compiled, history=False)
    pd.testing.assert_frame_equal(full.ratings, bare.ratings, check_exact=True)
    assert bare.history.empty
    assert list(bare.history) == list(full.history)


@every_period
@pytest.mark.parametrize("name", ["elo", "fide", "glicko2"])
def test_games_that_pass_in_pieces_are_rated_as_one(name: str, period: str, monkeypatch: pytest.MonkeyPatch) -> None:
    games = sample_log(7, games=120)
    whole = replay(games, STEPS[name], {"period": period})
    monkeypatch.setattr(replaying, "_CHUNK", 7)
    pieces = replay(games, STEPS[name], {"period": period})
    pd.testing.assert_frame_equal(whole.history, pieces.history, check_exact=True)
    pd.testing.assert_frame_equal(whole.ratings, pieces.ratings, check_exact=True)


@pytest.mark.parametrize("name", ["elo", "fide", "glicko2"])
def test_one_long_period_is_not_cut_into_pieces(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    games = sample_log(7, games=120).assign(event="One")
    whole = replay(games, STEPS[name], {"period": "event"})
    monkeypatch.setattr(replaying, "_CHUNK", 7)
    pieces = replay(games, STEPS[name], {"period": "event"})
    pd.testing.assert_frame_equal(whole.ratings, pieces.ratings, check_exact=True)


@pytest.mark.parametrize("name", ["elo", "fide", "glicko2"])
def test_events_that_overlap_are_rated_in_the_order_in_which_they_end(name: str) -> None:
    games = sample_log(8, games=60)
    games["event"] = np.where(np.arange(60) % 3 == 0, "Long", np.where(np.arange(60) < 30, "Early", "Late"))
    history = replay(games, STEPS[name], {"period": "event"}).history
    assert history["game"].tolist() == [g for game in range(1, 61) for g in (game, game)]
    for player in ("Player 1", "Player 2"):
        mine = history[history["player"] == player]
        event = mine["game"].map(dict(zip(games["game"], games["event"], strict=True)))
        assert mine.groupby(event.to_numpy())["rating"].nunique().max() == 1
        ends = {name: mine[event.to_numpy() == name].iloc[-1] for name in ("Early", "Long", "Late")}
        assert ends["Early"]["rating_after"] == ends["Long"]["rating"]
        assert ends["Long"]["rating_after"] == ends["Late"]["rating"]


@slow
def test_a_million_games_need_no_more_than_their_arrays() -> None:
    rng = np.random.default_rng(1)
    white = rng.integers(0, 1000, 1_000_000)
    games = GameArrays(white, (white + rng.integers(1, 1000, len(white))) % 1000, rng.random(len(white)).round(), 1000)
    states, columns = replay_arrays(games, STEPS["elo"])
    assert columns == {}
    assert states["rating"].sum() == pytest.approx(1_500_000)


def test_an_overflow_is_an_error_in_both_ways() -> None:
    games = sample_log(1, games=10)
    for compiled in (False, True):
        with pytest.raises(UsageError, match="too far apart"):
            replay(games, STEPS["elo"], {"scale": 1e-6, "k": 1000}, compiled=compiled)


def log(*games: dict[str, Any]) -> pd.DataFrame:
    both = (
        {"white": "Ann", "black": "Bob", "score": 1, "source": "club.csv", "source_row": i} | game
        for i, game in enumerate(games, 2)
    )
    return make_games(both)


@called("expected")
def root_expected(rating: Any, opponent_rating: Any) -> Any:
    return minimum(1, sqrt(rating - opponent_rating - 1))


@called("expected")
def log_expected(rating: Any, opponent_rating: Any) -> Any:
    return minimum(1, log_of(rating - opponent_rating))


@called("expected")
def power_expected(rating: Any, opponent_rating: Any) -> Any:
    return minimum(1, (rating - opponent_rating - 1) ** 0.5)


@pytest.mark.parametrize("step", [root_expected, log_expected, power_expected])
@pytest.mark.parametrize("compiled", [False, True])
def test_what_no_number_comes_of_is_an_error_in_both_ways(step: Any, compiled: bool) -> None:
    shaped = STEPS["elo"].shaped(STEPS["elo"].settings())
    game = tuple(step if s.__name__ == "expected" else s for s in shaped.game)
    rules = dataclasses.replace(shaped, game=game, opposite={})
    with pytest.raises(UsageError, match="system elo cannot go on"):
        replay(sample_log(1, games=4), rules, compiled=compiled)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"black": np.array([1, 3])}, "expected the players of black to be numbers from 0 to 2"),
        ({"white": np.array([0])}, "expected 2 elements of white"),
        ({"period": np.array([-1, 0])}, "expected periods of 0 or more"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change: dict[str, Any], message: str) -> None:
    arrays = {"white": np.array([0, 0]), "black": np.array([1, 2]), "score": np.array([1.0, 0.5])}
    with pytest.raises(UsageError, match=message):
        replay_arrays(GameArrays(**{**arrays, "players": 3, **change}), STEPS["elo"])
    with pytest.raises(UsageError, match="no history column 'expcted'"):
        replay_arrays(GameArrays(**arrays, players=3), STEPS["elo"], columns=["expcted"])


# --- what has passed since the last game ----------------------------------------------------------------------


def test_an_undated_game_does_not_erase_the_last_day() -> None:
    games = log({"date": "2024-01-01"}, {"date": None}, {"date": "2025-01-01"})
    history = replay(games, STEPS["lichess"]).history
    assert history["days"].tolist()[::2] == [0, 0, 366]


def test_a_game_without_a_season_does_not_erase_the_last_one() -> None:
    games = log({"season": "S1"}, {}, {"season": "S2"}, {"season": "S3"})
    history = replay(games, STEPS["elo"], {"carry_over": 0.5}).history
    assert history["seasons"].tolist()[::2] == [0, 0, 1, 1]


def test_without_a_column_a_season_begins_after_a_long_break() -> None:
    games = log({"date": "2023-12-30"}, {"date": "2024-01-02"}, {"date": "2024-10-20"})
    history = replay(games, STEPS["elo"], {"carry_over": 0.5}).history
    assert history["seasons"].tolist()[::2] == [0, 0, 1]


# --- periods --------------------------------------------------------------------------------------------------


def test_a_column_of_the_log_is_a_period_by_its_rank() -> None:
    games = log(*({"column:week": week} for week in ("3", "3", "10", "12")))
    assert period_keys(games, "column:week").tolist() == [0, 0, 1, 2]
    games = log(*({"column:week": week} for week in ("b", "a", "b")))
    assert period_keys(games, "column:week").tolist() == [0, 1, 0]


def test_a_column_of_the_games_table_may_be_the_period() -> None:
    games = log({"round": "1"}, {"round": "2"}, {"round": "2"})
    assert period_keys(games, "column:round").tolist() == [0, 1, 1]


def test_a_name_that_comes_back_after_months_is_another_event() -> None:
    games = log(
        {"event": "Championship", "date": "2024-01-06"},
        {"event": "Championship", "date": "2024-02-03"},
        {"event": "Championship", "date": "2025-01-11"},
    )
    assert event_codes(games).tolist() == [0, 0, 1]


def test_an_undated_game_does_not_join_two_events() -> None:
    dates = ("2024-01-01", None, "2025-01-01")
    games = log(*({"event": "Club", "date": date} for date in dates))
    assert event_codes(games).tolist() == [0, 0, 1]


def test_weeks_that_come_back_are_told_apart_by_the_season_or_refused() -> None:
    days = ("2023-01-07", "2023-01-14", "2024-01-06", "2024-01-13")
    weeks = [{"date": day, "column:week": str(i % 2 + 1)} for i, day in enumerate(days)]
    assert period_keys(log(*({**w, "season": w["date"][:4]} for w in weeks)), "column:week").tolist() == [0, 1, 2, 3]
    with pytest.raises(UnreadableInput, match=r"week '1' comes back after more than 180 days: .*--map season="):
        period_keys(log(*weeks), "column:week")


def test_a_period_that_takes_a_year_does_not_come_back() -> None:
    days = ("2023-01-07", "2023-04-01", "2023-08-05", "2023-12-02")
    assert period_keys(log(*({"date": day, "column:cup": "1"} for day in days)), "column:cup").tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("period", "message"),
    [
        ("event", r"a period by event needs the event of every game; club\.csv, row 3 has none"),
        ("column:week", r"a period by week needs a value in every game; club\.csv, row 3 has none"),
        ("year", r"a yearly period needs the date of every game; club\.csv, row 3 has none"),
    ],
)
def test_a_game_without_its_period_is_named(period: str, message: str) -> None:
    games = log({"event": "A", "column:week": "1", "date": "2026-01-01"}, {})
    with pytest.raises(UnreadableInput, match=message):
        period_keys(games, period)


def test_a_period_that_the_log_does_not_have_is_refused() -> None:
    with pytest.raises(UsageError, match="the log has no column 'week'"):
        period_keys(log({}), "column:week")


def test_a_step_that_needs_goals_says_so() -> None:
    with pytest.raises(UsageError, match="system nfl needs the goals or points of both sides"):
        replay(log({}), system("nfl"))


# --- source ---------------------------------------------------------------------------------------------------

x, rule = Ref("x"), Ref("rule")


def run(expr: Any, **values: Any) -> Any:
    return eval(python(expr, str), support() | values)


@pytest.mark.parametrize(
    ("expr", "value"),
    [
        (where(x > 2, x**2, -x), 9.0),
        (round_half_away(x / 2), 2.0),
        (both(x > 2, x < 4), True),
        (either(x > 4, x < 2), False),
        (Call("NOT", (x > 2,)), False),
        (normal_pdf(x), 0.0044318484119380075),
        (Call("INT", (-x / 2,)), -2.0),
        (Call("SIGN", (-x,)), -1.0),
    ],
    ids=str,
)
def test_the_source_of_an_expression_computes_it(expr: Any, value: Any) -> None:
    assert run(expr, x=3.0) == value


def test_a_choice_that_text_decides_is_decided_before_the_loop() -> None:
    expr = where(equal(rule, "a"), x, where(equal(rule, "b"), 2 * x, 3 * x))
    assert fold(expr, {"rule": "b"}) == 2 * x
    assert fold(both(equal(rule, "a"), x > 1), {"rule": "a"}) == (x > 1)
    assert fold(both(equal(rule, "a"), x > 1), {"rule": "b"}) == Logical(False)
    assert fold(either(equal(rule, "a"), x > 1), {"rule": "a"}) == Logical(True)


@pytest.mark.parametrize("expr", [Text("a"), Call("SUMIFS", (x,)), Ref("x") + Call("TODAY", ())], ids=str)
def test_what_is_no_arithmetic_of_a_rule_is_refused(expr: Any) -> None:
    with pytest.raises(FormulaError):
        python(expr, str)


def test_a_rule_that_computes_much_is_compiled_for_fewer_games() -> None:
    pytest.importorskip("numba")
    elo, glicko2 = (system(name) for name in ("elo", "glicko2"))
    assert [worth_compiling(games, elo, elo.settings()) for games in (10**6, 2 * 10**6)] == [False, True]
    assert [worth_compiling(games, glicko2, glicko2.settings()) for games in (10**5, 10**6)] == [False, True]
