"""FIDE ratings beyond the published answers: dated rules, rapid and blitz, newcomers; every threshold and beside it."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elo_sheets.errors import UsageError
from elo_sheets.games import make_games
from elo_sheets.odds.performance import exact_performance, score_for_performance, table_performance
from elo_sheets.replaying.replay import replay
from elo_sheets.systems import needs
from elo_sheets.systems.fide import FIDE, fide_increased_2024, fide_initial_rating

FORMS = [(kind, rules) for kind in ("standard", "rapid", "blitz") for rules in ("current", "dated")]


def journal(games: Sequence[tuple[float, float]], day: date, event: str = "Open") -> Any:
    """Games of one player against published ratings: opponent's rating and score."""
    return make_games(
        {
            "date": day.isoformat(),
            "white": "Own",
            "black": f"Opponent {number}",
            "score": score,
            "black_rating": opponent,
            "event": event,
            "source": "published",
            "source_row": number,
        }
        for number, (opponent, score) in enumerate(games, 1)
    )


def history(games: Sequence[tuple[float, float]], day: date, rating: float, **given: object) -> Any:
    chosen = {"initial": rating, "initial_games": 30, **given}
    return replay(journal(games, day), FIDE, chosen, player="Own").history


def last(games: Sequence[tuple[float, float]], day: date, rating: float, **given: object) -> Mapping[str, float]:
    found: Mapping[str, float] = history(games, day, rating, **given).iloc[-1]
    return found


# --- dated rules --------------------------------------------------------------------------------------------

# chesschat.org, thread 18971: a player rated 2000 in a rapid event of 2022, from FIDE's page of his calculation.
EVENT_2022 = [(1063, 1), (1299, 1), (1413, 1), (1872, 0.5), (1851, 0), (1427, 1), (1682, 1)]
DELTAS_2022 = [0.08, 0.01, 0.02, -0.17, -0.70, 0.02, 0.13]


@pytest.mark.parametrize("kind", ["standard", "rapid"])
def test_an_event_of_2022_has_one_capped_game_as_fide_calculated_it(kind: str) -> None:
    found = history(EVENT_2022, date(2022, 10, 30), 2000, kind=kind, rules="dated")
    assert found["delta"].tolist() == pytest.approx(DELTAS_2022, abs=1e-9)
    close = found.iloc[-1]
    assert close["k_used"] * close["period_delta"] == pytest.approx(-12.2, abs=1e-9)


@pytest.mark.parametrize(
    ("day", "capped"),
    [(date(2021, 12, 31), 4), (date(2022, 1, 1), 1), (date(2024, 2, 29), 1), (date(2024, 3, 1), 4)],
)
def test_the_limit_holds_once_per_event_from_2022_to_february_2024(day: date, capped: int) -> None:
    found = history(EVENT_2022, day, 2000, rules="dated")
    assert (found["difference"] == 400).sum() == capped


def test_each_event_has_its_own_capped_game() -> None:
    games = [journal([(1500, 1), (1400, 1)], date(2023, 5, day), f"Open {day}") for day in (1, 20)]
    rows = [row for part in games for row in part.drop(columns="game").to_dict("records")]
    found = replay(make_games(rows), FIDE, {"initial": 2000, "rules": "dated"}, player="Own").history
    assert found["difference"].tolist() == [500, 400, 500, 400]


@pytest.mark.parametrize(
    ("day", "difference"),
    [(date(2009, 6, 30), 350), (date(2009, 7, 1), 400), (date(2010, 3, 1), 400)],
)
def test_the_limit_was_350_before_july_2009(day: date, difference: float) -> None:
    assert last([(1500, 1)], day, 2000, rules="dated")["difference"] == difference


@pytest.mark.parametrize(("gap", "counted"), [(349, 349), (350, 350), (351, 350)])
def test_the_limit_of_350_bites_above_350(gap: int, counted: int) -> None:
    assert last([(2000 - gap, 1)], date(2008, 5, 1), 2000, rules="dated")["difference"] == counted
    assert last([(2000 + gap, 0)], date(2008, 5, 1), 2000, rules="dated")["difference"] == -counted


@pytest.mark.parametrize(
    ("rating", "games", "born", "before", "after"),
    [
        (2000, 30, 0, 15, 20),
        (2000, 29, 0, 30, 40),
        (2000, 30, 1999, 15, 40),
        (2399, 30, 0, 15, 20),
        (2400, 30, 0, 10, 10),
        (2400, 29, 0, 30, 10),
    ],
)
def test_k_is_that_of_the_time_until_july_2014(rating: int, games: int, born: int, before: int, after: int) -> None:
    given = {"initial_games": games, "born": born, "rules": "dated"}
    assert last([(rating, 1)], date(2014, 6, 30), rating, **given)["k"] == before
    assert last([(rating, 1)], date(2014, 7, 1), rating, **given)["k"] == after


@pytest.mark.parametrize(("day", "difference"), [(date(2025, 9, 30), 400), (date(2025, 10, 1), 500)])
@pytest.mark.parametrize("rules", ["current", "dated"])
def test_the_full_difference_from_2650_begins_in_october_2025(rules: str, day: date, difference: float) -> None:
    assert last([(2150, 1)], day, 2650, rules=rules)["difference"] == difference
    assert last([(2149, 1)], day, 2649, rules=rules)["difference"] == 400


@pytest.mark.parametrize("day", [date(2024, 3, 1), date(2025, 10, 1), date(2026, 10, 1)])
@given(
    rating=st.integers(1400, 2850),
    opponents=st.lists(st.tuples(st.integers(1400, 2850), st.sampled_from([0, 0.5, 1])), min_size=1, max_size=4),
)
@settings(deadline=None, max_examples=15)
def test_since_march_2024_the_dated_rules_are_todays(
    day: date, rating: int, opponents: list[tuple[float, float]]
) -> None:
    one, other = (last(opponents, day, rating, rules=rules)["rating_after"] for rules in ("current", "dated"))
    assert one == other


def data(name: str) -> Path:
    folder = os.environ.get("ELO_SHEETS_DATA")
    if folder is None:
        pytest.skip("documented check: set ELO_SHEETS_DATA")
    return Path(folder) / name


def test_the_official_calculations_of_2008_to_2010_follow_from_the_dated_rules() -> None:
    path = data("vectors/fide_official_changes_2008_2010.csv")
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 5
    for row in rows:
        scores = [{"W": 1.0, "D": 0.5, "L": 0.0}[letter] for letter in row["results_WDL"]]
        games = list(zip(map(float, row["opponents"].split()), scores, strict=True))
        closed = date.fromisoformat(row["official_url"].rpartition("=")[2])
        found = last(games, closed.replace(month=closed.month - 1), float(row["rating"]), rules="dated")
        assert found["k_used"] == float(row["k"])
        assert sum(scores) - found["period_delta"] == pytest.approx(float(row["expected_points"]), abs=1e-9)
        assert found["k_used"] * found["period_delta"] == pytest.approx(float(row["official_change"]), abs=1e-9)


def test_each_player_of_a_pool_has_a_year_of_birth_of_his_own() -> None:
    games = make_games(
        [{"date": "2026-05-01", "white": "Ann", "black": "Bob", "score": 1, "source": "made", "source_row": 1}]
    )
    start = {"Ann": {"rating": 1800, "games": 30, "born": 2010}, "Bob": {"rating": 1800, "games": 30}}
    found = replay(games, FIDE, {"born": 1970}, start=start).history.set_index("player")
    assert found["k"].to_dict() == {"Ann": 40, "Bob": 20}


# --- rapid and blitz ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "opponent", "rated"),
    [
        (2601, 2001, 0),
        (2601, 2002, 1),
        (2600, 2000, 1),
        (2600, 1400, 1),
        (2001, 2601, 0),
        (2002, 2601, 1),
        (2800, 1800, 0),
    ],
)
@pytest.mark.parametrize("kind", ["rapid", "blitz"])
def test_a_game_600_points_apart_with_a_player_above_2600_is_not_rated(
    kind: str, own: int, opponent: int, rated: int
) -> None:
    found = last([(opponent, 1)], date(2026, 1, 1), own, kind=kind)
    assert (found["rated"], found["games_after"]) == (rated, 30 + rated)
    assert (found["rating_after"] != own) == bool(rated)


def test_a_game_that_is_not_rated_counts_neither_in_the_limit_of_k_nor_in_the_sum() -> None:
    rated, unrated = [(2600, 1)] * 70, [(1800, 0)] * 5
    alone, mixed = (last(games, date(2026, 1, 1), 2610, kind="rapid") for games in (rated, unrated + rated))
    assert (mixed["period_games"], mixed["period_rated"], mixed["k_used"]) == (75, 70, 10)
    assert mixed["rating_after"] == alone["rating_after"]


def test_a_period_of_games_that_are_not_rated_changes_nothing() -> None:
    found = last([(1800, 1), (1900, 0)], date(2026, 1, 1), 2700, kind="blitz")
    assert (found["change"], found["rating_after"], found["games_after"]) == (0, 2700, 30)


@pytest.mark.parametrize("rating", [2100, 2649, 2650, 2800])
def test_in_rapid_everybody_is_capped_at_400(rating: int) -> None:
    assert last([(rating - 401, 1)], date(2026, 1, 1), rating, kind="rapid")["difference"] == 400
    assert last([(rating - 399, 1)], date(2026, 1, 1), rating, kind="rapid")["difference"] == 399


@pytest.mark.parametrize(("day", "rated"), [(date(2024, 11, 30), 1), (date(2024, 12, 1), 0)])
def test_distant_rapid_games_are_rated_until_november_2024_by_the_dated_rules(day: date, rated: int) -> None:
    assert last([(1900, 1)], day, 2601, kind="rapid", rules="dated")["rated"] == rated


@pytest.mark.parametrize(("day", "k"), [(date(2022, 9, 30), 20), (date(2022, 10, 1), 40)])
def test_rapid_k_was_20_for_everybody_until_september_2022(day: date, k: int) -> None:
    assert last([(1800, 1)], day, 1800, kind="rapid", rules="dated", initial_games=0)["k"] == k


@pytest.mark.parametrize(("day", "difference"), [(date(2021, 12, 31), 500), (date(2022, 1, 1), 400)])
def test_rapid_had_no_limit_of_400_points_before_2022(day: date, difference: float) -> None:
    assert last([(1500, 1)], day, 2000, kind="rapid", rules="dated")["difference"] == difference


# --- every form ---------------------------------------------------------------------------------------------


def game_of(kind: str, rules: str, own: float, opponent: float, score: float, day: float) -> dict[str, float]:
    given = FIDE.settings({"kind": kind, "rules": rules})
    values: dict[str, Any] = {**given, "rating": own, "opponent_rating": opponent, "score": score}
    values |= {"date": day, "widest": 1.0}
    for step in FIDE.shaped(given).game:
        values[step.__name__] = step(**{name: values[name] for name in needs(step)})
    return values


@pytest.mark.parametrize(("kind", "rules"), FORMS)
@given(st.integers(1000, 2649), st.integers(1000, 2649), st.sampled_from([0, 0.5, 1]), st.integers(38000, 47000))
@settings(deadline=None, max_examples=30)
def test_below_2650_the_two_sides_of_a_game_mirror_each_other(
    kind: str, rules: str, own: int, other: int, score: float, day: int
) -> None:
    mine, theirs = game_of(kind, rules, own, other, score, day), game_of(kind, rules, other, own, 1 - score, day)
    assert mine["expected"] + theirs["expected"] == pytest.approx(1, abs=1e-12)
    assert mine["delta"] == pytest.approx(-theirs["delta"], abs=1e-12)


@pytest.mark.parametrize(("kind", "rules"), FORMS)
@given(st.integers(1000, 2900), st.integers(0, 1500), st.integers(38000, 47000))
@settings(deadline=None, max_examples=30)
def test_a_draw_never_moves_the_favourite_up(kind: str, rules: str, own: int, below: int, day: int) -> None:
    assert game_of(kind, rules, own, own - below, 0.5, day)["delta"] <= 0


@pytest.mark.parametrize(("kind", "rules"), FORMS)
def test_no_two_columns_of_a_form_share_a_header(kind: str, rules: str) -> None:
    form = FIDE.shaped(FIDE.settings({"kind": kind, "rules": rules}))
    names = [line.name for line in form.lines] + [state.name for state in form.state]
    labels = [form.label(name) for name in [*names, *(f"period_{name}" for name in form.sums), "period_games"]]
    assert len(labels) == len(set(labels))


def test_every_day_among_the_settings_names_its_source() -> None:
    days = [parameter for parameter in FIDE.parameters if parameter.is_date]
    assert len(days) == 8
    assert [parameter.name for parameter in days if not parameter.source] == []


# --- newcomers, the increase, lists -------------------------------------------------------------------------


@pytest.mark.parametrize(("day", "rating"), [(date(2024, 2, 29), 2020), (date(2024, 3, 1), 1993), (None, 1993)])
def test_the_rule_for_newcomers_changed_in_march_2024(day: date | None, rating: float) -> None:
    assert fide_initial_rating([2000] * 5, 3, on=day) == rating


def test_four_games_give_no_initial_rating() -> None:
    assert fide_initial_rating([2000] * 4, 2) is None
    assert fide_initial_rating([2400] * 5, 0) is None
    # 12,000 + 3,600 by 7 is 2228.57, and 1 of 7 is 14 %, for which the table has -309.
    assert fide_initial_rating([2400] * 5, 0, is_first_event=False) == 1920
    assert fide_initial_rating([2000] * 4, 2, on=date(2023, 1, 1)) is None


def test_an_initial_rating_below_the_floor_is_not_published() -> None:
    assert fide_initial_rating([1400] * 5, 0.5) is None
    assert fide_initial_rating([1400] * 5, 0.5, on=date(2023, 1, 1)) == 1400 - 366
    assert fide_initial_rating([1300] * 5, 0.5, on=date(2023, 1, 1)) is None


def test_no_rule_for_newcomers_is_known_before_2022() -> None:
    with pytest.raises(UsageError, match="expected a day from 2022-01-01 on, got 2021-12-31"):
        fide_initial_rating([2000] * 5, 3, on=date(2021, 12, 31))


@given(st.lists(st.integers(1400, 2800), min_size=5, max_size=12), st.integers(1, 20))
@settings(deadline=None)
def test_more_points_never_give_a_newcomer_less(opponents: list[float], halves: int) -> None:
    score = min(halves, 2 * len(opponents)) / 2
    less, more = (fide_initial_rating(opponents, points) or 0 for points in (score - 0.5, score))
    assert less <= more <= 2200


@pytest.mark.parametrize(("before", "after"), [(999, 999), (1000, 1400), (1999, 1999), (2000, 2000), (2001, 2001)])
def test_the_increase_of_2024_holds_from_1000_to_below_2000(before: int, after: int) -> None:
    assert fide_increased_2024(before) == after


def test_the_increase_of_2024_keeps_the_order_of_the_players() -> None:
    exact = [fide_increased_2024(rating, 1) for rating in range(1000, 2101)]
    assert exact == sorted(set(exact))


# --- performance --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("curve", ["logistic", "normal"])
def test_no_score_and_every_point_have_no_exact_performance(curve: str) -> None:
    assert exact_performance([1500, 1700], 0, curve) is None
    assert exact_performance([1500, 1700], 2, curve) is None
    assert exact_performance([], 0, curve) is None


@pytest.mark.parametrize("curve", ["logistic", "normal"])
@given(st.lists(st.integers(800, 2600), min_size=1, max_size=9))
@settings(deadline=None)
def test_half_the_points_against_mirrored_opponents_perform_at_their_middle(curve: str, opponents: list[float]) -> None:
    mirrored = [*opponents, *(3000 - opponent for opponent in opponents)]
    assert exact_performance(mirrored, len(opponents), curve) == pytest.approx(1500, abs=1e-6)


def test_on_the_normal_curve_76_per_cent_are_200_points_as_in_the_table() -> None:
    # The table prints .76 for 198 to 206 points, its inverse 202 for 76 per cent.
    assert exact_performance([2000] * 50, 38, "normal") == pytest.approx(2202, abs=0.5)


def test_an_unknown_curve_is_refused() -> None:
    with pytest.raises(UsageError, match=r"expected a curve \(logistic, normal, linear\), got 'cubic'"):
        exact_performance([1500], 0.5, "cubic")


@given(st.integers(1000, 2700), st.integers(1, 15), st.integers(1000, 3200))
@settings(deadline=None)
def test_the_score_for_a_performance_is_the_smallest_that_reaches_it(average: int, games: int, target: int) -> None:
    score = score_for_performance(average, games, target)
    if score is None:
        assert average + 800 < target
    else:
        assert table_performance(average, score, games) >= target
        assert score == 0 or table_performance(average, score - 0.5, games) < target
