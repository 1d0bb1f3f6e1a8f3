"""Where a column of a log begins to follow another formula: always told, whatever the shares of the two.

A mistake that is dragged down runs to the end, so the longer one stands no nearer to what was meant. The rows further
down are at fault, or those in which the sentences of a rating rule are broken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from elo_sheets.detective.chain import CLOSE, Log, over
from elo_sheets.detective.explain import Examined
from elo_sheets.detective.listed import listed
from elo_sheets.expr import Expr
from elo_sheets.files.package import CellError
from elo_sheets.recognise.behind import has_deviations
from elo_sheets.recognise.compare import equivalent, same_but_k
from elo_sheets.recognise.context import ERROR, NOTE, Context, Proposal
from elo_sheets.recognise.departures import filled, spell
from elo_sheets.recognise.model import Area, Key, at_cell
from elo_sheets.recognise.roles import has_power
from elo_sheets.verdict.compare import differences

LEAST = 3  # rows of one formula: the first game or two may read what players start from
MOST_PARTS = 3  # parts of a column: with more, rows take turns, as in a log with two rows a game


def second_forms(context: Context, examined: Examined) -> Iterator[Proposal]:
    """Return a proposal for every column in which a second formula begins that gives something else."""
    for sheet, log in examined.logs.items():
        columns = sorted({key[2] for key in context.model.forms if key[0] == sheet and key[1] in log.rows})
        found = (
            _of_column(context, examined, log, column)
            for column in columns
            if _is_of_games(context, log, column) and not (log.by_hand and column in log.lines)
        )
        yield from _together(context, log, [one for proposals in found for one in proposals])
    yield from _on_other_sheets(context, examined)
    yield from (one for keys in _apart(context, examined) for one in _of_parts(context, examined, keys))


def _apart(context: Context, examined: Examined) -> Iterator[list[Key]]:
    """Columns of formulas below each other that are none of a log's: the rounds of one player, lists of players.

    The own rating of rounds stands in one cell for all. What a list sums up by its names are columns of the games.
    """
    forms = context.model.forms
    keys = [key for key in forms if key[0] not in examined.logs and has_power(forms[key].tree)]
    keys += [key for key in forms if _sums_by_name(context, examined, key)]
    ordered = enumerate(sorted((sheet, column, row) for sheet, row, column in keys))
    for (sheet, column, _), same in groupby(ordered, key=lambda one: (*one[1][:2], one[1][2] - one[0])):
        yield [(sheet, row, column) for _, (_, _, row) in same]


def _sums_by_name(context: Context, examined: Examined, key: Key) -> bool:
    """Whether a cell of no game reads a name of its row, and computed columns of games in ranges."""
    model, own = context.model, examined.logs.get(key[0])
    if own is not None and (key[2] in own.computed or key[2] in own.lines):
        return False
    areas = [(area.sheet or key[0], area) for area in model.areas(key)]
    named = any(area.single and (sheet, area.row) == key[:2] and isinstance(model.value((*key[:2], area.column)), str)
                for sheet, area in areas)  # fmt: skip
    return named and any(
        not area.single and (log := examined.logs.get(sheet)) is not None and area.column in log.computed
        for sheet, area in areas
    )


def _together(context: Context, log: Log, proposals: list[Proposal]) -> Iterator[Proposal]:
    """The proposals, of which those on players' own columns in the same rows are one, and those of one slide."""
    columns: dict[tuple[object, ...], list[Proposal]] = {}
    for one in proposals:
        slid = _slid(context, one)
        of_line = one.cells[0][2] in log.lines or slid
        place = (one.severity, *(key[1] for key in one.cells)) if of_line else (one.cells[0][2],)
        columns.setdefault((of_line, *place), []).append(one)
    for same in columns.values():
        cells = tuple(sorted(key for one in same for key in one.cells))
        repairs = {key: text for one in same for key, text in one.repairs.items()}
        slid = _slid(context, same[0])
        says = same[0].message if not slid else (
            f"the games from row {cells[0][1]} on read {slid[0] or log.sheet} {abs(slid[1])} "
            f"row{'s' * (abs(slid[1]) > 1)} further {'down' if slid[1] > 0 else 'up'} than the games above"
        )  # fmt: skip
        yield replace(same[0], cells=cells, repairs=repairs, message=says, fix="=" + repairs[cells[0]])


def _slid(context: Context, one: Proposal) -> tuple[str | None, int] | None:
    """The sheet that a stretch of games reads some rows off, and by how many, where that is all that is wrong."""
    key = one.cells[0]
    form, found = context.model.form_of(one.repairs[key], key), context.model.tree(key)
    pairs = [] if form is None or found is None else differences(at_cell(form.tree, key), found)
    moved = {
        (b.sheet, b.row - a.row) if isinstance(a, Area) and isinstance(b, Area) and a.single and b.single
        and (a.sheet, a.column) == (b.sheet, b.column) != (key[0], key[2]) and b.sheet != key[0] else None
        for a, b in pairs
    }  # fmt: skip
    return moved.pop() if len(moved) == 1 else None


def _on_other_sheets(context: Context, examined: Examined) -> Iterator[Proposal]:
    """Sheets whose rows are those of the games of another sheet but for one formula, and hold no game because of it."""
    forms = context.model.forms
    for log in examined.logs.values():
        rows = sorted(log.rows & examined.sound.get(log.sheet, set()))
        usual = {
            column: Counter(forms.get((log.sheet, row, column)) for row in rows).most_common(1)[0][0]
            for column in log.computed
            if rows
        }
        for sheet in context.model.book.sheets.keys() - examined.logs.keys() if len(usual) > LEAST else ():
            alike: dict[int, list[Key]] = {}
            for row in sorted({row for row, _ in context.model.book.sheets[sheet]}):
                odd = [c for c, form in usual.items() if form is None or forms.get((sheet, row, c)) is not form]
                if len(odd) == 1 and (sheet, row, odd[0]) in forms:
                    alike.setdefault(odd[0], []).append((sheet, row, odd[0]))
            for column, wrong in alike.items():
                right = [
                    (log.sheet, row, column) for row in rows if forms.get((log.sheet, row, column)) is usual[column]
                ]
                if len(wrong) >= LEAST and len({forms[key] for key in wrong}) == 1:
                    proposal = _proposal(context, examined, right, wrong)
                    yield from () if proposal is None else (proposal,)


def _is_of_games(context: Context, log: Log, column: int) -> bool:
    """Whether a column is computed for the games; a list of players may stand beside them in the same rows."""
    if column in log.computed:
        return True
    own = log.computed | log.typed | set(log.before.values())
    rows = (key for row in log.rows for key in [(log.sheet, row, column)] if key in context.model.forms)
    return any(
        area.single and (area.sheet or key[0], area.row) == key[:2] and area.column in own
        for key in rows
        for area in context.model.areas(key)
    )


def _of_column(context: Context, examined: Examined, log: Log, column: int) -> Iterator[Proposal]:
    keys = [(log.sheet, row, column) for row in sorted(log.rows) if (log.sheet, row, column) in context.model.forms]
    yield from _of_parts(context, examined, keys)


def _of_parts(context: Context, examined: Examined, keys: list[Key]) -> Iterator[Proposal]:
    model = context.model
    parts = [list(same) for _, same in groupby(keys, key=lambda key: model.forms[key].number)]
    parts = [part for part in parts if len(part) >= LEAST] if len(parts) <= MOST_PARTS + 2 else []
    if not 2 <= len(parts) <= MOST_PARTS:
        return
    first, second = parts[0], parts[1]
    if len(parts) == 3 and model.forms[parts[2][0]] is not model.forms[first[0]]:
        return
    broken = examined.broken.get(first[0][0], set())
    right, wrong = (second, first) if first[-1][1] in broken and second[0][1] not in broken else (first, second)
    proposal = _proposal(context, examined, right, wrong)
    if proposal is not None:
        yield proposal


def _proposal(context: Context, examined: Examined, right: list[Key], wrong: list[Key]) -> Proposal | None:
    model, evaluator = context.model, context.evaluator
    key, source = wrong[len(wrong) // 2], model.forms[right[-1]].tree
    found, expected = model.tree(key), at_cell(source, key)
    if found is None or over(found, examined.logs) == over(expected, examined.logs):
        return None
    if has_deviations(model, key[0]) and _reads_on(expected, found):
        return None
    here = [(evaluator.tree_value(at_cell(source, one), one, {}), model.number(one)) for one in wrong]
    other = any(isinstance(a, (int, float)) and b is not None and abs(a - b) > CLOSE for a, b in here)
    if _reads_on(expected, found) and all(isinstance(a, CellError) and not isinstance(b, CellError) for a, b in here):
        return None  # another group's list, which has none of these names above
    if not other and equivalent(evaluator, key, expected, found) is not False:
        return None
    repairs = {one: filled(model, one, at_cell(source, one), right[-1]) for one in wrong}
    only_k = same_but_k(expected, found)
    above, below = (spell(at_cell(model.forms[part[0]].tree, wrong[0]), key[0]) for part in (right, wrong))
    where = "above" if right[0][1] < wrong[0][1] else "below"
    where = where if right[0][0] == key[0] else f"on {right[0][0]}"
    what = "rows" if _sums_by_name(context, examined, key) else "games"
    says = (
        f"{len(wrong)} {what} from row {wrong[0][1]} on have another formula, ={below}, than the {len(right)} {what} "
        f"{where}, by which it would be ={above}"
    )
    severity = NOTE if only_k and not _in_one_period(context, examined, right, wrong) else ERROR
    return Proposal("ES129", tuple(wrong), says, repairs, severity=severity, fix="=" + repairs[wrong[0]], rank=6)


def _reads_on(expected: Expr, found: Expr) -> bool:
    """Whether later games read a list that stands below the one of the games above, as those of a Glicko period do."""
    return all(
        isinstance(a, Area) and isinstance(b, Area) and not b.single
        and (a.sheet, a.column, a.right) == (b.sheet, b.column, b.right) and a.bottom < b.row
        for a, b in differences(expected, found)
    )  # fmt: skip


def _in_one_period(context: Context, examined: Examined, right: list[Key], wrong: list[Key]) -> bool:
    """Whether two formulas are those of games of one period, all of which start from the list of its beginning."""
    log = examined.logs.get(wrong[0][0])
    lists = None if log is None else listed(context.model, log, alone=len(examined.logs) < 2)
    ends = {right[-1][1], wrong[0][1]} if right[0][1] < wrong[0][1] else {wrong[-1][1], right[0][1]}
    return lists is not None and any(ends <= {*rows} for rows in lists.periods)
