"""The command as a process of its own, forked from one that has loaded what commands load.

Loading takes most of the time of a short run. A run that asks for variables that Python reads when it starts (PYTHON…)
starts from nothing, and so do most of those of test_outside.py.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import pkgutil
import signal
import subprocess
import sys
import tempfile
import traceback
from functools import cache
from pathlib import Path
from typing import NamedTuple, NoReturn

TIMEOUT = 300  # seconds, after which a run is ended by SIGALRM
STREAMS = ("in", "out", "err")
ERRORS = ("surrogateescape", "surrogateescape", "backslashreplace")  # of the UTF-8 mode


class Ran(NamedTuple):
    """What a run of the command gave."""

    code: int
    out: str
    err: str


def run(folder: Path, *arguments: str, stdin: str = "", **environment: str) -> Ran:
    """Run the command in a folder."""
    variables = {**os.environ, "PYTHONUTF8": "1", **environment}
    if any(name.startswith("PYTHON") for name in environment):
        command = [sys.executable, "-m", "elo_sheets", *arguments]
        done = subprocess.run(
            command, cwd=folder, input=stdin, capture_output=True, encoding="utf-8", env=variables, check=False
        )
        return Ran(done.returncode, done.stdout, done.stderr)
    with tempfile.TemporaryDirectory() as streams:
        Path(streams, "in").write_text(stdin, "utf-8")
        asked = {"folder": str(folder), "streams": streams, "arguments": arguments, "environment": variables}
        server = _server()
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(asked) + "\n")
        server.stdin.flush()
        code = int(server.stdout.readline())
        out, err = (Path(streams, name).read_text("utf-8") for name in ("out", "err"))
    return Ran(code, out, err)


@cache
def _server() -> subprocess.Popen[str]:
    server = subprocess.Popen(
        [sys.executable, __file__],
        env={**os.environ, "PYTHONUTF8": "1", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def end() -> None:
        server.communicate()

    atexit.register(end)
    return server


def _serve() -> None:
    import elo_sheets

    for module in pkgutil.walk_packages(elo_sheets.__path__, "elo_sheets."):
        if not module.name.endswith(("__main__", "_child")):
            importlib.import_module(module.name)
    for name in ("pandas", "openpyxl", "xlsxwriter"):
        importlib.import_module(name)
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _run(json.loads(line))
        _, status = os.waitpid(pid, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def _run(asked: dict[str, object]) -> NoReturn:
    """Be the command, and end as Python does."""
    code = 1
    try:
        signal.alarm(TIMEOUT)
        for number, name in enumerate(STREAMS):
            opened = os.open(f"{asked['streams']}/{name}", os.O_RDWR | os.O_CREAT)
            os.dup2(opened, number)
            os.close(opened)
        os.environ.clear()
        os.environ.update(asked["environment"])  # type: ignore[call-overload]
        os.chdir(str(asked["folder"]))
        sys.argv = ["elo-sheets", *asked["arguments"]]  # type: ignore[misc]
        sys.stdin, sys.stdout, sys.stderr = (
            open(number, mode, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115
            for number, mode, errors in zip((0, 1, 2), "rww", ERRORS, strict=True)
        )
        from elo_sheets.__main__ import main

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


if __name__ == "__main__":
    _serve()
