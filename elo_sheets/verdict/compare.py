"""Formulas compared by meaning: spelling, anchoring and the way of naming a column do not matter."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from elo_sheets.errors import FormulaError
from elo_sheets.expr import Binary, Call, Expr, Logical, Number, Ref, Text, Unary
from elo_sheets.files.references import quote_sheet
from elo_sheets.formula import parse

Resolver = Callable[[str, str, int, int], str]
_AREA = re.compile(r"(.*!)?[A-Z]+\d+:([A-Z]+\d+)")
_ONE_CELL = re.compile(r"\b([A-Z]+\d+):\1$")
_UNQUOTED = re.compile(r"^([^'!\[]+)!")


def canonical(formula: str, sheet: str, row: int, column: int, resolve: Resolver) -> Expr | None:
    """Return what a formula means in its cell, or None when it cannot be parsed.

    Structured references become cells, the own sheet's name and `$` go, names are upper case, and `_xlfn.` is
    dropped, so that two spellings of one formula are equal.
    """
    try:
        return _normal(parse(resolve(formula, sheet, row, column)), quote_sheet(sheet).upper() + "!")
    except FormulaError:
        return None


def _normal(expr: Expr, own: str) -> Expr:
    if isinstance(expr, Ref):
        return Ref(_reference(expr.name, own))
    if isinstance(expr, Number):
        return Number(float(f"{expr.value:.15g}"))  # the digits that programs keep
    if isinstance(expr, Unary):
        return Unary(expr.operator, _normal(expr.operand, own))
    if isinstance(expr, Binary):
        return Binary(expr.operator, _normal(expr.left, own), _normal(expr.right, own))
    if isinstance(expr, Call):
        name = re.sub(r"^(_XLFN\.|_XLWS\.)+", "", expr.function)
        if name in {"TRUE", "FALSE"} and not expr.arguments:
            return Logical(name == "TRUE")  # as LibreOffice writes them
        if name == "POWER" and len(expr.arguments) == 2 and None not in expr.arguments:
            base, exponent = (_normal(a, own) for a in expr.arguments if a is not None)
            return Binary("^", base, exponent)
        return _last_cell(Call(name, tuple(None if a is None else _normal(a, own) for a in expr.arguments)))
    return expr


def _last_cell(call: Call) -> Expr:
    """Return the cell that `INDEX(A4:C5,ROWS(A4:C5),COLUMNS(A4:C5))` takes, wherever the cells begin; else the call."""
    cells = call.arguments[0] if call.function == "INDEX" else None
    if not isinstance(cells, Ref) or call.arguments[1:] != (Call("ROWS", (cells,)), Call("COLUMNS", (cells,))):
        return call
    area = _AREA.fullmatch(cells.name)
    return Ref(f"{area[1] or ''}{area[2]}") if area else call


@lru_cache(maxsize=65536)
def _reference(name: str, own: str) -> str:
    quoted = _UNQUOTED.sub(lambda found: quote_sheet(found[1]) + "!", name.upper())  # as LibreOffice leaves them
    return _ONE_CELL.sub(r"\1", quoted.removeprefix(own).replace("$", ""))  # 25.2 writes E4:E4 as E4


def differences(expected: Expr, found: Expr) -> list[tuple[Expr, Expr]]:
    """Return the smallest parts in which two formulas differ, pairwise."""
    if expected == found:
        return []
    if _is_swap(expected, found) or type(expected) is not type(found):
        return [(expected, found)]
    pairs: list[tuple[Expr | None, Expr | None]] = []
    if isinstance(expected, Unary) and isinstance(found, Unary) and expected.operator == found.operator:
        pairs = [(expected.operand, found.operand)]
    elif isinstance(expected, Binary) and isinstance(found, Binary) and expected.operator == found.operator:
        pairs = [(expected.left, found.left), (expected.right, found.right)]
    elif (
        isinstance(expected, Call)
        and isinstance(found, Call)
        and expected.function == found.function
        and len(expected.arguments) == len(found.arguments)
    ):
        pairs = list(zip(expected.arguments, found.arguments, strict=True))
    if not pairs or any((a is None) != (b is None) for a, b in pairs):
        return [(expected, found)]
    return [part for a, b in pairs if a is not None and b is not None for part in differences(a, b)]


def _is_swap(a: Expr, b: Expr) -> bool:
    return (
        isinstance(a, Binary)
        and isinstance(b, Binary)
        and a.operator == b.operator == "-"
        and (a.left, a.right) == (b.right, b.left)
    )


def fault(expected: Expr, found: Expr, label: str) -> str:
    """Return the code of what is wrong with a formula of the column `label`."""
    codes = {_fault_of(a, b, label) for a, b in differences(expected, found)}
    # A rule that stands without the guard of an empty row is compared with the rule alone.
    rule = expected.arguments[-1] if isinstance(expected, Call) and expected.function == "IF" else None
    if len(codes) != 1 and rule is not None:
        codes = {_fault_of(a, b, label) for a, b in differences(rule, found)}
    return codes.pop() if len(codes) == 1 else "ES108"


def _fault_of(expected: Expr, found: Expr, label: str) -> str:
    if _is_swap(expected, found) or expected == Unary("-", found) or found == Unary("-", expected):
        return "ES101"
    if isinstance(expected, Binary) and expected.operator == "/" and found == expected.left:
        return "ES102"
    if isinstance(expected, Binary) and isinstance(found, Binary):
        same = (expected.left, expected.right) == (found.left, found.right)
        return "ES103" if same else "ES108"
    if expected == Number(0.5) and isinstance(found, (Number, Text, Logical)) and label == "Score":
        return "ES104"
    if isinstance(expected, Ref) and isinstance(found, Number):
        return "ES105"
    if isinstance(expected, Ref) and isinstance(found, Ref):
        return "ES106"
    if (
        isinstance(found, Call)
        and found.function.startswith(("ROUND", "INT", "TRUNC"))
        and found.arguments[:1] == (expected,)
    ):
        return "ES107"
    return "ES108"
