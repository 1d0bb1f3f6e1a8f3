"""Games and a system in, history out.

Two views. In the *pool* every player's rating follows from the games. In a *journal* one player's rating
follows; the opponents' published ratings are inputs. Both players of a game are rated from the same snapshot:
the state at the start of the period, which is one game or one calendar month.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import check_games, identity, players
from elo_sheets.history import Replayed, history_columns
from elo_sheets.systems import Step, System, needs

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

States = Mapping[str, Mapping[str, float]]


def replay(
    games: pd.DataFrame,
    system: System,
    settings: Mapping[str, Any] | None = None,
    *,
    player: str | None = None,
    start: States | None = None,
) -> Replayed:
    """Return the history and the final ratings of the games under a system.

    `games` is a games table in the order of play. `settings` replace defaults of the system's parameters. With
    `player` the view is that player's journal, without it the pool. `start` gives players of a pool another
    state to start from: `{"Ann": {"rating": 1800}}`.

    A journal leaves out games of others and games whose opponent has no published rating (see `journal_games`).
    Raises `UsageError` for a setting or player that does not exist, `UnreadableInput` when a monthly period meets
    a game without a date.

    >>> from elo_sheets.games import make_games
    >>> from elo_sheets.systems import system
    >>> game = {"white": "Player 1", "black": "Player 2", "score": 1, "source": "doc", "source_row": 1}
    >>> replay(make_games([game]), system("elo")).ratings["rating"].tolist()
    [1510.0, 1490.0]
    """
    values = system.settings(settings)
    games = check_games(games)
    if player is not None:
        return replay_journal(journal_games(games, player), system, values)
    return _pool(games, system, values, start or {})


def find_player(games: pd.DataFrame, player: str) -> str:
    """Return the player's name as the games spell it; raises `UsageError` with the closest names."""
    import difflib

    everyone = players(games)
    names = {identity(name): name for name in everyone}
    found = player if player in everyone else names.get(identity(player))
    if found is None:
        near = [names[key] for key in difflib.get_close_matches(identity(player), names, 3, 0.5)]
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"no game of {player!r} in the log{hint}")
    return found


def journal_games(games: pd.DataFrame, player: str) -> pd.DataFrame:
    """Return the player's games from his side, one row each, in the order of play.

    Columns: `game`, `date`, `player`, `opponent`, `colour` (white or black), `score` (the player's),
    `own_rating` and `opponent_rating` (published before the game, the opponent's after it where the log has no
    other; NaN unknown), `event`, `source`, `source_row`.
    """
    import pandas as pd

    name = find_player(games, player)
    mine = games[(games["white"] == name) | (games["black"] == name)]
    white = (mine["white"] == name).to_numpy()

    def side(own: str, other: str) -> pd.Series:
        empty = pd.Series(float("nan"), index=mine.index)
        return mine.get(own, empty).where(white, mine.get(other, empty))

    published = side("black_rating", "white_rating")
    return pd.DataFrame(
        {
            "game": mine["game"],
            "date": mine["date"],
            "player": name,
            "opponent": mine["black"].where(white, mine["white"]),
            "colour": pd.Series(white, index=mine.index).map({True: "white", False: "black"}).astype(str),
            "score": mine["score"].where(white, 1 - mine["score"]),
            "own_rating": side("white_rating", "black_rating"),
            "opponent_rating": published.fillna(side("black_rating_after", "white_rating_after")),
            "event": mine["event"] if "event" in mine else "",
            "source": mine["source"],
            "source_row": mine["source_row"],
        }
    ).reset_index(drop=True)


def initial_rating(games: pd.DataFrame, player: str) -> float | None:
    """Return the player's first published rating in the log, or None where it has none before his first game."""
    own = journal_games(games, player)["own_rating"]
    return None if own.empty or own.isna().iloc[0] else float(own.iloc[0])


def period_keys(dates: pd.Series, sources: pd.Series, rows: pd.Series, period: str) -> np.ndarray[Any, Any]:
    """Return a number for each game that is equal within a period: the position, or year * 100 + month."""
    import numpy as np

    if period == "game":
        return np.arange(1, len(dates) + 1)
    if dates.isna().any():
        at = int(dates.isna().to_numpy().argmax())
        raise UnreadableInput(
            f"a monthly period needs the date of every game; {sources.iloc[at]}, row {rows.iloc[at]} has none "
            "(say --set period=game to rate game by game)"
        )
    return np.asarray(dates.dt.year * 100 + dates.dt.month)


def serial_days(dates: pd.Series) -> np.ndarray[Any, Any]:
    """Return dates as spreadsheet serial numbers, the time of day as fraction; an unknown date as 0."""
    import pandas as pd

    days = (dates - pd.Timestamp("1899-12-30")) / pd.Timedelta(days=1)
    return days.fillna(0.0).to_numpy()


def fuse(steps: Sequence[Step], inputs: Sequence[str]) -> Callable[..., tuple[float, ...]]:
    """Return one function of `inputs` that runs the steps in order and gives all their results.

    The function is generated source, as `dataclasses` and `namedtuple` do it: a call of each step by position.
    """
    lines = [f"    {step.__name__} = _{i}({', '.join(needs(step))})" for i, step in enumerate(steps)]
    results = "".join(f"{step.__name__}, " for step in steps)
    source = "\n".join([f"def fused({', '.join(inputs)}):", *lines, f"    return ({results})"])
    scope: dict[str, Any] = {f"_{i}": step for i, step in enumerate(steps)}
    exec(source, scope)
    fused: Callable[..., tuple[float, ...]] = scope["fused"]
    return fused


class _Rater:
    """One system with its settings, ready to rate one side of one game."""

    def __init__(self, system: System, settings: Mapping[str, Any]) -> None:
        self.system = system
        self.states = [state.name for state in system.state]
        self.game_names = [step.__name__ for step in system.game]
        self.sums = [self.game_names.index(name) for name in system.sums]
        closing_names = [step.__name__ for step in system.closing]
        self.after = [closing_names.index(f"{name}_after") for name in self.states]
        values = {name: value for name, value in settings.items() if name != "period"}
        opponent = [f"opponent_{name}" for name in self.states]
        given = [*self.states, *opponent, "score", "date", "year", *values]
        sums = [*(f"period_{name}" for name in system.sums), "period_games"]
        self.game = fuse(system.game, given)
        self.close = fuse(system.closing, [*given, *self.game_names, *sums])
        self.constants = tuple(values.values())

    def rate(
        self,
        own: tuple[float, ...],
        opponent: tuple[float, ...],
        score: float,
        date: float,
        year: float,
        sums: tuple[float, ...],
    ) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
        """Return the game's steps, the sums of the period with this game (its games last), the closing steps."""
        given = (*own, *opponent, score, date, year, *self.constants)
        steps = self.game(*given)
        added = (*(total + steps[i] for total, i in zip(sums, self.sums, strict=False)), sums[-1] + 1)
        return steps, added, self.close(*given, *steps, *added)

    def initial(self, settings: Mapping[str, Any], start: Mapping[str, float]) -> tuple[float, ...]:
        return tuple(float(start.get(s.name, settings[s.initial])) for s in self.system.state)


def _pool(games: pd.DataFrame, system: System, settings: Mapping[str, Any], start: States) -> Replayed:
    import pandas as pd

    rater = _Rater(system, settings)
    names = players(games)
    _check_start(start, names, rater.states)
    number = {name: i for i, name in enumerate(names)}
    state = [rater.initial(settings, start.get(name, {})) for name in names]
    after = list(state)
    nothing = (0.0,) * (len(rater.sums) + 1)
    sums = [nothing] * len(names)
    whites = games["white"].map(number).tolist()
    blacks = games["black"].map(number).tolist()
    scores = games["score"].tolist()
    dates = serial_days(games["date"]).tolist()
    years = games["date"].dt.year.fillna(0.0).tolist()
    keys = period_keys(games["date"], games["source"], games["source_row"], str(settings["period"])).tolist()
    rows: list[tuple[float, ...]] = []
    touched: list[int] = []
    previous = keys[0] if keys else None
    for key, white, black, score, date, year in zip(keys, whites, blacks, scores, dates, years, strict=True):
        if key != previous:
            previous = key
            for i in touched:
                state[i], sums[i] = after[i], nothing
            touched.clear()
        for own, opponent, result in ((white, black, score), (black, white, 1 - score)):
            before, other = state[own], state[opponent]
            try:
                steps, sums[own], closing = rater.rate(before, other, result, date, year, sums[own])
            except OverflowError:
                raise _too_far(before[0], other[0]) from None
            after[own] = tuple([closing[i] for i in rater.after])
            rows.append((*before, other[0], result, *steps, *sums[own], *closing))
        touched += (white, black)

    both = [name for pair in zip(games["white"], games["black"], strict=True) for name in pair]
    opponents = [name for pair in zip(games["black"], games["white"], strict=True) for name in pair]
    keys_frame = pd.DataFrame(
        {
            "game": games["game"].repeat(2).to_numpy(),
            "date": games["date"].repeat(2).to_numpy(),
            "player": both,
            "opponent": opponents,
            "colour": ["white", "black"] * len(games),
        }
    )
    final = {name: after[i][0] for name, i in number.items()}
    return _replayed(keys_frame, rows, system, final)


def replay_journal(games: pd.DataFrame, system: System, settings: Mapping[str, Any]) -> Replayed:
    """Return the history and final rating of one player from his games (the table of `journal_games`).

    `settings` holds a value for every parameter. Games whose opponent has no rating are left out.
    """
    rated = games[games["opponent_rating"].notna()].reset_index(drop=True)
    rater = _Rater(system, settings)
    if len(rater.states) > 1 and any("opponent_" in n and n != "opponent_rating" for n in _read_names(system)):
        raise UsageError(f"system {system.name} needs more of the opponents than their ratings: rate the pool")
    start = rater.initial(settings, {})
    state = after = start
    nothing = sums = (0.0,) * (len(rater.sums) + 1)
    keys = period_keys(rated["date"], rated["source"], rated["source_row"], str(settings["period"])).tolist()
    dates = serial_days(rated["date"]).tolist()
    years = rated["date"].dt.year.fillna(0.0).tolist()
    rows: list[tuple[float, ...]] = []
    previous = None
    unknown = start[1:]  # no rule of a journal reads more of the opponent than the rating
    for key, rating, score, date, year in zip(
        keys, rated["opponent_rating"].tolist(), rated["score"].tolist(), dates, years, strict=True
    ):
        if key != previous:
            previous, state, sums = key, after, nothing
        try:
            steps, sums, closing = rater.rate(state, (rating, *unknown), score, date, year, sums)
        except OverflowError:
            raise _too_far(state[0], rating) from None
        after = tuple([closing[i] for i in rater.after])
        rows.append((*state, rating, score, *steps, *sums, *closing))
    keys_frame = rated[["game", "date", "player", "opponent", "colour"]]
    names = games["player"].unique().tolist()
    return _replayed(keys_frame, rows, system, dict.fromkeys(names, after[0]))


def _check_start(start: States, names: Sequence[str], states: Sequence[str]) -> None:
    for name, state in start.items():
        if name not in names:
            raise UsageError(f"the start state names {name!r}, who plays no game")
        for key in state:
            if key not in states:
                raise UsageError(f"the start state of {name!r} gives {key!r}; a player has {', '.join(states)}")


def _too_far(rating: float, opponent: float) -> UsageError:
    return UsageError(f"ratings {rating:g} and {opponent:g} are too far apart to be compared: is the scale too small?")


def _read_names(system: System) -> set[str]:
    return {name for step in system.game + system.closing for name in needs(step)}


def _replayed(
    keys: pd.DataFrame, rows: Sequence[tuple[float, ...]], system: System, final: Mapping[str, float]
) -> Replayed:
    import numpy as np
    import pandas as pd

    columns = history_columns(system)
    names = [name for name in columns if name not in keys and name != "games_played"]
    values = np.array(rows, dtype="float64").reshape(len(rows), len(names))
    history = pd.concat([keys.reset_index(drop=True), pd.DataFrame(values, columns=names)], axis=1)
    history["games_played"] = history.groupby("player", sort=False).cumcount() + 1
    history = history[list(columns)].astype(columns)
    return Replayed(history, final_ratings(history, final))


def final_ratings(history: pd.DataFrame, final: Mapping[str, float]) -> pd.DataFrame:
    """Return the final table of a history, with the rating of every player that `final` names."""
    import pandas as pd

    table = pd.DataFrame({"player": list(final), "rating": list(final.values())})
    counts = {"games": history["score"] >= 0, "wins": history["score"] == 1, "draws": history["score"] == 0.5}
    counts["losses"] = history["score"] == 0
    for name, counted in counts.items():
        table[name] = table["player"].map(counted.groupby(history["player"]).sum()).fillna(0).astype("int64")
    table = table.sort_values(["rating", "player"], ascending=[False, True], kind="stable")
    return table.reset_index(drop=True).astype({"player": "str", "rating": "float64"})
