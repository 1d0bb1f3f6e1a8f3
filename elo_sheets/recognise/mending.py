"""Whole columns that gain the wrong way, found where a plan of the games breaks off, and what would put them right."""

from __future__ import annotations

from collections.abc import Iterator

from elo_sheets.expr import Binary, Expr
from elo_sheets.recognise import nearmiss
from elo_sheets.recognise.booking import swapped
from elo_sheets.recognise.columns import proposal_for
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.model import ALL_FIXED, Area, Key
from elo_sheets.recognise.planning import Given, Planner, Stopped, WrongWay
from elo_sheets.recognise.roles import Roles, Seen, tree_keys

_TURNED = {"+": "-", "-": "+"}
MOST_EDITS = 60


def wrong_ways(context: Context, roles: Roles, sheet: str, given: Given) -> list[Proposal]:
    """Return a proposal for each run that makes new ratings move the wrong way; none when that is not the trouble.

    Where all new ratings of a game do, the expectation is the wrong way round; else the columns that do are.
    """
    try:
        Planner(context, roles, sheet, given).plan()
    except WrongWay as stopped:
        wrong = stopped
    except Stopped:
        return []
    else:
        return []
    if wrong.everybody and wrong.expectation is not None:
        found = _mend(context, roles, given, wrong.expectation, wrong.cells, ("ES101",))
        return [found] if found is not None else []
    codes = ("ES101",) if wrong.everybody else ("ES115", "ES101")
    return [p for cell in wrong.cells if (p := _mend(context, roles, given, cell, [cell], codes)) is not None]


def _mend(
    context: Context, roles: Roles, given: Given, target: Key, wrong: list[Key], codes: tuple[str, ...]
) -> Proposal | None:
    at = roles.at(target)
    tree = context.model.tree(target)
    if at is None or tree is None or not at.run.fits(context.model, target):
        return None
    for code, edited in _edits(tree, codes):
        try:
            left = Planner(context, roles, target[0], given, {target: edited}).wrong_way(target[1])
        except Stopped:
            continue
        if left is None or not set(left.cells) & set(wrong):
            return proposal_for(context, Seen(at.run, target, at.part, tree), code, edited)
    return None


def _edits(tree: Expr, codes: tuple[str, ...]) -> Iterator[tuple[str, Expr]]:
    if "ES115" in codes and isinstance(tree, Binary) and tree.operator in _TURNED:
        yield "ES115", Binary(_TURNED[tree.operator], tree.left, tree.right)
    cells = list(tree_keys(tree, ""))
    if codes == ("ES101",) and len(cells) == 2:
        one, two = (Area(*cell, *cell[1:], ALL_FIXED, True) for cell in cells)
        hole = Area("", 0, 0, 0, 0, ALL_FIXED, True)
        yield "ES101", swapped(swapped(swapped(tree, one, hole), two, one), hole, two)
    for count, (code, edited) in enumerate(nearmiss.candidates(tree)):
        if count > MOST_EDITS:
            return
        if code in ("ES101", "ES113"):
            yield ("ES115" if "ES115" in codes else code), edited
