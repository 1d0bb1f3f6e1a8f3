"""A book with the games of further logs, rows to grow into and today's formulas; all else as its owner made it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Unpack

from elo_sheets._late import pd
from elo_sheets._outside import undisturbed
from elo_sheets.errors import OutputRefused, UsageError
from elo_sheets.files.cells import without_collection
from elo_sheets.files.lint import lint
from elo_sheets.files.save import check_output, private_folder, refuse_unwritable, remove, replacing
from elo_sheets.formula import DIALECTS
from elo_sheets.games import GamesRead, find_player, identity, owner
from elo_sheets.readers import HowRead, Logs, one_by_one
from elo_sheets.readers._near import near_pairs
from elo_sheets.readers.names_map import NamesMap
from elo_sheets.replaying.journal import journal_games
from elo_sheets.replaying.periods import FIRST_SHEET_DAY, serial_days
from elo_sheets.replaying.settings import resolve
from elo_sheets.replaying.starting import Start, Starts
from elo_sheets.replaying.weighing import weighted
from elo_sheets.systems import Rules, systems_named
from elo_sheets.team_games import TeamGamesRead
from elo_sheets.uses.importing import read_logs, refuse_a_part
from elo_sheets.uses.listing import of_list
from elo_sheets.uses.mapped import as_remembered, sheet_by_name
from elo_sheets.uses.notes import refuse_without_games
from elo_sheets.uses.updating.carrying import carry
from elo_sheets.uses.updating.carrying.layout import Owned
from elo_sheets.uses.updating.growing import Growth, game_rows, grown, listed, player_rows, used_rows, with_sizes
from elo_sheets.uses.updating.merging import Conflict, Merged, entries, merge, next_rounds, places
from elo_sheets.uses.updating.naming import as_one, book_spellings, held_games, names_of_book, remarks, remembering
from elo_sheets.uses.updating.old import Old
from elo_sheets.uses.updating.rows import Row, archived, rows_of, typed_row, when_of
from elo_sheets.uses.updating.sided import held_sides, sided_log, sided_rows
from elo_sheets.uses.updating.starting import with_new_starts
from elo_sheets.validate.judge import is_rating
from elo_sheets.workbook import MOST_ROWS
from elo_sheets.workbook.book import Book, Columns, Filling, Inputs
from elo_sheets.workbook.build import check_size, plan_book
from elo_sheets.workbook.event.filled import told_rounds
from elo_sheets.workbook.fits import holds_sides, ledger_rows
from elo_sheets.workbook.journal.rows import inputs_from_games
from elo_sheets.workbook.layout import name_of
from elo_sheets.workbook.plan import CellValue, Plan
from elo_sheets.workbook.sourced import SOURCE, sources_told
from elo_sheets.workbook.sports.guessed import with_draws
from elo_sheets.workbook.sports.profiles import NO_DRAWS, words_of
from elo_sheets.workbook.templates import template as find_template
from elo_sheets.workbook.write import write_book, write_plan, written_faults


@dataclass(frozen=True)
class Updated:
    """What an update did, or in a dry run would do.

    `merged` says what the logs say beyond the book, `players` who is new in it. `rows` are those of its table of games
    before and after. `renewed` counts the cells that have today's formula or text instead of an older or a changed
    one, `numbers` says which ratings that changes. `output` is the file that was written, None where nothing is to
    change or after a dry run; `backup` the copy of the old one.
    """

    book: str
    template: str
    system: str
    log: GamesRead | TeamGamesRead | None
    merged: Merged
    players: Sequence[str]
    rows: tuple[int, int]
    renewed: int = 0
    numbers: Sequence[str] = ()
    changed: bool = True
    output: str | None = None
    backup: str | None = None
    notes: Sequence[str] = ()

    def __repr__(self) -> str:
        merged = self.merged
        told = f"{len(merged.added)} added, {len(merged.entered)} entered, {len(merged.conflicts)} conflicts"
        return f"<{Path(self.output or self.book).name}{'' if self.output else ', nothing written'}: {told}>"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a game that the log says beyond the book: what (added, entered, conflict), day, game."""
        rows = [("added", row.day, str(row)) for row in self.merged.added]
        rows += [("entered", row.day, str(row)) for _, row in self.merged.entered]
        rows += [("conflict", one.typed.day, str(one)) for one in self.merged.conflicts]
        return pd.DataFrame(rows, columns=["what", "day", "game"])

    @property
    def unresolved(self) -> Sequence[Conflict]:
        """The conflicts that were left as they are typed."""
        return self.merged.conflicts


@dataclass
class _Change:
    """What becomes of a book's input: the new one, how the rows of its tables moved, and what is told of it."""

    book: Book
    growths: list[Growth]
    merged: Merged
    log: GamesRead | TeamGamesRead | None = None
    players: list[str] = field(default_factory=list)
    taken: list[Conflict] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@without_collection()
def update(
    book: str | Path,
    logs: Logs = (),
    *,
    rows: int | None = None,
    take_log: bool = False,
    player: str | None = None,
    system: str | Rules | None = None,
    template: str | Path | None = None,
    start: Start = None,
    output: str | Path | None = None,
    overwrite: bool = False,
    dry_run: bool = False,
    backup: bool = True,
    **how: Unpack[HowRead],
) -> Updated:
    """Add the games of logs to a workbook that elo-sheets made, in place or as another book.

    Only the games that the book does not hold are added, each where its day belongs; two equal games of a log are two.
    A game that stands there without a result gets it. One with another result is a conflict: it is kept as it is typed,
    or changed with `take_log`. Players who are new are added, with what they start from by `start` (see `starts`).
    `rows` is how many games the book can hold afterwards; unless given it gets more rows before they run out. Its
    formulas are those of today's release. When nothing is to change the file is not touched; a second run with the same
    logs changes nothing. `system` is the rule of a book whose rule is not built in, `template` the TOML
    file of a template that is not. A dry run does all but write.
    `how` says how the logs are read (see `read`).

    The old file is replaced in one step, and copied beside it first unless `backup` is False; with an `output` it stays
    as it is, and that file is written, over an older one only with `overwrite`.

    Raises `UnreadableInput` for a book or a log that cannot be read, `UsageError` for contradicting arguments,
    `OutputRefused` where something in the book cannot be kept or the file cannot be replaced.
    """
    if template is not None:
        find_template(str(template))
    path, logs = Path(book), one_by_one(logs)
    if not logs:
        _refuse_without_logs({"start": start is not None, "player": player is not None, "take-log": take_log}, how)
    if rows is not None and not 2 <= rows <= MOST_ROWS:
        raise UsageError(f"expected from 2 to {MOST_ROWS} rows, got {rows}")
    given = systems_named(system)
    if output is not None:
        check_output(output, [book, *logs], path.suffix.lower())
    target = path if output is None else Path(output)
    before = _state(path)
    old = Old.read(path, given)
    if not dry_run:
        refuse_unwritable(target, overwrite=output is None or overwrite)
    names = names_of_book(old, how, dry_run)
    change = _change(old, logs, rows, take_log, player, start, how, names)
    change.book = remembering(change.book, names, how)
    change.book = replace(change.book, options=sheet_by_name(change.book.options, change.log))
    change.notes += remarks(old, names, _listed(old), dry_run)
    plan = plan_book(change.book)
    check_size(plan, change.book)
    changed = not _same(old, plan, change.book) or bool(old.outdated)
    if output is not None:
        _write_new(old, plan if changed else None, change, target, overwrite, dry_run)
    saved = _write(old, plan, change, before, dry_run, backup) if changed and output is None else None
    games = old.view.games_table
    count = (old.planned.inputs.rows(games), change.book.inputs.rows(games)) if games else (0, 0)
    return Updated(
        str(book),
        old.manifest.template,
        old.manifest.rules.full_name,
        change.log,
        change.merged,
        change.players,
        count,
        len(old.outdated),
        list(_numbers(old)) if old.outdated else [],
        changed,
        None if dry_run or not (changed or output) else str(target),
        saved,
        [*old.notes, *change.notes],
    )


def next_season(
    book: str | Path,
    output: str | Path,
    *,
    system: str | Rules | None = None,
    template: str | Path | None = None,
    overwrite: bool = False,
    dry_run: bool = False,
) -> Updated:
    """Write the book of the next season: the players with what they carry, and no games; the old book stays as it is.

    Each starts from his rating, RD, volatility and games of today, and where the rule asks how long he was away, from
    the day or season of his last game. Settings and what the owner made are kept, but for notes and comments beside
    single games. `system` is the rule of a book whose rule is not built in, `template` the TOML file of a template that
    is not.

    Raises `UnreadableInput` for a book that cannot be read, `UsageError` for a template that has no seasons,
    `OutputRefused` where something cannot be kept or the output exists and `overwrite` is not given.
    """
    from elo_sheets.uses.updating import seasons

    if template is not None:
        find_template(str(template))
    check_output(output, [book], ".xlsx")
    if not dry_run:
        refuse_unwritable(Path(output), overwrite=overwrite)
    old = Old.read(Path(book), systems_named(system))
    coming = seasons.next_season(old)
    change = _Change(coming, [], Merged())
    count = old.planned.inputs.rows(old.view.games_table), coming.inputs.rows(old.view.games_table)
    _write_new(old, plan_book(coming), change, Path(output), overwrite, dry_run, without_games=True)
    written, notes = None if dry_run else str(output), [*old.notes, seasons.carried_note(old, coming)]
    made_of = old.manifest.template, old.manifest.rules.full_name
    return Updated(str(book), *made_of, None, change.merged, [], count, output=written, notes=notes)


# What the options of reading are called where they are given.
_OF_READING = {"columns": "map", "keep_names": "keep-name"}


def _refuse_without_logs(given: Mapping[str, bool], how: HowRead) -> None:
    """Raise `UsageError` for what says something of logs where there are none."""
    named = [name for name, is_given in given.items() if is_given]
    without = {"progress", "names"}  # answers are remembered without a log too
    named += [
        _OF_READING.get(name, name.replace("_", "-")) for name, value in how.items() if value and name not in without
    ]
    if named:
        raise UsageError(
            f"no log is given, which {', '.join(f'--{name}' for name in named)} would be for: leave it out"
        )


def _same(old: Old, plan: Plan, book: Book) -> bool:
    """Return whether a book holds the same as the old one, in tables of the same size."""
    before, now = old.planned.inputs, book.inputs
    tables = [{name: dict(table) for name, table in one.tables.items()} for one in (before, now)]
    same = before.cells == now.cells and dict(old.planned.options) == dict(book.options) and tables[0] == tables[1]
    return same and _sizes(old.plan) == _sizes(plan)


def _sizes(plan: Plan) -> list[tuple[str, int]]:
    return [(table.name, table.rows) for sheet in plan.sheets for table in sheet.tables]


# What becomes of the input


def _change(
    old: Old,
    logs: Sequence[Any],
    rows: int | None,
    take_log: bool,
    player: str | None,
    start: Start,
    how: HowRead,
    names: NamesMap,
) -> _Change:
    """Return what becomes of the input of a book."""
    if not old.view.games_table:
        if logs or rows is not None:
            raise UsageError(f"template {old.manifest.template} holds no games: update it without logs and --rows")
        return _Change(old.planned, [], Merged())
    inputs = old.planned.inputs
    typed = _typed_rows(old, names)
    past = archived(inputs, words_of(old.form))
    if names.path is not None:
        held = held_sides(typed) if holds_sides(old.manifest.template) else held_games(old, [*past, *typed])
        names = replace(names, held=held)
    how = as_remembered(how, old.manifest.options)
    found = _Logs.read(old, logs, player, start, how, names) if logs else None
    typed, past = as_one(typed, names), as_one(past, names)
    merged = Merged()
    if found is not None:
        merged = _merged(old, typed, past, found)
    change = _Change(old.planned, [], merged, None if found is None else found.log)
    level = sum(row.result == NO_DRAWS for row in [*merged.added, *(log for _, log in merged.entered)])
    if level:  # a log with draws has them, whatever the sport says
        notes: list[str] = []
        drawing = old.with_options(with_draws(words_of(old.form), level, notes))
        change = _change(drawing, logs, rows, take_log, player, start, how, names)
        return replace(change, notes=[*notes, *change.notes])
    tables = dict(inputs.tables)
    tables[old.view.games_table] = _entered(inputs.tables[old.view.games_table], change, take_log)
    _refuse_archived(old, merged)
    if found is not None:
        change.notes += found.notes
        _add_players(old, found, tables, change, names)
    _add_games(old, typed, tables, rows, change)
    cells = inputs.cells if found is None else _last_day(inputs.cells, found, change)
    change.book = with_sizes(replace(old.planned, inputs=replace(inputs, tables=tables, cells=cells)))
    return change


def _merged(old: Old, typed: Sequence[Row], past: Sequence[Row], found: _Logs) -> Merged:
    """Return what the logs say beyond the book; where an event's log has no rounds, its days tell a further meeting."""
    if found.knows_rounds:
        return merge(typed, found.rows, past, fixtures=old.view.keeps_fixtures)
    last, _ = when_of(old.planned.inputs.cells.get("last_day"))
    later = [row for row in found.rows if last and found.days.get(row.typed.get(SOURCE), 0.0) > last]
    merged = merge(typed, [row for row in found.rows if row not in later], past, any_round=True)
    merged.added = next_rounds(typed, [*merged.added, *later])
    return merged


def _last_day(cells: Mapping[str, CellValue], found: _Logs, change: _Change) -> Mapping[str, CellValue]:
    """Return the cells of an event with the last day of its games, where that is later than the one that it has."""
    (last, said), latest = when_of(cells.get("last_day")), max(found.days.values(), default=0.0)
    if not last or latest <= last:
        return cells
    change.notes.append(f"the last day of the event was {said}, and is {when_of(latest)[1]} now")
    return {**cells, "last_day": latest}


def _typed_rows(old: Old, names: NamesMap) -> list[Row]:
    name, system, settings = old.manifest.template, old.manifest.system, old.planned.settings
    if holds_sides(name):
        return list(sided_rows(name, system, settings, old.planned.inputs, names))
    return rows_of(old.view, old.form, system, settings, old.planned.inputs)


def _entered(typed_games: Columns, change: _Change, take_log: bool) -> Columns:
    """Return the games with results in the rows that had none, and with `take_log` in those that had another."""
    table = dict(typed_games)
    merged = change.merged
    given = list(merged.entered)
    if take_log:
        change.taken = [conflict for conflict in merged.conflicts if not conflict.old]
        merged.conflicts = [conflict for conflict in merged.conflicts if conflict.old]
        given += [(conflict.typed, conflict.log) for conflict in change.taken]
        change.notes += [f"changed as the log says: {conflict}" for conflict in change.taken]
    for typed, log in given:
        for label, value in entries(typed, log).items():
            cells = list(table[label])
            cells[typed.at] = value
            table[label] = cells
        if typed.when and typed.when != log.when:
            change.notes.append(f"{' – '.join(typed.names)} was to be played on {typed.day}, and was on {log.day}")
    return table


def _refuse_archived(old: Old, merged: Merged) -> None:
    """Raise `OutputRefused` for a game that would stand before the last one of those that are kept as values."""
    if "Archive" not in old.planned.inputs.tables:
        return
    last = max((row.when for row in archived(old.planned.inputs, words_of(old.form))), default=0.0)
    early = [row for row in merged.added if row.when and row.when < last]
    if early:
        raise OutputRefused(
            f"the log has {len(early)} games before the end of the sheet Archive, such as {early[0]}, and what stands "
            "there are values: make the book anew from all logs with import"
        )


def _add_games(old: Old, typed: Sequence[Row], tables: dict[str, Columns], rows: int | None, change: _Change) -> None:
    """Add the new games in their places, and rows to grow into."""
    name = old.view.games_table
    table = tables[name]
    was = len(next(iter(table.values())))
    used = used_rows(table) + len(change.merged.added)
    if rows is not None and rows < max(was, used):
        what = f"holds {used} games" if used > rows else f"has {was} rows already"
        raise UsageError(f"the book {what}: expected --rows {max(was, used)} or more, got {rows}")
    count = game_rows(old.manifest.template, used, was) if rows is None else rows
    if count > MOST_ROWS:
        raise OutputRefused(f"{used} games are more than a live workbook can hold ({MOST_ROWS})")
    new = [(at, row.typed) for at, row in places(typed, change.merged.added)]
    tables[name], growth = grown(name, table, new, count)
    change.growths += [growth, _behind(old, growth)]


def _behind(old: Old, growth: Growth) -> Growth:
    """Return how the rows of the Ledger moved, which has as many for each game as it has sides or seats."""
    sides = ledger_rows(old.manifest.template)
    before = tuple(sides * at for at in growth.before for _ in range(sides))
    return Growth("Ledger", before, old.planned.inputs.sizes["Ledger"], sides * growth.now)


def _add_players(old: Old, found: _Logs, tables: dict[str, Columns], change: _Change, names: NamesMap) -> None:
    """Add the players whom the book does not list, in the order in which the log has them."""
    name, key = old.view.people_table
    if name not in tables or old.view.rows_a_game == 1:
        return
    key = key if key in tables[name] else "Name"
    table = tables[name]
    known = {identity(one) for one in listed(table, key)}
    fresh = found.inputs.tables[name]
    playing = {side for row in (*change.merged.added, *(log for _, log in change.merged.entered)) for side in row.who}
    entrants = not old.view.is_replayed
    new = [
        typed_row(fresh, at)
        for at, player in enumerate(listed(fresh, key))
        if player and identity(player) not in known and (entrants or names.key(player) in playing)
    ]
    used = used_rows(table, key)
    rows = player_rows(old.manifest.template, used + len(new), len(table[key]))
    tables[name], growth = grown(name, table, [(used, typed) for typed in new], rows, key)
    change.growths.append(growth)
    change.players = [name_of(typed[key]) for typed in new]
    change.notes += _near(change.players, listed(table, key), names)


def _near(new: Sequence[str], known: Sequence[str], names: NamesMap) -> Iterator[str]:
    """Yield a remark for each new name that is nearly one that the book has."""
    there = dict.fromkeys(name for name in known if name)
    for one, other in near_pairs([*there, *new]):
        if (one in there) != (other in there) and frozenset(map(identity, (one, other))) not in names.different:
            yield (
                f"{other!r} is new in the book, which has {one!r}: one player has one spelling; --names FILE.toml asks "
                "whether they are one, and the book remembers the answer"
            )


@dataclass(frozen=True)
class _Logs:
    """Logs as the book would hold them alone: the input and its rows, under the names that the book has."""

    log: GamesRead | TeamGamesRead
    inputs: Inputs
    rows: Sequence[Row]
    notes: Sequence[str]
    knows_rounds: bool = True
    days: Mapping[CellValue, float] = field(default_factory=dict)  # of an event's games, by their sources

    @classmethod
    def read(
        cls, old: Old, logs: Sequence[Any], player: str | None, start: Start, how: HowRead, names: NamesMap
    ) -> _Logs:
        """Return what logs hold; raises `UnreadableInput` when that is no game."""
        manifest, view = old.manifest, old.view
        settings = resolve(manifest.rules, old.planned.settings)
        whose = player or manifest.title or None
        if view.rows_a_game == 2:
            whose = player
        if view.rows_a_game == 1 and start is not None:
            raise UsageError(
                "a journal starts from what stands on its sheet Start: type it there, and leave out --start"
            )
        if holds_sides(manifest.template):
            if player is not None:
                raise UsageError(f"the book {old.path} is of all its players: leave out --player")
            told, inputs, remarks_on = sided_log(old, logs, start, how, names)
            return cls(
                told, inputs, sided_rows(manifest.template, manifest.system, settings, inputs, names), remarks_on
            )
        how = {**how, "names": names}
        log = read_logs(view, logs, player=whose, **how)
        if view.rows_a_game == 2 and player is not None:
            refuse_a_part(log.games, player, f"the book {old.path} is of all its players", "give their games alone")
        refuse_without_games(log, "the logs")
        games = _spelt(log.games, old, names)
        if view.rows_a_game == 1:
            inputs = _journal_rows(games, find_player(games, whose or owner(games)), old)
            notes: Sequence[str] = ()
        else:
            inputs, notes = _pool_rows(games, old, settings, start)
        rows = as_one(rows_of(view, old.form, manifest.system, settings, inputs), names)
        if view.is_replayed:
            return cls(log, inputs, rows, [*log.notes, *notes])
        return cls(log, inputs, rows, [*log.notes, *notes], told_rounds(games) is not None, _days(games))


def _days(games: pd.DataFrame) -> dict[CellValue, float]:
    """Return the day of each game of a log, by what the book says of its source."""
    days = zip(sources_told(games), serial_days(games["date"]).tolist(), strict=True)
    return {source: day for source, day in days if day >= FIRST_SHEET_DAY}


def _spelt(games: pd.DataFrame, old: Old, names: NamesMap) -> pd.DataFrame:
    """Return games with the players' names as the book spells them."""
    spelt = book_spellings(_listed(old), names)
    attributes = games.attrs
    sides = {side: [spelt.get(names.key(one), one) for one in games[side].tolist()] for side in ("white", "black")}
    games = games.assign(**sides)
    games.attrs = dict(attributes)
    return games


def _listed(old: Old) -> list[str]:
    """Return the players whom the book names: its list, or the opponents of a journal."""
    tables = old.planned.inputs.tables
    name, key = old.view.people_table if old.view.rows_a_game == 2 else (old.view.games_table, "Opponent")
    return [] if name not in tables else listed(tables[name], key if key in tables[name] else "Name")


def _pool_rows(games: pd.DataFrame, old: Old, settings: Any, start: Start) -> tuple[Inputs, Sequence[str]]:
    """Return the input of a book of these games alone, and remarks on what its new players start from."""
    manifest, view = old.manifest, old.view
    games = weighted(games, manifest.rules, settings)
    found: Starts = view.starts(of_list(start, games), manifest.rules, games, settings.typed, None)
    form = {**old.form, "live": MOST_ROWS}
    inputs, started = with_new_starts(
        old, found, lambda starts: view.filled(form, manifest.system, settings, Filling(games, starts))[0]
    )
    return inputs, found.notes if started.states else ()


def _journal_rows(games: pd.DataFrame, player: str, old: Old) -> Inputs:
    """Return the Log of these games alone; the pool is told where the book tells it."""
    mine = journal_games(games, player)
    held = old.planned.inputs.tables["Log"]
    told = "Pool" in held and any(value is not None for value in held["Pool"])
    log = inputs_from_games(mine, len(mine), told, words_of(old.form))
    return replace(
        old.planned.inputs,
        tables={**old.planned.inputs.tables, "Log": {label: log[label] for label in held}},
        sizes={"Ledger": len(mine)},
    )


# What is written


def _numbers(old: Old) -> Iterator[str]:
    """Yield the ratings that today's formulas change, by what the book has stored, the largest change first."""
    found = []
    for planned in old.plan.formulas():
        if not is_rating(planned) or not isinstance(planned.value, float):
            continue
        cell = old.book.sheets.get(planned.sheet, {}).get((planned.row, planned.column))
        if cell is not None and isinstance(cell.value, float) and abs(cell.value - planned.value) > 1e-6:
            found.append((planned.value - cell.value, planned, cell.value))
    for gap, planned, was in sorted(found, key=lambda one: -abs(one[0])):
        yield f"{planned.sheet}, row {planned.row}, {planned.label}: {was:.1f} → {planned.value:.1f} ({gap:+.1f})"


def _state(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


@contextmanager
def _made(old: Old, plan: Plan, change: _Change, without_games: bool = False) -> Iterator[Path]:
    """The new file, proved to be sound, as long as it is needed."""
    with private_folder() as folder:
        if old.is_sealed:
            write_book(plan, folder / "made.xlsx")
            yield folder / "made.xlsx"
            return
        fresh, made = folder / "fresh.xlsx", folder / f"made{old.path.suffix}"
        plan = Owned(old).plan(plan)
        write_plan(plan, fresh, folder)
        beside = carry(old, plan, change.growths, fresh, made, without_games=without_games)
        faults = written_faults(plan, made, beside)
        if faults:  # those of the owner's own were there before
            known = {(one.rule, one.sheet) for one in lint(old.raw, portable=DIALECTS[plan.dialect])}
            faults = [one for one in faults if (one.rule, one.sheet) not in known]
        if faults:
            raise OutputRefused(f"cannot write {old.path}: {'; '.join(map(str, faults[:5]))}")
        yield made


def _write(old: Old, plan: Plan, change: _Change, before: object, dry_run: bool, backup: bool) -> str | None:
    """Write the book in the place of the old one; the name of the copy of that, None for none."""
    with _made(old, plan, change) as made:
        if dry_run:
            return None
        if _state(old.path) != before:
            raise OutputRefused(f"{str(old.path)!r} was changed meanwhile: nothing was written; run it again")
        kept: str | None = None
        try:
            with undisturbed():  # a signal after the copy and before its name would leave it
                kept = _copied(old.path) if backup else None
            with replacing(old.path, overwrite=True) as beside:
                shutil.copyfile(made, beside)
        except BaseException:
            if kept is not None and _state(old.path) == before:  # nothing was updated
                remove(Path(kept))
            raise
    return kept


def _write_new(
    old: Old,
    plan: Plan | None,
    change: _Change,
    target: Path,
    overwrite: bool,
    dry_run: bool,
    without_games: bool = False,
) -> None:
    """Write the book as another one, without a plan just as it is."""
    with nullcontext(old.path) if plan is None else _made(old, plan, change, without_games) as made:
        if not dry_run:
            with replacing(target, overwrite=overwrite) as beside:
                shutil.copyfile(made, beside)


def _copied(path: Path) -> str:
    """Copy a book beside itself, and return the name of the copy."""
    names = (path.with_name(f"{path.stem}.before-update{number}{path.suffix}") for number in ("", *range(2, 10_000)))
    target = next(name for name in names if not name.exists())
    with replacing(target, overwrite=False) as beside:
        shutil.copyfile(path, beside)
    return str(target)


__all__ = ["Updated", "next_season", "update"]
