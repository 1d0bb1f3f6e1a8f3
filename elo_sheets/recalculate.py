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
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias
from xml.sax.saxutils import escape as escape_xml

from elo_sheets.errors import NotChecked, UnreadableInput, UsageError
from elo_sheets.package import (
    Book,
    Cell,
    CellError,
    Place,
    Table,
    Value,
    cell_name,
    column_letters,
    escape,
    parse_range,
    quote_sheet,
    read_book,
    shift_formula,
    structured_resolver,
)

SENTINEL = 987654.125
TIMEOUT = 120.0  # seconds
MEMORY = 2 * 2**30  # bytes
_OFFICE_MEMORY = 8 * 2**30  # LibreOffice maps far more than it touches
_CHILD = Path(__file__).with_name("_engine_child.py")

Values: TypeAlias = dict[str, dict[Place, Value]]


@dataclass(frozen=True)
class Recalculated:
    """What an engine computed: per sheet, the value of every formula cell and array cell."""

    engine: str
    version: str
    values: Values


@dataclass(frozen=True)
class Job:
    """One workbook for an engine: the sanitised copy, the cells wanted of it, and what must come back."""

    source: Path
    copy: Path
    wanted: dict[str, list[Place]]  # in the order of the copy's sheets, the canary sheet last
    canary_sheet: str
    canaries: dict[Place, Value]
    sentinel: float


@dataclass(frozen=True)
class Engine:
    """A spreadsheet engine: `run` takes jobs and a private folder; it returns its version and the values."""

    name: str
    remedy: str
    available: Callable[[], bool]
    version: Callable[[], str]
    run: Callable[[Sequence[Job], Path, float, int], tuple[str, list[Values]]]
    knows_tables: bool = True
    knows_1904: bool = False


# --- the sanitised copy -------------------------------------------------------------------------------------

_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_STYLES = (
    f'{_XML}<styleSheet xmlns="{_MAIN}">'
    '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)
# What marks a formula as one that spills by itself; the words are those that Excel writes.
_METADATA = (
    f'{_XML}<metadata xmlns="{_MAIN}" '
    'xmlns:xda="http://schemas.microsoft.com/office/spreadsheetml/2017/dynamicarray">'
    '<metadataTypes count="1">'
    '<metadataType name="XLDAPR" minSupportedVersion="120000" copy="1" pasteAll="1" pasteValues="1" '
    'merge="1" splitFirst="1" rowColShift="1" clearFormats="1" clearComments="1" assign="1" coerce="1" '
    'cellMeta="1"/></metadataTypes><futureMetadata name="XLDAPR" count="1"><bk><extLst>'
    '<ext uri="{bdbb8cdc-fa1e-496e-a857-3c3f30c029c3}">'
    '<xda:dynamicArrayProperties fDynamic="1" fCollapsed="0"/></ext></extLst></bk></futureMetadata>'
    '<cellMetadata count="1"><bk><rc t="1" v="0"/></bk></cellMetadata></metadata>'
)


def _text(text: str) -> str:
    return escape_xml(escape(text))


def _attribute(text: str) -> str:
    # A line break in an attribute would be read back as a blank.
    return escape_xml(escape(text), {'"': "&quot;", "\n": "_x000a_", "\t": "_x0009_"})


class _Strings:
    """The shared texts of the copy, each once."""

    def __init__(self) -> None:
        self.index: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        return self.index.setdefault(text, len(self.index))

    def xml(self) -> str:
        items = "".join(f'<si><t xml:space="preserve">{_text(text)}</t></si>' for text in self.index)
        return f'{_XML}<sst xmlns="{_MAIN}" uniqueCount="{len(self.index)}">{items}</sst>'


def _filled_by_arrays(cells: Mapping[Place, Cell]) -> set[Place]:
    """The cells, other than the first, that an array formula fills: their values are computed, not typed."""
    filled: set[Place] = set()
    for place, cell in cells.items():
        if cell.array is None or ":" not in cell.array:
            continue
        try:
            top, left, bottom, right = parse_range(cell.array)
        except ValueError:
            continue
        if (bottom - top + 1) * (right - left + 1) <= len(cells):
            inside = {(r, c) for r in range(top, bottom + 1) for c in range(left, right + 1) if (r, c) in cells}
        else:
            inside = {(r, c) for r, c in cells if top <= r <= bottom and left <= c <= right}
        filled |= inside - {place}
    return filled


def _value_xml(name: str, value: Value, strings: _Strings) -> str:
    if isinstance(value, CellError):
        return f'<c r="{name}" t="e"><v>{escape_xml(value)}</v></c>'
    if isinstance(value, str):
        return f'<c r="{name}" t="s"><v>{strings(value)}</v></c>'
    if isinstance(value, bool):
        return f'<c r="{name}" t="b"><v>{value:d}</v></c>'
    if value is None or not math.isfinite(value):
        return f'<c r="{name}" t="e"><v>#NUM!</v></c>'
    return f'<c r="{name}"><v>{value!r}</v></c>'


def _formula_xml(name: str, cell: Cell, formula: str, sentinel: float) -> str:
    meta = ' cm="1"' if cell.dynamic and cell.array else ""
    kind = f' t="array" ref="{escape_xml(cell.array)}"' if cell.array else ""
    return f'<c r="{name}"{meta}><f{kind}>{_text(formula)}</f><v>{sentinel!r}</v></c>'


class _Runs:
    """Formulas that stand in cells below each other with one text and without relative addresses.

    An engine parses such a run once when it is written as one shared formula. Only for copies without tables:
    ironcalc 0.9.1 takes a shared [#This Row] for the first row.
    """

    def __init__(self, cells: Mapping[Place, Cell]) -> None:
        self.last_row = max((row for row, _ in cells), default=1)
        self.open: dict[int, tuple[int, str, int]] = {}
        self.movable: dict[str, bool] = {}
        self.fruitless: dict[int, int] = {}
        self.count = 0

    def follows(self, row: int, column: int, formula: str) -> int | None:
        """The number of the run that this cell continues, or None."""
        before = self.open.get(column)
        if before is None or before[0] != row - 1 or before[1] != formula:
            return None
        self.open[column] = (row, formula, before[2])
        return before[2]

    def begins(self, row: int, column: int, formula: str) -> int | None:
        """The number of a new run that may begin here, or None for a formula that cannot be shared."""
        movable = self.movable.get(formula)
        if movable is None:
            # A column of ever new texts has relative addresses all the way down.
            if self.fruitless.get(column, 0) > 20:
                return None
            movable = self.movable[formula] = "[" in formula and shift_formula(formula, 1, 1) == formula
        if not movable:
            self.fruitless[column] = self.fruitless.get(column, 0) + 1
            return None
        self.count += 1
        self.open[column] = (row, formula, self.count)
        return self.count


def _run_xml(
    runs: _Runs, place: Place, name: str, formula: str, resolve: Callable[[str, int, int], str], sentinel: float
) -> str | None:
    row, column = place
    run = runs.follows(row, column, formula)
    if run is not None:
        return f'<c r="{name}"><f t="shared" si="{run}"/><v>{sentinel!r}</v></c>'
    run = runs.begins(row, column, formula)
    if run is None:
        return None
    text = _text(resolve(formula, row, column))
    area = f"{name}:{column_letters(column)}{runs.last_row}"
    return f'<c r="{name}"><f t="shared" ref="{area}" si="{run}">{text}</f><v>{sentinel!r}</v></c>'


def _sheet_xml(
    cells: Mapping[Place, Cell],
    hidden_rows: set[int],
    tables: int,
    strings: _Strings,
    sentinel: float,
    resolve: Callable[[str, int, int], str],
    shared: bool,
) -> tuple[str, list[Place]]:
    """The XML of a sheet, and the places whose values an engine has to compute."""
    runs = _Runs(cells) if shared else None
    filled = _filled_by_arrays(cells)
    wanted: list[Place] = []
    out: list[str] = []
    current = 0
    for place in sorted(cells):
        row, column = place
        cell = cells[place]
        if row != current:
            hidden = ' hidden="1"' if row in hidden_rows else ""
            out.append(f'{"</row>" if current else ""}<row r="{row}"{hidden}>')
            current = row
        name = f"{column_letters(column)}{row}"
        if cell.formula is not None:
            wanted.append(place)
            xml = None
            if runs is not None and cell.array is None:
                xml = _run_xml(runs, place, name, cell.formula, resolve, sentinel)
            out.append(xml or _formula_xml(name, cell, resolve(cell.formula, row, column), sentinel))
        elif place in filled:
            wanted.append(place)
        else:
            out.append(_value_xml(name, cell.value, strings))
    out.append("</row>" if current else "")
    parts = "".join(f'<tablePart r:id="rId{i}"/>' for i in range(1, tables + 1))
    tail = f'<tableParts count="{tables}">{parts}</tableParts>' if tables else ""
    head = f'{_XML}<worksheet xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheetData>'
    return f"{head}{''.join(out)}</sheetData>{tail}</worksheet>", wanted


def _canary_cells(book: Book) -> tuple[dict[Place, Cell], dict[Place, Value]]:
    """Formulas with known results: a chain, a text, an error, and one that reads a number of the workbook
    itself.
    """
    cells = {
        (1, 1): Cell(None, 3.0),
        (2, 1): Cell("A1*14", None),
        (3, 1): Cell("A2+A1/4", None),
        (4, 1): Cell('IF(A3>A2,"live","")', None),
        (5, 1): Cell("1/0", None),
    }
    expected: dict[Place, Value] = {(2, 1): 42.0, (3, 1): 42.75, (4, 1): "live", (5, 1): CellError("#DIV/0!")}
    for sheet, content in book.sheets.items():
        filled = _filled_by_arrays(content)
        for (row, column), cell in content.items():
            value = cell.value
            if (
                cell.formula is None
                and (row, column) not in filled
                and isinstance(value, float)
                and 1e-6 < abs(value) < 1e12
            ):
                cells[6, 1] = Cell(f"{quote_sheet(sheet)}!{cell_name(row, column)}*2+A1", None)
                expected[6, 1] = value * 2 + 3
                return cells, expected
    return cells, expected


def _sentinel_for(book: Book) -> float:
    """A number that no cell of the book holds, so that it can come back only by not having been computed."""
    taken = {c.value for cells in book.sheets.values() for c in cells.values() if c.value.__class__ is float}
    sentinel = SENTINEL
    while sentinel in taken:
        sentinel += 1
    return sentinel


def _relations(rows: Sequence[tuple[str, str]]) -> str:
    items = "".join(
        f'<Relationship Id="rId{i}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for i, (kind, target) in enumerate(rows, 1)
    )
    return f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">{items}</Relationships>'


def _content_types(sheets: int, tables: int) -> str:
    parts = [
        ("/xl/workbook.xml", "sheet.main"),
        ("/xl/styles.xml", "styles"),
        ("/xl/sharedStrings.xml", "sharedStrings"),
        ("/xl/metadata.xml", "sheetMetadata"),
        *((f"/xl/worksheets/sheet{i}.xml", "worksheet") for i in range(1, sheets + 1)),
        *((f"/xl/tables/table{i}.xml", "table") for i in range(1, tables + 1)),
    ]
    overrides = "".join(f'<Override PartName="{part}" ContentType="{_TYPE}.{kind}+xml"/>' for part, kind in parts)
    return (
        f'{_XML}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>'
    )


def _names_xml(book: Book, order: list[str]) -> str:
    resolve = structured_resolver(book.all_tables)

    def one(name: str, text: str, scope: str) -> str:
        # Excel's own names (print areas, filters) and names of other files compute nothing.
        if name.startswith("_xl") or text.startswith("["):
            return ""
        return f'<definedName name="{_attribute(name)}"{scope}>{_text(resolve(text, "", 0, 0))}</definedName>'

    items = [one(name, text, "") for name, text in book.names.items()]
    for (sheet, name), text in book.local_names.items():
        if sheet in order:
            items.append(one(name, text, f' localSheetId="{order.index(sheet)}"'))
    joined = "".join(items)
    return f"<definedNames>{joined}</definedNames>" if joined else ""


def _table_xml(table: Table, number: int) -> str:
    columns = "".join(
        f'<tableColumn id="{i}" name="{_attribute(column)}"/>' for i, column in enumerate(table.columns, 1)
    )
    first = cell_name(table.first_row, table.first_col)
    last = cell_name(table.last_row, table.last_col)
    name = _attribute(table.name)
    return (
        f'{_XML}<table xmlns="{_MAIN}" id="{number}" name="{name}" displayName="{name}" ref="{first}:{last}" '
        f'headerRowCount="{table.header_rows}" totalsRowCount="{table.totals_rows}">'
        f'<tableColumns count="{len(table.columns)}">{columns}</tableColumns></table>'
    )


def _workbook_xml(book: Book, order: list[str], names: str) -> str:
    sheets = "".join(
        f'<sheet name="{_attribute(name)}" sheetId="{i}" '
        f'state="{"hidden" if name in book.hidden else "visible"}" r:id="rId{i}"/>'
        for i, name in enumerate(order, 1)
    )
    era = ' date1904="1"' if book.calc.date1904 else ""
    iterate = ' iterate="1"' if book.calc.iterate else ""
    return (
        f'{_XML}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><workbookPr{era}/><sheets>{sheets}</sheets>'
        f'{names}<calcPr calcId="191029"{iterate} fullCalcOnLoad="1"/></workbook>'
    )


def _write_frame(archive: zipfile.ZipFile, order: list[str], tables: int, strings: _Strings) -> None:
    """Every part of the copy that is neither the workbook, a sheet nor a table."""
    links = [("worksheet", f"worksheets/sheet{i}.xml") for i in range(1, len(order) + 1)]
    links += [
        ("styles", "styles.xml"),
        ("sharedStrings", "sharedStrings.xml"),
        ("sheetMetadata", "metadata.xml"),
    ]
    archive.writestr("xl/_rels/workbook.xml.rels", _relations(links))
    archive.writestr("_rels/.rels", _relations([("officeDocument", "xl/workbook.xml")]))
    archive.writestr("xl/styles.xml", _STYLES)
    archive.writestr("xl/sharedStrings.xml", strings.xml())
    archive.writestr("xl/metadata.xml", _METADATA)
    archive.writestr("[Content_Types].xml", _content_types(len(order), tables))


def sanitise(book: Book, copy: Path, *, tables: bool) -> Job:
    """Write the copy of `book` that an engine may see.

    Without `tables`, structured references become plain ranges.
    """
    canary = "_canary"
    while canary.casefold() in {sheet.casefold() for sheet in book.sheets}:
        canary += "_"
    canary_cells, expected = _canary_cells(book)
    contents = {**book.sheets, canary: canary_cells}
    order = list(contents)
    sentinel, strings, plain = _sentinel_for(book), _Strings(), structured_resolver(book.all_tables)
    wanted: dict[str, list[Place]] = {}
    written = 0
    with zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for index, (sheet, cells) in enumerate(contents.items(), 1):
            own = [table for table in book.all_tables if table.sheet == sheet] if tables else []

            def resolve(formula: str, row: int, column: int, sheet: str = sheet) -> str:
                return formula if tables else plain(formula, sheet, row, column)

            hidden = book.hidden_rows.get(sheet, set())
            xml, wanted[sheet] = _sheet_xml(cells, hidden, len(own), strings, sentinel, resolve, shared=not tables)
            archive.writestr(f"xl/worksheets/sheet{index}.xml", xml)
            numbers = range(written + 1, written + len(own) + 1)
            if own:
                links = [("table", f"../tables/table{number}.xml") for number in numbers]
                archive.writestr(f"xl/worksheets/_rels/sheet{index}.xml.rels", _relations(links))
            for number, table in zip(numbers, own, strict=True):
                archive.writestr(f"xl/tables/table{number}.xml", _table_xml(table, number))
            written += len(own)
        archive.writestr("xl/workbook.xml", _workbook_xml(book, order, _names_xml(book, order)))
        _write_frame(archive, order, written, strings)
    return Job(book.path, copy, wanted, canary, expected, sentinel)


# --- processes ----------------------------------------------------------------------------------------------


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the process and all that it started."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)
    process.wait()


def _processor_seconds(timeout: float) -> str:
    """A limit that only a process which outlived its parent can reach, as engines use all processors."""
    return str(math.ceil(timeout + 10) * (os.cpu_count() or 1))


def run_limited(command: Sequence[str], folder: Path, timeout: float, what: str) -> str:
    """Run a command in its own session; what it said on stderr.  On a timeout or an interrupt nothing is left
    over.
    """
    complaints = folder / "stderr.txt"
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    with complaints.open("wb") as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
            cwd=folder,
            env=environment,
        )
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise NotChecked(
                f"{what} was stopped after {timeout:g} seconds; allow more time or check a smaller workbook"
            ) from None
        finally:
            _kill(process)
    said = complaints.read_text("utf-8", "replace").strip()
    if process.returncode:
        killed = "it was killed, perhaps for its use of memory" if process.returncode < 0 else ""
        last = killed or (said.splitlines()[-1] if said else f"exit code {process.returncode}")
        raise NotChecked(f"{what} stopped early ({last[:300]}); try another engine")
    return said


@contextmanager
def private_folder() -> Iterator[Path]:
    """A new folder that only this user can read, removed afterwards."""
    folder = tempfile.mkdtemp(prefix="elo-sheets-")
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# --- the embedded engines -----------------------------------------------------------------------------------


def _embedded(engine: str) -> Callable[[Sequence[Job], Path, float, int], tuple[str, list[Values]]]:
    def run(jobs: Sequence[Job], folder: Path, timeout: float, memory: int) -> tuple[str, list[Values]]:
        request = [
            (
                str(job.copy),
                [
                    (sheet, index, [number for place in places for number in place])
                    for index, (sheet, places) in enumerate(job.wanted.items())
                ],
            )
            for job in jobs
        ]
        (folder / "request").write_bytes(marshal.dumps(request))
        limits = [str(memory), _processor_seconds(timeout)]
        files = [str(folder / "request"), str(folder / "answer")]
        run_limited([sys.executable, "-P", str(_CHILD), engine, *files, *limits], folder, timeout, engine)
        version, answers = marshal.loads((folder / "answer").read_bytes())
        if isinstance(answers, str):
            raise NotChecked(f"{engine} could not compute the workbook ({answers}); try another engine")
        return version, [_place_values(job, answer) for job, answer in zip(jobs, answers, strict=True)]

    return run


def _place_values(job: Job, answer: list[list[object]]) -> Values:
    return {
        sheet: {place: _own(value) for place, value in zip(places, values, strict=True)}
        for (sheet, places), values in zip(job.wanted.items(), answer, strict=True)
    }


def _own(value: object) -> Value:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return CellError(value[0])
    if isinstance(value, bool | float | str):
        return value
    return float(value) if isinstance(value, int) else str(value)


def _installed(module: str) -> Callable[[], bool]:
    return lambda: importlib.util.find_spec(module) is not None


def _distribution(name: str) -> Callable[[], str]:
    def version() -> str:
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            return ""

    return version


# --- LibreOffice --------------------------------------------------------------------------------------------

_OFFICE_PLACES = (
    "/Applications/LibreOffice.app/Contents/MacOS/soffice",
    r"C:\Program Files\LibreOffice\program\soffice.com",
)
_FILTERS = {"xlsx": "xlsx:Calc MS Excel 2007 XML", "pdf": "pdf:calc_pdf_Export", "csv": "csv"}
_PROFILE = {
    # 0 means always: without it the cached values of the file would be reported as LibreOffice's own.
    "org.openoffice.Office.Calc/Formula/Load": {"OOXMLRecalcMode": "0", "ODFRecalcMode": "0"},
    "org.openoffice.Office.Common/Security/Scripting": {
        "BlockUntrustedRefererLinks": "true",
        "DisableActiveContent": "true",
        "DisableMacrosExecution": "true",
        "MacroSecurityLevel": "3",
    },
    "org.openoffice.Setup/L10N": {"ooSetupSystemLocale": "en-US", "ooLocale": "en-US"},
}


def _soffice() -> str | None:
    found = shutil.which("soffice") or shutil.which("libreoffice")
    return found or next((place for place in _OFFICE_PLACES if Path(place).exists()), None)


def _write_profile(profile: Path) -> None:
    items = "".join(
        f'<item oor:path="/{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
        for path, settings in _PROFILE.items()
        for name, value in settings.items()
    )
    (profile / "user").mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry" '
        'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"{items}</oor:items>\n",
        "utf-8",
    )


def _convert_all(paths: Sequence[Path], to: str, outdir: Path, folder: Path, timeout: float, memory: int) -> list[Path]:
    """One LibreOffice run over many files, whose names must differ; the new files, all of them fresh."""
    program = _soffice()
    if program is None:
        raise NotChecked(f"libreoffice is not installed; {_OFFICE_REMEDY}")
    if to not in _FILTERS:
        raise UsageError(f"expected one of {', '.join(_FILTERS)}, got {to!r}")
    targets = [outdir / f"{path.stem}.{to}" for path in paths]
    for target in targets:
        target.unlink(missing_ok=True)
    profile = folder / "profile"
    _write_profile(profile)
    command = [
        program,
        f"-env:UserInstallation={profile.as_uri()}",
        "--headless",
        "--norestore",
        "--nolockcheck",
        "--convert-to",
        _FILTERS[to],
        "--outdir",
        str(outdir),
        *map(str, paths),
    ]
    limited = [sys.executable, "-P", str(_CHILD), "exec", str(memory), _processor_seconds(timeout), *command]
    # Windows has neither these limits nor an exec that keeps the process.
    run_limited(limited if os.name == "posix" else command, folder, timeout, "libreoffice")
    for path, target in zip(paths, targets, strict=True):
        if not target.exists():
            raise NotChecked(f"libreoffice could not load {path.name!r}; try another engine")
    return targets


def convert(path: str | os.PathLike[str], to: str, outdir: str | os.PathLike[str], *, timeout: float = TIMEOUT) -> Path:
    """A workbook as LibreOffice prints or saves it, freshly calculated: `to` is 'pdf', 'xlsx' or 'csv'.

    The new file is put in `outdir` under the same stem.  Raises `NotChecked` when LibreOffice is missing or
    fails.
    """
    source, target = Path(path).resolve(), Path(outdir).resolve()
    if source.parent == target and source.suffix == f".{to}":
        raise UsageError(f"expected another folder than that of {source.name!r}, got {str(outdir)!r}")
    with private_folder() as folder:
        return _convert_all([source], to, target, folder, timeout, _OFFICE_MEMORY)[0]


def _run_office(jobs: Sequence[Job], folder: Path, timeout: float, memory: int) -> tuple[str, list[Values]]:
    out = folder / "out"
    out.mkdir()
    files = _convert_all([job.copy for job in jobs], "xlsx", out, folder, timeout, max(memory, _OFFICE_MEMORY))
    values: list[Values] = []
    for job, file in zip(jobs, files, strict=True):
        try:
            sheets = read_book(file).sheets
        except UnreadableInput as error:
            raise NotChecked(f"libreoffice wrote a file that cannot be read back: {error}") from error
        blank = Cell(None, None)
        values.append(
            {
                sheet: {place: _own(sheets.get(sheet, {}).get(place, blank).value) for place in places}
                for sheet, places in job.wanted.items()
            }
        )
    return _written_by(files[0]) if files else "", values


def _written_by(file: Path) -> str:
    """The version that LibreOffice noted in a file it saved; asking the program would take another start."""
    with zipfile.ZipFile(file) as archive:
        noted = re.search(rb"LibreOffice/([0-9.]+)", archive.read("docProps/app.xml"))
    return noted[1].decode() if noted else ""


@lru_cache(maxsize=1)
def _office_version() -> str:
    program = _soffice()
    if program is None:
        return ""
    with private_folder() as folder:
        command = [program, f"-env:UserInstallation={folder.as_uri()}", "--version"]
        try:
            said = subprocess.run(command, capture_output=True, timeout=30, check=False, text=True).stdout
        except (OSError, subprocess.TimeoutExpired):
            return ""
    words = said.split()
    return words[1] if len(words) > 1 else ""


# --- the registry and the proof -----------------------------------------------------------------------------

_OFFICE_REMEDY = "install LibreOffice (for example: apt install libreoffice-calc), or use the engine ironcalc"

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
        ),
        Engine(
            "formualizer",
            "pip install 'elo-sheets[verify2]'",
            _installed("formualizer"),
            _distribution("formualizer"),
            _embedded("formualizer"),
            knows_tables=False,
        ),
        Engine(
            "libreoffice",
            _OFFICE_REMEDY,
            lambda: _soffice() is not None,
            _office_version,
            _run_office,
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


def _prove(job: Job, engine: str, version: str, values: Values) -> Recalculated:
    """The values without the canary's, once they are shown to have been computed."""
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
    kept = {sheet: cells for sheet, cells in values.items() if sheet != job.canary_sheet}
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
    with private_folder() as folder:
        jobs = []
        for number, given in enumerate(books, 1):
            book = given if isinstance(given, Book) else read_book(given)
            _check_settings(book, chosen)
            jobs.append(sanitise(book, folder / f"book{number}.xlsx", tables=chosen.knows_tables))
        version, answers = chosen.run(jobs, folder, timeout, memory)
        return [_prove(job, chosen.name, version, values) for job, values in zip(jobs, answers, strict=True)]


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
