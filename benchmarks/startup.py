"""How long `elo-sheets --help` takes, against a Python that does nothing; medians of several runs in turns.

python benchmarks/startup.py [--turns 11] [--json]
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time

HELP = [sys.executable, "-m", "elo_sheets", "--help"]
NOTHING = [sys.executable, "-c", "pass"]


def seconds(command: list[str]) -> float:
    """How long a command takes."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--turns", type=int, default=11)
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    runs = [(seconds(HELP), seconds(NOTHING)) for _ in range(given.turns)]
    shown, nothing = (statistics.median(column) for column in zip(*runs, strict=True))
    if given.json:
        print(json.dumps({"turns": given.turns, "help_seconds": round(shown, 4), "python_seconds": round(nothing, 4)}))
    else:
        print(f"elo-sheets --help  {shown:.3f} s    (under 0.25 s is the aim)")
        print(f"python -c pass     {nothing:.3f} s")


if __name__ == "__main__":
    main()
