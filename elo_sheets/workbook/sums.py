"""Sums over a Ledger that are quick to compute anew: games, wins and draws in one number, and part by part."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from elo_sheets.workbook.layout import TableLayout, column_text
from elo_sheets.workbook.plan import PART

# What a game and a win are worth in it, a draw being 1.
GAME, WIN = 10**10, 10**5


def packed(uncounted: str) -> str:
    """Return the formula of a row's number, 0 where it is `uncounted`; the column Score holds its result."""
    return f"IF({uncounted},0,{GAME}+IF([Score]=1,{WIN},IF([Score]=0.5,1,0)))"


def unpacked(tally: str) -> dict[str, str]:
    """Return the formulas of games, wins, draws and losses from a sum of such numbers.

    >>> unpacked("A1")["wins"]
    'INT(A1/100000)-100000*INT(A1/10000000000)'
    """
    games, wins = f"INT({tally}/{GAME})", f"INT({tally}/{WIN})-{GAME // WIN}*INT({tally}/{GAME})"
    draws = f"{tally}-{WIN}*INT({tally}/{WIN})"
    return {"games": games, "wins": wins, "draws": draws, "losses": f"{games}-({wins})-({draws})"}


def spans(rows: int, size: int = PART, last: int = 0) -> list[tuple[int, int]]:
    """Return the first and the last row of each part of so many rows; the last part may be one of fewer.

    A row that would be alone is the last one of the part before it.

    >>> spans(2200), spans(2200, last=400), spans(2001)
    ([(1, 1000), (1001, 2000), (2001, 2200)], [(1, 1000), (1001, 1800), (1801, 2200)], [(1, 1000), (1001, 2001)])
    """
    if rows <= size + 1:
        return [(1, rows)]
    begins = range(1, max(rows - last, 2), size)
    found = list(zip(begins, [*(begin - 1 for begin in begins[1:]), rows - last], strict=True))
    return [*found, (rows - last + 1, rows)] if last else found


def in_parts(
    layout: TableLayout, sheet: str, rows: int, labels: Sequence[str], parts: Sequence[tuple[int, int]]
) -> list[tuple[str, ...]]:
    """Return the cells of a table's columns in each part; the whole columns where there is one part."""
    if parts == [(1, rows)]:
        return [tuple(f"{layout.name}[{column_text(label)}]" for label in labels)]
    letters, top = [layout.letter(label) for label in labels], layout.first_row
    return [
        tuple(f"{sheet}!${letter}${top + first}:${letter}${top + last}" for letter in letters) for first, last in parts
    ]


def by_part(label: str, texts: Sequence[str], own: Callable[[str], str] = "[{}]".format) -> dict[str, str]:
    """Return the formulas of a sum and, where it has several parts, before it of these; `own` is a cell of the row."""
    parts = {f"{label} {n}": text for n, text in enumerate(texts, 1)} if len(texts) > 1 else {}
    return parts | {label: "+".join(map(own, parts)) or texts[0]}
