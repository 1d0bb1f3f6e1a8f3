"""What makes Excel offer a repair, or makes spreadsheets disagree, and what no schema validator sees.

Runs over our own books before they are moved into place and over anybody's book on request.  One pass: every
distinct formula is analysed once, row numbers aside.  Sources: the limits that Microsoft publishes for Excel,
[MS-XLSX] 2.2.3 (functions that must carry a prefix) and ECMA-376 part 1, section 18.17 (formula grammar).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from elo_sheets.files.cells import Book, CellError
from elo_sheets.files.package import read_book
from elo_sheets.files.references import (
    STRUCTURED,
    Filled,
    Runs,
    Table,
    cell_name,
    column_number,
    parse_range,
    parse_structured,
)

MAX_FORMULA, MAX_NESTING, MAX_ARGUMENTS, MAX_TEXT = 8192, 64, 255, 32_767
MAX_LIST, MAX_TITLE, MAX_MESSAGE, MAX_SHEET_NAME, MAX_NAME = 255, 32, 255, 31, 255

# These do not make Excel repair the file: they make it slow, unstable, or different in another spreadsheet.
ADVICE = frozenset(
    {
        "approximate-lookup",
        "array-constant",
        "external-reference",
        "name-not-single-cell",
        "not-portable",
        "unknown-name",
        "broken-reference",
        "volatile",
        "single-value",
        "spill-blocked",
    }
)

VOLATILE = frozenset(("NOW", "TODAY", "RAND", "RANDBETWEEN", "RANDARRAY", "OFFSET", "INDIRECT"))

# What gives a list.  Where no dynamic array formula is stored, Excel takes one value of it and shows an @.
SPILLING = frozenset(("FILTER", "RANDARRAY", "SEQUENCE", "SORT", "SORTBY", "UNIQUE"))
# The function that gives a formula its values, which may stand behind a guard that gives empty text.
_LIST = re.compile(r'(?:IF\((?:[^(),]|\([^()]*\))*,"",)*(?P<function>_xlfn\.[A-Z_a-z.]+)\(')

_FUTURE = """
ACOT ACOTH AGGREGATE ANCHORARRAY ARABIC ARRAYTOTEXT BASE BETA.DIST BETA.INV BINOM.DIST BINOM.DIST.RANGE
BINOM.INV BITAND BITLSHIFT BITOR BITRSHIFT BITXOR BYCOL BYROW CEILING.MATH CEILING.PRECISE CHISQ.DIST
CHISQ.DIST.RT CHISQ.INV CHISQ.INV.RT CHISQ.TEST CHOOSECOLS CHOOSEROWS COMBINA CONCAT CONFIDENCE.NORM
CONFIDENCE.T COT COTH COVARIANCE.P COVARIANCE.S CSC CSCH DAYS DECIMAL DROP ERF.PRECISE ERFC.PRECISE EXPAND
EXPON.DIST F.DIST F.DIST.RT F.INV F.INV.RT F.TEST FILTERXML FLOOR.MATH FLOOR.PRECISE FORECAST.ETS
FORECAST.ETS.CONFINT FORECAST.ETS.SEASONALITY FORECAST.ETS.STAT FORECAST.LINEAR FORMULATEXT GAMMA GAMMA.DIST
GAMMA.INV GAMMALN.PRECISE GAUSS GROUPBY HSTACK HYPGEOM.DIST IFNA IFS IMAGE IMCOSH IMCOT IMCSC IMCSCH IMSEC
IMSECH IMSINH IMTAN ISFORMULA ISOMITTED ISOWEEKNUM LAMBDA LET LOGNORM.DIST LOGNORM.INV MAKEARRAY MAP MAXIFS
MINIFS MODE.MULT MODE.SNGL MUNIT NEGBINOM.DIST NORM.DIST NORM.INV NORM.S.DIST NORM.S.INV NUMBERVALUE
PDURATION PERCENTILE.EXC PERCENTILE.INC PERCENTOF PERCENTRANK.EXC PERCENTRANK.INC PERMUTATIONA PHI PIVOTBY
POISSON.DIST QUARTILE.EXC QUARTILE.INC QUERYSTRING RANDARRAY RANK.AVG RANK.EQ REDUCE REGEXEXTRACT
REGEXREPLACE REGEXTEST RRI SCAN SEC SECH SEQUENCE SHEET SHEETS SINGLE SKEW.P SORTBY STDEV.P STDEV.S SWITCH
T.DIST T.DIST.2T T.DIST.RT T.INV T.INV.2T T.TEST TAKE TEXTAFTER TEXTBEFORE TEXTJOIN TEXTSPLIT TOCOL TOROW
UNICHAR UNICODE UNIQUE VALUETOTEXT VAR.P VAR.S VSTACK WEBSERVICE WEIBULL.DIST WRAPCOLS WRAPROWS XLOOKUP
XMATCH XOR Z.TEST
"""
FUTURE = {name: f"_xlfn.{name}" for name in _FUTURE.split()} | {
    name: f"_xlfn._xlws.{name}" for name in ("FILTER", "SORT", "PY")
}


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One finding: where, which rule, and a sentence.  `cell` is the first of the cells that share it."""

    sheet: str
    cell: str
    rule: str
    message: str

    @property
    def repair(self) -> bool:
        """Whether Excel would refuse or repair the file, as far as its published limits tell."""
        return self.rule not in ADVICE

    def __str__(self) -> str:
        place = "!".join(part for part in (self.sheet, self.cell) if part)
        return f"{place}: {self.message} [{self.rule}]"


Problem = tuple[str, str]  # rule, message


# --- one formula --------------------------------------------------------------------------------------------

_WORD = r"[^\W\d][\w.\\?]*"
_TOKEN = re.compile(
    rf"""
    (?P<string>"(?:[^"]|"")*")
  | (?P<quoted>'(?:[^']|'')*'!)
  | (?P<sheet>(?:\[\d+\])?(?:{_WORD}(?::{_WORD})?)?!)
  | (?P<structured>(?:{_WORD})?{STRUCTURED})
  | (?P<array>\{{[^{{}}]*\}})
  | (?P<error>\#(?:N/A|[A-Z0-9/]+[!?]))
  | (?P<function>{_WORD}\()
  | (?P<span>\$?\d+:\$?\d+|\$?[A-Za-z]{{1,3}}:\$?[A-Za-z]{{1,3}}(?![\w.(]))
  | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[Ee][+-]?\d+)?)
  | (?P<word>[$]?{_WORD}(?:\$\d+)?\#?)
  | (?P<open>\() | (?P<close>\)) | (?P<comma>,) | (?P<semicolon>;)
  | (?P<operator><>|<=|>=|[-+*/^&=<>:])
  | (?P<percent>%) | (?P<space>\s+) | (?P<at>@) | (?P<bad>.)
    """,
    re.X | re.S,
)
_CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?[0-9]{1,7}#?")
_WORDS = re.compile(r"(?<![\w.$!'])[^\W\d][\w.]*(?![\w(!'])")
_QUOTED = re.compile(rf"\"[^\"]*\"|'[^']*'|{STRUCTURED}")
_OPERANDS = frozenset({"string", "structured", "array", "error", "span", "number", "word"})
_ROWS = re.compile(r"\[[^\]]*\]|\"[^\"]*\"|(?<=[A-Za-z$])\d+|\d{2,}")


def _without_rows(formula: str) -> str:
    """A key that formulas filled down a column share; what stands in brackets and quotes counts."""
    return _ROWS.sub(lambda match: match[0] if match[0][0] in '["' else "9", formula)


@dataclass
class _Known:
    """The names a formula may use, case-folded."""

    sheets: set[str]
    names: set[str]
    tables: dict[str, Table]
    portable: Collection[str] | None


@dataclass
class _Call:
    name: str
    arguments: list[str] = field(default_factory=lambda: [""])
    words: list[str] = field(default_factory=list)


def _bare_name(function: str) -> str:
    return function.upper().removeprefix("_XLFN.").removeprefix("_XLWS.")


def _is_exact(argument: str) -> bool:
    return argument.strip().upper() in ("0", "FALSE", "FALSE()")


def _lookup_problems(name: str, arguments: list[str]) -> Iterator[Problem]:
    way = {"MATCH": 3, "VLOOKUP": 4, "HLOOKUP": 4}.get(name)
    approximate = name == "LOOKUP" or (way is not None and (len(arguments) < way or not _is_exact(arguments[way - 1])))
    modes = {"XLOOKUP": 5, "XMATCH": 3}
    if name in modes and len(arguments) >= modes[name] and arguments[modes[name] - 1].strip() not in ("", "0"):
        approximate = True
    if approximate:
        yield (
            "approximate-lookup",
            f"{name} looks up approximately, which spreadsheets compute differently; use MATCH(…,0)",
        )
    if name in ("MATCH", "VLOOKUP", "HLOOKUP", "LOOKUP", "XMATCH") and any("{" in text for text in arguments):
        yield (
            "array-constant",
            f"{name} looks into an array constant, which spreadsheets compute differently; use cells",
        )


def _parameter_problems(name: str, arguments: list[str]) -> Iterator[Problem]:
    names = arguments[:-1:2] if name == "LET" else arguments[:-1] if name == "LAMBDA" else []
    for text in names:
        if text.strip() and not text.strip().startswith("_xlpm."):
            yield (
                "parameter-prefix",
                f"the parameter {text.strip()!r} of {name} must be stored as _xlpm.{text.strip()}",
            )
    known = {text.strip().removeprefix("_xlpm.").casefold() for text in names if text.strip().startswith("_xlpm.")}
    if known:
        words = {word.casefold() for text in arguments for word in _WORDS.findall(_QUOTED.sub(" ", text))}
        for word in sorted(words & known):
            yield "parameter-prefix", f"the parameter {word!r} must be stored as _xlpm.{word} wherever {name} uses it"


def _call_problems(call: _Call) -> Iterator[Problem]:
    name = _bare_name(call.name)
    if len(call.arguments) > MAX_ARGUMENTS:
        yield "arguments", f"{name} has {len(call.arguments)} arguments, the limit is {MAX_ARGUMENTS}"
    if name == "IF" and not 2 <= len(call.arguments) <= 3:
        yield "arguments", f"IF takes two or three arguments, got {len(call.arguments)}"
    yield from _lookup_problems(name, call.arguments)
    yield from _parameter_problems(name, call.arguments)


def _function_problems(function: str, known: _Known) -> Iterator[Problem]:
    name = _bare_name(function)
    if name.startswith("_XLPM."):
        return
    if name in FUTURE and function.upper() != FUTURE[name].upper():
        yield "future-prefix", f"the function {name} must be stored as {FUTURE[name]}"
    elif name not in FUTURE and function.upper().startswith("_XLFN."):
        yield "future-prefix", f"expected a function that needs the prefix _xlfn., got {function!r}"
    if name in VOLATILE:
        yield "volatile", f"{name} gives another result at every calculation"
    if known.portable is not None and name not in known.portable and f"_xlfn.{name}" not in known.portable:
        yield "not-portable", f"{name} is not among the functions that all spreadsheets compute alike"


def _structured_problems(text: str, known: _Known) -> Iterator[Problem]:
    head, _, rest = text.partition("[")
    body = "[" + rest
    if not head and body[1:-1].isdigit():
        yield "external-reference", f"{body} refers to another workbook"
        return
    if body.startswith("[@"):
        yield "structured-syntax", f"{text!r} must be stored as Table[[#This Row],[Column]]"
        return
    if not head:
        yield "unqualified-reference", f"{text!r} must be stored with the name of its table"
        return
    table = known.tables.get(head.casefold())
    if table is None:
        yield "unknown-table", f"there is no table {head!r} for {text!r}"
        return
    try:
        reference = parse_structured(head, body)
    except ValueError as error:
        yield "structured-syntax", f"cannot read {text!r}: {error}"
        return
    for column in {reference.first, reference.last} - {None}:
        if column is not None and table.column(column) is None:
            yield "unknown-column", f"the table {table.name!r} has no column {column!r}"
    if "#totals" in reference.items and not table.totals_rows:
        yield "broken-reference", f"{text!r} means a totals row, which the table {table.name!r} has not"


def _word_problems(word: str, known: _Known) -> Iterator[Problem]:
    cell = _CELL.fullmatch(word)
    if (cell and column_number(cell[1])) or word.upper() in ("TRUE", "FALSE") or word.startswith("_xlpm."):
        return
    if word.casefold() not in known.names and word.casefold() not in known.tables:
        yield "unknown-name", f"there is no name {word!r}"


def _sheet_problems(prefix: str, known: _Known) -> Iterator[Problem]:
    name = prefix[:-1]
    name = name[1:-1].replace("''", "'") if name.startswith("'") else name
    if "[" in name:
        yield "external-reference", f"{prefix!r} refers to another workbook"
        return
    for one in [name] if name.casefold() in known.sheets else name.split(":"):
        if one.casefold() not in known.sheets:
            yield "unknown-sheet", f"there is no sheet {one!r}"


def _syntax(kind: str, text: str, before: str, spaced: bool) -> Problem | None:
    """The problem of a token after the token kind `before`; '' at the start."""
    after_operand = before in _OPERANDS or before in ("close", "percent")
    starts = kind in _OPERANDS or kind in ("function", "open", "quoted", "sheet")
    if starts and after_operand and not (spaced and kind not in ("string", "number")):
        return "syntax", f"an operator is missing before {text!r}"
    signs = kind == "operator" and text in "+-"
    if kind in ("operator", "percent") and not after_operand and not signs:
        return "syntax", f"a value is missing before {text!r}"
    if kind in ("close", "comma") and before in ("operator", "sheet", "quoted"):
        return "syntax", f"a value is missing before {text!r}"
    if kind == "bad":
        rule = "unbalanced-quote" if text in "\"'" else "syntax"
        return rule, f"cannot read the formula from {text!r} on"
    return None


def formula_problems(formula: str, known: _Known) -> list[Problem]:
    """Every problem of one formula text, given without its '='."""
    found: list[Problem] = []
    for kind, text in _said_and_asked(formula):
        asked = _ASKED.get(kind)
        found += [(kind, text)] if asked is None else asked(text, known)
    return list(dict.fromkeys(found))


# What of a formula is asked of the names of its book, by the kind of its token.
_ASKED: dict[str, Callable[[str, _Known], Iterable[Problem]]] = {
    "function": _function_problems,
    "structured": _structured_problems,
    "word": _word_problems,
    "sheet": _sheet_problems,
}


@lru_cache(maxsize=4096)
def _said_and_asked(formula: str) -> Sequence[tuple[str, str]]:
    """What is wrong with a formula in any book, and the texts in it that are asked of its own, each with its kind."""
    return tuple(_tokens(formula))


def _tokens(formula: str) -> Iterator[tuple[str, str]]:
    if len(formula) > MAX_FORMULA:
        yield "formula-length", f"the formula has {len(formula):,} characters, the limit is {MAX_FORMULA:,}"
        return
    if not formula.strip():
        yield "empty-formula", "the formula is empty"
        return
    if formula.startswith("="):
        yield "leading-equals", "the formula must be stored without its '='"
        formula = formula[1:]
    stack: list[_Call] = []
    deepest = depth = 0
    before, spaced = "", False
    for match in _TOKEN.finditer(formula):
        kind, text = str(match.lastgroup), match[0]
        if kind == "space":
            spaced = True
            continue
        problem = _syntax(kind, text, before, spaced)
        if problem:
            yield problem
            if kind == "bad":
                return
        if kind == "function":
            yield kind, text[:-1]
            depth += 1
            deepest = max(deepest, depth)
            stack.append(_Call(text[:-1]))
        elif kind == "open":
            stack.append(_Call(""))
        elif kind == "close":
            if not stack:
                yield "unbalanced", "the formula has more closing than opening parentheses"
                return
            call = stack.pop()
            depth -= bool(call.name)
            yield from _call_problems(call) if call.name else ()
            if stack:
                stack[-1].arguments[-1] += f"{call.name}({','.join(call.arguments)})"
        elif kind == "comma" and stack:
            stack[-1].arguments.append("")
        elif kind == "comma":
            yield "syntax", "a comma stands outside of parentheses"
        elif kind == "semicolon":
            yield "semicolon", "arguments must be stored with ',' between them, not ';'"
        elif kind == "structured" or (
            kind == "word" and not (stack and _bare_name(stack[-1].name) in ("LET", "LAMBDA"))
        ):
            yield kind, text
        elif kind in ("sheet", "quoted") and text != "!":
            yield "sheet", text
        elif kind == "error" and text.startswith("#REF"):
            yield "broken-reference", "the formula refers to cells that were deleted (#REF!)"
        if stack and kind not in ("comma", "close", "function", "open"):
            stack[-1].arguments[-1] += text
        before, spaced = kind, False
    if stack:
        yield "unbalanced", "the formula has more opening than closing parentheses"
    elif before in ("operator", "sheet", "quoted", "at"):
        yield "syntax", "the formula ends with an operator"
    if deepest > MAX_NESTING:
        yield "nesting", f"functions are nested {deepest} deep, the limit is {MAX_NESTING}"


# --- names --------------------------------------------------------------------------------------------------

_NAME = re.compile(r"(?:[^\W\d]|[_\\])[\w.\\?]*")
_LIKE_R1C1 = re.compile(r"[rR](?:\d*)(?:[cC]\d*)?|[cC]\d*")
_ONE_CELL = re.compile(r"(?:'(?P<quoted>(?:[^']|'')+)'|(?P<plain>[^\W\d][\w.]*))!\$[A-Za-z]{1,3}\$[0-9]{1,7}")


def name_problems(name: str) -> list[Problem]:
    """Why Excel would not accept `name` as the name of a cell or a table."""
    like_cell = _CELL.fullmatch(name)
    if not _NAME.fullmatch(name) or len(name) > MAX_NAME:
        return [("name-form", f"expected a name of letters, digits, '_' and '.', got {name!r}")]
    if (like_cell and column_number(like_cell[1])) or _LIKE_R1C1.fullmatch(name):
        return [("name-form", f"the name {name!r} reads like a cell")]
    return []


def _defined_name_findings(book: Book, known: _Known) -> Iterator[LintFinding]:
    everything = [("", name, text) for name, text in book.names.items()]
    everything += [(sheet, name, text) for (sheet, name), text in book.local_names.items()]
    seen: dict[tuple[str, str], str] = {}
    for sheet, name, text in everything:
        if name.casefold().startswith("_xl"):
            continue
        for rule, message in name_problems(name):
            yield LintFinding(sheet, name, rule, message)
        if name.casefold() in known.tables:
            yield LintFinding(sheet, name, "name-duplicate", f"the name {name!r} is also the name of a table")
        if seen.setdefault((sheet, name.casefold()), name) != name:
            yield LintFinding(sheet, name, "name-duplicate", f"the name {name!r} is defined twice")
        cell = _ONE_CELL.fullmatch(text)
        if cell is None:
            message = f"the name {name!r} should mean one cell such as Settings!$B$2, got {text!r}"
            yield LintFinding(sheet, name, "name-not-single-cell", message)
            for rule, message in formula_problems(text, known):
                yield LintFinding(sheet, name, rule, f"name {name!r}: {message}")
            continue
        target = (cell["quoted"] or cell["plain"]).replace("''", "'")
        if target.casefold() not in known.sheets:
            yield LintFinding(sheet, name, "unknown-sheet", f"the name {name!r} refers to the missing sheet {target!r}")


def _sheet_name_findings(book: Book) -> Iterator[LintFinding]:
    seen: set[str] = set()
    for sheet in book.sheets:
        if not 0 < len(sheet) <= MAX_SHEET_NAME:
            message = f"the sheet name {sheet!r} has {len(sheet)} characters, the limit is {MAX_SHEET_NAME}"
            yield LintFinding(sheet, "", "sheet-name", message)
        if re.search(r"[\[\]:*?/\\]", sheet) or sheet.startswith("'") or sheet.endswith("'"):
            message = f"the sheet name {sheet!r} has one of [ ] : * ? / \\ or an apostrophe at an end"
            yield LintFinding(sheet, "", "sheet-name", message)
        if sheet.casefold() == "history":
            yield LintFinding(sheet, "", "sheet-name", "the sheet name 'History' is reserved by Excel")
        if sheet.casefold() in seen:
            yield LintFinding(sheet, "", "sheet-name", f"two sheets are called {sheet!r} but for upper and lower case")
        seen.add(sheet.casefold())


# --- tables, merges, validations ----------------------------------------------------------------------------

_Area = tuple[int, int, int, int]


def _area(table: Table) -> _Area:
    return table.first_row, table.first_col, table.last_row, table.last_col


def _overlaps(areas: Iterable[tuple[_Area, str]]) -> Iterator[tuple[str, str]]:
    """Pairs of labels whose areas share a cell; one pair for each later area, found by a sweep down the
    rows.
    """
    active: list[tuple[_Area, str]] = []
    for area, label in sorted(areas):
        active = [other for other in active if other[0][2] >= area[0]]
        hit = next((o for o in active if o[0][1] <= area[3] and area[1] <= o[0][3]), None)
        if hit:
            yield hit[1], label
        if len(active) < 1000:
            active.append((area, label))


def _table_findings(book: Book, known: _Known) -> Iterator[LintFinding]:
    seen: set[str] = set()
    for table in book.all_tables:
        sheet, place = table.sheet, cell_name(table.first_row, table.first_col)

        def finding(rule: str, message: str, cell: str = place, sheet: str = sheet) -> LintFinding:
            return LintFinding(sheet, cell, rule, message)

        for _, message in name_problems(table.name):
            yield finding("table-name", message)
        if table.name.casefold() in seen:
            yield finding("table-name", f"two tables are called {table.name!r}")
        seen.add(table.name.casefold())
        width = table.last_col - table.first_col + 1
        if width != len(table.columns):
            yield finding("table-width", f"table {table.name!r} is {width} wide and names {len(table.columns)} columns")
        if table.last_data_row < table.first_data_row:
            yield finding("table-rows", f"table {table.name!r} has no row below its header")
        folded = [column.casefold() for column in table.columns]
        for column in {c for c in folded if folded.count(c) > 1} if len(set(folded)) < len(folded) else ():
            yield finding("table-columns", f"table {table.name!r} has the column {column!r} twice")
        if table.header_rows:
            for offset, column in enumerate(table.columns):
                spot = (table.first_row, table.first_col + offset)
                held = book.sheets[sheet].get(spot)
                text = None if held is None else held.value
                if type(text) is not str or text != column or (held and held.formula is not None):
                    message = f"the header of table {table.name!r} must hold the text {column!r}, got {text!r}"
                    yield finding("table-header", message, cell_name(*spot))
        for column, formula in table.column_formulas.items():
            for rule, message in formula_problems(formula, known):
                yield finding(rule, f"column {column!r} of table {table.name!r}: {message}")
    for sheet in book.sheets:
        tables = [(_area(table), table.name) for table in book.all_tables if table.sheet == sheet]
        for first, second in _overlaps(tables):
            yield LintFinding(sheet, "", "table-overlap", f"the tables {first!r} and {second!r} overlap")


def _merge_findings(book: Book) -> Iterator[LintFinding]:
    for sheet, merges in book.merges.items():
        areas: list[tuple[_Area, str]] = []
        for text in merges:
            try:
                area = parse_range(text)
            except ValueError:
                yield LintFinding(sheet, text, "merge", f"expected a range of merged cells, got {text!r}")
                continue
            if area[:2] == area[2:]:
                yield LintFinding(sheet, text, "merge", f"{text!r} merges a single cell")
            areas.append((area, text))
        for first, second in _overlaps(areas):
            yield LintFinding(sheet, second, "merge", f"the merged cells {first} and {second} overlap")
        tables = [table for table in book.all_tables if table.sheet == sheet]
        for (top, left, bottom, right), text in areas:
            for table in tables:
                if (
                    top <= table.last_row
                    and table.first_row <= bottom
                    and left <= table.last_col
                    and table.first_col <= right
                ):
                    yield LintFinding(sheet, text, "merge", f"the merged cells {text} lie in table {table.name!r}")


def _validation_findings(book: Book, known: _Known) -> Iterator[LintFinding]:
    for rule in book.validations:
        where = rule.ranges.split(" ")[0]
        if rule.type == "list" and rule.formula1.startswith('"') and len(rule.formula1) - 2 > MAX_LIST:
            message = f"the list has {len(rule.formula1) - 2} characters, the limit is {MAX_LIST}; put it in cells"
            yield LintFinding(rule.sheet, where, "validation-list", message)
        texts = (
            ("title", rule.prompt_title, MAX_TITLE),
            ("title", rule.error_title, MAX_TITLE),
            ("message", rule.prompt, MAX_MESSAGE),
            ("message", rule.error, MAX_MESSAGE),
        )
        for what, text, limit in texts:
            if len(text) > limit:
                message = f"the {what} {text[:20]!r}… has {len(text)} characters, the limit is {limit}"
                yield LintFinding(rule.sheet, where, f"validation-{what}", message)
        for formula in (rule.formula1, rule.formula2):
            if formula and not formula.startswith('"'):
                yield from _rule_formula_findings(rule.sheet, where, formula, known)


def _rule_formula_findings(sheet: str, where: str, formula: str, known: _Known) -> Iterator[LintFinding]:
    """Formulas of validations and conditional formats, where Excel knows no structured references."""
    structured = False
    for rule, message in formula_problems(formula, known):
        structured = structured or rule in ("unqualified-reference", "structured-syntax")
        yield LintFinding(sheet, where, rule, message)
    outside_texts = re.sub(r"\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*'|\[\d+\]", "", formula)
    if "[" in outside_texts and not structured:
        message = f"validations and formats may not use structured references as {formula!r}; use a range"
        yield LintFinding(sheet, where, "structured-in-rule", message)


_ERROR_VALUES = "#NULL! #DIV/0! #VALUE! #REF! #NAME? #NUM! #N/A #GETTING_DATA #SPILL! #CALC! #FIELD! #BLOCKED!"
_ERRORS = frozenset(_ERROR_VALUES.split())


# --- cells --------------------------------------------------------------------------------------------------


def _cell_findings(book: Book, problems: Callable[[str], list[Problem]]) -> Iterator[LintFinding]:
    """Findings of cells, those of one column that say the same joined into one."""
    for sheet, cells in book.sheets.items():
        joined: dict[tuple[int, str, str], list[int]] = {}
        runs, known = Runs(), dict[Filled | None, list[Problem]]()
        for (row, column), cell in cells.items():
            if cell.formula is not None:
                run = runs.of(row, column, cell.formula)
                found = known.get(run)
                if found is None:
                    found = problems(cell.formula)
                    if run is not None and len(cell.formula) < MAX_FORMULA // 2:
                        known[run] = found
                for rule, message in found:
                    joined.setdefault((column, rule, message), []).append(row)
            value = cell.value
            if value.__class__ is str and len(value) > MAX_TEXT:
                message = f"the text has {len(value):,} characters, the limit is {MAX_TEXT:,}"
                joined.setdefault((column, "long-text", message), []).append(row)
            if cell.formula is None and isinstance(value, CellError) and value not in _ERRORS:
                joined.setdefault((column, "error-value", f"{value!s} is not an error value"), []).append(row)
        for (column, rule, message), rows in joined.items():
            more = f" (and in {len(rows) - 1:,} more cells of the column)" if len(rows) > 1 else ""
            yield LintFinding(sheet, cell_name(rows[0], column), rule, message + more)


def _array_findings(book: Book, known: _Known) -> Iterator[LintFinding]:
    """Findings of formulas that spill: stored as others are, or with something in their way."""
    merges = {sheet: [parse_range(text) for text in texts if ":" in text] for sheet, texts in book.merges.items()}
    for sheet, cells in book.sheets.items():
        blocked = [_area(table) for table in known.tables.values() if table.sheet == sheet] + merges.get(sheet, [])
        for (row, column), cell in cells.items():
            if cell.array is None:
                listing = _LIST.match(cell.formula) if cell.formula and "_xlfn." in cell.formula else None
                if listing and (function := _bare_name(listing["function"])) in SPILLING:
                    message = f"{function} is not stored as an array formula: Excel shows one value of its list"
                    yield LintFinding(sheet, cell_name(row, column), "single-value", message)
                continue
            try:
                top, left, bottom, right = parse_range(cell.array)
            except ValueError:
                continue
            here = ((r, c) for r in range(top, bottom + 1) for c in range(left, right + 1) if (r, c) != (row, column))
            ways = [
                area
                for area in blocked
                if area[0] <= bottom and top <= area[2] and area[1] <= right and left <= area[3]
            ]
            if ways or any(place in cells and cells[place].formula is not None for place in here):
                message = f"the formula cannot spill over {cell.array}: a table, a merged cell or a formula is there"
                yield LintFinding(sheet, cell_name(row, column), "spill-blocked", message)


def _memoised(known: _Known) -> Callable[[str], list[Problem]]:
    exact: dict[str, list[Problem]] = {}
    by_shape: dict[str, list[Problem]] = {}

    def problems(formula: str) -> list[Problem]:
        found = exact.get(formula)
        if found is None:
            # Near the limit of length the digits count.
            shape = formula if len(formula) > MAX_FORMULA // 2 else _without_rows(formula)
            found = by_shape.get(shape)
            if found is None:
                found = by_shape[shape] = formula_problems(formula, known)
            exact[formula] = found
        return found

    return problems


def lint(book: Book | str | os.PathLike[str], *, portable: Collection[str] | None = None) -> list[LintFinding]:
    """What is wrong with a workbook that no schema validator sees; an empty list when nothing is.

    With `portable`, functions outside of it are reported as well.  `LintFinding.repair` tells what Excel
    would repair from what is only advice.  Costs about 1 µs for a cell, beside reading a book that is given
    by its path.
    """
    book = book if isinstance(book, Book) else read_book(book)
    known = _Known(
        {sheet.casefold() for sheet in book.sheets},
        {name.casefold() for name in book.names} | {name.casefold() for _, name in book.local_names},
        {table.name.casefold(): table for table in book.all_tables},
        portable,
    )
    found = [LintFinding(fault.sheet, fault.cell, fault.rule, fault.message) for fault in book.faults]
    found += _sheet_name_findings(book)
    found += _defined_name_findings(book, known)
    found += _table_findings(book, known)
    found += _merge_findings(book)
    found += _validation_findings(book, known)
    for sheet, ranges, formula in book.conditions:
        found += _rule_formula_findings(sheet, ranges.split(" ")[0], formula, known)
    found += _cell_findings(book, _memoised(known))
    found += _array_findings(book, known)
    return found
