"""A league workbook of 10,000 games: written by elo-sheets, and by a plain XlsxWriter script with the same cells.

Ours is `plan_book` and `write_book`: the replay, every formula and value, the file, the lint and the move into place;
reading a log is not counted. Theirs gets all cells, values and formats ready and only calls XlsxWriter. Both run in
turns in one process; the ratio is that of the medians.

    python benchmarks/write_league.py [--games 10000] [--players 300] [--turns 5] [--json]
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import xlsxwriter

from elo_sheets.files.lint import lint
from elo_sheets.files.package import read_book
from elo_sheets.games import make_games
from elo_sheets.systems import system
from elo_sheets.workbook.book import Book
from elo_sheets.workbook.build import filled_book, plan_book
from elo_sheets.workbook.plan import Plan
from elo_sheets.workbook.styles import CELL, TYPED
from elo_sheets.workbook.write import write_book


class Raw(NamedTuple):
    """A sheet as plain calls: widths, cells as (method, row, column, arguments), tables."""

    name: str
    widths: list[tuple[int, float]]
    formulas: list[tuple[int, int, str, str, Any]]
    numbers: list[tuple[int, int, float, str]]
    texts: list[tuple[int, int, str, str]]
    blanks: list[tuple[int, int, str]]
    tables: list[tuple[int, int, int, int, dict[str, Any]]]


def league(games: int, players: int) -> Book:
    """A book of made-up games: a few players play much, most of them little."""
    chance = random.Random(1872)
    names = [f"Player {i}" for i in range(1, players + 1)]
    weights = [1 / i for i in range(1, players + 1)]
    records = []
    for row in range(games):
        white = chance.choices(names, weights)[0]
        black = chance.choices([name for name in names if name != white], [1.0] * (players - 1))[0]
        records.append(
            {
                "date": f"{2000 + row // 500}-{row % 12 + 1:02}-{row % 28 + 1:02}",
                "white": white,
                "black": black,
                "score": chance.choice([1.0, 0.5, 0.0]),
                "source": "benchmark",
                "source_row": row + 1,
            }
        )
    return filled_book("league", system("elo"), {}, make_games(records))


def raw_sheets(plan: Plan) -> list[Raw]:
    """The cells of a plan, ready for plain calls."""
    sheets = []
    for sheet in plan.sheets:
        raw = Raw(sheet.name, list(sheet.widths.items()), [], [], [], [], [])
        cells = [(c.row, c.column, c.formula, c.value, f"{c.style}{'!' * c.is_input}") for c in sheet.cells]
        for table in sheet.tables:
            last_column = table.first_column + len(table.columns) - 1
            options = {"name": table.name, "columns": [{"header": column.label} for column in table.columns]}
            area = (table.first_row - 1, table.first_column - 1, table.last_row - 1, last_column - 1)
            raw.tables.append((*area, options))
            first = table.first_data_row
            for at, column in enumerate(table.columns, table.first_column):
                style = f"{column.style}{'!' * column.is_input}"
                cells += [
                    (row, at, column.fill.formula_at(row, first), value, style)
                    for row, value in enumerate(column.fill.values, first)
                ]
        for row, column, formula, value, style in cells:
            if formula is not None:
                raw.formulas.append((row - 1, column - 1, formula, style, value))
            elif value is None:
                raw.blanks.append((row - 1, column - 1, style))
            elif isinstance(value, str):
                raw.texts.append((row - 1, column - 1, value, style))
            else:
                raw.numbers.append((row - 1, column - 1, value, style))
        sheets.append(raw)
    return sheets


def write_raw(sheets: list[Raw], names: dict[str, str], path: Path) -> None:
    """Write the cells as a plain XlsxWriter script does."""
    book = xlsxwriter.Workbook(path)
    formats: dict[str, Any] = {}
    for style in CELL:
        formats[style] = book.add_format(CELL[style])
        formats[f"{style}!"] = book.add_format(CELL[style] | TYPED)
    for name, cell in names.items():
        book.define_name(name, f"={cell}")
    for sheet in sheets:
        page = book.add_worksheet(sheet.name)
        for column, width in sheet.widths:
            page.set_column(column - 1, column - 1, width)
        for table in sheet.tables:
            page.add_table(*table)
        for row, column, formula, style, value in sheet.formulas:
            page.write_formula(row, column, formula, formats[style], value)
        for row, column, number, style in sheet.numbers:
            page.write_number(row, column, number, formats[style])
        for row, column, text, style in sheet.texts:
            page.write_string(row, column, text, formats[style])
        for row, column, style in sheet.blanks:
            page.write_blank(row, column, None, formats[style])
    book.close()


def same_cells(ours: Path, theirs: Path) -> bool:
    """Whether two files hold the same formulas and values; plain XlsxWriter stores an empty text as no result."""

    def contents(path: Path) -> dict[str, dict[tuple[int, int], tuple[str | None, object]]]:
        sheets = read_book(path).sheets
        return {s: {p: (c.formula, c.value or None) for p, c in cells.items()} for s, cells in sheets.items()}

    return contents(ours) == contents(theirs)


def seconds(work: Callable[[], object]) -> float:
    """How long a call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--games", type=int, default=10_000)
    options.add_argument("--players", type=int, default=300)
    options.add_argument("--turns", type=int, default=5)
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    book = league(given.games, given.players)
    plan = plan_book(book)
    sheets = raw_sheets(plan)
    ours, theirs, planning, linting = [], [], [], []
    with tempfile.TemporaryDirectory() as folder:
        own, raw = Path(folder) / "ours.xlsx", Path(folder) / "raw.xlsx"
        for _ in range(given.turns):
            ours.append(seconds(lambda: write_book(plan_book(book), own, overwrite=True)))
            theirs.append(seconds(lambda: write_raw(sheets, dict(plan.names), raw)))
            planning.append(seconds(lambda: plan_book(book)))
            linting.append(seconds(lambda: lint(own)))
        same = same_cells(own, raw)
        size = own.stat().st_size
    result = {
        "games": given.games,
        "players": given.players,
        "turns": given.turns,
        "formulas": sum(len(sheet.formulas) for sheet in sheets),
        "cells": sum(len(s.formulas) + len(s.numbers) + len(s.texts) + len(s.blanks) for s in sheets),
        "same_cells": same,
        "bytes": size,
        "elo_sheets_seconds": round(statistics.median(ours), 3),
        "plan_seconds": round(statistics.median(planning), 3),
        "lint_seconds": round(statistics.median(linting), 3),
        "raw_seconds": round(statistics.median(theirs), 3),
        "ratio": round(statistics.median(ours) / statistics.median(theirs), 3),
    }
    if given.json:
        print(json.dumps(result, indent=2))
        return
    print(f"{given.games} games, {given.players} players: {result['cells']} cells, {result['formulas']} formulas")
    print(f"the same formulas and values in both: {same}")
    print(
        f"elo-sheets       {result['elo_sheets_seconds']:8.3f} s"
        f"  (planning {result['plan_seconds']}, lint {result['lint_seconds']})"
    )
    print(f"plain XlsxWriter {result['raw_seconds']:8.3f} s")
    print(f"ratio            {result['ratio']:8.3f}    (at most 0.5 is the aim)")


if __name__ == "__main__":
    main()
