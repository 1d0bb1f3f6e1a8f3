"""A matrix of players and games: one column a player, one row a game; who does not play carries the rating on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from elo_sheets.expr import Expr
from elo_sheets.recognise.blocks import Block, blocks, powers
from elo_sheets.recognise.compare import code_of, equivalent
from elo_sheets.recognise.context import Context, Proposal, RoleCells, Sheetwork
from elo_sheets.recognise.departures import spell
from elo_sheets.recognise.model import Form, Key, Model, at_cell
from elo_sheets.recognise.nearmiss import anchored

LOWEST = 50.0  # of what can be taken for a rating: counts of games are smaller
HEAD = 4  # rows above a matrix in which the players' names stand
LEAST_GAMES = 3
FEW = 12  # cells of a column that are compared with what the other columns say


def recognise(context: Context) -> Sheetwork | None:
    """Return what a matrix of players and games is, with the columns that differ from the others; None for none."""
    model = context.model
    if not any(powers(form.tree) for form in set(model.forms.values())):
        return None
    for block in blocks(model):
        if not _goes_on(block.form) or block.bottom - block.top < LEAST_GAMES:
            continue
        columns = _players(model, block)
        if columns is None:
            continue
        cells = tuple(
            key for row in range(block.top, block.bottom + 1) for column in columns
            if (key := (block.sheet, row, column)) in model.forms
        )  # fmt: skip
        numbers = [n for k in cells if (n := model.number(k)) is not None]
        if not numbers or min(map(abs, numbers)) < LOWEST:
            continue
        work = Sheetwork("player-game matrix", [RoleCells("R", cells, "shape")])
        work.ratings = {*cells, *_above(model, block, columns)}
        work.listed = block.bottom - block.top + 1
        work.reason = "a matrix of players and games: its formulas were probed, the games were not replayed"
        work.proposals = [p for column in columns for p in _differing(context, block, column)]
        return work
    return None


def _above(model: Model, block: Block, columns: list[int]) -> Iterator[Key]:
    """The numbers directly above a matrix: what the players start from, and games that were frozen."""
    for column in columns:
        row = block.top - 1
        while (number := model.number((block.sheet, row, column))) is not None and number >= LOWEST:
            yield (block.sheet, row, column)
            row -= 1


def _goes_on(form: Form) -> bool:
    """Whether a formula reads the cell above its own."""
    return any(area.single and (area.row, area.column, area.fixed) == (-1, 0, 0) for area in form.areas)


def _players(model: Model, block: Block) -> list[int] | None:
    """The columns of a matrix: those of the rectangle, which all have a name above them, and their like beside it."""
    columns = list(range(block.left, block.right + 1))
    if not all(_named(model, block, column) for column in columns):
        return None
    for step, edge in ((-1, block.left), (1, block.right)):
        column = edge + step
        while column > 0 and _named(model, block, column) and _is_carried(model, block, column):
            columns.append(column)
            column += step
    return sorted(columns)


def _named(model: Model, block: Block, column: int) -> bool:
    first = min((row for _, row, _ in _above(model, block, [column])), default=block.top)
    rows = range(max(1, first - HEAD), first)
    return any(isinstance(model.value((block.sheet, row, column)), str) for row in rows)


def _is_carried(model: Model, block: Block, column: int) -> bool:
    """Whether a column goes on from a rating above the matrix by one formula, though not by that of the others."""
    start = model.number((block.sheet, block.top - 1, column))
    form = _usual(model, block, column)
    return start is not None and start >= LOWEST and form is not None and _goes_on(form)


def _usual(model: Model, block: Block, column: int) -> Form | None:
    """The formula of nearly all the cells of a column, None when there is none."""
    rows = range(block.top, block.bottom + 1)
    forms = Counter(form for row in rows if (form := model.forms.get((block.sheet, row, column))) is not None)
    form, count = forms.most_common(1)[0] if forms else (None, 0)
    return form if count >= max(LEAST_GAMES, 0.6 * len(rows)) else None


def _differing(context: Context, block: Block, column: int) -> Iterator[Proposal]:
    """A player's whole column that does something else than the columns of the others."""
    model = context.model
    form = _usual(model, block, column)
    if form is None or form is block.form:
        return
    rows = range(block.top, block.bottom + 1)
    cells = tuple(key for row in rows if model.forms.get(key := (block.sheet, row, column)) is form)
    wanted = {key: at_cell(block.form.tree, key) for key in cells}
    if not any(_differs(context, key, wanted[key]) for key in cells[-FEW:]):
        return
    present = model.tree(cells[-1])
    assert present is not None
    roles = {(block.sheet, row, column): "R" for row in range(block.top - 1, block.bottom + 1)}
    code = code_of(wanted[cells[-1]], present, roles, cells[-1])
    repairs = {key: _text(model, tree, key) for key, tree in wanted.items()}
    what = "this player's column is not worked out as those of the others"
    yield Proposal(code, cells, what, repairs, fix="=" + repairs[cells[0]], latent=False, rank=0)


def _differs(context: Context, key: Key, wanted: Expr) -> bool:
    present = context.model.tree(key)
    return present is not None and equivalent(context.evaluator, key, wanted, present) is False


def _text(model: Model, tree: Expr, key: Key) -> str:
    cell = model.cell(key)
    text = spell(tree, key[0])
    return text if cell is None or cell.formula is None else anchored(text, cell.formula)


__all__ = ["recognise"]
