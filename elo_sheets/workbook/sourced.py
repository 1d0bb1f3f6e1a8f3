"""Where each game of a filled book came from: a hidden column beside the games, with file, row and page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from elo_sheets._late import pd
from elo_sheets.workbook.own.templates import OWN
from elo_sheets.workbook.plan import CellValue
from elo_sheets.workbook.sports.profiles import PROFILE
from elo_sheets.workbook.sports.worded import worded
from elo_sheets.workbook.templates import template

# The option of a book that has the column, its header, and the sheets that have it.
SOURCES, SOURCE = "sources", "Source"
SHEETS = frozenset({"Games", "Fixtures", "Log", "Archive"})
COLUMN = {
    "label": SOURCE,
    "style": "text",
    "width": 0,
    "input": True,
    "about": "The file, row and page that tell of the game; unhide the column to see them.",
}
FOLDER = re.compile(r"^.*[/\\](?=[^/\\]+$)")
LONGEST = 2_000


def form_of(name: str, options: Mapping[str, str]) -> dict[str, Any]:
    """Return the template of a book: in the words of its sport, with the hidden column of sources where it has it."""
    form = template(name)
    if PROFILE in options:
        form = worded(form, options[PROFILE])
    if SOURCES not in options:
        return form
    return form | {"sheet": [_with_column(sheet) if sheet["name"] in SHEETS else sheet for sheet in form["sheet"]]}


def _with_column(sheet: Mapping[str, Any]) -> dict[str, Any]:
    """Return a sheet with the column behind its others; a column of that name that it has already is its own matter."""
    own = list(sheet.get(OWN, ()))
    if any(column.get("label") == SOURCE for column in (*sheet.get("column", ()), *own)):
        return dict(sheet)
    return {**sheet, OWN: [*own, COLUMN]}


def sources_told(games: pd.DataFrame) -> list[CellValue]:
    """Return file, row and page of each game in a text; without the folder, which tells of its owner's machine.

    What a book says that a game was read from stays so.

    >>> from elo_sheets.games import make_games
    >>> game = {"white": "Ann", "black": "Bob", "score": 1, "source": "/home/ann/may.csv", "source_row": 7}
    >>> sources_told(make_games([game, {**game, "url": "https://lichess.org/abc"}]))
    ['may.csv, row 7', 'may.csv, row 7; https://lichess.org/abc']
    """
    files = {source: FOLDER.sub("", str(source)) for source in games["source"].unique()}
    pages = games["url"].tolist() if "url" in games else [""] * len(games)
    known = games["origin"].tolist() if "origin" in games else [""] * len(games)
    places = zip(games["source"], games["source_row"], pages, known, strict=True)
    return [origin or source_told(files[source], row, page) for source, row, page, origin in places]


def source_told(file: str, row: int, page: str = "") -> str:
    """Return a file, a row and a page in a text."""
    return f"{FOLDER.sub('', file)}, row {row}{'; ' if page else ''}{page}"[:LONGEST]
