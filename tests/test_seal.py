"""The seal of a book: it holds until a program writes to the file, and an update with it is an update without it."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import openpyxl
import pytest
from test_update import made_games, unsealed, written

from elo_sheets import import_logs, new_book, next_season, update_book
from elo_sheets.errors import UnreadableInput
from elo_sheets.files.archive import rewrite_parts
from elo_sheets.files.package import read_book
from elo_sheets.files.seal import HOME, is_sealed

BOOKS = {
    "league": {},
    "event": {},
    "ratings-list": {"system": "glicko"},
    "season": {},
    "compare": {"system": "elo,glicko2"},
    "journal": {"player": "Player 1"},
}


@pytest.mark.parametrize("template", BOOKS)
def test_an_update_of_a_sealed_book_is_that_of_a_book_all_of_which_is_read(template: str, tmp_path: Path) -> None:
    games = made_games(60)
    old, new = written(tmp_path / "old.csv", games[:50]), written(tmp_path / "new.csv", games[40:])
    book = tmp_path / "book.xlsx"
    import_logs(str(old), book, template=template, **BOOKS[template])
    bare = unsealed(book)
    done = [update_book(one, str(new), backup=False) for one in (book, bare)]
    assert (done[0].merged, done[0].rows, done[0].notes) == (done[1].merged, done[1].rows, done[1].notes)
    assert 0 < len(done[0].merged.added) <= 10
    held = [read_book(one) for one in (book, bare)]
    assert held[0].sheets == held[1].sheets
    assert (held[0].names, held[0].tables) == (held[1].names, held[1].tables)
    assert is_sealed(book)
    assert not is_sealed(bare)
    before = book.read_bytes()
    assert not update_book(book, str(new)).changed
    assert book.read_bytes() == before


@pytest.mark.parametrize("template", ["league", "journal"])
def test_the_next_season_of_a_sealed_book_is_that_of_a_book_all_of_which_is_read(template: str, tmp_path: Path) -> None:
    book = tmp_path / "book.xlsx"
    import_logs(str(written(tmp_path / "old.csv", made_games(50))), book, template=template, **BOOKS[template])
    next_season(book, tmp_path / "a.xlsx")
    next_season(unsealed(book), tmp_path / "b.xlsx")
    assert read_book(tmp_path / "a.xlsx").sheets == read_book(tmp_path / "b.xlsx").sheets


def test_no_program_saves_a_book_with_its_seal(tmp_path: Path) -> None:
    book, saved, patched, titled, cut = (
        tmp_path / f"{name}.xlsx" for name in ("book", "saved", "parts", "title", "cut")
    )
    new_book("calculator", book)
    assert is_sealed(book)
    openpyxl.load_workbook(book).save(saved)
    with zipfile.ZipFile(book) as package:
        sheet, core = package.read("xl/worksheets/sheet2.xml"), package.read(HOME)
    rewrite_parts(book, patched, {"xl/worksheets/sheet2.xml": sheet.replace(b"1500", b"1501", 1)})
    rewrite_parts(book, titled, {HOME: core.replace(b"<dc:title>", b"<dc:title>Our ")})
    cut.write_bytes(book.read_bytes()[:-40])
    assert not any(map(is_sealed, (saved, patched, titled, cut, Path(__file__))))
    with pytest.raises(UnreadableInput, match="check the path"):
        is_sealed(tmp_path / "none.xlsx")
    copied = shutil.copy(book, tmp_path / "copy.xlsx")
    assert is_sealed(copied)
    with zipfile.ZipFile(copied, "a") as package:
        package.writestr("xl/own.bin", b"")
    assert not is_sealed(copied)


def test_a_refusal_of_the_system_is_not_taken_for_a_book_that_somebody_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_book("calculator", book := tmp_path / "book.xlsx")

    def refuse(_path: Path) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(UnreadableInput, match="input/output error; check the disk"):
        is_sealed(book)


def test_the_seal_of_another_release_does_not_hold_so_that_update_looks_at_every_formula(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr("elo_sheets.files.seal.__version__", "0.0.9")
        new_book("league", tmp_path / "book.xlsx", rows=5)
    assert not is_sealed(tmp_path / "book.xlsx")
