"""Books of calculators for the tests: a new one with other things typed into it, and what an engine makes of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from elo_sheets.engines.recalculate import recalculate_many
from elo_sheets.files.cells import CellError
from elo_sheets.systems import system
from elo_sheets.workbook.book import Book, Inputs
from elo_sheets.workbook.build import blank_book, plan_book
from elo_sheets.workbook.plan import Plan
from elo_sheets.workbook.write import write_book

ENGINES = ["ironcalc", pytest.param("libreoffice", marks=pytest.mark.libreoffice)]

Cells = Mapping[str, Any]
Rows = Sequence[tuple[Any, Any]]


def new_book(template: str, rating_system: str = "elo", **settings: object) -> Book:
    return blank_book(template, system(rating_system), settings)


def typed(book: Book, cells: Cells, games: Rows | None = None) -> Book:
    """The book with other cells, and other games of an event, typed in."""
    tables = {name: {label: list(values) for label, values in t.items()} for name, t in book.inputs.tables.items()}
    if games is not None:
        for at, label in enumerate(("Opponent rating", "Result")):
            spare = [None] * (len(tables["Event"][label]) - len(games))
            tables["Event"][label] = [*(game[at] for game in games), *spare]
    inputs = Inputs(tables, {**book.inputs.cells, **cells}, book.inputs.sizes)
    return dataclasses.replace(book, inputs=inputs)


def named(template: str, cells: Cells, games: Rows | None = None) -> dict[str, Any]:
    """What the named cells of a new book hold with these cells, and games of an event, typed in."""
    plan = plan_book(typed(new_book(template), cells, games))
    return {cell.name: cell.value for sheet in plan.sheets for cell in sheet.cells if cell.name}


def emptied(book: Book) -> Book:
    """The book with every input cell empty."""
    tables = {name: {label: [None] * len(v) for label, v in t.items()} for name, t in book.inputs.tables.items()}
    return dataclasses.replace(book, inputs=Inputs(tables, dict.fromkeys(book.inputs.cells), book.inputs.sizes))


@dataclasses.dataclass
class Computed:
    """A plan and what an engine computed of its book."""

    plan: Plan
    values: Mapping[str, Mapping[tuple[int, int], Any]]

    def __getitem__(self, name: str) -> Any:
        """What the engine gives for a named cell; an empty text where it gives nothing."""
        sheet = self.plan.names[name].rpartition("!")[0]
        place = next(c for s in self.plan.sheets for c in s.cells if c.name == name and s.name == sheet.strip("'"))
        found = self.values[sheet.strip("'")].get((place.row, place.column))
        return "" if found is None else found

    def column(self, table: str, label: str) -> list[Any]:
        """What the engine gives for a column of a table."""
        for sheet in self.plan.sheets:
            for one in sheet.tables:
                if one.name == table:
                    at = one.first_column + [column.label for column in one.columns].index(label)
                    rows = range(one.first_data_row, one.last_row + 1)
                    return [self.values[sheet.name].get((row, at)) for row in rows]
        raise KeyError(table)

    def off(self, tolerance: float) -> list[tuple[Any, ...]]:
        """The formula cells that hold something else than the plan says, and errors."""
        found = []
        for cell in self.plan.formulas():
            got = self.values[cell.sheet].get((cell.row, cell.column))
            if isinstance(got, CellError) or not alike(cell.value, got, tolerance):
                found.append((cell.sheet, cell.row, cell.column, cell.value, got, cell.formula))
        return found


def alike(expected: Any, got: Any, tolerance: float) -> bool:
    """Whether two cells hold the same; LibreOffice keeps fifteen digits."""
    if isinstance(expected, float) and isinstance(got, (int, float)) and not isinstance(got, bool):
        return abs(expected - got) <= tolerance * max(1.0, abs(expected) / 1000)
    return expected == got or {expected, got} <= {"", None}


_WRITTEN: dict[str, tuple[Plan, Path]] = {}


def written(book: Book, folder: Path) -> tuple[Plan, Path]:
    """Plan and write a book, once for all engines."""
    said = repr(book)
    if said not in _WRITTEN:
        plan, path = plan_book(book), folder / f"book{len(_WRITTEN)}.xlsx"
        write_book(plan, path)
        _WRITTEN[said] = plan, path
    return _WRITTEN[said]


def computed(books: Sequence[Book], engine: str, folder: Path) -> list[Computed]:
    """Write the books and recalculate them."""
    plans, paths = zip(*(written(book, folder) for book in books), strict=True)
    done = recalculate_many(paths, engine, timeout=300)
    return [Computed(plan, one.values) for plan, one in zip(plans, done, strict=True)]
