"""The memory that what is done with a large log leaves behind, and that what is done next may take."""

from __future__ import annotations

from collections.abc import Sequence

# From how many games on memory counts.
MANY = 500_000

# What glibc calls the sizes that it can be told: from which on free memory at the end of its heap goes back to the
# system, and from which on an array has memory of its own, which goes back as soon as it is free.
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
HELD_BACK, LARGEST = 1 << 26, 1 << 25
GIVEN_BACK, LARGE = 1 << 17, 1 << 18


def give_back(rows: int) -> None:
    """Have the C library give the system what is free of its memory, and what gets free from now on.

    glibc takes arrays of some megabytes from one heap and keeps it whole while anything behind them is in use: of a
    million games some 250 MB. After fewer rows, and elsewhere, nothing is done.
    """
    if rows >= MANY:
        _tell(malloc_trim=[(0,)], mallopt=[(TRIM_THRESHOLD, GIVEN_BACK), (MMAP_THRESHOLD, LARGE)])


def hold_back() -> None:
    """Have the C library hold up to 64 MB that are free for what is done next.

    The system zeroes each page before it hands it out again: for a log that is read in pieces as much work as reading
    it. Elsewhere nothing is done.
    """
    _tell(mallopt=[(TRIM_THRESHOLD, HELD_BACK), (MMAP_THRESHOLD, LARGEST)])


def _tell(**calls: Sequence[tuple[int, ...]]) -> None:
    import ctypes

    try:
        library = ctypes.CDLL(None)
        for name, each in calls.items():
            for arguments in each:
                getattr(library, name)(*arguments)
    except (AttributeError, OSError, TypeError):
        return
