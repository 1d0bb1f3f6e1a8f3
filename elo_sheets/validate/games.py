"""The games of a book: how many are listed and rated, and what is odd about their rows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from elo_sheets.package import Table, cell_name, quote_sheet
from elo_sheets.validate.findings import ERROR, NOTE, WARNING, Counted, Finding
from elo_sheets.validate.judge import Judge
from elo_sheets.validate.read import Typed
from elo_sheets.workbook.layout import text_of
from elo_sheets.workbook.plan import CellValue, Plan, TablePlan, Validation
from elo_sheets.workbook.view import View

# A day before 1900, which no cell can hold as a date.
_EARLY_DAY = re.compile(r"1[0-8]\d\d-\d\d-\d\d")

# What a row's status means for the verdict: an unfinished row is its owner's business, a wrong name is not.
STATUS = {
    "unknown player": ("ES402", WARNING),
    "same player twice": ("ES403", WARNING),
    "no result": ("ES404", NOTE),
    "unknown pool": ("ES402", WARNING),
    "no opponent rating": ("ES404", NOTE),
    "no date": ("ES404", NOTE),
    "no points": ("ES404", NOTE),
    "no round": ("ES404", NOTE),
    "bye with opponent": ("ES404", NOTE),
    "out of order": ("ES405", WARNING),
    "beyond the Ledger": ("ES401", ERROR),
}


# Rows in which nothing was played: they are no games yet.
NOT_PLAYED = {"", "to play"}


def count_games(judge: Judge, typed: Typed, view: type[View], plan: Plan) -> tuple[Counted, list[Finding]]:
    """Return the count of games and the findings about what was typed."""
    findings = list(_not_understood(typed, plan))
    if not view.games_table:
        return Counted(), findings
    table = typed.table(view.games_table)
    status = list(column_of(plan, table.name, "Status"))
    outside = list(_outside(typed, table, plan))
    listed = sum(value not in NOT_PLAYED for value in status) + len(outside)
    ledger = typed.table("Ledger")
    score = ledger.column("Score")
    rated = 0
    if score is not None:
        rows = range(ledger.first_data_row, ledger.last_data_row + 1)
        results = (judge.result(ledger.sheet, row, score) for row in rows)
        rated = sum(isinstance(value, (int, float)) for value in results) // view.rows_a_game
    findings += [_outside_finding(table, row) for row in outside]
    findings += _by_status(table, status)
    findings += _order_and_repeats(plan, table, view.rows_a_game)
    if view.rows_a_game == 2:
        findings += _twins(plan, table, *view.people_table)
    return Counted(listed, min(rated, listed)), findings


def column_of(plan: Plan, table: str, label: str) -> Iterator[object]:
    """Yield what a column of a table should hold."""
    for sheet in plan.sheets:
        for one in sheet.tables:
            if one.name == table:
                yield from next((column.fill.values for column in one.columns if column.label == label), ())


def _planned(plan: Plan, name: str) -> TablePlan:
    return next(one for sheet in plan.sheets for one in sheet.tables if one.name == name)


def _outside(typed: Typed, table: Table, plan: Plan) -> Iterator[int]:
    """Yield the rows below the table in which somebody typed a game."""
    labels = [column.label for column in _planned(plan, table.name).columns if column.is_input]
    columns = [table.column(label) for label in labels if label not in {"Date", "Event"}]
    below = {
        row
        for row, column in typed.book.sheets[table.sheet]
        if row > table.last_row and column in columns and text_of(typed.cell(table.sheet, row, column))
    }
    yield from sorted(below)


def _outside_finding(table: Table, row: int) -> Finding:
    message = f"the game in row {row} stands below the table {table.name}, where no formula reaches it"
    fix = "insert a row inside the table and type the game there"
    return Finding(
        "ES401", ERROR, f"{table.sheet}!{cell_name(row, table.first_col)}", message, confidence="shape", fix=fix
    )


def _by_status(table: Table, status: list[object]) -> list[Finding]:
    found = []
    for row, value in enumerate(status, table.first_data_row):
        if value in STATUS:
            code, severity = STATUS[str(value)]
            where = f"{table.sheet}!{cell_name(row, table.first_col)}"
            found.append(Finding(code, severity, where, f"the game in row {row} is not rated: {value}"))
    return found


def _not_understood(typed: Typed, plan: Plan) -> Iterator[Finding]:
    """Yield a finding for each input that holds what its validation would not take; the settings have their own."""
    for sheet in plan.sheets:
        for cell in sheet.cells:
            if cell.is_input and cell.validation is not None and sheet.name != "Start":
                value = typed.cell(sheet.name, cell.row, cell.column)
                label = cell.name or next((c.value for c in sheet.cells if (c.row, c.column) == (cell.row, 1)), "")
                yield from _strange(sheet.name, cell.row, cell.column, str(label), cell.validation, value)
        for table in sheet.tables:
            for column in table.columns:
                if column.is_input and column.validation is not None:
                    yield from _strange_rows(typed, table.name, column.label, column.validation)


def _strange_rows(typed: Typed, table: str, label: str, rule: Validation) -> Iterator[Finding]:
    one = typed.table(table)
    at = one.column(label)
    assert at is not None
    for row, value in enumerate(typed.columns(table, (label,))[label], one.first_data_row):
        yield from _strange(one.sheet, row, at, label, rule, value)


def _strange(sheet: str, row: int, column: int, label: str, rule: Validation, value: CellValue) -> Iterator[Finding]:
    if rule.kind == "text" or (rule.kind == "list" and not rule.items):
        return  # of a range of names the status of the row speaks
    known = [word.lower() for word in rule.items]
    fits = text_of(value).lower() in known if rule.items else isinstance(value, float)
    fits = fits or (rule.kind == "date" and bool(_EARLY_DAY.fullmatch(text_of(value))))
    if value is None or value == "" or fits:
        return
    expected = "a date" if rule.kind == "date" else (", ".join(rule.items) or "a number")
    message = f"{label} is {value!r}, which is not understood; expected {expected}"
    where = sheet if sheet.isidentifier() else quote_sheet(sheet)
    yield Finding("ES408", WARNING, f"{where}!{cell_name(row, column)}", message, found=value)


def _order_and_repeats(plan: Plan, table: Table, rows_a_game: int) -> Iterator[Finding]:
    """Yield a finding for each game that is dated before the one above it, and for each that stands there twice."""
    days = [value if isinstance(value, float) else 0.0 for value in column_of(plan, table.name, "Date")]
    # A journal has no column for it.
    breaks = list(column_of(plan, "Ledger", "Order break"))[::rows_a_game] or [
        float(above > below > 0) for above, below in zip([0.0, *days], days, strict=False)
    ]
    repeats = list(column_of(plan, "Ledger", "Duplicate"))[::rows_a_game]
    for values, code, text in (
        (breaks, "ES405", "is dated before the game above it"),
        (repeats, "ES406", "repeats a game further up: same day, players and result"),
    ):
        for row, value in enumerate(values, table.first_data_row):
            if value == 1.0:
                where = f"{table.sheet}!{cell_name(row, table.first_col)}"
                yield Finding(code, NOTE, where, f"the game in row {row} {text}")


def _twins(plan: Plan, table: Table, people: str, name_label: str) -> Iterator[Finding]:
    names, ids = list(column_of(plan, people, name_label)), list(column_of(plan, people, "Id"))
    for row, (name, number) in enumerate(zip(names, ids, strict=True), table.first_data_row):
        if name and not number:
            yield Finding("ES407", WARNING, f"{people}!B{row}", f"{name!r} stands further up already")
