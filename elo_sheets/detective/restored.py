"""Formulas that keep a whole book from being followed, and those of the rule or of the columns beside in their place.

Such are expected scores that are none in most games, as where parentheses are lost, and a month of a list that forgets
one side. Nothing of such a book can be replayed, so that no layout may be known. It is told where, with the
other formula in all of its cells, every game is replayed and nothing else is said of the book.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, permutations

from elo_sheets.detective.gains import LEAST_RATING
from elo_sheets.detective.trial import MOST_FORMULAS, MOST_WORK, Outcome
from elo_sheets.expr import Binary, Expr, Number, walk
from elo_sheets.files.package import Book
from elo_sheets.recognise.abreast import odd_parts
from elo_sheets.recognise.compare import code_of
from elo_sheets.recognise.context import Proposal
from elo_sheets.recognise.departures import filled, spell_anchored
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
SURE = 0.001  # of a win: who expects less than one game in a thousand, or all but one, in most games is not meant
EDGES = (5.0, 400.0)  # rating points that are worth a home or a first move


def restored(found: Outcome, again: Callable[[Sequence[Book]], Sequence[Outcome | None]]) -> list[Proposal]:
    """Return the column of expected scores that, put right, lets every game of a book follow; [] where none does."""
    if found.reason is None or any(case.repair is not None for case in found.said):
        return []
    model = found.model
    most = min(MOST, MOST_FORMULAS // max(1, model.formula_count), MOST_WORK // max(1, found.work))
    tries = islice(_tries(model), most)
    while few := list(islice(tries, AT_ONCE)):
        outcomes = again([with_changes(model.book, Repair(one.repairs)) for one, _ in few])
        for (one, shares), outcome in zip(few, outcomes, strict=True):
            follows = outcome is not None and outcome.reason is None and not outcome.said
            if outcome is not None and follows and (not shares or outcome.shares & {*shares}):
                return [one]
    return []


def _tries(model: Model) -> Iterator[tuple[Proposal, list[Key]]]:
    """Formulas of the rule for columns of what may have been meant as expected scores, and the cells of those."""
    for odd in odd_parts(model):
        says = "the formula is not that of the columns beside, with which every game follows"
        texts = {key: filled(model, key, at_cell(model.forms[like].tree, key), like) for key, like in odd.items()}
        yield Proposal("ES129", tuple(texts), says, texts, fix="=" + next(iter(texts.values())), rank=1), []
    prober, columns = Prober(Evaluator(model)), dict[tuple[int, Expr], list[Key]]()
    for key in sorted(model.forms):
        if has_power(tree := model.forms[key].tree):
            columns.setdefault((key[2], tree), []).append(key)  # of all months
    for (_, tree), cells in columns.items():
        shares = sum(SURE < (model.number(key) or 0.0) < 1 - SURE for key in cells)
        if len(cells) < LEAST or 2 * shares > len(cells) or prober.analyse(cells[-1]) is not None:
            continue  # a change, say
        for due in _of_the_rule(model, tree, cells[0]):
            says = "the expected score is no share of the two ratings; with that of the rule every game follows"
            yield _written(model, cells, tree, due, says), cells
        for read in (key for key in model.precedents(cells[0]) if key[:2] == cells[0][:2] and key in model.forms):
            says = "two ratings are added up; with the difference of the two every game follows"
            form, column = model.forms[read], ((read[0], row, read[2]) for row in model.columns[read[0], read[2]])
            same = [key for key in column if model.forms.get(key) is form]
            match form.tree:
                case Binary("+", Area(single=True) as one, Area(single=True) as other):
                    for pair in permutations((one, other)):
                        yield _written(model, same, form.tree, Binary("-", *pair), says, "ES101"), cells


def _written(model: Model, cells: Sequence[Key], tree: Expr, due: Expr, says: str, code: str = "") -> Proposal:
    """The proposal of another formula for the cells of a column."""
    trees = {key: at_cell(due, key) for key in cells}
    repairs = {key: spell_anchored(model, key, one) for key, one in trees.items()}
    code = code or code_of(trees[cells[0]], at_cell(tree, cells[0]), {}, cells[0])
    return Proposal(code, tuple(cells), says, repairs, fix="=" + repairs[cells[0]], rank=1)


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
