"""The modern dialect: formulas that spill, where one of them says what a formula in each cell says in the portable one.

A list that sorts itself is planned as the table that it is in the portable dialect; `spilling` then makes it a range in
which some columns are the results of one formula each.  The formulas are written as a person types them and stored as
Excel stores them: the functions and the names that LET gives carry prefixes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from elo_sheets.errors import UsageError
from elo_sheets.files.lint import FUTURE
from elo_sheets.workbook.layout import column_text, in_row
from elo_sheets.workbook.plan import CellValue, ColumnPlan, Fill, TablePlan

# By the labels of columns beside each other: the formula that fills them.
Lists = dict[tuple[str, ...], str]

PORTABLE, MODERN = "portable", "modern"
NAMES = (PORTABLE, MODERN)
OPTION = "dialect"
NEEDS = (
    "Lists in this book are dynamic arrays: it needs Excel 2021 or Microsoft 365. LibreOffice has their functions from "
    "24.8 on, but its lists do not grow."
)
_PREFIXES = re.compile(r"\b_xl(?:fn|ws|pm)\.")


def options(name: str) -> dict[str, str]:
    """Return what a book of a dialect is made with; raises `UsageError` for a dialect that does not exist."""
    if name not in NAMES:
        raise UsageError(f"expected a dialect ({', '.join(NAMES)}), got {name!r}")
    return {} if name == PORTABLE else {OPTION: name}


_PARTS = re.compile(r'"[^"]*"|\[[^\[\]]*\]|(?P<function>[A-Z]+)(?=\()|(?<![\w.{$!])(?P<name>[a-z]+)(?![\w.(!])')


def stored(formula: str) -> str:
    """Return a formula as Excel stores it: with the prefixes of later functions and of the names that LET gives.

    Such a name is one word in lower case.

    >>> stored('LET(own,FILTER(T[No.],T[Id]=1,""),SORT(own,1,-1))')
    '_xlfn.LET(_xlpm.own,_xlfn._xlws.FILTER(T[No.],T[Id]=1,""),_xlfn._xlws.SORT(_xlpm.own,1,-1))'
    """

    def part(match: re.Match[str]) -> str:
        if match["function"]:
            return FUTURE.get(match["function"], match["function"])
        return f"_xlpm.{match['name']}" if match["name"] else match[0]

    return _PARTS.sub(part, formula)


def typed(formula: str) -> str:
    """Return a stored formula as a person types it: without the prefixes."""
    return _PREFIXES.sub("", formula)


def is_modern(formula: str) -> bool:
    """Return whether a stored formula uses functions that the portable dialect has not."""
    return "_xlfn." in formula


def unless_empty(test: str, list_formula: str) -> str:
    """Return the formula of a list, or of empty text where it has no rows: LibreOffice cannot sort a single text."""
    return f'IF({test},"",{list_formula})'


def ranked(values: str, rank: str, order: int = 1) -> str:
    """Return the formula of the rows of `values` that have a `rank`, in its order, or in the other one for -1.

    Both are columns of one table, `values` also columns beside each other or something computed from them.
    """
    down = "" if order == 1 else f",{order}"
    found = f'LET(listed,{rank}<>"",SORTBY(FILTER({values},listed,""),FILTER({rank},listed,""){down}))'
    return unless_empty(f"COUNT({rank})=0", found)


def places(rank: str) -> str:
    """Return the formula of the ranks themselves, in order."""
    return unless_empty(f"COUNT({rank})=0", f'SORT(FILTER({rank},{rank}<>"",""))')


def lists(table: TablePlan, wanted: Mapping[str, str], source: str, labels: Sequence[str]) -> Lists:
    """Return the formulas that fill a table by the rank in another one, the source, whose columns are `labels`.

    `wanted` says for columns of the table which of the source they show; those that are beside each other in both are
    one list.
    """
    runs: list[list[str]] = []
    before = ""
    for column in table.columns:
        shown = wanted.get(column.label, "")
        if shown and before and labels.index(shown) == labels.index(before) + 1:
            runs[-1].append(column.label)
        elif shown:
            runs.append([column.label])
        before = shown
    found: Lists = {}
    for run in runs:
        first, last = (column_text(wanted[label]) for label in (run[0], run[-1]))
        cells = f"{source}[{first}]" if len(run) == 1 else f"{source}[[{first}]:[{last}]]"
        found[tuple(run)] = ranked(cells, f"{source}[Rank]")
    return found


def leading(list_formula: str, rows: int) -> str:
    """Return what a LET takes behind its names: the first `rows` rows of a list.

    A list of one row is taken as it is: in LibreOffice 25.2 it is a single value, which FILTER does not take.
    """
    return f"all,{list_formula},IF(ROWS(all)=1,all,FILTER(all,SEQUENCE(ROWS(all))<={rows}))"


def spilling(table: TablePlan, formulas: Lists, dropped: Collection[str] = ()) -> TablePlan:
    """Return a table as a plain range in which columns are filled by formulas that spill over them.

    `formulas` says for columns beside each other, by label, which one fills them; the results are those that the table
    has, of which `without_empty_rows` drops the empty text below.  The other columns keep a formula in each row, and
    those in `dropped` have no place.
    """
    fills = {column.label: column.fill for column in table.columns}
    spills: dict[str, Fill] = {}
    for names, formula in formulas.items():
        for at, name in enumerate(names):
            width, text = (0, None) if at else (len(names), stored(formula))
            spills[name] = replace(fills[name], formula=text, first=None, spill=width)
    shown = replace(table, columns=tuple(column for column in table.columns if column.label not in dropped))
    columns = (replace(column, fill=spills.get(column.label) or _in_range(column, shown)) for column in shown.columns)
    return replace(shown, columns=tuple(columns), is_range=True, like=table)


def without_empty_rows(table: TablePlan) -> TablePlan:
    """Return a table whose formulas that spill reach as far as there is something to show."""
    spills = [column for column in table.columns if column.fill.spill is not None]
    shown = zip(*(column.fill.values for column in spills), strict=True)
    rows = sum(any(value not in ("", None) for value in row) for row in shown)

    def cut(column: ColumnPlan) -> ColumnPlan:
        fill = column.fill
        if fill.spill is None:
            return column
        values: list[CellValue] = [*fill.values[:rows], *[None] * (table.rows - rows)]
        if rows == 0 and fill.spill:
            values[0] = ""
        return replace(column, fill=replace(fill, values=values))

    return replace(table, columns=tuple(map(cut, table.columns)))


def _in_range(column: ColumnPlan, table: TablePlan) -> Fill:
    """Return a column's fill with addresses for the columns of its own table, which will be none."""
    fill = column.fill
    return fill if fill.formula is None else replace(fill, formula=in_cells(fill.formula, table))


def in_cells(formula: str, table: TablePlan) -> str:
    """Return a formula with addresses in place of the references to a table: this row's cell as `$A{row}`."""
    formula = in_row(formula, table)
    for column in table.columns:
        formula = formula.replace(f"{table.name}[{column_text(column.label)}]", table.range(column.label))
    return formula
