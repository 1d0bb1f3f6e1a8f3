"""Stored results against computed ones: a book that was not recalculated shows other numbers than its formulas give."""

from __future__ import annotations

import math
from collections.abc import Iterable

from elo_sheets.engines.recalculate import Values
from elo_sheets.files.package import Book, Value
from elo_sheets.recognise.model import Key, range_text
from elo_sheets.verdict.findings import ERROR, RULES, Finding, shown

TOLERANCE = 1e-6
VOLATILE = ("TODAY(", "NOW(", "RAND(", "RANDBETWEEN(", "[")


def stale(book: Book, values: Values, ratings: Iterable[Key]) -> list[Finding]:
    """Return a finding for each stretch of a column whose stored results are not what the formulas give."""
    rated = set(ratings)
    wrong: list[tuple[Key, Value, Value]] = []
    volatile = any(
        cell.formula is not None and any(word in cell.formula.upper() for word in VOLATILE[:4])
        for cells in book.sheets.values()
        for cell in cells.values()
    )
    if volatile:
        return []
    for sheet, cells in book.sheets.items():
        computed = values.get(sheet, {})
        for place, cell in cells.items():
            if cell.formula is None or cell.value is None or cell.formula.startswith("TABLE("):
                continue
            now = computed.get(place)
            if _differs(cell.value, now):
                wrong.append(((sheet, *place), cell.value, now))
    wrong.sort(key=lambda w: (w[0][0], w[0][2], w[0][1]))
    groups: list[list[tuple[Key, Value, Value]]] = []
    for one in wrong:
        last = groups[-1][-1][0] if groups else None
        if last is not None and last[0] == one[0][0] and last[2] == one[0][2] and one[0][1] - last[1] <= 2:
            groups[-1].append(one)
        else:
            groups.append([one])
    return [_finding(group, rated) for group in groups[:50]]


def _differs(stored: Value, now: Value) -> bool:
    if isinstance(stored, bool) or isinstance(now, bool) or now is None:
        return False
    if isinstance(stored, (int, float)) and isinstance(now, (int, float)):
        return not math.isclose(stored, now, rel_tol=1e-9, abs_tol=TOLERANCE)
    return False


def _finding(group: list[tuple[Key, Value, Value]], rated: set[Key]) -> Finding:
    def distance(one: tuple[Key, Value, Value]) -> float:
        _, stored, now = one
        return float(stored or 0) - float(now or 0)

    worst = max(group, key=lambda one: abs(distance(one)))
    effect = max((distance(one) for one in group if one[0] in rated), key=abs, default=0.0)
    _, stored, now = worst
    many = f" ({len(group)} cells)" if len(group) > 1 else ""
    message = f"{RULES['ES301'].meaning}{many}; {shown(stored)} is stored, the formula gives {shown(now)}"
    return Finding("ES301", ERROR, range_text([one[0] for one in group]), message, now, stored, effect, "proven")
