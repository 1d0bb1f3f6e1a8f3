"""The spreadsheet functions that the interpreter knows, over values that are computed already.

A function that is not in `FUNCTIONS`, or that is given what it does not know, makes a cell unknown, never guessed.
"""

from __future__ import annotations

import itertools
import math
import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator
from datetime import date, timedelta
from functools import lru_cache
from statistics import NormalDist
from typing import Any

from elo_sheets.engines.values import (
    COMPARISONS,
    DIV0,
    NA,
    NUM,
    NUMBER,
    REFERENCE,
    VALUE,
    Array,
    Fault,
    Unsupported,
    compare,
    each,
    to_bool,
    to_number,
    to_text,
    type_order,
)
from elo_sheets.files.cells import CellError

MOST_PAIRS = 256  # arguments of a function that takes pairs of a range and a criterion


def _items(given: Iterable[Any]) -> Iterator[Any]:
    for one in given:
        if isinstance(one, Array):
            yield from one.flat()
        else:
            yield one


def _numbers(*given: Any) -> list[float]:
    """The numbers as SUM takes them: from areas only true numbers, from arguments also what can be read as one."""
    found = []
    for one in given:
        if isinstance(one, Array):
            for item in one.flat():
                if isinstance(item, CellError):
                    raise Fault(item)
                if isinstance(item, (int, float)) and not isinstance(item, bool):
                    found.append(float(item))
        elif one is not None:
            found.append(to_number(one))
    return found


def _scalar(value: Any) -> Any:
    return value.rows[0][0] if isinstance(value, Array) else value


def _lift(function: Callable[..., float]) -> Callable[..., Any]:
    def one(*given: Any) -> Any:
        try:
            return function(*(to_number(g) for g in given))
        except Fault as fault:
            return fault.error
        except (OverflowError, ValueError):
            return NUM
        except ZeroDivisionError:
            return DIV0

    return lambda *given: each(one, *given)


def _round(x: float, digits: float = 0.0) -> float:
    scale = 10.0 ** int(digits)
    scaled = abs(x) * scale
    return math.copysign(math.floor(scaled + 0.5 + scaled * 1e-15) / scale, x)


def _round_up(x: float, digits: float = 0.0) -> float:
    scale = 10.0 ** int(digits)
    return math.copysign(math.ceil(abs(x) * scale - 1e-9) / scale, x)


def _round_down(x: float, digits: float = 0.0) -> float:
    scale = 10.0 ** int(digits)
    return math.copysign(math.floor(abs(x) * scale + 1e-9) / scale, x)


def _normsdist(x: float, cumulative: float = 1.0) -> float:
    return NormalDist().cdf(x) if cumulative else NormalDist().pdf(x)


def _normdist(x: float, mean: float, sd: float, cumulative: float = 1.0) -> float:
    one = NormalDist(mean, sd)
    return one.cdf(x) if cumulative else one.pdf(x)


def _binomdist(successes: float, trials: float, p: float, cumulative: float = 1.0) -> float:
    k, n = int(successes), int(trials)
    if not (0 <= k <= n and 0 <= p <= 1):
        raise ValueError(f"no chance of {k} of {n} at {p}")
    return math.fsum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in (range(k + 1) if cumulative else [k]))


def _average(*given: Any) -> Any:
    numbers = _numbers(*given)
    return sum(numbers) / len(numbers) if numbers else DIV0


def _count(*given: Any) -> float:
    return float(sum(isinstance(v, (int, float)) and not isinstance(v, bool) for v in _items(given)))


def _logic(kind: str) -> Callable[..., Any]:
    def function(*given: Any) -> Any:
        truths = [to_bool(v) for v in _items(given) if v is not None and not (isinstance(v, str) and v == "")]
        if kind == "XOR":
            return sum(truths) % 2 == 1
        return all(truths) if kind == "AND" else any(truths)

    return function


@lru_cache(maxsize=1024)
def _pattern(text: str) -> re.Pattern[str]:
    parts, at = [], 0
    while at < len(text):
        one = text[at]
        if one == "~" and at + 1 < len(text):
            parts.append(re.escape(text[at + 1]))
            at += 1
        else:
            parts.append({"*": ".*", "?": "."}.get(one, re.escape(one)))
        at += 1
    return re.compile("".join(parts), re.I | re.S)


_CRITERION = re.compile(r"(<=|>=|<>|=|<|>)(.*)", re.S)


def criterion_test(criterion: Any) -> Callable[[Any], bool]:
    operator, operand = "=", criterion
    if isinstance(criterion, str) and not isinstance(criterion, CellError):
        match = _CRITERION.match(criterion)
        if match:
            operator, operand = match[1], match[2]
        if isinstance(operand, str) and NUMBER.match(operand):
            operand = to_number(operand)
    if operand is None:
        operand = 0.0
    if isinstance(operand, str) and operator in ("=", "<>"):
        if operand == "":
            blank = operator == "="
            return lambda value: (value is None or value == "") == blank
        pattern = _pattern(operand)
        wanted = operator == "="
        return lambda value: (
            (isinstance(value, str) and not isinstance(value, CellError) and pattern.fullmatch(value) is not None)
            == wanted
        )
    test = COMPARISONS[operator]

    def matches(value: Any) -> bool:
        if value is None or isinstance(value, CellError):
            return operator == "<>"
        if isinstance(operand, float) and isinstance(value, str) and NUMBER.match(value):
            value = to_number(value)
        if type_order(value) != type_order(operand):
            return operator == "<>"
        return test(compare(value, operand))

    return matches


def _array(value: Any) -> Array:
    return value if isinstance(value, Array) else Array([[value]])


def _matching(pairs: tuple[Any, ...]) -> list[bool]:
    found: list[bool] | None = None
    for at in range(0, len(pairs) - 1, 2):
        test, array = criterion_test(_scalar(pairs[at + 1])), _array(pairs[at])
        hits = [False] * (array.shape[0] * array.shape[1])
        for value, places in array.places():
            if test(value):
                for place in places:
                    hits[place] = True
        found = hits if found is None else [a and b for a, b in zip(found, hits, strict=False)]
    return found or []


def _chosen(values: Any, hits: list[bool]) -> list[float]:
    found = []
    for value in itertools.compress(_array(values).flat(), hits):
        if isinstance(value, CellError):
            raise Fault(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            found.append(float(value))
    return found


def _is_many(value: Any) -> bool:
    return isinstance(value, Array) and value.shape != (1, 1)


def _of_each(function: Callable[..., Any], *places: int) -> Callable[..., Any]:
    """A function that asks for a value at some places, and gives an array where an array stands at one of them."""

    def given(*arguments: Any) -> Any:
        at = [place for place in places if place < len(arguments) and _is_many(arguments[place])]

        @lru_cache(maxsize=None, typed=True)  # names come again and again
        def one(*values: Any) -> Any:
            told = dict(zip(at, values, strict=True))
            try:
                return function(*(told.get(place, value) for place, value in enumerate(arguments)))
            except Fault as fault:
                return fault.error

        return each(one, *(arguments[place] for place in at)) if at else function(*arguments)

    return given


def _sumif(where: Any, criterion: Any, values: Any = None) -> float:
    return sum(_chosen(where if values is None else values, _matching((where, criterion))))


def _averageif(where: Any, criterion: Any, values: Any = None) -> Any:
    found = _chosen(where if values is None else values, _matching((where, criterion)))
    return sum(found) / len(found) if found else DIV0


def _averageifs(values: Any, *pairs: Any) -> Any:
    found = _chosen(values, _matching(pairs))
    return sum(found) / len(found) if found else DIV0


def _sumproduct(*given: Any) -> float:
    total = 0.0
    columns = [list(_array(g).flat()) for g in given]
    for items in zip(*columns, strict=False):
        product = 1.0
        for item in items:
            if isinstance(item, CellError):
                raise Fault(item)
            product *= float(item) if isinstance(item, (int, float)) and not isinstance(item, bool) else 0.0
        total += product
    return total


def _match(wanted: Any, where: Any, kind: Any = 1.0) -> Any:
    wanted = _scalar(wanted)
    if isinstance(wanted, CellError):
        return wanted
    way = to_number(kind) if kind is not None else 0.0
    flat = list(_array(where).flat())
    if way == 0:
        test = _equals(wanted)
        for at, value in enumerate(flat, 1):
            if test(value):
                return float(at)
        return NA
    found = _approximate(wanted, flat, way)
    return NA if found is None else float(found + 1)


def _equals(wanted: Any) -> Callable[[Any], bool]:
    if isinstance(wanted, str) and any(c in wanted for c in "*?~"):
        pattern = _pattern(wanted)
        return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None
    kind = type_order(wanted)
    return lambda value: (
        value is not None
        and not isinstance(value, CellError)
        and type_order(value) == kind
        and compare(value, wanted) == 0
    )


def _approximate(wanted: Any, flat: list[Any], way: float) -> int | None:
    """The last place whose value is not beyond what is wanted, as a sorted search that skips errors finds it."""
    kind, found = type_order(wanted), None
    for at, value in enumerate(flat):
        if value is None or isinstance(value, CellError) or type_order(value) != kind:
            continue
        order = compare(value, wanted)
        if (order <= 0 and way > 0) or (order >= 0 and way < 0):
            found = at
        elif way > 0 or way < 0:
            break
    return found


def _lookup(wanted: Any, where: Any, values: Any = None) -> Any:
    wanted = _scalar(wanted)
    if isinstance(wanted, CellError):
        return wanted
    array = _array(where)
    if values is None and min(array.shape) > 1:
        down = array.shape[0] >= array.shape[1]
        flat = [r[0] for r in array.rows] if down else array.rows[0]
        result = [r[-1] for r in array.rows] if down else array.rows[-1]
    else:
        flat, result = list(array.flat()), list(_array(where if values is None else values).flat())
    found = _approximate(wanted, flat, 1)
    return NA if found is None or found >= len(result) else result[found]


def _hlookup(wanted: Any, where: Any, row: Any, near: Any = True) -> Any:
    return _table_lookup(wanted, [list(c) for c in zip(*_array(where).rows, strict=True)], row, near)


def _table_lookup(wanted: Any, rows: list[list[Any]], column: Any, near: Any) -> Any:
    wanted = _scalar(wanted)
    if isinstance(wanted, CellError):
        return wanted
    at = int(to_number(column))
    keys = [row[0] for row in rows]
    if not 1 <= at <= (len(rows[0]) if rows else 0):
        return REFERENCE
    if near is not None and to_bool(near):
        found = _approximate(wanted, keys, 1)
        return NA if found is None else rows[found][at - 1]
    test = _equals(wanted)
    return next((row[at - 1] for row in rows if test(row[0])), NA)


def _xmatch_place(wanted: Any, flat: list[Any], mode: float, search: float) -> int | None:
    order = range(len(flat)) if search >= 0 else range(len(flat) - 1, -1, -1)
    test = _equals(wanted) if mode == 2 or not isinstance(wanted, str) else _equals_plain(wanted)
    for at in order:
        if test(flat[at]):
            return at
    if mode in (-1, 1):
        best: int | None = None
        for at in order:
            value = flat[at]
            if value is None or isinstance(value, CellError) or type_order(value) != type_order(wanted):
                continue
            side = compare(value, wanted)
            if side * mode > 0 and (best is None or compare(value, flat[best]) * mode < 0):
                best = at
        return best
    return None


def _equals_plain(wanted: str) -> Callable[[Any], bool]:
    folded = wanted.casefold()
    return lambda value: isinstance(value, str) and not isinstance(value, CellError) and value.casefold() == folded


def _xlookup(wanted: Any, where: Any, values: Any, missing: Any = NA, mode: Any = 0.0, search: Any = 1.0) -> Any:
    wanted = _scalar(wanted)
    if isinstance(wanted, CellError):
        return wanted
    place = _xmatch_place(wanted, list(_array(where).flat()), to_number(mode), to_number(search or 1.0))
    if place is None:
        return NA if missing is None else missing
    flat = list(_array(values).flat())
    return flat[place] if place < len(flat) else NA


def _xmatch(wanted: Any, where: Any, mode: Any = 0.0, search: Any = 1.0) -> Any:
    wanted = _scalar(wanted)
    if isinstance(wanted, CellError):
        return wanted
    place = _xmatch_place(wanted, list(_array(where).flat()), to_number(mode), to_number(search or 1.0))
    return NA if place is None else float(place + 1)


def _rank_of(value: Any, where: Any, order: Any = 0.0) -> Any:
    number, others = to_number(_scalar(value)), _numbers(_array(where))
    if number not in others:
        return NA
    ascending = order is not None and to_number(order) != 0
    return 1.0 + sum(o < number if ascending else o > number for o in others)


def _large(values: Any, k: Any) -> Any:
    found, at = sorted(_numbers(values), reverse=True), int(to_number(k))
    return found[at - 1] if 1 <= at <= len(found) else NUM


def _small(values: Any, k: Any) -> Any:
    found, at = sorted(_numbers(values)), int(to_number(k))
    return found[at - 1] if 1 <= at <= len(found) else NUM


def _median(*given: Any) -> Any:
    found = sorted(_numbers(*given))
    middle = len(found) // 2
    return NUM if not found else found[middle] if len(found) % 2 else (found[middle - 1] + found[middle]) / 2


def _stdev(*given: Any) -> Any:
    found = _numbers(*given)
    if len(found) < 2:
        return DIV0
    mean = sum(found) / len(found)
    return math.sqrt(sum((x - mean) ** 2 for x in found) / (len(found) - 1))


def _n(value: Any) -> Any:
    value = _scalar(value)
    if isinstance(value, CellError):
        return value
    return float(value) if isinstance(value, (bool, int, float)) else 0.0


def _t(value: Any) -> Any:
    value = _scalar(value)
    return value if isinstance(value, str) else ""


def _is(kind: str) -> Callable[..., Any]:
    tests: dict[str, Callable[[Any], bool]] = {
        "ISNUMBER": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
        "ISTEXT": lambda v: isinstance(v, str) and not isinstance(v, CellError),
        "ISNONTEXT": lambda v: not isinstance(v, str) or isinstance(v, CellError),
        "ISERROR": lambda v: isinstance(v, CellError),
        "ISERR": lambda v: isinstance(v, CellError) and v != "#N/A",
        "ISNA": lambda v: isinstance(v, CellError) and v == "#N/A",
        "ISLOGICAL": lambda v: isinstance(v, bool),
    }
    test = tests[kind]
    return lambda value: each(test, value)


def _texts(function: Callable[..., Any]) -> Callable[..., Any]:
    def one(*given: Any) -> Any:
        try:
            return function(*given)
        except Fault as fault:
            return fault.error

    return lambda *given: each(one, *given)


def _right(text: Any, count: Any = 1.0) -> str:
    n = int(to_number(count))
    return to_text(text)[-n:] if n > 0 else ""


def _mid(text: Any, start: Any, count: Any) -> str:
    first = int(to_number(start)) - 1
    return to_text(text)[first : first + int(to_number(count))]


def _find(wanted: Any, text: Any, start: Any = 1.0) -> Any:
    at = to_text(text).find(to_text(wanted), int(to_number(start)) - 1)
    return VALUE if at < 0 else float(at + 1)


def _search(wanted: Any, text: Any, start: Any = 1.0) -> Any:
    match = _pattern(to_text(wanted)).search(to_text(text), int(to_number(start)) - 1)
    return VALUE if match is None else float(match.start() + 1)


def _substitute(text: Any, old: Any, new: Any, which: Any = None) -> str:
    if which is not None:
        raise Unsupported("SUBSTITUTE")
    return to_text(text).replace(to_text(old), to_text(new)) if to_text(old) else to_text(text)


def _format(value: Any, pattern: Any) -> Any:
    shown = to_text(pattern)
    if shown == "@" or (isinstance(value, str) and not isinstance(value, CellError)):
        return to_text(value)
    number = to_number(value)
    sections = shown.split(";")
    section = sections[min(len(sections) - 1, 0 if number > 0 else 1 if number < 0 else 2)]
    match = re.fullmatch(r"([-+]?)(#,##)?0(\.0+)?(%?)", section)
    if match is None:
        raise Unsupported("TEXT")
    number = (abs(number) if len(sections) > 1 else number) * (100 if match[4] else 1)
    digits = len(match[3]) - 1 if match[3] else 0
    return f"{match[1]}{_round(number, digits):{',' if match[2] else ''}.{digits}f}{match[4]}"


def _day(serial: Any) -> date:
    return date(1899, 12, 30) + timedelta(days=int(to_number(serial)))


def _date(year: Any, month: Any, day: Any) -> float:
    months = int(to_number(year)) * 12 + int(to_number(month)) - 1
    first = date(months // 12, months % 12 + 1, 1)
    return float((first - date(1899, 12, 30)).days + int(to_number(day)) - 1)


def _edate(serial: Any, months: Any) -> float:
    day = _day(serial)
    at = day.year * 12 + day.month - 1 + int(to_number(months))
    year, month = at // 12, at % 12 + 1
    return _date(year, month, min(day.day, monthrange(year, month)[1]))


def _concat(*given: Any) -> str:
    return "".join(to_text(v) for v in _items(given))


def _textjoin(separator: Any, skip: Any, *given: Any) -> str:
    texts = [to_text(v) for v in _items(given)]
    return to_text(separator).join(t for t in texts if t or not to_bool(skip))


def _frequency_free(kind: str) -> Callable[..., Any]:
    def function(*given: Any) -> Any:
        numbers = _numbers(*given)
        if kind == "SUM":
            return math.fsum(numbers) if len(numbers) > 2 else sum(numbers)
        if kind == "PRODUCT":
            return math.prod(numbers) if numbers else 0.0
        if kind == "SUMSQ":
            return sum(x * x for x in numbers)
        return (max if kind == "MAX" else min)(numbers) if numbers else 0.0

    return function


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _frequency_free(name) for name in ("SUM", "PRODUCT", "SUMSQ", "MAX", "MIN")},
    **{name: _logic(name) for name in ("AND", "OR", "XOR")},
    **{name: _is(name) for name in ("ISNUMBER", "ISTEXT", "ISNONTEXT", "ISERROR", "ISERR", "ISNA", "ISLOGICAL")},
    "NOT": lambda v: each(lambda x: x if isinstance(x, CellError) else not to_bool(x), v),
    "ABS": _lift(abs),
    "SIGN": _lift(lambda x: float((x > 0) - (x < 0))),
    "SQRT": _lift(math.sqrt),
    "EXP": _lift(math.exp),
    "LN": _lift(math.log),
    "LOG10": _lift(math.log10),
    "LOG": _lift(lambda x, base=10.0: math.log(x) / math.log(base)),
    "PI": lambda: math.pi,
    "MOD": _lift(lambda x, y: x - y * math.floor(x / y)),
    "INT": _lift(lambda x: float(math.floor(x))),
    "TRUNC": _lift(_round_down),
    "ROUND": _lift(_round),
    "ROUNDUP": _lift(_round_up),
    "ROUNDDOWN": _lift(_round_down),
    "CEILING": _lift(lambda x, s=1.0: math.ceil(x / s - 1e-12) * s),
    "FLOOR": _lift(lambda x, s=1.0: math.floor(x / s + 1e-12) * s),
    "MROUND": _lift(lambda x, s: _round(x / s) * s),
    "NORMSDIST": _lift(_normsdist),
    "NORM.S.DIST": _lift(_normsdist),
    "NORMDIST": _lift(_normdist),
    "BINOMDIST": _lift(_binomdist),
    "BINOM.DIST": _lift(_binomdist),
    "NORM.DIST": _lift(_normdist),
    "NORMSINV": _lift(lambda p: NormalDist().inv_cdf(p)),
    "NORM.S.INV": _lift(lambda p: NormalDist().inv_cdf(p)),
    "TANH": _lift(math.tanh),
    "AVERAGE": _average,
    "COUNT": _count,
    "COUNTA": lambda *given: float(sum(v is not None for v in _items(given))),
    "COUNTBLANK": lambda *given: float(sum(v is None or v == "" for v in _items(given))),
    "MEDIAN": _median,
    "STDEV": _stdev,
    "STDEV.S": _stdev,
    "LARGE": _large,
    "SMALL": _small,
    "RANK": _rank_of,
    "RANK.EQ": _rank_of,
    "COUNTIF": _of_each(lambda where, criterion: float(sum(_matching((where, criterion)))), 1),
    "COUNTIFS": _of_each(lambda *pairs: float(sum(_matching(pairs))), *range(1, MOST_PAIRS, 2)),
    "SUMIF": _of_each(_sumif, 1),
    "SUMIFS": _of_each(lambda values, *pairs: sum(_chosen(values, _matching(pairs))), *range(2, MOST_PAIRS, 2)),
    "AVERAGEIF": _of_each(_averageif, 1),
    "AVERAGEIFS": _of_each(_averageifs, *range(2, MOST_PAIRS, 2)),
    "MAXIFS": _of_each(
        lambda values, *pairs: max(_chosen(values, _matching(pairs)), default=0.0), *range(2, MOST_PAIRS, 2)
    ),
    "MINIFS": _of_each(
        lambda values, *pairs: min(_chosen(values, _matching(pairs)), default=0.0), *range(2, MOST_PAIRS, 2)
    ),
    "SUMPRODUCT": _sumproduct,
    "TRANSPOSE": lambda values: Array([list(column) for column in zip(*_array(values).rows, strict=True)]),
    "MATCH": _of_each(_match, 0),
    "XMATCH": _of_each(_xmatch, 0),
    "LOOKUP": _of_each(_lookup, 0),
    "VLOOKUP": _of_each(
        lambda wanted, where, column, near=True: _table_lookup(wanted, _array(where).rows, column, near), 0
    ),
    "HLOOKUP": _of_each(_hlookup, 0),
    "XLOOKUP": _of_each(_xlookup, 0),
    "N": _n,
    "T": _t,
    "NA": lambda: NA,
    "LEFT": _texts(lambda text, count=1.0: to_text(text)[: int(to_number(count))]),
    "RIGHT": _texts(_right),
    "MID": _texts(_mid),
    "LEN": _texts(lambda v: float(len(to_text(v)))),
    "UPPER": _texts(lambda v: to_text(v).upper()),
    "LOWER": _texts(lambda v: to_text(v).lower()),
    "PROPER": _texts(lambda v: to_text(v).title()),
    "TRIM": _texts(lambda text: " ".join(part for part in to_text(text).split(" ") if part)),
    "EXACT": _texts(lambda a, b: to_text(a) == to_text(b)),
    "FIND": _texts(_find),
    "SEARCH": _texts(_search),
    "SUBSTITUTE": _texts(_substitute),
    "REPT": _texts(lambda v, n: to_text(v) * int(to_number(n))),
    "VALUE": _texts(lambda text: to_number(text)),
    "TEXT": _texts(_format),
    "CONCATENATE": _concat,
    "CONCAT": _concat,
    "TEXTJOIN": _textjoin,
    "DATE": _date,
    "EDATE": _texts(_edate),
    "YEAR": _texts(lambda v: float(_day(v).year)),
    "MONTH": _texts(lambda v: float(_day(v).month)),
    "DAY": _texts(lambda v: float(_day(v).day)),
    "TRUE": lambda: True,
    "FALSE": lambda: False,
    "HYPERLINK": lambda link, shown=None: link if shown is None else shown,
}
