"""Books of sides with the games of further logs: what is added, what is held already, and what differs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from test_sided_books import Sheets
from workbook_cases import serial, type_into

from elo_sheets.errors import UsageError
from elo_sheets.files.package import read_book
from elo_sheets.uses.exporting import replay_logs
from elo_sheets.uses.importing import import_logs
from elo_sheets.uses.updating import update
from elo_sheets.validate import validate

DOUBLES = [
    "2026-01-05,Player 1,Player 2,Player 3,Player 4,10,7",
    "2026-01-06,Player 1,Player 3,Player 2,Player 4,10,3",
    "2026-01-20,Player 1,Player 4,Player 2,Player 3,8,10",
]


def log(rows: Sequence[str], path: Path, header: str = "Date,A1,A2,B1,B2,A points,B points") -> Path:
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def book(tmp_path: Path) -> Path:
    import_logs(log(DOUBLES, tmp_path / "log.csv"), tmp_path / "book.xlsx")
    return tmp_path / "book.xlsx"


def ratings(path: Path, start: str | None = None) -> dict[str, float]:
    found = replay_logs(path, start=start).ratings
    return dict(zip(found["player"], found["rating"], strict=True))


def test_new_games_stand_where_their_day_belongs(book: Path, tmp_path: Path) -> None:
    more = [
        "2026-01-12,Player 5,Player 2,Player 3,Player 1,10,9",
        "2026-02-01,Player 5,Player 6,Player 1,Player 2,1,10",
    ]
    done = update(book, log([*more, DOUBLES[0]], tmp_path / "more.csv"), backup=False)
    assert (len(done.merged.added), done.merged.held, list(done.players)) == (2, 1, ["Player 5", "Player 6"])
    assert validate(book).status == "agrees"
    whole = log([*DOUBLES[:2], more[0], DOUBLES[2], more[1]], tmp_path / "whole.csv")
    assert ratings(book) == pytest.approx(ratings(whole), abs=1e-9)
    shown = Sheets(book, "ironcalc").by_name("Players", "Player", "Rating")
    assert shown == pytest.approx(ratings(whole), abs=1e-9)
    before = book.read_bytes()
    again = update(book, tmp_path / "more.csv", backup=False)
    assert (again.changed, again.merged.held) == (False, 3)
    assert book.read_bytes() == before


def test_the_sides_and_the_partners_may_stand_in_any_order(book: Path, tmp_path: Path) -> None:
    turned = "2026-01-05,Player 4,Player 3,Player 2,Player 1,7,10"
    done = update(book, log([turned], tmp_path / "turned.csv"), dry_run=True)
    assert (done.merged.held, done.changed) == (1, False)
    other_partners = "2026-01-05,Player 1,Player 3,Player 2,Player 4,10,7"
    assert len(update(book, log([other_partners], tmp_path / "other.csv"), dry_run=True).merged.added) == 1


def test_another_result_is_told_and_taken_into_the_seats_of_the_book(book: Path, tmp_path: Path) -> None:
    differing = log(["2026-01-05,Player 4,Player 3,Player 2,Player 1,10,8"], tmp_path / "differing.csv")
    before = book.read_bytes()
    kept = update(book, differing, backup=False)
    assert [str(conflict) for conflict in kept.unresolved] == [
        "Player 1 / Player 2 – Player 3 / Player 4: 10:7 in the book, 8:10 in the log"
    ]
    assert book.read_bytes() == before
    update(book, differing, take_log=True, backup=False)
    games = read_book(book).sheets["Games"]
    seats = [games[5, column].value for column in range(3, 9)]
    assert seats == ["Player 1", "Player 2", "Player 3", "Player 4", 8, 10]
    assert validate(book).status == "agrees"


def test_a_game_without_a_result_gets_it(book: Path, tmp_path: Path) -> None:
    typed = {"B8": serial("2026-02-01"), "C8": "Player 2", "D8": "Player 1", "E8": "Player 3", "F8": "Player 4"}
    open_book = type_into(book, tmp_path / "open.xlsx", {"Games": typed})
    played = log(["2026-02-01,Player 4,Player 3,Player 1,Player 2,10,6"], tmp_path / "played.csv")
    done = update(open_book, played, backup=False)
    assert (len(done.merged.entered), len(done.merged.added)) == (1, 0)
    games = read_book(open_book).sheets["Games"]
    assert [games[8, column].value for column in range(3, 9)] == [*list(typed.values())[1:], 6, 10]


def test_a_book_of_tables_is_updated_too(tmp_path: Path) -> None:
    nights = ["2026-01-05,Player 1,Player 2,Player 3", "2026-01-12,Player 2,Player 3,Player 1"]
    header = "Date,1st,2nd,3rd,4th"
    target = tmp_path / "table.xlsx"
    import_logs(log([f"{night}," for night in nights], tmp_path / "nights.csv", header), target, start="Player 1=1700")
    more = ["2026-01-08,Player 4,Player 1 = Player 2,,Player 3"]
    start = "Player 1=1700,Player 4=1400"
    update(target, log([f"{nights[0]},", *more], tmp_path / "more.csv", header), start=start, backup=False)
    whole = log([f"{nights[0]},", *more, f"{nights[1]},"], tmp_path / "whole.csv", header)
    assert ratings(target, f"starts:{target}") == pytest.approx(ratings(whole, start), abs=1e-9)
    assert validate(target).status == "agrees"


def test_games_that_the_book_cannot_hold_are_refused(book: Path, tmp_path: Path) -> None:
    before = book.read_bytes()
    trios = log(["2026-01-08,Player 1,Player 2,Player 3"], tmp_path / "trio.csv", "Date,1st,2nd,3rd")
    plain = log(["Player 1,Player 2,1-0"], tmp_path / "plain.csv", "White,Black,Result")
    for given, said in ((trios, "at most 2 sides of 2"), (plain, "games of two players")):
        with pytest.raises(UsageError, match=said):
            update(book, given)
    with pytest.raises(UsageError, match=r"Start rating 1700, and the book has none .*on the sheet Players"):
        update(book, log(DOUBLES, tmp_path / "log.csv"), start={"Player 1": {"rating": 1700.0}})
    assert book.read_bytes() == before
