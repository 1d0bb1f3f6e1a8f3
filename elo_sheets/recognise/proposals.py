"""An edit of one formula, applied to every formula of its run, and other formulas for some cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from elo_sheets.expr import Binary, Call, Expr, walk
from elo_sheets.files.package import column_letters
from elo_sheets.recognise.compare import code_of
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.departures import filled, spell_anchored
from elo_sheets.recognise.model import Area, Key, Model, at_cell
from elo_sheets.recognise.nearmiss import anchored
from elo_sheets.recognise.roles import Seen


def proposal_for(context: Context, seen: Seen, code: str, edited: Expr, message: str = "") -> Proposal:
    """Return the proposal that applies the edit of the representative cell to every cell of its run."""
    repairs = {}
    start = seen.run.first
    above = [seen.run.key(start - 1)] if seen.run.down and start > 1 else []
    for key in (*seen.run.cells(), *above):
        tree = context.model.tree(key)
        first_row = seen.run.down and key[1] <= start  # it may read a start value where others read the row above
        if tree is None or not (first_row or (seen.run.fits(context.model, key) and seen.run.pattern(key) is not None)):
            continue
        moved = transfer(seen.tree, edited, tree, seen.key, key, _as_beside(context, seen, edited, key))
        if moved is not None and moved != tree:
            repairs[key] = pinned(spell_anchored(context.model, key, moved), seen.tree, edited, seen.key[1])
    cells = tuple(repairs)
    first = next(iter(repairs.values()), "")
    return Proposal(code, cells or (seen.key,), message, repairs, fix="=" + first if first else None, rank=2)


def with_formulas(model: Model, trees: Mapping[Key, Expr]) -> Proposal:
    """Return the proposal that gives cells other formulas, spelt as a cell of their column has them, where one has."""
    first = next(iter(trees))
    column = (key for key in model.forms if (key[0], key[2]) == (first[0], first[2]) and key not in trees)
    like = next((key for key in column if at_cell(model.forms[key].tree, first) == trees[first]), None)
    texts = {
        key: spell_anchored(model, key, one) if like is None else filled(model, key, one, like)
        for key, one in trees.items()
    }
    own = model.tree(first)
    code = "ES201" if own is None else code_of(trees[first], own, {}, first)
    return Proposal(code, tuple(trees), repairs=texts, fix="=" + texts[first], rank=1)


def _as_beside(context: Context, seen: Seen, edited: Expr, key: Key) -> dict[Expr, Expr]:
    """What other formulas of the row read where those of the seen row read the row above: for the first, the start."""
    model, found = context.model, dict[Expr, Expr]()
    held = set(walk(seen.tree))
    sheet, row, _ = seen.key
    above = {n for n in walk(edited) if isinstance(n, Area) and n.single and n.sheet == sheet and n.row == row - 1}
    for node in above - held:
        for reader in model.readers.get((sheet, node.row, node.column), ()):
            there, here = model.tree(reader), model.tree((sheet, key[1], reader[2]))
            pairs: dict[Expr, Expr] = {}
            if reader[:2] != (sheet, row):
                continue
            if there is not None and here is not None and _aligned(there, here, pairs) and node in pairs:
                found.setdefault(node, pairs[node])
    return found


def pinned(text: str, old: Expr, new: Expr, row: int) -> str:
    """Return a formula with anchors at the cells of other rows that `new` reads and `old` does not: settings."""
    known = set(walk(old))
    added = (n for n in walk(new) if isinstance(n, Area) and n.single and n.row != row and n not in known)
    return anchored(text, " ".join(f"${column_letters(area.column)}${area.row}" for area in added))


def transfer(
    old: Expr, new: Expr, other: Expr, at: Key, to: Key, more: Mapping[Expr, Expr] | None = None
) -> Expr | None:
    """Apply to `other`, a formula of the same shape as `old`, what turned `old` into `new`.

    References that `new` has and `old` has not become what `more` says, or move along with the cell.
    """
    pairs: dict[Expr, Expr] = {}
    if not _aligned(old, other, pairs):
        return None
    along = {
        a.row for a, b in pairs.items()
        if isinstance(a, Area) and isinstance(b, Area) and a.single and b.row - a.row == to[1] - at[1] != 0
    }  # fmt: skip

    def moved(node: Expr) -> Expr:
        if node in pairs and isinstance(node, Area):
            return pairs[node]
        if isinstance(node, Area):
            if more and node in more:
                return more[node]
            by = to[1] - at[1]
            if node.sheet == at[0] and node.single and (node.row == at[1] or node.row in along):
                return Area(node.sheet, node.row + by, node.column, node.bottom + by, node.right, node.fixed, True)
            return node
        return with_parts(node, moved)

    return moved(new)


def with_parts(node: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """Return an expression with each of its parts changed."""
    if isinstance(node, Binary):
        return Binary(node.operator, change(node.left), change(node.right))
    if isinstance(node, Call):
        return Call(node.function, tuple(None if a is None else change(a) for a in node.arguments))
    if hasattr(node, "operand"):
        return type(node)(node.operator, change(node.operand))  # type: ignore[call-arg,attr-defined]
    return node


def _aligned(a: Expr, b: Expr, pairs: dict[Expr, Expr]) -> bool:
    if isinstance(a, Area) and isinstance(b, Area):
        pairs[a] = b
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, Binary) and isinstance(b, Binary):
        return a.operator == b.operator and _aligned(a.left, b.left, pairs) and _aligned(a.right, b.right, pairs)
    if isinstance(a, Call) and isinstance(b, Call):
        if a.function != b.function or len(a.arguments) != len(b.arguments):
            return False
        return all(
            (x is None and y is None) or (x is not None and y is not None and _aligned(x, y, pairs))
            for x, y in zip(a.arguments, b.arguments, strict=True)
        )
    if hasattr(a, "operand") and hasattr(b, "operand"):
        return _aligned(a.operand, b.operand, pairs)
    return a == b
