"""A pool's players and games as they are typed, and what the rule makes of them: the history of a replay.

A name stands for a number everywhere behind the inputs, and is compared with `=` only: a name such as `Abe*` or `>5` in
the criterion of a COUNTIF would count the wrong rows. The Ledger that says all this in formulas is `ledger`'s.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import repeat
from typing import Any

from elo_sheets._late import pd
from elo_sheets.games import RESULTS
from elo_sheets.replaying.periods import COUNTED
from elo_sheets.replaying.replay import replay
from elo_sheets.replaying.starting import Starts
from elo_sheets.systems import GAME_INPUTS, System
from elo_sheets.workbook.book import HEADER_ROW, Inputs
from elo_sheets.workbook.layout import day_of, is_text, name_of, number_or, numbers_of, period_number, text_of
from elo_sheets.workbook.plan import CellValue
from elo_sheets.workbook.pools.columns import (
    EXTRA,
    FLAGS,
    LATEST,
    POINTS,
    SCORES,
    extra_labels,
    last_labels,
    personal_labels,
    pool_step_names,
    start_labels,
    step_label,
    typed_states,
)
from elo_sheets.workbook.spellings import NO_RESULT, NOT_PLAYED, REASONS, Spellings
from elo_sheets.workbook.sports.profiles import CHESS, Words
from elo_sheets.workbook.windows import place_in, shown_windows, windows

NOT_NUMBERS, WITH_POINTS = f"{NO_RESULT}: no numbers", f"{NO_RESULT}: {NOT_PLAYED}, with points"


@dataclass(frozen=True)
class Game:
    """One game as the Ledger reads it from Games; the numbers are those of the players, 0 for none."""

    date: float
    white: str
    black: str
    result: str
    white_number: int
    black_number: int
    status: str
    score: float | None
    period: float
    # The event of the last rated game up to here, which a period by events is told by.
    event: str
    extra: Mapping[str, CellValue]
    # What is typed as the result.
    typed: CellValue = None

    @property
    def is_rated(self) -> bool:
        """Whether the game counts."""
        return self.status == "rated"


class Pool:
    """The players, the games and the Ledger of a pool, from what its owner typed."""

    # What the status says of a game between two known sides of which nothing is typed but who plays, or that it is not
    # played yet; "" where that is a game without a result.
    unplayed = ""

    def __init__(self, system: System, settings: Mapping[str, Any], inputs: Inputs, words: Words = CHESS) -> None:
        self.system, self.settings = system, settings
        self.inputs, self.words, self.sides = inputs, words, words.sides
        self.period = str(settings["period"])
        self.ledger_games = inputs.sizes["Ledger"] // 2
        self.typed_games = inputs.tables["Games"]
        self.extra = self.extra_columns()
        self.personal = self.personal_columns()
        typed = inputs.tables["Players"]
        self.last = {name: label for name, label in last_labels(system).items() if label in typed}
        self.names = [text_of(name) for name in inputs.tables["Players"]["Player"]]
        self.known = [name_of(name) for name in self.names]
        self.ids = numbers_of(self.known)
        planned = windows(self.ledger_games, inputs.rows("Games"), HEADER_ROW + 1)
        self.windows = tuple(inputs.windows) or planned
        self.shown = tuple(inputs.shown) or shown_windows(inputs.rows("Games"), self.ledger_games, HEADER_ROW + 1)
        self.games = self._read_games()
        self.starts = self._starts()

    def extra_columns(self) -> dict[str, str]:
        """Return the labels of the further columns of Games, by what they hold."""
        return extra_labels(self.system, self.sides)

    def personal_columns(self) -> dict[str, str]:
        """Return the labels of the columns of Players for settings that differ from player to player."""
        return personal_labels(self.system)

    # What the rows say

    @cached_property
    def spellings(self) -> Spellings:
        """How a result may be written; where games have points, a bare number may be those of one side."""
        return Spellings(RESULTS, digits="points" not in self.extra, sport=self.words)

    @property
    def is_dated(self) -> bool:
        """Whether a game is only rated with its date."""
        return self.period in {"month", "year"} or bool({"date", "year"} & self.system.reads)

    @property
    def is_ordered(self) -> bool:
        """Whether a game is only rated in the order of dates: a closed period is not opened again."""
        return self.period in {"month", "year"}

    def _read_games(self) -> list[Game]:
        numbers = {name.lower(): i for name, i in zip(self.known, self.ids, strict=True) if i}
        games: list[Game] = []
        latest = period = season = 0.0
        event = ""
        once = lru_cache(maxsize=None, typed=True)  # the same names and results stand in many rows
        named, read, lower = once(name_of), once(self.spellings.read), once(str.lower)
        rows = self.inputs.rows("Games")
        for i in range(self.ledger_games):
            is_read = place_in(self.windows, i, rows, HEADER_ROW + 1) > 0
            cell = {label: values[i] if is_read else None for label, values in self.typed_games.items()}
            white, black = (named(cell[side]) for side in self.sides)
            result = read(cell["Result"])
            pair = numbers.get(lower(white), 0), numbers.get(lower(black), 0)
            date = day_of(cell["Date"])
            extra = {name: self._extra(name, cell[label]) for name, label in self.extra.items()}
            if "seasons" in extra:
                season = extra["seasons"] = float(number_or(extra["seasons"], season) or 0)
            if result == "" and "points" in extra and "" not in (extra["points"], extra["opponent_points"]):
                gap = float(extra["points"] or 0) - float(extra["opponent_points"] or 0)
                result = "1-0" if gap > 0 else ("0-1" if gap < 0 else self.words.drawn)
            if any(is_text(cell[self.extra[name]]) for name in POINTS if name in self.extra):
                result = NOT_NUMBERS
            status = self._status_of(white, black, result, pair, date, latest, extra)
            latest = max(latest, date)
            if status == "rated":
                name = text_of(cell["Event"])
                period = self._period_of(i + 1, date, period, name.lower() != event.lower() or period == 0)
                event = name
            score = SCORES.get(result) if status == "rated" else None
            games.append(Game(date, white, black, result, *pair, status, score, period, event, extra, cell["Result"]))
        return games

    def place_in_window(self, i: int) -> int:
        """Return which row of its window a game stands in, 0 for one that has left it; the first game is 0."""
        return place_in(self.windows, i, self.inputs.rows("Games"), HEADER_ROW + 1)

    def _extra(self, name: str, value: CellValue) -> CellValue:
        """Return what the Ledger reads of a further column, as White sees it."""
        if name in FLAGS:
            return 1.0 if text_of(value).lower() == "yes" else 0.0
        if name == "shootout":
            return {self.sides[0].lower(): 1.0, self.sides[1].lower(): -1.0}.get(text_of(value).lower(), 0.0)
        default = GAME_INPUTS.get(name)
        return number_or(value, "" if default is None else default)

    def _status_of(
        self,
        white: str,
        black: str,
        result: str,
        numbers: tuple[int, int],
        date: float,
        latest: float,
        extra: Mapping[str, CellValue],
    ) -> str:
        if white == "" and black == "" and result == "":
            return ""
        is_open = result == NOT_PLAYED and self.unplayed != ""
        if result == NOT_PLAYED and not self._has_no_points(extra):
            return WITH_POINTS
        if result in REASONS.values() and not is_open:
            return result
        if 0 in numbers:
            return "unknown player"
        if numbers[0] == numbers[1]:
            return "same player twice"
        if self.unplayed and result in ("", NOT_PLAYED) and self._has_no_points(extra):
            return self.unplayed
        if result not in SCORES:
            return result or NO_RESULT
        if "points" in self.system.reads and "" in (extra["points"], extra["opponent_points"]):
            return "no points"
        if self.is_dated and date == 0:
            return "no date"
        return "out of order" if self.is_ordered and self._is_late(date, latest) else "rated"

    @staticmethod
    def _has_no_points(extra: Mapping[str, CellValue]) -> bool:
        return extra.get("points", "") == extra.get("opponent_points", "") == ""

    def _is_late(self, date: float, latest: float) -> bool:
        """Whether a game is dated before one above it; one period of the calendar as one day."""
        if self.is_ordered and date and latest:
            return self._period_of(0, date, 0, False) < self._period_of(0, latest, 0, False)
        return 0 < date < latest

    def _period_of(self, game: int, date: float, before: float, new_event: bool) -> float:
        if self.period == "game":
            return float(game)
        return before + new_event if self.period == "event" else period_number(self.period, date)

    def _starts(self) -> list[CellValue]:
        initial = float(self.settings["initial"])
        typed = [number_or(value, initial) for value in self.inputs.tables["Players"]["Start rating"]]
        return [start if name else "" for start, name in zip(typed, self.names, strict=True)]

    def games_table(self) -> pd.DataFrame:
        """Return the games table of the rated rows; players are named by their number."""
        rated = [(i, game) for i, game in enumerate(self.games, 1) if game.is_rated]
        days = pd.Series([game.date for _, game in rated], dtype="float64")
        table = pd.DataFrame(
            {
                "game": [i for i, _ in rated],
                "date": pd.to_datetime(days.where(days > 0), unit="D", origin="1899-12-30"),
                "white": [str(game.white_number) for _, game in rated],
                "black": [str(game.black_number) for _, game in rated],
                "score": [game.score for _, game in rated],
                "source": "Games",
                "source_row": [i for i, _ in rated],
                COUNTED: [int(game.period) for _, game in rated],
            }
        ).astype({"game": "int64", "source_row": "int64", "score": "float64", COUNTED: "int64"})
        for name in self.extra:
            if name not in self.system.reads:
                continue
            column = EXTRA[name][0]
            values = [game.extra[name] for _, game in rated]
            if name == "seasons":
                table[column] = [str(int(float(value or 0))) for value in values]
            elif name in FLAGS:
                table[column] = pd.Series([bool(value) for value in values], dtype="boolean")
            else:
                table[column] = pd.Series(values, dtype="float64")
        return table

    def typed_starts(self) -> dict[str, dict[str, float]]:
        """Return what is typed of the start of each player listed, by name."""
        labels = {"rating": "Start rating"} | start_labels(self.system) | self.personal | self.last
        return typed_states(self.inputs.tables["Players"], self.known, self.ids, labels)

    def start_states(self) -> dict[str, dict[str, float]]:
        """Return the state that each playing player starts from, and his own settings."""
        playing = {n for game in self.games if game.is_rated for n in (game.white_number, game.black_number)}
        found: dict[str, dict[str, float]] = {}
        for i in playing:
            found[str(i)] = {"rating": float(self.starts[i - 1] or 0)}
            found[str(i)] |= {name: self.start_of(name, i) for name in start_labels(self.system)}
            for name, label in (self.personal | self.last).items():
                value = number_or(self.inputs.tables["Players"][label][i - 1], None)
                if value is not None:
                    found[str(i)][name] = float(value)
        return found

    @cached_property
    def replayed(self) -> Any:
        """The replay of the rated games, by the rating core."""
        period = COUNTED if self.period == "event" else self.period
        start = Starts(self.start_states())
        return replay(self.games_table(), self.system, {**self.settings, "period": period}, start=start)

    # The rule's columns

    def step_names(self) -> list[str]:
        """Return the names of the Ledger's columns that depend on the system, in order."""
        return pool_step_names(self.system, self.period)

    @property
    def before(self) -> str:
        """The name of the column with the rating that a game is rated from: in a season's first one, what it leaves."""
        return "start_rating" if "start_rating" in self.step_names() else "rating"

    def label(self, name: str) -> str:
        """Return the header of one of them."""
        return step_label(self.system, name, self.extra)

    @cached_property
    def rule(self) -> dict[str, list[CellValue]]:
        """The values of those columns: two rows a game, empty text where a game is not rated."""
        history = self.replayed.history
        names = self.step_names()
        columns: dict[str, list[CellValue]] = {name: [""] * (2 * self.ledger_games) for name in names}
        inner = [line for line in self.system.lines if line.name not in history]
        now: dict[str, list[Any]] = {name: history[name].tolist() for name in history}
        rows = [2 * (int(game) - 1) + at % 2 for at, game in enumerate(now["game"])]
        games, players = [self.games[row // 2] for row in rows], now["player"]
        last: dict[str, int] = {}
        before: list[int] = []
        for player, row in zip(players, rows, strict=True):
            before.append(last.get(player, 0))
            last[player] = row + 1
        now["period"] = [game.period for game in games]
        past = zip(games, before, strict=True)
        now["same"] = [float(at > 0 and self.games[(at - 1) // 2].period == game.period) for game, at in past]
        now["year"] = [float(day.year) if game.date else 0.0 for game, day in zip(games, now["date"], strict=True)]
        now["date"] = [game.date for game in games]
        for read, name in LATEST.items():
            if name in columns:
                now[name] = self._latest(read, name, games, players, before, rows)
        read_by_name = {*names, *(read for line in inner for read in line.reads)}
        for name in (*self.personal, *(p.name for p in self.system.parameters)):
            if name in read_by_name and name not in now:
                usual = self.settings[name]
                now[name] = [self.start_values.get(player, {}).get(name, usual) for player in players]
        for line in inner:
            read_by_row = zip(*(now[read] for read in line.reads), strict=True) if line.reads else repeat((), len(rows))
            now[line.name] = [float(line.step(*values)) for values in read_by_row]
        for name in names:
            if name in now:
                for row, value in zip(rows, now[name], strict=True):
                    columns[name][row] = float(value)
        for name in set(names) & {"season", "event_name", "period"}:
            if name != "period" or self.period == "event":
                columns[name] = [self._carried_value(name, game) for game in self.games for _ in (0, 1)]
        return columns

    def _latest(
        self, read: str, name: str, games: list[Game], players: list[str], before: list[int], rows: list[int]
    ) -> list[float]:
        """Return when the players were last seen, with the game of the row."""
        seen: dict[int, float] = {}
        for game, player, at, row in zip(games, players, before, rows, strict=True):
            played = game.date if read == "days" else float(game.extra["seasons"] or 0)
            earlier = seen[at] if at else self.start_values[player].get(name)
            seen[row + 1] = max(played, float(earlier or 0))
        return list(seen.values())

    @staticmethod
    def _carried_value(name: str, game: Game) -> CellValue:
        if name == "season":
            return game.extra["seasons"]
        return game.event if name == "event_name" else game.period

    @cached_property
    def start_values(self) -> dict[str, dict[str, float]]:
        """What each playing player starts from, by number as text."""
        return self.start_states()

    def start_of(self, state: str, i: int) -> float:
        """Return what a player starts from in a state besides the rating: as typed, or as the settings say."""
        typed = self.inputs.tables["Players"][start_labels(self.system)[state]][i - 1]
        return float(number_or(typed, self.settings[self._initial[state]]) or 0)

    def final(self, state: str, i: int) -> float:
        """Return a player's state after all games; `i` is his number."""
        row = self.last_rows[i]
        if row == 0:
            return float(self.starts[i - 1] or 0) if state == "rating" else self.start_of(state, i)
        return float(self.rule[f"{state}_after"][row - 1] or 0)

    def best(self, count: int) -> list[CellValue]:
        """Return the names of the players who lead, None where there are fewer."""
        sign = 1 if self.system.lower_is_better else -1
        played = [i for i in self.ids if i and self.last_rows[i]]
        leaders = sorted(played, key=lambda i: sign * self.final("rating", i))[:count]
        return [*(self.names[i - 1] for i in leaders), *[None] * (count - len(leaders))]

    @cached_property
    def _initial(self) -> dict[str, str]:
        return {state.name: state.initial for state in self.system.state}

    @cached_property
    def last_rows(self) -> list[int]:
        """The row of the Ledger (from 1) with each player's last game, by number; 0 for none."""
        last = [0] * (len(self.names) + 1)
        for at, game in enumerate(self.games):
            if game.is_rated:
                last[game.white_number] = 2 * at + 1
                last[game.black_number] = 2 * at + 2
        return last
