"""Every template with a system of each kind, blank and with forty games: sound files, and the same bytes again."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from workbook_cases import once, shared_folder

from elo_sheets.files.lint import lint
from elo_sheets.files.references import cell_name
from elo_sheets.readers import read
from elo_sheets.systems import system
from elo_sheets.workbook.book import Book, Inputs
from elo_sheets.workbook.build import blank_book, filled_book, plan_book, templates_of_games
from elo_sheets.workbook.fits import view_of
from elo_sheets.workbook.plan import CellPlan, Plan, SheetPlan
from elo_sheets.workbook.templates import NAMES
from elo_sheets.workbook.write import write_book

HERE = Path(__file__).parent
FOOTBALL, CHESS = HERE.parent / "samples/internationals_1900s.csv", HERE.parent / "samples/uzchesscup.pgn"
TOURNAMENT = HERE / "data/trf/javafo_example.trf"
GAMES = 40
ROWS = GAMES + 5
# Game by game, by periods, with an uncertainty, iterated; the federations of a tournament.
KINDS = {
    "journal": ("elo", "glicko"),
    "league": ("elo", "glicko2"),
    "event": ("fide", "dwz", "uschess"),
    "ratings-list": ("elo", "glicko"),
    "season": ("world-football", "nfl"),
    "compare": ("elo",),
    "calculator": ("elo",),
    "match": ("elo",),
}
NUMBERS = (0, GAMES)
CASES = [
    (name, rules, count)
    for name, systems in KINDS.items()
    for rules in systems
    for count in NUMBERS
    if not count or view_of(name).games_table
]
every_case = pytest.mark.parametrize(("name", "rules", "count"), CASES)


def log(name: str) -> tuple[pd.DataFrame, str | None]:
    """Forty games that a template can hold, and whose journal it is."""
    if name == "event":
        return read([TOURNAMENT]).games.head(GAMES), None
    games = read([FOOTBALL]).games.head(GAMES)
    if name == "season":
        return games.assign(to_play=[i >= GAMES - 10 for i in range(GAMES)]), None
    if name != "journal":
        return games, None
    owner = str(read([CHESS]).games["white"].mode()[0])
    mine = read([CHESS], player=owner).games
    games = pd.concat([mine] * (GAMES // len(mine) + 1), ignore_index=True).head(GAMES)
    return games.assign(game=range(1, GAMES + 1), source_row=range(1, GAMES + 1)), owner


def made(name: str, rules: str, count: int) -> Book:
    """A book with few spare rows, which is soon written."""
    if not count:
        return blank_book(name, system(rules), {}, ROWS)
    games, player = log(name)
    book = filled_book(name, system(rules), {}, games, player)
    table, sides = view_of(name).games_table, view_of(name).rows_a_game
    tables = {**book.inputs.tables, table: {k: list(v)[:ROWS] for k, v in book.inputs.tables[table].items()}}
    return dataclasses.replace(
        book, inputs=Inputs(tables, book.inputs.cells, {**book.inputs.sizes, "Ledger": sides * ROWS})
    )


@cache
def planned(name: str, rules: str, count: int) -> Plan:
    return plan_book(made(name, rules, count))


def write_all(folder: Path) -> dict[str, str]:
    """Write the book of every case; return what identifies its bytes."""
    found = {}
    for name, rules, count in CASES:
        path = folder / f"{name}-{rules}-{count}.xlsx"
        write_book(planned(name, rules, count), path)
        found[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Mapping[str, str]]:
    """The folder of the books, and their digests."""
    shared = shared_folder(tmp_path_factory.getbasetemp(), "every-template")
    return shared, once(shared, "books", lambda: write_all(shared))


def test_every_template_is_here() -> None:
    assert set(KINDS) == set(NAMES)
    assert set(templates_of_games()) == {name for name, _, count in CASES if count}


@every_case
def test_the_lint_is_silent(name: str, rules: str, count: int, shelf: tuple[Path, Any]) -> None:
    assert lint(shelf[0] / f"{name}-{rules}-{count}.xlsx") == []


@every_case
def test_every_line_and_bar_of_a_chart_has_a_name(name: str, rules: str, count: int) -> None:
    """A program calls a series after its column where the cell that names it is empty."""
    plan = planned(name, rules, count)
    shown = {
        f"={sheet.name}!{cell_name(cell.row, cell.column)}": cell.value
        for sheet in plan.sheets
        for cell in (*sheet.cells, *headers(sheet))
    }
    named = [series.name for sheet in plan.sheets for chart in sheet.charts for series in chart.series]
    assert named
    assert [text for text in named if not str(shown.get(text.replace("$", ""), text.strip("=")) or "").strip()] == []
    assert [text for text in named if text.startswith("=") and text.replace("$", "") not in shown] == []


def headers(sheet: SheetPlan) -> Iterator[CellPlan]:
    for table in sheet.tables:
        for at, column in enumerate(table.columns, table.first_column):
            yield CellPlan(table.first_row, at, column.label)


# What leads a formula to a row and says nothing to a person.
POINTERS = {"At", "Back", "Id", "Last row", "Ledger row", "Newcomer", "Player no.", "Row", "Sort key"}


@pytest.mark.parametrize(("name", "rules"), [(name, rules) for name, systems in KINDS.items() for rules in systems])
def test_what_leads_a_formula_to_a_row_is_hidden(name: str, rules: str) -> None:
    """Save in the first column, which has the sheet's title, and where another table needs the column or the row."""
    shown = []
    for sheet in planned(name, rules, 0).sheets:
        if sheet.hidden or sheet.tab == "machinery":
            continue
        columns = [column for table in sheet.tables for column in enumerate(table.columns, table.first_column)]
        shared = {1} | {at for at, times in Counter(at for at, _ in columns).items() if times > 1}
        shown += [column.label for at, column in columns if at not in shared and sheet.widths.get(at, column.width)]
        filled = {row for table in sheet.tables for row in range(table.first_row, table.last_row + 1)}
        numbered = {cell.row for cell in sheet.cells if cell.value == "Number"} - filled
        assert [row for row in numbered if sheet.heights.get(row) != 0] == []
    assert POINTERS.intersection(shown) == set()


SMALL = re.compile(r"(?<![\w.$])[0-9]+\.?[0-9]*[eE]-0?([1-9]|1[0-2])(?![0-9])")


def texts_of(part: object) -> Iterator[str]:
    """Every text of a plan: formulas, rules of what may be typed, and what is said."""
    if isinstance(part, str):
        yield part
    elif dataclasses.is_dataclass(part):
        for field in dataclasses.fields(part):
            yield from texts_of(getattr(part, field.name))
    elif isinstance(part, Mapping | list | tuple):
        for inner in part.values() if isinstance(part, Mapping) else part:
            yield from texts_of(inner)


@pytest.mark.parametrize(
    ("name", "rules", "settings"),
    [("league", "glicko2", {"tau": 1e-6}), ("journal", "elo", {"initial": 2.5e-6}), ("event", "dwz", {})],
)
def test_a_small_number_is_written_without_an_exponent(name: str, rules: str, settings: dict[str, float]) -> None:
    found = set(texts_of(plan_book(blank_book(name, system(rules), settings, 5))))
    assert [text for text in found if SMALL.search(text)] == []
    assert any("0.000001" in text or "0.0000025" in text for text in found) or not settings


@pytest.mark.ooxml
@pytest.mark.parametrize(("name", "rules", "count"), {case[:2]: case for case in CASES}.values())
def test_the_validator_of_the_format_is_silent(
    name: str, rules: str, count: int, shelf: tuple[Path, Any], ooxml_errors: Callable[[Path], list[str]]
) -> None:
    assert ooxml_errors(shelf[0] / f"{name}-{rules}-{count}.xlsx") == []


def test_another_process_writes_the_same_bytes(shelf: tuple[Path, Mapping[str, str]], tmp_path: Path) -> None:
    code = "from test_every_template import *; print(write_all(Path(sys.argv[1])))"
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
        env=environment,
        cwd=tmp_path,  # where it starts it looks first, and the tree is not the installed package
    )
    assert done.stdout.strip() == str(dict(shelf[1]))
