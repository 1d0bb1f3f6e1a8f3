"""Two event books compared: what two states of one event differ in, from games and byes to points and ratings.

An event is rated as a whole, every opponent counting with the rating before it. So a change of a rating is not told
apart by games: the ratings of both books are those that their own rule gives to what was typed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from elo_sheets.errors import UsageError
from elo_sheets.games import GamesRead, Problem, identity, make_games
from elo_sheets.uses.differing.changes import Differences, Moved, Setting
from elo_sheets.uses.differing.matching import align
from elo_sheets.uses.differing.reading import TypedBook
from elo_sheets.uses.differing.sides import EVENT, Game, Side, day_of
from elo_sheets.workbook.build import plan_book
from elo_sheets.workbook.event.games import PLAYED, SETTLED
from elo_sheets.workbook.event.view import EventView

SCORES = dict(zip(PLAYED, (1.0, 0.5, 0.0), strict=True))
BYE = "(bye)"

# What a comparison of ratings takes for the same: the sums of two orders of the same games differ in the last digits.
SAME = 1e-9


@dataclass(frozen=True)
class EventSide(Side):
    """One of two event books.

    `rows` are its games, byes and forfeits by round; `typed` is what stands on the sheet Players, name by name, and
    `after` the points and the new rating of each player there. `about` is what the sheet Event says.
    """

    rows: Sequence[Game] = ()
    typed: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    after: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def keys(self) -> dict[str, str]:
        """What each player's name is compared by."""
        return {name: identity(name) for name in self.typed}


def is_event(book: TypedBook) -> bool:
    """Return whether a book holds one event."""
    return issubclass(book.view, EventView)


def event_sides(
    paths: tuple[Any, Any], books: Mapping[Any, TypedBook], player: str | None
) -> tuple[EventSide, EventSide]:
    """Return two books as events; raises `UsageError` with what helps where one is none."""
    if player is not None:
        raise UsageError("--player is for journals and logs: of events all players are compared")
    for path in paths:
        if path not in books:
            other = next(str(one) for one in paths if one is not path)
            system = next(iter(books.values())).manifest.system.name
            raise UsageError(
                f"{other} is a book of one event, and {path} is a log: make an event book of it first (elo-sheets "
                f"import {path} --template event --system {system} -o EVENT.xlsx), and compare the two books"
            )
        if not is_event(books[path]):
            raise UsageError(
                f"one of the two is a book of one event, and {path} a book of the template "
                f"{books[path].manifest.template}: an event is compared with another book of the template event"
            )
    return event_side(books[paths[0]]), event_side(books[paths[1]])


def event_side(book: TypedBook) -> EventSide:
    """Return what a book says of its event, and what its own rule gives for it."""
    plan = plan_book(book.inputs)
    column = {
        (table.name, column.role): column.fill.values
        for sheet in plan.sheets
        for table in sheet.tables
        for column in table.columns
    }
    typed = book.inputs.inputs.tables["Players"]
    rows = [i for i, name in enumerate(typed["Name"]) if _text(name)]
    names = [_text(typed["Name"][i]) for i in rows]
    points, after = (column["Players", role] for role in ("player_points", "player_new"))
    games = [*_games(book, column)]
    source = book.typed.table("Games")
    rated = [
        {"white": g.white_name, "black": g.black_name, "score": g.score, "source": g.source, "source_row": g.source_row}
        for g in games
        if dict(g.details)["status"] == "rated"
    ]
    left_out = [
        Problem(f"{book.path}, {source.sheet}", g.source_row, "", "", str(dict(g.details)["status"]))
        for g in games
        if dict(g.details)["status"] not in SETTLED
    ]
    about = {name: book.inputs.inputs.cells.get(name) for name in ABOUT}
    return EventSide(
        book.path,
        EVENT,
        book.manifest.system,
        book.settings,
        GamesRead(make_games(rated), left_out, book.notes),
        rows=games,
        typed={name: {label: typed[label][i] for label in typed} for name, i in zip(names, rows, strict=True)},
        after={name: (_number(points[i]), _number(after[i])) for name, i in zip(names, rows, strict=True)},
        about={ABOUT[name]: _day(value) if name.endswith("_day") else value for name, value in about.items()},
    )


ABOUT = {
    "name": "name of the event",
    "place": "place",
    "first_day": "first day",
    "last_day": "last day",
    "tempo": "time control",
    "arbiter": "arbiter",
}


def _games(book: TypedBook, column: Mapping[tuple[str, str], Sequence[Any]]) -> Iterator[Game]:
    """Yield the rows of the sheet Games, byes and forfeits too, round by round."""
    typed, table = book.inputs.inputs.tables["Games"], book.typed.table("Games")
    found = []
    for i, status in enumerate(column["Games", "status"]):
        if not status:
            continue
        white, black = (_text(typed[side][i]) for side in ("White", "Black"))
        result = _text(column["Ledger", "ledger_result"][2 * i]) or _text(typed["Result"][i])
        details: tuple[tuple[str, Hashable], ...] = (
            ("result", "" if result in SCORES else result or "none"),
            ("round", _number(typed["Round"][i])),
            ("status", str(status)),
        )
        key = identity(white), identity(black)
        place = f"{book.path}, {table.sheet}", table.first_data_row + i
        found.append(Game(0, "", *key, SCORES.get(result, 0.5), details, white, black or BYE, *place))
    found.sort(key=lambda game: _number(dict(game.details)["round"]) or 0)
    return (game._replace(number=number) for number, game in enumerate(found, 1))


def _text(value: Any) -> str:
    return "" if value is None else str(value).strip()


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _day(typed: Any) -> Any:
    day = day_of(typed) if isinstance(typed, int | float) else None
    return typed if day is None else f"{day:%Y-%m-%d}"


def compare_events(a: EventSide, b: EventSide, settings: tuple[Setting, ...]) -> Differences:
    """Return how event `b` differs from event `a`; `settings` are those of the rule that differ."""
    about = [Setting(name, a.about[name], b.about[name]) for name in a.about if a.about[name] != b.about[name]]
    changes, slots = align(a.rows, b.rows)
    was, now = ({side.keys[name]: name for name in side.typed} for side in (a, b))
    both = [(key, was.get(key), now.get(key)) for key in dict.fromkeys([*was, *now])]
    totals, moved = [], []
    for _, before, after in both:
        name = after or before or ""
        (points, rating), (new_points, new_rating) = (
            (None, None) if who is None else side.after[who] for side, who in ((a, before), (b, after))
        )
        if _differ(points, new_points):
            totals.append(Setting(name, points, new_points))
        if _differ(rating, new_rating):
            change = None if rating is None or new_rating is None else new_rating - rating
            moved.append(Moved(name, rating, new_rating, change, ()))
    moved.sort(key=lambda one: -abs(one.change) if one.change is not None else float("-inf"))
    starts = tuple(one for _, before, after in both for one in _starts(a, b, before, after))
    unchanged = sum(slot.change is None for slot in slots)
    return Differences(a, b, (*settings, *about), starts, unchanged, changes, tuple(moved), tuple(totals))


def _differ(one: float | None, other: float | None) -> bool:
    return one != other if one is None or other is None else abs(one - other) > SAME


def _starts(a: EventSide, b: EventSide, before: str | None, after: str | None) -> Iterator[Setting]:
    """Yield what differs in what the two sheets Players say of a player, who may stand on one of them alone."""
    name = after or before or ""
    was, now = ({} if who is None else side.typed[who] for side, who in ((a, before), (b, after)))
    if before is None or after is None:
        yield Setting(f"{name}, listed", "no" if before is None else "yes", "no" if after is None else "yes")
    for label in (*(label for label in was if label in now), *(["Rating"] if not (was and now) else [])):
        if label != "Name" and (was.get(label) or None) != (now.get(label) or None):
            yield Setting(name if label == "Rating" else f"{name}, {label}", was.get(label), now.get(label))
