"""FiveThirtyEight's Elo ratings of tennis players.

Source: FiveThirtyEight, the method of its U.S. Open forecast of 2016, as publicly recomputed. K = 250 / (n + 5) ^ 0.4,
where n is the number of the player's matches before this one, so that each player has a K of his own; everybody
starts at 1500; the logistic curve at 400.

Reproduces K 131.33 in the first match, 25.007 after 311 matches and 20.73 after 500.

Deviations: see `TENNIS.deviations`.
"""

from __future__ import annotations

from typing import Any

from elo_sheets.ops import where
from elo_sheets.systems._facts import GAMES, K_USED
from elo_sheets.systems._parts import difference
from elo_sheets.systems._system import Parameter, State, System, games_parameter, period_parameter, scale_parameter
from elo_sheets.systems.elo import change, divisor_parameters, expected, games_after, rating_after, tennis_k_used

METHOD = "FiveThirtyEight, U.S. Open 2016"


@K_USED
def k_used(games: Any, k: Any, offset: Any, shape: Any, weight: Any, slam_factor: Any) -> Any:
    return tennis_k_used(games, k, offset, shape) * where(weight > 0, slam_factor, 1)


TENNIS = System(
    name="tennis",
    title="Tennis (FiveThirtyEight)",
    about="Elo with a K that falls with each player's number of matches",
    sources=("FiveThirtyEight, the method of its U.S. Open forecast, 2016",),
    parameters=(
        Parameter("initial", 1500.0, "Initial rating", "rating before the first match", source=METHOD),
        games_parameter("matches before the first one here", "Matches before", ("games",)),
        Parameter("k", 250.0, "K", "what is divided to give a player's K", "K_factor", minimum=0.0, source=METHOD),
        *divisor_parameters("matches", METHOD),
        Parameter(
            "slam_factor",
            1.0,
            "Grand Slam factor",
            "K is multiplied by it in a match to which the log gives a weight above 0",
            "Slam_factor",
            minimum=0.0,
            unofficial="a factor of 1.1 for Grand Slams is quoted, but no source gives it",
        ),
        scale_parameter(source=METHOD),
        period_parameter("game"),
    ),
    state=(State("rating", "initial"), State("games", "initial_games", GAMES.labelled("Matches before"))),
    game=(difference, expected, k_used, change),
    sums=("change",),
    closing=(rating_after, games_after),
    deviations=(
        "Ratings of one surface are not mixed into the overall ones: rate that surface's matches alone.",
        "No larger K at Grand Slams unless the settings say so: the quoted 1.1 has no source.",
    ),
)
