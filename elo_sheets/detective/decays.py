"""Ratings that fall between games by a rule of their own: the latest one, less what a row says for absence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from elo_sheets.detective.chain import CLOSE, Log
from elo_sheets.recognise.evaluate import Evaluator
from elo_sheets.recognise.model import Key

HALF = 0.5  # of the games have the formula: one that stands in few is no rule


def decayed(
    evaluator: Evaluator,
    log: Log,
    shown: Iterable[tuple[Key, float, float | None]],
    who: Callable[[int, int], str | None],
) -> set[Key]:
    """Return which ratings before a game are lower than the latest ones, and follow them point for point.

    Each is a cell, the player's latest rating and what the cell shows; `who` plays in a row, by the column of names.
    """
    model, found = evaluator.model, set[Key]()
    forms = {at: Counter(model.forms.get((log.sheet, row, at)) for row in log.games) for at in log.before}
    for key, latest, number in shown:
        name = log.before.get(key[2])
        usual = name is not None and forms[key[2]][model.forms.get(key)] > HALF * len(log.games)
        if name is None or not usual or number is None or number > latest - CLOSE:
            continue
        who_is_it = who(key[1], name)
        above = (row for row in reversed(log.games) if row < key[1])
        ends = ((log.sheet, row, at) for row in above for at, one in log.after.items() if who(row, one) == who_is_it)
        if (source := next(ends, None)) is not None and evaluator.moves_along(key, source):
            found.add(key)
    return found


__all__ = ["decayed"]
