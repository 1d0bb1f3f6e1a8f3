"""Ready-made books: the examples are read whole, the books agree, and the page names every one."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from elo_sheets.cli import cli
from elo_sheets.files.package import read_book
from elo_sheets.listed import listed
from elo_sheets.readers import read
from elo_sheets.shipped import shipped_text
from elo_sheets.uses import ready_made as of_books
from elo_sheets.uses.ready_made import COMMON, EXAMPLES, ready_made
from elo_sheets.validate import validate
from elo_sheets.workbook.sports import profiles
from elo_sheets.workbook.sports.profiles import names

LISTED = listed("templates")


@pytest.mark.parametrize("name", ["journal", "season", "compare"])
def test_every_row_of_an_example_is_a_game_or_one_to_come(name: str) -> None:
    text = shipped_text(f"uses/examples/{EXAMPLES[name]}.csv")
    log = read([text.encode()])
    unplayed = text.count(",,\n")
    assert (log.read, log.rejected) == (log.kept + unplayed, unplayed)
    assert log.kept >= 20


def test_a_template_is_written_empty_and_with_an_example_for_the_systems_it_can_hold(tmp_path: Path) -> None:
    folder = tmp_path / "books"
    done = CliRunner().invoke(cli, ["templates", "event", "--all", "-o", str(folder), "--no-pictures"])
    assert done.exit_code == 0, done.output
    books = sorted(path.name for path in folder.glob("*.xlsx"))
    assert books == [f"event-{s}-{kind}.xlsx" for s in ("dwz", "fide", "uschess") for kind in ("empty", "example")]
    assert validate(folder / "event-fide-example.xlsx").status == "agrees"
    assert validate(folder / "event-fide-empty.xlsx").status == "agrees"
    page = (folder / "index.html").read_text("utf-8")
    assert re.findall(r'<p><a href="([^"]+)"', page) == sorted(books, key=lambda b: (COMMON.index(b.split("-")[1]), b))
    assert "http" not in page.replace('charset="utf-8"', "")


@pytest.mark.parametrize("name", ["league-2x2", "table", "calculator"])
def test_other_templates_are_written_too(name: str, tmp_path: Path) -> None:
    made = ready_made(tmp_path, name, pictures=False, overwrite=True)
    assert made
    assert all((tmp_path / book.file).stat().st_size > 5000 for book in made)
    assert any(book.has_games for book in made) == (name in EXAMPLES)


@pytest.mark.slow
def test_a_template_with_words_is_written_for_every_sport(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(names()) >= {"football", "table-tennis"}
    monkeypatch.setattr(profiles, "names", lambda: ("chess", "football", "table-tennis"))
    monkeypatch.setattr(of_books, "COMMON", ())
    made = ready_made(tmp_path, "league", pictures=False, overwrite=True)
    sports = ("football", "table-tennis")
    assert [book.file for book in made] == [f"league-{s}-{kind}.xlsx" for s in sports for kind in ("empty", "example")]
    for book in made:
        assert validate(tmp_path / book.file).status == "agrees"
    texts = {cell.value for cell in read_book(tmp_path / made[0].file).sheets["Games"].values()}
    assert {"Home", "Away"} <= texts
    assert "1/2-1/2" not in (tmp_path / "league-without-draws-example.csv").read_text("utf-8")
    assert "football, elo" in (tmp_path / "index.html").read_text("utf-8")
    monkeypatch.setattr(profiles, "names", lambda: ("chess", "basketball", "table-tennis"))
    seasons = ready_made(tmp_path, "season", pictures=False, overwrite=True)
    assert [book.file for book in seasons] == ["season-basketball-empty.xlsx", "season-basketball-example.xlsx"]
    assert read([tmp_path / "season-without-draws-example.csv"]).games["score"].isin([0, 1]).all()
    assert validate(tmp_path / seasons[1].file).status == "agrees"


def test_every_template_is_listed_with_an_example_or_is_one() -> None:
    assert {one["name"] for one in LISTED} - set(EXAMPLES) <= {"calculator", "match"}


def test_a_folder_that_holds_something_is_kept(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    done = CliRunner().invoke(cli, ["templates", "--all", "-o", str(tmp_path)])
    assert "is not empty; give --force" in str(done.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("arguments", [["--all"], ["-o", "books"], ["--force"], ["--all", "-o", "b", "--json"]])
def test_options_that_go_together_are_asked_for(arguments: list[str]) -> None:
    done = CliRunner().invoke(cli, ["templates", *arguments])
    assert done.exit_code != 0
    assert not Path("books").exists()


@pytest.mark.libreoffice
@pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="Poppler draws the pages")
def test_the_examples_have_pictures(tmp_path: Path) -> None:
    made = ready_made(tmp_path, "match", overwrite=True)
    assert [book.picture for book in made] == ["pictures/match.png"]
    assert (tmp_path / "pictures/match.png").read_bytes().startswith(b"\x89PNG")
    assert '<img src="pictures/match.png"' in (tmp_path / "index.html").read_text("utf-8")
