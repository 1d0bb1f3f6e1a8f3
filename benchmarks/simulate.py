"""How long 10,000 runs of a season of 380 games take, against a plain Python loop over fewer runs of the same season.

python benchmarks/simulate.py [RUNS]
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import time

from elo_sheets.games import make_games
from elo_sheets.systems import system
from elo_sheets.uses.simulation import scheduled, simulate

TEAMS, FEWER, TURNS, K, DRAWS = 20, 50, 5, 20, 0.25


def plain(pairs: list[tuple[str, str]], names: list[str], runs: int, update: bool) -> dict[str, float]:
    """Mean points of each team, the results and the ratings of each run one after the other."""
    chance = random.Random(1)
    totals = dict.fromkeys(names, 0.0)
    places = {name: [0] * len(names) for name in names}
    for _ in range(runs):
        ratings = dict.fromkeys(names, 1500.0)
        points = dict.fromkeys(names, 0.0)
        for home, away in pairs:
            expected = 1 / (1 + 10 ** ((ratings[away] - ratings[home]) / 400)) if update else 0.5
            draw = min(DRAWS, 2 * min(expected, 1 - expected))
            number = chance.random()
            score = 1.0 if number < expected - draw / 2 else 0.5 if number < expected + draw / 2 else 0.0
            points[home] += score
            points[away] += 1 - score
            now = 1 / (1 + 10 ** ((ratings[away] - ratings[home]) / 400))
            ratings[home] += K * (score - now)
            ratings[away] -= K * (score - now)
        for name in names:
            totals[name] += points[name]
            places[name][sum(other > points[name] for other in points.values())] += 1
    return {name: total / runs for name, total in totals.items()}


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    names = [f"Team {i}" for i in range(1, TEAMS + 1)]
    left = scheduled(names, double=True)
    pairs = list(zip(left["white"], left["black"], strict=True))
    result: dict[str, object] = {"games": len(left), "runs": runs, "plain_runs": FEWER}
    for update in (False, True):
        ours, theirs = [], []
        for _ in range(TURNS):
            began = time.perf_counter()
            simulate(make_games([]), left, system("elo"), {"k": K}, runs=runs, draws=DRAWS, update=update)
            ours.append(time.perf_counter() - began)
            began = time.perf_counter()
            plain(pairs, names, FEWER, update)
            theirs.append((time.perf_counter() - began) * runs / FEWER)
        name = "update" if update else "no_update"
        result[f"{name}_seconds"] = round(statistics.median(ours), 3)
        result[f"{name}_plain_seconds"] = round(statistics.median(theirs), 1)
        result[f"{name}_ratio"] = round(statistics.median(ours) / statistics.median(theirs), 4)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
