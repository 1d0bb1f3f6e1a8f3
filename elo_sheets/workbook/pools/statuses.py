"""How many sides of games have which status: counted in each part of a pool's Ledger by itself.

A program looks through texts slowly. A game that is typed has those of its own part looked through anew, and no others.
"""

from __future__ import annotations

from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.layout import TableLayout
from elo_sheets.workbook.plan import ColumnPlan, Fill, TablePlan
from elo_sheets.workbook.pools.ledger import PoolLedger

TABLE = "Statuses"
# The row that counts all sides of which something is typed.
ANY = "any"


def sides_with(status: str) -> str:
    """Return the formula of how many sides have a status that begins so."""
    return f'SUMIFS({TABLE}[Sides],{TABLE}[Status],"{status}")'


def status_table(pool: PoolLedger, first_column: int) -> TablePlan:
    """Return the table of all statuses but that of a rated game."""
    statuses = [ANY, *pool.statuses]
    layout = TableLayout(TABLE, [], HEADER_ROW)
    parts = [
        layout.fill(f'COUNTIF({cells},[Status]&"*")', "count", first=f'COUNTIF({cells},"?*")')
        for (cells,) in pool.parts("Status")
    ]
    fills = {f"Part {n}": fill for n, fill in enumerate(parts, 1)}
    total = layout.fill("+".join(f"[{label}]" for label in fills), "count")
    columns = (
        ColumnPlan("Status", Fill(statuses), width=18),
        *(ColumnPlan(label, fill, style="integer") for label, fill in {**fills, "Sides": total}.items()),
    )
    return TablePlan(TABLE, HEADER_ROW, columns, len(statuses), first_column)
