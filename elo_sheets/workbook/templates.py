"""The templates: TOML files that say which sheets and columns a workbook has."""

from __future__ import annotations

import difflib
import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Any

from elo_sheets.errors import UsageError
from elo_sheets.systems import System

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


def check_fits(name: str, system: System, settings: dict[str, Any]) -> None:
    """Raise `UsageError` when the template cannot hold the system, or not with that rating period."""
    form = template(name)
    if system.name not in form["systems"]:
        raise UsageError(
            f"template {name} rates game by game and holds {', '.join(form['systems'])}, not {system.name}; "
            "use --template journal, or replay for the numbers alone"
        )
    if settings["period"] not in form["periods"]:
        raise UsageError(f"template {name} cannot rate by {settings['period']}: leave out --set period=…")
