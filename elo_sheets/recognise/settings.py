"""What a book states beside its rule: an advantage of home, a K, a factor of the margin, that the games do not follow.

A rule may be any; but a setting with its label, or a column reckoned for every game, that no formula reads any more was
meant to be read, and an advantage of home that helps the visitors was meant the other way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from elo_sheets.expr import Binary, Expr, walk
from elo_sheets.files.package import Value
from elo_sheets.recognise import nearmiss
from elo_sheets.recognise.cells import Run
from elo_sheets.recognise.context import WARNING, Context, Proposal
from elo_sheets.recognise.ledgers.margins import one_sided
from elo_sheets.recognise.ledgers.plans import Plan
from elo_sheets.recognise.model import Area, Key, Model, cell_area, text_of
from elo_sheets.recognise.proposals import proposal_for
from elo_sheets.recognise.roles import Seen

HOME = re.compile(
    r"\b(home|heim|local|locale|casa|mando|mandante|domicile|thuis|hjemme|hemma|hosts?|gospodarz|dom[aá]c|koti|hazai"
    r"|ev sahibi|хозя|дома)",
    re.I,
)
EDGE = re.compile(HOME.pattern + r"|\b(advantage|vorteil|ventaja|vantagem|avantage|vantaggio|fordel)\b", re.I)
K_LABEL = re.compile(r"k([- _]?(factor|faktor|wert|value))?[:=]?$", re.I)
LEAST_ROWS = 5
MOST_FACTOR = 20.0


def setting_faults(context: Context, plan: Plan) -> Iterator[Proposal]:
    """Yield what is stated in the book of a planned ledger and not followed by its games."""
    yield from _unread_factors(context, plan)
    yield from _unread_k(context, plan)
    yield from one_sided(context, plan)


def _settings(model: Model) -> Iterator[tuple[Key, str, float]]:
    """Typed numbers with a label on their left or above them."""
    for sheet, cells in model.book.sheets.items():
        for (row, column), cell in cells.items():
            number = model.number((sheet, row, column))
            if cell.formula is not None or number is None:
                continue
            label = text_of(model, (sheet, row, column - 1)) or text_of(model, (sheet, row - 1, column))
            if label is not None and model.number((sheet, row + 1, column)) is None:
                yield (sheet, row, column), label.strip(), number


def _reads(tree: Expr, key: Key) -> bool:
    return any(isinstance(n, Area) and n.single and (n.sheet, n.row, n.column) == key for n in walk(tree))


# --- what no formula reads ----------------------------------------------------------------------------------


def _unread_factors(context: Context, plan: Plan) -> Iterator[Proposal]:
    """A factor of the margin, reckoned for every game and read by none: the changes are without it."""
    model = context.model
    row = plan.phases[0].row
    for run in context.runs:
        key = run.key(row)
        if not run.down or run.sheet != plan.sheet or not run.first <= row <= run.last or not run.fits(model, key):
            continue
        if not _is_factor(context, run) or any(context.evaluator.readers.is_read(k) for k in run.cells()):
            continue
        spare = cell_area(key)
        for target in context.runs:
            cell = target.key(row)
            tree = model.tree(cell)
            if not target.down or target.sheet != plan.sheet or tree is None or not target.fits(model, cell):
                continue
            edited = next(_multiplied(tree, spare, plan, row), None)
            if edited is not None:
                yield proposal_for(
                    context, Seen(target, cell, None, tree), "ES108", edited,
                    f"the factor in column {model.header(run.key(run.first)) or run.line} is read by no formula",
                )  # fmt: skip


def _is_factor(context: Context, run: Run) -> bool:
    """Whether a column holds 1 for most games and more for some, whichever side won them."""
    model = context.model
    numbers = [n for key in run.cells() if (n := model.number(key)) is not None]
    if len(numbers) < LEAST_ROWS or min(numbers) != 1 or not 1 < max(numbers) <= MOST_FACTOR:
        return False
    key = next((k for k in run.cells() if model.number(k) != 1 and run.fits(model, k)), None)
    reads = dict.fromkeys(model.precedents(key)) if key is not None else {}
    typed = [k for k in reads if k not in model.forms and model.number(k) is not None]
    if key is None or len(typed) != 2:
        return False
    a, b = (model.number(k) for k in typed)
    turned: dict[Key, Value] = {typed[0]: b, typed[1]: a}
    level: dict[Key, Value] = {typed[0]: 1.0, typed[1]: 1.0}
    return context.evaluator.number(key, turned) == model.number(key) and context.evaluator.number(key, level) == 1


def _multiplied(tree: Expr, factor: Area, plan: Plan, row: int) -> Iterator[Expr]:
    """The formula in which what the result is above the expectation is also multiplied by the factor."""
    lines = {p.expectation.line for p in plan.phases if p.expectation is not None}
    for node, rebuilt in nearmiss.places(tree):
        if not isinstance(node, Binary) or node.operator != "*" or not isinstance(node.right, Binary):
            continue
        surplus = node.right
        if surplus.operator == "-" and any(_reads(surplus, (plan.sheet, row, line)) for line in lines):
            yield rebuilt(Binary("*", Binary("*", node.left, factor), surplus))


def _unread_k(context: Context, plan: Plan) -> Iterator[Proposal]:
    """A labelled K that no formula reads, while the games are rated by another."""
    used = min(plan.ks.values()) if plan.ks and _typed_k(context, plan) else 0.0
    for key, label, number in _settings(context.model) if used else ():
        unread = K_LABEL.match(label) and not context.evaluator.readers.is_read(key)
        if unread and abs(used - number) > 1e-6:
            says = f"no formula reads the setting {label!r}: the games are rated with {used:g}"
            yield Proposal(
                "ES120", (key,), says, severity=WARNING, confidence="header", expected=number, found=used, effect=0.0,
                rank=4,
            )  # fmt: skip


def _typed_k(context: Context, plan: Plan) -> bool:
    """Whether K is a number in the formulas, one for all games but for a factor of the margin."""
    if plan.k_from is None:
        return len(set(plan.ks.values())) == 1
    factors = (run for run in context.runs if run.down and plan.k_from in run.cells())
    return any(_is_factor(context, run) for run in factors)


__all__ = ["setting_faults"]
