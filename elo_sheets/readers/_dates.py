"""Dates as people and programs write them, and the one decision that a column shares: day or month first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Literal

from elo_sheets._late import np
from elo_sheets.errors import UnreadableInput
from elo_sheets.readers._words import plain, table

Order = Literal["dmy", "mdy", "ymd"]

# A games table counts in nanoseconds, which begin in 1677; a day after 2100 is a slip in books too.
FIRST_YEAR, LAST_YEAR = 1678, 2100
SERIALS = (20_000, 60_000)
PIVOT = 50

YEAR_LONG = 12  # months, by which the names of `words.toml` are counted
SHORTEST_MONTH = 3  # letters

CLOCK = (
    r"(?:[T ,]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
    r"\s*(?P<half>[ap]\.?m\.?)?\s*(?:(?P<zone>[+-]\d{2}:?\d{2})|(?:utc|gmt)[+-]\d{1,2}(?::?\d{2})?|z|utc|[a-z]{1,4}t|msk)?)?"
)
OF_YEAR = r"(?:\s?(?:r|roku|г|года)\b\.?)?"  # as Poles and Russians write behind a year
YEAR = r"(?P<year>\d{4}|\d{2})"
NAME = r"(?P<name>[^\W\d_]{3,})"
DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
SEPARATOR = r"(?P<separator>[-/.])"
YEAR_FIRST = re.compile(
    rf"(?P<year>\d{{4}}){SEPARATOR}\s?(?P<month>\d{{1,2}})(?P=separator)\s?(?P<day>\d{{1,2}})\.?{CLOCK}", re.I
)
ISO_DAY = re.compile(r"(?:1[7-9]|20)[0-9]{2}([-./])(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12][0-9]|3[01])")
COMPACT = re.compile(rf"(?P<year>1[6-9]\d\d|2[01]\d\d)(?P<month>\d\d)(?P<day>\d\d){CLOCK}", re.I)
ISO_WEEK = re.compile(r"(\d{4})-?W(\d\d)(?:-?([1-7]))?")  # a week counts by its Monday, or its day
SCANDINAVIAN = re.compile(r"\b(\d{1,2})/(\d{1,2})-(\d{4}|\d\d)\b")  # 1/3-2024, the day first
BLANK_YEAR = re.compile(r"\b(\d{1,2})/(\d{1,2}) (\d{4})\b")  # 14/1 2024, as Swedes write
NUMBERS = re.compile(
    rf"(?P<a>\d{{1,2}}){SEPARATOR}\s?(?P<b>\d{{1,2}})(?P=separator)\s?(?P<c>\d{{4}}|\d{{2}}){OF_YEAR}{CLOCK}", re.I
)
DAY_NAMED = re.compile(rf"{DAY}[-. /]*(?:de |of )?{NAME}[-., /]*(?:de |of )?{YEAR}{OF_YEAR}{CLOCK}", re.I)
# Jan 21, 2015, but not Jan 21-15, which is how somebody won.
NAMED_DAY = re.compile(rf"{NAME}(?![. ]+\d{{1,2}}[-/]\d\d(?!\d))[-. /]*{DAY}[-, /]+{YEAR}{CLOCK}", re.I)
YEAR_NAMED = re.compile(rf"(?P<year>\d{{4}})[-. /]+{NAME}[-. /]+{DAY}{CLOCK}", re.I)
NAMED = (DAY_NAMED, NAMED_DAY, YEAR_NAMED)
WEEKDAY = re.compile(r"[^\W\d_]{2,10}[.,]?\s+(?=\d)|[^\W\d_]{2,10},\s+")
NO_YEAR = re.compile(r"\d{1,2}\s?[./]\s?\d{1,2}\.?")
PARTIAL = re.compile(r"[\d?]{4}(?:[-./][\d?]{1,2}){0,2}|[?./ -]+|\d{1,2}[-/.]\d{4}")
SERIAL = re.compile(r"\d{5}(?:[.,]\d+)?")
TIME_OF_DAY = re.compile(CLOCK.replace("[T ,]+", "[T ,]*"), re.I)

SIGNS_OF_A_DAY = str.maketrans({"年": "-", "月": "-", "日": " "})  # 2024年5月17日
EMPTY = frozenset({"", "?", "-", "na", "n/a", "nan", "nat", "none", "null"})


def is_partial(text: str) -> bool:
    """Tell whether `text` is a date of which the day or more is unknown, such as `1997.??.??` or `1997`."""
    if ISO_DAY.fullmatch(text):
        return False
    found = YEAR_FIRST.fullmatch(text)
    return int(found["month"]) == 0 or int(found["day"]) == 0 if found else PARTIAL.fullmatch(text) is not None


def read_date(text: str, order: Order | None = None) -> datetime | None:
    """Return the day that `text` names, with its time of day if it has one; None when it is empty or partial.

    `order` reads numbers such as 1/2/2024; a year of four digits in front and a month's name need none. Times with an
    offset such as +02:00 are turned into UTC; beside the name of a zone, as in Google's forms, the clock counts as it
    stands, which is what their spreadsheet shows. Raises `ValueError` when `text` is not a date or not a possible one.

    >>> read_date("3 Feb 2024")
    datetime.datetime(2024, 2, 3, 0, 0)
    >>> read_date("1997.??.??") is None
    True
    """
    if ISO_DAY.fullmatch(text):
        return _day(text[:4], text[5:7], text[8:])
    text = _usual(text.translate(SIGNS_OF_A_DAY))
    if text.casefold() in EMPTY:
        return None
    if is_partial(text):
        return None
    if found := YEAR_FIRST.fullmatch(text) or COMPACT.fullmatch(text):
        return _moment(found, found["year"], found["month"], found["day"])
    if found := ISO_WEEK.fullmatch(text):
        return datetime.fromisocalendar(int(found[1]), int(found[2]), int(found[3] or 1))
    if SERIAL.fullmatch(text):
        return _from_serial(float(text.replace(",", ".")))
    for bare in (text, WEEKDAY.sub("", text, count=1)):
        if found := NUMBERS.fullmatch(bare):
            return _from_numbers(found, order)
        for pattern in NAMED:
            if (found := pattern.fullmatch(bare)) and (month := month_named(found["name"])):
                return _moment(found, found["year"], str(month), found["day"])
    if NO_YEAR.fullmatch(text):
        raise ValueError("a day without a year; write it as 2024-12-31, or Season 2024/25 into a line above the header")
    raise ValueError("not a date that can be read; write it as 2024-12-31")


def _usual(text: str) -> str:
    """Return a day of numbers as most people write it, with the same sign before the year as before the month."""
    return BLANK_YEAR.sub(r"\1/\2/\3", SCANDINAVIAN.sub(r"\1.\2.\3", " ".join(text.split())))


def iso_days(texts: Sequence[str]) -> list[datetime] | None:
    """Return what `read_date` gives of texts all of which are days with the year first, many at once; else None.

    >>> iso_days(["2024-02-03", "2024-02-29"])
    [datetime.datetime(2024, 2, 3, 0, 0), datetime.datetime(2024, 2, 29, 0, 0)]
    """
    if not all(map(ISO_DAY.fullmatch, texts)):
        return None
    try:
        days = np.array([text.replace("/", "-").replace(".", "-") for text in texts], dtype="datetime64[s]")
    except ValueError:  # a day that the calendar has not
        return None
    found: list[datetime] = days.tolist()
    return found


def read_clock(text: str) -> timedelta | None:
    """Return the time of day that `text` names, None when it names none."""
    found = TIME_OF_DAY.fullmatch(text.strip())
    if found is None or found["hour"] is None:
        return None
    try:
        return _clock(found)
    except ValueError:
        return None


def possible_orders(text: str) -> frozenset[Order]:
    """Return which of day-first and month-first make a date of numbers such as 13/2/2024, if any."""
    if ISO_DAY.fullmatch(text):
        return frozenset()
    text = _usual(text)
    found = NUMBERS.fullmatch(WEEKDAY.sub("", text, count=1))
    if found is None or found["separator"] == ".":
        return frozenset()
    orders: set[Order] = set()
    for order in ("dmy", "mdy"):
        try:
            _from_numbers(found, order)
        except ValueError:
            continue
        orders.add(order)
    return frozenset(orders)


class RememberedWord(str):
    """What a book remembers of `--dates` or `--sheet`: it counts where a log leaves it open."""

    __slots__ = ()


def remembered_order(rows: Iterable[str], dates: str | None) -> str:
    """Return the remark on a column whose dates are read in the order that a book remembers, nothing elsewhere."""
    if not isinstance(dates, RememberedWord) or iso_days(list(rows)) is not None:
        return ""
    proofs, doubtful = _proofs(rows)
    if proofs or not doubtful:
        return ""
    return f"the dates, such as {doubtful!r}, are read as {dates}, which the book remembers; --dates says otherwise"


def order_of_column(column: str, rows: Mapping[str, int], source: str, dates: Order | None = None) -> Order | None:
    """Return the order of day and month that is told, or else that a column's values prove; None when none needs it.

    `rows` gives every distinct text and the first row that has it. `dates` counts before what the values prove, unless
    a book remembers it: then it decides where they prove nothing. Raises `UnreadableInput` when the values prove both
    orders, or none where it matters and none is known.
    """
    if dates is not None and not isinstance(dates, RememberedWord):
        return dates
    proofs, doubtful = _proofs(rows)
    if len(proofs) == 2:
        day, month = proofs["dmy"], proofs["mdy"]
        raise UnreadableInput(
            f"the dates of column {column!r} mix two orders: {day!r} (row {rows[day]}) has the day first, "
            f"{month!r} (row {rows[month]}) the month ({source}); correct the column, or give --dates "
            f"dmy|mdy "
            "to keep the rows of one order"
        )
    if proofs:
        return next(iter(proofs))
    if doubtful and dates is None:
        raise UnreadableInput(
            f"expected dates that can be read in one way only, got {doubtful!r} ({source}, row "
            f"{rows[doubtful]}, "
            f"column {column!r}); say which comes first with --dates dmy|mdy|ymd"
        )
    return dates


def _proofs(texts: Iterable[str]) -> tuple[dict[Order, str], str]:
    """Return the orders that texts prove, each with the first that does, and the first that two orders read apart."""
    proofs: dict[Order, str] = {}
    doubtful = ""
    for text in texts:
        orders = possible_orders(text)
        if len(orders) == 1:
            proofs.setdefault(next(iter(orders)), text)
        elif orders and not doubtful and read_date(text, "dmy") != read_date(text, "mdy"):
            doubtful = text
    return proofs, doubtful


def month_named(name: str) -> int | None:
    """Return the month of a name in one of many languages, or of how it begins; None for another word.

    >>> month_named("März"), month_named("Sept"), month_named("Mark")
    (3, 9, None)
    """
    return _months().get(plain(name))


@lru_cache(maxsize=1)
def _months() -> dict[str, int]:
    """Return the month of each name and of how each begins: whole names first, then the earlier ones."""
    names = [(name, at % YEAR_LONG + 1) for at, name in enumerate(map(plain, table("days")["months"]))]
    found = dict(reversed(names))
    for name, month in names:
        for end in range(SHORTEST_MONTH, len(name)):
            found.setdefault(name[:end], month)
    return found


def _from_numbers(found: re.Match[str], order: Order | None) -> datetime:
    a, b, c = found["a"], found["b"], found["c"]
    if order == "ymd":
        if len(c) == 4:
            raise ValueError("not a date with the year first, as --dates ymd asks")
        return _moment(found, a, b, c)
    if order == "mdy":
        return _moment(found, c, a, b)
    return _moment(found, c, b, a)


def _from_serial(days: float) -> datetime:
    if not SERIALS[0] <= days <= SERIALS[1]:
        raise ValueError("not a date that can be read; write it as 2024-12-31")
    return datetime(1899, 12, 30) + timedelta(seconds=round(days * 86_400))


def _moment(found: re.Match[str], year: str, month: str, day: str) -> datetime:
    midnight = _day(year, month, day)
    if found["hour"] is None:
        return midnight
    moment = midnight + _clock(found)
    zone = (found["zone"] or "").replace(":", "")
    if zone:
        moment = datetime.strptime(f"{moment:%Y-%m-%d %H:%M:%S} {zone}", "%Y-%m-%d %H:%M:%S %z")
        return moment.astimezone(UTC).replace(tzinfo=None)
    return moment


def _day(year: str, month: str, day: str) -> datetime:
    full_year = int(year) if len(year) == 4 else int(year) + (1900 if int(year) > PIVOT else 2000)
    if not FIRST_YEAR <= full_year <= LAST_YEAR:
        raise ValueError(f"a year outside {FIRST_YEAR} to {LAST_YEAR}")
    try:
        return datetime(full_year, int(month), int(day))
    except ValueError:
        raise ValueError("an impossible date: the calendar has no such day") from None


def _clock(found: re.Match[str]) -> timedelta:
    hour, minute, second = int(found["hour"]), int(found["minute"]), int(found["second"] or 0)
    half = (found["half"] or "").casefold()
    if (half and not 1 <= hour <= 12) or hour > 23 or minute > 59 or second > 59:
        raise ValueError("an impossible time of day")
    if half:
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    return timedelta(hours=hour, minutes=minute, seconds=second)
