"""Which formulas a cell reaches: those that read it, directly or through others."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from elo_sheets.recognise.model import Area, Key, Model

SMALL = 64  # cells of an area through which a dependence is followed
WIDE = 1500  # the same, where ratings are closed by sums over all games of a period
MOST_FOLLOWED = 300_000  # cells of all areas that are followed
MANY = 4  # sets of cells from which they are put together
MOST_KEPT = 4096  # answers kept of what cells reach on the way to another
MOST_DIP = 3  # rows below a formula that others read, up to which a way is followed towards a row
FEW = 64  # readers of a cell up to which what it reaches is asked anew for each target
Lines = Mapping[tuple[str, int], list[int]]  # the rows, in order, of a sheet's column


class Readers:
    """Which formulas read a cell, directly or through others."""

    def __init__(self, model: Model, most: int = SMALL) -> None:
        self.model, self.most = model, most
        self._reached: dict[tuple[Key, int], frozenset[Key]] = {}
        self._towards: dict[tuple[tuple[str, int] | None, frozenset[Key], int], Reach] = {}

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
        large, followed = list[Area](), 0
        for area in by_area:
            followed += area.size if SMALL < area.size <= self.most else 0
            if area.size > self.most or (area.size > SMALL and followed > MOST_FOLLOWED):
                large.append(area)
                continue
            for cell in cells_of(area):
                small.setdefault(cell, []).append(area)
        return singles, small, large, by_area

    @cached_property
    def _largest(self) -> list[Area]:
        """The large areas, the largest first: what lies in one lies most often in that."""
        return sorted(self._direct[2], key=lambda area: -area.size)

    @cached_property
    def _above(self) -> tuple[list[Area], dict[str, tuple[list[int], list[tuple[Key, Area]]]]]:
        """The large areas: those that go below a reader of their sheet; the readers of others, by sheet and row."""
        _, _, large, by_area = self._direct
        hanging = [a for a in large if any(key[0] == a.sheet and key[1] < a.bottom for key in by_area[a])]
        found: dict[str, list[tuple[Key, Area]]] = {}
        for area in set(large).difference(hanging):
            for key in by_area[area]:
                found.setdefault(key[0], []).append((key, area))
        for pairs in found.values():
            pairs.sort(key=lambda pair: pair[0])
        return hanging, {sheet: ([key[1] for key, _ in pairs], pairs) for sheet, pairs in found.items()}

    def _through_large(self, leaf: Key, bottom: int | None) -> Iterator[Key]:
        """The formulas that read a cell through a large area; of the cell's sheet down to a row, when it is given."""
        _, _, large, by_area = self._direct
        hanging, above = (large, {}) if bottom is None else self._above
        for area in hanging:
            if inside(leaf, area):
                yield from by_area[area]
        for sheet, (rows, pairs) in above.items():
            first, last = 0, len(pairs)
            if bottom is not None and sheet == leaf[0]:
                first, last = bisect_left(rows, leaf[1]), bisect_left(rows, bottom + 1)
            for key, area in itertools.islice(pairs, first, last):
                if inside(leaf, area):
                    yield key

    @cached_property
    def _formulas(self) -> Lines:
        return lines(self.model.forms)

    def _lowest(self, area: Area) -> int:
        """The last row of an area in which a formula stands; 0 when none does."""
        return max((row for _, row, _ in within(area, self._formulas)), default=0)

    @cached_property
    def _dips(self) -> dict[str, int]:
        """How many rows below its own a formula of a sheet reads another at most, of sheets where that is known.

        It is known of sheets whose formulas read of other sheets only what is typed.
        """
        singles, _, _, by_area = self._direct
        found: dict[str, int] = dict.fromkeys(self.model.book.sheets, 0)
        for cell, keys in singles.items():
            if cell in self.model.forms:
                self._dip(found, cell[0], cell[1], keys)
        for area, keys in by_area.items():
            over = [key for key in keys if key[0] in found and (area.sheet != key[0] or area.bottom > key[1])]
            lowest = self._lowest(area) if over else 0
            if lowest:
                self._dip(found, area.sheet or "", lowest, over)
        return found

    @staticmethod
    def _dip(found: dict[str, int], sheet: str, row: int, keys: Iterable[Key]) -> None:
        for key in keys:
            if key[0] != sheet:
                found.pop(key[0], None)
            elif sheet in found:
                found[sheet] = max(found[sheet], row - key[1])

    def towards(self, target: Key, changed: frozenset[Key], depth: int, usual: bool) -> Reach:
        """What changed cells reach in at most `depth` steps, on the way to a cell.

        Formulas from which no way can lead to the target are left out where that is known: of the book's own formulas,
        and of others that read what `is_usual`.
        """
        asked = (target[:2] if usual else None, changed, depth)
        found = self._towards.get(asked)
        if found is None:
            if len(self._towards) > MOST_KEPT:
                self._towards.clear()
            found = self._towards[asked] = Reach(changed, self._parts(target, changed, depth, usual))
        return found

    def _parts(self, target: Key, changed: frozenset[Key], depth: int, usual: bool) -> Iterator[frozenset[Key]]:
        near: list[Key] = []
        dip = self._dips.get(target[0], MOST_DIP + 1)
        usual = usual and dip <= MOST_DIP
        for leaf in changed:
            if usual and leaf[0] == target[0] and len(self._direct[0].get(leaf, ())) <= FEW:
                near.append(leaf)
            else:
                yield self.reached(leaf, depth)
        if near:
            yield self._followed(near, depth, target[1] + dip * depth)

    def is_usual(self, target: Key, area: Area) -> bool:
        """Whether no formula of an area is below a cell, or, on another sheet, the cell's sheet reads it as well."""
        if area.sheet == target[0]:
            return area.bottom <= target[1] or self._lowest(area) <= target[1]
        singles, _, _, by_area = self._direct
        readers = singles.get((area.sheet or "", area.row, area.column)) if area.single else by_area.get(area)
        return any(key[0] == target[0] for key in readers or ())

    def is_read(self, key: Key, in_tables: bool = True) -> bool:
        """Whether another formula than its own reads a cell, or has it `in_tables` of which it reads another column."""
        singles, small, _, by_area = self._direct
        if any(one != key for one in singles.get(key, ())):
            return True
        around = itertools.chain(small.get(key, ()), (area for area in self._largest if inside(key, area)))
        meant = (area for area in around if in_tables or area.column == area.right)
        return any(one != key for area in meant for one in by_area[area])

    def reached(self, leaf: Key, depth: int) -> frozenset[Key]:
        """The formulas that a cell reaches in at most `depth` steps; through a large area only when it lies in it."""
        known = self._reached.get((leaf, depth))
        if known is None:
            known = self._reached[leaf, depth] = self._followed([leaf], depth, None)
        return known

    def _followed(self, leaves: list[Key], depth: int, bottom: int | None) -> frozenset[Key]:
        """What leaves reach; down to a row of their sheet, when it is given."""
        singles, small, _, by_area = self._direct
        found: set[Key] = set()
        edge = leaves
        for step in range(depth):
            following: list[Key] = []
            for one in edge:
                following += singles.get(one, ())
                for area in small.get(one, ()):
                    following += by_area[area]
                if step == 0:
                    following += self._through_large(one, bottom)
            if bottom is not None:
                following = [one for one in following if one[1] <= bottom or one[0] != leaves[0][0]]
            edge = [one for one in dict.fromkeys(following) if one not in found]
            found.update(edge)
            if not edge:
                break
        return frozenset(found)


class Reach:
    """Changed cells, and the formulas that they reach."""

    def __init__(self, changed: frozenset[Key], reached: Iterable[frozenset[Key]]) -> None:
        self.changed = changed
        parts = list(reached)
        self._reached = [frozenset[Key]().union(*parts)] if len(parts) > MANY else parts
        self._touched: dict[Area, list[Key]] = {}

    def __contains__(self, key: Key) -> bool:
        """Whether a formula is reached."""
        return any(key in reached for reached in self._reached)

    def renamed(self, name: Callable[[Key], Key]) -> Reach:
        """The same cells by other names."""
        parts = (frozenset(map(name, part)) for part in self._reached)
        return Reach(frozenset(map(name, self.changed)), parts)

    def touched(self, area: Area) -> list[Key]:
        """The cells of an area (absolute, with its sheet) that may not show what the book has."""
        found = self._touched.get(area)
        if found is None:
            found = self._touched[area] = list(within(area, self._lines))
        return found

    @cached_property
    def _lines(self) -> Lines:
        return lines(self.changed.union(*self._reached))


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
