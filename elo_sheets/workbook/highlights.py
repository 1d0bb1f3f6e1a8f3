"""Conditional formats that tables of several templates have, and the small lines in their cells."""

from __future__ import annotations

from collections.abc import Iterator

from elo_sheets.files.references import column_letters
from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.plan import Highlight, Sparkline, TablePlan


def unnamed(table: TablePlan, number: str, name: str) -> Highlight:
    """Return the format that shows no number in a column of a table while nothing stands beside it in another."""
    return Highlight(table.range(number), f'{table.top(name)}=""', "nothing")


def small_lines(table: TablePlan, at: int, first: int, last: int, count: int, bars: float = 0.0) -> Iterator[Sparkline]:
    """Yield the small line, or the bars, of each of the first rows of a table, in its column numbered `at` from 0.
    They draw the columns `first` to `last` of the sheet Sparks, whose table begins in row `HEADER_ROW`, row by row.
    """
    begin, end = map(column_letters, (first, last))
    for place in range(1, min(count, table.rows) + 1):
        drawn = f"Sparks!${begin}${HEADER_ROW + place}:${end}${HEADER_ROW + place}"
        yield Sparkline(table.first_row + place, table.first_column + at, drawn, bars)


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
