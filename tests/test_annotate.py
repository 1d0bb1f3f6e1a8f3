"""A marked copy holds all that the original holds; only what must change is changed, and the original is only read."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter
from planting import at, cleared, formula, plant, typed

from elo_sheets.errors import OutputRefused, UnreadableInput
from elo_sheets.files.archive import rewrite_parts
from elo_sheets.files.lint import lint
from elo_sheets.files.package import read_book
from elo_sheets.validate import validate
from elo_sheets.verdict.annotate import annotate
from elo_sheets.verdict.copy_styles import COLOURS
from elo_sheets.verdict.findings import DIFFERS, Finding, Verdict, areas_of
from elo_sheets.verdict.patch import Patch, as_utf8

# openpyxl, which only reads here, says what it would lose.
pytestmark = pytest.mark.filterwarnings("ignore:.*xtension is not supported", "ignore:.*no default style")
LEAGUE = Path(__file__).parent.parent / "samples/internationals_1900s.xlsx"
ERROR = Finding("ES101", "error", "Log!C3", "swapped & lost", 0.64, 0.36, -8.96, fix="=1/(1+10^((B3-A3)/400))")
WARNING = Finding("ES105", "warning", "Log!C4:C6", "a number", confidence="shape")
NOTE = Finding("ES302", "note", "", "3 formulas have no stored result")


def verdict(*findings: Finding) -> Verdict:
    return Verdict("book.xlsx", DIFFERS, "ironcalc", cells_checked=9, findings=findings)


def rich(path: Path) -> Path:
    """A book with much that a reader of cells alone would lose."""
    with xlsxwriter.Workbook(path) as book:
        log, other = book.add_worksheet("Log"), book.add_worksheet("Max & Mia")
        book.define_name("'Max & Mia'!Local", "='Max & Mia'!$A$1")
        book.define_name("K_factor", "=Log!$H$1")
        bold = book.add_format({"bold": True, "num_format": "0.0", "align": "center", "locked": False})
        log.set_column("D:D", 12, bold)
        log.set_row(8, 20, book.add_format({"italic": True}))
        log.write_row("A1", ["white", "black", "expected", "rating"])
        for row in range(2, 8):
            log.write_row(row - 1, 0, [1500 + row, 1600 - row])
            log.write_formula(row - 1, 2, f"=1/(1+10^((B{row}-A{row})/400))", bold, 0.5)
            log.write_string(row - 1, 4, f"text {row} <&>")
        log.write_blank("F12", None, bold)
        chart = book.add_chart({"type": "line"})
        chart.add_series({"values": "=Log!$A$2:$A$7"})
        log.insert_chart("J2", chart)
        log.add_sparkline("G2", {"range": "Log!A2:B2"})
        log.data_validation("E2:E9", {"validate": "list", "source": ["a", "b"]})
        log.conditional_format("A2:A9", {"type": "data_bar", "data_bar_2010": True})
        log.add_table("L2:M4", {"name": "Small"})
        log.set_header("&LHeader")
        other.write_comment("A1", "mine")
        other.write("A1", 7)
        book.add_worksheet("Hidden").hide()
    return path


def changed(old: Path, new: Path) -> set[str]:
    """The parts that are not byte for byte what they were; none may be missing."""
    with zipfile.ZipFile(old) as before, zipfile.ZipFile(new) as after:
        assert set(before.namelist()) <= set(after.namelist())
        return {
            name for name in after.namelist() if name not in before.namelist() or before.read(name) != after.read(name)
        }


def text_of(path: Path, part: str) -> str:
    with zipfile.ZipFile(path) as archive:
        return archive.read(part).decode()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return rich(tmp_path / "book.xlsx")


@pytest.fixture
def copy(source: Path, tmp_path: Path) -> Path:
    before = source.read_bytes()
    annotate(source, tmp_path / "copy.xlsx", verdict(ERROR, WARNING, NOTE))
    assert source.read_bytes() == before
    return tmp_path / "copy.xlsx"


def test_only_what_must_change_is_changed(source: Path, copy: Path) -> None:
    assert changed(source, copy) == {
        "[Content_Types].xml",
        "xl/_rels/workbook.xml.rels",
        "xl/workbook.xml",
        "xl/styles.xml",
        "xl/worksheets/sheet1.xml",
        "xl/worksheets/_rels/sheet1.xml.rels",
        "xl/worksheets/sheet4.xml",
        "xl/comments2.xml",
        "xl/drawings/vmlDrawing2.vml",
    }


def test_the_cells_keep_formulas_results_and_formats(source: Path, copy: Path) -> None:
    old, new = read_book(source), read_book(copy)
    assert list(new.sheets) == [*old.sheets, "Findings"]
    assert {name: new.sheets[name] for name in old.sheets} == old.sheets
    assert (new.names, new.tables, new.validations) == (old.names, old.tables, old.validations)
    assert new.local_names["Max & Mia", "Local"] == old.local_names["Max & Mia", "Local"]
    content = openpyxl.load_workbook(copy)["Log"]
    cell = content["C3"]
    assert cell.fill.fgColor.rgb == COLOURS["error"]
    assert (cell.font.b, cell.number_format, cell.alignment.horizontal, cell.protection.locked) == (
        True,
        "0.0",
        "center",
        False,
    )
    assert [content[f"C{row}"].fill.fgColor.rgb for row in (4, 5, 6)] == [COLOURS["warning"]] * 3
    assert content["C7"].fill.fill_type is None


def test_only_the_tags_of_marked_cells_differ(source: Path, copy: Path) -> None:
    cut = re.compile(r'(<c r="C[3-6]") s="\d+"|<legacyDrawing [^>]*/>')
    old, new = (cut.sub(r"\1", text_of(path, "xl/worksheets/sheet1.xml")) for path in (source, copy))
    assert old == new


def test_the_list_has_every_finding_with_its_numbers_and_a_link(copy: Path) -> None:
    sheet = openpyxl.load_workbook(copy)["Findings"]
    rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
    header = next(at for at, row in enumerate(rows) if row[0] == "No.")
    first, second, third = rows[header + 1 :]
    assert rows[header][:5] == ["No.", "Severity", "Code", "Where", "What is wrong"]
    assert first[:5] == [1, "error", "ES101", "Log!C3", "swapped & lost"]
    assert first[5:11] == [0.36, 0.64, -8.96, "=1/(1+10^((B3-A3)/400))", "swapped-difference", "proven"]
    assert second[:4] == [2, "warning", "ES105", "Log!C4:C6"]
    assert third[1:5] == ["note", "ES302", None, "3 formulas have no stored result"]
    assert third[9] == "no-stored-values"
    assert [sheet[f"D{header + at}"].hyperlink.location for at in (2, 3)] == ["'Log'!C3", "'Log'!C4:C6"]
    below = f"A{header + 2}"
    assert (sheet.freeze_panes, sheet.auto_filter.ref) == (below, f"A{header + 1}:L{header + 4}")


def test_the_list_prints_on_a4_with_its_header_and_a_legend(copy: Path) -> None:
    sheet = openpyxl.load_workbook(copy)["Findings"]
    rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
    header = 1 + next(at for at, row in enumerate(rows) if row[0] == "No.")
    assert (sheet.page_setup.paperSize, sheet.page_setup.orientation) == (9, "landscape")
    assert (sheet.print_area, sheet.print_title_rows) == (f"'Findings'!$A$1:$I${header + 3}", f"${header}:${header}")
    printed = sum(sheet.column_dimensions[letter].width for letter in "ABCDEFGHI")
    assert printed * 7 < 1.3 * (297 - 20) / 25.4 * 96  # a letter has 7 pixels: at least three quarters of its size
    legend = {cell.value: cell.fill.fgColor.rgb for row in sheet.iter_rows(max_row=header - 1) for cell in row[1:2]}
    assert {kind: legend[kind] for kind in COLOURS} == COLOURS
    assert rows[0][0] == "Findings in book.xlsx: differs"


@pytest.mark.parametrize(
    ("found", "expected", "shown"),
    [(1500.0, 1518.28682037737, (1500, 1518.2868)), (0.123456789, 0.123456788, (0.123456789, 0.123456788))],
)
def test_numbers_have_four_decimals_unless_they_would_look_the_same(
    found: float, expected: float, shown: tuple[float, float], source: Path, tmp_path: Path
) -> None:
    done = annotate(source, tmp_path / "copy.xlsx", verdict(Finding("ES107", "error", "Log!C5", "x", expected, found)))
    last = [cell.value for cell in list(openpyxl.load_workbook(tmp_path / "copy.xlsx")[done.sheet].rows)[-1]]
    assert tuple(last[5:7]) == shown


def test_notes_say_what_is_wrong(copy: Path) -> None:
    content = openpyxl.load_workbook(copy)
    log = content["Log"]
    note = log["C3"].comment
    assert note.text.splitlines() == [
        "ES101 swapped-difference",
        "swapped & lost",
        "found 0.36, expected 0.64",
        "effect -8.96 rating points",
        "should be =1/(1+10^((B3-A3)/400))",
    ]
    assert log["C4"].comment.text.startswith("ES105")
    assert log["C5"].comment is None
    assert content["Max & Mia"]["A1"].comment.text == "mine"


def test_a_sheet_with_notes_of_its_own_keeps_them_and_gets_no_more(source: Path, tmp_path: Path) -> None:
    fault = Finding("ES105", "error", "'Max & Mia'!A1", "a number")
    done = annotate(source, tmp_path / "copy.xlsx", verdict(fault))
    assert done.notes == ("'Max & Mia' has notes or controls of its own and gets no more: see the list",)
    sheet = openpyxl.load_workbook(tmp_path / "copy.xlsx")["Max & Mia"]
    assert (sheet["A1"].comment.text, sheet["A1"].fill.fgColor.rgb) == ("mine", COLOURS["error"])
    assert "xl/comments1.xml" not in changed(source, tmp_path / "copy.xlsx")


@pytest.mark.parametrize("cell", ["A1", "D3", "C20", "H1", "F12", "A12", "D9", "E9", "XFD1048576"])
def test_a_cell_that_is_not_in_the_file_is_put_in_order(cell: str, source: Path, tmp_path: Path) -> None:
    annotate(source, tmp_path / "copy.xlsx", verdict(Finding("ES202", "error", f"Log!{cell}", "missing")))
    xml = text_of(tmp_path / "copy.xlsx", "xl/worksheets/sheet1.xml")
    names = re.findall(r'<c r="([A-Z]+)(\d+)"', xml)
    places = [(int(row), len(letters), letters) for letters, row in names]
    assert places == sorted(set(places))
    assert re.match(r"[A-Z]+", cell)[0] in {letters for letters, _ in names}  # type: ignore[index]
    content = openpyxl.load_workbook(tmp_path / "copy.xlsx")["Log"]
    assert content[cell].fill.fgColor.rgb == COLOURS["error"]
    assert content["D3"].font.b or cell != "D3"  # the format of its column
    assert content[cell].font.i or cell not in ("D9", "E9")  # the format of its row


def test_the_worst_severity_shows(source: Path, tmp_path: Path) -> None:
    worse = Finding("ES107", "error", "Log!C5", "rounded")
    done = annotate(source, tmp_path / "copy.xlsx", verdict(worse, WARNING))
    assert done.cells == 3
    content = openpyxl.load_workbook(tmp_path / "copy.xlsx")["Log"]
    assert content["C5"].fill.fgColor.rgb == COLOURS["error"]


def test_a_range_too_large_is_marked_at_its_first_cell(source: Path, tmp_path: Path) -> None:
    done = annotate(source, tmp_path / "copy.xlsx", verdict(Finding("ES106", "error", "Log!A2:Z90000", "far")))
    assert done.cells == 1
    assert "range is too large" in done.notes[0]


def test_without_findings_the_list_says_so(source: Path, tmp_path: Path) -> None:
    done = annotate(source, tmp_path / "copy.xlsx", Verdict("b", "unchecked", "ironcalc", reason="values only"))
    assert done.cells == 0
    sheet = openpyxl.load_workbook(tmp_path / "copy.xlsx")[done.sheet]
    assert sheet.cell(sheet.max_row, 5).value == "no findings: values only"


def test_the_name_of_the_new_sheet_is_free(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "book.xlsx") as book:
        book.add_worksheet("findings").write("A1", 1)
        book.add_worksheet("Findings 2")
    done = annotate(tmp_path / "book.xlsx", tmp_path / "copy.xlsx", verdict())
    assert done.sheet == "Findings 3"


HOSTILE = ['=HYPERLINK("http://example.invalid")', "@SUM(1)", "a\x0bb_x0041_", "</t><f>1+1</f>", "x" * 40_000, "a\"b'c"]


@pytest.mark.parametrize("said", HOSTILE, ids=range(len(HOSTILE)))
def test_texts_stay_texts(said: str, source: Path, tmp_path: Path) -> None:
    fault = Finding("ES408", "error", "Log!A2", said, said, said, fix=said, reaches=(said,))
    done = annotate(source, tmp_path / "copy.xlsx", verdict(fault))
    cells = read_book(tmp_path / "copy.xlsx").sheets[done.sheet]
    assert all(cell.formula is None for cell in cells.values())
    assert cells[max(cells)[0], 5].value == said[:32_000]
    assert "http" not in text_of(tmp_path / "copy.xlsx", "xl/worksheets/_rels/sheet1.xml.rels").replace(
        "http://schemas.openxmlformats.org", ""
    )


@pytest.mark.parametrize("range_", ["", "Log", "Nowhere!A1", "Log!", "Log!A0", "Log!F:F", "#REF!", "Log!ZZZZ9"])
def test_a_finding_without_a_cell_is_listed_only(range_: str, source: Path, tmp_path: Path) -> None:
    done = annotate(source, tmp_path / "copy.xlsx", verdict(Finding("ES901", "error", range_, "odd")))
    assert done.cells == 0
    assert "xl/worksheets/sheet1.xml" not in changed(source, tmp_path / "copy.xlsx")


def test_ranges_are_understood() -> None:
    sheets = ["Log", "It's mine", "a,b"]
    assert areas_of("log!$F$5:G9", sheets) == [("Log", 5, 6, 9, 7)]
    assert areas_of("'It''s mine'!A1", sheets) == [("It's mine", 1, 1, 1, 1)]
    assert areas_of("'a,b'!A1,C3,Log!B2", sheets) == [("a,b", 1, 1, 1, 1), ("a,b", 3, 3, 3, 3), ("Log", 2, 2, 2, 2)]


def test_every_area_of_a_finding_is_marked_and_has_the_note_at_its_first_cell(source: Path, tmp_path: Path) -> None:
    done = annotate(source, tmp_path / "copy.xlsx", verdict(Finding("ES107", "error", "Log!C5:C6,C3,A2", "rounded")))
    assert done.cells == 4
    log = openpyxl.load_workbook(tmp_path / "copy.xlsx")["Log"]
    assert {log[cell].fill.fgColor.rgb for cell in ("C5", "C3", "A2")} == {COLOURS["error"]}
    assert [cell for cell in ("C5", "C6", "C3", "A2") if log[cell].comment] == ["C5", "C3", "A2"]


# --- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "target", "message"),
    [
        (
            "club.ods",
            "copy.ods",
            "cannot annotate 'club.ods': only .xlsx and .xlsm workbooks can be marked; save it as",
        ),
        ("club.xls", "copy.xlsx", "cannot annotate 'club.xls'"),
        ("book.xlsx", "copy.xlsm", "expected a copy whose name ends in .xlsx, got 'copy.xlsm'"),
        ("book.xlsm", "copy.xlsx", "expected a copy whose name ends in .xlsm, got 'copy.xlsx'"),
        ("book.xlsx", "taken.xlsx", "exists; give --force to replace it"),
        ("book.xlsx", "nowhere/copy.xlsx", "the folder .* does not exist"),
    ],
)
def test_a_copy_that_cannot_be_is_refused(name: str, target: str, message: str, source: Path, tmp_path: Path) -> None:
    (tmp_path / "taken.xlsx").write_bytes(b"mine")
    with pytest.raises(OutputRefused, match=message):
        annotate(tmp_path / name, tmp_path / target, verdict(ERROR))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["book.xlsx", "taken.xlsx"]
    assert (tmp_path / "taken.xlsx").read_bytes() == b"mine"


def test_the_original_is_never_overwritten(source: Path, tmp_path: Path) -> None:
    (tmp_path / "link.xlsx").symlink_to(source)
    before = source.read_bytes()
    for name in ("book.xlsx", "link.xlsx"):
        with pytest.raises(OutputRefused, match="is the workbook itself"):
            annotate(source, tmp_path / name, verdict(ERROR), overwrite=True)
    assert source.read_bytes() == before


def test_a_copy_that_lost_something_is_not_kept(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from elo_sheets.verdict import annotate as module

    monkeypatch.setattr(
        module,
        "rewrite_parts",
        lambda old, new, changes: rewrite_parts(
            old,
            new,
            {**changes, "xl/worksheets/sheet1.xml": changes["xl/worksheets/sheet1.xml"].replace(b"1502", b"9")},
        ),
    )
    with pytest.raises(OutputRefused, match="the copy of the sheet 'Log' differs"):
        annotate(source, tmp_path / "copy.xlsx", verdict(ERROR))
    assert [path.name for path in tmp_path.iterdir()] == ["book.xlsx"]


def test_macros_are_kept(tmp_path: Path) -> None:
    (tmp_path / "vba.bin").write_bytes(b"macros")
    with xlsxwriter.Workbook(tmp_path / "book.xlsm") as book:
        book.add_vba_project(str(tmp_path / "vba.bin"))
        book.add_worksheet("Log").write("C3", 1)
    annotate(tmp_path / "book.xlsm", tmp_path / "copy.xlsm", verdict(ERROR))
    with zipfile.ZipFile(tmp_path / "copy.xlsm") as archive:
        assert archive.read("xl/vbaProject.bin") == b"macros"
        assert b"macroEnabled" in archive.read("[Content_Types].xml")


def test_a_signature_is_said_not_to_hold(source: Path, tmp_path: Path) -> None:
    rewrite_parts(source, tmp_path / "signed.xlsx", {"_xmlsignatures/sig1.xml": b"<Signature/>"})
    done = annotate(tmp_path / "signed.xlsx", tmp_path / "copy.xlsx", verdict(ERROR))
    assert done.notes == ("the workbook is signed; the signature does not hold for the copy",)


def test_a_damaged_part_is_said_and_nothing_is_written(source: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(source) as archive:
        offset = archive.getinfo("xl/theme/theme1.xml").header_offset
    data = bytearray(source.read_bytes())
    data[offset + 200] ^= 0xFF
    source.write_bytes(data)
    with pytest.raises(UnreadableInput, match="it is damaged"):
        annotate(source, tmp_path / "copy.xlsx", verdict(ERROR))
    assert [path.name for path in tmp_path.iterdir()] == ["book.xlsx"]


# --- odd packages -------------------------------------------------------------------------------------------

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def bare(path: Path, sheet: str, styles: str | None = None) -> Path:
    """A workbook by hand, as small programs write it."""
    related = f"<Relationship Id='a' Type='{OFFICE}/worksheet' Target='/xl/s.xml'/>"
    types = f"<Override PartName='/xl/s.xml' ContentType='{TYPES}.worksheet+xml'/>"
    if styles is not None:
        related += f"<Relationship Id='b' Type='{OFFICE}/styles' Target='styles.xml'/>"
        types += f"<Override PartName='/xl/styles.xml' ContentType='{TYPES}.styles+xml'/>"
    parts = {
        "[Content_Types].xml": f"<Types xmlns='{PACKAGE}/content-types'><Default Extension='rels' "
        f"ContentType='application/vnd.openxmlformats-package.relationships+xml'/><Override PartName='/xl/w.xml' "
        f"ContentType='{TYPES}.sheet.main+xml'/>{types}</Types>",
        "_rels/.rels": f"<Relationships xmlns='{PACKAGE}/relationships'><Relationship Id='r' "
        f"Type='{OFFICE}/officeDocument' Target='xl/w.xml'/></Relationships>",
        "xl/w.xml": f"<x:workbook xmlns:x='{MAIN}' xmlns:q='{OFFICE}'><x:sheets><x:sheet name='Log' sheetId='3' "
        "q:id='a'/></x:sheets><x:calcPr calcId='1'/></x:workbook>",
        "xl/_rels/w.xml.rels": f"<Relationships xmlns='{PACKAGE}/relationships'>{related}</Relationships>",
        "xl/s.xml": sheet,
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in (parts | ({"xl/styles.xml": styles} if styles is not None else {})).items():
            archive.writestr(name, content)
    return path


SHEETS = {
    "prefixed": f"<x:worksheet xmlns:x='{MAIN}'><x:sheetData><x:row r='3'><x:c r='A3'><x:v>5</x:v></x:c>"
    "<x:c r='E3'><x:f>A3</x:f><x:v>5</x:v></x:c></x:row></x:sheetData></x:worksheet>",
    "without names": f"<worksheet xmlns='{MAIN}'><sheetData><row/><row/><row><c/><c><v>2</v></c><c><v>3</v></c></row>"
    "</sheetData></worksheet>",
    "no rows": f"<worksheet xmlns='{MAIN}'><sheetData/></worksheet>",
    "rows in disorder": f"<worksheet xmlns='{MAIN}'><sheetData><row r='9'/><row r='5'><c r='C5' s='x'/></row>"
    "<row r='3'><c r='C3'/></row></sheetData></worksheet>",
    "comments and sections": f"<!-- <c r='C3'> --><worksheet xmlns='{MAIN}'><sheetData><!-- > -->"
    "<row r='3' spans='1:3' ><c r='C3' t='inlineStr' ><is><t><![CDATA[<c r='C4'/>]]></t></is></c></row></sheetData>"
    "</worksheet>",
}
STYLES = {
    "none": None,
    "empty": f"<styleSheet xmlns='{MAIN}'/>",
    "partly": f"<s:styleSheet xmlns:s='{MAIN}'><s:fonts/><s:cellXfs count='1'><s:xf numFmtId='0'/></s:cellXfs>"
    "<s:extLst/></s:styleSheet>",
}


@pytest.mark.parametrize("styles", STYLES)
@pytest.mark.parametrize("sheet", SHEETS)
def test_packages_of_other_programs_are_marked(sheet: str, styles: str, tmp_path: Path) -> None:
    book = bare(tmp_path / "book.xlsx", SHEETS[sheet], STYLES[styles])
    done = annotate(book, tmp_path / "copy.xlsx", verdict(ERROR, WARNING))
    assert done.cells == 4
    content = openpyxl.load_workbook(tmp_path / "copy.xlsx")
    assert content.sheetnames == ["Log", "Findings"]
    fills = [content["Log"][f"C{row}"].fill.fgColor.rgb for row in (3, 4, 5, 6)]
    assert fills == [COLOURS["error"], *[COLOURS["warning"]] * 3]


def test_a_part_in_utf_16_is_written_in_utf_8() -> None:
    data = '<?xml version="1.0" encoding="UTF-16"?><a b="ü"><c/></a>'.encode("utf-16")
    patch = Patch(data, lambda _path, _: True)
    patch.set(patch.root.children[0], d='"<ü')
    assert patch.result().decode().endswith('<a b="ü"><c d="&quot;&lt;ü"/></a>')
    assert as_utf8(b"\xef\xbb\xbf<a/>") == b"<a/>"


def test_edits_keep_every_other_byte() -> None:
    data = b"<a  x = 'r=\"1\"'  r='2' ><b /><!-- <b> --><b>t</b ></a >"
    patch = Patch(data, lambda _path, _: True)
    first, second = patch.root.children
    patch.set(patch.root, r="3", n="4", x=None)
    patch.append(first, "<i/>")
    patch.append(second, "<j/>")
    patch.insert_before(second, "<k/>")
    assert patch.result() == b'<a r="3" n="4"><b><i/></b><!-- <b> --><k/><b>t<j/></b ></a >'


# --- with the validator, and with other judges --------------------------------------------------------------


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("faulty")
    book = read_book(LEAGUE)
    edits = {
        at(book, "Ledger", "K", 127): formula("K_factor", "32"),
        at(book, "Ledger", "Change", 135): typed(33.25),
        at(book, "Ledger", "Change", 139): cleared(),
    }
    return plant(LEAGUE, folder / "faulty.xlsx", edits)


def test_a_marked_copy_gets_the_same_verdict(faulty: Path, tmp_path: Path) -> None:
    before = validate(faulty)
    done = annotate(faulty, tmp_path / "copy.xlsx", before)
    after = validate(tmp_path / "copy.xlsx")
    assert done.cells == 3
    assert (after.status, after.findings) == (before.status, before.findings)
    assert len(after.findings) == 3


@pytest.mark.slow
def test_our_lint_is_silent_on_a_marked_copy(faulty: Path, copy: Path, source: Path, tmp_path: Path) -> None:
    annotate(faulty, tmp_path / "league.xlsx", validate(faulty))
    assert lint(tmp_path / "league.xlsx") == lint(faulty)
    assert [str(one) for one in lint(copy)] == [str(one) for one in lint(source)]


@pytest.mark.ooxml
def test_the_validator_of_the_format_is_silent(
    faulty: Path, copy: Path, tmp_path: Path, ooxml_errors: Callable[[Path], list[str]]
) -> None:
    annotate(faulty, tmp_path / "league.xlsx", validate(faulty))
    assert ooxml_errors(tmp_path / "league.xlsx") == []
    assert ooxml_errors(copy) == []
    bare(tmp_path / "bare.xlsx", SHEETS["no rows"])
    annotate(tmp_path / "bare.xlsx", tmp_path / "marked.xlsx", verdict(ERROR, WARNING))
    assert ooxml_errors(tmp_path / "marked.xlsx") == []
