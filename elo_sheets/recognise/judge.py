"""Proposals to findings: repairs are put into copies, recalculated, and what they change is the measure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from elo_sheets.package import CellError, Value
from elo_sheets.recalculate import Values
from elo_sheets.recognise.context import ERROR, NOTE, WARNING, Context, Proposal
from elo_sheets.recognise.model import Key, range_text
from elo_sheets.recognise.repair import Measured, Repair, measure
from elo_sheets.validate.findings import RULES, Finding, shown

CIRCLE = CellError("#CIRC!")
MOST = 200  # proposals that are reported


def judge(context: Context, base: Values, proposals: Sequence[Proposal], ratings: Iterable[Key]) -> list[Finding]:
    """Return the findings: every proposal with its measured numbers, the largest effect first within a severity."""
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
    findings = []
    for proposal in kept:
        finding = _finding(proposal, by_id.get(id(proposal)))
        if finding is not None:
            findings.append(finding)
    return findings


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


def _finding(proposal: Proposal, measured: Measured | None) -> Finding | None:
    where = range_text(list(proposal.cells)) if proposal.cells else ""
    expected, found, effect, confidence = proposal.expected, proposal.found, proposal.effect or 0.0, proposal.confidence
    severity = proposal.severity
    tail = ""
    if measured is not None:
        if measured.expected == CIRCLE:
            return None  # what would read itself is no repair
        expected, found, effect = measured.expected, measured.found, measured.effect
        if measured.changed == 0:
            if not proposal.latent:
                return None
            severity = WARNING if severity == ERROR else severity
            tail = "; the numbers are right today, but no longer follow what they should"
        else:
            confidence = "proven"
            reached = f"; {len(measured.ratings)} ratings change" if measured.ratings else ""
            tail = f"; {shown(_shown(found))} instead of {shown(_shown(expected))}{reached}"
    message = (proposal.message or RULES[proposal.code].meaning) + tail
    many = f" ({len(proposal.cells)} cells)" if len(proposal.cells) > 1 else ""
    return Finding(proposal.code, severity, where, message + many, expected, found, effect, confidence, proposal.fix)


def _shown(value: Value) -> Value:
    return str(value) if isinstance(value, CellError) else value


__all__ = ["NOTE", "judge"]
