"""How well rating systems predict games before they are played, and the settings that predict best.

A prediction is the expected score that a rule gives White from what was known when the rating period began. Systems are
compared on the same games: those in which both players have played before often enough (the burn-in).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from elo_sheets._late import Array, np, pd
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import GamesRead, check_games
from elo_sheets.odds.statistics import accuracy, brier_score, calibration, log_loss
from elo_sheets.replaying.history import BURN_IN, forecast_column
from elo_sheets.replaying.replay import game_arrays, replay, replay_arrays, start_arrays, worth_compiling
from elo_sheets.replaying.settings import FITTED, Settings, resolve
from elo_sheets.replaying.starting import Start, Starts, starts
from elo_sheets.systems import Fit, JointSystem, Parameter, Rules, System
from elo_sheets.team_games import TeamGamesRead

# Points of the first look at a range, and how much narrower each further one is.
_GRID = 9
_GOLDEN = (5**0.5 - 1) / 2
_STEPS = 22
_CYCLES = 6
_ENOUGH = 1e-8


@dataclass(frozen=True)
class Predicted:
    """One system of a comparison: its settings, final ratings by player, and how its predictions did.

    The scores are None for a system that cannot predict before it has seen all games, and the ratings empty where the
    log has none under it; `reason` says why.
    """

    system: str
    settings: Mapping[str, Any]
    ratings: Mapping[str, float]
    log_loss: float | None = None
    brier_score: float | None = None
    accuracy: float | None = None
    calibration: Sequence[Mapping[str, float]] = ()
    reason: str = ""


@dataclass(frozen=True)
class Compared:
    """A comparison: the systems as they were asked for, and the games that all were scored on."""

    systems: Sequence[Predicted]
    games: int
    scored: int
    burn_in: int

    @property
    def players(self) -> list[str]:
        """All players, in the order of the first system that rates them."""
        return next((list(one.ratings) for one in self.systems if one.ratings), [])


@dataclass(frozen=True)
class Fitted:
    """The settings with the smallest log-loss, and how they were found."""

    system: str
    settings: Mapping[str, Any]
    found: Mapping[str, float]
    log_loss: float
    evaluations: int
    scored: int
    at_the_edge: Sequence[str]


def predict(
    games: pd.DataFrame, system: Rules, settings: Mapping[str, Any] | None = None, *, start: Start = None
) -> Array:
    """Return White's expected score of every game, from what the system knew when its rating period began.

    `start` says what players start from (see `starts`). Raises `UsageError` for a fit of the whole log, which knows
    nothing before.
    """
    values = resolve(system, settings)
    games = check_games(games)
    return _predictor(games, system, values, starts(start, system, games, values.typed))(values)


def _predictor(
    games: pd.DataFrame, system: Rules, values: Mapping[str, Any], start: Starts, often: int = 1
) -> Callable[[Mapping[str, Any]], Array]:
    """Return what gives the predictions for settings; the games are turned into arrays once."""
    if isinstance(system, JointSystem):
        return lambda now: replay(games, system, now, start=start).history["expected"].to_numpy()[::2]
    if not isinstance(system, System):
        raise UsageError(
            f"system {system.name} fits the whole log at once: it cannot predict a game before it is played"
        )
    compiled = worth_compiling(len(games) * often, system.shaped(values), values)
    made: dict[frozenset[str], Any] = {}

    def run(now: Mapping[str, Any]) -> Array:
        shaped = system.shaped(now)
        reads = frozenset(shaped.reads)
        if reads not in made:
            made[reads] = game_arrays(games, shaped, now)
        arrays, names = made[reads]
        begin = start_arrays(start.states, names, shaped, now)
        name = forecast_column(shaped)
        return replay_arrays(arrays, system, now, start=begin, columns=(name,), compiled=compiled)[1][name][::2]

    return run


def scored_games(games: pd.DataFrame, burn_in: int) -> Array:
    """Return which games count: both players have played `burn_in` games before.

    Raises `UnreadableInput` when none is left.
    """
    if games.empty:
        raise UnreadableInput("no game could be used")
    both = pd.Series(games[["white", "black"]].to_numpy().ravel())
    before = both.groupby(both, sort=False).cumcount().to_numpy().reshape(-1, 2)
    counted: Array = np.asarray((before >= burn_in).all(axis=1))
    if not counted.any():
        raise UnreadableInput(f"no game is left after a burn-in of {burn_in} games a player: say --burn-in with less")
    return counted


def compare(
    games: pd.DataFrame,
    systems: Sequence[tuple[Rules, Mapping[str, Any]]],
    *,
    burn_in: int = BURN_IN,
    start: Start = None,
) -> Compared:
    """Return the final ratings of several systems, and how well each predicted the games before they were played.

    `systems` pairs each system with the settings that replace its defaults. Scored are the games in which both players
    have played `burn_in` games before, the same for all. `start` says what players start from (see `starts`).
    """
    games = check_games(games)
    found = [starts(start, system, games, given) for system, given in systems]
    return compared_from(games, systems, found, burn_in)


def compared_from(
    games: pd.DataFrame, systems: Sequence[tuple[Rules, Mapping[str, Any]]], begun: Sequence[Starts], burn_in: int
) -> Compared:
    counted = scored_games(games, burn_in)
    scores = games["score"].to_numpy("float64")[counted]
    found = []
    for (system, given), start in zip(systems, begun, strict=True):
        values = resolve(system, given)
        try:
            replayed = replay(games, system, values, start=start, history=False)
        except UnreadableInput as error:
            if not isinstance(system, Fit):
                raise
            found.append(Predicted(system.name, values, {}, reason=str(error)))
            continue
        table, values = replayed.ratings, values.now(FITTED, replayed.fitted)
        ratings = dict(zip(table["player"], table["rating"].tolist(), strict=True))
        try:
            expected = _predictor(games, system, values, start)(values)[counted]
        except UsageError as error:
            found.append(Predicted(system.name, values, ratings, reason=str(error)))
            continue
        found.append(scored(system.name, values, ratings, scores, expected))
    return Compared(found, len(games), int(counted.sum()), burn_in)


def scored(
    name: str, values: Mapping[str, Any], ratings: Mapping[str, float], scores: Array, expected: Array
) -> Predicted:
    """Return a system of a comparison with how well it predicted scores."""
    loss, brier, right = (float(measure(scores, expected)) for measure in (log_loss, brier_score, accuracy))
    return Predicted(name, values, ratings, loss, brier, right, calibration(scores, expected))


def fit(
    games: pd.DataFrame,
    system: Rules,
    ranges: Mapping[str, tuple[float, float]],
    settings: Mapping[str, Any] | None = None,
    *,
    burn_in: int = BURN_IN,
    start: Start = None,
    progress: Callable[[int, float], None] | None = None,
) -> Fitted:
    """Return the settings within the ranges whose predictions have the smallest log-loss.

    Each range is looked at on a grid, then narrowed by golden section; several are searched in turn until none of them
    helps. A setting that ends at the edge of its range is named in `at_the_edge`. `start` says what players start from
    (see `starts`). `progress` is called with the number
    of replays and the best log-loss so far. Cost: about 30 replays a setting and turn.

    Raises `UsageError` for a range that names no number of the system, or whose ends are not in order.
    """
    games = check_games(games)
    values = resolve(system, settings)
    check_ranges(system, ranges)
    counted = scored_games(games, burn_in)
    scores = games["score"].to_numpy("float64")[counted]
    begun = starts(start, system, games, [*(settings or ()), *ranges])
    predictor = _predictor(games, system, values, begun, often=50)
    return search(system, values, ranges, scores, lambda now: predictor(now)[counted], progress)


def check_ranges(system: Rules, ranges: Mapping[str, tuple[float, float]]) -> None:
    """Raise `UsageError` for a range that names no number of the system, or whose ends are not in order."""
    for name, (low, high) in ranges.items():
        parameter = _number(system, name)
        for end in (low, high):
            parameter.read(end)
        if not low < high:
            raise UsageError(f"expected the range of {name} from less to more, got {low:g}:{high:g}")
    if len({_number(system, name).name for name in ranges}) < len(ranges):
        raise UsageError(f"two ranges are of the same setting: {', '.join(ranges)}")


def search(
    system: Rules,
    values: Settings,
    ranges: Mapping[str, tuple[float, float]],
    scores: Array,
    predictor: Callable[[Mapping[str, Any]], Array],
    progress: Callable[[int, float], None] | None,
) -> Fitted:
    """Return the settings within ranges by which what `predictor` expects has the smallest log-loss against scores."""
    done = 0
    best = float("inf")
    seen: dict[tuple[float, ...], float] = {}
    at = {
        _number(system, name).name: min(max(float(values[_number(system, name).name]), low), high)
        for name, (low, high) in ranges.items()
    }
    bounds = {_number(system, name).name: limits for name, limits in ranges.items()}

    def loss(name: str, value: float) -> float:
        nonlocal done, best
        now = {**at, name: value}
        key = tuple(now.values())
        if key not in seen:
            try:
                seen[key] = float(log_loss(scores, predictor({**values, **now})))
            except UsageError:  # ratings that run away, at this end of a range
                seen[key] = float("inf")
            done += 1
            best = min(best, seen[key])
            if progress is not None:
                progress(done, best)
        return seen[key]

    reached = float("inf")
    for cycle in range(_CYCLES):
        for name, (low, high) in bounds.items():
            if cycle == 0:
                grid = [low + (high - low) * i / (_GRID - 1) for i in range(_GRID)]
                least = min(grid, key=partial(loss, name))
                wide = (high - low) / (_GRID - 1)
            else:
                least, wide = at[name], (high - low) / (_GRID * 4**cycle)
            inner = _golden(partial(loss, name), max(low, least - wide), min(high, least + wide))
            at[name] = min(inner, least, key=partial(loss, name))
        now = loss(next(iter(at)), next(iter(at.values())))
        if reached - now < _ENOUGH or len(at) == 1:
            break
        reached = now
    edge = [name for name, (low, high) in bounds.items() if min(at[name] - low, high - at[name]) < 0.005 * (high - low)]
    final = seen[tuple(at.values())]
    return Fitted(system.name, {**values, **at}, dict(at), final, done, len(scores), edge)


def _golden(loss: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function of one hollow is smallest between two ends, to a ten-thousandth of their distance."""
    ends = (low, high)
    a, b = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    for _ in range(_STEPS):
        if loss(a) <= loss(b):
            high, b = b, a
            a = high - _GOLDEN * (high - low)
        else:
            low, a = a, b
            b = low + _GOLDEN * (high - low)
    return min(((low + high) / 2, *ends), key=loss)


def _number(system: Rules, name: str) -> Parameter:
    for parameter in system.parameters:
        if name.strip().lower() in (parameter.name, *parameter.aliases):
            if parameter.choices:
                raise UsageError(f"{name} is a choice ({', '.join(parameter.choices)}), not a number to fit")
            return parameter
    system.settings({name: 0})  # raises, with the names that come close
    raise AssertionError(name)


def parse_ranges(text: str) -> dict[str, tuple[float, float]]:
    """Return the ranges of `k=10:60,advantage=0:100`; raises `UsageError` that says what was expected."""
    found: dict[str, tuple[float, float]] = {}
    for part in text.split(","):
        name, sign, limits = part.partition("=")
        low, colon, high = limits.partition(":")
        try:
            if not (sign and colon and name.strip()):
                raise ValueError
            found[name.strip()] = float(low), float(high)
        except ValueError:
            raise UsageError(f"expected a range such as k=10:60, got {part!r}") from None
    return found


@dataclass(frozen=True)
class PredictedLogs:
    """A comparison, or a fit and its comparison, with the log that it was made from."""

    log: GamesRead | TeamGamesRead
    compared: Compared
    fitted: Fitted | None
    notes: list[str]

    def __repr__(self) -> str:
        names = ", ".join(one.system for one in self.compared.systems)
        if self.fitted is not None:
            names += "".join(f", {name} {value:g}" for name, value in self.fitted.found.items())
        return f"<{names} on {self.compared.scored} of {self.compared.games} games>"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a system: log_loss, brier_score and accuracy, NaN where it cannot predict."""
        scores = ("log_loss", "brier_score", "accuracy")
        rows = [{name: getattr(one, name) for name in scores} for one in self.compared.systems]
        names = [one.system for one in self.compared.systems]
        return pd.DataFrame(rows, index=pd.Index(names, name="system"), columns=list(scores), dtype="float64")
