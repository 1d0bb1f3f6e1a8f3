"""The rules: thresholds on the line and just beside it, properties, settings and the shape of a system."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elo_sheets.conformance.published import answers
from elo_sheets.errors import UsageError
from elo_sheets.systems import SYSTEMS, Parameter, State, System, needs, period_parameter, system
from elo_sheets.systems import elo as elo_rules
from elo_sheets.systems import fide as fide_rules
from elo_sheets.systems._tables import FIRST_DAYS, dated
from elo_sheets.uses.describing import parts

TABLE_ROWS = answers()["fide-table-8.1.2"]["expected"]

relaxed = settings(deadline=None)
ratings = st.floats(0, 3500, allow_nan=False)
whole_ratings = st.integers(1000, 3000)
scores = st.sampled_from([0, 0.5, 1])
gap_rules = st.sampled_from(["none", "cap400", "fide2650"])
every_system = pytest.mark.parametrize("rules", SYSTEMS.values(), ids=SYSTEMS)

FIRST_DAY = dated(date(2025, 10, 1))
DAY_BEFORE = dated(date(2025, 9, 30))
LONG_AFTER = dated(date(2026, 3, 1))


def elo_expected(own: float, other: float, gap_rule: str = "none", scale: float = 400) -> float:
    counted = elo_rules.difference(own, other, elo_rules.cap(gap_rule, own))
    return float(elo_rules.expected(counted, scale))


def fide_expected(own: float, other: float, day: float = DAY_BEFORE) -> float:
    counted = fide_rules.difference(own, other, fide_rules.cap(own, day, FIRST_DAY))
    return float(fide_rules.expected(counted, fide_rules.higher_expected(counted)))


# --- FIDE: thresholds ---------------------------------------------------------------------------------------

EDGES = [(d, higher, lower) for first, last, higher, lower in TABLE_ROWS for d in (first, last) if d is not None]


@pytest.mark.parametrize(("difference", "higher", "lower"), EDGES)
def test_the_edges_of_the_official_table_hold_for_both_players(difference: int, higher: float, lower: float) -> None:
    assert fide_rules.expected(difference, fide_rules.higher_expected(difference)) == higher
    below = fide_rules.expected(-difference, fide_rules.higher_expected(-difference))
    assert below == pytest.approx(lower, abs=1e-12)


@pytest.mark.parametrize(
    ("difference", "expected"),
    [(3.49, 0.5), (3.5, 0.51), (-3.49, 0.5), (-3.5, 0.49), (735.49, 0.99), (735.5, 1.0), (-735.5, 0.0), (3000, 1.0)],
)
def test_a_broken_difference_is_rounded_before_the_table_is_read(difference: float, expected: float) -> None:
    got = fide_rules.expected(difference, fide_rules.higher_expected(difference))
    assert got == pytest.approx(expected, abs=1e-12)


# own, opponent, day, the difference that counts; by FIDE Handbook B.02, 8.3.1
CAPS = [
    (2000, 1601, FIRST_DAY, 399),
    (2000, 1600, FIRST_DAY, 400),
    (2000, 1599, FIRST_DAY, 400),
    (2000, 2399, FIRST_DAY, -399),
    (2000, 2400, FIRST_DAY, -400),
    (2000, 2401, FIRST_DAY, -400),
    (2649, 2049, FIRST_DAY, 400),
    (2650, 2050, FIRST_DAY, 600),
    (2651, 2051, FIRST_DAY, 600),
    (2050, 2650, FIRST_DAY, -400),
    (2649, 3249, FIRST_DAY, -400),
    (2650, 3250, FIRST_DAY, -600),
    (2650, 2250, FIRST_DAY, 400),
    (2650, 2249, FIRST_DAY, 401),
    (2650, 2249, DAY_BEFORE, 400),
    (2650, 2050, DAY_BEFORE, 400),
    (2700, 2000, DAY_BEFORE + 0.99, 400),
    (2700, 2000, LONG_AFTER, 700),
]


@pytest.mark.parametrize(("own", "opponent", "day", "counted"), CAPS)
def test_the_400_rule_of_fide_turns_on_the_own_rating_and_the_day(
    own: float, opponent: float, day: float, counted: float
) -> None:
    assert fide_rules.difference(own, opponent, fide_rules.cap(own, day, FIRST_DAY)) == counted


def test_the_full_difference_counts_from_the_first_of_october_2025() -> None:
    assert date(2025, 10, 1) == FIRST_DAYS["full_difference"]
    assert system("fide").settings()["full_difference_from"] == 45931  # as spreadsheets number that day


# games before, highest rating so far, age in the year of the list (None: unknown), K; FIDE Handbook B.02, 8.3.3
KS = [
    (0, 1500, None, 40),
    (29, 2000, None, 40),
    (30, 2000, None, 20),
    (31, 2000, None, 20),
    (29, 2399, None, 40),
    (29, 2400, None, 10),
    (500, 2399, None, 20),
    (500, 2400, None, 10),
    (500, 2401, None, 10),
    (500, 2000, 17, 40),
    (500, 2000, 18, 40),
    (500, 2000, 19, 20),
    (500, 2299, 18, 40),
    (500, 2300, 18, 20),
    (500, 2301, 18, 20),
    (29, 2300, 18, 40),
    (30, 2300, 18, 20),
    (29, 2300, 19, 40),
    (0, 2400, 12, 10),
]


@pytest.mark.parametrize(("games", "peak", "age", "k"), KS)
def test_the_k_of_fide_turns_on_games_peak_and_age(games: float, peak: float, age: int | None, k: float) -> None:
    born = 0 if age is None else 2025 - age
    assert fide_rules.k(games, peak, fide_rules.age(2025, born)) == k


@pytest.mark.parametrize(
    ("peak", "rating", "highest"), [(0, 2000, 2000), (2400, 2399, 2400), (2400, 2400, 2400), (2399, 2400, 2400)]
)
def test_the_published_peak_counts_the_list_that_the_period_starts_from(
    peak: float, rating: float, highest: float
) -> None:
    assert fide_rules.published_peak(peak, rating) == highest


@pytest.mark.parametrize(
    ("k", "games", "used"),
    [(40, 17, 40), (40, 18, 38), (20, 35, 20), (20, 36, 19), (10, 70, 10), (10, 71, 9), (10, 701, 0), (40, 1, 40)],
)
def test_k_times_games_does_not_exceed_700(k: float, games: float, used: float) -> None:
    assert fide_rules.k_used(k, games) == used


@relaxed
@given(st.sampled_from([10, 20, 40]), st.integers(1, 700))
def test_k_is_the_largest_whole_number_within_700(k: int, games: int) -> None:
    used = fide_rules.k_used(k, games)
    assert used * games <= 700
    assert used == k or (used + 1) * games > 700


@pytest.mark.parametrize(
    ("k", "sum_delta", "change"),
    [
        (10, 0.05, 1),
        (10, -0.05, -1),
        (10, 0.04, 0),
        (10, 0.15, 2),
        (10, -0.15, -2),
        (20, 0.07, 1),
        (20, 0.08, 2),
        (40, 0.01, 0),
        (10, 0.25, 3),
        (10, -0.25, -3),
        # as it comes out of the games: 0.1499999999999999 and 1.4999999999999991 after K
        (10, (1 - 0.92) + (1 - 0.93), 2),
        (10, -((1 - 0.92) + (1 - 0.93)), -2),
        (10, sum([0.1] * 3) - 0.25, 1),
    ],
)
def test_the_change_of_a_period_is_rounded_as_on_paper(k: float, sum_delta: float, change: float) -> None:
    assert fide_rules.change(k, sum_delta) == change


@relaxed
@given(st.sampled_from([10, 15, 20, 40]), st.lists(st.tuples(scores, st.integers(0, 100)), min_size=1, max_size=40))
def test_sums_of_hundredths_round_like_whole_numbers(k: int, games: list[tuple[float, int]]) -> None:
    exact = sum(k * (round(100 * score) - percent) for score, percent in games)  # in hundredths of a point
    away = (abs(exact) + 50) // 100 * (1 if exact >= 0 else -1)
    total = 0.0
    for score, percent in games:
        total += score - percent / 100
    assert fide_rules.change(k, total) == away


@relaxed
@given(st.lists(st.tuples(scores, st.integers(0, 100)), max_size=40))
def test_the_errors_of_a_long_sum_do_not_move_a_half(games: list[tuple[float, int]]) -> None:
    hundredths = sum(round(100 * score) - percent for score, percent in games)
    games = [*games, (1, (hundredths - 5) % 10)]  # now K 10 gives a whole number and a half
    exact = sum(round(100 * score) - percent for score, percent in games)
    assert exact % 10 == 5
    total = 0.0
    for score, percent in games:
        total += score - percent / 100
    assert fide_rules.change(10, total) == (abs(exact) + 5) // 10 * (1 if exact > 0 else -1)


# --- Elo: the gap rules -------------------------------------------------------------------------------------

ELO_CAPS = [
    ("none", 2000, 1000, 1000),
    ("none", 1000, 2000, -1000),
    ("cap400", 2000, 1601, 399),
    ("cap400", 2000, 1600, 400),
    ("cap400", 2000, 1599, 400),
    ("cap400", 2700, 3101, -400),
    ("cap400", 2700, 2299, 400),
    ("fide2650", 2649, 2248, 400),
    ("fide2650", 2650, 2249, 401),
    ("fide2650", 2651, 2250, 401),
    ("fide2650", 2249, 2650, -400),
    ("fide2650", 2649, 3050, -400),
    ("fide2650", 2650, 3051, -401),
]


@pytest.mark.parametrize(("rule", "own", "opponent", "counted"), ELO_CAPS)
def test_the_gap_rules_of_elo_hold_on_the_line_and_beside_it(
    rule: str, own: float, opponent: float, counted: float
) -> None:
    assert elo_rules.difference(own, opponent, elo_rules.cap(rule, own)) == counted


# --- properties ---------------------------------------------------------------------------------------------


def capped_alike(own: float, other: float, rule: str) -> bool:
    return rule != "fide2650" or (own >= 2650) == (other >= 2650)


@relaxed
@given(ratings, ratings, gap_rules)
def test_expected_scores_of_elo_sum_to_one_when_both_are_capped_alike(own: float, other: float, rule: str) -> None:
    total = elo_expected(own, other, rule) + elo_expected(other, own, rule)
    assert total == pytest.approx(1, abs=1e-12) or not capped_alike(own, other, rule)


@relaxed
@given(ratings, ratings)
def test_expected_scores_of_fide_sum_to_one_under_one_cap(own: float, other: float) -> None:
    assert fide_expected(own, other) + fide_expected(other, own) == pytest.approx(1, abs=1e-12)


def test_expected_scores_of_fide_do_not_sum_to_one_when_one_player_is_exempt() -> None:
    total = fide_expected(2700, 1900, FIRST_DAY) + fide_expected(1900, 2700, FIRST_DAY)
    assert total == pytest.approx(1 + 0.08)  # 1.00 for the one by the table, 0.08 for the other at 400 points


@relaxed
@given(ratings, ratings, scores, gap_rules, st.floats(0, 100))
def test_swapping_the_players_of_elo_swaps_the_results(
    own: float, other: float, score: float, rule: str, k: float
) -> None:
    mine = elo_rules.change(k, score, elo_expected(own, other, rule))
    theirs = elo_rules.change(k, 1 - score, elo_expected(other, own, rule))
    assert mine == pytest.approx(-theirs, abs=1e-9) or not capped_alike(own, other, rule)


@relaxed
@given(ratings, ratings, scores)
def test_swapping_the_players_of_fide_swaps_the_results(own: float, other: float, score: float) -> None:
    mine = fide_rules.delta(score, fide_expected(own, other))
    theirs = fide_rules.delta(1 - score, fide_expected(other, own))
    assert mine == pytest.approx(-theirs, abs=1e-12)


EXPECTATIONS: list[Callable[[float, float], float]] = [
    elo_expected,
    lambda own, other: elo_expected(own, other, "cap400"),
    lambda own, other: elo_expected(own, other, "fide2650"),
    fide_expected,
    lambda own, other: fide_expected(own, other, LONG_AFTER),
]
every_expectation = pytest.mark.parametrize("expectation", EXPECTATIONS, ids=["none", "cap400", "2650", "fide", "2025"])


@every_expectation
@relaxed
@given(a=ratings, b=ratings)
def test_a_draw_never_moves_the_favourite_up(expectation: Callable[[float, float], float], a: float, b: float) -> None:
    assert 0.5 - expectation(max(a, b), min(a, b)) <= 0
    assert 0.5 - expectation(min(a, b), max(a, b)) >= 0


@every_expectation
@relaxed
@given(a=ratings, b=ratings)
def test_an_expected_score_is_a_share_of_the_point(
    expectation: Callable[[float, float], float], a: float, b: float
) -> None:
    assert 0 <= expectation(a, b) <= 1


@every_expectation
@relaxed
@given(own=ratings, other=ratings, stronger=st.floats(0, 500))
def test_a_stronger_opponent_never_raises_the_expected_score(
    expectation: Callable[[float, float], float], own: float, other: float, stronger: float
) -> None:
    assert expectation(own, other + stronger) <= expectation(own, other)


@relaxed
@given(whole_ratings, whole_ratings, st.integers(-500, 500))
def test_moving_both_ratings_alike_changes_nothing_in_plain_elo(own: int, other: int, by: int) -> None:
    assert elo_expected(own + by, other + by) == elo_expected(own, other)


def test_one_scale_apart_means_odds_of_ten_to_one() -> None:
    assert elo_expected(1200, 1000, scale=200) == pytest.approx(10 / 11)


# --- settings -----------------------------------------------------------------------------------------------


@every_system
def test_no_settings_are_the_defaults(rules: System) -> None:
    assert rules.settings() == {p.name: p.default for p in rules.parameters}


@every_system
def test_every_default_is_a_legal_value(rules: System) -> None:
    for parameter in rules.parameters:
        assert parameter.read(parameter.default) == parameter.default


SPELT = [
    ("elo", {"k": 32}, "k", 32.0),
    ("elo", {"k_factor": "32"}, "k", 32.0),
    ("elo", {"K-Factor": 32}, "k", 32.0),
    ("elo", {" K ": 32}, "k", 32.0),
    ("elo", {"K": 0}, "k", 0.0),
    ("elo", {"rule": "cap400"}, "gap_rule", "cap400"),
    ("elo", {"gap": "FIDE2650"}, "gap_rule", "fide2650"),
    ("elo", {"Gap_Rule": " none "}, "gap_rule", "none"),
    ("elo", {"period": "Month"}, "period", "month"),
    ("elo", {"initial": "-100.5"}, "initial", -100.5),
    ("fide", {"games": 30}, "initial_games", 30.0),
    ("fide", {"peak": 2400}, "initial_peak", 2400.0),
    ("fide", {"full_difference_from": "2025-10-01"}, "full_difference_from", 45931.0),
    ("fide", {"full_difference_from": "1900-03-01"}, "full_difference_from", 61.0),
    ("fide", {"full_difference_from": 45931}, "full_difference_from", 45931.0),
]


@pytest.mark.parametrize(("name", "given", "parameter", "value"), SPELT)
def test_a_setting_is_read_by_name_or_alias_without_regard_to_case(
    name: str, given: dict[str, object], parameter: str, value: object
) -> None:
    assert system(name).settings(given) == system(name).settings() | {parameter: value}


REFUSED = [
    ("elo", {"kk": 1}, r"system elo has no setting 'kk'; did you mean k\?"),
    ("elo", {"k_facto": 1}, "did you mean k_factor"),
    ("elo", {"gap_rul": "none"}, "did you mean gap_rule"),
    ("elo", {"zzzzzz": 1}, r"no setting 'zzzzzz' \(it has initial, k, scale, gap_rule, "),
    ("elo", {"born": 2000}, "system elo has no setting 'born'"),
    ("elo", {"gap_rule": "cap300"}, "expected gap_rule to be one of none, cap400, fide2650, got 'cap300'"),
    ("elo", {"period": "week"}, "expected period to be one of game, event, month, year, got 'week'"),
    ("elo", {"k": -1}, "expected k to be a number from 0 to"),
    ("elo", {"k": "many"}, "expected k to be a number, got 'many'"),
    ("elo", {"k": None}, "expected k to be a number, got None"),
    ("elo", {"k": "nan"}, "expected k to be a number from 0 to"),
    ("elo", {"initial": float("inf")}, "expected initial to be a number from"),
    ("elo", {"initial": 1e12}, "expected initial to be a number"),
    ("elo", {"scale": 0}, "expected scale to be a number from 1e-06 to"),
    ("fide", {"initial_games": -1}, "expected initial_games to be a number from 0 to"),
    ("fide", {"full_difference_from": "2025-13-01"}, "expected full_difference_from to be a day such as 2025-10-01"),
    ("fide", {"full_difference_from": "soon"}, "expected full_difference_from to be"),
]


@pytest.mark.parametrize(("name", "given", "message"), REFUSED)
def test_a_setting_that_cannot_be_is_refused_and_says_what_would_do(
    name: str, given: dict[str, object], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        system(name).settings(given)


@pytest.mark.parametrize("given", [{"k": 20, "k_factor": 30}, {"k": 20, "K": 30}, {"gap": "none", "rule": "cap400"}])
def test_one_setting_given_under_two_names_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=list(given)[-1]):
        system("elo").settings(given)


@pytest.mark.parametrize(("name", "title"), [("elo", "Elo"), ("FIDE", "FIDE"), (" Fide ", "FIDE")])
def test_a_system_is_found_by_name_without_regard_to_case(name: str, title: str) -> None:
    assert system(name).title == title


def test_an_unknown_system_is_refused_with_the_closest_name() -> None:
    with pytest.raises(UsageError, match=r"expected a rating system \(elo, .*\), got 'fidee'; did you mean fide\?"):
        system("fidee")


# --- the shape of a system ----------------------------------------------------------------------------------


@every_system
def test_a_system_cites_its_sources_and_says_what_it_is(rules: System) -> None:
    assert rules.sources
    assert rules.about
    assert all(parameter.meaning and parameter.label for parameter in rules.parameters)


@every_system
def test_no_two_settings_share_a_name_an_alias_or_a_cell(rules: System) -> None:
    names = [name for p in rules.parameters for name in (p.name, *p.aliases)]
    cells = [p.cell for p in rules.parameters]
    assert len(set(names)) == len(names)
    assert len(set(cells)) == len(cells)


@every_system
def test_every_step_can_be_traced_over_the_names_that_it_reads(rules: System) -> None:
    assert all(expr is not None for _, _, expr in parts(rules))


@pytest.mark.parametrize(
    ("name", "label"),
    [("rating", "Rating"), ("opponent_rating", "Opponent rating"), ("delta", "ΔR"), ("k_used", "K")],
)
def test_a_label_is_given_or_made_from_the_name(name: str, label: str) -> None:
    assert system("fide").label(name) == label


def small_system(game: tuple[Any, ...], closing: tuple[Any, ...]) -> System:
    parameter = Parameter("initial", 0.0, "Initial", "start", "Initial")
    return System(
        name="small",
        title="Small",
        about="a test",
        sources=("none",),
        parameters=(parameter, period_parameter("game")),
        state=(State("rating", "initial"),),
        game=game,
        sums=(),
        closing=closing,
    )


def rating_after(rating: Any) -> Any:
    return rating


def reads_a_misspelt_name(ratign: Any) -> Any:
    return ratign


def reads_the_period(period_games: Any) -> Any:
    return period_games


@pytest.mark.parametrize(
    ("game", "closing", "message"),
    [
        ((reads_a_misspelt_name,), (rating_after,), r"reads \['ratign'\], which nothing gives"),
        ((reads_the_period,), (rating_after,), r"reads \['period_games'\], which nothing gives"),
        ((), (reads_the_period,), "system small has no closing step rating_after"),
    ],
)
def test_a_system_that_cannot_be_run_is_refused_when_it_is_made(
    game: tuple[Any, ...], closing: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        small_system(game, closing)


def test_a_closing_step_may_read_the_period() -> None:
    assert small_system((), (reads_the_period, rating_after)).name == "small"


def test_a_step_reads_its_parameters() -> None:
    assert needs(fide_rules.change) == ("k_used", "period_delta")
