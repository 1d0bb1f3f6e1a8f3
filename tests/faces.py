"""What the tests of the calculators share: the command as a user runs it, published answers, and sheets of steps."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from click.testing import CliRunner, Result

from elo_sheets.cli import cli
from elo_sheets.conformance import by_engine
from elo_sheets.conformance.published import answers
from elo_sheets.errors import EloSheetsError
from elo_sheets.replaying.cases import Columns

# What an engine keeps of a number: all of it, or the 15 digits that LibreOffice writes.
PRECISION = {"ironcalc": 0.0, "libreoffice": 5e-15}
# The normal curve by its other spelling is not the last bit of ours.
NORMAL = 5e-15


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


def document(*arguments: str) -> Any:
    """What a command prints as JSON."""
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def refused(*arguments: str) -> str:
    """What is said to a user who used a command wrongly."""
    error = run(*arguments).exception
    assert isinstance(error, EloSheetsError), error
    assert error.exit_code == 2
    return str(error)


def published(beginning: str) -> list[Mapping[str, Any]]:
    return [answer for name, answer in answers().items() if name.startswith(beginning)]


def in_sheets(columns: Iterable[Columns], engine: str) -> list[Mapping[str, Any]]:
    """What an engine computes of columns of steps, each by its name; a sheet needs some answer's id for its heading."""
    return by_engine([replace(one, answer="elo-odds-0") for one in columns], engine)
