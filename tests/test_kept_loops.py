"""Compiled loops are kept between runs: read back with the same numbers, and never where they should not be."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from elo_sheets.replaying import kept, loop
from elo_sheets.replaying.kept import kept_source
from elo_sheets.replaying.replay import replay
from elo_sheets.systems import SYSTEMS, System
from elo_sheets.testing import sample_log

pytestmark = pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="caches are elsewhere")


@pytest.fixture
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    return tmp_path / "caches"


@pytest.fixture
def as_new(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Let each replay make its function as a new process does; the functions are listed."""
    made: list[Any] = []
    make = loop._function.__wrapped__

    def function(*how: Any) -> Any:
        made.append(make(*how))
        return made[-1]

    monkeypatch.setattr(loop, "_function", function)
    return made


def compiled(name: str) -> pd.DataFrame:
    rules = SYSTEMS[name]
    assert isinstance(rules, System)
    return replay(sample_log(5, games=60), rules, {}, compiled=True).history


@pytest.mark.parametrize("name", ["elo", "ecf"])
def test_a_kept_loop_gives_the_same_numbers_without_compiling(name: str, caches: Path, as_new: list[Any]) -> None:
    first, second = compiled(name), compiled(name)
    pd.testing.assert_frame_equal(first, second, check_exact=True)
    hits = [sum(function.stats.cache_hits.values()) for function in as_new if hasattr(function, "stats")]
    assert hits == [0] * (len(hits) // 2) + [1] * (len(hits) // 2)
    assert list((caches / "elo-sheets" / "replay" / "__pycache__").glob("loop_*.nbi"))


def test_a_folder_that_cannot_be_made_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert kept_source("def run(): pass\n", ()) is None
    assert len(compiled("elo"))


def test_a_folder_into_which_others_write_is_not_used(caches: Path) -> None:
    assert kept_source("x = 1\n", ()) is not None
    (caches / "elo-sheets" / "replay").chmod(0o777)
    assert kept_source("x = 1\n", ()) is None


def test_another_loop_or_another_table_is_another_file(caches: Path) -> None:
    paths = {kept_source(*how) for how in (("x = 1\n", ()), ("x = 2\n", ()), ("x = 1\n", ("table",)))}
    assert len(paths) == 3
    assert kept_source("x = 1\n", ()) in paths


def test_the_oldest_loops_go_with_their_machine_code(caches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST", 2)
    first = kept_source("x = 1\n", ())
    assert first is not None
    code = first.parent / "__pycache__" / f"{first.stem}.run-1.nbi"
    code.parent.mkdir()
    code.write_text("")
    for number in range(2, 5):
        kept_source(f"x = {number}\n", ())
    assert not first.exists()
    assert not code.exists()
    assert len(list(first.parent.glob("loop_*.py"))) == 2
