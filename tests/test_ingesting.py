"""A Dask cluster reads logs into Parquet: the games, problems and ratings are those of reading them here."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import elo_sheets
from elo_sheets.errors import EloSheetsError, OutputRefused, UnreadableInput, UsageError

DATA = Path(__file__).parent / "data"

distributed = pytest.importorskip("distributed")
pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a cluster's own ports and clocks
        with (
            distributed.LocalCluster(
                2, threads_per_worker=1, processes=False, dashboard_address="localhost:0"
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client


@pytest.fixture
def logs(tmp_path: Path) -> list[Path]:
    broken = tmp_path / "broken.csv"
    broken.write_text("date,white,black,result\n2024-01-01,Player 1,Player 2,1-0\nx,Player 1,Player 1,2\n", "utf-8")
    return [DATA / "uzchesscup.pgn", DATA / "internationals_1872.csv", broken, DATA / "internationals_1872.csv"]


def test_the_games_are_those_of_reading_here(client: Any, logs: list[Path], tmp_path: Path) -> None:
    alone = elo_sheets.read(logs)
    assert alone.kept > 140
    assert alone.rejected > 100
    found = elo_sheets.ingest_dask(logs, tmp_path / "games", cluster=client, part=40)
    assert len(found.paths) == -(-alone.kept // 40)
    assert list(map(len, found.parts()))[:2] == [40, 40]
    pd.testing.assert_frame_equal(found.games(), alone.games)
    assert (found.kept, found.problems, found.notes) == (alone.kept, alone.problems, alone.notes)
    again = elo_sheets.ingested(tmp_path / "games")
    assert again == found
    ratings = elo_sheets.replay(logs).ratings
    pd.testing.assert_frame_equal(elo_sheets.replay(again.games()).ratings, ratings)
    parts = pd.concat([pd.read_parquet(path) for path in found.paths])
    names = pd.read_parquet(tmp_path / "games" / "players.parquet").set_index("player")["name"]
    assert parts["white"].map(names).tolist() == alone.games["white"].tolist()


def test_a_cluster_is_found_by_its_address(client: Any, logs: list[Path], tmp_path: Path) -> None:
    address = client.scheduler.address
    found = elo_sheets.ingest_dask(logs[1], tmp_path / "games", cluster=address, until="1900-12-31")
    assert found.kept == elo_sheets.read(logs[1], until="1900-12-31").kept > 10


def test_errors_are_those_of_reading_here(client: Any, logs: list[Path], tmp_path: Path) -> None:
    empty = tmp_path / "empty.csv"
    empty.write_bytes(b"")
    said = []
    for job in (elo_sheets.read, lambda some: elo_sheets.ingest_dask(some, tmp_path / "games", cluster=client)):
        with pytest.raises(EloSheetsError) as raised:
            job([*logs, empty])
        said.append(str(raised.value))
    assert said[0] == said[1]
    assert not (tmp_path / "games").exists()


def test_no_folder_is_harmed(client: Any, logs: list[Path], tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "letter.txt").write_text("mine", "utf-8")
    for overwrite in (False, True):
        with pytest.raises(OutputRefused):
            elo_sheets.ingest_dask(logs, own, cluster=client, overwrite=overwrite)
    assert [path.name for path in own.iterdir()] == ["letter.txt"]
    for overwrite in (False, True):
        elo_sheets.ingest_dask(logs[2:3], tmp_path / "games", cluster=client, overwrite=overwrite)
    with pytest.raises(OutputRefused, match="exists already"):
        elo_sheets.ingest_dask(logs, tmp_path / "games", cluster=client)
    assert elo_sheets.ingested(tmp_path / "games").kept == 1
    with pytest.raises(UnreadableInput, match="ingest_dask wrote"):
        elo_sheets.ingested(own)
    with pytest.raises(UsageError, match="1 game or more"):
        elo_sheets.ingest_dask(logs, tmp_path / "other", cluster=client, part=0)
