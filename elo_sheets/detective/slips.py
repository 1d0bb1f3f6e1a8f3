"""Slips of the hand in a formula, and the formula without them: no rating rule is needed to know of these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations

from elo_sheets.detective.facts import SIDES
from elo_sheets.detective.gains import Gain
from elo_sheets.expr import Binary, Call, Expr, Number, walk
from elo_sheets.recognise import nearmiss
from elo_sheets.recognise.model import Area, Key, Model
from elo_sheets.recognise.proposals import with_parts

COMPARISONS = (">", "<", ">=", "<=", "=", "<>")


def crossed(model: Model, gains: Sequence[Gain]) -> dict[Key, Expr]:
    """The formulas of both sides' expected scores, each in the other's place, where each side reads its own place."""
    shares = [share for gain in sorted(gains, key=lambda one: one.cell) for share, _, _ in gain.shares
              if share in model.precedents(gain.cell)]  # fmt: skip
    trees = [tree for share in shares if (tree := model.tree(share)) is not None]
    in_order = len(trees) == len(shares) == SIDES and shares[0] < shares[1]
    return dict(zip(shares, trees[::-1], strict=True)) if in_order else {}


def against_the_other(tree: Expr, results: Iterable[Area]) -> Iterator[Expr]:
    """A formula that compares one side's goals with numbers, with the other side's in their place."""
    for own, other in permutations(results, 2):

        def changed(node: Expr, own: Area = own, other: Area = other) -> Expr:
            if isinstance(node, Binary) and node.operator in COMPARISONS and node.left == own:
                return Binary(node.operator, own, other if isinstance(node.right, Number) else node.right)
            return with_parts(node, changed)

        edited = changed(tree)
        if edited != tree:
            yield edited


def unlimited(tree: Expr) -> Iterator[Expr]:
    """A formula without one of its limits."""
    for node, rebuilt in nearmiss.places(tree):
        if isinstance(node, Call) and node.function in ("MAX", "MIN"):
            yield from (rebuilt(one) for one in node.arguments if one is not None and not isinstance(one, Area))


def plain_slips(tree: Expr) -> Iterator[Expr]:
    """Slips that no rating formula is needed to know: a number that is another, a comparison with or without level."""
    turned = {">=": ">", "<=": "<", ">": ">=", "<": "<="}
    for node, rebuilt in nearmiss.places(tree):
        if isinstance(node, Binary) and node.operator == "*":
            yield from (rebuilt(a) for a, b in ((node.left, node.right), (node.right, node.left)) if _is_number(b))
        if isinstance(node, Binary) and node.operator == "/" and _is_number(node.right):
            yield rebuilt(node.left)
        if isinstance(node, Binary) and node.operator in "+-" and walk(tree).count(node.right) > 1:
            yield rebuilt(node.left)
        if isinstance(node, Number) and node.value not in (0.0, 1.0):
            yield rebuilt(Number(1.0))
        if isinstance(node, Number) and node.value == 1.0:
            yield rebuilt(Number(0.0))
        if isinstance(node, Binary) and node.operator in turned:
            yield rebuilt(Binary(turned[node.operator], node.left, node.right))
        if isinstance(node, Binary) and node.operator in "<>=" and isinstance(node.right, Number):
            yield from (rebuilt(Binary(node.operator, node.left, other)) for other in _beside(tree, node))
        if isinstance(node, Call) and node.function == "IF" and len(node.arguments) == 3:
            test, yes, no = node.arguments
            yield rebuilt(Call("IF", (test, no, yes)))
            if isinstance(test, Binary) and test.operator in "<>":  # the draw was forgotten
                level = Call("IF", (Binary("=", test.left, test.right), Number(0.5), no))
                yield rebuilt(Call("IF", (test, yes, level)))


def _is_number(tree: Expr) -> bool:
    return isinstance(tree, Number)


def _beside(tree: Expr, node: Binary) -> Iterable[Area]:
    """The other references of a formula: what a comparison with a number may have been meant to compare."""
    return dict.fromkeys(n for n in walk(tree) if isinstance(n, Area) and n.single and n != node.left)


__all__ = ["against_the_other", "crossed", "plain_slips", "unlimited"]
