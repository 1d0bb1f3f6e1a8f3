"""What a journal's Log says, row by row: each game as the Ledger reads it, its pool, and why it is not rated.

From these rows the rule is replayed, pool by pool: so its columns in the book have a source that is not their formulas.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from elo_sheets._late import pd
from elo_sheets.systems import GAME_INPUTS, System
from elo_sheets.workbook.book import HEADER_ROW, Columns, Inputs
from elo_sheets.workbook.journal.chain import EXTRA, Played, Rule
from elo_sheets.workbook.layout import day_of, number_or, period_number, text_of
from elo_sheets.workbook.plan import CellValue
from elo_sheets.workbook.sourced import SOURCE, sources_told
from elo_sheets.workbook.spellings import NO_RESULT, OWN
from elo_sheets.workbook.sports.profiles import CHESS, Words
from elo_sheets.workbook.windows import place_in, shown_windows, windows

INPUTS = ("Date", "Opponent", "Opponent rating", "Colour", "Result", "Event")
# Columns of the Log that may stay empty, those that only some systems have among them.
OPTIONAL = ("Pool", "Opening", "Time control", "Opponent RD", *EXTRA.values())

# Rows of the sheet Pools; the Ledger has a column for each.
POOL_ROWS = 6

Texts = list[CellValue]


def inputs_from_games(games: pd.DataFrame, rows: int, several: bool = False, words: Words = CHESS) -> Columns:
    """Return the Log of a player's games (the table of `journal_games`), with empty rows up to `rows`."""
    from elo_sheets.replaying.periods import sheet_days

    def column(name: str) -> Texts:
        return [text or None for text in games[name].tolist()] if name in games else [None] * len(games)

    dates: Texts = list(sheet_days(games["date"]))
    ratings: Texts = [None if r != r else r for r in games["opponent_rating"].tolist()]
    log: dict[str, Texts] = {
        "Date": dates,
        "Opponent": list(games["opponent"]),
        "Opponent rating": ratings,
        words.side: list(games["colour"].map(dict(zip(("white", "black"), words.sides, strict=True)))),
        "Result": list(games["score"].map(OWN.words)),
        "Event": column("event"),
        "Pool": column("pool") if several else [None] * len(games),
        "Opening": column("eco"),
        "Time control": column("time_control"),
        "Opponent RD": [None] * len(games),
        SOURCE: sources_told(games),
    }
    for name, label in EXTRA.items():
        numbers = games[name].astype("float64").tolist() if name in games else [float("nan")] * len(games)
        log[label] = [None if number != number else number for number in numbers]
    spare: Texts = [None] * (rows - len(games))
    return {label: values + spare for label, values in log.items()}


@dataclass(frozen=True)
class Row:
    """One row of the Log as the Ledger reads it; a pool of 0 is an unknown one, or that of an empty row."""

    date: float
    opponent: str
    side: str
    result: str
    opponent_rating: CellValue
    opponent_rd: float
    event: str
    pool: int
    status: str
    score: CellValue
    extra: Mapping[str, float]

    @property
    def is_rated(self) -> bool:
        """Whether the game counts."""
        return self.status == "rated"


class Pools:
    """The pools that the owner names, and where each begins; their numbers are their rows, from 1."""

    def __init__(self, inputs: Inputs, settings: Mapping[str, Any], rule: Rule) -> None:
        typed = inputs.tables.get("Pools", {"Pool": [None] * POOL_ROWS})
        self.typed = {label: list(values) for label, values in typed.items()}
        self.names = [text_of(name) for name in self.typed["Pool"]]
        nothing: Texts = [None] * len(self.names)
        self.typed = {"Start rating": nothing, "Start RD": nothing} | self.typed
        self.ids: list[int] = []
        seen: set[str] = set()
        for number, name in enumerate(self.names, 1):
            key = name.lower()
            self.ids.append(number if number == 1 or (name and key not in seen) else 0)
            seen.add(key)
        self.starts = [self._start(i, settings, rule) for i in range(len(self.names))]

    def _start(self, i: int, settings: Mapping[str, Any], rule: Rule) -> dict[str, float]:
        start = {state.name: float(settings[state.initial]) for state in rule.system.state}
        for name, label in (("rating", "Start rating"), ("rd", "Start RD")):
            if name in start:
                start[name] = float(number_or(self.typed[label][i], start[name]) or 0)
        return start

    def number(self, name: str) -> int:
        """Return the number of a pool; nothing means the first, an unknown name 0."""
        if name == "":
            return 1
        found = [i for i, known in zip(self.ids, self.names, strict=True) if known.lower() == name.lower()]
        return sum(found)


class JournalRows:
    """The games of a Log, the pools that they count for, and what the rule makes of them."""

    def __init__(self, system: System, settings: Mapping[str, Any], inputs: Inputs, words: Words = CHESS) -> None:
        self.system, self.settings, self.inputs, self.words = system, settings, inputs, words
        self.spellings, self.rule = OWN.of(words), Rule(system, settings, words)
        self.pools = Pools(inputs, settings, self.rule)
        self.ledger_rows = inputs.sizes["Ledger"]
        planned = windows(self.ledger_rows, inputs.rows("Log"), HEADER_ROW + 1)
        self.windows = tuple(inputs.windows) or planned
        self.shown = tuple(inputs.shown) or shown_windows(inputs.rows("Log"), self.ledger_rows, HEADER_ROW + 1)

    @property
    def needs_date(self) -> bool:
        """Whether a game is only rated with its date."""
        return self.rule.period in {"month", "year"} or "date" in self.system.reads

    @cached_property
    def rows(self) -> list[Row]:
        """The rows of the Ledger, as many as it has."""
        log = self.inputs.tables["Log"]
        nothing = dict.fromkeys((*INPUTS, self.words.side, *OPTIONAL))
        typed = [nothing | dict(zip(log, values, strict=True)) for values in zip(*log.values(), strict=True)]
        last: dict[int, float] = {}
        return [self._row(typed[i] if place else nothing, last) for i, place in enumerate(self.places)]

    @cached_property
    def places(self) -> list[int]:
        """Which row of its window each row of the Ledger reads, 0 for none."""
        rows = self.inputs.rows("Log")
        return [place_in(self.windows, i, rows, HEADER_ROW + 1) for i in range(self.ledger_rows)]

    def _row(self, cell: Mapping[str, CellValue], last: dict[int, float]) -> Row:
        """Return what is typed in a row; `last` keeps the day of each pool's last rated game."""
        date, opponent = day_of(cell["Date"]), text_of(cell["Opponent"])
        result, rating = self.spellings.read(cell["Result"]), number_or(cell["Opponent rating"], "")
        used = not (opponent == "" and result == "" and rating == "")
        pool = self.pools.number(text_of(cell["Pool"])) if used else 0
        status = self._status(rating, result, pool, date, last) if used else ""
        if status == "rated":
            last[pool] = date
        default = float(number_or(self.inputs.cells.get("opponent_rd"), 0.0) or 0)
        extra = {name: GAME_INPUTS[name] or 0.0 for name in self.rule.extra}
        extra = {name: float(number_or(cell[EXTRA[name]], none) or 0) for name, none in extra.items()}
        typed, event = text_of(cell[self.words.side]).lower(), text_of(cell["Event"])
        side = next((side for side in self.words.sides if side.lower() == typed), "")
        rd = float(number_or(cell["Opponent RD"], default) or 0)
        score = self.spellings.score(result) if status == "rated" else ""
        return Row(date, opponent, side, result, rating, rd, event, pool, status, score, extra)

    def _status(self, rating: CellValue, result: str, pool: int, date: float, last: Mapping[int, float]) -> str:
        ordered = self.rule.period in {"month", "year"}
        period = partial(period_number, self.rule.period)
        tests = (
            (rating == "", "no opponent rating"),
            (self.spellings.score(result) is None, result or NO_RESULT),
            (pool == 0, "unknown pool"),
            (self.needs_date and date == 0, "no date"),
            (ordered and pool in last and period(date) < period(last[pool]), "out of order"),
        )
        return next((answer for test, answer in tests if test), "rated")

    @cached_property
    def rated(self) -> list[int]:
        """The places of the rated rows, from 0."""
        return [i for i, row in enumerate(self.rows) if row.is_rated]

    @cached_property
    def values(self) -> dict[str, Texts]:
        """What the rule's columns hold, row by row, empty text where a row is not rated."""
        games = [self._played(i) for i in self.rated]
        columns: dict[str, Texts] = {name: [""] * len(self.rows) for name in self.rule.names}
        for game, now in zip(games, self.rule.played(games, dict(enumerate(self.pools.starts, 1))), strict=True):
            for name in self.rule.names:
                columns[name][game.row - 1] = now[name]
        return columns

    def _played(self, i: int) -> Played:
        row = self.rows[i]
        side, rating = -1.0 if row.side == self.words.sides[1] else 1.0, float(row.opponent_rating or 0)
        score = float(row.score or 0)
        return Played(i + 1, row.pool, row.date, row.event, score, rating, row.opponent_rd, side, row.extra)
