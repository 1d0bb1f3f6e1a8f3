"""The two files as sides: a log, or a workbook that elo-sheets made, by what was typed into it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from elo_sheets._late import pd
from elo_sheets.errors import NotChecked, UsageError
from elo_sheets.files.references import Table
from elo_sheets.games import GamesRead, Problem, find_player, identity, make_games, players
from elo_sheets.readers import HowRead, expand, read_for
from elo_sheets.replaying.journal import journal_games
from elo_sheets.replaying.settings import begun, resolve
from elo_sheets.replaying.starting import Start, starts
from elo_sheets.replaying.weighing import weighted
from elo_sheets.systems import Rules
from elo_sheets.systems import system as find_system
from elo_sheets.uses.differing.sides import JOURNAL, LEAGUE, LOG, Side, day_of
from elo_sheets.uses.listing import of_list
from elo_sheets.uses.notes import journal_notes, refuse_without_games, rule_notes
from elo_sheets.uses.of_book import typed_into
from elo_sheets.validate.read import Manifest, Typed
from elo_sheets.workbook.book import Book as PlannedBook
from elo_sheets.workbook.fits import view_of
from elo_sheets.workbook.journal.rows import JournalRows
from elo_sheets.workbook.pools.columns import EXTRA, FLAGS
from elo_sheets.workbook.sourced import form_of
from elo_sheets.workbook.sports.profiles import words_of
from elo_sheets.workbook.view import View


@dataclass
class TypedBook:
    """A workbook with its manifest, settings, and what was typed."""

    path: str
    manifest: Manifest
    typed: Typed
    settings: dict[str, Any]
    inputs: PlannedBook
    notes: list[str]

    @classmethod
    def read(cls, path: str | Path, given: Sequence[Rules] = ()) -> TypedBook:
        """Return a workbook; `given` are rules that are not built in, of which it takes those that it names."""
        manifest, typed, settings, inputs, findings = typed_into(path, given)
        return cls(str(path), manifest, typed, settings, inputs, [finding.message for finding in findings])

    @cached_property
    def view(self) -> type[View]:
        return view_of(self.manifest.template)

    @cached_property
    def form(self) -> dict[str, Any]:
        return form_of(self.manifest.template, self.manifest.options)

    @property
    def kind(self) -> str:
        return LEAGUE if self.view.rows_a_game == 2 else JOURNAL

    def side(self, player: str | None) -> Side:
        """Return the book as a side; `player` is the owner of a journal."""
        if not self.view.games_table:
            raise NotChecked(f"{self.path}: template {self.manifest.template} holds no games to compare")
        if not self.view.is_replayed:
            raise NotChecked(f"{self.path}: template {self.manifest.template} is not rated game by game")
        table = self.typed.table(self.view.games_table)
        source = f"{self.path}, {table.sheet}"
        start: dict[str, Mapping[str, float]] = {}
        rows = self._journal_rows(player or "") if self.kind == JOURNAL else self._league_rows(start)
        records, problems = [], []
        for row, (status, record) in enumerate(rows, table.first_data_row):
            if status == "rated":
                records.append({**record, "source": source, "source_row": row})
            elif status:
                problems.append(Problem(source, row, "", "", status))
        problems += [Problem(source, row, "", "", reason) for row, reason in self._out_of_reach(table)]
        games = _in_order_of_rows(make_games(records))
        log = GamesRead(games, problems, self.notes)
        return Side(self.path, self.kind, self.manifest.system, self.settings, log, start, player)

    def _league_rows(self, start: dict[str, Mapping[str, float]]) -> Iterator[tuple[str, dict[str, Any]]]:
        cells = self.view.read_pool(self.form, self.manifest.system, self.settings, self.inputs.inputs)
        start |= cells.typed_starts()
        for game in cells.games:
            rated = game.status == "rated"
            sides = {"white": cells.known[game.white_number - 1], "black": cells.known[game.black_number - 1]}
            said = {EXTRA[name][0]: bool(v) if name in FLAGS else v for name, v in game.extra.items() if v != ""}
            status = "" if game.status == cells.unplayed else game.status
            yield status, {"date": day_of(game.date), **sides, "score": game.score, **said} if rated else {}

    def _journal_rows(self, player: str) -> Iterator[tuple[str, dict[str, Any]]]:
        words = words_of(self.form)
        cells = JournalRows(self.manifest.system, self.settings, self.inputs.inputs, words)
        for row in cells.rows:
            if row.opponent == player and row.status == "rated":
                yield "a game against oneself", {}
            elif row.status == "rated":
                colour = "black" if row.side == words.sides[1] else "white"
                yield (
                    row.status,
                    _own_game(player, day_of(row.date), row.opponent, colour, row.score, row.opponent_rating),
                )
            else:
                yield row.status, {}

    def _out_of_reach(self, table: Table) -> Iterator[tuple[int, str]]:
        """Yield the rows in which a game stands that no formula of the book reaches."""
        typed = self.view.input_columns(self.form, self.manifest.system)[table.name]
        columns = [table.column(label) for label in typed if label not in {"Date", "Event"}]
        games = self.inputs.inputs.sizes["Ledger"] // self.view.rows_a_game
        reach = min(table.last_data_row, table.first_data_row + games - 1)
        rows = {
            row
            for row, column in self.typed.book.sheets[table.sheet]
            if column in columns and row > reach and self.typed.cell(table.sheet, row, column) not in (None, "")
        }
        for row in sorted(rows):
            yield row, "beyond the Ledger" if row <= table.last_row else f"below the table {table.name}"


def _own_game(player: str, day: Any, opponent: str, colour: str, score: Any, rating: Any) -> dict[str, Any]:
    """Return the record of a journal's game; the score is the owner's, the rating the opponent's."""
    if colour == "white":
        return {"date": day, "white": player, "black": opponent, "score": score, "black_rating": rating}
    return {"date": day, "white": opponent, "black": player, "score": 1 - score, "white_rating": rating}


def _in_order_of_rows(games: pd.DataFrame) -> pd.DataFrame:
    """Return games in the order of their rows, as a book rates them."""
    games = games.sort_values("source_row", kind="stable").reset_index(drop=True)
    return games.assign(game=range(1, len(games) + 1))


def both_sides(
    paths: tuple[str | Path, str | Path],
    books: Mapping[str | Path, TypedBook],
    system: str | None,
    settings: Mapping[str, object] | None,
    player: str | None,
    start: Start,
    how: HowRead,
) -> tuple[Side, Side]:
    """Return the sides of two files, of which `books` are workbooks; `how` says how a log is read."""
    kinds = {book.kind for book in books.values()}
    if kinds == {LEAGUE, JOURNAL}:
        raise UsageError("a league rates a pool and a journal one player: they have no ratings to compare")
    if LEAGUE in kinds and player is not None:
        raise UsageError("--player is for journals and logs: a league rates its whole pool")
    if JOURNAL in kinds:
        player = _owner_of([book.manifest.title for book in books.values()], player, beside_log=len(books) < 2)
    found = {path: book.side(player) for path, book in books.items()}
    beside = next(iter(found.values()), None)
    if beside is None:
        rules = find_system(system or "elo")
        beside = Side("", LOG, rules, resolve(rules, settings), GamesRead(make_games([])), player=player)
    given = beside.settings if books else resolve(beside.system, beside.settings).typed
    first, second = (found.get(path) or _log_side(path, beside, given, start, how) for path in paths)
    return first, second


def _owner_of(titles: Sequence[str], player: str | None, beside_log: bool) -> str:
    """Return whose journal is compared."""
    names = {identity(title): title for title in titles if title}
    if player is not None:
        return player
    if len(names) > 1:
        whose = " and ".join(names.values())
        raise UsageError(f"these are journals of {whose}: if that is one player, say so with --player NAME")
    if not names and beside_log:
        raise UsageError("the journal does not say whose it is: give --player NAME")
    return next(iter(names.values()), "(owner)")


def _log_side(path: str | Path, beside: Side, given: Collection[str], start: Start, how: HowRead) -> Side:
    """Return a log as a side that is rated as the one beside it, whose player makes it that player's journal.

    Players whom a league beside it lists start from what it says; `start` holds for the others (see `starts`).
    """
    settings = resolve(beside.system, beside.settings)
    log = read_for(expand([str(path)]), settings, player=beside.player, **how)
    refuse_without_games(log, str(path))
    notes = [*log.notes, *rule_notes(beside.system, settings, log.games)]
    log = replace(log, games=weighted(log.games, beside.system, settings))
    if beside.player is None:
        own, told = _pool_starts(log.games, beside, given, start)
        return Side(str(path), LOG, beside.system, settings, GamesRead(log.games, log.problems, [*notes, *told]), own)
    owner = find_player(log.games, beside.player)
    found = starts(of_list(start, log.games), beside.system, log.games, given, player=owner)
    notes += journal_notes(log.games, owner, beside.system.name, given, found)
    settings = begun(beside.system, settings, found, owner)
    mine = journal_games(log.games, beside.player)
    mine = mine[mine["opponent_rating"].notna()]
    records = [
        _own_game(beside.player, row["date"], row["opponent"], row["colour"], row["score"], row["opponent_rating"])
        | {"event": row["event"] or None, "source": row["source"], "source_row": row["source_row"]}
        for row in mine.to_dict("records")
    ]
    games = make_games(records).assign(game=range(1, len(records) + 1))
    return Side(str(path), LOG, beside.system, settings, GamesRead(games, log.problems, notes), player=beside.player)


def _pool_starts(
    games: pd.DataFrame, beside: Side, given: Collection[str], start: Start
) -> tuple[dict[str, Mapping[str, float]], list[str]]:
    """Return what the players of a log start from beside another side, and remarks."""
    if beside.kind == LOG:
        found = starts(of_list(start, games), beside.system, games, given)
        return {name: found.states.get(name, {}) for name in players(games)}, list(found.notes)
    spelt = {identity(name): name for name in players(games)}
    listed = {spelt.get(beside.keys[name], name): state for name, state in beside.start.items()}
    found = starts(None, beside.system, games)
    others = {name: state for name, state in found.states.items() if name not in listed}
    told = f"{beside.name} does not list {', '.join(map(repr, others))}: first published ratings in the log"
    return listed | others, [told] if others else []
