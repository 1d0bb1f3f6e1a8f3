"""Whole columns that a plan of the games breaks off at, and what would let it go on."""

from __future__ import annotations

from collections.abc import Iterator

from elo_sheets.expr import Binary, Expr, Number, Unary
from elo_sheets.recognise import nearmiss
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.ledgers.booking import exchanged
from elo_sheets.recognise.ledgers.planning import Planner
from elo_sheets.recognise.ledgers.plans import Stopped, WrongWay
from elo_sheets.recognise.ledgers.reading import Given
from elo_sheets.recognise.model import Area, Key, cell_area
from elo_sheets.recognise.proposals import proposal_for
from elo_sheets.recognise.roles import Roles, Seen, tree_keys

MOST_EDITS = 60
Edit = tuple[str, Expr]


def wrong_ways(context: Context, roles: Roles, sheet: str, given: Given) -> list[Proposal]:
    """Return a proposal for each run that keeps the games of a sheet from being planned; none when that is not known.

    Where all new ratings of a game move the wrong way, the expectation is the wrong way round; else the columns that do
    are.
    """
    try:
        Planner(context, roles, sheet, given).plan()
    except WrongWay as stopped:
        wrong = stopped
    except Stopped:
        dropped = _dropped(context, roles, sheet, given)
        return [] if dropped is None else [dropped]
    else:
        return []
    if wrong.everybody and wrong.expectation is not None:
        found = _mend(context, roles, given, wrong.expectation, wrong.cells, ("ES101",))
        return [found] if found is not None else []
    codes = ("ES101",) if wrong.everybody else ("ES115", "ES101")
    return [p for cell in wrong.cells if (p := _mend(context, roles, given, cell, [cell], codes)) is not None]


def _dropped(context: Context, roles: Roles, sheet: str, given: Given) -> Proposal | None:
    """A change that no expectation is taken off from: K times the score alone."""
    expectation = next((s for s in roles.of_kind("E") if s.run.sheet == sheet and s.run.down), None)
    if expectation is None or context.model.readers.get(expectation.key):
        return None
    row = expectation.key[1]
    for run in context.runs:
        target = (sheet, row, run.line)
        tree = context.model.tree(target)
        if run.sheet != sheet or not run.down or not isinstance(tree, Binary) or not run.fits(context.model, target):
            continue
        at = roles.at(target)
        if at is not None and at.part is not None and at.part.kind == "E":
            continue
        for node, rebuilt in nearmiss.places(tree):
            score = node == Number(1.0) or (isinstance(node, Area) and node.single and node.row == row)
            if not score or node == cell_area(expectation.key):
                continue
            edited = rebuilt(Binary("-", node, cell_area(expectation.key)))
            found = _tried(context, roles, given, target, "ES117", edited)
            if found is not None:
                return found
    return None


def _tried(context: Context, roles: Roles, given: Given, target: Key, code: str, edited: Expr) -> Proposal | None:
    """The proposal of an edit after which the games can be planned; None when they cannot."""
    at, tree = roles.at(target), context.model.tree(target)
    if at is None or tree is None:
        return None
    try:
        left = Planner(context, roles, target[0], given, {target: edited}).wrong_way(target[1])
    except Stopped:
        return None
    return None if left is not None else proposal_for(context, Seen(at.run, target, at.part, tree), code, edited)


def _mend(
    context: Context, roles: Roles, given: Given, target: Key, wrong: list[Key], codes: tuple[str, ...]
) -> Proposal | None:
    at = roles.at(target)
    tree = context.model.tree(target)
    if at is None or tree is None or not at.run.fits(context.model, target):
        return None
    for code, edited in _edits(tree, codes, target):
        try:
            left = Planner(context, roles, target[0], given, {target: edited}).wrong_way(target[1])
        except Stopped:
            continue
        if left is None or not set(left.cells) & set(wrong):
            return proposal_for(context, Seen(at.run, target, at.part, tree), code, edited)
    return None


def _edits(tree: Expr, codes: tuple[str, ...], target: Key) -> Iterator[Edit]:
    if "ES115" in codes and isinstance(tree, Binary) and tree.operator in nearmiss.TURNED:
        yield "ES115", Binary(nearmiss.TURNED[tree.operator], tree.left, tree.right)
    if "ES115" in codes and isinstance(tree, Area):
        yield "ES115", Unary("-", tree)
    cells = [cell for cell in tree_keys(tree, "") if cell[1] == target[1]] or list(tree_keys(tree, ""))
    if codes == ("ES101",) and len(cells) == 2:
        one, two = cell_area(cells[0]), cell_area(cells[1])
        yield "ES101", exchanged(tree, one, two)
    for count, (code, edited) in enumerate(nearmiss.candidates(tree)):
        if count > MOST_EDITS:
            return
        if code in ("ES101", "ES113"):
            yield ("ES115" if "ES115" in codes else code), edited
