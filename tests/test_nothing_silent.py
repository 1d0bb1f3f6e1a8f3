"""What is typed into a book and not understood stops there in red; what is typed in place of a figure says so.

Each book is recalculated by both engines after typing, and every cell compared with the plan.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from elo_sheets.cli import run_command
from elo_sheets.engines.recalculate import recalculate_many
from elo_sheets.files.cells import CellError
from elo_sheets.files.package import read_book
from elo_sheets.systems import system
from elo_sheets.uses.importing import import_logs
from elo_sheets.uses.updating import next_season
from elo_sheets.validate import validate
from elo_sheets.validate.judge import same
from elo_sheets.workbook import new_book
from elo_sheets.workbook.book import Book
from elo_sheets.workbook.build import blank_book, plan_book
from elo_sheets.workbook.plan import Plan
from elo_sheets.workbook.write import write_book

ENGINES = ["ironcalc", pytest.param("libreoffice", marks=pytest.mark.libreoffice)]
SAMPLES = Path(__file__).parent.parent / "samples"
Rows = Sequence[Mapping[str, Any]]


def typed(book: Book, cells: Mapping[str, Any] | None = None, **tables: Rows) -> Book:
    """The book with rows typed into its tables, and single cells by their role."""
    held: dict[str, Any] = {k: {c: list(v) for c, v in table.items()} for k, table in book.inputs.tables.items()}
    for name, rows in tables.items():
        for at, row in enumerate(rows):
            for label, value in row.items():
                held[name][label][at] = value
    inputs = dataclasses.replace(book.inputs, tables=held, cells={**book.inputs.cells, **(cells or {})})
    return dataclasses.replace(book, inputs=inputs)


def proved(plans: Sequence[Plan], engine: str, folder: Path) -> list[Mapping[str, Mapping[tuple[int, int], Any]]]:
    """What one start of the engine computes of the written books, every cell of which is as planned and no error."""
    paths = [folder / f"{number}.xlsx" for number in range(len(plans))]
    for plan, path in zip(plans, paths, strict=True):
        write_book(plan, path)
    found = [done.values for done in recalculate_many(paths, engine, timeout=600)]
    for plan, values in zip(plans, found, strict=True):
        got = ((cell, values[cell.sheet].get((cell.row, cell.column))) for cell in plan.formulas())
        assert [(c.sheet, c.row, c.label, c.value, v) for c, v in got if not same(c.value, v, 1e-9)] == []
        assert not any(isinstance(value, CellError) for cells in values.values() for value in cells.values())
    return found


def column(plan: Plan, table: str, label: str) -> list[Any]:
    columns = (c for sheet in plan.sheets for t in sheet.tables if t.name == table for c in t.columns)
    return list(next(c.fill.values for c in columns if c.label == label))


def beside(plan: Plan, sheet: str, values: Mapping[tuple[int, int], Any]) -> dict[str, Any]:
    """The values in the cells to the right of the texts of a sheet."""
    return {str(c.value): values.get((c.row, c.column + 1)) for c in plan.sheet(sheet).cells if c.style == "label"}


# --- one player, pasted ---------------------------------------------------------------------------------------------

FIGURES = ("n", "W", "We", "Rc", "K", "Change", "Rp", "Rp linear")


SLIPS = ({"Result": "wni"}, "no result: write 1, ½ or 0"), ({"Opponent": "x"}, "no rating: a number")


@cache
def pasted(name: str, slip: int | None = None) -> Plan:
    """An event with pasted games, the last of them with a slip."""
    book = blank_book("event", system(name), {}, 4)
    games = [(1800.0, "1:0"), (1900.0, "½"), (0.0, "1"), (2000.0, "remis"), (1700.0, "L")]
    rows: list[Mapping[str, Any]] = [{"Opponent": rating, "Result": result} for rating, result in games]
    rows += [] if slip is None else [{"Opponent": 1850.0, "Result": "W"} | SLIPS[slip][0]]
    return plan_book(typed(book, {"paste_rating": 1900.0}, Paste=rows))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["fide", "dwz"])
def test_a_pasted_row_that_is_not_understood_stops_the_total_in_red(name: str, engine: str, tmp_path: Path) -> None:
    plan, wrong = pasted(name), [pasted(name, slip) for slip in range(len(SLIPS))]
    right, *computed = proved([plan, *wrong], engine, tmp_path)
    found = beside(plan, "Paste", right["Paste"])
    assert (found["Status"], found["n"], found["W"], found["Rc"]) == ("ready", 4, 2, 1850)
    assert column(plan, "Paste", "Status")[:6] == ["rated", "rated", "no rating", "rated", "rated", ""]
    for (_, said), bad, values in zip(SLIPS, wrong, computed, strict=True):
        stopped = beside(bad, "Paste", values["Paste"])
        assert stopped["Status"] == "A row in red is not understood"
        assert (stopped["n"], [stopped[one] for one in FIGURES[1:]]) == (0, [""] * 7)
        assert column(bad, "Paste", "Status")[5] == said
        red = [mark for mark in bad.sheet("Paste").highlights if mark.style == "alarm"]
        assert any("FIND" in mark.formula and mark.range.startswith("$A$5") for mark in red)


# --- names ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_an_unknown_name_of_an_event_is_told_with_the_one_that_is_near(engine: str, tmp_path: Path) -> None:
    people = [{"Name": one, "Rating": 1900.0} for one in ("Northern Star", "Player 1", "Ångström")]
    games = [("Nothern Star", "Player 1"), ("Player 1", "Angström"), ("Quite Other", "Player 1"), ("Player 1", "star")]
    rows = [{"Round": i + 1.0, "White": w, "Black": b, "Result": "1-0"} for i, (w, b) in enumerate(games)]
    plans = [
        plan_book(typed(blank_book("event", system(name), {}, 5), Players=people, Games=rows))
        for name in ("fide", "uschess")
    ]
    proved(plans, engine, tmp_path)
    for plan in plans:
        assert column(plan, "Games", "Status")[:5] == [
            "not on Players: did you mean Northern Star?",
            "not on Players: did you mean Ångström?",
            "not on Players: enter the name there",
            "not on Players: did you mean Northern Star?",
            "",
        ]


# --- cells in place of figures --------------------------------------------------------------------------------------

COEFFICIENTS = [("fide", {}, "K", "20"), ("dwz", {}, "E", "28"), ("dwz", {"rules": "2026"}, "K", "38")]


@cache
def with_coefficients(name: str, label: str, **settings: Any) -> Plan:
    """An event of four players, with nothing, a number and a word typed in place of the rule's coefficient."""
    book = blank_book("event", system(name), settings, 4)
    assert set(book.inputs.tables["Players"][label]) == {None}
    assert book.inputs.cells["paste_step"] is None
    people = [{"Name": f"Player {i}", "Rating": 1900.0, label: value} for i, value in enumerate((None, 15.0, "x", 7.0))]
    games = [{"Round": float(i), "White": "Player 0", "Black": f"Player {i}", "Result": "½"} for i in (1, 2)]
    pasted = [{"Opponent": 1900.0, "Result": "½"}]
    return plan_book(
        typed(book, {"paste_rating": 1900.0, "paste_step": 12.0}, Players=people, Games=games, Paste=pasted)
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_a_typed_coefficient_says_what_it_replaces_and_is_empty_in_a_new_book(engine: str, tmp_path: Path) -> None:
    plans = [with_coefficients(name, label, **settings) for name, settings, label, _ in COEFFICIENTS]
    for plan, values, (*_, rule) in zip(plans, proved(plans, engine, tmp_path), COEFFICIENTS, strict=True):
        said = ["", f"replaces {rule}", "no number: not used", "replaces the rule's", ""]
        assert column(plan, "Players", "Instead")[:5] == said
        remarks = [cell for cell in plan.sheet("Paste").cells if str(cell.value).startswith("replaces")]
        assert [values["Paste"].get((cell.row, cell.column)) for cell in remarks] == [f"replaces {rule}"]


UNUSED = "The typed share is not used"
SHARES = [  # the model of draws, the typed share, how many games are played, and what stands beside the share
    ("as played", None, 3, "Share that is expected"),
    ("share", None, 0, "Share that is expected"),
    ("none", None, 0, "Share that is expected"),
    ("as played", 0.3, 0, "As typed, until a result"),
    ("as played", 0.3, 3, UNUSED),
    ("none", 0.3, 0, UNUSED),
    ("share", 0.3, 0, "Share as typed"),
    ("share", 0.3, 3, "Typed, replaces 66.7 %"),
]


@cache
def with_share(model: str, share: float | None, count: int) -> Plan:
    """A season of two teams and so many games."""
    book = blank_book("season", system("elo"), {}, 6)
    assert book.inputs.cells["draw_share"] is None
    teams = [{"Team": "Team 1"}, {"Team": "Team 2"}]
    played = [{"Home": "Team 1", "Away": "Team 2", "Result": result} for result in ("1-0", "½", "½")]
    return plan_book(typed(book, {"draw_model": model, "draw_share": share}, Teams=teams, Fixtures=played[:count]))


@pytest.mark.parametrize("engine", ENGINES)
def test_the_typed_share_of_draws_says_whether_it_counts(engine: str, tmp_path: Path) -> None:
    plans = [with_share(*case) for *case, _ in SHARES]
    for plan, (*_, says) in zip(plans, SHARES, strict=True):
        assert next(c for c in plan.sheet("Forecast").cells if (c.row, c.column) == (5, 3)).value == says
    proved(plans[3:] if engine == "ironcalc" else plans[3:5] + plans[7:], engine, tmp_path)


# --- DWZ's own performance ------------------------------------------------------------------------------------------

# An official evaluation: the opponents, 6.5 points, and the performance that it prints.
OPPONENTS, POINTS, PRINTED = (1551, 1828, 2310, 2211, 2082, 1547, 2049, 2210, 2375), 6.5, 2279.0


@pytest.mark.parametrize("engine", ENGINES)
def test_a_report_of_dwz_shows_the_printed_performance_on_every_sheet(engine: str, tmp_path: Path) -> None:
    scores = [1.0] * 6 + [0.5, 0.0, 0.0]
    assert sum(scores) == POINTS
    words = {1.0: "1-0", 0.5: "½", 0.0: "0-1"}
    people = [{"Name": "Player 0", "Rating": 2100.0}]
    people += [{"Name": f"Player {i}", "Rating": float(rating)} for i, rating in enumerate(OPPONENTS, 1)]
    games = [
        {"Round": float(i), "White": "Player 0", "Black": f"Player {i}", "Result": words[score]}
        for i, score in enumerate(scores, 1)
    ]
    pasted = [{"Opponent": float(o), "Result": s} for o, s in zip(OPPONENTS, scores, strict=True)]
    cells = {"paste_rating": 1500.0, "card": "Player 0"}
    book = typed(blank_book("event", system("dwz"), {}, 12), cells, Players=people, Games=games, Paste=pasted)
    plan = plan_book(book)
    (values,) = proved([plan], engine, tmp_path)
    assert column(plan, "Ratings", "Rp")[0] == PRINTED
    assert column(plan, "Standings", "Rp")[column(plan, "Standings", "Name").index("Player 0")] == PRINTED
    assert beside(plan, "Paste", values["Paste"])["Rp"] == PRINTED
    assert "Player 0  2279" in values["Event"].values()
    assert PRINTED in values["Card"].values()
    # All points or none: no performance.
    assert column(plan, "Ratings", "Rp")[1] == ""


# --- days -----------------------------------------------------------------------------------------------------------

BOOKS = {
    ("league", "ecf"): ("Players", "Player", "Games", "no date"),
    ("ratings-list", "glicko"): ("Players", "Player", "Games", "no date"),
    ("compare", "elo"): ("Players", "Player", "Games", "rated"),
    ("season", "elo"): ("Teams", "Team", "Fixtures", "rated"),
    ("journal", "fide"): ("", "", "Log", "no date: type the day"),
}


@cache
def typed_day(template: str, name: str, day: float) -> Plan:
    """A book with three games, of which the second has such a day."""
    people, label, log, _ = BOOKS[template, name]
    said: dict[str, Any] = {"White": "Player 1", "Black": "Player 2", "Home": "Player 1", "Away": "Player 2"}
    said |= {"Opponent": "Player 2", "Opponent rating": 1500.0, "Result": "Win" if template == "journal" else "1-0"}
    book = blank_book(template, system(name), {}, 4)
    known = said.keys() & book.inputs.tables[log].keys()
    rows = [{key: said[key] for key in known} | {"Date": one} for one in (45292.0, day, 45300.0)]
    tables: dict[str, Any] = {log: rows} | ({people: [{label: "Player 1"}, {label: "Player 2"}]} if people else {})
    return plan_book(typed(book, **tables))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_day_typed_as_a_long_number_is_one_red_cell(engine: str, tmp_path: Path) -> None:
    days = (240105.0, 20240105.0)
    cases = [(book, days[at % 2]) for at, book in enumerate(BOOKS)]
    plans = [typed_day(*book, day) for book, day in cases]
    proved(plans, engine, tmp_path)
    for number, ((book, day), plan) in enumerate(zip(cases, plans, strict=True)):
        _, _, log, status = BOOKS[book]
        assert column(plan, log, "Status")[:3] == ["rated", status, "rated"], (book, day)
        if engine == "ironcalc":
            codes = {finding.code: finding.range for finding in validate(tmp_path / f"{number}.xlsx").findings}
            assert codes["ES408"].startswith(f"{log}!B6"), (book, day)


# --- where settings and start ratings come from ---------------------------------------------------------------------

LOG = "date,white,black,result\n2026-01-05,Player 1,Player 2,1-0\n2026-01-06,Player 2,Player 3,1-0\n"
MADE = "When this book was made – "


def front(path: Path) -> list[str]:
    cells = read_book(path).sheets["Start"].values()
    return [str(cell.value).removeprefix(MADE) for cell in cells if str(cell.value).startswith(MADE)]


def test_the_front_sheet_says_where_settings_and_start_ratings_come_from(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text(LOG)
    book = tmp_path / "club.xlsx"
    import_logs(log, book, settings={"k": 32}, start="Player 1=1700")
    given = "Start ratings: 1 of 3 as given; 2 the initial rating of the settings."
    assert front(book) == ["Settings: given k 32; the others are the system's defaults.", given]
    assert validate(book).status == "agrees"
    next_season(book, tmp_path / "next.xlsx")
    assert front(tmp_path / "next.xlsx")[1] == "Start ratings: those at the end of the season before."
    assert validate(tmp_path / "next.xlsx").status == "agrees"
    import_logs(SAMPLES / "uzchesscup.pgn", book, system="ecf", overwrite=True)
    assert front(book)[1] == "Start ratings: 10 of 10 the first that the log publishes."
    new_book("ratings-list", book, system="elo", overwrite=True)
    assert front(book)[0] == "Settings: from the template period month; the others are the system's defaults."


def test_a_statement_says_where_settings_and_the_start_rating_come_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log.csv"
    log.write_text(LOG)
    for options, lines in (
        ([], ["Settings: all are the system's defaults", "Start rating: 1500, the initial rating of the settings"]),
        (
            ["--set", "initial=1400"],
            [
                "Settings: given initial 1400; the others are the system's defaults",
                "Start rating: 1400, the initial rating of the settings",
            ],
        ),
        (["--start", "Player 1=1700"], ["Settings: all are the system's defaults", "Start rating: 1700, as given"]),
    ):
        assert run_command(["explain", "Player 1", str(log), *options]) == 0
        assert capsys.readouterr().out.splitlines()[1:3] == lines
    assert run_command(["explain", "Abdusattorov, Nodirbek", str(SAMPLES / "uzchesscup.pgn"), "--system", "fide"]) == 0
    assert capsys.readouterr().out.splitlines()[2].endswith(", the first that the log publishes")
