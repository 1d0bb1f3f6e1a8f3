"""What players start from by a list of ratings: a federation's, a starting rank, a club's own."""

from __future__ import annotations

from pathlib import Path

from elo_sheets._late import pd
from elo_sheets.errors import UsageError
from elo_sheets.games import identity, players
from elo_sheets.readers import How, sheets
from elo_sheets.readers._opening import open_log
from elo_sheets.replaying.starting import Start
from elo_sheets.uses.of_book import STARTS, is_our_book, known_starts


def of_list(start: Start, games: pd.DataFrame, notes: list[str] | None = None) -> Start:
    """Return the ratings of the players of a games table where `start` is the file of such a list, else `start`.

    A plain CSV list with the column player stays as it is. Of a workbook of ours the last ratings are taken, of
    `starts:BOOK.xlsx` what its players start from. Remarks on who was found and how go to `notes`.

    Raises `UsageError` when nobody of the list plays.
    """
    if isinstance(start, str) and start.startswith(STARTS):
        told, said = known_starts(start.removeprefix(STARTS), {identity(name): name for name in players(games)})
        if notes is not None:
            notes.append(said)
        return told or None
    if not isinstance(start, str | Path) or not Path(start).is_file() or games.empty:
        return start
    from elo_sheets.readers.lists import find_players, is_named_list, known_people

    with open_log(str(start), How()) as log:
        if is_named_list(log):
            return start
        is_book = sheets.is_workbook(log) and is_our_book(start)
    everybody = players(games)
    found = find_players(str(start), everybody, known_people(games.attrs))
    if not found.players:
        reason = f": {found.notes[0]}" if found.notes else "; check that names or ids are spelled alike"
        raise UsageError(f"no player of the log has a rating in {start}{reason}")
    if notes is not None:
        notes += found.notes
        which = f"the last ratings of {start} (--start {STARTS}{start} takes its start ratings)" if is_book else start
        notes.append(f"{len(found.players)} of {len(everybody)} players start from {which}")
    return {name: one.rating for name, one in found.players.items()}
