"""What becomes of a change: it is K·(S − E), and is added to the rating of the player whose it is, once and whole."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from elo_sheets.detective.broken import Broken, spelt
from elo_sheets.detective.facts import LIFT, STEP, Facts
from elo_sheets.detective.gains import Gain, is_limited, ratings_of, row_cone, shown
from elo_sheets.detective.sides import CLOSE, LEAST_CENTER, Side
from elo_sheets.files.package import Value
from elo_sheets.recognise.model import Key, range_text

DRAW = 0.5  # of a point


def limited(side: Side) -> Iterator[Broken]:
    """The change is K·(S − E): it falls evenly as the expectation rises, unless a limit that is declared holds it."""
    at = (0.0, 0.25, 0.5, 0.75, 1.0) if side.gain.shares else ()
    gained = [number for share in at if (number := side.at(None, share)) is not None]
    if len(gained) < max(len(at), 1) or is_limited(side.facts.model, side.gain.cell):
        return
    steps = [after - before for before, after in pairwise(gained)]
    held = next((number for number, step in zip(gained, steps, strict=False) if abs(step) < CLOSE), None)
    if held is not None and min(steps) < -CLOSE and max(steps) < CLOSE:
        says = f"the change is held at {spelt(held)} points, whatever the expected score"
        yield Broken("limit", side.gain.cell, says, held - min(steps), held)


def after(facts: Facts, side: Side) -> Iterator[Broken]:
    """The new rating is the player's own rating before and the change; the opponent's takes it off."""
    gain, model = side.gain, facts.model
    change = model.number(gain.cell)
    if gain.base is not None or change is None:
        return
    yield from _unread_change(side)
    held: dict[Key, Value] = {gain.cell: change}
    read = model.readers.get(gain.cell, ())
    opposite = [key for key in read if key[:2] == gain.cell[:2] and _is_opposite(facts, key, gain.cell)]
    for cell in dict.fromkeys((*read, *(key for one in opposite for key in model.readers.get(one, ())))):
        if model.number(cell) is None or (cell[0] == gain.cell[0] and abs(cell[1] - gain.cell[1]) > 1):
            continue
        smooth, _ = facts.looker.smooth(cell, [], dict(side.formulas))
        start = base = facts.base(cell, (gain.own[0], gain.other[0]), held, smooth)
        base = next((one for one in (*gain.own, *gain.other) if base in (one, *ratings_of(model, one))), base)
        if start is None or base not in (*gain.own, *gain.other):
            continue
        direct = model.precedents(cell)  # what follows from the change besides, as a bonus does, comes on top of it
        on_top: dict[Key, Value] = {one: model.value(one) for one in direct if one in read and gain.cell in direct}
        numbers: list[float] = []
        for lift in (0.0, LIFT, -LIFT) if is_limited(model, cell) else (0.0,):
            moved: dict[Key, Value] = {start: (model.number(start) or 0.0) + lift} if lift else {}
            at = [facts.evaluator.number(cell, {**moved, **on_top, gain.cell: change + by}, smooth)
                  for by in (0.0, STEP, -STEP)]  # fmt: skip
            numbers = [number for number in at if number is not None]
            if len(numbers) == len(at) and numbers[1] != numbers[0] and abs(sum(numbers) - 3 * numbers[0]) <= CLOSE:
                break
        if len(numbers) < 3:
            continue
        here, there, back = numbers
        parts = STEP / abs(there - here) if there != here else 0.0  # a change may be shared out among partners
        if parts < 1 - CLOSE or abs(parts - round(parts)) > CLOSE:
            if cell[:2] == gain.cell[:2] and (parts or cell in side.formulas):
                says = f"the rating moves by {abs(there - here) / STEP:.4g} times the change"
                side.checks += 1  # what puts it right is asked the same
                due = change if base in gain.own else -change
                yield Broken("after", cell, says, here - change * (there - here) / STEP + due, here)
            continue
        side.checks += 1
        adds = there > here
        if abs(back + there - 2 * here) > CLOSE:
            says = f"a change of {spelt(-STEP)} points changes the rating by {spelt(back - here)}"
            yield Broken("after", cell, says, here - (there - here), back)
            continue
        if adds != (base in gain.own):
            whose = "the player's own" if base in gain.own else "the opponent's"
            way = "added to" if adds else "taken off"
            says = f"the change is {way} {whose} rating"
            yield Broken("after", cell, says, here - 2 * change if adds else here + 2 * change, here)


def _is_opposite(facts: Facts, key: Key, change: Key) -> bool:
    """Whether a cell shows a change with the other sign, as the opponent's does."""
    number = facts.model.number(change) or 0.0
    moved = facts.evaluator.number(key, {change: number + STEP})
    return facts.model.number(key) == -number and moved == -(number + STEP)


def change_of(facts: Facts, gain: Gain) -> Key:
    """The cell of the change that a new rating adds to the one before; the gain's own where it adds none."""
    model = facts.model
    if gain.base is None:
        return gain.cell
    due = (model.number(gain.cell) or 0.0) - (model.number(gain.base) or 0.0)
    cells = [key for key in row_cone(facts.context, gain)[1:] if key[:2] == gain.cell[:2]]
    return next((key for key in cells if abs((model.number(key) or 0.0) - due) <= CLOSE < abs(due)), gain.cell)


def misbooked(facts: Facts, gain: Gain) -> Broken | None:
    """What one player gains, where later games look it up as the other's."""
    booked = gain.base or gain.own[0]
    due = next((one for one in (gain.own[0], gain.other[0]) if one[2] == facts.payee(gain)), booked)
    if due == booked:
        return None
    here, base, payee = (facts.model.number(key) or 0.0 for key in (gain.cell, booked, due))
    right = -here if gain.base is None else here - base + payee
    return Broken("after", gain.cell, "the change is added to the opponent's rating", right, here)


def _unread_change(side: Side) -> Iterator[Broken]:
    """A change that no formula of its row adds to a rating, beside one that shows the player's rating before once more.

    Sums further down may read the change all the same: then the numbers are right, but for those of the column. The
    other side's change, which follows from this one, may be read by nothing at all.
    """
    gain, model = side.gain, side.facts.model
    change = model.number(gain.cell)
    sides = [(gain.cell, gain.own)]
    sides += [(key, gain.other) for key in model.readers.get(gain.cell, ())
              if key[:2] == gain.cell[:2] and model.number(key) == -(change or 0.0)
              and not side.facts.evaluator.readers.is_read(key)]  # fmt: skip
    for cell, ratings in sides if change else ():
        before, moved = model.number(ratings[0]), model.number(cell) or 0.0
        before_all = {*ratings, *(one for rating in ratings for one in ratings_of(model, rating))}
        read = [reader for reader in model.readers.get(cell, ()) if model.number(reader) is not None]
        added = [reader for reader in side.facts.readers(cell, cell[1]) if reader[:2] == cell[:2]]
        elsewhere = any(reader[0] != cell[0] for reader in read)
        new = any(abs(model.number(reader) or 0.0) >= LEAST_CENTER for reader in added) and cell == gain.cell
        if elsewhere or before is None or new or before < LEAST_CENTER:
            continue
        for column in sorted(column for row, column in model.book.sheets[cell[0]] if row == cell[1]):
            shows = (*cell[:2], column)
            if column > cell[2] and shown(side.formulas.get(shows, model.tree(shows)), shows[0]) in before_all:
                yield Broken("carried", shows, "the change is not added to the rating", before + moved, before)


def leak(facts: Facts, one: Side, two: Side) -> Iterator[Broken]:
    """The second player's change goes by the first player's rating before the game, not by the new one."""
    made = [one.gain.cell, *facts.readers(one.gain.cell, one.gain.cell[1])]
    for key in two.gain.other:
        due, found = facts.model.number(one.gain.own[0]), facts.model.number(key)
        leaks = one.gain.own != two.gain.other and key in made and key[:2] == one.gain.cell[:2]
        if leaks and due is not None and found is not None:
            says = f"the change goes by the opponent's rating after the game, {range_text([key])}, not before it"
            yield Broken("leak", two.gain.cell, says, due, found)


def stands_too(facts: Facts, side: Side, score: float) -> bool:
    """Whether another cell of the row shows what a side gains by a score: each result has a column of its own."""
    gain = side.gain
    here, at, k = facts.model.number(gain.cell), side.score(None), side.k(None)
    if here is None or at is None or k is None:
        return False
    numbers = [facts.model.number(key) for key in facts.cells(*gain.cell[:2]) if key != gain.cell]
    return any(number is not None and abs(number - here - k * (score - at)) <= CLOSE for number in numbers)


def bonus(side: Side) -> float:
    """What every game brings besides, in points of its result, as by the EGF's rule; 0 where a win is not one more.

    It is less than a draw brings.
    """
    scores = [score for result in side.results if (score := side.score(result)) is not None]
    least = min(scores, default=0.0)
    return least if scores and abs(max(scores) - least - 1) <= CLOSE and 0 < least < DRAW else 0.0


__all__ = ["after", "bonus", "change_of", "leak", "limited", "misbooked", "stands_too"]
