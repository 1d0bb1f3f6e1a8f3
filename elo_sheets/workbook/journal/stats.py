"""What a journal tells of its games: results by group, months, opponents, the best and the worst.

All of it is about the pool that the Dashboard shows, `Pool_number`. The Ledger's columns are counted with numbers as
criteria, or with words that the sheets write themselves: no name of a person is ever a criterion.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elo_sheets.expr import Ref
from elo_sheets.formula import to_formula
from elo_sheets.odds.performance import scaled_performance
from elo_sheets.workbook.journal.formulas import PART, last_part
from elo_sheets.workbook.layout import TableLayout
from elo_sheets.workbook.plan import PENDING, Fill
from elo_sheets.workbook.sums import by_part, in_parts, spans, unpacked

Fills = dict[str, Fill]

# Where the first and the last month with games stand.
MONTH_LIMITS = ("Months!$F$3", "Months!$I$3")
# The named cell of the last row that is dated before a row above it.
LAST_BREAK = "Last_order_break"


def pending(table: str, columns: Mapping[str, tuple[str, str]]) -> Fills:
    """Return the fills of a table's columns, each of a formula that reads its own row, and a unit."""
    layout = TableLayout(table, [], 0)
    return layout.fills(columns)


def shown(table: str, formula: str, unit: str, spills: bool) -> Fill:
    """Return a column of a list; behind one that spills the formula gives the values alone, and stays as it is."""
    return Fill(PENDING, formula if spills else TableLayout(table, [], 0).formula(formula), unit)


def numbered(rows: int, label: str = "No.") -> Fills:
    """Return a column that counts its rows."""
    return {label: Fill([float(i) for i in range(1, rows + 1)], unit="count")}


# The sums of a group, and the columns of the Ledger that they sum.
SUMS = {"Tally": "Tally", "Sum expected": "Expected counted", "Sum of opponents": "Opponent counted"}


class Stats:
    """The tables of the shown pool's games."""

    def __init__(self, ledger: TableLayout, rows: int, scale: str) -> None:
        self.scale = scale
        self.ledger, self.rows = ledger, rows
        self.spans = spans(rows, last=last_part(rows))

    # Results by group

    def sums(self, spec: Mapping[str, Any]) -> Fills:
        """Return the fills that add up the games of groups, by label.

        `key` is a column of the table that is empty in a row without a group, `group` the Ledger's column that tells a
        game's, and `total` the formula of the sum of a column, `{what}`, where that one, `{of}`, is the row's, in a
        part of the Ledger, its rows `{first}` to `{last}`. What is summed is 0 in rows of other pools: one criterion is
        looked through in a third of the time of two, and two sums in less than two criteria.
        """
        key = spec["key"]
        total = spec.get("total", f"SUMIF({{of}},[{key}],{{what}})")
        found: dict[str, tuple[str, str]] = {}
        for label, column in SUMS.items():
            parts = zip(self._parts(spec["group"], column), self.spans, strict=True)
            sums = (total.format(of=of, what=what, first=first, last=last) for (of, what), (first, last) in parts)
            texts = [f'IF([{key}]="",0,{one})' for one in sums]
            found |= {name: (text, "number") for name, text in by_part(label, texts).items()}
        return pending(spec["name"], found)

    def terms(self, spec: Mapping[str, Any]) -> dict[str, str]:
        """Return what the formulas of a table of groups may name: its key, its counts, the row of the last game."""
        if "group" not in spec:
            return {}
        read = map(Ref, ("[Opponents]", "[Wins]", "[Losses]", "[Games]", self.scale))
        counts = unpacked("[Tally]")
        return {
            "key": spec["key"],
            "counted": counts["games"],
            "wins": counts["wins"],
            "draws": counts["draws"],
            "performance": to_formula(scaled_performance(*read)),
            "last_row": self._last_row(spec["key"], spec["group"], *spec.get("chosen", ())),
        }

    def _last_row(self, key: str, group: str, *chosen: str) -> str:
        """Return the formula of the row of a group's last game, which is looked for in the last part that has any."""
        parts = self._parts(group, *chosen, "Game")
        found = "0"
        for name, (of, *rows) in zip(by_part("Tally", [""] * len(parts)), parts, strict=False):
            found = f"IF([{name}]>0,SUMPRODUCT(MAX(({of}=[{key}])*{'*'.join(rows)})),{found})"
        return found

    def summed(self) -> list[str]:
        """Return the labels of the columns that nobody reads: the sums and their parts."""
        return [label for name in SUMS for label in by_part(name, [""] * len(self.spans))]

    def _parts(self, *labels: str) -> list[tuple[str, ...]]:
        return in_parts(self.ledger, "Ledger", self.rows, labels, self.spans)

    def listed(self, spec: Mapping[str, Any], *, spills: bool) -> Fills:
        """Return the column that lists the most frequent opponents, openings or time controls by their numbers.

        A list that spills counts its rows behind it, so that a row's place is what stands above it.
        """
        rank = f"Ledger[{spec['ranks']}]"
        ranked = f"LARGE({rank},{'ROWS(above[Id])' if spills else '[No.]'})"
        return {"Id": shown(spec["name"], f'IFERROR(IF({ranked}>0,MOD(-{ranked},{PART}),""),"")', "count", spills)}

    # Months

    @staticmethod
    def listed_months(*, spills: bool) -> Fills:
        """Return the column of the months, the newest first; a list that spills has those with games alone.

        In the order of days the rows of a month stand together: behind those up to which all is older, and before
        those of the month listed above, or up to the last row that is dated before one above it.
        """
        first, last = MONTH_LIMITS
        month_of = f"EDATE({last},1-[No.])"
        month = f'IF({last}=0,"",IF({month_of}<{first},"",{month_of}))'
        if spills:
            before = "SUMPRODUCT(MAX((Ledger[Month]<N(up[Month]))*Ledger[Month]))"
            month_before = f'IF({before}=0,"",{before})'
            month = f'IF(ROWS(above[Month])=1,IF({last}=0,"",{last}),{month_before})'
        return {"Month": shown("ByMonth", month, "date", spills)}


def month_limits() -> tuple[str, str]:
    """Return the formulas of the first days of the first and the last month with a game of the pool, 0 for none."""
    earliest = "SMALL(Ledger[Month],1+COUNTIF(Ledger[Month],0))"
    return f"IF({MONTH_LIMITS[1]}=0,0,{earliest})", "MAX(Ledger[Month])"
