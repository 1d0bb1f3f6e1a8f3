"""Names in the rows of games: whose rating a look-up finds, and how players are told apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import permutations

from elo_sheets.detective.gains import shown
from elo_sheets.expr import Call, Text, walk
from elo_sheets.files.package import MAX_ROW, CellError, Value, column_letters
from elo_sheets.recognise.evaluate import Evaluator
from elo_sheets.recognise.model import Area, Key, Model

ALIKE = 0.75  # of the letters of two names are the same
HALF = 0.5  # of the names of two columns stand in both: players, now on the one side and now on the other
NEARLY = 0.75  # of the games have an entry in a column that is typed for each: more may lack only by a fault


def name_column(model: Model, key: Key, row: int) -> int | None:
    """The column of the text of the row that a look-up compares."""
    counts = _names_read(model, key, row)
    return max(counts, key=lambda column: (counts[column], list(counts).index(column))) if counts else None


def has_own_rule(evaluator: Evaluator, key: Key) -> bool:
    """Whether a rating is what its formula has for names that it knows, as for guests: IF(LEFT(A2,3)="FCS",1200,…)."""
    model, tree = evaluator.model, evaluator.model.tree(key)
    for node in () if tree is None else walk(tree):
        asked = node.arguments[0] if isinstance(node, Call) and node.function == "IF" else None
        parts = [] if asked is None else [*walk(asked)]
        cells = [part for part in parts if isinstance(part, Area)]
        texts = [part.value for part in parts if isinstance(part, Text)]
        named = [
            area for area in cells if area.single and plain(model.value((area.sheet or key[0], area.row, area.column)))
        ]
        if (
            asked is not None
            and len(named) == len(cells) == 1
            and any(texts)
            and evaluator.tree_value(asked, key, {}) is True
        ):
            return True
    return False


def name_columns(model: Model, key: Key, row: int) -> tuple[int, ...]:
    """The columns of all texts of the row that a formula compares, as the mean of two partners does."""
    return tuple(sorted(_names_read(model, key, row)))


def _names_in(model: Model, key: Key, row: int) -> Iterator[int]:
    """The columns of the texts of a row that a formula reads, each as often as it does."""
    tree = model.tree(key)
    for node in () if tree is None else walk(tree):
        if isinstance(node, Area) and node.single and (node.sheet or key[0], node.row) == (key[0], row):
            value = model.value((key[0], row, node.column))
            if isinstance(value, str) and not isinstance(value, CellError):
                yield node.column


def _places_beside(model: Model, key: Key) -> Iterator[Key]:
    """The formulas of its row that a formula reads and that find a place in a range: they show a whole number."""
    beside = [(key[0], key[1], area.column) for area in model.areas(key)
              if area.single and (area.sheet or key[0], area.row) == key[:2]]  # fmt: skip
    for one in beside:
        number = model.number(one) if one in model.forms else None
        is_place = number is not None and number == int(number) < MAX_ROW
        if is_place and any(not area.single for area in model.areas(one)):
            yield one


def _names_read(model: Model, key: Key, row: int) -> dict[int, int]:
    """How often a formula reads the cells of its row that hold a text, by their columns.

    One that reads none may take its row from a formula beside it, which finds a name's place.
    """
    own = [*_names_in(model, key, row)]
    counts = Counter(own)
    for place in () if own else _places_beside(model, key):
        counts.update(_names_in(model, place, row))
    return counts


def plain(value: Value) -> str | None:
    """A name as players are told apart: without blanks around it, in any case; None for what is no text."""
    return value.strip().casefold() if isinstance(value, str) and not isinstance(value, CellError) and value else None


def alike(name: str, others: Iterable[str | None]) -> list[str]:
    """The one of other names that is this one, or this one with a slip; [] where none is."""
    return get_close_matches(name, [one for one in others if one], 1, ALIKE)


def renamed(model: Model, key: Key, old: int, new: int) -> str:
    """A cell's formula with another name of its row looked up."""
    cell = model.cell(key)
    wrong, due = column_letters(old), column_letters(new)
    formula = "" if cell is None or cell.formula is None else cell.formula
    return re.sub(rf"(?<![\w!:$])(\$?){wrong}(\$?{key[1]})(?![\w:(])", rf"\g<1>{due}\2", formula)


def texts_of(model: Model, sheet: str, rows: Iterable[int], column: int) -> set[str]:
    """The texts that a column has in some rows, as names are told apart."""
    values = (model.value((sheet, row, column)) for row in rows)
    return {name for value in values if (name := plain(value)) is not None}


def is_filled(model: Model, sheet: str, rows: Collection[int], column: int) -> bool:
    """Whether nearly every game has an entry; where one lacks it, that is a fault of the game."""
    filled = sum(model.value((sheet, row, column)) not in (None, "") for row in rows)
    return filled >= NEARLY * len(rows)


def in_order(model: Model, sheet: str, rows: Collection[int], pair: Sequence[Key]) -> list[int]:
    """The columns of names in the order of two ratings that are read cell by cell; [] where none are."""
    row = pair[0][1]
    if not rows or any(key[:2] != (sheet, row) for key in pair):
        return []
    looked_up: list[set[int]] = []
    for column in (key[2] for key in pair):  # newcomers' ratings may be typed, or looked up by their names
        cells = {key: tree for at in rows if (tree := model.tree(key := (sheet, at, column))) is not None}
        newcomers = [name_column(model, key, key[1]) for key, tree in cells.items() if shown(tree, sheet) is None]
        if not cells or None in newcomers:
            return []
        looked_up.append({at for at in newcomers if at is not None})
    if all(len(names) == 1 for names in looked_up) and len(set.union(*looked_up)) == len(pair):
        return [at for names in looked_up for at in names]
    columns = [at for here, at in model.book.sheets[sheet] if here == row and is_filled(model, sheet, rows, at)]
    told = {at: names for at in columns if len(names := texts_of(model, sheet, rows, at)) > 1}
    alike = ((one, other) for one, other in permutations(told, 2)
             if len(told[one] & told[other]) > HALF * len(told[one]))  # fmt: skip
    found = sorted({one for both in alike for one in both}) or _seats(model, sheet, rows, pair, told)
    return found if len(found) == len(pair) else []


def _seats(model: Model, sheet: str, rows: Collection[int], pair: Sequence[Key], columns: Iterable[int]) -> list[int]:
    """Columns of names that are the same in a game and in the one from which its ratings go on: nobody changes seats.

    What stands there besides, such as the team of both, stands to the left of the players.
    """
    links = [(row, read[1]) for key in pair for row in sorted(rows)
             if (read := shown(model.tree((sheet, row, key[2])), sheet)) is not None]  # fmt: skip
    same = {at: sum(model.value((sheet, row, at)) == model.value((sheet, above, at)) for row, above in links)
            for at in columns}  # fmt: skip
    found = [at for at, count in sorted(same.items()) if links and count >= NEARLY * len(links)]
    return found[-len(pair) :] if len(found) >= len(pair) else []


__all__ = ["in_order", "is_filled", "name_column", "name_columns", "plain", "renamed", "texts_of"]
