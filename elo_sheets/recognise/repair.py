"""Repairs, put into a copy and measured by recalculation: the effect of a fault is what its repair changes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from elo_sheets.engines.recalculate import Values, recalculate_many
from elo_sheets.errors import NotChecked
from elo_sheets.files.package import Book, Cell, Place, Value, cell_name
from elo_sheets.recognise.model import Key
from elo_sheets.recognise.transposed import Turned

CELLS_AT_ONCE = 60_000  # formula cells of the copies that one start of the engine computes
MOST_COPIES = 40


@dataclass(frozen=True)
class Repair:
    """Formulas (text without "=") and values to put into cells; a value of None empties the cell."""

    formulas: Mapping[Key, str]
    values: Mapping[Key, Value] = dataclasses.field(default_factory=dict)
    names: Mapping[str, str] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True)
class Measured:
    """What a repair changes: the values at the first of its cells that shows another number (`cell`), the largest
    change of a rating, the ratings reached."""

    expected: Value
    found: Value
    effect: float
    changed: int  # cells of any kind whose number changes
    ratings: tuple[Key, ...]
    cell: Key | None = None


def with_changes(book: Book, repair: Repair) -> Book:
    """Return a copy of the book with the repair in it."""
    sheets = dict(book.sheets)
    for sheet in {key[0] for key in (*repair.formulas, *repair.values)}:
        sheets[sheet] = dict(sheets.get(sheet, {}))
    for (sheet, row, column), formula in repair.formulas.items():
        sheets[sheet][row, column] = _as_beside(book.sheets.get(sheet, {}), (row, column), formula.removeprefix("="))
    for (sheet, row, column), value in repair.values.items():
        if value is None:
            sheets[sheet].pop((row, column), None)
        else:
            sheets[sheet][row, column] = Cell(None, value)
    return dataclasses.replace(book, sheets=sheets, names={**book.names, **repair.names})


def _as_beside(cells: Mapping[Place, Cell], place: Place, formula: str) -> Cell:
    """A cell with a formula, an array's where the cell above or below holds one: an array is filled down as such."""
    row, column = place
    near = (cells.get((at, column)) for at in (row, row - 1, row + 1))
    like = next((cell for cell in near if cell is not None and cell.formula is not None), None)
    if like is None or like.array is None or ":" in like.array:
        return Cell(formula, None)
    return dataclasses.replace(like, formula=formula, value=None, array=cell_name(row, column))


def compute(books: Sequence[Book], engine: str, timeout: float) -> tuple[str, list[Values]]:
    """Return the engine's version and its values for each book.

    A book seen from another side is computed as it stands.
    """
    if any(isinstance(book, Turned) for book in books):
        version, values = compute([b.at_home() if isinstance(b, Turned) else b for b in books], engine, timeout)
        pairs = zip(books, values, strict=True)
        return version, [book.turn.values(v) if isinstance(book, Turned) else v for book, v in pairs]
    plain = [
        dataclasses.replace(b, calc=dataclasses.replace(b.calc, full_precision=True, date1904=False)) for b in books
    ]
    answers = recalculate_many(plain, engine, timeout=timeout)
    return (answers[0].version if answers else ""), [answer.values for answer in answers]


def measure(
    book: Book, base: Values, repairs: Sequence[Repair], ratings: Iterable[Key], engine: str, timeout: float
) -> list[Measured | None]:
    """Return what each repair, alone, changes; None for those beyond what time allows or that cannot be computed."""
    count = sum(len(cells) for cells in base.values()) or 1
    at_once = max(1, min(MOST_COPIES, CELLS_AT_ONCE // count))
    rated = list(ratings)
    found: list[Measured | None] = []
    for start in range(0, len(repairs), at_once):
        part = repairs[start : start + at_once]
        if start >= 3 * at_once:
            found += [None] * len(part)
            continue
        try:
            _, values = compute([with_changes(book, repair) for repair in part], engine, timeout)
        except NotChecked:
            found += [_alone(book, base, repair, rated, engine, timeout) for repair in part]
            continue
        found += [_measured(book, base, new, repair, rated) for repair, new in zip(part, values, strict=True)]
    return found


def _alone(book: Book, base: Values, repair: Repair, rated: list[Key], engine: str, timeout: float) -> Measured | None:
    try:
        _, values = compute([with_changes(book, repair)], engine, timeout)
    except NotChecked:
        return None
    return _measured(book, base, values[0], repair, rated)


def _value(book: Book, values: Values, key: Key) -> Value:
    computed = values.get(key[0], {}).get(key[1:])
    if computed is not None:
        return computed
    cell = book.sheets.get(key[0], {}).get(key[1:])
    return None if cell is None or cell.formula is not None else cell.value


def _number(value: Value) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return float(value)


def _measured(book: Book, base: Values, new: Values, repair: Repair, rated: list[Key]) -> Measured:
    repaired = with_changes(book, repair)
    effect, reached = 0.0, []
    for key in rated:
        a, b = _number(_value(book, base, key)), _number(_value(repaired, new, key))
        if a is None or b is None:
            continue
        if abs(a - b) > 1e-9:
            reached.append(key)
            if abs(a - b) > abs(effect):
                effect = a - b
    changed = 0
    for sheet, cells in new.items():
        old = base.get(sheet, {})
        for place, value in cells.items():
            before = old.get(place)
            if before is None:
                cell = book.sheets[sheet].get(place)
                before = None if cell is None else cell.value
            if not _close(before, value):
                changed += 1
    mended = {key: (_value(repaired, new, key), _value(book, base, key)) for key in (*repair.formulas, *repair.values)}
    first = next((key for key, (a, b) in mended.items() if not _close(a, b)), next(iter(mended), None))
    expected, found = (None, None) if first is None else mended[first]
    return Measured(expected, found, effect, changed, tuple(reached), first)


def _close(a: Value, b: Value) -> bool:
    x, y = _number(a), _number(b)
    if x is not None and y is not None:
        return math.isclose(x, y, rel_tol=1e-11, abs_tol=1e-9)
    return (a in (None, "") and b in (None, "")) or a == b
