"""The sheet K-factor: the K of FIDE, of US Chess and of the German federation, each with the rule that gave it."""

from __future__ import annotations

from typing import Any

from elo_sheets.ops import both
from elo_sheets.systems import dwz, fide, uschess
from elo_sheets.workbook.calculators.panel import PanelView


def junior(age: Any, published_peak: Any) -> Any:
    """Return whether the K of juniors holds, as `fide.k` asks."""
    return both(age <= 18, published_peak < 2300)


FIDE_SENTENCES = (
    "K = 10 once a published rating has reached 2400, for good, whatever comes after it (FIDE 8.3.3).",
    "K = 40 to the end of the year of the 18th birthday, while no rating has reached 2300 (8.3.3).",
    "K = 40 for a new player, until 30 games are rated (FIDE 8.3.3).",
    "K = 20 while no published rating has reached 2400 (FIDE 8.3.3).",
)
USCHESS_SENTENCES = (
    "Up to 8 games before, the special formula rates, without K; this is what K would be.",
    "Standard formula: K = 800 / (effective games + games in the event); from 3 games on with a bonus.",
)


class KFactorSheets(PanelView):
    """Puts the cells of the sheet K-factor."""

    def _k_factor(self) -> None:
        self._fide_k()
        self._uschess_k()
        self._dwz_k()

    def _fide_k(self) -> None:
        self.option("Fide_games_used", "Fide_games", "30", "count")
        self.option("Fide_period_used", "Fide_period", "1", "count")
        self.option("Fide_age_used", "Fide_age", str(fide.GROWN_UP), "count")
        step = self.traced(fide.published_peak, {"peak": "N(Fide_peak)", "rating": "N(Fide_rating)"})
        self.figure("Fide_peak_used", step, "Fide_status")
        at: dict[str, str | float] = {"games": "Fide_games_used", "published_peak": "Fide_peak_used"}
        at |= {"age": "Fide_age_used", "k": "Fide_K", "period_games": "Fide_period_used"}
        self.rule("Fide_K", fide.k, at, "Fide_status", "number")
        self.rule("Fide_K_used", fide.k_used, at, "Fide_status", "number")
        ten, young, new, plain = FIDE_SENTENCES
        formula = (
            f'IF(Fide_peak_used>=2400,"{ten}",IF({self.traced(junior, at)},"{young}",'
            f'IF(Fide_games_used<30,"{new}","{plain}")))'
        )
        self.figure("Fide_sentence", formula, "Fide_status", "text")

    def _uschess_k(self) -> None:
        self.option("Uschess_games_used", "Uschess_games", "50", "count")
        self.choose("Uschess_dual_used", "Uschess_dual", ("yes", "no"), "no")
        at: dict[str, str | float] = {"rating": "Uschess_rating", "games": "Uschess_games_used"}
        at |= {"full_games": "Uschess_full", "effective_games": "Uschess_effective", "period_games": "Uschess_event"}
        at |= {"dual_rated": "Uschess_dual_used", "base_k": "Uschess_base", "dual_factor": "Uschess_factor"}
        for role, step, unit in (
            ("Uschess_full", uschess.full_games, "number"),
            ("Uschess_effective", uschess.effective_games, "number"),
            ("Uschess_base", uschess.base_k, "number"),
            ("Uschess_factor", uschess.dual_factor, "share"),
            ("Uschess_K", uschess.k_used, "number"),
        ):
            self.rule(role, step, at, "Uschess_status", unit)
        special, standard = USCHESS_SENTENCES
        formula = f'IF(Uschess_games_used<={uschess.SPECIAL_GAMES},"{special}","{standard}")'
        self.figure("Uschess_sentence", formula, "Uschess_status", "text")

    def _dwz_k(self) -> None:
        self.option("Dwz_age_used", "Dwz_age", str(fide.GROWN_UP), "count")
        self.option("Dwz_index_used", "Dwz_index", "6", "count")
        step = self.traced(dwz.surplus, {"period_score": "Dwz_score", "period_expected": "Dwz_expected"})
        self.figure("Dwz_surplus", f"IF(COUNT(Dwz_score,Dwz_expected)=2,{step},0)", "Dwz_status", "number")
        common: dict[str, str | float] = {"rating": "Dwz_rating", "age": "Dwz_age_used", "index": "Dwz_index_used"}
        common |= {"surplus": "Dwz_surplus", "period_games": "Dwz_games"}
        older = common | {"base_development": "Dwz_base", "acceleration": "Dwz_acceleration", "brake": "Dwz_brake"}
        older |= {"development_limit": "Dwz_limit", "development": "Dwz_E", "k_used": "Dwz_points"}
        newer = common | {"base_k": "Dwz_base_2026", "success_bonus": "Dwz_success", "k_used": "Dwz_points_2026"}
        newer |= {"brake_factor": "Dwz_brake_2026"}
        for role, rule, at in (
            ("Dwz_base", dwz.base_development, older),
            ("Dwz_acceleration", dwz.acceleration, older),
            ("Dwz_brake", dwz.brake, older),
            ("Dwz_limit", dwz.development_limit, older),
            ("Dwz_E", dwz.development, older),
            ("Dwz_points", dwz.k_used, older),
            ("Dwz_base_2026", dwz.base_k, newer),
            ("Dwz_success", dwz.success_bonus, newer),
            ("Dwz_brake_2026", dwz.brake_factor, newer),
            ("Dwz_K_2026", dwz.k_used_2026, newer),
        ):
            self.rule(role, rule, at, "Dwz_status", "number")
        self.figure("Dwz_points_2026", "Dwz_K_2026", "Dwz_status", "number")
        self.rule("Dwz_change", dwz.change, older, "Dwz_status")
        self.rule("Dwz_change_2026", dwz.change, newer, "Dwz_status")
