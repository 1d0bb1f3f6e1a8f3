"""Some seeds of `python -m tests.fuzz`, and those that were met badly once."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from fuzz import KEPT, check, make, sources

ENDS = {"agrees", "differs", "unchecked", "refused (3)"}


@pytest.mark.parametrize("seed", [*range(1, 7), *KEPT])
def test_a_book_that_was_changed_at_random_is_judged_or_refused(seed: int, tmp_path: Path) -> None:
    book = make(seed, sources(tmp_path), tmp_path / "book.xlsx")
    assert check(book, tmp_path / "copy.xlsx").removesuffix(", not annotated") in ENDS


def parts(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_seed_makes_the_same_book_again(tmp_path: Path) -> None:
    books = sources(tmp_path)
    one, two = (make(5, books, tmp_path / name) for name in ("1.xlsx", "2.xlsx"))
    assert parts(one) == parts(two)
