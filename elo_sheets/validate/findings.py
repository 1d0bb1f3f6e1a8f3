"""What a verdict says: the rules by code, the findings, the verdict itself."""

from __future__ import annotations

from dataclasses import dataclass, field

from elo_sheets.package import Value

ERROR, WARNING, NOTE = "error", "warning", "note"
AGREES, DIFFERS, UNCHECKED = "agrees", "differs", "unchecked"


@dataclass(frozen=True)
class Rule:
    """A kind of finding: its stable code, its name, and what it means."""

    code: str
    name: str
    meaning: str


_RULES = (
    Rule("ES101", "swapped-difference", "the two ratings of a difference are swapped, or its sign is lost"),
    Rule("ES102", "missing-scale", "a difference is not divided by the scale"),
    Rule("ES103", "wrong-operator", "another arithmetic operator stands in the formula"),
    Rule("ES104", "draw-not-half", "a draw does not count half a point"),
    Rule("ES105", "literal-for-cell", "a number stands where the formula should read a cell"),
    Rule("ES106", "wrong-reference", "the formula reads another cell or column"),
    Rule("ES107", "rounded", "the formula rounds where the rule does not"),
    Rule("ES108", "changed-formula", "the formula is not the one that the rule gives"),
    Rule("ES201", "value-over-formula", "a value was typed over a formula"),
    Rule("ES202", "formula-missing", "a formula is missing: the row was not filled down, or the cell was cleared"),
    Rule("ES203", "constant-changed", "a number that belongs to the book, not to its owner, was changed"),
    Rule("ES204", "name-repointed", "a named setting points to another cell"),
    Rule("ES205", "setting-empty", "a setting is empty or not a number"),
    Rule("ES301", "stale-value", "the stored result is not what the formula gives: the book was not recalculated"),
    Rule("ES302", "no-stored-values", "formulas have no stored results: a preview or pandas shows nothing"),
    Rule("ES401", "outside-reach", "a game stands where no formula reaches it"),
    Rule("ES402", "unknown-player", "a game names a player who is not on the sheet Players"),
    Rule("ES403", "same-player-twice", "a game has the same player on both sides"),
    Rule("ES404", "not-rated", "a game lacks what is needed to rate it"),
    Rule("ES405", "order-break", "a game is dated before the game above it"),
    Rule("ES406", "duplicate-game", "the same players met on the same day with the same result further up"),
    Rule("ES407", "name-twice", "a name stands twice on the sheet Players"),
    Rule("ES408", "not-understood", "something was typed that the sheet does not understand"),
    Rule("ES501", "manual-calculation", "the book asks not to be recalculated"),
    Rule("ES502", "sheet-missing", "a sheet of the book is missing or was renamed"),
    Rule("ES901", "unexplained", "the engine gives another number although every formula is right"),
)
RULES = {rule.code: rule for rule in _RULES}


@dataclass(frozen=True)
class Finding:
    """One finding. `effect` is in rating points: the largest change it makes to any rating of the book, signed.

    `confidence` is `proven` when numbers differ by replay and recalculation, `shape` when the formula alone says it.
    """

    code: str
    severity: str
    range: str
    message: str
    expected: Value = None
    found: Value = None
    effect: float = 0.0
    confidence: str = "proven"
    fix: str | None = None


@dataclass(frozen=True)
class Worst:
    """The cell with the largest difference."""

    cell: str
    expected: Value
    found: Value


@dataclass(frozen=True)
class Counted:
    """Games by what became of them."""

    listed: int = 0
    rated: int = 0

    @property
    def never_rated(self) -> int:
        """Games that stand in the book and in no rating."""
        return self.listed - self.rated


@dataclass(frozen=True)
class Verdict:
    """What a validation found out; `reason` says why a book was not checked."""

    file: str
    status: str
    engine: str
    version: str = ""
    tolerance: float = 0.0
    layout: str | None = None
    system: str | None = None
    cells_checked: int = 0
    games: Counted = field(default_factory=Counted)
    worst: Worst | None = None
    findings: tuple[Finding, ...] = ()
    reason: str | None = None

    @property
    def exit_code(self) -> int:
        """0 agrees, 1 differs, 4 unchecked."""
        return {AGREES: 0, DIFFERS: 1, UNCHECKED: 4}[self.status]


def shown(value: Value) -> str:
    """Return a cell's value as a sentence says it."""
    if value is None or value == "":
        return "nothing"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
