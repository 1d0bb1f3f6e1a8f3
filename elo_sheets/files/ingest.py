"""The door for files that nobody vouches for: looked at first, then read in a process with limits.

The caller's process looks at the name, the size and the first bytes of a file, and never inflates or parses any of
it. A child does that, under limits of memory, processor time and file size, and prints what it read as lines of
JSON: first the book without its cells, then its cells in chunks, then a last line. A child that dies, hangs or
refuses is an `UnreadableInput` here, and nothing worse.

Macros are never run, links never followed, and no name out of a file is ever opened.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import math
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any

from elo_sheets.errors import NotChecked, SystemRefused, UnreadableInput, refusal
from elo_sheets.files.archive import (
    MAX_INFLATED,
    Package,
    check_file,
    check_zip,
    damage_reported,
    is_old_format,
    refuse,
)
from elo_sheets.files.cells import Book, Calc, Cell, CellError, Fault, Validation, Value, without_collection
from elo_sheets.files.package import read_book
from elo_sheets.files.references import Place, Table
from elo_sheets.files.worksheet import MAX_CELLS

TIMEOUT = 30.0  # seconds
MEMORY = 2**30  # bytes
_BYTES_PER_CELL = 600  # what the child needs while it reads and answers
_BYTES_A_SECOND = 2**20  # of unpacked XML: a tenth of what an ordinary machine reads
_CHUNK = 20_000  # cells on one line of the answer
_CHILD = Path(__file__).with_name("ingest_child.py")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/{1,2}[^/\\]")
_ENDINGS = {
    ".csv": ("it is a text file of values, without formulas", "save the workbook itself as .xlsx"),
    ".tsv": ("it is a text file of values, without formulas", "save the workbook itself as .xlsx"),
    ".gsheet": (
        "it is only a shortcut to a Google sheet",
        "open the sheet in Google Sheets and choose File > Download > Microsoft Excel (.xlsx)",
    ),
    ".numbers": (
        "it is a document of Apple Numbers",
        "open it in Numbers and choose File > Export To > Excel",
    ),
    ".xlsb": ("it is a binary workbook (.xlsb)", "save it as .xlsx"),
    ".gnumeric": ("it is a Gnumeric workbook", "save it as .xlsx"),
}


# --- the answer of the child --------------------------------------------------------------------------------


def _head(book: Book) -> dict[str, Any]:
    return {
        "sheets": list(book.sheets),
        "hidden": sorted(book.hidden),
        "tables": [dataclasses.asdict(table) for table in book.all_tables],
        "names": book.names,
        "local_names": [[*key, text] for key, text in book.local_names.items()],
        "calc": dataclasses.asdict(book.calc),
        "validations": [dataclasses.asdict(rule) for rule in book.validations],
        "conditions": book.conditions,
        "merges": book.merges,
        "hidden_rows": {sheet: sorted(rows) for sheet, rows in book.hidden_rows.items()},
        "hidden_columns": {sheet: sorted(columns) for sheet, columns in book.hidden_columns.items()},
        "parts": book.parts,
        "faults": [dataclasses.asdict(fault) for fault in book.faults],
        "format": book.format,
        "comments": [[sheet, *place, text] for sheet, all_ in book.comments.items() for place, text in all_.items()],
        "external_links": book.external_links,
        "macros": book.macros,
        "protected": sorted(book.protected),
        "open_formulas": {sheet: sorted(places) for sheet, places in book.open_formulas.items()},
        "struck_out": {sheet: sorted(places) for sheet, places in book.struck_out.items()},
        "bold": {sheet: sorted(places) for sheet, places in book.bold.items()},
        "charts": book.charts,
        "autofilters": book.autofilters,
        "notes": book.notes,
    }


def _book(path: Path, head: dict[str, Any]) -> Book:
    book = Book(path, {sheet: {} for sheet in head["sheets"]})
    book.hidden = set(head["hidden"])
    book.all_tables = [Table(**table) for table in head["tables"]]
    for table in book.all_tables:
        book.tables.setdefault(table.name, table)
    book.names = head["names"]
    book.local_names = {(sheet, name): text for sheet, name, text in head["local_names"]}
    book.calc = Calc(**head["calc"])
    book.validations = [Validation(**rule) for rule in head["validations"]]
    book.conditions = [(sheet, ranges, formula) for sheet, ranges, formula in head["conditions"]]
    book.merges = head["merges"]
    book.hidden_rows = {sheet: set(rows) for sheet, rows in head["hidden_rows"].items()}
    book.hidden_columns = {sheet: set(columns) for sheet, columns in head["hidden_columns"].items()}
    book.parts = head["parts"]
    book.faults = [Fault(**fault) for fault in head["faults"]]
    for sheet, row, column, text in head["comments"]:
        book.comments.setdefault(sheet, {})[row, column] = text
    for name in ("format", "external_links", "macros", "charts", "autofilters", "notes"):
        setattr(book, name, head[name])
    book.protected = set(head["protected"])
    for name in ("open_formulas", "struck_out", "bold"):
        setattr(book, name, {sheet: set(map(tuple, places)) for sheet, places in head[name].items()})
    return book


def _chunks(sheet: str, cells: dict[Place, Cell]) -> Iterator[list[Any]]:
    """[sheet, rows, columns, formulas, values, places of errors, [place, array, dynamic] …] of some cells each.

    A place is the number of the cell in the chunk.
    """
    items = iter(cells.items())
    while part := list(islice(items, _CHUNK)):
        yield [
            sheet,
            [row for (row, _), _ in part],
            [column for (_, column), _ in part],
            [cell.formula for _, cell in part],
            [cell.value for _, cell in part],
            [index for index, (_, cell) in enumerate(part) if cell.value.__class__ is CellError],
            [[i, cell.array, cell.dynamic] for i, (_, cell) in enumerate(part) if cell.array or cell.dynamic],
        ]


def _add(book: Book, chunk: list[Any], intern: dict[str, str]) -> None:
    sheet, rows, columns, formulas, values, errors, arrays = chunk
    for index in errors:
        values[index] = CellError(values[index])
    cells = book.sheets[sheet]
    one = intern.setdefault
    for row, column, formula, value in zip(rows, columns, formulas, values, strict=True):
        own: Value = one(value, value) if value.__class__ is str else value
        cells[row, column] = Cell(None if formula is None else one(formula, formula), own)
    for index, array, dynamic in arrays:
        place = rows[index], columns[index]
        cells[place] = dataclasses.replace(cells[place], array=array, dynamic=dynamic)


def answer(path: Path, cells: int) -> Iterator[bytes]:
    """The lines that the child prints: a book of at most so many cells, or the reason of its refusal."""
    try:
        book = _read(path, cells)
        yield _line(_head(book))
        for sheet, content in book.sheets.items():
            for chunk in _chunks(sheet, content):
                yield _line(chunk)
        yield _line("end")
    except UnreadableInput as error:
        yield _line({"refused": str(error)})
    except MemoryError:
        yield _line({"refused": str(refuse(path, "it takes too much memory", _SMALLER))})
    except Exception as error:  # noqa: BLE001 - whatever a strange file makes the readers raise, it is not readable
        reason = f"it is not built as expected ({type(error).__name__}: {error})"[:300]
        yield _line({"refused": str(refuse(path, reason, _RESAVE))})


_SMALLER = "split the workbook by years, or remove the sheets and columns that its ratings do not need"
_LONGER = "try again when the machine has less to do, or split the workbook by years"
_RESAVE = "open and save it as .xlsx in a spreadsheet program"


def _line(data: object) -> bytes:
    # Escaped to ASCII: a file may hold half a surrogate pair, which UTF-8 cannot.
    return json.dumps(data, separators=(",", ":")).encode("ascii") + b"\n"


# --- in the child -------------------------------------------------------------------------------------------


def _read(path: Path, cells: int) -> Book:
    with path.open("rb") as stream:
        zipped = stream.read(2) == b"PK"
    if not zipped:
        from elo_sheets.files.xls import is_xls, read_xls

        if is_xls(path):
            return read_xls(path, cells)
        from elo_sheets.files.ods import read_flat

        return read_flat(path, cells)
    with damage_reported(path), zipfile.ZipFile(path) as archive:
        package = Package(path, archive)
        names = set(package.names)
        if "content.xml" in names and "xl/workbook.xml" not in names:
            from elo_sheets.files.ods import read_package

            return read_package(package, cells)
        if "encrypted-package" in names:
            raise refuse(path, "it is protected by a password", "save a copy without a password")
        if any(name.startswith("index/") and name.endswith(".iwa") for name in names) or "index.zip" in names:
            raise refuse(path, *_ENDINGS[".numbers"])
        count = _count_cells(package)
        if count > cells:
            raise refuse(path, f"it has about {count:,} cells, the limit is {cells:,}", _SMALLER)
    return read_book(path, strict=True)


def _count_cells(package: Package) -> int:
    """About how many cells the sheets have, found without parsing them."""
    count = 0
    for name in package.names:
        if name.endswith(".xml") and "worksheets/" in name:
            with package.stream(name) as stream:
                count += sum(_tags(chunk) for chunk in iter(lambda s=stream: s.read(2**20), b""))  # type: ignore[misc]
    return count


def _tags(chunk: bytes) -> int:
    return chunk.count(b"<c ") + chunk.count(b"<c>") + chunk.count(b"<c/") + chunk.count(b":c r=")


# --- in the caller ------------------------------------------------------------------------------------------


def _look(text: str) -> Path:
    """Refuse by the name what no content could redeem."""
    path = Path(text)
    if _URL.match(text):
        raise refuse(path, "it is a web address", "download the file and give its path")
    if path.name.startswith("~$") or (path.name.startswith(".~lock.") and path.name.endswith("#")):
        raise refuse(path, "it is the lock file of an open workbook", "give the workbook itself")
    if path.is_dir() and path.suffix.lower() == ".numbers":
        raise refuse(path, *_ENDINGS[".numbers"])
    return path


def _is_flat(head: bytes) -> bool:
    return b"<office:document" in head or (head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<?xml"))


@contextmanager
def _child(
    path: Path, timeout: float, memory: int, cells: int, home: str
) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    """The reading process, which is dead when this ends, however it ends; `home` is where it finds other packages."""
    from elo_sheets.engines.processes import memory_limit, started, stopping

    limits = [memory_limit(memory), str(math.ceil(timeout + 1)), str(cells), home]
    command = [sys.executable, "-I", "-S", "-B", str(_CHILD), str(path.resolve()), *limits]
    try:
        with started(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            assert process.stdout is not None
            with process.stdout as output, stopping(process, timeout):
                yield process, output
    except OSError as error:
        raise refuse(path, *refusal(error)) from error


def _receive(path: Path, output: IO[bytes]) -> Book | None:
    """The book that the child prints; None when it broke off."""
    first = output.readline()
    if not first.endswith(b"\n"):
        return None
    head = json.loads(first)
    book = _book(path, head) if "refused" not in head else _refused(head)
    intern: dict[str, str] = {}
    for line in output:
        if not line.endswith(b"\n"):
            return None
        chunk = json.loads(line)
        if chunk == "end":
            return book
        if isinstance(chunk, dict):
            _refused(chunk)
        _add(book, chunk, intern)
    return None


def _refused(head: dict[str, Any]) -> Book:
    raise UnreadableInput(head["refused"])


def _home_of(package: str) -> str | None:
    """The folder that a package was installed into, None where it is not."""
    spec = importlib.util.find_spec(package)
    return None if spec is None or spec.origin is None else str(Path(spec.origin).parents[1])


def _read_apart(path: Path, timeout: float, memory: int, home: str = "") -> Book:
    cells = min(MAX_CELLS, max(10_000, memory // _BYTES_PER_CELL))
    with without_collection(), _child(path, timeout, memory, cells, home) as (process, output):
        book = _receive(path, output)
        if book is not None:
            return book
        process.wait()
    if process.returncode in (-9, -24):  # killed by the clock, or by the limit of processor time
        raise refuse(path, f"reading it was stopped after {timeout:g} seconds", _LONGER)
    raise refuse(path, f"reading it failed (exit code {process.returncode}), perhaps for want of memory", _SMALLER)


def _read_old(path: Path, timeout: float, memory: int) -> Book:
    """An .xls file as LibreOffice converts it, with the results that LibreOffice computes."""
    from elo_sheets.engines.office import convert
    from elo_sheets.engines.processes import checking
    from elo_sheets.engines.recalculate import ENGINES
    from elo_sheets.files.save import private_folder

    office = ENGINES["libreoffice"]
    if not office.available():
        raise refuse(
            path,
            "it is an old .xls file, which only LibreOffice can open with its formulas",
            f"save it as .xlsx, or {office.remedy.partition(', or ')[0]}; for a log of games or a list of ratings "
            "pip install 'elo-sheets[xls]' will do",
        )
    macros = "_VBA_PROJECT".encode("utf-16-le") in path.read_bytes()
    try:
        with checking(), private_folder() as folder:
            made = convert(path, "xlsx", folder, timeout=max(timeout, 60.0))
            book = _read_apart(made, timeout, memory)
    except (NotChecked, SystemRefused) as error:
        raise refuse(path, f"it is an old .xls file that could not be converted ({error})", _RESAVE) from error
    book.path, book.format, book.macros = path, "xls", macros
    book.notes.append("an old .xls file, converted by LibreOffice: results that the file had stored are not seen")
    return book


def _seconds_for(path: Path) -> float:
    """How long a slow machine may take to read a file: by the bytes that its parts have unpacked."""
    try:
        with zipfile.ZipFile(path) as archive:
            size = min(sum(info.file_size for info in archive.infolist()), MAX_INFLATED)
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
        size = path.stat().st_size
    return TIMEOUT + size / _BYTES_A_SECOND


def read_any(
    path: str | os.PathLike[str], *, timeout: float | None = None, memory: int = MEMORY, values: bool = False
) -> Book:
    """The book in a file that nobody vouches for: .xlsx, .xlsm, .ods, .fods, and .xls by way of LibreOffice.

    Formulas come in Excel's spelling whatever the format; `Book.format` says which it was, and `Book.notes` what the
    reader had to do. With `values` formulas are not asked for, so that the extra `xls` reads .xls files too. The file
    is inflated and parsed in a child process that may use `memory` bytes and `timeout`
    seconds, or as many as its size needs. Costs about a tenth of a second, and 10 µs for a cell.

    Raises `UnreadableInput`, with a reason and a remedy, for what is missing, damaged, encrypted, of another format,
    or built to exhaust its reader.
    """
    path = _look(os.fspath(path))
    head = check_file(path)
    timeout = _seconds_for(path) if timeout is None else timeout
    if is_old_format(path, head):
        if values and (home := _home_of("xlrd")) is not None:
            return _read_apart(path, timeout, memory, home)
        return _read_old(path, timeout, memory)
    if not head.startswith(b"PK") and not _is_flat(head):
        ending = _ENDINGS.get(path.suffix.lower())
        if ending is not None:
            raise refuse(path, *ending)
        check_zip(path, head)
    return _read_apart(path, timeout, memory)


__all__ = ["MEMORY", "TIMEOUT", "answer", "read_any"]
