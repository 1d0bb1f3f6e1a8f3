"""What a journal begins with: an empty Log, or the games of a log, and the pools that they count for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from elo_sheets.systems import Repeat, System
from elo_sheets.workbook.book import Columns, Filling, Inputs, with_spare
from elo_sheets.workbook.journal.formulas import OPPONENT_RD
from elo_sheets.workbook.journal.goals import MILESTONE_ROWS
from elo_sheets.workbook.journal.rows import POOL_ROWS, inputs_from_games
from elo_sheets.workbook.plan import CellValue
from elo_sheets.workbook.sports.profiles import words_of
from elo_sheets.workbook.view import Form


def least_rows(form: Form, system: System) -> int:
    """Return the rows of an empty journal: fewer where each has an iteration of two hundred cells."""
    return int(form["rows_with_rounds" if any(isinstance(step, Repeat) for step in system.closing) else "rows"])


def new_journal(
    form: Form, settings: Mapping[str, Any], log: Columns, rows: int, pools: Sequence[tuple[str, float | None]] = ()
) -> Inputs:
    """Return what a journal with this Log begins with; `pools` are names and start ratings."""
    named = list(pools) or [(name, None) for name in form["pools"]]
    spare = max(POOL_ROWS, len(named) + 2) - len(named)
    initial = float(settings["initial"])
    marks: list[CellValue] = [100.0 * (initial // 100 + k) for k in range(1, MILESTONE_ROWS + 1)]
    bands: list[CellValue] = [*map(float, form["bands"]), None]
    tables: dict[str, Columns] = {
        "Log": log,
        "Pools": {
            "Pool": [name for name, _ in named] + [None] * spare,
            "Start rating": [start for _, start in named] + [None] * spare,
            "Start RD": [None] * (len(named) + spare),
        },
        "Bands": {"From": bands},
        "Milestones": {"Milestone": marks},
    }
    return Inputs(tables, {"pool_shown": named[0][0], "opponent_rd": OPPONENT_RD}, {"Ledger": rows})


def filled_journal(
    form: Form, labels: Sequence[str], system: System, settings: Mapping[str, Any], filling: Filling
) -> tuple[Inputs, str]:
    """Return the inputs of a player's games, and his name; `labels` are the typed columns of the Log.

    What the player starts from stands among the settings. A log of more than one pool gives each its first published
    rating. It stands on the sheet Pools too: a rating that the player has already counts for the highest one, an
    initial rating that a newcomer is given does not.
    """
    from elo_sheets.replaying.journal import journal_games

    player, start = filling.player, filling.start
    assert player is not None
    mine = journal_games(filling.games, player)
    first = start.states.get(mine["player"].iloc[0], {}).get("rating")
    rows = with_spare(len(mine), least_rows(form, system))
    names = [str(name) for name in mine["pool"].unique() if name] if "pool" in mine else []
    several = len(names) > 1
    log = inputs_from_games(mine, rows, several, words_of(form))
    pools: list[tuple[str, float | None]] = []
    for name in names if several else []:
        published = mine.loc[(mine["pool"] == name) & (mine["own_rating"] > 0), "own_rating"]
        pools.append((name, float(published.iloc[0]) if start.published and len(published) else None))
    if not several and first is not None:
        pools = [(name, None if at else first) for at, name in enumerate(form["pools"])]
    return new_journal(form, settings, {label: log[label] for label in labels}, rows, pools), mine["player"].iloc[0]
