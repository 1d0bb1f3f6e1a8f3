"""What a single formula does in a rating rule, found by probing: expectation, change or new rating.

`analyse` treats a cell as a function of the inputs it depends on, tries pairs of inputs as the two ratings, and one as
the score. What passes is a `Part` that says whose rating it starts from, whose expectation it takes, which score, what
K and scale. Nothing here reads a header or a formula's spelling.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from elo_sheets.expr import Binary, Call, Expr, Number, Ref, Text, Unary, walk
from elo_sheets.files.package import CellError, Value
from elo_sheets.recognise.behind import MOST_LEVELS, SMALL_TABLE, Formulas, cone, inputs, reads
from elo_sheets.recognise.curves import Curve, curve
from elo_sheets.recognise.evaluate import Evaluator
from elo_sheets.recognise.model import Area, Key

MOST_WORDS = 12
CHOICES = {"IF", "IFS", "VLOOKUP", "HLOOKUP", "LOOKUP", "XLOOKUP", "INDEX", "CHOOSE", "SWITCH"}
POINTS = (0.0, 0.5, 1.0)  # of a loss, a draw and a win
MOST_GOALS = 12
SUMS = {"SUM", "COUNT", "COUNTA"}
ROUNDERS = {"ROUND", "ROUNDUP", "ROUNDDOWN", "INT", "TRUNC", "MROUND", "FIXED"}


@dataclass(frozen=True)
class Part:
    """What a formula cell does: `kind` is E (expectation), D (change) or N (new rating).

    `own` is the rating in which the expectation rises, `base` the one that a new rating starts from. `score` is the
    cell of the score and `values` what it shows for loss, draw and win; without a cell `literal` is the score. `sign`
    is −1 where the result falls with the score. `unit` is 100 for a percentage.
    """

    key: Key
    kind: str
    own: Key
    other: Key
    curve: Curve
    unit: float = 1.0
    base: Key | None = None
    score: Key | None = None
    values: tuple[Value, Value, Value] = POINTS
    literal: float | None = None
    sign: int = 1
    k: float = 0.0
    k_cell: Key | None = None  # the input that the change is proportional to; None when K is in the formula
    draw: float = 0.5
    rounded: bool = False
    limit: str = ""  # what bends the result far from the ratings that stand there: floor, ceiling, cap
    member: Key | None = None  # whose new rating it is, where `own` and `other` are ratings of teams

    @property
    def best(self) -> Value:
        """What the cell of the score shows when the result of this formula is highest."""
        return self.values[2] if self.sign > 0 else self.values[0]


def unrounded(tree: Expr) -> Expr:
    """Return a formula without the functions that round."""
    if isinstance(tree, Call):
        if tree.function in ROUNDERS and tree.arguments and tree.arguments[0] is not None:
            return unrounded(tree.arguments[0])
        return Call(tree.function, tuple(None if a is None else unrounded(a) for a in tree.arguments))
    if isinstance(tree, Binary):
        return Binary(tree.operator, unrounded(tree.left), unrounded(tree.right))
    if isinstance(tree, Unary):
        return Unary(tree.operator, unrounded(tree.operand))
    return tree


def rounds(tree: Expr) -> bool:
    """Return whether a formula rounds its result or a part of it."""
    return any(isinstance(node, Call) and node.function in ROUNDERS for node in walk(tree))


def _only_adds(tree: Expr) -> bool:
    """Whether a formula is a sum of what it reads: no curve, and no K times anything."""
    return not any(
        (isinstance(node, Binary) and node.operator not in "+-")
        or (isinstance(node, Call) and node.function not in SUMS)
        for node in walk(tree)
    )


def is_text_number(value: Value) -> bool:
    """Return whether a text reads as a number, with a point or a comma."""
    return (
        isinstance(value, str)
        and not isinstance(value, CellError)
        and _TEXT_NUMBER.fullmatch(value.strip()) is not None
    )


_TEXT_NUMBER = re.compile(r"[-+]?\d+([.,]\d+)?")


class Prober:
    """Analyses cells of one model; `fixed` are formulas that stand in for those of the book."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.model = evaluator.model
        self._known: dict[Key, Part | None] = {}

    def analyse(self, key: Key, formulas: Formulas | None = None, ratings: Iterable[Key] = ()) -> Part | None:
        """Return what the formula of `key` does, or None; `ratings` are inputs known to be ratings.

        A K that goes by steps (a ladder, a table) is held at its present step when the formula behaves so.
        """
        known = list(ratings)
        if formulas or known:
            return self._held_or_not(key, formulas or {}, known)
        if key not in self._known:
            self._known[key] = self._held_or_not(key, {}, ())
        return self._known[key]

    def _held_or_not(self, key: Key, formulas: Formulas, ratings: Iterable[Key]) -> Part | None:
        held = self.held(key, formulas)
        part = self._analyse(key, {**formulas, **held}, ratings) if held else None
        if part is None or part.kind == "E":
            return self._analyse(key, formulas, ratings)
        return replace(part, k_cell=next((one for one, k in held.items() if abs(k.value - part.k) < 1e-6), part.k_cell))

    def held(self, key: Key, formulas: Formulas) -> dict[Key, Number]:
        """Return the cells behind `key` that go by steps, each with its present number as a formula."""
        first = list(reads(self.model, key, formulas)) if key in formulas else [key]
        behind = dict.fromkeys(one for read in first for one in cone(self.model, read) if one != key)
        return {one: Number(step) for one in behind if (step := self._step(one, formulas))}

    def _step(self, key: Key, formulas: Formulas) -> float | None:
        """The number of a cell that chooses among numbers, and stays when what it reads moves a little."""
        value, tree = self.model.number(key), formulas[key] if key in formulas else self.model.tree(key)
        if value is None or not 1 < value <= 400 or tree is None:
            return None
        if not any(isinstance(node, Call) and node.function in CHOICES for node in walk(tree)):
            return None
        reads = {one: n for one in inputs(self.model, key, formulas) or () if (n := self.model.number(one)) is not None}
        moved = {one: n * (1 + 1e-9) for one, n in reads.items() if n != value}
        near = self.evaluator.number(key, moved, {key: tree}) if moved else None
        return value if near is not None and abs(near - value) < 1e-12 * value else None

    def _analyse(self, key: Key, formulas: Formulas, ratings: Iterable[Key]) -> Part | None:
        smooth = dict(formulas)
        rounded = bends = False
        for one in cone(self.model, key):
            tree = smooth[one] if one in smooth else self.model.tree(one)
            if tree is not None and rounds(tree):
                smooth[one] = unrounded(tree)
                rounded = True
            bends = bends or (tree is not None and not _only_adds(tree))
        if not bends and not formulas:
            return None
        seen: list[list[Key]] = []
        known = set(ratings)
        for level in range(MOST_LEVELS + 1):
            leaves = inputs(self.model, key, smooth, level)
            if leaves is None:
                continue
            if sorted(leaves) in seen:
                break
            seen.append(sorted(leaves))
            if len(known) >= 2 and len(known & set(leaves)) < 2:
                continue
            part = self._as_part(key, leaves, smooth, known)
            if part is not None:
                k_cell = None if part.kind == "E" else self._k_cell(part, leaves, smooth)
                return replace(part, rounded=rounded, limit=self._limit(part, smooth), k_cell=k_cell)
        return None

    def _k_cell(self, part: Part, leaves: list[Key], formulas: Formulas) -> Key | None:
        own, other = 1500.0, 1637.0  # no round gap, which an advantage might level
        fixed: dict[Key, Value] = {part.own: own, part.other: other}
        if part.score is not None:
            fixed[part.score] = part.values[2]
        base = 0.0 if part.base is None else other if part.base == part.other else own
        for leaf in leaves:
            value = self.model.number(leaf)
            if leaf in fixed or value is None or abs(value) < 1:
                continue
            one = self.evaluator.number(part.key, {**fixed, leaf: 40.0}, formulas)
            two = self.evaluator.number(part.key, {**fixed, leaf: 80.0}, formulas)
            if one is None or two is None or abs(one - base) < 4:
                continue
            if abs((two - base) - 2 * (one - base)) < 1e-6:
                return leaf
        return None

    def _limit(self, part: Part, formulas: Formulas) -> str:
        """Return what bends a part: a cap of the difference, a floor or a ceiling of the rating."""
        probe = _Probe(self.evaluator, part.key, part.own, part.other, formulas)
        c, scale = probe.center, part.curve.scale
        if part.kind == "E":
            far = 2.0 * (scale or 400.0)
            one, two = probe.at(c + far, c), probe.at(c + 2 * far, c)
            return "cap" if scale is not None and one is not None and two == one and one < part.unit else ""
        if part.kind == "N" and part.base is not None:
            score: dict[Key, Value] = {} if part.score is None else {part.score: part.values[2]}
            here = probe.at(c, c, score)
            for name, far in (("floor", -0.6 * c), ("floor", -120.0), ("ceiling", 0.6 * c), ("ceiling", 120.0)):
                there = probe.at(c + far, c + far, score)
                if here is not None and there is not None and abs(there - here - far) > max(1e-6, 0.3 * abs(far)):
                    return name
        return ""

    def _as_part(self, key: Key, leaves: list[Key], formulas: Formulas, ratings: set[Key]) -> Part | None:
        numeric = [
            leaf
            for leaf in leaves
            if self.model.number(leaf) is not None
            or self.model.value(leaf) is None
            or is_text_number(self.model.value(leaf))
        ]  # fmt: skip
        known = [leaf for leaf in numeric if leaf in ratings]
        candidates = known if len(known) >= 2 else numeric
        numbers = {leaf: self.model.number(leaf) for leaf in candidates}
        big = [leaf for leaf in candidates if (n := numbers[leaf]) is None or abs(n) > 5]
        for a, b in itertools.combinations(big, 2):
            probe = _Probe(self.evaluator, key, a, b, formulas)
            if not probe.usable:
                continue
            part = self._expectation(probe) or self._update(probe, [leaf for leaf in leaves if leaf not in (a, b)])
            if part is not None:
                return part
        return None

    def _expectation(self, probe: _Probe) -> Part | None:
        if not probe.still:
            return None
        for unit in (1.0, 100.0):
            found = curve(lambda a, b, unit=unit: _over(probe.at(a, b), unit), probe.center)  # type: ignore[misc]
            if found is not None:
                shape, rising = found
                own, other = (probe.a, probe.b) if rising else (probe.b, probe.a)
                return Part(probe.key, "E", own, other, shape, unit)
        return None

    def _update(self, probe: _Probe, rest: list[Key]) -> Part | None:
        bases = [probe.a, probe.b] if probe.moving else [None] if probe.still else []
        if not bases:
            return None
        for score, values in self._scores(probe, rest):
            for base in bases:
                part = self._with_score(probe, score, values, base)
                if part is not None:
                    return part
        for base in bases:
            part = self._with_literal(probe, base)
            if part is not None:
                return part
        return None

    def _words(self, key: Key) -> list[str]:
        """The words that a result may be: the texts in the formulas, and in the small tables that they look into."""
        found: set[str] = set()
        for one in cone(self.model, key):
            tree = self.model.tree(one)
            for node in walk(tree) if tree is not None else ():
                if isinstance(node, Text):
                    found.add(node.value)
                elif isinstance(node, Ref) and node.name.startswith("{"):
                    found.update(re.findall(r'"([^"]*)"', node.name))
                elif isinstance(node, Area) and 1 < node.size <= SMALL_TABLE:
                    cells = itertools.product(range(node.row, node.bottom + 1), range(node.column, node.right + 1))
                    values = [self.model.value((node.sheet or one[0], *place)) for place in cells]
                    found.update(v for v in values if isinstance(v, str) and not isinstance(v, CellError))
        return sorted(text for text in found if text.strip())[:MOST_WORDS]

    def _scores(self, probe: _Probe, rest: list[Key]) -> Iterator[tuple[Key, tuple[Value, Value, Value]]]:
        texts = self._words(probe.key)

        def likely(leaf: Key) -> bool:
            number = self.model.number(leaf)
            return number is not None and not 0 <= number <= 2

        for leaf in sorted(rest, key=likely):
            value = self.model.value(leaf)
            if value is None or is_text_number(value) or self.model.number(leaf) is not None:
                low, mid, high = (probe.at(probe.center, probe.center, {leaf: s}) for s in (0.0, 0.5, 1.0))
                more = probe.at(probe.center, probe.center, {leaf: 2.0}) if self.model.counts(leaf) else None
                if low is not None and mid is not None and high is not None and high != more and abs(high - low) > 1e-9:
                    yield leaf, POINTS
                    continue
                yield from self._counted(probe, leaf)
            if (isinstance(value, str) and not isinstance(value, CellError)) or value is None:
                own = [value] if isinstance(value, str) else []
                levels: dict[float, Value] = {}
                for text in dict.fromkeys([*texts, *own, "elo-sheets"]):
                    at = probe.at(probe.center, probe.center, {leaf: text})
                    if at is not None:
                        levels.setdefault(round(at, 9), text)
                if 2 <= len(levels) <= 3:
                    yield leaf, _lowest_first(levels)

    def _counted(self, probe: _Probe, leaf: Key) -> Iterator[tuple[Key, tuple[Value, Value, Value]]]:
        """A number that is no score but tells one: goals against those of the other side, a code of the result."""
        number = self.model.number(leaf)
        if number is None or not 0 <= number <= MOST_GOALS or number != int(number):
            return
        levels: dict[float, Value] = {}
        for goals in range(MOST_GOALS + 1):
            at = probe.at(probe.center, probe.center, {leaf: float(goals)})
            if at is not None:
                levels.setdefault(round(at, 9), float(goals))
        if 2 <= len(levels) <= 3:
            yield leaf, _lowest_first(levels)

    def _with_score(
        self, probe: _Probe, score: Key, values: tuple[Value, Value, Value], base: Key | None
    ) -> Part | None:
        def at(a: float, b: float, value: Value) -> float | None:
            found = probe.at(a, b, {score: value})
            if found is None:
                return None
            return found - (a if base == probe.a else b if base == probe.b else 0.0)

        def share(a: float, b: float) -> float | None:
            low, high = at(a, b, values[0]), at(a, b, values[2])
            if low is None or high is None or high == low:
                return None
            return -low / (high - low)

        c = probe.center
        low, high = at(c, c, values[0]), at(c, c, values[2])
        if low is None or high is None or abs(high - low) < 1e-9:
            return None
        sign = 1
        found = curve(share, c)
        if found is None and base is not None:
            # A sign that is wrong leaves the rating plus the mirrored change: the same share, the other way round.
            found = None
        if found is None:
            return None
        shape, rising = found
        k = high - low
        if k < 0:
            sign, k = -1, -k
        draw = 0.5
        if values[1] is not None:
            mid = at(c, c, values[1])
            draw = 0.5 if mid is None else (mid - low) / (high - low)
        if values[1] is None:
            draw = self._draw_of_words(probe.key, draw)
        own, other = (probe.a, probe.b) if rising else (probe.b, probe.a)
        kind = "D" if base is None else "N"
        return Part(probe.key, kind, own, other, shape, 1.0, base, score, values, None, sign, k, draw=draw)

    def _draw_of_words(self, key: Key, draw: float) -> float:
        """What a draw counts where a nested IF gives a second result the same points as another."""
        for one in cone(self.model, key):
            tree = self.model.tree(one)
            for node in walk(tree) if tree is not None else ():
                found = nested_scores(node)
                if found is not None and found[1] in (found[0], found[2]) and found[0] != found[2]:
                    return (found[1] - found[2]) / (found[0] - found[2])
        return draw

    def _with_literal(self, probe: _Probe, base: Key | None) -> Part | None:
        c = probe.center

        def change(a: float, b: float) -> float | None:
            found = probe.at(a, b)
            if found is None:
                return None
            return found - (a if base == probe.a else b if base == probe.b else 0.0)

        ends = [change(c + far, c) for far in (-40000.0, 40000.0)]
        if ends[0] is None or ends[1] is None:
            return None
        first, last = ends[0], ends[1]
        k = abs(first - last)
        if not 1.0001 < k < 1e4:
            return None
        # K·S at the end where nothing is expected, K·(S−1) at the other.
        top = max(first, last)
        score = top / k
        if min(abs(score - s) for s in (0.0, 0.5, 1.0)) > 1e-6:
            return None
        score = round(2 * score) / 2
        found = curve(lambda a, b: None if (x := change(a, b)) is None else score - x / k, c)
        if found is None:
            return None
        shape, rising = found
        own, other = (probe.a, probe.b) if rising else (probe.b, probe.a)
        return Part(probe.key, "D" if base is None else "N", own, other, shape, 1.0, base, None, literal=score, k=k)


def _lowest_first(levels: Mapping[float, Value]) -> tuple[Value, Value, Value]:
    """What a result's cell shows for loss, draw and win, by what the formula makes of it."""
    order = [levels[x] for x in sorted(levels)]
    return order[0], order[1] if len(order) == 3 else None, order[-1]


def nested_scores(tree: Expr) -> tuple[float, float, float] | None:
    """Return a, b, c of IF(x = "text", a, IF(x = "text", b, c)) or with comparisons of numbers; None for all else."""
    if not (isinstance(tree, Call) and tree.function == "IF" and len(tree.arguments) == 3):
        return None
    test, first, rest = tree.arguments
    if not (isinstance(rest, Call) and rest.function == "IF" and len(rest.arguments) == 3):
        return None
    second, last = rest.arguments[1], rest.arguments[2]
    tests = [t for t in (test, rest.arguments[0]) if isinstance(t, Binary) and t.operator in ("=", "<", ">")]
    if len(tests) != 2 or not (isinstance(first, Number) and isinstance(second, Number) and isinstance(last, Number)):
        return None
    return first.value, second.value, last.value


def _over(value: float | None, unit: float) -> float | None:
    return None if value is None else value / unit


class _Probe:
    """A cell as a function of two inputs."""

    def __init__(self, evaluator: Evaluator, key: Key, a: Key, b: Key, formulas: Formulas) -> None:
        self.evaluator, self.key, self.a, self.b, self.formulas = evaluator, key, a, b, formulas
        numbers = [n for n in (evaluator.model.number(a), evaluator.model.number(b)) if n]
        self.center = round(sum(numbers) / len(numbers)) + 0.0 if numbers else 1500.0
        self.done: dict[tuple[float, float, tuple[tuple[Key, Value], ...]], float | None] = {}
        c = self.center
        here, moved, one = self.at(c, c), self.at(c + 64, c + 64), self.at(c + 64, c)
        two = self.at(c, c + 64)
        self.usable = (
            here is not None and moved is not None and one is not None and two is not None
            and not (abs(one - here) < 1e-12 and abs(two - here) < 1e-12)
        )  # fmt: skip
        shift = moved - here if here is not None and moved is not None else math.nan
        self.still = abs(shift) < 1e-6
        self.moving = abs(shift - 64) < 1e-4

    def at(self, a: float, b: float, more: Mapping[Key, Value] | None = None) -> float | None:
        key = (a, b, tuple(more.items()) if more else ())
        if key not in self.done:
            overrides = {self.a: a, self.b: b, **(more or {})}
            self.done[key] = self.evaluator.number(self.key, overrides, self.formulas)
        return self.done[key]
