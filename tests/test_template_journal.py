"""The journal: every formula gives what the plan says, pool by pool, and what players expect of it."""

from __future__ import annotations

import dataclasses
import datetime as dt
import math
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from workbook_cases import Rule, journal_ratings, made_journal, once, shared_folder

from elo_sheets.engines.recalculate import recalculate, recalculate_many
from elo_sheets.errors import UsageError
from elo_sheets.files.cells import Cell, CellError, Value
from elo_sheets.files.package import read_book
from elo_sheets.games import make_games
from elo_sheets.odds.performance import exact_performance
from elo_sheets.readers import read
from elo_sheets.replaying.journal import journal_games
from elo_sheets.replaying.periods import sheet_days
from elo_sheets.replaying.replay import replay, replay_journal
from elo_sheets.systems import system
from elo_sheets.workbook.book import Book, Inputs
from elo_sheets.workbook.build import blank_book, filled_book, plan_book
from elo_sheets.workbook.fits import fitting_systems
from elo_sheets.workbook.journal.curves import CURVE_POINTS
from elo_sheets.workbook.journal.rows import INPUTS
from elo_sheets.workbook.plan import MARGIN, STEP, Plan, TablePlan
from elo_sheets.workbook.write import write_book

SAMPLES = Path(__file__).parents[1] / "samples"
SYSTEMS = fitting_systems("journal")
POOLS = ("Standard", "Rapid", "Blitz")
HOSTILE = ["=1+1", "Abe*", "A?el", "~Abe", ">5", "<>", "O'Neil", 'a"b', "*", "player 3"]
Values = Mapping[str, Mapping[tuple[int, int], Value]]
ITERATING = ("glicko2", "lichess")
libreoffice = pytest.mark.libreoffice


def log(count: int, pools: Sequence[str] = ("Standard",)) -> pd.DataFrame:
    """Games of Player 1 in the order of play, three every two days; some opponents bear names of the odd kind."""
    records = []
    for i, (_, _, rating, colour, result) in enumerate(made_journal(count, 5)):
        opponent = HOSTILE[i // 5 % len(HOSTILE)] if i % 5 == 0 else f"Player {2 + i * 7 % 23}"
        score = {"Win": 1.0, "Draw": 0.5, "Loss": 0.0}[str(result)]
        white = colour == "White"
        records.append(
            {
                "date": pd.Timestamp("2022-01-01") + pd.Timedelta(days=2 * i // 3),
                "white": "Player 1" if white else opponent,
                "black": opponent if white else "Player 1",
                "score": score if white else 1 - score,
                "white_rating": 1500.0 if white else rating,
                "black_rating": rating if white else 1500.0,
                "pool": pools[i * i % len(pools)],
                "eco": ("B90", "C42", "b90", "A0*", "", "D37")[i % 6],
                "time_control": ("90+30", "15+10", "3+2")[i % 3],
                "event": f"Event {i // 9}",
                "source": "made",
                "source_row": i + 1,
            }
        )
    return make_games(records)


def journal(games: pd.DataFrame, name: str = "elo", **settings: object) -> Book:
    """A journal of the games, with goals, planned games and bands typed."""
    book = filled_book("journal", system(name), settings, games, "Player 1")
    tables = {
        **book.inputs.tables,
        "Goals": {
            "Target": [1600.0, 2100.0, 1400.0, None, "soon", 1700.0],
            "Pool": [None, "Rapid", None, None, None, "Nowhere"],
            "Games": [10.0, 4.0, 5.0, None, None, 3.0],
            "Opposition": [1550.0, 1700.0, 1500.0, None, None, 1500.0],
        },
        "Planned": {
            "Opponent": ["Player 3", "Abe*", None, *[None] * 5],
            "Opponent rating": [1720.0, 1400.0, None, *[None] * 5],
            "Opponent RD": [None, 120.0, None, *[None] * 5],
            "Colour": ["White", "Black", None, *[None] * 5],
            "Pool": [None, "rapid", None, *[None] * 5],
        },
    }
    return dataclasses.replace(book, inputs=dataclasses.replace(book.inputs, tables=tables))


def odd() -> Book:
    """A journal with rows that are not rated and with inputs that say nothing a sheet understands."""
    book = journal(log(48, POOLS))
    typed = {label: list(values) for label, values in book.inputs.tables["Log"].items()}
    typed["Opponent rating"][3] = None
    typed["Result"][7], typed["Result"][8] = "won", None
    typed["Pool"][11] = "Nowhere"
    typed["Colour"][12] = "Grey"
    typed["Date"][20], typed["Date"][22] = None, "12.03.2024"
    for label in typed:
        typed[label][15] = None
        typed[label][31] = typed[label][30]
    typed["Date"][40] = 30000.0
    pools = {label: list(values) for label, values in book.inputs.tables["Pools"].items()}
    pools["Pool"][3], pools["Start rating"][1] = "RAPID", 1700.0
    tables = {**book.inputs.tables, "Log": typed, "Pools": pools}
    cells = {**book.inputs.cells, "pool_shown": "Rapid"}
    return dataclasses.replace(book, inputs=dataclasses.replace(book.inputs, tables=tables, cells=cells))


def sample() -> Book:
    games = read([SAMPLES / "uzchesscup.pgn"]).games
    return filled_book("journal", system("fide"), {}, games, "Praggnanandhaa R")


BOOKS = {
    **{f"{name}-blank": lambda name=name: blank_book("journal", system(name), {}, 12) for name in SYSTEMS},
    **{f"{name}-40": lambda name=name: journal(log(40, POOLS), name) for name in SYSTEMS},
    "elo-month": lambda: journal(log(60, POOLS), period="month"),
    "glicko-game": lambda: journal(log(40), "glicko", period="game"),
    "dwz-year": lambda: journal(log(40), "dwz", period="year"),
    "elo-odd": odd,
    "fide-sample": sample,
}
IN_LIBREOFFICE = ["elo-blank", "elo-40", "elo-odd", "elo-month", "glicko-40", "dwz-40"]
PAIRS: list[Any] = [(name, "ironcalc") for name in BOOKS]
PAIRS += [pytest.param(name, "libreoffice", marks=libreoffice) for name in IN_LIBREOFFICE]
every_book = pytest.mark.parametrize(("name", "engine"), PAIRS)


@cache
def planned(name: str) -> Plan:
    plan: Plan = plan_book(BOOKS[name]())
    return plan


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("journals")


def path(name: str, shelf: Path) -> Path:
    target = shelf / f"{name}.xlsx"
    if not target.exists():
        write_book(planned(name), target)
    return target


def off(plan: Plan, values: Mapping[str, Mapping[tuple[int, int], Value]], tolerance: float = 1e-9) -> Iterator[str]:
    """The cells whose result differs from the plan's."""
    for one in plan.formulas():
        found, value = values[one.sheet].get((one.row, one.column)), one.value
        if isinstance(found, (int, float)) and isinstance(value, (int, float)):
            same = abs(found - value) <= tolerance * max(1.0, abs(value) / 4000)
        else:
            same = not isinstance(found, CellError) and (found or "") == (value or "")
        if not same:
            yield f"{one.sheet} {one.label} row {one.row}: {found!r}, not {value!r}"


def table(plan: Plan, name: str) -> TablePlan:
    return next(one for sheet in plan.sheets for one in sheet.tables if one.name == name)


def column(plan: Plan, name: str, label: str) -> list[Any]:
    return list(next(one for one in table(plan, name).columns if one.label == label).fill.values)


def figure(plan: Plan, label: str) -> Any:
    cells = {(cell.row, cell.column): cell.value for cell in plan.sheet("Dashboard").cells}
    row, at = next(place for place, value in cells.items() if value == label)
    return cells[row, at + 1]


def check(plan: Plan) -> dict[str, tuple[Any, Any]]:
    cells = {(cell.row, cell.column): cell.value for cell in plan.sheet("Check").cells}
    rows = [row for row, at in cells if at == 4 and row > 4]
    return {str(cells[row, 1]).strip(): (cells[row, 2], cells[row, 4]) for row in rows}


# --- the engines agree --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def by_libreoffice(shelf: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Values]:
    """What LibreOffice computes of a book; one start of the program for all of them."""
    shared = shared_folder(tmp_path_factory.getbasetemp(), "journals")

    def compute() -> dict[str, Values]:
        done = recalculate_many([path(name, shelf) for name in IN_LIBREOFFICE], "libreoffice", timeout=500)
        return {name: one.values for name, one in zip(IN_LIBREOFFICE, done, strict=True)}

    return lambda name: once(shared, "by-libreoffice", compute, patience=600)[name]  # type: ignore[no-any-return]


@every_book
def test_every_cell_is_what_the_plan_says(
    name: str, engine: str, shelf: Path, by_libreoffice: Callable[[str], Values]
) -> None:
    own = engine != "libreoffice"
    values = recalculate(path(name, shelf), engine, timeout=500).values if own else by_libreoffice(name)
    faults = list(off(planned(name), values))
    if name.split("-")[0] in ITERATING:  # at the root, the last digit decides which of two neighbours a round takes
        faults = [fault for fault in faults if not fault.startswith(("Rounds", "Trial"))]
    assert faults[:5] == []


@pytest.mark.parametrize("engine", ["ironcalc", pytest.param("libreoffice", marks=libreoffice)])
def test_a_long_journal_is_computed_without_a_fault(engine: str, shelf: Path) -> None:
    # LibreOffice gives up a chain of cells by rows of some hundreds, again and again in a thousand.
    plan = plan_book(journal(log(1000 if engine == "libreoffice" else 2000, POOLS)))
    target = shelf / f"long-{engine}.xlsx"
    write_book(plan, target)
    assert list(off(plan, recalculate(target, engine, timeout=900).values))[:5] == []


@libreoffice
@pytest.mark.parametrize("name", ["elo-40", "glicko-40"])
def test_libreoffice_may_begin_its_computation_anywhere(name: str, shelf: Path) -> None:
    book = read_book(path(name, shelf))
    rows = table(planned(name), "Ledger").rows
    first = next(iter(book.sheets))
    books = []
    for label in ("Rating after", "Previous", "Best so far", "Status"):
        probe = {(1, 600): Cell(f"INDEX(Ledger[{label}],{rows})", None)}  # in the first row it begins by itself
        books.append(dataclasses.replace(book, sheets={**book.sheets, first: book.sheets[first] | probe}))
    for done in recalculate_many(books, "libreoffice", timeout=600):
        assert list(off(planned(name), done.values))[:3] == []


# --- the rating -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["elo", "fide", "ecf", "dwz", "tennis"])
@pytest.mark.parametrize("pools", [POOLS[:1], POOLS])
def test_each_pool_is_rated_as_a_journal_of_its_own(name: str, pools: Sequence[str]) -> None:
    games = log(60, pools)
    book = journal(games, name)
    plan = plan_book(book)
    after = column(plan, "Log", system(name).label("rating_after"))
    mine = journal_games(games, "Player 1")
    for pool in pools:
        chosen = mine[mine["pool"] == pool]
        history = replay_journal(chosen, system(name), book.settings).history  # type: ignore[arg-type]
        assert [after[i] for i in chosen.index] == pytest.approx(history["rating_after"].tolist(), rel=0, abs=1e-9)


def test_a_journal_of_one_pool_is_that_of_an_independent_replay() -> None:
    games = made_journal(50)
    columns = dict(zip(INPUTS, [*zip(*games, strict=True), [None] * 50], strict=True))
    inputs = Inputs({"Log": {label: list(values) for label, values in columns.items()}}, sizes={"Ledger": 50})
    plan = plan_book(Book("journal", system("elo"), system("elo").settings({}), inputs))
    after = journal_ratings(games, Rule())
    assert column(plan, "Log", "Rating after") == pytest.approx(after, rel=0, abs=1e-9)


PAPER = [(1400.0, 30.0, "Win"), (1550.0, 100.0, "Loss"), (1700.0, 300.0, "Loss")]


@pytest.mark.parametrize(
    ("name", "settings", "rating", "rd"),
    [
        # Glickman's examples: glicko.pdf (1464, 151.4), glicko2.pdf (1464.06, 151.52, from rounded values).
        ("glicko", {"initial_rd": 200, "c": 0}, 1464.1, 151.4),
        ("glicko2", {"initial_rd": 200}, 1464.05, 151.52),
    ],
)
def test_the_papers_example_comes_out_of_the_journal(
    name: str, settings: dict[str, object], rating: float, rd: float
) -> None:
    book = blank_book("journal", system(name), settings, 5)
    typed = {label: list(values) for label, values in book.inputs.tables["Log"].items()}
    for i, (opponent, deviation, result) in enumerate(PAPER):
        typed["Date"][i], typed["Opponent"][i], typed["Result"][i] = 45000.0 + i, f"Player {i}", result
        typed["Opponent rating"][i], typed["Opponent RD"][i] = opponent, deviation
    inputs = dataclasses.replace(book.inputs, tables={**book.inputs.tables, "Log": typed})
    plan = plan_book(dataclasses.replace(book, inputs=inputs))
    assert column(plan, "Log", "Rating after")[2] == pytest.approx(rating, abs=0.06)
    assert column(plan, "Log", "RD after")[2] == pytest.approx(rd, abs=0.01 if name == "glicko2" else 0.06)
    low, high = figure(plan, "Between (95 %)"), figure(plan, "  and")
    assert (low, high) == pytest.approx((rating - 1.96 * rd, rating + 1.96 * rd), abs=0.2)


@pytest.mark.parametrize("name", ["uschess", "trueskill", "chessmetrics", "ingo"])
def test_a_system_that_a_journal_cannot_hold_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=f"template journal needs a system that .*{name}"):
        blank_book("journal", system(name), {})


# --- what it tells --------------------------------------------------------------------------------------------


def test_the_results_count_the_pool_that_is_shown() -> None:
    games = log(90, POOLS)
    plan = plan_book(journal(games))
    shown = games[games["pool"] == "Standard"]
    own = [r.score if r.white == "Player 1" else 1 - r.score for r in shown.itertuples()]
    assert figure(plan, "Games rated") == len(own)
    assert figure(plan, "Score") == pytest.approx(sum(own) / len(own))
    white = (shown["white"] == "Player 1").to_list()
    assert column(plan, "ByColour", "Games") == [sum(white), len(white) - sum(white)]
    codes = [code.upper() for code in shown["eco"] if code]
    assert column(plan, "Openings", "Games")[0] == max(map(codes.count, codes))
    assert column(plan, "Letters", "Games") == [sum(c[0] == letter for c in codes) for letter in "ABCDE"]
    assert sum(n for n in column(plan, "Bands", "Games") if n) == len(own)
    assert sum(n for n in column(plan, "ByMonth", "Games") if n) == len(own)
    opponents = [(r.black if r.white == "Player 1" else r.white).lower() for r in shown.itertuples()]
    counted = [n for n in column(plan, "Opponents", "Games") if n != ""]
    assert counted == sorted((opponents.count(name) for name in set(opponents)), reverse=True)[: len(counted)]


def test_the_month_that_closed_a_games_is_one_of_its_own_pool() -> None:
    book = filled_book("journal", system("elo"), {"period": "month"}, log(12, ("Standard", "Rapid")), "Player 1")
    days = list(book.inputs.tables["Log"]["Date"])
    days[7], days[8] = 45200.0, 44500.0  # a Rapid game of October 2023, a Standard one of October 2021
    tables = {**book.inputs.tables, "Log": {**book.inputs.tables["Log"], "Date": days}}
    plan = plan_book(dataclasses.replace(book, inputs=dataclasses.replace(book.inputs, tables=tables)))
    said = [f"out of order: a game above is of {month}" for month in ("2022-01", "2023-10", "2023-10")]
    assert column(plan, "Log", "Status")[8:12] == [*said[:2], "rated", said[2]]


def test_streaks_are_counted_within_a_pool() -> None:
    plan = plan_book(journal(log(90, POOLS)))
    scores = column(plan, "Ledger", "Score")
    pools = column(plan, "Ledger", "Rated pool")
    run = "".join({1.0: "w", 0.5: "d", 0.0: "l"}[s] for s, p in zip(scores, pools, strict=True) if p == 1)
    assert figure(plan, "Most wins in a row") == max(map(len, run.replace("d", "l").split("l")))
    assert figure(plan, "Most losses in a row") == max(map(len, run.replace("d", "w").split("w")))
    assert figure(plan, "Longest without a loss") == max(map(len, run.split("l")))


def test_performances_are_on_the_scale_of_the_rule() -> None:
    plan = plan_book(journal(log(60), scale=200))
    rating, linear = figure(plan, "Performance, exact"), figure(plan, "Performance, linear")
    opponents = [r for r in column(plan, "Log", "Opponent rating") if r is not None]
    points = sum(s for s in column(plan, "Ledger", "Score") if s != "")
    assert sum(1 / (1 + 10 ** ((r - rating) / 200)) for r in opponents) == pytest.approx(points, abs=1e-9)
    mean = sum(opponents) / len(opponents)
    assert linear == pytest.approx(mean + 200 * (2 * points - len(opponents)) / len(opponents))


@pytest.mark.parametrize(
    ("ratings", "scores"),
    [
        ([], []),  # those of the log
        ([1500.0], [0.5]),
        ([0.0, 4000.0], [1.0, 0.0]),
        (
            [0.0, 0.0, 0.0, 4000.0],
            [0.5, 0.5, 0.0, 0.5],
        ),  # where one opponent alone is level
        ([3000.0, 100.0, 90.0, 2950.0, 120.0], [0.5, 1.0, 0.0, 0.0, 0.5]),
        ([50.0 * i for i in range(60)], [0.0] * 59 + [0.5]),
    ],
)
def test_the_exact_performance_is_expected_to_score_what_was_scored(ratings: list[float], scores: list[float]) -> None:
    games = log(len(ratings) or 60)
    if ratings:
        games = games.assign(pool="")
        white = games["white"].eq("Player 1")
        for column_of, own in (("white_rating", white), ("black_rating", ~white)):
            games[column_of] = [1500.0 if mine else rating for mine, rating in zip(own, ratings, strict=True)]
        games["score"] = [one if mine else 1 - one for mine, one in zip(white, scores, strict=True)]
    plan = plan_book(journal(games))
    rating = figure(plan, "Performance, exact")
    opponents = [r for r in column(plan, "Log", "Opponent rating") if r is not None]
    points = sum(s for s in column(plan, "Ledger", "Score") if s != "")
    assert sum(1 / (1 + 10 ** ((r - rating) / 400)) for r in opponents) == pytest.approx(points, abs=1e-9)
    assert rating == pytest.approx(exact_performance(opponents, points), abs=0.01)
    assert len(set(column(plan, "Exact", "Middle"))) <= 12  # a sum over all games each, which typing computes anew


def test_a_planned_game_swings_as_the_web_calculators_say() -> None:
    """1600 against 1500 with K 20: +7.2, -2.8, -12.8."""
    book = blank_book("journal", system("elo"), {"initial": 1600}, 5)
    tables = {**book.inputs.tables, "Planned": {"Opponent": ["Player 2"], "Opponent rating": [1500.0]}}
    tables["Planned"] |= {"Colour": [None], "Pool": [None]}
    plan = plan_book(dataclasses.replace(book, inputs=dataclasses.replace(book.inputs, tables=tables)))
    swing = [round(column(plan, "Planned", word)[0], 1) for word in ("Win", "Draw", "Loss")]
    assert swing == [7.2, -2.8, -12.8]
    assert column(plan, "Planned", "Expected")[0] == pytest.approx(0.6401, abs=5e-5)


def test_a_goal_names_the_points_that_bring_it() -> None:
    """From 1500 to 1520 with K 20 in 4 games against 1500: two points are expected, one more is needed."""
    book = blank_book("journal", system("elo"), {}, 5)
    goal = {"Target": [1520.0], "Pool": [None], "Games": [4.0], "Opposition": [1500.0]}
    tables = {**book.inputs.tables, "Goals": goal}
    plan = plan_book(dataclasses.replace(book, inputs=dataclasses.replace(book.inputs, tables=tables)))
    assert (column(plan, "Goals", "Expected"), column(plan, "Goals", "Points needed")) == ([2.0], [3.0])
    assert column(plan, "Goals", "Verdict") == ["can be done"]


def test_the_check_is_green_for_a_sound_journal_and_names_what_is_not() -> None:
    assert {verdict for _, verdict in check(planned("elo-blank")).values()} == {"good"}
    found = {label: value for label, (value, verdict) in check(planned("elo-odd")).items() if verdict != "good"}
    assert found == {
        "Rows of the Log that are not rated": 3.0,
        "because the opponent's rating is missing": 1.0,
        "because the result is none of Win, Draw, Loss": 1.0,
        "because the pool does not stand on the sheet Pools": 1.0,
        "Rows dated before a row above them": 1.0,
        "Games that stand further up already: day, opponent, rating and result": 1.0,
        "Pools named twice": 1.0,
        "Numbers, days and choices that are not understood: the formulas pass over them": 3.0,
    }


def test_a_log_of_one_pool_leaves_the_column_empty_and_several_name_the_sheets_rows() -> None:
    one, several = (filled_book("journal", system("elo"), {}, log(30, p), "Player 1") for p in (POOLS[:1], POOLS))
    assert set(one.inputs.tables["Log"]["Pool"]) == {None}
    assert one.inputs.tables["Pools"]["Pool"][:3] == ["Standard", "Rapid", "Blitz"]
    named = [name for name in several.inputs.tables["Pools"]["Pool"] if name]
    assert sorted(named) == sorted(set(POOLS) & set(several.inputs.tables["Log"]["Pool"]))


def test_every_computed_column_is_explained() -> None:
    for name in ("elo-40", "glicko-40"):
        for sheet in planned(name).sheets:
            if not sheet.hidden and sheet.name not in {"Odds", "Formulas"}:
                shown = [c for t in sheet.tables for c in t.columns if c.fill.formula and c.width]
                unsaid = [c.label for c in shown if not c.about]
                assert unsaid == [], sheet.name


# --- charts ---------------------------------------------------------------------------------------------------


def test_the_chart_of_the_pools_draws_every_row_that_can_be_named_and_the_table_is_its_legend(tmp_path: Path) -> None:
    plan = planned("elo-40")
    rows = table(plan, "Pools").rows
    (chart,) = plan.sheet("Pools").charts
    assert (rows, len(chart.series), chart.legend) == (6, 6, False)
    assert len({one.style for one in chart.series}) == 6
    games = column(plan, "Pools", "Games")
    assert [line != "" for line in column(plan, "Pools", "Line")] == [count > 0 for count in games]
    write_book(plan, tmp_path / "b.xlsx")
    with zipfile.ZipFile(tmp_path / "b.xlsx") as book:
        drawn = [book.read(name).decode() for name in book.namelist() if "/charts/" in name]
    assert [text.count("<c:ser>") for text in drawn if "<c:legend>" not in text] == [6]


@pytest.mark.parametrize(("months", "first"), [(16, "2023-01"), (30, "2023-07")])
def test_games_per_month_end_with_the_last_month_that_was_played(months: int, first: str) -> None:
    days = [pd.Timestamp("2023-01-10") + pd.DateOffset(months=k) for k in range(months)]
    plan = plan_book(filled_book("journal", system("elo"), {}, log(months).assign(date=days), "Player 1"))
    names = [name for name in column(plan, "MonthBars", "Name") if name]
    assert (names[0], names[-1], len(names)) == (first, f"{days[-1]:%Y-%m}", min(24, months))
    played = sum(sum(column(plan, "MonthBars", label)) for label in ("Wins", "Draws", "Losses"))
    assert played == len(names)


# --- goals ----------------------------------------------------------------------------------------------------


def with_goal(book: Book, **typed: object) -> Book:
    """The book with one goal."""
    goal = {"Target": [None], "Pool": [None], "Games": [None], "Opposition": [None]}
    goal |= {label: [value] for label, value in typed.items()}
    inputs = dataclasses.replace(book.inputs, tables={**book.inputs.tables, "Goals": goal})
    return dataclasses.replace(book, inputs=inputs)


def goal(book: Book, **typed: object) -> dict[str, Any]:
    """The row of a goal."""
    plan = plan_book(with_goal(book, **typed))
    return {one.label: one.fill.values[0] for one in table(plan, "Goals").columns}


def rating_with(book: Book, points: float, count: int, opposition: float) -> float:
    """What the journal itself rates after so many points in so many games, all in the month after the last game."""
    typed = {label: list(values) for label, values in book.inputs.tables["Log"].items()}
    played = sum(name is not None for name in typed["Opponent"])
    for label, values in typed.items():
        typed[label] = values[:played] + [None] * count
    later = max(day for day in typed["Date"] if isinstance(day, float)) + 31
    for i in range(count):
        score = min(1.0, max(0.0, points - i))
        row = {"Date": later, "Opponent": f"Player {i}", "Opponent rating": opposition, "Colour": "White"}
        row["Result"] = {1.0: "Win", 0.5: "Draw", 0.0: "Loss"}[score]
        for label, value in row.items():
            typed[label][played + i] = value
    sizes = {**book.inputs.sizes, "Ledger": played + count}
    inputs = dataclasses.replace(book.inputs, tables={**book.inputs.tables, "Log": typed}, sizes=sizes)
    plan = plan_book(dataclasses.replace(book, inputs=inputs))
    return float(column(plan, "Ledger", "Rating after")[-1])


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("glicko", {}),
        ("glicko", {"c": 20, "rd_max": 200}),
        # With a tau of next to nothing the volatility stays as it is, which is what a goal assumes.
        ("glicko2", {"tau": 1e-5}),
    ],
)
@pytest.mark.parametrize(("ahead", "count", "opposition"), [(15.0, 6, 1500.0), (60.0, 12, 1700.0), (14.0, 1, 1450.0)])
def test_the_score_that_a_goal_needs_brings_the_target_and_half_a_point_less_does_not(
    name: str, settings: dict[str, object], ahead: float, count: int, opposition: float
) -> None:
    games = log(40).assign(date=pd.Timestamp("2022-01-15"))
    book = filled_book("journal", system(name), settings, games, "Player 1")
    now = float(column(plan_book(book), "Pools", "Rating now")[0])
    found = goal(book, Target=now + ahead, Games=float(count), Opposition=opposition)
    needed = found["Points needed"]
    assert found["Verdict"] == "can be done"
    assert found["Score needed"] == needed / count
    assert rating_with(book, needed, count, opposition) >= now + ahead
    assert rating_with(book, needed - 0.5, count, opposition) < now + ahead


def test_what_a_point_brings_is_the_closed_form_of_the_glicko_paper() -> None:
    """1500 with RD 200 against four opponents of 1700 and RD 60 in one period: r' = r + q/(1/RD²+1/d²) g (S - nE)."""
    book = blank_book("journal", system("glicko"), {"initial_rd": 200, "c": 0}, 5)
    found = goal(book, Target=1560.0, Games=4.0, Opposition=1700.0)
    q = math.log(10) / 400
    g = 1 / math.sqrt(1 + 3 * q**2 * 60**2 / math.pi**2)
    chance = 1 / (1 + 10 ** (-g * (1500 - 1700) / 400))
    d2 = 1 / (q**2 * 4 * g**2 * chance * (1 - chance))
    a_point = q / (1 / 200**2 + 1 / d2) * g
    assert found["Rating per point"] == pytest.approx(a_point, rel=1e-12)
    assert found["Expected"] == pytest.approx(4 * chance, rel=1e-12)
    assert found["At that strength"] == pytest.approx(4 / (1 + 10 ** (-g * (1560 - 1700) / 400)), rel=1e-12)
    assert found["Points needed"] == math.ceil(2 * (4 * chance + 60 / a_point)) / 2
    assert found["RD now"] == 200


def test_a_single_game_of_lichess_brings_what_the_goal_says() -> None:
    """The server's own test: 1500 (RD 350, volatility 0.06) beats its like without advantage and has 1662.21."""
    settings: dict[str, object] = {"initial_rd": 350, "initial_volatility": 0.06, "advantage": 0}
    book = blank_book("journal", system("lichess"), settings, 5)
    book = dataclasses.replace(
        book, inputs=dataclasses.replace(book.inputs, cells={**book.inputs.cells, "opponent_rd": 350.0})
    )
    found = goal(book, Target=1662.2, Games=1.0, Opposition=1500.0)
    assert found["Points needed"] == 1.0
    assert 1500 + found["Rating per point"] * (1 - found["Expected"]) == pytest.approx(1662.21, abs=0.005)
    assert goal(book, Target=1662.3, Games=1.0, Opposition=1500.0)["Verdict"] == "not in so few games"


@pytest.mark.parametrize("name", ["elo", "glicko"])
def test_a_goal_of_a_pool_that_is_not_known_says_so(name: str) -> None:
    book = blank_book("journal", system(name), {}, 5)
    assert goal(book, Target=1700.0, Pool="Nowhere")["Verdict"] == "unknown pool"
    assert goal(book, Pool="Nowhere")["Verdict"] == ""
    assert goal(book, Target=1700.0, Pool="rapid")["Verdict"] == ""


# --- what is left out, or not known ------------------------------------------------------------------------------


def beside(plan: Plan, sheet: str, row: int, at: int) -> Any:
    return next(cell.value for cell in plan.sheet(sheet).cells if (cell.row, cell.column) == (row, at))


@pytest.mark.parametrize(("met", "said"), [(25, ""), (26, "1 more opponent"), (31, "6 more opponents")])
def test_a_list_says_how_many_opponents_it_leaves_out(met: int, said: str, tmp_path: Path) -> None:
    games = log(met)
    names = [f"Player {i + 2}" for i in range(met)]
    white = games["white"] == "Player 1"
    games = games.assign(white=games["white"].where(white, names), black=games["black"].where(~white, names))
    plan = plan_book(filled_book("journal", system("elo"), {}, games, "Player 1"))
    assert beside(plan, "Opponents", 3, 5) == said
    write_book(plan, tmp_path / "b.xlsx")
    assert list(off(plan, recalculate(tmp_path / "b.xlsx", "ironcalc").values)) == []


@pytest.mark.parametrize(("months", "said"), [(36, (0, "")), (37, (1, "earlier month")), (50, (14, "earlier months"))])
def test_the_months_say_how_many_lie_before_them(months: int, said: tuple[int, str]) -> None:
    days = [pd.Timestamp("2019-11-30") + pd.DateOffset(months=k) for k in range(months)]
    plan = plan_book(filled_book("journal", system("elo"), {}, log(months).assign(date=days), "Player 1"))
    assert (beside(plan, "Months", 3, 11), beside(plan, "Months", 3, 12)) == said
    sheet = plan.sheet("Months")
    unseen = {at for at, column in enumerate(sheet.tables[0].columns, 1) if column.width == 0}
    assert unseen
    assert not unseen & {cell.column for cell in sheet.cells}


def test_a_planned_game_in_a_pool_that_is_not_known_says_so() -> None:
    book = blank_book("journal", system("elo"), {}, 5)
    typed = {"Opponent": ["Ann", "Bob"], "Opponent rating": [1500.0, None], "Colour": [None] * 2}
    tables = {**book.inputs.tables, "Planned": {**typed, "Pool": ["Nowhere", "Nowhere"]}}
    plan = plan_book(dataclasses.replace(book, inputs=dataclasses.replace(book.inputs, tables=tables)))
    assert column(plan, "Planned", "Remark") == ["unknown pool", ""]


def test_a_milestone_that_was_reached_from_the_start_names_no_game() -> None:
    marks = {"Milestone": [1650.0, 1701.0]}
    book = filled_book("journal", system("elo"), {"initial": 1700}, log(30), "Player 1")
    inputs = dataclasses.replace(book.inputs, tables={**book.inputs.tables, "Milestones": marks})
    plan = plan_book(dataclasses.replace(book, inputs=inputs))
    rows = [{one.label: one.fill.values[i] for one in table(plan, "Milestones").columns} for i in (0, 1)]
    assert [rows[0][label] for label in ("Reached", "In game", "Against", "Rating then")] == [
        "from the start",
        "",
        "",
        "",
    ]
    assert rows[1]["Rating then"] == "" or rows[1]["Rating then"] >= 1701


def test_no_formula_of_the_sheets_that_people_read_is_longer_than_four_lines() -> None:
    read = ("Dashboard", "Goals", "Pools", "Months", "Opponents", "Results", "What if")
    for name in ("elo-40", "glicko2-40"):
        long = {(f.sheet, f.label): len(f.formula) for f in planned(name).formulas() if f.sheet in read}
        assert max(long.values()) <= 340, max(long, key=lambda one: long[one])


# --- the highest rating -------------------------------------------------------------------------------------------


def two_losses(**pools: object) -> Plan:
    """A journal of two losses against 1700, from a setting of 1900."""
    book = blank_book("journal", system("elo"), {"initial": 1900}, 5)
    typed = {label: list(values) for label, values in book.inputs.tables["Log"].items()}
    for i in range(2):
        typed["Date"][i], typed["Opponent"][i] = 45000.0 + i, f"Player {i}"
        typed["Opponent rating"][i], typed["Result"][i] = 1700.0, "Loss"
    named = {label: list(values) for label, values in book.inputs.tables["Pools"].items()}
    for label, value in pools.items():
        named[label.replace("_", " ")][0] = value
    inputs = dataclasses.replace(book.inputs, tables={**book.inputs.tables, "Log": typed, "Pools": named})
    return plan_book(dataclasses.replace(book, inputs=inputs))


def test_a_published_start_rating_counts_for_the_highest_one(tmp_path: Path) -> None:
    plan = two_losses(Start_rating=1900.0)
    assert (figure(plan, "Highest rating"), figure(plan, "  on")) == (1900, "at the start")
    assert column(plan, "Pools", "Highest")[0] == 1900
    assert column(plan, "Log", "Mark")[:2] == ["upset", "upset"]
    assert marked(plan) == (1, 45000, 1900)
    assert (column(plan, "Curves", "Game")[0], column(plan, "Curves", "Rating")[0]) == (1, 1900)
    write_book(plan, tmp_path / "b.xlsx")
    assert list(off(plan, recalculate(tmp_path / "b.xlsx", "ironcalc").values)) == []


def test_a_rating_that_newcomers_are_given_is_no_peak() -> None:
    plan = two_losses()
    lost = 20 / (1 + 10 ** (-200 / 400))
    assert (figure(plan, "Highest rating"), figure(plan, "  on")) == (pytest.approx(1900 - lost), 45000.0)


def marked(plan: Plan) -> tuple[float, float, float]:
    """Return the game, the day and the rating that the charts mark as the highest one."""
    cells = {(cell.row, cell.column): cell.value for cell in plan.sheet("Curves").cells}
    ((row, column),) = (place for place, value in cells.items() if value == "Peak at")
    game, day, points, _ = (float(cells[row + 1, column + at]) for at in range(4))  # type: ignore[arg-type]
    return game, day, points


@pytest.mark.parametrize("rule", ["elo", "glicko"])
def test_the_charts_mark_the_highest_rating_wherever_it_was_reached(rule: str) -> None:
    games = log(450)
    plan = plan_book(filled_book("journal", system(rule), {"period": "game"}, games, "Player 1"))
    after = column(plan, "Ledger", "Rating after")[: len(games)]
    assert len(after) > 2 * CURVE_POINTS
    best = after.index(max(after))
    (day,) = sheet_days(games["date"][best : best + 1])
    assert marked(plan) == pytest.approx((best + 1, day, after[best]), abs=1e-9)
    drawn, line = (column(plan, "Curves", label) for label in ("Game", "Rating"))
    assert (drawn[0], drawn[-1]) == (1, len(games))
    assert drawn == sorted(drawn)
    assert line == pytest.approx([after[int(game) - 1] for game in drawn], abs=1e-9)
    assert best + 1 in drawn


def test_an_import_knows_that_the_first_rating_was_published() -> None:
    games = log(6).assign(white_rating=1900.0, black_rating=1900.0)
    book = filled_book("journal", system("elo"), {}, games, "Player 1")
    assert (book.settings["initial"], book.inputs.tables["Pools"]["Start rating"][:2]) == (1900, [1900, None])
    book = filled_book("journal", system("elo"), {"initial": 1500}, games, "Player 1")
    assert book.inputs.tables["Pools"]["Start rating"][0] is None


# Of each player of the sample the published rating that the games begin with and the sum of the nine games' changes, by
# FIDE's table of expected scores with K 10: the last list is the first one and the sum, and none lies in between.
PUBLISHED = {
    "Abdusattorov, Nodirbek": (2767, 2771),
    "Praggnanandhaa R": (2767, 2771),
    "Sindarov, Javokhir": (2710, 2722),
    "Erigaisi Arjun": (2782, 2779),
    "Nepomniachtchi, Ian": (2757, 2742),
}


@pytest.mark.parametrize("player", PUBLISHED)
def test_a_subtotal_inside_a_month_is_no_peak(player: str) -> None:
    games = read([SAMPLES / "uzchesscup.pgn"]).games
    plan = plan_book(filled_book("journal", system("fide"), {}, games, player))
    first, last = PUBLISHED[player]
    assert (round(column(plan, "Ledger", "Rating")[0]), round(figure(plan, "Rating now"))) == (first, last)
    assert round(figure(plan, "Highest rating")) == round(column(plan, "Pools", "Highest")[0]) == max(first, last)
    final = replay(games, system("fide"), start="log").ratings
    assert figure(plan, "Highest rating") == pytest.approx(final.loc[final["player"] == player, "peak"].item())
    own = games[(games["white"] == player) | (games["black"] == player)]
    assert figure(plan, "  on") == ("at the start" if first > last else max(sheet_days(own["date"])))
    assert not [one for one in column(plan, "Log", "Mark") if "peak" in (one or "")]


@pytest.mark.parametrize("name", ["elo-month", "dwz-year", "fide-40", "glicko-40"])
def test_the_highest_rating_of_periods_is_one_at_the_end_of_a_period(name: str) -> None:
    # Computed here from the Ledger: the rating with which each period of the pool ends, and the first of the highest.
    plan = planned(name)
    rows = zip(*(column(plan, "Ledger", one) for one in ("Rated pool", "Period", "Rating after", "Date")), strict=True)
    ends = {period: (after, day) for pool, period, after, day in rows if pool == 1}
    highest = max(after for after, _ in ends.values())
    typed = column(plan, "Pools", "Start rating")[0]
    day = next(day for after, day in ends.values() if after == highest)
    expected = (typed, "at the start") if typed is not None and typed >= highest else (highest, day)
    assert (figure(plan, "Highest rating"), figure(plan, "  on")) == (pytest.approx(expected[0]), expected[1])
    curves = {cell.row: cell.value for cell in plan.sheet("Curves").cells if cell.style == "points"}
    assert curves[4 + 1] == pytest.approx(expected[0])


@pytest.mark.parametrize("name", ["glicko2", "fide", "dwz", "glicko"])
def test_the_highest_rating_inside_the_first_period_without_a_start_is_what_it_comes_to(name: str) -> None:
    games = make_games(
        [
            {
                "date": "2026-01-05",
                "white": "Player 1",
                "black": "Player 9",
                "score": 1.0,
                "black_rating": 1420.0,
                "source": "a",
                "source_row": 2,
            }
        ]
    )
    plan = plan_book(filled_book("journal", system(name), {}, games, "Player 1"))
    assert column(plan, "Pools", "Start rating")[0] is None
    assert column(plan, "Pools", "Highest")[0] == column(plan, "Pools", "Rating now")[0]
    assert figure(plan, "Highest rating") == figure(plan, "Rating now")


def month_of(day: float) -> str:
    return f"{dt.datetime(1899, 12, 30) + dt.timedelta(days=int(day)):%Y-%m}"


@pytest.mark.parametrize("name", ["fide-sample", "elo-40", "dwz-40"])
def test_the_months_hold_the_games_of_their_days(name: str) -> None:
    # The games of the sample have a time of day.
    the_months_hold_their_games(planned(name))


def test_a_long_journal_counts_a_late_game_in_its_month_and_its_opponents_in_all_parts() -> None:
    book = filled_book("journal", system("elo"), {}, log(1250), "Player 1")
    days = list(book.inputs.tables["Log"]["Date"])
    days[1200] = days[70]
    late = dataclasses.replace(
        book.inputs, tables=book.inputs.tables | {"Log": book.inputs.tables["Log"] | {"Date": days}}
    )
    plan = plan_book(dataclasses.replace(book, inputs=late))
    the_months_hold_their_games(plan)
    tables = {table.name: {c.label: c.fill for c in table.columns} for sheet in plan.sheets for table in sheet.tables}
    met = Counter(str(name).lower() for name in book.inputs.tables["Log"]["Opponent"] if name)
    listed = tables["Opponents"]
    for name, games in zip(listed["Opponent"].values, listed["Games"].values, strict=True):
        assert games == (met[str(name).lower()] if name else "")
    assert sum(map(bool, listed["Opponent"].values)) == min(25, len(met))
    # What a game typed into the first free row makes LibreOffice compute anew lies in the last part alone.
    formula = str(tables["Ledger"]["Earlier meetings"].formula)
    rows, last = len(days), int(formula.rpartition("$")[2].rstrip(")")) - 4
    assert rows // 2 <= last <= 1250 - 2 * STEP - MARGIN


def the_months_hold_their_games(plan: Plan) -> None:
    # Counted here from the Log.
    tables = {table.name: table for sheet in plan.sheets for table in sheet.tables}
    columns = {column.label: column.fill.values for column in tables["Ledger"].columns}
    rows = zip(columns["Rated pool"], columns["Date"], columns["Score"], strict=True)
    played = Counter((month_of(day), score) for pool, day, score in rows if pool == 1)
    bars = {column.label: column.fill.values for column in tables["MonthBars"].columns}
    shown = {
        (month, score): count
        for label, score in (("Wins", 1.0), ("Draws", 0.5), ("Losses", 0.0))
        for month, count in zip(bars["Name"], bars[label], strict=True)
        if count
    }
    assert shown == {key: count for key, count in played.items() if key[0] in bars["Name"]}
    assert max(played)[0] in bars["Name"]
    listed = {column.label: column.fill.values for column in tables["ByMonth"].columns}
    months = zip(listed["Month"], listed["Games"], strict=True)
    assert {month_of(day): count for day, count in months if day} == {
        month: sum(count for (one, _), count in played.items() if one == month) for month, _ in played
    }
