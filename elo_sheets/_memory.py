"""The memory that what is done with a large log leaves behind, and that what is done next may take."""

from __future__ import annotations

from elo_sheets.games import MANY

# Just below the size from which on glibc gives back an array without learning from it: 32 MB.
LARGEST = (1 << 25) - (1 << 13)


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


def hold_back() -> None:
    """Have the C library hold up to 64 MB that are free for what is done next.

    glibc gives the system what is free at the end of its heap, once that is twice the largest array that it has given
    back so far, and the system zeroes each page before it hands it out again: for a log that is read in pieces as much
    work as reading it. Elsewhere nothing is done.
    """
    import numpy as np

    np.empty(LARGEST, dtype=np.uint8)
