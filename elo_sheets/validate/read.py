"""A workbook that elo-sheets made, read back: its manifest, its settings, and what its owner typed."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from elo_sheets.errors import NotChecked, UsageError
from elo_sheets.files.cells import Book, Cell, Value
from elo_sheets.files.references import Table, cell_name, parse_cell_name, quote_sheet
from elo_sheets.systems import Parameter, Rules, System, system
from elo_sheets.verdict.findings import ERROR, WARNING, Finding
from elo_sheets.workbook.book import COLUMNS, MANIFEST, MANIFEST_SCHEMA, OPTION, SETTING, Inputs, MissingTable
from elo_sheets.workbook.book import Book as PlannedBook
from elo_sheets.workbook.build import plan_book
from elo_sheets.workbook.comparison.pools import further_settings
from elo_sheets.workbook.fits import check_fits, view_of
from elo_sheets.workbook.layout import column_text
from elo_sheets.workbook.own.rules import OwnRule
from elo_sheets.workbook.own.templates import DIGEST, SUFFIX, check_digest
from elo_sheets.workbook.plan import CellValue, Plan
from elo_sheets.workbook.settings_in_use import TYPED, USED, expected, read_setting, used_setting
from elo_sheets.workbook.sourced import form_of
from elo_sheets.workbook.templates import is_built_in_template
from elo_sheets.workbook.view import View
from elo_sheets.workbook.windows import Window, shown_read, windows, windows_read

# A structured reference, its table and its brackets; and a label in them.
_STRUCTURED = re.compile(r"([A-Za-z_\\][\w.\\]*)(\[(?:[^\[\]']|'.|\[(?:[^\[\]']|'.)*\])*\])")
_LABEL = re.compile(r"\[((?:[^\[\]']|'.)*)\]")
Recalculated = Mapping[str, Mapping[tuple[int, int], Value]]


@dataclass(frozen=True)
class Manifest:
    """What a book says of itself."""

    template: str
    system: System
    rules: Rules  # the same before the settings chose its form
    title: str
    # The settings that decide the form of the rule, and the defaults of the others.
    settings: Mapping[str, Any]
    options: Mapping[str, str]
    further: tuple[Rules, ...] = ()


def read_manifest(book: Book, given: Sequence[Rules] = ()) -> Manifest:
    """Return the manifest; `given` are the rules that are not built in.

    Raises `NotChecked` for a book that has none or one from another version, and where a rule that is not built in is
    not given or has changed since.
    """
    sheet = book.sheets.get(MANIFEST)
    if sheet is None:
        raise NotChecked(
            "the workbook was not made by elo-sheets: it has no manifest sheet; elo-sheets import OLD.xlsx -o NEW.xlsx "
            "makes a book of its games, which update then takes the games of further logs into"
        )
    entries = {
        str(cell.value): sheet[row, 2].value
        for (row, column), cell in sheet.items()
        if column == 1 and (row, 2) in sheet
    }
    name = str(entries.get("template"))
    check_digest(name, entries.get(DIGEST))
    if entries.get("schema") != MANIFEST_SCHEMA or not (is_built_in_template(name) or name.endswith(SUFFIX)):
        raise NotChecked(
            f"the workbook's manifest (schema {entries.get('schema')!r}, template {entries.get('template')!r}) is not "
            "one that this version knows: use the version that made it, or make the book anew with import"
        )
    title = entries.get("title")
    options = {key.removeprefix(OPTION): str(value) for key, value in entries.items() if key.startswith(OPTION)}
    first, *others = _rules(entries, options, given)
    own, rating_system = first
    hidden = {key.removeprefix(SETTING): value for key, value in entries.items() if key.startswith(SETTING)}
    try:
        form = rating_system.settings({**hidden, "period": entries.get("period")})
        shaped = check_fits(str(entries["template"]), rating_system, form)
    except UsageError as error:
        raise NotChecked(f"the manifest does not fit this version: {error}") from None
    if own is not None:
        own.check(rating_system, shaped)
    further = tuple(rules for _, rules in others)
    return Manifest(str(entries["template"]), shaped, rating_system, str(title or ""), form, options, further)


def _rules(
    entries: Mapping[str, Value], options: Mapping[str, str], given: Sequence[Rules]
) -> list[tuple[OwnRule | None, Rules]]:
    """Return the first system of a book and those of its comparison, each with what the manifest says of its rule."""
    first = str(entries["system"])
    names = dict.fromkeys([first, *filter(None, options.get("systems", "").split(","))])
    told = {name: OwnRule.read(entries, name) for name in names}
    found: list[tuple[OwnRule | None, Rules]] = []
    for name, own in told.items():
        try:
            rules = system(name) if own is None else own.found(given)
        except UsageError as error:
            raise NotChecked(str(error)) from None
        if own is not None and name != first:
            own.check(rules, _in_its_form(rules, further_settings(options, name)))
        found.append((own, rules))
    return found


def refuse_unused(given: Sequence[Rules], manifests: Sequence[Manifest]) -> None:
    """Raise `UsageError` for a rule that is given and that none of the books is rated by."""
    used = [rules for manifest in manifests for rules in (manifest.rules, *manifest.further)]
    names = ", ".join(dict.fromkeys(rules.full_name for rules in used))
    for one in given:
        if one not in used:
            raise UsageError(f"nothing here is rated by {one.full_name}, but by {names}: leave out --system")


def _in_its_form(rules: Rules, settings: Mapping[str, str]) -> System:
    if not isinstance(rules, System):
        raise NotChecked(f"the rule {rules.full_name} is no system of steps")
    return rules.shaped(rules.settings(settings))


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


def renamed_columns(formula: str, renamed: Mapping[str, Mapping[str, str]]) -> str:
    """Return a formula with columns of tables under other names, by the table's name in small letters."""

    def reference(match: re.Match[str]) -> str:
        own = {column_text(now).lower(): column_text(then) for now, then in renamed.get(match[1].lower(), {}).items()}
        inner = _LABEL.sub(lambda label: f"[{own.get(label[1].lower(), label[1])}]", match[2]) if own else match[2]
        return f"{match[1]}{inner}"

    return _STRUCTURED.sub(reference, formula)


def _with_headers(book: Book, renamed: Mapping[str, Mapping[str, str]]) -> Book:
    def text(formula: str) -> str:
        return renamed_columns(formula, renamed)

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
        raise _missing(name)

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


def _missing(table: object) -> NotChecked:
    return NotChecked(f"the table {table} is missing: its sheet was deleted or the table turned into a range")


def _plan(book: PlannedBook) -> Plan:
    try:
        return plan_book(book)
    except MissingTable as table:
        raise _missing(table) from None


@dataclass(frozen=True)
class ReadBack:
    """What a book holds: what was typed, the settings, what is amiss with them, and the book that it describes."""

    typed: Typed
    settings: Mapping[str, Any]
    findings: Sequence[Finding]
    planned: PlannedBook

    @cached_property
    def plan(self) -> Plan:
        """What the book should hold."""
        return _plan(self.planned)


def read_plan(book: Book, values: Recalculated, manifest: Manifest) -> ReadBack:
    """Return what a book holds, planned."""
    read = read_typed(book, values, manifest)
    read.plan  # noqa: B018 - what it objects to belongs here
    return read


def read_typed(book: Book, values: Recalculated, manifest: Manifest) -> ReadBack:
    """Return what a book holds; it is planned when its plan is asked for."""
    typed = Typed(book, values)
    settings, findings = read_settings(book, typed, manifest)
    written = {p.name: typed.cell("Start", *home) for p, home in _setting_homes(book, manifest)}
    planned = read_inputs(book, typed, manifest, settings, written)
    return ReadBack(typed, settings, findings, planned)


def plan_of_this_size(book: Book, values: Recalculated, manifest: Manifest) -> Plan:
    """Return the plan of a book with these tables and the settings that the manifest names, wherever Start has them."""
    return _plan(read_inputs(book, Typed(book, values), manifest, manifest.settings, {}))


def read_settings(book: Book, typed: Typed, manifest: Manifest) -> tuple[dict[str, Any], list[Finding]]:
    """Return the settings that stand beside their labels, and a finding for each name that points elsewhere."""
    values: dict[str, Any] = dict(manifest.settings)
    findings = []
    names = {name.lower(): target for name, target in book.names.items()}
    for parameter, home in _setting_homes(book, manifest):
        target = names.get(parameter.cell.lower(), "").replace("$", "").replace("'", "")
        place, value = f"Start!{cell_name(*home)}", typed.cell("Start", *home)
        used = f"Start!{cell_name(home[0], USED)}"
        if target.upper() != used.upper():
            message = f"the name {parameter.cell} points to {target or 'nothing'}, not to {parameter.label} in {place}"
            sheet, _, cell = target.partition("!")
            found = typed.cell(sheet, *parse_cell_name(cell)) if cell and ":" not in cell else None
            findings.append(Finding("ES204", ERROR, place, message, value, found, fix=f"={used}"))
        read = read_setting(parameter, value)
        values[parameter.name] = used_setting(parameter, read, manifest.settings[parameter.name])
        if values[parameter.name] != read:
            said = expected(parameter, manifest.settings[parameter.name])
            what = "empty" if value is None else repr(value)
            message = f"{parameter.label} is {what}: {said[0].lower()}{said[1:-1]}"
            findings.append(Finding("ES205", WARNING, place, message, found=value))
        values[parameter.name] = parameter.read(values[parameter.name])
    return values, findings


def _setting_homes(book: Book, manifest: Manifest) -> Iterator[tuple[Parameter, tuple[int, int]]]:
    """Yield the settings that are typed on Start, each with the cell beside its label."""
    labels = {cell.value: row for (row, column), cell in book.sheets.get("Start", {}).items() if column == 2}
    for parameter in manifest.system.live if view_of(manifest.template).has_settings else ():
        if parameter.name == "period":
            continue
        if parameter.label not in labels:
            raise NotChecked(f"the setting {parameter.label!r} is missing on the sheet Start")
        yield parameter, (labels[parameter.label], TYPED)


def sheets_typed_into(book: Book, manifest: Manifest) -> set[str]:
    """Return the sheets that say what a book holds: those with a table or a cell for typing, Start and the manifest."""
    view, form = view_of(manifest.template), form_of(manifest.template, manifest.options)
    tables = {name.lower() for name in view.input_columns(form, manifest.system)}
    cells = {sheet for sheet, _, _ in view.input_cells(form).values()}
    return {"Start", MANIFEST, *cells, *(table.sheet for table in book.all_tables if table.name.lower() in tables)}


def read_inputs(
    book: Book, typed: Typed, manifest: Manifest, settings: Mapping[str, Any], written: Mapping[str, CellValue]
) -> PlannedBook:
    """Return the book that the owner's input describes; its plan is what the workbook should hold.

    `settings` are those that the book goes by, `written` what stands in their cells.
    """
    view, form = view_of(manifest.template), form_of(manifest.template, manifest.options)
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
        manifest.rules,
        settings,
        Inputs(tables, cells, sizes, written, _windows(typed, view), _shown(typed, view)),
        manifest.title,
        manifest.settings,
        manifest.options,
        manifest.further,
    )


def _windows(typed: Typed, view: type[View]) -> tuple[Window, ...]:
    """Return the rows in which the Ledger of a pool looks for the games of each step, () where it has no windows."""
    ledger = next((table for table in typed.book.all_tables if table.name == "Ledger"), None)
    at = None if ledger is None else ledger.column("At")
    if ledger is None or at is None:
        return ()
    games = typed.table(view.games_table)
    rows = range(ledger.first_data_row, ledger.last_data_row + 1)
    cells = typed.book.sheets[ledger.sheet]
    formulas = (cells[row, at].formula if (row, at) in cells else None for row in rows)
    pair = view.rows_a_game
    planned = windows(len(rows) // pair, games.last_data_row - games.first_data_row + 1, games.first_data_row)
    return windows_read(formulas, planned, pair)


def _shown(typed: Typed, view: type[View]) -> tuple[Window | None, ...]:
    """Return the games of the Ledger among which each row of games looks for its own."""
    ledger = next((table for table in typed.book.all_tables if table.name == "Ledger"), None)
    if ledger is None or ledger.column("At") is None:
        return ()
    games = typed.table(view.games_table)
    cells, columns = typed.book.sheets[games.sheet], range(games.first_col, games.last_col + 1)
    return tuple(
        shown_read(
            (cell.formula for at in columns if (cell := cells.get((row, at))) is not None and cell.formula),
            ledger.first_data_row,
            view.rows_a_game,
        )
        for row in range(games.first_data_row, games.last_data_row + 1)
    )
