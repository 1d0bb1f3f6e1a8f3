"""A ledger that copies a list row by row: is every row of the list read once, and in step?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.model import Area, Key, area_text

LEAST = 5


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
        tree = form.tree
        if isinstance(tree, Area) and tree.single and tree.sheet is not None:
            placed = tree.at(key[1], key[2])
            copies = found.setdefault((key[0], tree.sheet), Copies(key[0], tree.sheet))
            copies.columns.setdefault(key[2], {})[key[1]] = (placed.column, placed.row)
    result = []
    for copies in found.values():
        copies.columns = {
            c: rows for c, rows in copies.columns.items()
            if len(rows) >= LEAST and len({r for _, r in rows.values()}) > len(rows) / 2
        }  # fmt: skip
        if len(copies.columns) >= 2:
            result.append(copies)
    return result


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
        found.append(_proposal(copies, main, {row: list(main) for row in together}, code, what))
    single = {row: [c for c, by in shifts[row].items() if by] for row in odd if row not in together}
    for column in sorted(main):
        mine = [row for row, columns in single.items() if column in columns]
        if len(mine) >= 2:
            what = "the column is out of step with the other columns of the list"
            found.append(_proposal(copies, main, {row: [column] for row in mine}, "ES210", what))
    return found


def _proposal(
    copies: Copies, main: dict[int, tuple[int, int]], cells: dict[int, list[int]], code: str, what: str
) -> Proposal:
    keys: list[Key] = []
    repairs: dict[Key, str] = {}
    for row, columns in cells.items():
        for column in columns:
            source, offset = main[column]
            key = (copies.sheet, row, column)
            keys.append(key)
            target = row + offset
            repairs[key] = area_text(Area(copies.source, target, source, target, source, 15, True), copies.sheet)
    return Proposal(code, tuple(keys), what, repairs, fix="=" + next(iter(repairs.values())), rank=0)


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
