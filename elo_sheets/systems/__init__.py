"""The registry of rating systems: ours, those that other packages bring, and a user's own file."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from elo_sheets.errors import UsageError
from elo_sheets.own_file import run_file
from elo_sheets.systems._facts import Facts, facts_of, step
from elo_sheets.systems._system import (
    GAME_INPUTS,
    PERIOD_INPUTS,
    Fit,
    JointSystem,
    Line,
    Parameter,
    PeriodGames,
    Repeat,
    Rules,
    State,
    Step,
    System,
    called,
    lines,
    needs,
    period_parameter,
    trace,
)

# Where each rule is, in the module of its name as a rule: it is imported when it is asked for.
_NAMES = (
    "elo fide uschess ecf ecf-grade dwz ingo egf aga world-football fifa nba nfl tennis glicko glicko2 lichess "
    "trueskill weng-lin bradley-terry bayeselo chessmetrics whr"
).split()
PLACES = {name: (name.replace("-", "_"), name.replace("-", "_").upper()) for name in _NAMES}
PLACES |= {"ecf-grade": ("ecf", "ECF_GRADE"), "glicko2": ("glicko2", "GLICKO_2")}


class Registry(Mapping[str, Rules]):
    """Our systems by their names."""

    def __getitem__(self, name: str) -> Rules:
        module, attribute = PLACES[name]
        found: Rules = getattr(importlib.import_module(f"{__name__}.{module}"), attribute)
        return found

    def __contains__(self, name: object) -> bool:
        return name in PLACES

    def __iter__(self) -> Iterator[str]:
        return iter(PLACES)

    def __len__(self) -> int:
        return len(PLACES)


SYSTEMS: Mapping[str, Rules] = Registry()

# What ends the name of a system's form for games of teams and tables of many, `elo/sides`.
OF_SIDES = "/sides"

# Packages offer systems under this group of entry points: name = "module:SYSTEM".
ENTRY_POINTS = "elo_sheets.systems"

# Algorithms that are asked for by name and are not public.
NOT_PUBLIC = {
    "chess.com": "Chess.com's constants are not published: take glicko, whose family it is, with --set for yours",
    "utr": "the algorithm of UTR is not public: elo with a margin, or a fit such as whr, comes nearest",
}


def system(name: str | Rules) -> Rules:
    """Return the system of that name, of an installed package, or of a file: `path.py:NAME`; a system as it is.

    Raises `UsageError` that lists the names and the closest one, or says what is wrong with the file. A file's code is
    run, so name only files that you trust.

    >>> system("glicko2").title
    'Glicko-2'
    """
    if isinstance(name, Rules):
        return name
    path, colon, attribute = name.rpartition(":")
    if colon and path.endswith(".py"):
        return _from_file(Path(path), attribute)
    found = SYSTEMS.get(name.strip().lower())
    if found is not None:
        return found
    if name.strip().lower().endswith(OF_SIDES) and name.strip().lower().removesuffix(OF_SIDES) in SYSTEMS:
        form: Rules = importlib.import_module(f"{__name__}.sides").of_sides(system(name.strip()[: -len(OF_SIDES)]))
        return form
    if name.strip().lower() in NOT_PUBLIC:
        raise UsageError(NOT_PUBLIC[name.strip().lower()])
    from importlib.metadata import entry_points

    for point in entry_points(group=ENTRY_POINTS):
        if point.name == name.strip():
            return _checked(point.load(), f"entry point {point.name}")
    near = difflib.get_close_matches(name.lower(), SYSTEMS, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise UsageError(f"expected a rating system ({', '.join(SYSTEMS)}, or FILE.py:NAME), got {name!r}{hint}")


def systems_named(asked: str | Rules | None) -> tuple[Rules, ...]:
    """Return a system as it is, or those of a text such as `elo,my.py:MY`; none for None."""
    if isinstance(asked, Rules):
        return (asked,)
    return tuple(system(name.strip()) for name in (asked or "").split(",") if name.strip())


def _from_file(path: Path, attribute: str) -> Rules:
    module = run_file(path, "rating system")
    if not hasattr(module, attribute):
        names = [key for key, value in vars(module).items() if isinstance(value, Rules)]
        raise UsageError(f"{path} has no {attribute!r}; it defines {', '.join(names) or 'no rating system'}")
    found = _checked(getattr(module, attribute), f"{path}:{attribute}")
    if is_built_in(found):
        return SYSTEMS[found.name]
    try:
        if isinstance(found, System):
            for line in (*found.lines, *lines(found.forecast)):
                line.trace()
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None
    return replace(found, origin=f"{path.name}:{attribute}")


def is_built_in(rules: Rules) -> bool:
    """Return whether a system is one of `SYSTEMS`, or equal to it in all: the name alone says nothing.

    >>> is_built_in(replace(SYSTEMS["elo"], labels={}))
    False
    """
    rules = getattr(rules, "base", rules)  # a form for games of sides is as built in as the rule it is made of
    known = SYSTEMS.get(rules.name)
    return known is rules or known == rules


def _checked(found: object, where: str) -> Rules:
    if not isinstance(found, Rules):
        raise UsageError(f"expected a System, JointSystem or Fit in {where}, got {type(found).__name__}")
    return found


__all__ = [
    "GAME_INPUTS",
    "PERIOD_INPUTS",
    "SYSTEMS",
    "Facts",
    "Fit",
    "JointSystem",
    "Line",
    "Parameter",
    "PeriodGames",
    "Repeat",
    "Rules",
    "State",
    "Step",
    "System",
    "called",
    "facts_of",
    "is_built_in",
    "lines",
    "needs",
    "period_parameter",
    "step",
    "system",
    "systems_named",
    "trace",
]
