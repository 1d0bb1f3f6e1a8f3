"""What a command says beside its result: notes, rows left out; less of it with `--quiet`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence

import click

from elo_sheets._outside import say_coloured
from elo_sheets.games import Problem

MOST_PROBLEMS = 20

# So many notes that differ in names and numbers alone are said as one.
_MANY = 3
_SHOWN = 3
_MOST_ALIKE = 5

_QUIET = "elo_sheets.quiet"
_NAMED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_VARIES = re.compile(_NAMED.pattern + r"|\d+(?:[.,:-]\d+)*")


def quiet_option(command: click.Command) -> None:
    """Add `--quiet` to a command."""

    def kept(context: click.Context, _option: object, value: bool) -> None:
        if value:
            context.meta[_QUIET] = True

    about = "Print the result and errors alone: no notes, and rows that were left out are only counted."
    command.params.append(
        click.Option(["-q", "--quiet"], is_flag=True, is_eager=True, expose_value=False, callback=kept, help=about)
    )


def is_quiet() -> bool:
    """Return whether the command that runs was asked to be quiet."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_QUIET))


def say_note(note: str) -> None:
    """Tell a remark on stderr."""
    if not is_quiet():
        say_coloured(sys.stderr, "note:", "yellow", f" {note}\n")


def say_notes(notes: Iterable[str]) -> None:
    """Tell the remarks on stderr; those that differ in names and numbers alone are one line, counted."""
    for note in grouped_notes(notes):
        say_note(note)


def grouped_notes(notes: Iterable[str]) -> list[str]:
    """Return the notes, three and more that differ in names and numbers alone as the first of them and a count.

    >>> grouped_notes([f"2 players are called {name!r}" for name in ("Kim", "Lee", "Li", "Wu", "Yu")])
    ["2 players are called 'Kim' (and 4 more such notes: 'Lee', 'Li', 'Wu', …)"]
    """
    kinds: dict[str, list[str]] = {}
    for note in notes:
        kinds.setdefault(_VARIES.sub("", note), []).append(note)
    said = []
    for first, *more in kinds.values():
        if len(more) + 1 < _MANY:
            said += [first, *more]
            continue
        names = [found[0] for note in more if (found := _NAMED.search(note))]
        listed = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
        said.append(f"{first} (and {len(more)} more such notes{': ' if listed else ''}{listed})")
    return said


def say_log(problems: Sequence[Problem], notes: Sequence[str]) -> None:
    """Tell on stderr what was left out, and the remarks."""
    if is_quiet():
        if problems:
            rows = "1 row was" if len(problems) == 1 else f"{len(problems)} rows were"
            say_coloured(sys.stderr, "left out:", "red", f" {rows} left out; without --quiet each is named\n")
        return
    said = grouped_problems(problems)
    for text, _ in said[:MOST_PROBLEMS]:
        say_coloured(sys.stderr, "left out:", "red", f" {text}\n")
    if more := sum(rows for _, rows in said[MOST_PROBLEMS:]):
        click.echo(f"… and {more} more rows left out: --json lists all", err=True)
    say_notes(notes)


def grouped_problems(problems: Iterable[Problem]) -> list[tuple[str, int]]:
    """Return what is said of the rows that were left out, each with the number of rows that it is of.

    Of many rows of one log that are left out for one reason the first ones are named, and the others counted.
    """
    kinds: dict[tuple[str, str], list[Problem]] = {}
    for problem in problems:
        kinds.setdefault((problem.source, _VARIES.sub("", problem.reason)), []).append(problem)
    said = []
    for (source, _), alike in kinds.items():
        named = alike if len(alike) <= _MOST_ALIKE else alike[:_SHOWN]
        said += [(str(problem), 1) for problem in named]
        if others := alike[len(named) :]:
            rows = ", ".join(dict.fromkeys(str(problem.row) for problem in others[:_SHOWN]))
            reason = f"{len(others)} more such rows of {source}: {rows}, …; --json lists all"
            said.append((reason, len(others)))
    return said
