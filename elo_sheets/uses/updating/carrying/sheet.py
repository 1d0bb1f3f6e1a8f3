"""One sheet of the new file: its cells, in what the owner of the old one made of the sheet."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from elo_sheets.errors import OutputRefused
from elo_sheets.files.references import Place, cell_name, parse_cell_name, shift_formula
from elo_sheets.uses.updating.carrying.places import Grown
from elo_sheets.uses.updating.carrying.styles import Joined
from elo_sheets.verdict.patch import Patch, as_utf8, text

ORDER = (
    *("sheetPr", "dimension", "sheetViews", "sheetFormatPr", "cols", "sheetData", "sheetCalcPr", "sheetProtection"),
    *("protectedRanges", "scenarios", "autoFilter", "sortState", "dataConsolidate", "customSheetViews", "mergeCells"),
    *("phoneticPr", "conditionalFormatting", "dataValidations", "hyperlinks", "printOptions", "pageMargins"),
    *("pageSetup", "headerFooter", "rowBreaks", "colBreaks", "customProperties", "cellWatches", "ignoredErrors"),
    *("smartTags", "drawing", "legacyDrawing", "legacyDrawingHF", "drawingHF", "picture", "oleObjects", "controls"),
    *("AlternateContent", "webPublishItems", "tableParts", "extLst"),
)
# What the template decides; the rest is as the owner has it.
OURS = {"sheetData", "mergeCells", "conditionalFormatting", "dataValidations", "ignoredErrors", "extLst"}

_DATA = re.compile(rb"<sheetData\b[^>]*>")
ROW = re.compile(rb"<row\b([^>]*)>")
CELL = re.compile(rb"<c\b([^>]*?)(?:/>|>(.*?)</c>)", re.S)
_AT = re.compile(rb'\br="([A-Z]+)(\d+)"')
_STYLE = re.compile(rb'\bs="(\d+)"')
_ROW_NUMBER = re.compile(rb'\br="(\d+)"')
_CELLS, _PLACES = re.compile(rb"<c\b"), re.compile(rb'<c r="([A-Z]+)(\d+)"')
_FORMATS = re.compile(rb'<c r="([A-Z]+)\d+"(?: s="(\d+)")?')
_KEPT = re.compile(rb'\b(hidden|ht|customHeight|outlineLevel|collapsed)="([^"]*)"')
_TEXT = re.compile(rb'( t="s"[^>]*><v>)(\d+)(</v>)')
_MOST_OF = 0.6  # of the cells of a column, which make their format that of the column


@dataclass
class Parts:
    """The elements of a sheet in their order, and the tag that opens it; `data` is what `sheetData` holds."""

    opening: bytes
    closing: bytes
    data: bytes
    elements: list[tuple[str, bytes]]

    @classmethod
    def of(cls, part: bytes, name: str) -> Parts:
        """Return the elements of a sheet's part."""
        part = as_utf8(part)
        found = _DATA.search(part)
        end = -1 if found is None else found.end() if found[0].endswith(b"/>") else part.find(b"</sheetData>")
        if found is None or end < 0 or b"<c:row" in part or b"<x:row" in part:
            raise OutputRefused(
                f"the sheet {name!r} is written in a way that cannot be added to: save it in Excel first"
            )
        data, behind = part[found.end() : end], part[end:].removeprefix(b"</sheetData>")
        skeleton = part[: found.start()] + b"<sheetData/>" + behind
        patch = Patch(skeleton, lambda path, _: len(path) == 2)
        elements = [(one.name, patch.source(one)) for one in patch.root.children]
        root = patch.root
        return cls(skeleton[: root.inner], skeleton[root.close :], data, elements)

    def named(self, name: str) -> list[bytes]:
        """Return the elements of one name."""
        return [xml for own, xml in self.elements if own == name]

    def result(self) -> bytes:
        """Return the part."""
        at = {name: number for number, name in enumerate(ORDER)}
        parts = sorted(self.elements, key=lambda one: at.get(one[0], at["webPublishItems"]))
        filled = (b"<sheetData>" + self.data + b"</sheetData>" if name == "sheetData" else xml for name, xml in parts)
        return self.opening + b"".join(filled) + self.closing


@dataclass
class Edits:
    """What is changed in the cells that the template writes: whole cells, formats, and what is said of rows."""

    cells: dict[int, dict[int, bytes]] = field(default_factory=dict)
    formats: dict[int, dict[int, int]] = field(default_factory=dict)
    rows: dict[int, bytes] = field(default_factory=dict)

    def put(self, place: Place, xml: bytes) -> None:
        """Put a whole cell."""
        self.cells.setdefault(place[0], {})[place[1]] = xml

    def form(self, place: Place, number: int) -> None:
        """Give a cell another format."""
        self.formats.setdefault(place[0], {})[place[1]] = number

    @property
    def lines(self) -> set[int]:
        """The rows in which anything is changed."""
        return {*self.cells, *self.formats, *self.rows}


def rows_of(data: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield the number, the attributes and the cells of each row."""
    number = at = 0
    while (head := ROW.search(data, at)) is not None:
        attributes, at = head[1], head.end()
        content = b""
        if attributes.endswith(b"/"):
            attributes = attributes[:-1]
        else:
            end = data.find(b"</row>", at)
            if end < 0:
                return
            content, at = data[at:end], end + len(b"</row>")
        said = _ROW_NUMBER.search(attributes)
        number = int(said[1]) if said else number + 1
        yield number, attributes, content


def columns_of(data: bytes) -> dict[int, tuple[str, ...]] | None:
    """Return the letters of the columns that have a cell in each row; None where the cells do not begin with their
    places."""
    found = _PLACES.findall(data)
    if len(found) != len(_CELLS.findall(data)):
        return None
    rows = ((int(number), tuple(letters.decode() for letters, _ in some)) for number, some in groupby(found, _number))
    columns: dict[int, tuple[str, ...]] = {}
    for row, letters in rows:
        columns[row] = columns.get(row, ()) + letters
    return columns


def _number(place: tuple[bytes, bytes]) -> bytes:
    return place[1]


def cells_of(row: int, data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the column and the whole of each cell of a row."""
    column = 0
    for match in CELL.finditer(data):
        at = _AT.search(match[1])
        column = parse_cell_name((at[1] + at[2]).decode())[1] if at else column + 1
        yield column, match[0]


def moved_cell(xml: bytes, place: Place, formula: str | None = None, array: str | None = None) -> bytes:
    """Return a cell at another place; a formula is written anew, without a result that may not hold any more."""
    head = re.match(rb"<c\b([^>]*?)(/>|>)", xml)
    assert head is not None
    said = re.sub(rb'\s(?:r|t)="[^"]*"' if formula is not None else rb'\sr="[^"]*"', b"", head[1])
    opening = b'<c r="' + cell_name(*place).encode() + b'"' + said
    if formula is None:
        return opening + xml[head.start(2) :]
    kind = "" if array is None else f' t="array" ref="{array}"'
    return opening + f"><f{kind}>{text(formula)}</f></c>".encode()


def edited(data: bytes, edits: Edits) -> bytes:
    """Return the rows of a sheet with the changes made."""
    left = edits.lines
    if not left:
        return data
    lines: list[tuple[int, bytes]] = []
    for number, attributes, content in rows_of(data):
        if number not in left:
            whole = b"<row" + attributes + (b">" + content + b"</row>" if content else b"/>")
            lines.append((number, whole))
            continue
        left.discard(number)
        lines.append((number, _edited_row(number, attributes, content, edits)))
    lines += [(number, _edited_row(number, b' r="%d"' % number, b"", edits)) for number in left]
    return b"".join(xml for _, xml in sorted(lines, key=lambda line: line[0]))


def _edited_row(number: int, attributes: bytes, content: bytes, edits: Edits) -> bytes:
    cells = dict(cells_of(number, content))
    for column, form in edits.formats.get(number, {}).items():
        xml = cells.get(column, b'<c r="%s"/>' % cell_name(number, column).encode())
        cells[column] = _with_format(xml, form)
    cells |= edits.cells.get(number, {})
    attributes = re.sub(rb'\sspans="[^"]*"', b"", attributes)
    if number in edits.rows:
        attributes = _KEPT.sub(b"", attributes) + edits.rows[number]
    return b"<row" + attributes + b">" + b"".join(xml for _, xml in sorted(cells.items())) + b"</row>"


def _with_format(xml: bytes, number: int) -> bytes:
    head = re.match(rb"<c\b[^>]*?(?=/?>)", xml)
    assert head is not None
    said = re.sub(rb'\ss="\d+"', b"", head[0])
    return said + b' s="%d"' % number + xml[head.end() :]


def row_facts(data: bytes) -> dict[int, bytes]:
    """Return what the owner said of rows: hidden ones, heights of their own, outlines."""
    found = {}
    for number, attributes, _ in rows_of(data):
        told = dict(_KEPT.findall(attributes))
        own = told.get(b"customHeight") in (b"1", b"true")
        kept = [
            b' %s="%s"' % (name, value)
            for name, value in told.items()
            if value not in (b"0", b"false") and (own or name not in (b"ht", b"customHeight"))
        ]
        if kept:
            found[number] = b"".join(kept)
    return found


def column_formats(data: bytes) -> dict[str, Counter[int]]:
    """Return how often each format stands in each column."""
    found: dict[str, Counter[int]] = {}
    for (column, number), count in Counter(_FORMATS.findall(data)).items():
        found.setdefault(column.decode(), Counter())[int(number or 0)] += count
    return found


def own_formats(old: bytes, new: bytes, joined: Joined, grown: Grown, edits: Edits) -> None:
    """Note the cells whose format is not the template's: those of single cells, and those of most of a column.

    A cell without any format is what a program leaves where one was cut, and not its owner's wish.
    """
    none = joined.old.looks[0]
    now = {name: {joined.new.looks[n] for n in counts} for name, counts in column_formats(new).items()}
    wanted: dict[str, set[int]] = {}
    for name, counts in column_formats(old).items():
        strange = {number for number in counts if joined.old.looks[number] not in now.get(name, set()) | {none}}
        if strange and name in now:
            wanted[name] = strange
    if not wanted:
        return
    columns = {parse_cell_name(f"{name}1")[1]: numbers for name, numbers in wanted.items()}
    found: dict[int, dict[int, int]] = {column: {} for column in columns}
    for row, _, content in rows_of(old):
        for column, xml in cells_of(row, content):
            if column in columns:
                said = _STYLE.search(xml[: xml.index(b">")])
                number = int(said[1]) if said else 0
                if number in columns[column]:
                    found[column][row] = number
    for column, rows in found.items():
        for row, number in rows.items():
            edits.form(grown.place(row, column), number)
        _whole_column(column, rows, grown, edits)


def _whole_column(column: int, rows: Mapping[int, int], grown: Grown, edits: Edits) -> None:
    """Give the new rows of a table the format that most of its old ones have."""
    stretch = grown.stretch(column)
    if stretch is None or not rows:
        return
    inside = [number for row, number in rows.items() if stretch.header < row <= stretch.last]
    most, count = Counter(inside).most_common(1)[0] if inside else (0, 0)
    if count < _MOST_OF * stretch.growth.was:
        return
    old = {stretch.row(row) for row in range(stretch.header + 1, stretch.last + 1)}
    for row in range(stretch.header + 1, stretch.header + stretch.growth.now + 1):
        if row not in old:
            edits.form((row, column), most)


def with_texts(data: bytes, number: Callable[[int], int]) -> bytes:
    """Return rows whose shared texts have other numbers."""
    return _TEXT.sub(lambda match: match[1] + b"%d" % number(int(match[2])) + match[3], data)


def filled_down(formulas: Mapping[int, str], column: int, grown: Grown) -> dict[int, str]:
    """Return the formulas that the new rows of a table get in a column of the owner's, as the row above has it.

    `formulas` are those that stand in the column already, by today's rows.
    """
    stretch = grown.stretch(column)
    if stretch is None:
        return {}
    first, last = stretch.header + 1, stretch.header + stretch.growth.now
    old = {stretch.row(row) for row in range(first, stretch.last + 1)}
    found: dict[int, str] = {}
    if len([row for row in formulas if first <= row <= last]) < _MOST_OF * stretch.growth.was:
        return found
    for row in range(first, last + 1):
        above = found.get(row - 1) or formulas.get(row - 1)
        if row not in old and above is not None:
            found[row] = shift_formula(above, 1, 0)
    return found
