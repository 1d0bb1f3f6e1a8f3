"""Where each game came from stands in a filled book and in `explain`, so that a complaint leads back to its page."""

from __future__ import annotations

import json
from pathlib import Path

import openpyxl
import pytest
from test_update import REPLAYED, cells

from elo_sheets import import_logs, new_book, update_book, validate_book
from elo_sheets.cli import run_command
from elo_sheets.files.package import read_book
from elo_sheets.readers import read

JANUARY = b"""date,white,black,result,white rating,black rating,white goals,black goals,url
2026-01-05,Player 1,Player 2,1-0,1500,1500,1,0,https://lichess.org/abcdefgh
2026-01-19,Player 3,Player 1,0-1,1500,1500,1,2,
"""
FEBRUARY = (
    JANUARY.splitlines()[0]
    + b"""
2026-02-02,Player 2,Player 1,1/2-1/2,1500,1500,1,1,
2026-01-12,Player 1,Player 3,1-0,1500,1500,3,1,https://lichess.org/hgfedcba
"""
)
FIRST = "january.csv, row 2; https://lichess.org/abcdefgh"
AFTER = [FIRST, "february.csv, row 3; https://lichess.org/hgfedcba", "january.csv, row 3", "february.csv, row 2"]


@pytest.fixture
def logs(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "january.csv").write_bytes(JANUARY)
    (tmp_path / "february.csv").write_bytes(FEBRUARY)
    return tmp_path / "january.csv", tmp_path / "february.csv"


def told(book: Path, sheet: str = "Games") -> list[str]:
    return [str(row["Source"]) for row in cells(book, sheet)]


# The sheet Games of a comparison and of a ratings list is that of a league.
@pytest.mark.parametrize("template", ["league", "journal", "season", "event"])
def test_update_keeps_and_adds_the_sources_in_a_hidden_column(
    template: str, logs: tuple[Path, Path], tmp_path: Path
) -> None:
    book, sheet = tmp_path / "club.xlsx", {"journal": "Log", "season": "Fixtures"}.get(template, "Games")
    import_logs([logs[0]], book, template=template, **REPLAYED.get(template, {}))
    update_book(book, [logs[1]], backup=False)
    assert sorted(told(book, sheet)) == sorted(AFTER)
    assert template == "event" or told(book, sheet) == AFTER  # an event goes by rounds
    table = read_book(book).tables[sheet]
    letter = openpyxl.utils.get_column_letter(table.first_col + len(table.columns) - 1)
    assert openpyxl.load_workbook(book)[sheet].column_dimensions[letter].hidden
    assert validate_book(book).status == "agrees"
    before = book.read_bytes()
    assert not update_book(book, [logs[1], logs[0]], backup=False).changed
    assert book.read_bytes() == before


def test_plain_books_have_no_sources(logs: tuple[Path, Path], tmp_path: Path) -> None:
    book = tmp_path / "club.xlsx"
    new_book("league", book, rows=20)
    update_book(book, [logs[0]], backup=False)
    assert "Source" not in read_book(book).tables["Games"].columns


def test_explain_leads_back_to_the_log_behind_a_book(
    logs: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book, again = tmp_path / "club.xlsx", tmp_path / "again.xlsx"
    import_logs([logs[0]], book)
    assert run_command(["explain", "Player 1", str(book)]) == 0
    assert f"{book}, Games, row 5 (from {FIRST})" in capsys.readouterr().out
    assert run_command(["explain", "Player 1", str(book), "--json"]) == 0
    games = [game for period in json.loads(capsys.readouterr().out)["periods"] for game in period["games"]]
    assert [game["origin"] for game in games] == [FIRST, "january.csv, row 3"]
    import_logs([book], again)
    assert told(again) == [FIRST, "january.csv, row 3"]


def test_a_corrected_result_has_the_source_of_the_correction(logs: tuple[Path, Path], tmp_path: Path) -> None:
    book, correction = tmp_path / "club.xlsx", tmp_path / "correction.csv"
    import_logs([logs[0]], book)
    correction.write_bytes(b"date,white,black,result\n2026-01-19,Player 3,Player 1,1-0\n")
    update_book(book, [correction], take_log=True, backup=False)
    assert told(book) == [FIRST, "correction.csv, row 2"]


def test_two_games_of_a_book_that_differ_in_their_source_alone_are_one(tmp_path: Path) -> None:
    """As in any log: what is told twice counts once, wherever it was told."""
    book, log = tmp_path / "club.xlsx", b"date,white,black,result\n2026-01-19,Player 3,Player 1,1-0\n"
    import_logs([log], book)
    assert read([book, log]).kept == 1
