"""The league template: every system that fits it, old years as values, the card, marks and absent players.

What a book shows is compared with what engines compute from its formulas, and its ratings with a replay of the whole
log or with arithmetic written out here.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Mapping
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pandas as pd
import pytest
from openpyxl import load_workbook

from elo_sheets.engines.recalculate import recalculate_many
from elo_sheets.errors import UnreadableInput
from elo_sheets.files.cells import CellError
from elo_sheets.files.references import cell_name
from elo_sheets.readers import read
from elo_sheets.replaying.replay import replay
from elo_sheets.systems import system
from elo_sheets.uses.exporting import replay_logs
from elo_sheets.uses.importing import import_logs
from elo_sheets.uses.notes import event_notes, pause_notes
from elo_sheets.validate import validate
from elo_sheets.workbook import build
from elo_sheets.workbook.book import Book
from elo_sheets.workbook.build import blank_book, filled_book, plan_book
from elo_sheets.workbook.complete import y_minimum
from elo_sheets.workbook.fits import fitting_systems
from elo_sheets.workbook.plan import CellPlan, Plan, TablePlan
from elo_sheets.workbook.styles import CELL
from elo_sheets.workbook.templates import template
from elo_sheets.workbook.write import write_book

SAMPLES = Path(__file__).parents[1] / "samples"
EVENT, NATIONS, TEAMS = (SAMPLES / name for name in ("uzchesscup.pgn", "internationals_1900s.csv", "nfl_1920.csv"))
LOGS = {"nfl": TEAMS, "nba": TEAMS, "world-football": NATIONS, "fifa": NATIONS, "glicko": NATIONS, "ecf-grade": NATIONS}
# Their volatility is found in some two hundred columns, round by round: a book of theirs is made smaller.
LONG = {"glicko2", "lichess"}
SYSTEMS = fitting_systems("league")


def small(book: Book, games: int, players: int) -> Book:
    """The book with fewer spare rows."""
    rows = {"Games": games, "Players": players}
    tables = {
        name: {label: list(values)[: rows.get(name, len(values))] for label, values in columns.items()}
        for name, columns in book.inputs.tables.items()
    }
    return dataclasses.replace(
        book, inputs=dataclasses.replace(book.inputs, tables=tables, sizes={"Ledger": 2 * games})
    )


def league(name: str, games: int = 40, **settings: object) -> Book:
    log = first_games(name, 12 if name in LONG else games)
    return small(filled_book("league", system(name), settings, log), len(log) + 4, 40)


def first_games(name: str, count: int = 40) -> pd.DataFrame:
    """The first games of a log that has what the system reads; all of one event where that is its period."""
    log = read([LOGS.get(name, EVENT)]).games.head(count)
    return log.assign(event="One") if system(name).settings()["period"] == "event" else log


def off(plan: Plan, values: Mapping[str, Mapping[tuple[int, int], Any]], tolerance: float = 1e-9) -> list[str]:
    """The formula cells whose engine value is not the planned one."""
    wrong = []
    for cell in plan.formulas():
        found = values[cell.sheet].get((cell.row, cell.column))
        if isinstance(cell.value, float) and isinstance(found, float):
            same = abs(cell.value - found) <= tolerance * max(1.0, abs(cell.value) / 4000)
        else:
            same = (cell.value or "") == (found or "") and not isinstance(found, CellError)
        if not same and cell.unit != "round":
            wrong.append(f"{cell.sheet} {cell.label} row {cell.row}: {cell.value!r}, {found!r} by {cell.formula}")
    return wrong[:5]


def column(plan: Plan, table: str, label: str) -> list[Any]:
    found: TablePlan = next(one for sheet in plan.sheets for one in sheet.tables if one.name == table)
    return list(next(one for one in found.columns if one.label == label).fill.values)


def standing(plan: Plan) -> dict[str, float]:
    pairs = zip(column(plan, "Players", "Player"), column(plan, "Players", "Rating"), strict=True)
    return {name: rating for name, rating in pairs if name}


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_computes_what_the_plan_says(name: str, tmp_path: Path) -> None:
    books = {"empty": small(blank_book("league", system(name), {}, 4), 4, 6), "filled": league(name)}
    plans = {key: plan_book(book) for key, book in books.items()}
    for key, plan in plans.items():
        write_book(plan, tmp_path / f"{key}.xlsx")
    done = recalculate_many([tmp_path / f"{key}.xlsx" for key in plans], timeout=300)
    for plan, one in zip(plans.values(), done, strict=True):
        assert off(plan, one.values, 1e-9) == []


@pytest.mark.parametrize("name", [name for name in SYSTEMS if name not in LONG])
def test_the_standings_are_those_of_a_replay(name: str) -> None:
    book = league(name)
    final = replay(first_games(name), system(name)).ratings.set_index("player")["rating"]
    assert standing(plan_book(book)) == pytest.approx(final.to_dict(), abs=1e-9)


@pytest.mark.libreoffice
def test_libreoffice_computes_the_same(tmp_path: Path) -> None:
    plans = [plan_book(league(name)) for name in ("elo", "glicko", "nfl", "egf")]
    paths = [tmp_path / f"{i}.xlsx" for i in range(len(plans))]
    for plan, path in zip(plans, paths, strict=True):
        write_book(plan, path)
    for plan, one in zip(plans, recalculate_many(paths, "libreoffice", timeout=300), strict=True):
        assert off(plan, one.values) == []


@pytest.fixture
def short_life(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty live games are the most."""
    monkeypatch.setitem(template("league"), "live", 40)


@pytest.mark.usefixtures("short_life")
@pytest.mark.parametrize(
    ("name", "period"),
    [("elo", "game"), ("tennis", "game"), ("glicko", "month"), ("glicko", "year"), ("nfl", "game"), ("fide", "month")],
)
def test_old_years_become_values_and_the_ratings_stay(name: str, period: str, tmp_path: Path) -> None:
    log = read([NATIONS]).games
    book = filled_book("league", system(name), {"period": period}, log)
    plan = plan_book(book)
    final = replay(log, system(name), {"period": period}).ratings.set_index("player")["rating"].to_dict()
    assert standing(plan) == pytest.approx(final, abs=1e-9)
    kept, live = len(column(plan, "Archive", "Game")), sum(s == "rated" for s in column(plan, "Games", "Status"))
    assert (kept + live, live <= 40) == (len(log), True)
    years = pd.to_datetime(log["date"]).dt.year
    assert years[kept] > years[kept - 1]
    if name == "nfl":
        held = [column(plan, "Archive", f"White {word}") for word in ("rating", "after")]
        score = log["score"].head(kept)
        assert all((a >= b) == (s > 0.5) or s == 0.5 for b, a, s in zip(*held, score, strict=True))
    path = tmp_path / "old.xlsx"
    write_book(plan, path)
    assert validate(path).status == "agrees"


@pytest.mark.usefixtures("short_life")
def test_old_games_of_one_long_period_are_refused() -> None:
    log = read([NATIONS]).games
    with pytest.raises(UnreadableInput, match="no end of a rating period"):
        filled_book(
            "league", system("elo"), {"period": "event"}, log.assign(event="One", date=pd.Timestamp("1905-05-01"))
        )


def with_inputs(book: Book, cells: Mapping[str, Any] | None = None, **players: Mapping[int, Any]) -> Book:
    """The book with other cells typed, and other values in rows of Players, by label with _ for a blank."""
    columns = {label: list(values) for label, values in book.inputs.tables["Players"].items()}
    for label, rows in players.items():
        for row, value in rows.items():
            columns[label.replace("_", " ")][row] = value
    tables = {**book.inputs.tables, "Players": columns}
    cells = {**book.inputs.cells, **(cells or {})}
    return dataclasses.replace(book, inputs=dataclasses.replace(book.inputs, tables=tables, cells=cells))


def test_what_a_player_starts_from_may_be_typed() -> None:
    book = with_inputs(league("glicko"), Start_RD={0: 50.0}, Start_rating={0: 1900.0})
    name = book.inputs.tables["Players"]["Player"][0]
    log = read([NATIONS]).games.head(40)
    final = replay(log, system("glicko"), start={str(name): {"rating": 1900.0, "rd": 50.0}}).ratings
    assert standing(plan_book(book)) == pytest.approx(final.set_index("player")["rating"].to_dict(), abs=1e-9)


def test_who_is_absent_leaves_the_standings_and_few_games_are_provisional() -> None:
    book = with_inputs(league("elo", 138), {"provisional": 10.0, "hide_after": 0.0})
    log = read([EVENT]).games
    plan = plan_book(book)
    games = pd.concat([log["white"], log["black"]]).value_counts()
    marks = dict(zip(column(plan, "Players", "Player"), column(plan, "Players", "Mark"), strict=True))
    assert {name for name, mark in marks.items() if mark == "provisional"} == set(games[games < 10].index)
    nations = with_inputs(
        small(filled_book("league", system("elo"), {}, read([NATIONS]).games), 140, 30),
        {"hide_after": 365.0, "provisional": 0.0},
    )
    log = read([NATIONS]).games
    last = pd.concat([log.set_index("white")["date"], log.set_index("black")["date"]]).groupby(level=0).max()
    absent = set(last[(log["date"].max() - last).dt.days > 365].index)
    plan = plan_book(nations)
    assert {name for name in column(plan, "Standings", "Player") if name} == set(last.index) - absent
    assert absent


def test_who_is_absent_leaves_the_standings_with_few_games_too(tmp_path: Path) -> None:
    log = read([NATIONS]).games
    book = with_inputs(
        small(filled_book("league", system("elo"), {}, log), 140, 30), {"hide_after": 300.0, "provisional": 5.0}
    )
    names = pd.concat([log["white"], log["black"]])
    last = pd.concat([log.set_index("white")["date"], log.set_index("black")["date"]]).groupby(level=0).max()
    absent = set(last[(log["date"].max() - last).dt.days > 300].index)
    assert {name for name, games in names.value_counts().items() if games < 5} & absent
    plan = plan_book(book)
    assert not absent & set(column(plan, "Standings", "Player"))
    marks = dict(zip(column(plan, "Players", "Player"), column(plan, "Players", "Mark"), strict=True))
    assert {name for name, mark in marks.items() if mark == "inactive"} == absent
    write_book(plan, tmp_path / "absent.xlsx")
    assert off(plan, recalculate_many([tmp_path / "absent.xlsx"])[0].values) == []


def test_a_change_after_a_carry_over_is_k_times_the_score_less_what_was_expected(tmp_path: Path) -> None:
    """Two seasons with 67 % carried: the rating shown before a game is the one that its expected score is of."""
    log = read([TEAMS]).games.head(60)
    log = log.assign(season=["1920"] * 30 + ["1921"] * 30)
    settings = {"carry_over": 0.67, "carry_mean": 1505, "k": 32}
    book = small(filled_book("league", system("elo"), settings, log), 64, 40)
    plan = plan_book(book)
    shown = {
        label: column(plan, "Games", label)[:60]
        for side in ("White", "Black")
        for label in (f"{side} rating", f"{side} change", f"{side} after", "White expected")
    }
    rows = [dict(zip(shown, row, strict=True)) for row in zip(*shown.values(), strict=True)]
    for row, score in zip(rows, log["score"], strict=True):
        expected = 1 / (1 + 10 ** ((row["Black rating"] - row["White rating"]) / 400))
        assert row["White expected"] == pytest.approx(expected, abs=1e-12)
        assert row["White change"] == pytest.approx(32 * (score - expected), abs=1e-9)
        assert row["Black change"] == pytest.approx(-32 * (score - expected), abs=1e-9)
        assert row["White after"] == pytest.approx(row["White rating"] + row["White change"], abs=1e-9)
    last: dict[str, float] = {}
    for i, row in enumerate(rows[:30]):
        last |= {log["white"][i]: row["White after"], log["black"][i]: row["Black after"]}
    first = next(i for i in range(30, 60) if log["white"][i] in last)
    assert rows[first]["White rating"] == pytest.approx(0.67 * last[log["white"][first]] + 0.33 * 1505)
    card = next(name for name in column(plan, "Players", "Player") if name == log["white"][first])
    card_plan = plan_book(with_inputs(book, {"card": card}))
    mine = [
        (i, "White" if log["white"][i] == card else "Black")
        for i in range(60)
        if card in (log["white"][i], log["black"][i])
    ]
    assert (
        column(card_plan, "CardGames", "Change")[: len(mine)]
        == [rows[i][f"{side} change"] for i, side in mine[::-1]][:20]
    )
    write_book(card_plan, tmp_path / "carried.xlsx")
    assert off(card_plan, recalculate_many([tmp_path / "carried.xlsx"])[0].values) == []


def with_events(count: int, events: str, days: int = 1) -> pd.DataFrame:
    """The first games of a log, each with an event of one letter, so many days apart."""
    log = first_games("elo", count)
    dates = pd.Timestamp("2024-01-01") + pd.to_timedelta([days * i for i in range(count)], unit="D")
    return log.assign(event=list(events), date=dates)


@pytest.mark.parametrize(
    ("events", "days", "back", "note"),
    [
        ("AABBABAA", 1, 3, "event 'A' comes back after another one"),
        ("AABBABAA", 61, 0, "event 'A' goes on after more than 60 days"),
        ("AaBBCCDD", 1, 0, None),
        ("ABABABAB", 61, 0, None),
    ],
)
def test_events_that_come_back_are_counted_and_said(
    events: str, days: int, back: int, note: str | None, tmp_path: Path
) -> None:
    """Of runs A B A B A the third, fourth and fifth come back; after more than 60 days they are events of their own."""
    log = with_events(8, events, days)
    book = small(filled_book("league", system("dwz"), {}, log), 12, 40)
    plan = plan_book(book)
    check = plan.sheet("Check").cells
    row = next(cell.row for cell in check if str(cell.value).startswith("Events that come back"))
    assert next(cell.value for cell in check if (cell.row, cell.column) == (row, 2)) == back
    write_book(plan, tmp_path / "events.xlsx")
    assert off(plan, recalculate_many([tmp_path / "events.xlsx"])[0].values) == []
    said = event_notes(log)
    assert [one.split(" in ")[0] for one in said] == ([] if note is None else [note])


def test_a_book_of_events_that_do_not_come_back_is_what_replay_says() -> None:
    """And with the note the book's ratings are other ones, of which each run of rows is a period."""
    rated = {}
    for events in ("AAABBBCC", "AABBABCC"):
        log = with_events(8, events)
        book = small(filled_book("league", system("dwz"), {}, log), 12, 40)
        final = replay(log, system("dwz")).ratings.set_index("player")["rating"].to_dict()
        runs = log.assign(event=[str(i) for i in (log["event"] != log["event"].shift()).cumsum()])
        cut = replay(runs, system("dwz")).ratings.set_index("player")["rating"].to_dict()
        assert standing(plan_book(book)) == pytest.approx(cut, abs=1e-9)
        rated[events] = final == pytest.approx(cut, abs=1e-9)
        assert rated[events] == (event_notes(log) == [])
    assert list(rated.values()) == [True, False]


def test_import_says_which_event_comes_back(tmp_path: Path) -> None:
    done = import_logs([NATIONS], tmp_path / "nations.xlsx", system="dwz", dry_run=True)
    notes = [note for note in done.notes if note.startswith("event ")]
    assert [note.split(":")[0].replace(f"{SAMPLES}/", "") for note in notes] == [
        "event 'Friendly' comes back after another one in internationals_1900s.csv, row 48",
        "event 'British Home Championship' goes on after more than 60 days in internationals_1900s.csv, row 8",
    ]
    assert not any(
        note.startswith("event ") for note in import_logs([NATIONS], tmp_path / "n.xlsx", dry_run=True).notes
    )


def test_replay_says_which_event_it_splits_at_a_pause() -> None:
    """The same row as import names; the setting that the note gives rates the games of one name together."""
    said = [note for note in replay_logs([NATIONS], system="dwz").notes if note.startswith("event ")]
    assert len(said) == 1
    assert "event 'British Home Championship' goes on after more than 60 days in" in said[0]
    assert "internationals_1900s.csv, row 8, and " in said[0]
    assert not any(note.startswith("event ") for note in replay_logs([NATIONS]).notes)


def test_the_setting_that_the_note_on_pauses_gives_rates_the_event_as_one() -> None:
    log = with_events(4, "AABA", 61)
    assert [len(pause_notes(log)), pause_notes(with_events(4, "AABA", 20))] == [1, []]
    as_one = replay(log, system("dwz"), {"period": "column:event"}).history
    assert as_one.loc[as_one["game"].isin([1, 2, 4]), "period"].nunique() == 1
    assert replay(log, system("dwz")).history["period"].nunique() == 4


@pytest.mark.parametrize(("name", "typed", "shown"), [("elo", "games", "games"), ("tennis", "matches", "matches")])
def test_games_in_all_are_those_before_and_those_here(name: str, typed: str, shown: str) -> None:
    settings = {"initial_games": 20} | ({"k_rule": "games"} if name == "elo" else {})
    book = with_inputs(league(name, **settings), **{f"Start_{typed}": {1: 5.0}})
    plan = plan_book(book)
    played = column(plan, "Players", "Games")
    before = [20.0, 5.0, *[20.0] * 38]
    assert column(plan, "Players", f"{shown.capitalize()} in all") == [
        "" if games == "" else games + start for games, start in zip(played, before, strict=True)
    ]
    labels = {c.label for s in plan.sheets if s.name in {"Players", "Standings"} for t in s.tables for c in t.columns}
    assert not [label for label in labels if label.endswith(" before")]


def start_lines(name: str, **settings: object) -> dict[Any, tuple[Any, str]]:
    """What Start says beside its settings: value and words by label."""
    cells = plan_book(blank_book("league", system(name), settings, 4)).sheet("Start").cells
    at = {(cell.row, cell.column): cell.value for cell in cells}
    return {
        label: (at[row, 3], str(at[row, 4])) for (row, column), label in at.items() if column == 2 and (row, 4) in at
    }


def test_start_says_with_which_forms_of_the_rule_the_book_was_made() -> None:
    lines = start_lines("elo", curve="normal", margin_rule="eloratings", k_rule="tennis")
    assert lines["Curve"] == (
        "normal",
        "standard deviation 5/7 of the scale (fixed in the formulas)",
    )
    assert (lines["Margin rule"][0], lines["K rule"][0]) == ("eloratings", "tennis")
    assert lines["Margin rule"][1].startswith("the change is multiplied by the margin of victory")
    assert lines["K rule"][1].startswith("K / (games + offset) ^ shape")
    assert start_lines("dwz", rules="2026")["Rules"][0] == "2026"
    assert not {"Curve", "K rule", "Margin rule"} & set(start_lines("elo"))


@pytest.mark.parametrize(
    ("name", "rules", "settings", "said"),
    [
        ("event", "dwz", {}, {"Rules": "until 31 July 2026", "Rating period": "at the end of each event"}),
        ("event", "dwz", {"rules": "2026"}, {"Rules": "from 1 August 2026"}),
        ("journal", "fide", {}, {"Rules": "the rules of 2024 for every game", "Rating period": "each month"}),
        ("league", "elo", {}, {"Rating period": "after each game"}),
    ],
)
def test_start_says_which_edition_of_the_rules_holds_and_when_ratings_are_updated(
    name: str, rules: str, settings: dict[str, Any], said: dict[str, str]
) -> None:
    start = plan_book(blank_book(name, system(rules), settings)).sheet("Start")
    cells = {(cell.row, cell.column): cell.value for cell in start.cells}
    about = {value: str(cells.get((row, 4))) for (row, column), value in cells.items() if column == 2}
    assert {label: words in about[label] and "fixed" in about[label] for label, words in said.items()} == dict.fromkeys(
        said, True
    )


@pytest.mark.parametrize("name", ["journal", "event", "league"])
def test_headers_longer_than_their_columns_have_two_lines(name: str, tmp_path: Path) -> None:
    plan = plan_book(blank_book(name, system("fide"), {}))
    write_book(plan, tmp_path / "b.xlsx")
    book = load_workbook(tmp_path / "b.xlsx")
    for sheet in plan.sheets:
        for table in sheet.tables:
            cut = any(len(column.label) >= column.width > 0 for column in table.columns)
            high = (book[sheet.name].row_dimensions[table.first_row].height or 15) >= 30
            assert high or not cut, (sheet.name, table.name)


def test_start_says_what_the_scale_means_under_each_curve() -> None:
    """At the scale the logistic curve gives ten to one, the normal one 92 %, the linear one certainty."""
    at_scale = {"logistic": 10 / 11, "normal": NormalDist(0, 400 * 5 / 7).cdf(400), "linear": 1.0}
    said = {"logistic": "odds of ten to one", "normal": "at which 92 %", "linear": "every game is expected to be won"}
    for curve, words in said.items():
        shaped = system("elo").shaped(system("elo").settings({"curve": curve}))
        expected = next(line.step for line in shaped.lines if line.name == "expected")
        assert float(expected(400.0, 400.0)) == pytest.approx(at_scale[curve], abs=1e-9)
        assert words in start_lines("elo", curve=curve)["Scale"][1]
    assert round(at_scale["normal"], 2) == 0.92


def checked(plan: Plan) -> dict[str, tuple[Any, Any]]:
    """What the Check sheet counts and says, by the words of each line."""
    cells = {(cell.row, cell.column): cell.value for cell in plan.sheet("Check").cells}
    return {
        str(text).strip(): (cells[row, 2], cells[row, 4])
        for (row, at), text in cells.items()
        if at == 1 and (row, 4) in cells
    }


@pytest.mark.parametrize("engine", ["ironcalc", pytest.param("libreoffice", marks=pytest.mark.libreoffice)])
def test_check_finds_what_was_typed_wrong(engine: str, tmp_path: Path) -> None:
    """A win by 0 to 3, a draw by 2 to 1, a game without points; dates as text, of which 1872 cannot be a number."""
    book = small(filled_book("league", system("nfl"), {}, first_games("nfl", 8)), 44, 40)
    typed = {label: list(values) for label, values in book.inputs.tables["Games"].items()}
    rows = [("1-0", 0.0, 3.0), ("1/2-1/2", 2.0, 1.0), ("0-1", 0.0, 1.0), (None, 0.0, 3.0), ("1-0", None, None)]
    for i, (result, white, black) in enumerate(rows):
        typed["Result"][i], typed["White points"][i], typed["Black points"][i] = result, white, black
    typed["Date"][:4] = ["12.03.2024", "1872-11-30", "1999-12-31", 45000.0]
    book = dataclasses.replace(
        book, inputs=dataclasses.replace(book.inputs, tables={**book.inputs.tables, "Games": typed})
    )
    plan = plan_book(book)
    found = checked(plan)
    assert found["Results typed that the points do not say"] == (2.0, "look")
    assert found["points missing"] == (1.0, "look")
    assert found["Games typed that are not rated"] == (1.0, "look")
    assert found["Numbers, days and choices that are not understood: the formulas pass over them"] == (2.0, "look")
    write_book(plan, tmp_path / "typed.xlsx")
    assert off(plan, recalculate_many([tmp_path / "typed.xlsx"], engine, timeout=300)[0].values) == []


def test_check_names_games_without_a_day_where_the_rule_needs_one() -> None:
    book = small(filled_book("league", system("glicko"), {"period": "month"}, first_games("glicko", 8)), 12, 40)
    typed = {**book.inputs.tables["Games"], "Date": [None, 45000.0, 44000.0, *[46000.0 + i for i in range(9)]]}
    plan = plan_book(
        dataclasses.replace(
            book, inputs=dataclasses.replace(book.inputs, tables={**book.inputs.tables, "Games": typed})
        )
    )
    found = checked(plan)
    assert found["games without a date"] == (1.0, "look")
    assert found["games dated before a game above them, whose period is closed"] == (1.0, "look")


def coloured(plan: Plan, sheet: str, label: str, tmp_path: Path) -> dict[int, list[str]]:
    """Which colours the rules of a column give its rows (from 0), by an engine that computes the rules as cells."""
    planned = plan.sheet(sheet)
    table = planned.tables[0]
    rules = [one for one in planned.highlights if one.range == table.range(label)]
    width = max((cell.column for cell in planned.cells), default=0) + len(table.columns) + 5
    cells = [
        CellPlan(row, width + at, False, re.sub(rf"(\$[A-Z]+){table.first_data_row}\b", rf"\g<1>{row}", rule.formula))
        for at, rule in enumerate(rules)
        for row in range(table.first_data_row, table.last_row + 1)
    ]
    sheets = tuple(
        dataclasses.replace(one, cells=(*one.cells, *cells)) if one.name == sheet else one for one in plan.sheets
    )
    write_book(dataclasses.replace(plan, sheets=sheets), tmp_path / "rules.xlsx", overwrite=True)
    values = recalculate_many([tmp_path / "rules.xlsx"])[0].values[sheet]
    found: dict[int, list[str]] = {}
    for cell in cells:
        if values[cell.row, cell.column] in (True, 1.0):
            found.setdefault(cell.row - table.first_data_row, []).append(rules[cell.column - width].style)
    return found


@pytest.mark.parametrize("name", ["elo", "nfl"])
def test_upsets_are_coloured_by_the_journals_rule(name: str, tmp_path: Path) -> None:
    """A win that was expected to score less than 0.3 is one, and so is a loss above 0.7."""
    log = read([NATIONS if name == "elo" else TEAMS]).games.head(90)
    book = small(filled_book("league", system(name), {"k": 60}, log), 104, 60)
    if name == "nfl":  # the points alone say who won
        typed = {**book.inputs.tables["Games"], "Result": [None] * 104}
        inputs = dataclasses.replace(book.inputs, tables={**book.inputs.tables, "Games": typed})
        book = dataclasses.replace(book, inputs=inputs)
    plan = plan_book(book)
    expected = column(plan, "Games", "White expected")[:90]
    upset = {
        i
        for i, (e, s) in enumerate(zip(expected, log["score"], strict=True))
        if (s == 1 and e < 0.3) or (s == 0 and e > 0.7)
    }
    assert upset
    assert coloured(plan, "Games", "White expected", tmp_path) == {i: ["loss"] for i in upset}


def test_streaks_and_new_peaks_are_coloured_in_the_standings(tmp_path: Path) -> None:
    log = read([NATIONS]).games.head(100)
    plan = plan_book(small(filled_book("league", system("elo"), {}, log), 104, 40))
    scores: dict[str, list[float]] = {}
    for white, black, score in zip(log["white"], log["black"], log["score"], strict=True):
        scores.setdefault(white, []).append(score)
        scores.setdefault(black, []).append(1 - score)
    runs = {}
    for name, own in scores.items():
        last = [list(group) for _, group in itertools.groupby(own)][-1]
        runs[name] = {1.0: len(last), 0.0: -len(last)}.get(last[0], 0)
    names = [name for name in column(plan, "Standings", "Player") if name]
    assert column(plan, "Standings", "Streak")[: len(names)] == [runs[name] for name in names]
    history = replay(log, system("elo")).history
    best, final = (getattr(history.groupby("player")["rating_after"], how)() for how in ("max", "last"))
    peaks = {i: ["gain"] for i, name in enumerate(names) if len(scores[name]) >= 5 and best[name] == final[name]}
    long = {i: ["win" if runs[name] > 0 else "loss"] for i, name in enumerate(names) if abs(runs[name]) >= 3}
    assert coloured(plan, "Standings", "Best", tmp_path) == peaks
    assert coloured(plan, "Standings", "Streak", tmp_path) == long
    assert peaks
    assert long


def test_every_cell_that_is_typed_into_says_what_belongs_there() -> None:
    for name in ("nfl", "egf", "fifa", "world-football", "tennis"):
        plan = plan_book(blank_book("league", system(name), {}, 10))
        typed = [c for c in plan.sheet("Games").tables[0].columns if c.is_input and c.label != "Event"]
        assert [
            c.label
            for c in typed
            if c.validation is None or not c.validation.message or not (c.validation.error or c.validation.open)
        ] == []
    season = next(
        c.validation
        for c in plan_book(blank_book("league", system("nfl"), {}, 10)).sheet("Games").tables[0].columns
        if c.label == "Season"
    )
    assert season is not None
    assert "for 1924/25 type 1925" in season.message
    assert "for 1924/25 type 1925" in season.error


def test_the_card_says_that_the_last_game_was_drawn(tmp_path: Path) -> None:
    """England drew the fifth game of the log, after a win."""
    log = read([NATIONS]).games.head(5)
    assert (log["black"].iloc[4], log["score"].iloc[4]) == ("England", 0.5)
    book = with_inputs(small(filled_book("league", system("elo"), {}, log), 44, 30), {"card": "England"})
    plan = plan_book(book)
    at = {(cell.row, cell.column): cell.value for cell in plan.sheet("Card").cells}
    assert next(at[row, 2] for (row, _), value in at.items() if value == "Streak") == "drew"
    write_book(plan, tmp_path / "drew.xlsx")
    assert off(plan, recalculate_many([tmp_path / "drew.xlsx"])[0].values) == []


def formats(plan: Plan) -> dict[str, str]:
    """The number format of each column of Players, Games, Card and Ledger that has one, by label."""
    tables = [t for s in plan.sheets if s.name in {"Players", "Games", "Card", "Ledger"} for t in s.tables]
    return {c.label: CELL[c.style].get("num_format", "") for t in tables for c in t.columns}


@pytest.mark.parametrize(
    ("name", "settings", "digits"),
    [
        ("trueskill", {}, 3),
        ("elo", {}, 1),
        ("elo", {"initial": 0}, 1),
        ("elo", {"initial": 30, "k": 1}, 3),
        ("egf", {}, 1),
    ],
)
def test_small_ratings_are_shown_with_more_decimals(name: str, settings: dict[str, Any], digits: int) -> None:
    book = blank_book("league", system(name), settings, 10)
    plan, zeros = plan_book(book), "0" * digits
    shown = formats(plan)
    assert {shown[label] for label in ("Starts at", "Rating", "White rating", "White after", "After")} == {f"0.{zeros}"}
    assert {shown[label] for label in ("White change", "Change")} == {f"+0.{zeros};-0.{zeros};0.{zeros}"}
    figure = next(
        cell
        for cell in plan.sheet("Card").cells
        if cell.style.startswith(("figure", "row_figure")) and "num_format" in CELL[cell.style]
    )
    assert CELL[figure.style]["num_format"] == f"0.{zeros}"
    if name == "trueskill":
        assert shown["Sigma"] == "0.000"


@pytest.mark.parametrize(
    ("drawn", "begin"),
    [([1300.0, 1700.0], 1100.0), ([19.6, 28.8], 15.0), ([110.0, 150.0], 90.0), ([1500.0, 1550.0], None)],
)
def test_the_axis_of_a_chart_begins_half_the_spread_below_the_lowest(drawn: list[float], begin: float | None) -> None:
    """1300 less 200 is 1100, 19.6 less 4.6 is 15, 110 less 20 is 90; a spread below a sixth is left to the program."""
    assert y_minimum(drawn) == begin


def test_a_comparison_shows_each_system_with_its_decimals() -> None:
    asked = {"systems": "elo,trueskill"}
    plan = plan_book(blank_book("compare", system("elo"), {}, 10, asked))
    compared = {c.label: CELL[c.style].get("num_format") for c in plan.sheet("Compare").tables[0].columns}
    assert (compared["elo"], compared["trueskill"]) == ("0.0", "0.000")
    for sheet, name, digits in (("Ledger", "elo", "0.0"), ("Ledger_trueskill", "trueskill", "0.000")):
        after, columns = system(name).label("rating_after"), plan.sheet(sheet).tables[0].columns
        assert next(CELL[c.style]["num_format"] for c in columns if c.label == after) == digits


@pytest.mark.parametrize("name", SYSTEMS)
def test_headers_are_not_cut_off(name: str) -> None:
    plan = plan_book(blank_book("league", system(name), {}, 10))
    tables = [table for sheet in plan.sheets if not sheet.hidden for table in sheet.tables]
    assert [
        (t.name, c.label) for t in tables for c in t.columns if max(map(len, c.label.split()), default=0) >= c.width > 0
    ] == []


def test_the_card_shows_the_chosen_player(tmp_path: Path) -> None:
    log = read([EVENT]).games
    name = log["white"].iloc[3]
    book = with_inputs(league("elo", 45), {"card": name})
    plan = plan_book(book)
    mine = log[(log["white"] == name) | (log["black"] == name)].iloc[::-1]
    opponents = [b if w == name else w for w, b in zip(mine["white"], mine["black"], strict=True)]
    assert [one for one in column(plan, "CardGames", "Opponent") if one] == opponents[:20]
    scores = [s if w == name else 1 - s for w, s in zip(mine["white"], mine["score"], strict=True)]
    words = {1.0: "Win", 0.5: "Draw", 0.0: "Loss"}
    assert [one for one in column(plan, "CardGames", "Result") if one] == [words[s] for s in scores][:20]
    met = pd.Series(opponents).value_counts()
    shown = dict(zip(column(plan, "CardOpponents", "Met"), column(plan, "CardOpponents", "Games"), strict=True))
    assert {key: value for key, value in shown.items() if key} == met.astype(float).to_dict()
    write_book(plan, tmp_path / "card.xlsx")
    assert off(plan, recalculate_many([tmp_path / "card.xlsx"])[0].values) == []


def test_the_charts_mark_the_peaks_and_follow_the_days(tmp_path: Path) -> None:
    """Beside a replay of the log: after each game the ratings of the four that the chart shows."""
    log = read([NATIONS]).games
    plan = plan_book(filled_book("league", system("elo"), {}, log))
    shown = [str(cell.value) for cell in plan.sheet("Chart").cells if cell.row == 4 and cell.is_input]
    ratings = {name: [1500.0] for name in shown}
    history = replay(log, system("elo")).history
    for game in range(len(log)):
        both = history.iloc[2 * game : 2 * game + 2]
        after = dict(zip(both["player"], both["rating_after"], strict=True))
        for name, line in ratings.items():
            line.append(after.get(name, line[-1]))
    days = [(day - pd.Timestamp("1899-12-30")).days for day in log["date"]]
    drawn = [int(game) for game in column(plan, "Curves", "Game") if game]
    assert (drawn[0], drawn[-1]) == (1, len(log))
    assert column(plan, "Curves", "Day") == pytest.approx([max(days[:game]) for game in drawn])
    begin = next(cell for cell in plan.sheet("Curves").cells if cell.value == "Peak at").column
    cells = {(cell.row, cell.column): cell.value for cell in plan.sheet("Curves").cells}
    for number, name in enumerate(shown, 1):
        line = [ratings[name][game] for game in drawn]
        top = max(line)
        found = [cells[4 + number, begin + at] for at in range(3)]
        at = min(i for i, rating in enumerate(line) if rating > top - 1e-9)
        assert found == pytest.approx([drawn[at], max(days[: drawn[at]]), top], abs=1e-9)


@pytest.mark.parametrize("rule", ["elo", "trueskill"])
def test_the_bars_of_the_card_hold_every_rated_player(rule: str) -> None:
    log = read([NATIONS]).games
    plan = plan_book(filled_book("league", system(rule), {}, log))
    final = replay(log, system(rule)).ratings.set_index("player")["rating"]
    edges = [float(edge) for edge in column(plan, "CardSpread", "From")]
    step = edges[1] - edges[0]
    assert edges == pytest.approx([edges[0] + step * i for i in range(len(edges))])
    assert (final.max() - final.min()) / 10 <= step * (1 + 1e-6)
    every = [sum(edge - 1e-6 <= rating < edge + step - 1e-6 for rating in final) for edge in edges]
    own = final[next(str(cell.value) for cell in plan.sheet("Card").cells if cell.is_input)]
    mine = [int(edge - 1e-6 <= own < edge + step - 1e-6) for edge in edges]
    assert column(plan, "CardSpread", "Own") == mine
    assert column(plan, "CardSpread", "Others") == [all_ - one for all_, one in zip(every, mine, strict=True)]
    assert sum(every) == len(final)


@pytest.mark.parametrize(
    ("template_name", "pages"),
    [
        ("league", {"Card", "Chart", "Cross", "Standings"}),
        ("season", {"Card", "Chart", "Form", "Power", "Split", "Table"}),
        ("ratings-list", {"Chart", "List", "Movers", "Periods", "Progress", "Ranking"}),
        ("compare", {"Chart", "Compare", "Predictions", "Scores"}),
        ("journal", {"Dashboard", "Months", "Opponents", "Results"}),
        ("event", {"Card", "Event", "Newcomers", "Rounds", "Standings"}),
    ],
)
def test_before_the_first_game_the_pages_of_figures_say_where_to_type_it(template_name: str, pages: set[str]) -> None:
    rules = system({"season": "world-football", "event": "fide"}.get(template_name, "elo"))
    plan = plan_book(blank_book(template_name, rules, {}, 10))
    games = {"season": "Fixtures", "journal": "Log"}.get(template_name, "Games")
    said = f"No game is rated yet: type the first one on the sheet {games}, and it shows here."
    found = {sheet.name for sheet in plan.sheets if said in {cell.value for cell in sheet.cells}}
    assert found - {"Curves", "CardCurve", "Report"} == pages
    assert ("Report" in found) == (template_name != "journal")
    marks = [one for s in plan.sheets for c in s.charts for one in c.series if one.style == "mark_peak"]
    for mark in marks:  # nothing has its peak yet
        sheet, _, cell = mark.name.lstrip("=").replace("$", "").partition("!")
        (name,) = (one.value for one in plan.sheet(sheet).cells if cell_name(one.row, one.column) == cell)
        assert name == said


def test_days_before_1900_are_kept_as_text_and_refused_where_they_count(tmp_path: Path) -> None:
    days = ["1872-11-30", "1899-12-31", "1900-01-01", "1901-01-01"]
    log = first_games("elo", 4).assign(date=pd.to_datetime(days))
    plan = plan_book(small(filled_book("league", system("elo"), {}, log), 6, 40))
    assert column(plan, "Games", "Date")[:4] == ["1872-11-30", "1899-12-31", 2.0, 367.0]
    final = replay(log, system("elo")).ratings.set_index("player")["rating"]
    assert standing(plan) == pytest.approx(final.to_dict(), abs=1e-9)
    write_book(plan, tmp_path / "early.xlsx")
    assert validate(tmp_path / "early.xlsx").status == "agrees"
    with pytest.raises(UnreadableInput, match=r"row \d+: spreadsheets cannot count with 1872-11-30"):
        filled_book("league", system("fide"), {}, log)


def test_a_volatility_is_shown_with_its_digits() -> None:
    plan = plan_book(blank_book("league", system("glicko2"), {}, 10))
    styles = {c.label: c.style for sheet in plan.sheets for t in sheet.tables for c in t.columns}
    assert (styles["Volatility"], styles["Phi after"], styles["RD"]) == ("fine", "fine", "points")


def test_rules_of_many_columns_keep_fewer_games_live(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(template("league"), "live", 1000)
    log = read([NATIONS]).games
    rated = {}
    for name in ("elo", "fide"):
        monkeypatch.setattr(build, "MOST_FORMULAS", 14_500)
        statuses = column(plan_book(filled_book("league", system(name), {"initial": 1500}, log)), "Games", "Status")
        rated[name] = sum(status == "rated" for status in statuses)
    assert 30 <= rated["fide"] < rated["elo"] < len(log)
