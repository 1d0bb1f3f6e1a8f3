"""What one row of delimited text means: a record of the games table, or the reason why it is none."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from elo_sheets.games import OTHER
from elo_sheets.readers._contents import BLACK_WORDS, NOTHING, WHITE_WORDS, in_words
from elo_sheets.readers._dates import is_partial, read_clock
from elo_sheets.readers._headings import BLACK, WHITE
from elo_sheets.readers._layout import SCORE_TEXT, Layout, Row
from elo_sheets.readers._results import (
    BYE,
    DOUBLE_ZERO,
    FORFEIT,
    NOT_PLAYED,
    STATES,
    UNFINISHED,
    UNKNOWN,
    Outcome,
    compared,
    fewest,
    number,
    outcome,
)
from elo_sheets.readers._said import said
from elo_sheets.readers._text import YES_NO, Reading, Record, clean_name, identity, missing_player, read_rating, words
from elo_sheets.readers._twice import server_link
from elo_sheets.readers._words import plain, table

FLAGS = ("neutral", "knockout")
NUMBERS = ("weight", "handicap", "komi")
PLAIN_NUMBER = re.compile(r"-?\d{1,9}(?:[.,]\d{1,9})?")

CHESS_COLOURS = WHITE | BLACK | words("w weiß b белые чёрные")
TOTALS = frozenset(table("rankings")["totals"])

OF_A_GAME = {"date", "white", "black", "winner", "loser", "owner", "opponent", "score", "white_points", "black_points"}
SHORT, LONG = "fewer fields than the header", "more fields than the header"
REPEATED = "header repeated"
TOTAL_LINE = "a line of totals"
VOID = "marked as one that does not count"
BETWEEN = "a heading, a remark or a number between the games"


class RefusedError(Exception):
    """A row that is kept out: the role, its text and the reason."""

    def __init__(self, role: str, value: str, reason: str) -> None:
        super().__init__(reason)
        self.role, self.value, self.reason = role, value, reason


TEXTS = ("pool", "event", "round", "season", "time_control", "eco", "opening", "termination", "origin")
BLANK_TEXT = frozenset({"", "?", "-", "na", "n/a", "nan", "none", "null"})


@dataclass
class Columns:
    """The layout of a file and what its columns' distinct values were found to mean."""

    layout: Layout
    results: Mapping[str, Outcome]
    names: bool
    days: Mapping[str, datetime | str | None]
    player: str | None
    keep_names: Set[str]
    reading: Reading
    # Where the number or link of a game stands, and the columns without a role, which may tell games apart too.
    telling: Mapping[str, int]
    lowest_wins: bool = False
    none_played: bool = False  # whether points of 0 to 0 are those of no game

    def compared(self, points: tuple[float, float]) -> Outcome:
        """Return the outcome of two sides' points."""
        return compared(*points) if not self.lowest_wins else fewest(compared(*points))

    @cached_property
    def winner_first(self) -> bool:
        """Whether all scores are written from the winner's side, as where `Winner, Score` say Ben, 11-7."""
        return all(one.score != 0 for key, one in self.results.items() if key.startswith("score\0"))


def shown(cells: Sequence[str]) -> str:
    text = ",".join(cells)
    return text if len(text) <= 60 else text[:59] + "…"


def _void(text: str) -> str:
    """Return why a row does not count that says since when, by whom or just that it is deleted; nothing for another."""
    is_not = text.casefold() in BLANK_TEXT or YES_NO.get(text.casefold()) is False or not text.strip("0-:. tTzZ")
    return "" if is_not else VOID


def _status(text: str) -> str:
    reason = "" if text.casefold() in BLANK_TEXT else outcome(text).reason
    return reason if reason in (UNFINISHED, FORFEIT, BYE) else ""


# Columns that say whether a game was played and counts: why it does not, or nothing.
PLAYED: dict[str, Callable[[str], str]] = {
    "rated": lambda text: "not a rated game" if YES_NO.get(text.casefold()) is False else "",
    "void": _void,
    "played": lambda text: UNFINISHED if YES_NO.get(text.casefold()) is False else "",
    "forfeit": lambda text: FORFEIT if YES_NO.get(text.casefold()) else _status(text),
    "status": lambda text: UNFINISHED if plain(text) in STATES else _status(text),
    "remarks": lambda text: _status(bare) if _is_name(bare := text.partition("(")[0]) and len(bare.split()) < 3 else "",
    "aside": lambda text: _status(text) if text.casefold() in NOT_PLAYED else "",  # where no heading says so
}


def _is_name(text: str) -> bool:
    return any(map(str.isalpha, text))


def fitted(row: Row, layout: Layout) -> Row:
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
    # Empty fields at the end may be left away, but for what says who played when and how it ended.
    if len(cells) < 1 + max((at for role, at in layout.roles.items() if role in OF_A_GAME), default=0):
        return row._replace(fault=f"{SHORT}: {len(cells)} instead of {width}")
    if any(cell.strip() for cell in cells[width:]):
        return row._replace(fault=f"{LONG}: {len(cells)} instead of {width}")
    return row._replace(cells=(cells + [""] * width)[:width])


def record_of(row: Row, columns: Columns) -> Record:
    """Return a row as a record of the games table; raises `RefusedError`."""
    layout = columns.layout

    def cell(role: str) -> str:
        index = layout.roles.get(role)
        return row.cells[index].strip() if index is not None else ""

    def name(role: str) -> str:
        text = columns.player or "" if role == "owner" and "owner" not in layout.roles else cell(role)
        cleaned = clean_name(text)
        if reason := missing_player(cleaned, columns.keep_names):
            raise RefusedError(role, text, reason)
        return cleaned

    first, second = sides(layout)
    if len(row.cells) > 2 and len({text for one in row.cells if (text := one.strip())}) == 1 and cell(second):
        raise RefusedError("", shown(row.cells), BETWEEN)
    if not (cell(first) and cell(second)) and (reason := _aside(row.cells, cell(first) or cell(second))):
        raise RefusedError("", shown(row.cells), reason)
    white, black = name(first), name(second)
    if identity(white) == identity(black):
        raise RefusedError(second, black, f"a game against oneself: the other side is {white!r} too")
    for role in PLAYED.keys() & layout.roles.keys():
        if reason := PLAYED[role](cell(role)):
            raise RefusedError(role, cell(role), reason)
    result, turned = scored(columns, cell, white, black)
    ratings = _ratings(row, columns, cell, turned)
    if turned:
        white, black = black, white
    record: Record = {"date": _date(columns, cell, row.line), "white": white, "black": black, "score": result.score}
    if result.points is not None:
        record["white_points"], record["black_points"] = result.points
    if result.shootout:
        record["shootout"] = result.shootout
    record |= ratings
    texts = {role: " ".join(cell(role).split()) for role in TEXTS if role in layout.roles}
    record |= {role: text for role, text in texts.items() if text.casefold() not in BLANK_TEXT}
    record |= {role: " ".join(cell(role).split()) for role in layout.roles if role.startswith(OTHER)}
    record |= _telling(row, columns)
    for role in FLAGS:
        flag = cell(role).casefold()
        if flag in YES_NO:
            record[role] = YES_NO[flag]
        elif flag not in BLANK_TEXT:
            columns.reading.remark(role, f"{flag!r} in row {row.line}")
    for role in NUMBERS:
        if role in layout.roles and (text := cell(role)).casefold() not in BLANK_TEXT:
            if PLAIN_NUMBER.fullmatch(text):
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


def _aside(cells: Sequence[str], named: str) -> str:
    """Return why a row that names one side or none is none of a game, nothing for a row that may be one."""
    filled = [text for cell in cells if (text := cell.strip())]
    if any(plain(re.split(r"[\W\d_]+", text)[0]) in TOTALS for text in (named, *filled[:1])):
        return TOTAL_LINE
    is_told = any(sign.isdigit() for text in filled for sign in text)  # W | L, a second row of headings, tells nothing
    return BETWEEN if not named and (len(filled) == 1 or not is_told) else ""


def _telling(row: Row, columns: Columns) -> Record:
    """Return what else of a row tells games apart: its number or link, the columns without a role."""
    texts = {name: told_text(name, row.cells[at]) for name, at in columns.telling.items()}
    return {name: text for name, text in texts.items() if text}


def told_text(name: str, text: str) -> str:
    """Return what a cell of a column that tells games apart says, nothing for nothing."""
    text = " ".join(text.split())
    if name != "link":
        return text
    return "" if text.casefold() in BLANK_TEXT else server_link(text) or text


def scored(columns: Columns, cell: Callable[[str], str], white: str, black: str) -> tuple[Outcome, bool]:
    """Return the result from White's side, and whether a journal's owner had Black.

    `white` and `black` are the sides as the row names them. Raises `RefusedError`.
    """
    layout = columns.layout
    result = result_of(columns, cell, white, black)
    turned = "opponent" in layout.roles and sides(layout)[0] == "owner" and cell("colour").casefold() in BLACK_WORDS
    if turned and not _from_whites_side(cell("score"), cell("colour"), result):
        assert result.score is not None
        points = result.points and (result.points[1], result.points[0])
        result = Outcome(1 - result.score, "", points, -result.shootout)
    return result, turned


def _shootout(text: str, white: str, black: str) -> float | None:
    """Return 1 where White won the shoot-out, -1 where Black did, 0 for none; None for what says neither."""
    if text in {"0", "1", "-1"}:
        return float(text)
    names = {identity(white): 1.0, identity(black): -1.0}
    word = text.casefold()
    known = 1.0 if word in WHITE_WORDS else (-1.0 if word in BLACK_WORDS else None)
    return names.get(identity(clean_name(text)), known)


def sides(layout: Layout) -> tuple[str, str]:
    if {"white", "black"} <= layout.roles.keys():
        return "white", "black"
    return ("owner", "opponent") if "opponent" in layout.roles else ("winner", "loser")


def together(layout: Layout) -> list[int]:
    """Return the columns that name players, which are read as one: those of both sides, or none."""
    found = {layout.roles[side] for side in sides(layout) if side in layout.roles}
    return sorted(found) if len(found) == 2 else []


def result_of(columns: Columns, cell: Callable[[str], str], white: str, black: str) -> Outcome:
    """Return the result on which what is printed, the points and the winner agree."""
    roles = columns.layout.roles
    won = sides(columns.layout)[0] == "winner"
    text = cell("score")
    if won:
        role, text = "draw", cell("draw")
        if outcome(text).reason == FORFEIT or (text and text.casefold() in NOT_PLAYED):
            raise RefusedError(role, text, outcome(text).reason)
        drawn = YES_NO.get(text.casefold(), text == "1/2" or said(text) == "½")
        printed: Outcome | None = Outcome(0.5 if drawn else 1.0)
        beside = columns.results.get(f"score\0{cell('score')}")
        told = {"", UNKNOWN} | ({UNFINISHED} if cell("score").casefold() not in NOT_PLAYED else set())
        if beside is not None and beside.reason not in told:
            raise RefusedError("score", cell("score"), beside.reason)
        if beside is not None and (beside.points or beside.shootout) and printed is not None:
            drawn = drawn or ("draw" not in roles and beside.score == 0.5)
            printed = Outcome(0.5 if drawn else 1.0, "", beside.points, beside.shootout)
            if beside.score != printed.score:
                raise RefusedError("score", cell("score"), f"the winner {white!r} and the score disagree")
    elif "score" in roles:
        role = "score"
        printed = _named_winner(columns.results[f"score\0{text}"], text, white, black, columns.names)
        if printed.reason == UNKNOWN and "winner" in roles and (who := cell("winner")):  # 3&2, 6-1 2-0 ret.
            named = _named_winner(columns.results[f"winner\0{who}"], who, white, black, columns.names)
            printed = named if named.score is not None else printed
    elif "winner" in roles:
        role, text = "winner", cell("winner")
        printed = _named_winner(columns.results[f"winner\0{text}"], text, white, black, columns.names)
    else:
        role, printed = "white_points", None
    points = _points(columns, cell, required=printed is None or (printed.score is None and text == ""))
    if printed is None or (points is not None and printed.score is None and text == ""):
        assert points is not None
        if columns.none_played and points == (0, 0):
            raise RefusedError("white_points", cell("white_points"), DOUBLE_ZERO)
        return columns.compared(points)
    if printed.score is None:
        raise RefusedError(role, text, printed.reason)
    if role == "score" and "winner" in roles and printed.score != 0.5:
        printed = _of_winner(columns, printed, cell("winner"), white, black)
    points = points or printed.points
    if points is not None and columns.compared(points).score != printed.score:
        first, second = (f"{value:g}" for value in points)
        raise RefusedError(
            role, text, f"the result disagrees with the points {first} and {second}; correct one of them"
        )
    return Outcome(printed.score, "", points, printed.shootout)


def _named_winner(result: Outcome, text: str, white: str, black: str, names: bool) -> Outcome:
    """Return the outcome when the result is the winner's name; a column of names puts names before words."""
    if result.score is not None and not names:
        return result
    if result.reason == UNKNOWN and not names and (told := in_words(text, white, black)) is not None:
        return told
    winner = identity(text)
    if winner and winner in (identity(white), identity(black)):
        return Outcome(float(winner == identity(white)))
    if names and result.score != 0.5 and result.reason in ("", UNKNOWN):
        return Outcome(None, f"expected the name of one of the two sides, {white!r} or {black!r}")
    return result


def _of_winner(columns: Columns, result: Outcome, winner: str, white: str, black: str) -> Outcome:
    """Return a result as the named winner has it: turned round where scores stand from his side."""
    won = {identity(white): 1.0, identity(black): 0.0}.get(identity(winner))
    won = columns.results.get(f"winner\0{winner}", result).score if won is None else won
    if won is None or won == result.score:
        return result
    if not columns.winner_first:
        raise RefusedError("winner", winner, "the winner and the score disagree; correct one of them")
    points = result.points and (result.points[1], result.points[0])
    return Outcome(won, "", points, -result.shootout)


def _points(columns: Columns, cell: Callable[[str], str], required: bool) -> tuple[float, float] | None:
    """Return both sides' points, None when the log has none."""
    roles = columns.layout.roles
    if not {"white_points", "black_points"} <= roles.keys():
        beside = columns.results.get(f"{SCORE_TEXT}\0{cell(SCORE_TEXT)}")
        if beside is not None and beside.score is None and beside.reason not in (UNKNOWN, UNFINISHED):
            raise RefusedError(SCORE_TEXT, cell(SCORE_TEXT), beside.reason)
        return beside.points if beside else None
    values = []
    for role in ("white_points", "black_points"):
        text = cell(role)
        if text.casefold() in NOTHING:
            if required:
                raise RefusedError(role, text, UNFINISHED)
            return None
        if not re.fullmatch(r"\d{1,9}(?:[.,]\d{1,9})?|\d{0,9}½", text):
            reason = outcome(text).reason
            expected = "expected points such as 3 or 2.5, none of them negative"
            raise RefusedError(role, text, reason if reason in (FORFEIT, BYE, UNFINISHED) else expected)
        values.append(number(text))
    return values[0], values[1]


def _from_whites_side(text: str, colour: str, result: Outcome) -> bool:
    """Tell whether a journal's result is printed as White's and Black's, as chess players write 0-1."""
    return colour.casefold() in CHESS_COLOURS and re.search(r"[-–—−:]", text.strip()[1:]) is not None


def _date(columns: Columns, cell: Callable[[str], str], line: int) -> datetime | None:
    text = cell("date")
    day = columns.days[text]
    if isinstance(day, str):
        raise RefusedError("date", text, day)
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


def _ratings(row: Row, columns: Columns, cell: Callable[[str], str], turned: bool) -> Record:
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
