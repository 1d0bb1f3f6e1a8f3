"""What an owner's book holds beside the template: which rows are looked at, and what the lint sees of it."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from elo_sheets.files.cells import Cell
from elo_sheets.files.references import column_letters, column_number
from elo_sheets.systems import system
from elo_sheets.uses.updating.carrying.layout import Cover
from elo_sheets.uses.updating.carrying.sheet import Parts, cells_of, columns_of, rows_of
from elo_sheets.workbook.build import blank_book, plan_book
from elo_sheets.workbook.plan import Plan
from elo_sheets.workbook.write import write_book, written_faults

WHOLE_ROW = re.compile(rb"<row\b([^>]*?)(?:/>|>(.*?)</row>)", re.S)
ROWS = (
    b'<row r="1"/>',
    b'<row r="2" spans="1:3"><c r="A2" s="3"/><c r="B2"><f>A1&gt;2</f><v>1</v></c></row>',
    b"<row><c><v>5</v></c></row>",
    b'<row r="7" ht="15" hidden="1"></row>',
    b'<row\nr="9"><c r="AB9" t="inlineStr"><is><t>x</t></is></c></row>',
)


@pytest.fixture(scope="module")
def plan() -> Plan:
    return plan_book(blank_book("league", system("elo"), {}, 20))


def test_rows_are_told_apart_in_every_way_of_writing_them() -> None:
    data = b" ".join(ROWS)
    found = list(rows_of(data))
    assert [number for number, _, _ in found] == [1, 2, 3, 7, 9]
    assert [(head, content) for _, head, content in found] == [
        (match[1], match[2] or b"") for match in WHOLE_ROW.finditer(data)
    ]


@pytest.mark.parametrize("data", [b"<sheetData/>", b'<sheetData a="b"></sheetData>', b"<sheetData>%s</sheetData>"])
def test_a_sheet_is_taken_apart_around_its_rows(data: bytes) -> None:
    rows = b"".join(ROWS) if b"%s" in data else b""
    part = b'<worksheet><cols><col/></cols>%s<mergeCells count="0"/></worksheet>' % data.replace(b"%s", rows)
    found = Parts.of(part, "Games")
    assert found.data == rows
    assert [name for name, _ in found.elements] == ["cols", "sheetData", "mergeCells"]


def test_columns_are_those_of_the_cells_or_unknown() -> None:
    assert columns_of(b"".join(ROWS[:2])) == {2: ("A", "B")}
    assert columns_of(ROWS[2]) is None  # a cell without a place
    assert columns_of(b'<row r="1"><c s="1" r="A1"/></row>') is None


@pytest.mark.parametrize("seed", range(5))
def test_no_row_is_passed_over_in_which_something_stands_beside_the_template(plan: Plan, seed: int) -> None:
    chance = random.Random(seed)
    for sheet in plan.sheets:
        cover = Cover(sheet)
        rows = []
        for row in range(1, 60):
            places = sorted({chance.randrange(1, 30) for _ in range(chance.randrange(6))} | set(range(1, 8)))
            rows.append(
                b'<row r="%d">' % row
                + b"".join(b'<c r="%s%d"/>' % (column_letters(one).encode(), row) for one in places)
                + b"</row>"
            )
        data = b"".join(rows)
        columns = columns_of(data)
        assert columns is not None
        beside = {
            row
            for row, _, content in rows_of(data)
            for column, _ in cells_of(row, content)
            if not cover.covers((row, column))
        }
        assert cover.rows_beside(columns) == beside
        assert all(column_number(one) for letters in columns.values() for one in letters)


def test_a_formula_in_a_cell_for_typing_is_found(plan: Plan) -> None:
    cover = Cover(plan.sheet("Games"))
    typed = next(column for *_, columns, _ in cover.tables for column in sorted(columns))
    first = cover.tables[0][0]
    cells = {(first + 2, typed): Cell("DATE(2024,1,1)", 45292.0), (first + 3, typed): Cell(None, 45293.0)}
    assert cover.typed_formulas(cells) == {first + 2}


def test_the_lint_of_a_written_book_sees_what_its_owner_put_beside(plan: Plan, tmp_path: Path) -> None:
    path = tmp_path / "league.xlsx"
    write_book(plan, path)
    assert written_faults(plan, path) == []
    broken = {"Games": {(3, 40): Cell('IF(A1,"x"', None)}}
    assert [(one.sheet, one.cell) for one in written_faults(plan, path, broken)] == [("Games", "AN3")]
    arrays = {"Games": {(3, 40): Cell("A1:A3", None, "AN3:AN5")}}
    assert written_faults(plan, path, arrays) == []
