"""Files that nobody vouches for: read right, or refused in seconds with a reason and a remedy."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter
from hostile import MAIN, OFFICE, REFUSED, RELATIONS, write_ods, write_xlsx, write_zip, xlsx_parts

from elo_sheets.engines import office as _office
from elo_sheets.engines.office import convert
from elo_sheets.errors import UnreadableInput
from elo_sheets.files import ingest
from elo_sheets.files.archive import rewrite_parts
from elo_sheets.files.cells import Cell, CellError
from elo_sheets.files.ingest import read_any
from elo_sheets.files.package import read_book

SECONDS = 60.0


@pytest.fixture
def rich(tmp_path: Path) -> Path:
    path = tmp_path / "rich.xlsx"
    with xlsxwriter.Workbook(path) as book:
        log, other = book.add_worksheet("Log"), book.add_worksheet("It's other")
        log.write_row(0, 0, [1.5, "Anna", 0.5])
        log.write_boolean(0, 3, True)
        log.write_string(0, 4, "=A1*2")
        log.write_formula(1, 0, "=A1*2", None, 3)
        log.write_formula(1, 1, "=NA()", None, "#N/A")
        log.write_array_formula(2, 0, 3, 0, "{=A1:A2*2}", None, 3)
        log.write_dynamic_array_formula(4, 0, 4, 0, "=_xlfn._xlws.SORT(A1:A2)", None, 1)
        log.write_comment("B1", "seen at the club\ntwice")
        log.set_row(1, None, None, {"hidden": True})
        log.set_column("F:G", None, None, {"hidden": True})
        log.merge_range("H1:I2", "merged")
        log.autofilter("A1:C4")
        log.data_validation("C1:C9", {"validate": "list", "source": ["1", "0.5", "0"]})
        log.protect()
        log.write_formula(5, 0, "=A1+1", book.add_format({"locked": False}), 2.5)
        chart = book.add_chart({"type": "line"})
        chart.add_series({"values": "=Log!$A$1:$A$2", "categories": "=Log!$B$1:$B$2"})
        log.insert_chart("K1", chart)
        other.add_table("A1:B3", {"name": "Games", "columns": [{"header": "P"}, {"header": "K"}]})
        other.hide()
        book.define_name("K_FACTOR", "='It''s other'!$A$2")
        book.define_name("Log!Own", "=Log!$A$1")
    return path


# --- the same book by way of the child ----------------------------------------------------------------------


def test_the_book_that_comes_back_is_the_one_that_is_in_the_file(rich: Path) -> None:
    assert read_any(rich) == read_book(rich)


def test_what_a_book_holds_beside_its_cells_is_read(rich: Path) -> None:
    book = read_any(rich)
    assert book.comments == {"Log": {(1, 2): "seen at the club\ntwice"}}
    assert book.hidden_rows == {"Log": {2}}
    assert book.hidden_columns == {"Log": {6, 7}}
    assert book.protected == {"Log"}
    assert book.open_formulas == {"Log": {(6, 1)}}
    assert sorted(book.charts["Log"]) == ["Log!$A$1:$A$2", "Log!$B$1:$B$2"]
    assert book.autofilters == {"Log": "A1:C4"}
    assert book.formula_texts == [("Log", (1, 5))]
    assert (book.format, book.macros, book.external_links, book.notes) == ("xlsx", False, [], [])


@pytest.mark.parametrize("text", ["\ud800", "\x00", "é𝄞", "_x0041_", 'a"b\\c\n'])
def test_every_text_comes_back(text: str) -> None:
    (line,) = list(ingest._chunks("S", {(1, 1): Cell(None, text)}))
    book = ingest._book(Path("x"), {**ingest._head(read_book_of("S")), "sheets": ["S"]})
    ingest._add(book, ingest.json.loads(ingest._line(line)), {})
    assert book.sheets["S"][1, 1].value == text


def read_book_of(name: str) -> ingest.Book:
    return ingest.Book(Path("x"), {name: {}})


# --- refusals -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", REFUSED)
def test_a_hostile_file_is_refused_in_time(case: str, tmp_path: Path) -> None:
    name, make, reason = REFUSED[case]
    path = tmp_path / name
    make(path)
    started = time.monotonic()
    with pytest.raises(UnreadableInput, match=reason) as caught:
        read_any(path)
    assert time.monotonic() - started < SECONDS
    assert str(caught.value).startswith(f"cannot read {name!r}: ")


@pytest.mark.skipif(sys.platform != "linux", reason="measured by /proc")
def test_the_caller_stays_small_and_alive(tmp_path: Path) -> None:
    names = ["3 million varied cells", "500,000 names", "a shared formula bomb", "ods: rows repeated"]
    paths = []
    for number, case in enumerate(names):
        ending, make, _ = REFUSED[case]
        path = tmp_path / f"{number}{ending}"
        make(path)
        paths.append(str(path))
    program = r"""
import re, sys
from elo_sheets.errors import UnreadableInput
from elo_sheets.files.ingest import read_any
refused = 0
for path in sys.argv[1:]:
    try:
        read_any(path)
    except UnreadableInput:
        refused += 1
with open("/proc/self/status") as status:
    print(refused, int(re.search(r"VmHWM:\s+(\d+)", status.read())[1]) // 1024)
"""
    done = subprocess.run([sys.executable, "-c", program, *paths], capture_output=True, text=True, check=True)
    refused, megabytes = map(int, done.stdout.split())
    assert refused == len(names)
    assert megabytes < 150


HTML = b"<html><table><tr><td>1</td></tr></table></html>"
GSHEET = b'{"url": "https://docs.google.com/open?id=x", "doc_id": "x"}'
XML2003 = b'<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>'
BINARY = RELATIONS.format(f'<Relationship Id="r" Type="{OFFICE}/officeDocument" Target="xl/workbook.bin"/>')
STRANGE: dict[str, tuple[bytes | dict[str, bytes], str]] = {
    "club.xlsx": (b"white,black,result\nAnna,Ben,1-0\n", "plain text.*csv.*save it as .xlsx"),
    "club.csv": (b"white,black,result\nAnna,Ben,1-0\n", "without formulas"),
    "club.gsheet": (GSHEET, "shortcut to a Google sheet.*Download"),
    "club.numbers": ({"Index/Document.iwa": b"x", "preview.jpg": b"y"}, "Apple Numbers.*Export"),
    "club.xlsb": ({"_rels/.rels": BINARY.encode()}, "binary workbook.*save it as .xlsx"),
    "club.xls": (HTML, "web page.*save it as .xlsx"),
    "old.xml": (XML2003, "XML Spreadsheet 2003.*save it as .xlsx"),
    "club.pdf": (b"%PDF-1.7 ...", "PDF"),
    "club.tar.gz": (b"\x1f\x8b\x08\x00", "packed archive.*unpack"),
    "empty.xlsx": (b"", "empty"),
    "text.ods": ({"mimetype": b"application/vnd.oasis.opendocument.text", "content.xml": b"<x/>"}, "not a workbook"),
    "locked.ods": ({"mimetype": b"x", "encrypted-package": b"x"}, "password.*copy without a password"),
    "~$club.xlsx": (b"x", "lock file"),
    ".~lock.club.ods#": (b"x", "lock file"),
    "locked.xlsx": (
        bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600) + "EncryptedPackage".encode("utf-16-le"),
        "password.*copy without a password",
    ),
    "word.xlsx": (
        {
            "_rels/.rels": RELATIONS.format(
                f'<Relationship Id="r" Type="{OFFICE}/officeDocument" Target="word/document.xml"/>'
            ).encode()
        },
        "not a workbook",
    ),
}


@pytest.mark.parametrize("name", STRANGE)
def test_another_kind_of_file_is_told_with_a_remedy(name: str, tmp_path: Path) -> None:
    content, reason = STRANGE[name]
    path = tmp_path / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        write_zip(path, content)
    with pytest.raises(UnreadableInput, match=reason):
        read_any(path)


@pytest.mark.parametrize("path", ["https://example.org/a.xlsx", "http://127.0.0.1/a.ods", "file:/etc/passwd"])
def test_a_web_address_is_no_path(path: str) -> None:
    with pytest.raises(UnreadableInput, match=r"web address.*download"):
        read_any(path)


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="not a regular file"):
        read_any(tmp_path)
    with pytest.raises(UnreadableInput, match="check the path"):
        read_any(tmp_path / "missing.xlsx")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.xlsx")
        with pytest.raises(UnreadableInput, match="not a regular file"):
            read_any(tmp_path / "pipe.xlsx")


# --- the child ----------------------------------------------------------------------------------------------


def test_a_child_that_takes_too_long_is_stopped(rich: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child = tmp_path / "child.py"
    child.write_text("import time; time.sleep(600)")
    monkeypatch.setattr(ingest, "_CHILD", child)
    with pytest.raises(UnreadableInput, match=r"stopped after 0 seconds"):
        read_any(rich, timeout=0)


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory")
def test_a_child_that_takes_too_much_memory_is_a_refusal(tmp_path: Path) -> None:
    rows = "".join(f'<row><c t="inlineStr"><is><t>{pow(7, i + 99, 2**999):x}</t></is></c></row>' for i in range(20_000))
    path = write_xlsx(tmp_path / "big.xlsx", rows)
    with pytest.raises(UnreadableInput, match="memory"):
        read_any(path, memory=36 * 2**20)


def test_a_child_that_dies_is_a_refusal(rich: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child = tmp_path / "child.py"
    child.write_text("import os; print('{}', flush=True); os.abort()")
    monkeypatch.setattr(ingest, "_CHILD", child)
    monkeypatch.setattr(ingest, "_book", lambda path, head: read_book_of("S"))
    with pytest.raises(UnreadableInput, match="reading it failed"):
        read_any(rich)


# --- kinds of .xlsx -----------------------------------------------------------------------------------------


def test_macros_are_told_and_not_run(tmp_path: Path) -> None:
    path = tmp_path / "club.xlsm"
    parts = xlsx_parts('<row r="1"><c r="A1"><v>1</v></c></row>')
    kind = "http://schemas.microsoft.com/office/2006/relationships/vbaProject"
    more = f'<Relationship Id="rId9" Type="{kind}" Target="v.bin"/>'
    parts["xl/_rels/workbook.xml.rels"] = parts["xl/_rels/workbook.xml.rels"].replace("</R", more + "</R", 1)
    parts["xl/v.bin"] = "Sub Auto_Open()"
    book = read_any(write_zip(path, parts))
    assert (book.macros, book.format) == (True, "xlsm")


def test_links_to_other_files_are_named(tmp_path: Path) -> None:
    parts = xlsx_parts('<row r="1"><c r="A1"><f>[1]Config!$B$1</f><v>20</v></c></row>')
    link = f'<Relationship Id="rId7" Type="{OFFICE}/externalLink" Target="externalLinks/externalLink1.xml"/>'
    parts["xl/_rels/workbook.xml.rels"] = parts["xl/_rels/workbook.xml.rels"].replace("</R", link + "</R", 1)
    reference = '<externalReferences><externalReference r:id="rId7"/></externalReferences></workbook>'
    parts["xl/workbook.xml"] = parts["xl/workbook.xml"].replace("</workbook>", reference)
    parts["xl/externalLinks/externalLink1.xml"] = f"<externalLink {MAIN}/>"
    parts["xl/externalLinks/_rels/externalLink1.xml.rels"] = RELATIONS.format(
        f'<Relationship Id="rId1" Type="{OFFICE}/externalLinkPath" Target="other%20book.xlsx" TargetMode="External"/>'
    )
    book = read_any(write_zip(tmp_path / "linked.xlsx", parts))
    assert book.external_links == ["other book.xlsx"]
    assert book.sheets["Log"][1, 1] == Cell("[1]Config!$B$1", 20.0)


def test_strict_open_xml_is_read(rich: Path, tmp_path: Path) -> None:
    names = {
        b"http://schemas.openxmlformats.org/spreadsheetml/2006/main": b"http://purl.oclc.org/ooxml/spreadsheetml/main",
        OFFICE.encode(): b"http://purl.oclc.org/ooxml/officeDocument/relationships",
    }
    changes: dict[str, bytes | None] = {}
    with zipfile.ZipFile(rich) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            for loose, strict in names.items():
                data = data.replace(loose, strict)
            changes[name] = data
    path = tmp_path / "strict.xlsx"
    rewrite_parts(rich, path, changes)
    with pytest.raises(UnreadableInput, match="Strict"):
        read_book(path)
    book, loose = read_any(path), read_book(rich)
    assert (book.sheets, book.all_tables, book.names) == (loose.sheets, loose.all_tables, loose.names)


def test_a_sheet_in_utf_16_is_read(tmp_path: Path) -> None:
    parts = {name: text.encode() for name, text in xlsx_parts('<row r="1"><c r="A1"><v>1</v></c></row>').items()}
    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet] = parts[sheet].decode().encode("utf-16")
    assert read_any(write_zip(tmp_path / "u.xlsx", parts)).sheets["Log"] == {(1, 1): Cell(None, 1.0)}


def test_a_data_table_does_not_stop_the_reading(tmp_path: Path) -> None:
    data = (
        '<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="B2"><f t="dataTable" ref="B2:B3" dt2D="0" dtr="0" '
        'r1="A1"/><v>2</v></c></row><row r="3"><c r="B3"><v>3</v></c></row>'
    )
    cells = read_any(write_xlsx(tmp_path / "t.xlsx", data)).sheets["Log"]
    assert cells[2, 2].value == 2.0
    assert cells[3, 2] == Cell(None, 3.0)


def test_shared_formulas_inline_texts_and_missing_results_are_read(tmp_path: Path) -> None:
    rows = (
        '<c r="A1" t="inlineStr"><is><t>Anna</t></is></c>'
        '<c r="B1"><f t="shared" ref="B1:B3" si="0">A1&amp;$C$1</f></c>',
        '<c r="B2"><f t="shared" si="0"/></c>',
        '<c r="B3" t="str"><f t="shared" si="0"/><v>x</v></c>',
    )
    data = "".join(f'<row r="{number}">{cells}</row>' for number, cells in enumerate(rows, 1))
    assert read_any(write_xlsx(tmp_path / "s.xlsx", data)).sheets["Log"] == {
        (1, 1): Cell(None, "Anna"),
        (1, 2): Cell("A1&$C$1", None),
        (2, 2): Cell("A2&$C$1", None),
        (3, 2): Cell("A3&$C$1", "x"),
    }


def test_dates_counted_from_1904_are_told(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "d.xlsx", "<row/>", settings='<workbookPr date1904="1"/>')
    assert read_any(path).calc.date1904


def test_threaded_comments_replace_their_stand_ins(tmp_path: Path) -> None:
    parts = xlsx_parts('<row r="1"><c r="A1"><v>1</v></c></row>')
    thread = "http://schemas.microsoft.com/office/2017/10/relationships/threadedComment"
    parts["xl/worksheets/_rels/sheet1.xml.rels"] = RELATIONS.format(
        f'<Relationship Id="a" Type="{thread}" Target="../t.xml"/>'
        f'<Relationship Id="b" Type="{OFFICE}/comments" Target="../c.xml"/>'
    )
    parts["xl/c.xml"] = (
        f'<comments {MAIN}><commentList><comment ref="A1"><text><t>[Threaded comment]</t></text></comment>'
    )
    parts["xl/c.xml"] += "</commentList></comments>"
    spaces = 'xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"'
    parts["xl/t.xml"] = f'<ThreadedComments {spaces}><threadedComment ref="A1"><text>why 20?</text></threadedComment>'
    parts["xl/t.xml"] += '<threadedComment ref="A1"><text>club rule</text></threadedComment></ThreadedComments>'
    assert read_any(write_zip(tmp_path / "c.xlsx", parts)).comments == {"Log": {(1, 1): "why 20?\nclub rule"}}


def test_a_book_that_openpyxl_saved_is_read(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet["A1"], sheet["A2"], sheet["A3"] = "Anna", "=A1&1", True
    book.save(tmp_path / "o.xlsx")
    (cells,) = read_any(tmp_path / "o.xlsx").sheets.values()
    assert cells == {(1, 1): Cell(None, "Anna"), (2, 1): Cell("A1&1", None), (3, 1): Cell(None, True)}


# --- .xls ---------------------------------------------------------------------------------------------------


@pytest.mark.libreoffice
def test_an_old_xls_is_read_by_way_of_libreoffice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_office.FILTERS, "xls", "xls:MS Excel 97")
    (tmp_path / "in").mkdir()
    source = tmp_path / "in" / "club.xlsx"
    with xlsxwriter.Workbook(source) as book:
        sheet = book.add_worksheet("Log")
        sheet.write_row(0, 0, [1500, 1400])
        sheet.write_formula(0, 2, "=1/(1+10^((B1-A1)/400))")
        sheet.write_formula(0, 3, "=1/0")
    old = convert(source, "xls", tmp_path)
    read = read_any(old)
    cells = read.sheets["Log"]
    assert cells[1, 3].formula == "1/(1+10^((B1-A1)/400))"
    assert cells[1, 3].value == pytest.approx(0.640065, abs=1e-6)
    assert cells[1, 4] == Cell("1/0", CellError("#DIV/0!"))
    assert (read.path, read.format) == (old, "xls")
    assert "converted by LibreOffice" in read.notes[0]


def test_an_old_xls_without_libreoffice_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_office, "soffice", lambda: None)
    path = tmp_path / "club.xls"
    path.write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600))
    with pytest.raises(UnreadableInput, match=r"old \.xls file.*save it as \.xlsx, or install LibreOffice"):
        read_any(path)


@pytest.mark.parametrize("value", ["1E400", "nan", "-inf"])
def test_a_number_that_no_spreadsheet_has_is_read_as_the_text_it_is(value: str, tmp_path: Path) -> None:
    odd = write_xlsx(tmp_path / "odd.xlsx", f'<row r="1"><c r="A1"><v>{value}</v></c></row>')
    assert read_any(odd).sheets["Log"][1, 1].value == value
    number = f'office:value-type="float" office:value="{value}"'
    cell = f"<table:table-cell {number}><text:p>{value}</text:p></table:table-cell>"
    odd = write_ods(tmp_path / "odd.ods", f"<table:table-row>{cell}</table:table-row>")
    assert read_any(odd).sheets["Log"][1, 1].value == value
