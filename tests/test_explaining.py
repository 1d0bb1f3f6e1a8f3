"""The bank statement of a rating: every number of it is a replay's, every formula computes the value beside it."""

from __future__ import annotations

import itertools
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

from elo_sheets.cli import cli
from elo_sheets.errors import UsageError
from elo_sheets.games import make_games
from elo_sheets.replaying.replay import replay
from elo_sheets.systems import SYSTEMS, System, system
from elo_sheets.testing import sample_log
from elo_sheets.uses.explaining import Explained, explain, plain

STEPS = [name for name, rules in SYSTEMS.items() if isinstance(rules, System)]


def log(*games: tuple[Any, ...]) -> pd.DataFrame:
    """A log of games given as day, white, black, White's score and Black's published rating."""
    names = ("date", "white", "black", "score", "black_rating")
    return make_games(
        {**dict(zip(names, game, strict=False)), "source": "club.csv", "source_row": row}
        for row, game in enumerate(games, 2)
    )


def named(steps: Any) -> dict[str, Explained]:
    return {step.name: step for step in steps}


@pytest.mark.parametrize("name", STEPS)
def test_a_statement_begins_where_the_last_one_ended_and_ends_in_the_final_rating(name: str) -> None:
    games = sample_log(3)
    entries = explain(games, "Player 1", system(name))
    for before, after in itertools.pairwise(entries):
        assert before.after == after.before
    ratings = replay(games, system(name)).ratings.set_index("player")["rating"]
    assert entries[-1].after["rating"] == ratings["Player 1"]
    assert sum(len(entry.games) for entry in entries) == ((games[["white", "black"]] == "Player 1").sum().sum())


def test_the_published_win_of_1600_over_1500_is_explained_step_by_step() -> None:
    games = log(("2026-01-05", "Own", "Other", 1, 1500))
    (entry,) = explain(games, "Own", system("elo"), {"initial": 1600}, published=True)
    steps = named(entry.games[0].steps)
    assert steps["expected"].value == pytest.approx(0.64, abs=5e-4)
    assert steps["change"].value == pytest.approx(7.2, abs=5e-2)
    assert steps["difference"].filled == "MAX(-1000000,MIN(1000000,1600-1500))"
    assert steps["expected"].formula == "1/(1+10^(-difference/scale))"
    assert steps["expected"].filled == "1/(1+10^(-100/400))"
    assert entry.games[0].inputs == {"opponent_rating": 1500}


def test_it_says_why_k_is_what_it_is() -> None:
    games = log(("2026-01-05", "Own", "Other", 1, 2000))
    (entry,) = explain(games, "Own", system("fide"), {"initial": 2390, "initial_peak": 2405}, published=True)
    k = named(entry.closing)["k"]
    assert k.value == 10
    assert k.because == "published_peak (2405)>=2400: yes"
    (entry,) = explain(games, "Own", system("fide"), {"initial": 2000, "initial_games": 30}, published=True)
    k = named(entry.closing)["k"]
    assert k.value == 20
    assert k.because == (
        "published_peak (2000)>=2400: no; OR(AND(age (99)<=18,published_peak (2000)<2300),games (30)<30): no"
    )


def test_the_games_of_a_month_are_one_entry() -> None:
    games = log(*[(f"2026-0{month}-05", "Own", f"Other {i}", 1, 2000) for month in (1, 2) for i in range(3)])
    entries = explain(games, "Own", system("fide"), {"initial": 2000}, published=True)
    assert [len(entry.games) for entry in entries] == [3, 3]
    assert entries[0].sums["period_games"] == 3
    assert entries[1].games[0].date == "2026-02-05"


def test_events_that_overlap_are_entries_of_their_own_in_the_order_in_which_they_end() -> None:
    games = log(*[(f"2026-01-0{day}", "Own", "Other", score) for day, score in enumerate((1, 1, 0, 1), 1)])
    games["event"] = ["A", "B", "A", "B"]
    first, second = explain(games, "Own", system("elo"), {"period": "event"})
    assert [[game.game for game in entry.games] for entry in (first, second)] == [[1, 3], [2, 4]]
    assert (first.after["rating"], second.before["rating"], second.after["rating"]) == (1500, 1500, 1520)


def test_an_iteration_shows_its_result_and_its_rounds() -> None:
    entry = explain(sample_log(1), "Player 1", system("glicko2"))[-1]
    steps = named(entry.closing)
    assert steps["x"].formula == "the last of 4 rounds"
    assert abs(steps["f"].value) < 1e-12


def test_a_negative_number_is_bracketed_in_a_filled_formula() -> None:
    games = log(("2026-01-05", "Own", "Other", 0, 1500))
    (entry,) = explain(games, "Own", system("elo"), published=True)
    assert named(entry.closing)["rating_after"].filled == "1500+(-10)"


def test_a_player_who_is_not_there_is_named_with_those_who_are_like_him() -> None:
    with pytest.raises(UsageError, match=r"no game of 'Owm' in the log; did you mean Own\?"):
        explain(log(("2026-01-05", "Own", "Other", 1)), "Owm", system("elo"))


@pytest.mark.parametrize("name", sorted(set(SYSTEMS) - set(STEPS)))
def test_what_rates_many_games_at_once_has_no_statement(name: str) -> None:
    with pytest.raises(UsageError, match="rates many games at once"):
        explain(sample_log(1), "Player 1", system(name))


@pytest.mark.parametrize(
    ("value", "text"), [(1500.0, "1500"), (0.5, "0.5"), (-0.0, "0"), (1 / 3, "0.333333"), (1e-9, "0"), (-2.5, "-2.5")]
)
def test_numbers_are_written_as_a_person_would(value: float, text: str) -> None:
    assert plain(value) == text


def test_the_statement_of_a_month_shows_days_and_tables_and_each_formula_once() -> None:
    games = b"2026-01-05,Ann,2000,Bob,1900,1-0\n2026-01-06,Ann,2000,Cid,1800,1-0\n"
    log = b"date,white,white rating,black,black rating,result\n" + games
    done = CliRunner().invoke(cli, ["explain", "Ann", "-", "--system", "fide"], input=log)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert "    Favourite expects: 0.64 = FideTable[Higher] at ROUND(ABS(100),0)   [" in done.stdout
    assert sum("[higher_expected = " in line for line in lines) == 1
    assert "  Age: not known, so that of a grown-up counts" in lines
    assert "    Opponent rating 1900" in lines
    assert "date (2026-01-05)>=full_difference_from (2025-10-01)" not in done.stdout  # nobody is rated so high
    high = log.replace(b"2000", b"2700")
    told = CliRunner().invoke(cli, ["explain", "Ann", "-", "--system", "fide"], input=high).stdout
    assert "date (2026-01-05)>=full_difference_from (2025-10-01): yes" in told
