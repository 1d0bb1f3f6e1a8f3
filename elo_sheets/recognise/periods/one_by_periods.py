"""One player's games by periods: those of one compare the rating it starts from, which the next one goes on from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from elo_sheets.recognise.behind import shown_cell
from elo_sheets.recognise.cells import Run
from elo_sheets.recognise.context import WARNING, Context, Proposal, RoleCells, Sheetwork
from elo_sheets.recognise.model import Key, Model, range_text
from elo_sheets.recognise.parts import Part
from elo_sheets.recognise.periods.of_one import replayed

LEAST = 2  # periods
DEEPEST = 8  # references from a cell to what it shows: a circle has no end
LEAST_GAMES, MOST_GAMES = 3, 2000  # of all periods


@dataclass
class Period:
    """The games of a period: the rating that all of them compare, their expectations and the opponents' ratings."""

    own: Key
    part: Part
    games: list[Key] = field(default_factory=list)
    opponents: list[Key] = field(default_factory=list)


def by_periods(context: Context) -> Sheetwork | None:
    """Return what a book of one player's periods is, each replayed; None where no column of expectations shows any."""
    found = next((periods for run in context.runs if len(periods := _periods(context, run)) >= LEAST), None)
    if found is None:
        return None
    finals = _finals(context.model, found)
    if finals is None:
        return None
    work = Sheetwork("periods")
    work.ratings = set(finals)
    work.roles = [
        RoleCells("E", tuple(key for one in found for key in one.games)),
        RoleCells("B", tuple(one.own for one in found)),
        RoleCells("O", tuple(key for one in found for key in one.opponents)),
        RoleCells("R", tuple(finals)),
    ]
    work.facts = {"curve": found[0].part.curve.name, "periods": len(found)}
    reasons, rows = [], set[tuple[str, int]]()
    for one, final in zip(found, finals, strict=True):
        own = {final[:2], *(key[:2] for key in one.games)}
        rows |= own
        reason, proposals = replayed(context, one.part, one.own, tuple(one.opponents), final, own)
        proposals = proposals or list(_of_others(context.model, final, one, found))
        work.proposals += proposals
        reasons += [*([] if reason is None else [reason]), *(told.message for told in proposals)]
    reasons += _not_held(context.model, rows)
    work.replayed, work.reason = not reasons, next(iter(reasons), None)
    work.listed = work.rated = sum(len(one.games) for one in found)
    return work


def _of_others(model: Model, final: Key, period: Period, periods: list[Period]) -> Iterator[Proposal]:
    """The cells of a period's line whose ranges leave out games of it, or have some of another one."""
    sheet, own = period.games[0][0], {key[1] for key in period.games}
    every = {key[1] for one in periods for key in one.games}
    for key in sorted(one for one in model.forms if one[:2] == final[:2]):
        for area in model.areas(key):
            counted = every & {*range(area.row, area.bottom + 1)}
            if area.sheet == sheet and not area.single and counted != own and counted != every:
                says = f"the period has the games of rows {min(own)} to {max(own)}, and others are counted here"
                yield Proposal("ES125", (key,), says, severity=WARNING, effect=0.0, rank=1)
                break


def _not_held(model: Model, rows: set[tuple[str, int]]) -> Iterator[str]:
    """What stands in no row of a game or of a period, and shows a number that nothing reads."""
    for key in sorted(model.forms):
        if key[:2] not in rows and not model.readers.get(key) and model.number(key) is not None:
            yield f"{range_text([key])} was not held against any rule"


def _periods(context: Context, run: Run) -> list[Period]:
    """The periods that a column of expectations tells of; none where it is no such column."""
    model = context.model
    cells = [key for key in run.cells() if run.fits(model, key)] if run.down and run.period == 1 else []
    if not LEAST_GAMES <= len(cells) <= MOST_GAMES:
        return []
    rows = {key[:2] for key in cells}
    found: dict[Key, Period] = {}
    for key in cells:
        part = context.prober.analyse(key)
        if part is None or part.kind != "E":
            return []
        sides = {one: shown_cell(model, one, DEEPEST) for one in (part.own, part.other)}
        beside = [one for one in sides if one[:2] == key[:2] and one not in model.forms]
        if len(beside) != 1:
            return []
        (own,) = (shown for one, shown in sides.items() if one not in beside)
        if own[:2] in rows:
            return []
        period = found.setdefault(own, Period(own, part))
        period.games.append(key)
        period.opponents += beside
    return list(found.values())


def _finals(model: Model, periods: list[Period]) -> list[Key] | None:
    """The rating that each period ends with: what the next one starts from, and the last of that column."""
    finals = [one.own for one in periods[1:]]
    sheet, row, column = finals[-1]
    last = (sheet, row + 1, column)
    finals.append(last)
    return finals if all(key in model.forms for key in finals) and len({key[2] for key in finals}) == 1 else None


__all__ = ["by_periods"]
