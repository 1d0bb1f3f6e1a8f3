"""What the system does to a command: each refusal a sentence and an exit code, no traceback, nothing left behind."""

from __future__ import annotations

import errno
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import warm

from elo_sheets._outside import visible
from elo_sheets.errors import UnreadableInput
from elo_sheets.files.ingest import read_any
from elo_sheets.files.save import replacing
from elo_sheets.uses.exporting import _csv, replay_logs
from elo_sheets.uses.simulation import simulate_logs

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX streams, limits and signals")

ROOT = Path(__file__).parents[1]
COMMAND = [sys.executable, "-m", "elo_sheets"]
LEAGUE = "date,white,black,result\n2026-01-05,Player 1,Player 2,1-0\n2026-01-06,Player 2,Player 3,1/2-1/2\n"
NOBODY = 65534


@pytest.fixture(scope="module", autouse=True)
def _kept_modules() -> None:
    """Have Python keep the modules that it loads before a command begins: a limit of file size would cut them off."""
    subprocess.run([*COMMAND, "calc", "1600", "1500"], cwd=ROOT, check=True, capture_output=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "temporary").mkdir()
    (tmp_path / "league.csv").write_text(LEAGUE)
    return tmp_path


def run(
    folder: Path, *arguments: str, before: Callable[[], None] | None = None, **more: object
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "temporary")}
    environment |= more.pop("environment", {})  # type: ignore[arg-type]
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        [*COMMAND, *arguments], cwd=folder, env=environment, text=True, timeout=120, preexec_fn=before, **streams
    )


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


# --- streams ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [["rules"], ["--help"], ["calc", "1500", "1600"], ["replay", "league.csv"]])
def test_a_full_output_is_said_and_is_no_finding(folder: Path, arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = run(folder, *arguments, stdout=full)
    assert (done.returncode, done.stderr) == (
        2,
        "elo-sheets: cannot write to the standard output: no space left on device; "
        "free some space on that disk, or choose another folder\n",
    )


def test_a_closed_output_is_said(folder: Path) -> None:
    done = run(folder, "rules", before=lambda: os.close(1))
    assert done.returncode == 2
    assert done.stderr.startswith("elo-sheets: cannot write to the standard output: bad file descriptor; it is closed")


def test_a_closed_input_is_said(folder: Path) -> None:
    done = run(folder, "replay", "-", before=lambda: os.close(0))
    assert done.returncode == 3
    assert done.stderr == (
        "elo-sheets: expected a file that can be read: bad file descriptor (stdin); "
        "it is closed: give it a file or a pipe\n"
    )


def test_a_closed_stderr_leaves_the_book_whole(folder: Path) -> None:
    done = run(folder, "import", "league.csv", "-o", "book.xlsx", before=lambda: os.close(2))
    assert done.returncode == 0
    assert (folder / "book.xlsx").read_bytes().startswith(b"PK")


@pytest.mark.parametrize(("arguments", "code"), [(["rules"], 0), (["validate", "samples.xlsx"], 1)])
def test_a_pipe_that_nobody_reads_is_met_in_silence_and_changes_no_verdict(
    folder: Path, arguments: list[str], code: int
) -> None:
    (folder / "samples.xlsx").write_bytes((ROOT / "samples/wrong_guide.xlsx").read_bytes())
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        done = run(folder, *arguments, stdout=pipe)
    assert (done.returncode, done.stderr) == (code, "")


# --- disks, rights, memory ----------------------------------------------------------------------------------


def limited(kind: str, amount: int) -> Callable[[], None]:
    import resource

    return lambda: resource.setrlimit(getattr(resource, kind), (amount, amount))


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["import", "league.csv", "-o", "book.xlsx", "--force"], "book.xlsx"),
        (["new", "league", "-o", "book.xlsx", "--force"], "book.xlsx"),
        (["replay", "league.csv", "-o", "book.json", "--force"], "book.json"),
    ],
)
def test_a_limit_of_file_size_leaves_the_old_file(folder: Path, arguments: list[str], what: str) -> None:
    (folder / what).write_text("old")
    done = run(folder, *arguments, before=limited("RLIMIT_FSIZE", 100))
    assert done.returncode == 2
    assert done.stderr == (
        f"elo-sheets: cannot write '{what}': file too large; allow larger files (ulimit -f), or choose another disk\n"
    )
    assert (folder / what).read_text() == "old"
    assert names(folder) == sorted(["league.csv", "temporary", what])


def compiling(folder: Path) -> dict[str, str]:
    """An environment in which Python keeps what it compiles in a folder of its own."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(folder / "compiled")}


def test_a_limit_of_file_size_leaves_no_module_cut_off(folder: Path) -> None:
    command = [sys.executable, "-m", "elo_sheets", "new", "calculator", "-o", "book.xlsx"]
    known: dict[str, Any] = {"cwd": folder, "env": compiling(folder), "capture_output": True, "text": True}
    subprocess.run([*command[:3], "calc", "1600", "1500"], check=True, **known)  # which keeps what Python itself loads
    done = subprocess.run(command, preexec_fn=limited("RLIMIT_FSIZE", 16384), check=False, **known)
    assert "file too large" in done.stderr
    assert subprocess.run(command, check=False, **known).returncode == 0


def test_a_module_that_was_cut_off_is_removed(folder: Path) -> None:
    command = [sys.executable, "-m", "elo_sheets", "calc", "1600", "1500"]
    known: dict[str, Any] = {"cwd": folder, "env": compiling(folder), "capture_output": True, "text": True}
    assert subprocess.run(command, check=False, **known).returncode == 0
    module = next((folder / "compiled").rglob("elo_sheets/cli/calculators.*.pyc"))
    module.write_bytes(module.read_bytes()[:4096])
    done = subprocess.run(command, check=False, **known)
    assert done.returncode == 3
    assert f"was cut off and has been removed ({module}); try again" in done.stderr
    assert subprocess.run(command, check=False, **known).returncode == 0


def test_without_a_temporary_folder_a_book_is_not_checked(folder: Path) -> None:
    book = ROOT / "samples/wrong_guide.xlsx"
    done = run(folder, "validate", str(book), environment={"TMPDIR": str(folder / "none")})
    assert done.returncode == 4
    assert "not checked: the system refused what the check needs: no temporary folder can be made in" in done.stdout
    assert done.stderr == ""


def test_a_read_only_file_is_replaced_when_asked(tmp_path: Path) -> None:
    home = Path(tempfile.mkdtemp(dir="/tmp"))  # where another user may come
    old = home / "book.json"
    old.write_text("old")
    old.chmod(0o444)
    root = os.geteuid() == 0  # which nothing is read-only for
    try:
        if root:
            os.chown(home, NOBODY, NOBODY)
            os.chown(old, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        with replacing(old, overwrite=True) as new:
            new.write_text("new")
        assert (old.read_text(), old.stat().st_mode & 0o777, names(home)) == ("new", 0o444, ["book.json"])
    finally:
        if root:
            os.seteuid(0)
        shutil.rmtree(home)


def test_a_list_of_start_ratings_that_is_not_there_is_said(folder: Path) -> None:
    done = run(folder, "replay", "league.csv", "--start", "nofile.csv")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("elo-sheets: there is no file 'nofile.csv': expected --start ")


def test_a_log_that_the_system_does_not_give_is_no_list_of_fixtures(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = folder / "league.csv"
    log.write_text(LEAGUE + "2026-01-07,Player 1,Player 3,\n")
    given, opened = Path.open, []

    def refused_once(path: Path, *how: object, **more: object) -> object:
        opened.append(path)
        if len(opened) == 1:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return given(path, *how, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refused_once)
    with pytest.raises(UnreadableInput, match="expected a file that can be read: input/output error"):
        simulate_logs([log], runs=10)


def test_a_book_is_refused_where_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", none)
    with pytest.raises(UnreadableInput, match="no thread could be started; close other programs"):
        read_any(ROOT / "samples/wrong_guide.xlsx")


@pytest.mark.parametrize(
    "error", [LookupError("unknown encoding: utf-16-le"), ImportError("cannot import name"), MemoryError()]
)
def test_what_python_cannot_load_is_a_sentence(error: Exception) -> None:
    code = "import sys; from elo_sheets import _outside\ndef fail(): raise " + repr(error)
    done = subprocess.run(
        [sys.executable, "-c", code + "\nsys.exit(_outside.run(fail, 3))"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 3
    assert re.fullmatch(r"elo-sheets: [^\n]+; [^\n]+\n", done.stderr)


def test_a_package_of_which_only_the_folder_was_found_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "half").mkdir()
    code = f"import sys; sys.path.append({str(tmp_path)!r}); from elo_sheets import _outside; import half\n"
    code += "sys.exit(_outside.run(lambda: half.loads(), 3))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr.startswith("elo-sheets: a part of the program could not be loaded (module 'half' has no")


def test_what_a_package_raises_while_it_is_loaded_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("raise TypeError('data type not understood')")
    code = f"import sys; sys.path.append({str(tmp_path)!r}); from elo_sheets import _outside\n"
    code += "sys.exit(_outside.run(lambda: __import__('broken'), 3))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr.startswith("elo-sheets: a part of the program could not be loaded (data type not understood); ")


@pytest.mark.parametrize(("fault", "name"), [("{}[0]", "KeyError"), ("sys.nothing", "AttributeError")])
def test_a_fault_of_the_program_is_still_one(fault: str, name: str) -> None:
    code = f"import sys; from elo_sheets import _outside\nsys.exit(_outside.run(lambda: {fault}, 3))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert name in done.stderr


# --- signals ------------------------------------------------------------------------------------------------


def hear_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # which a run in the background ignores
        signal.signal(number, signal.SIG_DFL)


def test_a_signal_that_is_ignored_stays_so(folder: Path) -> None:
    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    code = "import os, signal, sys; from elo_sheets import _outside\n"
    code += "sys.exit(_outside.run(lambda: os.kill(os.getpid(), signal.SIGHUP) or 0, 3))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, preexec_fn=ignore, check=False).returncode == 0


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (signal.SIGINT, 130, "elo-sheets: interrupted\n"),
        (signal.SIGTERM, 143, ""),
        (signal.SIGHUP, 129, ""),
    ],
)
def test_a_signal_ends_a_command_and_leaves_nothing(folder: Path, number: int, code: int, said: str) -> None:
    old = folder / "book.xlsx"
    old.write_text("old")
    log = "date,white,black,result\n" + "".join(
        f"2026-01-{i % 28 + 1:02},Player {i % 40},Player {i % 41 + 40},1-0\n" for i in range(800)
    )
    (folder / "league.csv").write_text(log)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "temporary")}
    command = [*COMMAND, "import", "league.csv", "-o", "book.xlsx", "--force"]
    with subprocess.Popen(
        command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True, preexec_fn=hear_signals
    ) as process:
        deadline = time.monotonic() + 90
        while not list(folder.glob(".*")) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(number)
        _, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (code, said)
    assert old.read_text() == "old"
    assert names(folder) == ["book.xlsx", "league.csv", "temporary"]


# --- terminals ----------------------------------------------------------------------------------------------

NAMES = "Mal\x1b[31mlory", "Bo\x9b2Jb"
CODES = "Mal\\u001b[31mlory", "Bo\\u009b2Jb"


@pytest.fixture
def escapes(folder: Path) -> Path:
    rows = "".join(f"2026-01-05,{name},Player 1,1-0\n" for name in NAMES)
    (folder / "league.csv").write_text("date,white,black,result\n" + rows)
    return folder


@pytest.mark.parametrize("more", [[], ["--json"], ["-o", "-"], ["--compare", "elo", "--burn-in", "0"]])
def test_control_characters_in_names_are_shown_as_such(escapes: Path, more: list[str]) -> None:
    done = warm.run(escapes, "replay", "league.csv", *more)
    assert done.code == 0
    assert all(code in done.out for code in CODES)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", done.out + done.err)


def test_raw_leaves_control_characters(escapes: Path) -> None:
    done = warm.run(escapes, "replay", "league.csv", "-o", "-", "--raw")
    assert all(name in done.out for name in NAMES)


def test_a_line_end_in_a_name_makes_no_line_of_its_own(folder: Path) -> None:
    assert visible("a\x1b]0;x\x07\r\u2028b") == "a\\u001b]0;x\\u0007\\u000d\\u2028b"


@pytest.mark.parametrize("sign", "=+-@＝＋－＠")
def test_a_name_that_begins_like_a_formula_is_guarded_in_csv(folder: Path, sign: str) -> None:
    (folder / "league.csv").write_text(f"date,white,black,result\n2026-01-05,{sign}1+1,Player 1,1-0\n")
    done = replay_logs([folder / "league.csv"])
    assert f",'{sign}1+1," in _csv(done.replayed.history, raw=False)
    assert f",{sign}1+1," in _csv(done.replayed.history, raw=True)


def test_progress_is_taken_away_before_the_result(folder: Path) -> None:
    above, below = pty.openpty()
    done = run(folder, "replay", "league.csv", stdout=below, stderr=below)
    os.close(below)
    shown = b""
    try:
        while part := os.read(above, 4096):
            shown += part
    except OSError:  # the other end is closed
        pass
    os.close(above)
    assert done.returncode == 0
    lines = shown.decode().replace("\r\n", "\n")
    assert lines.startswith("2 games read\r" + " " * len("2 games read") + "\rplayer ")
