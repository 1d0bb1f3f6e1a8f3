"""Cells that show another number than the witness, and that nothing else explains: one finding for each stretch."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import groupby

from elo_sheets.detective.chain import Log
from elo_sheets.detective.listed import close
from elo_sheets.detective.witness import Residual, Testimony
from elo_sheets.expr import Expr, walk
from elo_sheets.recognise.compare import code_of
from elo_sheets.recognise.context import LAST, NOTE, Context, Proposal
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.model import Area, Key, at_cell, with_areas

CODES = {
    "typed": "ES201",
    "missing": "ES202",
    "before": "ES123",
    "list": "ES123",
    "sum": "ES108",
    "begins": "ES123",
    "rank": "ES213",
}
SAYS = {
    "rank": "the place is not the one among all players' latest ratings",
    "sum": "the rating is not the one before the period and what its games gave",
    "begins": "the period does not begin with the rating with which the one before ends",
}
OF_LISTS = ("sum", "list")  # relations of what sums up games
MOST_ROWS = 3  # games that a range may miss at the end of a period that is not the last
OF_FORMULAS = ("before", "list", "sum", "begins", "rank")  # relations of which a code tells only where a formula stands


def unexplained(
    context: Context, logs: Mapping[str, Log], said: Testimony, proposals: Iterable[Proposal]
) -> Iterator[Proposal]:
    """Return a proposal for every stretch of cells that do not stand and that no other proposal names."""
    told = {key for one in proposals if one.severity != NOTE or one.rank == LAST for key in one.cells}
    left = [key for key in said.residuals if key not in told]
    for keys in _stretches(left, {sheet: log.lines for sheet, log in logs.items()}):
        for code, same in groupby(keys, key=lambda key: _code(context, said.residuals[key])):
            parts = [said.residuals[key] for key in same]
            short = _short(context, logs, parts[0]) if parts[0].relation in OF_LISTS else None
            if short is None:
                yield _proposal(context, code, parts)
            elif short.cells[0] not in told:
                told |= set(short.cells)
                yield short


def _short(context: Context, logs: Mapping[str, Log], one: Residual) -> Proposal | None:
    """A sum of games that ends some rows early: with those it gives what is due."""
    model = context.model
    for key in (one.key, *model.precedents(one.key, 1)):
        tree = model.tree(key)
        ends = {
            (area.sheet, area.bottom)
            for area in (node for node in walk(tree) if isinstance(node, Area)) if not area.single
            if (log := logs.get(area.sheet or "")) is not None and log.games[0] <= area.bottom < log.games[-1]
        } if tree is not None else set()  # fmt: skip
        for sheet, bottom in ends if len(ends) == 1 else ():
            games = [row for row in logs[sheet or ""].games if row > bottom]
            for last in (*games[:MOST_ROWS], games[-1]):
                whole = _until(model.tree(key), sheet, bottom, last)
                shown = context.evaluator.number(one.key, {}, {key: whole}) if whole is not None else None
                if isinstance(one.due, (int, float)) and close(shown, one.due):
                    cells = [
                        cell for cell, form in model.forms.items() if form is model.forms[key] and cell[0] == key[0]
                    ]
                    trees = {cell: _until(model.tree(cell), sheet, bottom, last) for cell in sorted(cells)}
                    repairs = {cell: spell_anchored(model, cell, new) for cell, new in trees.items() if new is not None}
                    first = next(iter(repairs.values()))
                    return Proposal("ES125", tuple(repairs), repairs=repairs, fix="=" + first, rank=5)
    return None


def _until(tree: Expr | None, sheet: str | None, bottom: int, last: int) -> Expr | None:
    """A formula whose ranges of a sheet that end in one row end in another."""

    def longer(area: Area) -> Expr:
        if area.single or (area.sheet, area.bottom) != (sheet, bottom):
            return area
        return Area(area.sheet, area.row, area.column, last, area.right, area.fixed, False)

    return None if tree is None else with_areas(tree, longer)


def _code(context: Context, one: Residual) -> str:
    if one.relation in CODES and (one.relation not in OF_FORMULAS or one.key in context.model.forms):
        return CODES[one.relation]
    expected = None if one.text is None else context.model.form_of(one.text, one.key)
    found = context.model.tree(one.key)
    if found is None or expected is None:
        return "ES201" if found is None and one.found not in (None, "") else "ES108"
    return code_of(at_cell(expected.tree, one.key), found, {}, one.key)


def _proposal(context: Context, code: str, parts: list[Residual]) -> Proposal:
    cells = tuple(one.key for one in parts)
    repairs: dict[Key, str] = {one.key: one.text for one in parts if one.text is not None}
    first = parts[0]
    is_told = first.key in context.model.forms or first.relation == "begins"
    says = SAYS.get(first.relation, "") if is_told else ""
    if len(repairs) == len(cells):
        return Proposal(code, cells, says, repairs=repairs, fix="=" + repairs[cells[0]], rank=6)
    typed = all(one.relation == "begins" and one.key not in context.model.forms for one in parts)
    if typed:  # a list that is typed anew each month: a later month may follow from what is wrong in this one
        return Proposal(code, cells, says, values={one.key: one.due for one in parts}, rank=6)
    return Proposal(code, cells, says, expected=first.due, found=first.found, effect=0.0, rank=6)


def _stretches(keys: Iterable[Key], lines: Mapping[str, Container[int]]) -> Iterator[list[Key]]:
    """Cells below each other, without the rows between that are none of them; players' own columns belong together."""

    def column(key: Key) -> tuple[str, int]:
        return key[0], 0 if key[2] in lines.get(key[0], ()) else key[2]

    ordered = sorted(keys, key=lambda key: (*column(key), key[1], key[2]))
    for _, same in groupby(ordered, key=column):
        yield list(same)


__all__ = ["unexplained"]
