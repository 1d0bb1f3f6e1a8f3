"""Who is who, remembered in the book: an answer given once holds for every later update, whatever the log spells."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_update import cells, games_in, written

from elo_sheets import import_logs, update_book, validate_book
from elo_sheets.cli import run_command
from elo_sheets.errors import UsageError
from elo_sheets.readers import read
from elo_sheets.uses.updating import next_season

JANUARY = [
    ("2026-01-05", "Eva Braun", "Player 1", "1-0"),
    ("2026-01-12", "Player 2", "Eva Braun", "1-0"),
    ("2026-01-19", "Player 1", "Player 2", "1/2-1/2"),
]
FEBRUARY = [("2026-02-02", "Braun, Eva", "Player 1", "1-0"), ("2026-02-09", "Player 2", "Eva Brawn", "0-1")]
MARCH = [("2026-03-02", "Player 1", "braun, eva", "0-1")]
ANSWERED = [(day, *("Eva Braun" if "Braun" in name else name for name in sides), r) for day, *sides, r in FEBRUARY]


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "club.xlsx"
    import_logs([str(written(tmp_path / "january.csv", JANUARY))], path)
    return path


def answer(path: Path) -> None:
    """The comma is her, one letter is another."""
    text = path.read_text("utf-8").split("[[question]]")
    for at, part in enumerate(text):
        right = "different" if "Eva Brawn" in part else "Eva Braun"
        text[at] = part.replace('answer = ""', f'answer = "{right}"')
    path.write_text("[[question]]".join(text), "utf-8")


def test_a_name_is_asked_against_those_in_the_book(book: Path, tmp_path: Path) -> None:
    names, log, before = tmp_path / "names.toml", written(tmp_path / "february.csv", FEBRUARY), book.read_bytes()
    done = update_book(book, [log], names=names, dry_run=True)
    assert not names.exists()
    assert any("did not write" in note for note in done.notes)
    update_book(book, [log], names=names, backup=False)
    asked = names.read_text("utf-8")
    assert '["Braun, Eva", "Eva Braun"]' in asked
    # Eva Braun of the book met Players 1 and 2, "Braun, Eva" of the log Player 1.
    assert "1 and 2 games; never on the same day; 1 opponents in common" in asked
    assert book.read_bytes() != before
    assert {row["Player"] for row in cells(book, "Players")} >= {"Eva Braun", "Braun, Eva", "Eva Brawn"}


def test_an_answer_is_remembered_in_the_book(book: Path, tmp_path: Path) -> None:
    names, log = tmp_path / "names.toml", written(tmp_path / "february.csv", FEBRUARY)
    update_book(book, [log], names=names, dry_run=True)
    assert not names.exists()
    with pytest.raises(UsageError, match=r"names\.txt"):
        update_book(book, [log], names=tmp_path / "names.txt")
    read([written(tmp_path / "both.csv", [*JANUARY, *FEBRUARY])], names=names)
    answer(names)
    told = update_book(book, [log], names=names, dry_run=True)
    assert "the book would remember from now on: 'Braun, Eva' is 'Eva Braun'" in told.notes
    done = update_book(book, [log], names=names, backup=False)
    assert "the book remembers from now on: 'Eva Braun' and 'Eva Brawn' are two people" in done.notes
    assert list(done.players) == ["Eva Brawn"]
    assert not any("one player has one spelling" in note for note in done.notes)
    names.unlink()

    again = book.read_bytes()
    same = update_book(book, [log], backup=False)  # under their own names they are the same games
    assert (same.changed, same.merged.held) == (False, 2)
    assert book.read_bytes() == again

    march = written(tmp_path / "march.csv", MARCH)
    later = update_book(book, [march], backup=False)
    assert "1 spelling was read as a name of the book" in later.notes
    assert list(later.players) == []
    assert games_in(book)[-1] == ("2026-03-02", "Player 1", "Eva Braun", "0-1")
    assert validate_book(book).status == "agrees"
    coming = tmp_path / "next.xlsx"
    next_season(book, coming)
    assert list(update_book(coming, [march]).players) == []


def test_explain_says_what_the_book_remembers(book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = tmp_path / "names.toml"
    names.write_text('[[player]]\nname = "Eva Braun"\nspellings = ["Braun, Eva"]\nids = ["7"]\n', "utf-8")
    assert update_book(book, names=names, backup=False).changed  # without a log
    assert not update_book(book, names=names, backup=False).changed
    assert run_command(["explain", "Eva Braun", str(book)]) == 0
    assert (
        "remembers who is who, for update: 'Braun, Eva' is 'Eva Braun'; id 7 is 'Eva Braun'" in capsys.readouterr().err
    )


def test_a_later_answer_counts_and_two_rows_of_one_player_are_named(book: Path, tmp_path: Path) -> None:
    names, log = tmp_path / "names.toml", written(tmp_path / "february.csv", FEBRUARY)
    update_book(book, [log], backup=False)  # nobody asked: three players
    names.write_text('[[player]]\nname = "Eva Braun"\nspellings = ["Braun, Eva", "Eva Brawn"]\n', "utf-8")
    done = update_book(book, [log], names=names, backup=False)
    assert (done.merged.held, len(done.merged.added)) == (2, 0)
    assert sum("who are one player by" in note for note in done.notes) == 2
    names.write_text('[[question]]\nnames = ["Eva Braun", "Eva Brawn"]\nanswer = "different"\n', "utf-8")
    now = update_book(book, [log], names=names, backup=False)
    assert sum("who are one player by" in note for note in now.notes) == 1
