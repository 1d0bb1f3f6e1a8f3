"""The games of a book: how many are listed and rated, and what is odd about their rows."""

from __future__ import annotations

from collections.abc import Iterator

from elo_sheets.package import Table, cell_name
from elo_sheets.validate.findings import ERROR, NOTE, WARNING, Counted, Finding
from elo_sheets.validate.judge import Judge
from elo_sheets.validate.read import Typed
from elo_sheets.workbook.build import Book as PlannedBook
from elo_sheets.workbook.journal import INPUTS, JournalInputs
from elo_sheets.workbook.layout import text_of
from elo_sheets.workbook.league import GAME_INPUTS
from elo_sheets.workbook.plan import Plan

# What a row's status means for the verdict: an unfinished row is its owner's business, a wrong name is not.
STATUS = {
    "unknown player": ("ES402", WARNING),
    "same player twice": ("ES403", WARNING),
    "no result": ("ES404", NOTE),
    "no opponent rating": ("ES404", NOTE),
    "no date": ("ES404", NOTE),
    "beyond the Ledger": ("ES401", ERROR),
}


def count_games(judge: Judge, typed: Typed, planned: PlannedBook, plan: Plan) -> tuple[Counted, list[Finding]]:
    """Return the count of games and the findings about their rows."""
    table = typed.table(_games_table(planned))
    status = list(_column(plan, table.name, "Status"))
    outside = list(_outside(typed, table, planned))
    listed = sum(value != "" for value in status) + len(outside)
    ledger = typed.table("Ledger")
    score = ledger.column("Score")
    rated = 0
    if score is not None:
        rows = range(ledger.first_data_row, ledger.last_data_row + 1)
        results = (judge.result(ledger.sheet, row, score) for row in rows)
        rated = sum(isinstance(value, (int, float)) for value in results)
    findings = [_outside_finding(table, row) for row in outside]
    findings += _by_status(table, status)
    findings += _not_understood(typed, table)
    if planned.template == "league":
        findings += _league_rows(plan, table)
    return Counted(listed, min(rated, listed)), findings


def _games_table(planned: PlannedBook) -> str:
    return "Log" if isinstance(planned.inputs, JournalInputs) else "Games"


def _column(plan: Plan, table: str, label: str) -> Iterator[object]:
    for sheet in plan.sheets:
        for one in sheet.tables:
            if one.name == table:
                yield from next(column for column in one.columns if column.label == label).fill.values


def _outside(typed: Typed, table: Table, planned: PlannedBook) -> Iterator[int]:
    """Yield the rows below the table in which somebody typed a game."""
    labels = INPUTS if isinstance(planned.inputs, JournalInputs) else GAME_INPUTS
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


# What a column of inputs takes besides nothing: one of these words, or (None) a number.
ACCEPTED: dict[str, dict[str, tuple[str, ...] | None]] = {
    "Log": {
        "Date": None,
        "Opponent rating": None,
        "Colour": ("White", "Black"),
        "Result": ("Win", "Draw", "Loss"),
    },
    "Games": {"Date": None, "Result": ("1-0", "1/2-1/2", "0-1")},
    "Players": {"Start rating": None},
}


def _not_understood(typed: Typed, table: Table) -> list[Finding]:
    found = []
    for name in (table.name, "Players") if table.name == "Games" else (table.name,):
        one = typed.table(name)
        for label, words in ACCEPTED[name].items():
            for row, value in enumerate(typed.columns(name, (label,))[label], one.first_data_row):
                fits = isinstance(value, float) if words is None else text_of(value).lower() in map(str.lower, words)
                if value is None or value == "" or fits:
                    continue
                at = one.column(label)
                assert at is not None
                expected = "a number" if words is None else ", ".join(words)
                expected = "a date" if label == "Date" else expected
                message = f"{label} is {value!r}, which is not understood; expected {expected}"
                found.append(Finding("ES408", WARNING, f"{one.sheet}!{cell_name(row, at)}", message, found=value))
    return found


def _league_rows(plan: Plan, table: Table) -> list[Finding]:
    found = []
    for label, code, text in (
        ("Order break", "ES405", "is dated before the game above it"),
        ("Duplicate", "ES406", "repeats a game further up: same day, players and result"),
    ):
        for row, value in enumerate(_column(plan, "Ledger", label), table.first_data_row):
            if value == 1.0:
                where = f"{table.sheet}!{cell_name(row, table.first_col)}"
                found.append(Finding(code, NOTE, where, f"the game in row {row} {text}"))
    names, ids = list(_column(plan, "Players", "Player")), list(_column(plan, "Players", "Id"))
    for row, (name, number) in enumerate(zip(names, ids, strict=True), table.first_data_row):
        if name and not number:
            found.append(Finding("ES407", WARNING, f"Players!B{row}", f"{name!r} stands further up already"))
    return found
