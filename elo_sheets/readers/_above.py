"""What a line above games tells of them: their day and round, as `Round 2 (19 January 2024)` and `Monday 4.3.2024` do.

A line counts as such where nothing else stands in it, so that `Printed on 4.3.2024` gives no game a day.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from elo_sheets.readers._contents import is_date
from elo_sheets.readers._headings import WORDS, named, words_of
from elo_sheets.readers._words import plain
from elo_sheets.readers._years import WEEKDAYS, is_yearless

LONGEST_DAY = 5  # words of a day
LONGEST = 80
ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th|[aeo]|er|re|[eè]me|[ªº°])(?![^\W_])", re.I)  # 5th round, 5ª giornata
CLOCK = re.compile(r"(?:\b[^\W\d_]{1,5}\.?\s+)?\b\d{1,2}[:.h]\d\d\b")  # behind a day: at 10:00, godz. 10:00


class Above(NamedTuple):
    """The day and the round that a line tells, empty where it does not."""

    day: str
    round: str


def above(text: str, yearless: bool = False) -> Above | None:
    """Return what a line tells of the games below it, None for a line that says anything else.

    With `yearless` a day that leaves its year to a title counts, too, and other words behind a round and its day.

    >>> above("Round 2 (19 January 2024)"), above("Montag, 4. März 2024"), above("Printed on 4.3.2024")
    (Above(day='19 January 2024', round='2'), Above(day='4. März 2024', round=''), None)
    >>> above("*Round 2* - 19/1", yearless=True)
    Above(day='19/1', round='2')
    """
    if len(text) > LONGEST:
        return None
    day, rest = _day(text)
    if not day and yearless:
        day, rest = _day(text, is_yearless)
    rest = ORDINAL.sub("", CLOCK.sub("", rest, count=1) if day else rest)
    tokens = re.findall(r"\d+|[^\W\d_]+", rest)
    numbers = [token for token in tokens if token.isdigit()]
    words = [token for token in tokens if not token.isdigit() and not (day and plain(token) in WEEKDAYS)]
    kinds = [_kinds(word) for word in words]
    is_round = any("round" in some for some in kinds)
    known = {"round", "date", "day"} | ({"nothing"} if day else set())
    if not all(known & some and "strange" not in some for some in kinds):
        # Behind a round and its day anything may stand, as who leads the home team.
        told = above(text[: text.find(day)]) if day and yearless else None
        return Above(day, told.round) if told is not None and told.round else None
    if len(numbers) > 1 or bool(numbers) != is_round or not (day or is_round):
        return None
    return Above(day, numbers[0] if numbers else "")


def _kinds(word: str) -> set[str]:
    if named(word) == "round":
        return {"round"}
    return {kind for part in words_of(word) for kind in WORDS.get(part, ("strange",))}


def day_in(text: str) -> str:
    """Return the day that stands in a text, nothing without one."""
    return _day(text)[0]


def _day(text: str, is_day: Callable[[str], bool] = is_date) -> tuple[str, str]:
    """Return the day that stands in a text, nothing without one, and the text without it."""
    words = list(re.finditer(r"[^\s()\[\]|*_]+", text))
    for size in range(min(LONGEST_DAY, len(words)), 0, -1):
        for at in range(len(words) - size + 1):
            begin, end = words[at].start(), words[at + size - 1].end()
            day = text[begin:end].strip(" ,;:–—")
            first, _, rest = day.partition(" ")
            is_whole = any(map(str.isdigit, first)) or not is_day(rest)  # without a weekday in front
            if is_whole and any(map(str.isdigit, day)) and is_day(day):
                return day, f"{text[:begin]} {text[end:]}"
    return "", text
