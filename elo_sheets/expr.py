"""Expressions: what a step returns when it is traced, and what a formula is when it is parsed.

The nodes are immutable values that compare as such. Python's arithmetic and order build them, so that a step written
for floats can be called with them and hands back the expression it computes. A step is called with `Traced` ones: there
`==` and `!=` build too, and whatever would need a value, such as `and`, `if` or a dictionary, raises with the remedy.
"""

from __future__ import annotations

import math
from typing import Any

from elo_sheets._values import plain
from elo_sheets.errors import FormulaError

_CONDITIONS = "write where(condition, a, b), both(), either() or negation() instead of if, and, or, not and in"


class Expr:
    """Base class of the nodes; carries the operators."""

    __slots__ = ()

    def __add__(self, other: Any) -> Expr:
        return binary("+", self, other)

    def __radd__(self, other: Any) -> Expr:
        return binary("+", other, self)

    def __sub__(self, other: Any) -> Expr:
        return binary("-", self, other)

    def __rsub__(self, other: Any) -> Expr:
        return binary("-", other, self)

    def __mul__(self, other: Any) -> Expr:
        return binary("*", self, other)

    def __rmul__(self, other: Any) -> Expr:
        return binary("*", other, self)

    def __truediv__(self, other: Any) -> Expr:
        return binary("/", self, other)

    def __rtruediv__(self, other: Any) -> Expr:
        return binary("/", other, self)

    def __pow__(self, other: Any) -> Expr:
        return binary("^", self, other)

    def __rpow__(self, other: Any) -> Expr:
        return binary("^", other, self)

    def __neg__(self) -> Expr:
        return Unary("-", self)

    def __lt__(self, other: Any) -> Expr:
        return binary("<", self, other)

    def __le__(self, other: Any) -> Expr:
        return binary("<=", self, other)

    def __gt__(self, other: Any) -> Expr:
        return binary(">", self, other)

    def __ge__(self, other: Any) -> Expr:
        return binary(">=", self, other)

    def __bool__(self) -> bool:
        raise FormulaError("a traced value has no truth value: " + _CONDITIONS)

    def __float__(self) -> float:
        raise FormulaError("a traced value is not a number: write the step with the functions of elo_sheets.ops")

    def __int__(self) -> int:
        return int(float(self))


@plain
class Number(Expr):
    """A number literal."""

    value: float


@plain
class Text(Expr):
    """A text literal."""

    value: str


@plain
class Logical(Expr):
    """TRUE or FALSE."""

    value: bool


@plain
class Ref(Expr):
    """A value read from elsewhere: a column or parameter while tracing; a cell, range or name when parsed."""

    name: str


@plain
class Unary(Expr):
    """A sign before, or a per cent behind, its operand."""

    operator: str
    operand: Expr


@plain
class Binary(Expr):
    """Two operands and what stands between them, as the spreadsheet writes it."""

    operator: str
    left: Expr
    right: Expr


@plain
class Call(Expr):
    """A function of the spreadsheet, its name in capitals, and the arguments (None: left empty)."""

    function: str
    arguments: tuple[Expr | None, ...]


class Traced(Expr):
    """An expression in the hands of a step: what is made of it is traced again, and it never answers as a value."""

    __slots__ = ("expr",)
    __array_ufunc__ = None  # NumPy's numbers leave operators to this class

    def __init__(self, expr: Expr) -> None:
        self.expr = expr

    def __repr__(self) -> str:
        return f"Traced({self.expr!r})"

    def __neg__(self) -> Expr:
        return Traced(Unary("-", self.expr))

    def __eq__(self, other: object) -> Expr:  # type: ignore[override]
        return binary("=", self, other)

    def __ne__(self, other: object) -> Expr:  # type: ignore[override]
        return binary("<>", self, other)

    def __hash__(self) -> int:
        raise FormulaError("a traced value is no key of a dictionary or set: write where() or table_step()")

    def _combined(self, *_: object) -> Expr:
        raise FormulaError("a traced value has no &, | or ~: write both(a, b), either(a, b) or negation(a)")

    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __invert__ = _combined

    def _divided(self, *_: object) -> Expr:
        raise FormulaError("a traced value has no //, % or divmod: write floor(a / b)")

    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = _divided

    def _rounded(self, *_: object) -> Expr:
        raise FormulaError("a traced value has no abs or round: write absolute(a) or round_half_away(a, digits)")

    __abs__ = __round__ = __trunc__ = __floor__ = __ceil__ = _rounded


_COMPARISONS = {"=", "<>", "<", "<=", ">", ">="}


def binary(operator: str, left: Any, right: Any) -> Expr:
    """Return two operands and what stands between them; traced where one of them is.

    Raises `FormulaError` where a traced condition is compared with a number, which Python and spreadsheets do
    differently.
    """
    made = Binary(operator, lift(left), lift(right))
    if not (isinstance(left, Traced) or isinstance(right, Traced)):
        return made
    if operator in _COMPARISONS and is_condition(made.left) != is_condition(made.right):
        raise FormulaError("a condition is compared with a value: write the condition alone, or where(condition, 1, 0)")
    return Traced(made)


def call(function: str, *arguments: Any) -> Expr:
    """Return a function of the spreadsheet over its arguments; traced where one of them is."""
    made = Call(function, tuple(lift(argument) for argument in arguments))
    return Traced(made) if any(isinstance(argument, Traced) for argument in arguments) else made


def is_condition(expr: Expr) -> bool:
    """Return whether an expression says TRUE or FALSE, as far as it shows: a comparison, or what joins comparisons."""
    if isinstance(expr, Binary):
        return expr.operator in _COMPARISONS
    if isinstance(expr, Call):
        values = [argument for argument in expr.arguments[1:] if argument is not None]
        return expr.function in {"AND", "OR", "NOT"} or (expr.function == "IF" and any(map(is_condition, values)))
    return isinstance(expr, Logical)


def lift(value: Any) -> Expr:
    """Return `value` as an expression: numbers, text and truth values become literals.

    Raises `FormulaError` for what no cell can hold: NaN, infinity, or any other type.
    """
    if isinstance(value, Traced):
        return value.expr
    if isinstance(value, Expr):
        return value
    if isinstance(value, bool):
        return Logical(value)
    if isinstance(value, str):
        return Text(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise FormulaError(f"expected a number or text in a formula, got {value!r}") from None
    if not math.isfinite(number):
        raise FormulaError(f"expected a finite number in a formula, got {value!r}")
    return Number(number)


def equal(a: Any, b: Any) -> Expr:
    """Return the expression `a = b`; nodes keep Python's `==` for themselves, as values."""
    return binary("=", a, b)


def replaced(expr: Expr, part: Expr, new: Expr) -> Expr:
    """Return an expression with another one in place of every occurrence of a part."""
    if expr == part:
        return new
    if isinstance(expr, Unary):
        return Unary(expr.operator, replaced(expr.operand, part, new))
    if isinstance(expr, Binary):
        return Binary(expr.operator, replaced(expr.left, part, new), replaced(expr.right, part, new))
    if isinstance(expr, Call):
        return Call(expr.function, tuple(None if a is None else replaced(a, part, new) for a in expr.arguments))
    return expr


def walk(expr: Expr) -> list[Expr]:
    """Return the expression and everything in it, outermost first."""
    found: list[Expr] = [expr]
    for node in found:
        if isinstance(node, Unary):
            found.append(node.operand)
        elif isinstance(node, Binary):
            found += (node.left, node.right)
        elif isinstance(node, Call):
            found += [argument for argument in node.arguments if argument is not None]
    return found
