"""Ratings before a game that are linked by hand: each cell points at the last game of its own player.

Such a column has no formula that fills down. What its cells have in common is the name: the player named in the row of
a link is the one named in the row that it points at.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from elo_sheets.files.package import CellError
from elo_sheets.recognise.model import Area, Model

LEAST = 4  # links in a column
SHARE = 0.8  # of them that agree about the name
FILLED = 0.85  # of the formulas of a column that is filled down, at least


@dataclass(frozen=True)
class Linked:
    """A column of links: the column of the names, and the columns of new ratings that it points at."""

    name: int
    targets: frozenset[int]


def linked_columns(model: Model, sheet: str) -> dict[int, Linked]:
    """Return the columns of a sheet that are linked by hand."""
    found = {}
    for own, column in model.columns:
        links = _links(model, sheet, column) if own == sheet else {}
        if len(links) < LEAST or _fills_down(model, sheet, column):
            continue
        name = _name_column(model, sheet, links)
        if name is not None:
            found[column] = Linked(name, frozenset(line for _, line in links.values()))
    return found


def _links(model: Model, sheet: str, column: int) -> dict[int, tuple[int, int]]:
    """The rows of a column whose formula is another cell of an earlier row, and the row and column of that cell."""
    found = {}
    for row in model.columns[sheet, column]:
        form = model.forms.get((sheet, row, column))
        if form is None or not isinstance(form.tree, Area) or not form.tree.single:
            continue
        area = form.tree.at(row, column)
        if area.sheet in (None, sheet) and area.row < row and (sheet, area.row, area.column) in model.forms:
            found[row] = (area.row, area.column)
    return found


def _fills_down(model: Model, sheet: str, column: int) -> bool:
    """Whether a column has one formula, or two as where the rows of a game take turns, but for a few cells."""
    forms = Counter(form for row in model.columns[sheet, column] if (form := model.forms.get((sheet, row, column))))
    return sum(count for _, count in forms.most_common(2)) >= FILLED * forms.total()


def _name_column(model: Model, sheet: str, links: dict[int, tuple[int, int]]) -> int | None:
    """The column whose names are those of the rows that the links point at."""
    texts = {row: texts_of(model, sheet, row) for row in {*links, *(at for at, _ in links.values())}}
    agreeing: Counter[tuple[int, int, int]] = Counter()
    for row, (at, line) in links.items():
        for column, text in texts[row].items():
            agreeing.update((column, line, other) for other, there in texts[at].items() if there == text)
    best: Counter[int] = Counter()
    for column in {column for column, _, _ in agreeing}:
        for line in {line for _, line in links.values()}:
            best[column] += max((n for (c, to, _), n in agreeing.items() if (c, to) == (column, line)), default=0)
    for column, count in best.most_common():
        names = {texts[row][column] for row in links if column in texts[row]}
        if count >= SHARE * len(links) and len(names) > 1:
            return column
    return None


def texts_of(model: Model, sheet: str, row: int) -> dict[int, str]:
    """The texts of a row by column, in lower case."""
    found = {}
    for own, column in model.columns:
        value = model.value((sheet, row, column)) if own == sheet else None
        if isinstance(value, str) and not isinstance(value, CellError) and value.strip():
            found[column] = value.strip().casefold()
    return found
