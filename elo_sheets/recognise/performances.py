"""Performances of a tournament: the average of the opponents, and more the more points were scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from elo_sheets.expr import Binary, Call, Expr, walk
from elo_sheets.files.package import Value
from elo_sheets.recognise import nearmiss
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.model import Form, Key, Model
from elo_sheets.recognise.parts import cone

STEP, FAR = 64.0, 2000.0
SLACK = 1.01  # rating points that rounding may make
FEWEST = 3  # opponents
MOST_PLAYERS = 400  # in a column of performances: a longer one is a ledger
NEAREST = 8  # formulas behind a performance in which sums are looked for
LEAST_SPAN = 300.0  # rating points between no point at all and all of them
SCORES = (0.0, 0.5, 1.0)


def performance_faults(context: Context) -> Iterator[Proposal]:
    """Yield the performances that fall with the points, with what would let them rise."""
    model = context.model
    columns: dict[tuple[str, int, Form], list[Key]] = {}
    for key, form in model.forms.items():
        columns.setdefault((key[0], key[2], form), []).append(key)
    for cells in columns.values():
        repairs: dict[Key, str] = {}
        if len(cells) > MOST_PLAYERS or not _sums_up(model, cells[0]):
            continue
        for key in sorted(cells):
            repair = _repair(context, key)
            if repair is not None:
                repairs[key] = repair
        if repairs:
            first = next(iter(repairs))
            what = "the performance falls with the points"
            yield Proposal("ES103", tuple(repairs), what, repairs, fix="=" + repairs[first], rank=3)


def _repair(context: Context, key: Key) -> str | None:
    """The formula with one sign or difference the other way, where that makes a performance of a falling one."""
    tree = context.model.tree(key)
    if not isinstance(tree, (Binary, Call)):
        return None
    opponents, scores = _inputs(context.model, key)
    if len(opponents) < FEWEST or not scores or not _averages(context, key, opponents):
        return None
    span = _span(context, key, scores, {})
    if span is None or span > -LEAST_SPAN:
        return None
    for edited in _other_signs(tree):
        turned = _span(context, key, scores, {key: edited})
        if turned is not None and abs(turned + span) <= SLACK and _averages(context, key, opponents, {key: edited}):
            return spell_anchored(context.model, key, edited)
    return None


def _inputs(model: Model, key: Key) -> tuple[list[Key], list[Key]]:
    """The typed ratings and the typed scores that a formula follows from."""
    typed = dict.fromkeys(read for one in cone(model, key) for read in model.precedents(one) if read not in model.forms)
    numbers = {read: number for read in typed if (number := model.number(read)) is not None}
    return [r for r, n in numbers.items() if n > 400], [r for r, n in numbers.items() if n in SCORES]


def _sums_up(model: Model, key: Key) -> bool:
    """Whether a formula, or one that it reads, is of the form that a performance has: it sums several numbers up."""
    if not isinstance(model.forms[key].tree, (Binary, Call)):
        return False
    nodes = (node for one in cone(model, key, NEAREST) for node in walk(model.forms[one].tree))
    return any(isinstance(n, Call) and n.function in ("AVERAGE", "SUM", "SUBTOTAL") for n in nodes)


def _averages(context: Context, key: Key, opponents: list[Key], formulas: Mapping[Key, Expr] | None = None) -> bool:
    """Whether a formula rises along with all ratings, and evenly with each: no new rating does."""
    numbers = {one: context.model.number(one) or 0.0 for one in opponents}

    def at(change: Mapping[Key, Value]) -> float:
        found = context.evaluator.number(key, change, formulas)
        return float("nan") if found is None else found

    here = at({})
    rises = [[at({one: numbers[one] + by * FAR}) - here for by in (1, 2)] for one in opponents[:FEWEST]]
    even = all(abs(2 * far - farther) <= 3 * SLACK for far, farther in rises)
    along = at({one: number + STEP for one, number in numbers.items()})
    return even and any(far > SLACK for far, _ in rises) and abs(along - here - STEP) <= SLACK


def _span(context: Context, key: Key, scores: list[Key], formulas: Mapping[Key, Expr]) -> float | None:
    """What all points bring above none."""
    low, high = (context.evaluator.number(key, dict.fromkeys(scores, value), formulas) for value in (0.0, 1.0))
    return None if low is None or high is None else high - low


def _other_signs(tree: Expr) -> Iterator[Expr]:
    for node, rebuilt in nearmiss.places(tree):
        if isinstance(node, Binary) and node.operator in nearmiss.TURNED:
            yield rebuilt(Binary(nearmiss.TURNED[node.operator], node.left, node.right))
            if node.operator == "-":
                yield rebuilt(Binary("-", node.right, node.left))


__all__ = ["performance_faults"]
