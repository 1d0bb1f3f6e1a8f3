"""Rating workbooks with live formulas: generated, filled from game logs, and validated by replay.

The names below are the library; everything they need is imported when they are first used.

>>> import elo_sheets
>>> elo_sheets.system("glicko2").title
'Glicko-2'
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from elo_sheets._version import __version__

if TYPE_CHECKING:
    from elo_sheets.conformance import conform as conform_answers
    from elo_sheets.describing import describe as describe_system
    from elo_sheets.errors import EloSheetsError
    from elo_sheets.explaining import explain as explain_rating
    from elo_sheets.forecast import (
        accuracy,
        best_of,
        brier_score,
        calibration,
        difference_for,
        expected_score,
        goal,
        inflation,
        labelle_odds,
        likelihood_of_superiority,
        likelihood_of_superiority_normal,
        log_loss,
        match_error_bar,
        match_odds,
        score_needed,
    )
    from elo_sheets.games import GamesRead, Problem
    from elo_sheets.grouped import rate_period
    from elo_sheets.importing import import_logs
    from elo_sheets.performance import average_opponent, exact_performance, linear_performance, table_performance
    from elo_sheets.prediction import compare as compare_systems
    from elo_sheets.prediction import fit as fit_settings
    from elo_sheets.prediction import predict as predict_games
    from elo_sheets.readers import read
    from elo_sheets.replay import GameArrays, replay_arrays
    from elo_sheets.replay import replay as replay_games
    from elo_sheets.systems import SYSTEMS, Fit, JointSystem, System, system
    from elo_sheets.systems.fide import fide_increased_2024, fide_initial_rating
    from elo_sheets.validate import validate as validate_book
    from elo_sheets.workbook import new_book

# Where each name lives; a function that shares its module's name is offered under another.
_HOMES = {
    "EloSheetsError": ("errors", "EloSheetsError"),
    "Fit": ("systems", "Fit"),
    "GameArrays": ("replay", "GameArrays"),
    "GamesRead": ("games", "GamesRead"),
    "JointSystem": ("systems", "JointSystem"),
    "Problem": ("games", "Problem"),
    "SYSTEMS": ("systems", "SYSTEMS"),
    "System": ("systems", "System"),
    "accuracy": ("forecast", "accuracy"),
    "average_opponent": ("performance", "average_opponent"),
    "best_of": ("forecast", "best_of"),
    "brier_score": ("forecast", "brier_score"),
    "calibration": ("forecast", "calibration"),
    "compare_systems": ("prediction", "compare"),
    "conform_answers": ("conformance", "conform"),
    "describe_system": ("describing", "describe"),
    "difference_for": ("forecast", "difference_for"),
    "exact_performance": ("performance", "exact_performance"),
    "expected_score": ("forecast", "expected_score"),
    "explain_rating": ("explaining", "explain"),
    "fide_initial_rating": ("systems.fide", "fide_initial_rating"),
    "fide_increased_2024": ("systems.fide", "fide_increased_2024"),
    "fit_settings": ("prediction", "fit"),
    "goal": ("forecast", "goal"),
    "import_logs": ("importing", "import_logs"),
    "inflation": ("forecast", "inflation"),
    "labelle_odds": ("forecast", "labelle_odds"),
    "likelihood_of_superiority": ("forecast", "likelihood_of_superiority"),
    "likelihood_of_superiority_normal": ("forecast", "likelihood_of_superiority_normal"),
    "linear_performance": ("performance", "linear_performance"),
    "log_loss": ("forecast", "log_loss"),
    "match_error_bar": ("forecast", "match_error_bar"),
    "match_odds": ("forecast", "match_odds"),
    "new_book": ("workbook", "new_book"),
    "predict_games": ("prediction", "predict"),
    "rate_period": ("grouped", "rate_period"),
    "read": ("readers", "read"),
    "replay_arrays": ("replay", "replay_arrays"),
    "replay_games": ("replay", "replay"),
    "score_needed": ("forecast", "score_needed"),
    "system": ("systems", "system"),
    "table_performance": ("performance", "table_performance"),
    "validate_book": ("validate", "validate"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'elo_sheets' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(importlib.import_module(f"elo_sheets.{module}"), attribute)


__all__ = [
    "SYSTEMS",
    "EloSheetsError",
    "Fit",
    "GameArrays",
    "GamesRead",
    "JointSystem",
    "Problem",
    "System",
    "__version__",
    "accuracy",
    "average_opponent",
    "best_of",
    "brier_score",
    "calibration",
    "compare_systems",
    "conform_answers",
    "describe_system",
    "difference_for",
    "exact_performance",
    "expected_score",
    "explain_rating",
    "fide_increased_2024",
    "fide_initial_rating",
    "fit_settings",
    "goal",
    "import_logs",
    "inflation",
    "labelle_odds",
    "likelihood_of_superiority",
    "likelihood_of_superiority_normal",
    "linear_performance",
    "log_loss",
    "match_error_bar",
    "match_odds",
    "new_book",
    "predict_games",
    "rate_period",
    "read",
    "replay_arrays",
    "replay_games",
    "score_needed",
    "system",
    "table_performance",
    "validate_book",
]
