"""The lists of players of Glicko's rating periods, and the rows of games that close them.

A line adds to a rating of its row, stands by a deviation, and follows from scores in rows that name two players: a row
for each of them, or one for both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from elo_sheets.detective.names import plain
from elo_sheets.expr import Expr
from elo_sheets.files.package import Value
from elo_sheets.recognise.context import Context
from elo_sheets.recognise.model import Key
from elo_sheets.recognise.periods.closed import opening_of
from elo_sheets.recognise.periods.of_one import SCORES, Games, is_wide
from elo_sheets.recognise.walks import follow

LEAST_LINES, MOST_LINES = 3, 400  # of all periods
CLOSE = 1e-6  # of ratings and deviations
MOVED = 100.0  # rating points


@dataclass
class Line:
    """A player's line in the list of a period."""

    name: str
    key: Key  # the new rating
    own: Key  # the rating that the period starts from
    named: int  # the column of the name
    wide: Key | None = None  # the deviation that it starts from
    new_wide: Key | None = None
    games: Games | None = None


@dataclass
class Lists:
    """The lines of all periods, in the order of time, and the rows of games."""

    context: Context
    lines: list[Line]
    rows: dict[tuple[str, int], list[tuple[int, str]]] = field(default_factory=dict)  # columns with the players' names
    formulas: dict[Key, dict[Key, Expr]] = field(default_factory=dict)  # by new rating

    @cached_property
    def held(self) -> dict[Key, Value]:
        """The ratings and deviations that periods start from, as they stand."""
        keys = [key for one in self.lines for key in (one.own, one.wide) if key is not None]
        return {key: number for key in keys if (number := self.context.model.number(key)) is not None}

    def holding(self, line: Line) -> dict[Key, Value]:
        """The same, but for where a line ends: the next period may start from there."""
        return {key: value for key, value in self.held.items() if key not in (line.key, line.new_wide)}

    def whole(self, line: Line) -> dict[Key, Expr]:
        """The formulas of a line's games: beside a list they are no earlier steps of it, as they would be in a log."""
        if line.key not in self.formulas:
            read = {line.key, *([] if line.new_wide is None else [line.new_wide]), *read_by(self, line)}
            trees = {key: self.context.model.tree(key) for key in read if key not in self.holding(line)}
            self.formulas[line.key] = {key: tree for key, tree in trees.items() if tree is not None}
        return self.formulas[line.key]

    def of(self, name: str) -> list[Line]:
        """The lines of a player."""
        return [line for line in self.lines if line.name == name]


def lists_of(context: Context) -> Lists | None:
    """The lines whose new rating adds to a rating of its row, and follows from scores in rows that name two players."""
    model = context.model
    adds = ((key, own) for key in model.forms if (own := opening_of(context.evaluator, key)))
    ends = {key: own for key, own in adds if context.evaluator.moves_along(key, own, 1)}  # a new deviation does not so
    columns = Counter((key[0], key[2], own[2]) for key, own in ends.items())
    order = {sheet: at for at, sheet in enumerate(model.book.sheets)}
    lines = []
    for key in sorted(ends, key=lambda one: (order[one[0]], one[2], one[1])):
        own = ends[key]
        named = next(
            (at for at in range(own[2] - 1, 0, -1) if plain(context.model.value((*own[:2], at))) is not None), 0
        )
        name = plain(context.model.value((*own[:2], named))) if named else None
        if name is not None and columns[key[0], key[2], own[2]] >= LEAST_LINES:
            lines.append(Line(name, key, own, named))
    if not LEAST_LINES <= len(lines) <= MOST_LINES:
        return None
    lists = Lists(context, lines)
    names = {line.name for line in lines}
    listed = {line.key[:2] for line in lines}
    for sheet, cells in model.book.sheets.items():
        for row, column in sorted(cells):
            name = plain(model.value((sheet, row, column)))
            if name in names and ((sheet, row) not in listed or _beside(lines, (sheet, row, column))):
                lists.rows.setdefault((sheet, row), []).append((column, str(name)))
    lists.rows = {place: found for place, found in lists.rows.items() if len({name for _, name in found}) > 1}
    for line in lists.lines:
        line.wide, line.new_wide = _deviations(context, line)
    lists.lines = [line for line in lists.lines if line.wide is not None]
    for line in lists.lines:
        line.games = _games(lists, line)
    # An end of an interval adds to a new rating too, and no game moves it beside that.
    moved = {line.key[2] for line in lists.lines if line.games is None or line.games.scores}
    lists.lines = [line for line in lists.lines if line.key[2] in moved]
    played = sum(bool(line.games and line.games.scores) for line in lists.lines)
    return lists if lists.lines and 2 * played >= len(lists.lines) else None


def _beside(lines: Sequence[Line], key: Key) -> bool:
    """Whether a cell in a line of a list is outside it, where games may stand in the same rows."""
    inside = [(line.named, max(line.own[2], line.key[2])) for line in lines if line.key[:2] == key[:2]]
    return not any(first <= key[2] <= last for first, last in inside)


def _deviations(context: Context, line: Line) -> tuple[Key | None, Key | None]:
    """The deviation that a line starts from, and the new one, which follows from it."""
    model = context.model
    sheet, row, column = line.own
    wide = [(sheet, row, at) for at in range(1, line.key[2] + 6) if at not in (column, line.key[2])]
    wide = [key for key in wide if is_wide(model, key)]
    old = [key for key in wide if context.evaluator.depends(line.key, (key,), 4)]
    own = min(old, key=lambda key: (abs(key[2] - column), key[2] < column), default=None)
    new = [key for key in wide if own is not None and key in model.forms and context.evaluator.depends(key, (own,), 6)]
    return own, min((key for key in new if key != own), key=lambda key: abs(key[2] - line.key[2]), default=None)


def _games(lists: Lists, line: Line) -> Games | None:
    """The games that move a line's new rating, each with its opponent's line; None where one cannot be read."""
    model, evaluator = lists.context.model, lists.context.evaluator
    if line.wide is None:
        return None
    read = read_by(lists, line)
    here = evaluator.number(line.key, lists.holding(line), lists.whole(line))
    scores, opponents, turned = list[Key](), list[Line](), set[Key]()
    for place, named in lists.rows.items() if here is not None else ():
        if line.name not in {name for _, name in named} or not any(key[:2] == place for key in read):
            continue
        moving = _moving(lists, line, place, here or 0.0)
        if moving is None:
            continue
        score, rises = moving
        others = {name for _, name in named if name != line.name}
        rated = [one for name in others for one in lists.of(name) if one.own in read]
        if len(rated) > 1:
            far = {id(one): {**lists.holding(line), one.own: (model.number(one.own) or 0.0) + MOVED} for one in rated}
            rated = [one for one in rated if evaluator.number(line.key, far[id(one)], lists.whole(line)) != here]
        if len(rated) != 1:
            return None
        scores.append(score)
        opponents.append(rated[0])
        turned |= set() if rises else {score}
    wide = [one.wide for one in opponents if one.wide is not None]
    return Games(line.own, tuple(one.own for one in opponents), tuple(scores), (line.wide, *wide), frozenset(turned))


def read_by(lists: Lists, line: Line) -> set[Key]:
    """All cells that a line's new rating follows from, up to what its period starts from."""
    model, ends = lists.context.model, lists.holding(line)
    return {*follow([line.key], lambda key: () if key in ends else model.precedents(key))}


def _moving(lists: Lists, line: Line, place: tuple[str, int], here: float) -> tuple[Key, bool] | None:
    """The score in a row of games that moves a line, and whether the rating rises with it; None where none does."""
    model, evaluator = lists.context.model, lists.context.evaluator
    ratings = set(lists.held)
    found: list[tuple[Key, bool]] = []
    for column in sorted(at for row, at in model.book.sheets[place[0]] if row == place[1]):
        key = (*place, column)
        number = model.number(key)
        if number not in SCORES or (key in model.forms and evaluator.depends(key, ratings, 12)):
            continue
        moved = evaluator.number(line.key, {**lists.holding(line), key: 1.0 if number < 1 else 0.0}, lists.whole(line))
        if moved is not None and abs(moved - here) > CLOSE:
            found.append((key, (moved > here) is (number < 1)))
    worked = [one for one in found if one[0] in model.forms]
    return worked[-1] if worked else found[0] if len(found) == 1 else None


Seats = dict[tuple[str, int], tuple[Line, Line]]  # by rows of games: whose row it is, and the other one


def seats_of(lists: Lists) -> Seats:
    """The lines of the two players of each game, in the order of their names."""
    by_own = {line.own: line for line in lists.lines}
    found: Seats = {}
    for line in lists.lines:
        for score, other in () if line.games is None else zip(line.games.scores, line.games.opponents, strict=True):
            both = {line.name: line, by_own[other].name: by_own[other]}
            names = [name for _, name in lists.rows[score[:2]] if name in both]
            found[score[:2]] = both[names[0]], both[next(name for name in names if name != names[0])]
    return found


__all__ = ["CLOSE", "Line", "Lists", "Seats", "lists_of", "read_by", "seats_of"]
