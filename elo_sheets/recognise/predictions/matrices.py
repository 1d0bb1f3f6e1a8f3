"""Expectations of everybody against everybody, as a matrix or as a list; nobody plays.

A block of formulas compares the rating of its row with the rating of its column. What the majority of the block does is
the rule; a row or column that differs, and a block that does not behave, is repaired. The diagonal may be blank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from elo_sheets.expr import Binary, Call, Expr, walk
from elo_sheets.recognise.behind import cone
from elo_sheets.recognise.blocks import Block, blocks, powers
from elo_sheets.recognise.calculators.repairs import edit_cost, is_long
from elo_sheets.recognise.compare import code_of
from elo_sheets.recognise.context import Context, Proposal, RoleCells, Sheetwork
from elo_sheets.recognise.departures import filled, spell_anchored
from elo_sheets.recognise.ledgers import carried
from elo_sheets.recognise.model import Form, Key, Model, at_cell
from elo_sheets.recognise.nearmiss import candidates, scales_in
from elo_sheets.recognise.parts import Part, Prober
from elo_sheets.recognise.predictions.pairings import pairings

UNHELD = "chances of pairings: each formula was tried, but there is no list or rule to hold every row against"
MOST_WORK = 200_000  # cells that are computed for one search, so that any machine gives the same verdict
DEEPEST = 16  # formulas behind a chance: more is a chain of games
MOST_GAPS = 0.03  # of a block that may be blank and still be forgotten, not left out
MOST_SHARE = 0.34  # of a block whose cells may differ and still be the ones at fault


def recognise(context: Context) -> Sheetwork | None:
    """Return what a book of expectations of pairs is, or None when games are rated in it."""
    model = context.model
    squares = [block for block in blocks(model) if _is_matrix(block)]
    prober = context.prober
    works = [work for block in squares if (work := _matrix(context, prober, block)) is not None]
    if works:
        return _as_one(works)
    if (work := carried.recognise(context)) is not None:
        return work
    told, held = _list(context, prober), pairings(context)
    if told is not None and held is not None:
        told.replayed, told.reason = held.replayed, held.reason
        told.facts["pairings"] = held.facts["pairings"]
        known = {key for one in told.proposals for key in one.cells}
        told.proposals += [one for one in held.proposals if not known & set(one.cells)]
    return told or held


def _as_one(works: list[Sheetwork]) -> Sheetwork:
    first = works[0]
    for other in works[1:]:
        first.ratings |= other.ratings
        first.proposals += other.proposals
        first.excused |= other.excused
        first.roles += other.roles
    return first


# --- matrices -----------------------------------------------------------------------------------------------


def _is_matrix(block: Block) -> bool:
    """Whether the formula reads a cell of its row's head and one of its column's head."""
    across = down = False
    for area in block.form.areas:
        if area.single:
            across |= bool(area.fixed & 2) and not area.fixed & 1
            down |= bool(area.fixed & 1) and not area.fixed & 2
    return across and down


def _matrix(context: Context, prober: Prober, block: Block) -> Sheetwork | None:
    model = context.model
    key = block.cells[len(block.cells) // 2]
    part = prober.analyse(key)
    proposals: list[Proposal] = []
    if part is None or part.kind != "E":
        repaired = _repaired(prober, model, block.form, key) if powers(model.tree(key)) else None
        if repaired is None:
            return None
        code, tree, part = repaired
        proposals.append(_whole(model, block.cells, block.form, code, tree))
    elif (whole := _odd_curve(prober, model, block.cells, block.form, part)) is not None:
        proposals.append(whole)
    work = Sheetwork("all-pairs", [RoleCells("E", block.cells)])
    work.ratings = set(block.cells) | {k for k in block.others if k in model.forms}
    work.facts = _facts(part)
    work.reason = UNHELD
    work.excused = {k for k in block.blank if k[1] - block.top == k[2] - block.left} | set(block.blank)
    work.proposals = proposals + _differing(context, prober, block, part)
    work.excused |= set(block.others) | {k for p in work.proposals for k in p.cells}
    return work


def _differing(context: Context, prober: Prober, block: Block, part: Part) -> list[Proposal]:
    """The cells of a block that do something else than the majority; whole rows and columns together."""
    model = context.model
    if len(block.others) > MOST_SHARE * (len(block.cells) + len(block.others)):
        return []
    wrong = _gaps(model, block)
    for key in block.others:
        if key[1] - block.top == key[2] - block.left and _is_own(model, key):
            continue
        if not _same(prober, model, block, key, part):
            wrong.append(key)
    found = []
    for group in _together(model, wrong):
        expected, present = at_cell(block.form.tree, group[0]), model.tree(group[0])
        repairs = {k: filled(model, k, at_cell(block.form.tree, k), block.cells[0]) for k in group}
        typed = model.cell(group[0]) is not None
        code = code_of(expected, present, {}, group[0]) if present is not None else "ES201" if typed else "ES202"
        found.append(Proposal(code, group, repairs=repairs, fix="=" + repairs[group[0]], rank=1))
    return found


def _gaps(model: Model, block: Block) -> list[Key]:
    """Blank cells off the diagonal of a block that is full but for them, both of whose players have a rating."""
    if block.bottom - block.top != block.right - block.left:
        return []
    blank = [k for k in block.blank if k[1] - block.top != k[2] - block.left and model.cell(k) is None]
    full = len(blank) <= max(1.0, MOST_GAPS * len(block.cells))
    return [k for k in blank if full and all(model.number(read) is not None for read in _heads(block, k))]


def _heads(block: Block, key: Key) -> list[Key]:
    areas = (area.at(key[1], key[2]) for area in block.form.areas if area.single)
    return [(area.sheet or key[0], area.row, area.column) for area in areas]


def _is_own(model: Model, key: Key) -> bool:
    """Whether a cell of the diagonal holds what somebody has against himself."""
    value = model.value(key)
    return value in (0.5, 0.0, 50.0, None, "") or isinstance(value, str)


def _same(prober: Prober, model: Model, block: Block, key: Key, part: Part) -> bool:
    """Whether a cell with another formula does what the block's formula would do there."""
    tree = model.tree(key)
    if tree is None:
        return False
    nodes = walk(tree)
    if any(isinstance(n, Call) and n.function in ("TODAY", "NOW", "RAND", "IFERROR") for n in nodes):
        return False
    expected = prober.analyse(key, {key: at_cell(block.form.tree, key)})
    found = prober.analyse(key)
    return (
        expected is not None and found is not None
        and (found.own, found.other, found.curve, found.unit, found.rounded, found.limit)
        == (expected.own, expected.other, expected.curve, expected.unit, expected.rounded, expected.limit)
        and not _far_apart(prober, key, expected, at_cell(block.form.tree, key))
    )  # fmt: skip


def _far_apart(prober: Prober, key: Key, part: Part, tree: Expr) -> bool:
    """Whether two formulas with the same curve near the middle differ elsewhere."""
    for own, other in ((1500.0, 1437.0), (1500.0, 1590.0), (2100.0, 900.0), (900.0, 2100.0)):
        at = {part.own: own, part.other: other}
        one, two = prober.evaluator.number(key, at), prober.evaluator.number(key, at, {key: tree})
        if one is None or two is None or abs(one - two) > 1e-9:
            return True
    return False


def _together(model: Model, keys: list[Key]) -> Iterator[tuple[Key, ...]]:
    """Cells of one formula, as it was filled, when there are more than two of them; else those of one line."""
    alike: dict[Form, list[Key]] = {}
    for key in keys:
        if key in model.forms:
            alike.setdefault(model.forms[key], []).append(key)
    groups = [tuple(sorted(group)) for group in alike.values() if len(group) > 2]
    yield from groups
    yield from _lines([key for key in keys if not any(key in group for group in groups)])


def _lines(keys: list[Key]) -> Iterator[tuple[Key, ...]]:
    """Cells of one row, else of one column, together when there are more than two of them."""
    rows, columns = Counter(k[1] for k in keys), Counter(k[2] for k in keys)
    left = set(keys)
    for count, at in ((rows, 1), (columns, 2)):
        for line, number in count.items():
            group = tuple(sorted(k for k in left if k[at] == line))
            if number > 2 and len(group) > 2:
                yield group
                left -= set(group)
    for key in sorted(left):
        yield (key,)


# --- lists --------------------------------------------------------------------------------------------------


def _list(context: Context, prober: Prober) -> Sheetwork | None:
    """A list of pairings with the chances of one or both: expectations by rows, no score, nothing that follows."""
    model = context.model
    runs = [run for run in context.runs if run.down and run.period == 1]
    found: list[tuple[tuple[Key, ...], Form, Part]] = []
    proposals: list[Proposal] = []
    for run in runs:
        places = run.keys()
        keys = tuple(key for key in places if run.fits(model, key))
        forms = Counter(model.forms[key] for key in keys)
        if not forms:
            continue
        form = forms.most_common(1)[0][0]
        key = next(k for k in keys[len(keys) // 2 :] + keys if model.forms[k] is form)
        tree = model.tree(key)
        if is_long(tree) or len(cone(model, key, DEEPEST)) >= DEEPEST:
            return None
        part = prober.analyse(key)
        if part is not None and part.kind != "E":
            return None
        if part is None and powers(tree):
            repaired = _repaired(prober, model, form, key)
            if repaired is None:
                return None
            code, new, part = repaired
            proposals.append(_whole(model, keys, form, code, new))
        elif part is not None and (whole := _odd_curve(prober, model, keys, form, part)) is not None:
            proposals.append(whole)
        if part is not None:
            found.append((keys, form, part))
    if not found or any(_uses_score(context, keys) for keys, _, _ in found):
        return None
    if not proposals:
        proposals += _sides(model, found)
    work = Sheetwork("all-pairs", [RoleCells("E", keys) for keys, _, _ in found])
    work.ratings = {key for keys, _, _ in found for key in keys}
    work.facts = _facts(found[0][2])
    work.reason = UNHELD
    work.proposals = proposals
    return work


def _uses_score(context: Context, keys: tuple[Key, ...]) -> bool:
    """Whether something that is no expectation follows from the expectations: a change, a sum."""
    readers = context.model.readers
    reading = {reader for key in keys[:3] for reader in readers.get(key, ())}
    model = context.model
    for key in reading:
        number = model.number(key)
        if number is not None and not -0.001 <= number <= 100:
            return True
    return any(
        area.sheet == keys[0][0]
        and not area.single
        and area.column <= keys[0][2] <= area.right
        and area.row <= keys[0][1] <= area.bottom
        for key in model.forms
        if key not in keys
        for area in model.areas(key)
    )


def _sides(model: Model, found: list[tuple[tuple[Key, ...], Form, Part]]) -> list[Proposal]:
    """Two chances whose order is not that of the two ratings beside them."""
    for keys, form, part in found:
        tree = model.tree(part.key)
        if tree is None or not powers(tree):
            continue
        same_row = part.own[1] == part.other[1] == part.key[1] and part.own[0] == part.other[0] == part.key[0]
        mates = [p for _, _, p in found if p.key[2] != part.key[2] and (p.own, p.other) == (part.other, part.own)]
        if same_row and mates and (part.own[2] < part.other[2]) != (part.key[2] < mates[0].key[2]):
            for code, new in candidates(form.tree):
                if code != "ES101":
                    continue
                repaired = at_cell(new, part.key)
                if _falls(model, repaired, tree):
                    message = "the chance of the other side stands here"
                    one = _whole(model, keys, form, code, new)
                    return [Proposal("ES101", one.cells, message, one.repairs, fix=one.fix, confidence="shape", rank=1)]
    return []


def _falls(model: Model, repaired: Expr, tree: Expr) -> bool:
    return (
        any(
            isinstance(a, Binary)
            and isinstance(b, Binary)
            and a.operator == b.operator == "-"
            and (a.left, a.right) == (b.right, b.left)
            for a in walk(tree)
            for b in walk(repaired)
        )
        and repaired != tree
    )


# --- both ---------------------------------------------------------------------------------------------------


def _repaired(prober: Prober, model: Model, form: Form, key: Key) -> tuple[str, Expr, Part] | None:
    """The one undone mistake after which the formula is an expectation, with its code."""
    best: tuple[float, str, Expr, Part] | None = None
    most = prober.evaluator.work + MOST_WORK
    for code, tree in candidates(form.tree, scales_in(model.forms.values(), 2)):
        if prober.evaluator.work > most:
            break
        part = prober.analyse(key, {key: at_cell(tree, key)})
        if (
            part is None
            or part.kind != "E"
            or part.curve.scale is None
            or part.curve.scale < 20
            or part.curve.advantage
        ):
            continue
        cost = edit_cost(tree, form.tree) + (part.curve.scale not in (400.0, 200.0, 500.0, 600.0, 800.0, 1000.0))
        if best is None or cost < best[0]:
            best = cost, code, tree, part
    return None if best is None else best[1:]


def _odd_curve(prober: Prober, model: Model, keys: tuple[Key, ...], form: Form, part: Part) -> Proposal | None:
    """A curve without a scale, or with e where ten is meant."""
    scale = part.curve.scale
    if scale is None:
        return None
    if scale < 3:
        code = "ES102"
    elif abs(scale / 230.2585092994 - round(scale / 230.2585092994)) < 1e-6 and scale > 230:
        code = "ES111"
    else:
        return None
    for given, tree in candidates(form.tree, scales_in(model.forms.values(), 2)):
        now = prober.analyse(part.key, {part.key: at_cell(tree, part.key)})
        right = now is not None and now.kind == "E" and (now.own, now.other) == (part.own, part.other)
        if given == code and right and now is not None and now.curve.scale is not None and now.curve.scale > 20:
            return _whole(model, keys, form, code, tree)
    return None


def _whole(model: Model, keys: tuple[Key, ...], form: Form, code: str, tree: Expr) -> Proposal:
    repairs = {k: spell_anchored(model, k, at_cell(tree, k)) for k in keys if model.forms.get(k) is form}
    ordered = tuple(sorted(repairs))
    return Proposal(code, ordered, repairs=repairs, fix="=" + repairs[ordered[0]], rank=1)


def _facts(part: Part) -> dict[str, object]:
    facts: dict[str, object] = {"curve": part.curve.name}
    if part.curve.scale is not None:
        facts["scale"] = part.curve.scale
    if part.curve.advantage:
        facts["advantage"] = part.curve.advantage
    if part.limit:
        facts["cap"] = part.limit
    return facts


__all__ = ["recognise"]
