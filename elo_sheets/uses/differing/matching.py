"""Which game of one side is which game of the other, and one order of play for both.

Equal games are aligned by a longest common subsequence, then games of one meeting, then games of which the date or one
name was corrected.
"""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Container, Hashable, Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from elo_sheets.readers._names import skeleton
from elo_sheets.uses.differing.changes import Change
from elo_sheets.uses.differing.sides import Game

# How many equal games, or games that may be one corrected, are looked at around the place where one is expected.
_NEAR = 30
# How unlikely a correction may be between logs that have little in common; 0 is sure, 1 is absurd.
_LIKELY = 0.5

Pair = tuple[int, int]


class Slot(NamedTuple):
    """A place in the order of play of both sides: the positions of its games, and the change that it belongs to."""

    change: int | None
    a: int | None
    b: int | None


def align(a: Sequence[Game], b: Sequence[Game]) -> tuple[tuple[Change, ...], list[Slot]]:
    """Return the changes that make the games `a` the games `b`, in the order of play, and the common order of both.

    A side's games are those of the slots that hold one of its games, in their order. A game that moved has two slots,
    and its change stands where it is now.
    """
    pairs = match(a, b)
    places = [*_places(len(a), len(b), pairs, _in_place(a, b, pairs))]
    changes: list[Change] = []
    number: dict[tuple[int | None, int | None], int] = {}
    for i, j, on_a, on_b in places:
        if not on_b and j is not None:
            continue  # where a game stood before it moved
        moved = on_b and not on_a and i is not None
        change = _change(None if i is None else a[i], None if j is None else b[j], moved)
        if change is not None:
            number[i, j] = len(changes)
            changes.append(change)
    slots = [Slot(number.get((i, j)), i if on_a else None, j if on_b else None) for i, j, on_a, on_b in places]
    return tuple(changes), slots


def _change(before: Game | None, after: Game | None, moved: bool) -> Change | None:
    if before is None or after is None:
        return Change(before, after)
    fields = []
    if before.day != after.day:
        fields.append("date")
    mirrored = (before.white, before.black) == (after.black, after.white)
    if mirrored:
        fields.append("colours")
    else:
        fields += [name for name in ("white", "black") if getattr(before, name) != getattr(after, name)]
    if before.score != (1 - after.score if mirrored else after.score):
        fields.append("result")
    now = dict(after.details)
    for name, value in before.details:
        if name not in fields and value != now[_mirror(name) if mirrored else name]:
            fields.append(name)
    if moved and before.day == after.day:
        fields.append("order")
    return Change(before, after, tuple(fields)) if fields else None


def _mirror(column: str) -> str:
    """Return the column that holds of Black what this one holds of White, and the other way round."""
    for one, other in (("white_", "black_"), ("black_", "white_")):
        if column.startswith(one):
            return other + column.removeprefix(one)
    return column


def match(a: Sequence[Game], b: Sequence[Game]) -> dict[int, int]:
    """Return which game of `b` each game of `a` is, by position, where there is one."""
    pairs = dict(_common([game.whole for game in a], [game.whole for game in b]))
    _match_by(lambda game: game.whole, a, b, pairs)
    _match_by(lambda game: game.meeting, a, b, pairs)
    _straighten(a, b, pairs)
    _match_by(lambda game: (game.day, *sorted((game.white, game.black))), a, b, pairs)
    versions = 2 * len(pairs) >= min(len(a), len(b))
    _match_corrected(a, b, pairs, 1.0 if versions else _LIKELY)
    return pairs


def _left(count: int, taken: Container[int]) -> list[int]:
    return [i for i in range(count) if i not in taken]


def _match_by(key: Callable[[Game], Hashable], a: Sequence[Game], b: Sequence[Game], pairs: dict[int, int]) -> None:
    """Pair the games that are left and have the same key, in their order, as many as both sides have."""
    waiting: dict[Hashable, deque[int]] = defaultdict(deque)
    for j in _left(len(b), set(pairs.values())):
        waiting[key(b[j])].append(j)
    for i in _left(len(a), pairs):
        if waiting.get(key(a[i])):
            pairs[i] = waiting[key(a[i])].popleft()


def _straighten(a: Sequence[Game], b: Sequence[Game], pairs: dict[int, int]) -> None:
    """Pair games of the same two players on one day in their order, where that is no less like the sides."""
    groups: dict[Hashable, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, games in enumerate((a, b)):
        for i, game in enumerate(games):
            groups[game.meeting][side].append(i)
    for mine, theirs in groups.values():
        if len(mine) == len(theirs) > 1:
            found = [(i, pairs[i]) for i in mine if i in pairs]
            straight = list(zip(mine, theirs, strict=True))
            if _unlike(a, b, straight) <= _unlike(a, b, found):
                pairs.update(straight)


def _unlike(a: Sequence[Game], b: Sequence[Game], pairs: Sequence[Pair]) -> int:
    """Return how many of the pairs differ, and how many are out of order."""
    return sum(a[i].whole != b[j].whole for i, j in pairs) + len(pairs) - len(_rising(pairs))


def _match_corrected(a: Sequence[Game], b: Sequence[Game], pairs: dict[int, int], worst: float) -> None:
    """Pair the games that are left and differ in the date or one name alone, the likeliest corrections first."""
    taken = set(pairs.values())
    found = sorted(_corrections(a, b, _left(len(a), pairs), _left(len(b), taken)))
    for unlikely, _, i, j in found:
        if unlikely <= worst and i not in pairs and j not in taken:
            pairs[i] = j
            taken.add(j)


_ALL_BUT: dict[str, Callable[[Game], Hashable]] = {
    "date": lambda game: (game.white, game.black, game.score, game.details),
    "white": lambda game: (game.day, game.black, game.score, game.details),
    "black": lambda game: (game.day, game.white, game.score, game.details),
}


def _corrections(
    a: Sequence[Game], b: Sequence[Game], left_a: Sequence[int], left_b: Sequence[int]
) -> Iterator[tuple[float, int, int, int]]:
    """Yield pairs that may be one game corrected: how unlikely that is, how far apart they stand, their positions."""
    for what, rest in _ALL_BUT.items():
        groups: dict[Hashable, list[tuple[int, int]]] = defaultdict(list)
        for j in left_b:
            groups[rest(b[j])].append((_ordinal(b[j].day), j))
        for group in groups.values():
            group.sort()
        for i in left_a:
            group = groups.get(rest(a[i]), [])
            near = bisect_left(group, (_ordinal(a[i].day), i))
            for _, j in group[max(0, near - _NEAR) : near + _NEAR]:
                if what == "date":
                    unlikely = _unlikely_days(a[i].day, b[j].day)
                else:
                    unlikely = _unlikely_names(getattr(a[i], f"{what}_name"), getattr(b[j], f"{what}_name"))
                yield unlikely, abs(i - j), i, j


def _ordinal(day: str) -> int:
    return date.fromisoformat(day).toordinal() if day else 0


def _unlikely_days(one: str, other: str) -> float:
    """Return how unlikely it is that one day was typed for the other; a day that was missing is the likeliest."""
    if not one or not other:
        return 0.1
    apart = abs(_ordinal(one) - _ordinal(other))
    first, second = one.split("-"), other.split("-")
    one_slip = sum(x != y for x, y in zip(first, second, strict=True)) == 1
    swapped = (first[0], first[2], first[1]) == tuple(second)
    if apart <= 31 or one_slip or swapped:
        return 0.2 + min(apart, 31) / 200
    return min(1.0, 0.6 + apart / 100_000)


def _unlikely_names(one: str, other: str) -> float:
    """Return how unlikely it is that one name was typed for the other."""
    return 1 - difflib.SequenceMatcher(None, skeleton(one), skeleton(other), autojunk=False).ratio()


def _common(a: Sequence[Hashable], b: Sequence[Hashable]) -> Iterator[Pair]:
    """Yield the positions of a longest common subsequence.

    Of a value that stands on both sides very often, only the occurrences near the place where it is expected count.
    """
    low, high_a, high_b = 0, len(a), len(b)
    while low < min(high_a, high_b) and a[low] == b[low]:
        yield low, low
        low += 1
    tail = []
    while low < min(high_a, high_b) and a[high_a - 1] == b[high_b - 1]:
        high_a, high_b = high_a - 1, high_b - 1
        tail.append((high_a, high_b))
    places: dict[Hashable, list[int]] = defaultdict(list)
    for j in range(low, high_b):
        places[b[j]].append(j)
    seen: Counter[Hashable] = Counter()
    candidates = []
    for i in range(low, high_a):
        at = seen[a[i]]
        seen[a[i]] += 1
        near = places.get(a[i], [])[max(0, at - _NEAR) : at + _NEAR]
        candidates += [(i, j) for j in reversed(near)]
    yield from _rising(candidates)
    yield from reversed(tail)


def _rising(pairs: Sequence[Pair]) -> list[Pair]:
    """Return a longest run of pairs in which both positions rise.

    The pairs are sorted by the first position, those with the same first by falling second.
    """
    lasts: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for at, (_, j) in enumerate(pairs):
        length = bisect_left(lasts, j)
        before.append(ends[length - 1] if length else -1)
        lasts[length : length + 1] = [j]
        ends[length : length + 1] = [at]
    found = []
    at = ends[-1] if ends else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _in_place(a: Sequence[Game], b: Sequence[Game], pairs: Mapping[int, int]) -> list[Pair]:
    """Return the pairs that keep the order of play: equal games first, then as many others as fit between them."""
    ordered = sorted(pairs.items())
    anchors = _rising([(i, j) for i, j in ordered if a[i].whole == b[j].whole])
    firsts, seconds = [i for i, _ in anchors], [j for _, j in anchors]
    fixed = set(anchors)
    fitting = [(i, j) for i, j in ordered if (i, j) in fixed or bisect_left(firsts, i) == bisect_left(seconds, j)]
    return _rising(fitting)


def _places(
    count_a: int, count_b: int, pairs: Mapping[int, int], in_place: Sequence[Pair]
) -> Iterator[tuple[int | None, int | None, bool, bool]]:
    """Yield the places of a common order: the pair of positions, and whether each of them stands here."""
    partner = {j: i for i, j in pairs.items()}
    next_a = next_b = 0
    for i, j in [*in_place, (count_a, count_b)]:
        yield from ((k, pairs.get(k), True, False) for k in range(next_a, i))
        yield from ((partner.get(k), k, False, True) for k in range(next_b, j))
        if i < count_a:
            yield i, j, True, True
        next_a, next_b = i + 1, j + 1
