"""Lists of players beside a ledger: do they show the latest rating, count all games, and rank the right way?"""

from __future__ import annotations

from collections.abc import Iterator

from elo_sheets.expr import Call, Expr, Number, replaced, walk
from elo_sheets.files.package import CellError
from elo_sheets.recognise import nearmiss
from elo_sheets.recognise.before import Played
from elo_sheets.recognise.booking import Group
from elo_sheets.recognise.cells import Run
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.model import Area, Key, Model, area_text, at_cell

LEAST = 3


def ranking_faults(context: Context, game: Group, played: Played | None) -> Iterator[Proposal]:
    """Return what is wrong with the lists that read a ledger."""
    for run in context.runs:
        if played is not None:
            yield from _latest(context, run, game, played)
        yield from _short(context, run, game)


def list_ratings(context: Context, game: Group, played: Played | None) -> set[Key]:
    """The cells that show a player's latest rating."""
    found: set[Key] = set()
    for run in context.runs if played is not None else []:
        if played is not None and _reads_after(context, run, game, played):
            found.update(key for key in run.cells() if context.model.number(key) is not None)
    return found


def by_place(context: Context, key: Key) -> bool:
    """Whether a cell shows the rating of whoever has a place, which is nobody's rating in particular."""
    tree = context.model.tree(key)
    return tree is not None and any(
        isinstance(n, Call) and n.function in ("LARGE", "SMALL", "SORT") for n in walk(tree)
    )


def _reads_after(context: Context, run: Run, game: Group, played: Played) -> bool:
    if run.sheet == game.sheet and run.first <= game.row <= run.last:
        return False
    tree = run.expected(run.key(run.first))
    columns = {side.after for side in played.sides}
    return tree is not None and any(
        isinstance(n, Area) and n.sheet == game.sheet and any(n.column <= c <= n.right for c in columns)
        and (n.row <= game.row <= n.bottom or n.single) for n in walk(tree)
    )  # fmt: skip


def _name_beside(context: Context, key: Key) -> str | None:
    for column in range(key[2] - 1, 0, -1):
        value = context.model.value((key[0], key[1], column))
        if isinstance(value, str) and not isinstance(value, CellError) and value.strip():
            return value
    return None


def _latest(context: Context, run: Run, game: Group, played: Played) -> Iterator[Proposal]:
    if not _reads_after(context, run, game, played):
        return
    model = context.model
    wrong: dict[Key, Key] = {}
    right: dict[Key, Key] = {}
    for key in run.cells():
        if not run.fits(model, key):
            continue
        name = _name_beside(context, key)
        source = played.latest.get((name or "").casefold())
        value, expected = model.number(key), model.number(source) if source is not None else None
        if source is None or value is None or expected is None:
            continue
        (right if abs(value - expected) < 1e-6 else wrong)[key] = source
    if not wrong or len(right) + len(wrong) < LEAST:
        return
    past = sum(
        any(
            abs((model.number(k) or 0.0) - (model.number(key) or 1.0)) < 1e-6
            for k in played.history[_who(context, key)]
        )
        or abs(played.opening.get(_who(context, key), 1e99) - (model.number(key) or 0.0)) < 1e-6
        for key in wrong
    )
    if past < len(wrong):
        return
    every = dict(sorted({**right, **wrong}.items()))
    repairs = {key: area_text(Area(s[0], s[1], s[2], s[1], s[2], 15, True), key[0]) for key, s in every.items()}
    last = max(played.rows)
    tree = run.expected(next(iter(wrong)))
    short = tree is not None and all(
        n.bottom < last for n in walk(tree) if isinstance(n, Area) and not n.single and n.sheet == game.sheet
    )
    worst = next(iter(wrong))
    order = (worst, *(k for k in every if k != worst))
    yield Proposal("ES125" if short else "ES123", order, repairs={worst: repairs[worst], **repairs}, rank=2)


def _who(context: Context, key: Key) -> str:
    return (_name_beside(context, key) or "").casefold()


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
    """Rankings the wrong way round: RANK in ascending order, SMALL for LARGE."""
    model = context.model
    for run in context.runs:
        key = next(iter(k for k in run.cells() if run.fits(model, k)), None)
        tree = model.tree(key) if key is not None else None
        if key is None or tree is None:
            continue
        for node, _ in nearmiss.places(tree):
            fixed = _turned(node)
            if fixed is None or not isinstance(node, Call) or not _over_ratings(node, key, ratings):
                continue
            repairs = {}
            for cell in run.cells():
                form = model.forms.get(cell)
                if form is None or not run.fits(model, cell):
                    continue
                own = at_cell(form.tree, cell)
                for inner, rebuilt in nearmiss.places(own):
                    new = _turned(inner)
                    if new is not None:
                        repairs[cell] = spell_anchored(context.model, cell, rebuilt(new))
                        break
            cells = tuple(repairs)
            if cells:
                yield Proposal("ES213", cells, repairs=repairs, fix="=" + repairs[cells[0]], rank=1)
            break


def _turned(node: Expr) -> Expr | None:
    if not isinstance(node, Call):
        return None
    if node.function in ("RANK", "RANK.EQ", "RANK.AVG") and len(node.arguments) == 3:
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
