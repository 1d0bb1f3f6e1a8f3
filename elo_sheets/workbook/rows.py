"""Long tables as the text that a worksheet holds of them: each column's text once, with the numbers of the rows put in.

XlsxWriter keeps an object for each cell and writes it by itself; here a column is an iterator of text, which is asked
for one cell after the other while the file is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import isfinite
from typing import Any

from elo_sheets.errors import OutputRefused
from elo_sheets.files.references import column_letters, escape, escape_xml
from elo_sheets.workbook.layout import retold
from elo_sheets.workbook.plan import CellValue, Fill

_MAX_TEXT = 32_767  # UTF-16 units that a cell holds


def formula_cells(fill: Fill, sheet: str, first_row: int, column: int, shape: Any) -> Iterator[str]:
    """Yield the cells of a column of formulas and their results, from `first_row` (1-based) in `column` (from 0) on."""
    stored = retold(fill, escape_xml)
    head = f'<c r="{column_letters(column + 1)}%d" s="{shape._get_xf_index()}"'
    shown = _Shown()
    for rows, formula, places in stored.stretches(first_row):
        number, text = f"{head}><f>{formula}</f><v>%s</v></c>", f'{head} t="str"><f>{formula}</f><v>%s</v></c>'
        values: Sequence[Any] = fill.values[rows.start : rows.stop]
        numbered = range(first_row + rows.start, first_row + rows.stop)
        kinds = set(map(type, values))
        if kinds == {str}:
            yield from map(text.__mod__, zip(numbered, *places, map(shown.__getitem__, values), strict=True))
        elif kinds <= {float, int} and all(map(isfinite, values)):
            yield from map(number.__mod__, zip(numbered, *places, values, strict=True))
        else:
            for row, *moving, value in zip(numbered, *places, values, strict=True):
                if isinstance(value, str):
                    yield text % (row, *moving, shown[value])
                elif value is None or value - value != 0:
                    raise _refused(sheet, row, column, f"expected a number or a text, got {value}")
                else:
                    yield number % (row, *moving, value)


class _Shown(dict[str, str]):
    """Texts as a formula's result stores them, each found once."""

    def __missing__(self, value: str) -> str:
        shown = self[value] = escape_xml(escape(value))
        return shown


def value_cells(
    values: Sequence[CellValue],
    sheet: str,
    first_row: int,
    column: int,
    shapes: Iterable[Any],
    shared: Callable[[str], int],
) -> Iterator[str]:
    """Return the cells of a column of values, each in the shape beside it; `shared` numbers the texts at once."""
    # One object for each text, and of numbers none until they are written: an archive has a million cells.
    texts: dict[str, str] = {}
    tails: list[str | float] = []
    for row, value in enumerate(values, first_row):
        if value is None:
            tails.append("/>")
        elif isinstance(value, str):
            if len(value) > _MAX_TEXT // 2 and len(value.encode("utf-16-le")) // 2 > _MAX_TEXT:
                raise _refused(sheet, row, column, f"a cell holds at most {_MAX_TEXT:,} characters")
            number = shared(value)  # which counts them, too
            if value not in texts:
                texts[value] = f' t="s"><v>{number}</v></c>'
            tails.append(texts[value])
        elif value - value != 0:
            raise _refused(sheet, row, column, f"expected a finite number, got {value}")
        else:
            tails.append(value)
    letters = column_letters(column + 1)
    # The shapes have their numbers only when the file is written.
    cells = enumerate(zip(shapes, tails, strict=True), first_row)
    return (
        f'<c r="{letters}{row}" s="{shape._get_xf_index()}"{tail if isinstance(tail, str) else _number(tail)}'
        for row, (shape, tail) in cells
    )


def _number(value: float) -> str:
    return f"><v>{value:.16G}</v></c>"


def _refused(sheet: str, row: int, column: int, why: str) -> OutputRefused:
    return OutputRefused(f"cannot write {sheet}!{column_letters(column + 1)}{row}: {why}")
