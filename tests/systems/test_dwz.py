"""DWZ by the rules of 2014 and of 2026, and Ingo: thresholds, first ratings, whole events and properties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elo_sheets.conformance.published import answers
from elo_sheets.errors import UsageError
from elo_sheets.games import make_games
from elo_sheets.replaying.cases import Period, columns_of
from elo_sheets.replaying.readings import by_floats
from elo_sheets.replaying.replay import replay
from elo_sheets.systems import System
from elo_sheets.systems import dwz as rules
from elo_sheets.systems.dwz import DWZ
from elo_sheets.systems.fide import age as age_of
from elo_sheets.systems.ingo import INGO

YEAR = 2020
OFFICIAL = [answer for answer in answers().values() if answer["id"].startswith("dwz-official-")]

ratings = st.integers(800, 2800)
both_rules = pytest.mark.parametrize("rules_of", ["2014", "2026"])


def evaluated(
    rating: float,
    opponents: Sequence[float],
    scores: Sequence[float],
    age: float = 40,
    index: float = 10,
    system: System = DWZ,
    **settings: Any,
) -> dict[str, Any]:
    """Every column of one player's event."""
    own = {"rating": rating, "index": index, "year": YEAR, "born": YEAR - age}
    games = [{"opponent_rating": o, "score": s} for o, s in zip(opponents, scores, strict=True)]
    return dict(by_floats([columns_of(Period(system, own, games, {}, settings))])[0])


# --- expected scores ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("difference", "score"), [(734, 0.995), (735, 1), (736, 1), (-734, 0.005), (-735, 0), (0, 0.5)]
)
def test_a_difference_of_735_makes_a_result_certain(difference: float, score: float) -> None:
    assert rules.expected(difference, 200) == pytest.approx(score, abs=1e-12)


@given(ratings, ratings, st.sampled_from(["normal", "logistic"]))
def test_expected_scores_sum_to_one(own: int, other: int, expectancy: str) -> None:
    step = rules.CURVES[expectancy]
    settings = (200,) if expectancy == "normal" else ()
    assert step(own - other, *settings) + step(other - own, *settings) == pytest.approx(1, abs=1e-12)


# --- rules of 2014 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("age", "j"), [(8, 5), (20, 5), (21, 10), (25, 10), (26, 15), (99, 15)])
def test_the_age_group_adds_to_e(age: int, j: int) -> None:
    assert rules.base_development(2000, age) == 16 + j


def test_an_unknown_year_of_birth_counts_as_over_25() -> None:
    assert age_of(YEAR, 0) > 25


@pytest.mark.parametrize(
    ("rating", "age", "surplus", "factor"),
    [
        (1500, 20, 0, 0.75),
        (1500, 20, 0.001, 0.75),
        (1500, 20, -0.001, 1),
        (1500, 21, 1, 1),
        (999, 12, 1, 0.5),
        (1000, 12, 1, 0.5),
        (1001, 12, 1, 0.5005),
        (2000, 12, 1, 1),
        (2001, 12, 1, 1),
    ],
)
def test_the_young_who_do_not_fall_short_are_accelerated(rating: int, age: int, surplus: float, factor: float) -> None:
    assert rules.acceleration(rating, age, surplus) == factor


@pytest.mark.parametrize(("rating", "surplus"), [(1300, -1), (1301, -1), (1200, 0), (1200, 1)])
def test_only_who_falls_short_below_1300_is_braked(rating: int, surplus: float) -> None:
    assert rules.brake(rating, surplus) == 0


def test_the_brake_is_an_exponential_of_what_is_missing_to_1300() -> None:
    assert rules.brake(1150, -0.5) == pytest.approx(1.718281828, abs=1e-9)
    assert rules.brake(1299, -0.5) > 0


@pytest.mark.parametrize(("index", "limit"), [(0, 5), (1, 5), (2, 10), (5, 25), (6, 30), (7, 30), (50, 30)])
def test_the_index_limits_e(index: int, limit: int) -> None:
    assert rules.development_limit(index, 0) == limit
    assert rules.development_limit(index, 0.1) == 150


@pytest.mark.parametrize(("raw", "e"), [(4.4, 5), (5.49, 5), (5.5, 6), (29.5, 30), (31, 30)])
def test_e_is_a_whole_number_between_its_limits(raw: float, e: int) -> None:
    assert rules.development(raw, 1, 0, 30) == e


def test_a_score_that_equals_the_expected_one_is_not_less() -> None:
    # 0.24 + 0.76 + 0.57 + 0.43 in binary need not be 2.
    event = evaluated(1600, [1800, 1400, 1550, 1650], [0, 1, 1, 0], age=18)
    assert event["surplus"] == 0
    assert event["acceleration"] == 0.8


# --- rules of 2026 ------------------------------------------------------------------------------------------

# The published table of K, for the index 1, 2, ..., 10, more.
K_TABLE = [
    ((2199, 25), (60, 60, 48, 46, 44, 42, 40, 38, 36, 34, 32)),
    ((1999, 26), (60, 60, 44, 42, 40, 38, 36, 34, 32, 30, 28)),
    ((2200, 25), (60, 60, 41, 39, 37, 35, 33, 31, 29, 27, 25)),
    ((2000, 26), (60, 60, 41, 39, 37, 35, 33, 31, 29, 27, 25)),
]


@pytest.mark.parametrize(("player", "row"), K_TABLE)
def test_the_formula_of_k_gives_the_published_table(player: tuple[int, int], row: Sequence[int]) -> None:
    assert [rules.base_k(*player, index) for index in range(1, 12)] == list(row)
    assert rules.base_k(*player, 0) == row[0]
    assert rules.base_k(*player, 40) == row[-1]


@pytest.mark.parametrize(
    ("rating", "age", "surplus", "bonus"),
    [
        (1700, 20, 0, 10),
        (1700, 20, -0.001, 0),
        (2000, 20, 1, 0),
        (2001, 20, 1, 0),
        (1700, 21, 1, 0),
        (1599, 21, 0, 4),
        (1600, 21, 0, 0),
        (1599, 60, -0.001, 0),
    ],
)
def test_success_adds_to_k(rating: int, age: int, surplus: float, bonus: float) -> None:
    assert rules.success_bonus(rating, age, surplus) == bonus


@pytest.mark.parametrize(
    ("rating", "surplus", "factor"), [(1599, -0.001, 2399 / 2400), (1600, -1, 1), (1000, -1, 0.75), (1000, 0, 1)]
)
def test_falling_short_below_1600_lowers_k(rating: int, surplus: float, factor: float) -> None:
    assert rules.brake_factor(rating, surplus) == factor


def test_no_rating_falls_below_1100_by_the_rules_of_2026() -> None:
    lost = ([1150] * 5, [0] * 5)
    assert evaluated(1120, *lost, rules="2026")["rating_after"] == 1100
    assert evaluated(1120, *lost, rules="2014")["rating_after"] < 1100


# --- both ---------------------------------------------------------------------------------------------------


@both_rules
@given(st.integers(1100, 2800), ratings, st.integers(8, 80), st.integers(0, 20))
def test_a_draw_never_moves_the_favourite_up(rules_of: str, own: int, other: int, age: int, index: int) -> None:
    favourite = max(own, other)
    assert evaluated(favourite, [min(own, other)], [0.5], age, index, rules=rules_of)["rating_after"] <= favourite


@both_rules
def test_swapping_the_players_swaps_the_results(rules_of: str) -> None:
    def final(white: str, black: str, score: float) -> dict[str, float]:
        game = {"white": white, "black": black, "score": score, "event": "Open", "source": "test", "source_row": 1}
        table = replay(make_games([game]), DWZ, {"rules": rules_of}, start={"Ann": {"rating": 1700}}).ratings
        return dict(zip(table["player"], table["rating"], strict=True))

    assert final("Ann", "Bob", 1) == final("Bob", "Ann", 0)


@pytest.mark.parametrize("answer", OFFICIAL, ids=[answer["id"] for answer in OFFICIAL])
def test_a_replayed_event_gives_the_official_rating(answer: dict[str, Any]) -> None:
    inputs = answer["inputs"]
    pairs = list(zip(inputs["opponents"], inputs["scores"], strict=True))
    games = make_games(
        {
            "white": "Player",
            "black": f"Opponent {i}",
            "score": score,
            "date": "2008-05-01",
            "event": "Open",
            "source": "test",
            "source_row": i,
        }
        for i, (_, score) in enumerate(pairs, 1)
    )
    start: dict[str, dict[str, float]] = {
        f"Opponent {i}": {"rating": opponent} for i, (opponent, _) in enumerate(pairs, 1)
    }
    start["Player"] = {"rating": inputs["rating"], "index": 9, "born": 1990 if inputs["E"] < 30 else 1970}
    final = replay(games, DWZ, start=start).ratings.set_index("player")
    assert final.loc["Player", "rating"] == answer["expected"]["new"]
    assert final.loc["Player", "index"] == 10


# --- first ratings and conversions --------------------------------------------------------------------------

FIELD = [1500, 1600, 1450, 1720, 1380]


@pytest.mark.parametrize(("score", "rules_of"), [(0, "2014"), (5, "2014"), (0, "2026")])
def test_there_is_no_first_rating_from_an_extreme_score(score: float, rules_of: str) -> None:
    assert rules.first_rating(FIELD, score, rules_of) is None


def test_the_rules_of_2026_add_a_draw_to_a_score_of_all_points() -> None:
    added = rules.first_rating(FIELD, 5, "2026")
    assert added is not None
    assert added == rules.first_rating([*FIELD, sum(FIELD) / 5], 5.5, "2026")


@both_rules
def test_a_first_rating_needs_five_games(rules_of: str) -> None:
    assert rules.first_rating(FIELD[:4], 2, rules_of) is None
    assert rules.first_rating(FIELD, 2, rules_of) is not None


@given(st.lists(st.integers(600, 2600), min_size=1, max_size=15), st.data())
def test_the_performance_expects_the_score(opponents: list[int], data: st.DataObject) -> None:
    score = data.draw(st.integers(1, 2 * len(opponents) - 1)) / 2
    found = rules.performance(opponents, score)
    assert found is not None
    assert abs(found[1]) < 1e-9


def test_an_impossible_score_and_unknown_rules_are_named() -> None:
    with pytest.raises(UsageError, match=r"score from 0 to 5 in 5 games, got 5\.5"):
        rules.first_rating(FIELD, 5.5)
    with pytest.raises(UsageError, match="one of 2014, 2026, got '2020'"):
        rules.first_rating(FIELD, 2, "2020")


@pytest.mark.parametrize(("performance", "rating"), [(800, 800), (799, 800), (792, 799), (0, 700)])
def test_a_performance_below_800_counts_an_eighth(performance: float, rating: float) -> None:
    assert rules.rating_of_performance(performance) == rating


@pytest.mark.parametrize(
    ("performance", "rating"), [(2001, 2001), (2000, 2000), (1999, 1999), (1100, 1172), (1099, 1172), (-500, 1100)]
)
def test_the_parts_of_the_first_rating_of_2026_meet(performance: float, rating: float) -> None:
    assert rules.rating_of_performance_2026(performance) == rating


@pytest.mark.parametrize(("dwz", "converted"), [(999, 1399), (1000, 1400), (2110, 2110.4), (2111, 2111)])
def test_the_parts_of_the_conversion_to_2026(dwz: float, converted: float) -> None:
    assert rules.converted_to_2026(dwz) == pytest.approx(converted, abs=1e-9)


# --- Ingo ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("age", "weight"), [(20, 10), (21, 15), (25, 15), (26, 20)])
def test_the_old_ingo_number_counts_as_games_by_age(age: int, weight: int) -> None:
    assert evaluated(100, [100], [0.5], age, system=INGO)["weight_used"] == weight


def test_a_win_lowers_the_ingo_number_and_the_lowest_leads() -> None:
    game = {"white": "Ann", "black": "Bob", "score": 0, "event": "Open", "source": "test", "source_row": 1}
    final = replay(make_games([game]), INGO).ratings
    assert final["player"].tolist() == ["Bob", "Ann"]
    assert final["rating"].iloc[0] < 150 < final["rating"].iloc[1]


@given(st.integers(50, 250), st.integers(0, 49))
def test_the_expected_score_leaves_an_ingo_number_as_it_was(own: int, gap: int) -> None:
    played = evaluated(own, [own + gap], [0.5 + gap / 100], system=INGO)
    assert played["rating_after"] == pytest.approx(own, abs=1e-9)
