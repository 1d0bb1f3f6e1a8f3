"""Games of teams and of many: against published packages, and against replays written here from the formulas."""

from __future__ import annotations

import csv
import math
import random
from pathlib import Path
from typing import Any

import pytest

from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.replaying.sided import replay_sides
from elo_sheets.systems import SYSTEMS, system, trueskill, weng_lin
from elo_sheets.systems.sides import FORMS
from elo_sheets.team_games import make_team_games

DATA = Path(__file__).parents[1] / "data" / "sides"
PLAYERS = [f"Player {i}" for i in range(1, 41)]

Game = list[tuple[int, list[str]]]  # the place of each side, and its players


def published(name: str) -> list[tuple[str, list[list[dict[str, float]]]]]:
    """The games of a table of `tests/data/sides`: the model, and the rows of each side."""
    found: dict[tuple[str, str], dict[str, list[dict[str, float]]]] = {}
    with (DATA / name).open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            model = row.pop("model", "")
            sides = found.setdefault((model, row["game"]), {})
            sides.setdefault(row["side"], []).append({key: float(value) for key, value in row.items()})
    return [(model, list(sides.values())) for (model, _), sides in found.items()]


def taken(sides: list[list[dict[str, float]]]) -> tuple[Any, Any, Any, Any]:
    before = [[(row["mu"], row["sigma"]) for row in side] for side in sides]
    after = [[(row["mu_after"], row["sigma_after"]) for row in side] for side in sides]
    return before, [side[0]["place"] for side in sides], [[row["weight"] for row in side] for side in sides], after


def test_trueskill_of_teams_ties_and_partial_play_is_that_of_the_package() -> None:
    games = published("trueskill.csv")
    assert len(games) == 40
    for _, sides in games:
        before, places, weights, after = taken(sides)
        found = trueskill.rate_sides(before, places, weights)
        for got, wanted in zip(found, after, strict=True):
            for one, other in zip(got, wanted, strict=True):
                assert one == pytest.approx(other, abs=2e-6)


def ratings_of(sides: list[list[dict[str, float]]]) -> list[tuple[float, float]]:
    """The ratings and deviations after one game, by the replay, in the order of the rows of a table."""
    names = [[f"Player {i}-{j}" for j in range(len(side))] for i, side in enumerate(sides)]
    told = list(zip(flat(names), flat(sides), strict=True))
    start = {name: {"rating": row["mu"], "sigma": row["sigma"]} for name, row in told}
    games = table_of(
        [[(int(side[0]["place"]), own) for side, own in zip(sides, names, strict=True)]],
        {(0, name): row["weight"] for name, row in told},
    )
    found = replay_sides(games, system("trueskill"), start=start).ratings.set_index("player")
    return [(found.loc[name, "rating"], found.loc[name, "sigma"]) for name, _ in told]


def test_trueskill_of_teams_and_draws_is_the_table_that_the_package_is_tested_by() -> None:
    tables: dict[str, dict[str, list[dict[str, float]]]] = {}
    with (DATA / "trueskill_published.csv").open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            name, side = row.pop("game"), row["side"]
            tables.setdefault(name, {}).setdefault(side, []).append({key: float(n) for key, n in row.items()})
    assert len(tables) == 24
    for name, sides in tables.items():
        rows = flat(sides.values())
        for row, found in zip(rows, ratings_of(list(sides.values())), strict=True):
            printed = 10 ** -row["decimals"]
            assert found == pytest.approx((row["mu_after"], row["sigma_after"]), abs=printed), name


def test_the_published_table_of_eight_players_comes_out_of_the_replay() -> None:
    with (DATA.parent / "trueskill" / "eight_players.csv").open(encoding="utf-8") as stream:
        rows = [{key: float(n) for key, n in row.items()} for row in csv.DictReader(stream)]
    table = [[{"mu": r["mu_start"], "sigma": r["sigma_start"], "place": r["finish"], "weight": 1.0}] for r in rows]
    found = [f"{number:.3f}" for pair in ratings_of(table) for number in pair]
    printed = [f"{row[name]:.3f}" for row in rows for name in ("mu_after", "sigma_after")]
    # The sigma of the two in the middle is 4.874549: printed as 4.874, rounded as 4.875.
    assert [(a, b) for a, b in zip(found, printed, strict=True) if a != b] == [("4.875", "4.874")] * 2


def test_openskill_is_that_of_the_package() -> None:
    games = published("openskill.csv")
    assert len(games) == 60
    for model, sides in games:
        before, places, weights, after = taken(sides)
        found = weng_lin.rate_sides(before, places, weights, model=model)
        for got, wanted in zip(found, after, strict=True):
            for one, other in zip(got, wanted, strict=True):
                assert one == pytest.approx(other, abs=1e-9)


def flat(lists: Any) -> list[Any]:
    return [one for part in lists for one in part]


def table_of(games: list[Game], weights: dict[tuple[int, str], float] | None = None) -> Any:
    return make_team_games(
        {"game": at, "side": side, "player": player, "place": place, "weight": (weights or {}).get((at, player), 1.0)}
        for at, game in enumerate(games)
        for side, (place, players) in enumerate(game, 1)
        for player in players
    )


@pytest.mark.parametrize(("name", "source"), [("trueskill", "trueskill.csv"), ("weng-lin", "openskill.csv")])
def test_the_replay_of_one_game_is_that_of_the_package(name: str, source: str) -> None:
    for model, sides in published(source)[::5]:
        before, places, weights, after = taken(sides)
        names = [[f"{i}-{j}" for j in range(len(side))] for i, side in enumerate(before)]
        states = dict(zip(flat(names), flat(before), strict=True))
        start = {player: {"rating": mu, "sigma": sigma} for player, (mu, sigma) in states.items()}
        own = {(0, p): w for side, told in zip(names, weights, strict=True) for p, w in zip(side, told, strict=True)}
        games = table_of([list(zip(map(int, places), names, strict=True))], own)
        settings = {"model": model} if model else {}
        ratings = replay_sides(games, system(name), settings, start=start).ratings.set_index("player")
        for player, (mu, sigma) in zip(flat(names), flat(after), strict=True):
            found = ratings.loc[player]
            assert (found["rating"], found["sigma"]) == pytest.approx((mu, sigma), abs=2e-6)


# --- Elo, written here once more


def chance(own: float, other: float) -> float:
    return 1 / (1 + 10 ** ((other - own) / 400))


def strength(ratings: list[float], weights: list[float], rule: str) -> float:
    if rule == "sum":
        return sum(ratings)
    if rule == "strongest":
        return max(ratings)
    if rule == "weighted":
        return sum(r * w for r, w in zip(ratings, weights, strict=True)) / sum(weights)
    return sum(ratings) / len(ratings)


def replayed_here(games: list[Game], weights: dict[Any, float], k: float, side: str, share: str, table: str) -> Any:
    rating = dict.fromkeys(PLAYERS, 1500.0)
    for at, game in enumerate(games):
        own = [[rating[p] for p in players] for _, players in game]
        told = [[weights.get((at, p), 1.0) for p in players] for _, players in game]
        strengths = [strength(r, w, side) for r, w in zip(own, told, strict=True)]
        best = [i for i, (place, _) in enumerate(game) if place == min(place for place, _ in game)]
        after = dict(rating)
        for i, (place, players) in enumerate(game):
            others = [j for j in range(len(game)) if j != i]
            scores = {j: (place < game[j][0]) + 0.5 * (place == game[j][0]) for j in others}
            if table == "pairwise" or len(others) == 1:
                change = sum(k * (scores[j] - chance(strengths[i], strengths[j])) for j in others) / len(others)
            elif table == "mean":
                mean = sum(strengths[j] for j in others) / len(others)
                change = k * (sum(scores.values()) / len(others) - chance(strengths[i], mean))
            else:
                played = [j for j in others if i in best or j in best]
                change = sum(k * (scores[j] - chance(strengths[i], strengths[j])) for j in played) / len(best)
            for at_side, player in enumerate(players):
                part = {
                    "alike": 1.0,
                    "rating": own[i][at_side] * len(players) / sum(own[i]),
                    "weight": told[i][at_side] * len(players) / sum(told[i]),
                }[share]
                after[player] = rating[player] + change * part
        rating = after
    return rating


def random_games(count: int, seed: int, sides: tuple[int, ...], sizes: tuple[int, ...]) -> list[Game]:
    dice = random.Random(seed)
    games = []
    for _ in range(count):
        number = dice.choice(sides)
        drawn = dice.sample(PLAYERS, number * max(sizes))
        places = [dice.randint(1, number) for _ in range(number)]
        games.append([(places[i], [drawn.pop() for _ in range(dice.choice(sizes))]) for i in range(number)])
    return games


@pytest.mark.parametrize(
    ("count", "sides", "sizes", "rules"),
    [
        (5000, (2,), (2,), ("mean", "alike", "pairwise")),
        (1000, (2,), (1, 2, 3), ("sum", "alike", "pairwise")),
        (1000, (2,), (2, 3), ("strongest", "rating", "pairwise")),
        (1000, (2, 3), (1, 2, 3), ("weighted", "weight", "pairwise")),
        (5000, (3, 4, 5, 6), (1,), ("mean", "alike", "pairwise")),
        (1000, (3, 4, 8), (1,), ("mean", "alike", "mean")),
        (1000, (2, 3, 4, 8), (1, 2), ("mean", "alike", "winner")),
    ],
)
def test_elo_of_random_games_is_that_of_an_independent_replay(
    count: int, sides: tuple[int, ...], sizes: tuple[int, ...], rules: tuple[str, str, str]
) -> None:
    games = random_games(count, count + len(sides), sides, sizes)
    dice = random.Random(7)
    weights = {}
    if "weighted" in rules:
        weights = {(at, p): dice.choice([1, 0.5, 0.25]) for at, game in enumerate(games) for _, ps in game for p in ps}
    settings = {"k": 24, "side_rule": rules[0], "share_rule": rules[1], "table_rule": rules[2]}
    found = replay_sides(table_of(games, weights), system("elo"), settings, history=False).ratings
    wanted = replayed_here(games, weights, 24, *rules)
    assert dict(zip(found["player"], found["rating"], strict=True)) == pytest.approx(
        {player: wanted[player] for player in found["player"]}, abs=1e-8
    )


def test_a_doubles_worked_by_hand() -> None:
    # 1650 against 1500: 1 / (1 + 10^(-150/400)) = 0.703385; the upset is worth 20 times that to every player.
    start = {"Ann": {"rating": 1700}, "Bob": {"rating": 1600}, "Cid": {"rating": 1400}, "Dot": {"rating": 1600}}
    found = replay_sides(table_of([[(2, ["Ann", "Bob"]), (1, ["Cid", "Dot"])]]), system("elo"), start=start)
    moved = 20 / (1 + 10 ** (-150 / 400))
    assert moved == pytest.approx(14.0677, abs=1e-4)
    after = found.ratings.set_index("player")["rating"]
    assert after["Ann"] == pytest.approx(1700 - moved)
    assert after["Dot"] == pytest.approx(1600 + moved)
    row = found.history.iloc[0]
    assert (row["partners"], row["opponents"], row["side_rating"]) == ("Bob", "Cid / Dot", 1650)


def test_glicko2_of_doubles_is_a_game_against_the_composite_opponent() -> None:
    start = {"A": (1500, 200), "B": (1700, 80), "C": (1400, 30), "D": (1550, 100)}
    states = {name: {"rating": r, "rd": rd} for name, (r, rd) in start.items()}
    found = replay_sides(table_of([[(1, ["A", "B"]), (2, ["C", "D"])]]), system("glicko2"), start=states).ratings
    # The paper's steps 2 to 4 and 6 to 8 with the opponent 1475, RD 65; the volatility stays within 1e-5 of 0.06.
    mu, phi, other, deviation = 0.0, 200 / 173.7178, -25 / 173.7178, 65 / 173.7178
    g = 1 / math.sqrt(1 + 3 * deviation**2 / math.pi**2)
    expected = 1 / (1 + math.exp(-g * (mu - other)))
    v = 1 / (g * g * expected * (1 - expected))
    narrowed = 1 / math.sqrt(1 / (phi**2 + 0.06**2) + 1 / v)
    rating = found.set_index("player").loc["A", "rating"]
    assert rating == pytest.approx(1500 + 173.7178 * narrowed**2 * g * (1 - expected), abs=0.01)


def test_two_sides_of_one_are_the_plain_game() -> None:
    from elo_sheets.games import make_games
    from elo_sheets.replaying.replay import replay

    dice = random.Random(5)
    pairs = [(*dice.sample(PLAYERS[:12], 2), dice.choice([1, 0.5, 0])) for _ in range(300)]
    plain = make_games(
        {"white": a, "black": b, "score": s, "source": "x", "source_row": 1 + i} for i, (a, b, s) in enumerate(pairs)
    )
    sided = table_of([[(1 if s == 1 else 2, [a]), (1 if s == 0 else 2, [b])] for a, b, s in pairs])
    for name in (*FORMS, "ecf-grade"):
        wanted = replay(plain, system(name), {"period": "game"}).ratings.set_index("player")
        found = replay_sides(sided, system(name)).ratings.set_index("player")
        for column in ("rating", "wins", "draws", "losses"):
            assert found[column].to_dict() == pytest.approx(wanted[column].to_dict(), abs=1e-9), (name, column)


def test_what_cannot_be_rated_is_refused_by_name() -> None:
    three = table_of([[(1, ["A"]), (2, ["B"]), (3, ["C"])]])
    with pytest.raises(UsageError, match="system fide asks for the date of a game: games of sides do not"):
        replay_sides(three, system("fide"))
    with pytest.raises(UsageError, match="whr fits the whole log at once, so it has no form for games of teams"):
        replay_sides(three, system("whr"))
    with pytest.raises(UsageError, match="rated one by one"):
        replay_sides(three, system("glicko2"), {"period": "month"})
    with pytest.raises(UsageError, match="margins of two sides: a game here has 3 sides"):
        replay_sides(three, system("elo"), {"margin_rule": "eloratings"})
    with pytest.raises(UsageError, match="asks for the seasons"):
        replay_sides(three, system("elo"), {"carry_over": 0.5})
    with pytest.raises(UnreadableInput, match="needs the points of every side"):
        replay_sides(table_of([[(1, ["A"]), (2, ["B"])]]), system("elo"), {"margin_rule": "eloratings"})


# What each built-in system says of doubles: nothing where it takes part, else why not.
SAYS = {
    **dict.fromkeys((*FORMS, "ecf-grade"), ""),
    "fide": "asks for the date of a game",
    **dict.fromkeys(("ecf", "dwz", "ingo"), "asks for the year of a game"),
    "egf": "reads the handicap of a game",
    "world-football": "reads the shootout of a game",
    "fifa": "reads the knockout of a game",
    "tennis": "reads the weight of a game",
    **dict.fromkeys(("nba", "nfl"), "reads opponent_start_rating of the opponent"),
    "lichess": "reads opponent_mu of the opponent: games of sides .* take elo, glicko, glicko2, trueskill, weng-lin",
    **dict.fromkeys(("uschess", "aga"), "rates all games of a period at once"),
    **dict.fromkeys(("bradley-terry", "bayeselo", "chessmetrics", "whr"), "fits the whole log at once"),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_takes_part_or_says_why_not(name: str) -> None:
    games = make_team_games(
        {"game": 1, "side": side, "player": player, "place": side, "points": 3 - side}
        for side, player in ((1, "A"), (1, "B"), (2, "C"), (2, "D"))
    )
    if SAYS[name]:
        with pytest.raises(UsageError, match=f"system {name} {SAYS[name]}"):
            replay_sides(games, system(name))
    else:
        ratings = replay_sides(games, system(name)).ratings.set_index("player")["rating"]
        assert ratings["A"] == pytest.approx(ratings["B"])
        assert ratings["A"] > ratings["C"]
