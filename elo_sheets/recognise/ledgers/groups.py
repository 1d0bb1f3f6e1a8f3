"""The games of a ledger: the expectations of two ratings, and the changes and new ratings that follow from them."""

from __future__ import annotations

from dataclasses import dataclass, field

from elo_sheets.expr import Binary, Expr, walk
from elo_sheets.files.package import CellError
from elo_sheets.recognise.context import Context
from elo_sheets.recognise.model import Area, Key
from elo_sheets.recognise.parts import Part
from elo_sheets.recognise.roles import Roles, Seen, tree_keys

MOST_UNRATED = 5  # games at the start that are passed over for one that counts


@dataclass
class Group:
    """The runs of one game, each seen in the row of the game."""

    row: int
    sheet: str
    ratings: tuple[Key, Key]  # the left one first
    expectations: list[Seen] = field(default_factory=list)
    changes: list[Seen] = field(default_factory=list)
    after: list[Seen] = field(default_factory=list)


def groups(context: Context, roles: Roles, repaired: dict[Key, Expr]) -> list[Group]:
    """The games of the book, one for each ledger: expectations of the same two ratings belong together."""
    found: dict[frozenset[Key], Group] = {}
    for seen in roles.seen:
        if not seen.run.down:
            continue
        part = seen.part
        if part is None or part.kind != "E":
            if seen.key not in repaired and not any(k in repaired for k in roles.looker.reads(seen.key, {})):
                continue
            part = roles.looker.expectation(seen.key, repaired)
            if part is None:
                continue
        pair = frozenset((part.own, part.other))
        group = found.get(pair)
        if group is None:
            twin = _same_game(context, roles, found, seen, part)
            if twin is not None:
                twin.expectations.append(moved(context, seen, twin.row))
                continue
            left, right = sorted(pair, key=lambda k: (k[0] != seen.key[0], k[2]))
            group = found[pair] = Group(seen.key[1], seen.key[0], (left, right))
        group.expectations.append(seen)
    for group in found.values():
        _complete(context, roles, group)
    return [_counting(context, group) for group in found.values()]


def _counting(context: Context, group: Group) -> Group:
    """The same in a row below where the first games are not rated: a typed nought there keeps them from counting."""
    model = context.model
    for by in range(MOST_UNRATED):
        changes = [(one.key[0], one.key[1] + by, one.key[2]) for one in group.changes]
        read = {(one[:2], cell) for one in changes for cell in model.precedents(one)}
        noughts = (cell for place, cell in read if cell[:2] == place and cell not in model.forms)
        if any(model.number(key) != 0 for key in changes) or all(model.number(cell) != 0 for cell in noughts):
            break
    else:
        return group
    left, right = ((sheet, row + by, column) for sheet, row, column in group.ratings)
    below = Group(group.row + by, group.sheet, (left, right))
    for own, there in zip(_seen(group), _seen(below), strict=True):
        there += [moved(context, one, one.key[1] + by) for one in own]
    return below if by else group


def _seen(group: Group) -> tuple[list[Seen], list[Seen], list[Seen]]:
    return group.expectations, group.changes, group.after


def _same_game(
    context: Context, roles: Roles, found: dict[frozenset[Key], Group], seen: Seen, part: Part
) -> Group | None:
    for group in found.values():
        if group.sheet != seen.key[0] or group.row == seen.key[1]:
            continue
        key = (seen.key[0], group.row, seen.key[2])
        if not seen.run.fits(context.model, key):
            continue
        other = roles.looker.expectation(key)
        if other is not None and {other.own, other.other} == set(group.ratings):
            return group
    return None


def moved(context: Context, seen: Seen, row: int) -> Seen:
    key = (seen.key[0], row, seen.key[2])
    tree = context.model.tree(key)
    return Seen(seen.run, key, seen.part, tree if tree is not None else seen.tree)


def _complete(context: Context, roles: Roles, group: Group) -> None:
    model = context.model
    loop = _columns_before(context, group)
    expected = {seen.run.line for seen in group.expectations}
    for seen in roles.seen:
        if seen.run.sheet != group.sheet or not seen.run.down or seen.run.line in expected:
            continue
        here = moved(context, seen, group.row)
        if not seen.run.fits(model, here.key) or here.key in group.ratings:
            continue
        part = seen.part
        if part is not None and part.kind == "N" and here.key[2] not in loop:
            base = part.base
            if base is not None and (base[2] in {r[2] for r in group.ratings}):
                group.after.append(here)
                continue
        if (here.key[0], here.key[2]) in {(group.sheet, c) for c in loop}:
            group.after.append(here)
        elif (part is not None and part.kind == "D") or _reads_expectation(roles, here, group):
            group.changes.append(here)
    read = {key for one in group.after for key in tree_keys(one.tree, group.sheet)}
    known = {one.key for one in (*group.after, *group.changes, *group.expectations)} | set(group.ratings)
    for key in sorted(read - known):
        other = roles.at(key)
        if other is not None and key[1] == group.row and other.run.fits(model, key) and _is_product(model.tree(key)):
            group.changes.append(moved(context, other, group.row))


def _is_product(tree: Expr | None) -> bool:
    return tree is not None and any(isinstance(n, Binary) and n.operator == "*" for n in walk(tree))


def _columns_before(context: Context, group: Group) -> set[int]:
    """Columns of the ledger that the ratings before are read from."""
    columns: set[int] = set()
    for rating in group.ratings:
        tree = context.model.tree(rating)
        if rating[0] != group.sheet or tree is None:
            continue
        if rating[1] != group.row and not isinstance(tree, Area):
            columns.add(rating[2])  # the row before holds the new ratings themselves
            continue
        for node in walk(tree):
            if isinstance(node, Area) and node.sheet == group.sheet and node.right - node.column < 3:
                for column in range(node.column, node.right + 1):
                    key = (group.sheet, group.row, column)
                    number = context.model.number(key)
                    broken = isinstance(context.model.value(key), CellError)
                    if key in context.model.forms and (broken if number is None else abs(number) > 5):
                        columns.add(column)
    return columns - {rating[2] for rating in group.ratings if rating[1] == group.row}


def _reads_expectation(roles: Roles, seen: Seen, group: Group) -> bool:
    keys = {one.key for one in group.expectations}
    return any(read in keys for read in roles.looker.reads(seen.key, {}))
