"""How well rating systems predict games before they are played, and the settings that predict best.

A prediction is the expected score that a rule gives White from what was known when the rating period began. Systems are
compared on the same games: those in which both players have played before often enough (the burn-in).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import GamesRead, check_games
from elo_sheets.statistics import accuracy, brier_score, calibration, log_loss
from elo_sheets.systems import Fit, JointSystem, Parameter, Rules, System
from elo_sheets.systems import system as find_system

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    Array = np.ndarray[Any, Any]

BURN_IN = 5

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


def forecast_column(system: System) -> str:
    """Return the column that holds the score which the rule expects of a game.

    Raises `UsageError` for a system without one.
    """
    if system.forecast:
        return system.forecast[-1].__name__
    if not any(step.__name__ == "expected" for step in system.game):
        raise UsageError(f"system {system.name} expects no score of a game: it cannot predict")
    return "expected"


def predict(games: pd.DataFrame, system: Rules, settings: Mapping[str, Any] | None = None) -> Array:
    """Return White's expected score of every game, from what the system knew when its rating period began.

    Raises `UsageError` for a fit of the whole log, which knows nothing before.
    """
    values = system.settings(settings)
    return _predictor(check_games(games), system, values)(values)


def _predictor(
    games: pd.DataFrame, system: Rules, values: Mapping[str, Any], often: int = 1
) -> Callable[[Mapping[str, Any]], Array]:
    """Return what gives the predictions for settings; the games are turned into arrays once."""
    from elo_sheets.replay import WORTH_COMPILING, _has_numba, game_arrays, replay, replay_arrays

    if isinstance(system, JointSystem):
        return lambda now: replay(games, system, now).history["expected"].to_numpy()[::2]
    if not isinstance(system, System):
        raise UsageError(
            f"system {system.name} fits the whole log at once: it cannot predict a game before it is played"
        )
    compiled = len(games) * often >= WORTH_COMPILING and _has_numba()
    made: dict[frozenset[str], Any] = {}

    def run(now: Mapping[str, Any]) -> Array:
        shaped = system.shaped(now)
        reads = frozenset(shaped.reads)
        if reads not in made:
            made[reads] = game_arrays(games, shaped, now)[0]
        name = forecast_column(shaped)
        return replay_arrays(made[reads], system, now, columns=(name,), compiled=compiled)[1][name][::2]

    return run


def scored_games(games: pd.DataFrame, burn_in: int) -> Array:
    """Return which games count: both players have played `burn_in` games before.

    Raises `UnreadableInput` when none is left.
    """
    import numpy as np
    import pandas as pd

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
) -> Compared:
    """Return the final ratings of several systems, and how well each predicted the games before they were played.

    `systems` pairs each system with the settings that replace its defaults. Scored are the games in which both players
    have played `burn_in` games before, the same for all.
    """
    from elo_sheets.replay import replay

    games = check_games(games)
    counted = scored_games(games, burn_in)
    scores = games["score"].to_numpy("float64")[counted]
    found = []
    for system, given in systems:
        values = system.settings(given)
        try:
            table = replay(games, system, values, history=False).ratings
        except UnreadableInput as error:
            if not isinstance(system, Fit):
                raise
            found.append(Predicted(system.name, values, {}, reason=str(error)))
            continue
        ratings = dict(zip(table["player"], table["rating"].tolist(), strict=True))
        try:
            expected = _predictor(games, system, values)(values)[counted]
        except UsageError as error:
            found.append(Predicted(system.name, values, ratings, reason=str(error)))
            continue
        found.append(
            Predicted(
                system.name,
                values,
                ratings,
                float(log_loss(scores, expected)),
                float(brier_score(scores, expected)),
                float(accuracy(scores, expected)),
                calibration(scores, expected),
            )
        )
    return Compared(found, len(games), int(counted.sum()), burn_in)


def fit(
    games: pd.DataFrame,
    system: Rules,
    ranges: Mapping[str, tuple[float, float]],
    settings: Mapping[str, Any] | None = None,
    *,
    burn_in: int = BURN_IN,
    progress: Callable[[int, float], None] | None = None,
) -> Fitted:
    """Return the settings within the ranges whose predictions have the smallest log-loss.

    Each range is looked at on a grid, then narrowed by golden section; several are searched in turn until none of them
    helps. A setting that ends at the edge of its range is named in `at_the_edge`. `progress` is called with the number
    of replays and the best log-loss so far. Cost: about 30 replays a setting and turn.

    Raises `UsageError` for a range that names no number of the system, or whose ends are not in order.
    """
    games = check_games(games)
    values = system.settings(settings)
    for name, (low, high) in ranges.items():
        parameter = _number(system, name)
        for end in (low, high):
            parameter.read(end)
        if not low < high:
            raise UsageError(f"expected the range of {name} from less to more, got {low:g}:{high:g}")
    if len({_number(system, name).name for name in ranges}) < len(ranges):
        raise UsageError(f"two ranges are of the same setting: {', '.join(ranges)}")
    counted = scored_games(games, burn_in)
    scores = games["score"].to_numpy("float64")[counted]
    predictor = _predictor(games, system, values, often=50)
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
                seen[key] = float(log_loss(scores, predictor({**values, **now})[counted]))
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
    return Fitted(system.name, {**values, **at}, dict(at), final, done, int(counted.sum()), edge)


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


# Logs


@dataclass(frozen=True)
class PredictedLogs:
    """A comparison, or a fit and its comparison, with the log that it was made from."""

    log: GamesRead
    compared: Compared
    fitted: Fitted | None
    notes: list[str]


def predict_logs(
    logs: Sequence[Any],
    *,
    systems: Sequence[str],
    settings: Mapping[str, object] | None = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    burn_in: int = BURN_IN,
    columns: Mapping[str, str] | None = None,
    dates: Literal["dmy", "mdy", "ymd"] | None = None,
    encoding: str | None = None,
    pool: str | None = None,
    progress: Callable[[int], None] | None = None,
    fitting: Callable[[int, float], None] | None = None,
) -> PredictedLogs:
    """Read logs and compare systems on them; with `ranges` the first system is fitted before.

    A setting goes to every system that has it; raises `UsageError` for one that none has.
    """
    from elo_sheets.exporting import unofficial_notes
    from elo_sheets.readers import read_for

    rules = [find_system(name) for name in systems]
    if len({system.name for system in rules}) < len(rules):
        raise UsageError("a system is compared with itself: name each one once")
    given = dict(settings or {})
    own = [{key: value for key, value in given.items() if _has(system, key)} for system in rules]
    for key in given:
        if not any(key in values for values in own):
            rules[0].settings({key: given[key]})
    log = read_for(
        logs, given, columns=columns, dates=dates, encoding=encoding, pool=pool, player=None, progress=progress
    )
    fitted = None
    if ranges:
        fitted = fit(log.games, rules[0], ranges, own[0], burn_in=burn_in, progress=fitting)
        own[0] = dict(fitted.settings)
    compared = compare(log.games, list(zip(rules, own, strict=True)), burn_in=burn_in)
    notes = list(log.notes)
    for system, values in zip(rules, own, strict=True):
        notes += unofficial_notes(system, system.settings(values))
    if fitted is not None and fitted.at_the_edge:
        notes.append(f"{', '.join(fitted.at_the_edge)} ends at the edge of the range: widen it")
    return PredictedLogs(log, compared, fitted, notes)


def _has(system: Rules, name: str) -> bool:
    key = name.strip().lower().replace("-", "_")
    return any(key in (parameter.name, *parameter.aliases) for parameter in system.parameters)


def comparison_record(done: PredictedLogs) -> dict[str, Any]:
    """Return a comparison as its JSON output holds it."""
    compared = done.compared
    fitted = done.fitted
    return {
        "schema": 1,
        "games": compared.games,
        "scored": compared.scored,
        "burn_in": compared.burn_in,
        "fit": None
        if fitted is None
        else {
            "system": fitted.system,
            "found": dict(fitted.found),
            "log_loss": fitted.log_loss,
            "replays": fitted.evaluations,
            "at_the_edge": list(fitted.at_the_edge),
        },
        "systems": [
            {
                "name": one.system,
                "settings": dict(one.settings),
                "log_loss": one.log_loss,
                "brier_score": one.brier_score,
                "accuracy": one.accuracy,
                "calibration": [dict(b) for b in one.calibration],
                "reason": one.reason,
            }
            for one in compared.systems
        ],
        "ratings": [
            {"player": name, **{one.system: one.ratings.get(name) for one in compared.systems}}
            for name in compared.players
        ],
        "read": done.log.read,
        "kept": done.log.kept,
        "rejected": done.log.rejected,
        "notes": done.notes,
    }
