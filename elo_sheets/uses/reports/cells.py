"""What a sheet of a plan says, taken apart for a page: its title, figures in groups, tables, and what charts draw."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from elo_sheets.files.references import parse_range
from elo_sheets.uses.reports.numbers import shown
from elo_sheets.workbook.plan import CellPlan, CellValue, ColumnPlan, Plan, SheetPlan, TablePlan

_RANGE = re.compile(r"=?(?:'((?:[^']|'')+)'|([^!]+))!(.+)")
_LABELS = frozenset({"label", "figure_label"})
_TITLES = frozenset({"title", "front_title"})


@dataclass(frozen=True)
class Group:
    """Figures that stand together: a heading, and labels with what is said of each."""

    title: str
    figures: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Listed:
    """A table: its heading, the headers, whether each column is of numbers, and the rows that hold something."""

    title: str
    headers: Sequence[str]
    numeric: Sequence[bool]
    rows: Sequence[Sequence[str]]


class Reading:
    """A sheet of a completed plan, by what it says."""

    def __init__(self, plan: Plan, name: str) -> None:
        self.plan, self.sheet = plan, plan.sheet(name)

    @cached_property
    def title(self) -> str:
        """The title of the sheet."""
        return next(str(cell.value) for cell in self.sheet.cells if cell.style in _TITLES)

    @property
    def hints(self) -> list[str]:
        """The sentences below the title."""
        return [str(cell.value) for cell in self.sheet.cells if cell.style == "hint" and cell.row < 4 and cell.value]

    @cached_property
    def groups(self) -> list[Group]:
        """The figures, in the groups in which they stand."""
        found = {None: Group("")} | {(one.row, one.column): Group(str(one.value)) for one in self._sections}
        rows: dict[int, list[CellPlan]] = {}
        for cell in sorted(self.sheet.cells, key=lambda cell: (cell.column, cell.row)):
            rows.setdefault(cell.row, []).append(cell)
        for label in (cell for row in sorted(rows) for cell in rows[row] if cell.style in _LABELS):
            beside = next((cell for cell in rows[label.row] if cell.column > label.column), None)
            if beside is not None and (text := shown(beside.value, beside.style)):
                found[self._section_of(label)].figures.append((str(label.value).strip(), text))
        return [group for group in found.values() if group.figures]

    @cached_property
    def _sections(self) -> list[CellPlan]:
        return [cell for cell in self.sheet.cells if cell.style == "section" and cell.value]

    def _section_of(self, label: CellPlan) -> tuple[int, int] | None:
        above = [one for one in self._sections if one.column == label.column and one.row < label.row]
        return max(((one.row, one.column) for one in above), default=None)

    @cached_property
    def tables(self) -> list[Listed]:
        """The tables that hold something."""
        return [listed for table in self.sheet.tables if (listed := self._listed(table)).rows]

    def _listed(self, table: TablePlan) -> Listed:
        above = {(one.row, one.column): str(one.value) for one in self._sections}
        columns = [column for column in table.columns if column.width and any(_holds(v) for v in column.fill.values)]
        rows = [
            row for row in zip(*(column.fill.values for column in columns), strict=True) if any(map(_holds, row[1:]))
        ]
        return Listed(
            above.get((table.first_row - 1, table.first_column), ""),
            [column.label for column in columns],
            [_is_numeric(column) for column in columns],
            [[shown(value, column.style) for value, column in zip(row, columns, strict=True)] for row in rows],
        )

    # What charts draw

    def text(self, name: str) -> str:
        """Return the name of a series: a text, or what stands in the cell that it refers to."""
        return name if not name.startswith("=") else shown(self.values(name)[0], "text")

    def values(self, reference: str) -> list[CellValue]:
        """Return what stands in a range of cells of one sheet, such as `=Curves!$D$5:$D$154`."""
        match = _RANGE.fullmatch(reference)
        assert match is not None
        sheet = self.plan.sheet((match[1] or match[2]).replace("''", "'"))
        top, left, bottom, right = parse_range(match[3].replace("$", ""))
        return [_at(sheet, row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)]


def _at(sheet: SheetPlan, row: int, column: int) -> CellValue:
    for table in sheet.tables:
        at = column - table.first_column
        if table.first_row <= row <= table.last_row and 0 <= at < len(table.columns):
            found = table.columns[at]
            return found.label if row == table.first_row else found.fill.values[row - table.first_data_row]
    return next((cell.value for cell in sheet.cells if (cell.row, cell.column) == (row, column)), None)


def sheets_read(sheet: SheetPlan) -> Iterator[str]:
    """Yield the names of the other sheets whose cells the charts and the lines in cells of a sheet draw."""
    for chart in sheet.charts:
        for series in chart.series:
            for text in (series.name, series.categories, series.values):
                if (match := _RANGE.fullmatch(text)) is not None:
                    yield (match[1] or match[2]).replace("''", "'")


def _holds(value: CellValue) -> bool:
    return value is not None and value != ""


def _is_numeric(column: ColumnPlan) -> bool:
    return not any(isinstance(value, str) and value for value in column.fill.values)
