"""Matrices of counts: how often each beat each other, or the legs that he won, closed by one new rating for everybody.

What a count is for shows where one more of it goes: its player gains K times what was not expected of him, and the
other one loses as much by his own K. The new rating is the old one and all counts times what each brings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, product

from elo_sheets.expr import Expr
from elo_sheets.files.package import Value
from elo_sheets.recognise.behind import cone
from elo_sheets.recognise.context import Context, Proposal, RoleCells, Sheetwork
from elo_sheets.recognise.model import Key, at_cell, range_text
from elo_sheets.recognise.nearmiss import scales_in
from elo_sheets.recognise.periods.closed import Closed, closed_tables
from elo_sheets.recognise.periods.of_one import all_behind
from elo_sheets.recognise.proposals import with_formulas
from elo_sheets.recognise.shapes import logistic
from elo_sheets.recognise.unheld import unheld
from elo_sheets.recognise.walks import follow

LAYOUT = "winner-loser matrix"
LEAST, MOST = 3, 40  # players
LEAST_COUNT = 2  # of games that a pair has somewhere: single games are a cross table
MOST_COUNT = 200
CLOSE = 1e-6  # rating points
MOSTLY = 0.6  # of the new ratings hold before the others are at fault
SCALES = 2
Formulas = Mapping[Key, Expr] | None


@dataclass
class Counts:
    """What one more of each count brings to each player: by the row of his new rating, and by the cell."""

    context: Context
    table: Closed
    scale: float
    cells: list[Key]
    brings: dict[int, dict[Key, float]] = field(default_factory=dict)
    wrong: list[int] = field(default_factory=list)  # rows whose new rating is another one

    def shown(self, row: int, formulas: Formulas = None, typed: Mapping[Key, Value] | None = None) -> float:
        """The new rating of a row, with other formulas or counts."""
        own = {key: self.context.model.number(key) for key in self.table.everybody}
        number = self.context.evaluator.number(self.table.key(row), {**own, **(typed or {})}, formulas, 24)
        return float("nan") if number is None else number

    def rests(self, row: int) -> bool:
        """Whether a player without a count keeps his rating."""
        own = self.context.model.number(self.table.opening[row]) or 0.0
        return abs(self.shown(row, typed=dict.fromkeys(self.cells, 0.0)) - own) <= CLOSE * max(1.0, abs(own))

    def of(self, row: int, formulas: Formulas = None) -> dict[Key, float]:
        """What one more of each count brings to a player."""
        here, model = self.shown(row, formulas), self.context.model
        more = {key: self.shown(row, formulas, {key: (model.number(key) or 0.0) + 1}) - here for key in self.cells}
        return {key: by for key, by in more.items() if abs(by) > CLOSE}


def recognise(context: Context) -> Sheetwork | None:
    """Return the matrices of counts that a book rates by, judged; None where most new ratings do not follow one."""
    found: dict[tuple[Key, ...], Counts] = {}  # by what the ratings start from: of two new ones the first is held
    for table in closed_tables(context):
        counts = _followed(context, table)
        if counts is not None:
            found.setdefault(tuple(table.everybody), counts)
    return _work([*found.values()]) if found else None


def _followed(context: Context, table: Closed) -> Counts | None:
    """What brings a table its new ratings, where most of them follow from counts."""
    cells = _counts(context, table) if LEAST <= len(table.rows) <= MOST else []
    if len({key[1] for key in cells}) not in range(LEAST - 1, MOST + 1):  # a line for each player: games have more
        return None
    scales = [one.value for one in scales_in(context.model.forms.values(), SCALES)]
    counts = Counts(context, table, scales[0] if scales else 0.0, cells)
    # Asked first, since it costs so little: where nobody has won anything, whoever is rated by counts stays as he was.
    if not scales or sum(map(counts.rests, table.rows)) <= MOSTLY * LEAST:
        return None
    counts.brings = {row: counts.of(row) for row in table.rows}
    for counts.scale in scales:
        held = {row for row in table.rows if _holds(counts, row, counts.brings[row])}
        playing = {row for row, told in counts.brings.items() if told}  # of the others nothing shows
        if len(playing) >= LEAST and len(held & playing) > MOSTLY * len(playing):
            counts.wrong = [row for row in table.rows if row not in held]
            return counts
    return None


def _counts(context: Context, table: Closed) -> list[Key]:
    """The typed whole numbers that the new ratings follow from, none where all of them are scores of single games.

    What the ratings before follow from is not theirs.
    """
    model, before = context.model, {*table.everybody}
    behind = follow(map(table.key, table.rows), lambda at: (one for one in model.precedents(at) if one not in before))
    typed = [key for key in sorted(behind) if key not in model.forms and (number := model.number(key)) is not None
             and float(number).is_integer() and 0 <= number <= MOST_COUNT]  # fmt: skip
    within = {*_within({key for key in typed if _alike(typed, key) >= LEAST - 1})}
    square = [key for key in typed if key in within]  # who has won once has one entry in his row
    return square if any((model.number(key) or 0) >= LEAST_COUNT for key in square) else []


def _alike(typed: list[Key], key: Key) -> int:
    """How many typed counts stand in the row and in the column of one, the fewer of both."""
    return min(sum(one[0] == key[0] and one[at] == key[at] for one in typed) for at in (1, 2))


def _holds(counts: Counts, row: int, brings: Mapping[Key, float], formulas: Formulas = None) -> bool:
    """Whether a new rating is what its counts and the others' ratings give it."""
    table, number = counts.table, counts.context.model.number
    own = number(table.opening[row]) or 0.0
    told: list[tuple[float, float]] = []  # what a win or a loss brings, and what is left of the expectation by it
    for other, won, lost in _pairs(counts, row, brings):
        share = logistic(own - (number(table.opening[other]) or 0.0), counts.scale)
        told += [(by, of) for by, of in ((won, 1 - share), (-lost, share)) if by]
    by, of = max(told, default=(0.0, 1.0))
    k = by / of
    due = own + sum((number(key) or 0.0) * by for key, by in brings.items())
    follows = all(abs(by - k * of) <= CLOSE * k for by, of in told) and (k > 0 or not brings)
    return follows and abs(due - counts.shown(row, formulas)) <= CLOSE * max(1.0, abs(due))


def _pairs(counts: Counts, row: int, brings: Mapping[Key, float]) -> Iterator[tuple[int, float, float]]:
    """Each opponent of a player, with what a win over him brings and what a loss costs; 0 where no count says so."""
    theirs: dict[int, list[float]] = {}
    for key, by in brings.items():
        others = [other for other, told in counts.brings.items() if other != row and key in told]
        opposite = [other for other in others if counts.brings[other][key] * by < 0]
        if len(opposite) != 1 or len(others) > 1:
            continue
        theirs.setdefault(opposite[0], [0.0, 0.0])[by < 0] += by
    yield from ((other, won, lost) for other, (won, lost) in theirs.items())


def _work(found: list[Counts]) -> Sheetwork:
    context = found[0].context
    model = context.model
    games = {key for counts in found for told in counts.brings.values() for key in told}
    listed = round(sum(model.number(key) or 0.0 for key in games))
    work = Sheetwork(LAYOUT, listed=listed, rated=listed)
    keys = [counts.table.key(row) for counts in found for row in counts.table.rows]
    openings = [key for counts in found for key in counts.table.everybody]
    behind = {one for key in keys for one in (key, *all_behind(model, key))}
    most = max(len(counts.table.rows) for counts in found)
    work.ratings, work.owned = set(keys), set(_within(behind))
    work.roles = [RoleCells("R", tuple(keys)), RoleCells("B", tuple(openings))]
    work.facts = {"curve": "logistic", "scale": found[0].scale, "players": most}
    off = (
        f"{range_text([counts.table.key(row)])} does not follow from the counts as the other new ratings do"
        for counts in found for row in counts.wrong
    )  # fmt: skip
    moved = [told for counts in found for told in counts.brings.values()]
    cells = sorted({key for counts in found for key in counts.cells} | games)
    odd = (key for key in cells if model.number(key) and not _is_of_two(moved, key))
    apart = (f"{range_text([key])} does not count for one player and against another" for key in odd)
    work.proposals = [one for counts in found for row in counts.wrong for one in _mended(counts, row)]
    work.proposals += _turned(found)
    said = (one.message for one in work.proposals)
    work.reason = next(chain(off, apart, said), None) or unheld(context, {*keys, *openings}, work.ratings, behind, most)
    work.replayed = work.reason is None
    return work


def _turned(found: list[Counts]) -> Iterator[Proposal]:
    """The sheets on which a count raises the new rating of the other player than on the first one."""
    ways = [{by > 0 for row, told in counts.brings.items() for key, by in told.items() if key[1] == row}
            for counts in found]  # fmt: skip
    for counts, way in zip(found, ways, strict=True):
        if len(way) == len(ways[0]) == 1 and way != ways[0]:
            table, first = counts.table, found[0].table
            depends, own = counts.context.evaluator.depends, table.rows[0]
            won = (
                key[2] for key in cone(counts.context.model, table.key(own), 48)
                if key[:2] == (table.sheet, own) and depends(key, counts.cells, 24)
                and not depends(key, table.everybody, 24)
            )  # fmt: skip
            column = next(won, table.column)
            says = f"a count is won by the player of its row on {first.sheet}, and lost by him on {table.sheet}"
            yield Proposal("ES115", tuple((table.sheet, row, column) for row in table.rows), says, rank=1)


def _is_of_two(brings: list[dict[Key, float]], key: Key) -> bool:
    """Whether a count raises one player's new rating and lowers that of another one, and moves no more."""
    moved = sorted(told[key] for told in brings if key in told)
    return len(moved) == 2 and moved[0] < 0 < moved[1]


def _within(cells: set[Key]) -> Iterator[Key]:
    """All cells of the rectangles that some cells of each sheet take: nobody plays himself, and his cell is empty."""
    for sheet in {key[0] for key in cells}:
        rows = [key[1] for key in cells if key[0] == sheet]
        columns = [key[2] for key in cells if key[0] == sheet]
        yield from product((sheet,), range(min(rows), max(rows) + 1), range(min(columns), max(columns) + 1))


def _mended(counts: Counts, row: int) -> Iterator[Proposal]:
    """The cell behind a new rating that holds with the formula of the others in its column."""
    context, table = counts.context, counts.table
    model = context.model
    for key in cone(model, table.key(row), 48):
        column = [one for one in model.forms if (one[0], one[2]) == (key[0], key[2]) and one != key]
        for form, _ in Counter(model.forms[one] for one in column).most_common(1):
            trees = {key: at_cell(form.tree, key)}
            if form is not model.forms[key] and _holds(counts, row, counts.of(row, trees), trees):
                yield with_formulas(model, trees)
                return


__all__ = ["recognise"]
