"""A log whose rating before never moves: every game starts from one typed rating, and nothing reads the rating after.

A table of what might happen looks alike, and so does a tournament rated as a whole. So the games must be dated, on
several days in order, and each row must book its own change alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from elo_sheets.expr import Binary, walk
from elo_sheets.recognise.context import WARNING, Context, Proposal
from elo_sheets.recognise.departures import spell
from elo_sheets.recognise.model import ALL_FIXED, Area, Form, Key, Model, cell_area
from elo_sheets.recognise.parts import Part, Prober

LEAST_ROWS, MOST_COLUMNS = 3, 40
FIRST_DAY, LAST_DAY = 15_000.0, 80_000.0  # days as spreadsheets count them: 1941 to 2119


def standing(context: Context) -> Iterator[Proposal]:
    """Yield the columns of ratings before that all read one typed cell although the log books ratings after."""
    model = context.model
    groups: dict[tuple[str, int, Form], list[Key]] = {}
    for key, form in model.forms.items():
        tree = form.tree
        if isinstance(tree, Area) and tree.single and tree.fixed == ALL_FIXED:
            groups.setdefault((key[0], key[2], form), []).append(key)
    for (sheet, _, form), keys in groups.items():
        keys.sort()
        area = form.tree
        assert isinstance(area, Area)
        source = (area.sheet or sheet, area.row, area.column)
        in_line = keys[-1][1] - keys[0][1] == len(keys) - 1
        if len(keys) < LEAST_ROWS or not in_line or model.is_formula(source) or (model.number(source) or 0) < 100:
            continue
        if _dated(model, keys):
            yield from _carried(context, keys)


def _dated(model: Model, keys: list[Key]) -> bool:
    for column in range(1, MOST_COLUMNS):
        days = [model.number((sheet, row, column)) for sheet, row, _ in keys]
        known = [day for day in days if day is not None and FIRST_DAY < day < LAST_DAY]
        if len(known) == len(days) and known == sorted(known) and len(set(known)) >= LEAST_ROWS:
            return True
    return False


def _carried(context: Context, keys: list[Key]) -> Iterator[Proposal]:
    model, prober = context.model, context.prober
    before = keys[0]
    row = [key for key in model.forms if key[:2] == before[:2] and key != before]
    changes = [part for key in row if (part := _change(prober, key, before)) is not None]
    if len(changes) != 1:
        return
    change = changes[0].key
    after = [key for key in row if key != change and _books(model, key, before, change) and _unread(context, key, keys)]
    if len(after) != 1:
        return
    booked = [(key[0], key[1], after[0][2]) for key in keys]
    own = {
        place: spell(Binary("+", cell_area(key), cell_area((key[0], key[1], change[2]))), key[0])
        for key, place in zip(keys, booked, strict=True)
        if place in set(model.precedents(place))
    }
    if own:
        message = "the rating after a game adds the change to itself, not to the rating before"
        yield Proposal("ES215", tuple(own), message, repairs=own, fix="=" + next(iter(own.values())), rank=2)
    carried = {key: spell(cell_area(place), key[0]) for key, place in zip(keys[1:], booked, strict=False)}
    message = "every game starts from the same rating; from the second on it should be the rating after the game above"
    fix = "=" + carried[keys[1]]
    yield Proposal("ES126", tuple(carried), message, repairs={**carried, **own}, fix=fix, severity=WARNING, rank=2)


def _change(prober: Prober, key: Key, before: Key) -> Part | None:
    part = prober.analyse(key)
    return part if part is not None and part.kind == "D" and before in (part.own, part.other) else None


def _books(model: Model, key: Key, before: Key, change: Key) -> bool:
    """Whether a cell is its row's change added to the rating before, or wrongly to itself."""
    form = model.forms[key]
    reads = set(model.precedents(key))
    areas = [node for node in walk(form.tree) if isinstance(node, Area)]
    return reads in ({before, change}, {key, change}) and len(areas) == 2 and isinstance(form.tree, Binary)


def _unread(context: Context, key: Key, keys: list[Key]) -> bool:
    readers = context.evaluator.readers
    places = [(sheet, row, key[2]) for sheet, row, _ in keys]
    same = {context.model.forms.get(place) for place in places} == {context.model.forms[key]}
    return same and not any(map(readers.is_read, places))


__all__ = ["standing"]
