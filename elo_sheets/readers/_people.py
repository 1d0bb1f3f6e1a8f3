"""What the columns of a list of players hold: number, name, rating, ids, federation, title, year of birth.

Starting ranks, crosstables, ratings lists of clubs and federations all have them, under headers in many languages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from elo_sheets.readers._headings import REMARK
from elo_sheets.readers._layout import Row
from elo_sheets.readers._text import Reading, Record, clean_name, read_rating
from elo_sheets.readers._words import plain, table

# The words that begin the columns of a list in fixed columns; months name the ratings of their list.
FIXED = re.compile(
    r"ID[ _]?number|Name|Titl?e?|WTit|OTit|FOA|Fed|Country|Sex|S?Rtng|SGm|SK|RRtng|RGm|Rk|BRtng|BGm|BK|Games|Gms|"
    r"B-?day|Birthday|Born|Flag|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\d\d",
    re.I,
)
LIST_GIVEN = (
    "expected games, got a list of players ({name}): give it with --start for their ratings, and what holds their "
    "games as the log; if it does hold games, name the columns, as in --map white=Home --map black=Away "
    "--map score=Result"
)
KNOWN = {
    plain(word) or word: (rank, role) for role, words in table("people").items() for rank, word in enumerate(words)
}
TITLES = re.compile(r"(?:W?[GIFC]M|ACM|AFM|AGM|AIM|WH|NM)(?:,\w+)*", re.I)
MONTH = re.compile(r"((?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)\W*\d\d(?:\d\d)?", re.I)
YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")


def people_columns(headers: Sequence[str]) -> dict[str, int]:
    """Return the column of every role that a known header names; of two for one role, the better known.

    A month with a year, as in FIDE's lists, is the header of its ratings.
    """
    best: dict[str, tuple[int, int]] = {}
    for index, header in enumerate(headers):
        bare = REMARK.sub("", header.strip())
        month = MONTH.fullmatch(bare)
        word = month[1][:3].casefold() if month else plain(bare) or bare
        if month is None and word in KNOWN and len(word) == 3 and MONTH.fullmatch(word + "00"):
            continue  # a month alone is no rating
        if (found := KNOWN.get(word)) is not None:
            rank, role = found
            if role not in best or rank < best[role][0]:
                best[role] = (rank, index)
    return {role: index for role, (_, index) in best.items()}


def is_list(headers: Sequence[str]) -> bool:
    """Tell whether these are the headers of a list of players with ratings, in columns or in FIDE's fixed ones."""
    columns = people_columns(headers)
    fixed = len(headers) == 1 and len(FIXED.findall(headers[0])) > 3
    return fixed or ("rating" in columns and ("name" in columns or "surname" in columns))


def person(row: Row, columns: Mapping[str, int], reading: Reading) -> Record:
    """Return name, rating, federation, id, year of birth and title of a row; a rating that is none is remarked."""

    def cell(role: str) -> str:
        return row.cell(columns.get(role))

    try:
        rating = read_rating(cell("rating"))
    except ValueError:
        reading.remark("rating", f"{cell('rating')!r} in row {row.line}")
        rating = None
    born = YEAR.search(cell("born"))
    return {
        "name": clean_name(cell("name")),
        "rating": rating,
        "federation": cell("federation") or None,
        "id": cell("id").lstrip("0") or None,
        "born": float(born.group()) if born else None,
        "title": cell("title").upper() or None,
    }


def with_title(columns: Mapping[str, int], rows: Sequence[Row]) -> dict[str, int]:
    """Return the columns with that of the titles, which seldom has a header of its own."""
    at = columns.get("title", title_column([row.cells for row in rows], [*columns.values()]))
    return {**columns} if at is None else {**columns, "title": at}


def title_column(rows: Sequence[Sequence[str]], taken: Sequence[int]) -> int | None:
    """Return the column, without a header of its own, whose cells are titles."""
    width = max(map(len, rows), default=0)
    for at in range(width):
        cells = [row[at].strip() for row in rows if at < len(row) and row[at].strip()]
        if at not in taken and cells and all(map(TITLES.fullmatch, cells)):
            return at
    return None
