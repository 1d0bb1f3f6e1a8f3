"""A book seen from another side: a log across columns as one down rows, the newest game on top as the newest below.

The recognisers read one way only, downwards. A `Turn` gives the cells of a sheet other names, so that any other way
becomes that one; what the cells mean is left alone. Engine and evaluator therefore always get the book as it stands
(`Turned.at_home`), in which MATCH finds the first row that its owner sees. A turn undoes itself.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from elo_sheets.expr import Expr
from elo_sheets.files.package import (
    MAX_COLUMN,
    MAX_ROW,
    Book,
    Cell,
    Value,
    column_letters,
    parse_range,
    structured_resolver,
)
from elo_sheets.recognise.model import (
    ALL_FIXED,
    BOTTOM,
    COLUMN,
    RIGHT,
    ROW,
    Area,
    Key,
    area_of,
    area_text,
    split_sheet,
    with_areas,
)
from elo_sheets.recognise.reach import MOST_KEPT, Reach, Readers
from elo_sheets.verdict.findings import Finding, Role

_SHEET = r"(?:'(?:[^']|'')*'|\[\d+\][\w.]*|[^\W\d][\w.]*)!"
_CORNER = r"\$?[A-Za-z]{1,3}\$?[1-9]\d{0,6}"
# A reference to cells outside a text: its sheet and `cells`; of a text the group `cells` is None.
REFERENCE = re.compile(
    rf"\"(?:[^\"]|\"\")*\"|(?<![\w.$\\!:'\]])(?P<sheet>{_SHEET})?"
    rf"(?P<cells>{_CORNER}(?::{_CORNER})?|\$?[A-Za-z]{{1,3}}:\$?[A-Za-z]{{1,3}}|\$?[1-9]\d{{0,6}}:\$?[1-9]\d{{0,6}})"
    r"(?![\w.(\[!\\:])"
)
LINE = re.compile(r"\b(?P<what>row|column) (?P<number>\d+)\b")
_WORD = re.compile(r"(?<![-\w])(?:rows?|columns?|above|below|further up|further down)(?![-\w])")


@dataclass(frozen=True)
class Turn:
    """Other names for the cells of one sheet; its children say which."""

    sheet: str

    def place(self, row: int, column: int) -> tuple[int, int]:
        """Where a cell of the sheet stands from the other side."""
        raise NotImplementedError

    def box(self, area: Area) -> Area:
        """An area of the sheet (absolute numbers) from the other side, its anchors with it."""
        raise NotImplementedError

    def line(self, number: int, is_row: bool) -> str:
        """What a row, or a column, is called on the other side."""
        raise NotImplementedError

    @property
    def words(self) -> Mapping[str, str]:
        """Words of messages that mean a direction, and what they are called on the other side."""
        raise NotImplementedError

    def key(self, key: Key) -> Key:
        """A cell of the book from the other side."""
        return key if key[0] != self.sheet else (key[0], *self.place(key[1], key[2]))

    def tree(self, tree: Expr) -> Expr:
        """A formula (absolute areas, each with its sheet) from the other side."""
        return with_areas(tree, lambda area: self.box(area) if area.sheet == self.sheet else area)

    def formula(self, text: str, own: str) -> str:
        """The text of a formula of the sheet `own` from the other side; structured references are gone before."""

        def one(match: re.Match[str]) -> str:
            if match["cells"] is None:
                return match[0]
            where = own if match["sheet"] is None else split_sheet(match["sheet"])[0]
            area = area_of(match["cells"], 0, 0) if where is not None and where.upper() == self.sheet.upper() else None
            return match[0] if area is None else (match["sheet"] or "") + anchored(self.box(area))

        return REFERENCE.sub(one, text)

    def formula_at_home(self, text: str, home: str) -> str:
        """The text of a formula that stands on the sheet `home` of the book as it stands, read on the other side."""
        return self.formula(text, home)

    def cell_at_home(self, cell: Cell, home: str) -> Cell:
        """A cell of the sheet `home` of the book as it stands, given from the other side."""
        return self.cell(cell, home)

    def cell(self, cell: Cell, own: str) -> Cell:
        """A cell of the sheet `own` from the other side."""
        if cell.formula is None:
            return cell
        formula = self.formula(cell.formula, own)
        array = cell.array if cell.array is None or own != self.sheet else self.formula(cell.array, own)
        is_same = (formula, array) == (cell.formula, cell.array)
        return cell if is_same else dataclasses.replace(cell, formula=formula, array=array)

    def values(self, values: Mapping[str, Mapping[tuple[int, int], Value]]) -> dict[str, dict[tuple[int, int], Value]]:
        """The values of a book's cells from the other side."""
        return {
            sheet: {self.place(*at): value for at, value in cells.items()} if sheet == self.sheet else dict(cells)
            for sheet, cells in values.items()
        }

    # what is said to people

    def message(self, text: str) -> str:
        """A sentence of a finding from the other side: its cells, its rows by number, its words of direction."""
        if self.sheet not in text and "!" in text:
            return text
        text = LINE.sub(self._line, text)
        text = _WORD.sub(lambda match: self.words.get(match[0], match[0]), text)
        return self.formula(text, "")

    def _line(self, match: re.Match[str]) -> str:
        return f"{match['what']} {self.line(int(match['number']), match['what'] == 'row')}"

    def finding(self, found: Finding) -> Finding:
        """A finding of the turned book as one of the book as it stands."""
        where, _ = split_sheet(found.range)
        return dataclasses.replace(
            found,
            range=self._range(found.range),
            message=self.message(found.message) if where in (self.sheet, None) else found.message,
            fix=None if found.fix is None else self.formula(found.fix, where or ""),
            reaches=tuple(map(self._range, found.reaches)),
        )

    def role(self, role: Role) -> Role:
        """A role of the turned book as one of the book as it stands."""
        return dataclasses.replace(role, range=self._range(role.range))

    def _range(self, text: str) -> str:
        sheet, cells = split_sheet(text)
        if sheet != self.sheet:
            return text
        try:
            top, left, bottom, right = parse_range(cells)
        except ValueError:
            return text
        box = self.box(Area(sheet, top, left, bottom, right, ALL_FIXED, (top, left) == (bottom, right)))
        return area_text(box, "")


@dataclass(frozen=True)
class Across(Turn):
    """Rows for columns: a sheet whose games stand beside each other."""

    def place(self, row: int, column: int) -> tuple[int, int]:
        return column, row

    def box(self, area: Area) -> Area:
        bits = zip((ROW, COLUMN, BOTTOM, RIGHT), (COLUMN, ROW, RIGHT, BOTTOM), strict=True)
        fixed = sum(there for here, there in bits if area.fixed & here)
        bottom = MAX_ROW if area.right == MAX_COLUMN else area.right
        right = MAX_COLUMN if area.bottom == MAX_ROW else area.bottom
        return Area(area.sheet, area.column, area.row, bottom, right, fixed, area.single)

    def line(self, number: int, is_row: bool) -> str:
        return column_letters(number) if is_row else str(number)

    @property
    def words(self) -> Mapping[str, str]:
        return {
            "row": "column", "rows": "columns", "column": "row", "columns": "rows",
            "above": "to the left", "below": "to the right",
            "further up": "further left", "further down": "further right",
        }  # fmt: skip


@dataclass(frozen=True)
class Upwards(Turn):
    """Upside down: a block of rows whose newest game stands on top; headers and what stands beside it stay."""

    top: int
    left: int
    bottom: int
    right: int

    def place(self, row: int, column: int) -> tuple[int, int]:
        inside = self.top <= row <= self.bottom and self.left <= column <= self.right
        return (self.top + self.bottom - row if inside else row), column

    def box(self, area: Area) -> Area:
        beside = area.right < self.left or area.column > self.right
        whole = area.row <= self.top and area.bottom >= self.bottom
        if beside or whole or area.bottom < self.top or area.row > self.bottom:
            return area
        first, last = max(area.row, self.top), min(area.bottom, self.bottom)  # what lies outside holds no game
        fixed = area.fixed & (COLUMN | RIGHT)
        fixed |= (ROW if area.fixed & BOTTOM else 0) | (BOTTOM if area.fixed & ROW else 0)
        total = self.top + self.bottom
        return Area(area.sheet, total - last, area.column, total - first, area.right, fixed, area.single)

    def line(self, number: int, is_row: bool) -> str:
        return str(self.place(number, self.left)[0] if is_row else number)

    @property
    def words(self) -> Mapping[str, str]:
        return {"above": "below", "below": "above", "further up": "further down", "further down": "further up"}


def anchored(area: Area) -> str:
    """An area (absolute numbers) as a formula writes it, with its anchors."""

    def row(number: int, bit: int) -> str:
        return ("$" if area.fixed & bit else "") + str(number)

    def column(number: int, bit: int) -> str:
        return ("$" if area.fixed & bit else "") + column_letters(number)

    if not area.single and area.row == 1 and area.bottom == MAX_ROW:
        return f"{column(area.column, COLUMN)}:{column(area.right, RIGHT)}"
    if not area.single and area.column == 1 and area.right == MAX_COLUMN:
        return f"{row(area.row, ROW)}:{row(area.bottom, BOTTOM)}"
    first = column(area.column, COLUMN) + row(area.row, ROW)
    return first if area.single else f"{first}:{column(area.right, RIGHT)}{row(area.bottom, BOTTOM)}"


# --- the book -----------------------------------------------------------------------------------------------


@dataclass
class Turned(Book):
    """A book from another side, or a changed copy of it, which knows the book as it stands."""

    turn: Turn = field(kw_only=True)
    home: Book = field(kw_only=True)
    seen: dict[str, dict[tuple[int, int], Cell]] = field(kw_only=True)  # its cells, before anything was changed

    def at_home(self) -> Book:
        """Return the book as it stands, with what was changed in this one."""
        turn = self.turn
        changed = {sheet for sheet, cells in self.sheets.items() if cells is not self.seen.get(sheet)}
        sheets = {
            sheet: {} if turn.key((sheet, 1, 1))[0] in changed else cells for sheet, cells in self.home.sheets.items()
        }
        for sheet in changed:
            for at, cell in self.sheets[sheet].items():
                home, *there = turn.key((sheet, *at))
                own = self.home.sheets[home].get((there[0], there[1]))
                is_own = own is not None and self.seen.get(sheet, {}).get(at) is cell
                sheets[home][there[0], there[1]] = own if own is not None and is_own else turn.cell_at_home(cell, home)
        names = {
            name: self.home.names[name] if text == turn.formula(self.home.names.get(name, ""), "") else
            turn.formula_at_home(text, "") for name, text in self.names.items()
        }  # fmt: skip
        return dataclasses.replace(self.home, sheets=sheets, names=names, calc=self.calc)


def turned(book: Book, turn: Turn) -> Turned:
    """Return a book from another side, its structured references as plain ones."""
    resolve = structured_resolver(book.all_tables)
    sheets: dict[str, dict[tuple[int, int], Cell]] = {sheet: {} for sheet in book.sheets}
    for sheet, cells in book.sheets.items():
        for at, cell in cells.items():
            plain = cell
            if cell.formula is not None and "[" in cell.formula:
                plain = dataclasses.replace(cell, formula=resolve(cell.formula, sheet, *at))
            there = turn.key((sheet, *at))
            sheets[there[0]][there[1:]] = turn.cell(plain, sheet)
    own = {f.name: getattr(book, f.name) for f in dataclasses.fields(Book)}
    own |= {
        "sheets": sheets,
        "names": {name: turn.formula(resolve(text, "", 1, 1), "") for name, text in book.names.items()},
        "local_names": {
            (sheet, name): turn.formula(resolve(text, sheet, 1, 1), sheet)
            for (sheet, name), text in book.local_names.items()
        },
        "charts": {sheet: [turn.formula(text, "") for text in texts] for sheet, texts in book.charts.items()},
        "validations": [
            dataclasses.replace(
                rule, sheet=turn.key((rule.sheet, 1, 1))[0], ranges=turn.formula(rule.ranges, rule.sheet)
            )
            for rule in book.validations
        ],
        "tables": {name: table for name, table in book.tables.items() if table.sheet != turn.sheet},
        "all_tables": [table for table in book.all_tables if table.sheet != turn.sheet],
    }
    return Turned(**own, turn=turn, home=book, seen=sheets)


class ReadersAtHome(Readers):
    """Which formulas of a book as it stands read a cell, as that is known of the book from another side."""

    def __init__(self, there: Readers, turn: Turn) -> None:
        self._there, self._turn = there, turn
        self._at_home: dict[Reach, Reach] = {}

    def towards(self, target: Key, changed: frozenset[Key], depth: int, usual: bool) -> Reach:
        key = self._turn.key
        there = self._there.towards(key(target), frozenset(map(key, changed)), depth, usual)
        found = self._at_home.get(there)
        if found is None:
            if len(self._at_home) > MOST_KEPT:
                self._at_home.clear()
            found = self._at_home[there] = there.renamed(key)
        return found

    def is_usual(self, target: Key, area: Area) -> bool:
        placed = self._turn.box(area) if area.sheet == self._turn.sheet else area
        return self._there.is_usual(self._turn.key(target), placed)

    def is_read(self, key: Key, in_tables: bool = True) -> bool:
        return self._there.is_read(self._turn.key(key), in_tables)

    def reached(self, leaf: Key, depth: int) -> frozenset[Key]:
        return frozenset(map(self._turn.key, self._there.reached(self._turn.key(leaf), depth)))


__all__ = ["LINE", "REFERENCE", "Across", "ReadersAtHome", "Turn", "Turned", "Upwards", "anchored", "turned"]
