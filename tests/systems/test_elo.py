"""Elo and its forms: each against published numbers, and every combination of them against plain arithmetic."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elo_sheets.conformance.published import answers
from elo_sheets.formula import to_formula
from elo_sheets.games import make_games
from elo_sheets.replaying.history import KEYS
from elo_sheets.replaying.replay import replay
from elo_sheets.systems import System, needs
from elo_sheets.systems import elo as rules
from elo_sheets.systems.elo import CURVES, ELO, K_RULES, MARGINS

GAP_RULES = ("none", "cap400", "fide2650")

# --- the default form ---------------------------------------------------------------------------------------


def test_the_default_settings_leave_the_plain_rule() -> None:
    shaped = ELO.shaped(ELO.settings())
    assert (shaped.state, shaped.opening, shaped.sums) == (ELO.state, (), ("change",))
    assert shaped.game == (rules.cap, rules.difference, rules.expected, rules.k_used, rules.change)
    assert shaped.closing == (rules.rating_after,)
    assert [p.name for p in shaped.live] == ["initial", "k", "scale", "gap_rule", "period"]


# --- every combination --------------------------------------------------------------------------------------

FORMS = [
    dict(zip(("gap_rule", "curve", "advantage", "k_rule", "margin_rule", "floor", "carry_over"), chosen, strict=True))
    for chosen in itertools.product(GAP_RULES, CURVES, (0, 65), K_RULES, MARGINS, (-1e6, 2120), (1, 0.75))
]

# White, Black, White's goals, Black's, neutral, season
PLAYED = [
    ("Ann", "Bob", 3, 1, False, 1),
    ("Bob", "Cid", 2, 2, False, 1),
    ("Cid", "Ann", 0, 7, True, 1),
    ("Cid", "Bob", 1, 2, False, 2),
    ("Ann", "Cid", 0, 1, True, 2),
    ("Bob", "Ann", 4, 4, False, 4),
]
START = {"Ann": 2660.0, "Bob": 2390.0, "Cid": 2130.0}
SETTINGS = {"k": 32, "new_games": 2, "ladder_k": 16, "second_from": 2600, "second_k": 8, "ceiling": 2700}

GAMES = make_games(
    {
        "white": white,
        "black": black,
        "score": (1 + (goals > against) - (goals < against)) / 2,
        "white_points": goals,
        "black_points": against,
        "neutral": neutral,
        "season": str(season),
        "source": "test",
        "source_row": row,
    }
    for row, (white, black, goals, against, neutral, season) in enumerate(PLAYED, 1)
)


def settings_of(form: Mapping[str, Any]) -> dict[str, Any]:
    ceiling = 1e6 if form["floor"] == -1e6 else SETTINGS["ceiling"]
    return {**SETTINGS, **form, "ceiling": ceiling}


def by_hand(form: Mapping[str, Any]) -> list[float]:
    """The ratings after each game, White's first, in arithmetic of its own."""
    ratings, games, seasons, found = dict(START), dict.fromkeys(START, 0), dict.fromkeys(START, 0), []
    for white, black, goals, against, neutral, season in PLAYED:
        for name in (white, black):
            if seasons[name] and season > seasons[name]:
                ratings[name] += (1 - form["carry_over"]) * (1500 - ratings[name])
            seasons[name] = season
        home = 0 if neutral else form["advantage"]
        lead = ratings[white] - ratings[black] + home
        before = dict(ratings)
        for name, gap, margin in ((white, lead, goals - against), (black, -lead, against - goals)):
            capped = form["gap_rule"] == "cap400" or (form["gap_rule"] == "fide2650" and before[name] < 2650)
            gap = math.copysign(min(abs(gap), 400), gap) if capped else gap
            score = 0.5 if margin == 0 else float(margin > 0)
            expected = {
                "logistic": 1 / (1 + 10 ** (-gap / 400)),
                "normal": NormalDist(0, 2000 / 7).cdf(gap),
                "linear": min(1, max(0, 0.5 + gap / 800)),
            }[form["curve"]]
            k = {
                "fixed": 32,
                "ladder": 8 if before[name] >= 2600 else 16 if before[name] >= 2400 else 32,
                "games": 40 if games[name] < 2 else 32,
                "tennis": 32 / (games[name] + 5) ** 0.4,
            }[form["k_rule"]]
            edge = 0 if margin == 0 else gap if margin > 0 else -gap
            size = abs(margin)
            times = {
                "none": 1,
                "eloratings": {0: 1, 1: 1, 2: 1.5, 7: 18 / 8}[size],
                "nfl": math.log(max(size, 1) + 1) * 2.2 / (1 if size == 0 else edge * 0.001 + 2.2),
                "nba": (size + 3) ** 0.8 / (7.5 + 0.006 * edge),
            }[form["margin_rule"]]
            ratings[name] = before[name] + k * times * (score - expected)
            if form["floor"] != -1e6:
                ratings[name] = min(2700, max(2120, ratings[name]))
        games[white] += 1
        games[black] += 1
        found += [ratings[white], ratings[black]]
    return found


@cache
def replayed(number: int) -> tuple[System, dict[str, Any], pd.DataFrame]:
    """The shape of a form, its settings and its history."""
    settings = ELO.settings(settings_of(FORMS[number]))
    start = {name: {"rating": rating} for name, rating in START.items()}
    history = replay(GAMES, ELO, settings, start=start, compiled=False).history
    return ELO.shaped(settings), settings, history


def forms_of(curve: str, k_rule: str, margin_rule: str) -> list[int]:
    chosen = {"curve": curve, "k_rule": k_rule, "margin_rule": margin_rule}
    return [number for number, form in enumerate(FORMS) if chosen.items() <= form.items()]


GROUPS = list(itertools.product(CURVES, K_RULES, MARGINS))


def some_of(curve: str, k_rule: str, margin_rule: str) -> list[int]:
    """Of each group with each gap rule two forms that share none of advantage, floor and carry-over.

    Which two goes round, so that any two of the four rules meet all eight choices of these three.
    """
    turn = sum(list(names).index(name) for names, name in ((CURVES, curve), (K_RULES, k_rule), (MARGINS, margin_rule)))
    all_of = forms_of(curve, k_rule, margin_rule)
    return [
        all_of[8 * gap + choice] for gap in range(len(GAP_RULES)) for choice in ((turn + gap) % 4, 7 - (turn + gap) % 4)
    ]


def test_any_two_rules_meet_every_choice_of_the_rest() -> None:
    names = ("gap_rule", "curve", "k_rule", "margin_rule")
    tried = [FORMS[number] for group in GROUPS for number in some_of(*group)]
    for pair in itertools.combinations(names, 2):
        asked = (*pair, "advantage", "floor", "carry_over")
        met, all_there_are = ({tuple(form[name] for name in asked) for form in forms} for forms in (tried, FORMS))
        assert met == all_there_are, pair
    assert {tuple(form[name] for name in names) for form in tried} == {tuple(f[name] for name in names) for f in FORMS}


@pytest.mark.parametrize("group", GROUPS, ids="-".join)
def test_all_forms_combine(group: tuple[str, str, str]) -> None:
    for number in some_of(*group):
        _, _, history = replayed(number)
        assert history["rating_after"].tolist() == pytest.approx(by_hand(FORMS[number]), abs=1e-9), FORMS[number]


@pytest.mark.parametrize("group", GROUPS, ids="-".join)
def test_the_steps_of_all_forms_give_the_same_on_floats_and_arrays(group: tuple[str, str, str]) -> None:
    for number in some_of(*group):
        system, settings, history = replayed(number)
        computed = {line.name for line in system.lines}
        given = {name: history[name].to_numpy() for name in history if name not in computed | set(KEYS)}
        columns: dict[str, Any] = {**settings, **given}
        rows = [{**settings, **row} for row in history[list(given)].to_dict("records")]
        for line in system.lines:
            columns[line.name] = line.step(*(columns[name] for name in line.reads))
            for row in rows:
                row[line.name] = line.step(*(row[name] for name in line.reads))
            expected = pytest.approx(history[line.name].to_numpy(), abs=1e-9)
            assert np.broadcast_to(columns[line.name], len(rows)) == expected, (FORMS[number], line.name)
            assert [row[line.name] for row in rows] == expected, (FORMS[number], line.name)


@pytest.mark.parametrize("group", GROUPS, ids="-".join)
def test_no_formula_of_any_form_is_longer_than_a_screen_line(group: tuple[str, str, str]) -> None:
    systems = [ELO.shaped(ELO.settings(FORMS[number])) for number in forms_of(*group)]
    assert [line.name for system in systems for line in system.lines if len(to_formula(line.trace())) > 110] == []


def test_there_are_as_many_forms_as_combinations() -> None:
    assert len(FORMS) == 3 * 3 * 2 * 4 * 4 * 2 * 2 == len(GROUPS) * 24


# --- curves -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("difference", "expected"), [(-401, 0), (-400, 0), (0, 0.5), (400, 1), (401, 1), (200, 0.75)])
def test_the_linear_curve_at_400_is_that_of_the_us_special_formula(difference: float, expected: float) -> None:
    assert rules.linear_expected(difference, 400) == expected


def test_the_normal_curve_at_400_is_the_one_behind_the_table_of_fide() -> None:
    from elo_sheets.systems.fide import higher_expected

    answer = answers()["fide-table-normal-exceptions"]
    first, last = answer["inputs"]["D_range"]
    differing = [d for d in range(first, last + 1) if round(rules.normal_expected(d, 400), 2) != higher_expected(d)]
    assert differing == answer["expected"]


@pytest.mark.parametrize("curve", CURVES)
@given(st.floats(-3000, 3000), st.floats(10, 2000))
def test_the_expected_scores_of_both_sides_sum_to_one(curve: str, difference: float, scale: float) -> None:
    step = CURVES[curve]
    if abs(difference / scale) < 300:
        assert step(difference, scale) + step(-difference, scale) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("curve", CURVES)
def test_a_better_rating_never_lowers_the_expected_score(curve: str) -> None:
    shares = [CURVES[curve](difference, 400) for difference in range(-1000, 1001, 10)]
    assert shares == sorted(shares)


# --- K ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rating", "k"), [(2099, 32), (2099.99, 32), (2100, 24), (2101, 24), (2399.99, 24), (2400, 16), (2401, 16)]
)
def test_the_ladder_turns_on_the_own_rating(rating: float, k: float) -> None:
    assert rules.ladder_k_used(rating, 32, 2100, 24, 2400, 16) == k


@pytest.mark.parametrize(("rating", "k"), [(2399, 20), (2400, 10), (2401, 10), (5000, 10)])
def test_the_ladder_has_one_step_by_default(rating: float, k: float) -> None:
    settings = ELO.settings({"k_rule": "ladder"})
    values = {**settings, "rating": rating}
    assert rules.ladder_k_used(*(values[name] for name in needs(rules.ladder_k_used))) == k


@pytest.mark.parametrize(("games", "k"), [(0, 40), (29, 40), (30, 20), (31, 20)])
def test_a_player_is_new_for_a_number_of_games(games: int, k: float) -> None:
    assert rules.newcomer_k_used(games, 20, 30, 40) == k


def test_a_newcomer_keeps_his_k_to_the_end_of_the_period() -> None:
    games = make_games(
        {"white": "Ann", "black": "Bob", "score": 1, "event": event, "source": "test", "source_row": row}
        for row, event in enumerate("AAAB", 1)
    )
    history = replay(games, ELO, {"k_rule": "games", "new_games": 2, "period": "event"}).history
    assert history.loc[history["player"] == "Ann", "k_used"].tolist() == [40, 40, 40, 20]


@pytest.mark.parametrize(("games", "k"), [(0, 131.33), (311, 25.007), (500, 20.73)])
def test_the_law_of_tennis_gives_the_published_k(games: int, k: float) -> None:
    assert rules.tennis_k_used(games, 250, 5, 0.4) == pytest.approx(k, abs=0.005)


# --- advantage, floor, seasons ------------------------------------------------------------------------------


def ratings_after(score: float, white: float, black: float, **settings: Any) -> dict[str, float]:
    games = make_games([{"white": "Ann", "black": "Bob", "score": score, "source": "test", "source_row": 1}])
    start = {"Ann": {"rating": white}, "Bob": {"rating": black}}
    ratings: dict[str, float] = (
        replay(games, ELO, settings, start=start).ratings.set_index("player")["rating"].to_dict()
    )
    return ratings


def test_the_advantage_makes_equals_of_unequal_players() -> None:
    assert ratings_after(0.5, 1500, 1565, advantage=65) == {"Ann": 1500, "Bob": 1565}


@pytest.mark.parametrize("black", [1999, 2000, 2001])
def test_the_cap_holds_for_the_difference_with_the_advantage(black: float) -> None:
    difference = rules.capped_home_difference(2350, black, 50, 400)
    assert difference == min(400, 2400 - black)


@pytest.mark.parametrize(
    ("white", "floor", "after"), [(1000, 980, 990), (1000, 990, 990), (1000, 991, 991), (900, 1000, 1000)]
)
def test_no_rating_ends_below_the_floor(white: float, floor: float, after: float) -> None:
    assert ratings_after(0, white, white, floor=floor)["Ann"] == after


def test_the_held_rating_is_what_the_next_game_starts_from() -> None:
    games = make_games(
        {"white": "Ann", "black": "Bob", "score": 0, "source": "test", "source_row": row} for row in (1, 2)
    )
    history = replay(games, ELO, {"floor": 1495, "ceiling": 1505}).history
    assert history["rating"].tolist() == [1500, 1500, 1495, 1505]
    assert history["rating_after"].tolist()[2:] == [1495, 1505]


@pytest.mark.parametrize(
    ("seasons", "mean", "start"), [(0, 0, 1900), (1, 0, 1700), (3, 0, 1700), (1, 1505, 1702.5), (1, 1500, 1700)]
)
def test_a_new_season_keeps_a_share_of_the_rating(seasons: float, mean: float, start: float) -> None:
    assert rules.start_rating(1900, seasons, 0.5, mean, 1500) == start


def test_a_players_first_season_starts_where_he_starts() -> None:
    history = replay(GAMES, ELO, {"carry_over": 0.5}, start={"Ann": {"rating": 1900}}).history
    mine = history[history["player"] == "Ann"]
    assert mine["start_rating"].iloc[0] == 1900
    assert mine["seasons"].tolist() == [0, 0, 1, 2]
    kept = (mine["rating"].iloc[2] + 1500) / 2
    assert mine["start_rating"].iloc[2] == pytest.approx(kept, abs=1e-9)


# --- properties of all forms --------------------------------------------------------------------------------

symmetric = st.sampled_from([f for f in FORMS if f["k_rule"] == "fixed" and f["gap_rule"] != "fide2650"])


@settings(max_examples=40)
@given(symmetric, st.floats(1200, 2600), st.floats(1200, 2600), st.sampled_from([0, 0.5, 1]))
def test_what_one_side_wins_the_other_loses_at_one_k(
    form: dict[str, Any], white: float, black: float, score: float
) -> None:
    game = {"white": "Ann", "black": "Bob", "score": score, "white_points": 4 * score, "black_points": 4 - 4 * score}
    games = make_games([{**game, "source": "test", "source_row": 1}])
    history = replay(games, ELO, form, start={"Ann": {"rating": white}, "Bob": {"rating": black}}).history
    assert history["change"].sum() == pytest.approx(0, abs=1e-9)
    assert history["expected"].sum() == pytest.approx(1, abs=1e-12)


@settings(max_examples=40)
@given(st.sampled_from(FORMS), st.floats(1200, 2600), st.floats(1200, 2600))
def test_a_draw_on_neutral_ground_never_moves_the_favourite_up(form: dict[str, Any], one: float, other: float) -> None:
    game = {"white": "Ann", "black": "Bob", "score": 0.5, "white_points": 1, "black_points": 1, "neutral": True}
    games = make_games([{**game, "source": "test", "source_row": 1}])
    start = {"Ann": {"rating": max(one, other)}, "Bob": {"rating": min(one, other)}}
    history = replay(games, ELO, form, start=start).history
    assert history["change"].iloc[0] <= 0 <= history["change"].iloc[1]


@pytest.mark.parametrize("k_rule", K_RULES)
def test_only_one_k_for_all_makes_the_changes_cancel(k_rule: str) -> None:
    assert ELO.shaped(ELO.settings({"k_rule": k_rule})).zero_sum == (k_rule == "fixed")
