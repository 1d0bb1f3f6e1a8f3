"""One ledger of settings: the value of each for the question asked, and where that value came from.

Every verb and template asks `resolve` and hands on what it returns: a setting that is given is used, or refused by
name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import combinations
from typing import Any

from elo_sheets._late import pd
from elo_sheets.errors import UsageError
from elo_sheets.expr import Expr
from elo_sheets.replaying.starting import PUBLISHED, Starts, as_settings
from elo_sheets.systems import Parameter, Rules, System

# Where a value came from: the user, the log, a fit to it, the template, what a rated player is taken for, the system,
# the sport, the day.
TYPED, LOG, FITTED, TEMPLATE, SETTLED, DEFAULT = "typed", "log", "fitted", "template", "settled", "default"
PROFILE, DAY = "profile", "day"


@dataclass(frozen=True)
class Settings(Mapping[str, Any]):
    """A value for every setting of a system, and the origin of each.

    >>> from elo_sheets.systems import system
    >>> found = resolve(system("elo"), {"K_factor": 32})
    >>> found["k"], found.origins["k"], found.origins["scale"]
    (32.0, 'typed', 'default')
    """

    held: Mapping[str, Any]
    origins: Mapping[str, str]

    def __getitem__(self, name: str) -> Any:
        return self.held[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.held)

    def __len__(self) -> int:
        return len(self.held)

    @property
    def typed(self) -> frozenset[str]:
        """The names of the settings that the user gave."""
        return frozenset(name for name, origin in self.origins.items() if origin == TYPED)

    def but(self, origin: str, values: Mapping[str, Any]) -> Settings:
        """Return the settings with other values from another origin; what the user gave stays."""
        return self.now(origin, {n: value for n, value in values.items() if n in self.held and n not in self.typed})

    def now(self, origin: str, values: Mapping[str, Any]) -> Settings:
        """Return the settings with other values from another origin, whatever the user gave."""
        return Settings({**self.held, **values}, {**self.origins, **dict.fromkeys(values, origin)})


def resolve(
    system: Rules,
    given: Mapping[str, Any] | None = None,
    *,
    unused: Mapping[str, str] | None = None,
    base: Mapping[str, Any] | None = None,
) -> Settings:
    """Return the settings of a system: those given, by name or alias, and defaults for the others.

    `base` holds defaults of the question in place of the system's; `unused` says for settings that the question has no
    use for why that is so. A mapping of all settings is taken for one that was resolved before. Raises `UsageError` for
    a name that the system does not have, for a value that cannot be, and for one that would change nothing, with the
    reason.
    """
    if isinstance(given, Settings):
        return given
    given = given or {}
    named = {name: p.name for p in system.parameters for name in (p.name, *p.aliases)}
    typed = [named.get(name.strip().lower().replace("-", "_"), name) for name in given]
    values = system.settings({**{name: value for name, value in (base or {}).items() if name not in typed}, **given})
    for name in typed:
        if unused and name in unused:
            raise UsageError(f"setting {name} of system {system.name} is not used here: {unused[name]}")
    if isinstance(system, System) and len(typed) < len(values):
        changed = {p.name for p in system.parameters if p.name in typed and values[p.name] != p.default}
        _refuse_idle(system, values, changed - system.beside)
    return Settings(values, dict.fromkeys(values, DEFAULT) | dict.fromkeys(typed, TYPED))


def forming(system: System, settings: Mapping[str, Any]) -> list[str]:
    """Return the settings that give a rule another form than their defaults would."""

    def form(values: Mapping[str, Any]) -> list[tuple[str, Expr]]:
        return [(line.name, line.trace()) for line in system.shaped(values).lines]

    changed = [p for p in system.parameters if settings[p.name] != p.default and p.name != "period"]
    return [p.name for p in changed if form({**settings, p.name: p.default}) != form(settings)]


def settled(system: Rules, settings: Settings) -> Settings:
    """Return the settings of a player who has a rating: he counts as settled where nothing else is said."""
    return settings.but(SETTLED, system.settled)


def as_of_day(system: Rules, settings: Settings, day: date | None = None) -> Settings:
    """Return the settings with the rules that hold on a day, today unless it is given; what the user gave stays.

    >>> from elo_sheets.systems import system
    >>> dwz = system("dwz")
    >>> [as_of_day(dwz, resolve(dwz), date(year, 10, 1))["rules"] for year in (2025, 2026)]
    ['2014', '2026']
    """
    now = {p.name: p.on(day or date.today()) for p in system.parameters if p.since}
    return settings.but(DAY, {name: value for name, value in now.items() if value != settings[name]})


def as_of_games(system: Rules, settings: Settings, games: pd.DataFrame) -> tuple[Settings, list[str]]:
    """Return the settings with the rules of the last day of the games, today's where none has a day, and the remarks.

    A setting counts for the whole log: games on both sides of a change of the rules are told.
    """
    changed = [p for p in system.parameters if p.since and p.name not in settings.typed]
    if not changed:
        return settings, []
    days = games["date"].dropna()
    first, last = (days.min(), days.max()) if len(days) else (None, None)
    found = as_of_day(system, settings, last)
    notes = [day_note(system, found, p, last) for p in changed]
    for p in changed:
        if first is not None and p.on(first) != found[p.name]:
            notes.append(
                f"the first game is of {first:%Y-%m-%d}, when the rules of {p.on(first)} held: rate the games of each "
                f"by themselves, with --until and --start, or say --set {p.name}={p.on(first)}"
            )
    return found, notes


def day_note(system: Rules, settings: Settings, parameter: Parameter, day: date | None) -> str:
    """Return the remark on which rules count, and why."""
    when = "today's, as no game has a day" if day is None else f"those of {day:%Y-%m-%d}"
    name = parameter.name
    others = " or ".join(f"--set {name}={other}" for other in parameter.choices if other != settings[name])
    return f"{system.name}: {name} of {settings[name]}, {when} ({others} for others)"


def begun(system: Rules, settings: Settings, found: Starts, player: str) -> Settings:
    """Return the settings of a journal whose owner starts as it is given or as the log publishes it."""
    origin = LOG if found.origins.get(player) == PUBLISHED else TYPED
    return settings.now(origin, as_settings(system, found.states.get(player, {})))


def settings_notes(system: Rules, settings: Settings) -> list[str]:
    """Return a line for each default that nobody gave and that matters: what no source says, the rating period."""
    names = system.unofficial(settings)
    notes = [f"{system.name}: no official source gives {', '.join(names)} (elo-sheets systems {system.name})"]
    notes = notes if names else []
    if settings.origins.get("period") == TEMPLATE:
        own = next(p.default for p in system.parameters if p.name == "period")
        notes.append(f"rating period {settings['period']}, as the template has it ({system.name} by itself: {own})")
    return notes


_SAID = {
    TYPED: "given",
    LOG: "from the log",
    FITTED: "fitted to the log",
    TEMPLATE: "from the template",
    PROFILE: "from the profile",
    DAY: "by the day",
    SETTLED: "as of a player with a rating",
}


def origins_said(settings: Settings) -> str:
    """Return in a line where the settings come from.

    >>> from elo_sheets.systems import system
    >>> origins_said(resolve(system("elo"), {"k": 32}))
    "Settings: given k 32; the others are the system's defaults"
    """
    parts = []
    for origin, word in _SAID.items():
        names = [name for name, found in settings.origins.items() if found == origin]
        told = (f"{name} {_spelled(settings[name])}" for name in names)
        parts += [f"{word} {', '.join(told)}"] if names else []
    others = "the others are" if parts else "all are"
    return "Settings: " + "; ".join([*parts, f"{others} the system's defaults"])


def _spelled(value: float | str) -> str:
    """Return a value as a person writes it: ten digits, and no exponent."""
    return value if isinstance(value, str) else format(Decimal(format(value, ".10g")), "f")


def by_system(systems: Sequence[Rules], given: Mapping[str, Any]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return which of the settings given go to each of several systems, and a remark on those that mean several things.

    `glicko2.tau` is that system's alone, and comes before a plain `tau`, which goes to every system that has it. Raises
    `UsageError` for a setting that none of them has.

    >>> from elo_sheets.systems import system
    >>> by_system([system("elo"), system("glicko2")], {"k": 30, "initial": 1600, "glicko2.initial": 1700})[0]
    [{'k': 30, 'initial': 1600}, {'initial': 1700}]
    """
    plain = {key: value for key, value in given.items() if "." not in key}
    for key, value in plain.items():
        if not any(called(system, key) for system in systems):
            systems[0].settings({key: value})  # raises, with the names that come close
    found = [{key: value for key, value in plain.items() if called(one, key)} for one in systems]
    places = {getattr(system, "base", system).name: at for at, system in enumerate(systems)}
    for key in given.keys() - plain.keys():
        owner, _, name = key.strip().lower().rpartition(".")
        if owner not in places:
            raise UsageError(f"setting {key} is of {owner!r}, which is none of the systems {', '.join(places)}")
        at = places[owner]
        systems[at].settings({name: given[key]})  # raises, too
        meant = called(systems[at], name)
        found[at] = {one: value for one, value in found[at].items() if called(systems[at], one) != meant}
        found[at][name] = given[key]
    notes = []
    for key in plain:
        usual: dict[Any, str] = {}
        for system, values in zip(systems, found, strict=True):
            if key in values:
                usual.setdefault(
                    next(p.default for p in system.parameters if p.name == called(system, key)), system.name
                )
        if len(usual) > 1:
            said = ", ".join(
                f"{name} {value if isinstance(value, str) else format(value, '.4g')}" for value, name in usual.items()
            )
            *_, last = usual.values()
            notes.append(f"{key} goes to every system that has it ({said} by default): {last}.{key} is that one's own")
    return found, notes


def called(system: Rules, name: str) -> str | None:
    """Return the setting of a system that a name or an alias means, None where it has none of it."""
    key = name.strip().lower().replace("-", "_")
    return next((p.name for p in system.parameters if key in (p.name, *p.aliases)), None)


def first_alone(first: Rules, further: Sequence[Rules], given: Iterable[str]) -> list[str]:
    """Return a line for settings of a comparison's first system that further ones have too, and keep as they are."""
    asked = {called(first, name) for name in given if "." not in name}
    own = {
        (system.name, called(system, name.rpartition(".")[2]))
        for name in given
        for system in further
        if name.strip().lower().startswith(f"{system.name}.")
    }
    notes = []
    for system in further:
        left = [p for p in system.parameters if p.name in asked and (system.name, p.name) not in own]
        kept = [f"{p.name} {p.default if isinstance(p.default, str) else format(p.default, 'g')}" for p in left]
        if kept:
            said = f"--set is for {first.name}, the first system; {system.name} keeps {', '.join(kept)}"
            notes.append(f"{said} (--set {system.name}.{left[0].name}=… for its own)")
    return notes


def settled_notes(settings: Settings) -> list[str]:
    """Return a line for what a player with a rating is taken to have behind him."""
    taken = [f"{name} {settings[name]:g}" for name, origin in settings.origins.items() if origin == SETTLED]
    said = f"who has a rating is no newcomer: {', '.join(taken)} (--set NAME=VALUE for what was before)"
    return [said] if taken else []


def _refuse_idle(system: System, values: Mapping[str, Any], changed: set[str]) -> None:
    """Raise `UsageError` for a setting that the rule does not read in the form that the others choose."""
    live = {parameter.name for parameter in system.shaped(values).live}
    idle = changed - live - {parameter.name for parameter in system.parameters if parameter.files}
    if not idle:
        return
    for name in sorted(idle - set(forming(system, values))):
        reader = _reader(system, values, name)
        hint = f"it is read with {reader}" if reader else "leave it out"
        raise UsageError(f"setting {name} of system {system.name} changes nothing with these settings: {hint}")


def _reader(system: System, values: Mapping[str, Any], name: str) -> str:
    """Return the setting, with a value, under which the rule reads another, or two; "" where there are none."""
    others = [(p, value) for p in system.parameters for value in _others(p)]
    for chosen in (*combinations(others, 1), *combinations(others, 2)):
        now = {**values, **{p.name: value for p, value in chosen}}
        if any(live.name == name for live in system.shaped(now).live):
            return " and ".join(f"{p.name}={value if p.choices else '…'}" for p, value in chosen)
    return ""


def _others(parameter: Parameter) -> tuple[Any, ...]:
    """Return other values that may choose another form of the rule."""
    if parameter.name == "period" or parameter.is_date:
        return ()
    return parameter.choices or (float(parameter.default) / 2 + 0.25,)
