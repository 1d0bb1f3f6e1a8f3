"""Where names, scores and ratings are typed beside expectations, in books whose games no ledger carries on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from elo_sheets.files.package import CellError
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.data_faults import Inputs, cell_value, data_faults
from elo_sheets.recognise.model import Form, Key
from elo_sheets.recognise.parts import Part
from elo_sheets.recognise.periods.tournaments import looks_up
from elo_sheets.recognise.roles import has_power

LEAST_ROWS = 4
MOSTLY = 0.7  # the share of entries that say what a column holds
LOWEST_RATING = 100.0


def expectation_columns(context: Context) -> Iterator[tuple[Part, list[Key]]]:
    """Yield the columns of one formula that is an expectation, each with what its first sound cell does.

    Sheets whose games were replayed are left out: what they hold is known.
    """
    model = context.model
    groups: dict[tuple[str, int, Form], list[Key]] = {}
    for key, form in model.forms.items():
        groups.setdefault((key[0], key[2], form), []).append(key)
    for (_, _, form), keys in groups.items():
        if (
            len(keys) < LEAST_ROWS
            or keys[0][0] in context.replayed
            or not (has_power(form.tree) or looks_up(form.tree))
        ):
            continue
        sound = [key for key in keys if model.number(key) is not None]
        part = context.prober.analyse(sound[0]) if sound else None
        if part is not None and part.kind == "E":
            yield part, sorted(keys)


def entry_faults(context: Context) -> list[Proposal]:
    """Return what is wrong with the entries beside the expectations of a book."""
    found: list[Proposal] = []
    seen: set[tuple[str, int, int]] = set()
    for _, keys in expectation_columns(context):
        place = (keys[0][0], keys[0][1], keys[-1][1])
        if place not in seen:
            seen.add(place)
            found += data_faults(context, _entries(context, keys))
    return found


def _entries(context: Context, keys: Sequence[Key]) -> Inputs:
    model, inputs = context.model, Inputs()
    entered: list[tuple[list[Key], Counter[str]]] = []
    sheet, rows = keys[0][0], [row for _, row, _ in keys]  # what stands between is no game
    for column in sorted({c for r, c in model.book.sheets[sheet] if keys[0][1] <= r <= keys[-1][1]}):
        cells = [(sheet, row, column) for row in rows]
        typed = [key for key in cells if (cell := model.cell(key)) is not None and cell.formula is None]
        if len(typed) < MOSTLY * len(rows) or not _is_read(context, typed):
            continue
        values = [cell_value(model, key) for key in typed]
        numbers = [v for v in values if isinstance(v, float)]
        texts = [v for v in values if isinstance(v, str) and not isinstance(v, CellError)]
        if sum(n in (0.0, 0.5, 1.0) for n in numbers) >= MOSTLY * len(values):
            inputs.scores.append(cells)
            inputs.scored = True
        elif sum(n >= LOWEST_RATING for n in numbers) >= MOSTLY * len(values):
            inputs.ratings.append(cells)
        elif len(texts) >= MOSTLY * len(values):
            entered.append((cells, Counter(texts)))
    # Players stand now on the one side and now on the other, and results do not; on a list each stands once.
    met = [cells for cells, texts in entered if len(texts) < texts.total()
           and any(texts & others for _, others in entered if others is not texts)]  # fmt: skip
    inputs.names = met or [cells for cells, texts in entered if len(texts) <= MOSTLY * texts.total()]
    return inputs


def _is_read(context: Context, keys: Sequence[Key]) -> bool:
    readers = context.evaluator.readers
    return sum(readers.is_read(key) for key in keys) >= MOSTLY * len(keys)


__all__ = ["entry_faults", "expectation_columns"]
