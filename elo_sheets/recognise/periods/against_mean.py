"""Lists of tournaments, a line each: points of so many games against opponents of a mean rating, and the new rating."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import permutations, product
from types import MappingProxyType

from elo_sheets.detective.gains import shown
from elo_sheets.expr import Expr
from elo_sheets.files.package import Value
from elo_sheets.recognise.behind import cone
from elo_sheets.recognise.context import Context, Proposal, RoleCells, Sheetwork
from elo_sheets.recognise.departures import departures
from elo_sheets.recognise.ledgers.rankings import is_place
from elo_sheets.recognise.model import Key, Model, at_cell, range_text
from elo_sheets.recognise.nearmiss import scales_in
from elo_sheets.recognise.parts import unrounded
from elo_sheets.recognise.periods.closed import LEAST_RATING, columns_of_formulas
from elo_sheets.recognise.proposals import with_formulas
from elo_sheets.recognise.shapes import logistic
from elo_sheets.recognise.walks import follow

LEAST, MOST = 3, 400  # lines
MOSTLY = 0.6  # of the lines follow the rule before the others are at fault
MOST_GAMES = 60  # of a tournament
MOST_RATINGS, MOST_COUNTS = 4, 6  # that are typed in a line
DEPTH = 12  # formulas between a new rating and the entries
CLOSE = 1e-6  # rating points
MOVES = ((0.0, 0.0), (130.0, 0.0), (0.0, -90.0), (-40.0, 260.0))  # rating points by which both ratings are moved
SCALES = 2


Formulas = Mapping[Key, Expr]
POINTS = ((1.0, 0.0), (0.0, 1.0))  # of points and of games: what one more brings, less how many expectations
RESULTS = ((1.0, 1.0), (0.5, 1.0), (0.0, 1.0))  # of wins, draws and losses


@dataclass(frozen=True)
class Line:
    """What is entered in a line: the own rating, the opponents' mean, and counts with what one more of each brings."""

    own: Key
    mean: Key
    counts: tuple[Key, ...]
    worth: tuple[tuple[float, float], ...]
    is_change: bool  # the line shows what is gained alone

    def moved(self, key: Key, by: int = 0) -> Line:
        """The same columns in another line, or those so many to the right of them."""
        own, mean, *counts = ((*key[:2], one[2] + by) for one in (self.own, self.mean, *self.counts))
        return replace(self, own=own, mean=mean, counts=tuple(counts))

    def games(self, model: Model) -> float:
        """How many games were played."""
        return sum((model.number(one) or 0.0) * by for one, (_, by) in zip(self.counts, self.worth, strict=True))


def recognise(context: Context) -> Sheetwork | None:
    """Return what a book of such lines is, each held against the rule; None where most are something else.

    A line may go on from another one, as months do that stand side by side.
    """
    model = context.model
    scales = [one.value for one in scales_in(model.forms.values(), SCALES)]
    columns = columns_of_formulas(model).items()
    for is_change, scale in product((False, True), scales):
        held: dict[Key, Line] = {}
        wrong: list[Key] = []
        for (sheet, column), rows in columns:
            keys = [(sheet, row, column) for row in rows]
            if LEAST <= len(rows) <= MOST and all(model.number(key) is not None for key in keys):
                lines = _lines(context, keys, scale, is_change, held)
                places = ((sheet, row, column) for row in range(rows[0], rows[-1] + 1)) if lines else ()
                wrong += [key for key in places if key not in lines and key[:2] in model.computed_rows]
                held |= lines
        if held:
            return _work(context, held, wrong, scale)
    return None


def _lines(
    context: Context, keys: list[Key], scale: float, is_change: bool, held: Mapping[Key, Line]
) -> dict[Key, Line]:
    """The lines of new ratings in a column that the rule gives; none where most follow from their lines otherwise."""

    found: dict[Key, Line] = {}

    def held_by(key: Key, ways: Iterable[Line]) -> Line | None:
        entered = (one for one in ways if _is_entered(context.model, one, held, next(reversed(found), None)))
        return next((one for one in entered if _k(context, key, one, scale)), None)

    def ways(key: Key) -> Iterator[Line]:
        yield from (line.moved(key, key[2] - at[2]) for at, line in held.items() if at[:2] == key[:2])
        yield from _ways(context.model, key, is_change, held)

    like = next((line for key in keys[: LEAST + 1] if (line := held_by(key, ways(key))) is not None), None)
    for key in keys if like is not None else ():
        if like is not None and (line := held_by(key, [like.moved(key)])) is not None:
            found[key] = line
    several = sum(line.games(context.model) > 1 for line in found.values())
    of_many = bool(held) or 2 * several > len(found)
    return found if of_many and len(found) > MOSTLY * len(keys) else {}


def _ways(model: Model, key: Key, is_change: bool, held: Container[Key]) -> Iterator[Line]:
    """What may be the own rating, the mean and the counts among what is typed in a line, or closed by another one."""
    behind = follow([key], lambda at: () if at in held else filter(model.forms.__contains__, model.precedents(at)))
    read = dict.fromkeys(one for at in (key, *behind) if at not in held for one in model.precedents(at))
    typed = {one: number for one in read if one[:2] == key[:2] and (one in held or one not in model.forms)
             and (number := model.number(one)) is not None}  # fmt: skip
    ratings = [one for one, number in typed.items() if number >= LEAST_RATING]
    counts = [one for one, number in typed.items() if 0 <= number <= MOST_GAMES]
    if len(ratings) > MOST_RATINGS or len(counts) > MOST_COUNTS:
        return  # one game after the other
    for own, mean in permutations(ratings, 2):
        for worth in (POINTS, RESULTS, RESULTS[::2]):
            for some in permutations(counts, len(worth)):
                yield Line(own, mean, some, worth, is_change)


def _is_entered(model: Model, line: Line, held: Iterable[Key], last: Key | None) -> bool:
    """Whether a line goes on from nothing but the latest one of its row or column, with no more points than games."""
    counts = [model.number(one) or 0.0 for one in line.counts]
    is_possible = min(counts) >= 0 and (line.worth is not POINTS or counts[0] <= counts[1])
    beside = max((one for one in held if one[:2] == line.own[:2]), default=None)
    goes_on = line.own == beside or (last is not None and shown(model.tree(line.own), line.own[0]) == last)
    typed = {line.mean, *line.counts, *(() if goes_on else (line.own,))}
    return is_possible and not typed & model.forms.keys()


def _k(context: Context, key: Key, line: Line, scale: float, formulas: Formulas = MappingProxyType({})) -> float:
    """What a point more brings where a line gains K times what was made above what was expected; 0 where it does not.

    What is shown in whole points is taken as it was before. Some cells may have other formulas.
    """
    number, tree, k = context.model.number, formulas.get(key, context.model.tree(key)), 0.0
    start, other = (number(one) or 0.0 for one in (line.own, line.mean))
    whole = {**formulas} if tree is None else {**formulas, key: unrounded(tree)}
    for (up, down), more in product(MOVES, (0.0, 3.0)):
        share = logistic(start + up - other - down, scale)
        counts = {one: (number(one) or 0.0) + more * at for at, one in enumerate(line.counts, 1)}
        entries: dict[Key, Value] = {line.own: start + up, line.mean: other + down, **counts}
        one_more = {line.counts[0]: counts[line.counts[0]] + 1}
        shown, after = (context.evaluator.number(key, {**entries, **one}, whole, DEPTH) for one in ({}, one_more))
        by = line.worth[0][0] - line.worth[0][1] * share
        if shown is None or after is None or (k := (after - shown) / by) < 1:
            return 0.0
        gain = k * sum(counts[one] * (a - b * share) for one, (a, b) in zip(line.counts, line.worth, strict=True))
        if abs((0.0 if line.is_change else start + up) + gain - shown) > CLOSE * max(1.0, abs(shown)):
            return 0.0
    return k


def _as_beside(context: Context, lines: Mapping[Key, Line], scale: float, off: Container[Key]) -> Iterator[Proposal]:
    """Columns of new ratings that the rule gives with a formula of the columns held to the left of them."""
    model = context.model
    for (sheet, column), rows in columns_of_formulas(model).items():
        mended: dict[int, dict[Key, Expr]] = {}
        keys = [key for row in rows if (key := (sheet, row, column)) in off]
        for key, at in product(keys, lines):
            if at[:2] != key[:2] or at[2] >= key[2]:
                continue
            by = key[2] - at[2]
            for cell in (key, *cone(model, key, DEPTH)):
                form = model.forms.get((*cell[:2], cell[2] - by))
                trees = {} if form is None else {cell: at_cell(form.tree, cell)}
                if cell[:2] == key[:2] and trees and _k(context, key, lines[at].moved(key, by), scale, trees):
                    mended.setdefault(cell[2], {}).update(trees)
                    break
        trees = max(mended.values(), key=len, default={})
        if len(trees) > MOSTLY * len(rows):
            yield with_formulas(model, trees)


def _work(context: Context, lines: dict[Key, Line], wrong: list[Key], scale: float) -> Sheetwork | None:
    model = context.model
    linked = any(line.own in model.forms and line.own not in lines for line in lines.values())
    work = Sheetwork("tournament", [RoleCells("R", tuple(lines))])
    work.roles.append(RoleCells("B", tuple(line.own for line in lines.values())))
    work.ratings = set(lines)
    work.facts = {"curve": "logistic", "scale": scale, "players": 1 if linked else len({key[:2] for key in lines})}
    ks = {round(_k(context, key, line, scale), 6) for key, line in lines.items()}
    work.facts |= {"k": ks.pop()} if len(ks) == 1 else {}
    work.listed = work.rated = round(sum(line.games(model) for line in lines.values()))
    held = {one for key in lines for one in (key, *cone(model, key, DEPTH))}
    gained = {}
    for key, line in lines.items():
        number, own = model.number(key) or 0.0, model.number(line.own) or 0.0
        gained[key[:2]] = (number, number + own if line.is_change else number - own)
    others = sorted({*model.forms, *wrong} - held)
    off = next((key for key in others if key in wrong or not _is_beside(model, key, gained)), None)
    if off is not None and linked:  # one player's events: what stands beside them is held elsewhere
        return None
    work.replayed = off is None
    work.reason = None if off is None else f"{range_text([off])} was not held against any rule"
    entries = {one for line in lines.values() for one in (line.own, line.mean, *line.counts)}
    odd = {key[:2] for key in wrong} | {one.key[:2] for one in context.suspects}
    work.proposals = [one for one in departures(context, {}) if one.cells[0][:2] in odd]
    work.proposals += _as_beside(context, lines, scale, {*others})
    work.owned = {key for key in (*entries, *model.forms) if key[:2] not in odd}
    return work


def _is_beside(model: Model, key: Key, shown: dict[tuple[str, int], tuple[float, float]]) -> bool:
    """Whether a cell shows no number, a place, or the change or the new rating of its line, in whole points or not."""
    number = model.number(key)
    if number is None or is_place(model, key):
        return True
    return any(abs(number - one) <= CLOSE or number == round(number) == round(one) for one in shown.get(key[:2], ()))


__all__ = ["recognise"]
