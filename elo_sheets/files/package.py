"""Reading the cells of an .xlsx package: formulas and cached values in one streaming pass over the XML.

A workbook is a zip of XML parts (ECMA-376), which `_archive` guards. What Excel would repair, but can still be read, is
kept in `Book.faults` for the lint.
"""

from __future__ import annotations

import os
import re
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import partial
from pathlib import Path
from xml.parsers import expat
from xml.sax.saxutils import unescape as unescape_xml

from elo_sheets.errors import UnreadableInput
from elo_sheets.files.archive import (
    MAIN,
    MAX_DEPTH,
    MAX_ELEMENTS,
    RELATION,
    STRICT,
    Package,
    check_file,
    check_zip,
    damage_reported,
    is_old_format,
    refuse,
    rewrite_parts,
)
from elo_sheets.files.attachments import attach, external_links, unlocked_styles
from elo_sheets.files.cells import Book, Calc, Cell, CellError, Fault, Validation, Value, without_collection
from elo_sheets.files.references import (
    MAX_COLUMN,
    MAX_ROW,
    STRUCTURED,
    Place,
    StructuredReference,
    Table,
    cell_name,
    column_letters,
    column_number,
    escape,
    parse_cell_name,
    parse_range,
    parse_structured,
    quote_sheet,
    shift_formula,
    structured_references,
    structured_resolver,
    unescape,
    unescape_column,
)

MAX_CELLS = 5_000_000
MAX_NAMES = 65_536
MAX_MERGED = 2**26  # cells under merged ranges, all together
MAX_FORMULA = 65_536  # characters; Excel itself stops at 8,192
MAX_FORMULAS = 2**26  # characters of the shared formulas of a sheet, written out; those of long ones count more
_LONG_FORMULA, _LONG_FORMULA_COST = 500, 8
MAX_TEXT = 2**20  # characters; Excel itself stops at 32,767

__all__ = [
    "MAIN",
    "MAX_COLUMN",
    "MAX_ROW",
    "STRUCTURED",
    "Book",
    "Calc",
    "Cell",
    "CellError",
    "Fault",
    "Package",
    "Place",
    "StructuredReference",
    "Table",
    "Validation",
    "Value",
    "cell_name",
    "check_file",
    "check_merged",
    "check_zip",
    "column_letters",
    "column_number",
    "damage_reported",
    "escape",
    "is_book_with",
    "is_old_format",
    "parse_cell_name",
    "parse_range",
    "parse_structured",
    "quote_sheet",
    "read_book",
    "refuse",
    "rewrite_parts",
    "serial",
    "shift_formula",
    "structured_references",
    "structured_resolver",
    "unescape",
    "unescape_column",
]

# --- sheets -------------------------------------------------------------------------------------------------


def _but_rows(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the text of a worksheet without its rows."""
    text, marks = b"", [b"</sheetData>", b"<sheetData>"]
    for chunk in chunks:
        text += chunk
        while marks and (found := text.find(marks[-1])) >= 0:
            if marks.pop() == b"<sheetData>":
                yield text[:found] + b"<sheetData>"
                found += len(b"<sheetData>")
            text = text[found:]
        kept = len(b"</sheetData>") if marks else 0  # a mark may be cut in two
        if len(marks) != 1:
            yield text[: len(text) - kept]
        text = text[len(text) - kept :]
    yield text


def _parse(package: Package, part: str, parser: expat.XMLParserType, rows: bool = True) -> None:
    def refuse_doctype(*_: object) -> None:
        raise refuse(package.path, f"the part {part!r} has a document type declaration")

    parser.StartDoctypeDeclHandler = refuse_doctype
    parser.buffer_text = True
    with package.stream(part) as stream:
        chunks = iter(partial(stream.read, 2**20), b"")
        for chunk in chunks if rows else _but_rows(chunks):
            parser.Parse(chunk, False)
        parser.Parse(b"", True)


def _parser(names: Iterable[str], main: str = MAIN) -> expat.XMLParserType:
    # A declared encoding is not obeyed: parts are UTF-8 or UTF-16, and others have smuggled XML past filters.
    # The table of interned names makes every comparison of an element's name one of identity.
    return expat.ParserCreate("utf-8", " ", {f"{main} {name}": f"{main} {name}" for name in names})


def _shared_strings(package: Package, part: str) -> list[str]:
    """The shared texts; of rich text its runs, without phonetic guides."""
    si, t, rph = (f"{package.main} {name}" for name in ("si", "t", "rPh"))
    found: list[str] = []
    text: list[str] = []
    inside = phonetic = False
    count = 0

    def start(name: str, _: dict[str, str]) -> None:
        nonlocal inside, phonetic, count
        count += 1
        if count > MAX_ELEMENTS:
            raise refuse(package.path, f"the part {part!r} has too many elements")
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
            whole = "".join(text)
            if len(whole) > MAX_TEXT:
                raise refuse(package.path, f"it has a text of {len(whole):,} characters", _LONG_TEXT)
            found.append(unescape(whole))
            text.clear()

    def characters(data: str) -> None:
        if inside:
            text.append(data)

    parser = _parser(("si", "t", "rPh", "r"), package.main)
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, characters
    _parse(package, part, parser)
    return found


def serial(text: str, date1904: bool) -> float | str:
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


# A cell as we write it: the letters and the number of its place, its kind and its value.
_WRITTEN = re.compile(
    rb'<c r="([A-Z]+)(\d+)"(?: s="\d+")?(?: t="(\w+)")?(?: cm="1")?>(?:<f[^>]*>[^<]*</f>)?<v>([^<]*)</v></c>'
)
_SHEET_NAMES = (
    "c v f row is t r rPh mergeCell dataValidation formula1 formula2 cfRule formula conditionalFormatting "
    "col sheetProtection autoFilter"
)
_LONG_TEXT = f"shorten it: the limit is {MAX_TEXT:,}"


def _read_sheet(
    package: Package,
    part: str,
    sheet: str,
    shared: list[str],
    unlocked: frozenset[str],
    book: Book,
    budget: int,
    rows: bool = True,
) -> int:
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
        col,
        protection,
        auto_filter,
    ) = (f"{package.main} {name}" for name in _SHEET_NAMES.split())
    cells: dict[Place, Cell] = {}
    text: list[str] = []
    masters: dict[str, _Master] = {}
    orphans: list[tuple[Place, str]] = []
    hidden_rows: set[int] = set()
    hidden_columns: set[int] = set()
    open_formulas: set[Place] = set()
    style = ""
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
    count = others = depth = spent = 0
    date1904 = book.calc.date1904
    fault = _fault_recorder(book, sheet)
    strings = len(shared)
    known = frozenset({row_tag, is_tag, merge, formatting})
    numbers = {letters: number for number, letters in ((n, column_letters(n)) for n in range(1, 703))}

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal row, column, kind, formula, value, array, dynamic, formula_attributes, count, others, sqref, phonetic
        nonlocal depth, style
        if name == c:
            count += 1
            if count > budget:
                raise refuse(package.path, f"it has more than {MAX_CELLS:,} cells")
            formula = value = array = None
            dynamic = False
            kind = attributes.get("t", "n")
            style = attributes.get("s", "0")
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
                    raise refuse(package.path, f"sheet {sheet!r} has a row {number!r}")
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
            depth += 1
            if name == col and attributes.get("hidden") in ("1", "true"):
                hidden_columns.update(_columns(attributes))
            elif name == protection and attributes.get("sheet") in ("1", "true"):
                book.protected.add(sheet)
            elif name == auto_filter:
                book.autofilters[sheet] = attributes.get("ref", "")
        if others > MAX_ELEMENTS or depth > MAX_DEPTH:
            raise refuse(package.path, f"sheet {sheet!r} has too many elements")

    def end(name: str) -> None:
        nonlocal value, formula, array, phonetic, depth, spent
        if name == v:
            value = text[0] if len(text) == 1 else "".join(text)
            if len(value) > MAX_TEXT:
                raise refuse(package.path, f"sheet {sheet!r} has a text of {len(value):,} characters", _LONG_TEXT)
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
                            result = value
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
                result = serial(value, date1904)
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
                        spent += len(formula) * (_LONG_FORMULA_COST if len(formula) > _LONG_FORMULA else 1)
                    else:
                        orphans.append(((row, column), index_))
                elif way == "array":
                    array = attributes.get("ref") or cell_name(row, column)
                elif way == "dataTable":
                    formula = f"TABLE({attributes.get('r1', '')},{attributes.get('r2', '')})"
            if style in unlocked:
                open_formulas.add((row, column))
            if len(formula) > MAX_FORMULA or spent > MAX_FORMULAS:
                raise refuse(package.path, f"the formulas of sheet {sheet!r} are too long")
        elif name == t:
            if not phonetic and value is not None:
                value += "".join(text)
                if len(value) > MAX_TEXT:
                    raise refuse(package.path, f"sheet {sheet!r} has a text of {len(value):,} characters", _LONG_TEXT)
        elif name == rph:
            phonetic = False
        elif name in (formula1, formula2):
            rules[name.rpartition(" ")[2]] = "".join(text)
        elif name == condition:
            book.conditions.append((sheet, sqref, "".join(text)))
        elif name == validation:
            book.validations.append(_validation(sheet, rules))
        elif name not in known:
            depth -= 1

    parser = _parser(_SHEET_NAMES.split(), package.main)
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = text.append
    _parse(package, part, parser, rows)
    for (row_, column_), index__ in orphans:
        cell, master_ = cells[row_, column_], masters.get(index__)
        if master_ is None:
            fault(column_, row_, "shared-formula", f"there is no shared formula {index__!r}")
            continue
        moved = shift_formula(master_.formula, row_ - master_.row, column_ - master_.column)
        spent += len(moved)
        if spent > MAX_FORMULAS:
            raise refuse(package.path, f"the formulas of sheet {sheet!r} are too long")
        cells[row_, column_] = Cell(moved, cell.value)
    book.sheets[sheet] = cells
    book.parts[sheet] = part
    if merges:
        check_merged(package.path, sheet, merges)
        book.merges[sheet] = merges
    if open_formulas and sheet in book.protected:
        book.open_formulas[sheet] = open_formulas
    if hidden_columns:
        book.hidden_columns[sheet] = hidden_columns
    if hidden_rows:
        book.hidden_rows[sheet] = hidden_rows
    return count


def _values(package: Package, part: str, shared: Sequence[str]) -> Iterator[tuple[Place, Cell]]:
    """Yield the cells of a sheet that we wrote, formulas by their results."""
    numbers: dict[bytes, int] = {}
    with package.stream(part) as stream:
        written = stream.read()
    for letters, row, kind, said in _WRITTEN.findall(written):
        column = numbers.get(letters) or numbers.setdefault(letters, column_number(letters.decode()))
        yield (int(row), column), Cell(None, _value(kind, said, shared))


def _value(kind: bytes, said: bytes, shared: Sequence[str]) -> Value:
    if not kind:
        return float(said)
    if kind == b"s":
        return shared[int(said)]
    if kind == b"b":
        return said == b"1"
    text = unescape(unescape_xml(said.decode(), {"&quot;": '"'}))
    return CellError(text) if kind == b"e" else text


def _columns(attributes: Mapping[str, str]) -> range:
    first, last = attributes.get("min", ""), attributes.get("max", "")
    if not (first.isascii() and first.isdigit() and last.isascii() and last.isdigit()):
        return range(0)
    return range(max(1, int(first)), min(MAX_COLUMN, int(last)) + 1)


def check_merged(path: Path, sheet: str, merges: Iterable[str]) -> None:
    """Refuse merged ranges over so many cells that whoever spells them out is lost."""
    area = 0
    for text in merges:
        try:
            top, left, bottom, right = parse_range(text)
        except ValueError:
            continue
        area += (bottom - top + 1) * (right - left + 1)
    if area > MAX_MERGED:
        raise refuse(path, f"sheet {sheet!r} merges {area:,} cells", "unmerge them")


def _fault_recorder(book: Book, sheet: str) -> Callable[[int, int, str, str], None]:
    def fault(column: int, row: int, rule: str, message: str) -> None:
        if len(book.faults) < 1000:
            book.faults.append(Fault(sheet, cell_name(row, max(column, 1)), rule, message))

    return fault


def _place_or_refuse(path: Path, sheet: str, name: str) -> Place:
    try:
        return parse_cell_name(name)
    except ValueError as error:
        raise refuse(path, f"sheet {sheet!r}: {error}") from None


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


def _workbook_part(package: Package, strict: bool) -> str:
    path = package.path
    for kind, part in package.relations("").values():
        if kind.endswith("/officeDocument"):
            if part.endswith(".bin"):
                raise refuse(path, "it is a binary workbook (.xlsb)", "save it as .xlsx")
            if part.startswith(("word/", "ppt/")):
                raise refuse(path, "it is not a workbook but another Office document")
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
    unlocked: frozenset[str] = frozenset()
    for kind, target in relations.values():
        if kind.endswith("/sharedStrings") and package.has(target):
            shared = _shared_strings(package, target)
        elif kind.endswith("/styles") and package.has(target):
            unlocked = unlocked_styles(package.tree(target))
    elements = list(workbook.iter(f"{{{MAIN}}}sheet"))
    budget = MAX_CELLS
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
            budget -= _read_sheet(package, target, name, shared, unlocked, book, budget, name not in without_rows)
        else:
            book.parts[name] = target
            book.sheets[name] = dict(_values(package, target, shared)) if name in values_of else {}
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
