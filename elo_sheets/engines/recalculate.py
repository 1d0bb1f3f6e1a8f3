"""File → computed values by a real spreadsheet engine, with proof that it recalculated.

An engine that cannot compute a cell may hand back the number that was cached in the file.  Therefore no
engine sees the file itself: it gets a copy, written here from the cells alone, in which every formula's
cached value is one improbable number, together with a sheet of canary formulas whose results are known.  A
number that comes back unchanged, or a canary that comes back wrong, means "not checked", never "agrees".

The copy holds values, formulas, names, tables and hidden rows, and nothing else: no links, macros, drawings
or styles. Engines run in a child process with limits of time and memory.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import marshal
import math
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from elo_sheets.engines import office as _office
from elo_sheets.engines.office import TIMEOUT
from elo_sheets.engines.processes import CHILD, checking, memory_limit, processor_seconds, run_limited
from elo_sheets.engines.sanitised import Job, Values, own_value, sanitise
from elo_sheets.engines.spelling import ForFormualizer, ForIroncalc, Spelling
from elo_sheets.errors import NotChecked, UsageError
from elo_sheets.files.cells import Book, Value
from elo_sheets.files.package import read_book
from elo_sheets.files.references import cell_name
from elo_sheets.files.save import private_folder

__all__ = ["Values"]

MEMORY = 2 * 2**30  # bytes


@dataclass(frozen=True)
class Recalculated:
    """What an engine computed: per sheet, the value of every formula cell and array cell."""

    engine: str
    version: str
    values: Values


@dataclass(frozen=True)
class Engine:
    """A spreadsheet engine: `run` takes jobs and a private folder; it returns its version and the values.

    `spelling` says how it is to see what it would compute wrongly.
    """

    name: str
    remedy: str
    available: Callable[[], bool]
    version: Callable[[], str]
    run: Callable[[Sequence[Job], Path, float, int], tuple[str, list[Values]]]
    knows_tables: bool = True
    knows_1904: bool = False
    spelling: type[Spelling] = Spelling


# --- the embedded engines -----------------------------------------------------------------------------------


def _embedded(engine: str) -> Callable[[Sequence[Job], Path, float, int], tuple[str, list[Values]]]:
    def run(jobs: Sequence[Job], folder: Path, timeout: float, memory: int) -> tuple[str, list[Values]]:
        (folder / "request").write_bytes(marshal.dumps(_request(jobs)))
        limits = [memory_limit(memory), processor_seconds(timeout)]
        files = [str(folder / "request"), str(folder / "answer")]
        run_limited([sys.executable, "-P", str(CHILD), engine, *files, *limits], folder, timeout, engine)
        version, answers = marshal.loads((folder / "answer").read_bytes())
        if isinstance(answers, str):
            raise NotChecked(f"{engine} could not compute the workbook ({answers}); try another engine")
        return version, [_place_values(job, answer) for job, answer in zip(jobs, answers, strict=True)]

    return run


def _request(jobs: Sequence[Job]) -> list[tuple[str, list[tuple[str, int, list[int]]]]]:
    return [
        (
            str(job.copy),
            [
                (sheet, index, [number for place in places for number in place])
                for index, (sheet, places) in enumerate(job.wanted.items())
            ],
        )
        for job in jobs
    ]


def _place_values(job: Job, answer: list[list[object]]) -> Values:
    return {
        sheet: {place: own_value(value) for place, value in zip(places, values, strict=True)}
        for (sheet, places), values in zip(job.wanted.items(), answer, strict=True)
    }


def _installed(module: str) -> Callable[[], bool]:
    return lambda: importlib.util.find_spec(module) is not None


def _distribution(name: str) -> Callable[[], str]:
    def version() -> str:
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            return ""

    return version


# --- the registry and the proof -----------------------------------------------------------------------------

ENGINES: dict[str, Engine] = {
    engine.name: engine
    for engine in (
        Engine(
            "ironcalc",
            "pip install 'ironcalc>=0.9.1,<0.10'",
            _installed("ironcalc"),
            _distribution("ironcalc"),
            _embedded("ironcalc"),
            knows_tables=False,  # it does, but plain references in shared formulas load several times faster
            spelling=ForIroncalc,
        ),
        Engine(
            "formualizer",
            "pip install 'elo-sheets[verify2]'",
            _installed("formualizer"),
            _distribution("formualizer"),
            _embedded("formualizer"),
            spelling=ForFormualizer,
            knows_tables=False,
        ),
        Engine(
            "libreoffice",
            _office.REMEDY,
            lambda: _office.soffice() is not None,
            _office.office_version,
            _office.run_office,
            knows_1904=True,
        ),
    )
}


def engine_named(name: str) -> Engine:
    """The engine; `UsageError` for an unknown name, `NotChecked` for one that is not installed."""
    engine = ENGINES.get(name)
    if engine is None:
        here = [known for known, one in ENGINES.items() if one.available()]
        raise UsageError(f"expected an engine among {', '.join(ENGINES)} (installed: {', '.join(here)}), got {name!r}")
    if not engine.available():
        raise NotChecked(f"the engine {name} is not installed; {engine.remedy}")
    return engine


def _check_settings(book: Book, engine: Engine) -> None:
    if not book.calc.full_precision:
        raise NotChecked(
            f"{book.path.name!r} rounds every value as displayed, which no engine here imitates; "
            "switch 'Set precision as displayed' off in its options"
        )
    if book.calc.date1904 and not engine.knows_1904:
        raise NotChecked(
            f"{book.path.name!r} counts its days from 1904, which {engine.name} ignores; use the engine libreoffice"
        )


def _same(got: Value, expected: Value) -> bool:
    if isinstance(got, float) and isinstance(expected, float):
        return math.isclose(got, expected, rel_tol=1e-9, abs_tol=1e-12)
    return type(got) is type(expected) and got == expected


def _prove(job: Job, book: Book, engine: str, version: str, values: Values) -> Recalculated:
    """The values of the book's own sheets, once they are shown to have been computed."""
    who = f"{engine} {version}".strip()
    for sheet, cells in values.items():
        for (row, column), value in cells.items():
            if value == job.sentinel:
                raise NotChecked(
                    f"{who} did not recalculate {sheet}!{cell_name(row, column)} of {job.source.name!r}: "
                    "it gave the cached number back; try another engine"
                )
    for (row, column), expected in job.canaries.items():
        got = values.get(job.canary_sheet, {}).get((row, column))
        if not _same(got, expected):
            raise NotChecked(
                f"{who} failed the test formula {cell_name(row, column)} beside {job.source.name!r}: "
                f"expected {expected!r}, got {got!r}; try another engine"
            )
    kept = {sheet: cells for sheet, cells in values.items() if sheet in book.sheets}
    return Recalculated(engine, version, kept)


def recalculate_many(
    books: Sequence[Book | str | os.PathLike[str]],
    engine: str = "ironcalc",
    *,
    timeout: float = TIMEOUT,
    memory: int = MEMORY,
) -> list[Recalculated]:
    """As `recalculate`, for many workbooks with one start of the engine; the timeout is for all of them
    together.
    """
    chosen = engine_named(engine)
    with checking(), private_folder() as folder:
        read: list[Book] = []
        jobs: list[Job] = []
        for number, given in enumerate(books, 1):
            book = given if isinstance(given, Book) else read_book(given)
            _check_settings(book, chosen)
            read.append(book)
            copy = folder / f"book{number}.xlsx"
            jobs.append(sanitise(book, copy, tables=chosen.knows_tables, spelling=chosen.spelling(book)))
        version, answers = chosen.run(jobs, folder, timeout, memory)
        found = zip(jobs, read, answers, strict=True)
        return [_prove(job, book, chosen.name, version, values) for job, book, values in found]


def recalculate(
    book: Book | str | os.PathLike[str],
    engine: str = "ironcalc",
    *,
    timeout: float = TIMEOUT,
    memory: int = MEMORY,
) -> Recalculated:
    """Every formula of a workbook, computed anew by `engine`: 'ironcalc', 'formualizer' or 'libreoffice'.

    The file itself is not touched.  Blank results are "".  An error value such as `#NAME?` comes back as a
    `CellError`: it may mean that the workbook is wrong, or that the engine does not know a function.
    LibreOffice keeps 15 digits.

    Raises `NotChecked` when the engine is missing, cannot load the workbook, exceeds `timeout` seconds or
    `memory` bytes, or cannot be shown to have computed.
    """
    return recalculate_many([book], engine, timeout=timeout, memory=memory)[0]
