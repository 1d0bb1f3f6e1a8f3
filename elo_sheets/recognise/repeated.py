"""Columns that are worked out alike: rounds or months in blocks side by side or on sheets, and players' own columns.

In blocks those belong together that stand under one heading at one distance, on sheets those in one place. The first
may start from a list, so that its formulas are of their own; of the others, and of players' columns, one that differs
from those that agree is at fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from elo_sheets.expr import Expr, walk
from elo_sheets.recognise.compare import code_of, equivalent, same_but_k
from elo_sheets.recognise.context import ERROR, NOTE, Context, Proposal
from elo_sheets.recognise.departures import filled
from elo_sheets.recognise.model import Area, Form, Key, Model, at_cell
from elo_sheets.verdict.compare import differences

LEAST_BLOCKS, LEAST_ROWS = 4, 3  # the first may differ
LEAST_ALIKE = 2  # of three places with one formula
LEAST_DISTANCE = 2  # columns: what stands side by side under one heading are players, or halves of something
MOSTLY = 0.75  # of the rows of a column have its formula
LEAST_PLAYERS, FEW = 4, 0.25  # columns side by side, and the share of them that may have another formula
SLACK = 2  # rows by which the columns may begin or end apart
LOWEST = 100.0  # rating points


def repeated_faults(context: Context, roles: Mapping[Key, str], told: Container[Key]) -> Iterator[Proposal]:
    """Yield a proposal for each column with another formula than its like in most other blocks; `told` are left out."""
    model = context.model
    for columns, says in _like(model):
        forms = [_usual(model, cells) for cells in columns]
        form, count = _agreed(forms)
        odd = [cells for cells, one in zip(columns, forms, strict=True) if one is not form]
        if form is not None and len(odd) == 1 and count >= LEAST_ALIKE:
            like = max((cells for cells, one in zip(columns, forms, strict=True) if one is form), key=len)
            cells = [key for key in odd[0] if key not in told]
            yield from _as_the_others(context, cells, like, form, roles, says)


def players_columns(model: Model) -> list[list[list[Key]]]:
    """Return the stretches of players' columns side by side in which ratings are carried down by one formula.

    Few of a stretch have another one.
    """
    carried = []
    for cells in _columns(model).values():
        number = model.number(cells[-1])
        if number is not None and abs(number) >= LOWEST and _usual(model, cells) and not _sums_up(model, cells[-1]):
            carried.append(cells)
    found = []
    for columns in _side_by_side(carried):
        form, count = _agreed([_usual(model, cells) for cells in columns])
        few = len(columns) - count <= max(1, FEW * len(columns)) and count >= LEAST_PLAYERS - 1
        if form is not None and form.goes_on and few and len(columns) >= LEAST_PLAYERS:
            found.append(columns)
    return found


def players_faults(context: Context, columns: list[list[Key]], roles: Mapping[Key, str]) -> Iterator[Proposal]:
    """Yield a proposal for each player's column with another formula than those beside it; `roles` as in `code_of`."""
    model = context.model
    forms = [_usual(model, cells) for cells in columns]
    form, _ = _agreed(forms)
    of_ratings = {(key[0], key[1] + by, key[2]): "R" for cells in columns for key in cells for by in (-1, 0)}
    like = next(cells for cells, one in zip(columns, forms, strict=True) if one is form)
    for cells, one in zip(columns, forms, strict=True):
        if form is not None and one is not form:
            says = "this player's column is not worked out as those of the others"
            own = [key for key in cells if model.forms.get(key) is one]
            yield from _as_the_others(context, own, like, form, {**roles, **of_ratings}, says)


def _as_the_others(
    context: Context, cells: Sequence[Key], like: Sequence[Key], form: Form, roles: Mapping[Key, str], says: str
) -> Iterator[Proposal]:
    """A proposal that gives cells the formula of a column like theirs, where most of them differ by that."""
    model = context.model
    source = {key[1]: key for key in like if model.forms.get(key) is form}
    present = {key: tree for key in cells if key[1] in source and (tree := model.tree(key)) is not None}
    trees = {key: at_cell(form.tree, key) for key in present}
    same = [equivalent(context.evaluator, key, trees[key], tree) for key, tree in present.items()]
    if 2 * same.count(False) <= len(cells) or len(present) < MOSTLY * len(cells):
        return
    repairs = {key: filled(model, key, trees[key], source[key[1]]) for key in present}
    late = [*present][len(present) // 2]
    code = code_of(trees[late], present[late], roles, late)
    if code == "ES101" and _of_surplus(trees[late], present[late], roles):
        code = "ES115"
    severity = NOTE if late[0] != like[0][0] and same_but_k(trees[late], present[late]) else ERROR  # a new season's
    fix = "=" + next(iter(repairs.values()))
    yield Proposal(code, tuple(present), says, repairs, severity=severity, fix=fix, rank=1)


def _agreed(forms: Sequence[Form | None]) -> tuple[Form | None, int]:
    found = Counter(form for form in forms if form is not None).most_common(1)
    return found[0] if found else (None, 0)


def _usual(model: Model, cells: Sequence[Key]) -> Form | None:
    """The formula of nearly all cells of a column."""
    form, count = _agreed([model.forms.get(key) for key in cells])
    return form if count >= MOSTLY * len(cells) else None


def _columns(model: Model) -> dict[tuple[str, int], list[Key]]:
    columns: dict[tuple[str, int], list[Key]] = {}
    for key in sorted(model.forms):
        columns.setdefault((key[0], key[2]), []).append(key)
    return {place: cells for place, cells in columns.items() if len(cells) >= LEAST_ROWS}


def _like(model: Model) -> Iterator[tuple[list[list[Key]], str]]:
    """Columns of formulas under one heading, at one distance from each other and in the same rows, or in the same place
    of several sheets."""
    headed: dict[tuple[str, str], list[list[Key]]] = {}
    sheets = [*model.book.sheets]
    of_sheets: dict[tuple[int, str, int], list[list[Key]]] = {}
    for (sheet, column), cells in sorted(_columns(model).items(), key=lambda one: (sheets.index(one[0][0]), one[0][1])):
        if heading := model.header(cells[0]):
            headed.setdefault((sheet, heading.casefold()), []).append(cells)
            of_sheets.setdefault((column, heading.casefold(), cells[0][1]), []).append(cells)
    for found in of_sheets.values():
        if len(found) > LEAST_ALIKE:
            yield found, "the other sheets have another formula in this place"
    for found in headed.values():
        apart = {after[0][2] - before[0][2] for before, after in pairwise(found)}
        rows = set.intersection(*({key[1] for key in cells} for cells in found))  # below one a total may stand
        whole = len(rows) >= MOSTLY * max(map(len, found))
        if len(found) >= LEAST_BLOCKS and len(apart) == 1 and min(apart) >= LEAST_DISTANCE and whole:
            blocks = [[key for key in cells if key[1] in rows] for cells in found[1:]]
            yield blocks, "the blocks beside it have another formula in this place"
    for columns in _side_by_side(cells for cells in _columns(model).values() if _usual(model, cells)):
        form, count = _agreed([_usual(model, cells) for cells in columns])
        if form is not None and form.goes_across and len(columns) > count >= LEAST_BLOCKS:
            yield columns, "the columns beside it have another formula"


def _side_by_side(columns: Iterable[list[Key]]) -> list[list[list[Key]]]:
    """Columns in stretches of those beside each other that have about the same rows."""
    stretches: list[list[list[Key]]] = []
    for cells in sorted(columns, key=lambda cells: (cells[0][0], cells[0][2])):
        before = stretches[-1][-1] if stretches else None
        ends = () if before is None else ((before[0], cells[0]), (before[-1], cells[-1]))
        beside = before is not None and (before[0][0], before[0][2] + 1) == (cells[0][0], cells[0][2])
        if beside and all(abs(one[1] - two[1]) <= SLACK for one, two in ends):
            stretches[-1].append(cells)
        else:
            stretches.append([cells])
    return stretches


def _sums_up(model: Model, late: Key) -> bool:
    """Whether a column is made of several others and carries nothing on, as a team's average beside its players is."""
    form = model.forms[late]
    placed = (area for area in model.areas(late) if area.sheet in (None, late[0]))
    across = (area for area in placed if area.right > area.column and area.bottom == area.row)
    return not form.goes_on and any(area.row >= late[1] - 1 for area in across)


def _of_surplus(expected: Expr, found: Expr, roles: Mapping[Key, str]) -> bool:
    """Whether what is turned round is the score less its expectation."""
    areas = [n for a, _ in differences(expected, found) for n in walk(a) if isinstance(n, Area)]
    return any(roles.get((area.sheet or "", area.row, area.column)) == "E" for area in areas)


__all__ = ["players_columns", "players_faults", "repeated_faults"]
