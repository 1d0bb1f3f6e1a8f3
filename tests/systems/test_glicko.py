"""Glicko, Glicko-2 and Lichess: the papers' examples, the server's own tests, and what must hold of every log.

Whole periods go through the replay; a step alone is called on floats.
"""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from elo_sheets.formula import to_formula
from elo_sheets.games import make_games
from elo_sheets.replaying.replay import replay
from elo_sheets.systems import System, lines
from elo_sheets.systems import glicko as glicko_rules
from elo_sheets.systems import glicko2 as glicko2_rules
from elo_sheets.systems import lichess as lichess_rules
from elo_sheets.systems.glicko import GLICKO, growth_constant
from elo_sheets.systems.glicko2 import GLICKO_2, SEARCH
from elo_sheets.systems.lichess import LICHESS

DATA = Path(__file__).parent.parent / "data" / "glicko"
PERIODIC = pytest.mark.parametrize("system", [GLICKO, GLICKO_2], ids=["glicko", "glicko2"])
ALL = pytest.mark.parametrize("system", [GLICKO, GLICKO_2, LICHESS], ids=["glicko", "glicko2", "lichess"])

ratings = st.floats(800, 2800)
rds = st.floats(30, 350)
volatilities = st.floats(0.03, 0.1)
taus = st.floats(0.3, 1.2)
scores = st.sampled_from([1.0, 0.5, 0.0])

few = settings(max_examples=20, deadline=None)  # where each example is a replay
many = settings(max_examples=200, deadline=None)

Game = tuple[str, str, float] | tuple[str, str, float, int]
State = Mapping[str, float]


def played(games: Sequence[Game], days: Sequence[str] = ()) -> Any:
    """The games with their period, 0 unless it is said."""
    return make_games(
        {
            "date": day,
            "white": white,
            "black": black,
            "score": score,
            "column:period": str(*period) if period else "0",
            "source": "test",
            "source_row": number,
        }
        for number, ((white, black, score, *period), day) in enumerate(
            zip(games, itertools.chain(days, itertools.repeat("")), strict=False), 1
        )
    )


def rate(
    system: System, games: Any, start: Mapping[str, State] | None = None, **chosen: Any
) -> dict[str, dict[str, float]]:
    """The final states by player, all games of a value of the column `period` rated together."""
    table = replay(games, system, {"period": "column:period"} | chosen, start=start).ratings
    found: dict[str, dict[str, float]] = table.set_index("player").to_dict("index")
    return found


# --- the papers' examples -------------------------------------------------------------------------------------

EXAMPLE_GAMES = [("Own", "A", 1.0), ("B", "Own", 1.0), ("Own", "C", 0.0)]
EXAMPLE_START = {
    "Own": {"rating": 1500, "rd": 200},
    "A": {"rating": 1400, "rd": 30},
    "B": {"rating": 1550, "rd": 100},
    "C": {"rating": 1700, "rd": 300},
}


def test_the_example_of_the_glicko_paper_comes_out() -> None:
    own = rate(GLICKO, played(EXAMPLE_GAMES), EXAMPLE_START, c=0)["Own"]
    assert own["rating"] == pytest.approx(1464.1064627, abs=1e-7)
    assert own["rd"] == pytest.approx(151.3989024, abs=1e-7)
    assert (round(own["rating"]), round(own["rd"], 1)) == (1464, 151.4)


def test_the_example_of_the_glicko_2_paper_comes_out() -> None:
    own = rate(GLICKO_2, played(EXAMPLE_GAMES), EXAMPLE_START, tau=0.5)["Own"]
    assert own["rating"] == pytest.approx(1464.0506705, abs=1e-7)
    assert own["rd"] == pytest.approx(151.5165241, abs=1e-7)
    assert own["volatility"] == pytest.approx(0.0599959843, abs=2e-10)  # from A and B within 1e-6


def test_the_papers_intermediate_values_of_the_glicko_2_example_come_out() -> None:
    """g .9955, .9531, .7242; E .639, .432, .303; v 1.7785, delta -.4834 as printed from rounded values."""
    history = replay(played(EXAMPLE_GAMES), GLICKO_2, {"period": "column:period"}, start=EXAMPLE_START).history
    own = history[history["player"] == "Own"]
    assert own["g"].round(4).tolist() == [0.9955, 0.9531, 0.7242]
    assert own["expected"].round(3).tolist() == [0.639, 0.432, 0.303]
    assert own["v"].iloc[-1] == pytest.approx(1.7785, abs=1e-3)
    assert own["delta"].iloc[-1] == pytest.approx(-0.4834, abs=1e-3)


def server_games() -> list[dict[str, float]]:
    with (DATA / "lichess_single_games.csv").open(encoding="utf-8", newline="") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


@pytest.mark.parametrize("row", server_games(), ids=str)
def test_a_single_game_of_the_lichess_server_s_tests_comes_out(row: dict[str, float]) -> None:
    start = {
        name: {state: row[f"{name}_{state}"] for state in ("rating", "rd", "volatility")} for name in ("white", "black")
    }
    after = rate(LICHESS, played([("white", "black", row["white_score"])]), start, advantage=0)
    for name in ("white", "black"):
        assert after[name]["rating"] == pytest.approx(row[f"{name}_rating_after"], abs=0.005, rel=0)
        assert after[name]["rd"] == pytest.approx(row[f"{name}_rd_after"], abs=0.00005, rel=0)
        tolerance = row["volatility_tolerance"]
        assert after[name]["volatility"] == pytest.approx(row[f"{name}_volatility_after"], abs=tolerance, rel=0)


# --- what holds of all three ----------------------------------------------------------------------------------

POOL = {"Ann": (1500, 200), "Bob": (1400, 30), "Cid": (1550, 100), "Dot": (1700, 300)}
POOL_START = {name: {"rating": rating, "rd": rd} for name, (rating, rd) in POOL.items()}
POOL_GAMES = [("Ann", "Bob", 1.0), ("Cid", "Ann", 0.5), ("Dot", "Bob", 0.0), ("Cid", "Dot", 1.0), ("Ann", "Bob", 0.0)]


@ALL
def test_the_order_of_the_games_of_a_period_does_not_matter(system: System) -> None:
    one = rate(system, played(POOL_GAMES), POOL_START)
    other = rate(system, played(POOL_GAMES[::-1]), POOL_START)
    for name in POOL:
        assert one[name] == pytest.approx(other[name], rel=1e-12)


@ALL
@few
@given(ratings, ratings, rds, rds, scores)
def test_swapping_the_players_swaps_the_results(
    system: System, first: float, second: float, first_rd: float, second_rd: float, score: float
) -> None:
    start = {"Ann": {"rating": first, "rd": first_rd}, "Bob": {"rating": second, "rd": second_rd}}
    even = {"advantage": 0} if system is LICHESS else {}
    one = rate(system, played([("Ann", "Bob", score)]), start, **even)
    other = rate(system, played([("Bob", "Ann", 1 - score)]), start, **even)
    assert {name: own["rating"] for name, own in one.items()} == {name: own["rating"] for name, own in other.items()}


@ALL
@few
@given(ratings, st.floats(0, 1200), rds, rds)
def test_a_draw_never_moves_the_favourite_up(
    system: System, rating: float, lead: float, rd: float, other_rd: float
) -> None:
    start = {"Ann": {"rating": rating + lead, "rd": rd}, "Bob": {"rating": rating, "rd": other_rd}}
    even = {"advantage": 0} if system is LICHESS else {}
    after = rate(system, played([("Ann", "Bob", 0.5)]), start, **even)
    assert after["Ann"]["rating"] <= rating + lead + 1e-9
    assert after["Bob"]["rating"] >= rating - 1e-9


@ALL
@few
@given(ratings, ratings, rds, rds)
def test_the_forecasts_of_both_sides_add_up_to_one(
    system: System, first: float, second: float, first_rd: float, second_rd: float
) -> None:
    start = {"Ann": {"rating": first, "rd": first_rd}, "Bob": {"rating": second, "rd": second_rd}}
    history = replay(played([("Ann", "Bob", 0.5)]), system, {"period": "game"}, start=start).history
    assert history["forecast"].sum() == pytest.approx(1, abs=1e-12)


@ALL
def test_a_win_is_worth_more_against_an_opponent_whose_rating_is_sure(system: System) -> None:
    def gained(opponent_rd: float) -> float:
        start = {"Ann": {"rating": 1500, "rd": 200}, "Bob": {"rating": 1500, "rd": opponent_rd}}
        return rate(system, played([("Ann", "Bob", 1.0)]), start)["Ann"]["rating"] - 1500

    assert gained(45) > gained(200) > gained(350) > 0


@ALL
def test_a_game_that_is_certain_to_all_digits_leaves_numbers(system: System) -> None:
    start = {"Ann": {"rating": 9000, "rd": 50}, "Bob": {"rating": 0, "rd": 50}}
    limits = {"rating_min": -1e5, "rating_max": 1e5} if system is LICHESS else {}
    for score in (1.0, 0.0):
        after = rate(system, played([("Ann", "Bob", score)]), start, **limits)
        assert all(math.isfinite(value) for own in after.values() for value in own.values())


@ALL
def test_every_formula_fits_a_screen_line(system: System) -> None:
    columns = lines((*system.opening, *system.game, *system.forecast, *system.closing))
    searched = {line.name for line in lines(SEARCH)}
    assert [
        line.name for line in columns if len(to_formula(line.trace())) > (200 if line.name in searched else 110)
    ] == []


@ALL
def test_no_two_columns_have_the_same_header(system: System) -> None:
    columns = lines((*system.opening, *system.game, *system.forecast, *system.closing))
    headers = [system.label(name).casefold() for name in [s.name for s in system.state] + [c.name for c in columns]]
    assert sorted(set(headers)) == sorted(headers)


# --- idle periods ---------------------------------------------------------------------------------------------


@many
@given(st.floats(0, 350), st.floats(0, 100), st.integers(1, 500))
def test_glicko_s_idle_rd_only_grows_and_stops_at_the_largest(rd: float, c: float, elapsed: int) -> None:
    shorter, longer = (glicko_rules.start_rd(rd, c, periods, 350) for periods in (elapsed, elapsed + 1))
    assert rd - 1e-9 <= shorter <= longer <= 350


@many
@given(rds, volatilities, st.integers(1, 500))
def test_glicko_2_s_idle_rd_only_grows(rd: float, volatility: float, elapsed: int) -> None:
    shorter, longer = (glicko2_rules.start_rd(rd, volatility, n, 173.7178) for n in (elapsed, elapsed + 1))
    assert rd - 1e-9 <= shorter <= longer


@many
@given(rds, volatilities, st.floats(0, 10000))
def test_the_lichess_rd_only_grows_between_games(rd: float, volatility: float, days: float) -> None:
    shorter, longer = (lichess_rules.start_rd(rd, volatility, n, 0.21436, 173.7178, 45, 500) for n in (days, days + 1))
    assert max(rd, 45) - 1e-9 <= shorter <= longer <= 500


def test_a_newcomer_of_the_largest_rd_stays_there_in_his_first_period() -> None:
    assert glicko_rules.start_rd(350, 63.2, 1, 350) == 350


def test_one_idle_period_of_the_papers_constant_turns_50_into_80_6() -> None:
    assert glicko_rules.start_rd(50, 63.2, 1, 350) == pytest.approx(80.6, abs=0.05)


def test_the_growth_constant_brings_an_rd_back_in_its_periods() -> None:
    c = growth_constant(50, 350, 30)
    assert glicko_rules.start_rd(50, c, 30, 1e6) == pytest.approx(350)
    assert glicko_rules.start_rd(50, c, 29, 350) < 350


def test_glicko_2_counts_the_periods_between_as_idle_and_the_period_s_own_at_its_end() -> None:
    """Three periods without a game are three times step 6; the fourth is part of the rating itself."""
    rd = 50.0
    for _ in range(3):
        rd = math.hypot(rd, 0.06 * 173.7178)
    assert glicko2_rules.start_rd(50, 0.06, 4, 173.7178) == pytest.approx(rd)


@PERIODIC
def test_periods_in_which_a_player_is_idle_raise_his_rd(system: System) -> None:
    others = [("Cid", "Dot", 0.5, period) for period in range(1, 6)]
    start = {"Ann": {"rd": 60}, "Bob": {"rd": 60}}
    later = rate(system, played([("Ann", "Bob", 0.5, 0), *others, ("Ann", "Bob", 0.5, 6)]), start)
    at_once = rate(system, played([("Ann", "Bob", 0.5, 0), *others, ("Ann", "Bob", 0.5, 1)]), start)
    assert later["Ann"]["rd"] > at_once["Ann"]["rd"]


def test_a_typical_lichess_rd_goes_from_60_to_110_in_a_year() -> None:
    assert lichess_rules.start_rd(60, 0.06, 365, 0.21436, 173.7178, 45, 500) == pytest.approx(110, abs=0.05)


def test_lichess_reads_the_days_between_games_from_the_log() -> None:
    games = [("Ann", "Bob", 0.5), ("Ann", "Bob", 0.5)]
    start = {name: {"rating": 1500, "rd": 60, "volatility": 0.06} for name in ("Ann", "Bob")}
    history = replay(played(games, ["2025-01-01", "2026-01-01"]), LICHESS, start=start).history
    first, last = history[history["player"] == "Ann"].to_dict("records")
    grown = math.sqrt(first["rd_after"] ** 2 + 365 * 0.21436 * (173.7178 * first["volatility_after"]) ** 2)
    assert (first["days"], last["days"]) == (0, 365)
    assert (first["start_rd"], last["start_rd"]) == (60, pytest.approx(grown))


# --- Glicko: limits -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variance", "floor", "expected"), [(900, 30, 30), (899, 30, 30), (961, 30, 31), (899, 0, 899**0.5)]
)
def test_glicko_s_floor_holds_on_the_line_and_beside_it(variance: float, floor: float, expected: float) -> None:
    assert glicko_rules.rd_after(variance, floor) == pytest.approx(expected)


@pytest.mark.parametrize(("rd", "expected"), [(349, 349.0), (350, 350), (351, 350)])
def test_glicko_s_largest_rd_holds_on_the_line_and_beside_it(rd: float, expected: float) -> None:
    assert glicko_rules.start_rd(rd, 0, 1, 350) == expected


# --- Glicko-2: the volatility ---------------------------------------------------------------------------------


def solved(volatility: Any, phi: Any, v: Any, delta: Any, tau: Any) -> dict[str, Any]:
    """Every column of step 5."""
    values = {"volatility": volatility, "phi": phi, "v": v, "delta": delta, "tau": tau}
    for line in lines(SEARCH):
        values[line.name] = line.step(*(values[name] for name in line.reads))
    return values


def papers_f(x: float, volatility: float, phi: float, v: float, delta: float, tau: float) -> float:
    """The f of the paper's step 5, with forty digits."""
    with localcontext() as exact:
        exact.prec = 40
        point, sigma, phi_, v_, delta_, tau_ = map(Decimal, (x, volatility, phi, v, delta, tau))
        e = point.exp()
        pull = e * (delta_**2 - phi_**2 - v_ - e) / (2 * (phi_**2 + v_ + e) ** 2)
        return float(pull - (point - (sigma**2).ln()) / tau_**2)


def papers_volatility(volatility: float, phi: float, v: float, delta: float, tau: float) -> float:
    """The new volatility by the paper's own iteration, until A and B are within 1e-14."""

    def f(x: float) -> float:
        e = math.exp(x)
        return e * (delta**2 - phi**2 - v - e) / (2 * (phi**2 + v + e) ** 2) - (x - math.log(volatility**2)) / tau**2

    a = math.log(volatility**2)
    if delta**2 > phi**2 + v:
        b = math.log(delta**2 - phi**2 - v)
    else:
        b = next(a - k * tau for k in range(1, 1000) if f(a - k * tau) >= 0)
    f_a, f_b = f(a), f(b)
    while abs(b - a) > 1e-14 and f_a != f_b:
        c = a + (a - b) * f_a / (f_b - f_a)
        f_c = f(c)
        a, f_a = (b, f_b) if f_c * f_b <= 0 else (a, f_a / 2)
        b, f_b = c, f_c
    return math.exp(a / 2)


# What a period can give: v from a few hundred games against equals to one against a far weaker opponent, delta up to
# five, and beyond all bounds up to a hundred standard deviations from nothing.
surprises = st.floats(-5, 5)
variances = st.floats(0.05, 200)


@many
@given(volatilities, rds, variances, surprises | st.floats(-20, 20), taus)
@example(0.07653557249773468, 67.90834872478835, 0.37852206515471143, 0.6645519880450227, 0.9623054515598058)
@example(0.031630808190645246, 346.19268227812915, 0.21785694083514925, 4.750304710330569, 0.3664466663313695)
@example(0.09343842334688449, 62.490511135028825, 0.07284666380876313, 8.610988036639576, 0.930424961872)
def test_the_volatility_found_is_a_root_of_the_papers_function(
    volatility: float, rd: float, v: float, surprise: float, tau: float
) -> None:
    phi = rd / 173.7178
    delta = surprise * math.sqrt(phi**2 + v)
    found = solved(volatility, phi, v, delta, tau)["x"]
    noise = 1 + (tau * surprise) ** 2  # what the last digit of the share does to f
    assert abs(tau**2 * papers_f(found, volatility, phi, v, delta, tau)) <= 3e-15 * noise


@many
@given(volatilities, rds, variances, st.floats(-2, 2), taus)
def test_the_papers_iteration_comes_to_the_same_volatility(
    volatility: float, rd: float, v: float, surprise: float, tau: float
) -> None:
    phi = rd / 173.7178
    delta = surprise * math.sqrt(phi**2 + v)
    found = math.exp(solved(volatility, phi, v, delta, tau)["x"] / 2)
    assert found == pytest.approx(papers_volatility(volatility, phi, v, delta, tau), rel=1e-12)


def test_the_rounds_suffice_for_periods_that_no_one_will_see() -> None:
    chance = np.random.default_rng(2012)

    def between(low: float, high: float) -> Any:
        return np.exp(chance.uniform(np.log(low), np.log(high), 100_000))

    volatility, phi, v, tau, ratio = (
        between(*ends) for ends in ((1e-3, 5), (1e-3, 20), (1e-3, 1e6), (0.02, 4), (1e-6, 1e4))
    )
    found = solved(volatility, phi, v, np.sqrt(ratio * (phi**2 + v)), tau)
    left = np.abs(tau**2 * found["f"])
    assert (left <= 3e-15 * (1 + np.abs(found["x"]) + tau**2 * ratio)).all()


@pytest.mark.parametrize("tau", [1e-6, 35.0, 1e6])
@pytest.mark.parametrize("volatility", [1e-200, 1e-6, 1e6])
@pytest.mark.parametrize("delta", [0.0, 1.0, 1e6])
def test_what_no_one_would_set_is_no_error(delta: float, volatility: float, tau: float) -> None:
    assert all(math.isfinite(value) for value in solved(volatility, 1.0, 1.0, delta, tau).values())


def test_a_result_as_expected_lowers_the_volatility_and_a_surprise_raises_it() -> None:
    calm, wild = (
        rate(GLICKO_2, played([("Ann", "Bob", score)] * 8), {"Ann": {"rating": 1900, "rd": 60}, "Bob": {"rd": 60}})
        for score in (1.0, 0.0)
    )
    assert calm["Ann"]["volatility"] < 0.06 < wild["Ann"]["volatility"]


def test_what_is_left_of_f_is_shown_for_every_period() -> None:
    history = replay(played(POOL_GAMES), GLICKO_2, {"period": "game"}, start=POOL_START).history
    assert history["f"].between(-1e-13, 1e-13).all()


# --- Lichess --------------------------------------------------------------------------------------------------


def test_white_must_score_more_than_half_to_gain_on_an_equal() -> None:
    after = rate(LICHESS, played([("White", "Black", 0.5)]))
    assert after["White"]["rating"] < 1500 < after["Black"]["rating"]


@pytest.mark.parametrize(
    ("speed", "factor"), [("none", 1), ("bullet", 1.01), ("blitz", 1.005), ("rapid", 1.015), ("classical", 1.01)]
)
def test_gains_are_multiplied_by_the_factor_of_the_pool_and_losses_are_not(speed: str, factor: float) -> None:
    start = {name: {"rd": 60} for name in ("Ann", "Bob")}
    plain, pooled = (rate(LICHESS, played([("Ann", "Bob", 1.0)]), start, speed=s) for s in ("none", speed))
    assert pooled["Ann"]["rating"] - 1500 == pytest.approx(factor * (plain["Ann"]["rating"] - 1500))
    assert pooled["Bob"]["rating"] == plain["Bob"]["rating"]


@pytest.mark.parametrize(
    ("change", "expected"), [(699.9, 699.9), (700, 700), (700.1, 700), (-699.9, -699.9), (-700, -700), (-700.1, -700)]
)
def test_no_game_moves_a_rating_by_more_than_700(change: float, expected: float) -> None:
    assert lichess_rules.limited_change(change, 700) == expected


@pytest.mark.parametrize(
    ("rating", "change", "expected"),
    [(410, -9, 401.0), (410, -10, 400), (410, -11, 400), (3990, 10, 4000), (3990, 11, 4000)],
)
def test_a_rating_stays_within_400_and_4000(rating: float, change: float, expected: float) -> None:
    assert lichess_rules.rating_after(rating, change, 400, 4000) == expected


def test_the_lichess_rd_never_falls_below_45() -> None:
    start = {name: {"rd": 46, "volatility": 0.05} for name in ("Ann", "Bob")}
    after = rate(LICHESS, played([("Ann", "Bob", 0.5)] * 20), start, period="game")
    assert after["Ann"]["rd"] == 45


def test_the_lichess_volatility_never_exceeds_its_limit() -> None:
    assert lichess_rules.volatility_after(2 * math.log(0.11), 0.1) == 0.1
    assert lichess_rules.volatility_after(2 * math.log(0.09), 0.1) == pytest.approx(0.09)
