"""Ledgers that show changes and no new rating: a later game adds up what its player has gained before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from elo_sheets.files.package import Value
from elo_sheets.recognise.cells import Run
from elo_sheets.recognise.ledgers.plans import Gains, Leaf, Plan
from elo_sheets.recognise.model import Key, Model, area_text, cell_area

STEP = 64.0  # rating points
Number = Callable[[Key, Mapping[Key, Value]], float | None]


def gains_of(
    model: Model, number: Number, leaf: Leaf, cell: Key, later: Iterable[int], changes: Sequence[Run]
) -> Gains:
    """Return which changes of the row of `cell` later games of the same player add up, none when no game shows it.

    `leaf` is a rating that is looked up by a name, and `cell` where it stands in that row; `number` gives a cell's
    number at other inputs.
    """
    sheet, row = cell[0], cell[1] - leaf.down
    form, name = model.forms.get(cell), model.value((sheet, cell[1], leaf.owner))
    for at in later:
        rating = leaf.key(sheet, at)
        reads = any(not a.single and a.row <= row <= a.bottom for a in model.areas(rating))
        if not reads and model.forms.get(rating) is not form:
            continue
        shown = {key: model.value(key) for key in ((sheet, row, run.line) for run in changes)}
        shown[sheet, at + leaf.down, leaf.owner] = name
        here = number(rating, shown)
        if here is None:
            continue
        gains = [(run, _sign(model, number, rating, shown, here, (sheet, row, run.line))) for run in changes]
        if any(sign for _, sign in gains):
            return tuple((run, sign) for run, sign in gains if sign)
    return ()


def _sign(model: Model, number: Number, rating: Key, shown: Mapping[Key, Value], here: float, change: Key) -> int:
    """Whether a rating rises (+1) or falls (-1) by as much as a change does, 0 when it does neither."""
    moved = number(rating, {**shown, change: (model.number(change) or 0.0) + STEP})
    by = 0.0 if moved is None else (moved - here) / STEP
    return round(by) if abs(abs(by) - 1) < 1e-6 else 0


def latest_text(plan: Plan, source: Key, own: str) -> str:
    """Return the latest rating as a formula: a cell, or the rating before that game with the changes of its row."""
    text = area_text(cell_area(source), own)
    phase = plan.phases[plan.turn(source[1])]
    for one in phase.after:
        if one.gains and one.base is not None and one.base.column == source[2]:
            for run, sign in one.gains:
                change = (source[0], source[1], run.line)
                text += ("+" if sign > 0 else "-") + area_text(cell_area(change), own)
    return text
