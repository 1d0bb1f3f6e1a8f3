"""One game of many as a calculator: a row for each player, who plays the mean of the others' ratings.

A: player   B: rating   C: =AVERAGE of the others   D: victory   E: =40*(D2-1/(1+10^((C2-B2)/400)))
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from elo_sheets.expr import Expr, Number, walk
from elo_sheets.files.package import Value, shift_formula
from elo_sheets.recognise import nearmiss
from elo_sheets.recognise.compare import code_of
from elo_sheets.recognise.context import Context, Proposal, RoleCells, Sheetwork
from elo_sheets.recognise.model import Key, Model, at_cell
from elo_sheets.recognise.roles import has_power

LAYOUT = "calculator of a table of many"
LEAST, MOST = 3, 20  # players
CLOSE = 1e-9


@dataclass
class Single:
    """The rows of one game, and the columns of ratings, of the mean of the others, of victories and of changes."""

    sheet: str
    rows: list[int]
    rating: int
    others: int
    won: int
    change: int

    def cells(self, column: int) -> list[Key]:
        """Return the cells of a column."""
        return [(self.sheet, row, column) for row in self.rows]


def recognise(context: Context) -> Sheetwork | None:
    """Return the game with what is wrong in it, None where the book is no such calculator."""
    found = next((one for sheet in context.model.book.sheets if (one := _find(context.model, sheet))), None)
    k, scale = (None, None) if found is None else _numbers(context.model, found)
    if found is None or k is None or scale is None:
        return None
    work = Sheetwork(LAYOUT, replayed=True, listed=1, rated=1)
    work.owned = {*found.cells(found.others), *found.cells(found.change)}
    work.facts = {"game": "each plays the mean of the others", "k": f"{k:g}", "scale": f"{scale:g}"}
    work.ratings = set(found.cells(found.change))
    for letter, column in (("B", found.rating), ("O", found.others), ("S", found.won), ("D", found.change)):
        work.roles.append(RoleCells(letter, tuple(found.cells(column))))
    work.proposals = list(_wrong(context, found, k, scale))
    return work


def _find(model: Model, sheet: str) -> Single | None:
    """Return the game of a sheet: rows below each other whose change compares a rating with a mean of the others'."""
    for column in sorted({key[2] for key, form in model.forms.items() if key[0] == sheet and has_power(form.tree)}):
        rows = sorted(key[1] for key in model.forms if key[0] == sheet and key[2] == column)
        if not LEAST <= len(rows) <= MOST or rows != list(range(rows[0], rows[-1] + 1)):
            continue
        read = [{area.column for area in model.areas((sheet, row, column)) if area.row == row} for row in rows]
        both = set.intersection(*read)
        others = [c for c in both if all(_is_mean_of(model, (sheet, row, c), rows) for row in rows)]
        typed = [c for c in both if not any(model.is_formula((sheet, row, c)) for row in rows)]
        if len(others) == 1 and len(typed) == 2 and len(both) == 3:
            ratings = {area.column for row in rows for area in model.areas((sheet, row, others[0]))}
            won = [c for c in typed if c not in ratings]
            if len(ratings) == 1 and len(won) == 1:
                return Single(sheet, rows, ratings.pop(), others[0], won[0], column)
    return None


def _is_mean_of(model: Model, key: Key, rows: list[int]) -> bool:
    """Whether a formula reads cells of one other column in other rows of the game."""
    areas = model.areas(key)
    columns = {column for area in areas for column in (area.column, area.right)}
    inside = all(rows[0] <= area.row <= area.bottom <= rows[-1] for area in areas)
    return bool(areas) and inside and len(columns) == 1 and key[2] not in columns


def _numbers(model: Model, game: Single) -> tuple[float | None, float | None]:
    """Return K and the scale, which stand in the formulas as numbers."""
    tree = model.tree(game.cells(game.change)[-1])
    numbers = (
        sorted({node.value for node in walk(tree) if isinstance(node, Number)} - {1.0, 10.0})
        if tree is not None
        else []
    )
    return (numbers[0], numbers[-1]) if len(numbers) == 2 and numbers[0] < 150 <= numbers[-1] else (None, None)


def _wrong(context: Context, game: Single, k: float, scale: float) -> Iterator[Proposal]:
    dice = random.Random(1)
    for at, row in enumerate(game.rows):
        ratings = [1500 + dice.uniform(-200, 200) for _ in game.rows]
        mean = (sum(ratings) - ratings[at]) / (len(ratings) - 1)
        given: dict[Key, Value] = dict(zip(game.cells(game.rating), ratings, strict=True))
        yield from _cell(context, (game.sheet, row, game.others), given, mean, None)
    first: Key | None = None
    parts = []
    for row in game.rows:
        own, other, won = 1500 + dice.uniform(-200, 200), 1500 + dice.uniform(-200, 200), dice.uniform(0.2, 1)
        columns = {game.rating: own, game.others: other, game.won: won}
        given = {(game.sheet, row, column): value for column, value in columns.items()}
        due = k * (won - 1 / (1 + 10 ** ((other - own) / scale)))
        key = (game.sheet, row, game.change)
        found = list(_cell(context, key, given, due, first))
        first = key if not found else first
        parts += found
    if len(parts) == len(game.rows) and len({one.code for one in parts}) == 1:
        repairs = {key: text for one in parts for key, text in one.repairs.items()}
        cells = tuple(key for one in parts for key in one.cells)
        parts = [Proposal(parts[0].code, cells, repairs=repairs, fix=parts[0].fix, rank=1)]
    yield from parts


def _cell(context: Context, key: Key, given: dict[Key, Value], due: float, like: Key | None) -> Iterator[Proposal]:
    """Yield what is wrong with a cell that does not give its due; `like` is a cell of its column that does."""
    model = context.model

    def right(tree: Expr | None) -> bool:
        number = context.evaluator.number(key, given, {} if tree is None else {key: tree})
        return number is not None and abs(number - due) <= CLOSE * max(1.0, abs(due))

    own = model.tree(key)
    if own is not None and right(None):
        return
    cell = None if like is None else model.cell(like)
    if like is not None and cell is not None and cell.formula is not None:
        text = shift_formula(cell.formula, key[1] - like[1], 0)
        form = model.form_of(text, key)
        tree = None if form is None else at_cell(form.tree, key)
    else:
        from elo_sheets.recognise.departures import spell_anchored

        slips = () if own is None else (one for _, one in nearmiss.candidates(own))
        tree = next((one for one in slips if right(one)), None)
        text = "" if tree is None else spell_anchored(model, key, tree, key)
    code = "ES201" if own is None else "ES108" if tree is None else code_of(tree, own, {}, key)
    if tree is None or not right(tree):
        said = "at other numbers the cell does not give what its column gives"
        yield Proposal(code, (key,), said, effect=0.0)
    else:
        yield Proposal(code, (key,), repairs={key: text}, fix="=" + text, rank=1)
