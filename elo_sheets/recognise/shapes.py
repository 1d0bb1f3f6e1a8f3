"""Curves of expectations by name: logistic, normal, linear, the table of differences; with a cap of the difference."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

from elo_sheets.ops import table_step
from elo_sheets.recognise.curves import Curve
from elo_sheets.systems import elo, fide
from elo_sheets.systems._tables import DIFFERENCE_TABLE

CLOSE = 1e-7
FAR = (0.0, 1.0, -30.0, 64.0, -128.0, 210.0, -333.0, 390.0, -450.0, 620.0, -800.0)


@dataclass(frozen=True)
class Shape:
    """A curve: its name, its scale (points for odds of ten, the deviation, the width), advantage and cap."""

    name: str
    scale: float
    advantage: float = 0.0
    cap: float | None = None

    def expectation(self, difference: float) -> float:
        """Return the expectation at a difference of ratings."""
        gap = difference + self.advantage
        if self.cap is not None:
            gap = max(-self.cap, min(self.cap, gap))
        if self.name == "logistic":
            return logistic(gap, self.scale)
        if self.name == "normal":
            return float(elo.normal_expected(gap, self.scale * 7 / 5))
        if self.name == "linear":
            return float(elo.linear_expected(gap, self.scale / 2))
        return table_expectation(gap)


def logistic(difference: float, scale: float) -> float:
    """Return the logistic expectation of a difference, however large."""
    return float(elo.expected(max(-300.0 * scale, min(300.0 * scale, difference)), scale))


def table_expectation(difference: float) -> float:
    """Return the expectation in FIDE's table of differences."""
    return float(fide.expected(difference, table_step(DIFFERENCE_TABLE, abs(difference))))


def shape_of(share: Callable[[float], float | None], curve: Curve) -> Shape | None:
    """Return the named curve that `share(difference)` is, as far as it was asked; None when it is none of them."""
    for shape in _guesses(share, curve):
        if all((p := share(x)) is not None and abs(p - shape.expectation(x)) < CLOSE for x in FAR):
            return shape
    return None


def _guesses(share: Callable[[float], float | None], curve: Curve) -> list[Shape]:
    near, far = share(50.0), share(60_000.0)
    found: list[Shape] = []
    if curve.scale is not None:
        plain = Shape("logistic", curve.scale, curve.advantage)
        found.append(plain)
        for name in (400.0, 350.0, 300.0, 500.0, 600.0, 735.0, 800.0, 200.0, 1000.0):
            if far is not None and far < 1 - 1e-9:
                found.append(Shape("logistic", curve.scale, curve.advantage, name))
        if far is not None and 0.5 < far < 1 - 1e-9:
            found.append(Shape("logistic", curve.scale, curve.advantage, _gap(far, curve.scale)))
        return found
    if near is not None and 0.5 < near < 1:
        found.append(Shape("normal", 50.0 / NormalDist().inv_cdf(near)))
        found.append(Shape("linear", 50.0 / (near - 0.5)))
    return [*found, Shape("FIDE table", 400.0), Shape("FIDE table", 400.0, 0.0, 400.0)]


def _gap(share: float, scale: float) -> float:
    return scale * math.log10(share / (1 - share))


__all__ = ["Shape", "logistic", "shape_of", "table_expectation"]
