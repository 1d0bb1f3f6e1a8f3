"""Two books or logs compared by their games and ratings: what changed, and which change moved whom by how much.

Both sides become games tables in the order in which they are rated. `match` aligns them; what is left over is added,
removed or changed. The ratings of both sides are replayed, and the difference is attributed to the changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from elo_sheets.differing.attribution import Attribution
from elo_sheets.differing.changes import (
    ADDED,
    CHANGED,
    REMAINDER,
    REMOVED,
    SETTINGS,
    SEVERAL,
    START,
    Change,
    Differences,
    Moved,
    Part,
    Setting,
)
from elo_sheets.differing.matching import Slot, align, match
from elo_sheets.differing.reading import TypedBook, both_sides, is_workbook
from elo_sheets.differing.records import record
from elo_sheets.differing.sides import JOURNAL, LEAGUE, LOG, Game, Side, compared_games, read_columns, shown_names
from elo_sheets.errors import UsageError


def diff(
    a: str | Path,
    b: str | Path,
    *,
    system: str | None = None,
    settings: Mapping[str, object] | None = None,
    player: str | None = None,
    columns: Mapping[str, str] | None = None,
    dates: Literal["dmy", "mdy", "ymd"] | None = None,
    encoding: str | None = None,
    pool: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Differences:
    """Return how the games and ratings of `b` differ from those of `a`.

    Each is a log, or a workbook that elo-sheets made and somebody typed into. A log beside a book is rated by the
    book's system, settings and start ratings; two logs by `system` (elo unless given) and `settings`. With `player`, or
    where one of the two is a journal, the journal of that player is compared. `columns`, `dates`, `encoding` and `pool`
    say how to read a log. A book is taken by what was typed; whether its cells show the ratings that follow from it is
    what `validate` says.

    Games match when day, players and colours are the same. What is left is matched when one of these, or the colours,
    alone differs. Cost: a replay for each changed game, at most 400.

    Raises `UnreadableInput` for what cannot be read, `NotChecked` for a workbook that elo-sheets did not make, and
    `UsageError` for options that do not fit.
    """
    if str(a) == str(b) == "-":
        raise UsageError("only one of the two can be the standard input")
    reading = {"columns": columns, "dates": dates, "encoding": encoding, "pool": pool, "progress": progress}
    books = {path: TypedBook.read(path) for path in (a, b) if is_workbook(path)}
    if books and (system is not None or settings):
        raise UsageError("the system and settings are the book's: leave out --system and --set, or compare two logs")
    if a in books and b in books and any(value for name, value in reading.items() if name != "progress"):
        raise UsageError("two workbooks need no --map, --dates, --encoding or --pool: these say how to read a log")
    first, second = both_sides((a, b), books, system, settings, player, reading)
    return compare_sides(first, second)


def compare_sides(a: Side, b: Side) -> Differences:
    """Return how side `b` differs from side `a`; both are pools, or both journals of one player."""
    differing = _differing_settings(a, b)
    starts = _differing_starts(a, b)
    columns = sorted({name for side in (a, b) for name in read_columns(side)})
    before, after = ([*compared_games(side, columns)] for side in (a, b))
    changes, slots = align(before, after)
    moved = Attribution(a, b, differing, starts, changes, slots).moved()
    unchanged = sum(slot.change is None for slot in slots)
    return Differences(a, b, differing, tuple(starts.values()), unchanged, changes, moved)


def _differing_settings(a: Side, b: Side) -> tuple[Setting, ...]:
    found = [] if a.system.name == b.system.name else [Setting("system", a.system.name, b.system.name)]
    names = [name for name in a.settings if name in b.settings and a.settings[name] != b.settings[name]]
    return (*found, *(Setting(name, a.settings[name], b.settings[name]) for name in names))


def _differing_starts(a: Side, b: Side) -> dict[str, Setting]:
    """Return, by key, the start ratings that differ of players whom both sides list."""
    was = {a.keys[name]: value for name, value in a.start.items()}
    return {
        b.keys[name]: Setting(name, was[b.keys[name]], value)
        for name, value in b.start.items()
        if b.keys[name] in was and was[b.keys[name]] != value
    }


__all__ = [
    "ADDED",
    "CHANGED",
    "JOURNAL",
    "LEAGUE",
    "LOG",
    "REMAINDER",
    "REMOVED",
    "SETTINGS",
    "SEVERAL",
    "START",
    "Change",
    "Differences",
    "Game",
    "Moved",
    "Part",
    "Setting",
    "Side",
    "Slot",
    "align",
    "compare_sides",
    "diff",
    "is_workbook",
    "match",
    "read_columns",
    "record",
    "shown_names",
]
