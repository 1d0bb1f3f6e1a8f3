"""Workbooks (.xlsx, .xlsm, .ods, .fods, .xls): the sheets that hold games, each found by its header.

A file is opened as `files/ingest.py` opens all workbooks that nobody vouches for: in a process of its own, within
limits, and no macro, link or formula of it runs; a formula counts by the value that is stored with it. Lines above the
header are skipped, cells merged over rows count in each of them, and what stands beside the list is left alone. Sheets
with the same headers are read as one log after the other; where several differ, `how.sheet` says which.

Of a book of ours the games that were typed are read: the table of games and the archive, without the columns that its
formulas fill.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.readers._above import above
from elo_sheets.readers._arranged import STRUCK_OUT, bold_in_sheet, dated, side_by_side
from elo_sheets.readers._dates import RememberedWord
from elo_sheets.readers._known import named_by_ids, people_below
from elo_sheets.readers._layout import Arranged, Row, Table, header_of, likely_header, listed
from elo_sheets.readers._people import LIST_GIVEN, is_list
from elo_sheets.readers._registry import How, OpenLog
from elo_sheets.readers._sides import is_sided
from elo_sheets.readers._text import did_you_mean
from elo_sheets.readers._words import plain
from elo_sheets.readers.crosstable import is_crosstable
from elo_sheets.readers.names_map import from_entries

if TYPE_CHECKING:
    from elo_sheets.files.cells import Book, Cell, Value
    from elo_sheets.files.references import Place
    from elo_sheets.files.references import Table as SheetTable

OLE = b"\xd0\xcf\x11\xe0"
# Behind the 30 bytes of an archive's first entry stands its name.
FIRST_PART = re.compile(
    rb"PK\x03\x04.{26}(?:\[Content_Types\]|_rels/|docProps/|xl/|mimetypeapplication/vnd\.oasis|content\.xml|META-INF/|Index/)",
    re.S,
)
# Of a book of ours: the sheet that says so, and the tables into which games are typed.
MANIFEST, OWNER = "elo-sheets", "title"
OF_OURS = "is a book of elo-sheets: its games were read, not its system, settings and start ratings"
SOURCE = "Source"  # of its games, in a hidden column
OPTION, MOST_NAMES = "option ", 10
OWN_TABLES = ("Archive", "Log", "Games", "Fixtures")

DEEPEST = 50  # rows that are looked at for a header
WIDEST = 500  # columns of a list
LONGEST_MERGE = 2_000
NUMBER = re.compile(r"-?\d{1,6}(?:\.\d+)?")
LAST_DAY = 150_000
YEARS = range(1678, 2101)
SHIFT_1904 = 1462


def is_workbook(log: OpenLog) -> bool:
    """Tell by its first bytes whether a log is a workbook."""
    if log.head.startswith(b"PK\x03\x04"):
        return FIRST_PART.match(log.head) is not None
    return log.head.startswith(OLE) or b"<office:document" in log.head[:2000]


def tables(log: OpenLog, how: How) -> Iterator[Table]:
    """Yield the sheets that hold games, each as a table.

    Raises `UnreadableInput` for a file that cannot be read, without games, or with several lists that differ;
    `UsageError` when `how.sheet` names none of its sheets.
    """
    book = _opened(log)
    how = _where_it_fits(book, how)
    if MANIFEST in book.sheets and how.sheet is None:
        yield from _own(book, log.name)
        return
    found: Mapping[str, Sequence[Row]] = {
        name: rows for name in _asked(book, how, log.name) if (rows := _rows(book, name))
    }
    found, by_ids = _with_names(book, found, how)
    won = {name: bold_in_sheet(rows, book.bold.get(name, set())) for name, rows in found.items() if not how.columns}
    found = {name: won.get(name, (rows, []))[0] for name, rows in found.items()}
    if how.sheet is None:
        found = _with_games(found, how, log.name)
    left_out = _hidden(book, how)
    for name, all_rows in found.items():
        rows, notes = _with_years_of(name, all_rows)
        notes, left_out = [*left_out, *notes], []
        rows, more = side_by_side(rows, how.columns)
        said = [
            *_said(how, name),
            *_uncomputed(book, name),
            *by_ids.get(name, ()),
            *won.get(name, ((), ()))[1],
            *notes,
            *more,
        ]
        rows = _beside_cut(rows, how)
        if not is_crosstable(rows[:DEEPEST]):
            rows = _without_struck(book, name, rows)
        yield _table(book, f"{log.name}, {name}", rows, said)


def lists(log: OpenLog, how: How) -> Iterator[Table]:
    """Yield all sheets that are not hidden, or the one asked for, as they stand; of a book of ours, its players."""
    book = _opened(log)
    how = _where_it_fits(book, how)
    if MANIFEST in book.sheets and how.sheet is None:
        for table in book.all_tables:
            if table.name in ("Players", "Teams"):
                yield _table(book, f"{log.name}, {table.sheet}", _table_rows(book, table), [])
        return
    for name in _asked(book, how, log.name):
        if rows := _rows(book, name):
            yield _table(book, f"{log.name}, {name}", rows, _uncomputed(book, name))


def _opened(log: OpenLog) -> Book:
    from elo_sheets.files.ingest import read_any

    with log.as_file() as path:
        return read_any(path, values=True)


def _table(book: Book, name: str, rows: Sequence[Row], notes: Sequence[str], owner: str | None = None) -> Table:
    shift = SHIFT_1904 if book.calc.date1904 else 0
    return Table(name, rows, notes, owner, depth=DEEPEST, day=partial(_days, shift), clock=_clocks)


# Which sheets


def _where_it_fits(book: Book, how: How) -> How:
    """Return how a workbook is read: without the sheet that a book of ours remembers where it has none such."""
    if not isinstance(how.sheet, RememberedWord):
        return how
    wanted = how.sheet.strip().casefold()
    has = wanted in map(str.casefold, book.sheets) or (wanted.isdecimal() and 0 < int(wanted) <= len(book.sheets))
    return how if has and MANIFEST not in book.sheets else replace(how, sheet=None)


def _said(how: How, name: str) -> list[str]:
    """Return the remark on a sheet that is read because a book of ours remembers its name or its number."""
    if not isinstance(how.sheet, RememberedWord):
        return []
    which = "which" if how.sheet.strip().casefold() == name.casefold() else f"whose number {how.sheet}"
    return [f"the sheet {name!r} is read, {which} the book remembers; --sheet says otherwise"]


def _asked(book: Book, how: How, source: str) -> list[str]:
    """Return the sheet that is asked for by name or number, or all that are not hidden."""
    names = list(book.sheets)
    if how.sheet is None:
        return [name for name in names if name not in book.hidden]
    wanted = how.sheet.strip()
    by_name = {name.casefold(): name for name in names}
    if wanted.casefold() in by_name:
        return [by_name[wanted.casefold()]]
    if wanted.isdecimal() and 0 < int(wanted) <= len(names):
        return [names[int(wanted) - 1]]
    raise UsageError(
        f"expected a sheet of {source} ({listed(names)}) or its number, got {how.sheet!r}{did_you_mean(wanted, names)}"
    )


def _hidden(book: Book, how: How) -> list[str]:
    """Return the remark on hidden sheets that hold games and are not read."""
    names = [name for name in book.sheets if name in book.hidden] if how.sheet is None else []
    games = [name for name in names if (rows := _rows(book, name)) and header_of(rows, how.columns, DEEPEST)]
    if not games:
        return []
    are = "is hidden and was" if len(games) == 1 else "are hidden and were"
    return [f"{listed(games)} {are} left out, though games stand there: --sheet NAME reads one of them alone"]


def _with_games(found: Mapping[str, Sequence[Row]], how: How, source: str) -> dict[str, Sequence[Row]]:
    """Return the sheets that hold games; raises `UnreadableInput` where that leaves a choice or nothing."""
    if len(found) == 1:
        return dict(found)
    kinds: dict[str, tuple[str, ...]] = {}
    headers: dict[str, tuple[str, ...]] = {}
    for name, rows in found.items():
        if is_crosstable(rows[:DEEPEST]):
            kinds[name] = ("a crosstable", name)
        elif is_sided(rows, how.columns):
            kinds[name] = ("games of sides",)  # each sheet by its own header
        elif (header := header_of(rows, how.columns, DEEPEST)) is not None:
            kinds[name] = tuple(sorted(header.roles))
            headers[name] = tuple(filter(None, map(plain, header.headers)))
    if not kinds:
        if any(is_list(row.cells) for rows in found.values() for row in rows[:DEEPEST]):
            raise UnreadableInput(LIST_GIVEN.format(name=source))
        tops = "; ".join(f"{name!r}: {_headings(rows)}" for name, rows in list(found.items())[:5])
        raise UnreadableInput(
            f"expected a sheet with columns for two sides and the result, got none ({source} has "
            f"{tops or 'no cells'}); name the sheet with --sheet and the columns, as in --map white=Home --map "
            "black=Away --map score=Result"
        )
    same = headers.keys() == kinds.keys() and len(set(headers.values())) == 1
    if len(set(kinds.values())) > 1 and not same:
        raise UnreadableInput(
            f"several sheets of {source} hold games under different headers: {listed(list(kinds))}; say which with "
            "--sheet NAME"
        )
    return {name: found[name] for name in kinds}


def _with_years_of(name: str, rows: Sequence[Row]) -> Arranged:
    """Return rows whose days have the year that the name of their sheet tells, where no title does."""
    if not any(map(str.isdigit, name)) or dated(rows)[1]:
        return rows, []
    found, notes = dated([Row(0, [name]), *rows])
    return (found[1:] if notes else rows), notes


def _with_names(
    book: Book, found: Mapping[str, Sequence[Row]], how: How
) -> tuple[Mapping[str, Sequence[Row]], Mapping[str, Sequence[str]]]:
    """Return the sheets with the names of players whose ids another sheet explains, and the remarks on each of them."""
    known = {name: people for name in book.sheets if (people := people_below(found.get(name) or _rows(book, name)))}
    named: dict[str, Sequence[Row]] = {}
    notes: dict[str, Sequence[str]] = {}
    for name, rows in found.items():
        named[name], said = named_by_ids(rows, {} if name in known else known, DEEPEST, how.columns.values())
        notes[name] = [said] if said else []
    return named, notes


def _headings(rows: Sequence[Row]) -> str:
    """Return what is likely to be the header of a sheet, without its empty cells."""
    return listed(rows[likely_header(rows[:DEEPEST])].cells)


def _own(book: Book, source: str) -> Iterator[Table]:
    """Yield the typed games of a book of ours, with a note on what else it holds."""
    said = book.sheets[MANIFEST]
    facts = {cell.value: said.get((row, 2)) for (row, at), cell in said.items() if at == 1}
    title = facts.get(OWNER)
    owner = title.value if title is not None and isinstance(title.value, str) else None
    by_name = {table.name: table for table in book.all_tables}
    found = [by_name[name] for name in OWN_TABLES if name in by_name]
    if not found:
        raise UnreadableInput(f"expected a book with games, got one whose template holds none ({source})")
    note = (
        f"{source} {OF_OURS}, which validate, update and diff use; replay, explain, predict and simulate take them "
        "with --as-book, else give them again where they matter (--system, --set, --start)"
    )
    remembered = _remembered(book, facts, source)
    for at, table in enumerate(found):
        notes = [] if at else [note, *remembered]
        yield _table(book, f"{source}, {table.sheet}", _table_rows(book, table, True), notes, owner or None)


def _remembered(book: Book, facts: Mapping[Value, Cell | None], source: str) -> list[str]:
    """Return a remark on who is who by what the book remembers."""
    told = {str(key).removeprefix(OPTION): str(cell.value) for key, cell in facts.items() if cell is not None}
    lines = from_entries(told, source).lines()
    if not lines:
        return []
    more = f" and {len(lines) - MOST_NAMES} more" if len(lines) > MOST_NAMES else ""
    return [f"{source} remembers who is who, for update: {'; '.join(lines[:MOST_NAMES])}{more}"]


def _table_rows(book: Book, table: SheetTable, typed: bool = False) -> list[Row]:
    """Return the rows of a table of a sheet, its header first, or of the columns that are typed into."""
    cells = book.sheets[table.sheet]
    body = range(table.first_data_row, table.last_data_row + 1)

    def is_computed(at: int, name: str) -> bool:
        if table.column_formulas:
            return name in table.column_formulas
        some = [cells[row, at].formula is not None for row in body if (row, at) in cells]
        return 2 * sum(some) > len(some)  # LibreOffice stores no formula of a column

    places = enumerate(table.columns, table.first_col)
    columns = [at for at, name in places if not (typed and is_computed(at, name))]
    headers = [table.columns[at - table.first_col] for at in columns]
    rows = [Row(table.first_row, ["origin" if typed and text == SOURCE else text for text in headers])]
    for number in body:
        texts = [_text(cells[number, at]) if (number, at) in cells else "" for at in columns]
        if any(map(str.strip, texts)):
            rows.append(Row(number, texts))
    return rows


# Cells into rows


def _rows(book: Book, sheet: str) -> Sequence[Row]:
    """Return the rows of a sheet in which something was typed, each as wide as the sheet."""
    cells: dict[Place, Cell] = book.sheets[sheet]
    typed: dict[int, bool] = {}
    texts: dict[Place, str] = {}
    for place, cell in cells.items():
        text = _text(cell)
        if text.strip():
            texts[place] = text
            typed[place[0]] = typed.get(place[0], False) or cell.formula is None
    for place, origin in _merged(book, sheet):
        if origin in texts and typed.get(place[0]):
            texts[place] = texts[origin]
    by_row: dict[int, dict[int, str]] = {}
    for (row, column), text in texts.items():
        if typed.get(row) and column <= WIDEST:
            by_row.setdefault(row, {})[column] = text
    width = max((max(some) for some in by_row.values()), default=0)
    return [Row(row, [some.get(at, "") for at in range(1, width + 1)]) for row, some in sorted(by_row.items())]


def _merged(book: Book, sheet: str) -> Iterator[tuple[Place, Place]]:
    """Yield the cells below the first one of those merged over the rows of one column, and that first one."""
    from elo_sheets.files.references import parse_range

    for text in book.merges.get(sheet, []):
        first, left, last, right = parse_range(text)
        if left == right and last - first <= LONGEST_MERGE:
            yield from (((row, left), (first, left)) for row in range(first + 1, last + 1))


def _beside_cut(rows: Sequence[Row], how: How) -> Sequence[Row]:
    """Return rows without the columns that an empty header parts from those of the games."""
    header = header_of(rows, how.columns, DEEPEST)
    if header is None or is_crosstable(rows[:DEEPEST]):
        return rows
    headers = [cell.strip() for cell in header.headers]
    used = header.roles.values()
    below = {row.line for row in rows if all(row.cells[at].strip() for at in used)}
    first, last = min(used), max(used)
    while first > 0 and headers[first - 1]:
        first -= 1
    while last + 1 < len(headers) and headers[last + 1]:
        last += 1
    while last + 1 < len(headers) and any(row.cells[last + 1].strip() for row in rows if row.line in below):
        last += 1  # what stands under no heading beside the games, such as a remark, belongs to them
    if last - first + 1 == len(headers):
        return rows
    cut = [Row(row.line, row.cells[first : last + 1]) for row in rows]
    for at, row in enumerate(rows):  # a round and its day stand in the first column, wherever the games do
        if not any(map(str.strip, cut[at].cells)) and above(text := " ".join("".join(row.cells[:first]).split())):
            cut[at].cells[0] = text
    return [row for row in cut if any(map(str.strip, row.cells))]


def _without_struck(book: Book, sheet: str, rows: Sequence[Row]) -> Sequence[Row]:
    """Return rows of which those are at fault through most of whose cells a line is drawn."""
    struck = Counter(row for row, _ in book.struck_out.get(sheet, ()))
    return [
        row._replace(fault=row.fault or STRUCK_OUT) if 2 * struck[row.line] > sum(map(bool, row.cells)) else row
        for row in rows
    ]


def _uncomputed(book: Book, sheet: str) -> list[str]:
    """Return a remark on formulas whose values nobody has stored."""
    count = sum(cell.formula is not None and cell.value is None for cell in book.sheets[sheet].values())
    if not count:
        return []
    return [
        f"{count} formulas of the sheet {sheet!r} have no stored value and count as empty: open and save the workbook "
        "in a spreadsheet program"
    ]


def _text(cell: Cell) -> str:
    value: Value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float | int):
        return f"{value:.15g}" if abs(value) < 1e15 else repr(value)
    return value


# Dates as numbers of days


def _days(shift: int, texts: Sequence[str]) -> dict[str, str]:
    """Return the dates that numbers of days stand for; whole numbers that are all years stay years."""
    numbers = {text: float(text) for text in dict.fromkeys(texts) if NUMBER.fullmatch(text)}
    if all(number in YEARS for number in numbers.values()):
        return {}
    return {text: _moment(number + shift) for text, number in numbers.items() if 0 < number < LAST_DAY}


def _moment(days: float) -> str:
    day = datetime(1899, 12, 30) + timedelta(seconds=round(days * 86_400))
    return f"{day:%Y-%m-%d}" if day.hour == day.minute == day.second == 0 else f"{day:%Y-%m-%d %H:%M:%S}"


def _clocks(texts: Sequence[str]) -> dict[str, str]:
    """Return the times of day that parts of a day stand for."""
    numbers = {text: float(text) for text in dict.fromkeys(texts) if NUMBER.fullmatch(text)}
    return {
        text: f"{datetime(2000, 1, 1) + timedelta(seconds=round(number * 86_400)):%H:%M:%S}"
        for text, number in numbers.items()
        if 0 <= number < 1
    }
