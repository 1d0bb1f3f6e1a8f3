"""OpenDocument spreadsheets: written by hand, and by LibreOffice from an .xlsx file with the same content."""

from __future__ import annotations

from pathlib import Path

import pytest
import xlsxwriter
from hostile import SHEETS, ods_content, write_ods, write_zip

from elo_sheets.engines import office as _office
from elo_sheets.engines import recalculate
from elo_sheets.engines.office import convert
from elo_sheets.errors import UnreadableInput
from elo_sheets.files.cells import Book, Cell, CellError
from elo_sheets.files.ingest import read_any
from elo_sheets.files.openformula import function, reference, sheet_prefix, to_excel
from elo_sheets.files.references import Place, cell_name, parse_cell_name

# --- formulas -----------------------------------------------------------------------------------------------

FORMULAS = {
    "of:=[.A1]*[.$B$2]": "A1*$B$2",
    "of:=IF([.A1]>0;SUM([.B1:.B9]);0)": "IF(A1>0,SUM(B1:B9),0)",
    "of:=1/(1+10^(([.B2]-[.A2])/400))": "1/(1+10^((B2-A2)/400))",
    "of:=[$Log.A1]+[Log.B$1]": "Log!A1+Log!B$1",
    "of:=[$'My log'.A1]": "'My log'!A1",
    "of:=[$'It''s; mine'.A1:.B2]": "'It''s; mine'!A1:B2",
    "of:=SUM([Log.A1:Ranking.A1])": "SUM(Log:Ranking!A1)",
    "of:=SUM([.A:.C])": "SUM(A:C)",
    "of:=SUM([.$2:.$3])": "SUM($2:$3)",
    "of:=SUM([.A1:.A1048576])": "SUM(A:A)",
    "of:=SUM([.A$1:.XFD$1])": "SUM($1:$1)",
    'of:=IF([.A1]="a;b|c";"x""[.Y1]";1)': 'IF(A1="a;b|c","x""[.Y1]",1)',
    "of:=SUM({1;2|3;4})": "SUM({1,2;3,4})",
    "of:=SUM(([.A1]~[.B2]))": "SUM((A1,B2))",
    "of:=SUM([.A1:.A5]![.A3:.B4])": "SUM(A1:A5 A3:B4)",
    "of:=[.A1]+[.#REF!]": "A1+#REF!",
    "of:=[#REF!]": "#REF!",
    "of:=[$Log.#REF!5]": "#REF!",
    "of:=VLOOKUP([.A1];[.C1:.D9];2;FALSE())": "VLOOKUP(A1,C1:D9,2,FALSE)",
    "of:=IF([.A1];;2)": "IF(A1,,2)",
    "of:=COM.MICROSOFT.STDEV.S([.A1:.A9])": "_xlfn.STDEV.S(A1:A9)",
    "of:=COM.MICROSOFT.XLOOKUP([.A1];[.B1:.B2];[.C1:.C2])": "_xlfn.XLOOKUP(A1,B1:B2,C1:C2)",
    "of:=COM.MICROSOFT.SORT([.A1:.A9])": "_xlfn._xlws.SORT(A1:A9)",
    "of:=LEGACY.NORMSDIST([.A1])": "NORMSDIST(A1)",
    "of:=_xlfn.xlookup([.A1];[.B1:.B2];[.C1:.C2])": "_xlfn.XLOOKUP(A1,B1:B2,C1:C2)",
    "of:=COM.SUN.STAR.SHEET.ADDIN.ANALYSIS.GETEDATE([.A1];1)": "EDATE(A1,1)",
    "of:=ORG.OPENOFFICE.ERRORTYPE([.A1])": "ERROR.TYPE(A1)",
    "of:=K_FACTOR*2": "K_FACTOR*2",
    "of:=LOG10([.A1])": "LOG10(A1)",
    "oooc:=[.A1]*2": "A1*2",
    "msoxl:=A1*2": "A1*2",
    "of:==[.A1]": "A1",
    "of:=['file:///home/x/other.ods'#$Config.B1]": "'file:///home/x/[other.ods]Config'!B1",
    'of:=[.A1]&"\'"&[.B1]': 'A1&"\'"&B1',
    "of:=50%": "50%",
}


@pytest.mark.parametrize(("stored", "formula"), FORMULAS.items())
def test_a_formula_gets_excels_spelling(stored: str, formula: str) -> None:
    assert to_excel(stored) == formula


def test_sheets_are_quoted_where_excel_must_have_it() -> None:
    assert sheet_prefix("K1") == "'K1'!"
    assert reference("$'2024'.A1") == "'2024'!A1"
    assert function("COM.MICROSOFT.CEILING") == "CEILING"


# --- cells --------------------------------------------------------------------------------------------------


def cell(kind: str = "", value: str = "", text: str = "", more: str = "", inside: str = "") -> str:
    names = {"date": "date-value", "time": "time-value", "boolean": "boolean-value", "string": "string-value"}
    typed = f' office:value-type="{kind}"' if kind else ""
    if value:
        typed += f' office:{names.get(kind, "value")}="{value}"'
    return f"<table:table-cell{typed}{more}>{inside}{f'<text:p>{text}</text:p>' if text else ''}</table:table-cell>"


ONE = ' table:formula="of:=[.B1]" office:value-type="float" office:value="1"'


def row(*cells: str, more: str = "") -> str:
    return f"<table:table-row{more}>{''.join(cells)}</table:table-row>"


def read(tmp_path: Path, *rows: str, before: str = "", after: str = "", tables: str = "") -> Book:
    return read_any(write_ods(tmp_path / "book.ods", "".join(rows), before=before, after=after, tables=tables))


@pytest.mark.parametrize(
    ("xml", "value"),
    [
        (cell("float", "1500.5", "1,500.50"), 1500.5),
        (cell("percentage", "0.25", "25 %"), 0.25),
        (cell("currency", "3", "3 €"), 3.0),
        (cell("string", text="Anna"), "Anna"),
        (cell("string", value="Anna", text="ANNA"), "Anna"),
        (cell("string", text="two<text:s text:c='2'/>blanks<text:tab/>and"), "two  blanks\tand"),
        (cell("string", inside="<text:p>one</text:p><text:p><text:span>two</text:span></text:p>"), "one\ntwo"),
        (cell("string", text="a<text:line-break/>b"), "a\nb"),
        (cell("date", "2024-03-01", "1 March"), 45352.0),
        (cell("date", "2024-03-01T18:00:00"), 45352.75),
        (cell("time", "PT12H00M00S"), 0.5),
        (cell("time", "PT36H30M00.5S"), 1.5 + (1800.5 / 86400)),
        (cell("boolean", "true", "TRUE"), True),
        (cell(more=' table:formula="of:=TRUE()" office:value-type="boolean" office:boolean-value="true"'), True),
    ],
)
def test_a_stored_value_is_read(xml: str, value: object, tmp_path: Path) -> None:
    found = read(tmp_path, row(xml)).sheets["Log"][1, 1]
    assert (type(found.value), found.formula) == (type(value), None)
    assert found.value == (pytest.approx(value) if isinstance(value, float) else value)


@pytest.mark.parametrize(
    ("text", "error"),
    [("#N/A", "#N/A"), ("#DIV/0!", "#DIV/0!"), ("Err:508", "#NAME?"), ("Err:522", "#VALUE!"), ("#NAME?", "#NAME?")],
)
@pytest.mark.parametrize("typed", [True, False])
def test_an_error_is_an_error(text: str, error: str, typed: bool, tmp_path: Path) -> None:
    mark = ' calcext:value-type="error"' if typed else ""
    xml = f'<table:table-cell table:formula="of:=[.B1]/0" office:value-type="string" office:string-value=""{mark}>'
    found = read(tmp_path, row(f"{xml}<text:p>{text}</text:p></table:table-cell>")).sheets["Log"][1, 1]
    assert found == Cell("B1/0", CellError(error))
    assert isinstance(found.value, CellError)


def test_an_empty_result_is_an_empty_text(tmp_path: Path) -> None:
    xml = cell(more=' table:formula="of:=&quot;&quot;" office:value-type="string" office:string-value=""')
    assert read(tmp_path, row(xml)).sheets["Log"] == {(1, 1): Cell('""', "")}


def test_repetitions_are_written_out(tmp_path: Path) -> None:
    one = cell("float", "1", "1", ' table:number-columns-repeated="2"')
    gap = cell(more=' table:number-columns-repeated="3"')
    book = read(
        tmp_path,
        row(gap, more=' table:number-rows-repeated="4"'),
        row(one, gap, cell("float", "2"), more=' table:number-rows-repeated="2"'),
        row(gap, more=' table:number-rows-repeated="1048570"'),
    )
    assert {cell_name(*place): c.value for place, c in book.sheets["Log"].items()} == {
        "A5": 1.0, "B5": 1.0, "F5": 2.0, "A6": 1.0, "B6": 1.0, "F6": 2.0,
    }  # fmt: skip


def test_arrays_comments_merges_and_hidden_rows_are_read(tmp_path: Path) -> None:
    array = cell(
        "float",
        "2",
        more=' table:formula="of:=[.B1:.B2]*2" table:number-matrix-columns-spanned="1" '
        'table:number-matrix-rows-spanned="2"',
    )
    note = "<office:annotation><text:p>seen</text:p><text:p>twice</text:p></office:annotation>"
    wide = cell("string", text="Title", more=' table:number-columns-spanned="2" table:number-rows-spanned="2"')
    columns = '<table:table-column table:number-columns-repeated="3"/><table:table-column table:visibility="collapse"/>'
    book = read(
        tmp_path,
        columns,
        row(array, cell("float", "1", "1", inside=note), wide),
        row(cell("float", "4"), more=' table:visibility="filter"'),
        row(cell("float", "5"), more=' table:visibility="collapse"'),
    )
    assert book.sheets["Log"][1, 1] == Cell("B1:B2*2", 2.0, "A1:A2")
    assert book.sheets["Log"][1, 2] == Cell(None, 1.0)
    assert book.comments == {"Log": {(1, 2): "seen\ntwice"}}
    assert book.merges == {"Log": ["C1:D2"]}
    assert book.hidden_rows == {"Log": {2, 3}}
    assert book.hidden_columns == {"Log": {4}}


def test_settings_names_and_filters_are_read(tmp_path: Path) -> None:
    settings = (
        '<table:calculation-settings table:precision-as-shown="true"><table:null-date table:date-value="1904-01-01"/>'
        '<table:iteration table:status="enable"/></table:calculation-settings>'
    )
    after = (
        '<table:named-expressions><table:named-range table:name="K" table:cell-range-address="$Log.$A$1"/>'
        '<table:named-expression table:name="Half" table:expression="of:=0.5"/></table:named-expressions>'
        '<table:database-ranges><table:database-range table:name="d" table:display-filter-buttons="true" '
        'table:target-range-address="Log.A1:Log.B9"/></table:database-ranges>'
    )
    tables = f'{settings}<table:table table:name="Log" table:protected="true">{row(cell("float", "1"))}</table:table>'
    book = read(tmp_path, tables=tables, after=after)
    assert (book.calc.full_precision, book.calc.iterate, book.calc.date1904) == (False, True, True)
    assert book.names == {"K": "Log!$A$1", "Half": "0.5"}
    assert book.autofilters == {"Log": "A1:B9"}
    assert book.protected == {"Log"}


def test_cells_of_other_files_and_of_the_past_are_no_cells(tmp_path: Path) -> None:
    foreign = f"<table:table table:name=\"'file:///x/other.ods'#Config\">{row(cell('float', '9'))}</table:table>"
    past = f"<table:tracked-changes><table:deletion>{cell('float', '8')}</table:deletion></table:tracked-changes>"
    drawn = cell(
        "float", "1", "1", inside="<draw:frame><draw:text-box><text:p>box</text:p></draw:text-box></draw:frame>"
    )
    own = f'<table:table table:name="Log">{row(drawn)}</table:table>'
    book = read(tmp_path, tables=past + own + foreign)
    assert book.sheets == {"Log": {(1, 1): Cell(None, 1.0)}}
    assert book.external_links == ["file:///x/other.ods"]


def test_macros_are_told(tmp_path: Path) -> None:
    parts = {
        "mimetype": SHEETS,
        "content.xml": ods_content(f'<table:table table:name="Log">{row(cell("float", "1"))}</table:table>'),
        "Basic/Standard/Module1.xml": "<x/>",
    }
    book = read_any(write_zip(tmp_path / "m.ods", parts))
    assert (book.macros, book.format) == (True, "ods")


def test_a_flat_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "flat.fods"
    content = ods_content(
        f'<table:table table:name="Log">{row(cell(more=ONE))}</table:table>', head='<?xml version="1.0"?>'
    )
    content = content.replace("office:document-content", "office:document").replace(
        "<office:document ", f'<office:document office:mimetype="{SHEETS}" '
    )
    path.write_text(content)
    book = read_any(path)
    assert (book.format, book.sheets) == ("fods", {"Log": {(1, 1): Cell("B1", 1.0)}})


def test_damaged_xml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="XML is damaged"):
        read(tmp_path, "<table:table-row>")


def test_an_engine_computes_what_was_read(tmp_path: Path) -> None:
    typed = [cell("float", str(value), str(value)) for value in (1500, 1400)]
    formula = cell(more=' table:formula="of:=1/(1+10^(([.B1]-[.A1])/400))" office:value-type="float" office:value="9"')
    newer = cell(
        more=' table:formula="of:=COM.MICROSOFT.IFS([.A1]&gt;[.B1];1)" office:value-type="float" office:value="9"'
    )
    values = recalculate.recalculate(read(tmp_path, row(*typed, formula, newer))).values["Log"]
    assert values == {(1, 3): pytest.approx(0.6400649998028851, abs=1e-12), (1, 4): 1.0}


# --- twins --------------------------------------------------------------------------------------------------

TWIN = [
    "A1*$A$2", "'My sheet''s'!A1", "SUM('My sheet''s'!$A$1:$B$2)", "SUM(A1:A5,B1:B2)", 'IF(A1>0,"a;b|c","x""y")',
    "1/(1+10^((A2-A1)/400))", "IFERROR(VLOOKUP(A3,A1:B9,2,FALSE),0)", "SUM(A:A)", "SUM(Other!2:3)", "K_FACTOR*2",
    "NA()", "1/0", "SUMPRODUCT((A1:A5=A1)*(B1:B5))", "_xlfn.STDEV.S(A1:A2)", "NORMSDIST(1)", "_xlfn.IFNA(A1,0)",
    'COUNTIF(A1:A9,">"&A1)', "-A1^2", "50%", 'A1&"x"', "IF(A1=1,,2)", "INDEX(A1:B9,MATCH(A1,A1:A9,0),1)",
    "SUM({1,2;3,4})", "LOG10(100)", "ROUND(A1,2)", "TODAY()", "ERROR.TYPE(A1)", "$A1+A$2", "EXP(LN(10)*A1)",
    "POWER(10,2)", "_xlfn.CONCAT(A1:A2)", "NETWORKDAYS(A1,A2)", "_xlfn.NORM.S.DIST(1,TRUE)", "A1>=B1", "A1<>B1",
    "EDATE(A1,1)", "_xlfn.IFS(A1>0,1)", "FLOOR(A1,2)", "CEILING(A1,5)", 'TEXT(A1,"0.0")', "Hidden!A1", "OFFSET(A1,1,0)",
    "_xlfn.DAYS(A1,A2)", "RANK(A1,A1:A2)", 'LOOKUP(2,1/((A$1:A3=A4)*(B$1:B3<>"")),B$1:B3)', "MAX(-400,MIN(400,A1-B1))",
    'SUMIFS(A1:A9,B1:B9,">0")', "MOD(A1,2)=0", "AND(A1>0,OR(B1<1,NOT(A2=2)))", "CHOOSE(1,A1,B1)",
    "_xlfn.XLOOKUP(1,A1:A2,B1:B2)", "INDIRECT(\"A1\")", "SUM(A1:A5 A3:B4)", "(A1+B1)*2", "1500+SUM(Log:Other!A1)",
]  # fmt: skip


def make_twin(path: Path) -> None:
    with xlsxwriter.Workbook(path) as book:
        log, other, quoted = (book.add_worksheet(name) for name in ("Log", "Other", "My sheet's"))
        book.add_worksheet("Hidden").hide()
        formats = [None, "yyyy-mm-dd", "0%", "hh:mm:ss", "yyyy-mm-dd hh:mm"]
        for number, (value, shown) in enumerate(zip([1, 45352, 0.25, 0.5, 45352.75], formats, strict=True)):
            log.write_number(number, 0, value, shown and book.add_format({"num_format": shown}))
        log.write_string(5, 0, "two  blanks\nline")
        log.write_string(6, 0, "=A1")
        log.write_boolean(7, 0, True)
        log.write_column(0, 1, [1, 0.5, 0])
        other.write_row(1, 0, [1, 2])
        quoted.write_row(0, 0, [400, 7])
        book.define_name("K_FACTOR", "='My sheet''s'!$A$1")
        book.define_name("Log!Own", "=Log!$A$1:$A$3")
        for number, formula in enumerate(TWIN):
            log.write_formula(number, 3, f"={formula}")
        log.write_array_formula(0, 5, 2, 5, "{=B1:B3*2}")
        log.write_comment(0, 0, "first\nsecond")
        log.set_row(3, None, None, {"hidden": True})
        log.set_column("H:I", None, None, {"hidden": True})
        log.merge_range("J1:K2", "merged")
        log.data_validation("B1:B9", {"validate": "list", "source": ["1", "0.5"]})
        log.data_validation("C1:C4", {"validate": "decimal", "criteria": "between", "minimum": 0, "maximum": 1})
        quoted.protect()
        quoted.autofilter("A1:B2")


def differences(book: Book, twin: Book) -> dict[str, tuple[Cell | None, Cell | None]]:
    """Cells whose formula, array or typed value differ."""

    def meaning(place: Place, cells: dict[Place, Cell]) -> object:
        found = cells.get(place)
        if found is None:
            return None
        computed = found.formula is not None or place in ((2, 6), (3, 6))  # filled by the array
        return found.formula, found.array, None if computed else found.value

    return {
        f"{sheet}!{cell_name(*place)}": (book.sheets[sheet].get(place), twin.sheets[sheet].get(place))
        for sheet in book.sheets
        for place in sorted({*book.sheets[sheet], *twin.sheets[sheet]})
        if meaning(place, book.sheets[sheet]) != meaning(place, twin.sheets[sheet])
    }


@pytest.mark.libreoffice
@pytest.mark.parametrize(("ending", "filter_name"), [("ods", "calc8"), ("fods", "OpenDocument Spreadsheet Flat XML")])
def test_a_book_and_its_twin_are_the_same(
    ending: str, filter_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(_office.FILTERS, ending, f"{ending}:{filter_name}")
    (tmp_path / "in").mkdir()
    source = tmp_path / "in" / "twin.xlsx"
    make_twin(source)
    book, twin = read_any(source), read_any(convert(source, ending, tmp_path))
    found = differences(book, twin)
    assert found == {}
    for name in ("names", "comments", "hidden", "hidden_rows", "hidden_columns", "merges", "protected", "validations"):
        assert getattr(twin, name) == getattr(book, name), name
    assert twin.autofilters == book.autofilters
    assert twin.local_names == {key: text for key, text in book.local_names.items() if not key[1].startswith("_xlnm")}
    values = twin.sheets["Log"]
    assert values[parse_cell_name("D11")].value == CellError("#N/A")
    assert values[parse_cell_name("D12")].value == CellError("#DIV/0!")
    assert values[parse_cell_name("D29")].value == pytest.approx(10.0)
