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
    from elo_sheets.errors import EloSheetsError
    from elo_sheets.games import GamesRead, Problem
    from elo_sheets.odds.calculators import Calculation, calc, rating_odds
    from elo_sheets.odds.event import EventRating, parse_result, rate_event, rate_event_log
    from elo_sheets.odds.forecast import (
        MatchForecast,
        difference_for,
        expected_score,
        labelle_odds,
        match_error_bar,
        match_forecast,
    )
    from elo_sheets.odds.goal import GoalOdds, chance_of_score, goal_odds
    from elo_sheets.odds.match import Format, best_of, first_to, format_odds, match_odds, win_by
    from elo_sheets.odds.performance import average_opponent, exact_performance, linear_performance, table_performance
    from elo_sheets.odds.statistics import (
        accuracy,
        brier_score,
        calibration,
        inflation,
        likelihood_of_superiority,
        likelihood_of_superiority_normal,
        log_loss,
        score_needed,
    )
    from elo_sheets.readers import read
    from elo_sheets.readers.fixtures import read_fixtures
    from elo_sheets.replaying.grouped import rate_period
    from elo_sheets.replaying.replay import GameArrays, replay_arrays
    from elo_sheets.replaying.replay import replay as replay_games
    from elo_sheets.replaying.starting import Starts, starts
    from elo_sheets.systems import SYSTEMS, Fit, JointSystem, System, system
    from elo_sheets.systems.fide import fide_increased_2024, fide_initial_rating
    from elo_sheets.uses.chances import Simulated, place_chances
    from elo_sheets.uses.describing import describe as describe_system
    from elo_sheets.uses.differing import diff
    from elo_sheets.uses.differing import diff as diff_games
    from elo_sheets.uses.differing.changes import Differences
    from elo_sheets.uses.explaining import explain as explain_rating
    from elo_sheets.uses.explaining import explain_logs as explain
    from elo_sheets.uses.exporting import ratings_as_of
    from elo_sheets.uses.exporting import replay_logs as replay
    from elo_sheets.uses.importing import import_logs
    from elo_sheets.uses.ingesting import Ingested, ingest_dask, ingested
    from elo_sheets.uses.pairing import predict_pairing as predict
    from elo_sheets.uses.predicting import compare_logs as compare
    from elo_sheets.uses.predicting import fit_logs as fit
    from elo_sheets.uses.prediction import compare as compare_systems
    from elo_sheets.uses.prediction import fit as fit_settings
    from elo_sheets.uses.prediction import predict as predict_games
    from elo_sheets.uses.reports import report
    from elo_sheets.uses.simulation import round_robin, simulate_logs
    from elo_sheets.uses.simulation import simulate as simulate_season
    from elo_sheets.uses.simulation import simulate_logs as simulate
    from elo_sheets.uses.updating import next_season
    from elo_sheets.uses.updating import update as update_book
    from elo_sheets.validate import validate as validate_book
    from elo_sheets.workbook import new_book

# Where each name lives; a function that shares its module's name is offered under another.
_HOMES = {
    "Calculation": ("odds.calculators", "Calculation"),
    "Differences": ("uses.differing", "Differences"),
    "EloSheetsError": ("errors", "EloSheetsError"),
    "EventRating": ("odds.event", "EventRating"),
    "Fit": ("systems", "Fit"),
    "Format": ("odds.forecast", "Format"),
    "GameArrays": ("replaying.replay", "GameArrays"),
    "GamesRead": ("games", "GamesRead"),
    "GoalOdds": ("odds.goal", "GoalOdds"),
    "Ingested": ("uses.ingesting", "Ingested"),
    "JointSystem": ("systems", "JointSystem"),
    "MatchForecast": ("odds.forecast", "MatchForecast"),
    "Problem": ("games", "Problem"),
    "Simulated": ("uses.chances", "Simulated"),
    "Starts": ("replaying.starting", "Starts"),
    "System": ("systems", "System"),
    "SYSTEMS": ("systems", "SYSTEMS"),
    "accuracy": ("odds.statistics", "accuracy"),
    "average_opponent": ("odds.performance", "average_opponent"),
    "best_of": ("odds.match", "best_of"),
    "brier_score": ("odds.statistics", "brier_score"),
    "calc": ("odds.calculators", "calc"),
    "calibration": ("odds.statistics", "calibration"),
    "chance_of_score": ("odds.goal", "chance_of_score"),
    "compare": ("uses.predicting", "compare_logs"),
    "compare_systems": ("uses.prediction", "compare"),
    "conform_answers": ("conformance", "conform"),
    "describe_system": ("uses.describing", "describe"),
    "diff": ("uses.differing", "diff"),
    "diff_games": ("uses.differing", "diff"),
    "difference_for": ("odds.forecast", "difference_for"),
    "exact_performance": ("odds.performance", "exact_performance"),
    "expected_score": ("odds.forecast", "expected_score"),
    "explain": ("uses.explaining", "explain_logs"),
    "explain_rating": ("uses.explaining", "explain"),
    "fide_increased_2024": ("systems.fide", "fide_increased_2024"),
    "fide_initial_rating": ("systems.fide", "fide_initial_rating"),
    "first_to": ("odds.match", "first_to"),
    "fit": ("uses.predicting", "fit_logs"),
    "fit_settings": ("uses.prediction", "fit"),
    "format_odds": ("odds.forecast", "format_odds"),
    "goal_odds": ("odds.goal", "goal_odds"),
    "ingest_dask": ("uses.ingesting", "ingest_dask"),
    "ingested": ("uses.ingesting", "ingested"),
    "import_logs": ("uses.importing", "import_logs"),
    "inflation": ("odds.statistics", "inflation"),
    "labelle_odds": ("odds.forecast", "labelle_odds"),
    "likelihood_of_superiority": ("odds.statistics", "likelihood_of_superiority"),
    "likelihood_of_superiority_normal": ("odds.statistics", "likelihood_of_superiority_normal"),
    "linear_performance": ("odds.performance", "linear_performance"),
    "log_loss": ("odds.statistics", "log_loss"),
    "match_error_bar": ("odds.forecast", "match_error_bar"),
    "match_forecast": ("odds.forecast", "match_forecast"),
    "match_odds": ("odds.match", "match_odds"),
    "new_book": ("workbook", "new_book"),
    "next_season": ("uses.updating", "next_season"),
    "parse_result": ("odds.event", "parse_result"),
    "place_chances": ("uses.chances", "place_chances"),
    "predict": ("uses.pairing", "predict_pairing"),
    "predict_games": ("uses.prediction", "predict"),
    "rate_event": ("odds.event", "rate_event"),
    "rate_event_log": ("odds.event", "rate_event_log"),
    "rate_period": ("replaying.grouped", "rate_period"),
    "ratings_as_of": ("uses.exporting", "ratings_as_of"),
    "report": ("uses.reports", "report"),
    "rating_odds": ("odds.calculators", "rating_odds"),
    "read": ("readers", "read"),
    "read_fixtures": ("readers.fixtures", "read_fixtures"),
    "replay": ("uses.exporting", "replay_logs"),
    "replay_arrays": ("replaying.replay", "replay_arrays"),
    "replay_games": ("replaying.replay", "replay"),
    "round_robin": ("uses.simulation", "round_robin"),
    "score_needed": ("odds.statistics", "score_needed"),
    "simulate": ("uses.simulation", "simulate_logs"),
    "simulate_logs": ("uses.simulation", "simulate_logs"),
    "simulate_season": ("uses.simulation", "simulate"),
    "starts": ("replaying.starting", "starts"),
    "system": ("systems", "system"),
    "table_performance": ("odds.performance", "table_performance"),
    "update_book": ("uses.updating", "update"),
    "validate_book": ("validate", "validate"),
    "win_by": ("odds.match", "win_by"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'elo_sheets' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(importlib.import_module(f"elo_sheets.{module}"), attribute)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


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
    "Ingested",
    "JointSystem",
    "MatchForecast",
    "Problem",
    "Simulated",
    "Starts",
    "System",
    "__version__",
    "accuracy",
    "average_opponent",
    "best_of",
    "brier_score",
    "calc",
    "calibration",
    "chance_of_score",
    "compare",
    "compare_systems",
    "conform_answers",
    "describe_system",
    "diff",
    "diff_games",
    "difference_for",
    "exact_performance",
    "expected_score",
    "explain",
    "explain_rating",
    "fide_increased_2024",
    "fide_initial_rating",
    "first_to",
    "fit",
    "fit_settings",
    "format_odds",
    "goal_odds",
    "import_logs",
    "inflation",
    "ingest_dask",
    "ingested",
    "labelle_odds",
    "likelihood_of_superiority",
    "likelihood_of_superiority_normal",
    "linear_performance",
    "log_loss",
    "match_error_bar",
    "match_forecast",
    "match_odds",
    "new_book",
    "next_season",
    "parse_result",
    "place_chances",
    "predict",
    "predict_games",
    "rate_event",
    "rate_event_log",
    "rate_period",
    "rating_odds",
    "ratings_as_of",
    "read",
    "read_fixtures",
    "replay",
    "replay_arrays",
    "replay_games",
    "report",
    "round_robin",
    "score_needed",
    "simulate",
    "simulate_logs",
    "simulate_season",
    "starts",
    "system",
    "table_performance",
    "update_book",
    "validate_book",
    "win_by",
]
