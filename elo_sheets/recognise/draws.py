"""Scores that give a draw as much as a loss, or as much as a win."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from elo_sheets.expr import Call, Expr, Number, walk
from elo_sheets.files.package import Value
from elo_sheets.recognise import nearmiss
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.evaluate import Evaluator
from elo_sheets.recognise.model import Key
from elo_sheets.recognise.parts import nested_scores
from elo_sheets.recognise.proposals import proposal_for
from elo_sheets.recognise.roles import Roles, Seen


def draw_faults(context: Context, roles: Roles) -> Iterator[Proposal]:
    """Return a proposal for each run whose nested IF has a branch for draws that says what another branch says.

    Only runs whose score moves a rating or a change in their row: a column that counts wins may well say 1, 0, 0.
    """
    for seen in roles.seen:
        mended = next(_mended(seen.tree), None) if seen.run.down else None
        if mended is None or not _moves_a_rating(context, roles, seen):
            continue
        repairs: dict[Key, str] = {}
        for key in seen.run.cells():
            tree = context.model.tree(key)
            new = next(_mended(tree), None) if tree is not None and seen.run.fits(context.model, key) else None
            if new is not None:
                repairs[key] = spell_anchored(context.model, key, new)
        cells = tuple(repairs)
        if cells:
            yield Proposal("ES104", cells, repairs=repairs, fix="=" + repairs[cells[0]], rank=1)


def _mended(tree: Expr) -> Iterator[Expr]:
    """The formula in which the draw counts one half, when it counts 0 or 1."""
    for node, rebuilt in nearmiss.places(tree):
        found = nested_scores(node)
        if found is None or not isinstance(node, Call):
            continue
        first, second, last = found
        if {first, last} != {0.0, 1.0} or second not in (0.0, 1.0):
            continue
        test, win, rest = node.arguments
        if isinstance(rest, Call):
            half = Call(rest.function, (rest.arguments[0], Number(0.5), rest.arguments[2]))
            yield rebuilt(Call(node.function, (test, win, half)))


def _moves_a_rating(context: Context, roles: Roles, seen: Seen) -> bool:
    """Whether a rating or change in the same row follows the score."""
    row = seen.key[1]
    if seen.part is not None:
        return True
    for other in roles.seen:
        key = (other.run.sheet, row, other.run.line)
        reads = other is not seen and other.run.down and key[0] == seen.key[0] and other.run.fits(context.model, key)
        if not reads or not any(r[1] == row for r in roles.looker.leaves(key, {}, 3) if r == seen.key):
            continue
        low, half, high = (context.evaluator.number(key, {seen.key: s}) for s in (0.0, 0.5, 1.0))
        if low is None or half is None or high is None or abs(high - low) < 1.5:
            continue
        if abs(low + high - 2 * half) < 1e-6 and _rates(roles, key):
            return True
    return False


def _rates(roles: Roles, key: Key) -> bool:
    """Whether a cell follows from an expectation, which a column of points does not."""
    if any((at := roles.at(read)) is not None and at.part is not None for read in roles.looker.leaves(key, {}, 3)):
        return True
    tree = roles.looker.model.tree(key)
    return tree is not None and any(getattr(node, "operator", "") == "^" for node in walk(tree))


# --- scores by goals ----------------------------------------------------------------------------------------


def margin_faults(context: Context, cells: Sequence[Key]) -> Iterator[Proposal]:
    """Return a proposal where the scores of both sides of a game do not sum to one, though goals make them.

    `cells` are those of one row that move a rating. A score is a function of the goals of the two sides: with the goals
    exchanged it is what the other side scores.
    """
    model, evaluator = context.model, context.evaluator
    for key in cells:
        goals = _goals(context, key)
        tree = model.tree(key)
        if goals is None or tree is None:
            continue
        total = _both(evaluator, key, goals, {})
        if total is None or abs(total - 1) < 1e-9:
            continue
        for code, edited in nearmiss.candidates(tree):
            right = _both(evaluator, key, goals, {key: edited}) if code == "ES104" else None
            at = next((run for run in context.runs if run.down and run.fits(model, key) and key in run.cells()), None)
            if right is not None and abs(right - 1) < 1e-9 and at is not None:
                yield proposal_for(context, Seen(at, key, None, tree), code, edited)
                break


def _goals(context: Context, key: Key) -> tuple[Key, Key] | None:
    """The two typed numbers that a cell follows from, in opposite directions; None for anything else."""
    model, evaluator = context.model, context.evaluator
    typed = [read for read in model.precedents(key) if model.number(read) is not None]
    here = evaluator.number(key, {})
    if len(typed) != 2 or here is None or any(read in model.forms or read[1] != key[1] for read in typed):
        return None
    level: dict[Key, Value] = {typed[0]: 2.0, typed[1]: 2.0}
    middle = evaluator.number(key, level)
    one, two = (evaluator.number(key, {**level, read: 3.0}) for read in typed)
    if middle is None or one is None or two is None or abs(one + two - 2 * middle) > 1e-9 or abs(one - two) < 1e-9:
        return None
    return (typed[0], typed[1]) if abs(middle) <= 1 and abs(one - middle) <= 1 else None


def _both(evaluator: Evaluator, key: Key, goals: tuple[Key, Key], formulas: Mapping[Key, Expr]) -> float | None:
    """What both sides of a game score together, when that is the same in a close game, a clear one and a draw."""
    totals = set()
    for a, b in ((1.0, 0.0), (4.0, 1.0), (2.0, 2.0)):
        one = evaluator.number(key, {goals[0]: a, goals[1]: b}, formulas)
        two = evaluator.number(key, {goals[0]: b, goals[1]: a}, formulas)
        if one is None or two is None:
            return None
        totals.add(round(one + two, 9))
    return totals.pop() if len(totals) == 1 else None
