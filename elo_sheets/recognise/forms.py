"""Faults that a run's formula shows by itself: anchors lost, hidden floors, terms for one player, K rules inverted."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from elo_sheets.expr import Binary, Call, Expr, Number, Text, replaced, walk
from elo_sheets.files.package import CellError, column_letters, sheet_text
from elo_sheets.recognise import nearmiss
from elo_sheets.recognise.byes import UNPLAYED
from elo_sheets.recognise.cells import Run
from elo_sheets.recognise.context import WARNING, Context, Proposal
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.ledgers.groups import Group
from elo_sheets.recognise.model import ALL_FIXED, Area, Key, Model, area_of, at_cell, cell_area
from elo_sheets.recognise.proposals import proposal_for
from elo_sheets.recognise.roles import Roles, Seen, has_power, update_of

MOST_RESULTS = 4  # texts of a column that holds results, with its header
SOME_TEXTS = 4
ORDERS = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
FEW = 6
STEPS = 4  # formulas between a remark and what the game gives


def form_faults(context: Context, roles: Roles, games: list[Group]) -> list[Proposal]:
    """Return what the formulas of whole runs show to be wrong, without replaying anything."""
    found: list[Proposal] = []
    for seen in roles.seen:
        found += _drift(context, seen)
        for phase in phases(context, seen):
            found += _player_term(context, phase)
        found += _inverted(context, roles, seen)
        mended = half_points(seen.tree)
        if mended is not None:
            found.append(proposal_for(context, seen, "ES104", mended))
    found += _repointed(context)
    for game in games:
        for seen in game.after:
            found += _floor(context, seen)
        found += _unread_k(context, roles, game)
        found += _forfeits(context, game)
        found += _fixed_line(context, game)
    return found


def phases(context: Context, seen: Seen) -> list[Seen]:
    """The run seen in a cell of each of its phases, its representative first."""
    run, model = seen.run, context.model
    found = [seen]
    for phase in range(run.period):
        keys = [run.key(at) for at in range(run.first, run.last + 1) if run.turn(at) == phase]
        late = next((key for key in keys[len(keys) // 2 :] if run.fits(model, key)), None)
        tree = model.tree(late) if late is not None and run.pattern(late) is not run.pattern(seen.key) else None
        if late is not None and tree is not None:
            found.append(Seen(run, late, None, tree))
    return found


# --- anchors ------------------------------------------------------------------------------------------------


def _drift(context: Context, seen: Seen) -> Iterator[Proposal]:
    """A reference that moves down with the rows from a setting into whatever stands below it."""
    run, model = seen.run, context.model
    if not run.down or run.period != 1:
        return
    pattern = run.patterns[0]
    if pattern is None or pattern.form is None:
        return
    own = [key for key in run.cells() if run.fits(model, key)]
    if len(own) < FEW:
        return
    for area in pattern.form.areas:
        if not area.single or area.fixed & 1:
            continue
        places = [(area.sheet or run.sheet, p.row, p.column) for key in own for p in (area.at(key[1], key[2]),)]
        beside = (run.sheet, run.last, area.at(own[-1][1], own[-1][2]).column)
        if area.sheet is None and area.row >= -1 and model.cell(beside) is not None:
            continue
        if not _leaves_setting(context, places, run):
            continue
        repairs_tree = {}
        fixed = cell_area(places[0])
        for key, place in zip(own, places, strict=True):
            tree = at_cell(pattern.form.tree, key)
            wrong = cell_area(place)
            repairs_tree[key] = replaced(tree, wrong, fixed)
        yield _as_proposal(context, "ES124", repairs_tree, own)


def _leaves_setting(context: Context, places: list[Key], run: Run) -> bool:
    """Whether the first place holds a number with a label beside it, and the later ones something else."""
    model = context.model
    first = model.cell(places[0])
    if first is None or first.formula is not None or model.number(places[0]) is None:
        return False
    sheet, row, column = places[0]
    label = model.value((sheet, row, column - 1)) if column > 1 else None
    above = model.value((sheet, row - 1, column)) if row > 1 else None
    if not isinstance(label, str) and not isinstance(above, str):
        return False
    numbers = [number for place in places[1:] if (number := model.number(place)) is not None]
    if len(numbers) >= len(places) / 2 and min(numbers) / 2 <= (model.number(places[0]) or 0.0) <= 2 * max(numbers):
        return False  # a column of entries, some of them wrong or still to come
    early = [model.value(place) for place in places[1:FEW]]
    return any(value is None or isinstance(value, str) for value in early)


def _as_proposal(context: Context, code: str, trees: dict[Key, Expr], cells: list[Key]) -> Proposal:
    repairs = {key: spell_anchored(context.model, key, tree) for key, tree in trees.items()}
    first = next(iter(repairs.values()), None)
    # the first row is right as it is: its neighbours drift
    return Proposal(code, tuple(cells), repairs=repairs, fix=f"={first}" if first else None, rank=1)


def _fixed_line(context: Context, game: Group) -> Iterator[Proposal]:
    """A rating before that is looked up in a fixed row, while the ratings of a matrix move down with the games."""
    model = context.model
    for rating in game.ratings:
        form = model.forms.get(rating)
        if form is None or rating[0] != game.sheet:
            continue
        for area in form.areas:
            placed = area.at(rating[1], rating[2])
            wide = placed.row == placed.bottom and placed.right > placed.column and area.sheet is None
            if not wide or placed.row >= rating[1] - 1:
                continue
            if model.number((rating[0], placed.row, placed.column)) is None:
                continue  # a line of names that MATCH searches
            below = (rating[0], placed.row + 1, placed.column)
            if area.fixed & 1 and below in model.forms and (rating[0], rating[1] - 1, placed.column) in model.forms:
                yield from _moved_line(context, rating, placed)


def _moved_line(context: Context, rating: Key, area: Area) -> Iterator[Proposal]:
    model = context.model
    cells = [
        (rating[0], row, rating[2])
        for row in range(area.row + 1, model.columns[rating[0], rating[2]][-1] + 1)
        if (rating[0], row, rating[2]) in model.forms
    ]
    fixed = Area(rating[0], area.row, area.column, area.bottom, area.right, ALL_FIXED, False)
    trees: dict[Key, Expr] = {}
    for key in cells:
        tree = model.tree(key)
        if tree is None or not any(node == fixed for node in walk(tree)):
            continue
        moved = Area(rating[0], key[1] - 1, area.column, key[1] - 1, area.right, ALL_FIXED, False)
        trees[key] = replaced(tree, fixed, moved)
    if len(trees) > 2:
        yield _as_proposal(context, "ES124", trees, list(trees))


# --- limits and terms ---------------------------------------------------------------------------------------


def _floor(context: Context, seen: Seen) -> Iterator[Proposal]:
    """A new rating held by a number that stands in the formula alone."""
    tree = seen.tree
    if not isinstance(tree, Call) or tree.function not in ("MAX", "MIN"):
        return
    limits = [a.value for a in tree.arguments if isinstance(a, Number)]
    inner = [a for a in tree.arguments if a is not None and not isinstance(a, Number)]
    if len(limits) != 1 or len(inner) != 1:
        return
    limit = limits[0]
    held = [key for key in seen.run.cells() if (n := context.model.number(key)) is not None and abs(n - limit) < 1e-9]
    if limit % 100 == 0 and len(held) <= 1:
        return
    severity = WARNING if not held else "error"
    proposal = proposal_for(context, seen, "ES118", inner[0])
    yield Proposal(
        "ES118", proposal.cells, proposal.message, proposal.repairs, severity=severity, fix=proposal.fix, rank=1
    )


def _player_term(context: Context, seen: Seen) -> Iterator[Proposal]:
    """A factor or summand for one name."""
    kept: list[Expr] = []
    compared = _compared(seen.tree)
    for node in walk(seen.tree):
        if not isinstance(node, Call) or node.function != "IF" or not node.arguments:
            continue
        condition = node.arguments[0]
        if condition is None or any(isinstance(one, Text) for one in node.arguments[1:]):
            continue  # where nobody plays, nothing is shown
        texts = [n.value for n in walk(condition) if isinstance(n, Text) and n.value and not _FORFEIT.search(n.value)]
        cells = [n for n in walk(condition) if isinstance(n, Area) and n.single]
        if not texts or not cells:
            continue
        if any(len(compared[cell]) > 1 for cell in cells):
            continue  # several results, told apart
        if not any(_is_name(context, text, cell, seen.run) for text in texts for cell in cells):
            continue
        for code, edited in nearmiss.candidates(seen.tree):
            if code == "ES119" and node not in walk(edited):
                kept.append(edited)
        if kept:
            yield proposal_for(context, seen, "ES119", max(kept, key=lambda tree: len(walk(tree))))
            return


def _compared(tree: Expr) -> dict[Expr, set[str]]:
    """The texts that each cell is compared with."""
    found: dict[Expr, set[str]] = defaultdict(set)
    for node in walk(tree):
        for one, other in ((node.left, node.right), (node.right, node.left)) if isinstance(node, Binary) else ():
            if isinstance(other, Text) and other.value:
                for cell in walk(one):
                    if isinstance(cell, Area):
                        found[cell].add(other.value)
    return found


def _is_name(context: Context, text: str, cell: Area, run: Run) -> bool:
    """Whether a text is one of many in the column of a cell, or of some that stand in another column too.

    Events and rounds are fewer than the players, of whom other columns have more.
    """
    sheet = cell.sheet or ""
    rows = range(run.first - 1, run.last + 1) if run.down and sheet in ("", run.sheet) else None
    values = _texts(context, sheet, cell.column, rows)
    if text.casefold() not in values or len(values) < SOME_TEXTS:
        return False
    others = {column for _, column in context.model.book.sheets.get(sheet, {})} - {cell.column}
    texts = [_texts(context, sheet, column, rows) for column in others]
    alike = (values & one for one in texts)
    many = len(values) > max(MOST_RESULTS, *map(len, texts), 0)
    return many or any(text.casefold() in both and len(both) >= SOME_TEXTS - 1 for both in alike)


def _texts(context: Context, sheet: str, column: int, rows: range | None) -> set[str]:
    """The different texts of a column in some rows, its header among them."""
    used = context.model.columns.get((sheet, column), [])
    values = (context.model.value((sheet, row, column)) for row in used if rows is None or row in rows)
    return {v.casefold() for v in values if isinstance(v, str) and not isinstance(v, CellError)}


# --- K ------------------------------------------------------------------------------------------------------


def _inverted(context: Context, roles: Roles, seen: Seen) -> Iterator[Proposal]:
    """A K that grows with the games played or with the rating."""
    if seen.part is not None and seen.part.kind == "E":
        return
    for node, rebuilt in nearmiss.places(seen.tree):
        if not isinstance(node, Call) or node.function != "IF" or len(node.arguments) != 3:
            continue
        condition, yes, no = node.arguments
        if not isinstance(condition, Binary) or condition.operator not in ORDERS:
            continue
        first, second = _constant(context, yes), _constant(context, no)
        if first is None or second is None or min(first, second) < 2 or max(first, second) > 200 or first == second:
            continue
        if isinstance(condition.right, Number):
            number, operator = condition.right.value, condition.operator
        elif isinstance(condition.left, Number):
            number, operator = condition.left.value, ORDERS[condition.operator]
        else:
            limit = _constant(context, condition.right)
            if limit is None:
                continue
            number, operator = limit, condition.operator
        if not (5 <= number <= 100 or number >= 1000):
            continue
        low, high = (first, second) if operator in ("<", "<=") else (second, first)
        if high > low and _is_k(roles, seen):
            turned = Binary(ORDERS[condition.operator], condition.left, condition.right)
            yield proposal_for(context, seen, "ES120", rebuilt(Call("IF", (turned, yes, no))))
            return


def _constant(context: Context, node: Expr | None) -> float | None:
    if isinstance(node, Number):
        return node.value
    if (
        isinstance(node, Area)
        and node.single
        and (key := (node.sheet or "", node.row, node.column)) not in context.model.forms
    ):
        return context.model.number(key)
    return None


def _is_k(roles: Roles, seen: Seen) -> bool:
    """Whether changes or new ratings multiply by the run's cells, or the run is a change itself."""
    if seen.part is not None:
        return True
    for other in roles.seen:
        if other.part is None or other.part.kind == "E":
            continue
        for node in walk(other.tree):
            if isinstance(node, Binary) and node.operator == "*":
                for side in (node.left, node.right):
                    if isinstance(side, Area) and side.column == seen.key[2] and side.sheet == seen.key[0]:
                        return True
            if isinstance(node, Call) and any(
                isinstance(n, Area) and n.column <= seen.key[2] <= n.right and n.sheet == seen.key[0] and not n.single
                for n in walk(node)
            ):
                return True
    # a list of players from which the ledger looks K up
    return any(
        isinstance(n, Area) and not n.single and n.sheet == seen.key[0] and n.column <= seen.key[2] <= n.right
        for other in roles.seen
        if other.key[0] != seen.key[0]
        for n in walk(other.tree)
    )


def _unread_k(context: Context, roles: Roles, game: Group) -> Iterator[Proposal]:
    """A K of a side that nothing reads, while the side's new rating takes the other K or a typed number."""
    runs = [
        seen for seen in roles.seen
        if seen.run.sheet == game.sheet and seen.run.down and seen.part is None and _looks_like_k(context, seen)
    ]  # fmt: skip
    targets = [*game.after, *game.changes]
    read = {node.column for t in targets for node in walk(t.tree) if isinstance(node, Area) and node.single}
    lone = [seen for seen in runs if seen.key[2] not in read and not _read_at_all(context, roles, seen)]
    if len(lone) != 1:
        return
    spare = cell_area((game.sheet, game.row, lone[0].key[2]))
    ks = {seen.key[2] for seen in runs}
    if len(ks) > 1:  # one K for each side: the target that should read this one is that of the same side
        users = [t for t in targets if any(isinstance(n, Area) and n.single and n.column in ks for n in walk(t.tree))]
        order = sorted(ks).index(lone[0].key[2])
        target = users[order] if order < len(users) else None
        if target is not None:
            for edited in nearmiss.with_references(target.tree, [spare]):
                used = [n for n in walk(target.tree) if isinstance(n, Area) and n not in walk(edited)]
                if used and used[0].column in ks:
                    yield proposal_for(context, target, "ES120", edited)
                    return
        return
    for target in targets:
        if (part := update_of(roles, target.key)) is None:
            continue
        for node, rebuilt in nearmiss.places(target.tree):
            if isinstance(node, Number) and abs(node.value - part.k) < 1e-9:
                yield proposal_for(context, target, "ES120", rebuilt(spare))
                return


def _looks_like_k(context: Context, seen: Seen) -> bool:
    number = context.model.number(seen.key)
    if number is None or not 2 <= number <= 250:
        return False
    header = context.model.header(seen.run.key(seen.run.first)).casefold()
    return header.startswith("k") and len(header) < 12


def _read_at_all(context: Context, roles: Roles, seen: Seen) -> bool:
    return any(
        isinstance(n, Area) and n.sheet == seen.key[0] and n.column <= seen.key[2] <= n.right
        for other in roles.seen
        if other is not seen
        for n in walk(other.tree)
    )


# --- names, draws, forfeits ---------------------------------------------------------------------------------

_K_NAME = re.compile(r"k([_. ]?(factor|faktor|wert|value|used))?$", re.I)
_FORFEIT = re.compile(rf"\b({UNPLAYED})\b", re.I)


def half_points(tree: Expr) -> Expr | None:
    """Return the formula with the draws that it counts whole counted half; None when it counts none whole.

    Where a win is worth two or three points, a draw is worth one.
    """
    times = (one for n in walk(tree) if isinstance(n, Binary) and n.operator == "*" for one in (n.left, n.right))
    if any(isinstance(one, Number) and one.value > 1 for one in times):
        return None
    halves = {id(s) for n in walk(tree) if isinstance(n, Binary) and n.operator in "*/" for s in (n.left, n.right)}
    for node, rebuilt in nearmiss.places(tree):
        counts = isinstance(node, Call) and node.function in ("COUNTIF", "COUNTIFS")
        if (
            counts
            and isinstance(node, Call)
            and id(node) not in halves
            and Number(0.5) in node.arguments[1::2] + node.arguments[3::2]
        ):
            wins = any(
                isinstance(n, Call) and n.function == node.function and n is not node and Number(1.0) in n.arguments
                for n in walk(tree)
            )
            if wins:
                return rebuilt(Binary("*", Number(0.5), node))
    return None


def _repointed(context: Context) -> Iterator[Proposal]:
    """A name that says K and points beside the cell that is labelled K."""
    book = context.model.book
    for name, target in book.names.items():
        if not _K_NAME.fullmatch(name):
            continue
        area = area_of(target.removeprefix("="), 1, 1)
        if area is None or not area.single or area.sheet is None:
            continue
        at = area.at(1, 1)
        key = (area.sheet, at.row, at.column)
        if _label(context, key)[:1].casefold() == "k" or not _label(context, key):
            continue
        for other in (area.sheet, *book.sheets):
            for place, cell in book.sheets.get(other, {}).items():
                where = (other, *place)
                if cell.formula is None and isinstance(cell.value, float) and _K_NAME.fullmatch(_label(context, where)):
                    text = f"{sheet_text(other)}!${column_letters(place[1])}${place[0]}"
                    message = f"the name {name} points to the cell labelled {_label(context, key)!r}, not to K"
                    yield Proposal("ES204", (key,), message, names={name: text}, rank=0)
                    return


def _label(context: Context, key: Key) -> str:
    value = context.model.value((key[0], key[1], key[2] - 1)) if key[2] > 1 else None
    return value.strip() if isinstance(value, str) and not isinstance(value, CellError) else ""


def _is_rated(context: Context, game: Group, remark: Key) -> bool:
    """Whether the game of a remark expects a result and, where it shows what is gained, shows anything but nothing.

    Of games side by side it is the one that reads the remark.
    """
    model, (sheet, row, _) = context.model, remark
    in_row = [(sheet, row, column) for at, column in model.book.sheets[sheet] if at == row]
    curves = [key for key in in_row if key in model.forms and has_power(model.forms[key].tree)]
    steps = {key: found for key in curves if (found := _steps(model, key, remark)) is not None}
    reading = {key for key, found in steps.items() if found == min(steps.values())}
    expected, gains = (
        {(sheet, row, one.key[2]) for one in cells if one.key[0] == sheet}
        for cells in (game.expectations, game.changes)
    )
    if reading:
        expected &= reading
        gains = {key for key in gains if any(_steps(model, key, one) is not None for one in expected)}
    gains = gains or {one for key in expected for one in model.readers.get(key, ()) if one[:2] == (sheet, row)}
    usual = (one for key in expected for one in model.readers.get((sheet, game.row, key[2]), ()))
    typed = {(sheet, row, one[2]) for one in usual if one[:2] == (sheet, game.row)} - {*model.forms}
    if any(model.number(key) == 0 for key in typed):
        return False
    gained = [model.number(key) for key in gains]
    return any(model.number(key) is not None for key in expected) and (not gained or any(gained))


def _steps(model: Model, key: Key, leaf: Key) -> int | None:
    """How many formulas of its row lie between a cell and one that it follows from by plain references; or None."""
    edge = {key}
    for found in range(STEPS):
        if leaf in edge:
            return found
        areas = [(one, area) for one in edge for area in model.areas(one) if area.single and area.row == key[1]]
        edge = {(area.sheet or one[0], area.row, area.column) for one, area in areas}
    return None


def _forfeits(context: Context, game: Group) -> Iterator[Proposal]:
    """A game that a remark calls a forfeit, and that is rated all the same."""
    run = game.expectations[0].run
    columns: dict[str, set[int]] = {}
    texts = {
        place: cell.value for place, cell in context.model.book.sheets[game.sheet].items()
        if run.first <= place[0] <= run.last and cell.formula is None and isinstance(cell.value, str)
    }  # fmt: skip
    for (_, column), text in texts.items():
        columns.setdefault(text, set()).add(column)
    for (row, column), text in texts.items():
        key, is_a_player = (game.sheet, row, column), len(columns[text]) > 1 and _FORFEIT.fullmatch(text) is None
        if _FORFEIT.search(text) and len(text) < 40 and not is_a_player and _is_rated(context, game, key):
            yield Proposal("ES417", (key,), severity=WARNING, effect=0.0, found=text, rank=1)
