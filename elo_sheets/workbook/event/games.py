"""The Ledger of an event: two rows for each game as its owner typed it, and what became of it.

Everything is rated at once: opponents count with their ratings before the event.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from elo_sheets.games import RESULTS
from elo_sheets.systems import Line
from elo_sheets.workbook.book import HEADER_ROW, Inputs
from elo_sheets.workbook.event.rules import EventRules
from elo_sheets.workbook.facts import line_unit
from elo_sheets.workbook.layout import TableLayout, day_of, rule_formula, stepped
from elo_sheets.workbook.plan import CellValue, Fill, Read
from elo_sheets.workbook.spellings import Spellings

# Results, and what a bye gives in the standings.
PLAYED = tuple(RESULTS.values())
FORFEITS = ("+/-", "-/+", "-/-")
BYES = ("1 bye", "1/2 bye", "0 bye")
SPELLED = Spellings(RESULTS, others=(*FORFEITS, *BYES))

# Statuses that need nobody's attention.
SETTLED = ("", "rated", "unrated opponent", "forfeit", "bye")

# A player's number and a round in one key; a round has at most three digits.
KEY = 1000
LAST_ROUND = 999


class Table:
    """A table whose columns are added one after the other, by role; their values follow from the formulas."""

    def __init__(self, name: str, labels: Mapping[str, str], rows: int, first_row: int = HEADER_ROW) -> None:
        self.name, self.labels, self.rows = name, labels, rows
        self.layout = TableLayout(name, list(labels.values()), first_row)
        self.fills: dict[str, Fill] = {}

    def constants(self, role: str, values: Sequence[CellValue], unit: str = "text") -> None:
        """Add a column of constants."""
        self.fills[role] = Fill(values, unit=unit)

    def numbers(self, role: str) -> None:
        """Add a column that counts the rows."""
        self.constants(role, [float(i) for i in range(1, self.rows + 1)], "count")

    def add(
        self,
        role: str,
        formula: str,
        unit: str = "count",
        pair: int = 1,
        gives: Callable[[Read], Sequence[CellValue]] | None = None,
    ) -> None:
        """Add a column by its formula in the notation of `layout`, where the table has one of that role."""
        if role in self.labels:
            self.fills[role] = self.layout.fill(formula, unit, pair=pair, gives=gives)

    def step(self, role: str, line: Line, references: Mapping[str, str], guard: str) -> None:
        """Add a rule's column, which is empty where the `guard` says so."""
        formula = f'IF({guard},"",{rule_formula(line, references)})'
        self.add(role, formula, line_unit(line), gives=stepped(line, references, guard))


@dataclass
class Event:
    """The inputs of an event, and the settings that its rules read."""

    rules: EventRules
    settings: Mapping[str, Any]
    cells: Mapping[str, str]
    inputs: Inputs
    entries: int = field(init=False)

    def __post_init__(self) -> None:
        self.entries = self.inputs.sizes["Ratings"]
        self.day = day_of(self.inputs.cells.get("first_day"))

    def ledger(self, labels: Mapping[str, str]) -> Table:
        """Return the Ledger, in which every game has two rows."""
        rows = self.inputs.sizes["Ledger"]
        table = Table("Ledger", labels, rows)
        table.constants("ledger_game", [float(i // 2 + 1) for i in range(rows)], "count")
        table.constants("ledger_side", [("White", "Black")[i % 2] for i in range(rows)])
        return table
