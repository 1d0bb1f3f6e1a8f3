"""Logs in, games and problems out: `read` tells formats apart by their content, and loses no row silently."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from elo_sheets._late import pd
from elo_sheets._memory import give_back
from elo_sheets.errors import UsageError
from elo_sheets.games import COLUMNS, OTHER, GamesRead, Problem, check_games, make_games
from elo_sheets.readers._again import Identities, Moves
from elo_sheets.readers._apart import read_apart
from elo_sheets.readers._dates import RememberedWord
from elo_sheets.readers._given import Logs, expand, is_games_table, one_by_one
from elo_sheets.readers._layout import Remembered, Row, Table, named_columns
from elo_sheets.readers._names import look_alikes, skeleton
from elo_sheets.readers._near import MOST_NAMES, doubtful, doubts_said
from elo_sheets.readers._opening import is_file, log_readings, source_of
from elo_sheets.readers._registry import How, OpenLog, Reader, reader_named
from elo_sheets.readers._tables import alike, joined_tables, table_of, with_categories, with_pages
from elo_sheets.readers._text import Reading, check_encoding, clean_name, identity
from elo_sheets.readers._together import names_of, no_shootouts, once, one_pool, one_side, one_spelling
from elo_sheets.readers._until import games_after
from elo_sheets.readers.csv import read_table
from elo_sheets.readers.names_map import NamesMap, asked, read_names, renamed, spellings_said

if TYPE_CHECKING:
    from elo_sheets.readers._apart import ReadApart

__all__ = [
    "How",
    "HowRead",
    "Logs",
    "OpenLog",
    "Problem",
    "Reader",
    "Reading",
    "Remembered",
    "RememberedWord",
    "Row",
    "Table",
    "expand",
    "one_by_one",
    "read",
    "read_for",
    "read_table",
]

ORDERS = ("dmy", "mdy", "ymd")


class HowRead(TypedDict, total=False):
    """How logs are read: the arguments of `read` that every function which takes logs hands on to it."""

    columns: Mapping[str, str] | None
    dates: Literal["dmy", "mdy", "ymd"] | None
    encoding: str | None
    pool: str | None
    keep_duplicates: bool
    keep_names: Sequence[str]
    lowest_wins: bool
    sheet: str | None
    reader: str | Reader | None
    names: str | Path | NamesMap | None
    until: str | date | None
    without: Sequence[str]
    workers: int | ReadApart
    progress: Callable[[int], None] | None


def read(
    logs: Logs,
    *,
    columns: Mapping[str, str] | None = None,
    dates: Literal["dmy", "mdy", "ymd"] | None = None,
    encoding: str | None = None,
    player: str | None = None,
    pool: str | None = None,
    pools_apart: bool = False,
    keep_duplicates: bool = False,
    keep_names: Sequence[str] = (),
    lowest_wins: bool = False,
    sheet: str | None = None,
    reader: str | Reader | None = None,
    names: str | Path | NamesMap | None = None,
    until: str | date | None = None,
    without: Sequence[str] = (),
    workers: int | ReadApart = 1,
    progress: Callable[[int], None] | None = None,
) -> GamesRead:
    """Return the games of all logs in the order of play, a problem for each row kept out, and remarks.

    Each log is a path, `-` for the standard input, a binary stream, bytes, or a data frame, whose columns are named as
    those of a CSV file may be and whose rows are counted from 2; a table of games is taken as it is. PGN, FIDE
    tournament reports, workbooks, JSON, web pages, crosstables and delimited text are told apart by their content, and
    zip, gzip, bzip2, xz and zstd (extra `zstd` before Python 3.14) are unpacked. `sheet` names the sheet of a workbook
    where several hold games; `reader` is a reader of your own, which is asked before ours: a `readers.Reader`,
    `FILE.py:NAME`, or the name that an installed package gives it. `names` is a TOML file of canonical names and their
    spellings, into which names that may be one person are written as questions (`readers/names_map.py`).
    `until` keeps out the games after that day; `without` names columns that are not made of them.

    `columns` maps columns of the games table to headers or to numbers from 1, `dates` says which of day, month and year
    comes first, `encoding` overrules what the bytes say, `player` names the owner of a journal or of a Chess.com log,
    and `pool` keeps the games of one pool; with `pools_apart` the remark on pools says that each is rated on its own. A
    game that two rows tell of is counted once, as `readers/_twice.py` says, unless `keep_duplicates`. `keep_names` are
    players' names of these logs that otherwise stand for nobody, such as nan or Bye. With `lowest_wins` the side with
    the fewest points won, as in golf. `workers` is how many processes read files at the same time, each file by one of
    them; what is found is the same. (A function in its place has files read elsewhere, as `ingest_dask` does.)
    `progress` is called now and then with the number of rows and games read so far.

    Raises `UnreadableInput` for a log that is missing, empty, of another kind, or that leaves open what only
    its owner can decide; `UsageError` when an argument names what there is not.

    >>> found = read([b"date,white,black,result\\n2024-05-01,Ann,Bob,1-0\\n2024-05-02,Ann,Cid,*\\n"])
    >>> found.read, found.kept, str(found.problems[0])
    (2, 1, "log, row 3, result '*': unfinished or without a result")
    """
    logs = one_by_one(logs)
    if not logs:
        raise UsageError("expected at least one log, got none")
    if len(logs) == 1 and is_games_table(logs[0]):
        told = columns and not isinstance(columns, Remembered)
        ordered = dates and not isinstance(dates, RememberedWord)
        if told or ordered or encoding or pool or keep_names or lowest_wins is True:
            raise UsageError("a table of games is taken as it is: leave out what says how to read a log")
        return _until(GamesRead(check_games(logs[0])), until)
    given: HowRead = {"columns": columns, "dates": dates, "encoding": encoding, "keep_names": keep_names}
    how, own = how_of({**given, "sheet": sheet, "reader": reader, "lowest_wins": lowest_wins})
    whole, sizes, moves = _gathered(logs, replace(how, player=player), (own, reader), progress, workers)
    if names is not None:
        _one_name(whole, names)
    assert whole.table is not None
    if lowest_wins is True and whole.kept and "white_points" not in whole.table:
        raise UsageError("expected points of both sides, of which the fewest win, got none: leave out --lowest-wins")
    players = Identities(whole.table)
    once(whole, players, no_shootouts(whole, sizes), keep_duplicates, moves)
    if not keep_duplicates:
        one_side(whole)
    one_spelling(whole, players)
    one_pool(whole, pool, pools_apart)
    whole.notes += _names_said(whole.table, players, asked=names is not None)
    give_back(sum(sizes))
    games = make_games(_without(with_pages(whole.taken()), without))
    give_back(sum(sizes))
    games.attrs |= _told_beside(whole, alone=len(sizes) == 1)
    return _until(GamesRead(games, whole.problems, whole.notes, whole.headers), until)


def _without(table: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return a table that has lost columns: they are free."""
    for name in names:
        if name in table:
            del table[name]
    return table


def _told_beside(whole: Reading, alone: bool) -> dict[str, Any]:
    """Return what logs tell beside their games: ids and titles, and of an event that is `alone` who takes part."""
    told: dict[str, Any] = {"ids": whole.ids, "titles": whole.titles}
    found = {name: value for name, value in told.items() if value}
    if not alone or not whole.entrants:
        return found
    return {"entrants": whole.entrants, "unplayed": whole.unplayed, "tournament": whole.tournament, **found}


def _gathered(
    logs: Sequence[Any],
    how: How,
    own: tuple[Reader | None, str | Reader | None],
    progress: Callable[[int], None] | None,
    workers: int | ReadApart,
) -> tuple[Reading, list[int], list[Moves | None]]:
    """Return what all logs hold, how many games each of them has, and the moves of each."""
    whole = Reading()
    tables: list[pd.DataFrame] = []
    moves = []
    for name, reading in _each_reading(logs, how, own, progress, workers):
        tables.append(table_of(reading.records) if reading.table is None else reading.table)
        moves.append(reading.moves)
        reading.table = None
        whole.add(reading, f"{name}: " if len(logs) > 1 else "")
    if not tables:
        tables.append(table_of([]))
    if progress is not None:
        progress(sum(map(len, tables)) + len(whole.problems))
    sizes = list(map(len, tables))
    whole.table = joined_tables(alike(tables))
    del tables
    give_back(sum(sizes))
    whole.ids |= {identity(str(one["name"])): str(one["id"]) for one in whole.entrants if one.get("id")}
    return whole, sizes, moves


def _until(log: GamesRead, until: str | date | None) -> GamesRead:
    """Return a log without the games after a day, each a problem; games without a day stay.

    Raises `UsageError` for what is no day.
    """
    if until is None:
        return log
    late, problems, notes = games_after(log.games, until)
    attributes = log.games.attrs
    kept = log.games[~late].reset_index(drop=True)
    kept = kept.assign(game=range(1, len(kept) + 1))
    kept.attrs = dict(attributes)
    return GamesRead(kept, [*log.problems, *problems], [*log.notes, *notes], log.headers)


def _names_said(table: pd.DataFrame | None, players: Identities, asked: bool) -> list[str]:
    """Return the remarks on names that look alike, and, unless they were asked, on those that may be one player."""
    assert table is not None
    if players.are_apart and not players.alike and len(players.names) > MOST_NAMES:
        return []
    names = names_of(table)
    pairs = [] if asked else doubtful(table, names)
    return look_alikes(names) + doubts_said([pair for pair in pairs if skeleton(pair[0]) != skeleton(pair[1])])


def _one_name(whole: Reading, names: str | Path | NamesMap) -> None:
    """Give the games the names that are known, and ask in their file what it does not say of names that are near."""
    known = names if isinstance(names, NamesMap) else read_names(names)
    assert whole.table is not None
    whole.table, changed = renamed(whole.table, known, whole.ids)
    if changed:
        whole.notes.append(spellings_said(changed, known))
    whole.notes += asked(whole.table, names_of(whole.table), known, whole.ids)


# One log


def _each_reading(
    logs: Sequence[Any],
    how: How,
    own: tuple[Reader | None, str | Reader | None],
    progress: Callable[[int], None] | None,
    workers: int | ReadApart,
) -> Iterator[tuple[str, Reading]]:
    """Yield what each log holds, with the log's name; `progress` hears of the rows of all of them.

    `own` is a reader of one's own and what it was asked for by.
    """
    before = 0
    files = [str(log) for log in logs if is_file(log)]
    apart = read_apart(files, how, own[1], workers) if isinstance(workers, int) else workers(files, how, own[1])
    with closing(apart):
        for log in logs:
            if is_games_table(log):
                before += len(log)
                yield source_of(log), Reading(table=with_categories(check_games(log)))
                continue
            found: Iterable[tuple[str, Reading]] | None = next(apart, None) if is_file(log) else None
            if found is None:
                count = None if progress is None else lambda number, before=before: progress(before + number)
                found = log_readings(log, replace(how, progress=count), own[0])
            elif progress is not None:
                progress(before + sum(reading.read for _, reading in found))
            for name, reading in found:
                before += reading.read
                yield name, reading


def read_for(
    logs: Logs, *settings: Mapping[str, object], player: str | None = None, **how: Unpack[HowRead]
) -> GamesRead:
    """Read logs as `read` does, with the columns that the settings of systems name as their rating periods."""
    logs = one_by_one(logs)
    if all(map(is_games_table, logs)):  # which hold that column already
        return read(logs, player=player, **how)
    wanted = dict(how.get("columns") or {})
    for period in (str(values.get("period", "")) for values in settings):
        name = period.removeprefix(OTHER)
        if period.startswith(OTHER) and name not in COLUMNS and period not in wanted:
            wanted[period] = name
    how["columns"] = wanted or None
    return read(logs, player=player, **how)


def how_of(how: HowRead) -> tuple[How, Reader | None]:
    """Return how a log is read as a reader takes it, and the reader that is asked for."""
    asked = how.get("reader")
    names = frozenset(map(clean_name, how.get("keep_names", ())))
    dates, encoding = how.get("dates"), how.get("encoding")
    if dates is not None and dates not in ORDERS:
        raise UsageError(f"expected dates {', '.join(ORDERS)}, got {dates!r}")
    check_encoding(encoding)
    found = How(named_columns(how.get("columns") or {}), dates, encoding, None, names, how.get("sheet"))
    found = replace(found, lowest_wins=bool(how.get("lowest_wins")))
    return found, None if asked is None else reader_named(asked)
