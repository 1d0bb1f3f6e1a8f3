"""Options and printing that the commands share."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import click

from elo_sheets.games import Problem

F = TypeVar("F", bound=Callable[..., Any])

MOST_PROBLEMS = 20


class Pairs(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """`name=value`, several separated by commas where `split` says so."""

    name = "name=value"

    def __init__(self, split: bool = False) -> None:
        self.split = split

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[tuple[str, str]]:
        found = []
        for part in value.split(",") if self.split else [value]:
            name, sign, text = part.partition("=")
            if not sign or not name.strip():
                self.fail(f"expected name=value, got {part!r}", param, ctx)
            found.append((name.strip(), text.strip()))
        return found


def template_option(command: F) -> F:
    """Add `--system` and `--set` for a template, whose first system is the default.

    Several systems come as one text, `elo,glicko2`, whether they were given so or one by one.
    """
    return _settings(
        command,
        {
            "multiple": True,
            "callback": lambda _context, _option, names: ",".join(names) or None,
            "help": "The rating system; the template compare takes several: may be given again, or elo,glicko2.  "
            "[default: the template's first]",
        },
    )


def settings_option(command: F) -> F:
    """Add `--system` and `--set`."""
    return _settings(
        command, {"default": "elo", "show_default": True, "help": "The rating system: see elo-sheets systems."}
    )


def _settings(command: F, system: dict[str, Any]) -> F:
    command = click.option(
        "--set",
        "settings",
        type=Pairs(),
        multiple=True,
        metavar="NAME=VALUE",
        help="A setting of the system, such as k=40 or gap_rule=cap400; may be given again.",
    )(command)
    return click.option("--system", metavar="NAME", **system)(command)


def reading_options(player: bool = True) -> Callable[[F], F]:
    """Return a decorator that adds what tells a reader how to read a log, and whose journal it is."""
    options = [
        click.option(
            "--map",
            "columns",
            type=Pairs(split=True),
            multiple=True,
            metavar="COLUMN=HEADER,…",
            help="Which header holds which column, such as white=Home,score=FTR.",
        ),
        click.option(
            "--dates",
            type=click.Choice(["dmy", "mdy", "ymd"]),
            help="The order of day, month and year in dates.",
        ),
        click.option("--encoding", metavar="NAME", help="The encoding of the log, such as cp1250."),
        click.option("--pool", metavar="NAME", help="Only games of this pool, such as blitz."),
        click.option("--player", metavar="NAME", help="The player whose journal this is."),
    ]

    def add(command: F) -> F:
        for option in reversed(options if player else options[:-1]):
            command = option(command)
        return command

    return add


def dialect_option(command: F) -> F:
    """Add `--dialect`."""
    return click.option(
        "--dialect",
        type=click.Choice(["portable", "modern"]),
        default="portable",
        show_default=True,
        help="portable: right in Excel 2016, LibreOffice and Google Sheets; modern: lists are dynamic arrays, which "
        "need Excel 2021 or Microsoft 365.",
    )(command)


def force_option(command: F) -> F:
    """Add `--force`."""
    return click.option("--force", is_flag=True, help="Replace an existing output.")(command)


def json_option(command: F) -> F:
    """Add `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")(command)


def merged(pairs: Iterable[tuple[str, str]] | Iterable[list[tuple[str, str]]]) -> dict[str, str]:
    """Return the pairs of an option that may be given several times as one mapping."""
    found: dict[str, str] = {}
    for item in pairs:
        found.update(dict(item) if isinstance(item, list) else dict([item]))
    return found


def inputs(logs: Sequence[str]) -> list[Any]:
    """Return the logs to read: paths and patterns expanded, `-` as standard input."""
    from elo_sheets.readers import expand

    return list(expand(logs))


def echo_json(value: Any) -> None:
    """Print a JSON document."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def problem_records(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """Return problems as the JSON output holds them."""
    return [
        {"source": p.source, "row": p.row, "column": p.column, "value": p.value, "reason": p.reason} for p in problems
    ]


def say_log(problems: Sequence[Problem], notes: Sequence[str]) -> None:
    """Tell on stderr what was left out, and the remarks."""
    for problem in problems[:MOST_PROBLEMS]:
        click.echo(f"left out: {problem}", err=True)
    if len(problems) > MOST_PROBLEMS:
        click.echo(f"… and {len(problems) - MOST_PROBLEMS} more rows left out: --json lists all", err=True)
    for note in notes:
        click.echo(f"note: {note}", err=True)


def progress() -> Callable[[int], None] | None:
    """Return what shows the number of games read on a terminal, or None when nobody watches."""
    if not sys.stderr.isatty():
        return None

    def show(count: int) -> None:
        click.echo(f"\r{count} games read", err=True, nl=False)

    return show


def text_table(headers: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """Return rows in aligned columns; the columns in `left` are left-aligned."""
    widths = [max(len(row[i]) for row in [headers, *rows]) for i in range(len(headers))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i in left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in [headers, *rows]
    )
