"""Draw the pictures of the README from the sample workbooks; needs LibreOffice and Poppler's command-line tools."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import numpy as np

from elo_sheets.recalculate import convert

DOCS = Path(__file__).parent
SAMPLES = DOCS.parent / "samples"
RESOLUTION = 110
MARGIN = 16  # pixels around what is drawn
PICTURES = {
    "journal-dashboard.png": ("uzchesscup.xlsx", "Dashboard"),
    "league-standings.png": ("internationals_1900s.xlsx", "Standings"),
}


def page_of(pdf: Path, sheet: str) -> int:
    """The first page whose footer names the sheet."""
    text = subprocess.run(["pdftotext", "-layout", pdf, "-"], capture_output=True, text=True, check=True).stdout
    pages = [page.strip().splitlines() for page in text.split("\f")]
    return next(i for i, lines in enumerate(pages, 1) if lines and lines[-1].split()[0] == sheet)


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


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for picture, (book, sheet) in PICTURES.items():
            pdf = convert(SAMPLES / book, "pdf", folder)
            page = page_of(pdf, sheet)
            cut = box(pdf, page, folder)
            target = (DOCS / picture).with_suffix("")
            options = ["-r", str(RESOLUTION), "-f", str(page), "-singlefile", "-png", *cut]
            subprocess.run(["pdftoppm", *options, pdf, target], check=True)


if __name__ == "__main__":
    main()
