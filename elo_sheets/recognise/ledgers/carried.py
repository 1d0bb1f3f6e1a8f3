"""A matrix of players and games: one column a player, one row a game; who does not play carries the rating on."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping

from elo_sheets.expr import Binary, Expr, Number, walk
from elo_sheets.recognise.behind import cone
from elo_sheets.recognise.blocks import Block, blocks, powers
from elo_sheets.recognise.calculators.repairs import edit_cost
from elo_sheets.recognise.context import Context, Proposal, RoleCells, Sheetwork
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.model import Area, Form, Key, Model, at_cell
from elo_sheets.recognise.nearmiss import candidates, places, takes_off_complement
from elo_sheets.recognise.repeated import players_columns, players_faults

LOWEST = 50.0  # of what can be taken for a rating: counts of games are smaller
HEAD = 4  # rows above a matrix in which the players' names stand
LEAST_GAMES = 3
LEVEL, STEP, FAR, CLOSE = 1500.0, 200.0, 6000.0, 1e-6
MOST_CELLS = 40  # formulas behind a new rating


def recognise(context: Context) -> Sheetwork | None:
    """Return what a matrix of players and games is, with the columns that differ from the others; None for none."""
    model = context.model
    if not any(powers(form.tree) for form in set(model.forms.values())):
        return None
    for block, columns in _matrices(model):
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
        alike = players_columns(model)
        work.proposals = [one for columns in alike for one in players_faults(context, columns, {})]
        return work
    return None


def rule_faults(context: Context) -> list[Proposal]:
    """Return the column of formulas because of which nobody gains by the rule, in a matrix that was not replayed.

    Who is rated higher gains less by the same result: that is tried in two games.
    """
    model = context.model
    for block, columns in _matrices(model):
        games = [game for row in _middle_first(block) if (game := _game(model, block, columns, row)) is not None][:2]
        if len(games) < 2 or any(_gains_less(context, game, {}) is not False for game in games):
            continue
        found: list[tuple[tuple[bool, float], str, dict[Key, Expr]]] = []
        for code, form, edited in _ways(context, games[0], set(columns)):
            trees = {k: at_cell(edited, k) for k, one in model.forms.items() if one is form and k[0] == block.sheet}
            if all(_gains_less(context, game, trees) for game in games):
                turned = any(_turned(context, game[0], trees) for game in games)
                found.append(((turned, edit_cost(edited, form.tree)), code, trees))
        if found:
            _, code, trees = min(found, key=lambda one: one[0])
            repairs = {key: spell_anchored(model, key, trees[key]) for key in sorted(trees)}
            # Of an expectation it is known better what it should be: this says only that it must rise and fall.
            return [Proposal(code, tuple(repairs), repairs=repairs, fix="=" + next(iter(repairs.values())), rank=3)]
    return []


def _middle_first(block: Block) -> list[int]:
    middle = (block.top + block.bottom) // 2
    return sorted(range(block.top, block.bottom + 1), key=lambda row: abs(row - middle))


def _game(model: Model, block: Block, columns: list[int], row: int) -> tuple[Key, Key] | None:
    """The two new ratings of a row in which just two ratings change."""
    cells = [(block.sheet, row, column) for column in columns]
    moved = [k for k in cells if k in model.forms and model.number(k) != model.number((k[0], row - 1, k[2]))]
    return (moved[0], moved[1]) if len(moved) == 2 else None


def _gains_less(context: Context, game: tuple[Key, Key], formulas: Mapping[Key, Expr]) -> bool | None:
    """Whether each player gains less the higher his own rating, up to a limit; None when it cannot be computed."""
    for cell, mate in (game, game[::-1]):
        above, other = (cell[0], cell[1] - 1, cell[2]), (mate[0], mate[1] - 1, mate[2])
        shown = [
            context.evaluator.number(cell, {above: own, other: LEVEL}, formulas)
            for own in (LEVEL - 2 * FAR, LEVEL - FAR, LEVEL - STEP, LEVEL, LEVEL + STEP)
        ]
        if any(number is None for number in shown):
            return None
        furthest, far, low, middle, high = (number or 0.0 for number in shown)
        if not low + STEP > middle + CLOSE or not middle > high - STEP + CLOSE or abs(far - furthest - FAR) > 1:
            return False
    return True


def _turned(context: Context, cell: Key, formulas: Mapping[Key, Expr]) -> bool:
    """Whether the player of a cell would lose by what he now gains, or gain by what he loses."""
    start, now = context.model.number((cell[0], cell[1] - 1, cell[2])), context.model.number(cell)
    then = context.evaluator.number(cell, {}, formulas)
    return start is None or now is None or then is None or (now > start) != (then > start)


def _ways(context: Context, game: tuple[Key, Key], players: set[int]) -> Iterator[tuple[str, Form, Expr]]:
    """What the formulas beside the ratings of a game may have been meant to be."""
    model = context.model
    beside = [k for k in cone(model, game[0], MOST_CELLS) if k[:2] == game[0][:2] and k[2] not in players]
    for key in beside:
        tree = model.forms[key].tree
        for code, edited in candidates(tree):
            if code in ("ES101", "ES103", "ES112") or (code == "ES113" and _simpler(edited, tree)):
                yield code, model.forms[key], edited
    unread = [
        k for k in model.forms if k[:2] == game[0][:2] and powers(model.forms[k].tree) and not model.readers.get(k)
    ]
    for key, expectation in itertools.product(beside, unread):
        at = Area(None, 0, expectation[2] - key[2], 0, expectation[2] - key[2], 0, True)
        tree = model.forms[key].tree
        if isinstance(tree, Area) and tree.single:
            yield "ES117", model.forms[key], Binary("*", tree, Binary("-", Number(1.0), at))
        for node, rebuilt in places(tree):
            if node == Number(1.0) or (isinstance(node, Area) and node.single and node.row == 0):
                yield "ES117", model.forms[key], rebuilt(Binary("-", node, at))


def _simpler(edited: Expr, tree: Expr) -> bool:
    return takes_off_complement(tree) and len(walk(edited)) < len(walk(tree))


def _matrices(model: Model) -> Iterator[tuple[Block, list[int]]]:
    for block in blocks(model):
        if block.form.goes_on and block.bottom - block.top >= LEAST_GAMES:
            columns = _players(model, block)
            if columns is not None:
                yield block, columns


def _above(model: Model, block: Block, columns: list[int]) -> Iterator[Key]:
    """The numbers directly above a matrix: what the players start from, and games that were frozen."""
    for column in columns:
        row = block.top - 1
        while (number := model.number((block.sheet, row, column))) is not None and number >= LOWEST:
            yield (block.sheet, row, column)
            row -= 1


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
    return start is not None and start >= LOWEST and form is not None and form.goes_on


def _usual(model: Model, block: Block, column: int) -> Form | None:
    """The formula of nearly all the cells of a column, None when there is none."""
    rows = range(block.top, block.bottom + 1)
    forms = Counter(form for row in rows if (form := model.forms.get((block.sheet, row, column))) is not None)
    form, count = forms.most_common(1)[0] if forms else (None, 0)
    return form if count >= max(LEAST_GAMES, 0.6 * len(rows)) else None


__all__ = ["recognise"]
