"""Logs with two rows a game, one for each player: `Ana, Luis, 1` and `Luis, Ana, 0` are one game.

A log whose columns are a player, the opponent and the result has no sides, so that two such rows of one day or round
are one game, and so are all rows of a log without days that nearly all have their counterpart. A log of White and Black
has to begin so and to go on so for ten rows: elsewhere the two are games of their own.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Set
from typing import Any

from elo_sheets._late import np, pd

NEARLY_ALL, FEWEST = 0.9, 10
TOLD = ("white", "black", "score", "date", "round", "source_row")


def other_sides(table: pd.DataFrame, by_player: Set[str]) -> dict[int, int]:
    """Return the places of the rows that tell of a game from the other side, each with the row that told it first.

    `by_player` are the logs whose rows have a player and an opponent.
    """
    found: dict[int, int] = {}
    codes = table["source"].cat.codes.to_numpy()
    ends = np.cumsum(np.bincount(codes))
    of_logs = np.split(np.argsort(codes, kind="stable"), ends[:-1])
    for source, rows in zip(table["source"].cat.categories, of_logs, strict=False):
        if len(rows) > 1 and (source in by_player or (len(rows) >= FEWEST and _begins_so(table.iloc[rows[:2]]))):
            found |= _of_log(table.iloc[rows], source in by_player)
    return found


def _begins_so(rows: pd.DataFrame) -> bool:
    """Whether two rows of White and Black are the two sides of one game."""
    (white, black, score, day, *_), (second, first, other, when, *_) = _told(rows)
    return bool(white == first and black == second and score == 1 - other and (day == when or day != day))


def _told(rows: pd.DataFrame) -> list[tuple[Any, ...]]:
    columns = [rows[name].tolist() if name in rows else [None] * len(rows) for name in TOLD]
    return list(zip(*columns, strict=True))


def _of_log(rows: pd.DataFrame, by_player: bool) -> dict[int, int]:
    waiting: dict[tuple[Any, ...], deque[int]] = defaultdict(deque)
    found: dict[int, int] = {}
    is_told = False
    for place, (white, black, score, day, number, line) in zip(rows.index.tolist(), _told(rows), strict=True):
        when = (str(day), str(number))
        is_told |= when not in {("NaT", "None"), ("NaT", "nan"), ("NaT", "")}
        if other := waiting[black, white, 1 - score, when]:
            found[place] = other.popleft()
        else:
            waiting[white, black, score, when].append(line)
    sure = by_player and is_told
    return found if sure or 2 * len(found) >= NEARLY_ALL * len(rows) else {}
