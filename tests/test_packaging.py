"""What is installed is complete: the built wheel, not the checkout, holds the templates, tables and types."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ("pyproject.toml", "README.md", "LICENSE", "elo_sheets")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a copy, as building leaves files behind."""
    folder = tmp_path_factory.mktemp("build")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", "dist", "."]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    (built,) = (folder / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the wheel is installed."""
    target = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(target), str(wheel)]
    subprocess.run(command, check=True, capture_output=True)
    return target


def python(installed: Path, program: str, folder: Path) -> str:
    # -P keeps the current folder out; a path given comes before whatever else is installed.
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_holds_all_that_is_read_at_run_time(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for path in (ROOT / "elo_sheets").rglob("*"):
        if path.suffix in {".py", ".toml", ".typed"} and "__pycache__" not in path.parts:
            assert path.relative_to(ROOT).as_posix() in names
    assert not [name for name in names if name.startswith(("tests/", "samples/", "docs/", "benchmarks/"))]


def test_a_template_opens_from_the_installed_wheel(installed: Path, tmp_path: Path) -> None:
    program = """
import json, tomllib
from importlib.resources import files
import elo_sheets.templates
form = tomllib.loads(files("elo_sheets.templates").joinpath("journal.toml").read_text("utf-8"))
print(json.dumps([form["title"], elo_sheets.templates.__file__]))
"""
    title, place = json.loads(python(installed, program, tmp_path))
    assert title == "Rating journal"
    assert Path(place).is_relative_to(installed)


def test_the_installed_wheel_makes_a_book(installed: Path, tmp_path: Path) -> None:
    program = "import sys; from elo_sheets.__main__ import main; sys.argv[1:] = 'new league -o b.xlsx'.split(); main()"
    assert python(installed, program, tmp_path) == "wrote b.xlsx\n"
    assert zipfile.is_zipfile(tmp_path / "b.xlsx")


def test_help_needs_none_of_the_slow_imports(installed: Path, tmp_path: Path) -> None:
    program = (
        "import sys, elo_sheets.cli; print(sorted({'pandas', 'openpyxl', 'xlsxwriter', 'numpy'} & {*sys.modules}))"
    )
    assert python(installed, program, tmp_path) == "[]\n"
