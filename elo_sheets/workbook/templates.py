"""The templates: TOML files that say which sheets and columns a workbook has."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from elo_sheets.errors import UsageError
from elo_sheets.replaying.settings import TEMPLATE, Settings, by_system, called, resolve
from elo_sheets.shipped import shipped_data
from elo_sheets.systems import Rules, systems_named
from elo_sheets.workbook.needs import check_words
from elo_sheets.workbook.own.rules import refuse_one_name
from elo_sheets.workbook.own.templates import SUFFIX, own_template

NAMES = ("journal", "league", "event", "ratings-list", "season", "compare", "calculator", "match")


# Templates for games of teams and of many: of a table, and of a league by the sizes of its sides.
OF_SIDES = "table"
# What `elo-sheets templates` lists: a league of larger teams has the same sheets.
LISTED = (*NAMES, "league-2x2", OF_SIDES)
_OF_TEAMS = re.compile(r"league-([2-4])x([2-4])")


def is_built_in_template(name: str) -> bool:
    """Return whether a name is that of a template of ours, those for games of sides among them."""
    return name in NAMES or name == OF_SIDES or _OF_TEAMS.fullmatch(name) is not None


def template_of_sides(name: str, sides: str | None) -> str:
    """Return the template for teams of a size such as `2x2`, the name itself without one.

    Raises `UsageError` for a size that no template has, or a template that has no sizes.
    """
    if sides is None:
        return name
    found = _OF_TEAMS.fullmatch(f"league-{sides.strip().lower()}")
    if found is None or found[1] != found[2]:
        raise UsageError(
            f"expected the sides as 2x2, 3x3 or 4x4, got {sides!r}; the template {OF_SIDES} has tables of many"
        )
    if name != "league":
        raise UsageError(f"--sides is for the template league, not for {name}: leave it out")
    return found[0]


def template(name: str) -> dict[str, Any]:
    """Return a template as its TOML says it: a built-in one by name, one's own by the path of its file.

    Raises `UsageError` that lists the names, or says what is wrong in the file and in which line.
    """
    return own_template(name, _built_in, ", ".join(NAMES)) if name.endswith(SUFFIX) else _built_in(name)


@lru_cache
def _built_in(name: str) -> dict[str, Any]:
    teams = _OF_TEAMS.fullmatch(name)
    if not is_built_in_template(name):
        near = difflib.get_close_matches(name.lower(), NAMES, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UsageError(f"expected a template ({', '.join((*NAMES, OF_SIDES))}, or a TOML file), got {name!r}{hint}")
    file = "sides" if teams else name
    form: dict[str, Any] = shipped_data(f"templates/{file}.toml")
    if teams:
        form |= {"shape": [2, int(teams[1])]}
    check_words(form, name)
    return form | {"name": name, "sheet": [_with_borrowed(_spelled_out(sheet)) for sheet in form["sheet"]]}


def _spelled_out(sheet: dict[str, Any]) -> dict[str, Any]:
    """Return a sheet in which a column that says `columns` gives way to these, which have what else it says."""
    if "column" not in sheet:
        return sheet
    found: list[dict[str, Any]] = []
    for column in sheet["column"]:
        common = {key: value for key, value in column.items() if key != "columns"}
        found += [common | one for one in column["columns"]] if "columns" in column else [column]
    return sheet | {"column": found}


def _with_borrowed(sheet: dict[str, Any]) -> dict[str, Any]:
    """Return a sheet; one that says `from = "league"` is that template's sheet of the same name, with changes.

    `of` is the name there where it is another; `more` adds columns to the borrowed ones, `without` names the roles of
    those that it does not have.
    """
    if "from" not in sheet:
        return sheet
    lender = template("league-2x2" if sheet["from"] == "sides" else sheet["from"])
    lent: dict[str, Any] = next(other for other in lender["sheet"] if other["name"] == sheet.get("of", sheet["name"]))
    left_out = sheet.get("without", ())
    columns = [column for column in lent.get("column", ()) if column.get("role") not in left_out]
    own = {key: value for key, value in sheet.items() if key not in {"from", "more", "without"}}
    return lent | ({"column": columns + sheet.get("more", [])} if columns else {}) | own


def first_system(name: str) -> str:
    """Return the rating system of a template for which none is asked: the first that it holds."""
    return str(template(name)["first"])


def systems_asked(name: str, asked: str | Rules | None) -> tuple[tuple[Rules, ...], dict[str, str]]:
    """Return the rating systems of a new book, and its options, which name the systems of a comparison.

    `asked` is a system, one name or several, `elo,glicko2`; None is the template's first. Raises `UsageError` for
    several where the template holds one.
    """
    found = systems_named(asked or first_system(name))
    if template(name)["view"] == "sides":
        from elo_sheets.systems.sides import of_sides

        found = tuple(map(of_sides, found))
    if len(found) > 1 and "further" not in template(name):
        several = [other for other in NAMES if "further" in template(other)]
        names = ", ".join(one.name for one in found)
        raise UsageError(
            f"template {name} holds one rating system, got {names}; the template {several[0]} holds several"
        )
    refuse_one_name(found)
    return found, {"systems": ",".join(one.name for one in found)} if len(found) > 1 else {}


def settings_asked(
    name: str, systems: Sequence[Rules], given: Mapping[str, object]
) -> tuple[dict[str, object], dict[str, str]]:
    """Return the settings of a new book's first system, and its options with those of the others, `glicko2.tau`.

    A name without a system is the first one's. Raises `UsageError` for a setting that its system does not have, or that
    would change nothing.
    """
    first, *further = systems
    of_one = {key: value for key, value in given.items() if "." in key}
    own, _ = by_system(systems, of_one)
    plain = {key: value for key, value in given.items() if key not in of_one}
    taken = {called(first, key): key for key in own[0]}
    options: dict[str, str] = {}
    for system, values in zip(further, own[1:], strict=True):
        template_settings(name, system, values)
        options |= {f"{system.name}.{called(system, key)}": str(value) for key, value in values.items()}
        if any(p.files and f"{system.name}.{p.name}" in options for p in system.parameters):
            raise UsageError(f"the weights of matches are those of {first.name}, the first system of the comparison")
    left = {key: value for key, value in plain.items() if called(first, key) not in taken}
    return left | own[0], options


def template_settings(name: str, system: Rules, given: Mapping[str, object]) -> Settings:
    """Return a system's settings for a template, which may have a rating period of its own in place of the default."""
    from elo_sheets.replaying.sided import resolve_sides

    form = template(name)
    found = resolve_sides(system, given)[1] if form["view"] == "sides" else resolve(system, given)
    if "period" in found.typed and found["period"] not in form.get("typed_periods", form["periods"]):
        raise UsageError(
            f"template {name} cannot rate by {found['period']}{form.get('why_periods', '')}: leave out --set period=…"
        )
    if "period" in form and found.get("period") not in form["periods"]:
        return found.but(TEMPLATE, {"period": form["period"]})
    return found
