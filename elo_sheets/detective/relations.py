"""The sentences that every rating rule fulfils, as functions from a game's facts to what is broken.

Nothing typed is believed: a result is exchanged, levelled and emptied, the expectation is set to 0 and to 1, ratings
are moved apart. At an expectation of 0 a side gains K·S and at 1 it loses K·(1 − S), whatever K is: so S and K follow
exactly, and with them the expectation that the change really uses.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from elo_sheets.detective.facts import (
    FAR,
    STEP,
    Facts,
    Gain,
    entries,
    levels,
    name_column,
    ratings_of,
    row_cone,
    walk,
)
from elo_sheets.detective.houses import is_declared
from elo_sheets.expr import Binary, Expr
from elo_sheets.files.package import Value
from elo_sheets.recognise.model import Area, Key, range_text

CLOSE = 1e-6  # of a score or a share: the evaluator gives about 12 digits of a rating of 1500
MOVES = ((0.0, 0.0), (120.0, 0.0), (0.0, 120.0), (250.0, 0.0), (0.0, 250.0))  # ratings moved apart
GOALS = ((3.0, 1.0), (1.0, 3.0), (2.0, 2.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0), (5.0, 4.0), (0.0, 4.0))
IN_A_ROW = 6  # formulas between an entry and the change: beyond them lie other games, which stay as they are
USUAL_SCALE = 400.0  # the number that goes with powers of ten, since Elo's own tables
LEAST_SCALE, MOST_SCALE = 200.0, 1000.0  # what a labelled number may be that is meant to divide differences
LEAST_CENTER = 500.0  # ratings of this size go with scales of a hundred to some thousands, as every federation's do
FLAT, STEEP = 0.523, 0.941  # what a lead of 120 points counts at a scale of 3000, and of 100
LEAST_WINNERS = 2  # different players' names that a column of results holds, so that they are the winners
BOTH = ((1.0, "player"), (0.0, "opponent"))
OF_SCORES = ("win", "draw", "loss", "score")  # rules of the house that say what a result counts
MOST_CODE = 2  # of a column of results that are told by a number: 2, 1 and 0 for won, level and lost
LEAST_COUNTS = 3  # different numbers of goals, so that another entry beside them is a slip of the hand
EACH = 3  # results of many that are won: whether they count alike shows already
MANY = 99.0  # goals or points with which a side wins, whatever the other has
_TWO = re.compile(r"\s*(\d+(?:[.,]\d+)?|½)\s*[-–:/]\s*(\d+(?:[.,]\d+)?|½)\s*")
_WON = {"w", "win", "won", "s", "sieg", "v", "victoire", "victoria", "vittoria", "gewonnen", "white", "h", "home"}
_LOST = {"l", "loss", "lost", "lose", "niederlage", "verloren", "black", "a", "away"}
_LEVEL = {"d", "draw", "drawn", "remis", "=", "x", "½", "1/2", "tie", "t", "unentschieden", "nul", "empate", "tablas"}


@dataclass(frozen=True)
class Broken:
    """A sentence that a game does not fulfil: `number` is what was found where `due` should be.

    `house` is how `--allow` declares it, empty where nothing can.
    """

    relation: str
    cell: Key
    says: str
    due: float
    number: float
    house: str = ""


@dataclass(frozen=True)
class Result:
    """A result that a game could have had: what is typed, and what it is worth to the side (None: not known)."""

    typed: Mapping[Key, Value]
    worth: float | None
    words: str


@dataclass
class Side:
    """A gain as a function of results, expectations and ratings."""

    facts: Facts
    gain: Gain
    formulas: Mapping[Key, Expr]
    first: bool = True  # whether the result is told from this side
    checks: int = 0  # how many sentences could be evaluated

    def __post_init__(self) -> None:
        """Take rounding off the formulas on the way: whole points hide what a rule is."""
        leaves = self.facts.looker.leaves(self.gain.cell, dict(self.formulas), 4)
        ratings = {*self.gain.own, *self.gain.other}
        smooth, self.rounded = self.facts.looker.smooth(
            self.gain.cell, [leaf for leaf in leaves if leaf not in ratings], dict(self.formulas)
        )
        self.formulas = smooth
        numbers = [self.facts.model.number(key) for key in (*self.gain.own, *self.gain.other)]
        known = [number for number in numbers if number is not None]
        self.center = round(sum(known) / len(known)) + 0.0 if known else 1500.0

    @cached_property
    def results(self) -> list[Result]:
        """The results that could stand in the game."""
        return results_of(self.facts, self)

    @cached_property
    def names(self) -> tuple[Key, ...]:
        """The cells of the player's and of the opponent's name, where ratings are looked up by them."""
        row = self.gain.cell[1]
        keys = (self.gain.own[0], self.gain.other[0])
        columns = [name_column(self.facts.model, key, row) if key[1] == row else None for key in keys]
        if None in columns or len(set(columns)) < len(columns):
            return ()
        return tuple((key[0], row, column) for key, column in zip(keys, columns, strict=True) if column is not None)

    @cached_property
    def k_cells(self) -> list[Key]:
        """The typed cells that K is proportional to."""
        return k_cells(self.facts, self)

    def at(self, result: Result | None, share: float | None, move: tuple[float, float] = (0.0, 0.0)) -> float | None:
        """What the side gains by a result (None: the one that stands there) at a share and ratings moved apart."""
        a, b = self.center + move[0], self.center + move[1]
        if share is not None and not self.gain.shares:
            a, b = (a, b + FAR) if share == 0 else (a + FAR, b)
        moved: dict[Key, Value] = {**dict.fromkeys(self.gain.own, a), **dict.fromkeys(self.gain.other, b)}
        if share is not None:
            moved |= {key: (share if own else 1 - share) * unit for key, unit, own in self.gain.shares}
        if result is not None:
            moved |= result.typed
        found = self.facts.evaluator.number(self.gain.cell, moved, self.formulas, IN_A_ROW)
        if found is None:
            return None
        if self.gain.base is None:
            return found
        before = {**dict.fromkeys(self.gain.own, a), **dict.fromkeys(self.gain.other, b)}
        start = before.get(self.gain.base, self.facts.model.number(self.gain.base))
        return None if start is None else found - start

    def score(self, result: Result | None) -> float | None:
        """The score that the gain shows for a result."""
        low, high = self.at(result, 0.0), self.at(result, 1.0)
        if low is None or high is None or abs(low - high) < CLOSE:
            return None
        return low / (low - high)

    def k(self, result: Result | None) -> float | None:
        """The K that the gain shows: what it falls by when the expectation goes from 0 to 1."""
        low, high = self.at(result, 0.0), self.at(result, 1.0)
        return None if low is None or high is None else low - high

    def share(self, move: tuple[float, float], result: Result | None = None) -> float | None:
        """The expectation that the gain really uses, at ratings moved apart."""
        low, high, here = self.at(result, 0.0, move), self.at(result, 1.0, move), self.at(result, None, move)
        if low is None or high is None or here is None or abs(low - high) < CLOSE:
            return None
        return (low - here) / (low - high)


def results_of(facts: Facts, side: Side) -> list[Result]:
    """The results that could stand in a game, with what each is worth to the side as far as that can be known."""
    if side.gain.cell[0] in facts.many:
        return []
    found: list[Key] = []
    here = side.score(None)
    for key in entries(facts.context, side.gain):
        for value in (*_others(facts, key), *_winners(facts, side, key)) if key not in side.names else ():
            score = side.score(Result({key: value}, None, ""))
            if score is not None and (here is None or abs(score - here) > CLOSE):
                found.append(key)
                break
    numbers = [key for key in found if facts.model.number(key) is not None]
    if len(numbers) == 1 and _counts(facts, numbers[0]):
        numbers += _against(facts, side, numbers[0])[:1]
    if len(numbers) == 1 and (beside := _beside(facts, numbers[0], entries(facts.context, side.gain))) is not None:
        numbers.append(beside)
    if len(numbers) == 2 and all(_counts(facts, key) for key in numbers):
        return list(_goals(side, numbers))
    if len(found) == 1:
        return list(_levels(facts, side, found[0]))
    return []


def _against(facts: Facts, side: Side, key: Key) -> list[Key]:
    """The typed numbers on which the score depends when the number of `key` is a middling one."""
    found = []
    for other in entries(facts.context, side.gain):
        if other != key and _counts(facts, other):
            values = dict.fromkeys((facts.model.value(other), 0.0, 2.0, MANY))
            scores = {side.score(Result({key: 2.0, other: value}, None, "")) for value in values}
            if len({round(score, 6) for score in scores if score is not None}) > 1:
                found.append(other)
    return found


def _beside(facts: Facts, key: Key, read: list[Key]) -> Key | None:
    """The cell beside one with whole numbers that holds such as well: the other side's goals.

    Nothing reads it, or the game does, and not for its score: by how many goals it was won.
    """
    if not _counts(facts, key):
        return None
    for column in (key[2] + 1, key[2] - 1):
        one = (key[0], key[1], column)
        if not _counts(facts, one) or one in facts.model.forms:
            continue
        if not facts.evaluator.readers.is_read(one) or (one in read and _are_goals(facts, key, one)):
            return one
    return None


def _are_goals(facts: Facts, *keys: Key) -> bool:
    """Whether columns hold more than the codes of results, and do not count games."""
    for key in keys:
        values = [n for row in facts.model.columns.get((key[0], key[2]), ())
                  if (n := facts.model.number((key[0], row, key[2]))) is not None]  # fmt: skip
        if max(values, default=0) <= MOST_CODE or values == sorted(set(values)):
            return False
    return True


def _counts(facts: Facts, key: Key) -> bool:
    """Whether a cell is one of a column of typed whole numbers, as goals are."""
    values = levels(facts.context, key) if facts.model.number(key) is not None else []
    plain = sum(isinstance(one, (int, float)) and one >= 0 and one % 1 == 0 for one in values)
    return plain > 0 and (plain == len(values) or (plain == len(values) - 1 >= LEAST_COUNTS))


def _others(facts: Facts, key: Key) -> list[Value]:
    here = facts.model.value(key)
    values: list[Value] = [value for value in _told(facts, key) if value != here]
    if isinstance(here, (int, float)) and not isinstance(here, bool):
        values += [value for value in (0.0, 1.0, 0.5, 3.0, MANY) if value != here]
    return values


def _told(facts: Facts, key: Key) -> list[Value]:
    """The entries that could stand in a cell: all of its column, or of many a few for won, level and lost each."""
    found = levels(facts.context, key)
    here = facts.model.value(key)
    if found or not isinstance(here, str) or _TWO.fullmatch(here.strip()) is None:
        return found
    column = (facts.model.value((key[0], row, key[2])) for row in facts.model.columns.get((key[0], key[2]), ()))
    texts = [value for value in column if isinstance(value, str) and _TWO.fullmatch(value.strip())]
    of_worth: dict[float | None, list[Value]] = {}
    for value in dict.fromkeys((here, *texts)):
        of_worth.setdefault(_worth(value), []).append(value)
    return [value for values in of_worth.values() for value in values[:EACH]]


def _goals(side: Side, keys: list[Key]) -> Iterator[Result]:
    """Goals or points of both sides, the first-named side's first; whose are whose is told by the ratings' order."""
    left, right = sorted(keys, key=lambda key: (key[1], key[2]))
    model = side.facts.model
    rows = model.columns.get((left[0], left[2]), [])
    level = any(model.value((left[0], row, left[2])) == (model.value((right[0], row, right[2])) or 0.0) for row in rows)
    for x, y in GOALS:
        a, b = (x, y) if side.first else (y, x)
        worth = 1.0 if x > y else 0.0 if x < y else 0.5 if level else None
        yield Result({left: a, right: b}, worth, f"{a:g}:{b:g}")


def _levels(facts: Facts, side: Side, key: Key) -> Iterator[Result]:
    values = _told(facts, key)
    numbers = [value for value in values if isinstance(value, (int, float))]
    plain = bool(numbers) and all(0 <= number <= 1 for number in numbers)
    if plain:
        values = [0.0, 0.5, 1.0]
    names = _winners(facts, side, key)
    if names:
        yield from (Result({key: name}, won, f"the {who}'s name") for name, (won, who) in zip(names, BOTH, strict=True))
        values = [value for value in values if value not in names]
    for value in values:
        worth = float(value) if plain and isinstance(value, (int, float)) else _worth(value)
        if worth is not None and not side.first:
            worth = 1 - worth
        yield Result({key: value}, worth, f"{value:g}" if isinstance(value, float) else str(value))


def _winners(facts: Facts, side: Side, key: Key) -> list[Value]:
    """The player's and the opponent's name, where a column of results holds the winners' names."""
    model = facts.model
    players = {
        model.value((name[0], row, name[2])) for name in side.names for row in model.columns.get((name[0], name[2]), ())
    }
    entered = {model.value((key[0], row, key[2])) for row in model.columns.get((key[0], key[2]), ())}
    told = isinstance(model.value(key), str) and len(entered & players) >= LEAST_WINNERS
    return [model.value(name) for name in side.names] if told else []


def _is_first(facts: Facts, gain: Gain, gains: list[Gain]) -> bool:
    """Whether a result is told from a side's view: it is alone in its row, or its rating stands before the other's."""
    own, other = gain.own[0], gain.other[0]
    alone = not any(one.own == gain.other and one.cell[1] == gain.cell[1] for one in gains)
    if alone and gain.cell[0] not in facts.two_sided:
        return True
    return own[0] != other[0] or _stands_at(facts, own) <= _stands_at(facts, other)


def _stands_at(facts: Facts, key: Key) -> tuple[int, int]:
    """Row and column of a rating, or of the one of its row that it follows from, with an edge added or as a mean."""
    areas = [area for area in facts.model.areas(key) if area.single and (area.sheet or key[0], area.row) == key[:2]]
    ratings = [(area.row, area.column) for area in areas
               if abs(facts.model.number((*key[:2], area.column)) or 0.0) >= LEAST_CENTER / 2]  # fmt: skip
    return min(ratings, default=key[1:])


def _worth(value: Value) -> float | None:
    """What a text says of a result, to the first-named side; None for texts that say nothing known."""
    if not isinstance(value, str):
        return None
    text = value.strip().casefold()
    if match := _TWO.fullmatch(text):
        left, right = (0.5 if part == "½" else float(part.replace(",", ".")) for part in match.groups())
        return 1.0 if left > right else 0.0 if left < right else 0.5
    return 1.0 if text in _WON else 0.0 if text in _LOST else 0.5 if text in _LEVEL else None


# --- the sentences --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Judged:
    """What became of a game: the sentences that it does not fulfil, and how many could be evaluated.

    `level` are the expectations between equals: 0.5 without an edge.
    """

    broken: list[Broken]
    checks: int
    level: tuple[float, ...]
    told: int = 0  # results whose worth is known


def judged(facts: Facts, gains: list[Gain], formulas: Mapping[Key, Expr] | None = None) -> Judged:
    """Return which sentences a game does not fulfil, the plainest first; none for a rating rule."""
    sides = [Side(facts, gain, formulas or {}, _is_first(facts, gain, gains)) for gain in gains]
    found: list[Broken] = []
    for side in sides:
        found += _scores(facts, side)
    for side in sides:
        found += _expectation(side)
        found += _k(facts, side)
        found += _after(facts, side)
    found = _undeclared(facts, found)
    if not found:
        for one, two in pairwise(sides):
            if set(one.gain.own) == set(two.gain.other) and set(one.gain.other) == set(two.gain.own):
                found += _undeclared(facts, _two_sides(facts, one, two))
    level = tuple(round(share, 6) for side in sides if (share := side.share((0.0, 0.0))) is not None)
    told = sum(result.worth is not None for side in sides for result in side.results)
    return Judged(found, sum(side.checks for side in sides), level, told)


def _undeclared(facts: Facts, found: Iterable[Broken]) -> list[Broken]:
    """What is broken and was not declared a rule of the house; what was is kept in the context."""
    left = []
    for one in found:
        if one.house and is_declared(facts.context.allowed, one.house):
            facts.context.houses.add(one.house)
        else:
            left.append(one)
    return left


def typed_results(facts: Facts, gains: list[Gain]) -> tuple[set[Key], set[Key]]:
    """The cells of a game that hold its result, and those of them that hold goals or points of both sides."""
    sides = [Side(facts, gain, {}, _is_first(facts, gain, gains)) for gain in gains]
    typed = [one.typed for side in sides for one in side.results]
    return {key for one in typed for key in one}, {key for one in typed if len(one) > 1 for key in one}


def unread_scores(facts: Facts, gains: list[Gain]) -> Iterator[tuple[Gain, float | None]]:
    """The scores of a game's sides; None for one that a typed result decides, or that nobody can tell."""
    for gain in gains:
        side = Side(facts, gain, {}, _is_first(facts, gain, gains))
        known = not side.results and gain.cell[0] not in facts.many
        yield gain, side.score(None) if known else None


def ignores(facts: Facts, gains: list[Gain], columns: set[int]) -> bool:
    """Whether nothing that could stand in the columns of results changes what a game gives."""
    if not columns:
        return False
    for gain in gains:
        here = facts.evaluator.number(gain.cell, {}, {}, IN_A_ROW)
        for key in ((*gain.cell[:2], column) for column in columns):
            shown = [facts.evaluator.number(gain.cell, {key: value}, {}, IN_A_ROW) for value in _others(facts, key)]
            if here is None or any(number is None or abs(number - here) > CLOSE for number in shown):
                return False
    return True


def _scores(facts: Facts, side: Side) -> Iterator[Broken]:
    """Result → score: a win counts 1, a loss 0, a draw a half, and nothing else comes in."""
    results = side.results
    cell = _score_cell(facts, side)
    here = side.score(None)
    if not results:
        if here is not None and not -CLOSE <= here <= 1 + CLOSE:
            due = float(here > 0.5)
            yield Broken("score", cell, f"the result counts {_n(here)}", due, here, f"score={_n(here)}")
        return
    known = [(result, side.score(result)) for result in results]
    side.checks += len({round(score, 6) for _, score in known if score is not None})
    worths = [(result, score) for result, score in known if result.worth is not None and score is not None]
    if not worths:
        scores = [
            score
            for result, score in known
            if score is not None and any(isinstance(value, str) for value in result.typed.values())
        ]
        if scores and (min(scores) < -CLOSE or max(scores) > 1 + CLOSE):
            worst = max(scores, key=lambda score: abs(score - 0.5))
            yield Broken("score", cell, f"a result counts {_n(worst)}", round(worst > 0.5), worst, f"score={_n(worst)}")
        return
    if _by_margin(worths):
        return
    for name, due in (("win", 1.0), ("draw", 0.5), ("loss", 0.0)):
        for result, score in worths:
            if result.worth == due and abs(score - due) > CLOSE:
                says = f"a {name} ({result.words}) counts {_n(score)}, not {_n(due)}"
                yield Broken("score", cell, says, due, score, f"{name}={_n(score)}")
                break


def _score_cell(facts: Facts, side: Side) -> Key:
    """The cell of the row that holds the score of either side, as other results show; the gain where there is none."""
    told = [(result, score) for result in side.results if (score := side.score(result)) is not None]
    told = list({round(score, 6): (result, score) for result, score in told}.values())
    cells = [key for key in row_cone(facts.context, side.gain)[1:] if key[:2] == side.gain.cell[:2]]
    for key in cells if len(told) > 1 else ():
        numbers = [facts.evaluator.number(key, result.typed, side.formulas, 4) for result, _ in told]
        pairs = [(number, score) for number, (_, score) in zip(numbers, told, strict=True) if number is not None]
        if len(pairs) == len(told) and all(abs(number - score) <= CLOSE for number, score in pairs):
            return key
    return side.gain.cell


def _by_margin(worths: list[tuple[Result, float]]) -> bool:
    """Whether scores grow with the margin, and those of exchanged results sum to one: a rule of its own."""
    wins = {round(score, 9) for result, score in worths if result.worth == 1.0}
    if len(wins) < 2 or any(not -CLOSE <= score <= 1 + CLOSE for _, score in worths):
        return False
    exchanged = {tuple(result.typed.values()): score for result, score in worths}
    return all(
        abs(score + exchanged[values[::-1]] - 1) < CLOSE
        for values, score in exchanged.items()
        if len(values) > 1 and values[::-1] in exchanged
    )


def _expectation(side: Side) -> Iterator[Broken]:
    """Ratings → expectation: within 0…1, rising with the own rating, and each K the same at every result."""
    shares = [side.share(move) for move in MOVES]
    known = [share for share in shares if share is not None]
    if len(known) < len(MOVES):
        return
    level, up, down, far_up, far_down = known
    side.checks += 1
    cell = next((key for key, _, own in side.gain.shares if own), side.gain.cell)
    unit = next((unit for _, unit, own in side.gain.shares if unit not in (1.0, 100.0)), None)
    if unit is not None:
        yield Broken("share", cell, f"the expected score goes up to {_n(unit)}", 1.0, unit)
        return
    if side.gain.shares:
        known += [share for move in ((FAR, 0.0), (0.0, FAR)) if (share := side.share(move)) is not None]
    scale, far = _scale(level, up, MOVES[1][0]), _scale(level, far_up, MOVES[3][0])
    if side.center >= LEAST_CENTER and level == 0.5 and up >= 0.5 and not FLAT < up < STEEP:
        by = "" if scale is None else f" divides by {_n(scale)}:"
        says = f"the expected score{by or ' is steep:'} a lead of 120 points counts {_n(up)}"
        yield Broken(
            "share", cell, says, 1 / (1 + 10 ** (-MOVES[1][0] / 400)), up, "" if scale is None else f"scale={_n(scale)}"
        )
        return
    if scale is not None and far is not None and math.isclose(scale, far, rel_tol=CLOSE):
        said_scale = _divides_otherwise(side, scale)
        if said_scale is not None:
            says = f"the expected score divides by {_n(said_scale)}, but has not the base ten that goes with it"
            yield Broken("share", cell, says, said_scale, scale, f"scale={_n(scale)}")
            return
    said = [key for key, number in side.facts.unread.items() if LEAST_SCALE <= number <= MOST_SCALE]
    if scale is not None and level == 0.5 and len(said) == 1:
        due = side.facts.unread[said[0]]
        if abs(due - scale) > CLOSE * scale:
            says = (
                f"the expected score divides by {_n(scale)}, and nothing reads the {_n(due)} in {range_text(said[:1])}"
            )
            yield Broken("share", cell, says, due, scale)
            return
    worst = max(known, key=lambda share: abs(share - 0.5))
    if not -CLOSE <= worst <= 1 + CLOSE:
        yield Broken("share", cell, f"the expected score is {_n(worst)}", round(worst > 0.5), worst)
    elif not (far_up >= up >= level >= down >= far_down) or far_up - far_down < CLOSE:
        says = "the expected score does not rise with the player's own rating"
        yield Broken("rising", cell, says, far_down, far_up)


def _scale(level: float, share: float, lead: float) -> float | None:
    """The scale of the powers of ten by which the odds rise from `level` to `share` with a lead; None where none do."""
    if not 0 < level < share < 1:
        return None
    rise = math.log10(share / (1 - share)) - math.log10(level / (1 - level))
    return lead / rise if rise > CLOSE else None


def _divides_otherwise(side: Side, scale: float) -> float | None:
    """The scale by which a game's formulas divide, where it is not the one that the curve has; a base may be given."""
    model = side.facts.model
    divisors: list[tuple[bool, float]] = []
    for key in row_cone(side.facts.context, side.gain):
        tree = side.formulas[key] if key in side.formulas else model.tree(key)
        for node in () if tree is None else walk(tree):
            if isinstance(node, Binary) and node.operator == "^" and isinstance(node.left, Area):
                return None
            if isinstance(node, Binary) and node.operator == "/":
                number = side.facts.evaluator.tree_value(node.right, key, {})
                if isinstance(number, (int, float)):
                    divisors.append((isinstance(node.right, Area), float(number)))
    if any(math.isclose(number, scale, rel_tol=CLOSE) for _, number in divisors):
        return None
    odd = abs(scale - round(scale)) > CLOSE * scale  # nobody divides by such a number: the base is another than ten
    said = (
        n for is_cell, n in divisors
        if n == USUAL_SCALE or ((is_cell or odd) and LEAST_SCALE <= n <= MOST_SCALE)
    )  # fmt: skip
    return next(said, None)


def k_cells(facts: Facts, side: Side) -> list[Key]:
    """The typed cells that K is proportional to."""
    here = side.k(None)
    found = []
    for key in entries(facts.context, side.gain) if here else []:
        number = facts.model.number(key)
        doubled = side.k(Result({key: 2 * number}, None, "")) if number else None
        if here and doubled is not None and abs(doubled - 2 * here) < CLOSE * abs(here):
            found.append(key)
    return found


def _k(facts: Facts, side: Side) -> Iterator[Broken]:
    """The change: K is above 0, and it is the K in the cell that the change reads, or a whole part of it."""
    k, cell = side.k(None), side.gain.cell
    if k is None or abs(k) < CLOSE:
        return
    if k < 0:
        yield Broken("k", cell, f"K is {_n(k)}: who wins loses points", abs(k), k)
        return
    cells = side.k_cells
    product = math.prod(facts.model.number(key) or 1.0 for key in cells)
    constant = all((other := side.k(result)) is not None and abs(other - k) < CLOSE * k for result in side.results)
    parts = product / k  # a change may be shared out among partners, or a K be halved for quick games
    if cells and constant and (parts < 1 - CLOSE or abs(parts - round(parts)) > CLOSE):
        says = f"the change uses a K of {_n(k)}, but {range_text(cells[:1])} holds {_n(product)}"
        yield Broken("k", cell, says, product, k, f"k={_n(k)}")


def _after(facts: Facts, side: Side) -> Iterator[Broken]:
    """The new rating is the player's own rating before and the change; the opponent's takes it off."""
    gain, model = side.gain, facts.model
    change = model.number(gain.cell)
    if gain.base is not None or change is None:
        return
    yield from _unread_change(side)
    held: dict[Key, Value] = {gain.cell: change}
    for cell in model.readers.get(gain.cell, ()):
        if model.number(cell) is None or (cell[0] == gain.cell[0] and abs(cell[1] - gain.cell[1]) > 1):
            continue
        smooth, _ = facts.looker.smooth(cell, [], dict(side.formulas))
        here = facts.evaluator.number(cell, held, smooth)
        there = facts.evaluator.number(cell, {gain.cell: change + STEP}, smooth)
        base = facts.base(cell, (gain.own[0], gain.other[0]), held, smooth)
        base = next((one for one in (*gain.own, *gain.other) if base in (one, *ratings_of(model, one))), base)
        if here is None or there is None or base not in (*gain.own, *gain.other):
            continue
        parts = STEP / abs(there - here) if there != here else 0.0  # a change may be shared out among partners
        if parts < 1 - CLOSE or abs(parts - round(parts)) > CLOSE:
            if cell[:2] == gain.cell[:2] and (parts or cell in side.formulas):
                says = f"a change of {_n(STEP)} points changes the rating by {_n(there - here)}"
                yield Broken("after", cell, says, here + STEP, there)
            continue
        side.checks += 1
        adds = there > here
        back = facts.evaluator.number(cell, {gain.cell: change - STEP}, smooth)
        if back is not None and abs(back + there - 2 * here) > CLOSE:
            says = f"a change of {_n(-STEP)} points changes the rating by {_n(back - here)}"
            yield Broken("after", cell, says, here - (there - here), back)
            continue
        if adds != (base in gain.own):
            whose = "the player's own" if base in gain.own else "the opponent's"
            way = "added to" if adds else "taken off"
            says = f"the change is {way} {whose} rating"
            yield Broken("after", cell, says, here - 2 * change if adds else here + 2 * change, here)


def _unread_change(side: Side) -> Iterator[Broken]:
    """A change that nothing reads, beside a formula that shows the player's rating before once more."""
    gain, model = side.gain, side.facts.model
    if model.readers.get(gain.cell) or side.facts.evaluator.readers.is_read(gain.cell):
        return
    for column in sorted(column for row, column in model.book.sheets[gain.cell[0]] if row == gain.cell[1]):
        cell = (*gain.cell[:2], column)
        tree = model.tree(cell)
        shown = (tree.sheet or cell[0], tree.row, tree.column) if isinstance(tree, Area) and tree.single else None
        before, change = model.number(cell), model.number(gain.cell)
        if shown in gain.own and column > gain.cell[2] and before is not None and change:
            yield Broken("carried", cell, "the change is not added to the rating", before + change, before)


def _two_sides(facts: Facts, one: Side, two: Side) -> Iterator[Broken]:
    """Both sides of one game: the scores sum to one, and so do the expectations, whatever the ratings."""
    k, other = one.k(None), two.k(None)
    if k and other and abs(k - other) > CLOSE * abs(k):
        has, lacks = (one, two) if one.k_cells else (two, one)
        if has.k_cells and not lacks.k_cells and not _moves_k(facts, lacks):
            due, found = has.k(None) or 0.0, lacks.k(None) or 0.0
            says = f"K is {_n(found)} for this side, and {_n(due)} for the other"
            yield Broken("k", lacks.gain.cell, says, due, found)
            return
        fixed = not (one.k_cells or two.k_cells or _moves_k(facts, one) or _moves_k(facts, two))
        if fixed or (one.k_cells and one.k_cells == two.k_cells):
            said = math.prod(facts.model.number(key) or 1.0 for key in two.k_cells)
            right, wrong = (two, one) if two.k_cells and abs(other - said) < CLOSE * other else (one, two)
            due, found = right.k(None) or 0.0, wrong.k(None) or 0.0
            says = f"K is {_n(found)} for this side, and {_n(due)} for the other"
            yield Broken("k", wrong.gain.cell, says, due, found, f"k={_n(found)}")
            return
    first, second = one.score(None), two.score(None)
    own_scores = any(name in facts.context.allowed for name in OF_SCORES)
    if not own_scores and first is not None and second is not None and abs(first + second - 1) > CLOSE:
        says = f"the scores of the two sides sum to {_n(first + second)}"
        yield Broken("score", two.gain.cell, says, 1 - first, second)
        return
    one.checks += 1
    for a, b in MOVES:
        x, y = one.share((a, b)), two.share((b, a))
        if x is not None and y is not None and abs(x + y - 1) > CLOSE:
            where = next((key for key, _, own in two.gain.shares if own), two.gain.cell)
            yield Broken("sum", where, f"the expected scores of the two sides sum to {_n(x + y)}", 1 - x, y)
            return


def _moves_k(facts: Facts, side: Side) -> bool:
    """Whether K follows from anything that is typed, or from the ratings."""
    here = side.k(None)
    for key in entries(facts.context, side.gain):
        for value in _others(facts, key):
            k = side.k(Result({key: value}, None, ""))
            if k is not None and here is not None and abs(k - here) > CLOSE * abs(here):
                return True
    numbers = {facts.model.number(key) for key in row_cone(facts.context, side.gain)[1:]}
    return here is not None and any(
        number is not None and number > 1 and abs(number - here) < CLOSE for number in numbers
    )


def _n(number: float) -> str:
    return f"{number:.4g}"
