"""The journal's Log and Ledger: each structural formula beside the Python that gives its value.

The Log is what the owner types, the Ledger what the rule makes of it, row by row. The Log shows the Ledger's
results; the Ledger reads the Log by position, so that rows of the Log can be inserted, deleted and sorted. Each pool
has a chain of its own: a row finds the last row of its pool in columns that carry it on. Names stand for numbers
behind the inputs and are compared with `=` only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from elo_sheets.systems import GAME_INPUTS, System
from elo_sheets.workbook.book import Columns, Inputs
from elo_sheets.workbook.facts import step_unit
from elo_sheets.workbook.journal_chain import EXTRA, Played, Rule, month_of, year_of
from elo_sheets.workbook.layout import (
    UNRATED,
    TableLayout,
    day_of,
    day_read,
    number_or,
    period_begins,
    text_of,
)
from elo_sheets.workbook.plan import CellValue, Fill
from elo_sheets.workbook.sourced import SOURCE, sources_told
from elo_sheets.workbook.spellings import NO_RESULT, OWN

if TYPE_CHECKING:
    import pandas as pd

INPUTS = ("Date", "Opponent", "Opponent rating", "Colour", "Result", "Event")
# Columns of the Log that may stay empty, those that only some systems have among them.
OPTIONAL = ("Pool", "Opening", "Time control", "Opponent RD", *EXTRA.values())
COLOURS = {"white": "White", "black": "Black"}

# Rows of the sheet Pools; the Ledger has a column for each.
POOL_ROWS = 6
# The deviation of opponents whose own is not typed, in a new book.
OPPONENT_RD = 60.0
# What parts the number of a group from the number within it: more than rows in a sheet.
PART = 1_000_000
# Two ratings are the same within this.
NEAR = 0.000001
# An upset: the winner was expected to score less than this.
UPSET = 0.3

# The results of the Ledger that the Log shows beside each game, where the system has them.
SHOWN = ("rating", "expected", "k_used", "change", "rating_after", "rd_after")

Texts = list[CellValue]


def inputs_from_games(games: pd.DataFrame, rows: int, several: bool = False) -> Columns:
    """Return the Log of a player's games (the table of `replay.journal_games`), with empty rows up to `rows`."""
    from elo_sheets.replaying.periods import sheet_days

    def column(name: str) -> Texts:
        return [text or None for text in games[name].tolist()] if name in games else [None] * len(games)

    dates: Texts = list(sheet_days(games["date"]))
    ratings: Texts = [None if r != r else r for r in games["opponent_rating"].tolist()]
    log: dict[str, Texts] = {
        "Date": dates,
        "Opponent": list(games["opponent"]),
        "Opponent rating": ratings,
        "Colour": list(games["colour"].str.capitalize()),
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
    """One row of the Ledger as the sheet reads it from the Log."""

    date: float
    opponent: str
    colour: str
    result: str
    opponent_rating: CellValue
    opponent_rd: float
    opening: str
    control: str
    event: str
    pool: int
    previous: int
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


def _read_rows(inputs: Inputs, count: int, pools: Pools, rule: Rule, dated: bool) -> list[Row]:
    log = inputs.tables["Log"]
    typed_rows = len(log["Opponent"])
    ordered = rule.period in {"month", "year"}
    default_rd = float(number_or(inputs.cells.get("opponent_rd"), 0.0) or 0)
    rows: list[Row] = []
    last: dict[int, int] = {}

    for i in range(count):
        cell: dict[str, CellValue] = dict.fromkeys((*INPUTS, *OPTIONAL))
        if i < typed_rows:
            cell |= {label: values[i] for label, values in log.items()}
        date = day_of(cell["Date"])
        opponent, result = text_of(cell["Opponent"]), OWN.read(cell["Result"])
        rating = number_or(cell["Opponent rating"], "")
        used = not (opponent == "" and result == "" and rating == "")
        pool = pools.number(text_of(cell["Pool"])) if used else 0
        previous = last.get(pool, 0)
        tests = (
            (not used, ""),
            (rating == "", "no opponent rating"),
            (OWN.score(result) is None, result or NO_RESULT),
            (pool == 0, "unknown pool"),
            (dated and date == 0, "no date"),
            (
                ordered and previous > 0 and rule.period_of(date) < rule.period_of(rows[previous - 1].date),
                "out of order",
            ),
        )
        status = next((answer for test, answer in tests if test), "rated")
        if status == "rated":
            last[pool] = i + 1
        defaults = {name: GAME_INPUTS[name] or 0.0 for name in rule.extra}
        rows.append(
            Row(
                date,
                opponent,
                COLOURS.get(text_of(cell["Colour"]).lower(), ""),
                result,
                rating,
                float(number_or(cell["Opponent RD"], default_rd) or 0),
                text_of(cell["Opening"]),
                text_of(cell["Time control"]),
                text_of(cell["Event"]),
                pool,
                previous,
                status,
                OWN.score(result) if status == "rated" else "",
                {name: float(number_or(cell[EXTRA[name]], d) or 0) for name, d in defaults.items()},
            )
        )
    return rows


class JournalCells:
    """What a journal's rows say, and the fills of its Log and Ledger."""

    def __init__(
        self,
        system: System,
        settings: Mapping[str, Any],
        cells: Mapping[str, str],
        inputs: Inputs,
        ledger_labels: Sequence[str],
        header_row: int,
    ) -> None:
        self.system, self.settings, self.setting_cells = system, settings, cells
        self.rule = Rule(system, settings)
        self.inputs = inputs
        self.pools = Pools(inputs, settings, self.rule)
        self.ledger_rows = inputs.sizes["Ledger"]
        self.rows = _read_rows(inputs, self.ledger_rows, self.pools, self.rule, self.needs_date)
        self.layout = TableLayout("Ledger", ledger_labels, header_row)
        self.first_row = header_row + 1
        self.shown_pool = max(1, self.pools.number(text_of(inputs.cells.get("pool_shown"))))

    @property
    def needs_date(self) -> bool:
        """Whether a game is only rated with its date."""
        return self.rule.period in {"month", "year"} or "date" in self.system.reads

    # What follows from the rows

    @cached_property
    def latest_dates(self) -> list[float]:
        """The latest day of all rows up to each row."""
        return list(accumulate((row.date for row in self.rows), max))

    @cached_property
    def order_breaks(self) -> list[float]:
        """Whether each row is dated before a row above it."""
        return [float(0 < row.date < latest) for row, latest in zip(self.rows, self.latest_dates, strict=True)]

    @cached_property
    def rated(self) -> list[int]:
        """The places of the rated rows, from 0."""
        return [i for i, row in enumerate(self.rows) if row.is_rated]

    @cached_property
    def values(self) -> dict[str, Texts]:
        """What the rule's columns hold, row by row, empty text where a row is not rated."""
        games = [
            Played(
                i + 1,
                row.pool,
                row.date,
                row.event,
                float(row.score or 0),
                float(row.opponent_rating or 0),
                row.opponent_rd,
                -1.0 if row.colour == "Black" else 1.0,
                row.extra,
            )
            for i, row in enumerate(self.rows)
            if row.is_rated
        ]
        starts = dict(enumerate(self.pools.starts, 1))
        played = self.rule.played(games, starts)
        columns: dict[str, Texts] = {name: [""] * len(self.rows) for name in self.rule.names}
        for game, now in zip(games, played, strict=True):
            for name in self.rule.names:
                columns[name][game.row - 1] = now[name]
        return columns

    def games_of(self, pool: int) -> list[int]:
        """Return the places of a pool's rated rows."""
        return [i for i in self.rated if self.rows[i].pool == pool]

    @cached_property
    def shown(self) -> list[int]:
        """The places of the rated rows of the pool that the Dashboard shows."""
        return self.games_of(self.shown_pool)

    def _along(self, begin: float, step: Callable[[float, int], float], nothing: CellValue) -> Texts:
        """Return a column that goes on from the pool's row before."""
        found: Texts = [nothing] * len(self.rows)
        for i in self.rated:
            previous = self.rows[i].previous
            found[i] = step(float(found[previous - 1] or 0) if previous else begin, i)
        return found

    @cached_property
    def peaks(self) -> Texts:
        """The highest rating of the pool up to each row, its typed start rating among them."""
        typed = [number_or(start, float("-inf")) for start in self.pools.typed["Start rating"]]

        def step(before: float, i: int) -> float:
            started = float("-inf") if self.rows[i].previous else float(typed[self.rows[i].pool - 1] or 0)
            return max(before, started, float(self.values["rating_after"][i] or 0))

        return self._along(float("-inf"), step, "")

    @cached_property
    def streaks(self) -> Texts:
        """Wins in a row, or losses in a row as a negative number."""

        def step(before: float, i: int) -> float:
            score = self.rows[i].score
            return max(before, 0) + 1 if score == 1 else (min(before, 0) - 1 if score == 0 else 0.0)

        return self._along(0.0, step, 0.0)

    @cached_property
    def unbeaten(self) -> Texts:
        """Games in a row without a loss."""
        return self._along(0.0, lambda before, i: 0.0 if self.rows[i].score == 0 else before + 1, 0.0)

    @cached_property
    def pool_games(self) -> Texts:
        """The number of each game in its pool."""
        return self._along(0.0, lambda before, i: before + 1, 0.0)

    @cached_property
    def keys(self) -> Texts:
        """What a game of a pool is found by: the pool's number and the game's in it."""
        games = [float(value or 0) for value in self.pool_games]
        return [PART * row.pool + n if row.is_rated else 0.0 for row, n in zip(self.rows, games, strict=True)]

    @cached_property
    def so_far(self) -> list[float]:
        """Rated games of all pools up to each row."""
        return [float(count) for count in accumulate(row.is_rated for row in self.rows)]

    def numbers(self, texts: Sequence[str]) -> Texts:
        """Return for each text the row in which it first stands, 0 for none."""
        first: dict[str, float] = {}
        return [first.setdefault(text.lower(), float(i)) if text else 0.0 for i, text in enumerate(texts, 1)]

    def ranks(self, numbers: Sequence[CellValue]) -> Texts:
        """Return the key that ranks a group by its games in the shown pool, at the row in which it first stands."""
        counts: dict[CellValue, int] = {}
        for i in self.shown:
            counts[numbers[i]] = counts.get(numbers[i], 0) + 1
        return [PART * float(counts.get(n, 0)) - i if n == i else "" for i, n in enumerate(numbers, 1)]

    @cached_property
    def notable(self) -> Texts:
        """What wins and losses of the shown pool are ranked by: wins above 0, losses below."""
        found: Texts = [""] * len(self.rows)
        for i in self.shown:
            rating, game = float(self.rows[i].opponent_rating or 0), i + 1
            if self.rows[i].score == 1:
                found[i] = PART + rating - game / PART
            elif self.rows[i].score == 0:
                found[i] = rating + game / PART - PART
        return found

    @cached_property
    def repeated(self) -> Texts:
        """Whether a game stands further up already: same day, opponent, rating, result and pool."""
        numbers = self.numbers([row.opponent for row in self.rows])
        keys = [
            (row.date, n, row.opponent_rating, row.score, row.pool if row.is_rated else 0)
            for row, n in zip(self.rows, numbers, strict=True)
        ]
        found: Texts = []
        for i, key in enumerate(keys):
            judged = self.rows[i].is_rated and key[0] > 0 and key[1] != 0
            found.append(float(judged and key in keys[max(0, i - 100) : i]))
        return found

    # The Ledger

    @cached_property
    def ledger(self) -> dict[str, Fill]:
        """Return the fill of every role of the Ledger."""
        rows = self.rows
        opponents = self.numbers([row.opponent for row in rows])
        openings = self.numbers([row.opening for row in rows])
        controls = self.numbers([row.control for row in rows])
        typed = "INDEX(Pools[Start rating],[Pool no.])"
        fills = {
            "ledger_game": Fill([float(i) for i in range(1, self.ledger_rows + 1)], unit="count"),
            "ledger_date": self._fill(self._from_log("Date", "0", day_read("{0}")), [r.date for r in rows], "date"),
            "latest_date": self._fill("MAX(N(up[Latest date]),[Date])", self.latest_dates, "date"),
            "order_break": self._fill("IF(AND([Date]>0,[Date]<[Latest date]),1,0)", self.order_breaks, "count"),
            "ledger_opponent": self._fill(self._from_log("Opponent"), [r.opponent for r in rows]),
            "ledger_colour": self._fill(
                self._from_log("Colour", '""', 'IF({0}="White","White",IF({0}="Black","Black",""))'),
                [r.colour for r in rows],
            ),
            "ledger_result": self._fill(self._from_log("Result", reading=OWN.formula("{0}")), [r.result for r in rows]),
            "ledger_opponent_rating": self._fill(
                self._from_log("Opponent rating", '""', 'IF(ISNUMBER({0}),{0},"")'),
                [r.opponent_rating for r in rows],
                "points",
            ),
            "ledger_opponent_rd": self._fill(
                self._from_log("Opponent RD", "N(Opponent_RD)", "IF(ISNUMBER({0}),{0},N(Opponent_RD))"),
                [r.opponent_rd for r in rows],
                "points",
            )
            if self.rule.has_rd
            else Fill([]),
            "ledger_opening": self._fill(self._from_log("Opening"), [r.opening for r in rows]),
            "ledger_control": self._fill(self._from_log("Time control"), [r.control for r in rows]),
            "pool_number": self._fill(self._pool_number(), [float(r.pool) for r in rows], "count"),
            "previous": self._first(self._previous(), [float(r.previous) for r in rows], "count", "0*[Pool no.]"),
            "ledger_status": self._status(),
            "rated_pool": self._fill(
                'IF([Status]="rated",[Pool no.],0)', [float(r.pool if r.is_rated else 0) for r in rows], "count"
            ),
            "score": self._fill(
                'IF([Status]<>"rated","",IF([Result]="Win",1,IF([Result]="Draw",0.5,0)))',
                [r.score for r in rows],
                "share",
            ),
            "games_so_far": self._fill('N(up[Games so far])+IF([Score]="",0,1)', self.so_far, "count"),
            "pool_game": self._along_fill("Pool game", "0", "{0}+1", self.pool_games, "0", "count"),
            "key": self._fill(f"IF([Rated pool]=0,0,{PART}*[Rated pool]+[Pool game])", self.keys, "count"),
            "streak": self._along_fill(
                "Streak",
                "0",
                "IF([Score]=1,MAX({0},0)+1,IF([Score]=0,MIN({0},0)-1,0))",
                self.streaks,
                "0",
                "count",
            ),
            "unbeaten": self._along_fill("Unbeaten", "0", "IF([Score]=0,0,{0}+1)", self.unbeaten, "0", "count"),
            "peak": self._along_fill(
                "Best so far",
                f"IF(ISNUMBER({typed}),{typed},[Rating after])",
                "MAX({0},[Rating after])",
                self.peaks,
                '""',
                "points",
            ),
            "opponent_number": self._number("Opponent", opponents),
            "opening_number": self._number("Opening", openings),
            "control_number": self._number("Time control", controls),
            "opponent_rank": self._rank("Opponent no.", opponents),
            "opening_rank": self._rank("Opening no.", openings),
            "control_rank": self._rank("Control no.", controls),
            "notable": self._fill(
                'IF([Rated pool]<>Pool_number,"",'
                f"IF([Score]=1,{PART}+[Opponent rating]-[Game]/{PART},"
                f'IF([Score]=0,[Opponent rating]+[Game]/{PART}-{PART},"")))',
                self.notable,
                "number",
            ),
            "opponent_counted": self._fill(
                "IF([Rated pool]=Pool_number,[Opponent rating],0)",
                [r.opponent_rating if r.is_rated and r.pool == self.shown_pool else 0.0 for r in rows],
                "points",
            ),
            "duplicate": self._fill(
                "IF(OR([Rated pool]=0,[Date]=0,[Opponent no.]=0),0,IF(COUNTIFS(before100[Date],[Date],"
                "before100[Opponent no.],[Opponent no.],before100[Opponent rating],[Opponent rating],"
                "before100[Score],[Score],before100[Rated pool],[Rated pool])>0,1,0))",
                self.repeated,
                "count",
            ),
        }
        return fills | self._last_fills() | self._rule_fills()

    def _fill(self, notation: str, values: Sequence[CellValue], unit: str = "text") -> Fill:
        return Fill(values, self.layout.formula(notation), unit)

    def _first(self, notation: str, values: Sequence[CellValue], unit: str, first: str) -> Fill:
        return Fill(values, self.layout.formula(notation), unit, first=self.layout.formula(first))

    def _from_log(self, label: str, missing: str = '""', reading: str = '{}&""') -> str:
        cell = f"INDEX(Log[{label}],[Game])"
        # Of the row numbers, which are formulas: LibreOffice 7.4 computes nothing anew for a deleted row of constants.
        return f"IF([Game]>ROWS(Log[Game]),{missing},{reading.format(cell)})"

    def _pool_number(self) -> str:
        cell = "INDEX(Log[Pool],[Game])"
        empty = 'AND([Opponent]="",[Result]="",[Opponent rating]="")'
        return f'IF({empty},0,IF({cell}="",1,SUMPRODUCT((Pools[Pool]={cell})*Pools[Id])))'

    def _previous(self) -> str:
        last = len(self.pools.names)
        return f"IF([Pool no.]=0,0,INDEX(up[Last 1]:up[Last {last}],1,[Pool no.]))"

    def _last_fills(self) -> dict[str, Fill]:
        """The columns that carry on the last rated row of each pool."""
        fills = {}
        for number in range(1, len(self.pools.names) + 1):
            last, values = 0.0, []
            for i, row in enumerate(self.rows, 1):
                last = float(i) if row.is_rated and row.pool == number else last
                values.append(last)
            fills[f"last {number}"] = self._fill(
                f"IF([Rated pool]={number},[Game],N(up[Last {number}]))", values, "count"
            )
        return fills

    def _status(self) -> Fill:
        tests = [
            ('AND([Opponent]="",[Result]="",[Opponent rating]="")', '""'),
            ('[Opponent rating]=""', '"no opponent rating"'),
            ('[Result]=""', f'"{NO_RESULT}"'),
            ('AND([Result]<>"Win",[Result]<>"Draw",[Result]<>"Loss")', "[Result]"),
            ("[Pool no.]=0", '"unknown pool"'),
        ]
        if self.needs_date:
            tests.append(("[Date]=0", '"no date"'))
        rated = '"rated"'
        first = _ladder(tests, rated)
        if self.rule.period in {"month", "year"}:
            begun = period_begins("INDEX(above[Date],[Previous]+1)", self.rule.period)
            rated = f'IF([Previous]=0,"rated",IF([Date]<{begun},"out of order","rated"))'
        return self._first(_ladder(tests, rated), [row.status for row in self.rows], "text", first)

    def _along_fill(
        self, label: str, begin: str, step: str, values: Sequence[CellValue], nothing: str, unit: str
    ) -> Fill:
        """Return a column that goes on from the pool's row before; `step` says how, with that row's cell as {0}."""
        before = f"INDEX(above[{label}],[Previous]+1)"
        first = step.format(begin)
        going_on = f"IF([Previous]=0,{first},{step.format(before)})"
        formula, opening = (f"IF({UNRATED},{nothing},{text})" for text in (going_on, first))
        return self._first(formula, values, unit, opening)

    def _number(self, label: str, values: Sequence[CellValue]) -> Fill:
        """Return the column of the row in which a text first stands; one with a wildcard is compared cell by cell."""
        plain = f"[{label}]"
        for wildcard in "*?~":
            plain = f'SUBSTITUTE({plain},"{wildcard}","")'
        found = f"MATCH([{label}],Ledger[{label}],0)"
        compared = f"{PART}-SUMPRODUCT(MAX((Ledger[{label}]=[{label}])*({PART}-Ledger[Game])))"
        return self._fill(f'IF([{label}]="",0,IF(LEN({plain})=LEN([{label}]),{found},{compared}))', values, "count")

    def _rank(self, label: str, numbers: Sequence[CellValue]) -> Fill:
        games = f"COUNTIFS(Ledger[{label}],[Game],Ledger[Rated pool],Pool_number)"
        return self._fill(f'IF([{label}]<>[Game],"",{PART}*{games}-[Game])', self.ranks(numbers), "count")

    @property
    def starts(self) -> dict[str, str]:
        """Where the state stands that a row's pool begins with."""
        cells = {state.name: self.setting_cells.get(state.initial, state.initial) for state in self.system.state}
        for name, label in (("rating", "Starts at"), ("rd", "RD starts at")):
            if name in cells:
                cells[name] = f"INDEX(Pools[{label}],[Pool no.])"
        return cells

    def _rule_fills(self) -> dict[str, Fill]:
        rule, rounds = self.rule, TableLayout("Rounds", self.rule_labels(self.rule.round_names), self.layout.first_row)
        elsewhere = {name: f"Rounds!{rounds.letter(rule.label(name))}{{row}}" for name in rule.round_names}
        references = rule.references(self.setting_cells, elsewhere)
        fills = {}
        for name in rule.ledger_names:
            if name in rule.steps:
                formula = first = rule.formula(name, references)
            else:
                formula, first = rule.structural(name, self.starts, references)
            fills[f"step:{name}"] = Fill(
                self.values[name],
                self.layout.formula(rule.guarded(formula)),
                step_unit(self.system, name),
                first=None if first == formula else self.layout.formula(rule.guarded(first)),
            )
        return fills

    def rule_labels(self, names: Sequence[str]) -> list[str]:
        """Return the headers of columns of the rule."""
        return [self.rule.label(name) for name in names]

    def rounds(self) -> dict[str, Fill]:
        """Return the fills of the sheet of the iteration by label: the same rows as the Ledger's."""
        rule = self.rule
        ledger = {name: f"Ledger!{self.layout.letter(rule.label(name))}{{row}}" for name in rule.ledger_names}
        layout = TableLayout("Rounds", self.rule_labels(rule.round_names), self.layout.first_row)
        references = rule.references(self.setting_cells, ledger)
        unrated = UNRATED.replace("[Status]", f"Ledger!{self.layout.letter('Status')}{{row}}")
        return {
            rule.label(name): Fill(
                self.values[name],
                layout.formula(f'IF({unrated},"",{rule.formula(name, references)})'),
                step_unit(self.system, name),
            )
            for name in rule.round_names
        }

    # The Log

    @property
    def log_labels(self) -> list[str]:
        """The headers of the Log's typed columns."""
        optional = {
            "Opponent RD": self.rule.has_rd,
            **{label: label in self.rule.extra.values() for label in EXTRA.values()},
        }
        return [*INPUTS, *(label for label in OPTIONAL if optional.get(label, True))]

    def log(self) -> dict[str, Fill]:
        """Return the fill of every role of the Log."""
        typed = self.inputs.tables["Log"]
        count = len(typed["Opponent"])
        status: Texts = []
        for i in range(count):
            beyond = "beyond the Ledger" if text_of(typed["Opponent"][i]) else ""
            status.append(self.rows[i].status if i < self.ledger_rows else beyond)
        labels = ["Game", *self.log_labels, *(self.rule.label(n) for n in SHOWN if n in self.rule.names), "Status"]
        layout = TableLayout("Log", labels, self.layout.first_row)

        def result(formula: str, values: Sequence[CellValue], unit: str) -> Fill:
            text = layout.formula(f'IF({UNRATED},"",{formula})')
            return Fill([values[i] if s == "rated" else "" for i, s in enumerate(status)], text, unit)

        def at(label: str) -> str:
            return f"INDEX(Ledger[{label}],[Game])"

        after, expected = self.rule.label("rating_after"), self.rule.label("expected")
        won, lost = (f"{at('Score')}={score}" for score in (1, 0))
        surprise = f"OR(AND({won},[{expected}]<{UPSET}),AND({lost},[{expected}]>{1 - UPSET}))"
        new_peak = f"AND([{after}]>[{self.rule.label('rating')}],[{after}]>={at('Best so far')}-{NEAR:f})"
        fills = {
            "number": Fill([float(i) for i in range(1, count + 1)], f"ROW()-ROW($A${self.layout.first_row})", "count"),
            "status": Fill(
                status,
                layout.formula(
                    'IF([Game]>ROWS(Ledger[Game]),IF([Opponent]="","","beyond the Ledger"),'
                    "INDEX(Ledger[Status],[Game]))"
                ),
            ),
            "log_streak": result(at("Streak"), self.streaks, "count"),
            "mark": result(f'TRIM(IF({new_peak},"peak","")&IF({surprise}," upset",""))', self.marks, "text"),
        }
        for label in self.log_labels:
            fills[label.lower().replace(" ", "_")] = Fill(typed.get(label, [None] * count))
        for name in SHOWN:
            if name in self.rule.names:
                fills[name] = result(at(self.rule.label(name)), self.values[name], step_unit(self.system, name))
        return fills

    @cached_property
    def marks(self) -> Texts:
        """What the Log remarks of each game: a new peak, an upset."""
        found: Texts = [""] * len(self.rows)
        for i in self.rated:
            now = {name: float(self.values[name][i] or 0) for name in ("rating", "rating_after", "expected")}
            peak = now["rating_after"] > now["rating"] and now["rating_after"] >= float(self.peaks[i] or 0) - NEAR
            score = self.rows[i].score
            upset = (score == 1 and now["expected"] < UPSET) or (score == 0 and now["expected"] > 1 - UPSET)
            found[i] = " ".join(["peak"] * peak + ["upset"] * upset)
        return found


def _ladder(tests: Sequence[tuple[str, str]], otherwise: str) -> str:
    for test, answer in reversed(tests):
        otherwise = f"IF({test},{answer},{otherwise})"
    return otherwise


def curve_games(count: int, points: int) -> list[int]:
    """Return which games the points of a curve show: from the first to the last, evenly spaced, rounded half up."""
    if count == 0:
        return [0] * points
    return [int(1 + i * (count - 1) / (points - 1) + 0.5) for i in range(points)]


def month_number(day: float) -> float:
    """Return the months since the year 0 of a serial day, 0 for an unknown one."""
    return 12 * year_of(day) + month_of(day) - 1 if day else 0.0
