"""Logs with a column for each player that holds his rating after every game: who does not play hands it through.

Who plays is told by the cells: a rating that rises by less than the one above it gains by the game, and what moves it
besides are the ratings of the others. The headings say whose column it is, and the entries of the row who should play.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from elo_sheets.detective.names import plain
from elo_sheets.expr import Expr
from elo_sheets.files.package import CellError
from elo_sheets.recognise.evaluate import Evaluator
from elo_sheets.recognise.model import Area, Key, Model, with_areas
from elo_sheets.recognise.parts import Part
from elo_sheets.recognise.roles import has_power

STEP = 64.0  # rating points that move a rating without reaching a cap
TINY = 1e-6  # rating points; an engine gives about 15 digits of a rating
LEAST_PLAYERS, LEAST_GAMES = 3, 3  # two columns and two rows are a calculator, or a log of two
LEAST_RATING = 50.0  # of what is carried on: counts of games and points are less
MOSTLY = 0.75  # of the rows name players of the columns, or have entries: more may lack only by a fault
HALF = 0.5  # of the cells are filled: with fewer, only those who play have one
PAIR = 2  # names in a row: of more, who is whose partner is told by the columns beside
HEAD = 4  # rows above the first rating in which the players' names stand


@dataclass(frozen=True)
class Ladder:
    """The columns of the players of one sheet, each with its player, and the columns in which the row says who plays.

    `names` are columns of names, the first-named side's first; `entries` has for each player's column the one in which
    his place or points are typed, where no names are.
    """

    sheet: str
    lines: Mapping[int, str]
    names: tuple[int, ...]
    entries: Mapping[int, int]
    sparse: bool = False  # who rests has an empty cell, and each game formulas of its own

    def named(self, model: Model, row: int) -> list[int | None]:
        """The columns of those who should play in a row, the first-named first; None for a name without a column."""
        if not self.names:
            filled = ((line, model.value((self.sheet, row, at))) for line, at in self.entries.items())
            return [line for line, value in sorted(filled) if value not in (None, "")]
        column = {name: line for line, name in self.lines.items()}
        told = (plain(model.value((self.sheet, row, at))) for at in self.names)
        return [column.get(name) for name in told if name is not None]

    def by_place(self, model: Model) -> bool:
        """Whether the entries are places: the best is 1, and none is more than there are players."""
        rows = {row for at in self.entries.values() for row in model.columns.get((self.sheet, at), ())}
        told = [[n for at in self.entries.values() if (n := model.number((self.sheet, row, at))) is not None]
                for row in rows]  # fmt: skip
        games = [places for places in told if len(places) > 1]
        placed = sum(min(places) == 1 and max(places) <= len(places) for places in games)
        return bool(games) and placed >= MOSTLY * len(games)

    def names_of(self, model: Model, cell: Key) -> tuple[Key, ...]:
        """The cells that name the player of a column and the other one, in a game of two."""
        named = self.named(model, cell[1])
        if len(self.names) != len(named) or len(named) != 2 or cell[2] not in named:
            return ()
        keys = [(cell[0], cell[1], at) for at in self.names]
        return tuple(keys if named[0] == cell[2] else keys[::-1])

    def before(self, model: Model, row: int, line: int) -> Key | None:
        """The nearest rating above a row in a player's column."""
        above = (one for one in reversed(model.columns.get((self.sheet, line), ())) if one < row)
        found = ((self.sheet, one, line) for one in above)
        return next((key for key in found if (model.number(key) or 0.0) >= LEAST_RATING), None)

    def playing(
        self, evaluator: Evaluator, row: int, formulas: Mapping[Key, Expr]
    ) -> dict[Key, tuple[Key, tuple[Key, ...]]] | None:
        """Who gains by the game of a row: each cell with the rating before, and the other ratings that move it.

        None where a rating does not go on from the one above it: then nobody can say who plays.
        """
        model = evaluator.model
        bases: dict[Key, Key] = {}
        for line in self.lines:
            cell, base = (self.sheet, row, line), self.before(model, row, line)
            here = evaluator.number(cell, {}, formulas)
            if base is None or here is None or cell not in model.forms:
                continue
            moved = evaluator.number(cell, {base: (model.number(base) or 0.0) + STEP}, formulas)
            if moved is None or abs(moved - here) < TINY:
                return None
            if abs(moved - here - STEP) > TINY:
                bases[cell] = base
        found: dict[Key, tuple[Key, tuple[Key, ...]]] = {}
        for cell, base in bases.items():
            here = evaluator.number(cell, {}, formulas) or 0.0
            others = [one for one in bases.values() if one != base]
            moved_by = {one: evaluator.number(cell, {one: (model.number(one) or 0.0) + STEP}, formulas)
                        for one in others}  # fmt: skip
            found[cell] = base, tuple(one for one, n in moved_by.items() if n is not None and abs(n - here) > TINY)
        return found

    def alike(self, evaluator: Evaluator, row: int) -> tuple[int, ...]:
        """What tells the games of a ladder apart: by which formulas who gains, and how many others each one follows."""
        playing, forms = self.playing(evaluator, row, {}), evaluator.model.forms
        each = sorted((forms[cell].number, len(others)) for cell, (_, others) in (playing or {}).items())
        return (-1,) if playing is None else (len(playing), *(number for one in each for number in one))

    def widened(self, tree: Expr) -> Expr:
        """A formula whose ranges along the players' columns take in all of them."""
        first, last = min(self.lines), max(self.lines)

        def whole(area: Area) -> Expr:
            along = not area.single and area.row == area.bottom and (area.sheet or self.sheet) == self.sheet
            if not along or area.column > last or area.right < first:
                return area
            left, right = min(first, area.column), max(last, area.right)
            return Area(area.sheet, area.row, left, area.bottom, right, area.fixed, False)

        return with_areas(tree, whole)

    def alike_cells(self, model: Model, cell: Key) -> list[Key]:
        """The cells of the ladder that have the formula of one of them."""
        form = model.forms.get(cell)
        return sorted(key for key, one in model.forms.items() if one is form and key[0] == cell[0])


def ladders(model: Model) -> dict[str, Ladder]:
    """The ladders of a book, by sheet."""
    rows: dict[tuple[str, int], list[int]] = {}
    powers = {key[0] for key, form in model.forms.items() if has_power(form.tree)}
    inlined: set[str] = set()  # sheets in which the players' own formulas work out an expectation
    latest: dict[tuple[str, int], int] = {}  # of each column the row of the last rating so far
    for key in sorted(cell for sheet, cells in model.book.sheets.items() for cell in ((sheet, *at) for at in cells)):
        number, form, column = model.number(key), model.forms.get(key), (key[0], key[2])
        if number is None or abs(number) < LEAST_RATING:
            continue
        last = latest.get(column)
        if (
            form is not None
            and last is not None
            and any(
                area.single and (area.sheet or key[0], area.row, area.column) == (key[0], last, key[2])
                for area in model.areas(key)
            )
        ):
            rows.setdefault(column, []).append(key[1])
            inlined |= {key[0]} if has_power(form.tree) else set()
        latest[column] = key[1]
    found = {}
    for sheet in sorted(powers):
        lines = {column: at for (one, column), at in rows.items() if one == sheet and len(at) >= LEAST_GAMES}
        usual = Counter((min(at), max(at)) for at in lines.values()).most_common(1)[0][0] if lines else (0, 0)
        lines = {column: at for column, at in lines.items() if min(at) <= usual[1] and max(at) >= usual[0]}
        ladder = _ladder(model, sheet, lines) if len(lines) >= LEAST_PLAYERS else None
        if ladder is not None and (sheet in inlined or len(ladder.names) == PAIR):
            found[sheet] = ladder
    return found


def _ladder(model: Model, sheet: str, lines: Mapping[int, list[int]]) -> Ladder | None:
    first = min(min(at) for at in lines.values())
    heads = {}
    for column in sorted(lines):
        name = _head(model, (sheet, first, column))
        if name is None:
            return None
        heads[column] = name
    if len(set(heads.values())) < len(heads):
        return None
    games = sorted({row for at in lines.values() for row in at})
    others = sorted({column for row, column in model.book.sheets[sheet] if row in games} - set(heads))
    told = {column: _names_in(model, sheet, games, column, set(heads.values())) for column in others}
    most = max(told.values(), default=0)
    names = tuple(column for column, count in told.items() if count and count >= MOSTLY * most)
    entries = {}
    for (line, name), column in product(heads.items(), others):
        if column not in names and _head(model, (sheet, first, column)) == name:
            typed = not any((sheet, row, column) in model.forms for row in games)
            if typed and any(model.number((sheet, row, column)) is not None for row in games):
                entries[line] = column
    if not names and entries.keys() != heads.keys():
        return None
    filled = sum((sheet, row, column) in model.forms for row in games for column in heads)
    return Ladder(sheet, heads, names, {} if names else entries, filled < HALF * len(games) * len(heads))


def through_shares(
    evaluator: Evaluator, cell: Key, ratings: Sequence[Key], parts: Iterable[Part]
) -> tuple[tuple[Key, float, bool], ...]:
    """The expectations of a game by which a rating after is to be asked, his own rating being the first of these.

    There are none where the others move it by nothing else: a margin that counts by the lead follows from them, too.
    """
    model, found = evaluator.model, []
    own, *others = ({one: (model.number(one) or 0.0) + STEP} for one in ratings)
    for part in parts:
        stay, other = (evaluator.number(one, own) == model.number(one) for one in (part.own, part.other))
        held = {part.key: model.value(part.key)}
        ends = {evaluator.number(cell, {**held, **moved}) for moved in ({}, *others)}
        if stay is other or len(ends) == 1:
            return ()
        found.append((part.key, part.unit, not stay))
    return tuple(found)


def _head(model: Model, first: Key) -> str | None:
    """The name above a column: the nearest text above its first formula."""
    rows = range(first[1] - 1, max(0, first[1] - 1 - HEAD), -1)
    return next((name for row in rows if (name := plain(model.value((first[0], row, first[2]))))), None)


def _names_in(model: Model, sheet: str, games: Iterable[int], column: int, heads: set[str]) -> int:
    """How many games a column names a player of; 0 for another column, and for a list that has each player once."""
    values = [model.value((sheet, row, column)) for row in games]
    texts = [name for value in values if not isinstance(value, CellError) and (name := plain(value)) is not None]
    known = sum(name in heads for name in texts)
    listed = len(set(texts)) == len(texts)
    return known if len(texts) >= LEAST_GAMES and not listed and known >= MOSTLY * len(texts) else 0


__all__ = ["Ladder", "ladders", "through_shares"]
