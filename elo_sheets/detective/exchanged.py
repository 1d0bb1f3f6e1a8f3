"""Games in which points go by a table, or a line, of the difference of two ratings, and no result is expected."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product

from elo_sheets.detective.broken import Broken, spelt
from elo_sheets.detective.facts import SIDES, Facts
from elo_sheets.detective.ignored import is_at_home
from elo_sheets.detective.sides import Result, Side

LEADS = (-400.0, -120.0, -40.0, -4.0, 0.0, 4.0, 40.0, 120.0, 400.0)  # rating points; those of World Rugby end at 10
CLOSE = 1e-6  # rating points


def exchange_faults(facts: Facts, sides: list[Side]) -> Iterator[Broken]:
    """Yield what no such rule does: who wins loses points, or the stronger gains more, or less is lost than gained.

    The sum is asked of two sides that read the same points: with points of their own each may have a K of his own. A
    win at home is worth no more than one abroad.
    """
    for side in sides:
        for worth, points in _by_lead(side):
            side.checks += 1
            wrong = [number for number in points if worth is not None and number * (2 * worth - 1) < -CLOSE]
            if wrong:
                says = f"who {'wins' if worth else 'loses'} gets {spelt(wrong[0])} points"
                yield Broken("score", side.gain.cell, says, -wrong[0], wrong[0])
            elif any(after > before + CLOSE for before, after in pairwise(points)):
                says = "the higher a player is rated above the other, the more points the same result gives"
                yield Broken("rising", side.gain.cell, says, points[0], points[-1])
    if len(sides) == SIDES:
        home = next((side for side in sides if is_at_home(facts, side, side.gain.cell)), None)
        won, abroad = (_between_equals(side, 1.0) for side in sorted(sides, key=lambda side: side is not home))
        if home is not None and won is not None and abroad is not None and won > abroad + CLOSE:
            says = (
                f"between equals the side at home gets {spelt(won)} points for a win, and the visitors {spelt(abroad)}"
            )
            yield Broken("home", home.gain.cell, says, abroad, won)
    if len(sides) == SIDES and _shared(facts, *sides):
        one, two = sides
        for result, lead in product((None, *_known(one)), LEADS):
            first, second = one.at(result, None, (lead, 0.0)), two.at(result, None, (0.0, lead))
            if first is not None and second is not None and abs(first + second) > CLOSE:
                says = f"one side gets {spelt(first)} points, and the other {spelt(second)}"
                yield Broken("sum", two.gain.cell, says, -first, second)
                return


def level_of(side: Side) -> float:
    """What a loss between equals costs, as a part of that and of what a win gives: a half without an edge."""
    won, lost = (_between_equals(side, worth) for worth in (1.0, 0.0))
    return 0.5 if won is None or lost is None or won == lost else round(lost / (lost - won), 6)


def _between_equals(side: Side, worth: float) -> float | None:
    return next((side.at(result, None, (0.0, 0.0)) for result in side.results if result.worth == worth), None)


def _known(side: Side) -> list[Result]:
    """The results whose worth is known, all where no win is: by a text that names neither side both may lose."""
    known = [result for result in side.results if result.worth is not None]
    return known if any(result.worth == 1 for result in known) else side.results


def _by_lead(side: Side) -> Iterator[tuple[float | None, list[float]]]:
    """What a side gains by each result whose worth is known, or by the one that stands there, for leads that grow."""
    for result in _known(side) or (None,):
        points = [side.at(result, None, (lead, 0.0)) for lead in LEADS]
        shown = [number for number in points if number is not None]
        if len(shown) == len(LEADS):
            yield None if result is None else result.worth, shown


def _shared(facts: Facts, one: Side, two: Side) -> bool:
    """Whether both sides of a game read a cell that gives the points of it."""
    ratings = {*one.gain.own, *two.gain.own}
    read = [{*facts.looker.leaves(side.gain.cell, {}, 2)} - ratings for side in (one, two)]
    return any(key in facts.model.forms and abs(facts.model.number(key) or 0.0) > CLOSE for key in read[0] & read[1])


__all__ = ["exchange_faults", "level_of"]
