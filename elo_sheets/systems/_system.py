"""The shape that every period-based rating system has: steps per game, sums over the period, closing steps.

A step is a plain function written with `elo_sheets.ops`. Its name is a column; its parameters are the columns
and settings that it reads, so the signatures are the data flow and nothing else declares it.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from typing import Any

from elo_sheets.errors import UsageError
from elo_sheets.expr import Expr, Ref

Step = Callable[..., Any]
Value = float | str

# What every game offers to the steps, from the point of view of the player who is rated.
GAME_INPUTS = ("score", "date", "year")

LARGEST = 1e6

EXCEL_EPOCH = date(1899, 12, 30)


@dataclass(frozen=True)
class Parameter:
    """A setting of a system: a number, one of `choices`, or a day (as the serial number spreadsheets use)."""

    name: str
    default: Value
    label: str
    meaning: str
    cell: str
    minimum: float | None = None
    choices: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    is_date: bool = False
    source: str = ""

    def read(self, value: object) -> Value:
        """Return the value as this parameter holds it; raises `UsageError` with what would do."""
        if self.choices:
            text = str(value).strip().lower()
            if text not in self.choices:
                raise UsageError(f"expected {self.name} to be one of {', '.join(self.choices)}, got {value!r}")
            return text
        if self.is_date and isinstance(value, str) and "-" in value:
            try:
                return float((date.fromisoformat(value) - EXCEL_EPOCH).days)
            except ValueError:
                raise UsageError(f"expected {self.name} to be a day such as 2025-10-01, got {value!r}") from None
        try:
            number = float(str(value))
        except ValueError:
            raise UsageError(f"expected {self.name} to be a number, got {value!r}") from None
        least = -LARGEST if self.minimum is None else self.minimum
        if not least <= number <= LARGEST:
            raise UsageError(f"expected {self.name} to be a number from {least:g} to {LARGEST:g}, got {value!r}")
        return number

    def shown(self) -> Value:
        """Return the default as a person would give it: a day as 2025-10-01."""
        if self.is_date:
            return (EXCEL_EPOCH + timedelta(days=float(self.default))).isoformat()
        return self.default


@dataclass(frozen=True)
class State:
    """What a player carries from period to period; `initial` names the parameter it starts from."""

    name: str
    initial: str


@dataclass(frozen=True)
class System:
    """A rating system as data: its steps in the order of reading, its state, parameters, tables and sources.

    `game` steps run once per game and player. Each name in `sums` is added up over the player's period and
    offered to the `closing` steps as `period_<name>`, with the number of games as `period_games`. A closing step
    `<state>_after` gives the state that the next period starts from.
    """

    name: str
    title: str
    about: str
    sources: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    state: tuple[State, ...]
    game: tuple[Step, ...]
    sums: tuple[str, ...]
    closing: tuple[Step, ...]
    tables: tuple[Any, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    zero_sum: bool = False

    def __post_init__(self) -> None:
        known = self.inputs
        for step in self.game + self.closing:
            if step in self.closing:
                known = known | {f"period_{name}" for name in self.sums} | {"period_games"}
            missing = set(needs(step)) - known
            if missing:
                raise UsageError(f"step {step.__name__} of {self.name} reads {sorted(missing)}, which nothing gives")
            known = known | {step.__name__}
        for state in self.state:
            if f"{state.name}_after" not in known:
                raise UsageError(f"system {self.name} has no closing step {state.name}_after")

    @cached_property
    def inputs(self) -> set[str]:
        """Names that the game steps may read besides each other."""
        own = {state.name for state in self.state}
        return (
            own
            | {f"opponent_{name}" for name in own}
            | set(GAME_INPUTS)
            | {parameter.name for parameter in self.parameters}
        )

    def settings(self, given: Mapping[str, object] | None = None) -> dict[str, Value]:
        """Return every parameter's value, those given replacing the defaults.

        Names and aliases are matched without regard to case. Raises `UsageError` for an unknown name, listing
        those that come close, or for a value that the parameter cannot hold.
        """
        spelt = {name: p for p in self.parameters for name in (p.name, *p.aliases)}
        values = {p.name: p.default for p in self.parameters}
        seen: dict[str, str] = {}
        for name, value in (given or {}).items():
            parameter = spelt.get(name.strip().lower().replace("-", "_"))
            if parameter is None:
                near = difflib.get_close_matches(name.lower(), spelt, 1)
                hint = f"; did you mean {near[0]}?" if near else ""
                known = ", ".join(p.name for p in self.parameters)
                raise UsageError(f"system {self.name} has no setting {name!r}{hint} (it has {known})")
            if parameter.name in seen:
                raise UsageError(f"{seen[parameter.name]!r} and {name!r} are the same setting: give one of them")
            seen[parameter.name] = name
            values[parameter.name] = parameter.read(value)
        return values

    def label(self, name: str) -> str:
        """Return the column header of a state, step or sum."""
        return self.labels.get(name, name.replace("_", " ").capitalize())


def needs(step: Step) -> tuple[str, ...]:
    """Return the names that a step reads."""
    return tuple(inspect.signature(step).parameters)


def trace(step: Step) -> Expr:
    """Return the expression that a step computes, over `Ref`s named as its parameters."""
    result: Expr = step(**{name: Ref(name) for name in needs(step)})
    return result


PERIODS = ("game", "month")


def period_parameter(default: str) -> Parameter:
    """Return the parameter that says when ratings are updated."""
    return Parameter(
        "period",
        default,
        "Rating period",
        "when ratings are updated: after each game, or at the end of each calendar month",
        "Rating_period",
        choices=PERIODS,
    )
