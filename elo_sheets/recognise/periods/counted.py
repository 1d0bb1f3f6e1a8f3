"""What a closing rating counts: which results, how often which opponents, and what each is worth to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from elo_sheets.detective.names import plain
from elo_sheets.expr import Expr
from elo_sheets.recognise.context import Context
from elo_sheets.recognise.evaluate import Evaluator
from elo_sheets.recognise.model import Key, Model
from elo_sheets.recognise.periods.closed import Closed
from elo_sheets.recognise.periods.sums import FAR

SCORES = (0.0, 0.5, 1.0)
HALVES = ("½", "1/2")
STEP = 1000.0  # points that are added to a score, so that whole rating points hide no K
DEPTH = 24  # formulas between a closing rating and the entries


def name_of(model: Model, table: Closed, row: int) -> str | None:
    """Who stands in a row of a table: the nearest text to the left of his opening rating."""
    sheet, _, column = table.opening[row]
    texts = (plain(model.value((sheet, row, at))) for at in range(column - 1, 0, -1))
    return next((one for one in texts if one is not None), None)


def names_of(model: Model, key: Key) -> set[str]:
    """The texts of a cell's row that are typed, as names are told apart."""
    cells = ((key[0], row, column) for row, column in model.book.sheets[key[0]] if row == key[1])
    return {who for one in cells if one not in model.forms and (who := plain(model.value(one))) is not None}


def score_of(model: Model, key: Key) -> float | None:
    """The score that stands in a cell, a half as a text, too; None for what is none."""
    number = model.number(key)
    return number if number in SCORES else 0.5 if model.value(key) in HALVES else None


def slopes_of(
    evaluator: Evaluator, key: Key, scores: Sequence[Key], start_list: Mapping[Key, float]
) -> dict[Key, float]:
    """What each result adds to a closing rating, of those that do: K, below nothing for the other side's."""
    texts = any(isinstance(evaluator.model.value(one), str) for one in scores)
    found: dict[Key, float] = {}
    for ends in (None, (0.0, 1.0)):  # where games are counted by their results, only these are known
        found = {one: by for one in scores if (by := _slope(evaluator, key, one, start_list, ends))}
        if len({abs(by) for by in found.values()}) == 1 and not texts:
            break
    return found


def _slope(
    evaluator: Evaluator, key: Key, score: Key, start_list: Mapping[Key, float], ends: tuple[float, float] | None
) -> float:
    """What a closing rating gains by a point more in a result: by many more, or by 1 in place of 0."""
    if ends is None:
        number = evaluator.model.number(score) or 0.0
        ends = number, number + STEP
    low, high = (evaluator.number(key, {**start_list, score: one}, depth=DEPTH) for one in ends)
    return 0.0 if low is None or high is None else round((high - low) / (ends[1] - ends[0]), 2)


def of_player(
    context: Context, table: Closed, row: int, scores: list[Key], start_list: Mapping[Key, float]
) -> list[Key]:
    """The scores that a closing rating may count: those of games that name its player, where no others move it."""
    model, key = context.model, table.key(row)
    who = name_of(model, table, row)
    own = [one for one in scores if who in names_of(model, one)] if who is not None else []
    rest = [one for one in scores if one not in {*own}]
    masks = (0, 1, 2, -1) if own and rest else ()  # all lost, every other one won, two in four, and all won
    ways = ({one: float(bool(mask == -1 or at & mask)) for at, one in enumerate(rest)} for mask in masks)
    here = model.number(key)
    moved = [context.wide.number(key, {**start_list, **way}, depth=DEPTH) for way in ways]
    return own if moved and all(one == here for one in moved) else scores


def times_of(
    context: Context, table: Closed, row: int, k: float, formulas: Mapping[Key, Expr] | None = None,
    of: Sequence[Key] = (),
) -> dict[int, int]:  # fmt: skip
    """How often each opponent counts in a closing rating: what it gains when he rises from nothing to everything.

    Those are asked first whom the games with the scores `of` name, and the others only where they move it together.
    """
    own = context.model.number(table.opening[row]) or 0.0  # by which a K may go
    level: dict[Key, float] = dict.fromkeys(table.everybody, own)
    found: dict[int, int] = {}
    named = {who for one in of for who in names_of(context.model, one)}
    others = [other for other in table.rows if other != row and k]
    likely = [other for other in others if name_of(context.model, table, other) in named]
    if likely and len(likely) < len(others):
        rest = [table.opening[other] for other in others if other not in likely]
        ways = [{**level, **dict.fromkeys(rest, own + by)} for by in (-FAR, 0.0, FAR)]
        if len({context.wide.number(table.key(row), way, formulas, depth=DEPTH) for way in ways}) == 1:
            others = likely
    for other in others:
        cell = table.opening[other]
        ends = [
            context.wide.number(table.key(row), {**level, cell: own + by}, formulas, depth=DEPTH) for by in (-FAR, FAR)
        ]
        if ends[0] is not None and ends[1] is not None and (times := round((ends[1] - ends[0]) / k)):
            found[other] = times
    return found
