"""Tables of players whose ratings are closed by sums: the closing column, and the change, points and sums beside it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from elo_sheets.expr import Binary, Call, Expr, walk
from elo_sheets.files.package import column_letters
from elo_sheets.recognise.behind import cone
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.evaluate import Evaluator
from elo_sheets.recognise.model import Area, Form, Key, Model

MOST_BEHIND = 2000  # cells that a closing rating follows from: the games of its period, not of all before it
_DIGITS = re.compile(r"\d")
LEAST_RATING, MOST_RATING = 50, 20_000  # points: an opening rating, and no K, count or percentage


@dataclass
class Closed:
    """A column of closing ratings: for each row the closing cell and its opening rating, and the change column."""

    sheet: str
    column: int
    rows: list[int]
    opening: dict[int, Key]  # row -> opening rating
    change: int | None = None
    points: int | None = None
    expected: int | None = None
    proposals: list[Proposal] = field(default_factory=list)
    unrated: set[int] = field(default_factory=set)  # rows of players without a rating, whose games count for nobody

    @property
    def everybody(self) -> list[Key]:
        """All opening ratings."""
        return list(self.opening.values())

    def key(self, row: int) -> Key:
        """The closing rating of a row."""
        return (self.sheet, row, self.column)


def columns_of_formulas(model: Model) -> dict[tuple[str, int], list[int]]:
    found: dict[tuple[str, int], list[int]] = {}
    for sheet, row, column in model.forms:
        found.setdefault((sheet, column), []).append(row)
    return {place: sorted(rows) for place, rows in found.items() if len(rows) >= 3}


def majority(model: Model, sheet: str, column: int, rows: list[int]) -> Form | None:
    forms = Counter(model.forms[sheet, row, column] for row in rows if (sheet, row, column) in model.forms)
    if not forms:
        return None
    form, count = forms.most_common(1)[0]
    return form if count >= 3 or count == len(rows) else None


def closed_tables(context: Context) -> list[Closed]:
    """Columns of formulas `opening + change` whose ratings no game of the same sheet goes on with."""
    model, evaluator = context.model, context.evaluator
    found: list[Closed] = []
    columns = columns_of_formulas(model)
    for (sheet, column), filled in columns.items():
        rows = [row for row in filled if (sheet, row, column) not in context.totals]
        form = majority(model, sheet, column, rows)
        if form is None or len(rows) > 400 or all((sheet, row, column) in context.settled for row in rows):
            continue
        # A floor that bites, or a wrong entry, hides in some rows what the others start from.
        usual = [r for r in rows if model.forms[sheet, r, column] is form]
        openings = ((r, opening_of(evaluator, (sheet, r, column))) for r in usual)
        row, opening = next(((r, found) for r, found in openings if found is not None), (rows[0], None))
        if opening is None:
            continue
        offset = opening[1] - row, opening[2]
        cells = {r: (sheet, r + offset[0], offset[1]) for r in rows}
        unrated = {r for r in rows if {type(model.value(key)) for key in (cells[r], (sheet, r, column))} == {str}}
        rows = [r for r in rows if r not in unrated]  # and without a rating afterwards
        cells = {r: cells[r] for r in rows}
        if offset[0] != 0 or any(model.number(cell) is None for cell in cells.values()):
            continue
        if any((cells[r][0], cells[r][1], cells[r][2]) in {(sheet, q, column) for q in rows} for r in rows):
            continue
        if 2 * sum(abs(model.number((sheet, r, column)) or 0.0) < LEAST_RATING for r in rows) > len(rows):
            continue  # what was gained in all
        if (
            _goes_on(model, sheet, column, rows, list(cells.values()))
            or len(cone(model, (sheet, row, column), MOST_BEHIND)) >= MOST_BEHIND
        ):
            continue
        table = Closed(sheet, column, rows, cells, unrated=unrated)
        _name_columns(context, table, columns)
        if table.change is not None or table.expected is not None or any(_is_next(model, one, table) for one in found):
            found.append(table)
    return [one for one in found if not any(_is_mean(context, one, other, found) for other in found)]


def _is_next(model: Model, table: Closed, other: Closed) -> bool:
    """Whether a column adds to the closing ratings of a table as these do to theirs, but in other rows of games."""
    texts = [_DIGITS.sub("", cell.formula or "") for one in (table, other)
             if (cell := model.cell(one.key(one.rows[0]))) is not None]  # fmt: skip
    goes_on = other.opening[other.rows[0]] == table.key(table.rows[0])
    own, before = (column_letters(one.opening[one.rows[0]][2]) for one in (other, table))
    return goes_on and len(texts) == 2 and texts[0].replace(before, "") == texts[1].replace(own, "")


def _is_mean(context: Context, table: Closed, other: Closed, found: list[Closed]) -> bool:
    """Whether what a table adds to follows from the ratings that another one starts from: the mean of opponents."""
    opening = table.opening[table.rows[0]]
    closes = any(one.sheet == opening[0] and one.column == opening[2] for one in found)
    is_beside = other.sheet == table.sheet and opening in context.model.forms and not closes
    return is_beside and context.evaluator.depends(opening, set(other.everybody) - {opening}, 24)


def _goes_on(model: Model, sheet: str, column: int, rows: list[int], openings: list[Key]) -> bool:
    """Whether an opening rating is looked up among the closing ratings above it: a ledger, no period."""
    for key in {openings[0], openings[len(openings) // 2], openings[-1]}:
        for one in cone(model, key, 6):
            for area in model.areas(one):
                beside = area.sheet == sheet and area.column <= column <= area.right
                if beside and area.row <= rows[-1] and area.bottom >= rows[0]:
                    return True
    return False


def opening_of(evaluator: Evaluator, key: Key) -> Key | None:
    """The cell of the same row that a formula adds to: it moves along with it, and nothing else of that size does."""
    model = evaluator.model
    here = evaluator.number(key, {})
    if here is None:
        return _first_summand(model, key)
    if not LEAST_RATING <= abs(here) < MOST_RATING:
        return None
    for read in model.precedents(key, 4):
        value = model.number(read)
        if value is None or read[0] != key[0] or read[1] != key[1] or not LEAST_RATING <= abs(value) < MOST_RATING:
            continue
        moved = evaluator.number(key, {read: value + 8}, depth=1)
        if moved is not None and 0 < moved - here <= 8.0001:
            return read
    return None


def _first_summand(model: Model, key: Key) -> Key | None:
    """The rating to which a formula that shows an error adds something of its own row."""
    tree = model.tree(key)
    if not (isinstance(tree, Binary) and tree.operator == "+" and isinstance(tree.left, Area) and tree.left.single):
        return None
    read = (tree.left.sheet or key[0], tree.left.row, tree.left.column)
    value = model.number(read)
    right = value is not None and LEAST_RATING <= abs(value) < MOST_RATING and read[0] == key[0] and read[1] == key[1]
    return read if right else None


def _name_columns(context: Context, table: Closed, columns: Mapping[tuple[str, int], list[int]]) -> None:
    """Find the change, the points and the expected points beside a closing rating."""
    model, evaluator = context.model, context.wide
    beside = [
        c
        for (s, c), rows in columns.items()
        if s == table.sheet and c != table.column and len(set(rows) & set(table.rows)) >= 3
    ]
    ratings = list(table.opening.values())
    closing = {read[2] for row in table.rows for read in model.precedents(table.key(row), 1) if read[1] == row}
    shifted = {r: (model.number(r) or 0) + (90 if i % 2 else -90) for i, r in enumerate(ratings)}
    for column in sorted(beside, key=lambda one: one not in closing):  # before the chances of games in the same rows
        cells = {r: (table.sheet, r, column) for r in table.rows}
        rows = [r for r, key in cells.items() if key in model.forms and model.number(key) is not None]
        row = rows[len(rows) // 2] if rows else table.rows[len(table.rows) // 2]
        key = (table.sheet, row, column)
        value = evaluator.number(key, {}) if rows else None
        moved = evaluator.number(key, shifted, depth=24)
        known = value is not None and moved is not None
        follows = abs((moved or 0) - (value or 0)) > 1e-9 if known else evaluator.depends(key, ratings, 24)
        direct = set(model.precedents(key, 4))
        beside_cells = {(table.sheet, row, c) for c in beside}
        rest = _is_rest(model.tree(key))
        if follows and not rest and not direct & beside_cells and (value is None or value >= -1) and not table.expected:
            table.expected = column
        elif (
            direct & beside_cells
            and (follows or table.change is None)
            and table.change not in closing
            and (table.sheet, row, table.column) not in direct
            and _is_product(model.tree(key))
        ):
            table.change = column
    row = table.rows[len(table.rows) // 2]
    if table.expected is None:
        return
    reads = (table.sheet, row, table.change if table.change is not None else table.column)
    for read in model.precedents(reads, 4):
        if (
            read[1] == row
            and read[2] not in (table.expected, table.column, table.change)
            and read != table.opening[row]
        ):
            number = model.number(read)
            if number is not None and read[2] != table.opening[row][2]:
                table.points = read[2]


def _is_rest(tree: Expr | None) -> bool:
    """Whether a formula shows what a number of points is above what is expected."""
    return isinstance(tree, Binary) and tree.operator == "-" and isinstance(tree.left, Area) and tree.left.single


def _is_product(tree: Expr | None) -> bool:
    return isinstance(tree, (Binary, Call)) and any(isinstance(n, Binary) and n.operator == "*" for n in walk(tree))
