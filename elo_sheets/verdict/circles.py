"""Which cells a formula reads, and which formulas reach themselves.

Ranges are never spelt out: the formulas of a column stand in a sorted list, a range is an interval of that list, and
the search for circles (Tarjan's, of strongly connected components) asks an interval for a formula not visited yet or
for the oldest one on its stack.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, TypeAlias, TypeVar

from elo_sheets.files.cells import Book
from elo_sheets.files.references import MAX_COLUMN, MAX_ROW, Place, column_number, structured_resolver

VALUE, BRANCH, REFERENCE = 0, 1, 2  # how a formula reads a range: always, under a condition, one cell of it by INDEX
_NOT_READ = 3
_TABLE = 4  # and on, by its way otherwise: a table in whose first column VLOOKUP looks, to read one cell beside it

Node = tuple[str, int, int]  # sheet, row, column


class Area(NamedTuple):
    """A rectangle of cells that a formula reads, and how (`VALUE`, `BRANCH` or `REFERENCE`)."""

    sheet: str
    top: int
    left: int
    bottom: int
    right: int
    way: int = VALUE

    def holds(self, node: Node) -> bool:
        """True when the cell lies inside."""
        sheet, row, column = node
        return sheet == self.sheet and self.top <= row <= self.bottom and self.left <= column <= self.right


_SHEET = r"(?:'(?:[^']|'')+'|[^\W\d][\w.]*)!"
_CELL = r"\$?[A-Za-z]{1,3}\$?[1-9]\d{0,6}"
_TOKEN = re.compile(
    rf"""
      (?P<text>"(?:[^"]|"")*")
    | (?P<outside>\[[^\[\]]*\][^\W\d]?[\w.]*!{_CELL}(?::{_CELL})?)
    | (?P<reference>(?:{_SHEET})?(?:(?<![\w.$]){_CELL}(?::{_CELL})?
        |(?<![\w.$])\$?[A-Za-z]{{1,3}}:\$?[A-Za-z]{{1,3}}|(?<![\w.$])\$?\d+:\$?\d+)(?![\w(.\[!]))
    | (?P<call>[^\W\d][\w.]*)\(
    | (?P<mark>[(),])
    | (?P<word>(?:{_SHEET})?[^\W\d][\w.\\]*)
    """,
    re.VERBOSE,
)
_DIGITS = re.compile(r"(\d+)")
_PLACE = re.compile(r"\$?([A-Za-z]{0,3})\$?(\d{0,7})")
_LAZY_FROM = {"IF": 1, "CHOOSE": 1, "SWITCH": 1, "IFERROR": 1, "IFNA": 1, "IFS": 1}
_BY_REFERENCE = {"INDEX": 0, "OFFSET": 0, "XLOOKUP": 2}
_SHAPE_ONLY = frozenset({"ROW", "ROWS", "COLUMN", "COLUMNS", "AREAS", "SHEET", "ISREF", "FORMULATEXT", "ISFORMULA"})


def _half(text: str) -> tuple[int, int]:
    """Row and column of one side of a reference, 0 for what it does not say; -1 for a column beyond the last."""
    match = _PLACE.fullmatch(text)
    if match is None:
        return -1, -1
    return int(match[2] or 0), (column_number(match[1]) or -1) if match[1] else 0


@lru_cache(maxsize=4096)
def _rectangle(text: str) -> tuple[str | None, int, int, int, int] | None:
    """Sheet (None: the formula's own) and rectangle of a reference; None for another file, or what is no reference."""
    sheet, mark, cells = text.rpartition("!")
    if "[" in sheet:
        return None
    first, _, last = cells.partition(":")
    (row1, column1), (row2, column2) = _half(first), _half(last or first)
    if column1 < 0 or column2 < 0:
        return None  # a name such as ZZZ1
    top, bottom = sorted((row1, row2)) if row1 and row2 else (1, MAX_ROW)
    left, right = sorted((column1, column2)) if column1 and column2 else (1, MAX_COLUMN)
    name = sheet[1:-1].replace("''", "'") if sheet.startswith("'") else sheet
    return name if mark else None, top, left, bottom, right


def _row_numbers(formula: str, start: int, reference: str) -> tuple[int, int]:
    """Which numbers of the formula, counted from its beginning, are the rows of a reference in it."""
    cells = reference.rpartition("!")[2]
    rows = len(_DIGITS.findall(cells))
    if rows == 0:
        return -1, -1
    first = len(_DIGITS.findall(formula[: start + len(reference) - len(cells)]))
    return first, first + rows - 1


def _fixed_numbers(formula: str) -> list[int]:
    """Which numbers of a formula belong to texts, functions, names and sheets."""
    spans = []
    for match in _TOKEN.finditer(formula):
        if match.lastgroup == "reference":
            spans.append((match.start(), match.start() + match[0].rfind("!") + 1))
        elif match.lastgroup != "mark":
            spans.append(match.span())
    numbers = enumerate(_DIGITS.finditer(formula))
    return [index for index, number in numbers if any(a <= number.start() < b for a, b in spans)]


def _parts(area: Area, own: Node) -> list[Area]:
    """What a formula in the cell `own` reads of an area: of a table the first column, and one cell of the others."""
    if area.way < _TABLE:
        return [area]
    way = area.way - _TABLE
    if area.holds(own) or area.left == area.right:  # programs refuse a table with the formula itself in it
        return [area._replace(way=way)]
    return [area._replace(right=area.left, way=way), area._replace(left=area.left + 1, way=REFERENCE)]


class _Found(NamedTuple):
    """A rectangle in a formula, and which of the formula's numbers are its rows (-1: none, it is always the same)."""

    area: Area
    first: int = -1
    last: int = -1


class Reads:
    """Finds what the formulas of a book read.

    Formulas that differ in their numbers only, as those of a column do, are looked through once.
    """

    def __init__(self, book: Book) -> None:
        self.book = book
        self.resolve = structured_resolver(book.all_tables)
        self.sheets = {sheet.casefold(): sheet for sheet in book.sheets}
        self.names = {name.casefold(): text for name, text in book.names.items()}
        self.local = {(sheet.casefold(), name.casefold()): text for (sheet, name), text in book.local_names.items()}
        self.named: dict[tuple[str, str], list[Area]] = {}
        # by the text between the numbers: which numbers belong to names and sheets, and by those what is read
        self.alike: dict[tuple[str, ...], tuple[list[int], dict[tuple[str, ...], list[_Found]]]] = {}

    def areas(self, formula: str, sheet: str, row: int, column: int) -> list[Area]:
        """The rectangles that the formula of a cell reads; those of other files are left out."""
        text = self.resolve(formula, sheet, row, column)
        parts = _DIGITS.split(text)
        numbers = parts[1::2]
        key = (sheet, *parts[::2])
        known = self.alike.get(key)
        if known is None:
            known = self.alike[key] = (_fixed_numbers(text), {})
        fixed = tuple([numbers[index] for index in known[0]])
        found = known[1].get(fixed)
        if found is None:
            found = known[1][fixed] = self._scan(text, sheet, 0)
        areas = []
        for area, first, last in found:
            if first < 0:
                areas.append(area)
                continue
            top, bottom = int(numbers[first]), int(numbers[last])
            if top > bottom:
                top, bottom = bottom, top
            areas.append(Area(area.sheet, top, area.left, bottom, area.right, area.way))
        return [part for area in areas for part in _parts(area, (sheet, row, column))]

    def _scan(self, formula: str, sheet: str, depth: int) -> list[_Found]:
        found: list[_Found] = []
        calls: list[tuple[str, int, int]] = []  # function, number of the argument, way of all that is inside
        way = VALUE
        for match in _TOKEN.finditer(formula):
            kind = match.lastgroup
            if kind == "reference":
                area = _rectangle(match[0])
                if area is not None:
                    own, top, left, bottom, right = area
                    name = sheet if own is None else self.sheets.get(own.casefold())
                    read = self._way_here(calls, way)
                    if name is not None and read != _NOT_READ:
                        rows = _row_numbers(formula, match.start(), match[0])
                        found.append(_Found(Area(name, top, left, bottom, right, read), *rows))
            elif kind == "call":
                calls.append((match["call"].upper().removeprefix("_XLFN."), 0, way))
                way = self._inside(calls)
            elif kind == "mark":
                way = self._mark(match[0], calls, way)
            elif kind == "word" and depth < 8:
                for named in self._name(match[0], sheet, depth):
                    read = max(named.way, self._way_here(calls, way))
                    if read != _NOT_READ:
                        found.append(_Found(named._replace(way=read)))
        return found

    def _mark(self, mark: str, calls: list[tuple[str, int, int]], way: int) -> int:
        if mark == "(":
            calls.append(("", 0, way))
        elif mark == ")":
            return calls.pop()[2] if calls else VALUE
        elif calls:
            name, argument, outer = calls[-1]
            calls[-1] = name, argument + 1, outer
            return self._inside(calls)
        return way

    @staticmethod
    def _inside(calls: list[tuple[str, int, int]]) -> int:
        name, argument, outer = calls[-1]
        lazy = _LAZY_FROM.get(name)
        return BRANCH if lazy is not None and argument >= lazy else outer

    @staticmethod
    def _way_here(calls: list[tuple[str, int, int]], way: int) -> int:
        if not calls:
            return way
        name, argument, _ = calls[-1]
        if name in _SHAPE_ONLY:
            return _NOT_READ
        if name == "VLOOKUP" and argument == 1:
            return _TABLE + way
        return REFERENCE if _BY_REFERENCE.get(name) == argument else way

    def _name(self, word: str, sheet: str, depth: int) -> list[Area]:
        if not (self.names or self.local):
            return []
        key = sheet, word.casefold()
        known = self.named.get(key)
        if known is None:
            home, mark, name = word.rpartition("!")
            own = self.sheets.get(home.strip("'").casefold(), sheet) if mark else sheet
            text = self.local.get((own.casefold(), name.casefold()), self.names.get(name.casefold()))
            found = [] if text is None else self._scan(self.resolve(text, own, 0, 0), own, depth + 1)
            known = [one.area for one in found]
            self.named[key] = known
        return known


@dataclass
class _Column:
    """The formulas of one column: their rows in order, the next one not visited, the oldest on the stack."""

    rows: list[int] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    following: list[int] = field(default_factory=list)
    tree: list[int] = field(default_factory=list)
    size: int = 1


_NOBODY = 1 << 60
_Interval: TypeAlias = tuple[_Column, int, int]


class Graph:
    """Formulas and what they read; only formulas are nodes."""

    def __init__(self, reads: Mapping[Node, list[Area]]) -> None:
        self.nodes = sorted(reads, key=lambda node: (node[1], node[0], node[2]))
        self.reads = [reads[node] for node in self.nodes]
        self.number = {node: index for index, node in enumerate(self.nodes)}
        self.columns: dict[tuple[str, int], _Column] = {}
        self.at: list[tuple[_Column, int]] = []
        for index, (sheet, row, column) in enumerate(self.nodes):
            home = self.columns.setdefault((sheet, column), _Column())
            self.at.append((home, len(home.rows)))
            home.rows.append(row)
            home.nodes.append(index)
        self.used: dict[str, list[int]] = {}
        for sheet, column in sorted(self.columns):
            self.used.setdefault(sheet, []).append(column)

    def _reset(self) -> None:
        for column in self.columns.values():
            count = len(column.rows)
            column.following = list(range(count + 1))
            column.size = 1 << max(count - 1, 0).bit_length()
            column.tree = [_NOBODY] * (2 * column.size)

    def _intervals(self, index: int, level: int) -> list[_Interval]:
        """The intervals of formulas that a formula reads, in ways up to `level`."""
        found = []
        for sheet, top, left, bottom, right, way in self.reads[index]:
            if way > level:
                continue
            if left == right:
                columns: Iterable[int] = (left,)
            else:
                used = self.used.get(sheet, ())
                columns = used[bisect_left(used, left) : bisect_right(used, right)]
            for number in columns:
                column = self.columns.get((sheet, number))
                if column is None:
                    continue
                first, last = bisect_left(column.rows, top), bisect_right(column.rows, bottom)
                if first < last:
                    found.append((column, first, last))
        return found

    def circles(self, level: int) -> list[list[Node]]:
        """The groups of formulas that reach each other or themselves, each in the order of rows."""
        self._reset()
        count = len(self.nodes)
        order, low = [0] * count, [0] * count
        stack: list[int] = []
        found: list[list[Node]] = []
        clock = 0
        for root in range(count):
            if order[root]:
                continue
            frames: list[tuple[int, list[_Interval]]] = []
            cursors: list[int] = []
            entering: int | None = root
            while True:
                if entering is not None:
                    clock += 1
                    order[entering] = low[entering] = clock
                    stack.append(entering)
                    column, position = self.at[entering]
                    column.following[position] = position + 1
                    _put(column, position, clock)
                    frames.append((entering, self._intervals(entering, level)))
                    cursors.append(0)
                node, intervals = frames[-1]
                cursors[-1], entering = _unvisited(intervals, cursors[-1])
                if entering is not None:
                    continue
                for column, first, last in intervals:
                    if column.tree[1] < low[node]:
                        low[node] = min(low[node], _oldest(column, first, last))
                frames.pop()
                cursors.pop()
                if frames:
                    parent = frames[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == order[node]:
                    group = self._pop(stack, node)
                    if len(group) > 1 or self._own(node, level):
                        found.append(sorted((self.nodes[one] for one in group), key=lambda n: (n[0], n[1], n[2])))
                if not frames:
                    break
        return found

    def _own(self, index: int, level: int) -> bool:
        return any(area.way <= level and area.holds(self.nodes[index]) for area in self.reads[index])

    def _pop(self, stack: list[int], node: int) -> list[int]:
        group = []
        while True:
            one = stack.pop()
            column, position = self.at[one]
            _take(column, position)
            group.append(one)
            if one == node:
                return group

    def reached(self, starts: Iterable[Node]) -> set[Node]:
        """The formulas that the given ones read, themselves or through others; the given ones belong to them."""
        self._reset()
        waiting = []
        for node in starts:
            index = self.number.get(node)
            if index is not None:
                column, position = self.at[index]
                if column.following[position] == position:
                    column.following[position] = position + 1
                    waiting.append(index)
        found = set(waiting)
        while waiting:
            intervals = self._intervals(waiting.pop(), REFERENCE)
            at = 0
            while True:
                at, index = _unvisited(intervals, at)
                if index is None:
                    break
                column, position = self.at[index]
                column.following[position] = position + 1
                found.add(index)
                waiting.append(index)
        return {self.nodes[index] for index in found}

    def part(self, nodes: Iterable[Node]) -> Graph:
        """The same with fewer formulas."""
        return Graph({node: self.reads[self.number[node]] for node in nodes})


def _unvisited(intervals: list[_Interval], start: int) -> tuple[int, int | None]:
    """Where a formula not visited yet stands in the intervals from `start` on: the interval and the formula."""
    for number in range(start, len(intervals)):
        column, first, last = intervals[number]
        following = column.following
        at = first
        while following[at] != at:
            following[at] = following[following[at]]
            at = following[at]
        if at < last:
            return number, column.nodes[at]
    return len(intervals), None


def _put(column: _Column, position: int, clock: int) -> None:
    tree, at = column.tree, position + column.size
    while at and tree[at] > clock:  # later ones are never older: the way up ends soon
        tree[at] = clock
        at >>= 1


def _take(column: _Column, position: int) -> None:
    tree, at = column.tree, position + column.size
    tree[at] = _NOBODY
    at >>= 1
    while at:
        oldest = min(tree[2 * at], tree[2 * at + 1])
        if tree[at] == oldest:
            return
        tree[at] = oldest
        at >>= 1


def _oldest(column: _Column, first: int, last: int) -> int:
    """The least clock of the formulas on the stack between two positions."""
    tree, low, high, found = column.tree, first + column.size, last + column.size, _NOBODY
    while low < high:
        if low & 1:
            found = min(found, tree[low])
            low += 1
        if high & 1:
            high -= 1
            found = min(found, tree[high])
        low >>= 1
        high >>= 1
    return found


_ABOVE, _BESIDE, _BELOW = 1, 2, 4
_T = TypeVar("_T", bound=Hashable)
_Home: TypeAlias = tuple[str, int]  # sheet and column


def _column_reads(reads: Mapping[Node, list[Area]], level: int) -> dict[_Home, dict[_Home, int]]:
    """For every column with formulas: the columns with formulas that it reads, and where, seen from the reader."""
    spans: dict[_Home, dict[tuple[str, int, int], int]] = {}
    for (sheet, row, column), areas in reads.items():
        own = spans.setdefault((sheet, column), {})
        for target, top, left, bottom, right, way in areas:
            if way <= level:
                where = (_ABOVE if top < row else 0) | (_BELOW if bottom > row else 0)
                where |= _BESIDE if top <= row <= bottom else 0
                key = target, left, right
                own[key] = own.get(key, 0) | where
    used: dict[str, list[int]] = {}
    for sheet, column in sorted(spans):
        used.setdefault(sheet, []).append(column)
    found: dict[_Home, dict[_Home, int]] = {}
    for home, targets in spans.items():
        reached: dict[_Home, int] = {}
        found[home] = reached
        for (target, left, right), where in targets.items():
            columns = used.get(target, [])
            for column in columns[bisect_left(columns, left) : bisect_right(columns, right)]:
                reached[target, column] = reached.get((target, column), 0) | where
    return found


def _suspects(columns: dict[_Home, dict[_Home, int]]) -> set[_Home]:
    """The columns that may hold a circle.

    A circle runs through columns that reach each other. When all of them read upwards only, or downwards only, it
    stays in one row, and then the columns reach each other within the row.
    """
    found: set[_Home] = set()
    for group in components({home: set(targets) for home, targets in columns.items()}):
        inside = [(a, b, where) for a in group for b, where in columns[a].items() if b in group]
        all_of_them = 0
        for _, _, where in inside:
            all_of_them |= where
        if all_of_them & _ABOVE and all_of_them & _BELOW:
            found |= group
            continue
        beside: dict[_Home, set[_Home]] = {home: set() for home in group}
        for a, b, where in inside:
            if where & _BESIDE:
                beside[a].add(b)
        for smaller in components(beside):
            found |= smaller
    return found


def components(graph: Mapping[_T, Set[_T]]) -> list[set[_T]]:
    """The groups of nodes that reach each other or themselves; every node has its successors in the graph."""
    order: dict[_T, int] = {}
    low: dict[_T, int] = {}
    stack: list[_T] = []
    waiting: set[_T] = set()
    found: list[set[_T]] = []
    for root in graph:
        if root in order:
            continue
        frames = [(root, iter(graph[root]))]
        order[root] = low[root] = len(order)
        stack.append(root)
        waiting.add(root)
        while frames:
            node, rest = frames[-1]
            following = next(rest, None)
            if following is None:
                frames.pop()
                if frames:
                    low[frames[-1][0]] = min(low[frames[-1][0]], low[node])
                if low[node] == order[node]:
                    at = stack.index(node)
                    group = set(stack[at:])
                    del stack[at:]
                    waiting -= group
                    if len(group) > 1 or node in graph[node]:
                        found.append(group)
            elif following not in order:
                order[following] = low[following] = len(order)
                stack.append(following)
                waiting.add(following)
                frames.append((following, iter(graph[following])))
            elif following in waiting:
                low[node] = min(low[node], order[following])
    return found


def find_circles(reads: Mapping[Node, list[Area]], level: int = REFERENCE) -> list[list[Node]]:
    """The groups of formulas that reach each other or themselves by reading in ways up to `level`."""
    suspects = _suspects(_column_reads(reads, level))
    if not suspects:
        return []
    return Graph({node: areas for node, areas in reads.items() if (node[0], node[2]) in suspects}).circles(level)


def read_all(book: Book) -> dict[Node, list[Area]]:
    """What every formula of a book reads."""
    reads = Reads(book)
    return {
        (sheet, row, column): reads.areas(cell.formula, sheet, row, column)
        for sheet, cells in book.sheets.items()
        for (row, column), cell in cells.items()
        if cell.formula is not None
    }


def one_way_round(reads: Mapping[Node, list[Area]], group: list[Node], level: int) -> list[Node]:
    """A short circle through the first formula of a group, ending where it begins; [] when that takes too long."""
    start = group[0]
    before: dict[Node, Node] = {}
    waiting = [start]
    for node in waiting:
        if len(before) > 200 or len(group) > 5_000:
            return []
        for area in reads[node]:
            if area.way > level:
                continue
            if area.holds(start):
                way = [start, node]
                while way[-1] != start:
                    way.append(before[way[-1]])
                return way[::-1] if node != start else [start, start]
            fresh = [one for one in group if one not in before and area.holds(one)]
            before.update(dict.fromkeys(fresh, node))
            waiting += fresh
    return []


__all__ = [
    "BRANCH",
    "REFERENCE",
    "VALUE",
    "Area",
    "Graph",
    "Node",
    "Place",
    "Reads",
    "components",
    "find_circles",
    "one_way_round",
    "read_all",
]
