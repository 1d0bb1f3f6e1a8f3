"""Delimited text: one row a game, under headers in many languages, or none.

The whole file is read first, because its columns decide together what a single cell leaves open: the
delimiter, the encoding, which column is which, whether 2/1 is January or February, and what A means.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from elo_sheets._late import NDArray, np, pd
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import Problem
from elo_sheets.readers._across import is_days_at
from elo_sheets.readers._arranged import arranged, as_rows
from elo_sheets.readers._cells import Cells, Column, cells_of, joined, read_cells
from elo_sheets.readers._contents import fits, in_words
from elo_sheets.readers._dates import Order, iso_days, order_of_column, read_date, remembered_order
from elo_sheets.readers._headings import asks_who_won, is_of_white, named, words_of
from elo_sheets.readers._ids import ids_of
from elo_sheets.readers._layout import (
    PREAMBLE,
    SAMPLE,
    SCORE_TEXT,
    Layout,
    Remembered,
    Row,
    Table,
    check_layout,
    complete,
    delimiter_of,
    layout_of,
    listed,
    rows_of,
    start_of,
    with_days,
)
from elo_sheets.readers._parts import parts_of
from elo_sheets.readers._people import LIST_GIVEN, is_list
from elo_sheets.readers._plain import plain_rows
from elo_sheets.readers._registry import How, OpenLog
from elo_sheets.readers._remedies import ROW_A_GAME, how_to_name
from elo_sheets.readers._results import (
    ENDED,
    NOT_PLAYED,
    THREES,
    UNFINISHED,
    Outcome,
    fewest,
    none_played,
    number,
    of_short_sets,
    outcome,
    outcomes,
    tidy,
)
from elo_sheets.readers._rows import (
    PLAIN_NUMBER,
    TOTALS,
    Columns,
    RefusedError,
    fitted,
    record_of,
    shown,
    sides,
    together,
)
from elo_sheets.readers._said import FORFEITED, OPEN, said
from elo_sheets.readers._shootouts import is_named
from elo_sheets.readers._sides import SEAT, is_sided
from elo_sheets.readers._tables import alike, coded, joined_tables, table_of
from elo_sheets.readers._text import READ_AS, YES_NO, Reading, decode, identity, words
from elo_sheets.readers._twice import MORE, NUMBERED
from elo_sheets.readers._words import plain
from elo_sheets.readers.crosstable import is_crosstable, read_crosstable
from elo_sheets.readers.sided import of_pairs, refuse
from elo_sheets.team_games import GamesOfSidesError

LARGEST = 1 << 30
# What a text of a database of notes links to: `Aal (https://…)`.
ADDRESSED = re.compile(r"(?:\[([^\[\]\n]+)\]|(?<=[^\s,;\t|\"])) ?\(https?://[^\s()]*\)")
EMPTY = b" ,;\t|\n"  # what alone stands in an empty row, and behind it
EVERY = 10_000
FEWEST = 3  # games that have an order
# How much of a log, and how many lines behind its first one, show what its columns are.
HEAD, ENOUGH = 1 << 20, 200
RESULTS = {"score", "white_points", "black_points", "shootout"}
ABOVE = "stands above the headings in row {line}: write it below them, or headings above it"
A_HEADERS = words("a playera teama")


def read_csv(log: OpenLog, how: How) -> Iterator[Reading]:
    """Yield the games of delimited text, one problem for each row kept out, and remarks.

    `how.columns` maps columns of the games table to headers, or to numbers from 1. `how.dates` says which of day,
    month and year comes first where the values cannot. `how.player` names the owner of a journal, which lists
    opponents only; `how.keep_names` are names that otherwise stand for nobody. Raises `UnreadableInput` where its owner
    has to decide, `UsageError` when `how.columns` names what there is not. Blank lines are not rows.
    """
    text, notes = text_of(log, how)
    lines, first, delimiter = start_of_rows(text, how)
    body = text.encode("utf-8", "surrogatepass")
    head = list(rows_of(text[:HEAD].split("\n"), first, delimiter)) if _has_empty_row(body[:HEAD], first) else []
    if head and len(parts_of(head, how.columns)) > 1:
        yield read_table(Table(log.name, list(rows_of(text.split("\n"), first, delimiter)), notes=notes), how)
        return
    crossed = is_crosstable(list(rows_of(lines[: first + ENOUGH], first, delimiter)))
    if crossed:
        rows = list(rows_of(text.split("\n"), first, delimiter))
        yield of_pairs(read_crosstable(Table(log.name, rows, notes=notes), how), log.name)
        return
    sample = list(rows_of(lines[: first + SAMPLE], first, delimiter))
    if arranged(sample, how.columns)[1]:
        yield read_table(Table(log.name, list(rows_of(text.split("\n"), first, delimiter)), notes=notes), how)
        return
    if is_sided(sample, how.columns):
        raise refuse(Table(log.name, list(rows_of(text.split("\n"), first, delimiter)), notes=notes))
    start, layout = layout_of(sample, how.columns, log.name)
    reading = Reading(notes=notes)
    _say_skipped(reading, sample, start, layout, log.name)
    _check(Table(log.name, sample, notes), layout, how, how.player)
    del text, lines
    cells, others = read_cells(body, start, delimiter, len(layout.headers), together(layout))
    yield _finished(cells, others, layout, reading, log.name, how)


def read_table(table: Table, how: How) -> Reading:
    """Return the games of a table, its header among the first rows, as `read_csv` returns those of text."""
    if table.depth > 1 and len(parts := parts_of(table.rows, how.columns)) > 1:
        return _one_after_the_other(table, parts, how)
    if is_crosstable(table.rows[:ENOUGH]):
        return of_pairs(read_crosstable(table, how), table.name)
    table = as_rows(table, how.columns)
    if is_sided(table.rows, how.columns):
        raise refuse(table)
    start, layout = layout_of(table.rows, how.columns, table.name, depth=table.depth)
    if table.day is not None and "date" not in layout.roles and 0 not in layout.roles.values():
        below = [row for row in table.rows if row.line > start]
        if is_days_at(0, below):  # as a sheet counts them, under a heading that says nothing
            layout = replace(layout, roles={**layout.roles, "date": 0})
    reading = Reading(notes=list(table.notes))
    _say_skipped(reading, table.rows, start, layout, table.name)
    _check(replace(table, rows=table.rows[:SAMPLE]), layout, how, how.player or table.owner)
    body = with_days([row for row in table.rows if row.line > start], layout, table)
    width = len(layout.headers)
    sound = [row for row in body if len(row.cells) == width and not row.fault]
    others = [row for row in body if len(row.cells) != width or row.fault]
    how = replace(how, player=how.player or table.owner)
    return _finished(cells_of(sound, width, together(layout)), others, layout, reading, table.name, how)


def _one_after_the_other(table: Table, parts: Sequence[Sequence[Row]], how: How) -> Reading:
    """Return the games of all tables that stand below each other."""
    whole = Reading(notes=list(table.notes))
    lines = [str(part[0].line) for part in parts]
    whole.notes.append(
        f"{len(parts)} tables stand below each other, from the rows {', '.join(lines)} on: each was read alone"
    )
    tables = []
    for part in parts:
        found = read_table(replace(table, rows=part, notes=()), how)
        tables.append(table_of(found.records) if found.table is None else found.table)
        found.table = None
        whole.add(found)
    whole.table = joined_tables(alike(tables))
    return whole


def text_of(log: OpenLog, how: How) -> tuple[str, list[str]]:
    """Return the text of a log, its lines ended by a line feed, and remarks."""
    data = log.stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise UnreadableInput(f"expected at most 1 GiB of delimited text ({log.name}); split the file")
    text, notes = decode(data, how.encoding, log.name)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "(" in text and "(http" in text:  # one sign is found much faster than several
        text, count = ADDRESSED.subn(r"\1", text)
        notes += ["addresses in brackets behind names and other texts were left out"] if count else []
    return text, notes


def start_of_rows(text: str, how: How) -> tuple[list[str], int, str]:
    """Return the first lines of a text, the number of the first with cells counted from 0, and the delimiter."""
    lines = text[:HEAD].split("\n", 2 * ENOUGH)[: 2 * ENOUGH]
    first, delimiter = start_of(lines)
    if len(lines) < first + ENOUGH:
        lines = text.split("\n")
        first, delimiter = start_of(lines)
    if delimiter is None:
        delimiter = delimiter_of(lines[first : first + ENOUGH], how.columns)
        if delimiter == "|" and lines[first].lstrip().startswith("|"):  # what # begins are titles of Markdown
            first = next(at for at, line in enumerate(lines) if line.strip())
    return lines, first, delimiter


def _has_empty_row(text: bytes, first: int) -> bool:
    """Tell whether nothing stands in a row between others, the first of which is numbered `first` from 0."""
    data = np.frombuffer(text, dtype=np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    empty = np.zeros(256, dtype=bool)
    empty[list(EMPTY)] = True
    begun = np.flatnonzero(empty[data[ends[first:-1] + 1]]) + first
    return any(not data[ends[at] + 1 : ends[at + 1]].tobytes().strip(EMPTY) for at in begun.tolist())


def _check(table: Table, layout: Layout, how: How, player: str | None) -> None:
    """Raise `UnreadableInput` for a layout without two sides and a result, with a third side, or for a list."""
    rows, source = table.rows, table.name
    seats = ((one, SEAT.fullmatch(plain(one))) for one in layout.headers)
    third = next((one for one, match in seats if match is not None and int(match["number"]) > 2), None)
    if third is not None and not complete(layout.roles):
        raise UnreadableInput(
            f"expected two players a game, got the column {third!r} of another one ({source}); name "
            "the columns of two as in --map white=HEADER --map black=HEADER, or those of sides as in --map a1=HEADER "
            "--map a2=HEADER --map b1=HEADER"
        )
    try:
        check_layout(layout, player, source, lambda: _remedy(table, layout, how))
    except UnreadableInput:
        if any(is_list(row.cells) for row in rows[:PREAMBLE]):
            raise UnreadableInput(LIST_GIVEN.format(name=source)) from None
        raise


def _remedy(table: Table, layout: Layout, how: How) -> str:
    """Return what to try where columns are not found; they are named only in a way in which rows are read."""
    told = how_to_name(layout, table.rows)
    columns = dict(word.split("=", 1) for word in shlex.split(told) if "=" in word and "…" not in word)
    if columns and "HEADER" not in columns.values() and not how.columns:
        try:
            tried = read_table(table, replace(how, columns=columns))
            works = 2 * tried.kept > tried.read
        except GamesOfSidesError:
            works = True
        except (UnreadableInput, UsageError):
            works = False
        told = told if works else ROW_A_GAME
    encoding = next((note for note in table.notes if note.startswith(READ_AS)), "")
    return f"{told}; the text was {encoding}" if encoding else told


def _say_skipped(reading: Reading, rows: Sequence[Row], start: int, layout: Layout, source: str) -> None:
    """Remark on what stands before the header, in line `start`, and on columns that their cells tell.

    What has both sides and a result in their columns, as the games below, is left out as a row of the log.
    """
    skipped = [row for row in rows if row.line < start] if layout.has_header else []
    needed = [role for role in (*sides(layout), *RESULTS) if role in layout.roles]
    games = [row for row in skipped if _may_be_game(row, layout, needed)]
    reading.problems += [Problem(source, row.line, "", shown(row.cells), ABOVE.format(line=start)) for row in games]
    if lines := [row.line for row in skipped if row not in games]:
        first, last = lines[0], lines[-1] if games else start - 1
        lines_said = f"line {first} stands" if first == last else f"lines {first} to {last} stand"
        reading.notes.append(f"{lines_said} before the header and {'was' if first == last else 'were'} skipped")
    ids = [at for side in sides(layout) if named(layout.headers[at := layout.roles.get(side, 0)]).endswith("_id")]
    if ids and layout.has_header:
        told = listed([layout.headers[at] for at in ids])
        reading.notes.append(f"only ids name the players, in {told}, and are taken for their names")
    reading.notes += layout.remarks


def _may_be_game(row: Row, layout: Layout, needed: Sequence[str]) -> bool:
    """Tell whether a row above the header has a day where the games have one, both sides, and what may be a result."""
    told = {role: "".join(row.cells[at : at + 1]).strip() for role, at in layout.roles.items()}
    day = told.get("date", "")
    numbers = any(map(str.isdigit, "".join(told[role] for role in (*RESULTS, "date") if role in told)))
    return numbers and all(told[role] for role in needed) and fits("date", [day])


def _finished(cells: Cells, others: Sequence[Row], layout: Layout, reading: Reading, source: str, how: How) -> Reading:
    """Return the reading with the games of all rows."""
    if not (len(cells) or others):
        reading.notes.append("no rows below the header")
    reading.headers = list(layout.headers) if layout.has_header else []
    _read_rows(cells, others, layout, reading, source, how)
    if how.progress is not None:
        for number in range(EVERY, reading.read + 1, EVERY):
            how.progress(number)
    if "date" not in layout.roles and reading.kept:
        reading.notes.append("no column of dates: the games are in the order of the log")
    return reading


def _read_rows(cells: Cells, others: Sequence[Row], layout: Layout, reading: Reading, source: str, how: How) -> None:
    """Add the games and problems of all rows, `others` being those that have not a cell for each header."""
    width = len(layout.headers)
    layout = _drawn_beside(cells, layout, reading)
    layout = _with_aside(cells, layout if how.lowest_wins else _more_for_the_winner(cells, layout))
    strange = _strange(cells, layout)
    others = [fitted(row, layout) for row in (*others, *(cells.row(at) for at in np.flatnonzero(strange).tolist()))]
    if others:
        sound = [row for row in others if not row.fault]
        cells = joined([cells.take(~strange), cells_of(sound, width, together(layout))])
    if "date" in layout.roles and (said := remembered_order(cells.columns[layout.roles["date"]].texts, how.dates)):
        reading.notes.append(said)
    results = _result_column(cells, layout, reading)
    if how.lowest_wins:
        results = {key: fewest(found) for key, found in results.items()}
    columns = Columns(
        layout,
        results,
        _holds_names(cells, layout),
        date_column(cells, layout, how.dates, source),
        how.player,
        how.keep_names,
        reading,
        telling(cells, layout),
        how.lowest_wins,
        _none_played(cells, layout),
    )
    problems = [Problem(source, row.line, "", shown(row.cells), row.fault) for row in others if row.fault]
    problems += reading.problems
    table, odd = plain_rows(cells, columns)
    records = []
    for at in np.flatnonzero(odd).tolist():
        row = cells.row(at)
        try:
            records.append({**record_of(row, columns), "source_row": row.line})
        except RefusedError as refused:
            column = layout.name(refused.role) if refused.role in layout.roles else refused.role
            problems.append(Problem(source, row.line, column, refused.value, refused.reason))
    if "remarks" in layout.roles:
        reading.notes += _doubtful(cells, layout.roles["remarks"], {problem.row for problem in problems})
    if records:
        table = joined_tables([table, table_of(records)])
        table = table.sort_values("source_row", kind="stable", ignore_index=True)
    reading.notes += _undated(table)
    table = _oldest_first(
        table, [column for at, column in enumerate(cells.columns) if at not in layout.roles.values()], reading
    )
    table["source"] = coded(np.zeros(len(table), dtype=np.int8), [source])
    reading.table = table
    reading.ids = ids_of(cells, layout)
    if sides(layout)[0] == "owner" and "owner" in layout.roles and "colour" not in layout.roles:
        reading.by_player = {source}
    asked = not isinstance(how.columns, Remembered) and {"score", "winner"} & how.columns.keys()
    if {"white", "black", "winner"} <= layout.roles.keys() and not asked and not RESULTS & layout.roles.keys():
        reading.winners[source] = layout.name("winner"), is_named([*reading.headers, Path(source).name])
    reading.problems = sorted(problems, key=lambda problem: problem.row)


def _doubtful(cells: Cells, at: int, refused: Set[int]) -> list[str]:
    """Return the remark on what is remarked of games that count and may not have been played, in the column `at`.

    `refused` are the rows that do not count.
    """
    texts = cells.columns[at].texts
    doubted = {code for code, text in enumerate(texts) if len(text.split()) > 2 and said(text) in (FORFEITED, OPEN)}
    rows = (row for row, code in enumerate(cells.columns[at].codes.tolist()) if code in doubted) if doubted else ()
    found = [row for row in map(cells.row, rows) if row.line not in refused]
    if not found:
        return []
    more = f" and {len(found) - 1} more like it" if len(found) > 1 else ""
    return [
        f"row {found[0].line} is remarked {found[0].cells[at].strip()!r}{more}: the games are counted; take out of the "
        "log what does not count"
    ]


def _undated(table: pd.DataFrame) -> list[str]:
    """Return the remark on games without a day among others that have one."""
    if not len(table) or (undated := table["date"].isna()).all() or not undated.any():
        return []
    rows = table["source_row"][undated]
    if len(rows) == 1:
        return [f"the game in row {rows.iloc[0]} has no day and counts by its place in the log"]
    return [f"{len(rows)} games, the first in row {rows.iloc[0]}, have no day and count by their places in the log"]


def _oldest_first(table: pd.DataFrame, others: Sequence[Column], reading: Reading) -> pd.DataFrame:
    """Return the games of a log that has the newest first, by its days, rounds or numbers, turned round.

    `others` are the columns without a role, in which numbers may stand.
    """
    if len(table) < FEWEST:
        return table
    days = table["date"]
    if days.notna().all():
        order = days
    elif days.isna().all() and "round" in table:
        order = table["round"].astype(str).str.extract(r"^\D*(\d+)")[0].astype(float)
    elif days.isna().all() and any(map(_counts_down, others)):
        reading.notes.append("the games are numbered from the last row up, in which order they are taken")
        return table.iloc[::-1].reset_index(drop=True)
    else:
        return table
    if not order.is_monotonic_decreasing or order.iloc[0] == order.iloc[-1] or order.is_unique:
        return table
    what = "day" if order is days else "round"
    reading.notes.append(f"the newest games stand first: those of a {what} are taken from the last row up")
    return table.iloc[::-1].reset_index(drop=True)


def _counts_down(column: Column) -> bool:
    """Tell whether each row has a number one lower than the row before it."""
    texts = column.texts
    if len(texts) < len(column.codes) or not texts[0].isdecimal():
        return False
    return all(text == str(int(texts[0]) - at) for at, text in enumerate(texts))


def _more_for_the_winner(cells: Cells, layout: Layout) -> Layout:
    """Return the layout with the points of winner and loser changed over where they stand the other way in all rows."""
    columns = [layout.roles.get(role) for role in ("white_points", "black_points")]
    if sides(layout)[0] != "winner" or None in columns or not len(cells):
        return layout
    rows = (cells.row(at).cells for at in range(min(len(cells), SAMPLE)))
    pairs = [(row[columns[0]].strip(), row[columns[1]].strip()) for row in rows]  # type: ignore[index]
    told = [(float(one), float(other)) for one, other in pairs if one.isdecimal() and other.isdecimal()]
    if not told or any(one >= other for one, other in told):
        return layout
    turned = dict(zip(("white_points", "black_points"), columns[::-1], strict=True))
    return replace(layout, roles={**layout.roles, **turned})  # type: ignore[dict-item]


def _none_played(cells: Cells, layout: Layout) -> bool:
    """Tell whether 0 to 0 is the score of no game by the other points of both sides."""
    if not {"white_points", "black_points"} <= layout.roles.keys():
        return False
    one, other = (cells.columns[layout.roles[role]] for role in ("white_points", "black_points"))
    texts = ((one.texts[a], other.texts[b]) for a, b in set(zip(one.codes.tolist(), other.codes.tolist(), strict=True)))
    told = [(number(a), number(b)) for a, b in texts if PLAIN_NUMBER.fullmatch(a) and PLAIN_NUMBER.fullmatch(b)]
    return none_played(told, "white" in layout.roles and is_of_white(layout.name("white")))


def _drawn_beside(cells: Cells, layout: Layout, reading: Reading) -> Layout:
    """Return the layout of winners and losers with the column in which some games are said to be drawn, in words."""
    if sides(layout)[0] != "winner" or "draw" in layout.roles:
        return layout
    beside = {role: at for role, at in layout.roles.items() if role not in ("termination", "remarks")}
    for at in set(range(len(layout.headers))) - {*beside.values()}:
        if drawn := [text for text in cells.columns[at].texts if said(text) == "½"]:
            reading.notes.append(
                f"the column {layout.headers[at].strip()!r} tells of games that were drawn, as in {drawn[0]!r}"
            )
            return replace(layout, roles={**layout.roles, "draw": at})
    return layout


def _with_aside(cells: Cells, layout: Layout) -> Layout:
    """Return the layout with the column in which some games are said not to have been played, by no heading.

    Where it says how games ended on the board, one that was abandoned was played.
    """
    for at in set(range(len(layout.headers))) - {*layout.roles.values()}:
        texts = cells.columns[at].texts
        if any(text.casefold() in NOT_PLAYED for text in texts) and not any(map(ENDED.search, texts)):
            return replace(layout, roles={**layout.roles, "aside": at})
    return layout


def _strange(cells: Cells, layout: Layout) -> NDArray[np.bool_]:
    """Return the rows that may be a repeated header or a line of totals."""
    column = cells.columns[0]
    header = layout.headers[0].strip() if layout.has_header else None
    suspect = np.array([text == header or not text or _is_total(text) for text in column.texts], dtype=bool)
    found = suspect[column.codes]
    if "" in column.texts:
        # Where nothing stands first, a line of totals has few other cells.
        filled = sum((column.codes != column.texts.index("")) if "" in column.texts else 1 for column in cells.columns)
        found &= (column.codes != column.texts.index("")) | (filled <= len(layout.headers) / 2)
    return found


def _is_total(text: str) -> bool:
    return text.lower() != text.upper() and plain(text).strip("0123456789") in TOTALS


def _result_column(cells: Cells, layout: Layout, reading: Reading) -> dict[str, Outcome]:
    """Return the meaning of every distinct result; a winner's name is no result yet."""
    read: dict[str, Outcome] = {}
    header = layout.headers[layout.roles["white"]] if layout.has_header and "white" in layout.roles else ""
    for role in (SCORE_TEXT, "winner", "score"):
        if role not in layout.roles:
            continue
        if layout.has_header and asks_who_won(layout.headers[layout.roles[role]]):
            texts = cells.columns[layout.roles[role]].texts
            known = {
                text: YES_NO.get(re.split(r"\W", text.casefold(), maxsplit=1)[0]) for text in texts
            }  # no, lost 2-1
            read |= {f"{role}\0{text}": Outcome(float(won)) for text, won in known.items() if won is not None}
        meanings = outcomes(
            cells.columns[layout.roles[role]].counts(),
            chess=is_of_white(header),
            a_and_b=plain(header) in A_HEADERS,
            column=layout.name(role),
        )
        meanings |= _sides_headed(meanings, layout) if role != SCORE_TEXT else {}
        if of_short_sets(list(meanings)):
            reading.notes.append(
                f"column {layout.name(role)!r} was read as the loser's points of each set, a minus for a set that the "
                "first side lost"
            )
        if any(result.score == 1 and tidy(text) in THREES for text, result in meanings.items()):
            reading.notes.append(f"column {layout.name(role)!r} was read as points: 3 a win, 1 a draw, 0 a loss")
        read = {f"{role}\0{text}": result for text, result in meanings.items()} | read
    return read


def _sides_headed(texts: Iterable[str], layout: Layout) -> dict[str, Outcome]:
    """Return the results that name the side which won by its heading: red below Red, `Player 1 won` below Player 1.

    As in the results of Go, a letter before a plus sign is the first of one of the headings.
    """
    if not layout.has_header or not {"white", "black"} <= layout.roles.keys():
        return {}
    texts = list(texts)
    names = layout.name("white"), layout.name("black")
    won = {plain(names[0]): Outcome(1.0), plain(names[1]): Outcome(0.0)}
    letters = dict(zip((plain(name)[:1] for name in names), "wb", strict=True))
    signed = {text: bare for text in texts if "+" in (bare := tidy(text))[1:2]}
    ways = [names, _short(names)]  # P1 won, P1
    if all(word[-1:].isdigit() and word[0].isalpha() for word in ways[1]):
        won |= {plain(ways[1][0]): Outcome(1.0), plain(ways[1][1]): Outcome(0.0)}
    told = {text: [won.get(plain(text)), *(in_words(text, *way) for way in ways)] for text in texts}
    found = {text: next(filter(None, some)) for text, some in told.items() if any(some)}
    if {bare[0] for bare in signed.values()} == letters.keys():
        found |= {text: outcome(letters[bare[0]] + bare[1:]) for text, bare in signed.items()}
    return found


def _short(names: tuple[str, str]) -> tuple[str, str]:
    """Return headings by the letters that their words begin with and their numbers: P1 for Player 1."""
    one, other = ("".join(word if word.isdigit() else word[0] for word in words_of(name)) for name in names)
    return (one, other) if one != other else names


def date_column(cells: Cells, layout: Layout, dates: Order | None, source: str) -> dict[str, datetime | str | None]:
    """Return the day of every distinct date, or the reason why it is none."""
    if "date" not in layout.roles:
        return {"": None}
    texts = cells.distinct(layout.roles["date"])
    if (found := iso_days(list(texts))) is not None:
        return dict(zip(texts, found, strict=True))
    order = order_of_column(layout.name("date"), texts, source, dates)
    days: dict[str, datetime | str | None] = {}
    for text in texts:
        try:
            days[text] = read_date(text, order)
        except ValueError as error:
            days[text] = f"{error} (read as {order})" if dates else str(error)
    return days


def _holds_names(cells: Cells, layout: Layout) -> bool:
    """Tell whether the column of results names winners: each of its values is a player or a draw."""
    role = "score" if "score" in layout.roles else "winner"
    if role not in layout.roles or "winner" in sides(layout):
        return False
    if role == "winner":
        told = {text for text in cells.columns[layout.roles[role]].texts if text.strip()}
        return not told or bool(
            told - _sides_headed(told, layout).keys() - {t for t in told if outcome(t).score == 0.5}
        )
    decided = [
        text
        for text in cells.columns[layout.roles[role]].texts
        if outcome(text).score != 0.5 and outcome(text).reason != UNFINISHED
    ]
    if not decided:
        return False
    wanted = set(map(identity, decided))
    for side in sides(layout):
        if side in layout.roles:
            wanted = wanted - cells.columns[layout.roles[side]].texts.known
    return not wanted


def telling(cells: Cells, layout: Layout) -> dict[str, int]:
    """Return the columns that tell games apart without playing a role in them, and that of their numbers."""
    found = {}
    for at, header in enumerate(layout.headers):
        is_link = layout.roles.get("link") == at
        if at in {*layout.roles.values()} - {layout.roles.get(role) for role in ("link", "remarks", "aside")}:
            continue
        name = plain(header) if layout.has_header else f"column {at + 1}"
        if _counts_rows(cells, at):
            found[f"{NUMBERED}{at}"] = at
        else:
            found["link" if is_link else f"{MORE}{name}" if f"{MORE}{name}" not in found else f"{MORE}{name} {at}"] = at
    return found


def _counts_rows(cells: Cells, index: int) -> bool:
    """Tell whether a column counts the rows of its file, so that a game has another number in another export."""
    column = cells.columns[index]
    if len(column.texts) < len(cells):
        return False
    last = -1
    for line, text in zip(cells.lines.tolist(), column.texts, strict=True):
        if not text.isdecimal() or not last < int(text) <= line:
            return False
        last = int(text)
    return True
