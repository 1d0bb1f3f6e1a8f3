"""A book of ours as more than a log: its start ratings as starts, and its own rule for what is read from it."""

from __future__ import annotations

import re
import zipfile
from datetime import datetime
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from test_update import cells, made_games, written

from elo_sheets import diff, explain, import_logs
from elo_sheets.cli import run_command
from elo_sheets.errors import UsageError
from elo_sheets.files.package import read_book
from elo_sheets.readers import read
from elo_sheets.replaying.replay import replay as replay_games
from elo_sheets.systems import system
from elo_sheets.uses.exporting import replay_logs

STARTS = "Player 1=1712,Player 2=1650.5,Player 5=1401"


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("log") / "january.csv", made_games(30))


@pytest.fixture(scope="module")
def book(log: Path) -> Path:
    path = log.with_name("club.xlsx")
    import_logs([log], path, settings={"k": 24, "initial": 1450}, start=STARTS)
    return path


def test_as_book_rates_as_the_book_does(book: Path, log: Path) -> None:
    plain, own = replay_logs([book]), replay_logs([book], as_book=True)
    assert any("not its system, settings and start ratings" in note for note in plain.notes)
    assert not any("not its system, settings and start ratings" in note for note in own.notes)
    shown = {row["Player"]: pytest.approx(row["Rating"], abs=1e-9) for row in cells(book, "Players")}
    assert dict(zip(own.ratings["player"], own.ratings["rating"], strict=True)) == shown
    assert dict(zip(plain.ratings["player"], plain.ratings["rating"], strict=True)) != shown
    entries = explain([book], "Player 5", as_book=True).entries
    assert entries[0].before["rating"] == 1401
    assert entries[-1].after["rating"] == shown["Player 5"]
    other = replay_logs([book], as_book=True, settings={"k": 10})
    direct = replay_logs([log], settings={"k": 10, "initial": 1450}, start=STARTS)
    assert other.ratings.equals(direct.ratings)


def test_as_book_rates_each_row_of_a_book(tmp_path: Path) -> None:
    log, book = tmp_path / "twice.csv", tmp_path / "twice.xlsx"
    row = "2026-03-01,Player 1,Player 2,1-0\n"
    log.write_text(f"date,white,black,result\n{row}2026-03-01,Player 3,Player 4,1-0\n{row}", "utf-8")
    import_logs([log], book, keep_duplicates=True)
    shown = {row["Player"]: pytest.approx(row["Rating"], abs=1e-9) for row in cells(book, "Players")}
    own = replay_logs([book], as_book=True)
    assert dict(zip(own.ratings["player"], own.ratings["rating"], strict=True)) == shown
    entries = explain([book], "Player 1", as_book=True).entries
    assert entries[-1].after["rating"] == shown["Player 1"]


def test_as_book_rates_in_the_order_of_the_rows_and_whom_the_book_knows(tmp_path: Path) -> None:
    log, book = written(tmp_path / "log.csv", made_games(12)), tmp_path / "late.xlsx"
    import_logs([log], book)
    sheet = openpyxl.load_workbook(book)  # a copy as its owner left it: a late game last, and a name misspelt
    games = sheet["Games"]
    labels = {games.cell(4, at).value: at for at in range(1, games.max_column + 1)}
    for at, (white, black) in enumerate([("Player 1", "Player 2"), ("Plyer 1", "Player 2")]):
        told = {"Date": datetime(2020, 1, 1), "White": white, "Black": black, "Result": "1-0"}
        for label, value in told.items():
            games.cell(5 + 12 + at, labels[label], value)
    sheet.save(book)
    own = replay_logs([book], as_book=True)
    assert own.log.games["source_row"].tolist() == list(range(5, 18))
    assert [(one.row, one.reason) for one in own.log.problems] == [(18, "not rated: unknown player")]
    late = pd.concat([read([log]).games, own.log.games.tail(1)[["date", "white", "black", "score"]]], ignore_index=True)
    expected = replay_games(late.assign(game=range(1, 14)), system("elo")).ratings
    assert own.ratings["rating"].tolist() == expected["rating"].tolist()
    assert explain([book], "Player 1", as_book=True).entries[-1].after["rating"] == pytest.approx(
        dict(zip(own.ratings["player"], own.ratings["rating"], strict=True))["Player 1"]
    )


def test_a_book_without_the_formulas_of_its_columns_is_read_by_what_was_typed(book: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved.xlsx"  # as LibreOffice stores its tables
    with zipfile.ZipFile(book) as old, zipfile.ZipFile(saved, "w") as new:
        for name in old.namelist():
            new.writestr(name, re.sub(rb"<calculatedColumnFormula>.*?</calculatedColumnFormula>", b"", old.read(name)))
    for how in ({}, {"as_book": True}, {"system": "fide"}):
        own, other = (replay_logs([path], **how) for path in (book, saved))
        assert own.ratings.equals(other.ratings)
        assert (other.log.read, other.log.problems) == (30, [])


def test_what_was_typed_as_a_formula_counts_by_its_result(book: Path, tmp_path: Path) -> None:
    typed, games = tmp_path / "typed.xlsx", read_book(book, values_of=()).parts["Games"]
    with zipfile.ZipFile(book) as old, zipfile.ZipFile(typed, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == games:  # each day of Games a formula, with its value
                data, count = re.subn(rb'(<c r="B\d+"[^>]*>)(<v>)', rb"\1<f>1+1</f>\2", data)
                assert count >= 30
            new.writestr(name, data)
    assert replay_logs([typed]).log.games["date"].notna().all()


def test_a_season_is_played_out_as_its_book_rates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, book = tmp_path / "season.csv", tmp_path / "season.xlsx"
    rows = ["Team 1,Team 2,2,0", "Team 2,Team 3,1,1", "Team 3,Team 1,0,3", "Team 2,Team 1,,"]
    log.write_text("\n".join(["home,away,home_goals,away_goals", *rows]), "utf-8")
    import_logs([log], book, template="season", system="world-football", start="Team 3=1600")
    asked = ["--system", "world-football", "--start", "Team 3=1600"]
    for book_as, log_by in (
        (["simulate", book, "--as-book"], ["simulate", log, *asked, "--points", "3,1,0"]),
        (
            ["predict", "Team 2", "Team 1", "--log", book, "--as-book"],
            ["predict", "Team 2", "Team 1", "--log", log, *asked],
        ),
    ):
        said = []
        for command in (book_as, log_by):
            assert run_command([str(one) for one in command]) == 0
            said.append(capsys.readouterr().out)
        assert said[0] == said[1]


def test_a_journal_and_another_system_rate_as_they_do(log: Path, tmp_path: Path) -> None:
    journal, glicko = tmp_path / "mine.xlsx", tmp_path / "glicko.xlsx"
    games = [(*game, "1600", "1580") for game in made_games(30)]
    rated = tmp_path / "rated.csv"
    head = "date,white,black,result,white rating,black rating"
    rated.write_text("\n".join([head, *(",".join(game) for game in games)]), "utf-8")
    import_logs([rated], journal, player="Player 1", settings={"k": 13})
    own, log_of = replay_logs([journal], as_book=True), replay_logs([rated], player="Player 1", settings={"k": 13})
    assert own.ratings["rating"].tolist() == log_of.ratings["rating"].tolist()
    import_logs([log], glicko, system="glicko2", settings={"tau": 0.3})
    both = replay_logs([glicko], as_book=True), replay_logs([log], system="glicko2", settings={"tau": 0.3})
    assert both[0].ratings.equals(both[1].ratings)


def test_start_takes_the_last_ratings_of_a_book_or_what_they_start_from(book: Path, log: Path) -> None:
    first = replay_logs([log], start=f"starts:{book}", settings={"k": 24, "initial": 1450})
    assert first.ratings.equals(replay_logs([log], start=STARTS, settings={"k": 24, "initial": 1450}).ratings)
    told = f"3 of 8 players start from what is typed in {book} as their start"
    assert any(note.startswith(told) for note in first.notes)
    last = replay_logs([log], start=str(book))
    assert any(f"start from the last ratings of {book} (--start starts:{book}" in note for note in last.notes)
    shown = {row["Player"]: row["Rating"] for row in cells(book, "Players")}
    assert explain([log], "Player 3", start=str(book)).entries[0].before["rating"] == pytest.approx(shown["Player 3"])
    with pytest.raises(UsageError, match="expected a workbook of elo-sheets behind starts:"):
        run_command(["replay", str(log), "--start", f"starts:{log}"])


def test_what_contradicts_the_book_is_refused_by_name(book: Path, log: Path) -> None:
    with pytest.raises(UsageError, match="--start"):
        replay_logs([book], as_book=True, start="Player 1=1500")
    with pytest.raises(UsageError, match="--as-book takes one workbook"):
        replay_logs([log], as_book=True)
    with pytest.raises(UsageError, match="leave out --system"):
        run_command(["replay", str(book), "--as-book", "--system", "elo"])


def test_diff_tells_a_book_by_what_it_holds(book: Path, log: Path, tmp_path: Path) -> None:
    """A zip of logs and a stranger's workbook are logs."""
    import openpyxl

    packed, sheet = tmp_path / "logs.zip", tmp_path / "games.xlsx"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(log, "january.csv")
    workbook = openpyxl.Workbook()
    assert workbook.active is not None
    for line in log.read_text("utf-8").splitlines():
        workbook.active.append(line.split(","))
    workbook.save(sheet)
    for other in (packed, sheet):
        done = diff(book, other)
        assert (done.a.kind, done.b.kind, done.unchanged, list(done.games)) == ("league", "log", 30, [])
        assert not done.players
    assert diff(packed, sheet).unchanged == 30


def test_what_is_taken_of_a_book_of_doubles_is_not_said_to_be_left(tmp_path: Path) -> None:
    log, book = tmp_path / "log.csv", tmp_path / "book.xlsx"
    log.write_text("A1,A2,B1,B2,A points,B points\nA,B,C,D,10,7\nA,C,B,D,6,10\n", encoding="utf-8")
    import_logs([log], book)
    assert not [note for note in replay_logs([book], as_book=True).notes if "not its system" in note]
    assert [note for note in replay_logs([book]).notes if "not its system" in note]
