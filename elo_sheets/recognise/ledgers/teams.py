"""Partners: the expectation compares ratings of teams, and each partner's own rating takes the change."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import replace

from elo_sheets.expr import Expr, Number, replaced, walk
from elo_sheets.files.package import Value
from elo_sheets.recognise.behind import cone, inputs
from elo_sheets.recognise.model import Area, Key, Model, cell_area
from elo_sheets.recognise.parts import Part, Prober

STEP = 64.0
LEAST_RATING = 5.0


def members_of(prober: Prober, team: Key, formulas: Mapping[Key, Expr]) -> tuple[Key, ...]:
    """The typed ratings of which a cell is the sum or a mean; nothing when it is none of two and more."""
    found = weights_of(prober, team, formulas)
    return tuple(found) if len(found) >= 2 else ()


def weights_of(prober: Prober, team: Key, formulas: Mapping[Key, Expr]) -> dict[Key, float]:
    """The typed ratings of which a cell is a weighted sum, and the weight of each."""
    model = prober.model
    leaves = inputs(model, team, dict(formulas))
    here = prober.evaluator.number(team, {}, formulas)
    if team not in model.forms or leaves is None or here is None:
        return {}
    typed = {
        leaf: number for leaf in leaves if (number := model.number(leaf)) is not None and abs(number) > LEAST_RATING
    }
    found = {}
    for leaf, number in typed.items():
        rises = [
            up - here
            for far in (STEP, 2 * STEP)
            if (up := prober.evaluator.number(team, {leaf: number + far}, formulas)) is not None
        ]
        if len(rises) == 2 and rises[0] > 1e-6 and abs(rises[1] - 2 * rises[0]) < 1e-6:
            found[leaf] = round(rises[0] / STEP, 9)
    return found


def uneven_teams(prober: Prober, parts: Mapping[Key, Part], formulas: Mapping[Key, Expr]) -> dict[Key, Expr]:
    """Return the formulas of teams that leave a partner out, or add up where the other team takes the mean, mended."""
    model, found = prober.model, dict[Key, Expr]()
    for part in parts.values():
        if part.kind != "E" or not {part.own, part.other} <= set(model.forms) or part.own[0] != part.other[0]:
            continue
        weights = {team: weights_of(prober, team, formulas) for team in (part.own, part.other)}
        for bad, good in ((part.own, part.other), (part.other, part.own)):
            tree = _as_the_other(model, bad, good, weights)
            if tree is not None:
                found[bad] = tree
    return found


def _as_the_other(model: Model, bad: Key, good: Key, weights: Mapping[Key, Mapping[Key, float]]) -> Expr | None:
    """The formula of a team as that of the other team has it, where it does less; None where the two are alike."""
    tree, own = model.tree(good), model.tree(bad)
    mine, others = weights[bad], weights[good]
    if tree is None or own is None or isinstance(own, Area) or not mine or len(others) < 2:
        return None
    rows, columns = bad[1] - good[1], bad[2] - good[2]
    moved = {(k[0], k[1] + rows, k[2] + columns) for k in others}
    if not set(mine) <= moved or any((model.number(k) or 0) <= LEAST_RATING for k in moved):
        return None
    adds_up = abs(sum(others.values()) - 1) < 1e-6 < abs(sum(mine.values()) - 1)
    if len(mine) == len(others) and not adds_up:
        return None
    for area in [n for n in walk(tree) if isinstance(n, Area)]:
        if any(area.row <= k[1] <= area.bottom and area.column <= k[2] <= area.right for k in others):
            tree = replaced(tree, area, _shifted(area, rows, columns))
    return tree


def _shifted(area: Area, rows: int, columns: int) -> Area:
    return dataclasses.replace(
        area, row=area.row + rows, bottom=area.bottom + rows, column=area.column + columns, right=area.right + columns
    )


def forgotten_partners(model: Model, parts: Mapping[Key, Part], teams: Iterable[tuple[Key, ...]]) -> dict[Key, Expr]:
    """Return the new ratings that start from a partner's rating a second time, each from the one that is left out."""
    found = dict[Key, Expr]()
    for members in teams:
        news = sorted(part.key for part in parts.values() if part.kind == "N" and part.member in members)
        if len(news) != len(members):
            continue
        for key, member in zip(news, sorted(members), strict=True):
            taken, tree = parts[key].member, model.tree(key)
            if taken is None or taken == member or tree is None or any(parts[k].member == member for k in news):
                continue
            found[key] = replaced(tree, cell_area(taken), cell_area(member))
    return found


def partner(
    prober: Prober, key: Key, expectation: Part, teams: Mapping[Key, tuple[Key, ...]], formulas: Mapping[Key, Expr]
) -> Part | None:
    """Return a cell as the new rating of a member of one of the two teams that an expectation compares."""
    own, other = expectation.own, expectation.other
    formulas = {key: tree for key, tree in formulas.items() if key not in (own, other)}  # what a team is rated is given
    for member in (one for team in (own, other) for one in teams[team]):
        if not _starts_from(prober, key, member, (own, other), formulas):
            continue
        part = prober.analyse(key, {**formulas, member: Number(0.0)}, {own, other})
        if part is not None and part.kind == "D":
            base = own if member in teams[own] else other
            return replace(part, kind="N", base=base, member=member)
    return None


def _starts_from(prober: Prober, key: Key, member: Key, held: Iterable[Key], formulas: Mapping[Key, Expr]) -> bool:
    """Whether a cell rises with a rating, point by point, while the ratings of the teams are held."""
    number = prober.model.number(member)
    fixed: dict[Key, Value] = {team: prober.evaluator.number(team, {}, formulas) for team in held}
    here = prober.evaluator.number(key, fixed, formulas)
    if number is None or here is None:
        return False
    there = prober.evaluator.number(key, {**fixed, member: number + STEP}, formulas)
    return there is not None and abs(there - here - STEP) < 1e-6


def with_partners(
    prober: Prober, parts: dict[Key, Part], formulas: Mapping[Key, Expr]
) -> tuple[dict[Key, Part], dict[Key, tuple[Key, ...]]]:
    """Return the parts with the new ratings of partners among them, and the teams with their members."""
    model = prober.model
    pairs = [part for part in parts.values() if part.kind == "E" and {part.own, part.other} <= set(model.forms)]
    teams = {
        team: members
        for team in dict.fromkeys(key for part in pairs for key in (part.own, part.other))
        if (members := members_of(prober, team, formulas))
    }
    pairs = [part for part in pairs if part.own in teams and part.other in teams]
    found = dict(parts)
    for key in model.forms if pairs else ():
        behind = cone(model, key)
        expectation = next((part for part in pairs if part.key in behind[1:] and part.key != key), None)
        if expectation is None or (key in parts and parts[key].kind == "E"):
            continue
        part = partner(prober, key, expectation, teams, formulas)
        if part is not None:
            found[key] = part
    return found, teams
