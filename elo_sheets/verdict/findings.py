"""What a verdict says: the rules by code, the findings, the verdict itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from elo_sheets._late import pd
from elo_sheets.files.cells import Value
from elo_sheets.files.references import parse_range
from elo_sheets.shipped import shipped_data

ERROR, WARNING, NOTE = "error", "warning", "note"
AGREES, DIFFERS, UNCHECKED = "agrees", "differs", "unchecked"
_AREA = re.compile(r"(?:(?P<sheet>'(?:[^']|'')+'|[^'!,][^!,]*)!)?(?P<cells>[^,!]+)(?:,|$)")


@dataclass(frozen=True)
class Rule:
    """A kind of finding: its stable code, its name, what it means, and an example, as `rules.toml` says them.

    Of the example it has the cells `given`, the `wrong` and the `right` content, and what it `shows`; `why` says what
    it costs in rating points and how it comes about, `remedy` what to do.
    """

    code: str
    name: str
    meaning: str
    given: str
    wrong: str
    right: str
    shows: str
    why: str
    remedy: str


RULES = {code: Rule(code, **said) for code, said in shipped_data("verdict/rules.toml").items()}


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
