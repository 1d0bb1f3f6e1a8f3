"""Findings as they are told: each once, on the cells that are used, with formulas as their owner types them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

from elo_sheets.detective.trial import Case
from elo_sheets.files.package import Book, column_letters
from elo_sheets.recognise.context import NOTE
from elo_sheets.verdict.findings import Finding

OF_ANY_FORMULA = ("ES105", "ES106", "ES107", "ES124", "ES125", "ES201", "ES202")  # mistakes that name no rating
_STORED = re.compile(r"_(?:xlfn|xlws|xlpm)\.", re.IGNORECASE)
_PARAMETER = re.compile(r"_xlpm\.([\w.]+)", re.IGNORECASE)


def boxed(finding: Finding, book: Book) -> Finding:
    """A finding on whole rows as one on the cells that are used there."""
    match = re.fullmatch(r"(.*)!(\d+):(\d+)", finding.range)
    if match is None:
        return finding
    cells = book.sheets.get(match[1].strip("'").replace("''", "'"), {})
    last = max((column for row, column in cells if int(match[2]) <= row <= int(match[3])), default=1)
    return dataclasses.replace(finding, range=f"{match[1]}!A{match[2]}:{column_letters(last)}{match[3]}")


def once(findings: list[Finding]) -> list[Finding]:
    """Drop a finding that says the same of the same cells as another."""
    kept: dict[tuple[str, str], Finding] = {}
    for one in findings:
        known = kept.get((one.code, one.range))
        if known is None or abs(one.effect) > abs(known.effect):
            kept[one.code, one.range] = one
    return list(kept.values())


def as_typed(findings: list[Finding], book: Book) -> Iterator[Finding]:
    """Findings whose formulas are spelt as their owner types them, not as a file stores newer functions and names."""
    stored = [one for one in findings if _STORED.search(f"{one.fix} {one.message}")]
    cells = (cell.formula or "" for cells in book.sheets.values() for cell in cells.values()) if stored else ()
    own: dict[str, str] = {name.casefold(): name for formula in cells for name in _PARAMETER.findall(formula)}

    def typed(text: str) -> str:
        return _STORED.sub("", _PARAMETER.sub(lambda match: own.get(match[1].casefold()) or match[1], text))

    for one in findings:
        fix = one.fix if one.fix is None else typed(one.fix)
        yield dataclasses.replace(one, fix=fix, message=typed(one.message)) if one in stored else one


def one_total(cases: list[Case]) -> list[Case]:
    """Of a wrong total and of the formula that makes it so, what says more: the total where the other is of ratings.

    A goal difference the wrong way round is a wrong total, not a swapped difference of ratings.
    """
    totals = {case.finding.range: case for case in cases if case.finding.code == "ES214"}
    for one in cases:
        here = one.finding
        total = totals.get(here.range)
        if total is None or here.code == "ES214" or here.severity == NOTE or here.expected != total.finding.expected:
            continue
        if here.code in OF_ANY_FORMULA:
            cases = [other for other in cases if other is not total]
        else:
            told = dataclasses.replace(total.finding, severity=here.severity, fix=here.fix)
            same = Case(told, one.cells, one.proposal)
            cases = [same if other is total else other for other in cases if other is not one]
    return cases


__all__ = ["as_typed", "boxed", "once", "one_total"]
