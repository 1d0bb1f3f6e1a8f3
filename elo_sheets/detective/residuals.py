"""Cells that show another number than the witness, and that nothing else explains: one finding for each stretch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from elo_sheets.detective.witness import Residual, Testimony, stretches
from elo_sheets.recognise.compare import code_of
from elo_sheets.recognise.context import NOTE, Context, Proposal
from elo_sheets.recognise.model import Key, at_cell

CODES = {"typed": "ES201", "missing": "ES202", "before": "ES123", "list": "ES123", "sum": "ES108", "begins": "ES123"}
SAYS = {
    "sum": "the rating is not the one before the period and what its games gave",
    "begins": "the period does not begin with the rating with which the one before ends",
}
OF_FORMULAS = ("before", "list", "sum", "begins")  # relations of which a code tells only where a formula stands


def unexplained(context: Context, said: Testimony, proposals: Iterable[Proposal]) -> Iterator[Proposal]:
    """Return a proposal for every stretch of cells that do not stand and that no other proposal names."""
    told = {key for one in proposals if one.severity != NOTE for key in one.cells}
    left = [key for key in said.residuals if key not in told]
    for keys in stretches(left):
        for code, same in groupby(keys, key=lambda key: _code(context, said.residuals[key])):
            yield _proposal(context, code, [said.residuals[key] for key in same])


def _code(context: Context, one: Residual) -> str:
    if one.relation in CODES and (one.relation not in OF_FORMULAS or one.key in context.model.forms):
        return CODES[one.relation]
    expected = None if one.text is None else context.model.form_of(one.text, one.key)
    found = context.model.tree(one.key)
    if found is None or expected is None:
        return "ES201" if found is None and one.found not in (None, "") else "ES108"
    return code_of(at_cell(expected.tree, one.key), found, {}, one.key)


def _proposal(context: Context, code: str, parts: list[Residual]) -> Proposal:
    cells = tuple(one.key for one in parts)
    repairs: dict[Key, str] = {one.key: one.text for one in parts if one.text is not None}
    first = parts[0]
    says = SAYS.get(first.relation, "") if first.key in context.model.forms else ""
    if len(repairs) == len(cells):
        return Proposal(code, cells, says, repairs=repairs, fix="=" + repairs[cells[0]], rank=6)
    return Proposal(code, cells, says, expected=first.due, found=first.found, effect=0.0, rank=6)


__all__ = ["unexplained"]
