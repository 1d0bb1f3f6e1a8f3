"""What newcomers start from, a setting that all read or a number beside each of them, and settings that are empty."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby

from elo_sheets.detective.chain import Log
from elo_sheets.detective.gains import shown
from elo_sheets.expr import Call, walk
from elo_sheets.recognise.context import WARNING, Context, Proposal
from elo_sheets.recognise.data_faults import typed_number
from elo_sheets.recognise.model import ROW, Area, Key, Model, range_text

LEAST = 3  # cells that show the setting
LEAST_READ = 4  # formulas that read a setting, where it stands by itself
LEAST_ALIKE = 5  # others with one start rating: of fewer, any may have brought his own
LOWEST, HIGHEST = 100.0, 10000.0  # rating points


def typed_openings(context: Context) -> Iterator[Proposal]:
    """Yield the one start rating that is typed, in columns of formulas in which all other newcomers take a setting."""
    model = context.model
    shown: dict[Key, list[Key]] = {}
    for key, form in model.forms.items():
        tree = model.tree(key)
        if isinstance(tree, Area) and tree.single and tree.fixed and form.areas:
            setting = (tree.sheet or key[0], tree.row, tree.column)
            if setting not in model.forms and LOWEST <= (model.number(setting) or 0.0) <= HIGHEST:
                shown.setdefault(setting, []).append(key)
    for setting, cells in shown.items():
        beside = {one for key in cells for one in _stretch(model, key)} if len(cells) >= LEAST else set()
        typed = [one for one in beside if one not in model.forms]
        number = model.number(typed[0]) if len(typed) == 1 else None
        if number is None or setting in beside or not LOWEST <= number <= HIGHEST or number == model.number(setting):
            continue
        near = min(cells, key=lambda one: (one[0] != typed[0][0], abs(one[1] - typed[0][1])))
        text = (cell.formula or "") if (cell := model.cell(near)) is not None else ""
        says = (
            f"{number:g} is typed here, where all others who are new start from the {model.number(setting):g} "
            f"of {range_text([setting])}"
        )
        yield Proposal("ES201", (typed[0],), says, {typed[0]: text}, fix="=" + text, severity=WARNING, rank=2)


def mistyped_openings(context: Context) -> Iterator[Proposal]:
    """Yield the one start rating that is not everybody's, where it is that with digits exchanged, or a text says that
    all start from it."""
    model, number = context.model, context.evaluator.number
    said = {word for key in model.book.sheets for cell in model.book.sheets[key].values() if isinstance(cell.value, str)
            for word in re.findall(r"\d{3,}", cell.value)}  # fmt: skip
    for (sheet, column), rows in sorted(model.columns.items()):
        for _, run in groupby(enumerate(rows), key=lambda one: one[1] - one[0]):  # without a gap
            keys = [(sheet, row, column) for _, row in run]
            typed = {key: start for key in keys if key not in model.forms
                     and LOWEST <= (start := model.number(key) or 0.0) <= HIGHEST}  # fmt: skip
            (usual, count), *others = Counter(typed.values()).most_common(2) or [(0.0, 0)]
            if len(others) != 1 or count < LEAST_ALIKE or count != len(typed) - 1:
                continue
            odd = next(key for key, start in typed.items() if start != usual)
            is_slip = sorted(f"{typed[odd]:g}") == sorted(f"{usual:g}") or f"{usual:g}" in said
            rated = (one for one in model.readers.get(odd, ()) if (model.number(one) or 0.0) >= LOWEST)
            if is_slip and any(number(one, {odd: usual}) != model.number(one) for one in rated):
                says = f"{typed[odd]:g} is typed here, where all others start from {usual:g}"
                yield Proposal("ES201", (odd,), says, values={odd: usual}, severity=WARNING, rank=2)


def unset(model: Model, logs: Iterable[Log]) -> Iterator[Proposal]:
    """Yield single cells beside a label, or in a list of such, that formulas read by a fixed reference and that are
    empty or hold a text.

    From where OFFSET counts is not read.
    """
    read: Counter[Key] = Counter()
    opening = _openings(model, logs)
    for key, form in model.forms.items():
        offset = [node.arguments[0] for node in walk(form.tree) if isinstance(node, Call) and node.function == "OFFSET"]
        read_here = (area for area in form.areas if area.single and area.fixed & ROW and area not in offset)
        fixed = {area.at(key[1], key[2]) for area in read_here}
        read.update({(area.sheet or key[0], area.row, area.column) for area in fixed})
    for key, times in read.items():
        value, label = model.value(key), model.value((key[0], key[1], key[2] - 1))
        if key in model.forms or not isinstance(label, str) or isinstance(value, (int, float)):
            continue
        beside = [one for by in (-1, 1) if read[one := (key[0], key[1] + by, key[2])] and model.number(one) is not None]
        if times < LEAST_READ and not (beside and (times > 1 or key in opening)):
            continue
        if value in (None, ""):
            by = f"{times} formulas read it" if times > 1 else "a rating starts from it"
            yield Proposal("ES205", (key,), f"nothing stands beside {label!r}, and {by}", effect=0.0, rank=1)
        elif typed_number(str(value)) is not None:
            says = f"{value!r} is a text, and {times} formulas read it as a number"
            yield Proposal("ES205", (key,), says, effect=0.0, rank=1)


def _openings(model: Model, logs: Iterable[Log]) -> set[Key]:
    """The cells that ratings of the games show: what players start from."""
    cells = {(log.sheet, column) for log in logs for pair in log.compared for column in pair}
    keys = ((sheet, row, column) for sheet, column in cells for row in model.columns.get((sheet, column), ()))
    return {opens for key in keys if (opens := shown(model.tree(key), key[0])) is not None}


def _stretch(model: Model, key: Key) -> Iterator[Key]:
    """The numbers above and below a cell, up to the first cell without one; itself among them."""
    for step in (-1, 1):
        row = key[1]
        while model.number((key[0], row, key[2])) is not None:
            yield key[0], row, key[2]
            row += step


__all__ = ["mistyped_openings", "typed_openings", "unset"]
