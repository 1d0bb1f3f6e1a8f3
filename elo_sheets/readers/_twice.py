"""Games that the logs tell of twice: counted once where that is certain, and named in any case.

The rule, for every format:

- A number or link of its own makes two rows one game. Where their results differ, nobody knows the result: both are
  kept out.
- Two rows of one log are one game where they are the same in every column (of a PGN file, the moves too). Where the
  players meet several times that day and no time tells the games apart, two equal rows may be two games: they are kept.
  So they are where there is neither day nor round. A log that repeats itself whole was copied.
- Rows of different logs are one game where day, players, colours and result are the same and nothing that both tell
  differs; two such games in one export are two.
- The same players on one day with another result are named and kept.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import time
from typing import Any, NamedTuple

# What a server calls one game by: lichess.org/abcd1234 or chess.com/game/live/123.
GAME_LINK = re.compile(r"lichess\.org/[A-Za-z0-9]{8}(?![A-Za-z0-9]{5})|chess\.com/(?:[a-z]+/)+\d+", re.I)

RESULT = frozenset({"score", "white_points", "black_points", "shootout"})
# What programs word differently of one game, or number by the file that they write.
DESCRIBED = frozenset({"date", "white", "black", "eco", "opening", "termination", "source", "source_row"})
# What two games of the same players, day and result may differ in, and copies of one do not.
OF_A_GAME = frozenset({"link", "event", "pool", "time_control", "moves"})
# What begins the names of columns without a role, and of those that count the rows of their file.
MORE, NUMBERED = "more:", "number:"
NOTHING = ("", None)
SCORES = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}

# From how many rows on a log that says everything twice was copied, and from how many days with several games of the
# same two players, and which share of all days, such days are the habit of a log: one alone may be a slip of the hand.
COPIED, HABIT, HABIT_SHARE = 10, 2, 0.05
SHOWN = 10
# Seconds in which an answer may be sent twice. Nobody plays and reports a game of the same two meanwhile: a game of
# bullet chess, the shortest that is rated, gives each of them a minute.
AT_ONCE = 60


@dataclass(slots=True)
class Told:
    """A row of a log: what it tells of a game, its place among all rows read, and its log.

    `columns` are those of all these rows, of which this is the one numbered `row`. Two rows have the same `whole` where
    every column says the same, and the same `meeting` where log, players, day, round and event are the same; `pair` is
    the same whoever is White.
    """

    columns: Mapping[str, Sequence[Any]]
    row: int
    day: int | None
    at: int
    log: int
    white: int
    black: int
    pair: int
    meeting: int
    whole: int
    _tells: dict[str, object] | None = None

    def said(self, column: str) -> Any:
        """What stands in a column, None where there is no such column."""
        return self.columns[column][self.row] if column in self.columns else None

    @property
    def score(self) -> float:
        """White's score."""
        return float(self.said("score"))

    @property
    def place(self) -> str:
        """Where it stands, as messages name it."""
        return f"{self.said('source')}, row {self.said('source_row')}"

    @property
    def result(self) -> str:
        """White's and Black's score."""
        return SCORES[self.score]

    @property
    def tells(self) -> dict[str, object]:
        """What it says of the game, players and day aside, where it says anything."""
        if self._tells is None:
            fields = ((name, self.said(name)) for name in self.columns)
            self._tells = {
                name.removeprefix(MORE): value.casefold() if isinstance(value, str) else value
                for name, value in fields
                if name not in DESCRIBED and not name.startswith(NUMBERED) and value == value and value not in NOTHING
            }
            if self.day is not None and (clock := self.said("date").time()) != time():
                self._tells["time"] = clock
        return self._tells


@dataclass
class Twice:
    """The rows that are kept out, each with its reason, and the remarks."""

    reasons: dict[int, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def server_link(text: str) -> str:
    """Return the link by which a server knows a game, nothing for other texts."""
    link = GAME_LINK.search(text)
    return "" if link is None else link[0].lower() if "chess.com" in link[0].lower() else link[0]


class Habits(NamedTuple):
    """How often the same two players meet in each log: the meetings of several games on one day, all, and the rows."""

    often: Counter[int]
    among: Counter[int]
    rows: Counter[int]


def find_twice(rows: Sequence[Told], sizes: Mapping[int, int], others: Habits) -> Twice:
    """Return which rows are kept out, and the remarks.

    `rows` are those of all logs, in order, of meetings of which two rows may tell of one game, `others` how the other
    rows meet that tell of two players who meet again on one day; `sizes` says how many rows each log has.
    """
    found = _Finding(list(rows), sizes, others)
    found.by_number()
    found.copied_logs()
    found.in_one_log()
    found.across_logs()
    return Twice(found.reasons, found.notes())


def _grouped(rows: Iterable[Told], key: Callable[[Told], Any]) -> dict[Any, list[Told]]:
    groups: dict[Any, list[Told]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups


def _differ(a: Told, b: Told, besides: frozenset[str] = frozenset()) -> list[str]:
    """Return what both rows tell and tell differently."""
    common = a.tells.keys() & b.tells.keys()
    return sorted(name for name in common if name not in besides and a.tells[name] != b.tells[name])


def _seconds(row: Told) -> float:
    """Return the time of day of a row, 0 where it tells none."""
    clock = row.tells.get("time")
    return clock.hour * 3600 + clock.minute * 60 + clock.second if isinstance(clock, time) else 0.0


class _Finding:
    """The rows that are left while one rule after the other is applied."""

    def __init__(self, rows: list[Told], sizes: Mapping[int, int], others: Habits) -> None:
        self.rows, self.sizes, self.others = rows, sizes, others
        self.reasons: dict[int, str] = {}
        self.once: list[Told] = []
        self.disagreeing: list[Told] = []
        self.equal_but_kept: list[Told] = []
        self.suspects: list[tuple[Told, Told, str]] = []
        self.nearly: list[tuple[Told, Told]] = []

    def _count_once(self, row: Told, first: Told) -> None:
        self.reasons[row.at] = f"the same game as in {first.place}: counted once"
        self.once.append(row)

    def _left(self) -> list[Told]:
        return [row for row in self.rows if row.at not in self.reasons]

    def by_number(self) -> None:
        """Judge the rows that share a number or link."""

        def key(row: Told) -> Any:
            link = row.said("link")
            return link if server_link(link) else (link, row.pair, row.day)

        for key_, same in _grouped((row for row in self.rows if isinstance(row.said("link"), str)), key).items():
            first = same[0]
            known = isinstance(key_, str)
            others = [row for row in same[1:] if known or not _differ(first, row, RESULT)]
            against = [row for row in others if self._score_for(first.white, row) != first.score]
            for row in () if against else others:
                self._count_once(row, first)
            for row in [first, *others] if against else ():
                other = against[0] if row is first else first
                self.reasons[row.at] = (
                    f"the same game as in {other.place}, which says {other.result} where this row says {row.result}: "
                    "correct one of them"
                )
                self.disagreeing.append(row)

    @staticmethod
    def _score_for(white: int, row: Told) -> float:
        return row.score if row.white == white else 1 - row.score

    def copied_logs(self) -> None:
        """Judge logs that repeat themselves, or another log, row by row."""
        seen: dict[tuple[Any, ...], list[Told]] = {}
        for log, rows in _grouped(self._left(), lambda row: row.log).items():
            if len(rows) != self.sizes[log] or len(rows) < 2:
                continue
            content = tuple(row.whole for row in rows)
            half = len(rows) // 2
            if content in seen:
                for row, first in zip(rows, seen[content], strict=True):
                    self._count_once(row, first)
            elif len(rows) % 2 == 0 and len(rows) >= COPIED and content[:half] == content[half:]:
                for row, first in zip(rows[half:], rows[:half], strict=True):
                    self._count_once(row, first)
            seen.setdefault(content, rows)

    def in_one_log(self) -> None:
        """Judge the rows of one log that are the same in every column."""
        left = self._left()
        meetings = _grouped(left, lambda row: row.meeting)
        varied = {key for key, rows in meetings.items() if any(row.whole != rows[0].whole for row in rows)}
        habitual = self._habitual(left, [rows[0] for rows in meetings.values()], varied)
        for same in _grouped(left, lambda row: (row.log, row.whole)).values():
            if len(same) == 1:
                continue
            first = same[0]
            certain = bool({"time", "link"} & first.tells.keys())
            several = first.meeting in varied or first.log in habitual
            nowhere = first.day is None and "round" not in first.tells
            for row in same[1:]:
                if row.place == first.place:  # one row that tells of several games says that they are several
                    continue
                if certain or not (several or nowhere):
                    self._count_once(row, first)
                else:
                    self.equal_but_kept.append(row)
        for meeting in varied:
            rows = [row for row in meetings[meeting] if row.at not in self.reasons]
            if rows and rows[0].log not in habitual and (rows[0].day is not None or "round" in rows[0].tells):
                self.nearly += self._nearly_same(rows)

    @staticmethod
    def _nearly_same(rows: Sequence[Told]) -> Iterator[tuple[Told, Told]]:
        """Yield the rows that differ from an earlier one of their meeting only in what is no part of a game."""
        for at, row in enumerate(rows):
            for first in rows[:at]:
                same = first.white == row.white and first.said("score") == row.said("score")
                same = same and abs(_seconds(row) - _seconds(first)) <= AT_ONCE
                if not same or any(first.tells.get(name) != row.tells.get(name) for name in RESULT):
                    continue
                apart = {*_differ(first, row)}
                if apart and not apart & OF_A_GAME:
                    yield first, row
                    break

    def _habitual(self, left: Sequence[Told], meetings: Sequence[Told], varied: Set[int]) -> set[int]:
        """Return the logs in which the same two players often meet several times a day."""
        dated = (row for row in meetings if row.day is not None)
        often = Counter(row.log for row in dated if row.meeting in varied) + self.others.often
        among = Counter(row.log for row in meetings) + self.others.among
        rows = Counter(row.log for row in left) + self.others.rows
        return {
            log
            for log, count in often.items()
            if count >= HABIT and count >= HABIT_SHARE * (self.sizes[log] - rows[log] + among[log])
        }

    def across_logs(self) -> None:
        """Judge the rows of a log against those of the logs before it."""

        if len(self.sizes) < 2:
            return

        def key(row: Told) -> Any:
            return row.day, row.white, row.black, row.score, row.tells.get("round") if row.day is None else ""

        for same in _grouped(self._left(), key).values():
            if len({row.log for row in same}) < 2:
                continue
            if same[0].day is None and "round" not in same[0].tells:
                self.equal_but_kept += [row for row in same[1:] if row.log != same[0].log]
                continue
            kept: list[Told] = []
            for rows in _grouped(same, lambda row: row.log).values():
                kept += self._unmatched(rows, list(kept))

    def _unmatched(self, rows: Sequence[Told], free: list[Told]) -> list[Told]:
        """Return the rows of one log that are no game of the earlier logs; of those each is matched once."""
        left = []
        for row in rows:
            first = next((one for one in free if not _differ(one, row)), None)
            if first is None:
                left.append(row)
                self.suspects += [(one, row, ", ".join(_differ(one, row))) for one in free[:1]]
            else:
                free.remove(first)
                self._count_once(row, first)
        return left

    def notes(self) -> list[str]:
        """Return the remarks on what was found."""
        made = []
        if self.once:
            what = "1 row tells of a game that another row tells of"
            if len(self.once) > 1:
                what = f"{len(self.once)} rows tell of games that other rows tell of"
            made.append(f"{what}, counted once: {places(self.once)}; --keep-duplicates counts every row")
        if self.disagreeing:
            made.append(
                f"{len(self.disagreeing)} rows give one game different results and were kept out: "
                f"{places(self.disagreeing)}; correct the log, or --keep-duplicates counts them all"
            )
        if self.equal_but_kept:
            what = "1 row is the same as a row before it"
            if len(self.equal_but_kept) > 1:
                what = f"{len(self.equal_but_kept)} rows are the same as rows before them"
            made.append(
                f"{what}, but may be another game, as no time, round or number tells: counted "
                f"({places(self.equal_but_kept)}); take copies out of the log"
            )
        if self.nearly:
            first, row = self.nearly[0]
            count = "1 row has" if len(self.nearly) == 1 else f"{len(self.nearly)} rows have"
            apart = ", ".join(_differ(first, row)).replace("_", " ")
            made.append(
                f"{count} the day or round, the players and the result of a row before, but another {apart} "
                f"({places([row for _, row in self.nearly])}): counted; if it is the same game, take it out of the log"
            )
        if self.suspects:
            first, row, names = self.suspects[0]
            made.append(
                f"games of the same players on one day with one result stand in two logs ({len(self.suspects)}) but "
                f"differ, as in {names} of {first.place} and {row.place}: counted as different games"
            )
        return made


def places(rows: Sequence[Told]) -> str:
    """Return where rows stand, runs of lines shortened: `club.csv, rows 5, 7-12`."""
    found = []
    for source, some in _grouped(rows, lambda row: row.said("source")).items():
        runs: list[list[int]] = []
        for line in sorted(row.said("source_row") for row in some):
            if runs and line == runs[-1][-1] + 1:
                runs[-1] = [runs[-1][0], line]
            else:
                runs.append([line])
        shown = ", ".join("-".join(map(str, run)) for run in runs[:SHOWN])
        more = f" and {len(runs) - SHOWN} more places" if len(runs) > SHOWN else ""
        found.append(f"{source}, row{'s' * (len(some) > 1)} {shown}{more}")
    return "; ".join(found)
