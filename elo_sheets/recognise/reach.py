"""Which formulas a cell reaches: those that read it, directly or through others."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from elo_sheets.recognise.model import Area, Key, Model

SMALL = 64  # cells of an area through which a dependence is followed
FEW = 64  # readers of a cell up to which what it reaches is asked anew for each target
Lines = Mapping[tuple[str, int], list[int]]  # the rows, in order, of a sheet's column


class Readers:
    """Which formulas read a cell, directly or through others."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._reached: dict[tuple[Key, int], frozenset[Key]] = {}

    @cached_property
    def _direct(self) -> tuple[dict[Key, list[Key]], dict[Key, list[Area]], list[Area], dict[Area, list[Key]]]:
        singles: dict[Key, list[Key]] = {}
        by_area: dict[Area, list[Key]] = {}
        for key in self.model.forms:
            for area in self.model.areas(key):
                if area.single:
                    singles.setdefault((area.sheet or key[0], area.row, area.column), []).append(key)
                else:
                    by_area.setdefault(area, []).append(key)
        small: dict[Key, list[Area]] = {}
        for area in by_area:
            for cell in cells_of(area) if area.size <= SMALL else ():
                small.setdefault(cell, []).append(area)
        return singles, small, [area for area in by_area if area.size > SMALL], by_area

    @cached_property
    def _downward(self) -> frozenset[str]:
        """The sheets whose formulas read nothing below their own row, and of other sheets only what is typed."""
        singles, _, _, by_area = self._direct
        formulas = lines(self.model.forms)
        upward: set[str] = set()
        for cell, keys in singles.items():
            upward.update(
                key[0] for key in keys if (cell[1] > key[1] if cell[0] == key[0] else cell in self.model.forms)
            )
        for area, keys in by_area.items():
            computed = any(within(area, formulas))
            upward.update(key[0] for key in keys if (area.bottom > key[1] if area.sheet == key[0] else computed))
        return frozenset(self.model.book.sheets) - upward

    def towards(self, target: Key, leaf: Key, depth: int) -> frozenset[Key]:
        """What `reached` gives, but for formulas from which no way can lead to the target, where that is known.

        It is known of the book's own formulas, and of others that read what `is_usual`.
        """
        if leaf[0] != target[0] or target[0] not in self._downward or len(self._direct[0].get(leaf, ())) > FEW:
            return self.reached(leaf, depth)
        return self._followed(leaf, depth, target[1])

    def is_usual(self, target: Key, area: Area) -> bool:
        """Whether an area is not below a cell, or on another sheet and read by formulas of the cell's sheet as well."""
        if area.sheet == target[0]:
            return area.bottom <= target[1]
        singles, _, _, by_area = self._direct
        readers = singles.get((area.sheet or "", area.row, area.column)) if area.single else by_area.get(area)
        return any(key[0] == target[0] for key in readers or ())

    def is_read(self, key: Key) -> bool:
        """Whether another formula than its own reads a cell."""
        return not self.reached(key, 1) <= {key}

    def reached(self, leaf: Key, depth: int) -> frozenset[Key]:
        """The formulas that a cell reaches in at most `depth` steps; through a large area only when it lies in it."""
        known = self._reached.get((leaf, depth))
        if known is None:
            known = self._reached[leaf, depth] = self._followed(leaf, depth, None)
        return known

    def _followed(self, leaf: Key, depth: int, bottom: int | None) -> frozenset[Key]:
        singles, small, large, by_area = self._direct
        found: set[Key] = set()
        edge = [leaf]
        for step in range(depth):
            following: list[Key] = []
            for one in edge:
                following += singles.get(one, ())
                for area in small.get(one, ()):
                    following += by_area[area]
                for area in large if step == 0 else ():
                    if inside(one, area):
                        following += by_area[area]
            if bottom is not None:
                following = [one for one in following if one[1] <= bottom or one[0] != leaf[0]]
            edge = [one for one in dict.fromkeys(following) if one not in found]
            found.update(edge)
            if not edge:
                break
        return frozenset(found)


def lines(cells: Iterable[Key]) -> Lines:
    """Cells as the rows of each column."""
    rows: dict[tuple[str, int], list[int]] = {}
    for sheet, row, column in sorted(cells):
        rows.setdefault((sheet, column), []).append(row)
    return rows


def within(area: Area, lines: Lines) -> Iterator[Key]:
    """The cells of an area (absolute, with its sheet) among rows of columns."""
    sheet = area.sheet or ""
    if area.right - area.column < len(lines):
        columns: Iterable[tuple[str, int]] = ((sheet, column) for column in range(area.column, area.right + 1))
    else:
        columns = (one for one in lines if one[0] == sheet and area.column <= one[1] <= area.right)
    for one in columns:
        rows = lines.get(one)
        if rows is not None and rows[-1] >= area.row:
            for row in rows[bisect_left(rows, area.row) :]:
                if row > area.bottom:
                    break
                yield (sheet, row, one[1])


def cells_of(area: Area) -> Iterator[Key]:
    """The cells of an area (absolute)."""
    for row in range(area.row, area.bottom + 1):
        for column in range(area.column, area.right + 1):
            yield (area.sheet or "", row, column)


def inside(key: Key, area: Area) -> bool:
    """Whether a cell lies in an area (absolute, with its sheet)."""
    return area.sheet == key[0] and area.row <= key[1] <= area.bottom and area.column <= key[2] <= area.right
