"""Chances before a game that is not rated: no result is asked for, but the chances of one game sum to one.

A cell such as 1 − H − D gains by the expected score as a change with a K of one would. It is none: nothing that is
typed in its row could be a result, and no rating follows from it.
"""

from __future__ import annotations

from elo_sheets.detective.chances import is_odds, is_value, shows_odds
from elo_sheets.detective.facts import Facts
from elo_sheets.detective.gains import Gain, entries, ranged_by
from elo_sheets.recognise.model import Key, Model

SLACK = 0.011  # by which three chances, each rounded to whole per cent, may sum to more than one
MOVED = 120.0  # rating points that show in a chance
MOST_POINTS = 50.0  # that are expected of a season's games, which nobody takes for a rating
FLAT = 1e-9
WORTHS = (1, 2, 3)  # points for a win
LEAST_WORDS = 2  # of a heading that says whose number stands below it


def is_forecast(facts: Facts, gain: Gain) -> bool:
    """Whether a gain is a chance, or what it is worth in points or in a bet: no result is asked, and no rating follows.

    It moves one by one with the expected score, or goes from none to as many points as a win is worth.
    """
    if gain.base is not None or not gain.shares:
        return False
    if is_value(facts.model, gain.cell):
        return True
    unit = gain.shares[0][1]
    ends = [
        facts.evaluator.number(gain.cell, {key: (e if own else 1 - e) * of for key, of, own in gain.shares})
        for e in (0.0, 1.0)
    ]
    if ends[0] is None or ends[1] is None:
        return False
    worth = next((n for n in WORTHS if abs(abs(ends[0] - ends[1]) - n * unit) <= FLAT), None)
    if worth is None or (worth > 1 and (abs(min(ends[0], ends[1])) > FLAT or _are_rated(facts.model, gain.cell))):
        return False
    unit *= worth
    readers = facts.readers(gain.cell, gain.cell[1])
    more = [one for one in readers if _is_more(facts, one, unit) and not shows_odds(facts.model, one)]
    if any(not is_odds(facts.model, one, [gain.cell, *readers]) for one in more):
        return False
    return not any(_may_be_result(facts, key, unit) for key in entries(facts.context, gain) if key[:2] == gain.cell[:2])


def _are_rated(model: Model, key: Key) -> bool:
    """Whether the points of games are summed up to more than is expected of a season's."""
    return any((model.number(one) or 0.0) > MOST_POINTS for one in ranged_by(model, key))


def _is_more(facts: Facts, key: Key, unit: float) -> bool:
    """Whether a formula shows a number that is no chance, nor what is expected of all games together."""
    number = facts.model.number(key)
    return number is not None and not -FLAT <= number <= max(unit, MOST_POINTS)


def _may_be_result(facts: Facts, key: Key, unit: float) -> bool:
    """Whether the column of a typed cell holds anything else than shares between nought and one."""
    model = facts.model
    values = (model.value((key[0], row, key[2])) for row in model.columns.get((key[0], key[2]), ()))
    numbers = [value / unit for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
    return isinstance(model.value(key), str) or not all(0 < number < 1 for number in numbers)


def sum_of_chances(facts: Facts, gain: Gain) -> tuple[list[Key], Key, float] | None:
    """The chances of one game that sum to more than one, the later side's, and their sum; None where they do not.

    They are the chance that rises with a side's rating, the one that falls with it, and between them the draw's.
    """
    sheet, row, column = gain.cell
    unit = gain.shares[0][1]
    if (facts.model.number(gain.cell) or 0.0) > unit:
        return None  # points, and no chance
    rising: list[Key] = []
    falling: list[Key] = []
    other: list[Key] = []
    for step in (-1, 1):
        at = column + step
        while (sheet, row, at) in facts.model.forms or facts.model.number((sheet, row, at)) is not None:
            key = (sheet, row, at)
            number = facts.model.number(key)
            if number is None or not 0 <= number <= unit or key in (*gain.own, *gain.other):
                break
            slope = _slope(facts, gain, key)
            (other if abs(slope) < FLAT else rising if slope > 0 else falling).append(key)
            at += step
    mine = _slope(facts, gain, gain.cell)
    against = sorted(falling if mine > 0 else rising, key=lambda key: abs(key[2] - column))
    if not against or abs(mine) < FLAT:
        return None
    first, last = sorted((against[0][2], column))
    draw = [key for key in other if first < key[2] < last] or [
        key for key in other if any(key in facts.model.precedents(one) for one in (gain.cell, against[0]))
    ]
    cells = [gain.cell, against[0], *draw[:1]]
    total = sum(facts.model.number(key) or 0.0 for key in cells) / unit
    return (sorted(cells), max(cells[:2]), total) if total > 1 + SLACK else None


def of_the_other(facts: Facts, gain: Gain) -> bool:
    """Whether the headings say that a chance is the other side's: they end as those of the two ratings do.

    Under "Elo H", "Elo A" and "Chance H" a chance is to rise with the first of the ratings.
    """
    keys = (gain.cell, gain.own[0], gain.other[0])
    if any(key[:2] != gain.cell[:2] for key in keys):
        return False
    headings = [facts.model.header(key).casefold().split() for key in keys]
    if any(len(words) < LEAST_WORDS for words in headings):
        return False
    chance, own, other = (words[-1] for words in headings)
    falls = own if _slope(facts, gain, gain.cell) < 0 else other
    return own != other and chance == falls and headings[1][:-1] == headings[2][:-1]


def _slope(facts: Facts, gain: Gain, key: Key) -> float:
    """By how much a cell rises when the first of the two ratings does."""
    number = facts.model.number(gain.own[0]) or 0.0
    here, there = (facts.evaluator.number(key, dict.fromkeys(gain.own, number + by)) for by in (0.0, MOVED))
    return 0.0 if here is None or there is None else there - here
