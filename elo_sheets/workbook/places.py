"""Where on the sheet of the games the first of what a line of Check counts stands, and what is said of it there."""

from __future__ import annotations

from collections.abc import Mapping

from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.typed_cells import SENTENCE

# What the status says of games of which nothing is amiss.
_WELL = ("", "rated", "to play")
# What the Ledger has marked by 1, by the role of the line that counts it.
_MARKS = {
    "order_breaks": ("Order break", "dated before a game above it"),
    "order": ("Order break", "dated before a game above it"),
    "duplicates": ("Duplicate", "entered twice"),
}


def first_places(sheet: str, table: str) -> Mapping[str, str]:
    """Return the formulas that say where the first one stands, by role, of the lines that count games of a table."""
    amiss = "*".join(f'({table}[Status]<>"{word}")' for word in _WELL)
    at = f"SUMPRODUCT(MATCH(1,{amiss},0))"
    found = {role: marked_place(sheet, f"Ledger[{label}]", said) for role, (label, said) in _MARKS.items()}
    found["typed"] = SENTENCE
    return {**found, "not_rated": f'"{sheet}, row "&{HEADER_ROW}+{at}&": "&INDEX({table}[Status],{at})'}


def marked_place(sheet: str, marks: str, said: str) -> str:
    """Return the formula that says so of the first row of the Ledger whose mark is 1."""
    return f'"{sheet}, row "&{HEADER_ROW}+INDEX(Ledger[Game],SUMPRODUCT(MATCH(1,{marks},0)))&": {said}"'
