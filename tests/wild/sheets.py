"""A book in the making: cells with what they are for, tables of named columns, and files as programs save them."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import xlsxwriter
from openpyxl.utils import get_column_letter as letters

from elo_sheets.engines.recalculate import recalculate_many
from elo_sheets.files.cells import CellError

Content = Any  # a number, a text, a day, a truth value, None; a formula is a text that begins with =
Place = tuple[str, int, int]  # sheet, row, column
CLOSE = 1e-6  # rating points; the engines keep 15 digits


class Dice(Random):
    """The generator of a book; a bare book has no rows between its games."""

    def __new__(cls, seed: str, bare: bool = False) -> Dice:
        return super().__new__(cls)

    def __init__(self, seed: str, bare: bool = False) -> None:
        super().__init__(seed)
        self.bare = bare


@dataclass(frozen=True)
class At:
    """What a cell is: the column's role, such as `expected 1`, and its number there, from 0 in the order of play."""

    role: str
    index: int


@dataclass
class Cell:
    content: Content
    at: At | None = None
    truth: float | str | None = None  # what a right book shows there, worked out without a spreadsheet
    array: bool = False  # entered with Ctrl+Shift+Enter

    @property
    def is_formula(self) -> bool:
        return isinstance(self.content, str) and self.content.startswith("=")


@dataclass(frozen=True)
class Slip:
    """A mistake that is made while the book is written: which column, which mistake, which of its cells."""

    role: str
    kind: str
    cells: frozenset[int] = frozenset()

    def meets(self, at: At) -> bool:
        same = at.role == self.role or (self.role.endswith("*") and at.role.startswith(self.role[:-1]))
        return same and at.index in self.cells


@dataclass
class Draft:
    """A book: what is drawn comes from `rng` alone, so that a book with a slip differs by it alone."""

    rng: Random
    slip: Slip | None = None
    sheets: dict[str, dict[tuple[int, int], Cell]] = field(default_factory=dict)
    offered: dict[tuple[str, str], set[int]] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)
    extra_wrong: set[Place] = field(default_factory=set)

    def put(
        self,
        place: Place,
        content: Content,
        at: At | None = None,
        truth: float | str | None = None,
        array: bool = False,
    ) -> None:
        sheet, row, column = place
        self.sheets.setdefault(sheet, {})[row, column] = Cell(content, at, truth, array)

    def pick(self, at: At, right: str, **wrong: str) -> str:
        """Return what belongs into the cell: the right text, or one of the wrong ones when the slip says so."""
        for kind, text in wrong.items():
            if text != right:
                self.offered.setdefault((at.role, kind), set()).add(at.index)
        if self.slip and self.slip.kind in wrong and self.slip.meets(at):
            return wrong[self.slip.kind]
        return right

    def cells(self) -> Iterable[tuple[Place, Cell]]:
        for sheet, cells in self.sheets.items():
            for (row, column), cell in cells.items():
                yield (sheet, row, column), cell

    def column(self, role: str) -> dict[int, Place]:
        return {cell.at.index: place for place, cell in self.cells() if cell.at and cell.at.role == role}

    def copy(self) -> Draft:
        sheets = {name: {where: replace(cell) for where, cell in cells.items()} for name, cells in self.sheets.items()}
        return replace(self, sheets=sheets, extra_wrong=set(self.extra_wrong))

    def cell(self, place: Place) -> Cell:
        return self.sheets[place[0]][place[1:]]


@dataclass
class Table:
    """Columns of a sheet by role. `a` is a cell, `col` a piece of a column; both name the sheet where it is another."""

    draft: Draft
    sheet: str
    top: int  # the row of the headers
    columns: dict[str, int]

    def a(self, role: str, row: int, lock: str = "", seen_from: str | None = None) -> str:
        column = ("$" if "c" in lock else "") + letters(self.columns[role])
        return self._prefix(seen_from) + f"{column}{'$' if 'r' in lock else ''}{row}"

    def col(self, role: str, first: int, last: int, lock: str = "first", seen_from: str | None = None) -> str:
        name = letters(self.columns[role])
        start = f"${name}${first}" if lock in ("first", "both") else f"{name}{first}"
        end = f"${name}${last}" if lock in ("last", "both") else f"{'$' if lock == 'first' else ''}{name}{last}"
        return f"{self._prefix(seen_from)}{start}:{end}"

    def area(self, first: str, last: str, top: int, bottom: int, seen_from: str | None = None) -> str:
        return f"{self._prefix(seen_from)}${letters(self.columns[first])}${top}:${letters(self.columns[last])}${bottom}"

    def place(self, role: str, row: int) -> Place:
        return self.sheet, row, self.columns[role]

    def put(
        self,
        role: str,
        row: int,
        content: Content,
        at: At | None = None,
        truth: float | str | None = None,
        array: bool = False,
    ) -> None:
        self.draft.put(self.place(role, row), content, at, truth, array)

    def _prefix(self, seen_from: str | None) -> str:
        if seen_from is None or seen_from == self.sheet:
            return ""
        return f"{self.sheet}!" if re.fullmatch(r"[A-Za-z_]\w*", self.sheet) else f"'{self.sheet}'!"


# --- files --------------------------------------------------------------------------------------------------

Shown = Mapping[Place, Any]


def write(draft: Draft, path: Path, shown: Shown | None = None) -> None:
    """Write the book; `shown` are the stored results of its formulas, as Excel leaves them in the file."""
    book = xlsxwriter.Workbook(str(path))
    day = book.add_format({"num_format": draft.notes.get("days", "dd.mm.yyyy")})
    bold = book.add_format({"bold": True})
    for name, cells in draft.sheets.items():
        sheet = book.add_worksheet(name)
        first = min((row for row, _ in cells), default=1)
        for (row, column), cell in cells.items():
            value = cell.content
            if cell.is_formula:
                stored = (shown or {}).get((name, row, column), 0)
                stored = str(stored) if isinstance(stored, CellError) else stored
                stored = "" if stored is None else stored
                if cell.array:
                    sheet.write_array_formula(row - 1, column - 1, row - 1, column - 1, "{" + value + "}", None, stored)
                else:
                    sheet.write_formula(row - 1, column - 1, value, None, stored)
            elif isinstance(value, dt.date):
                sheet.write_datetime(row - 1, column - 1, dt.datetime(value.year, value.month, value.day), day)
            elif isinstance(value, bool):
                sheet.write_boolean(row - 1, column - 1, value)
            elif isinstance(value, int | float):
                sheet.write_number(row - 1, column - 1, value)
            elif value is not None:
                sheet.write_string(row - 1, column - 1, value, bold if row == first else None)
    book.close()


def computed(drafts: Sequence[Draft], folder: Path, engine: str = "ironcalc") -> list[dict[Place, Any]]:
    """Return what an engine computes of every formula of each book."""
    paths = []
    for number, draft in enumerate(drafts):
        paths.append(folder / f"computed{number}.xlsx")
        write(draft, paths[-1])
    answers = recalculate_many(paths, engine, timeout=600)
    return [
        {(sheet, row, column): value for sheet, cells in each.values.items() for (row, column), value in cells.items()}
        for each in answers
    ]


def differs(one: Any, other: Any, close: float = CLOSE) -> bool:
    """Whether two results differ: numbers by more than `close`, anything else at all."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is not other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return not abs(one - other) <= close
    return str(one) != str(other)


def untrue(draft: Draft, values: Shown) -> list[str]:
    """Return what a book shows otherwise than its truth says: for a sound book nothing."""
    return [
        f"{sheet}!{letters(column)}{row}: {values.get((sheet, row, column))!r} is not {cell.truth!r} ({cell.content})"
        for (sheet, row, column), cell in draft.cells()
        if cell.truth is not None and cell.is_formula and differs(values.get((sheet, row, column)), cell.truth)
    ]
