"""Conditional formats that tables of several templates have: rows without a name, ranked rows, verdicts."""

from __future__ import annotations

from elo_sheets.workbook.plan import Highlight, TablePlan


def unnamed(table: TablePlan, number: str, name: str) -> Highlight:
    """Return the format that shows no number in a column of a table while nothing stands beside it in another."""
    return Highlight(table.range(number), f'{table.top(name)}=""', "nothing")


def ranked_rows(table: TablePlan) -> tuple[Highlight, Highlight]:
    """Return the formats of a table whose first column has places: the first three, and a line below each row."""
    first = f"$A{table.first_data_row}"
    return (
        Highlight(table.body, f'AND({first}<>"",{first}<=3)', "podium"),
        Highlight(table.body, f'{first}<>""', "ruled"),
    )


def verdict_highlights(cells: str, good: str) -> list[Highlight]:
    """Return the two colours of a verdict; `good` is the condition for the range's first cell."""
    return [Highlight(cells, good, "good"), Highlight(cells, f"NOT({good})", "alarm")]
