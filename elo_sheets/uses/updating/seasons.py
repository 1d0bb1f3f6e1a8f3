"""The next season of a book: its players with what they carry, and no games yet."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from elo_sheets.errors import UsageError
from elo_sheets.replaying.starting import as_settings
from elo_sheets.systems.sides import SidedSystem
from elo_sheets.uses.updating.growing import with_sizes
from elo_sheets.uses.updating.old import Old
from elo_sheets.workbook.book import STARTS_SAID, Book, Columns, Inputs
from elo_sheets.workbook.fits import holds_sides
from elo_sheets.workbook.journal.rows import JournalRows
from elo_sheets.workbook.layout import number_or
from elo_sheets.workbook.plan import CellValue
from elo_sheets.workbook.pools.columns import last_labels, start_labels
from elo_sheets.workbook.sides.pool import SidedPool
from elo_sheets.workbook.sides.view import shape_of_form
from elo_sheets.workbook.sports.profiles import words_of


def next_season(old: Old) -> Book:
    """Return the book of the next season: what its players are rated now is what they start from.

    They carry every state of the rule (rating, RD, volatility, games) and, where it asks how long they were away, the
    day or season of their last game. Who has not played starts as before. Raises `UsageError` for a template that rates
    no games one after the other.
    """
    if not old.view.games_table:
        raise UsageError(f"template {old.manifest.template} has no next season: make a new book with elo-sheets new")
    if not old.view.is_replayed:
        raise UsageError(
            "an event has no next season, since it is rated from the federation's ratings of its day, which other "
            f"events move too: with the next one's games use elo-sheets import GAMES -o NEXT.xlsx --template "
            f"{old.manifest.template} --start LIST, where LIST is the federation's list, or {old.path.name} for the "
            "new ratings of this one"
        )
    inputs = old.planned.inputs
    of_sides = holds_sides(old.manifest.template)
    book = _sides(old) if of_sides else _journal(old) if old.view.rows_a_game == 1 else _pool(old)
    games = old.view.games_table
    tables = {name: table for name, table in book.inputs.tables.items() if name != "Archive"}
    tables[games] = {label: [None] * inputs.rows(games) for label in tables[games]}
    options = {**book.options, STARTS_SAID: "Start ratings: those at the end of the season before"}
    return with_sizes(replace(book, options=options, inputs=replace(book.inputs, tables=tables)))


def _pool(old: Old) -> Book:
    system, settings = old.manifest.system, old.planned.settings
    inputs = old.planned.inputs
    pool: Any = old.view.read_pool(old.form, system, settings, inputs)
    name, _ = old.view.people_table
    people: dict[str, list[CellValue]] = {label: list(values) for label, values in inputs.tables[name].items()}
    labels = {"rating": "Start rating"} | start_labels(system)
    latest = _latest(pool)
    for at, number in enumerate(pool.ids):
        if not number or not pool.last_rows[number]:
            continue
        for state, label in labels.items():
            people[label][at] = pool.final(state, number)
        for key, label in last_labels(system).items():
            people[label][at] = max(latest[key].get(number, 0.0), float(number_or(people[label][at], 0.0) or 0)) or None
    return replace(old.planned, inputs=_with_table(inputs, name, people))


def _sides(old: Old) -> Book:
    system, inputs = old.manifest.system, old.planned.inputs
    assert isinstance(system, SidedSystem)
    shape = shape_of_form(old.form)
    pool = SidedPool(system, old.planned.settings, inputs, shape)
    typed = pool.typed_starts()
    begun = {str(number): typed[name] for number, name in zip(pool.ids, pool.known, strict=True) if number}
    people: dict[str, list[CellValue]] = {label: list(values) for label, values in inputs.tables["Players"].items()}
    row_of = {number: at for at, number in enumerate(pool.ids) if number}
    for at, rated in enumerate(pool.rated(begun)):
        if rated is not None:
            number = pool.games[at // shape.seats].numbers[at % shape.seats]
            for state, label in ({"rating": "Start rating"} | start_labels(system)).items():
                people[label][row_of[number]] = rated.row[f"{state}_after"]
    return replace(old.planned, inputs=_with_table(inputs, "Players", people))


def _latest(pool: Any) -> dict[str, dict[int, float]]:
    """Return the last day and the last season of each player, by number."""
    found: dict[str, dict[int, float]] = {"last_date": {}, "last_season": {}}
    for game in pool.games:
        if game.is_rated:
            seen = {"last_date": game.date, "last_season": float(game.extra.get("seasons") or 0)}
            for key, value in seen.items():
                for number in (game.white_number, game.black_number):
                    found[key][number] = max(found[key].get(number, 0.0), value)
    return found


def _journal(old: Old) -> Book:
    """Return a journal whose pools start from what they end with; what is no column of Pools becomes a setting."""
    system, inputs = old.manifest.system, old.planned.inputs
    cells = JournalRows(system, old.planned.settings, inputs, words_of(old.form))
    final: dict[int, dict[str, float]] = {}
    for at, row in enumerate(cells.rows):
        if row.is_rated:
            final[row.pool] = {
                state.name: float(cells.values[f"{state.name}_after"][at] or 0) for state in system.state
            }
    pools: dict[str, list[CellValue]] = {label: list(values) for label, values in inputs.tables["Pools"].items()}
    shown = {"rating": "Start rating", "rd": "Start RD"}
    for number, states in final.items():
        for state, label in shown.items():
            if state in states and label in pools:
                pools[label][number - 1] = states[state]
    first = final.get(1, {})
    told = as_settings(old.manifest.rules, {k: v for k, v in first.items() if shown.get(k) not in pools})
    settings = {**old.planned.settings, **told}
    typed = {**inputs.settings, **{name: value for name, value in told.items() if name in inputs.settings}}
    return replace(old.planned, settings=settings, inputs=replace(_with_table(inputs, "Pools", pools), settings=typed))


def _with_table(inputs: Inputs, name: str, table: Columns) -> Inputs:
    return replace(inputs, tables={**inputs.tables, name: table})


# So many players a remark names.
MOST_TOLD = 5


def carried_note(old: Old, coming: Book) -> str:
    """Return the remark on who takes which rating into the next season, and how many start as before."""
    pools = old.view.rows_a_game == 1 and not holds_sides(old.manifest.template)
    name, key = ("Pools", "Pool") if pools else old.view.people_table
    table, before = coming.inputs.tables[name], old.planned.inputs.tables[name]
    rows = zip(table[key], table["Start rating"], before["Start rating"], strict=True)
    rated, others = [], 0
    for who, now, was in rows:
        if isinstance(now, (int, float)) and now != was:
            rated.append((float(now), str(who or name)))
        elif who:
            others += 1
    rated.sort(key=lambda one: (-one[0], one[1]))
    told = ", ".join(f"{who} {rating:.0f}" for rating, who in rated[:MOST_TOLD])
    more = f" and {len(rated) - MOST_TOLD} more" if len(rated) > MOST_TOLD else ""
    what = name.lower()
    several = f"{len(rated)} {what} begin" if len(rated) != 1 else f"1 {what.removesuffix('s')} begins"
    carried = f"{several} with the rating of the end"
    parts = [f"{carried}: {told}{more}"] if rated or not others else []
    if others:
        parts.append(f"{others} {'begins' if others == 1 else 'begin'} as before")
    return "; ".join(parts)
