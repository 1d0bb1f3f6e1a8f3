"""Published answers as sheets of live formulas, one block below the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from elo_sheets.conformance.published import answers
from elo_sheets.expr import Call, walk
from elo_sheets.formula import to_formula
from elo_sheets.ops import StepTable, looked_up
from elo_sheets.replaying.cases import Columns
from elo_sheets.replaying.readings import by_floats, step_tables
from elo_sheets.workbook.plan import CellPlan, ColumnPlan, Fill, Highlight, Plan, SheetPlan, TablePlan

Places = list[Mapping[str, tuple[int, int]]]

_HEADERS = ("Answer and columns", "Value", "Published", "Tolerance", "Verdict")


def plan_rows(sheets: Sequence[tuple[str, Sequence[Columns]]]) -> tuple[Plan, Places]:
    """Return the plan of a book with the rows on their sheets, and where each column of each row stands."""
    places: Places = []
    planned = []
    used: set[str] = set()
    for name, rows in sheets:
        cells: list[CellPlan] = [CellPlan(1, 1, f"Published answers: {name}", style="title")]
        cells += [CellPlan(3, i, header, style="header") for i, header in enumerate(_HEADERS, 1)]
        at, last = 4, ""
        for row, values in zip(rows, by_floats(rows), strict=True):
            if row.answer != last:
                answer = answers()[row.answer]
                cells.append(CellPlan(at, 1, f"{row.answer}: {answer['mode']}", style="section", merge_to=5))
                cells.append(CellPlan(at + 1, 1, str(answer["source"])[:250], style="hint"))
                at, last = at + 2, row.answer
            own = {}
            for i, column in enumerate((*row.given, *(line.name for line in row.lines)), at):
                own[column] = (i, 2)
                cells.append(CellPlan(i, 1, column, style="label"))
            references = {column: f"B{i}" for column, (i, _) in own.items()}
            for column, value in row.given.items():
                style = "text_right" if isinstance(value, str) else "number"
                cells.append(CellPlan(*own[column], value, style=style, is_input=True))
            for line in row.lines:
                expr = line.trace()
                used |= {found[0] for node in walk(expr) if isinstance(node, Call) and (found := looked_up(node))}
                value = values[line.name]
                shown = str(value).upper() if isinstance(value, bool) else float(value)
                cells.append(CellPlan(*own[line.name], shown, to_formula(expr, references), "number", "number"))
            for column, number in row.expected.items():
                line_at = own[column][0]
                agrees = abs(float(values[column]) - number) <= row.tolerance
                cells.append(CellPlan(line_at, 3, number, style="number"))
                cells.append(CellPlan(line_at, 4, row.tolerance, style="number"))
                formula = f'IF(ABS(B{line_at}-C{line_at})<=D{line_at},"agrees","differs")'
                cells.append(CellPlan(line_at, 5, "agrees" if agrees else "differs", formula, "verdict"))
            places.append(own)
            at += len(own) + 1
        body = f"$E$4:$E${at}"
        highlights = (Highlight(body, '$E4="agrees"', "good"), Highlight(body, '$E4="differs"', "alarm"))
        widths = {1: 34.0, 2: 24.0, 3: 18.0, 4: 12.0, 5: 12.0}
        planned.append(SheetPlan(name, tuple(cells), highlights=highlights, widths=widths, frozen_rows=3))
    tables = [_table(table, 1 + 3 * i) for i, table in enumerate(t for t in step_tables() if t.name in used)]
    if tables:
        planned.append(SheetPlan("Tables", tables=tuple(tables)))
    return Plan("Published answers", tuple(planned), {}), places


def _table(table: StepTable, column: int) -> TablePlan:
    return TablePlan(
        table.name,
        1,
        (
            ColumnPlan(table.start_column, Fill([float(x) for x in table.starts]), style="number"),
            ColumnPlan(table.value_column, Fill([float(x) for x in table.values]), style="number"),
        ),
        len(table.starts),
        first_column=column,
    )
