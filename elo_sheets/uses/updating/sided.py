"""Books of doubles, teams and tables of many: their rows as they are compared with those of a log, and that log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from elo_sheets._late import pd
from elo_sheets.games import identity
from elo_sheets.readers import HowRead
from elo_sheets.readers.names_map import NamesMap
from elo_sheets.replaying.settings import Settings, resolve
from elo_sheets.replaying.sided import AND
from elo_sheets.replaying.starting import Start
from elo_sheets.systems import System
from elo_sheets.systems.sides import SidedSystem
from elo_sheets.team_games import TeamGamesRead, team_players
from elo_sheets.uses.notes import refuse_without_games
from elo_sheets.uses.sided import sided_starts
from elo_sheets.uses.sided_books import read_for_book
from elo_sheets.uses.updating.growing import listed
from elo_sheets.uses.updating.naming import book_spellings
from elo_sheets.uses.updating.old import Old
from elo_sheets.uses.updating.rows import Row, Typed, typed_row, when_of
from elo_sheets.uses.updating.starting import with_new_starts
from elo_sheets.workbook.book import Filling, Inputs
from elo_sheets.workbook.layout import name_of, text_of
from elo_sheets.workbook.sides.pool import RATED, Shape, SidedPool
from elo_sheets.workbook.sides.view import shape_of_form
from elo_sheets.workbook.templates import template


@dataclass(frozen=True)
class SidedRow(Row):
    """One row of games of sides.

    `who`, `result` and `points` have the sides in one order, whatever order they are typed in: by the players' names.
    """

    shape: Shape

    def told_as(self, other: Row) -> Typed:
        """Return what is typed, with every player in the seat that he has in another row of the same game."""
        shape = self.shape
        seats = {identity(name_of(self.typed[label])): at for at, label in enumerate(shape.seat_labels)}
        found = dict(self.typed)
        for at, label in enumerate(shape.seat_labels):
            name = identity(name_of(other.typed[label]))
            if not name or name not in seats:
                continue
            mine = seats[name]
            found[label] = other.typed[label]
            for labels in (shape.points_labels, shape.place_labels):
                if labels:
                    found[labels[shape.side(at + 1) - 1]] = self.typed[labels[shape.side(mine + 1) - 1]]
        return found

    def score(self) -> str:
        """Return the result as it is shown."""
        points = [text_of(value) for value in self.points]
        return ":".join(points) if self.result and all(points) else self.result or "no result"


def sided_rows(
    name: str, system: System, settings: Mapping[str, Any], inputs: Inputs, names: NamesMap
) -> list[SidedRow]:
    """Return the rows of the table of games of a book of sides in which something is typed."""
    return [row for row in _every_row(name, system, settings, inputs, names) if any(row.who) or row.result]


def _every_row(
    name: str, system: System, settings: Mapping[str, Any], inputs: Inputs, names: NamesMap
) -> Iterator[SidedRow]:
    assert isinstance(system, SidedSystem)
    shape, table = shape_of_form(template(name)), inputs.tables["Games"]
    held = replace(inputs, sizes={"Ledger": shape.seats * inputs.rows("Games")})
    pool = SidedPool(system, settings, held, shape)
    for at, game in enumerate(pool.games):
        typed = typed_row(table, at)
        sides: dict[int, list[tuple[str, str]]] = {}
        for seat, label in enumerate(shape.seat_labels, 1):
            if player := name_of(typed[label]):
                sides.setdefault(shape.side(seat), []).append((names.key(player), player))
        order = sorted(sides, key=lambda side: sorted(sides[side]))
        standing = {side: game.standings[(side - 1) * shape.size] for side in order}
        rated = game.status == RATED
        result = _result([float(standing[side] or 0) for side in order]) if rated else ""
        points = tuple(typed[shape.points_labels[side - 1]] for side in order)
        who: list[str] = []
        for side in order:
            who += [*([""] if who else []), *(key for key, _ in sorted(sides[side]))]
        told = tuple(AND.join(player for _, player in sides[side]) for side in order)
        event = (text_of(typed.get("Event")).lower(),)
        yield SidedRow(at, *when_of(typed["Date"]), tuple(who), event, result, points, told, typed, shape)


def _result(standings: Sequence[float]) -> str:
    """Return how a game ended: for two sides as a result, for many as their places.

    >>> _result([-10, -7]), _result([2, 1, 1])
    ('1-0', 'places 2, 1, 1')
    """
    if len(standings) == 2:
        first, second = standings
        return "1-0" if first < second else "0-1" if second < first else "1/2-1/2"
    ranks = {standing: rank for rank, standing in enumerate(sorted(set(standings)), 1)}
    return f"places {', '.join(str(ranks[one]) for one in standings)}"


def held_sides(rows: Sequence[Row]) -> pd.DataFrame:
    """Return who played when in a book of sides, as the evidence of a question names it."""
    found = [
        {"game": -1 - at, "player": player, "date": row.when or float("nan")}
        for at, row in enumerate(rows)
        for side in row.names
        for player in side.split(AND)
    ]
    table = pd.DataFrame(found, columns=["game", "player", "date"])
    return table.assign(date=pd.to_datetime(table["date"].astype("float64"), unit="D", origin="1899-12-30"))


def sided_log(
    old: Old, logs: Sequence[Any], start: Start, how: HowRead, names: NamesMap
) -> tuple[TeamGamesRead, Inputs, Sequence[str]]:
    """Return the games of logs, the input of a book of these games alone, and remarks.

    Players are spelt as the book has them; `start` says what new ones start from. Raises `UnreadableInput` for logs
    without such games, `UsageError` for a start that the book knows otherwise.
    """
    manifest = old.manifest
    system = manifest.system
    assert isinstance(system, SidedSystem)
    log = read_for_book(logs, {**how, "names": names})
    refuse_without_games(log, "the logs")
    spelt = book_spellings(listed(old.planned.inputs.tables["Players"], "Player"), names)
    games = log.games.assign(player=[spelt.get(names.key(name), name) for name in log.games["player"]])
    log = TeamGamesRead(games, log.problems, log.notes)
    settings: Settings = resolve(manifest.rules, old.planned.settings)
    found = sided_starts(start, system, team_players(games), settings)
    inputs, started = with_new_starts(
        old,
        found,
        lambda starts: old.view.filled(template(manifest.template), system, settings, Filling(games, starts))[0],
    )
    return log, inputs, [*log.notes, *(found.notes if started.states else ())]
