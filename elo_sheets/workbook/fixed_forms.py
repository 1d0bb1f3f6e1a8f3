"""The forms of a rule that a book was made with: settings that chose the formulas, and are typed nowhere since."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from elo_sheets.systems import Parameter, System
from elo_sheets.workbook.plan import CellPlan

FIXED = "fixed in the formulas"
UPDATED = {
    "game": "after each game",
    "event": "at the end of each event",
    "month": "at the end of each month",
    "year": "at the end of each year",
}


def fixed_forms(system: System, forming: Sequence[str], settings: Mapping[str, Any], row: int) -> Iterator[CellPlan]:
    """Yield the lines of Start, from a row on, that say in words which forms of the rule were chosen.

    Which edition of the rules a book holds is said by default too: it may not be that of the day of the games.
    """
    live = {parameter.name for parameter in system.live}
    chosen = [p for p in system.parameters if p.choices and p.name in {*forming, "rules"} and p.name not in live]
    for at, parameter in enumerate(chosen, row):
        value = str(settings[parameter.name])
        yield CellPlan(at, 2, parameter.label, style="label")
        yield CellPlan(at, 3, value, style="text_right")
        yield CellPlan(at, 4, f"{meaning_of(parameter, value)} ({FIXED})", style="remark")


def fixed_period(period: str) -> str:
    """Return what Start says beside the rating period."""
    return f"ratings are updated {UPDATED[period]} ({FIXED})"


def meaning_of(parameter: Parameter, value: str) -> str:
    """Return what one of a parameter's choices means, of a text such as `a: this; b, c: that`."""
    for part in parameter.meaning.split("; "):
        names, _, words = part.partition(": ")
        if words and value in names.split(", "):
            return words
    return parameter.meaning
