"""Typed numbers of both sides of a game: goals or points, of which more win, or places, of which the lower wins."""

from __future__ import annotations

from elo_sheets.detective.facts import Facts
from elo_sheets.detective.gains import MOST_LEVELS, levels
from elo_sheets.detective.ladders import MOSTLY
from elo_sheets.recognise.grid import WORDS, folded
from elo_sheets.recognise.model import Key

MOST_CODE = 2  # of a column of results that are told by a number: 2, 1 and 0 for won, level and lost
LEAST_COUNTS = 3  # different numbers of goals, so that another entry beside them is a slip of the hand
MANY = 99.0  # goals or points with which a side wins, whatever the other has
LEAST_WORD = 3  # letters of a word for a place: shorter ones number games as well


def are_goals(facts: Facts, *keys: Key) -> bool:
    """Whether columns hold more than the codes of results, and do not count games."""
    for key in keys:
        values = [n for row in facts.model.columns.get((key[0], key[2]), ())
                  if (n := facts.model.number((key[0], row, key[2]))) is not None]  # fmt: skip
        if max(values, default=0) <= MOST_CODE or values == sorted(set(values)):
            return False
    return True


def are_counted(facts: Facts, key: Key) -> bool:
    """Whether a cell is one of a column of typed whole numbers, as goals are."""
    values = levels(facts.context, key) if facts.model.number(key) is not None else []
    plain = sum(isinstance(one, (int, float)) and one >= 0 and one % 1 == 0 for one in values)
    return plain > 0 and (plain == len(values) or (plain == len(values) - 1 >= LEAST_COUNTS))


def are_points(facts: Facts, key: Key) -> bool:
    """Whether typed numbers of a cell's column are whole, too many to be asked one by one: as in basketball.

    One of another kind may stand above them, as a setting does.
    """
    cells = [(key[0], row, key[2]) for row in facts.model.columns.get((key[0], key[2]), ())]
    values = [n for one in cells if one not in facts.model.forms and (n := facts.model.number(one)) is not None]
    return len({*values}) > MOST_LEVELS and sum(value < 0 or value % 1 != 0 for value in values) <= 1


def most(facts: Facts, key: Key) -> float:
    """More goals or points than any side has in the column of a cell."""
    numbers = (facts.model.number((key[0], row, key[2])) for row in facts.model.columns.get((key[0], key[2]), ()))
    return max(MANY, *(2 * number for number in numbers if number is not None))


def are_places(facts: Facts, left: Key, right: Key) -> bool:
    """Whether typed numbers of both sides are places in a race: a heading says so, or each stands once in a race."""
    model = facts.model
    if all(_says_place(model.header(key)) for key in (left, right)):
        return True
    rows = [row for row in model.columns.get((left[0], left[2]), ()) if row in facts.model.columns[right[0], right[2]]]
    races: list[list[float]] = []
    for row in rows if left[1] == right[1] else ():
        both = [model.number((left[0], row, key[2])) for key in (left, right)]
        if row - 1 not in rows or None in both:
            races.append([])
        races[-1] += [number for number in both if number is not None]
    games = [sorted(places) for places in races if len(places) > 2]
    placed = sum(places == [float(place) for place in range(1, len(places) + 1)] for places in games)
    return bool(games) and placed >= MOSTLY * len(games)


def _says_place(header: str) -> bool:
    """Whether a heading has a word for a place in it."""
    return any(len(word) >= LEAST_WORD and word in WORDS["rank"] for word in folded(header).split())
