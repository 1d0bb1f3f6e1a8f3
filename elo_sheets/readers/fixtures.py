"""Games that are still to be played: the rows and pairings of a log that have no result.

Every reader keeps such games out, because nothing can be rated by them. Here they are what is asked for: of delimited
text the columns of results are left out of account, of a PGN file or a tournament report the open games are read as
draws and those that the reader keeps anyway are taken off.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Literal

from elo_sheets.errors import UnreadableInput
from elo_sheets.games import GamesRead, Problem, make_games
from elo_sheets.readers import _as_ascii, _is_pgn, _one_pool, _opened, _source, _unpacked
from elo_sheets.readers._layout import SCORE_TEXT, Layout, Row, delimiter_of, layout_of, listed, rows_of, start_of
from elo_sheets.readers._results import UNFINISHED, Outcome, outcome
from elo_sheets.readers._text import Reading, bom_encoding, decode
from elo_sheets.readers.csv import MISSING_POINTS, _Columns, _date_column, _fitted, _record, _RefusedError, _shown
from elo_sheets.readers.pgn import read_pgn
from elo_sheets.readers.trf import ROUND_WIDTH, ROUNDS, is_trf, read_trf

RESULTS = (SCORE_TEXT, "score", "winner", "loser", "draw", "white_points", "black_points", "shootout")

OPEN_TAG = re.compile(rb'^([ \t]*\[[ \t]*Result[ \t]+")(?:\*|\?|)("[ \t]*\])', re.M)
PAIRED = re.compile(r"[ 0-9]{3}[0-9] [wbWB]")


class _Drawn(dict[str, Outcome]):
    """Says of every result that it is a draw."""

    def __missing__(self, key: str) -> Outcome:
        return Outcome(0.5)


def read_fixtures(
    logs: Sequence[str | Path | BinaryIO],
    *,
    columns: Mapping[str, str] | None = None,
    dates: Literal["dmy", "mdy", "ymd"] | None = None,
    encoding: str | None = None,
    pool: str | None = None,
) -> GamesRead:
    """Return the games without a result of all logs, in order, a problem for each such row that cannot be used.

    The arguments are those of `read`. The column `score` of the games holds 0.5 and means nothing.

    >>> log = b"date,home,away,result\\n2026-05-01,Ann,Bob,1-0\\n2026-05-08,Bob,Ann,\\n"
    >>> read_fixtures([io.BytesIO(log)]).games[["white", "black"]].values.tolist()
    [['Bob', 'Ann']]
    """
    whole = Reading()
    for log in logs:
        source = _source(log)
        with _opened(log) as raw:
            head, stream = _unpacked(raw)
            data = stream.read()
        found = _open_games(data, head, source, dict(columns or {}), dates, encoding)
        whole.records += found.records
        whole.problems += found.problems
        whole.notes += found.all_notes()
    _one_pool(whole, pool)
    return GamesRead(make_games(whole.records), whole.problems, whole.notes)


def _open_games(
    data: bytes,
    head: bytes,
    source: str,
    columns: dict[str, str],
    dates: Literal["dmy", "mdy", "ymd"] | None,
    encoding: str | None,
) -> Reading:
    if is_trf(_as_ascii(head, encoding)):
        text = "\n".join(map(_answered_line, decode(data, encoding, source)[0].splitlines()))
        return _added(lambda some: read_trf(some, source, dates=dates, encoding="utf-8"), data, text.encode())
    if _is_pgn(head, encoding, source):
        declared = bom_encoding(head)
        wide = declared if declared != "utf-8-sig" else None
        answered = OPEN_TAG.sub(rb"\g<1>1/2-1/2\2", data)
        return _added(lambda some: read_pgn(some, source, encoding=encoding or wide), data, answered)
    return _open_rows(data, source, columns, dates, encoding)


def _added(read: Callable[[BinaryIO], Reading], plain: bytes, answered: bytes) -> Reading:
    """Return the games that only the answered text has."""

    def key(record: dict[str, Any]) -> tuple[Any, ...]:
        return record["source_row"], record.get("round")

    known = set(map(key, read(io.BytesIO(plain)).records))
    return Reading([record for record in read(io.BytesIO(answered)).records if key(record) not in known])


def _answered_line(line: str) -> str:
    """Return a player's line of a tournament report in which every pairing without a result is a draw."""
    if not line.startswith("001"):
        return line
    line = line.rstrip()
    parts = [line[at : at + ROUND_WIDTH] for at in range(ROUNDS, len(line), ROUND_WIDTH)]
    return line[:ROUNDS] + "".join(
        f"{part.rstrip():7}=".ljust(ROUND_WIDTH) if PAIRED.fullmatch(part.rstrip()) else part for part in parts
    )


def _open_rows(
    data: bytes,
    source: str,
    columns: dict[str, str],
    dates: Literal["dmy", "mdy", "ymd"] | None,
    encoding: str | None,
) -> Reading:
    text, notes = decode(data, encoding, source)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    first, delimiter = start_of(lines)
    delimiter = delimiter or delimiter_of(lines[first:], columns)
    start, layout = layout_of(lines, first, delimiter, columns, source)
    if {"winner", "loser"} <= layout.roles.keys():
        return Reading()  # such a log lists games that are over
    if not {"white", "black"} <= layout.roles.keys():
        raise UnreadableInput(
            f"expected columns for the two sides, got the headers {listed(layout.headers)} ({source}); name them, "
            "as in --map white=Home --map black=Away"
        )
    rows = [row for row in rows_of(lines, start, delimiter) if _is_open(_fitted(row, layout), layout)]
    # A column of results there must be; which one does not matter to what says "draw" to everything.
    roles = {role: at for role, at in layout.roles.items() if role not in RESULTS} | {"score": layout.roles["white"]}
    sides = Layout(roles, layout.headers, layout.has_header)
    reading = Reading(notes=notes)
    fitted = [_fitted(row, sides) for row in rows]
    days = _date_column([row for row in fitted if not row.fault], sides, dates, source)
    drawn = _Columns(sides, _Drawn(), False, days, None, reading)
    for row in fitted:
        if row.fault:
            reading.problems.append(Problem(source, row.line, "", _shown(row.cells), row.fault))
            continue
        try:
            record = _record(row, drawn)
        except _RefusedError as refused:
            column = sides.name(refused.role) if refused.role in roles else refused.role
            reading.problems.append(Problem(source, row.line, column, refused.value, refused.reason))
        else:
            reading.records.append({**record, "source": source, "source_row": row.line})
    return reading


def _is_open(row: Row, layout: Layout) -> bool:
    """Whether a row says of nothing that it is a result; a row that cannot be read is the log's matter."""
    if row.fault:
        return False
    cells = [row.cells[layout.roles[role]].strip() for role in RESULTS if role in layout.roles]
    return all(cell.casefold() in MISSING_POINTS or outcome(cell).reason == UNFINISHED for cell in cells)
