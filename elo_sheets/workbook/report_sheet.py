"""The sheet Report: who leads, the chart and the first places, on one page that prints.

The template says which list it shows (`list`, the first `rows` of it, by its `columns`) and which sheets' charts
(`draws`). Everything is read from those sheets, so that it says what they say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from elo_sheets.files.references import sheet_text
from elo_sheets.workbook.front import FIRST_ROW, ROWS_LEFT, Line
from elo_sheets.workbook.plan import PENDING, CellPlan, ColumnPlan, Fill, Highlight, SheetPlan, TablePlan

NAME = "Report"
FIRST_FIGURE = 4
ROW_PIXELS, CHART_HEIGHT = 20, 300
LABEL_WIDTH = 20  # characters


def report_sheet(
    form: Mapping[str, Any], planned: Mapping[str, SheetPlan], front: Sequence[Line], title: str, hint: CellPlan
) -> SheetPlan:
    """Return the sheet Report of a book whose other sheets are planned.

    `front` are the lines on top of its first sheet, `title` what it is called, `hint` what stands below that.
    """
    source, table = next((s.name, t) for s in planned.values() for t in s.tables if t.name == form["list"])
    columns = _shown(table, form.get("columns"))
    widths = {at: float(column.width) for at, column in enumerate(columns, 1)}
    figures = tuple(_figures(next(iter(planned)), front, "Check" in planned, widths))
    drawn = [chart for name in form.get("draws", ()) if name in planned for chart in planned[name].charts[:1]]
    pixels = int(sum(width * 7 + 5 for width in widths.values()))
    row = max(cell.row for cell in figures) + 2 if figures else FIRST_FIGURE
    charts = []
    for chart in drawn:
        charts.append(replace(chart, row=row, column=1, width=pixels, height=CHART_HEIGHT))
        row += CHART_HEIGHT // ROW_PIXELS + 2
    places = TablePlan(NAME, row, tuple(_first(source, table, columns, form["rows"], row)), 0)
    places = replace(places, rows=min(form["rows"], table.rows))
    listed = f'SUMPRODUCT(1*({sheet_text(source)}!{table.range(columns[0].label)}<>""))'
    told = f'IF({listed}>{places.rows},"The first {places.rows} of "&{listed}&", as the sheet {source} lists them","")'
    heading = title if form["title"].lower() in title.lower() else f"{form['title']}: {title}"
    return SheetPlan(
        form["name"],
        (
            CellPlan(1, 1, heading, style="front_title", merge_to=len(columns)),
            hint,
            *figures,
            CellPlan(row - 1, 1, PENDING, told, "section", "text"),
        ),
        (places,),
        tuple(charts),
        tuple(_highlights(places)),
        widths=widths,
        heights={1: 30.0},
        one_page=True,
    )


def _shown(table: TablePlan, labels: Sequence[str] | None) -> list[ColumnPlan]:
    """Return the columns of a list that the report has: those that are named, else all that a person sees."""
    if labels is not None:
        return [column for column in table.columns if column.label in labels]
    return [column for column in table.columns if column.width and column.fill.formula and column.style != "helper"]


def _figures(start: str, front: Sequence[Line], has_check: bool, widths: Mapping[int, float]) -> Iterator[CellPlan]:
    """Yield what Start says of how things stand, but for the rows that are left: words, and beside them the value."""
    row, last = FIRST_FIGURE, len(widths)
    words = next(at for at in widths if sum(widths[one] for one in range(1, at + 1)) >= LABEL_WIDTH)
    for at, line in enumerate(front, FIRST_ROW):
        if line.label == ROWS_LEFT:
            continue
        value = f"{sheet_text(start)}!$C${at}"
        formula = f'{value}&", "&{sheet_text(start)}!$D${at}' if line.unit == "text" and line.remark else value
        yield CellPlan(row, 1, line.label, style="figure_label", merge_to=words)
        yield CellPlan(row, words + 1, PENDING, formula, line.style, line.unit, merge_to=last)
        row += 1
    if has_check:
        yield CellPlan(row, 1, "Check", style="figure_label", merge_to=words)
        yield CellPlan(row, words + 1, PENDING, "Check!$A$2", "verdict", merge_to=last)


def _first(sheet: str, table: TablePlan, columns: Sequence[ColumnPlan], most: int, header: int) -> Iterator[ColumnPlan]:
    """Yield the columns of a list again, its first rows."""
    row = f"ROW()-ROW($A${header})"
    short = replace(table, rows=min(most, table.rows))
    for column in columns:
        cell = f"INDEX({sheet_text(sheet)}!{short.range(column.label)},{row})"
        fill = Fill(PENDING, f'IF({cell}="","",{cell})', column.fill.unit)
        yield replace(column, fill=fill, role="", is_input=False, validation=None, about="")


def _highlights(table: TablePlan) -> Iterator[Highlight]:
    cell = f"$A{table.first_data_row}"
    yield Highlight(table.body, f"AND(ISNUMBER({cell}),N({cell})<=3)", "podium")
    yield Highlight(table.body, f'{cell}<>""', "ruled")
