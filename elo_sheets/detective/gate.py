"""What a proposal must pass before it is printed: it is about a game, and what it demands is no worse than what stands.

A row that is no game lacks no formula, and a reference may step over it. A rating before that is the player's latest is
right, whatever its neighbours do: a proposal under which it would be another is none.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Iterable, Iterator, Mapping

from elo_sheets.detective.chain import CLOSE, Log, over
from elo_sheets.detective.gains import shown
from elo_sheets.detective.witness import HALF, LEAST, Testimony
from elo_sheets.files.package import CellError, Value
from elo_sheets.recognise.context import NOTE, Context, Proposal
from elo_sheets.recognise.model import Area, Key, Model, at_cell
from elo_sheets.verdict.compare import differences

SOME = 0.25  # of the cells of one formula show another number than they should: fewer may be faults of their own
# Of whom an advantage is, and what sums to one: rules that every row may keep and that are wrong in all of them.
OF_ALL = ("ES121", "ES128")
SECOND = "ES129"  # a column's second formula
SCORE, SELF = "ES411", "ES403"  # findings that rest on what a column is for: goals are no scores, a winner no name


def lawful(
    context: Context, logs: Mapping[str, Log], proposals: Iterable[Proposal], said: Testimony
) -> Iterator[Proposal]:
    """Return the proposals without the cells that are lawful, or that the witness has seen to be right."""
    faulty = {(key[0], key[2]) for key in said.residuals}
    for one in proposals:
        if _is_all_right(said, faulty, one):
            continue
        is_of_cells = one.severity != NOTE and one.code not in OF_ALL and (one.repairs or not one.values)
        stands = said.stands if is_of_cells else ()
        kept = tuple(
            key
            for key in one.cells
            if not (key in stands and (_is_usual(context, said, one, key) or _by_place(context, logs, one, key)))
            and not _as_it_should(context, logs, said, one, key)
        )
        of_one = kept and len(kept) >= SOME * len(one.cells) and _of_one_form(context, one.cells, kept)
        if of_one or (not kept and _is_misled(context, said, one)):
            kept = one.cells
        if kept:
            yield _as_the_witness_says(context, said, one if len(kept) == len(one.cells) else _only(one, kept))


def _is_all_right(said: Testimony, faulty: Container[tuple[str, int]], one: Proposal) -> bool:
    """Whether a proposal is to change most of a column in which every rating is what the player's latest game gave."""
    columns = {(key[0], key[2]) for key in one.cells}
    if len(columns) != 1 or any(column in faulty for column in columns) or not set(one.cells) <= said.latest:
        return False
    return len(one.cells) > HALF * sum((key[0], key[2]) in columns for key in said.latest)


def _of_one_form(context: Context, cells: tuple[Key, ...], kept: tuple[Key, ...]) -> bool:
    """Whether what stands has the formula of what does not: it is right by chance, and as wrong as those."""
    forms = {context.model.forms.get(key) for key in kept}
    return None not in forms and all(context.model.forms.get(key) in forms for key in cells)


def _is_misled(context: Context, said: Testimony, one: Proposal) -> bool:
    """Whether the witness takes a column's second formula for right, and doubts only what has one in all its rows."""
    forms, sheet = context.model.forms, one.cells[0][0]
    doubted = {key[2] for key in said.residuals if key[0] == sheet}
    columns = ([forms.get((sheet, row, at)) for row in context.model.columns.get((sheet, at), ())] for at in doubted)
    return one.code == SECOND and bool(doubted) and all(len({*column} - {None}) == 1 for column in columns)


def _only(one: Proposal, kept: tuple[Key, ...]) -> Proposal:
    repairs = {key: text for key, text in one.repairs.items() if key in kept or key not in one.cells}
    return dataclasses.replace(
        one, cells=kept, repairs=repairs, fix="=" + repairs[kept[0]] if kept[0] in repairs else None
    )


def _as_the_witness_says(context: Context, said: Testimony, one: Proposal) -> Proposal:
    """A proposal with the formulas that the witness has for its cells; without, with those that give its number."""
    parts = [said.residuals.get(key) for key in one.cells]
    if not one.repairs or any(part is None for part in parts):
        return one
    texts = {part.key: part.text for part in parts if part is not None and part.text is not None}
    if len(texts) == len(parts):
        return dataclasses.replace(one, repairs=texts, fix="=" + texts[one.cells[0]])
    if all(part is not None and _gives(context, part.key, one.repairs.get(part.key), part.due) for part in parts):
        return one
    first = parts[0]
    due, found = (first.due, first.found) if first is not None else (None, None)
    return dataclasses.replace(one, repairs={}, fix=None, expected=due, found=found, effect=0.0)


def _gives(context: Context, key: Key, text: str | None, due: Value) -> bool:
    """Whether a formula would show a number in a cell."""
    form = None if text is None else context.model.form_of(text, key)
    shown = None if form is None else context.evaluator.tree_value(at_cell(form.tree, key), key, {})
    return isinstance(shown, (int, float)) and isinstance(due, (int, float)) and abs(shown - due) <= CLOSE


def _is_the_same(context: Context, proposal: Proposal, key: Key) -> bool:
    """Whether the formula that is proposed for a cell is the one that stands there."""
    text, found = proposal.repairs.get(key), context.model.forms.get(key)
    return (
        text is not None and found is not None and context.model.form_of(text, key) is found and len(proposal.cells) > 1
    )


def _is_alone(model: Model, proposal: Proposal, key: Key) -> bool:
    """Whether one cell of a column of one formula is to have a formula that no other cell of the column has."""
    text, found = proposal.repairs.get(key), model.forms.get(key)
    form = None if text is None else model.form_of(text, key)
    if len(proposal.cells) > 1 or form is None or found is None:
        return False
    column = [model.forms.get((key[0], row, key[2])) for row in model.columns.get((key[0], key[2]), ())]
    return form not in column and column.count(found) >= LEAST


def _is_of_a_player(model: Model, proposal: Proposal, key: Key) -> bool:
    """Whether a cell is to have the formula of those above it, which it may sum up instead."""
    text = proposal.repairs.get(key)
    form = None if text is None else model.form_of(text, key)
    return form is not None and any(model.forms.get((key[0], row, key[2])) is form for row in range(1, key[1]))


def _is_usual(context: Context, said: Testimony, proposal: Proposal, key: Key) -> bool:
    """Whether a cell shows what its period's list says, links to the right cell, or has its column's right formula."""
    usual = said.right.get((key[0], key[2]), set())
    linked = key in said.latest and shown(context.model.tree(key), key[0]) is not None
    return linked or key in said.listed or (key in usual and not usual <= set(proposal.cells))


def _by_place(context: Context, logs: Mapping[str, Log], proposal: Proposal, key: Key) -> bool:
    """Whether a cell that stands would only read other rows, and those are no games or belong to its own."""
    text, found = proposal.repairs.get(key), context.model.tree(key)
    form = None if text is None else context.model.form_of(text, key)
    if form is None or found is None:
        return True
    return all(
        isinstance(a, Area) and isinstance(b, Area) and (a.sheet, a.column, a.right) == (b.sheet, b.column, b.right)
        and (_over_furniture(logs, a, b) or shared(context.model, key, b))
        for a, b in differences(at_cell(form.tree, key), found)
    )  # fmt: skip


def _over_furniture(logs: Mapping[str, Log], a: Area, b: Area) -> bool:
    log = logs.get(a.sheet or "")
    rows = {
        *range(min(a.row, b.row), max(a.row, b.row)),
        *range(min(a.bottom, b.bottom) + 1, max(a.bottom, b.bottom) + 1),
    }
    return log is not None and rows <= log.furniture


def shared(model: Model, key: Key, area: Area) -> bool:
    """Whether the cell above or below reads the same range: rows that belong together, as both sides of a game do."""
    beside = ((key[0], key[1] + by, key[2]) for by in (-1, 1))
    return not area.single and any(area in model.areas(one) for one in beside)


def _as_it_should(context: Context, logs: Mapping[str, Log], said: Testimony, proposal: Proposal, key: Key) -> bool:
    log = logs.get(key[0])
    if _is_the_same(context, proposal, key) or _is_alone(context.model, proposal, key):
        return True
    if key in context.totals and _is_of_a_player(context.model, proposal, key):
        return True
    if log is None:
        return False
    if key[1] in log.furniture or (proposal.code == SCORE and key[2] in log.counts):
        return True
    names = log.names
    if proposal.code == SELF and len(names) > 1 and not all(one[2] in names for one in proposal.cells):
        return True
    text, found = proposal.repairs.get(key), context.model.tree(key)
    form = None if text is None else context.model.form_of(text, key)
    if form is None:
        return False
    expected = at_cell(form.tree, key)
    if found is not None and expected != found and log.furniture and over(expected, logs) == over(found, logs):
        return True
    if key in said.latest:
        if key[0] in said.evenings:
            return True  # the latest rating is another one
        shown, here = context.evaluator.tree_value(expected, key, {}), context.model.number(key)
        if isinstance(shown, CellError):
            return True
        return isinstance(shown, (int, float)) and here is not None and abs(shown - here) > CLOSE
    return False


__all__ = ["lawful"]
