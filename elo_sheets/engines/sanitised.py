"""The copy of a workbook that an engine sees: cells, names and tables, sentinels, and canaries with known results."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from elo_sheets.engines.spelling import Spelling
from elo_sheets.files.cells import Book, Cell, CellError, Value
from elo_sheets.files.references import (
    Filled,
    Place,
    Runs,
    Table,
    cell_name,
    column_letters,
    escape,
    escape_xml,
    parse_range,
    quote_sheet,
    structured_resolver,
)

SENTINEL = 987654.125

Values: TypeAlias = dict[str, dict[Place, Value]]


@dataclass(frozen=True)
class Job:
    """One workbook for an engine: the sanitised copy, the cells wanted of it, and what must come back."""

    source: Path
    copy: Path
    wanted: dict[str, list[Place]]  # in the order of the copy's sheets, the canary sheet last
    canary_sheet: str
    canaries: dict[Place, Value]
    sentinel: float


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
    return _text(text).replace('"', "&quot;").replace("\n", "_x000a_").replace("\t", "_x0009_")


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


def _formula_xml(name: str, cell: Cell, formula: str, end: str) -> str:
    meta = ' cm="1"' if cell.dynamic and cell.array else ""
    kind = f' t="array" ref="{escape_xml(cell.array)}"' if cell.array else ""
    return f'<c r="{name}"{meta}><f{kind}>{_text(formula)}</f>{end}'


class _Shared:
    """Formulas filled down a column, of which an engine parses one: each run is written as one shared formula.

    Only for copies without tables: ironcalc 0.9.1 takes a shared [#This Row] for the first row.
    """

    def __init__(self, cells: Mapping[Place, Cell], tables: Sequence[Table], spelling: Spelling) -> None:
        self.spelling = spelling
        self.last_row = max((row for row, _ in cells), default=1)
        # What names no table means the one that it stands in.
        self.ends = {row for table in tables for row in (table.first_row, table.last_row + 1)}
        self.runs = Runs()
        # The number of each run, None where it is not shared, and the spelt text of those with one cell so far.
        self.numbers: dict[Filled, int | None] = {}
        self.begun: dict[Filled, Filled] = {}

    def xml(self, place: Place, name: str, cell: Cell, spelt: Callable[[Cell, Place], str], end: str) -> str | None:
        """Return the cell of a formula, None where nothing is filled down; `end` closes it.

        The first formula of a run is spelt for all, if the second one says that it is the first filled down.
        """
        row, column = place
        run = self.runs.of(row, column, cell.formula or "")
        if run is None or self.spelling.is_alone(cell):
            return None
        if run not in self.numbers:
            number = self.numbers[run] = len(self.numbers)
            text = spelt(cell, place)
            self.begun[run] = Filled(text, row)
            area = f"{name}:{column_letters(column)}{self.last_row}"
            return f'<c r="{name}"><f t="shared" ref="{area}" si="{number}">{_text(text)}</f>{end}'
        if run in self.begun and self.begun.pop(run).at(row) != spelt(cell, place):
            self.numbers[run] = None
        found = self.numbers[run]
        return None if found is None else f'<c r="{name}"><f t="shared" si="{found}"/>{end}'


def _sheet_xml(
    cells: Mapping[Place, Cell],
    hidden_rows: set[int],
    tables: int,
    strings: _Strings,
    sentinel: str,
    spelt: Callable[[Cell, Place], str],
    shared: _Shared | None,
) -> tuple[str, list[Place]]:
    """The XML of a sheet, and the places whose values an engine has to compute."""
    end = f"<v>{sentinel}</v></c>"
    filled = _filled_by_arrays(cells)
    wanted: list[Place] = []
    out: list[str] = []
    current = 0
    for place in sorted(cells):
        row, column = place
        cell = cells[place]
        if row != current:
            if shared is not None and row in shared.ends:
                shared.runs.end()
            hidden = ' hidden="1"' if row in hidden_rows else ""
            out.append(f'{"</row>" if current else ""}<row r="{row}"{hidden}>')
            current = row
        name = f"{column_letters(column)}{row}"
        if cell.formula is not None:
            wanted.append(place)
            xml = None
            if shared is not None and cell.array is None:
                xml = shared.xml(place, name, cell, spelt, end)
            out.append(xml or _formula_xml(name, cell, spelt(cell, place), end))
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


def _names_xml(book: Book, order: list[str], spelling: Spelling) -> str:
    resolve = structured_resolver(book.all_tables)

    def one(name: str, text: str, scope: str) -> str:
        # Excel's own names (print areas, filters) and names of other files compute nothing.
        if name.startswith("_xl") or text.startswith("["):
            return ""
        return f'<definedName name="{_attribute(name)}"{scope}>{_text(resolve(text, "", 0, 0))}</definedName>'

    items = [one(name, spelling.name(text), "") for name, text in book.names.items()]
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


def sanitise(book: Book, copy: Path, *, tables: bool, spelling: Spelling | None = None) -> Job:
    """Write the copy of `book` that an engine may see, with its formulas in the spelling given.

    Without `tables`, structured references become plain ranges.
    """
    spelling = Spelling(book) if spelling is None else spelling
    canary = "_canary"
    while canary.casefold() in {sheet.casefold() for sheet in book.sheets}:
        canary += "_"
    canary_cells, expected = _canary_cells(book)
    contents: dict[str, Callable[[], dict[Place, Cell]]] = {
        **{sheet: partial(book.sheets.__getitem__, sheet) for sheet in book.sheets},
        **spelling.sheets(),
        canary: lambda: canary_cells,
    }
    order = list(contents)
    sentinel, strings, plain = _sentinel_for(book), _Strings(), structured_resolver(book.all_tables)
    wanted: dict[str, list[Place]] = {}
    written = 0
    with zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for index, (sheet, filled) in enumerate(contents.items(), 1):
            cells = filled()
            here = [table for table in book.all_tables if table.sheet == sheet]
            own, shared = (here, None) if tables else ([], _Shared(cells, here, spelling))

            def spelt(cell: Cell, place: Place, sheet: str = sheet) -> str:
                text = cell.formula or ""
                if "[" in text and "SUMPRODUCT(" in text.upper() and not tables:  # its elements are those of ranges
                    cell = replace(cell, formula=plain(text, sheet, *place))
                text = spelling.text(cell) if sheet in book.sheets else text
                return text if tables else plain(text, sheet, *place)

            hidden = book.hidden_rows.get(sheet, set())
            xml, wanted[sheet] = _sheet_xml(cells, hidden, len(own), strings, repr(sentinel), spelt, shared)
            archive.writestr(f"xl/worksheets/sheet{index}.xml", xml)
            numbers = range(written + 1, written + len(own) + 1)
            if own:
                links = [("table", f"../tables/table{number}.xml") for number in numbers]
                archive.writestr(f"xl/worksheets/_rels/sheet{index}.xml.rels", _relations(links))
            for number, table in zip(numbers, own, strict=True):
                archive.writestr(f"xl/tables/table{number}.xml", _table_xml(table, number))
            written += len(own)
        archive.writestr("xl/workbook.xml", _workbook_xml(book, order, _names_xml(book, order, spelling)))
        _write_frame(archive, order, written, strings)
    return Job(book.path, copy, wanted, canary, expected, sentinel)


def own_value(value: object) -> Value:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return CellError(value[0])
    if isinstance(value, bool | float | str):
        return value
    return float(value) if isinstance(value, int) else str(value)
