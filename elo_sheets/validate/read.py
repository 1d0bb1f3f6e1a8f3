"""A workbook that elo-sheets made, read back: its manifest, its settings, and what its owner typed."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from elo_sheets.errors import NotChecked, UsageError
from elo_sheets.package import Book, Cell, Table, Value, cell_name, parse_cell_name, quote_sheet
from elo_sheets.systems import System, system
from elo_sheets.validate.findings import ERROR, WARNING, Finding
from elo_sheets.workbook.book import COLUMNS, MANIFEST, MANIFEST_SCHEMA, OPTION, SETTING, Inputs
from elo_sheets.workbook.book import Book as PlannedBook
from elo_sheets.workbook.build import plan_book, view_of
from elo_sheets.workbook.layout import column_text
from elo_sheets.workbook.plan import CellValue, Plan
from elo_sheets.workbook.templates import NAMES, check_fits, template

# A structured reference, its table and its brackets; and a label in them.
_STRUCTURED = re.compile(r"([A-Za-z_\\][\w.\\]*)(\[(?:[^\[\]']|'.|\[(?:[^\[\]']|'.)*\])*\])")
_LABEL = re.compile(r"\[((?:[^\[\]']|'.)*)\]")
Recalculated = Mapping[str, Mapping[tuple[int, int], Value]]


@dataclass(frozen=True)
class Manifest:
    """What a book says of itself."""

    template: str
    system: System
    title: str
    # The settings that decide the form of the rule, and the defaults of the others.
    settings: Mapping[str, Any]
    options: Mapping[str, str]


def read_manifest(book: Book) -> Manifest:
    """Return the manifest; raises `NotChecked` for a book that has none or one from another version."""
    sheet = book.sheets.get(MANIFEST)
    if sheet is None:
        raise NotChecked("the workbook was not made by elo-sheets: it has no manifest sheet")
    entries = {
        str(cell.value): sheet[row, 2].value
        for (row, column), cell in sheet.items()
        if column == 1 and (row, 2) in sheet
    }
    if entries.get("schema") != MANIFEST_SCHEMA or entries.get("template") not in NAMES:
        raise NotChecked(
            f"the workbook's manifest (schema {entries.get('schema')!r}, template {entries.get('template')!r}) is not "
            "one that this version knows: use the version that made it, or make the book anew with import"
        )
    try:
        rating_system = system(str(entries["system"]))
    except UsageError as error:
        raise NotChecked(str(error)) from None
    title = entries.get("title")
    hidden = {key.removeprefix(SETTING): value for key, value in entries.items() if key.startswith(SETTING)}
    try:
        form = rating_system.settings({**hidden, "period": entries.get("period")})
        shaped = check_fits(str(entries["template"]), rating_system, form)
    except UsageError as error:
        raise NotChecked(f"the manifest does not fit this version: {error}") from None
    options = {key.removeprefix(OPTION): str(value) for key, value in entries.items() if key.startswith(OPTION)}
    return Manifest(str(entries["template"]), shaped, str(title or ""), form, options)


def with_own_names(book: Book, form: Mapping[str, Any]) -> Book:
    """Return the book with its sheets called as the template calls them, whatever its owner calls them now.

    A sheet is known by its table, Start by the settings, the rest by the title in A1.
    """
    renamed: dict[str, str] = {}
    planned = {sheet["name"]: sheet for sheet in form["sheet"]}
    for name, sheet in planned.items():
        if name in book.sheets:
            continue
        table = book.tables.get(name)
        if table is not None:
            renamed[table.sheet] = name
        elif name == "Start":
            home = next((target for key, target in book.names.items() if key.lower() == "initial_rating"), "")
            renamed[home.rpartition("!")[0].strip("'")] = name
        else:
            for other, cells in book.sheets.items():
                first = cells.get((1, 1))
                known = other in planned or other in renamed
                if not known and first is not None and str(first.value).startswith(sheet["title"]):
                    renamed[other] = name
                    break
    renamed = {old: new for old, new in renamed.items() if old in book.sheets}
    return _renamed(book, renamed) if renamed else book


def _renamed(book: Book, renamed: Mapping[str, str]) -> Book:
    prefixes = [(f"{spelt}!", f"{new}!") for old, new in renamed.items() for spelt in (quote_sheet(old), old)]

    def text(formula: str) -> str:
        for old, new in prefixes:
            formula = formula.replace(old, new)
        return formula

    def cell(one: Cell) -> Cell:
        if one.formula is None or "!" not in one.formula:
            return one
        return dataclasses.replace(one, formula=text(one.formula))

    sheets = {
        renamed.get(name, name): {place: cell(one) for place, one in cells.items()}
        for name, cells in book.sheets.items()
    }
    tables = {n: dataclasses.replace(t, sheet=renamed.get(t.sheet, t.sheet)) for n, t in book.tables.items()}
    names = {name: text(target) for name, target in book.names.items()}
    rows = {renamed.get(name, name): hidden for name, hidden in book.hidden_rows.items()}
    return dataclasses.replace(
        book, sheets=sheets, tables=tables, all_tables=list(tables.values()), names=names, hidden_rows=rows
    )


def with_own_columns(book: Book) -> Book:
    """Return the book with its columns called as they were when it was made, whatever their headers say now.

    The manifest lists the columns of each table in order; a header that is not there stands in a renamed column.
    Raises `NotChecked` for a list that was changed by hand.
    """
    entries = book.sheets[MANIFEST]
    renamed: dict[str, dict[str, str]] = {}
    for (row, column), cell in entries.items():
        name = str(cell.value).removeprefix(COLUMNS) if column == 1 and str(cell.value).startswith(COLUMNS) else ""
        table = next((table for table in book.all_tables if table.name.lower() == name.lower()), None)
        if table is None or (row, 2) not in entries:
            continue
        try:
            made = [str(label) for label, _ in json.loads(str(entries[row, 2].value))]
        except (ValueError, TypeError):
            raise NotChecked(
                f"the manifest says nothing readable of the table {name}: restore {MANIFEST}!B{row}"
            ) from None
        here = {label.casefold() for label in table.columns}
        pairs = list(zip(table.columns, made, strict=False))
        if any(then.casefold() in here and now.casefold() != then.casefold() for now, then in pairs):
            continue  # something stands between them now: which header was renamed cannot be said
        changed = {now: then for now, then in pairs if now != then and then.casefold() not in here}
        if changed and len(made) <= len(table.columns):
            renamed[name.lower()] = changed
    return _with_headers(book, renamed) if renamed else book


def _with_headers(book: Book, renamed: Mapping[str, Mapping[str, str]]) -> Book:
    def text(formula: str) -> str:
        return _STRUCTURED.sub(reference, formula)

    def reference(match: re.Match[str]) -> str:
        own = {column_text(now).lower(): column_text(then) for now, then in renamed.get(match[1].lower(), {}).items()}
        inner = _LABEL.sub(lambda label: f"[{own.get(label[1].lower(), label[1])}]", match[2]) if own else match[2]
        return f"{match[1]}{inner}"

    def cell(one: Cell) -> Cell:
        if one.formula is None or "[" not in one.formula:
            return one
        return dataclasses.replace(one, formula=text(one.formula))

    def table(one: Table) -> Table:
        own = renamed.get(one.name.lower(), {})
        return dataclasses.replace(one, columns=[own.get(label, label) for label in one.columns])

    sheets = {name: {place: cell(one) for place, one in cells.items()} for name, cells in book.sheets.items()}
    tables = {name: table(one) for name, one in book.tables.items()}
    for one in tables.values():
        for at, label in enumerate(one.columns, one.first_col):
            header = sheets[one.sheet].get((one.first_row, at))
            if header is not None and one.name.lower() in renamed:
                sheets[one.sheet][one.first_row, at] = dataclasses.replace(header, value=label)
    names = {name: text(target) for name, target in book.names.items()}
    return dataclasses.replace(book, sheets=sheets, tables=tables, all_tables=list(tables.values()), names=names)


class Typed:
    """Reads the cells of a book as its owner sees them: a formula that was typed counts by its result."""

    def __init__(self, book: Book, recalculated: Recalculated) -> None:
        self.book, self.recalculated = book, recalculated

    def cell(self, sheet: str, row: int, column: int) -> CellValue:
        found = self.book.sheets.get(sheet, {}).get((row, column))
        if found is None:
            return None
        value = found.value
        if found.formula is not None:
            value = self.recalculated.get(sheet, {}).get((row, column))
        if isinstance(value, bool):
            return str(value).upper()
        return float(value) if isinstance(value, (int, float)) else value

    def table(self, name: str) -> Table:
        for known, table in self.book.tables.items():
            if known.lower() == name.lower():
                return table
        raise NotChecked(f"the table {name} is missing: its sheet was deleted or the table turned into a range")

    def columns(self, name: str, labels: tuple[str, ...]) -> dict[str, list[CellValue]]:
        table = self.table(name)
        found: dict[str, list[CellValue]] = {}
        for label in labels:
            at = table.column(label)
            if at is None:
                raise NotChecked(f"the table {name} has no column {label!r}: was it renamed or deleted?")
            rows = range(table.first_data_row, table.last_data_row + 1)
            found[label] = [self.cell(table.sheet, row, at) for row in rows]
        return found

    def rows(self, name: str) -> int:
        table = self.table(name)
        return table.last_data_row - table.first_data_row + 1


@dataclass(frozen=True)
class ReadBack:
    """What a book holds: what was typed, the settings, what is amiss with them, and the plan that follows."""

    typed: Typed
    settings: Mapping[str, Any]
    findings: Sequence[Finding]
    plan: Plan


def read_plan(book: Book, values: Recalculated, manifest: Manifest) -> ReadBack:
    """Return what a book holds and should hold."""
    typed = Typed(book, values)
    settings, findings = read_settings(book, typed, manifest)
    return ReadBack(typed, settings, findings, plan_book(read_inputs(book, typed, manifest, settings)))


def plan_of_this_size(book: Book, values: Recalculated, manifest: Manifest) -> Plan:
    """Return the plan of a book with these tables and the settings that the manifest names."""
    return plan_book(read_inputs(book, Typed(book, values), manifest, manifest.settings))


def read_settings(book: Book, typed: Typed, manifest: Manifest) -> tuple[dict[str, Any], list[Finding]]:
    """Return the settings that stand beside their labels, and a finding for each name that points elsewhere."""
    values: dict[str, Any] = dict(manifest.settings)
    findings = []
    names = {name.lower(): target for name, target in book.names.items()}
    live = manifest.system.live if view_of(manifest.template).has_settings else ()
    for parameter in live:
        if parameter.name == "period":
            continue
        home = next(
            (
                (row, column + 1)
                for (row, column), cell in book.sheets.get("Start", {}).items()
                if column == 2 and cell.value == parameter.label
            ),
            None,
        )
        if home is None:
            raise NotChecked(f"the setting {parameter.label!r} is missing on the sheet Start")
        target = names.get(parameter.cell.lower(), "").replace("$", "").replace("'", "")
        if target.upper() != f"START!{cell_name(*home)}":
            place = f"Start!{cell_name(*home)}"
            message = f"the name {parameter.cell} points to {target or 'nothing'}, not to {parameter.label} in {place}"
            sheet, _, cell = target.partition("!")
            found = typed.cell(sheet, *parse_cell_name(cell)) if cell and ":" not in cell else None
            findings.append(Finding("ES204", ERROR, place, message, typed.cell("Start", *home), found, fix=f"={place}"))
        value = typed.cell("Start", *home)
        if value is None or (isinstance(value, str) and not parameter.choices):
            place = f"Start!{cell_name(*home)}"
            message = f"{parameter.label} is {value!r}, not a number" if value else f"{parameter.label} is empty"
            findings.append(Finding("ES205", WARNING, place, f"{message}: type {parameter.shown()} or another value"))
        try:
            values[parameter.name] = parameter.read("" if value is None and parameter.choices else value or 0)
        except UsageError as error:
            raise NotChecked(f"a setting cannot be used: {error} (Start!{cell_name(*home)})") from None
    return values, findings


def read_inputs(book: Book, typed: Typed, manifest: Manifest, settings: Mapping[str, Any]) -> PlannedBook:
    """Return the book that the owner's input describes; its plan is what the workbook should hold."""
    view, form = view_of(manifest.template), template(manifest.template)
    there = {table.name.lower() for table in book.all_tables}
    optional = {sheet["name"] for sheet in form["sheet"] if sheet.get("optional")}
    tables = {
        name: typed.columns(name, labels)
        for name, labels in view.input_columns(form, manifest.system).items()
        if name not in optional or name.lower() in there
    }
    cells = {role: typed.cell(*place) for role, place in view.input_cells(form).items()}
    sizes = {table.name: table.last_data_row - table.first_data_row + 1 for table in book.all_tables}
    return PlannedBook(
        manifest.template,
        manifest.system.name,
        settings,
        Inputs(tables, cells, sizes),
        manifest.title,
        manifest.settings,
        manifest.options,
    )
