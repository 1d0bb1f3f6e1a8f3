"""Formulas of a table of many as they read in other rows and games, and slips of them undone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from elo_sheets.expr import Binary, Call, Expr, Number, Ref, Text
from elo_sheets.files.package import cell_name, column_letters, sheet_text
from elo_sheets.formula import to_formula
from elo_sheets.recognise import nearmiss
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.many.rows import Game, Table
from elo_sheets.recognise.model import (
    BOTTOM,
    COLUMN,
    RIGHT,
    ROW,
    Area,
    Form,
    Key,
    Model,
    with_areas,
)


def moved(model: Model, table: Table, like: Key, source: Game, target: Game, row: int) -> str | None:
    """Return the formula of a row of one game as it reads in a row of another, anchors kept; None where it cannot."""
    form, at = model.forms[like], like[1]
    own = {table.player, table.result, *table.columns.values()}
    lost = False

    def to(line: int, of_range: bool) -> int:
        nonlocal lost
        if line == at and not of_range:
            return row
        if line in (source.rows[0], source.rows[-1]):
            return target.rows[0] if line == source.rows[0] else target.rows[-1]
        if line in source.rows:
            place = source.rows.index(line)
            lost |= place >= target.size
            return target.rows[min(place, target.size - 1)]
        if line == at - 1:
            return row - 1
        return target.rows[0] - 1 if line == source.rows[0] - 1 else line

    def change(area: Area) -> Area:
        in_own_row = area.single and area.row == at and not area.fixed & ROW  # a helper column moves along
        if (area.sheet or like[0]) != table.sheet or not (in_own_row or area.column in own):
            return area
        if area.single:
            line = row if area.row == at else to(area.row, False)
            return Area(area.sheet, line, area.column, line, area.right, area.fixed, True)
        top = area.row if area.row < source.rows[0] else to(area.row, True)
        return Area(area.sheet, top, area.column, to(area.bottom, True), area.right, area.fixed, False)

    sizes = (source.size, target.size) if like[2] == table.columns[table.gain] else (0, 0)
    text = anchored_text(form, like, change, *sizes)
    return None if lost else text


def anchored_text(form: Form, at: Key, change: Callable[[Area], Area], source: int = 0, target: int = 0) -> str:
    """Return a formula with its references changed, each with the anchors that it has in the cell `at`."""

    def spelt(area: Area) -> Ref:
        placed = area.at(at[1], at[2])
        return Ref(_text(change(Area(area.sheet, *_corners(placed), area.fixed, area.single)), area.fixed))

    return to_formula(_with_size(with_areas(form.tree, spelt), source, target))


def _corners(area: Area) -> tuple[int, int, int, int]:
    return area.row, area.column, area.bottom, area.right


def _text(area: Area, fixed: int) -> str:
    where = "" if area.sheet is None else sheet_text(area.sheet) + "!"
    dollar = {bit: "$" if fixed & bit else "" for bit in (ROW, COLUMN, BOTTOM, RIGHT)}
    first = f"{dollar[COLUMN]}{column_letters(area.column)}{dollar[ROW]}{area.row}"
    last = f"{dollar[RIGHT]}{column_letters(area.right)}{dollar[BOTTOM]}{area.bottom}"
    return where + first if area.single else f"{where}{first}:{last}"


def told(model: Model, key: Key, tree: Expr, settings: Sequence[Key]) -> str:
    """Return a mended formula of a cell as text, with its anchors, those of settings among them."""
    text = spell_anchored(model, key, tree, key)
    for one in settings:
        name = cell_name(one[1], one[2])
        fixed = f"${column_letters(one[2])}${one[1]}"
        text = re.sub(rf"(?<![$A-Za-z0-9]){name}(?![0-9(])", fixed, text)
    return text


def _with_size(tree: Expr, source: int, target: int) -> Expr:
    """Return a formula with what it is divided by as a number for another number of players."""
    if source == target:
        return tree
    for node, rebuilt in nearmiss.places(tree):
        if isinstance(node, Binary) and node.operator == "/" and node.right == Number(source - 1.0):
            return rebuilt(Binary("/", node.left, Number(target - 1.0)))
    return tree


def counted_slips(tree: Expr) -> Iterator[Expr]:
    """Yield a formula with what it counts turned, one less as divisor, ties counted, or without the player himself."""
    turned = {">": "<", "<": ">", ">=": "<=", "<=": ">="}
    for node, rebuilt in nearmiss.places(tree):
        if isinstance(node, Call) and node.function == "COUNTIF" and isinstance(node.arguments[1], Binary):
            level = Call("COUNTIF", (node.arguments[0], node.arguments[1].right))
            yield rebuilt(Binary("+", node, Binary("/", Binary("-", level, Number(1.0)), Number(2.0))))
        if isinstance(node, Text) and node.value in turned:
            yield rebuilt(Text(turned[node.value]))
        if isinstance(node, Binary) and node.operator == "/":
            yield rebuilt(Binary("/", node.left, Binary("-", node.right, Number(1.0))))
            if isinstance(node.right, Number):
                yield rebuilt(Binary("/", node.left, Number(node.right.value - 1)))
        if isinstance(node, Call) and node.function in ("SUM", "SUMPRODUCT"):
            yield rebuilt(Binary("-", node, Number(0.5)))
    yield Binary("-", tree, Number(0.5))
    yield Binary("-", tree, Number(1.0))
