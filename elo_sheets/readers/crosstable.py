"""Crosstables as organisers publish them: a player a row, a round a column, in which `12b½` stands for a game.

A cell names the opponent's number, the colour (w, b, s for Schwarz, z for zwart) and the result, in this order or as
`w12=`; `-1`, `-½`, `bye`, `+` and `-` are rounds without a game. Wall charts have the result first, as `112w`, or by a
letter as those of US Chess, `W 12`, and the colours perhaps in a second row.
What the numbers are is found by who refers back to whom: No.
where the table is in the order of the starting ranks, Rk. where it is in that of the ranking. Both players' rows hold a
game; where they disagree it is kept out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.readers._across import ABSENT
from elo_sheets.readers._layout import Row, Table
from elo_sheets.readers._pairings import FIRST_DAY, Entry, Player, added, read_rounds, told_apart
from elo_sheets.readers._people import people_columns, person, with_title
from elo_sheets.readers._registry import How
from elo_sheets.readers._said import BYES as FREE_WORDS
from elo_sheets.readers._text import Reading
from elo_sheets.readers.matrix import matrix_of, read_matrix

DEEPEST = 50  # rows that are looked at for the header
ENOUGH = 0.6  # of the cells of a round must read as such

ROUND = re.compile(
    r"(?:round|runde|ronda|rodada|ronde|rde?|r|t|wk|week|woche|avond)?\W*(\d{1,2})\W*(?:rd|round|runde|ronda|ronde|r)?\W*",
    re.I,
)
RESULT = r"[10½=+\-]|1/2|0[.,]5|[.,]5|1[.,]0|0[.,]0|"
NUMBER_FIRST = re.compile(rf"(?P<number>\d{{1,4}})\s*(?P<colour>[wbsz])?\s*(?P<result>{RESULT})\s*[kf]?", re.I)
COLOUR_FIRST = re.compile(rf"(?P<colour>[wbsz])\s*(?P<number>\d{{1,4}})\s*[/:]?\s*(?P<result>{RESULT})\s*[kf]?", re.I)
SIGN_FIRST = re.compile(r"(?P<result>[+=\-])\s*(?P<colour>[wbsz])?\s*(?P<number>\d{1,4})", re.I)
RESULT_FIRST = re.compile(r"(?P<result>[10½=+\-])\s*(?P<number>\d{1,3})\s*(?P<colour>[wbsz])", re.I)
LETTER_FIRST = re.compile(r"(?P<result>[wldnrxfbhuz])\W*(?P<number>\d{0,3})\W*(?P<colour>[wb])?\W*", re.I)
LETTERS = {"w": "1", "l": "0", "d": "=", "r": "=", "n": "=", "x": "+", "f": "-", "b": "U", "h": "H", "u": "Z", "z": "Z"}
SIGNED = re.compile(r"[+=]\s*[wbsz]?\d", re.I)
ALONE = re.compile(r"(?:-+|–|—|0+)?\s*(?P<result>1|½|=|1/2|0[.,]5|[.,]5|\+|0|-|)", re.I)

# The same results as a tournament report writes them.
CODES = {"½": "=", "1/2": "=", "0.5": "=", "0,5": "=", ".5": "=", ",5": "=", "1.0": "1", "1,0": "1", "0.0": "0"}
CODES |= {"0,0": "0"}
WITHOUT_GAME = {"1": "U", "=": "H", "0": "Z", "": "Z", "+": "+", "-": "-"}
BYES = (
    dict.fromkeys(FREE_WORDS, "U")
    | {"fpb": "F", "hpb": "H", "zpb": "Z"}
    | dict.fromkeys((word for word in ABSENT if len(word) > 2), "Z")
)
COLOURS = {"w": "w", "b": "b", "s": "b", "z": "b", "": ""}


@dataclass(frozen=True)
class Cross:
    """Where the header of a crosstable stands among the rows, its columns, and those of the rounds by number."""

    header: int
    headers: Sequence[str]
    columns: Mapping[str, int]
    rounds: Mapping[int, int]
    way: Callable[[str], Entry | None]


def is_crosstable(rows: Sequence[Row]) -> bool:
    """Tell whether a table that begins with these rows is a crosstable, by rounds or of all against all.

    >>> table = [["No.", "Name", "1.Rd", "2.Rd"], ["1", "Ann", "2w1", "-½"], ["2", "Bob", "1b0", "-0"]]
    >>> is_crosstable([Row(line, cells) for line, cells in enumerate(table, 1)])
    True
    """
    return _cross(rows) is not None or matrix_of(rows) is not None


def _cross(rows: Sequence[Row]) -> Cross | None:
    for at, row in enumerate(rows[:DEEPEST]):
        columns = people_columns(row.cells)
        heads = [cell.strip() for cell in row.cells]
        if "name" in columns and at + 1 < len(rows) and len(set(heads)) < len(heads):  # Round | Round above 1 | 2
            under = rows[at + 1].cells
            heads = [f"{head} {under[i].strip() if i < len(under) else ''}" for i, head in enumerate(heads)]
        found = {int(match[1]): i for i, cell in enumerate(heads) if (match := ROUND.fullmatch(cell.strip()))}
        if not found or "name" not in columns:
            continue
        below = [[other.cells[i] for i in found.values() if i < len(other.cells)] for other in rows[at + 1 :]]
        cells = [cell.strip() for some in below for cell in some if cell.strip()]
        ways: tuple[Callable[[str], Entry | None], ...] = (
            partial(_entry, signed=any(SIGNED.match(cell) for cell in cells)),
            _result_first,
            _letter_first,
        )
        way = max(ways, key=lambda one: sum(_tells(one(cell)) for cell in cells))
        entries = [(cell, entry) for cell in cells if (entry := way(cell)) is not None]
        games = [cell for cell, entry in entries if entry.opponent > 0 and not cell.isdecimal()]
        if games and len(entries) >= ENOUGH * len(cells) and 2 * len(games) >= len(cells) * ENOUGH:
            return Cross(at, [cell.strip() for cell in row.cells], columns, found, way)
    return None


def _tells(entry: Entry | None) -> bool:
    return entry is not None and entry.opponent > 0 and entry.result != ""


def _result_first(text: str) -> Entry | None:
    """Return what a cell says of a round whose result stands first: `112w`, `½5b`, `+7w`."""
    if found := RESULT_FIRST.fullmatch(" ".join(text.split())):
        code = CODES.get(found["result"], found["result"])
        return Entry(int(found["number"]), COLOURS[found["colour"].casefold()], code, text)
    return _entry(text)


def _letter_first(text: str) -> Entry | None:
    """Return what a cell says of a round by the letter in front: `W 12`, `L5b`, `H---`, `X  3`."""
    found = LETTER_FIRST.fullmatch(" ".join(text.split()))
    if found is None:
        return None
    code = LETTERS[found["result"].casefold()]
    if bool(found["number"]) == (code in "UHZ"):
        return Entry(0, "", "Z", text) if not found["number"] else None
    return Entry(int(found["number"] or 0), COLOURS[(found["colour"] or "").casefold()], code, text)


def _entry(text: str, signed: bool = False) -> Entry | None:
    """Return what a cell says of a round, None where it is no such cell; `signed` tables write -1 for a loss to 1.

    >>> _entry("12b½").result, _entry("-0").result
    ('=', 'Z')
    """
    bare = " ".join(text.split()).casefold()
    if bare in BYES:
        return Entry(0, "", BYES[bare], text)
    for form in (NUMBER_FIRST, COLOUR_FIRST, SIGN_FIRST):
        found = form.fullmatch(bare)
        if found is None or bare in ("1", "0") or (bare[0] == "-" and not signed):
            continue
        code, number = CODES.get(found["result"], found["result"]), int(found["number"])
        return Entry(number, COLOURS[found["colour"] or ""], code if number else WITHOUT_GAME[code], text)
    if found := ALONE.fullmatch(bare):
        code = CODES.get(found["result"], found["result"])
        return Entry(0, "", "-" if bare == "-" else WITHOUT_GAME[code], text)
    return None


def read_crosstable(table: Table, how: How) -> Reading:
    """Return the games of a crosstable, the problems and who takes part; `table.said` may have event and date."""
    if _cross(table.rows) is None and (found := matrix_of(table.rows)) is not None:
        if how.lowest_wins:
            raise UsageError(f"--lowest-wins is for rows of games, got a table of all against all ({table.name})")
        return read_matrix(found, table, how)
    return _read(table, how, False)


def open_pairings(table: Table, how: How) -> Reading:
    """Return the pairings of a crosstable by rounds without a result, as draws."""
    if _cross(table.rows) is None and matrix_of(table.rows) is not None:
        return Reading()
    return added(_read(table, how, False), _read(table, how, True))


def _read(table: Table, how: How, drawn: bool) -> Reading:
    cross = _cross(table.rows)
    if cross is None:
        raise UnreadableInput(f"expected a crosstable with a column for each round ({table.name})")
    reading = Reading(notes=list(table.notes))
    rows = list(_player_rows(table.rows[cross.header + 1 :], cross))
    entries = [_entries(row, cross, drawn) for row in rows]
    numbers = _numbers(rows, entries)
    signs = any(e.result in ("1", "0") for some in entries for e in some.values() if e.opponent > 0)
    players: dict[int, Player] = {}
    entrants = {}
    columns = with_title(cross.columns, rows)
    for row, number, rounds in zip(rows, numbers, entries, strict=True):
        entrants[number] = said = person(row, columns, reading)
        played = rounds if signs else {at: _as_played(entry) for at, entry in rounds.items()}
        players[number] = Player(row.line, said["name"], said["rating"], played)
    players = told_apart(players, reading)
    day = table.said.get("date")
    days: dict[int, datetime] = {FIRST_DAY: day} if isinstance(day, datetime) else {}
    read_rounds(players, days, {"event": table.said.get("event") or ""}, reading, table.name, how.keep_names)
    reading.entrants = [entrants[number] | {"name": players[number].name} for number in sorted(players)]
    reading.tournament = {"place": table.said.get("place"), "arbiter": None, "last_day": table.said.get("last_day")}
    if reading.kept and not days:
        reading.notes.append("a crosstable without a date: the games are in the order of the rounds")
    return reading


def _as_played(entry: Entry) -> Entry:
    """Return an entry of a table that writes + and - for games won and lost, and so nothing for forfeits."""
    return entry._replace(result={"+": "1", "-": "0"}.get(entry.result, entry.result)) if entry.opponent > 0 else entry


def _player_rows(rows: Sequence[Row], cross: Cross) -> Iterator[Row]:
    """Yield the rows that say something of a round, without repeated headers; the colours in a row below count."""
    last: Row | None = None
    for row in rows:
        cells = {number: row.cells[at].strip() for number, at in cross.rounds.items() if at < len(row.cells)}
        heads = (
            cross.headers[cross.rounds[number]] in (cell, "") or cell == str(number) for number, cell in cells.items()
        )
        if not any(cells.values()) or all(heads):
            continue
        if last is not None and all(cell.casefold() in COLOURS for cell in cells.values()):
            texts = {cross.rounds[number]: cell for number, cell in cells.items()}
            row = last._replace(cells=[f"{cell} {texts.get(at, '')}".strip() for at, cell in enumerate(last.cells)])
            last = None
        else:
            held, last = last, row
            if held is None:
                continue
            row = held
        yield row
    if last is not None:
        yield last


def _entries(row: Row, cross: Cross, drawn: bool) -> dict[int, Entry]:
    found = {}
    for number, at in cross.rounds.items():
        text = row.cell(at)
        if not text:
            continue
        entry = cross.way(text) or Entry(-1, "", "", text)
        found[number] = entry._replace(result="=") if drawn and entry.opponent > 0 and not entry.result else entry
    return found


def _numbers(rows: Sequence[Row], entries: Sequence[Mapping[int, Entry]]) -> list[int]:
    """Return the number of each player: of the columns of numbers, and the order, the one that most games confirm."""
    width = max((len(row.cells) for row in rows), default=0)
    columns = [[row.cell(at).rstrip(".") for row in rows] for at in range(width)]
    order = list(range(1, len(rows) + 1))
    choices = [list(map(int, some)) for some in columns if all(c.isdecimal() and len(c) < 5 for c in some)] + [order]

    def confirmed(numbers: list[int]) -> int:
        known = dict(zip(numbers, entries, strict=True))
        return sum(
            known.get(entry.opponent, {}).get(at, entry).opponent == number and entry.opponent != number
            for number, some in zip(numbers, entries, strict=True)
            for at, entry in some.items()
            if entry.opponent in known
        )

    return max((some for some in choices if len(set(some)) == len(some)), key=confirmed, default=order)
