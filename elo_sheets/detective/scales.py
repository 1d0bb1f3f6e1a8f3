"""Scales by which nobody rates: a lead of 120 points that counts nearly everything, or next to nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from elo_sheets.detective.broken import spelt
from elo_sheets.detective.houses import is_declared
from elo_sheets.detective.sides import LEAST_CENTER
from elo_sheets.recognise.context import WARNING, Context, Proposal, Sheetwork

LEAD = 120.0  # rating points
FLAT, STEEP = 0.523, 0.941  # what a lead of 120 points counts at a scale of 3000, and of 100
USUAL = 1 / (1 + 10 ** (-LEAD / 400))


def is_odd(share: float) -> bool:
    """Whether a lead of 120 points counts what it counts by no rating rule."""
    return not FLAT < share < STEEP


def said(share: float, scale: float | None) -> str:
    """What is odd, in words."""
    by = " is steep:" if scale is None else f" divides by {spelt(scale)}:"
    return f"the expected score{by} a lead of {LEAD:.0f} points counts {spelt(share)}"


def odd_scales(context: Context, works: Iterable[Sheetwork]) -> Iterator[Proposal]:
    """The expectations of what was recognised as a whole, where they go by a scale by which nobody rates."""
    for work in works:
        scale = work.facts.get("scale")
        cells = {role: [key for one in work.roles if one.role == role for key in one.cells] for role in "EBO"}
        ratings = [context.model.number(key) or 0.0 for role in "BO" for key in cells[role]]
        if not isinstance(scale, (int, float)) or scale <= 0 or max(ratings, default=0.0) < LEAST_CENTER:
            continue
        share, house = 1 / (1 + 10 ** (-LEAD / scale)), f"scale={spelt(scale)}"
        if cells["E"] and is_odd(share) and not is_declared(context.allowed, house):
            yield Proposal(
                "ES110", tuple(cells["E"]), said(share, scale), severity=WARNING, expected=USUAL, found=share,
                effect=0.0, rank=7, house=house,
            )  # fmt: skip


__all__ = ["USUAL", "is_odd", "odd_scales", "said"]
