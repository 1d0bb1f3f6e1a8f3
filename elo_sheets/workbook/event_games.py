"""An event as its owner typed it: who plays, what became of every game, and the Ledger with two rows a game.

Everything is rated at once: opponents count with their ratings before the event. Each formula stands beside the Python
that gives its value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any

from elo_sheets.systems import Line
from elo_sheets.workbook.book import HEADER_ROW, Columns, Inputs
from elo_sheets.workbook.event_rules import EventRules
from elo_sheets.workbook.facts import line_unit
from elo_sheets.workbook.layout import TableLayout, day_of, name_of, rule_formula, trimmed
from elo_sheets.workbook.plan import CellValue, Fill
from elo_sheets.workbook.spellings import NO_RESULT, Spellings

# What a result gives White and Black in the standings.
PLAYED = {"1-0": (1.0, 0.0), "1/2-1/2": (0.5, 0.5), "0-1": (0.0, 1.0)}
FORFEITS = {"+/-": (1.0, 0.0), "-/+": (0.0, 1.0), "-/-": (0.0, 0.0)}
BYES = {"1 bye": 1.0, "1/2 bye": 0.5, "0 bye": 0.0}
SPELLED = Spellings({1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}, others=(*FORFEITS, *BYES))

# Statuses that need nobody's attention.
SETTLED = ("", "rated", "unrated opponent", "forfeit", "bye")

# A player's number and a round in one key; a round has at most three digits.
KEY = 1000
LAST_ROUND = 999

# A rating whose game counts as the widest has no rival; without ratings no gap is this small.
NO_GAP = -1.0

Values = list[CellValue]


def number(value: CellValue) -> float:
    """Return what N() gives for a cell that holds the value."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0


def numeric(value: CellValue) -> bool:
    """Return what ISNUMBER() gives for a cell that holds the value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


class Table:
    """A table whose columns are added one after the other: formula, and the values that it gives, by role."""

    def __init__(self, name: str, labels: Mapping[str, str], rows: int, first_row: int = HEADER_ROW) -> None:
        self.name, self.labels, self.rows = name, labels, rows
        self.layout = TableLayout(name, list(labels.values()), first_row)
        self.fills: dict[str, Fill] = {}

    def __getitem__(self, role: str) -> Sequence[CellValue]:
        return self.fills[role].values

    def constants(self, role: str, values: Sequence[CellValue], unit: str = "text") -> None:
        """Add a column of constants."""
        self.fills[role] = Fill(values, unit=unit)

    def add(
        self, role: str, formula: str, value: Callable[[int], CellValue], unit: str = "count", pair: int = 1
    ) -> None:
        """Add a column: its formula in the notation of `layout`, and the value in the row of an index from 0."""
        if role in self.labels:
            self.fills[role] = Fill([value(i) for i in range(self.rows)], self.layout.formula(formula), unit, pair=pair)

    def step(
        self,
        role: str,
        line: Line,
        references: Mapping[str, str],
        read: Mapping[str, Callable[[int], Any]],
        guard: str,
        on: Callable[[int], bool],
    ) -> None:
        """Add a rule's column; it is empty where the `guard` says so, which `on` says in Python."""

        def value(i: int) -> CellValue:
            return float(line.step(*(read[name](i) for name in line.reads))) if on(i) else ""

        self.add(role, f'IF({guard},"",{rule_formula(line, references)})', value, line_unit(line))


@dataclass(frozen=True)
class EventGame:
    """One row of Games: the numbers are those of the players, 0 for none; `points` those of White and Black."""

    round: float
    names: tuple[str, str]
    numbers: tuple[int, int]
    result: str
    status: str
    points: tuple[CellValue, CellValue]

    @property
    def is_rated(self) -> bool:
        """Whether both players' ratings change by it."""
        return self.status == "rated"


@dataclass
class Event:
    """The players and games of an event, and the settings that its rules read."""

    rules: EventRules
    settings: Mapping[str, Any]
    cells: Mapping[str, str]
    inputs: Inputs
    entries: int = field(init=False)

    def __post_init__(self) -> None:
        self.entries = self.inputs.sizes["Ratings"]
        self.day = day_of(self.inputs.cells.get("first_day"))

    # What is typed

    @property
    def players(self) -> Columns:
        """The typed columns of Players."""
        return self.inputs.tables["Players"]

    def typed(self, label: str, row: int) -> CellValue:
        """Return what stands in a column of Players, None below the table."""
        values = self.players[label]
        return values[row] if row < len(values) else None

    @cached_property
    def names(self) -> list[str]:
        """The name in each row of Ratings."""
        return [name_of(self.typed("Name", i)) for i in range(self.entries)]

    @cached_property
    def ids(self) -> list[int]:
        """Each row's number, 0 for an empty row and for a name that stands further up."""
        seen: set[str] = set()
        found = []
        for i, name in enumerate(self.names, 1):
            found.append(i if name and name.lower() not in seen else 0)
            seen.add(name.lower())
        return found

    @cached_property
    def ratings(self) -> list[CellValue]:
        """The rating before the event in each row, "" for none."""
        start = float(self.settings["initial"]) if self.rules.name == "uschess" else None
        found: Values = []
        for i, name_id in enumerate(self.ids):
            rating = number(self.typed("Rating", i))
            found.append("" if not name_id else (rating if rating > 0 else ("" if start is None else start)))
        return found

    def fact(self, name: str, row: int) -> float:
        """Return what a rule reads of a player."""
        fact = self.rules.personal[name]
        value = self.typed(fact.label, row)
        if numeric(value):
            return number(value)
        has_rating = fact.unrated is None or number(self.typed("Rating", row)) > 0
        return fact.empty if has_rating else number(fact.unrated)

    @cached_property
    def games(self) -> list[EventGame]:
        """The games that the Ledger reads."""
        numbers = {name.lower(): i for name, i in zip(self.names, self.ids, strict=True) if i}
        typed = self.inputs.tables["Games"]
        count = self.inputs.rows("Games")
        found = []
        for i in range(self.inputs.sizes["Ledger"] // 2):
            cell = {label: values[i] if i < count else None for label, values in typed.items()}
            white, black, result = name_of(cell["White"]), name_of(cell["Black"]), SPELLED.read(cell["Result"])
            at = (numbers.get(white.lower(), 0) if white else 0, numbers.get(black.lower(), 0) if black else 0)
            game_round = number(cell["Round"])
            status = self._status(game_round, (white, black), at, result)
            found.append(EventGame(game_round, (white, black), at, result, status, _points(result, status)))
        return found

    def _status(self, game_round: float, names: tuple[str, str], at: tuple[int, int], result: str) -> str:
        if not any((*names, result)):
            return ""
        if not 1 <= game_round <= LAST_ROUND:
            return "no round"
        if result in BYES:
            return _of_bye(names, at)
        if amiss := _of_names(at):
            return amiss
        if result in FORFEITS:
            return "forfeit"
        if result not in PLAYED:
            return result or NO_RESULT
        rated = all(self.ratings[i - 1] != "" for i in at)
        return "rated" if rated else "unrated opponent"

    @staticmethod
    def _names_status(game: EventGame) -> str:
        is_game = any((*game.names, game.result)) and game.result not in BYES
        return _of_names(game.numbers) if is_game else ""

    @staticmethod
    def _bye_status(game: EventGame) -> str:
        return _of_bye(game.names, game.numbers) if game.result in BYES else ""

    # The Ledger

    def side(self, row: int) -> tuple[EventGame, int]:
        """Return the game of a row of the Ledger and which of its sides: 0 White, 1 Black."""
        return self.games[row // 2], row % 2

    def rating_of(self, number_: int) -> CellValue:
        """Return a player's rating, "" for nobody's."""
        return self.ratings[number_ - 1] if number_ else ""

    def ledger(self, labels: Mapping[str, str]) -> Table:
        """Return the columns of the Ledger that no federation's rule gives."""
        rows = self.inputs.sizes["Ledger"]
        table = Table("Ledger", labels, rows)
        table.constants("ledger_game", [float(i // 2 + 1) for i in range(rows)], "count")
        table.constants("ledger_side", [("White", "Black")[i % 2] for i in range(rows)])
        beyond = "[Game]>ROWS(Games[Game])"
        table.add(
            "ledger_round", f"IF({beyond},0,N(INDEX(Games[Round],[Game])))", lambda i: self.side(i)[0].round, "count"
        )
        picked = 'IF([Side]="White",INDEX(Games[White],[Game]),INDEX(Games[Black],[Game]))'
        table.add(
            "ledger_name",
            f'IF({beyond},"",{trimmed(picked)})',
            lambda i: self.side(i)[0].names[i % 2],
            "text",
        )
        table.add(
            "ledger_player",
            'IF([Name]="",0,SUMPRODUCT((Ratings[Name]=[Name])*Ratings[Id]))',
            lambda i: float(self.side(i)[0].numbers[i % 2]),
        )
        table.add("ledger_opponent", "other[Player no.]", lambda i: float(self.side(i)[0].numbers[1 - i % 2]), pair=2)
        table.add(
            "ledger_result",
            f'IF({beyond},"",{SPELLED.formula("INDEX(Games[Result],[Game])")})',
            lambda i: self.side(i)[0].result,
            "text",
        )
        for role, who in (("ledger_rating", "Player no."), ("ledger_opponent_rating", "Opponent no.")):
            at = 0 if role == "ledger_rating" else 1
            table.add(
                role,
                f'IF([{who}]=0,"",INDEX(Ratings[Rating],[{who}]))',
                lambda i, at=at: self.rating_of(self.side(i)[0].numbers[(i + at) % 2]),  # type: ignore[misc]
                "points",
            )
        table.add("ledger_kind", _KIND, lambda i: _kind(self.side(i)[0].result), "text")
        table.add("ledger_bye", _BYE_STATUS, lambda i: self._bye_status(self.side(i)[0]), "text", pair=2)
        table.add("ledger_names", _NAMES, lambda i: self._names_status(self.side(i)[0]), "text", pair=2)
        table.add("ledger_status", _STATUS, lambda i: self.side(i)[0].status, "text", pair=2)
        table.add("ledger_points", _POINTS, lambda i: self.side(i)[0].points[i % 2], "number")
        table.add("score", 'IF([Status]="rated",[Points],"")', self._score, "number")
        table.add("ledger_counted", 'IF([Score]="",0,1)', lambda i: float(self.counts(i)))
        table.add(
            "ledger_met",
            "IF([Counted]=0,0,COUNTIFS(Ledger[Player no.],[Player no.],Ledger[Opponent no.],[Opponent no.],"
            "Ledger[Counted],1))",
            lambda i: (
                float(self.meetings[self.side(i)[0].numbers[i % 2], self.side(i)[0].numbers[1 - i % 2]])
                if self.counts(i)
                else 0.0
            ),
        )
        table.add(
            "ledger_first",
            'IF(AND([Status]="unrated opponent",[Rating]="",[Opponent rating]<>""),1,0)',
            lambda i: float(self.first(i)),
        )
        firsts = list(accumulate(float(self.first(i)) for i in range(rows)))
        table.add("ledger_first_total", "N(up[First total])+[First]", lambda i: firsts[i])
        table.add("ledger_gap", "IF([Counted]=0,-1,ABS([Rating]-[Opponent rating]))", self._gap, "points")
        same = "(Ledger[Player no.]=[Player no.])"
        table.add(
            "ledger_widest",
            f"IF([Counted]=0,0,IF(SUMPRODUCT({same}*(Ledger[Gap]>[Gap]))+SUMPRODUCT({same}*(Ledger[Gap]=[Gap])"
            "*(Ledger[Game]<[Game]))=0,1,0))",
            lambda i: self._widest[i],
        )
        table.add(
            "ledger_key",
            f'IF(OR([Player no.]=0,[Points]=""),0,[Player no.]*{KEY}+[Round])',
            self.key,
        )
        often = Counter(table["ledger_key"])
        table.add(
            "ledger_again",
            "IF([Key]=0,0,IF(COUNTIF(Ledger[Key],[Key])>1,1,0))",
            lambda i: float(self.key(i) > 0 and often[self.key(i)] > 1),
        )
        return table

    def counts(self, row: int) -> bool:
        """Return whether a side of a game is rated."""
        return self.side(row)[0].is_rated

    def first(self, row: int) -> bool:
        """Return whether a side's game counts for the player's first rating."""
        game, side = self.side(row)
        own, other = (self.rating_of(game.numbers[at]) for at in (side, 1 - side))
        return game.status == "unrated opponent" and own == "" and other != ""

    def key(self, row: int) -> float:
        """Return a player's number and the round in one number, 0 for what is no game of his."""
        game, side = self.side(row)
        mine = game.numbers[side]
        return float(mine * KEY + game.round) if mine and game.points[side] != "" else 0.0

    def _score(self, row: int) -> CellValue:
        return self.side(row)[0].points[row % 2] if self.counts(row) else ""

    def _gap(self, row: int) -> float:
        game = self.side(row)[0]
        if not self.counts(row):
            return NO_GAP
        white, black = (number(self.rating_of(at)) for at in game.numbers)
        return abs(white - black)

    @cached_property
    def meetings(self) -> dict[tuple[int, int], int]:
        """How many rated games a player had with another, from either side."""
        found: dict[tuple[int, int], int] = {}
        for game in self.games:
            if game.is_rated:
                for pair in (game.numbers, game.numbers[::-1]):
                    found[pair] = found.get(pair, 0) + 1
        return found

    @cached_property
    def _widest(self) -> list[float]:
        best: dict[int, tuple[float, int]] = {}
        rows = range(self.inputs.sizes["Ledger"])
        for i in rows:
            mine = self.side(i)[0].numbers[i % 2]
            if self.counts(i) and self._gap(i) > best.get(mine, (NO_GAP, 0))[0]:
                best[mine] = (self._gap(i), i)
        return [float(self.counts(i) and best[self.side(i)[0].numbers[i % 2]][1] == i) for i in rows]

    @cached_property
    def own_rows(self) -> dict[int, list[int]]:
        """The rows of the Ledger of each player, by his number."""
        found: dict[int, list[int]] = {}
        for i in range(self.inputs.sizes["Ledger"]):
            found.setdefault(self.side(i)[0].numbers[i % 2], []).append(i)
        found.pop(0, None)
        return found

    def rows_of(self, number_: int) -> list[int]:
        """Return the rows of the Ledger of one player, none for nobody."""
        return self.own_rows.get(number_, [])


def _kind(result: str) -> str:
    return "bye" if result in BYES else "forfeit" if result in FORFEITS else "game" if result in PLAYED else ""


def _of_bye(names: tuple[str, str], numbers: tuple[int, int]) -> str:
    return "bye with opponent" if names[1] else ("bye" if numbers[0] else "unknown player")


def _of_names(at: tuple[int, int]) -> str:
    return "unknown player" if not all(at) else "same player twice" if at[0] == at[1] else ""


def _points(result: str, status: str) -> tuple[CellValue, CellValue]:
    if status == "bye":
        return BYES[result], ""
    if status == "forfeit":
        return FORFEITS[result]
    return PLAYED[result] if status in {"rated", "unrated opponent"} else ("", "")


_BYE = "OR({})".format(",".join(f'[Result]="{text}"' for text in BYES))
_FORFEIT = "OR({})".format(",".join(f'[Result]="{text}"' for text in FORFEITS))
_PLAYED = "OR({})".format(",".join(f'[Result]="{text}"' for text in PLAYED))

_KIND = f'IF({_BYE},"bye",IF({_FORFEIT},"forfeit",IF({_PLAYED},"game","")))'

# The status of a game stands on both of its rows; each finds out which of them is White's.
_BYE_STATUS = (
    'IF([Kind]<>"bye","",IF(IF([Side]="White",other[Name],[Name])<>"","bye with opponent",'
    'IF(IF([Side]="White",[Player no.],[Opponent no.])=0,"unknown player","bye")))'
)
_STATUS = (
    'IF(AND([Name]="",other[Name]="",[Result]=""),"",'
    f'IF(OR([Round]<1,[Round]>{LAST_ROUND}),"no round",IF([Kind]="bye",[Bye],'
    'IF([Names]<>"",[Names],IF([Kind]="forfeit","forfeit",IF([Kind]="",IF([Result]="","no result",[Result]),'
    'IF(OR([Rating]="",[Opponent rating]=""),"unrated opponent","rated")))))))'
)
_NAMES = (
    'IF(OR([Kind]="bye",AND([Name]="",other[Name]="",[Result]="")),"",'
    'IF([Player no.]*[Opponent no.]=0,"unknown player",IF([Player no.]=[Opponent no.],"same player twice","")))'
)
_POINTS = (
    'IF([Status]="bye",IF([Side]="Black","",IF([Result]="1 bye",1,IF([Result]="0 bye",0,0.5))),'
    'IF([Status]="forfeit",IF([Result]=IF([Side]="White","+/-","-/+"),1,0),'
    'IF(OR([Status]="rated",[Status]="unrated opponent"),'
    'IF([Result]="1/2-1/2",0.5,IF([Result]=IF([Side]="White","1-0","0-1"),1,0)),"")))'
)
