"""Every block of commands in the documents runs, in the order of its page, with the files that the page shows.

A page is followed from its top in an empty folder that has the samples. A fenced block with a `title` is a file: it is
written there (`xlsx` as a workbook of its lines). In a block `sh` every line runs and has to end with 0, or with the
number that stands behind it as `# exit code N`. A block `python` runs, and prints what the block `text` after it says.
"""

from __future__ import annotations

import csv
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import openpyxl
import pytest
from click.testing import CliRunner

from elo_sheets.cli import cli
from elo_sheets.errors import EloSheetsError

ROOT = Path(__file__).parents[1]
# What cannot run here, by page and the first words of the line, and why. A page alone: none of its blocks.
NOT_RUN = {
    ("README.md", "python3 -m venv"): "installs and runs all tests: CI runs both lines (.ci/run)",
    ("CONTRIBUTING.md", ""): "sets the checkout up, and runs all tests: CI does both",
    ("samples/README.md", ""): "tests/test_docs.py runs these lines and compares every byte",
    ("docs/installing.md", "pipx"): "pipx is not among the test tools; it was run by hand on Linux",
    ("docs/installing.md", "uvx"): "uv is not among the test tools; it was run by hand on Linux",
    ("docs/cli.md", "echo"): "changes the start files of a shell",
    ("docs/cli.md", "_ELO_SHEETS_COMPLETE"): "changes the start files of a shell",
    (
        "docs/scale.md",
        "",
    ): "reads months of Lichess, gigabytes each; tests/test_ingesting.py reads small ones",
    ("docs/library.md", ""): "tests/test_docs.py runs the programs, doctest the examples",
    ("docs/serve.md", "elo-sheets serve"): "runs until Ctrl-C: tests/test_serve.py starts and ends it",
    (
        "docs/templates/index.md",
        "elo-sheets templates --all",
    ): "takes minutes: tests/test_ready_made.py runs it by parts",
}
_BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"\s+#.*exit code (\d)\s*$")


def blocks_of(page: str) -> list[tuple[str, str, str]]:
    return _BLOCK.findall((ROOT / page).read_text("utf-8"))


_ALL = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("samples/*.md")]
_NAMES = sorted(path.relative_to(ROOT).as_posix() for path in _ALL)
PAGES = [page for page in _NAMES if any(kind in ("sh", "python") for kind, *_ in blocks_of(page))]


def reason(page: str, line: str) -> str | None:
    return next((why for (where, start), why in NOT_RUN.items() if where == page and line.startswith(start)), None)


def write(name: str, kind: str, text: str) -> None:
    if kind != "xlsx":
        Path(name).write_text(text, encoding="utf-8")
        return
    made = openpyxl.Workbook()
    made.active.title = "Games"
    for row in csv.reader(text.splitlines()):
        made.active.append(row)
    made.save(name)


def run_line(line: str) -> None:
    found = _CODE.search(line)
    wanted, line = int(found[1]) if found else 0, _CODE.sub("", line).partition("  # ")[0]
    if line.startswith("elo-sheets ") and not re.search(r"[|>&*]", line):
        done = CliRunner().invoke(cli, shlex.split(line)[1:])
        error = done.exception
        code, said = (error.exit_code if isinstance(error, EloSheetsError) else done.exit_code), f"{done.output}{error}"
    else:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        how = {
            "shell": True,
            "capture_output": True,
            "text": True,
            "env": {**os.environ, "PATH": path, "PYTHONUTF8": "1"},
        }
        ran = subprocess.run(line, check=False, **how)
        code, said = ran.returncode, ran.stdout + ran.stderr
    assert code == wanted, f"{line}: exit code {code}\n{said}"


def run_program(program: str, expected: str | None) -> None:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert expected is None or done.stdout == expected


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if (why := NOT_RUN.get((page, ""))) is not None:
        pytest.skip(why)
    shutil.copytree(ROOT / "samples", tmp_path / "samples", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(tmp_path)
    blocks = blocks_of(page)
    for at, (kind, title, text) in enumerate(blocks):
        if title:
            write(title, kind, text)
        elif kind == "sh":
            for line in text.replace("\\\n", " ").splitlines():
                if line.strip() and reason(page, line) is None:
                    run_line(line)
        elif kind == "python":
            after = blocks[at + 1] if at + 1 < len(blocks) else ("", "", "")
            run_program(text, after[2] if after[0] == "text" and not after[1] else None)


def test_what_does_not_run_is_there_and_says_why() -> None:
    for (page, start), why in NOT_RUN.items():
        lines = [line for kind, _, text in blocks_of(page) if kind == "sh" for line in text.splitlines()]
        assert why
        assert not start or any(line.startswith(start) for line in lines), (page, start)


def test_the_guide_to_importing_shows_every_kind_of_file() -> None:
    shown = {kind for kind, title, _ in blocks_of("docs/importing.md") if title}
    assert shown >= {"csv", "pgn", "xlsx", "json", "html", "trf", "list", "txt", "python", "toml"}
