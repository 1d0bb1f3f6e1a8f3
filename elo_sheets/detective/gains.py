"""What one side gains by a game: the cell, the ratings that it compares, and what it follows from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise, permutations

from elo_sheets.expr import Call, Expr, Text, walk
from elo_sheets.files.package import CellError, Value
from elo_sheets.recognise.context import Context
from elo_sheets.recognise.evaluate import Evaluator
from elo_sheets.recognise.model import Area, Key, Model
from elo_sheets.recognise.roles import Looker
from elo_sheets.recognise.walks import follow

IN_A_ROW = 6  # formulas between an entry and the change: beyond them lie other games, which stay as they are
MOST_LEVELS = 12  # different entries of a column that holds results
LEADS = (-5000.0, -150.0, 0.0, 150.0, 5000.0)  # rating points: within every table of points, and beyond it
LEAST_RATING = 50.0  # what a team member's rating may be; goals, K and points are less
MOST_RATINGS = 6  # that a row's formula reads: two, with what they follow from, and no list of rounds
MOST_POINTS = 400.0  # what one game can move a rating by: the K of no rule is more
LEAST_POINTS = 0.5  # what the points must follow from the lead by: a rating after differs from a rule without it
LIFT = 40.0  # rating points that move both players and leave the lead what it is
TINY = 1e-6  # rating points


@dataclass(frozen=True)
class Gain:
    """One side of a game: a new rating or a change, and the ratings that its expectation compares.

    `base` is the rating that a new rating starts from, None where the cell holds the change alone. `shares` are the
    cells of the expectation, each with its unit (1 or 100) and whether it is this side's own. `exchanged` are points
    that a table or a line gives for the difference of the ratings, without any expectation.
    """

    cell: Key
    base: Key | None
    own: tuple[Key, ...]
    other: tuple[Key, ...]
    shares: tuple[tuple[Key, float, bool], ...] = ()
    exchanged: bool = False


@dataclass
class Kind:
    """Rows of one sheet whose formulas are all of the same forms, with the gains of some of them."""

    sheet: str
    rows: list[int]
    seen: dict[int, list[Gain]] = field(default_factory=dict)


def exchanges(looker: Looker, cells: Iterable[Key], formulas: Mapping[Key, Expr]) -> list[Gain]:
    """The cells that are a rating of their row, and points for its lead over another one, never more than a few.

    Where no such rating stands in the row, they are points alone that are summed up, and fall as their player's lead
    grows. Nothing is asked of how they are found: in a table, by an IF in an IF, or as a share of the lead.
    """

    def shown(cell: Key, own: Key, other: Key, lift: float) -> list[float] | None:
        starts = dict.fromkeys(LEADS, ratings[own] + lift)
        ends = [looker.evaluator.number(cell, {own: start, other: start - lead}, formulas, IN_A_ROW)
                for lead, start in starts.items()]  # fmt: skip
        return None if None in ends else [end for end in ends if end is not None]

    def moves(cell: Key, own: Key, after: bool) -> bool:
        """Whether the points follow the own rating, too: a K by the other number of a row does not."""
        starts = [ratings[own] + lead for lead in LEADS]
        ends = [looker.evaluator.number(cell, {own: start}, formulas, IN_A_ROW) for start in starts]
        points = {round(end - start * after, 6) for end, start in zip(ends, starts, strict=True) if end is not None}
        return len(points) > 1

    found: list[Gain] = []
    for cell in cells:
        read = (one for one in looker.leaves(cell, dict(formulas), IN_A_ROW) if one[:2] == cell[:2])
        ratings = {one: n for one in read if (n := looker.model.number(one)) is not None and n >= LEAST_RATING}
        for own, other in permutations(ratings, 2) if len(ratings) <= MOST_RATINGS else ():
            here, there = (shown(cell, own, other, lift) for lift in (0.0, LIFT))
            if here is None or there is None:
                continue
            alone = all(abs(a - b) < TINY for a, b in zip(here, there, strict=True))
            points = here if alone else [end - ratings[own] for end in here]
            after = all(abs(b - a - LIFT) < TINY for a, b in zip(here, there, strict=True))
            falls = (cell[0], cell[2]) in looker.model.ranged and all(b <= a + TINY for a, b in pairwise(points))
            few = max(map(abs, points)) <= MOST_POINTS and max(points) - min(points) > LEAST_POINTS
            if few and (after or (alone and falls)) and moves(cell, own, after):
                found.append(Gain(cell, own if after else None, (own,), (other,), exchanged=True))
                break
    return [gain for gain in found if gain.base is not None] or found


def ranged_by(model: Model, key: Key) -> Iterator[Key]:
    """The formulas that read a range which holds a cell, as sums do."""
    for one, form in model.forms.items():
        if any(not area.single for area in form.areas) and any(
            not area.single
            and (area.sheet or one[0]) == key[0]
            and area.column <= key[2] <= area.right
            and area.row <= key[1] <= area.bottom
            for area in model.areas(one)
        ):
            yield one


def is_ranged(model: Model, key: Key) -> bool:
    """Whether a formula reads a range that holds a cell."""
    return next(ranged_by(model, key), None) is not None


def is_limited(model: Model, cell: Key) -> bool:
    """Whether a rating is held above or below a number that stands in a cell of its own, as rules with a floor do."""
    tree = model.tree(cell)
    calls = [] if tree is None else [n for n in walk(tree) if isinstance(n, Call) and n.function in ("MAX", "MIN")]
    return any(isinstance(one, Area) and one.single and one.row != cell[1] for call in calls for one in call.arguments)


def shown(tree: Expr | None, sheet: str) -> Key | None:
    """The one cell that a formula shows, behind a guard or without."""
    while isinstance(tree, Call) and tree.function == "IF" and len(tree.arguments) == 3:
        tree = tree.arguments[2] if isinstance(tree.arguments[1], Text) else tree.arguments[1]
    return (tree.sheet or sheet, tree.row, tree.column) if isinstance(tree, Area) and tree.single else None


def ratings_of(model: Model, key: Key) -> list[Key]:
    """The typed numbers of its row that a rating follows from, with an edge added or as a mean; itself where none."""
    areas = model.areas(key) if model.is_formula(key) else []
    read = [(area.sheet or key[0], area.row, area.column) for area in areas if area.single]
    own = [one for one in read if one[:2] == key[:2] and not model.is_formula(one)]
    alone = all(area.single for area in areas) and len(own) == sum(one[:2] == key[:2] for one in read)
    return own if own and alone else [key]


def row_cone(context: Context, gain: Gain, depth: int = 5) -> list[Key]:
    """The formulas of the game's row that a gain follows from, itself first, up to the ratings that are compared."""
    stop = {*gain.own, *gain.other, gain.base}

    def behind(one: Key) -> Iterator[Key]:
        for read in context.model.precedents(one):
            if (
                read not in stop
                and read in context.model.forms
                and (read[1] == gain.cell[1] or read[0] != gain.cell[0])
            ):
                yield read

    return [gain.cell, *follow([gain.cell], behind, depth)]


def is_of_table(context: Context, gain: Gain, key: Key) -> bool:
    """Whether a game looks a cell up in a table that stands beside it."""
    model = context.model
    areas = ((area.sheet or one[0], area) for one in row_cone(context, gain) for area in model.areas(one))
    return any(
        not area.single
        and sheet == key[0]
        and area.row <= key[1] <= area.bottom
        and area.column <= key[2] <= area.right
        for sheet, area in areas
    )


def entries(context: Context, gain: Gain) -> list[Key]:
    """The typed cells that a gain follows from, the ratings that are compared left out."""
    model = context.model
    ratings = {*gain.own, *gain.other, gain.base}
    found: dict[Key, None] = {}
    for key in row_cone(context, gain):
        for read in model.precedents(key):
            value = model.value(read)
            if read not in model.forms and read not in ratings and not isinstance(value, CellError):
                found[read] = None
    return list(found)


def rises(evaluator: Evaluator, after: Key, base: Key, held: Mapping[Key, Value] | None = None) -> bool:
    """Whether a cell is a rating to which something is added: it rises with it, point by point, others `held`."""
    here, number = evaluator.model.number(after), evaluator.model.number(base)
    moved = None if number is None or after == base else evaluator.number(after, {**(held or {}), base: number + LIFT})
    return moved is not None and here is not None and abs(moved - here - LIFT) < TINY


def levels(context: Context, key: Key) -> list[Value]:
    """The different entries of a cell's column that could stand in the cell as well, at most `MOST_LEVELS`."""
    model = context.model
    here = model.value(key)
    found: dict[Value, None] = {here: None}
    for row in model.columns.get((key[0], key[2]), []):
        one = (key[0], row, key[2])
        value = model.value(one)
        if one in model.forms or value in (None, "") or isinstance(value, (bool, CellError)):
            continue
        if isinstance(value, str) == isinstance(here, str):
            found[value] = None
        if len(found) > MOST_LEVELS:
            return []
    return list(found)


def _is_setting(model: Model, label: Key) -> bool:
    """Whether a label stands in a cell with a number right of it, or neither."""
    number, text = (model.value((*label[:2], label[2] + by)) if label[2] + by > 0 else None for by in (1, 0))
    return number in (None, "") if text in (None, "") else isinstance(text, str) and isinstance(number, (int, float))


def unread(context: Context) -> dict[Key, float]:
    """The numbers that stand alone beside a label, and that no formula reads."""
    model = context.model
    found: dict[Key, float] = {}
    for sheet, cells in model.book.sheets.items():
        for (row, column), cell in cells.items():
            label = cells.get((row, column - 1))
            if (
                cell.formula is not None
                or label is None
                or label.formula is not None
                or not isinstance(label.value, str)
            ):
                continue
            alone = all(_is_setting(model, (sheet, row, at)) for at in (column - 3, column + 1))
            number = model.number((sheet, row, column))
            if number is not None and alone and not context.evaluator.readers.is_read((sheet, row, column)):
                found[sheet, row, column] = number
    return found


__all__ = [
    "MOST_LEVELS",
    "Gain",
    "Kind",
    "entries",
    "is_limited",
    "is_of_table",
    "is_ranged",
    "levels",
    "ranged_by",
    "ratings_of",
    "row_cone",
    "shown",
    "unread",
]
