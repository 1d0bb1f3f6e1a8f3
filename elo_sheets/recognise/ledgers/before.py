"""Ratings before a game: does each read the same player's latest new rating?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from elo_sheets.expr import walk
from elo_sheets.files.package import CellError
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.ledgers.changes_only import latest_text
from elo_sheets.recognise.ledgers.groups import Group
from elo_sheets.recognise.ledgers.plans import Plan
from elo_sheets.recognise.ledgers.replaying import look_ups
from elo_sheets.recognise.model import Area, Key
from elo_sheets.recognise.roles import Roles, Seen, update_of


@dataclass
class Side:
    """One side of the games of a ledger: the columns of names and of new ratings, and a score, where there are such."""

    name: int | None
    after: int
    score: Key | None = None


def sides_of(context: Context, roles: Roles, group: Group) -> list[Side]:
    """The sides of a ledger; none when a rating before is not found by the player's name."""
    found = []
    for seen in group.after:
        part = update_of(roles, seen.key)
        base = part.base if part is not None else None
        if base is None:
            base = _base_by_shape(group, seen)
        if base is None or base[0] != group.sheet or base[1] != group.row:
            continue
        if roles.at(base) is not None:
            found.append(Side(_name_column(context, base), seen.key[2], part.score if part is not None else None))
    return found


def _base_by_shape(group: Group, seen: Seen) -> Key | None:
    for node in walk(seen.tree):
        if isinstance(node, Area) and node.single and (node.sheet, node.row, node.column) in group.ratings:
            return (node.sheet or group.sheet, node.row, node.column)
    return None


def _name_column(context: Context, base: Key) -> int | None:
    tree = context.model.tree(base)
    if tree is None:
        return None
    columns = Counter(
        node.column
        for node in walk(tree)
        if isinstance(node, Area)
        and node.single
        and node.sheet == base[0]
        and node.row == base[1]
        and _text(context, (base[0], node.row, node.column))
    )
    return columns.most_common(1)[0][0] if columns else None


def _text(context: Context, key: Key) -> str | None:
    value = context.model.value(key)
    return value if isinstance(value, str) and not isinstance(value, CellError) and value.strip() else None


def _explained(context: Context, first: Key) -> bool:
    """Whether a cell of the column, or one that the first wrong one reads, departs from its run: that is the cause."""
    read = set(context.model.precedents(first, 1))
    above = [s for s in context.suspects if s.key[0] == first[0] and s.key[1] <= first[1] and s.kind != "missing"]
    return any(s.key[2] == first[2] or s.key in read for s in above)


def look_up_faults(context: Context, plan: Plan) -> list[Proposal]:
    """Return a proposal for each column of a replayed sheet that looks other ratings up than the latest."""
    model = context.model
    played = look_ups(model, context.evaluator, plan)
    found = []
    gains = {run.line for phase in plan.phases for one in phase.after for run, _ in one.gains}
    after = sorted({one.run.line for phase in plan.phases for one in phase.after} | gains)
    for column in sorted({key[2] for key in played.wrong}):
        wrong = {
            key: at
            for key, at in played.wrong.items()
            if key[2] == column and not context.evaluator.moves_along(key, at)
        }
        if not wrong:
            continue  # the latest rating, and what a rule adds: a decay of who stayed away
        every = {k: s for k, s in sorted({**played.right, **played.wrong}.items()) if k[2] == column}
        first = next(iter(sorted(wrong)))
        if _explained(context, first):
            continue
        if len(wrong) < 2 or played.reason is not None or model.cell(first) is None:
            continue
        tree = model.tree(first)
        areas = [n for n in walk(tree) if isinstance(n, Area) and not n.single] if tree is not None else []
        areas = [area for area in areas if area.sheet == plan.sheet]
        if _reads_unplanned(context, areas, first[1] - 1, after):
            continue  # the other side's new ratings are no part of the plan: it takes older ones for the latest
        reads = any(n.column <= c <= n.right and n.row < first[1] for n in areas for c in after)
        short = reads and all(n.bottom < first[1] - len(plan.phases) for n in areas)
        code = "ES125" if short else "ES123" if reads else "ES124"
        order = (first, *(k for k in every if k != first))
        repairs = {k: latest_text(plan, every[k], k[0]) for k in order}
        found.append(Proposal(code, order, repairs=repairs, rank=3))
    return found


def _reads_unplanned(context: Context, areas: list[Area], row: int, after: list[int]) -> bool:
    """Whether ranges hold formulas that follow in their own row from a new rating that is planned."""
    cells = {(area.sheet or "", row, column) for area in areas for column in range(area.column, area.right + 1)}
    others = [key for key in cells if key in context.model.forms and key[2] not in after]
    return any(context.evaluator.depends(key, [(*key[:2], column) for column in after], 2) for key in others)
