"""What each column says in a sentence, as the sheet Formulas lists it; `words.toml` has those that templates share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from elo_sheets.shipped import shipped_data
from elo_sheets.workbook import dialect
from elo_sheets.workbook.plan import CellValue, ColumnPlan, Fill, SheetPlan, TablePlan

ONE_LINE, TALLEST_ROW = 15.0, 409.0  # points
FILLED = 0.8  # of a line of wrapped text, which breaks where words and operators end
# How a remark begins that says what an empty cell means, and what it says of text in a cell for a number.
EMPTY, NO_NUMBER = "empty: ", "no number: not used"


def replaces(typed: str, rule: str) -> str:
    """Return the formula of what stands beside a cell whose number counts in place of the rule's.

    `typed` and `rule` are the two cells; a number from 0 down is none.
    """
    return (
        f'IF(TRIM({typed})="","",IF(NOT(ISNUMBER({typed})),"{NO_NUMBER}",IF({typed}<=0,"{NO_NUMBER}",'
        f'IF(ISNUMBER({rule}),"replaces "&ROUND({rule},1),"replaces the rule\'s"))))'
    )


ABOUT: dict[str, str] = shipped_data("workbook/words.toml")
# The columns of the sheet Formulas: header, style and width.
EXPLAINED = (
    ("Sheet", "wrap", 14.0),
    ("Column", "wrap", 22.0),
    ("What it says", "wrap", 56.0),
    ("Source", "wrap", 36.0),
    ("Formula of a row", "wrap", 80.0),
)


def said(table: TablePlan, column: ColumnPlan) -> str:
    """Return the sentence that explains a column, "" where none does."""
    return column.about or ABOUT.get(column.role, "") or ABOUT.get(f"{table.name}:{column.label}", "")


def explained(planned: SheetPlan, rule: str = "", all_of_it: str = "") -> Iterator[tuple[CellValue, ...]]:
    """Yield a row for each computed column of a sheet, and one for those that it computes for charts and lists
    alone, by the sheet's title. `rule` is the source of the rating rule's steps, `all_of_it` that of all columns.
    """
    for table in planned.tables:
        unsaid: list[tuple[str, str]] = []
        for column in table.columns:
            text, about = column.fill.typical_formula(table.first_data_row, table.rows), said(table, column)
            if text is None:
                continue
            if about:
                source = column.source or (rule if column.role.startswith("step:") else all_of_it)
                yield planned.name, column.label, about, source, dialect.typed(text)
            else:
                unsaid.append((column.label, text))
        if unsaid:
            labels = unsaid[0][0] if len(unsaid) == 1 else f"{unsaid[0][0]} … {unsaid[-1][0]}"
            title = planned.cells[0].value if planned.cells else planned.name
            yield planned.name, labels, title, all_of_it, dialect.typed(unsaid[0][1])


def constants(label: str, values: Sequence[CellValue], style: str, width: float) -> ColumnPlan:
    """Return a column of constants."""
    return ColumnPlan(label, Fill(values), "", style, width)


def row_height(values: Sequence[CellValue], columns: Sequence[ColumnPlan]) -> float:
    """Return the height of a row whose texts are wrapped; not every program finds it by itself."""
    pairs = zip(values, columns, strict=True)
    lines = [math.ceil(len(str(value)) / (FILLED * column.width)) for value, column in pairs]
    return min(ONE_LINE * max(1, *lines), TALLEST_ROW)
