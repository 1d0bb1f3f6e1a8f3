"""Evaluating cells at other inputs than those that stand in the book, so that a cell becomes a function.

`Evaluator.probe(target, {leaf: value})` answers what a cell would show. Only the cells between the target and the
changed ones are computed again, by a plain interpreter of the parsed formulas; all others keep the engine's value.
What the interpreter does not know is `UNKNOWN`, never a guess; numbers that are reported come from an engine.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property, lru_cache
from operator import add, mul, sub
from statistics import NormalDist
from typing import Any, Final

from elo_sheets.expr import Binary, Call, Expr, Logical, Number, Ref, Text, Unary
from elo_sheets.package import CellError, Value
from elo_sheets.recognise.model import ALL_FIXED, COLUMN, ROW, Area, Form, Key, Model, at_cell

DEPTH = 14  # formulas followed from the target towards its inputs
MOST_GIVEN = 4096  # compiled formulas kept that are not in the book
LONG = 8  # cells of one formula from which it counts as filled down
SMALL = 64  # cells of an area through which a dependence is followed
NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*(%?)\s*$")

VALUE, DIV0, NA, NUM, NAME, REFERENCE = map(CellError, ("#VALUE!", "#DIV/0!", "#N/A", "#NUM!", "#NAME?", "#REF!"))


class _Unknown:
    """What cannot be computed here."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = _Unknown()
Overrides = Mapping[Key, Value]


class Unsupported(Exception):
    """Raised inside when a formula needs what the interpreter does not know."""


class Array:
    """Rows of values, from an area or an array operation."""

    __slots__ = ("area", "rows")

    def __init__(self, rows: list[list[Any]], area: Area | None = None) -> None:
        self.rows = rows
        self.area = area

    def flat(self) -> Iterator[Any]:
        for row in self.rows:
            yield from row

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.rows[0]) if self.rows else 0


class Evaluator:
    """Computes cells of a model at other inputs, or with other formulas, than the book has."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.extent: dict[str, tuple[int, int]] = {}
        for sheet, cells in model.book.sheets.items():
            self.extent[sheet] = (max((r for r, _ in cells), default=1), max((c for _, c in cells), default=1))
        self.readers = _Readers(model)
        self._codes: dict[Form, Code] = {}
        self._given: dict[int, tuple[Expr, Code]] = {}
        self._arrays: dict[Area, Array] = {}

    def probe(
        self, target: Key, overrides: Overrides, formulas: Mapping[Key, Expr] | None = None, depth: int = DEPTH
    ) -> Any:
        """Return what `target` shows when the cells of `overrides` hold other values; `UNKNOWN` when not known.

        `formulas` gives other formulas (absolute trees, as `Model.tree` returns them) to some cells.
        """
        run = _Run(self, overrides, formulas or {}, depth)
        try:
            return run.top(target)
        except (Unsupported, RecursionError):
            return UNKNOWN

    def number(
        self, target: Key, overrides: Overrides, formulas: Mapping[Key, Expr] | None = None, depth: int = DEPTH
    ) -> float | None:
        """`probe`, when the answer is a finite number, else None."""
        found = self.probe(target, overrides, formulas, depth)
        if isinstance(found, bool) or not isinstance(found, (int, float)) or not math.isfinite(found):
            return None
        return float(found)

    def tree_value(self, tree: Expr, key: Key, overrides: Overrides, depth: int = DEPTH) -> Any:
        """Return what a formula (absolute tree) would show in the cell `key`; `UNKNOWN` when not known."""
        return self.probe(key, overrides, {key: tree}, depth)

    def depends(self, target: Key, leaves: Iterable[Key], depth: int = DEPTH) -> bool:
        """Whether `target` reads one of the leaves, directly or through other formulas."""
        return any(target == leaf or target in self.readers.reached(leaf, depth) for leaf in leaves)

    def repeats(self, form: Form) -> bool:
        """Whether a formula is that of a long run: its other cells are earlier steps, and so inputs of this one."""
        return not isinstance(form.tree, Area) and self._counts[form] >= LONG

    @cached_property
    def _counts(self) -> Counter[Form]:
        return Counter(self.model.forms.values())

    def code(self, form: Form) -> Code:
        """The formula of a form, compiled once for all cells that have it."""
        found = self._codes.get(form)
        if found is None:
            found = self._codes[form] = compiled(form.tree)
        return found

    def given_code(self, tree: Expr) -> Code:
        """A formula that stands in for one of the book, compiled; the same tree is probed many times in a row."""
        found = self._given.get(id(tree))
        if found is None:
            if len(self._given) > MOST_GIVEN:
                self._given.clear()
            found = self._given[id(tree)] = (tree, compiled(tree))
        return found[1]

    def stored(self, area: Area) -> Array:
        """The values of an area (absolute, with its sheet) as the book has them."""
        found = self._arrays.get(area)
        if found is None:
            value, sheet = self.model.value, area.sheet or ""
            rows = [
                [value((sheet, r, c)) for c in range(area.column, area.right + 1)]
                for r in range(area.row, area.bottom + 1)
            ]
            found = self._arrays[area] = Array(rows, area)
        return found


class _Readers:
    """Which formulas read a cell, directly or through others."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._reached: dict[tuple[Key, int], frozenset[Key]] = {}

    @cached_property
    def _direct(self) -> tuple[dict[Key, list[Key]], dict[Key, list[Area]], list[Area], dict[Area, list[Key]]]:
        singles: dict[Key, list[Key]] = {}
        by_area: dict[Area, list[Key]] = {}
        for key in self.model.forms:
            for area in self.model.areas(key):
                if area.single:
                    singles.setdefault((area.sheet or key[0], area.row, area.column), []).append(key)
                else:
                    by_area.setdefault(area, []).append(key)
        small: dict[Key, list[Area]] = {}
        for area in by_area:
            for cell in _cells(area) if area.size <= SMALL else ():
                small.setdefault(cell, []).append(area)
        return singles, small, [area for area in by_area if area.size > SMALL], by_area

    def reached(self, leaf: Key, depth: int) -> frozenset[Key]:
        """The formulas that a cell reaches in at most `depth` steps; through a large area only when it lies in it."""
        known = self._reached.get((leaf, depth))
        if known is not None:
            return known
        singles, small, large, by_area = self._direct
        found: set[Key] = set()
        edge = [leaf]
        for step in range(depth):
            following: list[Key] = []
            for one in edge:
                following += singles.get(one, ())
                for area in small.get(one, ()):
                    following += by_area[area]
                for area in large if step == 0 else ():
                    if _inside(one, area):
                        following += by_area[area]
            edge = [one for one in dict.fromkeys(following) if one not in found]
            found.update(edge)
            if not edge:
                break
        self._reached[leaf, depth] = result = frozenset(found)
        return result


def _cells(area: Area) -> Iterator[Key]:
    for row in range(area.row, area.bottom + 1):
        for column in range(area.column, area.right + 1):
            yield (area.sheet or "", row, column)


def _inside(key: Key, area: Area) -> bool:
    return area.sheet == key[0] and area.row <= key[1] <= area.bottom and area.column <= key[2] <= area.right


class _Run:
    """One computation: its overrides, what has been computed, and which cells must be computed again."""

    def __init__(self, evaluator: Evaluator, overrides: Overrides, formulas: Mapping[Key, Expr], depth: int) -> None:
        self.evaluator = evaluator
        self.model = evaluator.model
        self.forms = evaluator.model.forms
        self.extent = evaluator.extent
        self.formulas = formulas
        self.done: dict[Key, Any] = dict(overrides)
        self.changed = {*overrides, *formulas}
        self.reached = [evaluator.readers.reached(key, depth) for key in self.changed]
        self.repeated: Form | None = None
        self.busy: set[Key] = set()

    def top(self, target: Key) -> Any:
        form = self.forms.get(target)
        if form is not None and self.evaluator.repeats(form):
            self.repeated = form
        return self.scalar(self.cell(target, force=True), target)

    def stale(self, key: Key) -> bool:
        return any(key in reached for reached in self.reached)

    def cell(self, key: Key, force: bool = False) -> Any:
        if key in self.done:
            return self.done[key]
        if key in self.formulas:
            code = self.evaluator.given_code(self.formulas[key])
        else:
            form = self.forms.get(key)
            if form is None or not (force or (form is not self.repeated and self.stale(key))):
                return self.model.value(key)
            code = self.evaluator.code(form)
        if key in self.busy:
            raise Unsupported("circular")
        self.busy.add(key)
        result = code(self, key, _NO_NAMES)
        if isinstance(result, Array):
            result = self.scalar(result, key)
        self.busy.discard(key)
        if result is None:
            result = 0.0
        self.done[key] = result
        return result

    def scalar(self, value: Any, key: Key) -> Any:
        if isinstance(value, Array):
            area = value.area
            if area is not None and not area.single and value.shape != (1, 1):
                if area.column == area.right and area.row <= key[1] <= area.bottom:
                    return self.cell((area.sheet or key[0], key[1], area.column))
                if area.row == area.bottom and area.column <= key[2] <= area.right:
                    return self.cell((area.sheet or key[0], area.row, key[2]))
            return value.rows[0][0] if value.rows and value.rows[0] else 0.0
        return value

    def array(self, area: Area, key: Key) -> Array:
        sheet = area.sheet or key[0]
        rows, columns = self.extent.get(sheet, (1, 1))
        bottom, right = min(area.bottom, max(rows, area.row)), min(area.right, max(columns, area.column))
        used = Area(sheet, area.row, area.column, bottom, right, ALL_FIXED, False)
        stored = self.evaluator.stored(used)
        values = [list(row) for row in stored.rows]
        touched = False
        for one in self._touched(used):
            values[one[1] - used.row][one[2] - used.column] = self.cell(one)
            touched = True
        if not touched and used == area:
            return stored
        return Array(values, area if area.sheet is not None else _with_sheet(area, sheet))

    def _touched(self, area: Area) -> list[Key]:
        """The cells of an area that may not show what the book has."""
        found = {key for key in self.changed if _inside(key, area)}
        for reached in self.reached:
            if area.size < len(reached):
                found.update(key for key in _cells(area) if key in reached)
            else:
                found.update(key for key in reached if _inside(key, area))
        return list(found)


# --- formulas to code ---------------------------------------------------------------------------------------

Names = Mapping[str, Any]
Code = Callable[["_Run", Key, Names], Any]
_NO_NAMES: Names = {}


@dataclass(slots=True)
class Compiled:
    """A call with its arguments as trees and as code."""

    function: str
    arguments: tuple[Expr | None, ...]
    codes: tuple[Code | None, ...]


def compiled(tree: Expr) -> Code:
    """Return a formula as a function of a computation, the cell that holds it, and the names that LET gave."""
    if isinstance(tree, (Number, Text, Logical)):
        constant = tree.value
        return lambda run, key, names: constant
    if isinstance(tree, Area):
        return _compiled_area(tree)
    if isinstance(tree, Binary):
        return _compiled_binary(tree)
    if isinstance(tree, Unary):
        operand, operator, number = compiled(tree.operand), *(("/", 100.0) if tree.operator == "%" else ("*", -1.0))
        return lambda run, key, names: _each(lambda a: _binary(operator, a, number), operand(run, key, names))
    if isinstance(tree, Call):
        return _compiled_call(tree)
    if isinstance(tree, Ref):
        return _compiled_name(tree)
    return _unsupported(repr(tree))


def _unsupported(what: str) -> Code:
    def code(run: _Run, key: Key, names: Names) -> Any:
        raise Unsupported(what)

    return code


def _compiled_area(area: Area) -> Code:
    if not area.single:

        def several(run: _Run, key: Key, names: Names) -> Any:
            placed = area.at(key[1], key[2])
            return REFERENCE if placed.row < 1 or placed.column < 1 else run.array(placed, key)

        return several
    sheet, row, column = area.sheet, area.row, area.column
    down, across = not area.fixed & ROW, not area.fixed & COLUMN

    def single(run: _Run, key: Key, names: Names) -> Any:
        r, c = row + key[1] if down else row, column + key[2] if across else column
        return REFERENCE if r < 1 or c < 1 else run.cell((key[0] if sheet is None else sheet, r, c))

    return single


def _compiled_binary(tree: Binary) -> Code:
    left, right, operator = compiled(tree.left), compiled(tree.right), tree.operator
    plain = _PLAIN.get(operator)

    def code(run: _Run, key: Key, names: Names) -> Any:
        a, b = left(run, key, names), right(run, key, names)
        if plain is not None and type(a) is float and type(b) is float:
            return plain(a, b)
        if isinstance(a, Array) or isinstance(b, Array):
            return _each(lambda x, y: _binary(operator, x, y), a, b)
        return _binary(operator, a, b)

    return code


def _compiled_call(tree: Call) -> Code:
    codes = tuple(None if a is None else compiled(a) for a in tree.arguments)
    special = _SPECIAL.get(tree.function)
    if special is not None:
        call = Compiled(tree.function, tree.arguments, codes)
        return lambda run, key, names: special(run, call, key, names)
    function = _FUNCTIONS.get(tree.function)
    if function is None:
        return _unsupported(tree.function)

    def code(run: _Run, key: Key, names: Names) -> Any:
        given = [None if c is None else c(run, key, names) for c in codes]
        try:
            return function(*given)
        except _Fault as fault:
            return fault.error
        except (TypeError, OverflowError, ValueError, ZeroDivisionError) as error:
            raise Unsupported(tree.function) from error

    return code


def _compiled_name(tree: Ref) -> Code:
    name = tree.name
    if name.startswith("{"):
        array = _literal_array(name)
        return lambda run, key, names: array

    def code(run: _Run, key: Key, names: Names) -> Any:
        if name in names:
            return names[name]
        if name.startswith("#"):
            return CellError(name)
        raise Unsupported(name)

    return code


def _with_sheet(area: Area, sheet: str) -> Area:
    return Area(sheet, area.row, area.column, area.bottom, area.right, area.fixed, area.single)


@lru_cache(maxsize=256)
def _literal_array(text: str) -> Array:
    rows = []
    for part in text.strip("{}").split(";"):
        rows.append([_typed(item) for item in part.split(",")])
    return Array(rows)


def _typed(text: str) -> Value:
    if text[:1] == '"':
        return text[1:-1].replace('""', '"')
    if text.upper() in ("TRUE", "FALSE"):
        return text.upper() == "TRUE"
    return float(text) if NUMBER.match(text) else text


# --- scalars ------------------------------------------------------------------------------------------------


class _Fault(Exception):
    def __init__(self, error: CellError) -> None:
        self.error = error


def to_number(value: Any) -> float:
    """Return a value as arithmetic takes it; raises `_Fault` for an error value or a text that is no number."""
    if value is None:
        return 0.0
    if isinstance(value, CellError):
        raise _Fault(value)
    if isinstance(value, (bool, int, float)):
        return float(value)
    if isinstance(value, str):
        match = NUMBER.match(value)
        if match is not None:
            text = value.strip()
            return float(text.rstrip("% ")) / (100.0 if match[3] else 1.0)
        raise _Fault(VALUE)
    if isinstance(value, Array):
        return to_number(value.rows[0][0])
    raise Unsupported(repr(value))


def to_text(value: Any) -> str:
    """Return a value as joining takes it."""
    if value is None:
        return ""
    if isinstance(value, CellError):
        raise _Fault(value)
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
        raise _Fault(VALUE)
    return to_number(value) != 0


def _rank(value: Any) -> int:
    if isinstance(value, bool):
        return 2
    return 1 if isinstance(value, str) else 0


def _compare(a: Any, b: Any) -> int:
    if a is None:
        a = "" if isinstance(b, str) else False if isinstance(b, bool) else 0.0
    if b is None:
        b = "" if isinstance(a, str) else False if isinstance(a, bool) else 0.0
    kinds = _rank(a), _rank(b)
    if kinds[0] != kinds[1]:
        return -1 if kinds[0] < kinds[1] else 1
    if kinds[0] == 1:
        a, b = a.casefold(), b.casefold()
    elif isinstance(a, float) and isinstance(b, float) and math.isclose(a, b, rel_tol=1e-15):
        return 0
    return int(a > b) - int(a < b)


_PLAIN: dict[str, Callable[[float, float], float]] = {"+": add, "-": sub, "*": mul}

_COMPARISONS: dict[str, Callable[[int], bool]] = {
    "=": lambda c: c == 0,
    "<>": lambda c: c != 0,
    "<": lambda c: c < 0,
    ">": lambda c: c > 0,
    "<=": lambda c: c <= 0,
    ">=": lambda c: c >= 0,
}


def _binary(operator: str, a: Any, b: Any) -> Any:
    try:
        if isinstance(a, CellError):
            return a
        if isinstance(b, CellError):
            return b
        if operator in _COMPARISONS:
            return _COMPARISONS[operator](_compare(a, b))
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
    except _Fault as fault:
        return fault.error
    except OverflowError:
        return NUM
    raise Unsupported(operator)


def _each(function: Callable[..., Any], *given: Any) -> Any:
    arrays = [g for g in given if isinstance(g, Array)]
    if not arrays:
        return function(*given)
    height = max(a.shape[0] for a in arrays)
    width = max(a.shape[1] for a in arrays)

    def item(value: Any, row: int, column: int) -> Any:
        if not isinstance(value, Array):
            return value
        rows, columns = value.shape
        row, column = 0 if rows == 1 else row, 0 if columns == 1 else column
        return value.rows[row][column] if row < rows and column < columns else NA

    return Array([[function(*(item(g, r, c) for g in given)) for c in range(width)] for r in range(height)])


# --- functions whose arguments are not all computed ---------------------------------------------------------

Special = Callable[[_Run, Compiled, Key, Names], Any]


def _argument(run: _Run, call: Compiled, at: int, key: Key, names: Names, default: Any = None) -> Any:
    if at >= len(call.arguments):
        return default
    code = call.codes[at]
    return default if code is None else code(run, key, names)


def _if(run: _Run, call: Compiled, key: Key, names: Names) -> Any:
    condition = _argument(run, call, 0, key, names)
    if isinstance(condition, Array) and condition.shape != (1, 1):
        yes = _argument(run, call, 1, key, names, True)
        no = _argument(run, call, 2, key, names, False)
        return _each(lambda c, y, n: c if isinstance(c, CellError) else y if to_bool(c) else n, condition, yes, no)
    condition = run.scalar(condition, key)
    if isinstance(condition, CellError):
        return condition
    try:
        chosen = to_bool(condition)
    except _Fault as fault:
        return fault.error
    if chosen:
        return _argument(run, call, 1, key, names, 0.0 if len(call.arguments) > 1 else True)
    return _argument(run, call, 2, key, names, 0.0 if len(call.arguments) > 2 else False)


def _iferror(run: _Run, call: Compiled, key: Key, names: Names) -> Any:
    value = _argument(run, call, 0, key, names)
    if isinstance(value, Array) and value.shape != (1, 1):
        other = _argument(run, call, 1, key, names, "")
        return _each(lambda v, o: o if isinstance(v, CellError) else v, value, other)
    value = run.scalar(value, key)
    bad = isinstance(value, CellError) and (call.function == "IFERROR" or value == "#N/A")
    return _argument(run, call, 1, key, names, "") if bad else value


def _ifs(run: _Run, call: Compiled, key: Key, names: Names) -> Any:
    for at in range(0, len(call.arguments) - 1, 2):
        condition = run.scalar(_argument(run, call, at, key, names), key)
        if isinstance(condition, CellError):
            return condition
        if to_bool(condition):
            return _argument(run, call, at + 1, key, names)
    return NA


def _switch(run: _Run, call: Compiled, key: Key, names: Names) -> Any:
    value = run.scalar(_argument(run, call, 0, key, names), key)
    rest = call.arguments[1:]
    for at in range(0, len(rest) - 1, 2):
        case = run.scalar(_argument(run, call, at + 1, key, names), key)
        if _compare(value, case) == 0:
            return _argument(run, call, at + 2, key, names)
    return _argument(run, call, len(call.arguments) - 1, key, names) if len(rest) % 2 else NA


def _choose(run: _Run, call: Compiled, key: Key, names: Names) -> Any:
    try:
        at = int(to_number(run.scalar(_argument(run, call, 0, key, names), key)))
    except _Fault as fault:
        return fault.error
    return _argument(run, call, at, key, names) if 1 <= at < len(call.arguments) else VALUE


def _let(run: _Run, call: Compiled, key: Key, names: Names) -> Any:
    known = dict(names)
    for at in range(0, len(call.arguments) - 1, 2):
        name = call.arguments[at]
        if not isinstance(name, Ref):
            raise Unsupported("LET")
        known[name.name] = _argument(run, call, at + 1, key, known)
    return _argument(run, call, len(call.arguments) - 1, key, known)


def _placed(run: _Run, call: Compiled, key: Key) -> Area | None:
    first = call.arguments[0] if call.arguments else None
    return first.at(key[1], key[2]) if isinstance(first, Area) else None


def _row(run: _Run, call: Compiled, key: Key, names: Names) -> Any:
    area = _placed(run, call, key)
    if area is None:
        if call.arguments:
            raise Unsupported("ROW")
        return float(key[1] if call.function == "ROW" else key[2])
    if call.function == "ROW":
        if area.single:
            return float(area.row)
        bottom = min(area.bottom, max(run.extent.get(area.sheet or key[0], (1, 1))[0], area.row))
        return Array([[float(r)] for r in range(area.row, bottom + 1)], None)
    return float(area.column) if area.single else Array([[float(c) for c in range(area.column, area.right + 1)]], None)


def _size(run: _Run, call: Compiled, key: Key, names: Names) -> Any:
    area = _placed(run, call, key)
    if area is None:
        raise Unsupported(call.function)
    return float(area.bottom - area.row + 1 if call.function == "ROWS" else area.right - area.column + 1)


def _isblank(run: _Run, call: Compiled, key: Key, names: Names) -> Any:
    area = _placed(run, call, key)
    if area is None or not area.single:
        return False
    where = (area.sheet or key[0], area.row, area.column)
    return run.cell(where) is None


def _index(run: _Run, call: Compiled, key: Key, names: Names) -> Any:
    """INDEX over an area reads the one cell, so that a long column costs nothing."""
    try:
        row = to_number(run.scalar(_argument(run, call, 1, key, names, 0.0), key))
        column = to_number(run.scalar(_argument(run, call, 2, key, names, 0.0), key))
    except _Fault as fault:
        return fault.error
    area = _placed(run, call, key)
    if area is None:
        array = _argument(run, call, 0, key, names)
        if not isinstance(array, Array):
            array = Array([[array]])
        height, width = array.shape
        area = array.area
    else:
        array = None
        height, width = area.bottom - area.row + 1, area.right - area.column + 1
    i, j = int(row), int(column)
    if len(call.arguments) == 2 and height == 1 and width > 1:
        i, j = 1, i
    if i < 0 or j < 0 or i > height or j > width:
        return REFERENCE
    if i == 0 and height == 1:
        i = 1
    if j == 0 and width == 1:
        j = 1
    if i and j:
        if array is not None:
            return array.rows[i - 1][j - 1]
        assert area is not None
        return run.cell((area.sheet or key[0], area.row + i - 1, area.column + j - 1))
    if array is None:
        assert area is not None
        top, left = (area.row + i - 1, area.column) if i else (area.row, area.column + j - 1 if j else area.column)
        bottom = top if i else area.bottom
        right = left if j else area.right
        return run.array(Area(area.sheet, top, left, bottom, right, 15, False), key)
    rows = [array.rows[i - 1]] if i else array.rows
    return Array([[r[j - 1]] for r in rows] if j else rows)


def _offset(run: _Run, call: Compiled, key: Key, names: Names) -> Any:
    area = _placed(run, call, key)
    if area is None:
        raise Unsupported("OFFSET")
    try:
        rows, columns = (int(to_number(run.scalar(_argument(run, call, i, key, names, 0.0), key))) for i in (1, 2))
        height = int(to_number(_argument(run, call, 3, key, names, float(area.bottom - area.row + 1))))
        width = int(to_number(_argument(run, call, 4, key, names, float(area.right - area.column + 1))))
    except _Fault as fault:
        return fault.error
    top, left = area.row + rows, area.column + columns
    if top < 1 or left < 1 or height < 1 or width < 1:
        return REFERENCE
    if height == width == 1:
        return run.cell((area.sheet or key[0], top, left))
    return run.array(Area(area.sheet, top, left, top + height - 1, left + width - 1, 15, False), key)


_SPECIAL: dict[str, Special] = {
    "IF": _if,
    "IFERROR": _iferror,
    "IFNA": _iferror,
    "IFS": _ifs,
    "SWITCH": _switch,
    "CHOOSE": _choose,
    "LET": _let,
    "ROW": _row,
    "COLUMN": _row,
    "ROWS": _size,
    "COLUMNS": _size,
    "ISBLANK": _isblank,
    "INDEX": _index,
    "OFFSET": _offset,
}


# --- plain functions ----------------------------------------------------------------------------------------


def _items(given: Iterable[Any]) -> Iterator[Any]:
    for one in given:
        if isinstance(one, Array):
            yield from one.flat()
        else:
            yield one


def _numbers(*given: Any) -> list[float]:
    """The numbers as SUM takes them: from areas only true numbers, from arguments also what can be read as one."""
    found = []
    for one in given:
        if isinstance(one, Array):
            for item in one.flat():
                if isinstance(item, CellError):
                    raise _Fault(item)
                if isinstance(item, (int, float)) and not isinstance(item, bool):
                    found.append(float(item))
        elif one is not None:
            found.append(to_number(one))
    return found


def _scalar(value: Any) -> Any:
    return value.rows[0][0] if isinstance(value, Array) else value


def _lift(function: Callable[..., float]) -> Callable[..., Any]:
    def one(*given: Any) -> Any:
        try:
            return function(*(to_number(g) for g in given))
        except _Fault as fault:
            return fault.error
        except (OverflowError, ValueError):
            return NUM
        except ZeroDivisionError:
            return DIV0

    return lambda *given: _each(one, *given)


def _round(x: float, digits: float = 0.0) -> float:
    scale = 10.0 ** int(digits)
    scaled = abs(x) * scale
    return math.copysign(math.floor(scaled + 0.5 + scaled * 1e-15) / scale, x)


def _round_up(x: float, digits: float = 0.0) -> float:
    scale = 10.0 ** int(digits)
    return math.copysign(math.ceil(abs(x) * scale - 1e-9) / scale, x)


def _round_down(x: float, digits: float = 0.0) -> float:
    scale = 10.0 ** int(digits)
    return math.copysign(math.floor(abs(x) * scale + 1e-9) / scale, x)


def _mod(x: float, y: float) -> float:
    return x - y * math.floor(x / y)


def _int(x: float) -> float:
    return float(math.floor(x))


def _normsdist(x: float, cumulative: float = 1.0) -> float:
    return NormalDist().cdf(x) if cumulative else NormalDist().pdf(x)


def _normdist(x: float, mean: float, sd: float, cumulative: float = 1.0) -> float:
    one = NormalDist(mean, sd)
    return one.cdf(x) if cumulative else one.pdf(x)


def _average(*given: Any) -> Any:
    numbers = _numbers(*given)
    return sum(numbers) / len(numbers) if numbers else DIV0


def _count(*given: Any) -> float:
    return float(sum(isinstance(v, (int, float)) and not isinstance(v, bool) for v in _items(given)))


def _counta(*given: Any) -> float:
    return float(sum(v is not None for v in _items(given)))


def _countblank(*given: Any) -> float:
    return float(sum(v is None or v == "" for v in _items(given)))


def _logic(kind: str) -> Callable[..., Any]:
    def function(*given: Any) -> Any:
        truths = [to_bool(v) for v in _items(given) if v is not None and not (isinstance(v, str) and v == "")]
        if kind == "XOR":
            return sum(truths) % 2 == 1
        return all(truths) if kind == "AND" else any(truths)

    return function


@lru_cache(maxsize=1024)
def _pattern(text: str) -> re.Pattern[str]:
    parts, at = [], 0
    while at < len(text):
        one = text[at]
        if one == "~" and at + 1 < len(text):
            parts.append(re.escape(text[at + 1]))
            at += 1
        else:
            parts.append({"*": ".*", "?": "."}.get(one, re.escape(one)))
        at += 1
    return re.compile("".join(parts), re.I | re.S)


_CRITERION = re.compile(r"(<=|>=|<>|=|<|>)(.*)", re.S)


def _criterion(criterion: Any) -> Callable[[Any], bool]:
    operator, operand = "=", criterion
    if isinstance(criterion, str) and not isinstance(criterion, CellError):
        match = _CRITERION.match(criterion)
        if match:
            operator, operand = match[1], match[2]
        if isinstance(operand, str) and NUMBER.match(operand):
            operand = to_number(operand)
    if operand is None:
        operand = 0.0
    if isinstance(operand, str) and operator in ("=", "<>"):
        if operand == "":
            blank = operator == "="
            return lambda value: (value is None or value == "") == blank
        pattern = _pattern(operand)
        wanted = operator == "="
        return lambda value: (
            (isinstance(value, str) and not isinstance(value, CellError) and pattern.fullmatch(value) is not None)
            == wanted
        )
    test = _COMPARISONS[operator]

    def matches(value: Any) -> bool:
        if value is None or isinstance(value, CellError):
            return operator == "<>"
        if isinstance(operand, float) and isinstance(value, str) and NUMBER.match(value):
            value = to_number(value)
        if _rank(value) != _rank(operand):
            return operator == "<>"
        return test(_compare(value, operand))

    return matches


def _array(value: Any) -> Array:
    return value if isinstance(value, Array) else Array([[value]])


def _matching(pairs: tuple[Any, ...]) -> list[bool]:
    found: list[bool] | None = None
    for at in range(0, len(pairs) - 1, 2):
        test = _criterion(_scalar(pairs[at + 1]))
        hits = [test(v) for v in _array(pairs[at]).flat()]
        found = hits if found is None else [a and b for a, b in zip(found, hits, strict=False)]
    return found or []


def _chosen(values: Any, hits: list[bool]) -> list[float]:
    flat = list(_array(values).flat())
    found = []
    for value, hit in zip(flat, hits, strict=False):
        if hit and isinstance(value, CellError):
            raise _Fault(value)
        if hit and isinstance(value, (int, float)) and not isinstance(value, bool):
            found.append(float(value))
    return found


def _sumif(where: Any, criterion: Any, values: Any = None) -> float:
    return sum(_chosen(where if values is None else values, _matching((where, criterion))))


def _averageif(where: Any, criterion: Any, values: Any = None) -> Any:
    found = _chosen(where if values is None else values, _matching((where, criterion)))
    return sum(found) / len(found) if found else DIV0


def _averageifs(values: Any, *pairs: Any) -> Any:
    found = _chosen(values, _matching(pairs))
    return sum(found) / len(found) if found else DIV0


def _maxifs(values: Any, *pairs: Any) -> float:
    return max(_chosen(values, _matching(pairs)), default=0.0)


def _minifs(values: Any, *pairs: Any) -> float:
    return min(_chosen(values, _matching(pairs)), default=0.0)


def _sumproduct(*given: Any) -> float:
    total = 0.0
    columns = [list(_array(g).flat()) for g in given]
    for items in zip(*columns, strict=False):
        product = 1.0
        for item in items:
            if isinstance(item, CellError):
                raise _Fault(item)
            product *= float(item) if isinstance(item, (int, float)) and not isinstance(item, bool) else 0.0
        total += product
    return total


def _match(wanted: Any, where: Any, kind: Any = 1.0) -> Any:
    wanted = _scalar(wanted)
    if isinstance(wanted, CellError):
        return wanted
    way = to_number(kind) if kind is not None else 0.0
    flat = list(_array(where).flat())
    if way == 0:
        test = _equals(wanted)
        for at, value in enumerate(flat, 1):
            if test(value):
                return float(at)
        return NA
    found = _approximate(wanted, flat, way)
    return NA if found is None else float(found + 1)


def _equals(wanted: Any) -> Callable[[Any], bool]:
    if isinstance(wanted, str) and any(c in wanted for c in "*?~"):
        pattern = _pattern(wanted)
        return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None
    kind = _rank(wanted)
    return lambda value: (
        value is not None and not isinstance(value, CellError) and _rank(value) == kind and _compare(value, wanted) == 0
    )


def _approximate(wanted: Any, flat: list[Any], way: float) -> int | None:
    """The last place whose value is not beyond what is wanted, as a sorted search that skips errors finds it."""
    kind, found = _rank(wanted), None
    for at, value in enumerate(flat):
        if value is None or isinstance(value, CellError) or _rank(value) != kind:
            continue
        order = _compare(value, wanted)
        if (order <= 0 and way > 0) or (order >= 0 and way < 0):
            found = at
        elif way > 0 or way < 0:
            break
    return found


def _lookup(wanted: Any, where: Any, values: Any = None) -> Any:
    wanted = _scalar(wanted)
    if isinstance(wanted, CellError):
        return wanted
    array = _array(where)
    if values is None and min(array.shape) > 1:
        down = array.shape[0] >= array.shape[1]
        flat = [r[0] for r in array.rows] if down else array.rows[0]
        result = [r[-1] for r in array.rows] if down else array.rows[-1]
    else:
        flat, result = list(array.flat()), list(_array(where if values is None else values).flat())
    found = _approximate(wanted, flat, 1)
    return NA if found is None or found >= len(result) else result[found]


def _vlookup(wanted: Any, where: Any, column: Any, near: Any = True) -> Any:
    return _table_lookup(wanted, _array(where).rows, column, near)


def _hlookup(wanted: Any, where: Any, row: Any, near: Any = True) -> Any:
    return _table_lookup(wanted, [list(c) for c in zip(*_array(where).rows, strict=True)], row, near)


def _table_lookup(wanted: Any, rows: list[list[Any]], column: Any, near: Any) -> Any:
    wanted = _scalar(wanted)
    if isinstance(wanted, CellError):
        return wanted
    at = int(to_number(column))
    keys = [row[0] for row in rows]
    if not 1 <= at <= (len(rows[0]) if rows else 0):
        return REFERENCE
    if near is not None and to_bool(near):
        found = _approximate(wanted, keys, 1)
        return NA if found is None else rows[found][at - 1]
    test = _equals(wanted)
    return next((row[at - 1] for row in rows if test(row[0])), NA)


def _xmatch_place(wanted: Any, flat: list[Any], mode: float, search: float) -> int | None:
    order = range(len(flat)) if search >= 0 else range(len(flat) - 1, -1, -1)
    test = _equals(wanted) if mode == 2 or not isinstance(wanted, str) else _equals_plain(wanted)
    for at in order:
        if test(flat[at]):
            return at
    if mode in (-1, 1):
        best: int | None = None
        for at in order:
            value = flat[at]
            if value is None or isinstance(value, CellError) or _rank(value) != _rank(wanted):
                continue
            side = _compare(value, wanted)
            if side * mode > 0 and (best is None or _compare(value, flat[best]) * mode < 0):
                best = at
        return best
    return None


def _equals_plain(wanted: str) -> Callable[[Any], bool]:
    folded = wanted.casefold()
    return lambda value: isinstance(value, str) and not isinstance(value, CellError) and value.casefold() == folded


def _xlookup(wanted: Any, where: Any, values: Any, missing: Any = NA, mode: Any = 0.0, search: Any = 1.0) -> Any:
    wanted = _scalar(wanted)
    if isinstance(wanted, CellError):
        return wanted
    place = _xmatch_place(wanted, list(_array(where).flat()), to_number(mode), to_number(search or 1.0))
    if place is None:
        return NA if missing is None else missing
    flat = list(_array(values).flat())
    return flat[place] if place < len(flat) else NA


def _xmatch(wanted: Any, where: Any, mode: Any = 0.0, search: Any = 1.0) -> Any:
    wanted = _scalar(wanted)
    if isinstance(wanted, CellError):
        return wanted
    place = _xmatch_place(wanted, list(_array(where).flat()), to_number(mode), to_number(search or 1.0))
    return NA if place is None else float(place + 1)


def _rank_of(value: Any, where: Any, order: Any = 0.0) -> Any:
    number, others = to_number(_scalar(value)), _numbers(_array(where))
    if number not in others:
        return NA
    ascending = order is not None and to_number(order) != 0
    return 1.0 + sum(o < number if ascending else o > number for o in others)


def _large(values: Any, k: Any) -> Any:
    found, at = sorted(_numbers(values), reverse=True), int(to_number(k))
    return found[at - 1] if 1 <= at <= len(found) else NUM


def _small(values: Any, k: Any) -> Any:
    found, at = sorted(_numbers(values)), int(to_number(k))
    return found[at - 1] if 1 <= at <= len(found) else NUM


def _median(*given: Any) -> Any:
    found = sorted(_numbers(*given))
    middle = len(found) // 2
    return NUM if not found else found[middle] if len(found) % 2 else (found[middle - 1] + found[middle]) / 2


def _stdev(*given: Any) -> Any:
    found = _numbers(*given)
    if len(found) < 2:
        return DIV0
    mean = sum(found) / len(found)
    return math.sqrt(sum((x - mean) ** 2 for x in found) / (len(found) - 1))


def _n(value: Any) -> Any:
    value = _scalar(value)
    if isinstance(value, CellError):
        return value
    return float(value) if isinstance(value, (bool, int, float)) else 0.0


def _t(value: Any) -> Any:
    value = _scalar(value)
    return value if isinstance(value, str) else ""


def _is(kind: str) -> Callable[..., Any]:
    tests: dict[str, Callable[[Any], bool]] = {
        "ISNUMBER": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
        "ISTEXT": lambda v: isinstance(v, str) and not isinstance(v, CellError),
        "ISNONTEXT": lambda v: not isinstance(v, str) or isinstance(v, CellError),
        "ISERROR": lambda v: isinstance(v, CellError),
        "ISERR": lambda v: isinstance(v, CellError) and v != "#N/A",
        "ISNA": lambda v: isinstance(v, CellError) and v == "#N/A",
        "ISLOGICAL": lambda v: isinstance(v, bool),
    }
    test = tests[kind]
    return lambda value: _each(test, value)


def _texts(function: Callable[..., Any]) -> Callable[..., Any]:
    def one(*given: Any) -> Any:
        try:
            return function(*given)
        except _Fault as fault:
            return fault.error

    return lambda *given: _each(one, *given)


def _left(text: Any, count: Any = 1.0) -> str:
    return to_text(text)[: int(to_number(count))]


def _right(text: Any, count: Any = 1.0) -> str:
    n = int(to_number(count))
    return to_text(text)[-n:] if n > 0 else ""


def _mid(text: Any, start: Any, count: Any) -> str:
    first = int(to_number(start)) - 1
    return to_text(text)[first : first + int(to_number(count))]


def _find(wanted: Any, text: Any, start: Any = 1.0) -> Any:
    at = to_text(text).find(to_text(wanted), int(to_number(start)) - 1)
    return VALUE if at < 0 else float(at + 1)


def _search(wanted: Any, text: Any, start: Any = 1.0) -> Any:
    match = _pattern(to_text(wanted)).search(to_text(text), int(to_number(start)) - 1)
    return VALUE if match is None else float(match.start() + 1)


def _substitute(text: Any, old: Any, new: Any, which: Any = None) -> str:
    if which is not None:
        raise Unsupported("SUBSTITUTE")
    return to_text(text).replace(to_text(old), to_text(new)) if to_text(old) else to_text(text)


def _format(value: Any, pattern: Any) -> Any:
    shown = to_text(pattern)
    if shown == "@" or (isinstance(value, str) and not isinstance(value, CellError)):
        return to_text(value)
    match = re.fullmatch(r"(#,##)?0(\.0+)?(%?)", shown)
    if match is None:
        raise Unsupported("TEXT")
    number = to_number(value) * (100 if match[3] else 1)
    digits = len(match[2]) - 1 if match[2] else 0
    return f"{_round(number, digits):{',' if match[1] else ''}.{digits}f}{match[3]}"


def _trim(text: Any) -> str:
    return " ".join(part for part in to_text(text).split(" ") if part)


def _value_of(text: Any) -> Any:
    return to_number(text)


def _day(serial: Any) -> date:
    return date(1899, 12, 30) + timedelta(days=int(to_number(serial)))


def _date(year: Any, month: Any, day: Any) -> float:
    months = int(to_number(year)) * 12 + int(to_number(month)) - 1
    first = date(months // 12, months % 12 + 1, 1)
    return float((first - date(1899, 12, 30)).days + int(to_number(day)) - 1)


def _concat(*given: Any) -> str:
    return "".join(to_text(v) for v in _items(given))


def _textjoin(separator: Any, skip: Any, *given: Any) -> str:
    texts = [to_text(v) for v in _items(given)]
    return to_text(separator).join(t for t in texts if t or not to_bool(skip))


def _na() -> CellError:
    return NA


def _frequency_free(kind: str) -> Callable[..., Any]:
    def function(*given: Any) -> Any:
        numbers = _numbers(*given)
        if kind == "SUM":
            return math.fsum(numbers) if len(numbers) > 2 else sum(numbers)
        if kind == "PRODUCT":
            return math.prod(numbers) if numbers else 0.0
        if kind == "SUMSQ":
            return sum(x * x for x in numbers)
        return (max if kind == "MAX" else min)(numbers) if numbers else 0.0

    return function


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _frequency_free(name) for name in ("SUM", "PRODUCT", "SUMSQ", "MAX", "MIN")},
    **{name: _logic(name) for name in ("AND", "OR", "XOR")},
    **{name: _is(name) for name in ("ISNUMBER", "ISTEXT", "ISNONTEXT", "ISERROR", "ISERR", "ISNA", "ISLOGICAL")},
    "NOT": lambda v: _each(lambda x: x if isinstance(x, CellError) else not to_bool(x), v),
    "ABS": _lift(abs),
    "SIGN": _lift(lambda x: float((x > 0) - (x < 0))),
    "SQRT": _lift(math.sqrt),
    "EXP": _lift(math.exp),
    "LN": _lift(math.log),
    "LOG10": _lift(math.log10),
    "LOG": _lift(lambda x, base=10.0: math.log(x) / math.log(base)),
    "PI": lambda: math.pi,
    "MOD": _lift(_mod),
    "INT": _lift(_int),
    "TRUNC": _lift(_round_down),
    "ROUND": _lift(_round),
    "ROUNDUP": _lift(_round_up),
    "ROUNDDOWN": _lift(_round_down),
    "CEILING": _lift(lambda x, s=1.0: math.ceil(x / s - 1e-12) * s),
    "FLOOR": _lift(lambda x, s=1.0: math.floor(x / s + 1e-12) * s),
    "MROUND": _lift(lambda x, s: _round(x / s) * s),
    "NORMSDIST": _lift(_normsdist),
    "NORM.S.DIST": _lift(_normsdist),
    "NORMDIST": _lift(_normdist),
    "NORM.DIST": _lift(_normdist),
    "NORMSINV": _lift(lambda p: NormalDist().inv_cdf(p)),
    "NORM.S.INV": _lift(lambda p: NormalDist().inv_cdf(p)),
    "TANH": _lift(math.tanh),
    "AVERAGE": _average,
    "COUNT": _count,
    "COUNTA": _counta,
    "COUNTBLANK": _countblank,
    "MEDIAN": _median,
    "STDEV": _stdev,
    "STDEV.S": _stdev,
    "LARGE": _large,
    "SMALL": _small,
    "RANK": _rank_of,
    "RANK.EQ": _rank_of,
    "COUNTIF": lambda where, criterion: float(sum(_matching((where, criterion)))),
    "COUNTIFS": lambda *pairs: float(sum(_matching(pairs))),
    "SUMIF": _sumif,
    "SUMIFS": lambda values, *pairs: sum(_chosen(values, _matching(pairs))),
    "AVERAGEIF": _averageif,
    "AVERAGEIFS": _averageifs,
    "MAXIFS": _maxifs,
    "MINIFS": _minifs,
    "SUMPRODUCT": _sumproduct,
    "TRANSPOSE": lambda values: Array([list(column) for column in zip(*_array(values).rows, strict=True)]),
    "MATCH": _match,
    "XMATCH": _xmatch,
    "LOOKUP": _lookup,
    "VLOOKUP": _vlookup,
    "HLOOKUP": _hlookup,
    "XLOOKUP": _xlookup,
    "N": _n,
    "T": _t,
    "NA": _na,
    "LEFT": _texts(_left),
    "RIGHT": _texts(_right),
    "MID": _texts(_mid),
    "LEN": _texts(lambda v: float(len(to_text(v)))),
    "UPPER": _texts(lambda v: to_text(v).upper()),
    "LOWER": _texts(lambda v: to_text(v).lower()),
    "PROPER": _texts(lambda v: to_text(v).title()),
    "TRIM": _texts(_trim),
    "EXACT": _texts(lambda a, b: to_text(a) == to_text(b)),
    "FIND": _texts(_find),
    "SEARCH": _texts(_search),
    "SUBSTITUTE": _texts(_substitute),
    "REPT": _texts(lambda v, n: to_text(v) * int(to_number(n))),
    "VALUE": _texts(_value_of),
    "TEXT": _texts(_format),
    "CONCATENATE": _concat,
    "CONCAT": _concat,
    "TEXTJOIN": _textjoin,
    "DATE": _date,
    "YEAR": _texts(lambda v: float(_day(v).year)),
    "MONTH": _texts(lambda v: float(_day(v).month)),
    "DAY": _texts(lambda v: float(_day(v).day)),
    "TRUE": lambda: True,
    "FALSE": lambda: False,
    "HYPERLINK": lambda link, shown=None: link if shown is None else shown,
}

__all__ = ["UNKNOWN", "Array", "Evaluator", "Unsupported", "at_cell", "to_number", "to_text"]
