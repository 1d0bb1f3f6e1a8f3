"""The plan of a workbook: everything it will hold, as plain values, before anything is written.

A plan is pure data. `write` turns it into a file; `validate` builds the plan that a book should follow from what
its owner typed, and compares.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby, pairwise, repeat
from math import gcd
from operator import itemgetter
from string import Formatter
from typing import Any

from elo_sheets._values import plain
from elo_sheets.files.references import column_letters

# What a cell shows: a number or text; None is an empty cell.
CellValue = float | str | None

# Rows of a running sum that are added up anew in each row; what lies before them is carried. Without blocks the work
# of a recalculation would grow with the square of the games.
BLOCK = 200
# Games whose inputs are read through one window, and how many rows it has before and behind them.
STEP = MARGIN = 50
# Rows of the Ledger that are counted by themselves, so that a game typed into one part leaves the others as they are,
# and how many unknown names of a part are looked up.
PART, UNKNOWN_NAMES = 5 * BLOCK, 20


# A whole column of a table.
_COLUMN = re.compile(r"\b\w+\[[^\[\]#@]+\]")

# The values of a formula that follow from the formula itself: `complete` puts them in when the plan is whole.
PENDING: Any = ("pending",)

# What reads the completed part of a plan: a formula in the notation of `layout` to its value in each row of the table,
# or the name of a whole column (`Ledger[Score]`) to what stands there.
Read = Callable[[str], Sequence["CellValue"]]


@dataclass(frozen=True)
class Fill:
    """What stands in a column or cell: constants, or a formula with its correct results.

    `formula` is the text for row 1-based `{row}`, with `{up}` the row above and `{back100}` the first row of a
    window that ends there; it has no leading `=`. A running sum is cut into blocks of `BLOCK` rows:
    `{block}` is the row in which the block's own part begins, `{through}` the game up to which the sum is carried
    and `{carried}` how many rows those are; `opening` is the formula of the first block, which carries nothing,
    `first` that of the first `pair` rows, above which nothing stands. Rows that belong together (`pair` = 2: the
    two sides of a game) see the rows above the pair as `{before}` and each other as `{other}`, or, where they are
    the seats of a game, as `{s1}`, `{s2}`, …. A table with a row for each game has the two rows of the Ledger that
    belong to it as `{white}` and `{black}`. `unit` is points, share, number, count, date, round or text, and
    tells rating points from the rest.

    A formula that spills stands in the first row alone and fills the rows below it, and `spill` columns; the further
    ones have a `spill` of 0 and no formula. Rows that it does not reach hold None: it may grow into them. `means` is
    a formula that gives the same and is easier to compute. `windows` are the rows `{lo}` to `{hi}` of another sheet
    that each `STEP` games read. `gives` computes pending values by something else than the formula: a rule's own steps.

    What a row of games shows of the Ledger it reads in a window of its own: `windows` has one for each row then, None
    for a row that a program has filled with the formula `whole`, which reads whole columns and gives the same. `{skip}`
    is how many games the window leaves out, `{end}` its last one; where a game has two rows, it is `{low}` to `{high}`,
    and `{near}` to `{near_end}` are the rows with the unknown names of its parts.

    A table behind the games may leave out the first `left_out` of them: so `{white}` and `{black}` of its own formulas
    begin later, and a row of games has its window in `{ahead}` to `{ahead_end}`, with its game in the row of that which
    is `{behind}` less than its number. The header stands for what is left out.
    """

    values: Sequence[CellValue]
    formula: str | None = None
    unit: str = "text"
    opening: str | None = None
    first: str | None = None
    pair: int = 1
    spill: int | None = None
    means: str | None = None
    windows: Sequence[tuple[int, int] | None] = ()
    whole: str | None = None
    gives: Callable[[Read], Sequence[CellValue]] | None = None
    left_out: int = 0
    # Whole columns of other tables that are stored by their addresses, by how the formulas name them.
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_uniform(self) -> bool:
        """Whether every row has the same text."""
        return self.formula is not None and "{" not in self.formula and self.opening is None and self.first is None

    def typical_formula(self, first_row: int, rows: int | None = None) -> str | None:
        """Return the formula of the first row, or of one that has rows above it where the first ones have another.

        Rows that were inserted into what it reads change nothing in it. A column without values has so many `rows`.
        """
        last = (4 * self.pair if rows is None else rows - 1) if self.values is PENDING else len(self.values) - 1
        at = 0 if self.first is None else min(last, 4 * self.pair)
        shown = replace(self, windows=((first_row, first_row + STEP + MARGIN - 1),)) if self.windows else self
        return shown.formula_at(first_row + at, first_row)

    def formula_at(self, row: int, first_row: int) -> str | None:
        """Return the formula of one row (1-based) of a table whose data begin in `first_row`."""
        at = row - first_row
        formula = next(text for begin, text in reversed(self._pieces()) if at >= begin)
        if formula is None or "{" not in formula:
            return formula and self._with_addresses(formula)
        places = {name: place(self, at, first_row) for name, place in PLACES.items() if f"{{{name}}}" in formula}
        return self._with_addresses(formula.format(**places))

    def formulas(self, first_row: int) -> Iterator[str]:
        """Yield what `formula_at` gives for each row in turn; the text is taken apart once."""
        for rows, text, places in self.stretches(first_row):
            yield from map(text.__mod__, zip(*places, strict=True)) if places else repeat(text % (), len(rows))

    def stretches(self, first_row: int) -> Iterator[tuple[range, str, Sequence[Sequence[int]]]]:
        """Yield the rows, counted from 0, in which the formula has one text, and what it has in each place of that.

        The text is one for `%`, with the places in their order; each has a number for each of the rows.
        """
        pieces = self._pieces()
        count = len(self.values)
        for (begin, formula), after in zip(pieces, [*(begin for begin, _ in pieces[1:]), count], strict=True):
            parsed = Formatter().parse(formula) if formula and "{" in formula else [(formula or "", None, None, None)]
            parts = [(text.replace("%", "%%"), name) for text, name, _, _ in parsed]
            far = {name for _, name in parts if name in STAYING}
            moving = [name for _, name in parts if name and name not in far]
            for rows in self._staying(range(begin, min(after, count)), bool(far)):
                known = {name: PLACES[name](self, rows.start, first_row) for name in far if name}
                text = "".join(f"{before}{known.get(name, '%d') if name else ''}" for before, name in parts)
                text = self._with_addresses(text)
                places = [
                    _numbers(name, self.pair, self.left_out, count, first_row)[rows.start : rows.stop]
                    for name in moving
                ]
                yield rows, text, places

    def _with_addresses(self, text: str) -> str:
        return _COLUMN.sub(lambda name: self.columns.get(name[0], name[0]), text) if self.columns else text

    def _staying(self, rows: range, far: bool) -> Iterator[range]:
        """Yield the rows in parts in which what lies in other blocks and windows is the same."""
        edges: Iterable[int] = ()
        if far and self.whole is None:
            every = gcd(BLOCK, STEP * self.pair)
            edges = range(rows.start // every * every + every, rows.stop, every)
        elif far:
            edges = (row for row in rows[1:] if self.windows[row] != self.windows[row - 1])
        for begin, end in pairwise((rows.start, *edges, rows.stop)):
            yield range(begin, end)

    def _pieces(self) -> list[tuple[int, str | None]]:
        """From which row on, counted from 0, which text stands."""
        if self.whole is not None:
            known = enumerate(window is not None for window in self.windows)
            runs = (next(run) for _, run in groupby(known, key=itemgetter(1)))
            return [(begin, self.formula if is_own else self.whole) for begin, is_own in runs]
        pieces = [(0, self.opening), (BLOCK, self.formula)] if self.opening is not None else [(0, self.formula)]
        if self.first is not None:
            pieces[:1] = [(0, self.first), (self.pair, pieces[0][1])]
        return pieces


# Those that are the same for many rows in turn: what lies in the block before, and in a window.
STAYING = {"block", "over", "through", "carried", "lo", "hi", "low", "high", "skip", "end", "near", "near_end"}
STAYING |= {"ahead", "ahead_end", "behind"}

NONE_ABOVE = "0"  # how many games above the first one are like it: its own formula, for it has none to count

# What the names in braces of a formula mean in the row `at` (from 0) of a table. None may read as an address
# (LO2), which moves when a column is put in. None makes a range of one cell: LibreOffice writes it as the cell, which
# not every engine takes for a range.
PLACES: dict[str, Callable[[Fill, int, int], int]] = {
    "row": lambda fill, at, first_row: first_row + at,
    "up": lambda fill, at, first_row: first_row + at - 1,
    "before": lambda fill, at, first_row: first_row + at - at % fill.pair - 1,
    "other": lambda fill, at, first_row: first_row + at - 2 * (at % fill.pair) + fill.pair - 1,
    "back100": lambda fill, at, first_row: first_row + max(-1, at - 100),
    "second": lambda fill, at, first_row: first_row + at - 2,
    "block": lambda fill, at, first_row: first_row + _carried(fill, at),
    "over": lambda fill, at, first_row: first_row + _carried(fill, at) - 1,
    "through": lambda fill, at, first_row: (at // BLOCK * BLOCK - fill.pair) // fill.pair,
    "carried": lambda fill, at, first_row: _carried(fill, at),
    "white": lambda fill, at, first_row: first_row + 2 * (at + fill.left_out),
    "black": lambda fill, at, first_row: first_row + 2 * (at + fill.left_out) + 1,
    "lo": lambda fill, at, first_row: _window(fill, at)[0],
    "hi": lambda fill, at, first_row: _window(fill, at)[1],
    "low": lambda fill, at, first_row: 2 * _window(fill, at)[0] - first_row,
    "high": lambda fill, at, first_row: 2 * _window(fill, at)[1] - first_row + 1,
    "skip": lambda fill, at, first_row: _window(fill, at)[0] - first_row,
    "end": lambda fill, at, first_row: _window(fill, at)[1] - first_row + 1,
    "ahead": lambda fill, at, first_row: _ahead(fill, at, first_row)[0],
    "ahead_end": lambda fill, at, first_row: _ahead(fill, at, first_row)[1],
    "behind": lambda fill, at, first_row: _ahead(fill, at, first_row)[0] - first_row + fill.left_out,
    "near": lambda fill, at, first_row: first_row + _names_before(_window(fill, at)[0] - first_row),
    "near_end": lambda fill, at, first_row: first_row + _names_before(_window(fill, at)[1] - first_row + PART // 2) - 1,
}


@lru_cache(maxsize=32)
def _numbers(name: str, pair: int, left_out: int, rows: int, first_row: int) -> tuple[int, ...]:
    """What a name that moves from row to row means in each row of a table."""
    return tuple(map(PLACES[name], repeat(Fill((), pair=pair, left_out=left_out)), range(rows), repeat(first_row)))


def _carried(fill: Fill, at: int) -> int:
    return at // BLOCK * BLOCK - max(fill.pair, 2)


def _names_before(game: int) -> int:
    return UNKNOWN_NAMES * (2 * game // PART)


def _window(fill: Fill, at: int) -> tuple[int, int]:
    found = fill.windows[at // fill.pair // STEP if fill.whole is None else at]
    assert found is not None
    return found


def _ahead(fill: Fill, at: int, first_row: int) -> tuple[int, int]:
    lo, hi = (row - fill.left_out for row in _window(fill, at))
    return max(first_row - 1, lo), max(first_row, hi)


def _seat(number: int) -> Callable[[Fill, int, int], int]:
    return lambda fill, at, first_row: first_row + at - at % fill.pair + number - 1


# The rows of the seats at a game.
PLACES |= {f"s{number}": _seat(number) for number in range(1, 9)}


@dataclass(frozen=True)
class Validation:
    """What may be typed: one of a list (`items` or a `range`), a day, a number from `minimum`, or text of at most
    `maximum` characters. An `open` list offers its items, and the sheet says what it makes of anything else."""

    kind: str
    items: tuple[str, ...] = ()
    range: str = ""
    minimum: float | None = None
    maximum: float | None = None
    title: str = ""
    message: str = ""
    error: str = ""
    open: bool = False


def pick_player(cells: str) -> Validation:
    """Return that one of the players is typed, whose names stand in these cells."""
    asked, error = "A name from the sheet Players.", "Choose a name from the sheet Players."
    return Validation("list", range=cells, title="Player", message=asked, error=error)


@dataclass(frozen=True)
class ColumnPlan:
    """One column of a table."""

    label: str
    fill: Fill
    role: str = ""
    style: str = "text"
    width: float = 10
    is_input: bool = False
    validation: Validation | None = None
    # What the column says, in a sentence for the sheet Formulas, and who says so.
    about: str = ""
    source: str = ""


def column_as_told(told: Mapping[str, Any], fill: Fill, role: str = "") -> ColumnPlan:
    """Return a column that nobody types into, as a template says it."""
    about, source = told.get("about", ""), told.get("source", "")
    return ColumnPlan(told["label"], fill, role, told["style"], told["width"], about=about, source=source)


def figure_columns(fills: Mapping[str, Fill], width: float = 14) -> tuple[ColumnPlan, ...]:
    """Return the columns of a table of figures that nobody reads, by label."""
    styles = {label: "points" if fill.unit == "points" else "integer" for label, fill in fills.items()}
    return tuple(ColumnPlan(label, fill, "", styles[label], width) for label, fill in fills.items())


@dataclass(frozen=True)
class TablePlan:
    """An Excel table; `first_row` holds the headers, from `first_column` on (both 1-based).

    `is_range` makes it a plain range with headers: in a table no formula may spill. It holds what the table `like`
    does, which has a formula in each row and may have more columns.
    """

    name: str
    first_row: int
    columns: tuple[ColumnPlan, ...]
    rows: int
    first_column: int = 1
    is_range: bool = False
    like: TablePlan | None = None

    @property
    def first_data_row(self) -> int:
        """First row (1-based) below the headers."""
        return self.first_row + 1

    @property
    def last_row(self) -> int:
        """Last row (1-based)."""
        return self.first_row + self.rows

    def range(self, label: str) -> str:
        """Return the data range of a column, absolute, without the sheet: `$B$5:$B$204`."""
        letter = self.letter(label)
        return f"${letter}${self.first_data_row}:${letter}${self.last_row}"

    def top(self, label: str) -> str:
        """Return the first cell of a column, which a rule moves down with its row: `$B5`."""
        return f"${self.letter(label)}{self.first_data_row}"

    def letter(self, label: str) -> str:
        """Return the letters of a column."""
        return column_letters(self.first_column + [column.label for column in self.columns].index(label))

    @property
    def body(self) -> str:
        """The range of all its data, absolute, without the sheet: `$A$5:$F$204`."""
        first, last = self.first_column, self.first_column + len(self.columns) - 1
        return f"${column_letters(first)}${self.first_data_row}:${column_letters(last)}${self.last_row}"

    @property
    def widths(self) -> dict[int, float]:
        """The widths of its columns, for its sheet."""
        return {at: column.width for at, column in enumerate(self.columns, self.first_column)}


@dataclass(frozen=True)
class CellPlan:
    """One cell outside the tables; `row` and `column` are 1-based."""

    row: int
    column: int
    value: CellValue
    formula: str | None = None
    style: str = "text"
    unit: str = "text"
    is_input: bool = False
    validation: Validation | None = None
    name: str = ""
    merge_to: int = 0
    # The sheet that a click on it leads to.
    link: str = ""
    # A formula that gives the same and can be computed here.
    means: str | None = None


def figured(
    row: int, column: int, label: str, formula: str, style: str, unit: str, *, label_style: str = "label", at: int = 0
) -> tuple[CellPlan, CellPlan]:
    """Return a label and, beside it or in the column `at`, the cell of what its formula gives."""
    return CellPlan(row, column, label, style=label_style), CellPlan(
        row, at or column + 1, PENDING, formula, style, unit
    )


def asked(
    row: int,
    column: int,
    label: str,
    typed: CellValue,
    style: str,
    rule: Validation,
    *,
    label_style: str = "label",
    at: int = 0,
    merge_to: int = 0,
) -> tuple[CellPlan, CellPlan]:
    """Return a label and, beside it or in the column `at`, the cell in which its answer is typed."""
    cell = CellPlan(row, at or column + 1, typed, style=style, is_input=True, validation=rule, merge_to=merge_to)
    return CellPlan(row, column, label, style=label_style), cell


# How an axis writes days; of games without one it says nothing.
DAYS = "[>=2]yyyy-mm-dd;"


@dataclass(frozen=True)
class Series:
    """One line or bar of a chart: where its name, categories and values stand."""

    name: str
    categories: str
    values: str
    style: str


@dataclass(frozen=True)
class ChartPlan:
    """A chart and where it stands (1-based row and column, size in pixels)."""

    kind: str
    title: str
    x_title: str
    y_title: str
    series: tuple[Series, ...]
    row: int
    column: int
    width: int
    height: int
    # Where the axis begins; pending, it follows from what the lines draw.
    y_minimum: float | None = None
    y_maximum: float | None = None
    x_minimum: float | None = None
    x_maximum: float | None = None
    x_format: str = "0"
    y_format: str = "0"
    # Whether the numbers of both axes stand at the edge, where the axes cross inside.
    edge_labels: bool = False
    # Whether the chart names its lines itself; without it a table beside it does.
    legend: bool = True


def pixels(width: float) -> int:
    """Return how wide a column of so many letters is drawn; a hidden one has none."""
    return int(width * 7 + 5) if width else 0


@dataclass(frozen=True)
class Sparkline:
    """A line within one cell (1-based row and column), where the program draws it: `range` has its numbers.

    With `bars` it is a bar for each number, up to as much above and below zero as that says.
    """

    row: int
    column: int
    range: str
    bars: float = 0.0


@dataclass(frozen=True)
class Highlight:
    """A conditional format: `style` where `formula` (for the range's first cell) holds."""

    range: str
    formula: str
    style: str


@dataclass(frozen=True)
class SheetPlan:
    """One sheet."""

    name: str
    cells: tuple[CellPlan, ...] = ()
    tables: tuple[TablePlan, ...] = ()
    charts: tuple[ChartPlan, ...] = ()
    highlights: tuple[Highlight, ...] = ()
    sparklines: tuple[Sparkline, ...] = ()
    widths: Mapping[int, float] = field(default_factory=dict)
    hidden: bool = False
    frozen_rows: int = 0
    frozen_columns: int = 0
    landscape: bool = False
    # Whether it is printed on one page, however long it is.
    one_page: bool = False
    # Over how many pages its columns are spread; the frozen ones stand on each.
    pages_wide: int = 1
    # How many of its columns are printed; 0 for all.
    printed_columns: int = 0
    # Heights of rows in points, by row; 0 hides one. The others are as high as a line, or as a table's headers need.
    heights: Mapping[int, float] = field(default_factory=dict)
    # What the colour of its tab says: "type", "read" or "machinery"; nothing where it is empty.
    tab: str = ""
    # Whether it is printed with the others when a whole book is.
    printed: bool = True

    @property
    def is_typed_into(self) -> bool:
        """Whether its owner enters something there, beyond choosing from lists what it shows."""
        if any(column.is_input for table in self.tables for column in table.columns):
            return True
        entered = (cell for cell in self.cells if cell.is_input)
        return not self.tables and any(cell.validation is None or cell.validation.kind != "list" for cell in entered)


@dataclass(frozen=True)
class Plan:
    """A whole workbook; `names` maps each defined name to its one cell, `dialect` says which functions it may use."""

    title: str
    sheets: tuple[SheetPlan, ...]
    names: Mapping[str, str]
    dialect: str = "portable"

    def sheet(self, name: str) -> SheetPlan:
        """Return the sheet of that name."""
        return next(sheet for sheet in self.sheets if sheet.name == name)

    def size(self) -> int:
        """Return how many formula cells the book has, also before their values are known."""
        alone = sum(cell.formula is not None for sheet in self.sheets for cell in sheet.cells)
        fills = ((c.fill, table.rows) for sheet in self.sheets for table in sheet.tables for c in table.columns)
        return alone + sum(
            rows if fill.values is PENDING else len(fill.values) for fill, rows in fills if fill.formula is not None
        )

    def formulas(
        self, rows: Callable[[str, int, TablePlan, Fill], Iterable[int]] | None = None
    ) -> Iterator[PlannedFormula]:
        """Yield every formula cell, sheet by sheet, tables column by column.

        `rows` chooses rows of a column, counted from 0, by its sheet, number, table and fill; cells outside
        of tables, and those that a formula spills into, are yielded always.
        """
        for sheet in self.sheets:
            for cell in sheet.cells:
                if cell.formula is not None:
                    yield PlannedFormula(sheet.name, cell.row, cell.column, cell.formula, cell.value, cell.unit, "")
            for table in sheet.tables:
                first, spilling = table.first_data_row, ""
                for at, column in enumerate(table.columns, table.first_column):
                    fill, label = column.fill, column.label
                    if fill.spill is not None:
                        if fill.formula is not None:
                            anchor, spilling = (first, at), fill.formula
                        for row, value in enumerate(fill.values, first):
                            by = None if (row, at) == anchor else anchor
                            yield PlannedFormula(sheet.name, row, at, spilling, value, fill.unit, label, by)
                    elif fill.formula is not None:
                        texts: Iterable[tuple[int, str | None]] = enumerate(fill.formulas(first))
                        if rows is not None:
                            chosen = rows(sheet.name, at, table, fill)
                            texts = ((row, fill.formula_at(first + row, first)) for row in chosen)
                        for row, text in texts:
                            told = text or "", fill.values[row]
                            yield PlannedFormula(sheet.name, first + row, at, *told, fill.unit, label)


@plain
class PlannedFormula:
    """A formula cell as it should be: its text, its value, its unit, and its column's header.

    A cell that a formula spills into, or may, has none of its own: `anchor` is the row and column of that formula.
    """

    sheet: str
    row: int
    column: int
    formula: str
    value: Any
    unit: str
    label: str
    anchor: tuple[int, int] | None = None
