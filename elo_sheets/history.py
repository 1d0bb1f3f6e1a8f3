"""The *history* table: one row per player per game, with every step of the rule.

`history_columns` is the contract. The names are those of the rule's states and steps; `System.label` turns them
into the headers of a sheet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

    from elo_sheets.systems import System

KEYS = {
    "game": "int64",
    "date": "datetime64[ns]",
    "player": "str",
    "opponent": "str",
    "colour": "str",
}


def history_columns(system: System) -> dict[str, str]:
    """Return the columns of a system's history and their dtypes, in order.

    The keys; the state before (own and opponent's); the score; the steps of the game; the sums of the period so
    far; the closing steps, of which those called `…_after` are the state after; and `games_played`, the number
    of the player's games up to this one.
    """
    states = [state.name for state in system.state]
    names = [*states, "opponent_rating", "score"]
    names += [step.__name__ for step in system.game]
    names += [f"period_{name}" for name in system.sums] + ["period_games"]
    names += [step.__name__ for step in system.closing]
    return KEYS | dict.fromkeys(names, "float64") | {"period_games": "int64", "games_played": "int64"}


class Replayed(NamedTuple):
    """What a replay gives: the history, and the final table.

    `ratings` has the columns player, rating, games, wins, draws, losses; highest rating first, equal ones by name.
    """

    history: pd.DataFrame
    ratings: pd.DataFrame
