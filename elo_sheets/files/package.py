"""Reading an .xlsx package: its sheets, tables, names and settings.

A workbook is a zip of XML parts (ECMA-376), which `archive` guards; `worksheet` reads a sheet. What Excel would repair,
but can still be read, is kept in `Book.faults` for the lint.
"""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Collection
from pathlib import Path

from elo_sheets.errors import UnreadableInput
from elo_sheets.files import worksheet
from elo_sheets.files.archive import (
    MAIN,
    RELATION,
    STRICT,
    Package,
    check_file,
    check_zip,
    damage_reported,
    is_old_format,
    refuse,
)
from elo_sheets.files.attachments import Formats, attach, external_links, formats_in
from elo_sheets.files.cells import Book, Calc, Cell, CellError, Fault, Value, without_collection
from elo_sheets.files.references import (
    MAX_COLUMN,
    MAX_ROW,
    Place,
    Table,
    cell_name,
    column_letters,
    column_number,
    parse_cell_name,
    parse_range,
    quote_sheet,
    sheet_text,
    shift_formula,
    structured_resolver,
    unescape,
)
from elo_sheets.files.worksheet import read_sheet, shared_strings, values

MAX_NAMES = 65_536

__all__ = [
    "MAX_COLUMN",
    "MAX_ROW",
    "Book",
    "Cell",
    "CellError",
    "Place",
    "Value",
    "cell_name",
    "column_letters",
    "column_number",
    "parse_cell_name",
    "parse_range",
    "quote_sheet",
    "sheet_text",
    "shift_formula",
    "structured_resolver",
]


# --- the workbook -------------------------------------------------------------------------------------------


def _flag(element: ET.Element | None, name: str, default: bool) -> bool:
    text = None if element is None else element.get(name)
    return default if text is None else text in ("1", "true", "on")


def _workbook_part(package: Package, strict: bool) -> str:
    path = package.path
    for kind, part in package.relations("").values():
        if kind.endswith("/officeDocument"):
            if part.endswith(".bin"):
                raise refuse(path, "it is a binary workbook (.xlsb)", "save it as .xlsx")
            if part.startswith(("word/", "ppt/")):
                raise refuse(
                    path,
                    "it is not a workbook but another Office document",
                    "copy its table into a sheet, or save it as a web page (.html) or as text (.txt)",
                )
            if kind.startswith(STRICT):
                if not strict:
                    raise _strict(path)
                package.main = f"{STRICT}/spreadsheetml/main"
            return part
    if package.has("mimetype") and package.has("content.xml"):
        raise refuse(path, "it is an OpenDocument file", "save it as .xlsx")
    raise refuse(path, "it has no workbook part", "save it as .xlsx")


def _strict(path: Path) -> UnreadableInput:
    return refuse(path, "it was saved as 'Strict Open XML'", "save it as 'Excel Workbook (*.xlsx)'")


def _calc(workbook: ET.Element) -> Calc:
    settings, properties = workbook.find(f"{{{MAIN}}}calcPr"), workbook.find(f"{{{MAIN}}}workbookPr")
    mode = "auto" if settings is None else settings.get("calcMode", "auto")
    return Calc(
        mode,
        _flag(settings, "iterate", False),
        _flag(settings, "fullPrecision", True),
        _flag(properties, "date1904", False),
    )


def _read_table(package: Package, part: str, sheet: str, book: Book) -> None:
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
    for number, element in enumerate(workbook.iter(f"{{{MAIN}}}definedName")):
        if number >= MAX_NAMES:
            raise refuse(book.path, f"it defines more than {MAX_NAMES:,} names", "delete those that are not used")
        name, scope, text = element.get("name", ""), element.get("localSheetId"), element.text or ""
        if scope is None:
            if name in book.names:
                book.faults.append(Fault("", name, "name-duplicate", f"the name {name!r} is defined twice"))
            book.names[name] = text
        elif scope.isascii() and scope.isdigit() and int(scope) < len(sheet_names):
            book.local_names[sheet_names[int(scope)], name] = text
        else:
            book.faults.append(Fault("", name, "name-scope", f"the name {name!r} belongs to no sheet"))


def _read(package: Package, strict: bool, without_rows: Collection[str], values_of: Collection[str] | None) -> Book:
    part = _workbook_part(package, strict)
    workbook = package.tree(part, 2 * MAX_NAMES)
    if workbook.tag.startswith("{" + STRICT):
        raise _strict(package.path)
    if workbook.tag != f"{{{MAIN}}}workbook":
        raise refuse(package.path, f"its workbook part starts with {workbook.tag!r}")
    book = Book(package.path, calc=_calc(workbook))
    relations = package.relations(part)
    book.macros = any(kind.endswith("/vbaProject") for kind, _ in relations.values())
    book.format = "xlsm" if book.macros or package.path.suffix.lower() in (".xlsm", ".xltm") else "xlsx"
    book.external_links = external_links(package, part, workbook, relations)
    shared: list[str] = []
    formats = Formats()
    for kind, target in relations.values():
        if kind.endswith("/sharedStrings") and package.has(target):
            shared = shared_strings(package, target)
        elif kind.endswith("/styles") and package.has(target):
            formats = formats_in(package.tree(target))
    elements = list(workbook.iter(f"{{{MAIN}}}sheet"))
    budget = worksheet.MAX_CELLS
    for element in elements:
        name = unescape(element.get("name", ""))
        kind, target = relations.get(element.get(f"{{{RELATION}}}id", ""), ("", ""))
        if not kind.endswith("/worksheet"):
            continue
        if name in book.sheets:
            raise refuse(package.path, f"two sheets are called {name!r}", "rename one of them")
        if element.get("state", "visible") != "visible":
            book.hidden.add(name)
        if values_of is None:
            budget -= read_sheet(package, target, name, shared, formats, book, budget, name not in without_rows)
        else:
            book.parts[name] = target
            book.sheets[name] = dict(values(package, target, shared)) if name in values_of else {}
        own = package.relations(target)
        for table_kind, table_part in own.values():
            if table_kind.endswith("/table"):
                _read_table(package, table_part, name, book)
        attach(package, own, name, book)
    if not book.sheets:
        raise refuse(package.path, "it has no worksheet")
    _read_names(workbook, [unescape(element.get("name", "")) for element in elements], book)
    return book


def is_book_with(path: Path, sheet: str) -> bool:
    """Whether a file is a workbook with a sheet of this name, told from its list of sheets alone."""
    try:
        with zipfile.ZipFile(path) as archive:
            workbook = archive.read("xl/workbook.xml")
    except (OSError, KeyError, zipfile.BadZipFile):
        return False
    return f'name="{sheet}"'.encode() in workbook


@without_collection()
def read_book(
    path: str | os.PathLike[str],
    *,
    strict: bool = False,
    without_rows: Collection[str] = (),
    values_of: Collection[str] | None = None,
) -> Book:
    """The cells, tables, names and settings of an .xlsx or .xlsm workbook.

    `strict` also admits what Excel saved as 'Strict Open XML', which nothing here can write back. The cells of the
    sheets `without_rows` are left out. Of a book that stands as we wrote it, the values of the sheets `values_of` can
    be had alone.

    Raises `UnreadableInput` when the file is missing, is not such a workbook, needs a password, or is built
    to exhaust memory.  Costs about 4 µs for a cell.
    """
    path = Path(path)
    head = check_file(path)
    if is_old_format(path, head):
        raise refuse(path, "it is an old .xls file", "save it as .xlsx")
    check_zip(path, head)
    with damage_reported(path), zipfile.ZipFile(path) as archive:
        return _read(Package(path, archive), strict, without_rows, values_of)
