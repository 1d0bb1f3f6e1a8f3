"""Formulas spelt so that an embedded engine computes them rightly, and in time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import pairwise

from elo_sheets.engines.elements import by_elements, is_beyond
from elo_sheets.files.cells import Book, Cell, Value
from elo_sheets.files.references import MAX_ROW, Place, parse_range

A_COUNT_OF_BLANKS = 0.8 * MAX_ROW  # a result so large counts the empty rows below the sheet
_QUOTED = re.compile(r"(\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*')")
_SHEET = r"(?:(?:'(?:[^']|'')+'|\w+)!)?"
_ONE_COLUMN = rf"(?P<column>{_SHEET}\$?(?P<letters>[A-Za-z]{{1,3}})\$?\d+:\$?(?P=letters)\$?\d+)"
_WANTED = rf"(?P<wanted>{_SHEET}\$?[A-Za-z]{{1,3}}\$?\d+)"
_EQUAL, _EQUAL_BACKWARDS = re.compile(f"{_ONE_COLUMN}={_WANTED}"), re.compile(f"{_WANTED}={_ONE_COLUMN}")
_WHOLE_COLUMN = re.compile(r":\$?[A-Za-z]{1,3}(?![\w$])")
_OPEN_ENDED = re.compile(
    r"\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*'"
    r"|(?<![\w.:$\[\]])(?P<first>\$?[A-Za-z]{1,3})(?P<top>\$?[1-9]\d{0,6})?:(?P<last>\$?[A-Za-z]{1,3})"
    rf"(?P<bottom>\$?{MAX_ROW})?(?![\w.(:!\[\]])"
)

# What searches for the last one that there is: for a number, or a text, that nothing is larger than.
_SEARCHED = re.compile(
    r"(?<![\w.])(?P<name>LOOKUP|MATCH)\((?=\s*(?:\d[\d.]*(?:E\+?\d{1,3}|\^\d+)?|\"(?:z{2,}|я+|ω+)\"|REPT\(\"z\",\d+\))\s*,)",
    re.IGNORECASE,
)
_HUGE = re.compile(r"\d(?:\.\d+)?E\+?\d{2,3}|9{9,}|9+\^\d+", re.IGNORECASE)
_FRACTION = re.compile(r"\d+/(?=\()")
# The columns of a formula that is worked out row by row: their rows' numbers, one of a table, or what stands in one.
_CELL = r"\$?[A-Za-z]{1,3}\$?\d+"
_COLUMNS = re.compile(
    rf"(?<![\w.$!:'])(?:(?P<call>ROW)\(\s*|(?P<index>INDEX)\(\s*(?=[^,()]*,\s*0?\s*,))?"
    rf"(?P<area>{_SHEET}(?P<first>\$?(?P<left>[A-Za-z]{{1,3}})\$?\d+):(?P<last>\$?(?P<right>[A-Za-z]{{1,3}})(?P<bottom>\$?\d+)))"
    rf"(?(call)\s*\)|(?(index)\s*,\s*0?(?=\s*,)))",
    re.IGNORECASE,
)
_ROW_BY_ROW = set(
    "ROW INDEX IF ABS ROUND ROUNDUP ROUNDDOWN INT MOD SIGN SQRT EXP LN VALUE IFERROR TRIM LEFT RIGHT MID LEN".split()
)
_NAMED = re.compile(r"[^\W\d][\w.]*")
_NORMAL = re.compile(
    r"(?<![\w.])(?:_xlfn\.)?(?P<name>NORMSDIST|NORM\.S\.DIST|NORMDIST|NORM\.DIST|ERFC?(?:\.PRECISE)?)\(", re.IGNORECASE
)
_LOOKED_UP = re.compile(r"(?<![\w.])(?:_xlfn\.)?XLOOKUP\(", re.IGNORECASE)
_REFERENCE = re.compile(rf"[\w.]+|{_SHEET}\$?[A-Za-z]{{1,3}}\$?\d*:\$?[A-Za-z]{{1,3}}\$?\d*|[\w.]*\[.*\]")
_CUMULATIVE = {"TRUE", "TRUE()", "1"}
_COMPARED = re.compile(r"[=<>]\s*\(")
_LONG_NUMBER = re.compile(r"(?<![\w.$])(?=[\d.]{16})\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.:!])")
_AS_TEXT = re.compile(r"""\bTEXT\(([\w.!$]+(?:\[\[#This Row\],\[[^\]]*\]\])?),"@"\)""", re.IGNORECASE)
KEPT_DIGITS = 15
_RESPELT = (
    "COUNTIF",
    "SUMIF",
    "AVERAGEIF",
    "MAXIFS",
    "MINIFS",
    "SUMPRODUCT(",
    "(LARGE(",
    "(SMALL(",
    "SUM(INDEX(",
    "XLOOKUP(",
    "NORM",
    "ERF",
    str(MAX_ROW),
)
# Shows where so many digits stand that one number may have more of them, faster than a pattern does.
_DIGITS, _MANY_DIGITS = str.maketrans("123456789.", "0000000000"), "0" * (KEPT_DIGITS + 1)
_COUNTED = re.compile(
    r"(?<![\w.])COUNTIFS?\((?=(?P<area>\$?[A-Z]{1,3}\$?[1-9]\d{0,6}:\$?[A-Z]{1,3}\$?[1-9]\d{0,6}),)", re.IGNORECASE
)
_OF_ONE_CELL = re.compile(
    rf"(?<![\w.])(?:_xlfn\.)?(?P<name>(?:COUNT|SUM|AVERAGE|MAX|MIN)IFS?)\((?=\s*{_SHEET}{_CELL}\s*,)", re.IGNORECASE
)
_ONE_CELL = re.compile(rf"{_SHEET}(?P<cell>{_CELL})")
_SUM_OF_INDEX = re.compile(r"(?<![\w.])SUM\((?=INDEX\()", re.IGNORECASE)
ONES, MOST_ONES = "_ones", 1000
_COLUMN = rf"{_SHEET}\$?[A-Z]{{1,3}}\$?[1-9]\d{{0,6}}:\$?[A-Z]{{1,3}}\$?[1-9]\d{{0,6}}"
_LARGEST = re.compile(
    rf"SUMPRODUCT\(MAX\(\((?P<where>{_COLUMN})=(?P<wanted>{_SHEET}\$?[A-Z]{{1,3}}\$?\d+"
    rf"|[\w.]+\[\[#This Row\],\[[^\[\]']*\]\])\)\*(?P<what>{_COLUMN})\)\)"
)


class Spelling:
    """How an engine is to see the formulas of a book; as they stand, where nothing else is said."""

    def __init__(self, book: Book) -> None:
        self.book = book

    def text(self, cell: Cell) -> str:
        """Return the formula of a cell as the engine is to see it."""
        return cell.formula or ""

    def is_alone(self, cell: Cell) -> bool:
        """Return whether a cell's formula is spelt by what the cell stores, however those around it are spelt."""
        return False

    def name(self, text: str) -> str:
        """Return what a name means as the engine is to see it."""
        return text

    def sheets(self) -> dict[str, Callable[[], dict[Place, Cell]]]:
        """Return the sheets that the spelling needs besides, which are filled when all formulas are spelt."""
        return {}


class ForIroncalc(Spelling):
    """What ironcalc computes wrongly, roughly or slowly is spelt another way.

    LOOKUP(2,1/(condition),area) searches a row of ones and errors; ironcalc 0.9 halves it as if it were sorted, and
    finds no last number by LOOKUP(9E+99,area) where the last cell of all is empty, or in a column that is worked out. A
    whole column is a million cells to ironcalc, and ROW of one an error: it ends a row below the last that is used. The
    normal curve has eleven digits there, and the chi-squared one, which is the same by its square, has all of them. Of
    the numbers in a formula it keeps fifteen digits. COUNTIFS goes over all rows of its sheet, however few it counts;
    SUMIFS does not, and counts where it adds up ones. MAXIFS takes a fifth of the time of a maximum of products, and
    whether its columns hold nothing but numbers is asked once for all rows. None of these takes E4 for a range of one.
    A comparison in brackets that another one reads from its right loses its brackets there. A text that INDEX finds in
    a single row is an error in a sum.
    """

    def __init__(self, book: Book) -> None:
        super().__init__(book)
        self.bottom = max((row for cells in book.sheets.values() for row, _ in cells), default=0) + 1
        self.ones = ONES
        while self.ones in book.sheets:
            self.ones += "_"
        self.guards: dict[str, int] = {}
        self.respelt = lru_cache(maxsize=65536)(
            partial(_respelt, bottom=self.bottom, ones=self.ones, guards=self.guards)
        )

    def text(self, cell: Cell) -> str:
        """Return a formula as ironcalc is to see it; what it stores where ironcalc is known to compute it wrongly."""
        formula, of_array = cell.formula or "", cell.array is not None
        if of_array:
            formula = by_elements(formula, of_array)
        elif not _may_be_respelt(formula):
            return formula
        new = self.respelt(formula, _counts_blanks(cell.value))
        beyond = (of_array or _may_be_beyond(new)) and is_beyond(new, of_array)
        return _literal(cell.value) if beyond and isinstance(cell.value, (float, str)) else new

    def is_alone(self, cell: Cell) -> bool:
        """Return whether a cell counts the blanks of a whole column, which is left as it is, or is not computed."""
        formula = cell.formula or ""
        if cell.array is not None or (_may_be_beyond(formula) and is_beyond(by_elements(formula), False)):
            return True
        return _counts_blanks(cell.value) and closed(formula, self.bottom) != formula

    def name(self, text: str) -> str:
        """Return what a name means as ironcalc is to see it."""
        return all_digits(normal_curve(closed(text, self.bottom)))

    def sheets(self) -> dict[str, Callable[[], dict[Place, Cell]]]:
        """Return the sheet of ones, on which each guard stands once."""

        def filled() -> dict[Place, Cell]:
            ones = {(row, 1): Cell(None, 1.0) for row in range(1, MOST_ONES + 1)}
            return ones | {(row, 2): Cell(guard, None) for guard, row in self.guards.items()}

        return {self.ones: filled}


class ForFormualizer(Spelling):
    """TEXT(cell,"@") is spelt cell&"": of a text with a digit in it the engine gives #VALUE!."""

    def text(self, cell: Cell) -> str:
        """Return a formula as formualizer is to see it."""
        formula = cell.formula or ""
        return _AS_TEXT.sub(r'(\1&"")', formula) if ',"@")' in formula else formula


def _literal(value: Value) -> str:
    if isinstance(value, float):
        return repr(value)
    return '"' + str(value).replace('"', '""') + '"'


def _may_be_beyond(formula: str) -> bool:
    plain = formula.upper()
    return "SUMPRODUCT(" in plain or "(LARGE(" in plain or "(SMALL(" in plain


def _may_be_respelt(formula: str) -> bool:
    """Return whether there is anything in a formula that `_respelt` looks at."""
    plain = formula.upper()
    if any(word in plain for word in _RESPELT):
        return True
    if ("LOOKUP(" in plain or "MATCH(" in plain) and _SEARCHED.search(formula):
        return True
    if _COMPARED.search(formula):
        return True
    return _MANY_DIGITS in formula.translate(_DIGITS) or _WHOLE_COLUMN.search(formula) is not None


def _respelt(formula: str, counts_blanks: bool, *, bottom: int, ones: str, guards: dict[str, int]) -> str:
    """Return a formula as the engine is to see it, itself where nothing in it is spelt another way."""
    new, plain = formula, formula.upper()
    if ":" in new and not counts_blanks:
        new = closed(new, bottom)
    if "LOOKUP(" in plain or "MATCH(" in plain:
        new = last_match(new)
    if _OF_ONE_CELL.search(new):
        new = _each_call(new, _OF_ONE_CELL, _of_one_cell)
    if "COUNTIF" in plain:
        new = few_counted(new, ones)
    if "SUMPRODUCT(MAX(" in new:
        new = _LARGEST.sub(partial(_largest, ones=ones, guards=guards), new)
    if _may_be_beyond(plain):
        new = by_elements(new)
    if "SUM(INDEX(" in plain:
        new = _each_call(new, _SUM_OF_INDEX, _of_one_row)
    if "NORM" in plain or "ERF" in plain:
        new = normal_curve(new)
    if "XLOOKUP(" in plain:
        new = looked_up(new)
    if _COMPARED.search(new):
        new = compared(new)
    new = all_digits(new)
    return formula if new == formula else new


def _counts_blanks(value: Value) -> bool:
    return isinstance(value, float) and value > A_COUNT_OF_BLANKS


@lru_cache(maxsize=65536)
def closed(formula: str, bottom: int) -> str:
    """Return a formula with its whole columns, and its areas that end in the last row of all, ending in row `bottom`.

    >>> closed("SUMIF(Log!A:B,C1,Log!$D$2:$D$1048576)", 40)
    'SUMIF(Log!A1:B40,C1,Log!$D$2:$D$40)'
    """

    def one(match: re.Match[str]) -> str:
        first, top, last, end = match.group("first", "top", "last", "bottom")
        if first is None or (top is None) is not (end is None) or int((top or "1").strip("$")) > bottom:
            return match[0]
        fixed = "$" if end is not None and end.startswith("$") else ""
        return f"{first}{top or 1}:{last}{fixed}{bottom}"

    may_be_open = str(MAX_ROW) in formula or _WHOLE_COLUMN.search(formula)
    return _OPEN_ENDED.sub(one, formula) if may_be_open else formula


def few_counted(formula: str, ones: str) -> str:
    """Return a formula in which COUNTIFS of a short column adds up that many ones of another sheet.

    >>> few_counted("COUNTIFS(B1:B9,B10,C1:C9,C10)>0", "_ones")
    'SUMIFS(_ones!$A$1:$A$9,B1:B9,B10,C1:C9,C10)>0'
    """

    def one(match: re.Match[str]) -> str:
        top, left, bottom, right = parse_range(match["area"])
        size = bottom - top + 1
        return f"SUMIFS({ones}!$A$1:$A${size}," if left == right and 0 < size <= MOST_ONES else match[0]

    parts = _QUOTED.split(formula)
    return "".join(part if i % 2 else _COUNTED.sub(one, part) for i, part in enumerate(parts))


def _of_one_cell(match: re.Match[str], given: list[str]) -> str:
    """Return a call with each cell that it takes for a range spelt as one, `E4:E4`, what is looked for left out."""
    name = match["name"].upper()
    begin = 1 if name in ("COUNTIF", "COUNTIFS", "SUMIF", "AVERAGEIF") else 2
    for at, text in enumerate(given):
        cell = _ONE_CELL.fullmatch(text)
        if cell is not None and (at < begin or (at - begin) % 2):
            given[at] = f"{text}:{cell['cell']}"
    return f"{match[0]}{','.join(given)})"


def _of_one_row(match: re.Match[str], given: list[str]) -> str | None:
    """Return the sum of what INDEX finds in a single row as its number: a text there is nothing, and no error.

    None where it may find the whole row: without a column, or with that of 0.
    """
    if len(given) != 1 or _closing(given[0], given[0].index("(")) != len(given[0]) - 1:
        return None
    found = [one.strip() for one in _arguments(given[0][given[0].index("(") + 1 : -1])]
    area = found[0].rpartition("!")[2]
    if len(found) != 3 or found[2] in ("", "0") or re.fullmatch(rf"{_CELL}:{_CELL}", area) is None:
        return None
    top, _, bottom, _ = parse_range(area)
    return f"N({given[0]})" if top == bottom else None


def _largest(match: re.Match[str], ones: str, guards: dict[str, int]) -> str:
    """Return the largest number beside those that are equal, as MAXIFS where both columns hold nothing but numbers.

    Of fixed columns with their sheets that is asked in a cell of the sheet `ones`, whose row `guards` has; a number
    above all that stand there is not looked for.
    """
    where, what, wanted = match.group("where", "what", "wanted")
    (top, left, bottom, right), *other = (parse_range(area.rpartition("!")[2]) for area in (where, what))
    size = bottom - top + 1
    if left != right or other[0][1] != other[0][3] or other[0][2] - other[0][0] + 1 != size:
        return match[0]
    numbers = f"AND(COUNT({where})=ROWS({where}),COUNT({what})=ROWS({what}),MIN({what})>=0)"
    found = f"MAX(0,_xlfn.MAXIFS({what},{where},{wanted}))"
    if all("!" in area and area.rpartition("!")[2].count("$") == 4 for area in (where, what)):
        numbers, most = (f"{ones}!$B${guards.setdefault(one, len(guards) + 1)}" for one in (numbers, f"MAX({where})"))
        found = f"IF({wanted}>{most},0,{found})"
    return f"IF(AND({numbers},ISNUMBER({wanted})),{found},{match[0]})"


@lru_cache(maxsize=65536)
def last_match(formula: str) -> str:
    """Return a formula in which a search for the last one that there is, is spelt as what stands at the largest place.

    >>> last_match("LOOKUP(2,1/(A$1:A8=A9),C$1:C8)")
    'INDEX(C$1:C8,_xlfn.XMATCH(A9,A$1:A8,0,-1))'
    """
    return _each_call(formula, _SEARCHED, lambda match, given: _last(match["name"].upper(), given))


def _each_call(formula: str, called: re.Pattern[str], spelt: Callable[[re.Match[str], list[str]], str | None]) -> str:
    """Return a formula with each call that a pattern finds, and that is quoted nowhere, in another spelling.

    The pattern ends with the parenthesis that opens the call, whose arguments `spelt` is given.
    """
    at = 0
    while match := called.search(formula, at):
        start, at = match.start(), match.end()
        end = _closing(formula, at - 1)
        if end < 0 or all(place != start for place, _ in _bare(formula)):
            continue
        new = spelt(match, [one.strip() for one in _arguments(formula[at:end])])
        if new is not None:
            formula, at = f"{formula[:start]}{new}{formula[end + 1 :]}", start
    return formula


def _last(name: str, given: list[str]) -> str | None:
    """Return a search for the last one in the other spelling, None for another search."""
    wanted, where, *rest = given
    if len(rest) > 1 or (name == "MATCH" and rest and rest[0].upper() not in ("", "1", "TRUE", "TRUE()")):
        return None
    values = rest[0] if rest and name == "LOOKUP" else where
    if not wanted[0].isdigit() or _HUGE.fullmatch(wanted):
        column = _COLUMNS.match(where)
        tabled = column is not None and column["index"] is not None
        if column is not None and tabled and re.sub(r"\D", "", column["first"]) == column["bottom"].strip("$"):
            # Of a table with one row ironcalc makes no column.
            array, single = f"INDEX({column['area']},1{where[column.end() :]}", True
        else:
            plain = column is not None and (tabled or column.end() == len(where))
            array, single = where if plain else f'IFERROR({where},"")', False
        condition = f"({array}<9E+307)" if wanted[0].isdigit() else f'({array}>="")'
        condition += f'*({array}<>"")'
        if single:
            return f"IF({condition},{array if name == 'LOOKUP' else 1},NA())" if values is where else None
    elif fraction := _FRACTION.match(where):
        if values is where and name == "LOOKUP":
            return None
        condition = _divisors(where[fraction.end() :])
    else:
        return None
    if not condition or (_COLUMNS.search(where) is None and _NAMED.search(where) is None):
        return None
    place = _place(condition)
    return place if name == "MATCH" else _at(values, place)


def _divisors(text: str) -> str:
    """Return the product of what one is divided by, `(…)/(…)`, which is no nought where no error is; nothing else."""
    found, at = [], 0
    while text[at : at + 1] == "(" and (end := _closing(text, at)) > 0:
        found.append(text[at : end + 1])
        if end + 1 == len(text):
            return "*".join(found)
        at = end + 2 if text[end + 1] == "/" else len(text)
    return ""


def _at(values: str, place: str) -> str:
    """Return what stands at a place of a column, or is worked out there."""
    called = set(re.findall(r"([A-Z.]+)\(", values.upper()))
    columns = list(_COLUMNS.finditer(values))
    indexed = sum(column["index"] is not None for column in columns)
    if not columns or called - _ROW_BY_ROW or values.upper().count("INDEX(") != indexed:
        return f"INDEX({values},{place})"

    def one(column: re.Match[str]) -> str:
        if column["call"]:
            return f"(ROW({column['area'].split(':')[0]})+{place}-1)"
        return f"INDEX({column['area']},{place}" + ("" if column["index"] else ")")

    return _COLUMNS.sub(one, values)


@lru_cache(maxsize=65536)
def looked_up(formula: str) -> str:
    """Return a formula in which XLOOKUP of columns that are worked out is spelt by the place where it finds.

    >>> looked_up("XLOOKUP(B9,B$3:B8,ROW(B$3:B8),0,0,-1)")
    'IFNA(INDEX(ROW(B$3:B8),_xlfn.XMATCH(B9,B$3:B8,0,-1)),0)'
    """
    return _each_call(formula, _LOOKED_UP, lambda match, given: _looked_up(given))


def _looked_up(given: list[str]) -> str | None:
    if len(given) < 3 or all(_REFERENCE.fullmatch(one) for one in given[1:3]):
        return None
    wanted, where, what, instead, *ways = (*given, "") if len(given) == 3 else given
    new = f"INDEX({what},_xlfn.XMATCH({','.join((wanted, where, *ways))}))"
    return f"IFNA({new},{instead})" if instead else new


def _place(condition: str) -> str:
    """The place in a column of the last row that fits: an equality is looked for from below, all else is tried."""
    plain = condition
    while plain.startswith("(") and _closing(plain, 0) == len(plain) - 1:
        plain = plain[1:-1]
    equal = _EQUAL.fullmatch(plain) or _EQUAL_BACKWARDS.fullmatch(plain)
    if equal is not None:
        return f"_xlfn.XMATCH({equal['wanted']},{equal['column']},0,-1)"
    return f"_xlfn.XMATCH(1,(({condition})*1<>0)*1,0,-1)"


def _bare(text: str, start: int = 0) -> Iterator[tuple[int, str]]:
    """The characters from a place on that no quotation marks enclose, each with its place."""
    quote = ""
    for at in range(start, len(text)):
        char = text[at]
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        else:
            yield at, char


def _closing(text: str, start: int) -> int:
    """The place of the parenthesis that closes the one at `start`, or -1."""
    depth = 0
    for at, char in _bare(text, start):
        depth += {"(": 1, ")": -1}.get(char, 0)
        if depth == 0:
            return at
    return -1


def _arguments(text: str) -> list[str]:
    """What stands between the commas that part the arguments of a call."""
    commas, depth = [-1], 0
    for at, char in _bare(text):
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(char, 0)
        if char == "," and depth == 0:
            commas.append(at)
    return [text[before + 1 : end] for before, end in pairwise([*commas, len(text)])]


def compared(formula: str) -> str:
    """Return a formula in which a comparison that another one reads from its right is the result of an IF.

    >>> compared('IF((A1>0.5)=(B1=1),"yes","no")')
    'IF((A1>0.5)=IF(B1=1,TRUE,FALSE),"yes","no")'
    """
    bare = {at for at, _ in _bare(formula)}
    for match in reversed([*_COMPARED.finditer(formula)]):
        start = match.end() - 1
        end = _closing(formula, start)
        inner, depth = formula[start + 1 : end], 0
        for _, char in _bare(inner):
            depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(char, 0)
            if char in "=<>" and depth == 0 and match.start() in bare:
                formula = f"{formula[:start]}IF({compared(inner)},TRUE,FALSE){formula[end + 1 :]}"
                break
    return formula


@lru_cache(maxsize=65536)
def all_digits(formula: str) -> str:
    """Return a formula with each number of more than fifteen digits spelt as the sum of two shorter ones.

    >>> all_digits("A1/3.141592653589793")
    'A1/(3.14159265358979+3.10862446895044E-15)'
    """
    if _MANY_DIGITS not in formula.translate(_DIGITS) or _LONG_NUMBER.search(formula) is None:
        return formula
    parts = _QUOTED.split(formula)
    return "".join(part if i % 2 else _LONG_NUMBER.sub(_in_two, part) for i, part in enumerate(parts))


def _in_two(match: re.Match[str]) -> str:
    number = float(match[0])
    most = f"{number:.{KEPT_DIGITS}g}"
    rest = number - float(most)
    return match[0] if rest == 0 else f"({most}{rest:+.{KEPT_DIGITS}g})".replace("e", "E")


@lru_cache(maxsize=65536)
def normal_curve(formula: str) -> str:
    """Return a formula with the cumulative normal curve, and the error function, spelt by the chi-squared one.

    >>> normal_curve("25*NORMSDIST(A1/B1)")
    '25*ABS(((A1/B1)>0)-CHIDIST((A1/B1)^2,1)/2)'
    """
    return _each_call(
        formula, _NORMAL, lambda match, given: _chi_squared(match["name"].upper().removesuffix(".PRECISE"), given)
    )


def _chi_squared(name: str, given: list[str]) -> str | None:
    """The call in the other spelling, or None where it asks for the density or for an area between two ends."""
    if name in ("ERF", "ERFC"):
        if len(given) != 1:
            return None
        x = given[0]
        tail = f"CHIDIST(2*({x})^2,1)"
        return f"ABS(2*(({x})<0)-{tail})" if name == "ERFC" else f"(SIGN({x})*(1-{tail}))"
    if name != "NORMSDIST":
        if given[-1].strip().upper() not in _CUMULATIVE:
            return None
        given = given[:-1]
    if name in ("NORMDIST", "NORM.DIST") and len(given) == 3:
        x, mean, deviation = given
        # The logarithm refuses a deviation that is not above zero, as the function itself does.
        given = [f"(({x})-({mean}))/(({deviation})+0*LN({deviation}))"]
    if len(given) != 1:
        return None
    return f"ABS((({given[0]})>0)-CHIDIST(({given[0]})^2,1)/2)"
