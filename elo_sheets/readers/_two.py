"""The games of two friends: a row a game, and a column of points for each of the two, under his name."""

from __future__ import annotations

from collections.abc import Sequence

from elo_sheets.readers._across import is_of_totals
from elo_sheets.readers._contents import MOST, are_points, filled, share
from elo_sheets.readers._headings import WORDS, named, words_of
from elo_sheets.readers._layout import PREAMBLE, Arranged, Row, likely_header
from elo_sheets.readers._results import number
from elo_sheets.readers._rows import TOTAL_LINE, TOTALS
from elo_sheets.readers._text import clean_name, identity
from elo_sheets.readers._words import plain

HEADINGS = ("White", "Black", "White points", "Black points")
FEWEST = 3  # games that show what the columns are


def of_two(rows: Sequence[Row]) -> Arranged:
    """Return the games of two whose names head their points, with a column for each side; other rows as they are.

    Either the two have one point together in every game, or another column has their names and nothing else: who had
    White, say, or who won. Two columns of numbers alone may be anything.
    """
    at = likely_header(rows[:PREAMBLE]) if len(rows) > FEWEST else -1
    if at < 0:
        return rows, []
    headers = rows[at].cells
    body = [row for row in rows[at + 1 :] if not row.fault and not is_of_totals(row)]
    columns = [[row.cell(i) for row in body] for i in range(len(headers))]
    points = [i for i, header in enumerate(headers) if _is_name(header) and are_points(columns[i])]
    if len(points) != 2 or len(body) < FEWEST:
        return rows, []
    one, other = points
    names = [clean_name(headers[i]) for i in points]
    keys = {identity(name): name for name in names}
    games = [(a, b) for a, b in zip(columns[one], columns[other], strict=True) if a and b]
    told = [
        i
        for i, cells in enumerate(columns)
        if i not in points
        and 2 * len(filled(cells)) >= len(body)
        and share(filled(cells), lambda cell: identity(cell) in keys) >= MOST
    ]
    sums = [(_number(a), _number(b)) for a, b in games]
    sums = sums[:-1] if _adds_up(sums) else sums
    halves = len(sums) >= FEWEST and all(a + b == 1 for a, b in sums)
    if len(keys) < 2 or len(games) < FEWEST or not (told or halves):
        return rows, []
    first = next((i for i in told if named(headers[i]) in ("white", "black")), -1)
    kept = [i for i in range(len(headers)) if i not in (*points, first)]
    found = [*rows[:at], Row(rows[at].line, [*(headers[i] for i in kept), *HEADINGS])]
    so_far: list[tuple[float, float]] = []
    for row in rows[at + 1 :]:
        cells = [row.cell(i) for i in range(len(headers))]
        own = _number(cells[one]), _number(cells[other])
        is_sum = is_of_totals(row) or (_adds_up([*so_far, own]) and (first < 0 or not cells[first]))
        if row.fault or is_sum:
            found.append(row._replace(fault=row.fault or TOTAL_LINE))
            continue
        if not (cells[one] or cells[other]):
            found.append(row._replace(cells=[*(cells[i] for i in kept), *[""] * len(HEADINGS)]))
            continue
        so_far.append(own)
        sides = [0, 1]
        if first >= 0 and (key := identity(cells[first])):
            white = names.index(keys[key]) if key in keys else -1
            sides = [white, 1 - white] if named(headers[first]) == "white" else [1 - white, white]
            if white < 0:
                found.append(row._replace(fault=f"expected {names[0]!r} or {names[1]!r}, got {cells[first]!r}"))
                continue
        game = [*(names[side] for side in sides), *(cells[points[side]] for side in sides)]
        found.append(Row(row.line, [*(cells[i] for i in kept), *game]))
    return found, [f"the columns {names[0]!r} and {names[1]!r} were read as the points of the two players"]


def _is_name(heading: str) -> bool:
    """Whether a heading is no word of headings, so that it may be a name."""
    return bool(words_of(heading)) and plain(heading) not in TOTALS and not any(map(WORDS.get, words_of(heading)))


def _adds_up(points: Sequence[tuple[float, float]]) -> bool:
    """Tell whether the last points of two are the sums of those of two games or more before."""
    *games, last = points or [(0.0, 0.0)]
    return len(games) > 1 and last == (sum(own for own, _ in games), sum(other for _, other in games))


def _number(text: str) -> float:
    """Return the number that a text of points is, not a number for another text."""
    try:
        return number(text)
    except ValueError:
        return float("nan")
