"""Reading one worksheet: its cells, formulas and stored values, in one streaming pass over the XML.

What Excel would repair, but can still be read, is kept in `Book.faults` for the lint.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import partial
from pathlib import Path
from xml.parsers import expat

from elo_sheets.errors import UnreadableInput
from elo_sheets.files.archive import MAIN, MAX_DEPTH, MAX_ELEMENTS, Package, refuse
from elo_sheets.files.attachments import Formats
from elo_sheets.files.cells import Book, Cell, CellError, Fault, Validation, Value
from elo_sheets.files.references import (
    MAX_COLUMN,
    MAX_ROW,
    Filled,
    Place,
    cell_name,
    column_letters,
    column_number,
    parse_cell_name,
    parse_range,
    shift_formula,
    unescape,
    unescape_xml,
)

MAX_CELLS = 5_000_000
MAX_MERGED = 2**26  # cells under merged ranges, all together
MAX_FORMULA = 65_536  # characters; Excel itself stops at 8,192
MAX_FORMULAS = 2**27  # characters of the shared formulas of a sheet, written out; those of long ones count more
_LONG_FORMULA, _LONG_FORMULA_COST = 500, 16
MAX_TEXT = 2**20  # characters; Excel itself stops at 32,767
# A typed truth value as LibreOffice saves it.
_TRUTHS: dict[str | None, bool] = {"TRUE()": True, "FALSE()": False, "TRUE": True, "FALSE": False}


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


def shared_strings(package: Package, part: str) -> list[str]:
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
    """The first cell of a shared formula, whose other cells have it as it reads there."""

    row: int
    column: int
    formula: str

    def __post_init__(self) -> None:
        self.filled = Filled(self.formula, self.row)

    def at(self, row: int, column: int) -> str:
        if column == self.column:
            return self.filled.at(row)
        return shift_formula(self.formula, row - self.row, column - self.column)


# A cell as we write it: the letters and the number of its place, its kind and its value.
_WRITTEN = re.compile(
    rb'<c r="([A-Z]+)(\d+)"(?: s="\d+")?(?: t="(\w+)")?(?: cm="1")?>(?:<f[^>]*>[^<]*</f>)?<v>([^<]*)</v></c>'
)
_SHEET_NAMES = (
    "c v f row is t r rPh mergeCell dataValidation formula1 formula2 cfRule formula conditionalFormatting "
    "col sheetProtection autoFilter"
)
_LONG_TEXT = f"shorten it: the limit is {MAX_TEXT:,}"


class _Sheet:
    """One worksheet while it is read: where the parser is, and what it has read.

    `start` and `end` are called for each element. What every cell needs stands in them, where a call would be felt.
    """

    def __init__(self, package: Package, name: str, shared: list[str], formats: Formats, book: Book) -> None:
        self.path, self.name, self.shared, self.book = package.path, name, shared, book
        self.unlocked, self.struck, self.bold_formats = formats
        names = {one: f"{package.main} {one}" for one in _SHEET_NAMES.split()}
        self.c, self.v, self.f, self.row_tag = (names[one] for one in ("c", "v", "f", "row"))
        texts = dict.fromkeys(("t", "formula1", "formula2", "formula"), self._text_opens)
        named: dict[str, Callable[[str, dict[str, str]], None]] = {
            **texts,
            "is": self._is_opens,
            "rPh": self._phonetic_opens,
            "mergeCell": self._merge,
            "dataValidation": self._validation_opens,
            "conditionalFormatting": self._formatting,
        }
        self.openers = {names[one]: opener for one, opener in named.items()}
        closers: dict[str, Callable[[str], None]] = {
            "t": self._t_closes,
            "rPh": self._phonetic_closes,
            "formula1": self._rule_text,
            "formula2": self._rule_text,
            "formula": self._condition,
            "dataValidation": self._validation_closes,
            **dict.fromkeys(("row", "is", "mergeCell", "conditionalFormatting"), lambda _: None),
        }
        self.closers = {names[one]: closer for one, closer in closers.items()}
        self.numbers = {column_letters(number): number for number in range(1, 703)}
        self.cells: dict[Place, Cell] = {}
        self.text: list[str] = []
        self.masters: dict[str, _Master] = {}
        self.orphans: list[tuple[Place, str]] = []
        self.open_formulas: set[Place] = set()
        self.struck_out: set[Place] = set()
        self.bold: set[Place] = set()
        self.hidden_rows: set[int] = set()
        self.hidden_columns: set[int] = set()
        self.merges: list[str] = []
        self.rules: dict[str, str] = {}
        self.row = self.column = self.count = self.budget = self.others = self.depth = self.spent = 0
        self.kind = self.style = self.sqref = ""
        self.formula: str | None = None
        self.value: str | None = None
        self.array: str | None = None
        self.dynamic = self.phonetic = False
        self.attributes: dict[str, str] = {}

    def fault(self, column: int, row: int, rule: str, message: str) -> None:
        """Keep what Excel would repair."""
        if len(self.book.faults) < 1000:
            self.book.faults.append(Fault(self.name, cell_name(row, max(column, 1)), rule, message))

    # Cells

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Take the beginning of an element."""
        if name == self.c:
            self.count += 1
            if self.count > self.budget:
                raise refuse(self.path, f"it has more than {MAX_CELLS:,} cells")
            self.formula = self.value = self.array = None
            self.kind = attributes.get("t", "n")
            self.style = attributes.get("s", "0")
            self.dynamic = "cm" in attributes
            place = attributes.get("r")
            if place is None:
                self.column += 1
                return
            before = self.column
            letters = place.rstrip("0123456789")
            self.column = column = self.numbers.get(letters) or column_number(letters.replace("$", ""))
            if not column or column <= before or place[len(letters) :] != str(self.row):
                self._odd_place(place, letters, before)
        elif name == self.v:
            self.text.clear()
        elif name == self.f:
            self.text.clear()
            self.attributes = attributes
        elif name == self.row_tag:
            self._row_opens(attributes)
        else:
            self.openers.get(name, self._opens)(name, attributes)

    def end(self, name: str) -> None:
        """Take the end of an element."""
        if name == self.v:
            self.value = self.text[0] if len(self.text) == 1 else "".join(self.text)
            if len(self.value) > MAX_TEXT:
                raise self._long_text(self.value)
        elif name == self.c:
            value = self.value
            if value is None:
                if self.formula is None:
                    return
                result: Value = None
            elif self.kind == "n" and value:
                try:
                    result = float(value)
                except ValueError:
                    result = value
                    self.fault(self.column, self.row, "number", f"expected a number, got {value!r}")
                else:
                    if result - result != 0:
                        self.fault(self.column, self.row, "number", f"{value!r} is not a finite number")
                        result = value
            else:
                result = self._typed(value)
            if self.formula in _TRUTHS:
                result, self.formula = _TRUTHS[self.formula], None
            if result is not None or self.formula is not None:
                place = self.row, self.column
                if place in self.cells:
                    self.fault(self.column, self.row, "duplicate-cell", "the cell is given twice")
                self.cells[place] = Cell(self.formula, result, self.array, self.dynamic)
                if self.style in self.struck:
                    self.struck_out.add(place)
                if self.style in self.bold_formats:
                    self.bold.add(place)
        elif name == self.f:
            formula = self.text[0] if len(self.text) == 1 else "".join(self.text)
            self.formula = formula = self._of_kind(formula) if self.attributes else formula
            if self.style in self.unlocked:
                self.open_formulas.add((self.row, self.column))
            if len(formula) > MAX_FORMULA or self.spent > MAX_FORMULAS:
                raise self._long_formulas()
        else:
            self.closers.get(name, self._closes)(name)

    def _odd_place(self, place: str, letters: str, before: int) -> None:
        """Take the place of a cell that is none, or does not go on from the one before."""
        if not self.column or place[len(letters) :] != str(self.row):
            self.fault(before, self.row, "cell-order", f"the cell {place!r} stands in row {self.row}")
            try:
                self.row, self.column = parse_cell_name(place)
            except ValueError as error:
                raise refuse(self.path, f"sheet {self.name!r}: {error}") from None
        if self.column <= before:
            self.fault(self.column, self.row, "cell-order", "the cells of the row are not in order")

    def _typed(self, value: str) -> Value:
        """Return what the text of a cell means that is no number."""
        if self.kind == "s":
            index = int(value) if value.isascii() and value.strip().isdigit() else -1
            if 0 <= index < len(self.shared):
                return self.shared[index]
            self.fault(self.column, self.row, "shared-string", f"there is no shared text {value!r}")
            return None
        if self.kind == "n":
            return None
        if self.kind == "b":
            return value.strip() in ("1", "true")
        if self.kind == "e":
            return CellError(value)
        return serial(value, self.book.calc.date1904) if self.kind == "d" else unescape(value)

    def _of_kind(self, formula: str) -> str:
        """Return the text of a formula that is shared, fills an array or is a data table's."""
        way = self.attributes.get("t", "normal")
        if way == "array":
            self.array = self.attributes.get("ref") or cell_name(self.row, self.column)
        elif way == "dataTable":
            return f"TABLE({self.attributes.get('r1', '')},{self.attributes.get('r2', '')})"
        elif way == "shared":
            index = self.attributes.get("si", "")
            if formula:
                if "ref" in self.attributes or index not in self.masters:
                    self.masters[index] = _Master(self.row, self.column, formula)
            elif index in self.masters:
                formula = self.masters[index].at(self.row, self.column)
                self.spent += len(formula) * (_LONG_FORMULA_COST if len(formula) > _LONG_FORMULA else 1)
            else:
                self.orphans.append(((self.row, self.column), index))
        return formula

    def adopt(self) -> None:
        """Give the formulas that are told of before their texts what they are."""
        for (row, column), index in self.orphans:
            master = self.masters.get(index)
            if master is None:
                self.fault(column, row, "shared-formula", f"there is no shared formula {index!r}")
                continue
            formula = master.at(row, column)
            self.spent += len(formula)
            if self.spent > MAX_FORMULAS:
                raise self._long_formulas()
            self.cells[row, column] = Cell(formula, self.cells[row, column].value)

    def _long_formulas(self) -> UnreadableInput:
        return refuse(self.path, f"the formulas of sheet {self.name!r} are too long")

    def _long_text(self, text: str) -> UnreadableInput:
        return refuse(self.path, f"sheet {self.name!r} has a text of {len(text):,} characters", _LONG_TEXT)

    # All else

    def _row_opens(self, attributes: dict[str, str]) -> None:
        before, self.column = self.row, 0
        self.row += 1
        number = attributes.get("r")
        if number is not None:
            self.row = int(number) if number.isascii() and number.isdigit() else 0
            if not 1 <= self.row <= MAX_ROW:
                raise refuse(self.path, f"sheet {self.name!r} has a row {number!r}")
            if self.row <= before:
                self.fault(1, self.row, "row-order", "the rows of the sheet are not in order")
        if attributes.get("hidden") in ("1", "true"):
            self.hidden_rows.add(self.row)
        self.others += 1
        self._check_elements()

    def _check_elements(self) -> None:
        if self.others > MAX_ELEMENTS or self.depth > MAX_DEPTH:
            raise refuse(self.path, f"sheet {self.name!r} has too many elements")

    def _opens(self, name: str, attributes: dict[str, str]) -> None:
        self.others += 1
        self.depth += 1
        own = name.rpartition(" ")[2]
        if own == "col" and attributes.get("hidden") in ("1", "true"):
            self.hidden_columns.update(_columns(attributes))
        elif own == "sheetProtection" and attributes.get("sheet") in ("1", "true"):
            self.book.protected.add(self.name)
        elif own == "autoFilter":
            self.book.autofilters[self.name] = attributes.get("ref", "")
        self._check_elements()

    def _closes(self, _: str) -> None:
        self.depth -= 1

    def _is_opens(self, _: str, __: dict[str, str]) -> None:
        self.value = ""

    def _text_opens(self, _: str, __: dict[str, str]) -> None:
        self.text.clear()

    def _phonetic_opens(self, _: str, __: dict[str, str]) -> None:
        self.phonetic = True

    def _phonetic_closes(self, _: str) -> None:
        self.phonetic = False

    def _t_closes(self, _: str) -> None:
        if not self.phonetic and self.value is not None:
            self.value += "".join(self.text)
            if len(self.value) > MAX_TEXT:
                raise self._long_text(self.value)

    def _merge(self, _: str, attributes: dict[str, str]) -> None:
        self.merges.append(attributes.get("ref", ""))

    def _formatting(self, _: str, attributes: dict[str, str]) -> None:
        self.sqref = attributes.get("sqref", "")

    def _condition(self, _: str) -> None:
        self.book.conditions.append((self.name, self.sqref, "".join(self.text)))

    def _validation_opens(self, _: str, attributes: dict[str, str]) -> None:
        self.rules = dict(attributes)

    def _rule_text(self, name: str) -> None:
        self.rules[name.rpartition(" ")[2]] = "".join(self.text)

    def _validation_closes(self, _: str) -> None:
        self.book.validations.append(_validation(self.name, self.rules))


def read_sheet(
    package: Package,
    part: str,
    name: str,
    shared: list[str],
    formats: Formats,
    book: Book,
    budget: int,
    rows: bool = True,
) -> int:
    """Read one worksheet into `book`; the number of its cells, which may not exceed `budget`."""
    sheet = _Sheet(package, name, shared, formats, book)
    sheet.budget = budget
    parser = _parser(_SHEET_NAMES.split(), package.main)
    parser.StartElementHandler, parser.EndElementHandler = sheet.start, sheet.end
    parser.CharacterDataHandler = sheet.text.append
    _parse(package, part, parser, rows)
    sheet.adopt()
    book.sheets[name] = sheet.cells
    book.parts[name] = part
    if sheet.merges:
        check_merged(package.path, name, sheet.merges)
        book.merges[name] = sheet.merges
    if sheet.struck_out:
        book.struck_out[name] = sheet.struck_out
    if sheet.bold:
        book.bold[name] = sheet.bold
    if sheet.open_formulas and name in book.protected:
        book.open_formulas[name] = sheet.open_formulas
    if sheet.hidden_columns:
        book.hidden_columns[name] = sheet.hidden_columns
    if sheet.hidden_rows:
        book.hidden_rows[name] = sheet.hidden_rows
    return sheet.count


def values(package: Package, part: str, shared: Sequence[str]) -> Iterator[tuple[Place, Cell]]:
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
    text = unescape(unescape_xml(said.decode()))
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
