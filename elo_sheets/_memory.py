"""The memory that what is done with a large log leaves behind."""

from __future__ import annotations

from elo_sheets.games import MANY


def give_back(rows: int) -> None:
    """Have the C library give the system what is free of its memory, after so many rows were gone through.

    glibc takes arrays of some megabytes from one heap and keeps it whole while anything behind them is in use: of a
    million games some 250 MB. Elsewhere nothing is done.
    """
    if rows < MANY:
        return
    import ctypes

    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError, TypeError):
        return
