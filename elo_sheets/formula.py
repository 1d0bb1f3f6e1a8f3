"""Formula text and back, and the list of portable functions.

`to_formula` prints an expression as Excel stores it; `parse` reads such text. Printing is careful where programs
differ: a negated base and a chained power are always bracketed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache

from elo_sheets.errors import FormulaError
from elo_sheets.expr import Binary, Call, Expr, Logical, Number, Ref, Text, Unary, walk

# Right in Excel 2016 and later, LibreOffice and Google Sheets alike, under these names and without a prefix.
PORTABLE = frozenset(
    """
    IF AND OR NOT IFERROR CHOOSE ISBLANK ISNUMBER ISTEXT ISERROR ISNA NA N
    SUM AVERAGE COUNT COUNTA COUNTBLANK MAX MIN MEDIAN LARGE SMALL STDEV RANK PRODUCT SUMSQ CORREL SLOPE INTERCEPT
    COUNTIF COUNTIFS SUMIF SUMIFS AVERAGEIF AVERAGEIFS SUMPRODUCT
    INDEX MATCH ROW ROWS COLUMN COLUMNS
    ABS SIGN SQRT EXP LN LOG LOG10 POWER PI MOD INT TRUNC ROUND ROUNDUP ROUNDDOWN
    NORMDIST NORMSDIST NORMSINV BINOMDIST
    LEFT RIGHT MID LEN UPPER LOWER TRIM SUBSTITUTE FIND SEARCH VALUE REPT EXACT TEXT CHAR
    DATE EDATE EOMONTH YEAR MONTH DAY WEEKDAY DATEVALUE TIME HOUR HYPERLINK
    """.split()
)

# The functions of dynamic arrays that Excel 2021, Microsoft 365 and LibreOffice from 24.8 have, and that the embedded
# engine computes rightly.
MODERN = frozenset("FILTER LET SEQUENCE SORT SORTBY UNIQUE XLOOKUP".split())

# What the formulas of a book may use, by its dialect.
DIALECTS = {"portable": PORTABLE, "modern": PORTABLE | MODERN}

_PRECEDENCE = {
    "=": 1,
    "<>": 1,
    "<": 1,
    ">": 1,
    "<=": 1,
    ">=": 1,
    "&": 2,
    "+": 3,
    "-": 3,
    "*": 4,
    "/": 4,
    "^": 5,
}
_PERCENT, _SIGN, _RANGE = 6, 7, 8
_PRECEDENCE |= {":": _RANGE}

_UNION = "(,)"  # the reference union (A1,B2) is kept as a call of this name

Names = Mapping[str, str] | Callable[[str], str]


def to_formula(expr: Expr, names: Names | None = None) -> str:
    """Return the expression as formula text, without the leading `=`.

    `names` says how each `Ref` is written: a mapping (a missing name stands as it is) or a function.

    >>> to_formula(1 / (1 + 10 ** ((Ref("b") - Ref("a")) / 400)))
    '1/(1+10^((b-a)/400))'
    """
    if names is None:
        return _print(expr, str)
    if callable(names):
        return _print(expr, names)
    table = names
    return _print(expr, lambda name: table.get(name, name))


def _print(expr: Expr, name: Callable[[str], str]) -> str:
    if isinstance(expr, Number):
        return number_text(expr.value)
    if isinstance(expr, Text):
        return '"' + expr.value.replace('"', '""') + '"'
    if isinstance(expr, Logical):
        return "TRUE" if expr.value else "FALSE"
    if isinstance(expr, Ref):
        return name(expr.name)
    if isinstance(expr, Call):
        arguments = ",".join("" if a is None else _print(a, name) for a in expr.arguments)
        return f"({arguments})" if expr.function == _UNION else f"{expr.function}({arguments})"
    if isinstance(expr, Unary):
        operand = _inside(expr.operand, name, _PERCENT if expr.operator == "%" else _SIGN)
        return operand + "%" if expr.operator == "%" else expr.operator + operand
    assert isinstance(expr, Binary)
    level = _PRECEDENCE[expr.operator]
    # A power's base is bracketed when it is a sign or a power: programs disagree on -2^2 and 2^3^2.
    base = level + 1 if expr.operator == "^" else level
    left = _inside(expr.left, name, base)
    signed = isinstance(expr.left, Unary) or (isinstance(expr.left, Number) and expr.left.value < 0)
    if expr.operator == "^" and signed:
        left = f"({_print(expr.left, name)})"
    return left + expr.operator + _inside(expr.right, name, level + 1)


def _inside(expr: Expr, name: Callable[[str], str], level: int) -> str:
    text = _print(expr, name)
    return f"({text})" if _level(expr) < level else text


def _level(expr: Expr) -> int:
    if isinstance(expr, Binary):
        return _PRECEDENCE[expr.operator]
    if isinstance(expr, Unary):
        return _PERCENT if expr.operator == "%" else _SIGN
    if isinstance(expr, Number) and expr.value < 0:
        return _SIGN
    return _RANGE + 1


def number_text(value: float) -> str:
    """A number as sheets spell it: without an exponent, unless that would take very many digits.

    >>> number_text(1e-06), number_text(7.0), number_text(1e30)
    ('0.000001', '7', '1E+30')
    """
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    text = repr(value).upper()
    mantissa, exponent, power = text.partition("E")
    return format(Decimal(text), "f") if exponent and abs(int(power)) <= 12 else mantissa + exponent + power


_TOKEN = re.compile(
    r"""\s*(?:
      (?P<text>"(?:[^"]|"")*")
    | (?P<error>\#(?:NULL!|DIV/0!|VALUE!|REF!|NAME\?|NUM!|N/A|GETTING_DATA|SPILL!|CALC!))
    | (?P<ref>(?:'(?:[^']|'')+'!|(?:\[[^\]]+\])?[^\W\d][\w.]*!)?
        (?:\$?[A-Za-z]{1,3}\$?\d+(?::\$?[A-Za-z]{1,3}\$?\d+)?(?![\w(.\[])
          |\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}(?![\w(.\[])
          |\$?\d+:\$?\d+(?![\w.])))
    | (?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)
    | (?P<name>(?:'(?:[^']|'')+'!)?[^\W\d\\]?[\w.\\]*)(?P<brackets>(?=\[))
    | (?P<word>(?:'(?:[^']|'')+'!|[^\W\d][\w.]*!)?[^\W\d][\w.?\\]*)
    | (?P<operator><=|>=|<>|[-+*/^&=<>%:,(){};@\#])
    )""",
    re.VERBOSE,
)


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None or (match.end() == at and match.group("brackets") is None):
            raise FormulaError(f"cannot read the formula {text!r} from {text[at : at + 20]!r}")
        at = match.end()
        if match.group("brackets") is not None:
            end = _closing_bracket(text, at)
            found.append(("ref", match.group("name") + text[at:end]))
            at = end
            continue
        kind = match.lastgroup or ""
        found.append((kind, match.group(kind)))
    return found


def _closing_bracket(text: str, start: int) -> int:
    depth = 0
    at = start
    while at < len(text):
        if text[at] == "'":  # inside a structured reference an apostrophe quotes the next character
            at += 1
        else:
            depth += {"[": 1, "]": -1}.get(text[at], 0)
            if depth == 0:
                return at + 1
        at += 1
    raise FormulaError(f"expected a closing bracket in the formula {text!r}")


class _Parser:
    """Precedence climbing over the tokens of one formula."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text.removeprefix("="))
        self.at = 0

    def peek(self) -> tuple[str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")

    def take(self) -> tuple[str, str]:
        token = self.peek()
        self.at += 1
        return token

    def expect(self, symbol: str) -> None:
        if self.take()[1] != symbol:
            raise FormulaError(f"expected {symbol!r} in the formula {self.text!r}")

    def formula(self) -> Expr:
        expr = self.expression(1)
        if self.peek()[0] != "end":
            raise FormulaError(f"unexpected {self.peek()[1]!r} in the formula {self.text!r}")
        return expr

    def expression(self, level: int) -> Expr:
        left = self.prefix()
        while True:
            kind, symbol = self.peek()
            if kind != "operator":
                return left
            if symbol == "%" and level <= _PERCENT:
                self.take()
                left = Unary("%", left)
            elif symbol in _PRECEDENCE and _PRECEDENCE[symbol] >= level:
                self.take()
                left = Binary(symbol, left, self.expression(_PRECEDENCE[symbol] + 1))
            else:
                return left

    def prefix(self) -> Expr:
        kind, symbol = self.take()
        if kind == "operator":
            if symbol in "+-@":
                operand = self.expression(_SIGN)
                return operand if symbol in "+@" else Unary("-", operand)
            if symbol == "(":
                inner = self.expression(1)
                if self.peek()[1] == ",":
                    parts = [inner, *self.more()]
                    return Call(_UNION, tuple(parts))
                self.expect(")")
                return inner
            if symbol == "{":
                return self.array()
        if kind == "number":
            return Number(float(symbol))
        if kind == "text":
            return Text(symbol[1:-1].replace('""', '"'))
        if kind in {"ref", "error"}:
            return Ref(symbol)
        if kind == "word":
            return self.word(symbol)
        raise FormulaError(f"unexpected {symbol or 'end'!r} in the formula {self.text!r}")

    def word(self, symbol: str) -> Expr:
        if self.peek()[1] == "(":
            self.take()
            return Call(symbol.upper(), tuple(self.arguments()))
        if symbol.upper() in {"TRUE", "FALSE"}:
            return Logical(symbol.upper() == "TRUE")
        return Ref(symbol)

    def arguments(self) -> list[Expr | None]:
        if self.peek()[1] == ")":
            self.take()
            return []
        found: list[Expr | None] = []
        while True:
            found.append(None if self.peek()[1] in {",", ")"} else self.expression(1))
            symbol = self.take()[1]
            if symbol == ")":
                return found
            if symbol != ",":
                raise FormulaError(f"expected ',' or ')' in the formula {self.text!r}")

    def more(self) -> list[Expr]:
        found: list[Expr] = []
        while self.peek()[1] == ",":
            self.take()
            found.append(self.expression(1))
        self.expect(")")
        return found

    def array(self) -> Expr:
        depth, parts = 1, ["{"]
        while depth:
            kind, symbol = self.take()
            if kind == "end":
                raise FormulaError(f"expected '}}' in the formula {self.text!r}")
            depth += {"{": 1, "}": -1}.get(symbol, 0)
            parts.append(symbol)
        return Ref("".join(parts))


@lru_cache(maxsize=4096)
def parse(text: str) -> Expr:
    """Return the expression that a formula's text means; a leading `=` may stand.

    Cells, ranges, structured references, names and error values become `Ref`s, spelt as they are. A plus sign
    and an implicit-intersection `@` say nothing and are dropped. Raises `FormulaError` for what is no formula.

    >>> parse("=-2^2") == parse("(-2)^2")
    True
    """
    return _Parser(text).formula()


def functions(expr: Expr) -> set[str]:
    """Return the names of the functions that the expression calls."""
    return {node.function for node in walk(expr) if isinstance(node, Call)}
