"""Factors of the margin that one side of a game gets and the other does not: what the one gains, the other loses less.

The goals of a late game are changed so that the same side wins by more. The gains of both sides must answer alike; a K
of their own does not matter, since only how the gains grow is compared.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace

from elo_sheets.expr import Binary, Expr
from elo_sheets.files.package import Value
from elo_sheets.recognise.behind import cone
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.ledgers.plans import Phase, Plan
from elo_sheets.recognise.model import Area, Key, Model, text_of
from elo_sheets.recognise.nearmiss import places
from elo_sheets.recognise.proposals import proposal_for, transfer
from elo_sheets.recognise.roles import Seen

MOST_GOALS = 200.0
LEAST_GAIN = 1e-3  # rating points
WHAT = "the factor of the margin applies to one side of a game only"
Goals = tuple[Key, Key]


def one_sided(context: Context, plan: Plan) -> Iterator[Proposal]:
    """Yield what lets the margin count for both sides of a planned ledger's games, where it counts for one."""
    if len(plan.phases) != 1 or plan.phases[0].rounded:
        return
    sides = _sides(context.model, plan, plan.phases[0])
    if len(sides) != 2:
        return
    row = plan.phases[0].row
    for goals in _goals(context.model, plan, row):
        one, two = (_growth(context, side, goals, {}) for side in sides)
        if one is None or two is None or _same(one, 1.0) == _same(two, 1.0):
            continue
        with_factor, without = reversed(sides) if _same(one, 1.0) else sides
        yield from _mended(context, plan, goals, with_factor, without)
        return


Side = tuple[Key, Key | None]  # the cell that gains, and the rating that it starts from; None for a change


def _sides(model: Model, plan: Plan, phase: Phase) -> list[Side]:
    sheet, row = plan.sheet, phase.row
    if plan.lines:
        names = {str(text_of(model, (sheet, row, c))).strip().casefold() for c in plan.names}
        return [
            ((sheet, row, line), (sheet, row - 1, line)) for line in plan.lines if _head(model, plan, line) in names
        ]
    found: list[Side] = []
    for one in phase.after:
        if one.base is not None:
            changes: list[Side] = [((sheet, row, run.line), None) for run, _ in one.gains]
            found += changes or [((sheet, row, one.run.line), one.base.key(sheet, row))]
    return found


def _head(model: Model, plan: Plan, line: int) -> str:
    rows = range(plan.lines[line].first - 1, 0, -1)
    texts = (text_of(model, (plan.sheet, row, line)) for row in rows)
    return next((text.strip().casefold() for text in texts if text), "")


def _goals(model: Model, plan: Plan, row: int) -> Iterator[Goals]:
    """Pairs of small whole numbers side by side in a game's row, typed or shown from a list."""
    ratings = {leaf.key(plan.sheet, row) for phase in plan.phases for leaf in phase.leaves}
    columns = sorted(c for r, c in model.book.sheets[plan.sheet] if r == row)
    for left, right in itertools.pairwise(columns):
        pair = (plan.sheet, row, left), (plan.sheet, row, right)
        numbers = [model.number(key) for key in pair]
        shown = all(key not in model.forms or isinstance(model.forms[key].tree, Area) for key in pair)
        small = all(n is not None and n.is_integer() and 0 <= n <= MOST_GOALS for n in numbers)
        if shown and small and not ratings & set(pair):
            yield pair


def _growth(context: Context, side: Side, goals: Goals, formulas: Mapping[Key, Expr]) -> float | None:
    """How many times more a side gains by winning, and loses by losing, with three goals; None when it does not."""
    found = []
    for one in (0, 1):
        close: dict[Key, Value] = {goals[one]: 1.0, goals[1 - one]: 0.0}
        clear: dict[Key, Value] = {goals[one]: 5.0, goals[1 - one]: 0.0}
        little, much = (_gain(context, side, result, formulas) for result in (close, clear))
        if little is None or much is None or abs(little) < LEAST_GAIN:
            return None
        found.append((little, much / little))
    (won, more), (lost, more_lost) = found
    return more if won * lost < 0 and abs(more - more_lost) < 1e-6 else None


def _gain(context: Context, side: Side, result: Mapping[Key, Value], formulas: Mapping[Key, Expr]) -> float | None:
    after = context.evaluator.number(side[0], result, formulas)
    before = 0.0 if side[1] is None else context.model.number(side[1])
    return None if after is None or before is None else after - before


def _mended(context: Context, plan: Plan, goals: Goals, one: Side, other: Side) -> Iterator[Proposal]:
    """The first change of the other side's formulas after which its gain grows as that of the one side."""
    model = context.model
    close: dict[Key, Value] = {goals[0]: 1.0, goals[1]: 0.0}
    wanted, now = _growth(context, one, goals, {}), _gain(context, other, close, {})
    shared = set(cone(model, one[0])[1:])
    targets = [key for key in cone(model, other[0]) if key[:2] == other[0][:2] and key not in shared]
    ways = itertools.product((_with_product, _with_cell), _factors(context, goals, one[0], wanted or 0.0), targets)
    for way, factor, target in ways:
        seen = _seen(context, target)
        for edited in way(seen.tree, factor) if seen is not None else ():
            trial = {target: edited}
            grown, then = _growth(context, other, goals, trial), _gain(context, other, close, trial)
            if seen is not None and _same(grown, wanted) and _same(then, now):
                yield _everywhere(context, plan, seen, edited)
                return


def _same(a: float | None, b: float | None) -> bool:
    return a is not None and b is not None and abs(a - b) < 1e-6


def _seen(context: Context, key: Key) -> Seen | None:
    tree = context.model.tree(key)
    runs = (run for run in context.runs if run.down and run.line == key[2] and key in run.cells())
    run = next((run for run in runs if run.fits(context.model, key)), None)
    return None if run is None or tree is None else Seen(run, key, None, tree)


def _everywhere(context: Context, plan: Plan, seen: Seen, edited: Expr) -> Proposal:
    """The change in all cells of the formula's column, and in those of all players if it is a player's own."""
    found = proposal_for(context, seen, "ES119", edited, WHAT)
    for line in sorted(set(plan.lines) - {seen.key[2]}) if seen.key[2] in plan.lines else ():
        mate = _seen(context, (*seen.key[:2], line))
        moved = None if mate is None else transfer(seen.tree, edited, mate.tree, seen.key, mate.key)
        if mate is not None and moved is not None:
            more = proposal_for(context, mate, "ES119", moved)
            found = replace(found, cells=(*found.cells, *more.cells), repairs={**found.repairs, **more.repairs})
    return found


def _factors(context: Context, goals: Goals, cell: Key, wanted: float) -> Iterator[Expr]:
    """What the gain of a side is multiplied with: a cell of the row, or a part of a formula, that follows the goals."""
    for key in cone(context.model, cell):
        for part in _parts(context.model, key) if key[:2] == cell[:2] else ():
            if _same(_ratio(context, part, key, goals), wanted):
                yield part


def _parts(model: Model, key: Key) -> Iterator[Expr]:
    tree = model.tree(key)
    for node, _ in places(tree) if tree is not None else ():
        if isinstance(node, Area) and node.single and node.row == key[1]:
            yield node
        elif isinstance(node, Binary) and node.operator == "*":
            yield from (node.left, node.right)


def _ratio(context: Context, tree: Expr, key: Key, goals: Goals) -> float | None:
    clear, close = (context.evaluator.tree_value(tree, key, {goals[0]: n, goals[1]: 0.0}) for n in (5.0, 1.0))
    numbers = all(isinstance(x, float) for x in (clear, close))
    return float(clear) / float(close) if numbers and close == 1 else None


def _with_product(tree: Expr, factor: Expr) -> Iterator[Expr]:
    for node, rebuilt in places(tree):
        if isinstance(node, Binary) and node.operator == "*":
            yield rebuilt(Binary("*", Binary("*", node.left, factor), node.right))


def _with_cell(tree: Expr, factor: Expr) -> Iterator[Expr]:
    for node, rebuilt in places(tree):
        if isinstance(node, Area) and node.single:
            yield rebuilt(Binary("*", node, factor))


__all__ = ["one_sided"]
