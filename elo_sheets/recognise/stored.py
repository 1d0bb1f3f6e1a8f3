"""Stored results against computed ones: a book that was not recalculated shows other numbers than its formulas give."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

from elo_sheets.engines.recalculate import Values
from elo_sheets.expr import Call, Logical, Number
from elo_sheets.files.package import CellError, Value
from elo_sheets.recognise.behind import cone
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.model import Area, Key, Model, range_text
from elo_sheets.recognise.nearmiss import places
from elo_sheets.verdict.findings import ERROR, RULES, WARNING, Finding, shown

TOLERANCE = 1e-6
# Where these functions say how they look up: without a word they halve a list, as if it were sorted.
WAYS = {"VLOOKUP": 3, "HLOOKUP": 3, "MATCH": 2}
EXACTLY = tuple((way,) for way in (None, Number(0.0), Logical(False), Call("FALSE", ())))
MOST_DEEP = 400  # cells that one reads, so that a book of many sheets is gone through once
HALVED = "a look-up that does not ask for FALSE halves names that are not sorted, and each program finds another row"
UNREAD = "#ERROR!"  # what the engine shows where it cannot read a formula
VOLATILE = ("TODAY(", "NOW(", "RAND(", "RANDBETWEEN(", "[")


def stale(model: Model, values: Values, ratings: Iterable[Key]) -> list[Finding]:
    """Return a finding for each stretch of a column whose stored results are not what the formulas give.

    Where a look-up among unsorted names gives something else in each program, it is told, and not what follows from it.
    """
    rated, book = set(ratings), model.book
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
    halved = {key: fix for key, _, _ in wrong if (fix := _exactly(model, key)) is not None}
    if halved:
        wrong = [one for one in wrong if one[0] in halved or not halved.keys() & {*cone(model, one[0], MOST_DEEP)}]
    wrong.sort(key=lambda w: (w[0][0], w[0][2], w[0][1]))
    groups: list[list[tuple[Key, Value, Value]]] = []
    for one in wrong:
        last = groups[-1][-1][0] if groups else None
        if last is not None and last[0] == one[0][0] and last[2] == one[0][2] and one[0][1] - last[1] <= 2:
            groups[-1].append(one)
        else:
            groups.append([one])
    return [_finding(group, rated, halved.get(group[0][0])) for group in groups[:50]]


def unreadable(model: Model) -> list[Finding]:
    """Return a finding for each column with formulas that neither this program nor the engine can read."""
    columns: dict[tuple[str, int], list[Key]] = {}
    for key in sorted(model.unparsed, key=lambda key: (key[0], key[2], key[1])):
        stored = model.cell(key)
        unread = stored is not None and str(stored.value).startswith("#")  # by its owner's program as well
        if unread and model.value(key) == UNREAD:
            columns.setdefault((key[0], key[2]), []).append(key)
    says = "the formula cannot be read: something is missing in it"
    return [Finding("ES108", WARNING, range_text(keys), says, None, UNREAD, 0.0, "shape") for keys in columns.values()]


def _differs(stored: Value, now: Value) -> bool:
    if isinstance(stored, bool) or isinstance(now, bool) or now is None:
        return False
    if isinstance(stored, (int, float)) and isinstance(now, (int, float)):
        return not math.isclose(stored, now, rel_tol=1e-9, abs_tol=TOLERANCE)
    return False


def _exactly(model: Model, key: Key) -> str | None:
    """The formula of a cell that looks a name up exactly, where it does not and the names are not sorted; else None."""
    tree = model.tree(key)
    for node, rebuild in places(tree) if tree is not None else ():
        way = WAYS.get(node.function) if isinstance(node, Call) else None
        if way is None or not isinstance(node, Call) or len(node.arguments) < 2:
            continue
        area = node.arguments[1]
        if not isinstance(area, Area) or node.arguments[way : way + 1] in EXACTLY:
            continue
        names = [name.casefold() for name in _listed(model, area, node.function) if name]
        if any(one > other for one, other in pairwise(names)):
            exact = Call(node.function, (*node.arguments[:way], Logical(False) if way == 3 else Number(0.0)))
            return "=" + spell_anchored(model, key, rebuild(exact))
    return None


def _listed(model: Model, area: Area, function: str) -> list[str]:
    """The texts among which a look-up searches."""
    bottom = area.row if function == "HLOOKUP" else area.bottom
    right = area.column if function == "VLOOKUP" else area.right
    sheet, columns = area.sheet or "", range(area.column, right + 1)
    cells = [(row, at) for at in columns for row in model.columns.get((sheet, at), ()) if area.row <= row <= bottom]
    values = (model.value((sheet, *cell)) for cell in sorted(cells))
    return [value for value in values if isinstance(value, str) and not isinstance(value, CellError)]


def _finding(group: list[tuple[Key, Value, Value]], rated: set[Key], fix: str | None) -> Finding:
    def distance(one: tuple[Key, Value, Value]) -> float:
        _, stored, now = one
        return float(stored or 0) - float(now or 0)

    worst = max(group, key=lambda one: abs(distance(one)))
    effect = max((distance(one) for one in group if one[0] in rated), key=abs, default=0.0)
    _, stored, now = worst
    many = f" ({len(group)} cells)" if len(group) > 1 else ""
    says, code = (RULES["ES301"].meaning, "ES301") if fix is None else (HALVED, "ES123")
    message = f"{says}{many}; {shown(stored)} is stored, the formula gives {shown(now)}"
    place = range_text([one[0] for one in group])
    return Finding(code, ERROR, place, message, now, stored, effect, "proven", fix=fix)
