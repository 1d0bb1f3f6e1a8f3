"""How long a log takes to become games, against `pandas.read_csv` and python-chess on the same file; medians in turns.

CPU time of a made-up log: players by 1 / rank, days over ten years; PGN with the tags of Lichess, also compressed by
zstd where that can be unpacked. A plain loop over the lines, which finds nothing but the tags, and python-chess, where
installed, read headers alone. The whole command `replay` is run once on each file: CPU seconds and peak memory.

python benchmarks/reading.py [--games 100000] [--turns 5] [--json]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from elo_sheets.readers import read

PLAYERS = 100_000
MEASURED = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


def made_up(games: int, folder: Path) -> tuple[Path, Path]:
    """Write one log as CSV and as PGN."""
    chance = np.random.default_rng(7)
    share = np.cumsum(1 / np.arange(1, PLAYERS + 1))
    white, black = (np.searchsorted(share, chance.random(games) * share[-1]) for _ in range(2))
    black[white == black] = (black[white == black] + 1) % PLAYERS
    days = np.datetime_as_string(np.datetime64("2015-01-01") + np.sort(chance.integers(0, 3650, games)))
    results = np.array(["1-0", "0-1", "1/2-1/2"])[chance.choice(3, games, p=[0.4, 0.35, 0.25])]
    rows = list(zip(days.tolist(), white.tolist(), black.tolist(), results.tolist(), strict=True))
    table, pgn = folder / "log.csv", folder / "log.pgn"
    with table.open("w", encoding="utf-8") as stream:
        stream.write("date,white,black,result\n")
        stream.writelines(f"{day},Player {one},Player {two},{result}\n" for day, one, two, result in rows)
    with pgn.open("w", encoding="utf-8") as stream:
        moves = " ".join(f"{number}. Nf3 Nc6 {number + 1}. Ng1 Nb8" for number in range(1, 60, 2))
        stream.writelines(
            f'[Event "Rated Blitz game"]\n[Site "https://lichess.org/{number:08}"]\n[Date "{day.replace("-", ".")}"]\n'
            f'[Round "-"]\n[White "Player {one}"]\n[Black "Player {two}"]\n[Result "{result}"]\n'
            f'[UTCDate "{day.replace("-", ".")}"]\n'
            f'[UTCTime "{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}"]\n'
            f'[WhiteElo "{1200 + one % 900}"]\n[BlackElo "{1200 + two % 900}"]\n[WhiteRatingDiff "+5"]\n'
            f'[BlackRatingDiff "-5"]\n[ECO "B{number % 100:02}"]\n[Opening "Opening {number % 500}"]\n'
            f'[TimeControl "180+2"]\n[Termination "Normal"]\n\n{moves} {result}\n\n'
            for number, (day, one, two, result) in enumerate(rows)
        )
    return table, pgn


def headers(path: Path) -> None:
    """Read all headers of a PGN file by python-chess."""
    import chess.pgn  # type: ignore[import-not-found, unused-ignore]

    with path.open(encoding="utf-8") as stream:
        while chess.pgn.read_headers(stream) is not None:
            pass


def line_loop(path: Path) -> None:
    """Find the tags of a PGN file line by line, and nothing else."""
    game: dict[str, str] = {}
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            if line.startswith("["):
                name, _, value = line[1:].partition(' "')
                if name == "Event":
                    game = {}
                game[name] = value[:-3]


def zipped(path: Path) -> Path | None:
    """Write a file compressed by zstd beside it, where a package or the standard library can."""
    try:
        data = importlib.import_module("compression.zstd").compress(path.read_bytes())
    except ImportError:
        if importlib.util.find_spec("zstandard") is None:
            return None
        data = importlib.import_module("zstandard").compress(path.read_bytes())
    packed = path.with_name(f"{path.name}.zst")
    packed.write_bytes(data)
    return packed


def command(path: Path) -> dict[str, float]:
    """Return the CPU seconds and the peak memory in MB of the whole command on a file."""
    # From a small process: the memory of the one that starts a program counts for the program's.
    job = [sys.executable, "-c", MEASURED, sys.executable, "-m", "elo_sheets", "replay", str(path)]
    used, peak = map(float, subprocess.run(job, check=True, capture_output=True, text=True).stdout.split())
    return {"s": used, "MB": peak / (1 << 10)}


def seconds(job: Callable[[], object]) -> float:
    """Return the CPU time of a job."""
    start = time.process_time()
    job()
    return time.process_time() - start


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--games", type=int, default=100_000)
    options.add_argument("--turns", type=int, default=5)
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table, pgn = made_up(given.games, Path(folder))
        jobs: dict[str, Callable[[], object]] = {
            "pandas.read_csv": lambda: pd.read_csv(table),
            "CSV to games": lambda: read([table]),
            "PGN to games": lambda: read([pgn]),
            "plain line loop over the PGN": lambda: line_loop(pgn),
        }
        if importlib.util.find_spec("chess"):
            jobs["python-chess headers"] = lambda: headers(pgn)
        packed = zipped(pgn)
        if packed is not None:
            jobs["PGN by zstd to games"] = lambda: read([packed])
        runs = [{name: seconds(job) for name, job in jobs.items()} for _ in range(given.turns)]
        whole = {path.suffix: command(path) for path in (table, pgn)}
    found = {name: statistics.median(run[name] for run in runs) for name in jobs}
    found["CSV to games / read_csv"] = found["CSV to games"] / found["pandas.read_csv"]
    found["plain line loop / PGN to games"] = found["plain line loop over the PGN"] / found["PGN to games"]
    if "python-chess headers" in found:
        found["python-chess headers / PGN to games"] = found["python-chess headers"] / found["PGN to games"]
    if packed is not None:
        found["PGN by zstd / PGN to games"] = found["PGN by zstd to games"] / found["PGN to games"]
    for suffix, used in whole.items():
        found |= {f"replay log{suffix}, {unit}": value for unit, value in used.items()}
    if given.json:
        json.dump({"games": given.games, **{name: round(value, 4) for name, value in found.items()}}, sys.stdout)
    for name, value in found.items() if not given.json else ():
        print(f"{name:36} {value:8.3f}")


if __name__ == "__main__":
    main()
