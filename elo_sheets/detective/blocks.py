"""Logs in parts: which formula each row is due where not all have one, and how one player's events go on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from itertools import groupby

from elo_sheets.detective.chain import Log
from elo_sheets.detective.facts import FAR, Facts
from elo_sheets.detective.gains import LEAST_RATING
from elo_sheets.expr import walk
from elo_sheets.recognise.context import Context
from elo_sheets.recognise.data_faults import typed as shown_from
from elo_sheets.recognise.model import ROW, Area, Form, Key, Model, at_cell, with_areas
from elo_sheets.verdict.compare import differences


def by_block(model: Model, log: Log, column: int, forms: Container[Form]) -> dict[int, Form]:
    """The formula of each row where the games stand in blocks, and each block reads the cells of its own heading.

    The blocks' formulas are one but for cells and ranges, which lie as far from the games of each block.
    """
    blocks = _joined(model, log.sheet, _blocks(log))
    used = [Counter(form for row in rows if (form := model.forms.get((log.sheet, row, column))) in forms)
            for rows in blocks]  # fmt: skip
    if len(blocks) < 2 or not all(used):
        return {}
    usual = [form for count in used if (form := count.most_common(1)[0][0]) is not None]
    parts = [*zip(usual, blocks, strict=True)]
    for one in parts[:2]:  # the first may be the one that is wrong
        moved = [_moved(log.sheet, column, one, other) for other in parts]
        apart = {a for areas in moved for a in areas or ()}
        if apart and sum(areas is not None for areas in moved) > len(parts) / 2:
            right = [other[0] if areas is not None else _as_moved(log.sheet, column, one, other[1], apart)
                     for areas, other in zip(moved, parts, strict=True)]  # fmt: skip
            return {row: form for form, (_, rows) in zip(right, parts, strict=True) for row in rows}
    return {}


def _blocks(log: Log) -> Iterator[list[int]]:
    """The rows of games that follow each other without a row between."""
    for _, same in groupby(enumerate(log.games), key=lambda one: one[1] - one[0]):
        yield [row for _, row in same]


def _joined(model: Model, sheet: str, blocks: Iterator[list[int]]) -> list[list[int]]:
    """Blocks of rows, of which those are one that only rows part without a formula, or with the games', as a bye's."""
    found: list[list[int]] = []

    def is_of_block(row: int) -> bool:
        columns = model.computed_rows.get((sheet, row), ())
        return all(model.forms[sheet, row, at] is model.forms.get((sheet, found[-1][-1], at)) for at in columns)

    for rows in blocks:
        if found and all(is_of_block(row) for row in range(found[-1][-1] + 1, rows[0])):
            found[-1] += rows
        else:
            found.append(rows)
    return found


def _moved(sheet: str, column: int, one: tuple[Form, list[int]], other: tuple[Form, list[int]]) -> list[Area] | None:
    """What the formula of a block reads that lies as far from the rows of another as what that block's reads instead.

    None where one reads anything else than the other.
    """
    (form, rows), (second, others) = one, other
    if form is second:
        return []
    by, more = others[0] - rows[0], others[-1] - rows[-1]
    found = []
    for a, b in differences(
        at_cell(form.tree, (sheet, rows[0], column)), at_cell(second.tree, (sheet, others[0], column))
    ):
        if not (isinstance(a, Area) and isinstance(b, Area) and a.single == b.single):
            return None
        level = (a.sheet, a.column, a.right, a.row + by) == (b.sheet, b.column, b.right, b.row)
        if not level or b.bottom - a.bottom not in (by, more):
            return None
        found.append(a)
    return found


def _as_moved(sheet: str, column: int, one: tuple[Form, list[int]], rows: list[int], apart: Container[Area]) -> Form:
    """The formula that a block has where it reads its own cells as another block does."""
    (form, others), by = one, rows[0] - one[1][0]

    def own(area: Area) -> Area:
        at = at_cell(area, (sheet, others[0], column))
        return replace(area, row=area.row + by, bottom=area.bottom + by) if area.fixed & ROW and at in apart else area

    tree = with_areas(form.tree, own)
    return Form(form.number, tree, tuple(node for node in walk(tree) if isinstance(node, Area)), form.unknown)


def by_phase(context: Context, log: Log, column: int, forms: Container[Form]) -> dict[int, Form]:
    """The formula of each row in a column in which the rows of a game have each their own, or read their game's."""
    runs = (run for run in context.runs if run.down and (run.sheet, run.line) == (log.sheet, column))
    run = next((run for run in runs if run.period > 1 and run.first <= log.games[0]), None)
    if run is None or run.last < log.games[-1]:
        return {}
    found = {}
    for key in ((log.sheet, row, column) for row in log.games):
        pattern, own = run.pattern(key), context.model.forms.get(key)
        of_game = column not in log.before and run.fits(context.model, key)  # no link to an earlier game
        form = None if pattern is None else pattern.form or (own if of_game else None)
        if form is not None and form in forms:
            found[key[1]] = form
    return found


def events(facts: Facts, log: Log) -> Iterator[tuple[Key, float]]:
    """Yield the ratings with which one player's events go on, one event below the other, each with what is due.

    All games of an event start from one cell. A later event may start from the same rating, as those of a month do; and
    K may be taken of the sum of an event instead of each game.
    """
    model = facts.model
    own: dict[Key, list[Key]] = {}  # what the games of an event gave, by the rating that they start from
    for rows in _blocks(log):
        gains = [gain for row in rows for gain in facts.gains(log.sheet, row)]  # none of a difference beyond a limit
        beside = {gain.own[0] for gain in gains}  # a game may show the rating that all of them start from
        starts = {shown_from(model, key) for key in beside} if len(beside) > 1 else beside
        columns = {gain.cell[2] for gain in gains if gain.base is None}
        if len(starts) != 1 or len(columns) != 1 or any(gain.other[0] in model.forms for gain in gains):
            return
        (start,), (column,) = starts, columns
        changes = [(log.sheet, row, column) for row in rows]
        if start[1] in rows or any(model.number(key) is None for key in changes):
            return
        own.setdefault(start, []).extend(changes)
    if len(own) > 1:
        asked = list(_asked(model, log, own))
        ks = Counter(k for key, _, gained in asked if (k := _counts(facts, key, gained)))
        for key, held, gained in asked if ks else ():
            yield key, held + ks.most_common(1)[0][0] * sum(model.number(one) or 0.0 for one in gained)


def _asked(model: Model, log: Log, own: Mapping[Key, list[Key]]) -> Iterator[tuple[Key, float, list[Key]]]:
    """Every rating that an event leads to: the one before it, and the changes since that was reached."""
    before, gained, start = None, list[Key](), next(iter(own))
    for start, changes in own.items():
        at = shown_from(model, start)
        if gained and at in model.forms and at != before:
            yield at, model.number(before) or 0.0 if before is not None else 0.0, gained
        gained, before = [*(gained if at == before else ()), *changes], at
    for key in model.readers.get(start, ()):
        of_game, shows = key[0] == log.sheet and key[1] in log.games, isinstance(model.tree(key), Area)
        if not of_game and not shows and (model.number(key) or 0.0) >= LEAST_RATING:
            yield key, model.number(start) or 0.0, gained


def _counts(facts: Facts, key: Key, gained: list[Key]) -> float:
    """How much a rating moves with what a game gave: once, or K times."""
    here, game = facts.model.number(key), facts.model.number(gained[0])
    there = facts.evaluator.number(key, {gained[0]: (game or 0.0) + FAR})
    return 0.0 if here is None or there is None else round((there - here) / FAR, 2)


__all__ = ["by_block", "by_phase", "events"]
