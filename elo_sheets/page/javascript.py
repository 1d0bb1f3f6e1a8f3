"""Traced expressions as JavaScript: one more reading of the named steps, beside formulas, NumPy and compiled code.

A column is `v.name`, so that a program is assignments in the order of the steps. What JavaScript lacks (the normal
curve, the binomial distribution, rounding of halves away from zero, step tables) is in support.js.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from elo_sheets.errors import FormulaError
from elo_sheets.expr import Binary, Call, Expr, Logical, Number, Ref, Text, Unary
from elo_sheets.ops import StepTable, looked_up
from elo_sheets.replaying.source import fold
from elo_sheets.shipped import shipped_text
from elo_sheets.systems import Line

_OPERATORS = {"=": "===", "<>": "!=="}

_CALLS = {
    "MIN": "Math.min",
    "MAX": "Math.max",
    "ABS": "Math.abs",
    "EXP": "Math.exp",
    "LN": "Math.log",
    "SQRT": "Math.sqrt",
    "SIGN": "Math.sign",
    "INT": "Math.floor",
    "ROUND": "round",
    "NORMSDIST": "normal",
    "NORMSINV": "quantile",
    "BINOMDIST": "binomial",
}


def own(name: str) -> str:
    """Return how a column is written: `v.expected`, or `v["expected 1"]` for what is no identifier."""
    return f"v.{name}" if name.isidentifier() and name.isascii() else f"v[{json.dumps(name)}]"


def javascript(expr: Expr, name: Callable[[str], str] = own) -> str:
    """Return an expression as JavaScript; `name` says how each `Ref` is written.

    Raises `FormulaError` for what rules are not written with.

    >>> from elo_sheets.formula import parse
    >>> javascript(parse("IF(A>=2,B^2,1/C)"))
    '(v.A>=2?square(v.B):1/v.C)'
    """

    def write(node: Expr | None, inner: bool = True) -> str:
        if isinstance(node, Number):
            text = repr(int(node.value)) if float(node.value).is_integer() else repr(float(node.value))
            return f"({text})" if node.value < 0 else text
        if isinstance(node, Logical):
            return str(node.value).lower()
        if isinstance(node, Text):
            return json.dumps(node.value)
        if isinstance(node, Ref):
            return name(node.name)
        if isinstance(node, Unary) and node.operator == "-":
            return f"(-{write(node.operand)})"
        if isinstance(node, Binary) and node.operator == "^":
            if node.right == Number(2):
                return f"square({write(node.left, False)})"
            return f"Math.pow({write(node.left, False)},{write(node.right, False)})"
        if isinstance(node, Binary) and node.operator != "&":
            text = f"{write(node.left)}{_OPERATORS.get(node.operator, node.operator)}{write(node.right)}"
            return f"({text})" if inner else text
        if isinstance(node, Call):
            return _call(node, write)
        raise FormulaError(f"expected arithmetic in a rule, got {node!r}")

    return write(expr, False)


def _call(node: Call, write: Callable[..., str]) -> str:
    if (found := looked_up(node)) is not None:
        table, value = found
        return f"table({json.dumps(table)},{write(value, False)})"
    if node.function == "IF":
        condition, yes, no = node.arguments
        return f"({write(condition, False)}?{write(yes, False)}:{write(no, False)})"
    if node.function in {"AND", "OR"}:
        return f"({('&&' if node.function == 'AND' else '||').join(map(write, node.arguments))})"
    if node.function == "NOT":
        return f"(!{write(node.arguments[0])})"
    values = [write(argument, False) for argument in node.arguments]
    if node.function == "NORMDIST":
        return f"density({values[0]})"
    if node.function in _CALLS:
        return f"{_CALLS[node.function]}({','.join(values)})"
    raise FormulaError(f"expected a function that rules are written with, got {node.function}")


def program(lines: Iterable[Line], settled: Mapping[str, Any] | None = None) -> str:
    """Return a function of JavaScript that computes the columns of an object, in order, and returns the object.

    What the text settings of `settled` decide is decided here, so that no other form of the rule is printed.
    """
    made = (f"{own(line.name)}={javascript(fold(line.trace(), settled or {}))};" for line in lines)
    return "v=>{" + "".join(made) + "return v}"


def tables_of(programs: Sequence[str], tables: Iterable[StepTable]) -> str:
    """Return the step tables that some program reads, as the object that support.js looks them up in."""
    read = {
        table.name: [table.starts, table.values] for table in tables if any(f'"{table.name}"' in p for p in programs)
    }
    return json.dumps(read, separators=(",", ":"))


def support() -> str:
    """Return the functions that printed programs call."""
    return shipped_text("page/support.js")
