"""The rules as JavaScript: the published answers in a browser, and the page of calculators."""

from __future__ import annotations

import pytest

from elo_sheets.conformance import conform
from elo_sheets.errors import NotChecked
from elo_sheets.formula import parse
from elo_sheets.page import browser
from elo_sheets.page.calculators import reckoning
from elo_sheets.page.javascript import javascript
from elo_sheets.systems import aga, uschess


@pytest.mark.parametrize(
    ("formula", "printed"),
    [
        ("A-(B-C)", "v.A-(v.B-v.C)"),
        ("(-A)^2", "square((-v.A))"),
        ("2^-A", "Math.pow(2,(-v.A))"),
        ('IF(AND(A<>1,B="x"),ROUND(A,2),MIN(A,B))', '(((v.A!==1)&&(v.B==="x"))?round(v.A,2):Math.min(v.A,v.B))'),
        ("NORMDIST(A,0,1,FALSE)", "density(v.A)"),
    ],
)
def test_an_expression_is_printed_with_its_meaning(formula: str, printed: str) -> None:
    assert javascript(parse(formula)) == printed


@pytest.mark.browser
def test_the_published_answers_come_out_in_a_browser() -> None:
    results = conform(by="page")
    assert len(results) > 1000
    assert [(one.answer, one.what, one.expected, one.got) for one in results if not one.passed] == []


@pytest.mark.browser
def test_answers_without_steps_are_asked_of_the_calculators(monkeypatch: pytest.MonkeyPatch) -> None:
    """The AGA's events and US Chess's sections and special formula are the page's own, not Python's."""
    reckoning()  # prints the steps, which use some of these functions
    for module, name in ((aga, "rate"), (aga, "white_wins"), (uschess, "special_rating"), (uschess, "rate_section")):
        monkeypatch.setattr(module, name, lambda *_, **__: float("nan"))
    results = conform(["aga", "uschess"], by="page")
    whole = [one for one in results if "event" in one.answer or "section" in one.answer or "special" in one.answer]
    assert len(whole) == 8 + 6 + 5
    assert all(one.passed for one in results)


@pytest.mark.browser
def test_an_error_of_a_calculator_is_no_value() -> None:
    _, found = browser.by_page([], ["newSigma(-1.5)", "rateAga([{rating: 0.5}], [])", "nothing()"])
    assert found[0] == 1.25
    assert "1 or more (dan)" in found[1]["error"]
    assert "ReferenceError" in found[2]["error"]


def test_a_missing_browser_is_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELO_SHEETS_BROWSER", "no-such-browser")
    with pytest.raises(NotChecked, match="install Chromium"):
        browser.by_page([])
