"""A year of a club: each month another kind of export, corrections, the owner's own things; and the next season.

After every step the ratings equal an independent replay, engines agree with the book, and a second run changes no byte.
"""

from __future__ import annotations

import csv
import gzip
import json
import zipfile
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path

import openpyxl
import pytest
import xlwt
from office import Job, at_work, require_office
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from test_update import RESULTS, Game, cells, games_in, made_games
from workbook_cases import League, Rule, chance, league_standings, once, serial, shared_folder

from elo_sheets import new_book, next_season, update_book, validate_book
from elo_sheets.engines.recalculate import recalculate
from elo_sheets.files.cells import Book
from elo_sheets.files.package import read_book

STARTS = {"Player 1": 1712.0, "Player 2": 1650.5, "Player 5": 1401.0}
COMMENTED, NOTED = 12, 9  # games of January, from 0


Kind = Callable[[Sequence[Game], Path], Path]


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


def as_sheet(games: Sequence[Game], path: Path) -> Path:
    """As a secretary keeps it: a title, a blank line, days as days."""
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    assert sheet is not None
    for row in (["Results of the club"], [], ["Date", "White", "Black", "Result"]):
        sheet.append(row)
    for day, *rest in games:
        sheet.append([date.fromisoformat(day), *rest])
    workbook.save(path)
    return path


def as_document(games: Sequence[Game], path: Path) -> Path:
    """As LibreOffice saves it, in one file of XML."""

    def cell(text: str) -> str:
        kind = f'"date" office:date-value="{text}"' if text[:2] == "20" else '"string"'
        return f"<table:table-cell office:value-type={kind}><text:p>{text}</text:p></table:table-cell>"

    rows = "".join(
        f"<table:table-row>{''.join(map(cell, row))}</table:table-row>"
        for row in [("Date", "White", "Black", "Result"), *games]
    )
    names = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    path.write_text(
        f'<?xml version="1.0"?><office:document {names} office:version="1.2" '
        'office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet>'
        f'<table:table table:name="Games">{rows}</table:table></office:spreadsheet></office:body></office:document>'
    )
    return path


def as_page(games: Sequence[Game], path: Path) -> Path:
    rows = "".join(f"<tr><td>{d}</td><td>{w}</td><td>{b}</td><td>{r}</td></tr>" for d, w, b, r in games)
    head = "<tr><th>Date</th><th>White</th><th>Black</th><th>Result</th></tr>"
    path.write_text(f"<!doctype html><html><body><h2>June</h2><table>{head}{rows}</table></body></html>")
    return path


def as_server(games: Sequence[Game], path: Path) -> Path:
    """As Lichess exports games."""
    lines = []
    for at, (day, white, black, result) in enumerate(games):
        sides = {side: {"user": {"name": name}} for side, name in (("white", white), ("black", black))}
        moment = datetime.fromisoformat(f"{day}T18:00:00+00:00").timestamp() * 1000
        game = {"id": f"abcd{at:04}", "rated": True, "speed": "rapid", "createdAt": int(moment), "players": sides}
        won = {"1-0": "white", "0-1": "black"}.get(result)
        lines.append(json.dumps(game | {"status": "mate" if won else "draw"} | ({"winner": won} if won else {})))
    path.write_text("\n".join(lines) + "\n")
    return path


def as_report(games: Sequence[Game], path: Path) -> Path:
    """As a pairing program reports an open to FIDE: a round a day, its lines ended as the format asks."""
    days = sorted({game[0] for game in games})
    names = sorted({name for game in games for name in game[1:3]})
    codes = {"1-0": "10", "1/2-1/2": "==", "0-1": "01"}
    lines = ["012 August open", f"042 {days[0].replace('-', '/')}", f"052 {days[-1].replace('-', '/')}"]
    lines.append(f"132{'':86}" + "".join(f"  {day[2:].replace('-', '/')}" for day in days))
    for rank, name in enumerate(names, 1):
        rounds = ""
        for day in days:
            mine = [game for game in games if game[0] == day and name in game[1:3]]
            entry = "0000 - Z"
            if mine:
                at = mine[0][1:3].index(name)
                entry = f"{names.index(mine[0][2 - at]) + 1:>4} {'wb'[at]} {codes[mine[0][3]][at]}"
            rounds += f"  {entry}"
        lines.append(f"001 {rank:>4} m    {name:<33} {'':>4} {'':3} {'':>11} {'':10}  0.0 {rank:>4}{rounds}")
    path.write_bytes(("\r".join(lines) + "\r").encode())
    return path


def as_form(games: Sequence[Game], path: Path) -> Path:
    """As Google Forms collects it: the moment of the answer, American days, results in words."""
    words = {"1-0": "White wins", "0-1": "Black wins", "1/2-1/2": "Draw"}
    days = [date.fromisoformat(game[0]) for game in games]
    rows = [(f"{d.month}/{d.day}/{d.year} 19:03:11", *g[1:3], words[g[3]]) for d, g in zip(days, games, strict=True)]
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([("Timestamp", "White player", "Black player", "Result"), *rows])
    return path


def as_archive(games: Sequence[Game], path: Path) -> Path:
    """Two files in an archive, which overlap."""
    half = len(games) // 2
    with zipfile.ZipFile(path, "w") as archive:
        for name, some in (("first.csv", games[: half + 2]), ("second.csv", games[half:])):
            archive.write(as_csv(some, path.parent / name), name)
    return path


def as_old_list(path: Path) -> Path:
    """The ratings of last year as Excel 97 saves them."""
    workbook = xlwt.Workbook()
    sheet = workbook.add_sheet("Ratings")
    rows = [("Ratings at the end of the year",), (), ("Rank", "Name", "Rating")]
    for row, values in enumerate([*rows, *((at, *one) for at, one in enumerate(STARTS.items(), 1))]):
        for column, value in enumerate(values):
            sheet.write(row, column, value)
    workbook.save(str(path))
    return path


def rounds_of(day: date, seed: int) -> list[Game]:
    """Three rounds of eight players, a round a day, each in the order of the starting ranks."""
    numbers, ring, games = chance(seed), [f"Player {at}" for at in range(1, 9)], []
    for number in range(3):
        for at in range(4):
            white, black = (ring[at], ring[7 - at])[:: 1 if at % 2 else -1]
            games.append((f"{day + timedelta(days=number)}", white, black, RESULTS[next(numbers) % 3]))
        ring[1:] = [ring[-1], *ring[1:-1]]
    return sorted(games, key=lambda game: (game[0], min(game[1:3])))


def misspelt(games: Sequence[Game], name: str, as_: str) -> list[Game]:
    return [(day, *(as_ if side == name else side for side in sides), result) for day, *sides, result in games]  # type: ignore[misc]


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


class Year:
    """A club's book through the year, compared after every step."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.book = folder, folder / "club.xlsx"
        self.held: list[Game] = []
        self.steps: list[Path] = []

    def step(self, name: str, held: Sequence[Game], logs: Sequence[Path], **how: object) -> None:
        updated_twice(self.book, logs, **how)
        self.held = list(held)
        agrees_with_replay(self.book, self.held, STARTS)
        self.steps.append(self.folder / f"after-{name}.xlsx")
        self.steps[-1].write_bytes(self.book.read_bytes())

    def month(self, name: str, games: Sequence[Game], kind: Kind, overlap: int, **how: object) -> None:
        """A month whose export begins with the last games of the one before."""
        log = kind([*self.held[len(self.held) - overlap :], *games], self.folder / f"{name}.log")
        self.step(name, [*self.held, *games], [log], **how)


def first_half(year: Year, games: Sequence[Sequence[Game]]) -> tuple[Game, Game]:
    january, february, march, april, may, june = games
    log = as_sheet(january, year.folder / "january.xlsx")
    year.step("january", january, [log], start=as_old_list(year.folder / "last-year.xls"))
    furnished(year.book)
    year.month("february", february, as_semicolons, 6)
    # In March a game of January was reported late, and a result of February corrected.
    late = ("2026-01-03", "Player 9", "Player 10", "1-0")
    wrong = february[3]
    right = (*wrong[:3], "0-1" if wrong[3] != "0-1" else "1-0")
    log = as_pgn([late, right, *march], year.folder / "march.pgn")
    first = update_book(year.book, [log], dry_run=True)
    assert [(one.typed.result, one.log.result) for one in first.unresolved] == [(wrong[3], right[3])]
    at = max(i for i, game in enumerate(january) if game[0] <= late[0]) + 1
    held = [*january[:at], late, *january[at:], *(right if g == wrong else g for g in february), *march]
    year.step("march", held, [log], take_log=True)
    year.month("april", april, as_compressed, 3)
    year.month("may", may, as_document, 4)
    year.month("june", june, as_page, 2)
    return january[NOTED], january[COMMENTED]


def second_half(year: Year, games: Sequence[Sequence[Game]]) -> None:
    july, september, october, november, december = games
    year.month("july", july, as_server, 2)
    year.month("august", rounds_of(date(2026, 8, 4), 3), as_report, 0)
    year.month("september", september, as_form, 0, dates="mdy")
    year.month("october", october, as_archive, 5)
    # In November somebody writes a name otherwise, and is asked who that is.
    names = year.folder / "names.toml"
    log = as_csv(misspelt(november, "Player 3", "Plaier 3"), year.folder / "november.csv")
    update_book(year.book, [log], names=names, dry_run=True)
    names.write_text('[[player]]\nname = "Player 3"\nspellings = ["Plaier 3"]\n', encoding="utf-8")
    year.step("november", [*year.held, *november], [log], names=names)
    # A full December: the table gets rows, and the book remembers who Plaier 3 is.
    log = as_sheet(misspelt(december, "Player 3", "Plaier 3"), year.folder / "december.xlsx")
    rows = update_book(year.book, [log], dry_run=True).rows
    assert rows[1] >= len(year.held) + len(december)
    year.step("december", [*year.held, *december], [log])


def of_a_year(folder: Path) -> Year:
    made = Year(folder)
    games = [*months(11, 14), months(12, 50)[11]]
    del games[7]  # August is an open
    new_book("league", made.book, rows=40, settings={"k": 24})
    noted, commented = first_half(made, games[:6])
    furniture_stands(made.book, noted, commented)
    second_half(made, games[6:])
    furniture_stands(made.book, noted, commented)
    return made


@pytest.fixture(scope="module")
def year(tmp_path_factory: pytest.TempPathFactory) -> Year:
    """A year of a club, with the book of every month, made by the first worker that asks."""
    shared = shared_folder(tmp_path_factory.getbasetemp(), "club")
    made: Year = once(shared, "year", lambda: of_a_year(shared), patience=900)
    return made


def test_a_year_of_a_club(year: Year) -> None:
    """Twelve months, each compared where it was made, and the next season."""
    assert len(year.steps) == 12
    coming = year.folder / "next.xlsx"
    next_season(year.book, coming)
    ratings = {str(row["Player"]): row["Rating"] for row in cells(year.book, "Players")}
    agrees_with_replay(coming, [], ratings)
    assert openpyxl.load_workbook(coming)["Prizes"]["A1"].value == "Game of the month"


# What the others do to the book these do too; `validate` has computed every month's book by the embedded engine.
IN_LIBREOFFICE = ("january", "march", "august", "december")  # a first log, a late game, an open, rows that are added


@pytest.mark.libreoffice
def test_libreoffice_computes_the_same_after_the_steps_that_differ(year: Year) -> None:
    """The books computed from nothing in one start of the program; the last one by validate too."""
    require_office()
    steps = [step for step in year.steps if step.stem.removeprefix("after-") in IN_LIBREOFFICE]
    assert len(steps) == len(IN_LIBREOFFICE)
    computed = [step.with_name(f"computed-{step.name}") for step in steps]
    jobs = [Job(*pair) for pair in zip(steps, ([([["recalculate", "Start"]], one)] for one in computed), strict=True)]
    at_work(jobs, year.folder)
    for step, one in zip(steps, computed, strict=True):
        assert same_values(read_book(step), read_book(one)) > 5000, step.name
    assert validate_book(steps[-1], engine="libreoffice").status == "agrees"


def same_values(stored: Book, computed: Book) -> int:
    """How many stored results of formulas are what was computed; those of the owner's own are stored in none."""
    count = 0
    for sheet, held in stored.sheets.items():
        for place, cell in held.items():
            if cell.formula is not None and cell.value is not None:
                found = computed.sheets[sheet][place].value if place in computed.sheets[sheet] else ""
                wanted = pytest.approx(cell.value, abs=1e-9) if isinstance(cell.value, float) else cell.value
                assert found == wanted, (sheet, place, cell.formula)
                count += 1
    return count


def test_books_that_libreoffice_saved_are_updated(tmp_path: Path) -> None:
    require_office()
    january, february = months(2, 14)
    made, book = tmp_path / "made.xlsx", tmp_path / "club.xlsx"
    new_book("league", made, rows=40, settings={"k": 24})
    update_book(made, [as_csv(january, tmp_path / "january.csv")], start=STARTS, backup=False)
    at_work([Job(made, [([], book)])], tmp_path)
    updated_twice(book, [as_csv(february, tmp_path / "february.csv")])
    agrees_with_replay(book, [*january, *february], STARTS)
    assert validate_book(book, engine="libreoffice").status == "agrees"
