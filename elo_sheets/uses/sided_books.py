"""Logs of doubles, teams or tables in, a filled workbook out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from elo_sheets.errors import UsageError
from elo_sheets.files.save import check_output, refuse_unwritable
from elo_sheets.games import Problem
from elo_sheets.readers import HowRead
from elo_sheets.replaying.settings import PROFILE, Settings, origins_said, settings_notes
from elo_sheets.replaying.starting import Start, starts_said
from elo_sheets.systems import Rules
from elo_sheets.systems.sides import SidedSystem
from elo_sheets.team_games import TeamGamesRead, shape_of, team_players
from elo_sheets.uses.sided import error_of_sides, of_winners, read_sided_logs, sided_starts
from elo_sheets.workbook.book import SETTINGS_SAID, STARTS_SAID, Book, Filling
from elo_sheets.workbook.build import check_size, plan_book
from elo_sheets.workbook.fits import check_fits, view_of
from elo_sheets.workbook.sourced import form_of
from elo_sheets.workbook.sports.guessed import asked_profile, name_in, with_draws
from elo_sheets.workbook.templates import settings_asked, systems_asked, template_settings
from elo_sheets.workbook.write import write_book


def template_for(log: TeamGamesRead) -> str:
    """Return the template that holds the games of a log; raises `UsageError` where none does."""
    sides, size = shape_of(log.games)
    if size <= 1:  # none where no row is a game
        return "table"
    if sides == 2 and size <= 4:
        return f"league-{size}x{size}"
    raise UsageError(
        f"no template holds games of {sides} sides of up to {size} players: a league has two sides of up to four, a "
        "table up to eight players, each on their own; replay takes them all"
    )


def sided_book(
    name: str, log: TeamGamesRead, system: Rules, values: Settings, start: Start, chosen: Mapping[str, str]
) -> tuple[Book, list[str]]:
    """Return the book of a template for games of sides that holds the games of a log, and remarks.

    `chosen` are further options of the book: the words of a sport, and what it remembers of names.
    """
    form = form_of(name, chosen)
    shaped = check_fits(name, system, values)
    assert isinstance(shaped, SidedSystem)
    found = sided_starts(start, shaped, team_players(log.games), values)
    inputs, title = view_of(name).filled(form, shaped, values, Filling(log.games, found))
    told = {SETTINGS_SAID: origins_said(values), STARTS_SAID: starts_said(found, team_players(log.games)), **chosen}
    return Book(form["name"], system, values, inputs, title, options=told), list(found.notes)


def read_for_book(logs: Sequence[Any], how: HowRead) -> TeamGamesRead:
    """Return the games of sides of logs; raises `UsageError` for logs of games of two players."""
    if (error := error_of_sides(logs, how)) is not None:
        return read_sided_logs(error, logs, how)
    raise UsageError("the log holds games of two players, each on their own: take --template league, without --sides")


def import_sided(
    name: str | None,
    logs: Sequence[Any],
    target: str | Path,
    log: TeamGamesRead,
    system: str | Rules | None,
    settings: Mapping[str, object] | None,
    start: Start,
    profile: str | None,
    who: Mapping[str, str],
    dry_run: bool,
    overwrite: bool,
) -> tuple[int, str | None, list[str], Settings, list[Problem], dict[str, str]]:
    """Write the workbook of games of sides; returns what `Imported` holds behind the log."""
    name = name or template_for(log)
    sport = asked_profile(name, profile, system)
    (rules, *further), _ = systems_asked(name, sport.system)
    settings, said = of_winners(log, rules, settings)
    own, _ = settings_asked(name, (rules, *further), settings or {})
    values = template_settings(name, rules, own).but(PROFILE, sport.settings)
    check_output(str(target), list(logs), ".xlsx")
    if not dry_run:
        refuse_unwritable(Path(target), overwrite=overwrite)
    notes = [*log.notes, *([said] if said else []), *settings_notes(rules, values)]
    if log.games.empty:
        return 0, None, notes, values, [], {}
    words = with_draws(sport.words, _drawn(log), notes)
    book, more = sided_book(name, log, rules, values, start, {**words, **who})
    plan = plan_book(book)
    check_size(plan, book)
    if not dry_run:
        write_book(plan, Path(target), overwrite=overwrite)
    made = {"template": book.template, "system": rules.name, "profile": name_in(words)}
    return len(team_players(log.games)), None if dry_run else str(target), [*notes, *more], values, [], made


def _drawn(log: TeamGamesRead) -> int:
    """Return in how many games of a log all sides share the first place."""
    return int((log.games.groupby("game")["place"].nunique() == 1).sum())
