"""The compare template: every cell as the engines compute it, ratings and scores against plain arithmetic."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner
from list_cases import (
    CHESS,
    FOOTBALL,
    SAMPLES,
    cell,
    differences,
    log,
    repeated,
    shortened,
    table,
    with_cells,
)

from elo_sheets.cli import cli
from elo_sheets.errors import UsageError
from elo_sheets.files.package import read_book
from elo_sheets.systems import system
from elo_sheets.uses.prediction import compare
from elo_sheets.validate import validate
from elo_sheets.workbook.book import Book
from elo_sheets.workbook.build import blank_book, filled_book, plan_book, templates_of_games
from elo_sheets.workbook.plan import CellValue, Plan

SCORED = {"games": 3, "score": 4, "expected": 5, "log_loss": 6, "brier_score": 7, "accuracy": 8}
FIRST_SCORE = 7


def book(
    name: str, games: pd.DataFrame | None, rows: int, systems: str = "", settings: Mapping[str, object] | None = None
) -> Book:
    """A book with that many rows of Games, which is fewer than a template gives: quick to compute."""
    options = {"systems": systems} if systems else {}
    if games is None:
        return blank_book("compare", system(name), settings or {}, rows, options=options)
    return shortened(filled_book("compare", system(name), settings or {}, games, options=options), rows)


def score(plan: Plan, place: int, measure: str) -> CellValue:
    """A measure of a system on the sheet Scores; the first system has the place 0."""
    return cell(plan, "Scores", FIRST_SCORE + place, SCORED[measure])


# --- every cell -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "systems", "source"),
    [
        ("elo", "", FOOTBALL),
        ("fide", "elo,ecf,dwz", CHESS),
        ("glicko", "tennis,egf", CHESS),
        ("ingo", "ecf-grade,fifa", CHESS),
        ("world-football", "elo", FOOTBALL),
        ("trueskill", "elo", FOOTBALL),
        ("elo", "glicko2,lichess", FOOTBALL),
    ],
)
def test_every_cell_of_a_book_of_forty_games_is_what_the_core_says(
    name: str, systems: str, source: str, tmp_path: Path
) -> None:
    plan = plan_book(with_cells(book(name, log(source).head(40), 44, systems), {"burn in": 2.0}))
    assert float(score(plan, 0, "games") or 0) > 10
    assert differences(plan, tmp_path / "b.xlsx", "ironcalc") == []


@pytest.mark.libreoffice
def test_libreoffice_computes_the_same(tmp_path: Path) -> None:
    plan = plan_book(book("elo", log(), 150))
    assert differences(plan, tmp_path / "b.xlsx", "libreoffice") == []


@pytest.mark.libreoffice
def test_a_forecast_that_is_certain_has_a_loss_in_libreoffice(tmp_path: Path) -> None:
    """Ingo's line reaches a score of 1, and one minus the largest forecast is nothing to LibreOffice."""
    made = book("ingo", log().head(40), 44)
    starts = [300.0 if i % 2 else 50.0 for i in range(made.inputs.rows("Players"))]
    tables = {**made.inputs.tables, "Players": {**made.inputs.tables["Players"], "Start rating": starts}}
    certain = dataclasses.replace(made, inputs=dataclasses.replace(made.inputs, tables=tables))
    plan = plan_book(with_cells(certain, {"burn in": 0.0}))
    assert {0.0, 1.0} <= {row["ingo expected"] for row in table(plan, "Predictions")}
    assert differences(plan, tmp_path / "b.xlsx", "libreoffice") == []


def test_two_thousand_games_agree(tmp_path: Path) -> None:
    plan = plan_book(book("elo", repeated(2000), 2020, "glicko"))
    assert differences(plan, tmp_path / "b.xlsx", "ironcalc") == []


def test_a_blank_book_shows_nothing_and_no_error(tmp_path: Path) -> None:
    plan = plan_book(book("elo", None, 30))
    assert differences(plan, tmp_path / "b.xlsx", "ironcalc") == []
    assert {value for row in table(plan, "Compare") for value in row.values()} <= {"", None}
    assert {row[f"Rating {k}"] for row in table(plan, "Sparks") for k in range(1, 16)} == {""}
    assert [score(plan, place, "log_loss") for place in range(3)] == ["", "", ""]
    assert cell(plan, "Scores", 4, 3) == 5  # the games that both must have played, as in a filled book
    assert cell(plan, "Check", 2, 1) == "All checks are green"


@pytest.mark.parametrize("name", ["elo", "ingo"])
def test_the_small_lines_are_the_last_ratings_under_the_first_system(name: str) -> None:
    plan = plan_book(book(name, log(), 150, "glicko"))
    after: dict[CellValue, list[CellValue]] = {}
    for row in table(plan, "Ledger"):
        if row["Status"] == "rated":
            after.setdefault(row["Player"], []).append(row["Rating after"])
    lines, shown = table(plan, "Sparks"), [row for row in table(plan, "Compare") if row["Player"] != ""]
    assert len(shown) == 23
    for line, row in zip(lines, shown, strict=False):
        played = after[row["Player"]]
        assert [line[f"Rating {k}"] for k in range(1, 16)] == ([played[0]] * 15 + played)[-15:]
        assert line["Rating 15"] == row[name]
    marks = plan.sheet("Compare").sparklines
    assert (marks[0].range, len(marks)) == ("Sparks!$Q$5:$AE$5", len(lines))
    headers = [column.label for column in plan.sheet("Sparks").tables[0].columns]
    assert (headers[16], headers[30]) == ("Rating 1", "Rating 15")  # columns Q and AE


def test_a_game_without_a_date_counts_for_no_system_when_one_cannot_rate_it(tmp_path: Path) -> None:
    made = book("elo", log().head(40), 44)
    games = {label: list(values) for label, values in made.inputs.tables["Games"].items()}
    games["Date"][30] = None
    games["Result"][12] = "2-0"
    tables = {**made.inputs.tables, "Games": games}
    made = dataclasses.replace(made, inputs=dataclasses.replace(made.inputs, tables=tables))
    plan = plan_book(with_cells(made, {"burn in": None}))
    assert differences(plan, tmp_path / "b.xlsx", "ironcalc") == []
    assert score(plan, 0, "games") == 38
    assert table(plan, "Predictions")[30]["Counted"] == 0
    rows = [one for one in plan.sheet("Check").cells if one.column == 1 and one.row > 4]
    lines = {one.value: cell(plan, "Check", one.row, 2) for one in rows}
    assert next(v for k, v in lines.items() if str(k).startswith("Rated games that a further")) == 2


# --- ratings and scores from elsewhere ---------------------------------------------------------------------------


def test_scores_and_ratings_are_those_of_the_command_that_compares_systems() -> None:
    names = ("elo", "glicko", "fide")
    wanted = compare(log(), [(system(name), {}) for name in names])
    plan = plan_book(book("elo", log(), 150))
    rows = {str(row["Player"]): row for row in table(plan, "Compare") if row["Player"] != ""}
    for place, one in enumerate(wanted.systems):
        assert score(plan, place, "games") == wanted.scored
        for measure in ("log_loss", "brier_score", "accuracy"):
            assert score(plan, place, measure) == pytest.approx(getattr(one, measure), abs=1e-9)
        assert {name: rows[name][one.system] for name in rows} == pytest.approx(dict(one.ratings), abs=1e-9)
        order = sorted(rows, key=lambda name: float(rows[name][f"{one.system} rank"] or 0))
        ratings = [float(rows[name][one.system] or 0) for name in order]
        assert all(before >= after - 0.001 for before, after in pairwise(ratings))


def test_the_log_loss_of_elo_is_what_plain_arithmetic_gives() -> None:
    rating: dict[str, float] = {}
    played: dict[str, int] = {}
    losses, squares, expectations = [], [], []
    for white, black, points in zip(log()["white"], log()["black"], log()["score"], strict=True):
        own, other = rating.get(white, 1500.0), rating.get(black, 1500.0)
        expected = 1 / (1 + 10 ** ((other - own) / 400))
        if min(played.get(white, 0), played.get(black, 0)) >= 3:
            losses.append(-(points * math.log(expected) + (1 - points) * math.log(1 - expected)))
            squares.append((points - expected) ** 2)
            expectations.append(expected)
        rating[white], rating[black] = own + 20 * (points - expected), other - 20 * (points - expected)
        for name in (white, black):
            played[name] = played.get(name, 0) + 1
    plan = plan_book(with_cells(book("elo", log(), 150), {"burn in": 3.0}))
    assert score(plan, 0, "games") == len(losses)
    assert score(plan, 0, "log_loss") == pytest.approx(sum(losses) / len(losses), abs=1e-12)
    assert score(plan, 0, "brier_score") == pytest.approx(sum(squares) / len(squares), abs=1e-12)
    assert score(plan, 0, "expected") == pytest.approx(sum(expectations) / len(expectations), abs=1e-12)


def test_a_typed_start_rating_is_that_of_every_system_and_the_chart_follows_one_player(tmp_path: Path) -> None:
    made = book("elo", log().head(40), 44)
    players = {label: list(values) for label, values in made.inputs.tables["Players"].items()}
    players["Start rating"][0] = 1777.0
    tables = {**made.inputs.tables, "Players": players}
    made = dataclasses.replace(made, inputs=dataclasses.replace(made.inputs, tables=tables))
    name = str(players["Player"][0])
    plan = plan_book(with_cells(made, {"chosen 1": name}))
    assert differences(plan, tmp_path / "b.xlsx", "ironcalc") == []
    for ledger in ("Ledger", "Ledger_glicko", "Ledger_fide"):
        assert next(row["Rating"] for row in table(plan, ledger) if row["Player"] == name) == 1777.0
    last = {row["Player"]: row for row in table(plan, "Compare")}[name]
    for one in ("elo", "glicko", "fide"):
        assert table(plan, "Curves")[-1][one] == pytest.approx(float(last[one] or 0), abs=1e-9)
    nobody = plan_book(with_cells(made, {"chosen 1": None}))
    assert differences(nobody, tmp_path / "n.xlsx", "ironcalc") == []


# --- how it is made ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "systems", "says"),
    [
        ("elo", "elo", "compared with itself"),
        ("elo", "glicko,fide,ecf,dwz", "4 systems at most"),
        ("elo", "world-football", "needs White points, Black points of a game: make the book with it first"),
        ("elo", "edo", "edo"),
    ],
)
def test_systems_that_cannot_be_compared_are_refused(name: str, systems: str, says: str) -> None:
    with pytest.raises(UsageError, match=re.escape(says)):
        plan_book(book(name, None, 30, systems))


def test_the_settings_of_further_systems_stand_on_a_sheet_of_their_own() -> None:
    plan = plan_book(book("elo", None, 30, "fide"))
    assert plan.names["K_factor"].startswith("Start!")
    assert plan.names["fide_Initial_rating"].startswith("Systems!")
    assert not any(one.is_input for one in plan.sheet("Systems").cells)


@pytest.mark.parametrize("asked", [("--system", "glicko", "--system", "elo"), ("--system", "glicko,elo")])
def test_import_takes_the_systems_one_by_one_or_together(asked: tuple[str, ...], tmp_path: Path) -> None:
    target = tmp_path / "both.xlsx"
    arguments = ["import", str(SAMPLES / FOOTBALL), "-o", str(target), "--template", "compare", *asked]
    done = CliRunner().invoke(cli, [*arguments, "--set", "initial_rd=300"])
    assert done.exit_code == 0, done.output
    names = read_book(target).tables
    assert {name for name in names if name.startswith("Ledger")} == {"Ledger", "Ledger_elo"}
    verdict = validate(target)
    assert (verdict.status, verdict.system) == ("agrees", "glicko")


def test_new_takes_the_systems_too_and_other_templates_hold_one(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["new", "compare", "-o", str(tmp_path / "a.xlsx"), "--system", "elo,ecf,tennis"])
    assert done.exit_code == 0, done.output
    assert {"Ledger_ecf", "Ledger_tennis"} <= set(read_book(tmp_path / "a.xlsx").tables)
    done = CliRunner().invoke(cli, ["new", "league", "-o", str(tmp_path / "b.xlsx"), "--system", "elo,ecf"])
    assert isinstance(done.exception, UsageError)
    assert "template league holds one rating system, got elo, ecf; the template compare" in str(done.exception)


def test_the_help_of_import_names_every_template_that_holds_games() -> None:
    shown = " ".join(CliRunner().invoke(cli, ["import", "--help"]).output.split())
    assert f"--template NAME {', '.join(templates_of_games())}, table. Unless given:" in shown


def test_rows_that_nobody_moves_read_their_own_game_and_no_whole_column_of_a_ledger() -> None:
    plan = plan_book(blank_book("compare", system("elo"), {}, 12))
    tables = {table.name: table for sheet in plan.sheets for table in sheet.tables}
    for name in ("Predictions", "Lines"):
        texts = [text for c in tables[name].columns if c.fill.formula for text in c.fill.formulas(5)]
        assert texts
        assert not any("[Status]" in text or "[Rated no.]" in text for text in texts)
    second = [text for c in tables["Predictions"].columns if c.fill.formula for text in c.fill.formulas(5)][1]
    assert re.fullmatch(r'IF\(Ledger!\$[A-Z]+8="rated",Ledger!\$[A-Z]+7,""\)', second)
