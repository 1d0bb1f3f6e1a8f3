"""What the columns of delimited text hold: the delimiter, the rows, and the role that each header plays."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import dropwhile
from typing import NamedTuple

from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import COLUMNS, OTHER
from elo_sheets.readers._contents import (
    MOST,
    are_points,
    are_sides,
    fits,
    is_date,
    is_match,
    is_number,
    kind_of,
    names_winner,
    told_by_cells,
)
from elo_sheets.readers._headings import ROLES, is_of_points, is_of_rating, named, ranked_roles
from elo_sheets.readers._text import did_you_mean
from elo_sheets.readers._words import plain

LEAST_RATING = 30.0  # below it they are points or places: no rating of a federation is as low
DELIMITERS = (",", ";", "\t", "|")
LONGEST_ROW, LONGEST_FIELD = 50, 10_000
SAMPLE = 50
PREAMBLE = 10

# What a column of the games table is called by those who map it, too.
CALLED = {"result": "score", "home": "white", "away": "black"}
LEFT_TO_GUESS = frozenset({"game", "source", "source_row", "url", "origin"})
MAPPABLE = tuple(dict.fromkeys([name for name in COLUMNS if name not in LEFT_TO_GUESS] + list(ROLES)))

# Behind which no cell begins: a column of numbers may be headed #.
COMMENT = re.compile(r"#(?!\s*[,;\t|])")

OPEN_QUOTE = "a quote is opened and never closed"
NUL = "a NUL byte, which no text has"


class Remembered(dict[str, str]):
    """A mapping of columns that a book remembers of an earlier log: it counts for a log that has these headers."""

    @property
    def said(self) -> str:
        """The remark on a log that is read so."""
        told = ", ".join(f"{role}={header}" for role, header in self.items())
        return f"the columns are those that the book remembers: {told}; --map says otherwise"


class Row(NamedTuple):
    """One row as it stands in the file: the line where it starts, its cells, and why it cannot be used."""

    line: int
    cells: list[str]
    fault: str = ""

    def cell(self, at: int | None) -> str:
        """Return what stands in a cell without blanks around it, nothing where the row has none."""
        return self.cells[at].strip() if at is not None and 0 <= at < len(self.cells) else ""

    @property
    def filled(self) -> list[str]:
        """What stands in the cells that are not empty."""
        return [text for cell in self.cells if (text := cell.strip())]

    def padded(self, width: int) -> list[str]:
        """Return the cells with empty ones behind them, as many as the width asks for."""
        return [*self.cells, *[""] * (width - len(self.cells))]

    def holding(self, cells: list[str]) -> Row:
        """Return the row with other cells; one at fault stays as it is."""
        return self if self.fault else self._replace(cells=cells)

    def put(self, at: int, text: str) -> Row:
        """Return the row with another text in a cell."""
        return self._replace(cells=[*self.cells[:at], text, *self.cells[at + 1 :]])


# Rows as they were put, and remarks on it.
Arranged = tuple[Sequence[Row], list[str]]


@dataclass(frozen=True)
class Table:
    """Rows of cells under a header that may stand below other rows, whatever file they come from.

    `owner` is the player whose journal it is, as the file itself says, `said` what all its games have in common, and
    `depth` the number of rows that are looked at for a header. `day` and `clock` turn what the file has for a date
    and a time of day into what people write; None where it has just that.
    """

    name: str
    rows: Sequence[Row]
    notes: Sequence[str] = ()
    owner: str | None = None
    said: Mapping[str, object] = field(default_factory=dict)
    depth: int = PREAMBLE
    day: Callable[[Sequence[str]], Mapping[str, str]] | None = None
    clock: Callable[[Sequence[str]], Mapping[str, str]] | None = None


@dataclass(frozen=True)
class Layout:
    """Which column plays which role, counted from 0, and the headers."""

    roles: Mapping[str, int]
    headers: Sequence[str]
    has_header: bool = True
    remarks: Sequence[str] = ()  # on columns that were told by what they hold

    def name(self, role: str) -> str:
        """Return the header of a role's column, as it is printed."""
        index = self.roles[role]
        named = self.has_header and index < len(self.headers) and self.headers[index].strip()
        return self.headers[index] if named else f"column {index + 1}"


def column_of(rows: Sequence[Row], at: int) -> list[str]:
    """Return the cells of a column, of those rows that are as wide."""
    return [row.cells[at] for row in rows if at < len(row.cells)]


# Text into rows


def with_days(rows: Sequence[Row], layout: Layout, table: Table) -> Sequence[Row]:
    """Return rows with their dates and times of day as people write them."""
    for role, turn in (("date", table.day), ("time", table.clock)):
        at = layout.roles.get(role)
        if turn is not None and at is not None:
            said = turn(column_of(rows, at))
            rows = [row.put(at, said.get(row.cells[at], row.cells[at])) if at < len(row.cells) else row for row in rows]
    return rows


def start_of(lines: Sequence[str]) -> tuple[int, str | None]:
    """Return the first line that is neither blank nor a comment, and the delimiter of a `sep=` line."""
    delimiter = None
    for index, line in enumerate(lines):
        if named := re.fullmatch(r'"?sep=(.)"?', line.strip("\r\n "), re.I):
            delimiter = named[1]
        elif re.fullmatch(r"sep=\t?", line, re.I):
            delimiter = "\t"
        elif line.strip(" ,;\t|") and not COMMENT.match(line):
            return index, delimiter
    return len(lines), delimiter


def delimiter_of(lines: Sequence[str], columns: Mapping[str, str]) -> str:
    """Return the delimiter under which most headers are known and most rows are equally long."""
    wanted = {plain(text) for text in columns.values()}

    def fitness(delimiter: str) -> tuple[int, float, int]:
        rows = [row.cells for row in rows_of(lines[:SAMPLE], 0, delimiter)]
        widths = Counter(len(row) for row in rows)
        width, often = max(widths.items(), key=lambda item: (item[1], item[0]), default=(1, 0))
        if width == 1:
            return (0, 0, 0)
        known = max((len(guess(row)) + len(wanted & {plain(c) for c in row}) for row in rows[:PREAMBLE]), default=0)
        guessed = known if known > 1 else len(_guess_without_header(rows)) or known
        return (guessed, often / len(rows), width)

    drawn = [line for line in lines[:SAMPLE] if line.strip().startswith("|") and line.count("|") > 2]
    return "|" if 2 * len(drawn) > len(lines[:SAMPLE]) else max(DELIMITERS, key=fitness)


def rows_of(lines: Sequence[str], start: int, delimiter: str) -> Iterator[Row]:
    """Yield the rows from a line on, blank ones left out.

    A quoted field may go over lines. When such a row is malformed, longer than `LONGEST_ROW` lines or has a
    field over `LONGEST_FIELD` characters, a quote was left open: its first line alone is at fault and the
    next line starts a new row.
    """
    position, width = start, 0
    while position < len(lines):
        row, position = row_at(lines, position, delimiter, width)
        if row is not None:
            width = width or len(row.cells)
            yield row


def row_at(lines: Sequence[str], position: int, delimiter: str, width: int) -> tuple[Row | None, int]:
    """Return the row that starts on a line, None for a blank one, and the line after it.

    `width` is the number of cells of the first row, 0 for that row itself.
    """
    line = lines[position]
    if '"' not in line:
        cells, after, fault = line.split(delimiter), position + 1, ""
    else:
        cells, after, fault = _quoted(lines, position, delimiter, width)
    if "\x00" in line:
        fault = NUL
    elif not fault and max(map(len, cells)) > LONGEST_FIELD:
        fault = f"a field of more than {LONGEST_FIELD:,} characters"
    return (Row(position + 1, cells, fault) if fault or any(map(str.strip, cells)) else None), after


def quoted_row(line: str, delimiter: str) -> list[str]:
    """Return the cells of a line whose quotes are paired."""
    return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True))


def _quoted(lines: Sequence[str], position: int, delimiter: str, width: int) -> tuple[list[str], int, str]:
    """Return the cells of a row with quotes, the line after it, and its fault."""
    line = lines[position]
    if line.count('"') % 2 == 0:
        try:
            return quoted_row(line, delimiter), position + 1, ""
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


SCORE_TEXT = "score_text"


FLAGS = frozenset({"status", "played", "void", "forfeit", "remarks"})  # whether a game was played


def guess(headers: Sequence[str], below: Sequence[Sequence[str]] = ()) -> dict[str, int]:
    """Return the column of every role that a header names; of two for one role, the better known.

    `below` are rows of cells, against which is held what a header may say of other things too.
    """
    best: dict[str, tuple[int, int]] = {}
    for index, (rank, role, sure) in enumerate(ranked_roles(headers)):
        if not role or ((role in FLAGS or role == "opponent" or not sure) and not fits(role, _column(below, index))):
            continue
        if role not in best or rank < best[role][0]:
            best[role] = (rank, index)
    roles = {role: index for role, (_, index) in best.items()}
    known = [plain(header) for header in headers]
    same = [at for at, one in enumerate(known) if "score" in roles and one == known[roles["score"]]]
    if len(same) == 2 and all(are_points(_column(below, at)) for at in same):
        del roles["score"]  # a column for each side
    if "black_points" in roles and "white_points" not in roles:  # Pts, Opp Pts
        own = [
            at
            for at, one in enumerate(headers)
            if named(one) == "owner" or (is_of_points(one) and named(one) == "score")
        ]
        own = [at for at in own if at not in roles.values() or at in (roles.get("score"), roles.get("owner"))]
        own = [at for at in own if are_points(_column(below, at))]
        if len(own) == 1:
            roles = {role: at for role, at in roles.items() if at != own[0]} | {"white_points": own[0]}
    two = [at for at, one in enumerate(headers) if "owner" in roles and one.strip() == headers[roles["owner"]].strip()]
    if (
        len(two) == 2
        and not {"white", "opponent"} & roles.keys()
        and (
            are_sides(*(_column(below, at) for at in two))
            or ("score" in roles and is_match(*(_column(below, at) for at in (*two, roles["score"]))))
        )
    ):
        roles |= {"white": two[0], "black": two[1]}  # two players under one heading
    roles |= _rated(headers, below, roles)
    if "score" in roles and "score" in known and known.index("score") != roles["score"]:
        roles[SCORE_TEXT] = known.index("score")
    told = [_column(below, roles[role]) for role in ("winner", "owner", "opponent") if role in roles]
    if len(told) == 2 and {"winner", "opponent"} <= roles.keys() and "white" not in roles and are_sides(*told):
        roles["loser"] = roles.pop("opponent")
    decides = len(told) == 3 and names_winner(*told)
    winner = {"winner": roles["winner"]} if decides else {}  # from whosever side the score of a journal stands
    return _untangled(roles) | winner


def _rated(headers: Sequence[str], below: Sequence[Sequence[str]], roles: Mapping[str, int]) -> dict[str, int]:
    """Return the ratings of both sides under a heading that stands twice: White, Elo, Black, Elo; else nothing."""
    two = [at for at, one in enumerate(headers) if named(one) == "my_rating" or is_of_rating(one)]
    both = next((some for some in (("white", "black"), ("winner", "loser")) if {*some} <= roles.keys()), ())
    if len(two) != 2 or not both or {"white_rating", "black_rating"} & roles.keys():
        return {}
    told = [[cell for row in below if at < len(row) and (cell := row[at].strip(" -"))] for at in two]
    if any(kind_of(cells) not in ("number", "nothing") for cells in told):
        return {}
    if any(is_number(cell) and 0 < float(cell.replace(",", ".")) < LEAST_RATING for cells in told for cell in cells):
        return {}
    return dict(
        zip(("white_rating", "black_rating"), two if roles[both[0]] < roles[both[1]] else two[::-1], strict=True)
    )


def is_heading(cells: Sequence[str]) -> bool:
    """Tell whether one text alone stands in a row, perhaps over all columns."""
    return len({text for cell in cells if (text := cell.strip())}) < 2


def shown_below(rows: Sequence[Row], at: int, count: int = SAMPLE) -> Sequence[Sequence[str]]:
    """Return the cells of the rows below a header that show what its columns hold: no headings, nor it once more.

    Nor are there remarks between them.
    """
    header = list(map(plain, rows[at].cells))
    below = [row.cells for row in rows[at + 1 : at + 1 + count] if not row.fault and not is_heading(row.cells)]
    below = [cells for cells in below if list(map(plain, cells)) != header]
    below = [cells for cells, is_full in zip(below, are_full(below), strict=True) if is_full]
    return list(dropwhile(tells_no_number, below)) or below  # more headings: (DD.MM.YYYY), Name, Points


def are_full(rows: Sequence[Sequence[str]]) -> list[bool]:
    """Tell which rows fill more than half of the cells that the others fill, as no remark between them does."""
    widths = [sum(map(bool, map(str.strip, cells))) for cells in rows]
    usual = sorted(widths)[len(widths) // 2] if widths else 0
    return [2 * width > usual for width in widths]


def tells_no_number(cells: Sequence[str]) -> bool:
    """Tell whether no digit stands in a row: above others that have some it may be a second one of headings."""
    return not any(map(str.isdigit, "".join(cells)))


def _column(rows: Sequence[Sequence[str]], index: int) -> list[str]:
    return [row[index] if index < len(row) else "" for row in rows]


def _untangled(roles: dict[str, int]) -> dict[str, int]:
    """Drop the roles that only mean something together with others; ids stand for the sides where nothing else does."""
    if {"white_id", "black_id"} <= roles.keys() and not {
        "white",
        "black",
        "opponent",
        "winner",
        "loser",
        "owner",
    } & roles.keys():
        roles = {
            role.removesuffix("_id") if role in ("white_id", "black_id") else role: at for role, at in roles.items()
        }
    if "white_points" in roles and not {"black_points", "score"} & roles.keys():
        roles["score"] = roles.pop("white_points")
    if "white" in roles and "black" in roles:
        surplus = {"owner", "opponent", "colour", "opponent_rating", "my_rating", "my_rating_after", "loser"}
        surplus |= {"opponent_id"}
    elif "opponent" in roles:
        surplus = {"white", "black", "loser", "winner"}
        if "owner" not in roles and "white" in roles:
            roles["owner"] = roles["white"]
        behind = "owner" not in roles and roles.get("my_rating") == roles["opponent"] + 1
        if behind and "opponent_rating" not in roles:
            roles["opponent_rating"] = roles.pop("my_rating")  # Opponent, Rating: his
    elif "winner" in roles and "loser" in roles:
        surplus = {"owner", "white", "black", "my_rating", "my_rating_after"}
    else:
        surplus = {"owner", "opponent_rating", "my_rating", "my_rating_after"}
    return {role: index for role, index in roles.items() if role not in surplus}


def layout_of(
    rows: Sequence[Row], columns: Mapping[str, str], source: str, depth: int = PREAMBLE
) -> tuple[int, Layout]:
    """Return the line of the header, or the one before the games where there is none, and the layout of the columns.

    `rows` are the first ones, of which `depth` are looked at for a header.
    """
    if not rows:
        raise UnreadableInput(f"expected games, got an empty file ({source})")
    first = rows[0].line - 1
    rows = rows[:SAMPLE]
    columns = asked_of(rows, columns)
    if isinstance(columns, Remembered):
        line, layout = layout_of(rows, dict(columns), source, depth)
        return line, replace(layout, remarks=[columns.said, *layout.remarks])
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
            below = [row.cells for row in rows[1:]]
            return rows[0].line, Layout({**_unmapped(guess(headers, below), by_number), **by_number}, headers)
        return first, Layout({**_unmapped(headerless, by_number), **by_number}, rows[0].cells, has_header=False)
    if not columns and headerless and not complete(guess(rows[0].cells)):
        return first, Layout(headerless, rows[0].cells, has_header=False)
    if (found := _header(rows, columns, depth)) is not None:
        return found
    at = likely_header(rows[:depth])
    headers, below = rows[at].cells, [row.cells for row in rows[at + 1 :]]
    mapped = _mapped(headers, columns)
    for role, text in columns.items():
        if role not in mapped:
            raise UsageError(
                f"expected a header of the file for {role!r}, got {text!r} ({source} has "
                f"{listed(headers)}){did_you_mean(text, list(headers))}"
            )
    return rows[at].line, _whole({**_unmapped(guess(headers, below), mapped), **mapped}, headers, below)


def header_of(rows: Sequence[Row], columns: Mapping[str, str], depth: int) -> Layout | None:
    """Return the layout of the first row that names both sides and the result, None where there is none.

    What the words of a header tell is held against the rows below, as far as they are given.
    """
    found = _header(rows, asked_of(rows, columns), depth)
    return None if found is None else found[1]


def asked_of(rows: Sequence[Row], columns: Mapping[str, str]) -> Mapping[str, str]:
    """Return a mapping of columns as it counts for these rows: one that is remembered, where they have its headers.

    One that is remembered by numbers counts where no header is known.
    """
    if not isinstance(columns, Remembered):
        return columns
    if all(text.isdecimal() for text in columns.values()):
        return {} if _header(rows, {}, SAMPLE) else columns
    return columns if any(len(_mapped(row.cells, columns)) == len(columns) for row in rows[:SAMPLE]) else {}


def _header(rows: Sequence[Row], columns: Mapping[str, str], depth: int) -> tuple[int, Layout] | None:
    for at, row in enumerate(rows[:depth]):
        if any(map(is_date, row.cells)):
            continue  # a game: sides may have names as headings have, A Team and B Team
        below = shown_below(rows, at)
        mapped = _mapped(row.cells, columns)
        roles = {**_unmapped(guess(row.cells, below), mapped), **mapped}
        if len(mapped) == len(columns) and not row.fault and complete(roles):
            return row.line, _whole(roles, row.cells, below)
        if len(mapped) == len(columns) and not row.fault and {"white", "black"} <= roles.keys():
            whole = _whole(roles, row.cells, below)
            if complete(whole.roles):
                return row.line, whole
    at = likely_header(rows[:depth]) if rows and not columns else -1
    if at >= 0 and are_words(rows[at].cells) and not rows[at].fault:  # told by the cells below alone
        below = shown_below(rows, at)
        whole = _whole(guess(rows[at].cells, below), rows[at].cells, below)
        return (rows[at].line, whole) if complete(whole.roles) else None
    return None


def _whole(roles: Mapping[str, int], headers: Sequence[str], below: Sequence[Sequence[str]]) -> Layout:
    """Return a layout with what its cells tell beyond its headers."""
    found, remarks = told_by_cells(roles, headers, below)
    return Layout(found, headers, remarks=remarks)


def likely_header(rows: Sequence[Row]) -> int:
    """Return the place of the first row that is as wide as most and holds words alone; 0 where there is none."""
    widths = [sum(1 for cell in row.cells if cell.strip()) for row in rows]
    typical = max(Counter(widths).items(), key=lambda item: (item[1], item[0]))[0]
    wide = [at for at, width in enumerate(widths) if width >= MOST * typical]
    above: list[set[str]] = [set() for _ in range(max(len(row.cells) for row in rows))]
    for at in wide:
        cells = [cell.strip() for cell in rows[at].cells]
        # A game without a result, of words alone, has sides that stand above it, too.
        if not rows[at].fault and are_words(cells) and not any(map(set.__contains__, above, cells)):
            return at
        for known, cell in zip(above, cells, strict=False):
            known |= {cell} - {""}
    return 0


def are_words(cells: Sequence[str]) -> bool:
    """Whether cells are words alone, as those of a header; # stands for a number there."""
    return kind_of([cell for cell in cells if cell.strip() not in ("#", "№")]) == "name"


def named_columns(columns: Mapping[str, str]) -> Mapping[str, str]:
    """Return a mapping of columns under the names of the games table; raises `UsageError` for one that is named twice.

    >>> named_columns({"result": "FTR"})
    {'score': 'FTR'}
    """
    found = type(columns)() if isinstance(columns, Remembered) else {}
    for role, text in columns.items():
        name = CALLED.get(role, role)
        if found.setdefault(name, text) != text:
            raise UsageError(f"expected one column for the {name}, got {found[name]!r} and {text!r}: leave one out")
    return found


def _check_columns(columns: Mapping[str, str]) -> None:
    for role in columns:
        if role not in MAPPABLE and not role.startswith(OTHER):
            raise UsageError(
                f"expected a column of the games table to map, got {role!r}; there are "
                f"{', '.join(MAPPABLE)}{did_you_mean(role, list(MAPPABLE))}"
            )


def _mapped(headers: Sequence[str], columns: Mapping[str, str]) -> dict[str, int]:
    exact = {" ".join(header.split()).casefold(): index for index, header in reversed(list(enumerate(headers)))}
    known = {plain(header): index for index, header in reversed(list(enumerate(headers)))}
    found = {}
    for role, text in columns.items():
        index = exact.get(" ".join(text.split()).casefold(), known.get(plain(text)) if plain(text) else None)
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


def complete(roles: Mapping[str, int]) -> bool:
    """Tell whether roles name both sides and a result."""
    sides = {"white", "black"} <= roles.keys() or {"winner", "loser"} <= roles.keys() or "opponent" in roles
    result = bool({"score", "winner"} & roles.keys()) or {"white_points", "black_points"} <= roles.keys()
    return sides and result


def _guess_without_header(rows: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the columns of a log without headers, judged by what its rows hold; nothing when that fails."""
    sample = [row for row in rows if len(row) == len(rows[0])]
    kinds = [kind_of([row[index] for row in sample]) for index in range(len(rows[0]))] if sample else []
    first = [kind_of([cell]) for cell in rows[0]] if rows else []
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


def _looks_like_header(rows: Sequence[Row], roles: Mapping[str, int]) -> bool:
    """Tell whether row 1 holds headers: where the mapping puts dates, numbers or results, it has words."""
    kinds = {role: kind_of([rows[0].cells[index]]) for role, index in roles.items()}
    telling = [kinds[role] for role in ("date", "score", "white_points", "black_points") if role in kinds]
    return (
        bool(telling)
        and not {"date", "number", "result"} & set(telling)
        and len(rows[0].cells[roles.get("score", 0)]) > 1
    )


def check_layout(layout: Layout, player: str | None, source: str, remedy: Callable[[], str]) -> None:
    """Raise `UnreadableInput` for a layout without the two sides or the result, or without the owner of a journal."""
    roles = layout.roles
    if not complete(roles):
        missing = "the result" if {"white", "black"} <= roles.keys() else "the two sides"
        raise UnreadableInput(
            f"expected a column for {missing}, got the headers {listed(layout.headers)} ({source}); {remedy()}"
        )
    if "opponent" in roles and "owner" not in roles and not {"white", "black"} <= roles.keys() and player is None:
        raise UnreadableInput(
            f"expected two players a row, got opponents only in column {layout.name('opponent')!r} "
            f"({source}); "
            "say whose journal it is with --player NAME of replay or import"
        )


def listed(headers: Sequence[str]) -> str:
    """Return headers as an error message lists them."""
    told = [" ".join(header.split()) for header in headers]
    told = [header for header in told if header] or told
    return ", ".join(repr(header[:40]) for header in told[:30]) + (", …" if len(told) > 30 else "")
