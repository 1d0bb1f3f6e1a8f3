"""What the answers about AGA ratings are asked of."""

from __future__ import annotations

from functools import partial
from typing import Any

from elo_sheets._late import np
from elo_sheets.conformance.published import answers, asks
from elo_sheets.replaying.cases import Case, Row, Value, on_page
from elo_sheets.systems import PeriodGames
from elo_sheets.systems import aga as rules

SPREAD = (
    rules.even_spread,
    rules.up_to_five_stones,
    rules.from_six_stones,
    rules.stones_spread,
    rules.spread,
)


@asks("aga-")
def game(inputs: Any, expected: Any) -> list[Case]:
    """The probability is no row: an engine's NORMSDIST may be off by 2e-11, more than the answers' 1e-12."""
    difference, handicap, komi = (inputs[name] for name in ("gap_closed_difference", "handicap", "komi"))
    given = {"handicap": handicap, "komi": komi}
    needed = (rules.handicap_equivalent,)
    chance = partial(rules.white_wins, difference, handicap, komi)
    return [
        Row(given, needed, "handicap_equivalent", expected["handicap_equiv"]),
        Row(given, SPREAD, "spread", expected["sigma"]),
        Value("white_wins", chance, expected["p_white"], on_page("AGA.white_wins", difference, handicap, komi)),
    ]


@asks("aga-new-player-sigma-knots")
def knots(inputs: Any, expected: Any) -> list[Case]:
    return [
        Value(
            f"sigma at {closed}",
            partial(rules.new_player_sigma, rules.opened_rating(closed)),
            sigma,
            on_page("newSigma", float(rules.opened_rating(closed))),
        )
        for closed, sigma in expected
    ]


def event(inputs: Any, expected: Any, name: str) -> list[Case]:
    """A whole event: the rating or the sigma of every player after it."""
    if "see" in inputs:
        inputs = answers()[inputs["see"]]["inputs"]
    players, games = inputs["players"], inputs["games"]
    states = {of: np.array([player[of] for player in players], "float64") for of in ("rating", "sigma", "days")}
    white, black, score, handicap, komi = map(np.array, zip(*games, strict=True))
    played = PeriodGames(white - 1, black - 1, score, np.zeros(len(games)), handicap, komi)
    given = {**states, "declared": np.zeros(len(players))}
    page_games = [[white - 1, black - 1, *rest] for white, black, *rest in games]

    def after(player: int) -> float:
        return float(rules.rate(given, played, rules.AGA.settings())[f"{name}_after"][player])

    return [
        Value(
            f"{name} of player {i + 1}",
            partial(after, i),
            number,
            on_page("rateAga", players, page_games, then=f"[{i}].{name}"),
        )
        for i, number in enumerate(expected)
    ]


asks("aga-event-ratings")(partial(event, name="rating"))
asks("aga-event-")(partial(event, name="sigma"))
