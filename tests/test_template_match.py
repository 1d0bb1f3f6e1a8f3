"""The template match: published odds come out of the sheets, at the edges too, and empty sheets stay empty."""

from __future__ import annotations

from math import comb
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from panel_cases import ENGINES, Computed, computed, emptied, named, new_book, typed

from elo_sheets.cli import cli
from elo_sheets.errors import UsageError
from elo_sheets.odds.forecast import match_forecast, material_difference
from elo_sheets.odds.match import Format
from elo_sheets.validate import validate
from elo_sheets.workbook.build import plan_book
from elo_sheets.workbook.match.tennis_go import RANKS

TOLERANCE = 1e-9

NO_SCORES = dict.fromkeys(("Best_A", "Best_B", "Games_A", "Games_B"))
EDGES: dict[str, dict[str, Any]] = {
    "new": {},
    "winners": {"Match_typed": 0.6, "Tennis_match": 0.648},
    "over ratings": {"Duel_rating_A": 1600.0, "Duel_rating_B": 1500.0, "Duel_draws": None},
    "all that overrides": {
        "Duel_typed": 0.75,
        "Match_typed": 0.6,
        "Curves_typed": 1200.0,
        "Tennis_match": 0.648,
        "Tennis_set": 0.7,
        "Go_rating_A": 2100.0,
        "Go_rating_B": 2050.5,
    },
    "text for numbers": {
        "Match_typed": "60 per cent",
        "Games_n": "six",
        "Curves_typed": "x",
        "Tennis_match": "?",
        "Tennis_set": 0.6,
        "Go_rating_A": "high",
    },
    "equal ratings": {
        **NO_SCORES,
        "Duel_rating_A": 2000.0,
        "Duel_rating_B": 2000.0,
        "Duel_first": "A",
        "Match_typed": None,
        "Best_n": 1.0,
        "By_margin": 1.0,
        "First_target": 1.0,
        "First_margin": None,
        "Games_n": 1.0,
        "Tennis_match": 0.5,
    },
    "difference 800": {
        "Duel_rating_A": 2800.0,
        "Duel_rating_B": 2000.0,
        "Duel_first": "b",
        "Match_typed": None,
        "Games_n": 20.0,
        "By_A": 1.0,
        "First_A": 24.0,
        "First_B": 24.0,
        "Tennis_A": 1.0,
        "Tennis_match": 1.0,
    },
    "expected score": {
        "Duel_draws": None,
        "Duel_typed": 0.75,
        "Duel_rating_A": None,
        "Duel_rating_B": None,
        "Match_typed": None,
        "First_A": 26.0,
        "First_B": 25.0,
        "By_B": 2.0,
        "Best_A": 3.0,
        "Tennis_match": 0.0,
        "Tennis_B": 2.0,
    },
    "share of draws": {
        "Duel_draws": "share",
        "Duel_share": 0.3,
        "Duel_curve": "normal",
        "Duel_pawns": -1.0,
        "Match_typed": 0.5,
        "First_A": 25.0,
        "First_B": 3.0,
        "Tennis_match": None,
        "Tennis_rating_A": 1900.0,
        "Tennis_rating_B": 1700.0,
    },
    "more draws than there is room for": {
        "Duel_draws": "share",
        "Duel_share": 0.9,
        "Duel_curve": "logistic",
        "Duel_pawns": 2.0,
        "Tennis_set": 0.7,
        "Match_typed": 0.999,
        "First_target": 4.0,
        "First_A": 3.0,
        "First_B": 4.0,
    },
    "zero games": {
        "Best_n": 0.0,
        "First_target": 0.0,
        "By_margin": 0.0,
        "Games_n": 0.0,
        "Tennis_best": 0.0,
        "Go_rank_A": "9q",
        "Aga_rating_A": 0.5,
        "Match_typed": 0.0,
    },
    "not understood": {
        "Duel_draws": "maybe",
        "Best_A": 1.5,
        "First_A": 27.0,
        "First_B": 24.0,
        "By_A": 5.0,
        "Games_A": 6.5,
        "Tennis_match": 1.2,
        "Go_rating_A": 3300.0,
        "Curves_typed": 1200.0,
    },
    "labelle without ratings": {"Duel_rating_B": None, "Duel_typed": 0.4, "Best_A": -1.0, "Games_A": 0.25},
    "long": {
        "Duel_typed": 0.4,
        "Duel_draw_pawns": 0.0,
        "Duel_move_pawns": 0.0,
        "Best_n": 99.0,
        "First_target": 100.0,
        "By_margin": 20.0,
        "By_A": 5.0,
        "Match_typed": 0.03,
        "Go_rating_A": 2940.0,
        "Go_rating_B": -900.0,
    },
}


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def edges(engine: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Computed]:
    book = new_book("match")
    books = [typed(book, cells) for cells in EDGES.values()] + [emptied(book), new_book("match", "fide")]
    folder = tmp_path_factory.mktemp("edges")
    return dict(zip([*EDGES, "empty", "fide"], computed(books, engine, folder), strict=True))


@pytest.mark.parametrize("name", [*EDGES, "empty", "fide"])
def test_every_formula_gives_what_the_plan_says(edges: dict[str, Computed], name: str, engine: str) -> None:
    assert edges[name].off(TOLERANCE) == []


def test_an_empty_book_shows_what_to_type_and_no_results(edges: dict[str, Computed]) -> None:
    found = edges["empty"]
    assert found["Duel_status"] == "Type both ratings, or an expected score"
    for sheet in ("Game", "Match", "Tennis", "Go"):
        shown = {
            cell.name: found[cell.name]
            for cell in found.plan.sheet(sheet).cells
            if cell.formula is not None
            and not cell.name.endswith(("_status", "_used", "_instead", "Duel_win_pawns", "Duel_first_pawns"))
        }
        assert set(shown.values()) == {""}, shown


# --- published numbers ------------------------------------------------------------------------------------------------


def test_labelle_s_example_comes_out(edges: dict[str, Computed]) -> None:
    found = edges["new"]
    odds = [found[f"Duel_{part}"] for part in ("win", "draw", "loss")]
    assert odds == pytest.approx([0.029872, 0.1017684, 0.868359], abs=5e-7)
    assert found["Duel_pawn"] == pytest.approx(229.843, abs=5e-4)


def test_matches_of_winners_give_the_known_odds(edges: dict[str, Computed]) -> None:
    found = edges["winners"]
    assert found["Best_win"] == pytest.approx(0.84)  # 0.6 + 0.4 * 0.6, two games ahead by one
    assert found["By_win"] == pytest.approx(0.36 / 0.52)
    assert found.column("Effect", "A wins")[:3] == pytest.approx([0.6, 0.648, 0.68256])
    assert found.column("Effect", "Ratio")[:4] == pytest.approx([1.0, 1.5, 1.875, 2.1875])
    below = sum(comb(24 + i, i) * 0.6**25 * 0.4**i for i in range(24))
    level = comb(48, 24) * (0.6 * 0.4) ** 24
    assert found["First_win"] == pytest.approx(below + level * 0.36 / 0.52)


def test_a_set_of_tennis_and_five_sets_follow_from_three(edges: dict[str, Computed]) -> None:
    found = edges["winners"]
    assert (found["Tennis_set_A"], found["Tennis_five_A"]) == (pytest.approx(0.6), pytest.approx(0.68256))


def test_ranks_of_go_on_the_scale_of_elo(edges: dict[str, Computed]) -> None:
    found = edges["new"]
    assert found["Go_difference"] == pytest.approx(97.3, abs=0.05)
    assert found["Go_win"] == pytest.approx(1 / (1 + (1200 / 1300) ** 7))
    assert found["Aga_difference"] == pytest.approx(270.75, abs=0.005)
    before = dict(zip(RANKS, found.column("Ranks", "before 2021"), strict=True))
    assert (before["20k"], before["7d"]) == (pytest.approx(86.9, abs=0.05), pytest.approx(248.2, abs=0.05))


# --- cells that override ----------------------------------------------------------------------------------------------

OVERRIDING = ("Duel_typed", "Match_typed", "Curves_typed", "Tennis_match", "Tennis_set", "Go_rating_A", "Go_rating_B")


def test_no_cell_that_overrides_another_is_filled_in_a_new_book(edges: dict[str, Computed]) -> None:
    cells = {cell.name: cell for sheet in edges["new"].plan.sheets for cell in sheet.cells if cell.name}
    assert {cells[name].value for name in OVERRIDING} == {None}
    remarks = {name: edges["new"][name] for name in cells if name.endswith("_instead")}
    assert len(remarks) == len(OVERRIDING) - 1  # both ratings of Go share one
    assert all(said.startswith("empty: ") for said in remarks.values()), remarks


def test_ratings_that_are_typed_reach_the_match(edges: dict[str, Computed]) -> None:
    """100 points are 64 per cent, from 2-1 two games are left to win one; 200 points over three sets are five."""
    p = 1 / (1 + 10 ** (-100 / 400))
    assert edges["over ratings"]["Best_win"] == pytest.approx(1 - (1 - p) ** 2)
    assert round(edges["over ratings"]["Best_win"], 4) == 0.8704
    assert round(edges["new"]["Tennis_win"], 4) == 0.8110  # 1700 against 1500


def test_a_filled_cell_says_which_figure_it_overrides(edges: dict[str, Computed]) -> None:
    found = edges["all that overrides"]
    assert {
        name: found[f"{name}_instead"] for name in ("Duel", "Match", "Curves", "Tennis_match", "Tennis_set", "Go")
    } == {
        "Duel": "replaces a difference of -400",
        "Match": "replaces 75 % of Game",
        "Curves": "replaces 2200 of Game",
        "Tennis_match": "not used: a set is typed",
        "Tennis_set": "replaces 64.8 % above",
        "Go": "replaces 1d and 1k",
    }
    assert edges["winners"]["Tennis_match_instead"] == "replaces 75.97 % by ratings"


def test_text_in_a_cell_for_a_number_is_named_and_not_passed_over(edges: dict[str, Computed]) -> None:
    found = edges["text for numbers"]
    assert {name: found[f"{name}_status"] for name in ("Match", "Games", "Tennis", "Go")} == {
        "Match": "Chance of A instead: a number, no text",
        "Games": "Type the number of games",
        "Tennis": "Chance of best of three: a number, no text",
        "Go": "Rating instead: a number, no text",
    }
    assert found["Curves_instead"] == "no number: not used"


# --- the same as the calculator ---------------------------------------------------------------------------------------


def odds_of(shown: dict[str, Any], begin: str) -> list[float]:
    return [shown[f"{begin}_{part}"] for part in ("win", "draw", "loss")]


@pytest.mark.parametrize("first", [None, "A", "B"])
def test_a_match_of_so_many_games_is_what_match_forecast_says(first: str | None) -> None:
    shown = named("match", {"Duel_rating_A": 2500.0, "Duel_rating_B": 2450.0, "Duel_first": first})
    asked = None if first is None else first.lower()
    form = Format(games=6, score=(2.5, 1.5))
    match = match_forecast(2500, 2450, form, draws="labelle", first=asked)
    game = match_forecast(2500, 2450, draws="labelle", first=asked)
    assert odds_of(shown, "Games") == pytest.approx(match.odds)
    assert odds_of(shown, "Duel") == pytest.approx(game.odds)


def test_best_of_and_first_to_are_what_match_forecast_says() -> None:
    cells = {"Duel_rating_A": 1600.0, "Duel_rating_B": 1500.0, "Duel_draws": None}
    cells |= {"First_A": 20.0, "First_B": 23.0, "By_margin": 3.0, "By_A": 1.0}
    shown = named("match", cells)
    for begin, form in (
        ("Best", Format(best_of=5, score=(2, 1))),
        ("First", Format(first_to=25, win_by=2, score=(20, 23))),
        ("By", Format(win_by=3, score=(1, 0))),
    ):
        want = match_forecast(1600, 1500, form)
        assert (shown[f"{begin}_win"], shown[f"{begin}_loss"]) == pytest.approx((want.odds.win, want.odds.loss))
    best = match_forecast(1600, 1500, Format(best_of=5, score=(2, 1)))
    assert shown["Best_points"] == pytest.approx(best.match_difference)


def test_a_share_of_draws_is_what_match_forecast_says() -> None:
    shown = named("match", {"Duel_rating_A": 1700.0, "Duel_rating_B": 1500.0, "Duel_draws": "share", "Duel_share": 0.3})
    assert odds_of(shown, "Duel") == pytest.approx(match_forecast(1700, 1500, draws=0.3).odds)


def test_pawns_count_as_points_of_the_difference() -> None:
    shown = named("match", {"Duel_pawns": 0.6})
    assert shown["Duel_difference"] == pytest.approx(material_difference(2000, 2400, 0.6))


# --- the book ---------------------------------------------------------------------------------------------------------


def test_new_makes_a_book_that_validates(tmp_path: Path) -> None:
    book = tmp_path / "x.xlsx"
    done = CliRunner().invoke(cli, ["new", "match", "-o", str(book)])
    assert done.exit_code == 0, done.output
    verdict = validate(book)
    assert (verdict.status, verdict.findings) == ("agrees", ())


def test_import_into_it_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("white,black,result\nPlayer 1,Player 2,1-0\n", encoding="utf-8")
    done = CliRunner().invoke(cli, ["import", str(log), "--template", "match", "-o", str(tmp_path / "x.xlsx")])
    assert isinstance(done.exception, UsageError)
    assert "new match" in str(done.exception)


def test_settings_without_a_cell_are_refused() -> None:
    with pytest.raises(UsageError, match="it reads curve"):
        new_book("match", k=30)
    with pytest.raises(UsageError, match="not linear"):
        new_book("match", curve="linear")


def test_the_curve_of_the_system_stands_in_a_new_book() -> None:
    assert new_book("match", curve="normal").inputs.cells["Duel_curve"] == "normal"
    assert new_book("match", "fide").inputs.cells["Duel_curve"] == "normal"


def test_every_input_says_what_may_be_typed() -> None:
    for sheet in plan_book(new_book("match")).sheets:
        inputs = [cell for cell in sheet.cells if cell.is_input]
        assert all(cell.validation is not None and cell.validation.error for cell in inputs), sheet.name
