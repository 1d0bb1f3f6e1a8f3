"""What the answers of World Football Elo, FIFA and FiveThirtyEight's leagues and tennis are asked of."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from elo_sheets.conformance.published import asks
from elo_sheets.replaying.cases import Case, Period, Row
from elo_sheets.systems import Step, System, needs
from elo_sheets.systems.fifa import FIFA
from elo_sheets.systems.nba import NBA
from elo_sheets.systems.nfl import NFL
from elo_sheets.systems.tennis import TENNIS
from elo_sheets.systems.world_football import WORLD_FOOTBALL


def row(system: System, given: Mapping[str, float], step: str, expected: float) -> Row:
    """Return a row with the system's steps that lead from what is given to one of them; settings have their default."""
    values = {**system.settings(), **given}
    read = {step}
    steps: list[Step] = []
    for candidate in reversed((*system.opening, *system.game)):
        if candidate.__name__ in read and candidate.__name__ not in given:
            read |= set(needs(candidate))
            steps.insert(0, candidate)
    shown = {name: value for name, value in values.items() if name in read}
    return Row(shown, steps, step, expected)


def game(score: float, opponent: float, points: tuple[float, float] = (0, 0), **more: float) -> dict[str, float]:
    """Return a game of the side that is rated; `more` replaces what is not usual."""
    own, other = points
    usual = {"side": 1, "neutral": 0, "weight": 0, "knockout": 0, "shootout": 0}
    return {"score": score, "opponent_rating": opponent, "points": own, "opponent_points": other, **usual, **more}


def period(system: System, rating: float, played: Mapping[str, float], after: float) -> Period:
    return Period(system, {"rating": rating}, [played], {"rating_after": after})


@asks("wfe-expectancy")
def expectancies(inputs: Any, expected: Any) -> list[Case]:
    pairs = zip(inputs["difference"], expected, strict=True)
    return [row(WORLD_FOOTBALL, {"difference": gap}, "expected", share) for gap, share in pairs]


@asks("wfe-k")
def k_with_goals(inputs: Any, expected: Any) -> list[Case]:
    return [
        row(WORLD_FOOTBALL, {"weight": inputs["K"], "margin": goals}, "k_with_goals", k)
        for goals, k in zip(inputs["goal_difference"], expected, strict=True)
    ]


@asks("wfe-friendly")
def friendly(inputs: Any, expected: Any) -> list[Case]:
    """The answer is not rounded, as the change is by default."""
    exact = WORLD_FOOTBALL.shaped(WORLD_FOOTBALL.settings({"rounding": "none"}))
    played = game(1, inputs["b"], inputs["goals"], weight=inputs["K"], neutral=1 - inputs["home"])
    given = {"rating": inputs["a"], **played}
    return [
        row(exact, given, "expected", expected["We"]),
        row(exact, given, "change", expected["change"]),
    ]


@asks("fifa-1300-1500")
def official(inputs: Any, expected: Any) -> list[Case]:
    team, opponent, weight = inputs["team"], inputs["opponent"], inputs["I"]
    own, other = game(inputs["W"], opponent, weight=weight), game(1 - inputs["W"], team, weight=weight)
    return [
        row(FIFA, {"rating": team, **own}, "expected", expected["We"]),
        period(FIFA, team, own, expected["team_new"]),
        period(FIFA, opponent, other, expected["opponent_new"]),
    ]


@asks("fifa-shootout-knockout")
def shootouts(inputs: Any, expected: Any) -> list[Case]:
    results = {"favourite_wins_shootout": (1, "W_winner"), "favourite_loses_shootout": (-1, "W_loser")}
    cases: list[Case] = []
    for name, (shootout, score) in results.items():
        played = game(
            0.5, inputs["opponent"], weight=inputs["I"], knockout=float(inputs["knockout"]), shootout=shootout
        )
        cases.append(row(FIFA, played, "result", inputs[score]))
        cases.append(period(FIFA, inputs["team"], played, expected[name]))
    return cases


def home_game(inputs: Any, expected: Any, system: System) -> list[Case]:
    """A game at home: the forecast, and both sides' ratings after it where they are published."""
    home, away, goals = inputs["home"], inputs["away"], (inputs["home_points"], inputs["away_points"])
    score, neutral = (1 + (goals[0] > goals[1]) - (goals[0] < goals[1])) / 2, float(inputs.get("neutral", False))
    own = game(score, away, goals, neutral=neutral)
    other = game(1 - score, home, goals[::-1], neutral=neutral, side=-1)
    given = {**own, "start_rating": home, "opponent_start_rating": away}
    cases: list[Case] = [row(system, given, "expected", expected["p_home"])]
    if "home_new" in expected:
        cases.append(period(system, home, own, expected["home_new"]))
        cases.append(period(system, away, other, expected["away_new"]))
    return cases


def new_season(inputs: Any, expected: Any, system: System) -> list[Case]:
    given = {"rating": inputs["rating"], "seasons": 1}
    return [row(system, given, "start_rating", expected["new"])]


@asks("tennis-k")
def tennis_k(inputs: Any, expected: Any) -> list[Case]:
    """K after a number of matches; an answer holds one or a list."""
    matches = inputs["n"]
    pairs = zip(matches, expected, strict=True) if isinstance(matches, list) else [(matches, expected)]
    return [row(TENNIS, {"games": games, "weight": 0}, "k_used", k) for games, k in pairs]


asks("nba-")(partial(home_game, system=NBA))
asks("nba-carry-over")(partial(new_season, system=NBA))
asks("nfl-")(partial(home_game, system=NFL))
asks("nfl-carry-over")(partial(new_season, system=NFL))
