"""How an import was told to read a log: `--map`, `--dates`, `--sheet` and `--lowest-wins`, kept in the book."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from elo_sheets.games import GamesRead
from elo_sheets.readers import HowRead, Remembered, RememberedWord
from elo_sheets.team_games import TeamGamesRead

OF_A_SHEET = re.compile(r"\.(?:xlsx|xlsm|xls|ods|fods), (.+)$", re.I)
MAPPED = "map "
WORDS = ("dates", "sheet", "lowest_wins")
READ = "read "  # before the options of reading that are one word


def as_options(how: HowRead) -> dict[str, str]:
    """Return what the options of a book say of the columns, the order of dates and the sheet that were told.

    >>> as_options({"columns": {"white": "Bidder"}, "dates": "dmy"})
    {'map white': 'Bidder', 'read dates': 'dmy'}
    """
    columns = {MAPPED + role: header for role, header in (how.get("columns") or {}).items()}
    told = {name: how.get(name) for name in WORDS}
    return columns | {READ + name: str(word) for name, word in told.items() if word}


def sheet_by_name(options: Mapping[str, str], log: GamesRead | TeamGamesRead | None) -> dict[str, str]:
    """Return options in which a sheet that was told by its number stands by its name, as the games of the log tell it.

    The number of a sheet is another one as soon as somebody puts one in front of it.
    """
    told = options.get(READ + "sheet", "")
    sources = log.games["source"].unique() if log is not None and told.isdecimal() else ()
    names = {match[1] for source in sources if (match := OF_A_SHEET.search(str(source)))}
    return {**options, READ + "sheet": names.pop()} if len(names) == 1 else dict(options)


def as_remembered(how: HowRead, options: Mapping[str, str]) -> HowRead:
    """Return how logs are read with what a book remembers, where nothing else is told."""
    kept = {key.removeprefix(MAPPED): header for key, header in options.items() if key.startswith(MAPPED)}
    known: dict[str, object] = {"columns": Remembered(kept)} if kept else {}
    known |= {name: RememberedWord(options[READ + name]) for name in WORDS if READ + name in options}
    return cast("HowRead", {**how, **{name: word for name, word in known.items() if not how.get(name)}})


def remembering(options: Mapping[str, str], how: HowRead) -> dict[str, str]:
    """Return the options of a book with what is told now, or what it has."""
    told = as_options(how)
    anew = MAPPED if how.get("columns") else None
    kept = {key: value for key, value in options.items() if anew is None or not key.startswith(anew)}
    return {**kept, **told}
