"""Reading the cells of an .xlsx package: formulas and cached values in one streaming pass over the XML.

A workbook is a zip of XML parts (ECMA-376).  The reader takes no part on trust: it counts entries, bytes and
cells before and while it inflates them, refuses document type declarations, and never extracts a name from
the archive. What it meets that Excel would repair, but that can still be read, is kept in `Book.faults` for
the lint.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import stat
import struct
import xml.etree.ElementTree as ET
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from functools import lru_cache
from pathlib import Path
from typing import IO, TypeAlias
from xml.parsers import expat

from elo_sheets.errors import UnreadableInput

MAX_FILE = 100 * 2**20
MAX_ENTRIES = 5_000
MAX_INFLATED = 512 * 2**20
MAX_SMALL_PART = 64 * 2**20  # a part that is read whole: workbook, relations, tables
MAX_ENTRY_RATIO, MAX_TOTAL_RATIO, RATIO_FREE = 200, 100, 2**20
MAX_CELLS = 5_000_000
MAX_ELEMENTS = 12_000_000
MAX_DEPTH = 256
MAX_ROW, MAX_COLUMN = 1_048_576, 16_384

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE_RELATION = "http://schemas.openxmlformats.org/package/2006/relationships"
STRICT = "http://purl.oclc.org/ooxml"
_OLE = bytes.fromhex("d0cf11e0a1b11ae1")


class CellError(str):
    """An error value of a cell, such as `CellError("#NAME?")`; not equal in kind to a text that reads the
    same.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"CellError({str.__repr__(self)})"


Value: TypeAlias = float | str | bool | CellError | None
Place: TypeAlias = tuple[int, int]  # row and column, counted from 1


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its formula without '=' (None for a plain value) and its literal or cached value.

    Dates stay serial numbers.  `array` is the range that an array formula fills, given at its first cell
    only; `dynamic` marks the arrays that spill by themselves.
    """

    formula: str | None
    value: Value
    array: str | None = None
    dynamic: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a sheet; `first_row` is its header row, and `last_row` includes a totals row."""

    name: str
    sheet: str
    first_row: int
    first_col: int
    last_row: int
    last_col: int
    columns: list[str]
    header_rows: int = 1
    totals_rows: int = 0
    column_formulas: dict[str, str] = field(default_factory=dict)

    @property
    def first_data_row(self) -> int:
        return self.first_row + self.header_rows

    @property
    def last_data_row(self) -> int:
        return self.last_row - self.totals_rows

    def column(self, name: str) -> int | None:
        """The sheet column of the header `name` (in any case), or None."""
        folded = name.casefold()
        places = (i for i, column in enumerate(self.columns) if column.casefold() == folded)
        place = next(places, None)
        return None if place is None else self.first_col + place


@dataclass(frozen=True, slots=True)
class Calc:
    """How the workbook asks to be calculated."""

    mode: str = "auto"
    iterate: bool = False
    full_precision: bool = True
    date1904: bool = False


@dataclass(frozen=True, slots=True)
class Validation:
    """A data validation rule with its texts, as stored."""

    sheet: str
    ranges: str
    type: str
    formula1: str
    formula2: str
    prompt_title: str = ""
    prompt: str = ""
    error_title: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something readable that Excel would offer to repair."""

    sheet: str
    cell: str
    rule: str
    message: str


@dataclass
class Book:
    """What a workbook holds: per sheet, in workbook order, its cells that are not blank, by (row, column)."""

    path: Path
    sheets: dict[str, dict[Place, Cell]] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)
    tables: dict[str, Table] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    local_names: dict[tuple[str, str], str] = field(default_factory=dict)
    calc: Calc = field(default_factory=Calc)
    validations: list[Validation] = field(default_factory=list)
    conditions: list[tuple[str, str, str]] = field(default_factory=list)  # sheet, ranges, formula
    merges: dict[str, list[str]] = field(default_factory=dict)
    hidden_rows: dict[str, set[int]] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)  # sheet name -> the part that holds it
    all_tables: list[Table] = field(default_factory=list)  # `tables` keeps one of two with the same name
    faults: list[Fault] = field(default_factory=list)


# --- names of cells -----------------------------------------------------------------------------------------

_CELL_NAME = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")


@lru_cache(maxsize=MAX_COLUMN)
def column_letters(column: int) -> str:
    """The letters of a column counted from 1.

    >>> column_letters(1), column_letters(28)
    ('A', 'AB')
    """
    letters = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


@lru_cache(maxsize=MAX_COLUMN)
def column_number(letters: str) -> int:
    """The number of a column from its letters; 0 when it is beyond XFD or not letters."""
    number = 0
    for letter in letters.upper():
        if not "A" <= letter <= "Z":
            return 0
        number = number * 26 + ord(letter) - 64
    return number if number <= MAX_COLUMN else 0


def cell_name(row: int, column: int) -> str:
    """The name of a cell counted from 1.

    >>> cell_name(20, 8)
    'H20'
    """
    return f"{column_letters(column)}{row}"


def parse_cell_name(name: str) -> Place:
    """Row and column of a name such as 'H20' or '$H$20'; ValueError when it is not the name of a cell.

    >>> parse_cell_name("$H$20")
    (20, 8)
    """
    match = _CELL_NAME.fullmatch(name)
    row, column = (int(match[2]), column_number(match[1])) if match else (0, 0)
    if not (0 < row <= MAX_ROW and column):
        raise ValueError(f"expected a cell such as H20, got {name!r}")
    return row, column


def parse_range(text: str) -> tuple[int, int, int, int]:
    """First row, first column, last row, last column of 'A1:C9' or 'A1'; ValueError otherwise.

    >>> parse_range("A1:C9")
    (1, 1, 9, 3)
    """
    first, _, last = text.partition(":")
    (row1, column1), (row2, column2) = parse_cell_name(first), parse_cell_name(last or first)
    return min(row1, row2), min(column1, column2), max(row1, row2), max(column1, column2)


# --- formula text -------------------------------------------------------------------------------------------

STRUCTURED = r"\[(?:[^\[\]']|'.|\[(?:[^\[\]']|'.)*\])*\]"
_OPAQUE = r"\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*'|" + STRUCTURED
_RELATIVE = re.compile(
    rf"(?P<opaque>{_OPAQUE})"
    r"|(?<![\w.$\\])(?P<ca>\$?)(?P<c>[A-Za-z]{1,3})(?P<ra>\$?)(?P<r>[1-9]\d{0,6})(?![\w.(\[!\\])"
    r"|(?<![\w.$\\])(?P<c1a>\$?)(?P<c1>[A-Za-z]{1,3}):(?P<c2a>\$?)(?P<c2>[A-Za-z]{1,3})(?![\w.(\[!\\])"
    r"|(?<![\w.$\\])(?P<r1a>\$?)(?P<r1>[1-9]\d{0,6}):(?P<r2a>\$?)(?P<r2>[1-9]\d{0,6})(?![\w.(\[!\\])"
)
_Piece: TypeAlias = str | tuple[bool, int, bool]  # a text, or is it a row, its number, is it relative


def _row_piece(absolute: str, row: str) -> list[_Piece]:
    return [absolute + row] if absolute else [(True, int(row), True)]


def _column_piece(absolute: str, letters: str) -> list[_Piece]:
    return [absolute + letters] if absolute else [(False, column_number(letters), True)]


@lru_cache(maxsize=4096)
def _pieces(formula: str) -> tuple[_Piece, ...]:
    """A formula cut into texts and the relative rows and columns between them."""
    found: list[_Piece] = []
    end = 0
    for match in _RELATIVE.finditer(formula):
        part = match.groupdict()
        if part["c"] and column_number(part["c"]):
            pieces = _column_piece(part["ca"], part["c"]) + _row_piece(part["ra"], part["r"])
        elif part["c1"] and column_number(part["c1"]) and column_number(part["c2"]):
            pieces = [*_column_piece(part["c1a"], part["c1"]), ":", *_column_piece(part["c2a"], part["c2"])]
        elif part["r1"]:
            pieces = [*_row_piece(part["r1a"], part["r1"]), ":", *_row_piece(part["r2a"], part["r2"])]
        else:
            continue
        found += [formula[end : match.start()], *pieces]
        end = match.end()
    return (*found, formula[end:])


def shift_formula(formula: str, rows: int, columns: int) -> str:
    """The formula as it reads when its cell is copied `rows` down and `columns` to the right.

    >>> shift_formula("SUM($A$1:A2)+LOG10(T[A1])&\\"A1\\"", 3, 0)
    'SUM($A$1:A5)+LOG10(T[A1])&"A1"'
    """
    moved = []
    for piece in _pieces(formula):
        if isinstance(piece, str):
            moved.append(piece)
            continue
        is_row, number, _ = piece
        number += rows if is_row else columns
        if not 1 <= number <= (MAX_ROW if is_row else MAX_COLUMN):
            return "#REF!"
        moved.append(str(number) if is_row else column_letters(number))
    return "".join(moved)


# --- structured references ----------------------------------------------------------------------------------

_REFERENCE = re.compile(rf"(?P<table>[^\W\d][\w.\\]*)?(?P<body>{STRUCTURED})")
_SCAN = re.compile(rf"\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*'!?|{_REFERENCE.pattern}")
_SPECIFIER = re.compile(r"\[(?P<name>(?:[^\[\]']|'.)*)\]|(?P<sep>[:,])|\s+|(?P<bad>.)", re.S)
_ITEMS = {"#all", "#data", "#headers", "#totals", "#this row"}


@dataclass(frozen=True, slots=True)
class StructuredReference:
    """The parts of `Table[[#Item],[First]:[Last]]`; `first` is None when the whole width is meant."""

    table: str
    items: tuple[str, ...]
    first: str | None
    last: str | None


def unescape_column(name: str) -> str:
    """A column name without the apostrophes that structured references put before `[ ] # ' @`."""
    return re.sub(r"'(.)", r"\1", name, flags=re.S)


@lru_cache(maxsize=4096)
def parse_structured(table: str, body: str) -> StructuredReference:
    """The reference in `table` + `body`, for example ("Games", "[[#This Row],[K]]"); ValueError if it is
    malformed.
    """
    inner = body[1:-1].strip()
    items: list[str] = []
    if inner.startswith("@"):
        items, inner = ["#this row"], inner[1:].strip()
    if not inner:
        return StructuredReference(table, tuple(items), None, None)
    if "[" not in re.sub(r"'.", "", inner, flags=re.S):
        if inner.startswith("#"):
            items.append(inner.lower())
            names = []
        else:
            names = [unescape_column(inner)]
    else:
        names = []
        for match in _SPECIFIER.finditer(inner):
            if match["bad"]:
                raise ValueError(f"expected [..] parts in {body!r}")
            name = match["name"]
            if name is not None and name.startswith("#"):
                items.append(name.lower())
            elif name is not None:
                names.append(unescape_column(name))
    if not set(items) <= _ITEMS or len(names) > 2:
        raise ValueError(f"expected at most two columns and items such as #This Row in {body!r}")
    first = names[0] if names else None
    return StructuredReference(table, tuple(items), first, names[-1] if names else None)


def structured_references(formula: str) -> Iterator[re.Match[str]]:
    """Matches with groups `table` and `body`, strings and quoted sheet names skipped."""
    if "[" not in formula:
        return iter(())
    return (match for match in _SCAN.finditer(formula) if match["body"])


_ROW = "\0"  # stands for the row of the formula's own cell


def _block(reference: StructuredReference, table: Table) -> tuple[str, str] | None:
    """First and last row that the items mean; None when there is nothing, such as the totals of a table
    without.
    """
    if "#this row" in reference.items:
        return _ROW, _ROW
    spans = {
        "#all": (table.first_row, table.last_row),
        "#data": (table.first_data_row, table.last_data_row),
        "#headers": (table.first_row, table.first_data_row - 1),
        "#totals": (table.last_data_row + 1, table.last_row),
    }
    chosen = [spans[item] for item in reference.items or ("#data",)]
    first, last = min(a for a, _ in chosen), max(b for _, b in chosen)
    return (str(first), str(last)) if first <= last else None


def _plain_reference(table: Table, body: str, sheet: str) -> str:
    try:
        reference = parse_structured(table.name, body)
    except ValueError:
        return "#REF!"
    left, right = (
        (table.first_col, table.last_col)
        if reference.first is None or reference.last is None
        else (table.column(reference.first), table.column(reference.last))
    )
    rows = _block(reference, table)
    if rows is None or left is None or right is None:
        return "#REF!"
    where = "" if table.sheet == sheet else quote_sheet(table.sheet) + "!"
    # This row is a relative one: the text may be shared by the rows of a column.
    first, last = (
        f"${column_letters(column)}{'' if row == _ROW else '$'}{row}"
        for column, row in zip((left, right), rows, strict=True)
    )
    whole = not reference.items or "#data" in reference.items
    return where + (first if first == last and not whole else f"{first}:{last}")


def structured_resolver(tables: Iterable[Table]) -> Callable[[str, str, int, int], str]:
    """A function of (formula, sheet, row, column) that writes structured references as plain ranges.

    A reference to what does not exist becomes `#REF!`, as in a sheet.  The formulas of a column are mostly
    one text, so each text is worked out once.
    """
    known = {table.name.casefold(): table for table in tables}
    bare = re.compile(r"(?<![\w.\\\]])\[")
    references: dict[tuple[str, str, str], str] = {}

    @lru_cache(maxsize=65536)
    def plain(formula: str, sheet: str, around: str) -> str:
        def replaced(match: re.Match[str]) -> str:
            if match["body"] is None or (match["table"] is None and not around):
                return match[0]
            name, body = match["table"] or around, match["body"]
            text = references.get((name, body, sheet))
            if text is None:
                table = known.get(name.casefold())
                text = "#REF!" if table is None else _plain_reference(table, body, sheet)
                references[name, body, sheet] = text
            return text

        return _SCAN.sub(replaced, formula)

    def resolve(formula: str, sheet: str, row: int, column: int) -> str:
        if "[" not in formula:
            return formula
        own = _table_at(known.values(), sheet, row, column) if bare.search(formula) else None
        return plain(formula, sheet, own.name if own else "").replace(_ROW, str(row))

    return resolve


def _table_at(tables: Iterable[Table], sheet: str, row: int, column: int) -> Table | None:
    inside = (
        t
        for t in tables
        if t.sheet == sheet and t.first_row <= row <= t.last_row and t.first_col <= column <= t.last_col
    )
    return next(inside, None)


def quote_sheet(name: str) -> str:
    """A sheet name as a formula writes it.

    >>> quote_sheet("It's mine")
    "'It''s mine'"
    """
    return "'" + name.replace("'", "''") + "'"


# --- texts --------------------------------------------------------------------------------------------------

_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")


def unescape(text: str) -> str:
    """A text with its `_xHHHH_` escapes (ECMA-376, ST_Xstring) turned into characters."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def escape(text: str) -> str:
    """The inverse of `unescape`, for the characters that XML cannot carry and for texts that look escaped."""
    text = _ESCAPE.sub(lambda match: f"_x005F{match[0]}", text) if "_x" in text else text
    return re.sub("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]", lambda match: f"_x{ord(match[0]):04X}_", text)


# --- the zip ------------------------------------------------------------------------------------------------


def _refuse(path: Path, reason: str, remedy: str = "") -> UnreadableInput:
    return UnreadableInput(f"cannot read {path.name!r}: {reason}" + (f"; {remedy}" if remedy else ""))


def _check_file(path: Path) -> None:
    try:
        status = path.stat()
    except OSError as error:
        raise _refuse(path, error.strerror.lower() if error.strerror else "not found", "check the path") from error
    if not stat.S_ISREG(status.st_mode):
        raise _refuse(path, "it is not a regular file")
    if status.st_size > MAX_FILE:
        raise _refuse(path, f"it has {status.st_size:,} bytes, the limit is {MAX_FILE:,}")
    try:
        with path.open("rb") as stream:
            head = stream.read(8)
            if head == _OLE:
                encrypted = "EncryptedPackage".encode("utf-16-le") in stream.read()
                raise (
                    _refuse(path, "it is protected by a password", "save a copy without a password")
                    if encrypted
                    else _refuse(path, "it is an old .xls file", "save it as .xlsx")
                )
    except OSError as error:
        raise _refuse(path, error.strerror.lower() if error.strerror else "not readable") from error
    if not head.startswith(b"PK"):
        raise _refuse(path, "it is not an .xlsx workbook (not a zip file)", "save it as .xlsx")


def _data_end(stream: IO[bytes], info: zipfile.ZipInfo) -> int:
    """Where the data of an entry ends, by its local header."""
    stream.seek(info.header_offset)
    header = stream.read(30)
    if len(header) < 30 or not header.startswith(b"PK\x03\x04"):
        raise zipfile.BadZipFile("bad local header")
    name, extra = struct.unpack("<HH", header[26:30])
    return info.header_offset + 30 + int(name) + int(extra) + info.compress_size


def _bad_name(name: str) -> bool:
    return "\\" in name or "\0" in name or ":" in name.split("/")[0] or ".." in name.split("/")


def _census(path: Path, archive: zipfile.ZipFile) -> None:
    """Refuse archives that are built to harm.  Declared sizes are enough: zipfile never yields more than
    declared.
    """
    entries = archive.infolist()
    if len(entries) > MAX_ENTRIES:
        raise _refuse(path, f"it has {len(entries):,} parts, the limit is {MAX_ENTRIES:,}")
    seen: set[str] = set()
    for info in entries:
        folded = info.filename.casefold()
        if folded in seen:
            raise _refuse(path, f"the part {info.filename!r} occurs twice")
        seen.add(folded)
        if _bad_name(info.filename):
            raise _refuse(path, f"it has a part with the unsafe name {info.filename!r}")
        if info.flag_bits & 0x41:
            raise _refuse(path, f"the part {info.filename!r} is encrypted", "save a copy without a password")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise _refuse(path, f"the part {info.filename!r} uses an unknown compression")
        if info.file_size > max(RATIO_FREE, MAX_ENTRY_RATIO * info.compress_size):
            raise _refuse(path, f"the part {info.filename!r} inflates more than {MAX_ENTRY_RATIO} times")
    total, packed = sum(info.file_size for info in entries), sum(info.compress_size for info in entries)
    if total > MAX_INFLATED:
        raise _refuse(path, f"it inflates to {total:,} bytes, the limit is {MAX_INFLATED:,}")
    if total > max(8 * RATIO_FREE, MAX_TOTAL_RATIO * packed):
        raise _refuse(path, f"it inflates more than {MAX_TOTAL_RATIO} times")
    with path.open("rb") as stream:
        end = 0
        for info in sorted(entries, key=lambda entry: entry.header_offset):
            if info.header_offset < end:
                raise _refuse(path, f"the part {info.filename!r} overlaps another one")
            end = _data_end(stream, info)
        if end > archive.start_dir:
            raise _refuse(path, "its last part overlaps the directory")


class _Package:
    """The parts of one checked archive; names are matched in any case, as Excel does."""

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        _census(path, archive)
        self.path = path
        self.archive = archive
        self.names = {info.filename.lstrip("/").casefold(): info for info in archive.infolist()}

    def has(self, part: str) -> bool:
        return part.casefold() in self.names

    def stream(self, part: str) -> IO[bytes]:
        info = self.names.get(part.casefold())
        if info is None:
            raise _refuse(self.path, f"the part {part!r} is missing", "open and save it in a spreadsheet program")
        return self.archive.open(info)

    def tree(self, part: str) -> ET.Element:
        info = self.names.get(part.casefold())
        if info is not None and info.file_size > MAX_SMALL_PART:
            raise _refuse(self.path, f"the part {part!r} is larger than {MAX_SMALL_PART:,} bytes")
        parser = ET.XMLParser(encoding="utf-8", target=_Guarded(self.path, part))
        with self.stream(part) as stream:
            while chunk := stream.read(2**20):
                parser.feed(chunk)
        root: ET.Element = parser.close()
        return root

    def relations(self, part: str) -> dict[str, tuple[str, str]]:
        """Relation id -> (last word of its type, target part), external ones left out."""
        folder, name = posixpath.split(part)
        rels = posixpath.join(folder, "_rels", name + ".rels")
        if not self.has(rels):
            return {}
        found = {}
        for rel in self.tree(rels).iter(f"{{{PACKAGE_RELATION}}}Relationship"):
            if rel.get("TargetMode") != "External":
                target = rel.get("Target", "").replace("\\", "/")
                full = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
                found[rel.get("Id", "")] = (rel.get("Type", ""), full)
        return found


class _Guarded(ET.TreeBuilder):
    """A tree builder that refuses document types, depth and sheer numbers."""

    def __init__(self, path: Path, part: str) -> None:
        super().__init__()
        self.path, self.part, self.depth, self.count = path, part, 0, 0

    def doctype(self, *_: object) -> None:
        raise _refuse(self.path, f"the part {self.part!r} has a document type declaration")

    def start(self, tag: str, attrs: dict[str, str], /) -> ET.Element:
        self.depth += 1
        self.count += 1
        if self.depth > MAX_DEPTH or self.count > MAX_ELEMENTS // 10:
            raise _refuse(self.path, f"the part {self.part!r} has too many elements")
        return super().start(tag, attrs)

    def end(self, tag: str, /) -> ET.Element:
        self.depth -= 1
        return super().end(tag)


# --- sheets -------------------------------------------------------------------------------------------------


def _parse(package: _Package, part: str, parser: expat.XMLParserType) -> None:
    def refuse_doctype(*_: object) -> None:
        raise _refuse(package.path, f"the part {part!r} has a document type declaration")

    parser.StartDoctypeDeclHandler = refuse_doctype
    parser.buffer_text = True
    with package.stream(part) as stream:
        while chunk := stream.read(2**20):
            parser.Parse(chunk, False)
        parser.Parse(b"", True)


def _parser(names: Iterable[str]) -> expat.XMLParserType:
    # A declared encoding is not obeyed: parts are UTF-8 or UTF-16, and others have smuggled XML past filters.
    # The table of interned names makes every comparison of an element's name one of identity.
    return expat.ParserCreate("utf-8", " ", {f"{MAIN} {name}": f"{MAIN} {name}" for name in names})


def _shared_strings(package: _Package, part: str) -> list[str]:
    """The shared texts; of rich text its runs, without phonetic guides."""
    si, t, rph = (f"{MAIN} {name}" for name in ("si", "t", "rPh"))
    found: list[str] = []
    text: list[str] = []
    inside = phonetic = False
    count = 0

    def start(name: str, _: dict[str, str]) -> None:
        nonlocal inside, phonetic, count
        count += 1
        if count > MAX_ELEMENTS:
            raise _refuse(package.path, f"the part {part!r} has too many elements")
        if name == t:
            inside = not phonetic
        elif name == rph:
            phonetic = True

    def end(name: str) -> None:
        nonlocal inside, phonetic
        if name == t:
            inside = False
        elif name == rph:
            phonetic = False
        elif name == si:
            found.append(unescape("".join(text)))
            text.clear()

    def characters(data: str) -> None:
        if inside:
            text.append(data)

    parser = _parser(("si", "t", "rPh", "r"))
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, characters
    _parse(package, part, parser)
    return found


def _serial(text: str, date1904: bool) -> float | str:
    """The serial number of an ISO 8601 date, time or both; the text itself when it is none of them."""
    try:
        if "T" not in text and ":" in text:
            clock = time.fromisoformat(text.rstrip("Z"))
            return (clock.hour * 3600 + clock.minute * 60 + clock.second + clock.microsecond / 1e6) / 86400
        moment = datetime.fromisoformat(text.rstrip("Z"))
    except ValueError:
        return text
    since = moment - datetime.combine(date(1904, 1, 1) if date1904 else date(1899, 12, 30), time())
    return since.days + (since.seconds + since.microseconds / 1e6) / 86400


@dataclass
class _Master:
    row: int
    column: int
    formula: str


_SHEET_NAMES = "c v f row is t r rPh mergeCell dataValidation formula1 formula2 cfRule formula conditionalFormatting"


def _read_sheet(package: _Package, part: str, sheet: str, shared: list[str], book: Book, budget: int) -> int:
    """Read one worksheet into `book`; the number of its cells, which may not exceed `budget`."""
    (
        c,
        v,
        f,
        row_tag,
        is_tag,
        t,
        _r,
        rph,
        merge,
        validation,
        formula1,
        formula2,
        _rule,
        condition,
        formatting,
    ) = (f"{MAIN} {name}" for name in _SHEET_NAMES.split())
    cells: dict[Place, Cell] = {}
    text: list[str] = []
    masters: dict[str, _Master] = {}
    orphans: list[tuple[Place, str]] = []
    hidden_rows: set[int] = set()
    merges: list[str] = []
    rules: dict[str, str] = {}
    sqref = ""
    row = column = 0
    kind = ""
    formula: str | None = None
    value: str | None = None
    array: str | None = None
    dynamic = phonetic = False
    formula_attributes: dict[str, str] = {}
    count = others = 0
    date1904 = book.calc.date1904
    fault = _fault_recorder(book, sheet)
    strings = len(shared)
    numbers = {letters: number for number, letters in ((n, column_letters(n)) for n in range(1, 703))}

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal row, column, kind, formula, value, array, dynamic, formula_attributes, count, others, sqref, phonetic
        if name == c:
            count += 1
            if count > budget:
                raise _refuse(package.path, f"it has more than {MAX_CELLS:,} cells")
            formula = value = array = None
            dynamic = False
            kind = attributes.get("t", "n")
            place = attributes.get("r")
            before = column
            if place is None:
                column += 1
            else:
                letters = place.rstrip("0123456789")
                column = numbers.get(letters) or column_number(letters.replace("$", ""))
                if not column or place[len(letters) :] != str(row):
                    fault(before, row, "cell-order", f"the cell {place!r} stands in row {row}")
                    row, column = _place_or_refuse(package.path, sheet, place)
                if column <= before:
                    fault(column, row, "cell-order", "the cells of the row are not in order")
            if "cm" in attributes:
                dynamic = True
        elif name == v:
            text.clear()
        elif name == f:
            text.clear()
            formula_attributes = attributes
        elif name == row_tag:
            before, row, column = row, row + 1, 0
            number = attributes.get("r")
            if number is not None:
                row = int(number) if number.isascii() and number.isdigit() else 0
                if not 1 <= row <= MAX_ROW:
                    raise _refuse(package.path, f"sheet {sheet!r} has a row {number!r}")
                if row <= before:
                    fault(1, row, "row-order", "the rows of the sheet are not in order")
            if attributes.get("hidden") in ("1", "true"):
                hidden_rows.add(row)
            others += 1
        elif name == is_tag:
            value = ""
        elif name == t:
            text.clear()
        elif name == rph:
            phonetic = True
        elif name == merge:
            merges.append(attributes.get("ref", ""))
        elif name in (formula1, formula2, condition):
            text.clear()
        elif name == validation:
            rules.clear()
            rules.update(attributes)
        elif name == formatting:
            sqref = attributes.get("sqref", "")
        else:
            others += 1
        if others > MAX_ELEMENTS:
            raise _refuse(package.path, f"sheet {sheet!r} has too many elements")

    def end(name: str) -> None:
        nonlocal value, formula, array, phonetic
        if name == v:
            value = text[0] if len(text) == 1 else "".join(text)
        elif name == c:
            if value is None and formula is None:
                return
            result: Value = None
            if value is None:
                pass
            elif kind == "n":
                if value:
                    try:
                        result = float(value)
                    except ValueError:
                        fault(column, row, "number", f"expected a number, got {value!r}")
                        result = value
                    else:
                        if result - result != 0:
                            fault(column, row, "number", f"{value!r} is not a finite number")
            elif kind == "s":
                index = int(value) if value.isascii() and value.strip().isdigit() else -1
                if 0 <= index < strings:
                    result = shared[index]
                else:
                    fault(column, row, "shared-string", f"there is no shared text {value!r}")
            elif kind == "b":
                result = value.strip() in ("1", "true")
            elif kind == "e":
                result = CellError(value)
            elif kind == "d":
                result = _serial(value, date1904)
            else:
                result = unescape(value)
            if result is not None or formula is not None:
                if (row, column) in cells:
                    fault(column, row, "duplicate-cell", "the cell is given twice")
                cells[row, column] = Cell(formula, result, array, dynamic)
        elif name == f:
            formula = "".join(text)
            attributes = formula_attributes
            if attributes:
                way = attributes.get("t", "normal")
                if way == "shared":
                    index_ = attributes.get("si", "")
                    if formula:
                        if "ref" in attributes or index_ not in masters:
                            masters[index_] = _Master(row, column, formula)
                    elif index_ in masters:
                        master = masters[index_]
                        formula = shift_formula(master.formula, row - master.row, column - master.column)
                    else:
                        orphans.append(((row, column), index_))
                elif way == "array":
                    array = attributes.get("ref") or cell_name(row, column)
                elif way == "dataTable":
                    formula = f"TABLE({attributes.get('r1', '')},{attributes.get('r2', '')})"
        elif name == t:
            if not phonetic and value is not None:
                value += "".join(text)
        elif name == rph:
            phonetic = False
        elif name in (formula1, formula2):
            rules[name.rpartition(" ")[2]] = "".join(text)
        elif name == condition:
            book.conditions.append((sheet, sqref, "".join(text)))
        elif name == validation:
            book.validations.append(_validation(sheet, rules))

    parser = _parser(_SHEET_NAMES.split())
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = text.append
    _parse(package, part, parser)
    for (row_, column_), index__ in orphans:
        cell, master_ = cells[row_, column_], masters.get(index__)
        if master_ is None:
            fault(column_, row_, "shared-formula", f"there is no shared formula {index__!r}")
            continue
        moved = shift_formula(master_.formula, row_ - master_.row, column_ - master_.column)
        cells[row_, column_] = Cell(moved, cell.value)
    book.sheets[sheet] = cells
    book.parts[sheet] = part
    if merges:
        book.merges[sheet] = merges
    if hidden_rows:
        book.hidden_rows[sheet] = hidden_rows
    return count


def _fault_recorder(book: Book, sheet: str) -> Callable[[int, int, str, str], None]:
    def fault(column: int, row: int, rule: str, message: str) -> None:
        if len(book.faults) < 1000:
            book.faults.append(Fault(sheet, cell_name(row, max(column, 1)), rule, message))

    return fault


def _place_or_refuse(path: Path, sheet: str, name: str) -> Place:
    try:
        return parse_cell_name(name)
    except ValueError as error:
        raise _refuse(path, f"sheet {sheet!r}: {error}") from None


def _validation(sheet: str, rules: Mapping[str, str]) -> Validation:
    return Validation(
        sheet,
        rules.get("sqref", ""),
        rules.get("type", "none"),
        rules.get("formula1", ""),
        rules.get("formula2", ""),
        unescape(rules.get("promptTitle", "")),
        unescape(rules.get("prompt", "")),
        unescape(rules.get("errorTitle", "")),
        unescape(rules.get("error", "")),
    )


# --- the workbook -------------------------------------------------------------------------------------------


def _flag(element: ET.Element | None, name: str, default: bool) -> bool:
    text = None if element is None else element.get(name)
    return default if text is None else text in ("1", "true", "on")


def _workbook_part(package: _Package) -> str:
    path = package.path
    for kind, part in package.relations("").values():
        if kind.endswith("/officeDocument"):
            if part.endswith(".bin"):
                raise _refuse(path, "it is a binary workbook (.xlsb)", "save it as .xlsx")
            if part.startswith(("word/", "ppt/")):
                raise _refuse(path, "it is not a workbook but another Office document")
            if kind.startswith(STRICT):
                raise _strict(path)
            return part
    if package.has("mimetype") and package.has("content.xml"):
        raise _refuse(path, "it is an OpenDocument file", "save it as .xlsx")
    raise _refuse(path, "it has no workbook part", "save it as .xlsx")


def _strict(path: Path) -> UnreadableInput:
    return _refuse(path, "it was saved as 'Strict Open XML'", "save it as 'Excel Workbook (*.xlsx)'")


def _calc(workbook: ET.Element) -> Calc:
    settings, properties = workbook.find(f"{{{MAIN}}}calcPr"), workbook.find(f"{{{MAIN}}}workbookPr")
    mode = "auto" if settings is None else settings.get("calcMode", "auto")
    return Calc(
        mode,
        _flag(settings, "iterate", False),
        _flag(settings, "fullPrecision", True),
        _flag(properties, "date1904", False),
    )


def _read_table(package: _Package, part: str, sheet: str, book: Book) -> None:
    root = package.tree(part)
    name = unescape(root.get("displayName") or root.get("name") or "")
    try:
        first_row, first_col, last_row, last_col = parse_range(root.get("ref", ""))
    except ValueError:
        message = f"table {name!r} has the range {root.get('ref')!r}"
        book.faults.append(Fault(sheet, "A1", "table-range", message))
        return
    columns = list(root.iter(f"{{{MAIN}}}tableColumn"))
    formulas = {
        unescape(element.get("name", "")): formula.text or ""
        for element in columns
        for formula in element.iter(f"{{{MAIN}}}calculatedColumnFormula")
    }
    table = Table(
        name,
        sheet,
        first_row,
        first_col,
        last_row,
        last_col,
        [unescape(element.get("name", "")) for element in columns],
        _count(root, "headerRowCount", 1),
        _count(root, "totalsRowCount", 0),
        formulas,
    )
    book.all_tables.append(table)
    book.tables.setdefault(name, table)


def _count(element: ET.Element, name: str, default: int) -> int:
    text = element.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else default


def _read_names(workbook: ET.Element, sheet_names: list[str], book: Book) -> None:
    for element in workbook.iter(f"{{{MAIN}}}definedName"):
        name, scope, text = element.get("name", ""), element.get("localSheetId"), element.text or ""
        if scope is None:
            if name in book.names:
                book.faults.append(Fault("", name, "name-duplicate", f"the name {name!r} is defined twice"))
            book.names[name] = text
        elif scope.isascii() and scope.isdigit() and int(scope) < len(sheet_names):
            book.local_names[sheet_names[int(scope)], name] = text
        else:
            book.faults.append(Fault("", name, "name-scope", f"the name {name!r} belongs to no sheet"))


def _read(package: _Package) -> Book:
    part = _workbook_part(package)
    workbook = package.tree(part)
    if workbook.tag.startswith("{" + STRICT):
        raise _strict(package.path)
    if workbook.tag != f"{{{MAIN}}}workbook":
        raise _refuse(package.path, f"its workbook part starts with {workbook.tag!r}")
    book = Book(package.path, calc=_calc(workbook))
    relations = package.relations(part)
    shared: list[str] = []
    for kind, target in relations.values():
        if kind.endswith("/sharedStrings") and package.has(target):
            shared = _shared_strings(package, target)
    elements = list(workbook.iter(f"{{{MAIN}}}sheet"))
    budget = MAX_CELLS
    for element in elements:
        name = unescape(element.get("name", ""))
        kind, target = relations.get(element.get(f"{{{RELATION}}}id", ""), ("", ""))
        if not kind.endswith("/worksheet"):
            continue
        if name in book.sheets:
            raise _refuse(package.path, f"two sheets are called {name!r}", "rename one of them")
        if element.get("state", "visible") != "visible":
            book.hidden.add(name)
        budget -= _read_sheet(package, target, name, shared, book, budget)
        for table_kind, table_part in package.relations(target).values():
            if table_kind.endswith("/table"):
                _read_table(package, table_part, name, book)
    if not book.sheets:
        raise _refuse(package.path, "it has no worksheet")
    _read_names(workbook, [unescape(element.get("name", "")) for element in elements], book)
    return book


def read_book(path: str | os.PathLike[str]) -> Book:
    """The cells, tables, names and settings of an .xlsx or .xlsm workbook.

    Raises `UnreadableInput` when the file is missing, is not such a workbook, needs a password, or is built
    to exhaust memory.  Costs about 4 µs for a cell.
    """
    path = Path(path)
    _check_file(path)
    try:
        with zipfile.ZipFile(path) as archive:
            return _read(_Package(path, archive))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, struct.error) as error:
        raise _refuse(path, f"it is damaged ({error})", "open and save it in a spreadsheet program") from error
    except (expat.ExpatError, ET.ParseError, UnicodeError) as error:
        raise _refuse(path, f"its XML is damaged ({error})", "open and save it in a spreadsheet program") from error


# --- writing back -------------------------------------------------------------------------------------------


def _entry(info: zipfile.ZipInfo) -> zipfile.ZipInfo:
    copy = zipfile.ZipInfo(info.filename, info.date_time)
    copy.compress_type = info.compress_type
    copy.external_attr = info.external_attr
    copy.create_system = info.create_system
    return copy


def rewrite_parts(
    source: str | os.PathLike[str], target: str | os.PathLike[str], changes: Mapping[str, bytes | None]
) -> None:
    """Copy a zip with some parts replaced or, given None, left out.

    All others keep their bytes, order and times.  Parts of `changes` that are new are added at the end.
    """
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            if info.filename not in changes:
                with old.open(info) as stream, new.open(_entry(info), "w") as copy:
                    shutil.copyfileobj(stream, copy, 2**20)
                continue
            data = changes[info.filename]
            if data is not None:
                new.writestr(_entry(info), data)
        present = set(old.namelist())
        for name, data in changes.items():
            if name not in present and data is not None:
                added = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
                added.compress_type = zipfile.ZIP_DEFLATED
                new.writestr(added, data)
