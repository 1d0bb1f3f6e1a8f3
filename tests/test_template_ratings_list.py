"""The ratings-list template: every cell as the engines compute it, the lists against independent arithmetic."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from list_cases import (
    AMERICAN,
    FOOTBALL,
    cell,
    differences,
    log,
    repeated,
    shortened,
    table,
    with_cells,
)

from elo_sheets.errors import UsageError
from elo_sheets.systems import system
from elo_sheets.validate import validate
from elo_sheets.workbook.book import Book
from elo_sheets.workbook.build import blank_book, filled_book, plan_book
from elo_sheets.workbook.fits import fitting_systems
from elo_sheets.workbook.plan import CellValue
from elo_sheets.workbook.write import write_book

CHOSEN = "chosen period"


def book(name: str, games: pd.DataFrame | None, rows: int, **settings: object) -> Book:
    """A book with that many rows of Games, which is fewer than a template gives: quick to compute."""
    if games is None:
        return blank_book("ratings-list", system(name), settings, rows)
    return shortened(filled_book("ratings-list", system(name), settings, games), rows)


# --- every cell -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", fitting_systems("ratings-list"))
def test_every_cell_of_a_book_of_forty_games_is_what_the_core_says(name: str, tmp_path: Path) -> None:
    games = log(AMERICAN if "seasons" in system(name).reads else FOOTBALL).head(40)
    plan = plan_book(book(name, games, 44))
    assert differences(plan, tmp_path / "b.xlsx", "ironcalc") == []


@pytest.mark.libreoffice
@pytest.mark.parametrize("name", ["fide", "glicko"])
def test_libreoffice_computes_the_same(name: str, tmp_path: Path) -> None:
    plan = plan_book(with_cells(book(name, log(), 150), {CHOSEN: "1908-06"}))
    assert differences(plan, tmp_path / "b.xlsx", "libreoffice") == []


def test_two_thousand_games_agree_and_lists_before_the_sixtieth_are_left_out(tmp_path: Path) -> None:
    plan = plan_book(book("glicko", repeated(2000), 2020))
    assert differences(plan, tmp_path / "b.xlsx", "ironcalc") == []
    assert all(row["Period"] != "" for row in table(plan, "Periods"))
    assert sum(float(row["Games"] or 0) for row in table(plan, "Periods")) < 2000


@pytest.mark.parametrize("settings", [{}, {"period": "year"}])
def test_a_blank_book_shows_nothing_and_no_error(settings: dict[str, object], tmp_path: Path) -> None:
    plan = plan_book(book("fide", None, 30, **settings))
    assert differences(plan, tmp_path / "b.xlsx", "ironcalc") == []
    empty = {"At"}
    for name in ("List", "Risers", "Fallers"):
        assert {value for row in table(plan, name) for label, value in row.items() if label not in empty} == {""}
    assert str(cell(plan, "List", 4, 4)).startswith("No game is rated yet: type")
    assert (cell(plan, "List", 5, 3), cell(plan, "List", 6, 3)) == (12, "yes")
    assert cell(plan, "Check", 2, 1) == "All checks are green"


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ({"chosen period": "1908-06"}, "1908-06: 20 players, 5 games"),
        ({"chosen period": 3075.0, "inactive after": 3.0, "show inactive": "No"}, "1908-06: 15 players, 5 games"),
        ({"chosen period": "1950-13", "chosen 1": None}, "no such list: choose one from the drop-down"),
        ({"chosen period": 5.0, "chosen 2": "Nobody"}, "no such list: choose one from the drop-down"),
        ({"chosen period": "1904-12", "inactive after": None}, "1904-12: 11 players, 0 games"),
        ({"chosen period": None, "inactive after": "x", "show inactive": None}, "1909-11: 23 players, 1 game"),
    ],
)
def test_every_cell_follows_what_is_chosen(cells: dict[str, CellValue], says: str, tmp_path: Path) -> None:
    plan = plan_book(with_cells(book("elo", log(), 150), cells))
    assert cell(plan, "List", 4, 4) == says
    assert differences(plan, tmp_path / "b.xlsx", "ironcalc") == []


def test_a_book_by_years_agrees(tmp_path: Path) -> None:
    plan = plan_book(with_cells(book("elo", log(), 150, period="year"), {CHOSEN: "1907"}))
    assert differences(plan, tmp_path / "b.xlsx", "ironcalc") == []
    assert [row["List"] for row in table(plan, "Periods")][:11] == [str(1909 - back) for back in range(10)] + [""]
    assert str(cell(plan, "List", 4, 4)).startswith("1907: ")


def test_odd_rows_are_not_rated_and_are_counted(tmp_path: Path) -> None:
    made = book("elo", log().head(30), 40)
    games = {label: list(values) for label, values in made.inputs.tables["Games"].items()}
    games["Date"][5] = None
    games["Date"][20] = 100.0
    games["White"][9] = "Stranger"
    games["Result"][12] = None
    made = dataclasses.replace(
        made, inputs=dataclasses.replace(made.inputs, tables={**made.inputs.tables, "Games": games})
    )
    plan = plan_book(made)
    assert differences(plan, tmp_path / "b.xlsx", "ironcalc") == []
    status = [row["Status"] for row in table(plan, "Games")]
    said = ["no date", "out of order: a game above is of 1902-10", "not on Players: enter the name there", "no result"]
    assert [status[at] for at in (5, 20, 9, 12)] == said
    assert cell(plan, "Check", 2, 1) == "1 to look at: see the sheet Check"


# --- the lists against independent arithmetic -------------------------------------------------------------------


def by_period(games: pd.DataFrame, key: Callable[[pd.Timestamp], object]) -> list[tuple[object, pd.DataFrame]]:
    return list(games.groupby(games["date"].map(key), sort=True))


def month(day: pd.Timestamp) -> str:
    return f"{day:%Y-%m}"


def elo_lists(games: pd.DataFrame, k: float = 20.0) -> dict[object, dict[str, float]]:
    """The list at the end of each month: sums of K times score less expectation over the opening list."""
    now: dict[str, float] = {}
    lists = {}
    for label, part in by_period(games, month):
        change: dict[str, float] = {}
        for white, black, score in zip(part["white"], part["black"], part["score"], strict=True):
            gap = now.get(black, 1500.0) - now.get(white, 1500.0)
            points = k * (score - 1 / (1 + 10 ** (gap / 400)))
            change[white] = change.get(white, 0.0) + points
            change[black] = change.get(black, 0.0) - points
        now = now | {name: now.get(name, 1500.0) + points for name, points in change.items()}
        lists[label] = now
    return lists


def test_every_list_closes_by_sums_over_the_list_that_opened_it() -> None:
    plan = plan_book(book("elo", log(), 150))
    wanted = elo_lists(log())
    names = [row["List"] for row in table(plan, "Periods")]
    labels = ["Latest", *(f"{back} before" for back in range(1, 60))]
    seen = 0
    for label, name in zip(labels, names, strict=True):
        shown = {row["Player"]: row[label] for row in table(plan, "Progress") if row[label] != ""}
        latest = wanted[max(key for key in wanted if str(key) <= str(name))]
        assert shown == pytest.approx(latest, abs=1e-9)
        seen += len(shown)
    assert seen > 500


def test_the_best_is_that_of_a_list_and_no_subtotal_inside_a_month() -> None:
    started = {"England": 1600.0}
    made = shortened(
        filled_book("ratings-list", system("elo"), {}, log(), start={n: {"rating": r} for n, r in started.items()}), 150
    )
    reached: dict[str, list[float]] = {name: [rating] for name, rating in started.items()}
    ratings = dict(started)
    for month_, games in by_period(log(), month):
        del month_
        closing = dict(ratings)
        for white, black, score in zip(games["white"], games["black"], games["score"], strict=True):
            gap = ratings.get(black, 1500.0) - ratings.get(white, 1500.0)
            points = 20.0 * (score - 1 / (1 + 10 ** (gap / 400)))
            closing[white] = closing.get(white, 1500.0) + points
            closing[black] = closing.get(black, 1500.0) - points
        for name in {*games["white"], *games["black"]}:
            reached.setdefault(name, []).append(closing[name])
        ratings = closing
    shown = {row["Player"]: row["Best"] for row in table(plan_book(made), "Players") if row["Player"]}
    assert shown == pytest.approx({name: max(ratings) for name, ratings in reached.items()}, abs=1e-9)


@pytest.mark.parametrize("template", ["league", "ratings-list"])
def test_the_chart_draws_the_first_players_where_nobody_is_chosen(template: str, tmp_path: Path) -> None:
    made = shortened(filled_book(template, system("elo"), {}, log().head(60)), 70)
    nobody = {f"chosen {i}": None for i in range(1, 5)}
    names = made.inputs.tables["Players"]["Player"][:4]
    for cells, drawn in ((nobody, names), (nobody | {"chosen 2": names[0]}, ["–", names[0], "–", "–"])):
        plan = plan_book(with_cells(made, cells))
        assert [cell(plan, "Curves", 3, column) for column in range(4, 8)] == drawn
        assert differences(plan, tmp_path / "b.xlsx", "ironcalc") == []


def test_the_chosen_list_is_ranked_with_its_movers() -> None:
    plan = plan_book(with_cells(book("elo", log(), 150), {CHOSEN: "1909-03"}))
    lists = elo_lists(log())
    now, before = lists["1909-03"], lists["1909-02"]
    rows = [row for row in table(plan, "List") if row["Player"] != ""]
    assert [row["Player"] for row in rows] == sorted(now, key=lambda name: -round(now[name], 3))
    moved = {row["Player"]: row["Change"] for row in rows if row["Change"] != ""}
    wanted = {name: now[name] - before.get(name, 1500.0) for name in moved}
    assert moved == pytest.approx(wanted, abs=1e-9)
    ups = sorted((name for name in moved if wanted[name] > 0.0005), key=lambda name: -wanted[name])
    assert [row["Player"] for row in table(plan, "Risers") if row["Player"] != ""] == ups[:10]
    assert [row["Mark"] for row in rows if row["Player"] in ups] == ["▲"] * len(ups)
    assert {row["Remark"] for row in rows} <= {"", "inactive", "new"}


def test_glicko_closes_a_month_by_the_published_formulas() -> None:
    games = log().head(3)
    games = games.assign(date=pd.Timestamp("1900-03-10"))
    shown = {row["Player"]: row for row in table(plan_book(book("glicko", games, 10)), "List") if row["Player"] != ""}
    q, start, rd = math.log(10) / 400, 1500.0, 350.0
    g = 1 / math.sqrt(1 + 3 * (q * rd / math.pi) ** 2)
    played = pd.concat(
        [
            pd.DataFrame({"player": games["white"], "score": games["score"]}),
            pd.DataFrame({"player": games["black"], "score": 1 - games["score"]}),
        ]
    )
    for player, scores in played.groupby("player")["score"]:
        information = q**2 * g**2 * len(scores) / 4
        spread = 1 / (1 / rd**2 + information)
        rating = start + q * spread * g * float((scores - 0.5).sum())
        assert shown[str(player)]["Rating"] == pytest.approx(rating, abs=1e-9)
        assert shown[str(player)]["RD"] == pytest.approx(math.sqrt(spread), abs=1e-9)


def test_the_example_of_the_glicko_paper_closes_a_list_as_printed() -> None:
    """Glickman, The Glicko system: 1500 (RD 200) beats 1400 (30), loses to 1550 (100) and 1700 (300): 1464, 151.4."""
    day = pd.Timestamp("2024-05-04")
    others = [("Player 2", 1400.0, 30.0, 1.0), ("Player 3", 1550.0, 100.0, 0.0), ("Player 4", 1700.0, 300.0, 0.0)]
    games = pd.DataFrame(
        [(i, day, "Player 1", name, score, "", i) for i, (name, _, _, score) in enumerate(others, 1)],
        columns=["game", "date", "white", "black", "score", "source", "source_row"],
    )
    # The deviations of the example are those after the growth of the idle periods.
    made = book("glicko", games, 10, c=0)
    players = {label: list(values) for label, values in made.inputs.tables["Players"].items()}
    for row, (rating, rd) in enumerate([(1500.0, 200.0), *((rating, rd) for _, rating, rd, _ in others)]):
        players["Start rating"][row], players["Start RD"][row] = rating, rd
    tables = {**made.inputs.tables, "Players": players}
    plan = plan_book(dataclasses.replace(made, inputs=dataclasses.replace(made.inputs, tables=tables)))
    first = next(row for row in table(plan, "List") if row["Player"] == "Player 1")
    assert round(float(first["Rating"] or 0)) == 1464
    assert round(float(first["RD"] or 0), 1) == 151.4


def test_who_has_not_played_for_long_is_marked_or_left_out() -> None:
    made = book("elo", log(), 150)
    marked = [row for row in table(plan_book(made), "List") if row["Remark"] == "inactive"]
    assert marked
    assert all(str(row["Last played"]) <= "1908-11" for row in marked)
    hidden = [row["Player"] for row in table(plan_book(with_cells(made, {"show inactive": "no"})), "List")]
    assert not {row["Player"] for row in marked} & set(hidden)


def test_a_lower_rating_leads_where_the_system_says_so() -> None:
    plan = plan_book(book("ingo", log(), 150))
    ratings = [float(row["Rating"] or 0) for row in table(plan, "List") if row["Player"] != ""]
    assert ratings == sorted(ratings)
    assert all(float(row["Change"] or 0) < 0 for row in table(plan, "Risers") if row["Player"] != "")


# --- how it is made ----------------------------------------------------------------------------------------------


def test_the_month_is_the_period_and_single_games_are_refused() -> None:
    assert blank_book("ratings-list", system("elo"), {}).settings["period"] == "month"
    assert blank_book("ratings-list", system("ecf-grade"), {}).settings["period"] == "year"
    with pytest.raises(UsageError, match="cannot rate by game"):
        blank_book("ratings-list", system("elo"), {"period": "game"})


def test_games_that_stand_in_another_order_are_sorted_by_their_days() -> None:
    turned = log().iloc[::-1].reset_index(drop=True)
    ratings: Sequence[dict[str, Any]] = [
        {row["Player"]: row["Rating"] for row in table(plan_book(book("elo", games, 150)), "Players") if row["Player"]}
        for games in (log(), turned)
    ]
    assert ratings[0] == pytest.approx(ratings[1], abs=1e-9)


def test_validate_agrees_with_a_list_of_an_earlier_month(tmp_path: Path) -> None:
    write_book(plan_book(with_cells(book("fide", log().head(40), 50), {CHOSEN: "1903-03"})), tmp_path / "a.xlsx")
    assert validate(tmp_path / "a.xlsx").status == "agrees"


def idle(name: str, chosen: str, **settings: object) -> dict[str, dict[str, CellValue]]:
    """A list of two games of Ann and Bob in January 2024, and one of Cid and Dan in June; by player."""
    days = ("2024-01-10", "2024-01-20", "2024-06-30")
    sides = (("Ann", "Bob"), ("Bob", "Ann"), ("Cid", "Dan"))
    games = pd.DataFrame(
        [(i, pd.Timestamp(day), *two, 1.0, "", i) for i, (day, two) in enumerate(zip(days, sides, strict=True), 1)],
        columns=["game", "date", "white", "black", "score", "source", "source_row"],
    )
    plan = plan_book(with_cells(book(name, games, 10, **settings), {CHOSEN: chosen}))
    return {str(row["Player"]): row for row in table(plan, "List")}


def test_the_deviation_on_a_list_has_grown_while_nobody_played() -> None:
    """Glicko: sqrt(RD² + months c²) up to the largest; Glicko-2: each idle month adds the squared volatility."""
    first, later = idle("glicko", "2024-01")["Ann"], idle("glicko", "2024-05")["Ann"]
    assert later["RD"] == pytest.approx(math.sqrt(float(first["RD"] or 0) ** 2 + 4 * 63.2**2), abs=1e-9)
    assert (later["Rating"], later["Change"]) == (first["Rating"], "")
    assert idle("glicko", "2024-05", c=200)["Ann"]["RD"] == 350
    first, later = idle("glicko2", "2024-01")["Ann"], idle("glicko2", "2024-05")["Ann"]
    grown = 4 * (173.7178 * float(first["Volatility"] or 0)) ** 2
    assert later["RD"] == pytest.approx(math.sqrt(float(first["RD"] or 0) ** 2 + grown), abs=1e-9)


def test_the_deviation_of_lichess_grows_by_the_days_to_the_end_of_the_month() -> None:
    """From 20 January to 31 May 2024 are 132 days, of 0.21436 periods each."""
    first, later = idle("lichess", "2024-01", period="month")["Bob"], idle("lichess", "2024-05", period="month")["Bob"]
    a_day = 0.21436 * (173.7178 * float(first["Volatility"] or 0)) ** 2
    then = float(first["RD"] or 0) ** 2 - 11 * a_day
    assert later["RD"] == pytest.approx(math.sqrt(then + 132 * a_day), abs=1e-9)


@pytest.mark.parametrize("name", ["glicko", "glicko2", "lichess"])
def test_an_idle_player_is_computed_by_the_engine_too(name: str, tmp_path: Path) -> None:
    for i, settings in enumerate(({}, {"period": "year"})):
        plan = plan_book(with_cells(book(name, log().head(40), 44, **settings), {CHOSEN: None}))
        assert differences(plan, tmp_path / f"{i}.xlsx", "ironcalc") == []


@pytest.mark.parametrize("chosen", [None, "1908-06", "1905-01"])
def test_the_small_line_of_a_place_ends_with_the_rating_of_the_chosen_list(chosen: str | None, tmp_path: Path) -> None:
    plan = plan_book(with_cells(book("elo", log(), 150), {CHOSEN: chosen}))
    shown = [row for row in table(plan, "List") if row["Player"] != ""]
    lines = table(plan, "Sparks")
    assert [line["Rating 12"] for line in lines[: len(shown)]] == [row["Rating"] for row in shown]
    assert {line["Rating 1"] for line in lines[len(shown) :]} <= {""}
    before = {row["Player"]: row for row in table(plan, "Progress")}
    latest = [row["List"] for row in table(plan, "Periods")].index(chosen) if chosen else 0
    for line, row in zip(lines, shown, strict=False):
        own = list(before[row["Player"]].values())[2:][latest : latest + 12]
        known = [rating for rating in own if rating != ""]
        assert [line[f"Rating {k}"] for k in range(1, 13)] == ([known[-1]] * 12 + known[::-1])[-12:]
    marks = plan.sheet("List").sparklines
    assert (marks[0].range, len(marks)) == ("Sparks!$O$5:$Z$5", len(lines))
    headers = [column.label for column in plan.sheet("Sparks").tables[0].columns]
    assert (headers[14], headers[25]) == ("Rating 1", "Rating 12")  # columns O and Z


def test_the_small_lines_are_drawn_in_the_modern_dialect_too(tmp_path: Path) -> None:
    made = filled_book("ratings-list", system("glicko"), {}, log().head(40), options={"dialect": "modern"})
    plan = plan_book(shortened(made, 44))
    assert plan.sheet("List").sparklines
    assert differences(plan, tmp_path / "b.xlsx", "ironcalc") == []
