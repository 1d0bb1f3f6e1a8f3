"""The odds of games and matches as sheets: the model of a game, formats of a match, tennis, Go.

The formulas are traced from `odds.forecast` and `odds.match`; where those count in whole numbers (scores so
far) the text is written by hand. Tests hold what they give against those functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elo_sheets.errors import UsageError
from elo_sheets.files.references import column_letters
from elo_sheets.odds import match
from elo_sheets.odds.match import Odds
from elo_sheets.systems import System
from elo_sheets.workbook.book import HEADER_ROW, Book
from elo_sheets.workbook.calculators.panel import READY
from elo_sheets.workbook.layout import TableLayout
from elo_sheets.workbook.match.game import DuelSheets, difference_on, expected_on, two_ahead
from elo_sheets.workbook.match.tennis_go import CERTAIN, best_of_games, set_curves
from elo_sheets.workbook.plan import PENDING, CellPlan, CellValue, ColumnPlan, Fill, SheetPlan, TablePlan

MOST_GAMES = 20
MOST_AHEAD = 20
LENGTHS = (3, 5, 7, 11)


class MatchView(DuelSheets):
    """The sheets of match odds."""

    def __init__(self, book: Book) -> None:
        super().__init__(book)
        self.put_duel()
        self._match()
        self._effect()
        self.put_curves()
        self.put_tennis()
        self.put_go()

    @classmethod
    def starting_settings(cls) -> tuple[str, ...]:
        return ("curve",)

    @classmethod
    def started(cls, system: System, settings: Mapping[str, Any]) -> dict[str, CellValue]:
        curve = settings.get("curve", "logistic")
        if curve == "linear":
            raise UsageError("template match has the curves logistic and normal, not linear")
        return {"Duel_curve": "normal"} if curve == "normal" or system.name == "fide" else {}

    # Match

    def _match(self) -> None:
        self.overrides(
            "Match_instead",
            ["Match_typed"],
            "of the sheet Game",
            'IF(ISNUMBER(Duel_expected),"replaces "&ROUND(100*Duel_expected,2)&" % of Game","counts: Game has none")',
        )
        self._best()
        self._first_to()
        self._ahead()
        self._games()

    def _best(self) -> None:
        status = "Best_status"
        self._points("Best_points", "Best_win", status)
        self.rule("Best_ratio", match.best_of_ratio, {"games": "Best_n"}, status, "number")

    def _points(self, role: str, chance: str, status: str) -> None:
        """Put the difference with which one game would have the odds of the match."""
        reads: dict[str, str | float] = {"curve": "Duel_curve_used", "expected": chance}
        formula = f'IF(AND({chance}>{CERTAIN},{chance}<{1 - CERTAIN},Duel_curve_used<>"?"),'
        formula += f'{self.traced(difference_on, reads)},"")'
        self.figure(role, formula, status)

    def _first_to(self) -> None:
        self.option("First_margin_used", "First_margin", "1", "count")
        status = "First_status"
        self.figure("First_left", "2*First_target-First_margin_used-N(First_A)-N(First_B)", status, "count")
        self.figure("First_lead", "N(First_A)-N(First_B)", status, "count")
        for side, chance in (("A", "p"), ("B", "q")):
            self.rule(f"First_even_{side}", two_ahead, {"probability": f"Match_{chance}"}, status, "share")
        self.figure("First_win", _first_formula("A", "B", "p", ""), status, "share")
        self.figure("First_loss", _first_formula("B", "A", "q", "-"), status, "share")

    def _ahead(self) -> None:
        status = "By_status"
        sums = (
            "SUMPRODUCT((Steps[Step]<=By_margin+{0})*By_ratio^(Steps[Step]-1))"
            "/SUMPRODUCT((Steps[Step]<=2*By_margin)*By_ratio^(Steps[Step]-1))"
        )
        ahead, behind = "(N(By_A)-N(By_B))", "(N(By_B)-N(By_A))"
        formula = f"IF(Match_p>=0.5,{sums.format(ahead)},1-{sums.format(behind)})"
        self.figure("By_win", formula, status, "share")
        formula = f"IF(Match_p>=0.5,1-{sums.format(ahead)},{sums.format(behind)})"
        self.figure("By_loss", formula, status, "share")

    def _games(self) -> None:
        status = "Games_status"
        self.figure("Games_left", "Games_n-N(Games_A)-N(Games_B)", status, "count")
        self.figure("Games_lead", "N(Games_A)-N(Games_B)", status, "number")

    def _series(self, sheet: Mapping[str, Any]) -> SheetPlan:
        """The hidden sheet: leads by games, the steps of a walk, the rounds that find a set of tennis."""
        names = [f"Lead {lead}" for lead in range(-MOST_GAMES, MOST_GAMES + 1)]
        labels = ["Game", "Win", "Draw", "Loss", *names, "A ahead", "Level", "B ahead"]
        first_row = HEADER_ROW + 1
        layout = TableLayout("Series", labels, first_row)
        first, last = column_letters(5), column_letters(4 + len(names))
        leads = f"${first}${HEADER_ROW}:${last}${HEADER_ROW}"
        row = f"${first}{{row}}:${last}{{row}}"
        cells = [*self.heading(sheet)]
        cells += [CellPlan(HEADER_ROW, 5 + i, float(i - MOST_GAMES), style="helper") for i in range(len(names))]
        columns = [ColumnPlan("Game", Fill([float(i) for i in range(MOST_GAMES + 1)]), "", "integer", 8)]
        for part in Odds._fields:
            formula = f'IF(Duel_status="{READY}",IF(MOD([Game],2)=1,Duel_{part}_odd,Duel_{part}_even),0)'
            fill = layout.fill(formula, "share", first="0")
            about = "The odds of this game by the sheet Game: the next of the match, or the one after it, in turns."
            columns.append(ColumnPlan(part.capitalize(), fill, "", "share", 10, about=about))
        for i, name in enumerate(names):
            reads: dict[str, str | float] = {"win": "[Win]", "draw": "[Draw]", "loss": "[Loss]"}
            reads["one_less"] = f"up[{names[i - 1]}]" if i > 0 else 0.0
            reads["one_more"] = f"up[{names[i + 1]}]" if i + 1 < len(names) else 0.0
            reads["as_many"] = f"up[{name}]"
            start = f'IF(Duel_status="{READY}",1,0)' if i == MOST_GAMES else "0"
            about = "The chance of this lead: one less and a win, as many and a draw, one more and a loss."
            fill = layout.fill(self.traced(match.lead_chance, reads), "share", first=start)
            columns.append(ColumnPlan(name, fill, "", "share", 8, about=about if i == MOST_GAMES else ""))
        for label, sign in (("A ahead", ">"), ("Level", "="), ("B ahead", "<")):
            formula = f"SUMPRODUCT(({leads}{sign}-N(Games_lead))*{row})"
            by_lead = "+".join(f"({i - MOST_GAMES}{sign}-N(Games_lead))*[{name}]" for i, name in enumerate(names))
            fill = Fill(PENDING, formula, "share", means=by_lead)
            about = "The chance of such a result after so many games more, from the score so far."
            columns.append(ColumnPlan(label, fill, "", "share", 10, about=about))
        tables = [TablePlan("Series", first_row, tuple(columns), MOST_GAMES + 1)]
        below = first_row + MOST_GAMES + 3
        tables += [self.set_solver(below), self._steps(below), set_curves(below)]
        return SheetPlan(sheet["name"], tuple(cells), tuple(tables), widths={1: 8, 2: 10}, hidden=True)

    def _steps(self, row: int) -> TablePlan:
        numbers = [float(i) for i in range(1, 2 * MOST_AHEAD + 1)]
        return TablePlan("Steps", row, (ColumnPlan("Step", Fill(numbers), "", "integer", 8),), len(numbers), 5)

    # Best of n

    def _effect(self) -> None:
        layout = self.layout("Effect")
        guard = f'IF(Match_status="{READY}",{{}},{{}})'
        at: dict[str, str | float] = {"probability": "Match_p", "games": "[Games]", "curve": "Duel_curve_used"}
        at["expected"] = "[A wins]"
        self.fills["effect.games"] = Fill([float(n) for n in range(1, 42, 2)])
        inner = f'IF(AND([A wins]>{CERTAIN},[A wins]<{1 - CERTAIN},Duel_curve_used<>"?"),'
        inner += f'{self.traced(difference_on, at)},"")'
        for role, formula, unit in (
            ("win", guard.format(self.traced(best_of_games, at), '""'), "share"),
            ("loss", guard.format("1-[A wins]", '""'), "share"),
            ("points", guard.format(inner, '""'), "points"),
            ("ratio", self.traced(match.best_of_ratio, at), "number"),
        ):
            self.fills[f"effect.{role}"] = layout.fill(formula, unit)
        self._lengths(layout=self.layout("Lengths"))

    def _lengths(self, layout: TableLayout) -> None:
        self.fills["lengths.difference"] = Fill([25.0 * i for i in range(33)])
        reads: dict[str, str | float] = {"curve": "Duel_curve_used", "difference": "[Difference]"}
        self.fills["lengths.1"] = layout.fill(self.traced(expected_on, reads), "share")
        for games in LENGTHS:
            at: dict[str, str | float] = {"probability": "[1 game]", "games": float(games)}
            self.fills[f"lengths.{games}"] = layout.fill(self.traced(best_of_games, at), "share")


# --- what the sheets share


def _first_formula(own: str, other: str, chance: str, sign: str) -> str:
    """Return the odds of first to n for one side, as `first_to` counts them."""
    p, even, lead = f"Match_{chance}", f"First_even_{own}", f"{sign}First_lead"
    needed = f"(First_target-N(First_{own}))"
    level = (
        f"IF(First_margin_used=1,IF({lead}>0,1,IF({lead}<0,0,{p})),"
        f"IF({lead}>=2,1,IF({lead}=1,{p}+(1-{p})*{even},IF({lead}=0,{even},IF({lead}=-1,{p}*{even},0)))))"
    )
    decided = (
        f"OR(First_left<0,AND({needed}<=0,{lead}>=First_margin_used),"
        f"AND(First_target-N(First_{other})<=0,{lead}<=-First_margin_used))"
    )
    most = f"IF({needed}>First_left,0,1-BINOMDIST({needed}-1,First_left,{p},TRUE))"
    tied = f"IF(AND(First_margin_used=2,{needed}-1<=First_left),BINOMDIST({needed}-1,First_left,{p},FALSE)*{even},0)"
    return f"IF({decided},{level},{most}+{tied})"
