"""What programs give: any mix and nest of logs, games up to a day, ratings as of a day, histories as Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

import elo_sheets
from elo_sheets.cli import cli
from elo_sheets.errors import UsageError
from elo_sheets.readers import read

LOG = b"date,white,black,result\n2026-01-05,Ann,Bob,1-0\n2026-01-31 20:00,Bob,Cid,1-0\n2026-02-01,Ann,Cid,1-0\n"


def test_any_mix_and_nest_of_logs_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes(LOG)
    frame = pd.DataFrame({"white": ["Dan"], "black": ["Eve"], "result": ["0-1"]})

    def records() -> Iterator[dict[str, Any]]:
        yield {"home": "Fay", "away": "Gil", "score": "2-1"}
        yield {"home": "Gil", "away": "Fay", "score": "1-1"}

    found = read([path, [frame, b"white,black,result\nHal,Ivy,1-0\n"], records()])
    assert (found.kept, found.rejected) == (7, 0)
    assert found.games["white"].tolist()[-2:] == ["Fay", "Gil"]
    for wrong in ({"white": "Ann"}, 7, [7]):
        with pytest.raises(UsageError, match="expected logs"):
            read(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("day", ["2026-01-31", date(2026, 1, 31)])
def test_games_after_a_day_are_kept_out_and_named(day: str | date) -> None:
    found = read(LOG, until=day)
    assert (found.kept, found.rejected) == (2, 1)
    assert (found.problems[0].row, found.problems[0].value) == (4, "2026-02-01")
    assert read(read(LOG).games, until=day).kept == 2
    with pytest.raises(UsageError, match="2026-01-31"):
        read(LOG, until="soon")


def test_ratings_as_of_a_day_are_those_of_the_games_until_then(tmp_path: Path) -> None:
    first = b"\n".join(LOG.split(b"\n")[:3])
    expected = elo_sheets.replay(first, settings={"k": 20}).ratings
    pd.testing.assert_frame_equal(elo_sheets.ratings_as_of(LOG, "2026-01-31", settings={"k": 20}), expected)
    path = tmp_path / "log.csv"
    path.write_bytes(LOG)
    done = CliRunner().invoke(cli, ["replay", str(path), "--until", "2026-01-31", "--set", "k=20", "--json"])
    assert json.loads(done.stdout)["ratings"] == json.loads(json.dumps(expected.to_dict("records")))


def test_a_history_in_parquet_is_the_history(tmp_path: Path) -> None:
    path, target = tmp_path / "log.csv", tmp_path / "history.parquet"
    path.write_bytes(LOG)
    assert CliRunner().invoke(cli, ["replay", str(path), "-o", str(target)]).exit_code == 0
    kept = pd.read_parquet(target)
    pd.testing.assert_frame_equal(kept, elo_sheets.replay(path).history, check_dtype=False)
