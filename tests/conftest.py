"""Skips, with a reason, what needs a program that is not installed, and the validator of the package format.

With ELO_SHEETS_REQUIRE_ENGINES=1 a missing program is a failure instead, a missing browser with
ELO_SHEETS_REQUIRE_BROWSER=1.
"""

from __future__ import annotations

import gc
import inspect
import json
import os
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from functools import lru_cache, partialmethod
from pathlib import Path

import here
import hypothesis
import pytest
from click.testing import CliRunner, Result

from elo_sheets.engines.recalculate import ENGINES
from elo_sheets.page.browser import find_browser
from elo_sheets.replaying import kept
from elo_sheets.workbook import book

# How long an example takes says how busy the machine is. Each run draws other examples.
hypothesis.settings.register_profile("unhurried", deadline=None, max_examples=50)
hypothesis.settings.load_profile("unhurried")

# The tests compile more loops than a user has, by several versions of Python: the next run has them all.
kept.MOST = 1000

if "mix_stderr" in inspect.signature(CliRunner.__init__).parameters:  # click before 8.2: as it is since
    CliRunner.__init__ = partialmethod(CliRunner.__init__, mix_stderr=False)  # type: ignore[assignment, method-assign]
    Result.output = property(lambda result: result.stdout + result.stderr)  # type: ignore[assignment, method-assign]

OoxmlErrors = Callable[[Path], list[str]]


def _validator() -> str | None:
    return os.environ.get("OOXML_VALIDATOR") or shutil.which("ooxml-validator")


NEEDS = {
    "libreoffice": (lambda: ENGINES["libreoffice"].available(), "LibreOffice is not installed"),
    "formualizer": (lambda: ENGINES["formualizer"].available(), "formualizer is not installed"),
    "strace": (lambda: shutil.which("strace") is not None, "strace is not installed"),
    "browser": (lambda: find_browser() is not None, "Chromium is not installed"),
    "ooxml": (lambda: _validator() is not None, "no ooxml-validator on PATH or in OOXML_VALIDATOR"),
}


# Files that build many books, or long ones, or start the command many times: their tests are not `fast`.
MANY_BOOKS = (
    "detective/",
    "mutation/",
    "recognise/",
    "sides/test_sided_books",
    "sides/test_sided_diffs",
    "sides/test_sided_injection",
    "sides/test_sided_names",
    "sides/test_sided_tables",
    "sides/test_sided_updates",
    "test_benchmarks",
    "test_check_sheet",
    "test_column_values",
    "test_dialect",
    "test_differing",
    "test_docs",
    "test_every_template",
    "test_forms",
    "test_fuzz",
    "test_cli.py",
    "test_kept_loops",
    "test_last_seen",
    "test_long_books",
    "test_nothing_silent",
    "test_of_book",
    "test_outside",
    "test_own_templates",
    "test_packaging",
    "test_ready_made",
    "test_reports.py",
    "test_result_spellings",
    "test_sources",
    "test_starting",
    "test_template_",
    "test_testing",
    "test_typed_",
    "test_typing",
    "test_update",
    "test_validate",
    "test_weighing",
    "test_workbook",
    "wild/",
)

# Files whose books have as many spare rows as these tests need: all spare rows of a table hold the same formulas, and
# the books of the other files, of the samples and of the documents have as many as anybody's.
FEW_SPARE = (
    "sides/test_sided_books",
    "sides/test_sided_names",
    "sides/test_sided_tables",
    "test_cli.py",
    "test_forms",
    "test_last_seen",
    "test_of_book",
    "test_own_rules",
    "test_profiles",
    "test_ready_made",
    "test_seal",
    "test_sources",
    "test_starting",
    "test_update.py",
    "test_update_carrying",
    "test_update_year",
    "test_validate",
    "test_verbs",
    "test_weighing",
)
SPARE = {True: 20, False: book.SPARE_GAMES}


def pytest_configure(config: pytest.Config) -> None:
    """Let a worker have tests that follow one another, so that what a file makes once is made by one worker."""
    if getattr(config.option, "dist", None) == "load":
        config.option.dist = "worksteal"


@lru_cache
def _file(path: Path) -> str:
    """Return the file of a test, as it is named from here."""
    return path.relative_to(Path(__file__).parent).as_posix()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as `fast` what is enough to work by: what starts no other program and builds few books.

    The first cases of the tests that `ends.toml` names are in `ends`, and of all fast tests in files that it does not
    know: they run through nearly all lines of the package that all of them run through (`choose_ends.py`).
    """
    chosen = tomllib.loads(Path(__file__).with_name("ends.toml").read_text("utf-8"))
    first: dict[str, pytest.Item] = {}
    for item in items:
        name, test = _file(item.path), item.nodeid.partition("[")[0]
        marked = {marker.name for marker in item.iter_markers()}
        fast = not name.startswith(MANY_BOOKS) and marked.isdisjoint((*NEEDS, "slow"))
        if fast:
            item.add_marker("fast")
        if test.partition("::")[2] in chosen[name] if name in chosen else fast:
            first.setdefault(test, item)
    for item in first.values():
        item.add_marker("ends")


def pytest_collection_finish() -> None:
    """Look no more for garbage in what is there when the tests begin: their modules, and all their cases."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def pytest_runtest_setup(item: pytest.Item) -> None:
    book.SPARE_GAMES = SPARE[_file(item.path).startswith(FEW_SPARE)]
    here.choose(_file(item.path))
    for marker, (available, reason) in NEEDS.items():
        if item.get_closest_marker(marker) and not available():
            required = "ELO_SHEETS_REQUIRE_" + ("BROWSER" if marker == "browser" else "ENGINES")
            if os.environ.get(required) == "1":
                pytest.fail(reason)
            pytest.skip(reason)


@pytest.fixture(scope="session")
def ooxml_errors() -> OoxmlErrors:
    """What Microsoft's validator finds in a file; to be used by tests with the marker `ooxml`."""

    def errors(path: Path) -> list[str]:
        command = [str(_validator()), str(path)]
        # A program of .NET that ends after a second only loses by watching which of its code is run often.
        quick = {**os.environ, "DOTNET_TieredPGO": "0"}
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=quick)
        answer = json.loads(done.stdout)
        return [f"{e.get('path', '')}: {e.get('description', e)}" for e in answer["errors"]]

    return errors
