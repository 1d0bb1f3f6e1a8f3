"""More decimals for systems whose ratings are small numbers: a rating of 25 moves by hundredths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from elo_sheets.systems import System
from elo_sheets.workbook.plan import SheetPlan

# Below this start rating a tenth of a point is much.
SMALL = 100.0
# The styles of points and what takes their place.
FINER = {
    "points": "decimal_fine",
    "points_strong": "decimal_fine_strong",
    "change": "delta",
    "change_strong": "figure_delta",
    "figure": "figure_fine",
    "row_figure": "row_figure_fine",
}


def is_fine(system: System, settings: Mapping[str, Any]) -> bool:
    """Return whether a system's ratings are small numbers, by what players start from; where that is 0, by default."""
    names = {state.initial for state in system.state if state.name == "rating"}
    starts = [float(settings[p.name]) or float(p.default) for p in system.parameters if p.name in names]
    return any(abs(start) < SMALL for start in starts)


def finer_sheet(sheet: SheetPlan) -> SheetPlan:
    """Return a sheet whose points have three decimals, and one on the axes of its lines."""
    tables = tuple(
        replace(table, columns=tuple(replace(c, style=FINER.get(c.style, c.style)) for c in table.columns))
        for table in sheet.tables
    )
    cells = tuple(replace(cell, style=FINER.get(cell.style, cell.style)) for cell in sheet.cells)
    charts = tuple(
        replace(chart, y_format="0.0") if chart.kind == "line" and chart.y_format == "0" else chart
        for chart in sheet.charts
    )
    return replace(sheet, tables=tables, cells=cells, charts=charts)
