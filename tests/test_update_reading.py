"""A book remembers how its first log was read, and update reads those of the next months so."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from elo_sheets import import_logs, update_book
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.readers import RememberedWord, read
from elo_sheets.team_games import GamesOfSidesError
from elo_sheets.uses.sided import read_sided_logs

HEAD = "date,home,away,result\n"


def _log(path: Path, *rows: str) -> Path:
    path.write_text(HEAD + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def book(tmp_path: Path) -> Path:
    made = tmp_path / "club.xlsx"
    import_logs([_log(tmp_path / "april.csv", "03/04/2024,Player 1,Player 2,1-0")], made, dates="dmy")
    return made


def _days(book: Path) -> list[str]:
    sheet = openpyxl.load_workbook(book)["Games"]
    return [str(cell.value)[:10] for row in sheet.iter_rows() for cell in row if str(cell.value).startswith("2024-")]


def test_the_order_of_dates_lasts(book: Path, tmp_path: Path) -> None:
    done = update_book(book, [_log(tmp_path / "may.csv", "06/05/2024,Player 2,Player 1,1-0")])
    assert _days(book) == ["2024-04-03", "2024-05-06"]
    assert any("'06/05/2024', are read as dmy, which the book remembers" in note for note in done.notes)
    before = book.read_bytes()
    update_book(book, [tmp_path / "may.csv"])
    assert book.read_bytes() == before


def test_dates_that_prove_another_order_or_need_none_are_read_as_they_stand(book: Path, tmp_path: Path) -> None:
    proven = _log(tmp_path / "a.csv", "05/25/2024,Player 2,Player 1,1-0", "06/05/2024,Player 1,Player 2,1-0")
    iso = _log(tmp_path / "b.csv", "2024-07-08,Player 1,Player 2,1-0")
    for log in (proven, iso):
        assert not any("remembers" in note for note in update_book(book, [log]).notes)
    assert _days(book) == ["2024-04-03", "2024-05-25", "2024-06-05", "2024-07-08"]


def test_another_order_that_is_told_counts_and_is_remembered_in_its_place(book: Path, tmp_path: Path) -> None:
    update_book(book, [_log(tmp_path / "may.csv", "05/06/2024,Player 2,Player 1,1-0")], dates="mdy")
    update_book(book, [_log(tmp_path / "june.csv", "06/07/2024,Player 2,Player 1,1-0")])
    assert _days(book) == ["2024-04-03", "2024-05-06", "2024-06-07"]


def _two_sheets(path: Path, month: int) -> Path:
    made = openpyxl.Workbook()
    games, old = made.worksheets[0], made.create_sheet("Old")
    games.title = "Season"
    games.append(["date", "home", "away", "result"])
    games.append([f"2024-{month:02}-03", "Player 1", "Player 2", "1-0"])
    old.append(["round", "date", "home", "away", "result"])
    old.append([1, f"2023-{month:02}-03", "Player 3", "Player 2", "1-0"])
    made.save(path)
    return path


@pytest.mark.parametrize("told", ["Season", "1"])
def test_the_sheet_lasts_and_is_no_matter_where_there_is_none_of_that_name(told: str, tmp_path: Path) -> None:
    made = tmp_path / "club.xlsx"
    import_logs([_two_sheets(tmp_path / "jan.xlsx", 1)], made, sheet=told)
    done = update_book(made, [_two_sheets(tmp_path / "feb.xlsx", 2)])
    assert _days(made) == ["2024-01-03", "2024-02-03"]
    assert any("the sheet 'Season' is read, which the book remembers" in note for note in done.notes)
    text = update_book(made, [_log(tmp_path / "march.csv", "2024-03-04,Player 1,Player 2,1-0")])
    assert not any("the sheet" in note for note in text.notes)
    assert _days(made) == ["2024-01-03", "2024-02-03", "2024-03-04"]


def test_what_is_no_book_of_ours_is_refused_with_the_way_on(tmp_path: Path) -> None:
    log = _log(tmp_path / "log.csv", "2024-03-04,Player 1,Player 2,1-0")
    with pytest.raises(UnreadableInput, match=r"elo-sheets import OLD\.xlsx -o NEW\.xlsx makes a book of its games"):
        update_book(_two_sheets(tmp_path / "own.xlsx", 1), [log])
    with pytest.raises(UsageError, match=r"elo-sheets import log\.csv -o NEW\.xlsx makes one of its games"):
        update_book(log, [log])


def test_what_is_remembered_is_said_of_every_kind_of_log(tmp_path: Path) -> None:
    order, number = RememberedWord("dmy"), RememberedWord("1")
    doubles = b"date,home,away,result\n03/04/2024,Player 1 / Player 2,Player 3 / Player 4,10-7\n"
    with pytest.raises(GamesOfSidesError) as sides:
        read([doubles])
    line = "001 {0:>4} m    Player {0:<33}1500 {1:>18} {2:>7} {0:>4}  {3:>4} {4} {5}\n".format
    report = "042 03/04/2024\n" + line(1, "", "1.0", 2, "w", 1) + line(2, "", "0.0", 1, "b", 0)
    found = read_sided_logs(sides.value, [doubles], {"dates": order}), read([report.encode()], dates=order)
    for log in found:
        assert [note for note in log.notes if "'03/04/2024', are read as dmy, which the book remembers" in note]
    notes = read([_two_sheets(tmp_path / "feb.xlsx", 2)], sheet=number).notes
    assert [note for note in notes if "the sheet 'Season' is read, whose number 1 the book remembers" in note]
