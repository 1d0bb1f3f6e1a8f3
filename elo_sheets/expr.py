"""Expressions: what a step returns when it is traced, and what a formula is when it is parsed.

The nodes are immutable values. Python's operators build them, so that a step written for floats can be called
with `Ref`s and hands back the expression it computes. What only a value could answer (`bool`, `float`) raises.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from elo_sheets.errors import FormulaError


class Expr:
    """Base class of the nodes; carries the operators."""

    __slots__ = ()

    def __add__(self, other: Any) -> Binary:
        return Binary("+", self, lift(other))

    def __radd__(self, other: Any) -> Binary:
        return Binary("+", lift(other), self)

    def __sub__(self, other: Any) -> Binary:
        return Binary("-", self, lift(other))

    def __rsub__(self, other: Any) -> Binary:
        return Binary("-", lift(other), self)

    def __mul__(self, other: Any) -> Binary:
        return Binary("*", self, lift(other))

    def __rmul__(self, other: Any) -> Binary:
        return Binary("*", lift(other), self)

    def __truediv__(self, other: Any) -> Binary:
        return Binary("/", self, lift(other))

    def __rtruediv__(self, other: Any) -> Binary:
        return Binary("/", lift(other), self)

    def __pow__(self, other: Any) -> Binary:
        return Binary("^", self, lift(other))

    def __rpow__(self, other: Any) -> Binary:
        return Binary("^", lift(other), self)

    def __neg__(self) -> Unary:
        return Unary("-", self)

    def __lt__(self, other: Any) -> Binary:
        return Binary("<", self, lift(other))

    def __le__(self, other: Any) -> Binary:
        return Binary("<=", self, lift(other))

    def __gt__(self, other: Any) -> Binary:
        return Binary(">", self, lift(other))

    def __ge__(self, other: Any) -> Binary:
        return Binary(">=", self, lift(other))

    def __bool__(self) -> bool:
        raise FormulaError("a traced value has no truth value: write where(condition, a, b), both() or either()")

    def __float__(self) -> float:
        raise FormulaError("a traced value is not a number: write the step with the functions of elo_sheets.ops")

    def __int__(self) -> int:
        return int(float(self))


@dataclass(frozen=True, slots=True)
class Number(Expr):
    """A number literal."""

    value: float


@dataclass(frozen=True, slots=True)
class Text(Expr):
    """A text literal."""

    value: str


@dataclass(frozen=True, slots=True)
class Logical(Expr):
    """TRUE or FALSE."""

    value: bool


@dataclass(frozen=True, slots=True)
class Ref(Expr):
    """A value read from elsewhere: a column or parameter while tracing; a cell, range or name when parsed."""

    name: str


@dataclass(frozen=True, slots=True)
class Unary(Expr):
    """A sign before, or a per cent behind, its operand."""

    operator: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary(Expr):
    """Two operands and what stands between them, as the spreadsheet writes it."""

    operator: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Call(Expr):
    """A function of the spreadsheet, its name in capitals, and the arguments (None: left empty)."""

    function: str
    arguments: tuple[Expr | None, ...]


def lift(value: Any) -> Expr:
    """Return `value` as an expression: numbers, text and truth values become literals.

    Raises `FormulaError` for what no cell can hold: NaN, infinity, or any other type.
    """
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
    return Binary("=", lift(a), lift(b))


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
