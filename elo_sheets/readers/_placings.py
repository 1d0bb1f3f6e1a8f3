"""Placings on numbered lines below each other, as `1. Ann 18:02`, each list below a title, as columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from elo_sheets.readers._above import above
from elo_sheets.readers._layout import Arranged, Row
from elo_sheets.readers._text import identity

HEADINGS = ["Place", "Player", "Points"]
NO_PLACE = "a line between placings that tells no place"
FEWEST = 2  # lists, and lines of each
NUMBERED = re.compile(r"[=tT]?(?P<place>\d{1,3})\s?(?:[.):=]|st|nd|rd|th|er|e|º|ª)?\s*[-–—]?\s+(?P<who>[^\W\d_].*)")
# What a line tells behind the name: points, or a time.
MEASURED = re.compile(
    r"(?P<name>.*?[^\s,:;(–—-])[\s,:;–—-]+\(?(?:(?P<points>[-+−]?\d+(?:[.,]\d+)?)|\d[\d:.,'h]*)\s?[^\W\d_]{0,7}\.?\)?"
)


def placings(rows: Sequence[Row]) -> Arranged:
    """Return numbered lines as rows of a place and a player, with headings above each title; other rows as they are.

    Each list begins with the first place, and no later line of it has an earlier place than the one before.
    """
    if max((len(row.cells) for row in rows), default=0) != 1:
        return rows, []
    texts = [row.cells[0].strip() for row in rows]
    lines = [
        None if row.fault or above(text) else NUMBERED.fullmatch(text) for row, text in zip(rows, texts, strict=True)
    ]
    lists: list[list[int]] = []
    last = 0
    for at, line in enumerate(lines):
        if line is None:
            last = 0
            continue
        if line["place"] == "1" and last != 1:
            lists.append([])
        elif not lists or int(line["place"]) < last:
            return rows, []
        lists[-1].append(at)
        last = int(line["place"])
    told = _told([[line["who"].strip() for at in some if (line := lines[at])] for some in lists])
    if len(lists) < FEWEST or not told or min(map(len, lists)) < FEWEST:
        return rows, []
    cells = {
        at: [line["place"], *one]
        for at, one in zip((at for some in lists for at in some), told, strict=True)
        if (line := lines[at])
    }
    titles = [
        _title(rows, before[-1] + 1 if before else 0, some[0])
        for before, some in zip([[], *lists], lists, strict=False)
    ]
    ranges = {at for title, some in zip(titles, lists, strict=True) for at in range(title, some[0])}
    found: list[Row] = []
    for at, row in enumerate(rows):
        found += [Row(row.line, HEADINGS)] if at in titles else []
        fault = row.fault or ("" if at in cells or at in ranges else NO_PLACE)
        found.append(row._replace(cells=cells.get(at, [texts[at], "", ""]), fault=fault))
    return found, [f"numbered lines were read as places, as {texts[lists[0][0]]!r}"]


def _title(rows: Sequence[Row], begin: int, end: int) -> int:
    """Return where the title of a list begins that stands between two lists: behind an empty line, or with its day."""
    for at in range(begin, end):
        if not begin or above(rows[at].cells[0], yearless=True) or rows[at].line > rows[at - 1].line + 1:
            return at
    return end


def _told(lists: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """Return the names and points of all lines; nothing where these are not people who come again, once in a list.

    A number behind the name is a part of it where the same name would stand twice in a list without it.
    """
    parted = [[_parted(text) for text in some] for some in lists]
    for told in (parted, [[(text, "") for text in some] for some in lists]):
        keys = [{identity(name) for name, _ in some} for some in told]
        again = all(one & set().union(*keys[:at], *keys[at + 1 :]) for at, one in enumerate(keys))
        if again and all(len(one) == len(some) for one, some in zip(keys, told, strict=True)):
            return [one for some in told for one in some]
    return []


def _parted(text: str) -> tuple[str, str]:
    match = MEASURED.fullmatch(text)
    return (match["name"], (match["points"] or "").removeprefix("+")) if match else (text, "")
