"""Programs in a child process, with limits of time and memory."""

from __future__ import annotations

import errno
import math
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from elo_sheets._outside import undisturbed
from elo_sheets.errors import NotChecked, SystemRefused, refusal

CHILD = Path(__file__).with_name("engine_child.py")


def kill(process: subprocess.Popen[bytes]) -> None:
    """End the process and all that it started."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)
    process.wait()


def processor_seconds(timeout: float) -> str:
    """A limit that only a process which outlived its parent can reach, as engines use all processors."""
    return str(math.ceil(timeout + 10) * (os.cpu_count() or 1))


@contextmanager
def started(command: Sequence[str], **how: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A program in a session of its own, which has ended with all that it started when this ends, however it ends."""
    process: subprocess.Popen[bytes] | None = None
    try:
        with undisturbed():  # a signal between the start and the name would leave it running
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, start_new_session=os.name == "posix", close_fds=True, **how
            )
        yield process
    finally:
        if process is not None:
            kill(process)


@contextmanager
def stopping(process: subprocess.Popen[bytes], timeout: float) -> Iterator[threading.Event]:
    """Kill the process when it has not ended after so many seconds; what is yielded says whether that was done.

    A wait with a timeout would look every so often whether the process has ended, and an engine mostly has by then.
    """
    late = threading.Event()

    def stop() -> None:
        late.set()
        process.kill()

    clock = threading.Timer(timeout, stop)
    clock.daemon = True
    try:
        clock.start()
    except RuntimeError as error:  # so Python says that the system gave no thread
        raise OSError(errno.EAGAIN, "no thread could be started") from error
    try:
        yield late
    finally:
        clock.cancel()


def memory_limit(wanted: int) -> str:
    """So many bytes, and less than half of what the machine, or the container, has."""
    half = min(_machine_memory()) // 2
    return str(min(wanted, max(half, 2**28)))


def _machine_memory() -> Iterator[int]:
    yield 2**62
    if os.name != "posix":
        return
    with suppress(OSError, ValueError):
        yield os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):  # "max" where there is no limit
        yield int(Path("/sys/fs/cgroup/memory.max").read_text("ascii"))


def run_limited(command: Sequence[str], folder: Path, timeout: float, what: str) -> str:
    """Run a command in its own session; what it said on stderr.  On a timeout or an interrupt nothing is left
    over.
    """
    complaints = folder / "stderr.txt"
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    with (
        complaints.open("wb") as errors,
        started(command, stdout=subprocess.DEVNULL, stderr=errors, cwd=folder, env=environment) as process,
        stopping(process, timeout) as late,
    ):
        process.wait()
    if late.is_set():
        raise NotChecked(f"{what} was stopped after {timeout:g} seconds; allow more time or check a smaller workbook")
    said = complaints.read_text("utf-8", "replace").strip()
    if process.returncode:
        killed = "it was killed, perhaps for its use of memory" if process.returncode < 0 else ""
        last = killed or (said.splitlines()[-1] if said else f"exit code {process.returncode}")
        raise NotChecked(f"{what} stopped early ({last[:300]}); try another engine")
    return said


@contextmanager
def checking() -> Iterator[None]:
    """Turns what the system refuses meanwhile into `SystemRefused`."""
    try:
        yield
    except OSError as error:
        reason, remedy = refusal(error)
        place = f" ({error.filename})" if error.filename else ""
        raise SystemRefused(f"the system refused what the check needs{place}: {reason}; {remedy}") from error
