"""Games and a system in, history out.

Two views. In the *pool* every player's rating follows from the games. In a *journal* one player's rating
follows; the opponents' published ratings are inputs. Both players of a game are rated from the same snapshot:
the state at the start of the period, which is a game, an event, a month, a year, or what a column of the log says.

Tables are at the edge: `replay_arrays` underneath takes and gives arrays and needs no more memory than the players
and the columns asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from elo_sheets._late import Array, np, pd
from elo_sheets._memory import give_back
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import check_games, find_player, numbered_players, players
from elo_sheets.replaying.history import KEYS, Replayed, history_columns
from elo_sheets.replaying.journal import journal_games
from elo_sheets.replaying.periods import check_present, event_codes, period_keys, season_numbers, serial_days
from elo_sheets.replaying.settings import resolve
from elo_sheets.replaying.starting import Start, as_settings, personal, starts
from elo_sheets.replaying.weighing import weighted
from elo_sheets.systems import GAME_INPUTS, Fit, JointSystem, PeriodGames, Rules, System

States = Mapping[str, Mapping[str, float]]

# From so many games on, times the letters of the loop, what numba takes to be imported and to compile is won back: 1.5
# million games of `elo`, 170,000 of `glicko2`. Each letter takes about half a nanosecond.
WORTH_COMPILING = 1_300_000_000

# When a player was last seen before a log, and what reads it; arrays may give the period itself.
LAST_SEEN = {"last_date": frozenset({"days", "elapsed"}), "last_season": frozenset({"seasons"})}
_LAST = (*LAST_SEEN, "last_period")

# Without numba the games pass through lists, so many at a time: few enough to stay in the processor's own memory.
_CHUNK = 4_096


def replay(
    games: pd.DataFrame,
    system: Rules,
    settings: Mapping[str, Any] | None = None,
    *,
    player: str | None = None,
    start: Start = None,
    history: bool = True,
    compiled: bool | None = None,
) -> Replayed:
    """Return the history and the final ratings of the games under a system.

    `games` is a games table in the order of play. `settings` replace defaults of the system's parameters. With
    `player` the view is that player's journal, without it the pool. `start` says what players start from (see
    `starts`): unless it is "none", that is their first published rating where the system's federation publishes
    ratings, and in a journal. A mapping gives ratings, or states and settings of a player's own:
    `{"Ann": {"rating": 1800, "born": 2001}}`; where the rule asks for the time since the last game, also `last_date`
    (the day of the last game before the log, as a serial number) and `last_season`. Without `history` that
    table stays empty and costs no memory. `compiled` runs the loop through numba (extra `fast`) or not; the results
    are the same, and None chooses by the number of games.

    A journal leaves out games of others and games whose opponent has no published rating (see `journal_games`).
    Raises `UsageError` for a setting or player that does not exist, `UnreadableInput` when the period or a step needs
    what a game does not say.

    >>> from elo_sheets.games import make_games
    >>> from elo_sheets.systems import system
    >>> game = {"white": "Player 1", "black": "Player 2", "score": 1, "source": "doc", "source_row": 1}
    >>> replay(make_games([game]), system("elo")).ratings["rating"].tolist()
    [1510.0, 1490.0]
    """
    values = resolve(system, settings)
    games = weighted(check_games(games), system, values)
    if player is not None and not isinstance(system, System):
        raise UsageError(f"system {system.name} rates a whole pool: leave out the player")
    states = starts(start, system, games, values.typed, player=player).states
    if player is not None:
        assert isinstance(system, System)
        own = as_settings(system, states.get(find_player(games, player), {}))
        return replay_journal(journal_games(games, player), system, {**values, **own})
    if isinstance(system, Fit):
        return _fitted(games, system, values)
    if isinstance(system, JointSystem):
        return _joint(games, system, values, states)
    assert isinstance(system, System)
    rule = system.shaped(values)
    arrays, names = game_arrays(games, rule, values)
    if not history:
        games = games.iloc[:0].copy()  # the rest is free for what else the caller does not need
    return _pool(games, arrays, names, rule, values, states, history, compiled)


@dataclass
class GameArrays:
    """Games as arrays of equal length, in the order of play.

    `white` and `black` number the players from 0 to `players` - 1; `score` is White's. `period` is 0 or more and rises
    with time (games are rated in its order); None makes each game a period. `inputs` holds what else steps read, by the
    names of `GAME_INPUTS`, as White sees it. In a journal `black` is left out of account and `opponent_rating` given.
    """

    white: Array
    black: Array
    score: Array
    players: int
    period: Array | None = None
    date: Array | None = None
    year: Array | None = None
    season: Array | None = None
    event: Array | None = None
    opponent_rating: Array | None = None
    inputs: Mapping[str, Array] = field(default_factory=dict)


def replay_arrays(
    games: GameArrays,
    system: System,
    settings: Mapping[str, Any] | None = None,
    *,
    start: Mapping[str, Array] | None = None,
    columns: Sequence[str] = (),
    compiled: bool | None = None,
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Return the players' final states, and the history columns asked for.

    The states are arrays with an element a player, by name; so are `start`'s states and per-player settings, where
    given. Each history column has two elements a game, White's first (in a journal one, the owner's). Cost: some 50
    nanoseconds a game compiled, 20 times that without numba.

    >>> import numpy as np
    >>> from elo_sheets.systems import system
    >>> games = GameArrays(np.array([0, 0]), np.array([1, 2]), np.array([1.0, 0.5]), players=3)
    >>> replay_arrays(games, system("elo"))[0]["rating"].round(2).tolist()
    [1509.71, 1490.0, 1500.29]
    """
    values = resolve(system, settings)
    shaped = system.shaped(values)
    _check_arrays(games, shaped, start or {}, columns)
    return _run(games, shaped, values, start or {}, columns, compiled)


def _check_arrays(games: GameArrays, system: System, start: Mapping[str, Array], columns: Sequence[str]) -> None:
    """Raise `UsageError` for arrays that do not fit together: compiled code would not notice."""
    count = len(games.score)
    given = {"white": games.white, "black": games.black, "period": games.period, "date": games.date}
    given |= {"year": games.year, "season": games.season, "event": games.event, **games.inputs}
    for name, array in given.items():
        if array is not None and len(array) != count:
            raise UsageError(f"expected {count} elements of {name}, one a game, got {len(array)}")
    for name, side in {"white": games.white, "black": games.black}.items():
        if count and (int(side.min()) < 0 or int(side.max()) >= games.players):
            raise UsageError(f"expected the players of {name} to be numbers from 0 to {games.players - 1}")
    if games.period is not None and count and int(games.period.min()) < 0:
        raise UsageError("expected periods of 0 or more")
    own = personal(system)
    for name, array in start.items():
        if name not in {*own, *_LAST} or len(array) != games.players:
            known = ", ".join((*own, *_LAST))
            raise UsageError(f"expected start to give {games.players} of {known}, got {len(array)} of {name!r}")
    stored = history_columns(system)
    for name in columns:
        if name not in stored or name in KEYS or name == "games_played":
            raise UsageError(f"system {system.name} has no history column {name!r}")


def _run(
    games: GameArrays,
    system: System,
    values: Mapping[str, Any],
    start: Mapping[str, Array],
    columns: Sequence[str],
    compiled: bool | None,
) -> tuple[dict[str, Array], dict[str, Array]]:

    from elo_sheets.replaying.loop import Loop

    count = len(games.score)
    journal = games.opponent_rating is not None
    absent = frozenset(GAME_INPUTS) - games.inputs.keys()
    loop = Loop(system, values, games.period is None, journal, tuple(columns), absent)
    if compiled is None:
        compiled = _is_worth_compiling(count, loop)
    run, arguments, hoisted = loop.make(compiled)

    whole: dict[str, Any] = _each_player(games.players, arguments, system, values, start)
    whole |= {f"h_{name}": value for name, value in hoisted.items()}
    each = _each_game(games, arguments, system)
    if "w_pair" in arguments:
        pairs = _event_pairs(games)
        each |= {"w_pair": pairs[0], "b_pair": pairs[1]}
        many = int(pairs.max(initial=-1)) + 1
        whole |= {"widest_gap": np.full(many, -1.0), "widest_game": np.full(many, -1)}
    sides = 1 if journal else 2
    stored = {name: np.empty(sides * count) for name in columns}
    order = None
    if games.period is not None and (games.period[1:] < games.period[:-1]).any():
        order = np.argsort(games.period, kind="stable")
        each = {name: array[order] for name, array in each.items()}

    def call(low: int, high: int, given: Mapping[str, Any]) -> None:
        parts = {"start": low, "stop": high, **given}
        try:
            run(*(parts[name] for name in arguments))
        except OverflowError:
            raise _too_far(system) from None
        except (ValueError, ZeroDivisionError) as error:
            raise UsageError(f"system {system.name} cannot go on with these settings and ratings: {error}") from None

    def put(low: int, high: int, found: Mapping[str, Any]) -> None:
        for name in columns:
            part = np.asarray(found[f"H_{name}"]).reshape(-1, sides)
            stored[name].reshape(-1, sides)[slice(low, high) if order is None else order[low:high]] = part

    if compiled:
        found: dict[str, Any] = {
            f"H_{name}": stored[name] if order is None else np.empty(sides * count) for name in columns
        }
        call(0, count, {**whole, **each, **found})
        if order is not None:
            put(0, count, found)
    else:
        once = {"white", "black", "score"} if games.period is None else set()  # the loop goes over them as they are
        lists = {name: value.tolist() if hasattr(value, "tolist") else value for name, value in whole.items()}
        for low, high in _chunks(count, each.get("period")):
            part: dict[str, Any] = {name: array[low:high] for name, array in each.items()}
            part = {name: array.data if name in once else array.tolist() for name, array in part.items()}
            found = {f"H_{name}": [0.0] * (sides * (high - low)) for name in columns}
            call(0, high - low, {**lists, **part, **found})
            put(low, high, found)
        whole = lists
    final = {state.name: np.asarray(whole[f"s_{state.name}"], "float64") for state in system.state}
    for array in final.values():
        if not np.isfinite(array).all():
            raise _too_far(system)
    return final, stored


def worth_compiling(games: int, system: System, settings: Mapping[str, Any]) -> bool:
    """Tell whether a form of a system is worth being compiled for so many games, and numba is there."""
    from elo_sheets.replaying.loop import Loop

    return _is_worth_compiling(games, Loop(system, settings, settings["period"] == "game"))


def _is_worth_compiling(games: int, loop: Any) -> bool:
    from importlib.util import find_spec

    return games * loop.letters >= WORTH_COMPILING and find_spec("numba") is not None


def _each_player(
    players: int, arguments: Sequence[str], system: System, values: Mapping[str, Any], start: Mapping[str, Array]
) -> dict[str, Any]:
    """Return the settings, and the arrays with an element a player that the loop reads and writes."""
    zero = np.zeros(players)
    whole: dict[str, Any] = {f"p_{name}": float(value) for name, value in values.items() if not isinstance(value, str)}
    for name, parameter in personal(system).items():
        whole[f"s_{name}"] = np.array(start.get(name, np.full(players, float(values[parameter]))), "float64")
    whole |= {name: np.array(start.get(name, zero), "float64") for name in ("last_date", "last_season")}
    whole |= {"last_period": np.array(start.get("last_period", np.full(players, -1)), "int64")}
    whole |= {"seen": np.full(players, -1)}
    whole |= {"touched": np.zeros(players + 1, "int64"), "last_game": np.zeros(players, "int64")}
    return whole | {name: zero.copy() for name in arguments if name[:2] in {"O_", "I_", "T_"}}


def _each_game(games: GameArrays, arguments: Sequence[str], system: System) -> dict[str, Array]:
    """Return the arrays with an element a game that the loop asks for."""
    count = len(games.score)
    each: dict[str, Array] = {"white": games.white, "black": games.black, "score": games.score}
    if games.period is not None:
        each["period"] = games.period
    known = {"date": games.date, "year": games.year, "season": games.season, "opponent_rating": games.opponent_rating}
    known |= {"side": games.inputs.get("side")}
    for name in arguments:
        if name in known:
            array = known[name]
            each[name] = np.zeros(count) if array is None else array
        elif name.startswith("g_"):
            array = games.inputs.get(name[2:])
            if array is None:
                raise UsageError(f"system {system.name} needs {name[2:].replace('_', ' ')} of every game")
            each[name] = np.asarray(array, "float64")
    return each


def _event_pairs(games: GameArrays) -> Array:
    """Return, for White and Black of each game, the number of the player's event within the period."""
    assert games.period is not None
    event = np.zeros(len(games.score), "int64") if games.event is None else games.event
    keys = [np.stack([games.period, event, side], 1) for side in (games.white, games.black)]
    pairs: Array = np.unique(np.concatenate(keys), axis=0, return_inverse=True)[1]
    return pairs.reshape(2, -1)


def _chunks(count: int, period: Array | None) -> list[tuple[int, int]]:
    """Return the bounds of pieces that break no period."""
    bounds = [0]
    while count - bounds[-1] > _CHUNK:
        high = bounds[-1] + _CHUNK
        if period is not None:
            high = int(np.searchsorted(period, period[high - 1], side="right"))
        bounds.append(high)
    return [(low, high) for low, high in zip(bounds, [*bounds[1:], count], strict=True) if low < high]


def _pool(
    games: pd.DataFrame,
    arrays: GameArrays,
    names: list[str],
    system: System,
    values: Mapping[str, Any],
    start: States,
    history: bool,
    compiled: bool | None,
) -> Replayed:
    give_back(len(arrays.score))
    columns = [name for name in history_columns(system) if name not in KEYS and name != "games_played"]
    given = start_arrays(start, names, system, values)
    if "last_date" in given and values["period"] in {"month", "year"}:
        given["last_period"] = _last_periods(given["last_date"], arrays, str(values["period"]))
    final, stored = _run(arrays, system, values, given, columns if history else (), compiled)
    table = _final_table(arrays, names, final, system)
    if not history:
        arrays.period = _nothing("int64")
        stored = dict.fromkeys(columns, _nothing())
    keys = _both_sides(games, arrays.period)
    return Replayed(_history(keys, stored, history_columns(system)), table)


def _last_periods(last_date: Array, games: GameArrays, period: str) -> Array:
    """Return the period before the log in which each player played last, -1 where that is not known."""
    assert games.period is not None
    days = pd.Series(pd.to_datetime(last_date, unit="D", origin="1899-12-30"))
    found = (days.dt.year if period == "year" else 12 * days.dt.year + days.dt.month - 1).to_numpy("int64")
    first = np.full(games.players, np.iinfo("int64").max)
    for side in (games.white, games.black):
        np.minimum.at(first, side, games.period)
    return np.where(last_date > 0, np.minimum(found, first - 1), -1)


def _nothing(dtype: str = "float64") -> Array:
    return np.empty(0, dtype)


def game_arrays(
    games: pd.DataFrame, system: System | JointSystem, values: Mapping[str, Any]
) -> tuple[GameArrays, list[str]]:
    """Return the games as arrays for a system with its settings, and the players' names by number.

    Raises `UnreadableInput` or `UsageError` when a game lacks what the period or a step needs.
    """
    give_back(len(games))
    sides, found = numbered_players(games)
    reads = system.reads if isinstance(system, System) else {"date", "year", "days", "handicap", "komi"}
    period = str(values["period"])
    score = games["score"].to_numpy("float64", copy=True)  # the table shall not live on in it
    arrays = GameArrays(sides[:, 0], sides[:, 1], score, len(found))
    if period != "game":
        arrays.period = period_keys(games, period)
    if reads & {"date", "days"}:
        arrays.date = serial_days(games["date"])
    if "year" in reads:
        arrays.year = games["date"].dt.year.fillna(0.0).to_numpy("float64")
    if "seasons" in reads:
        arrays.season = season_numbers(games)
    if "widest" in reads:
        arrays.event = event_codes(games)
    arrays.inputs = _game_inputs(games, reads, system)
    return arrays, found


def _game_inputs(games: pd.DataFrame, reads: AbstractSet[str], system: System | JointSystem) -> dict[str, Array]:
    """Return what else the steps read of each game, by the names of `GAME_INPUTS`; what no game gives is left out."""
    inputs: dict[str, Array] = {}
    columns = {"points": "white_points", "opponent_points": "black_points"}
    for name in GAME_INPUTS:
        column = columns.get(name, name)
        if name not in reads or name in {"score", "side", "widest"}:
            continue
        default = GAME_INPUTS[name]
        if column not in games:
            if default is None:
                raise UsageError(f"system {system.name} needs the goals or points of both sides: map {column}")
            continue
        numbers = games[column].astype("float64")
        if default is None:
            needed = f"system {system.name} needs the points of both sides in every game"
            check_present(games, numbers.notna(), needed, "of a shoot-out the score before it, as in 1-1 (4-5 pens)")
        inputs[name] = np.asarray(numbers.fillna(default or 0.0), "float64")
    return inputs


def start_arrays(
    start: States, names: Sequence[str], system: System | JointSystem, values: Mapping[str, Any]
) -> dict[str, Array]:
    """Return the states of players as arrays, in the order of `names`, as far as any player has one of his own."""
    own = personal(system)
    reads = system.reads if isinstance(system, System) else frozenset()
    last = {name for name, asking in LAST_SEEN.items() if asking & reads}
    known = {name: i for i, name in enumerate(names)}
    given = {
        name: np.full(len(names), float(values[own[name]]) if name in own else 0.0)
        for name in (*own, *last)
        if any(name in state for state in start.values())
    }
    for player, state in start.items():
        if player not in known:
            raise UsageError(f"the start state names {player!r}, who plays no game")
        for name, value in state.items():
            if name in last:
                given[name][known[player]] = float(value)
                continue
            if name not in own:
                has = ", ".join((*own, *sorted(last)))
                raise UsageError(f"the start state of {player!r} gives {name!r}; a player has {has}")
            parameter = next(p for p in system.parameters if p.name == own[name])
            try:
                given[name][known[player]] = float(parameter.read(value))
            except UsageError as error:
                raise UsageError(f"the start state of {player!r}, {name}: {error}") from None
    return given


def _both_sides(games: pd.DataFrame, period: Array | None) -> pd.DataFrame:
    """Return the keys of the history of a pool: two rows a game. Without periods each game is one."""
    periods = np.arange(len(games)) if period is None else period
    return pd.DataFrame(
        {
            "game": games["game"].repeat(2).to_numpy(),
            "date": games["date"].repeat(2).to_numpy(),
            "player": games[["white", "black"]].to_numpy().ravel(),
            "opponent": games[["black", "white"]].to_numpy().ravel(),
            "colour": ["white", "black"] * len(games),
            "period": np.repeat(periods, 2),
        }
    )


def _history(keys: pd.DataFrame, columns: Mapping[str, Array], dtypes: Mapping[str, str]) -> pd.DataFrame:
    history = pd.concat([keys.reset_index(drop=True), pd.DataFrame(dict(columns))], axis=1)
    history["games_played"] = history.groupby("player", sort=False).cumcount() + 1
    return history[list(dtypes)].astype(dict(dtypes))


def replay_journal(games: pd.DataFrame, system: System, settings: Mapping[str, Any]) -> Replayed:
    """Return the history and final rating of one player from his games (the table of `journal_games`).

    `settings` holds a value for every parameter. Games whose opponent has no rating are left out.
    """
    system = system.shaped(settings)
    _check_journal(system)
    rated = games[games["opponent_rating"].notna()].reset_index(drop=True)
    period = str(settings["period"])
    count = len(rated)
    nobody = np.zeros(count, "int64")
    arrays = GameArrays(
        nobody,
        nobody,
        rated["score"].to_numpy("float64"),
        1,
        None if period == "game" else period_keys(rated, period),
        serial_days(rated["date"]),
        rated["date"].dt.year.fillna(0.0).to_numpy("float64"),
        season_numbers(rated) if "seasons" in system.reads else None,
        event_codes(rated) if "widest" in system.reads else None,
        rated["opponent_rating"].to_numpy("float64"),
        {"side": np.where(rated["colour"] == "black", -1.0, 1.0), **_game_inputs(rated, system.reads, system)},
    )
    columns = history_columns(system)
    stored_names = [name for name in columns if name not in KEYS and name != "games_played"]
    final, stored = _run(arrays, system, settings, {}, stored_names, None)
    keys = rated[[name for name in KEYS if name != "period"]]
    history = _history(
        keys.assign(period=np.arange(count) if arrays.period is None else arrays.period), stored, columns
    )
    names = [str(name) for name in games["player"].unique()]
    return Replayed(history, _final_table(arrays, names, final, system))


def _check_journal(system: System) -> None:
    """Raise `UsageError` when the rule reads what a journal does not know."""
    given = {"opponent_rating", "opponent_start_rating", "opponent_points"}
    own = {f"opponent_{name}" for name in personal(system)} | {f"opponent_{s.__name__}" for s in system.opening}
    if system.reads & own - given:
        raise UsageError(f"system {system.name} needs more of the opponents than their ratings: rate the pool")
    if system.reads & {"points", "opponent_points"}:
        raise UsageError(f"system {system.name} needs the points of every game: rate the pool")


def _too_far(system: Rules) -> UsageError:
    return UsageError(
        f"ratings of system {system.name} grow too far apart to be compared: is the scale too small, or K too large?"
    )


def _final_table(games: GameArrays, names: Sequence[str], final: Mapping[str, Array], system: Rules) -> pd.DataFrame:
    """Return the final table of a replay."""
    journal = games.opponent_rating is not None
    sides = [(games.white, games.score)] if journal else [(games.white, games.score), (games.black, 1 - games.score)]

    def count(wanted: float | None) -> Array:
        total = np.zeros(len(names), "int64")
        for side, score in sides:
            chosen = side if wanted is None else side[score == wanted]
            total += np.bincount(chosen, minlength=len(names))[: len(names)]
        return total

    table = pd.DataFrame({"player": list(names), "rating": final["rating"][: len(names)]})
    for name, wanted in {"games": None, "wins": 1.0, "draws": 0.5, "losses": 0.0}.items():
        table[name] = count(wanted) if names else np.zeros(0, "int64")
    for name, array in final.items():
        if name != "rating":
            table[name if name not in table else f"{name}_after"] = array[: len(names)]
    return sorted_ratings(table, system)


def sorted_ratings(table: pd.DataFrame, system: Rules) -> pd.DataFrame:
    """Return a table of players and ratings in the order of a ratings list: best first, equal ones by name."""
    table = table.sort_values(["rating", "player"], ascending=[system.lower_is_better, True], kind="stable")
    return table.reset_index(drop=True).astype({"player": "str", "rating": "float64"})


# Systems with code of their own


def _joint(games: pd.DataFrame, system: JointSystem, values: Mapping[str, Any], start: States) -> Replayed:
    """Rate period after period through the system's own code."""
    arrays, names = game_arrays(games, system, values)
    assert arrays.date is not None
    assert arrays.year is not None
    count, many = len(games), len(names)
    period = np.arange(count) if arrays.period is None else arrays.period
    given = start_arrays(start, names, system, values)
    carried = {
        name: np.array(given.get(name, np.full(many, float(values[parameter]))))
        for name, parameter in personal(system).items()
    }
    states = [state.name for state in system.state]
    after = [f"{name}_after" for name in states]
    stored = {name: np.empty((count, 2)) for name in joint_columns(system)}
    last_period, last_date = np.full(many, -1), np.zeros(many)
    for key in np.unique(period):
        rows = np.flatnonzero(period == key)
        who, sides = np.unique(np.stack([arrays.white[rows], arrays.black[rows]], 1), return_inverse=True)
        sides = sides.reshape(-1, 2)
        played = PeriodGames(
            sides[:, 0],
            sides[:, 1],
            arrays.score[rows],
            arrays.date[rows],
            *(arrays.inputs.get(n, np.full(count, GAME_INPUTS[n]))[rows] for n in ("handicap", "komi")),
        )
        people = {name: array[who] for name, array in carried.items()}
        seen = last_period[who] >= 0
        people["elapsed"] = np.where(seen & (arrays.period is not None), key - last_period[who], 1).astype("float64")
        day = float(played.date.max())
        known = (last_date[who] > 0) & (day > last_date[who])
        people["days"] = np.where(known, day - last_date[who], 0.0)
        people["year"] = np.full(len(who), arrays.year[rows].max())
        expected = system.forecast(people, played, values)
        rated = system.rate(people, played, values)
        for name in states:
            stored[name][rows] = people[name][sides]
            carried[name][who] = rated[f"{name}_after"]
        stored["opponent_rating"][rows] = people["rating"][sides[:, ::-1]]
        stored["score"][rows] = np.stack([played.score, 1 - played.score], 1)
        stored["expected"][rows] = np.stack([expected, 1 - expected], 1)
        for name in (*system.columns, *after):
            stored[name][rows] = np.asarray(rated[name])[sides]
        last_period[who], last_date[who] = key, np.maximum(last_date[who], day)
    columns = KEYS | dict.fromkeys(stored, "float64") | {"games_played": "int64"}
    flat = {name: array.ravel() for name, array in stored.items()}
    final = {name: carried[name] for name in states}
    return Replayed(
        _history(_both_sides(games, arrays.period), flat, columns), _final_table(arrays, names, final, system)
    )


def joint_columns(system: JointSystem) -> list[str]:
    """Return the columns of a jointly rated history between its keys and `games_played`."""
    states = [state.name for state in system.state]
    return [*states, "opponent_rating", "score", "expected", *system.columns, *(f"{name}_after" for name in states)]


def _fitted(games: pd.DataFrame, system: Fit, values: Mapping[str, Any]) -> Replayed:
    """Rate a whole log at once: the history then holds the fitted ratings beside each game.

    The table's `attrs` are the fit's: the residual, the rounds, and what else it found.
    """
    if games.empty:
        raise UnreadableInput(f"system {system.name} needs at least one game")
    fitted = system.fit(games, values)
    names = players(games)
    number = {name: i for i, name in enumerate(names)}
    sides = [games[column].map(number).to_numpy("int64") for column in ("white", "black")]
    arrays = GameArrays(sides[0], sides[1], games["score"].to_numpy("float64"), len(names))
    rows = fitted.set_index("player")
    final = {
        str(name): rows[name].reindex(names).to_numpy("float64")
        for name in rows.columns
        if rows[name].dtype.kind in "fiu" and name not in {"games", "wins", "draws", "losses"}
    }
    ratings = final["rating"]
    both = np.stack(sides, 1)
    stored = {"rating": ratings[both].ravel(), "opponent_rating": ratings[both[:, ::-1]].ravel()}
    stored["score"] = np.stack([arrays.score, 1 - arrays.score], 1).ravel()
    columns = KEYS | dict.fromkeys(stored, "float64") | {"games_played": "int64"}
    table = _final_table(arrays, names, final, system)
    table.attrs.update(fitted.attrs)
    return Replayed(_history(_both_sides(games, None), stored, columns), table)
