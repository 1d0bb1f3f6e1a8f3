"""Expected scores that are none in most games, as where parentheses are lost, and the textbook's in their place.

Nothing of such a book can be replayed, so that no layout may be known at all. It is told where, with the formula of
the rule in the whole column, every game is replayed and nothing else is said of the book.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, permutations

from elo_sheets.detective.gains import LEAST_RATING
from elo_sheets.detective.trial import MOST_FORMULAS, MOST_WORK, Outcome
from elo_sheets.expr import Binary, Expr, Number, walk
from elo_sheets.files.package import Book
from elo_sheets.recognise.compare import code_of
from elo_sheets.recognise.context import Proposal
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.evaluate import Evaluator
from elo_sheets.recognise.model import Area, Key, Model, at_cell
from elo_sheets.recognise.nearmiss import ONE, TEN, places
from elo_sheets.recognise.parts import Prober
from elo_sheets.recognise.repair import Repair, with_changes
from elo_sheets.recognise.roles import has_power

LEAST = 3  # games
MOST_RATINGS = 3  # numbers of that size in a formula: of more nobody can tell whose ratings they are
MOST, AT_ONCE = 12, 2  # formulas that are tried: both ways round, two scales, and an edge for either side
SCALES, USUAL = (100.0, 1000.0), 400.0  # what divides a difference of ratings
EDGES = (5.0, 400.0)  # rating points that are worth a home or a first move


def restored(found: Outcome, again: Callable[[Sequence[Book]], Sequence[Outcome | None]]) -> list[Proposal]:
    """Return the column of expected scores that, put right, lets every game of a book follow; [] where none does."""
    if found.reason is None or any(case.repair is not None for case in found.said):
        return []
    model = found.model
    most = min(MOST, MOST_FORMULAS // max(1, model.formula_count), MOST_WORK // max(1, found.work))
    tries = islice(_tries(model), most)
    while few := list(islice(tries, AT_ONCE)):
        outcomes = again([with_changes(model.book, Repair(one.repairs)) for one in few])
        for one, outcome in zip(few, outcomes, strict=True):
            if outcome is not None and outcome.reason is None and not outcome.said and {*one.cells} & outcome.shares:
                return [one]
    return []


def _tries(model: Model) -> Iterator[Proposal]:
    """Columns of what may have been meant as expected scores, with the formula of the rule."""
    prober, columns = Prober(Evaluator(model)), dict[tuple[int, Expr], list[Key]]()
    for key in sorted(model.forms):
        if has_power(tree := model.forms[key].tree):
            columns.setdefault((key[2], tree), []).append(key)  # of all months
    for (_, tree), cells in columns.items():
        shares = sum(0 < (model.number(key) or 0.0) < 1 for key in cells)
        if len(cells) < LEAST or 2 * shares > len(cells) or prober.analyse(cells[-1]) is not None:
            continue  # a change, say
        for due in _of_the_rule(model, tree, cells[0]):
            trees = {key: at_cell(due, key) for key in cells}
            repairs = {key: spell_anchored(model, key, one) for key, one in trees.items()}
            code = code_of(trees[cells[0]], at_cell(tree, cells[0]), {}, cells[0])
            says = "the expected score is no share of the two ratings; with that of the rule every game follows"
            yield Proposal(code, tuple(cells), says, repairs, fix="=" + repairs[cells[0]], rank=1)


def _of_the_rule(model: Model, tree: Expr, key: Key) -> Iterator[Expr]:
    """A formula, seen from its cells, with the expectation of Elo's rule in place of what it raises to a power."""
    powers = ((node, build) for node, build in places(tree) if isinstance(node, Binary) and has_power(node))
    part, rebuilt = next(powers, (tree, lambda new: new))
    cells = {area: _cell(area, key) for area in walk(part) if isinstance(area, Area) and area.single}
    if any(model.value(cell) in (None, "") for cell in cells.values()):
        return  # a setting that is empty, and no formula that is wrong
    numbers = {area: model.number(cell) or 0.0 for area, cell in cells.items()}
    fixed = {area for area in numbers if area.fixed}
    typed = [node for node in dict.fromkeys(walk(part)) if isinstance(node, Number) and SCALES[0] <= node.value]
    typed.sort(key=lambda number: abs(number.value - USUAL))
    scales = [*typed, *(area for area in fixed if SCALES[0] <= numbers[area] <= SCALES[1])] or [Number(USUAL)]
    for scale in scales[:2]:
        ratings = [area for area, number in numbers.items() if number >= LEAST_RATING and area != scale]
        edges = [area for area in fixed if EDGES[0] <= numbers[area] <= EDGES[1] and area != scale]
        for other, own in (
            permutations(ratings, 2) if len(ratings) <= MOST_RATINGS else ()
        ):  # as they stand there, first
            lead = Binary("-", other, own)
            for gap in (*(Binary(sign, lead, edge) for edge in edges for sign in "-+"), lead):
                yield rebuilt(Binary("/", ONE, Binary("+", ONE, Binary("^", TEN, Binary("/", gap, scale)))))


def _cell(area: Area, key: Key) -> Key:
    """The cell that a reference of another one reads."""
    placed = area.at(key[1], key[2])
    return placed.sheet or key[0], placed.row, placed.column


__all__ = ["restored"]
