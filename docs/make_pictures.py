"""Draw the pictures of the documents from the samples; needs LibreOffice, Poppler's command-line tools and Chromium."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from elo_sheets.engines.office import convert
from elo_sheets.readers import read
from elo_sheets.systems import system
from elo_sheets.workbook.build import blank_book, filled_book, plan_book, templates_of_games
from elo_sheets.workbook.write import write_book

DOCS = Path(__file__).parent
SAMPLES = DOCS.parent / "samples"
RESOLUTION = 110
MARGIN = 16  # pixels around what is drawn
FOOTBALL, CHESS = "internationals_1900s.csv", "uzchesscup.pgn"
# How many games of the football sample are still to be played in the picture of the season.
TO_PLAY = 20
PICTURES = {
    "journal-dashboard.png": ("uzchesscup.xlsx", "Dashboard"),
    "league-standings.png": ("internationals_1900s.xlsx", "Standings"),
    "league-card.png": ("internationals_1900s.xlsx", "Card"),
    "event-standings.png": ("event", "Standings"),
    "ratings-list.png": ("ratings-list", "List"),
    "season-forecast.png": ("season", "Forecast"),
    "calculator-game.png": ("calculator", "One game"),
    "match-odds.png": ("match", "Match"),
}


def book_of(name: str, folder: Path) -> Path:
    """A sample, or a book of a template: made from a sample's log, or new where it holds no games."""
    if name.endswith(".xlsx"):
        return SAMPLES / name
    path = folder / f"{name}.xlsx"
    if path.exists():
        return path
    rating_system = system({"event": "fide", "season": "world-football"}.get(name, "elo"))
    if name not in templates_of_games():
        book = blank_book(name, rating_system, {})
    else:
        games = read([SAMPLES / (CHESS if name == "event" else FOOTBALL)]).games
        if name == "season":
            games = games.assign(to_play=[i >= len(games) - TO_PLAY for i in range(len(games))])
        book = filled_book(name, rating_system, {}, games)
    write_book(plan_book(book), path)
    return path


def page_of(pdf: Path, sheet: str) -> int:
    """The first page whose footer names the sheet."""
    text = subprocess.run(["pdftotext", "-layout", pdf, "-"], capture_output=True, text=True, check=True).stdout
    pages = [page.strip().splitlines() for page in text.split("\f")]
    return next(i for i, lines in enumerate(pages, 1) if lines and lines[-1].split("  ")[0].strip() == sheet)


def box(pdf: Path, page: int, folder: Path) -> list[str]:
    """The options that cut a page to what is drawn above its footer."""
    drawn = folder / "page"
    subprocess.run(["pdftoppm", "-r", str(RESOLUTION), "-f", str(page), "-singlefile", pdf, drawn], check=True)
    kind, size, _, pixels = drawn.with_suffix(".ppm").read_bytes().split(b"\n", 3)
    assert kind == b"P6"
    width, height = map(int, size.split())
    ink = np.frombuffer(pixels, np.uint8).reshape(height, width, 3).min(axis=2) < 250
    ink[int(height * 0.92) :] = False
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    left, top = max(0, columns[0] - MARGIN), max(0, rows[0] - MARGIN)
    edges = {"-x": left, "-y": top, "-W": columns[-1] + MARGIN - left, "-H": rows[-1] + MARGIN - top}
    return [text for option, value in edges.items() for text in (option, str(value))]


def served(folder: Path) -> None:
    """A page of `serve`, in a browser: what was read of a sample."""
    sys.path.insert(0, str(DOCS.parent / "tests"))
    from devtools import browser

    command = [sys.executable, "-m", "elo_sheets", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, browser(folder) as tab:
        found = re.search(r"http://\S+", server.stdout.readline() if server.stdout else "")
        tab.look(900, 700)
        tab.open(found[0] if found else "")
        tab.drop("#logs", SAMPLES / FOOTBALL)
        tab.press("Read the games")
        tab.until("document.querySelector('h1')?.textContent === 'What was read'")
        tab.picture(DOCS / "serve-read.png")
        server.terminate()


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for picture, (book, sheet) in PICTURES.items():
            pdf = convert(book_of(book, folder), "pdf", folder)
            page = page_of(pdf, sheet)
            cut = box(pdf, page, folder)
            target = (DOCS / picture).with_suffix("")
            options = ["-r", str(RESOLUTION), "-f", str(page), "-singlefile", "-png", *cut]
            subprocess.run(["pdftoppm", *options, pdf, target], check=True)
        served(folder)


if __name__ == "__main__":
    main()
