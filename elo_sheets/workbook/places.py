"""Where on the sheet of the games the first of what a line of Check counts stands, and what is said of it there."""

from __future__ import annotations

from collections.abc import Mapping

from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.front import LONG_GAP
from elo_sheets.workbook.spellings import REASONS
from elo_sheets.workbook.typed_cells import SENTENCE

# What the status says of games of which nothing is amiss.
WELL = ("", "rated", "to play", *REASONS.values())
# The lines that count games out of the order of days, and what the status says of those whose period is closed.
_LATE, CLOSED = ("order_breaks", "order", "out_of_order"), "out of order"
BREAKS = "Ledger[Order break]"
# More than so many late games for each one above them with a later day say that the day of that one is wrong.
MANY = 2


def is_amiss(status: str) -> str:
    """Return the formula of whether a row's status asks for something to be done."""
    return f"AND({','.join(f'{status}<>{chr(34)}{word}{chr(34)}' for word in WELL)})"


def is_far(letter: str, row: int) -> str:
    """Return the formula of whether a day, below which none is typed yet, is long after the one above it."""
    above, day, below = (f"${letter}{at}" for at in (row - 1, row, row + 1))
    return f'AND(N({above})>0,N({day})-N({above})>{LONG_GAP},{below}="")'


def closed_status(latest: str) -> str:
    """Return the formula of what a row says whose period a game above closed; `latest` is the last day above it."""
    return f'"{CLOSED}: a game above is of "&YEAR({latest})&"-"&RIGHT("0"&MONTH({latest}),2)'


def first_places(sheet: str, table: str, twins: tuple[str, str, str], *, in_order: bool) -> Mapping[str, str]:
    """Return the formulas that say where the first one stands, by role, of the lines that count games of a table.

    `twins` are a sheet and its columns of names and of ids, which a name that stands further up has not. `in_order`
    says that a game is only rated in the order of days.
    """
    amiss = "*".join(f'({table}[Status]<>"{word}")' for word in WELL)
    at = f"SUMPRODUCT(MATCH(1,{amiss},0))"
    status, late = f"INDEX({table}[Status],{at})", late_place(sheet)
    not_rated = f'"{sheet}, row "&{HEADER_ROW}+{at}&": "&{status}'
    if in_order:
        not_rated = f'IF(LEFT({status},{len(CLOSED)})="{CLOSED}",{late},{not_rated})'
    twice = marked_place(sheet, "Ledger[Duplicate]", "entered twice")
    found = {"typed": SENTENCE, "not_rated": not_rated, "duplicates": twice, "twins": twin_place(*twins)}
    return found | dict.fromkeys(_LATE, late)


def late_place(sheet: str, marks: str = BREAKS) -> str:
    """Return the formula that names the game to look at where some rows of the Ledger are dated before one above them.

    That is the first of them; but where more than twice as many are late as stand above it with a later day, it is
    the one above that has the latest, such as a game of 2062 among those of 2026.
    """
    first = _first(marks)
    above = f"SUMPRODUCT((Ledger[Game]<INDEX(Ledger[Game],{first}))*(Ledger[Date]>INDEX(Ledger[Date],{first})))"
    early = f"MATCH(INDEX(Ledger[Latest date],{first}),Ledger[Date],0)"
    after = f'{_row(sheet, early)}&": dated after games below it; is its day right?"'
    before = f'{_row(sheet, first)}&": dated before row "&{_number(early)}&"; sort the yellow rows by date"'
    return f"IF(SUMPRODUCT(1*{marks})>{MANY}*{above},{after},{before})"


def status_place(sheet: str, status: str) -> str:
    """Return the formula that names the first game whose status begins so, and says it as its row does."""
    at = _first(f'(Ledger[Status]>="{status}")*(Ledger[Status]<"{status}~")')
    return f'{_row(sheet, at)}&": "&INDEX({sheet}[Status],INDEX(Ledger[Game],{at}))'


def marked_place(sheet: str, marks: str, said: str) -> str:
    """Return the formula that says so of the game of the first row of the Ledger whose mark is 1."""
    return f'{_row(sheet, _first(marks))}&": {said}"'


def twin_place(sheet: str, names: str, ids: str) -> str:
    """Return the formula that names the first of the people who stand further up already."""
    at = _first(f'({names}<>"")*({ids}=0)')
    return f'"{sheet}, row "&{HEADER_ROW}+{at}&": "&INDEX({names},{at})&" stands further up already"'


def _first(marks: str) -> str:
    return f"SUMPRODUCT(MATCH(1,{marks},0))"


def _row(sheet: str, of_ledger: str) -> str:
    """Return the formula of where the game of a row of the Ledger stands."""
    return f'"{sheet}, row "&{_number(of_ledger)}'


def _number(of_ledger: str) -> str:
    return f"{HEADER_ROW}+INDEX(Ledger[Game],{of_ledger})"
