"""What was dropped, and what became of it: sessions, their private folders, and the processes that do the work."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import hmac
import json
import os
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from elo_sheets._outside import not_loaded
from elo_sheets.engines.processes import CHILD, memory_limit, processor_seconds, started
from elo_sheets.errors import refusal
from elo_sheets.files.save import remove
from elo_sheets.serving.work import ANSWER, ASKED, FILES, NAMES, with_answers

MEMORY = 4 * 2**30  # bytes of address space, of which an engine takes two
AT_ONCE, MOST_WAITING = 1, 8
MOST_JOBS = 20  # of a session
IDLE = 3600.0  # seconds after which a session that nobody looks at goes, with its files
_RESERVED = re.compile(r"[^\w .()+-]")


def tame(name: str) -> str:
    """Return the last part of a file's name, without what means something to a system, a pattern or an option.

    >>> tame("../../etc/x [1].csv"), tame("C:\\\\club\\\\log.xls"), tame("-"), tame("..")
    ('x _1_.csv', 'log.xls', 'file', 'file')
    """
    last = re.split(r"[/\\]", name)[-1]
    return _RESERVED.sub("_", last).strip(" .-")[-100:].lstrip(" .-") or "file"


def refused_by_system(error: BaseException | None) -> str:
    """Return what the system refused or what could not be loaded, and what would help; "" for any other error.

    >>> refused_by_system(OSError(24, "Too many open files"))
    'the system refused what a page needs: too many open files; allow more open files (ulimit -n)'
    >>> refused_by_system(ImportError("No module named 'elo_sheets.profiles'"))[:82]
    "a part of the program could not be loaded (No module named 'elo_sheets.profiles');"
    """
    if isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and "new thread" in str(error)):
        error = OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
    if not isinstance(error, OSError):
        return not_loaded(error) if isinstance(error, Exception) else ""
    reason, remedy = refusal(error)
    return f"the system refused what a page needs: {reason}; {remedy}"


@dataclass
class Job:
    """Files that were dropped together, the choices for them, and the answer once there is one."""

    name: str
    do: str
    folder: Path
    files: list[str] = field(default_factory=list)
    choices: dict[str, str] = field(default_factory=dict)
    answer: dict[str, Any] | None = None
    begun: float = field(default_factory=time.monotonic)
    is_wanted: bool = False  # the book was asked for, not only what was read
    task: asyncio.Task[None] | None = None

    @property
    def stem(self) -> str:
        """The name of the first file without its ending, for what is made of it."""
        return Path(self.files[0]).stem

    def keep(self, name: str, stream: IO[bytes]) -> None:
        """Keep a file under its tamed name, beside others of the same name."""
        plain = name = tame(name)
        while name in self.files:
            name = f"{len(self.files) + 1} {plain}"
        with (self.folder / FILES / name).open("xb") as target:
            while chunk := stream.read(2**20):
                target.write(chunk)
        self.files.append(name)

    def stop(self) -> None:
        """End the work on it."""
        if self.task is not None:
            self.task.cancel()


@dataclass
class Session:
    """What one browser has dropped."""

    name: str
    jobs: dict[str, Job] = field(default_factory=dict)
    seen: float = field(default_factory=time.monotonic)


class Desk:
    """All sessions of a server, in its private folder."""

    def __init__(self, folder: Path, timeout: float) -> None:
        self.folder, self.timeout = folder, timeout
        self.sessions: dict[str, Session] = {}
        self.gate = asyncio.Semaphore(AT_ONCE)
        self._secret = secrets.token_bytes(32)

    def session(self, name: str | None) -> Session:
        """Return the session that a cookie names, or a new one, which is kept once it is shown (`welcome`)."""
        self.sweep()
        found = self.sessions.get(name or "") or Session(secrets.token_urlsafe(24))
        found.seen = time.monotonic()
        return found

    def welcome(self, session: Session) -> None:
        """Keep a session, whose browser is told its name now."""
        self.sessions[session.name] = session

    def token(self, session: Session) -> str:
        """Return what a form of a session holds, by which one that another page sent is told."""
        return hmac.new(self._secret, session.name.encode(), hashlib.sha256).hexdigest()

    def is_token(self, session: Session, given: object) -> bool:
        """Tell whether a form is one of this session's."""
        return hmac.compare_digest(self.token(session).encode(), str(given).encode())

    def sweep(self) -> None:
        """Forget the sessions that nobody has looked at for long."""
        now = time.monotonic()
        for one in [one for one in self.sessions.values() if now - one.seen > IDLE]:
            self.forget(one)

    def forget(self, session: Session) -> None:
        """Remove what a session has dropped and what was made of it."""
        for job in list(session.jobs.values()):
            self.drop(session, job)
        self.sessions.pop(session.name, None)

    def drop(self, session: Session, job: Job) -> None:
        """Remove a job of a session with its files."""
        job.stop()
        session.jobs.pop(job.name, None)
        remove(job.folder)

    @property
    def is_full(self) -> bool:
        """Whether as much waits as may."""
        jobs = [job for one in self.sessions.values() for job in one.jobs.values()]
        return sum(job.task is not None and not job.task.done() for job in jobs) >= MOST_WAITING

    def begin(self, session: Session, do: str) -> Job:
        """Return a new job of a session, with its folder; the oldest one goes where there are too many."""
        while len(session.jobs) >= MOST_JOBS:
            self.drop(session, next(iter(session.jobs.values())))
        name = secrets.token_urlsafe(12)
        job = Job(name, do, self.folder / secrets.token_hex(12))
        (job.folder / FILES).mkdir(0o700, parents=True)
        session.jobs[name] = job
        return job

    def start(self, job: Job, answers: Sequence[str] = ()) -> None:
        """Have a job worked on, with the answers that were given to its questions about names."""
        asked = (job.answer or {}).get("questions") or []
        if asked and answers:
            (job.folder / NAMES).write_text(with_answers(asked, answers), encoding="utf-8")
        job.stop()
        job.answer, job.begun = None, time.monotonic()
        job.task = asyncio.get_running_loop().create_task(self._work(job))

    async def _work(self, job: Job) -> None:
        try:
            async with self.gate:
                job.answer = await answered(job, self.timeout)
        except asyncio.CancelledError:
            job.answer = job.answer or {"error": "this was stopped"}
            raise
        except OSError as error:
            job.answer = {"error": refused_by_system(error)}

    async def end(self) -> None:
        """Stop all work and remove all files."""
        tasks = [job.task for one in self.sessions.values() for job in one.jobs.values() if job.task is not None]
        for one in list(self.sessions.values()):
            self.forget(one)
        await asyncio.gather(*tasks, return_exceptions=True)


async def answered(job: Job, timeout: float) -> dict[str, Any]:
    """Work on a job in a process with limits of time and memory; the answer, an error where there is none."""
    (job.folder / ANSWER).unlink(missing_ok=True)
    asked = {"do": job.do, "files": job.files, "choices": job.choices, "seconds": timeout}
    (job.folder / ASKED).write_text(json.dumps(asked), encoding="utf-8")
    limits = [memory_limit(MEMORY), processor_seconds(timeout)]
    python = [sys.executable, "-P"]
    command = [*python, str(CHILD), "exec", *limits, *python, "-m", "elo_sheets.serving.work", str(job.folder)]
    environment = {**os.environ, "TMPDIR": str(job.folder), "TEMP": str(job.folder)}
    end = time.monotonic() + timeout
    complaints = job.folder / "stderr.txt"
    with (
        complaints.open("wb") as errors,
        started(command, stdout=subprocess.DEVNULL, stderr=errors, env=environment) as process,
    ):
        while process.poll() is None:
            if time.monotonic() > end:
                return {"error": f"this was stopped after {timeout:g} seconds: give less at a time, or start "
                        "elo-sheets serve with a longer --timeout"}  # fmt: skip
            await asyncio.sleep(0.05)
    with suppress(OSError, ValueError):
        found: Mapping[str, Any] = json.loads((job.folder / ANSWER).read_text("utf-8"))
        return dict(found)
    lines = complaints.read_text("utf-8", "replace").strip().splitlines()
    said = lines[-1][:300] if lines else f"exit code {process.returncode}"
    return {"error": f"the program that reads the file ended early ({said}); the server goes on: try another file"}
