"""Ratings that are carried from season to season toward a mean: each a part of the way from the player's latest."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from elo_sheets.recognise.model import Key

CLOSE = 1e-6  # rating points; an engine gives about 15 digits
LEAST = 3  # ratings on one line: two always are
HALF = 0.5  # of the ratings that are not the latest: else the line is a chance one
MOST = 12  # ratings through pairs of which a line is drawn, the first


def carried_over(shown: Iterable[tuple[Key, float, float | None]]) -> set[Key]:
    """Return which ratings before a game follow from the latest ones by one line that rises less than they do.

    Each is a cell, the player's latest rating and what the cell shows. A look-up of another game lies on no line.
    """
    off = [
        (key, latest, number) for key, latest, number in shown if number is not None and abs(number - latest) > CLOSE
    ]
    best: set[Key] = set()
    for (_, a, x), (_, b, y) in combinations(off[:MOST], 2):
        keep = (y - x) / (b - a) if abs(b - a) > CLOSE else 0.0
        if CLOSE < keep < 1 - CLOSE:
            on = {(key, latest) for key, latest, number in off if abs(x + keep * (latest - a) - number) <= CLOSE}
            if len({latest for _, latest in on}) >= LEAST and len(on) > max(HALF * len(off), len(best)):
                best = {key for key, _ in on}
    return best


__all__ = ["carried_over"]
