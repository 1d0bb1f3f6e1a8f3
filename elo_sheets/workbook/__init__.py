"""Workbooks: templates and inputs → plan → file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from elo_sheets.errors import UsageError
from elo_sheets.systems import Rules

MOST_ROWS = 100_000
# So that every pair of them has a number of its own.
MOST_PLAYERS = 5_000


def new_book(
    template: str,
    target: str | Path,
    *,
    system: str | Rules | None = None,
    settings: Mapping[str, object] | None = None,
    rows: int | None = None,
    players: int | None = None,
    profile: str | None = None,
    dialect: str = "portable",
    overwrite: bool = False,
) -> None:
    """Write an empty workbook, ready to type into.

    `system` is the template's first where it is not given; the template compare takes several, `elo,glicko2`,
    of which the settings are the first's unless they name another, `glicko2.tau`. `rows` is how many games it can hold
    (the template says how many by default), at most 100,000, and as many as 1,800,000 formula cells allow. `dialect` is
    `portable`, or `modern` for lists that are dynamic arrays, which need Excel 2021 or Microsoft 365; a template
    without such lists gives the portable book. `players` is how many players it can hold, where it lists players.
    `profile` names a sport, by whose words sides and results are called and whose system and settings count where none
    are given: a name, or the path of a TOML file.

    Raises `UsageError` for a template, system, setting or dialect that does not exist or does not fit, for too many
    rows and for players where it lists none, `OutputRefused` when the target exists and `overwrite` is not given.
    """
    from elo_sheets.files.save import refuse_unwritable
    from elo_sheets.replaying.settings import PROFILE, as_of_day
    from elo_sheets.workbook.build import blank_book, check_size, plan_book
    from elo_sheets.workbook.dialect import options
    from elo_sheets.workbook.sports.guessed import asked_profile
    from elo_sheets.workbook.templates import settings_asked, systems_asked, template_settings
    from elo_sheets.workbook.write import write_book

    if Path(target).suffix.lower() != ".xlsx":
        raise UsageError(f"expected an output ending in .xlsx, got {str(target)!r}")
    if rows is not None and not 1 <= rows <= MOST_ROWS:
        raise UsageError(f"expected from 1 to {MOST_ROWS} rows, got {rows}")
    if players is not None and not 2 <= players <= MOST_PLAYERS:
        raise UsageError(f"expected from 2 to {MOST_PLAYERS:,} players, got {players}")
    sport = asked_profile(template, profile, system)
    (rules, *further), asked = systems_asked(template, sport.system)
    settings, more = settings_asked(template, (rules, *further), settings or {})
    if rules.weights and "weights" in {name.strip().lower() for name in settings}:
        raise UsageError(
            "weights are those of a log's matches: in a book without games each match's weight is typed beside it; "
            "leave out --set weights=…, or make the book with import"
        )
    values = as_of_day(rules, template_settings(template, rules, settings).but(PROFILE, sport.settings))
    chosen = asked | more | options(dialect) | sport.option
    book = blank_book(template, rules, values, rows, chosen, further, players)
    refuse_unwritable(Path(target), overwrite=overwrite)
    plan = plan_book(book)
    check_size(plan, book)
    write_book(plan, Path(target), overwrite=overwrite)
