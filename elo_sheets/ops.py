"""The vocabulary that rules are written in.

Each function takes floats, NumPy arrays or traced expressions, in any mixture, and answers in kind: a float, a
column, or the expression that a cell computes. Rules use these instead of `if`, `min`, `round` or `math`, so
one source replays, becomes a formula, and judges.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from elo_sheets.expr import Binary, Call, Expr, Ref, binary, call, equal

# Just above the relative error of the few operations behind a rounded value: 2.675 * 100 counts as 267.5,
# as it does in a spreadsheet's ROUND.
_DECIMAL_SLACK = 1 + 2.0**-50

PI = math.pi

_ROOT_OF_TWO = math.sqrt(2)
_ROOT_OF_TWO_PI = math.sqrt(2 * math.pi)

# A limit that no difference of ratings reaches: "no cap" as a number that a cell can show.
NO_CAP = 1_000_000


def _read(excel: str, scalar: Callable[..., Any], vector: str, *values: Any) -> Any:
    if any(isinstance(value, Expr) for value in values):
        return call(excel, *values)
    if _has_array(values):
        import numpy

        return getattr(numpy, vector)(*values)
    return scalar(*values)


def _has_array(values: Sequence[Any]) -> bool:
    return any(getattr(value, "ndim", 0) for value in values)


def where(condition: Any, yes: Any, no: Any) -> Any:
    """Return `yes` where the condition holds and `no` elsewhere; some readings compute both.

    >>> where(3 > 2, "up", "down")
    'up'
    """
    return _read("IF", lambda c, a, b: a if c else b, "where", condition, yes, no)


def both(a: Any, b: Any) -> Any:
    """Return whether both conditions hold."""
    return _read("AND", lambda x, y: bool(x and y), "logical_and", a, b)


def either(a: Any, b: Any) -> Any:
    """Return whether at least one condition holds."""
    return _read("OR", lambda x, y: bool(x or y), "logical_or", a, b)


def negation(a: Any) -> Any:
    """Return whether a condition does not hold."""
    return _read("NOT", lambda x: not x, "logical_not", a)


def same(a: Any, b: Any) -> Any:
    """Return whether a value, a setting or a text equals another, as `a == b` does in a step."""
    return equal(a, b) if isinstance(a, Expr) or isinstance(b, Expr) else a == b


def minimum(a: Any, b: Any) -> Any:
    """Return the smaller value."""
    return _read("MIN", min, "minimum", a, b)


def maximum(a: Any, b: Any) -> Any:
    """Return the larger value."""
    return _read("MAX", max, "maximum", a, b)


def clip(value: Any, low: Any, high: Any) -> Any:
    """Return the value, held between `low` and `high`."""
    return maximum(low, minimum(high, value))


def absolute(value: Any) -> Any:
    """Return the value without its sign."""
    return _read("ABS", abs, "absolute", value)


def floor(value: Any) -> Any:
    """Return the largest whole number that is not above the value."""
    return _read("INT", lambda x: float(math.floor(x)), "floor", value)


def exp(value: Any) -> Any:
    """Return e to the power of the value."""
    return _read("EXP", math.exp, "exp", value)


def log(value: Any) -> Any:
    """Return the natural logarithm; guard the argument, not the branch."""
    return _read("LN", math.log, "log", value)


def sqrt(value: Any) -> Any:
    """Return the square root; guard the argument, not the branch."""
    return _read("SQRT", math.sqrt, "sqrt", value)


def sign(value: Any) -> Any:
    """Return 1, 0 or -1 by the sign of the value."""
    return _read("SIGN", lambda x: float(x > 0) - float(x < 0), "sign", value)


def normal_cdf(value: Any) -> Any:
    """Return the share of the standard normal distribution below the value."""
    if isinstance(value, Expr):
        return call("NORMSDIST", value)
    return _elementwise(normal_cdf_float, value)


def normal_pdf(value: Any) -> Any:
    """Return the density of the standard normal distribution at the value."""
    if isinstance(value, Expr):
        return call("NORMDIST", value, 0, 1, False)
    return exp(-value * value / 2) / _ROOT_OF_TWO_PI


def normal_quantile(share: Any) -> Any:
    """Return the value below which that share of the standard normal distribution lies; `share` within (0, 1).

    In a replay it is computed once, before the games: let a step that uses it read settings alone.
    """
    if isinstance(share, Expr):
        return call("NORMSINV", share)
    from statistics import NormalDist

    return _elementwise(NormalDist().inv_cdf, share)


def normal_cdf_float(value: float) -> float:
    """Return the share below one number: what `normal_cdf` does."""
    return math.erfc(-value / _ROOT_OF_TWO) / 2


def _elementwise(function: Callable[[float], float], value: Any) -> Any:
    if _has_array([value]):
        import numpy

        each = numpy.fromiter(map(function, value.ravel().tolist()), "float64", value.size)
        return each.reshape(value.shape)
    return function(value)


def round_half_away(value: Any, digits: int = 0) -> Any:
    """Return the value rounded to `digits` decimals, halves away from zero, as federations and ROUND do.

    A value that decimal arithmetic would put on the half counts as the half, although its binary neighbour lies
    below it.

    >>> [round_half_away(x) for x in (2.5, -2.5, 0.49)]
    [3.0, -3.0, 0.0]
    >>> round_half_away(2.675, 2)
    2.68
    """
    if isinstance(value, Expr):
        return call("ROUND", value, digits)
    power = 10.0**digits
    if _has_array([value]):
        import numpy

        return numpy.sign(value) * numpy.floor(numpy.abs(value) * power * _DECIMAL_SLACK + 0.5) / power + 0.0
    return round_float(value, power)


def round_float(value: float, power: float) -> float:
    """Return the number rounded to a multiple of 1 / `power`, halves away from zero: what `round_half_away` does."""
    return math.copysign(math.floor(abs(value) * power * _DECIMAL_SLACK + 0.5) / power, value) + 0.0


@dataclass(frozen=True)
class StepTable:
    """A federation's table: `values[i]` holds from `starts[i]` up to the next start.

    `name` is the workbook's table and `start_column`, `value_column` its columns. `starts` ascend.
    """

    name: str
    start_column: str
    value_column: str
    starts: tuple[float, ...]
    values: tuple[float, ...]


def table_step(table: StepTable, value: Any) -> Any:
    """Return the table's value of the last row whose start is not above `value`, the first row's below it.

    In a sheet this counts the rows that begin at or below the value: no approximate look-up is portable.
    """
    if isinstance(value, Expr):
        starts, values = (Ref(f"{table.name}[{column}]") for column in (table.start_column, table.value_column))
        return call("INDEX", values, call("SUMPRODUCT", 1 * binary("<=", starts, value)))
    if _has_array([value]):
        import numpy

        rows = numpy.searchsorted(numpy.asarray(table.starts), value, side="right") - 1
        return numpy.asarray(table.values)[numpy.maximum(rows, 0)]
    import bisect

    return table.values[max(bisect.bisect_right(table.starts, value) - 1, 0)]


def looked_up(call: Call) -> tuple[str, Expr] | None:
    """Return the table's name and the value when the call is the traced look-up of `table_step`, else None."""
    if call.function == "INDEX" and isinstance(call.arguments[0], Ref) and isinstance(call.arguments[1], Call):
        table, bracket, _ = call.arguments[0].name.partition("[")
        count = call.arguments[1]
        if bracket and count.function == "SUMPRODUCT":
            product = count.arguments[0]
            assert isinstance(product, Binary)
            assert isinstance(product.right, Binary)
            return table, product.right.right
    return None
