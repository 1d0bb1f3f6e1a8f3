"""US Chess: published sections, the lines between the formulas, bonus, floors and matches.

Another section of the federation, with a newcomer, and the Quick ratings of both stand in a repository without a
licence (GinoLorca/Repertoire-Lab, tests/uscfEstimate.test.mjs) and may not be copied here. To check them set
ELO_SHEETS_DATA to a folder with `uschess/sections.csv`: section, system, row, rounds (W4 beat row 4; codes without a
number are no rated games), before, after, provisional_games_after, start (of a newcomer).
"""

from __future__ import annotations

import csv
import itertools
import os
import re
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elo_sheets.conformance.published import answers
from elo_sheets.errors import UsageError
from elo_sheets.games import make_games
from elo_sheets.replaying.replay import replay
from elo_sheets.systems import uschess as rules
from elo_sheets.systems._tables import dated
from elo_sheets.systems.uschess import USCHESS, Entrant, Rated, rate_section, special_rating
from elo_sheets.uses.exporting import replay_logs

NOVICE = answers()["us-section-novice-R"]
SCORES = {"W": 1.0, "D": 0.5, "L": 0.0}

Game = tuple[int, int, float]

ratings = st.floats(100, 2700).map(lambda rating: round(rating, 2))
counts = st.integers(0, 60)
scores = st.sampled_from([1.0, 0.5, 0.0])


def games_of(rounds: Sequence[str]) -> list[Game]:
    """The rated games of a crosstable, each once."""
    return [
        (row, int(other) - 1, SCORES[result])
        for row, text in enumerate(rounds)
        for result, other in re.findall(r"\b([WDL])(\d+)", text)
        if row < int(other) - 1
    ]


def novices() -> tuple[list[Entrant], list[Game]]:
    """The published section: who is established has games enough."""
    rows = NOVICE["inputs"]["players"]
    players = [Entrant(row["pre"], 50 if row["games_before"] is None else row["games_before"]) for row in rows]
    return players, games_of([row["rounds"] for row in rows])


def after(player: Entrant, opponents: Sequence[Entrant], results: Sequence[float], **settings: Any) -> Rated:
    """The player after one game against each opponent, who play nobody else."""
    section = [player, *opponents]
    games = [(0, number, score) for number, score in enumerate(results, 1)]
    return rate_section(section, games, **settings)[0]


def log(games: Sequence[Game], day: str = "2026-08-30", event: str = "Section") -> Any:
    return make_games(
        {
            "date": day,
            "event": event,
            "white": f"Player {white + 1}",
            "black": f"Player {black + 1}",
            "score": score,
            "source": "test",
            "source_row": number,
        }
        for number, (white, black, score) in enumerate(games, 1)
    )


# --- published sections


def replayed(day: str) -> Any:
    players, games = novices()
    start = {
        f"Player {number}": {"rating": player.rating, "games": player.games} for number, player in enumerate(players, 1)
    }
    return replay(log(games, day), USCHESS, start=start)


def section_bonus(day: str) -> Any:
    return replayed(day).history.groupby("player")["bonus"].max()


def test_the_replay_of_a_published_section_gives_its_ratings() -> None:
    found = replayed("2026-08-30").ratings.sort_values("player")["rating"].tolist()
    assert found == pytest.approx(NOVICE["expected"], abs=NOVICE["tolerance"])


@pytest.mark.skipif("ELO_SHEETS_DATA" not in os.environ, reason="documented check: set ELO_SHEETS_DATA")
def test_every_player_of_further_published_sections_is_rated_as_published() -> None:
    path = Path(os.environ["ELO_SHEETS_DATA"]) / "uschess" / "sections.csv"
    with path.open(encoding="utf-8", newline="") as file:
        sections = [
            list(rows)
            for _, rows in itertools.groupby(csv.DictReader(file), lambda row: (row["section"], row["system"]))
        ]
    assert [len(rows) for rows in sections] == [6, 6, 14, 14]
    for rows in sections:
        games = games_of([row["rounds"] for row in rows])
        found = rate_section([published_entrant(row, games) for row in rows], games)
        assert [player.rating for player in found] == pytest.approx([float(row["after"]) for row in rows], abs=0.0151)


def published_entrant(row: Mapping[str, str], games: Sequence[Game]) -> Entrant:
    if not row["before"]:
        return Entrant(float(row["start"]))
    played = sum(int(row["row"]) - 1 in game[:2] for game in games)
    provisional = row["provisional_games_after"]
    return Entrant(float(row["before"]), float(provisional) - played if provisional else 50)


def test_a_provisional_player_of_six_games_is_rated_as_published() -> None:
    """Event 202608010253, section 6: the opponents with their first-pass results; US Chess printed 289.11."""
    assert special_rating(335.27, 6, [364.67, 525.69, 100], 1) == pytest.approx(289.11, abs=0.005)


def test_a_newcomer_who_loses_three_games_is_held_by_the_floor_that_they_earn_him() -> None:
    """Event 202608010253, section 6, printed 101: 100, and 1 for an event of three games."""
    opponents = [Entrant(rating, 50) for rating in (590, 475, 289)]
    assert after(Entrant(406), opponents, [0, 0, 0]).rating == 101


# --- the special formula


@given(ratings, st.floats(0, 8), st.lists(st.tuples(ratings, scores), min_size=1, max_size=8))
def test_the_special_formula_gives_the_score_that_was_made(
    rating: float, effective: float, results: list[tuple[float, float]]
) -> None:
    opponents, score = [opponent for opponent, _ in results], sum(score for _, score in results)
    found = special_rating(rating, effective, opponents, score)
    total = effective * rules.linear_expected(found, rating)
    total += sum(rules.linear_expected(found, opponent) for opponent in opponents)
    if found < rules.SPECIAL_CEILING:
        assert total == pytest.approx(score + effective / 2, abs=1e-6)
    else:
        assert total <= score + effective / 2 + 1e-6


@given(ratings, st.lists(st.tuples(ratings, scores), min_size=1, max_size=8))
def test_no_point_nearer_to_the_rating_gives_a_newcomers_score(
    rating: float, results: list[tuple[float, float]]
) -> None:
    opponents, score = [opponent for opponent, _ in results], sum(score for _, score in results)
    found = special_rating(rating, 0, opponents, score)
    nearer = found + 0.01 * ((rating > found) - (rating < found))
    missed = sum(rules.linear_expected(nearer, opponent) for opponent in opponents) - score
    assert found in (rating, rules.SPECIAL_CEILING) or abs(missed) > 1e-6


@given(ratings, st.integers(1, 8), ratings)
def test_after_wins_only_another_win_never_costs_and_after_losses_only_a_loss_never_pays(
    rating: float, games: int, opponent: float
) -> None:
    assert special_rating(rating, games, [opponent], 1, 1) >= rating - 1e-6
    assert special_rating(rating, games, [opponent], 0, -1) <= rating + 1e-6


@given(ratings, st.floats(0, 8), st.lists(ratings, min_size=2, max_size=6))
def test_half_a_point_more_never_lowers_the_special_rating(
    rating: float, effective: float, opponents: list[float]
) -> None:
    found = [special_rating(rating, effective, opponents, score / 2) for score in range(2 * len(opponents) + 1)]
    assert all(less <= more + 1e-6 for less, more in itertools.pairwise(found))


@pytest.mark.parametrize(("games", "special"), [(0, True), (8, True), (9, False)])
def test_the_special_formula_rates_players_of_at_most_eight_games(games: float, special: bool) -> None:
    found = after(Entrant(1500, games), [Entrant(1500, 50)] * 3, [1, 0, 1])
    assert (found.k_used != found.k_used) is special


@pytest.mark.parametrize("one_sided", [1, -1])
def test_the_special_formula_rates_a_player_of_many_games_that_were_all_won_or_all_lost(one_sided: float) -> None:
    found = after(Entrant(1500, 20, one_sided), [Entrant(1500, 50)] * 3, [1, 0, 1])
    assert found.k_used != found.k_used


@pytest.mark.parametrize(
    ("one_sided", "games", "results", "then"),
    [
        (0, 0, [1, 1], 1),
        (0, 0, [0, 0], -1),
        (0, 0, [1, 0.5], 0),
        (1, 4, [1, 1], 1),
        (1, 4, [1, 0.5], 0),
        (-1, 4, [0, 0], -1),
        (-1, 4, [1, 1], 0),
        (0, 4, [1, 1], 0),
    ],
)
def test_a_record_is_one_sided_while_every_game_goes_one_way(
    one_sided: float, games: float, results: list[float], then: float
) -> None:
    assert after(Entrant(1500, games, one_sided), [Entrant(1500, 50)] * 2, results).one_sided == then


def test_opponents_meet_a_newcomer_at_his_trial_rating() -> None:
    opponents = [Entrant(1400, 50), Entrant(1600, 50)]
    strong = rate_section([Entrant(750), *opponents], [(0, 1, 1), (0, 2, 1)])
    assert strong[0].trial == special_rating(750, 1, [1400, 1600], 2) > 1600
    assert [player.trial for player in strong[1:]] == [1400, 1600]


# --- the standard formula


@pytest.mark.parametrize(
    ("rating", "share"), [(2199, 1), (2200, 1), (2300, 0.75), (2499, 0.2525), (2500, 0.25), (2700, 0.25)]
)
def test_dual_rated_games_move_masters_less(rating: float, share: float) -> None:
    """800 (6.5 - 0.0025 R) / (N' + m) above 2200 and 200 / (N' + m) from 2500 on, where K is else 800 / (N' + m)."""
    opponents = [Entrant(rating, 50)] * 4
    dual, single = (after(Entrant(rating, 50), opponents, [1, 0, 1, 1], dual_rated=dual) for dual in ("yes", "no"))
    assert dual.k_used == pytest.approx(single.k_used * share)


@pytest.mark.parametrize(("rating", "full"), [(2355, 49.989), (2355.01, 50), (2400, 50)])
def test_ratings_above_2355_count_for_50_games(rating: float, full: float) -> None:
    assert rules.full_games(rating) == pytest.approx(full, abs=0.001)


@pytest.mark.parametrize(
    ("met", "allowed"),
    [
        ([1, 2], False),
        ([1, 2, 3], True),
        ([1, 1, 2], False),
        ([1, 1, 2, 3], True),
        ([1, 1, 2, 2], True),
        ([1, 1, 1, 2], False),
    ],
)
def test_a_bonus_needs_three_games_and_no_opponent_met_too_often(met: list[int], allowed: bool) -> None:
    section = [Entrant(1500, 50), *[Entrant(2000, 50)] * 3]
    found = rate_section(section, [(0, opponent, 1) for opponent in met])[0]
    assert (found.bonus > 0) is allowed


def test_three_games_are_held_to_the_bonus_limit_of_four() -> None:
    assert rules.bonus(21, 10, 3, True) == rules.bonus(21, 10, 4, True) == 1
    assert rules.bonus(20, 10, 4, True) == 0
    assert rules.bonus(31, 10, 9, True) == 1


@pytest.mark.parametrize(
    ("day", "factor"),
    [
        (date(2015, 5, 31), 10),
        (date(2015, 6, 1), 12),
        (date(2017, 5, 31), 12),
        (date(2017, 6, 1), 14),
        (date(2023, 1, 31), 14),
        (date(2023, 2, 1), 12),
        (date(2024, 12, 31), 12),
        (date(2025, 1, 1), 10),
        (None, 10),
    ],
)
def test_b_is_that_of_the_events_day(day: date | None, factor: float) -> None:
    assert rules.bonus_on(dated(day) if day else 0, USCHESS.settings()) == factor


def test_the_bonus_of_a_replay_is_that_of_the_games_day() -> None:
    """B 12 instead of 10 takes 2 times the square root of 4 from both bonuses of the section.

    The opponents' lower results of the first pass take a little more.
    """
    less = section_bonus("2024-08-30") - section_bonus("2026-08-30")
    assert less.tolist() == pytest.approx([-4, -4, 0, 0, 0, 0], abs=0.5)


def test_a_replay_says_which_b_held(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    days = ("2017-05-31", "2017-06-01", "2017-06-02")
    rows = [f"{day},Player 1,Player 2,1-0,Club {day}" for day in days]
    log.write_text("\n".join(["date,white,black,result,event", *rows]), encoding="utf-8")
    notes = replay_logs([log], system="uschess").notes
    assert "uschess: bonus factor B by the day of the game: 12 in 1, 14 in 2 of 3 games" in notes


# --- floors


@pytest.mark.parametrize(
    ("peak", "floor"),
    [
        (1399.49, None),
        (1399.5, 1200),
        (1400, 1200),
        (1499.49, 1200),
        (1499.5, 1300),
        (2299, 2000),
        (2300, 2100),
        (2900, 2100),
    ],
)
def test_the_floor_is_200_below_the_peak_down_to_a_hundred(peak: float, floor: float | None) -> None:
    assert rules.floor_from_peak(peak) == floor


def crushed(player: Entrant) -> Rated:
    """The player after ten losses against opponents 300 points below."""
    return after(player, [Entrant(player.rating - 300, 50)] * 10, [0] * 10)


def test_an_established_player_never_falls_below_his_floor() -> None:
    assert crushed(Entrant(1705, 100, peak=1941)).rating == 1700


def test_a_rating_whose_peak_is_not_given_is_its_own_peak_if_established() -> None:
    assert crushed(Entrant(1610, 26)).floor_used == 1400
    assert crushed(Entrant(1610, 25)).floor_used == 101


def test_an_assigned_floor_holds_when_it_is_the_highest() -> None:
    assert crushed(Entrant(2210, 100, peak=2310, assigned_floor=2200)).rating == 2200
    assert crushed(Entrant(2210, 100, peak=2310, assigned_floor=1800)).floor_used == 2100


@pytest.mark.parametrize(("games", "peak"), [(22, 0.0), (23, None)])
def test_a_peak_is_reached_with_more_than_25_games(games: float, peak: float | None) -> None:
    found = after(Entrant(1500, games), [Entrant(1500, 50)] * 3, [1, 1, 1])
    assert found.peak == (found.rating if peak is None else peak)


def test_every_event_of_three_games_raises_the_absolute_floor_up_to_150() -> None:
    found = [
        after(Entrant(500, 30, absolute_floor=floor), [Entrant(500, 50)] * len(results), results).absolute_floor
        for floor, results in ((100, [1, 0.5, 0]), (100, [1, 0]), (148, [1, 0, 0]))
    ]
    assert found == [107, 104, 150]


# --- matches


def match(one: Entrant, other: Entrant) -> tuple[Rated, Rated]:
    winner, loser = rate_section([one, other], [(0, 1, 1)] * 6, match=True)
    return winner, loser


def test_a_match_moves_a_rating_by_at_most_50_points() -> None:
    winner, loser = match(Entrant(1500, 30), Entrant(1700, 30))
    assert (winner.rating, loser.rating) == (1550, 1650)


@pytest.mark.parametrize(
    ("one", "other", "rated"),
    [
        (Entrant(1500, 26), Entrant(1900, 26), True),
        (Entrant(1500, 26), Entrant(1900.01, 26), False),
        (Entrant(1500, 25), Entrant(1500, 26), False),
        (Entrant(1500, 26), Entrant(1500, 25), False),
    ],
)
def test_a_match_is_rated_between_established_players_within_400_points(
    one: Entrant, other: Entrant, rated: bool
) -> None:
    winner, loser = match(one, other)
    assert (winner.rating > one.rating, loser.rating < other.rating) == (rated, rated)
    assert (winner.games, loser.games) == (one.games + 6 * rated, other.games + 6 * rated)


def test_a_match_of_three_is_refused() -> None:
    with pytest.raises(UsageError, match="expected two players in a match, got 3"):
        rate_section([Entrant(1500, 30)] * 3, [(0, 1, 1)], match=True)


def test_an_event_of_two_players_is_a_match_where_the_setting_says_so() -> None:
    games = log([(0, 1, 1.0)] * 4)
    start = {"Player 1": {"rating": 1500, "games": 5}, "Player 2": {"rating": 1500, "games": 40}}
    free, held = (replay(games, USCHESS, {"matches": matches}, start=start).ratings for matches in ("no", "yes"))
    assert held["rating"].tolist() == [1500, 1500]
    assert free["rating"].tolist() != [1500, 1500]


# --- properties


@st.composite
def sections(draw: st.DrawFn) -> tuple[list[Entrant], list[Game]]:
    players = draw(st.lists(st.tuples(ratings, counts).map(lambda known: Entrant(*known)), min_size=3, max_size=6))
    numbers = st.integers(0, len(players) - 1)
    pairs = st.tuples(numbers, numbers).filter(lambda pair: pair[0] != pair[1])
    return players, [(*pair, score) for pair, score in draw(st.lists(st.tuples(pairs, scores), min_size=1, max_size=9))]


@settings(max_examples=50, deadline=None)
@given(sections(), st.randoms(use_true_random=False))
def test_neither_the_order_of_the_games_nor_the_side_that_is_named_first_counts(
    section: tuple[list[Entrant], list[Game]], random: Any
) -> None:
    players, games = section
    shuffled = [
        (one, other, score) if random.random() < 0.5 else (other, one, 1 - score) for one, other, score in games
    ]
    random.shuffle(shuffled)
    before, then = (rate_section(players, order) for order in (games, shuffled))
    assert [player.rating for player in then] == pytest.approx([player.rating for player in before], abs=1e-6)


@settings(max_examples=50, deadline=None)
@given(sections())
def test_no_rating_is_below_100_and_players_without_a_game_stay_as_they_were(
    section: tuple[list[Entrant], list[Game]],
) -> None:
    players, games = section
    found = rate_section(players, games)
    assert all(player.rating >= 100 for player in found)
    playing = {number for game in games for number in game[:2]}
    assert all(found[i][:5] == player[:5] for i, player in enumerate(players) if i not in playing)


@given(ratings, ratings)
def test_expected_scores_sum_to_one(rating: float, opponent: float) -> None:
    assert rules.expected(rating, opponent) + rules.expected(opponent, rating) == pytest.approx(1)


@pytest.mark.parametrize(("age", "start"), [(1, 100), (2, 100), (3, 150), (25.9, 1295), (26, 1300), (70, 1300)])
def test_a_start_value_by_age_lies_between_100_and_1300(age: float, start: float) -> None:
    assert rules.start_from_age(age) == start


@pytest.mark.parametrize(("fide", "start"), [(2000, 2060.4), (2000.01, 2060.0102)])
def test_the_conversion_of_fide_ratings_changes_above_2000(fide: float, start: float) -> None:
    """-1073 + 1.5667 F up to 2000, 20 + 1.02 F above."""
    assert rules.start_from_fide(fide) == pytest.approx(start)
