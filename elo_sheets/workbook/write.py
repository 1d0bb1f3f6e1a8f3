"""The plan becomes a file. The only module that knows XlsxWriter.

Text goes through `write_string` alone, so that no name becomes a formula or a link; return codes and warnings
of XlsxWriter become errors; the file is linted before it is moved over its target.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import lru_cache, partial
from itertools import count, repeat
from pathlib import Path
from types import MappingProxyType
from typing import Any
from zipfile import ZipFile

import xlsxwriter
from xlsxwriter import workbook, worksheet
from xlsxwriter.exceptions import FileCreateError
from xlsxwriter.packager import Packager
from xlsxwriter.worksheet import Worksheet

from elo_sheets.errors import OutputRefused
from elo_sheets.files.cells import Cell
from elo_sheets.files.lint import LintFinding, lint
from elo_sheets.files.package import read_book
from elo_sheets.files.references import Place, cell_name, escape, quote_sheet
from elo_sheets.files.save import private_folder, replacing
from elo_sheets.files.seal import OPEN, seal
from elo_sheets.formula import DIALECTS, number_text
from elo_sheets.replaying.periods import LEAP_DAY
from elo_sheets.workbook.dialect import is_modern
from elo_sheets.workbook.layout import LAST_DAY, MACHINERY, as_stored, fixed_columns
from elo_sheets.workbook.plan import (
    BLOCK,
    CellPlan,
    CellValue,
    ChartPlan,
    ColumnPlan,
    Fill,
    Plan,
    SheetPlan,
    TablePlan,
    Validation,
    pixels,
)
from elo_sheets.workbook.rows import formula_cells, value_cells
from elo_sheets.workbook.styles import CELL, FILLS, HIGHLIGHT, LINES, MARKS, TABS, TYPED

# The same input gives the same bytes: a book does not carry the moment of its making.
LEVEL = 5  # of deflate: half the time of level 6, for a file that is a twentieth larger
SMALL = 50_000  # formulas of a book up to which its parts are held in memory, and not written beside it first
# The styles of names, how wide a column of them becomes for them, in letters, and how wide it becomes even where the
# sheet is then printed smaller than `LEGIBLE`; longer names are written smaller.
NAMES, MOST_WIDE, ALWAYS_WIDE = ("name", "name_strong"), 30, 20
# How many rows of a table a page has at least, upright and across, how many are printed beyond those that are filled,
# and by what a row is known to be.
PAGE_ROWS, SPARE_ROWS, KEYS, BLANK = (40, 24), 20, (*NAMES, "month", "centred"), (None, "", 0)
MARGINS = {"left": 0.3, "right": 0.3, "top": 0.5, "bottom": 0.6}  # inches
# How wide and high a page is between its margins, upright and across, in points, and how much larger a sheet may be
# that is printed on it: type of 11 has 7 points then.
PAGES, LEGIBLE = {False: (552.0, 763.0), True: (799.0, 516.0)}, 11 / 7
# Points of a letter and of what a column has besides, where they are widest: LibreOffice without Calibri; and of a row.
LETTER, BESIDE, LINE = 7.0, 6.0, 14.6
# How many rows the title and headers take from a page, and how many rows without names are left at the end of one.
HEADING_ROWS, LEAST_SPARE = 2, 2
TWO_LINES = 30.0  # points
LARGE, LINE_SPACE = 12, 1.4  # points of type from which a row is higher than a line, and by how much
USUAL_WIDTH = 8.43  # letters
EMPTY_ROW = 2  # between what stands above a sheet and its headers, from 0
_CREATED = datetime(2000, 1, 1)
_FORMULA_START = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_UNLOCKED = {"format_columns": True, "format_rows": True, "sort": True, "autofilter": True}


def write_book(plan: Plan, target: Path, *, overwrite: bool = False) -> None:
    """Write the plan as an .xlsx file.

    The file is made beside the target, checked, and moved over it. Raises `OutputRefused` when the target exists
    and `overwrite` is not given, or when the book would not be sound.
    """
    with replacing(target, overwrite=overwrite) as beside:
        with private_folder() as folder:
            write_plan(plan, beside, folder)
        faults = written_faults(plan, beside)
        if faults:
            raise OutputRefused(f"cannot write {target}: {'; '.join(map(str, faults[:5]))}")


def write_plan(plan: Plan, path: Path, folder: Path) -> None:
    """Write the plan to a path as it is, unchecked; `folder` takes what is needed meanwhile."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            _Writer(plan, path, folder).write()
        except UserWarning as warning:
            raise OutputRefused(f"cannot write {path}: {warning}") from None
        except FileCreateError as error:
            raise error.args[0] from None  # what the system said


def written_faults(
    plan: Plan, path: Path, beside: Mapping[str, Mapping[Place, Cell]] = MappingProxyType({})
) -> list[LintFinding]:
    """Return what the lint says of a written plan: of its parts as they are, of columns by the rows where texts begin.

    `beside` are the cells that stand on its sheets beside the plan's; other sheets are read. Modern books are read
    whole, since XlsxWriter decides which of their formulas are arrays; so are those with arrays beside the plan's.
    """
    arrays = any(cell.array is not None for cells in beside.values() for cell in cells.values())
    if plan.dialect != "portable" or arrays:
        return lint(read_book(path), portable=DIALECTS[plan.dialect])
    columns = fixed_columns(plan)
    typical = {sheet.name: {**dict(_typical(sheet, columns)), **beside.get(sheet.name, {})} for sheet in plan.sheets}
    book = read_book(path, without_rows=typical)
    book.sheets |= typical
    return lint(book, portable=DIALECTS[plan.dialect])


def _typical(sheet: SheetPlan, columns: Mapping[str, str]) -> Iterator[tuple[Place, Cell]]:
    """Yield the cells of a sheet, of each column those in which another text begins, and the last."""
    for cell in sheet.cells:
        yield (cell.row, cell.column), Cell(cell.formula, cell.value)
    for table in sheet.tables:
        first = table.first_data_row
        for at, column in enumerate(table.columns, table.first_column):
            fill = as_stored(column.fill, table, sheet, columns)
            yield (table.first_row, at), Cell(None, column.label)
            if fill.formula is not None and fill.values:
                last = len(fill.values) - 1
                for begin in {min(begin, last) for begin in (0, fill.pair, BLOCK, last)}:
                    yield (first + begin, at), Cell(fill.formula_at(first + begin, first), fill.values[begin])


class _Result(str):
    """The text that a formula gives, as the file stores it.

    It equals nothing, so that XlsxWriter stores "" and a player called #N/A as the texts they are, and is no number, so
    that it takes a player called 12 for text where an array begins.
    """

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __float__(self) -> float:
        raise ValueError(self)

    @classmethod
    def of(cls, value: CellValue) -> CellValue:
        """Return the value of a formula as XlsxWriter takes it."""
        return cls(escape(value)) if isinstance(value, str) else value


class _Page(Worksheet):  # type: ignore[misc]
    """A worksheet that stores formulas as they are given, in the form Excel stores, and takes columns of text."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: dict[tuple[int, int], Iterator[str]] = {}
        self._values: dict[int, list[tuple[int, Sequence[CellValue]]]] = {}

    def add_column(self, first_row: int, column: int, values: Sequence[CellValue], texts: Iterator[str]) -> int:
        """Take the cells of one column from `first_row` on (both from 0), and what they show.

        The answer is below 0 when they are outside of a sheet.
        """
        if self._check_dimensions(first_row, column) or self._check_dimensions(first_row + len(values) - 1, column):
            return -1
        self._texts[first_row, column] = texts
        self._values.setdefault(column, []).append((first_row, values))
        return 0

    def shared_text(self, text: str) -> int:
        """Return the number of a text among those that the sheets share."""
        index: int = self.str_table._get_shared_string_index(text)
        return index

    def _prepare_formula(self, formula: str, expand_future_functions: bool = False) -> str:
        return formula.removeprefix("=")

    def _get_range_data(self, row_start: int, col_start: int, row_end: int, col_end: int) -> list[object]:
        """Return what a chart shows of cells until it is recalculated."""
        if row_start != row_end or col_start != col_end:
            places = [
                (row, column) for row in range(row_start, row_end + 1) for column in range(col_start, col_end + 1)
            ]
            return [data for place in places for data in self._get_range_data(*place, *place)]
        for first_row, values in self._values.get(col_start, []):
            if 0 <= row_start - first_row < len(values):
                value = values[row_start - first_row]
                return ["" if value is None else _Result.of(value)]
        data: list[object] = super()._get_range_data(row_start, col_start, row_end, col_end)
        return data

    def _write_rows(self) -> None:
        waiting = sorted(self._texts, reverse=True)
        running: dict[int, Iterator[str]] = {}
        for row in range(self.dim_rowmin, self.dim_rowmax + 1):
            while waiting and waiting[-1][0] == row:
                begin = waiting.pop()
                running = dict(sorted({**running, begin[1]: self._texts.pop(begin)}.items()))
            texts = dict(zip(running, map(next, running.values(), repeat("")), strict=True))
            if "" in texts.values():
                texts = {column: text for column, text in texts.items() if text}
                running = {column: running[column] for column in texts}
            cells, info = self.table.get(row, {}), self.row_info.get(row)
            if not cells and not texts:
                if info:
                    self._write_empty_row(row, None, info)
                continue
            self._write_row(row, None, info)
            if not cells:
                self.fh.write("".join(texts.values()))
            else:
                for column in sorted(cells.keys() | texts.keys()):
                    if column in texts:
                        self.fh.write(texts[column])
                    else:
                        self._write_cell(row, column, cells[column])
            self._xml_end_tag("row")


def _heights(sheet: SheetPlan) -> dict[int, float]:
    """Return the heights of rows with large type, which not every program finds, and of headers that go on below."""
    sizes = ((cell.row, float(CELL[cell.style].get("font_size", 0))) for cell in sheet.cells)
    large = {row: LINE_SPACE * size for row, size in sorted(sizes) if size > LARGE}
    headers = {
        table.first_row: TWO_LINES
        for table in sheet.tables
        for at, column in enumerate(table.columns, table.first_column)
        if len(column.label) >= sheet.widths.get(at, column.width) > 0
    }
    return large | headers | dict(sheet.heights)


class _Packager(Packager):  # type: ignore[misc]
    """What writes the parts, and seals them when all are there."""

    def _create_package(self) -> Any:
        written = super()._create_package()
        seal((file, name) for file, name, _ in written)
        return written


@contextmanager
def _quicker() -> Iterator[None]:
    """Pack books that are closed meanwhile at `LEVEL` of deflate, which XlsxWriter leaves at 6, and make the styles of
    their small lines once: it makes all 36 of them for each line."""
    usual = workbook.ZipFile, worksheet._get_sparkline_style
    workbook.ZipFile, worksheet._get_sparkline_style = partial(ZipFile, compresslevel=LEVEL), lru_cache(usual[1])
    try:
        yield
    finally:
        workbook.ZipFile, worksheet._get_sparkline_style = usual


class _Workbook(xlsxwriter.Workbook):  # type: ignore[misc]
    def _get_packager(self) -> Packager:
        return _Packager()


class _Writer:
    def __init__(self, plan: Plan, path: Path, folder: Path) -> None:
        self.plan = plan
        self.columns, self.whole = fixed_columns(plan), _is_new(plan)
        options = {"strings_to_formulas": False, "strings_to_urls": False, "tmpdir": str(folder)}
        options["in_memory"] = plan.size() <= SMALL
        self.book = _Workbook(str(path), options)
        self.formats: dict[tuple[str, bool, bool], Any] = {}

    def write(self) -> None:
        self.book.set_properties(
            {"title": self.plan.title, "created": _CREATED, "comments": "elo-sheets", "status": OPEN}
        )
        sheets = [(sheet, self.book.add_worksheet(sheet.name, _Page)) for sheet in self.plan.sheets]
        for name, cell in self.plan.names.items():
            _done(self.book.define_name(name, f"={cell}"), f"the name {name}")
        with _quicker():
            for sheet, page in sheets:
                self.sheet(sheet, page)
            self.book.close()

    def sheet(self, sheet: SheetPlan, page: Any) -> None:
        sheet = _wide_enough(sheet)
        for column, width in sheet.widths.items():
            page.set_column(column - 1, column - 1, width or None, None, {"hidden": width == 0})
        for row, height in _heights(sheet).items():
            page.set_row(row - 1, height)
        for cell in sheet.cells:
            self.cell(page, cell)
        for table in sheet.tables:
            self.table(page, table, sheet)
        for highlight in sheet.highlights:
            options = {"type": "formula", "criteria": f"={highlight.formula}"}
            options["format"] = self.book.add_format(HIGHLIGHT[highlight.style])
            _done(page.conditional_format(highlight.range.replace("$", ""), options), sheet.name)
        for spark in sheet.sparklines:
            drawn = {"range": spark.range, "series_color": LINES["line_main"]["color"], "show_hidden": True}
            if spark.bars:
                below = {"negative_points": True, "negative_color": FILLS["bar_loss"]}
                drawn |= {"type": "column", "axis": True, "min": -spark.bars, "max": spark.bars, **below}
            _done(page.add_sparkline(spark.row - 1, spark.column - 1, drawn), sheet.name)
        for chart in sheet.charts:
            self.chart(page, chart)
        self.page_setup(sheet, page)

    def page_setup(self, sheet: SheetPlan, page: Any) -> None:
        if sheet.frozen_rows or sheet.frozen_columns:
            page.freeze_panes(sheet.frozen_rows, sheet.frozen_columns)
        if sheet.frozen_rows and sheet.printed:
            page.repeat_rows(sheet.frozen_rows - 1)
        if sheet.hidden:
            page.hide()
        elif sheet.tab:
            page.set_tab_color(TABS[sheet.tab])
        page.set_paper(9)
        row, column = _last_printed(sheet, self.whole)
        across = _points_across(sheet, column)
        lies = _lies_across(sheet, across, row)
        if lies:
            page.set_landscape()
            sheet = replace(sheet, landscape=True)
            row, column = _last_printed(sheet, self.whole)
        page.set_margins(**MARGINS)
        pages_wide = _pages_wide(sheet, across)
        row = row if self.whole or sheet.one_page else _to_page_end(sheet, row, across / pages_wide)
        page.fit_to_pages(pages_wide, _pages_high(lies, row) if sheet.one_page else 0)
        if pages_wide > 1 and sheet.frozen_columns:
            page.repeat_columns(0, sheet.frozen_columns - 1)
        if not sheet.printed:  # an area that holds nothing is no page
            page.print_area(EMPTY_ROW, 0, EMPTY_ROW, 0)
        elif not sheet.hidden:
            page.print_area(0, 0, row, column)
        page.set_footer(_foot(sheet))
        page.hide_gridlines(2)
        used = f"A1:{cell_name(max(1, _last_row(sheet)), 60)}"
        # The rows of a running sum differ on purpose, and text such as 1/2-1/2 is meant as text.
        fine = ("formula_differs", "calculated_column", "number_stored_as_text", "two_digit_text_year")
        page.ignore_errors(dict.fromkeys(fine, used))
        page.protect("", _UNLOCKED)

    # Cells

    def format(self, style: str, typed: bool, value: object = None) -> Any:
        quoted = _is_quoted(value)
        key = (style, typed, quoted)
        if key not in self.formats:
            properties = CELL[style] | (TYPED if typed else {}) | ({"quote_prefix": True} if quoted else {})
            self.formats[key] = self.book.add_format(properties)
        return self.formats[key]

    def cell(self, page: Any, cell: CellPlan) -> None:
        row, column = cell.row - 1, cell.column - 1
        shape = self.format(cell.style, cell.is_input, cell.value)
        where = f"{page.name}!{cell_name(cell.row, cell.column)}"
        if cell.merge_to:
            _done(page.merge_range(row, column, row, cell.merge_to - 1, "", shape), where)
        if cell.formula is not None and is_modern(cell.formula):
            self.array(page, (row, column, row, column), cell.formula, shape, cell.value)
        elif cell.formula is not None:
            _done(page.write_formula(row, column, cell.formula, shape, _Result.of(cell.value)), where)
        elif cell.link:
            there = f"internal:{quote_sheet(cell.link)}!A1"
            _done(page.write_url(row, column, there, shape, str(cell.value)), where)
        else:
            self.value(page, row, column, cell.value, shape)
        if cell.validation is not None:
            self.validation(page, (row, column, row, column), cell.validation)

    def value(self, page: Any, row: int, column: int, value: CellValue, shape: Any) -> None:
        if value is None:
            code = page.write_blank(row, column, None, shape)
        elif isinstance(value, str):
            code = page.write_string(row, column, value, shape)
        else:
            code = page.write_number(row, column, value, shape)
        if code:
            _done(code, f"{page.name}!{cell_name(row + 1, column + 1)}")

    # Tables

    def table(self, page: Any, table: TablePlan, sheet: SheetPlan) -> None:
        first_row, first_column = table.first_row - 1, table.first_column - 1
        header = self.format("header", False)
        if table.is_range:
            self.range(page, table, header)
            return
        columns: list[dict[str, Any]] = [{"header": column.label, "header_format": header} for column in table.columns]
        options: dict[str, Any] = {"name": table.name, "columns": columns, "style": "Table Style Light 1"}
        options["banded_rows"] = False  # stripes would run over the rows that nobody has filled
        # On a protected sheet the arrows of headers cannot sort what has a locked cell: an error box would say so.
        options["autofilter"] = False
        last_column = first_column + len(columns) - 1
        # Of a long table every cell would be kept, to find tables that overlap; so does the lint.
        last_row = min(table.last_row - 1, first_row + 1)
        _done(page.add_table(first_row, first_column, last_row, last_column, options), table.name)
        page.table_cells.clear()
        area = f"{cell_name(table.first_row, first_column + 1)}:{cell_name(table.last_row, last_column + 1)}"
        page.tables[-1] |= {"range": area, "a_range": area}
        stored = page.tables[-1]["columns"]
        for at, column in enumerate(table.columns):
            fill = as_stored(column.fill, table, sheet, self.columns)
            added = fill if sheet.tab == MACHINERY else column.fill
            if added.is_uniform or (added.whole is not None and "{" not in added.whole):
                stored[at]["formula"] = added.whole or added.formula  # what Excel fills into a row that is added
            self.column(page, table, first_column + at, column, fill)

    def range(self, page: Any, table: TablePlan, header: Any) -> None:
        first = table.first_column - 1
        for at, column in enumerate(table.columns, first):
            self.value(page, table.first_row - 1, at, column.label, header)
            if column.fill.spill:
                self.spill(page, table, at, column)
            self.column(page, table, at, column, column.fill)

    def spill(self, page: Any, table: TablePlan, at: int, column: ColumnPlan) -> None:
        """Write a formula over the area that it fills; the results in the other cells are written over it."""
        fill, first = column.fill, table.first_data_row - 1
        begin = at + 1 - table.first_column
        filled = [one.fill.values for one in table.columns[begin : begin + (fill.spill or 1)]]
        rows = max(1, sum(any(value is not None for value in row) for row in zip(*filled, strict=True)))
        width = max(1, sum(values[0] is not None for values in filled))
        area = (first, at, first + rows - 1, at + width - 1)
        self.array(page, area, str(fill.formula), self.format(column.style, False), fill.values[0])

    def array(self, page: Any, area: tuple[int, int, int, int], formula: str, shape: Any, value: CellValue) -> None:
        """Write a dynamic array formula in the first cell of the area that it fills."""
        result = _Result.of("" if value is None else value)
        where = f"{page.name}!{cell_name(area[0] + 1, area[1] + 1)}"
        _done(page.write_dynamic_array_formula(*area, formula, shape, result), where)

    def column(self, page: Any, table: TablePlan, at: int, column: ColumnPlan, fill: Fill) -> None:
        first, own = table.first_data_row, column.is_input
        shape = self.format(column.style, own)
        if fill.formula is None or fill.spill:
            begin = 1 if fill.spill else 0
            values = fill.values[begin:]
            shapes = [self.format(column.style, own, value) if _is_quoted(value) else shape for value in values]
            if values:
                texts = value_cells(values, page.name, first + begin, at, shapes, page.shared_text)
                _done(page.add_column(first - 1 + begin, at, values, texts), page.name)
        elif is_modern(fill.formula):
            for row, (formula, value) in enumerate(zip(fill.formulas(first), fill.values, strict=True), first - 1):
                result = _Result.of(value)
                _done(page.write_formula(row, at, formula, shape, result), page.name)
        else:
            texts = formula_cells(fill, page.name, first, at, shape)
            _done(page.add_column(first - 1, at, fill.values, texts), page.name)
        if column.validation is not None:
            self.validation(page, (first - 1, at, table.last_row - 1, at), column.validation)

    def validation(self, page: Any, area: tuple[int, int, int, int], rule: Validation) -> None:
        options: dict[str, Any] = {
            "error_message": rule.error,
            "error_title": "Not understood" if rule.error else "",
            "input_title": rule.title,
            "input_message": rule.message,
            "show_error": not rule.open,
        }
        if rule.kind == "list":
            options |= {"validate": "list", "source": rule.range or list(rule.items)}
        elif rule.kind == "date":
            options |= {"validate": "date", "criteria": "between", "minimum": LEAP_DAY, "maximum": LAST_DAY}
        elif rule.kind == "text":
            options |= {"validate": "length", "criteria": "<=", "value": int(rule.maximum or 0)}
        else:
            options |= {
                "validate": "integer" if rule.kind == "whole" else "decimal",
                "criteria": "between",
                "minimum": None if rule.minimum is None else number_text(rule.minimum),
                "maximum": None if rule.maximum is None else number_text(rule.maximum),
            }
        _done(page.data_validation(*area, options), f"the validation in {page.name}")

    # Charts

    def chart(self, page: Any, chart: ChartPlan) -> None:
        kinds = {"line": {"type": "scatter", "subtype": "straight"}, "bar": {"type": "column", "subtype": "stacked"}}
        kinds["rows"] = {"type": "bar", "subtype": "stacked"}
        drawn = self.book.add_chart(kinds[chart.kind])
        for series in chart.series:
            options: dict[str, Any] = {"name": series.name, "categories": series.categories, "values": series.values}
            if series.style in MARKS:
                options |= {"line": {"none": True}, "marker": MARKS[series.style]}
            elif chart.kind == "line":
                options |= {"line": LINES[series.style], "marker": {"type": "none"}}
            else:
                options |= {"fill": {"color": FILLS[series.style]}, "gap": 60}
            drawn.add_series(options)
        drawn.set_title({"name": chart.title, "name_font": {"size": 13}})
        across: dict[str, Any] = {"name": chart.x_title, "num_format": chart.x_format}
        across |= {"min": chart.x_minimum, "max": chart.x_maximum, "major_gridlines": {"visible": False}}
        up: dict[str, Any] = {"name": chart.y_title, "num_format": chart.y_format}
        up |= {"min": chart.y_minimum, "max": chart.y_maximum}
        up["major_gridlines"] = {"visible": True, "line": {"color": "#E5E7EB"}}
        if chart.edge_labels:
            across["label_position"] = up["label_position"] = "low"
        if chart.kind == "rows":  # the first one on top
            across, up = up, across | {"reverse": True, "interval_unit": 1}
        drawn.set_x_axis(across)
        drawn.set_y_axis(up)
        drawn.set_legend({"position": "bottom"} if chart.legend else {"none": True})
        drawn.set_size({"width": chart.width, "height": chart.height})
        drawn.show_hidden_data()
        _done(page.insert_chart(chart.row - 1, chart.column - 1, drawn), f"the chart in {page.name}")


def _wide_enough(sheet: SheetPlan) -> SheetPlan:
    """Return a sheet whose columns are as wide as the names in them, as far as they may be."""
    widths = dict(sheet.widths)
    across = _points_across(sheet, _last_printed(sheet, True)[1])
    room = (_pages_wide(sheet, across) * LEGIBLE * PAGES[True][0] - across) // LETTER
    for table in sheet.tables:
        wanted: dict[int, tuple[float, float]] = {}  # how much wider for the longest name, and how much in any case
        for at, column in enumerate(table.columns, table.first_column):
            if column.style in NAMES and widths.get(at):
                longest = max((len(str(value)) for value in column.fill.values if value not in BLANK), default=0)
                always = 0.0 if column.role == "event" else ALWAYS_WIDE - widths[at]
                wanted[at] = min(longest + 2, MOST_WIDE) - widths[at], always
        wanted = {at: more for at, more in wanted.items() if more[0] > 0}
        for at, (more, always) in wanted.items():
            widths[at] += min(more, max(room // len(wanted), always, 0))
    return replace(sheet, widths=widths)


def _points_across(sheet: SheetPlan, last: int) -> float:
    """Return how wide a sheet is up to its last printed column (from 0)."""
    widths = (sheet.widths.get(at, USUAL_WIDTH) for at in range(1, last + 2))
    return sum(LETTER * width + BESIDE for width in widths if width)


def _pages_wide(sheet: SheetPlan, across: float) -> int:
    """Return over how many pages the columns are spread: over two where one would halve the type."""
    return max(sheet.pages_wide, 1 + (across > 2 * PAGES[True][0]))


def _pages_high(lies: bool, rows: int) -> int:
    """Return how many pages a sheet of one page has: two where its type would else be smaller by more than a fifth."""
    return 1 + (rows * LINE > 1.25 * LEGIBLE * PAGES[lies][1])


def _lies_across(sheet: SheetPlan, across: float, rows: int) -> bool:
    """Tell whether a sheet is printed across: where it should be or is wide, on one page only if it is larger so."""
    if not sheet.one_page:
        return sheet.landscape or across > LEGIBLE * PAGES[False][0]
    upright, lying = (min(wide / across, high / (rows * LINE)) for wide, high in (PAGES[False], PAGES[True]))
    return lying > upright and (sheet.landscape or upright * LEGIBLE < 1)


def _is_quoted(value: object) -> bool:
    """Whether a text needs the mark that keeps it from being taken for a formula when it is edited."""
    return isinstance(value, str) and value.startswith(_FORMULA_START)


def _last_row(sheet: SheetPlan) -> int:
    return max([cell.row for cell in sheet.cells] + [table.last_row for table in sheet.tables], default=1)


def _foot(sheet: SheetPlan) -> str:
    """Return what stands at the foot of each page, which an update keeps: the sheet, how a table goes on, the page."""
    is_cut = any(_printed_to(sheet, table, False) < table.last_row for table in sheet.tables)
    return f"&L&A{'&CRows missing? Run elo-sheets update, which sets anew what is printed' * is_cut}&RPage &P of &N"


def _is_new(plan: Plan) -> bool:
    """Tell whether no game is typed in a book, which its owner may never update: all of its rows are printed."""
    tables = [table for sheet in plan.sheets for table in sheet.tables]
    typed = [(t.rows, c.fill.values) for t in tables for c in t.columns if c.style == "name" and c.fill.formula is None]
    most = max((rows for rows, _ in typed), default=0)  # of all that is typed, games have most rows
    return all(value in BLANK for rows, values in typed if rows == most for value in values)


def _printed_to(sheet: SheetPlan, table: TablePlan, whole: bool) -> int:
    """Return the last row of a table that is printed: a page of it at least, and some rows to write into by hand.

    An area of fixed cells is all that LibreOffice and Google Sheets know. What a program makes anew has its own area.
    """
    filled, least = _filled(table), PAGE_ROWS[sheet.landscape]
    if whole or filled is None or table.rows <= least:
        return table.last_row
    return table.first_row + min(table.rows, max(least, filled + SPARE_ROWS))


def _filled(table: TablePlan) -> int | None:
    """Return how many rows of a table are filled, as far as names, months or days tell."""
    keys = ([column.fill.values for column in table.columns if column.style == style] for style in KEYS)
    named: list[Sequence[CellValue]] = next(filter(None, keys), [])
    if not named:
        return None
    return max((row for values in named for row, value in enumerate(values, 1) if value not in BLANK), default=0)


def _to_page_end(sheet: SheetPlan, row: int, across: float) -> int:
    """Return the last printed row: that of a page where only rows without names would stand on the next one."""
    wide, high = PAGES[sheet.landscape]
    rows = int(high / (LINE * min(1, int(100 * wide / across) / 100))) - HEADING_ROWS
    filled = max((table.first_row + (_filled(table) or 0) for table in sheet.tables), default=row)
    end = next(end for end in count(rows, rows) if end >= filled)
    return min(row, end) if end - filled >= LEAST_SPARE else row


def _last_printed(sheet: SheetPlan, whole: bool) -> tuple[int, int]:
    """Return the last row and column that a page shows (from 0): charts reach over cells that hold nothing.

    Small lines in the last column are left out: Excel alone would print them.
    """
    row = max(
        [cell.row for cell in sheet.cells] + [_printed_to(sheet, table, whole) for table in sheet.tables], default=1
    )
    column = max([cell.merge_to or cell.column for cell in sheet.cells], default=1)
    for table in sheet.tables:
        drawn = {spark.column for spark in sheet.sparklines}
        end = table.first_column + len(table.columns) - 1
        while end in drawn or sheet.widths.get(end) == 0:
            end -= 1
        column = max(column, end)
    for chart in sheet.charts:
        row = max(row, chart.row + chart.height // 17 + 1)  # the lowest rows of a program
        end, left = chart.column, chart.width
        while left > 0:
            width = sheet.widths.get(end, USUAL_WIDTH)
            left -= pixels(width)
            end += 1
        column = max(column, end - 1)
    return row - 1, min(column, sheet.printed_columns or column) - 1


def _done(code: object, what: str) -> None:
    """Raise for a return code that says that XlsxWriter dropped something."""
    if isinstance(code, int) and code < 0:
        raise OutputRefused(f"cannot write {what}: a limit of the file format is exceeded (code {code})")
