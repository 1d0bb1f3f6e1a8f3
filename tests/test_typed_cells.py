"""What the formulas of a book pass over is red at once, counted by Check, and named by the validation."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import openpyxl
import pytest
from office import require_office
from workbook_cases import Typed, once, shared_folder, type_into

from elo_sheets.engines.recalculate import recalculate, recalculate_many
from elo_sheets.files.cells import Book as Found
from elo_sheets.files.cells import Cell, CellError, Value
from elo_sheets.files.package import read_book
from elo_sheets.files.references import cell_name, quote_sheet, shift_formula
from elo_sheets.systems import system
from elo_sheets.validate import validate
from elo_sheets.workbook import new_book
from elo_sheets.workbook.build import blank_book, plan_book
from elo_sheets.workbook.front import ALL_CLEAR
from elo_sheets.workbook.plan import Plan, Validation
from elo_sheets.workbook.typed_cells import Place, fits, not_understood, typed_places
from elo_sheets.workbook.write import write_book

BOOKS = [
    *(("journal", name) for name in ("elo", "glicko2")),
    *(("league", name) for name in ("elo", "fide", "glicko2", "world-football", "nba", "egf")),
    *(("ratings-list", name) for name in ("elo", "glicko")),
    *(("season", name) for name in ("elo", "world-football", "nba")),
    *(("event", name) for name in ("fide", "dwz", "uschess")),
    ("compare", "elo"),
    ("calculator", "elo"),
    ("match", "elo"),
]
LINE = "Numbers, days and choices that are not understood"
FAR = 300  # a column in which nothing stands
SHEET = "Typed"


@cache
def planned(template: str, name: str) -> Plan:
    return plan_book(blank_book(template, system(name), {}, 8))


def has_bounds(one: Place) -> bool:
    return one.rule.kind in {"number", "whole"}


def slips(one: Place, alone: Typed) -> list[Typed]:
    """Values of which the formulas make nothing, a cell each: text, a number too large; `alone` for a single cell."""
    found: list[Typed] = ["32,5", 1e9] if has_bounds(one) else ["32,5"]
    return found if one.last_row > one.row or not has_bounds(one) else [alone]


def typed(plan: Plan, places: list[Place], alone: Typed, folder: Path) -> Path:
    """The book with slips in the first cells of every place."""
    source, target = folder / "book.xlsx", folder / "typed.xlsx"
    write_book(plan, source)
    edits: dict[str, dict[str, Typed]] = {}
    for one in places:
        for row, value in enumerate(slips(one, alone), one.row):
            edits.setdefault(one.sheet, {})[cell_name(row, one.column)] = value
    return type_into(source, target, edits)


def with_marks(book: Found, plan: Plan, places: list[Place]) -> Found:
    """The book with the conditions of its conditional formats as formulas, in the first three rows of each place."""
    sheets = {name: dict(cells) for name, cells in book.sheets.items()}
    for at, one in enumerate(places, FAR):
        marks = plan.sheet(one.sheet).highlights
        cells = f"{cell_name(one.row, one.column)}:{cell_name(one.last_row, one.column)}"
        (mark, *_) = [m for m in marks if m.style == "alarm" and m.range.replace("$", "") == cells]
        for down in range(min(3, one.last_row - one.row + 1)):
            formula = shift_formula(mark.formula, down, 0)
            sheets[one.sheet][one.row + down, at] = Cell(f"IF({formula},1,0)", 0.0)
    return dataclasses.replace(book, sheets=sheets)


Computed = dict[tuple[str, int, int], Value]


def computed(books: Sequence[Found], engine: str) -> list[Computed]:
    """What one start of an engine makes of the books."""
    found = recalculate_many(books, engine, timeout=600)
    return [{(sheet, *at): v for sheet, cells in one.values.items() for at, v in cells.items()} for one in found]


ENGINES = ["ironcalc", pytest.param("libreoffice", marks=pytest.mark.libreoffice)]
# What LibreOffice computes: of each template the book with the most kinds of cells.
IN_LIBREOFFICE = [
    *(("journal", "glicko2"), ("league", "fide"), ("ratings-list", "glicko"), ("season", "nba"), ("event", "dwz")),
    *((template, "elo") for template in ("compare", "calculator", "match")),
]
HELD = [(*key, "ironcalc") for key in BOOKS]
HELD += [pytest.param(*key, "libreoffice", marks=pytest.mark.libreoffice) for key in IN_LIBREOFFICE]  # type: ignore[misc]
ALONE: dict[str, Typed] = {"ironcalc": 1e9, "libreoffice": "32,5"}


@pytest.fixture(scope="session")
def slipped(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[tuple[str, str], Computed]]:
    """What an engine makes of every book with slips, computed by the first worker that asks."""
    shared = shared_folder(tmp_path_factory.getbasetemp(), "typed-cells")

    def made(engine: str) -> dict[tuple[str, str], Computed]:
        if engine == "libreoffice":
            require_office()
        books, keys = [], IN_LIBREOFFICE if engine == "libreoffice" else BOOKS
        for number, key in enumerate(keys):
            plan, folder = planned(*key), shared / f"{engine}-{number}"
            folder.mkdir(exist_ok=True)
            places = list(typed_places(plan.sheets))
            books.append(with_marks(read_book(typed(plan, places, ALONE[engine], folder)), plan, places))
        return dict(zip(keys, computed(books, engine), strict=True))

    return cache(lambda engine: once(shared, engine, lambda: made(engine), patience=900))


@pytest.mark.parametrize(("template", "name", "engine"), HELD)
def test_every_slip_is_red_and_counted_in_its_place(
    template: str, name: str, engine: str, slipped: Callable[[str], dict[tuple[str, str], Computed]]
) -> None:
    plan, values, alone = planned(template, name), slipped(engine)[template, name], ALONE[engine]
    places = list(typed_places(plan.sheets))
    for at, one in enumerate(places, FAR):
        count = len(slips(one, alone))
        rows = range(one.row, min(one.row + 3, one.last_row + 1))
        red = [values.get((one.sheet, row, at)) for row in rows]
        assert red == [float(row < one.row + count) for row in rows], one
    counted = [(values[SHEET, row, 4], values[SHEET, row, 5]) for row in range(5, 5 + len(places))]
    assert counted == [(float(len(slips(one, alone))), float(one.row)) for one in places]
    (row,) = [c.row for c in plan.sheet("Check").cells if c.column == 1 and str(c.value).startswith(LINE)]
    first = places[0]
    said = f"{first.sheet}, row {first.row}: {not_understood(first.label, first.rule)}"
    assert (values["Check", row, 2], values["Check", row, 5]) == (sum(count for count, _ in counted), said)
    assert values["Check", 2, 1] != ALL_CLEAR
    assert [at for at, value in values.items() if isinstance(value, CellError)] == []


@pytest.mark.parametrize(("template", "name"), BOOKS)
def test_the_validation_says_the_same_sentences(template: str, name: str, tmp_path: Path) -> None:
    plan = planned(template, name)
    places = list(typed_places(plan.sheets))
    verdict = validate(typed(plan, places, "32,5", tmp_path))
    assert verdict.status == "differs", verdict.reason
    named = {one.range: one.message for one in verdict.findings if one.code == "ES408" and "passed" not in one.message}
    for one in places:
        sheet = one.sheet if one.sheet.isidentifier() else quote_sheet(one.sheet)
        said = named[f"{sheet}!{cell_name(one.row, one.column)}"]
        assert said.startswith(not_understood(one.label, one.rule)), said


@pytest.mark.parametrize(("template", "name"), BOOKS)
def test_a_book_as_it_is_made_is_green(template: str, name: str) -> None:
    plan = planned(template, name)
    assert plan.sheet("Check").cells[-1].value is not None
    for one in typed_places(plan.sheets):
        counts = [c.value for c in plan.sheet(SHEET).cells if c.column == 4 and c.row > 4]
        assert set(counts) == {0.0}, one


@pytest.mark.parametrize("engine", ENGINES)
def test_the_first_of_several_is_named_and_old_days_are_days(engine: str, tmp_path: Path) -> None:
    if engine == "libreoffice":
        require_office()
    plan = planned("league", "elo")
    source, target = tmp_path / "book.xlsx", tmp_path / "typed.xlsx"
    write_book(plan, source)
    days: dict[str, Typed] = {"B5": "1888-07-02", "B6": 45000.0, "B8": "12.03.2024", "B9": "2024-03-12"}
    type_into(source, target, {"Games": days, "Players": {"C9": 20000.0, "C12": "strong"}})
    (values,) = computed([read_book(target)], engine)
    rows = {cell.value: cell.row for cell in plan.sheet(SHEET).cells if cell.column == 2 and cell.row > 4}
    counted = {label: (values[SHEET, row, 4], values[SHEET, row, 5]) for label, row in rows.items()}
    wanted = {"Start rating": (2.0, 9.0), "Date": (2.0, 8.0)}
    assert counted == dict.fromkeys(counted, (0.0, 0.0)) | wanted
    found = {one.range for one in validate(target).findings if one.code == "ES408"}
    assert found == {"Players!C9", "Players!C12", "Games!B8", "Games!B9"}


def test_what_fits_a_list_is_in_it_whatever_its_case() -> None:
    rule = Validation("list", items=("White", "Black"))
    assert fits(rule, "white")
    assert not fits(rule, "Whit")
    offered = Validation("list", range="=Players!$B$5:$B$9")
    assert fits(offered, "zoë", ["Zoë", None])
    assert not fits(offered, "Zoe", ["Zoë", None])


# What an owner may write for a win, a draw and a loss besides the words of the drop-down.
WRITTEN = {"win": ("1:0", "W", "1–0"), "draw": ("½-½", "=", "draw"), "loss": ("0:1", "L", "0–1")}


def test_a_day_that_no_game_has_is_refused_with_how_one_is_typed(tmp_path: Path) -> None:
    """A program takes 20260205 for the day of that number, far behind the last one that it can show."""
    for template in ("league", "journal", "season", "league-2x2"):
        new_book(template, tmp_path / f"{template}.xlsx", rows=9)
        sheet = openpyxl.load_workbook(tmp_path / f"{template}.xlsx")
        games = next(sheet[name] for name in ("Games", "Log", "Fixtures") if name in sheet.sheetnames)
        (rule,) = (one for one in games.data_validations.dataValidation if one.type == "date")
        first, last = int(rule.formula1), int(rule.formula2)
        assert (rule.operator, first, last) == (None, 61, 73415)
        days = [datetime.date(1899, 12, 30) + datetime.timedelta(days=day) for day in (first, last)]
        assert rule.error == f"Type the day as year-month-day, such as 2026-02-28: from {days[0]} to {days[1]}."


@pytest.mark.parametrize("template", ["journal", "league", "season", "event", "ratings-list", "compare", "calculator"])
def test_every_spelling_of_a_result_has_its_colour(template: str, tmp_path: Path) -> None:
    plan = planned(template, "fide" if template == "event" else "elo")
    source = next(column for column in plan.sheet("Spellings").tables[0].columns if column.label == "Means")
    written = next(column for column in plan.sheet("Spellings").tables[0].columns if column.label == "Written")
    means = dict(zip(written.fill.values, source.fill.values, strict=True))
    sheet, table = next(
        (sheet, table)
        for sheet in plan.sheets
        for table in sheet.tables
        if any(column.label == "Result" and column.validation and column.validation.open for column in table.columns)
    )
    cells = table.range("Result").replace("$", "")
    marks = {mark.style: mark for mark in sheet.highlights if mark.range.replace("$", "") == cells}
    assert set(marks) >= set(WRITTEN)
    tests = [(kind, text) for kind, texts in WRITTEN.items() for text in texts if text.lower() in means]
    assert len(tests) >= 3
    cell = f"${cells[0]}{table.first_data_row}"
    book = written_book(plan, tmp_path)
    sheets = {name: dict(cells) for name, cells in book.sheets.items()}
    for row, (_, text) in enumerate(tests, 1):
        for at, style in enumerate(WRITTEN, FAR):
            asked = marks[style].formula.replace(cell, '"' + text + '"')
            sheets["Start"][row, at] = Cell(f"IF({asked},1,0)", 0.0)
    values = recalculate(dataclasses.replace(book, sheets=sheets), "ironcalc").values["Start"]
    for row, (kind, text) in enumerate(tests, 1):
        assert [values[row, at] for at in range(FAR, FAR + 3)] == [float(kind == style) for style in WRITTEN], text


def written_book(plan: Plan, folder: Path) -> Found:
    write_book(plan, folder / "book.xlsx")
    return read_book(folder / "book.xlsx")
