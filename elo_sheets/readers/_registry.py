"""What a reader is, what it is given, and where readers come from: ours, installed packages, a user's own file.

A reader says of an opened log by its content whether it is one of its kind, and reads it: one signature for all,
`(log, how) -> readings`. A log such as an archive or a workbook may hold several; each is a `Reading` of its own.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.own_file import run_file
from elo_sheets.readers._dates import Order
from elo_sheets.readers._text import Reading, bom_encoding

# Packages offer readers under this group of entry points: name = "module:READER".
ENTRY_POINTS = "elo_sheets.readers"

LARGEST_FILE = 100 << 20


@dataclass(frozen=True)
class OpenLog:
    """One log, opened: its name as problems give it, its first bytes and its bytes, both unpacked.

    `path` is the file that holds just these bytes, None for what was packed or is no file. `again` tells the last moves
    of PGN games by their places, where the log can be read a second time.
    """

    name: str
    head: bytes
    stream: BinaryIO
    path: Path | None = None
    again: Callable[[str | None], Callable[[Sequence[int]], list[str]] | None] = field(default=lambda encoding: None)

    def ascii_head(self, encoding: str | None = None) -> bytes:
        """Return the first bytes in an encoding that holds ASCII."""
        declared = encoding or bom_encoding(self.head)
        return self.head.decode(declared, "ignore").lstrip("\ufeff").encode() if declared else self.head

    @contextmanager
    def as_file(self) -> Iterator[Path]:
        """A file that holds the log, a private copy where there is none.

        Raises `UnreadableInput` for a log of more than 100 MiB.
        """
        from elo_sheets.files.save import private_folder

        if self.path is not None:
            yield self.path
            return
        with private_folder() as folder:
            copy = folder / (re.sub(r"[^\w.-]+", "_", Path(self.name).name)[-80:].lstrip(".") or "log")
            left = LARGEST_FILE
            with copy.open("wb") as target:
                while piece := self.stream.read(1 << 20):
                    left -= len(piece)
                    if left < 0:
                        raise UnreadableInput(f"expected at most {LARGEST_FILE:,} bytes ({self.name}); split the file")
                    target.write(piece)
            yield copy


@dataclass(frozen=True)
class How:
    """How logs are to be read; see `read`."""

    columns: Mapping[str, str] = field(default_factory=dict)
    dates: Order | None = None
    encoding: str | None = None
    player: str | None = None
    keep_names: Set[str] = frozenset()
    sheet: str | None = None
    progress: Callable[[int], None] | None = None
    lowest_wins: bool = False


@dataclass(frozen=True)
class Reader:
    """One kind of log.

    `fits` tells whether a log is of this kind; it may look at the log's `head` and must leave its `stream` alone.
    `read` returns what the log holds: for each part of it a `Reading`, in which every row is a game or a problem.
    `fixtures` returns in the same way the games that are still to be played; without it the kind has none.
    """

    name: str
    fits: Callable[[OpenLog, How], bool]
    read: Callable[[OpenLog, How], Iterable[Reading]]
    fixtures: Callable[[OpenLog, How], Iterable[Reading]] | None = None


def reader_named(name: str | Reader) -> Reader:
    """Return the reader of an installed package, or of a file, `path.py:NAME`; a reader as it is.

    What has that name is a `Reader`, or a function `(log, how) -> readings`, which then reads every log. A file's code
    is run, so name only files that you trust. Raises `UsageError` that says what is wrong with it.
    """
    if isinstance(name, Reader):
        return name
    path, colon, attribute = name.rpartition(":")
    if colon and path.endswith(".py"):
        return _of_kind(_from_file(Path(path), attribute), name)
    from importlib.metadata import entry_points

    known = {point.name: point for point in entry_points(group=ENTRY_POINTS)}
    if name not in known:
        installed = f", or one of {', '.join(known)}" if known else ""
        raise UsageError(f"expected a reader as FILE.py:NAME{installed}, got {name!r}")
    return _of_kind(known[name].load(), name)


def installed_readers() -> tuple[Reader, ...]:
    """Return the readers of installed packages."""
    return _installed(tuple(sys.path))


@lru_cache(maxsize=1)
def _installed(path: tuple[str, ...]) -> tuple[Reader, ...]:
    """Return them for Python's path: looking through all packages anew takes longer than reading a small log."""
    from importlib.metadata import entry_points

    return tuple(_of_kind(point.load(), point.name) for point in entry_points(group=ENTRY_POINTS))


def _of_kind(found: object, name: str) -> Reader:
    if isinstance(found, Reader):
        return found
    if callable(found):
        return Reader(name, lambda log, how: True, found)
    raise UsageError(f"expected a Reader or a function of a log in {name}, got {type(found).__name__}")


def _from_file(path: Path, attribute: str) -> object:
    module = run_file(path, "reader")
    if not hasattr(module, attribute):
        raise UsageError(f"{path} has no {attribute!r}: name a Reader, or a function of a log, of this file")
    found: object = getattr(module, attribute)
    return found
