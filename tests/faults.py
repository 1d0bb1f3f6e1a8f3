"""Every command with its system calls failing in turn: the old file whole, nothing left behind, one sentence.

    python -m tests.faults [--all | --once] [--cold] [--every STEP [--first N]] [COMMAND …]

A process that has loaded everything is forked for each run. strace, attached to the fork, counts the calls of one name
from there on and lets one fail, or sends a signal at it. With `--cold` nothing has been loaded, so that calls fail
while the program is being loaded.

Calls that the same lines make are met by the same lines: a site is a call's name and the last LINES lines of Python
that lead to it. The first and the last call of each site are tried once over all commands, and in each command every
way that leads to its sites. A site meets EACCES and EINTR, of which Python makes exceptions of their own or none, one
of the errors that differ in their number alone, and one signal.
With `--all` every call meets everything; with `--once` every call meets one of them, by turns.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from traceback import walk_stack
from types import FrameType
from typing import Any, NamedTuple

if __package__:  # python -m tests.faults
    from tests.visitor import NAMED, visit
else:
    from visitor import NAMED, visit

ROOT = Path(__file__).resolve().parents[1]
OWN = ("EACCES", "EINTR")
ALIKE = ("ENOSPC", "EIO", "EMFILE", "ENOMEM")  # plain OSError all
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGPIPE")
KINDS = OWN + ALIKE + SIGNALS
LINES = 6
ENDS = {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129}
REFUSED = (2, 3, 4)
# Memory, threads, signals and clocks: a program that is refused these cannot say anything any more.
NOT_TRIED = frozenset(
    """
    arch_prctl brk clock_gettime clock_nanosleep exit exit_group futex getegid geteuid getgid getpid getppid gettid
    getuid madvise membarrier mmap mprotect mremap munmap nanosleep prlimit64 restart_syscall rseq rt_sigaction
    rt_sigprocmask
    rt_sigreturn rt_sigtimedwait sched_getaffinity sched_yield set_robust_list set_tid_address sigaltstack sysinfo umask
    uname
    """.split()
)
# Functions of these modules call the system; what else does is a site with the one before.
CALLING = frozenset("_imp _io _posixsubprocess _signal _thread fcntl io posix select time".split())
SERVING = """
    anyio._backends._asyncio anyio.abc anyio.from_thread anyio.streams.memory python_multipart uvicorn
    uvicorn.lifespan.on uvicorn.loops.asyncio uvicorn.loops.auto uvicorn.protocols.http.auto
    uvicorn.protocols.http.h11_impl
""".split()
_MARK = 2**30  # and more: numbers of no process, which mark a site for strace
REMOVING = ("unlink", "unlinkat", "rmdir")  # what these leave, the next run removes

PLAYERS = [f"Player {i}" for i in range(1, 7)]
ROWS = [
    f"2026-01-{day:02},{PLAYERS[day % 6]},{PLAYERS[(day * day + 1) % 6]},{result}"
    for day, result in zip(range(1, 13), ["1-0", "0-1", "1/2-1/2"] * 4, strict=True)
    if day % 6 != (day * day + 1) % 6
]
LOG = "\n".join(["date,white,black,result", *ROWS, ""])
TO_PLAY = "\n".join(["date,white,black,result", *ROWS, "2026-02-01,Player 1,Player 2,", ""])
DOUBLES = """\
date,A1,A2,B1,B2,result
2026-01-05,Player 1,Player 2,Player 3,Player 4,10-7
2026-01-06,Player 1,Player 3,Player 2,Player 4,4-10
"""
OLD = b"the old file\n"


@dataclass(frozen=True)
class Command:
    """A command, the file that it writes over an old one, and the elo-sheets.toml above its folder."""

    arguments: tuple[str, ...]
    output: str | None = None
    config: str | None = None
    is_visited: bool = False  # a server: somebody drops a log, takes the book and ends it


def _writes(output: str, *arguments: str) -> Command:
    return Command((*arguments, output, "--force"), output)


COMMANDS: dict[str, Command] = {
    "new": _writes("out.xlsx", "new", "calculator", "-o"),
    "new-doubles": _writes("out.xlsx", "new", "league", "--sides", "2x2", "--rows", "9", "-o"),
    "new-table": _writes("out.xlsx", "new", "table", "--rows", "9", "-o"),
    "import": _writes("out.xlsx", "import", "league.csv", "--template", "event", "-o"),
    "import-doubles": _writes("out.xlsx", "import", "doubles.csv", "-o"),
    "import-names": _writes("out.xlsx", "import", "league.csv", "--names", "names.toml", "-o"),
    "replay": Command(("replay", "league.csv")),
    "replay-doubles": Command(("replay", "doubles.csv")),
    "replay-config": Command(("replay", "league.csv"), config='system = "glicko"\n'),
    "replay-quiet": Command(("replay", "league.csv", "--quiet")),
    "replay-csv": _writes("out.csv", "replay", "league.csv", "-o"),
    "replay-json": _writes("out.json", "replay", "league.csv", "-o"),
    "replay-xlsx": _writes("out.xlsx", "replay", "league.csv", "-o"),
    "replay-stdout": Command(("replay", "league.csv", "-o", "-")),
    "compare": Command(("compare", "league.csv", "--system", "elo,glicko2", "--burn-in", "0")),
    "fit": Command(("fit", "league.csv", "k=10:40", "--burn-in", "0")),
    "predict": Command(("predict", "Player 1", "Player 2", "--log", "league.csv")),
    "update": Command(("update", "event.xlsx", "more.csv"), "event.xlsx"),
    "update-dry-run": Command(("update", "event.xlsx", "more.csv", "--dry-run")),
    "explain": Command(("explain", "Player 1", "league.csv", "--last", "1")),
    "diff": Command(("diff", "league.csv", "other.csv")),
    "validate": Command(("validate", "book.xlsx")),
    "validate-doubles": Command(("validate", "doubles.xlsx")),
    "validate-stranger": Command(("validate", "stranger.xlsx")),
    "validate-annotate": _writes("out.xlsx", "validate", "stranger.xlsx", "--annotate"),
    "simulate": Command(("simulate", "fixtures.csv", "--runs", "100", "--seed", "1")),
    "event": Command(("event", "1500", "--opponents", "1500,1620", "--results", "1,0.5")),
    "calc": Command(("calc", "1600", "1500")),
    "goal": Command(("goal", "1500", "1520", "--opponents", "1500,1600")),
    "match": Command(("match", "2000", "2400")),
    "rating-odds": Command(("rating-odds",)),
    "page": _writes("out.html", "page", "-o"),
    "profiles": Command(("profiles",)),
    "report": _writes("out.html", "report", "event.xlsx", "-o"),
    "systems": Command(("systems", "elo")),
    "serve": Command(("serve", "--port", "0"), is_visited=True),
    "templates": Command(("templates",)),
    "templates-all": Command(
        ("templates", "calculator", "--all", "--no-pictures", "-o", "books", "--force"), "books/index.html"
    ),
    "rules": Command(("rules",)),
    "conform": Command(("conform", "elo")),
    "conform-book": _writes("out.xlsx", "conform", "elo", "-o"),
}


class Done(NamedTuple):
    """How a run ended: its code, what it printed and its visitor saw, what lies in its folders."""

    code: int
    out: str
    err: str
    files: dict[str, bytes]


class Call(NamedTuple):
    """The n-th call of a name, and what it meets."""

    name: str
    n: int
    kind: str


class Site(NamedTuple):
    """Calls that the same lines make: their name, the lines, the way there, whether one call follows another."""

    name: str
    lines: int
    way: int
    again: bool


def _mark(frame: FrameType, event: str, function: Any) -> None:
    """Tell strace which lines are about to call the system."""
    if event != "c_call":
        return
    module = getattr(function, "__module__", None) or type(function.__self__).__module__
    if module not in CALLING:
        return
    lines = [f"{at.f_code.co_filename}:{number}" for at, number in walk_stack(frame)]
    for part in (lines[:LINES], lines[LINES:]):
        with suppress(ProcessLookupError):
            os.getpgid(_MARK + zlib.crc32("\n".join(part).encode()) % _MARK)


def make_inputs(folder: Path) -> None:
    """Write the logs and books that the commands read."""
    folder.mkdir()
    (folder / "league.csv").write_text(LOG)
    (folder / "other.csv").write_text(LOG.replace("1-0", "1/2-1/2", 1))
    (folder / "more.csv").write_text(LOG + "2026-01-20,Player 1,Player 4,1-0\n")
    (folder / "fixtures.csv").write_text(TO_PLAY)
    (folder / "doubles.csv").write_text(DOUBLES)
    (folder / "names.toml").write_text('[[player]]\nname = "Player 1"\nspellings = ["Player One"]\n')
    shutil.copy(ROOT / "samples/wrong_guide.xlsx", folder / "stranger.xlsx")
    for made in (
        "new calculator -o book.xlsx",
        "import league.csv --template event -o event.xlsx",
        "import doubles.csv -o doubles.xlsx",
    ):
        command = [sys.executable, "-m", "elo_sheets", *made.split()]
        subprocess.run(command, cwd=folder, check=True, env=_environment(folder), capture_output=True)


def _environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder), "NO_COLOR": "1"}


def load_everything() -> None:
    """Import what the commands import when they need it."""
    import importlib
    import pkgutil

    import elo_sheets

    for module in pkgutil.walk_packages(elo_sheets.__path__, "elo_sheets."):
        if not module.name.endswith(("__main__", "_child")):
            importlib.import_module(module.name)
    for name in ("pandas", "openpyxl", "xlsxwriter", "csv", "difflib", "pty", *SERVING):
        importlib.import_module(name)


@dataclass
class Runs:
    """Runs of one command in a folder of its own."""

    command: Command
    home: Path
    inputs: Path
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    @property
    def here(self) -> Path:
        return self.home / "here"

    @property
    def old(self) -> bytes:
        """What the output held before."""
        read = self.inputs / str(self.command.output)
        return read.read_bytes() if read.exists() else OLD

    @property
    def temporary(self) -> Path:
        return self.home / "temporary"

    def prepare(self) -> None:
        for folder in (self.here, self.temporary):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        if self.command.config is not None:
            (self.home / "elo-sheets.toml").write_text(self.command.config)
        for path in self.inputs.iterdir():
            os.link(path, self.here / path.name)
        if self.command.output is not None and not (self.here / self.command.output).exists():
            (self.here / self.command.output).parent.mkdir(exist_ok=True)
            (self.here / self.command.output).write_bytes(OLD)

    def run(self, strace: Sequence[str], *, marked: bool = False) -> Done:
        """Run the command in a fork under strace with these options."""
        self.prepare()
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])  # until strace has been attached
        ready, told = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(ready)
            self._child(told, marked)
        os.close(told)
        os.read(ready, 1)  # what the child opens for itself is not counted
        os.close(ready)
        signal_done = self._traced(pid, strace)
        seen = visit(pid, self.home / "out", LOG.encode()) if self.command.is_visited else ""
        _, status = os.waitpid(pid, 0)
        signal_done()
        inputs = {path.name for path in self.inputs.iterdir()} - {self.command.output}
        files = {
            str(path.relative_to(self.here)): path.read_bytes()
            for path in self.here.rglob("*")
            if path.is_file() and path.name not in inputs
        }
        files |= {f"TMPDIR/{path.name}": b"" for path in self.temporary.iterdir()}
        read = {name: (self.home / name).read_text("utf-8", "replace") for name in ("out", "err")}
        code = os.waitstatus_to_exitcode(status)
        out = NAMED.sub("", read["out"]) + seen  # the port is another each time
        return Done(code, out, read["err"], files)

    def _traced(self, pid: int, options: Sequence[str]) -> object:
        tracer = subprocess.Popen(
            ["strace", "-p", str(pid), "-o", str(self.home / "trace"), *options], stderr=subprocess.PIPE, text=True
        )
        assert tracer.stderr is not None
        while "attached" not in (line := tracer.stderr.readline()):
            assert line, "strace could not attach"
        os.kill(pid, signal.SIGUSR1)

        def done() -> None:
            assert tracer.stderr is not None
            tracer.stderr.close()
            tracer.wait()

        return done

    def _child(self, told: int, marked: bool) -> None:
        code = 1
        try:
            for number, name in ((1, "out"), (2, "err")):
                opened = os.open(self.home / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.dup2(opened, number)
                os.close(opened)
            nothing = os.open(os.devnull, os.O_RDONLY)
            os.dup2(nothing, 0)
            os.close(nothing)
            os.chdir(self.here)
            os.environ |= {"TMPDIR": str(self.temporary), "NO_COLOR": "1"}
            sys.argv = ["elo-sheets", *self.command.arguments]
            sys.stdout, sys.stderr = (open(n, "w", encoding="utf-8", closefd=False) for n in (1, 2))  # noqa: SIM115
            from elo_sheets.__main__ import main

            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # which a run in the background ignores
                signal.signal(number, signal.SIG_DFL)
            os.close(told)
            signal.sigwait([signal.SIGUSR1])
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR1])
            if marked:
                sys.setprofile(_mark)
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        except BaseException:  # noqa: BLE001 - as Python ends
            traceback.print_exc()
        finally:
            try:
                sys.stdout.flush()
                sys.stderr.flush()
            except (OSError, ValueError):
                code = 120  # as Python ends
            finally:
                os._exit(code)

    def calls(self) -> tuple[Done, dict[Site, list[int]]]:
        """How the command ends undisturbed, and which of its calls of a name each site makes."""
        done = self.run(["-e", "trace=all"], marked=True)
        found: defaultdict[Site, list[int]] = defaultdict(list)
        counts, here = Counter[str](), Counter[str]()
        marks = [0, 0]
        for name, number in re.findall(r"^(\w+)\((\d*)", (self.home / "trace").read_text("utf-8", "replace"), re.M):
            if name == "getpgid" and int(number) >= _MARK:
                marks = [marks[-1], int(number)]
                here.clear()
            elif name not in NOT_TRIED:
                counts[name] += 1
                here[name] += 1
                found[Site(name, *marks, here[name] > 1)].append(counts[name])
        return done, found

    def attempt(self, call: Call, right: Done) -> None:
        """Let one call meet its fault, and note what is wrong with the end."""
        what = f"signal={call.kind}" if call.kind in SIGNALS else f"error={call.kind}"
        done = self.run(["-e", f"trace={call.name}", "-e", f"inject={call.name}:{what}:when={call.n}"])
        wrong = self.judge(call, done, right)
        same = (done.code, done.out) == (right.code, right.out)
        self.outcomes["as undisturbed" if same else f"exit {done.code}"] += 1
        if wrong:
            self.faults.append(f"{call.name} {call.n} {call.kind}: {wrong}")
            print(f"{self.command.arguments[0]}: {self.faults[-1]}\n{done.err[-1500:]}", flush=True)  # noqa: T201

    def judge(self, call: Call, done: Done, right: Done) -> str:
        """What is wrong with an end; nothing when all is well."""
        said = [line for line in done.err.splitlines() if line not in right.err.splitlines()]
        if "Traceback" in done.err or "Exception ignored" in done.err:
            return "a traceback"
        written = all(_content(done.files.get(name)) == _content(file) for name, file in right.files.items())
        strays = done.files.keys() - (right.files.keys() if written else {self.command.output})
        if strays and call.name not in REMOVING:
            return f"left behind: {', '.join(strays)}"
        if (done.code, done.out) == (right.code, right.out) or (self.command.is_visited and _went_on(done, call)):
            return "" if written else "an exit as if well, without the right file"
        output = self.command.output
        if not written and output is not None and done.files.get(output) != self.old:
            return "the old file is not whole"
        if call.kind in ENDS:
            return "" if done.code == ENDS[call.kind] else f"exit {done.code} after {call.kind}"
        if done.code not in REFUSED:
            return f"exit {done.code}"
        said += [line for line in done.out.splitlines() if line not in right.out.splitlines()]
        sentence = [line for line in said if "elo-sheets: " in line or "not checked" in line]
        if len(sentence) != 1 and call.name != "write":
            return f"{len(sentence)} sentences"
        return "" if call.name == "write" or ";" in sentence[0] else "no remedy"


def _went_on(done: Done, call: Call) -> bool:
    """Whether a server said what went wrong, had a book for the next visitor, and ended well; Ctrl-C ends it well."""
    said = all(line.startswith("elo-sheets: ") and ";" in line for line in done.err.splitlines())
    seen = done.out.splitlines()[-1]
    whole = seen in ("a book", "a lost connection, then a book", "a sentence, then a book")
    return done.code == 0 and said and (whole or call.kind == "SIGINT")


def _content(file: bytes | None) -> object:
    """The parts of a package, anything else as it is: a zip that could not seek is another with the same parts."""
    if file is None or not zipfile.is_zipfile(io.BytesIO(file)):
        return file
    with zipfile.ZipFile(io.BytesIO(file)) as package:
        return {part: package.read(part) for part in package.namelist()}


def every_call(sites: dict[Site, list[int]]) -> Iterator[Call]:
    """Every call with everything that it may meet."""
    for site, numbers in sites.items():
        for n in numbers:
            for kind in KINDS:
                yield Call(site.name, n, kind)


def each_call(sites: dict[Site, list[int]]) -> Iterator[Call]:
    """Every call with one of the errors and signals, by turns."""
    calls = sorted((site.name, n) for site, numbers in sites.items() for n in numbers)
    for turn, (name, n) in enumerate(calls):
        yield Call(name, n, KINDS[turn % len(KINDS)])


def each_site(sites: dict[Site, list[int]], tried: set[object]) -> Iterator[Call]:
    """The first and last call of each site that has not been tried, or to which a new way leads."""
    for site, numbers in sites.items():
        keys = {(site.name, site.lines, site.again), site.way}
        if keys <= tried:
            continue
        place = (site.lines, site.way)
        turn = len(tried)
        if place not in tried:
            yield Call(site.name, numbers[0], SIGNALS[turn % len(SIGNALS)])
        for n in sorted({numbers[0], numbers[-1]}):
            for kind in (*OWN, ALIKE[turn % len(ALIKE)]):
                yield Call(site.name, n, kind)
        tried |= {*keys, place}


def main() -> int:
    parser = argparse.ArgumentParser(description="Let the system calls of every command fail in turn.")
    parser.add_argument("commands", nargs="*", default=list(COMMANDS))
    parser.add_argument("--all", action="store_true", help="every call with every error and signal")
    parser.add_argument("--once", action="store_true", help="every call with one of them, by turns")
    parser.add_argument("--cold", action="store_true", help="let calls fail while the program is being loaded")
    parser.add_argument("--every", type=int, default=1, help="try one in so many")
    parser.add_argument("--first", type=int, default=0, help="which of these is the first: 0 to STEP - 1 try all")
    given = parser.parse_args()
    if not given.cold:
        load_everything()
    total, tried = Counter[str](), set[object]()
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        home = Path(folder)
        make_inputs(home / "inputs")
        for at, name in enumerate(given.commands):
            runs = Runs(COMMANDS[name], home / name, home / "inputs")
            runs.home.mkdir()
            right, sites = runs.calls()
            assert right.code in (0, 1), right
            chosen = every_call(sites) if given.all else each_call(sites) if given.once else each_site(sites, tried)
            calls = list(chosen)[(at + given.first) % given.every :: given.every]
            for call in calls:
                runs.attempt(call, right)
            told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(runs.outcomes.items()))
            made = sum(map(len, sites.values()))
            print(  # noqa: T201
                f"{name}: {made} calls at {len(sites)} sites, {len(calls)} runs ({told}); {len(runs.faults)} wrong",
                flush=True,
            )
            total.update(calls=made, sites=len(sites), runs=len(calls), wrong=len(runs.faults))
    print(", ".join(f"{count} {what}" for what, count in total.items()))  # noqa: T201
    return 1 if total["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
