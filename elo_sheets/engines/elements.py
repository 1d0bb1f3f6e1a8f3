"""Sums over ranges that an engine does not take element by element, spelt as the sum of their elements."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from functools import lru_cache

from elo_sheets.errors import EloSheetsError
from elo_sheets.expr import Binary, Call, Expr, Ref, Unary, is_condition, walk
from elo_sheets.files.references import cell_name, parse_range
from elo_sheets.formula import parse, to_formula

# Functions that ironcalc 0.9 takes element by element over a range, in a sum of products.
TAKEN = {"ABS", "CHOOSE", "IF", "IFERROR", "INT", "POWER", "SIGN", "ROW", "COLUMN", "SUMIF"}
TAKEN_IN_ARRAYS = TAKEN | {"MONTH", "YEAR", "DAY", "LEFT", "RIGHT", "MID", "LEN"}
LOGICAL = set("ISNUMBER ISTEXT ISNONTEXT ISBLANK ISERROR ISERR ISNA ISLOGICAL ISEVEN ISODD EXACT".split())
OVER_NUMBERS = {"AVERAGE", "MEDIAN", "COUNT"}  # of an array they take what an IF does not give for a number
# Functions that read some of their arguments as ranges: the places of those that they do not, the first and the end, or
# the first of every other one.
ONE_BY_ONE = {
    **dict.fromkeys(("COUNTIF", "SUMIF", "AVERAGEIF", "LARGE", "SMALL"), (1, 2)),
    **dict.fromkeys(("MATCH", "VLOOKUP", "HLOOKUP", "LOOKUP", "RANK"), (0, 1)),
    "INDEX": (1, 3),
}
EVERY_OTHER = {"COUNTIFS": 1, "SUMIFS": 2, "AVERAGEIFS": 2, "MAXIFS": 2, "MINIFS": 2}
OF_RANGES = set(
    "SUM SUMPRODUCT SUMSQ MAX MIN AVERAGE COUNT COUNTA COUNTBLANK MEDIAN STDEV STDEV.S STDEV.P STDEVP VAR PRODUCT AND"
    " OR ROWS COLUMNS CONCAT CONCATENATE TEXTJOIN OFFSET INDIRECT TRANSPOSE MMULT PERCENTRANK RANK.EQ RANK.AVG CORREL"
    "".split()
)
MOST = 2000  # elements of a sum
_AREA = re.compile(
    r"(?P<sheet>(?:(?:'(?:[^']|'')+'|[\w.]+)!)?)(?P<area>\$?[A-Za-z]{1,3}\$?\d{1,7}:\$?[A-Za-z]{1,3}\$?\d{1,7})"
)
_ROW = re.compile(r'\{(?:[-+]?[\d.]+|"[^",]*")(?:,(?:[-+]?[\d.]+|"[^",]*"))*\}')
Shape = tuple[int, int]


@lru_cache(maxsize=65536)
def by_elements(formula: str, of_array: bool = False) -> str:
    """Return a formula in which SUMPRODUCT, and SUM in an array formula, adds up its elements where a function in it
    takes no range.

    >>> by_elements("SUMPRODUCT(ISNUMBER(A1:A2)*B1:B2)")
    'SUM(ISNUMBER(A1)*B1,ISNUMBER(A2)*B2)'
    """
    try:
        tree = parse(formula)
    except EloSheetsError:
        return formula
    new = _spelt(tree, of_array)
    return formula if new is tree else to_formula(new)


@lru_cache(maxsize=65536)
def is_beyond(formula: str, of_array: bool) -> bool:
    """Return whether an engine computes a formula wrongly in which a function takes no range, and no sum says so."""
    try:
        tree = parse(formula)
    except EloSheetsError:
        return False
    taken = TAKEN_IN_ARRAYS if of_array else TAKEN
    calls = (node for node in walk(tree) if isinstance(node, Call))
    over = OF_RANGES | {"LARGE", "SMALL", "MATCH", "LOOKUP"} if of_array else {"SUMPRODUCT"}
    return any(
        one is not None and (_is_lost(one, taken) or (of_array and _is_open(call, one)))
        for call in calls
        if call.function in over or _is_of_several(call)
        for one in call.arguments
    )


def _is_open(call: Call, one: Expr) -> bool:
    """Whether an average takes what an IF says of nothing, which is FALSE, for a number."""
    return call.function in OVER_NUMBERS and isinstance(one, Call) and one.function == "IF" and len(one.arguments) == 2


def _spelt(tree: Expr, of_array: bool) -> Expr:
    if isinstance(tree, Call):
        arguments = tuple(None if one is None else _spelt(one, of_array) for one in tree.arguments)
        same = all(a is b for a, b in zip(arguments, tree.arguments, strict=True))
        new = tree if same else Call(tree.function, arguments)
        sums = new.function == "SUMPRODUCT" or (of_array and new.function == "SUM") or _is_of_several(new)
        return _sum(new) if sums else new
    if isinstance(tree, Unary):
        operand = _spelt(tree.operand, of_array)
        return tree if operand is tree.operand else Unary(tree.operator, operand)
    if isinstance(tree, Binary):
        left, right = _spelt(tree.left, of_array), _spelt(tree.right, of_array)
        same = left is tree.left and right is tree.right
        return tree if same else Binary(tree.operator, left, right)
    return tree


def _is_of_several(call: Call) -> bool:
    """Whether a call sums up, or averages, several of the largest or smallest numbers: `SUM(LARGE(A1:A9,{1,2}))`."""
    one = call.arguments[0] if len(call.arguments) == 1 and call.function in ("SUM", "AVERAGE") else None
    return isinstance(one, Call) and one.function in ("LARGE", "SMALL") and any(_shapes(one))


def _sum(call: Call) -> Expr:
    """The sum of a call's elements, itself where the engine takes what is in it or its elements are not all known.

    What says TRUE and is made no number counts as nothing in Excel and as one in LibreOffice: it is left as well.
    """
    given = [one for one in call.arguments if one is not None]
    if len(given) < len(call.arguments) or not any(_is_lost(one) for one in given) or any(map(_is_logical, given)):
        return call
    shapes = {shape for one in given for shape in _shapes(one)}
    if len(shapes) != 1 or None in shapes:
        return call
    ((rows, columns),) = (shape for shape in shapes if shape is not None)
    if rows * columns > MOST:
        return call
    places = [(row, column) for row in range(rows) for column in range(columns)]
    terms = []
    for place in places:
        parts = [_element(one, place) for one in given]
        if len(parts) > 1 or not isinstance(parts[0], Binary):  # a text counts as nothing, but in arithmetic
            parts = [Call("N", (part,)) for part in parts]
        term = parts[0]
        for part in parts[1:]:
            term = Binary("*", term, part)
        terms.append(term)
    return Call(call.function.removesuffix("PRODUCT"), tuple(terms))


def _is_logical(one: Expr) -> bool:
    return is_condition(one) or (isinstance(one, Call) and one.function in LOGICAL)


def _scalars(call: Call) -> list[int]:
    """The places of the arguments that are taken one by one."""
    name, count = call.function.removeprefix("_XLFN."), len(call.arguments)
    if name in ONE_BY_ONE:
        first, end = ONE_BY_ONE[name]
        return [*range(first, min(end, count))]
    if name in EVERY_OTHER:
        return [*range(EVERY_OTHER[name], count, 2)]
    return [] if name in OF_RANGES else [*range(count)]


def _is_lost(tree: Expr, taken: Container[str] = frozenset(TAKEN)) -> bool:
    """Whether a function that the engine does not take element by element is given a range for a single value."""
    if isinstance(tree, Unary):
        return _is_lost(tree.operand, taken)
    if isinstance(tree, Binary):
        return _is_lost(tree.left, taken) or _is_lost(tree.right, taken)
    if not isinstance(tree, Call):
        return False
    given = [one for at in _scalars(tree) if (one := tree.arguments[at]) is not None]
    whole = tree.function.removeprefix("_XLFN.") in taken
    return any(_is_lost(one, taken) or (not whole and any(_shapes(one))) for one in given)


def _shapes(tree: Expr) -> Iterator[Shape | None]:
    """The shapes of what is taken element by element; None for an array that is no range."""
    if isinstance(tree, Ref):
        if (row := _ROW.fullmatch(tree.name)) is not None:
            yield 1, row[0].count(",") + 1
        elif tree.name.startswith("{"):
            yield None
        elif (match := _AREA.fullmatch(tree.name)) is not None:
            top, left, bottom, right = parse_range(match["area"])
            yield bottom - top + 1, right - left + 1
    elif isinstance(tree, Unary):
        yield from _shapes(tree.operand)
    elif isinstance(tree, Binary):
        yield from _shapes(tree.left)
        yield from _shapes(tree.right)
    elif isinstance(tree, Call):
        for at in _scalars(tree):
            if (one := tree.arguments[at]) is not None:
                yield from _shapes(one)


def _element(tree: Expr, place: tuple[int, int]) -> Expr:
    if isinstance(tree, Ref):
        if _ROW.fullmatch(tree.name) is not None:
            return parse(tree.name[1:-1].split(",")[place[1]])
        match = _AREA.fullmatch(tree.name)
        if match is None:
            return tree
        top, left, _, _ = parse_range(match["area"])
        return Ref(f"{match['sheet']}{cell_name(top + place[0], left + place[1])}")
    if isinstance(tree, Unary):
        return Unary(tree.operator, _element(tree.operand, place))
    if isinstance(tree, Binary):
        return Binary(tree.operator, _element(tree.left, place), _element(tree.right, place))
    if isinstance(tree, Call):
        single = _scalars(tree)
        return Call(
            tree.function,
            tuple(
                one if one is None or at not in single else _element(one, place)
                for at, one in enumerate(tree.arguments)
            ),
        )
    return tree


__all__ = ["by_elements", "is_beyond"]
