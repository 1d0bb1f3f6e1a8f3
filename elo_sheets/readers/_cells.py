"""Delimited text as columns: of each column every distinct text once, and for each row which of them it has.

What a text means is found once for all rows that have it. Lines without quotes, with as many fields as the header, are
cut all at once; all others by `rows_of`'s rule, line by line.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, overload

from elo_sheets._late import NDArray, np, pd
from elo_sheets.readers._layout import LONGEST_FIELD, Row, quoted_row, row_at
from elo_sheets.readers._spans import Spans
from elo_sheets.readers._text import are_clean, clean_names, identities

if TYPE_CHECKING:
    Codes = NDArray[np.int64]

NEWLINE, QUOTE = 10, 34


class Texts(list[str]):
    """Distinct texts, with what they are as players' names."""

    @cached_property
    def names(self) -> Sequence[str]:
        """The texts as `clean_name` gives them."""
        return clean_names(self)

    @cached_property
    def keys(self) -> list[str]:
        """What `identity` gives of each text."""
        return identities(self.names)

    @cached_property
    def known(self) -> frozenset[str]:
        """All that `identity` gives of any text."""
        return frozenset(self.keys)


@dataclass(frozen=True)
class Column:
    """One column: its distinct texts in the order in which they first stand there, and each row's place among them.

    Columns that are `shared` have one list of texts, those of all of them, row by row.
    """

    codes: Codes
    texts: Texts
    shared: bool = False

    def alone(self) -> Column:
        """Return the column with the texts that stand in it, and no others."""
        return _once(self.texts, self.codes)[0] if self.shared else self

    def counts(self) -> dict[str, int]:
        """Return how many rows have each text."""
        column = self.alone()
        often = np.bincount(column.codes, minlength=len(column.texts))
        return dict(zip(column.texts, often.tolist(), strict=True))

    def first(self) -> Codes:
        """Return the first row of each text."""
        found = np.zeros(len(self.texts), dtype=np.int64)
        found[self.codes[::-1]] = np.arange(len(self.codes))[::-1]
        return found


@dataclass(frozen=True)
class Cells:
    """The rows of a log that have a cell for each header: their lines and columns."""

    lines: Codes
    columns: Sequence[Column]

    def __len__(self) -> int:
        return len(self.lines)

    def distinct(self, index: int) -> dict[str, int]:
        """Return every distinct text of a column and the first line that has it."""
        column = self.columns[index].alone()
        return dict(zip(column.texts, self.lines[column.first()].tolist(), strict=True))

    def row(self, at: int) -> Row:
        """Return one row."""
        return Row(int(self.lines[at]), [column.texts[column.codes[at]] for column in self.columns])

    def take(self, at: Any) -> Cells:
        """Return some of the rows."""
        return Cells(self.lines[at], _each([self], lambda codes: codes[0][at]))


def cells_of(rows: Sequence[Row], width: int, together: Sequence[int] = ()) -> Cells:
    """Return rows of one width as columns; those that stand in `together` are shared."""
    lines = np.array([row.line for row in rows], dtype=np.int64)
    columns: dict[int, Column] = {}
    for group in _groups(width, together):
        texts = [row.cells[index].strip() for row in rows for index in group]
        codes = np.arange(len(texts)).reshape(-1, len(group)).T
        columns |= zip(group, _once(texts, *codes), strict=True)
    return Cells(lines, [columns[index] for index in range(width)])


def joined(parts: Sequence[Cells]) -> Cells:
    """Return the rows of all parts, in which the same columns are shared, in the order of their lines."""
    parts = [part for part in parts if len(part)] or list(parts[:1])
    if len(parts) == 1:
        return parts[0]
    lines = np.concatenate([part.lines for part in parts])
    order = np.argsort(lines, kind="stable")
    return Cells(lines[order], _each(parts, lambda codes: np.concatenate(codes)[order]))


def _groups(width: int, together: Sequence[int]) -> list[Sequence[int]]:
    """Return the columns by their numbers, those of one group being shared."""
    alone = [[index] for index in range(width) if index not in together]
    return [together, *alone] if together else list(alone)


def _each(parts: Sequence[Cells], rows: Callable[[list[Codes]], Codes]) -> list[Column]:
    """Return the columns of cells that have some rows of the parts: `rows` takes the codes of each part."""
    some = parts[0].columns
    columns: dict[int, Column] = {}
    for group in _groups(len(some), [index for index, column in enumerate(some) if column.shared]):
        texts = [part.columns[group[0]].texts for part in parts]
        before = np.cumsum([0, *map(len, texts)])
        codes = [
            rows([part.columns[index].codes + at for part, at in zip(parts, before, strict=False)]) for index in group
        ]
        columns |= zip(group, _once(list(chain.from_iterable(texts)), *codes), strict=True)
    return [columns[index] for index in range(len(some))]


def _stripped(codes: Codes, lines: bytes) -> list[Column]:
    """Return columns of the texts that are lines, without the blanks around them; `codes` has a column for each."""
    distinct = Texts(lines[:-1].decode("utf-8", "surrogatepass").split("\n") if lines else ())
    if are_clean(lines[:-1]):
        distinct.names = distinct
    elif (stripped := list(map(str.strip, distinct))) != distinct:
        return _once(stripped, *codes.T)
    return [Column(one, distinct, codes.shape[1] > 1) for one in codes.T.copy()]


def _once(texts: Sequence[str], *codes: Codes) -> list[Column]:
    """Return columns from texts some of which may be the same, or stand in no row; several are shared."""
    places: dict[str, int] = {}
    numbers = np.array([places.setdefault(text, len(places)) for text in texts], dtype=np.int64)
    again, found = pd.factorize(numbers[np.column_stack(codes).ravel()])
    distinct = list(places)
    some = Texts(distinct[at] for at in found.tolist())
    return [Column(one, some, len(codes) > 1) for one in again.reshape(-1, len(codes)).T]


class _Lines(Sequence[str]):
    """The lines of a text in UTF-8, decoded when they are asked for."""

    def __init__(self, data: bytes, starts: Codes, ends: Codes) -> None:
        self._data, self._starts, self._ends = data, starts, ends

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        return self._data[self._starts[at] : self._ends[at]].decode("utf-8", "surrogatepass")


def read_cells(
    data: bytes, start: int, delimiter: str, width: int, together: Sequence[int] = ()
) -> tuple[Cells, list[Row]]:
    """Return the rows of a text in UTF-8 from a line on: those of `width` cells as columns, and all others.

    The columns that stand in `together` are shared. Blank rows are left out, as `rows_of` does. Lines end with a line
    feed; they are counted from 0 in `start` and from 1 in what comes back.
    """
    spans = Spans(data)
    bytes_ = spans.bytes[: len(data)]
    separator = delimiter.encode()
    single = len(separator) == 1 and separator not in (b'"', b"\x00")
    ends_field = bytes_ == NEWLINE
    if single:
        ends_field |= bytes_ == separator[0]
    fields = np.flatnonzero(ends_field)
    del ends_field
    last = np.flatnonzero(bytes_[fields] == NEWLINE)
    if not data.endswith(b"\n"):
        last = np.append(last, len(fields))
        fields = np.append(fields, len(data))
    ends = fields[last]
    starts = np.concatenate([[0], ends[:-1] + 1])
    plain = np.diff(last, prepend=-1) == width if single else np.zeros(len(ends), dtype=bool)
    plain &= ends - starts <= LONGEST_FIELD
    quotes = _count(bytes_, QUOTE, ends) if b'"' in data else np.zeros(0, dtype=np.int64)
    if len(quotes):
        plain &= quotes == 0
    if b"\x00" in data:
        plain &= _count(bytes_, 0, ends) == 0
    plain[:start] = False
    lines = _Lines(data, starts, ends)
    simple = np.zeros(len(ends), dtype=bool)
    if single and len(quotes):
        simple = (quotes > 0) & (quotes % 2 == 0) & (ends - starts <= LONGEST_FIELD)
    rows = list(_others(lines, start, delimiter, plain, simple))
    narrow = [row for row in rows if row.fault or len(row.cells) != width]
    wide = [row for row in rows if not row.fault and len(row.cells) == width]
    rows_plain = np.flatnonzero(plain)
    columns: dict[int, Column] = {}
    if len(rows_plain) * width == len(fields) - (last[start - 1] + 1 if start else 0):  # no line is left out
        grid = fields[len(fields) - len(rows_plain) * width :].reshape(-1, width)
    else:
        grid = fields[(last[rows_plain] - (width - 1))[:, np.newaxis] + np.arange(width)]
    for group in _groups(width, together):
        begin = grid.take([index - 1 for index in group], axis=1) + 1
        if 0 in group:
            begin[:, list(group).index(0)] = starts[rows_plain]
        codes, lines_of = spans.distinct(begin.ravel(), grid.take(group, axis=1).ravel())
        columns |= zip(group, _stripped(codes.reshape(-1, len(group)), lines_of), strict=True)
    cells = Cells(rows_plain + 1, [columns[index] for index in range(width)])
    return joined([_without_blank(cells), cells_of(wide, width, together)]), narrow


def _count(bytes_: Any, byte: int, ends: Codes) -> Codes:
    """Return how often a byte stands in each line."""
    found = np.flatnonzero(bytes_ == byte)
    if len(found) == 0:
        return np.zeros(len(ends), dtype=np.int64)
    return np.diff(np.searchsorted(found, ends), prepend=0)


def _others(
    lines: _Lines, start: int, delimiter: str, plain: NDArray[np.bool_], simple: NDArray[np.bool_]
) -> Iterator[Row]:
    """Yield the rows of the other lines; those within a quoted field are taken off `plain`."""
    others = (np.flatnonzero(~plain[start:]) + start).tolist()
    if not others:
        return
    # The first row of all says how many fields a quoted one over several lines must have.
    first = next((at for at in np.flatnonzero(plain).tolist() if lines[at].strip(delimiter + " \t")), len(lines))
    width = position = 0
    batch: list[int] = []
    for at in others:
        if at < position:
            continue
        if not width and at > first:
            width = len(lines[first].split(delimiter))
        if width and simple[at]:
            batch.append(at)
            continue
        row, position = row_at(lines, at, delimiter, width)
        plain[at:position] = False
        if row is not None:
            width = width or len(row.cells)
            yield row
    yield from _batch(lines, batch, delimiter)


def _batch(lines: _Lines, at: Sequence[int], delimiter: str) -> Iterator[Row]:
    """Yield the rows of lines whose quotes are paired."""
    texts = [lines[one] for one in at]
    try:
        found = list(csv.reader(texts, delimiter=delimiter, skipinitialspace=True))
    except csv.Error:
        found = []
    if len(found) != len(at):
        found = [quoted_row(text, delimiter) for text in texts]
    for one, cells in zip(at, found, strict=True):
        if any(map(str.strip, cells)):
            yield Row(one + 1, cells)


def _without_blank(cells: Cells) -> Cells:
    """Leave out the rows in which nothing stands."""
    blank = np.ones(len(cells), dtype=bool)
    for column in cells.columns:
        if "" not in column.texts:
            return cells
        blank &= column.codes == column.texts.index("")
    return cells.take(~blank) if blank.any() else cells
