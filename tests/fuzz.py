"""Books that are changed at random go through all of `validate`, the annotated copy too: nothing may crash or hang.

    python -m tests.fuzz [--seconds 3600] [--first SEED]

A seed makes one book, always the same. The seeds of books that were not met well are kept in KEPT, and tried by the
tests ever since.
"""

from __future__ import annotations

import argparse
import random
import re
import signal
import sys
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import xlsxwriter

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
LONGEST = 120  # seconds for one book
KEPT: tuple[int, ...] = (1075, 1163, 1220, 1300, 1494, 1515, 1570, 1980, 2261, 200476)

VALUES = ["", "0", "-1", "1e308", "-1e-308", "1E400", "nan", "0.1", "99999999999", "x", "=1", "#REF!", "\u202e", "1-0"]
FORMULAS = [
    "", "A1", "1/0", "B2+", "SUM(", "(((((1", "'", '"', "1E+999", "A1:XFD1048576", "IF(", "LOG(0)", "-2^2", "Sheet9!A1",
    "[1]Log!A1", "INDIRECT(A1)", "RAND()", "Table1[[#This Row],[x]]", "OFFSET(A1,1,1)", "{1,2;3,4}", "10^999", "#REF!",
    "1/(1+10^((B2-C2)/400))", "SUMIF(A:A,A1,B:B)", "NOSUCH(1)", "1=1=1", "A1 A2", "_xlfn.LET(x,1,x)",
]  # fmt: skip
ATTRIBUTES = ["0", "-1", "", "x", "99999999999999", "1.5", "A1", "XFD1048576", "A0", "A1:", "rId999", "true"]

Change = Callable[[str, random.Random], str]


def _one(pattern: str, replace: Callable[[re.Match[str], random.Random], str]) -> Change:
    """A change of one of the places where a pattern stands."""

    def change(text: str, chance: random.Random) -> str:
        found = list(re.finditer(pattern, text, re.S))
        if not found:
            return text
        place = chance.choice(found)
        return text[: place.start()] + replace(place, chance) + text[place.end() :]

    return change


def _swap(text: str, chance: random.Random) -> str:
    cells = list(re.finditer(r"<c [^>]*(?:/>|>.*?</c>)", text, re.S))
    if len(cells) < 2:
        return text
    a, b = sorted(chance.sample(cells, 2), key=lambda cell: cell.start())
    return text[: a.start()] + b[0] + text[a.end() : b.start()] + a[0] + text[b.end() :]


def _cut(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + text[at + chance.choice((1, 3, 50, 1000)) :]


CHANGES: tuple[Change, ...] = (
    _one(r"(?<=<v>)[^<]*", lambda _, chance: chance.choice(VALUES)),
    _one(r"(?<=<v>)[^<]*", lambda found, chance: str(chance.randrange(4000)) + found[0][-1:]),
    _one(r"(?<=>)[^<]*(?=</f>)", lambda _, chance: chance.choice(FORMULAS)),
    _one(r"(?<=>)[^<]*(?=</f>)", lambda found, chance: _cut(found[0], chance)),
    _one(r"[0-9]+(?=[^<>]*</f>)", lambda _, chance: str(chance.choice((0, 1, 2, 16, 400, 10**9)))),
    _one(r"[-+*/^](?=[^<>]*</f>)", lambda _, chance: chance.choice("-+*/^&=")),
    _one(r"<c [^>]*(?:/>|>.*?</c>)", lambda found, chance: found[0] * chance.choice((0, 2))),
    _one(r"<row .*?(?:/>|</row>)", lambda found, chance: found[0] * chance.choice((0, 2))),
    _one(r'(?<==")[^"]*(?=")', lambda _, chance: chance.choice(ATTRIBUTES)),
    _one(r"<(\w+)[^>]*/>", lambda found, chance: found[0] * chance.choice((0, 2))),
    _one(r"(?<=<t>)[^<]*", lambda _, chance: chance.choice([*VALUES, "Elo", "K", "Rating", "Expected", "Result"])),
    _swap,
)


def ledger(path: Path) -> None:
    """A small log as somebody else would keep it."""
    with xlsxwriter.Workbook(path) as book:
        log = book.add_worksheet("Log")
        log.write_row("A1", ["Date", "Player", "Opponent", "Rating", "Opp rating", "Result", "Expected", "K", "New"])
        rating = 1500.0
        for row in range(2, 14):
            opponent, score = 1400.0 + 37 * row, (0, 0.5, 1)[row % 3]
            expected = 1 / (1 + 10 ** ((opponent - rating) / 400))
            log.write_row(f"A{row}", [46000 + row, "Player 1", f"Player {row}"])
            log.write_formula(f"D{row}", "=1500" if row == 2 else f"=I{row - 1}", None, rating)
            log.write_row(f"E{row}", [opponent, score])
            log.write_formula(f"G{row}", f"=1/(1+10^((E{row}-D{row})/400))", None, expected)
            log.write_number(f"H{row}", 20)
            rating += 20 * (score - expected)
            log.write_formula(f"I{row}", f"=D{row}+H{row}*(F{row}-G{row})", None, rating)


def sources(folder: Path) -> list[Path]:
    """The books that are changed."""
    ledger(folder / "ledger.xlsx")
    return [folder / "ledger.xlsx", *sorted(SAMPLES.glob("*.xlsx"))]


def make(seed: int, books: list[Path], target: Path) -> Path:
    """The book of a seed: one to eight changes in the parts of another, the small ones more often."""
    chance = random.Random(seed)
    source = chance.choices(books, [8, *([1] * (len(books) - 2)), 4])[0]
    with zipfile.ZipFile(source) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheets = [name for name in parts if "worksheets/sheet" in name or "tables/" in name]
    for _ in range(chance.randint(1, 8)):
        name = chance.choice(sheets if chance.random() < 0.85 else list(parts))
        text = parts[name].decode("utf-8")
        change = _cut if chance.random() < 0.03 else chance.choice(CHANGES)
        parts[name] = change(text, chance).encode("utf-8")
    if chance.random() < 0.02:
        del parts[chance.choice(list(parts))]
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return target


class TooLong(BaseException):
    """A book took longer than LONGEST."""


def _ring(*_: object) -> None:
    raise TooLong


def check(path: Path, copy: Path) -> str:
    """How `validate` meets a book, which it must not crash on."""
    from elo_sheets.errors import EloSheetsError
    from elo_sheets.validate import validate
    from elo_sheets.verdict.annotate import annotate
    from elo_sheets.verdict.report import as_record, as_text
    from elo_sheets.verdict.sarif import as_sarif

    try:
        verdict = validate(path, timeout=60)
        as_text(verdict, roles=True), as_record(verdict), as_sarif(verdict)
    except EloSheetsError as error:
        return f"refused ({error.exit_code})"
    try:
        annotate(path, copy, verdict, overwrite=True)
    except EloSheetsError:
        return f"{verdict.status}, not annotated"
    return verdict.status


def fuzz(seconds: float, first: int) -> tuple[Counter[str], list[int]]:
    """How many books ended how, and the seeds of those that crashed or hung."""
    ends: Counter[str] = Counter()
    bad = []
    until = time.monotonic() + seconds
    signal.signal(signal.SIGALRM, _ring)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        folder = Path(name)
        books = sources(folder)
        seed = first
        while time.monotonic() < until:
            try:
                signal.alarm(LONGEST)
                ends[check(make(seed, books, folder / "book.xlsx"), folder / "copy.xlsx")] += 1
            except (Exception, TooLong):  # noqa: BLE001 - what it looks for
                bad.append(seed)
                ends["crashed or hung"] += 1
                print(f"seed {seed}:\n{traceback.format_exc()}", flush=True)  # noqa: T201
            finally:
                signal.alarm(0)
            seed += 1
    return ends, bad


def main() -> int:
    parser = argparse.ArgumentParser(description="Let validate meet books that are changed at random.")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--first", type=int, default=1)
    given = parser.parse_args()
    ends, bad = fuzz(given.seconds, given.first)
    told = ", ".join(f"{count} {end}" for end, count in ends.most_common())
    print(f"{ends.total()} books from seed {given.first}: {told}; bad: {bad or 'none'}")  # noqa: T201
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
