"""A side of a game as a function: what it gains by each result that could stand there, at each share and rating.

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

from elo_sheets.detective.facts import FAR, Facts
from elo_sheets.detective.gains import IN_A_ROW, Gain, entries, is_of_table, levels, row_cone, shown
from elo_sheets.detective.goals import MANY, are_counted, are_goals, are_places, are_points, most
from elo_sheets.detective.ladders import Ladder
from elo_sheets.detective.names import alike, name_column, plain
from elo_sheets.expr import Expr, walk
from elo_sheets.files.package import Value
from elo_sheets.recognise.behind import has_deviations
from elo_sheets.recognise.model import Area, Key

CLOSE = 1e-6  # of a score or a share: the evaluator gives about 12 digits of a rating of 1500
GOALS = ((3.0, 1.0), (1.0, 3.0), (2.0, 2.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0), (5.0, 4.0), (0.0, 4.0))
MOST_SETS = 8  # different results of a match of sets: 3:0 to 2:3, and a few that are given up
STEEP = 6000.0  # rating points at which a curve of a scale of 40 is 0 or 1, and its power still a number
LEADS = (10.0, 20.0, 30.0)  # rating points within every limit of differences: once, twice, three times as many
LIMITED = 1500.0  # rating points at which an unlimited curve still rises by more than the evaluator's digits
MOST_CUT, HALVINGS = 0.49, 50  # of an expectation, and how often the interval is halved in which it lies
NEARLY = 0.75  # of the rows of a column of scores: the scores of both sides sum to one, but for slips of the hand
LEAST_CENTER = 500.0  # ratings of this size go with scales of a hundred to some thousands, as every federation's do
LEAST_WINNERS = 2  # different players' names that a column of results holds, so that they are the winners
BOTH = ((1.0, "player"), (0.0, "opponent"))
EACH = 3  # results of many that are won: whether they count alike shows already
_TWO = re.compile(r"\s*(\d+(?:[.,]\d+)?|½)\s*[-–:/]\s*(\d+(?:[.,]\d+)?|½)\s*")
_WON = {"w", "win", "won", "s", "sieg", "v", "victoire", "victoria", "vittoria", "gewonnen", "white", "h", "home"}
_LOST = {"l", "loss", "lost", "lose", "niederlage", "verloren", "black", "a", "away"}
_FIRST, _SECOND = {"a", "team a", "side a"}, {"b", "team b", "side b"}  # who won, where entries are of both
_LEVEL = {"d", "draw", "drawn", "remis", "=", "x", "½", "1/2", "tie", "t", "unentschieden", "nul", "empate", "tablas"}


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
        self.given, self.formulas = self.formulas, smooth
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
        row, ladder = self.gain.cell[1], self.facts.ladders.get(self.gain.cell[0])
        if ladder is not None:
            return ladder.names_of(self.facts.model, self.gain.cell)
        keys = (self.gain.own[0], self.gain.other[0])
        columns = [name_column(self.facts.model, key, row) if key[1] == row else None for key in keys]
        if None in columns:
            seats = dict(zip(sorted(keys), self.facts.seats(sorted(keys)), strict=False))
            columns = [seats.get(key) for key in keys]
        if None in columns or len(set(columns)) < len(columns):
            return ()
        return tuple((key[0], row, column) for key, column in zip(keys, columns, strict=True) if column is not None)

    @cached_property
    def k_cells(self) -> list[Key]:
        """The typed cells that K is proportional to."""
        return k_cells(self.facts, self)

    def at(self, result: Result | None, share: float | None, move: tuple[float, float] = (0.0, 0.0)) -> float | None:
        """What the side gains by a result (None: the one that stands there) at a share and ratings moved apart."""
        if share is None or not self.cut:
            return self._at(result, share, move)
        low, high = self._at(result, 0.0, move), self._at(result, 1.0, move)
        if low is None or high is None:
            return None
        beyond = (low - high) * self.cut / (1 - 2 * self.cut)
        return low + beyond if share == 0 else high - beyond

    @cached_property
    def cut(self) -> float:
        """The least expectation where a formula that works out its own holds differences within a limit; else 0.

        On a logistic curve the odds rise evenly with the lead: so the expectation at the limit follows from what is
        gained at small leads, whatever K is.
        """
        leads = () if self.gain.shares else (-FAR, FAR, LIMITED, 0.0, *LEADS)
        numbers = [self._at(None, None, (0.0, lead)) for lead in leads]
        known = [number for number in numbers if number is not None]
        if len(known) < 1 + len(LEADS) or len(known) < len(numbers):
            return 0.0
        bottom, top, limited, *gained = known
        if abs(top - limited) > CLOSE or abs(top - bottom) < CLOSE:
            return 0.0

        def bend(cut: float, steps: int) -> float:
            level, once, *_ = shares = [cut + (1 - 2 * cut) * (top - one) / (top - bottom) for one in gained]
            if not 0 < min(shares) <= max(shares) < 1:
                return 0.0
            return odds(shares[steps]) - steps * odds(once) + (steps - 1) * odds(level)

        low, high = CLOSE, MOST_CUT
        if bend(low, 2) * bend(high, 2) >= 0:
            return 0.0
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if bend(low, 2) * bend(middle, 2) > 0 else (low, middle)
        return low if abs(bend(low, 3)) < CLOSE else 0.0  # another curve bends at one lead or the other

    def _at(self, result: Result | None, share: float | None, move: tuple[float, float] = (0.0, 0.0)) -> float | None:
        """What the side gains at a share, or at the nearest to it that its formula reaches."""
        a, b = self.center + move[0], self.center + move[1]
        if share is not None and not self.gain.shares:
            alone = self.gain.cell[0] in self.facts.ladders  # by whose own rating a K may go in the same formula
            a, b = (a, b + FAR) if share == 0 else (a, b - FAR) if alone else (a + FAR, b)
        moved: dict[Key, Value] = {**dict.fromkeys(self.gain.own, a), **dict.fromkeys(self.gain.other, b)}
        if share is not None:
            moved |= {key: (share if own else 1 - share) * unit for key, unit, own in self.gain.shares}
        if result is not None:
            moved |= result.typed
        found = self.facts.evaluator.number(self.gain.cell, moved, self.formulas, IN_A_ROW)
        beyond = found is None and not self.gain.shares  # a steep curve has no such power; Glicko's rule has no K there
        if beyond and share is not None and not has_deviations(self.facts.model, self.gain.cell[0]):
            b = self.center + move[1] + (STEEP if share == 0 else -STEEP)
            moved |= {**dict.fromkeys(self.gain.own, a := self.center + move[0]), **dict.fromkeys(self.gain.other, b)}
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

    def k(self, result: Result | None, move: tuple[float, float] = (0.0, 0.0)) -> float | None:
        """The K that the gain shows: what it falls by when the expectation goes from 0 to 1."""
        low, high = self.at(result, 0.0, move), self.at(result, 1.0, move)
        return None if low is None or high is None else low - high

    def share(self, move: tuple[float, float], result: Result | None = None) -> float | None:
        """The expectation that the gain really uses, at ratings moved apart."""
        low, high, here = self.at(result, 0.0, move), self.at(result, 1.0, move), self.at(result, None, move)
        if low is None or high is None or here is None or abs(low - high) < CLOSE:
            return None
        return (low - here) / (low - high)

    def against(self, other: Side, moves: Iterable[tuple[float, float]]) -> Iterator[tuple[float, float]]:
        """The expectations of both sides of a game, at ratings moved apart.

        By Glicko's rule each goes by the opponent's deviation: what only one of them reads is the same for both.
        """
        mine, theirs = weights(self.facts, self), weights(self.facts, other)
        apart = [key for key in (*mine, *theirs) if key not in mine or key not in theirs]
        level = Result(dict.fromkeys(apart, next(iter(mine.values()), 0.0)), None, "")
        typed = level if {*mine} - {*theirs} and {*theirs} - {*mine} else None
        for a, b in moves:
            own, opposite = self.share((a, b), typed), other.share((b, a), typed)
            if own is not None and opposite is not None:
                yield own, opposite


def read_by(facts: Facts, side: Side) -> list[Key]:
    """The typed cells that a side follows from, those among them that its formulas read in place of the book's."""
    model, gain = facts.model, side.gain
    found = dict.fromkeys(entries(facts.context, gain))
    ratings = {*gain.own, *gain.other, gain.base}
    for key, tree in side.formulas.items():
        for node in walk(tree) if key[:2] == gain.cell[:2] else ():
            if isinstance(node, Area) and node.single:
                at = (node.sheet or key[0], node.row, node.column)
                leaves = model.precedents(at) if at in model.forms else [at]
                found |= dict.fromkeys(one for one in leaves if one not in model.forms and one not in ratings)
    return list(found)


def results_of(facts: Facts, side: Side) -> list[Result]:
    """The results that could stand in a game, with what each is worth to the side as far as that can be known."""
    if side.gain.cell[0] in facts.many:
        return []
    ladder = facts.ladders.get(side.gain.cell[0])
    if ladder is not None and ladder.by_place(facts.model):
        return list(_placed(side, ladder))
    found: list[Key] = []
    here = side.score(None)
    read = read_by(facts, side)
    for key in read:
        if _is_of_another(facts, side, key, read):
            continue
        for value in (*others(facts, key), *_winners(facts, side, key)) if key not in side.names else ():
            score = side.score(Result({key: value}, None, ""))
            if score is not None and (here is None or abs(score - here) > CLOSE):
                found.append(key)
                break
    of_row = [key for key in found if key[:2] == side.gain.cell[:2]]  # a K that counts in part is no result
    found = of_row or found
    apart = [key for key in found if not is_of_table(facts.context, side.gain, key)]
    found = (apart if of_row else []) if side.gain.exchanged else apart or found
    numbers = [key for key in found if facts.model.number(key) is not None]
    if len(numbers) == 1 and are_counted(facts, numbers[0]):
        numbers += _against(facts, side, numbers[0])[:1]
    if len(numbers) == 1 and (mate := _beside(facts, numbers[0], entries(facts.context, side.gain))) is not None:
        numbers.append(mate)
    if len(numbers) == 2 and all(are_counted(facts, key) or are_points(facts, key) for key in numbers):
        return list(_goals(side, numbers))
    if len(found) == 1:
        return list(_levels(facts, side, found[0]))
    return []


def _placed(side: Side, ladder: Ladder) -> Iterator[Result]:
    """The first and the last place of those who play, typed in a column for each player."""
    sheet, row, line = side.gain.cell
    others = [ladder.entries[key[2]] for key in side.gain.other]
    last = len(others) + 1
    for own, worth in ((1, 1.0), (last, 0.0)):
        places = [float(place) for place in range(1, last + 1) if place != own]
        typed: dict[Key, Value] = {(sheet, row, ladder.entries[line]): float(own)}
        typed |= {(sheet, row, at): place for at, place in zip(others, places, strict=True)}
        yield Result(typed, worth, f"place {own} of {last}")


def _is_of_another(facts: Facts, side: Side, key: Key, read: Iterable[Key]) -> bool:
    """Whether a text stands above or below one of the game's row that is read as well: it is another game's."""
    own = (*side.gain.cell[:2], key[2])
    return isinstance(facts.model.value(key), str) and key != own and key[0] == own[0] and own in read


def _against(facts: Facts, side: Side, key: Key) -> list[Key]:
    """The typed numbers on which the score depends when the number of `key` is a middling one."""
    found = []
    for other in entries(facts.context, side.gain):
        if other != key and are_counted(facts, other):
            values = dict.fromkeys((facts.model.value(other), 0.0, 2.0, MANY))
            scores = {side.score(Result({key: 2.0, other: value}, None, "")) for value in values}
            if len({round(score, 6) for score in scores if score is not None}) > 1:
                found.append(other)
    return found


def _beside(facts: Facts, key: Key, read: list[Key]) -> Key | None:
    """The cell beside one with whole numbers that holds such as well: the other side's goals.

    Nothing reads it, or the game does, and not for its score: by how many goals it was won.
    """
    if not are_counted(facts, key):
        return None
    for column in (key[2] + 1, key[2] - 1):
        one = (key[0], key[1], column)
        if not are_counted(facts, one) or one in facts.model.forms:
            continue
        if not facts.evaluator.readers.is_read(one, in_tables=False) or (one in read and are_goals(facts, key, one)):
            return one
    return None


def others(facts: Facts, key: Key) -> list[Value]:
    here = facts.model.value(key)
    values: list[Value] = [value for value in _told(facts, key) if value != here]
    if isinstance(here, (int, float)) and not isinstance(here, bool):
        values += [value for value in (0.0, 1.0, 0.5, 3.0, most(facts, key)) if value != here]
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
    texts.sort(key=_is_even)  # 10-9 first: as texts, 10 is less than 9
    for value in dict.fromkeys((here, *texts)):
        of_worth.setdefault(worth_of(value), []).append(value)
    return [value for values in of_worth.values() for value in values[:EACH]]


def parts_of(text: str) -> tuple[str, ...]:
    """Both numbers of a result such as 3:1; () for other texts."""
    match = _TWO.fullmatch(text)
    return () if match is None else match.groups()


def _is_even(text: str) -> bool:
    """Whether both numbers of a result have as many digits."""
    return len({len(part) for part in parts_of(text)}) < 2


def _goals(side: Side, keys: list[Key]) -> Iterator[Result]:
    """Goals, points or places of both sides, the first-named side's first; whose are whose the ratings' order tells."""
    left, right = sorted(keys, key=lambda key: (key[1], key[2]))
    own, other = (left, right) if side.first else (right, left)
    if left[1] != right[1] and side.gain.cell[1] in (left[1], right[1]):  # a row a side: who gains has his own there
        own, other = (left, right) if side.gain.cell[1] == left[1] else (right, left)
    model = side.facts.model
    gain, apart = side.gain.cell, right[1] - left[1]
    reading = [one for one in row_cone(side.facts.context, side.gain) if {left, right} <= {*model.precedents(one)}]
    column, form = (reading[0][2], model.forms[reading[0]]) if reading and apart else (gain[2], None)
    rows = [
        row for row in model.columns.get((left[0], left[2]), ())
        if gain[:2] not in (left[:2], right[:2]) or (
            (found := model.forms.get((left[0], row + gain[1] - left[1], column))) is not None
            and (form is None or found is form)
        )
    ]  # and no totals  # fmt: skip
    both = [
        (model.number((left[0], row, left[2])), model.value((right[0], row + apart, right[2])) or 0.0) for row in rows
    ]
    level = any(mine is not None and mine == theirs for mine, theirs in both)  # and no two headings alike
    placed = are_places(side.facts, left, right)
    told = {(x, y) for pair in both for x, y in (pair, pair[::-1]) if isinstance(x, float) and isinstance(y, float)}
    sets = sorted(told) if len(told) <= MOST_SETS else ()  # a table of scores may know no others
    shared = len(sets) > 1 and len({x + y for x, y in sets}) == 1  # two points a game, say: no others can stand there
    goals = sets if shared else dict.fromkeys((*GOALS, *sets))
    for x, y in ((x, y) for x, y in goals if not placed or 0 < x != y > 0):
        worth = float((x > y) is not placed) if x != y else 0.5 if level else None
        typed = {own: x, other: y}
        words = f"{'places ' if placed else ''}{typed[left]:g}:{typed[right]:g}"
        yield Result({left: typed[left], right: typed[right]}, worth, words)


def _levels(facts: Facts, side: Side, key: Key) -> Iterator[Result]:
    values = _told(facts, key)
    texts = {value for value in (*values, facts.model.value(key)) if isinstance(value, str)}
    values = [value for value in values if not isinstance(value, str) or squeezed(value) not in texts - {value}]
    numbers = [value for value in values if isinstance(value, (int, float))]
    if points := bool(numbers) and all(0 <= number <= 1 for number in numbers):
        values = [0.0, 0.5, 1.0]
    if names := _winners(facts, side, key):
        yield from (Result({key: name}, won, f"the {who}'s name") for name, (won, who) in zip(names, BOTH, strict=True))
        values = [value for value in values if value not in names]
    players = [name for one in _entered(facts, side, side.names) if names and (name := plain(one))]
    drawn = _entered(facts, side, [key]) if players else ()
    slashed = any("/" in text and worth_of(text) != 0.5 for text in texts)
    told_by_first = _is_told_by_first(facts, key) if points else None
    from_own = side.first == (told_by_first is not False)
    for value in values:
        of_text = worth_of(value, by_letters(values), slashed)
        worth = float(value) if points and isinstance(value, (int, float)) else of_text
        if worth is None and value in drawn and not alike(plain(value) or "", players):
            worth = 0.5  # the word of a draw, in whatever language
        if worth is not None and not from_own:
            worth = 1 - worth
        yield Result({key: value}, worth, f"{value:g}" if isinstance(value, float) else str(value))


def _is_told_by_first(facts: Facts, key: Key) -> bool | None:
    """Whether a typed score is the first-named side's, where both have a column; None where one stands for both."""
    model, rows = facts.model, facts.model.columns.get((key[0], key[2]), ())
    for beside in (column for at, column in sorted(model.book.sheets[key[0]]) if at == key[1] and column != key[2]):
        pairs = [
            (own, other) for row in rows if not {(key[0], row, key[2]), (key[0], row, beside)} & model.forms.keys()
            if (own := model.number((key[0], row, key[2]))) is not None
            and (other := model.number((key[0], row, beside))) is not None
        ]  # fmt: skip
        if len({*pairs}) > 1 and sum(own + other == 1 for own, other in pairs) >= NEARLY * len(rows):
            return key[2] < beside
    return None


def _winners(facts: Facts, side: Side, key: Key) -> list[Value]:
    """The player's and the opponent's name, where a column of results holds the winners' names."""
    players, entered = (_entered(facts, side, keys) for keys in (side.names, [key]))
    told = isinstance(facts.model.value(key), str) and len(entered & players) >= LEAST_WINNERS
    return [facts.model.value(name) for name in side.names] if told else []


def _entered(facts: Facts, side: Side, keys: Iterable[Key]) -> set[Value]:
    """What stands in the columns of cells in all rows of games, but in no heading."""
    model, (sheet, _, column) = facts.model, side.gain.cell
    games = [row for row in model.columns.get((sheet, column), ()) if (sheet, row, column) in model.forms]
    return {model.value((key[0], row, key[2])) for key in keys for row in games}


def is_first(facts: Facts, gain: Gain, gains: list[Gain]) -> bool:
    """Whether a result is told from a side's view: it is alone in its row, or its rating stands before the other's."""
    ladder = facts.ladders.get(gain.cell[0])
    if ladder is not None and ladder.names:
        return ladder.named(facts.model, gain.cell[1])[:1] == [gain.cell[2]]
    own = gain.own[0]  # the change of the other may go by this side's rating after the game: its owner is who counts
    other = next((one.own[0] for one in gains if one.other == gain.own and one.own != gain.own), gain.other[0])
    alone = not any(one.own == gain.other and one.cell[1] == gain.cell[1] for one in gains)
    if alone and gain.cell[0] not in facts.two_sided:
        names = [name_column(facts.model, key, key[1]) for key in (own, other)]
        return None in names or own[:2] != other[:2] or names[0] <= names[1]  # type: ignore[operator]
    return own[0] != other[0] or stands_at(facts, own) <= stands_at(facts, other)


def stands_at(facts: Facts, key: Key) -> tuple[int, int]:
    """Row and column of a rating, or of the one of its row that it follows from, with an edge added or as a mean."""
    if shown(facts.model.tree(key), key[0]) is not None:
        return key[1:]
    areas = [area for area in facts.model.areas(key) if area.single and (area.sheet or key[0], area.row) == key[:2]]
    ratings = [(area.row, area.column) for area in areas
               if abs(facts.model.number((*key[:2], area.column)) or 0.0) >= LEAST_CENTER / 2]  # fmt: skip
    return min(ratings, default=key[1:])


def squeezed(text: str) -> str:
    """A result as it is spelt without blanks: with them it is an entry of its own, and no other result."""
    return "".join(text.split())


def by_letters(values: Iterable[Value]) -> bool:
    """Whether entries name the sides A and B: then an A has won, and is not away."""
    texts = {value.strip().casefold() for value in values if isinstance(value, str)}
    return bool(texts & _FIRST and texts & _SECOND)


def worth_of(value: Value, lettered: bool = False, slashed: bool = False) -> float | None:
    """What a text says of a result, to the first-named side; None for texts that say nothing known.

    1/2 is a half, but where other results of the column are `slashed`, such as 3/1.
    """
    if not isinstance(value, str):
        return None
    text = value.strip().casefold()
    if (match := _TWO.fullmatch(text)) and (slashed or text not in _LEVEL):
        left, right = (0.5 if part == "½" else float(part.replace(",", ".")) for part in match.groups())
        return 1.0 if left > right else 0.0 if left < right else 0.5
    if lettered and text in _FIRST | _SECOND:
        return float(text in _FIRST)
    return 1.0 if text in _WON else 0.0 if text in _LOST else 0.5 if text in _LEVEL else None


def odds(share: float) -> float:
    """The power of ten of the odds that an expected score between 0 and 1 gives."""
    return math.log10(share / (1 - share))


def scale_of(level: float, share: float, lead: float) -> float | None:
    """The scale of the powers of ten by which the odds rise from `level` to `share` with a lead; None where none do."""
    if not 0 < level < share < 1:
        return None
    rise = odds(share) - odds(level)
    return lead / rise if rise > CLOSE else None


def weights(facts: Facts, side: Side) -> dict[Key, float]:
    """The numbers of its row that the expectation of a side reads beside the ratings, such as a deviation."""
    gain = side.gain
    cells = [key for key, _, own in gain.shares if own] or [key for key, _, _ in gain.shares] or [gain.cell]
    apart = {*gain.own, *gain.other, *(key for key, _, _ in gain.shares)}
    read = {key for cell in cells for key in facts.model.precedents(cell) if key[:2] == cell[:2]} - apart
    ratings = {*gain.own, *gain.other}  # what follows from them, as their difference does, weighs nothing
    read = {key for key in read if ratings.isdisjoint(facts.model.precedents(key))}
    return {key: number for key in sorted(read) if (number := facts.model.number(key))}


def k_cells(facts: Facts, side: Side) -> list[Key]:
    """The typed cells that K is proportional to, and the score is not: games of which a line has several are none."""
    here, score = side.k(None), side.score(None)
    found = []
    for key in entries(facts.context, side.gain) if here and score is not None else []:
        number = facts.model.number(key)
        double = Result({key: 2 * number}, None, "") if number else None
        doubled, same = (None, None) if double is None else (side.k(double), side.score(double))
        twice = here and doubled is not None and abs(doubled - 2 * here) < CLOSE * abs(here)
        if twice and same is not None and score is not None and abs(same - score) < CLOSE:
            found.append(key)
    return found
