"""What a verdict says: the rules by code, the findings, the verdict itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from elo_sheets._late import pd
from elo_sheets.files.cells import Value
from elo_sheets.files.references import parse_range

ERROR, WARNING, NOTE = "error", "warning", "note"
AGREES, DIFFERS, UNCHECKED = "agrees", "differs", "unchecked"
_AREA = re.compile(r"(?:(?P<sheet>'(?:[^']|'')+'|[^'!,][^!,]*)!)?(?P<cells>[^,!]+)(?:,|$)")


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
    Rule("ES110", "wrong-scale", "a difference is divided by another scale than the rest of the book uses"),
    Rule("ES111", "wrong-base", "the power has another base than ten, as EXP without the factor ln 10 has"),
    Rule("ES112", "lost-sign", "the sign of a difference is lost: favourite and outsider expect the same"),
    Rule("ES113", "opponent-expectation", "the formula takes the expected score of the opponent, not the player's own"),
    Rule("ES114", "opponent-rating", "the change is added to the opponent's rating, or booked on the wrong player"),
    Rule("ES115", "both-gain", "both players of a game gain, or both lose, where one should gain what the other loses"),
    Rule("ES116", "sequential-leak", "the second player's change is worked out with the first player's new rating"),
    Rule("ES117", "expectation-dropped", "the change ignores the expected score"),
    Rule("ES118", "hidden-limit", "a floor, a ceiling or a cap that is declared nowhere bends the result"),
    Rule("ES119", "player-specific-term", "a term applies to one player only"),
    Rule("ES120", "wrong-k", "another K applies than the one that the book's own rule gives"),
    Rule("ES121", "bonus-sign", "the advantage of home or colour counts for the wrong side"),
    Rule("ES122", "error-masked", "an error is hidden behind another number"),
    Rule("ES123", "first-match", "a look-up takes another game than the latest, or looks at one side only"),
    Rule("ES124", "fixed-reference", "a fixed cell stands where the reference should move, or the other way round"),
    Rule("ES125", "short-range", "a range misses rows that hold games or players"),
    Rule("ES126", "no-change", "a rating is carried on although a game was played"),
    Rule("ES127", "score-wrong", "a result counts another score than 1 for a win, a half for a draw and 0 for a loss"),
    Rule("ES128", "expectations-unequal", "the expected scores of the two sides of a game do not sum to one"),
    Rule("ES129", "rule-changes", "a column has one formula down to a row and another from there on"),
    Rule("ES201", "value-over-formula", "a value was typed over a formula"),
    Rule("ES202", "formula-missing", "a formula is missing: the row was not filled down, or the cell was cleared"),
    Rule("ES203", "constant-changed", "a number that belongs to the book, not to its owner, was changed"),
    Rule("ES204", "name-repointed", "a named setting points to another cell"),
    Rule("ES205", "setting-empty", "a setting is empty or not a number"),
    Rule("ES206", "frozen-prefix", "the first rows hold values where the later rows hold formulas"),
    Rule("ES210", "offset-rows", "the rows of the ledger are out of step with the rows of the list"),
    Rule("ES211", "game-dropped", "a game of the list is never rated"),
    Rule("ES212", "game-twice", "a game is rated twice"),
    Rule("ES213", "ranking-wrong", "the ranking is not the one that its own numbers give"),
    Rule("ES214", "totals-wrong", "a count of games, results or points is not what the games give"),
    Rule("ES215", "circular", "a formula depends on its own result"),
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
    Rule("ES410", "text-number", "a text stands where a number is meant"),
    Rule("ES411", "score-domain", "a score is outside the values that a game can have"),
    Rule("ES412", "stray-blanks", "a name has blanks too many, so that it is another name to the sheet"),
    Rule("ES413", "look-alike-letters", "a name mixes letters of two alphabets that look the same"),
    Rule("ES414", "case-twins", "two names differ only in capital letters"),
    Rule("ES415", "score-as-date", "a result was turned into a date"),
    Rule("ES416", "wildcard-name", "a name holds a character that counting formulas read as a pattern"),
    Rule("ES417", "forfeit-rated", "a game that was not played is rated"),
    Rule("ES418", "date-shifted", "the dates are four years and a day off, by the other day count"),
    Rule("ES501", "manual-calculation", "calculation is set to manual"),
    Rule("ES502", "sheet-missing", "a sheet of the book is missing or was renamed"),
    Rule("ES503", "precision-as-displayed", "the book calculates with the digits shown, not with the full numbers"),
    Rule("ES504", "iterative-calculation", "the book allows formulas that depend on themselves"),
    Rule("ES505", "external-reference", "a formula reads another file"),
    Rule("ES506", "volatile", "a formula gives another result at another time although no input changed"),
    Rule("ES507", "hidden-game", "a game that counts stands in a hidden row"),
    Rule("ES508", "macros-present", "the book holds macros, which were not run"),
    Rule("ES509", "error-cells", "cells show errors where no game stands"),
    Rule("ES510", "validation-removed", "a column of inputs is no longer, or only partly, guarded by its list"),
    Rule("ES511", "protection-dropped", "a formula is open to typing on a sheet whose other formulas are locked"),
    Rule("ES512", "chart-short", "a chart leaves out rows that hold games or players"),
    Rule("ES901", "unexplained", "the engine gives another number although every formula is right"),
    Rule("ES902", "not-followed", "the check could not follow the games beyond this cell"),
)
RULES = {rule.code: rule for rule in _RULES}


@dataclass(frozen=True)
class Finding:
    """One finding. `effect` is in rating points: the largest change it makes to any rating of the book, signed.

    `range` is such as `Log!F5` or `Log!F5:F90`, empty when the whole book is meant. `confidence` is `proven` when
    numbers differ by replay, probe or recalculation, `shape` when the formula alone says it, `header` when only a
    header does. `fix` is a formula in the sheet's own style, with its `=`. `reaches` are the cells or ranges whose
    result the fault changes.
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
    reaches: tuple[str, ...] = ()


@dataclass(frozen=True)
class Worst:
    """The cell with the largest difference."""

    cell: str
    expected: Value
    found: Value


@dataclass(frozen=True)
class Role:
    """What a range of cells is for: `how` says what showed it, `confidence` is that of a finding or `given`."""

    role: str
    range: str
    how: str = ""
    confidence: str = "proven"


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
    """What a validation found out; `reason` says why a book was not checked.

    `facts` are what the book's own rule was found to be, none of them a fault: `scale`, `k`, `curve`, `start`, `draw`,
    `cap`, `rounding`, `advantage` and whatever else a layout tells; `what_if` says why no other inputs were tried.
    `roles` say which cells were taken for what.
    `left_out` counts findings that the reader of the verdict asked not to see.
    """

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
    facts: Mapping[str, object] = field(default_factory=dict)
    roles: tuple[Role, ...] = ()
    left_out: int = 0

    def __repr__(self) -> str:
        return f"<{Path(self.file).name}: {self.status}, {len(self.findings)} findings, {self.games.rated} games rated>"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a finding: code, severity, range, message, expected, found, effect, confidence, fix."""
        columns = [field.name for field in fields(Finding) if field.name != "reaches"]
        return pd.DataFrame([[getattr(one, name) for name in columns] for one in self.findings], columns=columns)

    @property
    def exit_code(self) -> int:
        """0 agrees, 1 differs, 4 unchecked."""
        return {AGREES: 0, DIFFERS: 1, UNCHECKED: 4}[self.status]


def shown(value: Value) -> str:
    """Return a cell's value as a sentence says it: a number with at most four decimals, but where it is tiny."""
    if value is None or value == "":
        return "nothing"
    if not isinstance(value, float):
        return str(value)
    return f"{round(value, 4):.6g}" if abs(value) >= 0.001 else f"{value:.6g}"


def areas_of(text: str, sheets: Iterable[str]) -> list[tuple[str, int, int, int, int]]:
    """Sheet, first row, first column, last row and last column of each area of a finding's range; [] for none.

    >>> areas_of("'My log'!F5:F9,H2", ["My log"])
    [('My log', 5, 6, 9, 6), ('My log', 2, 8, 2, 8)]
    """
    known = {name.casefold(): name for name in sheets}
    found = []
    where = ""
    for match in _AREA.finditer(text):
        where = match["sheet"] or where
        name = where[1:-1].replace("''", "'") if where.startswith("'") else where
        sheet = known.get(name.casefold())
        try:
            area = parse_range(match["cells"])
        except ValueError:
            continue
        if sheet is not None:
            found.append((sheet, *area))
    return found
