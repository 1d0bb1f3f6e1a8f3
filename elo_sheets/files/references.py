"""Names of cells and tables inside formulas: A1 and back, copying a formula, structured references, escaped texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias, TypeVar

MAX_ROW, MAX_COLUMN = 1_048_576, 16_384

Place: TypeAlias = tuple[int, int]  # row and column, counted from 1


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


# --- names of cells -----------------------------------------------------------------------------------------

# A sheet's name without quotes: one word that is no cell, neither A1 nor R1C1.
_PLAIN_SHEET = re.compile(r"(?!(?:[A-Za-z]{1,3}[0-9]+|[Rr][0-9]*(?:[Cc][0-9]*)?|[Cc][0-9]*)$)[^\W\d]\w*")
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


_MARKS = "\1\2\3\4\5\6\7\x0e\x0f\x10\x11\x12\x13\x14\x15\x16"  # XML carries none of them
_MOST_OPEN, _MOST_FRUITLESS = 3, 20


class Filled:
    """A formula as it reads in other rows of its column: `at` gives what `shift_formula` gives, and is faster.

    >>> Filled("A1+$B2*C$3", 2).at(10)
    'A9+$B10*C$3'
    """

    __slots__ = ("_formula", "_least", "_marks", "_most", "_row", "_text")

    def __init__(self, formula: str, row: int) -> None:
        self._formula, self._row = formula, row
        pieces = _pieces(formula)
        offsets = {piece[1] - row for piece in pieces if not isinstance(piece, str) and piece[0]}
        self._least, self._most = 1 - min(offsets, default=0), MAX_ROW - max(offsets, default=0)
        # With more kinds of rows than that, or such a character in it, it is taken apart for each row.
        plain = len(offsets) <= len(_MARKS) and not any(mark in formula for mark in _MARKS)
        self._marks = list(zip(_MARKS, offsets, strict=False)) if plain else None
        marks = {offset: mark for mark, offset in self._marks or ()}
        self._text = "".join(
            piece if isinstance(piece, str) else marks.get(piece[1] - row, "") if piece[0] else column_letters(piece[1])
            for piece in pieces
        )

    def at(self, row: int) -> str:
        """Return the text in a row."""
        if self._marks is None:
            return shift_formula(self._formula, row - self._row, 0)
        if not self._least <= row <= self._most:
            return "#REF!"
        text = self._text
        for mark, offset in self._marks:
            text = text.replace(mark, str(row + offset))
        return text


class Runs:
    """Tells formulas of a sheet, read row by row, that are one above them in the column, filled down.

    A column may have few such formulas in turn, as the two rows of a game have.
    """

    def __init__(self) -> None:
        self._open: dict[int, list[Filled]] = {}
        self._fruitless: dict[int, int] = {}
        # The run of each column's last formula, and which run came after each: it mostly comes after it again.
        self._last: dict[int, Filled] = {}
        self._after: dict[Filled, Filled] = {}

    def of(self, row: int, column: int, formula: str) -> Filled | None:
        """Return the run of a cell, the same object for all its cells; None in a column of ever new formulas."""
        last = self._last.get(column)
        guess = None if last is None else self._after.get(last)
        if guess is not None and guess.at(row) == formula:
            self._last[column] = guess
            return guess
        runs = self._open.setdefault(column, [])
        for run in runs:
            if run is not guess and run.at(row) == formula:
                self._fruitless[column] = 0
                return self._follows(last, run, column)
        fruitless = self._fruitless[column] = self._fruitless.get(column, 0) + 1
        if fruitless > _MOST_FRUITLESS:
            return None
        runs.insert(0, Filled(formula, row))
        del runs[_MOST_OPEN:]
        return self._follows(last, runs[0], column)

    def _follows(self, last: Filled | None, run: Filled, column: int) -> Filled:
        self._last[column] = run
        if last is not None:
            self._after[last] = run
        return run

    def end(self) -> None:
        """Let no run go on below this row."""
        self._open.clear()
        self._last.clear()


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

    @lru_cache(maxsize=65536)
    def is_bare(formula: str) -> bool:
        return bare.search(formula) is not None

    def resolve(formula: str, sheet: str, row: int, column: int) -> str:
        if "[" not in formula:
            return formula
        own = _table_at(known.values(), sheet, row, column) if is_bare(formula) else None
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


def sheet_text(name: str) -> str:
    """A sheet name as a program writes it in a formula, quoted only where it must be.

    >>> sheet_text("Carry"), sheet_text("A1"), sheet_text("My games")
    ('Carry', "'A1'", "'My games'")
    """
    return name if _PLAIN_SHEET.fullmatch(name) else quote_sheet(name)


# --- texts --------------------------------------------------------------------------------------------------

Text = TypeVar("Text", str, str | None)
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")


def unescape(text: str) -> str:
    """A text with its `_xHHHH_` escapes (ECMA-376, ST_Xstring) turned into characters."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def escape(text: str) -> str:
    """The inverse of `unescape`, for the characters that XML cannot carry and for texts that look escaped."""
    text = _ESCAPE.sub(lambda match: f"_x005F{match[0]}", text) if "_x" in text else text
    return re.sub("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]", lambda match: f"_x{ord(match[0]):04X}_", text)


def escape_xml(text: Text) -> Text:
    """A text as XML holds it between tags, None as it is; `xml.sax.saxutils` would import urllib, ssl and email."""
    return text and text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unescape_xml(text: str) -> str:
    """The inverse of `escape_xml`, quotes included.

    >>> unescape_xml("&quot;K&quot;&amp;amp;")
    '"K"&amp;'
    """
    for written, meant in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&")):
        text = text.replace(written, meant)
    return text
