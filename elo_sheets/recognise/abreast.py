"""Tables whose columns stand abreast with one formula, as the months of a list do, and what has another one there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from elo_sheets.recognise.model import Form, Key, Model

LEAST = 2  # columns of one formula, in as many rows


def odd_parts(model: Model) -> Iterator[dict[Key, Key]]:
    """Yield the cells of a column that have not the formula of the columns beside it, each with one that has it."""
    for (sheet, form), rows in _blocks(model).items():
        columns = sorted({column for of_row in rows.values() for column in of_row})
        whole = [at for at in columns if all(at in of_row for of_row in rows.values())]
        for column in sorted({near for at in whole for near in (at - 1, at + 1)} - {*whole}):
            cells = [(sheet, row, column) for row in rows]
            odd = [key for key in cells if model.forms.get(key) is not form]
            if len(whole) >= LEAST and all(key in model.forms for key in odd):
                yield {key: (sheet, key[1], min(whole, key=lambda at: abs(at - column))) for key in odd}


def is_as_beside(model: Model, key: Key, rows: Iterable[int]) -> bool:
    """Whether a cell has the formula that the column left or right of it has in all rows of its table."""
    form = model.forms.get(key)
    beside = ({model.forms.get((key[0], row, key[2] + by)) for row in rows} for by in (-1, 1))
    return form is not None and any(forms == {form} for forms in beside)


def _blocks(model: Model) -> dict[tuple[str, Form], dict[int, set[int]]]:
    """The formulas that stand in several columns of several rows: by row, the columns."""
    found: dict[tuple[str, Form], dict[int, set[int]]] = {}
    for (sheet, row, column), form in model.forms.items():
        found.setdefault((sheet, form), {}).setdefault(row, set()).add(column)
    return {
        place: rows for place, rows in found.items() if len(rows) >= LEAST and max(map(len, rows.values())) >= LEAST
    }
