"""The remarks on a log and on what is made of it: what its owner should know before he believes the numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from elo_sheets._late import pd
from elo_sheets.errors import UnreadableInput
from elo_sheets.games import GamesRead
from elo_sheets.replaying.journal import journal_games
from elo_sheets.replaying.periods import EVENT_GAP_DAYS, cut_events, resumed_events
from elo_sheets.replaying.settings import Settings, as_of_games, settings_notes
from elo_sheets.replaying.starting import Starts
from elo_sheets.replaying.weighing import weight_notes
from elo_sheets.systems import Rules
from elo_sheets.team_games import TeamGamesRead


def refuse_without_games(log: GamesRead | TeamGamesRead, of: str) -> None:
    """Raise `UnreadableInput` for a log of which no game can be used; `of` is what it is called."""
    if not log.kept:
        reason = f", such as {log.problems[0]}" if log.problems else ""
        raise UnreadableInput(f"no game of {of} can be used: {log.rejected} rows are left out{reason}")


def event_notes(games: pd.DataFrame, player: str | None = None) -> list[str]:
    """Return the remarks on a log of which a book, whose events are runs of rows, rates another set of events."""
    games = _of_player(games, player)
    notes = []
    back, paused = cut_events(games)
    if back is not None:
        name, row = _event_at(games, back)
        notes.append(
            f"event {name!r} comes back after another one in {row}: the book rates each run of rows with one event by "
            "itself, replay an event's games together; keep them together in the log for the same ratings"
        )
    if paused is not None:
        notes.append(
            f"{_paused(games, paused)}: the book rates its rows together, "
            "replay as two events; give the second one another name for the same ratings"
        )
    return notes


def pause_notes(games: pd.DataFrame, player: str | None = None) -> list[str]:
    """Return the remark on a log of which a replay rates an event as several, for it pauses too long."""
    games = _of_player(games, player)
    found = resumed_events(games)
    if not found:
        return []
    more = f", and {len(found) - 1} more do so" if len(found) > 1 else ""
    return [
        f"{_paused(games, found[0])}{more}: what follows is rated as another event "
        "(--set period=column:event rates the games of one name together)"
    ]


def journal_notes(games: pd.DataFrame, player: str, system: str, settings: Iterable[str], found: Starts) -> list[str]:
    """Return the remarks that the owner of a journal should read.

    `settings` are the names of those that he gave, `found` is what he starts from.
    """
    mine = journal_games(games, player)
    notes = []
    if len(mine) < len(games):
        notes.append(f"{len(games) - len(mine)} games of other players are not in the journal")
    missing = int(mine["opponent_rating"].isna().sum())
    if missing:
        more = "; a book of the template league rates the opponents too" if missing == len(mine) else ""
        notes.append(f"{missing} of {len(mine)} games have no opponent rating: listed, but not rated{more}")
    said = {key.lower() for key in settings} | set(found.states.get(player, ()))
    if system == "fide" and not {"initial_games", "games"} & said:
        notes.append("K is 40 for the first 30 games: say --set initial_games=… for games before this log")
    return [*notes, *found.notes]


def rule_notes(system: Rules, settings: Settings, games: pd.DataFrame) -> list[str]:
    """Return what the owner of a log should know of a rule: defaults that matter, and how it takes the games."""
    return [*settings_notes(system, settings), *game_notes(system, settings, games)]


def ruled(system: Rules, settings: Settings, games: pd.DataFrame) -> tuple[Settings, list[str]]:
    """Return the settings with the rules that hold for the games, and what the owner of their log should know."""
    values, dated = as_of_games(system, settings, games)
    return values, [*dated, *rule_notes(system, values, games)]


def game_notes(system: Rules, settings: Mapping[str, Any], games: pd.DataFrame) -> list[str]:
    """Return what the owner of a log should know of how a system takes these games."""
    said = system.remarks(games, settings) if system.remarks else []
    return [*said, *weight_notes(system, settings, games)]


def _of_player(games: pd.DataFrame, player: str | None) -> pd.DataFrame:
    """Return the games that a journal of the player holds, or all of them."""
    return games[(games["white"] == player) | (games["black"] == player)] if player else games


def _event_at(games: pd.DataFrame, at: int) -> tuple[str, str]:
    """Return the event of a game, and where it stands in the log."""
    return games["event"].iloc[at], f"{games['source'].iloc[at]}, row {games['source_row'].iloc[at]}"


def _paused(games: pd.DataFrame, at: int) -> str:
    """Return the words for an event that goes on at a game after a long pause."""
    name, row = _event_at(games, at)
    return f"event {name!r} goes on after more than {EVENT_GAP_DAYS} days in {row}"
