"""Options and printing that the commands share."""

from __future__ import annotations

import functools
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import click

from elo_sheets._outside import show_progress, visible
from elo_sheets.cli._notes import is_quiet
from elo_sheets.errors import UsageError
from elo_sheets.games import Problem
from elo_sheets.shipped import shipped_data


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


def number_type(what: str, least: float | None = None) -> Parsed:
    """Return the type of a rating, or with `least` of an amount such as K."""

    def read(value: Any) -> float:
        from elo_sheets.odds.calculators import amount, number

        return number(value, what) if least is None else amount(value, what, least)

    return Parsed("number", read)


def _day(value: Any) -> Any:
    import datetime

    try:
        return datetime.date.fromisoformat(str(value))
    except ValueError:
        raise UsageError(f"expected a day such as 2026-01-31, got {value!r}") from None


def _share_of(models: Sequence[str]) -> Parsed:
    """Return the type of the share of drawn games: a model of draws by its name, or a number."""

    def read(value: Any) -> str | float:
        if value in models:
            return str(value)
        try:
            share = float(value)
        except ValueError:
            share = -1.0
        if not 0 <= share <= 1:
            raise UsageError(f"expected {', '.join(models)}, or a share from 0 to 1, got {value!r}")
        return share

    return Parsed("draws", read)


def _merged(pairs: Iterable[Any]) -> dict[str, str]:
    """Return the pairs of an option as one mapping; a later one replaces an earlier."""
    return {name: value for item in pairs for name, value in (item if isinstance(item, list) else [item])}


def _of_one_system(text: str) -> bool:
    return re.match(r"\s*[\w-]+:", text) is not None


# What becomes of an option that may be given several times. Several starts are taken together, those that may be for
# one system of several behind the others.
_TAKEN: dict[str, Callable[[Sequence[Any]], Any]] = {
    "merged": _merged,
    "joined": lambda names: ",".join(names) or None,
    "parted": lambda names: [one for name in names for one in name.split(",")],
    "starts": lambda texts: ",".join(sorted(texts, key=_of_one_system)) or None,
}
_TYPES = {
    "int": click.INT,
    "float": click.FLOAT,
    "day": Parsed("day", _day),
    "pairs": Pairs(),
    "pairs, split": Pairs(split=True),
}
# What tells a reader how to read a log, handed to the commands as one mapping `how` (see `HowRead`).
_HOW = "columns dates encoding pool sheet reader names until lowest_wins keep_duplicates keep_names".split()
_SAID = shipped_data("cli/options.toml")


def command(verb: str, **types: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a function the command of a verb, with the arguments and options that `options.toml` says.

    `types` are those that no other command has, by option; one may be a kind of option.
    """
    said = _SAID[verb]
    takes = said["takes"].split()
    params = [_parameter(key, said.get(key) or _SAID["shared"][key], types.get(key)) for key in takes]
    examples = "".join(f"\n  elo-sheets {one}" for one in said["examples"])

    def made(function: Callable[..., Any]) -> click.Command:
        if "as_book" in takes:
            function = _refusing_a_system(function)
        if "columns" in takes:
            function = _gathering(function)
        return click.command(verb, params=params, epilog=f"\b\nExamples:{examples}")(function)

    return made


def _parameter(key: str, said: Mapping[str, Any], kind: Any) -> click.Parameter:
    """Return an argument or option as it is said; `kind` is its type, where that is not said."""
    given = dict(said)
    name, flags, taken = given.pop("name", key), given.pop("flags", None), given.pop("taken", None)
    make: Callable[..., click.Option] = click.Option
    if isinstance(kind, type):
        make, kind = kind, None
    if "choices" in given:
        kind = click.Choice(given.pop("choices"))
    elif "range" in given:
        ranges = click.FloatRange if given.pop("type", "int") == "float" else click.IntRange
        kind = ranges(*given.pop("range"))
    elif "number" in given:
        kind = number_type(given.pop("number"), given.pop("least", None))
    elif "models" in given:
        kind = _share_of(given.pop("models"))
    elif "type" in given:
        kind = _TYPES[given.pop("type")]
    if flags is None:
        return click.Argument([name], type=kind, **given)
    if taken is not None:
        given["callback"] = lambda _context, _option, values: _TAKEN[taken](values)
    return make([*flags.split(), name], type=kind, **given)


def _gathering(function: Callable[..., Any]) -> Callable[..., Any]:
    """Hand what tells a reader how to read a log to a command as `how`."""

    @functools.wraps(function)
    def gathered(*arguments: Any, **options: Any) -> Any:
        how = {name: options.pop(name) for name in _HOW}
        return function(*arguments, how=how | {"progress": watched("{} games read".format)}, **options)

    return gathered


def _refusing_a_system(function: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse a system beside `--as-book`."""

    @functools.wraps(function)
    def checked(*arguments: Any, **options: Any) -> Any:
        given = click.get_current_context().get_parameter_source("system")
        if options["as_book"] and given is not click.core.ParameterSource.DEFAULT:
            raise UsageError("--as-book rates by the system of the book: leave out --system")
        return function(*arguments, **options)

    return checked


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
