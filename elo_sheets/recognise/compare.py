"""Two formulas of one cell compared: where they differ, what kind of mistake that is, and whether it matters."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence

from elo_sheets.expr import Binary, Call, Expr, Logical, Number, Ref, Text, Unary, walk
from elo_sheets.files.package import CellError, Value
from elo_sheets.recognise.evaluate import UNKNOWN, Evaluator
from elo_sheets.recognise.model import Area, Key, Model
from elo_sheets.recognise.nearmiss import candidates, places
from elo_sheets.verdict.compare import differences

Roles = Mapping[Key, str]
LEAST_START = 100  # a smaller number is no rating to start from
PARENTHESES = "parentheses are missing or stand elsewhere, so that the operators bind in another order"
MOST_NAMES = 12  # comparisons with a name that are tried
MOST_RESULTS = 6  # different texts of a column that holds results, not names

_ROUNDING = ("ROUND", "ROUNDUP", "ROUNDDOWN", "INT", "TRUNC", "MROUND", "CEILING", "FLOOR")
LEAST_K = 2.0  # a number from which it may be a K that was set anew


def equivalent(evaluator: Evaluator, key: Key, a: Expr, b: Expr, tries: int = 6) -> bool | None:
    """Whether two formulas (absolute trees) give the same in a cell now and at other inputs; None: unknown."""
    random_source = random.Random(7)
    leaves = _leaves(evaluator, (a, b))
    elsewhere: Iterator[dict[Key, Value]] = (
        {leaf: _other(evaluator.model, leaf, random_source) for leaf in leaves} for _ in range(1, tries)
    )
    others = itertools.chain(elsewhere, _each_result(evaluator.model, leaves), _each_name(evaluator.model, (a, b)))
    for overrides in itertools.chain([{}], others):
        x, y = evaluator.tree_value(a, key, overrides), evaluator.tree_value(b, key, overrides)
        if x is UNKNOWN or y is UNKNOWN:
            return None
        if not _same(x, y):
            return False
    return True


def _leaves(evaluator: Evaluator, trees: Iterable[Expr]) -> list[Key]:
    found: dict[Key, None] = {}
    for tree in trees:
        for node in walk(tree):
            if isinstance(node, Area) and node.single and node.sheet is not None:
                found[node.sheet, node.row, node.column] = None
            elif isinstance(node, Area) and node.sheet is not None and node.size <= 400:
                for row in range(node.row, node.bottom + 1):
                    for column in range(node.column, node.right + 1):
                        found[node.sheet, row, column] = None
    return list(found)


def _each_result(model: Model, leaves: Sequence[Key]) -> Iterator[dict[Key, Value]]:
    """Every number that a column of few numbers holds, in the place of a cell of it: a code of results."""
    for leaf in leaves if len(leaves) <= MOST_RESULTS else ():
        if leaf not in model.forms and model.number(leaf) is not None:
            rows = model.columns.get((leaf[0], leaf[2]), [])
            numbers = {n for row in rows if (n := model.number((leaf[0], row, leaf[2]))) is not None}
            if 1 < len(numbers) <= MOST_RESULTS:
                for number in sorted(numbers):
                    yield {leaf: number}


def _each_name(model: Model, trees: Iterable[Expr]) -> Iterator[dict[Key, Value]]:
    """Every name that a formula compares an entry with, in the place of the entry: as if that player had played."""
    found: dict[tuple[Key, Key], None] = {}
    for node in (node for tree in trees for node in walk(tree)):
        if isinstance(node, Binary) and node.operator == "=":
            sides = [_key(n) for n in (node.left, node.right) if isinstance(n, Area) and n.single]
            found.update(dict.fromkeys(itertools.permutations(sides, 2)))
    for entry, name in list(found)[:MOST_NAMES]:
        texts = isinstance(model.value(entry), str) and isinstance(model.value(name), str)
        if texts and entry not in model.forms and model.value(entry) != model.value(name):
            yield {entry: model.value(name)}


def _other(model: Model, leaf: Key, source: random.Random) -> Value:
    value = model.value(leaf)
    if isinstance(value, str) and leaf not in model.forms and not isinstance(value, CellError):
        rows = model.columns.get((leaf[0], leaf[2]), [])
        texts = {t for row in rows if isinstance(t := model.value((leaf[0], row, leaf[2])), str) and row > rows[0]}
        return source.choice(sorted(texts)) if 1 < len(texts) <= MOST_RESULTS else value
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if 0 <= value <= 1:
        return source.choice([0.0, 0.5, 1.0, 0.25, 0.75])
    return (
        value + source.choice([-97.0, -41.0, -3.0, 5.0, 38.0, 113.0])
        if abs(value) > 200
        else value * source.choice([0.5, 1.25, 1.5, 2.0])
    )


def _same(x: object, y: object) -> bool:
    if isinstance(x, (int, float)) and isinstance(y, (int, float)):
        return abs(x - y) <= 1e-9 * max(1.0, abs(x), abs(y))
    return x == y or (x in (None, "") and y in (None, ""))


# --- the kind of mistake ------------------------------------------------------------------------------------


def code_of(expected: Expr, found: Expr, roles: Roles, key: Key) -> str:
    """Return the code of the mistake that makes `found` of `expected` (absolute trees) in the cell `key`."""
    whole = _whole(expected, found, roles, key)
    if whole:
        return whole
    if any(found == new for new in _without_expectation(expected)):
        return "ES117"
    undone = _undone(expected, found)
    if undone:
        return undone
    pairs = differences(expected, found)
    codes = {_part(a, b, expected, found, roles, key) for a, b in pairs}
    if len(codes) == 1:
        return codes.pop()
    codes.discard("ES108")
    if codes == {"ES106", "ES105"}:
        return "ES106"
    areas = [(a, b) for a, b in pairs if isinstance(a, Area) and isinstance(b, Area)]
    if len(areas) == len(pairs):
        codes = {_part(a, b, expected, found, roles, key) for a, b in areas if not _within(a, b)} or codes
        return "ES106" if "ES106" in codes else min(codes, default="ES108")
    return "ES108"


def by_parentheses(expected: Expr, found: Expr) -> str:
    """Return what to say of a formula that differs from another in its parentheses alone; nothing for any other."""
    return PARENTHESES if expected != found and _written(expected) == _written(found) else ""


def _written(tree: Expr | None) -> list[object]:
    """A formula from left to right without its parentheses."""
    if isinstance(tree, Binary):
        return [*_written(tree.left), tree.operator, *_written(tree.right)]
    if isinstance(tree, Unary):
        return [tree.operator, *_written(tree.operand)]
    if isinstance(tree, Call):
        return [tree.function, *(_written(argument) for argument in tree.arguments)]
    return [tree]


def _without_expectation(expected: Expr) -> Iterable[Expr]:
    """The formula with a score in place of a score less its expectation."""
    for node, rebuilt in places(expected):
        surplus = isinstance(node, Binary) and node.operator == "-" and isinstance(node.left, Binary)
        if surplus and isinstance(node, Binary) and isinstance(node.left, Binary) and node.left.operator == "-":
            yield rebuilt(node.left)


def _within(a: Area, b: Area) -> bool:
    """Whether one range holds all of another: no game is missed by that."""
    holds = a.sheet == b.sheet and b.row <= a.row and a.bottom <= b.bottom
    return holds and not a.single and b.column <= a.column and a.right <= b.right


def _undone(expected: Expr, found: Expr) -> str | None:
    """The code of the one known mistake that, undone, gives the expected formula."""
    scales = [
        n.right
        for n in walk(expected)
        if isinstance(n, Binary) and n.operator == "/" and not isinstance(n.right, Binary)
    ]
    for code, edited in candidates(found, scales):
        if edited == expected and code in ("ES102", "ES103", "ES111", "ES112", "ES119", "ES506", "ES122"):
            sign = {n.operator for n in walk(expected) if isinstance(n, Binary)} - {
                n.operator for n in walk(found) if isinstance(n, Binary)
            }
            if code == "ES103" and sign and sign <= {"+", "-"}:
                return None  # whose gain it is, or whose advantage, is told by the roles
            return code
    for code, edited in candidates(found):
        if (
            code == "ES113"
            and edited == expected
            and isinstance(found, (Binary, Call))
            and len(walk(found)) > len(walk(expected))
        ):
            return code
    return None


def _whole(expected: Expr, found: Expr, roles: Roles, key: Key) -> str | None:
    """The kind of a mistake that shows only in the whole formula."""
    for node in walk(found):
        if isinstance(node, Call) and node.function in {"TODAY", "NOW", "RAND", "RANDBETWEEN"}:
            return "ES506"
        if isinstance(node, Ref) and "[" in node.name:
            return "ES505"
    if _counts_whole(found) and not _counts_whole(expected):
        return "ES104"
    wrapped = _wrapper(expected, found)
    if wrapped:
        return wrapped
    role = roles.get(key)
    if isinstance(found, Area) and found.single:
        there = roles.get(_key(found))
        if role == "R" and there in ("B", "O", "R"):
            return "ES126"
        if expected == Binary("-", Number(1.0), found):
            return "ES113"
        if not isinstance(expected, Area):
            return "ES124"
    return None


def _counts_whole(tree: Expr) -> bool:
    return any(
        isinstance(n, Call) and n.function in ("COUNTIF", "COUNTIFS") and Number(0.5) in n.arguments for n in walk(tree)
    ) and not any(isinstance(n, Binary) and n.operator in "*/" for n in walk(tree))


def _wrapper(expected: Expr, found: Expr) -> str | None:
    """The kind of a function put around the formula, or around a part of it."""
    for a, b in ((expected, found), *differences(expected, found)):
        if not isinstance(b, Call) or not b.arguments:
            continue
        inside = [argument for argument in b.arguments if argument is not None]
        if b.function in _ROUNDING and inside[0] == a:
            return "ES107"
        if b.function in ("IFERROR", "IFNA") and inside[0] == a:
            return "ES122"
        if b.function == "ABS" and (inside[0] == a or inside[0] == _negated(a)):
            return "ES112"
        if b.function in ("MAX", "MIN", "MEDIAN") and any(_holds(i, a) for i in inside):
            return "ES118"
        if b.function == "IF" and any(i == a for i in inside[1:]):
            return "ES119" if any(isinstance(n, Text) for n in walk(inside[0])) else "ES108"
    return None


def _holds(expr: Expr, part: Expr) -> bool:
    return any(node == part for node in walk(expr))


def _negated(expr: Expr) -> Expr:
    if isinstance(expr, Binary) and expr.operator == "-":
        return Binary("-", expr.right, expr.left)
    return Unary("-", expr)


def _key(area: Area) -> Key:
    return (area.sheet or "", area.row, area.column)


def _part(a: Expr, b: Expr, expected: Expr, found: Expr, roles: Roles, key: Key) -> str:
    if isinstance(a, Binary) and a.operator == "-" and (b == Binary("-", a.right, a.left)):
        return "ES101"
    if a == Unary("-", b) or b == Unary("-", a):
        return "ES115" if roles.get(key) == "R" and _mentions(a, roles, "D") else "ES101"
    if isinstance(a, Number) and isinstance(b, Number) and a.value == -b.value and a.value:
        return "ES121" if abs(a.value) > 10 else "ES101"
    if isinstance(a, Binary) and a.operator == "/" and b == a.left:
        return "ES102"
    if isinstance(a, Binary) and a.operator == "-" and b == a.left:
        return "ES117"
    if _is_power(a) and isinstance(b, Call) and b.function == "EXP":
        return "ES111"
    if isinstance(a, Binary) and isinstance(b, Binary) and (a.left, a.right) == (b.left, b.right):
        return _operator(a, b, roles, key)
    if isinstance(a, Binary) and isinstance(b, Binary) and a.operator == "^" and b.operator == "^":
        return "ES111"
    if a == Number(0.5) and isinstance(b, (Number, Text, Logical)):
        return "ES104"
    if isinstance(a, Number) and isinstance(b, Number):
        return _numbers(a.value, expected, roles, key)
    if isinstance(a, Area) and isinstance(b, Number):
        return "ES105"
    if isinstance(a, Area) and isinstance(b, Area):
        return _areas(a, b, roles, key)
    if (
        isinstance(a, Call)
        and isinstance(b, Call)
        and {a.function, b.function} <= {"LOOKUP", "XLOOKUP", "INDEX", "VLOOKUP"}
    ):
        return "ES123"
    if (
        isinstance(b, Binary)
        and b.operator in "*+"
        and any(isinstance(n, Text) for n in walk(b))
        and not any(isinstance(n, Text) for n in walk(a))
    ):
        return "ES119"
    if (
        isinstance(a, Call)
        and a.function in ("LOOKUP", "INDEX", "XLOOKUP", "IFERROR")
        and isinstance(b, (Area, Number))
    ):
        return "ES124" if isinstance(b, Area) else "ES105"
    if (
        isinstance(b, Call)
        and b.function in ("INDEX", "VLOOKUP")
        and any(isinstance(n, Call) and n.function == "MATCH" and n.arguments[-1:] == (Number(0.0),) for n in walk(b))
    ):
        return "ES123"
    return "ES108"


_OF_CHANGES = {"SUMIF", "SUMIFS", "SUMPRODUCT"}
_OF_A_MARGIN = {"ABS", "LN", "LOG", "LOG10", "SQRT"}


def _is_power(a: Expr) -> bool:
    return isinstance(a, Binary) and a.operator == "^"


def _operator(a: Binary, b: Binary, roles: Roles, key: Key) -> str:
    comparisons = {"<", ">", "<=", ">="}
    if a.operator in comparisons and b.operator in comparisons:
        return "ES113" if roles.get(key) == "E" else "ES120"
    if {a.operator, b.operator} == {"+", "-"}:
        if roles.get(key) == "E" or (roles.get(key) is None and isinstance(a.right, Number)):
            return "ES121"
        if roles.get(key) == "R" or _mentions(a.right, roles, "D") or _mentions(a.right, roles, "E"):
            return "ES115"
        functions = {n.function for n in walk(a.right) if isinstance(n, Call)}
        return "ES115" if functions & _OF_CHANGES else "ES103" if functions & _OF_A_MARGIN else "ES121"
    return "ES103"


def _mentions(expr: Expr, roles: Roles, role: str) -> bool:
    return any(isinstance(n, Area) and roles.get(_key(n)) == role for n in walk(expr))


def _numbers(a: float, expected: Expr, roles: Roles, key: Key) -> str:
    """The kind of a changed literal; what it stands for is told by its place in the formula."""
    rated = roles.get(key) is not None or any(_mentions(expected, roles, role) for role in ("E", "D", "S"))
    if roles.get(key) == "K":
        return "ES120"
    for node in walk(expected):
        if isinstance(node, Binary) and node.operator == "/" and node.right == Number(a):
            return "ES110"
        if isinstance(node, Binary) and node.operator == "^" and node.left == Number(a):
            return "ES111"
        if isinstance(node, Binary) and node.operator == "*" and Number(a) in (node.left, node.right):
            return "ES120" if rated else "ES108"  # the points for a win are no K
    return "ES105" if abs(a) >= LEAST_START else "ES108"


def _areas(a: Area, b: Area, roles: Roles, key: Key) -> str:
    if not a.single or not b.single:
        if a.single != b.single:
            return "ES106"
        line = a.row == a.bottom and b.row == b.bottom and b.row < a.row - 1
        if line and (a.sheet, a.column, a.right) == (b.sheet, b.column, b.right):
            return "ES124"  # everybody's ratings after another game than the last
        if (a.sheet, a.column, a.right) == (b.sheet, b.column, b.right):
            inside = b.row >= a.row and b.bottom <= a.bottom
            return "ES125" if inside else "ES106"
        if (a.sheet, a.row, a.bottom) == (b.sheet, b.row, b.bottom):
            inside = b.column >= a.column and b.right <= a.right
            return "ES125" if inside else "ES106"
        return "ES106"
    was, now = roles.get(_key(a)), roles.get(_key(b))
    if a.row == b.row or (a.column != b.column):
        if was == now == "E" or (was == "E" and now == "E'"):
            return "ES113"
        if was == now == "K":
            return "ES120"
        if was in ("B", "O") and now == "R":
            return "ES116"
        if was in ("B", "O") and now in ("B", "O") and roles.get(key) == "R":
            return "ES114"
    return "ES106"


def same_but_k(a: Expr, b: Expr) -> bool:
    """Whether two formulas differ in numbers of the size of a K alone: it was set anew on a day."""
    if isinstance(a, Number) and isinstance(b, Number):
        return a == b or min(a.value, b.value) >= LEAST_K
    if isinstance(a, Binary) and isinstance(b, Binary):
        plain = a.operator == b.operator and a.operator in "*+-"
        return (plain or a == b) and same_but_k(a.left, b.left) and same_but_k(a.right, b.right)
    return a == b
