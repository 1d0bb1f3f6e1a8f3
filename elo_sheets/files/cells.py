"""What a workbook holds, as plain values: sheets, cells, tables, names, settings, and what is odd about them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from elo_sheets._values import plain
from elo_sheets.files.references import Place, Table


@contextmanager
def without_collection() -> Iterator[None]:
    """Let Python look for no garbage: millions of new objects that are none would be walked again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class CellError(str):
    """An error value of a cell, such as `CellError("#NAME?")`; not equal in kind to a text that reads the
    same.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"CellError({str.__repr__(self)})"


Value: TypeAlias = float | str | bool | CellError | None


@plain
class Cell:
    """One cell: its formula without '=' (None for a plain value) and its literal or cached value.

    Dates stay serial numbers.  `array` is the range that an array formula fills, given at its first cell
    only; `dynamic` marks the arrays that spill by themselves.
    """

    formula: str | None
    value: Value
    array: str | None = None
    dynamic: bool = False


@dataclass(frozen=True, slots=True)
class Calc:
    """How the workbook asks to be calculated."""

    mode: str = "auto"
    iterate: bool = False
    full_precision: bool = True
    date1904: bool = False


@dataclass(frozen=True, slots=True)
class Validation:
    """A data validation rule with its texts, as stored."""

    sheet: str
    ranges: str
    type: str
    formula1: str
    formula2: str
    prompt_title: str = ""
    prompt: str = ""
    error_title: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something readable that Excel would offer to repair."""

    sheet: str
    cell: str
    rule: str
    message: str


@dataclass
class Book:
    """What a workbook holds: per sheet, in workbook order, its cells that are not blank, by (row, column)."""

    path: Path
    sheets: dict[str, dict[Place, Cell]] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)
    tables: dict[str, Table] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    local_names: dict[tuple[str, str], str] = field(default_factory=dict)
    calc: Calc = field(default_factory=Calc)
    validations: list[Validation] = field(default_factory=list)
    conditions: list[tuple[str, str, str]] = field(default_factory=list)  # sheet, ranges, formula
    merges: dict[str, list[str]] = field(default_factory=dict)
    hidden_rows: dict[str, set[int]] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)  # sheet name -> the part that holds it
    all_tables: list[Table] = field(default_factory=list)  # `tables` keeps one of two with the same name
    faults: list[Fault] = field(default_factory=list)
    format: str = "xlsx"  # or xlsm, ods, fods, xls
    comments: dict[str, dict[Place, str]] = field(default_factory=dict)
    external_links: list[str] = field(default_factory=list)  # what [1], [2] … in a formula stand for
    macros: bool = False
    protected: set[str] = field(default_factory=set)
    struck_out: dict[str, set[Place]] = field(default_factory=dict)  # through whose text a line is drawn
    bold: dict[str, set[Place]] = field(default_factory=dict)
    open_formulas: dict[str, set[Place]] = field(default_factory=dict)  # on protected sheets, formulas not locked
    hidden_columns: dict[str, set[int]] = field(default_factory=dict)
    charts: dict[str, list[str]] = field(default_factory=dict)  # the ranges that the charts of a sheet show
    autofilters: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # what the reader had to do, in plain words

    @property
    def formula_texts(self) -> list[tuple[str, Place]]:
        """The cells whose text looks like a formula but is none, such as '=A1*2' typed into a text cell."""
        return [
            (sheet, place)
            for sheet, cells in self.sheets.items()
            for place, cell in cells.items()
            if cell.formula is None
            and isinstance(cell.value, str)
            and cell.value[:1] == "="
            and len(cell.value) > 1
            and cell.value[1] not in "= "
        ]
