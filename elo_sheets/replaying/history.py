"""The *history* table: one row per player per game, with every step of the rule.

`history_columns` is the contract. The names are those of the rule's states and steps; `System.label` turns them
into the headers of a sheet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from elo_sheets._late import pd
from elo_sheets.errors import UsageError

if TYPE_CHECKING:
    from elo_sheets.systems import System

# Games of a player that tell more of the rule's beginning than of the rule.
BURN_IN = 5

KEYS = {
    "game": "int64",
    "date": "datetime64[ns]",
    "player": "str",
    "opponent": "str",
    "colour": "str",
    "period": "int64",  # rises with the rating periods
}


def history_columns(system: System) -> dict[str, str]:
    """Return the columns of a system's history and their dtypes, in order.

    The keys; the state before and the opening steps; the opponent's rating and whatever else of his the steps read;
    the score and the other inputs that they read; the steps of the game and the forecast; the sums of the period so
    far; the closing steps, of which those called `…_after` are the state after; and `games_played`, the number of the
    player's games up to this one.
    """
    from elo_sheets.systems import GAME_INPUTS, PERIOD_INPUTS, Repeat, lines

    own = [state.name for state in system.state] + [line.name for line in lines(system.opening)]
    others = [f"opponent_{name}" for name in own]
    names = [*own, *(name for name in others if name == "opponent_rating" or name in system.reads), "score"]
    inputs = (*GAME_INPUTS, *PERIOD_INPUTS)
    names += [name for name in inputs if name in system.reads and name not in {"score", "date", "year"}]
    names += [line.name for line in lines((*system.game, *system.forecast))]
    names += [f"period_{name}" for name in system.sums] + ["period_games"]
    for step in system.closing:
        names += [s.__name__ for s in step.start] if isinstance(step, Repeat) else [step.__name__]
    return KEYS | dict.fromkeys(names, "float64") | {"period_games": "int64", "games_played": "int64"}


class Replayed(NamedTuple):
    """What a replay gives: the history, and the final table.

    `ratings` has the columns player, rating, games, wins, draws, losses and one for each further state (called
    `<state>_after` where its name is taken); best rating first, equal ones by name.
    """

    history: pd.DataFrame
    ratings: pd.DataFrame

    @property
    def fitted(self) -> dict[str, float]:
        """The settings that were fitted with the ratings, by name; empty where all are as given."""
        attrs = self.ratings.attrs
        return {name: float(attrs[name]) for name in attrs.get("fitted", ())}


def forecast_column(system: System) -> str:
    """Return the column that holds the score which the rule expects of a game.

    Raises `UsageError` for a system without one.
    """
    if system.forecast:
        return system.forecast[-1].__name__
    if not any(step.__name__ == "expected" for step in system.game):
        raise UsageError(f"system {system.name} expects no score of a game: it cannot predict")
    return "expected"
