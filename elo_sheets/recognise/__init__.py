"""Workbooks that elo-sheets never saw: what their cells mean, and what is wrong with them.

The modules, for those who add a layout:

- `model.Model`: formulas as relative forms, computed values, references, headers.
- `cells.find_runs(model)`: columns, rows and blocks of like formulas; `cells.find_suspects`: what departs from them.
- `evaluate.Evaluator(model).probe(target, {leaf: value}, formulas={})`: a cell as a function of other cells.
- `compare.equivalent(...)`, `compare.code_of(...)`: two formulas of one cell, and the kind of the mistake.
- `departures.spell(tree, sheet)`, `departures.majority_text(...)`: formulas as text in the sheet's own style.
- `context.Proposal`, `context.Sheetwork`: what a layout module returns; `judge.judge` measures it by the engine.

A layout module offers `recognise(context) -> Sheetwork | None` (see `context.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from elo_sheets.recognise.model import Recognised

if TYPE_CHECKING:
    from elo_sheets.files.package import Book

TIMEOUT = 120.0


def recognise_book(
    book: Book,
    *,
    engine: str = "ironcalc",
    tolerance: float | None = None,
    timeout: float = TIMEOUT,
    roles: Mapping[str, str] | None = None,
    allow: Mapping[str, float] | None = None,
) -> Recognised:
    """Return what a book of unknown make is, and what is wrong with it.

    `allow` are rules of the house (`{"draw": 0.0}`, see `detective.houses`).
    `roles` maps role letters to cells that a person says play them (`{"E": "Log!F"}`). Raises `NotChecked` when no
    engine can be shown to have recalculated the book.
    """
    from elo_sheets.recognise.work import examine

    return examine(
        book, engine, 1e-9 if tolerance is None else tolerance, timeout, dict(roles or {}), dict(allow or {})
    )


__all__ = ["Recognised", "recognise_book"]
