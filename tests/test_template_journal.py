"""The journal: every formula gives what the plan says, pool by pool, and what players expect of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from workbook_cases import Rule, journal_ratings, made_journal

from elo_sheets.errors import UsageError
from elo_sheets.games import make_games
from elo_sheets.package import Cell, CellError, Value, read_book
from elo_sheets.readers import read
from elo_sheets.recalculate import recalculate, recalculate_many
from elo_sheets.replay import journal_games, replay_journal
from elo_sheets.systems import system
from elo_sheets.workbook.book import Book, Inputs
from elo_sheets.workbook.build import blank_book, filled_book, plan_book
from elo_sheets.workbook.journal import INPUTS
from elo_sheets.workbook.plan import Plan, TablePlan
from elo_sheets.workbook.templates import template
from elo_sheets.workbook.write import write_book

SAMPLES = Path(__file__).parents[1] / "samples"
SYSTEMS = template("journal")["systems"]
POOLS = ("Standard", "Rapid", "Blitz")
HOSTILE = ["=1+1", "Abe*", "A?el", "~Abe", ">5", "<>", "O'Neil", 'a"b', "*", "player 3"]
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


@every_book
def test_every_cell_is_what_the_plan_says(name: str, engine: str, shelf: Path) -> None:
    values = recalculate(path(name, shelf), engine, timeout=500).values
    faults = list(off(planned(name), values))
    if name.split("-")[0] in ITERATING:  # at the root, the last digit decides which of two neighbours a round takes
        faults = [fault for fault in faults if not fault.startswith(("Rounds", "Trial"))]
    assert faults[:5] == []


@pytest.mark.parametrize("engine", ["ironcalc", pytest.param("libreoffice", marks=libreoffice)])
def test_a_long_journal_is_computed_without_a_fault(engine: str, shelf: Path) -> None:
    plan = plan_book(journal(log(2000, POOLS)))
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
        for k in (1, 30, rows):
            probe = {(1, 600): Cell(f"INDEX(Ledger[{label}],{k})", None)}
            books.append(dataclasses.replace(book, sheets={**book.sheets, first: book.sheets[first] | probe}))
    for done in recalculate_many(books, "libreoffice", timeout=600):
        assert list(off(planned(name), done.values))[:3] == []


@pytest.mark.parametrize("name", ["elo-40", "glicko-blank", "elo-odd"])
def test_two_runs_write_the_same_bytes(name: str, shelf: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.xlsx"
    write_book(plan_book(BOOKS[name]()), again)
    assert again.read_bytes() == path(name, shelf).read_bytes()


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
    plan = plan_book(Book("journal", "elo", system("elo").settings({}), inputs))
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
    with pytest.raises(UsageError, match=f"not {name}|cannot hold"):
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


def test_streaks_are_counted_within_a_pool() -> None:
    plan = plan_book(journal(log(90, POOLS)))
    scores = column(plan, "Ledger", "Score")
    pools = column(plan, "Ledger", "Rated pool")
    run = "".join({1.0: "w", 0.5: "d", 0.0: "l"}[s] for s, p in zip(scores, pools, strict=True) if p == 1)
    assert figure(plan, "Most wins in a row") == max(map(len, run.replace("d", "l").split("l")))
    assert figure(plan, "Most losses in a row") == max(map(len, run.replace("d", "w").split("w")))
    assert figure(plan, "Longest without a loss") == max(map(len, run.split("l")))


def test_the_exact_performance_is_expected_to_score_what_was_scored() -> None:
    plan = plan_book(journal(log(60)))
    rating = figure(plan, "Performance, exact")
    opponents = [r for r in column(plan, "Log", "Opponent rating") if r is not None]
    points = sum(s for s in column(plan, "Ledger", "Score") if s != "")
    assert sum(1 / (1 + 10 ** ((r - rating) / 400)) for r in opponents) == pytest.approx(points, abs=1e-9)


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
        "Rows of the Log that are not rated": 4.0,
        "because the opponent's rating is missing": 1.0,
        "because the result is none of Win, Draw, Loss": 2.0,
        "because the pool does not stand on the sheet Pools": 1.0,
        "Colours that are neither White nor Black": 1.0,
        "Dates that are text: such a game has no day": 1.0,
        "Rows with an earlier date than the row above": 1.0,
        "Games that stand further up already: day, opponent, rating and result": 1.0,
        "Pools named twice": 1.0,
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
                unsaid = [c.label for t in sheet.tables for c in t.columns if c.fill.formula and not c.about]
                assert unsaid == [], sheet.name
