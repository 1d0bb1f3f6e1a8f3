"""`calc` and `rating-odds`: published numbers, and the same digits in the command, in Python and in a sheet."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest
from faces import NORMAL, PRECISION, document, in_sheets, published, refused, run

from elo_sheets.conformance.published import answers
from elo_sheets.errors import UsageError
from elo_sheets.odds.calculators import RULES, Calculation, calc, calc_record, odds_columns, odds_record, rating_odds
from elo_sheets.systems._tables import FIRST_DAYS

TODAY = datetime.date(2026, 11, 1)
BEFORE_2025_RULE = FIRST_DAYS["full_difference"] - datetime.timedelta(days=1)

GRID = [
    {"a": a, "b": b, "k": 20.0, "k_b": 32.0, "games": games, "rule": rule, "as_of": TODAY}
    for (a, b), rule, games in product(((1600, 1500), (1500, 2101), (2650, 2200), (2649.5, 2200)), RULES, (1, 40))
]


def changes(found: Calculation) -> dict[str, float]:
    return {result: pair.a.change for result, pair in found.outcomes.items()}


# --- published numbers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", published("elo-1"), ids=lambda answer: answer["id"])
def test_the_calculator_pages_print_these_numbers(answer: Mapping[str, Any]) -> None:
    inputs, expected, tolerance = answer["inputs"], answer["expected"], answer["tolerance"]
    if "a" not in inputs:
        pytest.skip("an answer about an event")
    found = calc(inputs["a"], inputs["b"], k=inputs["K"])
    assert changes(found) == pytest.approx({r: expected[r] for r in ("win", "draw", "loss")}, abs=tolerance)
    assert found.expected.a == pytest.approx(expected["E_a"], abs=tolerance)
    if "E_b" in expected:
        assert found.expected.b == pytest.approx(expected["E_b"], abs=tolerance)


@pytest.mark.parametrize("answer", published("fide-single"), ids=lambda answer: answer["id"])
@pytest.mark.parametrize(
    ("day", "rule"), [(BEFORE_2025_RULE, "change_plain_400_cap"), (TODAY, "change_2025_rule")], ids=["2025", "today"]
)
def test_fides_calculator_prints_these_changes(answer: Mapping[str, Any], day: datetime.date, rule: str) -> None:
    inputs = answer["inputs"]
    found = calc(inputs["own"], inputs["opponent"], k=inputs["K"], rule="fide-table", as_of=day)
    result = {1: "win", 0.5: "draw", 0: "loss"}[inputs["score"]]
    assert changes(found)[result] == pytest.approx(answer["expected"][rule], abs=answer["tolerance"])


@pytest.mark.parametrize("answer", published("fide-kn"), ids=lambda answer: answer["id"])
def test_k_times_games_is_700_at_most(answer: Mapping[str, Any]) -> None:
    found = calc(1500, 1500, k=answer["inputs"]["K"], games=answer["inputs"]["n"])
    assert found.k == (answer["expected"]["K_used"],) * 2


@pytest.mark.parametrize("answer", published("elo-odds"), ids=lambda answer: answer["id"])
def test_the_table_of_odds_is_the_printed_one(answer: Mapping[str, Any]) -> None:
    gap = answer["inputs"]["difference"]
    row = rating_odds(step=100)[gap // 100]
    assert row.difference == gap
    assert row.expected["logistic"] == pytest.approx(answer["expected"]["E_higher"], abs=answer["tolerance"])
    assert row.odds == pytest.approx(answer["expected"]["odds"], abs=answer["tolerance"])


def test_the_table_of_odds_holds_fides_table_whole() -> None:
    rows = {row.difference: row.fide for row in rating_odds(step=1, most=800)}
    for low, high, expected, _ in answers()["fide-table-8.1.2"]["expected"]:
        last = 800 if high is None else high
        assert {rows[float(gap)] for gap in range(low, last + 1)} == {expected}


# --- what the rules do ------------------------------------------------------------------------------------------------


def test_only_a_players_own_rating_lifts_the_cap_under_fide2650() -> None:
    found = calc(2700, 2200, rule="fide2650")
    assert (found.counted, found.capped) == ((500.0, -400.0), (False, True))


@pytest.mark.parametrize(("gap", "capped"), [(400, False), (400.5, True)])
def test_the_gap_rule_is_said_to_change_something_only_beyond_400_points(gap: float, capped: bool) -> None:
    assert calc(1500 + gap, 1500, rule="cap400").capped == (capped, capped)


def test_equal_k_gives_one_player_what_the_other_loses() -> None:
    for pair in calc(1730, 1512).outcomes.values():
        assert pair.a.change == pytest.approx(-pair.b.change, abs=1e-12)


def test_players_may_have_different_k() -> None:
    found = calc(1500, 1500, k=20, k_b=40).outcomes["win"]
    assert (found.a.new, found.b.new) == (1510.0, 1480.0)


def test_the_sentence_on_official_numbers_depends_on_the_rule() -> None:
    assert "rule fide-table" in calc(1500, 1500).why
    assert "rule fide-table" not in calc(1500, 1500, rule="fide-table").why


def test_odds_have_no_value_where_every_point_is_expected() -> None:
    assert [row.odds for row in rating_odds("linear", 200, 400)] == [1.0, pytest.approx(3), None]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rule": "cap"}, "expected a rule (none, cap400, fide2650, fide-table), got 'cap'; did you mean cap400?"),
        ({"k": -1}, "expected the K to be from 0 to 1e+06, got -1"),
        ({"k_b": float("nan")}, "expected the K of B to be a number, got nan"),
        ({"games": 1.5}, "expected a whole number of games, got 1.5"),
        ({"games": 0}, "expected the number of games to be from 1 to 1e+06, got 0"),
    ],
)
def test_what_cannot_be_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as refusal:
        calc(1500, 1500, **arguments)
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("rule", "b_expects"), [("none", 0), ("cap400", 1 / 11), ("fide2650", 1 / 11), ("fide-table", 0.08)]
)
def test_the_farthest_ratings_can_be_compared(rule: str, b_expects: float) -> None:
    assert calc(20000, -20000, rule=rule, as_of=TODAY).expected.b == pytest.approx(b_expects)


def test_a_table_without_end_is_refused() -> None:
    with pytest.raises(UsageError, match="expected a step above 0"):
        rating_odds(step=0)
    with pytest.raises(UsageError, match="at most 10000 rows"):
        rating_odds(step=0.001)


# --- three faces ------------------------------------------------------------------------------------------------------


def test_the_command_prints_the_numbers_of_the_function() -> None:
    for case in GRID:
        options = [f"--{name.replace('_', '-')}={value}" for name, value in case.items() if name not in "ab"]
        expected = calc_record(calc(**case))  # type: ignore[arg-type]
        assert document("calc", str(case["a"]), str(case["b"]), *options) == expected


@pytest.mark.parametrize("engine", ["ironcalc", pytest.param("libreoffice", marks=pytest.mark.libreoffice)])
def test_a_sheet_computes_the_digits_of_the_function(engine: str) -> None:
    found = [calc(**case) for case in GRID]  # type: ignore[arg-type]
    sheets = in_sheets([one.columns for one in found], engine)
    for one, cells in zip(found, sheets, strict=True):
        names = ("expected a", "expected b", "k_used a", "k_used b")
        wanted = dict(zip(names, (*one.expected, *one.k), strict=True))
        for result, pair in one.outcomes.items():
            for side, change in zip("ab", pair, strict=True):
                wanted |= {f"change {side} {result}": change.change, f"new {side} {result}": change.new}
        assert {name: cells[name] for name in wanted} == pytest.approx(wanted, rel=PRECISION[engine], abs=0)


@pytest.mark.parametrize("engine", ["ironcalc", pytest.param("libreoffice", marks=pytest.mark.libreoffice)])
def test_a_sheet_computes_the_table_of_odds(engine: str) -> None:
    rows = rating_odds(step=50)
    sheets = in_sheets([odds_columns(row.difference) for row in rows], engine)
    for row, cells in zip(rows, sheets, strict=True):
        wanted = {"fide": row.fide, "odds": row.odds, **row.expected}
        normal = wanted.pop("normal")
        assert cells["normal"] == pytest.approx(normal, abs=NORMAL)
        assert {name: cells[name] for name in wanted} == pytest.approx(wanted, rel=PRECISION[engine], abs=0)


# --- the commands -----------------------------------------------------------------------------------------------------


def test_calc_prints_a_table_and_marks_the_result() -> None:
    done = run("calc", "2700", "2200", "--rule", "fide2650", "--k", "10", "--result", "draw")
    assert done.stdout == (
        "A 2700, B 2200: K of A 10, K of B 10\n"
        "expected score: A 0.9468, B 0.0909\n"
        "\n"
        "A's result  A change    A new  B change    B new\n"
        "win            +0.53  2700.53     -0.91  2199.09\n"
        "draw <         -4.47  2695.53     +4.09  2204.09\n"
        "loss           -9.47  2690.53     +9.09  2209.09\n"
        "\n"
        "rule fide2650 changed the difference of 500: B counts 400\n"
        "An official number may differ: FIDE reads its table instead of a curve (rule fide-table), takes K from age, "
        "games and highest rating, and adds a month's games before it multiplies and rounds once.\n"
    )


def test_calc_says_when_k_was_cut() -> None:
    assert "K of A 19 (instead of 20: K times games is 700 at most)" in run("calc", "1", "2", "--games", "36").stdout


def test_calcs_json_has_every_outcome_and_the_one_asked_for() -> None:
    found = document("calc", "1600", "1500", "--result", "win")
    assert list(found["outcomes"]) == ["win", "draw", "loss"]
    assert found["selected"] == found["outcomes"]["win"]
    assert (found["schema"], found["rule"], found["result"]) == (1, "none", "win")


def test_calc_refuses_an_unknown_result_and_names_the_closest() -> None:
    message = refused("calc", "1600", "1500", "--result", "won")
    assert message == "expected the result to be win, draw, loss, got 'won'; did you mean win?"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("x", "1500"), "expected the rating of A to be a number, got 'x'"),
        (("1500", "nan"), "expected the rating of B to be a number, got 'nan'"),
        (("1500", "1e9"), "expected the rating of B to be from -20000 to 20000, got '1e9'"),
        (("1500", "1500", "--k", "-1"), "expected the K to be from 0 to 1e+06, got '-1'"),
        (("1500", "1500", "--as-of", "1.2.2026"), "expected a day such as 2026-01-31, got '1.2.2026'"),
    ],
)
def test_calc_refuses_what_is_no_number_or_day(arguments: tuple[str, ...], message: str) -> None:
    done = run("calc", *arguments)
    assert done.exit_code == 2
    assert message in done.stderr


def test_rating_odds_prints_text() -> None:
    assert run("rating-odds", "--step", "200", "--max", "400").stdout == (
        "difference  logistic  normal  linear  FIDE table  odds to one\n"
        "         0    0.5000  0.5000  0.5000        0.50       1.0000\n"
        "       200    0.7597  0.7580  0.7500        0.76       3.1623\n"
        "       400    0.9091  0.9192  1.0000        0.92      10.0000\n"
    )


def test_rating_odds_prints_csv_with_full_precision() -> None:
    lines = run("rating-odds", "--curve", "linear", "--step", "200", "--max", "400", "--format", "csv").stdout.split()
    assert lines == ["difference,linear,fide,odds", "0.0,0.5,0.5,1.0", "200.0,0.75,0.76,3.0", "400.0,1.0,0.92,"]


def test_rating_odds_prints_the_json_of_the_function() -> None:
    assert document("rating-odds", "--step", "10") == odds_record(rating_odds(step=10), 10, 800)


def test_rating_odds_refuses_an_unknown_format_and_curve() -> None:
    assert refused("rating-odds", "--format", "xml") == "expected the format to be text, csv, json, got 'xml'"
    assert refused("rating-odds", "--curve", "norm").endswith("got 'norm'; did you mean normal?")


@pytest.mark.parametrize("name", ["calc", "event", "goal", "rating-odds"])
def test_the_help_ends_with_examples(name: str) -> None:
    shown = run(name, "--help").stdout
    assert f"elo-sheets {name} " in shown[shown.index("Examples:") :]
