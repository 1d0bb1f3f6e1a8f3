"""A sheet for each month, week or event: its list begins with the ratings at the end of the one before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from elo_sheets.detective.listed import HALF, Listed, close
from elo_sheets.detective.names import plain
from elo_sheets.expr import Expr, replaced
from elo_sheets.files.package import quote_sheet, shift_formula
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.model import ROW, Area, Form, Key, Model, at_cell
from elo_sheets.recognise.roles import has_power
from elo_sheets.verdict.compare import differences

LEAST = 3  # rows of one formula
LEAST_RATING = 50.0  # points: a count or a place is less

Due = tuple[Key, float, Key]  # a rating that a list begins with, what is due, and where that stands


def begins(context: Context, said: Mapping[str, Listed]) -> Iterator[Due]:
    """Return the ratings that the lists of single periods begin with; nothing where most do not go on from another.

    The periods follow each other as their sheets do, or the other way round. Who is new in a period is not asked for.
    """
    model = context.model
    sheets = [
        sheet
        for sheet in model.book.sheets
        if (one := said.get(sheet)) and len(one.periods) == 1 and len(one.lists) > 1
    ]
    best: tuple[int, list[Due]] = (0, [])
    for order in (sheets, sheets[::-1]):
        asked = [
            (key, due, ends[who])
            for one, other in pairwise(order)
            for ends in (said[one].lists[-1],)
            for who, key in said[other].lists[0].items()
            if who in ends and (due := model.number(ends[who])) is not None
        ]
        agree = sum(close(model.number(key), due) for key, due, _ in asked)
        if agree > best[0] and (agree > HALF * len(asked) or _is_linked(context, order, asked)):
            best = agree, asked
    yield from best[1]


def _is_linked(context: Context, order: Sequence[str], asked: Sequence[Due]) -> bool:
    """Whether every rating is taken from another period, and in one period all from the one before."""
    cells = [context.model.cell(key) for key, _, _ in asked]
    if any(cell is None or cell.formula is None for cell in cells):
        return False
    parts = ([due for due in asked if due[0][0] == sheet] for sheet in order[1:])
    return any(part and all(close(context.model.number(key), due) for key, due, _ in part) for part in parts)


def text_of(context: Context, due: Due, said: Mapping[str, Listed]) -> str | None:
    """The formula of a list's first rating, here or in another period, that gives what is due; None where none does."""
    key, number, (before, _, _) = due
    model = context.model
    for sheet in (key[0], *said):
        like = next((one for one in said[sheet].lists[0].values() if one in model.forms), None)
        cell = None if like is None else model.cell(like)
        if like is None or cell is None or cell.formula is None:
            continue
        text = shift_formula(cell.formula, key[1] - like[1], key[2] - like[2])
        for other in said:
            text = text.replace(f"{quote_sheet(other)}!", f"{quote_sheet(before)}!")
            text = text.replace(f"{other}!", f"{before}!")
        form = model.form_of(text, key)
        shown = None if form is None else context.evaluator.tree_value(at_cell(form.tree, key), key, {})
        if isinstance(shown, (int, float)) and close(float(shown), number):
            return text
    return None


def from_others(context: Context) -> Iterator[Proposal]:
    """The ratings that a list takes over from another sheet row by row, where the names stand in another order."""
    model = context.model
    columns: dict[tuple[str, int, Form], list[Key]] = {}
    rated = any(has_power(form.tree) for form in set(model.forms.values()))
    for key, form in model.forms.items() if rated else ():
        away = _away(form, key[0])
        if len(away) == 1 and (model.number(key) or 0.0) >= LEAST_RATING:
            columns.setdefault((key[0], key[2], form), []).append(key)
    for (_, _, form), keys in columns.items():
        area = next(one for one in form.areas if one.single and not one.fixed & ROW and one.sheet is not None)
        sources = [(area.sheet or "", at.row, at.column) for at in (area.at(key[1], key[2]) for key in keys)]
        own, theirs = ([_beside(model, one) for one in cells] for cells in (keys, sources))
        rows = {name: source for name, source in zip(theirs, sources, strict=True) if name is not None}
        off = [key for key, one, other in zip(keys, own, theirs, strict=True) if one != other and one in rows]
        if len(keys) < LEAST or None in own or None in theirs or len(rows) < len(keys) or not off:
            continue
        if len(set(own) & set(rows)) <= HALF * len(keys):
            continue
        repairs = {}
        for key, at, who in zip(keys, sources, own, strict=True):
            here = next(one for one in model.areas(key) if (one.sheet, one.row, one.column) == at)
            if key in off and who is not None:
                to = replace(here, row=rows[who][1], bottom=rows[who][1])
                repairs[key] = spell_anchored(model, key, replaced(at_cell(form.tree, key), here, to))
        says = f"the ratings are taken over from {sources[0][0]} row by row, where the names stand in another order"
        yield Proposal("ES106", tuple(off), says, repairs, fix="=" + repairs[off[0]], rank=1)


def from_earlier(context: Context) -> Iterator[Proposal]:
    """A list that goes on from an earlier one than that before it, where the lists beside it go on from the one before.

    The lists are columns side by side, one for each period, and but for where they begin their formulas are the same.
    """
    model = context.model
    rows: dict[tuple[str, int], list[Key]] = {}
    for key in sorted(model.forms):
        if (model.number(key) or 0.0) >= LEAST_RATING:
            rows.setdefault(key[:2], []).append(key)
    off: dict[tuple[str, int], dict[Key, str]] = {}
    lists: set[tuple[str, int]] = set()
    for cells in rows.values():
        ((usual, many),) = Counter(model.forms[key] for key in cells).most_common(1)
        for key in cells if 1 < many < len(cells) else ():
            tree = at_cell(usual.tree, key)
            if model.forms[key] is usual:
                lists.add((key[0], key[2]))
            elif _begins_earlier(key, differences(tree, at_cell(model.forms[key].tree, key))):
                off.setdefault((key[0], key[2]), {})[key] = spell_anchored(model, key, tree)
    for at, repairs in off.items():
        if len(repairs) >= LEAST and at not in lists:
            first = min(repairs)
            says = "the list goes on from an earlier one, and the lists beside it from the one before them"
            yield Proposal("ES106", tuple(sorted(repairs)), says, repairs, fix="=" + repairs[first], rank=1)


def from_earlier_sheets(context: Context) -> Iterator[Proposal]:
    """A list in which some go on from the sheet before, and others from an earlier one."""
    model = context.model
    order = {sheet: at for at, sheet in enumerate(model.book.sheets)}
    lists: dict[tuple[object, ...], dict[Key, Area]] = {}
    for key, form in sorted(model.forms.items(), key=lambda one: one[0]):
        away = _away(form, key[0])
        if len(away) == 1 and (model.number(key) or 0.0) >= LEAST_RATING:
            like = replaced(form.tree, away[0], replace(away[0], sheet=None))
            lists.setdefault((key[0], key[2], like), {})[key] = away[0].at(key[1], key[2])
    for cells in lists.values():
        before = [order.get(area.sheet or "", len(order)) for area in cells.values()]
        latest = max(before)
        off = [key for key, at in zip(cells, before, strict=True) if at < latest]
        if not off or latest >= order[off[0][0]]:
            continue
        due = {key: replace(cells[key], sheet=[*order][latest]) for key in off}
        ends = {key: (area.sheet or "", area.row, area.column) for key, area in due.items()}
        if all(
            _beside(model, key) == _beside(model, end) is not None and end in model.forms for key, end in ends.items()
        ):
            trees = {key: replaced(at_cell(model.forms[key].tree, key), cells[key], due[key]) for key in off}
            repairs = {key: spell_anchored(model, key, tree) for key, tree in trees.items()}
            says = f"{len(off)} of {len(cells)} go on from an earlier sheet, the others from {[*order][latest]}"
            yield Proposal("ES106", tuple(off), says, repairs, fix="=" + repairs[off[0]], rank=1)


def _away(form: Form, sheet: str) -> list[Area]:
    """The single cells of other sheets that a formula reads, row by row."""
    return [area for area in form.areas if area.single and not area.fixed & ROW and area.sheet not in (None, sheet)]


def _begins_earlier(key: Key, parts: Sequence[tuple[Expr, Expr]]) -> bool:
    """Whether a formula differs in one thing: it reads a cell farther left where the one beside it is due."""
    due, found = parts[0] if len(parts) == 1 else (None, None)
    if not isinstance(due, Area) or not isinstance(found, Area) or not (due.single and found.single):
        return False
    same_row = (due.sheet, due.row) == (found.sheet, found.row) == (key[0], key[1])
    return same_row and found.column < due.column == key[2] - 1


def _beside(model: Model, key: Key) -> str | None:
    """The name of a row: the nearest text on the left of a cell."""
    texts = (plain(model.value((key[0], key[1], column))) for column in range(key[2] - 1, 0, -1))
    return next((one for one in texts if one is not None), None)


__all__ = ["Due", "begins", "from_earlier", "from_earlier_sheets", "from_others", "text_of"]
