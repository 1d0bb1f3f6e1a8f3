"""The ends of runs: games below the last formulas, and values above the first ones."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from elo_sheets.expr import Expr, walk
from elo_sheets.files.package import CellError
from elo_sheets.recognise.cells import Run
from elo_sheets.recognise.context import NOTE, Context, Proposal
from elo_sheets.recognise.departures import majority_text
from elo_sheets.recognise.ledgers.groups import Group
from elo_sheets.recognise.model import Area, Key

MOST_UNFILLED = 200


def unfilled(context: Context, game: Group) -> Iterator[Proposal]:
    """Games that stand below the last row of formulas."""
    model = context.model
    runs = [run for run in context.runs if run.sheet == game.sheet and run.down and _of_ledger(run, game)]
    if not runs:
        return
    last = max(run.last for run in runs)
    inputs = _input_columns(context, game, runs)
    if not inputs:
        return
    rows: list[int] = []
    row = last + 1
    while len(rows) < MOST_UNFILLED and all(
        _alike(context, (game.sheet, row, c), (game.sheet, last, c)) for c in inputs
    ):
        rows.append(row)
        row += 1
    ending = [run for run in runs if run.last == last]
    unrated = _of_unrated(context, game, ending, inputs)
    rows = [row for row in rows if not unrated & {model.value((game.sheet, row, c)) for c in inputs}]
    repairs: dict[Key, str] = {}
    for row in rows:
        for run in ending:
            key = run.key(row)
            if model.cell(key) is None:
                repairs[key] = majority_text(model, run, key)
    if repairs:
        cells = tuple(repairs)
        yield Proposal(
            "ES202", cells, "a game stands beyond the formulas", repairs, fix="=" + repairs[cells[0]], rank=0
        )


def _of_unrated(context: Context, game: Group, ending: list[Run], inputs: list[int]) -> set[object]:
    """What is entered in rows between games that no formula stands in, and in no row of a game: a bye."""
    model, said = context.model, {True: set[object](), False: set[object]()}
    first = min((run.first for run in ending), default=game.row)
    for row in range(first, ending[0].last + 1) if ending else ():
        is_rated = any(run.key(row) in model.forms for run in ending)
        said[is_rated] |= {value for c in inputs if isinstance(value := model.value((game.sheet, row, c)), str)}
    return said[False] - said[True]


def _of_ledger(run: Run, game: Group) -> bool:
    main = game.expectations[0].run
    return run.first <= main.first + 2 * main.period and run.last >= main.last - main.period


def _input_columns(context: Context, game: Group, runs: list[Run]) -> list[int]:
    """Columns of typed cells that the formulas of a game's row read."""
    model = context.model
    found: dict[int, None] = {}
    for run in runs:
        tree = run.expected(run.key(game.row))
        for node in walk(tree) if tree is not None else []:
            if isinstance(node, Area) and node.single and node.sheet == game.sheet and node.row == game.row:
                key = (game.sheet, game.row, node.column)
                if key not in model.forms and model.value(key) not in (None, ""):
                    found[node.column] = None
    return list(found)


def _alike(context: Context, key: Key, like: Key) -> bool:
    a, b = context.model.cell(key), context.model.cell(like)
    if a is None or a.formula is not None or a.value in (None, ""):
        return False
    return b is None or isinstance(a.value, str) == isinstance(b.value, str)


def frozen(context: Context, game: Group) -> Iterator[Proposal]:
    """Values above the first formulas of a ledger: the habit is a note, a wrong one among them a finding."""
    model = context.model
    runs = [run for run in context.runs if run.sheet == game.sheet and run.down and run.last >= game.row >= run.first]
    wrong: list[tuple[Key, Expr, float, float]] = []
    right = 0
    prefix: list[Key] = []
    for run in runs:
        if run.period > 2:
            continue
        at = run.first - 1
        while at > 0 and _frozen_value(context, run.key(at)):
            at -= 1
        for place in range(at + 1, run.first):
            key = run.key(place)
            tree = _tree_above(run, key)
            value = model.number(key)
            if (
                tree is None
                or value is None
                or any(isinstance(n, Area) and (n.row < 1 or n.column < 1) for n in walk(tree))
            ):
                continue
            expected = context.evaluator.tree_value(tree, key, {})
            if isinstance(expected, bool) or not isinstance(expected, (int, float)):
                continue
            prefix.append(key)
            if abs(expected - value) <= _slack(value) + _rounded_before(context, tree, key, float(expected)):
                right += 1
            else:
                wrong.append((key, tree, value, float(expected)))
    if len(prefix) < 4 or right < max(1, 0.6 * (right + len(wrong))):
        return
    cells = {w[0] for w in wrong}
    for key, tree, _, _ in sorted(wrong, key=lambda w: (w[0][1], -w[0][2])):
        run = next(r for r in runs if r.line == key[2])
        if _reads_any(tree, key, cells) or _starts(context, key, tree, run):
            continue
        text = majority_text(model, run, key)
        what = "a value among those before the formulas is not what the games give"
        yield Proposal("ES201", (key,), what, {key: text}, fix="=" + text, rank=1)
    yield Proposal("ES206", tuple(sorted(prefix, key=lambda k: (k[2], k[1]))[:1]), severity=NOTE, effect=0.0, rank=9)


def _rounded_before(context: Context, tree: Expr, key: Key, expected: float) -> float:
    """How far a number may be off because what it follows from is typed with few decimals in its row as well."""
    by = 0.0
    for area in {node for node in walk(tree) if isinstance(node, Area) and node.single}:
        read = (area.sheet or key[0], area.row, area.column)
        number = None if read in context.model.forms or read[:2] != key[:2] else context.model.number(read)
        if number is not None and number % 1:
            moved = context.evaluator.tree_value(tree, key, {read: number + _slack(number)})
            by += abs(moved - expected) if isinstance(moved, (int, float)) else 0.0
    return by


def _tree_above(run: Run, key: Key) -> Expr | None:
    pattern = run.patterns[run.turn(run.place(key))]
    return None if pattern is None else pattern.tree(key, run.place(key))


def _frozen_value(context: Context, key: Key) -> bool:
    cell = context.model.cell(key)
    return (
        cell is not None
        and cell.formula is None
        and isinstance(cell.value, (int, float))
        and not isinstance(cell.value, bool)
    )


def _slack(value: float) -> float:
    text = repr(value)
    digits = len(text.partition(".")[2]) if "e" not in text else 9
    return 1e-6 if digits > 6 else 0.6 * 10**-digits + 1e-9 if digits > 1 or not value.is_integer() else 0.51


def _reads_any(tree: Expr, key: Key, cells: set[Key]) -> bool:
    """Whether a formula reads, one by one or in an area, one of the cells."""
    return any(
        node.row <= row <= node.bottom and node.column <= column <= node.right
        for node in walk(tree)
        if isinstance(node, Area)
        for sheet, row, column in cells
        if sheet == (node.sheet or key[0]) and (sheet, row, column) != key
    )


def _reads(tree: Expr, key: Key) -> list[Key]:
    found = []
    for node in walk(tree):
        if isinstance(node, Area) and node.single:
            found.append((node.sheet or key[0], node.row, node.column))
    return found


def _starts(context: Context, key: Key, tree: Expr, run: Run) -> bool:
    """The first row of a ledger, whose formula would read a header where those of the run read none."""
    usual = run.expected(run.key(run.first))
    there = _reads(usual, key) if usual is not None else []
    return any(
        _is_text(context, one) and not _is_text(context, other)
        for one, other in itertools.zip_longest(_reads(tree, key), there, fillvalue=run.key(run.first))
    )


def _is_text(context: Context, key: Key) -> bool:
    value = context.model.value(key)
    return isinstance(value, str) and not isinstance(value, CellError)
