"""What a journal says of its pools, and what a planned game would change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.facts import step_unit
from elo_sheets.workbook.journal.formulas import PART, JournalCells
from elo_sheets.workbook.journal.stats import Fills, pending
from elo_sheets.workbook.layout import TableLayout
from elo_sheets.workbook.plan import CellValue, Fill
from elo_sheets.workbook.styles import LINE_ORDER, LINES, STROKES

PLANNED_ROWS = 8
OUTCOMES = (1.0, 0.5, 0.0)
# No rating lies further from zero: the yellow cells say so, and what is typed beyond it counts as nothing.
FURTHEST = 10000


def line_of(pool: int) -> str:
    """Return the style of a pool's line; the colours come again after the last."""
    return LINE_ORDER[(pool - 1) % len(LINE_ORDER)]


def is_rating(cell: str) -> str:
    """Return the formula that says whether a cell holds a number that can be a rating."""
    return f"AND(ISNUMBER({cell}),ABS(N({cell}))<={FURTHEST})"


def stroke(pool: int) -> str:
    """Return the text that looks like a pool's line."""
    return STROKES[LINES[line_of(pool)].get("dash_type", "")]


class Plans:
    """The tables of pools, goals, milestones and planned games."""

    def __init__(self, cells: JournalCells) -> None:
        self.cells = cells
        self.rule = cells.rule
        self.inputs = cells.inputs

    def typed(self, table: str, labels: Sequence[str], rows: int) -> dict[str, list[CellValue]]:
        """Return what stands in a table's yellow columns, nothing where the book says nothing."""
        given = self.inputs.tables.get(table, {})
        return {label: list(given.get(label, [None] * rows)) for label in labels}

    # Pools

    @property
    def terms(self) -> dict[str, str]:
        """What the formulas of the tables of pools and planned games may name."""
        rule, cells = self.rule, self.cells.setting_cells
        initial = {state.name: cells.get(state.initial, state.initial) for state in rule.system.state}
        return {
            "part": f"{PART}",
            "furthest": f"{FURTHEST}",
            "lines": f"{len(LINE_ORDER)}",
            "strokes": ",".join(f'"{stroke(number)}"' for number in range(1, len(LINE_ORDER) + 1)),
            "initial": initial["rating"],
            "initial_rd": initial.get("rd", ""),
            "highest": self._highest,
            "rating": rule.label("rating"),
            "expected": rule.label("expected"),
            "after": rule.label("rating_after"),
            "rd_after": rule.label("rd_after") if rule.has_rd else "",
        }

    @property
    def _highest(self) -> str:
        best = "INDEX(Ledger[Best so far],[Last row])"
        if self.rule.is_periodic:  # the best of the periods before, and what the one that runs comes to
            now = f"INDEX(Ledger[{self.rule.label('rating_after')}],[Last row])"
            return f"IF(ISNUMBER({best}),MAX({best},{now}),{now})"
        return best

    def games_below(self, pool: str, value: str) -> str:
        """Return the formula that counts a pool's games before the one with which its rating reached a value.

        All of them where it did not. With periods it is the last game of the one that reached it: its rating is the
        best so far in the games that follow.
        """
        games = f"INDEX(Pools[Games],{pool})"
        best = f"Ledger[Rated pool],{pool},Ledger[Best so far]"
        if not self.rule.is_periodic:
            return f'COUNTIFS({best},"<"&{value})'
        reached = f'MAX(0,{games}-1-COUNTIFS({best},">="&{value}))'
        return f"IF(N(INDEX(Pools[Highest],{pool}))>={value},{reached},{games})"

    # What if

    @property
    def planned_labels(self) -> tuple[str, ...]:
        """The typed columns of the planned games."""
        return (
            "Opponent",
            "Opponent rating",
            *(("Opponent RD",) if self.rule.has_rd else ()),
            self.rule.words.side,
            "Pool",
        )

    def trial(self) -> Fills:
        """Return the fills of the hidden table in which the rule runs for each outcome of each planned game."""
        rule, count = self.rule, len(self.typed("Planned", self.planned_labels, PLANNED_ROWS)["Opponent"])
        last = "INDEX(Pools[Last row],[Pool no.])"
        side, words, rd = f"INDEX(Planned[{rule.words.side}],[Line])", rule.words, "INDEX(Planned[Opponent RD],[Line])"
        lines = [(i, outcome) for i in range(1, count + 1) for outcome in OUTCOMES]
        fills = {"Line": Fill([float(i) for i, _ in lines], unit="count"), "Score": Fill([one for _, one in lines])}
        found = {
            "Pool no.": ("INDEX(Planned[Pool no.],[Line])", "count"),
            "Opponent rating": ('IF([Pool no.]=0,"",INDEX(Planned[Opponent rating],[Line]))', "points"),
            words.side: (words.side_told(side), "text"),
            "Date": (f"IF([Pool no.]=0,0,IF({last}=0,0,INDEX(Ledger[Date],{last})))", "date"),
        }
        if rule.has_rd:
            found["Opponent RD"] = f"IF(ISNUMBER({rd}),{rd},N(Opponent_RD))", "points"
        fills |= pending("Trial", found)
        names = [*(state.name for state in rule.system.state), *rule.steps]
        return fills | self.rule_fills("Trial", names, rule.trial_references)

    def rule_fills(self, table: str, names: Sequence[str], own: Mapping[str, str]) -> Fills:
        """Return the fills of the rule's columns in a table where each row is a game after a pool's last one.

        A state is the one after that game, a step is computed by the rule; `own` says where they read what is not in
        the table under its own name.
        """
        references, fills = self.rule.references(self.cells.setting_cells, own), {}
        for name in names:
            unit = step_unit(self.rule.system, name)
            if name in self.rule.steps:
                fills[self.rule.label(name)] = self.step_fill(table, name, references)
            else:
                fills |= pending(table, {self.rule.label(name): (self.state_formula(name), unit)})
        return fills

    def state_formula(self, name: str) -> str:
        """Return the formula of a state after a pool's last game."""
        last, after = "INDEX(Pools[Last row],[Pool no.])", self.rule.label(f"{name}_after")
        return f'IF([Pool no.]=0,"",IF({last}=0,{self.cells.starts[name]},INDEX(Ledger[{after}],{last})))'

    def step_fill(self, table: str, name: str, references: Mapping[str, str]) -> Fill:
        """Return the fill of a step in a row whose pool is known: its formula, and the rule itself for the values."""
        text = f'IF([Pool no.]=0,"",{self.rule.formula(name, references)})'
        gives = self.rule.gives(name, references, "[Pool no.]=0")
        return TableLayout(table, [], HEADER_ROW).fill(text, step_unit(self.rule.system, name), gives=gives)
