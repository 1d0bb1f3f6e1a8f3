"""Tables below each other in one sheet or text, each under headings of its own, read one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from elo_sheets.readers._layout import Row, header_of, is_heading
from elo_sheets.readers._words import plain
from elo_sheets.readers.crosstable import is_crosstable

DEEP = 3  # rows of a part, titles among them, that may be its header
SHOWN = 200


def parts_of(rows: Sequence[Row], columns: Mapping[str, str]) -> list[Sequence[Row]]:
    """Return the tables that stand below each other in these rows; just one where they are one table.

    A table begins behind an empty row or at a title, has headings of its own that differ from those above, and its rows
    are read by them alone.
    """
    if columns:
        return [rows]
    starts = [0]
    for at, (one, other) in enumerate(pairwise(rows), 1):
        if (other.line > one.line + 1 or is_heading(other.cells)) and not is_heading(one.cells):
            starts.append(at)
    found: list[Sequence[Row]] = []
    known: list[object] = []
    begun = 0
    for start, end in pairwise([*starts, len(rows)]) if len(starts) > 1 else ():
        kind = _kind(rows[start : min(end, start + SHOWN)])
        if kind is None or kind in known:
            continue
        if known:
            found.append(rows[begun:start])
            begun = start
        known.append(kind)
    return [*found, rows[begun:]]


def _kind(rows: Sequence[Row]) -> object:
    """Return the headings of a table that these rows begin, where it stands for a table of rounds; None for none."""
    if is_crosstable(rows):
        return rows[0].line
    for at, row in enumerate(rows[:DEEP]):
        if len(rows) > at + 1 and not is_heading(row.cells) and header_of(rows[at:], {}, 1) is not None:
            return tuple(map(plain, row.cells))
    return None
