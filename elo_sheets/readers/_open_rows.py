"""The rows of a table that have no result: the columns of results are left out of account."""

from __future__ import annotations

from collections.abc import Iterator

from elo_sheets.errors import UnreadableInput
from elo_sheets.games import Problem
from elo_sheets.readers._cells import cells_of
from elo_sheets.readers._contents import NOTHING
from elo_sheets.readers._layout import SCORE_TEXT, Layout, Row, Table, layout_of, listed, rows_of, with_days
from elo_sheets.readers._registry import How, OpenLog
from elo_sheets.readers._results import UNFINISHED, Outcome, outcome
from elo_sheets.readers._rows import Columns, RefusedError, fitted, record_of, shown, sides
from elo_sheets.readers._text import Reading
from elo_sheets.readers.crosstable import is_crosstable, open_pairings
from elo_sheets.readers.csv import ENOUGH, date_column, start_of_rows, telling, text_of

RESULTS = (SCORE_TEXT, "score", "winner", "loser", "draw", "white_points", "black_points", "shootout")


class _Drawn(dict[str, Outcome]):
    """Says of every result that it is a draw."""

    def __missing__(self, key: str) -> Outcome:
        return Outcome(0.5)


def open_text(log: OpenLog, how: How) -> Iterator[Reading]:
    """Yield the games of delimited text that have no result."""
    text, notes = text_of(log, how)
    _, first, delimiter = start_of_rows(text, how)
    yield open_rows(Table(log.name, list(rows_of(text.split("\n"), first, delimiter)), notes), how)


def open_rows(table: Table, how: How) -> Reading:
    """Return the games of a table that have no result; their score is 0.5 and means nothing."""
    if is_crosstable(table.rows[:ENOUGH]):
        return open_pairings(table, how)
    source = table.name
    start, layout = layout_of(table.rows, how.columns, source, table.depth)
    if {"winner", "loser"} <= layout.roles.keys():
        return Reading()  # such a log lists games that are over
    if "opponent" in layout.roles and "owner" not in layout.roles:
        raise UnreadableInput(
            f"expected both sides of the games to come, got opponents only in column {layout.name('opponent')!r} "
            f"({source}); give the games of all who play, with the two players of each in columns of their own"
        )
    if not set(sides(layout)) <= layout.roles.keys():
        raise UnreadableInput(
            f"expected columns for the two sides, got the headers {listed(layout.headers)} ({source}); name them, "
            "as in --map white=Home --map black=Away"
        )
    rows = [
        row
        for row in with_days([row for row in table.rows if row.line > start], layout, table)
        if _is_open(fitted(row, layout), layout)
    ]
    # A column of results there must be; which one does not matter to what says "draw" to everything.
    roles = {role: at for role, at in layout.roles.items() if role not in RESULTS} | {
        "score": layout.roles[sides(layout)[0]]
    }
    open_ = Layout(roles, layout.headers, layout.has_header)
    reading = Reading(notes=list(table.notes))
    rows = [fitted(row, open_) for row in rows]
    cells = cells_of([row for row in rows if not row.fault], len(layout.headers))
    days = date_column(cells, open_, how.dates, source)
    drawn = Columns(open_, _Drawn(), False, days, None, how.keep_names, reading, telling(cells, open_))
    for row in rows:
        if row.fault:
            reading.problems.append(Problem(source, row.line, "", shown(row.cells), row.fault))
            continue
        try:
            record = record_of(row, drawn)
        except RefusedError as refused:
            column = open_.name(refused.role) if refused.role in roles else refused.role
            reading.problems.append(Problem(source, row.line, column, refused.value, refused.reason))
        else:
            reading.records.append({**record, "source": source, "source_row": row.line})
    return reading


def _is_open(row: Row, layout: Layout) -> bool:
    """Whether a row says of nothing that it is a result; a row that cannot be read is the log's matter."""
    if row.fault:
        return False
    cells = [row.cells[layout.roles[role]].strip() for role in RESULTS if role in layout.roles]
    return all(cell.casefold() in NOTHING or outcome(cell).reason == UNFINISHED for cell in cells)
