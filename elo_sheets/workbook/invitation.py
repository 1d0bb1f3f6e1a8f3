"""What a book says that has nothing to show yet: where the first game is typed, on each sheet that waits for one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elo_sheets.workbook.plan import PENDING, CellPlan

# The sheets, by their kind or name, that have nothing to show before the first game, and room below the title, or
# beside it, to say so.
SHOWING = {"card", "chart", "cross", "dashboard", "months", "pairs", "progress", "ranking", "sides_card", "table_sheet"}
SHOWING |= {"compared", "list", "predictions", "scores", "standings"}
SHOWING |= {"Newcomers", "Opponents", "Periods", "Results", "Rounds"}
BELOW_TITLE, BESIDE_TITLE = (2, 1), (1, 4)
# What the legend of a chart calls the marks of peaks once there are games.
PEAK = "Peak"


def invitation(games: str) -> str:
    """Return the sentence, with the sheet into which games are typed."""
    return f"No game is rated yet: type the first one on the sheet {games}, and it shows here."


def inviting_hint(sheet: Mapping[str, Any], nothing_yet: str, games: str) -> CellPlan:
    """Return the hint of a sheet, in place of which it invites while `nothing_yet` is true."""
    hint = sheet.get("hint", "").replace('"', '""')
    row, column = BELOW_TITLE if hint or sheet["kind"] != "standings" else BESIDE_TITLE
    formula = f'IF({nothing_yet},"{invitation(games)}","{hint}")'
    return CellPlan(row, column, PENDING, formula, "hint")


def peak_name(nothing_yet: str, games: str) -> str:
    """Return the formula of what the legend of a chart calls the marks of peaks."""
    return f'IF({nothing_yet},"{invitation(games)}","{PEAK}")'
