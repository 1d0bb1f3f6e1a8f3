"""Where the lines of a chart are highest: the cells that say so, on the hidden sheet behind it, and their marks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from elo_sheets.files.package import column_letters
from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.plan import PENDING, CellPlan, Series

_LABELS = {"count": ("Peak at", "integer"), "date": ("Peak on", "date"), "points": ("Peak", "points")}


def peaks(column: int, lines: Sequence[Mapping[str, str]], name: str) -> Iterator[CellPlan]:
    """Yield where each line is highest, a row for each from `column` on.

    A line is its columns with their units: those of the axes across, `{"Curves[Game]": "count"}`, and last its values.
    Of equal values the first one counts. `name` is the formula of what the legend calls the marks.
    """
    yield CellPlan(HEADER_ROW - 1, column + len(lines[0]) - 1, PENDING, name, "hint")
    for at, unit in enumerate(lines[0].values(), column):
        yield CellPlan(HEADER_ROW, at, _LABELS[unit][0], style="hint")
    for row, line in enumerate(lines, HEADER_ROW + 1):
        *_, drawn = line
        found = f"MATCH({column_letters(column + len(line) - 1)}{row},{drawn},0)"
        for at, (values, unit) in enumerate(line.items(), column):
            formula = f"MAX({values})" if values == drawn else f"INDEX({values},{found})"
            yield CellPlan(row, at, PENDING, formula, _LABELS[unit][1], unit)


def mark(sheet: str, across: int, up: int, lines: int = 1) -> Series:
    """Return the marks of so many lines, whose places and values stand in two columns of the sheet."""
    first, last = HEADER_ROW + 1, HEADER_ROW + lines
    x, y = (f"={sheet}!${letter}${first}:${letter}${last}" for letter in map(column_letters, (across, up)))
    return Series(f"={sheet}!${column_letters(up)}${HEADER_ROW - 1}", x, y, "mark_peak")
