"""The rows of games that are typed into a book, as they are compared with those of a log."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from elo_sheets.games import RESULTS, identity
from elo_sheets.systems import System
from elo_sheets.workbook.book import Columns, Inputs
from elo_sheets.workbook.event.games import SPELLED
from elo_sheets.workbook.layout import name_of, number_or, text_of
from elo_sheets.workbook.plan import CellValue
from elo_sheets.workbook.spellings import OWN, REASONS, Spellings
from elo_sheets.workbook.sports.profiles import Words, words_of
from elo_sheets.workbook.view import Form, View

_EPOCH, _LAST = date(1899, 12, 30), 2_900_000.0
_MIRRORED = {"1-0": "0-1", "0-1": "1-0", "+/-": "-/+", "-/+": "+/-"}

# A row of a table as it is typed: the cell of each column, by label.
Typed = Mapping[str, CellValue]


@dataclass(frozen=True)
class Row:
    """One row of games: where it stands in its table (from 0), when and between whom it was played, how it ended.

    `when` is a day as a spreadsheet counts, or the round of an event, 0 where nothing is typed; `day` is the same in
    words. `detail` is what tells two games of one day apart, each "" where it is not typed. `result` is "" while a game
    has none. `who` are the two players; in games of sides all of them, with "" between the sides, and `names` are the
    sides.
    """

    at: int
    when: float
    day: str
    who: tuple[str, ...]
    detail: tuple[str, ...]
    result: str
    points: tuple[CellValue, ...]
    names: tuple[str, ...]
    typed: Typed

    @property
    def meeting(self) -> tuple[float, tuple[str, ...]]:
        """On which day or in which round they met, and who; the time of day is a detail, which not all logs have."""
        return math.floor(self.when), self.who

    @property
    def turned(self) -> tuple[float, tuple[str, ...], str]:
        """The same game told with the colours the other way round."""
        return math.floor(self.when), self.who[::-1], _MIRRORED.get(self.result, self.result)

    def agrees(self, other: Row) -> bool:
        """Return whether two rows of one meeting may tell of one game: what both say besides the result is equal."""
        return all(a == b or not a or not b for a, b in zip(self.detail, other.detail, strict=True))

    def told_as(self, other: Row) -> Typed:
        """Return what is typed, with every player in the seat that he has in another row of the same game."""
        return self.typed

    def ended_as(self, other: Row) -> bool:
        """Return whether two rows tell of one result; points that one of them does not know do not matter."""
        return self.result == other.result and all(
            a == b or text_of(a) == "" or text_of(b) == "" for a, b in zip(self.points, other.points, strict=True)
        )

    def score(self) -> str:
        """Return the result as it is shown."""
        points = [text_of(value) for value in self.points]
        return f"{self.result} ({points[0]}:{points[1]})" if all(points) and points else self.result or "no result"

    def __str__(self) -> str:
        return " ".join(filter(None, (self.day, " – ".join(filter(None, self.names)), self.score())))


def rows_of(view: type[View], form: Form, system: System, settings: Mapping[str, Any], inputs: Inputs) -> list[Row]:
    """Return the rows of a book's table of games in which something is typed; `form` is its template."""
    table = inputs.tables[view.games_table]
    told = _journal(table, words_of(form)) if view.rows_a_game == 1 else _event(table)
    if view.rows_a_game == 2 and view.is_replayed:
        told = _pool(view, form, system, settings, inputs)
    return [row for row in told if any(row.who) or row.result]


def typed_row(table: Columns, at: int) -> dict[str, CellValue]:
    """Return one row of a table."""
    return {label: values[at] for label, values in table.items()}


def is_used(typed: Typed) -> bool:
    """Return whether anything is typed into a row."""
    return any(text_of(value) != "" for value in typed.values())


def when_of(value: CellValue) -> tuple[float, str]:
    """Return a typed day as a number and in words; one before 1900, which no cell holds as a date, is a text."""
    number = number_or(value, None)
    if isinstance(number, float) and 0 < number < _LAST:
        return number, f"{_EPOCH + timedelta(days=int(number))}"
    try:
        return float((date.fromisoformat(text_of(value)) - _EPOCH).days), text_of(value)
    except ValueError:
        return 0.0, ""


def _clock(value: CellValue) -> str:
    """Return the time of day of a typed moment in seconds, "" for a day alone."""
    number = number_or(value, None)
    seconds = round(number % 1 * 86_400) if isinstance(number, float) and 0 < number < _LAST else 0
    return str(seconds) if seconds else ""


def _pool(view: type[View], form: Form, system: System, settings: Mapping[str, Any], inputs: Inputs) -> Iterator[Row]:
    table = inputs.tables[view.games_table]
    count = inputs.rows(view.games_table)
    pool = view.read_pool(form, system, settings, replace(inputs, sizes={"Ledger": 2 * count}, windows=()))
    for at, game in enumerate(pool.games):
        typed = typed_row(table, at)
        points = tuple(game.extra[name] for name in ("points", "opponent_points") if name in pool.extra)
        names = game.white, game.black
        when, clock = when_of(typed["Date"]), _clock(typed["Date"])
        yield Row(at, *when, _who(names), (clock,), _played(game.result), points, names, typed)


def _journal(table: Columns, words: Words) -> Iterator[Row]:
    own = OWN.of(words)
    for at in range(len(table["Opponent"])):
        typed = typed_row(table, at)
        names = "", name_of(typed["Opponent"])
        told = (text_of(typed.get(label)).lower() for label in (words.side, "Pool"))
        detail = (_clock(typed.get("Date")), *told)
        yield Row(
            at, *when_of(typed.get("Date")), _who(names), detail, _played(own.read(typed["Result"])), (), names, typed
        )


def _event(table: Columns) -> Iterator[Row]:
    for at in range(len(table["White"])):
        typed = typed_row(table, at)
        names = name_of(typed["White"]), name_of(typed["Black"])
        played = float(number_or(typed["Round"], 0.0) or 0.0)
        yield Row(
            at,
            played,
            f"round {played:g}" if played else "",
            _who(names),
            (),
            _played(SPELLED.read(typed["Result"])),
            (),
            names,
            typed,
        )


def _played(result: str) -> str:
    """Return a result, "" for one that says that the game was not played: a log may bring it."""
    return "" if result in REASONS.values() else result


def _who(names: tuple[str, str]) -> tuple[str, str]:
    return identity(names[0]), identity(names[1])


def archived(inputs: Inputs, words: Words) -> list[Row]:
    """Return the games of old years, which a league keeps as values; they stand before the first typed row."""
    table = inputs.tables.get("Archive")
    spelled, found = Spellings(RESULTS, sport=words), []
    for at in range(len(table["Result"]) if table is not None else 0):
        assert table is not None
        typed = typed_row(table, at)
        names = name_of(typed[words.sides[0]]), name_of(typed[words.sides[1]])
        detail, result = (_clock(typed["Date"]),), spelled.read(typed["Result"])
        found.append(Row(at, *when_of(typed["Date"]), _who(names), detail, result, (), names, typed))
    return found
