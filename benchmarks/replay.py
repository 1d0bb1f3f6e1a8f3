"""The replay, compiled: `elo` game by game against a bare numba loop and against other packages, `glicko2` by month.

Ours is `replay_arrays`, final ratings only. The bare loop is what a programmer writes for this one rule: one array of
ratings, one power a game. The others are rated by their fastest public way, on fewer games because they are slower;
their players and their form of the log are got ready before the clock starts, ours allocates inside it. Everything runs
in turns in one process, and the ratios are those of the medians. What numba takes to be imported and to compile is
measured once, before, and is in no ratio.

Players are active by Zipf's law: the first plays a hundred times as often as the hundredth. A package that is not
installed is named as not measured.

    python benchmarks/replay.py [--games 10000000] [--players 100000] [--turns 5] [--json]
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import time
import tracemalloc
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np

from elo_sheets.replaying.replay import GameArrays, replay_arrays
from elo_sheets.systems import System, system

K = 20.0
MONTHS = 60

# Final ratings closer than this are the same.
SAME = 1e-6

# riix compares every game of a period with every player of it, so its batches get a thinner log: every tenth game.
THINNER = 10

Array = Any
Work = Callable[[], object]


class Log(NamedTuple):
    """Games in the order of play; `month` numbers their rating periods."""

    white: Array
    black: Array
    score: Array
    month: Array
    players: int

    def first(self, games: int) -> Log:
        return Log(self.white[:games], self.black[:games], self.score[:games], self.month[:games], self.players)

    def thinned(self, step: int) -> Log:
        return Log(*(np.ascontiguousarray(array[::step]) for array in self[:4]), self.players)


class Peer(NamedTuple):
    """Another package: what rates a log in it, and what is known to differ from our rule.

    `ready` returns the work to be timed and a function that returns the ratings after it.
    """

    name: str
    ready: Callable[[Log], tuple[Work, Callable[[], Array]]]
    differs: str = ""
    log: Callable[[Log], Log] = lambda log: log


def made_up(games: int, players: int) -> Log:
    """Return a log of made-up games, whose results follow hidden strengths with 30 % draws."""
    chance = np.random.default_rng(1872)
    share = np.cumsum(1 / np.arange(1, players + 1))
    white, black = (np.searchsorted(share, share[-1] * chance.random(games)) for _ in range(2))
    black[white == black] = (black[white == black] + 1) % players
    strength = chance.normal(1500, 200, players)
    expected = 1 / (1 + 10 ** ((strength[black] - strength[white]) / 400))
    luck = chance.random(games)
    score = ((luck < expected - 0.15) + 1.0 * (luck < expected + 0.15)) / 2
    return Log(white, black, score, np.arange(games) * MONTHS // games, players)


# --- ours, and the bare loop


def ours(log: Log, rule: System, compiled: bool = True) -> Array:
    """Return our final ratings: Elo game by game, any other rule by month."""
    elo = rule.name == "elo"
    games = GameArrays(log.white, log.black, log.score, log.players, period=None if elo else log.month)
    return replay_arrays(games, rule, {"k": K} if elo else {}, compiled=compiled)[0]["rating"]


def bare_loop() -> Callable[[Log], Array]:
    """Return Elo with nothing around it, still to be compiled."""
    import numba

    @numba.njit
    def rate(white: Array, black: Array, score: Array, players: int, k: float) -> Array:
        ratings = np.full(players, 1500.0)
        for game in range(len(score)):
            i, j = white[game], black[game]
            change = k * (score[game] - 1 / (1 + 10 ** ((ratings[j] - ratings[i]) / 400)))
            ratings[i] += change
            ratings[j] -= change
        return ratings

    return lambda log: rate(log.white, log.black, log.score, log.players, K)


# --- the others: Elo


def rows(log: Log) -> list[tuple[int, int, float]]:
    return list(zip(log.white.tolist(), log.black.tolist(), log.score.tolist(), strict=True))


def decisive(log: Log) -> Log:
    """Return the log as skelo understands it: a draw is a win of White's."""
    return log._replace(score=np.ceil(log.score))


def elote_elo(log: Log) -> tuple[Work, Callable[[], Array]]:
    from elote import EloCompetitor

    everyone = [EloCompetitor(1500, K) for _ in range(log.players)]
    games = [(everyone[i], everyone[j], score) for i, j, score in rows(log)]

    def work() -> None:
        for white, black, score in games:
            if score == 1:
                white.beat(black)
            elif score == 0:
                black.beat(white)
            else:
                white.tied(black)

    return work, lambda: np.array([player.rating for player in everyone])


def skelo_model(log: Log, model: Any, rating: Callable[[Any], float]) -> tuple[Work, Callable[[], Array]]:
    model.build(range(log.players))
    games = [(i, j) if score else (j, i) for i, j, score in rows(log)]

    def work() -> None:
        for at, (winner, loser) in enumerate(games):
            model.update(winner, loser, at)

    return work, lambda: np.array([rating(model.get(i)["rating"]) for i in range(log.players)])


def skelo_elo(log: Log) -> tuple[Work, Callable[[], Array]]:
    from skelo.model.elo import EloModel

    return skelo_model(log, EloModel(default_k=K), float)


def riix_dataset(log: Log, period: Array) -> Any:
    from riix.utils.data_utils import MatchupDataset

    sides = np.column_stack([log.white, log.black])
    return MatchupDataset.init_from_arrays(period.astype("int32"), sides, log.score, range(log.players))


def riix_elo(log: Log) -> tuple[Work, Callable[[], Array]]:
    from riix.models.elo import Elo

    model = Elo(range(log.players), k=K, alpha=math.log(10) / 400)
    games = riix_dataset(log, np.zeros(len(log.score)))
    return lambda: model.fit_dataset(games), lambda: model.ratings


# --- the others: Glicko-2


def riix_glicko2(log: Log, method: str) -> tuple[Work, Callable[[], Array]]:
    from riix.models.glicko2 import Glicko2

    model = Glicko2(range(log.players), update_method=method)
    games = riix_dataset(log, log.month)
    return lambda: model.fit_dataset(games), lambda: 1500 + 173.7178 * model.mus


def glicko2_package(log: Log) -> tuple[Work, Callable[[], Array]]:
    from glicko2 import Player

    everyone = [Player() for _ in range(log.players)]
    last = [-1] * log.players
    months: list[list[tuple[int, int, float]]] = [[] for _ in range(MONTHS)]
    for month, game in zip(log.month.tolist(), rows(log), strict=True):
        months[month].append(game)

    def begin(i: int, month: int) -> tuple[float, float, list[float], list[float], list[float]]:
        for _ in range(month - last[i] - 1 if last[i] >= 0 else 0):
            everyone[i].did_not_compete()
        last[i] = month
        return everyone[i].rating, everyone[i].rd, [], [], []

    def work() -> None:
        for month, games in enumerate(months):
            playing: dict[int, tuple[float, float, list[float], list[float], list[float]]] = {}
            for i, j, score in games:
                white = playing.get(i) or playing.setdefault(i, begin(i, month))
                black = playing.get(j) or playing.setdefault(j, begin(j, month))
                for (_, _, ratings, rds, scores), other, result in ((white, black, score), (black, white, 1 - score)):
                    ratings.append(other[0])
                    rds.append(other[1])
                    scores.append(result)
            for i, (_, _, ratings, rds, scores) in playing.items():
                everyone[i].update_player(ratings, rds, scores)

    return work, lambda: np.array([player.rating for player in everyone])


def elote_glicko2(log: Log) -> tuple[Work, Callable[[], Array]]:
    from elote import Glicko2Competitor

    Glicko2Competitor.configure_class(rating_period_days=30.0)
    everyone = [Glicko2Competitor() for _ in range(log.players)]
    days = [datetime(2000, 1, 1) + timedelta(days=30 * month) for month in range(MONTHS)]
    games = [
        (everyone[i], everyone[j], score, days[month])
        for (i, j, score), month in zip(rows(log), log.month.tolist(), strict=True)
    ]

    def work() -> None:
        for white, black, score, day in games:
            if score == 1:
                white.beat(black, day)
            elif score == 0:
                black.beat(white, day)
            else:
                white.tied(black, day)

    return work, lambda: np.array([player.rating for player in everyone])


def skelo_glicko2(log: Log) -> tuple[Work, Callable[[], Array]]:
    from skelo.model.glicko2 import Glicko2Model

    return skelo_model(log, Glicko2Model(), lambda rating: rating[0])


PEERS = {
    "elo": [
        Peer("riix, one by one", riix_elo),
        Peer("elote, direct", elote_elo),
        Peer("skelo, model (draws as White's wins)", skelo_elo, log=decisive),
    ],
    "glicko2": [
        Peer(
            "riix, batches, every tenth game",
            lambda log: riix_glicko2(log, "batched"),
            log=lambda log: log.thinned(THINNER),
        ),
        Peer(
            "riix, one by one",
            lambda log: riix_glicko2(log, "iterative"),
            "a month's games are rated one after the other",
        ),
        Peer("glicko2", glicko2_package, "the volatility takes the rating for RD; no other step differs"),
        Peer("elote, direct", elote_glicko2, "each game is a period, the month only widens RD"),
        Peer("skelo, model", skelo_glicko2, "each game is a period, time does not count", decisive),
    ],
}


# --- measuring


def seconds(work: Work) -> float:
    """How long a call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def rate(games: int, times: list[float]) -> int:
    """Return games per second by the median."""
    return round(games / statistics.median(times))


def gap(a: Array, b: Array) -> float:
    return float(np.abs(a - b).max())


def numba_seconds() -> float:
    def load() -> None:
        import numba  # noqa: F401

    try:
        return seconds(load)
    except ImportError:
        raise SystemExit("this benchmark compares compiled loops: install numba (extra fast)") from None


def first_calls(work: Work) -> dict[str, float]:
    """Return what the first call of a compiled function takes, and the second."""
    return {"first_call_seconds": round(seconds(work), 3), "second_call_seconds": round(seconds(work), 5)}


def peak_bytes(work: Work) -> int:
    """Return how much more memory a call has asked for at one time; pages never touched count."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def against(peer: Peer, rule: System, whole: Log, turns: int) -> dict[str, Any]:
    """Measure a package and ours on the same games, in turns; where it is not installed, say so."""
    log = peer.log(whole)
    try:
        peer.ready(log.first(1))
    except ImportError as missing:
        return {"peer": peer.name, "missing": missing.name}
    theirs, own = [], []
    for _ in range(turns):
        work, ratings = peer.ready(log)
        theirs.append(seconds(work))
        own.append(seconds(lambda: ours(log, rule)))
    return {
        "peer": peer.name,
        "games": len(log.score),
        "games_per_second": rate(len(log.score), theirs),
        "ours_on_these_games_per_second": rate(len(log.score), own),
        "largest_difference": gap(ratings(), ours(log, rule)),
        "differs": peer.differs,
    }


def with_peers(result: dict[str, Any], rule: System, log: Log, turns: int) -> dict[str, Any]:
    """Add the packages and how many times as fast as each ours is."""
    result["peers"] = [against(peer, rule, log, turns) for peer in PEERS[rule.name]]
    measured = [peer for peer in result["peers"] if "missing" not in peer]
    for peer in measured:
        peer["ratio"] = round(result["compiled_per_second"] / peer["games_per_second"], 1)
        peer["ratio_on_these_games"] = round(peer["ours_on_these_games_per_second"] / peer["games_per_second"], 1)
    result["fastest_peer_ratio"] = min((peer["ratio"] for peer in measured), default=None)
    return result


def elo(given: argparse.Namespace) -> dict[str, Any]:
    rule, log = system("elo"), made_up(given.games, given.players)
    few, bare = log.first(given.plain_games), bare_loop()
    compiling = first_calls(lambda: ours(log.first(2), rule))
    compiling_bare = first_calls(lambda: bare(log.first(2)))
    own, limit, plain = [], [], []
    for _ in range(given.turns):
        own.append(seconds(lambda: ours(log, rule)))
        limit.append(seconds(lambda: bare(log)))
        plain.append(seconds(lambda: ours(few, rule, compiled=False)))
    result = {
        "games": given.games,
        "plain_games": len(few.score),
        "ours": compiling,
        "bare_loop": compiling_bare,
        "compiled_per_second": rate(given.games, own),
        "bare_loop_per_second": rate(given.games, limit),
        "plain_per_second": rate(len(few.score), plain),
        "bare_loop_ratio": round(statistics.median(limit) / statistics.median(own), 3),
        "bare_loop_difference": gap(ours(log, rule), bare(log)),
        "plain_difference": gap(ours(few, rule, compiled=False), ours(few, rule)),
        "bytes_per_game": round(peak_bytes(lambda: ours(log, rule)) / given.games, 1),
    }
    return with_peers(result, rule, log.first(given.peer_games), given.turns)


def glicko2(given: argparse.Namespace) -> dict[str, Any]:
    rule, log = system("glicko2"), made_up(given.glicko_games, given.players)
    compiling = first_calls(lambda: ours(log.first(2), rule))
    own = [seconds(lambda: ours(log, rule)) for _ in range(given.turns)]
    result = {
        "games": given.glicko_games,
        "months": MONTHS,
        "ours": compiling,
        "compiled_per_second": rate(given.glicko_games, own),
        "bytes_per_game": round(peak_bytes(lambda: ours(log, rule)) / given.glicko_games, 1),
    }
    return with_peers(result, rule, log.first(given.peer_games), given.turns)


# --- printing


def line(name: str, games: int, per_second: int, rest: str = "") -> None:
    print(f"  {name:38}{games:>12,} games {per_second:>13,} games/s  {rest}".rstrip())


def show_peers(result: dict[str, Any], aim: str) -> None:
    for peer in result["peers"]:
        if "missing" in peer:
            print(f"  {peer['peer']:38}not measured: {peer['missing']} is not installed")
            continue
        same = peer["largest_difference"] <= SAME
        verdict = "the same ratings" if same else f"up to {peer['largest_difference']:.3g} points apart"
        times = f"ours {peer['ratio']:,.1f} times, {peer['ratio_on_these_games']:,.1f} on these games"
        reason = "" if same or not peer["differs"] else f": {peer['differs']}"
        line(peer["peer"], peer["games"], peer["games_per_second"], f"{times}; {verdict}{reason}")
    print(f"  times as fast as the fastest of them: {result['fastest_peer_ratio']}    ({aim} is the aim)")


def show_calls(name: str, calls: dict[str, float]) -> None:
    first, second = calls["first_call_seconds"], calls["second_call_seconds"]
    print(f"  {name}: first call, compiling, {first:.2f} s; second {1000 * second:.1f} ms (two games)")


def show(result: dict[str, Any]) -> None:
    own, other = result["elo"], result["glicko2"]
    print(f"{result['players']:,} players, medians of {result['turns']} turns; numba imported in", end=" ")
    print(f"{result['numba_import_seconds']:.2f} s")
    print("\nelo, game by game")
    show_calls("elo-sheets", own["ours"])
    show_calls("bare loop", own["bare_loop"])
    line("elo-sheets, compiled", own["games"], own["compiled_per_second"], f"{own['bytes_per_game']} bytes/game")
    apart = f"up to {own['bare_loop_difference']:.1g} points apart"
    line("bare numba loop", own["games"], own["bare_loop_per_second"], apart)
    apart = f"up to {own['plain_difference']:.1g} points apart"
    line("elo-sheets, plain", own["plain_games"], own["plain_per_second"], apart)
    print(f"  share of the bare loop's speed: {own['bare_loop_ratio']:.2f}    (at least 0.5 is the aim)")
    show_peers(own, "at least 20")
    print(f"\nglicko2, {other['months']} months")
    show_calls("elo-sheets", other["ours"])
    line("elo-sheets, compiled", other["games"], other["compiled_per_second"], f"{other['bytes_per_game']} bytes/game")
    show_peers(other, "above 1")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--games", type=int, default=10_000_000)
    options.add_argument("--players", type=int, default=100_000)
    options.add_argument("--plain-games", type=int, default=1_000_000, help="of them, for our loop without numba")
    options.add_argument("--glicko-games", type=int, default=1_000_000)
    options.add_argument("--peer-games", type=int, default=100_000, help="the first so many, for the other packages")
    options.add_argument("--turns", type=int, default=5)
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    result = {"players": given.players, "turns": given.turns, "numba_import_seconds": round(numba_seconds(), 3)}
    result |= {"elo": elo(given), "glicko2": glicko2(given)}
    if given.json:
        print(json.dumps(result, indent=2))
    else:
        show(result)


if __name__ == "__main__":
    main()
