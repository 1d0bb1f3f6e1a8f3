"""Windows: the rows of a typed table that a step of games reads by position.

A row of the Ledger that read a whole column would be computed anew whenever anything is typed into it. So each step of
games reads the rows in which they stand, and a margin of rows before and behind them: as many rows may be inserted or
deleted above until a game leaves its window, and then it is not read and Check says so. Plain references to the cells
would do without a margin, and follow a cell that is cut and pasted elsewhere, which the game in that row does not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from elo_sheets.workbook.plan import MARGIN, STEP

Window = tuple[int, int]
_SHOWN = re.compile(r"\bLedger!\$[A-Z]+\$(\d+):\$[A-Z]+\$(\d+)")
_ROWS = re.compile(r"\$[A-Z]+\$(\d+):\$[A-Z]+\$(\d+)")


def windows(games: int, rows: int, first_row: int) -> tuple[Window, ...]:
    """Return the window of each step of games over a table of so many rows, as rows of its sheet.

    >>> windows(120, 200, 5)
    ((5, 104), (5, 154), (55, 204))
    """
    last = first_row + rows - 1
    begins = range(first_row, first_row + games, STEP)
    return tuple((max(first_row, min(begin, last) - MARGIN), min(last, begin + STEP + MARGIN - 1)) for begin in begins)


def shown_windows(rows: int, games: int, first_row: int) -> tuple[Window, ...]:
    """Return the window over so many games of each row of a table that shows what became of its game.

    It has left its window just when its game has left that of its step.
    """
    planned = windows(rows, games, first_row)
    return tuple(planned[at // STEP] for at in range(rows))


def place_in(planned: Sequence[Window], i: int, rows: int, first_row: int) -> int:
    """Return which row of its window game `i` (from 0) of a table of so many rows is, 0 where it has left it.

    >>> place_in(windows(120, 200, 5), 60, 200, 5), place_in(((5, 104),), 2, 2, 5)
    (61, 0)
    """
    lo, hi = planned[i // STEP]
    row = first_row + i
    return row - lo + 1 if lo <= row <= hi and i < rows else 0


def shown_read(formulas: Iterable[str], first_row: int, pair: int) -> Window | None:
    """Return the games that the formulas of a row look at, numbered as the rows of a table with a row for each.

    It is the window of most of its cells; None where none looks at a part of the Ledger only.
    """
    matches = [match for text in formulas for match in _SHOWN.finditer(text)]
    if not matches:
        return None
    here = Counter((int(match[1]) - first_row, int(match[2]) + 1 - first_row) for match in matches)
    (lo, end), _ = here.most_common(1)[0]
    fits = 0 <= lo < end and lo % pair == end % pair == 0
    return (first_row + lo // pair, first_row + end // pair - 1) if fits else None


def windows_read(formulas: Iterable[str | None], planned: Sequence[Window], pair: int) -> tuple[Window, ...]:
    """Return the windows that the formulas of a column read; rows that are inserted or deleted move them.

    The window of a step is what most of its rows have, the planned one where they have none.
    """
    rows, found = iter(formulas), []
    for window in planned:
        matches = (_ROWS.search(text or "") for text in islice(rows, pair * STEP))
        here = Counter((int(match[1]), int(match[2])) for match in matches if match)
        found.append(here.most_common(1)[0][0] if here else window)
    return tuple(found)
