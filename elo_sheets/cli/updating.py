"""`update`: the games of the next month, in a book that is there already."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from elo_sheets.cli import _options as options
from elo_sheets.cli._notes import say_log
from elo_sheets.errors import UsageError

if TYPE_CHECKING:
    from elo_sheets.uses.updating import Updated
    from elo_sheets.uses.updating.merging import Conflict

CONFLICTS = 1
TYPED = (click.core.ParameterSource.COMMANDLINE, click.core.ParameterSource.ENVIRONMENT)
OF_NEXT_SEASON = {"book", "--next-season", "-o", "--dry-run", "--system", "--template", "--json", "--force"}
MOST_LINES = 20


@options.command("update")
def update(
    book: str,
    logs: tuple[str, ...],
    coming: bool,
    output: str | None,
    dry_run: bool,
    no_backup: bool,
    as_json: bool,
    force: bool,
    how: Any,
    **asked: Any,
) -> None:
    """Add games to a book, rows to grow into, and new formulas.

    The games are those of the logs that BOOK.xlsx does not hold, the formulas those of this release. What its owner
    typed stays as it is. A game that stands in the book with another result than in a log is listed with both, and kept
    as typed unless --take-log. The same update once more changes nothing.

    Exit code 1 when games with another result were left as they are typed.
    """
    from elo_sheets.uses.updating import next_season
    from elo_sheets.uses.updating import update as run

    if coming:
        if output is None:
            raise UsageError("--next-season needs -o NEW.xlsx, the book of the next season")
        if further := ", ".join(sorted(_given() - OF_NEXT_SEASON)):
            raise UsageError(f"--next-season has no use for {further}: update the book first, then begin the season")
        own = {name: asked[name] for name in ("system", "template")}
        made = next_season(book, output, overwrite=force, dry_run=dry_run, **own)
        _say(made, as_json, dry_run, coming=True)
        return
    if force and output is None:
        raise UsageError("--force is for another book (-o NEW.xlsx), which it replaces: leave it out")
    where: dict[str, Any] = {"output": output, "overwrite": force, "dry_run": dry_run, "backup": not no_backup}
    done = run(book, logs, **where, **asked, **how)
    _say(done, as_json, dry_run)
    sys.exit(CONFLICTS if done.unresolved else 0)


def _given() -> set[str]:
    """Return what stands on the command line, as it is spelled there."""
    context = click.get_current_context()
    typed = (one for one in context.command.params if context.get_parameter_source(one.name or "") in TYPED)
    return {one.opts[0] if isinstance(one, click.Option) else str(one.name) for one in typed}


def _say(done: Updated, as_json: bool, dry_run: bool, coming: bool = False) -> None:
    if as_json:
        options.echo_json(_record(done))
        return
    say_log([] if done.log is None else done.log.problems, done.notes)
    if coming:
        click.echo(
            f"the next season {'would begin' if dry_run else f'begins in {done.output}'}; {done.book} stays as it is"
        )
        return
    click.echo("\n".join(_in_words(done, dry_run)))


def _in_words(done: Updated, dry_run: bool) -> Iterator[str]:
    found = done.merged
    for what, lines in (
        ("added", [str(row) for row in found.added]),
        ("result entered", [str(log) for _, log in found.entered]),
        ("new player", list(done.players)),
        ("another result, kept as typed", [_where(one) for one in found.conflicts]),
        ("added, though the book has it with the colours the other way round", [str(row) for row in found.turned]),
        ("changed by the formulas of this release", list(done.numbers)),
    ):
        yield from (f"{what}: {line}" for line in lines[:MOST_LINES])
        if len(lines) > MOST_LINES:
            yield f"{what}: and {len(lines) - MOST_LINES} more (--json lists all)"
    if done.renewed:
        yield f"formulas and texts of this release: {done.renewed} cells"
    if done.rows[0] != done.rows[1]:
        yield f"rows for games: {done.rows[1]}, {done.rows[0]} before"
    counts = f"added {len(found.added)}, entered {len(found.entered)}, there already {found.held}"
    counts += f", conflicts {len(found.conflicts)}, new players {len(done.players)}"
    yield f"{counts}: {_outcome(done, dry_run)}"


def _where(conflict: Conflict) -> str:
    return f"{conflict} (row {conflict.typed.at + 1} of the {'Archive' if conflict.old else 'games'})"


def _outcome(done: Updated, dry_run: bool) -> str:
    if not done.changed:
        written = "nothing written" if done.output is None else f"{done.output} is a copy of it"
        return f"{done.book} is as it should be, {written}"
    if dry_run:
        return f"{done.book} would be changed, nothing written"
    if done.output != done.book:
        return f"{done.output}; {done.book} stays as it is"
    return f"{done.output}, the old one is {done.backup}" if done.backup else f"{done.output}"


def _record(done: Updated) -> dict[str, Any]:
    found, log = done.merged, done.log
    return {
        "schema": 1,
        "book": done.book,
        "template": done.template,
        "system": done.system,
        "read": 0 if log is None else log.read,
        "kept": 0 if log is None else log.kept,
        "rejected": 0 if log is None else log.rejected,
        "problems": [] if log is None else options.problem_records(log.problems),
        "added": [_game(row) for row in found.added],
        "entered": [_game(row) for _, row in found.entered],
        "held": found.held,
        "conflicts": [{**_game(one.typed), "log": one.log.score(), "archived": one.old} for one in found.conflicts],
        "turned": [_game(row) for row in found.turned],
        "players": list(done.players),
        "rows": {"before": done.rows[0], "after": done.rows[1]},
        "renewed": done.renewed,
        "numbers": list(done.numbers),
        "changed": done.changed,
        "output": done.output,
        "backup": done.backup,
        "notes": list(done.notes),
    }


def _game(row: Any) -> dict[str, Any]:
    return {"day": row.day, "white": row.names[0], "black": row.names[1], "result": row.score()}


COMMANDS = (update,)
