"""Games of sides that are still to be played: the odds of one, and a season of them played out many times.

What is expected of a side against another one is what the rule expects of a game of the two. A table of many has no
published odds of its whole order that fit every rule; it is drawn as by Plackett and Luce, each player's strength being
what the rule expects of him against each of the others, on the logistic scale. For Elo's logistic curve the odds of
each two of a table are then exactly the rule's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

from elo_sheets._late import Array, np, pd
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import GamesRead, clean_name, find_name, identity
from elo_sheets.odds.forecast import odds_with_draws
from elo_sheets.odds.match import Odds
from elo_sheets.readers import HowRead
from elo_sheets.readers._sides import names_in
from elo_sheets.replaying.sided import AND, SidedRule, opponents, rated_games
from elo_sheets.team_games import GamesOfSidesError, shape_of, team_players
from elo_sheets.uses.chances import Chances, Pairing, Simulated, draw_model, place_chances, since_day, unless_open
from elo_sheets.uses.sided import OfSides, error_of_sides, read_sided_logs, sided_starts
from elo_sheets.uses.sided_forecast import forecasts, strength
from elo_sheets.uses.sided_runs import Runs

States = Mapping[str, float]


def predict_sides(sides: tuple[str, str], asked: OfSides, draws: str | float) -> Pairing:
    """Return the odds of a game between two sides, each named as `Anna / Ben`, after logs of games of sides.

    At a table of many they are the odds that the first comes in before the second. Without logs the start that is
    asked for says what everybody starts from.
    """
    log, system, values = asked.read()
    known = team_players(log.games)
    members = [_members(side, known) for side in sides]
    everybody = [name for names in members for name in names]
    if len(set(map(identity, everybody))) < len(everybody):
        raise UsageError(f"expected different players on the two sides, got {sides[0]!r} and {sides[1]!r}")
    found = sided_starts(asked.start, system, [*known, *(name for name in everybody if name not in known)], values)
    for name in everybody:
        if name not in known and "rating" not in found.states.get(name, ()):
            if not known:
                raise UsageError(f"nothing is known of {name!r}: give the logs of the games (--log), or --start")
            find_name(known, name)
    rule = SidedRule(system, values, max(2, shape_of(log.games)[0]))
    now = {name: rule.start_of(found.states.get(name, {}), name) for name in (*known, *everybody)}
    scores, expected = _played(rule, log.games, now)
    share, drawn = draw_model(draws, _scored(scores), lambda: _array(expected))
    told = strength(rule, *([now[name] for name in names] for names in members))
    names = AND.join(members[0]), AND.join(members[1])
    odds = Odds(*map(float, odds_with_draws(told.expected, drawn(*told))))
    return Pairing(
        names, (told.own, told.other), odds, asked.rules.name, values, share, log, [*log.notes, *found.notes]
    )


def _members(side: str, known: Sequence[str]) -> list[str]:
    """Return the players of a side as the log spells them; a name that the log knows is one player."""
    spelt = {identity(name): name for name in known}
    names = [side] if identity(side) in spelt else names_in(side)
    return [spelt.get(identity(name), clean_name(name)) for name in names]


def _played(rule: SidedRule, games: pd.DataFrame, now: dict[str, dict[str, float]]) -> tuple[list[float], list[float]]:
    """Return the score of each two sides that met, and what was expected of it; `now` are brought up to date."""
    scores: list[float] = []
    expected: list[float] = []
    for _, rows, rated in rated_games(rule, games, now):
        places = {row["side"]: row["place"] for row in rows}
        scores += [(own < other) + (own == other) / 2 for own, other in combinations(places.values(), 2)]
        expected += forecasts(rule, rows, rated)
    return scores, expected


def _scored(scores: Sequence[float]) -> pd.DataFrame:
    return pd.DataFrame({"score": scores}, dtype="float64")


def _array(values: Sequence[float]) -> Array:
    return np.array(values, "float64")


# --- a season played out


def simulate_sides(
    asked: OfSides,
    *,
    remaining: Sequence[Any],
    runs: int,
    seed: int,
    draws: str | float,
    points: tuple[float, float, float],
    since: str | None,
    update: bool,
    playing: Callable[[int, int], None] | None,
) -> Simulated:
    """Play out the games of sides that a log has without a result, or those of the files `remaining`.

    A player gets the points of his side; at a table of many the mean over the others of what he gets from each. The
    odds follow from the ratings of now, or with `update` from those that the run has come to. Nobody ties in a table of
    many that is drawn.
    """
    log, system, values = asked.read()
    assert asked.error is not None
    told, files = (_first(remaining, asked.how), remaining) if remaining else (asked.error, asked.logs)
    left = read_sided_logs(told, files, asked.how, unplayed=True)
    if left.games.empty:
        raise UnreadableInput("no game is left to play: the log has none without a result; give them with --remaining")
    fixtures = _spelt(left.games, team_players(log.games))
    name, names = asked.rules.name, list(dict.fromkeys([*team_players(log.games), *team_players(fixtures)]))
    found = sided_starts(asked.start, system, names, values)
    rule = SidedRule(system, values, max(2, shape_of(log.games)[0], shape_of(fixtures)[0]))
    rates = not {"points", "opponent_points"} & rule.system.reads
    if update and not rates:
        raise UsageError(f"system {name} cannot rate a game by its result alone: say --no-update")
    now = {one: rule.start_of(found.states.get(one, {}), one) for one in names}
    scores, expected = _played(rule, log.games, now)
    share, drawn = draw_model(draws, _scored(scores), lambda: _array(expected))
    counted = _counted(log.games, fixtures, since)
    at = {one: i for i, one in enumerate(names)}
    so_far, totals = _points_so_far(counted, at, points), np.zeros((len(names), runs))
    season = Runs(rule, now, runs, np.random.Generator(np.random.PCG64(seed)), drawn, points, update, rates)
    for done, (_, game) in enumerate(fixtures.groupby("game"), 1):
        sides = [part["player"].tolist() for _, part in game.groupby("side")]
        for members, made in zip(sides, season.play(sides), strict=True):
            totals[[at[one] for one in members]] += made
        if playing is not None:
            playing(done, left.kept)
    bands = season.bands()
    kept = sorted({at[one] for one in (*counted["player"], *fixtures["player"])})
    standings = totals[kept] + so_far[kept][:, None]
    chances = [
        Chances(
            names[i], float(so_far[i]), float(own.mean()), chance.tolist(), now[names[i]]["rating"], bands.get(names[i])
        )
        for i, own, chance in zip(kept, standings, place_chances(standings), strict=True)
    ]
    problems = unless_open(log.problems, left.games)
    problems += [one for one in left.problems if remaining and one not in problems]
    more = [] if rates else [f"system {name} cannot rate a game by its result alone: no ratings after the games"]
    return Simulated(
        sorted(chances, key=lambda one: (-one.expected_points, one.name)),
        name,
        values,
        runs,
        seed,
        share,
        update,
        log.kept,
        int(counted["game"].nunique()),
        left.kept,
        GamesRead(log.games, problems, log.notes),
        [*log.notes, *found.notes, *more],
    )


def _points_so_far(counted: pd.DataFrame, at: Mapping[str, int], points: tuple[float, float, float]) -> Array:
    found = np.zeros(len(at))
    for _, game in counted.groupby("game"):
        places = dict(zip(game["side"], game["place"], strict=True))
        for name, side in zip(game["player"], game["side"], strict=True):
            met = opponents(side, places, "pairwise")
            found[at[name]] += sum(share * points[round(2 - 2 * score)] for _, share, score in met)
    return found


def refuse_for_sides(schedule: str | None, only: Sequence[str], published: bool) -> None:
    """Raise `UsageError` for what a simulation of games of sides has no use for."""
    if schedule is not None or only:
        raise UsageError(
            "who plays with whom is not known of a round robin of teams or of many: give the games with --remaining"
        )
    if published:
        raise UsageError("logs of games of teams or of many publish no ratings: leave out --published")


def _first(logs: Sequence[Any], how: HowRead) -> GamesOfSidesError:
    """Return what says that a file of games to come holds games of sides."""
    if (error := error_of_sides([logs[0]], how)) is not None:
        return error
    raise UsageError("the log holds games of teams or of many, and the games to come are of two players each")


def _spelt(games: pd.DataFrame, known: Sequence[str]) -> pd.DataFrame:
    names = {identity(name): name for name in (*reversed(team_players(games)), *known)}
    return games.assign(player=[names[identity(name)] for name in games["player"]])


def _counted(games: pd.DataFrame, fixtures: pd.DataFrame, since: str | None) -> pd.DataFrame:
    """Return the games that count for the points: from a day on, of the events that all the games to come name."""
    games = games[since_day(games, since)]
    if (fixtures["event"] != "").all():
        games = games[games["event"].isin(fixtures["event"].unique())]
    return games


def is_of_sides(names: Sequence[str]) -> bool:
    """Return whether players who are asked about without a log are several to a side."""
    return any(len(names_in(name)) > 1 and AND.strip() in name for name in names)
