"""A pool's Ledger: what the rule makes of every game, two rows a game, as the history of a replay has them.

Each structural formula stands beside the Python that gives its value. A row finds the same player's row before it
by a search of its block and by the sheet Carry, which knows the last row of every player at the end of each block, and
what he carries from there: what a row reads stands in its own block, on Carry, or in its window of Games, so that what
is typed concerns few rows. A name stands for a number everywhere behind the inputs, and is compared with `=` only: a
name such as `Abe*` or `>5` in the criterion of a COUNTIF would count the wrong rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from elo_sheets.replaying.periods import COUNTED, EVENT_GAP_DAYS
from elo_sheets.replaying.replay import replay
from elo_sheets.replaying.starting import Starts
from elo_sheets.systems import GAME_INPUTS, System, lines
from elo_sheets.workbook.book import HEADER_ROW, Inputs
from elo_sheets.workbook.facts import step_unit
from elo_sheets.workbook.layout import (
    UNRATED,
    TableLayout,
    carried,
    column_text,
    day_of,
    day_read,
    is_text,
    name_of,
    number_or,
    numbers_of,
    period_begins,
    rule_formula,
    text_of,
    trimmed,
)
from elo_sheets.workbook.plan import BLOCK, PENDING, STEP, CellValue, Fill
from elo_sheets.workbook.pool_columns import (
    EXTRA,
    FLAGS,
    LATEST,
    POINTS,
    RESULTS,
    SCORES,
    extra_labels,
    last_labels,
    personal_labels,
    pool_step_names,
    start_labels,
    step_label,
)
from elo_sheets.workbook.profiles import CHESS, Words, tidied
from elo_sheets.workbook.scores import part_formulas, scored, tidied_cell
from elo_sheets.workbook.spellings import NO_RESULT, Spellings
from elo_sheets.workbook.windows import windows

if TYPE_CHECKING:
    import pandas as pd

# Rows of Carry beyond the sheet Players, for rows that are inserted there.
SPARE_PLAYERS = 40
# A pair of players as one number; and a game, a win and a draw (1) of a sum that holds all three.
PAIR, GAME, WIN = 100_000, 10**10, 10**5
# The column of Carry with every player's last row in the whole Ledger.
LAST_ROW = "Last row"
# The column of Carry with every player's results in one sum.
TALLY = "Tally"
NOT_NUMBERS = f"{NO_RESULT}: no numbers"
# Rows of the Ledger, two a game, in which a repeated game, or an event that comes back, is looked for.
DUPLICATE_WINDOW = 100


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


def pair_number(game: Game, side: int) -> float:
    """Return one number for both players of a rated game as one side sees it, 0 for other games."""
    own, other = (game.black_number, game.white_number) if side else (game.white_number, game.black_number)
    return float(PAIR * own + other) if game.is_rated else 0.0


def packed(score: CellValue) -> float:
    """Return one number for a score, which sums to games, wins and draws; 0 for no score."""
    return 0.0 if score in ("", None) else float(GAME + (WIN if score == 1 else score == 0.5))


def unpacked(tally: str) -> dict[str, str]:
    """Return the formulas of games, wins, draws and losses from a sum of such numbers.

    >>> unpacked("A1")["wins"]
    'INT(A1/100000)-100000*INT(A1/10000000000)'
    """
    games, wins = f"INT({tally}/{GAME})", f"INT({tally}/{WIN})-{GAME // WIN}*INT({tally}/{GAME})"
    draws = f"{tally}-{WIN}*INT({tally}/{WIN})"
    return {"games": games, "wins": wins, "draws": draws, "losses": f"{games}-({wins})-({draws})"}


class Pool:
    """The players, the games and the Ledger of a pool, from what its owner typed."""

    # What the status says of a game between two known sides of which nothing is typed but who plays; "" where that is
    # a game without a result.
    unplayed = ""
    # The tables, and their sheets, that hold the Ledger and what it carries from block to block.
    table = "Ledger"
    carry_table = "Carry"

    def __init__(
        self,
        system: System,
        settings: Mapping[str, Any],
        cells: Mapping[str, str],
        inputs: Inputs,
        words: Words = CHESS,
    ) -> None:
        self.system, self.settings, self.setting_cells = system, settings, cells
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
        self.games = self._read_games()
        # What rows of later blocks read of a player's row in an earlier one, by column.
        self.carrying: dict[str, Sequence[CellValue]] = {}
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
        for i in range(self.ledger_games):
            is_read = self.place_in_window(i) > 0
            cell = {label: values[i] if is_read else None for label, values in self.typed_games.items()}
            white, black = (name_of(cell[side]) for side in self.sides)
            result = self.spellings.read(cell["Result"])
            white_number = numbers.get(white.lower(), 0)
            black_number = numbers.get(black.lower(), 0)
            date = day_of(cell["Date"])
            extra = {name: self._extra(name, cell[label]) for name, label in self.extra.items()}
            if "seasons" in extra:
                season = extra["seasons"] = float(number_or(extra["seasons"], season) or 0)
            if result == "" and "points" in extra and "" not in (extra["points"], extra["opponent_points"]):
                gap = float(extra["points"] or 0) - float(extra["opponent_points"] or 0)
                result = "1-0" if gap > 0 else ("0-1" if gap < 0 else self.words.drawn)
            if any(is_text(cell[self.extra[name]]) for name in POINTS if name in self.extra):
                result = NOT_NUMBERS
            status = self._status_of(white, black, result, (white_number, black_number), date, latest, extra)
            latest = max(latest, date)
            if status == "rated":
                name = text_of(cell["Event"])
                period = self._period_of(i + 1, date, period, name.lower() != event.lower() or period == 0)
                event = name
            score = SCORES.get(result) if status == "rated" else None
            games.append(
                Game(
                    date,
                    white,
                    black,
                    result,
                    white_number,
                    black_number,
                    status,
                    score,
                    period,
                    event,
                    extra,
                    cell["Result"],
                )
            )
        return games

    def place_in_window(self, i: int) -> int:
        """Return which row of its window a game stands in, 0 for one that has left it; the first game is 0."""
        lo, hi = self.windows[i // STEP]
        row = HEADER_ROW + 1 + i
        return row - lo + 1 if lo <= row <= hi and i < self.inputs.rows("Games") else 0

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
        if 0 in numbers:
            return "unknown player"
        if numbers[0] == numbers[1]:
            return "same player twice"
        if self.unplayed and result == "" and extra.get("points", "") == extra.get("opponent_points", "") == "":
            return self.unplayed
        if result not in SCORES:
            return result or NO_RESULT
        if "points" in self.system.reads and "" in (extra["points"], extra["opponent_points"]):
            return "no points"
        if self.is_dated and date == 0:
            return "no date"
        return "out of order" if self.is_ordered and self._is_late(date, latest) else "rated"

    def _is_late(self, date: float, latest: float) -> bool:
        """Whether a game is dated before one above it; one period of the calendar as one day."""
        if self.is_ordered and date and latest:
            return self._period_of(0, date, 0, False) < self._period_of(0, latest, 0, False)
        return 0 < date < latest

    def _order_break(self) -> str:
        late = "AND([Date]>0,[Date]<[Latest date])"
        if self.is_ordered:
            late = f"IF([Date]=0,FALSE,[Date]<{period_begins('[Latest date]', self.period)})"
        return f"IF({late},1,0)"

    def _period_of(self, game: int, date: float, before: float, new_event: bool) -> float:
        from datetime import date as day
        from datetime import timedelta

        if self.period == "game":
            return float(game)
        if self.period == "event":
            return before + new_event
        when = day(1899, 12, 30) + timedelta(days=int(date))
        return float(when.year if self.period == "year" else 12 * when.year + when.month - 1)

    def _starts(self) -> list[CellValue]:
        initial = float(self.settings["initial"])
        typed = [number_or(value, initial) for value in self.inputs.tables["Players"]["Start rating"]]
        return [start if name else "" for start, name in zip(typed, self.names, strict=True)]

    def games_table(self) -> pd.DataFrame:
        """Return the games table of the rated rows; players are named by their number."""
        import pandas as pd

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
        typed = self.inputs.tables["Players"]
        found: dict[str, dict[str, float]] = {}
        for at, number in enumerate(self.ids):
            values = {state: number_or(typed[label][at], None) for state, label in labels.items()} if number else {}
            if number:
                found[self.known[at]] = {state: float(value) for state, value in values.items() if value is not None}
        return found

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
        records = history.to_dict("records")
        names = self.step_names()
        columns: dict[str, list[CellValue]] = {name: [""] * (2 * self.ledger_games) for name in names}
        inner = [line for line in self.system.lines if line.name not in history]
        last: dict[str, int] = {}
        for at, record in enumerate(records):
            row = 2 * (int(record["game"]) - 1) + at % 2
            game = self.games[row // 2]
            now: dict[str, Any] = dict(record)
            before = last.get(record["player"], 0)
            now["period"] = game.period
            now["same"] = float(before > 0 and self.games[(before - 1) // 2].period == game.period)
            now["year"] = float(record["date"].year) if game.date else 0.0
            now["date"] = game.date
            for read, name in LATEST.items():
                if name in columns:
                    played = game.date if read == "days" else float(game.extra["seasons"] or 0)
                    earlier = columns[name][before - 1] if before else self.start_values[record["player"]].get(name)
                    now[name] = max(played, float(earlier or 0))
            for name in (*self.personal, *(p.name for p in self.system.parameters)):
                now.setdefault(name, self.start_values.get(record["player"], {}).get(name, self.settings[name]))
            for line in inner:
                now[line.name] = float(line.step(*(now[read] for read in line.reads)))
            for name in names:
                if name in now:
                    columns[name][row] = float(now[name])
            last[record["player"]] = row + 1
        for name in set(names) & {"season", "event_name", "period"}:
            if name != "period" or self.period == "event":
                columns[name] = [self._carried_value(name, game) for game in self.games for _ in (0, 1)]
        if "event_back" in columns:
            columns["event_back"] = self._events_back()
        return columns

    def _events_back(self) -> list[CellValue]:
        window = DUPLICATE_WINDOW // 2
        found: list[CellValue] = []
        for i, game in enumerate(self.games):
            is_new = game.is_rated and (i == 0 or self.games[i - 1].period != game.period)
            back = is_new and any(
                above.event.lower() == game.event.lower()
                and (above.date == 0 or above.date >= game.date - EVENT_GAP_DAYS)
                for above in self.games[max(0, i - window) : i]
                if above.period > 0
            )
            found += [float(back), 0.0]
        return found

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

    def starting(self, state: str) -> str:
        """Return the formula of the Ledger for what a player starts from."""
        if state == "rating":
            return "INDEX(Players[Starts at],[Player no.])"
        typed = f"INDEX(Players[{column_text(start_labels(self.system)[state])}],[Player no.])"
        return self.start_formula(state, typed)

    def start_formula(self, state: str, cell: str) -> str:
        """Return the same as a formula; `cell` is where it may be typed."""
        return f"IF(ISNUMBER({cell}),{cell},{self.setting_cells[self._initial[state]]})"

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

    @cached_property
    def previous_rows(self) -> list[int]:
        """The row of the Ledger with the same player's game before, for each row; 0 for none."""
        last: dict[int, int] = {}
        found = []
        for at, game in enumerate(self.games):
            for side, number in enumerate((game.white_number, game.black_number)):
                found.append(last.get(number, 0) if game.is_rated else 0)
                if game.is_rated and side:
                    last[game.white_number], last[game.black_number] = 2 * at + 1, 2 * at + 2
        return found

    def opponent_of(self, row: int) -> int:
        """Return the number of the opponent in a row of the Ledger."""
        game = self.games[(row - 1) // 2]
        return game.white_number if (row - 1) % 2 else game.black_number

    @cached_property
    def best_so_far(self) -> list[CellValue]:
        """Each player's best rating up to a row of the Ledger, empty text where the game is not rated."""
        best = min if self.system.lower_is_better else max
        found: list[CellValue] = []
        for after, before in zip(self.rule["rating_after"], self.previous_rows, strict=True):
            if after in ("", None):
                found.append("")
            else:
                found.append(best(float(after), float(found[before - 1] or 0)) if before else after)
        return found

    @cached_property
    def streaks(self) -> list[CellValue]:
        """How many games in a row each player has won (or lost: negative) at a row of the Ledger."""
        found: list[CellValue] = []
        for row, before in enumerate(self.previous_rows):
            score = self.score(self.games[row // 2], row % 2)
            if score == "":
                found.append("")
                continue
            run = float(found[before - 1] or 0) if before else 0.0
            sign = {1.0: 1.0, 0.0: -1.0}.get(float(score or 0), 0.0)
            found.append(sign * (abs(run) + 1) if run * sign > 0 else sign)
        return found

    # The Ledger

    def ledger(self, labels: Sequence[str], games_labels: Sequence[str]) -> dict[str, Fill]:
        """Return the fill of every role of the Ledger, whose table has these headers; so has the table Games."""
        self.layout = TableLayout(self.table, labels, HEADER_ROW)
        self.games_layout = TableLayout("Games", games_labels, HEADER_ROW)
        numbers = self._window("A")
        sides, games = self.sides, self.games
        rows = [(game, side) for game in games for side in (0, 1)]
        rated_number = [float((g.black_number if s else g.white_number) if g.is_rated else 0) for g, s in rows]
        side_is_first = f'[Side]="{sides[0]}"'
        name = f"IF({side_is_first},{self.typed_cell(sides[0])},{self.typed_cell(sides[1])})"
        down = f"[Game]-INDEX({numbers},1)"
        fills = {
            "row": Fill([float(i) for i in range(1, len(rows) + 1)], unit="count"),
            "ledger_game": Fill([float(i // 2 + 1) for i in range(len(rows))], unit="count"),
            "side": Fill([sides[s] for _, s in rows]),
            "at": self._fill(
                f"IF(OR({down}<0,{down}>=ROWS({numbers})),0,{down}+1)",
                [float(self.place_in_window(i // 2)) for i in range(len(rows))],
                "count",
            ),
            "ledger_date": self._fill(
                self._within("0", day_read(self.typed_cell("Date"))), [g.date for g, _ in rows], "date"
            ),
            "ledger_player": self._fill(
                self._within('""', trimmed(name)), [(g.black if s else g.white) for g, s in rows]
            ),
            **self._scores(rows),
            "ledger_result": self._fill(self._within('""', self._result()), [g.result for g, _ in rows]),
            "ledger_player_number": self._fill(
                'IF([Player]="",0,SUMPRODUCT((Players[Known as]=[Player])*Players[Id]))',
                [float(g.black_number if s else g.white_number) for g, s in rows],
                "count",
            ),
            "ledger_status": self._fill(self._status(), [g.status for g, _ in rows]),
            "rated_number": self._fill('IF([Status]="rated",[Player no.],0)', rated_number, "count"),
            "score": self._fill(
                f'IF([Status]<>"rated","",IF([Outcome]="1/2-1/2",0.5,IF([Outcome]=IF({side_is_first},"1-0","0-1"),1,0)))',
                [self.score(g, s) for g, s in rows],
                "share",
            ),
            "previous": self._previous(),
            "opponent_number": self._fill(
                "IF([Rated no.]=0,0,other[Rated no.])",
                [float((g.white_number if s else g.black_number) if g.is_rated else 0) for g, s in rows],
                "count",
            ),
            "pair": self._fill(
                f"IF([Rated no.]=0,0,{PAIR}*[Rated no.]+[Opponent no.])", [pair_number(g, s) for g, s in rows], "count"
            ),
            "tally": self._fill(
                f"IF([Rated no.]=0,0,{GAME}+IF([Score]=1,{WIN},IF([Score]=0.5,1,0)))",
                [packed(self.score(g, s)) for g, s in rows],
                "count",
            ),
            "games_so_far": self._fill(
                "N(prior[Games so far])+IF([Rated no.]=0,0,1)",
                [float(count) for count in accumulate(g.is_rated for g in games) for _ in (0, 1)],
                "count",
            ),
            "latest_date": self._fill(
                "MAX(N(prior[Latest date]),[Date])", [max(before, g.date) for g, before in self._with_latest()], "date"
            ),
            "order_break": self._fill(
                self._order_break(),
                [float(self._is_late(g.date, before)) for g, before in self._with_latest()],
                "count",
            ),
            "duplicate": self._fill(
                f'IF(OR([Side]<>"{sides[0]}",[Rated no.]=0,[Date]=0),0,IF(COUNTIFS(before100[Side],[Side],'
                "before100[Date],[Date],before100[Rated no.],[Rated no.],before100[Opponent no.],"
                "[Opponent no.],before100[Score],[Score])>0,"
                "1,0))",
                self._duplicates(),
                "count",
            ),
        }
        return fills | self._rule_fills() | self._so_far()

    def _so_far(self) -> dict[str, Fill]:
        """Return the fills of what a player has reached: his best rating, his streak."""
        after = f"[{self.label('rating_after')}]"
        best = "MIN" if self.system.lower_is_better else "MAX"
        run = "carried[Streak]"
        alone = "IF([Score]=1,1,IF([Score]=0,-1,0))"
        longer = f"IF([Score]=1,MAX({run},0)+1,IF([Score]=0,MIN({run},0)-1,0))"

        reached = f"{best}({after},carried[Best so far])"
        self.carrying |= {"Best so far": self.best_so_far, "Streak": self.streaks}
        return {
            "best_so_far": self.carried_fill(self.best_so_far, f"IF([Previous]=0,{after},{reached})", after, "points"),
            "streak": self.carried_fill(self.streaks, f"IF([Previous]=0,{alone},{longer})", alone, "count"),
        }

    def carried_fill(
        self, values: Sequence[CellValue], notation: str, first: str, unit: str, otherwise: str = '""'
    ) -> Fill:
        """Return a column that goes on from the player's row before, with `carried[…]`; `first` is for the first game.

        The columns that are carried are those of the rule, and what `carrying` names besides.
        """
        formula, opening, labels = carried(notation, self.carry_table)
        rule = {self.label(name): values for name, values in self.rule.items()}
        for label in labels:
            self.carrying.setdefault(label, rule.get(label, ()))

        def guarded(text: str) -> str:
            return self.layout.formula(f"IF({UNRATED},{otherwise},{text})")

        return Fill(values, guarded(formula), unit, guarded(opening), guarded(first), 2)

    def score(self, game: Game, side: int) -> CellValue:
        """Return the score of one side, empty text where the game is not rated."""
        if game.score is None:
            return ""
        return 1 - game.score if side else game.score

    def _with_latest(self) -> list[tuple[Game, float]]:
        found, latest = [], 0.0
        for game in self.games:
            found += [(game, latest)] * 2
            latest = max(latest, game.date)
        return found

    def _duplicates(self) -> list[CellValue]:
        keys = [(g.date, g.white_number, g.black_number, g.score) for g in self.games]
        window = DUPLICATE_WINDOW // 2
        found: list[CellValue] = []
        for i, game in enumerate(self.games):
            repeated = game.is_rated and game.date > 0 and keys[i] in keys[max(0, i - window) : i]
            found += [float(repeated), 0.0]
        return found

    def _fill(self, notation: str, values: Sequence[CellValue], unit: str = "text") -> Fill:
        read = self.windows if "{lo}" in notation else ()
        return Fill(values, self.layout.formula(notation), unit, pair=2, windows=read)

    def _within(self, otherwise: str, formula: str) -> str:
        return f"IF([At]=0,{otherwise},{formula})"

    @staticmethod
    def _window(last: str) -> str:
        return f"Games!$A${{lo}}:${last}${{hi}}"

    def typed_cell(self, label: str) -> str:
        """Return what is typed of a row's game, where it stands in its window.

        The window begins with the column of numbers, which nobody can cut and paste elsewhere: a program moves a corner
        of a range with a cell that is.
        """
        cells = self._window(self.games_layout.letter(label))
        return f"INDEX({cells},[At],COLUMNS({cells}))"

    def _result(self) -> str:
        cell = self.typed_cell("Result")
        typed = self.spellings.formula(cell, scored(self.words))
        if "points" not in self.extra:
            return typed
        own, other = (self.typed_cell(self.extra[name]) for name in POINTS)
        decided = f'IF({own}>{other},"1-0",IF({own}<{other},"0-1","{self.words.drawn}"))'
        texts = ",".join(f'AND({one}<>"",NOT(ISNUMBER({one})))' for one in (own, other))
        numbers = f'IF(AND(ISNUMBER({own}),ISNUMBER({other})),{decided},"")'
        return f'IF(OR({texts}),"{NOT_NUMBERS}",IF(TRIM({cell})<>"",{typed},{numbers}))'

    def _scores(self, rows: Sequence[tuple[Game, int]]) -> dict[str, Fill]:
        """Return the columns in which a typed score is taken apart, none for a sport without scores."""
        if not self.words.scores:
            return {}
        written = self._within('""', tidied_cell(self.typed_cell("Result")))
        found = {"written": self._fill(written, [tidied(game.typed) for game, _ in rows])}
        return found | {role: self._fill(text, PENDING) for role, text in part_formulas(self.words).items()}

    def _status(self) -> str:
        tests = [
            ('AND([Player]="",other[Player]="",[Outcome]="")', '""'),
            ("OR([Player no.]=0,other[Player no.]=0)", '"unknown player"'),
            ("[Player no.]=other[Player no.]", '"same player twice"'),
            *self._unplayed(),
            ('[Outcome]=""', f'"{NO_RESULT}"'),
            ('AND([Outcome]<>"1-0",[Outcome]<>"1/2-1/2",[Outcome]<>"0-1")', "[Outcome]"),
        ]
        if "points" in self.system.reads:
            tests.append((f"NOT(AND({','.join(self._points_typed())}))", '"no points"'))
        if self.is_dated:
            tests.append(("[Date]=0", '"no date"'))
        if self.is_ordered:
            tests.append(("[Order break]=1", '"out of order"'))
        formula = '"rated"'
        for test, answer in reversed(tests):
            formula = f"IF({test},{answer},{formula})"
        return formula

    def _points_typed(self) -> list[str]:
        names = [name for name in POINTS if name in self.extra]
        return [f"ISNUMBER({self.typed_cell(self.extra[name])})" for name in names]

    def _unplayed(self) -> list[tuple[str, str]]:
        if not self.unplayed:
            return []
        nothing = ['[Outcome]=""', *(f"NOT({typed})" for typed in self._points_typed())]
        return [(f"AND({','.join(nothing)})", f'"{self.unplayed}"')]

    def _previous(self) -> Fill:
        found = [float(row) for row in self.previous_rows]

        def search(part: str) -> str:
            return f"SUMPRODUCT(MAX(({part}[Rated no.]=[Rated no.])*{part}[No.]))"

        carried = f"INDEX({self.carry_table}[Through {{through}}],[Rated no.])"
        return Fill(
            found,
            self.layout.formula(f"IF([Rated no.]=0,0,MAX({carried},{search('recent')}))"),
            "count",
            self.layout.formula(f"IF([Rated no.]=0,0,{search('first')})"),
            self.layout.formula("0*[Rated no.]"),
            2,
        )

    def carry(self) -> dict[str, Fill]:
        """Return the fills of the table Carry by label: every player's last row up to the end of each block.

        Beside it stands what rows of the next block read of it. A block's own rows begin one game before it does, so
        that no row of the Ledger searches an empty range. The last column goes on to the end of the Ledger.
        """
        rows = self.inputs.sizes.get(self.carry_table) or len(self.names) + SPARE_PLAYERS
        last = [0.0] * rows
        fills = {"No.": Fill([float(i) for i in range(1, rows + 1)], unit="count")}
        first, before = 1, ""
        for through in (*range(BLOCK // 2 - 1, self.ledger_games - 1, BLOCK // 2), self.ledger_games):
            for row in range(first, 2 * through + 1):
                game, side = self.games[(row - 1) // 2], (row - 1) % 2
                number = game.black_number if side else game.white_number
                if game.is_rated and number <= rows:
                    last[number - 1] = float(row)
            is_end = through == self.ledger_games
            label = LAST_ROW if is_end else f"Through {through}"
            numbers, index = (self._part(name, first, 2 * through) for name in ("Rated no.", "No."))
            search = f"SUMPRODUCT(MAX(({numbers}={self._own('No.')})*{index}))"
            formula = f"MAX({self._own(before)},{search})" if before else f"MAX({search})"
            fills[label] = Fill(list(last), formula, "count")
            for column, values in self.carrying.items() if not is_end else ():
                here = f"INDEX({self._part(column, first, 2 * through)},{self._own(label)}-{first - 1})"
                if before:
                    there = self._own(f"{column} {before.lower()}")
                    here = f"IF({self._own(label)}={self._own(before)},{there},{here})"
                carried_values = [values[int(row) - 1] if row else 0.0 for row in last]
                formula = f"IF({self._own(label)}=0,0,{here})"
                fills[f"{column} through {through}"] = Fill(carried_values, formula, "count")
            first, before = 2 * through + 1, label
        return fills

    def _part(self, label: str, first: int, last: int) -> str:
        letter = self.layout.letter(label)
        return f"{self.table}!${letter}${HEADER_ROW + first}:${letter}${HEADER_ROW + last}"

    def _own(self, label: str) -> str:
        return f"{self.carry_table}[[#This Row],[{column_text(label)}]]"

    # The rule's formulas

    def references(self) -> dict[str, str]:
        """Return where each name that a step reads stands, in the notation of `layout`."""
        system = self.system
        own = {name: f"[{self.label(name)}]" for name in self.step_names()}
        own |= {
            p.name: self.setting_cells[p.name]
            for p in system.parameters
            if p.name != "period" and p.name not in self.personal
        }
        personal = [state.name for state in system.state] + [line.name for line in lines(system.opening)]
        own |= {f"opponent_{name}": f"other[{self.label(name)}]" for name in (*personal, *self.personal)}
        own |= {"score": "[Score]", "date": "[Date]", "year": "IF([Date]=0,0,YEAR([Date]))"}
        own |= {"side": f'IF([Side]="{self.sides[0]}",1,-1)', "opponent_points": f"other[{self.label('points')}]"}
        if self.period == "game":
            own |= {f"period_{name}": own[name] if name in own else f"[{name}]" for name in system.sums}
            own |= {"period_games": "1", "elapsed": "1"}
        return own

    def _rule_fills(self) -> dict[str, Fill]:
        references = self.references()
        steps = {line.name: line for line in (*self.system.lines, *lines(self.system.forecast))}
        fills = {}
        for name in self.step_names():
            if name in self._carried:
                fills[f"step:{name}"] = self._fill(self._carried[name], self.rule[name], step_unit(self.system, name))
                continue
            formula, first = (rule_formula(steps[name], references), None) if name in steps else self._structural(name)
            if first is None:
                fills[f"step:{name}"] = self._fill(
                    f'IF({UNRATED},"",{formula})', self.rule[name], step_unit(self.system, name)
                )
            else:
                fills[f"step:{name}"] = self.carried_fill(self.rule[name], formula, first, step_unit(self.system, name))
        return fills

    @cached_property
    def _carried(self) -> dict[str, str]:
        """The formulas of columns that hold something in every row, whether it is rated or not."""
        found = {}
        if "seasons" in self.extra:
            cell = self.typed_cell(self.extra["seasons"])
            found["season"] = self._within("N(up[Season])", f"IF(ISNUMBER({cell}),{cell},N(up[Season]))")
        if self.period == "event":
            found["event_name"] = f'IF({UNRATED},IF([No.]=1,"",up[Event]&""),{self.typed_cell("Event")}&"")'
            same = "AND(up[Event]=[Event],N(up[Period])>0)"
            new = f'IF(AND([Side]="{self.sides[0]}",NOT({same})),1,0)'
            found["period"] = f"N(up[Period])+IF({UNRATED},0,{new})"
            near = f"((before100[Date]=0)+(before100[Date]>=[Date]-{EVENT_GAP_DAYS}))"
            counted = "(before100[Period]>0)*(before100[Period]<=[Period])"
            above = f"SUMPRODUCT((before100[Event]=[Event])*{counted}*{near})"
            again = f'OR([Side]<>"{self.sides[0]}",{UNRATED},[Period]=N(prior[Period]))'
            found["event_back"] = f"IF({again},0,IF({above}>0,1,0))"
        return found

    def _structural(self, name: str) -> tuple[str, str | None]:
        """Return the formula of a column that is no step of the rule, and that of the first game if it differs."""
        label, initial = self.label(name), self._initial

        def before(column: str) -> str:
            return f"carried[{column}]"

        if name in initial:
            start = self.starting(name)
            after = before(self.label(f"{name}_after"))
            if self.period != "game":
                after = f"IF([Same period]=1,{before(label)},{after})"
            return f"IF([Previous]=0,{start},{after})", start
        if name in self.personal:
            cell = f"INDEX(Players[{self.personal[name]}],[Player no.])"
            return f"IF(ISNUMBER({cell}),{cell},{self.setting_cells[name]})", None
        if name == "period":
            return "YEAR([Date])" if self.period == "year" else "12*YEAR([Date])+MONTH([Date])-1", None
        if name == "same":
            return f"IF([Previous]=0,0,IF({before('Period')}=[Period],1,0))", "0*[Period]"
        if name in LATEST.values():
            day, away = "[Date]" if name == "last_date" else "[Season]", self._away(name)
            return f"MAX({day},IF([Previous]=0,{away},{before(label)}))", f"MAX({day},{away})"
        if name in {"elapsed", *LATEST}:
            column = {"elapsed": "Period", "days": "Date", "seasons": "Season"}[name]
            since = f"[{column}]-{before(column)}"
            if name in LATEST:
                seen = before(self.label(LATEST[name]))
                since = f"IF({seen}>0,MAX(0,[{column}]-{seen}),0)"
            first = self._since_last(name, column)
            opening = first
            if first in {"0", "1"}:
                opening = f"{first}+0*[Period]" if name == "elapsed" else f"0*[{column}]"
            if self.period != "game":
                since = f"IF([Same period]=1,{before(label)},{since})"
            return f"IF([Previous]=0,{first},{since})", opening
        if name.startswith("period_"):
            own = "1" if name == "period_games" else self.references()[name.removeprefix("period_")]
            return f"IF([Same period]=1,{before(label)},0)+{own}", own if own != "1" else "1+0*[Period]"
        return self.extra_formula(name, self.typed_cell), None

    def _since_last(self, name: str, column: str) -> str:
        """Return the formula of the time since a player was last seen, in his first game here."""
        cell = self._away(LATEST.get(name, "last_date"))
        if cell == "0" or (name == "elapsed" and self.period not in {"month", "year"}):
            return "1" if name == "elapsed" else "0"
        if name != "elapsed":
            return f"IF({cell}>0,MAX(0,[{column}]-{cell}),0)"
        key = f"YEAR({cell})" if self.period == "year" else f"(12*YEAR({cell})+MONTH({cell})-1)"
        return f"IF({cell}>0,MAX(1,[Period]-{key}),1)"

    def _away(self, name: str) -> str:
        """Return the formula of when a player was last seen before the book, 0 for never."""
        return f"N(INDEX(Players[{self.last[name]}],[Player no.]))" if name in self.last else "0"

    def extra_formula(self, name: str, typed_cell: Callable[[str], str]) -> str:
        """Return the formula of what a game says besides its result; `typed_cell` says where a column is read."""
        cell = typed_cell(self.extra[name])
        if name in FLAGS:
            return f'IF({cell}="yes",1,0)'
        if name == "shootout":
            own, other = self.sides
            sign = f'IF([Side]="{own}",1,-1)'
            return f'IF({cell}="{own}",1,IF({cell}="{other}",-1,0))*{sign}'
        if name == "points":
            other = typed_cell(self.extra["opponent_points"])
            return f'IF([Side]="{self.sides[0]}",{cell},{other})'
        default = GAME_INPUTS.get(name)
        return f"IF(ISNUMBER({cell}),{cell},{default or 0:g})"
