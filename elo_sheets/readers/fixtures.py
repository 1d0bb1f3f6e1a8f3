"""Games that are still to be played: the rows and pairings of a log that have no result.

Every reader keeps such games out, because nothing can be rated by them. Here they are what is asked for: of tables the
columns of results are left out of account, of a PGN file, a tournament report or a crosstable the open games are read
as draws and those that the reader keeps anyway are taken off.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Unpack

from elo_sheets._late import pd
from elo_sheets.games import GamesRead, identity, make_games, players
from elo_sheets.readers import HowRead, how_of
from elo_sheets.readers._again import Identities
from elo_sheets.readers._given import Logs, NamedBytes, is_games_table, one_by_one
from elo_sheets.readers._kinds import open_readings
from elo_sheets.readers._opening import open_log
from elo_sheets.readers._tables import table_of
from elo_sheets.readers._text import Reading
from elo_sheets.readers._together import once, one_pool


def read_fixtures(logs: Logs, **how: Unpack[HowRead]) -> GamesRead:
    """Return the games without a result of all logs, in order, a problem for each such row that cannot be used.

    `how` are arguments of `read`; nothing is called as progress. The column `score` of the games holds 0.5 and means
    nothing.

    >>> import io
    >>> log = b"date,home,away,result\\n2026-05-01,Ann,Bob,1-0\\n2026-05-08,Bob,Ann,\\n"
    >>> read_fixtures([io.BytesIO(log)]).games[["white", "black"]].values.tolist()
    [['Bob', 'Ann']]
    """
    asked, reader = how_of(how)
    whole = Reading()
    sizes: list[int] = []
    for log in one_by_one(logs):
        if is_games_table(log):  # every game of which has a result
            continue
        with open_log(log, asked) as opened:
            for found in open_readings(opened, asked, reader):
                whole.records += found.records
                whole.problems += found.problems
                whole.notes += found.all_notes()
                sizes.append(len(found.records))
    whole.table = table_of(whole.records)
    once(whole, Identities(whole.table), sizes, how.get("keep_duplicates", False))
    one_pool(whole, how.get("pool"))
    return GamesRead(make_games(whole.table), whole.problems, whole.notes)


def again(log: Any) -> Callable[[], Any]:
    """Return what gives a log from its beginning, as often as it is asked; the standard input is kept for that."""
    if is_games_table(log) or (str(log) != "-" and not hasattr(log, "read")):
        return lambda: log
    data = (sys.stdin.buffer if str(log) == "-" else log).read()

    name = "stdin" if str(log) == "-" else getattr(log, "name", "log")
    return lambda: NamedBytes(data, name)


def as_spelled(fixtures: pd.DataFrame, games: pd.DataFrame) -> pd.DataFrame:
    """Return the fixtures with the players' names as the games, or else the fixture before, spell them."""
    known: dict[str, str] = {}
    for name in (*players(games), *players(fixtures)):
        known.setdefault(identity(name), name)
    return fixtures.assign(
        **{side: fixtures[side].map(lambda name: known[identity(name)]) for side in ("white", "black")}
    )
