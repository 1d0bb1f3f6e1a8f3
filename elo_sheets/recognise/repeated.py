"""Blocks of columns side by side, a round or a month in each: a column has the formula that its like in the others has.

Columns belong together that stand under one heading at one distance. The first may start from a list, so that its
formulas are of their own; of the others one that differs from all that agree is at fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import pairwise

from elo_sheets.recognise.compare import code_of, equivalent
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.departures import filled
from elo_sheets.recognise.model import Form, Key, Model, at_cell

LEAST_BLOCKS, LEAST_ROWS = 4, 3  # the first may differ, and of three that are left two must agree
LEAST_DISTANCE = 2  # columns: what stands side by side under one heading are players, or halves of something
MOSTLY = 0.75  # of the rows of a column have its formula


def repeated_faults(context: Context, roles: Mapping[Key, str], told: Container[Key]) -> Iterator[Proposal]:
    """Yield a proposal for each column with another formula than its like in most other blocks; `told` are left out."""
    model = context.model
    for columns in _like(model):
        forms = [_usual(model, cells) for cells in columns]
        form, count = (
            Counter(form for form in forms[1:] if form is not None).most_common(1)[0] if forms[1:] else (None, 0)
        )
        odd = [at for at, one in enumerate(forms) if at and one is not form]
        if form is None or len(odd) != 1 or count < LEAST_BLOCKS - 2:
            continue
        like = next(cells for cells, one in zip(columns[1:], forms[1:], strict=True) if one is form)
        cells = [key for key in columns[odd[0]] if key in model.forms and key not in told]
        trees = {key: at_cell(form.tree, key) for key in cells}
        present = {key: tree for key in cells if (tree := model.tree(key)) is not None}
        differing = [
            key for key, tree in present.items() if equivalent(context.evaluator, key, trees[key], tree) is False
        ]
        source = {key[1]: key for key in like if model.forms.get(key) is form}
        if 2 * len(differing) <= len(cells) or any(key[1] not in source for key in cells):
            continue
        repairs = {key: filled(model, key, trees[key], source[key[1]]) for key in cells}
        code = code_of(trees[cells[0]], present[cells[0]], roles, cells[0])
        says = "the blocks beside it have another formula in this place"
        yield Proposal(code, tuple(cells), says, repairs, fix="=" + repairs[cells[0]], rank=4)


def _usual(model: Model, cells: Sequence[Key]) -> Form | None:
    """The formula of nearly all cells of a column."""
    forms = Counter(form for key in cells if (form := model.forms.get(key)) is not None)
    form, count = forms.most_common(1)[0] if forms else (None, 0)
    return form if count >= MOSTLY * len(cells) else None


def _like(model: Model) -> Iterator[list[list[Key]]]:
    """Columns of formulas under one heading, at one distance from each other and in the same rows."""
    columns: dict[tuple[str, int], list[Key]] = {}
    for key in sorted(model.forms):
        columns.setdefault((key[0], key[2]), []).append(key)
    headed: dict[tuple[str, str], list[list[Key]]] = {}
    for (sheet, _), cells in sorted(columns.items()):
        if len(cells) >= LEAST_ROWS and (heading := model.header(cells[0])):
            headed.setdefault((sheet, heading.casefold()), []).append(cells)
    for found in headed.values():
        places = [cells[0][2] for cells in found]
        apart = {after - before for before, after in pairwise(places)}
        rows = {tuple(key[1] for key in cells) for cells in found}
        if len(found) >= LEAST_BLOCKS and len(apart) == 1 and min(apart) >= LEAST_DISTANCE and len(rows) == 1:
            yield found


__all__ = ["repeated_faults"]
