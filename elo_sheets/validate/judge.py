"""The comparison: what the book holds, what an engine makes of it, and what the replay says it should be."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from elo_sheets.engines.recalculate import recalculate
from elo_sheets.errors import NotChecked
from elo_sheets.expr import Expr
from elo_sheets.files.cells import Book, Cell, CellError, Value
from elo_sheets.files.references import cell_name, parse_range, sheet_text, structured_resolver
from elo_sheets.verdict.compare import canonical, fault
from elo_sheets.verdict.findings import ERROR, NOTE, RULES, WARNING, Finding, Worst, shown
from elo_sheets.workbook.layout import as_planned, fixed_columns
from elo_sheets.workbook.plan import Fill, Plan, PlannedFormula, TablePlan

Place = tuple[str, int, int]
Values = Mapping[str, Mapping[tuple[int, int], Value]]

# More faults than this are reported with the effect they have together, not each alone.
MOST_ALONE = 12
MOST_CELLS_ALONE = 60_000


@dataclass(frozen=True)
class Fault:
    """One cell that is not as planned, before faults of one kind in one column are put together."""

    code: str
    planned: PlannedFormula
    found: Value
    severity: str = ERROR

    @property
    def place(self) -> Place:
        return (self.planned.sheet, self.planned.row, self.planned.column)


def same(expected: Value, found: Value, tolerance: float) -> bool:
    """Return whether two results agree: numbers within the tolerance, text exactly, nothing and "" alike.

    The tolerance is absolute up to 4,000 points and relative above it: engines keep 15 digits.
    """
    if expected == found and type(expected) is type(found):
        return True
    if _number(expected) and _number(found):
        assert isinstance(expected, (int, float))
        assert isinstance(found, (int, float))
        return abs(expected - found) <= tolerance * max(1.0, abs(expected) / 4000)
    blank = (None, "")
    return (expected in blank and found in blank) or (type(expected) is type(found) and expected == found)


def _number(value: Value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_rating(planned: PlannedFormula) -> bool:
    """Return whether a planned cell holds a rating of the book."""
    label = planned.label.lower()
    own = label == "rating" or (label.endswith((" rating", " after")) and not label.startswith("opponent"))
    return planned.unit == "points" and own and not label.startswith("highest")


class Judge:
    """Compares one book with its plan; `values` are its formulas as an engine computed them."""

    def __init__(self, book: Book, plan: Plan, values: Values, tolerance: float) -> None:
        self.book, self.values, self.tolerance = book, values, tolerance
        # The formula cells: how many there are, those in which something may not be as planned, and of these the ones
        # in which it is not the formula.
        self.count = 0
        self.right: set[Place] = set()
        self.columns = fixed_columns(plan)
        self.planned = [cell for cell in plan.formulas(self._odd) if cell.sheet in book.sheets]
        self.count += len(self.planned)
        self.missing_sheets = [sheet.name for sheet in plan.sheets if sheet.name not in book.sheets]
        self.plan = plan
        self.resolve = structured_resolver(book.all_tables)
        self.found = [self.result(planned.sheet, planned.row, planned.column) for planned in self.planned]
        self.off = [
            (planned, found)
            for planned, found in zip(self.planned, self.found, strict=True)
            if not self._agrees(planned, found)
        ]
        self.faults = [
            fault
            for planned, found in zip(self.planned, self.found, strict=True)
            if (fault := self._fault(planned, found)) is not None
        ]

    # Columns

    def _odd(self, sheet: str, column: int, table: TablePlan, fill: Fill) -> list[int]:
        """Return the rows of a column in which the formula, its result or the stored one is not what is planned."""
        cells = self.book.sheets.get(sheet)
        if cells is None:
            return []
        computed, tolerance, counts_rounds = self.values.get(sheet, {}), self.tolerance, fill.unit == "round"
        first, nothing, odd = table.first_data_row, Cell(None, None), []
        places = [(row, column) for row in range(first, first + len(fill.values))]
        standing = [cells.get(place, nothing) for place in places]
        right = as_planned(fill, table, [cell.formula for cell in standing], self.columns)
        rows = zip(standing, right, map(computed.get, places), fill.values, strict=True)
        for row, (cell, is_right, found, value) in enumerate(rows):
            stored = cell.value
            if found is None or not is_right:
                odd.append(row)
            elif value.__class__ is found.__class__ is stored.__class__ and value == found == stored:
                continue
            elif counts_rounds:
                if stored is None:
                    odd.append(row)
            elif not (same(value, found, tolerance) and same(found, stored, tolerance)):
                odd.append(row)
        self.count += len(fill.values) - len(odd)
        self.right.update((sheet, *places[row]) for row in odd if right[row])
        return odd

    # Single cells

    def result(self, sheet: str, row: int, column: int, values: Values | None = None) -> Value:
        """Return what a cell shows after recalculation."""
        computed = (self.values if values is None else values).get(sheet, {})
        if (row, column) in computed:
            return computed[row, column]
        cell = self.book.sheets.get(sheet, {}).get((row, column))
        return None if cell is None or cell.formula is not None else cell.value

    def _agrees(self, planned: PlannedFormula, found: Value) -> bool:
        """Return whether a result is the planned one; how an iteration comes to its end is no result."""
        return planned.unit == "round" or same(planned.value, found, self.tolerance)

    def _fault(self, planned: PlannedFormula, found: Value) -> Fault | None:
        cell = self.book.sheets[planned.sheet].get((planned.row, planned.column))
        if planned.anchor is not None:
            return self._in_the_way(planned, cell)
        place = planned.sheet, planned.row, planned.column
        if cell is not None and (cell.formula == planned.formula or place in self.right):
            return None
        right = same(planned.value, found, self.tolerance)
        if cell is None or (cell.formula is None and cell.value is None):
            return Fault("ES202", planned, None, WARNING if right else ERROR)
        if cell.formula is None:
            return Fault("ES201", planned, found, WARNING if right else ERROR)
        expected, actual = self._meaning(planned.formula, planned), self._meaning(cell.formula, planned)
        if expected is None or expected == actual:
            return None
        code = (
            "ES108" if actual is None else fault(expected, actual, planned.label.split()[-1] if planned.label else "")
        )
        return Fault(code, planned, found, WARNING if right else ERROR)

    def _in_the_way(self, planned: PlannedFormula, cell: Cell | None) -> Fault | None:
        """Return the fault of a cell that holds something where a formula spills, or may grow to."""
        if cell is None or (cell.formula is None and cell.value in (None, "")):
            return None
        assert planned.anchor is not None
        anchor = self.book.sheets[planned.sheet].get(planned.anchor)
        if anchor is not None and anchor.array is not None and cell.formula is None:
            top, left, bottom, right = parse_range(anchor.array)
            if top <= planned.row <= bottom and left <= planned.column <= right:
                return None
        return Fault("ES201", planned, cell.value)

    def _meaning(self, formula: str, planned: PlannedFormula) -> Expr | None:
        return canonical(formula, planned.sheet, planned.row, planned.column, self.resolve)

    # Findings

    def findings(self, engine: str, timeout: float) -> list[Finding]:
        """Return what is wrong with the formulas, the stored results and the book's own constants."""
        groups = self._groups(self.faults)
        found = [
            self._finding(group, effect)
            for group, effect in zip(groups, self._effects(groups, engine, timeout), strict=True)
        ]
        found += self._constants()
        found += self._stored()
        if not any(finding.severity == ERROR for finding in found) and not self.missing_sheets:
            found += self._unexplained()
        found += [
            Finding("ES502", WARNING, name, f"the sheet {name} is missing or was renamed: it was not checked")
            for name in self.missing_sheets
        ]
        return found

    def _groups(self, faults: Iterable[Fault]) -> list[list[Fault]]:
        """Put faults of one kind that stand below each other together."""
        groups: list[list[Fault]] = []
        for one in sorted(faults, key=lambda f: (f.planned.sheet, f.planned.column, f.planned.row)):
            last = groups[-1][-1] if groups else None
            if (
                last is not None
                and last.code == one.code
                and last.place == (one.planned.sheet, one.planned.row - 1, one.planned.column)
            ):
                groups[-1].append(one)
            else:
                groups.append([one])
        return self._join_rows(groups)

    def _join_rows(self, groups: list[list[Fault]]) -> list[list[Fault]]:
        """Put missing formulas of neighbouring columns together: a row that was not filled down is one finding."""
        joined: list[list[Fault]] = []
        for group in groups:
            before = joined[-1] if joined else None
            if (
                before is not None
                and group[0].code == before[0].code == "ES202"
                and group[0].planned.sheet == before[0].planned.sheet
                and [f.planned.row for f in group] == sorted({f.planned.row for f in before})
            ):
                before += group
            else:
                joined.append(group)
        return joined

    def _finding(self, group: list[Fault], effect: float) -> Finding:
        worst = max(group, key=lambda f: _distance(f.planned.value, f.found))
        first = worst if worst.severity == ERROR else group[0]
        planned = first.planned
        severity = ERROR if any(f.severity == ERROR for f in group) else WARNING
        label = f" ({planned.label})" if planned.label else ""
        many = f", {len(group)} cells" if len(group) > 1 else ""
        message = f"{RULES[first.code].meaning}{label}{many}; "
        if severity == ERROR:
            message += f"{shown(first.found)} instead of {shown(planned.value)}"
        else:
            message += "the result is right today, but no longer follows what it should"
        return Finding(
            first.code,
            severity,
            _range(group),
            message,
            planned.value,
            first.found,
            effect,
            "proven" if severity == ERROR else "shape",
            f"={planned.formula}",
        )

    def _constants(self) -> list[Finding]:
        found = []
        for sheet in self.plan.sheets:
            if sheet.name in self.missing_sheets:
                continue
            cells = self.book.sheets[sheet.name]
            for one in sheet.cells:
                actual = None if (cell := cells.get((one.row, one.column))) is None else cell.value
                own = one.formula is None and not one.is_input and isinstance(one.value, float)
                if own and not same(one.value, actual, 1e-12):
                    where = f"{sheet.name}!{cell_name(one.row, one.column)}"
                    message = f"{RULES['ES203'].meaning}: {shown(actual)} instead of {shown(one.value)}"
                    found.append(Finding("ES203", ERROR, where, message, one.value, actual))
            for table in sheet.tables:
                for at, column in enumerate(table.columns, table.first_column):
                    if column.fill.formula is not None or column.fill.spill is not None or column.is_input:
                        continue
                    for row, value in enumerate(column.fill.values, table.first_data_row):
                        cell = cells.get((row, at))
                        actual = None if cell is None else cell.value
                        if not same(value, actual, 1e-12):
                            where = f"{sheet.name}!{cell_name(row, at)}"
                            message = f"{RULES['ES203'].meaning} ({column.label}): "
                            message += f"{shown(actual)} instead of {shown(value)}"
                            found.append(Finding("ES203", ERROR, where, message, value, actual, self.worst_effect()))
        return found

    # Effects

    def _effects(self, groups: list[list[Fault]], engine: str, timeout: float) -> list[float]:
        """Return for each group of faults the largest change of a rating that it makes alone, signed."""
        active = [group for group in groups if any(f.severity == ERROR for f in group)]
        if len(active) <= 1 or len(active) > MOST_ALONE or self.count * len(active) > MOST_CELLS_ALONE * 4:
            together = self.worst_effect() if len(active) == 1 else 0.0
            return [(together or self._own_effect(group)) if group in active else 0.0 for group in groups]
        return [self._alone(group, groups, engine, timeout) if group in active else 0.0 for group in groups]

    def _alone(self, group: list[Fault], groups: list[list[Fault]], engine: str, timeout: float) -> float:
        sheets = {name: dict(cells) for name, cells in self.book.sheets.items()}
        for other in groups:
            if other is group:
                continue
            for one in other:
                _mend(sheets[one.planned.sheet], one.planned)
        try:
            alone = recalculate(dataclasses.replace(self.book, sheets=sheets), engine, timeout=timeout)
        except NotChecked:
            return self._own_effect(group)
        return self.worst_effect(alone.values) or self._own_effect(group)

    def worst_effect(self, values: Values | None = None) -> float:
        """Return the largest difference of a rating of the book, signed."""
        effect = 0.0
        for planned in self.plan.formulas():
            if planned.sheet not in self.book.sheets or not is_rating(planned):
                continue
            found = self.result(planned.sheet, planned.row, planned.column, values)
            if _number(found) and _number(planned.value):
                difference = float(found or 0) - float(planned.value)
                if abs(difference) > max(abs(effect), self.tolerance):
                    effect = difference
        return effect

    def _own_effect(self, group: list[Fault]) -> float:
        own = [
            float(f.found or 0) - f.planned.value
            for f in group
            if f.planned.unit == "points" and _number(f.found) and _number(f.planned.value)
        ]
        return max(own, key=abs, default=0.0)

    # Stored results

    def _stored(self) -> list[Finding]:
        stale: list[Fault] = []
        empty = 0
        faulty = {one.place for one in self.faults}
        for planned, now in zip(self.planned, self.found, strict=True):
            cell = self.book.sheets[planned.sheet].get((planned.row, planned.column))
            if isinstance(now, CellError):  # a formula that is right has no error: the engine cannot judge it
                continue
            if planned.anchor is not None:
                stored = None if cell is None else cell.value
                expected = planned.value if cell is None else now
                before = faulty and (cell is None or same(planned.value, stored, self.tolerance))
                if not before and not same(expected, stored, self.tolerance):
                    stale.append(Fault("ES301", dataclasses.replace(planned, value=expected), stored))
                continue
            if cell is None or cell.formula is None:
                continue
            if cell.value is None and now not in ("", None):
                empty += 1
            elif cell.value is not None and planned.unit != "round" and not same(now, cell.value, self.tolerance):
                # Behind a wrong formula the stored results of the right one may still stand: one finding is enough.
                before = faulty and same(planned.value, cell.value, self.tolerance)
                if not before:
                    stale.append(Fault("ES301", dataclasses.replace(planned, value=now), cell.value))
        found = [self._stale(group) for group in self._groups(stale)]
        if empty:
            message = f"{empty} formulas have no stored result; open the book in a spreadsheet program and save it"
            found.append(Finding("ES302", NOTE, "", message, confidence="shape"))
        return found

    def _stale(self, group: list[Fault]) -> Finding:
        worst = max(group, key=lambda f: _distance(f.planned.value, f.found))
        effect = self._own_effect(group)
        many = f" ({len(group)} cells)" if len(group) > 1 else ""
        message = (
            f"{RULES['ES301'].meaning}{many}; {shown(worst.found)} is stored, the formula gives "
            f"{shown(worst.planned.value)}: recalculate and save"
        )
        fix = f"={worst.planned.formula}"
        return Finding("ES301", ERROR, _range(group), message, worst.planned.value, worst.found, effect, fix=fix)

    def _unexplained(self) -> list[Finding]:
        off = []
        for planned, found in self.off:
            if isinstance(found, CellError):
                where = f"{planned.sheet}!{cell_name(planned.row, planned.column)}"
                raise NotChecked(f"the engine gives {found} in {where}, where the formula is right: it cannot judge")
            off.append(Fault("ES901", planned, found))
        groups = self._groups(off)
        return [self._finding(group, self._own_effect(group)) for group in groups[:20]]

    def worst(self) -> Worst | None:
        """Return the rating, or if no rating is off the number, that is farthest from what it should be."""
        best: tuple[bool, float] = (False, 0.0)
        found_at: Worst | None = None
        for planned, found in self.off:
            rank = (is_rating(planned), _distance(planned.value, found))
            if found_at is None or rank > best:
                best = rank
                found_at = Worst(f"{planned.sheet}!{cell_name(planned.row, planned.column)}", planned.value, found)
        return found_at


def _mend(cells: dict[tuple[int, int], Cell], planned: PlannedFormula) -> None:
    """Put a planned formula in its place, or make room for one that spills there."""
    place = planned.row, planned.column
    if planned.anchor is not None:
        cells.pop(place, None)
    elif "_xlfn." in planned.formula:
        before = cells.get(place)
        cells[place] = Cell(planned.formula, None, (before and before.array) or cell_name(*place), True)
    else:
        cells[place] = Cell(planned.formula, None)


def _distance(expected: Value, found: Value) -> float:
    if _number(expected) and _number(found):
        return abs(float(expected or 0) - float(found or 0))
    return 0.0 if expected in (None, "") and found in (None, "") else float("inf")


def _range(group: list[Fault]) -> str:
    rows = [f.planned.row for f in group]
    columns = [f.planned.column for f in group]
    first, last = cell_name(min(rows), min(columns)), cell_name(max(rows), max(columns))
    sheet = sheet_text(group[0].planned.sheet)
    return f"{sheet}!{first}" if first == last else f"{sheet}!{first}:{last}"
