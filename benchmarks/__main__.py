"""One page of ratios: what elo-sheets takes beside what its peer takes, both measured in the same run.

python -m benchmarks [--quick] [--only reading,startup] [-o PAGE.md]

Runs the scripts of this folder one after the other and writes their ratios as a table in Markdown: what each number
means, what is aimed at, and whether that was reached. What needs a program or a package that is not there is named as
not measured. `--quick` takes smaller logs and fewer turns.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
Found = dict[str, Any]


class Ratio(NamedTuple):
    """A number of a script: where it stands, what it means, what is aimed at."""

    script: str
    value: Callable[[Found], float | None]
    meaning: str
    least: float | None = None
    most: float | None = None

    @property
    def aim(self) -> str:
        """The aim as it is printed."""
        if self.least is not None:
            return f"at least {self.least:g}"
        return "" if self.most is None else f"at most {self.most:g}"

    def reached(self, value: float) -> str:
        """Say whether a value is what is aimed at."""
        if self.least is None and self.most is None:
            return ""
        good = value >= self.least if self.least is not None else value <= (self.most or 0)
        return "yes" if good else "**no**"


def at(*keys: str) -> Callable[[Found], float | None]:
    """Return what finds a number by its keys, one within the other."""

    def value(found: Found) -> float | None:
        here: Any = found
        for key in keys:
            here = here.get(key) if isinstance(here, dict) else None
        return here

    return value


# Each script with its arguments, and those for a quick look.
SCRIPTS: dict[str, tuple[list[str], list[str]]] = {
    "startup": (["--json"], ["--json", "--turns", "3"]),
    "reading": (["--json"], ["--json", "--games", "20000", "--turns", "3"]),
    "replay": (["--json"], ["--json", "--games", "1000000", "--plain-games", "50000", "--glicko-games", "100000"]),
    "write_league": (["--json"], ["--json", "--games", "1000", "--players", "50", "--turns", "3"]),
    "validate_journal": ([], ["1000"]),
    "recalculate_league": (["--json"], ["--json", "--games", "500", "--players", "30", "--turns", "1"]),
    "simulate": ([], ["500"]),
}

RATIOS = (
    Ratio(
        "startup",
        lambda found: found["help_seconds"] / found["python_seconds"],
        "`elo-sheets --help` / a Python that does nothing",
    ),
    Ratio("startup", at("slowest_ratio"), "`systems`, `calc` and their like, the slowest / `--help`", most=1.5),
    Ratio("reading", at("CSV to games / read_csv"), "a CSV file to games / `pandas.read_csv` of it", most=2.3),
    Ratio("reading", at("plain line loop / PGN to games"), "a loop over the lines of a PGN file / its games", least=2),
    Ratio("reading", at("python-chess headers / PGN to games"), "python-chess's headers / the games", least=20),
    Ratio("reading", at("PGN by zstd / PGN to games"), "a PGN file compressed by zstd / the plain file", most=1.4),
    Ratio("replay", at("elo", "bare_loop_ratio"), "a bare numba loop of Elo / our compiled replay", least=0.5),
    Ratio("replay", at("elo", "fastest_peer_ratio"), "the fastest package for Elo / our compiled replay", least=20),
    Ratio("replay", at("glicko2", "fastest_peer_ratio"), "the fastest package for Glicko-2 / ours", least=1),
    Ratio("write_league", at("ratio"), "a league as a book / a plain XlsxWriter script of the same cells", most=0.5),
    Ratio("validate_journal", at("ratio"), "`validate` of a journal / LibreOffice recalculating it", most=1),
    Ratio("recalculate_league", at("ratio"), "LibreOffice on a league / on one without searches", most=3),
    Ratio("simulate", at("no_update_ratio"), "`simulate` / a plain Python loop", most=1),
    Ratio("simulate", at("update_ratio"), "`simulate` with ratings that follow / a plain Python loop", most=1),
)


def measured(script: str, quick: bool) -> Found | str:
    """Return what a script found, or its last words."""
    command = [sys.executable, str(HERE / f"{script}.py"), *SCRIPTS[script][quick]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    found: Found = json.loads(done.stdout)
    return found


def rows(scripts: list[str], quick: bool) -> Iterator[str]:
    """Yield a row of the table for each ratio."""
    for script in scripts:
        print(f"{script} …", file=sys.stderr)
        found = measured(script, quick)
        for ratio in RATIOS:
            if ratio.script != script:
                continue
            value = None if isinstance(found, str) else ratio.value(found)
            reason = found if isinstance(found, str) else "its peer is not installed"
            shown = f"{value:.3g} | {ratio.aim} | {ratio.reached(value)}" if value is not None else f"| | {reason}"
            yield f"| {ratio.meaning} | {shown} |"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true")
    options.add_argument("--only", default=",".join(SCRIPTS), metavar="SCRIPT,…")
    options.add_argument("-o", "--output", type=Path)
    given = options.parse_args()
    scripts = given.only.split(",")
    if unknown := [script for script in scripts if script not in SCRIPTS]:
        options.error(f"expected scripts out of {', '.join(SCRIPTS)}, got {', '.join(unknown)}")
    page = [
        "# Ratios",
        "",
        "Each number is a quotient of two times that were measured in turns in one run, the first named by the second.",
        f"Python {platform.python_version()}, {platform.machine()}{', a quick look' if given.quick else ''}.",
        "",
        "| what / beside what | ratio | aim | reached |",
        "| --- | ---: | --- | --- |",
        *rows(scripts, given.quick),
        "",
    ]
    text = "\n".join(page)
    if given.output is None:
        print(text)
    else:
        given.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
