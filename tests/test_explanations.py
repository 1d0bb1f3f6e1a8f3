"""The sheet Formulas: every computed column is explained, and every step of every rule with its source."""

from __future__ import annotations

import re
from statistics import NormalDist

import pytest

from elo_sheets.systems import SYSTEMS, System, system
from elo_sheets.workbook.build import blank_book, plan_book
from elo_sheets.workbook.fits import fitting_systems
from elo_sheets.workbook.plan import Plan
from elo_sheets.workbook.templates import NAMES

EXPLAINED = {"Sheet", "Column", "What it says", "Source", "Formula of a row"}


def explained(plan: Plan) -> list[dict[str, str]]:
    table = plan.sheet("Formulas").tables[0]
    labels = ["Column" if column.label == "What" else column.label for column in table.columns]
    assert set(labels) == EXPLAINED
    rows = zip(*(column.fill.values for column in table.columns), strict=True)
    return [dict(zip(labels, map(str, row), strict=True)) for row in rows]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("which", [0, -1])
def test_every_computed_column_is_explained(name: str, which: int) -> None:
    plan = plan_book(blank_book(name, system(fitting_systems(name)[which]), {}, 10))
    rows = explained(plan)
    assert all(row["What it says"] and row["Formula of a row"] for row in rows)
    found = {(row["Sheet"], label) for row in rows for label in row["Column"].split(" … ")}
    groups = {row["Sheet"] for row in rows if " … " in row["Column"]}
    missing = [
        (sheet.name, column.label)
        for sheet in plan.sheets
        for table in sheet.tables
        for column in table.columns
        if column.fill.formula is not None and (sheet.name, column.label) not in found and sheet.name not in groups
    ]
    assert missing == []


@pytest.mark.parametrize("name", [name for name, one in SYSTEMS.items() if isinstance(one, System)])
def test_every_step_of_every_form_of_a_rule_has_its_sentence(name: str) -> None:
    rules = system(name)
    chosen = [{}, *({p.name: choice} for p in rules.parameters for choice in p.choices)]
    for settings in chosen:
        shaped = rules.shaped(rules.settings(settings))
        names = {line.name for line in shaped.lines} | {state.name for state in shaped.state}
        names |= {f"period_{summed}" for summed in shaped.sums}
        assert {step for step in names if not shaped.facts(step).says} == set(), settings


def test_the_rule_is_explained_with_its_source_by_a_formula_that_has_rows_above_it() -> None:
    rows = {row["Column"]: row for row in explained(plan_book(blank_book("league", system("fide"), {}, 10)))}
    assert (
        rows["Favourite expects"]["What it says"] == "The expected score of the higher rated player, from FIDE's table."
    )
    assert rows["Favourite expects"]["Source"] == "; ".join(system("fide").sources)
    assert "INDEX(FideTable[Higher]" in rows["Favourite expects"]["Formula of a row"]
    assert re.search(r"MAX\(\(\$([A-Z]+)\$5:\1\d+=", rows["Previous"]["Formula of a row"])


CURVES = {
    "elo": ({}, 200, 1 / (1 + 10 ** (-200 / 400))),
    "elo normal": ({"curve": "normal"}, 200, NormalDist(0, 2000 / 7).cdf(200)),
    "elo linear": ({"curve": "linear", "scale": 800}, 200, 0.5 + 200 / 1600),
    "dwz": ({}, 200, round(NormalDist(0, 200 * 2**0.5).cdf(200), 3)),
    "glicko": ({}, 200, 1 / (1 + 10 ** (-200 / 400))),
}


@pytest.mark.parametrize("form", CURVES)
def test_the_sheet_of_odds_shows_the_curve_of_the_rule(form: str) -> None:
    settings, difference, expected = CURVES[form]
    plan = plan_book(blank_book("league", system(form.split()[0]), settings, 10))
    table = {column.label: column.fill.values for column in plan.sheet("Odds").tables[0].columns}
    at = list(table["Difference"]).index(difference)
    assert table["Stronger"][at] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", ["trueskill", "ingo", "egf", "ecf-grade"])
def test_a_rule_that_looks_at_more_than_the_difference_has_no_sheet_of_odds(name: str) -> None:
    assert "Odds" not in {sheet.name for sheet in plan_book(blank_book("league", system(name), {}, 10)).sheets}
