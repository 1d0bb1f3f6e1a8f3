"""Logs read by several processes: what is found, and what is said, is the same as by one."""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from elo_sheets.cli import cli
from elo_sheets.errors import EloSheetsError, UsageError
from elo_sheets.games import GamesRead
from elo_sheets.readers import Reader, read

DATA = Path(__file__).parents[1] / "data"

RESULTS = ("1-0", "0-1", "=", "x")

READER = """
import os
from elo_sheets.readers import Reader, Reading

def fits(log, how):
    return log.name.endswith(".odd")

def odd(log, how):
    print("a reader may print")
    if os.environ.get("PYTHONSAFEPATH"):
        os._exit(9)
    yield Reading(records=[{"white": "Player 1", "black": "Player 2", "score": 1.0, "date": None, "source": log.name,
                            "source_row": 1}])

ODD = Reader("odd", fits, odd)
"""


def months(folder: Path) -> list[Path]:
    """Write logs of several kinds: games told twice within and across them, broken rows, comments."""
    pgn = (DATA / "uzchesscup.pgn").read_text("utf-8")
    games = pgn.split("\n\n[Event")
    chance = random.Random(5)
    texts = {
        "a.pgn": "\n\n[Event".join(games[:12]) + "\n",
        "b.pgn": pgn.replace('[Result "1-0"]', '[Result "*"]', 2),
        "c.csv": (DATA / "internationals_1872.csv").read_text("utf-8"),
        "d.csv": "date,white,black,result\n"
        + "".join(
            f"2024-01-{day:02},Player {day % 5},Player {chance.randrange(6)},{chance.choice(RESULTS)}\n"
            for day in range(1, 29)
        ),
        "e.csv": (DATA / "internationals_1872.csv").read_text("utf-8"),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    return [folder / name for name in texts]


def assert_same(one: GamesRead, other: GamesRead) -> None:
    pd.testing.assert_frame_equal(one.games, other.games)
    assert one.games.attrs == other.games.attrs
    assert list(map(str, one.problems)) == list(map(str, other.problems))
    assert one.notes == other.notes


def test_several_processes_find_what_one_finds(tmp_path: Path) -> None:
    logs = months(tmp_path)
    alone = read(logs)
    assert alone.kept > 150
    assert alone.rejected > 20
    heard: list[int] = []
    assert_same(alone, read([str(log) for log in logs], workers=2, progress=heard.append))
    assert heard == sorted(heard)
    assert heard[-1] == read(logs, keep_duplicates=True).read


def test_the_command_prints_the_same_bytes(tmp_path: Path) -> None:
    months(tmp_path)
    asked = ["replay", str(tmp_path / "*.csv"), str(tmp_path / "a.pgn")]
    outputs = []
    for workers in (["--workers", "1"], ["--workers", "3"]):
        history = tmp_path / "out" / "history.csv"
        history.parent.mkdir(exist_ok=True)
        done = CliRunner().invoke(cli, [*asked, "-o", str(history), "--force", *workers])
        assert done.exit_code == 0, done.output
        outputs.append((done.stdout, done.stderr, history.read_bytes()))
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize("bad", ["missing.csv", "empty.csv"])
def test_errors_are_those_of_reading_here(bad: str, tmp_path: Path) -> None:
    logs = [*months(tmp_path), tmp_path / bad]
    (tmp_path / "empty.csv").write_bytes(b"")
    said = []
    for workers in (1, 2):
        with pytest.raises(EloSheetsError) as raised:
            read(logs, workers=workers)
        said.append(str(raised.value))
    assert said[0] == said[1]


def test_a_process_that_ends_leaves_its_logs_to_this_one(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "club.py").write_text(READER, "utf-8")
    (tmp_path / "x.odd").write_text("odd", "utf-8")
    logs = [*months(tmp_path), tmp_path / "x.odd"]
    reader = f"{tmp_path / 'club.py'}:ODD"
    assert_same(read(logs, reader=reader), read(logs, reader=reader, workers=2))


def test_what_cannot_be_shared_is_refused_by_name(tmp_path: Path) -> None:
    logs = months(tmp_path)
    own = Reader("own", lambda log, how: False, lambda log, how: ())
    with pytest.raises(UsageError, match=r"FILE\.py:NAME"):
        read(logs, reader=own, workers=2)
    with pytest.raises(UsageError, match="1 worker or more"):
        read(logs, workers=0)
