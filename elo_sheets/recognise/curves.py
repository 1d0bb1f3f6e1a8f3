"""Curves of expectations: what a share of two ratings is as a function of their difference, found by asking it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Curve:
    """An expectation as a function of the difference: `scale` of a logistic curve, None for another curve."""

    scale: float | None
    advantage: float = 0.0
    cap: float | None = None

    @property
    def name(self) -> str:
        """The curve as a fact says it."""
        return "other" if self.scale is None else "logistic"


def curve(share: Callable[[float, float], float | None], center: float) -> tuple[Curve, bool] | None:
    """Return the curve that `share(a, b)` is, and whether it rises in `a`; None when it is no expectation.

    An expectation lies between 0 and 1, depends on the difference alone, is monotone, and both sides sum to one. A
    logistic curve may be moved by an advantage; its logit is a straight line.
    """
    c = center
    start = share(c, c)
    if start is None or not 0.01 < start < 0.99:
        return None
    step = next((h for h in (100.0, 20.0, 400.0, 2.0, 0.2) if _useful(share(c + h, c), share(c, c + h))), None)
    if step is None:
        return None
    up, down = share(c + step, c), share(c, c + step)
    moved = share(c + step + 37, c + 37)
    up2, down2 = share(c + 2 * step, c), share(c, c + 2 * step)
    if up is None or down is None or moved is None or up2 is None or down2 is None:
        return None
    points = (down2, down, start, up, up2)
    if abs(moved - up) > 1e-6 or not all(-1e-9 <= p <= 1 + 1e-9 for p in points):
        return None
    rising = up > down
    inside = [p for p in points if 1e-12 < p < 1 - 1e-12]
    if len(inside) == 5:
        logits = [math.log10(p / (1 - p)) for p in points]
        gaps = [b - a for a, b in itertools.pairwise(logits)]
        if max(gaps) - min(gaps) < 1e-6 * max(1.0, abs(gaps[0])):
            scale = step / abs(gaps[0])
            advantage = logits[2] * scale
            return Curve(_tidy(scale), _tidy(advantage) if abs(advantage) > 1e-5 else 0.0), rising
    ordered = list(points) if rising else list(reversed(points))
    if step < 20.0 and not _stays_inside(share, c):
        return None
    falling_back = any(b < a - 1e-12 for a, b in itertools.pairwise(ordered))
    if falling_back or abs(start - 0.5) > 1e-6 or abs(up + down - 1) > 1e-6 or abs(up2 + down2 - 1) > 1e-6:
        return None
    return Curve(None), rising


def _stays_inside(share: Callable[[float, float], float | None], center: float) -> bool:
    """Whether a share that is steep near equal ratings is one far from them too, not a difference of ratings."""
    far = (share(center + 100.0, center), share(center, center + 100.0))
    return all(p is not None and -1e-9 <= p <= 1 + 1e-9 for p in far)


def _useful(up: float | None, down: float | None) -> bool:
    return up is not None and down is not None and all(0.02 < p < 0.98 for p in (up, down)) and abs(up - down) > 0.02


def _tidy(value: float) -> float:
    near = round(value, 4)
    return near if abs(near - value) < 1e-6 * max(1.0, abs(value)) else value


def cap(at: Callable[[float, float], float | None], center: float, shape: Curve) -> float | None:
    """The difference beyond which an expectation below one stays the same; None when it never does."""
    scale = shape.scale or 400.0
    top = at(center + 4 * scale, center)
    if top is None or top >= 0.9999 or top != at(center + 5 * scale, center):
        return None
    low, high = 0.0, 4 * scale
    for _ in range(60):
        middle = (low + high) / 2
        share = at(center + middle, center)
        low, high = (low, middle) if share is not None and share >= top else (middle, high)
    return round(high, 6)
