"""Sums that are written out opponent by opponent: each player's formula is another's with the two players exchanged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from elo_sheets.expr import Binary, Expr, walk
from elo_sheets.recognise.compare import code_of, equivalent
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.model import Area, Key, with_areas

LEAST = 3  # players


@dataclass(frozen=True)
class Square:
    """The cells of everybody against everybody, row and column in the order of the players' rows."""

    sheet: str
    top: int
    left: int


class WrittenOut:
    """A column of sums; `rows` are those of the players, `square` what else the sums read, player by player."""

    def __init__(self, context: Context, sheet: str, column: int, rows: Sequence[int]) -> None:
        self.context, self.sheet, self.column, self.rows = context, sheet, column, list(rows)
        model = context.model
        self.trees = {row: tree for row in rows if (tree := model.tree((sheet, row, column))) is not None}
        self.square = self._square()

    def _square(self) -> Square | None:
        """The box around the single cells that are neither of the players' rows nor read by every formula."""
        read = {
            row: {(n.sheet or self.sheet, n.row, n.column) for n in walk(tree) if isinstance(n, Area)}
            for row, tree in self.trees.items()
        }
        if len(read) < LEAST or any(isinstance(n, Area) and not n.single for t in self.trees.values() for n in walk(t)):
            return None
        settings = set.intersection(*read.values())
        cells = {k for keys in read.values() for k in keys if not self._of_player(k)} - settings
        sheets = {sheet for sheet, _, _ in cells}
        if len(sheets) != 1:
            return None
        rows, columns = {row for _, row, _ in cells}, {column for _, _, column in cells}
        size = len(self.rows) - 1
        square = max(rows) - min(rows) == max(columns) - min(columns) == size
        return Square(sheets.pop(), min(rows), min(columns)) if square else None

    def _of_player(self, key: Key) -> bool:
        return key[0] == self.sheet and key[1] in self.rows

    def exchanged(self, source: int, target: int) -> Expr:
        """The formula of one player's row as it reads for another."""
        swap = {source: target, target: source}
        at = {self.rows.index(a): self.rows.index(b) for a, b in swap.items()}

        def moved(area: Area) -> Area:
            key = (area.sheet or self.sheet, area.row, area.column)
            row, column = area.row, area.column
            if self._of_player(key):
                row = swap.get(row, row)
            elif self.square is not None and key[0] == self.square.sheet:
                i, j = row - self.square.top, column - self.square.left
                if 0 <= i < len(self.rows) and 0 <= j < len(self.rows):
                    row, column = self.square.top + at.get(i, i), self.square.left + at.get(j, j)
            return Area(area.sheet, row, column, row, column, area.fixed, area.single)

        return self._ordered(with_areas(self.trees[source], moved), target)

    def _ordered(self, tree: Expr, row: int) -> Expr:
        """A sum with its terms in the order of the opponents."""

        def opponents(term: Expr) -> list[int]:
            return sorted(n.row for n in walk(term) if isinstance(n, Area) and n.row in self.rows and n.row != row)

        return _sum(sorted(_terms(tree), key=opponents))

    def model_row(self) -> int | None:
        """A row whose formula is that of most others, players exchanged; None when they are not alike."""
        for source in self.trees:
            others = [row for row in self.trees if row != source]
            if 2 * sum(self._alike(source, row) for row in others) > len(others):
                return source
        return None

    def _alike(self, source: int, row: int) -> bool:
        return self._compared(source, row) is True

    def differs(self, source: int, row: int) -> bool:
        """Whether a row's formula gives something else than that of another player, players exchanged."""
        return row != source and self._compared(source, row) is False

    def _compared(self, source: int, row: int) -> bool | None:
        key = (self.sheet, row, self.column)
        return equivalent(self.context.evaluator, key, self.exchanged(source, row), self.trees[row])


def departed(context: Context, sheet: str, column: int, rows: Sequence[int]) -> list[Proposal]:
    """Return a proposal for each player whose sum is typed, missing, or not the others' with players exchanged."""
    sums = WrittenOut(context, sheet, column, rows)
    source = sums.model_row() if sums.square is not None else None
    if source is None:
        return []
    odd = [row for row in rows if row not in sums.trees or sums.differs(source, row)]
    return [_proposal(context, sums, source, row) for row in odd] if len(odd) <= len(rows) // 3 else []


def _proposal(context: Context, sums: WrittenOut, source: int, row: int) -> Proposal:
    key, like = (sums.sheet, row, sums.column), (sums.sheet, source, sums.column)
    expected, present = sums.exchanged(source, row), sums.trees.get(row)
    text = spell_anchored(context.model, key, expected, like)
    if present is not None:
        code = code_of(_in_order_of(present, expected), present, {}, key)
    else:
        code = "ES202" if context.model.value(key) in (None, "") else "ES201"
    return Proposal(code, (key,), repairs={key: text}, fix="=" + text, rank=1 if present is None else 3)


def _in_order_of(present: Expr, expected: Expr) -> Expr:
    """A sum with its terms in the order in which another has them."""
    left = [term for term in _terms(expected) if term not in _terms(present)]
    if len(_terms(present)) != len(_terms(expected)):
        return expected
    return _sum([term if term in _terms(expected) else left.pop(0) for term in _terms(present)])


def _sum(terms: Sequence[Expr]) -> Expr:
    found = terms[0]
    for term in terms[1:]:
        found = Binary("+", found, term)
    return found


def _terms(tree: Expr) -> list[Expr]:
    if isinstance(tree, Binary) and tree.operator == "+":
        return [*_terms(tree.left), *_terms(tree.right)]
    return [tree]


__all__ = ["WrittenOut", "departed"]
