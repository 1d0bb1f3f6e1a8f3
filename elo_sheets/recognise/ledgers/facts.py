"""What a ledger's own rule is, as facts for the verdict: curve, scale, K, start, draw, cap, rounding, advantage.

Nothing here is a fault: a scale of 480 or a K that falls with the games is how the sheet wants to rate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from elo_sheets.expr import Call, Expr, Number, walk
from elo_sheets.recognise.context import Context
from elo_sheets.recognise.curves import Curve
from elo_sheets.recognise.ledgers.plans import Plan, Replayed
from elo_sheets.recognise.model import Key, range_text
from elo_sheets.recognise.parts import ROUNDERS
from elo_sheets.recognise.roles import Roles

_DIRECTION = {"INT": "down to", "ROUNDDOWN": "down to", "ROUNDUP": "up to", "TRUNC": "down to"}


def facts_of(context: Context, roles: Roles, replays: Sequence[Replayed]) -> dict[str, object]:
    """Return the facts that are known: of the replayed sheets, or of single cells where nothing was replayed."""
    plans = [one.plan for one in replays if one.plan is not None]
    facts: dict[str, object] = {}
    shapes = [s.part.curve for s in roles.of_kind("E") if s.part is not None]
    plain = next((shape for shape in shapes if shape.scale), None)
    if plans:  # what is rounded to whole per cent is a logistic curve none the less
        used = plans[0].phases[0].curve
        shapes = [used if used.scale or plain is None else plain]
    if shapes:
        facts |= _curve(shapes[0])
    rounding = _rounding(context, _rule_cells(roles, plans))
    if plans:
        facts |= _k(context, plans[0], rounded=rounding is not None)
    else:
        facts |= _probed_k(roles)
    openings = [value for one in replays if one.reason is None for value in one.openings.values()]
    if openings:
        facts["start"] = _span(openings, "by player")
    draws = {round(s.part.draw, 9) for s in roles.seen if s.part is not None and s.part.score is not None}
    if len(draws) == 1:
        facts["draw"] = draws.pop()
    if rounding:
        facts["rounding"] = rounding
    return facts


def _curve(shape: Curve) -> dict[str, object]:
    facts: dict[str, object] = {"curve": "logistic" if shape.scale else "other"}
    if shape.scale:
        facts["scale"] = shape.scale
    if shape.advantage:
        facts["advantage"] = shape.advantage
    if shape.cap is not None:
        facts["cap"] = shape.cap
    return facts


def _k(context: Context, plan: Plan, rounded: bool) -> dict[str, object]:
    if not plan.ks:
        return {}
    if plan.k_from is None:
        return {"k": _span(plan.ks, "by game")}
    stated = context.model.number(plan.k_from)
    # A K that is asked of changes in whole points comes out up to a point off.
    is_stated = rounded and stated is not None and max(abs(k - stated) for k in plan.ks) <= 1
    return {"k": stated if is_stated else _span(plan.ks, "by game"), "k_from": range_text([plan.k_from])}


def _probed_k(roles: Roles) -> dict[str, object]:
    for seen in (*roles.of_kind("D"), *roles.of_kind("N")):
        if seen.part is not None and seen.part.k:
            return {"k": round(seen.part.k, 9)}
    return {}


def _span(values: Sequence[float], by: str) -> object:
    """One number when all are equal, else from the smallest to the largest."""
    low, high = min(values), max(values)
    return low if high - low <= 1e-6 else f"{low:g} to {high:g}, {by}"


def _rule_cells(roles: Roles, plans: Iterable[Plan]) -> list[Key]:
    cells = [s.key for s in roles.seen if s.part is not None]
    for plan in plans:
        cells += [(plan.sheet, one.run.last, one.run.line) for phase in plan.phases for one in phase.after]
        cells += [(plan.sheet, run.last, line) for line, run in plan.lines.items()]
    return cells


def _rounding(context: Context, cells: Iterable[Key]) -> str | None:
    for key in cells:
        form = context.model.forms.get(key)
        for node in walk(form.tree) if form is not None else ():
            if isinstance(node, Call) and node.function in ROUNDERS:
                digits = node.arguments[1] if len(node.arguments) > 1 else Number(0.0)
                return f"{_DIRECTION.get(node.function, 'to')} {_places(digits)}, in {range_text([key])}"
    return None


def _places(digits: Expr | None) -> str:
    if not isinstance(digits, Number):
        return "decimals that a cell says"
    return "whole points" if not digits.value else f"{digits.value:g} decimal{'' if digits.value == 1 else 's'}"
