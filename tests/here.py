"""Files are read, and books computed by ironcalc, in the process of the tests: without limits, and as a child does it.

Starting the two children takes longer than what most tests have them do. The tests of the children themselves, of what
an attacker's file may do and of what the system refuses are in files that `APART` names: they start them.
"""

from __future__ import annotations

import dataclasses
import faulthandler
import io
import sys
from collections.abc import Sequence
from pathlib import Path

from elo_sheets.engines import engine_child, recalculate
from elo_sheets.engines.sanitised import Job, Values
from elo_sheets.files import ingest
from elo_sheets.files.cells import Book, without_collection

APART = (
    "test_faults",
    "test_fuzz",
    "test_ingest",
    "test_network",
    "test_outside",
    "test_recalculate",
    "test_save",
    "test_serve",
)
MOST_SECONDS = 600  # then the worker ends, saying where: what is computed here cannot be stopped otherwise

_read_apart = ingest._read_apart
_engine = recalculate.ENGINES["ironcalc"]


def _read(path: Path, timeout: float, memory: int, home: str = "") -> Book:
    if home:  # other packages are found there
        return _read_apart(path, timeout, memory, home)
    with without_collection():
        book = ingest._receive(path, io.BytesIO(b"".join(ingest.answer(path, ingest.MAX_CELLS))))
    assert book is not None
    return book


def _compute(jobs: Sequence[Job], folder: Path, timeout: float, memory: int) -> tuple[str, list[Values]]:
    faulthandler.dump_traceback_later(MOST_SECONDS, exit=True, file=sys.__stderr__)
    try:
        version, answers = engine_child._ironcalc(recalculate._request(jobs))
    finally:
        faulthandler.cancel_dump_traceback_later()
    return version, [recalculate._place_values(job, answer) for job, answer in zip(jobs, answers, strict=True)]


_here = dataclasses.replace(_engine, run=_compute)


def choose(name: str) -> None:
    """Let the tests of a file have the children, or do without them."""
    is_apart = name.startswith(APART)
    ingest._read_apart = _read_apart if is_apart else _read
    recalculate.ENGINES["ironcalc"] = _engine if is_apart else _here
