"""Two sheets as one: the games on one, and every player's rating after each of them in the same order on another.

The recognisers know such ratings as columns beside the games. Set together, the sheet whose rows stand higher is seen
to the right of the other one, each of its rows beside the row that it goes along with.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from elo_sheets.expr import Expr
from elo_sheets.files.package import MAX_COLUMN, MAX_ROW, Cell, Value, sheet_text
from elo_sheets.recognise.blocks import powers
from elo_sheets.recognise.model import ROW, Area, Key, Model, area_of, area_text, split_sheet, with_areas
from elo_sheets.recognise.transposed import LINE, REFERENCE, Turn, anchored
from elo_sheets.verdict.findings import Finding

LEAST_PLAYERS, LEAST_GAMES = 3, 4
MOSTLY = 0.8  # of the cells of a player's column that read a game must read the one as many rows off


@dataclass(frozen=True)
class Together(Turn):
    """The cells of `sheet`, seen on `onto` some rows further down and to the right of all that stands there."""

    onto: str
    down: int
    right: int

    @property
    def sheets(self) -> tuple[str, ...]:
        return self.sheet, self.onto

    def key(self, key: Key) -> Key:
        sheet, row, column = key
        if sheet == self.sheet:
            return self.onto, row + self.down, column + self.right
        if sheet == self.onto and column > self.right:
            return self.sheet, row - self.down, column - self.right
        return key

    def box(self, area: Area) -> Area:
        if area.sheet != self.sheet and area.column <= self.right:
            return area
        way = 1 if area.sheet == self.sheet else -1
        is_high, is_wide = area.row == 1 and area.bottom == MAX_ROW, area.right == MAX_COLUMN
        down, right = (0 if is_high else way * self.down), way * self.right
        return dataclasses.replace(
            area,
            sheet=self.onto if way > 0 else self.sheet,
            row=area.row + down, bottom=area.bottom + down,
            column=area.column + right, right=area.right + (0 if is_wide else right),
        )  # fmt: skip

    def tree(self, tree: Expr) -> Expr:
        return with_areas(tree, lambda area: self.box(area) if area.sheet in self.sheets else area)

    def formula(self, text: str, own: str) -> str:
        return self._with_references(text, own, self.onto if own in self.sheets else own)

    def formula_at_home(self, text: str, home: str) -> str:
        return self._with_references(text, self.onto if home in self.sheets else home, home)

    def _with_references(self, text: str, own: str, then: str) -> str:
        """The text of a formula of the sheet `own` with its references from the other side, for the sheet `then`."""

        def one(match: re.Match[str]) -> str:
            if match["cells"] is None:
                return match[0]
            where = own if match["sheet"] is None else split_sheet(match["sheet"])[0]
            sheet = next((one for one in self.sheets if where is not None and one.upper() == where.upper()), None)
            area = None if sheet is None else area_of(match["cells"], 0, 0)
            if area is None:
                return match[0]
            box = self.box(dataclasses.replace(area, sheet=sheet))
            prefix = "" if box.sheet == then or box.sheet is None else sheet_text(box.sheet) + "!"
            return prefix + anchored(box)

        return REFERENCE.sub(one, text)

    def values(self, values: Mapping[str, Mapping[tuple[int, int], Value]]) -> dict[str, dict[tuple[int, int], Value]]:
        found: dict[str, dict[tuple[int, int], Value]] = {sheet: {} for sheet in values}
        for sheet, cells in values.items():
            for at, value in cells.items():
                there = self.key((sheet, *at))
                found.setdefault(there[0], {})[there[1:]] = value
        return found

    def cell_at_home(self, cell: Cell, home: str) -> Cell:
        if cell.formula is None:
            return cell
        array = cell.array if cell.array is None else self.formula_at_home(cell.array, home)
        return dataclasses.replace(cell, formula=self.formula_at_home(cell.formula, home), array=array)

    # what is said to people

    def message(self, text: str) -> str:
        return self.formula_at_home(text, "")

    def finding(self, found: Finding) -> Finding:
        where = self._range(found.range)
        home = split_sheet(where)[0] or ""
        says = found.message
        if home == self.sheet and self.down:
            says = LINE.sub(
                lambda match: f"row {int(match['number']) - self.down}" if match["what"] == "row" else match[0], says
            )
        return dataclasses.replace(
            found,
            range=where,
            message=self.formula_at_home(says, home),
            fix=None if found.fix is None else self.formula_at_home(found.fix, home),
            reaches=tuple(map(self._range, found.reaches)),
        )

    def _range(self, text: str) -> str:
        sheet, cells = split_sheet(text)
        area = area_of(cells, 0, 0) if sheet in self.sheets else None
        return text if area is None else area_text(self.box(dataclasses.replace(area, sheet=sheet)), "")


def together(model: Model) -> Together | None:
    """Return how the ratings after each game of one sheet are set beside the games of another; None for none there."""
    columns: dict[tuple[str, str, int], int] = {}
    for (sheet, _), steps in _steps(model).items():
        (best, count), *_ = steps.most_common(1)
        if count >= max(LEAST_GAMES, MOSTLY * steps.total()):
            columns[sheet, *best] = columns.get((sheet, *best), 0) + 1
    for (sheet, games, by), players in columns.items():
        asks = (area for key, form in model.forms.items() if key[0] == games for area in form.areas)
        is_read = any(area.sheet == sheet and not area.fixed & ROW and area.bottom == area.row for area in asks)
        if (
            players >= LEAST_PLAYERS
            and is_read
            and not any(powers(f.tree) for k, f in model.forms.items() if k[0] == sheet)
        ):
            one, other = (sheet, games) if by >= 0 else (games, sheet)
            used = max(column for _, column in model.book.sheets[other])
            return Together(one, other, abs(by), used + 1)
    return None


def _steps(model: Model) -> dict[tuple[str, int], Counter[tuple[str, int]]]:
    """How many rows off each column that goes on from the cell above reads which other sheet, and how often."""
    found: dict[tuple[str, int], Counter[tuple[str, int]]] = {}
    for (sheet, _, column), form in model.forms.items():
        if form.goes_on:
            read = {
                (area.sheet, area.row) for area in form.areas
                if area.sheet not in (None, sheet) and not area.fixed & ROW and area.row == area.bottom
            }  # fmt: skip
            found.setdefault((sheet, column), Counter()).update((str(one), by) for one, by in read)
    return {place: steps for place, steps in found.items() if steps}


__all__ = ["Together", "together"]
