"""The modern dialect: lists that are dynamic arrays say what the portable book says, and validate knows them.

What a list shows is compared with what an engine computes from its one formula, with the portable book of the same
games, and with orders and sums that are worked out here.
"""

from __future__ import annotations

import dataclasses
import os
import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from workbook_cases import chance, once, shared_folder, type_into

from elo_sheets.cli import cli
from elo_sheets.engines.office import office_version
from elo_sheets.engines.recalculate import recalculate
from elo_sheets.errors import OutputRefused, UsageError
from elo_sheets.files.archive import rewrite_parts
from elo_sheets.files.lint import lint
from elo_sheets.files.package import read_book
from elo_sheets.files.references import cell_name
from elo_sheets.games import make_games
from elo_sheets.readers import read
from elo_sheets.replaying.replay import replay
from elo_sheets.systems import system
from elo_sheets.uses.importing import import_logs
from elo_sheets.validate import Verdict, validate
from elo_sheets.workbook import new_book
from elo_sheets.workbook.book import Book
from elo_sheets.workbook.build import blank_book, filled_book, plan_book
from elo_sheets.workbook.dialect import options, stored, typed
from elo_sheets.workbook.fits import view_of
from elo_sheets.workbook.plan import Plan, TablePlan
from elo_sheets.workbook.templates import NAMES, first_system
from elo_sheets.workbook.write import write_book

SAMPLES = Path(__file__).parents[1] / "samples"
EVENT, NATIONS, TEAMS = (SAMPLES / name for name in ("uzchesscup.pgn", "internationals_1900s.csv", "nfl_1920.csv"))
# Template, system and log of the books that are tried, blank and with 40 games.
CASES = {
    "league-elo": ("league", "elo", EVENT),
    "league-glicko": ("league", "glicko", NATIONS),
    "league-ingo": ("league", "ingo", EVENT),
    "journal-elo": ("journal", "elo", None),
    "ratings-list-fide": ("ratings-list", "fide", NATIONS),
    "ratings-list-ingo": ("ratings-list", "ingo", NATIONS),
    "season-nfl": ("season", "nfl", TEAMS),
}
MODERN = [name for name in NAMES if view_of(name).modern_sheets]
SPILLING = re.compile(r"\b(FILTER|SORT|SORTBY|UNIQUE|SEQUENCE|LET|XLOOKUP|LAMBDA)\(|_xl(fn|ws|pm)\.")
# The tables that are typed into, and how many rows a book of the tests has there.
TYPED = {"Games": 50, "Fixtures": 50, "Log": 50, "Players": 45, "Teams": 45}

Values = Mapping[str, Mapping[tuple[int, int], Any]]
Books = Callable[[str], tuple[Path, Plan, Values]]


def made_games(games: int, players: int = 7, seed: int = 1) -> pd.DataFrame:
    """Made-up games of a club of which Ada plays each one, every third without a day."""
    numbers = chance(seed)
    rows = [
        {
            "date": None if i % 3 == 0 else pd.Timestamp("2024-01-01") + pd.Timedelta(days=9 * i),
            "white": "Ada" if i % 2 else f"Player {next(numbers) % players}",
            "black": f"Player {next(numbers) % players}" if i % 2 else "Ada",
            "score": (1.0, 0.5, 0.0)[next(numbers) % 3],
            "white_rating": 1500.0 + next(numbers) % 400,
            "black_rating": 1500.0 + next(numbers) % 400,
            "eco": f"{'ABCDE'[next(numbers) % 5]}{next(numbers) % 40:02d}",
            "source": "made",
            "source_row": i + 1,
        }
        for i in range(games)
    ]
    return make_games(rows)


def cut(book: Book, dialect: str) -> Book:
    """The book in a dialect, with few spare rows."""
    inputs = book.inputs
    tables = {
        name: {label: list(values)[: TYPED.get(name, len(values))] for label, values in columns.items()}
        for name, columns in inputs.tables.items()
    }
    games = next(len(next(iter(tables[name].values()))) for name in ("Games", "Fixtures", "Log") if name in tables)
    sizes = {"Ledger": games if "Log" in tables else 2 * games}
    inputs = dataclasses.replace(inputs, tables=tables, sizes=sizes)
    return dataclasses.replace(book, inputs=inputs, options=options(dialect))


def blank(case: str, dialect: str = "modern") -> Book:
    template, name, _ = CASES[case]
    return cut(blank_book(template, system(name), {}, 20), dialect)


def filled(case: str, dialect: str = "modern") -> Book:
    template, name, log = CASES[case]
    games = made_games(40) if log is None else read([log]).games.head(40)
    return cut(filled_book(template, system(name), {}, games, "Ada" if log is None else None), dialect)


def league(games: pd.DataFrame, dialect: str = "modern") -> Book:
    return cut(filled_book("league", system("elo"), {}, games), dialect)


def written(book: Book, path: Path) -> Plan:
    plan = plan_book(book)
    write_book(plan, path)
    return plan


def off(plan: Plan, values: Values) -> list[str]:
    """The computed cells whose engine value is not the planned one; nothing and empty text are one."""
    wrong = []
    for cell in plan.formulas():
        found = values[cell.sheet].get((cell.row, cell.column))
        if isinstance(cell.value, float) and isinstance(found, float):
            same = abs(cell.value - found) <= 1e-9 * max(1.0, abs(cell.value) / 4000)
        else:
            same = ("" if cell.value is None else cell.value) == ("" if found is None else found)
        if not same:
            wrong.append(
                f"{cell.sheet} {cell_name(cell.row, cell.column)}: {cell.value!r}, {found!r} by {cell.formula}"
            )
    return wrong[:5]


def table(plan: Plan, name: str) -> TablePlan:
    return next(one for sheet in plan.sheets for one in sheet.tables if one.name == name)


def column(plan: Plan, name: str, label: str) -> list[Any]:
    """The values of a column down to its last one."""
    values = list(next(one for one in table(plan, name).columns if one.label == label).fill.values)
    while values and values[-1] in (None, ""):
        values.pop()
    return values


def anchors(plan: Plan) -> list[Any]:
    return [cell for cell in plan.formulas() if cell.anchor is None and "_xlfn." in cell.formula]


def made(folder: Path, key: str) -> tuple[Path, Plan, Values]:
    case, kind, dialect = key.split()
    path = folder / f"{case}-{kind}-{dialect}.xlsx"
    plan = written((blank if kind == "blank" else filled)(case, dialect), path)
    return path, plan, recalculate(path, timeout=300).values


@pytest.fixture(scope="session")
def books(tmp_path_factory: pytest.TempPathFactory) -> Books:
    """A case blank or filled in a dialect, such as `league-elo blank modern`, with what the engine computes."""
    folder = shared_folder(tmp_path_factory.getbasetemp(), "dialect")

    def book(key: str) -> tuple[Path, Plan, Values]:
        found: tuple[Path, Plan, Values] = once(folder, key.replace(" ", "-"), lambda: made(folder, key))
        return found

    return book


KEYS = [f"{case} {kind}" for case in CASES for kind in ("blank", "filled")]


# --- what the books say


@pytest.mark.parametrize("key", KEYS)
def test_every_cell_is_what_an_engine_computes(key: str, books: Books) -> None:
    _, plan, values = books(f"{key} modern")
    assert off(plan, values) == []


@pytest.mark.parametrize("key", KEYS)
def test_a_modern_book_spills_on_its_modern_sheets_alone(key: str, books: Books) -> None:
    _, plan, _ = books(f"{key} modern")
    modern = set(view_of(key.partition("-")[0] if not key.startswith("ratings") else "ratings-list").modern_sheets)
    assert {cell.sheet for cell in anchors(plan)} == modern
    assert plan.dialect == "modern"


@pytest.mark.parametrize("key", [f"{case} filled" for case in CASES])
def test_both_dialects_compute_the_same_on_every_other_sheet(key: str, books: Books) -> None:
    (_, plan, modern), (_, _, portable) = books(f"{key} modern"), books(f"{key} portable")
    spilled = {cell.sheet for cell in anchors(plan)}
    # The last five results of the card are read off its list; all else stands on sheets that are the same.
    same = set(modern) - spilled - {"Start", "Formulas", "elo-sheets"}
    assert {"Ledger", "Check"} <= same
    for sheet in same:
        assert modern[sheet] == portable[sheet], sheet


@pytest.mark.parametrize("key", [f"{case} filled" for case in CASES if not case.startswith("journal")])
def test_a_ranking_has_the_order_of_the_portable_one(key: str, books: Books) -> None:
    names = {"league": [("Standings", "Player")], "ratings-list": [("List", "Player"), ("Risers", "Player")]}
    names["season"] = [("LeagueTable", "Team"), ("Power", "Team"), ("Form", "Rating change"), ("Split", "Away P")]
    template = CASES[key.split()[0]][0]
    (_, modern, _), (_, portable, _) = books(f"{key} modern"), books(f"{key} portable")
    for name, label in names[template]:
        found = column(modern, name, label)
        most = len(column(portable, name, label))
        assert found[:most] == column(portable, name, label)
        assert table(modern, name).is_range
        assert not table(portable, name).is_range


def test_the_standings_are_sorted_by_the_ratings_of_a_replay(books: Books) -> None:
    _, plan, values = books("league-elo filled modern")
    ratings = replay(read([EVENT]).games.head(40), system("elo")).ratings
    order = ratings.sort_values("rating", ascending=False)["player"].tolist()
    computed = [values["Standings"][5 + i, 2] for i in range(len(order))]
    assert computed == order
    assert column(plan, "Standings", "Place") == [float(i) for i in range(1, len(order) + 1)]


def test_the_months_of_a_journal_are_those_with_games(books: Books) -> None:
    _, _, values = books("journal-elo filled modern")
    days = made_games(40)["date"].dropna()
    months = sorted({day.replace(day=1) for day in days}, reverse=True)
    serial = [float((month - pd.Timestamp("1899-12-30")).days) for month in months]
    assert [values["Months"][5 + i, 2] for i in range(len(serial))] == serial
    assert values["Months"].get((5 + len(serial), 2)) in (None, "")


def test_the_card_lists_the_last_twenty_games_and_all_opponents(tmp_path: Path) -> None:
    games = made_games(48, players=30)
    book = league(games)
    cells = {**book.inputs.cells, "card": "Ada"}
    book = dataclasses.replace(book, inputs=dataclasses.replace(book.inputs, cells=cells))
    plan = written(book, tmp_path / "club.xlsx")
    values = recalculate(tmp_path / "club.xlsx").values
    assert off(plan, values) == []
    assert len(column(plan, "CardGames", "Result")) == 20
    last = games.iloc[-1]
    assert column(plan, "CardGames", "Opponent")[0] == (last["black"] if last["white"] == "Ada" else last["white"])
    others = (set(games["white"]) | set(games["black"])) - {"Ada"}
    assert set(column(plan, "CardOpponents", "Met")) == others
    assert len(others) > 20
    assert sum(column(plan, "CardOpponents", "Games")) == 48


def test_a_name_in_another_case_is_one_player(tmp_path: Path) -> None:
    book = league(made_games(12))
    typed_games = {label: list(values) for label, values in book.inputs.tables["Games"].items()}
    typed_games["White"] = [name and str(name).upper() for name in typed_games["White"]]
    tables = {**book.inputs.tables, "Games": typed_games}
    book = dataclasses.replace(book, inputs=dataclasses.replace(book.inputs, tables=tables))
    plan = written(book, tmp_path / "case.xlsx")
    assert off(plan, recalculate(tmp_path / "case.xlsx").values) == []
    assert validate(tmp_path / "case.xlsx").status == "agrees"


@pytest.mark.parametrize("name", ["12", "inf", "nan", "=1+1", "#N/A", "-5"])
def test_a_name_that_looks_like_a_number_stays_text_where_a_list_begins(name: str, tmp_path: Path) -> None:
    games = make_games([{"white": name, "black": "Ben", "score": 1.0, "source": "made", "source_row": 1}])
    written(league(games), tmp_path / "odd.xlsx")
    book = read_book(tmp_path / "odd.xlsx")
    assert book.sheets["Standings"][5, 2].value == name
    assert book.sheets["Standings"][5, 2].array == "B5:B6"
    if name in ("12", "=1+1", "#N/A"):  # a number, a formula and an error: one of each kind
        assert validate(tmp_path / "odd.xlsx").status == "agrees"


def test_a_list_stops_at_its_rows(tmp_path: Path) -> None:
    plan = plan_book(
        filled_book("journal", system("elo"), {}, made_games(250, players=200), "Ada", options=options("modern"))
    )
    listed = column(plan, "Opponents", "Opponent")
    assert len(listed) == 100
    games = column(plan, "Opponents", "Games")
    assert games == sorted(games, reverse=True)


# --- the file


@pytest.mark.parametrize("key", KEYS)
def test_the_lint_is_silent(key: str, books: Books) -> None:
    assert lint(books(f"{key} modern")[0]) == []


@pytest.mark.ooxml
@pytest.mark.parametrize("key", ["league-elo blank", *(f"{case} filled" for case in CASES)])
def test_the_validator_of_the_format_is_silent(
    key: str, books: Books, ooxml_errors: Callable[[Path], list[str]]
) -> None:
    assert ooxml_errors(books(f"{key} modern")[0]) == []


def test_the_same_inputs_give_the_same_bytes(books: Books, tmp_path: Path) -> None:
    """As every portable book does, written by another process: test_every_template.py."""
    written(filled("journal-elo"), tmp_path / "again.xlsx")
    assert (tmp_path / "again.xlsx").read_bytes() == books("journal-elo filled modern")[0].read_bytes()


@pytest.mark.parametrize("key", KEYS)
def test_a_list_is_stored_with_its_results_and_nothing_below_it(key: str, books: Books) -> None:
    path, plan, _ = books(f"{key} modern")
    book = read_book(path)
    for sheet in plan.sheets:
        lists = [one for one in sheet.tables if one.is_range]
        for one in lists:
            assert one.name not in book.tables
            below = [t for t in sheet.tables if t is not one and t.first_row > one.first_row]
            across = range(one.first_column, one.first_column + len(one.columns))
            assert not [t for t in below if set(across) & set(range(t.first_column, t.first_column + len(t.columns)))]
    for cell in plan.formulas():
        found = book.sheets[cell.sheet].get((cell.row, cell.column))
        if cell.anchor is not None and cell.value not in (None, ""):
            assert found is not None
            assert found.formula is None
            assert found.value == (
                pytest.approx(cell.value, rel=1e-15) if isinstance(cell.value, float) else cell.value
            )
    for cell in anchors(plan):
        assert book.sheets[cell.sheet][cell.row, cell.column].dynamic


@pytest.mark.parametrize("name", NAMES)
def test_a_portable_book_has_no_function_of_the_other_dialect(name: str) -> None:
    plan = plan_book(blank_book(name, system(first_system(name)), {}, 10))
    assert plan.dialect == "portable"
    assert [cell.formula for cell in plan.formulas() if SPILLING.search(cell.formula)] == []
    assert not any(one.is_range for sheet in plan.sheets for one in sheet.tables)
    assert "dialect" not in str([cell.value for cell in plan.sheet("elo-sheets").cells])


def test_the_start_sheet_says_what_a_modern_book_needs(books: Books) -> None:
    for template in MODERN:
        case = next(case for case, (name, _, _) in CASES.items() if name == template)
        said = [str(cell.value) for cell in books(f"{case} blank modern")[1].sheet("Start").cells]
        assert sum("Excel 2021 or Microsoft 365" in text for text in said) == 1
        portable = plan_book(blank(case, "portable")).sheet("Start").cells
        assert not any("Excel 2021" in str(cell.value) for cell in portable)


def test_formulas_are_shown_as_they_are_typed(books: Books) -> None:
    _, plan, _ = books("journal-elo filled modern")
    texts = [str(value) for one in table(plan, "Formulas").columns for value in one.fill.values]
    assert any("UNIQUE(" in text for text in texts)
    assert not any("_xl" in text for text in texts)


# --- what is stored


def test_a_formula_is_stored_with_the_prefixes_of_its_functions_and_names() -> None:
    formula = 'LET(own,(T[No.]=$B$5)*(T[all]>N("own")),SORTBY(FILTER(T[Id],own,""),SUM(own,1),-1))'
    expected = (
        '_xlfn.LET(_xlpm.own,(T[No.]=$B$5)*(T[all]>N("own")),'
        '_xlfn.SORTBY(_xlfn._xlws.FILTER(T[Id],_xlpm.own,""),SUM(_xlpm.own,1),-1))'
    )
    assert stored(formula) == expected
    assert typed(expected) == formula


def edited(source: Path, target: Path, sheet: str, change: Callable[[str], str]) -> Path:
    """A copy of a workbook with the XML of one sheet changed."""
    part = read_book(source).parts[sheet]
    with zipfile.ZipFile(source) as archive:
        before = archive.read(part).decode()
    after = change(before)
    assert after != before
    rewrite_parts(source, target, {part: after.encode()})
    return target


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("_xlfn._xlws.SORT(", "_xlfn.SORT(", "future-prefix"),
        ("_xlfn._xlws.FILTER(", "FILTER(", "future-prefix"),
        ("_xlfn.LET(", "LET(", "future-prefix"),
        ("_xlfn.LET(_xlpm.listed", "_xlfn.LET(listed", "parameter-prefix"),
        ("FILTER(Players[Player],_xlpm.listed", "FILTER(Players[Player],listed", "parameter-prefix"),
        ('cm="1"><f t="array" ref="A5:A12">', "><f>", "single-value"),
        ('ref="B5:B12"', 'ref="B5:C12"', "spill-blocked"),
    ],
)
def test_the_lint_finds_what_excel_would_not_take(old: str, new: str, rule: str, tmp_path: Path) -> None:
    written(league(made_games(40)), tmp_path / "club.xlsx")
    bad = edited(tmp_path / "club.xlsx", tmp_path / "bad.xlsx", "Standings", lambda xml: xml.replace(old, new, 1))
    assert rule in {finding.rule for finding in lint(bad)}


def test_a_portable_book_may_not_hold_a_modern_formula(tmp_path: Path) -> None:
    plan = dataclasses.replace(plan_book(blank("league-elo")), dialect="portable")
    with pytest.raises(OutputRefused, match="not-portable"):
        write_book(plan, tmp_path / "refused.xlsx")


# --- validate


@pytest.mark.parametrize("key", KEYS)
def test_validate_agrees_with_a_fresh_book(key: str, books: Books) -> None:
    verdict = validate(books(f"{key} modern")[0])
    assert verdict.status == "agrees"
    assert {finding.code for finding in verdict.findings} <= {"ES404"}  # a journal's games without a day


def retyped(old: str, new: str) -> Callable[[str], str]:
    return lambda xml: xml.replace(old, new, 1)


@pytest.mark.formualizer
@pytest.mark.parametrize("case", ["league-elo", "league-ingo", "season-nfl"])
def test_another_engine_agrees(case: str, books: Books) -> None:
    assert validate(books(f"{case} filled modern")[0], engine="formualizer").status == "agrees"


def is_recent() -> bool:
    """Whether LibreOffice is there and has the functions of dynamic arrays."""
    version = office_version()
    return bool(version) and tuple(map(int, version.split(".")[:2])) >= (24, 8)


@pytest.mark.libreoffice
def test_an_engine_without_these_functions_cannot_judge(books: Books) -> None:
    if is_recent():
        pytest.skip("this LibreOffice has the functions")
    verdict = validate(books("league-elo filled modern")[0], engine="libreoffice")
    assert verdict.status == "unchecked"
    assert "cannot judge" in str(verdict.reason)


@pytest.fixture(scope="module")
def recent() -> None:
    """A LibreOffice that can judge modern books; CI puts one beside the one that is installed."""
    if not is_recent():
        assert os.environ.get("ELO_SHEETS_RECENT_LIBREOFFICE") is None, "no recent LibreOffice is the first on the path"
        pytest.skip("LibreOffice has the functions from 24.8 on")


@pytest.mark.libreoffice
@pytest.mark.usefixtures("recent")
@pytest.mark.parametrize("key", KEYS)
def test_a_recent_libreoffice_has_the_same_values(key: str, books: Books) -> None:
    path, plan, _ = books(f"{key} modern")
    assert off(plan, recalculate(path, "libreoffice", timeout=300).values) == []


def short(template: str) -> Book:
    """A modern book with lists of one row, one month and one opponent, and of none: no opening is known."""
    games = made_games(2, players=1).assign(date=pd.Timestamp("2024-01-09"), eco=None)
    player = "Ada" if template == "journal" else None
    return cut(filled_book(template, system("elo"), {}, games.head(1 + (template == "journal")), player), "modern")


@pytest.mark.parametrize("template", ["journal", "league"])
def test_lists_of_one_row_and_of_none(template: str, tmp_path: Path) -> None:
    plan = written(short(template), tmp_path / "short.xlsx")
    assert off(plan, recalculate(tmp_path / "short.xlsx").values) == []
    shown = {"journal": ("ByMonth", "Month"), "league": ("CardGames", "Date")}[template]
    assert len(column(plan, *shown)) == 1


@pytest.mark.libreoffice
@pytest.mark.usefixtures("recent")
@pytest.mark.parametrize("template", ["journal", "league"])
def test_a_recent_libreoffice_fills_lists_of_one_row_and_of_none(template: str, tmp_path: Path) -> None:
    plan = written(short(template), tmp_path / "short.xlsx")
    assert off(plan, recalculate(tmp_path / "short.xlsx", "libreoffice", timeout=300).values) == []


FAULTS: dict[str, tuple[str, str, Callable[[str], str], str]] = {
    "a list sorted by another column": (
        "league-elo",
        "Standings",
        retyped("FILTER(Players[Rank],_xlpm.listed", "FILTER(Players[Best],_xlpm.listed"),
        "ES106",
    ),
    "a list turned round": (
        "ratings-list-fide",
        "Movers",
        retyped('FILTER(Ranking[Up],_xlpm.listed,""),-1)', 'FILTER(Ranking[Up],_xlpm.listed,""),1)'),
        "ES101",
    ),
    "another condition": (
        "journal-elo",
        "Opponents",
        retyped("_xlpm.key&gt;0", "_xlpm.key&lt;0"),
        "ES103",
    ),
    "a formula of a row in a list": (
        "season-nfl",
        "Table",
        retyped("INDEX(Teams[Rating],", "1+INDEX(Teams[Rating],"),
        "ES108",
    ),
    "a number in a list's place": (
        "league-elo",
        "Standings",
        lambda xml: re.sub(r'(<c r="C5"[^>]*?) cm="1"([^>]*)>.*?</c>', r"\1\2><v>1</v></c>", xml, count=1),
        "ES201",
    ),
    "a result that is not the list's": (
        "league-elo",
        "Standings",
        lambda xml: re.sub(r'(<c r="A6"[^>]*>)<v>2</v>', r"\1<v>7</v>", xml, count=1),
        "ES301",
    ),
    "a note in the way of a list": (
        "league-elo",
        "Standings",
        lambda xml: re.sub(r'<c r="A30" (s="\d+")/>', r'<c r="A30" \1><v>1</v></c>', xml, count=1),
        "ES201",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_validate_finds_a_planted_fault(fault: str, books: Books, tmp_path: Path) -> None:
    case, sheet, change, code = FAULTS[fault]
    bad = edited(books(f"{case} filled modern")[0], tmp_path / "bad.xlsx", sheet, change)
    verdict = validate(bad)
    assert verdict.status == "differs"
    assert code in {finding.code for finding in verdict.findings}
    assert all(finding.range.startswith(f"{sheet}!") for finding in verdict.findings if finding.code == code)


def test_what_is_typed_where_a_list_spills_is_found(books: Books, tmp_path: Path) -> None:
    """As Excel stores it: the list's formula is an error that reaches over its own cell alone."""

    def change(xml: str) -> str:
        cells = re.sub(
            r'(<c r="A5"[^>]*?)(?: t="\w+")?>(<f t="array" ref=")A5:A\d+(">.*?</f>)<v>.*?</v>',
            r'\1 t="e">\2A5\3<v>#SPILL!</v>',
            xml,
            count=1,
        )
        cells = re.sub(r'<c r="A(?:[6-9]|\d\d)" (s="\d+")><v>[^<]*</v></c>', r"", cells)
        return cells.replace('<c r="B7"', '<c r="A7"><v>3</v></c><c r="B7"', 1)

    bad = edited(books("league-elo filled modern")[0], tmp_path / "bad.xlsx", "Standings", change)
    verdict = validate(bad)
    assert verdict.status == "differs"
    assert ("ES201", "Standings!A7") in {(finding.code, finding.range) for finding in verdict.findings}


def test_a_book_that_was_not_recalculated_is_stale_and_nothing_else(tmp_path: Path) -> None:
    written(blank("league-elo"), tmp_path / "blank.xlsx")
    grown = type_into(tmp_path / "blank.xlsx", tmp_path / "grown.xlsx", {"Players": {"B5": "Ada", "B6": "Ben"}})
    verdict = validate(grown)
    assert verdict.status == "differs"
    assert {finding.code for finding in verdict.findings} == {"ES301"}


def test_more_players_than_the_book_was_made_for(tmp_path: Path) -> None:
    """A row inserted into Players makes the hidden tables no longer; the lists take the new player all the same."""
    book = league(made_games(40))
    people = {label: [*values, *[None] * 9] for label, values in book.inputs.tables["Players"].items()}
    tables = {**book.inputs.tables, "Players": people}
    sizes = {**book.inputs.sizes, "CardMet": 45}
    grown = dataclasses.replace(book, inputs=dataclasses.replace(book.inputs, tables=tables, sizes=sizes))
    plan = plan_book(grown)
    assert table(plan, "CardOpponents").rows == 45
    assert table(plan, "Standings").rows == 54


# --- the command


def test_the_command_makes_a_modern_book_that_validate_knows(tmp_path: Path) -> None:
    book = str(tmp_path / "club.xlsx")
    done = CliRunner().invoke(cli, ["new", "league", "-o", book, "--rows", "20", "--dialect", "modern"])
    assert (done.exit_code, done.output) == (0, f"wrote {book}\n")
    verdict: Verdict = validate(book)
    assert (verdict.status, verdict.layout) == ("agrees", "league")
    entries = {cell.value for cell in read_book(Path(book)).sheets["elo-sheets"].values()}
    assert {"option dialect", "modern"} <= entries


def test_a_template_without_lists_says_that_it_stays_portable(tmp_path: Path) -> None:
    book = str(tmp_path / "odds.xlsx")
    done = CliRunner().invoke(cli, ["new", "match", "-o", book, "--dialect", "modern"])
    assert done.exit_code == 0
    assert "template match has no list that reads better as a dynamic array" in done.stderr
    assert not any(cell.dynamic for cells in read_book(Path(book)).sheets.values() for cell in cells.values())
    assert validate(book).status == "agrees"


def test_an_import_takes_the_dialect(tmp_path: Path) -> None:
    modern = import_logs([EVENT], tmp_path / "modern.xlsx", dialect="modern")
    assert modern.notes == import_logs([EVENT], tmp_path / "portable.xlsx").notes
    book = read_book(tmp_path / "modern.xlsx")
    assert book.sheets["Standings"][5, 2].dynamic
    assert "Standings" not in book.tables
    event = import_logs([EVENT], tmp_path / "event.xlsx", template="event", dialect="modern", dry_run=True)
    assert any("portable" in note for note in event.notes)


def test_an_unknown_dialect_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected a dialect"):
        new_book("league", tmp_path / "club.xlsx", dialect="moden")
    with pytest.raises(UsageError, match="expected a dialect"):
        import_logs([EVENT], tmp_path / "club.xlsx", dialect="moden")
    assert not list(tmp_path.iterdir())


def test_the_templates_are_listed_with_their_modern_sheets() -> None:
    listed = CliRunner().invoke(cli, ["templates"]).output
    assert "modern dialect: Standings, Card" in listed
    assert "modern dialect: as the portable one" in listed
    shown = CliRunner().invoke(cli, ["templates", "league", "--dialect", "modern"]).output
    assert '  Place: =IF(COUNT(Players[Rank])=0,"",SORT(FILTER(Players[Rank],Players[Rank]<>"","")))\n' in shown
    assert "SORT(" not in CliRunner().invoke(cli, ["templates", "league"]).output
