"""One log of games under several systems: a pool for each, and which systems can be compared."""

from __future__ import annotations

from dataclasses import dataclass

from elo_sheets.errors import UsageError
from elo_sheets.prediction import forecast_column
from elo_sheets.systems import GAME_INPUTS, System, lines
from elo_sheets.systems import system as find_system
from elo_sheets.workbook.layout import column_text
from elo_sheets.workbook.pool import Pool
from elo_sheets.workbook.pool_columns import extra_labels, pool_step_names, sides_of
from elo_sheets.workbook.view import Form


class ComparedPool(Pool):
    """A pool whose Ledger also holds what the system foretells."""

    def step_names(self) -> list[str]:
        names = super().step_names()
        return names + [line.name for line in lines(self.system.forecast) if line.name not in names]


class FurtherPool(ComparedPool):
    """The same games under a further system: nothing of it is typed, and its settings are named `NAME_Setting`.

    What it would like to know of a game and the first system does not ask for is what it takes for a log without it.
    """

    def __init__(self, system: System, first: Pool) -> None:
        self.typed = first.extra
        suffix = system.name.replace("-", "_")
        self.table, self.carry_table = f"Ledger_{suffix}", f"Carry_{suffix}"
        settings = system.settings()
        shaped = system.shaped(settings)
        cells = {p.name: f"{suffix}_{p.cell}" for p in shaped.parameters}
        super().__init__(shaped, settings, cells, first.inputs, first.sides)

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
        return float(self.settings[self._initial[state]])

    def starting(self, state: str) -> str:
        cell = self.setting_cells[self._initial[state]]
        typed = "INDEX(Players[Start rating],[Player no.])"
        return f"IF(ISNUMBER({typed}),{typed},{cell})" if state == "rating" else cell


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

    @property
    def expected(self) -> str:
        """The column of the score that the system expects."""
        return f"{self.pool.table}[{column_text(self.pool.label(self.forecast))}]"


def further_systems(form: Form, first: System, asked: str | None) -> list[System]:
    """Return the systems that follow the first: those asked for, `elo,glicko`, or the template's.

    Raises `UsageError` for one that foretells nothing, that needs columns which the first has not, or for too many.
    """
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
        system = find_system(name)
        if not isinstance(system, System) or name not in form["systems"]:
            raise UsageError(f"template {form['name']} cannot compare {name}; it holds {', '.join(form['systems'])}")
        shaped = system.shaped(system.settings())
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
