"""A workbook of unknown make as a model: every formula as a relative form, every value computed, runs of like cells.

A form (`Form`) is what a formula means, seen from its own cell: `=H3+K3` in row 4 and `=H4+K4` in row 5 have one
form. Names and structured references are resolved, spelling and anchors drop out where they say nothing. So each
distinct form is parsed once, and cells are compared by `is`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from elo_sheets.errors import FormulaError
from elo_sheets.expr import Binary, Call, Expr, Number, Ref, Unary, walk
from elo_sheets.files.package import (
    MAX_COLUMN,
    MAX_ROW,
    Book,
    Cell,
    CellError,
    Value,
    cell_name,
    column_letters,
    column_number,
    sheet_text,
    structured_resolver,
)
from elo_sheets.formula import parse
from elo_sheets.verdict.findings import Finding, Role

Key = tuple[str, int, int]  # sheet, row, column

ROW, COLUMN, BOTTOM, RIGHT = 1, 2, 4, 8  # bits of `Area.fixed`
ALL_FIXED = ROW | COLUMN | BOTTOM | RIGHT
GROWING, LINE = ("HLOOKUP", "VLOOKUP"), 2  # look-ups whose third argument counts the lines of their range
WIDE = 100  # columns of a range that are told one by one
MANY = 0.25  # of the numbers of a column: settings above its scores, and slips of the hand, are fewer


@dataclass(frozen=True, slots=True)
class Area(Expr):
    """A reference: numbers of rows and columns, each an offset from the formula's cell unless its bit is `fixed`.

    `sheet` is None for the formula's own sheet. A single cell has `single` set (then bottom = row, right = column).
    """

    sheet: str | None
    row: int
    column: int
    bottom: int
    right: int
    fixed: int
    single: bool

    def at(self, row: int, column: int) -> Area:
        """Return the reference as it reads in the cell at `row`, `column`, all numbers absolute."""
        if self.fixed == ALL_FIXED:
            return self
        return Area(
            self.sheet,
            self.row if self.fixed & ROW else self.row + row,
            self.column if self.fixed & COLUMN else self.column + column,
            self.bottom if self.fixed & BOTTOM else self.bottom + row,
            self.right if self.fixed & RIGHT else self.right + column,
            ALL_FIXED,
            self.single,
        )

    @property
    def size(self) -> int:
        """The number of cells, of an area whose numbers are absolute."""
        return (self.bottom - self.row + 1) * (self.right - self.column + 1)


@dataclass(eq=False, slots=True)
class Form:
    """A formula seen from its cell. `tree` has `Area`s for references; what is not understood stays a `Ref`."""

    number: int
    tree: Expr
    areas: tuple[Area, ...]
    unknown: tuple[str, ...]  # names and errors that could not be resolved

    @property
    def goes_on(self) -> bool:
        """Whether the formula goes on from the cell above its own, as a rating that is carried down does."""
        return any(a.single and (a.sheet, a.row, a.column, a.fixed) == (None, -1, 0, 0) for a in self.areas)

    @property
    def goes_across(self) -> bool:
        """Whether the formula goes on from the cell left of its own, as a rating does from round to round."""
        return any(a.single and (a.sheet, a.row, a.column, a.fixed) == (None, 0, -1, 0) for a in self.areas)


@dataclass(frozen=True)
class Recognised:
    """What was found out about a book without a manifest; the fields go into the verdict.

    `roles` and `facts` are what `--show-roles` prints; `reason` says why the book counts as not checked (None when it
    was rebuilt, replayed and compared).
    """

    layout: str
    roles: tuple[Role, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    reason: str | None = None
    listed: int = 0
    rated: int = 0
    cells_checked: int = 0
    engine_version: str = ""


# --- from text to form --------------------------------------------------------------------------------------

_KEY = re.compile(
    r"(?P<opaque>\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*')"
    r"|(?<![\w.$\\])(?P<ca>\$?)(?P<c>[A-Za-z]{1,3})(?P<ra>\$?)(?P<r>[1-9]\d{0,6})(?![\w.(\[!\\])"
)
_CELL = re.compile(r"(\$?)([A-Za-z]{1,3})(\$?)([1-9]\d{0,6})$")
_COLUMNS = re.compile(r"(\$?)([A-Za-z]{1,3}):(\$?)([A-Za-z]{1,3})$")
_ROWS = re.compile(r"(\$?)(\d{1,7}):(\$?)(\d{1,7})$")
_PREFIX = re.compile(r"_XLFN\.|_XLWS\.|_XLPM\.")


def relative_key(text: str, row: int, column: int) -> str:
    """Return a formula's text with the relative rows and columns as offsets: equal for a formula filled down."""

    def one(match: re.Match[str]) -> str:
        if match["opaque"] is not None:
            return match[0]
        r = match["r"] if match["ra"] else f"[{int(match['r']) - row}]"
        c = match["c"] if match["ca"] else f"[{column_number(match['c']) - column}]"
        return f"\x01{r};{c}\x02"

    return _KEY.sub(one, text)


def split_sheet(name: str) -> tuple[str | None, str]:
    """Return the sheet (unquoted, None when there is none) and the rest of a reference's text."""
    if "!" not in name:
        return None, name
    sheet, _, rest = name.rpartition("!")
    if sheet.startswith("'"):
        sheet = sheet[1:-1].replace("''", "'")
    return sheet, rest


def _corner(text: str) -> tuple[int, int, int] | None:
    match = _CELL.match(text)
    if match is None:
        return None
    column = column_number(match[2])
    row = int(match[4])
    if not column or row > MAX_ROW:
        return None
    return row, column, (ROW if match[3] else 0) | (COLUMN if match[1] else 0)


def area_of(text: str, row: int, column: int) -> Area | None:
    """Return the reference that `text` spells in the cell at `row`, `column`; None when it is no reference."""
    sheet, rest = split_sheet(text)
    first, colon, last = rest.partition(":")
    a = _corner(first)
    if a is not None:
        b = _corner(last) if colon else a
        if b is None:
            return None
        top, left, bits = a
        bottom, right, more = b
        fixed = bits | (BOTTOM if more & ROW else 0) | (RIGHT if more & COLUMN else 0)
        return Area(
            sheet,
            top if fixed & ROW else top - row,
            left if fixed & COLUMN else left - column,
            bottom if fixed & BOTTOM else bottom - row,
            right if fixed & RIGHT else right - column,
            fixed,
            not colon,
        )
    match = _COLUMNS.match(rest)
    if match is not None and column_number(match[2]) and column_number(match[4]):
        fixed = ROW | BOTTOM | (COLUMN if match[1] else 0) | (RIGHT if match[3] else 0)
        left, right = column_number(match[2]), column_number(match[4])
        left, right = left if match[1] else left - column, right if match[3] else right - column
        return Area(sheet, 1, left, MAX_ROW, right, fixed, False)
    match = _ROWS.match(rest)
    if match is not None:
        top = int(match[2]) if match[1] else int(match[2]) - row
        bottom = int(match[4]) if match[3] else int(match[4]) - row
        fixed = COLUMN | RIGHT | (ROW if match[1] else 0) | (BOTTOM if match[3] else 0)
        return Area(sheet, top, 1, bottom, MAX_COLUMN, fixed, False)
    return None


def area_text(area: Area, own: str) -> str:
    """Return an absolute area as a formula of the sheet `own` writes it, without anchors."""
    first = cell_name(area.row, area.column)
    where = "" if area.sheet is None or area.sheet == own else sheet_text(area.sheet) + "!"
    if area.single:
        return where + first
    if area.row == 1 and area.bottom == MAX_ROW:
        return f"{where}{column_letters(area.column)}:{column_letters(area.right)}"
    return f"{where}{first}:{cell_name(area.bottom, area.right)}"


def range_text(keys: list[Key]) -> str:
    """Return `Sheet!A1:A9`, the box around cells of one sheet."""
    sheet = keys[0][0]
    rows, columns = [k[1] for k in keys], [k[2] for k in keys]
    first, last = cell_name(min(rows), min(columns)), cell_name(max(rows), max(columns))
    where = sheet_text(sheet)
    return f"{where}!{first}" if first == last else f"{where}!{first}:{last}"


class Forms:
    """Texts to forms; each distinct relative text is parsed once, and equal meanings share one form."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.resolve = structured_resolver(book.all_tables)
        self.by_key: dict[tuple[str, str], Form | None] = {}
        self.by_tree: dict[Expr, Form] = {}
        self.names = {name.upper(): text for name, text in book.names.items()}
        self.local = {(sheet, name.upper()): text for (sheet, name), text in book.local_names.items()}
        self.sheets = {name.upper(): name for name in book.sheets}
        self.depth = 0
        self.by_place = False  # whether what a text means goes by its row or column besides

    def form(self, text: str, sheet: str, row: int, column: int) -> Form | None:
        plain = self.resolve(text, sheet, row, column)
        key = (sheet, relative_key(plain, row, column))
        if key in self.by_key:
            return self.by_key[key]
        self.by_place = False
        try:
            tree = self._meaning(parse(plain), sheet, row, column)
        except (FormulaError, RecursionError):
            self.by_key[key] = None
            return None
        form = self.by_tree.get(tree)
        if form is None:
            nodes = walk(tree)
            form = Form(
                len(self.by_tree),
                tree,
                tuple(node for node in nodes if isinstance(node, Area)),
                tuple(node.name for node in nodes if isinstance(node, Ref)),
            )
            self.by_tree[tree] = form
        if not self.by_place:
            self.by_key[key] = form
        return form

    def _meaning(self, expr: Expr, sheet: str, row: int, column: int) -> Expr:
        if isinstance(expr, Ref):
            return self._reference(expr, sheet, row, column)
        if isinstance(expr, Unary):
            operand = self._meaning(expr.operand, sheet, row, column)
            if expr.operator == "-" and isinstance(operand, Number):
                return Number(-operand.value)
            if expr.operator == "%" and isinstance(operand, Number):
                return Number(operand.value / 100)
            return Unary(expr.operator, operand)
        if isinstance(expr, Binary):
            left, right = (self._meaning(e, sheet, row, column) for e in (expr.left, expr.right))
            return Binary(expr.operator, left, right)
        if isinstance(expr, Call):
            name = _PREFIX.sub("", expr.function)
            given = tuple(None if a is None else self._meaning(a, sheet, row, column) for a in expr.arguments)
            if name == "POWER" and len(given) == 2 and given[0] is not None and given[1] is not None:
                return Binary("^", given[0], given[1])
            return Call(name, self._last_line(name, given, row, column))
        return expr

    def _last_line(self, name: str, given: tuple[Expr | None, ...], row: int, column: int) -> tuple[Expr | None, ...]:
        """Arguments in which a number typed for the last line of a range that grows is the range's size."""
        if name not in GROWING or len(given) <= LINE or not isinstance(given[LINE], Number):
            return given
        area, across = given[1], name == "VLOOKUP"
        first, last = (COLUMN, RIGHT) if across else (ROW, BOTTOM)
        if not isinstance(area, Area) or bool(area.fixed & first) == bool(area.fixed & last):
            return given
        self.by_place = True
        at = area.at(row, column)
        size = at.right - at.column + 1 if across else at.bottom - at.row + 1
        grown = Call("COLUMNS" if across else "ROWS", (area,))
        return (*given[:LINE], grown, *given[LINE + 1 :]) if given[LINE] == Number(float(size)) else given

    def _reference(self, ref: Ref, sheet: str, row: int, column: int) -> Expr:
        area = area_of(ref.name, row, column)
        if area is not None:
            if area.sheet is None:
                return area
            named = self.sheets.get(area.sheet.upper())
            if named is None:
                return ref
            own = None if named == sheet else named
            return Area(own, area.row, area.column, area.bottom, area.right, area.fixed, area.single)
        scope, name = split_sheet(ref.name)
        target = self.local.get((self.sheets.get((scope or sheet).upper(), ""), name.upper()))
        target = self.names.get(name.upper()) if target is None else target
        if target is None or self.depth > 8:
            return Ref(ref.name.upper())
        self.depth += 1
        try:
            plain = self.resolve(target, sheet, row, column)
            return self._meaning(parse(plain), sheet, row, column)
        except FormulaError:
            return Ref(ref.name.upper())
        finally:
            self.depth -= 1


# --- the model ----------------------------------------------------------------------------------------------


class Model:
    """A book with its formulas as forms and its values as computed.

    `computed` is what an engine gave (`Recalculated.values`); without it the stored values stand in.
    """

    def __init__(self, book: Book, computed: Mapping[str, Mapping[tuple[int, int], Value]] | None = None) -> None:
        self.book = book
        self.computed = computed or {}
        self._forms = Forms(book)
        self.forms: dict[Key, Form] = {}
        self.unparsed: list[Key] = []
        self._areas: dict[Key, tuple[Area, ...]] = {}
        for sheet, cells in book.sheets.items():
            for (row, column), cell in cells.items():
                if cell.formula is None:
                    continue
                form = self._forms.form(cell.formula, sheet, row, column)
                if form is None:
                    self.unparsed.append((sheet, row, column))
                else:
                    self.forms[sheet, row, column] = form

    @property
    def formula_count(self) -> int:
        """The number of formula cells."""
        return len(self.forms) + len(self.unparsed)

    def cell(self, key: Key) -> Cell | None:
        """The cell as stored, or None for a blank one."""
        return self.book.sheets.get(key[0], {}).get(key[1:])

    def value(self, key: Key) -> Value:
        """The computed value of a formula, or what was typed; None for a blank cell."""
        sheet, row, column = key
        cell = self.book.sheets.get(sheet, {}).get((row, column))
        if cell is None or cell.formula is not None or not self.computed:
            found = self.computed.get(sheet, {}).get((row, column))
            if found is not None:
                return found
        return None if cell is None else cell.value

    def number(self, key: Key) -> float | None:
        """The value when it is a number (a truth value is none)."""
        value = self.value(key)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return None
        return float(value)

    def is_formula(self, key: Key) -> bool:
        """Whether the cell holds a formula."""
        cell = self.cell(key)
        return cell is not None and cell.formula is not None

    def form_of(self, text: str, key: Key) -> Form | None:
        """The form that a formula's text would have in a cell."""
        return self._forms.form(text.removeprefix("="), *key)

    def tree(self, key: Key) -> Expr | None:
        """The formula of a cell with absolute areas (sheet filled in); None when there is none."""
        form = self.forms.get(key)
        return None if form is None else at_cell(form.tree, key)

    def areas(self, key: Key) -> tuple[Area, ...]:
        """The references of a cell's formula, absolute, each with its sheet."""
        found = self._areas.get(key)
        if found is None:
            form, (sheet, row, column) = self.forms.get(key), key
            placed = () if form is None else (area.at(row, column) for area in form.areas)
            found = self._areas[key] = tuple(one if one.sheet is not None else _on(one, sheet) for one in placed)
        return found

    def precedents(self, key: Key, most: int = 64) -> Iterator[Key]:
        """The cells that a formula reads; areas of more than `most` cells are left out."""
        for area in self.areas(key):
            if area.single:
                yield (area.sheet or key[0], area.row, area.column)
            elif area.size <= most:
                yield from cells_of(area, key[0])

    @cached_property
    def columns(self) -> dict[tuple[str, int], list[int]]:
        """The rows of the cells that are not blank, by sheet and column, in order."""
        found: dict[tuple[str, int], list[int]] = {}
        for sheet, cells in self.book.sheets.items():
            for row, column in cells:
                found.setdefault((sheet, column), []).append(row)
        for rows in found.values():
            rows.sort()
        return found

    @cached_property
    def computed_rows(self) -> dict[tuple[str, int], set[int]]:
        """The rows, by sheet and number, that have a formula, and the columns of their formulas."""
        found: dict[tuple[str, int], set[int]] = {}
        for sheet, row, column in self.forms:
            found.setdefault((sheet, row), set()).add(column)
        return found

    @cached_property
    def ranged(self) -> set[tuple[str, int]]:
        """The columns, by sheet, of which a formula reads a range of several rows, as sums do."""
        areas = {(area.sheet or key[0], area.column, area.right) for key, form in self.forms.items()
                 if any(not area.single for area in form.areas)
                 for area in self.areas(key) if area.row < area.bottom}  # fmt: skip
        return {(sheet, column) for sheet, left, right in areas for column in range(left, min(right, left + WIDE) + 1)}

    @cached_property
    def readers(self) -> dict[Key, list[Key]]:
        """Which formulas read a cell by a reference to that cell alone."""
        found: dict[Key, list[Key]] = {}
        for key in self.forms:
            for area in self.areas(key):
                if area.single:
                    found.setdefault((area.sheet or key[0], area.row, area.column), []).append(key)
        return found

    def counts(self, key: Key) -> bool:
        """Whether many numbers of a cell's column are above 1, as goals and legs are: they are no scores."""
        numbers = [self.number((key[0], row, key[2])) or 0.0 for row in self.columns.get((key[0], key[2]), ())]
        return sum(number > 1 for number in numbers) > MANY * len(numbers)

    def header(self, key: Key) -> str:
        """The nearest text above a cell that is no formula; "" when there is none."""
        sheet, row, column = key
        cells = self.book.sheets.get(sheet, {})
        for above in range(row - 1, max(0, row - 400), -1):
            cell = cells.get((above, column))
            if cell is not None and cell.formula is None and isinstance(cell.value, str) and cell.value.strip():
                return cell.value.strip()
        rows = self.columns.get((sheet, column), [])
        first = cells.get((rows[0], column)) if rows and rows[0] < row else None
        return first.value.strip() if first is not None and isinstance(first.value, str) else ""


def _on(area: Area, sheet: str) -> Area:
    return Area(sheet, area.row, area.column, area.bottom, area.right, area.fixed, area.single)


def cells_of(area: Area, sheet: str) -> Iterator[Key]:
    """Yield the cells of an area row by row, of `sheet` where it names none: a whole column has a million."""
    for row in range(area.row, area.bottom + 1):
        yield from ((area.sheet or sheet, row, column) for column in range(area.column, area.right + 1))


def at_cell(tree: Expr, key: Key) -> Expr:
    """Return a form's tree as it reads in a cell: every area absolute and with its sheet."""
    sheet, row, column = key

    def placed(area: Area) -> Area:
        at = area.at(row, column)
        return at if at.sheet is not None else _on(at, sheet)

    return with_areas(tree, placed)


def with_areas(tree: Expr, change: Callable[[Area], Expr]) -> Expr:
    """Return a tree with every reference sent through `change`."""
    if isinstance(tree, Area):
        return change(tree)
    if isinstance(tree, Unary):
        return Unary(tree.operator, with_areas(tree.operand, change))
    if isinstance(tree, Binary):
        return Binary(tree.operator, with_areas(tree.left, change), with_areas(tree.right, change))
    if isinstance(tree, Call):
        return Call(tree.function, tuple(None if a is None else with_areas(a, change) for a in tree.arguments))
    return tree


def cell_area(key: Key) -> Area:
    """Return the reference to a cell, as it stands in formulas with absolute areas."""
    return Area(*key, *key[1:], ALL_FIXED, True)


def text_of(model: Model, key: Key | None) -> str | None:
    value = None if key is None else model.value(key)
    return value if isinstance(value, str) and not isinstance(value, CellError) and value.strip() else None
