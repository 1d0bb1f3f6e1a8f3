"""The templates: TOML files that say which sheets and columns a workbook has."""

from __future__ import annotations

import difflib
import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Any

from elo_sheets.errors import UsageError
from elo_sheets.systems import Rules, System, lines

NAMES = ("journal", "league")


@lru_cache
def template(name: str) -> dict[str, Any]:
    """Return a template as its TOML says it; raises `UsageError` that lists the names."""
    if name not in NAMES:
        near = difflib.get_close_matches(name.lower(), NAMES, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UsageError(f"expected a template ({', '.join(NAMES)}), got {name!r}{hint}")
    text = files("elo_sheets.templates").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text) | {"name": name}


# What the sheets of every template can offer to a step, besides states, settings and other steps.
_OFFERED = {"score", "side", "neutral", "date", "year", "opponent_rating", "period_games"}


def check_fits(name: str, system: Rules, settings: dict[str, Any]) -> System:
    """Return the system in the form that the settings choose.

    Raises `UsageError` when the template cannot hold it in that form, or not with that rating period.
    """
    form = template(name)
    if system.name not in form["systems"] or not isinstance(system, System):
        others = [other for other in NAMES if system.name in template(other)["systems"]]
        hint = f"use --template {others[0]}, or " if others else "use "
        raise UsageError(
            f"template {name} holds {', '.join(form['systems'])}, not {system.name}; {hint}replay for the numbers alone"
        )
    if settings["period"] not in form["periods"]:
        raise UsageError(f"template {name} cannot rate by {settings['period']}: leave out --set period=…")
    shaped = system.shaped(settings)
    states = {state.name for state in shaped.state}
    known = _OFFERED | states | {p.name for p in shaped.parameters} | {line.name for line in shaped.lines}
    known |= {f"period_{total}" for total in shaped.sums}
    missing = shaped.reads - known
    # A pool's sheets hold ratings as the start plus the changes so far.
    summed = states == {"rating"} and [line.reads for line in lines(shaped.closing)] == [("rating", "period_change")]
    if missing or shaped.opening or (form["view"] == "pool" and not summed):
        what = ", ".join(sorted(missing)) or "more than a rating that changes game by game"
        raise UsageError(
            f"template {name} cannot hold system {system.name} with these settings, which need {what}; "
            "use replay for the numbers"
        )
    return shaped
