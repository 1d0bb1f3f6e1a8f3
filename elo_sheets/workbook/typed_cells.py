"""Typed cells that the formulas pass over: red at once, counted in one line of Check, said by `validate`.

What a cell may hold is said once, by its `Validation`. A program asks that of what is typed by hand, not of what is
pasted, filled down or read from a file; so the same rule is a conditional format, a count, and a test in Python.
Results and the names in a row of games are left out: the status of the row speaks of them. So are settings on Start.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from elo_sheets.files.references import column_letters, sheet_text
from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.layout import LAST_DAY, column_text, text_of
from elo_sheets.workbook.plan import PENDING, CellPlan, CellValue, Highlight, SheetPlan, TablePlan, Validation

SHEET = "Typed"
START = "Start"
FIRST = HEADER_ROW + 1
COUNTED, SENTENCE = f"{SHEET}!$D${HEADER_ROW - 1}", f"{SHEET}!$F${FIRST}"
# A day before 1900, which no cell can hold as a date.
_EARLY_DAY = re.compile(r"1[0-8]..-..-..", re.DOTALL)
_OLD, _LATER = "1???-??-??", "19??-??-??"  # as COUNTIF finds them
_LIMIT = 1e15


@dataclass(frozen=True)
class Place:
    """A typed column of a table, or a single cell: where it stands, what it is called and what it may hold."""

    sheet: str
    row: int
    column: int
    last_row: int
    label: str
    rule: Validation
    table: str = ""

    @property
    def cells(self) -> str:
        """How the formulas of other sheets call it."""
        if self.table:
            return f"{self.table}[{column_text(self.label)}]"
        return f"{sheet_text(self.sheet)}!${column_letters(self.column)}${self.row}"


def typed_places(sheets: Sequence[SheetPlan]) -> Iterator[Place]:
    """Yield what is typed into the sheets of a book and read as a number, a day or a choice, in order."""
    for sheet in sheets:
        if sheet.name == START:
            continue
        for cell in sheet.cells:
            if cell.is_input and cell.validation is not None and _is_judged(cell.validation):
                yield Place(sheet.name, cell.row, cell.column, cell.row, _label(sheet, cell), cell.validation)
        for table in sheet.tables:
            yield from _columns(sheet, table)


def _columns(sheet: SheetPlan, table: TablePlan) -> Iterator[Place]:
    first, last = table.first_data_row, table.last_row
    for at, column in enumerate(table.columns, table.first_column):
        rule = column.validation
        if column.is_input and rule is not None and _is_judged(rule) and not rule.range:
            yield Place(sheet.name, first, at, last, column.label, rule, table.name)


def _is_judged(rule: Validation) -> bool:
    return rule.kind != "text" and not rule.open


def _label(sheet: SheetPlan, cell: CellPlan) -> str:
    """Return the text that stands before a cell in its row, else above it."""
    said = [one for one in sheet.cells if isinstance(one.value, str) and one.value and one.formula is None]
    beside = [one for one in said if one.row == cell.row and one.column < cell.column and not one.is_input]
    above = [one for one in said if one.row < cell.row and one.column == cell.column and not one.is_input]
    found = max(beside, key=lambda one: one.column, default=None) or max(above, key=lambda one: one.row, default=None)
    return cell.name if found is None else str(found.value).rstrip(":")


def fits(rule: Validation, value: CellValue, listed: Sequence[CellValue] = (), *, is_column: bool = False) -> bool:
    """Return whether the formulas take what a cell holds; `listed` is what stands in the range of a list.

    >>> rule = Validation("number", minimum=0, maximum=4000)
    >>> [fits(rule, value) for value in (None, 1500.0, "1500", 4000.5)]
    [True, True, False, False]
    """
    if value is None or value == "":
        return True
    if rule.items:
        return text_of(value).lower() in {word.lower() for word in rule.items}
    if rule.kind == "list":
        return isinstance(value, float) or value.lower() in {text_of(one).lower() for one in listed}
    if not isinstance(value, float):
        return rule.kind == "date" and bool(_EARLY_DAY.fullmatch(value))
    low, high = _limits(rule)
    return low <= value <= high and (is_column or rule.kind != "whole" or value == int(value))


def expected(rule: Validation) -> str:
    """Return what is said of a cell whose value is not understood."""
    if rule.items:
        return f"expected one of {', '.join(rule.items)}"
    if rule.kind == "list":
        return "expected a name from its list"
    if rule.kind == "date":
        return "expected a day, such as 2025-10-01"
    low, high = _limits(rule)
    return f"expected a {'whole ' * (rule.kind == 'whole')}number from {low:.15g} to {high:.15g}"


def not_understood(label: str, rule: Validation) -> str:
    """Return the sentence about a cell that is not understood."""
    return f"{label} is not understood; {expected(rule)}"


def _limits(rule: Validation) -> tuple[float, float]:
    if rule.kind == "date":
        return 0.0, float(LAST_DAY)
    low, high = rule.minimum, rule.maximum
    return -_LIMIT if low is None else float(low), _LIMIT if high is None else float(high)


def misfits(place: Place, cells: str, *, is_one: bool) -> str:
    """Return the formula that is 1 for each of the cells that is not understood, and 0 for the others.

    In a whole column a text that may be a day before 1900 is one too. A number comes before any text, and an empty cell
    is empty text: so the order says what is a number, where not every engine takes ISNUMBER for each cell of a column.
    """
    rule = place.rule
    if rule.items:
        known = "+".join(f'({cells}="{word}")' for word in rule.items)
        return f'({cells}<>"")*(0+{known}=0)'
    if rule.kind == "list":
        return f'({cells}>"")*(SUMPRODUCT(1*({rule.range.removeprefix("=")}={cells}))=0)'
    low, high = _limits(rule)
    taken = f"({cells}>={low:.15g})*({cells}<={high:.15g})"
    if rule.kind == "whole" and not place.table:
        taken += f"*(N({cells})=INT(N({cells})))"
    text = f'({cells}>"")'
    if rule.kind == "date" and is_one:
        early = [f"LEN({cells})=10", f'LEFT({cells},1)="1"', f'MID({cells},2,1)<"9"']
        early += [f'MID({cells},{at},1)="-"' for at in (5, 8)]
        text += f"*(1-AND({','.join(early)}))"
    return f'{text}+({cells}<"")*(1-{taken})'


def _count(place: Place) -> str:
    """Return the formula of how many are not understood; a day before 1900 is text that is."""
    early = ""
    if place.rule.kind == "date" and place.table:
        early = "".join(f'{sign}COUNTIF({place.cells},"{like}")' for sign, like in (("-", _OLD), ("+", _LATER)))
    return f"SUMPRODUCT({misfits(place, place.cells, is_one=not place.table)}){early}"


def _first(place: Place) -> str:
    """Return the formula of the first row of the sheet in which one stands."""
    if not place.table:
        return f"ROW({place.cells})"
    bad = f"({misfits(place, place.cells, is_one=False)})"

    def row(of: str) -> str:
        return f"SUMPRODUCT(MIN(ROW({place.cells})))-1+SUMPRODUCT(MATCH(1,{of},0))"

    if place.rule.kind != "date":
        return row(bad)
    # What the order of texts may take for a day before 1900 comes last.
    early = "+".join(f'({place.cells}>="{century}00-")*({place.cells}<"{century}99-~")' for century in (16, 17, 18))
    certain = f"{bad}*(1-({early}))"
    return f"IF(SUMPRODUCT({certain})>0,{row(certain)},{row(bad)})"


def marked(sheet: SheetPlan, places: Sequence[Place]) -> SheetPlan:
    """Return a sheet on which what is not understood is red."""
    marks = [
        Highlight(
            f"${column_letters(one.column)}${one.row}:${column_letters(one.column)}${one.last_row}",
            f"{misfits(one, f'${column_letters(one.column)}{one.row}', is_one=True)}=1",
            "alarm",
        )
        for one in places
        if one.sheet == sheet.name
    ]
    return replace(sheet, highlights=(*marks, *sheet.highlights))


def typed_sheet(places: Sequence[Place]) -> SheetPlan:
    """Return the hidden sheet that counts what is not understood, and says which cell is the first."""
    last = FIRST + len(places) - 1
    cells = [
        CellPlan(1, 1, "Typed cells that are not understood", style="title"),
        CellPlan(2, 1, "What is typed into them and passed over by the formulas; Check shows the first.", style="hint"),
        CellPlan(HEADER_ROW - 1, 4, PENDING, f"SUM($D${FIRST}:$D${last})", "integer", "count"),
    ]
    for column, text in enumerate(("Sheet", "Cells", "Expected", "Not understood", "First row", "Says"), 1):
        cells.append(CellPlan(HEADER_ROW, column, text, style="header"))
    for row, one in enumerate(places, FIRST):
        after = f"F{row + 1}" if row < last else '""'
        said = f'A{row}&", row "&E{row}&": "&B{row}&" is not understood; "&C{row}'
        cells += [
            CellPlan(row, 1, one.sheet),
            CellPlan(row, 2, one.label),
            CellPlan(row, 3, expected(one.rule)),
            CellPlan(row, 4, PENDING, _count(one), "integer", "count"),
            CellPlan(row, 5, PENDING, f"IF(D{row}=0,0,{_first(one)})", "integer", "count"),
            CellPlan(row, 6, PENDING, f"IF(D{row}=0,{after},{said})"),
        ]
    return SheetPlan(SHEET, tuple(cells), widths={1: 18, 2: 24, 3: 40, 4: 16, 5: 12, 6: 80}, hidden=True)
