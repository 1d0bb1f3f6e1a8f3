"""The command line: parse, one library call, print. Nothing imports it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

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


BELOW_0 = re.compile(r"-\d+(?:[.,]\d+)?")
# Stands before such a number while options are looked for, so that a rating such as -2.3 is none.
_MARK = "\ufdd0"
_COMPLETE = "_ELO_SHEETS_COMPLETE"


def _with_numbers(make_parser: Callable[[click.Context], Any]) -> Callable[[click.Context], Any]:
    """Return what makes a command's parser, which takes numbers below 0 for values."""

    def made(context: click.Context) -> Any:
        parser = make_parser(context)
        parse = parser.parse_args

        def parsed(args: list[str]) -> tuple[dict[str, Any], list[str], list[Any]]:
            values, rest, order = parse([_MARK + one if BELOW_0.fullmatch(one) else one for one in args])
            return {name: _unmarked(value) for name, value in values.items()}, _unmarked(rest), order

        parser.parse_args = parsed
        return parser

    return made


def _unmarked(value: Any) -> Any:
    if isinstance(value, str):
        return value.removeprefix(_MARK)
    return type(value)(map(_unmarked, value)) if isinstance(value, list | tuple) else value


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
    _command.make_parser = _with_numbers(_command.make_parser)  # type: ignore[method-assign,assignment]
    cli.add_command(_command)


def run_command(arguments: list[str]) -> int:
    """Run the command that the arguments name; its exit code.

    `main` of click is not used: it takes a closed pipe and an interrupt for failures of its own.
    """
    if instruction := os.environ.get(_COMPLETE):
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, "elo-sheets", _COMPLETE, instruction)
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
