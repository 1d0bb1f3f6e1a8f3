"""Books as strangers make them: right ones agree in silence, a planted fault is named at its cell with its points."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable

import pytest
from books import Sheets, as_book, changed

from elo_sheets.engines.spelling import ForIroncalc, closed
from elo_sheets.files.package import Book, Cell, Value
from elo_sheets.recognise import recognise_book
from elo_sheets.recognise.arrays import expanded
from elo_sheets.recognise.evaluate import Evaluator
from elo_sheets.recognise.model import Model
from elo_sheets.recognise.repair import compute
from elo_sheets.verdict.findings import NOTE, Finding

Make = Callable[[], Sheets]


def share(own: float, other: float, scale: float = 400.0) -> float:
    return 1 / (1 + 10 ** ((other - own) / scale))


def loud(sheets: Sheets) -> list[Finding]:
    return [f for f in recognise_book(as_book(sheets)).findings if f.severity != NOTE]


# --- calculators --------------------------------------------------------------------------------------------


def doubles() -> Sheets:
    """Partners whose average the expectation compares; each takes the change of his team."""
    return {"Doubles": {
        "C3": "Team A", "D3": "Team B", "A4": "Partner 1", "C4": 1480, "D4": 1620, "A5": "Partner 2", "C5": 1710,
        "D5": 1355, "A8": "Average", "C8": "=AVERAGE(C4:C5)", "D8": "=AVERAGE(D4:D5)",
        "A9": "Expected", "C9": "=1/(1+10^((D8-C8)/400))", "D9": "=1/(1+10^((C8-D8)/400))",
        "A10": "Result", "C10": 1, "D10": "=1-C10", "A11": "K", "C11": 32, "D11": "=C11",
        "A12": "Change", "C12": "=C11*(C10-C9)", "D12": "=D11*(D10-D9)",
        "A14": "New 1", "C14": "=C4+C12", "D14": "=D4+D12", "A15": "New 2", "C15": "=C5+C12", "D15": "=D5+D12",
    }}  # fmt: skip


def goals() -> Sheets:
    """The score follows from the goals; the home side has an advantage that levels the round gap."""
    return {"Match": {
        "B3": "Home", "C3": "Away", "A4": "Rating", "B4": 1822, "C4": 1765, "A5": "Goals", "B5": 2, "C5": 2,
        "A6": "K", "B6": 20, "A7": "Home bonus", "B7": 100,
        "A9": "Expected", "B9": "=1/(1+10^((C4-B4-B7)/400))", "C9": "=1-B9",
        "A10": "Score", "B10": "=IF(B5>C5,1,IF(B5=C5,0.5,0))", "C10": "=1-B10",
        "A11": "Change", "B11": "=B6*(B10-B9)", "C11": "=B6*(C10-C9)", "A12": "New", "B12": "=B4+B11", "C12": "=C4+C11",
    }}  # fmt: skip


def two_sheets() -> Sheets:
    """Inputs on one sheet, the working on another."""
    both = "10^(Input!B2/400)+10^(Input!B3/400)"
    return {
        "Calc": {
            "A2": "Home expects", "B2": f"=10^(Input!B2/400)/({both})",
            "A3": "Away expects", "B3": f"=10^(Input!B3/400)/({both})",
            "A4": "Home new", "B4": "=Input!B2+Input!B5*(Input!B4-B2)",
            "A5": "Away new", "B5": "=Input!B3+Input!B5*(1-Input!B4-B3)",
        },
        "Input": {"A2": "Home rating", "B2": 1455, "A3": "Away rating", "B3": 1512, "A4": "Score", "B4": 1, "B5": 40},
    }  # fmt: skip


def power_in_a_cell() -> Sheets:
    """Ten to the difference in a cell of its own, which both expectations read."""
    return {"Rechner": {
        "A2": "Ra", "B2": 1210, "A3": "Rb", "B3": 1075, "A5": "10^(D/400)", "B5": "=10^((B3-B2)/400)",
        "A6": "Ea", "B6": "=1/(1+B5)", "A7": "Eb", "B7": "=1/(1+1/B5)", "A8": "Sa", "B8": 0.5, "A9": "Sb", "B9": 0.5,
        "A10": "K", "B10": 30, "A11": "Ra neu", "B11": "=B2+B10*(B8-B6)", "A12": "Rb neu", "B12": "=B3+B10*(B9-B7)",
    }}  # fmt: skip


def named_steps() -> Sheets:
    """LET as a file stores it, and a K so small that the other player's rating looks like a slow curve."""
    new = "=_xlfn.LET(_xlpm.d,{0},_xlpm.e,1/(1+10^(_xlpm.d/B5)),{1}+B4*({2}-_xlpm.e))"
    return {"LET": {
        "A2": "White", "B2": 2012, "A3": "Black", "B3": 2101, "A4": "K", "B4": 10, "A5": "Scale", "B5": 400,
        "A6": "Result", "B6": 1, "A8": "White", "B8": new.format("B3-B2", "B2", "B6"),
        "A9": "Black", "B9": new.format("B2-B3", "B3", "1-B6"),
    }}  # fmt: skip


FAULTS: list[tuple[Make, dict[str, Value], str, str, float]] = [
    (doubles, {"C9": "=1/(1+10^((C8-D8)/400))"}, "ES101", "C9", 32 * (1 - 2 * share(1487.5, 1595))),
    (doubles, {"D14": "=D4-D12"}, "ES115", "D14", 2 * 32 * share(1487.5, 1595)),
    (goals, {"B10": "=IF(B5>C5,1,IF(B5=C5,0,0))"}, "ES104", "B10", 20 * 0.5),
    (two_sheets, {"B3": two_sheets()["Calc"]["B2"]}, "ES113", "B3", 40 * (1 - 2 * share(1512, 1455))),
    (power_in_a_cell, {"B7": "=1/(1+B5)"}, "ES113", "B7", 30 * (2 * share(1210, 1075) - 1)),
    (named_steps, {"B9": str(named_steps()["LET"]["B9"]).replace("1-B6", "B6")}, "ES115", "B9", 10.0),
]


@pytest.mark.parametrize("make", [doubles, goals, two_sheets, power_in_a_cell, named_steps])
def test_a_right_calculator_agrees_in_silence(make: Make) -> None:
    found = recognise_book(as_book(make()))
    assert (found.layout, found.findings, found.reason) == ("calculator", (), None)


@pytest.mark.parametrize(("make", "cells", "code", "cell", "points"), FAULTS)
def test_a_fault_of_a_calculator_is_told_in_points(
    make: Make, cells: dict[str, Value], code: str, cell: str, points: float
) -> None:
    (finding,) = loud(changed(make(), **cells))
    assert (finding.code, finding.range.rpartition("!")[2]) == (code, cell)
    assert abs(finding.effect) == pytest.approx(abs(points), abs=0.01)


# --- logs ---------------------------------------------------------------------------------------------------

RESULTS = [1, 0, 0.5, 1, 1, 0, 1, 0.5, 0, 1, 0, 0, 1, 0.5, 1, 1, 0, 1, 0, 0.5]
OPPONENTS = [1510 + (7 * i * i + 31 * i) % 190 for i in range(len(RESULTS))]


def coded_log() -> Sheets:
    """1 is a win, 2 a draw, 3 a loss; K by the number of the game, and the first game starts from a cell."""
    cells: dict[str, Value] = {"A1": "Start", "B1": 1500} | dict(
        zip(("A2", "B2", "C2", "D2", "E2", "F2", "G2"), ("Nr", "Elo", "Code", "S", "K", "E", "New"), strict=True)
    )
    for row, (rating, score) in enumerate(zip(OPPONENTS, RESULTS, strict=True), 3):
        before = "$B$1" if row == 3 else f"G{row - 1}"
        cells |= {
            f"A{row}": row - 2, f"B{row}": rating, f"C{row}": {1: 1, 0.5: 2, 0: 3}[score],
            f"D{row}": f"=CHOOSE(C{row},1,0.5,0)", f"E{row}": f"=IF(A{row}<=8,40,20)",
            f"F{row}": f"=1/(1+10^((B{row}-{before})/400))", f"G{row}": f"={before}+E{row}*(D{row}-F{row})",
        }  # fmt: skip
    return {"Log": cells}


def replayed(k_of: Callable[[int], float], base: Callable[[float, float], float] = lambda own, _: own) -> list[float]:
    """The ratings after each game, worked out here."""
    rating, found = 1500.0, []
    for i, (other, score) in enumerate(zip(OPPONENTS, RESULTS, strict=True), 1):
        rating = base(rating, other) + k_of(i) * (score - share(rating, other))
        found.append(rating)
    return found


def k_by_game(game: int) -> float:
    return 40 if game <= 8 else 20


def largest(one: list[float], other: list[float]) -> float:
    return max((a - b for a, b in zip(one, other, strict=True)), key=abs)


def test_a_log_of_codes_agrees() -> None:
    found = recognise_book(as_book(coded_log()))
    assert (found.findings, found.reason, found.rated) == ((), None, len(RESULTS))


def test_a_code_that_the_row_does_not_show_today_is_a_warning() -> None:
    cells = {"D3": "=CHOOSE(C3,1,0.5,1)"}  # the first game is won: nobody asks for the third number
    (finding,) = loud(changed(coded_log(), **cells))
    assert (finding.code, finding.severity, finding.range, finding.effect) == ("ES108", "warning", "Log!D3", 0.0)
    assert finding.fix == "=CHOOSE(C3,1,0.5,0)"


def test_another_number_in_a_rule_of_k_is_another_k() -> None:
    (finding,) = loud(changed(coded_log(), E15="=IF(A15<=8,40,40)"))
    wrong = replayed(lambda game: 40 if game == 13 else k_by_game(game))
    assert (finding.code, finding.range) == ("ES120", "Log!E15")
    assert finding.effect == pytest.approx(largest(wrong, replayed(k_by_game)), abs=0.01)


def test_a_column_that_starts_from_the_opponent_is_put_right_from_its_first_row() -> None:
    cells = {f"G{row}": f"=B{row}+E{row}*(D{row}-F{row})" for row in range(3, 23)}
    (finding,) = loud(changed(coded_log(), **cells))
    wrong = replayed(k_by_game, lambda _own, other: other)
    assert (finding.code, finding.range, finding.fix) == ("ES114", "Log!G3:G22", "=B1+E3*(D3-F3)")
    assert finding.effect == pytest.approx(largest(wrong, replayed(k_by_game)), abs=0.01)


def test_a_rating_that_no_result_moves_is_told_in_points() -> None:
    cells = {f"G{row}": "=$B$1" if row == 3 else f"=G{row - 1}" for row in range(3, 23)}
    (finding,) = loud(changed(coded_log(), **cells))
    assert (finding.code, finding.range) == ("ES126", "Log!G3:G22")
    assert finding.effect == pytest.approx(largest([1500.0] * 20, replayed(k_by_game)), abs=0.01)


@pytest.mark.parametrize("row", range(4, 23))
def test_a_rating_typed_as_text_is_found_in_every_row(row: int) -> None:
    cells = coded_log()
    found = loud(changed(cells, **{f"B{row}": str(cells["Log"][f"B{row}"])}))
    assert [(f.code, f.range) for f in found] == [("ES410", f"Log!B{row}")]


def prefilled() -> Sheets:
    """Formulas far below the last game, which show nothing until a result is typed."""
    cells: dict[str, Value] = {"K1": 24, "L1": 1200}
    cells |= dict(zip(("B1", "C1", "D1", "E1", "F1", "G1"), ("Opp", "S", "Old", "E", "Change", "New"), strict=True))
    for row in range(2, 102):
        if row - 2 < len(RESULTS):
            cells |= {f"B{row}": OPPONENTS[row - 2], f"C{row}": RESULTS[row - 2]}
        before = "$L$1" if row == 2 else f"G{row - 1}"
        texts = {
            "D": before,
            "E": f"1/(1+10^((B{row}-D{row})/400))",
            "F": f"$K$1*(C{row}-E{row})",
            "G": f"D{row}+F{row}",
        }
        cells |= {f"{column}{row}": f'=IF(C{row}="","",{text})' for column, text in texts.items()}
    return {"Log": cells}


def error_tail() -> Sheets:
    """A result that is looked up: the rows that wait for games show errors."""
    cells: dict[str, Value] = {"K1": "W", "L1": 1, "K2": "D", "L2": 0.5, "K3": "L", "L3": 0, "K5": 30}
    cells |= dict(zip(("B1", "C1", "D1", "E1", "F1", "G1"), ("Opp", "Res", "Old", "E", "S", "New"), strict=True))
    for row in range(2, 62):
        if row - 2 < len(RESULTS):
            cells |= {f"B{row}": OPPONENTS[row - 2], f"C{row}": {1: "W", 0.5: "D", 0: "L"}[RESULTS[row - 2]]}
        cells |= {
            f"D{row}": 1520 if row == 2 else f"=G{row - 1}", f"E{row}": f"=1/(1+10^((B{row}-D{row})/400))",
            f"F{row}": f"=VLOOKUP(C{row},$K$1:$L$3,2,FALSE)", f"G{row}": f"=D{row}+$K$5*(F{row}-E{row})",
        }  # fmt: skip
    return {"Log": cells}


@pytest.mark.parametrize("make", [prefilled, error_tail])
def test_rows_that_wait_for_games_end_the_replay(make: Make) -> None:
    found = recognise_book(as_book(make()))
    assert (found.reason, found.listed, found.rated) == (None, len(RESULTS), len(RESULTS))
    assert all(f.severity == NOTE for f in found.findings)


# --- arrays and whole columns -------------------------------------------------------------------------------


def block(expectation: str) -> Book:
    """Games of which each column is one array formula."""
    cells: dict[str, Value] = {"A1": "Me", "B1": "You", "C1": "S", "D1": "E", "E1": "New", "H1": "K", "I1": 32}
    for row in range(2, 10):
        cells |= {f"A{row}": 1400 + 31 * row, f"B{row}": 1610 - 17 * row, f"C{row}": (0.5, 1, 0)[row % 3]}
    book = as_book({"Block": cells})
    book.sheets["Block"][2, 4] = Cell(expectation, None, "D2:D9")
    book.sheets["Block"][2, 5] = Cell("A2:A9+$I$1*(C2:C9-D2:D9)", None, "E2:E9")
    return book


def test_an_array_is_a_formula_in_every_cell() -> None:
    cells = expanded(block("1/(1+10^((B2:B9-A2:A9)/400))")).sheets["Block"]
    assert cells[5, 4].formula == "1/(1+10^((B5-A5)/400))"
    assert cells[9, 5].formula == "A9+$I$1*(C9-D9)"
    assert all(cell.array is None for cell in cells.values())


@pytest.mark.parametrize("formula", ["SUM(A2:A9)-B2:B9", "MMULT(A2:B9,A2:B3)", "A2:A8+B2:B8", "rates+A2:A9"])
def test_an_array_that_is_more_than_its_items_is_left_alone(formula: str) -> None:
    book = block(formula)
    assert expanded(book).sheets["Block"][2, 4] == book.sheets["Block"][2, 4]
    assert (3, 4) not in expanded(book).sheets["Block"]


def test_games_in_arrays_are_judged() -> None:
    sound = recognise_book(block("1/(1+10^((B2:B9-A2:A9)/400))"))
    assert (sound.layout, sound.findings, sound.reason) == ("calculator", (), None)
    (finding,) = recognise_book(block("1/(1+10^((A2:A9-B2:B9)/400))")).findings
    assert (finding.code, finding.range) == ("ES101", "Block!D2:D9")
    worst = max(abs(1 - 2 * share(1400 + 31 * row, 1610 - 17 * row)) for row in range(2, 10))
    assert abs(finding.effect) == pytest.approx(32 * worst, abs=0.01)


def test_whole_columns_are_computed_rightly_and_in_time() -> None:
    cells: dict[str, Value] = {f"A{row}": f"p{row // 2}" for row in range(1, 41)}
    cells |= {f"B{row}": 10.0 * row for row in range(1, 41)}
    cells |= {"D1": "=LOOKUP(2,1/(A:A=A6),B:B)", "D2": "=SUMIF($A:$A,A6,$B:$B)", "D3": "=SUMPRODUCT((A:A=A6)*B:B)"}
    cells |= {"D4": "=INDEX(B:B,MATCH(A6,A:A,0))", "D5": "=SUM($B$3:$B$1048576)", "D6": "=COUNTA(everybody)"}
    book = dataclasses.replace(as_book({"S": cells}), names={"everybody": "S!$A:$A"})
    _, (values,) = compute([book], "ironcalc", 20)
    assert [values["S"][row, 4] for row in range(1, 7)] == [70, 130, 130, 60, 10 * sum(range(3, 41)), 40]


def test_only_open_ended_areas_are_closed() -> None:
    for text in ("SUM(1:1)", 'IF("A:A"=B1,1,2)', "T[A:B]", "A1:B3", "SUM(B2:INDEX(C1:C9,3))"):
        assert closed(text, 30) == text
    assert closed("'A:A'!$B:$C", 30) == "'A:A'!$B1:$C30"


def test_a_count_of_the_blanks_of_a_whole_column_keeps_its_area() -> None:
    book = as_book({"S": {"A1": 1}})
    book.sheets["S"][1, 2] = Cell('COUNTIF(A:A,"")', 1048575.0)
    cell = book.sheets["S"][1, 2]
    spelling = ForIroncalc(book)
    assert spelling.is_alone(cell)
    assert spelling.text(cell) == 'COUNTIF(A:A,"")'


def test_what_a_call_gave_is_asked_again_when_its_cells_change() -> None:
    model = Model(as_book({"S": {"A1": 1, "A2": 2, "A3": "=A1+1", "B1": "=SUM(A1:A3)*C1", "C1": 10}}))
    computed = {"S": {(3, 1): 2.0, (1, 2): 50.0}}
    evaluator = Evaluator(Model(model.book, computed))
    target = ("S", 1, 2)
    asked = ({("S", 1, 3): 3.0}, {("S", 2, 1): 5.0}, {("S", 1, 1): 4.0}, {("S", 1, 3): 2.0})
    for overrides, right in itertools.islice(itertools.cycle(zip(asked, (15, 80, 110, 10), strict=True)), 8):
        assert evaluator.number(target, overrides) == right


# --- what is said of a book that is not checked -------------------------------------------------------------


@pytest.mark.parametrize(
    "cells",
    [{"A1": "Rent", "B1": 900, "B2": "=12*B1"}, {"A1": "Name", "B1": "Elo", "A2": "Anna", "B2": 1500}],
)
def test_the_reason_names_the_cells_looked_at(cells: dict[str, Value]) -> None:
    found = recognise_book(as_book({"Sheet": cells}))
    assert found.findings == ()
    assert found.reason is not None
    assert found.reason.endswith(f"looked at Sheet ({len(cells)} cells)")


def test_the_number_of_a_game_is_no_k() -> None:
    """K is nowhere in the book then: the rating that never moves is told, its points are not known."""
    cells = {f"G{row}": "=$B$1" if row == 3 else f"=G{row - 1}" for row in range(3, 23)}
    cells |= {f"E{row}": None for row in range(2, 23)}
    (finding,) = loud(changed(coded_log(), **cells))
    assert (finding.code, finding.effect, finding.fix) == ("ES126", 0.0, None)
