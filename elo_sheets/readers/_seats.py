"""Players at a table, each under the heading of his seat: North to West at bridge and mah-jong, or any words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from elo_sheets.games import identity
from elo_sheets.readers._across import say_places
from elo_sheets.readers._contents import filled, kind_of
from elo_sheets.readers._headings import words_of
from elo_sheets.readers._layout import Row
from elo_sheets.readers._words import plain, table

# North, South, East and West, of which the first two play together.
COMPASS = tuple(table("compass").values())
FEWEST = 3


class Seats(NamedTuple):
    """The columns of the players of each side, and of its points or its places, which are known by what they hold."""

    players: dict[int, list[int]]
    points: dict[int, int]
    are_places: bool = False


def seats(headers: Sequence[str], rows: Sequence[Row]) -> Seats | None:
    """Return the seats of a table, None for another layout: two pairs by the compass, or each player for himself."""
    cells = {at: [row.cells[at].strip() for row in rows if at < len(row.cells)] for at in range(len(headers))}
    kinds = {at: kind_of(some) for at, some in cells.items()}
    return _of_pairs(headers, kinds) or _each(headers, cells, kinds)


def _of_pairs(headers: Sequence[str], kinds: Mapping[int, str]) -> Seats | None:
    """Return the two pairs of a table whose points are headed by both seats, `NS` and `IMPs E/W`."""
    known = [plain(header) for header in headers]
    for compass in COMPASS:
        if not {*compass} <= {*known}:
            continue
        places = [known.index(word) for word in compass]
        pairs = [compass[:2], compass[2:]]
        points = [
            [at for at, one in enumerate(headers) if kinds[at] == "number" and _names(one, pair)] for pair in pairs
        ]
        if all(kinds[at] == "name" for at in places) and all(len(some) == 1 for some in points):
            return Seats({1: places[:2], 2: places[2:]}, {1: points[0][0], 2: points[1][0]})
    return None


def _names(heading: str, pair: Sequence[str]) -> bool:
    """Whether a heading names both seats of a pair, in full, by their letters, or one behind the other."""
    words = words_of(heading)
    letters = [word[0] for word in pair]
    return any(set(way) <= set(words) for way in (pair, letters, ["".join(letters)], ["".join(pair)]))


def _each(headers: Sequence[str], cells: Mapping[int, Sequence[str]], kinds: Mapping[int, str]) -> Seats | None:
    """Return the seats of players who play each for himself, with a number behind every name under one heading.

    Three names or more, of people who take other seats in other rows.
    """
    stems = {at: tuple(word for word in words_of(header) if not word.isdigit()) for at, header in enumerate(headers)}
    found = [
        at for at in range(len(headers) - 1) if kinds[at] == "name" and kinds[at + 1] == "number" and stems[at + 1]
    ]
    of_seat = [{*stems[at + 1]} - {*stems[at]} for at in found]
    same = len(found) >= FEWEST and all(words == of_seat[0] for words in of_seat) and bool(of_seat[0])
    if not same or len({plain(headers[at]) for at in found}) < len(found):
        return None
    people = [set(map(identity, filled(cells[at]))) for at in found]
    if not all(any(one & other for other in people if other is not one) for one in people):
        return None
    told = [filled(some) for some in zip(*(cells[at + 1] for at in found), strict=True)]
    are_places = say_places([some for some in told if len(some) > 1])
    if are_places is None:
        return None
    players = {seat: [at] for seat, at in enumerate(found, 1)}
    return Seats(players, {seat: at + 1 for seat, at in enumerate(found, 1)}, are_places)
