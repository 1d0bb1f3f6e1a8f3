"""Which way a sheet's games run: each row (or column) of a ledger reads the game before it, and so tells where it is.

A sheet whose formulas go back to the row below has its newest game on top; one that goes back to the column on the
left, with another formula in every row, has a game in each column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from elo_sheets.recognise.blocks import powers
from elo_sheets.recognise.model import COLUMN, ROW, Form, Model
from elo_sheets.recognise.roles import has_power
from elo_sheets.recognise.together import together
from elo_sheets.recognise.transposed import Across, Turn, Upwards
from elo_sheets.verdict.circles import components

LEAST = 4  # cells of one formula, so that it counts as filled along
NEAR = 2  # rows from a game to the one before it
SAMPLES = 7  # games that are looked at
MOST_ROWS = 2000  # a sheet with more is no log across columns
MOST_ACROSS = 50  # columns of an area that is followed
Edges = dict[int, set[int]]


def turns_of(model: Model) -> list[Turn]:
    """Return the turns after which one more ledger reads downwards, the newest game last; none when all do.

    The lists that a ledger shows row by row, and the sheets that show the ledger so, are turned along with it.
    """
    turn = _turn_of(model)
    if turn is None and (both := together(model)) is not None:
        return [both]
    found = [] if turn is None else [turn]
    for one in found:
        known = {other.sheet for other in found}
        found += [other for other in _linked(model, one) if other.sheet not in known]
    return found


def _turn_of(model: Model) -> Turn | None:
    for sheet, cells in model.book.sheets.items():
        forms = {key[1:]: form for key, form in model.forms.items() if key[0] == sheet}
        if len(forms) < LEAST:
            continue
        lines, back = _chain(model, sheet, forms, True)
        across, _ = _chain(model, sheet, forms, False)
        if lines and back and not across:
            return _block(model, sheet, cells, _filled(forms, lines), lines)
        rows = _together(model, sheet, None, across) & {row for row, _ in forms} if across else set()
        alone = 2 * sum(_repeats(forms, row) for row in rows) <= len(rows) or _in_one_row(forms)
        if across and alone and not lines and max(row for row, _ in cells) < MOST_ROWS:
            return Across(sheet)
    return None


def _in_one_row(forms: Mapping[tuple[int, int], Form]) -> bool:
    """Whether the expectations of all games stand in one row, above or below a row for each player."""
    curves = {row for (row, _), form in forms.items() if has_power(form.tree)}
    return len(curves) == 1 and not any(_repeats(forms, row) for row in curves)


def _chain(model: Model, sheet: str, forms: Mapping[tuple[int, int], Form], down: bool) -> tuple[set[int], bool]:
    """The lines (columns, for a chain down) that follow from themselves one game earlier, and whether that is further
    down (to the right). None where most games do not agree.
    """
    at = 0 if down else 1
    games = sorted({p[at] for p, form in forms.items() if forms.get((p[0] + down, p[1] + (not down))) is form})
    if len(games) < LEAST - 1:
        return set(), False
    asked = games[:: -(-len(games) // SAMPLES)]
    edges = [(_edges(model, sheet, forms, game, down), _curves(forms, game, down)) for game in asked]
    later = [found for (same, ahead, _), curves in edges if (found := _circle(same, ahead, curves))]
    earlier = [found for (same, _, behind), curves in edges if (found := _circle(same, behind, curves))]
    most, least = (later, earlier) if len(later) > len(earlier) else (earlier, later)
    if 2 * len(most) <= len(asked) or 4 * len(least) > len(most):
        return set(), False
    return set[int]().union(*most), most is later


def _edges(
    model: Model, sheet: str, forms: Mapping[tuple[int, int], Form], game: int, down: bool
) -> tuple[Edges, Edges, Edges]:
    """Which line reads which in the same game, in games further down, and in games further up."""
    same: Edges = {}
    ahead: Edges = {}
    behind: Edges = {}
    at, line = (0, 1) if down else (1, 0)
    for place in (p for p in forms if p[at] == game):
        for area in model.areas((sheet, *place)):
            if (area.sheet or sheet) != sheet:
                continue
            first, last = (area.row, area.bottom) if down else (area.column, area.right)
            left, right = (area.column, area.right) if down else (area.row, area.bottom)
            if right - left > MOST_ACROSS:
                continue
            if first == last == game:
                edges = same
            elif first > game and (not area.single or first <= game + NEAR):
                edges = ahead
            elif last < game and (not area.single or last >= game - NEAR):
                edges = behind
            else:
                continue
            edges.setdefault(place[line], set()).update(range(left, right + 1))
    return same, ahead, behind


def _curves(forms: Mapping[tuple[int, int], Form], game: int, down: bool) -> set[int]:
    """The lines that hold an expectation in a game, as far as that is written out."""
    return {p[1] if down else p[0] for p, form in forms.items() if p[0 if down else 1] == game and powers(form.tree)}


def _circle(same: Edges, other: Edges, curves: set[int]) -> set[int]:
    """The lines that reach themselves by reading other lines and, at least once, another game.

    Where there are expectations, only lines that go with one: a list beside the games may count the other way.
    """
    every = {*same, *other, *(target for edges in (same, other) for targets in edges.values() for target in targets)}
    reads = {line: same.get(line, set()) | other.get(line, set()) for line in every}
    beside: Edges = {line: set(targets) for line, targets in reads.items()}
    for line, targets in reads.items():
        for target in targets:
            beside[target].add(line)
    together = {line for group in components(beside) if not curves or curves & group for line in group}
    group_of = {line: number for number, group in enumerate(components(reads)) for line in group}
    return {
        line
        for line, targets in other.items()
        if line in together and line in group_of and any(group_of.get(t) == group_of[line] for t in targets)
    }


def _repeats(forms: Mapping[tuple[int, int], Form], row: int) -> bool:
    """Whether most formulas of a row stand in the row above or below as well: it is one of several players."""
    own = [at for at in forms if at[0] == row]
    alike = sum(forms.get((row - 1, c)) is forms[row, c] or forms.get((row + 1, c)) is forms[row, c] for _, c in own)
    return 2 * alike > len(own)


def _filled(forms: Mapping[tuple[int, int], Form], lines: set[int]) -> set[tuple[int, int]]:
    """The cells of columns that were filled down: a maximum above the header is none of them."""
    counts = Counter((at[1], form) for at, form in forms.items())
    return {at for at, form in forms.items() if at[1] in lines and counts[at[1], form] >= LEAST}


def _block(
    model: Model, sheet: str, cells: Mapping[tuple[int, int], object], filled: set[tuple[int, int]], lines: set[int]
) -> Upwards:
    """The rows of the games, and of the start below them, with all columns that belong to them or stand beside."""
    top, bottom = min(row for row, _ in filled), max(row for row, _ in filled)
    columns = _together(model, sheet, range(top, bottom + 1), lines)
    left, right = _beside({column for row, column in cells if top <= row <= bottom}, columns)

    def holds(row: int) -> Iterator[object]:
        return (cells[row, column] for column in range(left, right + 1) if (row, column) in cells)

    while any(isinstance(getattr(cell, "value", None), float) for cell in holds(top - 1)):
        top -= 1
    while any(True for _ in holds(bottom + 1)):
        bottom += 1
    # The oldest game looks into the blank rows below it, as the others look into the games below them.
    looking = (area for at in filled if at[0] == bottom for area in model.areas((sheet, *at)) if not area.single)
    return Upwards(sheet, top, left, bottom + any(area.row == bottom + 1 for area in looking), right)


def _beside(used: set[int], columns: set[int]) -> tuple[int, int]:
    """The first and the last of some columns, with those that stand beside them without a gap."""
    left, right = min(columns), max(columns)
    while left - 1 in used:
        left -= 1
    while right + 1 in used:
        right += 1
    return left, right


def _linked(model: Model, turn: Turn) -> list[Turn]:
    """The same turn of the sheets whose rows (or columns) go along with those of a turned sheet, one by one."""
    down = isinstance(turn, Upwards)
    cells: dict[tuple[str, int], list[int]] = {}  # a sheet, and by how far its rows are off -> the columns of the cells
    for key, form in model.forms.items():
        for area in form.areas:
            here, there = key[0], area.sheet
            fixed = area.fixed & (ROW if down else COLUMN)
            if not area.single or fixed or there is None or turn.sheet not in (here, there):
                continue
            placed, by = area.at(key[1], key[2]), area.row if down else area.column
            row = key[1] if here == turn.sheet else placed.row
            if isinstance(turn, Upwards) and not turn.top <= row <= turn.bottom:
                continue
            at, column = ((there, by), placed.column) if here == turn.sheet else ((here, -by), key[2])
            cells.setdefault(at, []).append(column)
    found: dict[str, Turn] = {}
    for (sheet, by), columns in sorted(cells.items(), key=lambda one: -len(one[1])):
        if len(columns) >= LEAST and sheet not in found:
            found[sheet] = _moved(model, turn, sheet, by, columns) if isinstance(turn, Upwards) else Across(sheet)
    return list(found.values())


def _moved(model: Model, turn: Upwards, sheet: str, by: int, columns: Iterable[int]) -> Upwards:
    """The rows of a sheet that go along with the rows of a turned one, with the columns that stand together."""
    top, bottom = turn.top + by, turn.bottom + by
    used = {column for row, column in model.book.sheets[sheet] if top <= row <= bottom}
    left, right = _beside(used, set(columns))
    return Upwards(sheet, top, left, bottom, right)


def _together(model: Model, sheet: str, rows: range | None, lines: set[int]) -> set[int]:
    """The columns that formulas connect with some columns, within one of the rows; with no rows, the same the other way
    round: the rows that formulas connect with some rows, within a column.
    """
    pairs = {
        (key[1], area.row) if rows is None else (key[2], area.column)
        for key in model.forms
        if key[0] == sheet and (rows is None or key[1] in rows)
        for area in model.areas(key)
        if area.single and area.sheet == sheet and (area.column == key[2] if rows is None else area.row == key[1])
    }
    found, size = set(lines), 0
    while len(found) > size:
        size = len(found)
        found |= {line for pair in pairs if found & set(pair) for line in pair}
    return found


__all__ = ["turns_of"]
