"""A ledger replayed under its own rule: every rating computed again from the inputs, and compared."""

from __future__ import annotations

import math

from elo_sheets.recognise.before import Played, Side
from elo_sheets.recognise.booking import Group
from elo_sheets.recognise.context import Context
from elo_sheets.recognise.model import Key
from elo_sheets.recognise.parts import Part
from elo_sheets.recognise.roles import Roles, update_of

CLOSE = 1e-6  # rating points; the engine gives about 15 digits


def replayed_rows(
    context: Context, roles: Roles, game: Group, sides: list[Side], played: Played | None
) -> list[int] | None:
    """Return the rows whose ratings all follow from the inputs; None when any does not, or cannot be replayed.

    What can be replayed is a logistic rule of one K and scale without rounding, whose score is a number of the row.
    """
    parts = [part for seen in game.after if (part := update_of(roles, seen.key)) is not None]
    if len(parts) != len(game.after) or len(sides) != len(parts) or not parts:
        return None
    if any(
        p.base is None or p.curve.scale is None or p.score is None or p.rounded or p.values[2] != 1.0 for p in parts
    ):
        return None
    if any(p.score is not None and p.score[0] == game.sheet and p.score[1] != game.row for p in parts):
        return None
    if played is not None and (played.wrong or len(sides) < 2):
        return None
    if played is None and (len(sides) != 1 or sides[0].name is not None):
        return None
    run = game.expectations[0].run
    rows = [
        row
        for row in range(run.first, run.last + 1)
        if context.model.number((game.sheet, row, sides[0].after)) is not None
    ]
    state: float | None = None
    for row in rows:
        for part, side in zip(parts, sides, strict=True):
            expected = _after(context, part, game.row, row)
            before = context.model.number((game.sheet, row, side.before))
            found = context.model.number((game.sheet, row, side.after))
            if expected is None or found is None or before is None or abs(expected - found) > CLOSE:
                return None
            if played is None:
                if state is not None and abs(before - state) > CLOSE:
                    return None
                state = found
    return rows


def _after(context: Context, part: Part, at: int, row: int) -> float | None:
    def number(key: Key | None, moves: bool) -> float | None:
        if key is None:
            return None
        return context.model.number((key[0], key[1] + row - at if moves or key[1] == at else key[1], key[2]))

    own, other, base = (number(key, False) for key in (part.own, part.other, part.base))
    score = number(part.score, True)
    if own is None or other is None or base is None or score is None or part.curve.scale is None:
        return None
    share = 1 / (1 + math.pow(10.0, -(own - other + part.curve.advantage) / part.curve.scale))
    return base + part.sign * part.k * (score - share)
