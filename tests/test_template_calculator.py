"""The template calculator: published numbers come out of the sheets, at the edges too, and empty sheets stay empty."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from panel_cases import ENGINES, Computed, alike, computed, emptied, named, new_book, typed

from elo_sheets.cli import cli
from elo_sheets.conformance.published import answers
from elo_sheets.errors import UsageError
from elo_sheets.odds.calculators import calc, rating_odds
from elo_sheets.odds.event import parse_result, rate_event
from elo_sheets.odds.goal import goal_odds
from elo_sheets.odds.performance import exact_performance
from elo_sheets.systems._tables import FIRST_DAYS
from elo_sheets.validate import validate
from elo_sheets.workbook.build import plan_book
from elo_sheets.workbook.write import write_book

TOLERANCE = 1e-9
AS_OF = FIRST_DAYS["full_difference"]

# The six rows of the best-known Excel guide, as they should read: own, opponent, score, K, change.
GUIDE = [
    (1500, 1500, "win", 16, 8.0, 1e-9),
    (1500, 1500, "draw", 16, 0.0, 1e-9),
    (1800, 1600, "win", 16, 3.84, 0.005),
    (1600, 1800, "win", 16, 12.16, 0.005),
    (2000, 1200, "loss", 16, -15.84, 0.005),
    (1400, 1500, "draw", 40, 5.60, 0.005),
]
WIN, DRAW, LOSS = "Win", "Draw", "Loss"
LONG = [(1400.0 + 20 * i, (WIN, DRAW, LOSS, WIN)[i % 4]) for i in range(20)]
WORDS = {1.0: WIN, 0.5: DRAW, 0.0: LOSS}
# What is pasted from anywhere: the player's own points, numbers and texts, pairs with his own first, letters, words.
SPELLED: list[Any] = [1.0, 0.5, 0.0, "1", "0,5", "½", "0", "1-0", "0:1", "½-½", "1/2–1/2", "=", "W", "d", "L", "won"]
SPELLED += ["Remis", " 1 - 0 ", "lost", "0.5-0.5"]
EDGES: dict[str, tuple[dict[str, Any], list[tuple[Any, Any]] | None]] = {
    "new": ({}, None),
    "equal ratings": (
        {"Game_rating_A": 1500.0, "Game_rating_B": 1500.0, "Game_K_B": 32.0, "Game_games": 40.0, "Odds_share": 0.5},
        None,
    ),
    "difference 800": ({"Game_rating_A": 2650.0, "Game_rating_B": 1850.0, "Game_rule": "FIDE2650"}, None),
    "capped": ({"Game_rating_A": 2649.5, "Game_rating_B": 1849.5, "Game_rule": "cap400", "Odds_share": 1.0}, None),
    "by the table": ({"Game_rating_A": 2700.0, "Game_rating_B": 1900.0, "Game_rule": "fide-table"}, None),
    "all or nothing": (
        {"Performance_score": 9.0, "Goal_wanted": 2600.0, "Goal_target": 9000.0, "Event_rule": "none"},
        [(1400.0, WIN)],
    ),
    "one game": ({"Performance_games": 1.0, "Performance_score": 0.5, "Goal_games": 1.0, "Goal_target": 1400.0}, None),
    "a long event": ({"Event_K": 40.0, "Event_rating": 1500.0, "Event_rule": "cap400"}, LONG),
    "unfinished rows": ({}, [(1400.0, WIN), (None, DRAW), ("x", LOSS), (1500.0, None), (None, None), (1600.0, "won")]),
    "every spelling": ({}, [(1500.0 + 10 * i, text) for i, text in enumerate(SPELLED)]),
    "the same in words": (
        {},
        [(1500.0 + 10 * i, WORDS[parse_result(text)]) for i, text in enumerate(SPELLED)],
    ),
    "a slip": ({}, [(1500.0, "W"), (1600.0, "wni")]),
    "no goals": ({}, [(1500.0, "W"), (1600.0, "3-1")]),
    "a day": ({}, [(1500.0, "W"), (1600.0, 45292.0)]),
    "a forfeit": ({}, [(1500.0, "W"), (1600.0, "+/-")]),
    "no number": ({}, [(1500.0, "W"), ("1600 (K)", "D")]),
    "zero games": (
        {"Game_games": 0.0, "Performance_games": 0.0, "Goal_games": 0.0, "Uschess_event": 0.0, "Dwz_games": 0.0},
        [],
    ),
    "not understood": (
        {
            "Game_rating_A": "x",
            "Game_rule": "what",
            "Event_K": "y",
            "Goal_K": 0.0,
            "Odds_step": 0.0,
            "Fide_rating": None,
        },
        None,
    ),
    "young and new": (
        {
            "Fide_games": 0.0,
            "Fide_age": None,
            "Dwz_rating": 1200.0,
            "Dwz_age": 12.0,
            "Dwz_score": 1.0,
            "Uschess_games": 0.0,
        },
        None,
    ),
}


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def edges(engine: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Computed]:
    book = new_book("calculator")
    books = [typed(book, cells, games) for cells, games in EDGES.values()] + [
        emptied(book),
        new_book("calculator", "fide"),
    ]
    names = [*EDGES, "empty", "fide"]
    return dict(zip(names, computed(books, engine, tmp_path_factory.mktemp("edges")), strict=True))


@pytest.mark.parametrize("name", [*EDGES, "empty", "fide"])
def test_every_formula_gives_what_the_plan_says(edges: dict[str, Computed], name: str, engine: str) -> None:
    assert edges[name].off(TOLERANCE) == []


def test_an_empty_book_shows_what_to_type_and_no_results(edges: dict[str, Computed]) -> None:
    found = edges["empty"]
    assert found["Game_status"] == "Type the rating of A"
    for sheet in ("One game", "Event", "Performance", "Rating needed"):
        shown = {
            cell.name: found[cell.name]
            for cell in found.plan.sheet(sheet).cells
            if cell.formula is not None and not cell.name.endswith(("_status", "_used", "_instead"))
        }
        assert set(shown.values()) == {""}, shown


def test_a_new_book_shows_the_page_s_own_example(edges: dict[str, Computed]) -> None:
    found = edges["new"]
    assert found["Game_expected_A"] == pytest.approx(0.6401, abs=5e-5)
    changes = [found[f"Game_A_{result}"] for result in ("win", "draw", "loss")]
    assert changes == pytest.approx([7.2, -2.8, -12.8], abs=0.05)


# --- results as they are pasted ---------------------------------------------------------------------------------------


def test_results_are_understood_in_every_spelling_of_the_readers(edges: dict[str, Computed]) -> None:
    found, words = edges["every spelling"], edges["the same in words"]
    assert found.column("Event", "Status") == ["rated"] * 20
    assert found.column("Event", "Score") == [parse_result(text) for text in SPELLED]
    assert [found[name] for name in ("Event_status", "Event_new")] == ["ready", words["Event_new"]]
    assert found["Event_score"] == 10.5


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a slip", "no result: write Win"),
        ("no goals", "no result: write Win"),
        ("a day", "no result: write Win"),
        ("no number", "no rating: a number"),
    ],
)
def test_a_row_that_is_not_understood_stops_the_total(name: str, said: str, edges: dict[str, Computed]) -> None:
    found = edges[name]
    assert found.column("Event", "Status")[:2] == ["rated", said]
    assert found["Event_status"] == "A row in red is not understood"
    assert [found[f"Event_{figure}"] for figure in ("games", "score", "change", "new", "average")] == [""] * 5


def test_a_forfeit_is_not_played_and_does_not_count(edges: dict[str, Computed]) -> None:
    found = edges["a forfeit"]
    assert found.column("Event", "Status")[:2] == ["rated", "not played: forfeit"]
    assert (found["Event_status"], found["Event_games"]) == ("ready", 1)


def test_the_drop_down_offers_three_words_and_refuses_none(tmp_path: Path) -> None:
    plan = plan_book(new_book("calculator"))
    column = next(c for t in plan.sheet("Event").tables for c in t.columns if c.label == "Result")
    assert column.validation is not None
    assert (column.validation.items, column.validation.open) == (("Win", "Draw", "Loss"), True)
    write_book(plan, tmp_path / "x.xlsx")
    with zipfile.ZipFile(tmp_path / "x.xlsx") as package:
        sheet = next(
            text
            for text in map(package.read, package.namelist())
            if b"dataValidation" in text and b"Your result" in text
        ).decode()
    rule = next(text for text in re.findall("<dataValidation .*?>", sheet) if "Your result" in text)
    assert "showErrorMessage" not in rule


def test_words_for_a_side_say_nothing_of_the_player(tmp_path: Path) -> None:
    for text in ("white", "Home", "b", "h", "a"):
        shown = named("calculator", {}, [(1500.0, "W"), (1600.0, text)])
        assert shown["Event_status"] == "A row in red is not understood"


# --- published numbers ------------------------------------------------------------------------------------------------


def test_single_games_give_the_published_changes(engine: str, tmp_path: Path) -> None:
    book = new_book("calculator")
    pages = [a for name, a in answers().items() if name.startswith("elo-1") and "a" in a["inputs"]]
    games = [(a["inputs"]["a"], a["inputs"]["b"], a["inputs"]["K"]) for a in pages] + [
        (own, other, k) for own, other, _, k, _, _ in GUIDE
    ]
    assert (1500, 1650) in [game[:2] for game in games]
    books = [
        typed(book, {"Game_rating_A": float(a), "Game_rating_B": float(b), "Game_K_A": float(k)}) for a, b, k in games
    ]
    done = computed(books, engine, tmp_path)
    for answer, found in zip(pages, done, strict=False):
        for result in ("win", "draw", "loss"):
            assert found[f"Game_A_{result}"] == pytest.approx(answer["expected"][result], abs=answer["tolerance"])
    for (_, _, result, _, change, tolerance), found in zip(GUIDE, done[len(pages) :], strict=True):
        assert found[f"Game_A_{result}"] == pytest.approx(change, abs=tolerance)


def test_the_published_period_of_2053_comes_out(edges: dict[str, Computed]) -> None:
    found = edges["new"]
    assert (found["Event_rounded"], found["Event_new"]) == (0, 2053)
    assert found["Event_delta"] == pytest.approx(-0.01)
    assert (found["Event_K"] or 20) == 20


@pytest.mark.parametrize(
    ("peak", "rating", "age", "games", "k"),
    [
        (None, 2399.0, 30.0, 100.0, 20),
        (None, 2400.0, 15.0, 0.0, 10),
        (2400.0, 2100.0, None, None, 10),
        (None, 2299.0, 18.0, 500.0, 40),
        (None, 2299.0, 19.0, 500.0, 20),
        (2300.0, 2290.0, 17.0, 500.0, 20),
        (None, 1500.0, 40.0, 29.0, 40),
        (None, 1500.0, 40.0, 30.0, 20),
    ],
)
def test_the_k_of_fide_by_its_rule(
    peak: float | None, rating: float, age: float | None, games: float | None, k: int
) -> None:
    cells = {"Fide_peak": peak, "Fide_rating": rating, "Fide_age": age, "Fide_games": games}
    plan = plan_book(typed(new_book("calculator"), cells))
    shown = {cell.name: cell.value for cell in plan.sheet("K-factor").cells}
    assert shown["Fide_K"] == k
    assert f"K = {k} " in str(shown["Fide_sentence"])


# --- the same as the calculators --------------------------------------------------------------------------------------


def test_one_game_is_what_calc_says() -> None:
    for name, rule in (("equal ratings", "none"), ("difference 800", "fide2650"), ("by the table", "fide-table")):
        cells, _ = EDGES[name]
        shown = named("calculator", cells)
        want = calc(
            cells["Game_rating_A"],
            cells["Game_rating_B"],
            k_b=cells.get("Game_K_B"),
            games=int(cells.get("Game_games", 1)),
            rule=rule,
            as_of=AS_OF,
        )
        assert (shown["Game_expected_A"], shown["Game_expected_B"]) == tuple(want.expected)
        for result, pair in want.outcomes.items():
            assert (shown[f"Game_A_{result}"], shown[f"Game_A_after_{result}"]) == tuple(pair.a)
            assert (shown[f"Game_B_{result}"], shown[f"Game_B_after_{result}"]) == tuple(pair.b)


def test_an_event_is_what_rate_event_says() -> None:
    opponents, results = [rating for rating, _ in LONG], [result for _, result in LONG]
    shown = named("calculator", {"Event_rating": 1500.0, "Event_K": 40.0, "Event_rule": "cap400"}, LONG)
    assert shown["Event_K_used"] == 35  # 40 times 20 games are more than 700
    want = rate_event(1500, opponents, results, k=35, settings={"gap_rule": "cap400"})
    assert shown["Event_expected"] == pytest.approx(want.expected, abs=1e-12)
    assert shown["Event_change"] == pytest.approx(want.change, abs=1e-9)
    assert shown["Event_rounded"] == want.rounded_change
    performance = (want.performance.table, want.performance.linear, want.performance.exact)
    assert [shown[f"Event_performance_{name}"] for name in ("table", "linear", "exact")] == pytest.approx(performance)
    by_table = named("calculator", {"Event_rating": 1500.0, "Event_K": 40.0, "Event_rule": "fide-table"}, LONG)
    want = rate_event(1500, opponents, results, system="fide", k=40, as_of=AS_OF)
    assert (by_table["Event_rounded"], by_table["Event_new"]) == (want.rounded_change, want.new)


def test_the_rating_needed_is_what_goal_says() -> None:
    shown = named("calculator", {"Goal_wanted": 1700.0})
    want = goal_odds(1500, 1520, games=5, average=1550)
    assert (shown["Goal_score"], shown["Goal_half"]) == (pytest.approx(want.score_needed), want.half_points_needed)
    assert shown["Goal_performance"] == pytest.approx(want.performance_needed)
    assert (shown["Goal_possible"], shown["Goal_wanted_score"]) == ("yes", 4.0)


def test_performance_and_odds_are_those_of_the_calculators(edges: dict[str, Computed]) -> None:
    found = edges["new"]
    assert found["Performance_logistic"] == pytest.approx(exact_performance([2400] * 9, 6.5))
    assert found["Performance_normal"] == pytest.approx(exact_performance([2400] * 9, 6.5, "normal"))
    rows = rating_odds()
    for label, name in (("Logistic", "logistic"), ("Normal", "normal"), ("Linear", "linear")):
        assert found.column("OddsTable", label) == pytest.approx([row.expected[name] for row in rows])
    assert found.column("OddsTable", "FIDE table") == pytest.approx([row.fide for row in rows])
    assert found.column("OddsTable", "Odds to 1") == pytest.approx([row.odds for row in rows])


# --- the book ---------------------------------------------------------------------------------------------------------


def test_new_makes_a_book_that_validates(tmp_path: Path) -> None:
    book = tmp_path / "x.xlsx"
    done = CliRunner().invoke(cli, ["new", "calculator", "-o", str(book), "--set", "k=32"])
    assert done.exit_code == 0, done.output
    verdict = validate(book)
    assert (verdict.status, verdict.findings) == ("agrees", ())


def test_import_into_it_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("white,black,result\nPlayer 1,Player 2,1-0\n", encoding="utf-8")
    done = CliRunner().invoke(cli, ["import", str(log), "--template", "calculator", "-o", str(tmp_path / "x.xlsx")])
    assert isinstance(done.exception, UsageError)
    assert "new calculator" in str(done.exception)


def test_a_setting_that_no_cell_reads_is_refused() -> None:
    with pytest.raises(UsageError, match="it reads k, gap_rule"):
        new_book("calculator", scale=500)


def test_settings_stand_in_the_cells_of_a_new_book() -> None:
    cells = new_book("calculator", k=32, gap_rule="cap400").inputs.cells
    assert (cells["Game_K_A"], cells["Event_K"], cells["Game_rule"], cells["Event_rule"]) == (
        32,
        32,
        "cap400",
        "cap400",
    )


def test_every_input_says_what_may_be_typed() -> None:
    for sheet in plan_book(new_book("calculator")).sheets:
        inputs = [cell for cell in sheet.cells if cell.is_input]
        assert all(cell.validation is not None and cell.validation.error for cell in inputs), sheet.name


def test_a_changed_cell_is_seen() -> None:
    assert not alike(1.0, 1.0000001, TOLERANCE)
    assert not alike("ready", "", TOLERANCE)
