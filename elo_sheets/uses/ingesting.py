"""Many logs read by a Dask cluster into Parquet: the games in the order of play, their players by number.

The cluster reads files, each whole by one task; what all logs say together (which games are told twice, how names are
spelled) is found here, so games, problems and remarks are those of `read`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from elo_sheets._late import pd
from elo_sheets.errors import OutputRefused, SystemRefused, UnreadableInput, UsageError, refusal
from elo_sheets.games import GamesRead, Problem, numbered_players
from elo_sheets.readers import HowRead, Logs, one_by_one, read
from elo_sheets.readers._opening import readings_of

if TYPE_CHECKING:
    from elo_sheets.readers._apart import Readings

SCHEMA = 1
SIDES = ("white", "black")
PLAYERS, TOLD = "players.parquet", "reading.json"
# Games of one file: some ten megabytes.
PART = 1_000_000


@dataclass(frozen=True)
class Ingested:
    """A folder of games that `ingest_dask` wrote: `players.parquet`, `reading.json` and parts `games-00000.parquet`.

    `kept` is the number of games; `problems` and `notes` are those of reading.
    """

    folder: Path
    kept: int
    problems: list[Problem]
    notes: list[str]

    @property
    def paths(self) -> list[Path]:
        """The files of games in the order of play."""
        return sorted(self.folder.glob("games-*.parquet"))

    def parts(self) -> Iterator[pd.DataFrame]:
        """Yield the games part by part, in the order of play, with the players' names."""
        names: Any = pd.read_parquet(self.folder / PLAYERS)["name"].array
        for path in self.paths:
            part = pd.read_parquet(path)
            yield part.assign(**{side: names.take(part[side].to_numpy()) for side in SIDES})

    def games(self) -> pd.DataFrame:
        """Return all games as one table, which `replay` and whatever else takes logs takes as it is."""
        return pd.concat(list(self.parts()), ignore_index=True)


def ingest_dask(
    logs: Logs,
    folder: str | Path,
    *,
    cluster: Any = None,
    part: int = PART,
    overwrite: bool = False,
    player: str | None = None,
    **how: Unpack[HowRead],
) -> Ingested:
    """Read logs by a Dask cluster (extra `dask`) and write their games to a folder of Parquet files.

    `cluster` is the address of a scheduler, a `distributed.Client`, or None for processes of this machine that end with
    the call (a script that asks for them needs `if __name__ == "__main__":`, as Dask does). Its workers must see the
    files under the same paths and have this version of elo-sheets. What is no file is read here. `part` is the number
    of games of a file; `player` and `how` are those of `read`.

    The folder holds the games in the order of play, White and Black by their numbers in `players.parquet`, which go by
    first appearance from 0; otherwise the columns are those of a games table. Memory here grows with the games of all
    logs together, on the workers with those of one log.

    Raises what `read` raises, `UsageError` without Dask or pyarrow, and `OutputRefused` for a folder that exists,
    unless `overwrite` and it is one that was written here.
    """
    for package in ("distributed", "pyarrow"):
        if find_spec(package) is None:
            raise UsageError(f"this needs {package}: pip install 'elo-sheets[dask]'")
    if part < 1:
        raise UsageError(f"expected parts of 1 game or more, got {part}")
    target = Path(folder)
    _refuse(target, overwrite)
    with _client(cluster) as client:
        how["workers"] = _Cluster(client)
        log = read(one_by_one(logs), player=player, **how)
    _write(log, target, part)
    return ingested(target)


def ingested(folder: str | Path) -> Ingested:
    """Return what `ingest_dask` wrote to a folder; raises `UnreadableInput` for another folder."""
    told = Path(folder) / TOLD
    try:
        found: Mapping[str, Any] = json.loads(told.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UnreadableInput(f"expected a folder that ingest_dask wrote ({folder}): {error}") from error
    if found.get("schema") != SCHEMA:
        raise UnreadableInput(f"expected {told} of schema {SCHEMA}, got {found.get('schema')!r}: ingest the logs again")
    problems = [Problem(**one) for one in found["problems"]]
    return Ingested(Path(folder), found["kept"], problems, found["notes"])


class _Cluster:
    """Has files read by a cluster, two for each of its threads at a time."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def __call__(self, paths: Sequence[str], how: Any, reader: Any) -> Generator[Readings | None, None, None]:
        """Yield what each file holds, None for one that is to be read here."""
        most = 2 * max(1, sum(self._client.nthreads().values()))
        ahead = iter(paths)
        found: list[Any] = []
        for _ in paths:
            while len(found) < most and (path := next(ahead, None)) is not None:
                found.append(self._client.submit(readings_of, path, how, reader, pure=False))
            yield _result(found.pop(0))


def _result(future: Any) -> Readings | None:
    try:
        result: Readings = future.result()
    except (Exception, CancelledError):  # noqa: BLE001 - whatever it is, it comes again where the log is read next
        return None
    finally:
        future.release()
    return result


@contextmanager
def _client(cluster: Any) -> Iterator[Any]:
    import distributed

    connect: Any = distributed.Client  # which has no types
    if cluster is not None and not isinstance(cluster, str):
        yield cluster
        return
    try:
        client = connect(dashboard_address="localhost:0") if cluster is None else connect(cluster)
    except OSError as error:
        raise SystemRefused(f"expected a Dask scheduler at {cluster!r}: {error}; start it, or leave it out") from error
    with client:
        yield client


# The folder


def _refuse(target: Path, overwrite: bool) -> None:
    if not target.exists():
        return
    if not overwrite:
        raise OutputRefused(f"{target} exists already: choose another folder, or say overwrite")
    if not (target / TOLD).is_file():
        raise OutputRefused(f"{target} is no folder that ingest_dask wrote: choose another one")


def _write(log: GamesRead, target: Path, part: int) -> None:
    """Write the folder beside its place, and move it there once it is whole."""
    beside = target.with_name(f".{target.name}.elo-sheets-run")
    try:
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir(parents=True)
        numbers, names = numbered_players(log.games)
        pd.DataFrame({"player": range(len(names)), "name": pd.array(names, dtype="str")}).to_parquet(
            beside / PLAYERS, engine="pyarrow", index=False
        )
        coded = log.games.assign(**{side: numbers[:, at] for at, side in enumerate(SIDES)})
        for number, start in enumerate(range(0, max(len(coded), 1), part)):
            some = coded.iloc[start : start + part]
            some.attrs = {}
            some.to_parquet(beside / f"games-{number:05}.parquet", engine="pyarrow", index=False)
        told = {"schema": SCHEMA, "read": log.read, "kept": log.kept, "notes": log.notes}
        told["problems"] = [asdict(problem) for problem in log.problems]
        (beside / TOLD).write_text(json.dumps(told, ensure_ascii=False, indent=1), "utf-8")
        if target.exists():
            shutil.rmtree(target)
        beside.rename(target)
    except OSError as error:
        shutil.rmtree(beside, ignore_errors=True)
        reason, remedy = refusal(error)
        raise OutputRefused(f"cannot write {target}: {reason}; {remedy}") from error
