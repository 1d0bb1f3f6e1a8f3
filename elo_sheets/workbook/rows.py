"""Long tables as the text that a worksheet holds of them: each column's text once, with the numbers of the rows put in.

XlsxWriter keeps an object for each cell and writes it by itself; here a column is an iterator of text, which is asked
for one cell after the other while the file is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from elo_sheets.errors import OutputRefused
from elo_sheets.files.package import column_letters, escape, escape_xml
from elo_sheets.workbook.layout import retold
from elo_sheets.workbook.plan import CellValue, Fill

_MAX_TEXT = 32_767  # UTF-16 units that a cell holds


def formula_cells(fill: Fill, sheet: str, first_row: int, column: int, shape: Any) -> Iterator[str]:
    """Yield the cells of a column of formulas and their results, from `first_row` (1-based) in `column` (from 0) on."""
    stored = retold(fill, escape_xml)
    head = f'<c r="{column_letters(column + 1)}%d" s="{shape._get_xf_index()}"'
    number, text = f"{head}><f>%s</f><v>%s</v></c>", f'{head} t="str"><f>%s</f><v>%s</v></c>'
    known: dict[str, str] = {}
    for row, (formula, value) in enumerate(zip(stored.formulas(first_row), fill.values, strict=True), first_row):
        if isinstance(value, str):
            shown = known.get(value)
            if shown is None:
                shown = known[value] = escape_xml(escape(value))
            yield text % (row, formula, shown)
        elif value is None or value - value != 0:
            raise _refused(sheet, row, column, f"expected a number or a text, got {value}")
        else:
            yield number % (row, formula, value)


def value_cells(
    values: Sequence[CellValue],
    sheet: str,
    first_row: int,
    column: int,
    shapes: Iterable[Any],
    shared: Callable[[str], int],
) -> Iterator[str]:
    """Return the cells of a column of values, each in the shape beside it; `shared` numbers the texts at once."""
    tails = []
    for row, value in enumerate(values, first_row):
        if value is None:
            tails.append("/>")
        elif isinstance(value, str):
            if len(value) > _MAX_TEXT // 2 and len(value.encode("utf-16-le")) // 2 > _MAX_TEXT:
                raise _refused(sheet, row, column, f"a cell holds at most {_MAX_TEXT:,} characters")
            tails.append(f' t="s"><v>{shared(value)}</v></c>')
        elif value - value != 0:
            raise _refused(sheet, row, column, f"expected a finite number, got {value}")
        else:
            tails.append(f"><v>{value:.16G}</v></c>")
    letters = column_letters(column + 1)
    # The shapes have their numbers only when the file is written.
    cells = enumerate(zip(shapes, tails, strict=True), first_row)
    return (f'<c r="{letters}{row}" s="{shape._get_xf_index()}"{tail}' for row, (shape, tail) in cells)


def _refused(sheet: str, row: int, column: int, why: str) -> OutputRefused:
    return OutputRefused(f"cannot write {sheet}!{column_letters(column + 1)}{row}: {why}")
