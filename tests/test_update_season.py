"""The next season of a book: its players go on from what they have, under every rule that a pool has."""

from __future__ import annotations

import shutil
from pathlib import Path

import openpyxl
import pytest
from openpyxl.comments import Comment
from test_update import cells, games_in, made_games, written
from workbook_cases import League, Rule, league_standings, serial

from elo_sheets import import_logs, new_book, next_season, replay_games, update_book, validate_book
from elo_sheets.cli import run_command
from elo_sheets.errors import OutputRefused, UsageError
from elo_sheets.files.package import read_book
from elo_sheets.readers import read
from elo_sheets.systems import system as find_system


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seasons")
    book = folder / "club.xlsx"
    new_book("league", book, rows=60, settings={"k": 32})
    update_book(book, [written(folder / "first.csv", made_games(30))], backup=False)
    return book


@pytest.fixture
def club(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path / "club.xlsx"))


def test_the_players_go_on_as_if_the_season_had_not_ended(club: Path, tmp_path: Path) -> None:
    games, coming = made_games(45), tmp_path / "next.xlsx"
    before = club.read_bytes()
    next_season(club, coming)
    assert club.read_bytes() == before
    assert games_in(coming) == []
    assert validate_book(coming).status == "agrees"
    update_book(coming, [written(tmp_path / "second.csv", games[30:])])
    players = list(dict.fromkeys(name for game in games for name in game[1:3]))
    whole = League([(name, None) for name in players], [[serial(g[0]), *g[1:]] for g in games], Rule(k=32))
    expected = {name: pytest.approx(one.rating, abs=1e-9) for name, one in league_standings(whole).items()}
    assert {row["Player"]: row["Rating"] for row in cells(coming, "Players")} == expected
    assert validate_book(coming).status == "agrees"


@pytest.mark.parametrize(("template", "system"), [("league", "lichess"), ("season", "nfl"), ("league", "fide")])
def test_every_state_is_carried(template: str, system: str, tmp_path: Path) -> None:
    points = {"1-0": ("3", "1"), "0-1": ("0", "2"), "1/2-1/2": ("1", "1")}
    games = [(*game, "2025", *points[game[3]]) for game in made_games(30)]
    log = tmp_path / "log.csv"
    header = "date,white,black,result,season,white_points,black_points\n"
    log.write_text(header + "".join(",".join(game) + "\n" for game in games))
    book, coming = tmp_path / "book.xlsx", tmp_path / "next.xlsx"
    import_logs([log], book, template=template, system=system)
    next_season(book, coming)
    people = ("Teams", "Team") if template == "season" else ("Players", "Player")
    held = {row[people[1]]: row for row in cells(coming, people[0])}
    rated = replay_games(read([log]).games, find_system(system)).ratings.to_dict("records")
    for row in rated:
        assert held[row["player"]]["Start rating"] == pytest.approx(row["rating"], abs=1e-9)
        if "rd" in row:
            assert held[row["player"]]["Start RD"] == pytest.approx(row["rd"], abs=1e-9)
            assert held[row["player"]]["Start volatility"] == pytest.approx(row["volatility"], abs=1e-12)
    if system == "nfl":
        assert {row["Season before"] for row in held.values()} == {2025}
    if system == "lichess":
        last = {name: game[0] for game in games for name in game[1:3]}
        assert {name: row["Away since"] for name, row in held.items()} == {n: serial(day) for n, day in last.items()}
    assert validate_book(coming).status == "agrees"


def test_a_journal_goes_on_from_its_rating(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text(
        "date,white,black,result,white_rating,black_rating\n"
        + "".join(f"2026-01-{day:02},Player 1,Player 2,1-0,1800,1900\n" for day in range(5, 9))
    )
    book, coming = tmp_path / "mine.xlsx", tmp_path / "next.xlsx"
    import_logs([log], book, player="Player 1")
    next_season(book, coming)
    last = [row["Rating after"] for row in cells(book, "Ledger") if isinstance(row.get("Rating after"), float)][-1]
    held = read_book(coming)
    pools = held.tables["Pools"]
    start = held.sheets[pools.sheet][pools.first_data_row, pools.column("Start rating") or 0].value
    assert start == pytest.approx(last, abs=1e-9)
    assert validate_book(coming).status == "agrees"


def test_own_sheets_come_along_and_notes_on_single_games_do_not(club: Path, tmp_path: Path) -> None:
    book = openpyxl.load_workbook(club)
    book.create_sheet("Prizes")["A1"] = "Cup of the year"
    book["Games"]["P4"], book["Games"]["P7"] = "My notes", "a fine endgame"
    book["Games"]["C7"].comment = Comment("was a blitz game", "Somebody")
    book.save(club)
    next_season(club, tmp_path / "next.xlsx")
    coming = openpyxl.load_workbook(tmp_path / "next.xlsx")
    assert coming["Prizes"]["A1"].value == "Cup of the year"
    assert (coming["Games"]["P4"].value, coming["Games"]["P7"].value) == ("My notes", None)
    assert coming["Games"]["C7"].comment is None


def test_the_command_writes_the_next_season_and_refuses_what_makes_no_sense(
    club: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_command(["update", "club.xlsx", "--next-season", "-o", "next.xlsx"]) == 0
    told = capsys.readouterr()
    assert told.out == "the next season begins in next.xlsx; club.xlsx stays as it is\n"
    assert " players begin with the rating of the end: " in told.err
    assert run_command(["update", "club.xlsx", "--next-season", "-o", "next.xlsx", "--force", "--dry-run"]) == 0
    for wrong in (["--next-season"], ["log.csv", "--next-season", "-o", "other.xlsx"]):
        Path("log.csv").write_text("date,white,black,result\n")
        with pytest.raises(UsageError):
            run_command(["update", "club.xlsx", *wrong])
    with pytest.raises(OutputRefused, match="exists"):
        next_season("club.xlsx", "next.xlsx")


def test_a_tournament_report_has_no_next_season_and_says_how_the_next_event_begins(tmp_path: Path) -> None:
    log, coming = tmp_path / "first.csv", tmp_path / "second.csv"
    log.write_text("round,white,black,result,white_rating,black_rating\n1,Player 1,Player 2,1-0,1800,1700\n")
    coming.write_text("round,white,black,result\n1,Player 2,Player 1,1-0\n")
    event, book = tmp_path / "event.xlsx", tmp_path / "next.xlsx"
    import_logs([log], event, template="event")
    with pytest.raises(UsageError, match="--start LIST, where LIST is the federation's list, or event"):
        next_season(event, book)
    import_logs([coming], book, template="event", start=str(event))
    # K is 20: a win over somebody 100 points lower, who is expected to score .36 by FIDE's table, adds 7.2, rounded 7.
    held = read_book(book)
    table, sheet = held.tables["Players"], held.sheets["Players"]
    names, ratings = (table.column(label) or 0 for label in ("Name", "Rating"))
    began = {
        sheet[row, names].value: sheet[row, ratings].value for row in (table.first_data_row, table.first_data_row + 1)
    }
    assert began == {"Player 1": 1807, "Player 2": 1693}
