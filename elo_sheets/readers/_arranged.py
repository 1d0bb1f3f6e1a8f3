"""Tables as people lay them out to be read, put into a row a game, before any column is looked for.

Games side by side under the same headings become one list; a day or a round that stands as a heading, or on the first
of its games only, counts for the games below; a title before a name and a rating in brackets behind it are no part of
the name; a game in one cell, as in `Ann - Bob 1-0` or `Ann def. Bob 6-4 6-3`, becomes sides and result. Each needs the
table to show it, and is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import combinations, dropwhile, pairwise

from elo_sheets.readers._above import Above, above, day_in
from elo_sheets.readers._across import is_days_at, is_of_totals
from elo_sheets.readers._bold import BOLD, winners_in_bold
from elo_sheets.readers._contents import MOST, are_points, is_date, is_number, kind_of, told_by_cells
from elo_sheets.readers._headings import WORDS, named, role_of, words_of
from elo_sheets.readers._layout import (
    PREAMBLE,
    Arranged,
    Row,
    Table,
    are_full,
    are_words,
    column_of,
    complete,
    guess,
    likely_header,
    listed,
    shown_below,
    tells_no_number,
)
from elo_sheets.readers._people import TITLES
from elo_sheets.readers._placings import placings
from elo_sheets.readers._rankings import beside, blocks, by_player, turned
from elo_sheets.readers._repeated import by_targets, in_games, in_groups, in_sets, in_ticks
from elo_sheets.readers._results import MARKS, outcome
from elo_sheets.readers._rows import REPEATED
from elo_sheets.readers._text import clean_name, identity
from elo_sheets.readers._two import of_two
from elo_sheets.readers._words import plain
from elo_sheets.readers._years import with_years
from elo_sheets.readers.lines import SIDES, are_games, game_of, of_lines, said_of

SHOWN = 200  # rows that show how a table is laid out
LEAST_COLUMNS = 3
SIGN = re.compile(r"[:\-–—|/]|vs?\.?|gegen|contre|contra|against|tegen|x|", re.I)
RULE = re.compile(r"[-=_+|: ]*[-=_]{3,}[-=_+|: ]*|:?-+:|:-+")
# Markdown: **bold**, __bold__, *italic*, `code`; ~~struck out~~.
MARKED = re.compile(r"(?P<mark>\*\*|__|[*`])(?P<text>[^*`]+)(?P=mark)")
LINKED = re.compile(r"\[([^\[\]]+)\]\([^()\s]*\)")
STRUCK = re.compile(r"~~.*~~")
YEARS = range(1900, 2100)
OF_TEAMS = "the heading of a match of two teams"
STRUCK_OUT = "struck out in the log: take the line through it away if it counts"
RATED = re.compile(r"(.*\D)\s*[(\[]\s*(\d{3,4})\s*[)\]]")
GRADED = re.compile(r"(.*[^\W\d_].*?)\s+[(\[]?\d{1,2}[\s.-]?(?:kyu|dan|k|d|p)[)\]]?", re.I)
PLACED = re.compile(r"(.*[^\W\d_].*?)\s*[(\[]\d{1,2}[)\]]")
TITLED = re.compile(rf"(?:{TITLES.pattern})\s+(?=\S)", re.I)

BOTH = re.compile(r"(?P<a>[^\W\d].*?)\s+(?:[-–—]|vs?\.?|gegen|contra|contre|x)\s+(?P<b>[^\W\d].*)", re.I)


def arranged(rows: Sequence[Row], columns: Mapping[str, str], day: Callable[[str], str] = str) -> Arranged:
    """Return the rows with a game in each, and remarks; just these rows and none where they are laid out so.

    `day` gives a cell as people write it.
    """
    notes: list[str] = []
    header = _Headers()
    steps: tuple[Callable[[Sequence[Row]], Arranged], ...] = (
        _won_in_bold,
        _unruled,
        lambda found: _once_headed(found, *header(found)),
        lambda found: _marked_twice(found, *header(found)),
        spread,
        lambda found: turned(found, day),
        _placed,
        lambda found: blocks(found, day),
        lambda found: by_player(found, columns),
        lambda found: beside(found, columns),
        lambda found: _unparted(found, *header(found)),
        lambda found: side_by_side(found, columns),
        _ranked_in_one_cell,
        lambda found: _in_one_cell(found, *header(found)),
        lambda found: _both_in_one_cell(found, *header(found)),
        of_two,
        _of_teams,
        lambda found: _headed(found, day, *header(found)),
        in_groups,
        lambda found: in_ticks(found, *header(found)),
        lambda found: by_targets(found, *header(found)),
        lambda found: in_sets(found, *header(found)),
        lambda found: in_games(found, *header(found)),
        lambda found: _dated(found, *header(found)),
        lambda found: _filled_down(found, day, *header(found)),
        lambda found: _without_sums(found, *header(found)),
        lambda found: _without_ratings(found, *header(found)),
        lambda found: _without_grades(found, *header(found)),
        lambda found: _without_titles(found, *header(found)),
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


def _header(rows: Sequence[Row]) -> tuple[int, dict[str, int]]:
    """Return the place of the row that names both sides, -1 without one, and its roles."""
    for at, row in enumerate(rows[:PREAMBLE]):
        if row.fault:
            continue
        roles = guess(row.cells, shown_below(rows, at, SHOWN))
        if {"white", "black"} <= roles.keys() or {"winner", "loser"} <= roles.keys() or "opponent" in roles:
            return at, roles
    at = likely_header(rows[:PREAMBLE]) if rows else -1
    if at >= 0 and not rows[at].fault and are_words(rows[at].cells):
        below = shown_below(rows, at, SHOWN)
        roles, _ = told_by_cells(guess(rows[at].cells, below), rows[at].cells, below)
        if {"white", "black"} <= roles.keys():
            return at, roles
    return -1, {}


class _Headers:
    """What `_header` gives, found once for rows that stay as they are."""

    _rows: Sequence[Row] | None = None
    _found: tuple[int, dict[str, int]] = (-1, {})

    def __call__(self, rows: Sequence[Row]) -> tuple[int, dict[str, int]]:
        if rows is not self._rows:
            self._rows, self._found = rows, _header(rows)
        return self._found


# --- lines of text


def _won_in_bold(rows: Sequence[Row]) -> Arranged:
    """Return rows with the winners whose names have the marks of bold letters."""
    if not any(BOLD.fullmatch(cell.strip()) for row in rows for cell in row.cells):
        return rows, []
    bare = [row for row in rows if not all(map(RULE.fullmatch, row.filled))]
    return winners_in_bold(rows, rows.index(bare[at]) if (at := _header(bare)[0]) >= 0 else -1, _header(bare)[1], _bold)


def _bold(row: Row, at: int) -> bool:
    return BOLD.fullmatch(row.cells[at].strip()) is not None


def bold_in_sheet(rows: Sequence[Row], bold: Set[tuple[int, int]]) -> Arranged:
    """Return the rows of a sheet with the winners whose names stand in `bold` cells, by row and column from 1."""
    return winners_in_bold(rows, *_header(rows), lambda row, at: (row.line, at + 1) in bold) if bold else (rows, [])


def _unruled(rows: Sequence[Row]) -> Arranged:
    """Return the rows without lines that are drawn, and below such a line without the marks of Markdown."""
    found = [row for row in rows if row.fault or not all(map(RULE.fullmatch, row.filled))]
    if len(found) == len(rows):
        return rows, []
    bare = [_unmarked(row) for row in found]
    marks = ", and marks of Markdown" if bare != found else ""
    return bare, [f"lines that are drawn between rows were left out{marks}"]


def _once_headed(rows: Sequence[Row], at: int, roles: Mapping[str, int]) -> Arranged:
    """Return rows of which those are at fault that say the headings again, as above each round."""
    if at < 0:
        return rows, []
    header = list(map(plain, rows[at].cells))
    again = {row.line for row in rows[at + 1 :] if list(map(plain, row.cells)) == header}
    if not again:
        return rows, []
    return [row._replace(fault=REPEATED) if row.line in again else row for row in rows], []


def _unmarked(row: Row) -> Row:
    cells = [LINKED.sub(r"\1", cell) for cell in row.cells]
    cells = [match["text"] if (match := MARKED.fullmatch(cell.strip())) else cell for cell in cells]
    struck = sum(STRUCK.fullmatch(cell.strip()) is not None for cell in cells) > 1
    return row._replace(cells=cells, fault=row.fault or (STRUCK_OUT if struck else ""))


def _unparted(rows: Sequence[Row], at: int, roles: Mapping[str, int]) -> Arranged:
    """Return rows without the columns of signs between others, and with the heading that spans two columns on both."""
    at = max(at, likely_header(rows[:PREAMBLE]) if rows else 0)
    width = _width(rows)
    below = [[row.cell(i) for row in rows[at + 1 : SHOWN]] for i in range(width)]
    signs = [i for i, cells in enumerate(below) if len({*cells} - {""}) == 1 and all(map(SIGN.fullmatch, cells))]
    signs = [i for i in signs if 0 < i < width - 1 and SIGN.fullmatch(rows[at].cell(i))]
    found = [row._replace(cells=[cell for i, cell in enumerate(row.cells) if i not in signs]) for row in rows]
    kept = [cells for i, cells in enumerate(below) if i not in signs]
    heads = [*found[at].cells, *[""] * (len(kept) - len(found[at].cells))] if rows else []
    notes = ["columns of signs between the others were left out"] if signs else []
    for i in range(1, len(heads)):
        spans = heads[i - 1].strip() and not heads[i].strip() and (i + 1 == len(heads) or heads[i + 1].strip())
        if spans and named(heads[i - 1]) == "score" and are_points(kept[i - 1]) and are_points(kept[i]):
            heads[i] = heads[i - 1]
            found[at] = found[at]._replace(cells=heads)
            return found, [
                *notes,
                f"the two columns under {heads[i].strip()!r} were read as the points of the two sides",
            ]
    return (found, notes) if notes else (rows, [])


# --- a mark for each side


def _marked_twice(rows: Sequence[Row], at: int, roles: Mapping[str, int]) -> Arranged:
    """Return rows in which each side has a mark of its own, such as ○ and ●, with one column for both."""
    shown = rows[:SHOWN]
    width = max((len(row.cells) for row in shown), default=0)
    marks = {mark for pair in MARKS for mark in pair.split()}
    columns = [[row.cell(at).casefold() for row in shown] for at in range(width)]
    likely = [at for at, cells in enumerate(columns) if sum(cell in marks for cell in cells) > 1]
    for one, other in combinations(likely, 2):
        texts = [f"{a} {b}".strip() for a, b in zip(columns[one], columns[other], strict=True)]
        told = [MARKS[text] for text in texts if text in MARKS]
        full = sum(len(text.split()) == 2 for text in texts)
        if len({result.score for result in told} - {None, 0.5}) == 2 and len(told) >= MOST * (full - 1):
            break
    else:
        return rows, []
    if {"winner", "loser"} & roles.keys():
        return rows, []
    first, second = (other, one) if roles.get("white", 0) > roles.get("black", 1) else (one, other)
    start = next(place for place, text in enumerate(texts) if text in MARKS)
    found: list[Row] = []
    for place, row in enumerate(rows):
        cells = row.padded(width)
        both = " ".join(cells[at].strip() or "?" for at in (first, second))
        cells[one] = "Result" if place == start - 1 else both.replace("? ?", "")
        found.append(row.holding([*cells[:other], *cells[other + 1 :]]))
    return found, [f"the marks of the two sides were read as one result, as in {found[start].cells[one]!r}"]


# --- a heading over several columns


def spread(rows: Sequence[Row]) -> Arranged:
    """Return rows in which the heading of a side stands over the columns of its players, with a heading for each.

    Somebody who stands below the heading once and beside it another time shows that these are players.
    """
    for at, row in enumerate(rows[:PREAMBLE]):
        heads = [i for i, cell in enumerate(row.cells) if cell.strip()]
        spans = [range(i, end) for i, end in pairwise([*heads, len(row.cells)]) if end - i > 1]
        below = [list(map(str.strip, one.cells)) for one in rows[at + 1 : at + 1 + SHOWN] if not one.fault]
        columns = {i: [cells[i] for cells in below if i < len(cells) and cells[i]] for span in spans for i in span}
        sides = [span for span in spans if all(kind_of(columns[i]) == "name" for i in span)]
        if len(sides) != 2 or len(sides[0]) != len(sides[1]):
            continue
        first = {identity(name) for side in sides for name in columns[side[0]]}
        beside = {identity(name) for side in sides for i in side[1:] for name in columns[i]}
        if not first & beside or {identity(row.cells[side[0]]) for side in sides} & (first | beside):
            continue
        cells = list(row.cells)
        for letter, side in zip("AB", sides, strict=True):
            cells[side.start : side.stop] = [f"{letter}{number}" for number in range(1, len(side) + 1)]
        numbers = {i for i, some in columns.items() if 2 * sum(map(is_number, some)) > len(some)}
        points = [span for span in spans if len(span) == 2 and numbers.issuperset(span)]
        if len(points) == 1:
            cells[points[0].start : points[0].stop] = ["Score A", "Score B"]
        named = " and ".join(repr(row.cells[side[0]].strip()) for side in sides)
        told = f"{named} each stand over {len(sides[0])} columns of names, which were read as the players of a side"
        return [*rows[:at], row._replace(cells=cells), *rows[at + 1 :]], [told]
    return rows, []


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
    at, texts = _told_in_one(rows, lambda text: len(_ranked(text)) > 1)
    if at < 0 or max(len(_ranked(text)) for text in texts) < 3:
        return rows, []
    most = max(len(_ranked(row.cells[at])) for row in rows if at < len(row.cells))
    places = [f"Place {place}" for place in range(1, most + 1)]
    return _put(rows, at, places, _ranked), [f"the places were read from one cell, as in {texts[0]!r}"]


def _placed(rows: Sequence[Row]) -> Arranged:
    """Return rows of places for numbered lines that are no games."""
    if _width(rows) != 1 or are_games(row.cells[0] for row in rows[:SHOWN]):
        return rows, []
    return placings(rows)


def _in_one_cell(rows: Sequence[Row], at: int, roles: Mapping[str, int]) -> Arranged:
    """Return rows whose games stand in one cell each with the sides and the result in columns of their own."""
    if at >= 0:
        return rows, []
    if _width(rows) == 1:
        is_text = are_games(row.cells[0] for row in rows[:SHOWN])
        return of_lines([(row.line, row.cells[0]) for row in rows]) if is_text else (rows, [])
    at, texts = _told_in_one(rows, game_of)
    if at < 0 or len(texts) < 2:
        return rows, []
    rows = _below_each_other(rows, at)
    first = 0 if any(game.day for text in texts if (game := game_of(text))) else 1
    found = _put(rows, at, ["Date", *SIDES][first:], lambda text: (game_of(text) or ())[first:], 1 - first)
    return found, [said_of(next(filter(game_of, texts)))]


def _below_each_other(rows: Sequence[Row], at: int) -> list[Row]:
    """Return rows with one column of games for several beside each other, as of the boards of an evening."""
    columns = [i for i in range(at, _width(rows)) if i == at or _told_in_one(rows, game_of, i)[0] == i]
    found: list[Row] = []
    for row in rows:
        cells = row.padded(_width(rows))
        others = [cell for i, cell in enumerate(cells[at:], at) if i not in columns]
        some = [cells[i] for i in columns if cells[i].strip()]
        found += [
            row._replace(cells=[*cells[:at], text, *others]) for text in (some if found and some else [cells[at]])
        ]
    return found


def _both_in_one_cell(rows: Sequence[Row], at: int, roles: Mapping[str, int]) -> Arranged:
    """Return rows whose two sides stand in one cell, beside the result, with a column for each."""
    at, texts = _told_in_one(rows, BOTH.fullmatch) if at < 0 and _width(rows) > 1 else (-1, [])
    if at < 0 or len(texts) < 2:
        return rows, []
    found = _put(rows, at, SIDES[:2], lambda text: match.group("a", "b") if (match := BOTH.fullmatch(text)) else ())
    return found, [f"both sides were read from one cell, as in {texts[0]!r}"]


def _width(rows: Sequence[Row]) -> int:
    return max((len(row.cells) for row in rows[:SHOWN]), default=0)


def _told_in_one(rows: Sequence[Row], told: Callable[[str], object], first: int = 0) -> tuple[int, list[str]]:
    """Return the first column, from one on, of which most texts below its heading tell something, and those, or -1."""
    for at in range(first, _width(rows)):
        texts = [text for row in rows[1:SHOWN] if (text := row.cell(at))]
        some = list(filter(told, texts))
        if some and len(some) >= MOST * len(texts):
            return at, some
    return -1, []


def _put(
    rows: Sequence[Row], at: int, headings: Sequence[str], told: Callable[[str], Sequence[str]], whole: int = 0
) -> list[Row]:
    """Return rows with cells in place of one: the headings in the first row, then what its text tells.

    A text that tells nothing stands in the one of the new cells that is numbered `whole`.
    """
    found: list[Row] = []
    for row in rows:
        cells = row.padded(at + 1)
        new = told(cells[at].strip()) or ([*[""] * whole, cells[at]] if found else headings)
        new = [*new, *[""] * (len(headings) - len(new))]
        found.append(row._replace(cells=[*cells[:at], *new, *cells[at + 1 :]]))
    return found


# --- days and rounds as headings


def _headed(rows: Sequence[Row], day: Callable[[str], str], at: int, roles: Mapping[str, int]) -> Arranged:
    """Return games with the days and rounds that stand as headings above them."""
    if "date" in roles or (at < 0 and any(kind_of(column_of(rows[:SHOWN], i)) == "date" for i in range(_width(rows)))):
        return rows, []
    widths = sorted(len(row.filled) for row in rows[:SHOWN])
    usual = widths[-(-len(widths) * 2 // 3) - 1] if widths else 0
    found: list[Row] = []
    said: tuple[str, str] = ("", "")
    count, used = 0, False
    for place, row in enumerate(rows):
        told = None
        if len(filled := row.filled) < min(usual, LEAST_COLUMNS) and not row.fault:
            text = " ".join(map(day, filled))
            # Above all games may stand the day when the list was made.
            told = above(text) or (
                Above(one, "") if place > at and (one := day_in(text)) and not game_of(text.replace(one, " ")) else None
            )
        if place < at and told is None and not row.fault:  # Datum: 07.11.2025, among the teams of a match
            told = next((one for one in map(above, map(day, filled)) if one is not None and one.day), None)
        if told is not None:
            said, count = (told.day or (said[0] if not told.round else ""), told.round), count + 1
            if place != at:
                continue
        more = ["Date", "Round"] if place == at else list(said)
        used |= place != at and said[0] != ""
        found.append(row.holding([*row.cells, *more]))
    if not used:
        return rows, []
    if count == 1:
        return found, ["the day in the heading above the games counts for them"]
    return found, [f"the days of {count} headings count for the games below each"]


def dated(rows: Sequence[Row]) -> Arranged:
    """Return rows with the years that a title above the headings tells of days without one."""
    return _dated(rows, *_header(rows))


def _dated(rows: Sequence[Row], at: int, roles: Mapping[str, int]) -> Arranged:
    headers = rows[at].cells if at > 0 else []
    column = roles.get("date", next((i for i, one in enumerate(headers) if role_of(one) == "date"), -1))
    return with_years(rows, at, column) if headers and column >= 0 else (rows, [])


def _filled_down(rows: Sequence[Row], day: Callable[[str], str], at: int, roles: Mapping[str, int]) -> Arranged:
    """Return rows with the day, and the round, that stand on the first of several games alone."""
    if at < 0 and rows:  # a score sheet
        at = likely_header(rows[:PREAMBLE])
    if "date" not in roles and rows:
        free = [
            i
            for i in range(len(rows[at].cells))
            if i not in roles.values() and any(column_of(rows[at + 1 :][:SHOWN], i))
        ]
        roles = {**roles, "date": next((i for i in free if is_days_at(i, rows[at + 1 :])), -1)}
    named_sides = [i for _, i in _sides(roles)]  # neither of which a second row of headings or a sum has
    notes: list[str] = []
    for role, what in (("date", "day"), ("round", "round")):
        column = roles.get(role, -1)
        games = [row for row in rows[at + 1 :] if not (row.fault or is_of_totals(row)) and len(row.filled) > 1]
        games = [row for row in games if column < len(row.cells) and all(row.cell(i) for i in named_sides)]
        games = [row for row, full in zip(games, are_full([row.cells for row in games]), strict=True) if full]
        games = list(dropwhile(lambda row: tells_no_number(row.cells), games))
        texts = [row.cells[column].strip() for row in games] if column >= 0 else []
        some = [text for text in texts if text]
        # Who writes the day on each game leaves it open where it is missing; a cell over two rows is read as both.
        again = sum(one == other for one, other in pairwise(some)) >= len(texts) - len(some)
        if len(some) < 2 or len(some) == len(texts) or again or not texts[0]:
            continue
        if role == "date" and not all(is_date(day(text)) for text in some):
            continue
        told: dict[int, str] = {}
        last = ""
        for row, text in zip(games, texts, strict=True):
            told[row.line] = last = text or last
        rows = [row.put(column, told[row.line]) if row.line in told else row for row in rows]
        lines = [row.line for row, text in zip(games, texts, strict=True) if not text]
        where = f"row {lines[0]}" if len(lines) == 1 else f"{len(lines)} rows, the first row {lines[0]}"
        notes.append(f"the {what} stands on the first of its games alone and counts for those below it ({where})")
    return rows, notes


def _without_sums(rows: Sequence[Row], at: int, roles: Mapping[str, int]) -> Arranged:
    """Return rows of which those are at fault that say how many points the games below each have together.

    They leave a column empty that the games fill, as that of the boards in a match of two teams.
    """
    if at < 0 or "score" not in roles:
        return rows, []
    body = [row for row in rows[at + 1 :] if not row.fault and roles["score"] < len(row.cells) and len(row.filled) > 2]
    points = [outcome(row.cells[roles["score"]]).points for row in body]
    for column in set(range(len(rows[at].cells))) - {*roles.values()}:
        empty = [i for i, row in enumerate(body) if not "".join(row.cells[column : column + 1]).strip()]
        parts = [points[one:other] for one, other in pairwise([*empty, len(body)])]
        if not empty or empty[0] or not all(len(part) > 2 and all(part) for part in parts):
            continue
        if all(part[0] == tuple(map(sum, zip(*part[1:], strict=True))) for part in parts):
            lines = {body[i].line for i in empty}
            told = [row._replace(fault="the sum of the games below it") if row.line in lines else row for row in rows]
            return told, [f"{len(lines)} rows say what the games below them come to, and are none"]
    return rows, []


def _points(cell: str) -> tuple[float, ...]:
    return outcome(cell.strip()).points or ()


def _of_teams(rows: Sequence[Row]) -> Arranged:
    """Return the boards of matches of two teams, above each of which stand the teams, words and what the match ended.

    `Board | Reds | Rating | Blues | Rating | 2½:3½` has words over columns of numbers, and is no game.
    """
    columns = [list(filter(str.strip, column_of(rows[:SHOWN], at))) for at in range(_width(rows))]
    numbers = [
        at
        for at, some in enumerate(columns)
        if 2 * sum(is_number(one.strip()) or is_date(one) for one in some) > len(some)
    ]

    def is_worded(row: Row, at: Sequence[int]) -> bool:
        told = [row.cell(one) for one in at]
        return not row.fault and all(any(map(str.isalpha, cell)) and not is_date(cell) for cell in told)

    if not numbers or not any(is_worded(row, numbers) and any(map(_points, row.cells)) for row in rows):
        return rows, []
    names = [at for at, some in enumerate(columns) if kind_of(some) == "name"]
    results = [at for at, some in enumerate(columns) if 2 * sum(map(bool, map(_points, some))) > len(some)]
    if len(results) != 1 or len(names) != 2:
        return rows, []

    def ended(row: Row) -> tuple[float, ...]:
        return _points(row.cell(results[0])) if is_worded(row, [*names, *numbers]) else ()

    starts = [place for place, row in enumerate(rows) if ended(row)]
    parts = [rows[one + 1 : other] for one, other in pairwise([*starts, len(rows)])]
    boards = [sum(1 for row in part if all(row.cell(at) for at in (*names, *results))) for part in parts]
    adds_up = boards == [sum(ended(rows[place])) for place in starts]
    heads = list(rows[starts[0]].cells) if starts else []
    known = any(word in WORDS for at in numbers if heads for word in words_of(heads[at]))  # DWZ, Elo; but not unrated
    if not starts or min(boards) < 2 or not (adds_up or (known and len(numbers) > 1)):
        return rows, []
    rated = [at for at in numbers if any("rating" in WORDS.get(word, ()) for word in words_of(heads[at]))]
    for role, at in zip(SIDES, (*names, *results), strict=True):
        heads[at] = role
    for side, at in zip(SIDES[:2], rated if len(rated) == 2 else (), strict=False):
        heads[at] = f"{side} rating"
    said = rows[starts[0]]
    found = [row._replace(fault=OF_TEAMS) if place in starts[1:] else row for place, row in enumerate(rows)]
    for place in starts:  # League, round 4, 18.1.2026
        above_it = rows[place - 1] if place else said
        if not all(above_it.cell(at) for at in names) and (day := day_in(" ".join(above_it.filled))):
            found[place - 1] = above_it._replace(cells=[day])
    found[starts[0]] = said._replace(cells=heads)
    teams = " – ".join(repr(said.cell(at)) for at in names)
    return found, [
        f"row {said.line} is the heading of a match of two teams, {teams}: the boards below it are the games"
    ]


# --- names with something beside them


def _sides(roles: Mapping[str, int]) -> list[tuple[str, int]]:
    if {"white", "black"} <= roles.keys():
        return [(side, roles[side]) for side in ("white", "black")]
    if "opponent" in roles:
        return [("opponent", roles["opponent"])]
    return [(side, roles[side]) for side in ("winner", "loser") if side in roles]


def _without_ratings(rows: Sequence[Row], at: int, roles: Mapping[str, int]) -> Arranged:
    """Return rows with the ratings that stand in brackets behind the names in columns of their own."""
    sides = _sides(roles)
    body = [row for row in rows[at + 1 :][:SHOWN] if not row.fault]
    names = [row.cells[i] for row in body for _, i in sides if i < len(row.cells)]
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
        cells = row.padded(width)
        more = [f"{side} elo" for side, _ in sides] if not place else []
        for _, column in sides if place and not row.fault else []:
            match = RATED.fullmatch(cells[column].strip())
            cells[column] = match[1].strip() if match else cells[column]
            more.append(match[2] if match else "")
        found.append(row.holding([*cells, *more]))
    return found, ["the numbers in brackets behind the names were read as the players' ratings"]


def _without_grades(rows: Sequence[Row], at: int, roles: Mapping[str, int]) -> Arranged:
    """Return rows without the grades behind most names, as `9k` and `1 dan` of Go, which a player loses by the next.

    So are places in brackets, as `Ann (7)`, where one player has several.
    """
    columns = [column for _, column in _sides(roles)]
    body = [row for row in rows[at + 1 :] if not row.fault]
    names = [row.cells[i].strip() for row in body for i in columns if i < len(row.cells) and row.cells[i].strip()]
    for pattern in (GRADED, PLACED):
        graded = {name: match[1] for name in names if (match := pattern.fullmatch(name))}
        several = pattern is GRADED or len(graded) > len(set(map(identity, graded.values())))
        if several and names and sum(name in graded for name in names) >= MOST * len(names):
            break
    else:
        return rows, []
    found = [
        row._replace(
            cells=[pattern.sub(r"\1", cell.strip()) if i in columns else cell for i, cell in enumerate(row.cells)]
        )
        if place > at and not row.fault
        else row
        for place, row in enumerate(rows)
    ]
    what = "grades" if pattern is GRADED else "places in brackets"
    return found, [f"the {what} behind the names were left out, as in {next(iter(graded))!r}"]


def _without_titles(rows: Sequence[Row], at: int, roles: Mapping[str, int]) -> Arranged:
    """Return rows without the titles before those names that stand without them, or with another one, too."""
    columns = [column for _, column in _sides(roles)]
    forms: dict[str, dict[str, str]] = {}
    for row in rows[at + 1 :]:
        for column in columns if not row.fault else []:
            name = clean_name(row.cell(column))
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
        found.append(row.holding(cells))
    return found, [f"titles were left out of the names, some of which also stand without them: {listed(titled[:3])}"]
