"""Calculators: two ratings and a result, or a few independent games, and what the ratings would become.

Every formula is judged alone, by what it does when the ratings, the score and K change. A formula that does not do
what its place asks for is repaired: by the formula of the other player's side with the sides changed, or by undoing one
known mistake. Only a repair after which the cell behaves, and no other cell worse, becomes a proposal.
"""

from __future__ import annotations

import itertools
import math
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from elo_sheets.expr import Binary, Call, Expr, Number, Unary, replaced, walk
from elo_sheets.package import CellError, Value
from elo_sheets.recognise.compare import code_of
from elo_sheets.recognise.context import NOTE, Context, Proposal, RoleCells, Sheetwork
from elo_sheets.recognise.departures import spell
from elo_sheets.recognise.evaluate import UNKNOWN
from elo_sheets.recognise.model import ALL_FIXED, Area, Key, Model, at_cell, range_text
from elo_sheets.recognise.nearmiss import anchored, candidates, places, with_literals_as, with_references
from elo_sheets.recognise.parts import POINTS, Part, Prober, cone, inputs, is_text_number, rounds, unrounded
from elo_sheets.recognise.shapes import Shape, shape_of
from elo_sheets.recognise.teams import partner, with_partners
from elo_sheets.validate.compare import differences

MOST_FORMULAS = 160  # a book with more is no calculator
MOST_TO_RESCUE = 40
DEEPEST = 20  # formulas behind one cell: more is a chain of games
MOST_REPAIRS = 8
SECONDS = 6.0  # for trying repairs
MOST_PAIRS = 40
HIGHEST_K = 400.0
MOST_GAMES, MOST_COUNTS = 60, 6
MATE = 37.0  # by how much a partner's rating is taken to differ from the team's
ONE = Number(1.0)
_K_LABEL = re.compile(
    r"(k|k[- ]?(factor|faktor|facteur|fattore|fator|value|wert|valor|coefficient)"
    r"|(factor|faktor|facteur|fattore|fator|coeficiente|coefficient|koeffizient)[- ]?k)\s*[:=]?",
    re.I,
)
Formulas = dict[Key, Expr]


def recognise(context: Context) -> Sheetwork | None:
    """Return what a book of calculators does and what is wrong with it, or None when it is no such book."""
    model = context.model
    if not 1 <= model.formula_count <= MOST_FORMULAS:
        return None
    if any(len(cone(model, key, DEEPEST)) >= DEEPEST for key in model.forms):
        return None
    desk = Desk(context)
    desk.survey()
    desk.count_one_game()
    if not desk.parts and model.formula_count <= MOST_TO_RESCUE:
        desk.rescue()
    if not desk.is_calculator():
        return None
    if desk.known:
        desk.survey()
    proposals = desk.repair()
    if not desk.parts:
        return None
    return desk.work(proposals)


@dataclass(frozen=True)
class Choice:
    """A repair that was tried: the cells it changes, its code, and how good it is (small is good)."""

    formulas: Formulas
    code: str
    rank: tuple[float, ...]


@dataclass
class Sides:
    """The two sides of a calculator: which cell belongs to which rating, and the cell opposite."""

    a: Key
    b: Key
    side: dict[Key, Key] = field(default_factory=dict)  # cell -> the rating of its side
    opposite: dict[Key, Key] = field(default_factory=dict)

    def mirrored(self, tree: Expr) -> Expr:
        """Return a formula (absolute) with the cells of the two sides exchanged."""
        if isinstance(tree, Area):
            if not tree.single or tree.sheet is None:
                return tree
            other = self.opposite.get((tree.sheet, tree.row, tree.column))
            return tree if other is None else cell_area(other)
        if isinstance(tree, Unary):
            return Unary(tree.operator, self.mirrored(tree.operand))
        if isinstance(tree, Binary):
            return Binary(tree.operator, self.mirrored(tree.left), self.mirrored(tree.right))
        if isinstance(tree, Call):
            return Call(tree.function, tuple(None if a is None else self.mirrored(a) for a in tree.arguments))
        return tree


def cell_area(key: Key) -> Area:
    """Return the absolute reference to a cell."""
    return Area(key[0], key[1], key[2], key[1], key[2], ALL_FIXED, True)


class Desk:
    """A book of calculators under examination."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.model: Model = context.model
        self.prober = Prober(context.evaluator)
        self.deadline = time.monotonic() + SECONDS
        self.rescued: dict[Key, Part] = {}
        self.formulas: Formulas = departed(context)
        self.counted: Formulas = {}  # counts of games, as if one had been played
        self.parts: dict[Key, Part] = {}
        self.teams: dict[Key, tuple[Key, ...]] = {}  # the mean or sum of partners' ratings, and those
        self.known: set[Key] = set()  # ratings found with a repair that was only a trial
        self.sides: list[Sides] = []
        self.shapes: dict[tuple[Key, Key, Key], Shape | None] = {}
        self.scale: float | None = 400.0

    # What the formulas do

    def survey(self) -> None:
        """Analyse the formulas as they stand with the repairs accepted so far."""
        self.parts = {}
        for key in {**self.model.forms, **dict.fromkeys(self.formulas)}:
            part = self.prober.analyse(key, self.formulas, self.known)
            if part is not None:
                self.parts[key] = part
        self.parts, self.teams = with_partners(self.prober, self.parts, self.formulas)
        scales = Counter(p.curve.scale for p in self.parts.values() if p.curve.scale is not None)
        if scales:
            self.scale = max(scales, key=lambda scale: (scales[scale], scale == 400.0, scale > 20.0))
        natural = [p for p in self.parts.values() if p.kind == "E" and p.curve.scale == self.scale and self._natural(p)]
        if natural and self.scale is not None:
            self.scale = float(100 * round(self.scale / math.log(10) / 100))
        self.sides = _sides(self.model, self.parts)

    def count_one_game(self) -> None:
        """When no result is understood, take counts of games as one game: then a match is like a game."""
        if self._understood() or self.model.formula_count > MOST_TO_RESCUE:
            return
        plain, best, most = dict(self.formulas), None, len(self.parts)
        for option in self._counts():
            if time.monotonic() > self.deadline:
                break
            self.formulas = {**plain, **option}
            self.survey()
            if len(self.parts) > most and self._understood():
                best, most = option, len(self.parts)
        self.counted = best or {}
        self.formulas = {**plain, **self.counted}
        self.survey()

    def _understood(self) -> bool:
        return any(part.kind == "N" or part.score is not None for part in self.parts.values())

    def _counts(self) -> Iterator[Formulas]:
        """Ways to say that one game was played: a cell is the count of games, or two or three are results of them."""
        readers = self.context.evaluator.readers
        typed = [
            (sheet, *place)
            for sheet, cells in self.model.book.sheets.items()
            for place, cell in sorted(cells.items())
            if cell.formula is None and readers.reached((sheet, *place), 1)
        ]
        counts = [k for k in typed if (n := self.model.number(k)) is not None and 0 <= n <= MOST_GAMES and n == int(n)]
        if len(counts) > MOST_COUNTS:
            return  # a table of results, not one match
        for key in counts:
            yield {key: ONE}
        for won, lost in itertools.permutations(counts, 2):
            rest = Binary("-", ONE, cell_area(won))
            yield {lost: rest}
            for drawn in counts:
                if drawn not in (won, lost):
                    yield {lost: rest, drawn: Number(0.0)}

    def analyse(self, key: Key, formulas: Mapping[Key, Expr]) -> Part | None:
        """Return what one cell does."""
        part = self.prober.analyse(key, formulas, self.ratings())
        if not self.teams or (part is not None and part.kind == "E"):
            return part
        behind = cone(self.model, key)
        for other in self.parts.values():
            if other.kind == "E" and other.own in self.teams and other.other in self.teams and other.key in behind:
                return partner(self.prober, key, other, self.teams, formulas) or part
        return part

    def ratings(self) -> set[Key]:
        """The inputs that are ratings, as far as known."""
        return self.known | {key for part in self.parts.values() for key in (part.own, part.other)}

    def rescue(self) -> None:
        """When nothing behaves: learn the ratings from the one undone mistake that makes most formulas behave."""
        best: tuple[int, Formulas] | None = None
        for formulas in self._trials():
            if time.monotonic() > self.deadline:
                break
            count = sum(self.analyse(other, formulas) is not None for other in self.model.forms)
            if count and (best is None or count > best[0]):
                best = count, formulas
        if best is not None:
            self.formulas |= best[1]
            self.survey()
            self.known = self.ratings()
            self.rescued = dict(self.parts)
            for key in best[1]:
                del self.formulas[key]

    def _trials(self) -> Iterator[Formulas]:
        looks = [key for key in self.model.forms if _has_power(self.model, key)]
        if len(looks) > 12 or any(self.context.evaluator.probe(key, {}) is UNKNOWN for key in looks):
            return
        if any(is_long(self.model.tree(key)) for key in looks):
            return
        for key in dict.fromkeys(one for look in looks for one in cone(self.model, look)):
            for _, tree in self.candidates_of(key):
                yield {key: tree}
        for group in self._groups():
            for _, formulas in self._for_all(group):
                yield formulas

    def _groups(self) -> list[list[Key]]:
        """Formulas filled from one cell to another: few cells of one form."""
        groups: dict[int, list[Key]] = {}
        for key, form in self.model.forms.items():
            if _has_power(self.model, key):
                groups.setdefault(id(form), []).append(key)
        return [keys for keys in groups.values() if len(keys) > 1]

    def _for_all(self, group: list[Key]) -> Iterator[tuple[str, Formulas]]:
        form = self.model.forms[group[0]]
        for code, tree in candidates(form.tree, [s for s in self._scales() if isinstance(s, Number)]):
            yield code, {key: at_cell(tree, key) for key in group}

    def is_calculator(self) -> bool:
        """Whether the ratings are inputs, and the results feed no other game."""
        if not self.parts:
            return False
        ratings = self.ratings()
        news = {key for key, part in self.parts.items() if part.kind == "N"}
        chained = news & ratings
        if chained:
            return False
        looks = [key for key in self.model.forms if _has_power(self.model, key)]
        seen = {one for key in self.parts for one in cone(self.model, key)}
        if len(seen & set(looks)) < 0.5 * len(looks) and not self.known:
            return False
        typed = [key for key in ratings if not self.model.is_formula(key) or key in self.teams]
        kinds = {part.kind for part in self.parts.values()}
        pairs = {frozenset((part.own, part.other)) for part in self.parts.values()}
        if kinds == {"E"} and len(pairs) > 3:
            return False  # pairings without a result are a matrix or a list
        owns = Counter(part.own for part in self.parts.values() if part.kind == "E")
        if len(pairs) > 3 and owns and max(owns.values()) > 0.7 * len(pairs) and not news:
            return False  # one player against many: a tournament
        return len(typed) >= max(2, len(ratings) // 2) and len(pairs) <= MOST_PAIRS

    # What they should do

    def side_of(self, key: Key) -> Key | None:
        """The rating of the side on which a cell stands."""
        return next((s.side[key] for s in self.sides if key in s.side), None)

    def sides_with(self, key: Key) -> Sides | None:
        """The pair of sides that a cell belongs to."""
        return next((s for s in self.sides if key in s.opposite), None)

    def fault_of(self, part: Part, parts: Mapping[Key, Part]) -> str | None:
        """What is wrong with a part, in a word; None when it does what its place asks for."""
        side = self.side_of(part.key)
        scale = part.curve.scale
        if scale is not None and self.scale is not None and abs(scale - self.scale) > 1e-6 * self.scale:
            return "base" if self._natural(part) else "scale"
        if abs(part.draw - 0.5) > 1e-6:
            return "draw"
        alike = [
            other for other in parts.values()
            if other.key != part.key and other.kind == part.kind and {other.own, other.other} == {part.own, part.other}
        ]  # fmt: skip
        if alike and part.limit and not any(other.limit for other in alike):
            return "limit"
        if alike and part.rounded and not any(other.rounded for other in alike):
            return "rounded"
        if alike and part.kind != "E" and part.score is None and all(other.score is not None for other in alike):
            return "score"
        if part.kind == "E":
            return "side" if side is not None and side in (part.own, part.other) and part.own != side else None
        expecting = part.own if part.sign > 0 else part.other
        scoring = None
        if part.score is not None and not _falls(part.values):
            mine = self.side_of(part.score)
            if mine in (part.own, part.other):
                scoring = mine if part.sign > 0 else (part.other if mine == part.own else part.own)
        players = {player for player in (part.base, expecting, scoring) if player is not None}
        if self._scores_with(part, parts):
            return "score"
        if part.base is None and scoring is None and side is None:
            return self._fault_of_k(part, alike)  # a change on no side: what uses it tells whose it is
        if side in (part.own, part.other):
            players.add(side)
        return "player" if len(players) > 1 else self._fault_of_k(part, alike)

    def _scores_with(self, part: Part, parts: Mapping[Key, Part]) -> bool:
        """Whether a new rating gains by the same result as the other player's, which stands before it."""
        if part.kind != "N" or part.score is None:
            return False
        return any(
            other.kind == "N" and other.key < part.key and other.score == part.score and other.base != part.base
            and {other.own, other.other} == {part.own, part.other} and other.best == part.best
            for other in parts.values()
        )  # fmt: skip

    def _natural(self, part: Part) -> bool:
        """Whether a curve is e to the difference over a round scale: EXP where ten to the power was meant."""
        assert part.curve.scale is not None
        divisor = part.curve.scale / math.log(10)
        trees = [t for one in cone(self.model, part.key) if (t := self._tree(one)) is not None]
        exponential = any(
            (isinstance(n, Call) and n.function == "EXP")
            or (
                isinstance(n, Binary) and n.operator == "^" and isinstance(n.left, Number) and 2.7 < n.left.value < 2.72
            )
            for tree in trees
            for n in walk(tree)
        )
        return exponential and abs(divisor / 100 - round(divisor / 100)) < 1e-3 * divisor / 400 and divisor > 99

    def _tree(self, key: Key) -> Expr | None:
        return self.formulas[key] if key in self.formulas else self.model.tree(key)

    def _fault_of_k(self, part: Part, alike: list[Part]) -> str | None:
        mine = part.k_cell
        if mine is None:
            return "literal" if alike and all(other.k_cell is not None for other in alike) else None
        if part.base is not None and self._ladder_of(mine, part) not in (None, part.base):
            return "k"
        place = self.side_of(mine)
        mirror = next((s.opposite[mine] for s in self.sides if mine in s.opposite), None)
        repeated = mirror is not None and mirror in cone(self.model, part.key)  # this side's K is the other side's
        if place in (part.own, part.other) and place != (part.base or self.side_of(part.key) or place) and not repeated:
            return "k"
        value = self.model.number(mine)
        if value is not None and abs(part.k - value) > 1e-6 and any(
            other.k_cell == mine and abs(other.k - value) < 1e-6 for other in alike
        ):  # fmt: skip
            return "k"
        sides = self.sides_with(mine)
        shared = [other.k_cell for other in alike]
        own_k = sides is not None and self.model.number(sides.opposite[mine]) is not None
        if (
            len(shared) >= 2
            and not own_k
            and shared.count(mine) == 0
            and len(set(shared)) == 1
            and shared[0] is not None
        ):
            return "k"
        return None

    def _ladder_of(self, cell: Key, part: Part) -> Key | None:
        """The one rating of the two by which a formula finds a K."""
        if cell not in self.model.forms:
            return None
        read = {part.own, part.other} & set(inputs(self.model, cell, self.formulas) or ())
        return read.pop() if len(read) == 1 else None

    # Repairs

    def repair(self) -> list[Proposal]:
        """Return proposals that put right what does not behave."""
        accepted: list[tuple[Choice, dict[Key, Part]]] = []
        for _ in range(MOST_REPAIRS):
            choice = self._next()
            if choice is None:
                break
            accepted.append((choice, dict(self.parts)))
            self.formulas |= choice.formulas
            self.survey()
        return (
            [self._proposal(choice, was) for choice, was in accepted]
            + self._outcomes()
            + self._inputs()
            + self._unread_k()
        )

    def _next(self) -> Choice | None:
        for key in self._problems():
            choice = self._choice(key)
            if choice is not None:
                return choice
        return None

    def _problems(self) -> list[Key]:
        """The cells that do not behave, those that others depend on first."""
        found = {key for key, part in self.parts.items() if self.fault_of(part, self.parts)}
        for key in self.model.forms:
            if key not in self.parts and self._should_behave(key):
                found.add(key)
        for sides in self.sides:
            for key, other in sides.opposite.items():
                if other in self.parts and key not in self.model.forms and self.model.number(key) is not None:
                    found.add(key)
        return sorted(found, key=lambda key: (len(cone(self.model, key)), key))

    def _should_behave(self, key: Key) -> bool:
        """Whether an unexplained formula stands where one of the rule is expected."""
        sides = self.sides_with(key)
        if key in self.rescued or (sides is not None and sides.opposite[key] in self.parts):
            return True
        if self.used_rightly(key):
            return False
        if _has_power(self.model, key):
            return True
        if not set(cone(self.model, key)[1:]) & set(self.parts):
            return False
        if set(self.model.precedents(key)) & self.ratings():
            return True
        look = _skeleton(self.model.tree(key))
        return any(
            _skeleton(self.model.tree(other)) == look for other in self.parts if other != key and _near(key, other)
        )

    def used_rightly(self, key: Key) -> bool:
        """Whether a formula that behaves reads this one."""
        return any(
            key in cone(self.model, other)[1:] and not self.fault_of(part, self.parts)
            for other, part in self.parts.items()
        )

    def _choice(self, key: Key) -> Choice | None:
        """The best repair after which a cell behaves, and no other worse than before."""
        found: list[Choice] = []
        before = self._bad(self.parts)
        members = (
            [one for one in cone(self.model, key, 8) if one not in self.formulas] if key in self.model.forms else [key]
        )
        if self.formulas:
            members += [one for one in self._read_by_repaired(key) if one not in members]
        behaving = {
            one for one, part in self.parts.items()
            if one not in before and (part.kind == "N" or self.side_of(one) is not None)
        }  # fmt: skip
        right = {one for one in self.parts if one not in before}
        ratings = self.ratings()
        for distance, cell in enumerate(members):
            if cell in behaving or time.monotonic() > self.deadline:
                continue
            for rank, code, formulas in self._ways(cell):
                trial = {**self.formulas, **formulas}
                part = self.analyse(key, trial)
                if part is None or self.fault_of(part, self.parts):
                    continue
                if ratings and not {part.own, part.other} <= ratings:
                    continue
                if key in self.parts and self.parts[key].kind != part.kind:
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
                cost = sum(edit_cost(tree, self.model.tree(one)) for one, tree in formulas.items())
                cost += part.sign < 0 and self.side_of(key) is None
                cost += part.base == max(part.own, part.other) and self.side_of(key) is None
                cost -= 0.5 * ({part.own, part.other} <= set(self.model.precedents(cell)))
                found.append(Choice(formulas, code, (len(after), cost + rank, distance)))
        return min(found, key=lambda choice: choice.rank, default=None)

    def _keeps(self, part: Part, formulas: Formulas) -> bool:
        """Whether a repaired part still reads a score, and has a K that stands in the sheet."""
        if part.kind == "E":
            return True
        now = self.parts.get(part.key)
        if now is not None and now.score is not None and part.score is None:
            return False
        if part.k > HIGHEST_K and (now is None or now.k <= HIGHEST_K):
            return False
        known = {
            abs(number) for key in (part.k_cell,) if key is not None and (number := self.model.number(key)) is not None
        }
        if part.k_cell is None:
            trees = [
                formulas[k] if k in formulas else self.model.tree(k) for k in {part.key, *cone(self.model, part.key)}
            ]
            known |= {abs(n.value) for tree in trees if tree is not None for n in walk(tree) if isinstance(n, Number)}
            known |= {other.k for other in self.parts.values()} if now is not None and now.k_cell is None else set()
        return any(abs(part.k - k) < 1e-6 for k in known)

    def _reads_nothing(self, cell: Key, tree: Expr) -> bool:
        """Whether a formula reads blank cells or texts as numbers that the present one does not read."""
        now = set(self.model.precedents(cell))
        for node in walk(tree):
            if isinstance(node, Area) and node.single:
                key = (node.sheet or cell[0], node.row, node.column)
                if key not in now and self.model.number(key) is None and key not in self.model.forms:
                    return True
        return False

    def _read_by_repaired(self, key: Key) -> list[Key]:
        return [one for one in inputs(self.model, key, self.formulas, 2) or [] if one in self.model.forms]

    def _with(self, cells: list[Key], formulas: Formulas) -> dict[Key, Part]:
        parts = dict(self.parts)
        for key in {*self.model.forms, *cells}:
            if key in cells or any(
                cell in cone(self.model, key) or cell in self.model.precedents(key) for cell in cells
            ):
                part = self.analyse(key, formulas)
                if part is None:
                    parts.pop(key, None)
                else:
                    parts[key] = part
        return parts

    def _bad(self, parts: Mapping[Key, Part]) -> set[Key]:
        bad = {key for key, part in parts.items() if self.fault_of(part, parts)}
        bad |= {key for key in self.model.forms if key not in parts and self._should_behave(key)}
        return bad

    def _ways(self, cell: Key) -> Iterator[tuple[float, str, Formulas]]:
        """The formulas that a cell may have been meant to hold: a handicap, the code, formulas."""
        present = self.model.tree(cell)
        sides = self.sides_with(cell)
        if sides is not None:
            other = self._tree(sides.opposite[cell])
            if other is not None:
                mirror = sides.mirrored(other)
                if mirror != present:
                    yield -4.0, "", {cell: mirror}
            if present == cell_area(sides.opposite[cell]):
                yield -3.0, "", {cell: Binary("-", ONE, present)}
            twin = self.parts.get(sides.opposite[cell])
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
        if group is not None and not any(one in self.formulas for one in group):
            for code, formulas in self._for_all(group):
                yield 1.5, code, formulas

    def _siblings(self, cell: Key, present: Expr) -> Iterator[Expr]:
        """A formula with a formula that it reads exchanged for one of the same shape: the other player's K."""
        for node in walk(present):
            key = (node.sheet or cell[0], node.row, node.column) if isinstance(node, Area) and node.single else cell
            if key == cell or key not in self.model.forms:
                continue
            look = _skeleton(self.model.tree(key))
            for other in self.model.forms:
                if other not in (key, cell) and _near(key, other) and _skeleton(self.model.tree(other)) == look:
                    yield replaced(present, node, cell_area(other))

    def _like_neighbours(self, cell: Key) -> Iterator[Expr]:
        """What the formulas beside a cell would be if they were filled into it."""
        present = self.model.tree(cell)
        for other, part in self.parts.items():
            form = self.model.forms.get(other)
            if other != cell and form is not None and _near(cell, other) and not self.fault_of(part, self.parts):
                tree = at_cell(form.tree, cell)
                if tree != present:
                    yield tree

    def candidates_of(self, cell: Key) -> Iterator[tuple[str, Expr]]:
        """Every formula one undone mistake away from a cell's own."""
        present = self.model.tree(cell)
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
        cells = [(cell_area(k), self.model.number(k)) for part in self.parts.values() if (k := part.k_cell) is not None]
        for tree in with_literals_as(present, cells[:2]):
            if tree not in seen:
                seen.add(tree)
                yield "", tree
        yield from self._expected_restored(cell, present, seen)

    def _expected_restored(self, cell: Key, present: Expr, seen: set[Expr]) -> Iterator[tuple[str, Expr]]:
        """K × S where K × (S − E) is meant."""
        scores = {part.score for part in self.parts.values() if part.score is not None} | {
            k for k in self.model.precedents(cell) if (n := self.model.number(k)) is not None and 0 <= n <= 1
        }
        expectations = [key for key, part in self.parts.items() if part.kind == "E"]
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
        for key in self.model.forms:
            tree = self.model.tree(key)
            for node in walk(tree) if tree is not None else ():
                if isinstance(node, Binary) and node.operator == "/" and node.right not in found:
                    right = node.right
                    if isinstance(right, Number) and right.value > 10:
                        found.append(right)
                    elif isinstance(right, Area) and right.single:
                        number = self.model.number((right.sheet or "", right.row, right.column))
                        if number is not None and number > 10:
                            found.append(right)
        usual = Number(400.0)
        cells = [
            cell_area((sheet, row, column))
            for sheet, cells in self.model.book.sheets.items()
            for (row, column), cell in cells.items()
            if cell.formula is None and cell.value == 400.0
        ]
        found += [area for area in cells if area not in found]
        return found[:4] if usual in found else [*found[:4], usual]

    def _areas(self, cell: Key) -> list[Area]:
        """The cells that a reference may have been meant to name: those that other formulas near it read."""
        near = Counter(
            k for key in self.model.forms if key[0] == cell[0] for k in self.model.precedents(key, 8) if k != cell
        )
        near.update(k for k in self.parts if k != cell)
        found = [k for k, _ in near.most_common(40) if cell not in cone(self.model, k)]
        return [cell_area(k) for k in sorted(found, key=lambda k: abs(k[1] - cell[1]) + abs(k[2] - cell[2]))[:14]]

    # What is said

    def _proposal(self, choice: Choice, was: Mapping[Key, Part]) -> Proposal:
        cells = tuple(sorted(choice.formulas))
        repairs, codes = {}, []
        for cell in cells:
            tree = choice.formulas[cell]
            stored = self.model.cell(cell)
            text = spell(tree, cell[0])
            if stored is not None and stored.formula is not None:
                text = anchored(text, stored.formula)
            present = self.model.tree(cell)
            codes.append("ES201" if present is None else self._code(choice, tree, present, cell, was))
            repairs[cell] = text
        return Proposal(codes[0], cells, repairs=repairs, fix="=" + repairs[cells[0]], rank=1)

    def _code(self, choice: Choice, expected: Expr, found: Expr, cell: Key, was: Mapping[Key, Part]) -> str:
        roles = self.role_map()
        code = code_of(expected, found, roles, cell)
        if choice.code in ("ES117", "ES119", "ES118", "ES112", "ES111", "ES102", "ES104") or code == "ES108":
            code = choice.code if choice.code else code
        if cell in was:
            fault = self.fault_of(was[cell], was)
            if fault == "scale" and code in ("ES105", "ES106", "ES108", "ES120"):
                code = "ES110"
            if fault in ("base", "scale") and code in ("ES108", "ES110") and self._natural(was[cell]):
                code = "ES111"
            if fault == "side" and code in ("ES106", "ES108", "ES114", "ES124"):
                return "ES113"
            if fault == "score" and code in ("ES106", "ES108", "ES113"):
                return "ES115"
            if fault == "limit":
                code = "ES118"
            if fault == "rounded":
                code = "ES107"
        if roles.get(cell) == "S" and code in ("ES113", "ES106", "ES108", "ES124"):
            code = "ES115"
        if any(isinstance(n, Area) and (n.sheet, n.row, n.column) == cell and n.single for n in walk(found)):
            return "ES215"
        if code == "ES108" and _misses_brackets(expected, found):
            code = "ES103"
        return self._by_meaning(expected, found, code, roles)

    def _by_meaning(self, expected: Expr, found: Expr, code: str, roles: Mapping[Key, str]) -> str:
        """A reference of the wrong side is named by what it is read for."""
        if code not in ("ES106", "ES114", "ES113", "ES120", "ES108"):
            return code
        swapped = _references_changed(expected, found)
        kinds = {(roles.get(a, ""), roles.get(b, "")) for a, b in swapped}
        if len(kinds) != 1 or not swapped:
            if kinds and all(x == y and x in "ESD" for x, y in kinds):
                return "ES115"
            return code
        was, now = kinds.pop()
        if was == now == "E":
            return "ES113"
        if was == now == "D":
            return "ES115"
        if was in "BO" and now in "BO" and was:
            return "ES114"
        if was == now == "K":
            return "ES120"
        if now == "R":
            return "ES116"
        return code

    def _inputs(self) -> list[Proposal]:
        """Ratings and scores that are texts, and scores that no game can have."""
        ratings = {key for part in self.parts.values() for key in (part.own, part.other)}
        scores = {part.score for part in self.parts.values() if part.score is not None and part.values == POINTS}
        found = []
        for key in sorted(ratings | scores):
            value = self.model.value(key)
            if key not in self.model.forms and is_text_number(value):
                number = float(str(value).strip().replace(",", "."))
                found.append(Proposal("ES410", (key,), values={key: number}, fix=f"{number:g}", rank=1))
        for key in sorted(scores):
            number_ = self.model.number(key)
            if key not in self.model.forms and number_ is not None and not 0 <= number_ <= 1 and not self.counted:
                message = f"the score is {number_:g}, where 0 to 1 is meant"
                found.append(Proposal("ES411", (key,), message, found=number_, effect=0.0, confidence="proven", rank=1))
        return found

    def _unread_k(self) -> list[Proposal]:
        """Cells called K that no formula reads, where the formulas take another K."""
        used = {round(part.k, 6) for part in self.parts.values() if part.kind != "E"}
        found = []
        for sheet, cells in self.model.book.sheets.items():
            for (row, column), cell in cells.items():
                label = cells.get((row, column - 1))
                if cell.formula is not None or label is None or not isinstance(label.value, str):
                    continue
                value = self.model.number((sheet, row, column))
                if value is None or not 1 <= value <= 200 or not _K_LABEL.fullmatch(label.value.strip()):
                    continue
                unread = not self.context.evaluator.readers.reached((sheet, row, column), 1)
                if unread and used and round(value, 6) not in used:
                    message = f"no formula reads this K of {value:g}: the changes take {min(used):g}"
                    note = Proposal("ES105", ((sheet, row, column),), message, severity=NOTE, effect=0.0, rank=8)
                    found.append(note)
        return found

    def _outcomes(self) -> list[Proposal]:
        """Win, draw and loss side by side of which two are the same result."""
        lines: dict[tuple[str, bool, int, Key, str], list[Part]] = {}
        for part in self.parts.values():
            if part.literal is not None and part.kind != "E":
                lines.setdefault((part.key[0], True, part.key[1], part.own, part.kind), []).append(part)
                lines.setdefault((part.key[0], False, part.key[2], part.own, part.kind), []).append(part)
        found = []
        for parts in lines.values():
            shown = [part.literal for part in sorted(parts, key=lambda p: p.key)]
            for right in ([1.0, 0.5, 0.0], [0.0, 0.5, 1.0]):
                wrong = [i for i, (a, b) in enumerate(zip(shown, right, strict=False)) if a != b]
                if len(shown) == 3 and len(wrong) == 1:
                    found += self._outcome(sorted(parts, key=lambda p: p.key)[wrong[0]], right[wrong[0]])
        return found

    def _outcome(self, part: Part, right: float) -> list[Proposal]:
        present = self.model.tree(part.key)
        for rebuilt in (
            (r for node, r in places(present) if node == Number(part.literal or 0.0)) if present is not None else ()
        ):
            tree = rebuilt(Number(right))
            repaired = self.analyse(part.key, {**self.formulas, part.key: tree})
            if repaired is not None and repaired.literal == right:
                text = spell(tree, part.key[0])
                code = "ES104" if right == 0.5 else "ES108"
                return [Proposal(code, (part.key,), repairs={part.key: text}, fix="=" + text, rank=1)]
        return []

    def role_map(self) -> dict[Key, str]:
        """Role letters of the cells of the book."""
        roles: dict[Key, str] = {}
        for key, part in self.parts.items():
            roles[key] = {"E": "E", "D": "D", "N": "R"}[part.kind]
            for rating in (part.own, part.other, *((part.member,) if part.member is not None else ())):
                roles.setdefault(rating, "B")
            if part.score is not None:
                roles.setdefault(part.score, "S")
            if part.kind != "E" and (k := part.k_cell) is not None:
                roles.setdefault(k, "K")
        for sides in self.sides:
            for key, other in sides.opposite.items():
                if other in roles:
                    roles.setdefault(key, roles[other])
        return roles

    def work(self, proposals: list[Proposal]) -> Sheetwork:
        """Return what was found as the other parts of the recognition take it."""
        roles: dict[str, list[Key]] = {}
        for key, role in sorted(self.role_map().items()):
            roles.setdefault(role, []).append(key)
        news = {key for key, part in self.parts.items() if part.kind == "N"}
        changes = {key for key, part in self.parts.items() if part.kind == "D"}
        ratings = news or changes or set(self.parts)
        pairs = {frozenset((part.own, part.other)) for part in self.parts.values()}
        work = Sheetwork("calculator", [RoleCells(role, tuple(keys)) for role, keys in roles.items()])
        work.ratings = ratings
        work.facts = self._facts()
        work.proposals = proposals
        work.listed = work.rated = len(pairs) if news else 0
        work.replayed = bool(news) and not proposals and self._values_agree()
        if not work.replayed:
            work.reason = "a calculator: its formulas were probed one by one; " + self._open(sorted(news), proposals)
        return work

    def _open(self, news: list[Key], proposals: list[Proposal]) -> str:
        """Why new ratings were not compared with what the rule gives."""
        if not news:
            return "it has no new rating to compare"
        what = "the rule is not clear before they are mended" if proposals else "no rule gives them all"
        return f"the new ratings stand in {range_text(news)}, but {what}"

    def _facts(self) -> dict[str, object]:
        parts = list(self.parts.values())
        shapes = [shape for part in parts if part.kind != "E" and (shape := self.shape_of(part)) is not None]
        names = [shape.name for shape in shapes] or [part.curve.name for part in parts]
        facts: dict[str, object] = {"curve": Counter(names).most_common(1)[0][0]}
        caps = [shape.cap for shape in shapes if shape.cap is not None]
        if caps:
            facts["cap"] = caps[0]
        if self.scale is not None and any(part.curve.scale is not None for part in parts):
            facts["scale"] = self.scale
        ks = Counter(round(part.k, 6) for part in parts if part.kind != "E")
        if ks:
            facts["k"] = ks.most_common(1)[0][0]
        advantages = {abs(part.curve.advantage) for part in parts if abs(part.curve.advantage) > 1e-6}
        if advantages:
            facts["advantage"] = max(advantages)
        if any(part.rounded for part in parts):
            facts["rounding"] = "whole formula or a part of it is rounded"
        return facts

    def _values_agree(self) -> bool:
        """Whether every new rating is what the rule makes of its inputs, as they are and as they might be."""
        return all(
            self._agrees_today(part) and self._agrees_elsewhere(part)
            for part in self.parts.values()
            if part.kind == "N"
        )

    def _agrees_today(self, part: Part) -> bool:
        if self.counted:
            return self._adds_up(part)
        numbers = [
            self.model.number(key) for key in (part.own, part.other, part.member or part.base) if key is not None
        ]
        score = part.literal if part.score is None else self._score(part)
        found = self.model.number(part.key)
        if len(numbers) < 3 or None in numbers or score is None or found is None:
            return False
        right = self._right(part, numbers[0] or 0.0, numbers[1] or 0.0, score, numbers[2] or 0.0)
        return right is not None and abs(right - found) <= (1.01 if part.rounded else 1e-6)

    def _agrees_elsewhere(self, part: Part) -> bool:
        """Whether the cell does what the rule says at ratings and results that do not stand in the book."""
        assert part.own is not None
        middle = self.model.number(part.own) or 1500.0
        formulas = {**self.formulas, **self.prober.held(part.key, self.formulas)}
        for gap, (shown, score) in itertools.product((-340.0, -95.0, 0.0, 12.0, 150.0, 700.0), self._results(part)):
            at: dict[Key, Value] = {part.own: middle, part.other: middle - gap}
            base = middle - gap if part.base == part.other else middle
            if part.member is not None:
                base += MATE
                at[part.member] = base
            if part.score is not None:
                at[part.score] = shown
            right, found = self._right(part, middle, middle - gap, score, base), self._number(part.key, at, formulas)
            if right is None or found is None or abs(right - found) > (1.01 if part.rounded else 1e-6):
                return False
        return True

    def _number(self, key: Key, at: Mapping[Key, Value], formulas: Formulas) -> float | None:
        return self.context.evaluator.number(key, at, formulas)

    def _results(self, part: Part) -> list[tuple[Value, float]]:
        if part.score is None:
            return [(None, part.literal if part.literal is not None else 0.0)]
        pairs = zip(part.values, (0.0, 0.5, 1.0), strict=True)
        return [(shown, score) for shown, score in pairs if shown is not None]

    def _right(self, part: Part, own: float, other: float, score: float, base: float) -> float | None:
        """The new rating that the rule gives; None when its curve is none that is known."""
        shape = self.shape_of(part)
        if shape is None:
            return None
        return base + part.sign * part.k * (score - shape.expectation(own - other))

    def shape_of(self, part: Part) -> Shape | None:
        """The curve of a part by name, with its cap; None when it is none that is known."""
        key = (part.key, part.own, part.other)
        if key not in self.shapes:
            self.shapes[key] = self._shape(part)
        return self.shapes[key]

    def _shape(self, part: Part) -> Shape | None:
        middle = self.model.number(part.own) or 1500.0
        formulas = {
            key: unrounded(tree)
            for key in cone(self.model, part.key)
            if (tree := self._tree(key)) is not None
        }  # fmt: skip
        formulas = {**self.formulas, **formulas, **self.prober.held(part.key, self.formulas)}
        score = self._results(part)[-1]

        def share(difference: float) -> float | None:
            at: dict[Key, Value] = {part.own: middle, part.other: middle - difference}
            if part.score is not None:
                at[part.score] = score[0]
            if part.member is not None:
                at[part.member] = 0.0
            found = self._number(part.key, at, formulas)
            moves = part.base is not None and part.member is None
            base = 0.0 if not moves else middle - difference if part.base == part.other else middle
            return None if found is None else score[1] - part.sign * (found - base) / part.k

        return shape_of(share, part.curve)

    def _adds_up(self, part: Part) -> bool:
        """Whether a match brings as much as its games one by one, at other counts of games too."""
        cells = [*self.counted, *([part.score] if part.score is not None else [])]
        base = 0.0 if part.base is None else self.model.number(part.base)
        plain = {key: tree for key, tree in self.formulas.items() if key not in self.counted}
        if base is None or part.rounded:
            return False

        def change(*counts: float) -> float | None:
            found = self._number(part.key, dict(zip(cells, counts, strict=True)), plain)
            return None if found is None else found - base

        singles = [change(*(1.0 if i == j else 0.0 for j in range(len(cells)))) for i in range(len(cells))]
        today = [self.model.number(cell) for cell in cells]
        for counts in ([3.0] * len(cells), [float(2 + i) for i in range(len(cells))], today):
            found = None if None in counts else change(*(c or 0.0 for c in counts))
            if found is None or None in singles:
                return False
            if abs(found - sum((s or 0.0) * (c or 0.0) for s, c in zip(singles, counts, strict=True))) > 1e-6:
                return False
        return True

    def _score(self, part: Part) -> float | None:
        assert part.score is not None
        value = self.model.value(part.score)
        if isinstance(value, float) and part.values != POINTS:
            found = self._number(part.key, {part.score: value}, self.formulas)
            for shown, score in self._results(part):
                at = self._number(part.key, {part.score: shown}, self.formulas)
                if at is not None and found is not None and abs(at - found) < 1e-9:
                    return score
            return None
        for shown, score in zip(part.values, POINTS, strict=True):
            if value == shown or (isinstance(value, str) and value.casefold() == str(shown).casefold()):
                return score
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
        return 0.0 if isinstance(value, str) and not isinstance(value, CellError) else None


def _falls(values: tuple[Value, Value, Value]) -> bool:
    """Whether the number that tells a result is the larger, the worse it is: the opponent's goals, a code."""
    loss, _, win = values
    return isinstance(loss, float) and isinstance(win, float) and loss > win


# --- helpers ------------------------------------------------------------------------------------------------


def _has_power(model: Model, key: Key) -> bool:
    tree = model.tree(key)
    if tree is None:
        return False
    return any(
        (isinstance(node, Binary) and node.operator == "^") or (isinstance(node, Call) and node.function == "EXP")
        for node in walk(tree)
    ) or any(isinstance(node, Number) and node.value in (400.0, 10.0) for node in walk(tree))


def departed(context: Context) -> Formulas:
    """The formulas that the majority of their run would put into cells that depart from it."""
    found: Formulas = {}
    for suspect in context.suspects:
        tree = suspect.run.expected(suspect.key)
        if tree is not None and suspect.kind != "text":
            found[suspect.key] = tree
    return found


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


def _misses_brackets(expected: Expr, found: Expr) -> bool:
    """Whether two formulas have the same numbers, references and operators in another order of working."""

    def bag(tree: Expr) -> Counter[str]:
        return Counter(
            node.operator if isinstance(node, (Binary, Unary)) else repr(node)
            for node in walk(tree)
            if not isinstance(node, Call)
        )

    return bag(expected) == bag(found)


def _references_changed(expected: Expr, found: Expr) -> list[tuple[Key, Key]]:
    """The references that differ between two formulas of the same shape."""
    one, other = walk(expected), walk(found)
    if len(one) != len(other):
        return []
    pairs = []
    for a, b in zip(one, other, strict=True):
        if isinstance(a, Area) and isinstance(b, Area) and a != b:
            pairs.append(((a.sheet or "", a.row, a.column), (b.sheet or "", b.row, b.column)))
    return pairs


def _sides(model: Model, parts: Mapping[Key, Part]) -> list[Sides]:
    """The pairs of sides: for each pair of ratings of one sheet, the cells that stand to each other as they do."""
    found = []
    for pair in {frozenset((part.own, part.other)) for part in parts.values()}:
        a, b = sorted(pair)
        if a[0] != b[0]:
            continue
        sides = Sides(a, b)
        _fill(model, parts, sides)
        if any(sides.opposite.get(part.key) for part in parts.values()):
            found.append(sides)
    return found


def _fill(model: Model, parts: Mapping[Key, Part], sides: Sides) -> None:
    (sheet, row_a, column_a), (_, row_b, column_b) = sides.a, sides.b
    rows, columns = row_b - row_a, column_b - column_a

    def pair(one: Key, other: Key) -> None:
        sides.side[one], sides.side[other] = sides.a, sides.b
        sides.opposite[one], sides.opposite[other] = other, one

    pair(sides.a, sides.b)
    if rows and columns:
        return
    here = model.book.sheets[sheet]
    line = [place for place in here if (place[1] == column_a if columns else place[0] == row_a)]
    for row, column in sorted(line):
        one, other = (sheet, row, column), (sheet, row + rows, column + columns)
        if model.value(one) is None or model.value(other) is None or other[1:] not in here:
            continue
        texts = [isinstance(model.value(k), str) and not model.is_formula(k) for k in (one, other)]
        if not any(texts) and one not in sides.opposite and other not in sides.opposite:
            pair(one, other)
    # Stacked: both ratings in one column, and the pairs of each quantity further down.
    used = [part for part in parts.values() if {part.own, part.other} == {sides.a, sides.b}]
    for kind in "EDN":
        cells = sorted(part.key for part in used if part.kind == kind and part.key not in sides.opposite)
        for one in cells:
            other = (one[0], one[1] + rows, one[2] + columns)
            back = (one[0], one[1] - rows, one[2] - columns)
            if one in sides.opposite:
                continue
            if other in cells or (other not in parts and _may_be(model, other, kind, sides)):
                pair(one, other)
            elif back not in parts and back not in sides.opposite and _may_be(model, back, kind, sides):
                pair(back, one)
    scores = sorted({part.score for part in used if part.score is not None and part.score not in sides.opposite})
    for one, other in itertools.pairwise(scores):
        if other == (one[0], one[1] + rows, one[2] + columns) and one not in sides.opposite:
            pair(one, other)


def _may_be(model: Model, key: Key, kind: str, sides: Sides) -> bool:
    """Whether an unexplained formula may be meant as an expectation, a change or a new rating."""
    tree = model.tree(key)
    if tree is None:
        return False
    if kind == "N":
        return bool({sides.a, sides.b} & set(model.precedents(key)))
    if kind == "D":
        return isinstance(tree, Binary) and tree.operator == "*"
    complement = isinstance(tree, Binary) and tree.operator == "-" and tree.left == ONE
    return complement or isinstance(tree, Area) or _has_power(model, key)


__all__ = ["Desk", "Sides", "cell_area", "recognise", "rounds"]
