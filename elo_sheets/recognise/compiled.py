"""Parsed formulas as code: what a formula shows, asked of a computation that knows what the cells show.

Each formula is compiled once for all cells that have it. What is not known here is `Unsupported`, never a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from elo_sheets.engines.functions import FUNCTIONS
from elo_sheets.engines.values import (
    NA,
    NUMBER,
    PLAIN,
    REFERENCE,
    VALUE,
    Array,
    Fault,
    Unsupported,
    binary,
    compare,
    each,
    operation,
    to_bool,
    to_number,
)
from elo_sheets.expr import Binary, Call, Expr, Logical, Number, Ref, Text, Unary, walk
from elo_sheets.files.package import CellError, Value
from elo_sheets.recognise.model import COLUMN, ROW, Area, Key

MOVING = frozenset({"INDEX", "OFFSET", "INDIRECT", "RAND", "RANDBETWEEN", "NOW", "TODAY"})
Names = Mapping[str, Any]
Code = Callable[["Run", Key, Names], Any]


class Run(Protocol):
    """One computation, as a formula asks it: a cell, the cells of an area, one value of several."""

    def used(self, area: Area) -> Area: ...

    def cell(self, key: Key, force: bool = False) -> Any: ...

    def array(self, placed: Area) -> Array: ...

    def scalar(self, value: Any, key: Key) -> Any: ...

    def as_stored(self, areas: Iterable[Area]) -> bool: ...


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
        return lambda run, key, names: each(lambda a: binary(operator, a, number), operand(run, key, names))
    if isinstance(tree, Call):
        return _compiled_call(tree)
    if isinstance(tree, Ref):
        return _compiled_name(tree)
    return _unsupported(repr(tree))


def _unsupported(what: str) -> Code:
    def code(run: Run, key: Key, names: Names) -> Any:
        raise Unsupported(what)

    return code


def _compiled_area(area: Area) -> Code:
    if not area.single:
        places: dict[Key, Area] = {}

        def several(run: Run, key: Key, names: Names) -> Any:
            placed = places.get(key)
            if placed is None:
                placed = places[key] = _absolute(area, key)
            return REFERENCE if placed.row < 1 or placed.column < 1 else run.array(placed)

        return several
    sheet, row, column = area.sheet, area.row, area.column
    down, across = not area.fixed & ROW, not area.fixed & COLUMN

    def single(run: Run, key: Key, names: Names) -> Any:
        r, c = row + key[1] if down else row, column + key[2] if across else column
        return REFERENCE if r < 1 or c < 1 else run.cell((key[0] if sheet is None else sheet, r, c))

    return single


def _compiled_binary(tree: Binary) -> Code:
    left, right, operator = compiled(tree.left), compiled(tree.right), tree.operator
    plain, made = PLAIN.get(operator), operation(operator)

    def code(run: Run, key: Key, names: Names) -> Any:
        a, b = left(run, key, names), right(run, key, names)
        if plain is not None and type(a) is float and type(b) is float:
            return plain(a, b)
        if isinstance(a, Array) or isinstance(b, Array):
            return each(made, a, b)
        return made(a, b)

    return code


def _compiled_call(tree: Call) -> Code:
    codes = tuple(None if a is None else compiled(a) for a in tree.arguments)
    special = _SPECIAL.get(tree.function)
    if special is not None:
        call = Compiled(tree.function, tree.arguments, codes)
        return lambda run, key, names: special(run, call, key, names)
    function = FUNCTIONS.get(tree.function)
    if function is None:
        return _unsupported(tree.function)
    code = _computed(tree.function, function, codes)
    nodes = walk(tree)
    areas = [node for node in nodes if isinstance(node, Area)]
    if all(area.single for area in areas) or any(isinstance(n, Ref) or _moves(n) for n in nodes):
        return code
    return _remembered(code, areas)


def _moves(node: Expr) -> bool:
    """Whether a part of a formula reads other cells than those it names, or another number each time."""
    return isinstance(node, Call) and node.function in MOVING


def _remembered(code: Code, areas: Sequence[Area]) -> Code:
    """Code whose result is kept for as long as what it reads is what the book has."""
    known: dict[Key, Any] = {}
    placed: dict[Key, list[Area]] = {}

    def remembered(run: Run, key: Key, names: Names) -> Any:
        reads = placed.get(key)
        if reads is None:
            reads = placed[key] = [_absolute(area, key) for area in areas]
        if not run.as_stored(reads):
            return code(run, key, names)
        if key not in known:
            known[key] = code(run, key, names)
        return known[key]

    return remembered


def _computed(name: str, function: Callable[..., Any], codes: Sequence[Code | None]) -> Code:
    def code(run: Run, key: Key, names: Names) -> Any:
        given = [None if c is None else c(run, key, names) for c in codes]
        try:
            return function(*given)
        except Fault as fault:
            return fault.error
        except (TypeError, OverflowError, ValueError, ZeroDivisionError) as error:
            raise Unsupported(name) from error

    return code


def _compiled_name(tree: Ref) -> Code:
    name = tree.name
    if name.startswith("{"):
        array = _literal_array(name)
        return lambda run, key, names: array

    def code(run: Run, key: Key, names: Names) -> Any:
        if name in names:
            return names[name]
        if name.startswith("#"):
            return CellError(name)
        raise Unsupported(name)

    return code


def _absolute(area: Area, key: Key) -> Area:
    """Return a reference as it reads in a cell, all numbers absolute, with its sheet."""
    at = area.at(key[1], key[2])
    return at if at.sheet is not None else Area(key[0], at.row, at.column, at.bottom, at.right, at.fixed, at.single)


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


# --- functions whose arguments are not all computed ---------------------------------------------------------

Special = Callable[[Run, Compiled, Key, Names], Any]


def _argument(run: Run, call: Compiled, at: int, key: Key, names: Names, default: Any = None) -> Any:
    if at >= len(call.arguments):
        return default
    code = call.codes[at]
    return default if code is None else code(run, key, names)


def _if(run: Run, call: Compiled, key: Key, names: Names) -> Any:
    condition = _argument(run, call, 0, key, names)
    if isinstance(condition, Array) and condition.shape != (1, 1):
        yes = _argument(run, call, 1, key, names, True)
        no = _argument(run, call, 2, key, names, False)
        return each(lambda c, y, n: c if isinstance(c, CellError) else y if to_bool(c) else n, condition, yes, no)
    condition = run.scalar(condition, key)
    if isinstance(condition, CellError):
        return condition
    try:
        chosen = to_bool(condition)
    except Fault as fault:
        return fault.error
    if chosen:
        return _argument(run, call, 1, key, names, 0.0 if len(call.arguments) > 1 else True)
    return _argument(run, call, 2, key, names, 0.0 if len(call.arguments) > 2 else False)


def _iferror(run: Run, call: Compiled, key: Key, names: Names) -> Any:
    value = _argument(run, call, 0, key, names)
    if isinstance(value, Array) and value.shape != (1, 1):
        other = _argument(run, call, 1, key, names, "")
        return each(lambda v, o: o if isinstance(v, CellError) else v, value, other)
    value = run.scalar(value, key)
    bad = isinstance(value, CellError) and (call.function == "IFERROR" or value == "#N/A")
    return _argument(run, call, 1, key, names, "") if bad else value


def _ifs(run: Run, call: Compiled, key: Key, names: Names) -> Any:
    for at in range(0, len(call.arguments) - 1, 2):
        condition = run.scalar(_argument(run, call, at, key, names), key)
        if isinstance(condition, CellError):
            return condition
        if to_bool(condition):
            return _argument(run, call, at + 1, key, names)
    return NA


def _switch(run: Run, call: Compiled, key: Key, names: Names) -> Any:
    value = run.scalar(_argument(run, call, 0, key, names), key)
    rest = call.arguments[1:]
    for at in range(0, len(rest) - 1, 2):
        case = run.scalar(_argument(run, call, at + 1, key, names), key)
        if compare(value, case) == 0:
            return _argument(run, call, at + 2, key, names)
    return _argument(run, call, len(call.arguments) - 1, key, names) if len(rest) % 2 else NA


def _choose(run: Run, call: Compiled, key: Key, names: Names) -> Any:
    try:
        at = int(to_number(run.scalar(_argument(run, call, 0, key, names), key)))
    except Fault as fault:
        return fault.error
    return _argument(run, call, at, key, names) if 1 <= at < len(call.arguments) else VALUE


def _let(run: Run, call: Compiled, key: Key, names: Names) -> Any:
    known = dict(names)
    for at in range(0, len(call.arguments) - 1, 2):
        name = call.arguments[at]
        if not isinstance(name, Ref):
            raise Unsupported("LET")
        known[name.name] = _argument(run, call, at + 1, key, known)
    return _argument(run, call, len(call.arguments) - 1, key, known)


def _placed(run: Run, call: Compiled, key: Key) -> Area | None:
    first = call.arguments[0] if call.arguments else None
    return _absolute(first, key) if isinstance(first, Area) else None


def _row(run: Run, call: Compiled, key: Key, names: Names) -> Any:
    area = _placed(run, call, key)
    if area is None:
        if call.arguments:
            raise Unsupported("ROW")
        return float(key[1] if call.function == "ROW" else key[2])
    if call.function == "ROW":
        if area.single:
            return float(area.row)
        bottom = run.used(area).bottom
        return Array([[float(r)] for r in range(area.row, bottom + 1)], None)
    return float(area.column) if area.single else Array([[float(c) for c in range(area.column, area.right + 1)]], None)


def _size(run: Run, call: Compiled, key: Key, names: Names) -> Any:
    area = _placed(run, call, key)
    if area is None:
        raise Unsupported(call.function)
    return float(area.bottom - area.row + 1 if call.function == "ROWS" else area.right - area.column + 1)


def _isblank(run: Run, call: Compiled, key: Key, names: Names) -> Any:
    area = _placed(run, call, key)
    if area is None or not area.single:
        return False
    where = (area.sheet or key[0], area.row, area.column)
    return run.cell(where) is None


def _index(run: Run, call: Compiled, key: Key, names: Names) -> Any:
    """INDEX over an area reads the one cell, so that a long column costs nothing."""
    try:
        row = to_number(run.scalar(_argument(run, call, 1, key, names, 0.0), key))
        column = to_number(run.scalar(_argument(run, call, 2, key, names, 0.0), key))
    except Fault as fault:
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
        return run.array(Area(area.sheet, top, left, bottom, right, 15, False))
    rows = [array.rows[i - 1]] if i else array.rows
    return Array([[r[j - 1]] for r in rows] if j else rows)


def _offset(run: Run, call: Compiled, key: Key, names: Names) -> Any:
    area = _placed(run, call, key)
    if area is None:
        raise Unsupported("OFFSET")
    try:
        rows, columns = (int(to_number(run.scalar(_argument(run, call, i, key, names, 0.0), key))) for i in (1, 2))
        height = int(to_number(_argument(run, call, 3, key, names, float(area.bottom - area.row + 1))))
        width = int(to_number(_argument(run, call, 4, key, names, float(area.right - area.column + 1))))
    except Fault as fault:
        return fault.error
    top, left = area.row + rows, area.column + columns
    if top < 1 or left < 1 or height < 1 or width < 1:
        return REFERENCE
    if height == width == 1:
        return run.cell((area.sheet or key[0], top, left))
    return run.array(Area(area.sheet, top, left, top + height - 1, left + width - 1, 15, False))


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
