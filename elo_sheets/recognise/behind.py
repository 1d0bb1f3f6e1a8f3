"""What a formula follows from: the formulas behind it, and the entries of all of them."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from weakref import WeakKeyDictionary

from elo_sheets.expr import Call, Expr, walk
from elo_sheets.recognise.model import Area, Key, Model, cells_of

MOST_LEAVES = 14
MOST_LEVELS = 5
MOST_INDEXED = 1000  # cells of a list that is no whole column
SMALL_TABLE = 24  # cells: a longer table that is searched is no list of entries
LOOKUPS = {"VLOOKUP", "HLOOKUP", "LOOKUP", "XLOOKUP", "INDEX", "MATCH", "XMATCH"}
Formulas = Mapping[Key, Expr]


def inputs(model: Model, key: Key, formulas: Formulas | None = None, level: int = MOST_LEVELS) -> list[Key] | None:
    """Return what a cell depends on when formulas are followed `level` times; None when that is too much.

    Where that makes them too many, a long table of typed numbers that a look-up searches is no input, nor are those
    cells of a list of which INDEX takes another one, by a number in a cell.
    """
    found = _inputs(model, key, formulas, level, ())
    if found is None:
        behind = [model.tree(one) for one in cone(model, key)] if not formulas else []
        asked = (_tables, _passed_over)
        tables = {cell for tree in behind if tree is not None for told in asked for cell in told(model, key[0], tree)}
        found = _inputs(model, key, formulas, level, tables) if tables else None
    return found


def _tables(model: Model, sheet: str, tree: Expr) -> Iterator[Key]:
    """The cells of the tables of typed numbers that the look-ups of a formula search."""
    calls = [node for node in walk(tree) if isinstance(node, Call) and node.function in LOOKUPS]
    for area in {one for call in calls for one in call.arguments if isinstance(one, Area) and one.size > SMALL_TABLE}:
        if all(model.number(key) is not None and key not in model.forms for key in cells_of(area, sheet)):
            yield from cells_of(area, sheet)


def _passed_over(model: Model, sheet: str, tree: Expr) -> Iterator[Key]:
    """The cells of lists of which INDEX takes another one, by a typed number."""
    for node in walk(tree):
        match node:
            case Call("INDEX", (Area(single=False) as area, Area(single=True) as at)) if area.size <= MOST_INDEXED:
                place, number = next(cells_of(at, sheet)), model.number(next(cells_of(at, sheet)))
                if place not in model.forms and number is not None:
                    yield from (cell for one, cell in enumerate(cells_of(area, sheet), 1) if one != number)


def _inputs(model: Model, key: Key, formulas: Formulas | None, level: int, tables: Container[Key]) -> list[Key] | None:
    found: dict[Key, None] = {}
    edge: dict[Key, None] = dict.fromkeys(one for one in reads(model, key, formulas) if one not in tables)
    for _ in range(level):
        inner = [one for one in edge if model.is_formula(one) or (formulas and one in formulas)]
        if not inner:
            break
        edge = {one: None for one in edge if one not in inner} | {
            r: None for i in inner for r in reads(model, i, formulas) if r not in tables
        }
        if len(edge) > 4 * MOST_LEAVES:
            return None
    found |= edge
    return list(found) if len(found) <= MOST_LEAVES else None


def reads(model: Model, key: Key, formulas: Formulas | None) -> Iterator[Key]:
    tree = formulas.get(key) if formulas else None
    if tree is None:
        yield from model.precedents(key)
        return
    for node in walk(tree):
        if isinstance(node, Area) and node.size <= 64:
            for row in range(node.row, node.bottom + 1):
                for column in range(node.column, node.right + 1):
                    yield (node.sheet or key[0], row, column)


_CONES: WeakKeyDictionary[Model, dict[tuple[Key, int], list[Key]]] = WeakKeyDictionary()


def shown_cell(model: Model, key: Key, most: int) -> Key:
    """Return the cell that a chain of at most so many plain references shows; itself where it is none."""
    for _ in range(most):
        tree = model.tree(key)
        if not isinstance(tree, Area) or not tree.single:
            break
        key = (tree.sheet or key[0], tree.row, tree.column)
    return key


def has_deviations(model: Model, sheet: str) -> bool:
    """Whether the formulas of a sheet read a circle's pi, as Glicko's factor of a deviation does and no Elo rule."""
    forms = {form for key, form in model.forms.items() if key[0] == sheet}
    return any(isinstance(node, Call) and node.function == "PI" for form in forms for node in walk(form.tree))


def cone(model: Model, key: Key, most: int = 24) -> list[Key]:
    """Return a formula and the formulas that it reads, directly or through others, nearest first."""
    known = _CONES.setdefault(model, {})
    if (key, most) in known:
        return known[key, most]
    found, seen = [key], {key}
    for one in found:
        for read in model.precedents(one):
            if read in model.forms and read not in seen and len(found) < most:
                found.append(read)
                seen.add(read)
    known[key, most] = found
    return found


__all__ = ["MOST_LEVELS", "SMALL_TABLE", "Formulas", "cone", "has_deviations", "inputs", "reads", "shown_cell"]
