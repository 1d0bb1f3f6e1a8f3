"""What the answers about AGA ratings are asked of."""

from __future__ import annotations

from functools import partial

from elo_sheets.replaying.cases import Answer, Case, Maker, Row, Value
from elo_sheets.systems import aga as rules

SPREAD = (
    rules.even_spread,
    rules.up_to_five_stones,
    rules.from_six_stones,
    rules.stones_spread,
    rules.spread,
)


def game(answer: Answer) -> list[Case]:
    """The probability is no row: an engine's NORMSDIST may be off by 2e-11, more than the answers' 1e-12."""
    inputs, expected, tolerance = answer["inputs"], answer["expected"], answer["tolerance"]
    difference, handicap, komi = (inputs[name] for name in ("gap_closed_difference", "handicap", "komi"))
    given = {"handicap": handicap, "komi": komi}
    needed = (rules.handicap_equivalent,)
    chance = partial(rules.white_wins, difference, handicap, komi)
    return [
        Row(answer["id"], given, needed, "handicap_equivalent", expected["handicap_equiv"], tolerance),
        Row(answer["id"], given, SPREAD, "spread", expected["sigma"], tolerance),
        Value(answer["id"], "white_wins", chance, expected["p_white"], tolerance),
    ]


def knots(answer: Answer) -> list[Case]:
    return [
        Value(
            answer["id"],
            f"sigma at {closed}",
            partial(rules.new_player_sigma, rules.opened_rating(closed)),
            sigma,
            answer["tolerance"],
        )
        for closed, sigma in answer["expected"]
    ]


MAKERS: dict[str, Maker] = {"aga-": game, "aga-new-player-sigma-knots": knots}
