"""A year of a club: each month another kind of export, corrections, the owner's own things; and the next season.

After every step the ratings equal an independent replay, engines agree with the book, and a second run changes no byte.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from pathlib import Path

import openpyxl
import pytest
from office import require_office
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from test_update import Game, cells, games_in, made_games
from workbook_cases import League, Rule, league_standings, serial

from elo_sheets import new_book, next_season, update_book, validate_book
from elo_sheets.engines.recalculate import recalculate
from elo_sheets.files.package import read_book

STARTS = {"Player 1": 1712.0, "Player 2": 1650.5, "Player 5": 1401.0}
COMMENTED, NOTED = 12, 9  # games of January, from 0


def as_csv(games: Sequence[Game], path: Path) -> Path:
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([("date", "white", "black", "result"), *games])
    return path


def as_semicolons(games: Sequence[Game], path: Path) -> Path:
    """As an office writes it: day first, with commas in names' place taken by other headers and results in words."""
    words = {"1-0": "1:0", "0-1": "0:1", "1/2-1/2": "½"}
    lines = ["Datum;Weiss;Schwarz;Ergebnis"]
    lines += [f"{date.fromisoformat(g[0]):%d.%m.%Y};{g[1].upper()};{g[2].upper()};{words[g[3]]}" for g in games]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def as_pgn(games: Sequence[Game], path: Path) -> Path:
    tags = '[Date "{}"]\n[White "{}"]\n[Black "{}"]\n[Result "{}"]\n\n1. e4 e5 {}\n'
    path.write_text("\n".join(tags.format(g[0].replace("-", "."), g[1], g[2], g[3], g[3]) for g in games))
    return path


def as_compressed(games: Sequence[Game], path: Path) -> Path:
    plain = as_csv(games, path.with_suffix(".plain"))
    path.write_bytes(gzip.compress(plain.read_bytes()))
    return path


KINDS: dict[str, Callable[[Sequence[Game], Path], Path]] = {
    "csv": as_csv,
    "txt": as_semicolons,
    "pgn": as_pgn,
    "gz": as_compressed,
}


def months(count: int, each: int) -> list[list[Game]]:
    """Games of so many months, on one day no two of the same players."""
    found = []
    for month in range(count):
        first = date(2026, month + 1, 2)
        games, seen = [], set()
        for at, game in enumerate(made_games(3 * each, players=9, seed=month + 5)):
            day = first + timedelta(days=at // 4)
            if len(games) < each and (day, frozenset(game[1:3])) not in seen:
                seen.add((day, frozenset(game[1:3])))
                games.append((f"{day}", *game[1:]))
        found.append(games)
    return found


def agrees_with_replay(book: Path, games: Sequence[Game], starts: dict[str, float]) -> None:
    """The book holds these games in this order, and its ratings are those of a replay that knows nothing of it."""
    assert games_in(book) == list(games)
    people = [str(row["Player"]) for row in cells(book, "Players")]
    league = League([(n, starts.get(n)) for n in people], [[serial(g[0]), *g[1:]] for g in games], Rule(k=24))
    expected = {name: pytest.approx(one.rating, abs=1e-9) for name, one in league_standings(league).items()}
    assert {str(row["Player"]): row["Rating"] for row in cells(book, "Players")} == expected
    assert validate_book(book).status == "agrees"


def updated_twice(book: Path, logs: Sequence[Path], **how: object) -> None:
    assert update_book(book, logs, backup=False, **how).changed  # type: ignore[arg-type]
    before = book.read_bytes()
    assert not update_book(book, logs, backup=False, **how).changed  # type: ignore[arg-type]
    assert book.read_bytes() == before


def furnished(book: Path) -> None:
    """The owner's own things: a sheet, a note and a column beside the games, a comment, a chart."""
    workbook = openpyxl.load_workbook(book)
    prizes, games = workbook.create_sheet("Prizes", 1), workbook["Games"]
    prizes["A1"], prizes["B1"] = "Game of the month", f"=Games!C{5 + NOTED}"
    games["P4"] = "Draw?"
    for row in range(5, 5 + 40):
        games[f"P{row}"] = f'=IF(E{row}="1/2-1/2","draw","")'
    games[f"Q{5 + NOTED}"] = "game of the month"
    games[f"C{5 + COMMENTED}"].comment = Comment("was played on a boat", "Secretary")
    chart = BarChart()
    chart.add_data(Reference(games, min_col=1, min_row=5, max_row=44))
    prizes.add_chart(chart, "D3")
    workbook.save(book)


def furniture_stands(book: Path, noted: Game, commented: Game) -> None:
    """Each of them stands where its game stands now."""
    games = games_in(book)
    workbook = openpyxl.load_workbook(book)
    sheet, prizes = workbook["Games"], workbook["Prizes"]
    notes = {row: cell.value for row in range(5, 5 + len(games)) if (cell := sheet[f"Q{row}"]).value is not None}
    assert notes == {5 + games.index(noted): "game of the month"}
    remarks = {row for row in range(5, 5 + len(games)) if sheet[f"C{row}"].comment is not None}
    assert remarks == {5 + games.index(commented)}
    assert prizes["B1"].value == f"=Games!C{5 + games.index(noted)}"
    draws = [sheet[f"P{row}"].value for row in range(5, 5 + len(games))]
    assert draws == [f'=IF(E{row}="1/2-1/2","draw","")' for row in range(5, 5 + len(games))]
    held = read_book(book)
    last = held.tables["Games"].last_row
    assert [one.replace("$", "").replace("'", "") for one in held.charts["Prizes"]] == [f"Games!A5:A{last}"]
    computed = recalculate(held).values
    assert computed["Prizes"][1, 2] == noted[1]
    assert [computed["Games"][row, 16] for row in range(5, 5 + len(games))] == [
        "draw" if game[3] == "1/2-1/2" else "" for game in games
    ]


def test_a_year_of_a_club(tmp_path: Path) -> None:
    book = tmp_path / "club.xlsx"
    january, february, march, april = months(4, 14)
    new_book("league", book, rows=40, settings={"k": 24})
    updated_twice(book, [as_csv(january, tmp_path / "january.csv")], start=STARTS)
    agrees_with_replay(book, january, STARTS)

    furnished(book)
    updated_twice(book, [as_semicolons([*january[8:], *february], tmp_path / "february.txt")])
    held = [*january, *february]
    agrees_with_replay(book, held, STARTS)
    furniture_stands(book, january[NOTED], january[COMMENTED])

    # A game of January was reported late, and a result of February corrected.
    late = ("2026-01-03", "Player 9", "Player 10", "1-0")
    wrong = february[3]
    right = (*wrong[:3], "0-1" if wrong[3] != "0-1" else "1-0")
    log = as_pgn([late, right, *march], tmp_path / "march.pgn")
    first = update_book(book, [log], dry_run=True)
    assert [(one.typed.result, one.log.result) for one in first.unresolved] == [(wrong[3], right[3])]
    updated_twice(book, [log], take_log=True)
    held = sorted([late, *january, *february, *march], key=lambda game: game[0])
    at = max(i for i, game in enumerate(january) if game[0] <= late[0]) + 1
    held = [*january[:at], late, *january[at:], *(right if g == wrong else g for g in february), *march]
    agrees_with_replay(book, held, STARTS)
    furniture_stands(book, january[NOTED], january[COMMENTED])

    # The table is full: it gets rows.
    assert update_book(book, [as_compressed(april, tmp_path / "april.gz")], dry_run=True).rows[1] > 57
    updated_twice(book, [tmp_path / "april.gz"])
    held = [*held, *april]
    agrees_with_replay(book, held, STARTS)
    furniture_stands(book, january[NOTED], january[COMMENTED])

    coming = tmp_path / "next.xlsx"
    next_season(book, coming)
    ratings = {str(row["Player"]): row["Rating"] for row in cells(book, "Players")}
    agrees_with_replay(coming, [], ratings)
    assert openpyxl.load_workbook(coming)["Prizes"]["A1"].value == "Game of the month"


def test_books_that_libreoffice_saved_are_updated(tmp_path: Path) -> None:
    from office import Job, at_work

    require_office()
    january, february = months(2, 14)
    made, book = tmp_path / "made.xlsx", tmp_path / "club.xlsx"
    new_book("league", made, rows=40, settings={"k": 24})
    update_book(made, [as_csv(january, tmp_path / "january.csv")], start=STARTS, backup=False)
    at_work([Job(made, [([], book)])], tmp_path)
    updated_twice(book, [as_csv(february, tmp_path / "february.csv")])
    agrees_with_replay(book, [*january, *february], STARTS)
    assert validate_book(book, engine="libreoffice").status == "agrees"
