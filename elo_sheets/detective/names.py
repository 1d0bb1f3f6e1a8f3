"""Names in the rows of games: whose rating a look-up finds, and how players are told apart."""

from __future__ import annotations

import re

from elo_sheets.expr import walk
from elo_sheets.files.package import CellError, Value, column_letters
from elo_sheets.recognise.model import Area, Key, Model


def name_column(model: Model, key: Key, row: int) -> int | None:
    """The column of the text of the row that a look-up compares."""
    counts = _names_read(model, key, row)
    return max(counts, key=lambda column: (counts[column], list(counts).index(column))) if counts else None


def name_columns(model: Model, key: Key, row: int) -> tuple[int, ...]:
    """The columns of all texts of the row that a formula compares, as the mean of two partners does."""
    return tuple(sorted(_names_read(model, key, row)))


def _names_read(model: Model, key: Key, row: int) -> dict[int, int]:
    """How often a formula reads the cells of its row that hold a text, by their columns."""
    counts: dict[int, int] = {}
    tree = model.tree(key)
    for node in () if tree is None else walk(tree):
        if isinstance(node, Area) and node.single and (node.sheet or key[0], node.row) == (key[0], row):
            value = model.value((key[0], row, node.column))
            if isinstance(value, str) and not isinstance(value, CellError):
                counts[node.column] = counts.get(node.column, 0) + 1
    return counts


def plain(value: Value) -> str | None:
    """A name as players are told apart: without blanks around it, in any case; None for what is no text."""
    return value.strip().casefold() if isinstance(value, str) and not isinstance(value, CellError) and value else None


def renamed(model: Model, key: Key, old: int, new: int) -> str:
    """A cell's formula with another name of its row looked up."""
    cell = model.cell(key)
    wrong, due = column_letters(old), column_letters(new)
    formula = "" if cell is None or cell.formula is None else cell.formula
    return re.sub(rf"(?<![\w!:$])(\$?){wrong}(\$?{key[1]})(?![\w:(])", rf"\g<1>{due}\2", formula)


__all__ = ["name_column", "name_columns", "plain", "renamed"]
