"""The command line: parse, one library call, print. Nothing imports it."""

from __future__ import annotations

import os
import re

import click

from elo_sheets._version import __version__
from elo_sheets.cli import books, calculators, differing, lists, logs, odds, reporting, rules, serving, updating
from elo_sheets.cli._config import configured, show_config
from elo_sheets.cli._notes import quiet_option

EXAMPLES = """\b
Examples:
  elo-sheets new league -o club.xlsx
  elo-sheets import season.csv -o season.xlsx --set k=40
  elo-sheets import games.pgn -o mine.xlsx --player "Player 1"
  elo-sheets update season.xlsx march.csv
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
@click.option(
    "--show-config",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_config,
    help="Print the elo-sheets.toml that counts in this folder, and what it says.",
)
def cli() -> None:
    """Rating workbooks with live formulas, filled from game logs and validated by replay."""


for _command in (
    *books.COMMANDS,
    *updating.COMMANDS,
    *reporting.COMMANDS,
    *calculators.COMMANDS,
    *logs.COMMANDS,
    *differing.COMMANDS,
    *rules.COMMANDS,
    *odds.COMMANDS,
    *lists.COMMANDS,
    *serving.COMMANDS,
):
    configured(_command)
    quiet_option(_command)
    cli.add_command(_command)

BELOW_0 = re.compile(r"-\d+(?:[.,]\d+)?")
_COMPLETE = "_ELO_SHEETS_COMPLETE"


def run_command(arguments: list[str]) -> int:
    """Run the command that the arguments name; its exit code.

    `main` of click is not used: it takes a closed pipe and an interrupt for failures of its own.
    """
    if instruction := os.environ.get(_COMPLETE):
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, "elo-sheets", _COMPLETE, instruction)
    below_0 = any(map(BELOW_0.fullmatch, arguments))
    for command in cli.commands.values():
        command.ignore_unknown_options = below_0  # a rating such as -2.3 is no option
    try:
        # The streams show terminal codes as text; click would take some out without a word.
        with cli.make_context("elo-sheets", arguments, color=True) as context:
            cli.invoke(context)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.exceptions.Exit as done:
        return done.exit_code
    except SystemExit as end:
        return int(end.code or 0)
    return 0
