"""A rating period as joins and a group-by, the form that a data frame library or a distributed engine can run.

The loop of `replay` is the fast way on one machine. This is the same rule over columns: the states of both players are
joined to the games, the steps compute whole columns, the sums are a group-by, and the closing steps are columns again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elo_sheets._late import np, pd
from elo_sheets.errors import UsageError
from elo_sheets.replaying.settings import resolve
from elo_sheets.systems import System, lines


def rate_period(
    states: pd.DataFrame,
    games: pd.DataFrame,
    system: System,
    settings: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """Return the states of all players after one rating period.

    `states` has the players as its index and a column for each state and per-player setting, and for `elapsed`,
    `days`, `seasons`, `date` and `year` where the rule reads them. `games` has `white`, `black`, White's `score`, and
    a column for each further input that the steps read, as White sees it (`points`, `opponent_points`, `neutral`, …).
    Players without a game keep their states: what grows while they are idle is the opening steps' matter when they
    play again.
    Raises `UsageError` when a column is missing.
    """
    values = resolve(system, settings)
    system = system.shaped(values)
    who = states.loc[states.index.isin(games["white"]) | states.index.isin(games["black"])]
    columns: dict[str, Any] = {**values, **{name: who[name].to_numpy() for name in who.columns}}
    _run(lines(system.opening), columns, len(who))
    own = {name: pd.Series(value, index=who.index) for name, value in columns.items() if isinstance(value, np.ndarray)}

    def side(player: str, opponent: str, sign: float) -> pd.DataFrame:
        table: dict[str, Any] = dict(values)
        table |= {name: games[player].map(column).to_numpy() for name, column in own.items()}
        table |= {f"opponent_{name}": games[opponent].map(column).to_numpy() for name, column in own.items()}
        for name in set(games.columns) - {"white", "black", "score", "points", "opponent_points", "shootout"}:
            table[name] = games[name].to_numpy()
        table["side"] = np.full(len(games), sign)
        table["score"] = games["score"].to_numpy() if sign > 0 else 1 - games["score"].to_numpy()
        if "points" in games:
            both = games["points"].to_numpy(), games["opponent_points"].to_numpy()
            table["points"], table["opponent_points"] = both if sign > 0 else both[::-1]
        if "shootout" in games:
            table["shootout"] = sign * games["shootout"].to_numpy()
        _run(lines(system.game), table, len(games))
        sums = {name: table[name] for name in system.sums}
        return pd.DataFrame({"player": games[player].to_numpy(), "period_games": 1.0, **sums})

    rows = pd.concat([side("white", "black", 1.0), side("black", "white", -1.0)])
    total = rows.groupby("player", sort=False).sum().reindex(who.index)
    columns |= {f"period_{name}": total[name].to_numpy() for name in system.sums}
    columns["period_games"] = total["period_games"].to_numpy()
    _run(lines(system.closing), columns, len(who))
    after = states.copy()
    for state in system.state:
        after[state.name] = after[state.name].astype("float64")
        after.loc[who.index, state.name] = columns[f"{state.name}_after"]
    return after


def _run(found: Any, columns: dict[str, Any], rows: int) -> None:
    """Compute the lines as columns beside those they read."""
    for line in found:
        missing = [name for name in line.reads if name not in columns]
        if missing:
            raise UsageError(f"step {line.name} reads {missing[0]!r}, which neither the states nor the games give")
        columns[line.name] = np.broadcast_to(line.step(*(columns[name] for name in line.reads)), (rows,))
