"""The model of a game in match odds: ratings or an expected score to a win, a draw and a loss, and its curves."""

from __future__ import annotations

from typing import Any

from elo_sheets.odds import forecast, match
from elo_sheets.odds.forecast import DRAW_PAWNS, FIRST_MOVE_PAWNS
from elo_sheets.odds.match import Odds
from elo_sheets.ops import same, where
from elo_sheets.systems import elo
from elo_sheets.workbook.match.tennis_go import SCALE, TennisGoSheets
from elo_sheets.workbook.plan import Fill

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


class DuelSheets(TennisGoSheets):
    """The sheets Game and Curves."""

    # Game

    def put_duel(self) -> None:
        self.choose("Duel_draws_used", "Duel_draws", ("none", "share", "labelle"), "none")
        self.put(
            "Duel_curve_used",
            'IF(TRIM(Duel_curve)="",IF(Duel_draws_used="labelle","normal","logistic"),'
            'IF(LOWER(TRIM(Duel_curve))="normal","normal",'
            'IF(AND(LOWER(TRIM(Duel_curve))="logistic",Duel_draws_used<>"labelle"),"logistic","?")))',
            "text",
        )
        self.choose("Duel_first_used", "Duel_first", ("a", "b"), "nobody")
        self.option("Duel_pawns_used", "Duel_pawns", "0")
        self.option("Duel_win_pawns", "Duel_draw_pawns", f"{DRAW_PAWNS}")
        self.option("Duel_first_pawns", "Duel_move_pawns", f"{FIRST_MOVE_PAWNS}")
        neither = "COUNT(Duel_rating_A,Duel_rating_B)<2"
        self._differences()
        self.overrides(
            "Duel_instead",
            ["Duel_typed"],
            "the curve says it",
            f'IF({neither},"counts: no two ratings","replaces a difference of "&ROUND(Duel_rating_A-Duel_rating_B,1))',
        )
        self._model()
        self._odds()

    def _differences(self) -> None:
        status = "Duel_status"
        pair: dict[str, str | float] = {"rating": "Duel_rating_A", "opponent_rating": "Duel_rating_B"}
        both = "COUNT(Duel_rating_A,Duel_rating_B)=2"
        self.figure("Duel_mean", f'IF({both},{self.traced(forecast.mean_rating, pair)},"")', status)
        at: dict[str, str | float] = {"mean_rating": "Duel_mean", "elo_per_pawn": "Duel_pawn"}
        self.figure("Duel_pawn", f'IF(ISNUMBER(Duel_mean),{self.traced(forecast.elo_per_pawn, at)},"")', status)
        reads: dict[str, str | float] = {"curve": "Duel_curve_used", "expected": "Duel_typed"}
        formula = (
            f"IF(ISNUMBER(Duel_typed),{self.traced(difference_on, reads)},{self.traced(forecast.difference, pair)})"
        )
        self.figure("Duel_base", formula, status)
        at |= {"base": "Duel_base", "pawns": "Duel_pawns_used", "difference": "Duel_difference"}
        formula = f"IF(Duel_pawns_used=0,Duel_base,{self.traced(material, at)})"
        self.figure("Duel_difference", formula, status)
        at |= {"curve": "Duel_curve_used"}
        self.rule("Duel_expected", expected_on, at, status, "share")

    def _model(self) -> None:
        """Put Labelle's model for A moving first, second, and without regard to it."""
        guard = 'IF(AND(Duel_status="ready",ISNUMBER(Duel_pawn)),{},"")'
        for name, side in SIDES:
            at: dict[str, str | float] = {"side": side, "elo_per_pawn": "Duel_pawn", "difference": "Duel_difference"}
            at |= {"draw_pawns": "Duel_win_pawns", "first_move_pawns": "Duel_first_pawns"}
            at |= {"move_shift": f"Duel_move_{name}", "win_shift": f"Duel_win_shift_{name}"}
            at |= {"win_or_draw_shift": f"Duel_draw_shift_{name}", "win": f"Duel_model_win_{name}"}
            at |= {"win_or_draw": f"Duel_model_not_lost_{name}"}
            at["draw_shift"] = f"({self.traced(forecast.draw_shift, at)})"
            # The even expectation is a function of the difference: it is shifted in the formula as in the step.
            at["even_expected"] = self.traced(forecast.even_expected, at)
            for role, step, unit in (
                ("move", forecast.move_shift, "points"),
                ("win_shift", forecast.win_shift, "points"),
                ("draw_shift", forecast.win_or_draw_shift, "points"),
                ("model_win", forecast.win, "share"),
                ("model_not_lost", forecast.win_or_draw, "share"),
                ("model_draw", forecast.draw, "share"),
                ("model_loss", forecast.loss, "share"),
            ):
                self.put(f"Duel_{role}_{name}", guard.format(self.traced(step, at)), unit)

    def _odds(self) -> None:
        at: dict[str, str | float] = {"expected": "Duel_expected", "draw": "Duel_share"}
        plain = {"win": "Duel_expected", "draw": "0", "loss": "1-Duel_expected"}
        shared = {"win": win_with_share, "draw": draw_with_share, "loss": loss_with_share}
        for turn, by_first in (
            ("", {"a": "First", "b": "Second", "nobody": "Neutral"}),
            ("_odd", {"a": "First", "b": "Second", "nobody": "mean"}),
            ("_even", {"a": "Second", "b": "First", "nobody": "mean"}),
        ):
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
                self.figure(f"Duel_{part}{turn}", formula, "Duel_status", "share")
        self.rule("Duel_score", score_of, {"win": "Duel_win", "draw": "Duel_draw"}, "Duel_status", "share")

    # Curves

    def put_curves(self) -> None:
        self.put(
            "Curves_mean",
            "IF(AND(ISNUMBER(Curves_typed),ABS(N(Curves_typed))<=20000),Curves_typed,"
            "IF(ISNUMBER(Duel_mean),Duel_mean,2000))",
            "points",
        )
        self.overrides(
            "Curves_instead",
            ["Curves_typed"],
            "of Game, or 2000",
            'IF(ABS(N(Curves_typed))>20000,"beyond 20000: not used",'
            'IF(ISNUMBER(Duel_mean),"replaces "&ROUND(Duel_mean,1)&" of Game","replaces 2000"))',
        )
        at: dict[str, str | float] = {"mean_rating": "Curves_mean", "elo_per_pawn": "Curves_pawn"}
        at["draw_pawns"] = "Duel_win_pawns"
        self.put("Curves_pawn", self.traced(forecast.elo_per_pawn, at), "points")
        self.put("Curves_shift", self.traced(forecast.draw_shift, at), "points")
        layout = self.layout("DrawCurve")
        reads: dict[str, str | float] = {"difference": "[Difference]", "even_expected": "[Expected]"}
        reads |= {"win_shift": "(-Curves_shift)", "win_or_draw_shift": "Curves_shift"}
        reads |= {"win": "[Win]", "win_or_draw": "[Win or draw]"}
        self.fills["drawn.difference"] = Fill([50.0 * i for i in range(-16, 17)])
        for role, step in (
            ("even", forecast.even_expected),
            ("win", forecast.win),
            ("not_lost", forecast.win_or_draw),
            ("draw", forecast.draw),
            ("loss", forecast.loss),
        ):
            self.fills[f"drawn.{role}"] = layout.fill(self.traced(step, reads), "share")
        self._strength()

    def _strength(self) -> None:
        layout = self.layout("Strength")
        at: dict[str, str | float] = {"mean_rating": "[Rating]", "draw_pawns": "Duel_win_pawns"}
        at["elo_per_pawn"] = "[Pawn]"
        self.fills["strength.rating"] = Fill([800.0 + 100 * i for i in range(22)])
        for role, formula, unit in (
            ("pawn", self.traced(forecast.elo_per_pawn, at), "points"),
            ("win", self.traced(forecast.draw_shift, at), "points"),
            ("draw", f"2*{self.traced(forecast.even_expected, {'difference': '[Win shift]'})}-1", "share"),
        ):
            self.fills[f"strength.{role}"] = layout.fill(formula, unit)
