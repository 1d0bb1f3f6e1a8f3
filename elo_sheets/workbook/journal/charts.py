"""The charts of a journal: the shown pool's rating, games per month, results by colour, every pool's line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from elo_sheets.files.references import column_letters
from elo_sheets.workbook.book import HEADER_ROW, rows_below
from elo_sheets.workbook.journal.chain import Rule
from elo_sheets.workbook.journal.curves import BAR_MONTHS, CURVE_POINTS, LINE_POINTS, curve_labels, peaks_at
from elo_sheets.workbook.journal.plans import line_of
from elo_sheets.workbook.peaks import mark
from elo_sheets.workbook.plan import DAYS, PENDING, ChartPlan, Highlight, Series, TablePlan

# Where the names stand that the chart of the pools shows, on the sheet PoolLines.
LEGEND_ROW = 3
_RESULTS = (("Wins", "bar_win"), ("Draws", "bar_draw"), ("Losses", "bar_loss"))


def dashboard_charts(rule: Rule) -> tuple[ChartPlan, ...]:
    """Return the charts of the Dashboard."""
    labels = curve_labels(rule)

    def line(label: str, style: str) -> Series:
        letter = column_letters(labels.index(label) + 1)
        return Series(label, rows_below("Curves", "B", CURVE_POINTS), rows_below("Curves", letter, CURVE_POINTS), style)

    lines = [("Rating", "line_main"), ("Average of 20", "line_soft"), ("Average of 100", "line_third")]
    if rule.has_rd:
        lines += [("Lower", "line_band"), ("Upper", "line_band")]
    series = tuple(line(*one) for one in lines)
    peak = peaks_at(rule)
    games = (*series, mark("Curves", peak, peak + 2))
    rating = ChartPlan("line", "Rating", "Game", "", games, 15, 1, 800, 280, PENDING)
    day = rows_below("Curves", column_letters(labels.index("Day") + 1), CURVE_POINTS)
    dated = (replace(series[0], categories=day), mark("Curves", peak + 1, peak + 2))
    by_date = ChartPlan("line", "Rating by date", "", "", dated, 41, 1, 800, 220, PENDING, x_format=DAYS)

    def results(letters: str) -> Iterator[tuple[tuple[str, str], str]]:
        told = zip(_RESULTS, letters, strict=True)
        return (one for one in told if rule.words.draws or one[0][0] != "Draws")

    months = tuple(
        Series(word, rows_below("MonthBars", "C", BAR_MONTHS), rows_below("MonthBars", letter, BAR_MONTHS), style)
        for (word, style), letter in results("DEF")
    )
    volume = ChartPlan("bar", "Games per month", "", "", months, 30, 1, 800, 200)
    first = HEADER_ROW + 2
    sides = tuple(
        Series(word, f"=Results!$C${first}:$C${first + 1}", f"=Results!${letter}${first}:${letter}${first + 1}", style)
        for (word, style), letter in results("EFG")
    )
    by_side = ChartPlan("bar", f"Results by {rule.words.side.lower()}", "", "", sides, 22, 10, 330, 340)
    return (rating, volume, *([by_side] if rule.words.has_places else []), by_date)


def pools_chart(table: TablePlan) -> ChartPlan:
    """Return the chart of every pool that the table has a row for: the table's column Line is its legend.

    A legend of the chart would show the lines of rows without a name too.
    """
    series = []
    for number in range(1, table.rows + 1):
        x, y = (column_letters(3 * number + at) for at in (0, 1))
        name = f"=PoolLines!${x}${LEGEND_ROW}"
        across, up = (rows_below("PoolLines", letter, LINE_POINTS) for letter in (x, y))
        series.append(Series(name, across, up, line_of(number)))
    title, row = "Rating by pool, in the colours of the column Line", table.last_row + 2
    return ChartPlan("line", title, "Game", "", tuple(series), row, 2, 900, 360, PENDING, legend=False)


def line_colours(table: TablePlan) -> Iterator[Highlight]:
    """Yield the colour of each row's line, which the cell beside the pool's name shows."""
    letter = table.range("Line").split("$")[1]
    for number in range(1, table.rows + 1):
        cell = f"${letter}${table.first_row + number}"
        yield Highlight(cell, f'{cell}<>""', f"text_{line_of(number)}")
