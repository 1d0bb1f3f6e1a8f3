"""What a published answer becomes: something that the package computes, and the number it must come to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from elo_sheets.systems import PERIOD_INPUTS, Line, Step, System, lines

Answer = Mapping[str, Any]
Given = Mapping[str, float | str]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The answer that a case is about, by its id, and how far from the published number it may end."""

    answer: str = ""
    tolerance: float = 0.0


@dataclass(frozen=True)
class Row(Asked):
    """A line of a sheet: what stands in it, the steps computed from that, and what one of them must come to.

    `steps` run in order; each reads names of `given` or of the steps before it.
    """

    given: Given
    steps: Sequence[Step | Line]
    step: str
    expected: float


@dataclass(frozen=True)
class Period(Asked):
    """One player's rating period: his state and settings, his games, and what columns of its close must come to.

    `own` holds his states, per-player settings and any of `PERIOD_INPUTS` (`elapsed` 1 and the others 0 unless given).
    Each game gives `score`, `opponent_<state>` and whatever else the system's game steps read, but not what the opening
    steps of the opponent give: `opponent_<opening step>` is computed from the opponent's states unless it is given.
    `expected` names states after (`rating_after`), other closing steps, sums (`period_change`) or `period_games`.
    """

    system: System
    own: Mapping[str, float]
    games: Sequence[Mapping[str, float]]
    expected: Mapping[str, float]
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Value(Asked):
    """A number that a function of the package gives; None means that there is no value.

    `page` is the JavaScript that gives it on the page of calculators, where the page has it.
    """

    what: str
    compute: Callable[[], float | None]
    expected: float | None
    page: str | None = None


def on_page(function: str, *given: Any, then: str = "") -> str:
    """Return a call of a function of the page of calculators; `then` is what is taken of its result.

    >>> on_page("rateSection", [{"rating": 1500}], [], 10, then="[0].rating")
    'rateSection([{"rating": 1500}], [], 10)[0].rating'
    """
    return f"{function}({', '.join(map(json.dumps, given))}){then}"


Case = Row | Period | Value
# What turns the inputs and the expected numbers of an answer into cases; which answer they are about is added to them.
Maker = Callable[[Any, Any], Iterable[Case]]


@dataclass(frozen=True)
class Columns:
    """A row or period as columns: what is given, what is computed from it in order, and what must come out."""

    answer: str
    given: Given
    lines: tuple[Line, ...]
    expected: Mapping[str, float]
    tolerance: float


def columns_of(case: Row | Period) -> Columns:
    """Return a case as columns; the games of a period stand beside each other, numbered."""
    if isinstance(case, Row):
        found = [step if isinstance(step, Line) else Line.of(step) for step in case.steps]
        return Columns(case.answer, case.given, tuple(found), {case.step: case.expected}, case.tolerance)
    return _period_columns(case)


def _period_columns(case: Period) -> Columns:
    settings = case.system.settings(case.settings)
    system = case.system.shaped(settings)
    before = {"elapsed": 1.0, **dict.fromkeys(set(PERIOD_INPUTS) - {"elapsed"}, 0.0)}
    given: dict[str, float | str] = {**settings, **before, **case.own}
    opening = list(lines(system.opening))
    shared = set(given) | {line.name for line in opening}
    made = [*opening]
    for number, game in enumerate(case.games, 1):
        given |= {f"{name} {number}": value for name, value in game.items()}
        numbered = _Numbered(number, shared, set(given), {line.name for line in opening})
        made += [
            Line(numbered.opponents(line.name), line.step, tuple(map(numbered.opponents, line.reads)))
            for line in opening
            if numbered.opponents(line.name) not in given
        ]
        made += [Line(numbered(line.name), line.step, tuple(map(numbered, line.reads))) for line in lines(system.game)]
    for name in system.sums:
        made.append(Line(f"period_{name}", summed, tuple(f"{name} {i}" for i in range(1, len(case.games) + 1))))
    given["period_games"] = float(len(case.games))
    made += lines(system.closing)
    return Columns(case.answer, _read_only(given, made), tuple(made), case.expected, case.tolerance)


@dataclass(frozen=True)
class _Numbered:
    """How a name is written for one game of a period: what all games share stays bare."""

    number: int
    shared: set[str]
    given: set[str]
    opened: set[str]

    def __call__(self, name: str) -> str:
        return name if name in self.shared else f"{name} {self.number}"

    def opponents(self, name: str) -> str:
        """Return how a name is written that an opening step of the opponent reads or gives."""
        theirs = f"opponent_{name} {self.number}"
        return theirs if theirs in self.given or name in self.opened else self(name)


def summed(*values: Any) -> Any:
    """Return the sum of the values, added from left to right as the replay adds."""
    total = values[0]
    for value in values[1:]:
        total = total + value
    return total


def _read_only(given: Given, made: Sequence[Line]) -> Given:
    """Return what some column reads."""
    read = {name for line in made for name in line.reads}
    return {name: value for name, value in given.items() if name in read}
