"""Rows of steps computed without a spreadsheet: by floats, arrays, the loop's source, compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from elo_sheets._late import np
from elo_sheets.formula import functions
from elo_sheets.ops import StepTable
from elo_sheets.replaying.cases import Columns
from elo_sheets.systems import SYSTEMS

READINGS = ("floats", "arrays", "source", "compiled")
Computed = list[Mapping[str, Any]]


def by_floats(rows: Sequence[Columns]) -> Computed:
    """Return every column of the rows, the steps called on floats."""
    found: Computed = []
    for row in rows:
        values: dict[str, Any] = dict(row.given)
        for line in row.lines:
            values[line.name] = line.step(*(values[name] for name in line.reads))
        found.append(values)
    return found


def _by_arrays(rows: Sequence[Columns]) -> Computed:
    found: Computed = [{} for _ in rows]
    groups: dict[Any, list[int]] = {}
    for i, row in enumerate(rows):
        texts = tuple((name, value) for name, value in row.given.items() if isinstance(value, str))
        shape = tuple((line.name, line.step, line.reads) for line in row.lines)
        groups.setdefault((shape, tuple(row.given), texts), []).append(i)
    for (_, _, texts), group in groups.items():
        values: dict[str, Any] = {
            name: np.array([rows[i].given[name] for i in group], "float64")
            for name in rows[group[0]].given
            if name not in dict(texts)
        }
        values |= dict(texts)
        for line in rows[group[0]].lines:
            values[line.name] = np.broadcast_to(line.step(*(values[name] for name in line.reads)), (len(group),))
        for at, i in enumerate(group):
            found[i] = {name: column[at] for name, column in values.items() if name not in dict(texts)}
    return found


def _by_source(compiled: bool) -> Callable[[Sequence[Columns]], Computed]:
    def read(rows: Sequence[Columns]) -> Computed:
        from elo_sheets.replaying.loop import row_function

        found: Computed = []
        for row in rows:
            texts = {name: value for name, value in row.given.items() if isinstance(value, str)}
            numbers = {name: float(value) for name, value in row.given.items() if not isinstance(value, str)}
            inside = []
            for line in row.lines:
                # What the settings alone decide is computed before the replay's loop, and may use any function.
                if "NORMSINV" in functions(line.trace()) and set(line.reads) <= set(row.given):
                    numbers[line.name] = float(line.step(*(row.given[name] for name in line.reads)))
                else:
                    inside.append(line)
            run = row_function(inside, tuple(numbers), texts, step_tables(), compiled)
            made = run(*numbers.values())
            found.append({**numbers, **dict(zip([line.name for line in inside], made, strict=True))})
        return found

    return read


def step_tables() -> list[Any]:
    """Return the step tables of all systems."""
    tables = {
        table.name: table
        for system in SYSTEMS.values()
        for table in getattr(system, "tables", ())
        if isinstance(table, StepTable)
    }
    return list(tables.values())


READ: dict[str, Callable[[Sequence[Columns]], Computed]] = {
    "floats": by_floats,
    "arrays": _by_arrays,
    "source": _by_source(compiled=False),
    "compiled": _by_source(compiled=True),
}
