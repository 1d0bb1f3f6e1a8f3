"""The names of the library, each with the module where it lives: `__init__.py` imports it once it is used."""

from elo_sheets._version import __version__
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
