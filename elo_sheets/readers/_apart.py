"""Logs read by several processes at once, each log whole by one of them, in the order in which they were given.

What comes back is what reading here gives. A log that a process cannot read, for whatever reason, is left to be read
here, so that its error is the same. The processes are this Python, started anew: they know no more than files and
what is asked of them, and end when this process ends.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elo_sheets.errors import UsageError
from elo_sheets.readers._opening import readings_of
from elo_sheets.readers._text import Reading

if TYPE_CHECKING:
    Readings = list[tuple[str, Reading]]
    # Has files read elsewhere: paths, a `How`, and one's own reader or None.
    ReadApart = Callable[[Sequence[str], Any, Any], Generator[Readings | None, None, None]]

START = "from elo_sheets.readers._apart import serve; serve()"


def read_apart(paths: Sequence[str], how: Any, reader: Any, workers: int) -> Generator[Readings | None, None, None]:
    """Yield what each file holds, None for one that is to be read here; nothing where there is nothing to share.

    `how` is a `How`, `reader` one's own or None. Raises `UsageError` for a number of workers below 1, and for a reader
    that another process cannot be told of.
    """
    if workers < 1:
        raise UsageError(f"expected 1 worker or more, got {workers}")
    workers = min(workers, len(paths))
    if workers < 2:
        return
    jobs = [_asked((path, how, reader)) for path in paths]
    shared = _Shared()
    with ThreadPoolExecutor(workers) as pool:
        try:
            # Two beyond those that are being read wait here at most: a slow log does not hold the others, nor they all.
            found: list[Future[Readings | None]] = []
            ahead = iter(jobs)
            for _ in paths:
                while len(found) < workers + 2 and (job := next(ahead, None)) is not None:
                    found.append(pool.submit(shared.read, job))
                yield found.pop(0).result()
        finally:
            shared.end()
            pool.shutdown(wait=True, cancel_futures=True)


class _Shared:
    """Processes that read, each with one log at a time; they are started as they are needed."""

    def __init__(self) -> None:
        self._idle: list[subprocess.Popen[bytes]] = []
        self._all: list[subprocess.Popen[bytes]] = []
        self._ended = False
        self._lock = threading.Lock()

    def read(self, job: bytes) -> Readings | None:
        """Let an idle process read a log."""
        with self._lock:
            if self._ended:
                return None
            if not self._idle:
                self._all.append(_started())
            process = self._idle.pop() if self._idle else self._all[-1]
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(job)
            process.stdin.flush()
            found: Readings | None = pickle.load(process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError):
            return None  # it was ended, perhaps for its use of memory; the next log gets another one
        with self._lock:
            self._idle.append(process)
        return found

    def end(self) -> None:
        """End all processes."""
        with self._lock:
            self._ended = True
            for process in self._all:
                process.kill()
                process.wait()
        for process in self._all:
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):
                    if pipe is not None:
                        pipe.close()


def _asked(job: tuple[str, Any, Any]) -> bytes:
    try:
        return pickle.dumps(job)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise UsageError(
            "expected a reader that other processes can load, as FILE.py:NAME or the name that a package gives it; "
            f"or leave out workers ({error})"
        ) from error


def _started() -> subprocess.Popen[bytes]:
    here = {"PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path), "PYTHONSAFEPATH": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", START],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **here},
        start_new_session=os.name == "posix",
        close_fds=True,
    )


def serve() -> None:
    """Read logs as they are asked for on the standard input, until it ends."""
    # What a reader of one's own prints must not come between the answers.
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        with suppress(EOFError):
            while True:
                path, how, reader = pickle.load(sys.stdin.buffer)
                answers.write(_answer(partial(readings_of, path, how, reader)))
                answers.flush()


def _answer(read: Callable[[], Readings]) -> bytes:
    try:
        return pickle.dumps(read(), protocol=pickle.HIGHEST_PROTOCOL)
    except Exception:  # noqa: BLE001 - whatever it is, it comes again where the log is read next, and is said there
        return pickle.dumps(None)
