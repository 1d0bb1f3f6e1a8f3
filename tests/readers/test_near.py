"""Names that may be one person: which pairs are near, and what a log says of them unasked."""

from __future__ import annotations

import pytest

from elo_sheets.readers import read
from elo_sheets.readers._near import near_pairs


@pytest.mark.parametrize(
    "pair",
    [
        ("José", "Jose"),
        ("Éva Braun", "Eva Braun"),
        ("Maria Lang", "Mraia Lang"),
        ("Eva Braun", "E. Braun"),
        ("Braun, E.", "Eva Braun"),
        ("Eva Braun", "Eva M. Braun"),
        ("Anna Braun", "Hanna Braun"),
        ("van den Berg, Jan", "Jan van den Berg"),
        ("O’Neil", "Oneil"),
    ],
)
def test_names_are_near(pair: tuple[str, str]) -> None:
    assert list(near_pairs(pair)) == [pair]


@pytest.mark.parametrize(
    "pair",
    [
        ("Team A", "Team B"),
        ("Player 1", "Player 2"),
        ("E. Maier", "F. Maier"),
        ("Eva Braun", "Adam Braun"),
        ("SC Freiburg", "FC Freiburg"),
        ("Eva Braun", "Eva Lang"),
        ("E. Braun", "E. Lang"),
        ("Ann", "Bob"),
    ],
)
def test_names_are_two(pair: tuple[str, str]) -> None:
    assert not list(near_pairs(pair))


def notes(*games: str) -> list[str]:
    return read(["\n".join(["date,white,black,result", *games]).encode()]).notes


def test_a_log_says_once_which_names_may_be_one_player_and_what_to_do() -> None:
    rows = ["2026-01-05,Eva Braun,Ann Lee,1-0", "2026-01-12,E. Braun,Bob Ray,1-0", "2026-01-19,Bob Rya,Ann Lee,0-1"]
    (note,) = notes(*rows)
    assert "'Eva Braun' and 'E. Braun'; 'Bob Ray' and 'Bob Rya'" in note
    assert "--names FILE.toml" in note


def test_names_that_met_in_a_game_are_two_and_nothing_is_said() -> None:
    assert notes("2026-01-05,Eva Braun,Evi Braun,1-0") == []
