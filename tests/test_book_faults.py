"""Findings about the workbook as such, and the search for circles behind one of them."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elo_sheets.files.cells import Book, Calc, Cell, CellError, Validation, Value
from elo_sheets.files.references import Place, Table, cell_name, parse_cell_name
from elo_sheets.verdict.book_faults import book_faults
from elo_sheets.verdict.circles import (
    BRANCH,
    REFERENCE,
    VALUE,
    Area,
    Graph,
    Node,
    Reads,
    find_circles,
    one_way_round,
    read_all,
)
from elo_sheets.verdict.findings import ERROR, NOTE, WARNING, Finding


def make_book(**cells: Value) -> Book:
    """A book with the sheet Log (`A1`) and others (`Other_A1`); texts with '=' are formulas."""
    sheets: dict[str, dict[Place, Cell]] = {"Log": {}}
    for key, value in cells.items():
        sheet, _, name = key.rpartition("_")
        formula = isinstance(value, str) and value.startswith("=")
        cell = Cell(str(value)[1:], 1.0) if formula else Cell(None, value)
        sheets.setdefault(sheet or "Log", {})[parse_cell_name(name)] = cell
    return Book(Path("x.xlsx"), sheets)


def told(book: Book, *, watched: list[tuple[str, Place]] | None = None) -> list[tuple[str, str, str]]:
    return [(f.code, f.severity, f.range) for f in book_faults(book, watched=watched)]


def only(book: Book) -> Finding:
    (finding,) = book_faults(book)
    return finding


# --- what is read -------------------------------------------------------------------------------------------


def areas(formula: str, book: Book | None = None) -> list[tuple[str, int]]:
    found = Reads(book or make_book(Other_A1=1.0)).areas(formula, "Log", 5, 5)
    return [
        (f"{'' if a.sheet == 'Log' else a.sheet + '!'}{cell_name(a.top, a.left)}:{cell_name(a.bottom, a.right)}", a.way)
        for a in found
    ]


@pytest.mark.parametrize(
    ("formula", "found"),
    [
        ("A1+$B$2", [("A1:A1", VALUE), ("B2:B2", VALUE)]),
        ("SUM(B9:A1)", [("A1:B9", VALUE)]),
        ("SUM(A:B)+SUM(2:3)", [("A1:B1048576", VALUE), ("A2:XFD3", VALUE)]),
        ("Other!A1+'other'!B2", [("Other!A1:A1", VALUE), ("Other!B2:B2", VALUE)]),
        ('"A1"&LOG10(7)&A2', [("A2:A2", VALUE)]),
        ("[1]Other!A1+'[a.xlsx]Log'!B2+C3", [("C3:C3", VALUE)]),
        ("INDEX(A1:A9,MATCH(B1,C1:C9,0))", [("A1:A9", REFERENCE), ("B1:B1", VALUE), ("C1:C9", VALUE)]),
        ("IF(A1>0,B1,SUM(C1:C9))", [("A1:A1", VALUE), ("B1:B1", BRANCH), ("C1:C9", BRANCH)]),
        ("IF(A1,1,2)+B1", [("A1:A1", VALUE), ("B1:B1", VALUE)]),
        ("ROW(A1)+ROWS(A1:A9)+B1", [("B1:B1", VALUE)]),
        ("XLOOKUP(A1,B1:B9,C1:C9)", [("A1:A1", VALUE), ("B1:B9", VALUE), ("C1:C9", REFERENCE)]),
        ("INDEX((A1:A9=B1)*1,1)", [("A1:A9", VALUE), ("B1:B1", VALUE)]),
        ("Missing!A1", []),
        ("ZZZ1+XFD1", [("XFD1:XFD1", VALUE)]),
    ],
)
def test_a_formula_reads_these_cells(formula: str, found: list[tuple[str, int]]) -> None:
    assert areas(formula) == found
    assert areas(formula.replace("9", "8")) == [(a.replace("9", "8"), way) for a, way in found]


def test_names_and_tables_are_followed() -> None:
    book = make_book(A1=1.0)
    book.names = {"Start": "Log!$B$1", "Twice": "Start*2"}
    book.all_tables = [Table("Games", "Log", 1, 1, 9, 2, ["P", "K"])]
    assert areas("Twice+start", book) == [("B1:B1", VALUE), ("B1:B1", VALUE)]
    assert areas("SUM(Games[K])+Games[[#This Row],[P]]", book) == [("B2:B9", VALUE), ("A5:A5", VALUE)]


# --- circles ------------------------------------------------------------------------------------------------


def by_hand(reads: dict[Node, list[Area]], level: int) -> list[set[Node]]:
    """Circles by spelling every range out."""
    edges = {a: {b for b in reads for area in reads[a] if area.way <= level and area.holds(b)} for a in reads}
    reach = {a: set(targets) for a, targets in edges.items()}
    for middle in reads:
        for a in reads:
            if middle in reach[a]:
                reach[a] |= reach[middle]
    found: list[set[Node]] = []
    for a in reads:
        if a in reach[a] and not any(a in group for group in found):
            found.append({b for b in reads if b in reach[a] and a in reach[b]})
    return found


corners = st.tuples(st.integers(1, 5), st.integers(1, 3))
rectangles = st.tuples(st.sampled_from(["S", "T"]), corners, corners, st.integers(0, 2)).map(
    lambda x: Area(x[0], *map(min, zip(x[1], x[2], strict=True)), *map(max, zip(x[1], x[2], strict=True)), x[3])
)
nodes = st.tuples(st.sampled_from(["S", "T"]), st.integers(1, 5), st.integers(1, 3))


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(nodes, st.lists(rectangles, max_size=2), max_size=12), st.integers(0, 2))
def test_circles_are_those_that_spelling_out_finds(reads: dict[Node, list[Area]], level: int) -> None:
    expected = sorted(sorted(group) for group in by_hand(reads, level))
    assert sorted(map(sorted, Graph(reads).circles(level))) == expected
    assert sorted(map(sorted, find_circles(reads, level))) == expected
    for group in find_circles(reads, level):
        way = one_way_round(reads, group, level)
        assert way[0] == way[-1]
        for a, b in pairwise(way):
            assert any(area.holds(b) and area.way <= level for area in reads[a])


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(nodes, st.lists(rectangles, max_size=2), min_size=1, max_size=12))
def test_what_a_formula_reaches_is_found(reads: dict[Node, list[Area]]) -> None:
    start = min(reads)
    expected, waiting = {start}, [start]
    for node in waiting:
        fresh = {b for b in reads for area in reads[node] if area.holds(b)} - expected
        expected |= fresh
        waiting += fresh
    assert Graph(reads).reached([start]) == expected


@pytest.mark.parametrize(
    ("cells", "finding"),
    [
        ({"A1": "=B1", "B1": "=A1+1"}, ("ES215", ERROR, "Log!A1")),
        ({"A5": "=SUMPRODUCT((B1:B9=1)*A1:A9)"}, ("ES215", ERROR, "Log!A5")),
        ({"A1": "=SUM(Other!A:A)", "Other_A7": "=Log!A1"}, ("ES215", ERROR, "Log!A1")),
        ({"A1": "=IF(B1>0,A1+1,0)"}, ("ES215", WARNING, "Log!A1")),
        ({"A5": "=INDEX(A:A,4)+1"}, ("ES215", NOTE, "Log!A5")),
        ({f"A{row}": f"=A{row}+1" for row in range(5, 9)}, ("ES215", ERROR, "Log!A5:A8")),
    ],
)
def test_a_circle_is_told(cells: dict[str, Value], finding: tuple[str, str, str]) -> None:
    assert told(make_book(**cells)) == [finding]


@pytest.mark.parametrize(
    "cells",
    [
        {"A1": "=ROW(A1)"},
        {"A1": "=B1", "B1": "=C1", "C1": 1.0},
        {f"A{i}": f"=A{i - 1}+SUM(B$1:B{i - 1})" for i in range(2, 30)} | {f"B{i}": f"=A{i}*2" for i in range(2, 30)},
        {f"A{i}": f"=A{i + 1}+1" for i in range(1, 30)},
        {"A1": '="A1"'},
    ],
)
def test_what_is_no_circle_is_not_told(cells: dict[str, Value]) -> None:
    assert told(make_book(**cells)) == []


def test_the_way_round_is_told() -> None:
    assert "A1 reads B1 reads C1 reads A1" in only(make_book(A1="=B1", B1="=C1", C1="=A1")).message


def test_repeated_circles_are_warnings() -> None:
    book = make_book(A1="=B1", B1="=A1+1")
    book.calc = Calc(iterate=True)
    assert told(book) == [("ES504", WARNING, ""), ("ES215", WARNING, "Log!A1")]
    book = make_book(A1=1.0)
    book.calc = Calc(iterate=True)
    assert told(book) == [("ES504", NOTE, "")]


# --- settings -----------------------------------------------------------------------------------------------


def test_settings_that_change_numbers_are_told() -> None:
    book = make_book(A1=1.0)
    book.calc = Calc(mode="manual", full_precision=False)
    book.macros = True
    assert told(book) == [("ES501", WARNING, ""), ("ES503", ERROR, ""), ("ES508", NOTE, "")]


# --- other files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "target"),
    [
        ("=A2*[1]Config!$B$1", "C:/club/rules.xlsx"),
        ("=A2*'[1]My config'!$B$1", "C:/club/rules.xlsx"),
        ("=[1]!K_FACTOR", "C:/club/rules.xlsx"),
        ("='file:///home/x/[rules.ods]Config'!B1", "file:///home/x/rules.ods"),
        ("='[rules.xlsx]Config'!B1", "rules.xlsx"),
        ("=OUTSIDE*2", "C:/club/rules.xlsx"),
        ('=_xlfn.WEBSERVICE("http://x")', "the function WEBSERVICE"),
        ("=[3]Config!B1", "link 3"),
        ('=IFERROR(__xludf.DUMMYFUNCTION("IMPORTRANGE(""id"",""A1"")"),1)', "the function IMPORTRANGE"),
    ],
)
def test_what_is_read_from_elsewhere_is_told_with_its_cells(formula: str, target: str) -> None:
    book = make_book(A1=formula, A2=formula, C9=formula)
    book.names = {"OUTSIDE": "[1]Config!$B$1"}
    book.external_links = ["C:/club/rules.xlsx"]
    loud = [finding for finding in book_faults(book) if finding.severity == WARNING]
    assert [(f.code, f.range) for f in loud] == [("ES505", "Log!A1:A2")]
    assert repr(target) in loud[0].message
    assert "Log!A1:A2, Log!C9" in loud[0].message


@pytest.mark.parametrize("formula", ['="[1]Config!B1"', "=Games[[#This Row],[P!]]", "=SUM(Games[K])!"])
def test_what_only_looks_like_another_file_is_not_told(formula: str) -> None:
    assert [f for f in told(make_book(A1=formula)) if f[0] == "ES505"] == []


def test_links_that_nothing_reads_are_a_note() -> None:
    book = make_book(A1=1.0)
    book.external_links = ["old.xlsx"]
    assert told(book) == [("ES505", NOTE, "")]


# --- volatile formulas --------------------------------------------------------------------------------------


def test_a_date_in_a_heading_is_a_note() -> None:
    assert told(make_book(A1="=TODAY()", A2=1.0, B2="=A2*2")) == [("ES506", NOTE, "Log!A1")]


@pytest.mark.parametrize("formula", ["=B1+0*TODAY()", "=NOW()", "=RAND()*5"])
def test_a_volatile_formula_that_others_read_is_a_warning(formula: str) -> None:
    assert told(make_book(A1=formula, A2="=A1+1")) == [("ES506", WARNING, "Log!A1")]
    assert told(make_book(A1=formula, A2="=SUM(Log!A1:A1)")) == [("ES506", WARNING, "Log!A1")]


def test_only_what_reaches_a_rating_counts_when_the_ratings_are_known() -> None:
    book = make_book(A1="=TODAY()", B1="=A1-7", C1="=C2+1", C2="=1+1")
    assert told(book) == [("ES506", WARNING, "Log!A1")]
    assert told(book, watched=[("Log", (1, 3))]) == [("ES506", NOTE, "Log!A1")]
    assert told(book, watched=[("Log", (1, 2))]) == [("ES506", WARNING, "Log!A1")]


def test_offset_is_a_note_and_words_in_texts_are_nothing() -> None:
    assert told(make_book(A1="=OFFSET(B1,1,0)", A2="=A1")) == [("ES506", NOTE, "Log!A1")]
    assert told(make_book(A1='="TODAY()"&B1', A2="=A1")) == []


# --- rows, errors, texts ------------------------------------------------------------------------------------


def games(count: int) -> dict[str, Value]:
    return {f"{column}{row}": 1.0 for row in range(1, count + 1) for column in "AB"}


def test_a_hidden_game_between_others_is_a_warning() -> None:
    book = make_book(**games(30))
    book.hidden_rows = {"Log": {12, 13}}
    assert told(book) == [("ES507", WARNING, "Log!12:13")]


@pytest.mark.parametrize("hidden", [set(range(2, 25)), {30}, {1}])
def test_hidden_rows_that_look_meant_are_a_note(hidden: set[int]) -> None:
    book = make_book(**games(30))
    book.hidden_rows = {"Log": hidden}
    assert [severity for _, severity, _ in told(book)] == [NOTE]


def test_hidden_rows_without_entries_are_nothing() -> None:
    book = make_book(**games(30), A40="=A1")
    book.hidden_rows = {"Log": {40, 50}}
    assert told(book) == []
    book.hidden_rows, book.hidden = {"Log": {12}}, {"Log"}
    assert told(book) == []


def test_error_cells_are_one_line_and_those_of_empty_rows_none() -> None:
    book = make_book(**games(3), C1="=1/0", C2="=NA()", C3="=A3", C4="=NA()", C5="=NA()")
    cells = book.sheets["Log"]
    for name, error in (("C1", "#DIV/0!"), ("C2", "#N/A"), ("C4", "#N/A"), ("C5", "#N/A")):
        cells[parse_cell_name(name)] = replace(cells[parse_cell_name(name)], value=CellError(error))
    finding = only(book)
    assert (finding.code, finding.severity, finding.range) == ("ES509", NOTE, "Log!C1:C2")
    assert "2 cells show errors (#DIV/0! 1, #N/A 1)" in finding.message


def test_texts_that_look_like_formulas_are_a_note() -> None:
    book = make_book(A1=1.0)
    book.sheets["Log"][2, 1] = Cell(None, "=A1*2")
    book.sheets["Log"][3, 1] = Cell(None, "==== games ====")
    assert told(book) == [("ES410", NOTE, "Log!A2")]


# --- what guards and shows the data -------------------------------------------------------------------------


@pytest.mark.parametrize(("last", "findings"), [(30, []), (40, []), (25, [("ES510", WARNING, "Log!B26:B30")]), (8, [])])
def test_a_rule_that_ends_before_the_entries_is_told(last: int, findings: list[tuple[str, str, str]]) -> None:
    book = make_book(**games(30))
    book.validations = [Validation("Log", f"B1:B{last}", "list", '"1,0"', "")]
    assert told(book) == findings


def test_rules_that_continue_each_other_are_one() -> None:
    book = make_book(**games(30))
    book.validations = [Validation("Log", text, "list", '"1,0"', "") for text in ("B1:B20", "B21:B30")]
    assert told(book) == []


@pytest.mark.parametrize(("last", "findings"), [(30, []), (25, [("ES512", WARNING, "Log!B26:B30")]), (9, [])])
def test_a_chart_that_leaves_rows_out_is_told_once(last: int, findings: list[tuple[str, str, str]]) -> None:
    book = make_book(**games(30))
    book.charts = {"Log": [f"Log!$B$1:$B${last}", f"'log'!$A$1:$A${last}", "Gone!$A$1:$A$9", "Log!$A$1"]}
    assert told(book) == findings


def test_a_chart_may_reach_into_rows_not_filled_yet() -> None:
    book = make_book(**games(30))
    book.sheets["Log"] |= {(row, 3): Cell(f"B{row}*2", 2.0 if row <= 30 else "") for row in range(1, 50)}
    book.charts = {"Log": ["Log!$C$1:$C$30"]}
    assert told(book) == []


def test_a_chart_may_end_with_the_last_game_where_rows_that_wait_show_its_rating() -> None:
    book = make_book(**games(30))
    book.sheets["Log"] |= {(row, 3): Cell(f"IF(B{row}=0,C{row - 1},B{row})", 1500.0) for row in range(2, 37)}
    book.charts = {"Log": ["Log!$C$2:$C$30"]}
    assert told(book) == []


def test_a_formula_that_is_open_among_locked_ones_is_told() -> None:
    book = make_book(**games(3), **{f"C{row}": f"=A{row}" for row in range(1, 31)})
    book.open_formulas = {"Log": {(12, 3)}}
    assert told(book) == [("ES511", WARNING, "Log!C12")]
    book.open_formulas = {"Log": {(row, 3) for row in range(1, 31)}}
    assert told(book) == []


# --- time ---------------------------------------------------------------------------------------------------


def test_fifty_thousand_formulas_take_little_time() -> None:
    cells = {}
    for row in range(2, 10_002):
        before = f"IFERROR(LOOKUP(2,1/((A$1:A{row - 1}=A{row})),E$1:E{row - 1}),1500)"
        texts = (before, before, f"1/(1+10^((C{row}-B{row})/400))", f"B{row}+32*(1-D{row})", f"C{row}-32*(1-D{row})")
        cells |= {(row, column): Cell(text, 1.0) for column, text in enumerate(texts, 2)}
    book = Book(Path("x"), {"Log": cells})
    started = time.process_time()
    assert book_faults(book) == []
    assert time.process_time() - started < 600  # about 1.5 seconds on a quiet machine


def test_one_circle_through_all_rows_is_found_in_time() -> None:
    cells = {(row, 1): Cell("SUMPRODUCT((B$1:B$20000=B1)*A$1:A$20000)", 0.0) for row in range(1, 20_001)}
    started = time.process_time()
    (finding,) = book_faults(Book(Path("x"), {"Log": cells}))
    assert time.process_time() - started < 60
    assert (finding.code, finding.range) == ("ES215", "Log!A1:A20000")


def test_everything_read_is_read(tmp_path: Path) -> None:
    book = make_book(A1="=B1", B1=1.0)
    assert read_all(book) == {("Log", 1, 1): [Area("Log", 1, 2, 1, 2)]}
