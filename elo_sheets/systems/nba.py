"""FiveThirtyEight's Elo ratings of the National Basketball Association.

Source: FiveThirtyEight, How We Calculate NBA Elo Ratings, 2015. K 20; 100 points for the home side; the change is
multiplied by (margin + 3) ^ 0.8 / (7.5 + 0.006 * the winner's edge), where the edge includes the home side's points.
A team starts at 1300; its first game of a season starts from 3/4 of its rating and 1/4 of 1505.

Reproduces the first row of the published archive: on 1 November 1946 two teams of 1300 met, the home side lost by 66
to 68 and fell to 1293.2767.

Deviations: see `NBA.deviations`.
"""

from __future__ import annotations

from elo_sheets.systems._parts import (
    LEAGUE_LABELS,
    advantage_used,
    from_start,
    home_difference,
    league_parameters,
    margin,
    multiplied_change,
    nba_multiplier,
    start_rating,
    winner_edge,
)
from elo_sheets.systems._system import State, System
from elo_sheets.systems.elo import expected, k_used, rating_after

NBA = System(
    name="nba",
    title="NBA (FiveThirtyEight)",
    about="Elo with home advantage, margin of victory and a pull to the mean before each season",
    sources=("FiveThirtyEight, How We Calculate NBA Elo Ratings, 2015",),
    parameters=league_parameters(100.0, 0.75, "FiveThirtyEight, NBA Elo"),
    state=(State("rating", "initial"),),
    opening=(start_rating,),
    game=(
        advantage_used,
        from_start(home_difference),
        expected,
        k_used,
        margin,
        winner_edge,
        nba_multiplier,
        multiplied_change,
    ),
    sums=("change",),
    closing=(from_start(rating_after),),
    deviations=(
        "There is no advantage on neutral ground, of which the source says nothing.",
        "The divisor of the multiplier is held at 0.1 or more, so that no win lowers a rating.",
    ),
    labels=LEAGUE_LABELS,
    zero_sum=True,
)
