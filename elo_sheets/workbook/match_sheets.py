"""The odds of games and matches as sheets: the model of a game, formats of a match, tennis, Go.

The formulas are traced from `odds.forecast` and `odds.match`; where those count in whole numbers (scores so
far) the text is written by hand beside the function that gives its value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from elo_sheets.errors import UsageError
from elo_sheets.files.package import column_letters
from elo_sheets.odds import forecast, match
from elo_sheets.odds.forecast import DRAW_PAWNS, FIRST_MOVE_PAWNS
from elo_sheets.odds.match import Odds
from elo_sheets.ops import round_half_away, same, where
from elo_sheets.systems import System, elo, needs
from elo_sheets.workbook.book import HEADER_ROW, Book
from elo_sheets.workbook.layout import TableLayout, text_of
from elo_sheets.workbook.panel import READY, Want
from elo_sheets.workbook.plan import (
    CellPlan,
    CellValue,
    ColumnPlan,
    Fill,
    SheetPlan,
    TablePlan,
)
from elo_sheets.workbook.tennis_go import CERTAIN, SCALE, TennisGoSheets, best_of_games, set_curves
from elo_sheets.workbook.view import Figure

MOST_GAMES = 20
MOST_BEST_OF = 99
MOST_POINTS = 100
MOST_AHEAD = 20
LENGTHS = (3, 5, 7, 11)
SIDES = (("First", 1.0), ("Second", -1.0), ("Neutral", 0.0))


# --- steps that choose between models


def expected_on(curve: Any, difference: Any) -> Any:
    """Return the expected score on the normal curve, or on the logistic one."""
    return where(same(curve, "normal"), elo.normal_expected(difference, SCALE), elo.expected(difference, SCALE))


def difference_on(curve: Any, expected: Any) -> Any:
    """Return the difference whose expected score this is on the normal curve, or on the logistic one."""
    normal, logistic = forecast.DIFFERENCES["normal"], forecast.DIFFERENCES["logistic"]
    return where(same(curve, "normal"), normal(expected, SCALE), logistic(expected, SCALE))


def win_with_share(expected: Any, draw: Any) -> Any:
    """Return the chance to win where a share of the games is drawn, as far as the expected score allows it."""
    return forecast.odds_with_draws(expected, draw).win


def draw_with_share(expected: Any, draw: Any) -> Any:
    """Return the share of games that is drawn, as far as the expected score allows it."""
    return forecast.odds_with_draws(expected, draw).draw


def loss_with_share(expected: Any, draw: Any) -> Any:
    """Return the chance to lose where a share of the games is drawn."""
    return forecast.odds_with_draws(expected, draw).loss


def score_of(win: Any, draw: Any) -> Any:
    """Return the expected score of odds."""
    return win + draw / 2


def material(base: Any, pawns: Any, elo_per_pawn: Any) -> Any:
    """Return the difference with the points that the pawns are worth."""
    return base + pawns * elo_per_pawn


def two_ahead(probability: Any) -> Any:
    """Return the chance to be two ahead first."""
    return match.win_by(probability, 2)


class MatchView(TennisGoSheets):
    """The sheets of match odds."""

    examples: ClassVar[Mapping[str, CellValue]] = {
        "Duel_rating_A": 2000.0,
        "Duel_rating_B": 2400.0,
        "Duel_draws": "labelle",
        "Duel_draw_pawns": DRAW_PAWNS,
        "Duel_move_pawns": FIRST_MOVE_PAWNS,
        "Best_n": 5.0,
        "Best_A": 2.0,
        "Best_B": 1.0,
        "First_target": 25.0,
        "First_margin": 2.0,
        "By_margin": 2.0,
        "Games_n": 6.0,
        "Games_A": 2.5,
        "Games_B": 1.5,
        "Tennis_rating_A": 1700.0,
        "Tennis_rating_B": 1500.0,
        "Tennis_best": 5.0,
        "Go_rank_A": "1d",
        "Go_rank_B": "1k",
        "Aga_rating_A": 2.5,
        "Aga_rating_B": 1.5,
    }

    def __init__(self, book: Book) -> None:
        super().__init__(book)
        self._game()
        self._match()
        self._effect()
        self._draw_curves()
        self.put_tennis()
        self.put_go()
        self.found["series"] = (f'IF(Duel_status="{READY}",ROUND(SUM({_last_leads()})-1,9),0)', 0.0, "share")

    @classmethod
    def starting_settings(cls) -> tuple[str, ...]:
        return ("curve",)

    @classmethod
    def started(cls, system: System, settings: Mapping[str, Any]) -> dict[str, CellValue]:
        curve = settings.get("curve", "logistic")
        if curve == "linear":
            raise UsageError("template match has the curves logistic and normal, not linear")
        return {"Duel_curve": "normal"} if curve == "normal" or system.name == "fide" else {}

    # Game

    def _game(self) -> None:
        draws = self.choose("Duel_draws_used", "Duel_draws", ("none", "share", "labelle"), "none")
        curve = self._curve(draws)
        first = self.choose("Duel_first_used", "Duel_first", ("a", "b"), "nobody")
        pawns = self.option("Duel_pawns_used", "Duel_pawns", "0", 0.0)
        self.option("Duel_win_pawns", "Duel_draw_pawns", f"{DRAW_PAWNS}", DRAW_PAWNS)
        self.option("Duel_first_pawns", "Duel_move_pawns", f"{FIRST_MOVE_PAWNS}", FIRST_MOVE_PAWNS)
        typed, ratings = self.number("Duel_typed"), [self.number(f"Duel_rating_{side}") for side in "AB"]
        share = self.number("Duel_share")
        missing = None in ratings
        neither = "COUNT(Duel_rating_A,Duel_rating_B)<2"
        far = [r is not None and abs(r) > 20_000 for r in ratings]
        self.status(
            "Duel_status",
            [
                Want(
                    f"AND({neither},NOT(ISNUMBER(Duel_typed)))",
                    missing and typed is None,
                    "Type both ratings, or an expected score",
                ),
                Want(
                    "IF(ISNUMBER(Duel_typed),OR(Duel_typed<=0,Duel_typed>=1),FALSE)",
                    typed is not None and not 0 < typed < 1,
                    "Expected score: between 0 and 1",
                ),
                Want(
                    "OR(ABS(N(Duel_rating_A))>20000,ABS(N(Duel_rating_B))>20000)",
                    any(far),
                    "Ratings: from -20000 to 20000",
                ),
                Want('Duel_curve_used="?"', curve == "?", "Curve: logistic or normal (labelle: normal)"),
                Want('Duel_draws_used="?"', draws == "?", "Draws: none, share or labelle"),
                Want('Duel_first_used="?"', first == "?", "First move: A or B"),
                Want(
                    f'AND(Duel_draws_used="labelle",{neither})',
                    draws == "labelle" and missing,
                    "Labelle's draws need both ratings",
                ),
                Want(
                    f"AND(Duel_pawns_used<>0,{neither})",
                    pawns != 0 and missing,
                    "Pawns need both ratings",
                ),
                Want(
                    'IF(Duel_draws_used="share",IF(ISNUMBER(Duel_share),OR(Duel_share<0,Duel_share>1),TRUE),FALSE)',
                    draws == "share" and (share is None or not 0 <= share <= 1),
                    "Type the share of draws, from 0 to 1",
                ),
            ],
        )
        self._differences(ratings, typed)
        gap = "" if missing else text_of(float(round_half_away((ratings[0] or 0.0) - (ratings[1] or 0.0), 1)))
        self.overrides(
            "Duel_instead",
            ["Duel_typed"],
            "the curve says it",
            f'IF({neither},"counts: no two ratings","replaces a difference of "&ROUND(Duel_rating_A-Duel_rating_B,1))',
            "counts: no two ratings" if missing else f"replaces a difference of {gap}",
        )
        self._model()
        self._odds(draws, first)

    def _curve(self, draws: str) -> str:
        """Put the curve in use: the typed one, or that which goes with the draws; `?` where they do not."""
        word = self.word("Duel_curve") if isinstance(self.typed("Duel_curve"), str) else ""
        given = self.typed("Duel_curve") not in {None, ""} and (
            word != "" or not isinstance(self.typed("Duel_curve"), str)
        )
        normal = draws == "labelle"
        value = ("normal" if normal else "logistic") if not given else "?"
        if word == "normal" or (word == "logistic" and not normal):
            value = word
        self.put(
            "Duel_curve_used",
            'IF(TRIM(Duel_curve)="",IF(Duel_draws_used="labelle","normal","logistic"),'
            'IF(LOWER(TRIM(Duel_curve))="normal","normal",'
            'IF(AND(LOWER(TRIM(Duel_curve))="logistic",Duel_draws_used<>"labelle"),"logistic","?")))',
            value,
            "text",
        )
        return value

    def _differences(self, ratings: Sequence[float | None], typed: float | None) -> None:
        status = "Duel_status"
        ready = self.is_ready(status)
        rated = ready and None not in ratings
        pair: dict[str, str | float] = {"rating": "Duel_rating_A", "opponent_rating": "Duel_rating_B"}
        mean = forecast.mean_rating(*ratings) if rated else ""
        both = "COUNT(Duel_rating_A,Duel_rating_B)=2"
        self.figure("Duel_mean", f'IF({both},{self.traced(forecast.mean_rating, pair)},"")', mean, status)
        at: dict[str, str | float] = {"mean_rating": "Duel_mean", "elo_per_pawn": "Duel_pawn"}
        pawn = forecast.elo_per_pawn(mean) if rated else ""
        formula = f'IF(ISNUMBER(Duel_mean),{self.traced(forecast.elo_per_pawn, at)},"")'
        self.figure("Duel_pawn", formula, pawn, status)
        reads: dict[str, str | float] = {"curve": "Duel_curve_used", "expected": "Duel_typed"}
        base: CellValue = ""
        if ready:
            base = difference_on(self.value("Duel_curve_used"), typed) if typed is not None else None
            base = forecast.difference(*ratings) if base is None else base
        formula = (
            f"IF(ISNUMBER(Duel_typed),{self.traced(difference_on, reads)},{self.traced(forecast.difference, pair)})"
        )
        self.figure("Duel_base", formula, base, status)
        at |= {"base": "Duel_base", "pawns": "Duel_pawns_used", "difference": "Duel_difference"}
        more = self.value("Duel_pawns_used")
        value = base if not ready or more == 0 else material(base, more, pawn)
        formula = f"IF(Duel_pawns_used=0,Duel_base,{self.traced(material, at)})"
        self.figure("Duel_difference", formula, value, status)
        in_pawns = self.value("Duel_difference") / pawn if rated else ""
        self.figure("Duel_difference_pawns", 'IF(ISNUMBER(Duel_pawn),Duel_difference/Duel_pawn,"")', in_pawns, status)
        at |= {"curve": "Duel_curve_used"}
        self.rule("Duel_expected", expected_on, at, status, "share")

    def _model(self) -> None:
        """Put Labelle's model for A moving first, second, and without regard to it."""
        ready = self.is_ready("Duel_status") and self.value("Duel_pawn") != ""
        guard = 'IF(AND(Duel_status="ready",ISNUMBER(Duel_pawn)),{},"")'
        for name, side in SIDES:
            at: dict[str, str | float] = {"side": side, "elo_per_pawn": "Duel_pawn", "difference": "Duel_difference"}
            at |= {"draw_pawns": "Duel_win_pawns", "first_move_pawns": "Duel_first_pawns"}
            at |= {"move_shift": f"Duel_move_{name}", "win_shift": f"Duel_win_shift_{name}"}
            at |= {"win_or_draw_shift": f"Duel_draw_shift_{name}", "win": f"Duel_model_win_{name}"}
            at |= {"win_or_draw": f"Duel_model_not_lost_{name}"}
            at["draw_shift"] = f"({self.traced(forecast.draw_shift, at)})"
            shift = forecast.draw_shift(self.value("Duel_win_pawns"), self.value("Duel_pawn")) if ready else 0.0
            even = elo.normal_expected(self.value("Duel_difference"), SCALE) if ready else 0.0
            at["even_expected"] = self.traced(forecast.even_expected, at)
            given = {"draw_shift": shift, "even_expected": even}
            for role, step, unit in (
                ("move", forecast.move_shift, "points"),
                ("win_shift", forecast.win_shift, "points"),
                ("draw_shift", forecast.win_or_draw_shift, "points"),
                ("model_win", forecast.win, "share"),
                ("model_not_lost", forecast.win_or_draw, "share"),
                ("model_draw", forecast.draw, "share"),
                ("model_loss", forecast.loss, "share"),
            ):
                # The even expectation is a function of the difference: it is shifted in the formula as in the step.
                formula = guard.format(self.traced(step, at))
                found: CellValue = ""
                if ready:
                    names = needs(step)
                    found = float(step(*(given[n] if n in given else self.given(at[n]) for n in names)))
                self.put(f"Duel_{role}_{name}", formula, found, unit)
        total = "+".join(f"N(Duel_model_win_{n})+N(Duel_model_draw_{n})+N(Duel_model_loss_{n})" for n, _ in SIDES)
        self.found["model"] = (f"IF(ISNUMBER(Duel_model_win_First),ROUND({total}-3,9),0)", 0.0, "share")

    def _odds(self, draws: str, first: str) -> None:
        ready = self.is_ready("Duel_status")
        model: dict[str, Odds] = {}
        if ready and draws == "labelle":
            for name, _ in SIDES:
                model[name] = Odds(*(self.value(f"Duel_model_{part}_{name}") for part in Odds._fields))
            model["mean"] = Odds(*((one + two) / 2 for one, two in zip(model["First"], model["Second"], strict=True)))
        at: dict[str, str | float] = {"expected": "Duel_expected", "draw": "Duel_share"}
        plain = {"win": "Duel_expected", "draw": "0", "loss": "1-Duel_expected"}
        shared = {"win": win_with_share, "draw": draw_with_share, "loss": loss_with_share}
        for turn, by_first in (
            ("", {"a": "First", "b": "Second", "nobody": "Neutral"}),
            ("_odd", {"a": "First", "b": "Second", "nobody": "mean"}),
            ("_even", {"a": "Second", "b": "First", "nobody": "mean"}),
        ):
            odds = Odds("", "", "")
            if ready:
                odds = (
                    model[by_first[first]]
                    if draws == "labelle"
                    else forecast.odds_without_draws(self.value("Duel_expected"))
                )
                if draws == "share":
                    odds = forecast.odds_with_draws(self.value("Duel_expected"), self.number("Duel_share"))
            for part in Odds._fields:
                cells = {name: f"Duel_model_{part}_{name}" for name, _ in SIDES}
                cells["mean"] = f"({cells['First']}+{cells['Second']})/2"
                labelle = (
                    f'IF(Duel_first_used="a",{cells[by_first["a"]]},'
                    f'IF(Duel_first_used="b",{cells[by_first["b"]]},{cells[by_first["nobody"]]}))'
                )
                formula = (
                    f'IF(Duel_draws_used="labelle",{labelle},'
                    f'IF(Duel_draws_used="share",{self.traced(shared[part], at)},{plain[part]}))'
                )
                self.figure(f"Duel_{part}{turn}", formula, getattr(odds, part), "Duel_status", "share")
        self.rule("Duel_score", score_of, {"win": "Duel_win", "draw": "Duel_draw"}, "Duel_status", "share")
        self.found["duel"] = ('IF(Duel_status="ready",ROUND(Duel_win+Duel_draw+Duel_loss-1,9),0)', 0.0, "share")
        self.found["score"] = (
            'IF(Duel_status="ready",IF(Duel_draws_used="labelle",0,ROUND(Duel_score-Duel_expected,9)),0)',
            0.0,
            "share",
        )

    # Match

    def _match(self) -> None:
        typed, expected = self.number("Match_typed"), self.value("Duel_expected")
        chance = typed if typed is not None else expected
        known = isinstance(chance, float)
        ready = self.status(
            "Match_status",
            [
                Want(
                    "NOT(OR(ISNUMBER(Match_typed),ISNUMBER(Duel_expected)))",
                    not known,
                    "Type a chance, or fill in the sheet Game",
                ),
                Want(
                    "OR(IF(ISNUMBER(Match_typed),Match_typed,N(Duel_expected))<=0,"
                    "IF(ISNUMBER(Match_typed),Match_typed,N(Duel_expected))>=1)",
                    not known or not 0 < chance < 1,
                    "The chance is a number between 0 and 1",
                ),
            ],
        )
        self.overrides(
            "Match_instead",
            ["Match_typed"],
            "of the sheet Game",
            'IF(ISNUMBER(Duel_expected),"replaces "&ROUND(100*Duel_expected,2)&" % of Game","counts: Game has none")',
            f"replaces {self.per_cent('Duel_expected')} of Game" if expected != "" else "counts: Game has none",
        )
        formula = "IF(ISNUMBER(Match_typed),Match_typed,Duel_expected)"
        self.figure("Match_p", formula, chance if ready else "", "Match_status", "share")
        self.figure("Match_q", "1-Match_p", 1 - chance if ready else "", "Match_status", "share")
        self.p, self.q = (chance, 1 - chance) if ready else (0.5, 0.5)
        self._best()
        self._first_to()
        self._ahead()
        self._games()

    def _chance_known(self) -> Want:
        return Want(f'Match_status<>"{READY}"', not self.is_ready("Match_status"), "Say the chance to win a game first")

    def _best(self) -> None:
        games = self.number("Best_n")
        own, other, wants = self.score_so_far("Best")
        target = ((games or 1.0) + 1) / 2
        even = games is not None and games % 2 != 1
        both = "N(Best_A)+N(Best_B)>N(Best_n),MAX(N(Best_A),N(Best_B))>(N(Best_n)+1)/2"
        self.status(
            "Best_status",
            [
                self._chance_known(),
                *self.need("Best_n", "Type the number of games", 1, MOST_BEST_OF),
                Want("MOD(N(Best_n),2)<>1", games is None or even, "Best of an odd number of games"),
                *wants,
                Want(
                    f"OR({both})",
                    own + other > (games or 0.0) or max(own, other) > target,
                    "Such a match cannot stand like that",
                ),
            ],
        )
        status = "Best_status"
        ready = self.is_ready(status)
        for side, won in (("A", own), ("B", other)):
            self.figure(f"Best_needed_{side}", f"(Best_n+1)/2-N(Best_{side})", target - won, status, "count")
        formula = "IF(Best_needed_{0}<=0,1,IF(Best_needed_{1}<=0,0,1-BINOMDIST(Best_needed_{0}-1,"
        formula += "Best_needed_A+Best_needed_B-1,Match_{2},TRUE)))"
        score = (int(own), int(other))
        won = float(match.best_of(self.p, games, score)) if ready else 0.0
        lost = float(match.best_of(self.q, games, score[::-1])) if ready else 0.0
        self.figure("Best_win", formula.format("A", "B", "p"), won, status, "share")
        self.figure("Best_loss", formula.format("B", "A", "q"), lost, status, "share")
        self._points("Best_points", "Best_win", won, status)
        self.rule("Best_ratio", match.best_of_ratio, {"games": "Best_n"}, status, "number")
        self._sum_check("best", "Best_win+Best_loss", status, won + lost)

    def _points(self, role: str, chance: str, value: float, status: str) -> None:
        """Put the difference with which one game would have the odds of the match."""
        reads: dict[str, str | float] = {"curve": "Duel_curve_used", "expected": chance}
        curve = self.value("Duel_curve_used")
        inside = self.is_ready(status) and CERTAIN < value < 1 - CERTAIN and curve != "?"
        formula = f'IF(AND({chance}>{CERTAIN},{chance}<{1 - CERTAIN},Duel_curve_used<>"?"),'
        formula += f'{self.traced(difference_on, reads)},"")'
        self.figure(role, formula, difference_on(curve, value) if inside else "", status)

    def _sum_check(self, role: str, total: str, status: str, value: float) -> None:
        formula = f'IF({status}="{READY}",ROUND({total}-1,9),0)'
        self.found[role] = (formula, round(value - 1, 9) + 0.0 if self.is_ready(status) else 0.0, "share")

    def _first_to(self) -> None:
        target, margin = (
            self.number("First_target"),
            self.option("First_margin_used", "First_margin", "1", 1.0, "count"),
        )
        own, other, wants = self.score_so_far("First")
        beyond = "MAX(N(First_A),N(First_B))>N(First_target)"
        over = max(own, other) > (target or 0.0) and abs(own - other) > margin
        over = over or (margin == 1 and own + other >= 2 * (target or 0.0))
        self.status(
            "First_status",
            [
                self._chance_known(),
                *self.need("First_target", "Type the points to win", 1, MOST_POINTS),
                Want(
                    "N(First_target)<>INT(N(First_target))",
                    target is not None and target % 1 != 0,
                    "Points to win: a whole number",
                ),
                Want("AND(First_margin_used<>1,First_margin_used<>2)", margin not in {1, 2}, "Ahead by: 1 or 2"),
                Want(
                    "N(First_target)<First_margin_used",
                    (target or 0.0) < margin,
                    "Points to win: not below those ahead",
                ),
                *wants,
                Want(
                    f"OR(AND({beyond},ABS(N(First_A)-N(First_B))>First_margin_used),"
                    "AND(First_margin_used=1,N(First_A)+N(First_B)>=2*N(First_target)))",
                    over,
                    "Such a match cannot stand like that",
                ),
            ],
        )
        status = "First_status"
        ready = self.is_ready(status)
        left = 2 * (target or 0.0) - margin - own - other
        self.figure("First_left", "2*First_target-First_margin_used-N(First_A)-N(First_B)", left, status, "count")
        self.figure("First_lead", "N(First_A)-N(First_B)", own - other, status, "count")
        for side, chance in (("A", "p"), ("B", "q")):
            self.rule(f"First_even_{side}", two_ahead, {"probability": f"Match_{chance}"}, status, "share")
        won = lost = 0.0
        if ready and target is not None:
            score = (int(own), int(other))
            won = float(match.first_to(self.p, int(target), int(margin), score))
            lost = float(match.first_to(self.q, int(target), int(margin), score[::-1]))
        self.figure("First_win", _first_formula("A", "B", "p", ""), won, status, "share")
        self.figure("First_loss", _first_formula("B", "A", "q", "-"), lost, status, "share")
        self._sum_check("first", "First_win+First_loss", status, won + lost)

    def _ahead(self) -> None:
        margin = self.number("By_margin")
        own, other, wants = self.score_so_far("By")
        lead = own - other
        self.status(
            "By_status",
            [
                self._chance_known(),
                *self.need("By_margin", "Type the games ahead", 1, MOST_AHEAD),
                Want(
                    "N(By_margin)<>INT(N(By_margin))",
                    margin is not None and margin % 1 != 0,
                    "Games ahead: a whole number",
                ),
                *wants,
                Want(
                    "ABS(N(By_A)-N(By_B))>N(By_margin)",
                    abs(lead) > (margin or 0.0),
                    "Such a match cannot stand like that",
                ),
            ],
        )
        status = "By_status"
        ready = self.is_ready(status)
        ratio = min(self.p, self.q) / max(self.p, self.q)
        self.figure("By_ratio", "MIN(Match_p,Match_q)/MAX(Match_p,Match_q)", ratio, status, "number")
        sums = (
            "SUMPRODUCT((Steps[Step]<=By_margin+{0})*By_ratio^(Steps[Step]-1))"
            "/SUMPRODUCT((Steps[Step]<=2*By_margin)*By_ratio^(Steps[Step]-1))"
        )
        ahead, behind = "(N(By_A)-N(By_B))", "(N(By_B)-N(By_A))"
        won = lost = 0.0
        if ready and margin is not None:
            won = float(match.gamblers_ruin(self.p, int(lead), int(margin)))
            lost = float(match.gamblers_ruin(self.q, -int(lead), int(margin)))
        formula = f"IF(Match_p>=0.5,{sums.format(ahead)},1-{sums.format(behind)})"
        self.figure("By_win", formula, won, status, "share")
        formula = f"IF(Match_p>=0.5,1-{sums.format(ahead)},{sums.format(behind)})"
        self.figure("By_loss", formula, lost, status, "share")
        self._sum_check("by", "By_win+By_loss", status, won + lost)

    def _games(self) -> None:
        games = self.number("Games_n")
        points = [self.number("Games_A"), self.number("Games_B")]
        own, other = (one or 0.0 for one in points)
        wrong = any(
            self.typed(cell) not in {None, ""} and (value is None or value < 0 or (2 * value) % 1 != 0)
            for cell, value in (("Games_A", points[0]), ("Games_B", points[1]))
        )
        odd = [f'IF({c}="",FALSE,IF(ISNUMBER({c}),OR({c}<0,2*{c}<>INT(2*{c})),TRUE))' for c in ("Games_A", "Games_B")]
        left = (games or 0.0) - own - other
        gone = "N(Games_n)-N(Games_A)-N(Games_B)"
        self.status(
            "Games_status",
            [
                Want(f'Duel_status<>"{READY}"', not self.is_ready("Duel_status"), "Fill in the sheet Game first"),
                *self.need("Games_n", "Type the number of games", 1, MOST_GAMES),
                Want("N(Games_n)<>INT(N(Games_n))", games is not None and games % 1 != 0, "Games: a whole number"),
                Want(f"OR({','.join(odd)})", wrong, "Points so far: halves from 0"),
                Want(f"OR({gone}<0,{gone}<>INT({gone}))", left < 0 or left % 1 != 0, "So many points there cannot be"),
            ],
        )
        status = "Games_status"
        ready = self.is_ready(status)
        self.figure("Games_left", "Games_n-N(Games_A)-N(Games_B)", left, status, "count")
        self.figure("Games_lead", "N(Games_A)-N(Games_B)", own - other, status, "number")
        self.outcomes = self._series_values(int(own - other) if ready else 0)
        found = self.outcomes[int(left)] if ready else Odds(0.0, 0.0, 0.0)
        for part, label in zip(Odds._fields, ("A ahead", "Level", "B ahead"), strict=True):
            self.figure(f"Games_{part}", f"INDEX(Series[{label}],Games_left+1)", getattr(found, part), status, "share")
        self._sum_check("games", "Games_win+Games_draw+Games_loss", status, sum(found))

    def _series_values(self, lead: int) -> list[Odds]:
        """Keep the chance of every lead after every game, and return the odds after so many games from a lead."""
        ready = self.is_ready("Duel_status")
        width = 2 * MOST_GAMES + 1
        rows = [[float(ready and i == MOST_GAMES) for i in range(width)]]
        self.turns = [Odds(0.0, 0.0, 0.0)]
        for game in range(1, MOST_GAMES + 1):
            turn = "odd" if game % 2 else "even"
            parts = (self.value(f"Duel_{part}_{turn}") if ready else 0.0 for part in Odds._fields)
            odds = Odds(*parts)
            before = [0.0, *rows[-1], 0.0]
            rows.append([match.lead_chance(before[i], before[i + 1], before[i + 2], *odds) for i in range(width)])
            self.turns.append(odds)
        self.leads = rows
        return [
            Odds(
                sum(chance for i, chance in enumerate(row) if i - MOST_GAMES > -lead),
                sum(chance for i, chance in enumerate(row) if i - MOST_GAMES == -lead),
                sum(chance for i, chance in enumerate(row) if i - MOST_GAMES < -lead),
            )
            for row in rows
        ]

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
        for at, part in enumerate(Odds._fields):
            formula = f'IF(Duel_status="{READY}",IF(MOD([Game],2)=1,Duel_{part}_odd,Duel_{part}_even),0)'
            fill = Fill([turn[at] for turn in self.turns], layout.formula(formula), "share", first="0")
            about = "The odds of this game by the sheet Game: the next of the match, or the one after it, in turns."
            columns.append(ColumnPlan(part.capitalize(), fill, "", "share", 10, about=about))
        for i, name in enumerate(names):
            reads: dict[str, str | float] = {"win": "[Win]", "draw": "[Draw]", "loss": "[Loss]"}
            reads["one_less"] = f"up[{names[i - 1]}]" if i > 0 else 0.0
            reads["one_more"] = f"up[{names[i + 1]}]" if i + 1 < len(names) else 0.0
            reads["as_many"] = f"up[{name}]"
            start = f'IF(Duel_status="{READY}",1,0)' if i == MOST_GAMES else "0"
            values = [row_values[i] for row_values in self.leads]
            formula = layout.formula(self.traced(match.lead_chance, reads))
            about = "The chance of this lead: one less and a win, as many and a draw, one more and a loss."
            fill = Fill(values, formula, "share", first=start)
            columns.append(ColumnPlan(name, fill, "", "share", 8, about=about if i == MOST_GAMES else ""))
        for label, at, sign in (("A ahead", 0, ">"), ("Level", 1, "="), ("B ahead", 2, "<")):
            formula = f"SUMPRODUCT(({leads}{sign}-N(Games_lead))*{row})"
            fill = Fill([odds[at] for odds in self.outcomes], formula, "share")
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
        ready = self.is_ready("Match_status")
        games = [float(n) for n in range(1, 42, 2)]
        guard = f'IF(Match_status="{READY}",{{}},{{}})'
        at: dict[str, str | float] = {"probability": "Match_p", "games": "[Games]", "curve": "Duel_curve_used"}
        at["expected"] = "[A wins]"
        won: list[Any] = [float(match.best_of(self.p, int(n))) if ready else "" for n in games]
        self.fills["effect.games"] = Fill(games)
        formula = guard.format(self.traced(best_of_games, at), '""')
        self.fills["effect.win"] = Fill(won, layout.formula(formula), "share")
        lost = [1 - one if ready else "" for one in won]
        self.fills["effect.loss"] = Fill(lost, layout.formula(guard.format("1-[A wins]", '""')), "share")
        curve = self.value("Duel_curve_used")
        known = ready and curve != "?"
        points: list[CellValue] = [difference_on(curve, p) if known and CERTAIN < p < 1 - CERTAIN else "" for p in won]
        inner = f'IF(AND([A wins]>{CERTAIN},[A wins]<{1 - CERTAIN},Duel_curve_used<>"?"),'
        inner += f'{self.traced(difference_on, at)},"")'
        self.fills["effect.points"] = Fill(points, layout.formula(guard.format(inner, '""')), "points")
        ratios = [float(match.best_of_ratio(int(n))) for n in games]
        self.fills["effect.ratio"] = Fill(ratios, layout.formula(self.traced(match.best_of_ratio, at)), "number")
        self._lengths(layout=self.layout("Lengths"))
        self.found["effect"] = (
            f'IF(Match_status="{READY}",ROUND(3*Match_p^2-2*Match_p^3-INDEX(Effect[A wins],2),9),0)',
            0.0,
            "share",
        )

    def _lengths(self, layout: TableLayout) -> None:
        differences = [25.0 * i for i in range(33)]
        curve = "normal" if self.value("Duel_curve_used") == "normal" else "logistic"
        self.fills["lengths.difference"] = Fill(differences)
        single = [float(expected_on(curve, d)) for d in differences]
        reads: dict[str, str | float] = {"curve": "Duel_curve_used", "difference": "[Difference]"}
        self.fills["lengths.1"] = Fill(single, layout.formula(self.traced(expected_on, reads)), "share")
        for games in LENGTHS:
            values = [float(match.best_of(p, games)) for p in single]
            at: dict[str, str | float] = {"probability": "[1 game]", "games": float(games)}
            self.fills[f"lengths.{games}"] = Fill(values, layout.formula(self.traced(best_of_games, at)), "share")

    # Curves

    def _draw_curves(self) -> None:
        typed, mean = self.number("Curves_typed"), self.value("Duel_mean")
        within = typed is not None and abs(typed) <= 20_000
        value = typed if within else (mean if mean != "" else 2000.0)
        self.put(
            "Curves_mean",
            "IF(AND(ISNUMBER(Curves_typed),ABS(N(Curves_typed))<=20000),Curves_typed,"
            "IF(ISNUMBER(Duel_mean),Duel_mean,2000))",
            value,
            "points",
        )
        game = "2000" if mean == "" else f"{text_of(float(round_half_away(mean, 1)))} of Game"
        self.overrides(
            "Curves_instead",
            ["Curves_typed"],
            "of Game, or 2000",
            'IF(ABS(N(Curves_typed))>20000,"beyond 20000: not used",'
            'IF(ISNUMBER(Duel_mean),"replaces "&ROUND(Duel_mean,1)&" of Game","replaces 2000"))',
            f"replaces {game}" if within else "beyond 20000: not used",
        )
        at: dict[str, str | float] = {"mean_rating": "Curves_mean", "elo_per_pawn": "Curves_pawn"}
        at["draw_pawns"] = "Duel_win_pawns"
        pawn = float(forecast.elo_per_pawn(value))
        self.put("Curves_pawn", self.traced(forecast.elo_per_pawn, at), pawn, "points")
        shift = float(forecast.draw_shift(self.value("Duel_win_pawns"), pawn))
        self.put("Curves_shift", self.traced(forecast.draw_shift, at), shift, "points")
        layout = self.layout("DrawCurve")
        gaps = [50.0 * i for i in range(-16, 17)]
        reads: dict[str, str | float] = {"difference": "[Difference]", "even_expected": "[Expected]"}
        reads |= {"win_shift": "(-Curves_shift)", "win_or_draw_shift": "Curves_shift"}
        reads |= {"win": "[Win]", "win_or_draw": "[Win or draw]"}
        even = [float(forecast.even_expected(gap)) for gap in gaps]
        wins = [float(forecast.win(gap, -shift, e)) for gap, e in zip(gaps, even, strict=True)]
        kept = [float(forecast.win_or_draw(gap, shift, e)) for gap, e in zip(gaps, even, strict=True)]
        drawn = [float(forecast.draw(w, k)) for w, k in zip(wins, kept, strict=True)]
        self.fills["drawn.difference"] = Fill(gaps)
        for role, step, values in (
            ("even", forecast.even_expected, even),
            ("win", forecast.win, wins),
            ("not_lost", forecast.win_or_draw, kept),
            ("draw", forecast.draw, drawn),
            ("loss", forecast.loss, [1 - k for k in kept]),
        ):
            self.fills[f"drawn.{role}"] = Fill(values, layout.formula(self.traced(step, reads)), "share")
        self._strength()

    def _strength(self) -> None:
        layout = self.layout("Strength")
        ratings = [800.0 + 100 * i for i in range(22)]
        pawns = [float(forecast.elo_per_pawn(rating)) for rating in ratings]
        shifts = [float(forecast.draw_shift(self.value("Duel_win_pawns"), pawn)) for pawn in pawns]
        even = float(forecast.even_expected(0.0))
        drawn = [float(forecast.draw(forecast.win(0.0, -s, even), forecast.win_or_draw(0.0, s, even))) for s in shifts]
        at: dict[str, str | float] = {"mean_rating": "[Rating]", "draw_pawns": "Duel_win_pawns"}
        at["elo_per_pawn"] = "[Pawn]"
        self.fills["strength.rating"] = Fill(ratings)
        formula = self.traced(forecast.elo_per_pawn, at)
        self.fills["strength.pawn"] = Fill(pawns, layout.formula(formula), "points")
        formula = self.traced(forecast.draw_shift, at)
        self.fills["strength.win"] = Fill(shifts, layout.formula(formula), "points")
        formula = f"2*{self.traced(forecast.even_expected, {'difference': '[Win shift]'})}-1"
        self.fills["strength.draw"] = Fill(drawn, layout.formula(formula), "share")

    @property
    def checks(self) -> Mapping[str, Figure]:
        return self.found


# --- what the sheets share


def _last_leads() -> str:
    row = HEADER_ROW + 2 + MOST_GAMES
    return f"Series!${column_letters(5)}${row}:${column_letters(5 + 2 * MOST_GAMES)}${row}"


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
