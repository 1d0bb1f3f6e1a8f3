"""Whether a margin counts alike for both sides: K of a win, and of as high a loss at the same chance of who wins."""

from __future__ import annotations

from elo_sheets.detective.broken import Broken
from elo_sheets.detective.broken import spelt as _n
from elo_sheets.detective.facts import SIDES
from elo_sheets.detective.gains import row_cone
from elo_sheets.detective.sides import Result, Side, odds
from elo_sheets.recognise.model import Key

STEP = 100.0  # rating points by which the other side's rating is moved
LEADS = (1.0, 2.5)  # in steps: one of them alone may be a rule's, such as a bonus for the side at home
CLOSE = 1e-6  # of K


def mirrored(side: Side) -> Broken | None:
    """K that goes by the lead, and not by the lead of who wins: None where it does, or goes by no lead at all."""
    pair = _pair(side)
    level, beside = (side.share((0.0, -by)) for by in (0.0, STEP)) if pair and side.gain.shares else (None, None)
    if pair is None or level is None or beside is None or not 0 < level < 1 or not 0 < beside < 1:
        return None
    rise = odds(beside) - odds(level)
    edge = odds(level) / rise * STEP if rise else 0.0
    found = []
    for steps in LEADS:
        lead = steps * STEP
        mine, theirs = (0.0, -lead), (0.0, lead + 2 * edge)
        shares = side.share(mine), side.share(theirs)
        won, lost = (side.k(result, move) for result, move in zip(pair, (mine, theirs), strict=True))
        if None in shares or won is None or lost is None or abs(sum(filter(None, shares)) - 1) > CLOSE or lost <= CLOSE:
            return None
        found.append((won, lost))
    (won, lost), (later_won, later_lost) = found
    if abs(won - lost) <= CLOSE * lost or abs(won / lost - later_won / later_lost) <= CLOSE:
        return None
    says = (
        f"a margin counts {_n(won)} where the favourite on this side wins, and {_n(lost)} where that on the other does"
    )
    return Broken("margin", _factor(side, pair[0]), says, lost, won)


def _factor(side: Side, result: Result) -> Key:
    """The cell of a game that follows both its goals and its ratings, and is no change: the factor of the margin."""
    gain, number = side.gain, side.facts.evaluator.number
    lead = {**result.typed, **dict.fromkeys(gain.own, side.center + STEP), **dict.fromkeys(gain.other, side.center)}
    level = {**result.typed, **dict.fromkeys((*gain.own, *gain.other), side.center)}
    drawn = {**level, **dict.fromkeys(result.typed, 1.0)}
    apart = {gain.cell, *gain.own, *gain.other, *(key for key, _, _ in gain.shares)}
    for key in (key for key in row_cone(side.facts.context, gain) if key[:2] == gain.cell[:2] and key not in apart):
        if len({number(key, entries, side.formulas) for entries in (lead, level, drawn)}) == len((lead, level, drawn)):
            return key
    return gain.cell


def _pair(side: Side) -> tuple[Result, Result] | None:
    """A win and a loss with the same numbers typed the other way round."""
    told = {(one.worth, tuple(one.typed.items())): one for one in side.results if len(one.typed) == SIDES}
    for (worth, ((one, mine), (two, theirs))), won in told.items():
        lost = told.get((0.0, ((one, theirs), (two, mine))))
        if worth == 1 and lost is not None:
            return won, lost
    return None


__all__ = ["mirrored"]
