"""Scales by which nobody rates: a lead that counts all or next to nothing, margins by another logarithm."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence

from elo_sheets.detective.broken import spelt
from elo_sheets.detective.houses import is_declared
from elo_sheets.detective.sides import LEAST_CENTER
from elo_sheets.expr import Call, Expr, Number, walk
from elo_sheets.recognise.context import WARNING, Context, Proposal, Sheetwork
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.model import Key, Model, at_cell
from elo_sheets.recognise.proposals import with_parts

LEAST_DIVISOR = 100.0  # rating points that divide a difference
NEAR = 1e-6  # by which share of it an evaluated scale may be off
LEAD = 120.0  # rating points
FLAT, STEEP = 0.523, 0.941  # what a lead of 120 points counts at a scale of 3000, and of 100
OF_MARGINS = (  # FiveThirtyEight's: LN(margin + 1)·2.2 / (0.001·lead + 2.2) and 0.6686·LN(margin) + 0.8048
    {2.2, 0.001},
    {0.6686, 0.8048},
)
NATURAL = re.compile(r"\bLN ?\(")  # in a note beside the games
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
        divisor = _of_another_base(context.model, cells["E"], scale)
        if divisor is not None and not is_odd(share) and not is_declared(context.allowed, house):
            says = f"the expected score divides by {spelt(divisor)}, but has not the base ten that goes with it"
            yield Proposal(
                "ES128", tuple(cells["E"]), says, severity=WARNING, expected=divisor, found=scale, effect=0.0, rank=7,
                house=house,
            )  # fmt: skip
        if cells["E"] and is_odd(share) and not is_declared(context.allowed, house):
            yield Proposal(
                "ES110", tuple(cells["E"]), said(share, scale), severity=WARNING, expected=USUAL, found=share,
                effect=0.0, rank=7, house=house,
            )  # fmt: skip


def _of_another_base(model: Model, cells: Sequence[Key], scale: float) -> float | None:
    """The whole number that an expectation divides by where it raises 2 or e to the power, and no scale is meant."""
    tree = model.tree(cells[0]) if cells else None
    if tree is None or math.isclose(scale, round(scale), rel_tol=NEAR):
        return None
    numbers = [node.value for node in walk(tree) if isinstance(node, Number)]
    numbers += [number for key in model.precedents(cells[0]) if (number := model.number(key)) is not None]
    whole = (number for number in numbers if number >= LEAST_DIVISOR and not number % 1)
    return next(
        (n for n in whole for base in (2.0, math.e) if math.isclose(n / math.log10(base), scale, rel_tol=NEAR)), None
    )


def odd_logarithms(context: Context) -> Iterator[Proposal]:
    """Factors of the margin with the logarithm to ten for the natural one of FiveThirtyEight's rules, or of a note."""
    model = context.model
    said = {sheet for sheet, cells in model.book.sheets.items()
            for cell in cells.values() if isinstance(cell.value, str) and NATURAL.search(cell.value)}  # fmt: skip
    wrong: dict[tuple[str, int], dict[Key, str]] = {}
    for key, form in sorted(model.forms.items()):
        numbers = {node.value for node in walk(form.tree) if isinstance(node, Number)}
        tree = at_cell(form.tree, key)
        known = key[0] in said or any(numbers >= rule for rule in OF_MARGINS)
        if known and (natural := _natural(tree)) != tree:
            wrong.setdefault((key[0], key[2]), {})[key] = spell_anchored(model, key, natural)
    for repairs in wrong.values():
        says = "the factor of the margin takes the logarithm to ten, and the rule that goes with it the natural one, LN"
        yield Proposal(
            "ES108", tuple(repairs), says, repairs, severity=WARNING, fix="=" + next(iter(repairs.values())), rank=5
        )


def _natural(node: Expr) -> Expr:
    """A formula with its logarithms to ten as natural ones."""
    if isinstance(node, Call) and node.function in ("LOG", "LOG10") and len(node.arguments) == 1:
        return Call("LN", node.arguments)
    return with_parts(node, _natural)


__all__ = ["USUAL", "is_odd", "odd_logarithms", "odd_scales", "said"]
