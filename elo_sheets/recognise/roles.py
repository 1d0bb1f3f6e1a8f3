"""Roles by behaviour: which runs are expectations, changes and new ratings, and which of them behave wrongly.

A run is looked at through one of its cells. It, with the formulas it reads, is a function of the numbers below it;
two of these are the ratings when moving both changes nothing (an expectation) or moves the result along (a new rating).
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from elo_sheets.expr import Binary, Call, Expr, Number, walk
from elo_sheets.files.package import CellError
from elo_sheets.recognise.cells import Run
from elo_sheets.recognise.evaluate import Evaluator
from elo_sheets.recognise.model import Area, Key, Model
from elo_sheets.recognise.parts import Part, Prober, _Probe, is_text_number, rounds, unrounded

DEPTH = 4
MOST = 30
MOST_ALONG = 60  # players whose ratings stand in one row
POWERS = {"EXP", "NORMSDIST", "NORM.S.DIST", "NORMDIST", "NORM.DIST", "POWER", "TANH"}
TABLES = {"VLOOKUP", "LOOKUP", "HLOOKUP", "XLOOKUP", "INDEX"}
MOST_CANDIDATES = 6
Formulas = Mapping[Key, Expr]
Pair = tuple[Key, Key]


def tree_keys(tree: Expr, own: str, most: int = 2) -> list[Key]:
    """The cells that a formula (absolute tree) reads one by one, or through areas of at most `most` cells."""
    found: dict[Key, None] = {}
    for node in walk(tree):
        if not isinstance(node, Area):
            continue
        sheet = node.sheet or own
        if node.single:
            found[sheet, node.row, node.column] = None
        elif node.size <= most:
            for row in range(node.row, node.bottom + 1):
                for column in range(node.column, node.right + 1):
                    found[sheet, row, column] = None
    return list(found)


def has_power(tree: Expr) -> bool:
    """Whether a formula holds a power, an exponential or a normal curve."""
    return any(
        (isinstance(n, Binary) and n.operator == "^") or (isinstance(n, Call) and n.function in POWERS)
        for n in walk(tree)
    )


class Looker:
    """Finds what a cell does, as a function of the cells it reads."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.model = evaluator.model
        self.prober = Prober(evaluator)
        self.levels: dict[Key, int] = {}
        self._expectations: dict[Key, Part | None] = {}

    def reads(self, key: Key, formulas: Formulas) -> list[Key]:
        """The cells that a cell's formula reads directly."""
        tree = formulas.get(key)
        if tree is None:
            tree = self.model.tree(key)
        return [] if tree is None else tree_keys(tree, key[0])

    def leaves(self, key: Key, formulas: Formulas, depth: int = DEPTH) -> list[Key]:
        """The cells that a cell reads, directly or through others, the nearest first."""
        found: dict[Key, None] = {}
        edge = [key]
        for _ in range(depth):
            following: dict[Key, None] = {}
            for one in edge:
                for read in self.reads(one, formulas):
                    if read not in found and read != key:
                        following[read] = None
            for one in following:
                if len(found) < MOST:
                    found[one] = None
            edge = list(following)
            if not edge or len(found) >= MOST:
                break
        return list(found)

    def smooth(self, key: Key, leaves: Iterable[Key], formulas: Formulas) -> tuple[dict[Key, Expr], bool]:
        """The formulas on the way without the functions that round, and whether there were any."""
        smooth, rounded = dict(formulas), False
        for one in (key, *leaves):
            tree = smooth[one] if one in smooth else self.model.tree(one)
            if tree is not None and rounds(tree):
                smooth[one], rounded = unrounded(tree), True
        return smooth, rounded

    def expectation(self, key: Key, formulas: Formulas | None = None, pair: Pair | None = None) -> Part | None:
        """The cell as an expectation of two of the numbers it reads (of the pair, when one is given)."""
        leaves = self.leaves(key, formulas or {}, 3)
        smooth, rounded = self.smooth(key, leaves, formulas or {})
        for a, b in [pair] if pair else self.pairs(key, leaves, smooth):
            probe = _Probe(self.evaluator, key, a, b, smooth)
            if probe.usable and probe.still:
                part = self.prober._expectation(probe)
                if part is not None:
                    return replace(part, rounded=rounded)
        wide = [] if pair or formulas else self._along(key)
        return self.expectation(key, None, (wide[0], wide[1])) if len(wide) == 2 else None

    def known(self, key: Key, formulas: Formulas) -> Part | None:
        """`expectation`, looked for once: other formulas below the cell are tried on the ratings that it compares."""
        if key not in self._expectations:
            self._expectations[key] = self.expectation(key)
        here = self._expectations[key]
        if not formulas or not any(one in formulas for one in (key, *self.leaves(key, {}, 3))):
            return here
        return self.expectation(key, formulas, None if here is None else (here.own, here.other))

    def _along(self, key: Key) -> list[Key]:
        """The cells of a row, above the formula, that it looks up: everybody's ratings, of which two count."""
        found: dict[Key, None] = {}
        for area in self.model.areas(key):
            if area.single or area.row != area.bottom or area.row >= key[1] or area.size > MOST_ALONG:
                continue
            cells = [(area.sheet or key[0], area.row, column) for column in range(area.column, area.right + 1)]
            found.update(dict.fromkeys(c for c in cells if abs(self.model.number(c) or 0.0) > 5))
        here = self.evaluator.number(key, {})
        moved = {c: self.evaluator.number(key, {c: (self.model.number(c) or 0.0) + 64.0}) for c in found}
        return [c for c, n in moved.items() if here is not None and n is not None and abs(n - here) > 1e-12]

    def update(self, key: Key, formulas: Formulas | None = None, pair: Pair | None = None) -> Part | None:
        """The cell as a change or a new rating."""
        leaves = self.leaves(key, formulas or {}, 3)
        smooth, rounded = self.smooth(key, leaves, formulas or {})
        for a, b in [pair] if pair else self.pairs(key, leaves, smooth):
            probe = _Probe(self.evaluator, key, a, b, smooth)
            if probe.usable and (probe.still or probe.moving):
                part = self.prober._update(probe, [leaf for leaf in leaves if leaf not in (a, b)])
                if part is not None:
                    return replace(part, rounded=rounded)
        return None

    def pairs(self, key: Key, leaves: list[Key], formulas: Formulas) -> Iterable[Pair]:
        """Pairs of numbers that the cell depends on and that may be ratings, the nearest first.

        What follows from a rating is not another player's.
        """
        here = self.evaluator.number(key, {}, {**formulas, **self._own(key, formulas)})
        moving: list[Key] = []
        still: list[Key] = []
        for leaf in leaves:
            number = self.model.number(leaf)
            broken = number is None and isinstance(self.model.value(leaf), CellError)
            if not broken and (number is None or abs(number) <= 5):
                continue
            if here is None or number is None:
                moving.append(leaf)
                continue
            moved = self.evaluator.number(key, {leaf: number + 64.0}, formulas)
            if moved is None or abs(moved - here) > 1e-12:
                moving.append(leaf)
            else:
                still.append(leaf)
            if len(moving) == MOST_CANDIDATES:
                break
        if len(moving) < 2:  # far apart, an expectation is 0 or 1 whatever moves
            moving += still[: MOST_CANDIDATES - len(moving)]
        return (
            (a, b) for a, b in itertools.combinations(moving, 2)
            if a not in self.reads(b, formulas) and b not in self.reads(a, formulas)
        )  # fmt: skip

    def _own(self, key: Key, formulas: Formulas) -> dict[Key, Expr]:
        tree = formulas[key] if key in formulas else self.model.tree(key)
        return {} if tree is None else {key: tree}


@dataclass
class Seen:
    """A run with what its representative cell does."""

    run: Run
    key: Key
    part: Part | None
    tree: Expr


@dataclass
class Roles:
    """The runs of a book by what they do."""

    looker: Looker
    seen: list[Seen] = field(default_factory=list)
    by_line: dict[tuple[str, int, bool], list[Seen]] = field(default_factory=dict)

    def of_kind(self, kind: str) -> list[Seen]:
        """The runs that are expectations (E), changes (D) or new ratings (N)."""
        return [one for one in self.seen if one.part is not None and one.part.kind == kind]

    def at(self, key: Key) -> Seen | None:
        """What is known of the run that a cell belongs to."""
        for down, line, place in ((True, key[2], key[1]), (False, key[1], key[2])):
            for one in self.by_line.get((key[0], line, down), ()):
                if one.run.first <= place <= one.run.last:
                    return one
        return None


def find_roles(model: Model, looker: Looker, runs: Iterable[Run], avoided: Collection[tuple[str, int]] = ()) -> Roles:
    """Look at every run that may have to do with ratings: expectations first, then what reads them."""
    roles = Roles(looker)
    avoided = {*avoided, *_rows_of_texts(model)}
    for run in runs:
        for key in representatives(model, run, avoided)[:1]:
            tree = model.tree(key)
            if tree is not None:
                seen = Seen(run, key, None, tree)
                roles.seen.append(seen)
                roles.by_line.setdefault((run.sheet, run.line, run.down), []).append(seen)
    waiting = list(roles.seen)
    for _ in range(3):  # an expectation may read another one, or the powers of the Q-form
        for seen in list(waiting):
            if may_expect(roles, seen):
                seen.part = looker.expectation(seen.key)
                if seen.part is not None:
                    waiting.remove(seen)
    for seen in waiting:
        seen.part = update_of(roles, seen.key, None)
    return roles


def _rows_of_texts(model: Model) -> Iterator[tuple[str, int]]:
    """The rows in which a formula reads a text that looks like a number: what it does shows elsewhere."""
    for sheet, row, column in model.readers:
        if is_text_number(model.value((sheet, row, column))):
            yield sheet, row


def may_expect(roles: Roles, seen: Seen) -> bool:
    """Whether a run has the look of an expectation: a power, a share of powers, a complement, a table."""
    number = roles.looker.model.number(seen.key)
    if isinstance(seen.tree, Area) and not seen.tree.single:
        return False
    if number is None:
        number = 0.5 if isinstance(roles.looker.model.value(seen.key), CellError) else None
    if number is None or not -0.001 <= number <= 100.001:
        return False
    if has_power(seen.tree) or any(isinstance(n, Call) and n.function in TABLES for n in walk(seen.tree)):
        return True
    for read in roles.looker.reads(seen.key, {}):
        other = roles.at(read)
        if other is not None and ((other.part is not None and other.part.kind == "E") or has_power(other.tree)):
            return 0 <= number <= 1.001 or number <= 100
    return False


def expectations_of(roles: Roles, key: Key, formulas: Formulas | None = None) -> list[Part]:
    """The expectations that a cell reads, the nearest first, as they are in the cell's own row."""
    found = []
    for read in roles.looker.leaves(key, formulas or {}, 4):
        other = roles.at(read)
        if other is not None and (
            (other.part is not None and other.part.kind == "E")
            or (formulas and read in formulas and has_power(formulas[read]))
        ):
            part = other.part if read == other.key and not formulas else roles.looker.known(read, formulas or {})
            if part is not None:
                found.append(part)
    return found


def update_of(roles: Roles, key: Key, formulas: Formulas | None = None) -> Part | None:
    """The cell as a change or new rating of the ratings that its expectation compares."""
    given = formulas or {}
    tree = given[key] if key in given else roles.looker.model.tree(key)
    if tree is None or isinstance(tree, Area):
        return None
    for expectation in expectations_of(roles, key, given)[:2]:
        part = with_expectation(roles.looker, key, expectation, given)
        if part is not None:
            return part
    return roles.looker.update(key, given) if has_power(tree) else None


def with_expectation(looker: Looker, key: Key, expectation: Part, formulas: Formulas) -> Part | None:
    """The cell as a change or new rating, the expectation that it reads being known."""
    leaves = looker.leaves(key, formulas, 4)
    smooth, rounded = looker.smooth(key, leaves, formulas)
    a, b = expectation.own, expectation.other
    probe = _Probe(looker.evaluator, key, a, b, smooth)
    c = probe.center
    held = {expectation.key: 0.4 * expectation.unit}
    here = looker.evaluator.number(key, {**held, a: c, b: c}, smooth)
    up = looker.evaluator.number(key, {**held, a: c + 64, b: c}, smooth)
    side = looker.evaluator.number(key, {**held, a: c, b: c + 64}, smooth)
    if here is None or up is None or side is None:
        return None
    base = a if abs(up - here - 64) < 1e-6 else b if abs(side - here - 64) < 1e-6 else None
    if base is None and (abs(up - here) > 1e-6 or abs(side - here) > 1e-6):
        return None
    rest = [leaf for leaf in leaves if leaf not in (a, b)]
    for score, values in looker.prober._scores(probe, rest):
        part = looker.prober._with_score(probe, score, values, base)
        if part is not None:
            return replace(part, rounded=rounded)
    part = looker.prober._with_literal(probe, base)
    return None if part is None else replace(part, rounded=rounded)


def representatives(model: Model, run: Run, avoided: Collection[tuple[str, int]] = ()) -> list[Key]:
    """Cells of a run that stand for it: they have its formula and, if any has, a number, and lie in the later half."""
    keys = [key for key in run.cells() if run.fits(model, key)]
    keys = [key for key in keys if model.number(key) is not None] or keys
    if run.down:
        keys = [key for key in keys if key[:2] not in avoided] or keys
    if not keys:
        return []
    middle = len(keys) * 2 // 3
    return [keys[middle], keys[len(keys) // 3]]


__all__ = ["Looker", "Number", "Roles", "Seen", "find_roles", "has_power", "representatives", "tree_keys"]
