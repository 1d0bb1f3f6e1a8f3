"""The sheet Odds: the expected score by difference of ratings, live, beside FIDE's own tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elo_sheets.ops import table_step
from elo_sheets.systems import Line, System, lines
from elo_sheets.systems._tables import DIFFERENCE_TABLE, FIDE_SOURCE, PERFORMANCE_TABLE
from elo_sheets.systems.elo import expected as logistic_expected
from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.layout import TableLayout, rule_formula
from elo_sheets.workbook.plan import CellPlan, CellValue, ColumnPlan, Fill, SheetPlan, TablePlan
from elo_sheets.workbook.words import constants

LOGISTIC = next(lines([logistic_expected]))


def own_curve(system: System) -> tuple[Line, str] | None:
    """Return the step that gives the expected score of a difference, and what it is called.

    Systems that look it up in FIDE's table, or damp it by an uncertainty, have the logistic curve of 400 points beside
    them; None for those that expect a score from more than the difference.
    """
    found = next((line for line in system.lines if line.name == "expected"), None)
    if found is not None and set(found.reads) <= {"difference"} | {p.name for p in system.parameters}:
        return found, "The curve of the rating rule, live"
    if found is not None and ("higher_expected" in found.reads or any(state.name == "rd" for state in system.state)):
        return LOGISTIC, "Logistic curve of 400 points, live"
    return None


def odds_sheet(
    sheet: Mapping[str, Any], system: System, settings: Mapping[str, Any], cells: Mapping[str, str]
) -> SheetPlan:
    """Return the sheet; a system without a curve of its own has the logistic one of 400 points beside it."""
    curve, said = own_curve(system) or (LOGISTIC, "Logistic curve of 400 points, for comparison")
    settings, cells = {"scale": 400.0, **settings}, {"scale": "400", **cells}
    values = {name: settings[name] for name in curve.reads if name != "difference"}
    differences = [float(d) for d in range(0, 825, 25)]
    layout = TableLayout("OddsTable", ["Difference", "Stronger", "Weaker", "Odds"], HEADER_ROW)
    higher = [float(curve.step(**{"difference": d, **values})) for d in differences]
    rule = rule_formula(curve, {"difference": "[Difference]", **{name: cells[name] for name in values}})
    ratio = layout.fill('IF([Weaker]<=0,"",[Stronger]/[Weaker])', "number")
    columns = (
        constants("Difference", differences, "integer", 11),
        ColumnPlan("Stronger", Fill(higher, layout.formula(rule), "share"), "", "share", 10),
        ColumnPlan("Weaker", layout.fill("1-[Stronger]", "share"), "", "share", 10),
        ColumnPlan("Odds", ratio, "", "decimal", 9),
    )
    odds = TablePlan("OddsTable", HEADER_ROW, columns, len(differences))
    fide, performance = fide_tables(6)
    heading = (
        CellPlan(1, 1, sheet["title"], style="title"),
        CellPlan(2, 1, said, style="hint"),
        CellPlan(2, 6, "FIDE table 8.1.2: difference to expectation", style="hint"),
        CellPlan(2, 11, "FIDE table 8.1.1: score to difference dp", style="hint"),
        CellPlan(3, 6, FIDE_SOURCE, style="hint"),
    )
    widths = odds.widths | fide.widths | performance.widths
    return SheetPlan(sheet["name"], heading, (odds, fide, performance), widths=widths, frozen_rows=HEADER_ROW)


def fide_tables(first_column: int) -> tuple[TablePlan, TablePlan]:
    """Return FIDE's two tables beside each other: difference to expectation, and score to difference."""
    starts = DIFFERENCE_TABLE.starts
    ends: list[CellValue] = [*(start - 1 for start in starts[1:]), None]
    fide = (
        constants("From", starts, "integer", 8),
        constants("To", ends, "integer", 8),
        constants("Higher", DIFFERENCE_TABLE.values, "percent", 9),
        constants("Lower", [round(1 - table_step(DIFFERENCE_TABLE, s), 2) for s in starts], "percent", 9),
    )
    performance = (
        constants("Per cent", [float(i) for i in range(101)], "integer", 10),
        constants("dp", [float(dp) for dp in PERFORMANCE_TABLE], "integer", 8),
    )
    return (
        TablePlan("FideTable", HEADER_ROW, fide, len(starts), first_column),
        TablePlan("PerformanceTable", HEADER_ROW, performance, 101, first_column + 5),
    )
