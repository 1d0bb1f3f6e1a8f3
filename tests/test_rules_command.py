"""Every kind of finding is explained, and the examples are true: an engine computes them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import xlsxwriter
from click.testing import CliRunner

from elo_sheets.cli import cli
from elo_sheets.engines.recalculate import recalculate
from elo_sheets.errors import UsageError
from elo_sheets.files.package import read_book
from elo_sheets.files.references import parse_cell_name
from elo_sheets.verdict.findings import AGREES, DIFFERS, RULES, UNCHECKED, Finding, Verdict, shown
from elo_sheets.verdict.rules import find_codes, find_rule, without

CELL = re.compile(r"([A-Z]+\d+) = ([^,]+)")
RESULTS = re.compile(r"(\S+) instead of (\S+)")
COMPUTED = [
    code
    for code in RULES
    if (told := RULES[code]).right.startswith("=") and CELL.search(told.given) and RESULTS.fullmatch(told.shows)
]


def test_every_kind_is_explained() -> None:
    for code in RULES:
        told = RULES[code]
        assert min(len(told.wrong), len(told.shows), len(told.why), len(told.remedy)) > 0, code
        assert told.why.endswith(".")
        assert told.remedy.endswith(".")


def test_codes_and_names_are_unique_and_in_order() -> None:
    assert list(RULES) == sorted(RULES)
    assert len({rule.name for rule in RULES.values()}) == len(RULES)
    assert all(re.fullmatch(r"ES\d{3}", code) for code in RULES)


def test_most_formulas_have_a_computed_example() -> None:
    assert len(COMPUTED) >= 28
    assert {code for code in RULES if code < "ES127"} <= set(COMPUTED)


def test_the_examples_are_true(tmp_path: Path) -> None:
    """All examples in one book, each on a sheet of its own."""
    wanted: dict[str, tuple[str, str]] = {}
    with xlsxwriter.Workbook(tmp_path / "examples.xlsx") as book:
        for code in COMPUTED:
            told = RULES[code]
            sheet = book.add_worksheet(code)
            for cell, value in CELL.findall(told.given):
                value = value.strip()
                sheet.write(cell, float(value) if re.fullmatch(r"[\d.]+", value) else value)
            for cell, text in (("H1", told.wrong), ("H2", told.right)):
                if text.startswith("="):
                    sheet.write_formula(cell, text)
            match = RESULTS.fullmatch(told.shows)
            assert match is not None
            wanted[code] = (match[1], match[2])
    values = recalculate(read_book(tmp_path / "examples.xlsx")).values
    found = {
        code: tuple(
            shown(values[code][at, 8]) if (at, 8) in values[code] else said for at, said in enumerate(expected, 1)
        )
        for code, expected in wanted.items()
    }
    assert found == wanted


def test_the_cells_of_an_example_are_cells() -> None:
    for code in COMPUTED:
        for cell, _ in CELL.findall(RULES[code].given):
            parse_cell_name(cell)


@pytest.mark.parametrize("text", ["ES101", "es101", " Swapped-Difference "])
def test_a_kind_is_found_by_code_or_name_in_any_case(text: str) -> None:
    assert find_rule(text).code == "ES101"


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        ("ES109", "did you mean ES101 or ES102 or ES103?"),
        ("swaped-difference", "did you mean swapped-difference"),
        ("draw", "did you mean draw-not-half?"),
        ("xyzzy", "elo-sheets rules lists them"),
        ("", "elo-sheets rules lists them"),
    ],
)
def test_what_is_not_known_is_refused_with_a_suggestion(text: str, suggestion: str) -> None:
    for find in (find_rule, find_codes):
        with pytest.raises(UsageError, match=re.escape(suggestion)):
            find(text)


def test_the_beginning_of_codes_means_all_of_them() -> None:
    assert find_codes("es30") == {"ES301", "ES302"}
    assert find_codes("ES4") == {code for code in RULES if code.startswith("ES4")}
    assert find_codes("ES") == set(RULES)
    assert find_codes("rounded") == {"ES107"}


# --- choosing -----------------------------------------------------------------------------------------------

FAULT = Finding("ES101", "error", "Log!F5", "swapped", 0.64, 0.36, 8.96)
NOTE = Finding("ES302", "note", "", "no results")


def verdict(*findings: Finding, cells: int = 10, reason: str | None = None) -> Verdict:
    return Verdict("b.xlsx", DIFFERS, "ironcalc", cells_checked=cells, findings=findings, reason=reason)


def test_the_status_follows_from_the_findings_that_remain() -> None:
    assert without(verdict(FAULT, NOTE)).status == DIFFERS
    chosen = without(verdict(FAULT, NOTE), ignore={"ES101"})
    assert (chosen.status, chosen.exit_code, chosen.left_out, chosen.findings) == (AGREES, 0, 1, (NOTE,))
    assert without(verdict(FAULT, NOTE), select={"ES101"}).findings == (FAULT,)
    assert without(verdict(FAULT), select={"ES302"}).status == AGREES
    assert without(verdict(FAULT), {"ES101"}, {"ES101"}).findings == ()


@pytest.mark.parametrize(("cells", "reason"), [(0, None), (10, "the games could not be rebuilt")])
def test_what_was_not_checked_to_the_end_never_agrees_by_leaving_out(cells: int, reason: str | None) -> None:
    chosen = without(verdict(FAULT, cells=cells, reason=reason), ignore={"ES101"})
    assert (chosen.status, chosen.exit_code) == (UNCHECKED, 4)
    assert chosen.reason


def test_an_unchecked_book_stays_unchecked() -> None:
    book = Verdict("b.xlsx", UNCHECKED, "ironcalc", findings=(NOTE,), reason="values only")
    assert without(book, ignore={"ES302"}).status == UNCHECKED


# --- the command --------------------------------------------------------------------------------------------


def run(*arguments: str) -> str:
    done = CliRunner().invoke(cli, ["rules", *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_table_lists_every_kind() -> None:
    lines = run().splitlines()
    assert lines[0].split() == ["code", "name", "meaning"]
    assert [line.split()[:2] for line in lines[1 : 1 + len(RULES)]] == [[r.code, r.name] for r in RULES.values()]


def test_one_kind_is_explained_with_its_numbers() -> None:
    assert run("swapped-difference").splitlines()[:8] == [
        "ES101 swapped-difference",
        "  the two ratings of a difference are swapped, or its sign is lost",
        "",
        "example",
        "  given  A2 = 1600, B2 = 1500",
        "  wrong  =1/(1+10^((A2-B2)/400))",
        "  right  =1/(1+10^((B2-A2)/400))",
        "  shows  0.3599 instead of 0.6401",
    ]


def test_the_json_has_the_same() -> None:
    document = json.loads(run("--json"))
    assert (document["schema"], [one["code"] for one in document["rules"]]) == (1, list(RULES))
    one = json.loads(run("es104", "--json"))["rules"]
    assert [rule["name"] for rule in one] == ["draw-not-half"]
    assert set(one[0]) == {"code", "name", "meaning", "example", "why", "remedy"}
    assert set(one[0]["example"]) == {"given", "wrong", "right", "shows"}


def test_an_unknown_kind_is_a_usage_error() -> None:
    done = CliRunner().invoke(cli, ["rules", "swaped"])
    assert isinstance(done.exception, UsageError)
    assert "swapped-difference" in str(done.exception)
