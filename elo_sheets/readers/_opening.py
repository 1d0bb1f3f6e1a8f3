"""One log: opened, unpacked, and read, whether here or by another process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from elo_sheets._memory import hold_back
from elo_sheets.errors import UnreadableInput, refusal
from elo_sheets.readers._given import STDIN, missing
from elo_sheets.readers._kinds import readings
from elo_sheets.readers._registry import How, OpenLog, Reader, reader_named
from elo_sheets.readers._text import Reading
from elo_sheets.readers._unpacking import DAMAGED, unpacked
from elo_sheets.readers.pgn import last_moves_of


def is_file(log: Any) -> bool:
    """Tell whether a log is a file by its path."""
    return isinstance(log, str | Path) and str(log) != STDIN


def log_readings(log: str | Path | BinaryIO, how: How, own: Reader | None) -> Iterator[tuple[str, Reading]]:
    """Yield what a log holds, each part with the log's name."""
    hold_back()
    with open_log(log, how) as opened:
        for reading in readings(opened, how, own):
            yield opened.name, reading


def readings_of(log: str, how: How, own: Reader | str | None) -> list[tuple[str, Reading]]:
    """Return what a file holds, each part with the log's name."""
    return list(log_readings(log, how, None if own is None else reader_named(own)))


def source_of(log: str | Path | BinaryIO) -> str:
    """Return the name that problems give a log."""
    if isinstance(log, str | Path):
        return "stdin" if str(log) == STDIN else str(log)
    name = getattr(log, "name", None)
    return name if isinstance(name, str) else "log"


@contextmanager
def open_log(log: str | Path | BinaryIO, how: How) -> Iterator[OpenLog]:
    """A log, opened and unpacked; what goes wrong while it is read becomes an `UnreadableInput` that names it."""
    source = source_of(log)
    try:
        with _opened(log) as raw:
            head, stream = unpacked(raw)
            is_file = isinstance(log, str | Path) and str(log) != STDIN
            plain = is_file and not head_is_packed(Path(str(log)), head)
            yield OpenLog(source, head, stream, Path(str(log)) if plain else None, partial(_again, log))
    except DAMAGED as error:
        raise UnreadableInput(f"expected a sound compressed file, got a damaged one: {error} ({source})") from error
    except UnicodeError as error:
        raise UnreadableInput(
            f"expected text in {how.encoding or 'UTF-16'}: {error} ({source}); give --encoding"
        ) from error
    except OSError as error:
        reason, remedy = refusal(error)
        raise UnreadableInput(f"expected a file that can be read: {reason} ({source}); {remedy}") from error


def head_is_packed(path: Path, head: bytes) -> bool:
    """Tell whether a file begins with other bytes than what it holds when unpacked."""
    with path.open("rb") as stream:
        return stream.read(16) != head[:16]


@dataclass(frozen=True)
class _Again:
    """What tells the last moves of a file's games by their places."""

    path: Path
    stamp: tuple[int, int]
    encoding: str | None

    def __call__(self, places: Sequence[int]) -> list[str]:
        """Return the last moves of the games at `places`; raises `UnreadableInput` once the file has changed."""
        if not places:
            return []
        if _stamp(self.path) != self.stamp:
            raise UnreadableInput(f"expected a file that stays as it is while it is read ({self.path}); read it again")
        with _opened(self.path) as raw:
            return last_moves_of(unpacked(raw)[1], self.encoding, places)


def _stamp(path: Path) -> tuple[int, int]:
    now = path.stat()
    return now.st_mtime_ns, now.st_size


def _again(log: str | Path | BinaryIO, encoding: str | None) -> Callable[[Sequence[int]], list[str]] | None:
    """Return what tells the last moves of a log's games by their places, None for what can be read only once."""
    if not isinstance(log, str | Path) or str(log) == STDIN or not Path(log).is_file():
        return None
    return _Again(Path(log), _stamp(Path(log)), encoding)


@contextmanager
def _opened(log: str | Path | BinaryIO) -> Iterator[BinaryIO]:
    if not isinstance(log, str | Path):
        yield log
    elif str(log) == STDIN:
        yield sys.stdin.buffer
    elif Path(log).is_dir():
        raise UnreadableInput(f"expected a file, got the folder {str(log)!r}; give its files, as in {log}/*.pgn")
    elif not Path(log).exists():
        raise missing(str(log))
    else:
        with Path(log).open("rb") as stream:
            yield stream
