"""FiveThirtyEight's Elo ratings of the National Football League.

Source: FiveThirtyEight, the program `forecast.py` and the data of github.com/fivethirtyeight/nfl-elo-game (MIT).
K 20; 65 points for the home side, none on neutral ground; the change is multiplied by ln(margin + 1) * 2.2 / (2.2 +
0.001 * the winner's edge), where the edge includes the home side's points and a tie counts as a margin of 1 with the
divisor 1. A team's first game of a season starts from 2/3 of its rating and 1/3 of 1505.

Reproduces all 16,810 games from 1920 to February 2021 that the data hold: Kansas City, 1497.323, beat New England,
1626.401, at home by 41 to 14 on 29 September 2014 and rose to 1537.904.

Deviations: see `NFL.deviations`.
"""

from __future__ import annotations

from dataclasses import replace

from elo_sheets.systems._parts import league_parameters, nba_multiplier, nfl_multiplier
from elo_sheets.systems.nba import NBA

NFL = replace(
    NBA,
    name="nfl",
    title="NFL (FiveThirtyEight)",
    sources=("FiveThirtyEight, nfl-elo-game: forecast.py and data (MIT)",),
    parameters=league_parameters(65.0, 2 / 3, "FiveThirtyEight, nfl-elo-game"),
    game=tuple(nfl_multiplier if step is nba_multiplier else step for step in NBA.game),
    deviations=(
        "A team's published starting value is no part of the rule: give it as the start.",
        "Eleven published ratings of unknown origin set a team anew after a pause; here it goes on under another name.",
        "The divisor of the multiplier is held at 0.1 or more, so that no win lowers a rating; no game was so uneven.",
    ),
)
