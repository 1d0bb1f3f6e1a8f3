"""What a step may be written with: it says the same in every reading, or is refused with the remedy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy
import pytest

from elo_sheets.errors import UsageError
from elo_sheets.formula import to_formula
from elo_sheets.ops import both, negation, where
from elo_sheets.replaying.replay import replay
from elo_sheets.systems import called, trace
from elo_sheets.systems.elo import ELO
from elo_sheets.testing import check_system, sample_log

Step = Callable[..., Any]

# A step and the formula that it prints.
SAID: list[tuple[Step, str]] = [
    (lambda a, b: where(a == b, 2, 1), "IF(a=b,2,1)"),
    (lambda a, b: where(a != b, 2, 1), "IF(a<>b,2,1)"),
    (lambda a, b: where(1 - a == 0.5, 2, 1), "IF(1-a=0.5,2,1)"),
    (lambda a, b: where(numpy.float64(0.5) == a, 2, 1), "IF(a=0.5,2,1)"),
    (lambda a, b: where(both(a < 0, b == 1), 2, 1), "IF(AND(a<0,b=1),2,1)"),
    (lambda a, b: where(negation(a + b == 1), 2, 1), "IF(NOT(a+b=1),2,1)"),
    (lambda a, b: where((a < 0) == (b < 0), 2, 1), "IF(a<0=(b<0),2,1)"),
    (lambda a, b: 2 * (a > b), "2*(a>b)"),
]

# A step that Python, NumPy and spreadsheets would read differently, and what the refusal tells to write.
REFUSED: list[tuple[str, Step, str]] = [
    ("and", lambda a, b: where(a < 0 and b == 1, 2, 1), "both()"),
    ("or", lambda a, b: where(a < 0 or b == 1, 2, 1), "either()"),
    ("not", lambda a, b: where(not a, 2, 1), "negation()"),
    ("if", lambda a, b: 2 if a == 0.5 else 1, "where(condition, a, b)"),
    ("in", lambda a, b: where(a in (0, 1), 2, 1), "either()"),
    ("chain", lambda a, b: where(0 < a < b, 2, 1), "both()"),
    ("&", lambda a, b: where((a < 0) & (b == 1), 2, 1), "both(a, b)"),
    ("|", lambda a, b: where((a < 0) | (b == 1), 2, 1), "either(a, b)"),
    ("~", lambda a, b: where(~(a < 0), 2, 1), "negation(a)"),
    ("//", lambda a, b: a // b, "floor(a / b)"),
    ("%", lambda a, b: a % b, "floor(a / b)"),
    ("abs", lambda a, b: abs(a - b), "absolute(a)"),
    ("round", lambda a, b: round(a, 1), "round_half_away(a, digits)"),
    ("max", lambda a, b: max(a, b), "where(condition, a, b)"),
    ("dictionary", lambda a, b: {0.5: 1}.get(a, 2), "where()"),
    ("set", lambda a, b: where(a in {0.5}, 1, 2), "where()"),
    ("a condition as a number", lambda a, b: where((a < b) == 1, 2, 1), "write the condition alone"),
]


@pytest.mark.parametrize(("step", "text"), SAID, ids=[text for _, text in SAID])
def test_equality_and_its_negation_say_in_a_formula_what_they_say_in_python(step: Step, text: str) -> None:
    assert to_formula(trace(called("step")(step))) == text


@pytest.mark.parametrize(("step", "remedy"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_needs_a_value_is_refused_with_the_remedy(step: Step, remedy: str) -> None:
    with pytest.raises(UsageError) as refusal:
        trace(called("step")(step))
    assert "step step" in str(refusal.value)
    assert remedy in str(refusal.value)


def test_a_column_of_conditions_is_refused_because_sheets_do_not_add_it_up() -> None:
    def won(score: Any) -> Any:
        return score == 1

    mine = replace(ELO, game=(*ELO.game, won), sums=(*ELO.sums, "won"), variant=None)
    with pytest.raises(UsageError, match=r"step won gives TRUE or FALSE.*write where\(condition, 1, 0\)"):
        replay(sample_log(1), mine)


@called("k_used")
def doubled_for_underdogs_who_draw(k: Any, difference: Any, score: Any) -> Any:
    return where(both(difference < 0, score == 0.5), 2 * k, k)


def test_a_rule_that_asks_for_equality_is_replayed_as_it_says() -> None:
    steps = tuple(doubled_for_underdogs_who_draw if s.__name__ == "k_used" else s for s in ELO.game)
    mine = replace(ELO, name="mine", game=steps, variant=None, zero_sum=False)
    games = sample_log(3)
    ratings: dict[str, float] = {}
    for game in games.itertuples():
        before = [ratings.get(name, 1500.0) for name in (game.white, game.black)]
        for name, own, other, score in (
            (game.white, *before, game.score),
            (game.black, *before[::-1], 1 - game.score),
        ):
            k = 40 if own < other and score == 0.5 else 20
            ratings[name] = own + k * (score - 1 / (1 + 10 ** ((other - own) / 400)))
    found = replay(games, mine).ratings
    assert dict(zip(found["player"], found["rating"], strict=True)) == pytest.approx(ratings, abs=1e-9)
    check_system(mine, leave_out=("draw",))


def test_the_battery_tells_of_a_step_that_needs_a_value() -> None:
    def k_used(k: Any, difference: Any, score: Any) -> Any:
        return 2 * k if difference < 0 and score == 0.5 else k

    steps = tuple(k_used if s.__name__ == "k_used" else s for s in ELO.game)
    with pytest.raises(AssertionError, match=r"step k_used is no rule: .* write where\(condition, a, b\), both\(\)"):
        check_system(replace(ELO, game=steps, variant=None))
