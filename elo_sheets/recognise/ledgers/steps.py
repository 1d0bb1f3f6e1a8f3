"""A ledger that copies a list row by row: is every row of the list read once, and in step?"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass, field

from elo_sheets.expr import Call, Expr, Text, walk
from elo_sheets.files.package import shift_formula
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.model import Area, Key, area_text, at_cell, cell_area

LEAST = 5
MOST_BREAKS = 0.4  # of the rows, where the step changes


@dataclass
class Copies:
    """The cells of a sheet that show one list row each: column of the copy -> row -> (source column, source row)."""

    sheet: str
    source: str
    columns: dict[int, dict[int, tuple[int, int]]] = field(default_factory=dict)


def step_faults(context: Context) -> tuple[list[Proposal], set[Key]]:
    """Return what is out of step between lists and ledgers, and the cells that this explains."""
    proposals: list[Proposal] = []
    excused: set[Key] = set()
    for copies in _copies(context):
        found = _judge(context, copies)
        proposals += found
        for one in found:
            excused.update(one.cells)
    return proposals, excused


def _copies(context: Context) -> list[Copies]:
    found: dict[tuple[str, str], Copies] = {}
    for key, form in context.model.forms.items():
        source = _shown(context, key, form.tree)
        if source is not None and source[0] != key[0]:
            copies = found.setdefault((key[0], source[0]), Copies(key[0], source[0]))
            copies.columns.setdefault(key[2], {})[key[1]] = (source[2], source[1])
    result = []
    for copies in found.values():
        copies.columns = {
            c: rows for c, rows in copies.columns.items()
            if len(rows) >= LEAST and len({r for _, r in rows.values()}) > len(rows) / 2
        }  # fmt: skip
        if len(copies.columns) >= 2:
            result.append(copies)
    return result


def _shown(context: Context, key: Key, tree: Expr | None) -> Key | None:
    """The cell of a list that a formula (seen from its cell) shows: plainly, or by its number, blank or not."""
    if isinstance(tree, Area):
        placed = tree.at(key[1], key[2])
        return (placed.sheet or key[0], placed.row, placed.column) if tree.single else None
    if not isinstance(tree, Call):
        return None
    if tree.function == "IF" and Text("") in tree.arguments[1:]:
        others = [one for one in tree.arguments[1:] if one != Text("")]
        return _shown(context, key, others[0]) if len(others) == 1 else None
    area = tree.arguments[0] if tree.arguments else None
    if tree.function != "INDEX" or not isinstance(area, Area) or area.single:
        return None
    placed = area.at(key[1], key[2])
    if not 2 <= len(tree.arguments) <= 3 or any(_searches(one) for one in tree.arguments[1:]):
        return None
    numbers = [_number(context, key, one) for one in tree.arguments[1:]]
    if None in numbers:
        return None
    row, column = numbers[0] or 0, (numbers[1] if len(numbers) > 1 else 1) or 0
    if len(numbers) == 1 and placed.row == placed.bottom:
        row, column = 1, row
    if not (1 <= row <= placed.bottom - placed.row + 1 and 1 <= column <= placed.right - placed.column + 1):
        return None
    return (placed.sheet or key[0], placed.row + row - 1, placed.column + column - 1)


def _number(context: Context, key: Key, tree: Expr | None) -> int | None:
    value = None if tree is None else context.evaluator.tree_value(at_cell(tree, key), key, {})
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _searches(tree: Expr | None) -> bool:
    """Whether a row is found by what stands in it: then the list need not be in step."""
    return tree is not None and any(isinstance(n, Area) and not n.single for n in walk(tree))


def _judge(context: Context, copies: Copies) -> list[Proposal]:
    rows = sorted(set.intersection(*(set(cells) for cells in copies.columns.values())))
    if len(rows) < LEAST:
        return []
    main: dict[int, tuple[int, int]] = {}
    for column, cells in copies.columns.items():
        source = Counter(c for c, _ in cells.values()).most_common(1)[0][0]
        early = Counter(cells[row][1] - row for row in rows[:3]).most_common(1)[0][0]
        main[column] = (source, early)
    shifts = {
        row: {column: copies.columns[column][row][1] - row - main[column][1] for column in copies.columns}
        for row in rows
    }
    odd = [row for row in rows if any(shifts[row].values())]
    if not odd:
        return _unread(context, copies, rows)
    if sum(shifts[a] != shifts[b] for a, b in itertools.pairwise(rows)) > MOST_BREAKS * len(rows):
        return []  # no list that is copied row by row
    together = [row for row in odd if len(set(shifts[row].values())) == 1]
    found: list[Proposal] = []
    if together:
        by = shifts[together[0]][next(iter(main))]
        if len(together) == 1:
            code, what = "ES212", "a game of the list is rated in place of another"
        elif by > 0:
            code, what = (
                "ES211",
                f"from here on the ledger reads {by} row(s) further down: a game of the list is never rated",
            )
        else:
            code, what = "ES210", f"from here on the ledger reads {-by} row(s) further up in the list"
        found.append(_proposal(context, copies, main, {row: list(main) for row in together}, code, what))
    single = {row: [c for c, by in shifts[row].items() if by] for row in odd if row not in together}
    for column in sorted(main):
        mine = [row for row, columns in single.items() if column in columns]
        if len(mine) >= 2:
            what = "the column is out of step with the other columns of the list"
            found.append(_proposal(context, copies, main, {row: [column] for row in mine}, "ES210", what))
    return found


def _proposal(
    context: Context,
    copies: Copies,
    main: dict[int, tuple[int, int]],
    cells: dict[int, list[int]],
    code: str,
    what: str,
) -> Proposal:
    keys: list[Key] = []
    repairs: dict[Key, str] = {}
    for row, columns in cells.items():
        for column in columns:
            source, offset = main[column]
            key = (copies.sheet, row, column)
            keys.append(key)
            target = row + offset
            repairs[key] = _in_step(context, copies, key, (target, source))
    return Proposal(code, tuple(keys), what, repairs, fix="=" + next(iter(repairs.values())), rank=0)


def _in_step(context: Context, copies: Copies, key: Key, source: tuple[int, int]) -> str:
    """The formula that shows a row of the list, as the rows above have it where that gives the same cell."""
    model, (row, column) = context.model, source
    above = next((r for r in sorted(copies.columns[key[2]]) if copies.columns[key[2]][r][1] - r == row - key[1]), None)
    cell = None if above is None else model.cell((key[0], above, key[2]))
    if above is not None and cell is not None and cell.formula is not None:
        text = shift_formula(cell.formula, key[1] - above, 0)
        form = model.form_of(text, key)
        if form is not None and _shown(context, key, form.tree) == (copies.source, row, column):
            return text
    return area_text(cell_area((copies.source, row, column)), copies.sheet)


def _unread(context: Context, copies: Copies, rows: list[int]) -> list[Proposal]:
    """Rows of the list that follow the last one that is read."""
    model = context.model
    sources = {c: Counter(s for s, _ in cells.values()).most_common(1)[0][0] for c, cells in copies.columns.items()}
    last = max(copies.columns[next(iter(sources))][row][1] for row in rows)
    missed = []
    row = last + 1
    while all(model.value((copies.source, row, column)) not in (None, "") for column in sources.values()):
        missed.append(row)
        row += 1
        if len(missed) > 1000:
            return []
    if not missed:
        return []
    keys = tuple((copies.source, row, column) for row in missed for column in sources.values())
    return [
        Proposal(
            "ES211",
            keys,
            "a game of the list is never rated: no formula reads it",
            effect=0.0,
            confidence="proven",
            rank=0,
        )
    ]
