"""Games after a day that was asked for, left out of logs of any kind."""

from __future__ import annotations

from datetime import date

from elo_sheets._late import pd
from elo_sheets.errors import UsageError
from elo_sheets.games import Problem
from elo_sheets.readers._dates import read_date


def games_after(games: pd.DataFrame, until: str | date) -> tuple[pd.Series[bool], list[Problem], list[str]]:
    """Return which rows belong to games after a day, a problem for each game, and what is said of those without a day.

    A game may have several rows, of one number. Games without a day stay. Raises `UsageError` for what is no day.
    """
    try:
        day = read_date(until, "dmy") if isinstance(until, str) else until
    except ValueError:
        day = None
    if day is None:
        raise UsageError(f"expected a day such as 2026-01-31, got {until!r}")
    end = pd.Timestamp(day.year, day.month, day.day) + pd.Timedelta(days=1)
    late = games["date"] >= end
    reason = f"after {end - pd.Timedelta(days=1):%Y-%m-%d}, the last day asked for"
    gone = games[late].drop_duplicates("game")
    rows = zip(gone["source"], gone["source_row"], gone["date"], strict=True)
    problems = [Problem(source, row, "date", f"{when:%Y-%m-%d}", reason) for source, row, when in rows]
    undated = games.loc[games["date"].isna(), "game"].nunique()
    notes = [f"{undated} games without a day are counted, whatever --until says"] if undated else []
    return late, problems, notes
