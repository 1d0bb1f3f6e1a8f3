"""What stands in a book of doubles, teams or tables: its games as typed, their status, and what the rule makes of them.

The Ledger has one row for each seat at a game, filled or not: a row for each player and game, with the same columns for
all. The rule's columns get their values from the replay of games of sides and their formulas from the
traced steps; all else is a formula alone, whose values `complete` finds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from elo_sheets._late import pd
from elo_sheets.errors import UsageError
from elo_sheets.replaying.sided import RatedRow, SidedRule, rated_games
from elo_sheets.systems import Line, lines
from elo_sheets.systems.sides import SIZE, SidedSystem
from elo_sheets.workbook.book import Inputs
from elo_sheets.workbook.layout import day_of, name_of, number_or, numbers_of, rule_formula
from elo_sheets.workbook.plan import CellValue
from elo_sheets.workbook.pools.columns import start_labels, typed_states
from elo_sheets.workbook.sports.profiles import NO_DRAWS

LETTERS = "AB"
RATED = "rated"
SEAT_EXPECTED = "seat_expected_"
# What a player at a table meets where one game is against the mean of the others.
OTHERS = "opponent_side_rating"
UNKNOWN, TWICE, NO_RESULT, TOO_FEW = "unknown player", "same player twice", "no result", "players missing"


class Shape(NamedTuple):
    """How many sides a game has at most, how many players a side, and whether two sides may be level."""

    sides: int
    size: int
    draws: bool = True

    @property
    def seats(self) -> int:
        """The rows of the Ledger that a game has."""
        return self.sides * self.size

    @property
    def is_table(self) -> bool:
        """Whether each plays for himself."""
        return self.size == 1

    def side(self, seat: int) -> int:
        """Return the side, from 1, of a seat from 1."""
        return (seat - 1) // self.size + 1

    def seat_label(self, seat: int) -> str:
        """Return the header of the column in which a seat's player is typed."""
        if self.is_table:
            return f"Player {seat}"
        return f"{LETTERS[self.side(seat) - 1]}{(seat - 1) % self.size + 1}"

    @property
    def seat_labels(self) -> list[str]:
        """The headers of all seats."""
        return [self.seat_label(seat) for seat in range(1, self.seats + 1)]

    @property
    def points_labels(self) -> list[str]:
        """The headers of the columns in which the points of the sides are typed."""
        if self.is_table:
            return [f"Points {seat}" for seat in range(1, self.seats + 1)]
        return [f"{letter} points" for letter in LETTERS]

    @property
    def place_labels(self) -> list[str]:
        """The headers of the columns in which places are typed; only a table has them."""
        return [f"Place {seat}" for seat in range(1, self.seats + 1)] if self.is_table else []


@dataclass(frozen=True)
class SidedGame:
    """One row of Games as the Ledger reads it: the players' numbers by seat, 0 for none, and each seat's standing."""

    status: str
    date: float
    numbers: Sequence[int]
    standings: Sequence[CellValue]
    rows: Sequence[Mapping[str, Any]] = field(default=())


class SidedPool:
    """The players and games of a book of sides, from what its owner typed."""

    def __init__(self, system: SidedSystem, settings: Mapping[str, Any], inputs: Inputs, shape: Shape) -> None:
        self.system, self.settings, self.inputs, self.shape = system, settings, inputs, shape
        self.rule = SidedRule(system, settings, shape.sides)
        check_book(system, shape)
        self.games_held = inputs.sizes["Ledger"] // shape.seats
        self.known = [name_of(name) for name in inputs.tables["Players"]["Player"]]
        self.ids = numbers_of(self.known)

    @cached_property
    def games(self) -> list[SidedGame]:
        """The games, one for each group of rows of the Ledger."""
        numbers = {name.lower(): i for name, i in zip(self.known, self.ids, strict=True) if i}
        typed = self.inputs.tables["Games"]
        held = min(self.games_held, self.inputs.rows("Games"))
        games = [self._game({label: values[i] for label, values in typed.items()}, numbers) for i in range(held)]
        nothing = SidedGame("", 0.0, [0] * self.shape.seats, [""] * self.shape.seats)
        return [*games, *[nothing] * (self.games_held - held)]

    def _game(self, cell: Mapping[str, CellValue], numbers: Mapping[str, int]) -> SidedGame:
        shape = self.shape
        names = [name_of(cell[label]) for label in shape.seat_labels]
        found = [numbers.get(name.lower(), 0) if name else 0 for name in names]
        points = [number_or(cell[label], "") for label in shape.points_labels]
        places = [number_or(cell[label], "") for label in shape.place_labels]
        standings = self._standings(points, places)
        status = self._status(names, found, standings)
        rows = []
        if status == RATED:
            for seat, number in enumerate(found, 1):
                if number:
                    side = shape.side(seat)
                    told = points[side - 1]
                    value = float("nan") if told == "" else float(told or 0)
                    row = {"seat": seat, "side": side, "player": str(number), "place": float(standings[seat - 1] or 0)}
                    rows.append({**row, "points": value, "weight": 1.0})
        return SidedGame(status, day_of(cell["Date"]), found, standings, rows)

    def _standings(self, points: Sequence[CellValue], places: Sequence[CellValue]) -> list[CellValue]:
        """Return what decides for each seat, the smaller the better: its place, or the points that its side lacks."""
        if any(place != "" for place in places):
            return list(places)
        own = [points[self.shape.side(seat) - 1] for seat in range(1, self.shape.seats + 1)]
        return ["" if value == "" else 0.0 - float(value or 0) for value in own]

    def _status(self, names: Sequence[str], numbers: Sequence[int], standings: Sequence[CellValue]) -> str:
        present = [seat for seat, name in enumerate(names, 1) if name]
        if not present and all(standing == "" for standing in standings):
            return ""
        if any(numbers[seat - 1] == 0 for seat in present):
            return UNKNOWN
        if len({numbers[seat - 1] for seat in present}) < len(present):
            return TWICE
        sides = {self.shape.side(seat) for seat in present}
        if len(sides) < 2:
            return TOO_FEW
        told = {standings[seat - 1] for seat in present}
        if "" in told:
            return NO_RESULT
        return NO_DRAWS if len(told) == 1 and not self.shape.draws else RATED

    def typed_starts(self) -> dict[str, dict[str, float]]:
        """Return what is typed of the start of each player listed, by name."""
        labels = {"rating": "Start rating"} | start_labels(self.system)
        return typed_states(self.inputs.tables["Players"], self.known, self.ids, labels)

    def start_states(self, typed: Mapping[str, str], initial: Mapping[str, str]) -> dict[str, dict[str, float]]:
        """Return what each listed player starts from, by number; `typed` are the columns of Players by state."""
        columns = self.inputs.tables["Players"]
        found = {}
        for at, number in enumerate(self.ids):
            if number:
                found[str(number)] = {
                    state: float(number_or(columns[label][at], self.settings[initial[state]]) or 0)
                    for state, label in typed.items()
                }
        return found

    def rated(self, starts: Mapping[str, dict[str, float]]) -> list[RatedRow | None]:
        """Return what the rule makes of each row of the Ledger, None where a row is not rated."""
        found: list[RatedRow | None] = [None] * (self.games_held * self.shape.seats)
        states = {name: self.rule.start_of(state, name) for name, state in starts.items()}
        played = [(at, game) for at, game in enumerate(self.games) if game.rows]
        rows = [{**row, "game": at} for at, game in played for row in game.rows]
        for at, told, rated in rated_games(self.rule, _frame(rows), states):
            for row, made in zip(told, rated, strict=True):
                found[at * self.shape.seats + row["seat"] - 1] = made
        return found


def _frame(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["game", "seat", "side", "player", "place", "points", "weight"])


def check_book(system: SidedSystem, shape: Shape) -> None:
    """Raise `UsageError` for a rule, in its form, that no book of this shape holds."""
    name = system.base.name
    if "side_weights" in {member.name for member in system.members}:
        raise UsageError("a book of sides has no weights of players: take another side_rule and share_rule, or replay")
    if {"points", "opponent_points"} & system.reads:
        raise UsageError(
            f"a book of sides does not hold margins of {name} yet: leave out --set margin_rule=…, or take replay"
        )
    if not shape.is_table:
        if system.many in ("mean", "winner"):
            raise UsageError(
                f"the games of this book have two sides, for which table_rule={system.many} changes nothing: leave out "
                "--set table_rule=…, or take the template table"
            )
        return
    if system.rate is not None or system.sums not in (("change",), ("shared_change",)):
        raise UsageError(
            f"the template table rates by elo, or a rule of one's own like it, and not by {name}: take replay"
        )
    if not by_seat(system, shape):
        return
    behind = {line.name for line in through(system)}
    late = [line.name for line in lines(system.game) if line.name not in behind and _reads_opponent(line)]
    if late:
        raise UsageError(f"the template table cannot hold {name}, whose step {late[0]} reads the opponent: take replay")


def _reads_opponent(line: Line) -> bool:
    return any(read.startswith("opponent_") for read in line.reads)


def by_seat(system: SidedSystem, shape: Shape) -> bool:
    """Return whether a row of the Ledger sums over its opponents, and does not meet one side, or the others' mean."""
    return shape.is_table and system.many != "mean"


def by_winner(system: SidedSystem, shape: Shape) -> bool:
    """Return whether the losers of a game play its winners alone."""
    return shape.is_table and system.many == "winner"


def step_label(system: SidedSystem, shape: Shape, name: str) -> str:
    """Return the header of a column of the rule."""
    if name.startswith(SEAT_EXPECTED):
        return f"Expected v {name.removeprefix(SEAT_EXPECTED)}"
    return "Mean of others" if shape.is_table and name == OTHERS else system.label(name)


def through(system: SidedSystem) -> list[Line]:
    """Return the steps of the game by which the expected score follows from an opponent, that step last."""
    every = list(lines(system.game))
    moved: set[str] = set()
    for line in every:
        if _reads_opponent(line) or moved & set(line.reads):
            moved.add(line.name)
        if line.name == "expected":
            return [one for one in every if one.name in moved]
    raise UsageError(f"the template table needs a step expected, which {system.base.name} has not")


def seat_expected(system: SidedSystem, references: Mapping[str, str], opponent: str) -> str:
    """Return the formula of the expected score against one opponent, whose rating stands in the cell `opponent`."""
    known = {**references, "opponent_side_rating": opponent, "side_rating": references["rating"]}
    for line in through(system):
        known[line.name] = f"({rule_formula(line, known)})"
    return known["expected"]


def step_names(system: SidedSystem, shape: Shape) -> list[str]:
    """Return the names of the Ledger's columns that depend on the system, in order."""
    names = [state.name for state in system.state] + [line.name for line in lines(system.opening)]
    game, closing = ([line.name for line in lines(part)] for part in (system.game, system.closing))
    if by_seat(system, shape):
        inner = {line.name for line in through(system)} - {"expected"}
        seats = [f"{SEAT_EXPECTED}{seat}" for seat in range(1, shape.seats + 1)]
        return [*names, *seats, *(name for name in game if name not in inner), *closing]
    own = [SIZE, *(member.name for member in system.members), *(line.name for line in lines(system.side))]
    other = [f"opponent_{name}" for name in own if f"opponent_{name}" in system.reads]
    return [*names, *([] if shape.is_table else own), *other, *game, *closing]
