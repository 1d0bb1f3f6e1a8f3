"""Score sheets of a games night: a row for each game, and a column for each player with the points or places."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from elo_sheets.games import clean_name
from elo_sheets.readers._contents import is_date
from elo_sheets.readers._headings import named
from elo_sheets.readers._layout import Row
from elo_sheets.readers._rows import TOTALS
from elo_sheets.readers._words import plain

# A sheet of fewer players, or without a day or a game to each row, may be any table of numbers.
LEAST_PLAYERS = 3
_NUMBER = re.compile(r"[-+]?\d{1,9}(?:[.,]\d{1,6})?")
_BESIDE = {
    "game",
    "gameno",
    "gamenumber",
    "gameid",
    "match",
    "round",
    "no",
    "nr",
    "spiel",
    "runde",
    "partie",
    "partida",
    "week",
    "woche",
}
_TEXTS = _BESIDE | {"winner", "notes", "note", "comment", "comments", "location", "place", "host", "boardgame", "ort"}
_TEXTS |= {"kommentar", "bemerkung", "sieger", "spielname"}


_PLACE = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er|re|ere|e|eme|ème|º|ª|\.)", re.I)
_ABSENT = frozenset({"", "-", "–", "—", "x", "abs", "n/a", "dnp", "dns"})


class Across(NamedTuple):
    """The column of each player, and whether its numbers are places."""

    players: dict[str, int]
    are_places: bool


def across(headers: Sequence[str], rows: Sequence[Row]) -> Across | None:
    """Return the players' columns of a score sheet, None for another table.

    All columns but those of the day, the game and remarks hold numbers or nothing, under headers that no other table
    has, and a row has two of them or more. The numbers are places where each row's are 1, 2, … with ties.
    """
    known = [plain(header) for header in headers]
    rows = [row for row in rows if not is_of_totals(row)]
    told = {at for at, name in enumerate(known) if named(name) in {"date", "event"}}
    told |= {at for at, name in enumerate(headers) if not name.strip() and is_days_at(at, rows)}
    told |= {at for at in range(len(headers)) if is_days_at(at, rows)}
    cells = {at: [row.cells[at] for row in rows if at < len(row.cells)] for at in range(len(headers))}
    beside = told | {at for at, name in enumerate(known) if name in _TEXTS or is_text(cells[at])}
    if not (told or _BESIDE & set(known)):
        return None
    players = {at: clean_name(header) for at, header in enumerate(headers) if at not in beside and header.strip()}
    players = {at: name for at, name in players.items() if known[at] not in TOTALS and not _adds_up(at, players, rows)}
    names = {
        at: name for at, name in players.items() if not any(sign.isdigit() for sign in name) or "player" in known[at]
    }
    strange = len(names) < len(players) or any(named(headers[at]) and "player" not in known[at] for at in players)
    if strange or len(players) < LEAST_PLAYERS or len(set(players.values())) < len(players):
        return None
    filled = [
        [text for at in players if at < len(row.cells) and not is_absent(text := row.cells[at].strip())]
        for row in rows
        if any(cell.strip() for cell in row.cells)
    ]
    if not filled or any(not (_NUMBER.fullmatch(text) or _PLACE.fullmatch(text)) for texts in filled for text in texts):
        return None
    filled = [texts for texts in filled if texts]
    if any(len(texts) < 2 for texts in filled):
        return None
    numbers = [[float(_PLACE.sub(r"\1", text).replace(",", ".")) for text in texts] for texts in filled]
    places = all(map(_are_places, numbers))
    if not places and any(_PLACE.fullmatch(text) for texts in filled for text in texts):
        return None
    if not places and sum(_may_be_places(some) for some in numbers) > len(numbers) / 2:
        return None  # places of a larger field, or points
    return Across({name: at for at, name in players.items()}, places)


def is_of_totals(row: Row) -> bool:
    """Tell whether a row is one of sums or means, by its first word."""
    return plain(next((cell for cell in row.cells if cell.strip()), "")) in TOTALS


def is_absent(text: str) -> bool:
    """Tell whether a cell says that its player was not there."""
    return text.casefold().rstrip(".") in _ABSENT


def is_text(cells: Sequence[str]) -> bool:
    """Tell whether a column holds words alone, such as the names of the games."""
    some = [cell.strip() for cell in cells if not is_absent(cell.strip())]
    return bool(some) and not any(cell[0].isdigit() or cell[0] in "+-" for cell in some)


def _may_be_places(numbers: Sequence[float]) -> bool:
    """Whether numbers may be places among more than these players: whole, from 1 on, the first among them."""
    return min(numbers) == 1 and all(number == int(number) for number in numbers) and max(numbers) <= 4 * len(numbers)


def is_days_at(at: int, rows: Sequence[Row]) -> bool:
    """Tell whether a column holds nothing but days."""
    cells = [row.cells[at] for row in rows if at < len(row.cells) and row.cells[at].strip() and not is_of_totals(row)]
    return bool(cells) and all(map(is_date, cells))


def _adds_up(at: int, players: Mapping[int, str], rows: Sequence[Row]) -> bool:
    """Whether a column is the sum of all others in every row, as of the points that were played for."""
    cells = [{i: row.cells[i].strip() for i in players if i < len(row.cells)} for row in rows]
    numbers = [
        {i: float(text.replace(",", ".")) for i, text in one.items() if _NUMBER.fullmatch(text)}
        for one in cells
        if one.get(at)
    ]
    return len(numbers) > 1 and all(
        len(one) > 2 and at in one and one[at] and abs(sum(one.values()) - 2 * one[at]) < 1e-6 for one in numbers
    )


def _are_places(numbers: Sequence[float]) -> bool:
    """Whether numbers are the places of one game: each is one more than the number of those before it, or dense.

    >>> _are_places([1, 2, 2, 4]), _are_places([2, 1, 2]), _are_places([10, 7, 7])
    (True, True, False)
    """
    ranks = {number: 1 + sum(other < number for other in numbers) for number in numbers}
    dense = {number: at for at, number in enumerate(sorted(set(numbers)), 1)}
    return all(ranks[number] == number for number in numbers) or all(dense[number] == number for number in numbers)
