"""Who is who in logs and books of sides, and the season after."""

from __future__ import annotations

from pathlib import Path

import pytest

from elo_sheets.uses.exporting import replay_logs
from elo_sheets.uses.importing import import_logs
from elo_sheets.uses.updating import next_season, update
from elo_sheets.validate import validate

HEAD = "Date,A1,A2,B1,B2,A points,B points\n"
FIRST = (
    "2025-01-06,Anna Berg,Ben Cole,Cid Dunn,Dora Ende,10,7\n"
    "2025-01-07,Anna Berg,Cid Dunn,Ben Cole,Dora Ende,4,10\n"
    "2025-01-08,Ana Berg,Dora Ende,Ben Cole,Cid Dunn,10,9\n"
)
AGAIN = "2025-01-08,Cid Dunn,Ben Cole,Dora Ende,Ana Berg,9,10\n2025-01-09,Ana Berg,Ben Cole,Cid Dunn,Dora Ende,10,2\n"


def write(path: Path, text: str) -> Path:
    path.write_text(HEAD + text, encoding="utf-8")
    return path


def answered(path: Path, answer: str) -> Path:
    path.write_text(path.read_text(encoding="utf-8").replace('answer = ""', f'answer = "{answer}"'), encoding="utf-8")
    return path


def test_names_are_asked_once_and_a_book_remembers_them(tmp_path: Path) -> None:
    log, names, book = write(tmp_path / "a.csv", FIRST), tmp_path / "names.toml", tmp_path / "book.xlsx"
    before = replay_logs(log, names=names)
    assert len(before.ratings) == 5
    asked = names.read_text(encoding="utf-8")
    assert "2 and 1 games; never on the same day; 3 partners or opponents in common" in asked
    replay_logs(log, names=names)
    assert names.read_text(encoding="utf-8") == asked
    after = replay_logs(log, names=answered(names, "Anna Berg"))
    assert len(after.ratings) == 4
    import_logs(log, book, names=names)
    done = update(book, write(tmp_path / "b.csv", AGAIN))
    assert (len(done.merged.added), done.players) == (1, [])
    assert validate(book).status == "agrees"
    games = replay_logs(book).ratings.set_index("player")["games"].to_dict()
    assert games == {"Anna Berg": 4, "Ben Cole": 4, "Cid Dunn": 4, "Dora Ende": 4}


def test_one_person_under_two_names_in_one_game_stays_two_there(tmp_path: Path) -> None:
    log = write(tmp_path / "a.csv", FIRST + "2025-01-10,Anna Berg,Ana Berg,Cid Dunn,Dora Ende,1,0\n")
    names = tmp_path / "names.toml"
    names.write_text('[[player]]\nname = "Anna Berg"\nspellings = ["Ana Berg"]\n', encoding="utf-8")
    done = replay_logs(log, names=names)
    assert done.ratings.set_index("player")["games"].to_dict()["Ana Berg"] == 1
    assert any("play in one game" in note and "row 5" in note for note in done.notes)


def test_names_of_a_book_are_asked_too(tmp_path: Path) -> None:
    book, names = tmp_path / "book.xlsx", tmp_path / "names.toml"
    import_logs(write(tmp_path / "a.csv", FIRST.replace("Ana Berg", "Anna Berg")), book)
    update(book, write(tmp_path / "b.csv", AGAIN), names=names, dry_run=True)
    assert not names.exists()
    update(book, write(tmp_path / "b.csv", AGAIN), names=names, backup=False)
    assert 'names = ["Ana Berg", "Anna Berg"]' in names.read_text(encoding="utf-8")


@pytest.mark.parametrize(("template", "system"), [(None, "elo"), (None, "trueskill"), ("table", "elo")])
def test_the_next_season_begins_where_the_last_one_ended(tmp_path: Path, template: str | None, system: str) -> None:
    book, coming = tmp_path / "book.xlsx", tmp_path / "next.xlsx"
    if template is None:
        log = write(tmp_path / "a.csv", FIRST)
        more = write(tmp_path / "b.csv", AGAIN[AGAIN.index("\n") + 1 :])
    else:
        log, more = tmp_path / "a.csv", tmp_path / "b.csv"
        log.write_text("1st,2nd,3rd\nAnn,Ben,Cid\nCid,Ann,Dot\n", encoding="utf-8")
        more.write_text("1st,2nd,3rd\nDot,Ben,Cid\n", encoding="utf-8")
    import_logs(log, book, system=system)
    done = next_season(book, coming)
    assert done.output == str(coming)
    assert validate(coming).status == "agrees"
    update(coming, more)
    assert validate(coming).status == "agrees"
    both = replay_logs([log, more], system=system).ratings.set_index("player")["rating"].to_dict()
    found = replay_logs(coming, system=system, as_book=True).ratings.set_index("player")["rating"].to_dict()
    assert found == pytest.approx({player: both[player] for player in found}, abs=1e-9)
