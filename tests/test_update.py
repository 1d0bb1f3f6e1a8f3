"""`update` in the second month: which games a book gets, where they stand, and that nothing else changes."""

from __future__ import annotations

import csv
import errno
import json
import shutil
import zipfile
from collections.abc import Sequence
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from workbook_cases import League, Rule, chance, league_standings, serial, type_into

from elo_sheets import import_logs, new_book, replay_games, update_book, validate_book
from elo_sheets.cli import run_command
from elo_sheets.errors import OutputRefused, UnreadableInput, UsageError
from elo_sheets.files.archive import rewrite_parts
from elo_sheets.files.cells import Book
from elo_sheets.files.package import read_book
from elo_sheets.files.seal import HOME, is_sealed
from elo_sheets.readers import read
from elo_sheets.systems import system
from elo_sheets.uses import updating
from elo_sheets.uses.updating import carrying

Game = tuple[str, str, str, str]
RESULTS = ("1-0", "1/2-1/2", "0-1")
REPLAYED = {
    "league": {},
    "journal": {"player": "Player 1"},
    "season": {},
    "compare": {"system": "elo,glicko2"},
    "ratings-list": {"system": "glicko"},
}


def made_games(count: int, players: int = 8, seed: int = 3, first: str = "2026-01-05") -> list[Game]:
    """Games of a small club, three a day."""
    numbers = chance(seed)
    day, games = date.fromisoformat(first), []
    while len(games) < count:
        white, black = next(numbers) % players + 1, next(numbers) % players + 1
        if white != black:
            when = day + timedelta(days=len(games) // 3)
            games.append((f"{when}", f"Player {white}", f"Player {black}", RESULTS[next(numbers) % 3]))
    return games


def written(path: Path, games: Sequence[Sequence[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("date", "white", "black", "result"), *games])
    return path


def unsealed(book: Path) -> Path:
    """The same book without a seal: all its cells are read, and compared with what they should be."""
    bare = book.with_name(f"bare-{book.name}")
    with zipfile.ZipFile(book) as package:
        core = package.read(HOME)
    rewrite_parts(book, bare, {HOME: core.replace(b"<cp:contentStatus>", b"<cp:contentStatus>no ")})
    assert is_sealed(book)
    assert not is_sealed(bare)
    return bare


@lru_cache(maxsize=2)
def held_in(path: Path, _changed: int) -> Book:
    return read_book(path)


def cells(path: Path, sheet: str) -> list[dict[str, Any]]:
    """The rows of a sheet's table, by header, as far as they name somebody."""
    held = held_in(path, path.stat().st_mtime_ns)
    table = held.tables[sheet]
    found = [
        {
            label: None if (cell := held.sheets[table.sheet].get((row, column))) is None else cell.value
            for column, label in enumerate(table.columns, table.first_col)
        }
        for row in range(table.first_data_row, table.last_data_row + 1)
    ]
    return [row for row in found if any(row.get(key) for key in ("White", "Home", "Opponent", "Player", "Team"))]


def games_in(path: Path) -> list[Game]:
    return [
        (f"{date(1899, 12, 30) + timedelta(days=row['Date'])}", row["White"], row["Black"], row["Result"])
        for row in cells(path, "Games")
    ]


@pytest.fixture(scope="module")
def january(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league of thirty games of January, with room for some more."""
    folder = tmp_path_factory.mktemp("club")
    book = folder / "club.xlsx"
    new_book("league", book, rows=50)
    update_book(book, [written(folder / "january.csv", made_games(30))], backup=False)
    return book


@pytest.fixture
def club(january: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(january, tmp_path / "club.xlsx"))


def test_the_games_of_the_next_month_are_added_and_the_book_equals_an_independent_replay(
    club: Path, tmp_path: Path
) -> None:
    games = made_games(45)
    done = update_book(club, [written(tmp_path / "next.csv", games[20:])])
    assert (len(done.merged.added), done.merged.held, done.unresolved) == (15, 10, [])
    assert games_in(club) == games
    players = list(dict.fromkeys(name for game in games for name in game[1:3]))
    expected = league_standings(
        League([(name, None) for name in players], [[serial(g[0]), *g[1:]] for g in games], Rule())
    )
    shown = {row["Player"]: row["Rating"] for row in cells(club, "Players")}
    assert shown == {name: pytest.approx(one.rating, abs=1e-9) for name, one in expected.items()}
    assert validate_book(club).status == "agrees"


def test_another_book_is_written_and_the_old_one_left_alone(
    club: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before, games = club.read_bytes(), made_games(33)
    written(tmp_path / "next.csv", games[20:])
    assert run_command(["update", "club.xlsx", "next.csv", "-o", "new.xlsx"]) == 0
    assert capsys.readouterr().out.endswith(": new.xlsx; club.xlsx stays as it is\n")
    assert games_in(Path("new.xlsx")) == games
    with pytest.raises(OutputRefused, match="exists"):
        run_command(["update", "club.xlsx", "next.csv", "-o", "new.xlsx"])
    assert run_command(["update", "club.xlsx", "-o", "new.xlsx", "--force"]) == 0
    assert capsys.readouterr().out.endswith("club.xlsx is as it should be, new.xlsx is a copy of it\n")
    assert Path("new.xlsx").read_bytes() == club.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["club.xlsx", "new.xlsx", "next.csv"]


@pytest.mark.parametrize("template", REPLAYED)
def test_every_template_of_games_takes_further_ones_and_a_second_run_changes_no_byte(
    template: str, tmp_path: Path
) -> None:
    games, how = made_games(60), REPLAYED[template]
    book, whole = tmp_path / "book.xlsx", tmp_path / "whole.xlsx"
    import_logs([written(tmp_path / "a.csv", games[:40])], book, template=template, **how)
    log = written(tmp_path / "b.csv", games[30:])
    done = update_book(book, [log])
    assert done.changed
    assert validate_book(book).status == "agrees"
    before = book.read_bytes(), book.stat().st_mtime_ns
    again = update_book(book, [log])
    assert (again.changed, again.merged.added, again.backup) == (False, [], None)
    assert (book.read_bytes(), book.stat().st_mtime_ns) == before
    import_logs([written(tmp_path / "ab.csv", games)], whole, template=template, **how)
    sheet = {"journal": "Log", "season": "Fixtures"}.get(template, "Games")
    one, other = ([row | {"Source": ""} for row in cells(path, sheet)] for path in (book, whole))
    assert one == other  # the files that tell of a game are others


@pytest.mark.parametrize(("rounds", "system"), [(True, "fide"), (False, "fide"), (True, "dwz"), (True, "uschess")])
def test_an_event_takes_its_next_rounds(rounds: bool, system: str, tmp_path: Path) -> None:
    pairs = [("1", "2", 1), ("3", "4", 1), ("1", "3", 2), ("4", "2", 2), ("1", "4", 3), ("2", "3", 3)]
    rows = [(str(n), f"Player {a}", f"Player {b}", "1-0") for a, b, n in pairs]

    def log(name: str, chosen: Sequence[Sequence[str]]) -> Path:
        path = tmp_path / name
        lines = [("round", "white", "black", "result"), *chosen]
        path.write_text("\n".join(",".join(line if rounds else line[1:]) for line in lines) + "\n")
        return path

    book = tmp_path / "event.xlsx"
    import_logs([log("a.csv", rows[:4])], book, template="event", start=None, settings=None, system=system)
    done = update_book(book, [log("b.csv", rows[2:])])
    assert (len(done.merged.added), done.merged.held) == (2, 2)
    held = [(str(int(r["Round"])), r["White"], r["Black"], r["Result"]) for r in cells(book, "Games") if r["White"]]
    assert held == rows
    assert not update_book(book, [log("c.csv", rows)]).changed


@pytest.mark.parametrize("told", ["rounds", "days"])
@pytest.mark.parametrize("again", ["0-1", "1-0"])
def test_an_event_takes_a_second_game_of_the_same_two(told: str, again: str, tmp_path: Path) -> None:
    """A double round robin or a play-off: the round tells it apart, or the day after the last one of the event."""
    header = {"rounds": "round", "days": "date"}[told]
    first = {"rounds": ["1", "2"], "days": ["2026-03-01", "2026-03-02"]}[told]
    second = {"rounds": ["3", "4"], "days": ["2026-03-08", "2026-03-09"]}[told]

    def log(name: str, days: Sequence[str], result: str) -> Path:
        path = tmp_path / name
        rows = [(days[0], "Player 1", "Player 2", result), (days[1], "Player 3", "Player 1", "1/2-1/2")]
        path.write_text("\n".join(map(",".join, [(header, "white", "black", "result"), *rows])) + "\n")
        return path

    book, logs = tmp_path / "event.xlsx", [log("a.csv", first, "1-0"), log("b.csv", second, again)]
    import_logs(logs[:1], book, template="event", start=None, settings=None)
    done = update_book(book, logs[1:])
    assert (len(done.merged.added), done.merged.held, len(done.unresolved)) == (2, 0, 0)
    held = [(r["Round"], r["White"], r["Black"], r["Result"]) for r in cells(book, "Games") if r["White"]]
    assert held[0::2] == [(1.0, "Player 1", "Player 2", "1-0"), (3.0, "Player 1", "Player 2", again)]
    assert not update_book(book, logs[1:]).changed
    assert not update_book(book, logs).changed


def test_two_equal_games_of_a_log_are_two(club: Path, tmp_path: Path) -> None:
    twice = [("2026-03-01", "Player 1", "Player 2", "1-0")] * 2
    log = written(tmp_path / "two.csv", twice)
    assert len(update_book(club, [log], keep_duplicates=True).merged.added) == 2
    assert not update_book(club, [log], keep_duplicates=True).changed
    three = written(tmp_path / "three.csv", [*twice, twice[0]])
    assert len(update_book(club, [three], keep_duplicates=True).merged.added) == 1
    assert games_in(club)[-3:] == [*twice, twice[0]]


def test_a_game_reported_late_stands_in_its_place_by_date(club: Path, tmp_path: Path) -> None:
    late = ("2026-01-07", "Player 1", "Player 2", "0-1")
    before = games_in(club)
    update_book(club, [written(tmp_path / "late.csv", [late])])
    at = next(i for i, game in enumerate(before) if game[0] > late[0])
    assert games_in(club) == [*before[:at], late, *before[at:]]
    assert validate_book(club).status == "agrees"


def test_another_result_is_a_conflict_that_is_kept_as_typed_unless_the_log_decides(club: Path, tmp_path: Path) -> None:
    first = games_in(club)[0]
    other = next(result for result in RESULTS if result != first[3])
    log = written(tmp_path / "corrected.csv", [(*first[:3], other)])
    before = club.read_bytes()
    done = update_book(club, [log])
    assert [str(one) for one in done.unresolved] == [
        f"{first[1]} – {first[2]}: {first[3]} in the book, {other} in the log"
    ]
    assert club.read_bytes() == before
    taken = update_book(club, [log], take_log=True)
    assert not taken.unresolved
    assert games_in(club)[0] == (*first[:3], other)
    assert validate_book(club).status == "agrees"
    assert not update_book(club, [log], take_log=True).changed


def test_a_result_is_entered_where_the_game_stands_without_one(club: Path, tmp_path: Path) -> None:
    typed = tmp_path / "typed.xlsx"
    row = 5 + len(games_in(club))
    type_into(club, typed, {"Games": {f"B{row}": serial("2026-02-20"), f"C{row}": "Player 1", f"D{row}": "Player 2"}})
    done = update_book(typed, [written(tmp_path / "played.csv", [("2026-02-20", "Player 1", "Player 2", "0-1")])])
    assert (len(done.merged.entered), done.merged.added) == (1, [])
    assert games_in(typed)[-1] == ("2026-02-20", "Player 1", "Player 2", "0-1")


def test_a_dry_run_says_all_and_writes_nothing(club: Path, tmp_path: Path) -> None:
    log = written(tmp_path / "next.csv", made_games(45))
    before, files = club.read_bytes(), sorted(tmp_path.iterdir())
    dry = update_book(club, [log], dry_run=True)
    assert (club.read_bytes(), sorted(tmp_path.iterdir())) == (before, files)
    real = update_book(club, [log])
    assert (dry.merged.added, dry.players, dry.rows, dry.changed) == (
        real.merged.added,
        real.players,
        real.rows,
        real.changed,
    )
    assert dry.output is None


@pytest.mark.parametrize("stop", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_an_update_that_cannot_be_written_leaves_no_copy(
    stop: BaseException, club: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = written(tmp_path / "next.csv", made_games(33))
    before, files = club.read_bytes(), sorted(tmp_path.iterdir())
    copied, copy = [], shutil.copyfile

    def second_fails(source: Path, target: Path) -> None:
        copied.append(source)
        if len(copied) == 2:
            raise stop
        copy(source, target)

    monkeypatch.setattr(updating.shutil, "copyfile", second_fails)
    with pytest.raises((OutputRefused, KeyboardInterrupt)):
        update_book(club, [log])
    assert copied[0] == club
    assert (club.read_bytes(), sorted(tmp_path.iterdir())) == (before, files)


def test_a_book_that_cannot_be_read_again_is_said(club: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = written(tmp_path / "next.csv", made_games(33))
    club = unsealed(club)
    before = club.read_bytes()

    def unread(*_: object) -> None:  # as zipfile says what the system did not give
        raise zipfile.BadZipFile("File is not a zip file")

    monkeypatch.setattr(carrying, "PackageParts", unread)
    with pytest.raises(UnreadableInput, match="open and save it in a spreadsheet program"):
        update_book(club, [log])
    assert club.read_bytes() == before


def test_the_old_book_is_kept_beside_the_new_one(club: Path, tmp_path: Path) -> None:
    before = club.read_bytes()
    done = update_book(club, [written(tmp_path / "next.csv", made_games(33))])
    assert done.backup is not None
    assert Path(done.backup).read_bytes() == before
    second = club.read_bytes()
    again = update_book(club, [written(tmp_path / "after.csv", made_games(36))])
    assert again.backup not in (None, done.backup)
    assert Path(again.backup or "").read_bytes() == second
    assert update_book(club, [written(tmp_path / "last.csv", made_games(39))], backup=False).backup is None


def test_a_book_gets_rows_when_asked_and_before_they_run_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("elo_sheets.workbook.book.SPARE_GAMES", 100)
    book = tmp_path / "small.xlsx"
    new_book("league", book, rows=30)
    log = written(tmp_path / "log.csv", made_games(24))
    assert update_book(book, [log]).rows == (30, 30)
    assert update_book(book, rows=60).rows == (30, 60)
    assert not update_book(book, rows=60).changed
    assert games_in(book) == made_games(24)
    done = update_book(book, [written(tmp_path / "more.csv", made_games(58))])
    assert done.rows[1] - 58 >= 100
    assert validate_book(book).status == "agrees"
    with pytest.raises(UsageError, match="has 158 rows already"):
        update_book(book, rows=100)


def test_players_have_rows_before_they_run_out(tmp_path: Path) -> None:
    book = tmp_path / "club.xlsx"
    new_book("league", book)
    names = [(f"2026-01-{n % 28 + 1:02}", f"Name {n}", f"Other {n}", "1-0") for n in range(40)]
    done = update_book(book, [written(tmp_path / "many.csv", names)])
    assert len(done.players) == 80
    assert len(cells(book, "Players")) == 80
    assert validate_book(book).status == "agrees"


def test_settings_start_ratings_and_choices_stay(tmp_path: Path) -> None:
    games = made_games(30)
    book = tmp_path / "club.xlsx"
    import_logs(
        [written(tmp_path / "a.csv", games)], book, settings={"k": 32, "initial": 1200}, start={"Player 3": 1900.0}
    )
    typed = tmp_path / "typed.xlsx"
    type_into(book, typed, {"Chart": {"B4": "Player 8", "C4": "Player 7"}, "Standings": {"C2": 9.0}})
    update_book(typed, [written(tmp_path / "b.csv", made_games(40))])
    sheets = openpyxl.load_workbook(typed)
    assert (sheets["Chart"]["B4"].value, sheets["Chart"]["C4"].value) == ("Player 8", "Player 7")
    assert sheets["Standings"]["C2"].value == 9
    rated = replay_games(
        read([tmp_path / "b.csv"]).games, system("elo"), {"k": 32, "initial": 1200}, start={"Player 3": 1900.0}
    ).ratings.set_index("player")["rating"]
    shown = {row["Player"]: row["Rating"] for row in cells(typed, "Players")}
    assert shown == {name: pytest.approx(rating, abs=1e-9) for name, rating in rated.items()}


def test_a_name_in_another_spelling_of_case_is_the_player_whom_the_book_has(club: Path, tmp_path: Path) -> None:
    done = update_book(club, [written(tmp_path / "case.csv", [("2026-03-01", "PLAYER 1", "player 2", "1-0")])])
    assert not done.players
    assert games_in(club)[-1] == ("2026-03-01", "Player 1", "Player 2", "1-0")


def test_a_new_name_that_is_nearly_one_of_the_book_is_told(tmp_path: Path) -> None:
    book = tmp_path / "club.xlsx"
    import_logs([written(tmp_path / "a.csv", [("2026-01-05", "Magnusson", "Petersen", "1-0")])], book)
    done = update_book(book, [written(tmp_path / "b.csv", [("2026-02-05", "Magnuson", "Petersen", "1-0")])])
    assert any("'Magnuson' is new in the book, which has 'Magnusson'" in note for note in done.notes)


def test_templates_without_games_are_brought_up_to_date_and_take_no_log(tmp_path: Path) -> None:
    for template in ("calculator", "match"):
        book = tmp_path / f"{template}.xlsx"
        new_book(template, book)
        assert not update_book(book).changed
        with pytest.raises(UsageError, match="holds no games"):
            update_book(book, [written(tmp_path / "log.csv", made_games(3))])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"start": "Player 9=1600"}, "--start"),
        ({"player": "Player 1"}, "--player"),
        ({"take_log": True}, "--take-log"),
        ({"dates": "dmy", "keep_names": ["nan"]}, "--dates, --keep-name"),
        ({"columns": {"white": "Home"}, "keep_duplicates": True}, "--map, --keep-duplicates"),
        ({"pool": "blitz", "encoding": "cp1250"}, "--pool, --encoding"),
    ],
)
def test_what_says_something_of_logs_is_refused_without_one(given: dict[str, Any], said: str, club: Path) -> None:
    before = club.read_bytes()
    with pytest.raises(UsageError, match=f"no log is given, which {said} would be for"):
        update_book(club, **given)
    assert club.read_bytes() == before


def test_a_start_is_used_for_who_is_new_and_refused_for_who_has_another_in_the_book(tmp_path: Path) -> None:
    book, log = tmp_path / "club.xlsx", written(tmp_path / "a.csv", [("2026-01-05", "Player 1", "Player 2", "1-0")])
    import_logs(log, book, start="Player 1=1700")
    coming = written(tmp_path / "b.csv", [("2026-02-05", "Player 1", "Player 3", "0-1")])
    before = book.read_bytes()
    for start, has in (("Player 1=1750", "1700"), ("player 2=1750", "none")):
        with pytest.raises(UsageError, match=f"Start rating 1750, and the book has {has}.*row "):
            update_book(book, [log, coming], start=start)
    assert book.read_bytes() == before
    start = "Player 1=1700,Player 3=1625"
    assert list(update_book(book, [coming], start=start).players) == ["Player 3"]
    assert {row["Player"]: row["Start rating"] for row in cells(book, "Players")} == {
        "Player 1": 1700.0,
        "Player 2": None,
        "Player 3": 1625.0,
    }
    assert not update_book(book, [coming], start=start).changed


def test_a_journal_is_given_no_start_by_an_update_and_a_pool_no_player(club: Path, tmp_path: Path) -> None:
    rows = [("2026-01-05", "Player 1", "Player 2", "1-0", "1500")]
    log = tmp_path / "mine.csv"
    with log.open("w", newline="") as stream:
        csv.writer(stream).writerows([("date", "white", "black", "result", "black rating"), *rows])
    book = tmp_path / "mine.xlsx"
    import_logs(log, book, player="Player 1")
    with pytest.raises(UsageError, match="a journal starts from what stands on its sheet Start"):
        update_book(book, [log], start="1700")
    with pytest.raises(UsageError, match="is of all its players, and not all games of the log are those of"):
        update_book(club, [written(tmp_path / "next.csv", made_games(33))], player="Player 1")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--next-season", "-o", "new.xlsx", "--start", "A=1", "--no-backup"], "no use for --no-backup, --start:"),
        (["--next-season", "-o", "new.xlsx", "--dates", "dmy", "--player", "A"], "no use for --dates, --player:"),
        (["--next-season", "-o", "new.xlsx", "--keep-name", "nan", "--rows", "80"], "no use for --keep-name, --rows:"),
        (["--next-season", "-o", "new.xlsx", "next.csv"], "no use for logs:"),
        (["--force"], "--force is for another book"),
        (["-o", "club.xlsx"], "choose another name"),
    ],
)
def test_an_option_that_would_mean_nothing_is_refused(
    words: list[str], said: str, club: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(club.parent)
    with pytest.raises(UsageError, match=said):
        run_command(["update", "club.xlsx", *words])
    assert not Path("new.xlsx").exists()


def test_a_book_that_is_not_ours_or_not_there_is_refused(tmp_path: Path) -> None:
    strange = tmp_path / "own.xlsx"
    openpyxl.Workbook().save(strange)
    with pytest.raises(UnreadableInput, match="was not made by elo-sheets"):
        update_book(strange)
    with pytest.raises(UnreadableInput):
        update_book(tmp_path / "missing.xlsx")


def test_a_log_without_a_usable_game_changes_nothing(club: Path, tmp_path: Path) -> None:
    before = club.read_bytes()
    with pytest.raises(UnreadableInput, match="no game of the logs can be used"):
        update_book(club, [written(tmp_path / "none.csv", [("2026-03-01", "Player 1", "Player 2", "later")])])
    assert club.read_bytes() == before


def test_a_book_that_is_open_in_a_program_is_not_replaced(club: Path, tmp_path: Path) -> None:
    (tmp_path / "~$club.xlsx").write_text("")
    with pytest.raises(OutputRefused, match="is open in a spreadsheet program"):
        update_book(club, [written(tmp_path / "next.csv", made_games(33))])


def test_import_onto_a_book_points_to_update(club: Path, tmp_path: Path) -> None:
    with pytest.raises(OutputRefused, match="elo-sheets update adds the games"):
        import_logs([written(tmp_path / "next.csv", made_games(33))], club)


def test_a_formula_that_was_typed_over_is_renewed(club: Path, tmp_path: Path) -> None:
    typed = type_into(club, tmp_path / "typed.xlsx", {"Ledger": {"F9": 7.0}})
    assert validate_book(typed).status == "differs"
    done = update_book(typed)
    assert (done.renewed, done.changed) == (1, True)
    assert validate_book(typed).status == "agrees"


def test_the_command_says_what_it_did(
    club: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    games = games_in(club)
    other = next(result for result in RESULTS if result != games[0][3])
    written(Path("next.csv"), [(*games[0][:3], other), games[1], ("2026-03-01", "Player 9", "Player 1", "1-0")])
    assert run_command(["update", "club.xlsx", "next.csv"]) == 1
    first = games[0]
    assert capsys.readouterr().out == (
        "added: 2026-03-01 Player 9 – Player 1 1-0\n"
        "new player: Player 9\n"
        f"another result, kept as typed: {first[1]} – {first[2]}: {first[3]} in the book, {other} in the log "
        "(row 1 of the games)\n"
        "added 1, entered 0, there already 1, conflicts 1, new players 1: club.xlsx, the old one is "
        "club.before-update.xlsx\n"
    )
    assert run_command(["update", "club.xlsx", "next.csv", "--take-log", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["added"], record["held"], record["conflicts"], record["changed"]) == ([], 2, [], True)
    assert run_command(["update", "club.xlsx", "next.csv"]) == 0
    assert capsys.readouterr().out.endswith("club.xlsx is as it should be, nothing written\n")


def test_who_lists_opponents_alone_has_them_rated_in_a_league(tmp_path: Path) -> None:
    log, book, both = tmp_path / "mine.csv", tmp_path / "mine.xlsx", tmp_path / "both.csv"
    log.write_text("Date,Opponent,Result\n2026-01-05,Player 2,1\n2026-01-07,Player 3,0\n")
    both.write_text("Date,White,Black,Result\n2026-01-05,Player 1,Player 2,1-0\n2026-01-07,Player 1,Player 3,0-1\n")
    assert import_logs(log, book, player="Player 1", template="league").players == 3
    log.write_text(log.read_text() + "2026-01-09,Player 2,0.5\n")
    both.write_text(both.read_text() + "2026-01-09,Player 1,Player 2,½-½\n")
    update_book(book, [log], player="Player 1")
    assert validate_book(book).status == "agrees"
    assert not update_book(book, [both]).changed
    with pytest.raises(UsageError, match="not all games of the log are those of 'Player 2'"):
        import_logs(both, tmp_path / "other.xlsx", player="Player 2", template="league")


@pytest.mark.parametrize(("template", "cells"), [("league", {"E6": "postponed"}), ("season", {"J6": "postponed"})])
def test_a_log_brings_the_result_of_a_game_that_was_postponed(
    template: str, cells: dict[str, Any], tmp_path: Path
) -> None:
    log, book, typed = (tmp_path / name for name in ("log.csv", "book.xlsx", "typed.xlsx"))
    rows = "date,home,away,result\n2024-01-05,Aal,Barsch,2-1\n2024-01-07,Barsch,Aal,{}\n"
    log.write_text(rows.format(""), encoding="utf-8")
    import_logs([str(log)], str(book), template=template, system="elo")
    if template == "league":  # which holds no game without a result
        cells = cells | {"B6": 45298.0, "C6": "Barsch", "D6": "Aal"}
    type_into(book, typed, {"Fixtures" if template == "season" else "Games": cells})
    log.write_text(rows.format("3-2"), encoding="utf-8")
    update_book(typed, [log])
    verdict = validate_book(typed)
    assert (verdict.status, verdict.games.listed, verdict.games.rated) == ("agrees", 2, 2)
