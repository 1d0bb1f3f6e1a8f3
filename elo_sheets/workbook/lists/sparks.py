"""The small lines beside the names of a list: each player's rating on the last lists up to the chosen one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from elo_sheets.files.references import column_letters
from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.highlights import small_lines
from elo_sheets.workbook.layout import TableLayout
from elo_sheets.workbook.league.cross import SPARK_PLACES
from elo_sheets.workbook.plan import Fill, Sparkline, TablePlan, figure_columns

if TYPE_CHECKING:
    from elo_sheets.workbook.lists.ranking import ListedRanking

SPARK_LISTS = 12
ROWS = [f"Row {k}" for k in range(SPARK_LISTS, 0, -1)]  # the chosen list's first
SHOWN = [f"Rating {k}" for k in range(1, SPARK_LISTS + 1)]  # the chosen list's last


def places_of(view: ListedRanking) -> int:
    """Return how many places of the list have a small line."""
    inputs = view.book.inputs
    return inputs.sizes.get("Sparks") or min(inputs.rows("Players"), SPARK_PLACES)


def spark_table(view: ListedRanking) -> TablePlan:
    """Return the hidden table that the small lines draw: a row for each place of the list, its oldest rating first.

    Before a player's first list it repeats his first rating.
    """
    layout, count = TableLayout("Sparks", [], HEADER_ROW), places_of(view)
    at = "IF([Place]>COUNT(Ranking[Rank]),0,SUMPRODUCT((Ranking[Rank]=[Place])*Ranking[No.]))"
    fills = {"Place": Fill([float(i) for i in range(1, count + 1)], unit="count"), "At": layout.fill(at, "count")}
    last = view.lists + 1
    area = f"Closings!$B${HEADER_ROW + 1}:${column_letters(1 + last)}${HEADER_ROW + view.people}"
    for back, label in enumerate(ROWS):
        found = f"IF(List_column+{back}>{last},0,INDEX({area},[At],List_column+{back}))"
        fills[label] = layout.fill(f"IF([At]=0,0,{found})", "count")
    fills |= _ratings(view, layout)
    return TablePlan("Sparks", HEADER_ROW, figure_columns(fills, 9), count)


def _ratings(view: ListedRanking, layout: TableLayout) -> dict[str, Fill]:
    found: dict[str, Fill] = {}
    after, otherwise = f"Ledger[{view.after['rating']}]", '""'
    for row, label in zip(ROWS, reversed(SHOWN), strict=True):
        formula = f"IF([{row}]=0,{otherwise},INDEX({after},MAX(1,[{row}])))"
        found[label], otherwise = layout.fill(formula, "points"), f"[{label}]"
    return {label: found[label] for label in SHOWN}


def sparklines(view: ListedRanking, table: TablePlan) -> Iterator[Sparkline]:
    """Return the small line of each place of the list, beside its table."""
    return small_lines(table, len(table.columns), 3 + SPARK_LISTS, 2 + 2 * SPARK_LISTS, places_of(view))
