from __future__ import annotations

import dataclasses
import os
import random
import sys
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter

from elo_sheets.engines import office as _office
from elo_sheets.engines import recalculate as module
from elo_sheets.engines.office import convert
from elo_sheets.engines.processes import run_limited
from elo_sheets.engines.recalculate import ENGINES, Engine, recalculate, recalculate_many
from elo_sheets.engines.sanitised import SENTINEL, Job, Values, sanitise
from elo_sheets.engines.spelling import Spelling
from elo_sheets.errors import NotChecked, UnreadableInput, UsageError
from elo_sheets.files.archive import rewrite_parts
from elo_sheets.files.cells import Book, Cell, CellError, Value
from elo_sheets.files.package import read_book
from elo_sheets.files.references import Table

ENGINE_NAMES = [
    "ironcalc",
    pytest.param("formualizer", marks=pytest.mark.formualizer),
    pytest.param("libreoffice", marks=pytest.mark.libreoffice),
]
# formualizer cuts wide arrays and counts hidden rows.
all_but_formualizer = pytest.mark.parametrize("engine", [ENGINE_NAMES[0], ENGINE_NAMES[2]])
every_engine = pytest.mark.parametrize("engine", ENGINE_NAMES)
FALSE_CACHE = 111.0


def make(path: Path, fill: Callable[[xlsxwriter.Workbook], object]) -> Path:
    with xlsxwriter.Workbook(path) as book:
        fill(book)
    return path


def fill_small(book: xlsxwriter.Workbook) -> None:
    sheet = book.add_worksheet("It's a log")
    book.define_name("K_factor", "='It''s a log'!$A$1")
    sheet.write(0, 0, 32)
    sheet.write_string(0, 1, "Ann & <Bob>\n_x0041_")
    formulas = [
        "A1*2",
        "A2+K_factor",
        'IF(A3=96,"yes","no")',
        'IF(A3=96,"","no")',
        "1/0",
        "B1",
        "A1>3",
        "C9",
        "LEN(B1)",
    ]
    for row, formula in enumerate(formulas, 1):
        sheet.write_formula(row, 0, "=" + formula, None, FALSE_CACHE)


SMALL: list[Value] = [64.0, 96.0, "yes", "", CellError("#DIV/0!"), "Ann & <Bob>\n_x0041_", True, 0.0, 19.0]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return make(tmp_path / "small.xlsx", fill_small)


def fill_table(book: xlsxwriter.Workbook) -> None:
    sheet = book.add_worksheet("Log")
    for row in range(1, 11):
        sheet.write(row, 0, row)
    sheet.write(3, 1, "x")
    columns = [
        {"header": "No"},
        {"header": "Two Words"},
        {"header": "Odd #1 [a]", "formula": '=IF(T[[#This Row],[Two Words]]="","",T[[#This Row],[No]]*2)'},
        {"header": "Sum", "formula": "=SUM(T[Odd '#1 '[a']])+ROWS(T[No])"},
    ]
    sheet.add_table(0, 0, 10, 3, {"name": "T", "columns": columns})
    other = book.add_worksheet("Other")
    other.write_formula(0, 0, "=INDEX(T[Odd '#1 '[a']],3)&T[[#Headers],[No]]", None, FALSE_CACHE)


def running(pid: int) -> bool:
    """Whether the process still does something; one that only waits to be buried does not."""
    status = Path(f"/proc/{pid}/stat")
    if status.parent.parent.joinpath("self").exists():
        return status.exists() and status.read_text().rpartition(")")[2].split()[0] not in "ZX"
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


# --- values -------------------------------------------------------------------------------------------------


@every_engine
def test_every_formula_is_computed_and_no_cached_value_believed(engine: str, small: Path) -> None:
    done = recalculate(small, engine)
    assert list(done.values["It's a log"].values()) == SMALL
    assert [type(value) for value in done.values["It's a log"].values()] == [type(value) for value in SMALL]
    assert list(done.values) == ["It's a log"]
    assert done.engine == engine
    assert done.version[0].isdigit()


COUNTED = (
    "COUNTIF(B{a}:B{b},D{a})",
    "COUNTIFS($B${a}:$B${b},D{a},C{a}:C{b},E{a})",
    "COUNTIFS(B{a}:B{b},D{a},C{a}:C{b},E{a})>0",
    "SUMPRODUCT(MAX(($B${a}:$B${b}=D{a})*$C${a}:$C${b}))",
    "SUMPRODUCT(MAX(($B${a}:B{b}=$D{a})*$C${a}:C{b}))",
    "SUMPRODUCT(MAX(($C${a}:$C${b}=$E{a})*'A log'!$B${a}:$B${b}))",
    "SUMPRODUCT(MAX(('A log'!$C${a}:$C${b}=$E{a})*'A log'!$B${a}:$B${b}))",
)


def test_what_is_counted_another_way_for_an_engine_comes_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    odd: list[Value] = [1.0, -2.0, 0.5, "a", "A*", "", ">1", "1", True, None, CellError("#N/A"), 3.0]
    kinds = (odd, [1.0, 2.0, 0.5], [-1.0, -2.0], [1.0, 2.0, 2.0, None, 3.0])
    chance = random.Random(7)
    cells: dict[tuple[int, int], Cell] = {}
    for number in range(1000):
        first = 10 * number + 1
        below = [chance.choice(kinds[number % 4]) for _ in range(20)]
        for at, value in enumerate(below):
            if value is not None:
                place = (first + at // 2, 2 + at % 2) if at < 18 else (first, at - 14)
                cells[place] = Cell(None, value)
        cells[first, 1] = Cell(COUNTED[number // 4 % len(COUNTED)].format(a=first, b=first + 8), None)
    book = Book(Path("log.xlsx"), {"A log": cells})
    spelt = recalculate(book).values
    monkeypatch.setitem(ENGINES, "ironcalc", dataclasses.replace(ENGINES["ironcalc"], spelling=Spelling))
    assert recalculate(book).values == spelt


def test_what_is_filled_down_is_spelt_for_each_row_where_the_first_one_does_not_hold_for_all() -> None:
    cells = {(row, 1): Cell(None, float(row)) for row in range(1, 9)}
    cells |= {(row, 2): Cell("SUM(A:A)", None) for row in range(1, 9)}
    cells |= {(row, 3): Cell(f"SUMIF(A:A,A{row})+COUNTIF($A$1:A{row},A1)", None) for row in range(1, 9)}
    cells |= {(row, 4): Cell(f'COUNTIF(A:A,"<"&A{row})', 2.0**20 if row == 4 else None) for row in range(1, 9)}
    values = recalculate(Book(Path("log.xlsx"), {"A log": cells})).values["A log"]
    assert [values[row, 2] for row in range(1, 9)] == [36] * 8
    assert [values[row, 3] for row in range(1, 9)] == [row + 1 for row in range(1, 9)]
    assert [values[row, 4] for row in range(1, 9)] == [row - 1 for row in range(1, 9)]


@every_engine
def test_structured_references_are_computed(engine: str, tmp_path: Path) -> None:
    values = recalculate(make(tmp_path / "table.xlsx", fill_table), engine).values
    assert [values["Log"][row, 3] for row in range(2, 6)] == ["", "", 6.0, ""]
    assert values["Log"][11, 4] == 16
    assert values["Other"][1, 1] == "6No"


@every_engine
def test_cells_that_an_array_fills_are_computed(engine: str, tmp_path: Path) -> None:
    def fill(book: xlsxwriter.Workbook) -> None:
        sheet = book.add_worksheet("Log")
        sheet.write_column("A1", [1, 2, 3])
        sheet.write_array_formula("C1", "{=SUM(A1:A3*A1:A3)}", None, FALSE_CACHE)

    assert recalculate(make(tmp_path / "array.xlsx", fill), engine).values["Log"] == {(1, 3): 14.0}


@all_but_formualizer
def test_a_wide_array_is_computed(engine: str, tmp_path: Path) -> None:
    def fill(book: xlsxwriter.Workbook) -> None:
        sheet = book.add_worksheet("Log")
        sheet.write_column("A1", [1, 2, 3])
        sheet.write_array_formula("B1:B3", "{=A1:A3*2}", None, FALSE_CACHE)

    values = recalculate(make(tmp_path / "array.xlsx", fill), engine).values["Log"]
    assert values == {(1, 2): 2.0, (2, 2): 4.0, (3, 2): 6.0}


@all_but_formualizer
def test_hidden_rows_and_sheets_stay_hidden_to_formulas(engine: str, tmp_path: Path) -> None:
    def fill(book: xlsxwriter.Workbook) -> None:
        book.add_worksheet("Front")
        sheet = book.add_worksheet("Log")
        sheet.hide()
        sheet.write_column("A1", [1, 2, 4])
        sheet.set_row(1, None, None, {"hidden": True})
        sheet.write_formula("B1", "=SUBTOTAL(109,A1:A3)", None, FALSE_CACHE)

    assert recalculate(make(tmp_path / "hidden.xlsx", fill), engine).values["Log"] == {(1, 2): 5.0}


@every_engine
def test_many_workbooks_take_one_start(engine: str, small: Path, tmp_path: Path) -> None:
    table = make(tmp_path / "table.xlsx", fill_table)
    done = recalculate_many([small, table, read_book(small)], engine)
    assert [list(one.values) for one in done] == [["It's a log"], ["Log", "Other"], ["It's a log"]]
    assert done[0] == done[2]


@every_engine
def test_a_text_with_a_digit_in_it_stays_that_text(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "text.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("A")
        sheet.write_string("A1", "no result: write 1-0")
        sheet.write_formula("B1", '=IF(TEXT(A1,"@")<>"rated",TEXT(A1,"@")&"!","")')
    assert recalculate(path, engine).values["A"][1, 2] == "no result: write 1-0!"


def test_an_unknown_function_is_an_error_value_not_a_number(tmp_path: Path) -> None:
    def fill(book: xlsxwriter.Workbook) -> None:
        book.add_worksheet("Log").write_formula("A1", "=NOSUCHFUNCTION(1)", None, FALSE_CACHE)

    assert recalculate(make(tmp_path / "unknown.xlsx", fill)).values["Log"] == {(1, 1): CellError("#NAME?")}


def test_the_file_itself_is_not_touched(small: Path) -> None:
    before = small.read_bytes()
    recalculate(small)
    assert small.read_bytes() == before
    assert [path.name for path in small.parent.iterdir()] == ["small.xlsx"]


# --- the sanitised copy -------------------------------------------------------------------------------------


def test_the_copy_keeps_cells_and_tables_and_no_cached_value(tmp_path: Path) -> None:
    source = make(tmp_path / "table.xlsx", fill_table)
    sanitise(read_book(source), tmp_path / "copy.xlsx", tables=True)
    old, new = read_book(source), read_book(tmp_path / "copy.xlsx")
    assert list(new.sheets) == ["Log", "Other", "_canary"]
    assert [(t.name, t.sheet, t.columns) for t in new.all_tables] == [
        (t.name, t.sheet, t.columns) for t in old.all_tables
    ]
    for sheet in old.sheets:
        for place, cell in old.sheets[sheet].items():
            copied = new.sheets[sheet][place]
            assert copied.formula == cell.formula
            assert copied.value == (cell.value if cell.formula is None else SENTINEL)


def test_the_copy_has_a_formula_that_is_filled_down_once(tmp_path: Path) -> None:
    """Formulas of two rows in turn, one that counts a column that grows, and tables that name their columns alone."""
    turns = {(row, 2): Cell(f"$A{row}-A{row - 1 + row % 2 * 2}", None) for row in range(2, 12)}
    counted = {(row, 3): Cell(f"COUNTIFS(A$2:A{row},A{row})", None) for row in range(2, 12)}
    bare = {
        (row, column): Cell("[[#This Row],[x]]*2", None) for column in (5, 8) for row in (*range(2, 6), *range(7, 12))
    }
    numbers = {(row, column): Cell(None, 1.0 * row) for column in (1, 4, 7) for row in range(1, 13)}
    tables = [
        Table(f"T{first}{column}", "S", first, column, last, column + 1, ["x", "y"])
        for column in (4, 7)
        for first, last in ((1, 5), (6, 11))
    ]
    book = Book(
        tmp_path / "book.xlsx", {"S": dict(sorted((numbers | turns | counted | bare).items()))}, all_tables=tables
    )
    sanitise(book, tmp_path / "copy.xlsx", tables=False)
    with zipfile.ZipFile(tmp_path / "copy.xlsx") as copy:
        sheet = copy.read("xl/worksheets/sheet1.xml").decode()
    assert sheet.count("<f>") == 0
    assert sheet.count(' ref="') == 2 * (2 + 1 + 2)  # once above the second table, once from there on
    values = recalculate(book).values["S"]
    for row in range(2, 12):
        assert values[row, 2] == (-1 if row % 2 else 1), row
        assert values[row, 3] == 1
        assert row == 6 or values[row, 5] == values[row, 8] == 2 * row


def test_the_copy_has_no_links_drawings_or_styles(tmp_path: Path) -> None:
    def fill(book: xlsxwriter.Workbook) -> None:
        sheet = book.add_worksheet("Log")
        sheet.write_url("A1", "https://example.org", string="link")
        sheet.insert_textbox("C1", "text")
        sheet.write_comment("A2", "comment")
        chart = book.add_chart({"type": "line"})
        chart.add_series({"values": "=Log!$B$1:$B$3"})
        sheet.insert_chart("D1", chart)

    sanitise(read_book(make(tmp_path / "rich.xlsx", fill)), tmp_path / "copy.xlsx", tables=True)
    with zipfile.ZipFile(tmp_path / "copy.xlsx") as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist())
        assert not [name for name in archive.namelist() if "drawing" in name or "comment" in name or "chart" in name]
    assert b"example.org" not in everything


def test_another_sentinel_is_taken_when_a_cell_holds_it(tmp_path: Path) -> None:
    def fill(book: xlsxwriter.Workbook) -> None:
        sheet = book.add_worksheet("Log")
        sheet.write(0, 0, SENTINEL)
        sheet.write_formula(0, 1, "=A1", None, FALSE_CACHE)

    assert recalculate(make(tmp_path / "unlucky.xlsx", fill)).values["Log"] == {(1, 2): SENTINEL}


@pytest.mark.ooxml
@pytest.mark.parametrize("fill", [fill_small, fill_table])
@pytest.mark.parametrize("tables", [True, False])
def test_the_copy_is_a_valid_package(
    fill: Callable[[xlsxwriter.Workbook], object],
    tables: bool,
    tmp_path: Path,
    ooxml_errors: Callable[[Path], list[str]],
) -> None:
    sanitise(read_book(make(tmp_path / "book.xlsx", fill)), tmp_path / "copy.xlsx", tables=tables)
    assert ooxml_errors(tmp_path / "copy.xlsx") == []


def test_the_copy_opens_elsewhere(tmp_path: Path) -> None:
    sanitise(read_book(make(tmp_path / "table.xlsx", fill_table)), tmp_path / "copy.xlsx", tables=True)
    assert openpyxl.load_workbook(tmp_path / "copy.xlsx").sheetnames == ["Log", "Other", "_canary"]


# --- proof: planted faults ----------------------------------------------------------------------------------


def _cached(job: Job) -> Values:
    sheets = read_book(job.copy).sheets
    return {sheet: {place: sheets[sheet][place].value for place in places} for sheet, places in job.wanted.items()}


def plant(monkeypatch: pytest.MonkeyPatch, answer: Callable[[Job], Values]) -> None:
    def run(jobs: Sequence[Job], folder: Path, timeout: float, memory: int) -> tuple[str, list[Values]]:
        return "1.0", [answer(job) for job in jobs]

    fake = Engine("fake", "none", lambda: True, lambda: "1.0", run)
    monkeypatch.setitem(ENGINES, "fake", fake)


def test_an_engine_that_echoes_the_file_is_caught(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, _cached)
    with pytest.raises(NotChecked, match=r"fake 1\.0 did not recalculate It's a log!A2 of 'small\.xlsx'"):
        recalculate(small, "fake")


def test_an_engine_that_answers_zero_is_caught(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def zero(job: Job) -> Values:
        return {sheet: dict.fromkeys(cells, 0.0) for sheet, cells in _cached(job).items()}

    plant(monkeypatch, zero)
    with pytest.raises(NotChecked, match="failed the test formula A2"):
        recalculate(small, "fake")


def test_an_engine_that_leaves_one_cell_out_is_caught(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nearly(job: Job) -> Values:
        true: Values = {"It's a log": dict(zip(job.wanted["It's a log"], SMALL, strict=True))}
        true["It's a log"][4, 1] = job.sentinel
        return {**true, job.canary_sheet: dict(job.canaries)}

    plant(monkeypatch, nearly)
    with pytest.raises(NotChecked, match="did not recalculate It's a log!A4"):
        recalculate(small, "fake")


def test_an_engine_that_does_not_read_the_inputs_is_caught(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deaf(job: Job) -> Values:
        true: Values = {"It's a log": dict(zip(job.wanted["It's a log"], SMALL, strict=True))}
        return {**true, job.canary_sheet: {**job.canaries, (6, 1): 3.0}}

    plant(monkeypatch, deaf)
    with pytest.raises(NotChecked, match="failed the test formula A6"):
        recalculate(small, "fake")


@pytest.mark.libreoffice
def test_libreoffice_that_trusts_caches_is_caught(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load = {"OOXMLRecalcMode": "1", "ODFRecalcMode": "1"}
    monkeypatch.setitem(_office._PROFILE, "org.openoffice.Office.Calc/Formula/Load", load)
    with pytest.raises(NotChecked, match="did not recalculate"):
        recalculate(small, "libreoffice")


# --- refusals and limits ------------------------------------------------------------------------------------


def test_an_unknown_engine_is_a_usage_error(small: Path) -> None:
    with pytest.raises(UsageError, match=r"ironcalc, formualizer, libreoffice .*got 'excel'"):
        recalculate(small, "excel")


@pytest.mark.parametrize(
    ("engine", "remedy"),
    [("formualizer", r"pip install 'elo-sheets\[verify2\]'"), ("libreoffice", "install LibreOffice")],
)
def test_a_missing_engine_says_how_to_get_it(
    engine: str, remedy: str, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(_office, "soffice", lambda: None)
    with pytest.raises(NotChecked, match=f"the engine {engine} is not installed; {remedy}") as caught:
        recalculate(small, engine)
    assert caught.value.exit_code == 4


def test_an_unreadable_file_is_not_a_verdict(tmp_path: Path) -> None:
    (tmp_path / "x.xlsx").write_bytes(b"hello")
    with pytest.raises(UnreadableInput):
        recalculate(tmp_path / "x.xlsx")


def test_a_workbook_that_rounds_as_displayed_is_not_checked(small: Path) -> None:
    with zipfile.ZipFile(small) as archive:
        workbook = archive.read("xl/workbook.xml").replace(b"<calcPr ", b'<calcPr fullPrecision="0" ')
    target = small.with_name("rounded.xlsx")
    rewrite_parts(small, target, {"xl/workbook.xml": workbook})
    with pytest.raises(NotChecked, match="Set precision as displayed"):
        recalculate(target)


def test_days_from_1904_are_left_to_an_engine_that_knows_them(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "old.xlsx", {"date_1904": True}) as book:
        book.add_worksheet("Log").write_formula("A1", "=1+1", None, FALSE_CACHE)
    with pytest.raises(NotChecked, match="from 1904"):
        recalculate(tmp_path / "old.xlsx")


def test_an_engine_that_takes_too_long_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(book: xlsxwriter.Workbook) -> None:
        sheet = book.add_worksheet("Log")
        sheet.write(0, 0, 1)
        for row in range(1, 400):
            sheet.write_formula(row, 1, f"=SUMPRODUCT((A1:A99999>{row})*(B1:B{row}>0))", None, FALSE_CACHE)
            sheet.write_formula(row, 2, f"=SUMPRODUCT((A1:A99999>{row})*(A1:A99999<{row}))", None, FALSE_CACHE)

    path = make(tmp_path / "slow.xlsx", fill)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    with pytest.raises(NotChecked, match=r"ironcalc was stopped after 0\.3 seconds"):
        recalculate(path, timeout=0.3)
    assert list((tmp_path / "temporary").iterdir()) == []


FAMILY = """
import pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
pathlib.Path("pid").write_text(str(child.pid))
if sys.argv[1] == "wait":
    time.sleep(60)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs sessions")
@pytest.mark.parametrize("way", ["wait", "leave"])
def test_nothing_that_an_engine_started_outlives_it(way: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", FAMILY, way]
    if way == "wait":
        with pytest.raises(NotChecked, match="was stopped after 5 seconds"):
            run_limited(command, tmp_path, 5, "the engine")
    else:
        run_limited(command, tmp_path, 30, "the engine")
    pid = int((tmp_path / "pid").read_text())
    deadline = time.monotonic() + 60
    while running(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not running(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of memory")
def test_an_engine_that_takes_too_much_memory_is_not_a_verdict(small: Path) -> None:
    with pytest.raises(NotChecked, match="ironcalc"):
        recalculate(small, memory=20 * 2**20)


def test_an_engine_that_crashes_is_not_a_verdict(tmp_path: Path) -> None:
    with pytest.raises(NotChecked, match=r"the engine stopped early \(boom\)"):
        run_limited([sys.executable, "-c", "import sys; sys.exit('boom')"], tmp_path, 30, "the engine")


def test_the_private_folder_is_removed(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    recalculate(small)
    assert list((tmp_path / "temporary").iterdir()) == []


# --- LibreOffice as a printer -------------------------------------------------------------------------------


@pytest.mark.libreoffice
def test_a_workbook_is_printed(small: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert convert(small, "pdf", tmp_path / "out").read_bytes().startswith(b"%PDF")


@pytest.mark.libreoffice
def test_what_libreoffice_cannot_load_is_not_checked(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "bad.xlsx").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(NotChecked, match=r"could not load 'bad\.xlsx'"):
        convert(tmp_path / "bad.xlsx", "pdf", tmp_path / "out")


def test_a_workbook_is_never_converted_onto_itself(small: Path) -> None:
    with pytest.raises(UsageError, match="another folder"):
        convert(small, "xlsx", small.parent)
    assert small.exists()
