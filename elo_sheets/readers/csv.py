"""Delimited text: one row a game, under headers in many languages, or none.

The whole file is read first, because its columns decide together what a single cell leaves open: the
delimiter, the encoding, which column is which, whether 2/1 is January or February, and what A means.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import BinaryIO, NamedTuple

from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import COLUMNS, OTHER, Problem
from elo_sheets.readers._dates import Order, is_partial, order_of_column, read_clock, read_date
from elo_sheets.readers._results import UNFINISHED, UNKNOWN, Outcome, compared, number, outcome, outcomes
from elo_sheets.readers._text import (
    YES_NO,
    Reading,
    Record,
    clean_name,
    decode,
    did_you_mean,
    identity,
    missing_player,
    read_rating,
    words,
)

FLAGS = ("neutral", "knockout")
NUMBERS = ("weight", "handicap", "komi")
DELIMITERS = (",", ";", "\t", "|")
LONGEST_ROW, LONGEST_FIELD = 50, 10_000
LARGEST = 1 << 30
SAMPLE = 50
PREAMBLE = 10
EVERY = 10_000

# Header synonyms of every role, compared without case, accents, blanks and punctuation; earlier ones win.
SYNONYM_TABLE = """
    date: datum fecha data день дата gamedate matchdate dateutc utcdate datetime playedon
        tourneydate startdate enddate createdat
    time: uhrzeit kickoff kickofftime utctime hora heure ora starttime
    white: weiss weiß blancas blancs bianco brancas белые whiteplayer whitename playerwhite home hometeam
        teamhome heim heimteam heimmannschaft heimspieler heimverein
        local equipolocal domicile casa hosts player1 team1 playera
        teama name1 playerone p1 teamone side1 spieler1 spielera jugador1 joueur1 giocatore1 equipo1 a firstplayer
    black: schwarz negras noirs nero pretas черные blackplayer blackname playerblack away awayteam
        teamaway visitor visitors teamvisitor visitorteam visitingteam gast gastteam gastmannschaft
        gastspieler gastverein
        auswarts visitante equipovisitante exterieur ospite trasferta player2 team2 playerb teamb name2
        playertwo p2 teamtwo side2 spieler2 spielerb jugador2 joueur2 giocatore2 equipo2 b secondplayer
    owner: player team spieler jugador joueur name ich me
    opponent: opponentname opp gegner oponente rival adversaire avversario adversario opponents
        tegenstander
    colour: color farbe couleur colore cor venue homeaway ha side mycolour mycolor playedas
    score: result res result1 ftr outcome ergebnis resultat resultado risultato
        punkte результат uitslag wl wdl matchresult gameresult finalscore endergebnis marcador
    winner: winnername winningteam winningplayer sieger gewinner ganador vainqueur vincitore vencedor won
    loser: losername losingteam losingplayer verlierer perdedor perdant perdente lost
    draw: isdraw drawn tie istie remis
    white_points: homescore homegoals fthg hg scorehome homepoints pointshome goalshome score1 goals1
        points1 homepts ptshome heimtore scorea goalsa teamascore team1score player1score goleslocal
        homeft whitescore scorewhite ptsw winnerpoints winnerscore wscore wpts winnerpts
    black_points: awayscore awaygoals ftag ag scoreaway awaypoints pointsaway goalsaway score2 goals2
        points2 awaypts ptsaway visitorscore pointsvisitor scorevisitor gasttore scoreb goalsb teambscore
        team2score player2score golesvisitante awayft blackscore scoreblack ptsl loserpoints loserscore
        lscore lpts loserpts
    white_rating: eloweiss eloweiß eloheim ratingweiss ratingweiß
        whiteelo elowhite ratingwhite welo homeelo homerating elohome ratinghome elo1pre elo1
        rating1 team1elo player1rating player1elo elo1before ratinga eloa winnerrating winnerelo
        whiteratingbefore
    black_rating: eloschwarz elogast ratingschwarz
        blackelo eloblack ratingblack belo awayelo awayrating eloaway ratingaway elo2pre elo2
        rating2 team2elo player2rating player2elo elo2before ratingb elob loserrating loserelo
        blackratingbefore
    white_rating_after: whiteeloafter elo1post elo1after whitenewrating newrating1 homeeloafter
    black_rating_after: blackeloafter elo2post elo2after blacknewrating newrating2 awayeloafter
    opponent_rating: opponentelo opprating oppelo ratingopponent gegnerelo gegnerdwz eloopponent
        opponentsrating rivalelo gegnerwertung
    my_rating: myelo ownrating ratingbefore meineelo ownelo eigeneelo rating elo
    my_rating_after: newrating ratingafter newelo eloafter
    neutral: neutralground neutralvenue neutralsite isneutral neutralerplatz
    weight: gameweight gewicht
    handicap: handicapstones stones
    komi: compensation
    knockout: isknockout knockoutphase
    shootout: shootoutwinner penaltywinner elfmetersieger
    season: saison temporada stagione seizoen sezona сезон
    pool: perf category speed kategorie ratingtype timeclass variant
    event: tournament competition league turnier torneo tournoi campeonato tourneyname comp div division
        wettbewerb eventname tournamentname liga series
    round: rd runde spieltag ronda rodada tour turno week matchday ronde roundnumber gameweek jornada journee
    time_control: tc bedenkzeit control
    eco: ecocode
    opening: openingname eroffnung apertura ouverture
    termination: endedby howended ending method reason
    rated: israted gewertet elorelevant
"""
ROLES: dict[str, tuple[str, ...]] = {
    role: tuple(synonyms.split()) for role, synonyms in re.findall(r"^    (\w+):((?:.|\n {8})*)", SYNONYM_TABLE, re.M)
}
LEFT_TO_GUESS = frozenset({"game", "source", "source_row"})
MAPPABLE = tuple(dict.fromkeys([name for name in COLUMNS if name not in LEFT_TO_GUESS] + list(ROLES)))

WHITE_WORDS = words("w white weiss weiß s- home h heim blanc blancas local 1 vs белые")
BLACK_WORDS = words("b black schwarz away a @ at gast noir negras visitante auswärts черные чёрные 2")
CHESS_COLOURS = words("w white weiss weiß b black schwarz blanc blancas noir negras белые черные чёрные")
CHESS_HEADERS = words("white weiss blancas blancs bianco brancas белые whiteplayer whitename playerwhite")
A_HEADERS = words("a playera teama")
TOTALS = words("total totals sum summe gesamt totale totaal itogo average mean grand subtotal")

SHORT, LONG = "fewer fields than the header", "more fields than the header"
OPEN_QUOTE = "a quote is opened and never closed"
REPEATED = "header repeated"
TOTAL_LINE = "a line of totals"
NUL = "a NUL byte, which no text has"


class Row(NamedTuple):
    """One row as it stands in the file: the line where it starts, its cells, and why it cannot be used."""

    line: int
    cells: list[str]
    fault: str = ""


@dataclass(frozen=True)
class Layout:
    """Which column plays which role, counted from 0, and the headers."""

    roles: Mapping[str, int]
    headers: Sequence[str]
    has_header: bool = True

    def name(self, role: str) -> str:
        """Return the header of a role's column, as it is printed."""
        index = self.roles[role]
        return self.headers[index] if self.has_header and index < len(self.headers) else f"column {index + 1}"


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
    first, delimiter = _start(lines)
    delimiter = delimiter or _delimiter(lines[first:], columns or {})
    start, layout = _layout(lines, first, delimiter, columns or {}, source)
    reading = Reading(notes=notes)
    if start > first + layout.has_header:
        reading.notes.append(f"lines {first + 1} to {start - 1} stand before the header and were skipped")
    _check_layout(layout, player, source)
    rows = list(_rows(lines, start, delimiter))
    if not rows:
        reading.notes.append("no rows below the header")
    _read_rows(rows, layout, reading, source, dates, player, progress)
    if "date" not in layout.roles and reading.records:
        reading.notes.append("no column of dates: the games are in the order of the log")
    return reading


# Text into rows


def _start(lines: Sequence[str]) -> tuple[int, str | None]:
    """Return the first line that is neither blank nor a comment, and the delimiter of a `sep=` line."""
    delimiter = None
    for index, line in enumerate(lines):
        if named := re.fullmatch(r'"?sep=(.)"?', line.strip("\r\n "), re.I):
            delimiter = named[1]
        elif re.fullmatch(r"sep=\t?", line, re.I):
            delimiter = "\t"
        elif line.strip(" ,;\t|") and not line.startswith("#"):
            return index, delimiter
    return len(lines), delimiter


def _delimiter(lines: Sequence[str], columns: Mapping[str, str]) -> str:
    """Return the delimiter under which most headers are known and most rows are equally long."""
    wanted = {_plain(text) for text in columns.values()}

    def fitness(delimiter: str) -> tuple[int, float, int]:
        rows = [row.cells for row in _rows(lines[:SAMPLE], 0, delimiter)]
        widths = Counter(len(row) for row in rows)
        width, often = max(widths.items(), key=lambda item: (item[1], item[0]), default=(1, 0))
        if width == 1:
            return (0, 0, 0)
        known = max((len(_guess(row)) + len(wanted & {_plain(c) for c in row}) for row in rows[:PREAMBLE]), default=0)
        guessed = known if known > 1 else len(_guess_without_header(rows)) or known
        return (guessed, often / len(rows), width)

    return max(DELIMITERS, key=fitness)


def _rows(lines: Sequence[str], start: int, delimiter: str) -> Iterator[Row]:
    """Yield the rows from a line on, blank ones left out.

    A quoted field may go over lines. When such a row is malformed, longer than `LONGEST_ROW` lines or has a
    field over `LONGEST_FIELD` characters, a quote was left open: its first line alone is at fault and the
    next line starts a new row.
    """
    position, width = start, 0
    while position < len(lines):
        line = lines[position]
        if '"' not in line:
            cells, after, fault = line.split(delimiter), position + 1, ""
        else:
            cells, after, fault = _quoted(lines, position, delimiter, width)
        if "\x00" in line:
            fault = NUL
        elif not fault and max(map(len, cells)) > LONGEST_FIELD:
            fault = f"a field of more than {LONGEST_FIELD:,} characters"
        if fault or any(map(str.strip, cells)):
            width = width or len(cells)
            yield Row(position + 1, cells, fault)
        position = after


def _quoted(lines: Sequence[str], position: int, delimiter: str, width: int) -> tuple[list[str], int, str]:
    """Return the cells of a row with quotes, the line after it, and its fault."""
    line = lines[position]
    if line.count('"') % 2 == 0:
        try:
            return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True)), position + 1, ""
        except csv.Error:
            return [line[:80]], position + 1, "fields that cannot be told apart"
    block = [line + "\n" for line in lines[position : position + LONGEST_ROW]]
    try:
        reader = csv.reader(block, delimiter=delimiter, skipinitialspace=True, strict=True)
        cells = next(reader)
        if not width or len(cells) == width:
            return cells, position + reader.line_num, ""
    except csv.Error:
        pass
    return [line[:80]], position + 1, OPEN_QUOTE


# Rows into a layout


@lru_cache(maxsize=1 << 12)
def _plain(header: str) -> str:
    letters = unicodedata.normalize("NFKD", header.casefold())
    return "".join(c for c in letters if c.isalnum())


def _synonyms() -> dict[str, tuple[int, str]]:
    known: dict[str, tuple[int, str]] = {}
    for role, synonyms in ROLES.items():
        for rank, word in enumerate((role, *synonyms)):
            known.setdefault(_plain(word), (rank, role))
    return known


SYNONYMS = _synonyms()
SCORE_TEXT = "score_text"


def _guess(headers: Sequence[str]) -> dict[str, int]:
    """Return the column of every role that a known header names; of two for one role, the better known."""
    best: dict[str, tuple[int, int]] = {}
    for index, header in enumerate(headers):
        if (found := SYNONYMS.get(_plain(header))) is not None:
            rank, role = found
            if role not in best or rank < best[role][0]:
                best[role] = (rank, index)
    roles = {role: index for role, (_, index) in best.items()}
    plain = [_plain(header) for header in headers]
    if "score" in roles and "score" in plain and plain.index("score") != roles["score"]:
        roles[SCORE_TEXT] = plain.index("score")
    return _untangled(roles)


def _untangled(roles: dict[str, int]) -> dict[str, int]:
    """Drop the roles that only mean something together with others."""
    if "white_points" in roles and not {"black_points", "score"} & roles.keys():
        roles["score"] = roles.pop("white_points")
    if "white" in roles and "black" in roles:
        surplus = {"owner", "opponent", "colour", "opponent_rating", "my_rating", "my_rating_after", "loser"}
    elif "opponent" in roles:
        surplus = {"white", "black", "loser", "winner"}
        if "owner" not in roles and "white" in roles:
            roles["owner"] = roles["white"]
    elif "winner" in roles and "loser" in roles:
        surplus = {"owner", "white", "black", "my_rating", "my_rating_after"}
    else:
        surplus = {"owner", "opponent_rating", "my_rating", "my_rating_after"}
    return {role: index for role, index in roles.items() if role not in surplus}


def _layout(
    lines: Sequence[str], first: int, delimiter: str, columns: Mapping[str, str], source: str
) -> tuple[int, Layout]:
    """Return the line where the games start and the layout of the columns."""
    rows = list(_rows(lines[: first + SAMPLE], first, delimiter))
    if not rows:
        raise UnreadableInput(f"expected games, got an empty file ({source})")
    _check_columns(columns)
    headerless = _guess_without_header([row.cells for row in rows])
    if columns and all(text.strip().isdecimal() for text in columns.values()):
        by_number = {role: int(text) - 1 for role, text in columns.items()}
        width = len(rows[0].cells)
        if (outside := next((role for role, i in by_number.items() if not 0 <= i < width), None)) is not None:
            raise UsageError(
                f"expected a column from 1 to {width} for {outside!r}, got {columns[outside]!r} ({source})"
            )
        if _looks_like_header(rows, by_number):
            headers = rows[0].cells
            return rows[0].line, Layout({**_unmapped(_guess(headers), by_number), **by_number}, headers)
        return first, Layout({**_unmapped(headerless, by_number), **by_number}, rows[0].cells, has_header=False)
    if not columns and headerless and not _complete(_guess(rows[0].cells)):
        return first, Layout(headerless, rows[0].cells, has_header=False)
    for row in rows[:PREAMBLE]:
        mapped = _mapped(row.cells, columns)
        roles = {**_unmapped(_guess(row.cells), mapped), **mapped}
        if len(mapped) == len(columns) and not row.fault and _complete(roles):
            return row.line, Layout(roles, row.cells)
    headers = rows[0].cells
    mapped = _mapped(headers, columns)
    for role, text in columns.items():
        if role not in mapped:
            raise UsageError(
                f"expected a header of the file for {role!r}, got {text!r} ({source} has "
                f"{_listed(headers)}){did_you_mean(text, list(headers))}"
            )
    return rows[0].line, Layout({**_unmapped(_guess(headers), mapped), **mapped}, headers)


def _check_columns(columns: Mapping[str, str]) -> None:
    for role in columns:
        if role not in MAPPABLE and not role.startswith(OTHER):
            raise UsageError(
                f"expected a column of the games table to map, got {role!r}; there are "
                f"{', '.join(MAPPABLE)}{did_you_mean(role, list(MAPPABLE))}"
            )


def _mapped(headers: Sequence[str], columns: Mapping[str, str]) -> dict[str, int]:
    exact = {" ".join(header.split()).casefold(): index for index, header in reversed(list(enumerate(headers)))}
    plain = {_plain(header): index for index, header in reversed(list(enumerate(headers)))}
    found = {}
    for role, text in columns.items():
        index = exact.get(" ".join(text.split()).casefold(), plain.get(_plain(text)) if _plain(text) else None)
        if index is None and text.strip().isdecimal() and 0 < int(text) <= len(headers):
            index = int(text) - 1
        if index is not None:
            found[role] = index
    return found


def _unmapped(guessed: Mapping[str, int], mapped: Mapping[str, int]) -> dict[str, int]:
    """Return the guesses that an explicit mapping leaves: no mapped role, no mapped column."""
    replaced = set(mapped)
    if {"white", "black"} & replaced:
        replaced |= {"owner", "opponent", "winner", "loser"} if {"white", "black"} <= replaced else set()
    if {"score"} & replaced:
        replaced |= {SCORE_TEXT}
    taken = set(mapped.values())
    return {role: index for role, index in guessed.items() if role not in replaced and index not in taken}


def _complete(roles: Mapping[str, int]) -> bool:
    sides = {"white", "black"} <= roles.keys() or {"winner", "loser"} <= roles.keys() or "opponent" in roles
    result = bool({"score", "winner"} & roles.keys()) or {"white_points", "black_points"} <= roles.keys()
    return sides and result


def _guess_without_header(rows: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the columns of a log without headers, judged by what its rows hold; nothing when that fails."""
    sample = [row for row in rows if len(row) == len(rows[0])]
    kinds = [_kind([row[index] for row in sample]) for index in range(len(rows[0]))] if sample else []
    first = [_kind([cell]) for cell in rows[0]] if rows else []
    names = [index for index, kind in enumerate(kinds) if kind == "name"]
    results = [index for index, kind in enumerate(kinds) if kind == "result" and first[index] == "result"]
    days = [index for index, kind in enumerate(kinds) if kind == "date" and first[index] == "date"]
    if len(names) < 2:
        return {}
    roles = {"white": names[0], "black": names[1]}
    if days:
        roles["date"] = days[0]
    points = [i for i, kind in enumerate(kinds) if kind == "number" and first[i] == "number" and i > names[0]]
    if results:
        return roles | {"score": results[0]}
    if len(points) == 2 and days:
        return roles | {"white_points": points[0], "black_points": points[1]}
    return {}


RESULT_SHAPE = re.compile(r"\s*(?:\d{1,3}|1/2|½|[01]?[.,]5|\d½)\s*[-–—−:]\s*(?:\d{1,3}|1/2|½|[01]?[.,]5|\d½)\s*|½|1/2")


def _kind(cells: Sequence[str]) -> str:
    cells = [cell.strip() for cell in cells if cell.strip()]
    if not cells:
        return "nothing"
    for kind, fits in (("number", _is_number), ("result", RESULT_SHAPE.fullmatch), ("date", _is_date)):
        if sum(map(bool, map(fits, cells))) >= 0.8 * len(cells):
            return kind
    return "name" if all(any(c.isalpha() for c in cell) for cell in cells) else "other"


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"-?\d+(?:[.,]\d+)?", cell) is not None and len(cell) < 8


def _is_date(cell: str) -> bool:
    try:
        return read_date(cell, "dmy") is not None
    except ValueError:
        try:
            return read_date(cell, "mdy") is not None
        except ValueError:
            return False


def _looks_like_header(rows: Sequence[Row], roles: Mapping[str, int]) -> bool:
    """Tell whether row 1 holds headers: where the mapping puts dates, numbers or results, it has words."""
    kinds = {role: _kind([rows[0].cells[index]]) for role, index in roles.items()}
    telling = [kinds[role] for role in ("date", "score", "white_points", "black_points") if role in kinds]
    return (
        bool(telling)
        and not {"date", "number", "result"} & set(telling)
        and len(rows[0].cells[roles.get("score", 0)]) > 1
    )


def _check_layout(layout: Layout, player: str | None, source: str) -> None:
    roles = layout.roles
    if not _complete(roles):
        missing = "the result" if {"white", "black"} <= roles.keys() else "the two sides"
        raise UnreadableInput(
            f"expected a column for {missing}, got the headers {_listed(layout.headers)} ({source}); name "
            f"the columns, "
            "as in --map white=Home --map black=Away --map score=Result"
        )
    if "opponent" in roles and "owner" not in roles and not {"white", "black"} <= roles.keys() and player is None:
        raise UnreadableInput(
            f"expected two players a row, got opponents only in column {layout.name('opponent')!r} "
            f"({source}); "
            "say whose journal it is with --player NAME"
        )


def _listed(headers: Sequence[str]) -> str:
    shown = [repr(" ".join(header.split())[:40]) for header in headers[:30]]
    return ", ".join(shown) + (", …" if len(headers) > 30 else "")


# Rows into records


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
    if _plain(next(cell for cell in cells if cell.strip())).strip("0123456789") in TOTALS and (
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
    header = _plain(layout.headers[layout.roles["white"]]) if layout.has_header and "white" in layout.roles else ""
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
