"""How long `elo-sheets --help` takes, and commands that only list or calculate, against a Python that does nothing.

python benchmarks/startup.py [--turns 11] [--json]

Medians of several runs in turns.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time

NOTHING = [sys.executable, "-c", "pass"]
HELP = "--help"
SMALL = ("systems", "profiles", "templates", "rules", "calc 1600 1500", "match 1600 1500")


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
    commands = {"python -c pass": NOTHING}
    commands |= {text: [sys.executable, "-m", "elo_sheets", *text.split()] for text in (HELP, *SMALL)}
    runs = [[seconds(command) for command in commands.values()] for _ in range(given.turns)]
    took = {text: statistics.median(column) for text, column in zip(commands, zip(*runs, strict=True), strict=True)}
    if given.json:
        found = {
            "turns": given.turns,
            "help_seconds": round(took[HELP], 4),
            "python_seconds": round(took["python -c pass"], 4),
            "slowest_ratio": round(max(took[text] for text in SMALL) / took[HELP], 2),
        }
        print(json.dumps(found))
        return
    for text, median in took.items():
        print(f"{text:16} {median:.3f} s  {median / took[HELP]:.2f} of --help")


if __name__ == "__main__":
    main()
