"""The templates: TOML files that say which sheets and columns a workbook has."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

from elo_sheets.errors import UsageError
from elo_sheets.systems import Rules, System

NAMES = ("journal", "league", "event", "ratings-list", "season", "compare", "calculator", "match")


@lru_cache
def template(name: str) -> dict[str, Any]:
    """Return a template as its TOML says it; raises `UsageError` that lists the names."""
    if name not in NAMES:
        near = difflib.get_close_matches(name.lower(), NAMES, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UsageError(f"expected a template ({', '.join(NAMES)}), got {name!r}{hint}")
    text = files("elo_sheets.templates").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    form = tomllib.loads(text)
    return form | {"name": name, "sheet": [_with_borrowed(sheet) for sheet in form["sheet"]]}


def _with_borrowed(sheet: dict[str, Any]) -> dict[str, Any]:
    """Return a sheet; one that says `from = "league"` is that template's sheet of the same name, with changes.

    `of` is the name there where it is another; `more` adds columns to the borrowed ones, `without` names the roles of
    those that it does not have.
    """
    if "from" not in sheet:
        return sheet
    lender = template(sheet["from"])
    lent: dict[str, Any] = next(other for other in lender["sheet"] if other["name"] == sheet.get("of", sheet["name"]))
    left_out = sheet.get("without", ())
    columns = [column for column in lent.get("column", ()) if column["role"] not in left_out]
    own = {key: value for key, value in sheet.items() if key not in {"from", "more", "without"}}
    return lent | ({"column": columns + sheet.get("more", [])} if columns else {}) | own


def first_system(name: str) -> str:
    """Return the rating system of a template for which none is asked: the first that it holds."""
    return str(template(name)["systems"][0])


def systems_asked(name: str, asked: str | None) -> tuple[str, dict[str, str]]:
    """Return the rating system of a new book, and its options, which hold the systems of a comparison.

    `asked` is one name or several, `elo,glicko2`; None is the template's first. Raises `UsageError` for several where
    the template holds one.
    """
    names = [one.strip() for one in (asked or "").split(",") if one.strip()]
    if len(names) > 1 and "further" not in template(name):
        several = [other for other in NAMES if "further" in template(other)]
        raise UsageError(
            f"template {name} holds one rating system, got {', '.join(names)}; the template {several[0]} holds several"
        )
    return names[0] if names else first_system(name), {"systems": ",".join(names)} if len(names) > 1 else {}


def template_settings(name: str, system: Rules, given: Mapping[str, object]) -> dict[str, Any]:
    """Return a system's settings for a template, which may have a rating period of its own in place of the default."""
    form = template(name)
    values = system.settings(given)
    typed = {key.strip().lower() for key in given}
    if "period" in form and "period" not in typed and values.get("period") not in form["periods"]:
        values["period"] = form["period"]
    return values


def check_fits(name: str, system: Rules, settings: dict[str, Any]) -> System:
    """Return the system in the form that the settings choose.

    Raises `UsageError` when the template cannot hold it in that form, or not with that rating period.
    """
    from elo_sheets.workbook.build import view_of

    form = template(name)
    if system.name in form["systems"]:
        system = view_of(name).sheet_rules(system)
    if system.name not in form["systems"] or not isinstance(system, System):
        others = [other for other in NAMES if system.name in template(other)["systems"]]
        hint = f"the template {others[0]} does, and " if others else ""
        raise UsageError(
            f"template {name} holds {', '.join(form['systems'])}, not {system.name}; {hint}"
            "replay gives the numbers alone"
        )
    if settings["period"] not in form["periods"]:
        raise UsageError(f"template {name} cannot rate by {settings['period']}: leave out --set period=…")
    shaped = system.shaped(settings)
    view_of(name).check(form, shaped)
    return shaped
