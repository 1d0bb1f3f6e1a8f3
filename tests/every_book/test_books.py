"""The command that makes every book: one small book through all of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .run import main


@pytest.mark.libreoffice
@pytest.mark.ooxml
def test_a_book_goes_through_everything_and_is_kept(tmp_path: Path) -> None:
    kept, page = tmp_path / "kept.jsonl", tmp_path / "books.md"
    asked = ["--template", "journal", "--system", "elo", "--games", "40", "--keep", str(kept), "--out", str(page)]
    assert main(asked) == 0
    (one,) = (json.loads(line) for line in kept.read_text().splitlines())
    assert (one["wrong"], one["errors"], one["faults"], one["verdict"]) == ([], 0, [], "agrees")
    assert max(one["differences"].values()) <= 1e-9
    assert one["cells"] > 1000
    assert f"| journal | elo | 40 | {one['cells']:,} |" in page.read_text()
    before = kept.read_text()
    assert main(asked) == 0
    assert kept.read_text() == before
