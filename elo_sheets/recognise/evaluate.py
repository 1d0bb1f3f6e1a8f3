"""Evaluating cells at other inputs than those that stand in the book, so that a cell becomes a function.

`Evaluator.probe(target, {leaf: value})` answers what a cell would show. Only the cells between the target and the
changed ones are computed again, by a plain interpreter of the parsed formulas; all others keep the engine's value.
What the interpreter does not know is `UNKNOWN`, never a guess; numbers that are reported come from an engine.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Final

from elo_sheets.engines.values import Array, Unsupported
from elo_sheets.expr import Expr, walk
from elo_sheets.files.package import Value
from elo_sheets.recognise.compiled import Code, Names, compiled
from elo_sheets.recognise.model import ALL_FIXED, Area, Form, Key, Model
from elo_sheets.recognise.reach import Readers
from elo_sheets.recognise.transposed import ReadersAtHome, Turn, Turned

DEPTH = 14  # formulas followed from the target towards its inputs
MOST_GIVEN = 4096  # compiled formulas kept that are not in the book
MOST_FOUND = 20_000  # answers kept: searches ask the same again
STEPS = 8  # formulas from one game to the next of a player
OF_A_GAME = 1  # rows above or below that may belong to a game as well: the other side's
ALONG, CLOSE = 100.0, 1e-6  # rating points by which a cell is moved, and of which none is lost on the way
LONG = 8  # cells of one formula from which it counts as filled down
_NO_NAMES: Names = {}


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
        self._given: dict[int, tuple[Expr, Code, tuple[Area, ...]]] = {}
        self._arrays: dict[Area, Array] = {}
        self._used: dict[Area, Area] = {}
        self._found: dict[tuple[object, ...], tuple[Any, object]] = {}
        self._repeated: dict[tuple[str, int], frozenset[Form]] = {}
        self._going: dict[tuple[Form, str], bool] = {}
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
        given = formulas or {}
        asked = (target, depth, _told(overrides), *((cell, id(tree)) for cell, tree in given.items()))
        found = self._found.get(asked)
        if found is None:
            if len(self._found) > MOST_FOUND:
                self._found.clear()
            # With the formulas, so that no other takes the place of one in memory.
            found = self._found[asked] = (self._shown(target, overrides, given, depth), [*given.values()])
        return found[0]

    def _shown(self, target: Key, overrides: Overrides, formulas: Mapping[Key, Expr], depth: int) -> Any:
        try:
            return _Run(self, target, overrides, formulas, depth).top()
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

    def moves_along(self, target: Key, source: Key, depth: int = DEPTH) -> bool:
        """Whether a cell rises with another one point for point, as what adds to it does."""
        number = self.model.number(source)
        here = None if number is None else self.number(target, {source: number}, depth=depth)
        there = None if number is None else self.number(target, {source: number + ALONG}, depth=depth)
        return here is not None and there is not None and abs(there - here - ALONG) <= CLOSE

    def tree_value(self, tree: Expr, key: Key, overrides: Overrides, depth: int = DEPTH) -> Any:
        """Return what a formula (absolute tree) would show in the cell `key`; `UNKNOWN` when not known."""
        return self.probe(key, overrides, {key: tree}, depth)

    def depends(self, target: Key, leaves: Iterable[Key], depth: int = DEPTH) -> bool:
        """Whether `target` reads one of the leaves, directly or through other formulas."""
        return any(target == leaf or target in self.readers.reached(leaf, depth) for leaf in leaves)

    def repeats(self, form: Form) -> bool:
        """Whether a formula is that of a long run: its other cells are earlier steps, and so inputs of this one."""
        return not isinstance(form.tree, Area) and self._counts[form] >= LONG

    def repeated_in(self, sheet: str, row: int) -> frozenset[Form]:
        """The formulas of a row by which long runs go on: in other rows they are other games', and so inputs."""
        found = self._repeated.get((sheet, row))
        if found is None:
            forms = self._in_rows.get((sheet, row), ())
            found = frozenset(form for form in forms if self.repeats(form) and self._goes_on(form, sheet))
            self._repeated[sheet, row] = found
        return found

    def _goes_on(self, form: Form, sheet: str) -> bool:
        """Whether cells of a formula follow from the first of them on a sheet, as ratings do from earlier ones."""
        if (form, sheet) not in self._going:
            first = min((key for key in self._cells[form] if key[0] == sheet), default=None)
            later = frozenset[Key]() if first is None else self.readers.reached(first, STEPS)
            self._going[form, sheet] = any(key[0] == sheet and self.model.forms[key] is form for key in later)
        return self._going[form, sheet]

    @cached_property
    def _cells(self) -> dict[Form, list[Key]]:
        found: dict[Form, list[Key]] = {}
        for key, form in self.model.forms.items():
            found.setdefault(form, []).append(key)
        return found

    @cached_property
    def _in_rows(self) -> dict[tuple[str, int], list[Form]]:
        found: dict[tuple[str, int], list[Form]] = {}
        for key, form in self.model.forms.items():
            found.setdefault(key[:2], []).append(form)
        return found

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

    def given(self, tree: Expr) -> tuple[Expr, Code, tuple[Area, ...]]:
        """A formula that stands in for one of the book, compiled, and its areas: it is probed many times in a row."""
        found = self._given.get(id(tree))
        if found is None:
            if len(self._given) > MOST_GIVEN:
                self._given.clear()
            areas = tuple(node for node in walk(tree) if isinstance(node, Area))
            found = self._given[id(tree)] = (tree, compiled(tree), areas)
        return found

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
        areas = (area for tree in formulas.values() for area in evaluator.given(tree)[2])
        usual = all(evaluator.readers.is_usual(target, area) for area in areas)
        self.reach = evaluator.readers.towards(target, frozenset((*overrides, *formulas)), depth, usual)
        self.arrays: dict[Area, Array] = {}
        form = self.forms.get(target)
        self.own = form if form is not None and evaluator.repeats(form) else None
        self.repeated = evaluator.repeated_in(*target[:2])
        self.busy: set[Key] = set()

    def top(self) -> Any:
        return self.scalar(self.cell(self.target, force=True), self.target)

    def cell(self, key: Key, force: bool = False) -> Any:
        if key in self.done:
            return self.done[key]
        if key in self.formulas:
            code = self.evaluator.given(self.formulas[key])[1]
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
        if form is self.own and self.evaluator.is_a_step(form, key, self.target):
            return True
        return form in self.repeated and key[0] == self.target[0] and abs(key[1] - self.target[1]) > OF_A_GAME

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

    def used(self, area: Area) -> Area:
        """The part of an area (absolute, with its sheet) within its sheet."""
        return self.evaluator.used(area)

    def as_stored(self, areas: Iterable[Area]) -> bool:
        """Whether what areas (absolute, with their sheets) show is what the book has."""
        return not any(map(self.reach.touched, areas))


def _told(overrides: Overrides) -> frozenset[tuple[Key, type, Value]]:
    """Other values of cells as a key: TRUE is not 1."""
    return frozenset((cell, type(value), value) for cell, value in overrides.items())
