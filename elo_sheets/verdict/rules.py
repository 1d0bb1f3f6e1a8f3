"""The kinds of findings as a reader of a verdict meets them: looked up, chosen, left out, explained."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Collection, Iterable
from typing import Any

from elo_sheets.errors import UsageError
from elo_sheets.verdict.findings import AGREES, DIFFERS, NOTE, RULES, UNCHECKED, Rule, Verdict

EXAMPLE = ("given", "wrong", "right", "shows")


def find_rule(text: str) -> Rule:
    """Return the kind of finding with this code or name, in any case.

    >>> find_rule("es101").name
    'swapped-difference'

    Raises `UsageError` with the closest codes and names when there is none.
    """
    wanted = text.strip().casefold()
    for rule in RULES.values():
        if wanted in (rule.code.casefold(), rule.name):
            return rule
    raise UsageError(f"expected a code or a name of a finding, got {text!r}; {_suggestion(wanted)}")


def find_codes(text: str) -> frozenset[str]:
    """Return the codes that a code, the beginning of codes, or a name means, in any case.

    >>> sorted(find_codes("ES30"))
    ['ES301', 'ES302']

    Raises `UsageError` with the closest codes and names when it means none.
    """
    start = text.strip().upper()
    if start.startswith("ES") and (found := frozenset(code for code in RULES if code.startswith(start))):
        return found
    return frozenset({find_rule(text).code})


def _suggestion(wanted: str) -> str:
    names = [rule.name for rule in RULES.values()]
    found = [code for code in RULES if wanted.startswith("es") and code.casefold()[:4] == wanted[:4]]
    found += [name for name in names if len(wanted) > 2 and wanted in name]
    found += difflib.get_close_matches(wanted, names, n=3, cutoff=0.6)
    words = difflib.get_close_matches(wanted, {word for name in names for word in name.split("-")}, n=2, cutoff=0.75)
    found += [name for name in names if set(words) & set(name.split("-"))]
    first = list(dict.fromkeys(found))[:3]
    return f"did you mean {' or '.join(first)}?" if first else "elo-sheets rules lists them"


def without(verdict: Verdict, select: Collection[str] = (), ignore: Collection[str] = ()) -> Verdict:
    """Return the verdict with the findings whose code is in `select` (all when it is empty) and not in `ignore`.

    The status follows from what remains. A book that differs by nothing that remains agrees only if it was checked
    to the end: with a reason why it was not, or with no cell compared, it is unchecked.
    """
    kept = tuple(f for f in verdict.findings if (not select or f.code in select) and f.code not in ignore)
    left_out = verdict.left_out + len(verdict.findings) - len(kept)
    status, reason = verdict.status, verdict.reason
    if status == DIFFERS and all(finding.severity == NOTE for finding in kept):
        checked = reason is None and verdict.cells_checked > 0
        status = AGREES if checked else UNCHECKED
        reason = None if checked else reason or "nothing was compared but what was left out"
    return dataclasses.replace(verdict, findings=kept, left_out=left_out, status=status, reason=reason)


def rule_record(rule: Rule) -> dict[str, Any]:
    """Return a kind of finding with its example as the JSON document holds it."""
    said = vars(rule)
    example = {name: said[name] for name in EXAMPLE}
    named = {name: said[name] for name in ("code", "name", "meaning")}
    return {**named, "example": example, "why": rule.why, "remedy": rule.remedy}


def rule_in_words(rule: Rule) -> str:
    """Return a kind of finding with its example for a person to read."""
    lines = [f"{rule.code} {rule.name}", f"  {rule.meaning}", "", "example"]
    lines += [f"  {label}  {text}" for label in EXAMPLE if (text := getattr(rule, label))]
    lines += ["", "why it matters", *_folded(rule.why), "", "what to do", *_folded(rule.remedy)]
    return "\n".join(lines)


def _folded(text: str, width: int = 100) -> Iterable[str]:
    import textwrap

    return textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="  ")
