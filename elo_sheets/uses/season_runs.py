"""Games to come as arrays, and the steps of a system over arrays with an element a run.

This is the replay's period once more, for games whose results depend on the ratings before them: every player's opening
steps, then all games from the states before the period, then every player's closing steps. The steps are the system's
own; nothing here knows a formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from elo_sheets._late import Array, np, pd
from elo_sheets.errors import UsageError
from elo_sheets.odds.forecast import odds_with_draws
from elo_sheets.odds.match import Odds
from elo_sheets.ops import where
from elo_sheets.replaying.history import forecast_column
from elo_sheets.replaying.replay import game_arrays, replay
from elo_sheets.replaying.starting import Starts
from elo_sheets.systems import GAME_INPUTS, JointSystem, Line, PeriodGames, Repeat, Rules, System, lines, needs
from elo_sheets.systems._system import leading

# The share of draws by expected score and both ratings: numbers, or arrays over the runs.
Drawn: TypeAlias = Callable[[Any, Any, Any], Any]


# What no forecast of a game knows; a system that rates by it cannot rate games that were not played.
_UNKNOWN = {"points", "opponent_points", "widest"}


# --- the season as arrays


@dataclass(frozen=True)
class Season:
    """The remaining games as arrays, and the players' states before them, an array of one run for each.

    `last` holds the period, day and season of each player's last game.
    """

    system: System | JointSystem
    values: Mapping[str, Any]
    names: Sequence[str]
    white: Array
    black: Array
    period: Array
    per_game: bool
    days: Mapping[str, Array]
    inputs: Mapping[str, Array]
    states: Mapping[str, Array]
    last: Mapping[str, Array]

    @property
    def rates(self) -> bool:
        """Whether the system can rate a game by its result alone."""
        return isinstance(self.system, System) and not self.system.reads & _UNKNOWN


def prepare(
    games: pd.DataFrame,
    remaining: pd.DataFrame,
    system: System | JointSystem,
    values: Mapping[str, Any],
    start: Starts,
    published: bool,
    unplayed: bool,
) -> Season:

    shaped = system.shaped(values) if isinstance(system, System) else system
    played = len(games)
    whole, names = game_arrays(joined(games, remaining, shaped), shaped, values)
    count = played + len(remaining)
    period = np.arange(count) if whole.period is None else whole.period
    zero = np.zeros(count)
    days = {
        name: zero if array is None else array
        for name, array in {"date": whole.date, "year": whole.year, "season": whole.season}.items()
    }
    last = {"period": np.full(len(names), -1), "date": np.zeros(len(names)), "season": np.zeros(len(names))}
    for side in (whole.white[:played], whole.black[:played]):
        np.maximum.at(last["period"], side, period[:played])
        for name in ("date", "season"):
            np.maximum.at(last[name], side, days[name][:played])
    order = played + np.argsort(period[played:], kind="stable")
    return Season(
        shaped,
        values,
        names,
        whole.white[order],
        whole.black[order],
        period[order],
        whole.period is None,
        {name: array[order] for name, array in days.items()},
        {name: array[order] for name, array in whole.inputs.items()},
        _states(games, remaining, names, system, values, start, published, unplayed),
        last,
    )


def joined(games: pd.DataFrame, remaining: pd.DataFrame, system: Rules) -> pd.DataFrame:
    """Return one table of the games played and those to come, which need no goals to be forecast."""
    if isinstance(system, System) and system.reads & {"points", "opponent_points"}:
        remaining = remaining.assign(white_points=0.0, black_points=0.0)
    if games.empty:
        return remaining
    whole = pd.concat([games, remaining], ignore_index=True)
    texts = [str(name) for name in whole if pd.api.types.is_string_dtype(whole[name].dtype)]
    return whole.assign(**{name: whole[name].fillna("") for name in texts})


def _states(
    games: pd.DataFrame,
    remaining: pd.DataFrame,
    names: Sequence[str],
    system: System | JointSystem,
    values: Mapping[str, Any],
    start: Starts,
    published: bool,
    unplayed: bool,
) -> dict[str, Array]:
    """Return the players' states and settings of their own before the remaining games.

    `published` takes the last published ratings, `unplayed` the first ones of players without a game.
    """
    shaped = system.shaped(values) if isinstance(system, System) else system
    defaults = {state.name: state.initial for state in shaped.state}
    defaults |= {p.name: p.name for p in shaped.parameters if p.per_player}
    states = {name: np.full((len(names), 1), float(values[given])) for name, given in defaults.items()}
    at = {name: i for i, name in enumerate(names)}
    for name, begun in start.states.items():
        for key in begun.keys() & states.keys():
            states[key][at[name], 0] = begun[key]
    rated = {name for name, begun in start.states.items() if "rating" in begun}
    if len(games):
        table = replay(games, system, values, start=start.of(games), history=False).ratings
        rows = [at[name] for name in table["player"]]
        rated |= set(table["player"])
        for state in shaped.state:
            after = f"{state.name}_after"  # what the table calls a state whose name is one of its own columns
            states[state.name][rows, 0] = table[after if after in table else state.name].to_numpy("float64")
    known = (_published(games, "last") if published else {}) | (_published(remaining, "first") if unplayed else {})
    for name, rating in known.items():
        if published or name not in rated:
            states["rating"][at[name], 0] = rating
    return states


def _published(games: pd.DataFrame, which: str) -> dict[str, float]:
    """Return the first or last rating that a table publishes of each player, a later one after his game first."""
    sides = []
    for side in ("white", "black"):
        before = games.get(f"{side}_rating", pd.Series(float("nan"), games.index))
        rating = games.get(f"{side}_rating_after", before).fillna(before) if which == "last" else before
        sides.append(pd.DataFrame({"player": games[side], "rating": rating, "game": games["game"]}))
    found = pd.concat(sides).dropna(subset="rating").sort_values("game", kind="stable")
    found = found.drop_duplicates("player", keep="last" if which == "last" else "first")
    return {str(name): float(rating) for name, rating in zip(found["player"], found["rating"], strict=True)}


# --- the rule over arrays


class Table:
    """The steps of a system over arrays of runs, and the states that they read."""

    def __init__(self, season: Season, runs: int) -> None:
        assert isinstance(season.system, System)
        self.season, self.system, self.runs = season, season.system, runs
        self.forecast = forecast_column(self.system)
        game = list(lines((*self.system.game, *self.system.forecast)))
        self.leading = leading(game, {self.forecast})
        self.rated = leading(list(lines(self.system.game)), set(self.system.sums))
        self.black = [line for line in self.rated if line.name not in self.system.opposite]
        plays = np.zeros(len(season.names), bool)
        plays[season.white] = plays[season.black] = True
        self.states = {
            name: [np.repeat(one, runs) if plays[i] else one for i, one in enumerate(array)]
            for name, array in season.states.items()
        }
        self.last = {name: array.copy() for name, array in season.last.items()}

    def opened(self, player: int, game: int) -> dict[str, Any]:
        """Return what a player brings to his games of a period, of which this is the first."""
        season = self.season
        found: dict[str, Any] = {name: array[player] for name, array in self.states.items()}
        period, played = season.period[game], self.last["period"][player]
        found["elapsed"] = 1.0 if season.per_game or played < 0 else float(max(period - played, 1))
        found |= {name: array[game] for name, array in season.days.items()}
        for name, day in (("days", "date"), ("seasons", "season")):
            before, now = self.last[day][player], season.days[day][game]
            found[name] = float(now - before) if 0 < before < now else 0.0
        columns = {**season.values, **found}
        compute(lines(self.system.opening), columns)
        opening = {line.name: columns[line.name] for line in lines(self.system.opening)}
        return {**found, **opening}

    def side(self, game: int, own: Mapping[str, Any], other: Mapping[str, Any], sign: float) -> dict[str, Any]:
        """Return what the steps of a game may read on one side, the score aside."""
        columns: dict[str, Any] = {**self.season.values, **GAME_INPUTS, **own}
        columns |= {f"opponent_{name}": value for name, value in other.items()}
        columns |= {name: array[game] for name, array in (*self.season.inputs.items(), *self.season.days.items())}
        return columns | {"side": sign}

    def expected(self, game: int, white: Mapping[str, Any], black: Mapping[str, Any]) -> Any:
        """Return White's expected score."""
        columns = self.side(game, white, black, 1.0)
        compute(self.leading, columns)
        return columns[self.forecast]

    def rate(self, period: Sequence[int], opened: Mapping[int, Mapping[str, Any]], scores: Mapping[int, Any]) -> None:
        """Close a period: every player's states follow from his games."""
        season = self.season
        sums: dict[int, dict[str, Any]] = {player: dict.fromkeys(self.system.sums, 0.0) for player in opened}
        games = dict.fromkeys(opened, 0)
        latest = dict.fromkeys(opened, 0)
        for game in period:
            two = int(season.white[game]), int(season.black[game])
            white = self.side(game, opened[two[0]], opened[two[1]], 1.0) | {"score": scores[game]}
            compute(self.rated, white)
            black = self.side(game, opened[two[1]], opened[two[0]], -1.0) | {"score": 1 - scores[game]}
            for name, step in self.system.opposite.items():
                black[name] = step(*(white[read] for read in needs(step)))
            compute(self.black, black)
            for player, columns in zip(two, (white, black), strict=True):
                for name in self.system.sums:
                    sums[player][name] = sums[player][name] + columns[name]
                games[player] += 1
                latest[player] = game
        nothing = np.zeros(self.runs)
        for player, brought in opened.items():
            game = latest[player]
            columns = {**season.values, **brought, **{name: array[game] for name, array in season.days.items()}}
            columns |= {f"period_{name}": total for name, total in sums[player].items()}
            columns["period_games"] = float(games[player])
            close(self.system.closing, columns)
            for state in self.system.state:
                self.states[state.name][player] = columns[f"{state.name}_after"] + nothing
            self.last["period"][player] = season.period[game]
            for day in ("date", "season"):
                self.last[day][player] = max(self.last[day][player], season.days[day][game])


def compute(found: Iterator[Line] | Sequence[Line], columns: dict[str, Any]) -> None:
    """Add the numbers of lines to the columns, numbers or arrays with an element a run."""
    for line in found:
        columns[line.name] = line.step(*(columns[name] for name in line.reads))


def close(closing: Sequence[Any], columns: dict[str, Any]) -> None:
    """Compute closing steps; an iteration goes on until it is done in every run, and changes no run that is."""
    for step in closing:
        if not isinstance(step, Repeat):
            compute(lines([step]), columns)
            continue
        compute(lines(step.start), columns)
        for _ in range(step.count):
            if step.done is None:
                compute(lines(step.steps), columns)
                continue
            done = step.done(*(columns[name] for name in needs(step.done)))
            if np.all(done):
                break
            for line in lines(step.steps):
                value = line.step(*(columns[name] for name in line.reads))
                columns[line.name] = where(done, columns[line.name], value)


# --- the runs


def play(
    season: Season,
    runs: int,
    seed: int,
    drawn: Drawn,
    points: tuple[float, float, float],
    update: bool,
    progress: Callable[[int, int], None] | None,
) -> tuple[Array, list[Array] | None]:
    """Return the points that each player makes in each run, and his ratings after them where they can be computed.

    A player without a game has a rating for all runs.
    """
    random = np.random.Generator(np.random.PCG64(seed))
    table = np.array(points[::-1])
    totals = np.zeros((len(season.names), runs))
    rule = Table(season, runs) if season.rates else None
    done = 0
    with np.errstate(all="ignore"):  # what has gone too far is found at the end
        fixed = None if update else list(odds_now(season, drawn))
        for period in _periods(season):
            opened: dict[int, dict[str, Any]] = {}
            for game in period if rule is not None else ():
                for player in (int(season.white[game]), int(season.black[game])):
                    if player not in opened:
                        assert rule is not None
                        opened[player] = rule.opened(player, game)
            scores = {}
            for game in period:
                white, black = int(season.white[game]), int(season.black[game])
                if fixed is None:
                    assert rule is not None
                    expected = rule.expected(game, opened[white], opened[black])
                    odds = _odds(expected, opened[white]["rating"], opened[black]["rating"], drawn)
                else:
                    odds = fixed[game]
                chance = random.random(runs)
                halves = (chance < odds.win).astype("int64") + (chance < odds.win + odds.draw)
                totals[white] += table[halves]
                totals[black] += table[2 - halves]
                scores[game] = halves / 2
            if rule is not None:
                rule.rate(period, opened, scores)
            done += len(period)
            if progress is not None:
                progress(done, len(season.white))
    if rule is None:
        return totals, None
    ratings = rule.states["rating"]
    if not all(np.isfinite(rating).all() for rating in ratings):
        raise UsageError(f"ratings of system {season.system.name} grow too far apart to be compared")
    return totals, ratings


def _periods(season: Season) -> Iterator[list[int]]:
    """Yield the games of each rating period."""
    count = len(season.white)
    begins = [i for i in range(count) if i == 0 or season.per_game or season.period[i] != season.period[i - 1]]
    for low, high in zip(begins, [*begins[1:], count], strict=True):
        yield list(range(low, high))


def odds_now(season: Season, drawn: Drawn) -> Iterator[Odds]:
    """Yield the odds of every game from the ratings before all of them."""
    ratings = season.states["rating"][:, 0].tolist()
    for game, expected in enumerate(expected_now(season)):
        yield _odds(expected, ratings[season.white[game]], ratings[season.black[game]], drawn)


def expected_now(season: Season) -> Iterator[float]:
    if isinstance(season.system, JointSystem):
        yield from _joint_expected(season, season.system)
        return
    rule = Table(season, 1)
    for game, (white, black) in enumerate(zip(season.white.tolist(), season.black.tolist(), strict=True)):
        yield float(rule.expected(game, rule.opened(white, game), rule.opened(black, game))[0])


def _joint_expected(season: Season, system: JointSystem) -> list[float]:
    count = len(season.white)
    inputs = [season.inputs.get(name, np.full(count, GAME_INPUTS[name])) for name in ("handicap", "komi")]
    played = PeriodGames(season.white, season.black, np.full(count, 0.5), season.days["date"], *inputs)
    people = {name: array[:, 0] for name, array in season.states.items()}
    people |= {"elapsed": np.ones(len(season.names)), "days": np.zeros(len(season.names))}
    people["year"] = np.full(len(season.names), season.days["year"].max())
    found: list[float] = system.forecast(people, played, season.values).tolist()
    return found


def _odds(expected: Any, rating: Any, opponent: Any, drawn: Drawn) -> Odds:
    """Return the odds of a game: the system's expected score, and the draws of the model."""
    return odds_with_draws(expected, drawn(expected, rating, opponent))
