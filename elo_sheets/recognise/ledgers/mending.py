"""Whole columns that a plan of the games breaks off at, and what would let it go on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from elo_sheets.expr import Binary, Expr, Number, Unary, walk
from elo_sheets.recognise import nearmiss
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.ledgers.booking import exchanged
from elo_sheets.recognise.ledgers.planning import Planner
from elo_sheets.recognise.ledgers.plans import Stopped, WrongWay
from elo_sheets.recognise.ledgers.reading import Given
from elo_sheets.recognise.model import Area, Key, cell_area, text_of
from elo_sheets.recognise.proposals import proposal_for, transfer
from elo_sheets.recognise.roles import Roles, Seen, tree_keys

MOST_EDITS = 60
ROWS = 6  # games in which an edit must hold
Edit = tuple[str, Expr]


def wrong_ways(context: Context, roles: Roles, sheet: str, given: Given) -> list[Proposal]:
    """Return a proposal for each run that keeps the games of a sheet from being planned; none when that is not known.

    Where all new ratings of a game move the wrong way, the expectation is the wrong way round, or what reads it; else
    the columns that do are.
    """
    planner = Planner(context, roles, sheet, given)
    try:
        planner.plan()
    except WrongWay as stopped:
        wrong = stopped
    except Stopped:
        dropped = _dropped(context, roles, sheet, given)
        return _along_a_line(context, roles, planner, given) or ([] if dropped is None else [dropped])
    else:
        return []
    if wrong.everybody and wrong.expectation is not None:
        found = _written(context, roles, given, wrong)
        found = found or _of_readers(context, roles, planner, given, wrong.expectation)
        found = found or _mend(context, roles, given, wrong.expectation, wrong.cells, ("ES101",))
        return [found] if found is not None else []
    codes = ("ES101",) if wrong.everybody else ("ES115", "ES101")
    return [p for cell in wrong.cells if (p := _mend(context, roles, given, cell, [cell], codes)) is not None]


def _written(context: Context, roles: Roles, given: Given, wrong: WrongWay) -> Proposal | None:
    """A change in which the opponent's expectation is written as one minus the player's own."""
    model = context.model
    read = {k for cell in wrong.cells for k in model.precedents(cell, 1) if k in model.forms and k[1] == cell[1]}
    for target in sorted(read):
        tree = model.tree(target)
        if tree is None or not nearmiss.takes_off_complement(tree):
            continue
        for code, edited in nearmiss.candidates(tree):
            if code != "ES113" or len(walk(edited)) >= len(walk(tree)):
                continue
            found = _tried(context, roles, given, target, code, edited)
            if found is not None:
                return found
    return None


def _dropped(context: Context, roles: Roles, sheet: str, given: Given) -> Proposal | None:
    """A change that no expectation is taken off from: K times the score alone."""
    expectation = next((s for s in roles.of_kind("E") if s.run.sheet == sheet and s.run.down), None)
    if expectation is None or context.model.readers.get(expectation.key):
        return None
    row = expectation.key[1]
    for run in context.runs:
        target = (sheet, row, run.line)
        tree = context.model.tree(target)
        if run.sheet != sheet or not run.down or not isinstance(tree, Binary) or not run.fits(context.model, target):
            continue
        at = roles.at(target)
        if at is not None and at.part is not None and at.part.kind == "E":
            continue
        for node, rebuilt in nearmiss.places(tree):
            score = node == Number(1.0) or (isinstance(node, Area) and node.single and node.row == row)
            if not score or node == cell_area(expectation.key):
                continue
            edited = rebuilt(Binary("-", node, cell_area(expectation.key)))
            found = _tried(context, roles, given, target, "ES117", edited)
            if found is not None:
                return found
    return None


def _tried(context: Context, roles: Roles, given: Given, target: Key, code: str, edited: Expr) -> Proposal | None:
    """The proposal of an edit after which the games can be planned; None when they cannot."""
    at, tree = roles.at(target), context.model.tree(target)
    if at is None or tree is None:
        return None
    try:
        left = Planner(context, roles, target[0], given, {target: edited}).wrong_way(target[1])
    except Stopped:
        return None
    return None if left is not None else proposal_for(context, Seen(at.run, target, at.part, tree), code, edited)


def _mend(
    context: Context, roles: Roles, given: Given, target: Key, wrong: list[Key], codes: tuple[str, ...]
) -> Proposal | None:
    at = roles.at(target)
    tree = context.model.tree(target)
    if at is None or tree is None or not at.run.fits(context.model, target):
        return None
    for code, edited in _edits(tree, codes, target):
        try:
            left = Planner(context, roles, target[0], given, {target: edited}).wrong_way(target[1])
        except Stopped:
            continue
        if left is None or not set(left.cells) & set(wrong):
            return proposal_for(context, Seen(at.run, target, at.part, tree), code, edited)
    return None


def _edits(tree: Expr, codes: tuple[str, ...], target: Key) -> Iterator[Edit]:
    if "ES115" in codes and isinstance(tree, Binary) and tree.operator in nearmiss.TURNED:
        yield "ES115", Binary(nearmiss.TURNED[tree.operator], tree.left, tree.right)
    if "ES115" in codes and isinstance(tree, Area):
        yield "ES115", Unary("-", tree)
    cells = [cell for cell in tree_keys(tree, "") if cell[1] == target[1]] or list(tree_keys(tree, ""))
    if codes == ("ES101",) and len(cells) == 2:
        one, two = cell_area(cells[0]), cell_area(cells[1])
        yield "ES101", exchanged(tree, one, two)
    for count, (code, edited) in enumerate(nearmiss.candidates(tree)):
        if count > MOST_EDITS:
            return
        if code in ("ES101", "ES113"):
            yield ("ES115" if "ES115" in codes else code), edited


# --- what stands between the expectation and the players' own columns ---------------------------------------


def _of_readers(context: Context, roles: Roles, planner: Planner, given: Given, expectation: Key) -> Proposal | None:
    """A change that takes one less the expectation, as it is written."""
    for target in _row_of(context, roles, planner, expectation[1]):
        if expectation not in tree_keys(target.tree, ""):
            continue
        edits = [(code, e) for code, e in nearmiss.candidates(target.tree) if code == "ES113" and _shorter(e, target)]
        found = _first_that_holds(context, roles, planner, given, target, edits)
        if found is not None:
            return found
    return None


def _shorter(edited: Expr, target: Seen) -> bool:
    return len(walk(edited)) < len(walk(target.tree))


def _along_a_line(context: Context, roles: Roles, planner: Planner, given: Given) -> list[Proposal]:
    """In a sheet with a column for each player: a change without its expectation, or somebody's rating read twice."""
    try:
        row = planner.late_row()
    except Stopped:
        return []
    if not planner.lines_of(row):
        return []
    expectations = [(planner.sheet, row, seen.run.line) for seen in planner.expecting]
    unread = [key for key in expectations if not context.evaluator.readers.is_read(key)]
    names = [
        (planner.sheet, row, column)
        for r, column in sorted(context.model.book.sheets[planner.sheet])
        if r == row and text_of(context.model, (planner.sheet, row, column))
    ]
    for target in _row_of(context, roles, planner, row):
        edits = list(_surplus(target.tree, unread))
        if len(names) > 1:
            named = {cell for cell in tree_keys(target.tree, "") if cell in names}
            edits += [("ES106", e) for e in nearmiss.with_references(target.tree, [cell_area(n) for n in names])
                      if named and _names_another(e, target.tree, names)]  # fmt: skip
        found = _first_that_holds(context, roles, planner, given, target, edits)
        if found is not None:
            return [found]
    return []


def _names_another(edited: Expr, tree: Expr, names: Sequence[Key]) -> bool:
    """Whether the name that was put in stands where another name stood, and stood nowhere before."""
    before, after = ({cell for cell in tree_keys(t, "") if cell in names} for t in (tree, edited))
    return len(after) > len(before) and len(tree_keys(edited, "")) == len(tree_keys(tree, "")) + 1


def _surplus(tree: Expr, expectations: Sequence[Key]) -> Iterator[Edit]:
    """The score with the expectation taken off that nothing reads."""
    if not any(isinstance(node, Binary) and node.operator == "*" for node in walk(tree)):
        return
    for node, rebuilt in nearmiss.places(tree):
        rest = isinstance(node, Binary) and node.operator == "-" and node.left == Number(1.0)
        if rest or (isinstance(node, Area) and node.single):
            for key in expectations:
                yield "ES117", rebuilt(Binary("-", node, cell_area(key)))


def _row_of(context: Context, roles: Roles, planner: Planner, row: int) -> list[Seen]:
    """The formulas of a game's row that are nobody's own column, in the order of the columns."""
    lines = planner.lines_of(row)
    found = []
    for run in sorted(planner.runs, key=lambda r: r.line):
        key = (planner.sheet, row, run.line)
        tree = context.model.tree(key)
        if tree is not None and run.line not in lines and run.first <= row <= run.last and run.fits(context.model, key):
            at = roles.at(key)
            found.append(Seen(run, key, None if at is None else at.part, tree))
    return found


def _first_that_holds(
    context: Context, roles: Roles, planner: Planner, given: Given, target: Seen, edits: Sequence[Edit]
) -> Proposal | None:
    run = target.run
    rows = list(range(run.first, run.last + 1))
    rows = [target.key[1], *rows[:: max(1, len(rows) // ROWS)]]
    for code, edited in edits[:MOST_EDITS]:
        for row in rows:
            key = run.key(row)
            tree = context.model.tree(key)
            moved = None if tree is None else transfer(target.tree, edited, tree, target.key, key)
            if moved is None or not run.fits(context.model, key):
                continue
            try:
                left = Planner(context, roles, planner.sheet, given, {key: moved}).wrong_way(row)
            except Stopped:
                break
            if left is not None:
                break
        else:
            return proposal_for(context, target, code, edited)
    return None
