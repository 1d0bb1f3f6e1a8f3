"""Lists of what the games gave: the cells that should show a player's latest rating, and those that do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from elo_sheets.expr import Expr, replaced, walk
from elo_sheets.recognise.cells import Run
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.ledgers.plans import Plan, Replayed
from elo_sheets.recognise.ledgers.replaying import CLOSE, lines_of
from elo_sheets.recognise.model import Area, Key, Model, text_of
from elo_sheets.recognise.nearmiss import candidates, places
from elo_sheets.recognise.proposals import transfer

MOST_TRIES = 200  # formulas that are tried for a list
LEAST = 3  # players of a list that a formula must put right


def lists(context: Context, replayed: Replayed, model: Model | None = None) -> tuple[set[Key], Key | None]:
    """Return the cells that should show a player's latest rating, and the first of them that shows another."""
    model = model or context.model
    plan = replayed.plan
    if plan is None:
        return set(), None
    names = _by_name(model, replayed)
    right: set[Key] = set()
    wrong: Key | None = None
    others: list[Key] = []
    for run in context.runs:
        beside = run.sheet == plan.sheet and run.first <= plan.last and run.last >= plan.first
        if not run.down or (beside and not _is_list(model, run, plan)):
            continue
        hits, misses = _shown(model, run, names)
        if len(hits) > len(misses):
            right |= {*hits, *misses}
            wrong = wrong or (misses[0] if misses else None)
        elif misses and any(area.sheet == plan.sheet for area in model.areas(misses[0])):
            others.append(misses[0])
    return right, wrong or (others[0] if others and not right else None)


def _by_name(model: Model, replayed: Replayed) -> dict[str, float]:
    plan = replayed.plan
    assert plan is not None
    if not plan.lines:
        return {owner: value for owner, value in replayed.state.items() if isinstance(owner, str)}
    return {name: replayed.state[line] for name, line in lines_of(model, plan).items() if line in replayed.state}


def _shown(model: Model, run: Run, names: Mapping[str, float]) -> tuple[list[Key], list[Key]]:
    hits: list[Key] = []
    misses: list[Key] = []
    for key in run.cells():
        number = model.number(key)
        if key not in model.forms or number is None or abs(number) < 50:
            continue
        name = next(_names_left(model, key), None)
        if name is None or name not in names:
            continue
        near = abs(number - names[name]) <= CLOSE or (number == round(names[name]) and number.is_integer())
        (hits if near else misses).append(key)
    return hits, misses


def _is_list(model: Model, run: Run, plan: Plan) -> bool:
    """Whether a column beside the games has a name of its own in each row, each once: a list of the players."""
    games = {leaf.owner for phase in plan.phases for leaf in phase.leaves if leaf.kind == "name"} | set(plan.names)
    names: set[str] = set()
    columns: set[int] = set()
    for key in run.cells():
        if model.number(key) is None:
            continue
        column, name = next(_texts_left(model, key), (0, ""))
        columns.add(column)
        if not name or name in names or len(columns) > 1 or column in games:
            return False
        names.add(name)
    return bool(names)


def _names_left(model: Model, key: Key) -> Iterator[str]:
    return (name for _, name in _texts_left(model, key))


def _texts_left(model: Model, key: Key) -> Iterator[tuple[int, str]]:
    """The texts to the left of a cell, the nearest first, each with its column."""
    for column in range(key[2] - 1, max(0, key[2] - 12), -1):
        text = text_of(model, (key[0], key[1], column))
        if text:
            yield column, text.strip().casefold()


def mended_lists(context: Context, replayed: Replayed, wrong: Key) -> Iterator[Proposal]:
    """The formula that shows every player's latest rating, for a list that shows another in all of its cells.

    Tried are the known slips undone, and other columns of the games in the place of those that are read.
    """
    model = context.model
    run = next(run for run in context.runs if run.down and wrong in run.cells())
    names = _by_name(model, replayed)
    due = {key: names[name] for key in run.cells() if run.fits(model, key)
           and (name := next(_names_left(model, key), None)) in names and name is not None}  # fmt: skip
    first = next(iter(due), None)
    old = None if first is None else model.tree(first)
    if first is None or old is None or len(due) < LEAST:
        return
    for code, tree in islice(_edits(context, replayed, old), MOST_TRIES):
        trees: dict[Key, Expr] = {}
        for key, number in due.items():
            present = model.tree(key)
            moved = None if present is None else transfer(old, tree, present, first, key)
            shown = None if moved is None else context.evaluator.tree_value(moved, key, {})
            if moved is None or not isinstance(shown, (int, float)) or abs(shown - number) > CLOSE:
                break
            trees[key] = moved
        if len(trees) == len(due):
            texts = {key: spell_anchored(model, key, one) for key, one in trees.items() if one != model.tree(key)}
            yield Proposal(code, tuple(texts), repairs=texts, fix="=" + texts[next(iter(texts))], rank=2)
            return


def _edits(context: Context, replayed: Replayed, tree: Expr) -> Iterator[tuple[str, Expr]]:
    yield from candidates(tree)
    areas = [node for node in dict.fromkeys(walk(tree)) if isinstance(node, Area) and node.column == node.right]
    games = [node for node in areas if node.sheet == replayed.sheet and not node.single]
    plan = replayed.plan
    columns = {node.column for node in games}
    for phase in plan.phases if plan is not None else ():
        columns |= {one.run.line for one in phase.after} | {run.line for one in phase.after for run, _ in one.gains}
        columns |= {leaf.owner for leaf in phase.leaves if leaf.kind == "name"}
    for node in games:
        for column in sorted(columns - {node.column}):
            other = Area(node.sheet, node.row, column, node.bottom, column, node.fixed, False)
            yield "ES106", replaced(tree, node, other)
    for node, rebuilt in _in_one_place(tree, games):
        for column in sorted(columns - {node.column}):
            yield "ES106", rebuilt(Area(node.sheet, node.row, column, node.bottom, column, node.fixed, False))


def _in_one_place(tree: Expr, games: list[Area]) -> Iterator[tuple[Area, Callable[[Expr], Expr]]]:
    """Where a column of the games stands in a formula that reads it several times."""
    often = [area for area in games if walk(tree).count(area) > 1]
    yield from ((node, rebuilt) for node, rebuilt in places(tree) if isinstance(node, Area) and node in often)


def misnamed(context: Context, replayed: Replayed) -> Iterator[Proposal]:
    """Cells that show the latest rating of one player, and stand beside the name of another."""
    model, plan, names = context.model, replayed.plan, _by_name(context.model, replayed)
    lines = {line: name for name, line in lines_of(model, plan).items()} if plan is not None and plan.lines else {}
    whose = {
        key: str(lines.get(owner, owner)) if isinstance(owner, int) else owner for owner, key in replayed.last.items()
    }
    wrong: dict[Key, tuple[Key, str]] = {}
    for key, form in model.forms.items():
        tree = model.tree(key) if isinstance(form.tree, Area) and form.tree.single else None
        owner = whose.get(_source(tree, key)) if isinstance(tree, Area) else None
        beside = next(((column, text) for column, text in _texts_left(model, key) if text in names), None)
        if owner in names and beside is not None and beside[1] != owner and key[0] != replayed.sheet:
            wrong[key[0], key[1], beside[0]] = key, owner
    if wrong:
        (name, (cell, owner)) = next(iter(wrong.items()))
        spelt = {str(text_of(model, one)).strip().casefold(): str(model.value(one)) for one in wrong}
        told = f"{str(model.value(name))!r} stands beside the rating of {spelt.get(owner, owner)!r}"
        due, found = names[str(text_of(model, name)).strip().casefold()], model.number(cell)
        both = (*wrong, *(key for key, _ in wrong.values()))
        yield Proposal("ES213", both, told, expected=due, found=found, effect=0.0, confidence="proven", rank=1)


def _source(tree: Area, key: Key) -> Key:
    return (tree.sheet or key[0], tree.row, tree.column)


__all__ = ["lists", "mended_lists", "misnamed"]
