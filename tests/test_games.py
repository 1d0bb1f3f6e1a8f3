"""The games table: its contract, the spelling of names, and the one rule of order."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elo_sheets.errors import EloSheetsError
from elo_sheets.games import (
    COLUMNS,
    GamesRead,
    Problem,
    check_games,
    clean_name,
    identity,
    in_order_of_play,
    make_games,
    players,
)
from elo_sheets.readers._tables import table_of

relaxed = settings(deadline=None, max_examples=50)


def record(row: int, **values: Any) -> dict[str, Any]:
    return {"white": "Ann", "black": "Bob", "score": 1, "source": "club.csv", "source_row": row} | values


def rows_in_order(records: Sequence[dict[str, Any]]) -> list[int]:
    rows: list[int] = make_games(records)["source_row"].tolist()
    return rows


def dated_rows(*days: str | None) -> list[dict[str, Any]]:
    return [record(n, date=day) for n, day in enumerate(days, 1)]


def rounds(*given: str | None, day: str | None = "2024-05-01") -> list[dict[str, Any]]:
    return [record(n, date=day, round=number) for n, number in enumerate(given, 1)]


# --- names --------------------------------------------------------------------------------------------------

CLEAN = [
    ("Ann", "Ann"),
    ("  Bruno\u00a0 Merola ", "Bruno Merola"),
    ("A\tB\nC", "A B C"),
    ("Jose\u0301", "José"),
    ("\u200bAnn\ufeff", "Ann"),
    ("", ""),
    ("   ", ""),
]


@pytest.mark.parametrize(("typed", "clean"), CLEAN)
def test_a_name_has_one_clean_spelling(typed: str, clean: str) -> None:
    assert clean_name(typed) == clean


@relaxed
@given(st.text(max_size=20))
def test_cleaning_a_clean_name_changes_nothing(name: str) -> None:
    assert clean_name(clean_name(name)) == clean_name(name)


@pytest.mark.parametrize(
    ("a", "b", "alike"),
    [
        ("ANN", "ann", True),
        ("Ｍagnus", "magnus", True),
        ("É", "é", True),
        ("Ann ", " ann", True),
        ("Ann", "Anna", False),
        ("José", "Jose", False),
    ],
)
def test_two_names_are_one_player_when_a_spreadsheet_takes_them_for_equal(a: str, b: str, alike: bool) -> None:
    assert (identity(a) == identity(b)) is alike


def test_players_are_listed_as_they_first_play_white_before_black() -> None:
    games = make_games([record(1, white="Cid", black="Ann"), record(2, white="Bob", black="Cid")])
    assert players(games) == ["Cid", "Ann", "Bob"]


# --- the contract -------------------------------------------------------------------------------------------


def test_a_games_table_has_the_dtypes_of_the_contract() -> None:
    full: dict[str, Any] = {
        name: {"float64": 1.0, "int64": 1, "boolean": True}.get(column.dtype, "2024-05-01")
        for name, column in COLUMNS.items()
    }
    games = make_games([full])
    # Another version of pandas may keep text as objects.
    found = {name: "str" if str(dtype) == "object" else str(dtype) for name, dtype in games.dtypes.items()}
    assert found == {name: column.dtype for name, column in COLUMNS.items()}


def test_optional_columns_without_a_value_are_left_out() -> None:
    games = make_games([record(1, white_rating=None, event="Open")])
    assert list(games) == ["game", "date", "white", "black", "score", "event", "source", "source_row"]


def test_games_are_numbered_from_one() -> None:
    assert make_games([record(7), record(9)])["game"].tolist() == [1, 2]


def test_no_games_still_make_a_table_of_the_contract() -> None:
    games = make_games([])
    assert len(games) == 0
    assert set(games) == {name for name, column in COLUMNS.items() if column.required}
    assert check_games(games) is games


@pytest.mark.parametrize("missing", [name for name, column in COLUMNS.items() if column.required])
def test_a_missing_required_column_is_named_with_its_meaning(missing: str) -> None:
    games = make_games([record(1)]).drop(columns=missing)
    with pytest.raises(EloSheetsError, match=f"games table with the column '{missing}'"):
        check_games(games)


def test_an_unknown_column_is_named() -> None:
    with pytest.raises(EloSheetsError, match="got 'colour'; drop or rename it"):
        check_games(make_games([record(1)]).assign(colour="white"))


@pytest.mark.parametrize("score", [2.0, 0.25, -1.0, float("nan")])
def test_a_strange_score_is_named_with_its_place(score: float) -> None:
    games = make_games([record(16), record(17)])
    games.loc[1, "score"] = score
    with pytest.raises(EloSheetsError, match=r"expected White's score 1, 0.5 or 0, got .*\(club.csv, row 17\)"):
        check_games(games)


def test_rows_read_are_kept_or_rejected() -> None:
    problem = Problem("club.csv", 3, "result", "2-0", "expected a score such as 1-0")
    found = GamesRead(make_games([record(1), record(2)]), [problem])
    assert (found.read, found.kept, found.rejected) == (3, 2, 1)


@pytest.mark.parametrize(
    ("column", "text"),
    [("result", "club.csv, row 3, result '2-0': expected a score"), ("", "club.csv, row 3: expected a score")],
)
def test_a_problem_reads_as_place_and_reason(column: str, text: str) -> None:
    assert str(Problem("club.csv", 3, column, "2-0", "expected a score")) == text


# --- the order of play --------------------------------------------------------------------------------------

ORDERED = {
    "by date": (dated_rows("2024-05-02", "2024-05-01", "2024-04-30"), [3, 2, 1]),
    "one day as the log has it": (dated_rows("2024-05-01", "2024-05-01", "2024-04-30"), [3, 1, 2]),
    "the time of day counts": (dated_rows("2024-05-01 18:00", "2024-05-01 09:30"), [2, 1]),
    "without a date behind the game before": (dated_rows("2024-05-02", None, "2024-05-01"), [3, 1, 2]),
    "without a date behind the game before, whatever the rounds": (
        [record(1, date="2024-05-01", round="2"), record(2, round="1"), record(3, date="2024-05-01", round="1")],
        [3, 1, 2],
    ),
    "without a date before all dates": (dated_rows(None, "2024-05-02", "2024-05-01"), [1, 3, 2]),
    "no dates at all": (dated_rows(None, None, None), [1, 2, 3]),
    "by round within a day": (rounds("3", "1", "2"), [2, 3, 1]),
    "rounds as numbers": (rounds("10", "9"), [2, 1]),
    "the leading number of a round": (rounds("2.1", "1.2", "1.1"), [2, 3, 1]),
    "a round in words": (rounds("Round 2", "Round 1"), [2, 1]),
    "without a round in its place": (rounds("2", None, "1"), [3, 1, 2]),
    "rounds of a game without a date say nothing": (rounds("2", "1", day=None), [1, 2]),
    "the date before the round": (
        [record(1, date="2024-05-02", round="1"), record(2, date="2024-05-01", round="9")],
        [2, 1],
    ),
}


@pytest.mark.parametrize(("records", "order"), ORDERED.values(), ids=ORDERED)
def test_games_stand_in_the_order_of_play(records: list[dict[str, Any]], order: list[int]) -> None:
    assert rows_in_order(records) == order


days = st.one_of(st.none(), st.dates(pd.Timestamp("2020-01-01").date(), pd.Timestamp("2020-01-06").date()))
logs = st.lists(st.tuples(days, st.sampled_from([None, "1", "2", "10.1"])), max_size=12).map(
    lambda rows: [
        record(n, date=None if day is None else day.isoformat(), round=number)
        for n, (day, number) in enumerate(rows, 1)
    ]
)


@relaxed
@given(logs)
def test_games_in_the_order_of_play_stay_there(records: list[dict[str, Any]]) -> None:
    games = make_games(records)
    pd.testing.assert_frame_equal(in_order_of_play(games), games)


@relaxed
@given(logs)
def test_ordering_loses_no_game(records: list[dict[str, Any]]) -> None:
    assert sorted(rows_in_order(records)) == [r["source_row"] for r in records]


@relaxed
@given(logs)
def test_known_dates_never_go_back(records: list[dict[str, Any]]) -> None:
    assert make_games(records)["date"].dropna().is_monotonic_increasing


@relaxed
@given(st.permutations(range(10)), st.randoms(use_true_random=False))
def test_games_of_different_days_come_out_alike_however_the_log_has_them(
    days: list[int], shuffler: random.Random
) -> None:
    records = [record(day, date=f"2024-01-{day + 1:02d}") for day in days]
    shuffler.shuffle(records)
    assert rows_in_order(records) == list(range(10))


@pytest.mark.parametrize("seed", range(40))
def test_games_as_categories_make_the_same_table_as_records(seed: int) -> None:
    """Whatever a row says stays in its row when the games are put into the order of play."""
    chance = random.Random(seed)
    texts = {name: chance.choice("abc") for name in chance.sample(["pool", "event", "eco", "column:week"], 2)}
    records = [
        record(row, white=f"Player {row}", date=f"2024-01-0{chance.randrange(1, 5)}", round=chance.choice("123"))
        | {name: f"{text}{row}" for name, text in texts.items() if chance.random() < 0.7}
        | ({"white_rating": 1000.0 + row} if chance.random() < 0.7 else {})
        for row in range(1, 20)
    ]
    games = make_games(records)
    pd.testing.assert_frame_equal(make_games(table_of(records)), games)
    said = {one["source_row"]: one for one in records}
    for found in games.to_dict("records"):
        told = {**said[found["source_row"]], "date": pd.Timestamp(said[found["source_row"]]["date"])}
        assert {name: found[name] for name in told} == told


def test_many_games_make_the_table_that_few_make(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the lowest pandas, too, which has no texts of one store."""
    records = [record(row, white=f"Player {row % 3}", date="2024-01-02", event="Spring") for row in range(9)]
    few = make_games(table_of(records))
    monkeypatch.setattr("elo_sheets.games.MANY", 1)
    many = make_games(table_of(records))
    assert many.to_dict("records") == few.to_dict("records")
