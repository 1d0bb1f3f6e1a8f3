"""The games of a book: how many are listed and rated, and what is odd about their rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from elo_sheets.files.references import Table, cell_name, parse_range, sheet_text
from elo_sheets.validate.judge import Judge
from elo_sheets.validate.read import Typed
from elo_sheets.verdict.findings import ERROR, NOTE, WARNING, Counted, Finding
from elo_sheets.workbook.layout import text_of
from elo_sheets.workbook.places import MANY
from elo_sheets.workbook.plan import CellValue, Plan, TablePlan
from elo_sheets.workbook.spellings import REASONS
from elo_sheets.workbook.typed_cells import Place, fits, not_understood, typed_places
from elo_sheets.workbook.view import View

# What a row's status, up to a colon, means for the verdict: an unfinished row is its owner's business, a wrong name is
# not.
STATUS = {
    "unknown player": ("ES402", WARNING),
    "not on Players": ("ES402", WARNING),
    "not on Teams": ("ES402", WARNING),
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
NOT_PLAYED = {"", "to play", *REASONS.values()}


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
        numbers = column_of(plan, ledger.name, "Game")
        rated = len({game for game, score in zip(numbers, results, strict=False) if isinstance(score, (int, float))})
    findings += [_outside_finding(table, row) for row in outside]
    findings += _by_status(table, status, typed, _planned(plan, table.name))
    findings += _order_and_repeats(plan, table)
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


def _by_status(table: Table, status: list[object], typed: Typed, planned: TablePlan) -> list[Finding]:
    found = []
    for row, value in enumerate(status, table.first_data_row):
        kind, _, remedy = str(value).partition(":")
        if kind in STATUS:
            is_misspelt = "write" in remedy
            code, severity = ("ES408", WARNING) if is_misspelt else STATUS[kind]
            column = table.column("Result") if is_misspelt else None
            if code == "ES402":
                column = _not_listed(typed, table, planned, row)
            where = f"{table.sheet}!{cell_name(row, table.first_col if column is None else column)}"
            found.append(Finding(code, severity, where, f"the game in row {row} is not rated: {value}"))
    return found


def _not_listed(typed: Typed, table: Table, planned: TablePlan, row: int) -> int | None:
    """Return the first column of a row in which a name is typed that its list does not offer."""
    for column in planned.columns:
        rule, at = column.validation, table.column(column.label)
        if column.is_input and rule is not None and rule.kind == "list" and rule.range and at is not None:
            place = Place(table.sheet, row, at, row, column.label, rule, table.name)
            if not fits(rule, typed.cell(table.sheet, row, at), _listed(typed, place), is_column=True):
                return at
    return None


def _not_understood(typed: Typed, plan: Plan) -> Iterator[Finding]:
    """Yield a finding for each typed cell that the formulas pass over; the settings on Start have their own."""
    for place in typed_places(plan.sheets):
        column, rows = place.column, range(place.row, place.last_row + 1)
        if place.table:
            table = typed.table(place.table)
            at = table.column(place.label)
            assert at is not None
            column, rows = at, range(table.first_data_row, table.last_data_row + 1)
        listed = _listed(typed, place)
        for row in rows:
            value = typed.cell(place.sheet, row, column)
            if not fits(place.rule, value, listed, is_column=bool(place.table)):
                message = f"{not_understood(place.label, place.rule)}, got {value!r}"
                where = sheet_text(place.sheet)
                severity = NOTE if place.rule.range else WARNING  # what is shown, not what is rated
                yield Finding("ES408", severity, f"{where}!{cell_name(row, column)}", message, found=value)


def _listed(typed: Typed, place: Place) -> list[CellValue]:
    """Return what stands in the range that a list offers."""
    sheet, _, cells = place.rule.range.removeprefix("=").replace("$", "").rpartition("!")
    if not cells:
        return []
    top, left, bottom, _ = parse_range(cells)
    return [typed.cell(sheet.strip("'") or place.sheet, row, left) for row in range(top, bottom + 1)]


def _order_and_repeats(plan: Plan, table: Table) -> Iterator[Finding]:
    """Yield a finding for each game that is dated before one above it, and for each that stands there twice."""
    said = {game: ("ES405", text) for game, text in _out_of_days(plan)}
    same = ("ES406", "repeats a game further up: same day, players and result")
    for game, (code, text) in [*said.items(), *((game, same) for game in _marked(plan, "Duplicate"))]:
        row = table.first_data_row + game - 1
        where = f"{table.sheet}!{cell_name(row, table.first_col)}"
        yield Finding(code, NOTE, where, f"the game in row {row} {text}")


def _by_game(plan: Plan, label: str) -> dict[int, float]:
    """Return what a column of the Ledger has of each game: in its first row, 0 for what is no number."""
    found: dict[int, float] = {}
    for game, value in zip(column_of(plan, "Ledger", "Game"), column_of(plan, "Ledger", label), strict=False):
        found.setdefault(int(float(str(game))), value if isinstance(value, float) else 0.0)
    return found


def _marked(plan: Plan, label: str) -> list[int]:
    return [game for game, value in _by_game(plan, label).items() if value == 1.0]


def _out_of_days(plan: Plan) -> Iterator[tuple[int, str]]:
    """Yield the games that are out of the order of days, as Check names them, and what is said of each.

    Where many are dated before one above them, the day of that one is wrong, and not theirs.
    """
    days, latest_days = _by_game(plan, "Date"), _by_game(plan, "Latest date")
    behind: dict[float, list[int]] = defaultdict(list)
    for game in _marked(plan, "Order break"):
        behind[latest_days[game]].append(game)
    for latest, games in behind.items():
        above = [one for one in range(1, games[0]) if days[one] > days[games[0]]]
        if len(games) > MANY * len(above):
            yield from ((one, f"is dated after {len(games)} games below it") for one in above if days[one] == latest)
        else:
            yield from ((game, "is dated before a game above it") for game in games)


def _twins(plan: Plan, table: Table, people: str, name_label: str) -> Iterator[Finding]:
    names, ids = list(column_of(plan, people, name_label)), list(column_of(plan, people, "Id"))
    for row, (name, number) in enumerate(zip(names, ids, strict=True), table.first_data_row):
        if name and not number:
            yield Finding("ES407", WARNING, f"{people}!B{row}", f"{name!r} stands further up already")
