"""The proof of a calculator: its new ratings compared with the rule over a grid of ratings and results."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from elo_sheets.files.package import CellError, Value
from elo_sheets.recognise.behind import cone
from elo_sheets.recognise.calculators.book import Desk, Formulas
from elo_sheets.recognise.model import Key
from elo_sheets.recognise.parts import POINTS, Part, unrounded
from elo_sheets.recognise.shapes import Shape, shape_of

MATE = 37.0  # by how much a partner's rating is taken to differ from the team's


class Proof:
    """Compares the new ratings of a desk with what its rule gives."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.shapes: dict[tuple[Key, Key, Key], Shape | None] = {}

    def values_agree(self) -> bool:
        """Whether every new rating is what the rule makes of its inputs, as they are and as they might be."""
        return all(
            self._agrees_today(part) and self._agrees_elsewhere(part)
            for part in self.desk.parts.values()
            if part.kind == "N"
        )

    def _agrees_today(self, part: Part) -> bool:
        if self.desk.counted:
            return self._adds_up(part)
        numbers = [
            self.desk.model.number(key) for key in (part.own, part.other, part.member or part.base) if key is not None
        ]
        score = part.literal if part.score is None else self._score(part)
        found = self.desk.model.number(part.key)
        if len(numbers) < 3 or None in numbers or score is None or found is None:
            return False
        right = self._right(part, numbers[0] or 0.0, numbers[1] or 0.0, score, numbers[2] or 0.0)
        return right is not None and abs(right - found) <= (1.01 if part.rounded else 1e-6)

    def _agrees_elsewhere(self, part: Part) -> bool:
        """Whether the cell does what the rule says at ratings and results that do not stand in the book."""
        assert part.own is not None
        middle = self.desk.model.number(part.own) or 1500.0
        formulas = {**self.desk.formulas, **self.desk.prober.held(part.key, self.desk.formulas)}
        for gap, (shown, score) in itertools.product((-340.0, -95.0, 0.0, 12.0, 150.0, 700.0), self._results(part)):
            at: dict[Key, Value] = {part.own: middle, part.other: middle - gap}
            base = middle - gap if part.base == part.other else middle
            if part.member is not None:
                base += MATE
                at[part.member] = base
            if part.score is not None:
                at[part.score] = shown
            right, found = self._right(part, middle, middle - gap, score, base), self._number(part.key, at, formulas)
            if right is None or found is None or abs(right - found) > (1.01 if part.rounded else 1e-6):
                return False
        return True

    def _number(self, key: Key, at: Mapping[Key, Value], formulas: Formulas) -> float | None:
        return self.desk.context.evaluator.number(key, at, formulas)

    def _results(self, part: Part) -> list[tuple[Value, float]]:
        if part.score is None:
            return [(None, part.literal if part.literal is not None else 0.0)]
        pairs = zip(part.values, (0.0, 0.5, 1.0), strict=True)
        return [(shown, score) for shown, score in pairs if shown is not None]

    def _right(self, part: Part, own: float, other: float, score: float, base: float) -> float | None:
        """The new rating that the rule gives; None when its curve is none that is known."""
        shape = self.shape_of(part)
        if shape is None:
            return None
        return base + part.sign * part.k * (score - shape.expectation(own - other))

    def shape_of(self, part: Part) -> Shape | None:
        """The curve of a part by name, with its cap; None when it is none that is known."""
        key = (part.key, part.own, part.other)
        if key not in self.shapes:
            self.shapes[key] = self._shape(part)
        return self.shapes[key]

    def _shape(self, part: Part) -> Shape | None:
        middle = self.desk.model.number(part.own) or 1500.0
        formulas = {
            key: unrounded(tree)
            for key in cone(self.desk.model, part.key)
            if (tree := self.desk.tree_of(key)) is not None
        }  # fmt: skip
        formulas = {**self.desk.formulas, **formulas, **self.desk.prober.held(part.key, self.desk.formulas)}
        score = self._results(part)[-1]

        def share(difference: float) -> float | None:
            at: dict[Key, Value] = {part.own: middle, part.other: middle - difference}
            if part.score is not None:
                at[part.score] = score[0]
            if part.member is not None:
                at[part.member] = 0.0
            found = self._number(part.key, at, formulas)
            moves = part.base is not None and part.member is None
            base = 0.0 if not moves else middle - difference if part.base == part.other else middle
            return None if found is None else score[1] - part.sign * (found - base) / part.k

        return shape_of(share, part.curve)

    def _adds_up(self, part: Part) -> bool:
        """Whether a match brings as much as its games one by one, at other counts of games too."""
        cells = [*self.desk.counted, *([part.score] if part.score is not None else [])]
        base = 0.0 if part.base is None else self.desk.model.number(part.base)
        plain = {key: tree for key, tree in self.desk.formulas.items() if key not in self.desk.counted}
        if base is None or part.rounded:
            return False

        def change(*counts: float) -> float | None:
            found = self._number(part.key, dict(zip(cells, counts, strict=True)), plain)
            return None if found is None else found - base

        singles = [change(*(1.0 if i == j else 0.0 for j in range(len(cells)))) for i in range(len(cells))]
        today = [self.desk.model.number(cell) for cell in cells]
        for counts in ([3.0] * len(cells), [float(2 + i) for i in range(len(cells))], today):
            found = None if None in counts else change(*(c or 0.0 for c in counts))
            if found is None or None in singles:
                return False
            if abs(found - sum((s or 0.0) * (c or 0.0) for s, c in zip(singles, counts, strict=True))) > 1e-6:
                return False
        return True

    def _score(self, part: Part) -> float | None:
        assert part.score is not None
        value = self.desk.model.value(part.score)
        if isinstance(value, float) and part.values != POINTS:
            found = self._number(part.key, {part.score: value}, self.desk.formulas)
            for shown, score in self._results(part):
                at = self._number(part.key, {part.score: shown}, self.desk.formulas)
                if at is not None and found is not None and abs(at - found) < 1e-9:
                    return score
            return None
        for shown, score in zip(part.values, POINTS, strict=True):
            if value == shown or (isinstance(value, str) and value.casefold() == str(shown).casefold()):
                return score
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
        return 0.0 if isinstance(value, str) and not isinstance(value, CellError) else None
