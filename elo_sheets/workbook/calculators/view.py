"""The calculators as sheets: one game, event, performance, K, rating needed, odds.

The template says every formula; a step of a rating system in it is traced, and tests hold what the cells give against
the calculators of `elo_sheets.odds`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elo_sheets.odds.performance import HALVINGS
from elo_sheets.systems import System
from elo_sheets.systems._tables import FIDE_SOURCE
from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.calculators.panel import PanelView
from elo_sheets.workbook.odds import fide_tables
from elo_sheets.workbook.plan import CellPlan, CellValue, SheetPlan
from elo_sheets.workbook.spellings import OWN, Spellings


class CalculatorView(PanelView):
    """The sheets of the rating calculators."""

    @classmethod
    def starting_settings(cls) -> tuple[str, ...]:
        return ("k", "gap_rule")

    @classmethod
    def started(cls, system: System, settings: Mapping[str, Any]) -> dict[str, CellValue]:
        if system.name == "fide":
            return {"Game_rule": "fide-table", "Event_rule": "fide-table"}
        k, changed = float(settings["k"]), settings["gap_rule"] != "none"
        found: dict[str, CellValue] = dict.fromkeys(("Game_K_A", "Event_K", "Goal_K"), k)
        found["Game_rule"] = settings["gap_rule"]
        return found | ({"Event_rule": settings["gap_rule"]} if changed else {})

    @property
    def terms(self) -> Mapping[str, str]:
        return {**super().terms, "spelled": OWN.row("[Result]"), "rounds": f"{HALVINGS + 1}"}

    def _fide_tables(self, sheet: Mapping[str, Any]) -> SheetPlan:
        tables = fide_tables(1)
        widths = tables[0].widths | tables[1].widths
        heading = (*self.heading(sheet), CellPlan(3, 1, FIDE_SOURCE, style="hint"))
        return SheetPlan(sheet["name"], heading, tables, widths=widths, frozen_rows=HEADER_ROW, one_page=True)

    @property
    def spellings(self) -> Spellings:
        return OWN
