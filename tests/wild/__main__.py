"""`python -m tests.wild`: writes the books of the given seeds, validates them, and prints the measured page."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from . import layouts
from .layouts import LAYOUTS, SPELLINGS
from .measure import Outcome, measure
from .page import failures, page
from .real import held


def seeds(text: str) -> list[int]:
    """Return the seeds of 1-5 or 3,7."""
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.wild", description=__doc__)
    parser.add_argument("--seeds", type=seeds, default=[1], help="such as 1-5 or 3,7")
    parser.add_argument("--layout", action="append", help="only layouts whose name begins so; may be given again")
    parser.add_argument("--each", type=int, default=2, help="wrong books a scope, layout and seed")
    parser.add_argument("--spellings", action="store_true", help="every spelling of a result and of the curve, sound")
    parser.add_argument("--real", type=Path, help="a folder of real workbooks, held against what is known of them")
    parser.add_argument("--bare", action="store_true", help="without rows that are no games")
    parser.add_argument("--out", type=Path, help="write the page here")
    parser.add_argument("--failures", type=Path, help="write what fails here")
    parser.add_argument("--keep", type=Path, help="keep the books in this folder")
    chosen = parser.parse_args()
    names = [name for name in LAYOUTS if not chosen.layout or name.startswith(tuple(chosen.layout))]
    names += SPELLINGS if chosen.spellings else []
    layouts.bare = chosen.bare
    outcomes: list[Outcome] = []
    began = time.monotonic()
    for outcome in measure(names, chosen.seeds, chosen.each, chosen.keep):
        outcomes.append(outcome)
        if len(outcomes) % 50 == 0:
            sys.stderr.write(f"{len(outcomes)} books, {time.monotonic() - began:.0f} s\n")
            sys.stderr.flush()
            if chosen.failures:  # so far
                chosen.failures.write_text(page(outcomes) + failures(outcomes), encoding="utf-8")
    text = page(outcomes) + (held(chosen.real) if chosen.real else "")
    (chosen.out.write_text(text, encoding="utf-8") if chosen.out else sys.stdout.write(text))
    if chosen.failures:
        chosen.failures.write_text(text + failures(outcomes), encoding="utf-8")
    return int(any(outcome.status == "agrees" and outcome.scope != "sound" for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
