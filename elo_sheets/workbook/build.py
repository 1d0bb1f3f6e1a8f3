"""Inputs and a template in, the plan of the workbook out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from elo_sheets._late import pd
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.files.cells import without_collection
from elo_sheets.games import find_player, players
from elo_sheets.replaying.settings import Settings, begun, origins_said
from elo_sheets.replaying.starting import Start, starts_said
from elo_sheets.replaying.weighing import weighted
from elo_sheets.systems import Rules
from elo_sheets.workbook.book import SETTINGS_SAID, STARTS_SAID, Book, Filling
from elo_sheets.workbook.complete import complete
from elo_sheets.workbook.dialect import options
from elo_sheets.workbook.fits import check_fits, view_of
from elo_sheets.workbook.own.columns import with_values
from elo_sheets.workbook.plan import Plan
from elo_sheets.workbook.sourced import SOURCES, form_of
from elo_sheets.workbook.templates import NAMES, template_settings
from elo_sheets.workbook.view import Form

# What a rule may ask of a game's day.
DATED = {"date", "year", "days"}
# The rating periods that follow from a game's day.
CALENDAR = {"month", "year"}


def _check_days(games: pd.DataFrame, system: str) -> None:
    """Raise `UnreadableInput` for a day that no sheet can count with."""
    from elo_sheets.replaying.periods import FIRST_SHEET_DAY, serial_days

    early = games["date"].notna().to_numpy() & (serial_days(games["date"]) < FIRST_SHEET_DAY)
    if early.any():
        first = games[early].iloc[0]
        raise UnreadableInput(
            f"{first['source']}, row {first['source_row']}: spreadsheets cannot count with {first['date']:%Y-%m-%d}, "
            f"their days begin with 1900, and system {system} asks for the days of its games; leave the earlier games "
            "out, or use replay"
        )


def _check_dated(games: pd.DataFrame, form: Form, period: object) -> None:
    """Raise `UnreadableInput` where ratings go by the calendar and no game has a day: nothing would be rated."""
    if period in CALENDAR and not games["date"].notna().any():
        otherwise = "say --set period=game" if "game" in form["periods"] else "take --template league"
        raise UnreadableInput(
            f"ratings of each {period} need the days of the games, and no game in the log has a date, so that nothing "
            f"would be rated; name the column of dates (--map date=HEADER), or {otherwise} to rate game by game, or "
            "--template event for a tournament"
        )


def dialect_notes(name: str, dialect: str) -> list[str]:
    """Return what the owner of a book in a dialect should know; raises `UsageError` for an unknown dialect."""
    if options(dialect) and not view_of(name).modern_sheets:
        return [f"template {name} has no list that reads better as a dynamic array: its formulas are the portable ones"]
    return []


def templates_of_games() -> list[str]:
    """Return the templates that `import` can fill."""
    return [name for name in NAMES if view_of(name).games_table]


# What `validate` and most programs still open: half a gigabyte of XML.
MOST_FORMULAS = 1_800_000
# The share of it that the live games of a book with an archive may take: spare rows and players need the rest.
LIVE_SHARE = 0.8


def most_games(
    name: str,
    rating_system: Rules,
    settings: Mapping[str, object],
    options: Mapping[str, str] | None = None,
    further: Sequence[Rules] = (),
    *,
    roughly: bool = False,
) -> int:
    """Return for how many games a book of a template has room; with `roughly` by two small books alone."""

    def size(rows: int) -> int:  # what has a formula, whatever it gives
        return view_of(name)(blank_book(name, rating_system, settings, rows, options, further)).plan().size()

    few, each = size(20), max(1, (size(40) - size(20)) // 20)
    most = max(1, 20 + (MOST_FORMULAS - few) // each)
    if roughly:
        return most
    while most > 1 and (over := size(most) - MOST_FORMULAS) > 0:  # some sheets have a row for many games
        most = max(1, most + min(-1, -over // each))
    while (left := MOST_FORMULAS - size(most + 1)) >= 0:
        most += max(1, left // (2 * each))
    return most


def check_size(plan: Plan, book: Book) -> None:
    """Raise `UsageError` for a book of more formula cells than a program can be expected to open."""
    if plan.size() > MOST_FORMULAS:
        most = most_games(book.template, book.system, book.settings, book.options, book.further)
        raise UsageError(
            f"expected a book of at most {MOST_FORMULAS:,} formula cells, got {plan.size():,}; the template "
            f"{book.template} has room for {most:,} games of system {book.system.name} (replay needs no book)"
        )


def plan_book(book: Book) -> Plan:
    """Return the plan of a book: every cell, its formula, and the value that the formula gives."""
    with without_collection():
        return with_values(complete(view_of(book.template)(book).plan()))


def blank_book(
    name: str,
    rating_system: Rules,
    settings: Mapping[str, object],
    rows: int | None = None,
    options: Mapping[str, str] | None = None,
    further: Sequence[Rules] = (),
    players: int | None = None,
) -> Book:
    """Return a book without games: `rows` rows of games and `players` of players, or as many as the template says."""
    form = form_of(name, options or {})
    if players is not None and "player_rows" not in form:
        raise UsageError(f"template {name} has no list of players: leave out --players {players}")
    form = form if players is None else {**form, "player_rows": players}
    values = template_settings(name, rating_system, settings)
    shaped = check_fits(name, rating_system, values)
    # A table of one row is a single cell a column, which engines do not take for a range; so is half of two or three.
    count = form["rows"] if rows is None else max(rows, 4)
    inputs = view_of(name).blank(form, shaped, values, count)
    options = _with_origins(options, name, values, TYPED_STARTS if view_of(name).games_table else "")
    return Book(form["name"], rating_system, values, inputs, options=options, further=further)


def filled_book(
    name: str,
    rating_system: Rules,
    settings: Mapping[str, object],
    games: pd.DataFrame,
    player: str | None = None,
    title: str = "",
    options: Mapping[str, str] | None = None,
    start: Start = None,
    further: Sequence[Rules] = (),
) -> Book:
    """Return a book that holds the games of a log, with rows to grow into.

    A journal needs `player`. A pool lists the players in the order in which they first play. `start` says what players
    start from (see `starts`).
    """
    options = {**(options or {}), SOURCES: "yes"}
    form = form_of(name, options)
    if "live" in form and len(games) > form["live"] / 10:  # a rule of hundreds of columns has room for fewer
        most = int(most_games(name, rating_system, settings, options, further, roughly=True) * LIVE_SHARE)
        form = {**form, "live": min(form["live"], most)}
    values = template_settings(name, rating_system, settings)
    shaped = check_fits(name, rating_system, values)
    games = weighted(games, rating_system, values)
    if view_of(name).is_replayed:
        _check_dated(games, form, values["period"])
    if values["period"] in CALENDAR or DATED & getattr(shaped, "reads", DATED):
        _check_days(games.tail(form.get("live", len(games))), rating_system.name)
    found = view_of(name).starts(start, rating_system, games, values.typed, player)
    if form["view"] == "journal":
        assert player is not None
        values = begun(rating_system, values, found, find_player(games, player))
    inputs, own_title = view_of(name).filled(form, shaped, values, Filling(games, found, player))
    if form["view"] == "event":
        listed = [i for i, name in enumerate(inputs.tables["Players"]["Name"]) if name is not None]
        rated = sum(inputs.tables["Players"]["Rating"][i] is not None for i in listed)
        told = f"Start ratings: {rated} of {len(listed)} as given or as published in the log"
    else:
        told = starts_said(found, [find_player(games, player)] if player else players(games))
    options = _with_origins(options, name, values, told)
    return Book(form["name"], rating_system, values, inputs, title or own_title, options=options, further=further)


# What the front sheet of a book without games says of start ratings.
TYPED_STARTS = "Start ratings: those that are typed, and the initial rating of the settings where none is"


def _with_origins(options: Mapping[str, str] | None, name: str, settings: Settings, starts: str) -> dict[str, str]:
    """Return a book's options with what its front sheet says of where settings and start ratings come from."""
    if not view_of(name).has_settings:
        return dict(options or {})
    return {**(options or {}), SETTINGS_SAID: origins_said(settings), STARTS_SAID: starts}
