"""What if other numbers were typed? Inputs are changed, an engine recalculates, and the games are replayed once more.

A book may show the right numbers and hold a fault all the same: a frozen cell, a look-up that misses a player who has
not met it yet, a list that ends a row too early. What does not follow when an input moves is such a fault.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from elo_sheets.errors import NotChecked
from elo_sheets.expr import walk
from elo_sheets.files.package import CellError, Value
from elo_sheets.recognise.behind import shown_cell
from elo_sheets.recognise.context import WARNING, Context, Proposal
from elo_sheets.recognise.evaluate import Evaluator
from elo_sheets.recognise.ledgers.links import linked_columns
from elo_sheets.recognise.ledgers.lists import lists
from elo_sheets.recognise.ledgers.plans import Leaf, Phase, Plan, Replayed
from elo_sheets.recognise.ledgers.replaying import play
from elo_sheets.recognise.model import Area, Key, Model, text_of
from elo_sheets.recognise.repair import Repair, compute, with_changes

SEPARATE = 4_000  # formulas up to which every change is a book of its own; above all changes go into one
EARLY, MIDDLE = 0.2, 0.5  # where in the ledger results and players are changed
MOST_CHAIN = 6


@dataclass(frozen=True)
class WhatIf:
    """Other inputs, and what they are, in words."""

    what: str
    values: Mapping[Key, Value]


def what_if_faults(context: Context, replays: Sequence[Replayed]) -> tuple[list[Proposal], str | None]:
    """Return what no longer follows when an input is another, and why it was not asked, None when it was.

    Nothing is asked of a ledger that could not be replayed.
    """
    done = [one for one in replays if one.plan is not None and one.reason is None]
    if not done or len(done) < len(replays):
        return [], None
    changes = [change for one in done for change in what_ifs(context, one)]
    if context.model.formula_count > SEPARATE and changes:
        together: dict[Key, Value] = {}
        for change in changes:
            together.update(change.values)
        changes = [WhatIf("other inputs are typed", together)]
    try:
        books = [with_changes(context.model.book, Repair({}, change.values)) for change in changes]
        answers = compute(books, context.engine, context.timeout)[1] if books else []
    except NotChecked as reason:
        return [], str(reason)
    found: dict[Key, Proposal] = {}
    for change, book, values in zip(changes, books, answers, strict=True):
        model = copy.copy(context.model)
        model.book, model.computed = book, values
        for one in done:
            proposal = _judge(context, model, one, change)
            if proposal is not None:
                found.setdefault(proposal.cells[0], proposal)
    return list(found.values()), None


def _judge(context: Context, model: Model, one: Replayed, change: WhatIf) -> Proposal | None:
    assert one.plan is not None
    same = model.forms.keys() == context.model.forms.keys()
    again = play(model, Evaluator(model, context.evaluator.readers if same else None), one.plan)
    at, expected, found = again.at, again.expected, again.found
    code = "ES108"
    if again.reason is None:
        shown, already = lists(context, one)
        at = lists(context, again, model)[1]
        expected, found = None, None if at is None else model.number(at)
        if at is None or at not in shown or already is not None:  # a bonus is in the list, and in no game
            return None
        code = _look_up(context.model, at, one.plan)
    elif at is None or expected is None or found is None:
        return None
    elif any(
        leaf.key(at[0], at[1]) == at or leaf.column == at[2] for phase in one.plan.phases for leaf in phase.leaves
    ):
        code = _look_up(context.model, at, one.plan)
    if model.cell(at) is None:
        return None
    if at not in context.model.forms:
        code = "ES201"  # a typed value follows nothing
    now = "" if expected is None or found is None else f": {found:.2f} instead of {expected:.2f}"
    message = f"right today, but wrong when {change.what}{now}"
    return Proposal(
        code, (at,), message, severity=WARNING, confidence="proven", expected=expected, found=found, effect=0.0, rank=6
    )


def _look_up(model: Model, at: Key, plan: Plan) -> str:
    """What is wrong with a cell that should look the latest rating up."""
    tree = model.tree(at)
    areas = [n for n in walk(tree) if isinstance(n, Area) and not n.single] if tree is not None else []
    if not areas:
        return "ES124"
    last = plan.last if at[0] != plan.sheet or at[1] > plan.last else at[1] - len(plan.phases)
    return "ES125" if all(a.bottom < last for a in areas if a.sheet == plan.sheet) else "ES123"


# --- which inputs -------------------------------------------------------------------------------------------


def what_ifs(context: Context, one: Replayed) -> list[WhatIf]:
    """Up to five changes of the inputs: a result, a start, K, the players of a game, two equal ratings."""
    assert one.plan is not None
    made = [
        _another_result(context, one.plan),
        _another_start(context, one.plan, 37.0),
        _another_k(context, one.plan),
        _other_players(context, one),
        _equal_ratings(context, one.plan),
    ]
    return [change for change in made if change is not None]


def _rows(plan: Plan, share: float) -> Iterator[tuple[int, Phase]]:
    start = plan.first + int((plan.last - plan.first) * share)
    for row in [row for row in plan.rows if row >= start][:13]:
        yield row, plan.phases[plan.turn(row)]


def _gaining(plan: Plan, row: int, phase: Phase) -> list[Key]:
    if plan.lines:
        return [(plan.sheet, row, line) for line in plan.lines]
    return [(plan.sheet, row, one.run.line) for one in phase.after]


def _typed_below(context: Context, cells: Sequence[Key], row: int, sheet: str) -> list[Key]:
    """The typed cells of a game that cells follow from: those of its row, and what they show of a list."""
    found: dict[Key, None] = {}
    seen: set[Key] = set()
    edge = list(cells)
    for _ in range(MOST_CHAIN):
        following: list[Key] = []
        for key in edge:
            tree = context.model.tree(key)
            shows = isinstance(tree, Area) and tree.single
            for area in context.model.areas(key):
                read = (area.sheet or key[0], area.row, area.column)
                if not area.single or read in seen or not (shows or (read[0] == sheet and read[1] == row)):
                    continue
                seen.add(read)
                if read in context.model.forms:
                    following.append(read)
                elif context.model.cell(read) is not None:
                    found[read] = None
        edge = following
    return list(found)


def _another_result(context: Context, plan: Plan) -> WhatIf | None:
    model = context.model
    for row, phase in _rows(plan, EARLY):
        cells = _gaining(plan, row, phase)
        now = [context.evaluator.number(c, {}) for c in cells]
        leaves = {leaf.key(plan.sheet, row) for leaf in phase.leaves}
        leaves |= {one for key in leaves for one in model.precedents(key, 1)}  # a round by which a rating is looked up
        for key in _typed_below(context, cells, row, plan.sheet):
            if key in leaves or (key[0] == plan.sheet and key[2] in plan.names) or _names_somebody(plan, model, key):
                continue
            for value in _other_values(model, key):
                then = [context.evaluator.number(c, {key: value}) for c in cells]
                if all(t is not None for t in then if t is not None) and _moved(now, then):
                    return WhatIf("a result is another", {key: value})
    return None


def _names_somebody(plan: Plan, model: Model, key: Key) -> bool:
    """Whether a text is the name of somebody who plays."""
    columns = {leaf.owner for phase in plan.phases for leaf in phase.leaves if leaf.kind == "name"} | set(plan.names)
    rows = range(plan.first, plan.last + 1)
    text = text_of(model, key)
    return text is not None and any(text_of(model, (plan.sheet, row, c)) == text for c in columns for row in rows)


def _moved(now: Sequence[float | None], then: Sequence[float | None]) -> bool:
    pairs = [(a, b) for a, b in zip(now, then, strict=True) if a is not None]
    return all(b is not None for _, b in pairs) and any(b is not None and abs(a - b) > 0.1 for a, b in pairs)


def _other_values(model: Model, key: Key) -> Sequence[Value]:
    value = model.value(key)
    if isinstance(value, (bool, CellError)):
        return []
    if isinstance(value, (int, float)):
        number = float(value)
        if number in (0.0, 1.0):
            return [1.0 - number]
        if number == 0.5:
            return [1.0]
        return [number + 1.0] if 0 <= number < 100 and number.is_integer() else []
    if isinstance(value, str):
        column = (model.value((key[0], row, key[2])) for row in model.columns.get((key[0], key[2]), ()) if row > key[1])
        return list(dict.fromkeys(v for v in column if isinstance(v, str) and v != value))[:3]
    return []


def _starts(context: Context, plan: Plan) -> list[Key]:
    """The typed ratings that players begin with."""
    model = context.model
    found: dict[Key, None] = {}
    if plan.lines:
        for line, run in plan.lines.items():
            for row in range(run.first - 1, max(0, run.first - 4), -1):
                if model.number((plan.sheet, row, line)) is not None:
                    found[plan.sheet, row, line] = None
                    break
    for row in range(plan.first, min(plan.last, plan.first + 3) + 1):
        for leaf in plan.phases[plan.turn(row)].leaves:
            key = leaf.key(plan.sheet, row)
            for read in [key, *model.precedents(key, 64)]:
                number = model.number(read)
                typed = read not in model.forms and leaf.kind in ("name", "chain")
                if typed and number is not None and number > 50 and _follows(context, key, read, number):
                    found[read] = None
    return [key for key in found if key not in model.forms]


def _follows(context: Context, key: Key, read: Key, number: float) -> bool:
    if key == read:
        return True
    moved = context.evaluator.number(key, {read: number + 37.0})
    return moved is not None and abs(moved - number - 37.0) < 1e-6


def _another_start(context: Context, plan: Plan, by: float) -> WhatIf | None:
    for key in _starts(context, plan):
        return WhatIf("a start rating is another", {key: (context.model.number(key) or 0.0) + by})
    return None


def _another_k(context: Context, plan: Plan) -> WhatIf | None:
    key = None if plan.k_from is None else shown_cell(context.model, plan.k_from, MOST_CHAIN)
    number = context.model.number(key) if key is not None else None
    if key is None or number is None or key in context.model.forms:
        return None
    return WhatIf("K is another", {key: round(1.25 * number) + 1.0})


def _other_players(context: Context, one: Replayed) -> WhatIf | None:
    """A game in the middle, played by somebody else in place of one of the two."""
    plan, model = one.plan, context.model
    assert plan is not None
    if len(plan.phases) > 1:
        return None  # the name of one side stands in several rows
    if linked_columns(model, plan.sheet):
        return None  # links by hand follow nobody
    for row, phase in _rows(plan, MIDDLE):
        columns = list(plan.names) or [leaf.owner for leaf in phase.leaves if leaf.kind == "name"]
        if _is_round(model, plan, columns) or _is_rated_by_rounds(model, plan, phase, row):
            return None
        cells = [shown_cell(model, (plan.sheet, row, column), MOST_CHAIN) for column in columns]
        names = [text_of(model, cell) for cell in cells]
        if len(cells) < 2 or None in names or any(cell in model.forms for cell in cells):
            continue
        # Best somebody who has been on the other side: a look-up on one side only misses that.
        across = _everybody(model, plan, columns[:-1])
        others = [name for name in [*across, *_everybody(model, plan, columns)] if name not in names]
        if others:
            return WhatIf("another player plays a game", {cells[-1]: others[0]})
    return None


def _is_round(model: Model, plan: Plan, columns: Sequence[int]) -> bool:
    """Whether nobody has two games on a sheet: whoever else played one there would have two in a round."""
    rows = range(plan.first, plan.last + 1)
    names = [name for row in rows for column in columns if (name := text_of(model, (plan.sheet, row, column)))]
    return len(names) == len(set(names))


def _is_rated_by_rounds(model: Model, plan: Plan, phase: Phase, row: int) -> bool:
    """Whether a rating before is that of the round: a typed number of the row asks for it, or another list is read.

    Whoever else played there would have two games in a round, which start from the same rating.
    """

    def lists(leaf: Leaf, at: int) -> set[int]:
        """The columns of other sheets in which a rating before is looked up."""
        areas = model.areas(leaf.key(plan.sheet, at))
        return {area.column for area in areas if not area.single and area.sheet not in (None, plan.sheet)}

    names = [leaf for leaf in phase.leaves if leaf.kind == "name"]
    return any(lists(leaf, plan.first) != lists(leaf, plan.last) for leaf in names) or any(
        area.single and area.row == row and area.column != leaf.owner
        and model.number((plan.sheet, row, area.column)) is not None
        and (plan.sheet, row, area.column) not in model.forms
        for leaf in names
        for area in model.areas(leaf.key(plan.sheet, row))
    )  # fmt: skip


def _everybody(model: Model, plan: Plan, columns: Sequence[int]) -> list[str]:
    """The players of the earlier games, the first to play first."""
    middle = plan.first + int((plan.last - plan.first) * MIDDLE)
    found: dict[str, None] = {}
    for row in range(plan.first, middle):
        for column in columns:
            name = text_of(model, (plan.sheet, row, column))
            if name is not None:
                found[name] = None
    return list(found)


def _equal_ratings(context: Context, plan: Plan) -> WhatIf | None:
    """Two start ratings that are the same, or an opponent's rating that is the player's own."""
    starts = _starts(context, plan)
    numbers = [context.model.number(key) or 0.0 for key in starts]
    for key, number in zip(starts[1:], numbers[1:], strict=True):
        if abs(number - numbers[0]) > 1:
            return WhatIf("two ratings are equal", {key: numbers[0]})
    for row, phase in _rows(plan, MIDDLE):
        typed = [leaf.key(plan.sheet, row) for leaf in phase.leaves if leaf.kind == "typed"]
        own = [leaf.key(plan.sheet, row) for leaf in phase.leaves if leaf.kind != "typed"]
        mine = context.model.number(own[0]) if own else None
        if typed and mine is not None:
            return WhatIf("two ratings are equal", {typed[0]: float(round(mine))})
    return None
