"""The rest of a season or a whole schedule, played out many times: points, places and ratings.

A game's expected score is what the rating system forecasts; the draw model says how many games are drawn at it. All
runs are computed at once: a number of a player is an array with an element a run, and the steps of the system work on
such arrays as they do on floats. What the games do to the ratings follows from the system's own steps, period by
period, as in the replay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from elo_sheets._late import Array, np, pd
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import GamesRead, check_games, find_player, identity, make_games, near_names, players
from elo_sheets.readers import HowRead, Logs, one_by_one, read_for
from elo_sheets.readers._open_rows import RESULTS
from elo_sheets.readers.fixtures import again, as_spelled, read_fixtures
from elo_sheets.replaying.settings import forming, resolve
from elo_sheets.replaying.starting import NONE, Start, starts, word_of
from elo_sheets.replaying.weighing import weighted
from elo_sheets.systems import JointSystem, Rules, System
from elo_sheets.systems import system as find_system
from elo_sheets.team_games import GamesOfSidesError
from elo_sheets.uses.chances import BAND, Chances, Simulated, draw_model, place_chances, since_day, unless_open
from elo_sheets.uses.listing import of_list
from elo_sheets.uses.notes import ruled
from elo_sheets.uses.prediction import predict
from elo_sheets.uses.season_runs import Season, joined, play, prepare
from elo_sheets.uses.sided import OfSides, asked_of_sides
from elo_sheets.uses.sided_odds import refuse_for_sides, simulate_sides

RUNS = 10_000
# So many names are told in a remark.
MOST_TOLD = 5
WIN_DRAW_LOSS = (1.0, 0.5, 0.0)


def simulate(
    games: pd.DataFrame,
    remaining: pd.DataFrame,
    system: Rules,
    settings: Mapping[str, Any] | None = None,
    *,
    runs: int = RUNS,
    seed: int = 1,
    draws: str | float = "log",
    points: tuple[float, float, float] = WIN_DRAW_LOSS,
    update: bool = False,
    published: bool = False,
    start: Start = None,
    counted: Array | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Simulated:
    """Return how the remaining games go in many runs, after the games played.

    Both are tables of games, those of `remaining` without scores that count. Ratings are those after the games played,
    or with `published` the last ones that the tables publish; `start` says what players start from (see `starts`), and
    a player without a game has the first rating that the remaining games publish, else the initial one. The odds of all
    games follow from these ratings, or with `update` from those that the run has come to. `draws` is the share of drawn
    games, "none", "log" for their share of the games played, most between equals (`draws_at`), or "labelle" for what
    his model says of two ratings; the expected score stays the system's, so a share that it does not leave room for is
    cut. `points` are those for a win, a draw and a loss. `counted` says which games played count for the points, all
    unless given. A rating period that has begun counts as over, and another begins.

    The same arguments give the same result: the random numbers are those of PCG64. `progress` is called with the games
    done and their number. Memory grows with players times runs.

    Raises `UsageError` for a system that cannot forecast, or with `update` cannot rate a game by its result alone;
    `UnreadableInput` when no game is left to play, or one lacks what the period or a step needs.

    >>> def game(white, black):
    ...     return {"white": white, "black": black, "score": 0.5, "source": "doc", "source_row": 1}
    >>> played, left = make_games([game("Ann", "Bob")]), make_games([game("Bob", "Ann")])
    >>> found = simulate(played, left, find_system("elo"), runs=1000, draws=1)
    >>> [(one.name, one.expected_points, list(one.places)) for one in found.players]
    [('Ann', 1.0, [0.5, 0.5]), ('Bob', 1.0, [0.5, 0.5])]
    """
    values = resolve(system, settings)
    games, remaining = (weighted(check_games(table), system, values) for table in (games, remaining))
    _check_arguments(runs, seed, draws, points)
    _check_season(remaining, system, published, start)
    assert isinstance(system, System | JointSystem)
    found = starts(start, system, joined(games, remaining, system), values.typed)
    refuse_whole_events(system, values)
    season = prepare(games, remaining, system, values, found, published, word_of(start) != NONE)
    if update and not season.rates:
        raise UsageError(f"system {system.name} cannot rate a game by its result alone: say --no-update")
    share, drawn = draw_model(draws, games, lambda: predict(games, system, values, start=found.of(games)))
    mask = np.ones(len(games), bool) if counted is None else counted
    totals, ratings = play(season, runs, seed, drawn, points, update, progress)
    chances = _chances(season, totals, ratings, _points_so_far(season, games[mask], points), games[mask])
    chances.sort(key=lambda one: (-one.expected_points, one.name))
    return Simulated(
        players=chances,
        system=system.name,
        settings=values,
        runs=runs,
        seed=seed,
        draws=share,
        update=update,
        played=len(games),
        counted=int(mask.sum()),
        remaining=len(remaining),
        log=GamesRead(games),
        notes=() if published else found.notes,
    )


def _check_arguments(runs: int, seed: int, draws: str | float, points: tuple[float, float, float]) -> None:
    if runs < 1:
        raise UsageError(f"expected at least one run, got {runs!r}")
    if seed < 0:
        raise UsageError(f"expected a seed of 0 or more, got {seed!r}")
    if not (draws in {"log", "labelle", "none"} or (not isinstance(draws, str) and 0 <= draws <= 1)):
        raise UsageError(f"expected draws to be log, labelle, none, or their share from 0 to 1, got {draws!r}")
    if not points[0] >= points[1] >= points[2]:
        raise UsageError(
            f"expected no fewer points for a win than for a draw, and for a draw than a loss, got {points}"
        )


def _check_season(remaining: pd.DataFrame, system: Rules, published: bool, start: Start) -> None:
    if remaining.empty:
        raise UnreadableInput(
            "no game is left to play: the log has none without a result; give them with --remaining, or say "
            "--round-robin or --double-round-robin"
        )
    if not isinstance(system, System | JointSystem):
        raise UsageError(
            f"system {system.name} fits the whole log at once: it cannot predict a game before it is played"
        )
    if published and start is not None:
        raise UsageError("--published and --start both say what the ratings begin with: give one of them")


def _chances(
    season: Season, made: Array, ratings: Sequence[Array] | None, so_far: Array, counted: pd.DataFrame
) -> list[Chances]:
    """Return what the runs say of each player in the standings: those who have played or are still to play."""
    numbers = np.unique(np.concatenate([season.white, season.black, _numbers(season, counted)]))
    standings = made[numbers] + so_far[numbers][:, None]
    places = place_chances(standings)
    found = []
    for at, i in enumerate(numbers.tolist()):
        band = None
        if ratings is not None:
            low, median, high = np.quantile(ratings[i], BAND).tolist()
            band = (low, median, high)
        mean, rating = float(standings[at].mean()), float(season.states["rating"][i, 0])
        found.append(Chances(season.names[i], float(so_far[i]), mean, places[at].tolist(), rating, band))
    return found


def refuse_whole_events(system: Rules, values: Mapping[str, Any]) -> None:
    """Raise `UsageError` for a rule that asks which of an event's games is the widest: games to come are one by one."""
    if isinstance(system, System) and "widest" in system.shaped(values).reads:
        chosen = ", ".join(f"{name}={values[name]}" for name in forming(system, values))
        raise UsageError(
            f"system {system.name} with {chosen} looks at all games of an event at once: it cannot play games to come "
            "one by one; leave these settings out"
        )


def _numbers(season: Season, games: pd.DataFrame) -> Array:
    """Return the numbers of the players of games, White's and Black's."""
    at = {name: i for i, name in enumerate(season.names)}
    return np.array([at[name] for side in ("white", "black") for name in games[side]], "int64")


def _points_so_far(season: Season, games: pd.DataFrame, points: tuple[float, float, float]) -> Array:
    halves = (2 * games["score"].to_numpy("float64")).astype("int64")
    table = np.array(points[::-1])
    both = np.concatenate([table[halves], table[2 - halves]])
    found: Array = np.bincount(_numbers(season, games), both, minlength=len(season.names))
    return found


# --- schedules


def round_robin(names: Sequence[str], double: bool = False) -> list[list[tuple[str, str]]]:
    """Return the rounds of a tournament of all against all, as pairs of White or home and Black or away.

    The players stand on a circle around one of them, whose colours alternate, and move on by a place a round; so nobody
    has a colour more than once more often than the other. A double one has the same rounds again, colours reversed.

    >>> round_robin(["Ann", "Bob", "Cid"])
    [[('Bob', 'Cid')], [('Cid', 'Ann')], [('Ann', 'Bob')]]
    """
    circle: list[str | None] = [*names, *([None] if len(names) % 2 else [])]
    rounds = []
    for number in range(len(circle) - 1):
        pairs = []
        for i in range(len(circle) // 2):
            two = circle[i], circle[-1 - i]
            white, black = two if i > 0 or number % 2 == 0 else two[::-1]
            if white is not None and black is not None:
                pairs.append((white, black))
        rounds.append(pairs)
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return rounds + ([[(black, white) for white, black in pairs] for pairs in rounds] if double else [])


def scheduled(names: Sequence[str], double: bool = False, day: Any = None) -> pd.DataFrame:
    """Return the games of a `round_robin` as a games table, all on one day or without one.

    Raises `UsageError` for fewer than two players.
    """
    if len(names) < 2:
        raise UsageError(f"expected at least two players for a round robin, got {len(names)}")
    return make_games(
        {
            "date": day,
            "white": white,
            "black": black,
            "score": 0.5,
            "event": "round robin",
            "round": str(number),
            "source": "round robin",
            "source_row": number,
        }
        for number, pairs in enumerate(round_robin(names, double), 1)
        for white, black in pairs
    )


# --- logs


def simulate_logs(
    logs: Logs,
    *,
    remaining: Sequence[Any] = (),
    schedule: str | None = None,
    only: Sequence[str] = (),
    since: str | None = None,
    system: str | Rules = "elo",
    settings: Mapping[str, object] | None = None,
    runs: int = RUNS,
    seed: int = 1,
    draws: str | float = "log",
    points: tuple[float, float, float] = WIN_DRAW_LOSS,
    update: bool = False,
    published: bool = False,
    start: Start = None,
    playing: Callable[[int, int], None] | None = None,
    **how: Unpack[HowRead],
) -> Simulated:
    """Read logs and simulate what is left of them: see `simulate`, of which `playing` is the progress.

    The remaining games are those of the files `remaining`, or the games of the logs without a result, or by `schedule`
    ("round-robin", "double-round-robin") a tournament of the players, or of those named in `only`. Points so far are
    those of the games from the day `since` on, in the seasons and events that the remaining games name, where every
    one of them names one; a schedule begins at 0. `how` says how the logs are read (see `read`).
    """
    rules = find_system(system)

    drawn: dict[str, Any] = {"runs": runs, "seed": seed, "draws": draws, "points": points, "update": update}
    try:
        if (sides := asked_of_sides(one_by_one(logs), rules, settings, how)) is not None:
            raise sides
        values = resolve(rules, settings)
        _check_schedule(schedule, remaining, only)
        given = [again(log) for log in one_by_one(logs)]
        log = _played(given, values, schedule is None and not remaining, how)
    except GamesOfSidesError as error:
        refuse_for_sides(schedule, only, published)
        _check_arguments(runs, seed, draws, points)
        asked = OfSides(error, one_by_one(logs), rules, settings, start, how)
        return simulate_sides(asked, remaining=remaining, since=since, playing=playing, **drawn)
    values, said = ruled(rules, values, log.games)
    problems, notes = list(log.problems), [*log.notes, *said]
    left = _still_to_play(log.games, given, remaining, schedule, only, how)
    if remaining:
        notes += left.notes
        problems += left.problems
    elif schedule is None:
        problems = unless_open(problems, left.games)
    fixtures = as_spelled(left.games, log.games)
    done = simulate(
        log.games,
        fixtures,
        rules,
        values,
        **drawn,
        published=published,
        start=of_list(start, log.games, notes),
        counted=_counting(log.games, fixtures, since, schedule is not None),
        progress=playing,
    )
    notes += [*_strangers_said(log.games, fixtures), *done.notes]
    if not all(player.band for player in done.players):
        notes.append(f"system {rules.name} cannot rate a game by its result alone: no ratings after the games")
    return replace(done, log=GamesRead(log.games, problems, log.notes), notes=notes)


def _strangers_said(games: pd.DataFrame, fixtures: pd.DataFrame) -> list[str]:
    """Return the remark on players of the games to come who have none in the log, with the names that come near."""
    known = {identity(name): name for name in players(games)}
    told = []
    for name in players(fixtures) if known else ():
        if identity(name) not in known:
            near = near_names(identity(name), known)[:1]
            told.append(name + (f" (did you mean {known[near[0]]}?)" if near else ""))
    if not told:
        return []
    shown = ", ".join(told[:MOST_TOLD]) + (f" and {len(told) - MOST_TOLD} more" if len(told) > MOST_TOLD else "")
    return [f"players of the games to come who have no game in the log play with their start ratings: {shown}"]


def _check_schedule(schedule: str | None, remaining: Sequence[Any], only: Sequence[str]) -> None:
    if schedule is not None and remaining:
        raise UsageError("the remaining games are those of a file or of a schedule: give one of them")
    if only and schedule is None:
        raise UsageError("players are named for a schedule: say --round-robin or --double-round-robin")


def _played(given: Sequence[Callable[[], Any]], values: Mapping[str, Any], pairings: bool, how: HowRead) -> GamesRead:
    """Return the games played; with `pairings` there may be none in logs that have games without a result."""
    try:
        return read_for([rewind() for rewind in given], values, **how)
    except GamesOfSidesError:
        raise
    except UnreadableInput as error:
        # A list of pairings has no column of results; a log that the system did not give may have had games.
        refused = isinstance(error.__cause__, OSError)
        if refused or not pairings or not read_fixtures([rewind() for rewind in given], **how).kept:
            raise
        return GamesRead(make_games([]))


def _still_to_play(
    games: pd.DataFrame,
    given: Sequence[Callable[[], Any]],
    remaining: Sequence[Any],
    schedule: str | None,
    only: Sequence[str],
    how: HowRead,
) -> GamesRead:
    """Return the games of a schedule, those of the files that hold the rest, or those of the logs without a result."""
    if schedule is not None:
        names = [find_player(games, name) for name in only] or players(games)
        day = games["date"].max() if len(games) else None
        return GamesRead(scheduled(names, schedule == "double-round-robin", day))
    if not remaining:
        return read_fixtures([rewind() for rewind in given], **how)
    columns = {role: at for role, at in (how.get("columns") or {}).items() if role not in RESULTS}
    return read_fixtures(remaining, **(how | {"columns": columns}))


def _counting(games: pd.DataFrame, fixtures: pd.DataFrame, since: str | None, fresh: bool) -> Array:
    """Return which games played count for the points."""
    counted: Array = since_day(games, since) & (not fresh)
    for column in ("season", "event"):
        if column in games and column in fixtures and (fixtures[column] != "").all():
            counted &= games[column].isin(fixtures[column].unique()).to_numpy()
    return counted


def simulation_record(found: Simulated) -> dict[str, Any]:
    """Return a simulation as the JSON output holds it."""
    return {
        "schema": 1,
        "system": found.system,
        "settings": dict(found.settings),
        "origins": dict(found.settings.origins),
        "runs": found.runs,
        "seed": found.seed,
        "draws": found.draws,
        "update": found.update,
        "games_played": found.played,
        "games_counted": found.counted,
        "games_remaining": found.remaining,
        "players": [
            {
                "name": one.name,
                "expected_points": one.expected_points,
                "places": list(one.places),
                "points": one.points,
                "rating": one.rating,
                "rating_after": None
                if one.band is None
                else dict(zip(("low", "median", "high"), one.band, strict=True)),
            }
            for one in found.players
        ],
        "notes": list(found.notes),
    }
