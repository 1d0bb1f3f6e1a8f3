"""The sheets Tennis and Go of the match odds: sets and matches; ranks and ratings on the scale of Elo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elo_sheets.odds import forecast, match
from elo_sheets.odds.forecast import AGA_SIGMA
from elo_sheets.ops import normal_cdf
from elo_sheets.systems import Line, aga, egf, elo
from elo_sheets.workbook.calculators.panel import READY, PanelView
from elo_sheets.workbook.layout import TableLayout, rule_formula
from elo_sheets.workbook.plan import PENDING, ColumnPlan, Fill, TablePlan, Validation

SCALE = 400.0
TENNIS_ROUNDS = 6
TENNIS_SCORES = ((0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (2, 1), (1, 2), (2, 2))
# So near to certainty the digits of a chance say little of the difference that it means.
CERTAIN = 0.001
GO_CELLS = tuple((f"Go_rating_{side}", f"Go_rank_{side}") for side in "AB")
RANKS = (*(f"{n}k" for n in range(30, 0, -1)), *(f"{n}d" for n in range(1, 8)), *(f"{n}p" for n in range(1, 10)))


def best_of_games(probability: Any, games: Any) -> Any:
    """Return the chance to win best of so many games, no score yet."""
    return match.best_of(probability, games)


def agas_chance(stones: Any) -> Any:
    """Return the chance to win of a player who is so many stones stronger."""
    return normal_cdf(stones / AGA_SIGMA)


class TennisGoSheets(PanelView):
    """Puts the cells of the sheets Tennis and Go."""

    def put_tennis(self) -> None:
        status = "Tennis_status"
        reads: dict[str, str | float] = {"rating": "Tennis_rating_A", "opponent": "Tennis_rating_B"}
        formula = (
            f'IF(ISNUMBER(Tennis_set),"",IF(ISNUMBER(Tennis_match),Tennis_match,{self.traced(_expected_score, reads)}))'
        )
        self.figure("Tennis_match_used", formula, status, "share")
        self._tennis_remarks(reads)
        at: dict[str, str | float] = {"match_win": "Tennis_match_used", "match_underdog": "Tennis_underdog"}
        formula = f'IF(ISNUMBER(Tennis_match_used),{self.traced(match.match_underdog, at)},"")'
        self.figure("Tennis_underdog", formula, status, "share")
        at["set_underdog"] = f"INDEX(SetSolver[Set],{TENNIS_ROUNDS + 1})"
        formula = f"IF(ISNUMBER(Tennis_set),Tennis_set,{self.traced(match.set_win, at)})"
        self.figure("Tennis_set_A", formula, status, "share")
        self.figure("Tennis_set_B", "1-Tennis_set_A", status, "share")
        self._sets(status)
        self._tennis_scores()

    def _tennis_remarks(self, reads: Mapping[str, str | float]) -> None:
        """Say beside a typed chance what it stands in for."""
        both = "COUNT(Tennis_rating_A,Tennis_rating_B)=2"
        by_ratings = f"ROUND(100*{self.traced(_expected_score, reads)},2)"
        self.overrides(
            "Tennis_match_instead",
            ["Tennis_match"],
            "by the ratings",
            f'IF(ISNUMBER(Tennis_set),"not used: a set is typed",IF({both},'
            f'"replaces "&{by_ratings}&" % by ratings","counts: no two ratings"))',
        )
        self.overrides(
            "Tennis_set_instead",
            ["Tennis_set"],
            "by best of three",
            'IF(ISNUMBER(Tennis_match),"replaces "&ROUND(100*Tennis_match,2)&" % above",'
            f'IF({both},"replaces both ratings","counts: nothing above"))',
        )

    def _sets(self, status: str) -> None:
        for name, games in (("three", 3), ("five", 5)):
            for side in "AB":
                reads: dict[str, str | float] = {"probability": f"Tennis_set_{side}", "games": float(games)}
                self.rule(f"Tennis_{name}_{side}", best_of_games, reads, status, "share")

    def _tennis_scores(self) -> None:
        layout = self.layout("Scores")
        self.fills["scores.a"] = Fill([float(a) for a, _ in TENNIS_SCORES])
        self.fills["scores.b"] = Fill([float(b) for _, b in TENNIS_SCORES])
        for role, games in (("three", 3), ("five", 5)):
            target = (games + 1) // 2
            formula = (
                f'IF(OR(Tennis_status<>"{READY}",[Sets A]+[Sets B]>{games}),"",IF([Sets A]>={target},1,'
                f"IF([Sets B]>={target},0,1-BINOMDIST({target - 1}-[Sets A],{games}-[Sets A]-[Sets B],"
                "Tennis_set_A,TRUE))))"
            )
            self.fills[f"scores.{role}"] = layout.fill(formula, "share")

    def set_solver(self, row: int) -> TablePlan:
        layout = TableLayout("SetSolver", ["Round", "Set"], row)
        guard = 'IF(ISNUMBER(Tennis_underdog),{},"")'
        start = guard.format(self.traced(match.set_underdog, {"match_underdog": "Tennis_underdog"}))
        later = self.traced(match.closer_set_underdog, {"set_underdog": "up[Set]", "match_underdog": "Tennis_underdog"})
        fill = layout.fill(guard.format(later), "share", first=start)
        numbers = Fill([float(i) for i in range(TENNIS_ROUNDS + 1)])
        about = "The underdog's chance of a set: a start that is not below it, then Newton's method."
        columns = (
            ColumnPlan("Round", numbers, "", "integer", 8),
            ColumnPlan("Set", fill, "", "share", 10, about=about),
        )
        return TablePlan("SetSolver", row, columns, TENNIS_ROUNDS + 1)

    # Go

    def put_go(self) -> None:
        self._go_remark()
        at: dict[str, str | float] = {"rating": "Go_used_A", "opponent": "Go_used_B", "difference": "Go_difference"}
        at["scale"] = SCALE
        self.rule("Go_difference", forecast.egf_difference, at, "Go_status")
        self.rule("Go_win", elo.expected, at, "Go_status", "share")
        self.figure("Go_loss", "1-Go_win", "Go_status", "share")
        self._aga()
        self._ranks()

    def _go_remark(self) -> None:
        typed = ["Go_rating_A", "Go_rating_B"]
        cells = [f'IF(ISNUMBER({cell}),IF({rank}="","no rank",{rank}),"")' for cell, rank in GO_CELLS]
        formula = f'"replaces "&{cells[0]}&IF(COUNT({",".join(typed)})=2," and ","")&{cells[1]}'
        self.overrides("Go_instead", typed, "by the rank", formula)

    def _aga(self) -> None:
        for side in "AB":
            reads: dict[str, str | float] = {"rating": f"Aga_rating_{side}"}
            self.rule(f"Aga_closed_{side}", aga.closed_rating, reads, "Aga_status", "number")
        self.rule("Aga_win", agas_chance, {"stones": "Aga_stones"}, "Aga_status", "share")
        self.figure("Aga_loss", "1-Aga_win", "Aga_status", "share")
        reads = {"expected": "Aga_win", "scale": SCALE}
        logistic = forecast.DIFFERENCES["logistic"]
        formula = f'IF(AND(Aga_win>{CERTAIN},Aga_win<{1 - CERTAIN}),{self.traced(logistic, reads)},"")'
        self.figure("Aga_difference", formula, "Aga_status")

    def _ranks(self) -> None:
        layout = self.layout("Ranks")
        self.fills["ranks.rank"] = Fill(list(RANKS))
        self.fills["ranks.rating"] = Fill([egf.rating_of_rank(rank) for rank in RANKS])
        at: dict[str, str | float] = {"rating": "([Rating]+50)", "opponent": "([Rating]-50)"}
        self.fills["ranks.elo"] = layout.fill(self.traced(forecast.egf_difference, at), "points")
        before = self.traced(forecast.egf_points_before_2021, {"rating": "[Rating]"})
        self.fills["ranks.before"] = layout.fill(before, "points")

    def validation(self, spec: Mapping[str, Any]) -> Validation:
        if spec["kind"] == "ranks":
            cells = self.cell_range("Ranks", "Rank")
            return super().validation({**spec, "kind": "list", "range": cells})
        return super().validation(spec)


def _expected_score(rating: Any, opponent: Any) -> Any:
    return elo.expected(rating - opponent, SCALE)


def set_curves(row: int) -> TablePlan:
    """Return what best of three and of five make of the chance of a set, for the chart of Tennis."""
    layout = TableLayout("SetCurves", ["Set", "Best of 3", "Best of 5"], row)
    chances = [i / 20 for i in range(21)]
    columns = [ColumnPlan("Set", Fill(chances), "", "share", 8)]
    for label, games in (("Best of 3", 3), ("Best of 5", 5)):
        line = Line(label, lambda p, games=games: match.best_of(p, games), ("p",))
        formula = layout.formula(rule_formula(line, {"p": "[Set]"}))
        columns.append(ColumnPlan(label, Fill(PENDING, formula, "share"), "", "share", 8))
    return TablePlan("SetCurves", row, tuple(columns), len(chances), 10)
