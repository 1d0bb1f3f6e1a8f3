"""The values that structural formulas give: worked by hand, and beside what the views of whole books say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import elo_sheets
from elo_sheets.errors import FormulaError
from elo_sheets.expr import walk
from elo_sheets.workbook.build import filled_book, plan_book
from elo_sheets.workbook.columns import Tables, in_order, parsed, place_of
from elo_sheets.workbook.complete import complete
from elo_sheets.workbook.plan import PENDING, CellPlan, CellValue, ColumnPlan, Fill, Plan, SheetPlan, TablePlan

SAMPLES = Path(__file__).parent.parent / "samples"
NAMES = ["Ann", "ben", None, "Cy*"]
POINTS = [3.0, 1.0, None, 3.0]
SIDES = ["Home", "Away", "Home", "Away"]


def fill(tables: Tables, table: str, columns: Mapping[str, Any], rows: int, pair: int = 1) -> None:
    """Add a table of so many rows: columns of values as they are, formulas as what they give, in any order."""
    tables[table] = {label: values for label, values in columns.items() if not isinstance(values, str)}
    trees = {label: parsed(text, table) for label, text in columns.items() if isinstance(text, str)}
    read = {label: {place.label for place in map(place_of, walk(tree)) if place} for label, tree in trees.items()}
    for group in in_order({label: labels & trees.keys() for label, labels in read.items()}):
        tables.compute(table, {label: trees[label] for label in group}, rows, pair, 2)


def given(formula: str, cells: dict[str, CellValue] | None = None) -> list[CellValue]:
    """What a formula gives in four rows beside names, points and sides."""
    tables = Tables(cells)
    fill(tables, "T", {"Name": NAMES, "Points": POINTS, "Side": SIDES, "Made": formula}, 4)
    return list(tables["T"]["Made"])


@pytest.mark.parametrize(
    ("formula", "values"),
    [
        ("[Points]*2+1", [7.0, 3.0, 1.0, 7.0]),
        ("-[Points]^2", [9.0, 1.0, 0.0, 9.0]),
        ("[Points]%", [0.03, 0.01, 0.0, 0.03]),
        ('[Name]&"!"', ["Ann!", "ben!", "!", "Cy*!"]),
        ('[Points]&"/"&1.5', ["3/1.5", "1/1.5", "/1.5", "3/1.5"]),
        ('IF([Name]="BEN","yes","no")', ["no", "yes", "no", "no"]),
        ('IF([Name]="","empty",1)', [1.0, 1.0, "empty", 1.0]),
        ('IF(AND([Points]>0,NOT([Side]="Away")),1,0)', [1.0, 0.0, 0.0, 0.0]),
        ('IF(OR([Points]=0,[Side]="Away"),1,0)', [0.0, 1.0, 1.0, 1.0]),
        ("COUNTIFS(T[Points],[Points])", [2.0, 1.0, 0.0, 2.0]),
        ('COUNTIF(T[Points],">1")', [2.0] * 4),
        ('COUNTIFS(T[Points],">="&N(Least),T[Side],[Side])', [1.0, 2.0, 1.0, 2.0]),
        ('COUNTIFS(T[Points],">="&N([Points]),T[Side],"Away")', [1.0, 2.0, 2.0, 1.0]),
        ('SUMIFS(T[Points],T[Points],">="&N([Points]),T[Side],"<>"&[Side])', [3.0, 3.0, 4.0, 3.0]),
        ("SUMIFS(T[Points],T[Side],[Side])", [3.0, 4.0, 3.0, 4.0]),
        ('SUMIF(T[Points],"<3")', [1.0] * 4),
        ('AVERAGEIFS(T[Points],T[Side],"Away")', [2.0] * 4),
        ('COUNTIF(T[Name],"cy~*")', [1.0] * 4),
        ('COUNTIF(T[Name],"?en")', [1.0] * 4),
        ("SUMPRODUCT((T[Points]>[Points])*1)", [0.0, 2.0, 3.0, 0.0]),
        ("SUMPRODUCT(MAX((T[Side]=[Side])*T[Points]))", [3.0, 3.0, 3.0, 3.0]),
        ('SUMPRODUCT((T[Name]<>"")*1,T[Points])', [7.0] * 4),
        ("INDEX(T[Side],5-ROW()+ROW($A$1))", ["Away", "Home", "Away", "Home"]),
        ("MATCH([Side],T[Side],0)", [1.0, 2.0, 1.0, 2.0]),
        ('IFERROR(MATCH([Points],T[Points],0),"none")', [1.0, 2.0, "none", 1.0]),
        ("RANK([Points],T[Points])", [1.0, 3.0, None, 1.0]),
        ('IF([Points]="","",RANK([Points],T[Points],1))', [2.0, 1.0, "", 2.0]),
        ("LARGE(T[Points],2)-SMALL(T[Points],1)", [2.0] * 4),
        ("COUNT(T[Points])+ROWS(T[Points])", [7.0] * 4),
        ("MAX(T[Points],5)-MIN(2,[Points])", [3.0, 4.0, 5.0, 3.0]),
        ("ROUND([Points]/8,2)", [0.38, 0.13, 0.0, 0.38]),
        ('N(up[Points])&"|"&N(up[Name])', ["0|0", "3|0", "1|0", "0|0"]),
        ('IF(ISNUMBER([Points]),"n","")', ["n", "n", "", "n"]),
        ('IF(ISNUMBER(FIND("n",[Name])),1,0)', [1.0, 1.0, 0.0, 0.0]),
        ("IF(ISERROR(1/[Points]),1,0)", [0.0, 0.0, 1.0, 0.0]),
        ("YEAR(EDATE(45322,1))*100+MONTH(EDATE(45322,1))+DATE(2024,3,1)-EDATE(45322,1)-1", [202402.0] * 4),
        ('TEXT([Points]-2,"+0;-0;0")&TEXT(0.256,"0.0%")', ["+125.6%", "-125.6%", "-225.6%", "+125.6%"]),
        ('CHOOSE([Points]+1,"a","b","c","d")', ["d", "b", "a", "d"]),
        ('IF(ISNA(MATCH([Side]&"x",T[Side],0)),1,0)', [1.0] * 4),
        # three tosses of a coin: none 1/8, one 3/8
        ("BINOMDIST([Points],3,0.5,FALSE)", [1 / 8, 3 / 8, 1 / 8, 1 / 8]),
        ("BINOMDIST([Points],3,0.5,TRUE)", [1.0, 1 / 2, 1 / 8, 1.0]),
    ],
)
def test_a_formula_gives_what_was_worked_by_hand(formula: str, values: list[CellValue]) -> None:
    if None in values:  # RANK of a cell that is empty has no value
        with pytest.raises(FormulaError, match=r"row 3 of T\[Made\] comes to no value"):
            given(formula)
        return
    assert given(formula, {"Least": 1.0}) == pytest.approx(values)


@pytest.mark.parametrize(
    ("formula", "values"),
    [
        ("SUMIFS(X!$B$1:$B$4,X!$A$1:$A$4,[Name])", [5.0, 2.0, 0.0, 0.0]),
        ('SUMIF(X!$A$1:$A$4,"a*",X!$B$1:$B$4)', [5.0] * 4),
        ("COUNTIFS(X!$A$1:$A$4,[Name],X!$B$1:$B$4,[Points])", [0.0, 0.0, 0.0, 0.0]),
        ('COUNTIFS(X!$A$1:$A$4,[Name],X!$B$1:$B$4,"<3")', [1.0, 1.0, 0.0, 0.0]),
        ('COUNTIF(X!$B$1:$B$4,">"&[Points]+0)', [1.0, 2.0, 3.0, 1.0]),
        ("COUNTIF(X!$B$1:$B$4,[Points]+1)", [1.0, 1.0, 1.0, 1.0]),
    ],
)
def test_cells_of_another_sheet_are_counted_and_summed_by_what_each_row_asks(
    formula: str, values: list[CellValue]
) -> None:
    cells: dict[str, Any] = {"X!$A$1:$A$4": ["Ann", "Ben", "ANN", None], "X!$B$1:$B$4": [1.0, 2.0, 4.0, "n"]}
    assert given(formula, cells) == values


def test_running_columns_carry_each_other_from_row_to_row() -> None:
    tables = Tables()
    columns = {
        "Won": [1.0, 1.0, 0.0, 1.0],
        "Streak": 'IF([Won]=1,N(up[Streak])+1,0)',
        "Best": "MAX(N(up[Best]),[Streak])",
        "Sum": "N(up[Other])+[Won]",
        "Other": "2*[Sum]",
    }  # fmt: skip
    fill(tables, "T", columns, 4)
    assert tables["T"]["Streak"] == [1.0, 2.0, 0.0, 1.0]
    assert tables["T"]["Best"] == [1.0, 2.0, 2.0, 2.0]
    assert tables["T"]["Sum"] == [1.0, 3.0, 6.0, 13.0]


def test_rows_above_are_counted_and_one_of_several_columns_is_chosen() -> None:
    tables = Tables()
    tables.labels["T"] = ["A", "B", "Which", "Seen", "Chosen"]
    columns = {
        "A": [1.0, 2.0, 1.0, 1.0],
        "B": [5.0, 6.0, 5.0, 7.0],
        "Which": [0.0, 1.0, 2.0, 1.0],
        "Seen": "COUNTIFS(before100[A],[A],before100[B],[B])",
        "Chosen": "IF([Which]=0,0,INDEX(up[A]:up[B],1,[Which]))",
    }
    fill(tables, "T", columns, 4)
    assert tables["T"]["Seen"] == [0.0, 0.0, 1.0, 0.0]
    assert tables["T"]["Chosen"] == [0.0, 1.0, 6.0, 1.0]


def test_the_rows_of_one_game_see_each_other_and_what_is_above_them() -> None:
    tables = Tables()
    columns = {
        "Points": [1.0, 2.0, 3.0, 4.0],
        "Opponent": "other[Points]",
        "Before": "N(prior[Points])",
        "So far": "SUM(earlier[Points])",
        "Games": "COUNT(first[Points])",
    }
    fill(tables, "T", columns, 4, pair=2)
    assert tables["T"]["Opponent"] == [2.0, 1.0, 4.0, 3.0]
    assert tables["T"]["Before"] == [0.0, 0.0, 2.0, 2.0]
    assert tables["T"]["So far"] == [0.0, 0.0, 3.0, 3.0]
    assert tables["T"]["Games"] == [0.0, 0.0, 2.0, 2.0]


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("[Nothing]", r"expected a column that is computed before, got T\[Nothing\]"),
        ("Nobody+1", "expected a cell that has a value, got Nobody"),
        ("[Name]*1", r"row 1 of T\[Made\] comes to no value: #VALUE!"),
        ("1/N([Name])", r"row 1 of T\[Made\] comes to no value"),
        ("INDEX(T[Name],9)", r"row 1 of T\[Made\] comes to no value: #REF!"),
        ("[Made]+1", r"T\[Made\] reads its own cell"),
        ("INDIRECT([Name])", r"T\[Made\] calls INDIRECT"),
    ],
)
def test_what_has_no_value_is_refused_with_the_column(formula: str, said: str) -> None:
    with pytest.raises(FormulaError, match=said):
        given(formula)


def test_an_order_puts_before_a_key_what_it_reads_and_keeps_circles_together() -> None:
    reads = {"a": {"b"}, "b": {"c", "d"}, "c": {"b"}, "d": set[str]()}
    assert list(in_order(reads)) == [["d"], ["b", "c"], ["a"]]


# --- whole plans ------------------------------------------------------------------------------------------------


def test_columns_and_cells_of_a_plan_are_completed_across_sheets() -> None:
    points = Fill(PENDING, "Win_points*Team[[#This Row],[W]]")
    team = TablePlan("Team", 3, (ColumnPlan("W", Fill([2.0, 1.0])), ColumnPlan("Points", points)), 2)
    sheets = (
        SheetPlan("Table", (CellPlan(1, 1, PENDING, "SUM(Team[Points])+'Set up'!$B$2"),), (team,)),
        SheetPlan("Set up", (CellPlan(1, 2, 3.0), CellPlan(2, 2, PENDING, "MAX(Table!$B$4:$B$5)"))),
    )
    done = complete(Plan("", sheets, {"Win_points": "'Set up'!$B$1"}))
    assert done.sheets[0].tables[0].columns[1].fill.values == [6.0, 3.0]
    assert [done.sheets[0].cells[0].value, done.sheets[1].cells[1].value] == [15.0, 6.0]


def test_the_first_row_has_a_formula_of_its_own_and_a_row_of_cells_is_read() -> None:
    step = Fill(PENDING, "T[[#This Row],[By]]+B{up}", first="Begin")
    table = TablePlan("T", 3, (ColumnPlan("By", Fill([1.0, 2.0, 4.0])), ColumnPlan("Sum", step)), 3)
    cells = (CellPlan(1, 1, 10.0), CellPlan(1, 2, 5.0), CellPlan(1, 3, PENDING, "SUM($A$1:$B$1)"))
    done = complete(Plan("", (SheetPlan("S", cells, (table,)),), {"Begin": "S!$A$1"}))
    assert done.sheets[0].tables[0].columns[1].fill.values == [10.0, 12.0, 16.0]
    assert done.sheets[0].cells[2].value == 15.0


def test_cells_that_read_each_other_are_named() -> None:
    sheet = SheetPlan("Table", (CellPlan(1, 1, PENDING, "$B$1"), CellPlan(1, 2, PENDING, "$A$1")))
    with pytest.raises(FormulaError, match="these read each other: !Table!A1, !Table!B1"):
        complete(Plan("", (sheet,), {}))


def emptied(plan: Plan) -> Plan:
    """A plan without the values of its formulas, but for those that carry blocks of rows or read through windows."""

    def column(one: ColumnPlan) -> ColumnPlan:
        fill = one.fill
        plain = fill.formula is not None and fill.opening is None and fill.first is None and not fill.windows
        return replace(one, fill=replace(fill, values=PENDING)) if plain else one

    def table(one: TablePlan) -> TablePlan:
        return one if one.name.startswith("Carry") else replace(one, columns=tuple(map(column, one.columns)))

    def cell(one: CellPlan) -> CellPlan:
        return replace(one, value=PENDING) if one.formula and "HYPERLINK" not in one.formula else one

    def sheet(one: SheetPlan) -> SheetPlan:
        return replace(one, cells=tuple(map(cell, one.cells)), tables=tuple(map(table, one.tables)))

    return replace(plan, sheets=tuple(map(sheet, plan.sheets)))


def values_of(plan: Plan) -> dict[str, CellValue]:
    """Every value by where it stands."""
    found = {f"{s.name}!{c.row}:{c.column}": c.value for s in plan.sheets for c in s.cells}
    for sheet in plan.sheets:
        for table in sheet.tables:
            for column in table.columns:
                found |= {f"{table.name}[{column.label}]{at}": v for at, v in enumerate(column.fill.values)}
    return {where: "" if value is None else value for where, value in found.items()}


@pytest.mark.parametrize(
    ("template", "system", "log"),
    [
        ("league", "glicko", "internationals_1900s.csv"),
        ("season", "elo", "internationals_1900s.csv"),
        ("ratings-list", "fide", "internationals_1900s.csv"),
        ("compare", "elo", "internationals_1900s.csv"),
        ("journal", "elo", "uzchesscup.pgn"),
        ("event", "fide", "uzchesscup.pgn"),
        ("event", "dwz", "uzchesscup.pgn"),
    ],
)
def test_a_whole_book_comes_out_of_what_is_typed(template: str, system: str, log: str) -> None:
    # the values that a view gives come from the replay, or from Python of its own
    games = elo_sheets.read([SAMPLES / log]).games
    games = games.assign(to_play=False) if template == "season" else games
    player = games["white"].iloc[0] if template == "journal" else None
    book = filled_book(template, elo_sheets.system(system), {}, games, player, title="", options={})
    plan = plan_book(book)
    found, wanted = values_of(complete(emptied(plan))), values_of(plan)
    numbers = {where: value for where, value in wanted.items() if not isinstance(value, str)}
    assert {where: found[where] for where in numbers} == pytest.approx(numbers, rel=1e-9, abs=1e-9)
    assert {where: found[where] for where in wanted.keys() - numbers} == {
        where: wanted[where] for where in wanted.keys() - numbers
    }


def test_a_row_of_a_game_reads_the_cells_of_both_its_sides() -> None:
    sides = TablePlan("Ledger", 3, (ColumnPlan("Points", Fill([1.0, 0.0, 3.0, 2.0])),), 4)
    gap = ColumnPlan("Gap", Fill(PENDING, "Ledger!$A{white}-Ledger!$A{black}"))
    games = TablePlan("Games", 3, (ColumnPlan("No.", Fill([1.0, 2.0])), gap), 2)
    done = complete(Plan("", (SheetPlan("Ledger", (), (sides,)), SheetPlan("Games", (), (games,))), {}))
    filled = done.sheets[1].tables[0].columns[1].fill
    assert filled.values == [1.0, 1.0]
    assert [*filled.formulas(4)] == ["Ledger!$A4-Ledger!$A5", "Ledger!$A6-Ledger!$A7"]
