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
    from elo_sheets.calculators import Calculation, calc, rating_odds
    from elo_sheets.conformance import conform as conform_answers
    from elo_sheets.describing import describe as describe_system
    from elo_sheets.differing import Differences
    from elo_sheets.differing import diff as diff_games
    from elo_sheets.errors import EloSheetsError
    from elo_sheets.event import EventRating, parse_result, rate_event, rate_event_log
    from elo_sheets.explaining import explain as explain_rating
    from elo_sheets.forecast import (
        Format,
        MatchForecast,
        accuracy,
        best_of,
        brier_score,
        calibration,
        difference_for,
        expected_score,
        first_to,
        format_odds,
        inflation,
        labelle_odds,
        likelihood_of_superiority,
        likelihood_of_superiority_normal,
        log_loss,
        match_error_bar,
        match_forecast,
        match_odds,
        score_needed,
        win_by,
    )
    from elo_sheets.games import GamesRead, Problem
    from elo_sheets.goal import GoalOdds, chance_of_score, goal_odds
    from elo_sheets.grouped import rate_period
    from elo_sheets.importing import import_logs
    from elo_sheets.performance import average_opponent, exact_performance, linear_performance, table_performance
    from elo_sheets.prediction import compare as compare_systems
    from elo_sheets.prediction import fit as fit_settings
    from elo_sheets.prediction import predict as predict_games
    from elo_sheets.readers import read
    from elo_sheets.readers.fixtures import read_fixtures
    from elo_sheets.replay import GameArrays, replay_arrays
    from elo_sheets.replay import replay as replay_games
    from elo_sheets.simulation import Simulated, place_chances, round_robin, simulate_logs
    from elo_sheets.simulation import simulate as simulate_season
    from elo_sheets.systems import SYSTEMS, Fit, JointSystem, System, system
    from elo_sheets.systems.fide import fide_increased_2024, fide_initial_rating
    from elo_sheets.validate import validate as validate_book
    from elo_sheets.workbook import new_book

# Where each name lives; a function that shares its module's name is offered under another.
_HOMES = {
    "Calculation": ("calculators", "Calculation"),
    "Differences": ("differing", "Differences"),
    "EloSheetsError": ("errors", "EloSheetsError"),
    "EventRating": ("event", "EventRating"),
    "Fit": ("systems", "Fit"),
    "Format": ("forecast", "Format"),
    "GameArrays": ("replay", "GameArrays"),
    "GamesRead": ("games", "GamesRead"),
    "GoalOdds": ("goal", "GoalOdds"),
    "JointSystem": ("systems", "JointSystem"),
    "MatchForecast": ("forecast", "MatchForecast"),
    "Problem": ("games", "Problem"),
    "Simulated": ("simulation", "Simulated"),
    "System": ("systems", "System"),
    "SYSTEMS": ("systems", "SYSTEMS"),
    "accuracy": ("forecast", "accuracy"),
    "average_opponent": ("performance", "average_opponent"),
    "best_of": ("forecast", "best_of"),
    "brier_score": ("forecast", "brier_score"),
    "calc": ("calculators", "calc"),
    "calibration": ("forecast", "calibration"),
    "chance_of_score": ("goal", "chance_of_score"),
    "compare_systems": ("prediction", "compare"),
    "conform_answers": ("conformance", "conform"),
    "describe_system": ("describing", "describe"),
    "diff_games": ("differing", "diff"),
    "difference_for": ("forecast", "difference_for"),
    "exact_performance": ("performance", "exact_performance"),
    "expected_score": ("forecast", "expected_score"),
    "explain_rating": ("explaining", "explain"),
    "fide_increased_2024": ("systems.fide", "fide_increased_2024"),
    "fide_initial_rating": ("systems.fide", "fide_initial_rating"),
    "first_to": ("forecast", "first_to"),
    "fit_settings": ("prediction", "fit"),
    "format_odds": ("forecast", "format_odds"),
    "goal_odds": ("goal", "goal_odds"),
    "import_logs": ("importing", "import_logs"),
    "inflation": ("forecast", "inflation"),
    "labelle_odds": ("forecast", "labelle_odds"),
    "likelihood_of_superiority": ("forecast", "likelihood_of_superiority"),
    "likelihood_of_superiority_normal": ("forecast", "likelihood_of_superiority_normal"),
    "linear_performance": ("performance", "linear_performance"),
    "log_loss": ("forecast", "log_loss"),
    "match_error_bar": ("forecast", "match_error_bar"),
    "match_forecast": ("forecast", "match_forecast"),
    "match_odds": ("forecast", "match_odds"),
    "new_book": ("workbook", "new_book"),
    "parse_result": ("event", "parse_result"),
    "place_chances": ("simulation", "place_chances"),
    "predict_games": ("prediction", "predict"),
    "rate_event": ("event", "rate_event"),
    "rate_event_log": ("event", "rate_event_log"),
    "rate_period": ("grouped", "rate_period"),
    "rating_odds": ("calculators", "rating_odds"),
    "read": ("readers", "read"),
    "read_fixtures": ("readers.fixtures", "read_fixtures"),
    "replay_arrays": ("replay", "replay_arrays"),
    "replay_games": ("replay", "replay"),
    "round_robin": ("simulation", "round_robin"),
    "score_needed": ("forecast", "score_needed"),
    "simulate_logs": ("simulation", "simulate_logs"),
    "simulate_season": ("simulation", "simulate"),
    "system": ("systems", "system"),
    "table_performance": ("performance", "table_performance"),
    "validate_book": ("validate", "validate"),
    "win_by": ("forecast", "win_by"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'elo_sheets' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(importlib.import_module(f"elo_sheets.{module}"), attribute)


__all__ = [
    "SYSTEMS",
    "Calculation",
    "Differences",
    "EloSheetsError",
    "EventRating",
    "Fit",
    "Format",
    "GameArrays",
    "GamesRead",
    "GoalOdds",
    "JointSystem",
    "MatchForecast",
    "Problem",
    "Simulated",
    "System",
    "__version__",
    "accuracy",
    "average_opponent",
    "best_of",
    "brier_score",
    "calc",
    "calibration",
    "chance_of_score",
    "compare_systems",
    "conform_answers",
    "describe_system",
    "diff_games",
    "difference_for",
    "exact_performance",
    "expected_score",
    "explain_rating",
    "fide_increased_2024",
    "fide_initial_rating",
    "first_to",
    "fit_settings",
    "format_odds",
    "goal_odds",
    "import_logs",
    "inflation",
    "labelle_odds",
    "likelihood_of_superiority",
    "likelihood_of_superiority_normal",
    "linear_performance",
    "log_loss",
    "match_error_bar",
    "match_forecast",
    "match_odds",
    "new_book",
    "parse_result",
    "place_chances",
    "predict_games",
    "rate_event",
    "rate_event_log",
    "rate_period",
    "rating_odds",
    "read",
    "read_fixtures",
    "replay_arrays",
    "replay_games",
    "round_robin",
    "score_needed",
    "simulate_logs",
    "simulate_season",
    "system",
    "table_performance",
    "validate_book",
    "win_by",
]
