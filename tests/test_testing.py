"""The battery: every system of ours passes it, and it notices what it is there to notice."""

from __future__ import annotations

import dataclasses
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elo_sheets import systems
from elo_sheets.errors import UsageError
from elo_sheets.ops import where
from elo_sheets.systems import SYSTEMS, System, called, system
from elo_sheets.systems.elo import ELO
from elo_sheets.systems.glicko import GLICKO
from elo_sheets.testing import CHECKS, check_system

STEPS = {name: rules for name, rules in SYSTEMS.items() if isinstance(rules, System)}

# What a rule breaks on purpose: an added bonus lifts everybody.
ON_PURPOSE = {"egf": ("draw",)}

FORMS: list[tuple[str, dict[str, object]]] = [(name, {}) for name in STEPS]
FORMS += [
    (name, {p.name: choice})
    for name, rules in STEPS.items()
    for p in rules.parameters
    if p.name != "period"
    for choice in p.choices
    if choice != p.default
]
FORMS += [
    ("elo", {"advantage": 65, "carry_over": 0.75}),
    ("elo", {"floor": 100, "ceiling": 3000}),
    ("elo", {"curve": "normal", "k_rule": "games", "margin_rule": "nfl", "advantage": 30}),
]


@pytest.mark.parametrize(("name", "form"), FORMS, ids=str)
def test_every_system_passes_the_battery_in_every_form(name: str, form: dict[str, object]) -> None:
    check_system(STEPS[name], form, leave_out=ON_PURPOSE.get(name, ()))


@settings(max_examples=20, deadline=None)
@given(name=st.sampled_from(sorted(STEPS)), seed=st.integers(0, 10**6))
def test_every_system_passes_the_battery_on_any_games(name: str, seed: int) -> None:
    check_system(STEPS[name], seed=seed, engine=None, leave_out=ON_PURPOSE.get(name, ()))


# --- what it notices ------------------------------------------------------------------------------------------


@called("expected")
def too_much(difference: Any, scale: Any) -> Any:
    return 0.55 / (1 + 10 ** (-difference / scale))


@called("change")
def only_gains(k_used: Any, score: Any, expected: Any) -> Any:
    return k_used * where(score >= 0.5, 0.5, score - expected)


def the_same(expected: Any) -> Any:
    return expected


@called("change")
def upside_down(k_used: Any, score: Any, expected: Any) -> Any:
    return k_used * (expected - score)


@called("start_rd")
def shrinking(rd: Any, elapsed: Any) -> Any:
    return rd / elapsed


def elo_with(**steps: Any) -> System:
    """Elo in its default form with some steps replaced."""
    shaped = ELO.shaped(ELO.settings())
    return dataclasses.replace(
        shaped,
        game=tuple(steps.get(s.__name__, s) for s in shaped.game),
        closing=tuple(steps.get(getattr(s, "__name__", ""), s) for s in shaped.closing),
        opposite={},
    )


@pytest.mark.parametrize(
    ("wrong", "check"),
    [
        (elo_with(expected=too_much), "sum"),
        (elo_with(change=only_gains), "draw"),
        (dataclasses.replace(elo_with(), opposite={"expected": the_same}), "swap"),
        (dataclasses.replace(elo_with(), opposite={"expected": the_same}), "group-by"),
        (elo_with(change=upside_down), "score"),
        (dataclasses.replace(GLICKO, opening=(shrinking,)), "idle"),
        (dataclasses.replace(elo_with(), labels={"k_used": "Expected"}), "labels"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_broken_rule_is_named_with_the_property_that_it_breaks(wrong: System, check: str) -> None:
    with pytest.raises(AssertionError, match=rf"(?m)^{check}: "):
        check_system(wrong, engine=None)


def test_a_favourite_who_expects_less_than_half_is_a_wrong_forecast() -> None:
    with pytest.raises(AssertionError, match=r"(?m)^draw: a draw lifts"):
        check_system(elo_with(change=only_gains), engine=None)


def test_what_a_rule_breaks_on_purpose_is_left_out() -> None:
    check_system(elo_with(expected=too_much), engine=None, leave_out=["sum", "draw"])


def test_a_check_that_does_not_exist_cannot_be_left_out() -> None:
    with pytest.raises(UsageError, match="among formulas, labels"):
        check_system(ELO, leave_out=["drw"])


def test_every_check_is_described() -> None:
    assert check_system.__doc__ is not None
    assert all(f"`{name}`" in check_system.__doc__ for name in CHECKS)


# --- a user's own system --------------------------------------------------------------------------------------

OWN = '''
"""A ladder: K 32, a bonus point for every game."""

from elo_sheets.systems import Parameter, State, System, period_parameter
from elo_sheets.systems.elo import expected


def difference(rating, opponent_rating):
    return rating - opponent_rating


def change(k, score, expected):
    return k * (score - expected)


def rating_after(rating, period_change):
    return rating + period_change


LADDER = System(
    name="ladder",
    title="Ladder",
    about="a ladder of our club",
    sources=("our club",),
    parameters=(
        Parameter("initial", 1000.0, "Initial rating", "rating before the first game", "Initial_rating"),
        Parameter("k", 32.0, "K", "points at stake", "K_factor"),
        Parameter("scale", 400.0, "Scale", "odds of ten to one", "Rating_scale"),
        period_parameter("game"),
    ),
    state=(State("rating", "initial"),),
    game=(difference, expected, change),
    sums=("change",),
    closing=(rating_after,),
    zero_sum=True,
)
'''


@pytest.fixture
def own_file(tmp_path: Path) -> Path:
    path = tmp_path / "ladder.py"
    path.write_text(OWN, encoding="utf-8")
    return path


def test_a_system_of_ones_own_is_a_file_and_passes_the_battery(own_file: Path) -> None:
    rules = system(f"{own_file}:LADDER")
    assert isinstance(rules, System)
    check_system(rules)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("LADER", OWN, "has no 'LADER'; it defines LADDER"),
        ("OWN", "OWN = 3", "expected a System, JointSystem or Fit in .*ladder.py:OWN, got int"),
        ("LADDER", OWN.replace("k * (score - expected)", "round(k * (score - expected))"), "step change is no rule: "),
        ("LADDER", OWN.replace("return k *", "return kk *"), "step change is no rule: name 'kk' is not defined"),
        ("LADDER", OWN.replace("return rating - opponent_rating", "return None"), "step difference is no rule: "),
        ("LADDER", OWN.replace('    period_parameter("game"),\n', ""), "has no parameter period"),
        ("LADDER", "import sys\nsys.exit(0)", "ladder.py does not run: SystemExit"),
        ("OWN", "import nothing_like_it", "ladder.py does not run: ModuleNotFoundError"),
        (
            "LADDER",
            OWN.replace("(k, score, expected)", "(kk, score, expected)"),
            r"reads \['kk'\], which nothing gives",
        ),
    ],
)
def test_a_file_that_gives_no_system_is_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / "ladder.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        system(f"{path}:{name}")


def test_a_package_offers_its_systems_as_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("club-elo", "elo_sheets.systems.elo:ELO", systems.ENTRY_POINTS)
    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda group: [point] if group == "elo_sheets.systems" else []
    )
    assert system("club-elo") is ELO


def test_a_missing_file_is_refused() -> None:
    with pytest.raises(UsageError, match=r"expected a Python file with a rating system, got 'nowhere\.py'"):
        system("nowhere.py:LADDER")


@pytest.mark.parametrize(("name", "words"), [("chess.com", "not published"), ("UTR", "not public")])
def test_what_is_not_public_is_explained_and_not_imitated(name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        system(name)
