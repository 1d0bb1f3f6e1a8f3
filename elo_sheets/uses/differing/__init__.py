"""Two books or logs compared by their games and ratings: what changed, and which change moved whom by how much.

Both sides become games tables in the order in which they are rated. `match` aligns them; what is left over is added,
removed or changed. The ratings of both sides are replayed, and the difference is attributed to the changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Unpack

from elo_sheets.errors import UsageError
from elo_sheets.readers import HowRead
from elo_sheets.replaying.starting import Start
from elo_sheets.systems import is_built_in, systems_named
from elo_sheets.systems import system as find_system
from elo_sheets.team_games import GamesOfSidesError
from elo_sheets.uses.differing.attribution import Attribution
from elo_sheets.uses.differing.changes import Differences, Setting
from elo_sheets.uses.differing.events import compare_events, event_sides, is_event
from elo_sheets.uses.differing.matching import align
from elo_sheets.uses.differing.reading import TypedBook, both_sides
from elo_sheets.uses.differing.sided import SidedAttribution, SidedSide, compared_sided_games, sides_of_sides
from elo_sheets.uses.differing.sides import Side, compared_games, read_columns
from elo_sheets.uses.of_book import is_our_book
from elo_sheets.uses.sided import asked_of_sides
from elo_sheets.validate.read import refuse_unused
from elo_sheets.workbook.fits import holds_sides
from elo_sheets.workbook.templates import template as find_template


def diff(
    a: str | Path,
    b: str | Path,
    *,
    system: str | None = None,
    template: str | Path | None = None,
    settings: Mapping[str, object] | None = None,
    player: str | None = None,
    start: Start = None,
    **how: Unpack[HowRead],
) -> Differences:
    """Return how the games and ratings of `b` differ from those of `a`.

    Each is a log, or a workbook that elo-sheets made and somebody typed into. A log beside a book is rated by the
    book's system, settings and start ratings; two logs by `system` (elo unless given), `settings` and `start` (see
    `starts`). Where a book is rated by a rule that is not built in, `system` is that rule; `template` is the TOML file
    of a template that is not. With `player`, or where one
    of the two is a journal, the journal of that player is compared. `how` says how to read a log (see `read`). A book
    is taken by what was typed; whether its cells show the ratings that follow from it is what `validate` says.

    Two event books are two states of one event: their games, byes and forfeits, what Players and Event say, each
    player's points and new rating. An event is rated as a whole, so no rating is told apart by games there.

    Games match when day, players and colours are the same. What is left is matched when one of these, or the colours,
    alone differs. Cost: a replay for each changed game, at most 400.

    Raises `UnreadableInput` for what cannot be read, `NotChecked` for a workbook that elo-sheets did not make, and
    `UsageError` for options that do not fit.
    """
    if template is not None:
        find_template(str(template))
    if str(a) == str(b) == "-":
        raise UsageError("only one of the two can be the standard input")
    files = [path for path in (a, b) if is_our_book(path)]
    given = systems_named(system) if files else ()
    if files and (settings or any(map(is_built_in, given))):
        raise UsageError("the system and settings are the book's: leave out --system and --set, or compare two logs")
    books = {path: TypedBook.read(path, given) for path in files}
    refuse_unused(given, [book.manifest for book in books.values()])
    if a in books and b in books and any(value for name, value in how.items() if name != "progress"):
        raise UsageError(
            "two workbooks need no --map, --dates, --encoding, --pool, --keep-duplicates or --keep-name: these say how "
            "to read a log"
        )
    if books and start is not None:
        raise UsageError("the start ratings are the book's: leave out --start, or compare two logs")
    if any(map(is_event, books.values())):
        events = event_sides((a, b), books, player)
        return compare_events(*events, _differing_settings(*events))
    asked: tuple[Any, ...] = (a, b), books, system, settings, player, start, how
    if _hold_sides(a, books, system, settings, how):
        return compare_sides(*sides_of_sides(*asked))
    try:
        first, second = both_sides(*asked)
    except GamesOfSidesError:
        first, second = sides_of_sides(*asked)
    return compare_sides(first, second)


def _hold_sides(
    a: str | Path,
    books: Mapping[str | Path, TypedBook],
    system: str | None,
    settings: Mapping[str, object] | None,
    how: HowRead,
) -> bool:
    """Return whether a book, or a setting that is given for two logs, says that games of sides are compared."""
    if books:
        return any(holds_sides(book.manifest.template) for book in books.values())
    return asked_of_sides([str(a)], find_system(system or "elo"), settings, how) is not None


def compare_sides(a: Side, b: Side) -> Differences:
    """Return how side `b` differs from side `a`; both are pools, or both journals of one player."""
    differing = _differing_settings(a, b)
    starts = _differing_starts(a, b)
    sided = isinstance(a, SidedSide)
    columns = [] if sided else sorted({name for side in (a, b) for name in read_columns(side)})
    before, after = ([*(compared_sided_games(s) if sided else compared_games(s, columns))] for s in (a, b))
    changes, slots = align(before, after)
    made = SidedAttribution if sided else Attribution
    moved = made(a, b, differing, starts, changes, slots).moved()
    unchanged = sum(slot.change is None for slot in slots)
    differing_starts = tuple(one for several in starts.values() for one in several)
    return Differences(a, b, differing, differing_starts, unchanged, changes, moved)


def _differing_settings(a: Side, b: Side) -> tuple[Setting, ...]:
    rules = a.system.full_name, b.system.full_name
    found = [] if rules[0] == rules[1] else [Setting("system", *rules)]
    names = [name for name in a.settings if name in b.settings and a.settings[name] != b.settings[name]]
    return (*found, *(Setting(name, a.settings[name], b.settings[name]) for name in names))


def _differing_starts(a: Side, b: Side) -> dict[str, list[Setting]]:
    """Return, by key, what differs in the starts of players whom both sides list."""
    was = {a.keys[name]: state for name, state in a.start.items()}
    found: dict[str, list[Setting]] = {}
    for name, now in b.start.items():
        before = was.get(b.keys[name], now)
        for state in dict.fromkeys([*before, *now]):
            if before.get(state) != now.get(state):
                label = name if state == "rating" else f"{name}, {state}"
                found.setdefault(b.keys[name], []).append(Setting(label, before.get(state), now.get(state)))
    return found
