"""What was needed to read and rate a large log is given back to the system, where the C library can."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from elo_sheets import _memory
from elo_sheets.readers import read
from elo_sheets.uses.exporting import replay_logs

LOG = b"date,white,black,result\n2024-05-01,Player 1,Player 2,1-0\n2024-05-02,Player 2,Player 1,1/2-1/2\n"


class Library:
    """A C library that counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def malloc_trim(self, rest: int) -> int:
        assert rest == 0
        self.asked += 1
        return 1

    def mallopt(self, name: int, size: int) -> int:
        assert name < 0 < size
        return 1


@pytest.mark.parametrize(("large", "asked"), [(2, True), (3, False)])
def test_memory_is_given_back_after_large_logs_alone(large: int, asked: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library()
    monkeypatch.setattr(_memory, "MANY", large)
    monkeypatch.setattr(ctypes, "CDLL", lambda name: library)
    assert replay_logs([LOG]).log.kept == 2
    assert (library.asked > 0) == asked


@pytest.mark.parametrize("fault", [AttributeError, OSError, TypeError])
def test_a_system_without_such_a_call_reads_all_the_same(
    fault: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def library(name: Any) -> Any:
        raise fault

    monkeypatch.setattr(_memory, "MANY", 1)
    monkeypatch.setattr(ctypes, "CDLL", library)
    assert read([LOG]).kept == 2
