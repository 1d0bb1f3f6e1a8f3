"""Cells that depart from the majority of their run, as proposals: what is wrong and what belongs there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice

from elo_sheets.expr import Binary, Call, Expr, Number, Ref, Text, Unary, replaced, walk
from elo_sheets.files.package import CellError, shift_formula
from elo_sheets.formula import to_formula
from elo_sheets.recognise.abreast import is_as_beside
from elo_sheets.recognise.cells import Run, Suspect
from elo_sheets.recognise.compare import by_parentheses, code_of, equivalent
from elo_sheets.recognise.context import ERROR, LAST, NOTE, WARNING, Context, Proposal
from elo_sheets.recognise.model import ROW, Area, Key, Model, area_text, at_cell, with_areas
from elo_sheets.recognise.nearmiss import anchored
from elo_sheets.recognise.own_forms import of_own_lists, remarked
from elo_sheets.verdict.compare import differences

MOST_SHARE = 0.25  # of a run whose cells may depart and still be departures


def departures(context: Context, roles: Mapping[Key, str]) -> list[Proposal]:
    """Return a proposal for every cell that departs from its run in a way that matters."""
    by_run: dict[int, list[Suspect]] = {}
    diagonal = _diagonal(context.suspects)
    for suspect in context.suspects:
        if suspect.key in diagonal or _is_total(context, suspect):
            continue
        by_run.setdefault(id(suspect.run), []).append(suspect)
    found: list[Proposal] = []
    for suspects in by_run.values():
        found += _of_run(context, suspects, roles)
    return _rows_missing(_joined(found))


def _diagonal(suspects: Sequence[Suspect]) -> set[Key]:
    """Cells of a matrix that are left out one in every column, as everybody against himself is."""
    lines: dict[tuple[str, int, str], list[Key]] = {}
    for suspect in suspects:
        if suspect.kind != "form":
            sheet, row, column = suspect.key
            lines.setdefault((sheet, row - column, suspect.kind), []).append(suspect.key)
    return {key for keys in lines.values() if len({k[2] for k in keys}) >= 3 for key in keys}


def _is_total(context: Context, suspect: Suspect) -> bool:
    """A sum or average at the end of a run, over the run itself."""
    run, key = suspect.run, suspect.key
    form = context.model.forms.get(key)
    if not run.down and key in context.totals:
        return True  # each column is summed up in its own way
    if form is None or run.place(key) < run.last - 2:
        return False
    for area in context.model.areas(key):
        if not area.single and (area.sheet or key[0]) == run.sheet:
            low, high = (area.row, area.bottom) if run.down else (area.column, area.right)
            across = area.column <= run.line <= area.right if run.down else area.row <= run.line <= area.bottom
            if across and low <= run.first + 1 and high < run.place(key):
                expected = run.expected(key)
                if expected is not None and not any(
                    isinstance(n, Area) and not n.single and n.row <= run.first + 1 for n in walk(expected)
                ):
                    return True
    return any(
        context.model.cell(run.key(at)) is None for at in range(max(run.first, run.place(key) - 1), run.place(key))
    )


def _of_run(context: Context, suspects: Sequence[Suspect], roles: Mapping[Key, str]) -> list[Proposal]:
    run = suspects[0].run
    size = run.last - run.first + 1
    kinds = Counter(s.kind for s in suspects)
    proposals = []
    rows = range(run.first, run.last + 1)
    lawful = of_own_lists(context.model, suspects)
    lawful |= {one.key for one in suspects if run.down and is_as_beside(context.model, one.key, rows)}
    for word, keys in remarked(context.model, suspects):
        says = f"in the rows with {word!r} beside them the formula is another"
        proposals.append(Proposal("ES108", keys, says, severity=NOTE, effect=0.0, rank=LAST))
        lawful |= {*keys}
    for suspect in suspects:
        if (
            suspect.key in lawful
            or suspect.kind == "text"
            or (suspect.kind != "missing" and kinds[suspect.kind] > max(2, MOST_SHARE * size)
                and not _is_of_another_row(context.model, suspect))
        ):  # fmt: skip
            continue
        proposal = _proposal(context, suspect, roles)
        if proposal is not None:
            proposals.append(proposal)
    return proposals


def _is_of_another_row(model: Model, suspect: Suspect) -> bool:
    """Whether a cell reads in another row what the majority reads in its own: as many may do so as were filled."""
    expected, found = suspect.run.expected(suspect.key), model.tree(suspect.key)
    if expected is None or found is None or not suspect.run.down:
        return False
    moved = list(differences(expected, found))
    return bool(moved) and all(
        isinstance(a, Area) and isinstance(b, Area) and a.single and b.single
        and (a.sheet, a.column, a.row) == (b.sheet, b.column, suspect.key[1]) and b.row != a.row
        for a, b in moved
    )  # fmt: skip


def _proposal(context: Context, suspect: Suspect, roles: Mapping[Key, str]) -> Proposal | None:
    model, key, run = context.model, suspect.key, suspect.run
    expected = run.expected(key)
    if expected is None:
        return None
    if suspect.kind != "form" and key[:2] in context.byes:  # what is typed there is a bonus, or nothing
        return None
    text = majority_text(model, run, key)
    if suspect.kind == "missing":
        if key[:2] in context.subtotals:
            return None
        return _missing(context, key, expected, text)
    if suspect.kind == "value":
        if _is_opening(context, suspect, expected):
            return None
        return Proposal("ES201", (key,), repairs={key: text}, fix="=" + text, severity=ERROR)
    found = model.tree(key)
    if found is None:
        cell = model.cell(key)
        external = cell is not None and cell.formula is not None and "[" in cell.formula
        return Proposal("ES505" if external else "ES108", (key,), repairs={key: text}, fix="=" + text)
    if _is_edge(run, key):
        if _opens(expected, found) and run.place(key) < run.first + run.period:
            return None
        lawful = _with_lawful_start(expected, found, run, key)
        if lawful != expected:
            expected, text = lawful, spell(lawful, key[0])
    bridged = _over_blanks(model, expected, found)
    if bridged != expected:
        expected, text = bridged, spell(bridged, key[0])
    if expected == found or _guarded(context, key, expected, found):
        return None
    if isinstance(found, Area) and found.single and _fails(context, key, expected):
        return None
    if code_by_shape := _by_shape(context, expected, found, roles):
        return Proposal(code_by_shape, (key,), repairs={key: text}, fix="=" + text)
    same = equivalent(context.evaluator, key, expected, found)
    code = code_of(expected, found, roles, key)
    if code == "ES106":
        code = _between_sides(context, expected, found, roles)
    if code == "ES106" and _is_held(context, suspect):
        code = "ES124"
    if code in ("ES106", "ES108"):
        code = _turned(context, key, expected, found, roles) or code
    if same and code not in ("ES107", "ES122", "ES124", "ES118", "ES125", "ES505", "ES506"):
        return None
    return Proposal(code, (key,), by_parentheses(expected, found), {key: text}, fix="=" + text)


def _is_opening(context: Context, suspect: Suspect, expected: Expr) -> bool:
    """Whether a number typed above all formulas of a column is what they would give: a newcomer's, who has none yet."""
    model, run, key = context.model, suspect.run, suspect.key
    above = (run.key(at) for at in range(run.first, run.place(key)))
    due = context.evaluator.tree_value(expected, key, {})
    return run.down and due == model.number(key) and not any(one in model.forms for one in above)


def _fails(context: Context, key: Key, expected: Expr) -> bool:
    """Whether the others' formula would be an error here, and this one is none: no earlier list tells of a newcomer."""
    due, shown = context.evaluator.tree_value(expected, key, {}), context.model.value(key)
    return isinstance(due, CellError) and not isinstance(shown, CellError)


def _by_shape(context: Context, expected: Expr, found: Expr, roles: Mapping[Key, str]) -> str | None:
    """A rating that is carried unchanged, starts from the opponent's, or is the first that a look-up meets."""
    if isinstance(expected, Binary) and expected.operator in ("+", "-"):
        base = expected.left
        if isinstance(base, Area) and base.single and found == base and _is_rating(context, base):
            return "ES126"
        if isinstance(found, Binary) and found.operator == expected.operator and found.right == expected.right:
            other = found.left
            if isinstance(base, Area) and isinstance(other, Area) and base.single and other.single:
                kinds = [_role(context, roles, a) for a in (base, other)]
                if kinds[0] in ("B", "R") and kinds[1] in ("B", "O") and other.row >= base.row:
                    return "ES114"
                if kinds == ["R", "R"] and other.row == base.row and other.column != base.column:
                    return "ES114"
    sums = isinstance(expected, Binary) and expected.operator in "+-" and expected.left == found
    if (
        sums
        and isinstance(expected, Binary)
        and any(isinstance(n, Area) and not n.single for n in walk(expected.right))
    ):
        return "ES123"
    if _only_opens(expected, found):
        return "ES124"
    if _backwards(expected) > _backwards(found):
        return "ES123"
    first, usual = _functions(found), _functions(expected)
    if first & _FIRST and not usual & _FIRST and usual & _LATEST:
        return "ES123"
    return None


def _role(context: Context, roles: Mapping[Key, str], area: Area) -> str | None:
    """The role of a cell, or of the one that it shows."""
    key = (area.sheet or "", area.row, area.column)
    shown = context.model.tree(key)
    if key not in roles and isinstance(shown, Area) and shown.single:
        key = (shown.sheet or key[0], shown.row, shown.column)
    return roles.get(key)


def _backwards(tree: Expr) -> int:
    """How many look-ups search from the last row up."""
    return sum(isinstance(n, Call) and n.function in _SEARCHES and n.arguments[-1:] in _UP for n in walk(tree))


def _only_opens(expected: Expr, found: Expr) -> bool:
    """Whether of a choice between an opening and the latest rating the opening alone is left."""
    for node in walk(expected):
        if not isinstance(node, Call) or node.function not in ("IF", "IFERROR", "IFNA") or found not in node.arguments:
            continue
        others = [a for a in node.arguments if a is not None and a != found]
        wide = max((n.size for a in others for n in walk(a) if isinstance(n, Area)), default=1)
        sheets = {n.sheet for a in others for n in walk(a) if isinstance(n, Area) and not n.single}
        if wide > 1 and not any(isinstance(n, Area) and not n.single and n.sheet in sheets for n in walk(found)):
            return True
    return False


_SEARCHES, _UP = {"XLOOKUP", "XMATCH"}, ((Number(-1.0),), (Unary("-", Number(1.0)),))
_FIRST, _LATEST = {"MATCH", "VLOOKUP"}, {"LOOKUP", "MAX", "SUMPRODUCT", "XLOOKUP", "XMATCH"}


def _functions(tree: Expr) -> set[str]:
    return {node.function for node in walk(tree) if isinstance(node, Call)}


def _is_rating(context: Context, area: Area) -> bool:
    number = context.model.number((area.sheet or "", area.row, area.column))
    return number is not None and abs(number) >= 100


def _guarded(context: Context, key: Key, expected: Expr, found: Expr) -> bool:
    """Whether the cell has the run's formula behind a guard that shows nothing in a row that is not in use."""
    if not isinstance(found, Call) or found.function not in ("IF", "IFERROR") or not found.arguments:
        return False
    rest = found.arguments[1:] if found.function == "IF" else found.arguments
    if Text("") not in rest:
        return False
    return expected in rest or context.model.value(key) in ("", None)


def _between_sides(context: Context, expected: Expr, found: Expr, roles: Mapping[Key, str]) -> str:
    """The code of a wrong reference, when it is the same thing of the game's other side."""
    pairs = [
        ((a.sheet or "", a.row, a.column), (b.sheet or "", b.row, b.column))
        for a, b in differences(expected, found)
        if isinstance(a, Area) and isinstance(b, Area) and a.single and b.single
    ]
    for a, b in pairs:
        x, y = context.model.number(a), context.model.number(b)
        if roles.get(a) == roles.get(b) == "E" and x is not None and y is not None and abs(x + y - 1) < 1e-9:
            return "ES113"
        if roles.get(a) in ("B", "O") and roles.get(b) == "R" and abs(a[1] - b[1]) <= 1:
            return "ES116"
        if roles.get(a) == roles.get(b) == "D" and a[1] == b[1]:
            return "ES115"
        free = {roles.get(a), roles.get(b)} <= {None, "K"}  # the K of one side may be known as such
        if a[1] == b[1] and free and _is_k(expected, a, x) and _is_k(found, b, y):
            return "ES120"
    return "ES106"


def _is_held(context: Context, suspect: Suspect) -> bool:
    """Whether a range is anchored to one row where in the other cells of the run it moves along."""
    pattern, found = suspect.run.pattern(suspect.key), context.model.forms.get(suspect.key)
    if pattern is None or pattern.form is None or found is None or len(pattern.form.areas) != len(found.areas):
        return False
    return any(
        a != b and not a.single and not b.single and b.fixed & ROW and not a.fixed & ROW
        for a, b in zip(pattern.form.areas, found.areas, strict=True)
    )


def _turned(context: Context, key: Key, expected: Expr, found: Expr, roles: Mapping[Key, str]) -> str | None:
    """The other player's share, or a change that goes the other way, by what the two formulas give."""
    one, two = (context.evaluator.tree_value(tree, key, {}) for tree in (expected, found))
    if not isinstance(one, (int, float)) or not isinstance(two, (int, float)):
        return None
    if roles.get(key) == "E" and any(abs(one + two - unit) < 1e-9 * unit for unit in (1.0, 100.0)):
        return "ES113"
    if roles.get(key) == "R" and isinstance(expected, Binary) and isinstance(found, Binary):
        base = expected.left
        number = context.model.number((base.sheet or "", base.row, base.column)) if isinstance(base, Area) else None
        if number is not None and found.left == base and abs(one - number) > 1e-9:
            return "ES115" if abs(one + two - 2 * number) < 1e-9 * abs(number) else None
    return None


def _is_k(tree: Expr, key: Key, number: float | None) -> bool:
    """Whether a cell of the size of a K multiplies a difference."""
    if number is None or not 2 <= number <= 400:
        return False
    for node in walk(tree):
        if isinstance(node, Binary) and node.operator == "*" and isinstance(node.left, Area):
            subtracts = isinstance(node.right, Binary) and node.right.operator == "-"
            if subtracts and (node.left.sheet or "", node.left.row, node.left.column) == key:
                return True
    return False


def _missing(context: Context, key: Key, expected: Expr, text: str) -> Proposal | None:
    """A blank cell in a run is a fault when its row is in use: inputs of the formula stand there."""
    model = context.model
    for node in walk(expected):
        if not isinstance(node, Area) or not node.single or node.sheet != key[0]:
            continue
        beside = node.row == key[1] or node.column == key[2]
        if (
            beside
            and (node.row, node.column) != key[1:]
            and model.value((key[0], node.row, node.column)) not in (None, "")
        ):
            return Proposal("ES202", (key,), repairs={key: text}, fix="=" + text)
    return None


def majority_text(model: Model, run: Run, key: Key) -> str:
    """The formula that belongs into a cell of a run, in the sheet's own spelling where a neighbour has it."""
    expected = run.expected(key)
    assert expected is not None
    for source in islice(run.model_cells(model, key), 2):
        cell = model.cell(source)
        if cell is None or cell.formula is None:
            continue
        text = shift_formula(cell.formula, key[1] - source[1], key[2] - source[2])
        form = model.form_of(text, key)
        if form is not None and at_cell(form.tree, key) == expected:
            return text
    return spell(expected, key[0])


def spell(tree: Expr, own: str) -> str:
    """Return an absolute tree as formula text of the sheet `own`."""
    return to_formula(with_areas(tree, lambda area: Ref(area_text(area, own))))


def spell_anchored(model: Model, key: Key, tree: Expr, like: Key | None = None) -> str:
    """Return an absolute tree as text of a cell, with the anchors of the formula there, or in the cell `like`."""
    cell = model.cell(like or key)
    text = spell(tree, key[0])
    return text if cell is None or cell.formula is None else anchored(text, cell.formula)


def filled(model: Model, key: Key, tree: Expr, like: Key | None) -> str:
    """Return the text of a cell's formula `tree` as filling the cell `like` to it writes it, where that is the same."""
    cell = None if like is None else model.cell(like)
    if like is not None and cell is not None and cell.formula is not None and like[0] == key[0]:
        text = shift_formula(cell.formula, key[1] - like[1], key[2] - like[2])
        form = model.form_of(text, key)
        if form is not None and at_cell(form.tree, key) == tree:
            return text
    return spell_anchored(model, key, tree, like)


def _is_edge(run: Run, key: Key) -> bool:
    at = key[1] if run.down else key[2]
    return at < run.first + max(run.period, 2)


def _opens(expected: Expr, found: Expr) -> bool:
    """Whether a cell has what the look-up of the others gives where it finds nobody: nobody has played before."""
    searches = (n for n in walk(expected) if isinstance(n, Call) and n.function in {"IF", "IFERROR", "IFNA", "XLOOKUP"})
    return any(found in node.arguments for node in searches)


def _with_lawful_start(expected: Expr, found: Expr, run: Run, key: Key) -> Expr:
    """The expected formula where the first cells of a run may read a start value instead of the row before."""
    for a, b in differences(expected, found):
        if any(isinstance(node, Area) and _before(node, run, key) for node in walk(a)):
            expected = replaced(expected, a, b)
    return expected


def _over_blanks(model: Model, expected: Expr, found: Expr) -> Expr:
    """The expected formula where a cell goes on from the last one above, over blank rows or a subtotal."""
    for a, b in differences(expected, found):
        if not (isinstance(a, Area) and isinstance(b, Area) and a.single and b.single):
            continue
        if (a.sheet, a.column) == (b.sheet, b.column) and b.row < a.row:
            between = range(b.row + 1, a.row + 1)
            if all(model.value((a.sheet or "", row, a.column)) in (None, "") for row in between):
                expected = replaced(expected, a, b)
    return expected


def _before(area: Area, run: Run, key: Key) -> bool:
    if area.sheet != key[0]:
        return False
    return area.row < run.first if run.down else area.column < run.first


def _joined(proposals: list[Proposal]) -> list[Proposal]:
    """Put proposals of one code for cells next to each other in a column together."""
    found: list[Proposal] = []
    for one in sorted(proposals, key=lambda p: (p.cells[0][0], p.cells[0][2], p.cells[0][1])):
        last = found[-1] if found else None
        key = one.cells[0]
        if last is not None and last.code == one.code and last.cells[-1] == (key[0], key[1] - 1, key[2]):
            found[-1] = _merged(last, one)
        else:
            found.append(one)
    return found


def _merged(a: Proposal, b: Proposal) -> Proposal:
    return replace(
        a,
        cells=a.cells + b.cells,
        repairs={**a.repairs, **b.repairs},
        values={**a.values, **b.values},
        latent=a.latent and b.latent,
    )


def _rows_missing(proposals: list[Proposal]) -> list[Proposal]:
    """A row that was not filled down is one finding: missing formulas of one row go together."""
    found: list[Proposal] = []
    rows: dict[tuple[str, tuple[int, ...]], int] = {}
    for one in proposals:
        if one.code == "ES202":
            where = one.cells[0][0], tuple(k[1] for k in one.cells)
            if where in rows:
                found[rows[where]] = _merged(found[rows[where]], one)
                continue
            rows[where] = len(found)
        found.append(one)
    return found


__all__ = ["WARNING", "departures", "majority_text", "spell"]
