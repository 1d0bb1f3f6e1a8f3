"""What a plan leaves open, completed: columns and cells with a formula and no values get what their formulas give.

What is typed and what a rating rule computes has its values when it is planned, the latter from the replay, so that
formula and value have two sources. Everything else follows from those by formulas, and is `PENDING` until here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from elo_sheets.errors import FormulaError
from elo_sheets.expr import Binary, Expr, Ref, walk
from elo_sheets.files.references import column_letters, parse_cell_name, parse_range
from elo_sheets.workbook.columns import Tables, in_order, parsed, place_named
from elo_sheets.workbook.dialect import without_empty_rows
from elo_sheets.workbook.layout import column_text
from elo_sheets.workbook.plan import PENDING, CellValue, ChartPlan, Fill, Plan, SheetPlan, TablePlan

_ASIDE = "\N{EM DASH}"  # a column for what is asked of a row and stands nowhere; no header is a dash
Area = tuple[str, int, int, int, int]  # sheet, top, left, bottom, right
Node = tuple[str, str]  # a column: its table and label; or a cell: its sheet behind a "!", and its name
_AREA = re.compile(r"(?:(?:'((?:[^']|'')+)'|(\w+))!)?(\$?[A-Z]{1,3}\$?\d+(?::\$?[A-Z]{1,3}\$?\d+)?)")
_OF_GAME = re.compile(r"(\w+)!\$([A-Z]+)\{(white|black)\}")
_HERE = {"up": "up", "other": "other", "before": "prior", "row": "own"}
_RUNNING = {("above", "up"): 0, ("earlier", "before"): 0, ("first", "before"): 1}


def complete(plan: Plan) -> Plan:
    """Return the plan with the values of all that was pending; raises `FormulaError` that names what has none."""
    return _Completion(plan).plan()


class _Completion:
    def __init__(self, plan: Plan) -> None:
        self.given = plan
        self.tables = Tables()
        self.homes = {table.name: (sheet, table.like or table) for sheet in plan.sheets for table in sheet.tables}
        self.cells = {(sheet.name, cell.row, cell.column): cell for sheet in plan.sheets for cell in sheet.cells}
        for name, (_, table) in self.homes.items():
            self.tables.first_rows[name] = table.first_data_row
            self.tables.labels[name] = [column.label for column in table.columns]
            self.tables[name] = _known(table)
        self.refs: dict[Node, list[str]] = {}
        self.areas: dict[tuple[str, str], Area | None] = {}

    def plan(self) -> Plan:
        """Return the plan with all values."""
        reads = {node: set(self._reads(node)) & self.pending.keys() for node in self.pending}
        for group in in_order(reads):
            self._compute(group)
        return replace(self.given, sheets=tuple(self._sheet(sheet) for sheet in self.given.sheets))

    @cached_property
    def pending(self) -> dict[Node, Expr]:
        """The formulas of all that has no values yet."""
        found: dict[Node, Expr] = {}
        for name, (_, table) in self.homes.items():
            for column in table.columns:
                if column.fill.values is PENDING:
                    found[name, column.label] = parsed(self._notation(table, _meaning(column.fill)), name)
        for sheet in self.given.sheets:
            for cell in sheet.cells:
                if cell.value is PENDING:
                    found[f"!{sheet.name}", _name(cell.row, cell.column)] = parsed(cell.means or cell.formula or "", "")
        return found

    @cached_property
    def openings(self) -> dict[Node, Expr]:
        """The formulas of first rows that differ from those of the rows below, of what has no values yet."""
        return {
            (name, column.label): parsed(self._notation(table, column.fill.first), name)
            for name, (_, table) in self.homes.items()
            for column in table.columns
            if column.fill.values is PENDING and column.fill.first is not None
        }

    def _notation(self, table: TablePlan, formula: str) -> str:
        """Return a column's formula with the cells of other rows named as `layout` names them, or looked up."""

        def by_number(match: re.Match[str]) -> str:
            (ledger,) = (one for one in self.given.sheet(match[1]).tables if one.name == match[1])
            label = next(c.label for at, c in enumerate(ledger.columns, 1) if column_letters(at) == match[2])
            row = f"2*(ROW()-{table.first_row}){'-1' if match[3] == 'white' else ''}"
            return f"INDEX({ledger.name}[{column_text(label)}],{row})"

        return _notation(table, _OF_GAME.sub(by_number, formula))

    def _compute(self, group: list[Node]) -> None:
        tables = {table for table, _ in group}
        (home,) = tables if len(tables) == 1 else ("",)
        if home in self.homes:
            sheet, table = self.homes[home]
            trees = {label: self.pending[home, label] for _, label in group}
            openings = {label: self.openings[home, label] for label in trees if (home, label) in self.openings}
            self._name_cells(sheet.name, [name for node in group for name in self._refs(node)])
            fill = next(c.fill for c in table.columns if c.label in trees)
            if fill.gives is not None:
                self._give(table, group[0][1], fill, sheet.name)
                return
            self.tables.compute(home, trees, table.rows, fill.pair, table.first_data_row, openings)
        elif len(group) == 1:
            ((place, name),) = group
            self._name_cells(place[1:], self._refs(group[0]))
            at = (place[1:], *parse_cell_name(name))
            self.cells[at] = replace(self.cells[at], value=self.tables.value(self.pending[place, name]))
        else:
            raise FormulaError(f"these read each other: {', '.join('!'.join(node) for node in group)}")

    def _give(self, table: TablePlan, label: str, fill: Fill, home: str) -> None:
        """Compute a column by what is not its formula."""
        assert fill.gives is not None

        def read(text: str) -> Sequence[CellValue]:
            place = place_named(text)
            if place is not None and place.kind in self.homes:
                return self.tables.range(*place)
            tree = parsed(text, table.name)
            self._name_cells(home, _references([tree]))
            self.tables.compute(table.name, {_ASIDE: tree}, table.rows, fill.pair, table.first_data_row)
            return self.tables[table.name].pop(_ASIDE)

        self.tables[table.name][label] = fill.gives(read)

    # What formulas read

    def _reads(self, node: Node) -> Iterator[Node]:
        """Yield the columns and cells that a formula reads."""
        home = self.homes[node[0]][0].name if node[0] in self.homes else node[0][1:]
        for name in self._refs(node):
            place = place_named(name)
            if place is not None:
                yield (place.kind if place.kind in self.homes else node[0]), place.label
            else:
                yield from self._nodes(name, home)

    def _refs(self, node: Node) -> list[str]:
        """Return what a formula, and that of the first rows, refers to."""
        if node not in self.refs:
            trees = [self.pending[node], *([self.openings[node]] if node in self.openings else [])]
            parts = [part for tree in trees for part in walk(tree)]
            across = (part for part in parts if isinstance(part, Binary) and part.operator == ":")
            between = [f"own[{label}]" for part in across for label in self.tables.between(node[0], part)]
            self.refs[node] = [*(part.name for part in parts if isinstance(part, Ref)), *between]
        return self.refs[node]

    def _node(self, sheet: str, row: int, column: int) -> Node:
        for table in self.given.sheet(sheet).tables:
            at = column - table.first_column
            if 0 <= at < len(table.columns) and table.first_data_row <= row <= table.last_row:
                return table.name, table.columns[at].label
        return f"!{sheet}", _name(row, column)

    def _area(self, text: str, home: str) -> Area | None:
        """Return sheet and corners of a reference to cells, by a name or by where they are; None for anything else."""
        if (text, home) not in self.areas:
            match = _AREA.fullmatch(self.given.names.get(text, text).removeprefix("="))
            found = match and (match[1] or match[2] or home, *parse_range(match[3].replace("$", "")))
            self.areas[text, home] = found or None
        return self.areas[text, home]

    def _nodes(self, text: str, home: str) -> Iterator[Node]:
        """Yield the columns and the single cells that a reference to cells has a part in."""
        area = self._area(text, home)
        if area is None:
            return
        sheet, top, left, bottom, right = area
        if (top, left) == (bottom, right):
            yield self._node(sheet, top, left)
            return
        for table in self.given.sheet(sheet).tables:
            if top <= table.last_row and table.first_data_row <= bottom:
                first = max(left - table.first_column, 0)
                yield from (
                    (table.name, column.label) for column in table.columns[first : right - table.first_column + 1]
                )
        for row, column in self.loose.get(sheet, ()):
            if top <= row <= bottom and left <= column <= right:
                yield f"!{sheet}", _name(row, column)

    @cached_property
    def loose(self) -> dict[str, list[tuple[int, int]]]:
        """The single cells of each sheet that have no value yet."""
        found: dict[str, list[tuple[int, int]]] = {}
        for (sheet, row, column), cell in self.cells.items():
            if cell.value is PENDING:
                found.setdefault(sheet, []).append((row, column))
        return found

    def _name_cells(self, home: str, names: Iterable[str]) -> None:
        """Say what the cells and areas hold that formulas of a sheet read."""
        areas = ((name, self._area(name, home)) for name in names)
        self.tables.cells = {name: self._values(*area) for name, area in areas if area is not None}

    def _values(self, sheet: str, top: int, left: int, bottom: int, right: int) -> Any:
        columns = [self._down(sheet, column, top, bottom) for column in range(left, right + 1)]
        if (top, left) == (bottom, right):
            return columns[0][0]
        if top == bottom:
            return [column[0] for column in columns]
        return columns[0] if left == right else columns

    def _down(self, sheet: str, column: int, top: int, bottom: int) -> Sequence[CellValue]:
        """Return the cells of one column of a sheet; those of a table at once."""
        for table in self.given.sheet(sheet).tables if top < bottom else ():
            at = column - table.first_column
            if 0 <= at < len(table.columns) and table.first_data_row <= top and bottom <= table.last_row:
                first = table.first_data_row
                return list(self.tables.range(table.name, table.columns[at].label)[top - first : bottom - first + 1])
        return [self._value(sheet, row, column) for row in range(top, bottom + 1)]

    def _value(self, sheet: str, row: int, column: int) -> CellValue:
        if (sheet, row, column) in self.cells:
            return self.cells[sheet, row, column].value
        for table in self.given.sheet(sheet).tables:
            at = column - table.first_column
            if 0 <= at < len(table.columns) and table.first_row <= row <= table.last_row:
                label = table.columns[at].label
                return (
                    label
                    if row == table.first_row
                    else self.tables.range(table.name, label)[row - table.first_data_row]
                )
        return None

    # The plan again

    def _sheet(self, sheet: SheetPlan) -> SheetPlan:
        cells = tuple(self.cells[sheet.name, cell.row, cell.column] for cell in sheet.cells)
        charts = tuple(replace(c, y_minimum=self._begin(c)) if c.y_minimum is PENDING else c for c in sheet.charts)
        return replace(sheet, cells=cells, tables=tuple(map(self._table, sheet.tables)), charts=charts)

    def _begin(self, chart: ChartPlan) -> float | None:
        """Return where the axis of a chart's values begins."""
        areas = [self._area(line.values.removeprefix("="), "") for line in chart.series]
        drawn = [self._values(*area) for area in areas if area is not None]
        return y_minimum([value for values in drawn if isinstance(values, Sequence) for value in values])

    def _table(self, table: TablePlan) -> TablePlan:
        made = {**self.tables[table.name], **_known(table)}
        fills = [replace(column.fill, values=made[column.label], gives=None, means=None) for column in table.columns]
        columns = (replace(column, fill=fill) for column, fill in zip(table.columns, fills, strict=True))
        done = replace(table, columns=tuple(columns))
        return without_empty_rows(done) if any(fill.spill is not None for fill in fills) else done


def _known(table: TablePlan) -> dict[str, Sequence[CellValue]]:
    return {column.label: column.fill.values for column in table.columns if column.fill.values is not PENDING}


def _meaning(fill: Fill) -> str:
    return fill.means or fill.whole or fill.formula or ""


def _references(trees: Iterable[Expr]) -> list[str]:
    return [part.name for tree in trees for part in walk(tree) if isinstance(part, Ref)]


def _name(row: int, column: int) -> str:
    return f"{column_letters(column)}{row}"


def _notation(table: TablePlan, formula: str) -> str:
    """Return a column's formula with the cells of rows around it named as `layout` names them."""
    if "{" not in formula:
        return formula
    labels = {column_letters(table.first_column + at): c.label.replace("'", "''") for at, c in enumerate(table.columns)}
    for (kind, end), down in _RUNNING.items():
        formula = _named(formula, rf"\$([A-Z]+)\${table.first_row + down}:\1\{{{end}\}}", kind, labels)
    formula = _named(formula, r"([A-Z]+)\{back100\}:\1\{up\}", "before100", labels)
    for first, last in set(re.findall(r"\{s(\d)\}:[A-Z]+\{s(\d)\}", formula)):
        formula = _named(formula, rf"([A-Z]+)\{{s{first}\}}:\1\{{s{last}\}}", f"group{first}to{last}", labels)
    for seat in sorted(set(re.findall(r"\{s(\d)\}", formula))):
        formula = _named(formula, rf"\$?([A-Z]+)\{{s{seat}\}}", f"s{seat}", labels)
    for end, kind in _HERE.items():
        formula = _named(formula, rf"\$?([A-Z]+)\{{{end}\}}", kind, labels)
    return formula


def _named(formula: str, pattern: str, kind: str, labels: dict[str, str]) -> str:
    return re.sub(pattern, lambda match: f"{kind}[{labels[match[1]]}]", formula)


def y_minimum(values: Sequence[CellValue]) -> float | None:
    """Return where the axis of ratings begins, or None to leave it to the program.

    Programs begin at zero when the ratings spread over more than a sixth of the highest, which flattens the lines;
    half the spread is left below the lowest for the games to come.
    """
    ratings = [float(value) for value in values if isinstance(value, (int, float))]
    low, high = min(ratings, default=0.0), max(ratings, default=0.0)
    step = 100.0 if high >= 1000 else (10.0 if high >= 100 else 1.0)
    begin = step * math.floor((low - (high - low) / 2) / step)
    return begin if high - low > high / 6 and begin > 0 else None
