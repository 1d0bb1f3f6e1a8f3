"""A sample of `python -m tests.faults`: system calls of every command that fail, in turn."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from faults import COMMANDS, Call, Done, Runs

TESTS = Path(__file__).parent
RIGHT = Done(0, "out\n", "", {"out.csv": b"new"})


def test_every_command_is_tried() -> None:
    from elo_sheets.cli import cli

    assert {command.arguments[0] for command in COMMANDS.values()} == set(cli.commands)


@pytest.mark.strace
@pytest.mark.parametrize("every", [pytest.param(199, id="one in 199")])
def test_no_system_call_that_fails_brings_a_traceback_or_a_stray(every: int) -> None:
    environment = {**os.environ, "PYTHONPATH": str(TESTS.parent)}
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults", "--every", str(every)],
        cwd=TESTS.parent,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.count("; 0 wrong") == len(COMMANDS)


# --- what the suite objects to ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("done", "kind", "wrong"),
    [
        (RIGHT, "EIO", ""),
        (Done(3, "", "elo-sheets: cannot read: no; try\n", {"out.csv": b"the old file\n"}), "EIO", ""),
        (Done(130, "", "elo-sheets: interrupted\n", {"out.csv": b"the old file\n"}), "SIGINT", ""),
        (Done(1, "", "Traceback (most recent call last)", {}), "EIO", "a traceback"),
        (Done(1, "", "", {"out.csv": b"the old file\n"}), "EIO", "exit 1"),
        (Done(3, "", "", {"out.csv": b"the old file\n"}), "EIO", "0 sentences"),
        (Done(3, "", "elo-sheets: no\n", {"out.csv": b"the old file\n"}), "EIO", "no remedy"),
        (Done(3, "", "elo-sheets: a; b\n", {"out.csv": b"half"}), "EIO", "the old file is not whole"),
        (Done(3, "", "elo-sheets: a; b\n", {"out.csv": b"new", ".out": b""}), "EIO", "left behind: .out"),
        (Done(0, "out\n", "", {"out.csv": b"the old file\n"}), "EIO", "an exit as if well, without the right file"),
        (Done(0, "", "", {"out.csv": b"new"}), "EIO", "exit 0"),
        (Done(3, "", "elo-sheets: a; b\n", {"out.csv": b"the old file\n"}), "SIGTERM", "exit 3 after SIGTERM"),
    ],
)
def test_the_suite_tells_a_good_end_from_a_bad_one(done: Done, kind: str, wrong: str, tmp_path: Path) -> None:
    runs = Runs(COMMANDS["replay-csv"], tmp_path, tmp_path)
    assert runs.judge(Call("read", 1, kind), done, RIGHT) == wrong


LOST = "ended\na lost connection, then a book"


@pytest.mark.parametrize(
    ("done", "kind", "wrong"),
    [
        (Done(0, LOST, "", {}), "EIO", ""),
        (Done(0, LOST, "elo-sheets: a; b\n", {}), "EIO", ""),
        (Done(0, "ended\na lost connection", "", {}), "SIGINT", ""),
        (Done(0, LOST, "what?\n", {}), "EIO", "exit 0"),
        (Done(0, "ended\na sentence, then a sentence", "", {}), "EIO", "exit 0"),
        (Done(0, "ended\nno sentence with a remedy but 'Oh', then a book", "", {}), "EIO", "exit 0"),
        (Done(-9, "a lost connection, then a server that does not end", "", {}), "EIO", "exit -9"),
    ],
)
def test_a_server_goes_on_for_the_next_visitor(done: Done, kind: str, wrong: str, tmp_path: Path) -> None:
    runs = Runs(COMMANDS["serve"], tmp_path, tmp_path)
    assert runs.judge(Call("read", 1, kind), done, Done(0, "ended\na book", "", {})) == wrong
