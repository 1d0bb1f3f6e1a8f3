"""Makes the books, recalculates them by two engines, and prints what differs from the plan.

A run takes hours for the largest books, so each answer is kept in a file of one JSON object a line, and a book whose
cells, formulas and values are still those that were compared is not run again. The tests hold the same for small books;
this holds it for the sizes that people reach in years.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pandas as pd

from elo_sheets.engines.recalculate import recalculate
from elo_sheets.errors import EloSheetsError
from elo_sheets.files.cells import CellError
from elo_sheets.readers import read
from elo_sheets.systems import system
from elo_sheets.validate import validate
from elo_sheets.workbook.book import Book
from elo_sheets.workbook.build import blank_book, filled_book, plan_book
from elo_sheets.workbook.fits import fitting_systems
from elo_sheets.workbook.plan import Plan
from elo_sheets.workbook.templates import NAMES, template
from elo_sheets.workbook.write import write_book

SAMPLES = Path(__file__).parents[2] / "samples"
SIZES = (0, 40, 2000)
ENGINES = ("ironcalc", "libreoffice")
TIMEOUT = 1800.0
# `validate` recalculates the book once more: beyond so many games it is not asked.
VALIDATED, UNASKED = 40, "–"
# What the games of a system are like; the others take the internationals.
AMERICAN = {"nfl", "nba"}


@dataclass(frozen=True)
class Answer:
    """What came of one book: `differences` is the largest of each engine, in the cell's own unit."""

    template: str
    system: str
    games: int
    cells: int = 0
    differences: dict[str, float] | None = None
    wrong: tuple[str, ...] = ()
    errors: int = 0
    faults: tuple[str, ...] = ()
    verdict: str = ""
    seconds: dict[str, float] | None = None
    refused: str = ""
    fingerprint: str = ""

    @property
    def key(self) -> tuple[str, str, int]:
        return self.template, self.system, self.games


def logs(data: Path | None) -> dict[str, pd.DataFrame]:
    """The real logs: the samples, or the longer ones that they were taken from."""
    nations = SAMPLES / "internationals_1900s.csv"
    teams = SAMPLES / "nfl_1920.csv"
    event = SAMPLES / "uzchesscup.pgn"
    if data is not None:
        nations = data / "football" / "intl_results_1872_1969.csv"
        teams = data / "538" / "nfl_games.csv"
        event = data / "trf" / "karl_mala_2005_trf06.trf"
    played = read([nations]).games
    # Rules that ask for the day cannot begin before the days of spreadsheets do.
    played = played[played["date"].dt.year >= 1900].reset_index(drop=True)
    return {"nations": played, "teams": read([teams]).games, "event": read([event]).games}


def games_for(name: str, rules: str, count: int, known: dict[str, pd.DataFrame]) -> tuple[pd.DataFrame, str | None]:
    """The first games of a log that has what the template and the system read, and whose journal it is."""
    if name == "event":
        return known["event"].head(count), None
    games = known["teams" if rules in AMERICAN else "nations"].head(count)
    if system(rules).settings()["period"] == "event":
        games = games.assign(event=pd.to_datetime(games["date"]).dt.year.astype(str))
    if name != "journal":
        return games, None
    # One player's log: the home side of every game under one name, against a rated opponent.
    rated = games.assign(white="Player 1", white_rating=float("nan"), black_rating=1500.0 + games.index % 37 * 10)
    return rated[rated["black"] != "Player 1"], "Player 1"


def made(name: str, rules: str, count: int, known: dict[str, pd.DataFrame]) -> Book:
    if count == 0 or template(name)["view"] in {"calculator", "match"}:
        return blank_book(name, system(rules), {})
    games, player = games_for(name, rules, count, known)
    return filled_book(name, system(rules), {}, games, player)


def fingerprint(plan: Plan) -> str:
    """Return what changes with any formula cell of a book, its place or its value."""
    digest = hashlib.sha256()
    for cell in plan.formulas():
        digest.update(f"{cell.sheet}|{cell.row}|{cell.column}|{cell.formula}|{cell.value!r}\n".encode())
    return digest.hexdigest()[:16]


def compared(plan: Plan, path: Path, engine: str) -> tuple[float, list[str], int]:
    """The largest difference between the plan and what an engine computes, the places of the first, the errors."""
    values = recalculate(path, engine, timeout=TIMEOUT).values
    worst, wrong, errors = 0.0, [], 0
    for cell in plan.formulas():
        found = values[cell.sheet].get((cell.row, cell.column))
        errors += isinstance(found, CellError)
        if cell.unit == "round":
            continue
        if isinstance(cell.value, float) and isinstance(found, (int, float)):
            off = abs(cell.value - found) / max(1.0, abs(cell.value) / 4000)
            worst = max(worst, off)
            right = off <= 1e-9
        else:
            right = (cell.value or "") == (found or "") and not isinstance(found, CellError)
            worst = worst if right else float("inf")
        if not right and len(wrong) < 5:
            wrong.append(f"{engine} {cell.sheet} {cell.label} row {cell.row}: {cell.value!r}, {found!r}")
    return worst, wrong, errors


def schema_faults(path: Path) -> list[str]:
    validator = os.environ.get("OOXML_VALIDATOR")
    if validator is None:
        return ["OOXML_VALIDATOR is not set"]
    done = subprocess.run([validator, str(path)], capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    return [] if report["ok"] else [str(one)[:200] for one in report["errors"][:3]]


def judged(name: str, rules: str, count: int, known: dict[str, pd.DataFrame], before: Answer | None) -> Answer:
    """Make one book, look at it in every way, and say what came of it; `before` where it is the same book."""
    started = time.perf_counter()
    try:
        plan = plan_book(made(name, rules, count, known))
    except Exception as refusal:  # noqa: BLE001 - said in the table, whatever it is
        return Answer(name, rules, count, refused=f"{type(refusal).__name__}: {refusal}")
    seconds = {"plan": time.perf_counter() - started}
    marked = fingerprint(plan)
    if before is not None and before.fingerprint == marked:
        return before
    differences, wrong, errors = {}, [], 0
    with tempfile.TemporaryDirectory() as folder:
        path, again = Path(folder, "a.xlsx"), Path(folder, "b.xlsx")
        write_book(plan, path)
        write_book(plan_book(made(name, rules, count, known)), again)
        faults = [] if path.read_bytes() == again.read_bytes() else ["two runs give different bytes"]
        faults += schema_faults(path)
        for engine in ENGINES:
            started = time.perf_counter()
            try:
                differences[engine], places, bad = compared(plan, path, engine)
            except Exception as failure:  # noqa: BLE001 - said in the table, whatever it is
                faults.append(f"{engine}: {failure}")
                continue
            seconds[engine] = time.perf_counter() - started
            wrong += places
            errors += bad
        verdict = UNASKED
        if count <= VALIDATED:
            started = time.perf_counter()
            try:
                verdict = validate(path, timeout=TIMEOUT).status
            except EloSheetsError as failure:
                verdict = str(failure)
            seconds["validate"] = time.perf_counter() - started
    return Answer(
        name,
        rules,
        count,
        sum(1 for _ in plan.formulas()),
        differences,
        tuple(wrong),
        errors,
        tuple(faults),
        verdict,
        {key: round(value, 1) for key, value in seconds.items()},
        fingerprint=marked,
    )


def answers(kept: Path) -> dict[tuple[str, str, int], Answer]:
    """What was run before; the last answer of a book counts."""
    found = {}
    if kept.exists():
        for line in kept.read_text().splitlines():
            one = Answer(**json.loads(line))
            found[one.key] = one
    return found


def page(found: Sequence[Answer]) -> Iterator[str]:
    """The lines of the page that is kept in docs/."""
    yield "# Every template with every system"
    yield ""
    yield "Books made from real logs, recalculated by the embedded engine and by LibreOffice, compared cell by cell"
    yield "with the plan; `python -m tests.every_book --data DIR --keep FILE --out docs/books.md` writes this page."
    yield "The columns of the engines hold the largest difference of any formula cell, relative above 4,000."
    yield "What the rounds of an iteration hold on their way is left out: only where they end is determined."
    yield "What has no line was not run since its formulas changed last."
    yield ""
    yield "| template | system | games | formula cells | ironcalc | LibreOffice | error cells | file | validate |"
    yield "|---|---|---:|---:|---:|---:|---:|---|---|"
    for one in found:
        if one.refused:
            yield f"| {one.template} | {one.system} | {one.games} | {one.refused} |||||| "
            continue
        by = [f"{one.differences[e]:.0e}" if one.differences and e in one.differences else "–" for e in ENGINES]
        file = "; ".join(one.faults) or "sound"
        seen = (one.template, one.system, one.games, f"{one.cells:,}", *by, one.errors, file, one.verdict)
        yield f"| {' | '.join(map(str, seen))} |"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.every_book", description=__doc__)
    parser.add_argument("--template", action="append", choices=NAMES)
    parser.add_argument("--system", action="append")
    parser.add_argument("--games", action="append", type=int)
    parser.add_argument("--data", type=Path, help="a folder with football/, 538/ and trf/, for the long logs")
    parser.add_argument("--keep", type=Path, default=Path("books.jsonl"), help="the answers so far")
    parser.add_argument("--out", type=Path, help="write the page")
    given = parser.parse_args(arguments)
    known = logs(given.data)
    found = answers(given.keep)
    for count in given.games or SIZES:
        for name in given.template or NAMES:
            fixed = template(name)["view"] in {"calculator", "match"}
            for rules in fitting_systems(name):
                if (given.system and rules not in given.system) or (fixed and count):
                    continue
                sys.stderr.write(f"{name} {rules} {count} ")
                before = found.get((name, rules, count))
                one = judged(name, rules, count, known, before)
                seen = one.refused or (one.differences, one.errors, one.faults, one.verdict, one.seconds)
                sys.stderr.write("as before\n" if one is before else f"{seen}\n")
                if one is before:
                    continue
                found[one.key] = one
                with given.keep.open("a") as file:
                    file.write(json.dumps(asdict(one)) + "\n")
    if given.out:
        given.out.write_text("\n".join(page([found[key] for key in sorted(found)])) + "\n")
    bad = [
        one.key
        for one in found.values()
        if one.wrong or one.errors or one.faults or one.verdict not in {"agrees", UNASKED}
    ]
    sys.stderr.write("\n".join(f"look at: {' '.join(map(str, key))}" for key in bad) or "all agree")
    sys.stderr.write("\n")
    return 1 if bad else 0
