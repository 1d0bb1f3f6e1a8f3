"""Delimited text is read by columns: as if every row were read by itself, whatever stands in it."""

from __future__ import annotations

import io
import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from elo_sheets.errors import EloSheetsError
from elo_sheets.games import GamesRead
from elo_sheets.readers import csv, read
from elo_sheets.readers._cells import Cells, cells_of
from elo_sheets.readers._layout import Row, rows_of
from elo_sheets.readers._tables import table_of

LOGS = int(os.environ.get("ELO_SHEETS_FUZZ", "24"))

NAMES = [
    *(f"Player {number}" for number in range(1, 12)),
    *(" Player 3 ", "player 4", "Zoë", "", "?", "bye", "nan", "Bye-Bye", "O\u2019Neil", '"Doe, Jane"', '"A ""B"" C"'),
]
RESULTS = ["1-0", "0-1", "1/2-1/2", "½-½", "*", "", "1:0", "w", "+--", "?", "2-1", "3:3", "Player 1", "0-0"]
DATES = [*(f"2024-01-{day:02}" for day in range(1, 20)), "2024-01-32", "", "2024.??.??", "2024", "3 Feb 2024", "x"]
RATINGS = ["1500", "1620", "", "-", "unr", "1,650", "1500?", "good"]
KINDS: dict[str, dict[str, list[str]]] = {
    "chess": {
        "date": DATES,
        "white": NAMES,
        "black": NAMES,
        "result": RESULTS[:10],
        "whiteelo": RATINGS,
        "eco": ["B20", "?"],
    },
    "goals": {
        "date": DATES,
        "home": NAMES,
        "away": NAMES,
        "homegoals": ["0", "1", "2", "", "x"],
        "awaygoals": ["0", "1", "2"],
    },
    "winners": {
        "date": DATES,
        "winner": NAMES,
        "loser": NAMES,
        "score": ["2-0", "2-1", "", "1-2", "w/o"],
        "nr": ["1", "2"],
    },
    "named": {
        "date": DATES,
        "player1": NAMES[:8],
        "player2": NAMES[:8],
        "winner": [*NAMES[:8], "draw", ""],
        "round": ["1", "2"],
    },
    "journal": {
        "date": DATES,
        "opponent": NAMES,
        "colour": ["w", "b", "B", ""],
        "result": ["1", "0", "0.5", "1-0", "*"],
        "opponent rating": RATINGS,
    },
    "more": {
        "time": ["18:30", "", "x"],
        "date": DATES,
        "white": NAMES,
        "black": NAMES,
        "result": RESULTS[:3],
        "neutral": ["y", "n", "", "?", "perhaps"],
        "weight": ["1", "2.5", "", "heavy"],
        "rated": ["yes", "no"],
        "shootout": ["", "Player 1", "home"],
    },
}
LINES = [
    *("", ",,,,", "Total,,,,", "a,b", '"open,1-0', '"two\nlines",x,y,z', "\x00", "\ufeffx,y,z,1-0", " , , ", "# no"),
    "date,white,black,result",
]


def log(chance: random.Random) -> bytes:
    kind = KINDS[chance.choice(list(KINDS))]
    delimiter = chance.choice(",,,;\t")
    lines = [delimiter.join(kind)]
    quoting = chance.random() < 0.2
    for _ in range(chance.randrange(1, 60)):
        cells = [chance.choice(texts[:8] if chance.random() < 0.85 else texts) for texts in kind.values()]
        if quoting:
            cells = [cell if '"' in cell else f'"{cell}"' for cell in cells]
        lines.append(delimiter.join(cells) + delimiter * (chance.random() < 0.03))
        if chance.random() < 0.05:
            lines.append(chance.choice([*LINES, delimiter.join(kind)]))
        if chance.random() < 0.05:
            lines.append(lines[-1])
    return chance.choice(["\n", "\r\n", "\r"]).join(lines).encode() + b"\n" * chance.randrange(2)


def found(data: bytes) -> GamesRead | str:
    try:
        return read([io.BytesIO(data)], player="Me")
    except EloSheetsError as error:
        return str(error)


def row_by_row(data: bytes, monkeypatch: pytest.MonkeyPatch) -> GamesRead | str:
    def rows(body: bytes, start: int, delimiter: str, width: int, together: Sequence[int]) -> tuple[Cells, list[Row]]:
        lines = body.decode("utf-8", "surrogatepass").split("\n")
        return cells_of([], width, together), list(rows_of(lines, start, delimiter))

    def none(cells: Cells, _: Any) -> Any:
        return table_of([]), pd.Series([True] * len(cells)).to_numpy(dtype=bool)

    with monkeypatch.context() as patched:
        patched.setattr(csv, "read_cells", rows)
        patched.setattr(csv, "plain_rows", none)
        return found(data)


def assert_equal(data: bytes, monkeypatch: pytest.MonkeyPatch) -> int:
    one, other = found(data), row_by_row(data, monkeypatch)
    if isinstance(one, str) or isinstance(other, str):
        assert one == other, data
        return 0
    assert list(map(str, one.problems)) == list(map(str, other.problems)), data
    assert one.notes == other.notes, data
    pd.testing.assert_frame_equal(one.games, other.games)
    return one.read


@pytest.mark.parametrize("seed", range(LOGS))
def test_columns_read_what_rows_read(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_equal(log(random.Random(seed)), monkeypatch)


@pytest.mark.parametrize("path", sorted((Path(__file__).parents[1] / "data").glob("*.csv")), ids=lambda path: path.name)
def test_columns_read_real_logs_as_rows_do(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert assert_equal(path.read_bytes(), monkeypatch) > 50


@pytest.mark.parametrize("header", ["White,Elo,Black,Elo", "Weiß,DWZ,Schwarz,DWZ", "Winner,Rtg,Loser,Rtg"])
def test_a_rating_behind_each_side_is_that_sides_though_both_are_called_alike(header: str) -> None:
    found = read([f"{header},Result\nBerg,1900,Voss,1850,1-0\nVoss,,Roth,990,1-0\n".encode()])
    assert found.games["white_rating"].fillna(0).tolist() == [1900, 0]
    assert found.games["black_rating"].tolist() == [1850, 990]


def test_points_behind_each_side_are_no_ratings() -> None:
    found = read([b"White,Wertung,Black,Wertung,Result\nBerg,3.5,Voss,12,1-0\nVoss,2,Roth,7.5,1-0\n"])
    assert not [name for name in found.games if "rating" in name]
