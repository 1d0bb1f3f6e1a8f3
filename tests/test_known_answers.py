"""Published answers that are a whole journal, replayed; every answer is asked of the rules in test_conformance.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import pytest

from elo_sheets.conformance.published import answers
from elo_sheets.games import make_games
from elo_sheets.replaying.replay import replay
from elo_sheets.systems import system
from elo_sheets.systems.fide import change

DECEMBER_2025 = date(2025, 11, 15)  # the games of that list were played in October and November
OFFICIAL = [name for name in answers() if name.startswith("fide-official-")]


def journal_of(opponents: Sequence[float], scores: Sequence[float], day: date) -> Any:
    return make_games(
        {
            "date": day.isoformat(),
            "white": "Own",
            "black": f"Opponent {number}",
            "score": score,
            "black_rating": opponent,
            "source": "published",
            "source_row": number,
        }
        for number, (opponent, score) in enumerate(zip(opponents, scores, strict=True), 1)
    )


def replayed(event: Mapping[str, Any], rating: float) -> Any:
    """The history of one event of a published period, rated from the list that it used."""
    opponents, scores = ([game[name] for game in event["games"]] for name in ("opponent", "score"))
    settings = {"initial": rating, "initial_games": 30}
    return replay(journal_of(opponents, scores, DECEMBER_2025), system("fide"), settings, player="Own")


def test_the_replay_of_a_journal_gives_the_published_list_of_december_2025() -> None:
    inputs, expected = (answers()["fide-period-2053"][part] for part in ("inputs", "expected"))
    (event,) = inputs["events"]
    history, ratings = replayed(event, inputs["list_rating"])
    last = history.iloc[-1]
    assert (last["period_games"], last["k_used"]) == (expected["n"], expected["K"])
    assert last["period_delta"] == pytest.approx(sum(expected["sum_delta"]), abs=1e-9)
    assert last["change"] == expected["rounded"]
    assert ratings["rating"].tolist() == [expected["new"]]


@pytest.mark.parametrize("name", ["fide-period-2400", "fide-period-2505"])
def test_each_event_of_a_published_period_is_rated_from_its_own_list_and_the_sum_rounded_once(name: str) -> None:
    inputs, expected = (answers()[name][part] for part in ("inputs", "expected"))
    sums = [replayed(event, event["rating_used"]).history["period_delta"].iloc[-1] for event in inputs["events"]]
    assert sums == pytest.approx(expected["sum_delta"], abs=1e-9)
    assert change(inputs["K"], sum(sums)) == expected["rounded"]


def test_the_one_list_that_departs_from_the_rule_shows_the_sum_of_rounded_events() -> None:
    answer = answers()["fide-period-2400"]
    assert "the published list shows 2406" in answer["note"]
    events = [change(answer["inputs"]["K"], total) for total in answer["expected"]["sum_delta"]]
    assert events == [-6, 4, 8]
    assert answer["inputs"]["list_rating"] + sum(events) == 2406


def test_wins_against_players_736_points_below_count_nothing_for_a_player_of_2800() -> None:
    inputs = answers()["fide-2800-11wins"]["inputs"]
    games = journal_of([inputs["opponent"]] * inputs["n"], [inputs["score"]] * inputs["n"], DECEMBER_2025)
    history, _ = replay(games, system("fide"), {"initial": inputs["own"]}, player="Own")
    assert history["k_used"].unique().tolist() == [inputs["K"]]
    assert history["change"].iloc[-1] == answers()["fide-2800-11wins"]["expected"]["rounded"]


@pytest.mark.parametrize("name", OFFICIAL)
def test_an_official_calculation_of_2008_to_2010_is_replayed_by_the_rules_of_its_date(name: str) -> None:
    inputs, expected = (answers()[name][part] for part in ("inputs", "expected"))
    games = journal_of(inputs["opponents"], inputs["scores"], date(2010, 1, 31))
    settings = {"initial": inputs["rating"], "initial_games": 30, "rules": "dated"}
    last = replay(games, system("fide"), settings, player="Own").history.iloc[-1]
    assert last["k_used"] == inputs["K"]
    assert sum(inputs["scores"]) - last["period_delta"] == pytest.approx(expected["We"], abs=1e-9)
    assert last["k_used"] * last["period_delta"] == pytest.approx(expected["change"], abs=1e-9)


def test_every_known_answer_names_its_source() -> None:
    assert [name for name, answer in answers().items() if not answer["source"]] == []
