"""Rectangles of formulas in which one form prevails: matrices of players, and of players and games."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from elo_sheets.expr import Binary, Call, Expr, Number, walk
from elo_sheets.recognise.model import Form, Key, Model

LEAST = 3  # rows and columns of a rectangle


@dataclass(frozen=True)
class Block:
    """A rectangle of formulas in which one form prevails; `others` are its cells with another formula."""

    sheet: str
    top: int
    left: int
    bottom: int
    right: int
    form: Form
    cells: tuple[Key, ...]
    others: tuple[Key, ...]
    blank: tuple[Key, ...]


def blocks(model: Model) -> list[Block]:
    """Return the rectangles around the cells of one form that spread over rows and columns.

    Some columns with another form are no rectangle of their own inside one in which another form prevails.
    """
    found = list(_blocks(model))
    return [one for one in found if not any(_is_part(one, other) for other in found)]


def _is_part(block: Block, other: Block) -> bool:
    return len(other.cells) > len(block.cells) and set(block.cells) <= set(other.others)


def _blocks(model: Model) -> Iterator[Block]:
    places: dict[tuple[str, Form], list[Key]] = {}
    for key, form in model.forms.items():
        places.setdefault((key[0], form), []).append(key)
    for (sheet, form), keys in places.items():
        rows, columns = {k[1] for k in keys}, {k[2] for k in keys}
        if len(rows) < LEAST or len(columns) < LEAST:
            continue
        top, left, bottom, right = min(rows), min(columns), max(rows), max(columns)
        inside = [(sheet, r, c) for r in range(top, bottom + 1) for c in range(left, right + 1)]
        if len(keys) < 0.5 * len(inside) or len(inside) > 40_000:
            continue
        top, left, bottom, right = _grown(model, sheet, top, left, bottom, right)
        inside = [(sheet, r, c) for r in range(top, bottom + 1) for c in range(left, right + 1)]
        others = tuple(k for k in inside if model.forms.get(k) not in (None, form))
        others += tuple(k for k in inside if k not in model.forms and model.number(k) is not None)
        blank = tuple(
            k for k in inside if model.cell(k) is None or (not model.is_formula(k) and model.number(k) is None)
        )
        yield Block(sheet, top, left, bottom, right, form, tuple(keys), others, blank)


def _grown(model: Model, sheet: str, top: int, left: int, bottom: int, right: int) -> tuple[int, int, int, int]:
    """The rectangle with the lines beside it that are formulas all along, but for one: they belong to the block."""

    def full(keys: list[Key]) -> bool:
        return sum(key in model.forms for key in keys) >= len(keys) - 1

    def across(row: int) -> list[Key]:
        return [(sheet, row, c) for c in range(left, right + 1)]

    def down(column: int) -> list[Key]:
        return [(sheet, r, column) for r in range(top, bottom + 1)]

    if full(across(bottom + 1)) and not any(_totals(model, key) for key in across(bottom + 1)):
        bottom += 1
    if top > 1 and full(across(top - 1)) and any(powers(model.tree(k)) for k in across(top - 1)):
        top -= 1
    if full(down(right + 1)) and any(powers(model.tree(k)) for k in down(right + 1)):
        right += 1
    if left > 1 and full(down(left - 1)) and any(powers(model.tree(k)) for k in down(left - 1)):
        left -= 1
    return top, left, bottom, right


def _totals(model: Model, key: Key) -> bool:
    """Whether a formula reads a range, as a sum or an average below a matrix does."""
    return any(not area.single for area in model.areas(key))


def powers(tree: Expr | None) -> bool:
    """Whether a formula has a power, or the usual scale, as an expectation has."""
    return tree is not None and any(
        (isinstance(n, Binary) and n.operator == "^")
        or (isinstance(n, Call) and n.function in ("EXP", "POWER"))
        or (isinstance(n, Number) and n.value == 400.0)
        for n in walk(tree)
    )
