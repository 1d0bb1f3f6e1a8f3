"""Which difference moved whose rating by how much.

A is replayed as it is, then B's settings are applied to it, then B's starting ratings, then the changed games one by
one in the order of play, and the ratings are replayed after each. A part is what one of these steps moved; so the
parts of a player sum to his whole change, and a part holds all that its game does to the games after it, as they stand
by then.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from elo_sheets._late import pd
from elo_sheets.errors import EloSheetsError
from elo_sheets.games import COLUMNS, players
from elo_sheets.replaying.replay import replay
from elo_sheets.replaying.starting import Starts
from elo_sheets.uses.differing.changes import CHANGED, REMAINDER, SETTINGS, SEVERAL, START, Change, Moved, Part, Setting
from elo_sheets.uses.differing.matching import Slot
from elo_sheets.uses.differing.sides import OWNER, Side, read_columns, shown_names

# Ratings that differ by less are the same.
TOLERANCE = 1e-9

# The changes are applied one by one as long as that costs no more than so many replays, and so many games replayed;
# beyond that, neighbours are applied together.
MOST_REPLAYS = 400
MOST_WORK = 5_000_000


_Step = tuple[str, Any]


class Attribution:
    """Replays A with ever more of B's differences, and keeps what each of them moved."""

    def __init__(
        self,
        a: Side,
        b: Side,
        settings: Sequence[Setting],
        start: Mapping[str, Sequence[Setting]],
        changes: Sequence[Change],
        slots: Sequence[Slot],
    ) -> None:
        self.a, self.b = a, b
        self.settings, self.start, self.changes, self.slots = settings, start, changes, slots
        self.names = shown_names(a, b)
        self._tables()

    def _tables(self) -> None:
        """Put the games of A and then B into one table; A has `offset` games, both together `count`."""
        self.games, self.filled = _both_tables(self.a, self.b, self.names)
        self.offset, self.count = len(self.a.log.games), len(self.games)

    def moved(self) -> tuple[Moved, ...]:
        """Return the players whose ratings differ, most moved first."""
        before = self._rated(self.a, [*range(self.offset)], self.a.starts)
        after = self._rated(self.b, [*range(self.offset, self.count)], self.b.starts)
        everybody = list(dict.fromkeys([*before, *after]))
        base = {key: (self.b if key in after else self.a).start_of(key) for key in everybody}
        now = {key: before.get(key, base[key]) for key in everybody}
        parts: dict[str, list[Part]] = defaultdict(list)
        for steps, ratings in self._replays():
            cause, text, which = self._cause(steps)
            for key in everybody:
                was, rating = now[key], ratings.get(key, base[key])
                if rating is not None:
                    now[key] = rating
                    if was is not None and abs(rating - was) >= TOLERANCE:
                        parts[key].append(Part(cause, text, rating - was, which))
        found = [_moved(self.names[key], before.get(key), after.get(key), base[key], parts[key]) for key in everybody]
        differing = [one for one in found if one is not None]
        return tuple(sorted(differing, key=lambda one: (-abs(one.change or 0.0), one.name)))

    def _replays(self) -> Iterator[tuple[list[_Step], dict[str, float]]]:
        """Yield steps from A to B and the ratings after each.

        Games of one side may be impossible to rate under the settings of the other: then the next step comes too.
        """
        done: set[_Step] = set()
        waiting: list[_Step] = []
        for steps in self._steps():
            waiting += steps
            try:
                ratings = self._mixed(done | set(waiting))
            except EloSheetsError:
                continue
            done |= set(waiting)
            yield waiting, ratings
            waiting = []

    def _steps(self) -> Iterator[list[_Step]]:
        """Yield what is applied together: one difference, unless there are too many to replay after each."""
        if self.settings:
            yield [(SETTINGS, None)]
        most = max(1, min(MOST_REPLAYS, MOST_WORK // max(1, self.count)))
        for kind, every in ((START, [*self.start]), (CHANGED, [*range(len(self.changes))])):
            together = max(1, -(-len(every) // most))
            for first in range(0, len(every), together):
                yield [(kind, what) for what in every[first : first + together]]

    def _mixed(self, done: Container[_Step]) -> dict[str, float]:
        """Return the ratings of A's games and settings with the steps that are done."""
        rows: list[int] = []
        for slot in self.slots:
            if slot.change is not None and (CHANGED, slot.change) in done:
                rows += [] if slot.b is None else [self.offset + slot.b]
            else:
                rows += [] if slot.a is None else [slot.a]
        start = {**self.a.starts, **self.b.starts}
        for key in self.start:
            own = (self.b if (START, key) in done else self.a).starts
            start = {**start, key: own[key]} if key in own else {name: start[name] for name in start if name != key}
        return self._rated(self.b if (SETTINGS, None) in done else self.a, rows, start)

    def _rated(self, side: Side, rows: list[int], start: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
        """Return the final ratings, by key, of rows of both tables under a side's settings.

        A column that none of the rows fills is left out, as it is of a log that does not have it.
        """
        if not rows:
            return {}
        columns = [name for name in self.games if name not in self.filled or self.filled[name][rows].any()]
        games = self.games[columns].iloc[rows].assign(game=range(1, len(rows) + 1)).reset_index(drop=True)
        playing = set(players(games))
        given = {self.names[key]: state for key, state in start.items() if self.names[key] in playing}
        owner = None if side.player is None else self.names[OWNER]
        ratings = replay(games, side.system, side.settings, player=owner, start=Starts(given), history=False).ratings
        return {self.keys[name]: rating for name, rating in zip(ratings["player"], ratings["rating"], strict=True)}

    @cached_property
    def keys(self) -> dict[str, str]:
        """The key of each shown name."""
        return {name: key for key, name in self.names.items()}

    def _cause(self, steps: Sequence[_Step]) -> tuple[str, str, tuple[int, ...]]:
        """Return what is said of a part: its cause, in words, and the changed games that it is."""
        which = tuple(what for kind, what in steps if kind == CHANGED)
        if len(steps) > 1:
            days = sorted(filter(None, (self.changes[i].game.day for i in which)))
            between = f", {days[0]} to {days[-1]}" if days else ""
            return SEVERAL, f"{len(steps)} differences together{between}", which
        kind, what = steps[0]
        if kind == SETTINGS:
            return SETTINGS, "settings: " + ", ".join(map(str, self.settings)), ()
        if kind == START:
            return START, "start rating: " + ", ".join(map(str, self.start[what])), ()
        return self.changes[what].kind, str(self.changes[what]), which


def _both_tables(a: Side, b: Side, names: Mapping[str, str]) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the games of A and then B, and for each column that may be missing where it holds something."""
    required = [name for name, column in COLUMNS.items() if column.required]
    wanted = [*required, *sorted({name for side in (a, b) for name in read_columns(side)})]
    tables = []
    for side in (a, b):
        table = side.log.games[[name for name in wanted if name in side.log.games]]
        spelt = {name: names[key] for name, key in side.keys.items()}
        tables.append(table.assign(white=table["white"].map(spelt), black=table["black"].map(spelt)))
    games = pd.concat([table for table in tables if len(table)] or tables, ignore_index=True)
    filled = {}
    for name in games.columns:
        if name in required:
            continue
        filled[str(name)] = games[name].notna().to_numpy()
        dtype: Any = COLUMNS[name].dtype if name in COLUMNS else "str"
        games[name] = games[name].astype(object).where(filled[str(name)], "") if dtype == "str" else games[name]
        games[name] = games[name].astype(dtype)
    return games, filled


def _moved(
    name: str, before: float | None, after: float | None, start: float | None, parts: Sequence[Part]
) -> Moved | None:
    """Return how a player moved, or None when he did not."""
    was, now = (start if rating is None else rating for rating in (before, after))
    if was is None or now is None:
        return Moved(name, before, after, None, ())
    change = now - was
    if before is not None and after is not None and abs(change) < TOLERANCE:
        return None
    rest = change - math.fsum(part.change for part in parts)
    remainder = [Part(REMAINDER, "not attributed to a single difference", rest)] if abs(rest) >= TOLERANCE else []
    return Moved(name, before, after, change, (*parts, *remainder))
