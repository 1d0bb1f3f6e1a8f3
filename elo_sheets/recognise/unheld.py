"""What follows from ratings that were held, and was itself held against nothing: no book with such a number agrees."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from elo_sheets.expr import Call
from elo_sheets.files.package import CellError
from elo_sheets.recognise.context import Context
from elo_sheets.recognise.model import Key, cells_of, range_text

TOTALS = ("SUM", "AVERAGE", "MIN", "MAX")
DEEP = 24  # formulas between a rating and what follows from it


def unheld(
    context: Context, ratings: Iterable[Key], shown: Iterable[Key], held: Collection[Key], places: int
) -> str | None:
    """Return in a sentence which number follows from ratings, and is none that is known; None where there is none.

    Known are the numbers of the cells `shown`, a place or a count up to `places`, and the cells `held`.
    """
    model = context.model
    numbers = {model.number(key) for key in shown}
    followers = set[Key]().union(*(context.evaluator.readers.reached(key, DEEP) for key in ratings))
    for key in sorted(followers - set(held)):
        number = model.number(key)
        if number is None or isinstance(model.value(key), (bool, CellError)) or number in numbers:
            continue
        if not (number.is_integer() and 0 <= number <= places) and not _is_total(context, key, held):
            return f"{range_text([key])} follows from the new ratings, and was not held against any rule"
    return None


def _is_total(context: Context, key: Key, held: Collection[Key]) -> bool:
    """Whether a formula sums up all that was held in some columns, and nothing else."""
    model = context.model
    tree, areas = model.tree(key), model.areas(key)
    if not isinstance(tree, Call) or tree.function not in TOTALS or not areas:
        return False
    for area in areas:
        cells = {*cells_of(area, key[0])}
        columns = {one[::2] for one in cells}
        if not cells <= {*held} or cells != {one for one in held if one[::2] in columns}:
            return False
    return True


__all__ = ["unheld"]
