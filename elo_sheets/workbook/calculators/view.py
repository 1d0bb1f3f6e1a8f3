"""The calculators as sheets: one game, event, performance, K, rating needed, odds.

Every rule formula is a traced step of the rating systems, and a cell holds what its formula gives; tests hold that
against the calculators of `elo_sheets.odds`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elo_sheets.odds.calculators import FARTHEST, RULES, odds
from elo_sheets.odds.forecast import DIFFERENCES, difference
from elo_sheets.odds.goal import SHARES
from elo_sheets.odds.performance import FAR, HALVINGS, linear_performance, table_performance
from elo_sheets.odds.statistics import half_points_needed, score_needed
from elo_sheets.ops import round_half_away, same, table_step, where
from elo_sheets.systems import System, elo, fide
from elo_sheets.systems._tables import FIDE_SOURCE, PERFORMANCE_STEPS
from elo_sheets.workbook.book import HEADER_ROW, Book
from elo_sheets.workbook.calculators.k_factor import KFactorSheets
from elo_sheets.workbook.calculators.panel import READY
from elo_sheets.workbook.layout import TableLayout
from elo_sheets.workbook.odds import fide_tables
from elo_sheets.workbook.plan import CellPlan, CellValue, Fill, SheetPlan
from elo_sheets.workbook.spellings import NO_RESULT, OWN, Spellings

SCALE = 400.0
RESULTS = (("win", 1.0), ("draw", 0.5), ("loss", 0.0))
MOST_GAMES = 20
# The status of a row whose opponent has something that is no rating.
NO_NUMBER = "no rating: a number"


# --- steps that choose between the rules


def expected_by_rule(rule: Any, difference: Any, higher_expected: Any) -> Any:
    """Return the expected score on the logistic curve, or by FIDE's table where that is the rule."""
    by_table = fide.expected(difference, higher_expected)
    return where(same(rule, "fide-table"), by_table, elo.expected(difference, SCALE))


def limited_k(limit: Any, k: Any, games: Any) -> Any:
    """Return K, held so that K times the games is 700 at most unless the limit is off."""
    return where(same(limit, "no"), k, fide.k_used(k, games))


def rounded_change(rule: Any, k_used: Any, period_delta: Any, change: Any) -> Any:
    """Return the change, rounded once; by FIDE's table the sum is one of hundredths."""
    by_table = fide.change(k_used, period_delta)
    return where(same(rule, "fide-table"), by_table, round_half_away(change))


def performance_on_logistic(average: Any, share: Any) -> Any:
    """Return the rating that is expected to make a share of the points against opponents of one rating."""
    return average + DIFFERENCES["logistic"](share, SCALE)


def performance_on_normal(average: Any, share: Any) -> Any:
    """Return the same on the normal curve."""
    return average + DIFFERENCES["normal"](share, SCALE)


def table_difference(share: Any) -> Any:
    """Return FIDE's dp of a share of the points, rounded to a whole per cent."""
    return table_step(PERFORMANCE_STEPS, round_half_away(100 * share))


class CalculatorView(KFactorSheets):
    """The sheets of the rating calculators."""

    def __init__(self, book: Book) -> None:
        super().__init__(book)
        self._one_game()
        self._event()
        self._performance()
        self._k_factor()
        self._goal()
        self._odds_sheet()
        self._curves()

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

    # One game

    def _one_game(self) -> None:
        self.choose("Game_rule_used", "Game_rule", RULES, "none")
        self.overrides("Game_K_instead", ["Game_K_B"], "A's K", '"replaces "&Game_K_A')
        for own, other in ("AB", "BA"):
            self._side(own, other)
        for own in "AB":
            for (result, _), (_, score) in zip(RESULTS, RESULTS if own == "A" else RESULTS[::-1], strict=True):
                change = f"Game_{own}_{result}"
                reads: dict[str, str | float] = {"k_used": f"Game_used_{own}", "score": score}
                reads["expected"] = f"Game_expected_{own}"
                self.rule(change, elo.change, reads, "Game_status")
                reads |= {"rating": f"Game_rating_{own}", "period_change": change}
                self.rule(f"Game_{own}_after_{result}", elo.rating_after, reads, "Game_status")

    def _side(self, own: str, other: str) -> None:
        """Put the columns of one player: what the steps read is called as they call it."""
        at: dict[str, str | float] = {
            "rating": f"Game_rating_{own}",
            "opponent_rating": f"Game_rating_{other}",
            "gap_rule": "Game_rule_used",
            "rule": "Game_rule_used",
            "cap": f"Game_cap_{own}",
            "difference": f"Game_counted_{own}",
            "higher_expected": f"Game_higher_{own}",
            "k": f"Game_given_{own}",
            "period_games": "Game_games_used",
        }
        plain = {"rating": at["rating"], "opponent_rating": at["opponent_rating"]}
        status = "Game_status"
        self.rule(f"Game_difference_{own}", difference, plain, status)
        self.rule(f"Game_cap_{own}", elo.cap, at, status, "number")
        self.rule(f"Game_counted_{own}", elo.difference, at, status)
        self.rule(f"Game_higher_{own}", fide.higher_expected, at, status, "share")
        self.rule(f"Game_expected_{own}", expected_by_rule, at, status, "share")
        self.rule(f"Game_used_{own}", fide.k_used, at, status, "number")

    # Event

    def _event(self) -> None:
        layout = self.layout("Event")
        self.choose("Event_rule_used", "Event_rule", RULES, "none")
        self.choose("Event_limit_used", "Event_limit", ("yes", "no"), "yes")
        status = "Event_status"
        self.rule("Event_cap", elo.cap, {"gap_rule": "Event_rule_used", "rating": "Event_rating"}, status, "number")
        self._event_rows(layout)
        at: dict[str, str | float] = {"limit": "Event_limit_used", "k": "Event_K", "games": "Event_games"}
        at |= {"rule": "Event_rule_used", "k_used": "Event_K_used", "period_delta": "Event_delta"}
        at |= {"change": "Event_change", "rating": "Event_rating", "period_change": "Event_rounded"}
        self.rule("Event_K_used", limited_k, at, status, "number")
        self.rule("Event_change", _gained, at, status)
        self.rule("Event_rounded", rounded_change, at, status)
        self.rule("Event_new", elo.rating_after, at, status)
        self._event_performance()

    def _event_rows(self, layout: TableLayout) -> None:
        """Fill the columns of the games."""
        row = OWN.row("[Result]")
        far = f'IF(ABS([Opponent rating])>{FARTHEST:g},"{NO_NUMBER}",'
        status = (
            'IF(AND([Opponent rating]="",[Result]=""),"",IF([Opponent rating]="","no rating",'
            f'IF(NOT(ISNUMBER([Opponent rating])),"{NO_NUMBER}",{far}IF(TRIM([Result])="","{NO_RESULT}",'
            f'IF(ISNUMBER(INDEX(Spellings[Score],{row})),"rated",INDEX(Spellings[Means],{row})))))))'
        )
        self.fills["event.status"] = layout.fill(status, "text")
        points = f'IF(AND(Event_status="{READY}",[Status]="rated"),'
        points += f'INDEX(Spellings[Score],{row}),"")'
        self.fills["event.score"] = layout.fill(points, "number")
        reads: dict[str, str | float] = {"rating": "Event_rating", "opponent_rating": "[Opponent rating]"}
        reads |= {"cap": "Event_cap", "difference": "[Difference]", "rule": "Event_rule_used"}
        reads |= {"higher_expected": "[FIDE table]", "score": "[Score]", "expected": "[Expected]"}
        for role, step, unit in (
            ("event.difference", elo.difference, "points"),
            ("event.higher", fide.higher_expected, "share"),
            ("event.expected", expected_by_rule, "share"),
            ("event.delta", fide.delta, "share"),
        ):
            formula = f'IF(ISNUMBER([Score]),{self.traced(step, reads)},"")'
            self.fills[role] = layout.fill(formula, unit)

    def _event_performance(self) -> None:
        at: dict[str, str | float] = {"average_opponent": "Event_average", "score": "Event_score"}
        at["games"] = "Event_games"
        self.rule("Event_performance_table", table_performance, at, "Event_status")
        wins, losses = "COUNTIF(Event[Score],1)", "COUNTIF(Event[Score],0)"
        linear = self.traced(
            linear_performance,
            {"average_opponent": "Event_average", "wins": wins, "losses": losses, "games": "Event_games"},
        )
        self.figure("Event_performance_linear", linear, "Event_status")
        self.put(
            "Event_solvable",
            'IF(Event_status="ready",IF(AND(Event_score>0,Event_score<Event_games),"ready","no"),"no")',
            "text",
        )
        layout = self.layout("Counted")
        self.fills["counted.row"] = Fill([float(i) for i in range(1, MOST_GAMES + 1)])
        for role, formula, unit in (
            ("counts", "IF(ISNUMBER(INDEX(Event[Score],[Row])),1,0)", "count"),
            ("rating", 'IF([Counts]=1,INDEX(Event[Opponent rating],[Row]),"")', "points"),
            ("used", "IF([Counts]=1,[Rating],0)", "points"),
        ):
            self.fills[f"counted.{role}"] = layout.fill(formula, unit)
        self._solve()

    def _solve(self) -> None:
        """Fill the rounds in which an interval is halved, as `exact_performance` does."""
        layout = self.layout("Solver")
        rounds = HALVINGS + 1
        guard = 'IF(Event_solvable="ready",{},"")'
        self.fills["solver.round"] = Fill([float(i) for i in range(1, rounds + 1)])
        for name, first, later in (
            ("low", f"MIN(Counted[Rating])-{FAR:g}", "IF(up[Expected]<Event_score,up[Middle],up[Low])"),
            ("high", f"MAX(Counted[Rating])+{FAR:g}", "IF(up[Expected]<Event_score,up[High],up[Middle])"),
            ("middle", "", "([Low]+[High])/2"),
            ("expected", "", f"SUMPRODUCT(Counted[Counts]/(1+10^((Counted[Used]-[Middle])/{SCALE:g})))"),
        ):
            start = guard.format(first) if first else None
            self.fills[f"solver.{name}"] = layout.fill(guard.format(later), "points", first=start)
        last = f"INDEX(Solver[Middle],{rounds})"
        self.put("Event_performance_exact", f'IF(Event_solvable="{READY}",{last},"")', "points")

    # Performance

    def _performance(self) -> None:
        status = "Performance_status"
        at: dict[str, str | float] = {"average_opponent": "Performance_average", "score": "Performance_score"}
        at |= {"games": "Performance_games", "average": "Performance_average", "share": "Performance_share"}
        self.rule("Performance_table", table_performance, at, status)
        self.rule("Performance_linear", _linear_of_score, at, status)
        for role, step in (
            ("Performance_logistic", performance_on_logistic),
            ("Performance_normal", performance_on_normal),
        ):
            formula = f'IF(AND(Performance_share>0,Performance_share<1),{self.traced(step, at)},"")'
            self.figure(role, formula, status)
        self._each_score()

    def _each_score(self) -> None:
        layout = self.layout("EachScore")
        at: dict[str, str | float] = {"average_opponent": "Performance_average", "games": "Performance_games"}
        at |= {"score": "[Score]", "average": "Performance_average", "share": "[Share]"}
        first = f'IF(Performance_status="{READY}",0,"")'
        later = 'IF(ISNUMBER(up[Score]),IF(up[Score]<Performance_games,up[Score]+0.5,""),"")'
        self.fills["each.score"] = layout.fill(later, "number", first=first)
        self.fills["each.share"] = layout.fill(guarded("[Score]/Performance_games"), "share")
        inner = f'IF(AND([Share]>0,[Share]<1),{self.traced(performance_on_logistic, at)},"")'
        for role, formula in (
            ("each.table", self.traced(table_performance, at)),
            ("each.linear", self.traced(_linear_of_score, at)),
            ("each.exact", inner),
        ):
            self.fills[role] = layout.fill(guarded(formula), "points")

    # Rating needed

    def _goal(self) -> None:
        status = "Goal_status"
        at: dict[str, str | float] = {"rating": "Goal_rating", "opponent": "Goal_average", "target": "Goal_target"}
        at |= {"expected_total": "Goal_expected", "k": "Goal_K", "score_needed": "Goal_score"}
        self.rule("Goal_share", _expected_score, at, status, "share")
        self.rule("Goal_score", score_needed, at, status, "number")
        self.rule("Goal_half", half_points_needed, at, status, "number")
        reads: dict[str, str | float] = {"average": "Goal_average", "share": "Goal_score/Goal_games"}
        inner = self.traced(performance_on_logistic, {**reads, "share": "(Goal_score/Goal_games)"})
        self.figure("Goal_performance", f'IF(AND(Goal_score>0,Goal_score<Goal_games),{inner},"")', status)
        self._goal_tables()
        count = 'COUNTIF(GoalScores[Performance],">="&Goal_wanted)'
        formula = f'IF(ISNUMBER(Goal_wanted),IF({count}=0,"",Goal_games-({count}-1)/2),"")'
        self.figure("Goal_wanted_score", formula, status, "number")

    def _goal_tables(self) -> None:
        layout = self.layout("GoalScores")
        later = 'IF(ISNUMBER(up[Score]),IF(up[Score]<Goal_games,up[Score]+0.5,""),"")'
        first = f'IF(Goal_status="{READY}",0,"")'
        self.fills["goal.score"] = layout.fill(later, "number", first=first)
        at: dict[str, str | float] = {"k_used": "Goal_K", "score": "[Score]", "expected": "Goal_expected"}
        at |= {"rating": "Goal_rating", "period_change": "[Change]"}
        at |= {"average_opponent": "Goal_average", "games": "Goal_games"}
        for role, formula, unit in (
            ("change", self.traced(elo.change, at), "points"),
            ("new", self.traced(elo.rating_after, at), "points"),
            ("performance", self.traced(table_performance, at), "points"),
            ("reached", 'IF([New rating]>=Goal_target-0.000000001,"yes","")', "text"),
        ):
            self.fills[f"goal.{role}"] = layout.fill(guarded(formula), unit)
        needed = self.layout("GamesNeeded")
        gain = self.traced(elo.change, {"k_used": "Goal_K", "score": "[Share of the points]", "expected": "Goal_share"})
        formula = (
            f'IF(Goal_status<>"{READY}","",IF(Goal_target<=Goal_rating,0,'
            f'IF({gain}>0,-INT(-((Goal_target-Goal_rating)/({gain})-0.000000001)),"")))'
        )
        self.fills["needed.share"] = Fill(list(SHARES))
        self.fills["needed.games"] = needed.fill(formula, "count")

    # Odds

    def _odds_sheet(self) -> None:
        layout = self.layout("OddsTable")
        self.put("Odds_step_used", "IF(ISNUMBER(Odds_step),IF(AND(Odds_step>0,Odds_step<=1000),Odds_step,25),25)")
        self.fills["odds.difference"] = layout.fill("up[Difference]+Odds_step_used", "points", first="0")
        at: dict[str, str | float] = {"difference": "[Difference]", "scale": SCALE, "expected": "[Logistic]"}
        curves = (("logistic", elo.expected), ("normal", elo.normal_expected), ("linear", elo.linear_expected))
        for name, curve in curves:
            self.fills[f"odds.{name}"] = layout.fill(self.traced(curve, at), "share")
        self.fills["odds.fide"] = layout.fill(self.traced(fide.higher_expected, at), "share")
        self.fills["odds.weaker"] = layout.fill("1-[Logistic]", "share")
        formula = f'IF([Logistic]<1,{self.traced(odds, at)},"")'
        self.fills["odds.odds"] = layout.fill(formula, "number")
        self._one_difference()

    def _one_difference(self) -> None:
        at: dict[str, str | float] = {"difference": "Odds_difference", "scale": SCALE}
        at["higher_expected"] = "Odds_higher"
        for name, curve in elo.CURVES.items():
            self.rule(f"Odds_{name}", curve, at, "Odds_status", "share")
        self.rule("Odds_fide", _fide_expected, at, "Odds_status", "share")
        for name, inverse in DIFFERENCES.items():
            reads: dict[str, str | float] = {"expected": "Odds_share", "scale": SCALE}
            self.rule(f"Odds_to_{name}", inverse, reads, "Odds_share_status")
        self.rule("Odds_to_fide", table_difference, {"share": "Odds_share"}, "Odds_share_status")

    # Charts and looks

    def _curves(self) -> None:
        """Fill what the charts draw: numbers in every row, the last point repeated."""
        layout = self.layout("Curves")
        self.fills["curves.step"] = Fill([float(i) for i in range(2 * MOST_GAMES + 1)])
        drawn = f'IF(Performance_status="{READY}",{{}},0)'
        formula = drawn.format("MAX(0.5,MIN([Step]/2,Performance_games-0.5))")
        self.fills["curves.score"] = layout.fill(formula, "number")
        at: dict[str, str | float] = {"average_opponent": "Performance_average", "score": "[Score]"}
        at |= {"games": "Performance_games", "average": "Performance_average", "share": "([Score]/Performance_games)"}
        for role, step in (
            ("fide", table_performance),
            ("linear", _linear_of_score),
            ("exact", performance_on_logistic),
        ):
            formula = drawn.format(f"{self.traced(step, at)}-Performance_average")
            self.fills[f"curves.{role}"] = layout.fill(formula, "points")
        self._change_curves(layout)
        drawn = f'IF(Goal_status="{READY}",{{}},0)'
        self.fills["curves.goal"] = layout.fill(drawn.format("MIN([Step]/2,Goal_games)"), "number")
        at = {"k_used": "Goal_K", "score": "[Goal score]", "expected": "Goal_expected"}
        self.fills["curves.new"] = layout.fill(drawn.format(self.traced(elo.change, at)), "points")
        formula = drawn.format("Goal_target-Goal_rating")
        self.fills["curves.target"] = layout.fill(formula, "points")

    def _change_curves(self, layout: TableLayout) -> None:
        """Fill what each result would change for A, by A's lead."""
        self.fills["curves.lead"] = layout.fill(f"40*([Step]-{MOST_GAMES})", "points")
        drawn = f'IF(Game_status="{READY}",{{}},0)'
        at: dict[str, str | float] = {"rating": "[Lead]", "opponent_rating": 0.0, "cap": "Game_cap_A"}
        at |= {"difference": "[Counted]", "rule": "Game_rule_used", "higher_expected": "[Higher]"}
        at |= {"k_used": "Game_used_A", "expected": "[Expected]"}
        for name, step in (
            ("counted", elo.difference),
            ("higher", fide.higher_expected),
            ("expected", expected_by_rule),
        ):
            formula = drawn.format(self.traced(step, at))
            self.fills[f"curves.{name}"] = layout.fill(formula, "number")
        for name, score in RESULTS:
            formula = drawn.format(self.traced(elo.change, at | {"score": score}))
            self.fills[f"curves.{name}"] = layout.fill(formula, "points")

    def _fide_tables(self, sheet: Mapping[str, Any]) -> SheetPlan:
        tables = fide_tables(1)
        widths = tables[0].widths | tables[1].widths
        heading = (*self.heading(sheet), CellPlan(3, 1, FIDE_SOURCE, style="hint"))
        return SheetPlan(sheet["name"], heading, tables, widths=widths, frozen_rows=HEADER_ROW, one_page=True)

    @property
    def spellings(self) -> Spellings:
        return OWN


# --- what the sheets share


def _gained(k_used: Any, period_delta: Any) -> Any:
    return k_used * period_delta


def _linear_of_score(average_opponent: Any, score: Any, games: Any) -> Any:
    """Return the linear performance: wins less losses are what the score is above and below one half, twice."""
    return linear_performance(average_opponent, 2 * score, games, games)


def _expected_score(rating: Any, opponent: Any) -> Any:
    return elo.expected(rating - opponent, SCALE)


def _fide_expected(difference: Any) -> Any:
    return fide.expected(difference, fide.higher_expected(difference))


def guarded(formula: str) -> str:
    """Return a formula that waits for the row's score."""
    return f'IF(ISNUMBER([Score]),{formula},"")'
