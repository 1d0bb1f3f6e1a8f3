"""Settings as they are typed, and as the book uses them: a cell that is not understood leaves the last good value.

On Start a setting has two more cells, in hidden columns. *Read* is what stands in the yellow cell as a number, or as a
word; *used* is that where the setting may have it, else the value that the book was made with. All formulas read what
is used, by the name of the setting. Where the two differ, the explanation beside the yellow cell says in red what is
expected, and Check counts it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from elo_sheets.files.references import column_letters
from elo_sheets.formula import number_text
from elo_sheets.systems import Parameter
from elo_sheets.workbook.layout import number_or, text_of
from elo_sheets.workbook.plan import CellPlan, CellValue, Highlight, Validation

TYPED, ABOUT, USED, READ = 3, 4, 5, 6  # columns of Start
# Digits of a number that is text; all programs hold as many exactly.
DIGITS = 14
_NUMBER = re.compile(r"([0-9]*)[.,]?([0-9]*)")


def read_setting(parameter: Parameter, typed: CellValue) -> CellValue:
    """Return what a typed cell says: a number, a word without blanks around it, or empty text for no number.

    A number that is text is understood with a point or a comma. `1,500` may mean two things, and is not.

    >>> read_setting(Parameter("k", 20.0, "K", "points at stake", "K_factor"), " 32,5")
    32.5
    """
    text = text_of(typed).strip(" ")
    if parameter.choices:
        return re.sub(" +", " ", text)
    found = _NUMBER.fullmatch(text)
    if not isinstance(typed, str) or parameter.is_date or found is None:
        return number_or(typed, "")
    digits, decimals = found[1] + found[2], len(found[2])
    if not 0 < len(digits) <= DIGITS or (decimals == 3 and not found[1].startswith("0")):
        return ""
    return float(int(digits) / 10**decimals)


def used_setting(parameter: Parameter, read: CellValue, made: float | str) -> float | str:
    """Return what the book goes by: what was read, where the setting may have it, else what the book was made with."""
    if parameter.choices:
        return str(read) if str(read).lower() in parameter.choices else made
    low, high = parameter.limits
    return read if isinstance(read, float) and low <= read <= high else made


def setting_validation(parameter: Parameter) -> Validation:
    """Return what may be typed as a setting."""
    rule = Validation("number", title=parameter.label[:32], message=parameter.meaning[:255], error="A number.")
    if parameter.choices:
        error = f"One of {', '.join(parameter.choices)}."
        return replace(rule, kind="list", items=parameter.choices, error=error)
    if parameter.is_date:
        return replace(rule, kind="date", error="Type a day as 2026-02-28: from 1900-03-01 to 2100-12-31.")
    return replace(rule, minimum=-1e6 if parameter.minimum is None else parameter.minimum, maximum=1e6)


def setting_cells(
    parameter: Parameter, row: int, typed: CellValue, made: float | str, style: str
) -> tuple[CellPlan, CellPlan, CellPlan]:
    """Return the three cells of Start that follow a typed one: what is said of it, what is used and what was read."""
    cell, used, read = (f"${column_letters(column)}${row}" for column in (TYPED, USED, READ))
    found = read_setting(parameter, typed)
    now = used_setting(parameter, found, made)
    about = expected(parameter, made) if now != found else parameter.meaning
    said = f"IF({used}={read},{_text(parameter.meaning)},{_text(expected(parameter, made))})"
    return (
        CellPlan(row, ABOUT, about, said, "remark"),
        CellPlan(row, USED, now, _used(parameter, read, made), style),
        CellPlan(row, READ, found, _read(parameter, cell), style),
    )


def expected(parameter: Parameter, made: float | str) -> str:
    """Return what is said of a setting that is not understood."""
    low, high = parameter.limits
    least = "up" if parameter.minimum is None else f"from {_said(low)}"
    wanted = f"a number {least} to {_said(high)}, such as 32.5 or 32,5"
    if parameter.choices:
        wanted = f"one of {', '.join(parameter.choices)}"
    elif parameter.is_date:
        wanted = "a day, such as 2025-10-01"
    shown = parameter.shown(made)
    known = number_text(float(f"{shown:g}")) if isinstance(shown, float) else shown
    return f"Expected {wanted}; in use: {'no day' if parameter.is_date and made == 0 else known}."


def misread(first: int, last: int) -> str:
    """Return the formula of how many settings in these rows of Start are not understood."""
    used, read = (
        f"Start!${column_letters(column)}${first}:${column_letters(column)}${last}" for column in (USED, READ)
    )
    return f"SUMPRODUCT(1*({used}<>{read}))"


def misread_highlight(first: int, last: int) -> Iterator[Highlight]:
    """Yield the format of those settings."""
    used, read = (f"${column_letters(column)}{first}" for column in (USED, READ))
    cells = f"${column_letters(TYPED)}${first}:${column_letters(ABOUT)}${last}"
    yield Highlight(cells, f"{used}<>{read}", "alarm")


def _read(parameter: Parameter, cell: str) -> str:
    """Return the formula of what a cell says.

    VALUE goes by the language of the program as soon as there is more than digits, so it gets digits alone: what it
    makes of them must read the same again, behind a 1 that keeps zeros.
    """
    if parameter.choices:
        return f'IFERROR(TRIM({cell}),"")'
    if parameter.is_date:
        return f'IF(ISNUMBER({cell}),{cell},"")'
    point = f'SUBSTITUTE(TRIM({cell}),",",".")'
    digits = f'SUBSTITUTE({point},".","")'
    decimals = f'IF(LEN({point})=LEN({digits}),0,LEN({point})-FIND(".",{point}))'
    tests = (
        f"LEN({point})-LEN({digits})<=1",
        f"LEN({digits})>0",
        f"LEN({digits})<={DIGITS}",
        f'TEXT(VALUE("1"&{digits}),"0")="1"&{digits}',
        f'OR({decimals}<>3,LEFT({point},1)="0")',
    )
    number = f'IFERROR(IF(AND({",".join(tests)}),VALUE({digits})/10^{decimals},""),"")'
    return f'IF(ISNUMBER({cell}),{cell},IF(ISTEXT({cell}),{number},""))'


def _used(parameter: Parameter, read: str, made: float | str) -> str:
    if parameter.choices:
        known = ",".join(f"{read}={_text(choice)}" for choice in parameter.choices)
        return f"IF(OR({known}),{read},{_text(str(made))})"
    low, high = parameter.limits
    least, most, else_ = (number_text(float(f"{number:.15g}")) for number in (low, high, made))
    return f"IF(ISNUMBER({read}),IF(AND({read}>={least},{read}<={most}),{read},{else_}),{else_})"


def _said(number: float) -> str:
    return f"{number:,.15g}" if abs(number) >= 1 else number_text(number)


def _text(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
