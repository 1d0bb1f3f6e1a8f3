"""DWZ's own performances (*Turnierleistung*) in an event's sheets: of every player, and of the one who is pasted.

No formula gives them at once: a sheet closes in on them, as that of newcomers does. Its last row is the pasted player.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from elo_sheets.odds.performance import exact_performance
from elo_sheets.ops import round_half_away
from elo_sheets.systems import dwz
from elo_sheets.workbook.event.games import Event, Table
from elo_sheets.workbook.event.newcomers import Approach


def performances(event: Event, roles: Callable[[str], Mapping[str, str]]) -> dict[str, Table]:
    """Return the tables by sheet: a row for each player, and one for the player whose games are pasted.

    `roles` gives the headers of a sheet by role.
    """
    people = Table("Performances", roles("Performances"), event.entries + 1)
    games = Table("MetGames", roles("Met games"), event.inputs.sizes["Ledger"] + event.inputs.rows("Paste"))
    DwzPerformances(event, people, games)
    return {"Performances": people, "Met games": games}


class DwzPerformances(Approach):
    """No draw is added to a performance, whichever the rules."""

    # For TEXT see `layout.UNRATED`.
    unsolved = 'TEXT([Solved],"0")="0"'

    @property
    def digits(self) -> tuple[int, int]:
        return super().digits if self.event.settings["expectancy"] == "normal" else (12, 6)

    def chance_of(self, difference: str) -> str:
        if self.event.settings["expectancy"] == "normal":
            return super().chance_of(difference)
        return f"1/(1+EXP(-({difference})*LN(10)/400))"

    def core(self, opponents: Sequence[float], score: float) -> float | None:
        return performance_of(self.event, opponents, score)


def performance_of(event: Event, opponents: Sequence[float], score: float) -> float | None:
    """Return the performance in four decimals, None at 0 and 100 per cent; the curve is that of the settings."""
    if event.settings["expectancy"] != "normal":
        exact = exact_performance(opponents, score)
        return None if exact is None else float(round_half_away(exact, dwz.PERFORMANCE_DIGITS))
    solved = dwz.performance(opponents, score, float(event.settings["spread"]))
    return None if solved is None else float(round_half_away(solved[0], dwz.PERFORMANCE_DIGITS))


def shown_of(row: str) -> str:
    """Return the formula of a performance as evaluations print it, for a row of the table; "" where there is none."""
    return f'IF(INDEX(Performances[Solved],{row})=0,"",ROUND(INDEX(Performances[Performance],{row}),0))'
