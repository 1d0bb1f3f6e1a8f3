"""What may be given where logs are read: paths, patterns, streams, bytes, data frames, and any mix of them."""

from __future__ import annotations

import difflib
import glob
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, cast

from elo_sheets._late import pd
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import COLUMNS

Log: TypeAlias = "str | Path | BinaryIO | bytes | pd.DataFrame"
Logs: TypeAlias = "Log | Iterable[Log | Mapping[str, Any] | Iterable[Any]]"


STDIN = "-"


class NamedBytes(io.BytesIO):
    """Bytes with the name that problems give them."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name


def one_by_one(logs: Logs) -> list[Any]:
    """Return each log as a path (a pattern may name several), a stream or a table of games.

    Bytes and other data frames become streams of CSV, mappings in a row the records of one such frame.

    Raises `UsageError` for anything else.
    """
    return [one for log in _several(logs) for one in _each(log)]


def is_games_table(log: object) -> bool:
    """Return whether a log is a table that `read` has returned, or that keeps the same contract."""
    columns = getattr(log, "columns", ())
    return all(name in columns for name, column in COLUMNS.items() if column.required)


def _several(logs: Any) -> Iterator[Log]:
    """Yield the logs of any nest of iterables; mappings of one iterable are the records of one table."""
    if isinstance(logs, str | Path | bytes) or any(hasattr(logs, name) for name in ("read", "to_csv", "to_pandas")):
        yield cast("Log", logs)
    elif isinstance(logs, Mapping) or not isinstance(logs, Iterable):
        raise UsageError(
            f"expected logs (paths, streams, bytes, data frames, or lists of them), got {type(logs).__name__}"
        )
    else:
        records = []
        for one in logs:
            if isinstance(one, Mapping):
                records.append(dict(one))
            else:
                yield from _several(one)
        if records:
            yield pd.DataFrame(records)


def _each(log: Log) -> list[Any]:
    if isinstance(log, str):
        return list(expand([log]))
    if isinstance(log, Path) or hasattr(log, "read") or is_games_table(log):
        return [log]
    if isinstance(log, bytes):
        return [NamedBytes(log, "log")]
    if not hasattr(log, "to_csv") and hasattr(log, "to_pandas"):  # frames of other packages
        log = log.to_pandas()
    if hasattr(log, "to_csv"):
        return [NamedBytes(log.to_csv(index=False).encode(), "data frame")]
    raise UsageError(f"expected a log (a path, a stream, bytes, a data frame), got {type(log).__name__}")


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
            raise missing(pattern)
        paths |= dict.fromkeys(matches)
    return list(paths)


def missing(pattern: str) -> UnreadableInput:
    path = Path(pattern)
    if "://" in pattern:
        return UnreadableInput(f"expected a file, got the address {pattern!r}; download it first")
    try:
        beside = [entry.name for entry in path.parent.iterdir() if entry.is_file() and entry.name[0] != "."]
    except OSError:
        return UnreadableInput(f"expected a file, got {pattern!r}; there is no folder {str(path.parent)!r}")
    close = difflib.get_close_matches(path.name, beside, n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(repr(str(path.parent / name)) for name in close)}?" if close else ""
    what = "no file matches" if glob.has_magic(pattern) else "there is no file"
    return UnreadableInput(f"{what} {pattern!r}{hint}")
