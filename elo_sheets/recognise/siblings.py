"""Sheets with a column for each player: all have one formula, and the column that has another is at fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from elo_sheets.expr import Expr, walk
from elo_sheets.files.package import shift_formula
from elo_sheets.recognise.cells import Run
from elo_sheets.recognise.compare import code_of
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.model import Area, Form, Key, at_cell
from elo_sheets.verdict.compare import differences

LEAST = 4  # columns side by side
FEW = 0.25  # the share of them that may have another formula
SLACK = 2  # rows by which the columns may begin or end apart
LOWEST = 100.0  # rating points


@dataclass(frozen=True)
class Columns:
    """Players' columns side by side, and the formula that most of them have."""

    runs: tuple[Run, ...]
    form: Form

    @property
    def others(self) -> list[Run]:
        """The columns with another formula."""
        return [run for run in self.runs if _form(run) is not self.form]

    @property
    def cells(self) -> list[Key]:
        """All cells, and those directly above that the columns start from."""
        return [key for run in self.runs for key in (run.key(run.first - 1), *run.cells())]


def players_columns(context: Context) -> list[Columns]:
    """Return the stretches of columns in which ratings are carried down, of which few differ from the rest."""
    found = []
    for block in _blocks(context):
        usual, count = Counter(_form(run) for run in block).most_common(1)[0]
        if usual is None or count < LEAST - 1 or len(block) - count > max(1, FEW * len(block)):
            continue
        if usual.goes_on:
            found.append(Columns(tuple(block), usual))
    return found


def sibling_faults(context: Context, columns: Columns, roles: Mapping[Key, str]) -> Iterator[Proposal]:
    """Yield a proposal for each player's column with another formula than those beside it; `roles` as in `code_of`."""
    usual = next(run for run in columns.runs if _form(run) is columns.form)
    for run in columns.others:
        yield from _judged(context, run, usual, columns.form, {**roles, **dict.fromkeys(columns.cells, "R")})


def _blocks(context: Context) -> Iterator[list[Run]]:
    """Columns of ratings side by side, in the same rows."""
    runs = [run for run in context.runs if run.down and run.period == 1 and _rates(context, run) and not _sums_up(run)]
    block: list[Run] = []
    for run in sorted(runs, key=lambda r: (r.sheet, r.line)):
        if block and not _beside(block[-1], run):
            if len(block) >= LEAST:
                yield block
            block = []
        block.append(run)
    if len(block) >= LEAST:
        yield block


def _beside(one: Run, two: Run) -> bool:
    near = abs(one.first - two.first) <= SLACK and abs(one.last - two.last) <= SLACK
    return one.sheet == two.sheet and two.line == one.line + 1 and near


def _rates(context: Context, run: Run) -> bool:
    number = context.model.number(run.key(run.last))
    return number is not None and abs(number) >= LOWEST


def _form(run: Run) -> Form | None:
    pattern = run.patterns[0]
    return None if pattern is None else pattern.form


def _sums_up(run: Run) -> bool:
    """Whether a column is made of several others and carries nothing on, as a team's average beside its players is."""
    form, late = _form(run), run.key(run.last)
    if form is None or form.goes_on:
        return False
    placed = [area.at(late[1], late[2]) for area in form.areas if area.sheet is None]
    return any(area.right > area.column and area.bottom == area.row and area.row >= late[1] - 1 for area in placed)


def _judged(context: Context, run: Run, usual: Run, form: Form, roles: Mapping[Key, str]) -> Iterator[Proposal]:
    model = context.model
    repairs: dict[Key, str] = {}
    for key in run.cells():
        source = model.cell(usual.key(key[1]))
        if run.fits(model, key) and usual.fits(model, usual.key(key[1])) and source is not None and source.formula:
            repairs[key] = shift_formula(source.formula, 0, key[2] - usual.line)
    if not repairs:
        return
    cells = tuple(repairs)
    late = cells[len(cells) // 2]
    found = model.tree(late)
    if found is not None:
        expected = at_cell(form.tree, late)
        code = code_of(expected, found, roles, late)
        if code == "ES101" and _of_surplus(expected, found, roles):
            code = "ES115"
        yield Proposal(code, cells, "", repairs, fix="=" + repairs[cells[0]], rank=1)


def _of_surplus(expected: Expr, found: Expr, roles: Mapping[Key, str]) -> bool:
    """Whether what is turned round is the score less its expectation."""
    areas = [n for a, _ in differences(expected, found) for n in walk(a) if isinstance(n, Area)]
    return any(roles.get((area.sheet or "", area.row, area.column)) == "E" for area in areas)


__all__ = ["Columns", "players_columns", "sibling_faults"]
