"""What every verb that rates logs begins with: the games, the settings, what the players start from, the remarks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Unpack

from elo_sheets._memory import give_back
from elo_sheets.games import GamesRead, find_player
from elo_sheets.readers import HowRead, Logs, read_for
from elo_sheets.replaying.settings import Settings, begun, resolve
from elo_sheets.replaying.starting import Start, Starts, starts
from elo_sheets.systems import Rules
from elo_sheets.uses.listing import of_list
from elo_sheets.uses.notes import journal_notes, pause_notes, ruled
from elo_sheets.uses.of_book import AsBook


@dataclass(frozen=True)
class Loaded:
    """Logs that were read, the rule that rates them with its settings, what the players start from, and the remarks.

    `owner` is the player whose journal the logs are rated as, as the log spells him, or None for the pool.
    """

    log: GamesRead
    system: Rules
    settings: Settings
    start: Starts
    notes: list[str]
    owner: str | None = None


def load(
    logs: Logs,
    system: Rules,
    settings: Mapping[str, object] | None,
    *,
    start: Start,
    journal_of: str | None = None,
    player: str | None = None,
    book: AsBook | None = None,
    **how: Unpack[HowRead],
) -> Loaded:
    """Read logs for a system; `journal_of` names the owner of a journal, `player` whose log it is (see `read`).

    The logs are those of a `book` as it rates where that is given.
    """
    values = resolve(system, settings)
    log = read_for(logs, values, player=player, **how)
    log = log if book is None else book.rated_of(log)
    values, said = ruled(system, values, log.games)
    notes = [*log.notes, *said]
    owner = find_player(log.games, journal_of) if journal_of and log.kept else None
    if values.get("period") == "event":
        notes += pause_notes(log.games, owner)
    start = of_list(start, log.games, notes)
    found = starts(start, system, log.games, values.typed, player=owner)
    give_back(log.kept)
    if owner is None:
        return Loaded(log, system, values, found, [*notes, *found.notes])
    notes += journal_notes(log.games, owner, system.name, values.typed, found)
    return Loaded(log, system, begun(system, values, found, owner), found, notes, owner)
