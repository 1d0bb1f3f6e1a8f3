"""Logs and pools: the games of a ledger with roles, judged as they are booked."""

from __future__ import annotations

from collections.abc import Iterator

from elo_sheets.detective.names import name_columns
from elo_sheets.recognise.context import Context, Proposal, RoleCells, Sheetwork
from elo_sheets.recognise.data_faults import Inputs, data_faults, typed
from elo_sheets.recognise.forms import form_faults
from elo_sheets.recognise.given import apply_given, given_cells
from elo_sheets.recognise.ledgers.before import Side, look_up_faults, sides_of
from elo_sheets.recognise.ledgers.columns import column_faults
from elo_sheets.recognise.ledgers.explained import explained_sheets
from elo_sheets.recognise.ledgers.facts import facts_of
from elo_sheets.recognise.ledgers.groups import Group, groups
from elo_sheets.recognise.ledgers.links import linked_columns
from elo_sheets.recognise.ledgers.lists import lists, mended_lists, misnamed
from elo_sheets.recognise.ledgers.mending import wrong_ways
from elo_sheets.recognise.ledgers.plans import Plan, Replayed
from elo_sheets.recognise.ledgers.rankings import by_place, list_ratings, ranking_faults
from elo_sheets.recognise.ledgers.replaying import replay
from elo_sheets.recognise.ledgers.steps import step_faults
from elo_sheets.recognise.ledgers.tails import frozen, unfilled
from elo_sheets.recognise.model import Key, Model, range_text
from elo_sheets.recognise.predictions.entries import entry_faults
from elo_sheets.recognise.repeated import players_columns, players_faults
from elo_sheets.recognise.roles import Looker, Roles, Seen, find_roles
from elo_sheets.recognise.settings import setting_faults


def recognise(context: Context) -> Sheetwork | None:
    """Return what a running ledger, or a part of one, is made of; None when nothing in the book compares ratings."""
    looker = Looker(context.evaluator)
    roles = find_roles(context.model, looker, context.runs, {key[:2] for key in suspect_keys(context)})
    given = given_cells(context)
    refused = apply_given(roles, given)
    replays = replay(context, roles, given)
    explained = explained_sheets(context, replays)
    faults = column_faults(context, roles, [*explained, *(one.sheet for one in replays if one.reason is None)])
    games = groups(context, roles, {})
    shaped = form_faults(context, roles, games)
    if not any(roles.of_kind(kind) for kind in "END") and not faults and not shaped:
        return Sheetwork("unknown", reason=refused[0]) if refused else None
    work = Sheetwork(_layout(context, games))
    for seen in roles.seen:
        role = _role(seen, games)
        if role:
            cells = tuple(key for key in seen.run.cells() if key in context.model.forms)
            work.roles.append(RoleCells(role, cells))
            if role == "R":
                work.ratings.update(key for key in seen.run.cells() if context.model.cell(key) is not None)
                work.ratings.update(_typed_above(context, seen.run.key(seen.run.first)) if seen.run.down else ())
    _inputs(context, games, work)
    work.proposals += faults
    work.proposals += shaped
    stepping, work.excused = step_faults(context)
    work.proposals += stepping
    for game in games:
        sides = sides_of(context, roles, game)
        if game.after or any(one.plan is not None and one.plan.lines and one.sheet == game.sheet for one in replays):
            work.proposals += unfilled(context, game)
            work.proposals += frozen(context, game)
        if game.after:
            work.ratings |= list_ratings(context, game, sides)
            work.proposals += ranking_faults(context, game)
        inputs = _typed_inputs(context, game, sides)
        work.proposals += data_faults(context, inputs)
    work.replays = replays
    _replayed(context, work)
    if refused:
        work.replayed, work.reason = False, refused[0]
    siblings: list[Proposal] = []
    for columns in players_columns(context.model):
        work.ratings.update(key for cells in columns for key in (*_typed_above(context, cells[0]), *cells))
        siblings += players_faults(context, columns, role_map(work))
    work.proposals += siblings
    work.facts.update(facts_of(context, roles, work.replays))
    for one in work.replays:
        if one.plan is not None and one.plan.lines:
            work.proposals += _ends(context, games, one.sheet)
        if one.plan is not None:
            typed_wrong = data_faults(context, _planned_inputs(context, one.plan))
            linked = linked_columns(context.model, one.sheet)
            work.excused |= {key for key in context.model.forms if key[0] == one.sheet and key[2] in linked}
            work.proposals += typed_wrong
            work.proposals += setting_faults(context, one.plan)
            right = one.reason is None or one.sheet in explained
            asked = not right and not faults and not one.plan.lines and not typed_wrong
            if asked and not _is_of_teams(context.model, one.plan):
                work.proposals += look_up_faults(context, one.plan)
        elif not any(p.repairs for p in (*faults, *shaped)):
            work.proposals += entry_faults(context)
            work.proposals += [] if siblings else wrong_ways(context, roles, one.sheet, given)
    return work


def _ends(context: Context, games: list[Group], sheet: str) -> Iterator[Proposal]:
    """What is wrong above and below the formulas of a sheet with a column for each player."""
    for game in games:
        if game.sheet == sheet and not game.after:
            yield from unfilled(context, game)
            yield from frozen(context, game)


def _replayed(context: Context, work: Sheetwork) -> None:
    """Say of the book what came of the replays."""
    failed = next((one for one in work.replays if one.reason is not None), None)
    for one in work.replays:
        work.listed += one.games
        work.rated += one.games
        if one.reason is None:
            shown, wrong = lists(context, one)
            work.ratings |= one.rated | {key for key in shown if not by_place(context, key)}
            work.proposals += mended_lists(context, one, wrong) if wrong is not None else ()
            work.proposals += misnamed(context, one)
            if wrong is not None and failed is None:
                failed = Replayed(
                    one.sheet, reason=f"{range_text([wrong])} shows another rating than the last game gave"
                )
        if one.plan is not None:
            _as_planned(context, one.plan, work)
    if failed is not None:
        work.reason = failed.reason
    work.replayed = bool(work.replays) and failed is None
    if work.replayed:
        context.replayed |= {one.sheet for one in work.replays}
        context.settled |= work.ratings


def _is_of_teams(model: Model, plan: Plan) -> bool:
    """Whether a rating before is that of several players, as the mean of two partners is: no player's latest."""
    row = plan.phases[0].row
    keys = (leaf.key(plan.sheet, row) for leaf in plan.phases[0].leaves if leaf.kind == "name")
    return any(len(name_columns(model, key, row)) > 1 for key in keys)


def _as_planned(context: Context, plan: Plan, work: Sheetwork) -> None:
    """Let the roles of a ledger's sheet be those that its replay went by."""
    model, rows = context.model, range(plan.first, plan.last + 1)
    leaves = [leaf for phase in plan.phases for leaf in phase.leaves if leaf.kind != "line"]
    columns = {
        "R": {one.run.line for phase in plan.phases for one in phase.after if not one.gains} | set(plan.lines),
        "D": {run.line for phase in plan.phases for one in phase.after for run, _ in one.gains},
        "B": {leaf.column for leaf in leaves if leaf.kind != "typed" and leaf.down == 0},
        "O": {leaf.column for leaf in leaves if leaf.kind == "typed"},
        "P": {leaf.owner for leaf in leaves if leaf.kind == "name" and leaf.down == 0} | set(plan.names),
    }
    k = plan.k_from
    if k is not None and k[0] == plan.sheet and k[1] in rows:
        columns["K"] = {k[2]}
    shown = {("R", c) for c in columns["R"]} | {("B", c) for c in columns["B"]}
    work.roles = [
        one for one in work.roles
        if one.cells[0][0] != plan.sheet or one.role not in ("R", "B", "O") or (one.role, one.cells[0][2]) in shown
    ]  # fmt: skip
    known = {(one.role, *one.cells[0][::2]) for one in work.roles}
    for role, found in columns.items():
        for column in sorted(found):
            cells = tuple(k for row in rows if model.cell(k := (plan.sheet, row, column)) is not None)
            if cells and (role, plan.sheet, column) not in known:
                work.roles.append(RoleCells(role, cells, "replay"))
    if work.layout in ("unknown", "log", "pool") and not plan.lines:
        work.layout = "pool" if columns["P"] or len(columns["R"]) > 1 else "log"


def _typed_inputs(context: Context, game: Group, sides: list[Side]) -> Inputs:
    """Where the names, scores and ratings of a ledger are typed."""
    model = context.model
    run = game.expectations[0].run
    rows = range(run.first, run.last + 1)
    inputs = Inputs()

    def column(sheet: str, number: int) -> list[Key]:
        return [typed(model, (sheet, row, number)) for row in rows]

    for name in dict.fromkeys(side.name for side in sides if side.name is not None):
        inputs.names.append(column(game.sheet, name))
    for score in dict.fromkeys(side.score for side in sides if side.score is not None):
        source = typed(model, score)
        if source not in model.forms:
            of_kind = inputs.numbers if model.counts(source) and score[1] == game.row else inputs.scores
            of_kind.append(column(score[0], score[2]) if score[1] == game.row else [])
    inputs.scores = [c for c in inputs.scores if len(set(c)) > 1]  # what all games show is a setting
    inputs.scored = bool(inputs.scores)
    for rating in game.ratings:
        if rating not in model.forms and rating[1] == game.row:
            inputs.ratings.append(column(rating[0], rating[2]))
    inputs.names += _more_names(context, game, inputs, list(rows))
    return inputs


def _planned_inputs(context: Context, plan: Plan) -> Inputs:
    """Where a replayed sheet's names, scores and opponents' ratings are typed."""
    model, rows = context.model, range(plan.first, plan.last + 1)
    leaves = [leaf for phase in plan.phases for leaf in phase.leaves if leaf.down == 0]
    names = {leaf.owner for leaf in leaves if leaf.kind == "name"} | set(plan.names)
    inputs = Inputs()

    def column(number: int) -> list[Key]:
        return [typed(model, (plan.sheet, row, number)) for row in rows]

    inputs.names = [column(number) for number in sorted(names)]
    inputs.ratings = [column(leaf.column) for leaf in leaves if leaf.kind == "typed"]
    cells = [(plan.sheet, plan.last, one.run.line) for phase in plan.phases for one in phase.after]
    cells += [(plan.sheet, plan.last, line) for line in plan.lines]
    cells += [(plan.sheet, plan.last, p.expectation.line) for p in plan.phases if p.expectation is not None]
    read = {area.column for cell in cells for key in _row_cells(model, cell) for area in model.areas(key)
            if area.single and area.row == plan.last and area.sheet == plan.sheet}  # fmt: skip
    for number in sorted(read - names):
        keys = column(number)
        filled = [key for key in keys if model.value(key) not in (None, "")]  # games to come have none yet
        numbers = [n for key in filled if key not in model.forms and (n := model.number(key)) is not None]
        if len(numbers) > 0.8 * len(filled) and sum(n in (0, 0.5, 1) for n in numbers) >= max(3, 0.8 * len(numbers)):
            inputs.scores.append(keys)
        elif len(numbers) > 0.8 * len(filled):
            inputs.numbers.append(keys)
    inputs.scored = bool(inputs.scores)
    return inputs


def _row_cells(model: Model, key: Key, depth: int = 4) -> list[Key]:
    """A cell, and the formulas of its row that it follows from."""
    found, edge = {key: None}, [key]
    for _ in range(depth):
        reads = [(a.sheet or k[0], a.row, a.column) for k in edge for a in model.areas(k) if a.single]
        edge = [k for k in reads if k not in found and k[:2] == key[:2] and k in model.forms]
        found.update(dict.fromkeys(edge))
    return list(found)


def _more_names(context: Context, game: Group, inputs: Inputs, rows: list[int]) -> list[list[Key]]:
    """Other typed columns of the ledger that hold the same names."""
    model = context.model
    known = {model.value(key) for column in inputs.names for key in column}
    if not known:
        return []
    taken = {key[2] for column in inputs.names for key in column if key[0] == game.sheet}
    found = []
    for column in sorted({c for r, c in model.book.sheets[game.sheet] if r == game.row} - taken):
        keys = [(game.sheet, row, column) for row in rows]
        texts = [v for key in keys if isinstance(v := model.value(key), str) and key not in model.forms]
        if len(texts) > 0.8 * len(rows) and sum(t in known for t in texts) > 0.8 * len(texts):
            found.append(keys)
    return found


def suspect_keys(context: Context) -> list[Key]:
    """The cells that depart from their runs."""
    return [suspect.key for suspect in context.suspects]


def _layout(context: Context, games: list[Group]) -> str:
    after = [g for g in games if g.after]
    if any(len(g.after) == 2 for g in after):
        return "pool"
    return "log" if after else "unknown"


def _role(seen: Seen, games: list[Group]) -> str | None:
    line = (seen.run.sheet, seen.run.line)
    for game in games:
        if line in {(one.run.sheet, one.run.line) for one in game.after}:
            return "R"
        if seen.key[2] in {k[2] for k in game.ratings if k[0] == seen.run.sheet} and seen.run.sheet == game.sheet:
            return "B"
    if seen.part is None:
        return None
    return {"E": "E", "D": "D", "N": "R"}[seen.part.kind]


def _typed_above(context: Context, first: Key) -> Iterator[Key]:
    """The numbers that stand directly above a cell: ratings that were frozen, or typed to start from."""
    row = first[1] - 1
    while context.model.number(key := (first[0], row, first[2])) is not None:
        yield key
        row -= 1


def _inputs(context: Context, games: list[Group], work: Sheetwork) -> None:
    """The columns that are typed: opponents' ratings."""
    for game in games:
        for rating in game.ratings:
            if rating not in context.model.forms:
                run = game.expectations[0].run
                cells = tuple((rating[0], row, rating[2]) for row in range(run.first, run.last + 1))
                work.roles.append(RoleCells("O", cells))


def role_map(work: Sheetwork) -> dict[Key, str]:
    """The role letter of each cell."""
    return {key: one.role for one in work.roles for key in one.cells}


__all__ = ["Roles", "recognise", "role_map"]
