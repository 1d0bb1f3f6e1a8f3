"""Tables as people lay them out to be read, put into a row a game, before any column is looked for.

Games side by side under the same headings become one list; a day or a round that stands as a heading, or on the first
of its games only, counts for the games below; a title before a name and a rating in brackets behind it are no part of
the name; a game in one cell, as in `Ann - Bob 1-0` or `Ann def. Bob 6-4 6-3`, becomes sides and result. Each needs the
table to show it, and is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from elo_sheets.readers._above import Above, above, day_in
from elo_sheets.readers._contents import is_date
from elo_sheets.readers._layout import PREAMBLE, Row, Table, complete, guess, listed
from elo_sheets.readers._people import TITLES
from elo_sheets.readers._repeated import in_games, in_sets
from elo_sheets.readers._text import clean_name, identity
from elo_sheets.readers._words import plain
from elo_sheets.readers._years import with_years
from elo_sheets.readers.lines import SIDES, are_games, game_of, of_lines, said_of

Arranged = tuple[Sequence[Row], list[str]]

SHOWN = 200  # rows that show how a table is laid out
MOST = 0.8  # of them must show it
LEAST_COLUMNS = 3
RULE = re.compile(r"[-=_+|: ]*[-=_]{3,}[-=_+|: ]*|:?-+:|:-+")
# Markdown: **bold**, __bold__, *italic*, `code`; ~~struck out~~.
MARKED = re.compile(r"(?P<mark>\*\*|__|[*`])(?P<text>[^*`]+)(?P=mark)")
STRUCK = re.compile(r"~~.*~~")
YEARS = range(1900, 2100)
STRUCK_OUT = "struck out in the log"
RATED = re.compile(r"(.*\D)\s*[(\[]\s*(\d{3,4})\s*[)\]]")
TITLED = re.compile(rf"(?:{TITLES.pattern})\s+(?=\S)", re.I)

BOTH = re.compile(r"(?P<a>[^\W\d].*?)\s+(?:[-–—]|vs?\.?|gegen|contra|contre|x)\s+(?P<b>[^\W\d].*)", re.I)


def arranged(rows: Sequence[Row], columns: Mapping[str, str], day: Callable[[str], str] = str) -> Arranged:
    """Return the rows with a game in each, and remarks; just these rows and none where they are laid out so.

    `day` gives a cell as people write it.
    """
    notes: list[str] = []
    steps: tuple[Callable[[Sequence[Row]], Arranged], ...] = (
        _unruled,
        lambda found: side_by_side(found, columns),
        _ranked_in_one_cell,
        _in_one_cell,
        _both_in_one_cell,
        lambda found: in_sets(found, *_header(found)),
        lambda found: in_games(found, *_header(found)),
        lambda found: _headed(found, day),
        _dated,
        _filled_down,
        _without_ratings,
        _without_titles,
    )
    for step in steps:
        rows, said = step(rows)
        notes += said
    return rows, notes


def as_rows(table: Table, columns: Mapping[str, str]) -> Table:
    """Return a table with a game in each row."""

    def day(text: str) -> str:
        return text if table.day is None else table.day([text]).get(text, text)

    rows, notes = arranged(table.rows, columns, day)
    return replace(table, rows=rows, notes=[*table.notes, *notes]) if notes else table


def _filled(row: Row) -> list[str]:
    return [text for cell in row.cells if (text := cell.strip())]


def _header(rows: Sequence[Row]) -> tuple[int, dict[str, int]]:
    """Return the place of the row that names both sides, -1 without one, and its roles."""
    for at, row in enumerate(rows[:PREAMBLE]):
        if row.fault:
            continue
        roles = guess(row.cells, [one.cells for one in rows[at + 1 : at + 1 + SHOWN]])
        if {"white", "black"} <= roles.keys() or {"winner", "loser"} <= roles.keys() or "opponent" in roles:
            return at, roles
    return -1, {}


# --- lines of text


def _unruled(rows: Sequence[Row]) -> Arranged:
    """Return the rows without lines that are drawn, and below such a line without the marks of Markdown."""
    found = [row for row in rows if row.fault or not all(map(RULE.fullmatch, _filled(row)))]
    if len(found) == len(rows):
        return rows, []
    bare = [_unmarked(row) for row in found]
    marks = ", and marks of Markdown" if bare != found else ""
    return bare, [f"lines that are drawn between rows were left out{marks}"]


def _unmarked(row: Row) -> Row:
    cells = [match["text"] if (match := MARKED.fullmatch(cell.strip())) else cell for cell in row.cells]
    struck = sum(STRUCK.fullmatch(cell.strip()) is not None for cell in cells) > 1
    return row._replace(cells=cells, fault=row.fault or (STRUCK_OUT if struck else ""))


# --- side by side


def side_by_side(rows: Sequence[Row], columns: Mapping[str, str]) -> Arranged:
    """Return blocks of games that stand beside each other under the same headings below each other."""
    wanted = {plain(text) for text in columns.values()}
    for at, row in enumerate(rows[:PREAMBLE]):
        known = list(map(plain, row.cells))
        for width in range(LEAST_COLUMNS, len(known) // 2 + 2):
            count = -(-len(known) // width)
            padded = known + [""] * (count * width - len(known))
            blocks = [padded[one * width : (one + 1) * width] for one in range(count)]
            some = [one for one in blocks[0] if one]
            same = count > 1 and all(one == blocks[0] for one in blocks)
            if not same or len(some) < LEAST_COLUMNS or len(set(some)) < len(some):
                continue
            roles = guess(row.cells[:width], [])
            if not (complete(roles) or {"white", "black"} <= roles.keys() or (wanted and wanted <= set(some))):
                continue
            return _below(rows, at, width, count), [
                f"{count} lists stand side by side under the same headings: each was read, one after the other"
            ]
    return rows, []


def _below(rows: Sequence[Row], at: int, width: int, count: int) -> list[Row]:
    found = [rows[at]._replace(cells=list(rows[at].cells[:width]))]
    for one in range(count):
        part = slice(one * width, (one + 1) * width)
        titles = [row._replace(cells=[text, *[""] * (width - 1)]) for row in rows[:at] for text in row.cells[part]]
        found += [row for row in titles if above(row.cells[0])]
        for row in rows[at + 1 :]:
            cells = list(row.cells[part])
            if row.fault or any(map(str.strip, cells)):
                found.append(row._replace(cells=cells + [""] * (width - len(cells))))
    return found


# --- a game in one cell


def _ranked(text: str) -> list[str]:
    """Return who came in first, second and so on by a cell, nothing for another one.

    >>> _ranked("Ann > Bob = Cid > Dot"), _ranked("1. Ann 2. Bob")
    (['Ann', 'Bob = Cid', 'Dot'], ['Ann', 'Bob'])
    """
    parts = [part.strip() for part in text.split(">")]
    if len(parts) > 1:
        return parts if all(parts) and not any(map(str.isdigit, text)) else []
    numbered = re.findall(r"(?<!\S)(\d{1,2})[.)]\s*([^\d]+?)[\s,;]*(?=\d{1,2}[.)]|$)", text)
    return (
        [name for _, name in numbered]
        if [place for place, _ in numbered] == [*map(str, range(1, len(numbered) + 1))]
        else []
    )


def _ranked_in_one_cell(rows: Sequence[Row]) -> Arranged:
    """Return rows whose games stand in one cell each, in the order of places, with a column for each place."""
    width = max((len(row.cells) for row in rows[:SHOWN]), default=0)
    for at in range(width):
        texts = [row.cells[at] for row in rows[1:SHOWN] if at < len(row.cells) and row.cells[at].strip()]
        ranked = [one for text in texts if len(one := _ranked(text)) > 1]
        if ranked and len(ranked) >= MOST * len(texts) and max(map(len, ranked)) > 2:
            break
    else:
        return rows, []
    most = max(len(_ranked(row.cells[at])) for row in rows if at < len(row.cells))
    places = [f"Place {place}" for place in range(1, most + 1)]
    found: list[Row] = []
    for row in rows:
        cells = [*row.cells, *[""] * (width - len(row.cells))]
        told = _ranked(cells[at]) or ([cells[at]] if found else places)
        found.append(row._replace(cells=[*cells[:at], *told, *[""] * (most - len(told)), *cells[at + 1 :]]))
    return found, [f"the places were read from one cell, as in {texts[0].strip()!r}"]


def _in_one_cell(rows: Sequence[Row]) -> Arranged:
    """Return rows whose games stand in one cell each with the sides and the result in columns of their own."""
    if _header(rows)[0] >= 0:
        return rows, []
    width = max((len(row.cells) for row in rows[:SHOWN]), default=0)
    if width == 1:
        is_text = are_games(row.cells[0] for row in rows[:SHOWN])
        return of_lines([(row.line, row.cells[0]) for row in rows]) if is_text else (rows, [])
    for at in range(width):
        shown = rows[1:SHOWN]  # below the heading
        texts = [row.cells[at] for row in shown if at < len(row.cells) and row.cells[at].strip()]
        games = [game for text in texts if (game := game_of(text))]
        if len(games) > 1 and len(games) >= MOST * len(texts):
            break
    else:
        return rows, []
    found: list[Row] = []
    dated = any(game.day for game in games)
    for row in rows:
        cells = [*row.cells, *[""] * (width - len(row.cells))]
        told = game_of(cells[at])
        new = ["Date", *SIDES] if not found and told is None else list(told or ("", cells[at], "", ""))
        found.append(row._replace(cells=[*cells[:at], *(new if dated else new[1:]), *cells[at + 1 :]]))
    return found, [said_of(next(text for text in texts if game_of(text)))]


def _both_in_one_cell(rows: Sequence[Row]) -> Arranged:
    """Return rows whose two sides stand in one cell, beside the result, with a column for each."""
    if _header(rows)[0] >= 0:
        return rows, []
    width = max((len(row.cells) for row in rows[:SHOWN]), default=0)
    for at in range(width if width > 1 else 0):
        texts = [row.cells[at].strip() for row in rows[1:SHOWN] if at < len(row.cells) and row.cells[at].strip()]
        pairs = [match for text in texts if (match := BOTH.fullmatch(text))]
        if len(pairs) > 1 and len(pairs) >= MOST * len(texts):
            break
    else:
        return rows, []
    found: list[Row] = []
    for row in rows:
        cells = [*row.cells, *[""] * (width - len(row.cells))]
        pair = BOTH.fullmatch(cells[at].strip())
        sides = [pair["a"], pair["b"]] if pair else [cells[at], ""] if found else list(SIDES[:2])
        found.append(row._replace(cells=[*cells[:at], *sides, *cells[at + 1 :]]))
    return found, [f"both sides were read from one cell, as in {pairs[0][0]!r}"]


# --- days and rounds as headings


def _headed(rows: Sequence[Row], day: Callable[[str], str]) -> Arranged:
    """Return games with the days and rounds that stand as headings above them."""
    at, roles = _header(rows)
    if "date" in roles:
        return rows, []
    widths = sorted(len(_filled(row)) for row in rows[:SHOWN])
    usual = widths[-(-len(widths) * 2 // 3) - 1] if widths else 0
    found: list[Row] = []
    said: tuple[str, str] = ("", "")
    count, used = 0, False
    for place, row in enumerate(rows):
        told = None
        if len(filled := _filled(row)) < min(usual, LEAST_COLUMNS) and not row.fault and place != at:
            text = " ".join(map(day, filled))
            # Above all games may stand the day when the list was made.
            told = above(text) or (
                Above(one, "") if place > at and (one := day_in(text)) and not game_of(text) else None
            )
        if told is not None:
            said, count = (told.day or (said[0] if not told.round else ""), told.round), count + 1
            continue
        more = ["Date", "Round"] if place == at else list(said)
        used |= place != at and said[0] != ""
        found.append(row._replace(cells=[*row.cells, *more]) if not row.fault else row)
    if not used:
        return rows, []
    if count == 1:
        return found, ["the day in the heading above the games counts for them"]
    return found, [f"the days of {count} headings count for the games below each"]


def _dated(rows: Sequence[Row]) -> Arranged:
    """Return rows with the years that a title above the headings tells of days without one."""
    at, roles = _header(rows)
    return with_years(rows, at, roles["date"]) if at > 0 and "date" in roles else (rows, [])


def _filled_down(rows: Sequence[Row]) -> Arranged:
    """Return rows with the day, and the round, that stand on the first of several games alone."""
    at, roles = _header(rows)
    notes: list[str] = []
    for role, what in (("date", "day"), ("round", "round")):
        column = roles.get(role)
        if at < 0 or column is None:
            continue
        games = [row for row in rows[at + 1 :] if not row.fault and len(_filled(row)) > 1 and column < len(row.cells)]
        texts = [row.cells[column].strip() for row in games]
        some = [text for text in texts if text]
        again = any(one == other for one, other in pairwise(some))
        if len(some) < 2 or len(some) == len(texts) or again or not texts[0]:
            continue
        if role == "date" and not all(map(is_date, some)):
            continue
        last, found = "", []
        for row in rows[at + 1 :]:
            cells = list(row.cells)
            if not row.fault and len(_filled(row)) > 1 and column < len(cells):
                last = cells[column] if cells[column].strip() else last
                cells[column] = last
            found.append(row._replace(cells=cells))
        rows = [*rows[: at + 1], *found]
        notes.append(f"the {what} stands on the first of its games alone and counts for those below it")
    return rows, notes


# --- names with something beside them


def _sides(roles: Mapping[str, int]) -> list[tuple[str, int]]:
    if {"white", "black"} <= roles.keys():
        return [(side, roles[side]) for side in ("white", "black")]
    if "opponent" in roles:
        return [("opponent", roles["opponent"])]
    return [(side, roles[side]) for side in ("winner", "loser") if side in roles]


def _without_ratings(rows: Sequence[Row]) -> Arranged:
    """Return rows with the ratings that stand in brackets behind the names in columns of their own."""
    at, roles = _header(rows)
    sides = _sides(roles)
    names = [row.cells[i] for row in rows[at + 1 :][:SHOWN] for _, i in sides if i < len(row.cells)]
    names = [name for name in names if name.strip()]
    rated = [match for name in names if (match := RATED.fullmatch(name.strip()))]
    if not names or len(rated) < MOST * len(names) or any(role.endswith("_rating") for role in roles):
        return rows, []
    told = {(identity(match[1]), int(match[2])) for match in rated}
    if len(told) == len(dict(told)) and all(year in YEARS for _, year in told):
        return rows, []  # one for each, and all of them may be years of birth
    found = list(rows[:at])
    width = max(len(row.cells) for row in rows)
    for place, row in enumerate(rows[at:]):
        cells = [*row.cells, *[""] * (width - len(row.cells))]
        more = [f"{side} elo" for side, _ in sides] if not place else []
        for _, column in sides if place and not row.fault else []:
            match = RATED.fullmatch(cells[column].strip())
            cells[column] = match[1].strip() if match else cells[column]
            more.append(match[2] if match else "")
        found.append(row._replace(cells=[*cells, *more]) if not row.fault else row)
    return found, ["the numbers in brackets behind the names were read as the players' ratings"]


def _without_titles(rows: Sequence[Row]) -> Arranged:
    """Return rows without the titles before those names that stand without them, or with another one, too."""
    at, roles = _header(rows)
    columns = [column for _, column in _sides(roles)]
    forms: dict[str, dict[str, str]] = {}
    for row in rows[at + 1 :]:
        for column in columns if not row.fault else []:
            name = clean_name(row.cells[column]) if column < len(row.cells) else ""
            bare = TITLED.sub("", name, count=1) if TITLED.match(name) else name
            forms.setdefault(identity(bare), {})[name] = bare
    various = [one for one in forms.values() if len(set(map(identity, one))) > 1]
    titled = [name for one in various for name, bare in one.items() if name != bare]
    if not titled:
        return rows, []
    names = {name: bare for one in forms.values() for name, bare in one.items()}
    found = list(rows[: at + 1])
    for row in rows[at + 1 :]:
        cells = [names.get(clean_name(cell), cell) if i in columns else cell for i, cell in enumerate(row.cells)]
        found.append(row._replace(cells=cells) if not row.fault else row)
    return found, [f"titles were left out of the names, some of which also stand without them: {listed(titled[:3])}"]
