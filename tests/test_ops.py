"""The vocabulary: one meaning over floats, columns and traced expressions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elo_sheets import ops
from elo_sheets.errors import FormulaError
from elo_sheets.expr import Call, Expr, Number, Ref
from elo_sheets.formula import to_formula
from elo_sheets.ops import StepTable, round_half_away, table_step, where

relaxed = settings(deadline=None, max_examples=60)
numbers = st.floats(-5000, 5000, allow_nan=False).map(lambda x: x + 0.0)
small = st.floats(-20, 20, allow_nan=False)
positive = st.floats(1e-6, 1e6, allow_nan=False)
conditions = st.booleans()
TABLE = StepTable("T", "From", "Value", (0.0, 4.0, 11.0), (0.5, 0.51, 0.52))

# Each op, what it takes, and how Excel writes it over a, b, c.
OPS: list[tuple[Callable[..., Any], tuple[st.SearchStrategy[Any], ...], str]] = [
    (where, (conditions, numbers, numbers), "IF(a,b,c)"),
    (ops.both, (conditions, conditions), "AND(a,b)"),
    (ops.either, (conditions, conditions), "OR(a,b)"),
    (ops.negation, (conditions,), "NOT(a)"),
    (ops.same, (numbers, numbers), "a=b"),
    (ops.minimum, (numbers, numbers), "MIN(a,b)"),
    (ops.maximum, (numbers, numbers), "MAX(a,b)"),
    (ops.clip, (numbers, numbers, numbers), "MAX(b,MIN(c,a))"),
    (ops.absolute, (numbers,), "ABS(a)"),
    (ops.floor, (numbers,), "INT(a)"),
    (ops.exp, (small,), "EXP(a)"),
    (ops.log, (positive,), "LN(a)"),
    (ops.sqrt, (positive,), "SQRT(a)"),
    (round_half_away, (numbers,), "ROUND(a,0)"),
    (lambda a: round_half_away(a, 2), (numbers,), "ROUND(a,2)"),
    (lambda a: table_step(TABLE, a), (numbers,), "INDEX(T[Value],SUMPRODUCT(1*(T[From]<=a)))"),
]
every_op = pytest.mark.parametrize(("op", "takes", "text"), OPS, ids=[text for _, _, text in OPS])


@every_op
def test_an_op_gives_a_column_what_it_gives_each_float(
    op: Callable[..., Any], takes: tuple[st.SearchStrategy[Any], ...], text: str
) -> None:
    @relaxed
    @given(st.lists(st.tuples(*takes), min_size=1, max_size=8))
    def agrees(rows: list[tuple[Any, ...]]) -> None:
        columns = [numpy.array(column) for column in zip(*rows, strict=True)]
        # The exponential and the logarithm of two libraries may differ in the last bit.
        assert op(*columns).tolist() == pytest.approx([op(*row) for row in rows], rel=1e-15, abs=0)

    agrees()


@every_op
def test_an_op_prints_its_formula(op: Callable[..., Any], takes: tuple[Any, ...], text: str) -> None:
    assert to_formula(op(*(Ref(name) for name in "abc"[: len(takes)]))) == text


@every_op
def test_one_traced_argument_makes_an_expression(op: Callable[..., Any], takes: tuple[Any, ...], text: str) -> None:
    assert isinstance(op(*(2.0 for _ in takes[1:]), Ref("x")), Expr)


@pytest.mark.parametrize(
    ("op", "a", "b"),
    [(ops.minimum, 3, [1.0, 5.0]), (ops.maximum, 3, [1.0, 5.0]), (ops.both, True, [True, False])],
)
def test_a_float_and_a_column_mix(op: Callable[..., Any], a: Any, b: list[Any]) -> None:
    assert op(a, numpy.array(b)).tolist() == [op(a, x) for x in b]


def test_clip_holds_a_value_between_its_limits() -> None:
    assert [ops.clip(x, -400, 400) for x in (-401, -400, 0, 400, 401)] == [-400, -400, 0, 400, 400]


def test_a_setting_of_text_is_compared_in_a_column() -> None:
    assert ops.same(numpy.array(["none", "cap400"]), "none").tolist() == [True, False]


# --- rounding -----------------------------------------------------------------------------------------------

ROUNDED = [
    (0.5, 0, 1.0),
    (-0.5, 0, -1.0),
    (1.5, 0, 2.0),
    (2.5, 0, 3.0),
    (-2.5, 0, -3.0),
    (0.49, 0, 0.0),
    (-0.49, 0, 0.0),
    (0.4999999, 0, 0.0),
    (0.5000001, 0, 1.0),
    (1234567.5, 0, 1234568.0),
    # decimal arithmetic puts these on the half, binary below it
    (10 * ((1 - 0.92) + (1 - 0.93)), 0, 2.0),
    (1.4999999999999991, 0, 2.0),
    (2.675, 2, 2.68),
    (-2.675, 2, -2.68),
    (1.005, 2, 1.01),
    (0.285, 2, 0.29),
    (2.674, 2, 2.67),
    (2.6749, 2, 2.67),
    (15.0, -1, 20.0),
    (-14.0, -1, -10.0),
]


@pytest.mark.parametrize(("value", "digits", "rounded"), ROUNDED)
def test_halves_round_away_from_zero(value: float, digits: int, rounded: float) -> None:
    assert round_half_away(value, digits) == rounded


@pytest.mark.parametrize(("value", "digits", "rounded"), ROUNDED)
def test_halves_of_a_column_round_away_from_zero(value: float, digits: int, rounded: float) -> None:
    assert round_half_away(numpy.array([value]), digits).tolist() == [rounded]


@pytest.mark.parametrize("value", [-0.3, -0.0, 0.0])
def test_nothing_rounds_to_a_negative_zero(value: float) -> None:
    assert math.copysign(1, round_half_away(value)) == 1


@relaxed
@given(st.integers(-300_000, 300_000))
def test_a_number_of_hundredths_is_its_own_rounding(hundredths: int) -> None:
    assert round_half_away(hundredths / 100, 2) == hundredths / 100


@relaxed
@given(st.integers(-30_000, 30_000))
def test_an_odd_number_of_halves_rounds_away_from_zero(halves: int) -> None:
    away = math.copysign((abs(halves) + 1) // 2, halves) if halves else 0
    assert round_half_away(halves / 2) == away


# --- tables -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "found"),
    [(-1, 0.5), (0, 0.5), (3, 0.5), (3.999, 0.5), (4, 0.51), (10, 0.51), (11, 0.52), (1e9, 0.52)],
)
def test_a_table_gives_the_last_row_that_begins_at_or_below_the_value(value: float, found: float) -> None:
    assert table_step(TABLE, value) == found
    assert table_step(TABLE, numpy.array([value])).tolist() == [found]


# --- traced values ------------------------------------------------------------------------------------------


def in_an_if(x: Any) -> Any:
    return 1 if x > 2 else 0


def in_a_chain(x: Any) -> Any:
    return 0 < x < 1


def in_and(x: Any) -> Any:
    return x > 1 and x < 2


def in_not(x: Any) -> Any:
    return not x


def in_python_min(x: Any) -> Any:
    return min(x, 1)


@pytest.mark.parametrize("step", [in_an_if, in_a_chain, in_and, in_not, in_python_min])
def test_a_traced_value_used_as_a_truth_value_raises_and_names_the_remedy(step: Callable[..., Any]) -> None:
    with pytest.raises(
        FormulaError, match=r"no truth value: write where\(condition, a, b\), both\(\), either\(\) or neg"
    ):
        step(Ref("x"))


@pytest.mark.parametrize("function", [math.exp, math.sqrt, float, int])
def test_a_traced_value_used_as_a_number_raises_and_names_the_remedy(function: Callable[..., Any]) -> None:
    with pytest.raises(FormulaError, match=r"not a number: write the step with the functions of elo_sheets\.ops"):
        function(Ref("x"))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, None, [1]])
def test_what_no_cell_can_hold_is_refused_in_an_expression(value: object) -> None:
    with pytest.raises(FormulaError, match=r"expected a (finite )?number"):
        Ref("x") + value


def test_constants_in_a_traced_op_become_literals() -> None:
    assert ops.maximum(Ref("x"), 3) == Call("MAX", (Ref("x"), Number(3.0)))
