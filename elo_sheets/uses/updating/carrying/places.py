"""Where the cells of a book stand after its tables have grown, and formulas that follow them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from elo_sheets.files.references import MAX_ROW, Place
from elo_sheets.recognise.model import Area
from elo_sheets.uses.updating.growing import Growth
from elo_sheets.validate.moved import Moved


@dataclass(frozen=True)
class Stretch:
    """A table that grew, by the places of its old cells: its header row, its columns, and how its rows moved."""

    header: int
    left: int
    right: int
    growth: Growth

    @property
    def last(self) -> int:
        """The last row that it had."""
        return self.header + self.growth.was

    def row(self, row: int) -> int:
        """Return where a row stands now."""
        at = row - self.header - 1
        return row if at < 0 else self.header + 1 + self.growth.place(at)


@dataclass(frozen=True)
class Grown(Moved):
    """A sheet whose tables grew: what stands in their rows, or beside them, moves with these, and what stands below
    with their end. An area down to the last row of a table reaches to its last row again."""

    stretches: tuple[Stretch, ...] = ()

    @property
    def is_still(self) -> bool:
        """Whether nothing moved."""
        return all(not one.growth.before and one.growth.was == one.growth.now for one in self.stretches)

    def stretch(self, column: int) -> Stretch | None:
        """Return the table that a column belongs to, or stands beside."""
        inside = (one for one in self.stretches if one.left <= column <= one.right)
        return next(inside, self.stretches[0] if self.stretches else None)

    def place(self, row: int, column: int) -> Place:
        stretch = self.stretch(column)
        return (row if stretch is None else min(MAX_ROW, stretch.row(row))), column

    def box(self, area: Area) -> Area:
        stretch = self.stretch(area.column)
        if stretch is None or area.bottom == MAX_ROW:
            return area
        whole = area.bottom == stretch.last and not area.single
        bottom = stretch.header + stretch.growth.now if whole else stretch.row(area.bottom)
        return dataclasses.replace(area, row=stretch.row(area.row), bottom=bottom)


def follow(text: str, own: str, grown: Sequence[Grown]) -> str:
    """Return a formula of the sheet `own` with its references where the cells stand now."""
    for one in grown:
        if one.sheet in text or one.sheet == own:
            text = one.formula(text, own)
    return text


def area_now(text: str, grown: Grown) -> str:
    """Return ranges of one sheet, separated by blanks, where they stand now."""
    return text if grown.is_still else " ".join(grown.formula(one, grown.sheet) for one in text.split())
