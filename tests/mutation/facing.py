"""The same books laid out another way: the newest game on top, or a game in each column.

Cells get other places and every reference follows, so an engine gives the same numbers. Only for books whose formulas
ask for no order: what MATCH finds first would be another row.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from elo_sheets.engines.sanitised import Values
from elo_sheets.files.references import Place, column_letters, column_number

from .draft import Draft, Spot, plain

_PART = re.compile(
    r"(?P<text>\"(?:[^\"]|\"\")*\")|(?P<sheet>(?:'(?:[^']|'')*'|[^\W\d][\w.]*)!)?(?<![\w.$])"
    r"(?P<first>\$?[A-Z]{1,3}\$?[1-9]\d{0,6})(?::(?P<last>\$?[A-Z]{1,3}\$?[1-9]\d{0,6}))?(?![\w.(\[!])"
)
_CORNER = re.compile(r"(\$?)([A-Z]+)(\$?)(\d+)")


@dataclass(frozen=True)
class Facing:
    """How the ledger, the largest sheet, is laid out: `across` has a game a column, else the newest is on top."""

    across: bool

    def fits(self, draft: Draft) -> bool:
        """Say whether the draft can be laid out that way: tables and hidden rows are only ever down a sheet."""
        return not (self.across and (draft.tables or draft.hidden_rows))

    @staticmethod
    def ledger(draft: Draft) -> str:
        """Return the sheet that is laid out another way."""
        return max(draft.sheets, key=lambda sheet: len(draft.sheets[sheet]))

    def rows(self, draft: Draft) -> tuple[int, int]:
        """Return the first and last row of the games, below the last header."""
        cells = draft.sheets[self.ledger(draft)]
        heads = [
            row
            for row in {row for row, _ in cells}
            if sum(isinstance(v, str) and v[:1] != "=" for (r, _), v in cells.items() if r == row) >= 4
            and not any(isinstance(v, int | float) or v[:1] == "=" for (r, _), v in cells.items() if r == row)
        ]
        return max(heads) + 1, max(row for row, _ in cells)

    def place(self, draft: Draft) -> Callable[[str, int, int], Place]:
        """Return where a cell of a sheet goes."""
        first, last = self.rows(draft)
        ledger = self.ledger(draft)

        def there(sheet: str, row: int, column: int) -> Place:
            if sheet != ledger:
                return row, column
            if self.across:
                return column, row
            return (first + last - row if first <= row <= last else row), column

        return there

    def draft(self, draft: Draft) -> Draft:
        """Return the workbook laid out the other way; its marks are gone."""
        move = self.place(draft)
        new = draft.copy()
        for sheet, cells in draft.sheets.items():
            new.sheets[sheet] = {
                move(sheet, *at): self._formula(plain(content), sheet, move)
                if isinstance(content, str) and content.startswith("=")
                else content
                for at, content in cells.items()
            }
        new.formats = {self._spot(where, move): text for where, text in draft.formats.items()}
        new.stored = {self._spot(where, move): value for where, value in draft.stored.items()}
        new.unlocked = {self._spot(where, move) for where in draft.unlocked}
        new.names = {name: self._formula(text, "", move) for name, text in draft.names.items()}
        new.hidden_rows = {(sheet, move(sheet, row, 1)[0]) for sheet, row in draft.hidden_rows}
        new.validations = [(s, self._formula(area, s, move), values) for s, area, values in draft.validations]
        new.charts = [(s, self._formula(area, s, move)) for s, area in draft.charts]
        return new

    def spots(self, draft: Draft, cells: frozenset[Spot]) -> frozenset[Spot]:
        """Return where cells of the draft are to be found."""
        move = self.place(draft)
        return frozenset(self._spot(where, move) for where in cells)

    def values(self, draft: Draft, values: Values) -> Values:
        """Return the engine's values of the draft by their new places."""
        move = self.place(draft)
        return {s: {move(s, *at): value for at, value in cells.items()} for s, cells in values.items()}

    @staticmethod
    def _spot(where: Spot, move: Callable[[str, int, int], Place]) -> Spot:
        return where[0], move(where[0], *where[1])

    def _formula(self, formula: str, home: str, move: Callable[[str, int, int], Place]) -> str:
        def moved(match: re.Match[str]) -> str:
            if match["first"] is None:
                return match[0]
            name = (match["sheet"] or "")[:-1].strip("'").replace("''", "'") or home
            corners = [corner for corner in (match["first"], match["last"]) if corner]
            cells = []
            for corner in corners:
                found = _CORNER.fullmatch(corner)
                assert found is not None
                (row, column), fixed = move(name, int(found[4]), column_number(found[2])), (found[3], found[1])
                if self.across and move(name, 1, 2) == (2, 1):
                    fixed = fixed[1], fixed[0]
                cells.append((row, column, *fixed))
            texts = [f"{c[3]}{column_letters(c[1])}{c[2]}{c[0]}" for c in sorted(cells)]
            return (match["sheet"] or "") + ":".join(texts)

        return _PART.sub(moved, formula)


__all__ = ["Facing"]
