"""Reading OpenDocument spreadsheets (.ods, and the flat .fods) into the same `Book` as .xlsx.

One streaming pass over the XML. What is repeated is written out as far as it holds something, within a budget of
cells; formulas are translated to Excel's spelling; dates become serial numbers.
"""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from urllib.parse import unquote
from xml.parsers import expat

from elo_sheets.files.archive import MAX_DEPTH, MAX_ELEMENTS, Package, damage_reported, refuse
from elo_sheets.files.cells import Book, Calc, Cell, CellError, Validation, Value
from elo_sheets.files.openformula import reference, to_excel
from elo_sheets.files.package import MAX_NAMES
from elo_sheets.files.references import MAX_COLUMN, MAX_ROW, Place, cell_name
from elo_sheets.files.worksheet import MAX_FORMULA, MAX_FORMULAS, MAX_TEXT, check_merged, serial

_NAMESPACES = {
    "urn:oasis:names:tc:opendocument:xmlns:office:1.0": "office",
    "urn:oasis:names:tc:opendocument:xmlns:table:1.0": "table",
    "urn:oasis:names:tc:opendocument:xmlns:text:1.0": "text",
    "urn:oasis:names:tc:opendocument:xmlns:style:1.0": "style",
    "urn:oasis:names:tc:opendocument:xmlns:config:1.0": "config",
    "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0": "calcext",
    "http://www.w3.org/1999/xlink": "xlink",
    "http://openoffice.org/2004/office": "ooo",
    "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0": "draw",
}
_SPREADSHEET = "application/vnd.oasis.opendocument.spreadsheet"
# Subtrees with cells or texts that are not the sheet's own.
_SKIPPED = frozenset(
    """
    table:tracked-changes table:dde-links table:shapes office:forms office:event-listeners table:scenario
    table:detective table:desc table:title office:font-face-decls
    """.split()
)
_ERRORS = {"Err:502": "#VALUE!", "Err:503": "#NUM!", "Err:504": "#REF!", "Err:508": "#NAME?", "Err:511": "#VALUE!"}
_ERROR = re.compile(r"#(?:NULL!|DIV/0!|VALUE!|REF!|NAME\?|NUM!|N/A)|Err:\d{3}")
_DURATION = re.compile(r"(-?)P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)S)?")
_SPECIAL = {
    "table:content-validation-name",
    "table:number-columns-spanned",
    "table:number-rows-spanned",
}
_MAX_TAGS = 8_000_000  # a cell with a value has four, and reading takes two microseconds for each
_MAX_SPACES = 10_000


class _Names(dict[str, str]):
    """Expat's names, 'namespace word', as 'prefix:word' with the usual prefixes."""

    def __missing__(self, name: str) -> str:
        uri, _, word = name.rpartition(" ")
        self[name] = short = f"{_NAMESPACES[uri]}:{word}" if uri in _NAMESPACES else name
        return short


def _number(text: str | None, default: int = 1) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 12 else default


def _duration(text: str) -> float | None:
    """An ISO 8601 duration as a part of a day."""
    match = _DURATION.fullmatch(text)
    if match is None:
        return None
    sign, days, hours, minutes, seconds = match.groups()
    second = float((seconds or "0").replace(",", "."))
    total = int(days or 0) * 86400 + int(hours or 0) * 3600 + int(minutes or 0) * 60 + second
    return -total / 86400 if sign else total / 86400


@dataclass(slots=True)
class _Open:
    """The cell that is being read."""

    attributes: dict[str, str]
    texts: list[str] = field(default_factory=list)
    comment: list[str] | None = None


class _Reader:
    """The state of one pass over content.xml."""

    def __init__(self, path: Path, budget: int) -> None:
        self.path, self.budget = path, budget
        self.book = Book(path, format="ods")
        self.names = _Names()
        self.elements = self.depth = self.skip = self.formulas = 0
        self.sheet: str | None = None
        self.cells: dict[Place, Cell] = {}
        self.row = self.column = 0
        self.rows = 1
        self.row_cells: list[tuple[int, int, _Open]] = []  # first column, repetitions
        self.row_hidden = False
        self.group_hidden: list[bool] = []
        self.cell: _Open | None = None
        self.text: list[str] | None = None
        self.hidden_styles: set[str] = set()
        self.struck_styles: set[str] = set()
        self.bold_styles: set[str] = set()
        self.style = ""
        self.era = "1899-12-30"
        self.rules: dict[str, tuple[str, str, str]] = {}
        self.rule_cells: dict[str, dict[str, list[Place]]] = {}
        self.expressions: list[tuple[str | None, str, str]] = []
        self.filters: list[str] = []
        self.precision = True
        self.iterate = False
        self.manual = False
        self.macros = False
        self.config = ""

    # --- the parser's events

    def start(self, raw: str, raw_attributes: dict[str, str]) -> None:
        self.elements += 1
        self.depth += 1
        if self.depth > MAX_DEPTH or self.elements > MAX_ELEMENTS:
            raise refuse(self.path, "its XML has too many elements")
        if self.skip:
            self.skip += 1
            return
        names = self.names
        handler = _STARTS.get(names[raw])
        if handler is not None:
            handler(self, {names[key]: value for key, value in raw_attributes.items()} if raw_attributes else {})
            return
        name = names[raw]
        if name in _SKIPPED or (name.startswith("draw:") and self.cell is not None):
            self.skip = 1
            if name == "table:dde-links":
                self.book.notes.append("links to other programs (DDE) are not followed")

    def end(self, raw: str) -> None:
        self.depth -= 1
        if self.skip:
            self.skip -= 1
            return
        handler = _ENDS.get(self.names[raw])
        if handler is not None:
            handler(self)

    def characters(self, data: str) -> None:
        if self.text is not None and not self.skip:
            self.text.append(data)

    # --- sheets, rows, columns

    def start_table(self, attributes: dict[str, str]) -> None:
        name = attributes.get("table:name", f"Sheet{len(self.book.sheets) + 1}")
        if name.startswith("'file:") or "'#" in name:
            self.skip = 1  # a copy of what another file held when it was last seen
            self._link(name)
            return
        if self.sheet is not None:
            self.skip = 1
            return
        if name in self.book.sheets:
            raise refuse(self.path, f"two sheets are called {name!r}", "rename one of them")
        self.sheet, self.cells = name, {}
        self.row = self.column = 0
        self.group_hidden = []
        self.book.sheets[name] = self.cells
        self.book.parts[name] = "content.xml"
        if attributes.get("table:style-name") in self.hidden_styles:
            self.book.hidden.add(name)
        if attributes.get("table:protected") == "true":
            self.book.protected.add(name)

    def _link(self, name: str) -> None:
        target = unquote(name[1:].partition("'#")[0])
        if target not in self.book.external_links:
            self.book.external_links.append(target)

    def end_table(self) -> None:
        self.sheet = None

    def start_source(self, attributes: dict[str, str]) -> None:
        target = unquote(attributes.get("xlink:href", ""))
        if target and target not in self.book.external_links:
            self.book.external_links.append(target)

    def start_column(self, attributes: dict[str, str]) -> None:
        count = _number(attributes.get("table:number-columns-repeated"))
        hidden = attributes.get("table:visibility") in ("collapse", "filter")
        if self.sheet is not None and hidden and self.column < MAX_COLUMN:
            last = min(self.column + count, MAX_COLUMN)
            self.book.hidden_columns.setdefault(self.sheet, set()).update(range(self.column + 1, last + 1))
        self.column += count

    def start_group(self, attributes: dict[str, str]) -> None:
        self.group_hidden.append(attributes.get("table:display") == "false")

    def end_group(self) -> None:
        if self.group_hidden:
            self.group_hidden.pop()

    def start_row(self, attributes: dict[str, str]) -> None:
        self.rows = max(1, _number(attributes.get("table:number-rows-repeated")))
        self.column = 0
        self.row_cells = []
        self.row_hidden = attributes.get("table:visibility") in ("collapse", "filter") or any(self.group_hidden)

    def end_row(self) -> None:
        if self.sheet is None:
            return
        first, self.row = self.row + 1, self.row + self.rows
        if not self.row_cells:
            return
        if self.row > MAX_ROW:
            raise refuse(self.path, f"sheet {self.sheet!r} has content below row {MAX_ROW:,}")
        self.budget -= self.rows * sum(count for _, count, _ in self.row_cells)
        if self.budget < 0:
            raise refuse(self.path, "it has too many cells", "delete what is repeated beyond the data")
        if self.row_hidden:
            self.book.hidden_rows.setdefault(self.sheet, set()).update(range(first, self.row + 1))
        for row in range(first, self.row + 1):
            for column, count, opened in self.row_cells:
                self._place(row, column, count, opened)

    def _place(self, row: int, column: int, count: int, opened: _Open) -> None:
        assert self.sheet is not None
        attributes = opened.attributes
        cell = self._cell(row, column, opened)
        if cell is not None and attributes.get("table:style-name") in self.struck_styles:
            self.book.struck_out.setdefault(self.sheet, set()).update((row, column + at) for at in range(count))
        if cell is not None and attributes.get("table:style-name") in self.bold_styles:
            self.book.bold.setdefault(self.sheet, set()).update((row, column + at) for at in range(count))
        if count == 1 and opened.comment is None and not _SPECIAL & attributes.keys():
            if cell is not None:
                self.cells[row, column] = cell
            return
        for at in range(column, column + count):
            if cell is not None:
                self.cells[row, at] = cell
            if opened.comment is not None:
                self.book.comments.setdefault(self.sheet, {})[row, at] = "".join(opened.comment).strip("\n")
            rule = attributes.get("table:content-validation-name")
            if rule is not None:
                self.rule_cells.setdefault(rule, {}).setdefault(self.sheet, []).append((row, at))
        wide = _number(attributes.get("table:number-columns-spanned"))
        high = _number(attributes.get("table:number-rows-spanned"))
        if wide > 1 or high > 1:
            last = cell_name(min(row + high - 1, MAX_ROW), min(column + wide - 1, MAX_COLUMN))
            self.book.merges.setdefault(self.sheet, []).append(f"{cell_name(row, column)}:{last}")

    # --- cells

    def start_cell(self, attributes: dict[str, str]) -> None:
        if self.sheet is not None and self.cell is None:
            self.cell = _Open(attributes)

    def end_cell(self) -> None:
        opened, self.cell = self.cell, None
        if opened is None:
            return
        attributes = opened.attributes
        count = max(1, _number(attributes.get("table:number-columns-repeated")))
        first = self.column + 1
        self.column += count
        holds = (
            "office:value-type" in attributes
            or "table:formula" in attributes
            or opened.texts
            or opened.comment is not None
            or "table:number-columns-spanned" in attributes
        )
        # A rule is often laid over the empty rest of a column; where nothing stands, it guards nothing here.
        if not holds and not (
            "table:content-validation-name" in attributes
            and count <= 1_000
            and self.rows <= 1_000
            and count * self.rows < 10_000
        ):
            return
        if self.column > MAX_COLUMN:
            raise refuse(self.path, f"sheet {self.sheet!r} has content beyond column XFD")
        self.row_cells.append((first, count, opened))

    def _cell(self, row: int, column: int, opened: _Open) -> Cell | None:
        attributes = opened.attributes
        value = self._value(opened)
        stored = attributes.get("table:formula")
        if stored is None:
            return None if value is None else Cell(None, value)
        if len(stored) > MAX_FORMULA:
            raise refuse(self.path, f"the formulas of sheet {self.sheet!r} are too long")
        formula = to_excel(stored)
        if formula in ("TRUE", "FALSE"):  # how LibreOffice keeps a typed truth value
            return Cell(None, formula == "TRUE")
        self.formulas += len(formula)
        if self.formulas > MAX_FORMULAS:
            raise refuse(self.path, f"the formulas of sheet {self.sheet!r} are too long")
        wide = attributes.get("table:number-matrix-columns-spanned")
        high = attributes.get("table:number-matrix-rows-spanned")
        array = None
        if wide is not None or high is not None:
            array = cell_name(row, column)
            if _number(wide) > 1 or _number(high) > 1:
                bottom, right = row + _number(high) - 1, column + _number(wide) - 1
                array += ":" + cell_name(min(bottom, MAX_ROW), min(right, MAX_COLUMN))
        return Cell(formula, value, array)

    def _value(self, opened: _Open) -> Value:
        attributes = opened.attributes
        kind = attributes.get("calcext:value-type") or attributes.get("office:value-type")
        shown = "\n".join(opened.texts)
        is_formula = "table:formula" in attributes
        if kind == "error" or (is_formula and _ERROR.fullmatch(shown)):
            text = shown if _ERROR.fullmatch(shown) else "#VALUE!"
            return CellError(_ERRORS.get(text, "#VALUE!") if text.startswith("Err:") else text)
        kind = attributes.get("office:value-type")
        if kind in ("float", "percentage", "currency"):
            return _float(attributes.get("office:value", ""), shown)
        if kind == "date":
            stored = attributes.get("office:date-value", "")
            return serial(stored, self.era == "1904-01-01")
        if kind == "time":
            part = _duration(attributes.get("office:time-value", ""))
            return shown if part is None else part
        if kind == "boolean":
            return attributes.get("office:boolean-value") == "true"
        if kind == "string" or opened.texts:
            return attributes.get("office:string-value", shown) or ("" if is_formula or not shown else shown)
        return None

    # --- texts

    def start_paragraph(self, _: dict[str, str]) -> None:
        if self.cell is not None or self.style == "annotation":
            self.text = []

    def end_paragraph(self) -> None:
        if self.text is None or self.cell is None:
            return
        whole = "".join(self.text)
        self.text = None
        if len(whole) > MAX_TEXT:
            raise refuse(self.path, f"it has a text of {len(whole):,} characters", f"the limit is {MAX_TEXT:,}")
        if self.cell.comment is not None and self.style == "annotation":
            self.cell.comment.append(whole + "\n")
        else:
            self.cell.texts.append(whole)

    def start_spaces(self, attributes: dict[str, str]) -> None:
        if self.text is not None:
            self.text.append(" " * min(_number(attributes.get("text:c")), _MAX_SPACES))

    def start_tab(self, _: dict[str, str]) -> None:
        if self.text is not None:
            self.text.append("\t")

    def start_break(self, _: dict[str, str]) -> None:
        if self.text is not None:
            self.text.append("\n")

    def start_annotation(self, _: dict[str, str]) -> None:
        self.style = "annotation"
        if self.cell is not None:
            self.cell.comment = []

    def end_annotation(self) -> None:
        self.style = ""

    # --- settings, names, rules

    def start_style(self, attributes: dict[str, str]) -> None:
        family = attributes.get("style:family")
        self.style = attributes.get("style:name", "") if family in ("table", "table-cell") else ""

    def end_style(self) -> None:
        self.style = ""

    def start_table_properties(self, attributes: dict[str, str]) -> None:
        if self.style and attributes.get("table:display") == "false":
            self.hidden_styles.add(self.style)

    def start_text_properties(self, attributes: dict[str, str]) -> None:
        if self.style and attributes.get("style:text-line-through-style", "none") != "none":
            self.struck_styles.add(self.style)
        if self.style and attributes.get("fo:font-weight", "normal") in ("bold", "700", "800", "900"):
            self.bold_styles.add(self.style)

    def start_calculation(self, attributes: dict[str, str]) -> None:
        self.precision = attributes.get("table:precision-as-shown") != "true"

    def start_null_date(self, attributes: dict[str, str]) -> None:
        self.era = attributes.get("table:date-value", self.era)

    def start_iteration(self, attributes: dict[str, str]) -> None:
        self.iterate = attributes.get("table:status") == "enable"

    def start_named(self, attributes: dict[str, str]) -> None:
        name = attributes.get("table:name", "")
        if len(self.expressions) >= MAX_NAMES:
            raise refuse(self.path, f"it defines more than {MAX_NAMES:,} names", "delete those that are not used")
        range_ = attributes.get("table:cell-range-address")
        text = reference(range_) if range_ is not None else to_excel(attributes.get("table:expression", ""))
        self.expressions.append((self.sheet, name, text))

    def start_database(self, attributes: dict[str, str]) -> None:
        if attributes.get("table:display-filter-buttons") == "true":
            self.filters.append(attributes.get("table:target-range-address", ""))

    def start_validation(self, attributes: dict[str, str]) -> None:
        condition = attributes.get("table:condition", "")
        self.rules[attributes.get("table:name", "")] = _condition(condition)

    def start_module(self, _: dict[str, str]) -> None:
        self.macros = True

    def start_config(self, attributes: dict[str, str]) -> None:
        self.config = attributes.get("config:name", "")
        self.text = [] if self.config == "AutoCalculate" else None

    def end_config(self) -> None:
        if self.text is not None:
            self.manual = "".join(self.text).strip() == "false"
        self.text = None

    # --- the whole

    def finish(self) -> Book:
        book = self.book
        if not book.sheets:
            raise refuse(self.path, "it has no worksheet")
        mode = "manual" if self.manual else "auto"
        book.calc = Calc(mode, self.iterate, self.precision, self.era == "1904-01-01")
        book.macros = book.macros or self.macros
        for sheet, name, text in self.expressions:
            if sheet is None:
                book.names[name] = text
            else:
                book.local_names[sheet, name] = text
        for address in self.filters:
            sheet, _, cells = reference(address).rpartition("!")
            book.autofilters[sheet.strip("'").replace("''", "'")] = cells.replace("$", "")
        for rule, sheets in self.rule_cells.items():
            kind, first, second = self.rules.get(rule, ("none", "", ""))
            for sheet_name, places in sheets.items():
                book.validations.append(Validation(sheet_name, _areas(places), kind, first, second))
        for sheet_name, merges in book.merges.items():
            check_merged(self.path, sheet_name, merges)
        return book


def _float(text: str, shown: str) -> float | str:
    try:
        number = float(text)
    except ValueError:
        return shown
    return number if math.isfinite(number) else shown or text


def _areas(places: list[Place]) -> str:
    """Cells as ranges down the columns, the way that a rule of .xlsx names them."""
    found = []
    by_column = sorted((column, row) for row, column in places)
    start = 0
    for index, (column, row) in enumerate(by_column):
        following = by_column[index + 1] if index + 1 < len(by_column) else None
        if following != (column, row + 1):
            first, last = cell_name(by_column[start][1], column), cell_name(row, column)
            found.append(first if first == last else f"{first}:{last}")
            start = index + 1
    return " ".join(found)


_CONDITION = re.compile(r"(?:of:|oooc:)?(?:cell-content-is-in-list\((?P<list>.*)\)|(?P<other>.*))", re.S)
_KINDS = (
    ("cell-content-is-decimal-number", "decimal"),
    ("cell-content-is-whole-number", "whole"),
    ("cell-content-is-date", "date"),
    ("cell-content-is-time", "time"),
    ("cell-content-text-length", "textLength"),
    ("is-true-formula", "custom"),
)


def _condition(text: str) -> tuple[str, str, str]:
    """Type and two formulas of a validation rule."""
    match = _CONDITION.fullmatch(text)
    if match is None:
        return "none", "", ""
    if match["list"] is not None:
        inner = match["list"]
        if '"' in inner:
            items = re.findall(r'"((?:[^"]|"")*)"', inner)
            return "list", '"' + ",".join(items) + '"', ""
        return "list", to_excel(inner), ""
    other = match["other"]
    kind = next((kind for word, kind in _KINDS if word in other), "none")
    between = re.search(r"is-(?:not-)?between\((.*)\)$", other, re.S)
    if between:
        first, _, second = between[1].partition(",")
        return kind, to_excel(first), to_excel(second)
    compared = re.search(r"cell-content\(\)\s*(?:[<>!]?=|[<>])(.*)$", other, re.S)
    return kind, to_excel(compared[1]) if compared else "", ""


_STARTS: dict[str, Callable[[_Reader, dict[str, str]], None]] = {
    "table:table": _Reader.start_table,
    "table:table-source": _Reader.start_source,
    "table:table-column": _Reader.start_column,
    "table:table-row-group": _Reader.start_group,
    "table:table-row": _Reader.start_row,
    "table:table-cell": _Reader.start_cell,
    "table:covered-table-cell": _Reader.start_cell,
    "table:calculation-settings": _Reader.start_calculation,
    "table:null-date": _Reader.start_null_date,
    "table:iteration": _Reader.start_iteration,
    "table:named-range": _Reader.start_named,
    "table:named-expression": _Reader.start_named,
    "table:database-range": _Reader.start_database,
    "table:content-validation": _Reader.start_validation,
    "text:p": _Reader.start_paragraph,
    "text:s": _Reader.start_spaces,
    "text:tab": _Reader.start_tab,
    "text:line-break": _Reader.start_break,
    "office:annotation": _Reader.start_annotation,
    "ooo:module": _Reader.start_module,
    "style:style": _Reader.start_style,
    "style:table-properties": _Reader.start_table_properties,
    "style:text-properties": _Reader.start_text_properties,
    "config:config-item": _Reader.start_config,
}
_ENDS: dict[str, Callable[[_Reader], None]] = {
    "table:table": _Reader.end_table,
    "table:table-row-group": _Reader.end_group,
    "table:table-row": _Reader.end_row,
    "table:table-cell": _Reader.end_cell,
    "table:covered-table-cell": _Reader.end_cell,
    "text:p": _Reader.end_paragraph,
    "office:annotation": _Reader.end_annotation,
    "style:style": _Reader.end_style,
    "config:config-item": _Reader.end_config,
}


def _check_size(path: Path, stream: IO[bytes]) -> None:
    """Refuse in a moment what would take long to read."""
    tags = 0
    while chunk := stream.read(2**20):
        tags += chunk.count(b"<")
        if tags > _MAX_TAGS:
            raise refuse(path, "it has too many cells", "delete what is repeated beyond the data")


def _feed(reader: _Reader, stream: IO[bytes]) -> None:
    def refuse_doctype(*_: object) -> None:
        raise refuse(reader.path, "its XML has a document type declaration")

    parser = expat.ParserCreate("utf-8", " ")
    parser.StartElementHandler, parser.EndElementHandler = reader.start, reader.end
    parser.CharacterDataHandler = reader.characters
    parser.StartDoctypeDeclHandler = refuse_doctype
    parser.buffer_text = True
    while chunk := stream.read(2**20):
        parser.Parse(chunk, False)
    parser.Parse(b"", True)


def _check_kind(package: Package) -> None:
    if package.has("mimetype"):
        with package.stream("mimetype") as stream:
            kind = stream.read(200).decode("latin-1").strip()
        if not kind.startswith(_SPREADSHEET):
            raise refuse(package.path, f"it is not a workbook but {kind!r}")
    if package.has("META-INF/manifest.xml"):
        manifest: ET.Element = package.tree("META-INF/manifest.xml")
        if any(element.tag.endswith("}encryption-data") for element in manifest.iter()):
            raise refuse(package.path, "it is protected by a password", "save a copy without a password")


def read_package(package: Package, cells: int) -> Book:
    """The book in an .ods package, of at most so many cells."""
    _check_kind(package)
    reader = _Reader(package.path, cells)
    if package.has("settings.xml"):
        with package.stream("settings.xml") as stream:
            _feed(reader, stream)
        reader.depth = 0
    with package.stream("content.xml") as stream:
        _check_size(package.path, stream)
    with package.stream("content.xml") as stream:
        _feed(reader, stream)
    reader.macros |= any(_is_macro(name) for name in package.names)
    return reader.finish()


def _is_macro(name: str) -> bool:
    return name.startswith(("basic/", "scripts/")) and not name.endswith(("script-lc.xml", "script-lb.xml", "/"))


def read_flat(path: Path, cells: int) -> Book:
    """The book in a flat .fods file, of at most so many cells."""
    with path.open("rb") as stream:
        head = stream.read(4096)
    if b"office:document" not in head:
        old = b"urn:schemas-microsoft-com:office:spreadsheet" in head
        raise refuse(
            path,
            "it is an 'XML Spreadsheet 2003'" if old else "it is XML, but no workbook",
            "save it as .xlsx",
        )
    if _SPREADSHEET.encode() not in head:
        raise refuse(path, "it is an OpenDocument file, but no workbook")
    reader = _Reader(path, cells)
    with damage_reported(path), path.open("rb") as stream:
        _check_size(path, stream)
        stream.seek(0)
        _feed(reader, stream)
    reader.book.format = "fods"
    return reader.finish()
