"""Score sheets of a games night: a row for each game, and a column for each player with the points or places."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence, Set
from itertools import combinations, pairwise
from typing import NamedTuple

from elo_sheets.errors import UsageError
from elo_sheets.games import clean_name
from elo_sheets.readers._contents import is_date
from elo_sheets.readers._headings import named
from elo_sheets.readers._layout import Row
from elo_sheets.readers._rows import TOTALS
from elo_sheets.readers._words import plain, table

# A sheet of fewer players, or without a day or a game to each row, may be any table of numbers.
LEAST_PLAYERS, MOST = 3, 0.8
LEAST_COUNTED = 5  # rows
_NUMBER = re.compile(r"[-+−]?\d{1,9}(?:[.,]\d{1,6})?")
_PLACE = re.compile(r"\d{1,2}\.?\s?(?:st|nd|rd|th|ers?|re|e|eme|ème|o|a|º|ª|°|platz|\.)", re.I)
ABSENT = frozenset(table("cells")["absent"])
# What the row of each player's sum or mean begins with: `Ø Platz`, `Average points`.
_SUMMED = re.compile(
    r"(?:[ØøΣ∑∅⌀]|total|sum|summe|gesamt|average|avg|mean|durchschnitt|schnitt|moyenne|media|promedio|suma|somma|snitt|"
    r"gemiddelde?|gjennomsnitt|gennemsnit|genomsnitt|keskiarvo|średnia|průměr)(?![^\W\d_])[.:]?",
    re.I,
)
# Whole numbers up to the largest field of a race, of which the lowest is 1, may be places with gaps.
LARGEST_FIELD = 24
SERIALS = (36_526, 60_000)  # days of this century, as a sheet counts them
# What stands beside the players: headings that say so, and any text under one that names nothing of a game.
_BESIDE = {*table("rankings")["evening"]}
_TEXTS = _BESIDE | set("winner sieger location place host ort".split())
_NONE_OF_PLAYERS = {"white", "black", "owner", "opponent", "winner", "loser", "score", "colour"}


class Across(NamedTuple):
    """The column of each player, and whether its numbers are places, None where they may be places or points."""

    players: dict[str, int]
    are_places: bool | None


def across(headers: Sequence[str], rows: Sequence[Row], asked: bool = False) -> Across | None:
    """Return the players' columns of a score sheet, None for another table.

    With `asked` the user says that it is one, whatever else stands beside the players.

    All columns but those of the day, the game and remarks hold numbers or nothing, under headers that no other table
    has, and most rows have two of them or more. The numbers are places where each row's are 1, 2, … with ties, or where
    they are written as such: `1st`, `2e`.
    """
    known = [plain(header) for header in headers]
    rows = [row for row in rows if not is_of_totals(row) and any(map(str.strip, row.cells))]
    told = {at for at, name in enumerate(headers) if named(name) in {"date", "event"} or is_days_at(at, rows)}
    beside = told | {at for at, name in enumerate(known) if name in _TEXTS or _is_text(at, headers[at], rows)}
    beside |= {at for at in range(len(headers)) if _is_empty(at, rows) or (asked and _is_of_two(headers[at]))}
    if (number := min({*range(len(headers))} - beside, default=0)) < len(headers) and _counts(number, rows):
        beside.add(number)  # but no game, as a hole of golf is none
    if not (told or asked or _BESIDE & set(known)):
        return None
    players = {at: clean_name(header) for at, header in enumerate(headers) if at not in beside and known[at]}
    players = {at: name for at, name in players.items() if known[at] not in TOTALS and not _adds_up(at, players, rows)}
    names = {
        at: name for at, name in players.items() if not any(sign.isdigit() for sign in name) or "player" in known[at]
    }
    strange = len(names) < len(players) or any(_is_of_two(headers[at]) for at in players)
    if strange or len(players) < LEAST_PLAYERS or len(set(players.values())) < len(players):
        return None
    if _are_named_below([at for at in beside - told if known[at] not in _TEXTS], set(players.values()), rows):
        return None
    filled = [[text for at in players if (text := present(row.cell(at)))] for row in rows]
    texts = [text for some in filled for text in some]
    several = [some for some in filled if len(some) > 1]
    sound = [text for text in texts if _NUMBER.fullmatch(text) or _PLACE.fullmatch(text)]
    if not several or 2 * len(several) <= len(filled) or len(sound) < MOST * len(texts):
        return None
    return Across({name: at for at, name in players.items()}, say_places(several))


def asked_places(found: Across, mapped: Mapping[str, str]) -> bool | None:
    """Return whether `--map place=PLAYER` or `points=PLAYER` says that the numbers are places; None without it."""
    told = [(role, text) for role, text in mapped.items() if role in ("place", "points")]
    names = {plain(name) for name in found.players}
    if strange := next((f"{role}={text}" for role, text in told if plain(text) not in names), None):
        players = ", ".join(found.players)
        raise UsageError(f"expected place= or points= one of the players ({players}), got {strange!r}")
    return told[0][0] == "place" if told else None


def open_places(found: Across) -> str:
    """Return what to say where the numbers may be places or points."""
    one = shlex.quote(next(iter(found.players)))
    return (
        "expected places or points for each player, got small whole numbers, which may be either ({name}); "
        f"say which: --map place={one} where the lowest is first, --map points={one} where the highest is"
    )


def say_places(rows: Sequence[Sequence[str]]) -> bool | None:
    """Tell whether the cells of each row's players are places, None where that is open."""
    texts = [text for row in rows for text in row]
    if any(map(_PLACE.fullmatch, texts)):
        return True
    numbers = [[number_in(text) for text in row if _NUMBER.fullmatch(text)] for row in rows]
    if all(map(_are_places, numbers)):
        return True
    some = [number for row in numbers for number in row]
    may_be = min(some) == 1 and max(some) <= LARGEST_FIELD and all(number == int(number) for number in some)
    return None if may_be else False


def present(cell: str) -> str:
    """Return what a cell says of a player, nothing where it says that he was away."""
    return "" if cell.strip().casefold() in ABSENT else cell.strip()


def is_absent(cell: str) -> bool:
    """Tell whether a cell says that its player was not there."""
    return not present(cell)


def number_in(text: str) -> float:
    """Return the number that a text is, with a decimal comma or point, and any sign; raises `ValueError` for none."""
    return float(text.replace(",", ".").replace("−", "-"))


def _is_of_two(header: str) -> bool:
    """Tell whether a heading is one of a log of two sides, other than `Player 1`."""
    return bool(named(header)) and "player" not in plain(header)


def _is_empty(at: int, rows: Sequence[Row]) -> bool:
    """Tell whether nothing stands in a column, as in that of the remarks: who it may be played none of these games."""
    return not any(present(row.cells[at]) for row in rows if at < len(row.cells))


def _counts(at: int, rows: Sequence[Row]) -> bool:
    """Tell whether a column counts its rows, more of them than a player's places may by chance: 1, 2, 3, 4, 5."""
    cells = [row.cells[at].strip() for row in rows if at < len(row.cells)]
    if len(cells) < LEAST_COUNTED or not all(map(str.isdecimal, cells)):
        return False
    return all(int(other) == int(one) + 1 for one, other in pairwise(cells))


def _is_text(at: int, header: str, rows: Sequence[Row]) -> bool:
    """Tell whether a column holds texts alone, under a heading that tells of no side and no result."""
    cells = [text for row in rows if (text := present(row.cell(at)))]
    numbers = any(_NUMBER.fullmatch(text) or _PLACE.fullmatch(text) for text in cells)
    return bool(cells) and not numbers and named(header) not in _NONE_OF_PLAYERS


def _are_named_below(texts: Sequence[int], players: Set[str], rows: Sequence[Row]) -> bool:
    """Tell whether two columns of texts name the same people, others than the headings do: those are the players."""
    named_there = [{clean_name(row.cells[at]) for row in rows if at < len(row.cells)} - {""} for at in texts]
    return any(
        len(both := one & other) > 1 and 2 * len(both & players) < len(both)
        for one, other in combinations(named_there, 2)
    )


def is_of_totals(row: Row) -> bool:
    """Tell whether a row is one of sums or means, by its first words: `Total`, `Ø place`, or `5, Total`."""
    first = row.filled[:2]
    known = [plain(text) in TOTALS or _SUMMED.match(text) is not None for text in first]
    return bool(first) and (known[0] or (first[0].isdecimal() and known[-1]))


def is_days_at(at: int, rows: Sequence[Row]) -> bool:
    """Tell whether a column holds nothing but days, which a sheet counts in its first column as 45000 and so on."""
    cells = [(text, row) for row in rows if (text := row.cell(at))]
    if any(not text.isdecimal() and not is_date(text) and not is_of_totals(row) for text, row in cells):
        return False
    texts = [text for text, row in cells if not is_of_totals(row)]
    if all(map(str.isdecimal, texts)):
        days = list(map(int, texts))
        return at == 0 and bool(days) and SERIALS[0] <= days[0] and days[-1] <= SERIALS[1] and days == sorted(days)
    return all(map(is_date, texts))


def _adds_up(at: int, players: Mapping[int, str], rows: Sequence[Row]) -> bool:
    """Whether a column is the sum of all others in every row, as of the points that were played for."""
    cells = [{i: row.cells[i].strip() for i in players if i < len(row.cells)} for row in rows]
    numbers = [
        {i: number_in(text) for i, text in one.items() if _NUMBER.fullmatch(text)} for one in cells if one.get(at)
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
