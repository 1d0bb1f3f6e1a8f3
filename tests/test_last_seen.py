"""How long a player was away counts from the latest day or season that he played, whatever the order of the rows."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from elo_sheets.readers import read
from elo_sheets.systems import system
from elo_sheets.validate import validate
from elo_sheets.workbook.build import filled_book, plan_book
from elo_sheets.workbook.plan import Plan
from elo_sheets.workbook.write import write_book

# One game has no day; `games_of` puts the last but one above the game before it.
DAYS = """date,white,black,result,black_rating
2024-01-01,Player 1,Player 2,1-0,1500
2024-01-05,Player 1,Player 3,1-0,1600
,Player 1,Player 3,0-1,1610
2024-02-10,Player 1,Player 3,0-1,1620
2024-03-01,Player 1,Player 2,1/2-1/2,1490
2024-04-20,Player 1,Player 2,0-1,1510
"""
# Days between a game of Player 1 and the latest one before it: by hand, with the 29 days of February 2024.
AWAY = [0.0, 4.0, 0.0, 56.0, 0.0, 50.0]

# A game of the season of 2020 is played after one of 2021.
SEASONS = """date,season,home,away,home_score,away_score
2020-09-10,2020,Team 1,Team 2,20,10
2021-09-10,2021,Team 2,Team 3,21,10
2021-10-01,2020,Team 2,Team 1,24,10
2021-12-10,2021,Team 1,Team 2,20,13
2022-09-10,2022,Team 3,Team 2,14,10
2022-09-12,2022,Team 1,Team 2,,
"""
# Seasons between a game of Team 2 and the latest one before it.
SKIPPED = [0.0, 1.0, 0.0, 0.0, 1.0]


def games_of(text: str, tmp_path: Path) -> pd.DataFrame:
    path = tmp_path / "log.csv"
    path.write_text(text, encoding="utf-8")
    games = read([path]).games
    return games.iloc[[0, 1, 2, 4, 3, 5]].reset_index(drop=True) if text == DAYS else games


def waited(plan: Plan, label: str, number: float) -> list[object]:
    """What a column of the Ledger holds in the rows of a player's rated games."""
    table = next(table for table in plan.sheet("Ledger").tables if table.name == "Ledger")
    columns = {column.label: column.fill.values for column in table.columns}
    return [value for who, value in zip(columns["Rated no."], columns[label], strict=True) if who == number]


@pytest.mark.parametrize("name", ["journal", "league", "ratings-list", "compare"])
def test_a_day_that_is_missing_or_falls_back_is_no_absence(name: str, tmp_path: Path) -> None:
    games, player = games_of(DAYS, tmp_path), "Player 1" if name == "journal" else None
    path = tmp_path / "book.xlsx"
    write_book(plan_book(filled_book(name, system("lichess"), {}, games, player)), path)
    report = validate(path)
    assert report.status == "agrees", report.findings


def test_the_time_away_is_counted_by_hand(tmp_path: Path) -> None:
    games = games_of(DAYS, tmp_path)
    assert waited(plan_book(filled_book("league", system("lichess"), {}, games)), "Days", 1) == AWAY
    games = games_of(SEASONS, tmp_path)
    assert waited(plan_book(filled_book("league", system("nfl"), {}, games)), "Seasons", 2) == SKIPPED


@pytest.mark.parametrize("name", ["league", "ratings-list", "season", "compare"])
@pytest.mark.parametrize("rules", ["nfl", "nba"])
def test_a_season_that_falls_back_carries_nothing_over_twice(rules: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    write_book(plan_book(filled_book(name, system(rules), {}, games_of(SEASONS, tmp_path))), path)
    report = validate(path)
    assert report.status == "agrees", report.findings


# One period holds several games of a player, and the last of them is not the latest: an undated one, an earlier day,
# an earlier season.
UNDATED_LAST = """date,event,white,black,result
2024-01-05,A,Player 1,Player 2,1-0
2024-01-20,A,Player 2,Player 3,1-0
,A,Player 1,Player 3,0-1
,A,Player 2,Player 1,0-1
2024-04-01,B,Player 1,Player 2,1-0
"""
MONTH = """date,season,home,away,home_score,away_score
2021-10-03,2021,Team 1,Team 2,20,10
2021-10-05,2020,Team 2,Team 1,21,10
2022-11-10,2022,Team 1,Team 2,24,10
"""


@pytest.mark.parametrize(
    ("name", "rules", "period", "text", "order"),
    [
        ("league", "lichess", "event", UNDATED_LAST, [0, 1, 2, 3, 4]),
        ("league", "lichess", "event", UNDATED_LAST, [1, 0, 4]),
        ("compare", "lichess", "event", UNDATED_LAST, [0, 1, 2, 3, 4]),
        ("league", "nfl", "month", MONTH, [0, 1, 2]),
    ],
)
def test_the_latest_day_of_a_period_counts_wherever_it_stands(
    name: str, rules: str, period: str, text: str, order: list[int], tmp_path: Path
) -> None:
    games, path = games_of(text, tmp_path).iloc[order].reset_index(drop=True), tmp_path / "book.xlsx"
    write_book(plan_book(filled_book(name, system(rules), {"period": period}, games)), path)
    report = validate(path)
    assert report.status == "agrees", report.findings
