"""A verdict as text and as the JSON document, from the same model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from elo_sheets._outside import visible
from elo_sheets.verdict.findings import ERROR, NOTE, RULES, UNCHECKED, WARNING, Finding, Role, Verdict, shown

MOST_FINDINGS = 50
MOST_PLACES = 4
_COLOURS = {ERROR: "31", WARNING: "33", NOTE: "36"}
_HEADLINE = re.compile(rf"^({'|'.join(_COLOURS)}) ES\d+", re.M)


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
        "facts": {name: _plain(fact) for name, fact in verdict.facts.items()},
        "roles": [role_record(role) for role in verdict.roles],
        "findings": [finding_record(finding) for finding in verdict.findings],
        "left_out": verdict.left_out,
    }


def role_record(role: Role) -> dict[str, Any]:
    """Return a role as the JSON document holds it."""
    return {"role": role.role, "range": role.range, "how": role.how, "confidence": role.confidence}


def finding_record(finding: Finding) -> dict[str, Any]:
    """Return a finding as the JSON document holds it."""
    return {
        "code": finding.code,
        "name": RULES[finding.code].name,
        "severity": finding.severity,
        "range": finding.range,
        "message": finding.message,
        "expected": _plain(finding.expected),
        "found": _plain(finding.found),
        "effect": _plain(finding.effect),
        "reaches": list(finding.reaches),
        "confidence": finding.confidence,
        "fix": finding.fix,
    }


def _plain(fact: object) -> Any:
    """A fact as JSON holds it: numbers and texts as they are, everything else in words."""
    if fact is None or isinstance(fact, bool | int | str):
        return fact
    if isinstance(fact, float):
        return fact if abs(fact) < float("inf") else str(fact)
    if isinstance(fact, Mapping):
        return {str(name): _plain(inner) for name, inner in fact.items()}
    if isinstance(fact, Iterable):
        return [_plain(inner) for inner in fact]
    return str(fact)


def as_text(verdict: Verdict, *, roles: bool = False, colour: bool = False) -> str:
    """Return the verdict for a person to read; `roles` adds which cells were taken for what.

    Control characters in names of the book are written out.
    """
    lines = headlines(verdict)
    if roles:
        lines += _roles(verdict.roles)
    loud = [finding for finding in verdict.findings if finding.severity != NOTE]
    for finding in loud[:MOST_FINDINGS]:
        lines += _lines(finding)
    if len(loud) > MOST_FINDINGS:
        lines.append(f"… and {len(loud) - MOST_FINDINGS} more: --json lists all")
    lines += _notes([finding for finding in verdict.findings if finding.severity == NOTE])
    shown_lines = visible("\n".join(lines))
    return _HEADLINE.sub(_painted, shown_lines) if colour else shown_lines


def _painted(found: re.Match[str]) -> str:
    return f"\x1b[{_COLOURS[found[1]]};1m{found[0]}\x1b[0m"


def headlines(verdict: Verdict) -> list[str]:
    """Return what is said before the findings: the book and its status, then how far it was looked at, a line each."""
    return [*_head(verdict), *_about(verdict)]


def _head(verdict: Verdict) -> Iterator[str]:
    if verdict.status == UNCHECKED:
        yield f"{verdict.file}: not checked: {verdict.reason}"
        if verdict.layout is not None and (verdict.facts or verdict.roles or verdict.findings):
            yield f"  {_kind(verdict)}"
        return
    games = verdict.games
    yield f"{verdict.file}: {verdict.status}"
    yield f"  {_kind(verdict)}; recalculated by {verdict.engine} {verdict.version}".rstrip()
    if verdict.reason is not None:
        yield f"  not checked to the end: {verdict.reason}"
    yield f"  {verdict.cells_checked} formula cells compared, tolerance {verdict.tolerance:g} points"
    yield f"  games: {games.listed} listed, {games.rated} rated, {games.never_rated} never rated"
    if verdict.worst is not None:
        worst = verdict.worst
        yield f"  largest difference: {worst.cell}, {shown(worst.found)} instead of {shown(worst.expected)}"


def _kind(verdict: Verdict) -> str:
    layout = "a layout of its own" if verdict.layout == "unknown" else verdict.layout
    return ", ".join(text for text in (layout, verdict.system) if text) or "layout not recognised"


# How a sentence says what a book's own rule was found to be; what is not here is said by its name.
_CURVES = {
    "logistic": "a logistic curve",
    "normal": "the normal curve",
    "linear": "a straight line",
    "FIDE table": "FIDE's table",
    "other": "a table, or a curve that is not the logistic one",
}
_FACTS = {
    "advantage": "{} points for the side at home, or the first one",
    "cap": "differences count up to {}",
    "curve": "expected scores by {}",
    "draw": "a draw counts {}",
    "elo": "ratings: {}",
    "k": "K {}",
    "k_factor": "times a factor of {}",
    "k_from": "K stands in {}",
    "points": "points of the table: {}",
    "start": "start ratings {}",
    "teams": "{} in the table",
}


def _about(verdict: Verdict) -> Iterator[str]:
    if facts := _rule(verdict.facts):
        yield f"  its rule: {facts}"
    if verdict.left_out:
        yield f"  left out as asked: {verdict.left_out} finding{'s' if verdict.left_out > 1 else ''}"


def _rule(facts: Mapping[str, object]) -> str:
    said = {name: _said(fact) for name, fact in facts.items() if fact is not None}
    if "k" in said and said.get("elo") == "none":  # of a table beside the ratings
        del said["elo"]
    if "curve" in said:
        said["curve"] = _CURVES.get(said["curve"], said["curve"])
    return "; ".join(_FACTS.get(name, name.replace("_", " ") + " {}").format(fact) for name, fact in said.items())


def _said(fact: object) -> str:
    plain = _plain(fact)
    if isinstance(plain, bool):
        return "yes" if plain else "no"
    if isinstance(plain, dict):
        return f"({_rule(plain)})"
    if isinstance(plain, list):
        return "/".join(map(_said, plain))
    return f"{plain:.6g}" if isinstance(plain, float) else str(plain)


def _roles(roles: tuple[Role, ...]) -> Iterator[str]:
    if not roles:
        yield "  roles: none found"
        return
    yield "  roles:"
    widths = [max(len(text) for text in texts) for texts in zip(*((r.role, r.range) for r in roles), strict=True)]
    for role in roles:
        how = f"{role.confidence}: {role.how}" if role.how else role.confidence
        yield f"    {role.role.ljust(widths[0])}  {role.range.ljust(widths[1])}  {how}"


def _headline(finding: Finding, place: str) -> str:
    kind = f"{finding.severity} {finding.code}"
    return " ".join(filter(None, (kind, RULES[finding.code].name, place))) + f": {finding.message}"


# How sure a finding is, as its confidence says in a word.
_SURE = {
    "proven": "proven by recalculation",
    "shape": "told by what stands there, not computed",
    "header": "told by a heading alone",
}


def _lines(finding: Finding) -> Iterator[str]:
    yield _headline(finding, finding.range)
    found, expected = shown(finding.found), shown(finding.expected)
    if found != expected and not (found in finding.message and expected in finding.message):
        yield f"    {found} instead of {expected}"
    if finding.effect:
        yield f"    effect {finding.effect:+.4g} rating points{_reach(finding)}; {_SURE[finding.confidence]}"
    else:
        yield f"    {_SURE[finding.confidence]}"
    if finding.fix is not None:
        yield f"    should be {finding.fix}"


def _reach(finding: Finding) -> str:
    return f", reaches {_listed(finding.reaches)}" if finding.reaches else ""


def _listed(places: tuple[str, ...]) -> str:
    more = len(places) - MOST_PLACES
    return ", ".join(places[:MOST_PLACES]) + (f" and {more} more" if more > 0 else "")


def _notes(notes: list[Finding]) -> Iterator[str]:
    kinds: dict[str, list[Finding]] = {}
    for note in notes:
        kinds.setdefault(note.code, []).append(note)
    for same in kinds.values():
        places = tuple(note.range for note in same if note.range)
        more = f" (and {len(same) - 1} more of this kind)" if len(same) > 1 else ""
        yield _headline(same[0], _listed(places)) + more
