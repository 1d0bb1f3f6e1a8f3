"""Partners: the expectation compares ratings of teams, and each partner's own rating takes the change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from elo_sheets.expr import Expr, Number
from elo_sheets.package import Value
from elo_sheets.recognise.model import Key
from elo_sheets.recognise.parts import Part, Prober, cone, inputs

STEP = 64.0


def members_of(prober: Prober, team: Key, formulas: Mapping[Key, Expr]) -> tuple[Key, ...]:
    """The typed ratings of which a cell is the sum or a mean; nothing when it is none of two and more."""
    model = prober.model
    leaves = inputs(model, team, dict(formulas))
    here = model.number(team)
    if team not in model.forms or leaves is None or here is None:
        return ()
    typed = {leaf: number for leaf in leaves if (number := model.number(leaf)) is not None and abs(number) > 5}
    found = []
    for leaf, number in typed.items():
        rises = [
            up - here
            for far in (STEP, 2 * STEP)
            if (up := prober.evaluator.number(team, {leaf: number + far}, formulas)) is not None
        ]
        if len(rises) == 2 and rises[0] > 1e-6 and abs(rises[1] - 2 * rises[0]) < 1e-6:
            found.append(leaf)
    return tuple(found) if len(found) >= 2 else ()


def partner(
    prober: Prober, key: Key, expectation: Part, teams: Mapping[Key, tuple[Key, ...]], formulas: Mapping[Key, Expr]
) -> Part | None:
    """Return a cell as the new rating of a member of one of the two teams that an expectation compares."""
    own, other = expectation.own, expectation.other
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
    fixed: dict[Key, Value] = {team: prober.model.number(team) for team in held}
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
