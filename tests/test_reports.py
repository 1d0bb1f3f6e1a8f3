"""`report`: a book on one page. What it says is compared with the replay of the log and with what the file holds, by
another reader; names of every kind stay text."""

from __future__ import annotations

import csv
import re
import subprocess
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import openpyxl
import pytest

import elo_sheets
from elo_sheets.cli import run_command
from elo_sheets.engines import office
from elo_sheets.errors import NotChecked, UnreadableInput, UsageError
from elo_sheets.uses.importing import import_logs
from elo_sheets.uses.reports import report
from elo_sheets.uses.reports.numbers import number_as, shown
from elo_sheets.uses.reports.texts import escape
from elo_sheets.workbook import new_book

SAMPLES = Path(__file__).parents[1] / "samples"
FOOTBALL, CHESS = SAMPLES / "internationals_1900s.csv", SAMPLES / "uzchesscup.pgn"
FILLED = {
    "league": (FOOTBALL, {"profile": "football"}),
    "season": (FOOTBALL, {}),
    "ratings-list": (FOOTBALL, {"profile": "football"}),
    "compare": (FOOTBALL, {"system": "elo,trueskill"}),
    "event": (CHESS, {"system": "fide"}),
    "journal": (CHESS, {"system": "fide", "player": "Praggnanandhaa R"}),
}


class Page(HTMLParser):
    """The tags of a page, and its texts."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.rows: list[list[str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"}:
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if self.rows and self.rows[-1] and self.get_starttag_text() and self.tags[-1][0] in {"td", "th"}:
            self.rows[-1][-1] += data


def filled(template: str, folder: Path) -> Path:
    log, options = FILLED[template]
    book = folder / f"{template}.xlsx"
    import_logs([str(log)], str(book), template=template, **options)  # type: ignore[arg-type]
    return book


def sided(folder: Path) -> Path:
    log, book = folder / "doubles.csv", folder / "doubles.xlsx"
    rows = [
        ["2026-01-01", "Player 1", "Player 2", "Player 3", "Player 4", 10, 5],
        ["2026-01-02", *(f"Player {i}" for i in (1, 3, 2, 4)), 7, 10],
    ]
    with log.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["date", "a1", "a2", "b1", "b2", "score_a", "score_b"], *rows])
    import_logs([str(log)], str(book), template="league-2x2")
    return book


def made(template: str, folder: Path) -> Path:
    return sided(folder) if template == "doubles" else filled(template, folder)


@pytest.mark.parametrize("template", [*FILLED, "doubles"])
def test_a_page_needs_nothing_and_is_bounded(template: str, tmp_path: Path) -> None:
    page = Page(text := report(made(template, tmp_path)))
    assert not re.search(r"https?:|//|url\(|@import|<script|<img|<link|src=|href=", text.replace("<!doctype", ""))
    policy = next(attrs for tag, attrs in page.tags if tag == "meta" and "http-equiv" in attrs)
    assert policy["content"] == "default-src 'none'; style-src 'unsafe-inline'"
    assert sum(tag == "tr" for tag, _ in page.tags) <= 21
    assert len(text) < 120_000
    if template != "doubles":
        assert any(tag in {"polyline", "rect"} for tag, _ in page.tags)


@pytest.mark.parametrize("template", ["league", "season"])
def test_each_line_of_a_page_is_marked_where_it_is_highest(template: str, tmp_path: Path) -> None:
    tags = Page(report(filled(template, tmp_path))).tags
    lines = [attrs["points"].split() for tag, attrs in tags if tag == "polyline"]
    marks = [
        attrs["d"][1:].split("m")[0].split()
        for tag, attrs in tags
        if attrs.get("class") == "mark_peak" and "d" in attrs
    ]
    tops = {min((point.split(",") for point in line), key=lambda point: float(point[1]))[1] for line in lines}
    assert lines
    assert {y for _, y in marks} == tops


def test_a_page_of_a_league_says_what_the_replay_says(tmp_path: Path) -> None:
    page = Page(report(filled("league", tmp_path)))
    done = elo_sheets.replay(str(FOOTBALL))
    best = done.ratings.head(20)
    header, *rows = page.rows
    assert header == ["Place", "Player", "Rating", "Games", "Wins", "Draws", "Losses", "Best", "Last played"]
    assert [row[1] for row in rows] == best["player"].tolist()
    assert [row[2] for row in rows] == [f"{rating:.1f}" for rating in best["rating"]]
    assert [int(row[3]) for row in rows] == best["games"].tolist()
    assert "138" in page.texts


@pytest.mark.parametrize("template", FILLED)
def test_the_sheet_of_the_book_says_the_same(template: str, tmp_path: Path) -> None:
    book = filled(template, tmp_path)
    page = Page(report(book))
    sheet = openpyxl.load_workbook(book, data_only=True)["Dashboard" if template == "journal" else "Report"]
    said = " ".join(page.texts)
    names = [cell.value for row in sheet.iter_rows(max_col=3) for cell in row if isinstance(cell.value, str)]
    wanted = {name for name in names if name.strip() and not name.startswith(("Choose", "Made"))}
    missing = {name for name in wanted if name.strip() not in said}
    # Labels of what a book does not have a number of are left out of a page.
    assert len(missing) <= 3, missing


@pytest.mark.parametrize("template", ["league", "season", "ratings-list", "compare", "event", "journal", "table"])
def test_a_page_of_an_empty_book_invites(template: str, tmp_path: Path) -> None:
    book = tmp_path / "new.xlsx"
    new_book(template, str(book), rows=20)
    text = report(book)
    assert "<td" not in text
    if template != "table":
        assert "Drawn once games are rated." in text


NAMES = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "=1+1",
    "Ann &amp; Bob",
    "</title></style>",
    "Zoe\u202e\x85",
]


def test_names_are_text(tmp_path: Path) -> None:
    log, book = tmp_path / "log.csv", tmp_path / "book.xlsx"
    with log.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["white", "black", "result"])
        writer.writerows([one, other, "1-0"] for one, other in pairwise(NAMES))
    import_logs([str(log)], str(book), template="league")
    plain = Page(longer := report(filled("league", tmp_path)))
    page = Page(text := report(book))
    assert {tag for tag, _ in page.tags} == {tag for tag, _ in plain.tags} - {"h2"}  # which says how many are shown
    assert "The first 20 of " in longer
    assert "The first 20 of " not in text
    assert {row[1] for row in page.rows} >= set(NAMES[:5])
    assert not set(text) & {"\u202e", "\x85"}
    assert escape("Zoe\u202e") == "Zoe\\u202e"


def test_a_strangers_book_is_refused(tmp_path: Path) -> None:
    book = tmp_path / "other.xlsx"
    openpyxl.Workbook().save(book)
    with pytest.raises(UnreadableInput, match="was not made by elo-sheets") as refused:
        run_command(["report", str(book), "-o", "-"])
    assert refused.value.exit_code == 3
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("template", ["calculator", "match"])
def test_calculators_have_no_report(template: str, tmp_path: Path) -> None:
    book = tmp_path / "book.xlsx"
    new_book(template, str(book))
    with pytest.raises(UsageError, match=f"template {template} has no report"):
        report(book)


def test_an_output_is_replaced_when_told(tmp_path: Path) -> None:
    book, page = tmp_path / "book.xlsx", tmp_path / "page.html"
    new_book("league", str(book), rows=10)
    assert run_command(["report", str(book), "-o", str(page)]) == 0
    with pytest.raises(elo_sheets.EloSheetsError, match="give --force"):
        report(book, page)
    assert run_command(["report", str(book), "-o", str(page), "--force"]) == 0
    with pytest.raises(UsageError, match=r"ending in \.html, \.htm or \.pdf"):
        report(book, tmp_path / "page.txt")


def test_without_libreoffice_a_pdf_is_refused_and_a_page_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = tmp_path / "book.xlsx"
    new_book("league", str(book), rows=10)
    monkeypatch.setattr("elo_sheets.uses.reports.printing.soffice", lambda: None)
    with pytest.raises(NotChecked, match=r"install LibreOffice .*-o report\.html"):
        report(book, tmp_path / "book.pdf")
    assert not (tmp_path / "book.pdf").exists()


@pytest.mark.libreoffice
@pytest.mark.parametrize("template", ["league", "journal", "event"])
def test_a_pdf_is_one_page_and_says_what_the_page_says(template: str, tmp_path: Path) -> None:
    book = filled(template, tmp_path)
    page = Page(report(book, tmp_path / "report.pdf"))
    pdf = tmp_path / "report.pdf"
    told = subprocess.run(["pdfinfo", pdf], capture_output=True, text=True, check=True).stdout
    assert re.search(r"^Pages:\s+1$", told, re.MULTILINE)
    text = subprocess.run(["pdftotext", "-layout", pdf, "-"], capture_output=True, text=True, check=True).stdout
    lines = [line.split() for line in text.splitlines()]
    for row in page.rows:
        words = {word for cell in row[1:] for word in cell.split()}
        assert any(words <= set(line) for line in lines), row


@pytest.mark.parametrize(
    ("value", "style", "text"),
    [
        (0.25, "points", "0.3"),  # halves go away from zero, as in a spreadsheet
        (-0.05, "change", "-0.1"),
        (0.0, "change", "0.0"),
        (0.125, "percent_fine", "12.50%"),
        (61.0, "date", "1900-03-01"),
        (45000.0, "date", "2023-03-15"),
        (0.0, "integer_left", ""),
        (2e6, "limit", "none"),
        (1500.0, "limit", "1500"),
        (99.0, "age", "–"),
        (400.0, "band", "below 400"),
        (1e6, "band", "and above"),
        (1234.5678, "number", "1234.5678"),
        ("text", "points", "text"),
        (None, "points", ""),
    ],
)
def test_numbers_look_as_a_cell_shows_them(value: float | str | None, style: str, text: str) -> None:
    assert shown(value, style) == text
    assert number_as(1.0, "0.00") == "1.00"
    assert office.FILTERS["pdf"]
