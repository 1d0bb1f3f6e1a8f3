"""The workbooks: every formula, computed by spreadsheet engines, gives what the plan says; and how they are built."""

from __future__ import annotations

import csv
import dataclasses
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest
from openpyxl.worksheet.worksheet import Worksheet
from workbook_cases import (
    FIRST_DATA_ROW,
    League,
    Rule,
    Standing,
    journal_ratings,
    league_standings,
    made_journal,
    made_league,
    once,
    serial,
    shared_folder,
)

from elo_sheets.engines.recalculate import Recalculated, recalculate_many
from elo_sheets.errors import OutputRefused, UsageError
from elo_sheets.files.cells import Cell, CellError, Value
from elo_sheets.files.lint import lint
from elo_sheets.files.package import read_book
from elo_sheets.files.references import cell_name, column_letters, parse_range, structured_resolver
from elo_sheets.formula import PORTABLE
from elo_sheets.readers import read
from elo_sheets.systems import System, system
from elo_sheets.uses.importing import import_logs
from elo_sheets.workbook import build, new_book
from elo_sheets.workbook.book import Book, Inputs
from elo_sheets.workbook.build import blank_book, filled_book, plan_book
from elo_sheets.workbook.journal.rows import INPUTS
from elo_sheets.workbook.plan import Plan, SheetPlan
from elo_sheets.workbook.styles import TABS
from elo_sheets.workbook.write import write_book

SAMPLES = Path(__file__).parents[1] / "samples"
TOLERANCE = 1e-9
ENGINES = [
    "ironcalc",
    pytest.param("formualizer", marks=pytest.mark.formualizer),
    pytest.param("libreoffice", marks=pytest.mark.libreoffice),
]
HOSTILE = [
    "=1+1",
    "+x",
    "-y",
    "@SUM(1)",
    "Abe*",
    "A?el",
    "~Abe",
    ">5",
    "<>",
    "O'Neil",
    "Ünïcødé",
    'a"b',
    "{=1}",
    "http://x.y",
    "padded",
]


# --- the books ----------------------------------------------------------------------------------------------


def league_book(league: League, rows: int, player_rows: int = 20) -> Book:
    def spare(values: list[Any], count: int) -> list[Any]:
        return values + [None] * (count - len(values))

    names, starts = zip(*league.players, strict=True)
    columns = list(zip(*league.games, strict=True)) or [()] * 4
    labels = ("Date", "White", "Black", "Result", "Event")
    inputs = Inputs(
        {
            "Players": {"Player": spare([*names], player_rows), "Start rating": spare([*starts], player_rows)},
            "Games": {label: spare([*values], rows) for label, values in zip(labels, [*columns, ()], strict=True)},
        },
        {f"chosen {i + 1}": name for i, name in enumerate(spare([*names[:3]], 4))},
        {"Ledger": 2 * rows},
    )
    rule = league.rule
    settings = system("elo").settings({"initial": rule.initial, "k": rule.k, "gap_rule": rule.gap})
    return Book("league", system("elo"), settings, inputs, "Made up")


def journal_book(games: list[list[Any]], rows: int, name: str = "elo", **settings: object) -> Book:
    columns = [*zip(*games, strict=True), ()]
    order = ("Date", "Opponent", "Opponent rating", "Colour", "Result", "Event")
    filled = {label: [*values] + [None] * (rows - len(values)) for label, values in zip(order, columns, strict=True)}
    inputs = Inputs({"Log": {label: filled[label] for label in INPUTS}}, sizes={"Ledger": rows})
    return Book("journal", system(name), system(name).settings(settings), inputs)


def from_log(log: str, name: str, rating_system: str, player: str | None = None, **settings: object) -> Book:
    return filled_book(name, system(rating_system), settings, read([SAMPLES / log]).games, player)


def without(games: list[list[Any]], column: int, rows: range) -> list[list[Any]]:
    return [[None if i in rows and at == column else v for at, v in enumerate(row)] for i, row in enumerate(games)]


def gappy() -> list[list[Any]]:
    """A journal with rows that are not rated: no rating, no result, another word, nothing at all."""
    games = without(without(made_journal(60), 2, range(7, 9)), 4, range(20, 22))
    games[30][4], games[31][2] = "won", "about 1800"
    games[40] = [None] * 5
    games[41][4] = "DRAW"
    return games


ODD = made_league(8, 40, 3)
ODD.players += [("PLAYER 2", 1900.0), ("Nobody", None)]
ODD.games[4][1] = "Stranger"
ODD.games[9][2] = ODD.games[9][1]
ODD.games[14][3] = None
ODD.games[15][3] = "2-0"
ODD.games[19][0] = serial("2023-01-01")
ODD.games[24] = list(ODD.games[23])
ODD.games[28][1] = str(ODD.games[28][1]).upper()
ODD.games[30] = [None] * 4
ODD.games[31][0] = None

LEAGUES = {
    "league-small": made_league(8, 30),
    "league-blocks": made_league(12, 230, 2, k=32, initial=1000),
    "league-cap400": made_league(15, 60, 4, k=40, gap="cap400"),
    "league-fide2650": made_league(18, 60, 5, gap="fide2650", initial=2300),
    "league-odd": ODD,
}
JOURNALS: dict[str, tuple[list[list[Any]], Rule, bool]] = {
    "journal-small": (made_journal(30), Rule(), False),
    "journal-unrated": (gappy(), Rule(k=32), False),
    "journal-undated": (without(made_journal(30), 0, range(30)), Rule(gap="cap400", initial=2200), False),
    "journal-month": (without(gappy(), 0, range(50, 52)), Rule(initial=1700), True),
}
BOOKS: dict[str, Callable[[], Book]] = {
    **{
        f"{name}-{one}-blank": lambda name=name, one=one: blank_book(name, system(one), {}, 25)
        for name in ("journal", "league")
        for one in ("elo", "fide")
    },
    **{name: lambda league=league: league_book(league, len(league.games) + 20) for name, league in LEAGUES.items()},
    **{
        name: lambda games=games, rule=rule, monthly=monthly: journal_book(
            games,
            70,
            initial=rule.initial,
            k=rule.k,
            gap_rule=rule.gap,
            period="month" if monthly else "game",
        )
        for name, (games, rule, monthly) in JOURNALS.items()
    },
    "journal-fide-month": lambda: journal_book(gappy(), 70, "fide", initial=1650, initial_games=10, born=2009),
    "journal-fide-game": lambda: journal_book(made_journal(40), 60, "fide", initial=2380, period="game"),
    "journal-fide-undated": lambda: journal_book(without(made_journal(20), 0, range(4, 6)), 30, "fide"),
    "uzchesscup-fide": lambda: from_log("uzchesscup.pgn", "journal", "fide", "Praggnanandhaa R", initial_games=1000),
    "nfl": lambda: from_log("nfl_1920.csv", "league", "elo"),
}
SMALL = ["journal-small", "journal-fide-month", "league-small"]
every_book = pytest.mark.parametrize("name", BOOKS)
small_books = pytest.mark.parametrize("name", SMALL)
every_engine = pytest.mark.parametrize("engine", ENGINES)


@cache
def planned(name: str) -> Plan:
    return plan_book(BOOKS[name]())


@dataclasses.dataclass
class Shelf:
    """The books of this session, and what each engine computes for all of them in one run."""

    folder: Path
    shared: Path
    paths: dict[str, Path] = dataclasses.field(default_factory=dict)
    done: dict[str, dict[str, Recalculated]] = dataclasses.field(default_factory=dict)

    def path(self, name: str) -> Path:
        if name not in self.paths:
            self.paths[name] = self.folder / f"{name}.xlsx"
            if name == "hostile":
                import_logs([hostile_log(self.folder)], self.paths[name])
            else:
                write_book(planned(name), self.paths[name])
        return self.paths[name]

    def computed(self, engine: str, name: str) -> Mapping[str, Mapping[tuple[int, int], Value]]:
        if engine not in self.done:
            names = [*BOOKS, "hostile"]

            def compute() -> list[Recalculated]:
                return recalculate_many([self.path(one) for one in names], engine, timeout=300)

            self.done[engine] = dict(zip(names, once(self.shared, f"books-{engine}", compute), strict=True))
        return self.done[engine][name].values


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    return Shelf(tmp_path_factory.mktemp("books"), shared_folder(tmp_path_factory.getbasetemp(), "engines"))


def agree(expected: object, found: object) -> bool:
    if isinstance(expected, float) and isinstance(found, float):
        return abs(expected - found) <= TOLERANCE
    return (expected or "") == (found or "") and not isinstance(found, CellError)


def off(plan: Plan, values: Callable[[str, int, int], Value]) -> list[str]:
    """The first planned formula cells whose value is another one."""
    wrong = [
        f"{cell.sheet}!{cell_name(cell.row, cell.column)} {cell.label}: expected {cell.value!r}, "
        f"got {values(cell.sheet, cell.row, cell.column)!r} from {cell.formula}"
        for cell in plan.formulas()
        if not agree(cell.value, values(cell.sheet, cell.row, cell.column))
    ]
    return wrong[:5]


# --- the numbers --------------------------------------------------------------------------------------------


@every_engine
@every_book
def test_engines_compute_what_the_plan_says(name: str, engine: str, shelf: Shelf) -> None:
    values = shelf.computed(engine, name)
    plan = planned(name)
    assert sum(len(cells) for cells in values.values()) == sum(1 for _ in plan.formulas())
    assert off(plan, lambda sheet, row, column: values[sheet][row, column]) == []


@every_book
def test_stored_results_are_those_of_the_plan(name: str, shelf: Shelf) -> None:
    sheets = read_book(shelf.path(name)).sheets
    assert off(planned(name), lambda sheet, row, column: sheets[sheet][row, column].value) == []


def standings(values: Mapping[tuple[int, int], Value], names: int) -> dict[str, Standing]:
    """The sheet Standings as an engine computes it: columns B to G."""
    rows = [[values[row, column] for column in range(2, 8)] for row in range(FIRST_DATA_ROW, FIRST_DATA_ROW + names)]
    return {str(row[0]): Standing(*row[1:]) for row in rows}  # type: ignore[arg-type]


def assert_standings(found: Mapping[str, Standing], expected: Mapping[str, Standing]) -> None:
    assert found.keys() == expected.keys()
    for name, standing in expected.items():
        assert found[name] == dataclasses.replace(standing, rating=pytest.approx(standing.rating, rel=0, abs=TOLERANCE))


@every_engine
@pytest.mark.parametrize("name", LEAGUES)
def test_standings_are_those_of_an_independent_replay(name: str, engine: str, shelf: Shelf) -> None:
    expected = league_standings(LEAGUES[name])
    assert_standings(standings(shelf.computed(engine, name)["Standings"], len(expected)), expected)


@every_engine
def test_a_real_leagues_standings_are_those_of_an_independent_replay(engine: str, shelf: Shelf) -> None:
    expected = league_standings(nfl())
    assert_standings(standings(shelf.computed(engine, "nfl")["Standings"], len(expected)), expected)


def nfl() -> League:
    """The games of the sample, read with nothing but the csv module; the log stands in the order of its dates."""
    with (SAMPLES / "nfl_1920.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    words = {"1": "1-0", "0.5": "1/2-1/2", "0": "0-1"}
    games: list[list[Any]] = [[serial(r["date"]), r["team1"], r["team2"], words[r["result1"]]] for r in rows]
    names = dict.fromkeys(str(name) for game in games for name in game[1:3])
    return League([(name, None) for name in names], games)


@every_engine
@pytest.mark.parametrize("name", JOURNALS)
def test_a_journals_ratings_are_those_of_an_independent_replay(name: str, engine: str, shelf: Shelf) -> None:
    games, rule, monthly = JOURNALS[name]
    log = next(table for table in planned(name).sheet("Log").tables)
    column = [one.label for one in log.columns].index("Rating after") + 1
    values = shelf.computed(engine, name)["Log"]
    found = [values[row, column] for row in range(log.first_data_row, log.first_data_row + len(games))]
    after = journal_ratings(games, rule, monthly)
    assert found == ["" if r is None else pytest.approx(r, rel=0, abs=TOLERANCE) for r in after]


def test_pandas_reads_the_standings_without_any_recalculation(shelf: Shelf) -> None:
    frame = pd.read_excel(shelf.path("league-small"), sheet_name="Standings", header=3)
    frame = frame.dropna(subset=["Place"])
    expected = league_standings(LEAGUES["league-small"])
    ranked = sorted(expected, key=lambda name: -expected[name].rating)
    assert frame["Player"].tolist() == ranked
    assert frame["Rating"].tolist() == pytest.approx([expected[name].rating for name in ranked], rel=0, abs=TOLERANCE)
    assert frame["Games"].sum() == 2 * 30


# --- names that look like formulas, patterns and links ------------------------------------------------------


def hostile_games() -> list[list[Any]]:
    games = made_league(len(HOSTILE), 60, 9).games
    return [
        [day, *(HOSTILE[int(str(name).split()[1]) - 1] for name in (white, black)), result]
        for day, white, black, result in games
    ]


def hostile_log(folder: Path) -> Path:
    path = folder / "hostile.csv"
    with path.open("w", encoding="utf-8", newline="") as lines:
        out = csv.writer(lines)
        out.writerow(["Date", "White", "Black", "Result"])
        for i, (_, white, black, result) in enumerate(hostile_games()):
            names = [f"  {name} " if name == "padded" else name for name in (white, black)]
            out.writerow([f"2024-{1 + i // 28:02}-{1 + i % 28:02}", *names, result])
    return path


@pytest.mark.parametrize(
    ("name", "typed", "machinery"),
    [
        ("league", "Start, Players, Games", "Formulas, Ledger"),
        ("season", "Start, Teams, Fixtures", "Formulas, Outlook, Ledger"),
        ("calculator", "One game, Event, Performance, K-factor, Rating needed, Odds", "Formulas"),
    ],
)
def test_a_tabs_colour_says_what_a_sheet_is_for(name: str, typed: str, machinery: str, tmp_path: Path) -> None:
    new_book(name, tmp_path / "book.xlsx")
    colours: dict[str, list[str]] = {}
    for sheet in openpyxl.load_workbook(tmp_path / "book.xlsx"):
        if sheet.sheet_state == "visible":
            colours.setdefault(str(sheet.sheet_properties.tabColor.rgb)[2:], []).append(sheet.title)
    found = {colour: ", ".join(titles) for colour, titles in colours.items()}
    assert found[TABS["type"][1:]] == typed
    assert found[TABS["machinery"][1:]] == machinery
    assert "Check" in found[TABS["read"][1:]]


@every_engine
def test_hostile_names_count_right(engine: str, shelf: Shelf) -> None:
    games = hostile_games()
    names = dict.fromkeys(str(name) for game in games for name in game[1:3])
    expected = league_standings(League([(name, None) for name in names], games))
    assert set(names) == set(HOSTILE)
    assert_standings(standings(shelf.computed(engine, "hostile")["Standings"], len(names)), expected)


def test_hostile_names_are_text_everywhere(shelf: Shelf) -> None:
    path = shelf.path("hostile")
    book = openpyxl.load_workbook(path)
    names = {cell.value: cell for cell in book["Players"]["B"][4:] if cell.value is not None}
    assert set(names) == set(HOSTILE)
    typed = [*names.values(), *(cell for row in book["Games"]["C5:D64"] for cell in row)]
    assert {cell.data_type for cell in typed} == {"s"}
    assert [cell.coordinate for cell in typed if cell.hyperlink is not None] == []
    cells = read_book(path).sheets
    assert [cells["Games"][row, 3].formula for row in range(5, 65)] == [None] * 60
    with zipfile.ZipFile(path) as archive:
        relations = b"".join(archive.read(name) for name in archive.namelist() if name.endswith(".rels"))
    assert b"hyperlink" not in relations
    assert b"External" not in relations


def test_names_that_begin_like_formulas_are_quoted(shelf: Shelf) -> None:
    names = openpyxl.load_workbook(shelf.path("hostile"))["Players"]["B"][4:]
    quoted = {cell.value for cell in names if cell.quotePrefix}
    assert quoted == {"=1+1", "+x", "-y", "@SUM(1)"}


@pytest.mark.parametrize("name", ["#N/A", "#REF!", "TRUE", "1984", "1e5", "_x0041_", "Table[x]", "a\u200db"])
def test_names_that_read_like_values_are_stored_as_the_texts_they_are(name: str, tmp_path: Path) -> None:
    league = made_league(4, 6)
    league.players[0] = (name, None)
    league.games = [[name if value == "Player 1" else value for value in row] for row in league.games]
    plan = plan_book(league_book(league, 10))
    write_book(plan, tmp_path / "book.xlsx")
    sheets = read_book(tmp_path / "book.xlsx").sheets
    assert off(plan, lambda sheet, row, column: sheets[sheet][row, column].value) == []
    values = recalculate_many([tmp_path / "book.xlsx"])[0].values
    assert off(plan, lambda sheet, row, column: values[sheet][row, column]) == []
    assert_standings(standings(values["Standings"], 4), league_standings(league))


# --- the order of the computation ---------------------------------------------------------------------------

CHAIN = {  # shorter journals, with more of their columns: test_template_journal.py
    "chain-journal": ("Rating after",),
    "chain-league": ("Rating", "Change"),
}
CHAIN_BOOKS: dict[str, Callable[[], Book]] = {
    "chain-journal": lambda: journal_book(made_journal(140), 160),
    "chain-league": lambda: league_book(made_league(12, 140), 160),
}


@pytest.mark.libreoffice
def test_libreoffice_may_begin_its_computation_anywhere(tmp_path: Path) -> None:
    starts, books = [], []
    for name, make in CHAIN_BOOKS.items():
        path = tmp_path / f"{name}.xlsx"
        plan = plan_book(make())
        write_book(plan, path)
        book = read_book(path)
        first = next(iter(book.sheets))
        for label in CHAIN[name]:
            for k in (70, 160):  # in the first row it begins by itself
                probe = {(1, 600): Cell(f"INDEX(Ledger[{label}],{k})", None)}
                starts.append((name, label, k, plan))
                books.append(dataclasses.replace(book, sheets={**book.sheets, first: book.sheets[first] | probe}))
    for (name, label, k, plan), done in zip(starts, recalculate_many(books, "libreoffice", timeout=300), strict=True):
        values = done.values
        wrong = off(plan, lambda sheet, row, column, values=values: values[sheet][row, column])
        assert wrong == [], (name, label, k)


# --- the file -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*BOOKS, "hostile"])
def test_the_lint_is_silent(name: str, shelf: Shelf) -> None:
    assert [str(finding) for finding in lint(shelf.path(name), portable=PORTABLE)] == []


@pytest.mark.ooxml
def test_the_validator_of_the_format_is_silent(shelf: Shelf, ooxml_errors: Callable[[Path], list[str]]) -> None:
    """About the odd names; books of every template: test_every_template.py."""
    assert ooxml_errors(shelf.path("hostile")) == []


def test_a_name_beyond_the_limit_of_a_cell_is_refused_and_the_target_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "club.xlsx"
    target.write_bytes(b"old")
    league = made_league(4, 3)
    league.players[0] = ("x" * 40_000, None)
    with pytest.raises(OutputRefused, match="Players"):
        write_book(plan_book(league_book(league, 10)), target, overwrite=True)
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["club.xlsx"]


# --- the structure ------------------------------------------------------------------------------------------

TABLES = {
    "journal": {
        *("Log", "Ledger", "Pools", "Goals", "Milestones", "Planned", "Trial", "Exact", "Formulas"),
        *("ByColour", "Bands", "Controls", "Letters", "Openings", "Opponents", "ByMonth", "BestWins", "WorstLosses"),
        *("Curves", "MonthBars", "PoolLines", "OddsTable", "FideTable", "PerformanceTable"),
    },
    "league": {"Players", "Games", "Ledger", "Carry", "Curves"},
}
OPAQUE = re.compile(r'"[^"]*"|\[(?:[^\[\]]|\[[^\[\]]*\])*\]')


def bare(formula: str) -> str:
    """A formula without its texts and structured references."""
    return OPAQUE.sub("", formula)


@small_books
def test_inputs_and_formulas_stand_in_tables(name: str, shelf: Shelf) -> None:
    book = read_book(shelf.path(name))
    assert set(book.tables) >= TABLES[name.split("-")[0]]
    for sheet in planned(name).sheets:
        for table in sheet.tables:
            found = book.tables[table.name]
            assert found.columns == [column.label for column in table.columns]
            assert (found.first_row, found.last_row) == (table.first_row, table.last_row)


@small_books
def test_column_formulas_read_their_row_by_the_columns_name(name: str, shelf: Shelf) -> None:
    book = read_book(shelf.path(name))
    for table in book.tables.values():
        cells = [book.sheets[table.sheet].get((table.last_row, column)) for column in range(1, table.last_col + 1)]
        formulas = [cell.formula for cell in cells if cell is not None and cell.formula is not None]
        assert [text for text in formulas if "[@" in text] == []
        if table.name in {"Log", "Games", "Players"}:
            assert sum(f"{table.name}[[#This Row],[" in text for text in formulas) >= len(formulas) - 1
        if table.name in {"Ledger", "Carry", "Curves"}:  # behind Check, where an address is opened faster
            assert [text for text in formulas if "[#This Row]" in text] == []


@small_books
def test_sheets_that_are_typed_into_hold_no_relative_address(name: str, shelf: Shelf) -> None:
    """Rows are inserted, moved and sorted there; what is read as the last of some cells stays so."""
    book = read_book(shelf.path(name))
    typed = [book.sheets[sheet] for sheet in ("Log", "Games", "Players") if sheet in book.sheets]
    last = re.compile(r"INDEX\((\$A\d+:\$[A-Z]+\d+),ROWS\(\1\),COLUMNS\(\1\)\)")
    formulas = {last.sub("0", cell.formula) for cells in typed for cell in cells.values() if cell.formula is not None}
    assert formulas
    assert [text for text in formulas if re.search(r"(?<![\w$.])\$?[A-Z]{1,3}[0-9]+(?![\w(])", bare(text))] == []


@small_books
def test_excel_is_told_the_formula_of_each_column_that_is_one_for_all_rows(name: str, shelf: Shelf) -> None:
    """What each row looks for in a part of its own is told as a look through the whole; so a row that is added works.

    Those behind Check that name cells of their own row have addresses, and nobody adds a row.
    """
    tables = read_book(shelf.path(name)).tables
    for sheet in planned(name).sheets:
        for table in sheet.tables:
            for column in table.columns:
                named = sheet.tab == "machinery" and "[#This Row]" in str(column.fill.formula)
                whole = column.fill.formula if column.fill.is_uniform else column.fill.whole
                told = None if named or "{" in (whole or "") else whole
                assert tables[table.name].column_formulas.get(column.label) == told


@small_books
def test_every_name_is_one_cell(name: str, shelf: Shelf) -> None:
    book = read_book(shelf.path(name))
    rules = system("fide" if "fide" in name else "elo")
    assert isinstance(rules, System)
    shaped = rules.shaped(rules.settings())
    shown = {"Pool_number", "Shown_games", "Shown_last_row", "Shown_peak_row", "Shown_results"}
    shown |= {"Last_order_break"}
    chosen = {"Provisional_below", "Hidden_after_days", "Card_player", "Card_number"}
    own = (shown | chosen) & set(book.names)
    assert own == (shown if name.startswith("journal") else chosen)
    assert set(book.names) - own == {parameter.cell for parameter in shaped.live if parameter.name != "period"}
    homes = [text for key, text in book.names.items() if key not in own]
    assert [text for text in homes if not re.fullmatch(r"Start!\$E\$[0-9]+", text)] == []
    assert len(set(book.names.values())) == len(book.names)


@small_books
def test_no_formula_is_an_array_or_volatile(name: str, shelf: Shelf) -> None:
    path = shelf.path(name)
    cells = [cell for sheet in read_book(path).sheets.values() for cell in sheet.values()]
    assert [cell for cell in cells if cell.array is not None or cell.dynamic] == []
    volatile = re.compile(r"\b(NOW|TODAY|RAND|RANDBETWEEN|RANDARRAY|OFFSET|INDIRECT|INFO|CELL)\(")
    assert [cell.formula for cell in cells if cell.formula and volatile.search(cell.formula)] == []
    with zipfile.ZipFile(path) as archive:
        assert [one for one in archive.namelist() if "vba" in one.lower() or "metadata" in one.lower()] == []


@pytest.mark.parametrize("name", [*SMALL, "league-blocks"])
def test_no_formula_reads_a_range_that_holds_its_own_cell(name: str, shelf: Shelf) -> None:
    book = read_book(shelf.path(name))
    circular = []
    for cell, formula, areas in references(shelf.path(name)):
        sheet, row, column = cell
        for where, (top, left, bottom, right) in areas:
            if where == sheet and top <= row <= bottom and left <= column <= right:
                circular.append((cell, formula))
    assert book.calc.iterate is False
    assert circular == []


@pytest.mark.parametrize("name", ["journal-small", "journal-month", "journal-fide-month", "league-small"])
def test_the_formulas_can_be_computed_in_some_order(name: str, shelf: Shelf) -> None:
    """No circle through any number of cells, as a program sees it that looks at whole ranges."""
    reads = {cell: areas for cell, _, areas in references(shelf.path(name))}
    waiting: dict[tuple[str, int, int], set[tuple[str, int, int]]] = {}
    by_column: dict[tuple[str, int], list[int]] = {}
    for sheet, row, column in reads:
        by_column.setdefault((sheet, column), []).append(row)
    for cell, areas in reads.items():
        waiting[cell] = {
            (sheet, row, column)
            for sheet, (top, left, bottom, right) in areas
            for column in range(left, right + 1)
            for row in by_column.get((sheet, column), ())
            if top <= row <= bottom
        }
    done: set[tuple[str, int, int]] = set()
    while ready := [cell for cell, needs in waiting.items() if needs <= done]:
        done.update(ready)
        for cell in ready:
            del waiting[cell]
    assert sorted(waiting)[:5] == []


Area = tuple[str, tuple[int, int, int, int]]
REFERENCE = re.compile(
    r"\"[^\"]*\"|(?:(?:'((?:[^']|'')+)'|([A-Za-z_]\w*))!)?(?<![\w.])(\$?[A-Z]{1,3}\$?[0-9]+(?::\$?[A-Z]{1,3}\$?[0-9]+)?)(?![\w(])"
)
# ROWS and ROW say where a range stands and read no cell.
COUNTED = re.compile(r"\bROWS?\((?:'[^']+'!|\w+!)?\$?[A-Z]+\$?[0-9]+(?::\$?[A-Z]+\$?[0-9]+)?\)")


def references(path: Path) -> Iterator[tuple[tuple[str, int, int], str, list[Area]]]:
    """Every formula cell, its text, and the ranges that it reads."""
    book = read_book(path)
    resolve = structured_resolver(book.all_tables)
    for sheet, cells in book.sheets.items():
        for (row, column), cell in cells.items():
            if cell.formula is not None:
                text = COUNTED.sub("0", resolve(cell.formula, sheet, row, column))
                areas = [
                    ((quoted or plain or sheet).replace("''", "'"), parse_range(where.replace("$", "")))
                    for quoted, plain, where in (match.groups() for match in REFERENCE.finditer(text))
                    if where is not None
                ]
                yield (sheet, row, column), cell.formula, areas


# --- what the owner may do ----------------------------------------------------------------------------------


def pages(name: str, shelf: Shelf) -> Iterator[tuple[SheetPlan, Worksheet]]:
    book = openpyxl.load_workbook(shelf.path(name))
    for sheet in planned(name).sheets:
        yield sheet, book[sheet.name]


def inputs(sheet: SheetPlan) -> set[str]:
    """The cells of a sheet that are the owner's, spare rows with them."""
    cells = {cell_name(cell.row, cell.column) for cell in sheet.cells if cell.is_input}
    for table in sheet.tables:
        for at, column in enumerate(table.columns, table.first_column):
            if column.is_input:
                cells |= {cell_name(row, at) for row in range(table.first_data_row, table.last_row + 1)}
    return cells


@small_books
def test_inputs_are_unlocked_and_everything_else_is_locked(name: str, shelf: Shelf) -> None:
    for sheet, page in pages(name, shelf):
        unlocked = {cell.coordinate for row in page.iter_rows() for cell in row if not cell.protection.locked}
        assert unlocked == inputs(sheet)


@small_books
def test_the_templates_inputs_are_the_expected_columns(name: str) -> None:
    plan = planned(name)
    labels = {
        table.name: [column.label for column in table.columns if column.is_input]
        for sheet in plan.sheets
        for table in sheet.tables
    }
    typed = {table: found for table, found in labels.items() if found}
    if name.startswith("journal"):
        assert typed.pop("Log") == [*INPUTS, "Pool", "Opening", "Time control"]
        assert typed == {
            "Bands": ["From"],
            "Pools": ["Pool", "Start rating"],
            "Goals": ["Target", "Pool", "Games", "Opposition"],
            "Milestones": ["Milestone"],
            "Planned": ["Opponent", "Opponent rating", "Colour", "Pool"],
        }
    else:
        assert typed == {"Players": ["Player", "Start rating"], "Games": ["Date", "White", "Black", "Result", "Event"]}


@small_books
def test_inputs_have_a_colour_of_their_own(name: str, shelf: Shelf) -> None:
    for sheet, page in pages(name, shelf):
        fills = {page[cell].fill.fgColor.rgb for cell in inputs(sheet)}
        others = {cell.fill.fgColor.rgb for row in page.iter_rows() for cell in row if cell.protection.locked}
        assert len(fills) <= 1
        assert not fills & others


@small_books
def test_sheets_are_protected_without_a_password(name: str, shelf: Shelf) -> None:
    for _, page in pages(name, shelf):
        assert page.protection.sheet
        assert page.protection.password is None
        assert page.protection.hashValue is None


@small_books
def test_input_columns_are_validated_down_to_the_last_spare_row(name: str, shelf: Shelf) -> None:
    for sheet, page in pages(name, shelf):
        found = {str(area) for rule in page.data_validations.dataValidation for area in rule.sqref.ranges}
        expected = {cell_name(cell.row, cell.column) for cell in sheet.cells if cell.validation is not None}
        for table in sheet.tables:
            for at, column in enumerate(table.columns, table.first_column):
                if column.validation is not None:
                    letter = column_letters(at)
                    expected.add(f"{letter}{table.first_data_row}:{letter}{table.last_row}")
        assert found == expected


def test_drop_downs_offer_the_players_and_the_results(shelf: Shelf) -> None:
    pages = openpyxl.load_workbook(shelf.path("league-small"))
    rules = {str(rule.sqref): rule for rule in pages["Games"].data_validations.dataValidation}
    assert rules["C5:C54"].formula1 == rules["D5:D54"].formula1 == "Players!$B$5:$B$24"
    assert rules["E5:E54"].formula1 == '"1-0,1/2-1/2,0-1"'
    assert {str(rule.sqref) for rule in pages["Chart"].data_validations.dataValidation} == {"B4", "C4", "D4", "E4"}
    log = openpyxl.load_workbook(shelf.path("journal-small"))["Log"]
    rules = {str(rule.sqref): rule for rule in log.data_validations.dataValidation}
    assert rules["E5:E74"].formula1 == '"White,Black"'
    assert rules["F5:F74"].formula1 == '"Win,Draw,Loss"'


@pytest.mark.parametrize(
    ("name", "charts"),
    [("journal-small", {"Dashboard": 4, "Pools": 1}), ("league-small", {"Report": 1, "Chart": 2, "Card": 2})],
)
def test_charts_stand_where_they_should(name: str, charts: dict[str, int], shelf: Shelf) -> None:
    found = {page.title: len(page._charts) for _, page in pages(name, shelf) if page._charts}
    assert found == charts
    with zipfile.ZipFile(shelf.path(name)) as archive:
        parts = [part for part in archive.namelist() if part.startswith("xl/charts/chart")]
        drawn = "".join(archive.read(part).decode() for part in parts)
    ranges = re.findall(r"<c:f>([^<]+)</c:f>", drawn)
    assert [text for text in ranges if text.startswith("Curves!$B$5:$B$")]


@pytest.mark.parametrize(
    ("name", "panes"),
    [
        (
            "journal-small",
            {"Log": "D5", "Ledger": "B5"}
            | dict.fromkeys(("Odds", "Opponents", "Months", "Pools", "Formulas", "Spellings"), "A5"),
        ),
        (
            "league-small",
            {"Players": "C5", "Games": "B5", "Cross": "D5", "Ledger": "C5"}
            | dict.fromkeys(("Standings", "Odds", "Formulas", "Spellings"), "A5"),
        ),
    ],
)
def test_headers_stay_in_sight(name: str, panes: dict[str, str], shelf: Shelf) -> None:
    assert {page.title: page.freeze_panes for _, page in pages(name, shelf) if page.freeze_panes} == panes


@small_books
def test_only_the_helpers_are_hidden(name: str, shelf: Shelf) -> None:
    league = {"Carry", "CardCurve", "CardMet", "Sparks"}
    journal = {"Carry", "Trial", "Exact", "MonthBars", "PoolLines"}
    hidden = {"elo-sheets", "Curves", "Spellings", "Typed"} | (league if name.startswith("league") else journal)
    assert {page.title for _, page in pages(name, shelf) if page.sheet_state != "visible"} == hidden


def test_a_book_that_no_program_opens_is_refused_with_the_number_of_games_that_fit(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(build, "MOST_FORMULAS", 20_000)
    with pytest.raises(
        UsageError, match=r"at most 20,000 formula cells, got [\d,]+; the template journal has room"
    ) as no:
        new_book("journal", tmp_path / "j.xlsx", rows=2000)
    found = re.search(r"room for (\d+) games", str(no.value))
    assert found is not None
    with pytest.raises(UsageError):
        new_book("journal", tmp_path / "j.xlsx", rows=int(found[1]) + 1)
    new_book("journal", tmp_path / "j.xlsx", rows=int(found[1]))
    assert read_book(tmp_path / "j.xlsx").sheets
