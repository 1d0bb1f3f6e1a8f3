"""Federation tables and dates, read from the cited data files beside this module."""

from __future__ import annotations

from datetime import date

from elo_sheets.ops import StepTable
from elo_sheets.shipped import shipped_data
from elo_sheets.systems._system import EXCEL_EPOCH

_FIDE = shipped_data("systems/fide.toml")

FIDE_SOURCE: str = _FIDE["source"]

DIFFERENCE_TABLE = StepTable(
    "FideTable", "From", "Higher", tuple(_FIDE["difference"]["starts"]), tuple(_FIDE["difference"]["higher"])
)

# dp by score in whole per cent: PERFORMANCE_TABLE[64] is the difference of a 64 per cent score.
PERFORMANCE_TABLE: tuple[int, ...] = tuple(_FIDE["performance"]["dp"])

PERFORMANCE_STEPS = StepTable(
    "PerformanceTable", "Per cent", "dp", tuple(map(float, range(101))), tuple(map(float, PERFORMANCE_TABLE))
)

# First days of the rules that came later than others, and who gives them.
FIRST_DAYS: dict[str, date] = {name: day["first_day"] for name, day in _FIDE["days"].items()}
DAY_SOURCES: dict[str, str] = {name: day["source"] for name, day in _FIDE["days"].items()}


def dated(day: date) -> float:
    """Return a day as the serial number that spreadsheets count with."""
    return float((day - EXCEL_EPOCH).days)
