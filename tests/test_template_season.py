"""The season template: every cell agrees with the engines, and the table, the odds and the ratings with the outside."""

from __future__ import annotations

import dataclasses
import json
import re
from importlib.resources import files
from math import erfc, sqrt
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from workbook_cases import serial, type_into, without_results

from elo_sheets.engines.recalculate import recalculate
from elo_sheets.files.cells import Value
from elo_sheets.files.lint import lint
from elo_sheets.files.references import cell_name, column_letters, column_number
from elo_sheets.odds.match import Odds
from elo_sheets.readers import read
from elo_sheets.replaying.starting import Starts
from elo_sheets.systems import System, system
from elo_sheets.uses.differing import diff
from elo_sheets.uses.importing import import_logs
from elo_sheets.uses.season_runs import expected_now, prepare
from elo_sheets.uses.simulation import simulate
from elo_sheets.uses.updating import update
from elo_sheets.validate import validate
from elo_sheets.validate.judge import same
from elo_sheets.workbook.book import MANIFEST, Book, Inputs
from elo_sheets.workbook.build import blank_book, filled_book, plan_book
from elo_sheets.workbook.plan import CellPlan, Plan, TablePlan
from elo_sheets.workbook.season.view import SeasonView
from elo_sheets.workbook.templates import template
from elo_sheets.workbook.write import write_book

SAMPLES = Path(__file__).parents[1] / "samples"
FOOTBALL, NFL = "internationals_1900s.csv", "nfl_1920.csv"
TOLERANCE = 1e-9
# Every form of the rule that the books below hold: system, log, settings.
FORMS: dict[str, tuple[str, str, dict[str, object]]] = {
    "world-football": ("world-football", FOOTBALL, {"shootout_score": 0.75}),
    "elo": ("elo", FOOTBALL, {}),
    "elo with edge, margins and seasons": (
        "elo",
        NFL,
        {"advantage": 48, "margin_rule": "nfl", "carry_over": 0.6, "curve": "normal"},
    ),
    "fifa": ("fifa", FOOTBALL, {}),
    "nfl": ("nfl", NFL, {}),
    "nba": ("nba", NFL, {}),
}


ANSWERS = json.loads(files("elo_sheets.conformance").joinpath("answers.json").read_text(encoding="utf-8"))
NFL_GAMES = [a for a in ANSWERS if a["system"] == "nfl-538" and "home_points" in a["inputs"]]


# --- the books ----------------------------------------------------------------------------------------------


def games(log: str, count: int, played: int | None = None) -> pd.DataFrame:
    table = read([SAMPLES / log]).games.head(count)
    return table.assign(to_play=[i >= (count if played is None else played) for i in range(len(table))])


def shortened(book: Book, rows: int, teams: int = 40) -> Book:
    """The book with fewer empty rows, so that an engine is soon done with it."""
    inputs = book.inputs
    sizes = {"Fixtures": rows, "Teams": teams}
    tables = {
        name: {label: list(values)[: sizes[name]] for label, values in table.items()}
        for name, table in inputs.tables.items()
    }
    return dataclasses.replace(book, inputs=Inputs(tables, inputs.cells, {"Ledger": 2 * rows}))


def with_cells(book: Book, **cells: Value) -> Book:
    inputs = dataclasses.replace(book.inputs, cells={**book.inputs.cells, **cells})
    return dataclasses.replace(book, inputs=inputs)


def half_played(form: str = "world-football", count: int = 40, played: int = 25) -> Book:
    name, log, settings = FORMS[form]
    return shortened(filled_book("season", system(name), settings, games(log, count, played)), count + 5)


def two_teams(
    name: str, ratings: tuple[float, float], goals: tuple[float, float] | None, neutral: bool, **settings: object
) -> Book:
    """A book of one game between two teams that start from these ratings; it is still to be played without goals."""
    book = blank_book("season", system(name), settings, 2)
    teams: dict[str, Any] = {label: list(values) for label, values in book.inputs.tables["Teams"].items()}
    teams["Team"][:2], teams["Start rating"][:2] = ["Home Team", "Away Team"], list(ratings)
    fixtures: dict[str, Any] = {label: list(values) for label, values in book.inputs.tables["Fixtures"].items()}
    fixtures["Home"][0], fixtures["Away"][0] = "Home Team", "Away Team"
    what = "points" if "Home points" in fixtures else "goals"
    if goals is not None:
        fixtures[f"Home {what}"][0], fixtures[f"Away {what}"][0] = goals
    if neutral and "Neutral" in fixtures:
        fixtures["Neutral"][0] = "yes"
    return dataclasses.replace(
        book, inputs=dataclasses.replace(book.inputs, tables={"Teams": teams, "Fixtures": fixtures})
    )


# --- judging ------------------------------------------------------------------------------------------------


def differing(plan: Plan, path: Path, engine: str = "ironcalc") -> list[tuple[object, ...]]:
    """Write the book, have an engine compute it anew, and return the cells that are not as planned."""
    write_book(plan, path, overwrite=True)
    values = recalculate(path, engine, timeout=900).values
    off: list[tuple[object, ...]] = []
    for cell in plan.formulas():
        found = values[cell.sheet].get((cell.row, cell.column))
        if not same(cell.value, found, TOLERANCE):
            off.append((cell.sheet, cell_name(cell.row, cell.column), cell.label, cell.value, found, cell.formula))
    return off


def table_of(plan: Plan, name: str) -> TablePlan:
    return next(table for sheet in plan.sheets for table in sheet.tables if table.name == name)


def rows_of(plan: Plan, name: str, key: str) -> dict[str, dict[str, Any]]:
    """The rows of a table by the text in a column."""
    columns = {column.label: column.fill.values for column in table_of(plan, name).columns}
    return {
        str(value): {label: values[i] for label, values in columns.items()}
        for i, value in enumerate(columns[key])
        if value
    }


def cell_of(plan: Plan, sheet: str, row: int, column: int) -> CellPlan:
    return next(cell for cell in plan.sheet(sheet).cells if (cell.row, cell.column) == (row, column))


def computed(plan: Plan, path: Path, table: str, label: str, row: int = 0) -> Value:
    """What ironcalc computes for a cell of a table."""
    write_book(plan, path, overwrite=True)
    found = table_of(plan, table)
    at = [column.label for column in found.columns].index(label)
    sheet = next(sheet.name for sheet in plan.sheets if found in sheet.tables)
    return recalculate(path, "ironcalc").values[sheet][found.first_data_row + row, found.first_column + at]


# --- every cell ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_every_cell_of_a_half_played_season_is_what_the_engine_computes(form: str, tmp_path: Path) -> None:
    assert differing(plan_book(half_played(form)), tmp_path / "half.xlsx") == []


@pytest.mark.parametrize("form", FORMS)
def test_every_cell_of_a_blank_season_is_what_the_engine_computes(form: str, tmp_path: Path) -> None:
    name, _, settings = FORMS[form]
    assert differing(plan_book(blank_book("season", system(name), settings, 20)), tmp_path / "blank.xlsx") == []


@pytest.mark.parametrize("model", ["labelle", "share", "none"])
def test_every_cell_follows_the_draw_model_that_is_chosen(model: str, tmp_path: Path) -> None:
    book = with_cells(half_played(), draw_model=model, draw_share=0.28, next=7.0, win_points=2.0)
    assert differing(plan_book(book), tmp_path / "draws.xlsx") == []


def test_every_cell_of_a_finished_season_is_what_the_engine_computes(tmp_path: Path) -> None:
    book = filled_book("season", system("nfl"), {}, games(NFL, 90))
    assert differing(plan_book(book), tmp_path / "full.xlsx") == []


def test_every_cell_is_right_where_fixtures_have_no_day_and_teams_that_rest_are_hidden(tmp_path: Path) -> None:
    book = half_played()
    days = [day if i < 25 or i % 2 else None for i, day in enumerate(book.inputs.tables["Fixtures"]["Date"])]
    tables = {**book.inputs.tables, "Fixtures": {**book.inputs.tables["Fixtures"], "Date": days}}
    odd = dataclasses.replace(book, inputs=dataclasses.replace(book.inputs, tables=tables))
    late = with_cells(odd, since=serial("1902-01-01"), hide_after=100.0, provisional=1.0)
    plan = plan_book(late)
    assert differing(plan, tmp_path / "odd.xlsx") == []
    forecast = [row["Date"] for row in rows_of(plan, "Forecast", "No.").values()]
    assert forecast == [*sorted(day for day in forecast if day), *[""] * forecast.count("")]
    marks = {row["Mark"] for row in rows_of(plan, "Teams", "Team").values()}
    assert marks == {"", "provisional", "inactive"}


def test_a_fixture_of_the_next_season_begins_from_the_rating_that_is_left(tmp_path: Path) -> None:
    """FiveThirtyEight's program: 2/3 of 1600 and 1/3 of 1505 are 1568.33."""
    answer = next(a for a in ANSWERS if a["id"] == "nfl-carry-over")
    book = two_teams("nfl", (answer["inputs"]["rating"], 1505.0), (7.0, 3.0), True, k=0)
    fixtures = {label: list(values) for label, values in book.inputs.tables["Fixtures"].items()}
    for side, other in (("Home", "Away"), ("Away", "Home")):
        fixtures[side][1] = fixtures[other][0]
    fixtures["Season"][:2] = [2019.0, 2020.0]
    fixtures["Neutral"][1] = "yes"
    tables = {**book.inputs.tables, "Fixtures": fixtures}
    plan = plan_book(dataclasses.replace(book, inputs=dataclasses.replace(book.inputs, tables=tables)))
    assert differing(plan, tmp_path / "next.xlsx") == []
    outlook = {column.label: column.fill.values[1] for column in table_of(plan, "Outlook").columns}
    assert outlook["Away season start"] == pytest.approx(answer["expected"]["new"], abs=answer["tolerance"])
    assert outlook["Home season start"] == pytest.approx(1505)
    assert outlook["Expected"] == pytest.approx(1 / (1 + 10 ** (63.333333 / 400)), abs=1e-6)
    for name in ("Fixtures", "Forecast"):
        listed = {column.label: column.fill.values for column in table_of(plan, name).columns}
        at = 1 if name == "Fixtures" else 0
        assert listed["Away rating"][at] == pytest.approx(answer["expected"]["new"], abs=answer["tolerance"])
        assert listed["Home rating"][at] == pytest.approx(1505)


def test_old_games_have_no_row_on_outlook_until_a_result_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check says so at once, and `update` gives it a row; the sums of Table are those of a book with a row for each."""
    everything = plan_book(half_played(count=80, played=70))
    monkeypatch.setattr("elo_sheets.workbook.season.outlook.RECENT", 8)
    book = half_played(count=80, played=70)
    plan = plan_book(book)
    assert (table_of(everything, "Outlook").rows, table_of(plan, "Outlook").rows) == (85, 65)
    for name in ("Fixtures", "LeagueTable", "Forecast"):
        shown, whole = ([column.fill.values for column in table_of(one, name).columns] for one in (plan, everything))
        if name == "Forecast":  # which says the row of Outlook last but one
            shown, whole = shown[:-2], whole[:-2]
        assert shown == whole, name
    path, back = tmp_path / "old.xlsx", tmp_path / "back.xlsx"
    assert differing(plan, path) == []
    fixtures = table_of(plan, "Fixtures")
    first, labels = fixtures.first_data_row, [column.label for column in fixtures.columns]
    cells = {cell_name(first + 3, labels.index(f"{side} goals") + 1): None for side in ("Home", "Away")}
    type_into(path, tmp_path / "typed.xlsx", {"Fixtures": cells})
    without_results(tmp_path / "typed.xlsx", back)
    row = next(c.row for c in plan.sheet("Check").cells if str(c.value).startswith("Fixtures to play that Outlook"))
    assert [recalculate(book, "ironcalc").values["Check"][row, 2] for book in (path, back)] == [0, 1]
    update(back)
    values = recalculate(back, "ironcalc").values
    assert (values["Check"][row, 2], values["Outlook"][8, 2]) == (0, 1)


@pytest.mark.libreoffice
@pytest.mark.parametrize("form", ["world-football", "elo with edge, margins and seasons"])
def test_libreoffice_computes_the_same(form: str, tmp_path: Path) -> None:
    book = with_cells(half_played(form), draw_model="labelle")
    assert differing(plan_book(book), tmp_path / "half.xlsx", "libreoffice") == []


def test_every_cell_of_two_thousand_games_is_what_the_engine_computes(tmp_path: Path) -> None:
    log = games(FOOTBALL, 138)
    years = [log.assign(date=log["date"] + pd.DateOffset(years=10 * i)) for i in range(15)]
    long = pd.concat(years, ignore_index=True).head(2000)
    long["to_play"] = [i >= 1900 for i in range(2000)]
    assert differing(plan_book(filled_book("season", system("world-football"), {}, long)), tmp_path / "l.xlsx") == []


# --- numbers from outside -----------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", NFL_GAMES, ids=lambda answer: answer["id"])
def test_a_game_of_the_nfl_comes_out_as_fivethirtyeight_published_it(answer: dict[str, Any], tmp_path: Path) -> None:
    given, want = answer["inputs"], answer["expected"]
    ratings = (given["home"], given["away"])
    played = two_teams("nfl", ratings, (given["home_points"], given["away_points"]), given["neutral"])
    ahead = two_teams("nfl", ratings, None, given["neutral"])
    plan = plan_book(played)
    near = answer["tolerance"]
    chance = computed(plan_book(ahead), tmp_path / "ahead.xlsx", "Forecast", "Expected")
    assert chance == pytest.approx(want["p_home"], abs=near)
    for label, key in (("Home after", "home_new"), ("Away after", "away_new")):
        if key in want:
            assert computed(plan, tmp_path / "played.xlsx", "Fixtures", label) == pytest.approx(want[key], abs=near)


CHART = next(a for a in ANSWERS if a["id"] == "wfe-expectancy")


@pytest.mark.parametrize(
    ("difference", "chance"), list(zip(CHART["inputs"]["difference"], CHART["expected"], strict=True))
)
def test_a_fixture_has_the_expectancy_of_the_chart_of_eloratings(difference: float, chance: float) -> None:
    """The chart's difference includes the 100 points of the home team."""
    plan = plan_book(two_teams("world-football", (1500 + difference - 100, 1500), None, False))
    assert rows_of(plan, "Forecast", "Home")["Home Team"]["Expected"] == pytest.approx(chance, abs=CHART["tolerance"])


def test_goals_raise_k_as_eloratings_says() -> None:
    answer = next(a for a in ANSWERS if a["id"] == "wfe-k")
    for margin, k in zip(answer["inputs"]["goal_difference"], answer["expected"], strict=True):
        plan = plan_book(two_teams("world-football", (1500, 1500), (margin, 0), True, k=60))
        assert table_of(plan, "Ledger").columns[
            [column.label for column in table_of(plan, "Ledger").columns].index("K with goals")
        ].fill.values[0] == pytest.approx(k)


def test_labelles_draws_are_those_of_his_page(tmp_path: Path) -> None:
    """2000 against 2400: .029872 wins and .1017684 draws, by the normal curve."""
    book = with_cells(two_teams("elo", (2000, 2400), None, True, curve="normal"), draw_model="labelle")
    plan, path = plan_book(book), tmp_path / "draws.xlsx"
    assert computed(plan, path, "Forecast", "Draw") == pytest.approx(0.1017684, abs=5e-8)
    assert computed(plan, path, "Forecast", "Home win") == pytest.approx(0.029872, abs=5e-7)
    assert computed(plan, path, "Forecast", "Away win") == pytest.approx(0.868359, abs=1e-6)


def test_the_even_curve_is_the_normal_one_of_fide() -> None:
    plan = plan_book(two_teams("elo", (1600, 1500), None, True, curve="normal"))
    want = erfc(-100 / (2000 / 7) / sqrt(2)) / 2
    assert rows_of(plan, "Forecast", "Home")["Home Team"]["Expected"] == pytest.approx(want, abs=1e-12)


# --- the table, by arithmetic of its own --------------------------------------------------------------------


def counted_by_hand(log: pd.DataFrame, win: float, draw: float) -> dict[str, dict[str, float]]:
    """Played, won, drawn, lost, goals and points of every team, from the log's goals."""
    table: dict[str, dict[str, float]] = {}
    for game in log[~log["to_play"]].itertuples():
        for own, other, scored, let in (
            (game.white, game.black, game.white_points, game.black_points),
            (game.black, game.white, game.black_points, game.white_points),
        ):
            assert isinstance(scored, (int, float))
            assert isinstance(let, (int, float))
            row = table.setdefault(str(own), dict.fromkeys(("P", "W", "D", "L", "For", "Against", "Points"), 0.0))
            row["P"] += 1
            row["W"] += scored > let
            row["D"] += scored == let
            row["L"] += scored < let
            row["For"] += scored
            row["Against"] += let
            row["Points"] += win if scored > let else draw if scored == let else 0
            assert str(other)
    return table


@pytest.mark.parametrize("win", [2.0, 3.0])
def test_the_table_counts_as_by_hand(win: float) -> None:
    log = games(FOOTBALL, 60, 45)
    book = with_cells(shortened(filled_book("season", system("world-football"), {}, log), 65), win_points=win)
    shown = rows_of(plan_book(book), "LeagueTable", "Team")
    by_hand = counted_by_hand(log, win, 1.0)
    for team, want in by_hand.items():
        assert {label: shown[team][label] for label in want} == want, team
    order = sorted(by_hand, key=lambda t: (-by_hand[t]["Points"], by_hand[t]["Against"] - by_hand[t]["For"]))
    assert [by_hand[team]["Points"] for team in shown if team in by_hand] == [by_hand[t]["Points"] for t in order]


def test_the_first_of_the_table_is_in_the_lead_whoever_is_rated_highest() -> None:
    log = games(FOOTBALL, 40)
    plan = plan_book(with_cells(filled_book("season", system("elo"), {}, log), win_points=3.0))
    by_hand = counted_by_hand(log, 3.0, 1.0)
    (first, most), (second, more) = sorted(by_hand.items(), key=lambda one: -one[1]["Points"])[:2]
    rated = max(rows_of(plan, "Teams", "Team").items(), key=lambda one: one[1]["Rating"] if one[0] else 0.0)[0]
    assert first != rated
    assert cell_of(plan, "Start", 4, 3).value == first
    ahead = most["Points"] - more["Points"]
    gap = f"{ahead:g} ahead of" if ahead else "level with"
    said = f"with {most['Points']:g} points from {most['P']:g} played, {gap} {second}"
    assert cell_of(plan, "Start", 4, 4).value == said


def test_a_table_that_begins_later_leaves_the_earlier_games_out_but_rates_them() -> None:
    log = games(FOOTBALL, 40, 30)
    begin = log["date"].iloc[20]
    book = filled_book("season", system("world-football"), {}, log)
    late = with_cells(book, since=serial(begin.strftime("%Y-%m-%d")))
    shown, whole = (rows_of(plan_book(shortened(one, 45)), "LeagueTable", "Team") for one in (late, book))
    by_hand = counted_by_hand(log[log["date"] >= begin], 3.0, 1.0)
    assert {team: row["P"] for team, row in shown.items() if row["P"]} == {t: row["P"] for t, row in by_hand.items()}
    assert {team: row["Rating"] for team, row in shown.items()} == {t: row["Rating"] for t, row in whole.items()}


@pytest.mark.parametrize("form", ["world-football", "nfl", "elo"])
def test_fixtures_are_forecast_as_the_simulation_forecasts_them(form: str) -> None:
    """The expected score of each fixture, and the expected points of each team, within the error of 20,000 runs."""
    name, log, settings = FORMS[form]
    rules, table = system(name), games(log, 60, 45)
    assert isinstance(rules, System)
    values = rules.settings({**settings, "period": "game"})
    played, left = (table[table["to_play"] == open_].drop(columns="to_play") for open_ in (False, True))
    book = shortened(filled_book("season", rules, settings, table), 65)
    plan = plan_book(book)
    expected = next(v for v in table_of(plan, "Outlook").columns if v.label == "Expected").fill.values
    ahead = [float(value) for value in expected if isinstance(value, float)]
    assert ahead == pytest.approx(
        list(expected_now(prepare(played, left, rules, values, Starts(), False, False))), abs=1e-9
    )
    points = (1.0, 0.5, 0.0) if name == "nfl" else (3.0, 1.0, 0.0)
    runs = simulate(played, left, rules, values, runs=20_000, draws="log", points=points)
    shown = rows_of(plan, "LeagueTable", "Team")
    for one in runs.players:
        assert shown[one.name]["Points"] == pytest.approx(one.points)
        assert shown[one.name]["Expected end"] == pytest.approx(one.expected_points, abs=0.06)


def test_the_odds_of_a_fixture_sum_to_one_and_to_its_expected_score() -> None:
    shown = rows_of(plan_book(half_played()), "Forecast", "No.")
    assert len(shown) == 15
    for row in shown.values():
        odds = Odds(row["Home win"], row["Draw"], row["Away win"])
        assert sum(odds) == pytest.approx(1)
        assert odds.score == pytest.approx(row["Expected"])


# --- what is typed ------------------------------------------------------------------------------------------


def test_goals_typed_into_a_fixture_rate_it_and_move_the_table(tmp_path: Path) -> None:
    book = half_played()
    made = write(plan_book(book), tmp_path / "made.xlsx")
    columns = [column.label for column in table_of(plan_book(book), "Fixtures").columns]
    row = 5 + 25
    home, away = (cell_name(row, columns.index(f"{side} goals") + 1) for side in ("Home", "Away"))
    typed = type_into(made, tmp_path / "typed.xlsx", {"Fixtures": {home: 4.0, away: 0.0}})
    verdict = validate(without_results(typed, tmp_path / "saved.xlsx"))
    assert verdict.status == "agrees", verdict.findings
    assert (verdict.games.listed, verdict.games.rated) == (26, 26)


def test_fixtures_to_play_are_no_findings(tmp_path: Path) -> None:
    verdict = validate(write(plan_book(half_played()), tmp_path / "half.xlsx"))
    assert (verdict.status, verdict.findings) == ("agrees", ())
    assert (verdict.games.listed, verdict.games.rated) == (25, 25)


def test_a_row_with_the_goals_of_one_side_only_is_no_result(tmp_path: Path) -> None:
    book = half_played()
    goals = list(book.inputs.tables["Fixtures"]["Home goals"])
    goals[30] = 2.0
    tables = {**book.inputs.tables, "Fixtures": {**book.inputs.tables["Fixtures"], "Home goals": goals}}
    odd = dataclasses.replace(book, inputs=dataclasses.replace(book.inputs, tables=tables))
    plan = plan_book(odd)
    assert next(c for c in table_of(plan, "Fixtures").columns if c.label == "Status").fill.values[30] == "no result"
    assert [f.code for f in validate(write(plan, tmp_path / "odd.xlsx")).findings] == ["ES404"]


TEXT_GOALS = (("2", "1"), ("2:1", None), ("x", None), (2.0, "1"), (None, "-"))


def with_text_goals(form: str) -> Book:
    """A book of 25 games and 15 fixtures: goals typed as text for five, the last of which has a result beside them."""
    book = half_played(form)
    fixtures = {label: list(values) for label, values in book.inputs.tables["Fixtures"].items()}
    what = "goals" if "Home goals" in fixtures else "points"
    for row, (home, away) in enumerate(TEXT_GOALS, 25):
        fixtures[f"Home {what}"][row], fixtures[f"Away {what}"][row] = home, away
    fixtures["Result"][29] = "1-0"
    tables = {**book.inputs.tables, "Fixtures": fixtures}
    return dataclasses.replace(book, inputs=dataclasses.replace(book.inputs, tables=tables))


@pytest.mark.parametrize("engine", ["ironcalc", pytest.param("libreoffice", marks=pytest.mark.libreoffice)])
@pytest.mark.parametrize("form", ["world-football", "elo", "nfl"])
def test_goals_typed_as_text_are_named_and_no_fixture(form: str, engine: str, tmp_path: Path) -> None:
    plan = plan_book(with_text_goals(form))
    assert differing(plan, tmp_path / "text.xlsx", engine) == []
    status = next(c for c in table_of(plan, "Fixtures").columns if c.label == "Status").fill.values
    assert status[24:31] == ["rated", *["no result: no numbers"] * 5, "to play"]
    assert checked(plan) == {
        "Fixtures typed that are neither rated nor to be played": 5.0,
        "results missing or not understood": 5.0,
        "Numbers, days and choices that are not understood: the formulas pass over them": float(
            sum(isinstance(goals, str) for pair in TEXT_GOALS for goals in pair)
        ),
    }
    verdict = validate(tmp_path / "text.xlsx")
    assert {finding.code for finding in verdict.findings} == {"ES404", "ES408"}
    assert (verdict.games.listed, verdict.games.rated) == (30, 25)


def test_text_in_a_cell_for_goals_is_red_at_once() -> None:
    """The first colour of each column of goals, which wins over the others, is that of text."""
    for side, letter in (("Home", "E"), ("Away", "F")):
        sheet = plan_book(half_played()).sheet("Fixtures")
        cells = table_of(plan_book(half_played()), "Fixtures").range(f"{side} goals")
        first = next(highlight for highlight in sheet.highlights if highlight.range == cells)
        assert cells.startswith(f"${letter}$")
        cell = f"${letter}5"
        text, number = f'({cell}>"")', f'({cell}<"")*(1-({cell}>=0)*({cell}<=1000))'
        assert (first.formula, first.style) == (f"{text}+{number}=1", "alarm")


def test_a_result_against_the_goals_shows_on_the_check_sheet() -> None:
    book = half_played("elo")
    results = ["0-1" if i == 0 else None for i in range(45)]
    tables = {**book.inputs.tables, "Fixtures": {**book.inputs.tables["Fixtures"], "Result": results}}
    odd = dataclasses.replace(book, inputs=dataclasses.replace(book.inputs, tables=tables))
    assert checked(plan_book(book)) == {}
    assert checked(plan_book(odd)) == {"Results typed that the goals do not say": 1.0}


def test_the_check_sheet_is_green_for_every_form() -> None:
    for form in FORMS:
        assert checked(plan_book(half_played(form))) == {}, form


def test_names_that_look_like_formulas_are_teams_like_any_other(tmp_path: Path) -> None:
    names = ["=1+1", "Abe*", ">5", "O'Neil", 'a"b', "Ünïcødé"]
    book = half_played(count=40, played=30)
    known = [name for name in book.inputs.tables["Teams"]["Team"] if name]
    other: dict[Any, Any] = dict(zip(known, [*names, *known[len(names) :]], strict=True))
    tables = {
        name: {label: [other.get(v, v) for v in values] for label, values in table.items()}
        for name, table in book.inputs.tables.items()
    }
    cells = {role: other.get(v, v) for role, v in book.inputs.cells.items()}
    odd = dataclasses.replace(book, inputs=dataclasses.replace(book.inputs, tables=tables, cells=cells))
    assert differing(plan_book(odd), tmp_path / "odd.xlsx") == []


def checked(plan: Plan) -> dict[str, float]:
    """The lines of the sheet Check that are not zero."""
    cells = {(cell.row, cell.column): cell.value for cell in plan.sheet("Check").cells}
    rows = [row for row, column in cells if column == 4 and row > 4]
    return {str(cells[row, 1]).strip(): float(cells[row, 2] or 0) for row in rows if cells[row, 4] != "good"}


def write(plan: Plan, path: Path) -> Path:
    write_book(plan, path, overwrite=True)
    return path


# --- logs ---------------------------------------------------------------------------------------------------

LOG = """date,home,away,home_score,away_score,neutral
2026-08-01,Team 1,Team 2,2,1,FALSE
2026-08-02,Team 3,Team 4,0,0,FALSE
2026-08-08,Team 2,Team 3,,,FALSE
2026-08-09,Team 4,Team 1,,,TRUE
2026-08-15,Team 1,Team 3,1,3,FALSE
"""


def test_import_keeps_the_games_without_a_result_as_fixtures(tmp_path: Path) -> None:
    log, book = tmp_path / "log.csv", tmp_path / "season.xlsx"
    log.write_text(LOG)
    done = import_logs([log], book, template="season", system="world-football")
    assert done.notes[0] == "2 games without a result are fixtures to play"
    assert (done.log.kept, done.log.rejected, done.players) == (5, 0, 4)
    verdict = validate(book)
    assert (verdict.status, verdict.findings) == ("agrees", ())
    assert (verdict.games.listed, verdict.games.rated) == (3, 3)


def test_a_list_of_fixtures_alone_begins_a_season(tmp_path: Path) -> None:
    log, book = tmp_path / "log.csv", tmp_path / "season.xlsx"
    log.write_text("date,home,away\n2026-08-01,Team 1,Team 2\n2026-08-08,Team 2,Team 1\n")
    assert import_logs([log], book, template="season", system="elo").players == 2
    assert validate(book).games.listed == 0


def test_diff_reads_a_season_against_its_log(tmp_path: Path) -> None:
    log, book = tmp_path / "log.csv", tmp_path / "season.xlsx"
    log.write_text(LOG)
    import_logs([log], book, template="season", system="world-football")
    found = diff(book, log)
    assert found.same
    assert found.unchanged == 3


# --- the file -----------------------------------------------------------------------------------------------


def test_the_book_calls_players_teams_everywhere() -> None:
    plan = plan_book(half_played())
    read = (sheet for sheet in plan.sheets if sheet.name != MANIFEST)
    text = " ".join(str(cell.value) for sheet in read for cell in sheet.cells if cell.formula is None)
    formulas = " ".join(cell.formula for cell in plan.formulas())
    names = [table.name for sheet in plan.sheets for table in sheet.tables]
    assert re.findall(r"\b(?:Players|Games|Standings)[\[!]|\[Player\]", formulas) == []
    assert not {"Players", "Games", "Standings"} & set(names)
    assert "layer" not in text


def test_there_is_no_error_and_no_zero_in_a_blank_book_and_the_bytes_are_the_same_twice(tmp_path: Path) -> None:
    plan = plan_book(blank_book("season", system("world-football"), {}, 20))
    first, second = (write(plan, tmp_path / name) for name in ("a.xlsx", "b.xlsx"))
    assert lint(first) == []
    assert first.read_bytes() == second.read_bytes()
    for sheet in ("Table", "Forecast", "Form", "Split", "Power"):
        for table in plan.sheet(sheet).tables:
            shown = {v for c in table.columns if c.label != "Row" for v in c.fill.values}
            assert shown <= {"", None}, sheet


def test_every_shown_column_is_explained_on_the_sheet_formulas() -> None:
    plan = plan_book(half_played())
    explained = set(rows_of(plan, "Formulas", "Column"))
    for name in ("LeagueTable", "Forecast"):
        assert {column.label for column in table_of(plan, name).columns} <= explained


def test_start_says_in_five_lines_what_to_do() -> None:
    assert len(template("season")["guide"]) == 5
    assert SeasonView.games_table == "Fixtures"


def test_a_team_without_a_game_shows_no_zeros() -> None:
    plan = plan_book(half_played())
    for name, counts in (("LeagueTable", ("P", "Points")), ("Split", ("Home P", "Points away"))):
        table = table_of(plan, name)
        sheet = next(sheet for sheet in plan.sheets if table in sheet.tables)
        hidden = [mark for mark in sheet.highlights if mark.style == "nothing"]
        covered = {letter for mark in hidden for letter in letters(mark.range)}
        labels = [column.label for column in table.columns]
        first, last = (labels.index(label) for label in counts)
        assert covered == {column_letters(at + 1) for at in range(first, last + 1)}
        assert any(value == 0 for value in table.columns[first].fill.values)


def letters(cells: str) -> list[str]:
    """The columns of a range such as $C$5:$J$44."""
    begin, end = (column_number(re.sub(r"[^A-Z]", "", part)) for part in cells.split(":"))
    return [column_letters(at) for at in range(begin, end + 1)]


def test_draws_fall_with_the_gap_and_leave_both_sides_a_chance() -> None:
    """Each fixture has a share of 4E(1 - E) of what equals draw, and the games played together the share they had."""
    plan = plan_book(half_played())
    outlook = {column.label: column.fill.values for column in table_of(plan, "Outlook").columns}
    rows = [i for i, value in enumerate(outlook["Open"]) if value == 1]
    odds = [[float(outlook[label][i]) for label in ("Expected", "Home win", "Draw", "Away win")] for i in rows]
    assert min(min(home, away) for _, home, _, away in odds) > 0
    equals = {round(draw / (4 * expected * (1 - expected)), 9) for expected, _, draw, _ in odds}
    assert len(equals) == 1
    ledger = {column.label: column.fill.values for column in table_of(plan, "Ledger").columns}
    scores = [value for value in ledger["Score"] if isinstance(value, float)]
    chances = [value for value in ledger["Expected"] if isinstance(value, float)]
    drawn = sum(4 * e * (1 - e) for e in chances) * equals.pop() / len(chances)
    assert drawn == pytest.approx(scores.count(0.5) / len(scores), abs=1e-8)
