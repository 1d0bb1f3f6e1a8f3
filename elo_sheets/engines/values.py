"""Values as a spreadsheet reckons with them: numbers, texts, error values, areas, and how operators take them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from operator import add, mul, sub
from typing import Any

from elo_sheets.files.cells import CellError

NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*(%?)\s*$")

VALUE, DIV0, NA, NUM, NAME, REFERENCE = map(CellError, ("#VALUE!", "#DIV/0!", "#N/A", "#NUM!", "#NAME?", "#REF!"))


class Unsupported(Exception):
    """Raised inside when a formula needs what the interpreter does not know."""


class Array:
    """Rows of values, from an area or an array operation."""

    __slots__ = ("_places", "area", "rows")

    def __init__(self, rows: list[list[Any]], area: Any = None) -> None:
        self.rows = rows
        self.area = area
        self._places: dict[tuple[type, Any], list[int]] | None = None

    def flat(self) -> Iterator[Any]:
        for row in self.rows:
            yield from row

    def places(self) -> Iterable[tuple[Any, list[int]]]:
        """Each value that there is, with its places in `flat`: long columns hold few names, each many times."""
        if self._places is None:
            self._places = {}
            for place, value in enumerate(self.flat()):
                self._places.setdefault((type(value), value), []).append(place)
        return ((value, places) for (_, value), places in self._places.items())

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.rows[0]) if self.rows else 0


class Fault(Exception):
    """An error value on its way out of a computation."""

    def __init__(self, error: CellError) -> None:
        self.error = error


def to_number(value: Any) -> float:
    """Return a value as arithmetic takes it; raises `Fault` for an error value or a text that is no number."""
    if value is None:
        return 0.0
    if isinstance(value, CellError):
        raise Fault(value)
    if isinstance(value, (bool, int, float)):
        return float(value)
    if isinstance(value, str):
        match = NUMBER.match(value)
        if match is not None:
            text = value.strip()
            return float(text.rstrip("% ")) / (100.0 if match[3] else 1.0)
        raise Fault(VALUE)
    if isinstance(value, Array):
        return to_number(value.rows[0][0])
    raise Unsupported(repr(value))


def to_text(value: Any) -> str:
    """Return a value as joining takes it."""
    if value is None:
        return ""
    if isinstance(value, CellError):
        raise Fault(value)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        return str(int(value)) if value == int(value) and abs(value) < 1e15 else f"{value:.15g}"
    if isinstance(value, Array):
        return to_text(value.rows[0][0])
    return str(value)


def to_bool(value: Any) -> bool:
    """Return a value as a condition takes it."""
    if isinstance(value, str) and not isinstance(value, CellError):
        if value.upper() in ("TRUE", "FALSE"):
            return value.upper() == "TRUE"
        raise Fault(VALUE)
    return to_number(value) != 0


def type_order(value: Any) -> int:
    """Return where a value stands among the types, as comparisons order them: numbers, texts, truth values."""
    if isinstance(value, bool):
        return 2
    return 1 if isinstance(value, str) else 0


def compare(a: Any, b: Any) -> int:
    """Return −1, 0 or 1: how two values compare, blanks taken as the other side's nothing, texts without case."""
    if a is b:
        return 0
    if a is None:
        a = "" if isinstance(b, str) else False if isinstance(b, bool) else 0.0
    if b is None:
        b = "" if isinstance(a, str) else False if isinstance(a, bool) else 0.0
    kinds = type_order(a), type_order(b)
    if kinds[0] != kinds[1]:
        return -1 if kinds[0] < kinds[1] else 1
    if kinds[0] == 1:
        a, b = a.casefold(), b.casefold()
    elif isinstance(a, float) and isinstance(b, float) and math.isclose(a, b, rel_tol=1e-15):
        return 0
    return int(a > b) - int(a < b)


PLAIN: dict[str, Callable[[float, float], float]] = {"+": add, "-": sub, "*": mul}
COUNTED = frozenset({float, int, bool})  # types that arithmetic takes as they are

COMPARISONS: dict[str, Callable[[int], bool]] = {
    "=": lambda c: c == 0,
    "<>": lambda c: c != 0,
    "<": lambda c: c < 0,
    ">": lambda c: c > 0,
    "<=": lambda c: c <= 0,
    ">=": lambda c: c >= 0,
}


def binary(operator: str, a: Any, b: Any) -> Any:
    """Return what an operator makes of two single values; error values pass through."""
    if type(a) is float and type(b) is float and (plain := PLAIN.get(operator)) is not None:
        return plain(a, b)
    try:
        if isinstance(a, CellError):
            return a
        if isinstance(b, CellError):
            return b
        if operator in COMPARISONS:
            return COMPARISONS[operator](compare(a, b))
        if operator == "&":
            return to_text(a) + to_text(b)
        x, y = to_number(a), to_number(b)
        if operator == "+":
            return x + y
        if operator == "-":
            return x - y
        if operator == "*":
            return x * y
        if operator == "/":
            return x / y if y else DIV0
        if operator == "^":
            if x == 0 and y <= 0:
                return NUM if y == 0 else DIV0
            result = x**y
            return NUM if isinstance(result, complex) else result
    except Fault as fault:
        return fault.error
    except OverflowError:
        return NUM
    raise Unsupported(operator)


@cache
def operation(operator: str) -> Callable[[Any, Any], Any]:
    """Return `binary` of an operator, with a short way for what long columns hold."""
    if (plain := PLAIN.get(operator)) is not None:
        return lambda a, b: float(plain(a, b)) if type(a) in COUNTED and type(b) in COUNTED else binary(operator, a, b)
    if operator == "/":
        return lambda a, b: a / b if b and type(a) in COUNTED and type(b) in COUNTED else binary(operator, a, b)
    if operator in ("=", "<>"):
        wanted = operator == "="
        return lambda a, b: (
            (a == b or a.casefold() == b.casefold()) is wanted
            if type(a) is str and type(b) is str
            else binary(operator, a, b)
        )
    return partial(binary, operator)


def each(function: Callable[..., Any], *given: Any) -> Any:
    """Apply a function to single values, item by item where arrays are given."""
    shapes = [g.shape for g in given if isinstance(g, Array)]
    if not shapes:
        return function(*given)
    height, width = max(rows for rows, _ in shapes), max(columns for _, columns in shapes)
    spread = [_spread(one, height, width) for one in given]
    if width == 1:
        columns = ([row[0] for row in rows] for rows in spread)
        return Array([[one] for one in map(function, *columns)])
    return Array([list(map(function, *rows)) for rows in zip(*spread, strict=True)])


def _spread(value: Any, height: int, width: int) -> list[list[Any]]:
    """Return a value as so many rows: a single value, row or column again and again, #N/A where an array ends."""
    if not isinstance(value, Array):
        return [[value] * width] * height
    rows, columns = value.shape
    found = value.rows
    if columns != width:
        found = [row * width if columns == 1 else row + [NA] * (width - columns) for row in found]
    return found * height if rows == 1 else found + [[NA] * width] * (height - rows)
