"""Predictions are made before a game is played, scored on the same games for all, and fitted to the smallest loss."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import make_games
from elo_sheets.systems import SYSTEMS, Fit, system
from elo_sheets.testing import sample_log
from elo_sheets.uses.predicting import predict_logs
from elo_sheets.uses.prediction import compare, fit, parse_ranges, predict, scored_games


def club(seed: int = 1, games: int = 400, players: int = 12) -> pd.DataFrame:
    """A log whose results follow from strengths 80 points apart and 60 points for White."""
    chance = np.random.default_rng(seed)
    records = []
    for row in range(games):
        white, black = (int(i) for i in chance.choice(players, 2, replace=False))
        expected = 1 / (1 + 10 ** ((80 * (black - white) - 60) / 400))
        records.append(
            {
                "date": f"{2020 + row // 120}-{row // 10 % 12 + 1:02}-{row % 28 + 1:02}",
                "white": f"Player {white}",
                "black": f"Player {black}",
                "score": float(chance.random() < expected),
                "source": "club.csv",
                "source_row": row + 2,
            }
        )
    return make_games(records)


def by_hand(games: pd.DataFrame, k: float, advantage: float = 0.0) -> list[float]:
    """White's expected scores by a plain loop over a dictionary, before each game is rated."""
    ratings: dict[str, float] = {}
    found = []
    for white, black, score in zip(games["white"], games["black"], games["score"], strict=True):
        a, b = ratings.get(white, 1500.0), ratings.get(black, 1500.0)
        expected = 1 / (1 + 10 ** ((b - a - advantage) / 400))
        found.append(expected)
        ratings[white], ratings[black] = a + k * (score - expected), b - k * (score - expected)
    return found


def loss_by_hand(games: pd.DataFrame, expected: list[float], burn_in: int) -> float:
    played: dict[str, int] = {}
    losses = []
    for white, black, score, e in zip(games["white"], games["black"], games["score"], expected, strict=True):
        if min(played.get(white, 0), played.get(black, 0)) >= burn_in:
            losses.append(-(score * math.log(e) + (1 - score) * math.log(1 - e)))
        for name in (white, black):
            played[name] = played.get(name, 0) + 1
    return sum(losses) / len(losses)


def test_a_prediction_knows_only_what_was_before_the_game() -> None:
    games = club()
    assert predict(games, system("elo"), {"k": 24}) == pytest.approx(by_hand(games, 24), abs=1e-12)


@pytest.mark.parametrize("name", [name for name, rules in SYSTEMS.items() if not isinstance(rules, Fit)])
def test_every_system_but_a_fit_predicts_and_later_games_change_no_prediction(name: str) -> None:
    games = sample_log(2)
    early = predict(games.iloc[:30], system(name), {"period": "game"})
    assert ((early > 0) & (early < 1)).all() or name in {"ecf-grade", "ingo"}
    assert predict(games, system(name), {"period": "game"})[:30] == pytest.approx(early, abs=1e-12)


@pytest.mark.parametrize("name", [name for name, rules in SYSTEMS.items() if isinstance(rules, Fit)])
def test_a_fit_has_ratings_and_no_predictions(name: str) -> None:
    games = sample_log(4, games=200)
    with pytest.raises(UsageError, match="cannot predict a game before it is played"):
        predict(games, system(name))
    (one,) = compare(games, [(system(name), {})]).systems
    assert one.log_loss is None
    assert "cannot predict" in one.reason
    assert len(one.ratings) == 8


def test_the_scores_are_those_of_a_plain_loop() -> None:
    games = club()
    done = compare(games, [(system("elo"), {"k": 24})], burn_in=10)
    expected = by_hand(games, 24)
    (one,) = done.systems
    assert one.log_loss == pytest.approx(loss_by_hand(games, expected, 10), abs=1e-12)
    counted = scored_games(games, 10)
    errors = (games["score"].to_numpy() - np.array(expected))[counted]
    assert one.brier_score == pytest.approx((errors**2).mean(), abs=1e-12)
    assert done.scored == counted.sum() < done.games == 400
    assert sum(b["games"] for b in one.calibration) == done.scored


def test_all_systems_are_scored_on_the_same_games() -> None:
    asked = [(system(name), {}) for name in ("elo", "glicko", "glicko2", "trueskill")]
    done = compare(club(), asked, burn_in=3)
    assert len({sum(b["games"] for b in one.calibration) for one in done.systems}) == 1
    assert all(one.log_loss is not None and one.log_loss < math.log(2) for one in done.systems)


def test_the_fit_is_the_best_of_a_fine_grid() -> None:
    games = club()
    found = fit(games, system("elo"), {"k": (4, 80)}, burn_in=5)
    losses = {k: loss_by_hand(games, by_hand(games, k), 5) for k in np.linspace(4, 80, 305)}
    best = min(losses, key=losses.__getitem__)
    assert found.found["k"] == pytest.approx(best, abs=0.25)
    assert found.log_loss <= losses[best] + 1e-9
    assert found.at_the_edge == []


def test_two_settings_are_fitted_together() -> None:
    games = club(games=800)
    found = fit(games, system("elo"), {"k": (4, 80), "advantage": (0, 200)})
    assert 25 < found.found["advantage"] < 100
    alone = fit(games, system("elo"), {"k": (4, 80)})
    assert found.log_loss < alone.log_loss
    around = [
        loss_by_hand(games, by_hand(games, found.found["k"] + dk, found.found["advantage"] + da), 5)
        for dk in (-2, 0, 2)
        for da in (-6, 0, 6)
    ]
    assert found.log_loss <= min(around) + 1e-9


def test_a_fit_that_ends_at_the_edge_says_so() -> None:
    assert fit(club(), system("elo"), {"k": (1, 3)}).at_the_edge == ["k"]


def test_a_fit_shows_its_progress() -> None:
    seen: list[tuple[int, float]] = []
    found = fit(club(), system("elo"), {"k": (4, 80)}, progress=lambda count, best: seen.append((count, best)))
    assert [count for count, _ in seen] == list(range(1, found.evaluations + 1))
    assert seen[-1][1] == pytest.approx(found.log_loss)


@pytest.mark.parametrize(
    ("ranges", "message"),
    [
        ({"kk": (1, 2)}, "no setting 'kk'; did you mean k"),
        ({"curve": (1, 2)}, "curve is a choice"),
        ({"k": (40, 10)}, "expected the range of k from less to more, got 40:10"),
        ({"k": (-5, 10)}, "expected k to be a number from 0"),
    ],
)
def test_a_range_that_cannot_be_is_refused(ranges: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        fit(club(), system("elo"), ranges)


def test_ranges_are_read_as_they_are_typed() -> None:
    assert parse_ranges("k=10:60,advantage=0:100") == {"k": (10, 60), "advantage": (0, 100)}
    for text in ("k", "k=10", "=1:2", "k=a:b"):
        with pytest.raises(UsageError, match="expected a range such as k=10:60, got"):
            parse_ranges(text)


def test_a_burn_in_that_leaves_nothing_is_said() -> None:
    with pytest.raises(UnreadableInput, match="no game is left after a burn-in of 1000 games"):
        compare(club(), [(system("elo"), {})], burn_in=1000)


def test_a_fit_of_a_log_in_pieces_leaves_the_others_standing() -> None:
    games = make_games(
        {"white": a, "black": b, "score": 1, "source": "club.csv", "source_row": i}
        for i, (a, b) in enumerate([("Ann", "Bob"), ("Bob", "Ann"), ("Cid", "Dan"), ("Dan", "Cid")], 2)
    )
    done = compare(games, [(system("elo"), {}), (system("bradley-terry"), {})], burn_in=0)
    assert set(done.players) == {"Ann", "Bob", "Cid", "Dan"}
    assert done.systems[1].ratings == {}
    assert done.systems[1].reason


def test_a_setting_that_no_system_has_is_refused() -> None:
    with pytest.raises(UsageError, match="no setting 'tua'"):
        predict_logs([], systems=["elo", "glicko2"], settings={"tua": 1})
