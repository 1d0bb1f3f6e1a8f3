from __future__ import annotations

import datetime
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.formula.translate import Translator

from elo_sheets.engines.office import convert
from elo_sheets.errors import UnreadableInput
from elo_sheets.files import archive as _archive
from elo_sheets.files import package, worksheet
from elo_sheets.files.archive import rewrite_parts
from elo_sheets.files.cells import Book, Cell, CellError
from elo_sheets.files.package import read_book
from elo_sheets.files.references import (
    Filled,
    Runs,
    Table,
    cell_name,
    escape,
    parse_cell_name,
    parse_range,
    parse_structured,
    shift_formula,
    structured_resolver,
    unescape,
)

SHEET = "xl/worksheets/sheet1.xml"
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    path = tmp_path / "plain.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("Log")
        sheet.write(0, 0, 1.5)
        sheet.write_string(0, 1, "Ann")
        sheet.write_boolean(0, 2, True)
        sheet.write_formula(1, 0, "=A1*2", None, 3)
        sheet.write_formula(1, 1, "=NA()", None, "#N/A")
        sheet.write_formula(1, 2, '=B1&""', None, "Ann")
    return path


def with_sheet(source: Path, data: str, *, attributes: str = MAIN) -> Path:
    """A copy of the book whose first sheet is the given XML of `sheetData`."""
    target = source.with_name("patched.xlsx")
    xml = f"<?xml version='1.0' encoding='UTF-8'?><worksheet {attributes}>{data}</worksheet>"
    rewrite_parts(source, target, {SHEET: xml.encode()})
    return target


def cells_of(source: Path, data: str) -> dict[tuple[int, int], Cell]:
    return read_book(with_sheet(source, f"<sheetData>{data}</sheetData>")).sheets["Log"]


# --- names of cells -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "name"),
    [((1, 1), "A1"), ((20, 8), "H20"), ((1, 27), "AA1"), ((1_048_576, 16_384), "XFD1048576")],
)
def test_cell_names_are_those_of_excel(place: tuple[int, int], name: str) -> None:
    assert cell_name(*place) == name
    assert parse_cell_name(name) == place


@pytest.mark.parametrize("name", ["", "A0", "1A", "XFE1", "A1048577", "A1:B2", "T[x]"])
def test_what_is_no_cell_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="expected a cell"):
        parse_cell_name(name)


def test_a_range_is_put_in_order() -> None:
    assert parse_range("$C$9:A1") == (1, 1, 9, 3)


# --- values -------------------------------------------------------------------------------------------------


def test_every_kind_of_value_is_read(plain: Path) -> None:
    assert read_book(plain).sheets["Log"] == {
        (1, 1): Cell(None, 1.5),
        (1, 2): Cell(None, "Ann"),
        (1, 3): Cell(None, True),
        (2, 1): Cell("A1*2", 3.0),
        (2, 2): Cell("NA()", CellError("#N/A")),
        (2, 3): Cell('B1&""', "Ann"),
    }


def test_an_error_is_told_from_a_text(plain: Path) -> None:
    value = read_book(plain).sheets["Log"][2, 2].value
    assert isinstance(value, CellError)
    assert repr(value) == "CellError('#N/A')"


@pytest.mark.parametrize(
    ("xml", "value"),
    [
        ('<c r="A1"><v>1e3</v></c>', 1000.0),
        ('<c r="A1" t="n"><v> 7 </v></c>', 7.0),
        ('<c r="A1" t="str"><v>a_x000a_b</v></c>', "a\nb"),
        ('<c r="A1" t="inlineStr"><is><t>in</t></is></c>', "in"),
        (
            '<c r="A1" t="inlineStr"><is><r><t>ri</t></r><r><t xml:space="preserve">ch </t></r></is></c>',
            "rich ",
        ),
        ('<c r="A1" t="inlineStr"><is><t>base</t><rPh sb="0" eb="1"><t>guide</t></rPh></is></c>', "base"),
        ('<c r="A1" t="d"><v>2024-03-01T12:00:00</v></c>', 45352.5),
        ('<c r="A1" t="b"><v>0</v></c>', False),
        ('<c r="A1" t="e"><v>#NAME?</v></c>', CellError("#NAME?")),
        ('<c r="A1"><!-- note --><v><![CDATA[5]]></v></c>', 5.0),
    ],
)
def test_a_stored_value_is_read(plain: Path, xml: str, value: object) -> None:
    (cell,) = cells_of(plain, f'<row r="1">{xml}</row>').values()
    assert (type(cell.value), cell.value) == (type(value), value)


def test_cells_without_a_place_follow_each_other(plain: Path) -> None:
    cells = cells_of(plain, "<row><c><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c></row>")
    assert {place: cell.value for place, cell in cells.items()} == {(1, 1): 1, (1, 2): 2, (2, 1): 3}


def test_blank_cells_are_left_out(plain: Path) -> None:
    assert cells_of(plain, '<row r="1"><c r="A1" s="0"/><c r="B1"><v></v></c></row>') == {}


def test_a_formula_with_no_cached_value_has_none(plain: Path) -> None:
    assert cells_of(plain, '<row r="1"><c r="A1"><f>1+1</f></c></row>') == {(1, 1): Cell("1+1", None)}
    # A typed truth value, as LibreOffice saves it, is none.
    typed = '<row r="1"><c r="A1" t="b"><f aca="false">TRUE()</f><v>1</v></c><c r="B1"><f>FALSE()</f></c></row>'
    assert cells_of(plain, typed) == {(1, 1): Cell(None, True), (1, 2): Cell(None, False)}


def test_namespace_prefixes_do_not_matter(plain: Path) -> None:
    data = '<x:sheetData><x:row r="1"><x:c r="A1"><x:v>4</x:v></x:c></x:row></x:sheetData>'
    xml = f"<x:worksheet {MAIN.replace('xmlns', 'xmlns:x')}>{data}</x:worksheet>"
    target = plain.with_name("prefixed.xlsx")
    rewrite_parts(plain, target, {SHEET: xml.encode()})
    assert read_book(target).sheets["Log"][1, 1].value == 4


@given(st.text())
def test_escaping_a_text_can_be_undone(text: str) -> None:
    assert unescape(escape(text)) == text


# --- formulas -----------------------------------------------------------------------------------------------


def test_shared_formulas_are_written_out_for_each_cell(plain: Path) -> None:
    cells = cells_of(
        plain,
        '<row r="1"><c r="B1"><f t="shared" ref="B1:B3" si="0">A1+$D$1</f><v>1</v></c></row>'
        '<row r="2"><c r="B2"><f t="shared" si="0"/><v>2</v></c></row>'
        '<row r="3"><c r="C3"><f t="shared" si="0"/><v>3</v></c></row>',
    )
    assert [cell.formula for cell in cells.values()] == ["A1+$D$1", "A2+$D$1", "B3+$D$1"]


def test_a_shared_formula_may_come_before_its_text(plain: Path) -> None:
    cells = cells_of(
        plain,
        '<row r="1"><c r="B1"><f t="shared" si="0"/></c></row>'
        '<row r="2"><c r="B2"><f t="shared" ref="B1:B2" si="0">A2*2</f></c></row>',
    )
    assert cells[1, 2].formula == "A1*2"


FORMULAS = [
    "A1+B2",
    "$A1+A$1+$A$1",
    "SUM(A1:B9)*Sheet1!C3",
    "'My A1 Sheet'!B2&\"A1\"",
    "LOG10(A1)+ATAN2(B1,B2)",
    "SUM($J$4:J9,A:B,$C:C,3:4)",
    'IF(C5="","",1/(1+10^((D5-E5)/400)))',
    "K_factor*x1y+AB12",
]


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize(("rows", "columns"), [(0, 0), (3, 0), (0, 2), (7, 5)])
def test_shifting_agrees_with_openpyxl(formula: str, rows: int, columns: int) -> None:
    shifted = Translator("=" + formula, "H20").translate_formula(cell_name(20 + rows, 8 + columns))
    assert "=" + shift_formula(formula, rows, columns) == shifted


def test_shifting_leaves_structured_references_alone() -> None:
    assert shift_formula("T[[#This Row],[A1]]+A1", 1, 1) == "T[[#This Row],[A1]]+B2"


def test_shifting_over_the_edge_is_a_broken_reference() -> None:
    assert shift_formula("A1", -1, 0) == Filled("A2", 2).at(0) == "#REF!"


MANY_ROWS = "+".join(f"A{row}" for row in range(1, 40))


@pytest.mark.parametrize("formula", [*FORMULAS, MANY_ROWS, "A\1+B3", "SUM(3:5)+$4:$6", "T[[#This Row],[A1]]&$B2&A$3"])
def test_a_formula_that_is_filled_down_is_the_shifted_one(formula: str) -> None:
    filled = Filled(formula, 9)
    assert [filled.at(row) for row in range(1, 40)] == [shift_formula(formula, row - 9, 0) for row in range(1, 40)]


def test_runs_are_told_where_two_formulas_take_turns_and_not_where_each_is_new() -> None:
    runs = Runs()
    turns = [runs.of(row, 1, f"$B{row}-C{row - 1 + row % 2 * 2}") for row in range(2, 12)]
    assert turns[0] is not turns[1]
    assert turns == turns[:2] * 5
    assert None not in turns
    assert [runs.of(row, 2, f"A{row * row}") for row in range(1, 60)][-1] is None
    runs.end()
    assert runs.of(12, 1, "$B12-C11") not in turns


def test_an_array_formula_is_told_by_its_range(tmp_path: Path) -> None:
    path = tmp_path / "array.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("Log")
        sheet.write_array_formula("A1:A2", "{=B1:B2*2}")
        sheet.write_dynamic_array_formula("C1:C2", "=_xlfn.UNIQUE(B1:B2)")
    cells = read_book(path).sheets["Log"]
    assert (cells[1, 1].formula, cells[1, 1].array, cells[1, 1].dynamic) == ("B1:B2*2", "A1:A2", False)
    assert (cells[1, 3].array, cells[1, 3].dynamic) == ("C1:C2", True)
    assert cells[2, 1].formula is None


# --- structured references ----------------------------------------------------------------------------------

GAMES = Table("Games", "Log", 4, 2, 10, 4, ["No", "Two Words", "Odd [#1]"], 1, 1)


@pytest.mark.parametrize(
    ("formula", "plain_formula"),
    [
        ("SUM(Games[No])", "SUM($B$5:$B$9)"),
        ("games[[#This Row],[two words]]*2", "$C7*2"),
        ("Games[@No]+Games[@[Two Words]]", "$B7+$C7"),
        ("Games[[#Headers],[No]]", "$B$4"),
        ("Games[[#Totals],[No]]", "$B$10"),
        ("ROWS(Games[#All])", "ROWS($B$4:$D$10)"),
        ("ROWS(Games[])", "ROWS($B$5:$D$9)"),
        ("Games[[No]:[Two Words]]", "$B$5:$C$9"),
        ("Games[[#Headers],[#Data],[No]]", "$B$4:$B$9"),
        ("SUM(Games[Odd '['#1']])", "SUM($D$5:$D$9)"),
        ("[@No]+[[#This Row],[Two Words]]", "$B7+$C7"),
        ("\"Games[No]\"&'a[1]'!B2", "\"Games[No]\"&'a[1]'!B2"),
        ("Games[Nobody]+Players[No]", "#REF!+#REF!"),
    ],
)
def test_structured_references_become_ranges(formula: str, plain_formula: str) -> None:
    assert structured_resolver([GAMES])(formula, "Log", 7, 3) == plain_formula


def test_a_reference_from_another_sheet_names_the_sheet() -> None:
    assert structured_resolver([GAMES])("SUM(Games[No])", "It's", 1, 1) == "SUM('Log'!$B$5:$B$9)"


def test_a_malformed_structured_reference_is_refused() -> None:
    with pytest.raises(ValueError, match="expected"):
        parse_structured("T", "[[#This Row],No]")


# --- the workbook -------------------------------------------------------------------------------------------


def test_tables_names_and_settings_are_read(tmp_path: Path) -> None:
    path = tmp_path / "rich.xlsx"
    with xlsxwriter.Workbook(path, {"date_1904": True}) as book:
        book.set_calc_mode("manual")
        sheet = book.add_worksheet("Start")
        hidden = book.add_worksheet("Engine room")
        hidden.hide()
        book.define_name("K_factor", "=Start!$B$1")
        book.define_name("Start!Local", "=Start!$B$2")
        sheet.add_table(
            "A3:B6",
            {
                "name": "Games",
                "total_row": True,
                "columns": [
                    {"header": "Line\nbreak"},
                    {"header": "Twice", "formula": "=Games[@[Line\nbreak]]*2"},
                ],
            },
        )
        sheet.data_validation("D1", {"validate": "list", "source": ["Win", "Loss"], "input_title": "Result"})
        sheet.conditional_format("E1:E9", {"type": "formula", "criteria": "=$E1>2"})
        sheet.merge_range("G1:H1", "")
        sheet.set_row(7, None, None, {"hidden": True})
        sheet.write(7, 0, 1)
    book = read_book(path)
    table = book.tables["Games"]
    assert list(book.sheets) == ["Start", "Engine room"]
    assert book.hidden == {"Engine room"}
    assert book.names == {"K_factor": "Start!$B$1"}
    assert book.local_names == {("Start", "Local"): "Start!$B$2"}
    assert (table.sheet, table.first_row, table.first_col, table.last_row, table.last_col) == (
        "Start",
        3,
        1,
        6,
        2,
    )
    assert (table.header_rows, table.totals_rows, table.first_data_row, table.last_data_row) == (1, 1, 4, 5)
    assert table.columns == ["Line\nbreak", "Twice"]
    assert book.calc == package.Calc("manual", False, True, True)
    assert [(rule.type, rule.formula1, rule.prompt_title) for rule in book.validations] == [
        ("list", '"Win,Loss"', "Result")
    ]
    assert book.conditions == [("Start", "E1:E9", "$E1>2")]
    assert book.merges == {"Start": ["G1:H1"]}
    assert book.hidden_rows == {"Start": {8}}
    assert book.faults == []


def test_a_file_saved_by_openpyxl_is_read(tmp_path: Path) -> None:
    path = tmp_path / "openpyxl.xlsx"
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Ann", 1.25, True, datetime.date(2024, 3, 1), "=B1*2"])
    book.save(path)
    values = [(cell.formula, cell.value) for cell in read_book(path).sheets["Sheet"].values()]
    assert values == [(None, "Ann"), (None, 1.25), (None, True), (None, 45352.0), ("B1*2", None)]


@pytest.mark.libreoffice
def test_a_file_saved_by_libreoffice_is_read(plain: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    saved = read_book(convert(plain, "xlsx", tmp_path / "out")).sheets["Log"]
    # LibreOffice turns a typed TRUE into a formula, which is read as what was typed.
    assert saved == read_book(plain).sheets["Log"]


def test_cells_out_of_order_are_read_and_reported(plain: Path) -> None:
    path = with_sheet(plain, '<sheetData><row r="1"><c r="B1"><v>1</v></c><c r="A1"><v>2</v></c></row></sheetData>')
    book = read_book(path)
    assert {place: cell.value for place, cell in book.sheets["Log"].items()} == {(1, 2): 1, (1, 1): 2}
    assert [(fault.cell, fault.rule) for fault in book.faults] == [("A1", "cell-order")]


# --- refusals -----------------------------------------------------------------------------------------------


def _zip(path: Path, parts: dict[str, bytes], spoil: Callable[[zipfile.ZipFile], None] | None = None) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
        if spoil:
            spoil(archive)


def _overlap(archive: zipfile.ZipFile) -> None:
    archive.filelist[1].header_offset = archive.filelist[0].header_offset


def _repeat(archive: zipfile.ZipFile) -> None:
    archive.filelist[1].filename = archive.filelist[0].filename


def _lock(archive: zipfile.ZipFile) -> None:
    archive.filelist[0].flag_bits |= 1


def _damage(path: Path) -> None:
    _zip(path, {"a": bytes(range(256)) * 40})
    data = bytearray(path.read_bytes())
    data[60:90] = bytes(30)
    path.write_bytes(bytes(data))


RELS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="{}"/>'
    "</Relationships>"
)
STRICT = RELS.replace(
    "http://schemas.openxmlformats.org/officeDocument/2006", "http://purl.oclc.org/ooxml/officeDocument"
)
LAUGHS = b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><x>&b;</x>'
REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda path: None, "check the path"),
    "folder": (lambda path: path.mkdir(), "not a regular file"),
    "empty": (lambda path: path.write_bytes(b""), "not a zip file"),
    "text": (lambda path: path.write_text("1. e4 e5"), "not a zip file"),
    "old xls": (lambda path: path.write_bytes(_archive._OLE + bytes(600)), r"old \.xls file"),
    "password": (
        lambda path: path.write_bytes(_archive._OLE + bytes(600) + "EncryptedPackage".encode("utf-16-le")),
        "password",
    ),
    "truncated": (lambda path: path.write_bytes(b"PK\x03\x04" + bytes(100)), "damaged"),
    "damaged": (_damage, "damaged|no workbook part"),
    "other zip": (lambda path: _zip(path, {"readme.txt": b"hello"}), "no workbook part"),
    "opendocument": (lambda path: _zip(path, {"mimetype": b"x", "content.xml": b"<x/>"}), "OpenDocument"),
    "binary": (lambda path: _zip(path, {"_rels/.rels": RELS.format("xl/workbook.bin").encode()}), r"\.xlsb"),
    "document": (
        lambda path: _zip(path, {"_rels/.rels": RELS.format("word/document.xml").encode()}),
        "not a workbook",
    ),
    "strict": (
        lambda path: _zip(path, {"_rels/.rels": STRICT.format("xl/workbook.xml").encode()}),
        "Strict Open XML",
    ),
    "workbook gone": (
        lambda path: _zip(path, {"_rels/.rels": RELS.format("xl/workbook.xml").encode()}),
        "is missing",
    ),
    "entities": (lambda path: _zip(path, {"_rels/.rels": LAUGHS}), "document type"),
    "not xml": (lambda path: _zip(path, {"_rels/.rels": b"<a><b></a>"}), "XML is damaged"),
    "other encoding": (
        lambda path: _zip(path, {"_rels/.rels": "<?xml version='1.0' encoding='cp1252'?><é/>".encode("cp1252")}),
        "XML is damaged",
    ),
    "one huge part": (
        lambda path: _zip(path, {"xl/big.xml": bytes(300 * 2**20)}),
        "inflates more than 200 times",
    ),
    "many parts": (lambda path: _zip(path, {f"p{i}": b"" for i in range(5001)}), "5,001 parts"),
    "deep": (lambda path: _zip(path, {"_rels/.rels": b"<a>" * 500 + b"</a>" * 500}), "too many elements"),
    "overlap": (lambda path: _zip(path, {"a": b"1", "b": b"2"}, _overlap), "overlaps"),
    "twice": (lambda path: _zip(path, {"a": b"1", "b": b"2"}, _repeat), "occurs twice"),
    "encrypted": (lambda path: _zip(path, {"a": b"1"}, _lock), "is encrypted"),
    "outside": (lambda path: _zip(path, {"../a": b"1"}), "unsafe name"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_file_that_cannot_be_a_sound_workbook_is_refused_at_once(case: str, tmp_path: Path) -> None:
    make, reason = REFUSED[case]
    path = tmp_path / "book.xlsx"
    make(path)
    started = time.monotonic()
    with pytest.raises(UnreadableInput, match=reason) as caught:
        read_book(path)
    assert time.monotonic() - started < 60
    assert str(caught.value).startswith("cannot read 'book.xlsx': ")


@pytest.mark.parametrize("part", ["xl/workbook.xml", SHEET, "xl/sharedStrings.xml", "xl/_rels/workbook.xml.rels"])
def test_a_document_type_is_refused_in_every_part(part: str, plain: Path) -> None:
    with zipfile.ZipFile(plain) as archive:
        data = archive.read(part)
    head, _, rest = data.partition(b"?>")
    target = plain.with_name("doctype.xlsx")
    rewrite_parts(plain, target, {part: head + b'?><!DOCTYPE x [<!ENTITY a "b">]>' + rest})
    with pytest.raises(UnreadableInput, match="document type"):
        read_book(target)


def test_too_many_cells_are_refused(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worksheet, "MAX_CELLS", 5)
    with pytest.raises(UnreadableInput, match="more than 5 cells"):
        read_book(plain)


def test_a_bomb_of_cells_is_refused_in_time(plain: Path) -> None:
    row = '<row r="{}">' + "<c/>" * 16_000 + "</row>"
    path = with_sheet(plain, "<sheetData>" + "".join(row.format(r) for r in range(1, 400)) + "</sheetData>")
    started = time.monotonic()
    with pytest.raises(UnreadableInput, match="more than"):
        read_book(path)
    assert time.monotonic() - started < 60


def test_a_cell_beyond_the_sheet_is_refused(plain: Path) -> None:
    with pytest.raises(UnreadableInput, match="expected a cell"):
        cells_of(plain, '<row r="1"><c r="XFE1"><v>1</v></c></row>')


# --- writing back -------------------------------------------------------------------------------------------


def test_rewriting_keeps_the_other_parts_their_order_and_times(plain: Path, tmp_path: Path) -> None:
    target = tmp_path / "new.xlsx"
    rewrite_parts(plain, target, {SHEET: b"<x/>", "docProps/app.xml": None, "custom/roles.json": b"{}"})
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(target) as new:
        kept = [name for name in old.namelist() if name != "docProps/app.xml"]
        assert new.namelist() == [*kept, "custom/roles.json"]
        assert new.read(SHEET) == b"<x/>"
        for name in set(kept) - {SHEET}:
            assert new.read(name) == old.read(name)
            assert new.getinfo(name).date_time == old.getinfo(name).date_time


def test_an_empty_book_has_no_cells() -> None:
    assert Book(Path("x.xlsx")).sheets == {}
