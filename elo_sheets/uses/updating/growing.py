"""A book's tables with more games and players, and with rows to grow into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from elo_sheets.uses.updating.rows import Typed, is_used, typed_row
from elo_sheets.workbook.book import Book, Columns, Inputs, with_spare
from elo_sheets.workbook.fits import ledger_rows, view_of
from elo_sheets.workbook.layout import name_of, number_or, text_of
from elo_sheets.workbook.plan import CellValue
from elo_sheets.workbook.sourced import SOURCE
from elo_sheets.workbook.templates import template

# A table gets more rows when fewer are empty than this, or than one of so many.
LEAST_GAMES, LEAST_PLAYERS, ONE_OF = 20, 5, 10
# Rows that a table of players gets then, or one of the games of an event.
MORE_PLAYERS, MORE_ENTRANTS, MORE_PAIRINGS = 30, 10, 20


@dataclass(frozen=True)
class Growth:
    """How the rows of a table moved: new ones were put in before the rows `before` (from 0, sorted), of `was` rows it
    has `now` so many."""

    table: str
    before: tuple[int, ...]
    was: int
    now: int

    def place(self, at: int) -> int:
        """Return where a row stands now; what stands below the table moves with its end."""
        if at >= self.was:
            return at + self.now - self.was
        return at + sum(one <= at for one in self.before)


def used_rows(table: Columns, key: str | None = None) -> int:
    """Return the number of rows down to the last one in which something is typed, or typed in the column `key`."""
    rows = len(next(iter(table.values())))
    typed = {key: table[key]} if key else {label: cells for label, cells in table.items() if label != SOURCE}
    return next((at + 1 for at in reversed(range(rows)) if is_used(typed_row(typed, at))), 0)


def grown(
    name: str, table: Columns, new: Sequence[tuple[int, Typed]], rows: int, key: str | None = None
) -> tuple[Columns, Growth]:
    """Return a table with new rows, each before the row (from 0) that is given with it, and how its rows moved.

    Rows behind the last one in use take the empty rows of the table, and keep what stands there already; rows between
    others move the rest down. The table has at least `rows` rows.
    """
    was, end = len(next(iter(table.values()))), used_rows(table, key)
    between = [(at, typed) for at, typed in new if at < end]
    last = [typed for at, typed in new if at >= end]
    columns: dict[str, list[CellValue]] = {}
    for label, values in table.items():
        cells: list[CellValue] = []
        done = 0
        for at, typed in between:
            cells += [*values[done:at], typed.get(label)]
            done = at
        cells += values[done:end]
        taken = [*values[end : end + len(last)], *[None] * (end + len(last) - was)]
        cells += [
            old if (value := typed.get(label)) is None else value for typed, old in zip(last, taken, strict=False)
        ]
        cells += values[end + len(last) :]
        columns[label] = cells + [None] * (rows - len(cells))
    now = len(next(iter(columns.values())))
    return columns, Growth(name, tuple(at for at, _ in between), was, now)


def rows_wanted(used: int, rows: int, least: int, more: int) -> int:
    """Return how many rows a table of `used` ones should have: as many as it has, until they nearly run out."""
    return rows if rows - used >= max(1, min(least, rows // ONE_OF)) else max(rows, used + more)


def game_rows(name: str, used: int, rows: int) -> int:
    """Return how many rows the table of games of a template should have."""
    more = with_spare(used, 0) - used if view_of(name).is_replayed else MORE_PAIRINGS
    return rows_wanted(used, rows, LEAST_GAMES, more)


def player_rows(name: str, used: int, rows: int) -> int:
    """Return how many rows the table of players of a template should have."""
    return rows_wanted(used, rows, LEAST_PLAYERS, MORE_PLAYERS if view_of(name).is_replayed else MORE_ENTRANTS)


def sizes_for(name: str, inputs: Inputs) -> Mapping[str, int]:
    """Return the rows of the tables that nobody types into, as they follow from those that are typed into."""
    view: Any = view_of(name)
    if not view.games_table:
        return inputs.sizes
    rows = inputs.rows(view.games_table)
    if view.is_replayed:
        return {"Ledger": ledger_rows(name) * rows, **view.further_sizes(template(name), inputs)}
    people, games = inputs.tables["Players"], inputs.tables["Games"]
    listed = [at for at, name in enumerate(people["Name"]) if text_of(name)]
    unrated = sum(number_or(people["Rating"][at], None) is None for at in listed)
    rounds = max((int(number_or(value, 0.0) or 0) for value in games["Round"]), default=0)
    made: dict[str, int] = view.sizes(rows, inputs.rows("Players"), max(rounds, inputs.sizes["Rounds"]), unrated)
    made["Newcomers"] = max(made["Newcomers"], inputs.sizes.get("Newcomers", 0))  # which an event of US Chess has not
    return made


def with_sizes(book: Book) -> Book:
    """Return a book whose other tables have the rows that follow from those that are typed into."""
    sizes = sizes_for(book.template, book.inputs)
    return replace(book, inputs=replace(book.inputs, sizes=sizes, windows=(), shown=()))


def listed(table: Columns, key: str) -> list[str]:
    """Return the names of a table of players, in order, "" for an empty row."""
    return [name_of(value) for value in table[key]]
