"""Proposals to findings: repairs are put into copies, recalculated, and what they change is the measure."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from elo_sheets.detective.gate import shared
from elo_sheets.detective.trial import DRAGGED, Case
from elo_sheets.engines.recalculate import Values
from elo_sheets.files.package import CellError, Value
from elo_sheets.recognise.context import ERROR, NOTE, WARNING, Context, Proposal
from elo_sheets.recognise.model import Area, Key, at_cell, range_text
from elo_sheets.recognise.repair import Measured, Repair, measure
from elo_sheets.verdict.compare import differences
from elo_sheets.verdict.findings import RULES, Finding, shown

CIRCLE = CellError("#CIRC!")
NOBODY = CellError("#N/A")
RANGE, ELSEWHERE, MASKED = "ES125", "ES106", "ES122"
MOST = 200  # proposals that are reported


def judge(context: Context, base: Values, proposals: Sequence[Proposal], ratings: Iterable[Key]) -> list[Case]:
    """Return the cases: every proposal with its measured numbers, the largest effect first within a severity."""
    kept = _one_for_each_cell(proposals)[:MOST]
    repairable = [p for p in kept if p.effect is None and (p.repairs or p.values or p.names)]
    measured = measure(
        context.model.book,
        base,
        [Repair(p.repairs, p.values, p.names) for p in repairable],
        ratings,
        context.engine,
        context.timeout,
    )
    by_id = {id(p): m for p, m in zip(repairable, measured, strict=True)}
    told = ((one, _finding(context, one, by_id.get(id(one)))) for one in kept)
    return [Case(finding, frozenset(one.cells), one) for one, finding in told if finding is not None]


def _one_for_each_cell(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Of several proposals for a cell the one of lowest rank, then the earlier, is kept."""
    taken: set[Key] = set()
    kept: list[Proposal] = []
    for one in sorted(proposals, key=lambda p: p.rank):
        if one.cells and one.cells[0] in taken and one.rank > 0:
            continue
        taken.update(one.cells)
        kept.append(one)
    return kept


def _finding(context: Context, proposal: Proposal, measured: Measured | None) -> Finding | None:
    where = range_text(list(proposal.cells)) if proposal.cells else ""
    expected, found, effect, confidence = proposal.expected, proposal.found, proposal.effect or 0.0, proposal.confidence
    severity = proposal.severity
    tail = ""
    if measured is not None and measured.expected == CIRCLE:  # what would read itself is no repair
        if not proposal.message or proposal.code == DRAGGED:
            return None
        proposal = dataclasses.replace(proposal, repairs={}, fix=None)
        severity, measured = (WARNING if severity == ERROR else severity), None
    if measured is not None:
        expected, found, effect = measured.expected, measured.found, measured.effect
        if isinstance(expected, CellError) and expected not in context.errors and not _is_told(proposal, expected):
            return None  # nor is what gives an error that the book shows nowhere
        if measured.changed == 0:
            if not proposal.latent:
                return None
            severity = WARNING if severity == ERROR else severity
            severity = NOTE if proposal.code == RANGE and _of_one_event(context, proposal) else severity
            known = not isinstance(found, CellError)
            tail = "; the numbers are right today, but no longer follow what they should" if known else ""
        else:
            confidence = "proven"
            moved = len(measured.ratings)
            reached = f"; it moves {moved} rating{'s' * (moved > 1)} of the book" if moved else ""
            elsewhere = measured.cell is not None and measured.cell not in proposal.cells[:1]
            at = f" in {range_text([measured.cell])}" if elsewhere and measured.cell is not None else ""
            instead = "" if isinstance(expected, CellError) else f" instead of {shown(expected)}"
            tail = f"; {shown(_shown(found))}{instead}{at}{reached}"
    expected = None if isinstance(expected, CellError) else expected  # an error is never what should stand there
    if proposal.house and severity != NOTE:
        tail += f"; --allow {proposal.house!r} declares it a rule of the house"
    many = f", in {len(proposal.cells)} cells" if len(proposal.cells) > 1 else ""
    message = (proposal.message or RULES[proposal.code].meaning) + many + tail
    fix = proposal.fix
    if proposal.cells and proposal.cells[0][0] in context.upwards and fix is not None:
        top = max(proposal.cells, key=lambda key: (key[1], -key[2]))  # the first of them in the book as it stands
        fix = "=" + proposal.repairs[top] if top in proposal.repairs else fix
    return Finding(proposal.code, severity, where, message, expected, found, effect, confidence, fix)


def _is_told(proposal: Proposal, error: CellError) -> bool:
    """Whether a fault is told though its repair gives an error: what hides one, and a look-up that finds nobody."""
    return proposal.code == MASKED or (error == NOBODY and proposal.code != ELSEWHERE)


def _of_one_event(context: Context, proposal: Proposal) -> bool:
    """Whether ranges that miss nothing today end above rows that belong together, as those of one race do."""
    for key, text in proposal.repairs.items():
        form, found = context.model.form_of(text, key), context.model.tree(key)
        for a, b in differences(at_cell(form.tree, key), found) if form is not None and found is not None else ():
            if not isinstance(a, Area) or not isinstance(b, Area) or not shared(context.model, key, b):
                return False
    return bool(proposal.repairs)


def _shown(value: Value) -> Value:
    return str(value) if isinstance(value, CellError) else value


__all__ = ["NOTE", "judge"]
