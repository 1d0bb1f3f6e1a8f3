"""The two sides of a calculator: which cells belong to which player, and which stand opposite each other."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field

from elo_sheets.expr import Binary, Call, Expr, Number, Unary, walk
from elo_sheets.recognise.model import Area, Key, Model, cell_area
from elo_sheets.recognise.parts import Part

ONE = Number(1.0)
SMALL = 0.25  # of a rating: no new rating is as small


@dataclass
class Sides:
    """The two sides of a calculator: which cell belongs to which rating, and the cell opposite."""

    a: Key
    b: Key
    side: dict[Key, Key] = field(default_factory=dict)  # cell -> the rating of its side
    opposite: dict[Key, Key] = field(default_factory=dict)

    def mirrored(self, tree: Expr) -> Expr:
        """Return a formula (absolute) with the cells of the two sides exchanged."""
        if isinstance(tree, Area):
            if not tree.single or tree.sheet is None:
                return tree
            other = self.opposite.get((tree.sheet, tree.row, tree.column))
            return tree if other is None else cell_area(other)
        if isinstance(tree, Unary):
            return Unary(tree.operator, self.mirrored(tree.operand))
        if isinstance(tree, Binary):
            return Binary(tree.operator, self.mirrored(tree.left), self.mirrored(tree.right))
        if isinstance(tree, Call):
            return Call(tree.function, tuple(None if a is None else self.mirrored(a) for a in tree.arguments))
        return tree


def has_power(model: Model, key: Key) -> bool:
    """Whether a cell's formula has the look of a curve: a power, an exponential, or the number 400 or 10."""
    tree = model.tree(key)
    if tree is None:
        return False
    return any(
        (isinstance(node, Binary) and node.operator == "^") or (isinstance(node, Call) and node.function == "EXP")
        for node in walk(tree)
    ) or any(isinstance(node, Number) and node.value in (400.0, 10.0) for node in walk(tree))


def find_sides(model: Model, parts: Mapping[Key, Part]) -> list[Sides]:
    """The pairs of sides: for each pair of ratings of one sheet, the cells that stand to each other as they do."""
    found = []
    for pair in {frozenset((part.own, part.other)) for part in parts.values()}:
        a, b = sorted(pair)
        if a[0] != b[0]:
            continue
        sides = Sides(a, b)
        _fill(model, parts, sides)
        if any(sides.opposite.get(part.key) for part in parts.values()):
            found.append(sides)
    return found


def _fill(model: Model, parts: Mapping[Key, Part], sides: Sides) -> None:
    (sheet, row_a, column_a), (_, row_b, column_b) = sides.a, sides.b
    rows, columns = row_b - row_a, column_b - column_a

    def pair(one: Key, other: Key) -> None:
        sides.side[one], sides.side[other] = sides.a, sides.b
        sides.opposite[one], sides.opposite[other] = other, one

    pair(sides.a, sides.b)
    if rows and columns:
        return
    here = model.book.sheets[sheet]
    line = [place for place in here if (place[1] == column_a if columns else place[0] == row_a)]
    for row, column in sorted(line):
        one, other = (sheet, row, column), (sheet, row + rows, column + columns)
        if model.value(one) is None or model.value(other) is None or other[1:] not in here:
            continue
        texts = [isinstance(model.value(k), str) and not model.is_formula(k) for k in (one, other)]
        if not any(texts) and one not in sides.opposite and other not in sides.opposite:
            pair(one, other)
    # Stacked: both ratings in one column, and the pairs of each quantity further down.
    used = [part for part in parts.values() if {part.own, part.other} == {sides.a, sides.b}]
    for kind in "EDN":
        cells = sorted(part.key for part in used if part.kind == kind and part.key not in sides.opposite)
        for one in cells:
            other = (one[0], one[1] + rows, one[2] + columns)
            back = (one[0], one[1] - rows, one[2] - columns)
            if one in sides.opposite:
                continue
            if other in cells or (other not in parts and _may_be(model, other, kind, sides)):
                pair(one, other)
            elif back not in parts and back not in sides.opposite and _may_be(model, back, kind, sides):
                pair(back, one)
    scores = sorted({part.score for part in used if part.score is not None and part.score not in sides.opposite})
    for one, other in itertools.pairwise(scores):
        if other == (one[0], one[1] + rows, one[2] + columns) and one not in sides.opposite:
            pair(one, other)


def _is_small(model: Model, key: Key, sides: Sides) -> bool:
    """Whether a number is far below the two ratings, as a K is that follows from one of them."""
    number, ratings = model.number(key), [model.number(k) for k in (sides.a, sides.b)]
    return number is not None and all(r is not None and abs(number) < SMALL * abs(r) for r in ratings)


def _may_be(model: Model, key: Key, kind: str, sides: Sides) -> bool:
    """Whether an unexplained formula may be meant as an expectation, a change or a new rating."""
    tree = model.tree(key)
    if tree is None:
        return False
    if kind == "N":
        return bool({sides.a, sides.b} & set(model.precedents(key))) and not _is_small(model, key, sides)
    if kind == "D":
        return isinstance(tree, Binary) and tree.operator == "*"
    complement = isinstance(tree, Binary) and tree.operator == "-" and tree.left == ONE
    return complement or isinstance(tree, Area) or has_power(model, key)
