"""A verdict as SARIF: the members that the format asks for, the file by a relative reference, the cell as a name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from elo_sheets.files.cells import CellError
from elo_sheets.verdict.findings import AGREES, DIFFERS, RULES, UNCHECKED, Finding, Role, Verdict
from elo_sheets.verdict.sarif import artifact_uri, as_sarif

FINDINGS = (
    Finding("ES102", "error", "Log!F5", "not divided", 0.5014, 0.909, 4.25, fix="=1/(1+10^((B5-A5)/400))"),
    Finding("ES101", "error", "'My log'!F5:F9", "swapped", CellError("#N/A"), None, -1.5, reaches=("Log!G5:G90",)),
    Finding("ES105", "warning", "Log!H2", "a number; 32 instead of 20", 20.0, 32.0, confidence="shape"),
    Finding("ES302", "note", "", "no stored results", confidence="shape"),
    Finding("ES102", "error", "Log!F9", "not divided"),
)
VERDICT = Verdict(
    "our books/club 50%.xlsx",
    DIFFERS,
    "ironcalc",
    "1.0",
    1e-9,
    "log",
    cells_checked=90,
    findings=FINDINGS,
    facts={"scale": 400.0, "k": 20},
    roles=(Role("E", "Log!F5:F90", "probed"),),
)


def only_run(log: dict[str, Any]) -> dict[str, Any]:
    assert (log["version"], set(log)) == ("2.1.0", {"$schema", "version", "runs"})
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    assert json.loads(json.dumps(run, allow_nan=False)) == run
    return dict(run)


def test_every_result_names_its_rule() -> None:
    run = only_run(as_sarif(VERDICT))
    rules = run["tool"]["driver"]["rules"]
    assert run["tool"]["driver"]["name"] == "elo-sheets"
    assert [rule["id"] for rule in rules] == ["ES101", "ES102", "ES105", "ES302"]
    for result, finding in zip(run["results"], FINDINGS, strict=True):
        assert result["ruleId"] == finding.code == rules[result["ruleIndex"]]["id"]
    assert [result["level"] for result in run["results"]] == ["error", "error", "warning", "note", "error"]


def test_the_rules_help() -> None:
    for rule in only_run(as_sarif(VERDICT))["tool"]["driver"]["rules"]:
        assert rule["shortDescription"] == {"text": RULES[rule["id"]].meaning}
        assert rule["fullDescription"]["text"]
        assert {"text", "markdown"} == set(rule["help"])
    scale = only_run(as_sarif(VERDICT))["tool"]["driver"]["rules"][1]
    assert scale["name"] == "MissingScale"
    assert "- wrong: `=1/(1+10^(B2-A2))`" in scale["help"]["markdown"]


def test_a_cell_is_a_logical_location_and_no_line_is_invented() -> None:
    results = only_run(as_sarif(VERDICT))["results"]
    places = [result["locations"][0] for result in results]
    assert places[0] == {
        "physicalLocation": {"artifactLocation": {"uri": "our%20books/club%2050%25.xlsx", "index": 0}},
        "logicalLocations": [{"name": "F5", "fullyQualifiedName": "Log!F5", "kind": "cell"}],
    }
    assert places[1]["logicalLocations"][0]["kind"] == "range"
    assert places[1]["logicalLocations"][0]["fullyQualifiedName"] == "'My log'!F5:F9"
    assert "logicalLocations" not in places[3]
    assert "region" not in json.dumps(results)
    assert len({json.dumps(result["partialFingerprints"]) for result in results}) == len(results)


def test_the_numbers_are_properties_and_in_the_message() -> None:
    results = only_run(as_sarif(VERDICT))["results"]
    assert results[0]["message"]["text"] == (
        "Log!F5: not divided (0.909 instead of 0.5014); effect +4.25 rating points; should be =1/(1+10^((B5-A5)/400))"
    )
    assert results[2]["message"]["text"] == "Log!H2: a number; 32 instead of 20"
    assert results[1]["properties"] == {
        "effect": -1.5,
        "reaches": ["Log!G5:G90"],
        "expected": "#N/A",
        "found": None,
        "confidence": "proven",
        "fix": None,
    }


@pytest.mark.parametrize(
    ("status", "reason", "successful", "code"),
    [(AGREES, None, True, 0), (DIFFERS, None, True, 1), (UNCHECKED, "values only", False, 4)],
)
def test_the_invocation_says_whether_it_was_checked(
    status: str, reason: str | None, successful: bool, code: int
) -> None:
    run = only_run(as_sarif(Verdict("b.xlsx", status, "ironcalc", reason=reason)))
    (invocation,) = run["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (successful, code)
    said = [one["message"]["text"] for one in invocation.get("toolExecutionNotifications", [])]
    assert said == ([f"not checked: {reason}"] if reason else [])
    assert run["results"] == []
    assert run["properties"]["status"] == status


def test_the_file_is_relative_where_it_can_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert artifact_uri("a b.xlsx") == "a%20b.xlsx"
    assert artifact_uri(str(tmp_path / "x/ü.xlsx")) == "x/%C3%BC.xlsx"
    assert artifact_uri("c:d.xlsx") == "c%3Ad.xlsx"
    assert artifact_uri("../e.xlsx") == "../e.xlsx"
    assert artifact_uri(str(tmp_path.parent / "e.xlsx")).startswith("file:///")


def test_what_was_found_out_about_the_book_is_there() -> None:
    properties = only_run(as_sarif(VERDICT))["properties"]
    assert properties["facts"] == {"scale": 400.0, "k": 20}
    assert properties["roles"] == [{"role": "E", "range": "Log!F5:F90", "how": "probed", "confidence": "proven"}]
    assert (properties["layout"], properties["left_out"]) == ("log", 0)
