"""Ledgers whose replay breaks off at cells that depart from their column: with these mended, is all else right?"""

from __future__ import annotations

from collections.abc import Sequence

from elo_sheets.errors import NotChecked
from elo_sheets.recognise.context import Context
from elo_sheets.recognise.departures import departures
from elo_sheets.recognise.evaluate import Evaluator
from elo_sheets.recognise.ledgers.plans import Replayed
from elo_sheets.recognise.ledgers.replaying import play
from elo_sheets.recognise.model import Model
from elo_sheets.recognise.repair import Repair, compute, with_changes

MOST = 20_000  # formulas of a book that is recalculated once more for this


def explained_sheets(context: Context, replays: Sequence[Replayed]) -> set[str]:
    """Return the sheets that replay to the end once every cell has the formula of its column.

    Nothing is wrong with whole columns of such a sheet: what it shows follows from the cells that depart.
    """
    failed = [one for one in replays if one.reason is not None and one.plan is not None]
    if not failed or context.model.formula_count > MOST:
        return set()
    repairs = {key: text for proposal in departures(context, {}) for key, text in proposal.repairs.items()}
    if not repairs:
        return set()
    book = with_changes(context.model.book, Repair(repairs))
    try:
        model = Model(book, compute([book], context.engine, context.timeout)[1][0])
    except NotChecked:
        return set()
    evaluator = Evaluator(model)
    return {one.sheet for one in failed if one.plan is not None and play(model, evaluator, one.plan).reason is None}
