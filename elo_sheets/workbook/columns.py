"""Columns written once: the text of a structural formula is what stands in the sheet, and what gives its values.

A formula in the notation of `layout` is read, and written again as Python over the lists of a table's columns: a loop
over the rows for each column, or one for columns that carry each other from row to row. So no column has a second
definition that could part from its formula. What the formulas mean is what spreadsheets make of them (`engines.values`
and `engines.functions`), and the proof that they mean it is an engine's recalculation of the book.

>>> tables = Tables({"Win_points": 3.0})
>>> tables.fill("Team", {"W": [2.0, 0.0], "Points": "N(Win_points)*[W]", "Rank": "RANK([Points],Team[Points])"}, 2)
>>> tables["Team"]["Points"], tables["Team"]["Rank"]
([6.0, 0.0], [1.0, 2.0])
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from elo_sheets import ops
from elo_sheets.engines import functions
from elo_sheets.engines.values import COMPARISONS, NUMBER, Array, Fault, compare, to_bool, to_number, to_text
from elo_sheets.errors import FormulaError
from elo_sheets.expr import Binary, Call, Expr, Logical, Number, Ref, Text, Unary, walk
from elo_sheets.files.package import CellError, parse_range
from elo_sheets.formula import parse
from elo_sheets.workbook.plan import BLOCK, CellValue

Column = Sequence[CellValue] | str
Key = TypeVar("Key", bound=Hashable)

_OWN = re.compile(r'"[^"]*"|(?<![\w\]\[])\[(?=[^\[\]#@]+\])')
REFERENCE = re.compile(r"(\w+)\[([^\[\]]+)\]")
_TEST = re.compile(r"[<>=]|.*[*?~]", re.S)  # a criterion that is more than a value to be equal to
_CELL = re.compile(r"\$?[A-Z]+\$?(\d+)")
# Where a reference of the notation stands, seen from row `i` of a table whose rows belong together by `pair`.
_ONE = {"own": "i", "up": "i - 1", "other": "i ^ 1", "prior": "i - i % pair - 1"}
_ONE |= {f"s{seat}": f"i - i % pair + {seat - 1}" for seat in range(1, 9)}
_MANY = {
    "above": ("-1", "i"),
    "earlier": ("-1", "i - i % pair"),
    "first": ("0", "i - i % pair"),
    "recent": (f"i - i % {BLOCK} - pair", "i - i % pair"),
    "last20": ("max(0, i - 19)", "i + 1"),
    "before100": ("max(-1, i - 100)", "i"),
}
_MANY |= {
    f"group{first}to{last}": (f"i - i % pair + {first - 1}", f"i - i % pair + {last}")
    for first in range(1, 9)
    for last in range(first, 9)
}
_NUMBERS = frozenset(
    "ABS COUNT COUNTA COUNTIF COUNTIFS EXP INT LEN LN MATCH MAX MIN MOD N NORMSDIST RANK ROUND ROW ROWS SIGN SQRT SUM "
    "SUMIF SUMIFS SUMPRODUCT DATE YEAR MONTH EDATE LARGE SMALL FIND AVERAGE AVERAGEIFS".split()
)
_TRUTHS = frozenset("AND OR NOT ISNUMBER ISTEXT ISERROR".split())
_SCALAR = {"ABS": "abs({})", "INT": "_floor({})", "SQRT": "_sqrt({})", "EXP": "_exp({})", "LN": "_log({})"}
_SCALAR |= {"SIGN": "_sign({})", "NORMSDIST": "_normal({})"}
_ARRAYS = {"ABS": "_absolute", "ROUND": "_round_half", "INT": "_floor", "IF": "_where", "NORMSDIST": "_normal"}
_ARRAYS |= {"SQRT": "_sqrt", "EXP": "_exp", "LN": "_log", "SIGN": "_sign", "ISNUMBER": "_are_numbers"}


class Tables(dict[str, dict[str, Sequence[CellValue]]]):
    """The tables of a book by name, column by column, and the single cells that their formulas read."""

    def __init__(self, cells: Mapping[str, CellValue] | None = None) -> None:
        super().__init__()
        self.cells: dict[str, Any] = dict(cells or {})
        self.first_rows: dict[str, int] = {}
        self._kept: dict[Any, Any] = {}

    def first_row(self, reference: str) -> int:
        """Return the sheet's row in which a whole column, or an area of cells, begins."""
        match = REFERENCE.fullmatch(reference)
        return self.first_rows[match[1]] if match else parse_range(reference.rpartition("!")[2].replace("$", ""))[0]

    def fill(self, table: str, columns: Mapping[str, Column], rows: int, *, pair: int = 1, first_row: int = 2) -> None:
        """Add a table of so many rows: columns of values as they are, formulas as what they give.

        `pair` rows belong together (the two sides of a game), `first_row` is the sheet's row of the first one. The
        columns may stand in any order. Raises `FormulaError` for a formula that reads what there is not, or that
        comes to an error value, and names the column.
        """
        own = self.setdefault(table, {})
        own |= {label: values for label, values in columns.items() if not isinstance(values, str)}
        trees = {label: parsed(text, table) for label, text in columns.items() if isinstance(text, str)}
        for group in in_order({label: _labels(tree) & trees.keys() for label, tree in trees.items()}):
            self.compute(table, {label: trees[label] for label in group}, rows, pair, first_row)

    def compute(
        self,
        table: str,
        trees: Mapping[str, Expr],
        rows: int,
        pair: int,
        first_row: int,
        openings: Mapping[str, Expr] | None = None,
    ) -> None:
        """Add columns that carry each other, or one, computed row by row; `openings` are those of the first `pair`."""
        run = _Writer(self, table, trees, openings or {}).function()
        made: dict[str, list[CellValue]] = {label: [] for label in trees}
        try:
            run(rows, pair, first_row, *made.values())
        except (Fault, ArithmeticError, IndexError, TypeError, ValueError) as error:
            at = min(map(len, made.values())) + 1
            said = error.error if isinstance(error, Fault) else error
            raise FormulaError(f"row {at} of {table}[{', '.join(trees)}] comes to no value: {said}") from error
        self[table] |= made

    def value(self, tree: Expr) -> CellValue:
        """Return what the formula of a single cell gives."""
        self[""] = {}
        self.compute("", {"cell": tree}, 1, 1, 1)
        return self.pop("")["cell"][0]

    def range(self, table: str, label: str) -> Sequence[CellValue]:
        """Return a whole column; raises `FormulaError` where there is none of that name."""
        try:
            return self[table][label]
        except KeyError:
            raise FormulaError(f"expected a column that is computed before, got {table}[{label}]") from None

    def kept(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return what was made of whole columns, which is made once."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]


def parsed(text: str, table: str) -> Expr:
    """Read a formula; `[Score]`, as the notation has it or as it is stored, becomes `own[Score]`."""
    text = re.sub(rf"\b{table}\[\[#This Row\],(\[[^\]]+\])\]", r"own\1", text)
    return parse(_OWN.sub(lambda match: match.group() if match.group()[0] == '"' else "own[", text))


def _labels(tree: Expr) -> set[str]:
    """Return the columns that a formula reads of its own or of any table."""
    found = (REFERENCE.fullmatch(node.name) for node in walk(tree) if isinstance(node, Ref))
    return {match[2].replace("''", "'") for match in found if match}


def in_order(reads: Mapping[Key, set[Key]]) -> Iterator[list[Key]]:
    """Yield keys in an order in which each reads what comes before; those that read each other come together."""
    low: dict[Key, int] = {}
    stack: list[Key] = []
    place = {key: at for at, key in enumerate(reads)}

    def visit(key: Key) -> Iterator[list[Key]]:
        own = low[key] = len(low)
        stack.append(key)
        for other in sorted(reads[key], key=place.__getitem__):
            if other not in low:
                yield from visit(other)
            if other in stack:
                low[key] = min(low[key], low[other])
        if low[key] == own:
            at = stack.index(key)
            yield sorted(stack[at:], key=place.__getitem__)
            del stack[at:]

    for key in reads:
        if key not in low:
            yield from visit(key)


class _Writer:
    """Writes a loop over the rows of a table that computes columns, one list each."""

    def __init__(
        self, tables: Tables, table: str, trees: Mapping[str, Expr], openings: Mapping[str, Expr] | None = None
    ) -> None:
        self.tables, self.table, self.trees, self.openings = tables, table, trees, openings or {}
        self.made = {label: f"made{at}" for at, label in enumerate(trees)}
        self.names: dict[str, Any] = dict(_RUN)
        self.names["_tables"] = tables

    def function(self) -> Callable[..., None]:
        """Return the compiled loop: rows, pair, the first row, and a list for each column."""
        body = [f"        {self.made[label]}.append(_value({self.cell(label)}))" for label in self.order()]
        parameters = ", ".join(["rows", "pair", "first_row", *self.made.values()])
        source = "\n".join([f"def run({parameters}):", "    for i in range(rows):", *body])
        exec(source, self.names)
        done: Callable[..., None] = self.names["run"]
        return done

    def cell(self, label: str) -> str:
        """Return Python for a column's cell, which the first rows may have from another formula."""
        value = self.one(self.trees[label])
        return f"{self.one(self.openings[label])} if i < pair else {value}" if label in self.openings else value

    def order(self) -> list[str]:
        """Return the columns so that each reads of its own row what stands before it."""
        found: list[str] = []

        def add(label: str) -> None:
            trees = [self.trees[label], *([self.openings[label]] if label in self.openings else [])]
            for node in (node for tree in trees for node in walk(tree)):
                match = REFERENCE.fullmatch(node.name) if isinstance(node, Ref) else None
                if match and match[1] == "own" and match[2] in self.trees and match[2] not in found:
                    if match[2] == label:
                        raise FormulaError(f"{self.table}[{label}] reads its own cell")
                    add(match[2])
            found.append(label)

        for label in self.trees:
            if label not in found:
                add(label)
        return found

    # References

    def hoisted(self, value: Any) -> str:
        """Return the name under which the loop reads a value."""
        for name, known in self.names.items():
            if known is value:
                return name
        name = f"v{len(self.names)}"
        self.names[name] = value
        return name

    def whole(self, node: Expr | None) -> tuple[str, str] | None:
        """Return table and label of a reference to a whole column."""
        match = REFERENCE.fullmatch(node.name) if isinstance(node, Ref) else None
        if match is None or match[1] in _ONE or match[1] in _MANY:
            return None
        return match[1], match[2].replace("''", "'")

    def column(self, label: str) -> str:
        return self.made.get(label) or self.hoisted(self.tables.range(self.table, label))

    def reference(self, node: Ref) -> str:
        """Return one cell's value."""
        match = REFERENCE.fullmatch(node.name)
        if match is not None and match[1] in _ONE:
            label = match[2].replace("''", "'")
            column, at = self.column(label), _ONE[match[1]]
            if match[1] in ("own", "other"):
                return f"{column}[{at}]"
            return f"({column}[{at}] if {at} >= 0 else {label!r})"
        if match is not None:
            raise FormulaError(f"{node.name} stands where one value is read")
        if node.name not in self.tables.cells:
            raise FormulaError(f"expected a cell that has a value, got {node.name}")
        return self.hoisted(_Cell(self.tables.cells[node.name])) + ".value"

    def many(self, node: Expr | None) -> str | None:
        """Return the list of the cells that a range has, None for what is no range."""
        if isinstance(node, Ref) and isinstance(area := self.tables.cells.get(node.name), list):
            return self.hoisted(area)
        if (place := self.whole(node)) is not None:
            return self.hoisted(self.tables.range(*place))
        match = REFERENCE.fullmatch(node.name) if isinstance(node, Ref) else None
        if match is None or match[1] not in _MANY:
            return None
        label = match[2].replace("''", "'")
        start, end = _MANY[match[1]]
        return f"_part({self.column(label)}, {label!r}, {start}, {end})"

    # One value

    def kind(self, node: Expr | None) -> str:
        """Return what a value is for certain: number, text, truth, or "" for anything."""
        if isinstance(node, (Number, Unary)):
            return "number"
        if isinstance(node, Text):
            return "text"
        if isinstance(node, Logical):
            return "truth"
        if isinstance(node, Binary):
            return "truth" if node.operator in COMPARISONS else "text" if node.operator == "&" else "number"
        if isinstance(node, Call):
            if node.function == "IF":
                kinds = {self.kind(argument) for argument in node.arguments[1:]}
                return kinds.pop() if len(kinds) == 1 and len(node.arguments) == 3 else ""
            return "number" if node.function in _NUMBERS else "truth" if node.function in _TRUTHS else ""
        if isinstance(node, Ref):
            match = REFERENCE.fullmatch(node.name)
            if match and match[1] in ("own", "other") and match[2] not in self.made:
                values = self.tables.range(self.table, match[2].replace("''", "'"))
                return str(self.tables.kept(("kind", id(values)), lambda: _kind_of(values)))
        return ""

    def number(self, node: Expr | None) -> str:
        text = self.one(node)
        return text if self.kind(node) == "number" else f"_number({text})"

    def truth(self, node: Expr | None) -> str:
        text = self.one(node)
        return text if self.kind(node) == "truth" else f"_truth({text})"

    def one(self, node: Expr | None) -> str:
        """Return Python for a value of one row."""
        if isinstance(node, (Number, Text, Logical)):
            return repr(node.value)
        if isinstance(node, Unary):
            inner = self.number(node.operand)
            return f"({inner} / 100.0)" if node.operator == "%" else f"(-{inner})"
        if isinstance(node, Binary):
            return self.binary(node)
        if isinstance(node, Call):
            return self.call(node)
        if isinstance(node, Ref):
            return self.reference(node)
        return "None"

    def binary(self, node: Binary) -> str:
        a, b = node.left, node.right
        if node.operator == "&":
            return f"(_text({self.one(a)}) + _text({self.one(b)}))"
        if node.operator in COMPARISONS:
            if self.kind(a) == self.kind(b) == "number":
                sign = {"=": "==", "<>": "!="}.get(node.operator, node.operator)
                return f"({self.one(a)} {sign} {self.one(b)})"
            return f"_compared({node.operator!r}, {self.one(a)}, {self.one(b)})"
        if node.operator == "^":
            return f"_power({self.number(a)}, {self.number(b)})"
        return f"({self.number(a)} {node.operator} {self.number(b)})"

    def call(self, node: Call) -> str:
        name, given = node.function, node.arguments
        special = getattr(self, f"call_{name.lower()}", None)
        if special is not None:
            written: str = special(*given)
            return written
        if name in _SCALAR:
            return _SCALAR[name].format(self.number(given[0]))
        if name in ("COUNTIF", "COUNTIFS", "SUMIF", "SUMIFS", "AVERAGEIFS"):
            return self.tally(name, given)
        function = functions.FUNCTIONS.get(name)
        if function is None:
            raise FormulaError(f"{self.table}[{', '.join(self.trees)}] calls {name}, which gives no values here")
        parts = [self.many(argument) for argument in given]
        passed = [f"_array({p})" if p else self.one(a) for p, a in zip(parts, given, strict=True)]
        return f"_checked({self.hoisted(function)}({', '.join(passed)}))"

    def call_if(self, condition: Expr, yes: Expr | None, no: Expr | None = None) -> str:
        otherwise = "False" if no is None else self.one(no)
        return f"({self.one(yes)} if {self.truth(condition)} else {otherwise})"

    def call_iferror(self, value: Expr, otherwise: Expr) -> str:
        return f"_or_else(lambda: {self.one(value)}, lambda: {self.one(otherwise)})"

    def call_and(self, *given: Expr) -> str:
        return "(" + " and ".join(self.truth(argument) for argument in given) + ")"

    def call_or(self, *given: Expr) -> str:
        return "(" + " or ".join(self.truth(argument) for argument in given) + ")"

    def call_not(self, given: Expr) -> str:
        return f"(not {self.truth(given)})"

    def call_n(self, given: Expr) -> str:
        return self.one(given) if self.kind(given) == "number" else f"_n({self.one(given)})"

    def call_isnumber(self, given: Expr) -> str:
        value = self.one(given)
        return (
            f"_is_number({value})" if isinstance(given, Ref) else f'_is_number(_or_else(lambda: {value}, lambda: ""))'
        )

    def call_isna(self, given: Expr) -> str:
        return f"_is_na(lambda: {self.one(given)})"

    def call_iserror(self, given: Expr) -> str:
        return f"_or_else(lambda: ({self.one(given)}, False)[1], lambda: True)"

    def call_round(self, value: Expr, digits: Expr) -> str:
        return f"_round({self.number(value)}, {self.number(digits)})"

    def call_row(self, given: Expr | None = None) -> str:
        if given is None:
            return "float(first_row + i)"
        match = _CELL.fullmatch(given.name.rpartition("!")[2]) if isinstance(given, Ref) else None
        if match is None:
            raise FormulaError("ROW of anything but a cell gives no values here")
        return f"{float(match[1])!r}"

    def call_rows(self, given: Expr) -> str:
        return f"float(len({self.many(given)}))"

    def call_index(self, cells: Expr, at: Expr, column: Expr | None = None) -> str:
        found = self.many(cells)
        if column is not None:
            found = f"_indexed({found}, {self.number(column)})"
        return f"_indexed({found}, {self.number(at)})"

    def call_choose(self, at: Expr, *given: Expr) -> str:
        return "_indexed([" + ", ".join(self.one(one) for one in given) + f"], {self.number(at)})"

    def call_match(self, wanted: Expr, cells: Expr, kind: Expr) -> str:
        place = self.whole(cells)
        if place is None or not isinstance(kind, Number):
            return f"_checked(_match({self.one(wanted)}, _array({self.many(cells)}), {self.one(kind)}))"
        return f"_found(_tables, {place!r}, {self.many(cells)}, {self.one(wanted)}, {kind.value!r})"

    def call_max(self, *given: Expr) -> str:
        return self.extreme("max", given)

    def call_min(self, *given: Expr) -> str:
        return self.extreme("min", given)

    def extreme(self, name: str, given: Sequence[Expr]) -> str:
        if len(given) > 1 and not any(self.many(argument) for argument in given):
            return f"{name}({', '.join(self.number(argument) for argument in given)})"
        if len(given) == 1 and (place := self.whole(given[0])):
            return f"_extreme(_tables, {name}, {place!r})"
        return f"{name}(_numbers({', '.join(self.cells(given))}), default=0.0)"

    def call_count(self, *given: Expr) -> str:
        return f"float(len(_numbers({', '.join(self.cells(given))})))"

    def call_sum(self, *given: Expr) -> str:
        return f"float(sum(_numbers({', '.join(self.cells(given))})))"

    def cells(self, given: Sequence[Expr | None]) -> list[str]:
        """Return lists of what ranges and single values hold."""
        return [self.many(argument) or f"[{self.one(argument)}]" for argument in given]

    def call_text(self, value: Expr, pattern: Expr) -> str:
        if isinstance(pattern, Text) and pattern.value == "@":
            return f"_text({self.one(value)})"
        return f"_checked({self.hoisted(functions.FUNCTIONS['TEXT'])}({self.one(value)}, {self.one(pattern)}))"

    def tally(self, name: str, given: Sequence[Expr | None]) -> str:
        """Return what looks counts and sums up in a table of all of them, made once."""
        summed, pairs = None, list(given)
        if name in ("SUMIFS", "AVERAGEIFS"):
            summed, *pairs = given
        elif name == "SUMIF":
            summed, pairs = given[-1] if len(given) == 3 else given[0], list(given[:2])
        places = [self.whole(one) for one in (summed, *pairs[::2])]
        criteria = ", ".join(self.one(one) for one in pairs[1::2])
        if None in places[1:]:
            passed = [] if summed is None else [f"_array({self.many(summed)})"]
            for cells, criterion in zip(pairs[::2], pairs[1::2], strict=True):
                passed += [f"_array({self.cells([cells])[0]})", self.one(criterion)]
            return f"_checked({self.hoisted(functions.FUNCTIONS[name])}({', '.join(passed)}))"
        return f"_tallied(_tables, {name!r}, {tuple(places)!r}, ({criteria},))"

    # Arrays: what SUMPRODUCT computes for all rows of a column at once

    def call_sumproduct(self, *given: Expr) -> str:
        if len(given) == 1:
            return f"_total({self.array(given[0])})"
        return "_total(" + " * ".join(f"_only_numbers({self.array(one)})" for one in given) + ")"

    def spans(self, node: Expr | None) -> bool:
        """Whether a value is one for each row of a range."""
        return node is not None and any(self.many(part) is not None for part in walk(node))

    def array(self, node: Expr | None) -> str:
        if (place := self.whole(node)) is not None:
            return f"_numeric(_tables, {place!r})"
        if (cells := self.many(node)) is not None:
            return f"_as_array({cells})"
        if isinstance(node, Unary):
            return f"(-{self.array(node.operand)})"
        if isinstance(node, Binary) and node.operator in COMPARISONS:
            left, right = self.compared(node.left, node.right), self.compared(node.right, node.left)
            return f"_compare_all({node.operator!r}, {left}, {right})"
        if isinstance(node, Binary) and node.operator in "+-*/^":
            sign = "**" if node.operator == "^" else node.operator
            return f"({self.array(node.left)} {sign} {self.array(node.right)})"
        if isinstance(node, Call) and node.function == "ROW" and isinstance(ref := node.arguments[0], Ref):
            return f"_rows_from({self.tables.first_row(ref.name)!r}, len({self.many(ref)}))"
        if isinstance(node, Call) and node.function == "MATCH" and self.spans(node.arguments[1]):
            return f"_first_of({self.one(node.arguments[0])}, {self.array(node.arguments[1])})"
        if isinstance(node, Call) and node.function in ("MAX", "MIN"):
            return f"{self.array(node.arguments[0])}.{node.function.lower()}()"
        if isinstance(node, Call) and node.function in _ARRAYS and any(map(self.spans, node.arguments)):
            return f"{_ARRAYS[node.function]}({', '.join(self.array(argument) for argument in node.arguments)})"
        return self.one(node)

    def compared(self, node: Expr, other: Expr) -> str:
        """Return one side of a comparison: beside a text an empty cell is empty text, not 0."""
        cells = self.many(node) if isinstance(other, Text) else None
        if cells is None:
            return self.array(node)
        # What is made of a whole column is kept; a part of one is another list in each row.
        return f"_objects({cells})" if self.whole(node) is None else f"_as_they_are(_tables, {cells})"


# --- what the loops call ------------------------------------------------------------------------------------------


class _Cell:
    """A single cell, which the loop reads under a name of its own."""

    def __init__(self, value: CellValue) -> None:
        self.value = value


def _kind_of(values: Sequence[CellValue]) -> str:
    return "number" if all(isinstance(value, float) for value in values) else ""


def _value(value: Any) -> CellValue:
    """Return what a cell shows: nothing is 0, and a whole number a float as any other."""
    if value is None:
        return 0.0
    if isinstance(value, CellError):
        raise Fault(value)
    return value if isinstance(value, (str, bool)) else float(value)


def _compared(operator: str, a: Any, b: Any) -> bool:
    return COMPARISONS[operator](compare(a, b))


def _power(a: float, b: float) -> float:
    return float(a**b)


def _round(value: float, digits: float) -> float:
    return ops.round_float(value, 10.0 ** int(digits))


def _n(value: Any) -> float:
    return float(value) if isinstance(value, (bool, int, float)) else 0.0


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _part(column: Sequence[CellValue], label: str, start: int, end: int) -> list[CellValue]:
    """Return the cells of a running range; the header stands above the first row."""
    return [label, *column[:end]] if start < 0 else list(column[start:end])


def _numbers(*parts: Sequence[Any]) -> list[float]:
    return [value for part in parts for value in part if _is_number(value)]


def _array(values: Sequence[Any]) -> Array:
    return Array([[value] for value in values])


def _checked(value: Any) -> Any:
    if isinstance(value, CellError):
        raise Fault(value)
    return value


def _or_else(value: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    try:
        return value()
    except (Fault, ArithmeticError, IndexError):
        return otherwise()


def _is_na(value: Callable[[], Any]) -> bool:
    try:
        value()
    except Fault as fault:
        if fault.error == "#N/A":
            return True
        raise
    return False


def _indexed(cells: Sequence[CellValue], at: float) -> CellValue:
    if not 1 <= at < len(cells) + 1:
        raise Fault(CellError("#REF!"))
    return cells[int(at) - 1]


@lru_cache(maxsize=4096)
def _folded(text: str) -> Any:
    return float(to_number(text)) if NUMBER.match(text) else text.casefold()


def _key(value: Any) -> Any:
    """Return a value as equality of texts without case takes it."""
    return value.casefold() if isinstance(value, str) else value


def _found(tables: Tables, place: tuple[str, str], cells: Sequence[Any], wanted: Any, kind: float) -> float:
    """Return where a value stands: the first equal one, or with `kind` 1 the last that is not above it."""
    if kind == 0 and isinstance(wanted, str) and set(wanted) & set("*?~"):
        return float(_checked(_RUN["_match"](wanted, _array(cells), 0.0)))
    if kind == 0:
        places = tables.kept(("places", id(cells)), lambda: _places(cells))
        at = places.get(_key(0.0 if wanted is None else wanted))
    else:
        ordered = tables.kept(("ordered", id(cells)), lambda: _numbers(cells))
        at = bisect_right(ordered, wanted) or None
    if at is None:
        raise Fault(CellError("#N/A"))
    return float(at)


def _places(cells: Sequence[Any]) -> dict[Any, int]:
    found: dict[Any, int] = {}
    for at, value in enumerate(cells, 1):
        found.setdefault(_key(value), at)
    return found


def _extreme(tables: Tables, function: Callable[..., float], place: tuple[str, str]) -> float:
    cells = tables.range(*place)
    return float(tables.kept((function, id(cells)), lambda: function(_numbers(cells), default=0.0)))


def _first_of(wanted: Any, values: Any) -> float:
    """Return the place, from 1, of the first of an array's values that is the one wanted."""
    places = (values == wanted).nonzero()[0]
    if not len(places):
        raise Fault(CellError("#N/A"))
    return float(places[0] + 1)


def _tallied(tables: Tables, name: str, places: tuple[Any, ...], criteria: tuple[Any, ...]) -> float:
    """Return a count, sum or mean of the rows that meet all criteria."""
    tests = tuple(
        one if isinstance(one, str) and (one[:1] in "<>=" or set(one) & set("*?~")) else None for one in criteria
    )
    counted, summed = tables.kept((places, tests), lambda: _tally(tables, places, tests))
    wanted = tuple(_plain(one) for one, test in zip(criteria, tests, strict=True) if test is None)
    if name.startswith("COUNT"):
        return float(counted.get(wanted, 0))
    if name.startswith("SUM"):
        return float(summed.get(wanted, (0.0, 0))[0])
    total, count = summed.get(wanted, (0.0, 0))
    return float(total / count)


def _plain(value: Any) -> Any:
    """Return a value as a criterion takes it: a text that looks like a number is one, nothing is 0."""
    if isinstance(value, str):
        return _folded(value)
    return 0.0 if value is None else value


def _tally(
    tables: Tables, places: tuple[Any, ...], tests: tuple[str | None, ...]
) -> tuple[dict[Any, int], dict[Any, tuple[float, int]]]:
    summed, *ranges = (None if place is None else tables.range(*place) for place in places)
    asked = [functions.criterion_test(test) if test else None for test in tests]
    counted: dict[Any, int] = {}
    sums: dict[Any, tuple[float, int]] = {}
    for at, row in enumerate(zip(*(cells for cells in ranges if cells is not None), strict=True)):
        if any(test is not None and not test(value) for test, value in zip(asked, row, strict=True)):
            continue
        key = tuple(
            _folded(value) if isinstance(value, str) else value
            for test, value in zip(asked, row, strict=True)
            if test is None
        )
        counted[key] = counted.get(key, 0) + 1
        if summed is not None and _is_number(value := summed[at]):
            total, count = sums.get(key, (0.0, 0))
            sums[key] = total + float(value or 0), count + 1
    return counted, sums


def _numeric(tables: Tables, place: tuple[str, str]) -> Any:
    cells = tables.range(*place)
    return tables.kept(("array", id(cells)), lambda: _as_array(cells))


def _as_array(cells: Sequence[Any]) -> Any:
    """Return cells as an array: of numbers where all are, with what is empty as 0, else of what they are."""
    import numpy as np

    if any(isinstance(value, str) for value in cells):
        return np.array([_key(value) for value in cells], dtype=object)
    return np.array([0.0 if value is None else float(value) for value in cells], dtype="float64")


def _objects(cells: Sequence[Any]) -> Any:
    import numpy as np

    return np.array([_key(value) for value in cells], dtype=object)


def _as_they_are(tables: Tables, cells: Sequence[Any]) -> Any:
    return tables.kept(("as they are", id(cells)), lambda: _objects(cells))


def _is_mixed(values: Any) -> bool:
    """Return whether an array holds texts among its values."""
    return getattr(values, "dtype", None) == "object"


def _compare_all(operator: str, a: Any, b: Any) -> Any:
    """Return 1 or 0 for each row."""
    import numpy as np

    if isinstance(b, str) and b and operator in ("=", "<>") and _is_mixed(a):
        same = a == b.casefold()  # the texts of an array are folded
        return (same if operator == "=" else ~same).astype("float64")
    if any(isinstance(value, str) or _is_mixed(value) for value in (a, b)):
        test = COMPARISONS[operator]
        return np.vectorize(lambda x, y: float(test(compare(x, y))), otypes=[float])(a, b)
    by = {"=": "equal", "<>": "not_equal", "<": "less", ">": "greater", "<=": "less_equal", ">=": "greater_equal"}
    return getattr(np, by[operator])(0.0 if a is None else a, 0.0 if b is None else b).astype("float64")


def _only_numbers(values: Any) -> Any:
    """Return an array with 0 for what is no number, as SUMPRODUCT takes what stands between its commas."""
    import numpy as np

    if not _is_mixed(values):
        return values
    return np.array([float(value) if _is_number(value) else 0.0 for value in values])


def _are_numbers(values: Any) -> Any:
    import numpy as np

    return np.array([float(_is_number(value)) for value in values])


def _rows_from(first: int, count: int) -> Any:
    import numpy as np

    return np.arange(first, first + count, dtype="float64")


def _total(value: Any) -> float:
    return float(value.sum()) if getattr(value, "ndim", 0) else float(value)


_RUN: dict[str, Any] = {
    "_value": _value, "_compared": _compared, "_power": _power, "_round": _round, "_n": _n, "_part": _part,
    "_number": to_number, "_text": to_text, "_truth": to_bool, "_is_number": _is_number, "_numbers": _numbers,
    "_array": _array, "_checked": _checked, "_or_else": _or_else, "_indexed": _indexed, "_found": _found,
    "_match": functions.FUNCTIONS["MATCH"], "_extreme": _extreme, "_first_of": _first_of,
    "_tallied": _tallied, "_numeric": _numeric,
    "_as_array": _as_array, "_compare_all": _compare_all, "_total": _total, "_floor": ops.floor, "_sqrt": ops.sqrt,
    "_exp": ops.exp, "_log": ops.log, "_sign": ops.sign, "_normal": ops.normal_cdf, "_absolute": ops.absolute,
    "_round_half": ops.round_half_away, "_where": ops.where, "_are_numbers": _are_numbers,
    "_only_numbers": _only_numbers, "_rows_from": _rows_from,
    "_as_they_are": _as_they_are, "_objects": _objects, "_is_na": _is_na,
}  # fmt: skip
