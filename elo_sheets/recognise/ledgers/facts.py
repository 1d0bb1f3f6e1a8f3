"""What a ledger's own rule is, as facts for the verdict: curve, scale, K, start, draw, cap, rounding, advantage.

Nothing here is a fault: a scale of 480 or a K that falls with the games is how the sheet wants to rate.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from elo_sheets.expr import Call, Expr, Number, walk
from elo_sheets.recognise.context import Context
from elo_sheets.recognise.curves import Curve
from elo_sheets.recognise.ledgers.plans import Owner, Plan, Replayed
from elo_sheets.recognise.model import Key, Model, range_text
from elo_sheets.recognise.parts import ROUNDERS
from elo_sheets.recognise.roles import Roles, Seen

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
    openings: dict[Owner | tuple[str, Owner], float] = {}
    for one in replays:
        for owner, value in one.openings.items() if one.reason is None else ():
            # A later month begins with what the one before gave.
            openings.setdefault(owner if isinstance(owner, str) else (one.sheet, owner), value)
    if openings:
        facts["start"] = _span(openings.values(), "by player")
    draws = {draw for seen in roles.seen if (draw := _draw(context.model, seen)) is not None}
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


def _draw(model: Model, seen: Seen) -> float | None:
    """What a draw counts, where some game of the column was one or a formula has a case for it."""
    part = seen.part
    if part is None or part.score is None:
        return None
    sheet, row, column = part.score
    half = part.values[1] if part.values is not None else None
    level = (model.value((sheet, one[1] + row - seen.key[1], column)) for one in seen.run.cells() if seen.run.down)
    drawn = abs(part.draw - 0.5) > 1e-9 or (half is not None and any(value == half for value in level))
    return round(part.draw, 9) if drawn else None


def _k(context: Context, plan: Plan, rounded: bool) -> dict[str, object]:
    """K; where it stands; and what it is multiplied by, where that differs from game to game."""
    ks = list(plan.ks.values())
    if not ks:
        return {}
    if plan.k_from is None:
        return {"k": _span(ks, "by game")}
    sheet, at, column = plan.k_from
    run = next((run for run in context.runs if run.down and plan.k_from in run.cells()), None)
    by_row = sheet == plan.sheet and at == next(iter(plan.ks))
    stands = [(sheet, row if by_row else at, column) for row in plan.ks]
    stated = [context.model.number(key) or 0.0 for key in stands]
    where = list(run.cells()) if by_row and run is not None else [plan.k_from]
    if not all(stated):
        return {"k": _span(ks, "by game")}
    facts: dict[str, object] = {"k": _span(stated, "by game")}
    # A K that is asked of changes in whole points comes out up to a point off.
    if any(abs(k - number) > (1 if rounded else 1e-6) for k, number in zip(ks, stated, strict=True)):
        factor = _span([k / number for k, number in zip(ks, stated, strict=True)], "by game")
        facts = {"k": _span(ks, "by game")} if isinstance(factor, float) else {**facts, "k_factor": factor}
    return facts | {"k_from": range_text(where)}


def _probed_k(roles: Roles) -> dict[str, object]:
    for seen in (*roles.of_kind("D"), *roles.of_kind("N")):
        if seen.part is not None and seen.part.k:
            return {"k": round(seen.part.k, 9)}
    return {}


def _span(values: Collection[float], by: str) -> object:
    """One number when all are equal, else from the smallest to the largest."""
    low, high = min(values), max(values)
    return low if high - low <= 1e-6 else f"{low:.6g} to {high:.6g}, {by}"


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
