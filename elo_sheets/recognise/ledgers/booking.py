"""Games as they are booked: does every new rating start from its own player's rating, and move the right way?"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import product

from elo_sheets.expr import Binary, Call, Expr, Number, Unary, replaced, walk
from elo_sheets.recognise import nearmiss
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.departures import spell
from elo_sheets.recognise.ledgers.groups import Group, groups, moved
from elo_sheets.recognise.model import ALL_FIXED, Area, Key, cell_area, with_areas
from elo_sheets.recognise.parts import Part
from elo_sheets.recognise.proposals import proposal_for
from elo_sheets.recognise.roles import Formulas, Roles, Seen, tree_keys, update_of

MOST_K, MOST_STEPS = 400.0, 4  # rating points, and how many different K a log has
TAKEN_OFF = "the change is taken off the rating before, and not added to it: who wins loses points"
MOST_AFTER = 3  # new ratings of a game that stand in columns of their own; more is a matrix


def booking_faults(
    context: Context, roles: Roles, repaired: dict[Key, Expr], replayed: Collection[str] = ()
) -> list[Proposal]:
    """Return a proposal for each run that books the change wrongly; none is sought where all games were replayed."""
    found: list[Proposal] = []
    games = groups(context, roles, repaired)
    for group in games:
        still = _standing(context, group)
        if still is not None:
            found.append(still)
            continue
        if not group.after or len(group.after) > MOST_AFTER:
            found += _complements(context, roles, group)
            continue
        fault = _leak(context, group, [s for g in games for s in g.expectations if g.sheet == group.sheet])
        fault = fault or _new_for_old(context, roles, group)
        if fault is None and group.sheet not in replayed:
            fault = _search(context, roles, group, repaired)
        if fault is not None:
            found.append(fault)
    return found


def _standing(context: Context, group: Group) -> Proposal | None:
    """A rating that every row takes over from the row above: no result ever moves it."""
    model = context.model
    for rating in group.ratings:
        chain = [rating]
        while len(chain) < 4:
            tree = model.tree(chain[-1])
            if not isinstance(tree, Area) or not tree.single or tree.sheet != group.sheet:
                break
            chain.append((group.sheet, tree.row, tree.column))
        columns = {key[2] for key in chain}
        if len(chain) < 4 or len(columns) > 2 or chain[-1][1] >= group.row - 1 or _unused_score(context, group) is None:
            continue
        carried = next((k for k in chain if k[2] != rating[2] or len(columns) == 1), rating)
        runs = [run for run in context.runs if run.down and run.sheet == group.sheet and run.line == carried[2]]
        cells = tuple(k for run in runs for k in run.cells() if run.fits(model, k))
        first = (group.sheet, cells[0][1] - 1, carried[2]) if cells else carried
        if cells and isinstance(model.tree(first), Area) and _plays(context, group, first[1]):
            cells = (first, *cells)  # the first game starts from another cell
        if cells:
            what = "the rating is taken over from the row above in every row: no result moves it"
            back = group.row - rating[1] if carried[2] == rating[2] else 1
            repairs = _moving(context, group, cells, 0 if back == 1 else 1)
            what += "" if repairs else "; by how much cannot be told, as no K is known for certain"
            return Proposal("ES126", cells, what, repairs=repairs, effect=None if repairs else 0.0, rank=2)
    return None


def _may_be_k(numbers: Sequence[float | None]) -> bool:
    """Whether numbers down the rows are of the size of K, and few: not a count of games."""
    return all(n is not None and 1 < n <= MOST_K for n in numbers) and len(set(numbers)) <= MOST_STEPS


def _plays(context: Context, group: Group, row: int) -> bool:
    """Whether a row has an expectation as the group's row has."""
    return any((group.sheet, row, seen.key[2]) in context.model.forms for seen in group.expectations)


def _moving(context: Context, group: Group, cells: Sequence[Key], above: int) -> dict[Key, str]:
    """The ratings moved by K times the score less the expectation, when one K stands there that no formula reads.

    `above` is 1 when a row's rating is that before its game: it is moved by the game of the row above.
    """
    model, score = context.model, _unused_score(context, group)
    ks = [
        key for row, column in model.book.sheets[group.sheet]
        if row == group.row and (key := (group.sheet, row, column)) not in model.readers
        and key not in cells and _may_be_k([model.number((key[0], one[1] - above, key[2])) for one in cells])
    ]  # fmt: skip
    settings = [a for a in _k_cells(context) if (a.sheet or "", a.row, a.column) not in model.readers]
    if score is None or len(ks or settings) != 1 or not group.expectations:
        return {}

    def text(cell: Key, key: Key) -> str:
        row = key[1] - above + cell[1] - group.row
        return spell(cell_area((cell[0], row, cell[2])), group.sheet)

    expectation, repairs = group.expectations[0].key, dict[Key, str]()
    for key in cells:
        tree = model.tree(key)
        if tree is not None:
            k = text(ks[0], key) if ks else spell(settings[0], group.sheet)
            repairs[key] = f"{spell(tree, group.sheet)}+{k}*({text(score, key)}-{text(expectation, key)})"
    return repairs


def _unused_score(context: Context, group: Group) -> Key | None:
    """A typed score, or one that a formula makes of a result, that no formula reads."""
    model = context.model
    for column in sorted({c for r, c in model.book.sheets[group.sheet] if r == group.row}):
        key = (group.sheet, group.row, column)
        if (
            model.number(key) in (0.0, 0.5, 1.0)
            and key not in model.readers
            and key not in {e.key for e in group.expectations}
        ):
            return key
    return None


# --- what is right ------------------------------------------------------------------------------------------


def _parts(roles: Roles, group: Group, formulas: Formulas) -> list[Part | None]:
    return [update_of(roles, seen.key, formulas) for seen in group.after]


def consistent(roles: Roles, group: Group, formulas: Formulas) -> bool:
    """Whether every new rating of the game starts from its own rating and gains what the rule gives."""
    parts = _parts(roles, group, formulas)
    bases: list[Key] = []
    model = roles.looker.model
    carried = [r for r in group.ratings if r in model.forms and not isinstance(model.tree(r), Area)]
    carried = carried or [r for r in group.ratings if r in model.forms]
    if len(parts) == 1 and len(carried) == 1 and parts[0] is not None and parts[0].base not in carried:
        return False
    for part in parts:
        if part is None or part.base is None or part.base not in group.ratings or part.curve.scale is None:
            return False
        if (part.own == part.base) != (part.sign == 1) or abs(part.draw - 0.5) > 1e-6 or part.k < 1.5:
            return False
        bases.append(part.base)
    if len(set(bases)) != len(bases):
        return False
    scores = {part.score for part in parts if part is not None}
    if len(scores) > 1 and None in scores:
        return False  # what follows the score on one side only follows another score on the other
    if len(parts) == 2 and len(scores) == 1 and len({(p.sign, p.values) for p in parts if p}) == 1:
        return False
    own = [e.own for e in (roles.looker.known(s.key, formulas) for s in group.expectations) if e is not None]
    return len(own) == len(group.expectations) and len(set(own)) == len(own)


def _first_gains(roles: Roles, group: Group, formulas: Formulas) -> bool:
    """Whether the score is that of the player on the left, and of two counts that of the left one."""
    parts, model = _parts(roles, group, formulas), roles.looker.model
    for part in parts:
        if part is None or (part.base != group.ratings[0] and len(parts) > 1):
            continue
        if part.sign != 1:
            return False
        left = (*part.score[:2], part.score[2] - 1) if part.score is not None and model.counts(part.score) else None
        if left is not None and model.counts(left) and left in roles.looker.leaves(part.key, formulas):
            return False
    return True


# --- the search ---------------------------------------------------------------------------------------------


def _search(context: Context, roles: Roles, group: Group, repaired: dict[Key, Expr]) -> Proposal | None:
    declared = {seen.key: one for seen in group.after if (one := _without_declared(seen.tree, seen.key)) != seen.tree}
    if consistent(roles, group, repaired) or (declared and consistent(roles, group, {**declared, **repaired})):
        return None
    for target, edits in _tiers(context, roles, group):
        for code, edited in edits:
            formulas = {**repaired, target.key: edited}
            if consistent(roles, group, formulas) and _first_gains(roles, group, formulas):
                if code == "ES101" and (both := _both_sides(context, roles, group, repaired)) is not None:
                    return both
                alone = code == "ES115" and [one.key for one in group.after] == [target.key]
                return proposal_for(context, target, code, edited, TAKEN_OFF if alone else "")
    return None


def _both_sides(context: Context, roles: Roles, group: Group, repaired: dict[Key, Expr]) -> Proposal | None:
    """The changes of both sides with their own expected scores, where the only one that stands there is the first's.

    That is what people reckon: it does not stand the wrong way round.
    """
    shares = [roles.looker.known(seen.key, repaired) for seen in group.expectations]
    if len(shares) != 1 or shares[0] is None or shares[0].own != group.ratings[0] or len(group.changes) != 2:
        return None
    edits = [[edited for code, edited in nearmiss.candidates(seen.tree) if code == "ES113"] for seen in group.changes]
    for pair in product(*edits):
        formulas = dict(zip((seen.key for seen in group.changes), pair, strict=True))
        if consistent(roles, group, repaired | formulas) and _first_gains(roles, group, repaired | formulas):
            one, two = (
                proposal_for(context, seen, "ES113", new) for seen, new in zip(group.changes, pair, strict=True)
            )
            return replace(one, cells=(*one.cells, *two.cells), repairs={**one.repairs, **two.repairs})
    return None


def _without_declared(tree: Expr, key: Key) -> Expr:
    """A new rating without the floor or ceiling that stands in a cell of its own, which may hold in the row at hand."""
    for node in walk(tree):
        if isinstance(node, Call) and node.function in nearmiss.LIMITS:
            rest = [one for one in node.arguments if one is not None and not _stands_alone(one, key)]
            if len(rest) == 1 < len(node.arguments):
                return replaced(tree, node, rest[0])
    return tree


def _stands_alone(argument: Expr, key: Key) -> bool:
    return isinstance(argument, Area) and argument.single and argument.row != key[1]


def _tiers(context: Context, roles: Roles, group: Group) -> Iterator[tuple[Seen, list[tuple[str, Expr]]]]:
    if len(group.after) == 1:
        # Seen from one side, a swapped expectation and a gain by the opponent's are the same: what is written decides.
        for target in (*group.after, *group.changes):
            found = [(c, e) for c, e in nearmiss.candidates(target.tree) if c == "ES113" and _simpler(e, target.tree)]
            yield target, found
        for target in group.expectations:
            yield target, [(c, e) for c, e in _expectation_edits(group, target) if c == "ES101"]
    for target in group.after:
        yield target, list(_booking_edits(context, group, target, "N"))
    for target in group.changes:
        yield target, list(_booking_edits(context, group, target, "D"))
    for target in group.expectations:
        yield target, list(_expectation_edits(group, target))
    for target in (*group.after, *group.changes):
        found = [(c, e) for c, e in nearmiss.candidates(target.tree) if c == "ES113"]
        yield target, [(c, e) for c, e in found if not _simpler(e, target.tree)]
    for target in _scores(context, roles, group):
        yield target, [(c, e) for c, e in nearmiss.candidates(target.tree) if c == "ES104"]


def _scores(context: Context, roles: Roles, group: Group) -> list[Seen]:
    """Runs in the row that turn a result into a score."""
    found = []
    for seen in (*group.after, *group.changes):
        for read in tree_keys(seen.tree, seen.key[0]):
            other = roles.at(read)
            if other is not None and other.part is None and other.key[2] not in {s.key[2] for s in group.after}:
                found.append(moved(context, other, read[1]))
    return found


def _booking_edits(context: Context, group: Group, target: Seen, kind: str) -> Iterator[tuple[str, Expr]]:
    tree = target.tree
    # the sign of the whole change
    booked = len(group.after) > 1 or bool(group.changes)  # else the sign is that of the difference of scores
    if kind == "N" and isinstance(tree, Binary) and tree.operator in nearmiss.TURNED and booked:
        yield "ES115", Binary(nearmiss.TURNED[tree.operator], tree.left, tree.right)
    yield from _references(group, tree, kind)
    for code, edited in nearmiss.candidates(tree):
        if code in ("ES101", "ES103", "ES104", "ES107", "ES118", "ES119", "ES122") or (
            code == "ES113" and _simpler(edited, tree)
        ):
            yield code, edited
    yield from _surplus(group, tree)
    if kind == "D":
        yield "ES115", _negated(tree)
    if kind == "N":
        yield from _no_change(context, group, target)


def _simpler(a: Expr, b: Expr) -> bool:
    return len(walk(a)) < len(walk(b))


def _references(group: Group, tree: Expr, kind: str) -> Iterator[tuple[str, Expr]]:
    """The formula with one reference replaced by the cell of the same kind on the other side."""
    kinds = {
        "ES113": [one.key for one in group.expectations],
        "ES114": list(group.ratings),
        "ES115": [one.key for one in group.changes],
    }
    present = set(tree_keys(tree, group.sheet))
    for own in kinds["ES113"]:
        for read in present:
            if read != own and read[:1] == own[:1] and read[2] == own[2]:
                yield "ES113", swapped(tree, cell_area(read), cell_area(own))
    for code, keys in kinds.items():
        for old in keys:
            if old not in present:
                continue
            for new in keys:
                if new != old:
                    yield code, swapped(tree, cell_area(old), cell_area(new))


def exchanged(tree: Expr, one: Area, two: Area) -> Expr:
    """Return a formula (absolute tree) in which two cells take each other's place."""
    hole = Area("\0", 1, 1, 1, 1, ALL_FIXED, True)
    return swapped(swapped(swapped(tree, one, hole), two, one), hole, two)


def swapped(tree: Expr, old: Area, new: Area) -> Expr:
    """Return a formula (absolute tree) with one cell read in place of another."""
    cell = (old.sheet, old.row, old.column, True)
    return with_areas(tree, lambda area: new if (area.sheet, area.row, area.column, area.single) == cell else area)


def _surplus(group: Group, tree: Expr) -> Iterator[tuple[str, Expr]]:
    """The score with the expectation taken off that was forgotten: none of the game's is read."""
    forgotten = {one.key for one in group.expectations}.isdisjoint(tree_keys(tree, group.sheet))
    for node, rebuilt in nearmiss.places(tree) if forgotten else ():
        single = isinstance(node, Area) and node.single
        rest = isinstance(node, Binary) and node.operator == "-" and node.left == Number(1.0)
        if single or rest:
            for one in group.expectations:
                yield "ES117", rebuilt(Binary("-", node, cell_area(one.key)))


def _negated(tree: Expr) -> Expr:
    if (
        isinstance(tree, Binary)
        and tree.operator == "*"
        and isinstance(tree.right, Binary)
        and tree.right.operator == "-"
    ):
        return Binary("*", tree.left, Binary("-", tree.right.right, tree.right.left))
    return Unary("-", tree)


def _k_cells(context: Context) -> list[Area]:
    """Settings that are labelled K."""
    found = []
    for sheet, cells in context.model.book.sheets.items():
        for (row, column), cell in cells.items():
            label = cells.get((row, column - 1))
            if cell.formula is not None or not isinstance(cell.value, float) or label is None or cell.value <= 1:
                continue
            if isinstance(label.value, str) and label.value.strip().casefold().startswith("k"):
                found.append(cell_area((sheet, row, column)))
    return found[:2]


def _no_change(context: Context, group: Group, target: Seen) -> Iterator[tuple[str, Expr]]:
    """A rating that is carried on: with the change that stands beside it, or with that of the other side."""
    if not isinstance(target.tree, Area):
        return
    for change in group.changes:
        yield "ES126", Binary("+", target.tree, cell_area(change.key))
        yield "ES126", Binary("-", target.tree, cell_area(change.key))
    for other in group.after:
        if other.key == target.key or not isinstance(other.tree, Binary) or other.tree.operator not in "+-":
            continue
        twins = _twins(context, group)
        for sign in "-+":
            yield "ES126", Binary(sign, target.tree, _with_twins(other.tree.right, twins, group))
        if len(group.expectations) == 2:
            one, two = (cell_area(e.key) for e in group.expectations)
            yield "ES126", Binary("-", target.tree, exchanged(other.tree.right, one, two))
    if len(group.after) == 1 and not group.changes and group.expectations:
        model = context.model
        surplus = [
            (group.sheet, group.row, column)
            for row, column in model.book.sheets[group.sheet]
            if row == group.row and (n := model.number((group.sheet, row, column))) is not None and 0 <= n <= 1
            and (group.sheet, row, column) not in {e.key for e in group.expectations}
        ]  # fmt: skip
        for k in _k_cells(context):
            for score in surplus:
                gain = Binary("*", k, Binary("-", cell_area(score), cell_area(group.expectations[0].key)))
                yield "ES126", Binary("+", target.tree, gain)


def _twins(context: Context, group: Group) -> dict[Key, Key]:
    """Cells of the game that look the same thing up for the one and for the other player, such as a K of their own."""
    model = context.model
    row = [(group.sheet, group.row, c) for r, c in model.book.sheets[group.sheet] if r == group.row]
    trees = {key: tree for key in row if (tree := model.tree(key)) is not None and not isinstance(tree, Area)}
    names = [
        key for key in row if isinstance(model.value(key), str) and any(key in tree_keys(t, "") for t in trees.values())
    ]
    found: dict[Key, Key] = {}
    for one in names:
        for two in names:
            for key, tree in trees.items():
                other = swapped(tree, cell_area(one), cell_area(two)) if one != two else tree
                twin = next((k for k, t in trees.items() if k != key and t == other), None) if other != tree else None
                if twin is not None:
                    found[key] = twin
    return found


def _with_twins(tree: Expr, twins: dict[Key, Key], group: Group) -> Expr:
    """The change of one player with the K of the other; expectations and ratings stay."""
    kept = {one.key for one in (*group.expectations, *group.after, *group.changes)} | set(group.ratings)
    for key in tree_keys(tree, group.sheet):
        if key in twins and key not in kept:
            return swapped(tree, cell_area(key), cell_area(twins[key]))
    return tree


def _expectation_edits(group: Group, target: Seen) -> Iterator[tuple[str, Expr]]:
    tree = target.tree
    if isinstance(tree, Area):
        yield "ES113", Binary("-", Number(1.0), tree)
        return
    yield from ((c, e) for c, e in nearmiss.candidates(tree) if c in ("ES101", "ES112"))
    keys = list(tree_keys(tree, group.sheet))
    for old in keys:
        for new in keys:
            if old != new:
                yield "ES113", swapped(tree, cell_area(old), cell_area(new))
    for edited in nearmiss.with_references(tree, [cell_area(key) for key in keys]):
        yield "ES113", edited
    one, two = (cell_area(rating) for rating in group.ratings)
    yield "ES101", exchanged(tree, one, two)


def _leak(context: Context, group: Group, expectations: list[Seen]) -> Proposal | None:
    """An expectation that reads a new rating of the same game."""
    gained = {one.key for one in (*group.expectations, *group.changes)}
    new = {one.key: one for one in group.after
           if one.key[1] == group.row and context.evaluator.depends(one.key, gained)}  # fmt: skip
    for seen in expectations:
        target = moved(context, seen, group.row)
        for read in tree_keys(target.tree, group.sheet):
            # Where the new rating of one round is what the next one begins with, games of a row follow each other.
            users = context.model.readers.get(target.key, ())
            if read in new and not any(read in context.model.precedents(user) for user in users):
                base = next((k for k in tree_keys(new[read].tree, group.sheet) if k in _befores(context, group)), None)
                if base is not None:
                    edited = swapped(target.tree, cell_area(read), cell_area(base))
                    return proposal_for(context, target, "ES116", edited)
    return None


def _new_for_old(context: Context, roles: Roles, group: Group) -> Proposal | None:
    """A rating before that shows the new rating of the same game's other row."""
    from elo_sheets.recognise.departures import spell

    columns = {seen.key[2]: seen for seen in group.after}
    for rating in group.ratings:
        at = roles.at(rating)
        if at is None or not at.run.down:
            continue
        repairs: dict[Key, str] = {}
        for key in at.run.cells():
            tree = context.model.tree(key)
            if (
                not isinstance(tree, Area)
                or not tree.single
                or tree.column not in columns
                or not at.run.fits(context.model, key)
            ):
                continue
            if tree.sheet != group.sheet or abs(tree.row - key[1]) != 1:
                continue
            before = next((r for r in group.ratings if r != rating and r[2] != tree.column), None)
            mate = context.model.tree((group.sheet, tree.row, rating[2]))
            back = isinstance(mate, Area) and (mate.row, mate.column) != (key[1], tree.column)
            names = back and before is not None and isinstance(mate, Area) and mate.row == key[1]
            if before is not None and names:
                repairs[key] = spell(cell_area((group.sheet, tree.row, before[2])), key[0])
        if len(repairs) > 1:
            first = next(iter(repairs.values()))
            return Proposal("ES116", tuple(repairs), repairs=repairs, fix="=" + first, rank=1)
    return None


def _befores(context: Context, group: Group) -> set[Key]:
    return {k for e in group.expectations for k in tree_keys(e.tree, group.sheet)} | set(group.ratings)


def _complements(context: Context, roles: Roles, group: Group) -> list[Proposal]:
    """Two expectations of one pairing that are the same, where they should sum to one."""
    if len(group.expectations) != 2:
        return []
    one, two = group.expectations
    a, b = roles.looker.expectation(one.key), roles.looker.expectation(two.key)
    if a is None or b is None or a.own != b.own:
        return []
    for target in (two, one):
        if isinstance(target.tree, Area):
            return [proposal_for(context, target, "ES113", Binary("-", Number(1.0), target.tree))]
    for target, part in ((two, b), (one, a)):
        for code, edited in _expectation_edits(group, target):
            new = roles.looker.expectation(target.key, {target.key: edited})
            if new is not None and new.own != part.own:
                return [proposal_for(context, target, code, edited)]
    return []
