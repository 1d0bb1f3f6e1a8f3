"""Chances that stand in a book: tables that they are looked up in, and the odds that follow from them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import permutations, product

from elo_sheets.expr import Binary, Number
from elo_sheets.recognise.model import Area, Key, Model

CENT = 0.00501  # of odds that are shown with two decimals
LEAST_TABLE, MOST_TABLE = 10, 1000  # rows of a table of chances: FIDE's has 50, one for each point 800
TINY = 1e-9  # of a chance
MOST_ODD = 0.1  # of the entries of such a table are out of their order: a slip of the hand


def is_odds(model: Model, key: Key, chances: Iterable[Key]) -> bool:
    """Whether a cell shows one by one of the chances, as odds do."""
    odds = model.number(key)
    numbers = [number for one in chances if one != key and (number := model.number(one))]
    return odds is not None and any(abs(odds - 1 / number) < CENT for number in numbers)


def shows_odds(model: Model, key: Key) -> bool:
    """Whether a formula shows one by a chance of its row, or such odds less a margin."""
    return any(_divides_one(model, one) for one in (key, *model.precedents(key, 4)) if one[:2] == key[:2])


def is_value(model: Model, key: Key) -> bool:
    """Whether a cell shows what a bet brings: a chance of its row times the odds typed there, less the stake or not."""
    read = [one for one in model.precedents(key) if one[:2] == key[:2]]
    numbers = {one: number for one in read if (number := model.number(one)) is not None}
    bets = (numbers[one] * numbers[other] for one, other in permutations(numbers, 2)
            if one in model.forms and 0 <= numbers[one] <= 1 < numbers[other] and other not in model.forms)  # fmt: skip
    return (shown := model.number(key)) is not None and any(
        abs(bet - stake - shown) < TINY for bet, stake in product(bets, (0.0, 1.0))
    )


def _divides_one(model: Model, key: Key) -> bool:
    """Whether a formula is one by a cell with a chance, nothing besides."""
    match model.tree(key):
        case Binary("/", Number(1.0), Area(single=True)):
            return is_odds(model, key, model.precedents(key, 4))
    return False


def chances_of(model: Model, area: Area) -> list[tuple[Key, float]]:
    """The chances of a range's last column, where nearly all rise from one half (or nought) to one, or fall.

    They are typed, or are what the typed ones beside them leave of one.
    """
    rows = range(area.row, min(area.bottom, area.row + MOST_TABLE) + 1)
    if len(rows) < LEAST_TABLE or len(rows) > MOST_TABLE:
        return []
    found: list[tuple[Key, float]] = []
    for row in rows:
        key, beside = ((area.sheet or "", row, column) for column in (area.right, area.right - 1))
        number = model.number(key)
        worked = key in model.forms and (
            beside in model.forms or abs((number or 0.0) + (model.number(beside) or 0.0) - 1) > TINY
        )
        if number is None or not 0 <= number <= 1 or worked:
            return []
        found.append((key, number))
    numbers = [number for _, number in found]
    rises = len(set(numbers)) > LEAST_TABLE / 2 and len(out_of_order(numbers)) <= MOST_ODD * len(numbers)
    return found if rises else []


def out_of_order(numbers: Sequence[float]) -> list[int]:
    """The places of the fewest numbers without which the others rise, or fall."""

    def without(signed: Sequence[float]) -> list[int]:
        ends: list[int] = []  # of the longest rising rows of each length, the last place
        before: list[int | None] = []
        for at, number in enumerate(signed):
            length = bisect_right([signed[end] for end in ends], number)
            before.append(ends[length - 1] if length else None)
            ends[length:] = [at, *ends[length + 1 :]]
        kept, at_end = set(), ends[-1] if ends else None
        while at_end is not None:
            kept.add(at_end)
            at_end = before[at_end]
        return [at for at in range(len(signed)) if at not in kept]

    return min(without(numbers), without([-number for number in numbers]), key=len)
