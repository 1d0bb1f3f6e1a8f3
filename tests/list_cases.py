"""Books of a pool filled from the sample logs, with few spare rows; their plans as rows, and judged by an engine."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pandas as pd

from elo_sheets.engines.recalculate import recalculate
from elo_sheets.readers import read
from elo_sheets.workbook.book import Book
from elo_sheets.workbook.plan import CellValue, Plan
from elo_sheets.workbook.write import write_book

SAMPLES = Path(__file__).parents[1] / "samples"
FOOTBALL, AMERICAN, CHESS = "internationals_1900s.csv", "nfl_1920.csv", "uzchesscup.pgn"
TOLERANCE = 1e-9


@cache
def log(name: str = FOOTBALL) -> pd.DataFrame:
    return read([SAMPLES / name]).games


def repeated(count: int) -> pd.DataFrame:
    """A log of that many games: the ten years of the sample again and again, each decade after the one before."""
    decades = [log().assign(date=log()["date"] + pd.Timedelta(days=3652 * k)) for k in range(count // len(log()) + 1)]
    games = pd.concat(decades, ignore_index=True).head(count)
    return games.assign(game=range(1, count + 1), source_row=range(1, count + 1))


def shortened(made: Book, rows: int) -> Book:
    """The book with that many rows of Games, which is fewer than a template gives: quick to compute."""
    columns = {label: list(values)[:rows] for label, values in made.inputs.tables["Games"].items()}
    inputs = dataclasses.replace(
        made.inputs, tables={**made.inputs.tables, "Games": columns}, sizes={**made.inputs.sizes, "Ledger": 2 * rows}
    )
    return dataclasses.replace(made, inputs=inputs)


def with_cells(made: Book, cells: Mapping[str, CellValue]) -> Book:
    return dataclasses.replace(made, inputs=dataclasses.replace(made.inputs, cells={**made.inputs.cells, **cells}))


def agrees(got: object, wanted: object, tolerance: float) -> bool:
    if isinstance(got, (int, float)) and isinstance(wanted, (int, float)):
        return abs(got - wanted) <= tolerance * max(1.0, abs(wanted) / 4000)
    return got == wanted or (got in (None, "") and wanted in (None, ""))


def differences(plan: Plan, path: Path, engine: str, tolerance: float = TOLERANCE) -> list[str]:
    """The formula cells in which an engine finds something else than the plan says."""
    write_book(plan, path, overwrite=True)
    values = recalculate(path, engine, timeout=600).values
    cells = list(plan.formulas())
    assert len(cells) > 1000
    return [
        f"{f.sheet}!R{f.row}C{f.column} {f.label}: wanted {f.value!r}, got {got!r}, ={f.formula[:150]}"
        for f in cells
        for got in [values[f.sheet].get((f.row, f.column))]
        if not agrees(got, f.value, tolerance)
    ]


def table(plan: Plan, name: str) -> list[dict[str, CellValue]]:
    """The rows of a table as the plan holds them."""
    found = next(one for sheet in plan.sheets for one in sheet.tables if one.name == name)
    labels = [column.label for column in found.columns]
    rows = zip(*(column.fill.values for column in found.columns), strict=True)
    return [dict(zip(labels, row, strict=True)) for row in rows]


def cell(plan: Plan, sheet: str, row: int, column: int) -> CellValue:
    return next(one.value for one in plan.sheet(sheet).cells if (one.row, one.column) == (row, column))
