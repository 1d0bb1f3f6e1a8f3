"""A book of calculators on the desk: what each formula does, which side it stands on, and what is wrong with it."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping

from elo_sheets.expr import Binary, Call, Expr, Number, walk
from elo_sheets.files.package import Value
from elo_sheets.recognise.behind import cone, inputs
from elo_sheets.recognise.calculators.sides import ONE, Sides, find_sides, has_power
from elo_sheets.recognise.context import Context
from elo_sheets.recognise.ledgers.teams import partner, uneven_teams, with_partners
from elo_sheets.recognise.model import Key, Model, cell_area
from elo_sheets.recognise.parts import Part

MOST_TO_RESCUE = 40
MOST_WORK = 200_000  # cells that are computed for trying repairs
MOST_PAIRS = 40
MOST_GAMES, MOST_COUNTS = 60, 6
Formulas = dict[Key, Expr]


class Desk:
    """A book of calculators under examination."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.model: Model = context.model
        self.prober = context.prober
        self.most = context.evaluator.work + MOST_WORK
        self.rescued: dict[Key, Part] = {}
        self.formulas: Formulas = departed(context)
        self.counted: Formulas = {}  # counts of games, as if one had been played
        self.parts: dict[Key, Part] = {}
        self.teams: dict[Key, tuple[Key, ...]] = {}  # the mean or sum of partners' ratings, and those
        self.uneven: Formulas = {}  # the formulas of teams that are not made as the other team is, mended
        self.known: set[Key] = set()  # ratings found with a repair that was only a trial
        self.sides: list[Sides] = []
        self.scale: float | None = 400.0

    @property
    def is_spent(self) -> bool:
        """Whether as much was computed as a search may."""
        return self.context.evaluator.work > self.most

    def survey(self) -> None:
        """Analyse the formulas as they stand with the repairs accepted so far."""
        self.parts = self._analysed()
        uneven = uneven_teams(self.prober, self.parts, self.formulas)
        if uneven:
            self.uneven |= uneven
            self.formulas |= uneven
            self.parts = self._analysed()
        self.parts, self.teams = with_partners(self.prober, self.parts, self.formulas)
        scales = Counter(p.curve.scale for p in self.parts.values() if p.curve.scale is not None)
        if scales:
            self.scale = max(scales, key=lambda scale: (scales[scale], scale == 400.0, scale > 20.0))
        natural = [p for p in self.parts.values() if p.kind == "E" and p.curve.scale == self.scale and self.natural(p)]
        if natural and self.scale is not None:
            self.scale = float(100 * round(self.scale / math.log(10) / 100))
        self.sides = find_sides(self.model, self.parts)

    def _analysed(self) -> dict[Key, Part]:
        keys = {**self.model.forms, **dict.fromkeys(self.formulas)}
        return {k: part for k in keys if (part := self.prober.analyse(k, self.formulas, self.known)) is not None}

    def count_one_game(self) -> None:
        """When no result is understood, take counts of games as one game: then a match is like a game."""
        if self._understood() or self.model.formula_count > MOST_TO_RESCUE:
            return
        plain, best, most = dict(self.formulas), None, len(self.parts)
        for option in self._counts():
            if self.is_spent:
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
            if cell.formula is None and readers.is_read((sheet, *place))
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

    def is_calculator(self) -> bool:
        """Whether the ratings are inputs, and the results feed no other game."""
        if not self.parts:
            return False
        ratings = self.ratings()
        news = {key for key, part in self.parts.items() if part.kind == "N"}
        chained = news & ratings
        if chained:
            return False
        looks = [key for key in self.model.forms if has_power(self.model, key)]
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
        if scale is not None and self._is_other(scale) and not self._has_its_own_rule(part, parts):
            return "base" if self.natural(part) else "scale"
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

    def _is_other(self, scale: float) -> bool:
        """Whether a scale is another than that of the book."""
        return self.scale is not None and abs(scale - self.scale) > 1e-6 * self.scale

    def _has_its_own_rule(self, part: Part, parts: Mapping[Key, Part]) -> bool:
        """Whether a part has nothing to do with those of the usual scale, and another base besides."""
        own = {*cone(self.model, part.key), part.own, part.other}
        usual = [one for one in parts.values() if one.curve.scale is not None and not self._is_other(one.curve.scale)]
        if not usual or any(own & {*cone(self.model, one.key), one.own, one.other} for one in usual):
            return False
        return not self._bases(part) & {base for one in usual for base in self._bases(one)}

    def _bases(self, part: Part) -> set[float]:
        """The numbers whose powers a part follows from."""
        trees = [t for key in cone(self.model, part.key) if (t := self.tree_of(key)) is not None]
        nodes = [node for tree in trees for node in walk(tree)]
        powers = [n.left for n in nodes if isinstance(n, Binary) and n.operator == "^"]
        powers += [n.arguments[0] for n in nodes if isinstance(n, Call) and n.function == "POWER" and n.arguments[0]]
        return {base.value for base in powers if isinstance(base, Number)}

    def _scores_with(self, part: Part, parts: Mapping[Key, Part]) -> bool:
        """Whether a new rating gains by the same result as the other player's, which stands before it."""
        if part.kind != "N" or part.score is None:
            return False
        return any(
            other.kind == "N" and other.key < part.key and other.score == part.score and other.base != part.base
            and {other.own, other.other} == {part.own, part.other} and other.best == part.best
            for other in parts.values()
        )  # fmt: skip

    def natural(self, part: Part) -> bool:
        """Whether a curve is e to the difference over a round scale: EXP where ten to the power was meant."""
        assert part.curve.scale is not None
        divisor = part.curve.scale / math.log(10)
        trees = [t for one in cone(self.model, part.key) if (t := self.tree_of(one)) is not None]
        exponential = any(
            (isinstance(n, Call) and n.function == "EXP")
            or (
                isinstance(n, Binary) and n.operator == "^" and isinstance(n.left, Number) and 2.7 < n.left.value < 2.72
            )
            for tree in trees
            for n in walk(tree)
        )
        return exponential and abs(divisor / 100 - round(divisor / 100)) < 1e-3 * divisor / 400 and divisor > 99

    def tree_of(self, key: Key) -> Expr | None:
        """The formula of a cell with the repairs accepted so far."""
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


def _falls(values: tuple[Value, Value, Value]) -> bool:
    """Whether the number that tells a result is the larger, the worse it is: the opponent's goals, a code."""
    loss, _, win = values
    return isinstance(loss, float) and isinstance(win, float) and loss > win


def departed(context: Context) -> Formulas:
    """The formulas that the majority of their run would put into cells that depart from it."""
    found: Formulas = {}
    for suspect in context.suspects:
        tree = suspect.run.expected(suspect.key)
        if tree is not None and suspect.kind != "text":
            found[suspect.key] = tree
    return found
