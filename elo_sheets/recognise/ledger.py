"""Logs and pools: the games of a ledger with roles, judged as they are booked."""

from __future__ import annotations

from elo_sheets.recognise.before import Side, before_faults, play, sides_of
from elo_sheets.recognise.booking import Group, groups
from elo_sheets.recognise.columns import column_faults
from elo_sheets.recognise.context import Context, RoleCells, Sheetwork
from elo_sheets.recognise.data_faults import Inputs, data_faults, typed
from elo_sheets.recognise.forms import form_faults
from elo_sheets.recognise.model import Key
from elo_sheets.recognise.roles import Looker, Roles, Seen, find_roles


def recognise(context: Context) -> Sheetwork | None:
    """Return what a running ledger, or a part of one, is made of; None when nothing in the book compares ratings."""
    looker = Looker(context.evaluator)
    roles = find_roles(context.model, looker, context.runs)
    faults = column_faults(context, roles)
    if not roles.of_kind("E") and not faults:
        return None
    games = groups(context, roles, {})
    work = Sheetwork(_layout(context, games))
    for seen in roles.seen:
        role = _role(seen, games)
        if role:
            cells = tuple(key for key in seen.run.keys() if key in context.model.forms)
            work.roles.append(RoleCells(role, cells))
            if role == "R":
                work.ratings.update(cells)
    _inputs(context, games, work)
    work.facts.update(_facts(roles))
    work.proposals += faults
    work.proposals += form_faults(context, roles, games)
    for game in games:
        sides = sides_of(context, roles, game)
        played = play(context, game, sides)
        if played is not None:
            work.proposals += before_faults(context, game, played)
        inputs = _typed_inputs(context, game, sides)
        work.proposals += data_faults(context, inputs)
    return work


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
            inputs.scores.append(column(score[0], score[2]) if score[1] == game.row else [])
    inputs.scores = [c for c in inputs.scores if c]
    inputs.scored = bool(inputs.scores)
    for rating in game.ratings:
        if rating not in model.forms and rating[1] == game.row:
            inputs.ratings.append(column(rating[0], rating[2]))
    return inputs


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


def _inputs(context: Context, games: list[Group], work: Sheetwork) -> None:
    """The columns that are typed: opponents' ratings."""
    for game in games:
        for rating in game.ratings:
            if rating not in context.model.forms:
                run = game.expectations[0].run
                cells = tuple((rating[0], row, rating[2]) for row in range(run.first, run.last + 1))
                work.roles.append(RoleCells("O", cells))


def _facts(roles: Roles) -> dict[str, object]:
    facts: dict[str, object] = {}
    expectations = [s.part for s in roles.of_kind("E") if s.part is not None]
    if expectations:
        scale = expectations[0].curve.scale
        facts["curve"] = "logistic" if scale else "another curve"
        if scale:
            facts["scale"] = scale
        if expectations[0].curve.advantage:
            facts["advantage"] = expectations[0].curve.advantage
    for seen in (*roles.of_kind("D"), *roles.of_kind("N")):
        if seen.part is not None and seen.part.k:
            facts.setdefault("k", round(seen.part.k, 9))
    return facts


def role_map(work: Sheetwork) -> dict[Key, str]:
    """The role letter of each cell."""
    return {key: one.role for one in work.roles for key in one.cells}


__all__ = ["Roles", "recognise", "role_map"]
