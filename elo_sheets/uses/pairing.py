"""The odds of one game between two named players, under any system that says what it expects of a game."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, Unpack

from elo_sheets._late import np, pd
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import GamesRead, clean_name, find_player, identity, make_games, players
from elo_sheets.odds.forecast import odds_with_draws
from elo_sheets.odds.match import Odds
from elo_sheets.readers import HowRead, Logs, one_by_one, read_for
from elo_sheets.replaying.replay import replay
from elo_sheets.replaying.settings import FITTED, Settings, resolve
from elo_sheets.replaying.starting import Start, starts
from elo_sheets.replaying.weighing import weighted
from elo_sheets.systems import Fit, JointSystem, Rules, System
from elo_sheets.systems import system as find_system
from elo_sheets.team_games import GamesOfSidesError
from elo_sheets.uses.chances import Pairing, draw_model
from elo_sheets.uses.listing import of_list
from elo_sheets.uses.notes import ruled
from elo_sheets.uses.prediction import predict
from elo_sheets.uses.season_runs import joined, odds_now, prepare
from elo_sheets.uses.sided import OfSides, asked_of_sides
from elo_sheets.uses.sided_odds import is_of_sides, predict_sides
from elo_sheets.uses.simulation import refuse_whole_events

# The players of a pairing of which only the ratings are given.
SIDES = ("A", "B")


def predict_pairing(
    a: str,
    b: str,
    logs: Logs = (),
    *,
    system: str | Rules = "elo",
    settings: Mapping[str, object] | None = None,
    draws: str | float = "log",
    neutral: bool = False,
    on: str | None = None,
    start: Start = None,
    **how: Unpack[HowRead],
) -> Pairing:
    """Return the odds of a game between `a`, who has White or plays at home, and `b`.

    The ratings are those after the logs; players who are not in them need a start rating (see `starts`). Without logs
    and start `a` and `b` may be the ratings themselves. `draws` is as in `simulate`; without logs "log" means none.
    With `neutral` nobody plays at home. `on` is the day of the game, that of the latest one of the logs unless given:
    rules count from it how long a player was away. `how` says how the logs are read (see `read`). In logs of doubles,
    teams or tables of many `a` and `b` are sides, such as `Anna / Ben`; without logs `start` names all their players.

    Raises `UsageError` for players of whom nothing is known and for what the system has no use for, `UnreadableInput`
    for a log that cannot be read or rated.

    >>> predict_pairing("1700", "1500")
    <A v B, elo: win 76.0%, draw 0.0%, loss 24.0%>
    >>> predict_pairing("Ann", "Bob", start={"Ann": 1500, "Bob": 1500}, draws=0.3).odds
    Odds(win=0.35, draw=0.3, loss=0.35)
    """
    for name in how.keys() - HowRead.__annotations__.keys():
        raise UsageError(f"predict has no argument {name}" + (": the logs are called logs" if name == "log" else ""))
    rules = find_system(system)
    logs = one_by_one(logs)

    def of_sides(error: GamesOfSidesError | None) -> Pairing:
        if neutral or on is not None:
            raise UsageError("games of teams or of many know no ground and no day: leave out --neutral and --on")
        return predict_sides((a, b), OfSides(error, logs, rules, settings, start, how), draws)

    if logs and (asked := asked_of_sides(logs, rules, settings, how)) is not None:
        return of_sides(asked)
    if not logs and start is not None and is_of_sides((a, b)):
        return of_sides(None)
    values = resolve(rules, settings)
    if not logs and any(value for name, value in how.items() if name != "progress"):
        raise UsageError("what says how to read a log needs one: give it with --log, or leave that out")
    if not logs and start is None:
        a, b, start = _rated(a, b)
    try:
        log = read_for(logs, values, **how) if logs else GamesRead(make_games([]))
    except GamesOfSidesError as error:
        return of_sides(error)
    values, said = ruled(rules, values, log.games)
    notes = [*log.notes, *(said if logs else ())]
    names = _spelled(log.games, a), _spelled(log.games, b)
    if names[0] == names[1]:
        raise UsageError(f"expected two players, got {a!r} twice")
    if isinstance(rules, Fit):
        if neutral or on is not None:
            raise UsageError(f"system {rules.name} rates the whole log at once: leave out --neutral and --on")
        starts(of_list(start, log.games), rules, log.games)  # refuses what it cannot use
        return _fitted(names, log, rules, values, draws, notes)
    assert isinstance(rules, System | JointSystem)
    refuse_whole_events(rules, values)
    game = _game(names, log.games, rules, values, neutral, on)
    found = starts(of_list(start, log.games), rules, joined(log.games, game, rules), values.typed)
    _refuse_strangers(log.games, [name for name in names if "rating" not in found.states.get(name, ())])
    games = weighted(log.games, rules, values)
    season = prepare(games, game, rules, values, found, published=False, unplayed=False)
    share, drawn = draw_model(draws, games, lambda: predict(games, rules, values, start=found.of(games)))
    ratings = season.states["rating"][[int(season.white[0]), int(season.black[0])], 0].tolist()
    odds = Odds(*(float(chance) for chance in next(odds_now(season, drawn))))
    return Pairing(names, (ratings[0], ratings[1]), odds, rules.name, values, share, log, [*notes, *found.notes])


def _spelled(games: pd.DataFrame, name: str) -> str:
    """Return a player's name as the games spell it, or as it is given where they do not know it."""
    return next((known for known in players(games) if identity(known) == identity(name)), clean_name(name))


def _refuse_strangers(games: pd.DataFrame, names: Iterable[str]) -> None:
    """Raise `UsageError` for a name that has no game, with the names that come close."""
    for name in names:
        if games.empty:
            raise UsageError(
                f"nothing is known of {name!r}: give the logs of the games (--log), or --start NAME=RATING"
            )
        find_player(games, name)


def _game(
    names: tuple[str, str], games: pd.DataFrame, system: Rules, values: Settings, neutral: bool, on: str | None
) -> pd.DataFrame:
    """Return the table of the one game to come."""
    day = games["date"].max() if len(games) else None
    if on is not None:
        try:
            day = pd.Timestamp(date.fromisoformat(on))
        except ValueError:
            raise UsageError(f"expected the day of the game, such as 2026-05-01, got {on!r}") from None
    if neutral and not (isinstance(system, System) and "neutral" in system.shaped(values).reads):
        raise UsageError(f"system {system.name} knows no neutral ground in this form: leave out --neutral")
    game = {"date": day, "white": names[0], "black": names[1], "score": 0.5, "source": "the pairing", "source_row": 1}
    period = {name: games[name].iloc[-1] for name in ("event", "season", "round") if name in games and len(games)}
    return make_games([game | period | ({"neutral": 1.0} if neutral else {})])


def _fitted(
    names: tuple[str, str], log: GamesRead, system: Fit, values: Settings, draws: str | float, notes: list[str]
) -> Pairing:
    """Return the odds under a system that rates the whole log at once, by the ratings that it has found."""
    for name in names:
        find_player(log.games, name)
    if system.forecast is None:
        raise UsageError(f"system {system.name} says nothing of the odds of a game")
    if draws == "labelle":
        raise UsageError("draws by labelle are for systems that forecast before a game: say --draws log, none or P")
    forecast, replayed = system.forecast, replay(log.games, system, values, history=False)
    known = dict(values) | {str(name): value for name, value in replayed.ratings.attrs.items()}
    ratings = dict(zip(replayed.ratings["player"], replayed.ratings["rating"].tolist(), strict=True))
    unrated = [name for name in names if not math.isfinite(ratings[name])]
    if unrated:
        raise UnreadableInput(f"system {system.name} has no rating for {unrated[0]!r}: too few games in the log")
    own, other = (ratings[name] for name in names)
    expected, draw = forecast(own, other, known)
    if draw is None:
        pairs = zip(log.games["white"], log.games["black"], strict=True)
        shown, drawn = draw_model(
            draws, log.games, lambda: np.array([forecast(ratings[a], ratings[b], known)[0] for a, b in pairs])
        )
        draw = drawn(expected, own, other)
    elif draws == "log":
        shown = system.name
    else:
        raise UsageError(f"system {system.name} has a probability of draws of its own: leave out --draws")
    odds = Odds(*map(float, odds_with_draws(expected, draw)))
    return Pairing(names, (own, other), odds, system.name, values.now(FITTED, replayed.fitted), shown, log, notes)


def _rated(a: str, b: str) -> tuple[str, str, Start]:
    """Return two players who start from the ratings that stand for them."""
    try:
        ratings = {name: float(text) for name, text in zip(SIDES, (a, b), strict=True)}
    except ValueError:
        raise UsageError(
            f"nothing is known of {a!r} and {b!r}: give the logs of their games (--log), their ratings (--start "
            "NAME=RATING,NAME=RATING), or two ratings in their place"
        ) from None
    return *SIDES, {name: {"rating": rating} for name, rating in ratings.items()}


def pairing_record(found: Pairing) -> dict[str, Any]:
    """Return a pairing as the JSON output holds it."""
    return {
        "schema": 1,
        "players": list(found.players),
        "ratings": list(found.ratings),
        "win": found.odds.win,
        "draw": found.odds.draw,
        "loss": found.odds.loss,
        "expected": found.odds.score,
        "draws": found.draws,
        "system": found.system,
        "settings": dict(found.settings),
        "origins": dict(found.settings.origins),
        "games": found.log.kept,
        **found.log.counts,
        "notes": list(found.notes),
    }
