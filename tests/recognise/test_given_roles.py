"""Roles that a person gives: they override the guess, or it is said why they cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from test_ledgers import write_log

from elo_sheets.cli import cli
from elo_sheets.errors import UsageError
from elo_sheets.recognise.given import parse_role
from elo_sheets.validate import validate


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write_log(tmp_path / "log.xlsx")


def roles_of(verdict_roles: object) -> set[tuple[str, str, str]]:
    return {(r.role.split()[0], r.range, r.confidence) for r in verdict_roles}  # type: ignore[attr-defined]


def test_a_given_role_is_shown_as_given_and_the_guess_gives_way(log: Path) -> None:
    verdict = validate(log, roles={"E": "Log!D2:D9"})
    found = roles_of(verdict.roles)
    assert ("E", "Log!D2:D9", "given") in found
    assert ("E", "Log!D10:D17", "proven") in found
    assert verdict.status == "agrees"


def test_a_role_that_the_cells_do_not_play_leaves_the_book_unchecked_and_says_why(log: Path) -> None:
    verdict = validate(log, roles={"E": "Log!E"})
    assert verdict.status == "unchecked"
    assert verdict.reason is not None
    assert "Log!E2:E17 was given as expected score" in verdict.reason


def test_the_right_role_is_as_good_as_the_guess(log: Path) -> None:
    verdict = validate(log, roles={"E": "Log!D", "R": "log!F", "D": "'Log'!E2:E17"})
    assert verdict.status == "agrees"
    assert verdict.games.rated == 16


@pytest.mark.parametrize(
    ("role", "message"),
    [
        ("E=Log!B", "holds a formula"),
        ("R=Log!B3", "holds no formula"),
        ("E=Nowhere!F", "there is no sheet"),
        ("E=Log!Z", "blank"),
        ("E", "expected a role such as"),
        ("E=", "expected a role such as"),
        ("E=F5", "expected a column, cell or range"),
        ("E=Log!5", "expected a column, cell or range"),
        ("ELO=Log!F", "is no role"),
    ],
)
def test_a_role_that_cannot_be_is_refused_with_exit_code_2(role: str, message: str, log: Path) -> None:
    result = CliRunner().invoke(cli, ["validate", str(log), "--role", role])
    assert isinstance(result.exception, UsageError)
    assert result.exception.exit_code == 2
    assert message in str(result.exception)


def test_the_command_takes_several_roles(log: Path) -> None:
    arguments = [
        "validate",
        str(log),
        "--json",
        "--role",
        "E=Log!D2:D5",
        "--role",
        "E=Log!D6:D17",
        "--role",
        "K=Log!I1",
    ]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0
    given = [
        (r["role"].split()[0], r["range"]) for r in json.loads(result.output)["roles"] if r["confidence"] == "given"
    ]
    assert given == [("E", "Log!D2:D17"), ("K", "Log!I1")]


def test_a_role_is_read_with_quotes_and_any_case() -> None:
    assert parse_role("e='My log'!F5:F9") == ("E", "'My log'!F5:F9")
    with pytest.raises(UsageError, match="no role"):
        parse_role("Z=Log!F")
