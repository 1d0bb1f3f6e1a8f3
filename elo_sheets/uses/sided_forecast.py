"""What a rule expects of games between sides, from the states of their players."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from elo_sheets.replaying.sided import RatedRow, SidedRule
from elo_sheets.systems import lines

States = Mapping[str, float]


class Strength(NamedTuple):
    """What a rule says of two sides that meet: what it expects of the first one, and their ratings."""

    expected: float
    own: float
    other: float


def strength(rule: SidedRule, side: Sequence[States], other: Sequence[States]) -> Strength:
    """Return what a rule expects of a game between two sides, from the states of their players."""
    side, other = _meeting(rule, side), _meeting(rule, other)
    rows = [
        {"side": number, "place": 1.0, "points": 0.0, "weight": 1.0, "states": states}
        for number, members in enumerate((side, other), 1)
        for states in members
    ]
    rated = rule.rate(rows)
    ratings = [
        rated[at].row.get("side_rating", sum(one["rating"] for one in members) / len(members))
        for at, members in ((0, side), (len(side), other))
    ]
    return Strength(_forecast(rule, rated[0]), *ratings)


def _meeting(rule: SidedRule, side: Sequence[States]) -> Sequence[States]:
    """Return the players of a side, or where a rule makes one player of them, that one."""
    if not rule.system.composite:
        return side
    return [{name: sum(one[name] for one in side) / len(side) for name in rule.states}]


def _forecast(rule: SidedRule, rated: RatedRow) -> float:
    """Return what a rule expects of a player's side in his only game of a row."""
    forecast = [line.name for line in lines(rule.system.forecast)]
    return rated.against[0][2][forecast[-1] if forecast else "expected"]


def forecasts(rule: SidedRule, rows: Sequence[Mapping[str, Any]], rated: Sequence[RatedRow]) -> Iterator[float]:
    """Yield what a rule expected of each two sides of a game, as they were before it."""
    sides: dict[int, list[States]] = {}
    for row, found in zip(rows, rated, strict=True):
        sides.setdefault(row["side"], []).append({name: found.row[name] for name in rule.states})
    if len(sides) == 2 and not rule.system.composite:
        yield _forecast(rule, rated[0])
        return
    for own, other in combinations(sides.values(), 2):
        yield strength(rule, own, other).expected
