"""The replay: pool and journal, periods, and an independent replay to compare with."""

from __future__ import annotations

import csv
import math
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elo_sheets.errors import EloSheetsError, UnreadableInput, UsageError
from elo_sheets.games import find_player, make_games
from elo_sheets.readers import read
from elo_sheets.replaying.history import history_columns
from elo_sheets.replaying.journal import journal_games
from elo_sheets.replaying.periods import period_keys, serial_days
from elo_sheets.replaying.replay import replay
from elo_sheets.systems import SYSTEMS, System, system

DATA = Path(__file__).parent / "data"
ELO, FIDE = system("elo"), system("fide")
relaxed = settings(deadline=None, max_examples=25)
# One rule game by game and one by month; the battery in test_testing.py and test_loop.py asks the others.
every_system = pytest.mark.parametrize("rules", [SYSTEMS["elo"], SYSTEMS["fide"]], ids=["elo", "fide"])

Game = tuple[str, str, float]


def log(*games: tuple[Any, ...], start_row: int = 2) -> pd.DataFrame:
    """A log of games given as white, black, White's score, and where wanted the day and further columns."""
    records = []
    for row, (white, black, score, *rest) in enumerate(games, start_row):
        record = {"white": white, "black": black, "score": score, "source": "club.csv", "source_row": row}
        record["date"] = rest[0] if rest else None
        records.append(record | (rest[1] if len(rest) > 1 else {}))
    return make_games(records)


def final(games: pd.DataFrame, rules: System, values: Mapping[str, Any] | None = None, **more: Any) -> dict[str, float]:
    ratings = replay(games, rules, values, **more).ratings
    return dict(zip(ratings["player"], ratings["rating"], strict=True))


def against(rating: float, score: float, day: str | None = "2026-01-10") -> tuple[Any, ...]:
    """A game of Own, White, against an opponent with a published rating."""
    return ("Own", f"Opponent of {rating}", score, day, {"black_rating": rating})


# --- an independent replay ----------------------------------------------------------------------------------


def oracle_gap(own: float, other: float, rule: str) -> float:
    gap = other - own
    limited = rule == "cap400" or (rule == "fide2650" and own < 2650)
    if limited and gap > 400:
        return 400
    if limited and gap < -400:
        return -400
    return gap


def oracle_chance(own: float, other: float, rule: str) -> float:
    """The chance of winning in natural units: 400 points are the logarithm of ten."""
    return 1 / (1 + math.exp(oracle_gap(own, other, rule) * math.log(10) / 400))


def oracle_elo(games: Sequence[Game], k: float, rule: str, start: Mapping[str, float]) -> list[tuple[float, ...]]:
    """Each game's ratings before and after: White's, Black's, White's, Black's."""
    now: dict[str, float] = {}
    lines: list[tuple[float, ...]] = []
    for white, black, result in games:
        first = now.get(white, start.get(white, 1500.0))
        second = now.get(black, start.get(black, 1500.0))
        now[white] = first + k * (result - oracle_chance(first, second, rule))
        now[black] = second + k * ((1 - result) - oracle_chance(second, first, rule))
        lines.append((first, second, now[white], now[black]))
    return lines


def replayed_lines(history: pd.DataFrame) -> list[tuple[float, ...]]:
    white, black = (history[history["colour"] == colour] for colour in ("white", "black"))
    columns = (white["rating"], black["rating"], white["rating_after"], black["rating_after"])
    return list(zip(*(column.tolist() for column in columns), strict=True))


names = st.sampled_from(["Ann", "Bob", "Cid", "Dee", "Eve"])
pairs = st.tuples(names, names).filter(lambda pair: pair[0] != pair[1])
results = st.sampled_from([1, 0.5, 0])
elo_games = st.lists(st.builds(lambda pair, score: (*pair, score), pairs, results), min_size=1, max_size=25)
starts = st.fixed_dictionaries({name: st.floats(1800, 3000) for name in ["Ann", "Bob", "Cid"]})
gap_rules = st.sampled_from(["none", "cap400", "fide2650"])


def as_start(ratings: Mapping[str, float], games: Sequence[Game]) -> dict[str, dict[str, float]]:
    playing = {name for white, black, _ in games for name in (white, black)}
    return {name: {"rating": rating} for name, rating in ratings.items() if name in playing}


@relaxed
@given(elo_games, starts, gap_rules, st.floats(0, 64))
def test_elo_game_by_game_agrees_with_an_independent_replay(
    games: list[Game], start: dict[str, float], rule: str, k: float
) -> None:
    history, _ = replay(log(*games), ELO, {"k": k, "gap_rule": rule}, start=as_start(start, games))
    expected = oracle_elo(games, k, rule, start)
    assert [pytest.approx(line, rel=0, abs=1e-8) for line in expected] == replayed_lines(history)


@pytest.mark.parametrize("rule", ["none", "cap400", "fide2650"])
def test_a_real_log_agrees_with_an_independent_replay(rule: str) -> None:
    with (DATA / "nfl_1920.csv").open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    games = [(row["team1"], row["team2"], float(row["result1"])) for row in rows]
    start = {row["team1"]: 2900.0 for row in rows[::3]}  # far apart, so that the rules differ
    found = read([DATA / "nfl_1920.csv"]).games
    history, _ = replay(found, ELO, {"gap_rule": rule}, start=as_start(start, games))
    expected = oracle_elo(games, 20, rule, start)
    assert len(expected) == 120
    assert [pytest.approx(line, rel=0, abs=1e-8) for line in expected] == replayed_lines(history)


# --- the tables ---------------------------------------------------------------------------------------------

TWO_MONTHS = [
    ("Own", "Bob", 1, "2026-01-10", {"white_rating": 2000, "black_rating": 1900}),
    ("Bob", "Own", 0.5, "2026-01-20", {"white_rating": 1900, "black_rating": 2000}),
    ("Own", "Cid", 0, "2026-02-01", {"white_rating": 2000, "black_rating": 2200}),
]


@every_system
@pytest.mark.parametrize(
    ("player", "games"),
    [(None, TWO_MONTHS), ("Own", TWO_MONTHS), (None, []), ("Own", [("Own", "Newcomer", 1, "2026-01-10")])],
    ids=["pool", "journal", "no games", "no rated games"],
)
def test_a_history_has_the_columns_of_the_contract(rules: System, player: str | None, games: list[Any]) -> None:
    history, _ = replay(log(*games), rules, player=player)
    found = {name: "str" if str(dtype) == "object" else str(dtype) for name, dtype in history.dtypes.items()}
    assert found == history_columns(rules)
    assert list(history) == list(history_columns(rules))


def test_a_pool_has_two_rows_a_game_white_first() -> None:
    history, _ = replay(log(("Ann", "Bob", 1), ("Cid", "Ann", 0.5)), ELO)
    columns = ["game", "player", "opponent", "colour", "score", "games_played"]
    assert history[columns].to_numpy().tolist() == [
        [1, "Ann", "Bob", "white", 1, 1],
        [1, "Bob", "Ann", "black", 0, 1],
        [2, "Cid", "Ann", "white", 0.5, 1],
        [2, "Ann", "Cid", "black", 0.5, 2],
    ]


def test_the_final_table_counts_results_and_puts_equal_ratings_in_the_order_of_names() -> None:
    _, ratings = replay(log(("Bob", "Ann", 0.5), ("Dee", "Cid", 1)), ELO)
    assert ratings.to_numpy().tolist() == [
        ["Dee", 1510.0, 1, 1, 0, 0],
        ["Ann", 1500.0, 1, 0, 1, 0],
        ["Bob", 1500.0, 1, 0, 1, 0],
        ["Cid", 1490.0, 1, 0, 0, 1],
    ]
    assert list(ratings) == ["player", "rating", "games", "wins", "draws", "losses"]


def test_both_players_are_rated_from_the_same_snapshot() -> None:
    history, _ = replay(log(("Ann", "Bob", 1), ("Ann", "Bob", 1)), ELO)
    assert history["rating"].tolist() == [1500, 1500, 1510, 1490]
    assert history["opponent_rating"].tolist() == [1500, 1500, 1490, 1510]
    assert history["change"].iloc[2] == pytest.approx(-history["change"].iloc[3], abs=1e-12)


def test_a_rating_begins_where_the_last_one_ended() -> None:
    history, _ = replay(read([DATA / "nfl_1920.csv"]).games, ELO)
    for _, rows in history.groupby("player"):
        assert rows["rating"].tolist()[1:] == rows["rating_after"].tolist()[:-1]


# --- periods ------------------------------------------------------------------------------------------------


def test_a_monthly_period_rates_from_the_opening_ratings() -> None:
    games = log(("Ann", "Bob", 1, "2026-01-01"), ("Ann", "Bob", 1, "2026-01-31"), ("Ann", "Bob", 1, "2026-02-01"))
    history, _ = replay(games, ELO, {"period": "month"})
    white = history[history["colour"] == "white"]
    assert white["rating"].tolist() == [1500, 1500, 1520]
    assert white["opponent_rating"].tolist() == [1500, 1500, 1480]
    assert white["period_games"].tolist() == [1, 2, 1]
    assert white["rating_after"].tolist()[:2] == [1510, 1520]


def test_the_same_month_of_another_year_is_another_period() -> None:
    games = log(("Ann", "Bob", 1, "2025-01-31"), ("Ann", "Bob", 1, "2026-01-01"))
    history, _ = replay(games, ELO, {"period": "month"})
    assert history["rating"].tolist() == [1500, 1500, 1510, 1490]


@pytest.mark.parametrize("player", [None, "Own"])
def test_the_running_change_of_fide_ends_in_the_change_rounded_once(player: str | None) -> None:
    # By the table a draw with someone 10 points below costs 0.01: after K 20, 0.2 a game and 0.6 in all.
    draws = [against(1990, 0.5, day) for day in ("2026-01-01", "2026-01-02", "2026-01-31")]
    start = {"Own": {"rating": 2000, "games": 30}, "Opponent of 1990": {"rating": 1990, "games": 30}}
    values = {} if player is None else {"initial": 2000, "initial_games": 30}
    history, _ = replay(log(*draws), FIDE, values, player=player, start=start if player is None else None)
    mine = history[history["player"] == "Own"]
    assert mine["delta"].tolist() == pytest.approx([-0.01] * 3)
    assert mine["period_delta"].tolist() == pytest.approx([-0.01, -0.02, -0.03])
    assert mine["change"].tolist() == [0, 0, -1]
    assert mine["rating_after"].tolist() == [2000, 2000, 1999]


def test_the_next_month_of_fide_starts_from_the_rounded_rating() -> None:
    games = log(against(2000, 1, "2026-01-05"), against(2000, 1, "2026-02-05"))
    history, ratings = replay(games, FIDE, {"initial": 2000, "initial_games": 30}, player="Own")
    # 20 * 0.5 = 10; then 2010 expects 0.51 of 2000: 20 * 0.49 = 9.8
    assert history["rating"].tolist() == [2000, 2010]
    assert history["change"].tolist() == [10, 10]
    assert history["games"].tolist() == [30, 31]
    assert ratings["rating"].tolist() == [2020]


def test_the_thirtieth_game_takes_effect_with_the_next_period_of_fide() -> None:
    games = log(against(2000, 1, "2026-01-05"), against(2000, 1, "2026-01-06"), against(2000, 1, "2026-02-05"))
    history, _ = replay(games, FIDE, {"initial": 2000, "initial_games": 28}, player="Own")
    assert history["k"].tolist() == [40, 40, 20]


def test_a_peak_of_2400_keeps_k_10_after_the_rating_has_fallen() -> None:
    games = log(*[against(2400, 0, f"2026-0{month}-05") for month in (1, 2, 3)])
    history, _ = replay(games, FIDE, {"initial": 2402, "initial_games": 100}, player="Own")
    assert (history["rating"] < 2400).tolist() == [False, True, True]
    assert history["k"].tolist() == [10, 10, 10]


@pytest.mark.parametrize("player", [None, "Own"])
def test_an_undated_game_in_a_monthly_period_is_refused_with_its_place(player: str | None) -> None:
    games = log(against(2000, 1, "2026-01-05"), against(2000, 1, None))
    with pytest.raises(UnreadableInput, match=r"needs the date of every game; club\.csv, row 3 has none .*period=game"):
        replay(games, FIDE, player=player)


@every_system
def test_undated_games_are_rated_game_by_game(rules: System) -> None:
    history, _ = replay(log(("Ann", "Bob", 1), ("Ann", "Bob", 1)), rules, {"period": "game"})
    assert history["period_games"].tolist() == [1, 1, 1, 1]


def test_months_are_counted_through() -> None:
    games = log(("A", "B", 1, "2025-11-30"), ("A", "B", 1, "2025-12-31"), ("A", "B", 1, "2026-01-31"))
    assert np.diff(period_keys(games, "month")).tolist() == [1, 1]


def test_days_are_the_serial_numbers_of_spreadsheets() -> None:
    dates = pd.Series([pd.Timestamp(day) for day in ("1900-03-01", "2025-10-01", "2025-10-01 12:00", "NaT")])
    assert serial_days(dates).tolist() == [61, 45931, 45931.5, 0]


# --- the journal --------------------------------------------------------------------------------------------


def test_a_journal_sees_the_games_from_the_side_of_its_player() -> None:
    games = log(
        ("Own", "Bob", 1, None, {"white_rating": 2000, "black_rating": 1900}),
        ("Bob", "Cid", 1, None, {"white_rating": 1900, "black_rating": 2200}),
        ("Cid", "Own", 1, None, {"white_rating": 2200, "black_rating": 2010}),
    )
    journal = journal_games(games, "Own")
    columns = ["game", "opponent", "colour", "score", "own_rating", "opponent_rating", "source_row"]
    assert journal[columns].to_numpy().tolist() == [
        [1, "Bob", "white", 1, 2000, 1900, 2],
        [3, "Cid", "black", 0, 2010, 2200, 4],
    ]


def test_a_journal_rates_against_the_published_ratings() -> None:
    history, ratings = replay(log(against(1500, 1), against(1700, 0)), ELO, {"initial": 1500}, player="Own")
    assert history["opponent_rating"].tolist() == [1500, 1700]
    assert history["rating"].tolist() == [1500, 1510]
    assert ratings["player"].tolist() == ["Own"]


def test_a_journal_takes_the_rating_after_the_game_where_the_log_has_no_other() -> None:
    after = {"black_rating": None, "black_rating_after": 1710}
    games = log(
        ("Own", "Bob", 1, None, {"black_rating": 1700, "black_rating_after": 1695}), ("Own", "Cid", 0, None, after)
    )
    assert journal_games(games, "Own")["opponent_rating"].tolist() == [1700, 1710]


def test_a_journal_leaves_out_games_against_unrated_opponents() -> None:
    games = log(against(1500, 1), ("Own", "Newcomer", 1), against(1500, 0))
    history, ratings = replay(games, ELO, player="Own")
    assert history["game"].tolist() == [1, 3]
    assert ratings["games"].tolist() == [2]


def test_a_journal_without_a_rated_opponent_keeps_the_initial_rating() -> None:
    _, ratings = replay(log(("Own", "Newcomer", 1)), ELO, {"initial": 1234}, player="Own")
    assert ratings.to_numpy().tolist() == [["Own", 1234, 0, 0, 0, 0]]


def test_an_undated_game_that_a_journal_leaves_out_does_no_harm() -> None:
    games = log(("Own", "Newcomer", 1, None), against(2000, 1, "2026-01-05"))
    history, _ = replay(games, FIDE, player="Own")
    assert len(history) == 1


@pytest.mark.parametrize("spelling", ["ann lee", "ANN LEE", "  Ann  Lee "])
def test_a_player_is_found_in_any_spelling_that_a_spreadsheet_takes_for_equal(spelling: str) -> None:
    assert find_player(log(("Ann Lee", "Bob", 1)), spelling) == "Ann Lee"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("Anna Lee", r"no game of 'Anna Lee' in the log; did you mean Ann Lee\?"),
        ("Zoltan", r"no game of 'Zoltan' in the log$"),
    ],
)
def test_an_unknown_player_is_refused_with_a_close_name(asked: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        replay(log(("Ann Lee", "Bob", 1)), ELO, player=asked)


# --- start, settings and borders ----------------------------------------------------------------------------


def test_players_of_a_pool_start_where_they_are_told() -> None:
    games = log(("Ann", "Bob", 1))
    history, _ = replay(games, ELO, {"initial": 1000}, start={"Ann": {"rating": 1400}})
    assert history["rating"].tolist() == [1400, 1000]


def test_a_start_may_name_a_part_of_the_state() -> None:
    games = log(("Ann", "Bob", 1, "2026-01-05"))
    history, _ = replay(games, FIDE, {"initial": 2000}, start={"Ann": {"games": 30}})
    assert history["games"].tolist() == [30, 0]
    assert history["rating"].tolist() == [2000, 2000]
    assert history["k"].tolist() == [20, 40]


def test_settings_replace_the_defaults() -> None:
    assert final(log(("Ann", "Bob", 1)), ELO, {"K_factor": 32, "initial": 1000}) == {"Ann": 1016, "Bob": 984}


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(UsageError, match="no setting 'k_facto'; did you mean k_factor"):
        replay(log(("Ann", "Bob", 1)), ELO, {"k_facto": 32})


def test_a_table_that_breaks_the_contract_is_refused() -> None:
    games = log(("Ann", "Bob", 1)).drop(columns="score")
    with pytest.raises(EloSheetsError, match="with the column 'score'"):
        replay(games, ELO)


def test_the_games_are_not_changed_by_a_replay() -> None:
    games = log(*TWO_MONTHS)
    before = games.copy(deep=True)
    replay(games, FIDE)
    replay(games, FIDE, player="Own")
    pd.testing.assert_frame_equal(games, before)


# --- properties ---------------------------------------------------------------------------------------------

days = st.integers(1, 28)
dated_games = st.lists(
    st.builds(lambda pair, score, day: (*pair, score, f"2026-01-{day:02d}"), pairs, results, days),
    min_size=1,
    max_size=20,
)


@relaxed
@given(elo_games, st.sampled_from(["none", "cap400"]), st.sampled_from(["game", "month"]))
def test_elo_neither_creates_nor_destroys_points(games: list[Game], rule: str, period: str) -> None:
    table = log(*[(*game, "2026-01-05") for game in games])
    ratings = final(table, ELO, {"gap_rule": rule, "period": period})
    assert sum(ratings.values()) == pytest.approx(1500 * len(ratings), abs=1e-8)


@every_system
@relaxed
@given(games=dated_games)
def test_renaming_the_players_renames_their_ratings_only(rules: System, games: list[Any]) -> None:
    new = {"Ann": "Eve", "Bob": "Ann", "Cid": "Bob", "Dee": "Quentin", "Eve": "Zoë"}
    renamed = [(new[white], new[black], *rest) for white, black, *rest in games]
    expected = {new[name]: rating for name, rating in final(log(*games), rules).items()}
    assert final(log(*renamed), rules) == expected


@every_system
@relaxed
@given(games=dated_games)
def test_swapping_white_and_black_changes_no_rating(rules: System, games: list[Any]) -> None:
    swapped = [(black, white, 1 - score, day) for white, black, score, day in games]
    assert final(log(*swapped), rules) == pytest.approx(final(log(*games), rules), rel=0, abs=1e-9)


@every_system
@relaxed
@given(games=dated_games, shuffler=st.randoms(use_true_random=False))
def test_the_games_of_one_month_may_come_in_any_order(rules: System, games: list[Any], shuffler: random.Random) -> None:
    month = [(white, black, score, "2026-01-05") for white, black, score, _ in games]
    shuffled = list(month)
    shuffler.shuffle(shuffled)
    values = {"period": "month"}
    assert final(log(*shuffled), rules, values) == pytest.approx(final(log(*month), rules, values), rel=0, abs=1e-9)


@relaxed
@given(dated_games)
def test_games_of_different_players_commute_game_by_game(games: list[Any]) -> None:
    here = [(f"{white} here", f"{black} here", *rest) for white, black, *rest in games]
    apart = final(log(*games), ELO) | final(log(*here), ELO)
    assert final(log(*games, *here), ELO) == apart


@relaxed
@given(dated_games)
def test_the_history_of_a_pool_ends_in_its_final_ratings(games: list[Any]) -> None:
    history, ratings = replay(log(*games), FIDE)
    last = history.groupby("player")["rating_after"].last().to_dict()
    assert last == dict(zip(ratings["player"], ratings["rating"], strict=True))


@relaxed
@given(dated_games)
def test_ratings_of_fide_stay_whole_numbers(games: list[Any]) -> None:
    assert all(rating == round(rating) for rating in final(log(*games), FIDE).values())


@every_system
@relaxed
@given(games=dated_games)
def test_a_journal_of_a_pool_with_its_ratings_published_repeats_the_pool(rules: System, games: list[Any]) -> None:
    table = log(*games)
    history, _ = replay(table, rules)
    white, black = (history[history["colour"] == colour]["rating"].to_numpy() for colour in ("white", "black"))
    published = table.assign(white_rating=white, black_rating=black)
    player = games[0][0]
    journal, _ = replay(published, rules, player=player, start="none")
    mine = history[history["player"] == player].reset_index(drop=True)
    # Game by game a period is a game's place, which the journal counts by itself.
    pd.testing.assert_frame_equal(journal.drop(columns="period"), mine.drop(columns="period"))


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ({"Anm": {"rating": 1800}}, "no game of 'Anm' in the log; did you mean Ann"),
        ({"Ann": {"ratng": 1800}}, "gives 'ratng'"),
    ],
)
def test_a_start_state_that_nobody_reads_is_refused(start: dict[str, dict[str, float]], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        replay(log(("Ann", "Bob", 1)), ELO, start=start)


def test_ratings_too_far_apart_for_the_scale_are_an_error_with_words() -> None:
    with pytest.raises(UsageError, match="too far apart"):
        replay(log(("Ann", "Bob", 1)), ELO, {"scale": 1}, start={"Ann": {"rating": -5000}})


def test_a_log_goes_on_from_when_its_players_were_last_seen() -> None:
    """A log in two parts gives what the whole gives, where the rule asks how long somebody was away."""
    rows = [("2020-01-10", 1), ("2020-02-10", 0), ("2020-07-10", 1), ("2021-05-10", 0.5)]
    games = log(*[("Ann", "Bob", score, day) for day, score in rows]).assign(season=["1", "1", "2", "4"])
    for name, reads in {"glicko": {}, "lichess": {}, "nfl": {"white_points": 1.0, "black_points": 1.0}}.items():
        rules, whole = system(name), games.assign(**reads)
        first, rest = whole.iloc[:2], whole.iloc[2:]
        done = replay(first, rules).ratings.set_index("player")
        states = [state.name for state in rules.state]
        seen = {"last_date": 43871.0} if name != "nfl" else {"last_season": 1.0}
        start = {player: done.loc[player, states].to_dict() | seen for player in ("Ann", "Bob")}
        expected = replay(whole, rules).ratings["rating"].tolist()
        assert replay(rest, rules, start=start).ratings["rating"].tolist() == pytest.approx(expected, abs=1e-9)
        with_pause = replay(
            rest, rules, start={p: {k: v for k, v in s.items() if k in states} for p, s in start.items()}
        )
        assert with_pause.ratings["rating"].tolist() != pytest.approx(expected, abs=1e-9)
