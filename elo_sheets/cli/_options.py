"""Options and printing that the commands share."""

from __future__ import annotations

import functools
import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, cast

import click

from elo_sheets._outside import show_progress, visible
from elo_sheets.cli._notes import is_quiet
from elo_sheets.errors import UsageError
from elo_sheets.games import Problem

F = TypeVar("F", bound=Callable[..., Any])


class Parsed(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """What a function reads of a text; what it refuses by `UsageError` is a wrong option or argument."""

    def __init__(self, name: str, parse: Callable[[Any], Any]) -> None:
        self.name, self.parse = name, parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return self.parse(value)
        except UsageError as error:
            self.fail(str(error), param, ctx)


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


def template_file_option(command: F) -> F:
    """Add `--template FILE.toml`, for books of a template that is not built in."""
    return click.option(
        "--template",
        metavar="FILE.toml",
        help="The template of a book that was made with a template of one's own.",
    )(command)


def systems_option(command: F) -> F:
    """Add `--system` for several systems, given one by one or as `elo,glicko2`, and `--set`."""
    return _settings(
        command,
        {
            "multiple": True,
            "required": True,
            "callback": lambda _context, _option, names: [one for name in names for one in name.split(",")],
            "help": "A rating system: see elo-sheets systems; may be given again, or elo,glicko2.",
        },
        "A setting, such as k=40, of every system that has it, or of one: glicko2.tau=0.5; may be given again.",
    )


_SETTING = "A setting of the system, such as k=40 or gap_rule=cap400; may be given again."


def set_option(about: str) -> Callable[[F], F]:
    """Add `--set`."""
    return click.option(
        "--set", "settings", type=Pairs(), multiple=True, callback=merged, metavar="NAME=VALUE", help=about
    )


def _settings(command: F, system: dict[str, Any], about: str = _SETTING) -> F:
    return click.option("--system", metavar="NAME", **system)(set_option(about)(command))


def rule_file_option(command: F) -> F:
    """Add `--system FILE.py:NAME`, for books that are rated by a rule of their own."""
    return click.option(
        "--system",
        metavar="FILE.py:NAME",
        multiple=True,
        callback=lambda _context, _option, names: ",".join(names) or None,
        help="The rule of a book that is rated by a rule of its own, as its Start sheet says; may be given again.",
    )(command)


def logs_argument(command: F) -> F:
    """Add the logs: paths, patterns, `-` as standard input."""
    return click.argument("logs", nargs=-1, required=True, metavar="LOG…")(command)


def reading_options(command: F) -> F:
    """Add what tells a reader how to read a log, handed to the command as one mapping `how` (see `HowRead`)."""

    @functools.wraps(command)
    def gathered(*arguments: Any, **options: Any) -> Any:
        named = ("columns", "dates", "encoding", "pool", "sheet", "reader", "names", "until", "lowest_wins", *_ROWS)
        how = {name: options.pop(name) for name in named}
        return command(*arguments, how=how | {"progress": watched("{} games read".format)}, **options)

    for option in reversed(
        [
            click.option(
                "--map",
                "columns",
                type=Pairs(split=True),
                multiple=True,
                callback=merged,
                metavar="COLUMN=HEADER,…",
                help="Which header holds which column, such as white=Home,result=FTR; a book remembers it for update.",
            ),
            click.option(
                "--dates",
                type=click.Choice(["dmy", "mdy", "ymd"]),
                help="The order of day, month and year in dates.",
            ),
            click.option("--encoding", metavar="NAME", help="The encoding of the log, such as cp1250."),
            click.option(
                "--pool",
                metavar="NAME",
                help="Only games of this pool, such as blitz or blitz,rapid; not:crazyhouse: all but those.",
            ),
            click.option("--sheet", metavar="NAME", help="The sheet of a workbook, by name or number."),
            click.option(
                "--lowest-wins",
                is_flag=True,
                help="The fewest points win, as in golf; a book remembers it for update.",
            ),
            click.option("--until", metavar="DATE", help="Only games up to this day, such as 2026-01-31."),
            click.option(
                "--names",
                metavar="FILE.toml",
                help="Who is who: names with their spellings and ids; names that may be one person are written into it "
                "as questions.",
            ),
            click.option(
                "--reader",
                metavar="FILE:NAME",
                help="A reader of your own, such as club.py:READER, or the name that an installed package gives it.",
            ),
        ]
    ):
        gathered = option(gathered)
    return cast("F", rows_options(gathered))


_ROWS = ("keep_duplicates", "keep_names")


def rows_options(command: F) -> F:
    """Add what tells a reader which rows to keep that it would keep out."""
    command = click.option(
        "--keep-name",
        "keep_names",
        multiple=True,
        metavar="NAME",
        help="A player whose name stands for nobody elsewhere, such as nan or Bye; may be given again.",
    )(command)
    return click.option(
        "--keep-duplicates", is_flag=True, help="Count every row, also those that tell of one game twice."
    )(command)


def player_option(command: F) -> F:
    """Add `--player`."""
    return click.option("--player", metavar="NAME", help="The player whose journal this is.")(command)


def start_option(command: F, more: str = "") -> F:
    """Add `--start`; several are taken together, those that may be for one system of several behind the others."""
    return click.option(
        "--start",
        multiple=True,
        metavar="START",
        callback=lambda _context, _option, texts: ",".join(sorted(texts, key=_of_one_system)) or None,
        help="What players start from: log, their first published ratings in the log; none of them; NAME=RATING,…; or "
        "a list with player and rating (or another state or personal setting): CSV, a workbook, a page, a federation's "
        "list, where players are found by id or name; of a workbook of elo-sheets the last ratings, of "
        f"starts:BOOK.xlsx what its players start from. {more}Unless given: log for the systems of federations and in "
        "journals.",
    )(command)


def as_book_option(command: F) -> F:
    """Add `--as-book`, which contradicts `--system` and `--start`."""

    @functools.wraps(command)
    def checked(*arguments: Any, **options: Any) -> Any:
        context = click.get_current_context()
        given = context.get_parameter_source("system")
        if options["as_book"] and given is not click.core.ParameterSource.DEFAULT:
            raise UsageError("--as-book rates by the system of the book: leave out --system")
        return command(*arguments, **options)

    return click.option(
        "--as-book",
        is_flag=True,
        help="One log is a workbook of elo-sheets: rate by its system, settings and start ratings, or what --set says.",
    )(cast(F, checked))


def starts_option(command: F) -> F:
    """Add `--start` for several systems."""
    return start_option(command, "SYSTEM:START is for one of the systems. ")


def _of_one_system(text: str) -> bool:
    return re.match(r"\s*[\w-]+:", text) is not None


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


def sides_option(command: F) -> F:
    """Add `--sides`: a league of teams of a size."""
    return click.option(
        "--sides", metavar="2x2", help="A league of doubles or teams: 2x2, 3x3 or 4x4 players (template league)."
    )(command)


def profile_option(command: F) -> F:
    """Add `--profile`: the words of a sport."""
    return click.option(
        "--profile",
        metavar="NAME",
        help="The sport whose words the book uses, with its system and settings where none are given: chess, football, "
        "table-tennis and others (elo-sheets profiles), a TOML file, or none.",
    )(command)


def force_option(command: F) -> F:
    """Add `--force`."""
    return click.option("--force", is_flag=True, help="Replace an existing output.")(command)


def workers_option(command: F) -> F:
    """Add `--workers`."""
    return click.option(
        "--workers",
        type=click.IntRange(min=1),
        default=1,
        metavar="N",
        help="Read so many logs at the same time, each by a process of its own; the result is the same.",
    )(command)


def json_option(command: F) -> F:
    """Add `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")(command)


def merged(_context: Any, _option: Any, pairs: Iterable[Any]) -> dict[str, str]:
    """The pairs of an option that may be given several times as one mapping; a later one replaces an earlier."""
    return {name: value for item in pairs for name, value in (item if isinstance(item, list) else [item])}


def echo_json(value: Any) -> None:
    """Print a JSON document."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def problem_records(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """Return problems as the JSON output holds them."""
    return list(map(vars, problems))


def watched(said: Callable[..., str]) -> Callable[..., None] | None:
    """Return what shows on a terminal what `said` makes of how far a command is, or None when nobody watches."""
    if is_quiet() or not sys.stderr.isatty():
        return None
    return lambda *done: show_progress(said(*done))


def _on_one_line(text: str) -> str:
    return text if text.isprintable() else visible(text).replace("\n", "\\u000a").replace("\t", "\\u0009")


def text_table(headers: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """Return rows in aligned columns; the columns in `left` are left-aligned."""
    columns = [[*map(_on_one_line, column)] for column in zip(headers, *rows, strict=True)]
    widths = [max(map(len, column)) for column in columns]
    line = "  ".join(f"{{:{'<' if i in left else '>'}{width or 1}}}" for i, width in enumerate(widths))
    return "\n".join(line.format(*row).rstrip() for row in zip(*columns, strict=True))
