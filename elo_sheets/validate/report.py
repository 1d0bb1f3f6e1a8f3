"""A verdict as text and as the JSON document, from the same model."""

from __future__ import annotations

from typing import Any

from elo_sheets.validate.findings import RULES, UNCHECKED, Finding, Verdict, shown

MOST_FINDINGS = 50


def as_record(verdict: Verdict) -> dict[str, Any]:
    """Return the verdict as its JSON document (schema 1)."""
    worst = verdict.worst
    return {
        "schema": 1,
        "file": verdict.file,
        "status": verdict.status,
        "reason": verdict.reason,
        "layout": verdict.layout,
        "system": verdict.system,
        "engine": {
            "name": verdict.engine,
            "version": verdict.version,
            "recalculated": verdict.status != UNCHECKED,
        },
        "tolerance": verdict.tolerance,
        "cells_checked": verdict.cells_checked,
        "games": {
            "listed": verdict.games.listed,
            "rated": verdict.games.rated,
            "never_rated": verdict.games.never_rated,
        },
        "worst": None if worst is None else {"cell": worst.cell, "expected": worst.expected, "found": worst.found},
        "findings": [
            {
                "code": finding.code,
                "name": RULES[finding.code].name,
                "severity": finding.severity,
                "range": finding.range,
                "message": finding.message,
                "expected": finding.expected,
                "found": finding.found,
                "effect": finding.effect,
                "confidence": finding.confidence,
                "fix": finding.fix,
            }
            for finding in verdict.findings
        ],
    }


def as_text(verdict: Verdict) -> str:
    """Return the verdict for a person to read."""
    if verdict.status == UNCHECKED:
        return f"{verdict.file}: not checked: {verdict.reason}"
    games = verdict.games
    lines = [
        f"{verdict.file}: {verdict.status}",
        f"  {verdict.layout}, {verdict.system}; recalculated by {verdict.engine} {verdict.version}",
        f"  {verdict.cells_checked} formula cells compared, tolerance {verdict.tolerance:g} points",
        f"  games: {games.listed} listed, {games.rated} rated, {games.never_rated} never rated",
    ]
    if verdict.worst is not None:
        worst = verdict.worst
        lines.append(f"  largest difference: {worst.cell}, {shown(worst.found)} instead of {shown(worst.expected)}")
    for finding in verdict.findings[:MOST_FINDINGS]:
        lines += _lines(finding)
    if len(verdict.findings) > MOST_FINDINGS:
        lines.append(f"… and {len(verdict.findings) - MOST_FINDINGS} more: --json lists all")
    return "\n".join(lines)


def _lines(finding: Finding) -> list[str]:
    head = f"{finding.severity} {finding.code} {RULES[finding.code].name} {finding.range}: {finding.message}"
    lines = [head]
    if finding.effect:
        lines.append(f"    effect {finding.effect:+.4g} rating points")
    if finding.fix is not None:
        lines.append(f"    should be {finding.fix}")
    return lines
