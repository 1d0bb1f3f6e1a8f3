"""A time of day that one of two sources has makes no second game of one; two times are two games."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_update import games_in

from elo_sheets import import_logs, new_book, update_book

HEADER = "date,white,black,result\n"
DAY = "2026-06-05,Ann,Bob,1-0\n2026-06-06,Bob,Cid,0-1\n"
CLOCK = "2026-06-05 18:00,Ann,Bob,1-0\n2026-06-06 19:30,Bob,Cid,0-1\n"
BLITZ = "2026-06-05 18:00,Ann,Bob,1-0\n2026-06-05 18:10,Ann,Bob,1-0\n"


def written(path: Path, rows: str) -> Path:
    path.write_text(HEADER + rows, encoding="utf-8")
    return path


@pytest.mark.parametrize(("held", "told"), [(DAY, CLOCK), (CLOCK, DAY), (CLOCK, CLOCK)])
@pytest.mark.parametrize("template", ["league", "journal"])
def test_a_time_makes_no_second_game(held: str, told: str, template: str, tmp_path: Path) -> None:
    book = tmp_path / "book.xlsx"
    player = "Bob" if template == "journal" else None
    import_logs([written(tmp_path / "held.csv", held)], book, template=template, player=player)
    before = book.read_bytes()
    done = update_book(book, [written(tmp_path / "told.csv", told)], backup=False)
    assert (len(done.merged.added), done.merged.held, done.changed) == (0, 2, False)
    assert book.read_bytes() == before


def test_two_times_are_two_games(tmp_path: Path) -> None:
    book = tmp_path / "book.xlsx"
    new_book("league", book, rows=20)
    update_book(book, [written(tmp_path / "one.csv", BLITZ[: BLITZ.index("\n") + 1])], backup=False)
    done = update_book(book, [written(tmp_path / "both.csv", BLITZ)], backup=False)
    assert (len(done.merged.added), done.merged.held) == (1, 1)
    assert len(games_in(book)) == 2


def test_another_result_at_a_time_is_a_conflict(tmp_path: Path) -> None:
    book = tmp_path / "book.xlsx"
    import_logs([written(tmp_path / "held.csv", DAY)], book)
    done = update_book(book, [written(tmp_path / "told.csv", CLOCK.replace("1-0", "0-1"))], dry_run=True)
    assert (len(done.merged.added), len(done.unresolved)) == (0, 1)
