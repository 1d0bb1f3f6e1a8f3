"""One player's tournament: rounds under each other, the sums, K times the sum, the new rating."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from elo_sheets.expr import Binary, Call, Expr, Number, replaced, walk
from elo_sheets.files.package import cell_name
from elo_sheets.recognise.behind import cone
from elo_sheets.recognise.calculators.repairs import edit_cost
from elo_sheets.recognise.cells import Run
from elo_sheets.recognise.compare import PARENTHESES, code_of
from elo_sheets.recognise.context import Context, Proposal, RoleCells, Sheetwork
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.model import Area, Form, Key, Model, at_cell, cell_area
from elo_sheets.recognise.nearmiss import ROUNDERS, candidates
from elo_sheets.recognise.parts import Part, Prober
from elo_sheets.recognise.periods.of_one import is_change, replayed
from elo_sheets.recognise.periods.sums import Sums
from elo_sheets.recognise.roles import has_power
from elo_sheets.systems._tables import DIFFERENCE_TABLE, PERFORMANCE_TABLE

TOTALS = ("SUM", "SUMPRODUCT", "AVERAGE", "COUNT", "COUNTA", "SUBTOTAL")
DEEPEST = 12  # formulas behind an expectation: more is a chain of games
TABLE_ROWS = 20  # of the published table that a range must follow to be one


MOST_POWERS = 1  # beside an expectation in its round: the opponent's


@dataclass(frozen=True)
class Rounds:
    """The rounds of one player: the run of expectations, his rating, and the opponents'."""

    run: Run
    part: Part
    own: Key
    opponents: tuple[Key, ...]
    cells: tuple[Key, ...]

    @property
    def first(self) -> int:
        """The row of the first round."""
        return self.cells[0][1]

    @property
    def last(self) -> int:
        """The row of the last round."""
        return self.cells[-1][1]


def tournament(context: Context, sums: Sums, prober: Prober) -> Sheetwork | None:
    """Return what a tournament of one player is, or None when the book holds none."""
    model = context.model
    rounds = next((found for run in context.runs if (found := _rounds(context, prober, run)) is not None), None)
    if rounds is None:
        return None
    work = Sheetwork("tournament")
    final = _final(model, rounds)
    cells = rounds.cells
    work.roles = [RoleCells("E", cells), RoleCells("B", (rounds.own,)), RoleCells("O", rounds.opponents)]
    work.ratings = {final} if final is not None else _changes(model, rounds.run.cells()) or set(cells)
    if final is not None:
        work.roles.append(RoleCells("R", (final,)))
    work.facts = {"curve": "FIDE table" if _table_areas(context) else rounds.part.curve.name, "rounds": len(cells)}
    if final is not None and (k := _k_of(context, rounds, final)) is not None:
        work.facts["k"] = k
    if rounds.part.curve.scale is not None:
        work.facts["scale"] = rounds.part.curve.scale
    end = final or _change(context, rounds)
    work.excused = {*_totals(model, rounds), *(() if end is None else (end,))}
    work.proposals = [*_turned(context, sums, rounds, final), *_short(model, rounds), *_closing(model, rounds, final)]
    work.proposals += [*_dropped(context, rounds, final), *_unbound(context, rounds, final)]
    work.proposals += table_faults(context)
    work.reason = "a tournament of one player: the formulas were probed, the games were not replayed"
    others = {key for key in rounds.run.cells() if key not in cells and key in model.forms}
    odd = any(has_power(model.forms[one.key].tree) for one in context.suspects if one.key in others)  # it comes first
    if end is not None and not work.proposals and not odd:
        work.reason, work.proposals = replayed(context, rounds.part, rounds.own, rounds.opponents, end)
        work.replayed = work.reason is None
        work.listed = work.rated = len(cells) if work.replayed else 0
    return work


def _changes(model: Model, cells: Iterable[Key]) -> set[Key]:
    """What stands beside the expectations and follows from them: changes, or new ratings."""
    return {one for cell in cells for one in model.readers.get(cell, ()) if one[:2] == cell[:2]}


def _rounds(context: Context, prober: Prober, run: Run) -> Rounds | None:
    """A run of expectations that all read one cell as one of the two ratings, and a cell of their row as the other."""
    model = context.model
    if not run.down or run.period != 1:
        return None
    places = run.keys()
    cells = [key for key in places if run.fits(model, key)]
    if (
        len(cells) < 3
        or any(_beside(model, key) for key in (cells[0], cells[-1]))
        or len(cone(model, cells[-1], DEEPEST)) >= DEEPEST
    ):
        return None
    parts = [prober.analyse(key) for key in (cells[0], cells[-1])]
    if any(part is None or part.kind != "E" for part in parts):
        return None
    first, last = parts
    assert first is not None
    assert last is not None
    shared = {first.own, first.other} & {last.own, last.other}
    if len(shared) != 1:
        return None
    own = shared.pop()
    if own in model.forms and model.forms.get((own[0], own[1] + 1, own[2])) is model.forms[own]:
        return None
    other = first.other if first.own == own else first.own
    if other[1] != cells[0][1] or model.is_formula(other):
        return None
    return Rounds(run, last, own, tuple((other[0], key[1], other[2]) for key in cells), tuple(cells))


def _beside(model: Model, key: Key) -> bool:
    """Whether other columns have expectations in these rows, too: a matrix, not the rounds of one player."""
    sheet, row, column = key
    same = [k for k, form in model.forms.items() if form is model.forms[key] and k[0] == sheet and k[2] != column]
    others = (form.tree for k, form in model.forms.items() if k[:2] == key[:2] and k != key)
    return any(abs(k[1] - row) <= 1 for k in same) or sum(map(_has_exponent, others)) > MOST_POWERS


def _has_exponent(tree: Expr) -> bool:
    """Whether a formula raises to a power that is worked out, as a curve does, and not to the square alone."""
    raised = (n.right for n in walk(tree) if isinstance(n, Binary) and n.operator == "^")
    called = (n.arguments[-1] for n in walk(tree) if isinstance(n, Call) and n.function in ("EXP", "POWER"))
    return any(not isinstance(exponent, Number) for exponent in (*raised, *called))


def _final(model: Model, rounds: Rounds) -> Key | None:
    """The new rating: a formula outside the rounds that adds to the player's rating, the last of them."""
    inside = set(rounds.cells)
    found = [
        key for key in model.forms
        if key not in inside and rounds.own in model.precedents(key, 4)
        and _is_new(model, key, rounds.own)
        and not rounds.first <= key[1] <= rounds.last
    ]  # fmt: skip
    return next((key for key in found if not set(found) & set(model.readers.get(key, ()))), None)


def _change(context: Context, rounds: Rounds) -> Key | None:
    """What the rounds together bring, where no new rating is shown: the same for each point more."""
    model, inside = context.model, range(rounds.first, rounds.last + 1)
    ends = (key for key in model.forms if key[0] == rounds.run.sheet and key[1] not in inside)
    unread = (key for key in ends if not model.readers.get(key) and model.number(key) is not None)
    return next((key for key in unread if is_change(context, rounds.own, rounds.opponents, key)), None)


def _k_of(context: Context, rounds: Rounds, final: Key, formulas: Mapping[Key, Expr] | None = None) -> float | None:
    """What one point more in the last round brings: K."""
    model, sheet, row = context.model, rounds.run.sheet, rounds.last
    for column in sorted({c for r, c in model.book.sheets[sheet] if r == row}):
        key = (sheet, row, column)
        if model.is_formula(key) or model.number(key) not in (0.0, 0.5, 1.0):
            continue
        low, high = (context.evaluator.number(final, {key: score}, formulas) for score in (0.0, 1.0))
        if low is not None and high is not None and high - low > 1:
            return round(high - low, 6)
    return None


def _is_new(model: Model, key: Key, own: Key) -> bool:
    """Whether a formula shows a rating near the player's, or adds to it: a wrong entry can move it anywhere."""
    tree, number = model.tree(key), model.number(key)
    near = number is not None and number > 100 and abs(number - (model.number(own) or 0)) < 700
    adds = isinstance(tree, Binary) and tree.operator == "+" and cell_area(own) in (tree.left, tree.right)
    return near or adds


def _totals(model: Model, rounds: Rounds) -> Iterator[Key]:
    """Formulas below the rounds that total a column: no departures from the column's run."""
    for key, form in model.forms.items():
        below = key[0] == rounds.run.sheet and not rounds.first <= key[1] <= rounds.last
        if below and any(isinstance(n, Call) and n.function in TOTALS for n in walk(form.tree)):
            yield key


def _turned(context: Context, sums: Sums, rounds: Rounds, final: Key | None) -> Iterator[Proposal]:
    """Expectations of the opponents where the player's own are meant: the new rating falls with their ratings."""
    model = context.model
    key = rounds.cells[-1]
    if rounds.part.own == rounds.own or final is None:
        return
    others = list(rounds.opponents[-2:])
    forms = [model.forms[one] for one in cone(model, key, 6) if one[0] == key[0] and one[1] == key[1]]
    best: tuple[float, str, Form, Expr] | None = None
    for form in forms:
        column = next(k[2] for k in cone(model, key, 6) if model.forms[k] is form)
        for code, tree in candidates(form.tree):
            if code not in ("ES101", "ES113", "ES120"):
                continue
            trial = {(k[0], k[1], column): at_cell(tree, (k[0], k[1], column)) for k in rounds.cells}
            part = context.prober.analyse(key, trial)
            if part is None or part.kind != "E" or part.own != rounds.own:
                continue
            check = sums.closing(final, [rounds.own, *rounds.opponents], others, trial)
            if check is None or check.wrong:
                continue
            cost = edit_cost(tree, form.tree)
            if best is None or cost < best[0]:
                best = cost, "ES113" if code == "ES120" else code, form, tree
    if best is None:
        return
    _, code, form, tree = best
    cells = sorted(k for k, f in model.forms.items() if f is form)
    yield _proposal(model, code, cells, {k: at_cell(tree, k) for k in cells})


def _short(model: Model, rounds: Rounds) -> Iterator[Proposal]:
    """Totals whose range ends before the rounds do."""
    first, last = rounds.first, rounds.last
    for key in _totals(model, rounds):
        tree = model.tree(key)
        if tree is None:
            continue
        for node in walk(tree):
            if not isinstance(node, Area) or node.single or node.column != node.right or node.sheet != rounds.run.sheet:
                continue
            inside = first <= node.row <= last and first <= node.bottom <= last
            filled = all(model.number((node.sheet, row, node.column)) is not None for row in range(first, last + 1))
            if (
                inside
                and filled
                and (node.row, node.bottom) != (first, last)
                and node.bottom - node.row + 1 >= 0.6 * (last - first + 1)
            ):
                whole = Area(node.sheet, first, node.column, last, node.column, node.fixed, False)
                yield _proposal(model, "ES125", [key], {key: replaced(tree, node, whole)})


def _closing(model: Model, rounds: Rounds, final: Key | None) -> Iterator[Proposal]:
    """A new rating that is the old one although a change stands beside it, or that reads itself."""
    if final is None:
        return
    tree = model.tree(final)
    changes = [
        key for key, form in model.forms.items()
        if key != final and not rounds.first <= key[1] <= rounds.last and not model.readers.get(key)
        and _is_product(form.tree) and key[0] == final[0]
    ]  # fmt: skip
    own = cell_area(rounds.own)
    if tree is not None and _unrounded(tree) == own and len(changes) == 1:
        moved = replaced(tree, own, Binary("+", own, cell_area(changes[0])))
        yield _proposal(model, "ES126", [final], {final: moved})


def _unrounded(tree: Expr) -> Expr:
    """A formula without the rounding around it."""
    while isinstance(tree, Call) and tree.function in ROUNDERS and tree.arguments and tree.arguments[0] is not None:
        tree = tree.arguments[0]
    return tree


def _is_product(tree: Expr) -> bool:
    """Whether a formula is a product, rounded or not."""
    inner = _unrounded(tree)
    return isinstance(inner, Binary) and inner.operator == "*"


def _dropped(context: Context, rounds: Rounds, final: Key | None) -> Iterator[Proposal]:
    """A change of K times the points alone: the new rating is the same whoever the opponents were."""
    model, evaluator = context.model, context.evaluator
    stronger = {key: (model.number(key) or 0.0) + 250.0 for key in rounds.opponents}

    def gain(formulas: dict[Key, Expr]) -> float | None:
        ends = [evaluator.number(final, more, formulas) for more in ({}, stronger)] if final is not None else [None]
        return None if ends[0] is None or ends[-1] is None else ends[-1] - ends[0]

    if final is None or gain({}) != 0.0:
        return
    totals = [cell_area(key) for key in _totals(model, rounds)]
    for key in [k for k in cone(model, final, DEEPEST) if k not in rounds.cells and _is_product(model.forms[k].tree)]:
        tree = model.tree(key)
        assert tree is not None
        for total in (node for node in walk(tree) if node in totals):
            surplus = (Binary("-", total, other) for other in totals if other != total)
            for other in (*(t for t in totals if t != total), *surplus):
                edited = replaced(tree, total, other)
                more = gain({key: edited})
                if more is not None and more > 0 and _k_of(context, rounds, final, {key: edited}):
                    yield _proposal(model, "ES117", [key], {key: edited})
                    return


def _unbound(context: Context, rounds: Rounds, final: Key | None) -> Iterator[Proposal]:
    """A change of K times the points, less the expected points themselves: the parentheses are missing."""
    model, evaluator = context.model, context.evaluator
    weaker = {key: (model.number(key) or 0.0) - 250.0 for key in rounds.opponents}
    shares = [(evaluator.number(key, weaker), model.number(key)) for key in rounds.cells]
    most = sum(abs(there - here) for there, here in shares if there is not None and here is not None) + 1  # by rounding

    def loss(formulas: dict[Key, Expr]) -> float:
        ends = [evaluator.number(final, more, formulas) if final is not None else None for more in ({}, weaker)]
        return 0.0 if ends[0] is None or ends[1] is None else ends[0] - ends[1]

    behind = [] if final is None else [k for k in (final, *cone(model, final, DEEPEST)) if k not in rounds.cells]
    for key in dict.fromkeys(behind):
        tree = model.tree(key)
        for node in walk(tree) if tree is not None else ():
            bound = _bound(node)
            if tree is None or final is None or bound is None:
                continue
            edited = replaced(tree, node, bound)
            k = _k_of(context, rounds, final, {key: edited})
            if k and 0 < loss({}) <= most and abs(loss({key: edited}) / k - loss({})) <= 1:  # which may be rounded
                proposal = _proposal(model, "ES103", [key], {key: edited})
                yield dataclasses.replace(proposal, message=PARENTHESES)
                return


def _bound(node: Expr) -> Expr | None:
    """K*S-E as K*(S-E), with a rating before it or none."""
    if not isinstance(node, Binary) or node.operator != "-" or not isinstance(node.left, Binary):
        return None
    first, product = (node.left.left, node.left.right) if node.left.operator == "+" else (None, node.left)
    if not isinstance(product, Binary) or product.operator != "*":
        return None
    bound = Binary("*", product.left, Binary("-", product.right, node.right))
    return bound if first is None else Binary("+", first, bound)


def _proposal(model: Model, code: str, cells: list[Key], trees: dict[Key, Expr]) -> Proposal:
    repairs = {key: spell_anchored(model, key, trees[key]) for key in cells}
    if code == "ES108":
        present = model.tree(cells[0])
        code = code if present is None else code_of(trees[cells[0]], present, {}, cells[0])
    return Proposal(code, tuple(cells), repairs=repairs, fix="=" + repairs[cells[0]], rank=1)


# --- the published tables -----------------------------------------------------------------------------------


def _table_areas(context: Context) -> list[tuple[str, int, int, int, int]]:
    """Ranges of two or more columns that look-ups read, one time each."""
    found: dict[tuple[str, int, int, int, int], None] = {}
    for key, form in context.model.forms.items():
        if not looks_up(form.tree):
            continue
        for area in context.model.areas(key):
            if area.bottom - area.row + 1 >= TABLE_ROWS and area.size < 20_000:
                found[area.sheet or key[0], area.row, area.column, area.bottom, area.right] = None
    return [area for area in found if _published(context.model, *area)]


def looks_up(tree: Expr) -> bool:
    """Return whether a formula looks something up."""
    return any(
        isinstance(n, Call) and n.function in ("VLOOKUP", "LOOKUP", "INDEX", "MATCH", "XLOOKUP") for n in walk(tree)
    )


def _published(model: Model, sheet: str, top: int, left: int, bottom: int, right: int) -> bool:
    return any(True for _ in _columns(model, sheet, top, left, bottom, right))


def table_faults(context: Context) -> list[Proposal]:
    """Rows of FIDE's tables of expectations or of performances that are not as published."""
    found: dict[Key, Proposal] = {}
    for area in _table_areas(context):
        for keys, right in _columns(context.model, *area):
            for key, number in zip(keys, right, strict=True):
                value = context.model.number(key)
                if value is not None and number is not None and abs(value - number) > 1e-9:
                    message = f"the published table has {number:g} in {cell_name(*key[1:])}"
                    found[key] = Proposal("ES203", (key,), message, values={key: number}, fix=f"{number:g}", rank=1)
    return [one for key, one in found.items() if not _follows_from_another(context.model, key, set(found))]


def _follows_from_another(model: Model, key: Key, wrong: set[Key]) -> bool:
    """Whether a number is only out of place because its neighbour is: of the two the first difference is right
    when it is one of the published.
    """
    sheet, row, column = key
    right = [k for k in wrong if k[0] == sheet and k[1] == row and k[2] > column]
    left = [k for k in wrong if k[0] == sheet and k[1] == row and k[2] < column]
    starts = {start for start, _ in _steps()}
    if right:
        return model.number(key) in starts
    return bool(left) and model.number(min(left)) not in starts


def _columns(
    model: Model, sheet: str, top: int, left: int, bottom: int, right: int
) -> Iterator[tuple[list[Key], list[float | None]]]:
    """Columns that nearly all follow a published table, with what each cell should hold."""
    rows = list(range(top, bottom + 1))
    columns = {c: [model.number((sheet, r, c)) for r in rows] for c in range(left, right + 2)}
    starts = columns[left]
    whole = 100.0 if any(x is not None and x > 1 for x in starts) else 1.0
    for c in range(left, right + 2):
        for right_of in (_higher, _lower, _performance, _start):
            given = columns[c] if right_of is _start else starts
            unit = whole if right_of is _performance else 1.0
            wanted = [None if x is None else right_of(x / unit) for x in given]
            actual = columns[c] if right_of is not _start else starts
            if right_of is _start and c == left:
                continue
            both = [(a, w) for a, w in zip(actual, wanted, strict=True) if a is not None and w is not None]
            hits = sum(abs(a - w) < 1e-9 for a, w in both)
            if len(both) >= TABLE_ROWS and hits >= 0.9 * len(both) and len({w for _, w in both}) > 10:
                at = left if right_of is _start else c
                # The row of an interval's first difference may be wrong, or its expectation: not both are named.
                yield [(sheet, r, at) for r in rows], wanted


def _steps() -> list[tuple[float, float]]:
    return list(zip(DIFFERENCE_TABLE.starts, DIFFERENCE_TABLE.values, strict=True))


def _higher(difference: float) -> float | None:
    if difference < 0 or difference != int(difference):
        return None
    return next((value for start, value in reversed(_steps()) if difference >= start), None)


def _lower(difference: float) -> float | None:
    higher = _higher(difference)
    return None if higher is None else round(1 - higher, 2)


def _start(share: float) -> float | None:
    """The first difference of the interval with that expectation of the higher player."""
    return next((start for start, value in _steps() if abs(value - share) < 1e-9), None)


def _performance(share: float) -> float | None:
    per_cent = round(100 * share)
    return float(PERFORMANCE_TABLE[per_cent]) if abs(100 * share - per_cent) < 1e-6 and 0 <= per_cent <= 100 else None


__all__ = ["Rounds", "looks_up", "table_faults", "tournament"]
