"""Programs in a child process, with limits of time and memory, and folders that only this user can read."""

from __future__ import annotations

import math
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from elo_sheets.errors import NotChecked

CHILD = Path(__file__).with_name("_engine_child.py")


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


def run_limited(command: Sequence[str], folder: Path, timeout: float, what: str) -> str:
    """Run a command in its own session; what it said on stderr.  On a timeout or an interrupt nothing is left
    over.
    """
    complaints = folder / "stderr.txt"
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    with complaints.open("wb") as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
            cwd=folder,
            env=environment,
        )
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise NotChecked(
                f"{what} was stopped after {timeout:g} seconds; allow more time or check a smaller workbook"
            ) from None
        finally:
            kill(process)
    said = complaints.read_text("utf-8", "replace").strip()
    if process.returncode:
        killed = "it was killed, perhaps for its use of memory" if process.returncode < 0 else ""
        last = killed or (said.splitlines()[-1] if said else f"exit code {process.returncode}")
        raise NotChecked(f"{what} stopped early ({last[:300]}); try another engine")
    return said


@contextmanager
def private_folder() -> Iterator[Path]:
    """A new folder that only this user can read, removed afterwards."""
    folder = tempfile.mkdtemp(prefix="elo-sheets-")
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
