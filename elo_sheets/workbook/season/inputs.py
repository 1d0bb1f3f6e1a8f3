"""What is typed into a season: fixtures and goals, and the single cells above its tables, with their rules."""

from __future__ import annotations

from typing import Any

from elo_sheets._late import pd
from elo_sheets.replaying.periods import FIRST_SHEET_DAY, season_numbers, serial_days
from elo_sheets.systems import System
from elo_sheets.workbook.plan import CellValue
from elo_sheets.workbook.pools.columns import game_columns
from elo_sheets.workbook.pools.sheets import STANDARDS
from elo_sheets.workbook.season.outlook import MODELS
from elo_sheets.workbook.sports.profiles import Words

FORECAST_ROWS = 60


def goals_rule(what: str) -> dict[str, Any]:
    """Return what may be typed as the goals of a side, or as its points or score."""
    return {
        "kind": "whole",
        "minimum": 0,
        "maximum": 1000,
        "title": what.capitalize(),
        "message": "Leave both cells empty until the game is played.",
        "error": "A whole number, or nothing: 2:1 is 2 in the one cell and 1 in the other.",
    }


def standards(what: str, words: Words) -> dict[str, CellValue]:
    """Return what stands in the single cells of a new book; where there are no draws, none are forecast."""
    win, draw = (3.0, 1.0) if what == "goals" else (1.0, 0.5)
    model = MODELS[0] if words.draws else MODELS[-1]
    return {**STANDARDS, "win_points": win, "draw_points": draw, "draw_model": model, "next": 20.0}


def typed_games(games: pd.DataFrame, system: System, words: Words, rows: int) -> dict[str, list[CellValue]]:
    """Return the columns of the fixture list; a result is only typed where the goals do not say it."""
    found = {label: list(values) for label, values in game_columns(games, system, words, rows).items()}
    sides = words.sides
    to_play = games["to_play"].tolist() if "to_play" in games else [False] * len(games)
    for side, column in zip(sides, ("white_points", "black_points"), strict=True):
        numbers = games[column].astype("float64").tolist() if column in games else [float("nan")] * len(games)
        goals: list[CellValue] = [
            None if value != value or is_open else value for value, is_open in zip(numbers, to_play, strict=True)
        ]
        found[f"{side} points"] = goals + [None] * (rows - len(games))
    for i, is_open in enumerate(to_play):
        home, away = (found[f"{side} points"][i] for side in sides)
        typed = isinstance(home, float) and isinstance(away, float)
        score = 0.5 + 0.5 * ((float(home or 0) > float(away or 0)) - (float(home or 0) < float(away or 0)))
        if is_open or (typed and games["score"].iloc[i] == score):
            found["Result"][i] = None
    return found


def last_season(games: pd.DataFrame) -> CellValue:
    """Return the first day of the log's last season, None for a log of one season."""
    if "season" not in games or games.empty:
        return None
    days, seasons = serial_days(games["date"]).tolist(), season_numbers(games)
    if len(set(seasons)) < 2:
        return None
    return min(
        (
            float(day)
            for day, season in zip(days, seasons, strict=True)
            if season == max(seasons) and day >= FIRST_SHEET_DAY
        ),
        default=None,
    )
