from __future__ import annotations

import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import xlsxwriter

from elo_sheets.files.archive import rewrite_parts
from elo_sheets.files.cells import Book, Cell, CellError, Fault, Validation
from elo_sheets.files.lint import ADVICE, FUTURE, LintFinding, lint, name_problems
from elo_sheets.files.package import read_book
from elo_sheets.files.references import Table

SHEET = "xl/worksheets/sheet1.xml"


def book_with(formula: str | None = None, **changes: object) -> Book:
    """A sound book with a table Games on the sheet Log, and a formula in F2."""
    cells = {(1, 1): Cell(None, "No"), (1, 2): Cell(None, "Two Words")}
    cells |= {(row, 1): Cell(None, float(row)) for row in range(2, 5)}
    if formula is not None:
        cells[2, 6] = Cell(formula, 0.0)
    table = Table("Games", "Log", 1, 1, 4, 2, ["No", "Two Words"])
    book = Book(
        Path("book.xlsx"),
        sheets={"Log": cells, "My Start": {(1, 1): Cell(None, 32.0)}},
        tables={"Games": table},
        all_tables=[table],
        names={"K_factor": "'My Start'!$A$1"},
    )
    for name, value in changes.items():
        setattr(book, name, value)
    return book


def rules(findings: list[LintFinding]) -> list[str]:
    return [finding.rule for finding in findings]


# --- formulas -----------------------------------------------------------------------------------------------

SOUND = [
    "SUM(Games[No])",
    'IF(Games[[#This Row],[Two Words]]="","",1/(1+10^((A2-$B$3)/K_factor)))',
    "INDEX(Games[No],MATCH(3,Games[No],0))",
    "VLOOKUP(3,A1:B4,2,FALSE)",
    "'My Start'!A1*Log!$B$2",
    "SUM(Log!A1:B2)",
    '"a;b(""c"")"&A1',
    "-A1^2+(-2)^2%",
    "SUM({1,2;3,4})",
    'COUNTIFS(Games[No],">="&A1,B:B,"<>x")',
    "IF(A1,,2)",
    "SUM(1:3,$A:$B)",
    "_xlfn.STDEV.S(A1:A3)",
    "SUM(_xlfn._xlws.FILTER(A1:A3,B1:B3))",
    "_xlfn.LET(_xlpm.x,A1,_xlpm.x*2)",
    '_xlfn.LET(_xlpm.no,SUM(Games[No]),_xlpm.no&"no")',
    "_xlfn.XLOOKUP(1,A1:A3,B1:B3)",
    "TRUE",
    "A1:INDEX(A:A,3)",
    "A1:A3 B1:C2",
    "1.5E+3*.5",
    "IFERROR(1/0,#N/A)",
    " A1 + B1 ",
    "A1<=B1",
    "A1<>-B1",
]


@pytest.mark.parametrize("formula", SOUND)
def test_a_sound_formula_raises_no_alarm(formula: str) -> None:
    assert lint(book_with(formula)) == []


UNSOUND = [
    ("[@No]*2", "structured-syntax"),
    ("Games[@No]*2", "structured-syntax"),
    ("[[#This Row],[No]]*2", "unqualified-reference"),
    ("[No]*2", "unqualified-reference"),
    ("Games[[#This Row],No]", "structured-syntax"),
    ("SUM(Gmaes[No])", "unknown-table"),
    ("SUM(Games[Nope])", "unknown-column"),
    ("SUM(Games[[No]:[Nope]])", "unknown-column"),
    ("Games[[#Totals],[No]]", "broken-reference"),
    ("STDEV.S(A1:A3)", "future-prefix"),
    ("MAXIFS(A1:A3,B1:B3,1)", "future-prefix"),
    ("_xlfn.FILTER(A1:A3,B1:B3)", "future-prefix"),
    ("_xlfn.SUM(A1)", "future-prefix"),
    ("_xlfn.LET(x,A1,x*2)", "parameter-prefix"),
    ("_xlfn.LAMBDA(x,x*2)", "parameter-prefix"),
    ("_xlfn.LET(_xlpm.x,A1,SUM(x,2))", "parameter-prefix"),
    ("_xlfn._xlws.SORT(A1:A3)", "single-value"),
    ("_xlfn.SEQUENCE(3)", "single-value"),
    ("SUM(A1", "unbalanced"),
    ("SUM(A1))", "unbalanced"),
    ('A1&"x', "unbalanced-quote"),
    ("'My Start!A1", "unbalanced-quote"),
    ("IF(A1;1;2)", "semicolon"),
    ("A1+", "syntax"),
    ("A1*/2", "syntax"),
    ("*2", "syntax"),
    ("(A1+)", "syntax"),
    ("A1,B1", "syntax"),
    ('A1"x"', "syntax"),
    ("2(A1)", "syntax"),
    ("Log!", "syntax"),
    ("=A1", "leading-equals"),
    ("  ", "empty-formula"),
    ("A1+" * 3000 + "1", "formula-length"),
    ("ABS(" * 65 + "1" + ")" * 65, "nesting"),
    (f"SUM({','.join('1' for _ in range(256))})", "arguments"),
    ("IF(A1,1,2,3)", "arguments"),
    ("Nowhere!A1", "unknown-sheet"),
    ("'No where'!A1", "unknown-sheet"),
    ("K_facto*2", "unknown-name"),
    ("SUM(#REF!)", "broken-reference"),
    ("'[other.xlsx]Log'!A1", "external-reference"),
    ("[1]Log!A1", "external-reference"),
    ("MATCH(3,A1:A3)", "approximate-lookup"),
    ("MATCH(3,A1:A3,1)", "approximate-lookup"),
    ("MATCH(3,A1:A3,-1)", "approximate-lookup"),
    ("VLOOKUP(3,A1:B3,2)", "approximate-lookup"),
    ("VLOOKUP(3,A1:B3,2,TRUE)", "approximate-lookup"),
    ("LOOKUP(2,1/(A1:A3=1),B1:B3)", "approximate-lookup"),
    ("_xlfn.XLOOKUP(1,A1:A3,B1:B3,,-1)", "approximate-lookup"),
    ("MATCH(3,{1,2,3},0)", "array-constant"),
    ("NOW()", "volatile"),
    ("A1+0*TODAY()", "volatile"),
    ("SUM(OFFSET(A1,1,0))", "volatile"),
    ('INDIRECT("A1")', "volatile"),
    ("RANDBETWEEN(1,6)", "volatile"),
]


@pytest.mark.parametrize(("formula", "rule"), UNSOUND)
def test_an_unsound_formula_is_reported_with_its_cell(formula: str, rule: str) -> None:
    findings = lint(book_with(formula))
    assert rule in rules(findings)
    assert {(finding.sheet, finding.cell) for finding in findings} == {("Log", "F2")}


def test_functions_outside_the_portable_list_are_reported_on_request() -> None:
    book = book_with("SUM(A1)+AGGREGATE(4,6,A1:A3)")
    assert rules(lint(book, portable={"SUM"})) == ["future-prefix", "not-portable"]
    assert rules(lint(book)) == ["future-prefix"]


def test_prefixed_functions_are_portable_under_either_name() -> None:
    book = book_with("_xlfn.MAXIFS(A1:A3,B1:B3,1)")
    assert lint(book, portable={"MAXIFS"}) == []
    assert lint(book, portable={"_xlfn.MAXIFS"}) == []


def test_every_future_function_needs_its_prefix() -> None:
    assert len(FUTURE) > 150
    for name, stored in FUTURE.items():
        assert "future-prefix" in rules(lint(book_with(f"{name}(A1)")))
        assert "future-prefix" not in rules(lint(book_with(f"{stored}(A1)")))


def test_advice_is_told_from_what_excel_repairs() -> None:
    assert [finding.repair for finding in lint(book_with("NOW()"))] == [False]
    assert [finding.repair for finding in lint(book_with("SUM(A1"))] == [True]
    assert "volatile" in ADVICE


def test_a_finding_reads_as_a_sentence_with_its_place() -> None:
    (finding,) = lint(book_with("STDEV.S(A1:A3)"))
    assert str(finding) == "Log!F2: the function STDEV.S must be stored as _xlfn.STDEV.S [future-prefix]"


def test_a_column_with_one_problem_is_one_finding() -> None:
    book = book_with()
    book.sheets["Log"] |= {(row, 6): Cell(f"NOW()+A{row}", 0.0) for row in range(2, 1002)}
    (finding,) = lint(book)
    assert finding.cell == "F2"
    assert finding.message.endswith("(and in 999 more cells of the column)")


def test_columns_that_differ_by_a_digit_are_told_apart() -> None:
    book = book_with("SUM(Games[No])")
    book.sheets["Log"][3, 6] = Cell("SUM(Games[No1])", 0.0)
    assert [(finding.cell, finding.rule) for finding in lint(book)] == [("F3", "unknown-column")]


def test_long_books_are_linted_in_linear_time() -> None:
    book = book_with()
    formula = 'IF(A{0}="","",SUMIFS($J$4:J{0},$C$4:C{0},C{0})+1/(1+10^((A{0}-B{0})/400)))'
    book.sheets["Log"] |= {(row, 9): Cell(formula.format(row), 0.0) for row in range(5, 100_005)}
    started = time.process_time()
    assert lint(book) == []
    assert time.process_time() - started < 60  # about 0.8 seconds on a quiet machine


# --- names --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["K20", "xfd1", "R1C1", "r", "C", "R2", "1st", "a b", "", "a-b", "x" * 256])
def test_a_name_that_excel_refuses_is_reported(name: str) -> None:
    assert [rule for rule, _ in name_problems(name)] == ["name-form"]


@pytest.mark.parametrize("name", ["K_factor", "Kfactor", "_x", "Größe", "XFE1", "Rating.start", "Games", "a\\b"])
def test_a_good_name_is_accepted(name: str) -> None:
    assert name_problems(name) == []


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("K20", "Log!$A$1", ["name-form"]),
        ("K", "Log!$A$1:$A$3", ["name-not-single-cell"]),
        ("K", "32", ["name-not-single-cell"]),
        ("K", "Log!A1", ["name-not-single-cell"]),
        ("K", "OFFSET(Log!$A$1,1,0)", ["name-not-single-cell", "volatile"]),
        ("K", "Gone!$A$1", ["unknown-sheet"]),
        ("Games", "Log!$A$1", ["name-duplicate"]),
        ("K", "#REF!", ["name-not-single-cell", "broken-reference"]),
        ("_xlnm.Print_Area", "Log!$A$1:$B$9", []),
    ],
)
def test_a_defined_name_means_one_existing_cell(name: str, text: str, expected: list[str]) -> None:
    assert rules(lint(book_with(names={name: text}))) == expected


def test_names_that_differ_only_in_case_are_reported() -> None:
    assert "name-duplicate" in rules(lint(book_with(names={"Kf": "Log!$A$1", "kF": "Log!$A$1"})))


@pytest.mark.parametrize("name", ["x" * 32, "a/b", "a:b", "a[1]", "what?", "'a", "a'", "History", ""])
def test_a_sheet_name_that_excel_refuses_is_reported(name: str) -> None:
    assert "sheet-name" in rules(lint(Book(Path("b.xlsx"), sheets={name: {}})))


def test_sheet_names_that_differ_only_in_case_are_reported() -> None:
    assert rules(lint(Book(Path("b.xlsx"), sheets={"Log": {}, "LOG": {}}))) == ["sheet-name"]


# --- tables and merges --------------------------------------------------------------------------------------

HEADER = {(1, 1): Cell(None, "No"), (1, 2): Cell(None, "Name")}


def table_book(*tables: Table, cells: dict[tuple[int, int], Cell] | None = None) -> Book:
    book = Book(Path("b.xlsx"), sheets={"Log": HEADER if cells is None else cells})
    book.all_tables = list(tables)
    book.tables = {table.name: table for table in tables}
    return book


def table(
    name: str = "T",
    area: tuple[int, int, int, int] = (1, 1, 4, 2),
    columns: tuple[str, ...] = ("No", "Name"),
    **more: object,
) -> Table:
    return Table(name, "Log", *area, list(columns), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("tables", "rule"),
    [
        ([table("A1")], "table-name"),
        ([table("my table")], "table-name"),
        ([table("T"), table("t", (6, 1, 9, 2))], "table-name"),
        ([table(columns=("No", "Name", "More"))], "table-width"),
        ([table(area=(1, 1, 1, 2))], "table-rows"),
        ([table(columns=("No", "no"))], "table-columns"),
        ([table(columns=("No", "Other"))], "table-header"),
        ([table("T"), table("U", (3, 2, 9, 3))], "table-overlap"),
        ([table(column_formulas={"Name": "[@No]"})], "structured-syntax"),
        ([table(column_formulas={"Name": "T[[#This Row],[Gone]]"})], "unknown-column"),
    ],
)
def test_a_table_that_excel_repairs_is_reported(tables: list[Table], rule: str) -> None:
    assert rule in rules(lint(table_book(*tables)))


@pytest.mark.parametrize("cell", [Cell(None, 1.0), Cell('"No"', "No"), Cell(None, "no")])
def test_a_header_must_hold_the_column_name_as_text(cell: Cell) -> None:
    assert rules(lint(table_book(table(), cells={**HEADER, (1, 1): cell}))) == ["table-header"]


def test_a_sound_table_raises_no_alarm() -> None:
    assert lint(table_book(table(column_formulas={"Name": 'T[[#This Row],[No]]&""'}))) == []


@pytest.mark.parametrize(
    "merges", [["F1:G2", "G2:H3"], ["F1:F1"], ["F1:G2", "A9:B9", "G1:G9"], ["A2:B2"], ["F1:"], ["x"]]
)
def test_merges_that_excel_repairs_are_reported(merges: list[str]) -> None:
    assert set(rules(lint(book_with(merges={"Log": merges})))) == {"merge"}


def test_merges_beside_each_other_raise_no_alarm() -> None:
    assert lint(book_with(merges={"Log": ["F1:G2", "H1:H2", "F3:H3"]})) == []


# --- validations, formats, cells ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("validation", "rule"),
    [
        (Validation("Log", "A1", "list", '"' + "x" * 256 + '"', ""), "validation-list"),
        (Validation("Log", "A1", "whole", "1", "2", prompt_title="x" * 33), "validation-title"),
        (Validation("Log", "A1", "whole", "1", "2", error_title="x" * 33), "validation-title"),
        (Validation("Log", "A1", "whole", "1", "2", prompt="x" * 256), "validation-message"),
        (Validation("Log", "A1", "whole", "1", "2", error="x" * 256), "validation-message"),
        (Validation("Log", "A1", "list", "Games[No]", ""), "structured-in-rule"),
        (Validation("Log", "A1", "list", "Gone!$A$1:$A$2", ""), "unknown-sheet"),
        (Validation("Log", "A1", "custom", "COUNTIF(A1", ""), "unbalanced"),
    ],
)
def test_a_validation_that_excel_repairs_is_reported(validation: Validation, rule: str) -> None:
    assert rules(lint(book_with(validations=[validation]))) == [rule]


def test_a_sound_validation_raises_no_alarm() -> None:
    full = Validation("Log", "A1", "list", '"' + "x" * 255 + '"', "", "x" * 32, "x" * 255, "x" * 32, "x" * 255)
    assert lint(book_with(validations=[full, Validation("Log", "B1:B9", "list", "$A$2:$A$4", "")])) == []


def test_conditional_formats_are_linted() -> None:
    book = book_with(conditions=[("Log", "A1:A9 C1", "Games[No]>2"), ("Log", "B1", "$A1>2")])
    assert [(finding.cell, finding.rule) for finding in lint(book)] == [("A1:A9", "structured-in-rule")]


@pytest.mark.parametrize(
    ("cell", "rule"),
    [(Cell(None, "x" * 32_768), "long-text"), (Cell(None, CellError("#OOPS")), "error-value")],
)
def test_a_value_that_excel_repairs_is_reported(cell: Cell, rule: str) -> None:
    assert rules(lint(book_with(sheets={"Log": {(5, 5): cell}, "My Start": {}}, all_tables=[]))) == [rule]


def test_what_the_reader_met_is_reported() -> None:
    book = book_with(faults=[Fault("Log", "A1", "cell-order", "the cells of the row are not in order")])
    assert rules(lint(book)) == ["cell-order"]


# --- files --------------------------------------------------------------------------------------------------


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    path = tmp_path / "sound.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("Log")
        sheet.write_column("A2", [1, 2, 3])
        sheet.add_table(
            "A1:B4",
            {
                "name": "Games",
                "columns": [{"header": "No"}, {"header": "Twice", "formula": "=Games[@[No]]*2"}],
            },
        )
        sheet.data_validation("D1", {"validate": "list", "source": ["Win", "Loss"]})
        sheet.conditional_format("A1:B4", {"type": "formula", "criteria": "=$A1>2"})
        sheet.write_string("E1", "=NOT()a;formula")
    return path


def test_a_sound_file_raises_no_alarm(sound: Path) -> None:
    assert lint(sound) == []


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        (b"Games[[#This Row],[No]]*2", b"[[#This Row],[No]]*2", "unqualified-reference"),
        (b'<c r="A2"><v>1</v></c>', b'<c r="A2"><v>NaN</v></c>', "number"),
        (b'<c r="A2"><v>1</v></c>', b'<c r="A2"><v>one</v></c>', "number"),
        (b'<c r="A2"><v>1</v></c>', b'<c r="C2"><v>1</v></c>', "cell-order"),
        (b'<c r="A3">', b'<c r="A2">', "cell-order"),
        (b'<row r="3"', b'<row r="1"', "row-order"),
        (b't="s"><v>0</v>', b't="s"><v>99</v>', "shared-string"),
        (b"</sheetData>", b'</sheetData><mergeCells><mergeCell ref="A2:B2"/></mergeCells>', "merge"),
    ],
)
def test_a_spoilt_file_is_reported(sound: Path, old: bytes, new: bytes, rule: str) -> None:
    with zipfile.ZipFile(sound) as archive:
        xml = archive.read(SHEET)
    assert old in xml
    spoilt = sound.with_name("spoilt.xlsx")
    rewrite_parts(sound, spoilt, {SHEET: xml.replace(old, new, 1)})
    assert rule in rules(lint(spoilt))


@pytest.mark.parametrize("given", [str, Path, read_book])
def test_a_book_is_given_by_its_path_or_read(given: Callable[[Path], str | Path | Book], sound: Path) -> None:
    assert lint(given(sound)) == []
