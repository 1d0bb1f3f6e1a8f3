"""What the embedded engine gets otherwise than it stands: the last match and the normal curve, in each spelling."""

from __future__ import annotations

import math

import pytest
from books import as_book

from elo_sheets.engines.spelling import last_match, looked_up, normal_curve
from elo_sheets.files.package import CellError, Value
from elo_sheets.recognise.repair import compute

ROWS, NAMES = 260, 7  # rows in which 1/(1/row), rounded down, is not the row are among them: 93, 99, 105
SPELLINGS = {
    "one condition": "LOOKUP(2,1/(A$1:A{above}=A{row}),B$1:B{above})",
    "in parentheses": "LOOKUP(2,1/((A$1:A{above}=A{row})),B$1:B{above})",
    "the other way round": "LOOKUP(2,1/(A{row}=A$1:A{above}),B$1:B{above})",
    "two conditions": 'LOOKUP(2,1/((A$1:A{above}=A{row})*(B$1:B{above}<>"")),B$1:B{above})',
    "the row": "LOOKUP(2,1/(A$1:A{above}=A{row}),ROW(A$1:A{above}))-1",
    "what is worked out of the row": "LOOKUP(2,1/(A$1:A{above}=A{row}),ROW(A$1:A{above})-1)",
    "what is worked out of columns": "LOOKUP(2,1/((A$1:A{above}=A{row})+0>0),(A$1:A{above}=A{row})*B$1:B{above})",
    "a zero": "LOOKUP(1,0/(A$1:A{above}=A{row}),B$1:B{above})",
    "divided twice": 'LOOKUP(2,1/(A$1:A{above}=A{row})/(B$1:B{above}<>""),B$1:B{above})',
    "the row in a table": "INDEX(B$1:B{above},MATCH(1,0/(A$1:A{above}=A{row})))",
    "XLOOKUP of the row": "INDEX(B:B,_xlfn.XLOOKUP(A{row},A$1:A{above},ROW(A$1:A{above}),NA(),0,-1))",
    "XLOOKUP of two": '_xlfn.XLOOKUP(1,(A$1:A{above}=A{row})*(B$1:B{above}<>""),B$1:B{above},,0,-1)',
    "a match": "INDEX(B$1:B{above},MATCH(2,1/(A$1:A{above}=A{row})))",
}


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=list(SPELLINGS))
def test_the_last_match_is_the_one_nearest_above(spelling: str) -> None:
    cells: dict[str, Value] = {"A1": "Name", "B1": "Game", "C1": "Last game"}
    for game in range(1, ROWS):
        row = game + 1
        cells |= {f"A{row}": f"Player {game % NAMES}", f"B{row}": game}
        cells[f"C{row}"] = "=" + spelling.format(above=row - 1, row=row)
    _, (values,) = compute([as_book({"Log": cells})], "ironcalc", 60)
    for game in range(1, ROWS):
        found = values["Log"][game + 1, 3]
        if game <= NAMES:
            assert isinstance(found, CellError)
        else:
            assert found == game - NAMES


LAST_OF_ALL = {
    "LOOKUP(9.9E+99,A$1:A2)": 1500.0,
    "LOOKUP(9.99E+307, A1:A6)": 1510.5,
    "LOOKUP(1E+99,A1:A6,B1:B6)": 30.0,
    "INDEX(B1:B6,MATCH(999999999,A1:A6))": 30.0,
    "MATCH(9E+99,A1:A6,1)": 3.0,
    'LOOKUP("zzz",A1:A6)': "x",
    'LOOKUP(REPT("z",20),A1:A6,B1:B6)': 50.0,
    "LOOKUP(25,B1:B6)": 20.0,
    "LOOKUP(9.99E+307,INDEX(A1:B6,0,2))": 60.0,
    "LOOKUP(9.99E+307,INDEX($A1:$B1,0,MATCH(10,$A$1:$B$1,0)))": 10.0,
    "LOOKUP(9^9,1/(B1:B6<30)*B1:B6)": 20.0,
    "IFNA(LOOKUP(2,1/((B1:B6=1)+(B1:B6=2)),B1:B6),7)": 7.0,
    "LOOKUP(2,1/((B1:B6=20)+(B1:B6<30)),B1:B6)": 20.0,
}


def test_the_last_number_and_the_last_text_stand_above_cells_that_are_empty() -> None:
    cells: dict[str, Value] = {"A1": 1500.0, "A3": 1510.5, "A5": "x"} | {f"B{row}": row * 10.0 for row in range(1, 7)}
    cells |= {f"D{row}": f"={text}" for row, text in enumerate(LAST_OF_ALL, 1)}
    _, (values,) = compute([as_book({"Log": cells})], "ironcalc", 60)
    assert [values["Log"][row, 4] for row in range(1, len(LAST_OF_ALL) + 1)] == list(LAST_OF_ALL.values())


@pytest.mark.parametrize(
    "formula",
    ["LOOKUP(2,A1:A9,B1:B9)", "VLOOKUP(2,A1:B9,2)", 'MATCH(2,A1:A9,0)&"LOOKUP(2,1/("', "XLOOKUP(2,A1:A9,B1:B9,,-1)"],
)
def test_other_look_ups_stay_as_they_are(formula: str) -> None:
    assert last_match(formula) == looked_up(formula) == formula


NORMAL = {
    "NORMSDIST({x})": lambda x: math.erfc(-x / math.sqrt(2)) / 2,
    "_xlfn.NORM.S.DIST({x},TRUE)": lambda x: math.erfc(-x / math.sqrt(2)) / 2,
    "NORMDIST({x},0.5,2,1)": lambda x: math.erfc(-(x - 0.5) / 2 / math.sqrt(2)) / 2,
    "_xlfn.NORM.DIST({x},0.5,2,TRUE)": lambda x: math.erfc(-(x - 0.5) / 2 / math.sqrt(2)) / 2,
    "ERF({x})": math.erf,
    "ERFC({x})": math.erfc,
    "_xlfn.ERFC.PRECISE({x})": math.erfc,
    "NORMSDIST(NORMSDIST({x})-1)": lambda x: math.erfc((1 - math.erfc(-x / math.sqrt(2)) / 2) / math.sqrt(2)) / 2,
}


@pytest.mark.parametrize("spelling", NORMAL)
def test_the_normal_curve_has_all_its_digits(spelling: str) -> None:
    arguments = [-30.0, -8.0, -3.3, -1.0, -0.001, 0.0, 0.1, 0.939, 1.5, 4.5, 9.0, 30.0]
    cells: dict[str, Value] = {f"A{row}": x for row, x in enumerate(arguments, 1)}
    cells |= {f"B{row}": "=" + spelling.format(x=f"A{row}") for row in range(1, len(arguments) + 1)}
    _, (values,) = compute([as_book({"Log": cells})], "ironcalc", 60)
    found = [values["Log"][row, 2] for row in range(1, len(arguments) + 1)]
    assert found == pytest.approx([NORMAL[spelling](x) for x in arguments], rel=5e-14, abs=1e-15)


def test_what_the_normal_curve_refuses_stays_refused() -> None:
    refused = ["NORMSDIST(A1)", "NORMDIST(1,0,0,TRUE)", "NORMDIST(1,0,-1,TRUE)"]
    cells: dict[str, Value] = {"A1": "ten"} | {f"B{row}": f"={formula}" for row, formula in enumerate(refused, 1)}
    _, (values,) = compute([as_book({"Log": cells})], "ironcalc", 60)
    assert [values["Log"][row, 2] for row in (1, 2, 3)] == [
        CellError("#VALUE!"),
        CellError("#NUM!"),
        CellError("#NUM!"),
    ]


@pytest.mark.parametrize(
    "formula",
    [
        "NORMDIST(A1,0,1,FALSE)",
        "NORM.S.DIST(A1,B1)",
        "ERF(0,A1)",
        'A1&"NORMSDIST(1)"',
        "MYNORMSDIST(A1)",
        "NORMSDIST(A1",
        "NORMSINV(A1)",
    ],
)
def test_densities_areas_and_texts_stay_as_they_are(formula: str) -> None:
    assert normal_curve(formula) == formula


@pytest.mark.parametrize("number", [math.pi, 2000 / 7, 400 / math.log(10), 1 / 3e9, 2.0**53 + 2, 1e15 + 0.25])
def test_the_engine_gets_all_digits_of_a_number(number: float) -> None:
    _, (values,) = compute([as_book({"A": {"A1": f"={number!r}", "A2": f"=-A1*{number!r}"}})], "ironcalc", 60)
    assert (values["A"][1, 1], values["A"][2, 1]) == (number, -number * number)


@pytest.mark.parametrize(
    ("formula", "due"),
    [
        ("SUM(INDEX(A1:C1,0,MATCH(2,A2:C2,0)))", 0.0),  # a text in a single row
        ("SUM(INDEX(A2:C2,0,2))", 2.0),
        ("SUM(INDEX(A2:C2,1,0))", 6.0),  # the whole row
        ("SUM(INDEX(A2:C2,0))", 6.0),
        ("SUM(INDEX(A1:C3,0,2))", 22.0),
        ("SUM(INDEX(A2:C3,2,0))", 60.0),
        ("1*((A2>0)=(B2=2))", 1.0),
        ("1*((A2>1)=(B2=2))", 0.0),
    ],
)
def test_sums_of_what_index_finds_and_compared_comparisons(formula: str, due: float) -> None:
    table: dict[tuple[int, int], object] = {(1, 1): "Player 1", (1, 2): "Player 2", (1, 3): "Player 3"}
    table |= {(row, column): column * (1.0 if row == 2 else 10.0) for row in (2, 3) for column in (1, 2, 3)}
    cells: dict[str, object] = {f"{'ABC'[column - 1]}{row}": value for (row, column), value in table.items()}
    _, (values, *_) = compute([as_book({"S": {**cells, "A5": f"={formula}"}})], "ironcalc", 60.0)
    assert values["S"][5, 1] == due
