"""Days that leave their year to a title, as `28.10.` below `Season 2023/24` does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from elo_sheets.readers._across import is_of_totals
from elo_sheets.readers._dates import month_named
from elo_sheets.readers._layout import Arranged, Row, is_heading
from elo_sheets.readers._words import plain, table

MOST = 0.8  # of the days must have no year
YEARLESS = re.compile(r"(\d{1,2})\s?([./])\s?(\d{1,2})\.?")
NAMED = re.compile(r"(\d{1,2})(?:\.?\s+|-)([^\W\d_]{3,})\.?|([^\W\d_]{3,})\.?\s+(\d{1,2})(?:st|nd|rd|th)?")
SEASON = re.compile(r"(?<!\d)((?:19|20)\d\d)\s*[-/–]\s*((?:19|20)?\d\d)(?!\d)")
MONTH = re.compile(
    r"(?P<name>[^\W\d_]{3,})\.?[\s\-/]*(?P<year>(?:19|20)\d\d)|(?P<first>(?:19|20)\d\d)[-_./](?P<month>0\d|1[0-2])"
)
SHORT = re.compile(r"(?P<name>[^\W\d_]{3,})\.?[\s\-/]*['’]?(?P<year>[0-4]\d)")  # Jan 24
YEAR = re.compile(r"(?<![\d.])((?:19|20)\d\d)(?![\d.])")
WEEKDAYS = frozenset(map(plain, table("days")["weekdays"]))
SUMMER = {6, 7, 8}


def with_years(rows: Sequence[Row], header: int, at: int) -> Arranged:
    """Return rows whose days, in the column `at`, have the years that a title tells; and a remark.

    `header` is the place of the row of headings, above which titles stand; rows that need none come back as they are.
    """
    days = {place: row.cells[at].strip() for place, row in enumerate(rows) if place > header and at < len(row.cells)}
    days = {place: _bare(text) for place, text in days.items() if text and sum(map(bool, rows[place].cells)) > 1}
    found, notes = _in_months(rows, header, at, days, _months_above(rows, header))
    if notes:
        return found, notes
    titles = [" ".join(row.cells).strip() for row in rows[:header]]
    day_first = _is_day_first(days.values())
    months = {place: month for place, text in days.items() if (month := _month(text, day_first))}
    if not months or len(months) < MOST * len(days):
        return rows, []
    for title in titles:
        years, said = _years(title, months)
        if years:
            told = {place: _with_year(days[place], year) for place, year in years.items()}
            return _replaced(rows, at, told), [f"days without a year are of {said}, as {title!r} tells"]
    return rows, []


def _bare(text: str) -> str:
    """Return a day without its weekday: 3.6. for `Mon 3.6.`."""
    word, _, rest = text.partition(" ")
    return rest.strip() if rest[:1].isdigit() and plain(word) in WEEKDAYS else text


def _replaced(rows: Sequence[Row], at: int, told: Mapping[int, str]) -> list[Row]:
    return [row.put(at, told[place]) if place in told else row for place, row in enumerate(rows)]


def _months_above(rows: Sequence[Row], header: int) -> dict[int, str]:
    """Return the months that titles tell of the rows below each: one above the header, and headings between games."""
    months: dict[int, str] = {}
    for place, row in enumerate(rows):
        if place < header or is_heading(row.cells):
            text = next((text for cell in row.cells if (text := cell.strip())), "")
            month = _month_in(" ".join(row.cells).strip() if place < header else text)
            if month and (place > header or not months):
                months[place] = month
    counted = [12 * int(month[:4]) + int(month[5:]) for month in months.values()]
    steps = [other - one for one, other in pairwise(counted)]
    # Within a year, one way round: `May 12` and `May 19` are days.
    sound = all(0 < step <= 12 for step in steps) or all(-12 <= step < 0 for step in steps)
    return months if sound else {}


def _in_months(
    rows: Sequence[Row], header: int, at: int, days: Mapping[int, str], months: Mapping[int, str]
) -> Arranged:
    """Return rows whose days, numbers alone, are those of the months in the titles above them; and a remark.

    The titles between games, which tell nothing else, are taken out.
    """
    days = {place: text for place, text in days.items() if not (rows[place].fault or is_of_totals(rows[place]))}
    if not days or not months or min(days) < min(months):
        return rows, []
    of = {place: max(title for title in months if title < place) for place in days}
    parts = [[text for place, text in days.items() if of[place] == title] for title in months]
    if not all(_are_of_a_month(part, counted=len(months) > 1) for part in parts if part):
        return rows, []
    found = _replaced(rows, at, {place: f"{months[of[place]]}-{int(text):02}" for place, text in days.items()})
    title = " ".join(rows[next(iter(months))].cells).strip()
    more = f" and {len(months) - 1} more titles tell" if len(months) > 1 else " tells"
    said = f"the days in {rows[header].cells[at].strip()!r} are those of a month, as {title!r}{more}"
    return [row for place, row in enumerate(found) if place <= header or place not in months], [said]


def _are_of_a_month(days: Sequence[str], counted: bool) -> bool:
    """Whether texts are the numbers of days, in order.

    Those of a tournament are counted through, from the first on; so are those of one of many months, `counted`.
    """
    numbers = [int(text) if text.isdecimal() else 0 for text in days]
    fit = set(numbers) <= set(range(1, 32)) and (counted or set(numbers) != set(range(1, max(numbers) + 1)))
    return fit and numbers in (sorted(numbers), sorted(numbers, reverse=True))


def _month_in(title: str) -> str:
    """Return the month that a title names with its year, which may be short where nothing else is told; else nothing.

    >>> _month_in("Results May 2025"), _month_in("2025-05"), _month_in("May '25"), _month_in("Cup 2025")
    ('2025-05', '2025-05', '2025-05', '')
    """
    if (match := SHORT.fullmatch(title)) and (month := month_named(match["name"])):
        return f"20{match['year']}-{month:02}"
    for match in MONTH.finditer(title):
        if match["first"]:
            return f"{match['first']}-{match['month']}"
        if month := month_named(match["name"]):
            return f"{match['year']}-{month:02}"
    return ""


def _years(title: str, months: dict[int, int]) -> tuple[dict[int, int], str]:
    """Return the year of each day by a title, none where it tells of none, or of one that days run out of."""
    if (season := SEASON.search(title)) and (int(season[1]) + 1) % 100 == int(season[2][-2:]):
        first = int(season[1])
        later = _second_year(list(months.values()))
        years = {place: first + second for place, second in zip(months, later, strict=True)} if later else {}
        return years, f"{first} and {first + 1}"
    some = list(months.values())
    if (year := YEAR.search(title)) and some in (sorted(some), sorted(some, reverse=True)):
        return dict.fromkeys(months, int(year[1])), year[1]
    return {}, ""


def _second_year(months: Sequence[int]) -> list[bool]:
    """Return which days of a season are of its second year, nothing where that is open.

    Seasons begin in autumn and end in spring. Where games were played in summer, too, the turn of the year is where the
    months fall once from row to row, or rise once where the newest games stand first.
    """
    if not SUMMER & set(months):
        return [month < min(SUMMER) for month in months]
    for order in (1, -1):
        steps = [one > other for one, other in pairwise(months[::order])]
        turn = steps.index(True) + 1 if sum(steps) == 1 else 0
        if turn and max(months[::order][turn:]) <= min(months[::order][:turn]):  # within a year
            return [place >= turn for place in range(len(months))][::order]
    return []


def is_yearless(text: str) -> bool:
    """Whether a text may be a day that leaves its year to a title.

    >>> is_yearless("28.10."), is_yearless("Oct 28"), is_yearless("28 men"), is_yearless("28.10.2024")
    (True, True, False, False)
    """
    match = YEARLESS.fullmatch(text)
    return _month(text, None) is not None or (match is not None and {int(match[1]), int(match[3])} <= set(range(1, 32)))


def _is_day_first(days: Iterable[str]) -> bool | None:
    """Return whether the day stands before the month in a column, None where a stroke parts them and none tells."""
    parts = [(int(match[1]), int(match[3])) for text in days if (match := YEARLESS.fullmatch(text))]
    first, second = (any(part[at] > 12 for part in parts) for at in (0, 1))
    return None if first == second else first


def _month(text: str, day_first: bool | None) -> int | None:
    """Return the month of a day without a year, None for another text, or where the day may be the month."""
    if match := NAMED.fullmatch(text):
        return month_named(match[2] or match[3])
    match = YEARLESS.fullmatch(text)
    if match is None:
        return None
    if match[2] == ".":
        day_first = True
    month = None if day_first is None else int(match[3 if day_first else 1])
    return month if month in range(1, 13) else None


def _with_year(text: str, year: int) -> str:
    match = YEARLESS.fullmatch(text)
    return f"{match[1]}{match[2]}{match[3]}{match[2]}{year}" if match else f"{text} {year}"
