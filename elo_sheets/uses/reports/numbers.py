"""A value as a cell shows it: the number formats of our styles, read as a spreadsheet reads them."""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

from elo_sheets.replaying.periods import LEAP_DAY
from elo_sheets.workbook.plan import CellValue
from elo_sheets.workbook.styles import CELL

_CONDITION = re.compile(r"\[(=|>=)(\d+)\](.*)")
_NUMBER = re.compile(r"0(?:\.(0+))?(%?)")
_LITERAL = re.compile(r'"([^"]*)"')
_DATE = {"yyyy": "%Y", "mm": "%m", "dd": "%d"}


def shown(value: CellValue, style: str) -> str:
    """Return what a cell of a style shows of a value: text as it is, a number or a day by the style's format."""
    if value is None or isinstance(value, str):
        return value or ""
    return number_as(float(value), str(CELL[style].get("num_format", "General")))


def number_as(value: float, form: str) -> str:
    """Return what a cell of a number format shows of a number.

    >>> number_as(-1234.25, "+0.0;-0.0;0.0"), number_as(1, "yyyy-mm-dd;;;@"), number_as(0.5, "0.0%")
    ('-1234.3', '1900-01-01', '50.0%')
    """
    first, *others = form.split(";")
    if (condition := _CONDITION.fullmatch(first)) is not None:
        sign, limit, then = condition.groups()
        holds = value == float(limit) if sign == "=" else value >= float(limit)
        return _section(value, then if holds else others[0])
    if others and value < 0:
        return _section(-value, others[0])
    if len(others) > 1 and value == 0:
        return _section(value, others[1])
    return _section(value, first)


def _section(value: float, form: str) -> str:
    if form in {"General", "@"}:
        return f"{value:.10g}"
    if "yyyy" in form:
        return _day(value).strftime(re.sub("|".join(_DATE), lambda match: _DATE[match[0]], form))
    text = _NUMBER.sub(lambda match: _digits(value, len(match[1] or ""), match[2]), form, count=1)
    return _LITERAL.sub(r"\1", text)


def _digits(value: float, places: int, per_cent: str) -> str:
    """Return a number with so many decimals, halves away from zero as spreadsheets have them."""
    number = Decimal(repr(value)) * (100 if per_cent else 1)
    return f"{number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP):f}{per_cent}"


def _day(serial: float) -> date:
    """Return the day of a number of days; spreadsheets count a 29th of February of 1900 that there never was."""
    return date(1899, 12, 31 if serial < LEAP_DAY else 30) + timedelta(days=int(serial))
