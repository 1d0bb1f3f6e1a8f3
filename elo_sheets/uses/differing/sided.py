"""Books and logs of doubles, teams and tables of many as sides of a comparison, and what a change moved there.

Such a game is put as one between its first side and the others, the sides in the order of their players' names, so that
two tell of one game however they list it; the games are aligned as all are.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from elo_sheets._late import pd
from elo_sheets.errors import UsageError
from elo_sheets.games import Problem, identity
from elo_sheets.readers import HowRead, expand
from elo_sheets.replaying.sided import AND, VERSUS, replay_sides, resolve_sides
from elo_sheets.replaying.starting import Start
from elo_sheets.systems import Rules
from elo_sheets.systems import system as find_system
from elo_sheets.systems.sides import SidedSystem
from elo_sheets.team_games import GamesOfSidesError, TeamGamesRead, make_team_games, team_players
from elo_sheets.uses.differing.attribution import Attribution
from elo_sheets.uses.differing.reading import TypedBook
from elo_sheets.uses.differing.sides import LEAGUE, LOG, Game, Side, day_of
from elo_sheets.uses.notes import refuse_without_games
from elo_sheets.uses.sided import error_of_sides, read_sided_logs, rule_of_log, sided_starts
from elo_sheets.workbook.fits import holds_sides
from elo_sheets.workbook.layout import text_of
from elo_sheets.workbook.sides.pool import RATED, SidedPool
from elo_sheets.workbook.sides.view import shape_of_form


@dataclass(frozen=True)
class SidedSide(Side):
    """One of two books or logs of games of sides."""

    @cached_property
    def keys(self) -> dict[str, str]:
        """What each player's name is compared by."""
        return {name: identity(name) for name in (*team_players(self.log.games), *self.start)}


def sides_of_sides(
    paths: tuple[Any, Any],
    books: Mapping[Any, TypedBook],
    system: str | None,
    settings: Mapping[str, object] | None,
    player: str | None,
    start: Start,
    how: HowRead,
) -> tuple[Side, Side]:
    """Return two files, of which one at least holds games of sides, as sides; both must."""
    if player is not None:
        raise UsageError("games of teams or of many are rated as a whole pool: leave out --player")
    if "-" in map(str, paths):
        raise UsageError("games of teams or of many are compared by files: give a file in the place of -")
    found: dict[Any, Side] = {path: _book_side(book) for path, book in books.items()}
    beside = next(iter(found.values()), None)
    rules = find_system(system or "elo") if beside is None else beside.system
    asked = settings if beside is None else beside.settings
    resolve_sides(rules, asked)  # what cannot be is said before a log is read
    for path in paths:
        if path not in found:
            found[path] = _log_side(path, rules, asked, beside, start, how)
    return found[paths[0]], found[paths[1]]


def _log_side(
    path: Any, rules: Rules, settings: Mapping[str, object] | None, beside: Side | None, start: Start, how: HowRead
) -> Side:
    log = read_sided_logs(_of_sides(path, how), [path], how)
    form, values = rule_of_log(log, rules, settings)
    refuse_without_games(log, str(path))
    names = team_players(log.games)
    told = sided_starts(start, form, names, values)
    listed = {} if beside is None else {identity(name): state for name, state in beside.start.items()}
    own = {name: listed.get(identity(name), told.states.get(name, {})) for name in names}
    return SidedSide(
        str(path), LOG, form, values, TeamGamesRead(log.games, log.problems, [*log.notes, *told.notes]), own
    )


def _of_sides(path: Any, how: HowRead) -> GamesOfSidesError:
    if (error := error_of_sides(expand([str(path)]), how)) is not None:
        return error
    raise UsageError(f"one of the two holds games of teams or of many, and {path} games of two players each")


def _book_side(book: TypedBook) -> Side:
    """Return what was typed into a book of sides."""
    if not holds_sides(book.manifest.template):
        raise UsageError(f"one of the two holds games of teams or of many, and {book.path} games of two players each")
    system = book.manifest.system
    assert isinstance(system, SidedSystem)
    inputs = book.inputs.inputs
    shape = shape_of_form(book.form)
    pool = SidedPool(system, book.settings, inputs, shape)
    table = book.typed.table(book.view.games_table)
    source = f"{book.path}, {table.sheet}"
    records: list[dict[str, Any]] = []
    problems = []
    for at, game in enumerate(pool.games):
        row = table.first_data_row + at
        if game.status == RATED:
            event = text_of(inputs.tables["Games"]["Event"][at])
            told = {"game": at, "date": day_of(game.date), "event": event, "source": source, "source_row": row}
            records += [{**seat, **told, "player": pool.known[int(seat["player"]) - 1]} for seat in game.rows]
        elif game.status:
            problems.append(Problem(source, row, "", "", game.status))
    games = make_team_games([{**record, "date": None} for record in records])
    days = {record["game"]: record["date"] for record in records}
    order = {number: days[key] for number, key in enumerate(dict.fromkeys(r["game"] for r in records), 1)}
    games["date"] = games["game"].map(order).astype("datetime64[ns]")
    log = TeamGamesRead(games, problems, book.notes)
    rules = book.manifest.rules
    usual = {parameter.name: parameter.default for parameter in rules.parameters}
    form, values = resolve_sides(rules, {n: v for n, v in book.settings.items() if n in usual and v != usual[n]})
    return SidedSide(book.path, LEAGUE, form, values, log, pool.typed_starts())


def compared_sided_games(side: Side) -> Iterator[Game]:
    """Yield the games of a side, each with its sides in the order of their names."""
    assert isinstance(side.system, SidedSystem)
    with_points = bool({"points", "opponent_points"} & side.system.shaped(side.settings).reads)
    for number, (_, rows) in enumerate(side.log.games.groupby("game"), 1):
        told: dict[int, list[tuple[str, str]]] = {}
        for seat, player in zip(rows["side"], rows["player"], strict=True):
            told.setdefault(seat, []).append((side.keys[player], player))
        order = sorted(told, key=lambda seat: sorted(told[seat]))
        place = dict(zip(rows["side"], rows["place"], strict=True))
        points = dict(zip(rows["side"], rows["points"], strict=True))
        weights = dict(zip(rows["player"], rows["weight"], strict=True))
        first, *others = order
        is_table = len(order) > 2
        score = 0.5 + (0.0 if is_table else (place[first] < place[others[0]]) - (place[first] > place[others[0]])) / 2
        details: list[tuple[str, Hashable]] = [
            ("places", ", ".join(f"{place[seat]:g}" for seat in order) if is_table else ""),
            ("points", ":".join(f"{points[seat]:g}" for seat in order) if with_points else ""),
            ("weights", ", ".join(f"{name} {w:g}" for name, w in sorted(weights.items()) if w != 1)),
        ]
        keys, names = [{s: AND.join(one[at] for one in sorted(told[s])) for s in order} for at in (0, 1)]
        day = rows["date"].iloc[0]
        yield Game(
            number,
            "" if day != day else f"{day:%Y-%m-%d}",
            keys[first],
            VERSUS.join(keys[s] for s in others),
            score,
            tuple(details),
            names[first],
            VERSUS.join(names[s] for s in others),
            str(rows["source"].iloc[0]),
            int(rows["source_row"].iloc[0]),
        )


class SidedAttribution(Attribution):
    """Replays games of sides with ever more of B's differences."""

    def _tables(self) -> None:
        tables = []
        for side in (self.a, self.b):
            spelt = {name: self.names[key] for name, key in side.keys.items()}
            tables.append(side.log.games.assign(player=side.log.games["player"].map(spelt)))
        self.table = pd.concat(tables, ignore_index=True)
        self.rows: list[list[int]] = []
        at = 0
        for table in tables:
            for _, game in table.groupby("game"):
                self.rows.append([*range(at, at + len(game))])
                at += len(game)
        self.offset, self.count = self.a.log.kept, len(self.rows)

    def _rated(self, side: Side, rows: Sequence[int], start: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
        if not rows:
            return {}
        games: pd.DataFrame = self.table.iloc[[at for row in rows for at in self.rows[row]]].reset_index(drop=True)
        games["game"] = [number for number, row in enumerate(rows, 1) for _ in self.rows[row]]
        playing = set(games["player"])
        given = {self.names[key]: state for key, state in start.items() if self.names[key] in playing}
        ratings = replay_sides(games, side.system, side.settings, start=given, history=False).ratings
        return {self.keys[name]: rating for name, rating in zip(ratings["player"], ratings["rating"], strict=True)}
