"""The sheets Tennis and Go of the match odds: sets and matches; ranks and ratings on the scale of Elo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from elo_sheets.odds import forecast, match
from elo_sheets.odds.forecast import AGA_SIGMA
from elo_sheets.ops import normal_cdf, round_half_away
from elo_sheets.systems import Line, aga, egf, elo
from elo_sheets.workbook.book import Book
from elo_sheets.workbook.layout import TableLayout, rule_formula, text_of
from elo_sheets.workbook.panel import READY, PanelView, Want
from elo_sheets.workbook.plan import CellValue, ColumnPlan, Fill, TablePlan, Validation
from elo_sheets.workbook.view import Figure

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

    def __init__(self, book: Book) -> None:
        super().__init__(book)
        self.found: dict[str, Figure] = {}
        self.rounds: list[CellValue] = []

    def score_so_far(self, begin: str) -> tuple[float, float, list[Want]]:
        """Return a score of whole numbers, nothing counting as none, and what is wrong with it."""
        scores = [self.number(f"{begin}_{side}") for side in "AB"]
        cells = [f"{begin}_A", f"{begin}_B"]
        odd = any(
            self.typed(cell) not in {None, ""} and (number is None or number < 0 or number % 1 != 0)
            for cell, number in zip(cells, scores, strict=True)
        )
        formulas = [f'IF({c}="",FALSE,IF(ISNUMBER({c}),OR({c}<0,{c}<>INT({c})),TRUE))' for c in cells]
        wrong = Want(f"OR({','.join(formulas)})", odd, "Won so far: whole numbers from 0")
        return scores[0] or 0.0, scores[1] or 0.0, [wrong]

    def put_tennis(self) -> None:
        ratings = [self.number(f"Tennis_rating_{side}") for side in "AB"]
        three, one = self.number("Tennis_match"), self.number("Tennis_set")
        best = self.option("Tennis_best_used", "Tennis_best", "3", 3.0, "count")
        own, other, wants = self.score_so_far("Tennis")
        target = (best + 1) / 2
        missing = None in ratings and three is None and one is None
        bad = any(x is not None and not 0 <= x <= 1 for x in (three, one))
        outside = [f"IF(ISNUMBER({c}),OR({c}<0,{c}>1),FALSE)" for c in ("Tennis_match", "Tennis_set")]
        far = [f"ABS(N(Tennis_rating_{side}))>20000" for side in "AB"]
        over = own + other > best or max(own, other) > target
        ready = self.status(
            "Tennis_status",
            [
                Want(
                    "AND(COUNT(Tennis_rating_A,Tennis_rating_B)<2,COUNT(Tennis_match,Tennis_set)=0)",
                    missing,
                    "Type both ratings, or a chance",
                ),
                Want(f"OR({','.join(outside)})", bad, "A chance is a number from 0 to 1"),
                Want(
                    f"OR({','.join(far)})",
                    any(r is not None and abs(r) > 20_000 for r in ratings),
                    "Ratings: from -20000 to 20000",
                ),
                Want("AND(Tennis_best_used<>3,Tennis_best_used<>5)", best not in {3, 5}, "Sets at most: 3 or 5"),
                *wants,
                Want(
                    "OR(N(Tennis_A)+N(Tennis_B)>Tennis_best_used,MAX(N(Tennis_A),N(Tennis_B))>(Tennis_best_used+1)/2)",
                    over,
                    "Such a match cannot stand like that",
                ),
            ],
        )
        status = "Tennis_status"
        used: Any = ""
        if ready and one is None:
            used = three if three is not None else _expected_score(*ratings)
        reads: dict[str, str | float] = {"rating": "Tennis_rating_A", "opponent": "Tennis_rating_B"}
        formula = (
            f'IF(ISNUMBER(Tennis_set),"",IF(ISNUMBER(Tennis_match),Tennis_match,{self.traced(_expected_score, reads)}))'
        )
        self.figure("Tennis_match_used", formula, used, status, "share")
        self._tennis_remarks(ratings, reads)
        at: dict[str, str | float] = {"match_win": "Tennis_match_used", "match_underdog": "Tennis_underdog"}
        solved = used != ""
        underdog: Any = match.match_underdog(used) if solved else ""
        formula = f'IF(ISNUMBER(Tennis_match_used),{self.traced(match.match_underdog, at)},"")'
        self.figure("Tennis_underdog", formula, underdog, status, "share")
        self.rounds = _set_rounds(underdog) if solved else [""] * (TENNIS_ROUNDS + 1)
        at["set_underdog"] = f"INDEX(SetSolver[Set],{TENNIS_ROUNDS + 1})"
        found = one if one is not None else (match.set_win(used, self.rounds[-1]) if solved else "")
        formula = f"IF(ISNUMBER(Tennis_set),Tennis_set,{self.traced(match.set_win, at)})"
        self.figure("Tennis_set_A", formula, found, status, "share")
        self.figure("Tennis_set_B", "1-Tennis_set_A", 1 - float(found) if ready else "", status, "share")
        self._sets(status, best, own, other)
        self._tennis_scores(ready)
        miss = ready and solved and float(self.value("Tennis_three_A")) - used
        self.found["tennis"] = (
            "IF(ISNUMBER(Tennis_match_used),ROUND(3*Tennis_set_A^2-2*Tennis_set_A^3-Tennis_match_used,9),0)",
            round(float(miss or 0.0), 9) + 0.0,
            "share",
        )

    def _tennis_remarks(self, ratings: Sequence[float | None], reads: Mapping[str, str | float]) -> None:
        """Say beside a typed chance what it stands in for."""
        both = "COUNT(Tennis_rating_A,Tennis_rating_B)=2"
        by_ratings = f"ROUND(100*{self.traced(_expected_score, reads)},2)"
        rated = None not in ratings
        shown = "" if not rated else text_of(float(round_half_away(100 * _expected_score(*ratings), 2)))
        self.overrides(
            "Tennis_match_instead",
            ["Tennis_match"],
            "by the ratings",
            f'IF(ISNUMBER(Tennis_set),"not used: a set is typed",IF({both},'
            f'"replaces "&{by_ratings}&" % by ratings","counts: no two ratings"))',
            "not used: a set is typed"
            if self.number("Tennis_set") is not None
            else (f"replaces {shown} % by ratings" if rated else "counts: no two ratings"),
        )
        above = self.number("Tennis_match") is not None
        self.overrides(
            "Tennis_set_instead",
            ["Tennis_set"],
            "by best of three",
            'IF(ISNUMBER(Tennis_match),"replaces "&ROUND(100*Tennis_match,2)&" % above",'
            f'IF({both},"replaces both ratings","counts: nothing above"))',
            f"replaces {self.per_cent('Tennis_match')} above"
            if above
            else ("replaces both ratings" if rated else "counts: nothing above"),
        )

    def _sets(self, status: str, best: float, own: float, other: float) -> None:
        ready = self.is_ready(status)
        for name, games in (("three", 3), ("five", 5)):
            for side in "AB":
                reads: dict[str, str | float] = {"probability": f"Tennis_set_{side}", "games": float(games)}
                self.rule(f"Tennis_{name}_{side}", best_of_games, reads, status, "share")
        for side, won in (("A", own), ("B", other)):
            formula = f"(Tennis_best_used+1)/2-N(Tennis_{side})"
            self.figure(f"Tennis_needed_{side}", formula, (best + 1) / 2 - won, status, "count")
        formula = "IF(Tennis_needed_{0}<=0,1,IF(Tennis_needed_{1}<=0,0,1-BINOMDIST(Tennis_needed_{0}-1,"
        formula += "Tennis_needed_A+Tennis_needed_B-1,Tennis_set_{0},TRUE)))"
        score = (int(own), int(other))
        for role, side, rival, stand in (("Tennis_win", "A", "B", score), ("Tennis_loss", "B", "A", score[::-1])):
            value = match.best_of(self.value(f"Tennis_set_{side}"), best, stand) if ready else ""
            self.figure(role, formula.format(side, rival), value if value == "" else float(value), status, "share")

    def _tennis_scores(self, ready: bool) -> None:
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
            values: list[CellValue] = []
            for a, b in TENNIS_SCORES:
                cannot = not ready or a + b > games
                values.append("" if cannot else float(match.best_of(self.value("Tennis_set_A"), games, (a, b))))
            self.fills[f"scores.{role}"] = Fill(values, layout.formula(formula), "share")

    def set_solver(self, row: int) -> TablePlan:
        layout = TableLayout("SetSolver", ["Round", "Set"], row)
        guard = 'IF(ISNUMBER(Tennis_underdog),{},"")'
        start = guard.format(self.traced(match.set_underdog, {"match_underdog": "Tennis_underdog"}))
        later = self.traced(match.closer_set_underdog, {"set_underdog": "up[Set]", "match_underdog": "Tennis_underdog"})
        fill = Fill(self.rounds, layout.formula(guard.format(later)), "share", first=layout.formula(start))
        numbers = Fill([float(i) for i in range(TENNIS_ROUNDS + 1)])
        about = "The underdog's chance of a set: a start that is not below it, then Newton's method."
        columns = (
            ColumnPlan("Round", numbers, "", "integer", 8),
            ColumnPlan("Set", fill, "", "share", 10, about=about),
        )
        return TablePlan("SetSolver", row, columns, TENNIS_ROUNDS + 1)

    # Go

    def put_go(self) -> None:
        ratings = {rank: egf.rating_of_rank(rank) for rank in RANKS}
        used: list[float | None] = []
        wants: list[Want] = []
        for side in "AB":
            typed, rank = self.number(f"Go_rating_{side}"), self.typed(f"Go_rank_{side}")
            found = ratings.get(str(rank).lower()) if isinstance(rank, str) else None
            value = typed if typed is not None else found
            used.append(value)
            lookup = f"MATCH(Go_rank_{side},Ranks[Rank],0)"
            wants.append(
                Want(
                    f'IF(ISNUMBER(Go_rating_{side}),FALSE,IF(Go_rank_{side}="",TRUE,ISNA({lookup})))',
                    value is None,
                    f"Type rank or rating of {side}",
                )
            )
            wants.append(
                Want(
                    f"IF(ISNUMBER(Go_rating_{side}),OR(Go_rating_{side}<-900,Go_rating_{side}>3299),FALSE)",
                    typed is not None and not -900 <= typed <= 3299,
                    "Ratings of the EGF: -900 to 3299",
                )
            )
        ready = self.status("Go_status", wants)
        for side, value in zip("AB", used, strict=True):
            formula = (
                f"IF(ISNUMBER(Go_rating_{side}),Go_rating_{side},"
                f"INDEX(Ranks[Rating],MATCH(Go_rank_{side},Ranks[Rank],0)))"
            )
            self.figure(f"Go_used_{side}", formula, value, "Go_status")
        self._go_remark()
        at: dict[str, str | float] = {"rating": "Go_used_A", "opponent": "Go_used_B", "difference": "Go_difference"}
        at["scale"] = SCALE
        self.rule("Go_difference", forecast.egf_difference, at, "Go_status")
        self.rule("Go_win", elo.expected, at, "Go_status", "share")
        self.figure("Go_loss", "1-Go_win", 1 - self.value("Go_win") if ready else "", "Go_status", "share")
        self.found["go"] = (
            f'IF(Go_status="{READY}",ROUND(1/(1+((3300-Go_used_A)/(3300-Go_used_B))^7)-Go_win,9),0)',
            0.0,
            "share",
        )
        self._aga()
        self._ranks(ratings)

    def _go_remark(self) -> None:
        typed = ["Go_rating_A", "Go_rating_B"]
        ranks = [text_of(self.typed(f"Go_rank_{side}")) or "no rank" for side in "AB"]
        replaced = [rank for rank, cell in zip(ranks, typed, strict=True) if self.number(cell) is not None]
        cells = [f'IF(ISNUMBER({cell}),IF({rank}="","no rank",{rank}),"")' for cell, rank in GO_CELLS]
        formula = f'"replaces "&{cells[0]}&IF(COUNT({",".join(typed)})=2," and ","")&{cells[1]}'
        self.overrides("Go_instead", typed, "by the rank", formula, f"replaces {' and '.join(replaced)}")

    def _aga(self) -> None:
        ratings = [self.number(f"Aga_rating_{side}") for side in "AB"]
        wants = []
        for side, rating in zip("AB", ratings, strict=True):
            cell = f"Aga_rating_{side}"
            wants += self.need(cell, f"Type the rating of {side}", -100, 100)
            between = f"ABS(N({cell}))<1"
            wants.append(Want(between, rating is None or abs(rating) < 1, "No rating is between -1 and 1"))
        ready = self.status("Aga_status", wants)
        for side in "AB":
            reads: dict[str, str | float] = {"rating": f"Aga_rating_{side}"}
            self.rule(f"Aga_closed_{side}", aga.closed_rating, reads, "Aga_status", "number")
        stones = self.value("Aga_closed_A") - self.value("Aga_closed_B") if ready else 0.0
        self.figure("Aga_stones", "Aga_closed_A-Aga_closed_B", stones, "Aga_status", "number")
        self.rule("Aga_win", agas_chance, {"stones": "Aga_stones"}, "Aga_status", "share")
        self.figure("Aga_loss", "1-Aga_win", 1 - self.value("Aga_win") if ready else "", "Aga_status", "share")
        chance = self.value("Aga_win")
        inside = ready and CERTAIN < chance < 1 - CERTAIN
        reads = {"expected": "Aga_win", "scale": SCALE}
        logistic = forecast.DIFFERENCES["logistic"]
        formula = f'IF(AND(Aga_win>{CERTAIN},Aga_win<{1 - CERTAIN}),{self.traced(logistic, reads)},"")'
        self.figure("Aga_difference", formula, logistic(chance, SCALE) if inside else "", "Aga_status")

    def _ranks(self, ratings: Mapping[str, float]) -> None:
        layout = self.layout("Ranks")
        values = list(ratings.values())
        self.fills["ranks.rank"] = Fill(list(ratings))
        self.fills["ranks.rating"] = Fill(values)
        points = [float(forecast.egf_difference(rating + 50, rating - 50)) for rating in values]
        at: dict[str, str | float] = {"rating": "([Rating]+50)", "opponent": "([Rating]-50)"}
        self.fills["ranks.elo"] = Fill(points, layout.formula(self.traced(forecast.egf_difference, at)), "points")
        before = [float(forecast.egf_points_before_2021(rating)) for rating in values]
        formula = layout.formula(self.traced(forecast.egf_points_before_2021, {"rating": "[Rating]"}))
        self.fills["ranks.before"] = Fill(before, formula, "points")

    def validation(self, spec: Mapping[str, Any]) -> Validation:
        if spec["kind"] == "ranks":
            cells = self.cell_range("Ranks", "Rank")
            return super().validation({**spec, "kind": "list", "range": cells})
        return super().validation(spec)


def _expected_score(rating: Any, opponent: Any) -> Any:
    return elo.expected(rating - opponent, SCALE)


def _set_rounds(underdog: float) -> list[CellValue]:
    """Return the underdog's chance of a set, round by round."""
    found = [float(match.set_underdog(underdog))]
    while len(found) <= TENNIS_ROUNDS:
        found.append(float(match.closer_set_underdog(found[-1], underdog)))
    return list(found)


def set_curves(row: int) -> TablePlan:
    """Return what best of three and of five make of the chance of a set, for the chart of Tennis."""
    layout = TableLayout("SetCurves", ["Set", "Best of 3", "Best of 5"], row)
    chances = [i / 20 for i in range(21)]
    columns = [ColumnPlan("Set", Fill(chances), "", "share", 8)]
    for label, games in (("Best of 3", 3), ("Best of 5", 5)):
        line = Line(label, lambda p, games=games: match.best_of(p, games), ("p",))
        formula = layout.formula(rule_formula(line, {"p": "[Set]"}))
        values = [float(match.best_of(p, games)) for p in chances]
        columns.append(ColumnPlan(label, Fill(values, formula, "share"), "", "share", 8))
    return TablePlan("SetCurves", row, tuple(columns), len(chances), 10)
