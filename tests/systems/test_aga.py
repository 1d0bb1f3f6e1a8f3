"""AGA: what the program gives, the maximum that all players of an event share, seeds, and handicap games."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from elo_sheets.errors import UsageError
from elo_sheets.games import make_games
from elo_sheets.replaying.replay import replay
from elo_sheets.systems import PeriodGames
from elo_sheets.systems import aga as rules
from elo_sheets.systems._pool import climb
from elo_sheets.systems.aga import AGA, rate_event

# Komi of an even game between equals: 0.580 - 0.0757 komi is 0.
EVEN_KOMI = 0.58 / 0.0757

ranks = st.floats(-25, 8).map(lambda closed: float(rules.opened_rating(round(closed, 2))))

Game = tuple[int, int, float] | tuple[int, int, float, float, float]


def games_of(games: Sequence[Game]) -> PeriodGames:
    """Games as (White, Black, White's score), with handicap and komi where they are not 0 and even."""
    rows = [(*game, 0.0, EVEN_KOMI)[:5] if len(game) == 3 else game for game in games]
    white, black, score, handicap, komi = (np.array(column) for column in zip(*rows, strict=True))
    return PeriodGames(white, black, score.astype(float), np.zeros(len(rows)), handicap, komi)


def event(seeds: Sequence[float], sigmas: Sequence[float], games: Sequence[Game]) -> rules.Event:
    return rate_event(np.array(seeds, float), np.array(sigmas, float), games_of(games))


def log(games: Sequence[tuple[str, str, float]], day: str = "2024-05-04", event: str = "Open") -> list[dict[str, Any]]:
    return [
        {
            "date": day,
            "event": event,
            "white": white,
            "black": black,
            "score": score,
            "source": "test",
            "source_row": number,
        }
        for number, (white, black, score) in enumerate(games, 1)
    ]


# --- what the program gives


@pytest.mark.parametrize(
    ("rating", "sigma"),
    [
        (-48, 5.491812),
        (-38, 4.512207),
        (-28, 3.544011),
        (-18, 2.599999),
        (-8, 1.720464),
        (2, 1.166191),
        (12, 1.000000),
    ],
)
def test_a_new_players_sigma_is_that_of_the_program_between_the_knots_too(rating: float, sigma: float) -> None:
    """The figures of Games::Go::AGA::BayRate 0.063, t/Player.t, whose spline is the program's."""
    assert rules.new_player_sigma(rating) == pytest.approx(sigma, abs=1e-6)


@pytest.mark.parametrize(
    ("handicap", "komi", "equivalent", "spread"),
    [
        (0, -7.5, 1.147750, 1.089811),
        (0, -0.5, 0.617850, 1.066036),
        (0, 6.5, 0.087950, 1.056946),
        (2, -2, 2.151400, 1.143754),
        (3, -3, 3.227100, 1.198501),
        (4, -4, 4.302800, 1.242478),
        (5, -5, 5.378500, 1.292154),
        (6, -6, 6.454200, 1.340881),
        (7, -7, 7.529900, 1.383428),
        (8, -8, 8.605600, 1.425955),
        (9, -9, 9.681300, 1.467792),
    ],
)
def test_handicap_and_spread_are_those_of_the_program(
    handicap: float, komi: float, equivalent: float, spread: float
) -> None:
    """The figures of Games::Go::AGA::BayRate 0.063, t/Game.t."""
    assert rules.handicap_equivalent(handicap, komi) == pytest.approx(equivalent, abs=1e-6)
    assert rules.spread_of(handicap, komi) == pytest.approx(spread, abs=1e-6)


def test_an_event_ends_as_in_the_programs_output() -> None:
    """The example of hauensteina/aga-ratings (commit 29148e8), new_ratings.csv.

    That copy keeps komi in whole points, and stops at a gradient of 0.001. It does not record how many days it counts:
    with two, the four sigmas are its own to the last digit.
    """
    sigmas = rules.aged_sigma(np.array([0.1, 0.2, 0.12, 0.22]), 2, 0.0005)
    found = event([1.1, 2.1, 1.2, 2.2], sigmas, [(1, 0, 0.0, 2, 0), (3, 2, 1.0, 0, 7)])
    assert found.rating == pytest.approx([1.1029, 2.08842, 1.19566, 2.21463], abs=2e-5)
    assert found.sigma == pytest.approx([0.099849, 0.198769, 0.119699, 0.218145], abs=6e-7)


# --- the maximum


@st.composite
def events(draw: st.DrawFn) -> tuple[list[float], list[float], list[Game]]:
    seeds = draw(st.lists(ranks, min_size=2, max_size=6))
    sigmas = draw(st.lists(st.floats(0.2, 4), min_size=len(seeds), max_size=len(seeds)))
    numbers = st.integers(0, len(seeds) - 1)
    pairs = st.tuples(numbers, numbers).filter(lambda pair: pair[0] != pair[1])
    terms = st.sampled_from([(0.0, 7.5), (0.0, 0.5), (2.0, 0.5), (9.0, 0.5)])
    results = st.sampled_from([1.0, 0.0, 0.5])
    played = draw(st.lists(st.tuples(pairs, results, terms), min_size=1, max_size=10))
    return seeds, sigmas, [(*pair, score, *term) for pair, score, term in played]


def log_likelihood(closed: Sequence[float], seeds: Sequence[float], sigmas: Sequence[float], games: Any) -> float:
    """What the program maximises, written once more with plain floats; a draw is half of each result."""
    total: float = -sum(
        ((at - rules.closed_rating(seed)) / sigma) ** 2 / 2
        for at, seed, sigma in zip(closed, seeds, sigmas, strict=True)
    )
    for white, black, score, handicap, komi in games:
        ahead = rules.surplus(
            closed[white] - closed[black], rules.handicap_equivalent(handicap, komi), rules.spread_of(handicap, komi)
        )
        total += score * math.log(rules.expected(ahead)) + (1 - score) * math.log(rules.expected(-ahead))
    return total


def searched(seeds: Sequence[float], sigmas: Sequence[float], games: Any) -> list[float]:
    """The maximum by trying steps along each player in turn, halving them: slow, and nothing but the likelihood."""
    at = [float(rules.closed_rating(seed)) for seed in seeds]
    best, width = log_likelihood(at, seeds, sigmas, games), 1.0
    while width > 1e-6:
        moved = False
        for player, way in ((player, way) for player in range(len(at)) for way in (-width, width)):
            there = [*at[:player], at[player] + way, *at[player + 1 :]]
            height = log_likelihood(there, seeds, sigmas, games)
            if height > best:
                at, best, moved = there, height, True
        width = width if moved else width / 2
    return at


def test_the_ratings_are_those_that_a_plain_search_finds() -> None:
    seeds, sigmas = [2.3, -1.2, -4.8, 1.1, -2.6], [0.6, 0.9, 1.4, 0.3, 1.1]
    games: list[Game] = [
        (0, 1, 1.0, 0, 7.5),
        (0, 2, 0.0, 4, 0.5),
        (3, 1, 0.0, 0, 0.5),
        (3, 2, 1.0, 5, 0.5),
        (1, 2, 0.5, 2, 0.5),
        (0, 3, 1.0, 0, 7.5),
        (4, 2, 1.0, 2, 0.5),
        (1, 4, 0.0, 0, 0.5),
    ]
    found = event(seeds, sigmas, games)
    assert rules.closed_rating(found.rating) == pytest.approx(searched(seeds, sigmas, games), abs=1e-4)


@settings(max_examples=60, deadline=None)
@given(events(), st.lists(st.floats(-1, 1), min_size=6, max_size=6))
def test_no_ratings_near_the_result_are_more_likely(
    played: tuple[list[float], list[float], list[Game]], directions: list[float]
) -> None:
    seeds, sigmas, games = played
    found = rules.closed_rating(event(seeds, sigmas, games).rating).tolist()
    best = log_likelihood(found, seeds, sigmas, games)
    for width in (1e-3, 0.1, 1.0):
        near = [at + width * way for at, way in zip(found, directions, strict=False)]
        assert log_likelihood(near, seeds, sigmas, games) <= best + 1e-9


@settings(max_examples=60, deadline=None)
@given(events(), st.randoms(use_true_random=False))
def test_neither_the_order_of_games_nor_that_of_players_counts(
    played: tuple[list[float], list[float], list[Game]], random: Any
) -> None:
    seeds, sigmas, games = played
    order = random.sample(range(len(seeds)), len(seeds))
    place = {player: at for at, player in enumerate(order)}
    moved: list[Game] = [(place[game[0]], place[game[1]], *game[2:]) for game in games]
    random.shuffle(moved)
    before = event(seeds, sigmas, games)
    after = event([seeds[i] for i in order], [sigmas[i] for i in order], moved)
    # Weak 1 dan and strong 1 kyu are one point of the scale, where a last digit would tell 1 from -1.
    closed = rules.closed_rating(after.rating[[place[i] for i in range(len(seeds))]])
    assert closed == pytest.approx(rules.closed_rating(before.rating), abs=1e-7)
    assert after.sigma[[place[i] for i in range(len(seeds))]] == pytest.approx(before.sigma, abs=1e-7)


@settings(max_examples=60, deadline=None)
@given(events(), st.lists(st.floats(-40, 40), min_size=6, max_size=6))
def test_the_maximum_does_not_depend_on_where_the_climb_starts(
    played: tuple[list[float], list[float], list[Game]], start: list[float]
) -> None:
    seeds, sigmas, games = played
    closed, outcomes = rules.closed_rating(np.array(seeds)), rules.outcomes_of(games_of(games))
    many = len(seeds)
    found = climb(
        lambda at: rules.likelihood(at, closed, np.array(sigmas), outcomes), np.array(start[:many]), np.ones(many)
    )
    assert found.top == pytest.approx(rules.closed_rating(event(seeds, sigmas, games).rating), abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(events())
@example(([8.0, -25.0], [0.2, 0.2], [(0, 1, 0.0, 0, 7.5)] * 3))
def test_the_climb_comes_to_rest_and_no_event_makes_a_rating_less_certain(
    played: tuple[list[float], list[float], list[Game]],
) -> None:
    seeds, sigmas, games = played
    found = event(seeds, sigmas, games)
    assert found.residual <= 1e-8
    assert (found.sigma <= np.array(sigmas) * (1 + 1e-9)).all()


def test_all_games_of_an_event_count_for_all_its_players() -> None:
    """Ann beat Ben; that Ben beat Cy as well makes Ann's win worth more."""
    one = event([1.5, 1.5, 1.5], [1, 1, 1], [(0, 1, 1.0)])
    both = event([1.5, 1.5, 1.5], [1, 1, 1], [(0, 1, 1.0), (1, 2, 1.0)])
    assert both.rating[0] > one.rating[0] > 1.5


def test_swapping_the_results_of_equals_swaps_their_ratings() -> None:
    won, lost = (event([3.5, 3.5], [1, 1], [(0, 1, score)]) for score in (1.0, 0.0))
    assert won.rating == pytest.approx(lost.rating[::-1])
    assert won.rating.sum() == pytest.approx(7)


def test_a_draw_never_moves_the_favourite_up() -> None:
    found = event([4.5, 2.5], [1, 1], [(0, 1, 0.5)])
    assert found.rating[0] < 4.5
    assert found.rating[1] > 2.5


def test_the_logarithm_of_the_normal_distribution_holds_far_out() -> None:
    values = np.array([-30.0, -10.0, -5.0 - 1e-9, -5.0, -4.0, 0.0, 2.0])
    found, slope = rules.log_normal_cdf(values)
    assert found == pytest.approx([math.log(math.erfc(-x / math.sqrt(2)) / 2) for x in values], rel=1e-12)
    ahead, _ = rules.log_normal_cdf(values + 1e-6)
    assert slope == pytest.approx((ahead - found) / 1e-6, rel=1e-4)
    # Beyond the numbers that a float holds, by the asymptotic series: -x² / 2 - ln(|x| √2π) - 1 / x².
    far, _ = rules.log_normal_cdf(np.array([-60.0]))
    assert far[0] == pytest.approx(-1800 - math.log(60 * math.sqrt(2 * math.pi)) - 1 / 3600, abs=1e-6)


# --- seeds


def seeded(rating: float, declared: float, scores: Sequence[float], sigma: float = 0.5, days: float = 0) -> Any:
    """A player's seed and its sigma before an event against one opponent."""
    players = {
        "rating": np.array([rating, 1.5]),
        "sigma": np.array([sigma, 0.5]),
        "declared": np.array([declared, 0.0]),
        "days": np.array([days, 0.0]),
    }
    seeds, sigmas = rules.seeds_of(players, games_of([(0, 1, score) for score in scores]), AGA.settings())
    return float(seeds[0]), float(sigmas[0])


def test_a_new_player_has_the_sigma_of_his_rank() -> None:
    assert seeded(-20.5, 0, [0], sigma=0) == (-20.5, 2.8324)
    assert seeded(-20.5, -10.5, [0], sigma=0) == (-10.5, 1.92938)


@pytest.mark.parametrize(("days", "sigma"), [(0, 0.5), (400, math.sqrt(0.25 + 0.04)), (1000, math.sqrt(0.5))])
def test_sigma_grows_with_the_days_since_the_last_event(days: float, sigma: float) -> None:
    assert seeded(3.0, 0, [1], days=days) == (3.0, pytest.approx(sigma))


@pytest.mark.parametrize("declared", [3.99, 2.5, -5.5])
def test_less_than_a_rank_up_and_every_rank_down_change_nothing(declared: float) -> None:
    assert seeded(3.0, declared, [1]) == (3.0, 0.5)


@pytest.mark.parametrize(("declared", "ranks"), [(4.0, 1.0), (5.5, 2.5), (5.99, 2.99)])
def test_a_rank_up_moves_the_seed_a_third_of_the_way(declared: float, ranks: float) -> None:
    """R + 0.024746 + 0.32127 d, and 0.256 d ^ 1.9475 more variance."""
    seed, sigma = seeded(3.0, declared, [0, 1], days=400)
    assert seed == pytest.approx(3.024746 + 0.32127 * ranks)
    assert sigma == pytest.approx(math.sqrt(0.25 + 0.256 * ranks**1.9475))


def test_three_ranks_up_reseed_a_player() -> None:
    assert seeded(3.0, 6.0, [0, 1]) == (6.0, rules.new_player_sigma(6.0))


@pytest.mark.parametrize("declared", [4.0, 6.0])
def test_without_a_win_a_declared_rank_does_not_count(declared: float) -> None:
    assert seeded(3.0, declared, [0, 0.5]) == (3.0, 0.5)


def test_ranks_are_counted_across_the_gap_between_kyu_and_dan() -> None:
    """From -1.5 to 1.5 it is one rank: that of the gap does not count."""
    seed, _ = seeded(-1.5, 1.5, [1])
    assert rules.closed_rating(seed) == pytest.approx(-0.5 + 0.024746 + 0.32127)


@pytest.mark.parametrize(("rating", "sigma"), [(7.5, 1.00125), (7.51, 1), (-50.5, 5.73781), (-50.51, 6)])
def test_the_spline_ends_at_7_5_dan_and_50_5_kyu(rating: float, sigma: float) -> None:
    assert rules.new_player_sigma(rating) == sigma


# --- scale, handicap, replay


@given(ranks)
def test_opening_the_gap_undoes_closing_it(rating: float) -> None:
    assert abs(rating) >= 1
    if rating != 1:
        assert rules.opened_rating(rules.closed_rating(rating)) == pytest.approx(rating)


def test_the_weakest_dan_and_the_strongest_kyu_are_equals() -> None:
    assert rules.closed_rating(1.0) == rules.closed_rating(-1.0) == 0


@pytest.mark.parametrize(("handicap", "ranks"), [(0, 0.58), (1, 0.58), (2, 2), (9, 9), (12, 12)])
def test_stones_make_an_even_game_of_as_many_ranks(handicap: float, ranks: float) -> None:
    assert rules.white_wins(ranks, handicap, 0) == pytest.approx(0.5)


@given(st.floats(-8, 8), st.integers(0, 9))
def test_a_stronger_white_wins_more_often(difference: float, handicap: int) -> None:
    assert rules.white_wins(difference + 0.1, handicap, 0.5) > rules.white_wins(difference, handicap, 0.5)


def test_a_replay_carries_ratings_and_sigmas_from_event_to_event() -> None:
    first = log([("Ann", "Ben", 1.0), ("Ben", "Cy", 1.0)])
    second = log([("Ann", "Cy", 1.0)], "2026-01-24", "Winter")
    start = {"Ann": {"rating": 3.5}, "Ben": {"rating": 2.5}, "Cy": {"rating": -1.5}}
    history = replay(make_games([*first, *second]), AGA, start=start).history
    ann, cy = history.iloc[-2], history.iloc[-1]
    before = history[history["player"] == "Ann"].iloc[0]
    assert (before["seed"], before["seed_sigma"]) == (3.5, 1.09659)
    assert (ann["rating"], ann["sigma"]) == (before["rating_after"], before["sigma_after"])
    assert ann["seed_sigma"] == pytest.approx(math.sqrt(ann["sigma"] ** 2 + (0.0005 * 630) ** 2))
    assert ann["expected"] + cy["expected"] == pytest.approx(1)


def test_a_rating_in_the_gap_is_refused() -> None:
    with pytest.raises(UsageError, match=r"expected a rating of 1 or more \(dan\) or of -1 or less \(kyu\), got 0.5"):
        replay(make_games(log([("Ann", "Ben", 1.0)])), AGA, {"initial": 0.5})
