"""Columns written once: the text of a structural formula is what stands in the sheet, and what gives its values.

A formula in the notation of `layout` is read, and written again as Python over the lists of a table's columns: a loop
over the rows for each column, or one for columns that carry each other from row to row. So no column has a second
definition that could part from its formula. What the formulas mean is what spreadsheets make of them (`engines.values`
and `engines.functions`), and the proof that they mean it is an engine's recalculation of the book.

>>> tables = Tables({"Win_points": 3.0})
>>> tables["Team"] = {"W": [2.0, 0.0]}
>>> tables.compute("Team", {"Points": parsed("N(Win_points)*[W]", "Team")}, rows=2, pair=1, first_row=5)
>>> tables["Team"]["Points"]
[6.0, 0.0]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from elo_sheets.engines import functions
from elo_sheets.engines.values import COMPARISONS, Fault
from elo_sheets.errors import FormulaError
from elo_sheets.expr import Binary, Call, Expr, Logical, Number, Ref, Text, Unary, walk
from elo_sheets.files.references import parse_range
from elo_sheets.formula import parse
from elo_sheets.workbook.column_values import RUN, Cell, Greatest, Held, kind_of
from elo_sheets.workbook.plan import CellValue

Key = TypeVar("Key", bound=Hashable)

_OWN = re.compile(r'"[^"]*"|(?<![\w\]\[])\[(?=[^\[\]#@]+\])')
_REFERENCE = re.compile(r"(\w+)\[([^\[\]]+)\]")
_CELL = re.compile(r"\$?[A-Z]+\$?(\d+)")

# Where a reference of the notation stands, seen from row `i` of a table whose rows belong together by `pair`.
_ONE = {"own": "i", "up": "i - 1", "other": "i ^ 1", "prior": "i - i % pair - 1"}
_ONE |= {f"s{seat}": f"i - i % pair + {seat - 1}" for seat in range(1, 9)}
_MANY = {
    "above": ("-1", "i"),
    "earlier": ("-1", "i - i % pair"),
    "first": ("0", "i - i % pair"),
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
_TEXTS = frozenset("TEXT TRIM SUBSTITUTE LEFT RIGHT MID LOWER UPPER".split())
_TRUTHS = frozenset("AND OR NOT ISNUMBER ISTEXT ISERROR".split())
_KINDS = {name: kind for kind, names in (("text", _TEXTS), ("truth", _TRUTHS), ("number", _NUMBERS)) for name in names}
_NAMED = {id(value): name for name, value in RUN.items()}
_SCALAR = {"ABS": "abs({})", "INT": "_floor({})", "SQRT": "_sqrt({})", "EXP": "_exp({})", "LN": "_log({})"}
_SCALAR |= {"SIGN": "_sign({})", "NORMSDIST": "_normal({})"}
_ARRAYS = {"ABS": "_absolute", "ROUND": "_round_half", "INT": "_floor", "IF": "_where", "NORMSDIST": "_normal"}
_ARRAYS |= {"SQRT": "_sqrt", "EXP": "_exp", "LN": "_log", "SIGN": "_sign", "ISNUMBER": "_are_numbers"}


class Place(NamedTuple):
    """What `[Score]` of the notation refers to: a table, or where the row stands, and a column."""

    kind: str
    label: str


@lru_cache(maxsize=4096)
def place_named(name: str) -> Place | None:
    """Return what a reference refers to in a table, None for one to cells."""
    match = _REFERENCE.fullmatch(name)
    return Place(match[1], match[2].replace("''", "'")) if match else None


def place_of(node: Expr | None) -> Place | None:
    """Return what a reference refers to in a table, None for anything else."""
    return place_named(node.name) if isinstance(node, Ref) else None


class Tables(Held):
    """The tables of a book by name, column by column, and the single cells that their formulas read."""

    def __init__(self, cells: Mapping[str, CellValue] | None = None) -> None:
        super().__init__()
        self.cells: dict[str, Any] = dict(cells or {})
        self.first_rows: dict[str, int] = {}
        # The columns of a table in order, where formulas read the cells of one row.
        self.labels: dict[str, Sequence[str]] = {}

    def first_row(self, reference: str) -> int:
        """Return the sheet's row in which a whole column, or an area of cells, begins."""
        place = place_named(reference)
        return self.first_rows[place.kind] if place else parse_range(reference.rpartition("!")[2].replace("$", ""))[0]

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

    def between(self, table: str, area: Binary) -> Sequence[str]:
        """Return the columns of a range within a row, from one to another."""
        labels = self.labels[table]
        first, last = (labels.index(end.label) for end in map(place_of, (area.left, area.right)) if end)
        return labels[first : last + 1]


@lru_cache(maxsize=4096)
def parsed(text: str, table: str) -> Expr:
    """Read a formula; `[Score]`, as the notation has it or as it is stored, becomes `own[Score]`."""
    text = re.sub(rf"\b{table}\[\[#This Row\],(\[[^\]]+\])\]", r"own\1", text)
    return parse(_OWN.sub(lambda match: match.group() if match.group()[0] == '"' else "own[", text))


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
        self.names: dict[str, Any] = {**RUN, "_tables": tables}
        self.named = {**_NAMED, id(tables): "_tables"}

    def function(self) -> Callable[..., None]:
        """Return the compiled loop: rows, pair, the first row, and a list for each column."""
        body = [f"        {self.made[label]}.append(_value({self.cell(label)}))" for label in self.order()]
        parameters = ", ".join(["rows", "pair", "first_row", *self.made.values()])
        source = "\n".join([f"def run({parameters}):", "    for i in range(rows):", *body])
        exec(_compiled(source), self.names)
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
            for place in (place_of(node) for tree in trees for node in walk(tree)):
                if place and place.kind == "own" and place.label in self.trees and place.label not in found:
                    if place.label == label:
                        raise FormulaError(f"{self.table}[{label}] reads its own cell")
                    add(place.label)
            found.append(label)

        for label in self.trees:
            if label not in found:
                add(label)
        return found

    # References

    def hoisted(self, value: Any) -> str:
        """Return the name under which the loop reads a value."""
        name = self.named.setdefault(id(value), f"v{len(self.names)}")
        self.names[name] = value
        return name

    def whole(self, node: Expr | None) -> tuple[str, str] | None:
        """Return table and label of a reference to a whole column."""
        place = place_of(node)
        return None if place is None or place.kind in _ONE or place.kind in _MANY else (place.kind, place.label)

    def column(self, label: str) -> str:
        return self.made.get(label) or self.hoisted(self.tables.range(self.table, label))

    def reference(self, node: Ref) -> str:
        """Return one cell's value."""
        place = place_of(node)
        if place is not None and place.kind in _ONE:
            column, at = self.column(place.label), _ONE[place.kind]
            if place.kind in ("own", "other"):
                return f"{column}[{at}]"
            return f"({column}[{at}] if {at} >= 0 else {place.label!r})"
        if place is not None:
            raise FormulaError(f"{node.name} stands where one value is read")
        if node.name not in self.tables.cells:
            raise FormulaError(f"expected a cell that has a value, got {node.name}")
        return self.hoisted(Cell(self.tables.cells[node.name])) + ".value"

    def many(self, node: Expr | None) -> str | None:
        """Return the list of the cells that a range has, None for what is no range."""
        if isinstance(node, Ref) and isinstance(area := self.tables.cells.get(node.name), list):
            return self.hoisted(area)
        if (place := self.whole(node)) is not None:
            return self.hoisted(self.tables.range(*place))
        if isinstance(node, Binary) and node.operator == ":":
            return self.across(node)
        part = place_of(node)
        if part is None or part.kind not in _MANY:
            return None
        return f"_part({self.running(part)})"

    def running(self, part: Place) -> str:
        """Return the column, its label, and from where to where the rows of a range go that moves with the row."""
        return ", ".join([self.column(part.label), repr(part.label), *_MANY[part.kind]])

    def area(self, node: Expr | None) -> list[Any] | None:
        """Return the cells of an area of one column, or one row, that are known before the loop."""
        area = self.tables.cells.get(node.name) if isinstance(node, Ref) else None
        return area if isinstance(area, list) and not isinstance(area[0], (list, tuple)) else None

    def across(self, node: Binary) -> str:
        """Return the list of the cells of one row, from a column to another of a table with both."""
        kind = node.left.name.partition("[")[0] if isinstance(node.left, Ref) else ""
        between = self.tables.between(self.table, node)
        return "[" + ", ".join(self.reference(Ref(f"{kind}[{label}]")) for label in between) + "]"

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
            return _KINDS.get(node.function, "")
        if isinstance(node, Ref):
            place = place_of(node)
            if place and place.kind in ("own", "other") and place.label not in self.made:
                values = self.tables.range(self.table, place.label)
                return str(self.tables.kept(("kind", id(values)), lambda: kind_of(values)))
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
            if self.kind(a) == self.kind(b) == "text" and node.operator in ("=", "<>"):
                sign = "==" if node.operator == "=" else "!="
                return f"({self.one(a)}.casefold() {sign} {self.one(b)}.casefold())"
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
        part = place_of(cells)
        if part is not None and part.kind in _MANY and column is None:
            return f"_within({self.running(part)}, {self.number(at)})"
        found = self.many(cells)
        if column is not None and isinstance(cells, Binary):
            return f"_indexed({found}, {self.number(column)})"  # the cells of one row
        if column is not None:
            found = f"_indexed({found}, {self.number(column)})"
        return f"_indexed({found}, {self.number(at)})"

    def call_large(self, cells: Expr, at: Expr) -> str:
        return f"_nth(_tables, {self.many(cells)}, {self.whole(cells) is not None}, -1, {self.number(at)})"

    def call_small(self, cells: Expr, at: Expr) -> str:
        return f"_nth(_tables, {self.many(cells)}, {self.whole(cells) is not None}, 1, {self.number(at)})"

    def call_rank(self, value: Expr, cells: Expr, rising: Expr | None = None) -> str:
        rises = isinstance(rising, Number) and rising.value != 0
        return f"_ranked(_tables, {self.many(cells)}, {self.number(value)}, {rises})"

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
            name, summed, pairs = "SUMIFS", given[-1] if len(given) == 3 else given[0], list(given[:2])
        places = [self.whole(one) for one in (summed, *pairs[::2])]
        criteria = ", ".join(self.one(one) for one in pairs[1::2])
        parts = [place_of(one) for one in pairs[::2]]
        kinds = {part.kind if part and part.label not in self.made else "" for part in parts}
        if name.startswith("COUNT") and kinds == {"before100"}:
            columns = ", ".join(self.column(part.label) for part in parts if part)
            start, end = _MANY["before100"]
            return f"_counted_within(_tables, ({columns},), ({criteria},), {start}, {end})"
        read = [one for argument in pairs[1::2] if argument is not None for one in walk(argument)]
        varies = any(map(place_of, read))
        areas = [None if one is None else self.area(one) for one in (summed, *pairs[::2])]
        if None not in areas[summed is None :] and len({len(area) for area in areas if area is not None}) == 1:
            held = ", ".join("None" if area is None else self.hoisted(area) for area in areas)
            return f"_tallied_areas({self.hoisted({})}, {name!r}, ({held},), ({criteria},), {varies})"
        if None in places[1:]:
            passed = [] if summed is None else [f"_array({self.many(summed)})"]
            for cells, criterion in zip(pairs[::2], pairs[1::2], strict=True):
                passed += [f"_array({self.cells([cells])[0]})", self.one(criterion)]
            return f"_checked({self.hoisted(functions.FUNCTIONS[name])}({', '.join(passed)}))"
        return f"_tallied(_tables, {name!r}, {tuple(places)!r}, ({criteria},), {varies})"

    # Arrays: what SUMPRODUCT computes for all rows of a column at once

    def greatest(self, node: Expr | None) -> str | None:
        """Return `MAX((keys=key)*numbers)` as a look-up in what was made of two ranges once, None for anything else."""
        product = node.arguments[0] if isinstance(node, Call) and node.function == "MAX" else None
        if not isinstance(product, Binary) or product.operator != "*" or not isinstance(product.left, Binary):
            return None
        same, (keys, values) = product.left, map(self.numbers, (product.left.left, product.right))
        if same.operator != "=" or keys is None or values is None or self.spans(same.right) or min(values) < 0:
            return None
        parts = map(place_of, (same.left, product.right))
        whole = ("0", repr(len(keys)))
        places = {_MANY.get(part.kind, whole) if part else whole for part in parts}
        begins, end = places.pop()
        if places or begins != "0":
            return None
        return f"{self.hoisted(Greatest(keys, values))}.upto({end}).get({self.number(same.right)}, 0.0)"

    def numbers(self, node: Expr | None) -> Sequence[float] | None:
        """Return what a range of cells holds that are all numbers, and known before the loop; else None."""
        cells: Any = None
        if isinstance(node, Ref) and isinstance(area := self.tables.cells.get(node.name), list):
            cells = area
        elif (place := self.whole(node)) is not None:
            cells = self.tables.range(*place)
        elif (part := place_of(node)) is not None and part.kind in _MANY and part.label not in self.made:
            cells = self.tables.range(self.table, part.label)
        return cells if cells is not None and kind_of(cells) == "number" else None

    def call_sumproduct(self, *given: Expr) -> str:
        if len(given) == 1 and (written := self.greatest(given[0])) is not None:
            return written
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


@lru_cache(maxsize=2048)
def _compiled(source: str) -> Any:
    """Return the code of a loop: many cells have the same one over other names."""
    return compile(source, "<column>", "exec")
