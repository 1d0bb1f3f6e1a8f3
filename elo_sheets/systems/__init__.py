"""The registry of rating systems."""

from __future__ import annotations

import difflib

from elo_sheets.errors import UsageError
from elo_sheets.systems._system import Parameter, State, Step, System, needs, trace
from elo_sheets.systems.elo import ELO
from elo_sheets.systems.fide import FIDE

SYSTEMS: dict[str, System] = {system.name: system for system in (ELO, FIDE)}


def system(name: str) -> System:
    """Return the system of that name; raises `UsageError` that lists the names and the closest one."""
    found = SYSTEMS.get(name.strip().lower())
    if found is None:
        near = difflib.get_close_matches(name.lower(), SYSTEMS, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UsageError(f"expected a rating system ({', '.join(SYSTEMS)}), got {name!r}{hint}")
    return found


__all__ = ["SYSTEMS", "Parameter", "State", "Step", "System", "needs", "system", "trace"]
