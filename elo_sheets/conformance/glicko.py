"""Published answers for Glicko, Glicko-2, Lichess, TrueSkill and Weng-Lin."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from elo_sheets.conformance.published import asks
from elo_sheets.replaying.cases import Case, Period, Row
from elo_sheets.systems import System
from elo_sheets.systems.glicko import GLICKO, growth_constant
from elo_sheets.systems.glicko2 import GLICKO_2
from elo_sheets.systems.lichess import LICHESS
from elo_sheets.systems.trueskill import TRUESKILL, draw_margin, match_quality
from elo_sheets.systems.weng_lin import WENG_LIN

BETA = 25 / 6

# What the vectors call the columns.
NAMES = {"r": "rating_after", "RD": "rd_after", "sigma": "volatility_after", "v": "v", "delta": "delta"}


def _opponent(game: Mapping[str, Any]) -> dict[str, float]:
    return {"score": game["score"], "opponent_rating": game["r"], "opponent_rd": game["RD"]}


@asks("glicko-1464")
def glicko_period(inputs: Any, expected: Any) -> list[Case]:
    """The RD given is the one after the step before the period, so that nothing grows."""
    return [
        Period(
            GLICKO,
            {"rating": inputs["r"], "rd": inputs["RD"]},
            [_opponent(game) for game in inputs["games"]],
            {NAMES[name]: value for name, value in expected.items()},
            {"c": 0.0},
        )
    ]


@asks("glicko-c")
def growth(inputs: Any, expected: Any) -> list[Case]:
    given = {"typical": inputs["RD_typical"], "maximum": inputs["RD_max"], "periods": inputs["periods"]}
    return [Row(given, (growth_constant,), "growth_constant", expected["c"])]


@asks("glicko2-")
def glicko2_period(inputs: Any, expected: Any) -> list[Case]:
    """A volatility of the opponents does not count within the period: the player's own stands in for it."""
    return [
        Period(
            GLICKO_2,
            {"rating": inputs["r"], "rd": inputs["RD"], "volatility": inputs["sigma"]},
            [_opponent(game) | {"opponent_volatility": inputs["sigma"]} for game in inputs["games"]],
            {NAMES[name]: value for name, value in expected.items()},
            {"tau": inputs["tau"]},
        )
    ]


@asks("lichess-")
def lichess_game(inputs: Any, expected: Any) -> list[Case]:
    sides = {"white": (1.0, inputs["white_score"]), "black": (-1.0, 1 - inputs["white_score"])}
    cases: list[Case] = []
    for colour, (side, score) in sides.items():
        own, other = inputs[colour], inputs["black" if colour == "white" else "white"]
        game = {
            "score": score,
            "side": side,
            "opponent_rating": other["r"],
            "opponent_rd": other["RD"],
            "opponent_volatility": other["sigma"],
        }
        wanted = {
            NAMES[name.removeprefix(f"{colour}_")]: value for name, value in expected.items() if name.startswith(colour)
        }
        cases.append(
            Period(
                LICHESS,
                {"rating": own["r"], "rd": own["RD"], "volatility": own["sigma"]},
                [game],
                wanted,
                {"advantage": inputs["colour_advantage"]},
            )
        )
    return cases


def _trueskill(inputs: Any, expected: Any, scores: Mapping[str, float], system: System = TRUESKILL) -> list[Case]:
    """One case for each of the two players that `scores` names."""
    cases: list[Case] = []
    for player, other in (tuple(scores), tuple(scores)[::-1]):
        mu, sigma = inputs[player]
        opponent_mu, opponent_sigma = inputs[other]
        mu_after, sigma_after = expected[player]
        game = {"score": scores[player], "opponent_rating": opponent_mu, "opponent_sigma": opponent_sigma}
        own, wanted = {"rating": mu, "sigma": sigma}, {"rating_after": mu_after, "sigma_after": sigma_after}
        cases.append(Period(system, own, [game], wanted))
    return cases


WIN = {"winner": 1.0, "loser": 0.0}
trueskill_win = partial(_trueskill, scores=WIN)
weng_lin_win = partial(_trueskill, scores=WIN, system=WENG_LIN)
trueskill_draw = partial(_trueskill, scores={"a": 0.5, "b": 0.5})


@asks("trueskill-quality")
def quality(inputs: Any, expected: Any) -> list[Case]:
    (mu, sigma), (opponent_mu, opponent_sigma) = inputs["a"], inputs["b"]
    given = {
        "rating": mu,
        "sigma": sigma,
        "opponent_rating": opponent_mu,
        "opponent_sigma": opponent_sigma,
        "beta": BETA,
    }
    return [Row(given, (match_quality,), "match_quality", expected)]


@asks("trueskill-draw-margin")
def margin(inputs: Any, expected: Any) -> list[Case]:
    given = {"draw_probability": inputs["draw_probability"], "beta": BETA}
    return [Row(given, (draw_margin,), "draw_margin", expected)]


asks("trueskill-new-win")(trueskill_win)
asks("trueskill-30-22-win")(trueskill_win)
asks("trueskill-new-draw")(trueskill_draw)
asks("trueskill-30-22-draw")(trueskill_draw)
asks("weng-lin-new-win")(weng_lin_win)
asks("weng-lin-30-22-win")(weng_lin_win)
asks("weng-lin-30-22-upset")(weng_lin_win)
