"""The command line: parse, one library call, print. Nothing imports it."""

from __future__ import annotations

import sys

import click

from elo_sheets._version import __version__
from elo_sheets.cli import books, calculators, differing, lists, logs, odds, rules
from elo_sheets.errors import EloSheetsError

EXAMPLES = """\b
Examples:
  elo-sheets new league -o club.xlsx
  elo-sheets import season.csv -o season.xlsx --set k=40
  elo-sheets import games.pgn -o mine.xlsx --player "Player 1"
  elo-sheets validate club.xlsx

\b
Exit codes:
  0  done, or the workbook agrees
  1  findings
  2  wrong usage
  3  the input cannot be read
  4  could not be checked
"""


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXAMPLES)
@click.version_option(__version__, prog_name="elo-sheets")
def cli() -> None:
    """Rating workbooks with live formulas, filled from game logs and validated by replay."""


for _command in (
    *books.COMMANDS,
    *calculators.COMMANDS,
    *logs.COMMANDS,
    *differing.COMMANDS,
    *rules.COMMANDS,
    *odds.COMMANDS,
    *lists.COMMANDS,
):
    cli.add_command(_command)


def main() -> None:
    """Run the command; every error that elo-sheets raises becomes a sentence and an exit code."""
    try:
        cli()
    except EloSheetsError as error:
        click.echo(f"elo-sheets: {error}", err=True)
        sys.exit(error.exit_code)
