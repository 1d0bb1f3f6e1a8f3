"""How the games of a sheet are rated, as it was found, and what came of replaying them."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from elo_sheets.recognise.cells import Run
from elo_sheets.recognise.curves import Curve
from elo_sheets.recognise.model import Key, range_text

Gains = tuple[tuple[Run, int], ...]  # columns of changes, each with +1 or -1
Owner = str | int  # a player's name in lower case, or the column that is a player's own


class Stopped(Exception):
    """Raised where a replay cannot begin or go on; says why, in the words of the verdict."""


class NoGames(Stopped):
    """Raised for a sheet that compares ratings and rates nobody: a table of chances, not a ledger."""


class WrongWay(Stopped):
    """Raised where new ratings move the wrong way when the expectation does: `cells` of a late row."""

    def __init__(self, cells: list[Key], expectation: Key | None, everybody: bool) -> None:
        self.cells, self.expectation, self.everybody = cells, expectation, everybody
        super().__init__(f"{range_text(cells[:1])} does not gain what its own player's result gives")


@dataclass(frozen=True)
class Leaf:
    """A rating that an expectation compares, seen from the row of the game.

    `kind` is name (the cell looks a player up), chain (it carries a column on), line (a player's own column in the row
    before) or typed (a number of the row).
    """

    kind: str
    down: int  # rows from the game's row to the cell
    column: int
    owner: int = 0  # the column of the name, or the column that is carried on

    def key(self, sheet: str, row: int) -> Key:
        """The cell in the game of `row`."""
        return (sheet, row + self.down, self.column)


@dataclass(frozen=True)
class After:
    """A column of new ratings, and the leaf that a rating starts from (None in a player's own column).

    Where no cell holds the new rating, `gains` are the columns of changes that later games add up for the player, each
    with +1 or -1, and `run` is the first of them.
    """

    run: Run
    base: Leaf | None
    gains: Gains = ()


@dataclass
class Phase:
    """What a row of one phase compares: the sides of its expectation."""

    expectation: Run | None
    own: list[Leaf]
    other: list[Leaf]
    after: list[After]
    curve: Curve
    k: float
    score: float
    rounded: bool = False
    row: int = 0  # the row that was probed

    @property
    def leaves(self) -> list[Leaf]:
        """All ratings that are compared."""
        return [*self.own, *self.other]


@dataclass
class Plan:
    """How the games of one sheet are replayed."""

    sheet: str
    first: int
    last: int
    phases: list[Phase]
    lines: dict[int, Run] = field(default_factory=dict)  # players' own columns
    names: tuple[int, ...] = ()  # columns of the names of those who play, in a sheet with such columns
    ks: dict[int, float] = field(default_factory=dict)  # K in some of the rows
    k_from: Key | None = None  # a cell that K is proportional to
    scores: tuple[int, ...] = ()  # columns in which results are typed, as far as a formula's part says so
    passed: tuple[int, ...] = ()  # where phases alternate, the rows between games, which have no turn

    @property
    def rows(self) -> list[int]:
        """The rows of games, the first to the last."""
        return [row for row in range(self.first, self.last + 1) if row not in self.passed]

    def turn(self, row: int, period: int = 0) -> int:
        """The number of a row's phase, of those that the plan has so far or of `period`."""
        return (row - self.first - bisect_left(self.passed, row)) % (period or len(self.phases))


@dataclass
class Replayed:
    """What came of it: `reason` is None when every rating follows from the inputs."""

    sheet: str
    plan: Plan | None = None
    games: int = 0
    cells: int = 0
    reason: str | None = None
    games_there: bool = True  # whether the sheet rates anybody
    at: Key | None = None  # where it stopped
    expected: float | None = None
    found: float | None = None
    openings: dict[Owner, float] = field(default_factory=dict)
    state: dict[Owner, float] = field(default_factory=dict)
    last: dict[Owner, Key] = field(default_factory=dict)  # the cell of the latest rating of everybody
    rated: set[Key] = field(default_factory=set)  # the cells that were compared
    wrong: dict[Key, Key] = field(default_factory=dict)  # a look-up of another rating -> the cell of the latest
    right: dict[Key, Key] = field(default_factory=dict)
