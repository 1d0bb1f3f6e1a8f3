"""Logs in which the fewest points win, as golf and cross-country have them."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from elo_sheets.errors import UsageError
from elo_sheets.readers import read
from elo_sheets.uses.exporting import replay_logs
from elo_sheets.uses.importing import import_logs
from elo_sheets.uses.updating import update

GOLF = "Date,Player 1,Player 2,Strokes 1,Strokes 2\n2024-05-01,A,B,72,75\n2024-05-02,C,A,81,81\n2024-05-03,B,C,77,70\n"


@pytest.mark.parametrize(
    "log",
    [
        GOLF,
        "White,Black,Result\nA,B,72-75\nC,A,81:81\nB,C,77-70\n",
        "White,Black,Winner,Strokes 1,Strokes 2\nA,B,A,72,75\nC,A,draw,81,81\nB,C,C,77,70\n",
    ],
)
def test_the_fewest_points_of_two_win(log: str) -> None:
    games = read([io.BytesIO(log.encode())], lowest_wins=True).games
    assert games["score"].tolist() == [1.0, 0.5, 0.0]
    assert games["white_points"].tolist() == [72, 81, 77]


def test_a_winner_with_fewer_points_is_the_winner() -> None:
    log = io.BytesIO(b"Winner,Loser,Score\nA,B,72-75\nC,A,77-78\n")
    assert read([log], lowest_wins=True).games["score"].tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    "log",
    [
        "Game,Player,Points\n1,Ann,72\n1,Bea,75\n1,Cid,77\n2,Ann,71\n2,Bea,70\n2,Cid,71\n",
        "Day,Ann,Bea,Cid\n2024-05-01,72,75,77\n2024-05-02,71,70,71\n",
        "Player 1,Points 1,Player 2,Points 2,Player 3,Points 3\nAnn,72,Bea,75,Cid,77\nAnn,71,Bea,70,Cid,71\n",
    ],
)
def test_the_fewest_points_at_a_table_win(log: str) -> None:
    done = replay_logs(io.BytesIO(log.encode()), lowest_wins=True)
    assert done.log.games["place"].tolist() == [1, 2, 3, 2, 1, 2]
    assert not any("lowest-wins" in note for note in done.log.notes)


def test_places_are_places_whoever_wins_by_points() -> None:
    done = replay_logs(io.BytesIO(b"1st,2nd,3rd\nAnn,Bea,Cid\nBea,Ann,Cid\n"), lowest_wins=True)
    assert done.log.games["place"].tolist() == [1, 2, 3, 1, 2, 3]
    assert any("--lowest-wins says nothing of games whose places" in note for note in done.log.notes)


def test_a_log_without_points_has_no_fewest() -> None:
    for log in (b"White,Black,Result\nA,B,white\n", b'[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 1-0\n'):
        with pytest.raises(UsageError, match="leave out --lowest-wins"):
            read([io.BytesIO(log)], lowest_wins=True)


def test_a_book_remembers_that_the_fewest_win_and_is_read_as_it_stands(tmp_path: Path) -> None:
    (log := tmp_path / "golf.csv").write_text(GOLF)
    import_logs(log, book := tmp_path / "golf.xlsx", lowest_wins=True)
    before = book.read_bytes()
    update(book, log)
    assert book.read_bytes() == before
    log.write_text(GOLF.split("\n")[0] + "\n2024-06-01,B,A,70,74\n")
    update(book, log)
    games = read([book]).games
    assert list(zip(games["white"], games["score"], strict=True)) == [("A", 1.0), ("C", 0.5), ("B", 0.0), ("B", 1.0)]
