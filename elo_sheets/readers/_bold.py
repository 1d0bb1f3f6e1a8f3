"""Winners whose names stand in bold, where nothing else tells how games ended."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from elo_sheets.readers._layout import Arranged, Row, complete
from elo_sheets.readers._results import outcome
from elo_sheets.readers._text import identity
from elo_sheets.readers._words import plain

BOLD = re.compile(r"(\*\*|__)(?P<text>[^*]+)\1")  # of Markdown
FEWEST = 2  # names that stand both in bold and not


def winners_in_bold(
    rows: Sequence[Row], at: int, roles: Mapping[str, int], is_bold: Callable[[Row, int], bool]
) -> Arranged:
    """Return rows with a column of winners where one of the two names is bold in most games; other rows as they are.

    `at` is the place of the header and `roles` what it tells. Whose name stands in bold alone marks no winner: several
    must stand both ways, and on both sides. A game without a name in bold is drawn where a cell of its row says so.
    """
    if at < 0 or complete(roles) or not {"white", "black"} <= roles.keys():
        return rows, []
    sides = roles["white"], roles["black"]

    def names(row: Row) -> list[tuple[str, bool]]:
        some = [(row.cells[i].strip(), is_bold(row, i)) for i in sides if i < len(row.cells)]
        some = [(match["text"] if (match := BOLD.fullmatch(text)) else text, bold) for text, bold in some]
        return [(name, bold) for name, bold in some if any(map(str.isalpha, name))]

    heads = [*map(plain, rows[at].cells)]
    below = {place: row for place, row in enumerate(rows) if place > at and [*map(plain, row.cells)] != heads}
    games = {place: two for place, row in below.items() if len(two := names(row)) == 2}
    drawn = {
        place: text for place in games if (text := _drawn(rows[place])) and not any(one for _, one in games[place])
    }
    won = {place: (first, second) for place, ((_, first), (_, second)) in games.items() if first != second}
    told = {
        bold: {identity(name) for two in games.values() for name, one in two if one is bold} for bold in (True, False)
    }
    if 2 * len({*won, *drawn}) <= len(games) or len(told[True] & told[False]) < FEWEST or len(set(won.values())) < 2:
        return rows, []
    found = []
    for place, row in enumerate(rows):
        cells = list(row.cells)
        for i, (name, _) in zip(sides, games.get(place, ()), strict=False):
            cells[i] = name
        winner = next(name for name, bold in games[place] if bold) if place in won else drawn.get(place, "")
        found.append(row._replace(cells=[*cells, "Winner" if [*map(plain, row.cells)] == heads else winner]))
    return found, [f"the name in bold was read as the winner's in {len(won)} of {len(games)} games"]


def _drawn(row: Row) -> str:
    """Return the cell that says of a game that it was drawn, nothing without one."""
    return next((text for cell in row.cells if outcome(text := cell.strip()).score == 0.5), "")
