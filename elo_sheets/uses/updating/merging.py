"""The games of logs that a book does not hold yet, found as a multiset: two equal games in a log are two."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from elo_sheets.uses.updating.rows import Row
from elo_sheets.workbook.layout import text_of
from elo_sheets.workbook.plan import CellValue
from elo_sheets.workbook.sourced import SOURCE


@dataclass(frozen=True)
class Conflict:
    """A game that stands in a book with another result than in a log; `old` is it among the archived games."""

    typed: Row
    log: Row
    old: bool = False

    def __str__(self) -> str:
        names = " – ".join(filter(None, self.typed.names))
        return f"{names}: {self.typed.score()} in the book, {self.log.score()} in the log"


@dataclass
class Merged:
    """What a log says beyond a book: games to add, results of games that stand there without one, conflicts.

    `held` counts the games that the book has already, `turned` lists those that it has with the colours the other way
    round. Each row of a log is exactly one of these.
    """

    added: list[Row] = field(default_factory=list)
    entered: list[tuple[Row, Row]] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    held: int = 0
    turned: list[Row] = field(default_factory=list)


def merge(
    book: Sequence[Row], log: Sequence[Row], old: Sequence[Row] = (), *, fixtures: bool = False, any_round: bool = False
) -> Merged:
    """Return what a log says beyond the rows of a book and its archived games.

    A row of the book answers for one row of the log: first for an equal one, then, where it has no result, for the one
    that has it, then for one with another result. Among `fixtures` one whose day was moved answers for its game too.
    With `any_round` the log does not say in which round its games were played.
    """
    found = Merged()
    typed, archive = _Open(book, any_round), _Open(old, any_round)
    left = _matched(log, (archive, typed), found)
    left = _entered(left, typed, fixtures, found)
    added = _conflicts(left, (archive, typed), found)
    turned = defaultdict(list)
    for row in book:
        turned[row.turned].append(row)
    for row in added:
        same = turned[*row.meeting, row.result] if row.result and row.when else []
        if same and row.who[0]:
            found.turned.append(row)
            same.pop()
    found.added = added
    return found


class _Open:
    """The rows that no row of the log has been found for yet, by who met when."""

    def __init__(self, rows: Iterable[Row], any_round: bool) -> None:
        self.any_round = any_round
        self.by_meeting: dict[object, list[Row]] = defaultdict(list)
        self.to_play: dict[object, list[Row]] = defaultdict(list)
        for row in rows:
            self.by_meeting[self._key(row)].append(row)
            if not row.result:
                self.to_play[row.who].append(row)

    def _key(self, row: Row) -> object:
        return row.who if self.any_round else row.meeting

    def take(self, row: Row, fits: Callable[[Row, Row], bool]) -> Row | None:
        """Return the first open row of the same meeting that fits, which is open no more."""
        rows = self.by_meeting.get(self._key(row), [])
        found = next((one for one in rows if fits(one, row)), None)
        if found is not None:
            self._close(found)
        return found

    def fixture(self, row: Row) -> Row | None:
        """Return the only open fixture of the same two sides, whatever its day, which is open no more."""
        rows = self.to_play.get(row.who, [])
        if len(rows) != 1 or not all(row.who):
            return None
        found = rows[0]
        self._close(found)
        return found

    def _close(self, row: Row) -> None:
        self.by_meeting[self._key(row)].remove(row)
        if not row.result:
            self.to_play[row.who].remove(row)


def _matched(log: Iterable[Row], rows: Sequence[_Open], found: Merged) -> list[Row]:
    """Return the rows of a log that the book does not hold as they are; what says the same in all comes first."""

    def equal(one: Row, row: Row) -> bool:
        return one.detail == row.detail and one.result == row.result and one.points == row.points

    def alike(one: Row, row: Row) -> bool:
        return one.agrees(row) and one.ended_as(row)

    left = list(log)
    for fits in (equal, alike):
        now = [row for row in left if all(one.take(row, fits) is None for one in rows)]
        found.held += len(left) - len(now)
        left = now
    return left


def _entered(log: Iterable[Row], typed: _Open, fixtures: bool, found: Merged) -> list[Row]:
    """Return the rows of a log that are no results of games that stand in the book without one.

    A fixture that a log tells of once more is the one that the book has.
    """
    left = []
    for row in log:
        one = typed.take(row, lambda one, row: not one.result and one.agrees(row))
        if one is None and fixtures:
            one = typed.fixture(row)
        if one is None:
            left.append(row)
        elif row.result:
            found.entered.append((one, row))
        else:
            found.held += 1
    return left


def _conflicts(log: Iterable[Row], rows: tuple[_Open, _Open], found: Merged) -> list[Row]:
    """Return the rows of a log that stand nowhere in the book."""
    left = []
    for row in log:
        for open_rows, old in zip(rows, (True, False), strict=True):
            one = (
                open_rows.take(row, lambda one, row: bool(one.result) and one.agrees(row))
                if row.when or open_rows.any_round
                else None
            )
            if one is not None and not row.result:
                found.held += 1  # a list of fixtures that were played since
                break
            if one is not None:
                found.conflicts.append(Conflict(one, row, old))
                break
        else:
            left.append(row)
    return left


def places(book: Sequence[Row], added: Sequence[Row]) -> list[tuple[int, Row]]:
    """Return the new rows in order, each with the row of the table before which it stands.

    A game stands before the first one of a later day, or round; after all others where there is none, or where it has
    no day itself.
    """
    end = max((row.at for row in book), default=-1) + 1
    days: list[float] = []  # each later than all above, and the row in which it begins
    begins = []
    for row in book:
        if row.when and (not days or row.when > days[-1]):
            days.append(row.when)
            begins.append(row.at)

    def place(row: Row) -> int:
        later = bisect_right(days, row.when)
        return begins[later] if row.when and later < len(days) else end

    ordered = sorted(added, key=lambda row: row.when or float("inf"))
    return [(place(row), row) for row in ordered]


def next_rounds(book: Sequence[Row], added: Sequence[Row]) -> list[Row]:
    """Return new rows of an event whose log knows no rounds, each in the round after the last one of its players."""
    last: dict[str, float] = defaultdict(float)
    for row in book:
        for side in row.who:
            last[side] = max(last[side], row.when)
    found = []
    for row in added:
        played = 1 + max(last[side] for side in row.who if side)
        last |= dict.fromkeys(row.who, played)
        found.append(replace(row, when=played, day=f"round {played:g}", typed={**row.typed, "Round": played}))
    return found


def entries(typed: Row, log: Row) -> dict[str, CellValue]:
    """Return what of a log's row is put into a row of the book: its result, and what the book does not say."""
    told = log.told_as(typed)
    decides = {"Date", "Result", SOURCE, *(label for label in typed.typed if decides_game(label))}
    given = {
        label: value
        for label, value in told.items()
        if label in typed.typed
        and text_of(value) != ""
        and value != typed.typed[label]
        and (label in decides or is_empty(typed.typed[label]))
    }
    if is_empty(told.get("Result")) and not is_empty(typed.typed.get("Result")):  # the points say it
        given["Result"] = None
    return given


def decides_game(label: str) -> bool:
    """Return whether points or places are typed in a column."""
    return label.endswith((" points", " goals", " score")) or label.startswith(("Points ", "Place "))


def is_empty(value: CellValue) -> bool:
    """Return whether nothing is typed into a cell."""
    return text_of(value) == ""
