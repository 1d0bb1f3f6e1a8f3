"""Traced expressions as Python source, so that a rule runs without a call for each operation.

The source is plain Python over floats. It runs as it is, or compiled by numba; both give the same float64 results,
because it is the same arithmetic and the same mathematics library. What runs as it is does without calls where it can:
one takes as long as all arithmetic of a step.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

from elo_sheets.errors import FormulaError
from elo_sheets.expr import Binary, Call, Expr, Logical, Number, Ref, Text, Unary
from elo_sheets.ops import looked_up, normal_cdf_float, round_float

_OPERATORS = {"=": "==", "<>": "!="}
# What tells that a later argument is taken for the ones before it.
_EXTREMES = {"MIN": "<", "MAX": ">"}

# How a number is written, perhaps less than 0.
NUMBER = re.compile(r"\(?-?\d+\.\d+(?:e[+-]?\d+)?\)?")

_PLAIN_CALLS = {
    "ABS": "abs",
    "EXP": "_exp",
    "LN": "_log",
    "SQRT": "_sqrt",
    "NORMSDIST": "_normal_cdf",
    "SIGN": "_sign",
}


def fold(expr: Expr, values: Mapping[str, Any]) -> Expr:
    """Return the expression with some of its names replaced by text or truth values, and what these decide decided."""
    if isinstance(expr, Ref):
        value = values.get(expr.name)
        return Text(value) if isinstance(value, str) else expr
    if isinstance(expr, Unary):
        return Unary(expr.operator, fold(expr.operand, values))
    if isinstance(expr, Binary):
        left, right = fold(expr.left, values), fold(expr.right, values)
        if expr.operator in {"=", "<>"} and isinstance(left, Text) and isinstance(right, Text):
            return Logical((left == right) == (expr.operator == "="))
        return Binary(expr.operator, left, right)
    if isinstance(expr, Call):
        arguments = tuple(None if a is None else fold(a, values) for a in expr.arguments)
        if expr.function == "IF" and isinstance(arguments[0], Logical):
            chosen = arguments[1] if arguments[0].value else arguments[2]
            assert chosen is not None
            return chosen
        decided = _decided(expr.function, arguments)
        return Call(expr.function, arguments) if decided is None else decided
    return expr


def _decided(function: str, arguments: tuple[Expr | None, ...]) -> Expr | None:
    if function not in {"AND", "OR"}:
        return None
    stops = function == "OR"
    if any(a == Logical(stops) for a in arguments):
        return Logical(stops)
    open_ = [a for a in arguments if a is not None and not isinstance(a, Logical)]
    if not open_:
        return Logical(not stops)
    return open_[0] if len(open_) == 1 else None


def python(expr: Expr, name: Callable[[str], str], *, compiled: bool = True) -> str:
    """Return the expression as Python source; `name` says how each `Ref` is written.

    Without calls, which are needless where it is not `compiled`, values are named on the way, which numba refuses.
    A power is a call of `_power`, because compiled code has to be told that an overflow is an error, and a square is
    written as a product, because a compiler would make one of it, which may differ from `pow` in the last digit.
    Raises `FormulaError` for what rules are not written with.
    """
    temporary = (f"_{number}" for number in count())

    def write(node: Expr | None) -> str:
        if isinstance(node, Number):
            return repr(float(node.value))
        if isinstance(node, Logical):
            return repr(node.value)
        if isinstance(node, Ref):
            return name(node.name)
        if isinstance(node, Unary) and node.operator == "-":
            return f"(-{write(node.operand)})"
        if isinstance(node, Binary) and node.operator == "^" and node.right == Number(2):
            return f"_square({write(node.left)})"
        if isinstance(node, Binary) and node.operator == "^":
            return power(write(node.left), write(node.right), isinstance(node.left, Number) and node.left.value > 0)
        if isinstance(node, Binary) and node.operator != "&":
            return f"({write(node.left)} {_OPERATORS.get(node.operator, node.operator)} {write(node.right)})"
        if isinstance(node, Call):
            return call(node)
        raise FormulaError(f"expected arithmetic in a rule, got {node!r}")

    def named(value: str) -> tuple[str, str]:
        """Return how a value is written first, and how after that."""
        plain = value.isidentifier() or NUMBER.fullmatch(value)
        name = value if plain else next(temporary)
        return value if name == value else f"({name} := {value})", name

    def power(base: str, exponent: str, positive: bool) -> str:
        if compiled or not positive:
            return f"_power({base}, {exponent})"
        first, value = named(f"{base} ** {exponent}")
        return f"({value} if {first} != _inf else _power({value}, 1.0))"

    def extreme(values: Sequence[str], sign: str) -> str:
        if compiled:
            return f"{'min' if sign == '<' else 'max'}({', '.join(values)})"
        found = values[0]
        for value in values[1:]:
            (new, later), (old, before) = named(value), named(found)
            found = f"({later} if {new} {sign} {old} else {before})"
        return found

    def call(node: Call) -> str:
        if (found := looked_up(node)) is not None:
            table, value = found
            return f"_table_{table}({write(value)})"
        values = [write(argument) for argument in node.arguments]
        if node.function == "IF":
            return f"({values[1]} if {values[0]} else {values[2]})"
        if node.function in {"AND", "OR"}:
            return f"({f' {node.function.lower()} '.join(values)})"
        if node.function == "NOT":
            return f"(not {values[0]})"
        if node.function == "INT":
            return f"float(_floor({values[0]}))"
        if node.function == "ROUND":
            digits = node.arguments[1]
            assert isinstance(digits, Number)
            return f"_round({values[0]}, {10.0**digits.value!r})"
        if node.function == "NORMDIST":
            return f"(_exp(-({values[0]}) * ({values[0]}) / 2.0) / {math.sqrt(2 * math.pi)!r})"
        if node.function in _EXTREMES:
            return extreme(values, _EXTREMES[node.function])
        if node.function in _PLAIN_CALLS:
            return f"{_PLAIN_CALLS[node.function]}({', '.join(values)})"
        raise FormulaError(f"expected a function that rules are written with, got {node.function}")

    return write(expr)


def power_float(base: float, exponent: float) -> float:
    """Return a power; raises `ValueError` where it is no real number, `OverflowError` where it is too large."""
    if base < 0 and exponent != math.floor(exponent):
        raise ValueError("a negative number has no power that is not whole")
    result: float = base**exponent
    if abs(result) == math.inf:
        raise OverflowError("a power is too large")
    return result


def exp_float(value: float) -> float:
    """Return e to the power of a number; raises `OverflowError` where it is too large."""
    result = math.exp(value)
    if result == math.inf:
        raise OverflowError("a power of e is too large")
    return result


def log_float(value: float) -> float:
    """Return the natural logarithm; raises `ValueError` for what has none."""
    if value <= 0:
        raise ValueError("only a number above 0 has a logarithm")
    return math.log(value)


def sqrt_float(value: float) -> float:
    """Return the square root; raises `ValueError` for what has none."""
    if value < 0:
        raise ValueError("a negative number has no square root")
    return math.sqrt(value)


def square_float(value: float) -> float:
    """Return a number times itself."""
    return value * value


def sign_float(value: float) -> float:
    """Return 1, 0 or -1 by the sign of a number."""
    return 1.0 if value > 0 else (-1.0 if value < 0 else 0.0)


def support() -> dict[str, Any]:
    """Return the functions that the source calls; plain and compiled they raise the same errors."""
    return {
        "_power": power_float,
        "_inf": math.inf,
        "_square": square_float,
        "_exp": exp_float,
        "_log": log_float,
        "_sqrt": sqrt_float,
        "_floor": math.floor,
        "_round": round_float,
        "_normal_cdf": normal_cdf_float,
        "_sign": sign_float,
    }
