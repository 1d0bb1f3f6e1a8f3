"""What a rating system is, as plain data: for `systems`, for the pages of the documentation, for a program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elo_sheets.expr import Expr
from elo_sheets.formula import to_formula
from elo_sheets.replaying.settings import resolve
from elo_sheets.systems import Fit, JointSystem, Repeat, Rules, System, trace

KINDS = {System: "steps", JointSystem: "joint", Fit: "fit"}


def describe(system: Rules, settings: Mapping[str, object] | None = None) -> dict[str, Any]:
    """Return a system as a record: name, title, about, kind, state, parameters, steps, sums, deviations, sources, and
    the weights by kind of match, or None where it has no table of them.

    Each step has its `phase` (opening, game, forecast, closing; part for systems with code of their own), column name,
    label and formula. `settings` choose the form of the rule. Raises `UsageError` for a setting that does not exist.
    """
    values = resolve(system, settings)
    kind = next(name for kind, name in KINDS.items() if isinstance(system, kind))
    if isinstance(system, System):
        system = system.shaped(values)
    return {
        "name": system.name,
        "title": system.title,
        "about": system.about,
        "kind": kind,
        "state": [{"name": s.name, "initial": s.initial} for s in getattr(system, "state", ())],
        "parameters": [
            {
                "name": p.name,
                "label": p.label,
                "default": p.shown(),
                "value": values[p.name],
                "choices": list(p.choices),
                "meaning": p.meaning,
                "per_player": p.per_player,
                "source": p.source,
                "unofficial": p.unofficial,
            }
            for p in system.parameters
        ],
        "steps": [
            {"phase": phase, "name": name, "label": system.label(name), "formula": to_formula(expr)}
            for phase, name, expr in parts(system)
        ],
        "sums": list(getattr(system, "sums", ())),
        "weights": _weights(system),
        "deviations": list(system.deviations),
        "sources": list(system.sources),
    }


def _weights(system: Rules) -> dict[str, Any] | None:
    """Return what a system's matches weigh by their competitions, or None where it has no table of them."""
    if system.weights is None:
        return None
    weights = system.weights
    named = weights.competitions.items()
    kinds = [
        {"kind": kind, "weight": weight, "competitions": [name for name, of in named if of == kind]}
        for kind, weight in weights.kinds.items()
    ]
    return {"symbol": weights.symbol, "source": weights.source, "kinds": kinds}


def parts(system: Rules) -> list[tuple[str, str, Expr]]:
    """Return the steps of a system with their phase, name and expression; of an iteration its first and next values."""
    if isinstance(system, (JointSystem, Fit)):
        return [("part", step.__name__, trace(step)) for step in system.steps]
    assert isinstance(system, System)
    found: list[tuple[str, str, Expr]] = []
    for phase in ("opening", "game", "forecast", "closing"):
        for step in getattr(system, phase):
            if not isinstance(step, Repeat):
                found.append((phase, step.__name__, trace(step)))
                continue
            found += [(phase, f"{s.__name__}, first", trace(s)) for s in step.start]
            turns = f"next, {step.count} times" if step.done is None else "next"
            found += [(phase, f"{s.__name__}, {turns}", trace(s)) for s in step.steps]
            if step.done is not None:
                found.append((phase, f"done, at the latest after {step.count} rounds", trace(step.done)))
    return found
