"""The kinds of logs that are read, in the order in which a log is asked whether it is one of them."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from typing import BinaryIO, cast

from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.readers import lines, page, records, sheets
from elo_sheets.readers._dates import RememberedWord
from elo_sheets.readers._layout import Table
from elo_sheets.readers._open_rows import open_rows, open_text
from elo_sheets.readers._registry import How, OpenLog, Reader, installed_readers
from elo_sheets.readers._text import Reading, bom_encoding
from elo_sheets.readers._unpacking import DAMAGED, HEAD, ZSTD, Rejoined
from elo_sheets.readers.csv import read_csv, read_table
from elo_sheets.readers.pgn import is_pgn, open_games, read_pgn_log
from elo_sheets.readers.trf import is_trf, open_pairings, read_trf
from elo_sheets.team_games import GamesOfSidesError

FOREIGN: tuple[tuple[bytes, str], ...] = (
    (b"PK\x05\x06", "an empty zip archive"),
    (
        ZSTD,
        "a file compressed with zstd, which Python cannot unpack here: pip install 'elo-sheets[zstd]', or unpack it "
        "first, as in zstd -dc FILE | elo-sheets … -",
    ),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
    (b"%PDF-", "a PDF; export its table as CSV"),
    (b"PAR1", "a Parquet file; convert it to CSV"),
    (b"SQLite format 3", "a database; export its games as CSV"),
)
MARKUP = re.compile(rb"\s*<(?:!doctype|html|\?xml|[a-z]+[\s>])", re.I)

CONTROL = bytes({*range(32)} - {*b"\t\n\r\x0b\x0c\x1a"})

# What an archive may hold beside logs without its being worth a word.
ASIDE = re.compile(r"(?:^|/)(?:__MACOSX/|\.|Thumbs\.db$|desktop\.ini$)", re.I)


def _of_tables(
    name: str, fits: Callable[[OpenLog, How], bool], tables: Callable[[OpenLog, How], Iterable[Table]]
) -> Reader:
    """Return the reader of a kind of log whose parts are tables."""
    return Reader(
        name,
        fits,
        lambda log, how: _each(tables(log, how), lambda table: read_table(table, how)),
        lambda log, how: _each(tables(log, how), lambda table: open_rows(table, how)),
    )


def _each(tables: Iterable[Table], read: Callable[[Table], Reading]) -> Iterator[Reading]:
    """Yield what the tables of a log hold.

    Raises `GamesOfSidesError` with all of them that hold games of sides, where one does.
    """
    sided: list[GamesOfSidesError] = []
    for table in tables:
        try:
            yield read(table)
        except GamesOfSidesError as error:
            sided.append(error)
    if sided:
        raise GamesOfSidesError(str(sided[0]), [table for one in sided for table in one.tables])


def _is_zip(log: OpenLog, how: How) -> bool:
    return log.head.startswith(b"PK\x03\x04")


READERS: tuple[Reader, ...] = (
    _of_tables("workbook", lambda log, how: sheets.is_workbook(log), sheets.tables),
    Reader(
        "zip",
        _is_zip,
        lambda log, how: _unzipped(log, how, readings),
        lambda log, how: _unzipped(log, how, open_readings),
    ),
    _of_tables("page", lambda log, how: page.is_page(log), page.tables),
    _of_tables("json", lambda log, how: records.is_json(log), records.tables),
    Reader("trf", lambda log, how: is_trf(log.ascii_head(how.encoding)), read_trf, open_pairings),
    Reader("pgn", is_pgn, read_pgn_log, open_games),
    _of_tables("lines", lines.is_lines, lines.tables),
)
ONE_LIST = frozenset({"page", "json", "trf", "pgn", "lines", "csv"})
TEXT = Reader("csv", lambda log, how: True, read_csv, open_text)


def reader_of(log: OpenLog, how: How, asked: Reader | None = None) -> Reader:
    """Return the reader of a log: the one asked for where it fits, ours, an installed one, or that of delimited text.

    Raises `UnreadableInput` for a log of another kind.
    """
    if not log.head.strip():
        raise UnreadableInput(f"expected games, got an empty file ({log.name})")
    first = [] if asked is None else [asked]
    for reader in (*first, *READERS, *installed_readers()):
        if reader.fits(log, how):
            return reader
    _check_text(log, how.encoding)
    return TEXT


def readings(log: OpenLog, how: How, asked: Reader | None = None) -> Iterator[Reading]:
    """Yield what a log holds, each of its parts as a reading."""
    reader = reader_of(log, how, asked)
    if how.sheet is not None and not isinstance(how.sheet, RememberedWord) and reader.name in ONE_LIST:
        raise UsageError(f"--sheet names a sheet of a workbook, and {log.name} is none: leave it out")
    for reading in reader.read(log, how):
        if not isinstance(reading, Reading):
            raise UsageError(f"expected readings from the reader {reader.name}, got {type(reading).__name__}")
        yield reading


def open_readings(log: OpenLog, how: How, asked: Reader | None = None) -> Iterator[Reading]:
    """Yield the games of a log that are still to be played."""
    reader = reader_of(log, how, asked)
    if reader.fixtures is not None:
        yield from reader.fixtures(log, how)


def _unzipped(log: OpenLog, how: How, read: Callable[[OpenLog, How], Iterator[Reading]]) -> Iterator[Reading]:
    """Yield what the files of an archive hold; one that is no log is named in a remark.

    Raises `UnreadableInput` for an archive that is damaged, protected, built to exhaust its reader, or without a log.
    """
    from elo_sheets.files.archive import Package, damage_reported

    refused: list[str] = []
    sided: list[GamesOfSidesError] = []
    count = 0
    with log.as_file() as path, damage_reported(path), zipfile.ZipFile(path) as archive:
        names = set(Package(path, archive).names)
        if names & {"xl/workbook.xml", "content.xml"}:
            one = read_table if read is readings else open_rows
            yield from _each(sheets.tables(log, how), lambda table: one(table, how))
            return
        for info in archive.infolist():
            if info.is_dir() or ASIDE.search(info.filename):
                continue
            if info.flag_bits & 1:
                raise UnreadableInput(f"expected an archive without a password ({log.name}); unpack it first")
            with archive.open(info) as stream:
                head = stream.read(HEAD)
                whole = cast(BinaryIO, BytesIO(head) if len(head) < HEAD else Rejoined(head, cast(BinaryIO, stream)))
                part = OpenLog(f"{log.name}/{info.filename}", head, whole)
                try:
                    if _is_zip(part, how) and not sheets.is_workbook(part):
                        raise UnreadableInput(f"expected a log, got an archive in an archive ({part.name})")
                    found = list(read(part, how))
                except UnreadableInput as error:
                    refused.append(str(error))
                    sided += [error] if isinstance(error, GamesOfSidesError) else []
                    continue
                except DAMAGED as error:
                    refused.append(f"{part.name} is damaged: {error}")
                    continue
            count += len(found)
            if found and refused:
                found[0].notes += [f"left out: {reason}" for reason in refused]
                refused = []
            yield from found
    if sided and not count:
        aside = [reason for reason in refused if reason not in map(str, sided)]
        held = [table for one in sided for table in one.tables]
        raise GamesOfSidesError(str(sided[0]), held, [f"left out: {reason}" for reason in aside])
    if not count:
        reason = f": {refused[0]}" if refused else ""
        raise UnreadableInput(f"expected an archive with logs of games, got none ({log.name}){reason}")
    if refused:
        yield Reading(notes=[f"left out: {reason}" for reason in refused])


def _check_text(log: OpenLog, encoding: str | None) -> None:
    """Raise `UnreadableInput` when the first bytes of a log are no delimited text."""
    head, source = log.head, log.name
    for magic, what in FOREIGN:
        if head.startswith(magic):
            raise UnreadableInput(f"expected a log of games, got {what} ({source})")
    if encoding is not None or bom_encoding(head):
        return
    if MARKUP.match(head):
        raise UnreadableInput(f"expected a log of games, got XML or a part of a page; save its table as CSV ({source})")
    if head.count(0) > len(head) / 4:
        raise UnreadableInput(
            f"expected text, got bytes that may be UTF-16 without its mark ({source}); give --encoding "
            "utf-16-le or utf-16-be, or save the file as UTF-8"
        )
    if len(head) - len(head.translate(None, CONTROL)) > len(head) / 10:
        raise UnreadableInput(f"expected a log of games, got a binary file ({source}); save it as CSV or PGN")
