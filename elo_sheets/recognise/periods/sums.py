"""Cells that follow many ratings: closing ratings and sums of expectations, probed by moving one rating at a time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

from elo_sheets.expr import Expr
from elo_sheets.recognise.evaluate import Evaluator
from elo_sheets.recognise.model import Key
from elo_sheets.recognise.parts import unrounded

FAR = 60_000.0
Formulas = Mapping[Key, Expr]


@dataclass(frozen=True)
class Closing:
    """How a cell follows the ratings: `terms` counts the opponents it follows, `wrong` those it follows wrongly."""

    terms: int
    wrong: tuple[Key, ...]
    scales: tuple[float, ...]
    moves_along: bool

    @property
    def right(self) -> bool:
        """Whether the cell behaves as a closing rating or a sum of expectations."""
        return self.terms > 0 and not self.wrong and self.moves_along


class Sums:
    """Probes cells that depend on many ratings."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.model = evaluator.model

    def closing(
        self, key: Key, everybody: list[Key], others: list[Key], formulas: Formulas | None = None, *, rises: bool = True
    ) -> Closing | None:
        """Return how a cell follows the ratings; `rises`: with the opponents', as a closing rating does (a sum of
        expectations falls and does not move along). None when the cell cannot be computed.
        """
        own = (formulas or {}).get(key, self.model.tree(key))
        whole = {} if own is None else {key: unrounded(own)}  # a closing rating may be shown in whole points
        formulas = {**(formulas or {}), **whole}
        c = 1500.0
        level: dict[Key, float] = dict.fromkeys(everybody, c)

        def at(change: Mapping[Key, float]) -> float | None:
            return self.evaluator.number(key, {**level, **change}, formulas, depth=24)

        here, along = at({}), at(dict.fromkeys(level, c + 64))
        if here is None or along is None:
            return None
        moves = abs(along - here - (64 if rises else 0)) < 1e-6
        terms, wrong, scales = 0, [], []
        for other in others:
            low, high = at({other: c - FAR}), at({other: c + FAR})
            if low is None or high is None:
                terms += 1
                wrong.append(other)
                continue
            near = at({other: c - 100})
            if abs(high - low) < 1e-9:
                if near is None or abs(near - here) > 1e-9:  # the sign of the difference is lost
                    terms += 1
                    wrong.append(other)
                continue
            terms += 1
            scale = self._scale(at, other, c, low, high) if (high > low) == rises else None
            if scale is None:
                wrong.append(other)
            else:
                scales.append(scale)
        return Closing(terms, tuple(wrong), tuple(scales), moves)

    def _scale(self, at, other: Key, c: float, low: float, high: float) -> float | None:  # type: ignore[no-untyped-def]
        """The scale of the curve by which the cell follows one rating; 0 for another curve, None for no expectation."""
        points = [at({other: c + step}) for step in (-200.0, -100.0, 0.0, 100.0, 200.0)]
        large = at({other: c + FAR / 10})
        if large is None or any(p is None for p in points) or abs(high - large) > 1e-3 * abs(high - low):
            return None  # an expectation has reached its end long before
        shares = [(p - low) / (high - low) for p in points]
        if abs(shares[2] - 0.5) > 1e-4 or abs(shares[0] + shares[4] - 1) > 1e-4 or shares[4] < shares[3] - 1e-9:
            return None
        if all(1e-9 < s < 1 - 1e-9 for s in shares):
            logits = [math.log10(s / (1 - s)) for s in shares]
            gaps = [b - a for a, b in itertools.pairwise(logits)]
            if max(gaps) - min(gaps) < 1e-4 * abs(gaps[0]):
                return round(100.0 / gaps[0], 3)
        inside = [s for s in shares if 0.001 < s < 0.999]
        return 0.0 if len(inside) >= 3 else 1.0
