"""Odds of matches: published numbers, plain counting, play-outs with a fixed seed, and properties."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elo_sheets.engines.recalculate import recalculate
from elo_sheets.errors import UsageError
from elo_sheets.expr import Ref
from elo_sheets.formula import to_formula
from elo_sheets.odds.forecast import difference_for, expected_score
from elo_sheets.odds.match import (
    Odds,
    best_of,
    best_of_ratio,
    first_to,
    gamblers_ruin,
    match_odds,
    series_odds,
    tennis_set,
    win_by,
)
from elo_sheets.odds.statistics import likelihood_of_superiority
from elo_sheets.workbook.plan import CellPlan, Plan, SheetPlan
from elo_sheets.workbook.write import write_book

SEED = 20261121
PLAYED = 40_000

chances = st.floats(0, 1)
odd = st.integers(0, 20).map(lambda n: 2 * n + 1)
targets = st.integers(1, 30)
margins = st.integers(1, 6)


@st.composite
def some_odds(draw: st.DrawFn) -> Odds:
    win, rest = draw(chances), draw(chances)
    return Odds(win, (1 - win) * rest, (1 - win) * (1 - rest))


def within_error(share: float, expected: float) -> bool:
    """Whether the share of all play-outs lies within four standard errors."""
    return abs(share - expected) <= 4 * math.sqrt(expected * (1 - expected) / PLAYED)


# --- without draws


@given(chances, odd)
def test_a_match_is_won_by_one_of_the_two(p: float, games: int) -> None:
    assert best_of(p, games) + best_of(1 - p, games) == pytest.approx(1, abs=1e-12)


@given(chances, chances, odd)
def test_who_wins_more_games_wins_more_matches(p: float, q: float, games: int) -> None:
    low, high = sorted((p, q))
    assert best_of(low, games) <= best_of(high, games) + 1e-12


@given(st.floats(0.5, 1), odd)
def test_a_longer_match_favours_the_favourite(p: float, games: int) -> None:
    assert best_of(p, games + 2) >= best_of(p, games) - 1e-12


@given(chances, odd)
def test_best_of_n_is_first_to_the_majority(p: float, games: int) -> None:
    assert best_of(p, games) == pytest.approx(first_to(p, (games + 1) // 2, margin=1), abs=1e-12)


@pytest.mark.parametrize("games", [1, 3, 5, 7, 21])
def test_the_ratio_of_best_of_n_is_its_slope_at_even(games: int) -> None:
    step = 1e-5
    slope = (best_of(0.5 + step, games) - best_of(0.5 - step, games)) / (2 * step)
    assert slope == pytest.approx(best_of_ratio(games), rel=1e-6)


@pytest.mark.parametrize("games", [0, 2, 4, -1, 2.5, 1001])
def test_a_match_that_need_not_have_a_winner_is_refused(games: float) -> None:
    with pytest.raises(UsageError, match="expected"):
        best_of(0.6, games)


@given(chances, margins)
def test_a_lead_is_reached_by_one_of_the_two(p: float, margin: int) -> None:
    assert win_by(p, margin) + win_by(1 - p, margin) == pytest.approx(1, abs=1e-12)


@given(st.floats(-800, 800), margins)
def test_a_margin_multiplies_the_logistic_difference(points: float, margin: int) -> None:
    assert win_by(expected_score(points, 0), margin) == pytest.approx(expected_score(margin * points, 0), abs=1e-12)


@given(chances, margins, st.data())
def test_a_lead_is_worth_the_mean_of_the_leads_after_the_next_game(p: float, margin: int, data: st.DataObject) -> None:
    lead = data.draw(st.integers(1 - margin, margin - 1))
    after = p * gamblers_ruin(p, lead + 1, margin) + (1 - p) * gamblers_ruin(p, lead - 1, margin)
    assert gamblers_ruin(p, lead, margin) == pytest.approx(after, abs=1e-12)


@given(margins)
def test_between_equals_the_chance_grows_in_equal_steps(margin: int) -> None:
    found = [gamblers_ruin(0.5, lead, margin) for lead in range(-margin, margin + 1)]
    assert found == pytest.approx([i / (2 * margin) for i in range(2 * margin + 1)])


def by_states(p: float, target: int, margin: int) -> float:
    """The same race, counted from point to point until only the lead matters."""

    @cache
    def chance(own: int, other: int) -> float:
        if max(own, other) >= target and abs(own - other) >= margin:
            return float(own > other)
        if min(own, other) >= target - margin:
            return float(gamblers_ruin(p, own - other, margin))
        return p * chance(own + 1, other) + (1 - p) * chance(own, other + 1)

    return chance(0, 0)


@given(chances, targets, margins)
def test_a_race_is_won_as_often_as_counting_point_by_point_says(p: float, target: int, margin: int) -> None:
    assert first_to(p, target, margin) == pytest.approx(by_states(p, target, margin), abs=1e-12)


@given(chances, targets, margins)
def test_a_race_is_won_by_one_of_the_two(p: float, target: int, margin: int) -> None:
    assert first_to(p, target, margin) + first_to(1 - p, target, margin) == pytest.approx(1, abs=1e-12)


def test_the_set_on_the_beach_is_that_of_the_published_note() -> None:
    assert first_to(0.55, 21) == pytest.approx(0.745837596967794, abs=1e-12)


@given(chances)
def test_a_game_of_tennis_has_its_textbook_form(p: float) -> None:
    q = 1 - p
    deuce = 20 * p**3 * q**3 * p**2 / (p**2 + q**2)
    assert first_to(p, 4) == pytest.approx(p**4 * (1 + 4 * q + 10 * q**2) + deuce, abs=1e-12)


@pytest.mark.parametrize(("p", "target", "margin"), [(0.55, 25, 2), (0.4, 4, 2), (0.52, 11, 3)])
def test_races_played_out_end_as_often_as_forecast(p: float, target: int, margin: int) -> None:
    random = np.random.default_rng(SEED)
    points, leads = np.zeros((PLAYED, 2), int), np.zeros(PLAYED, int)
    going = np.arange(PLAYED)
    while going.size:
        won = random.random(going.size) < p
        points[going, np.where(won, 0, 1)] += 1
        leads[going] = points[going, 0] - points[going, 1]
        going = going[(points[going].max(axis=1) < target) | (abs(leads[going]) < margin)]
    assert within_error(float((leads > 0).mean()), first_to(p, target, margin))


def test_numbers_of_games_in_cells_are_read_by_the_formula() -> None:
    assert to_formula(best_of(Ref("p"), Ref("n"))) == "1-BINOMDIST((n+1)/2-1,n,p,TRUE)"
    assert to_formula(best_of(Ref("p"), 3)) == "3*p^2*(1-p)+p^3"


CELLS = {"p": 0.55, "n": 7.0, "target": 25.0, "wins": 60.0, "losses": 45.0}
CALCULATIONS: list[tuple[Callable[..., Any], tuple[str, ...]]] = [
    (best_of, ("p", "n")),
    (best_of_ratio, ("n",)),
    (first_to, ("p", "target")),
    (partial(first_to, margin=3), ("p", "target")),
    (partial(win_by, margin=3), ("p",)),
    (partial(first_to, target=25), ("p",)),
    (likelihood_of_superiority, ("wins", "losses")),
]


@pytest.mark.parametrize(
    "engine",
    [
        "ironcalc",
        pytest.param("formualizer", marks=pytest.mark.formualizer),
        pytest.param("libreoffice", marks=pytest.mark.libreoffice),
    ],
)
def test_formulas_with_everything_in_cells_give_the_same_digits(engine: str, tmp_path: Path) -> None:
    names = {name: f"$A${row}" for row, name in enumerate(CELLS, 1)}
    cells = [CellPlan(row, 1, value) for row, value in enumerate(CELLS.values(), 1)]
    for row, (function, reads) in enumerate(CALCULATIONS, 1):
        # 0 is no result of these, so the engine must have computed what it gives.
        cells.append(CellPlan(row, 2, 0.0, to_formula(function(*map(Ref, reads)), names)))
    write_book(Plan("Odds", (SheetPlan("Odds", tuple(cells)),), {}), tmp_path / "odds.xlsx")
    values = recalculate(tmp_path / "odds.xlsx", engine).values["Odds"]
    for row, (function, reads) in enumerate(CALCULATIONS, 1):
        assert values[row, 2] == pytest.approx(function(*(CELLS[name] for name in reads)), abs=1e-12)


def test_a_column_of_chances_gives_a_column() -> None:
    p = np.array([0.0, 0.3, 0.5, 1.0])
    for call in (lambda x: best_of(x, 5), lambda x: first_to(x, 11, 3), tennis_set, lambda x: gamblers_ruin(x, 1, 3)):
        assert call(p) == pytest.approx(np.array([call(float(x)) for x in p]), abs=1e-15)


# --- a number of games, with draws


@given(some_odds(), st.integers(1, 12))
def test_the_odds_of_a_match_sum_to_one_and_swap_with_the_players(game: Odds, games: int) -> None:
    odds = match_odds(game, games)
    assert sum(odds) == pytest.approx(1, abs=1e-12)
    assert match_odds(game.swapped, games) == pytest.approx(odds.swapped, abs=1e-12)


@given(some_odds(), st.integers(1, 4), st.integers(-5, 5))
def test_a_match_is_counted_over_every_course_that_it_can_take(game: Odds, games: int, lead: int) -> None:
    found = [0.0, 0.0, 0.0]
    for course in itertools.product((1, 0, -1), repeat=games):
        chance = math.prod(game[1 - result] for result in course)
        end = lead + sum(course)
        found[1 - (end > 0) + (end < 0)] += chance
    assert series_odds([game] * games, lead) == pytest.approx(found, abs=1e-12)


@given(st.lists(some_odds(), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_the_games_does_not_matter(games: list[Odds], random: object) -> None:
    shuffled = list(games)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert series_odds(shuffled) == pytest.approx(series_odds(games), abs=1e-12)


@given(chances, odd)
def test_without_draws_a_match_of_odd_length_is_best_of_n(p: float, games: int) -> None:
    assert match_odds(Odds(p, 0, 1 - p), games) == pytest.approx(
        (best_of(p, games), 0, best_of(1 - p, games)), abs=1e-12
    )


def test_matches_played_out_end_as_often_as_forecast() -> None:
    game, games = Odds(0.3, 0.5, 0.2), 14
    results = np.random.default_rng(SEED).choice([1, 0, -1], size=(PLAYED, games), p=game)
    ends = np.sign(results.sum(axis=1))
    for result, expected in zip((1, 0, -1), match_odds(game, games), strict=True):
        assert within_error(float((ends == result).mean()), expected)


@pytest.mark.parametrize(("score", "odds"), [((3.5, 1.5), (1, 0, 0)), ((1.5, 4.5), (0, 0, 1)), ((3, 3), (0, 1, 0))])
def test_a_decided_match_is_certain(score: tuple[float, float], odds: tuple[float, ...]) -> None:
    assert match_odds(Odds(0.2, 0.5, 0.3), 6, score)[odds.index(1)] == pytest.approx(1)


@pytest.mark.parametrize("score", [(4, 3), (2.5, 1), (-1, 1), (1.25, 0.75)])
def test_a_score_that_cannot_be_is_refused(score: tuple[float, float]) -> None:
    with pytest.raises(UsageError, match="expected a score of at most 6 games"):
        match_odds(Odds(0.2, 0.5, 0.3), 6, score)


# --- tennis


@given(chances)
def test_a_match_of_three_sets_is_made_of_the_set_found(p: float) -> None:
    assert best_of(tennis_set(p), 3) == pytest.approx(p, abs=1e-15, rel=1e-14)


@given(st.floats(0.001, 0.999))
def test_the_opponent_wins_the_other_sets(p: float) -> None:
    assert tennis_set(p) + tennis_set(1 - p) == pytest.approx(1, abs=1e-12)


def test_a_set_says_less_than_the_match_and_five_sets_say_more() -> None:
    match = expected_score(200, 0)
    found = [difference_for(p) for p in (tennis_set(match), match, best_of(tennis_set(match), 5))]
    assert found == sorted(found)
    assert found[1] == pytest.approx(200)
