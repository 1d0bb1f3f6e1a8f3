"""Structural formulas: the text that is no rating rule, written by hand in a short notation.

In a formula of table `T`:

- `[Score]` is this row's cell of that column, stored as `T[[#This Row],[Score]]`;
- `up[Score]` is the cell above, `above[Score]` all cells above from the header down, `before100[Score]`
  the 100 above;
- in a table with two rows a game `other[Score]` is the cell of the other side, `prior[Score]` the one above the game,
  `earlier[Score]` all cells above the game from the header down, `first[Score]` the same without the header;
- `recent[Score]` are the cells of the row's block up to the row above, `ended[Score]` those up to the second row above,
  and one above them: each row of a block has the same formula but for its place, so that LibreOffice listens to the
  cells once for the whole block, and not once for each game;
- in a table with a row for each seat at a game `s1[Score]`, `s2[Score]`, … are the cells of its seats and
  `group1to4[Score]` those of the first four; `prior`, `earlier` and `first` are the rows above the game there too;
- `typed[White]` is this row's cell, to which somebody types, as the last one of two rows from the first column on:
  LibreOffice rewrites what refers to one row of sorted cells, and loses what the formulas below them follow;
- `carried[Score]` is the same player's cell in the row `Previous`, which may lie in an earlier block (`carried`);
- `Other[Column]` is a whole column of another table and stands as it is.

Rows of the Ledger are never inserted or moved by a person, so the relative references of the second group are
sound there and nowhere else: sheets that are typed into use `[Score]`, `typed[White]` and `Other[Column]` only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from elo_sheets.files.references import column_letters, sheet_text
from elo_sheets.formula import to_formula
from elo_sheets.systems import Line
from elo_sheets.systems._system import EXCEL_EPOCH
from elo_sheets.workbook.plan import PENDING, CellValue, Fill, Plan, Read, SheetPlan, TablePlan
from elo_sheets.workbook.styles import UNITS

LAST_DAY = 73415  # 2100-12-31: a larger number is no day of a game, such as 240105 for 5 January 2024
_NOTATION = re.compile(
    r'"[^"]*"|(?<![\w\]])(up|above|typed|before100|other|prior|earlier|first|recent|ended|s[1-8]|group[1-8]to[1-8]|)\[([^\[\]#@]+)\](?!\])'
)

# Whether a row is not rated. TEXT changes nothing here: it keeps LibreOffice from computing the column in threads, in
# which 7.4 takes the chain from rating to change to rating for a circular reference, or not, depending on the cell
# that it begins with, and looks through a whole column for each INDEX into it.
UNRATED = 'TEXT([Status],"@")<>"rated"'

# The last one of some cells; where a row was put between them too.
LAST_CELL = "INDEX({0},ROWS({0}),COLUMNS({0}))"

# The formulas of a column.
FORMULAS = ("formula", "opening", "first", "means", "whole")

# The tab of the sheets that nobody reads or types into, beside which some have none; and how many rows a table has that
# is not long.
MACHINERY, BEHIND, LONG = "machinery", ("machinery", ""), 1000

NO_COLUMNS: Mapping[str, str] = MappingProxyType({})
_TERM = re.compile(r"\{(\w+)\}")
_PLAIN_LABEL = re.compile(r"[\w .()-]+")

_CARRIED = re.compile(r"\bcarried\[([^\[\]]+)\]")

# The blank that web pages have between words, which TRIM keeps.
HARD_BLANK = "\N{NO-BREAK SPACE}"


class TableLayout:
    """The columns of a table and where they stand, so that formulas can be written by label."""

    def __init__(self, name: str, labels: Sequence[str], first_row: int, first_column: int = 1) -> None:
        self.name = name
        self.first_column = first_column
        self.labels = list(labels)
        self.first_row = first_row

    def letter(self, label: str) -> str:
        """Return the letters of a column; raises `ValueError` for an unknown label."""
        return column_letters(self.labels.index(label) + self.first_column)

    def formula(self, notation: str) -> str:
        """Return the stored text of a formula in the notation of this module, with `{row}` placeholders."""
        return _NOTATION.sub(self._reference, notation)

    def fill(self, notation: str, unit: str = "text", *, values: Sequence[CellValue] = PENDING, **more: Any) -> Fill:
        """Return a column by its formula, and values that may follow from it; `more` is of `Fill`, in notation too."""
        more |= {name: self.formula(more[name]) for name in FORMULAS if more.get(name) is not None}
        return Fill(values, self.formula(notation), unit, **more)

    def fills(self, told: Mapping[str, tuple[str, str]]) -> dict[str, Fill]:
        """Return such columns by label or role, of a formula and a unit each."""
        return {name: self.fill(notation, unit) for name, (notation, unit) in told.items()}

    def told(self, column: Mapping[str, Any], terms: Mapping[str, str] = NO_COLUMNS, rows: int = 0) -> Fill:
        """Return a column as a form says it: by its formula, with `terms` for the names in braces, or as numbers.

        `numbers` are the first one and the step to the next, for so many rows.
        """
        if "numbers" in column:
            begin, step = column["numbers"]
            return Fill([float(begin + step * at) for at in range(rows)], unit=unit_of(column))
        more: dict[str, Any] = {"first": with_terms(column["first"], terms)} if "first" in column else {}
        return self.fill(with_terms(column["formula"], terms), unit_of(column), pair=column.get("pair", 1), **more)

    def _reference(self, match: re.Match[str]) -> str:
        kind, label = match.groups()
        if label is None:
            return match.group()
        if kind == "" and not self.labels:  # a table whose formulas read their own row only
            return f"{self.name}[[#This Row],[{column_text(label)}]]"
        letter = self.letter(label)
        if kind.startswith("group"):
            return f"{letter}{{s{kind[5]}}}:{letter}{{s{kind[-1]}}}"
        if kind[:1] == "s" and kind[1:].isdecimal():
            return f"{letter}{{{kind}}}"
        if kind == "":
            return f"{self.name}[[#This Row],[{column_text(label)}]]"
        return {
            "up": f"{letter}{{up}}",
            "typed": LAST_CELL.format(f"${column_letters(self.first_column)}{{up}}:${letter}{{row}}"),
            "above": f"${letter}${self.first_row}:{letter}{{up}}",
            "other": f"{letter}{{other}}",
            "prior": f"{letter}{{before}}",
            "earlier": f"${letter}${self.first_row}:{letter}{{before}}",
            "first": f"${letter}${self.first_row + 1}:{letter}{{before}}",
            "recent": f"${letter}${{block}}:{letter}{{up}}",
            "ended": f"${letter}${{over}}:{letter}{{second}}",
            "before100": f"{letter}{{back100}}:{letter}{{up}}",
        }[kind]


def unit_of(told: Mapping[str, Any]) -> str:
    """Return the unit of a column or figure of a form: it follows from the style unless it is said."""
    return str(told.get("unit") or UNITS.get(told["style"], "text"))


def with_terms(formula: str, terms: Mapping[str, str]) -> str:
    """Return a formula with what stands for the names in braces that are among the `terms`."""
    return _TERM.sub(lambda match: terms.get(match[1], match[0]), formula) if "{" in formula else formula


def carried(
    notation: str, carry_table: str, number: str = "Rated no.", above: Mapping[str, str] = NO_COLUMNS
) -> tuple[str, str, list[str]]:
    """Return a formula and that of the first block with `carried[Score]` written out, and which columns are carried.

    A row reads the cells of its own block only, and what lies before it at the end of the block before: a range from
    the top would grow with the book, and be told of each change above it. `number` is the column with the row of Carry.
    What both sides of a game read of each other may not be read up to the row above: `above` names, by such a column,
    the one with its cell in the last row of the game above.
    """
    labels = list(dict.fromkeys(_CARRIED.findall(notation)))

    def read(match: re.Match[str]) -> str:
        label = match[1]
        here = f"INDEX(recent[{label}],[Previous]-{{carried}})"
        if label in above:
            ended = f"INDEX(ended[{label}],[Previous]-{{carried}}+1)"
            here = f"IF([Previous]=[No.]-1,[{above[label]}],{ended})"
        return f"IF([Previous]<={{carried}},INDEX({carry_table}[{label} through {{through}}],[{number}]),{here})"

    return _CARRIED.sub(read, notation), _CARRIED.sub(r"INDEX(earlier[\1],[Previous]+1)", notation), labels


def kept(column: str, part: str, begun: int, label: str, before: str, own: Callable[[str], str]) -> str:
    """Return the formula of a column's cell in the last row up to the end of a block, for a row of Carry.

    `part` are the cells of the block, whose first row is `begun`; `label` is the column of Carry with the last row, and
    `before` that of the block before, "" for none. `own` names a cell in a row of Carry.
    """
    here = f"INDEX({part},{own(label)}-{begun - 1})"
    if before:
        here = f"IF({own(label)}={own(before)},{own(f'{column} {before.lower()}')},{here})"
    return f"IF({own(label)}=0,0,{here})"


def column_text(label: str) -> str:
    """Return a header as a structured reference spells it."""
    return label.replace("'", "''")


def in_row(formula: str, table: TablePlan) -> str:
    """Return a formula with addresses in place of the table's names for cells of its own row: `$A{row}`."""
    name = f"{table.name}[[#This Row],["
    for at, column in enumerate(table.columns, table.first_column) if name in formula else ():
        formula = formula.replace(f"{name}{column_text(column.label)}]]", f"${column_letters(at)}{{row}}")
    return formula


def addressed(fill: Fill, table: TablePlan, columns: Mapping[str, str] = NO_COLUMNS) -> Fill:
    """Return what stands in a column with addresses for its own row and for these columns of other tables."""
    found = retold(fill, lambda text: in_row(text, table))
    return replace(found, columns=columns) if columns and found.formula is not None else found


def fixed_columns(plan: Plan) -> dict[str, str]:
    """Return the addresses of the columns of the tables behind Check, by how formulas name them."""
    tables = [(sheet.name, table) for sheet in plan.sheets if sheet.tab in BEHIND for table in sheet.tables]
    return {
        f"{table.name}[{column.label}]": f"{sheet_text(sheet)}!{table.range(column.label)}"
        for sheet, table in tables
        if not table.is_range and not any(column.is_input for column in table.columns)
        for column in table.columns
        if _PLAIN_LABEL.fullmatch(column.label)
    }


def as_stored(fill: Fill, table: TablePlan, sheet: SheetPlan, columns: Mapping[str, str]) -> Fill:
    """Return what stands in a column as a book stores it: with addresses for its own row behind Check and in long
    tables, and in long ones behind Check for these columns too.

    LibreOffice takes 20 µs for each name, and opens a book of 10,000 games in six tenths of the time with addresses.
    """
    is_long, is_read = table.rows > LONG, sheet.tab != MACHINERY
    if is_read and not is_long:
        return fill
    return addressed(fill, table, NO_COLUMNS if is_read or not is_long else columns)


def retold(fill: Fill, change: Callable[[str], str]) -> Fill:
    """Return what stands in a column with each of its formulas changed."""
    texts = {name: text for name in FORMULAS if (text := getattr(fill, name)) is not None}
    new: dict[str, Any] = {name: change(text) for name, text in texts.items()}
    return fill if new == texts else replace(fill, **new)


def as_planned(fill: Fill, table: TablePlan, formulas: Sequence[str | None], columns: Mapping[str, str]) -> list[bool]:
    """Return of each row of a column whether its formula is the planned one, stored with names or with addresses."""
    first, last = table.first_data_row, len(formulas) - 1
    forms = [addressed(fill, table, columns), addressed(fill, table), fill]
    forms.sort(key=lambda form: last >= 0 and formulas[last] != form.formula_at(first + last, first))
    texts = enumerate(zip(formulas, forms[0].formulas(first), strict=True), first)
    return [
        formula == text or any(formula == form.formula_at(row, first) for form in forms[1:])
        for row, (formula, text) in texts
    ]


def period_begins(day: str, period: str) -> str:
    """Return the formula of the first day of the month or year in which a day lies."""
    return f"DATE(YEAR({day}),{f'MONTH({day})' if period == 'month' else '1'},1)"


def ladder(tests: Sequence[tuple[str, str]], otherwise: str) -> str:
    """Return the formula of the answer beside the first test that holds."""
    for test, answer in reversed(tests):
        otherwise = f"IF({test},{answer},{otherwise})"
    return otherwise


def rule_formula(line: Line, references: Mapping[str, str]) -> str:
    """Return a rule's column as formula text; `references` says in the notation where each name is read."""
    missing = [name for name in line.reads if name not in references]
    if missing:
        raise KeyError(f"step {line.name} reads {missing}, which the sheet does not hold")
    return to_formula(line.trace(), references)


def stepped(line: Line, references: Mapping[str, str], guard: str) -> Callable[[Read], Sequence[CellValue]]:
    """Return what computes a rule's column by the rule itself, from what its formula reads."""

    def gives(read: Read) -> Sequence[CellValue]:
        empty = read(f"IF({guard},1,0)")
        columns = [read(f'IF({guard},"",{references[name]})') for name in line.reads]
        return [
            "" if skipped else float(line.step(*values))
            for skipped, values in zip(empty, zip(*columns, strict=True), strict=True)
        ]

    return gives


def in_two_lines(label: str) -> int:
    """Return how wide a column is, in letters, whose header may break into two lines.

    >>> in_two_lines("Favourite expects"), in_two_lines("K")
    (11, 3)
    """
    return max(max(map(len, label.split()), default=0) + 2, (len(label) + 1) // 2 + 2)


def text_of(value: CellValue) -> str:
    """Return what `cell&""` gives for a cell that holds the value."""
    if value is None:
        return ""
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return str(value)


def numbers_of(names: Iterable[str]) -> list[int]:
    """Return each row's number, 0 for an empty row and for a name that stands further up already.

    >>> numbers_of(["Player 1", "", "player 1", "Player 2"])
    [1, 0, 0, 4]
    """
    seen = {""}
    found = []
    for number, name in enumerate(names, 1):
        key = name.lower()
        found.append(0 if key in seen else number)
        seen.add(key)
    return found


def name_of(value: CellValue) -> str:
    """Return a typed name as it is known: without blanks around it, with one between its words."""
    return " ".join(filter(None, text_of(value).replace(HARD_BLANK, " ").split(" ")))


def trimmed(cell: str) -> str:
    """Return the formula of the same."""
    return f'TRIM(SUBSTITUTE({cell},"{HARD_BLANK}"," "))'


def number_or(value: CellValue, otherwise: CellValue) -> CellValue:
    """Return the value when a cell that holds it is a number, else `otherwise`."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else otherwise


def day_of(value: CellValue) -> float:
    """Return the day in a cell that holds the value; 0, no day, for a number that is too large for one."""
    day = float(number_or(value, 0.0) or 0)
    return max(0.0, day) if day <= LAST_DAY else 0.0


def day_read(cell: str) -> str:
    """Return the formula of the same."""
    return f"IF(N({cell})>{LAST_DAY},0,MAX(0,N({cell})))"


def period_number(period: str, day: float) -> float:
    """Return the number of the month or year of a serial day; those of an unknown one, 0, are before all others."""
    when = EXCEL_EPOCH + timedelta(days=int(day))
    return float(when.year if period == "year" else 12 * when.year + when.month - 1) if day else 0.0


def is_text(value: CellValue) -> bool:
    """Return whether a cell that holds the value holds something that is no number."""
    return number_or(value, None) is None and text_of(value) != ""


def average(values: Sequence[CellValue]) -> CellValue:
    """Return the mean of numbers, or empty text for none."""
    numbers = [float(value) for value in values if value is not None and value != ""]
    return sum(numbers) / len(numbers) if numbers else ""
