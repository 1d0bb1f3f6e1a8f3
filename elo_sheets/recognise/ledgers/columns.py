"""Whole runs that are wrong: expectations that are none, changes and new ratings that book the wrong way.

Every known mistake is undone on the run's model cell in turn; the edit after which the cells behave as a rating
rule does is the fault, and the same edit on every cell of the run is the repair.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

from elo_sheets.expr import Binary, Call, Expr, Number, walk
from elo_sheets.recognise import nearmiss
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.ledgers.booking import booking_faults
from elo_sheets.recognise.model import Area, Key, cell_area
from elo_sheets.recognise.parts import Part
from elo_sheets.recognise.proposals import proposal_for
from elo_sheets.recognise.roles import Roles, Seen, has_power

NATURAL = 1 / math.log(10)
Edit = tuple[str, Expr]  # code, the edited formula of the representative cell


def column_faults(context: Context, roles: Roles, replayed: Collection[str] = ()) -> list[Proposal]:
    """Return a proposal for every run that behaves wrongly as a whole; the games of sheets `replayed` are right."""
    found = list(_expectations(context, roles))
    repaired: dict[Key, Expr] = {}
    for _proposal, seen, edited in found:
        repaired[seen.key] = edited
    proposals = [proposal for proposal, _, _ in found]
    proposals += booking_faults(context, roles, repaired, replayed)
    return proposals


# --- expectations -------------------------------------------------------------------------------------------


def _expectations(context: Context, roles: Roles) -> Iterator[tuple[Proposal, Seen, Expr]]:
    scales = [s.part.curve.scale for s in roles.of_kind("E") if s.part is not None and s.part.curve.scale]
    usual = max(set(scales), key=lambda s: (scales.count(s), s == 400.0, s)) if scales else 400.0
    if usual < 20 or _is_natural(usual):
        usual = 400.0
    done: set[int] = set()
    for seen in roles.seen:
        if id(seen) in done or not _tries_to_expect(roles, seen):
            continue
        part = seen.part
        if part is not None and part.kind == "E" and not _odd_scale(roles, seen, part, usual, scales):
            continue
        result = _mend_expectation(context, roles, seen, usual)
        if result is not None:
            code, target, edited = result
            done.add(id(target))
            yield proposal_for(context, target, code, edited), target, edited


def _tries_to_expect(roles: Roles, seen: Seen) -> bool:
    if seen.part is not None:
        return seen.part.kind == "E"
    if has_power(seen.tree):
        return not _is_helper(roles, seen)
    divisions = [n for n in walk(seen.tree) if isinstance(n, Binary) and n.operator == "/"]
    if any(n.left == Number(1.0) and len(walk(n.right)) > 3 for n in divisions):
        return True
    return bool(divisions) and any(_power_alone(other.tree) for other in _helpers(roles, seen))


def _power_alone(tree: Expr) -> bool:
    """A power that is nothing else: one side of the Q-form, which is no expectation itself."""
    if isinstance(tree, Binary):
        return tree.operator == "^" or (tree.operator == "*" and tree.left == Number(10.0))
    return isinstance(tree, Call) and tree.function in ("EXP", "POWER")


def _is_helper(roles: Roles, seen: Seen) -> bool:
    return _power_alone(seen.tree) and any(
        seen.key in roles.looker.reads(other.key, {}) for other in roles.seen if other is not seen
    )


def _helpers(roles: Roles, seen: Seen) -> list[Seen]:
    found = []
    for read in roles.looker.reads(seen.key, {}):
        other = roles.at(read)
        if other is not None and other is not seen and other.key == read:
            found.append(other)
    return found


def _is_natural(scale: float) -> bool:
    plain = scale * NATURAL
    return plain > 99 and abs(plain / 10 - round(plain / 10)) < 1e-4


def _odd_scale(roles: Roles, seen: Seen, part: Part, usual: float, scales: list[float]) -> bool:
    scale = part.curve.scale
    if scale is None:
        return False
    if abs(scale - 1) < 1e-6 or _is_natural(scale):
        return True
    if abs(scale - usual) < 1e-6 * usual:
        return False
    # Another scale than that of the run beside it, for the same two ratings.
    twin = next(
        (
            other.part.curve.scale
            for other in roles.of_kind("E")
            if other is not seen
            and other.part is not None
            and {other.part.own, other.part.other} == {part.own, part.other}
        ),
        None,
    )
    if twin is None or abs(twin - scale) < 1e-6 * scale:
        return False
    return scales.count(usual) > scales.count(scale) or abs(scale - 400) > 1e-6


def _mend_expectation(context: Context, roles: Roles, seen: Seen, usual: float) -> tuple[str, Seen, Expr] | None:
    targets = [seen, *(h for h in _helpers(roles, seen) if _power_alone(h.tree))]
    fallback: tuple[str, Seen, Expr] | None = None
    for target in targets:
        literal = [n for n in walk(target.tree) if isinstance(n, Area) and n.single]
        spare = _unread_scales(context, target)
        cells: list[Expr] = [*spare, Number(usual), *(a for a in literal if _value(context, a) == usual)]
        known = any(s.part is not None and s.part.curve.scale for s in roles.of_kind("E") if s is not seen)
        for code, edited in _edits(target.tree, cells):
            part = roles.looker.expectation(seen.key, {target.key: edited})
            if part is None or part.curve.scale is None:
                continue
            scale = part.curve.scale
            if known and abs(scale - usual) > 1e-6 * usual:
                continue
            if not known and not (100 <= scale <= 2000 and abs(scale / 10 - round(scale / 10)) < 1e-6):
                continue
            before = seen.part
            if before is not None and before.kind == "E" and (part.own != before.own):
                continue
            if abs(part.curve.advantage) > 1e-3 and before is None and code == "ES103" and fallback is None:
                fallback = (code, target, edited)
                continue
            return code, target, edited
    return fallback


def _unread_scales(context: Context, seen: Seen) -> list[Expr]:
    """Settings of the size of a scale that no formula reads: what a missing scale would be."""
    model = context.model
    found: list[Expr] = []
    for sheet, cells in model.book.sheets.items():
        for (row, column), cell in cells.items():
            if cell.formula is not None or not isinstance(cell.value, float) or not 100 <= cell.value <= 1000:
                continue
            label = model.value((sheet, row, column - 1)) if column > 1 else None
            if isinstance(label, str) and (sheet, row, column) not in model.readers:
                found.append(cell_area((sheet, row, column)))
    return found if len(found) <= 3 else []


def _edits(tree: Expr, scales: list[Expr]) -> Iterator[Edit]:
    order = {"ES112": 0, "ES111": 1, "ES103": 2, "ES102": 3, "ES110": 4}
    found = [(code, new) for code, new in nearmiss.candidates(tree, scales) if code in order]
    return iter(sorted(found, key=lambda e: order[e[0]]))


def _value(context: Context, area: Area) -> float | None:
    return context.model.number((area.sheet or "", area.row, area.column))
