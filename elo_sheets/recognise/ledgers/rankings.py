"""Lists of players beside a ledger: do they show the latest rating, count all games, and rank the right way?"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from elo_sheets.expr import Call, Expr, Number, replaced, walk
from elo_sheets.files.package import CellError, column_letters
from elo_sheets.recognise import nearmiss
from elo_sheets.recognise.cells import Run
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.grid import folded, regions, says
from elo_sheets.recognise.ledgers.before import Side
from elo_sheets.recognise.ledgers.groups import Group
from elo_sheets.recognise.model import ALL_FIXED, Area, Key, Model, with_areas

RANKS = ("RANK", "RANK.EQ", "RANK.AVG")
LEAST_PLACES = 4  # of a ranking: with fewer an order is chance
NUMBERS = ("no", "nr", "n o", "lp", "#")  # headers that may number rows and rank nobody


def ranking_faults(context: Context, game: Group) -> Iterator[Proposal]:
    """Return what is wrong with the lists that read a ledger."""
    for run in context.runs:
        yield from _short(context, run, game)


def list_ratings(context: Context, game: Group, sides: Sequence[Side]) -> set[Key]:
    """The cells that show a player's latest rating, where all sides of the games are known by name."""
    if len(sides) < len(game.after) or any(side.name is None for side in sides):
        return set()
    columns = {side.after for side in sides}
    runs = (run for run in context.runs if _reads_after(run, game, columns))
    return {key for run in runs for key in run.cells() if context.model.number(key) is not None}


def is_place(model: Model, key: Key) -> bool:
    """Whether a cell shows the place of a number of its own row."""
    match model.tree(key):
        case Call(function, (Area(single=True) as ranked, *_)) if function in RANKS:
            return (ranked.sheet, ranked.row) == key[:2]
    return False


def by_place(context: Context, key: Key) -> bool:
    """Whether a cell shows the rating of whoever has a place, which is nobody's rating in particular."""
    tree = context.model.tree(key)
    return tree is not None and any(
        isinstance(n, Call) and n.function in ("LARGE", "SMALL", "SORT") for n in walk(tree)
    )


def _reads_after(run: Run, game: Group, columns: set[int]) -> bool:
    if run.sheet == game.sheet and run.first <= game.row <= run.last:
        return False
    tree = run.expected(run.key(run.first))
    return tree is not None and any(
        isinstance(n, Area) and n.sheet == game.sheet and any(n.column <= c <= n.right for c in columns)
        and (n.row <= game.row <= n.bottom or n.single) for n in walk(tree)
    )  # fmt: skip


def _name_cell(context: Context, key: Key) -> Key | None:
    for column in range(key[2] - 1, 0, -1):
        value = context.model.value((key[0], key[1], column))
        if isinstance(value, str) and not isinstance(value, CellError) and value.strip():
            return (key[0], key[1], column)
    return None


def _name_beside(context: Context, key: Key) -> str | None:
    beside = _name_cell(context, key)
    return None if beside is None else str(context.model.value(beside))


def _short(context: Context, run: Run, game: Group) -> Iterator[Proposal]:
    """Ranges over the ledger's rows that end before its last game, in a whole run."""
    if run.sheet == game.sheet and run.first <= game.row <= run.last:
        return
    main = game.expectations[0].run
    key = run.key(run.first)
    tree = run.expected(key)
    if tree is None:
        return
    last = _last_game(context.model, main)
    short = [
        n for n in walk(tree)
        if isinstance(n, Area) and not n.single and n.sheet == game.sheet and n.row <= main.first + 1
        and main.first + 0.5 * (last - main.first) < n.bottom < last
    ]  # fmt: skip
    if not short:
        return
    trees: dict[Key, Expr] = {}
    for cell in run.cells():
        if run.fits(context.model, cell):
            own = context.model.tree(cell)
            if own is not None:
                trees[cell] = _lengthened(own, {n.bottom for n in short}, last, game.sheet)
    repairs = {cell: spell_anchored(context.model, cell, new) for cell, new in trees.items()}
    cells = tuple(repairs)
    yield Proposal("ES125", cells, repairs=repairs, fix="=" + repairs[cells[0]] if cells else None, rank=3)


def _last_game(model: Model, run: Run) -> int:
    """The last row of a run in which something was typed: rows that wait for games hold formulas only."""
    cells = model.book.sheets[run.sheet]
    typed = {row for (row, _), cell in cells.items() if cell.formula is None and cell.value is not None}
    played = [key[1] for key in run.cells() if key[1] in typed and model.number(key) is not None]
    return max(played, default=run.last)


def _lengthened(tree: Expr, bottoms: set[int], last: int, sheet: str) -> Expr:
    for node, _ in list(nearmiss.places(tree)):
        if isinstance(node, Area) and not node.single and node.sheet == sheet and node.bottom in bottoms:
            new = Area(node.sheet, node.row, node.column, last, node.right, node.fixed, False)
            tree = replaced(tree, node, new)
    return tree


def order_faults(context: Context, ratings: set[Key]) -> Iterator[Proposal]:
    """Rankings that are not in the order of their numbers, leave rows out, or name others than those ranked."""
    for run in context.runs:
        key = next(iter(k for k in run.cells() if run.fits(context.model, k)), None)
        tree = context.model.tree(key) if key is not None else None
        if key is None or tree is None:
            continue
        for node, _ in nearmiss.places(tree):
            if not isinstance(node, Call):
                continue
            if _turned(node) is not None and _over_ratings(node, key, ratings):
                yield from _mended(context, run, "ES213", _turned)
                break
            if (whole := _whole_list(context, run, node)) is not None:
                yield from _mended(context, run, "ES125", whole)
                break
            if (latest := _by_the_latest(context, key, node, ratings)) is not None:
                yield from _mended(context, run, "ES213", latest)
                break
        if by_place(context, key):
            yield from _named_otherwise(context, run)
    yield from typed_places(context.model, ratings)


def _mended(context: Context, run: Run, code: str, mend: Callable[[Expr], Expr | None]) -> Iterator[Proposal]:
    """A proposal for all cells of a run, with the first part of each that `mend` has something for mended."""
    repairs = {}
    for cell in run.cells():
        tree = context.model.tree(cell)
        for inner, rebuilt in nearmiss.places(tree) if tree is not None and run.fits(context.model, cell) else ():
            new = mend(inner)
            if new is not None:
                text = spell_anchored(context.model, cell, rebuilt(new))
                for area in (one for one in walk(new) if isinstance(one, Area) and one.fixed == ALL_FIXED):
                    left, right = column_letters(area.column), column_letters(area.right)
                    plain, pinned = (f"{p}{left}{p}{area.row}:{p}{right}{p}{area.bottom}" for p in ("", "$"))
                    text = text.replace(plain, pinned)
                repairs[cell] = text
                break
    cells = tuple(repairs)
    if cells:
        yield Proposal(code, cells, repairs=repairs, fix="=" + repairs[cells[0]], rank=1)


def _whole_list(context: Context, run: Run, node: Call) -> Callable[[Expr], Expr | None] | None:
    """What puts a ranking right whose list leaves out some of the numbers that it ranks; None where it has all."""
    if node.function not in RANKS or len(node.arguments) < 2:
        return None
    ranked: set[int] = set()
    listed = set()
    for cell in run.cells():
        tree = context.model.tree(cell) if run.fits(context.model, cell) else None
        for inner, _ in nearmiss.places(tree) if tree is not None else ():
            if isinstance(inner, Call) and inner.function == node.function and len(inner.arguments) > 1:
                one, many = inner.arguments[:2]
                if isinstance(one, Area) and one.single and isinstance(many, Area) and not many.single:
                    if (one.sheet, one.column, one.column) != (many.sheet, many.column, many.right):
                        return None
                    ranked.add(one.row)
                    listed.add((many.row, many.bottom))
    if not ranked or all(top <= min(ranked) and max(ranked) <= bottom for top, bottom in listed):
        return None
    slides = len(listed) > 1  # with each row: it was to stand still
    top, bottom = (min(ranked), max(ranked)) if slides else next(iter(listed))

    def mend(inner: Expr) -> Expr | None:
        if not isinstance(inner, Call) or inner.function != node.function or not isinstance(inner.arguments[1], Area):
            return None
        area, rows = inner.arguments[1], (min(top, *ranked), max(bottom, *ranked))
        fixed = ALL_FIXED if slides else area.fixed
        whole = Area(area.sheet, rows[0], area.column, rows[1], area.right, fixed, False)
        return Call(inner.function, (inner.arguments[0], whole, *inner.arguments[2:]))

    return mend


def _by_the_latest(
    context: Context, key: Key, node: Call, ratings: Container[Key]
) -> Callable[[Expr], Expr | None] | None:
    """What ranks by the latest ratings where a list shows these first, and goes by what its players started from.

    None where it ranks by anything else, or shows something else beside the names.
    """
    model, area = context.model, node.arguments[0] if node.function == "LARGE" else None
    if not isinstance(area, Area) or area.single or area.column != area.right:
        return None
    sheet, rows = area.sheet or key[0], range(area.row, area.bottom + 1)
    starts = {at: (sheet, at, area.column) for at in rows}

    def follows(column: int) -> bool:
        return all(
            (sheet, at, column) in ratings and start in model.precedents((sheet, at, column))
            for at, start in starts.items()
        )

    following = {at for row, at in model.book.sheets[sheet] if row == area.row and follows(at)}
    beside = (sheet, area.row, min(following, default=0))
    shown = next((one for one in range(key[2] + 1, key[2] + 4) if model.number((*key[:2], one)) is not None), 0)
    found = model.number((*key[:2], shown))
    typed = not {*starts.values()} & model.forms.keys()
    if len(following) != 1 or not typed or found not in {model.number((sheet, at, beside[2])) for at in rows}:
        return None

    def mend(inner: Expr) -> Expr | None:
        new = with_areas(inner, lambda one: replace(one, column=beside[2], right=beside[2]) if one == area else one)
        return None if new == inner else new

    return mend


def _named_otherwise(context: Context, run: Run) -> Iterator[Proposal]:
    """Names beside the ratings of places, of players who have another rating in the list that the places are of."""
    model, wrong = context.model, dict[Key, tuple[Key, str, float, float]]()
    for key in run.cells():
        found = model.number(key)
        beside = _name_cell(context, key)
        areas = [area for area in model.areas(key) if not area.single and area.column == area.right]
        if found is None or beside is None or len(areas) != 1:
            continue
        name, area = str(model.value(beside)), areas[0]
        cells = [((area.sheet or key[0]), row, area.column) for row in range(area.row, area.bottom + 1)]
        own = [model.number(cell) for cell in cells if _name_beside(context, cell) == name]
        if len(own) == 1 and own[0] is not None and abs(own[0] - found) > 1e-6:
            wrong[beside] = key, name, own[0], found
    if wrong:
        _, name, due, found = next(iter(wrong.values()))
        both = (*wrong, *(key for key, *_ in wrong.values()))
        told = f"{name!r} has {due:.6g} in the list, and stands beside {found:.6g}"
        yield Proposal("ES213", both, told, expected=due, found=found, effect=0.0, confidence="proven", rank=1)


def typed_places(model: Model, ratings: Collection[Key]) -> Iterator[Proposal]:
    """Places that were typed beside numbers which have come into another order since, or never were in theirs.

    Where no number of the list goes by its places at all, ratings beside them should.
    """
    shown = {number for key in ratings if (number := model.number(key)) is not None and number % 1}  # as lists repeat
    for region in regions(model):
        titles = {column: region.title(model, column) for column in region.columns}
        for column in (one for one, title in titles.items() if says(title, "rank") and folded(title) not in NUMBERS):
            places = {key[1]: number for key in region.keys(column)
                      if key not in model.forms and (number := model.number(key)) is not None}  # fmt: skip
            if len(places) < LEAST_PLACES or sorted(places.values()) != list(range(1, len(places) + 1)):
                continue
            rows = sorted(places, key=places.__getitem__)
            steps = {c: _steps_up(model, region.sheet, rows, c) for c in region.columns if c != column}
            found = min(steps.values(), key=lambda one: (len(one), -sum(abs(b) for *_, b in one)), default=[])
            keys = {c: [(region.sheet, row, c) for row in rows] for c in steps}
            rated = [c for c in steps if all(key in ratings or model.number(key) in shown for key in keys[c])]
            by_none = len(found) > len(places) / 4 and rows == sorted(rows)
            if by_none and rated:
                found = [one for one in steps[rated[0]] if one[1] < one[2]]
            if found and (len(found) <= len(places) / 4 or (by_none and rated)):
                at, one, two = found[0]
                told = f"place {places[rows[at]]:g} has {one:.6g}, place {places[rows[at + 1]]:g} has {two:.6g}"
                cells = tuple(
                    (region.sheet, row, column) for row in (rows if by_none else [rows[at] for at, *_ in found])
                )
                yield Proposal("ES213", cells, told, expected=two, found=one, effect=0.0, confidence="proven", rank=1)


def _steps_up(model: Model, sheet: str, rows: list[int], column: int) -> list[tuple[int, float, float]]:
    """Where a column of numbers rises from one place to the next; more than any where it cannot rank."""
    numbers = [n for row in rows if (n := model.number((sheet, row, column))) is not None]
    found = [(at, a, b) for at, (a, b) in enumerate(pairwise(numbers)) if a < b]
    return found if len(numbers) == len(rows) and len(set(numbers)) > len(rows) / 2 else [(0, 0.0, 0.0)] * len(rows)


def _turned(node: Expr) -> Expr | None:
    if not isinstance(node, Call):
        return None
    if node.function in RANKS and len(node.arguments) == 3:
        order = node.arguments[2]
        if isinstance(order, Number) and order.value:
            return Call(node.function, node.arguments[:2])
    if node.function == "SMALL":
        return Call("LARGE", node.arguments)
    return None


def _over_ratings(node: Call, key: Key, ratings: set[Key]) -> bool:
    area = next((a for a in node.arguments if isinstance(a, Area) and not a.single), None)
    if area is None:
        return False
    cells = [
        ((area.sheet or key[0]), row, column)
        for row in range(area.row, min(area.bottom, area.row + 500) + 1)
        for column in range(area.column, area.right + 1)
    ]
    return sum(cell in ratings for cell in cells) > len(cells) / 2
