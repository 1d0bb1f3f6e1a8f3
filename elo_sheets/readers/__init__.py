"""Logs in, games and problems out: `read` tells formats apart by their content, and loses no row silently."""

from __future__ import annotations

import bz2
import difflib
import glob
import gzip
import io
import lzma
import re
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import COLUMNS, OTHER, GamesRead, Problem, make_games
from elo_sheets.readers._names import look_alikes
from elo_sheets.readers._text import Reading, Record, bom_encoding, check_encoding, did_you_mean, identity
from elo_sheets.readers.csv import read_csv
from elo_sheets.readers.pgn import read_pgn
from elo_sheets.readers.trf import is_trf, read_trf

__all__ = ["expand", "read", "read_for"]

STDIN = "-"
HEAD = 1 << 16
ORDERS = ("dmy", "mdy", "ymd")

COMPRESSIONS: tuple[tuple[bytes, Callable[[BinaryIO], Any]], ...] = (
    (b"\x1f\x8b", lambda stream: gzip.GzipFile(fileobj=stream)),
    (b"BZh", bz2.BZ2File),
    (b"\xfd7zXZ\x00", lzma.LZMAFile),
)
FOREIGN: tuple[tuple[bytes, str], ...] = (
    (
        b"PK\x03\x04",
        "an Excel workbook or another zip archive; save the sheet as CSV (UTF-8), or unpack the archive",
    ),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook; save the sheet as CSV (UTF-8)"),
    (
        b"\x28\xb5\x2f\xfd",
        "a file compressed with zstd; unpack it first, as in zstd -dc FILE | elo-sheets … -",
    ),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
    (b"%PDF-", "a PDF; export its table as CSV"),
    (b"PAR1", "a Parquet file; convert it to CSV"),
    (b"SQLite format 3", "a database; export its games as CSV"),
)
FOREIGN_TEXT: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (
        re.compile(rb"\s*<(?:!doctype|html|\?xml|[a-z]+[\s>])", re.I),
        "a web page or XML; save its table as CSV",
    ),
    (re.compile(rb'\s*(?:\[\s*)?\{\s*"'), "JSON; convert it to CSV or PGN"),
)
TAG_LINE = re.compile(rb'^[ \t]*\[[ \t]*[A-Za-z0-9_]+[ \t]+"[^\r\n]*"[ \t]*\][ \t]*\r?$', re.M)
FIRST_MOVE = re.compile(
    rb"\s*(?:\{[^{}]*\}\s*)?(?:1\s*\.+\s*)?(?:[a-h][1-8]|[NBRQK][a-h1-8]?x?[a-h][1-8]|[a-h]x[a-h][1-8]|O-O)[+#!?]*\s"
)


def read(
    logs: Sequence[str | Path | BinaryIO],
    *,
    columns: Mapping[str, str] | None = None,
    dates: Literal["dmy", "mdy", "ymd"] | None = None,
    encoding: str | None = None,
    player: str | None = None,
    pool: str | None = None,
    pools_apart: bool = False,
    progress: Callable[[int], None] | None = None,
) -> GamesRead:
    """Return the games of all logs in the order of play, a problem for each row kept out, and remarks.

    Each log is a path, `-` for the standard input, or a binary stream; PGN, FIDE tournament reports and delimited text
    are told apart by their content, and gzip, bzip2 and xz are unpacked. `columns` maps columns of the games table to
    headers or to numbers from 1, `dates` says which of day, month and year comes first, `encoding` overrules
    what the bytes say, `player` names the owner of a journal or of a Chess.com log, and `pool` keeps the
    games of one pool; with `pools_apart` the remark on pools says that each is rated on its own. `progress` is called
    now and then with the number of rows and games read so far.

    Raises `UnreadableInput` for a log that is missing, empty, of another kind, or that leaves open what only
    its owner can decide; `UsageError` when an argument names what there is not.

    >>> import io
    >>> log = b"date,white,black,result\\n2024-05-01,Ann,Bob,1-0\\n2024-05-02,Ann,Cid,*\\n"
    >>> found = read([io.BytesIO(log)])
    >>> found.read, found.kept, str(found.problems[0])
    (2, 1, "log, row 3, result '*': unfinished or without a result")
    """
    if not logs:
        raise UsageError("expected at least one log, got none")
    if dates is not None and dates not in ORDERS:
        raise UsageError(f"expected dates {', '.join(ORDERS)}, got {dates!r}")
    check_encoding(encoding)
    whole = Reading()
    for log in logs:
        before = whole.read
        count = None if progress is None else lambda number, before=before: progress(before + number)
        reading = _read_one(log, columns, dates, encoding, player, count)
        whole.records += reading.records
        whole.problems += reading.problems
        whole.titles |= reading.titles
        prefix = f"{_source(log)}: " if len(logs) > 1 else ""
        whole.notes += [prefix + note for note in reading.all_notes()]
    if progress is not None:
        progress(whole.read)
    _once(whole)
    _one_spelling(whole)
    _one_pool(whole, pool, pools_apart)
    whole.notes += look_alikes(_players(whole.records))
    games = make_games(whole.records)
    if len(logs) == 1 and reading.entrants:
        games.attrs |= {"entrants": reading.entrants, "unplayed": reading.unplayed, "tournament": reading.tournament}
    if whole.titles:
        games.attrs["titles"] = whole.titles
    return GamesRead(games, whole.problems, whole.notes)


def expand(patterns: Sequence[str]) -> list[str]:
    """Return the paths that patterns such as `games/*.pgn` name, each once, in the patterns' order.

    A path that exists is taken as it is, and `-` is the standard input. Raises `UnreadableInput` for a
    pattern that matches nothing.
    """
    paths: dict[str, None] = {}
    for pattern in patterns:
        if pattern == STDIN or Path(pattern).exists():
            paths[pattern] = None
            continue
        # Path.glob takes no absolute pattern.
        found = glob.glob(pattern, recursive=True)  # noqa: PTH207
        matches = sorted(path for path in found if Path(path).is_file())
        if not matches:
            raise _missing(pattern)
        paths |= dict.fromkeys(matches)
    return list(paths)


# One log


def _source(log: str | Path | BinaryIO) -> str:
    if isinstance(log, str | Path):
        return "stdin" if str(log) == STDIN else str(log)
    name = getattr(log, "name", None)
    return name if isinstance(name, str) else "log"


def read_for(
    logs: Sequence[str | Path | BinaryIO],
    settings: Mapping[str, object],
    *,
    columns: Mapping[str, str] | None = None,
    **how: Any,
) -> GamesRead:
    """Read logs as `read` does, with the column that the settings of a system name as their rating period."""
    period = str(settings.get("period", ""))
    name = period.removeprefix(OTHER)
    wanted = dict(columns or {})
    if period.startswith(OTHER) and name not in COLUMNS and period not in wanted:
        wanted[period] = name
    return read(logs, columns=wanted or None, **how)


def _read_one(
    log: str | Path | BinaryIO,
    columns: Mapping[str, str] | None,
    dates: Literal["dmy", "mdy", "ymd"] | None,
    encoding: str | None,
    player: str | None,
    progress: Callable[[int], None] | None,
) -> Reading:
    source = _source(log)
    try:
        with _opened(log) as raw:
            head, stream = _unpacked(raw)
            _check_content(head, encoding, source)
            if is_trf(_as_ascii(head, encoding)):
                return read_trf(stream, source, dates=dates, encoding=encoding, progress=progress)
            if _is_pgn(head, encoding, source):
                declared = bom_encoding(head)
                wide = declared if declared != "utf-8-sig" else None
                return read_pgn(stream, source, encoding=encoding or wide, player=player, progress=progress)
            return read_csv(
                stream,
                source,
                columns=columns,
                dates=dates,
                encoding=encoding,
                player=player,
                progress=progress,
            )
    except (gzip.BadGzipFile, lzma.LZMAError, zlib.error, EOFError) as error:
        raise UnreadableInput(f"expected a sound compressed file, got a damaged one: {error} ({source})") from error
    except UnicodeError as error:
        raise UnreadableInput(
            f"expected text in {encoding or 'UTF-16'}: {error} ({source}); give --encoding"
        ) from error
    except OSError as error:
        raise UnreadableInput(f"expected a file that can be read: {error.strerror or error} ({source})") from error


@contextmanager
def _opened(log: str | Path | BinaryIO) -> Iterator[BinaryIO]:
    if not isinstance(log, str | Path):
        yield log
    elif str(log) == STDIN:
        yield sys.stdin.buffer
    elif Path(log).is_dir():
        raise UnreadableInput(f"expected a file, got the folder {str(log)!r}; give its files, as in {log}/*.pgn")
    elif not Path(log).exists():
        raise _missing(str(log))
    else:
        with Path(log).open("rb") as stream:
            yield stream


def _missing(pattern: str) -> UnreadableInput:
    path = Path(pattern)
    if "://" in pattern:
        return UnreadableInput(f"expected a file, got the address {pattern!r}; download it first")
    try:
        beside = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return UnreadableInput(f"expected a file, got {pattern!r}; there is no folder {str(path.parent)!r}")
    close = difflib.get_close_matches(path.name, beside, n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(repr(str(path.parent / name)) for name in close)}?" if close else ""
    what = "no file matches" if glob.has_magic(pattern) else "there is no file"
    return UnreadableInput(f"{what} {pattern!r}{hint}")


class _Rejoined(io.RawIOBase):
    """A stream whose first bytes were already taken."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        super().__init__()
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._head[: len(buffer)] if self._head else self._rest.read(len(buffer))
        self._head = self._head[len(data) :] if self._head else b""
        buffer[: len(data)] = data
        return len(data)


def _unpacked(stream: BinaryIO) -> tuple[bytes, BinaryIO]:
    """Return the first bytes of a log and the whole of it, unpacked where it is compressed."""
    head = stream.read(HEAD)
    whole = cast(BinaryIO, io.BufferedReader(_Rejoined(head, stream), HEAD))
    for magic, unpack in COMPRESSIONS:
        if head.startswith(magic):
            return _unpacked(cast(BinaryIO, unpack(whole)))
    return head, whole


def _check_content(head: bytes, encoding: str | None, source: str) -> None:
    """Raise `UnreadableInput` when the first bytes of a log are neither PGN nor delimited text."""
    if not head.strip():
        raise UnreadableInput(f"expected games, got an empty file ({source})")
    for magic, what in FOREIGN:
        if head.startswith(magic):
            raise UnreadableInput(f"expected PGN or delimited text, got {what} ({source})")
    if encoding is not None or bom_encoding(head):
        return
    for pattern, what in FOREIGN_TEXT:
        if pattern.match(head):
            raise UnreadableInput(f"expected PGN or delimited text, got {what} ({source})")
    if head.count(0) > len(head) / 4:
        raise UnreadableInput(
            f"expected text, got bytes that may be UTF-16 without its mark ({source}); give --encoding "
            f"utf-16-le or "
            "utf-16-be, or save the file as UTF-8"
        )
    control = sum(head.count(code) for code in range(32) if code not in b"\t\n\r\x0b\x0c\x1a")
    if control > len(head) / 10:
        raise UnreadableInput(f"expected PGN or delimited text, got a binary file ({source}); save it as CSV or PGN")


def _as_ascii(head: bytes, encoding: str | None) -> bytes:
    """Return the first bytes of a log in an encoding that holds ASCII."""
    declared = encoding or bom_encoding(head)
    return head.decode(declared, "ignore").lstrip("\ufeff").encode() if declared else head


def _is_pgn(head: bytes, encoding: str | None, source: str) -> bool:
    head = _as_ascii(head, encoding).replace(b"\r", b"\n")
    lines = [line for line in head.splitlines() if line.strip() and line[:1] not in (b"%", b";")]
    if not lines:
        return source.casefold().endswith(".pgn")
    return TAG_LINE.search(head) is not None or FIRST_MOVE.match(b"\n".join([*lines, b""])) is not None


# All logs together


def _players(records: Iterable[Record]) -> list[str]:
    return list(dict.fromkeys(record[side] for record in records for side in ("white", "black")))


def _once(whole: Reading) -> None:
    """Keep out a game that an online server numbered and that was read already: exports overlap."""
    first: dict[str, Record] = {}

    def problem(record: Record) -> Problem | None:
        link = record.get("link")
        known = record if not link else first.setdefault(link, record)
        if known is record:
            return None
        reason = f"the same game as in {known['source']}, row {known['source_row']}"
        return Problem(record["source"], record["source_row"], "link", str(link), reason)

    _sift(whole, problem)


def _one_spelling(whole: Reading) -> None:
    """Keep out the rows that spell a player's name in another case than most rows do.

    Spreadsheets hold two such spellings for one text, so they cannot be two players of a workbook, and nobody
    but the log's owner knows that they are one.
    """
    spellings: dict[str, Counter[str]] = {}
    for name, count in Counter(record[side] for record in whole.records for side in ("white", "black")).items():
        spellings.setdefault(identity(name), Counter())[name] = count
    usual = {key: counts.most_common(1)[0][0] for key, counts in spellings.items() if len(counts) > 1}
    if not usual:
        return
    first: dict[str, str] = {}
    for record in whole.records:
        for side in ("white", "black"):
            first.setdefault(record[side], f"{record['source']}, row {record['source_row']}")

    def problem(record: Record) -> Problem | None:
        for side in ("white", "black"):
            name = str(record[side])
            expected = usual.get(identity(name), name)
            if name != expected:
                reason = (
                    f"spelled {name!r} here but {expected!r} elsewhere (first in {first[expected]}), which a "
                    "spreadsheet takes for one player; use one spelling"
                )
                return Problem(record["source"], record["source_row"], side, name, reason)
        return None

    _sift(whole, problem)


def _one_pool(whole: Reading, pool: str | None, apart: bool = False) -> None:
    """Keep the games of one pool, or remark on the pools and how they will be rated."""
    pools = Counter(record.get("pool", "") for record in whole.records)
    named = sorted((name for name in pools if name), key=str.casefold)
    counted = ", ".join(f"{name} {pools[name]}" for name in named)
    if pools[""] and named:
        counted += f", none {pools['']}"
    if pool is None:
        if len(named) > 1:
            rated = "each has a rating of its own" if apart else "rated together unless --pool is given"
            whole.notes.append(f"{len(named)} pools in this log: {counted}; {rated}")
        return
    wanted = pool.strip().casefold()

    def problem(record: Record) -> Problem | None:
        found = record.get("pool", "")
        if found.casefold() == wanted:
            return None
        return Problem(record["source"], record["source_row"], "pool", found, f"not of the pool {pool!r}")

    if wanted not in map(str.casefold, named):
        whole.notes.append(
            f"no game of the pool {pool!r}; there are {counted or 'no pools'}{did_you_mean(pool, named)}"
        )
    _sift(whole, problem)


def _sift(whole: Reading, problem: Callable[[Record], Problem | None]) -> None:
    kept = []
    for record in whole.records:
        found = problem(record)
        if found is None:
            kept.append(record)
        else:
            whole.problems.append(found)
    whole.records = kept
