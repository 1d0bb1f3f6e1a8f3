"""Formulas as what they stand for: `{=B2:B9-A2:A9}` filled into eight rows, and `=TRUE()`, which is an entry.

Every cell of an array gets a formula of its own, so that it is judged as if it had been filled down; an array that
sums, looks up or sorts is left as it is. A truth value is written as a formula by programs that know no other way.
"""

from __future__ import annotations

import dataclasses

from elo_sheets.errors import FormulaError
from elo_sheets.expr import Binary, Call, Expr, Ref, Unary
from elo_sheets.files.package import Book, Cell, Place, column_letters, parse_range, quote_sheet
from elo_sheets.formula import to_formula
from elo_sheets.recognise.model import Area, Form, Forms, Key, at_cell

ITEM_BY_ITEM = frozenset(
    {"IF", "IFERROR", "ABS", "ROUND", "ROUNDUP", "ROUNDDOWN", "INT", "EXP", "LN", "LOG10", "POWER", "SQRT", "TANH"}
)
MOST_CELLS = 20_000


ENTRIES = {"TRUE()": True, "FALSE()": False, "TRUE": True, "FALSE": False}


def expanded(book: Book) -> Book:
    """Return the book with a formula in every cell of the arrays that are worked out item by item, and its entries."""
    book = _with_entries(book)
    forms = None
    sheets = dict(book.sheets)
    for sheet, cells in book.sheets.items():
        for place, cell in cells.items():
            if cell.array is None or cell.formula is None or ":" not in cell.array:
                continue
            forms = forms or Forms(book)
            form = forms.form(cell.formula, sheet, *place)
            items = {} if form is None else _items(form, (sheet, *place), cell.array)
            if items:
                sheets[sheet] = {**sheets[sheet], **{at: _with(cells.get(at), text) for at, text in items.items()}}
    return book if forms is None else dataclasses.replace(book, sheets=sheets)


def _with_entries(book: Book) -> Book:
    sheets = {
        sheet: {place: Cell(None, ENTRIES[cell.formula.upper()]) for place, cell in cells.items()
                if cell.formula is not None and cell.formula.upper() in ENTRIES}
        for sheet, cells in book.sheets.items()
    }  # fmt: skip
    if not any(sheets.values()):
        return book
    return dataclasses.replace(book, sheets={name: {**book.sheets[name], **typed} for name, typed in sheets.items()})


def _with(cell: Cell | None, formula: str) -> Cell:
    return Cell(formula, None if cell is None else cell.value)


def _items(form: Form, key: Key, array: str) -> dict[Place, str]:
    """The formula of each cell of an array; nothing when it is not worked out item by item."""
    top, left, bottom, right = parse_range(array)
    tree, shape = at_cell(form.tree, key), (bottom - top + 1, right - left + 1)
    if shape[0] * shape[1] > MOST_CELLS:
        return {}
    found: dict[Place, str] = {}
    for down in range(shape[0]):
        for across in range(shape[1]):
            item = _item(tree, key[0], shape, down, across)
            if item is None:
                return {}
            try:
                found[top + down, left + across] = to_formula(item)
            except FormulaError:
                return {}
    return found


def _item(tree: Expr, own: str, shape: tuple[int, int], down: int, across: int) -> Expr | None:
    if isinstance(tree, Area):
        return _cell(tree, own, shape, down, across)
    if isinstance(tree, Unary):
        operand = _item(tree.operand, own, shape, down, across)
        return None if operand is None else Unary(tree.operator, operand)
    if isinstance(tree, Binary):
        left, right = (_item(side, own, shape, down, across) for side in (tree.left, tree.right))
        return None if left is None or right is None else Binary(tree.operator, left, right)
    if isinstance(tree, Call):
        if tree.function not in ITEM_BY_ITEM:
            return None
        given = [None if a is None else _item(a, own, shape, down, across) for a in tree.arguments]
        lost = any(new is None and old is not None for new, old in zip(given, tree.arguments, strict=True))
        return None if lost else Call(tree.function, tuple(given))
    return None if isinstance(tree, Ref) else tree


def _cell(area: Area, own: str, shape: tuple[int, int], down: int, across: int) -> Ref | None:
    """The cell of an area that an item reads: the one in its place, or the only one of its row or column."""
    height, width = area.bottom - area.row + 1, area.right - area.column + 1
    if height not in (1, shape[0]) or width not in (1, shape[1]):
        return None
    row, column = area.row + (down if height > 1 else 0), area.column + (across if width > 1 else 0)
    letters = column_letters(column)
    fixed_row = height == 1 and (area.single or shape[0] > 1)
    fixed_column = width == 1 and (area.single or shape[1] > 1)
    text = f"{'$' if fixed_column else ''}{letters}{'$' if fixed_row else ''}{row}"
    return Ref(text if area.sheet in (None, own) else f"{quote_sheet(area.sheet)}!{text}")


__all__ = ["expanded"]
