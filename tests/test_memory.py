"""What was needed to read and rate a large log is given back to the system, where the C library can."""

from __future__ import annotations

import ctypes
from typing import Any

import pandas as pd
import pytest

from elo_sheets import _memory, games
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


def test_a_log_of_which_only_the_ratings_are_asked_keeps_no_games() -> None:
    whole, lean = replay_logs([LOG]), replay_logs([LOG], history=False)
    assert (lean.log.read, lean.log.kept, list(lean.log.games)) == (2, 2, [])
    assert lean.ratings.equals(whole.ratings)


@pytest.mark.parametrize("at_once", [1, 2, 100])
def test_players_are_numbered_as_they_first_play_however_many_games_are_looked_through_at_a_time(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games, "AT_ONCE", at_once)
    pairs = [("Cid", "Ann"), ("Bob", "Cid"), ("Ann", "Bob"), ("Dot", "Ann"), ("Eve", "Dot")]
    numbers, names = games.numbered_players(pd.DataFrame(pairs, columns=["white", "black"]))
    assert names == ["Cid", "Ann", "Bob", "Dot", "Eve"]
    assert numbers.tolist() == [[names.index(white), names.index(black)] for white, black in pairs]


def test_columns_that_nobody_asks_for_are_not_made() -> None:
    log = LOG.replace(b"\n", b",B20\n").replace(b"result,B20", b"result,opening")
    whole, lean = (read([log], without=without) for without in ((), ("opening", "no such column")))
    assert whole.games["opening"].tolist() == ["B20", "B20"]
    pd.testing.assert_frame_equal(lean.games, whole.games.drop(columns="opening"))
