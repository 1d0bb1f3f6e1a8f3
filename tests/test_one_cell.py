"""No formula has a range of one cell: LibreOffice 25.2 saves E4:E4 as E4, which not every engine takes for a range."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import xlsxwriter
from test_dialect import recent  # noqa: F401
from test_every_template import made

from elo_sheets.engines.office import convert
from elo_sheets.engines.recalculate import recalculate
from elo_sheets.files.package import read_book, sheet_text
from elo_sheets.uses.importing import import_logs
from elo_sheets.uses.updating import update
from elo_sheets.validate import validate
from elo_sheets.verdict.compare import canonical
from elo_sheets.workbook.build import blank_book, plan_book
from elo_sheets.workbook.dialect import options
from elo_sheets.workbook.fits import fitting_systems, view_of
from elo_sheets.workbook.layout import as_stored, fixed_columns
from elo_sheets.workbook.plan import PENDING, Plan
from elo_sheets.workbook.templates import NAMES, systems_asked, template_of_sides, template_settings
from elo_sheets.workbook.write import write_book

_RANGE = re.compile(r"(?<![\w.$])\$?([A-Z]{1,3})\$?(\d+):(?:[^!:,()]+!)?\$?([A-Z]{1,3})\$?(\d+)(?![\w(])")
SIDED = [template_of_sides("league", sides) for sides in ("2x2", "3x3", "4x4")] + [template_of_sides("table", None)]
# The smallest books, and those of which a block, a part or a window begins with the last row.
SIZES = (1, 3, 51, 201, 501, 1001, 1264)


def of_one(formula: str) -> bool:
    """Whether a formula has a range of one cell."""
    return any(found[:2] == found[2:] for found in _RANGE.findall(formula))


def formulas(plan: Plan) -> Iterator[tuple[str, str]]:
    """Where each formula of a plan stands, and its text as it is stored."""
    columns = fixed_columns(plan)
    for sheet in plan.sheets:
        yield from ((f"{sheet.name}!{cell.row},{cell.column}", cell.formula) for cell in sheet.cells if cell.formula)
        yield from ((f"{sheet.name} highlight", one.formula) for one in sheet.highlights)
        for table in sheet.tables:
            for column in table.columns:
                fill = column.fill
                if fill.formula is None:
                    continue
                where = f"{table.name}[{column.label}]"
                if fill.spill is not None:
                    yield where, fill.formula
                    continue
                rows = [None] * table.rows if fill.values is PENDING else fill.values
                stored = as_stored(dataclasses.replace(fill, values=rows), table, sheet, columns)
                yield from ((where, text) for text in stored.formulas(table.first_data_row))


def test_a_range_of_one_cell_is_found() -> None:
    assert all(map(of_one, ("SUM(E4:E4)", "COUNTIF(Check!$D$5:$D$5,1)", "SUM('A b'!$D$5:D5)", "SUM(A!B2:A!B2)")))
    assert not any(map(of_one, ("SUM(E4:E5)", "SUM($D$5:E5)", "Games[E4]", "SUM(E4:E44)", "E4")))


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("name", [*NAMES, *SIDED])
def test_no_formula_has_a_range_of_one_cell(name: str, rows: int) -> None:
    view = view_of(name)
    for asked in fitting_systems(name) if rows == SIZES[0] else fitting_systems(name)[:1]:
        (rules, *further), settings = systems_asked(name, asked)
        for dialect in ("portable", "modern") if view.modern_sheets else ("portable",):
            book = blank_book(name, rules, template_settings(name, rules, settings), rows, options(dialect), further)
            found = {where: text for where, text in formulas(view(book).plan()) if of_one(text)}
            assert found == {}, (asked, dialect)


@pytest.mark.parametrize("name", NAMES)
def test_no_formula_quotes_the_name_of_a_sheet_that_needs_no_quotes(name: str) -> None:
    (rules, *further), settings = systems_asked(name, None)
    book = blank_book(name, rules, template_settings(name, rules, settings), SIZES[-1], further=further)
    quoted = {one for _, text in formulas(plan_book(book)) for one in re.findall(r"'([^'\"]+)'!", text)}
    assert [one for one in quoted if sheet_text(one) == one] == []


DOUBLES = "Date,A1,A2,B1,B2,Result\n2024-01-01,Ada,Bo,Cy,Di,1-0\n2024-01-08,Ada,Cy,Bo,Di,0-1\n"


def written(name: str, folder: Path) -> Path:
    """A book of a template with games."""
    path = folder / f"{name}.xlsx"
    if name == "doubles":
        (folder / "log.csv").write_text(DOUBLES, encoding="utf-8")
        import_logs(folder / "log.csv", path)
    else:
        write_book(plan_book(made(name, "world-football" if name == "season" else "elo", 40)), path)
    return path


@pytest.mark.parametrize("name", ["league", "journal", "doubles"])
def test_an_updated_book_has_none_either(name: str, tmp_path: Path) -> None:
    path = written(name, tmp_path)
    update(path)
    cells = [cell for sheet in read_book(path).sheets.values() for cell in sheet.values()]
    assert [cell.formula for cell in cells if cell.formula and of_one(cell.formula)] == []


@pytest.mark.libreoffice
@pytest.mark.usefixtures("recent")
@pytest.mark.parametrize("name", ["league", "ratings-list", "compare", "season", "journal", "doubles"])
def test_a_book_that_a_recent_libreoffice_saved_agrees(name: str, tmp_path: Path) -> None:
    (tmp_path / "saved").mkdir()
    saved = convert(written(name, tmp_path), "xlsx", tmp_path / "saved")
    verdict = validate(saved)
    assert (verdict.status, verdict.findings) == ("agrees", ())


def test_a_cell_means_the_range_of_that_cell() -> None:
    def meant(formula: str) -> object:
        return canonical(formula, "S", 1, 1, lambda text, *place: text)

    assert meant("SUM(E4:E4)") == meant("SUM($E$4)")
    assert meant("SUM('A b'!$E$4:$E$4)") == meant("SUM('A b'!E4)")
    assert meant("SUM(E4:E44)") != meant("SUM(E4)")


def test_one_cell_is_a_range_to_every_engine(tmp_path: Path) -> None:
    counted = {
        'COUNTIF(A1,"x")': 1,
        "COUNTIFS(A1,A1,B1,4)": 0,
        'SUMIF(A1,"x",B1)': 3,
        "SUMIFS(B1,A1,A1,$B$1,3)": 3,
        'COUNTIF(S!$A$1,"x")+AVERAGEIF(B1,">1")': 4,
        "IF(COUNTIF(A1,A1)=1,_xlfn.MAXIFS(B1,A1,A1),0)": 3,
    }
    with xlsxwriter.Workbook(str(tmp_path / "one.xlsx")) as book:
        sheet = book.add_worksheet("S")
        sheet.write_row("A1", ["x", 3])
        for row, formula in enumerate(counted):
            sheet.write_formula(row, 2, f"={formula}")
    found = recalculate(tmp_path / "one.xlsx", "ironcalc").values["S"]
    assert [found[row, 3] for row in range(1, len(counted) + 1)] == list(counted.values())
