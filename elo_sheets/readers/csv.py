"""Delimited text: one row a game, under headers in many languages, or none.

The whole file is read first, because its columns decide together what a single cell leaves open: the
delimiter, the encoding, which column is which, whether 2/1 is January or February, and what A means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO

from elo_sheets.errors import UnreadableInput
from elo_sheets.games import OTHER, Problem
from elo_sheets.readers._dates import Order, is_partial, order_of_column, read_clock, read_date
from elo_sheets.readers._layout import (
    SCORE_TEXT,
    Layout,
    Row,
    check_layout,
    delimiter_of,
    layout_of,
    plain,
    rows_of,
    start_of,
)
from elo_sheets.readers._results import UNFINISHED, UNKNOWN, Outcome, compared, number, outcome, outcomes
from elo_sheets.readers._text import (
    YES_NO,
    Reading,
    Record,
    clean_name,
    decode,
    identity,
    missing_player,
    read_rating,
    words,
)

FLAGS = ("neutral", "knockout")
NUMBERS = ("weight", "handicap", "komi")
LARGEST = 1 << 30
EVERY = 10_000

WHITE_WORDS = words("w white weiss weiß s- home h heim blanc blancas local 1 vs белые")
BLACK_WORDS = words("b black schwarz away a @ at gast noir negras visitante auswärts черные чёрные 2")
CHESS_COLOURS = words("w white weiss weiß b black schwarz blanc blancas noir negras белые черные чёрные")
CHESS_HEADERS = words("white weiss blancas blancs bianco brancas белые whiteplayer whitename playerwhite")
A_HEADERS = words("a playera teama")
TOTALS = words("total totals sum summe gesamt totale totaal itogo average mean grand subtotal")

SHORT, LONG = "fewer fields than the header", "more fields than the header"
REPEATED = "header repeated"
TOTAL_LINE = "a line of totals"


def read_csv(
    stream: BinaryIO,
    source: str,
    *,
    columns: Mapping[str, str] | None = None,
    dates: Order | None = None,
    encoding: str | None = None,
    player: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Reading:
    """Return the games of delimited text, one problem for each row kept out, and remarks.

    `columns` maps columns of the games table to headers, or to numbers from 1. `dates` says which of day,
    month and year comes first where the values cannot. `player` names the owner of a journal, which lists
    opponents only. Raises `UnreadableInput` where its owner has to decide, `UsageError` when `columns` names
    what there is not. Blank lines are not rows.
    """
    data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise UnreadableInput(f"expected at most 1 GiB of delimited text ({source}); split the file")
    text, notes = decode(data, encoding, source)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    first, delimiter = start_of(lines)
    delimiter = delimiter or delimiter_of(lines[first:], columns or {})
    start, layout = layout_of(lines, first, delimiter, columns or {}, source)
    reading = Reading(notes=notes)
    if start > first + layout.has_header:
        reading.notes.append(f"lines {first + 1} to {start - 1} stand before the header and were skipped")
    check_layout(layout, player, source)
    rows = list(rows_of(lines, start, delimiter))
    if not rows:
        reading.notes.append("no rows below the header")
    _read_rows(rows, layout, reading, source, dates, player, progress)
    if "date" not in layout.roles and reading.records:
        reading.notes.append("no column of dates: the games are in the order of the log")
    return reading


class _RefusedError(Exception):
    """A row that is kept out: the role, its text and the reason."""

    def __init__(self, role: str, value: str, reason: str) -> None:
        super().__init__(reason)
        self.role, self.value, self.reason = role, value, reason


TEXTS = ("pool", "event", "round", "season", "time_control", "eco", "opening", "termination")
BLANK_TEXT = frozenset({"", "?", "-", "na", "n/a", "nan", "none", "null"})


@dataclass
class _Columns:
    """The layout of a file and what its columns' distinct values were found to mean."""

    layout: Layout
    results: Mapping[str, Outcome]
    names: bool
    days: Mapping[str, datetime | str | None]
    player: str | None
    reading: Reading


def _read_rows(
    rows: Sequence[Row],
    layout: Layout,
    reading: Reading,
    source: str,
    dates: Order | None,
    player: str | None,
    progress: Callable[[int], None] | None,
) -> None:
    rows = [_fitted(row, layout) for row in rows]
    sound = [row for row in rows if not row.fault]
    columns = _Columns(
        layout,
        _result_column(sound, layout),
        _holds_names(sound, layout),
        _date_column(sound, layout, dates, source),
        player,
        reading,
    )
    for row in rows:
        if row.fault:
            reading.problems.append(Problem(source, row.line, "", _shown(row.cells), row.fault))
        else:
            try:
                record = _record(row, columns)
            except _RefusedError as refused:
                column = layout.name(refused.role) if refused.role in layout.roles else refused.role
                reading.problems.append(Problem(source, row.line, column, refused.value, refused.reason))
            else:
                record["source"], record["source_row"] = source, row.line
                reading.records.append(record)
        if progress is not None and reading.read % EVERY == 0:
            progress(reading.read)


def _shown(cells: Sequence[str]) -> str:
    text = ",".join(cells)
    return text if len(text) <= 60 else text[:59] + "…"


def _fitted(row: Row, layout: Layout) -> Row:
    """Return the row with one cell for each header, or with the fault that prevents it."""
    width = len(layout.headers)
    cells = row.cells
    if row.fault:
        return row
    if (
        layout.has_header
        and cells[0].strip() == layout.headers[0].strip()
        and [cell.strip() for cell in cells] == [header.strip() for header in layout.headers]
    ):
        return row._replace(fault=REPEATED)
    if plain(next(cell for cell in cells if cell.strip())).strip("0123456789") in TOTALS and (
        len(cells) < width or sum(1 for cell in cells if cell.strip()) <= width / 2
    ):
        return row._replace(fault=TOTAL_LINE)
    named = max((index for index, header in enumerate(layout.headers) if header.strip()), default=-1) + 1
    if len(cells) < named:
        return row._replace(fault=f"{SHORT}: {len(cells)} instead of {width}")
    if any(cell.strip() for cell in cells[width:]):
        return row._replace(fault=f"{LONG}: {len(cells)} instead of {width}")
    return row._replace(cells=(cells + [""] * width)[:width])


def _distinct(rows: Iterable[Row], index: int) -> dict[str, int]:
    first: dict[str, int] = {}
    for row in rows:
        first.setdefault(row.cells[index].strip(), row.line)
    return first


def _result_column(rows: Sequence[Row], layout: Layout) -> dict[str, Outcome]:
    """Return the meaning of every distinct result; a winner's name is no result yet."""
    read: dict[str, Outcome] = {}
    header = plain(layout.headers[layout.roles["white"]]) if layout.has_header and "white" in layout.roles else ""
    for role in (SCORE_TEXT, "winner", "score"):
        if role in layout.roles:
            read |= {
                f"{role}\0{text}": result
                for text, result in outcomes(
                    _distinct(rows, layout.roles[role]),
                    chess=header in CHESS_HEADERS,
                    a_and_b=header in A_HEADERS,
                    column=layout.name(role),
                ).items()
            }
    return read


def _date_column(
    rows: Sequence[Row], layout: Layout, dates: Order | None, source: str
) -> dict[str, datetime | str | None]:
    """Return the day of every distinct date, or the reason why it is none."""
    if "date" not in layout.roles:
        return {"": None}
    texts = _distinct(rows, layout.roles["date"])
    order = dates or order_of_column(layout.name("date"), texts, source)
    days: dict[str, datetime | str | None] = {}
    for text in texts:
        try:
            days[text] = read_date(text, order)
        except ValueError as error:
            days[text] = f"{error} (read as {dates})" if dates else str(error)
    return days


def _record(row: Row, columns: _Columns) -> Record:
    """Return a row as a record of the games table; raises `_RefusedError`."""
    layout = columns.layout

    def cell(role: str) -> str:
        index = layout.roles.get(role)
        return row.cells[index].strip() if index is not None else ""

    def name(role: str) -> str:
        text = columns.player or "" if role == "owner" and "owner" not in layout.roles else cell(role)
        cleaned = clean_name(text)
        if reason := missing_player(cleaned):
            raise _RefusedError(role, text, reason)
        return cleaned

    first, second = _sides(layout)
    white, black = name(first), name(second)
    if identity(white) == identity(black):
        raise _RefusedError(second, black, f"a game against oneself: the other side is {white!r} too")
    if "rated" in layout.roles and YES_NO.get(cell("rated").casefold()) is False:
        raise _RefusedError("rated", cell("rated"), "not a rated game")
    result = _result(columns, cell, white, black)
    turned = "opponent" in layout.roles and first == "owner" and cell("colour").casefold() in BLACK_WORDS
    ratings = _ratings(row, columns, cell, turned)
    score, points = result.score, result.points
    assert score is not None
    if turned:
        white, black = black, white
        if not _from_whites_side(cell("score"), cell("colour"), result):
            score, points = 1 - score, (points[1], points[0]) if points else None
    record: Record = {"date": _date(columns, cell, row.line), "white": white, "black": black, "score": score}
    if points is not None:
        record["white_points"], record["black_points"] = points
    record |= ratings
    texts = {role: " ".join(cell(role).split()) for role in TEXTS if role in layout.roles}
    record |= {role: text for role, text in texts.items() if text.casefold() not in BLANK_TEXT}
    record |= {role: " ".join(cell(role).split()) for role in layout.roles if role.startswith(OTHER)}
    for role in FLAGS:
        flag = cell(role).casefold()
        if flag in YES_NO:
            record[role] = YES_NO[flag]
        elif flag not in BLANK_TEXT:
            columns.reading.remark(role, f"{flag!r} in row {row.line}")
    for role in NUMBERS:
        if role in layout.roles and (text := cell(role)).casefold() not in BLANK_TEXT:
            if re.fullmatch(r"-?\d{1,9}(?:[.,]\d{1,9})?", text):
                record[role] = number(text)
            else:
                columns.reading.remark(role, f"{text!r} in row {row.line}")
    winner = cell("shootout")
    if winner.casefold() not in BLANK_TEXT:
        won = _shootout(winner, white, black)
        if won is None:
            columns.reading.remark("shootout", f"{winner!r} in row {row.line}")
        else:
            record["shootout"] = won
    return record


def _shootout(text: str, white: str, black: str) -> float | None:
    """Return 1 where White won the shoot-out, -1 where Black did, 0 for none; None for what says neither."""
    if text in {"0", "1", "-1"}:
        return float(text)
    sides = {identity(white): 1.0, identity(black): -1.0}
    word = text.casefold()
    known = 1.0 if word in WHITE_WORDS else (-1.0 if word in BLACK_WORDS else None)
    return sides.get(identity(clean_name(text)), known)


def _sides(layout: Layout) -> tuple[str, str]:
    if {"white", "black"} <= layout.roles.keys():
        return "white", "black"
    return ("owner", "opponent") if "opponent" in layout.roles else ("winner", "loser")


def _result(columns: _Columns, cell: Callable[[str], str], white: str, black: str) -> Outcome:
    """Return the result on which what is printed, the points and the winner agree."""
    roles = columns.layout.roles
    won = _sides(columns.layout)[0] == "winner"
    text = cell("score")
    if won:
        role, text = "draw", cell("draw")
        drawn = YES_NO.get(text.casefold(), text.casefold() in ("draw", "tie", "remis", "1/2"))
        printed: Outcome | None = Outcome(0.5 if drawn else 1.0)
        beside = columns.results.get(f"score\0{cell('score')}")
        if beside is not None and beside.reason not in ("", UNKNOWN, UNFINISHED):
            raise _RefusedError("score", cell("score"), beside.reason)
        if beside is not None and beside.points and printed is not None:
            drawn = drawn or ("draw" not in roles and beside.score == 0.5)
            printed = Outcome(0.5 if drawn else 1.0, points=beside.points)
            if beside.score != printed.score:
                raise _RefusedError("score", cell("score"), f"the winner {white!r} and the score disagree")
    elif "score" in roles:
        role = "score"
        printed = _named_winner(columns.results[f"score\0{text}"], text, white, black, columns.names)
    elif "winner" in roles:
        role, text = "winner", cell("winner")
        printed = _named_winner(columns.results[f"winner\0{text}"], text, white, black, columns.names)
    else:
        role, printed = "white_points", None
    points = _points(columns, cell, required=printed is None or (printed.score is None and text == ""))
    if printed is None or (points is not None and printed.score is None and text == ""):
        assert points is not None
        return compared(*points)
    if printed.score is None:
        raise _RefusedError(role, text, printed.reason)
    points = points or printed.points
    if points is not None and compared(*points).score != printed.score:
        first, second = (f"{value:g}" for value in points)
        raise _RefusedError(
            role, text, f"the result disagrees with the points {first} and {second}; correct one of them"
        )
    return Outcome(printed.score, points=points)


def _named_winner(result: Outcome, text: str, white: str, black: str, names: bool) -> Outcome:
    """Return the outcome when the result is the winner's name; a column of names puts names before words."""
    if result.score is not None and not names:
        return result
    winner = identity(text)
    if winner and winner in (identity(white), identity(black)):
        return Outcome(float(winner == identity(white)))
    if names and result.score != 0.5 and result.reason in ("", UNKNOWN):
        return Outcome(None, f"expected the name of one of the two sides, {white!r} or {black!r}")
    return result


def _holds_names(rows: Sequence[Row], layout: Layout) -> bool:
    """Tell whether the column of results names winners: each of its values is a player or a draw."""
    role = "score" if "score" in layout.roles else "winner"
    sides = [layout.roles[side] for side in _sides(layout) if side in layout.roles]
    if role not in layout.roles or "winner" in _sides(layout):
        return False
    if role == "winner":
        return True
    players = {identity(row.cells[index]) for row in rows for index in sides}
    decided = [
        text
        for text in _distinct(rows, layout.roles[role])
        if outcome(text).score != 0.5 and outcome(text).reason != UNFINISHED
    ]
    return bool(decided) and all(identity(text) in players for text in decided)


MISSING_POINTS = frozenset({"", "-", "?", "na", "n/a", "nan", "none", "null", "tbd"})


def _points(columns: _Columns, cell: Callable[[str], str], required: bool) -> tuple[float, float] | None:
    """Return both sides' points, None when the log has none."""
    roles = columns.layout.roles
    if not {"white_points", "black_points"} <= roles.keys():
        beside = columns.results.get(f"{SCORE_TEXT}\0{cell(SCORE_TEXT)}")
        if beside is not None and beside.score is None and beside.reason not in (UNKNOWN, UNFINISHED):
            raise _RefusedError(SCORE_TEXT, cell(SCORE_TEXT), beside.reason)
        return beside.points if beside else None
    values = []
    for role in ("white_points", "black_points"):
        text = cell(role)
        if text.casefold() in MISSING_POINTS:
            if required:
                raise _RefusedError(role, text, UNFINISHED)
            return None
        if not re.fullmatch(r"\d{1,9}(?:[.,]\d{1,9})?|\d{0,9}½", text):
            raise _RefusedError(role, text, "expected points such as 3 or 2.5, none of them negative")
        values.append(number(text))
    return values[0], values[1]


def _from_whites_side(text: str, colour: str, result: Outcome) -> bool:
    """Tell whether a journal's result is printed as White's and Black's, as chess players write 0-1."""
    return colour.casefold() in CHESS_COLOURS and re.search(r"[-–—−:]", text.strip()[1:]) is not None


def _date(columns: _Columns, cell: Callable[[str], str], line: int) -> datetime | None:
    text = cell("date")
    day = columns.days[text]
    if isinstance(day, str):
        raise _RefusedError("date", text, day)
    if day is None:
        if is_partial(text) and any(c.isdecimal() for c in text):
            columns.reading.remark("partial date", text)
        return None
    clock = read_clock(cell("time")) if "time" in columns.layout.roles and day.hour == day.minute == 0 else None
    return day if clock is None else day + clock


RATING_ROLES = ("white_rating", "black_rating", "white_rating_after", "black_rating_after")
JOURNAL_RATINGS = {
    "my_rating": ("white_rating", "black_rating"),
    "my_rating_after": ("white_rating_after", "black_rating_after"),
    "opponent_rating": ("black_rating", "white_rating"),
}


def _ratings(row: Row, columns: _Columns, cell: Callable[[str], str], turned: bool) -> Record:
    """Return the published ratings; a journal's owner and opponent get theirs by the colours they had."""
    ratings: Record = {}
    targets = {role: role for role in RATING_ROLES} | {role: two[turned] for role, two in JOURNAL_RATINGS.items()}
    for role, target in targets.items():
        if role not in columns.layout.roles:
            continue
        try:
            rating = read_rating(cell(role))
        except ValueError:
            columns.reading.remark("rating", f"{cell(role)!r} in row {row.line}, column {columns.layout.name(role)!r}")
            continue
        if rating is not None:
            ratings[target] = rating
    return ratings
