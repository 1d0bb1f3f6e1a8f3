"""Two leagues against the ratings that packages for R give: PlayerRatings 1.1-0 (GPL-3) and elo 3.0.2 (GPL >= 2).

The data may not be copied here. To run these checks set ELO_SHEETS_DATA to a folder with `afl_ratings/` in it: of
PlayerRatings `aflodds.csv` and what its elo(), glicko() and glicko2() give for the weeks below 100
(`expected_afl_elo27.csv`, `expected_afl_glicko.csv`, `expected_afl_glicko2.csv`); of elo `r_elo_tournament.csv` and the
ratings of its vignette on running Elos by week (`r_elo_tournament_expected_k20_by_week.csv`).
"""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any

import pytest

from elo_sheets.games import make_games
from elo_sheets.replaying.replay import replay
from elo_sheets.systems import Rules
from elo_sheets.systems.elo import ELO
from elo_sheets.systems.glicko import GLICKO
from elo_sheets.systems.glicko2 import GLICKO_2

pytestmark = pytest.mark.skipif("ELO_SHEETS_DATA" not in os.environ, reason="documented check: set ELO_SHEETS_DATA")

BY_WEEK = {"period": "column:week"}


def rows(name: str) -> list[dict[str, str]]:
    path = Path(os.environ["ELO_SHEETS_DATA"]) / "afl_ratings" / name
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def game(white: str, black: str, score: float, week: str, day: str, row: int) -> dict[str, Any]:
    return {
        "date": day,
        "white": white,
        "black": black,
        "score": score,
        "column:week": week,
        "source": "log",
        "source_row": row,
    }


def football() -> Any:
    played = [row for row in rows("aflodds.csv") if int(row["Week"]) < 100]
    assert len(played) == 371
    return make_games(
        game(row["HomeTeam"], row["AwayTeam"], float(row["Score"]), row["Week"], row["Date"], number)
        for number, row in enumerate(played, 2)
    )


def ratings(system: Rules, settings: dict[str, Any]) -> dict[str, dict[str, float]]:
    table = replay(football(), system, settings | BY_WEEK).ratings
    found: dict[str, dict[str, float]] = table.set_index("player").to_dict("index")
    return found


CHECKS = [
    # R's file, system, settings, tolerance of each column
    ("elo27", ELO, {"initial": 2200, "k": 27}, {"Rating": 1e-9}),
    ("glicko", GLICKO, {"initial": 2200, "initial_rd": 300, "c": 15}, {"Rating": 1e-9, "Deviation": 1e-9}),
    # R finds the volatility by a search of its own, which leaves the sixth decimal open.
    (
        "glicko2",
        GLICKO_2,
        {"initial": 2200, "initial_rd": 300, "initial_volatility": 0.15, "tau": 1.2},
        {"Rating": 0.003, "Deviation": 0.003, "Volatility": 1e-5},
    ),
]
COLUMNS = {"Rating": "rating", "Deviation": "rd", "Volatility": "volatility"}


@pytest.mark.parametrize(("name", "system", "settings", "tolerances"), CHECKS, ids=[check[0] for check in CHECKS])
def test_the_football_league_gets_the_ratings_that_r_gives(
    name: str, system: Rules, settings: dict[str, Any], tolerances: dict[str, float]
) -> None:
    found = ratings(system, settings)
    expected = rows(f"expected_afl_{name}.csv")
    assert {row["Player"] for row in expected} == set(found)
    for row in expected:
        mine = found[row["Player"]]
        assert [mine[n] for n in ("games", "wins", "draws", "losses")] == [
            int(row[n]) for n in ("Games", "Win", "Draw", "Loss")
        ]
        for column, tolerance in tolerances.items():
            assert mine[COLUMNS[column]] == pytest.approx(float(row[column]), abs=tolerance, rel=0)


def test_a_tournament_rated_by_week_gets_the_ratings_of_r_s_vignette() -> None:
    games = []
    for number, row in enumerate(rows("r_elo_tournament.csv"), 2):
        home, visitor = float(row["points.Home"]), float(row["points.Visitor"])
        score = 1.0 if home > visitor else 0.0 if home < visitor else 0.5
        games.append(game(row["team.Home"], row["team.Visitor"], score, row["week"], "", number))
    table = replay(make_games(games), ELO, {"initial": 1500, "k": 20} | BY_WEEK).ratings
    found = dict(zip(table["player"], table["rating"].round(3), strict=True))
    expected = rows("r_elo_tournament_expected_k20_by_week.csv")
    assert found == {row["team"]: float(row["elo_after_week_14"]) for row in expected}
