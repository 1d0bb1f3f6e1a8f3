"""What passes between the parts of the recognition: the context they work in, and what they propose.

A layout module offers `recognise(context) -> Sheetwork | None`: `None` when the book is not of its layout.
It measures nothing: it says what is wrong and which cells would put it right (`Proposal.repairs`); `judge` puts the
repairs into a copy of the book, recalculates it with the engine, and reports the effect on `Sheetwork.ratings`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from elo_sheets.expr import Call, walk
from elo_sheets.files.package import CellError, Value
from elo_sheets.recognise.byes import rows_of_byes
from elo_sheets.recognise.evaluate import Evaluator
from elo_sheets.recognise.model import Key, Model
from elo_sheets.recognise.parts import Prober
from elo_sheets.recognise.reach import WIDE, Readers
from elo_sheets.verdict.findings import Finding, Role

if TYPE_CHECKING:
    from elo_sheets.recognise.cells import Run, Suspect
    from elo_sheets.recognise.ledgers.plans import Replayed

TOTALS = {"SUM", "AVERAGE", "COUNT", "COUNTA", "SUBTOTAL"}
EXTREMES = {
    "MAX",
    "MIN",
    "MEDIAN",
    "STDEV",
    "STDEV.S",
    "STDEV.P",
    "_xlfn.STDEV.S",
    "_xlfn.STDEV.P",
}  # the best so far is none
ERROR, WARNING, NOTE = "error", "warning", "note"
LAST = 6  # the rank of what is said only of cells that nothing else puts right


@dataclass(frozen=True)
class Proposal:
    """Something wrong, and what would put it right.

    `cells` are the cells at fault, the first of them first. `repairs` maps cells to the formula (text without "=")
    or value that belongs there; None empties a cell. A formula is told from a text value by `formulas` holding its
    cell. `expected` and `found` are only for what recalculation cannot show (data faults); else they are measured at
    the first cell. `latent` keeps a proposal whose repair changes no number today.
    """

    code: str
    cells: tuple[Key, ...]
    message: str = ""
    repairs: Mapping[Key, str] = field(default_factory=dict)  # formula texts
    values: Mapping[Key, Value] = field(default_factory=dict)  # typed values that belong there
    names: Mapping[str, str] = field(default_factory=dict)  # defined names and what they should point at
    severity: str = ERROR
    confidence: str = "shape"
    fix: str | None = None
    expected: Value = None
    found: Value = None
    effect: float | None = None  # given: not measured
    latent: bool = True
    rank: int = 5  # of two proposals for one cell the lower rank is kept
    house: str = ""  # what declares it a rule of the house, such as `draw=0`


@dataclass(frozen=True)
class RoleCells:
    """A role letter (see `ROLES`), the cells that play it, and how that is known: probe, shape, header, given."""

    role: str
    cells: tuple[Key, ...]
    by: str = "probe"


ROLES = {
    "E": "expected score",
    "S": "score",
    "K": "K-factor",
    "D": "change",
    "R": "rating after",
    "B": "rating before",
    "O": "opponent's rating before",
    "P": "player",
    "Q": "opponent",
    "RESULT": "result",
    "RANK": "ranking",
    "START": "start rating",
    "DATE": "date",
    "GAME": "game number",
}


@dataclass
class Sheetwork:
    """What a layout module made of the book (or of a part of it)."""

    layout: str
    roles: list[RoleCells] = field(default_factory=list)
    ratings: set[Key] = field(default_factory=set)  # cells whose numbers are ratings: effects are measured there
    facts: dict[str, object] = field(default_factory=dict)
    proposals: list[Proposal] = field(default_factory=list)
    listed: int = 0
    rated: int = 0
    replayed: bool = False  # rebuilt from inputs and every rating compared equal
    reason: str | None = None  # why not, in a sentence
    findings: list[Finding] = field(default_factory=list)  # measured by the module itself
    named_roles: list[Role] = field(default_factory=list)
    replays: list[Replayed] = field(default_factory=list)  # what came of each sheet of games
    excused: set[Key] = field(default_factory=set)  # cells whose departure from their run is lawful
    owned: set[Key] = field(default_factory=set)  # cells of which this module alone says what is wrong


@dataclass
class Context:
    """The book under examination; `runs` and `suspects` come from `cells.find_runs` and `cells.find_suspects`."""

    model: Model
    evaluator: Evaluator
    runs: list[Run]
    suspects: list[Suspect]
    engine: str = "ironcalc"
    timeout: float = 120.0
    tolerance: float = 1e-9
    given: Mapping[str, str] = field(default_factory=dict)  # roles that a person gave: {"E": "Log!F"}
    allowed: Mapping[str, float] = field(default_factory=dict)  # rules of the house that a person declared: {"draw": 0}
    houses: set[str] = field(default_factory=set)  # of those, the ones that games follow: "draw=0"
    upwards: set[str] = field(default_factory=set)  # sheets that are seen the other way up: their newest game is on top
    replayed: set[str] = field(default_factory=set)  # sheets whose games were replayed to the end
    settled: set[Key] = field(default_factory=set)  # cells that a replay showed to be right

    @cached_property
    def prober(self) -> Prober:
        """What tells the part that a cell plays in a game, each once for all who ask."""
        return Prober(self.evaluator)

    @cached_property
    def errors(self) -> set[Value]:
        """The errors that formulas of the book show."""
        return {value for key in self.model.forms if isinstance(value := self.model.value(key), CellError)}

    @cached_property
    def totals(self) -> set[Key]:
        """The cells that sum up what stands above them in their own column."""
        model, found, counts = self.model, set[Key](), Counter(self.model.forms.values())
        for key, form in model.forms.items():
            calls = [node.function for node in walk(form.tree) if isinstance(node, Call)]
            known = {*TOTALS} if counts[form] > 1 else {*TOTALS, *EXTREMES}
            if calls and set(calls) <= known and not any(area.single for area in form.areas):
                areas = [area for area in model.areas(key) if area.sheet == key[0]]
                if any(area.column <= key[2] <= area.right and area.bottom < key[1] for area in areas):
                    found.add(key)
        return found

    @cached_property
    def wide(self) -> Evaluator:
        """What computes cells through large areas, too: ratings that are closed by sums over all games of a period."""
        return Evaluator(self.model, Readers(self.model, WIDE))

    @cached_property
    def byes(self) -> set[tuple[str, int]]:
        """The rows, by sheet and number, of games that nobody played."""
        return rows_of_byes(self.model)

    @cached_property
    def subtotals(self) -> set[tuple[str, int]]:
        """The rows, by sheet and number, that have such cells."""
        return {key[:2] for key in self.totals}
