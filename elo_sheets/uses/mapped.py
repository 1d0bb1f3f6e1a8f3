"""How an import was told to read a log: `--map`, `--dates`, `--sheet` and `--lowest-wins`, kept in the book."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from elo_sheets.readers import Remembered, RememberedWord

if TYPE_CHECKING:
    from elo_sheets.readers import HowRead

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
