"""Scores that give a draw as much as a loss, or as much as a win."""

from __future__ import annotations

from collections.abc import Iterator

from elo_sheets.expr import Call, Expr, Number, walk
from elo_sheets.recognise import nearmiss
from elo_sheets.recognise.columns import anchored
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.model import Key
from elo_sheets.recognise.parts import nested_scores
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
                repairs[key] = anchored(context, key, new)
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
