"""A verdict as SARIF 2.1.0, the form in which code hosts and editors take findings.

A workbook has no lines, so a result names the file and, as its logical location, the cell. SARIF's own fixes need a
place in the text of a file: the proposed formula stands in the message and among the properties instead.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

from elo_sheets._version import __version__
from elo_sheets.verdict.findings import ERROR, NOTE, RULES, UNCHECKED, WARNING, Finding, Rule, Verdict, shown
from elo_sheets.verdict.report import as_record, finding_record, role_record

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {ERROR: "error", WARNING: "warning", NOTE: "note"}


def as_sarif(verdict: Verdict) -> dict[str, Any]:
    """Return the verdict as a SARIF log with one run; its rules are those that have a result."""
    codes = sorted({finding.code for finding in verdict.findings})
    record = as_record(verdict)
    place = {"uri": artifact_uri(verdict.file), "index": 0}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "elo-sheets",
                        "version": __version__,
                        "rules": [_rule(RULES[code]) for code in codes],
                    }
                },
                "invocations": [_invocation(verdict)],
                "artifacts": [{"location": {"uri": place["uri"]}}],
                "results": [_result(finding, codes.index(finding.code), place) for finding in verdict.findings],
                "properties": {
                    name: record[name]
                    for name in ("status", "reason", "layout", "system", "engine", "tolerance", "cells_checked")
                }
                | {"games": record["games"], "facts": record["facts"], "left_out": record["left_out"]}
                | {"roles": [role_record(role) for role in verdict.roles]},
            }
        ],
    }


def artifact_uri(file: str) -> str:
    """Return a path as the reference that SARIF wants: relative where it can be, percent-encoded.

    >>> artifact_uri("books/our club.xlsx")
    'books/our%20club.xlsx'
    """
    path = Path(file)
    if path.is_absolute():
        here = Path.cwd()
        if not path.is_relative_to(here):
            return path.as_uri()
        path = path.relative_to(here)
    return quote(path.as_posix(), safe="/")


def _invocation(verdict: Verdict) -> dict[str, Any]:
    done = verdict.status != UNCHECKED
    invocation: dict[str, Any] = {"executionSuccessful": done, "exitCode": verdict.exit_code}
    if verdict.reason is not None:
        level = "warning" if done else "error"
        text = f"not checked: {verdict.reason}"
        invocation["toolExecutionNotifications"] = [{"level": level, "message": {"text": text}}]
    return invocation


def _rule(rule: Rule) -> dict[str, Any]:
    example = [rule.given and f"Given {rule.given}.", f"Wrong: {rule.wrong}", f"Right: {rule.right}", rule.shows]
    marked = [
        rule.given and f"Given {rule.given}:",
        f"- wrong: {_code(rule.wrong)}",
        f"- right: {_code(rule.right)}",
        f"\n{rule.shows}",
    ]
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.meaning},
        "fullDescription": {"text": rule.why},
        "help": {
            "text": "\n".join([*filter(None, example), "", rule.remedy]),
            "markdown": "\n".join([*filter(None, marked), "", rule.remedy]),
        },
        "properties": {"name": rule.name},
    }


def _code(text: str) -> str:
    return f"`{text}`" if text.startswith("=") else text


def _result(finding: Finding, index: int, place: dict[str, Any]) -> dict[str, Any]:
    record = finding_record(finding)
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": dict(place)}}
    if finding.range:
        kind = "range" if ":" in finding.range.rpartition("!")[2] else "cell"
        name = finding.range.rpartition("!")[2]
        location["logicalLocations"] = [{"name": name, "fullyQualifiedName": finding.range, "kind": kind}]
    return {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": _sentence(finding)},
        "locations": [location],
        "partialFingerprints": {"codeAndCell/v1": f"{finding.code} {finding.range}"},
        "properties": {name: record[name] for name in ("effect", "reaches", "expected", "found", "confidence", "fix")},
    }


def _sentence(finding: Finding) -> str:
    text = f"{finding.range}: {finding.message}" if finding.range else finding.message
    found, expected = shown(finding.found), shown(finding.expected)
    if found != expected and not (found in finding.message and expected in finding.message):
        text += f" ({found} instead of {expected})"
    if finding.effect:
        text += f"; effect {finding.effect:+.4g} rating points"
    return text + (f"; should be {finding.fix}" if finding.fix is not None else "")
