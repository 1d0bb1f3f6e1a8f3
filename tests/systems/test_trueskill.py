"""TrueSkill for two players: another implementation's numbers, and what must hold of every game."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elo_sheets.errors import UsageError
from elo_sheets.formula import to_formula
from elo_sheets.games import make_games
from elo_sheets.replaying.replay import replay
from elo_sheets.systems import lines
from elo_sheets.systems import trueskill as rules
from elo_sheets.systems.trueskill import TRUESKILL, conservative_skill, free_for_all, match_quality

DATA = Path(__file__).parent.parent / "data" / "trueskill"

mus = st.floats(0, 50)
sigmas = st.floats(0.5, 25 / 3)
scores = st.sampled_from([1.0, 0.5, 0.0])

few = settings(max_examples=20, deadline=None)  # where each example is a replay
many = settings(max_examples=200, deadline=None)

Skill = tuple[float, float]


def rate(games: list[tuple[str, str, float]], start: dict[str, Skill], **chosen: Any) -> dict[str, Skill]:
    """The mu and sigma of every player after the games."""
    table = make_games(
        {"white": white, "black": black, "score": score, "column:period": "0", "source": "test", "source_row": number}
        for number, (white, black, score) in enumerate(games, 1)
    )
    states = {name: {"rating": mu, "sigma": sigma} for name, (mu, sigma) in start.items()}
    after = replay(table, TRUESKILL, chosen, start=states).ratings
    return {row["player"]: (row["rating"], row["sigma"]) for row in after.to_dict("records")}


def package_rows() -> list[dict[str, float]]:
    with (DATA / "two_players.csv").open(encoding="utf-8", newline="") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


def is_far(row: dict[str, float]) -> bool:
    """Whether the result was expected with less than eight standard deviations to the wrong side."""
    c = rules.c(math.hypot(row["sigma"], row["tau"]), math.hypot(row["opponent_sigma"], row["tau"]), row["beta"])
    e = rules.draw_margin(row["draw_probability"], row["beta"]) / c
    lead = (row["mu"] - row["opponent_mu"]) / c
    return (-abs(lead) + e if row["score"] == 0.5 else rules.win_lead(row["score"], lead, e)) < -7.9


def check(row: dict[str, float], tolerance: float) -> None:
    start = {"Own": (row["mu"], row["sigma"]), "Other": (row["opponent_mu"], row["opponent_sigma"])}
    chosen = {name: row[name] for name in ("beta", "tau", "draw_probability")}
    after = rate([("Own", "Other", row["score"])], start, **chosen)
    for name, side in (("Own", ""), ("Other", "opponent_")):
        wanted = (row[f"{side}mu_after"], row[f"{side}sigma_after"])
        assert after[name] == pytest.approx(wanted, abs=tolerance, rel=0)


def row_name(row: dict[str, float]) -> str:
    return f"{row['mu']:g}-{row['opponent_mu']:g}-{row['score']}"


NEAR, FAR = ([row for row in package_rows() if is_far(row) is far] for far in (False, True))


@pytest.mark.parametrize("row", NEAR, ids=row_name)
def test_two_players_get_the_numbers_of_the_package(row: dict[str, float]) -> None:
    check(row, 1e-6)


@pytest.mark.parametrize("row", FAR, ids=row_name)
def test_results_beyond_eight_standard_deviations_come_close_to_the_package(row: dict[str, float]) -> None:
    check(row, 0.005 if row["score"] == 0.5 else 1e-5)


@pytest.mark.parametrize("row", package_rows(), ids=row_name)
def test_the_quality_of_a_match_is_that_of_the_package(row: dict[str, float]) -> None:
    quality = match_quality(row["mu"], row["sigma"], row["opponent_mu"], row["opponent_sigma"], row["beta"])
    assert quality == pytest.approx(row["quality"], abs=1e-9)


@few
@given(mus, mus, sigmas, sigmas, scores)
def test_swapping_the_players_swaps_the_results(
    mu: float, other_mu: float, sigma: float, other_sigma: float, score: float
) -> None:
    start = {"Ann": (mu, sigma), "Bob": (other_mu, other_sigma)}
    assert rate([("Ann", "Bob", score)], start) == rate([("Bob", "Ann", 1 - score)], start)


@few
@given(mus, st.floats(0, 50), sigmas, sigmas)
def test_a_draw_never_moves_the_favourite_up(mu: float, lead: float, sigma: float, other_sigma: float) -> None:
    after = rate([("Ann", "Bob", 0.5)], {"Ann": (mu + lead, sigma), "Bob": (mu, other_sigma)})
    assert after["Ann"][0] <= mu + lead + 1e-9
    assert after["Bob"][0] >= mu - 1e-9


@few
@given(mus, mus, sigmas, sigmas)
def test_a_win_moves_the_winner_up_and_the_loser_down(
    mu: float, other_mu: float, sigma: float, other_sigma: float
) -> None:
    after = rate([("Ann", "Bob", 1.0)], {"Ann": (mu, sigma), "Bob": (other_mu, other_sigma)})
    assert after["Ann"][0] >= mu
    assert after["Bob"][0] <= other_mu


@few
@given(mus, mus, sigmas, sigmas, scores)
def test_a_result_never_makes_a_skill_less_sure_than_before_it(
    mu: float, other_mu: float, sigma: float, other_sigma: float, score: float
) -> None:
    after = rate([("Ann", "Bob", score)], {"Ann": (mu, sigma), "Bob": (other_mu, other_sigma)})
    assert after["Ann"][1] <= math.hypot(sigma, 25 / 300) + 1e-12


@many
@given(st.floats(-8, 8))
def test_the_expected_scores_of_both_sides_add_up_to_one(t: float) -> None:
    assert rules.expected(t) + rules.expected(-t) == pytest.approx(1, abs=1e-12)


def v_and_w(win_lead: float) -> tuple[float, float]:
    v = rules.win_v(win_lead, rules.tail_v(win_lead))
    return v, rules.win_w(win_lead, v)


def test_the_series_of_the_tail_joins_the_ratio_at_eight_standard_deviations() -> None:
    for beside, on in zip(v_and_w(-8 - 1e-9), v_and_w(-8), strict=True):
        assert beside == pytest.approx(on, rel=3e-4)


@pytest.mark.parametrize("win_lead", [-9.0, -20.0, -37.0])
def test_the_series_of_the_tail_is_the_ratio_of_density_and_tail(win_lead: float) -> None:
    ratio = math.exp(-(win_lead**2) / 2) / math.sqrt(2 * math.pi) / (math.erfc(-win_lead / math.sqrt(2)) / 2)
    assert rules.win_v(win_lead, rules.tail_v(win_lead)) == pytest.approx(ratio, rel=1e-5)


@pytest.mark.parametrize("win_lead", [-1e3, -1e6])
def test_far_out_v_is_the_distance_and_w_is_one(win_lead: float) -> None:
    v, w = v_and_w(win_lead)
    assert v == pytest.approx(-win_lead, rel=1e-5)
    assert w == pytest.approx(1, rel=1e-4)


@pytest.mark.parametrize("score", [1.0, 0.5, 0.0])
def test_a_result_against_all_odds_leaves_numbers(score: float) -> None:
    after = rate([("Ann", "Bob", score)], {"Ann": (500, 0.5), "Bob": (-500, 0.5)})
    assert all(math.isfinite(value) for skill in after.values() for value in skill)
    assert after["Ann"][0] <= 500 + 1e-9 or score == 1


@pytest.mark.parametrize("draw_probability", [0.0, 1.0])
def test_a_draw_probability_of_nothing_or_one_leaves_numbers(draw_probability: float) -> None:
    for score in (1.0, 0.5, 0.0):
        after = rate([("Ann", "Bob", score)], {"Ann": (30, 5), "Bob": (22, 3)}, draw_probability=draw_probability)
        assert all(math.isfinite(value) for skill in after.values() for value in skill)


def test_a_draw_that_was_impossible_counts_as_equal_performances() -> None:
    """The limit of ever narrower draw margins, the Kalman filter for a difference of nothing."""
    after = rate([("Ann", "Bob", 0.5)], {"Ann": (30, 5), "Bob": (22, 3)}, draw_probability=0, tau=0)
    c2 = 2 * (25 / 6) ** 2 + 25 + 9
    assert after["Ann"] == (pytest.approx(30 - 25 / c2 * 8), pytest.approx(5 * math.sqrt(1 - 25 / c2)))


def test_the_order_of_the_games_of_a_period_does_not_matter() -> None:
    games = [("Ann", "Bob", 1.0), ("Cid", "Ann", 0.5), ("Bob", "Cid", 0.0), ("Ann", "Bob", 0.0)]
    start = {"Ann": (25.0, 8.0), "Bob": (28.0, 2.0), "Cid": (20.0, 5.0)}
    one, other = (rate(order, start, period="column:period") for order in (games, games[::-1]))
    for name in start:
        assert one[name] == pytest.approx(other[name], rel=1e-12)


@few
@given(mus, mus, sigmas, sigmas, scores)
def test_a_period_of_one_game_is_a_game(
    mu: float, other_mu: float, sigma: float, other_sigma: float, score: float
) -> None:
    start = {"Ann": (mu, sigma), "Bob": (other_mu, other_sigma)}
    alone, period = (rate([("Ann", "Bob", score)], start, period=name) for name in ("game", "column:period"))
    assert alone == period


def test_two_games_of_a_period_against_equals_tell_more_than_one() -> None:
    start = {"Ann": (25.0, 8.0), "Bob": (25.0, 8.0), "Cid": (25.0, 8.0)}
    one = rate([("Ann", "Bob", 1.0)], {k: start[k] for k in ("Ann", "Bob")}, period="column:period")
    two = rate([("Ann", "Bob", 1.0), ("Ann", "Cid", 1.0)], start, period="column:period")
    assert two["Ann"][0] > one["Ann"][0]
    assert two["Ann"][1] < one["Ann"][1]


def test_a_newcomer_shows_a_skill_of_nothing() -> None:
    assert conservative_skill(25, 25 / 3) == 0


@many
@given(mus, mus, sigmas, sigmas)
def test_the_quality_of_a_match_is_best_between_equals(
    mu: float, other_mu: float, sigma: float, other_sigma: float
) -> None:
    beta = 25 / 6
    quality = match_quality(mu, sigma, other_mu, other_sigma, beta)
    assert 0 <= quality <= match_quality(mu, sigma, mu, other_sigma, beta) <= 1


def test_every_formula_fits_a_screen_line() -> None:
    columns = lines((*TRUESKILL.opening, *TRUESKILL.game, *TRUESKILL.forecast, *TRUESKILL.closing))
    assert [line.name for line in columns if len(to_formula(line.trace())) > 110] == []


def test_no_two_columns_have_the_same_header() -> None:
    columns = lines((*TRUESKILL.opening, *TRUESKILL.game, *TRUESKILL.forecast, *TRUESKILL.closing))
    names = [state.name for state in TRUESKILL.state] + [column.name for column in columns]
    headers = [TRUESKILL.label(name).casefold() for name in names]
    assert sorted(set(headers)) == sorted(headers)


# --- a free-for-all -------------------------------------------------------------------------------------------


def test_the_published_table_of_eight_players_comes_out_to_the_printed_digit() -> None:
    """One printed number stands on the border of rounding: 4.874 for the places in the middle is 4.874549 here."""
    with (DATA / "eight_players.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    before = [(float(row["mu_start"]), float(row["sigma_start"])) for row in rows]
    after = free_for_all(before, [int(row["finish"]) for row in rows])
    assert len(rows) == 8
    for row, (mu, sigma) in zip(rows, after, strict=True):
        assert f"{mu:.3f}" == row["mu_after"]
        if row["finish"] in {"4", "5"}:
            assert (row["sigma_after"], f"{sigma:.6f}") == ("4.874", "4.874549")
        else:
            assert f"{sigma:.3f}" == row["sigma_after"]


@pytest.mark.parametrize(
    ("players", "places", "expected"),
    [
        ([(25, 25 / 3)] * 2, (1, 2), [(29.396, 7.171), (20.604, 7.171)]),
        ([(25, 25 / 3)] * 2, (1, 1), [(25, 6.458), (25, 6.458)]),
        ([(30, 5), (22, 3)], (1, 2), [(31.013, 4.616), (21.635, 2.920)]),
        ([(22, 3), (30, 5)], (2, 1), [(21.635, 2.920), (31.013, 4.616)]),
        ([(30, 5), (22, 3)], (1, 1), [(27.097, 3.992), (23.046, 2.798)]),
    ],
)
def test_two_of_a_free_for_all_are_a_game(players: Any, places: Any, expected: Any) -> None:
    for found, published in zip(free_for_all(players, places), expected, strict=True):
        assert found == pytest.approx(published, abs=5e-4)


def test_a_free_for_all_of_one_is_refused() -> None:
    with pytest.raises(UsageError, match="expected two or more players with a place each, got 1 and 1"):
        free_for_all([(25, 8)], [1])
