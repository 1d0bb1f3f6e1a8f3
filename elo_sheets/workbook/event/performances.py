"""DWZ's own performances (*Turnierleistung*) in an event's sheets: of every player, and of the one who is pasted.

No formula gives them at once: a sheet closes in on them, as that of newcomers does. Its last row is the pasted player.
"""

from __future__ import annotations

from collections.abc import Sequence

from elo_sheets.odds.performance import exact_performance
from elo_sheets.ops import round_half_away
from elo_sheets.systems import dwz
from elo_sheets.workbook.event.games import Event, Table
from elo_sheets.workbook.event.newcomers import DWZ, TRIED, DwzNewcomers, Shown

_KEPT = ("newcomer_average", "newcomer_solved", "newcomer_surplus", "newcomer_slope", "newcomer_closer")
_ENDS = {"tried:performance"}


def performance_of(event: Event, opponents: Sequence[float], score: float) -> float | None:
    """Return the performance in four decimals, None at 0 and 100 per cent; the curve is that of the settings."""
    if event.settings["expectancy"] != "normal":
        exact = exact_performance(opponents, score)
        return None if exact is None else float(round_half_away(exact, dwz.PERFORMANCE_DIGITS))
    solved = dwz.performance(opponents, score, float(event.settings["spread"]))
    return None if solved is None else float(round_half_away(solved[0], dwz.PERFORMANCE_DIGITS))


class DwzPerformances(DwzNewcomers):
    """The tables: a row for each of `players`, and one for the player whose games are pasted, `pasted` at most."""

    people, met = "Performances", "MetGames"
    # For TEXT see `layout.UNRATED`.
    unsolved = 'TEXT([Solved],"0")="0"'

    def __init__(self, event: Event, players: int, games: int, pasted: int) -> None:
        self.event = event
        self.columns = {
            **_people(),
            **{role: one for role, one in DWZ.items() if role.startswith("within") or role in _KEPT},
        }
        self.columns["newcomer_performance"] = DWZ["newcomer_performance"]
        self.table = Table(self.people, {role: one.label for role, one in self.columns.items()}, players + 1)
        self.games_shown = _games()
        labels = {role: one.label for role, one in self.games_shown.items()}
        self.games = Table(self.met, labels, games + pasted)
        self._curve()
        self._numbers()
        self._met()
        self._close_in()
        self._performance(lambda opponents, score: performance_of(event, opponents, score))

    @property
    def is_new(self) -> bool:
        """No draw is added to a performance, whichever the rules."""
        return False

    @property
    def digits(self) -> tuple[int, int]:
        return super().digits if self.event.settings["expectancy"] == "normal" else (12, 6)

    def _chance_of(self, difference: str) -> str:
        if self.event.settings["expectancy"] == "normal":
            return super()._chance_of(difference)
        return f"1/(1+EXP(-({difference})*LN(10)/400))"

    def _numbers(self) -> None:
        table = self.table
        table.constants("newcomer_row", [float(i + 1) for i in range(table.rows)], "count")

        def either(column: str, pasted: str) -> str:
            return f"IF([Row]>ROWS(Ratings[No.]),N({pasted}),N(INDEX(Ratings[{column}],MIN([Row],ROWS(Ratings[No.])))))"

        name = "INDEX(Ratings[Name],MIN([Row],ROWS(Ratings[No.])))"
        table.add("newcomer_name", f'IF([Row]>ROWS(Ratings[No.]),"(pasted)",{name})', "text")
        table.add("newcomer_games", either("Met", "Paste_period_games"))
        table.add("newcomer_score", either("Points met", "Paste_period_score"), "number")
        table.add("newcomer_average", either("Average met", "Paste_rc"), "points")
        table.add("newcomer_solved", "IF(AND([W]>0,[W]<[n]),1,0)")

    def _met(self) -> None:
        games = self.games
        games.constants("first_number", [float(j + 1) for j in range(games.rows)], "count")
        row, pasted = "MIN([No.],ROWS(Ledger[Game]))", "MAX(1,[No.]-ROWS(Ledger[Game]))"
        counts = f"INDEX(Ledger[Counted],{row})+INDEX(Ledger[First],{row})"
        games.add(
            "first_player",
            f'IF([No.]>ROWS(Ledger[Game]),IF(AND(Paste_status="ready",ISNUMBER(INDEX(Paste[Score],{pasted}))),'
            "ROWS(Performances[Row]),0),"
            f"IF({counts}>0,INDEX(Ledger[Player no.],{row}),0))",
        )
        games.add("first_newcomer", "IF([Player no.]=0,0,[Player no.]*INDEX(Performances[Solved],[Player no.]))")
        games.add(
            "first_opponent",
            f'IF([Newcomer]=0,"",IF([No.]>ROWS(Ledger[Game]),INDEX(Paste[Opponent],{pasted}),'
            f"INDEX(Ledger[Opponent rating],{row})))",
            "points",
        )


def _people() -> dict[str, Shown]:
    return {
        "newcomer_row": Shown("Row", "integer", 6),
        "newcomer_name": Shown("Name", "name", 27, "The player; the last row is the one of the sheet Paste."),
        "newcomer_games": Shown("n", "integer", 7, "Games against rated opponents."),
        "newcomer_score": Shown("W", "number", 7, "Points in them."),
    }


def _games() -> dict[str, Shown]:
    found = {
        "first_number": Shown("No.", "integer", 6),
        "first_player": Shown("Player no.", "helper", 11, "The row on Performances of who played; 0 for no game."),
        "first_newcomer": Shown("Newcomer", "helper", 11, "The same; 0 where there is no performance."),
        "first_opponent": Shown("Rc", "whole", 9, "The opponent's rating before the event."),
    }
    return found | {role: Shown(one[2], "quiet", 11) for role, one in TRIED.items() if role not in _ENDS}


def shown_of(row: str) -> str:
    """Return the formula of a performance as evaluations print it, for a row of the table; "" where there is none."""
    return f'IF(INDEX(Performances[Solved],{row})=0,"",ROUND(INDEX(Performances[Performance],{row}),0))'
