"""Fits of a whole log: what they maximise, whom they refuse, published fits, and what must not matter."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import make_games
from elo_sheets.replaying.replay import replay
from elo_sheets.systems import Fit, bayeselo, bradley_terry, chessmetrics
from elo_sheets.systems._pool import POINT, pool_of
from elo_sheets.systems.bayeselo import BAYESELO
from elo_sheets.systems.bradley_terry import BRADLEY_TERRY
from elo_sheets.systems.chessmetrics import CHESSMETRICS, list_shift, simultaneous_performances
from elo_sheets.systems.whr import WHR, whr_history
from elo_sheets.uses.exporting import replay_logs

DAY_1 = date(2020, 1, 1)
ALL = (BRADLEY_TERRY, BAYESELO, CHESSMETRICS, WHR)
all_fits = pytest.mark.parametrize("system", ALL, ids=[system.name for system in ALL])

Played = tuple[str, str, float]  # White, Black, White's score

# Everybody has beaten everybody, if only through others, and each has had both colours.
CIRCLE: list[Played] = [
    *[("Ann", "Ben", 1.0), ("Ben", "Cy", 1.0), ("Cy", "Ann", 1.0), ("Di", "Ann", 0.5), ("Cy", "Di", 0.0)],
    *[("Ben", "Ann", 0.5), ("Ann", "Cy", 1.0), ("Di", "Ben", 0.0), ("Ben", "Di", 1.0), ("Cy", "Ben", 0.5)],
]


def log_of(played: Iterable[Played], days: Sequence[int] | None = None) -> pd.DataFrame:
    return make_games(
        {
            "date": DAY_1 + timedelta(days=number if days is None else days[number]),
            "white": white,
            "black": black,
            "score": score,
            "source": "club.csv",
            "source_row": number + 2,
        }
        for number, (white, black, score) in enumerate(played)
    )


def undated(played: Iterable[Played]) -> pd.DataFrame:
    games = log_of(played)
    games["date"] = pd.NaT
    return games


def fit(system: Fit, games: pd.DataFrame, **given: Any) -> pd.DataFrame:
    if system is CHESSMETRICS:
        given = {"minimum_games": 1, **given}
    return system.fit(games, system.settings(given))


def ratings(system: Fit, games: pd.DataFrame, **given: Any) -> dict[str, float]:
    return dict(fit(system, games, **given).set_index("player")["rating"])


names = st.sampled_from(["Ann", "Ben", "Cy", "Di", "Ed"])
pairs = st.tuples(names, names).filter(lambda pair: pair[0] != pair[1])
logs = st.lists(st.tuples(pairs, st.sampled_from([0.0, 0.5, 1.0])), max_size=20).map(
    lambda drawn: [*CIRCLE, *((white, black, score) for (white, black), score in drawn if "Ed" not in (white, black))]
)


# --- what every fit does ------------------------------------------------------------------------------------


@all_fits
def test_a_fit_comes_to_rest_and_says_so(system: Fit) -> None:
    table = fit(system, log_of(CIRCLE))
    assert sorted(table["player"]) == ["Ann", "Ben", "Cy", "Di"]
    assert table.attrs["residual"] < 1e-6
    assert table.attrs["rounds"] < 200


@all_fits
@given(played=logs)
@settings(max_examples=20, deadline=None)
def test_names_do_not_matter(system: Fit, played: list[Played]) -> None:
    other = {"Ann": "Zoe", "Ben": "Ali", "Cy": "Mia", "Di": "Bob"}
    before = ratings(system, log_of(played))
    after = ratings(system, log_of((other[white], other[black], score) for white, black, score in played))
    assert after == pytest.approx({other[name]: rating for name, rating in before.items()}, abs=1e-5)


@pytest.mark.parametrize("system", [BRADLEY_TERRY, BAYESELO], ids=lambda system: system.name)
@given(played=logs, order=st.randoms())
@settings(max_examples=20, deadline=None)
def test_the_order_of_the_games_does_not_matter(system: Fit, played: list[Played], order: Any) -> None:
    shuffled = order.sample(played, len(played))
    assert ratings(system, log_of(shuffled)) == pytest.approx(ratings(system, log_of(played)), abs=1e-5)


@pytest.mark.parametrize("system", [BRADLEY_TERRY, CHESSMETRICS, WHR], ids=lambda system: system.name)
def test_colours_do_not_matter_where_the_rule_knows_no_advantage(system: Fit) -> None:
    turned = [(black, white, 1 - score) for white, black, score in CIRCLE]
    assert ratings(system, log_of(turned)) == pytest.approx(ratings(system, log_of(CIRCLE)), abs=1e-5)


@pytest.mark.parametrize("system", [BRADLEY_TERRY, WHR], ids=lambda system: system.name)
def test_turning_every_result_round_turns_the_ratings_round(system: Fit) -> None:
    lost = [(white, black, 1 - score) for white, black, score in CIRCLE]
    before, after = ratings(system, log_of(CIRCLE)), ratings(system, log_of(lost))
    assert after == pytest.approx({name: -rating for name, rating in before.items()}, abs=1e-5)


@all_fits
def test_a_further_win_raises_the_winner_above_the_loser(system: Fit) -> None:
    # On the last day, so that the ages of the other games stay as they are.
    days = list(range(len(CIRCLE)))
    before = ratings(system, log_of(CIRCLE))
    after = ratings(system, log_of([*CIRCLE, ("Di", "Ann", 1.0)], [*days, days[-1]]))
    assert after["Di"] - after["Ann"] > before["Di"] - before["Ann"]


@all_fits
def test_a_replay_with_a_fit_shows_the_fitted_ratings(system: Fit) -> None:
    given_settings = {"minimum_games": 1} if system is CHESSMETRICS else {}
    replayed = replay(log_of(CIRCLE), system, given_settings)
    found = dict(replayed.ratings.set_index("player")["rating"])
    assert found == pytest.approx(ratings(system, log_of(CIRCLE)), abs=1e-9)
    assert replayed.ratings["games"].sum() == 2 * len(CIRCLE)


@all_fits
def test_a_log_without_games_is_refused(system: Fit) -> None:
    with pytest.raises(UnreadableInput, match="needs at least one game"):
        fit(system, log_of(CIRCLE).iloc[:0])


@pytest.mark.parametrize("system", [CHESSMETRICS, WHR], ids=lambda system: system.name)
def test_a_game_without_a_date_is_named(system: Fit) -> None:
    with pytest.raises(UnreadableInput, match=r"date of every game: 'Ann' against 'Ben' has none \(club.csv, row 2\)"):
        fit(system, undated(CIRCLE))


@pytest.mark.parametrize("system", [BRADLEY_TERRY, BAYESELO], ids=lambda system: system.name)
def test_dates_are_not_needed_where_the_rule_reads_none(system: Fit) -> None:
    assert ratings(system, undated(CIRCLE)) == pytest.approx(ratings(system, log_of(CIRCLE)), abs=1e-9)


@all_fits
def test_a_large_log_is_fitted(system: Fit) -> None:
    random = np.random.default_rng(1)
    strength = random.normal(0, 150, 400)
    white = random.integers(0, 400, 8000)
    black = (white + random.integers(1, 400, 8000)) % 400
    expected = 1 / (1 + 10 ** ((strength[black] - strength[white]) / 400))
    games = pd.DataFrame(
        {
            "date": pd.Timestamp(DAY_1) + pd.to_timedelta(np.arange(8000) // 2000, "D"),
            "white": [f"Player {number}" for number in white],
            "black": [f"Player {number}" for number in black],
            "score": (random.random(8000) < expected).astype(float),
        }
    )
    found = ratings(system, games)
    fitted = [found[f"Player {number}"] for number in range(400)]
    assert np.corrcoef(strength, fitted)[0, 1] > 0.85


# --- Bradley–Terry ------------------------------------------------------------------------------------------

# Turner and Firth, "Bradley-Terry Models in R: The BradleyTerry2 Package", Journal of Statistical Software 48 (2012),
# 2.1: citations between four journals of statistics (Stigler 1994); the cited journal wins. Row over column.
JOURNALS = ("Biometrika", "Comm Statist", "JASA", "JRSS-B")
CITED = ((0, 730, 498, 221), (33, 0, 68, 17), (320, 813, 0, 142), (284, 276, 325, 0))
CITATION_ABILITIES = {"Biometrika": 0.0, "Comm Statist": -2.94907, "JASA": -0.47957, "JRSS-B": 0.26895}


def test_citations_of_journals_give_the_published_abilities() -> None:
    won = [
        (cited, citing, 1.0)
        for cited, row in zip(JOURNALS, CITED, strict=True)
        for citing, number in zip(JOURNALS, row, strict=True)
        for _ in range(number)
    ]
    found = ratings(BRADLEY_TERRY, log_of(won, [0] * len(won)))
    abilities = {name: POINT * (rating - found["Biometrika"]) for name, rating in found.items()}
    assert abilities == pytest.approx(CITATION_ABILITIES, abs=5e-6)


@given(played=logs)
@settings(max_examples=30, deadline=None)
def test_everybody_scores_what_the_fitted_ratings_expect(played: list[Played]) -> None:
    gamma = fit(BRADLEY_TERRY, log_of(played)).set_index("player")["gamma"]
    expected, scored = dict.fromkeys(gamma.index, 0.0), dict.fromkeys(gamma.index, 0.0)
    for white, black, score in played:
        share = bradley_terry.win_probability(gamma[white], gamma[black])
        for name, points, chance in ((white, score, share), (black, 1 - score, 1 - share)):
            scored[name] += points
            expected[name] += chance
    assert expected == pytest.approx(scored, abs=1e-8)


@given(played=logs)
@settings(max_examples=20, deadline=None)
def test_a_round_of_the_literatures_repeated_substitution_changes_no_strength(played: list[Played]) -> None:
    gamma = fit(BRADLEY_TERRY, log_of(played)).set_index("player")["gamma"]
    wins, divisor = dict.fromkeys(gamma.index, 0.0), dict.fromkeys(gamma.index, 0.0)
    for white, black, score in played:
        wins[white] += score
        wins[black] += 1 - score
        for name in (white, black):
            divisor[name] += 1 / (gamma[white] + gamma[black])
    substituted = {name: wins[name] / divisor[name] for name in gamma.index}
    assert substituted == pytest.approx(dict(gamma), rel=1e-8)


def test_strengths_have_the_geometric_mean_1_and_ratings_the_mean_0() -> None:
    table = fit(BRADLEY_TERRY, log_of(CIRCLE))
    assert np.log(table["gamma"]).mean() == pytest.approx(0, abs=1e-12)
    assert table["rating"].mean() == pytest.approx(0, abs=1e-9)
    assert table["rating"].tolist() == pytest.approx((400 * np.log10(table["gamma"])).tolist())


def test_two_draws_count_as_a_win_of_each_player() -> None:
    drawn, won = [("Ann", "Di", 0.5)] * 2, [("Ann", "Di", 1.0), ("Ann", "Di", 0.0)]
    assert ratings(BRADLEY_TERRY, log_of(CIRCLE + drawn)) == pytest.approx(
        ratings(BRADLEY_TERRY, log_of(CIRCLE + won)), abs=1e-7
    )


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([("Ed", "Ann", 1.0), ("Ben", "Ed", 0.0)], "'Ed' won every game"),
        ([("Ed", "Ann", 0.0)], "'Ed' lost every game"),
        ([("Ed", "Flo", 1.0), ("Flo", "Ed", 1.0)], "no game links 'Ed', 'Flo' with the other players"),
        (
            [("Ed", "Flo", 1.0), ("Flo", "Ed", 1.0), ("Ed", "Ann", 1.0)],
            "'Ed', 'Flo' won every game against the others",
        ),
        (
            [("Ed", "Flo", 1.0), ("Flo", "Ed", 1.0), ("Ed", "Ann", 0.0)],
            "'Ed', 'Flo' lost every game against the others",
        ),
    ],
)
def test_players_without_a_finite_rating_are_named(more: list[Played], message: str) -> None:
    with pytest.raises(UnreadableInput, match=message):
        fit(BRADLEY_TERRY, log_of(CIRCLE + more))


def test_one_draw_makes_a_winner_of_all_other_games_finite() -> None:
    found = ratings(BRADLEY_TERRY, log_of([*CIRCLE, ("Ed", "Ann", 1.0), ("Ben", "Ed", 0.5)]))
    assert math.isfinite(found["Ed"])


# --- BayesElo -----------------------------------------------------------------------------------------------


@given(
    difference=st.floats(-2000, 2000),
    advantage=st.floats(-100, 100),
    drawelo=st.floats(0, 400),
)
def test_the_probabilities_sum_to_one_and_none_is_negative(difference: float, advantage: float, drawelo: float) -> None:
    win = bayeselo.win_probability(difference, advantage, drawelo)
    loss = bayeselo.loss_probability(difference, advantage, drawelo)
    draw = bayeselo.draw_probability(win, loss)
    assert min(win, loss, draw) >= -1e-15
    assert win + draw + loss == pytest.approx(1)


def likelihood(played: list[Played], elo: dict[str, float], advantage: float, drawelo: float, prior: float) -> float:
    """The logarithm of what BayesElo maximises, straight from its three probabilities."""
    many = {name: sum(name in game[:2] for game in played) for name in elo}
    total = 0.0
    for white, black, score in played:
        virtual = prior / 4 * (1 / many[white] + 1 / many[black])
        for one, other, result, weight in (
            (white, black, score, 1.0),
            (white, black, 0.5, virtual),
            (black, white, 0.5, virtual),
        ):
            win = bayeselo.win_probability(elo[one] - elo[other], advantage, drawelo)
            loss = bayeselo.loss_probability(elo[one] - elo[other], advantage, drawelo)
            total += weight * math.log({1.0: win, 0.5: 1 - win - loss, 0.0: loss}[result])
    return total


@pytest.mark.parametrize(
    ("fitted", "names"), [("none", []), ("advantage", ["advantage"]), ("both", ["advantage", "drawelo"])]
)
def test_the_settings_of_a_replay_are_those_that_were_used(fitted: str, names: list[str], tmp_path: Path) -> None:
    """At the fitted values given as they are printed, the same ratings come out; the defaults stand where none is."""
    log = tmp_path / "log.csv"
    rows = [f"{white},{black},{score:g}" for white, black, score in CIRCLE]
    log.write_text("\n".join(["white,black,score", *rows]), encoding="utf-8")
    done = replay_logs([log], system="bayeselo", settings={"fit": fitted, "advantage": 5})
    assert list(done.fitted) == names
    assert any(note.startswith("fitted with the ratings") for note in done.notes) == bool(names)
    used = {**done.settings, "fit": "none"}
    again = replay_logs([log], system="bayeselo", settings=used)
    given = replay_logs([log], system="bayeselo", settings={"advantage": 5})
    for other, same in ((again, True), (given, not names)):
        ratings = [table.replayed.ratings.set_index("player")["rating"].to_dict() for table in (done, other)]
        assert (ratings[0] == pytest.approx(ratings[1], abs=1e-6)) == same


@pytest.mark.parametrize("prior", [0.0, 2.0])
@pytest.mark.parametrize("fitted", ["none", "advantage", "drawelo", "both"])
def test_no_step_from_the_fit_makes_the_log_more_likely(fitted: str, prior: float) -> None:
    table = fit(BAYESELO, log_of(CIRCLE), fit=fitted, prior=prior, scale="none")
    elo = dict(table.set_index("player")["rating"])
    advantage, drawelo = table.attrs["advantage"], table.attrs["drawelo"]
    best = likelihood(CIRCLE, elo, advantage, drawelo, prior)
    for step in (-0.5, 0.5):
        for name in elo:
            assert likelihood(CIRCLE, {**elo, name: elo[name] + step}, advantage, drawelo, prior) < best
        if fitted in ("advantage", "both"):
            assert likelihood(CIRCLE, elo, advantage + step, drawelo, prior) < best
        if fitted in ("drawelo", "both"):
            assert likelihood(CIRCLE, elo, advantage, drawelo + step, prior) < best


def test_a_round_of_the_programs_algorithm_changes_neither_advantage_nor_drawelo() -> None:
    table = fit(BAYESELO, log_of(CIRCLE), fit="both", prior=0, scale="none")
    gamma = 10 ** (table.set_index("player")["rating"] / 400)
    theta_w, theta_d = (10 ** (table.attrs[name] / 400) for name in ("advantage", "drawelo"))
    not_lost = draws = divisor_w = divisor_d = 0.0
    for white, black, score in CIRCLE:
        own, other = gamma[white], gamma[black]
        as_win, as_loss = float(score > 0), float(score < 1)
        won, lost = theta_w * own + theta_d * other, theta_d * theta_w * own + other
        not_lost, draws = not_lost + as_win, draws + float(score == 0.5)
        divisor_w += as_win * own / won + as_loss * theta_d * own / lost
        divisor_d += as_win * other / won + as_loss * theta_w * own / lost
    c = draws / divisor_d
    assert not_lost / divisor_w == pytest.approx(theta_w, rel=1e-8)
    assert c + math.sqrt(c * c + 1) == pytest.approx(theta_d, rel=1e-8)


def test_the_scale_of_the_list_multiplies_every_rating() -> None:
    printed, unscaled = (fit(BAYESELO, log_of(CIRCLE), scale=scale) for scale in ("elo", "none"))
    assert unscaled.attrs["scale"] == 1
    for column in ("rating", "standard_error"):
        scaled = printed.attrs["scale"] * unscaled[column]
        assert printed[column].tolist() == pytest.approx(scaled.tolist(), abs=1e-9)


def test_a_stronger_prior_brings_the_players_closer() -> None:
    spread = [np.ptp(list(ratings(BAYESELO, log_of(CIRCLE), prior=prior).values())) for prior in (0, 2, 8)]
    assert spread[0] > spread[1] > spread[2]


def test_the_prior_keeps_a_winner_of_every_game_finite() -> None:
    found = ratings(BAYESELO, log_of([("Ann", "Ben", 1.0)] * 3))
    assert found["Ann"] == pytest.approx(-found["Ben"])
    assert 0 < found["Ann"] < 1000


def test_without_prior_advantage_and_draws_bayeselo_is_bradley_terry() -> None:
    won = [game for game in CIRCLE if game[2] != 0.5]
    plain = ratings(BAYESELO, log_of(won), prior=0, advantage=0, drawelo=0, scale="none")
    assert plain == pytest.approx(ratings(BRADLEY_TERRY, log_of(won)), abs=1e-6)


def test_groups_without_a_game_between_them_are_refused_whatever_the_prior() -> None:
    with pytest.raises(UnreadableInput, match="no game links 'Ed', 'Flo'"):
        fit(BAYESELO, log_of([*CIRCLE, ("Ed", "Flo", 0.5)]))


@pytest.mark.parametrize(
    ("played", "given_settings", "message"),
    [
        ([("Ann", "Ben", 1.0)], {"prior": 0}, "'Ann' won every game; give a prior above 0"),
        ([("Ann", "Ben", 0.5)], {"fit": "drawelo"}, "every game was drawn"),
        ([("Ann", "Ben", 1.0), ("Ben", "Ann", 1.0)], {"fit": "drawelo", "prior": 0}, "no game was drawn"),
        ([("Ann", "Ben", 1.0), ("Ann", "Ben", 0.0)], {"fit": "advantage", "prior": 0}, "cannot be told"),
        (
            [("Ann", "Ben", 1.0), ("Ann", "Ben", 0.0), ("Ben", "Cy", 1.0), ("Ben", "Cy", 0.0)],
            {"fit": "advantage", "prior": 0},
            "cannot be told",
        ),
        (
            [("Ann", "Ben", 1.0), ("Ben", "Ann", 1.0)],
            {"fit": "advantage", "prior": 0},
            "no finite ratings: after 100 rounds",
        ),
    ],
)
def test_what_the_log_cannot_tell_is_refused(
    played: list[Played], given_settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(UnreadableInput, match=message):
        fit(BAYESELO, log_of(played), **given_settings)


# --- Chessmetrics -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("age", "weight"), [(0, 1), (47, 1 / 48), (48, 0), (49, 0), (100, 0)])
def test_a_game_counts_linearly_less_until_the_window_ends(age: int, weight: float) -> None:
    assert chessmetrics.age_weight(age, 48) == pytest.approx(weight)


def test_each_rating_is_the_padded_performance_against_the_others() -> None:
    table = fit(CHESSMETRICS, log_of(CIRCLE), shift="none")
    for row in table.itertuples():
        raw = chessmetrics.raw_performance(row.average_opponent, row.weighted_score, row.weighted_games)
        padded = chessmetrics.padded_performance(raw, row.average_opponent, row.weighted_games, 2300, 43)
        assert row.rating == pytest.approx(padded, abs=1e-5)
    found = dict(table.set_index("player")["rating"])
    opponents = [black if white == "Ann" else white for white, black, _ in CIRCLE if "Ann" in (white, black)]
    own = table.set_index("player").loc["Ann"]
    assert own["average_opponent"] == pytest.approx(sum(map(found.__getitem__, opponents)) / len(opponents))


def months_apart(months: int) -> pd.DataFrame:
    """A round of games, and the same again so many months later."""
    later = (pd.Timestamp(DAY_1) + pd.DateOffset(months=months) - pd.Timestamp(DAY_1)).days
    days = [0] * len(CIRCLE) + [later] * len(CIRCLE)
    return log_of([*CIRCLE, *CIRCLE], days)


def test_games_older_than_the_window_do_not_count() -> None:
    table = fit(CHESSMETRICS, months_apart(49), shift="none").set_index("player")
    assert dict(table["rating"]) == pytest.approx(ratings(CHESSMETRICS, log_of(CIRCLE), shift="none"), abs=1e-5)
    half = fit(CHESSMETRICS, months_apart(24), shift="none").set_index("player")
    assert (half["weighted_games"] / table["weighted_games"]).tolist() == pytest.approx([1.5] * 4)


def test_the_day_of_the_list_leaves_later_games_out() -> None:
    table = fit(CHESSMETRICS, months_apart(24), day="2020-01-31", shift="none").set_index("player")
    assert dict(table["rating"]) == pytest.approx(ratings(CHESSMETRICS, log_of(CIRCLE), shift="none"), abs=1e-5)


def test_a_player_with_too_few_weighted_games_is_not_on_the_list_and_his_games_do_not_count() -> None:
    days = list(range(len(CIRCLE)))
    table = fit(CHESSMETRICS, log_of([*CIRCLE, ("Ed", "Ann", 1.0)], [*days, 0]), minimum_games=2).set_index("player")
    assert math.isnan(table["rating"]["Ed"])
    assert table["weighted_games"]["Ed"] == 0
    found = dict(table["rating"].drop("Ed"))
    assert found == pytest.approx(ratings(CHESSMETRICS, log_of(CIRCLE), minimum_games=2), abs=1e-5)


def test_a_player_with_exactly_the_weighted_games_is_on_the_list() -> None:
    played: list[Played] = [("Ann", "Ben", 1.0)] * 5
    assert len(CHESSMETRICS.fit(log_of(played), CHESSMETRICS.settings())["rating"].dropna()) == 2
    with pytest.raises(UnreadableInput, match="nobody has 5 weighted games"):
        CHESSMETRICS.fit(log_of(played[:4]), CHESSMETRICS.settings())


def test_a_day_before_the_first_game_has_no_list() -> None:
    with pytest.raises(UnreadableInput, match=r"nobody has 1 weighted games .* on 2019-12-31"):
        fit(CHESSMETRICS, log_of(CIRCLE), day="2019-12-31")


def test_the_list_is_shifted_to_the_level_of_the_players_ranked_3_to_20_on_both_lists() -> None:
    before = np.array([2800.0, 2750, 2700, 2650, np.nan])
    now = np.array([2810.0, 2760, 2690, np.nan, 2600])
    # Ranks 3 to 20 before: the third and fourth player; now: the third and fifth.
    assert list_shift(before, now, 99.0) == 10
    assert list_shift(np.full(5, np.nan), now, 99.0) == 99


def test_the_monthly_shift_moves_all_ratings_alike() -> None:
    plain, shifted = (fit(CHESSMETRICS, months_apart(1), shift=shift) for shift in ("none", "monthly"))
    moved = shifted["rating"] - plain["rating"]
    assert moved.tolist() == pytest.approx([moved[0]] * 4, abs=1e-5)
    assert abs(moved[0]) > 1


def test_the_first_list_is_not_shifted() -> None:
    plain, shifted = (ratings(CHESSMETRICS, log_of(CIRCLE), shift=shift) for shift in ("none", "monthly"))
    assert plain == shifted


def test_raw_performances_lead_to_six_sevenths_of_the_score_in_a_round_robin_of_seven() -> None:
    players = [f"Player {number}" for number in range(7)]
    scores = dict(zip(players, (5.5, 6.5, 4, 8, 6, 8, 4), strict=True))
    pairings = [(one, other) for one in players for other in players if one != other]
    found = simultaneous_performances(pairings, scores, dict.fromkeys(players, 2743.0), rounds=60)
    fixed = {name: 2743 + 6 / 7 * 850 * (score / 12 - 0.5) for name, score in scores.items()}
    assert found == pytest.approx(fixed, abs=1e-6)


def test_a_tournament_without_somebodys_score_is_refused() -> None:
    with pytest.raises(UsageError, match="a score and a starting rating of Ann, Ben"):
        simultaneous_performances([("Ann", "Ben")], {"Ann": 1}, {"Ann": 2000, "Ben": 2000}, rounds=1)


# --- WHR ----------------------------------------------------------------------------------------------------


def test_a_shorter_log_gives_what_the_reference_implementation_prints() -> None:
    # README of goshrine/whole_history_rating: ratings as printed, and 100 times the variance in natural units.
    played = [("shusai", "shusaku", score) for score in (0.0, 1.0, 1.0)]
    history = whr_history(log_of(played))
    own = history[history["player"] == "shusaku"]
    assert own["rating"].round().tolist() == [-43, -45, -45]
    assert (100 * (POINT * own["standard_deviation"]) ** 2).round().tolist() == [84, 84, 84]


def test_a_history_has_a_row_for_each_day_of_each_player() -> None:
    played = [("Ann", "Ben", 1.0), ("Ben", "Ann", 1.0), ("Ann", "Cy", 0.5)]
    history = whr_history(log_of(played, [0, 0, 7]))
    rows = [(row.player, row.date.date()) for row in history.itertuples()]
    week = DAY_1 + timedelta(days=7)
    assert rows == [("Ann", DAY_1), ("Ann", week), ("Ben", DAY_1), ("Cy", week)]
    assert (history["standard_deviation"] > 0).all()


def test_the_time_of_day_makes_no_second_day() -> None:
    games = log_of(CIRCLE, [0] * len(CIRCLE))
    late = games.assign(date=games["date"] + pd.to_timedelta(range(len(games)), "h"))
    assert len(whr_history(late)) == 4
    assert ratings(WHR, late) == pytest.approx(ratings(WHR, games), abs=1e-9)


def posterior(history: dict[tuple[str, date], float], played: list[Played], days: list[int], w2: float) -> float:
    """The logarithm of what WHR maximises, straight from its definition."""

    def log_share(difference: float) -> float:
        return -math.log(1 + 10 ** (-difference / 400))

    total = 0.0
    for (white, black, score), day in zip(played, days, strict=True):
        when = DAY_1 + timedelta(days=day)
        lead = history[white, when] - history[black, when]
        total += score * log_share(lead) + (1 - score) * log_share(-lead)
    last: tuple[str, date] | None = None
    for (name, when), rating in sorted(history.items()):
        if last is None or last[0] != name:
            total += log_share(rating) + log_share(-rating)
        else:
            total -= (rating - history[last]) ** 2 / (2 * w2 * (when - last[1]).days)
        last = (name, when)
    return total


@pytest.mark.parametrize("w2", [10.0, 300.0])
def test_the_gradient_of_the_posterior_is_zero_at_the_fit(w2: float) -> None:
    days = [0, 0, 3, 10, 10, 11, 40, 41, 41, 90]
    table = whr_history(log_of(CIRCLE, days), {"w2": w2})
    history = {(row.player, row.date.date()): row.rating for row in table.itertuples()}
    best = posterior(history, CIRCLE, days, w2)
    for key, rating in history.items():
        up, down = (posterior({**history, key: rating + step}, CIRCLE, days, w2) for step in (0.01, -0.01))
        assert (up - down) / 0.02 == pytest.approx(0, abs=1e-9)
        assert max(up, down) < best


def test_the_variances_are_those_of_the_players_own_days() -> None:
    days = list(range(0, 50, 5))
    table = whr_history(log_of(CIRCLE, days))
    history = {(row.player, row.date.date()): row.rating for row in table.itertuples()}
    own = [key for key in history if key[0] == "Ben"]
    step = 1.0

    def at(*moves: tuple[tuple[str, date], float]) -> float:
        moved = dict(history)
        for key, by in moves:
            moved[key] += by
        return posterior(moved, CIRCLE, days, 300)

    curvature = np.array(
        [
            [
                (
                    at((a, step), (b, -step))
                    + at((a, -step), (b, step))
                    - at((a, step), (b, step))
                    - at((a, -step), (b, -step))
                )
                / (4 * step**2)
                for b in own
            ]
            for a in own
        ]
    )
    variance = np.diag(np.linalg.inv(curvature + 0.001 * POINT**2 * np.eye(len(own))))
    got = table.loc[table["player"] == "Ben", "standard_deviation"] ** 2
    assert got.tolist() == pytest.approx(variance.tolist(), rel=1e-3)


def test_a_smaller_drift_makes_a_history_flatter() -> None:
    days = [10 * number for number in range(len(CIRCLE))]
    spread = []
    for w2 in (1.0, 30.0, 900.0):
        history = whr_history(log_of(CIRCLE, days), {"w2": w2})
        spread.append(float(history.groupby("player")["rating"].apply(np.ptp).sum()))
    assert spread[0] < spread[1] < spread[2]


def test_the_table_of_a_fit_shows_the_last_day() -> None:
    games = log_of(CIRCLE)
    last = whr_history(games).groupby("player")["rating"].last()
    assert ratings(WHR, games) == pytest.approx(dict(last))


def test_a_winner_of_every_game_and_a_group_of_its_own_have_finite_ratings() -> None:
    found = ratings(WHR, log_of([("Ann", "Ben", 1.0)] * 3 + [("Ed", "Flo", 0.5)]))
    assert found["Ann"] > 0 > found["Ben"]
    assert found["Ed"] == pytest.approx(found["Flo"], abs=1e-9)


# --- the games as arrays ------------------------------------------------------------------------------------


def test_players_are_numbered_in_the_order_in_which_they_first_play() -> None:
    pool = pool_of(log_of(CIRCLE), "test")
    assert pool.names == ["Ann", "Ben", "Cy", "Di"]
    assert pool.played.tolist() == [5, 6, 5, 4]
