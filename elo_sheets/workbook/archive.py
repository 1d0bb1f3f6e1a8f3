"""The games of old years that a league keeps as values, and what its players start from after them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from elo_sheets._late import np, pd
from elo_sheets.errors import UnreadableInput
from elo_sheets.replaying.periods import period_keys, season_numbers, serial_days, sheet_days
from elo_sheets.replaying.replay import replay
from elo_sheets.replaying.starting import Starts
from elo_sheets.systems import System
from elo_sheets.workbook.book import Columns
from elo_sheets.workbook.plan import CellValue
from elo_sheets.workbook.pools.columns import last_labels, personal_labels, start_labels
from elo_sheets.workbook.sourced import SOURCE, sources_told
from elo_sheets.workbook.sports.profiles import Words


def old_games(games: pd.DataFrame, live: int, period: str, system: System) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the games that are kept as values, and those that stay live.

    Whole years, where the log has dates, and never a part of a rating period. Raises `UnreadableInput` where the log
    is one long period.
    """
    if len(games) <= live:
        return games.iloc[:0], games
    if "seasons" in system.reads:
        games = games.assign(season=[f"{number:g}" for number in season_numbers(games)])
    cut = len(games) - live
    years = games["date"].dt.year
    later = (years > years.iloc[cut - 1]).to_numpy()
    at = int(later.argmax()) if later.any() and later.argmax() >= cut else cut
    keys = period_keys(games, period)
    ended = np.maximum.accumulate(keys)[:-1] < np.minimum.accumulate(keys[::-1])[::-1][1:]
    ends = np.flatnonzero(ended) + 1
    if not (ends >= cut).any():
        raise UnreadableInput(
            f"{len(games)} games are more than a live workbook can hold, and the log has no end of a rating period "
            f"({period}) with {live} games or fewer after it; take the log in parts, or use replay for the numbers"
        )
    at = int(ends[ends >= at][0] if (ends >= at).any() else ends[ends >= cut][-1])
    return games.iloc[:at], games.iloc[at:].reset_index(drop=True)


def archived(
    old: pd.DataFrame, system: System, settings: Mapping[str, Any], players: dict[str, list[CellValue]], words: Words
) -> Columns:
    """Return the old games with their ratings as values, and set what their players start from after them."""
    labels = {"rating": "Start rating"} | start_labels(system)
    done = replay(old, system, settings, start=_typed_starts(players, labels | personal_labels(system), old))
    final = done.ratings.set_index("player")
    for name, label in labels.items():
        column = f"{name}_after" if f"{name}_after" in final else name
        known = final[column].to_dict()
        players[label] = [
            known.get(player, value) for player, value in zip(players["Player"], players[label], strict=True)
        ]
    when = {"last_date": serial_days(old["date"])}
    if "seasons" in system.reads:
        when["last_season"] = season_numbers(old)
    for name, label in last_labels(system).items():
        latest: dict[str, float] = {}
        for side in ("white", "black"):
            for player, value in zip(old[side], when[name].tolist(), strict=True):
                latest[player] = max(latest.get(player, 0.0), value)
        players[label] = [latest.get(str(player)) or None for player in players["Player"]]
    history = done.history
    white, black = history.iloc[::2], history.iloc[1::2]
    days: list[CellValue] = list(sheet_days(old["date"]))
    found: dict[str, Sequence[CellValue]] = {
        "Game": [float(game) for game in old["game"]],
        "Date": days,
        words.sides[0]: old["white"].tolist(),
        words.sides[1]: old["black"].tolist(),
        "Result": [words.text(score) for score in old["score"]],
    }
    found[SOURCE] = sources_told(old)
    for side, rows in zip(words.sides, (white, black), strict=True):
        found[f"{side} rating"] = rows.get("start_rating", rows["rating"]).tolist()
        found[f"{side} after"] = rows["rating_after"].tolist()
    return found


def _typed_starts(players: Columns, labels: Mapping[str, str], old: pd.DataFrame) -> Starts:
    """Return what the players of the old games start from, as the sheet Players has it."""
    playing = set(old["white"]) | set(old["black"])
    found: dict[str, dict[str, float]] = {}
    for state, label in labels.items():
        for name, value in zip(players["Player"], players[label], strict=True):
            if name in playing and isinstance(value, float):
                found.setdefault(str(name), {})[state] = value
    return Starts(found)
