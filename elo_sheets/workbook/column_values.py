"""What the loops call that `columns` writes: cells, ranges, counts and sums over the lists of a table's columns."""

from __future__ import annotations

import operator
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from elo_sheets import ops
from elo_sheets._late import np
from elo_sheets.engines import functions
from elo_sheets.engines.values import COMPARISONS, NUMBER, Array, Fault, compare, to_bool, to_number, to_text
from elo_sheets.errors import FormulaError
from elo_sheets.files.cells import CellError
from elo_sheets.workbook.plan import CellValue

_BOUND = re.compile(r"(<=|>=|<|>)(-?\d+(?:\.\d*)?(?:[Ee][+-]?\d+)?)")
_BOUNDS: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


# How many rows have the same values, and the sum and count of the numbers beside them.
Tally: TypeAlias = tuple[dict[Any, int], dict[Any, tuple[float, int]]]


class Held(dict[str, dict[str, Sequence[CellValue]]]):
    """The columns of tables by name, and what was made of whole ones."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: dict[Any, Any] = {}

    def range(self, table: str, label: str) -> Sequence[CellValue]:
        """Return a whole column; raises `FormulaError` where there is none of that name."""
        try:
            return self[table][label]
        except KeyError:
            raise FormulaError(f"expected a column that is computed before, got {table}[{label}]") from None

    def kept(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return what was made of whole columns, which is made once."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]


class Cell:
    """A single cell, which the loop reads under a name of its own."""

    def __init__(self, value: CellValue) -> None:
        self.value = value


def kind_of(values: Sequence[CellValue]) -> str:
    return "number" if all(isinstance(value, float) for value in values) else ""


def _value(value: Any) -> CellValue:
    """Return what a cell shows: nothing is 0, and a whole number a float as any other."""
    if value is None:
        return 0.0
    if isinstance(value, CellError):
        raise Fault(value)
    return value if isinstance(value, (str, bool)) else float(value)


def _compared(operator: str, a: Any, b: Any) -> bool:
    return COMPARISONS[operator](compare(a, b))


def _power(a: float, b: float) -> float:
    return float(a**b)


def _round(value: float, digits: float) -> float:
    return ops.round_float(value, 10.0 ** int(digits))


def _n(value: Any) -> float:
    return float(value) if isinstance(value, (bool, int, float)) else 0.0


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _part(column: Sequence[CellValue], label: str, start: int, end: int) -> list[CellValue]:
    """Return the cells of a running range; the header stands above the first row."""
    return [label, *column[:end]] if start < 0 else list(column[start:end])


def _within(column: Sequence[CellValue], label: str, start: int, end: int, at: float) -> CellValue:
    """Return one cell of a running range, which is not copied for it."""
    place = start + int(at) - 1
    if not start <= place < end:
        raise Fault(CellError("#REF!"))
    return label if place < 0 else column[place]


def _nth(tables: Held, cells: Sequence[CellValue], is_whole: bool, sign: int, at: float) -> float:
    """Return a number by its place, from the highest (`sign` -1) or the lowest on."""
    ordered = (
        tables.kept(("sorted", id(cells)), lambda: sorted(_numbers(cells))) if is_whole else sorted(_numbers(cells))
    )
    if not 1 <= at <= len(ordered):
        raise Fault(CellError("#NUM!"))
    return float(ordered[int(at) - 1 if sign > 0 else -int(at)])


def _ranked(tables: Held, cells: Sequence[CellValue], value: float, rising: bool) -> float:
    ordered = tables.kept(("sorted", id(cells)), lambda: sorted(_numbers(cells)))
    first, after = bisect_left(ordered, value), bisect_right(ordered, value)
    if first == after:
        raise Fault(CellError("#N/A"))
    return float(first + 1 if rising else len(ordered) - after + 1)


class Greatest:
    """The greatest of the numbers beside each key, in ever more of two ranges."""

    def __init__(self, keys: Sequence[float], values: Sequence[float]) -> None:
        self.keys, self.values, self.end = keys, values, 0
        self.found: dict[float, float] = {}

    def upto(self, end: int) -> dict[float, float]:
        """Return what is known of the first rows; no later call may ask for fewer."""
        for at in range(self.end, end):
            key, value = self.keys[at], self.values[at]
            self.found[key] = max(self.found.get(key, 0.0), value)
        self.end = max(self.end, end)
        return self.found


def _numbers(*parts: Sequence[Any]) -> list[float]:
    return [value for part in parts for value in part if _is_number(value)]


def _array(values: Sequence[Any]) -> Array:
    return Array([[value] for value in values])


def _checked(value: Any) -> Any:
    if isinstance(value, CellError):
        raise Fault(value)
    return value


def _or_else(value: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    try:
        return value()
    except (Fault, ArithmeticError, IndexError):
        return otherwise()


def _is_na(value: Callable[[], Any]) -> bool:
    try:
        value()
    except Fault as fault:
        if fault.error == "#N/A":
            return True
        raise
    return False


def _indexed(cells: Sequence[CellValue], at: float) -> CellValue:
    if not 1 <= at < len(cells) + 1:
        raise Fault(CellError("#REF!"))
    return cells[int(at) - 1]


@lru_cache(maxsize=4096)
def _folded(text: str) -> Any:
    return float(to_number(text)) if NUMBER.match(text) else text.casefold()


def _key(value: Any) -> Any:
    """Return a value as equality of texts without case takes it."""
    return value.casefold() if isinstance(value, str) else value


def _found(tables: Held, place: tuple[str, str], cells: Sequence[Any], wanted: Any, kind: float) -> float:
    """Return where a value stands: the first equal one, or with `kind` 1 the last that is not above it."""
    if kind == 0 and isinstance(wanted, str) and set(wanted) & set("*?~"):
        return float(_checked(RUN["_match"](wanted, _array(cells), 0.0)))
    if kind == 0:
        places = tables.kept(("places", id(cells)), lambda: _places(cells))
        at = places.get(_key(0.0 if wanted is None else wanted))
    else:
        ordered = tables.kept(("ordered", id(cells)), lambda: _numbers(cells))
        at = bisect_right(ordered, wanted) or None
    if at is None:
        raise Fault(CellError("#N/A"))
    return float(at)


def _places(cells: Sequence[Any]) -> dict[Any, int]:
    found: dict[Any, int] = {}
    for at, value in enumerate(cells, 1):
        found.setdefault(_key(value), at)
    return found


def _extreme(tables: Held, function: Callable[..., float], place: tuple[str, str]) -> float:
    cells = tables.range(*place)
    return float(tables.kept((function, id(cells)), lambda: function(_numbers(cells), default=0.0)))


def _first_of(wanted: Any, values: Any) -> float:
    """Return the place, from 1, of the first of an array's values that is the one wanted."""
    places = (values == wanted).nonzero()[0]
    if not len(places):
        raise Fault(CellError("#N/A"))
    return float(places[0] + 1)


def _counted_within(
    tables: Held, columns: tuple[Sequence[Any], ...], criteria: tuple[Any, ...], start: int, end: int
) -> float:
    """Return how many rows of a running range have these values, each an equal one."""
    if any(map(_is_test, criteria)):
        pairs = [(_part(column, "", start, end), one) for column, one in zip(columns, criteria, strict=True)]
        return float(functions.FUNCTIONS["COUNTIFS"](*(x for cells, one in pairs for x in (_array(cells), one))))

    def rows() -> dict[Any, list[int]]:
        found: dict[Any, list[int]] = {}
        for at, row in enumerate(zip(*columns, strict=False)):
            found.setdefault(tuple(_folded(one) if isinstance(one, str) else one for one in row), []).append(at)
        return found

    at = tables.kept(("rows", *map(id, columns)), rows).get(tuple(map(_plain, criteria)), [])
    return float(bisect_left(at, end) - bisect_left(at, max(0, start)))


def _tallied(
    tables: Held, name: str, places: tuple[Any, ...], criteria: tuple[Any, ...], varies: bool = False
) -> float:
    """Return a count, sum or mean of the rows that meet all criteria.

    Where the tests among them are others in each row, rows are chosen anew; else all are looked at once.
    """
    tests = tuple(one if _is_test(one) else None for one in criteria)
    if varies and any(tests):
        return _chosen(tables, name, places, criteria)
    columns = [None if place is None else tables.range(*place) for place in places]
    return _looked_up(name, tables.kept((places, tests), lambda: _tally(columns, tests)), criteria, tests)


def _tallied_areas(
    kept: dict[Any, Any], name: str, areas: Sequence[Sequence[Any] | None], criteria: tuple[Any, ...], varies: bool
) -> float:
    """Return the same of areas of cells; `kept` is of these areas alone."""
    tests = tuple(one if _is_test(one) else None for one in criteria)
    if varies and any(tests):
        pairs = (x for cells, one in zip(areas[1:], criteria, strict=True) for x in (_array(cells or ()), one))
        given = [] if areas[0] is None else [_array(areas[0])]
        return float(_checked(functions.FUNCTIONS[name](*given, *pairs)))
    if tests not in kept:
        kept[tests] = _tally(areas, tests)
    return _looked_up(name, kept[tests], criteria, tests)


def _looked_up(name: str, tally: Tally, criteria: tuple[Any, ...], tests: tuple[str | None, ...]) -> float:
    counted, summed = tally
    wanted = tuple(_plain(one) for one, test in zip(criteria, tests, strict=True) if test is None)
    if name.startswith("COUNT"):
        return float(counted.get(wanted, 0))
    if name.startswith("SUM"):
        return float(summed.get(wanted, (0.0, 0))[0])
    total, count = summed.get(wanted, (0.0, 0))
    return float(total / count)


def _chosen(tables: Held, name: str, places: tuple[Any, ...], criteria: tuple[Any, ...]) -> float:
    """Return a count, sum or mean of rows that are chosen by looking at each range as a whole."""
    passed = [_passing(tables, place, one) for place, one in zip(places[1:], criteria, strict=True)]
    rows = passed[0]
    for more in passed[1:]:
        rows = rows & more
    at = rows.nonzero()[0]
    if name.startswith("COUNT"):
        return float(len(at))
    cells = tables.range(*places[0])
    numbers = _numbers([cells[i] for i in at])
    return float(sum(numbers)) if name.startswith("SUM") else float(sum(numbers) / len(numbers))


def _passing(tables: Held, place: tuple[str, str], criterion: Any) -> Any:
    """Return which cells of a column meet a criterion."""
    cells = tables.range(*place)
    test = _BOUND.fullmatch(criterion) if isinstance(criterion, str) else None
    if test is not None or _is_number(criterion):
        numbers = tables.kept(("floats", id(cells)), lambda: _floats(cells))
        if numbers is not None:
            return _BOUNDS[test[1]](numbers, float(test[2])) if test else numbers == criterion
    matches = functions.criterion_test(criterion)
    return tables.kept(("passing", id(cells), criterion), lambda: np.array([matches(one) for one in cells], dtype=bool))


def _floats(cells: Sequence[Any]) -> Any:
    """Return the numbers of a column, and none where there is no number; None where a text looks like one."""
    if any(isinstance(one, str) and NUMBER.match(one) for one in cells):
        return None
    return np.array([one if _is_number(one) else float("nan") for one in cells], dtype="float64")


def _is_test(criterion: Any) -> bool:
    """Return whether a criterion asks for more than a value that is equal to it."""
    return isinstance(criterion, str) and (criterion[:1] in "<>=" or bool(set(criterion) & set("*?~")))


def _plain(value: Any) -> Any:
    """Return a value as a criterion takes it: a text that looks like a number is one, nothing is 0."""
    if isinstance(value, str):
        return _folded(value)
    return 0.0 if value is None else value


def _tally(columns: Sequence[Sequence[Any] | None], tests: tuple[str | None, ...]) -> Tally:
    summed, *ranges = columns
    asked = [functions.criterion_test(test) if test else None for test in tests]
    counted: dict[Any, int] = {}
    sums: dict[Any, tuple[float, int]] = {}
    for at, row in enumerate(zip(*(cells for cells in ranges if cells is not None), strict=True)):
        if any(test is not None and not test(value) for test, value in zip(asked, row, strict=True)):
            continue
        key = tuple(
            _folded(value) if isinstance(value, str) else value
            for test, value in zip(asked, row, strict=True)
            if test is None
        )
        counted[key] = counted.get(key, 0) + 1
        if summed is not None and _is_number(value := summed[at]):
            total, count = sums.get(key, (0.0, 0))
            sums[key] = total + float(value or 0), count + 1
    return counted, sums


def _numeric(tables: Held, place: tuple[str, str]) -> Any:
    cells = tables.range(*place)
    return tables.kept(("array", id(cells)), lambda: _as_array(cells))


def _as_array(cells: Sequence[Any]) -> Any:
    """Return cells as an array: of numbers where all are, with what is empty as 0, else of what they are."""
    if any(isinstance(value, str) for value in cells):
        return np.array([_key(value) for value in cells], dtype=object)
    return np.array([0.0 if value is None else float(value) for value in cells], dtype="float64")


def _objects(cells: Sequence[Any]) -> Any:
    return np.array([_key(value) for value in cells], dtype=object)


def _as_they_are(tables: Held, cells: Sequence[Any]) -> Any:
    return tables.kept(("as they are", id(cells)), lambda: _objects(cells))


def _is_mixed(values: Any) -> bool:
    """Return whether an array holds texts among its values."""
    return getattr(values, "dtype", None) == "object"


def _compare_all(operator: str, a: Any, b: Any) -> Any:
    """Return 1 or 0 for each row."""
    if isinstance(b, str) and b and operator in ("=", "<>") and _is_mixed(a):
        same = a == b.casefold()  # the texts of an array are folded
        return (same if operator == "=" else ~same).astype("float64")
    if any(isinstance(value, str) or _is_mixed(value) for value in (a, b)):
        test = COMPARISONS[operator]
        return np.vectorize(lambda x, y: float(test(compare(x, y))), otypes=[float])(a, b)
    by = {"=": "equal", "<>": "not_equal", "<": "less", ">": "greater", "<=": "less_equal", ">=": "greater_equal"}
    return getattr(np, by[operator])(0.0 if a is None else a, 0.0 if b is None else b).astype("float64")


def _only_numbers(values: Any) -> Any:
    """Return an array with 0 for what is no number, as SUMPRODUCT takes what stands between its commas."""
    if not _is_mixed(values):
        return values
    return np.array([float(value) if _is_number(value) else 0.0 for value in values])


def _are_numbers(values: Any) -> Any:
    return np.array([float(_is_number(value)) for value in values])


def _rows_from(first: int, count: int) -> Any:
    return np.arange(first, first + count, dtype="float64")


def _total(value: Any) -> float:
    return float(value.sum()) if getattr(value, "ndim", 0) else float(value)


# What a loop calls, by the name that stands in it.
RUN: dict[str, Any] = {
    **{name: value for name, value in globals().items() if name[:1] == "_" and name[:2] != "__" and callable(value)},
    **{f"_{name}": getattr(ops, name) for name in ("floor", "sqrt", "exp", "log", "sign", "absolute", "where")},
    "_normal": ops.normal_cdf,
    "_round_half": ops.round_half_away,
    "_match": functions.FUNCTIONS["MATCH"],
    "_number": to_number,
    "_text": to_text,
    "_truth": to_bool,
}
