"""Where the lines of a chart are best: the cells that say so, on the hidden sheet behind it, and their marks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from elo_sheets.files.references import column_letters
from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.invitation import PEAK
from elo_sheets.workbook.plan import PENDING, CellPlan, Series

# Header, style and unit of what is said of a peak.
_SAID = {
    "count": ("Peak at", "integer", "count"),
    "date": ("Peak on", "date", "date"),
    "points": ("Peak", "points", "points"),
    "row": ("Peak row", "integer", "count"),
    "point": ("Peak point", "integer", "count"),
}


def peaks(column: int, lines: Sequence[Mapping[str, str]], name: str, best: str) -> Iterator[CellPlan]:
    """Return the cells of where each line is best, by a function that takes the best of ratings, a row for each.

    A line is its columns with their units: those of the axes across, `{"Curves[Game]": "count"}`, and last its values.
    Of equal values the first one counts. `name` is the formula of what the legend calls the marks.
    """
    rows = []
    for row, line in enumerate(lines, HEADER_ROW + 1):
        *_, drawn = line
        found = f"MATCH({column_letters(column + len(line) - 1)}{row},{drawn},0)"
        told = ((unit, f"{best}({at})" if at == drawn else f"INDEX({at},{found})") for at, unit in line.items())
        rows.append(dict(told))
    return marked(column, rows, name)


def marked(column: int, rows: Sequence[Mapping[str, str]], name: str) -> Iterator[CellPlan]:
    """Yield the cells of some peaks from `column` on, a row for each: formulas by what each says of it.

    They say nothing while the legend says something else: the lines of an empty book have no peaks.
    """
    up = column + list(rows[0]).index("points")
    named = f"${column_letters(up)}${HEADER_ROW - 1}"
    yield CellPlan(HEADER_ROW - 1, up, PENDING, name, "hint")
    for at, said in enumerate(rows[0], column):
        yield CellPlan(HEADER_ROW, at, _SAID[said][0], style="hint")
    for row, formulas in enumerate(rows, HEADER_ROW + 1):
        for at, (said, formula) in enumerate(formulas.items(), column):
            yield CellPlan(row, at, PENDING, f'IF({named}="{PEAK}",{formula},"")', *_SAID[said][1:])


def mark(sheet: str, across: int, up: int, lines: int = 1) -> Series:
    """Return the marks of so many lines, whose places and values stand in two columns of the sheet."""
    first, last = HEADER_ROW + 1, HEADER_ROW + lines
    x, y = (f"={sheet}!${letter}${first}:${letter}${last}" for letter in map(column_letters, (across, up)))
    return Series(f"={sheet}!${column_letters(up)}${HEADER_ROW - 1}", x, y, "mark_peak")
