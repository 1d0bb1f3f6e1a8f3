"""A workbook that elo-sheets made, read back for an update: what was typed, and how it stands in the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from elo_sheets.engines.recalculate import recalculate
from elo_sheets.errors import NotChecked, UnreadableInput, UsageError
from elo_sheets.files.cells import Book, Value
from elo_sheets.files.package import read_book
from elo_sheets.files.references import structured_resolver
from elo_sheets.files.seal import is_sealed
from elo_sheets.systems import Rules
from elo_sheets.validate.moved import Moved, read_back
from elo_sheets.validate.read import (
    Manifest,
    ReadBack,
    read_manifest,
    read_typed,
    sheets_typed_into,
    with_own_columns,
    with_own_names,
)
from elo_sheets.verdict.compare import canonical
from elo_sheets.workbook.book import MANIFEST
from elo_sheets.workbook.book import Book as PlannedBook
from elo_sheets.workbook.fits import view_of
from elo_sheets.workbook.layout import as_planned, fixed_columns
from elo_sheets.workbook.plan import Fill, Plan, TablePlan
from elo_sheets.workbook.sourced import form_of
from elo_sheets.workbook.templates import template
from elo_sheets.workbook.view import View


class _Stored(Mapping[str, Any]):
    """The results of a book's formulas as its last program stored them; an engine's where it stored none."""

    def __init__(self, book: Book) -> None:
        self.book = book

    @cached_property
    def computed(self) -> Mapping[str, Mapping[tuple[int, int], Value]]:
        return recalculate(self.book).values

    def __getitem__(self, sheet: str) -> Mapping[tuple[int, int], Value]:
        return _StoredSheet(self, sheet)

    def __iter__(self) -> Any:
        return iter(self.book.sheets)

    def __len__(self) -> int:
        return len(self.book.sheets)


class _StoredSheet(Mapping[tuple[int, int], Value]):
    def __init__(self, stored: _Stored, sheet: str) -> None:
        self.stored, self.sheet = stored, sheet

    def __getitem__(self, place: tuple[int, int]) -> Value:
        value = self.stored.book.sheets[self.sheet][place].value
        return self.stored.computed[self.sheet].get(place) if value is None else value

    def __iter__(self) -> Any:
        cells = self.stored.book.sheets[self.sheet]
        return (place for place, cell in cells.items() if cell.formula is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(frozen=True)
class Old:
    """A book as it stands.

    `raw` is the file, `named` the same under the names of the template, and `book` that without the columns and rows
    that its owner put between its own, which are `moved`; `planned` is what was typed, and `plan` what today's release
    makes of it.
    """

    path: Path
    raw: Book
    named: Book
    book: Book
    moved: Sequence[Moved]
    manifest: Manifest
    read_back: ReadBack
    is_sealed: bool = False

    @classmethod
    def read(cls, path: Path, given: Sequence[Rules] = ()) -> Old:
        """Return a book; raises `UnreadableInput` for a file that is none of ours, or that cannot be read back."""
        if path.suffix.lower() not in (".xlsx", ".xlsm"):
            raise UsageError(
                f"expected a workbook of elo-sheets, which ends in .xlsx, got {str(path)!r}; elo-sheets import "
                f"{path.name} -o NEW.xlsx makes one of its games"
            )
        try:
            if is_sealed(path):
                alone = read_book(path, values_of={MANIFEST})
                manifest = read_manifest(alone, given)
                raw = read_book(path, values_of=sheets_typed_into(alone, manifest))
                return cls(path, raw, raw, raw, (), manifest, read_typed(raw, _Stored(raw), manifest), is_sealed=True)
            raw = read_book(path)
            manifest = read_manifest(raw, given)
            named = with_own_columns(with_own_names(raw, template(manifest.template)))
            read, book, _, moved = read_back(named, _Stored(named), manifest)
        except NotChecked as reason:
            raise UnreadableInput(f"{path}: {reason}") from None
        return cls(path, raw, named, book, moved, manifest, read)

    def with_options(self, options: Mapping[str, str]) -> Old:
        """Return it as a book that holds these options too."""
        options = {**self.manifest.options, **options}
        read = replace(self.read_back, planned=replace(self.planned, options=options))
        return replace(self, manifest=replace(self.manifest, options=options), read_back=read)

    @property
    def planned(self) -> PlannedBook:
        """What was typed."""
        return self.read_back.planned

    @property
    def plan(self) -> Plan:
        """What today's release makes of it."""
        return self.read_back.plan

    @property
    def notes(self) -> list[str]:
        """What is amiss with it."""
        return [finding.message for finding in self.read_back.findings]

    @property
    def form(self) -> dict[str, Any]:
        """The template of the book, in its words."""
        return form_of(self.manifest.template, self.manifest.options)

    @property
    def view(self) -> type[View]:
        """The class that builds the sheets of the book's template."""
        return view_of(self.manifest.template)

    @cached_property
    def outdated(self) -> list[tuple[str, int, int]]:
        """The cells that hold another formula, or another text of the template, than today's release writes."""
        if self.is_sealed:
            return []
        resolve, columns = structured_resolver(self.book.all_tables), fixed_columns(self.plan)
        found = []

        def others(sheet: str, column: int, table: TablePlan, fill: Fill) -> list[int]:
            first = table.first_data_row
            cells = map(self.book.sheets.get(sheet, {}).get, ((first + at, column) for at in range(len(fill.values))))
            standing = [None if cell is None else cell.formula for cell in cells]
            return [at for at, right in enumerate(as_planned(fill, table, standing, columns)) if not right]

        for planned in self.plan.formulas(others):
            if planned.anchor is not None:
                continue
            place = planned.row, planned.column
            cell = self.book.sheets.get(planned.sheet, {}).get(place)
            if cell is not None and cell.formula == planned.formula:
                continue
            meant = canonical(planned.formula, planned.sheet, *place, resolve)
            formula = None if cell is None else cell.formula
            if formula is None or canonical(formula, planned.sheet, *place, resolve) != meant:
                found.append((planned.sheet, *place))
        for sheet in self.plan.sheets:
            cells = self.book.sheets.get(sheet.name, {})
            for one in sheet.cells:
                if one.formula is not None or one.is_input or one.value in (None, ""):
                    continue
                stands = cells.get((one.row, one.column))
                if stands is None or stands.value != one.value:
                    found.append((sheet.name, one.row, one.column))
        return found
