"""What new players of a book start from, and players of the book who are given another start than they have in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from elo_sheets.errors import UsageError
from elo_sheets.games import identity
from elo_sheets.replaying.starting import GIVEN, Starts
from elo_sheets.uses.updating.growing import listed
from elo_sheets.uses.updating.old import Old
from elo_sheets.workbook.book import HEADER_ROW, Columns, Inputs


def with_new_starts(old: Old, found: Starts, filled: Callable[[Starts], Inputs]) -> tuple[Inputs, Starts]:
    """Return the input of a book of new games alone, as `filled` makes it, and the starts of its new players.

    Raises `UsageError` for players of the book who are given another start than they have in it.
    """
    known = {identity(name) for name in listed(*_people(old))}
    new = {name: state for name, state in found.states.items() if identity(name) not in known}
    held = {n: state for n, state in found.states.items() if n not in new and found.origins.get(n) == GIVEN}
    if held:
        _refuse_others(old, held, filled(replace(found, states=held)), filled(replace(found, states={})))
    started = replace(found, states=new)
    return filled(started), started


def _refuse_others(old: Old, given: Iterable[str], told: Inputs, bare: Inputs) -> None:
    """Compare the input with the starts that are given to the one without, and to the book."""
    name, _ = old.view.people_table
    typed, key = _people(old)
    there = {identity(player): at for at, player in enumerate(listed(typed, key)) if player}
    rows = {identity(player): at for at, player in enumerate(listed(told.tables[name], key)) if player}
    for player in given:
        at, row = there[identity(player)], rows[identity(player)]
        for label, values in told.tables[name].items():
            stands = typed[label][at]
            if values[row] != bare.tables[name][label][row] and values[row] != stands:
                said = "none" if stands is None else f"{stands:g}" if isinstance(stands, float) else stands
                raise UsageError(
                    f"--start gives {player!r} {label} {values[row]:g}, and the book has {said} for that player: type "
                    f"it on the sheet {name} of the book, row {HEADER_ROW + 1 + at}, or leave it out"
                )


def _people(old: Old) -> tuple[Columns, str]:
    name, key = old.view.people_table
    table = old.planned.inputs.tables[name]
    return table, key if key in table else "Name"
