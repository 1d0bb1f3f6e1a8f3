"""The known ways to get a rating formula wrong, each undone: what a formula may have been meant to be.

`candidates` yields formulas that differ from the given one by one undone mistake, with the code of the mistake. It
proves nothing; whoever asks probes which of them behaves as a rating formula does.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import product

from elo_sheets.expr import Binary, Call, Expr, Logical, Number, Text, Unary, walk
from elo_sheets.recognise.model import Area, Form, with_areas

Candidate = tuple[str, Expr]
TURNED = {"+": "-", "-": "+"}
LIMITS = ("MAX", "MIN", "MEDIAN")
ROUNDERS = ("ROUND", "ROUNDUP", "ROUNDDOWN", "INT", "TRUNC")
ONE, TEN, HALF = Number(1.0), Number(10.0), Number(0.5)


def candidates(tree: Expr, scales: Sequence[Expr] = (Number(400.0),)) -> Iterator[Candidate]:
    """Yield (code, formula) for each mistake that the formula may hold, undone; `scales` are what may divide."""
    words = {side for node in walk(tree) if isinstance(node, Binary) and isinstance(node.right, Text)
             for side in walk(node.left)}  # fmt: skip
    for node, rebuilt in places(tree):
        for code, new in _undone(node, scales):
            if new != node and not (code == "ES113" and node in words):  # a word has no complement
                yield code, rebuilt(new)


def scales_in(forms: Iterable[Form], most: int) -> list[Number]:
    """Return the numbers that most formulas divide by, 400 where there are none."""
    divisions = (node for form in dict.fromkeys(forms) for node in walk(form.tree) if isinstance(node, Binary))
    numbers = (node.right for node in divisions if node.operator == "/" and isinstance(node.right, Number))
    found = Counter(number for number in numbers if number.value >= 50)
    return [scale for scale, _ in found.most_common(most)] or [Number(400.0)]


def with_references(tree: Expr, others: Sequence[Area]) -> Iterator[Expr]:
    """Yield the formula with one of its single references replaced by one of `others`, everywhere or in one place."""
    areas = [area for area in walk(tree) if isinstance(area, Area) and area.single]
    for often, other in product(dict.fromkeys(one for one in areas if areas.count(one) > 1), others):
        if other != often:
            yield with_areas(tree, lambda area, often=often, other=other: other if area == often else area)  # type: ignore[misc]
    for node, rebuilt in places(tree):
        if isinstance(node, Area) and node.single:
            for other in others:
                if other != node:
                    yield rebuilt(other)


def with_literals_as(tree: Expr, others: Sequence[tuple[Area, float | None]]) -> Iterator[Expr]:
    """Yield the formula with one of its numbers replaced by a reference, cells of the same value first."""
    for node, rebuilt in places(tree):
        if isinstance(node, Number):
            for other, _ in sorted(others, key=lambda o: o[1] != node.value):
                yield rebuilt(other)


def places(tree: Expr) -> Iterator[tuple[Expr, Callable[[Expr], Expr]]]:
    """Yield every node of a formula with a function that puts another in its place."""
    yield tree, lambda new: new
    if isinstance(tree, Unary):
        for node, rebuilt in places(tree.operand):
            yield node, lambda new, r=rebuilt: Unary(tree.operator, r(new))  # type: ignore[misc]
    elif isinstance(tree, Binary):
        for node, rebuilt in places(tree.left):
            yield node, lambda new, r=rebuilt: Binary(tree.operator, r(new), tree.right)  # type: ignore[misc]
        for node, rebuilt in places(tree.right):
            yield node, lambda new, r=rebuilt: Binary(tree.operator, tree.left, r(new))  # type: ignore[misc]
    elif isinstance(tree, Call):
        for at, argument in enumerate(tree.arguments):
            if argument is None:
                continue
            for node, rebuilt in places(argument):
                yield (
                    node,
                    lambda new, r=rebuilt, i=at: Call(  # type: ignore[misc]
                        tree.function, (*tree.arguments[:i], r(new), *tree.arguments[i + 1 :])
                    ),
                )


def takes_off_complement(tree: Expr) -> bool:
    """Return whether a formula takes off one minus something, as the opponent's expectation is written.

    >>> from elo_sheets.formula import parse
    >>> takes_off_complement(parse("K*(S-(1-E))")), takes_off_complement(parse("K*(1-E)"))
    (True, False)
    """
    return any(
        isinstance(n, Binary)
        and n.operator == "-"
        and isinstance(n.right, Binary)
        and n.right.operator == "-"
        and n.right.left == ONE
        for n in walk(tree)
    )


def _undone(node: Expr, scales: Sequence[Expr]) -> Iterator[Candidate]:
    if isinstance(node, Binary):
        yield from _operators(node)
        yield from _powers(node, scales)
        yield from _brackets(node)
        yield from _terms(node)
    elif isinstance(node, Unary):
        yield "ES101", node.operand
    elif isinstance(node, Call):
        yield from _wrappers(node, scales)
    elif isinstance(node, Number):
        yield from _numbers(node, scales)
    if isinstance(node, Area) and node.single:
        yield "ES113", Binary("-", ONE, node)


def _operators(node: Binary) -> Iterator[Candidate]:
    left, right, sign = node.left, node.right, node.operator
    if sign == "-":
        yield "ES101", Binary("-", right, left)
        yield "ES115", Binary("+", left, right)
        yield "ES113", right if left == ONE else node
    elif sign == "+":
        yield "ES115", Binary("-", left, right)
    elif sign == "*":
        yield "ES103", Binary("^", left, right)
        if not (isinstance(right, Binary) and right.operator == "-"):  # nobody divides by a difference
            yield "ES103", Binary("/", left, right)
    elif sign == "/":
        yield "ES103", Binary("*", left, right)
        yield "ES103", Binary("-", left, right)
    elif sign == "^":
        yield "ES103", Binary("*", left, right)
    if sign in ("<", ">", "<=", ">="):
        other = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}[sign]
        yield "ES120", Binary(other, left, right)


def _powers(node: Binary, scales: Sequence[Expr]) -> Iterator[Candidate]:
    left, right = node.left, node.right
    if node.operator == "^" and not isinstance(right, Number):  # a square is none of a curve's
        if not any(isinstance(n, Binary) and n.operator == "-" for n in walk(right)):
            yield "ES101", Binary("^", left, _minus(right))
        if isinstance(left, Number) and left != TEN:
            yield "ES111", Binary("^", TEN, right)
        for scale in scales:
            yield "ES102", Binary("^", left, Binary("/", right, scale))
            if isinstance(right, Binary) and right.operator in "*-+" and right.right == scale:
                yield "ES103", Binary("^", left, Binary("/", right.left, scale))
    if node.operator == "/" and isinstance(left, Binary) and left.operator == "^":  # 10^(a-b)/400
        yield "ES103", Binary("^", left.left, Binary("/", left.right, right))
    if node.operator == "*" and left == TEN:
        for scale in scales:
            yield "ES103", Binary("^", TEN, Binary("/", right, scale))


def _brackets(node: Binary) -> Iterator[Candidate]:
    """Formulas in which a pair of brackets is missing."""
    left, right, sign = node.left, node.right, node.operator
    if sign == "+" and isinstance(left, Binary) and left.operator == "/":  # 1/1+10^x
        yield "ES103", Binary("/", left.left, Binary("+", left.right, right))
    if sign == "/" and _is_power(right):  # 1/10^x
        yield "ES103", Binary("/", left, Binary("+", ONE, right))
    if sign in "+-" and isinstance(right, Binary) and right.operator == "/":  # a-b/400
        yield "ES103", Binary("/", Binary(sign, left, right.left), right.right)
        if _is_power(left) and isinstance(left, Binary):  # 10^a-b/400
            yield "ES103", Binary("^", left.left, Binary("/", Binary(sign, left.right, right.left), right.right))
    if sign == "-" and isinstance(left, Binary):
        if left.operator == "*" and isinstance(right, Binary) and right.operator == "/":  # LN(10)*a-b/400
            difference = Binary("-", left.right, right.left)
            yield "ES103", Binary("*", left.left, Binary("/", difference, right.right))
            yield "ES103", Binary("/", Binary("*", left.left, difference), right.right)
        if left.operator == "*":  # K*S-E
            yield "ES103", Binary("*", left.left, Binary("-", left.right, right))
        inner = left.right
        if left.operator in "+-" and isinstance(inner, Binary) and inner.operator == "*":  # R+K*S-E
            product = Binary("*", inner.left, Binary("-", inner.right, right))
            yield "ES103", Binary(left.operator, left.left, product)
    if sign == "*" and isinstance(left, Binary) and left.operator in "+-":  # (R+K)*(S-E)
        yield "ES103", Binary(left.operator, left.left, Binary("*", left.right, right))
    if sign == "+" and isinstance(right, Binary) and right.operator == "^":  # n+5^0.4
        yield "ES103", Binary("^", Binary("+", left, right.left), right.right)
    if sign == "+" and isinstance(left, Binary) and left.operator == "^":  # 10^x+y
        yield "ES103", Binary("^", left.left, Binary("+", left.right, right))


def _terms(node: Binary) -> Iterator[Candidate]:
    """Factors and summands that do not belong: a term for one player, a bonus, a doubled K."""
    for keep, term in ((node.left, node.right), (node.right, node.left)):
        if node.operator in "+*" or (node.operator in "-/" and keep is node.left):
            conditional = any(isinstance(n, Call) and n.function.startswith("IF") for n in walk(term))
            named = any(isinstance(n, Text) for n in walk(term))
            volatile = any(isinstance(n, Call) and n.function in ("TODAY", "NOW", "RAND") for n in walk(term))
            if volatile:
                yield "ES506", keep
            elif conditional and named:
                yield "ES119", keep
            elif conditional or isinstance(term, (Number, Logical)):
                yield "ES108", keep


def _wrappers(node: Call, scales: Sequence[Expr]) -> Iterator[Candidate]:
    given = [argument for argument in node.arguments if argument is not None]
    if node.function == "ABS" and given:
        yield "ES112", given[0]
        yield "ES112", _minus(given[0])
    elif node.function == "EXP" and given:
        yield "ES111", Binary("^", TEN, given[0])
        log = Call("LN", (TEN,))
        yield "ES111", Call("EXP", (Binary("*", log, given[0]),))
        if isinstance(given[0], Binary) and given[0].operator == "/":
            yield "ES111", Call("EXP", (Binary("/", Binary("*", log, given[0].left), given[0].right),))
        for scale in scales:
            yield "ES102", Call("EXP", (Binary("/", given[0], scale),))
    elif node.function in ROUNDERS and given:
        yield "ES107", given[0]
    elif node.function in LIMITS:
        for one in given:
            if not isinstance(one, Number):
                yield "ES118", one
            if isinstance(one, Call) and one.function in LIMITS:
                inner = [a for a in one.arguments if a is not None and not isinstance(a, Number)]
                yield from (("ES118", a) for a in inner)
    elif node.function in ("IFERROR", "IFNA") and given:
        yield "ES122", given[0]
    elif node.function == "IF" and len(given) > 1:
        named = any(isinstance(n, Text) and n.value for n in walk(given[0]))
        for one in given[1:]:
            if not isinstance(one, (Number, Text)):
                yield "ES119" if named else "ES118", one
    elif node.function == "LN" and given:
        yield "ES111", Call("LOG10", (given[0],))
    elif node.function in ("LOG", "LOG10") and len(given) == 1:
        yield "ES111", Call("LN", (given[0],))


def _numbers(node: Number, scales: Sequence[Expr]) -> Iterator[Candidate]:
    value = node.value
    if value not in (0.0, 1.0, 0.5, 10.0, 100.0, 2.0):
        for scale in scales:
            yield "ES110" if value > 20 else "ES111", scale
        if 1 < value < 20 and not math.isclose(value, 10):
            yield "ES111", TEN
    if 0 <= value <= 1 and value != 0.5:
        yield "ES104", HALF
    if value in (0.0, 0.5):
        yield "ES108", ONE


def _is_power(node: Expr) -> bool:
    return isinstance(node, Binary) and node.operator == "^"


def _minus(expr: Expr) -> Expr:
    if isinstance(expr, Unary) and expr.operator == "-":
        return expr.operand
    if isinstance(expr, Binary) and expr.operator == "-":
        return Binary("-", expr.right, expr.left)
    return Unary("-", expr)


_REFERENCE = re.compile(r"\$?[A-Z]{1,3}\$?[1-9]\d*")


def anchored(text: str, like: str) -> str:
    """Return a formula with the anchors that the same references have in another formula.

    >>> anchored("B3*(C7-D7)", "$B$3*(D7-C7)")
    '$B$3*(C7-D7)'
    >>> anchored("RANK(C5,C5:C14)", "RANK(C5,C$5:C$12)")
    'RANK(C5,C$5:C$14)'
    >>> anchored("SUM(E2:E9)", "SUM($D$2:$D9)")
    'SUM($E$2:$E9)'
    """
    old, new = list(_REFERENCE.finditer(like)), list(_REFERENCE.finditer(text))
    plain = [match[0].replace("$", "") for match in old]
    known = dict(zip(plain, (match[0] for match in old), strict=True))
    spelt = [known.get(match[0], match[0]) for match in new]
    steps = SequenceMatcher(None, plain, [match[0] for match in new], autojunk=False).get_opcodes()
    for kind, first, last, at, end in steps:  # one cell may stand there twice, with other anchors
        for one, two in zip(range(first, last), range(at, end), strict=False):
            ends = kind == "replace" and _corner(like, old[one]) and _corner(like, old[one]) == _corner(text, new[two])
            if kind == "equal" or ends:
                spelt[two] = _with_anchors(new[two][0], old[one][0])
    found = iter(spelt)
    return _REFERENCE.sub(lambda _: next(found), text)


def _corner(text: str, match: re.Match[str]) -> int:
    """Which corner of a range a reference is: the first or the second, 0 for none."""
    return 2 if text[: match.start()].endswith(":") else int(text[match.end() :].startswith(":"))


def _with_anchors(cell: str, like: str) -> str:
    letters = cell.rstrip("0123456789")
    return f"{'$' * like.startswith('$')}{letters}{'$' * ('$' in like[1:])}{cell[len(letters) :]}"
