"""Tables of games where logs may stand: taken as they are, with the column of their rating periods, and no fixtures."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import elo_sheets
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.files.package import read_book
from elo_sheets.readers import read, read_for
from elo_sheets.readers.fixtures import read_fixtures

ROWS = [
    ("2026-01-05", "Player 1", "Player 2", "1-0", "w1"),
    ("2026-01-06", "Player 2", "Player 3", "1/2-1/2", "w1"),
    ("2026-01-12", "Player 3", "Player 1", "0-1", "w2"),
    ("2026-01-19", "Player 1", "Player 2", "", "w3"),
]
FRAME = pd.DataFrame(ROWS, columns=["Date", "White", "Black", "Result", "week"])
WEEKS = {"period": "column:week"}


def test_a_column_of_periods_is_read_from_a_frame_and_kept_in_its_table() -> None:
    found = read_for(FRAME, WEEKS).games
    assert found["column:week"].tolist() == ["w1", "w1", "w2"]
    assert read_for(found, WEEKS).games["column:week"].tolist() == ["w1", "w1", "w2"]
    wanted = elo_sheets.replay(FRAME, system="glicko2", settings=WEEKS).to_frame()
    assert elo_sheets.replay(found, system="glicko2", settings=WEEKS).to_frame().equals(wanted)
    by_game = elo_sheets.replay(FRAME, system="glicko2", settings={"period": "game"}).to_frame()
    assert not by_game["rating"].equals(wanted["rating"])


def test_a_table_without_that_column_is_refused_with_the_remedy() -> None:
    with pytest.raises(UsageError, match=r"no column 'week' for the rating period.*--map column:week="):
        elo_sheets.replay(read(FRAME).games, system="glicko2", settings=WEEKS)


def test_tables_and_logs_are_read_together_each_with_its_periods() -> None:
    table = read_for(FRAME.head(2), WEEKS).games
    assert read_for([table, FRAME.tail(2)], WEEKS).games["column:week"].tolist() == ["w1", "w1", "w2"]


def test_the_columns_of_several_systems_are_read_at_once() -> None:
    both = FRAME.assign(month="m1")
    found = read_for(both, WEEKS, {"period": "column:month"}).games
    assert {"column:week", "column:month"} <= set(found.columns)


def test_every_game_of_a_table_has_a_result() -> None:
    table = read(FRAME).games
    assert read_fixtures(table).kept == 0
    assert read_fixtures([table, FRAME]).games[["white", "black"]].values.tolist() == [["Player 1", "Player 2"]]


def test_a_season_goes_on_behind_a_table() -> None:
    table, left = read(FRAME.head(3)).games, FRAME.tail(1)
    found = elo_sheets.simulate([table, left], runs=20)
    assert found.to_frame()["points"].to_dict() == {"Player 1": 2.0, "Player 2": 0.5, "Player 3": 0.5}
    with pytest.raises(UnreadableInput, match="no game is left to play"):
        elo_sheets.simulate(table, runs=20)


def test_a_season_book_is_made_of_a_table_and_its_fixtures(tmp_path: Path) -> None:
    table = read(FRAME.head(3)).games
    done = elo_sheets.import_logs([table, FRAME.tail(1)], tmp_path / "season.xlsx", template="season", system="elo")
    assert "1 game without a result is a fixture to play" in done.notes
    held = read_book(tmp_path / "season.xlsx")
    place, cells = held.tables["Fixtures"], held.sheets["Fixtures"]
    home, status = place.column("Home"), place.column("Status")
    assert home is not None
    assert status is not None
    rows = [(cells[row, home].value, cells[row, status].value) for row in range(place.first_data_row, 9)]
    assert rows == [
        ("Player 1", "rated"),
        ("Player 2", "rated"),
        ("Player 3", "rated"),
        ("Player 1", "to play"),
    ]
