"""The view of each template, and whether it holds a rating system in the form that its settings choose."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any

from elo_sheets.errors import UsageError
from elo_sheets.replaying.settings import forming
from elo_sheets.systems import OF_SIDES, Rules, System, system
from elo_sheets.workbook.needs import fitting, lacking
from elo_sheets.workbook.templates import NAMES, template, template_settings
from elo_sheets.workbook.view import View

# Where the sheets of a template's `view` are built.
VIEWS = {
    "match": "elo_sheets.workbook.match.view:MatchView",
    "calculator": "elo_sheets.workbook.calculators.view:CalculatorView",
    "compare": "elo_sheets.workbook.comparison.view:CompareView",
    "event": "elo_sheets.workbook.event.view:EventView",
    "journal": "elo_sheets.workbook.journal.view:JournalView",
    "ratings-list": "elo_sheets.workbook.lists.view:RatingsListView",
    "pool": "elo_sheets.workbook.league.view:LeagueView",
    "season": "elo_sheets.workbook.season.view:SeasonView",
    "sides": "elo_sheets.workbook.sides.view:SidesView",
}


def view_of(name: str) -> type[View]:
    """Return the class that builds the sheets of a template."""
    module, _, found = VIEWS[template(name)["view"]].partition(":")
    view: type[View] = getattr(import_module(module), found)
    return view


def holds_sides(name: str) -> bool:
    """Return whether the games of a template have teams, or many players each for himself."""
    return bool(template(name)["view"] == "sides")


def ledger_rows(name: str) -> int:
    """Return how many rows of the Ledger a game of a template has."""
    if holds_sides(name):
        sides, size = template(name)["shape"]
        return int(sides * size)
    return view_of(name).rows_a_game


def fitting_systems(name: str) -> tuple[str, ...]:
    """Return the names of the built-in systems that a template holds with their default settings."""
    return _fitting(name) if name in NAMES else _fitting.__wrapped__(name)


@lru_cache
def _fitting(name: str) -> tuple[str, ...]:
    sided = holds_sides(name)

    def fits(rules: Rules) -> bool:
        try:
            rules = system(f"{rules.name}{OF_SIDES}") if sided else rules
            check_fits(name, rules, template_settings(name, rules, {}), others=False)
        except UsageError:
            return False
        return True

    return fitting(template(name), fits)


def first_without_points(name: str) -> str | None:
    """Return the first built-in system that a template holds and that needs no points of a game; None without one."""

    def reads(rules: Rules) -> set[str]:
        return check_fits(name, rules, template_settings(name, rules, {})).reads

    return next((one for one in fitting_systems(name) if "points" not in reads(system(one))), None)


def check_fits(name: str, system: Rules, settings: Mapping[str, Any], *, others: bool = True) -> System:
    """Return the system in the form that the settings choose.

    Raises `UsageError` with the reason when the template cannot hold it in that form, or not with that rating period;
    it names what fits where `others` is left.
    """
    form = template(name)
    reason = lacking(form, system)
    if reason:
        raise UsageError(f"template {name} {reason}{_instead(name, system) if others else ''}")
    system = view_of(name).sheet_rules(system)
    assert isinstance(system, System)
    if settings["period"] not in form["periods"]:
        raise UsageError(f"template {name} cannot rate by {settings['period']}: leave out --set period=…")
    shaped = system.shaped(settings)
    try:
        view_of(name).check(form, shaped)
    except UsageError as error:
        chosen = [f"{setting}={settings[setting]}" for setting in forming(system, settings)]
        raise UsageError(f"{error} ({', '.join(chosen)})" if chosen else str(error)) from None
    return shaped


def _instead(name: str, system: Rules) -> str:
    """Return what a template holds instead, and which template holds the system."""
    holding = [other for other in NAMES if not lacking(template(other), system)]
    hint = f"the template {holding[0]} holds {system.name}, and " if holding else ""
    held = "" if "rules" in template(name) else f"; {name} holds {', '.join(fitting_systems(name))}"
    return f"{held}; {hint}replay gives the numbers alone"
