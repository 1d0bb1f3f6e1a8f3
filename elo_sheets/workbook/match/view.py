"""The odds of games and matches as sheets: the model of a game, formats of a match, tennis, Go.

The template says the formulas, whose steps are traced from `odds.forecast` and `odds.match`; where those count in whole
numbers (scores so far) the text is written by hand. Tests hold what they give against those functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elo_sheets.errors import UsageError
from elo_sheets.files.references import column_letters
from elo_sheets.odds.match import Odds
from elo_sheets.systems import System, egf
from elo_sheets.workbook.book import HEADER_ROW, Book
from elo_sheets.workbook.calculators.panel import READY, PanelView, with_steps
from elo_sheets.workbook.layout import TableLayout
from elo_sheets.workbook.match.tennis_go import RANKS, TENNIS_ROUNDS, set_curves, set_solver
from elo_sheets.workbook.plan import PENDING, CellPlan, CellValue, ColumnPlan, Fill, SheetPlan, TablePlan, Validation

MOST_GAMES = 20
MOST_AHEAD = 20


class MatchView(PanelView):
    """The sheets of match odds."""

    def __init__(self, book: Book) -> None:
        super().__init__(book)
        self.fills["ranks.rank"] = Fill(list(RANKS))
        self.fills["ranks.rating"] = Fill([egf.rating_of_rank(rank) for rank in RANKS])

    @property
    def terms(self) -> Mapping[str, str]:
        return {**super().terms, "rounds": f"{TENNIS_ROUNDS + 1}"}

    def validation(self, spec: Mapping[str, Any]) -> Validation:
        if spec["kind"] == "ranks":
            spec = {**spec, "kind": "list", "range": self.cell_range("Ranks", "Rank")}
        return super().validation(spec)

    @classmethod
    def starting_settings(cls) -> tuple[str, ...]:
        return ("curve",)

    @classmethod
    def started(cls, system: System, settings: Mapping[str, Any]) -> dict[str, CellValue]:
        curve = settings.get("curve", "logistic")
        if curve == "linear":
            raise UsageError("template match has the curves logistic and normal, not linear")
        return {"Duel_curve": "normal"} if curve == "normal" or system.name == "fide" else {}

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
            fill = layout.fill(with_steps("{match.lead_chance}", reads), "share", first=start)
            columns.append(ColumnPlan(name, fill, "", "share", 8, about=about if i == MOST_GAMES else ""))
        for label, sign in (("A ahead", ">"), ("Level", "="), ("B ahead", "<")):
            formula = f"SUMPRODUCT(({leads}{sign}-N(Games_lead))*{row})"
            by_lead = "+".join(f"({i - MOST_GAMES}{sign}-N(Games_lead))*[{name}]" for i, name in enumerate(names))
            fill = Fill(PENDING, formula, "share", means=by_lead)
            about = "The chance of such a result after so many games more, from the score so far."
            columns.append(ColumnPlan(label, fill, "", "share", 10, about=about))
        tables = [TablePlan("Series", first_row, tuple(columns), MOST_GAMES + 1)]
        below = first_row + MOST_GAMES + 3
        tables += [set_solver(below), self._steps(below), set_curves(below)]
        return SheetPlan(sheet["name"], tuple(cells), tuple(tables), widths={1: 8, 2: 10}, hidden=True)

    def _steps(self, row: int) -> TablePlan:
        numbers = [float(i) for i in range(1, 2 * MOST_AHEAD + 1)]
        return TablePlan("Steps", row, (ColumnPlan("Step", Fill(numbers), "", "integer", 8),), len(numbers), 5)
