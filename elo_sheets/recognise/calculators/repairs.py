"""Calculators put right: every known mistake undone in turn, until the cells do what their places ask for.

A formula is repaired by the formula of the other player's side with the sides changed, or by undoing one known mistake.
Only a repair after which the cell behaves, and no other cell worse, is accepted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from elo_sheets.expr import Binary, Call, Expr, Number, Unary, replaced, walk
from elo_sheets.recognise.behind import cone, inputs
from elo_sheets.recognise.calculators.book import Desk, Formulas
from elo_sheets.recognise.calculators.sides import ONE, has_power
from elo_sheets.recognise.evaluate import UNKNOWN
from elo_sheets.recognise.model import Area, Key, at_cell, cell_area
from elo_sheets.recognise.nearmiss import candidates, with_literals_as, with_references
from elo_sheets.recognise.parts import Part
from elo_sheets.verdict.compare import differences

MOST_REPAIRS = 8
HIGHEST_K = 400.0


@dataclass(frozen=True)
class Choice:
    """A repair that was tried: the cells it changes, its code, and how good it is (small is good)."""

    formulas: Formulas
    code: str
    rank: tuple[float, ...]


class Mender:
    """Tries repairs on a desk."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def rescue(self) -> None:
        """When nothing behaves: learn the ratings from the one undone mistake that makes most formulas behave."""
        best: tuple[int, Formulas] | None = None
        for formulas in self._trials():
            if self.desk.is_spent:
                break
            count = sum(self.desk.analyse(other, formulas) is not None for other in self.desk.model.forms)
            if count and (best is None or count > best[0]):
                best = count, formulas
        if best is not None:
            self.desk.formulas |= best[1]
            self.desk.survey()
            self.desk.known = self.desk.ratings()
            self.desk.rescued = dict(self.desk.parts)
            for key in best[1]:
                del self.desk.formulas[key]

    def _trials(self) -> Iterator[Formulas]:
        looks = [key for key in self.desk.model.forms if has_power(self.desk.model, key)]
        if len(looks) > 12 or any(self.desk.context.evaluator.probe(key, {}) is UNKNOWN for key in looks):
            return
        if any(is_long(self.desk.model.tree(key)) for key in looks):
            return
        for key in dict.fromkeys(one for look in looks for one in cone(self.desk.model, look)):
            for _, tree in self.candidates_of(key):
                yield {key: tree}
        for group in self._groups():
            for _, formulas in self._for_all(group):
                yield formulas

    def _groups(self) -> list[list[Key]]:
        """Formulas filled from one cell to another: few cells of one form."""
        groups: dict[int, list[Key]] = {}
        for key, form in self.desk.model.forms.items():
            if has_power(self.desk.model, key):
                groups.setdefault(id(form), []).append(key)
        return [keys for keys in groups.values() if len(keys) > 1]

    def _for_all(self, group: list[Key]) -> Iterator[tuple[str, Formulas]]:
        form = self.desk.model.forms[group[0]]
        for code, tree in candidates(form.tree, [s for s in self._scales() if isinstance(s, Number)]):
            yield code, {key: at_cell(tree, key) for key in group}

    def repair(self) -> list[tuple[Choice, dict[Key, Part]]]:
        """Put right what does not behave: the repairs, each with what the cells did before it."""
        accepted: list[tuple[Choice, dict[Key, Part]]] = []
        for _ in range(MOST_REPAIRS):
            choice = self._next()
            if choice is None:
                break
            accepted.append((choice, dict(self.desk.parts)))
            self.desk.formulas |= choice.formulas
            self.desk.survey()
        return accepted

    def _next(self) -> Choice | None:
        for key in self._problems():
            choice = self._choice(key)
            if choice is not None:
                return choice
        return None

    def _problems(self) -> list[Key]:
        """The cells that do not behave, those that others depend on first."""
        found = {key for key, part in self.desk.parts.items() if self.desk.fault_of(part, self.desk.parts)}
        for key in self.desk.model.forms:
            if key not in self.desk.parts and self._should_behave(key):
                found.add(key)
        for sides in self.desk.sides:
            for key, other in sides.opposite.items():
                if (
                    other in self.desk.parts
                    and key not in self.desk.model.forms
                    and self.desk.model.number(key) is not None
                ):
                    found.add(key)
        return sorted(found, key=lambda key: (len(cone(self.desk.model, key)), key))

    def _should_behave(self, key: Key) -> bool:
        """Whether an unexplained formula stands where one of the rule is expected."""
        sides = self.desk.sides_with(key)
        if key in self.desk.rescued or (sides is not None and sides.opposite[key] in self.desk.parts):
            return True
        if self.used_rightly(key):
            return False
        if has_power(self.desk.model, key):
            return True
        if not set(cone(self.desk.model, key)[1:]) & set(self.desk.parts):
            return False
        if set(self.desk.model.precedents(key)) & self.desk.ratings():
            return True
        look = _skeleton(self.desk.model.tree(key))
        return any(
            _skeleton(self.desk.model.tree(other)) == look
            for other in self.desk.parts
            if other != key and _near(key, other)
        )

    def used_rightly(self, key: Key) -> bool:
        """Whether a formula that behaves reads this one."""
        return any(
            key in cone(self.desk.model, other)[1:] and not self.desk.fault_of(part, self.desk.parts)
            for other, part in self.desk.parts.items()
        )

    def _choice(self, key: Key) -> Choice | None:
        """The best repair after which a cell behaves, and no other worse than before."""
        found: list[Choice] = []
        before = self._bad(self.desk.parts)
        members = (
            [one for one in cone(self.desk.model, key, 8) if one not in self.desk.formulas]
            if key in self.desk.model.forms
            else [key]
        )
        if self.desk.formulas:
            members += [one for one in self._read_by_repaired(key) if one not in members]
        behaving = {
            one for one, part in self.desk.parts.items()
            if one not in before and (part.kind == "N" or self.desk.side_of(one) is not None)
        }  # fmt: skip
        right = {one for one in self.desk.parts if one not in before}
        ratings = self.desk.ratings()
        for distance, cell in enumerate(members):
            if cell in behaving or self.desk.is_spent:
                continue
            for rank, code, formulas in self._ways(cell):
                trial = {**self.desk.formulas, **formulas}
                part = self.desk.analyse(key, trial)
                if part is None or self.desk.fault_of(part, self.desk.parts):
                    continue
                if ratings and not {part.own, part.other} <= ratings:
                    continue
                if key in self.desk.parts and self.desk.parts[key].kind != part.kind:
                    continue
                if not self._keeps(part, trial):
                    continue
                if any(self._reads_nothing(one, tree) for one, tree in formulas.items()):
                    continue
                parts = self._with(list(formulas), trial)
                after = self._bad(parts)
                if key in after or len(after) > len(before) or any(one not in before for one in after):
                    continue
                if any(one not in parts for one in right):
                    continue
                cost = sum(edit_cost(tree, self.desk.model.tree(one)) for one, tree in formulas.items())
                cost += part.sign < 0 and self.desk.side_of(key) is None
                cost += part.base == max(part.own, part.other) and self.desk.side_of(key) is None
                cost -= 0.5 * ({part.own, part.other} <= set(self.desk.model.precedents(cell)))
                found.append(Choice(formulas, code, (len(after), cost + rank, distance)))
        return min(found, key=lambda choice: choice.rank, default=None)

    def _keeps(self, part: Part, formulas: Formulas) -> bool:
        """Whether a repaired part still reads a score, and has a K that stands in the sheet."""
        if part.kind == "E":
            return True
        now = self.desk.parts.get(part.key)
        if now is not None and now.score is not None and part.score is None:
            return False
        if part.k > HIGHEST_K and (now is None or now.k <= HIGHEST_K):
            return False
        known = {
            abs(number)
            for key in (part.k_cell,)
            if key is not None and (number := self.desk.model.number(key)) is not None
        }
        if part.k_cell is None:
            trees = [
                formulas[k] if k in formulas else self.desk.model.tree(k)
                for k in {part.key, *cone(self.desk.model, part.key)}
            ]
            known |= {abs(n.value) for tree in trees if tree is not None for n in walk(tree) if isinstance(n, Number)}
            known |= (
                {other.k for other in self.desk.parts.values()} if now is not None and now.k_cell is None else set()
            )
        return any(abs(part.k - k) < 1e-6 for k in known)

    def _reads_nothing(self, cell: Key, tree: Expr) -> bool:
        """Whether a formula reads blank cells or texts as numbers that the present one does not read."""
        now = set(self.desk.model.precedents(cell))
        for node in walk(tree):
            if isinstance(node, Area) and node.single:
                key = (node.sheet or cell[0], node.row, node.column)
                if key not in now and self.desk.model.number(key) is None and key not in self.desk.model.forms:
                    return True
        return False

    def _read_by_repaired(self, key: Key) -> list[Key]:
        return [
            one for one in inputs(self.desk.model, key, self.desk.formulas, 2) or [] if one in self.desk.model.forms
        ]

    def _with(self, cells: list[Key], formulas: Formulas) -> dict[Key, Part]:
        parts = dict(self.desk.parts)
        for key in {*self.desk.model.forms, *cells}:
            if key in cells or any(
                cell in cone(self.desk.model, key) or cell in self.desk.model.precedents(key) for cell in cells
            ):
                part = self.desk.analyse(key, formulas)
                if part is None:
                    parts.pop(key, None)
                else:
                    parts[key] = part
        return parts

    def _bad(self, parts: Mapping[Key, Part]) -> set[Key]:
        bad = {key for key, part in parts.items() if self.desk.fault_of(part, parts)}
        bad |= {key for key in self.desk.model.forms if key not in parts and self._should_behave(key)}
        return bad

    def _ways(self, cell: Key) -> Iterator[tuple[float, str, Formulas]]:
        """The formulas that a cell may have been meant to hold: a handicap, the code, formulas."""
        present = self.desk.model.tree(cell)
        sides = self.desk.sides_with(cell)
        if sides is not None:
            other = self.desk.tree_of(sides.opposite[cell])
            if other is not None:
                mirror = sides.mirrored(other)
                if mirror != present:
                    yield -4.0, "", {cell: mirror}
            if present == cell_area(sides.opposite[cell]):
                yield -3.0, "", {cell: Binary("-", ONE, present)}
            twin = self.desk.parts.get(sides.opposite[cell])
            if twin is not None and twin.kind == "E" and sides.side.get(twin.key) == twin.own:
                yield -1.0, "", {cell: Binary("-", Number(twin.unit), cell_area(twin.key))}
        if present is None:
            return
        for tree in self._siblings(cell, present):
            yield -1.0, "", {cell: tree}
        for tree in self._like_neighbours(cell):
            yield 0.5, "", {cell: tree}
        for code, tree in self.candidates_of(cell):
            yield 2.0 if code == "ES115" else 1.0, code, {cell: tree}
        group = next((g for g in self._groups() if cell in g), None)
        if group is not None and not any(one in self.desk.formulas for one in group):
            for code, formulas in self._for_all(group):
                yield 1.5, code, formulas

    def _siblings(self, cell: Key, present: Expr) -> Iterator[Expr]:
        """A formula with a formula that it reads exchanged for one of the same shape: the other player's K."""
        for node in walk(present):
            key = (node.sheet or cell[0], node.row, node.column) if isinstance(node, Area) and node.single else cell
            if key == cell or key not in self.desk.model.forms:
                continue
            look = _skeleton(self.desk.model.tree(key))
            for other in self.desk.model.forms:
                if other not in (key, cell) and _near(key, other) and _skeleton(self.desk.model.tree(other)) == look:
                    yield replaced(present, node, cell_area(other))

    def _like_neighbours(self, cell: Key) -> Iterator[Expr]:
        """What the formulas beside a cell would be if they were filled into it."""
        present = self.desk.model.tree(cell)
        for other, part in self.desk.parts.items():
            form = self.desk.model.forms.get(other)
            if (
                other != cell
                and form is not None
                and _near(cell, other)
                and not self.desk.fault_of(part, self.desk.parts)
            ):
                tree = at_cell(form.tree, cell)
                if tree != present:
                    yield tree

    def candidates_of(self, cell: Key) -> Iterator[tuple[str, Expr]]:
        """Every formula one undone mistake away from a cell's own."""
        present = self.desk.model.tree(cell)
        if present is None:
            return
        scales = self._scales()
        seen: set[Expr] = {present}
        for code, tree in candidates(present, scales):
            if tree not in seen:
                seen.add(tree)
                yield code, tree
        areas = self._areas(cell)
        for tree in with_references(present, areas):
            if tree not in seen:
                seen.add(tree)
                yield "", tree
        cells = [
            (cell_area(k), self.desk.model.number(k))
            for part in self.desk.parts.values()
            if (k := part.k_cell) is not None
        ]
        for tree in with_literals_as(present, cells[:2]):
            if tree not in seen:
                seen.add(tree)
                yield "", tree
        yield from self._expected_restored(cell, present, seen)

    def _expected_restored(self, cell: Key, present: Expr, seen: set[Expr]) -> Iterator[tuple[str, Expr]]:
        """K × S where K × (S − E) is meant."""
        scores = {part.score for part in self.desk.parts.values() if part.score is not None} | {
            k for k in self.desk.model.precedents(cell) if (n := self.desk.model.number(k)) is not None and 0 <= n <= 1
        }
        expectations = [key for key, part in self.desk.parts.items() if part.kind == "E"]
        if len(expectations) > 4:
            return
        for score in sorted(scores):
            for expectation in expectations:
                new = Binary("-", cell_area(score), cell_area(expectation))
                tree = replaced(present, cell_area(score), new)
                if tree not in seen and tree != present:
                    seen.add(tree)
                    yield "ES117", tree

    def _scales(self) -> list[Expr]:
        found: list[Expr] = []
        for key in self.desk.model.forms:
            tree = self.desk.model.tree(key)
            for node in walk(tree) if tree is not None else ():
                if isinstance(node, Binary) and node.operator == "/" and node.right not in found:
                    right = node.right
                    if isinstance(right, Number) and right.value > 10:
                        found.append(right)
                    elif isinstance(right, Area) and right.single:
                        number = self.desk.model.number((right.sheet or "", right.row, right.column))
                        if number is not None and number > 10:
                            found.append(right)
        usual = Number(400.0)
        cells = [
            cell_area((sheet, row, column))
            for sheet, cells in self.desk.model.book.sheets.items()
            for (row, column), cell in cells.items()
            if cell.formula is None and cell.value == 400.0
        ]
        found += [area for area in cells if area not in found]
        return found[:4] if usual in found else [*found[:4], usual]

    def _areas(self, cell: Key) -> list[Area]:
        """The cells that a reference may have been meant to name: those that other formulas near it read."""
        near = Counter(
            k
            for key in self.desk.model.forms
            if key[0] == cell[0]
            for k in self.desk.model.precedents(key, 8)
            if k != cell
        )
        near.update(k for k in self.desk.parts if k != cell)
        found = [k for k, _ in near.most_common(40) if cell not in cone(self.desk.model, k)]
        return [cell_area(k) for k in sorted(found, key=lambda k: abs(k[1] - cell[1]) + abs(k[2] - cell[2]))[:14]]


def is_long(tree: Expr | None) -> bool:
    """Whether a formula adds up several expectations, as no calculator's does."""
    nodes = walk(tree) if tree is not None else []
    powers = sum(
        (isinstance(n, Binary) and n.operator == "^") or (isinstance(n, Call) and n.function == "EXP") for n in nodes
    )
    return powers > 2 or any(isinstance(n, Call) and n.function in ("SUMPRODUCT", "MMULT") for n in nodes)


def _near(a: Key, b: Key) -> bool:
    return a[0] == b[0] and (a[1] == b[1] or a[2] == b[2]) and abs(a[1] - b[1]) + abs(a[2] - b[2]) <= 3


def _skeleton(tree: Expr | None) -> object:
    """A formula's shape: references and numbers alike, whatever they are."""
    if isinstance(tree, Binary):
        return tree.operator, _skeleton(tree.left), _skeleton(tree.right)
    if isinstance(tree, Unary):
        return tree.operator, _skeleton(tree.operand)
    if isinstance(tree, Call):
        return tree.function, *(_skeleton(a) for a in tree.arguments)
    return "" if tree is None else "x"


def edit_cost(tree: Expr, present: Expr | None) -> float:
    """How much of a formula a repair changes."""
    if present is None:
        return 0.0
    cost = 0.0
    for a, b in differences(tree, present):
        one, other = walk(a), walk(b)
        same = sum((Counter(map(repr, one)) & Counter(map(repr, other))).values())
        cost += len(one) + len(other) - 2 * same + 1
    return cost
