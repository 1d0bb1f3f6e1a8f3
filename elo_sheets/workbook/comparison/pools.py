"""One log of games under several systems: a pool for each, and which systems can be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from elo_sheets.errors import UsageError
from elo_sheets.replaying.history import forecast_column
from elo_sheets.systems import GAME_INPUTS, Rules, System, lines
from elo_sheets.systems import system as find_system
from elo_sheets.workbook.layout import column_text, number_or
from elo_sheets.workbook.needs import lacking
from elo_sheets.workbook.pools.columns import extra_labels, pool_step_names, sides_of
from elo_sheets.workbook.pools.ledger import PoolLedger
from elo_sheets.workbook.view import Form


class ComparedPool(PoolLedger):
    """A pool whose Ledger also holds what the system foretells."""

    def step_names(self) -> list[str]:
        names = super().step_names()
        return names + [line.name for line in lines(self.system.forecast) if line.name not in names]


class FurtherPool(ComparedPool):
    """The same games under a further system: nothing of it is typed, and its settings are named `NAME_Setting`.

    It starts from the same ratings, and who has one is no newcomer to it. What it would like to know of a game and the
    first system does not ask for is what it takes for a log without it.
    """

    def __init__(self, system: System, first: PoolLedger, given: Mapping[str, str]) -> None:
        self.typed = first.extra
        suffix = system.name.replace("-", "_")
        self.table, self.carry_table = f"Ledger_{suffix}", f"Carry_{suffix}"
        settings = system.settings(given)
        shaped = system.shaped(settings)
        cells = {p.name: f"{suffix}_{p.cell}" for p in shaped.parameters}
        super().__init__(shaped, settings, cells, first.inputs, first.words)

    def extra_columns(self) -> dict[str, str]:
        return {name: label for name, label in super().extra_columns().items() if name in self.typed}

    def references(self) -> dict[str, str]:
        absent = set(super().extra_columns()) - set(self.extra)
        return super().references() | {name: f"{GAME_INPUTS[name]:g}" for name in absent}

    def personal_columns(self) -> dict[str, str]:
        return {}

    def step_names(self) -> list[str]:
        absent = {p.name for p in self.system.parameters if p.per_player}
        absent |= set(super().extra_columns()) - set(self.extra)
        names = [name for name in pool_step_names(self.system, self.period) if name not in absent]
        return names + [line.name for line in lines(self.system.forecast) if line.name not in names]

    def start_of(self, state: str, i: int) -> float:
        initial = self._initial[state]
        typed = number_or(self.inputs.tables["Players"]["Start rating"][i - 1], None)
        settled = None if typed is None else self.system.settled.get(initial)
        return float(self.settings[initial] if settled is None else settled)

    def starting(self, state: str, number: str) -> str:
        initial = self._initial[state]
        cell = self.setting_cells[initial]
        typed = f"INDEX(Players[Start rating],{number})"
        if state != "rating" and initial not in self.system.settled:
            return cell
        return f"IF(ISNUMBER({typed}),{typed if state == 'rating' else f'{self.system.settled[initial]:g}'},{cell})"


@dataclass(frozen=True)
class Rated:
    """The games under one system of the comparison, and the name of its columns."""

    name: str
    pool: ComparedPool

    @property
    def after(self) -> str:
        """The column of the rating after a game, as a formula names it."""
        return f"{self.pool.table}[{column_text(self.pool.label('rating_after'))}]"

    @property
    def forecast(self) -> str:
        """The step that foretells a game."""
        return forecast_column(self.pool.system)


def further_settings(options: Mapping[str, str], name: str) -> dict[str, str]:
    """Return the settings that a book's options give a further system, `glicko2.tau`."""
    prefix = f"{name}."
    return {key.removeprefix(prefix): value for key, value in options.items() if key.startswith(prefix)}


def further_systems(form: Form, first: System, options: Mapping[str, str], given: Sequence[Rules] = ()) -> list[System]:
    """Return the systems that follow the first: those that the book's options name, `elo,glicko`, or the template's.

    `given` are those that are not built in.

    Raises `UsageError` for one that foretells nothing, that needs columns which the first has not, or for too many.
    """
    asked = options.get("systems")
    names = [name.strip().lower() for name in asked.split(",") if name.strip()] if asked else list(form["further"])
    others = [name for name in dict.fromkeys(names) if name != first.name]
    if not asked:
        others = others[:2]
    if not others:
        raise UsageError("a system is compared with itself: name another, such as systems=elo,glicko")
    if len(others) >= form["most"]:
        raise UsageError(f"a comparison holds {form['most']} systems at most, got {first.name}, {', '.join(others)}")
    found = []
    for name in others:
        system = next((one for one in given if one.name == name), None) or find_system(name)
        reason = lacking(form, system)
        if reason or not isinstance(system, System):
            raise UsageError(f"template {form['name']} {reason}")
        shaped = system.shaped(system.settings(further_settings(options, name)))
        forecast_column(shaped)
        sides = sides_of(form)
        typed = extra_labels(first, sides)
        needs = [
            label
            for read, label in extra_labels(shaped, sides).items()
            if read not in typed and GAME_INPUTS.get(read) is None
        ]
        if needs:
            raise UsageError(f"system {name} needs {', '.join(needs)} of a game: make the book with it first")
        found.append(system)
    return found
