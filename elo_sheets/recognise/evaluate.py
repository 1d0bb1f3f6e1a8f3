"""Evaluating cells at other inputs than those that stand in the book, so that a cell becomes a function.

`Evaluator.probe(target, {leaf: value})` answers what a cell would show. Only the cells between the target and the
changed ones are computed again, by a plain interpreter of the parsed formulas; all others keep the engine's value.
What the interpreter does not know is `UNKNOWN`, never a guess; numbers that are reported come from an engine.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any, Final

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
    to_bool,
    to_number,
)
from elo_sheets.expr import Binary, Call, Expr, Logical, Number, Ref, Text, Unary, walk
from elo_sheets.files.package import CellError, Value
from elo_sheets.recognise.model import ALL_FIXED, COLUMN, ROW, Area, Form, Key, Model
from elo_sheets.recognise.reach import Readers
from elo_sheets.recognise.transposed import ReadersAtHome, Turn, Turned

DEPTH = 14  # formulas followed from the target towards its inputs
MOST_GIVEN = 4096  # compiled formulas kept that are not in the book
MOVING = frozenset({"INDEX", "OFFSET", "INDIRECT", "RAND", "RANDBETWEEN", "NOW", "TODAY"})
LONG = 8  # cells of one formula from which it counts as filled down


class _Unknown:
    """What cannot be computed here."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = _Unknown()
Overrides = Mapping[Key, Value]


class Evaluator:
    """Computes cells of a model at other inputs, or with other formulas, than the book has.

    `readers` are those of a book with the same formulas, where they are known. A book seen from another side is
    computed as it stands.
    """

    def __init__(self, model: Model, readers: Readers | None = None) -> None:
        self.model = model
        self.extent: dict[str, tuple[int, int]] = {}
        for sheet, cells in model.book.sheets.items():
            self.extent[sheet] = (max((r for r, _ in cells), default=1), max((c for _, c in cells), default=1))
        self.readers = readers or Readers(model)
        self._home: _Home | None = _Home(model, model.book, self.readers) if isinstance(model.book, Turned) else None
        self._codes: dict[Form, Code] = {}
        self._given: dict[int, tuple[Expr, Code]] = {}
        self._arrays: dict[Area, Array] = {}
        self._used: dict[Area, Area] = {}
        self.computed = 0

    @property
    def work(self) -> int:
        """Cells that were computed so far: what a search costs, the same on any machine."""
        return self.computed + (0 if self._home is None else self._home.evaluator.work)

    def probe(
        self, target: Key, overrides: Overrides, formulas: Mapping[Key, Expr] | None = None, depth: int = DEPTH
    ) -> Any:
        """Return what `target` shows when the cells of `overrides` hold other values; `UNKNOWN` when not known.

        `formulas` gives other formulas (absolute trees, as `Model.tree` returns them) to some cells.
        """
        if self._home is not None:
            return self._home.probe(target, overrides, formulas or {}, depth)
        run = _Run(self, target, overrides, formulas or {}, depth)
        try:
            return run.top()
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

    def is_a_step(self, form: Form, key: Key, target: Key) -> bool:
        """Whether a cell with the formula of another is an earlier step of it: not in its row, unless rows are long.

        In `=D3-C3` and `=H3-G3` the ratings and the scores of one game are taken from each other alike.
        """
        return key[:2] != target[:2] or self._counts_in_rows[form, *key[:2]] >= LONG

    @cached_property
    def _counts_in_rows(self) -> Counter[tuple[Form, str, int]]:
        return Counter((form, *key[:2]) for key, form in self.model.forms.items())

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

    def used(self, area: Area) -> Area:
        """The part of an area (absolute, with its sheet) that is not beyond the last row and column of its sheet."""
        found = self._used.get(area)
        if found is None:
            rows, columns = self.extent.get(area.sheet or "", (1, 1))
            bottom, right = min(area.bottom, max(rows, area.row)), min(area.right, max(columns, area.column))
            found = self._used[area] = Area(area.sheet, area.row, area.column, bottom, right, ALL_FIXED, False)
        return found

    def stored(self, area: Area) -> Array:
        """The values of an area (absolute, with its sheet) as the book has them."""
        found = self._arrays.get(area)
        if found is None:
            value, sheet, used = self.model.value, area.sheet or "", self.used(area)
            rows = [
                [value((sheet, r, c)) for c in range(used.column, used.right + 1)]
                for r in range(used.row, used.bottom + 1)
            ]
            found = self._arrays[area] = Array(rows, area)
        return found


class _Home:
    """The book as it stands, asked by the names that its cells have from another side."""

    def __init__(self, model: Model, book: Turned, readers: Readers) -> None:
        self.turn: Turn = book.turn
        self.evaluator = Evaluator(
            Model(book.at_home(), self.turn.values(model.computed)), ReadersAtHome(readers, self.turn)
        )
        self._trees: dict[int, tuple[Expr, Expr]] = {}

    def probe(self, target: Key, overrides: Overrides, formulas: Mapping[Key, Expr], depth: int) -> Any:
        key = self.turn.key
        moved = {key(cell): value for cell, value in overrides.items()}
        given = {key(cell): self._tree(tree) for cell, tree in formulas.items()}
        return self.evaluator.probe(key(target), moved, given, depth)

    def _tree(self, tree: Expr) -> Expr:
        """A formula at home, the same object for the same formula, so that it is compiled once."""
        found = self._trees.get(id(tree))
        if found is None:
            if len(self._trees) > MOST_GIVEN:
                self._trees.clear()
            found = self._trees[id(tree)] = (tree, self.turn.tree(tree))
        return found[1]


class _Run:
    """One computation: its overrides, what has been computed, and which cells must be computed again."""

    def __init__(
        self, evaluator: Evaluator, target: Key, overrides: Overrides, formulas: Mapping[Key, Expr], depth: int
    ) -> None:
        self.evaluator = evaluator
        self.target = target
        self.model = evaluator.model
        self.forms = evaluator.model.forms
        self.formulas = formulas
        self.done: dict[Key, Any] = dict(overrides)
        usual = all(evaluator.readers.is_usual(target, area) for area in _areas(formulas.values()))
        self.reach = evaluator.readers.towards(target, frozenset((*overrides, *formulas)), depth, usual)
        self.arrays: dict[Area, Array] = {}
        self.repeated: Form | None = None
        self.busy: set[Key] = set()

    def top(self) -> Any:
        target, form = self.target, self.forms.get(self.target)
        if form is not None and self.evaluator.repeats(form):
            self.repeated = form
        return self.scalar(self.cell(target, force=True), target)

    def cell(self, key: Key, force: bool = False) -> Any:
        if key in self.done:
            return self.done[key]
        if key in self.formulas:
            code = self.evaluator.given_code(self.formulas[key])
        else:
            form = self.forms.get(key)
            if form is None or not (force or (key in self.reach and not self._is_a_step(form, key))):
                return self.model.value(key)
            code = self.evaluator.code(form)
        if key in self.busy:
            raise Unsupported("circular")
        self.busy.add(key)
        self.evaluator.computed += 1
        result = code(self, key, _NO_NAMES)
        if isinstance(result, Array):
            result = self.scalar(result, key)
        self.busy.discard(key)
        if result is None:
            result = 0.0
        self.done[key] = result
        return result

    def _is_a_step(self, form: Form, key: Key) -> bool:
        return form is self.repeated and self.evaluator.is_a_step(form, key, self.target)

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

    def array(self, placed: Area) -> Array:
        """The values of an area (absolute, with its sheet)."""
        found = self.arrays.get(placed)
        if found is None:
            found, used = self.evaluator.stored(placed), self.evaluator.used(placed)
            touched = self.reach.touched(used)
            if touched:
                rows = [list(row) for row in found.rows]
                self.evaluator.computed += len(rows)
                for one in touched:
                    rows[one[1] - used.row][one[2] - used.column] = self.cell(one)
                found = Array(rows, placed)
            self.arrays[placed] = found
        return found

    def as_stored(self, areas: Iterable[Area]) -> bool:
        """Whether what areas (absolute, with their sheets) show is what the book has."""
        return not any(map(self.reach.touched, areas))


def _areas(trees: Iterable[Expr]) -> Iterator[Area]:
    return (node for tree in trees for node in walk(tree) if isinstance(node, Area))


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
        return lambda run, key, names: each(lambda a: binary(operator, a, number), operand(run, key, names))
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
        places: dict[Key, Area] = {}

        def several(run: _Run, key: Key, names: Names) -> Any:
            placed = places.get(key)
            if placed is None:
                placed = places[key] = _absolute(area, key)
            return REFERENCE if placed.row < 1 or placed.column < 1 else run.array(placed)

        return several
    sheet, row, column = area.sheet, area.row, area.column
    down, across = not area.fixed & ROW, not area.fixed & COLUMN

    def single(run: _Run, key: Key, names: Names) -> Any:
        r, c = row + key[1] if down else row, column + key[2] if across else column
        return REFERENCE if r < 1 or c < 1 else run.cell((key[0] if sheet is None else sheet, r, c))

    return single


def _compiled_binary(tree: Binary) -> Code:
    left, right, operator = compiled(tree.left), compiled(tree.right), tree.operator
    plain = PLAIN.get(operator)

    def code(run: _Run, key: Key, names: Names) -> Any:
        a, b = left(run, key, names), right(run, key, names)
        if plain is not None and type(a) is float and type(b) is float:
            return plain(a, b)
        if isinstance(a, Array) or isinstance(b, Array):
            return each(partial(binary, operator), a, b)
        return binary(operator, a, b)

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

    def remembered(run: _Run, key: Key, names: Names) -> Any:
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
    def code(run: _Run, key: Key, names: Names) -> Any:
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

    def code(run: _Run, key: Key, names: Names) -> Any:
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


# --- scalars ------------------------------------------------------------------------------------------------


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


def _iferror(run: _Run, call: Compiled, key: Key, names: Names) -> Any:
    value = _argument(run, call, 0, key, names)
    if isinstance(value, Array) and value.shape != (1, 1):
        other = _argument(run, call, 1, key, names, "")
        return each(lambda v, o: o if isinstance(v, CellError) else v, value, other)
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
        if compare(value, case) == 0:
            return _argument(run, call, at + 2, key, names)
    return _argument(run, call, len(call.arguments) - 1, key, names) if len(rest) % 2 else NA


def _choose(run: _Run, call: Compiled, key: Key, names: Names) -> Any:
    try:
        at = int(to_number(run.scalar(_argument(run, call, 0, key, names), key)))
    except Fault as fault:
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
    return _absolute(first, key) if isinstance(first, Area) else None


def _row(run: _Run, call: Compiled, key: Key, names: Names) -> Any:
    area = _placed(run, call, key)
    if area is None:
        if call.arguments:
            raise Unsupported("ROW")
        return float(key[1] if call.function == "ROW" else key[2])
    if call.function == "ROW":
        if area.single:
            return float(area.row)
        bottom = run.evaluator.used(area).bottom
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


def _offset(run: _Run, call: Compiled, key: Key, names: Names) -> Any:
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
