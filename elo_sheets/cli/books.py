"""`new`, `import` and `validate`: what makes and checks workbooks."""

from __future__ import annotations

import sys
from typing import Any

import click

from elo_sheets.cli._options import (
    echo_json,
    force_option,
    inputs,
    json_option,
    merged,
    problem_records,
    progress,
    reading_options,
    say_log,
    template_option,
)

UNREADABLE = 3


@click.command(
    epilog="\b\nExamples:\n  elo-sheets new journal -o mine.xlsx --set initial=1650 --set k=20\n"
    "  elo-sheets new league -o club.xlsx --rows 1000"
)
@click.argument("template")
@click.option("-o", "--output", required=True, metavar="BOOK.xlsx", help="The workbook to write.")
@template_option
@click.option("--rows", type=int, metavar="N", help="How many games it can hold.")
@force_option
def new(template: str, output: str, system: str | None, settings: Any, rows: int | None, force: bool) -> None:
    """Write an empty workbook from TEMPLATE (see elo-sheets templates), ready to type into."""
    from elo_sheets.workbook import new_book

    new_book(template, output, system=system, settings=merged(settings), rows=rows, overwrite=force)
    click.echo(f"wrote {output}")


@click.command(
    "import",
    epilog="\b\nExamples:\n  elo-sheets import season.csv -o season.xlsx --set k=40 --set initial=1000\n"
    '  elo-sheets import "pgn/*.pgn" -o mine.xlsx --player "Player 1" --pool blitz\n'
    "  elo-sheets import results.csv -o club.xlsx --map white=Home,black=Away,score=FTR --dates dmy",
)
@click.argument("logs", nargs=-1, required=True, metavar="LOG…")
@click.option("-o", "--output", required=True, metavar="BOOK.xlsx", help="The workbook to write.")
@click.option("--template", metavar="NAME", help="journal (with --player) or league.")
@template_option
@reading_options()
@click.option("--dry-run", is_flag=True, help="Do everything but write.")
@json_option
@force_option
def import_(
    logs: tuple[str, ...],
    output: str,
    template: str | None,
    system: str | None,
    settings: Any,
    columns: Any,
    dates: Any,
    encoding: str | None,
    pool: str | None,
    player: str | None,
    dry_run: bool,
    as_json: bool,
    force: bool,
) -> None:
    """Read game logs (CSV, PGN; files, patterns, - for standard input) into a workbook."""
    from elo_sheets.importing import import_logs

    done = import_logs(
        inputs(logs),
        output,
        template=template,
        player=player,
        system=system,
        settings=merged(settings),
        columns=merged(columns),
        dates=dates,
        encoding=encoding,
        pool=pool,
        dry_run=dry_run,
        overwrite=force,
        progress=progress(),
    )
    log = done.log
    if as_json:
        echo_json(
            {
                "schema": 1,
                "read": log.read,
                "kept": log.kept,
                "rejected": log.rejected,
                "problems": problem_records(log.problems),
                "players": done.players,
                "output": done.output,
                "notes": done.notes,
            }
        )
    else:
        say_log(log, done.notes)
        where = done.output or "nothing written"
        click.echo(f"read {log.read}, kept {log.kept}, rejected {log.rejected}, players {done.players}: {where}")
    if log.kept == 0:
        click.echo("elo-sheets: no game could be used, so no workbook was written", err=True)
        sys.exit(UNREADABLE)


@click.command(
    epilog="\b\nExamples:\n  elo-sheets validate club.xlsx\n  elo-sheets validate club.xlsx --engine libreoffice --json"
)
@click.argument("book", metavar="BOOK.xlsx")
@click.option(
    "--engine",
    default="ironcalc",
    show_default=True,
    metavar="NAME",
    help="ironcalc, formualizer or libreoffice.",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    help="In rating points: 1e-9, or 1e-6 where ironcalc computes the normal curve.",
)
@json_option
def validate(book: str, engine: str, tolerance: float | None, as_json: bool) -> None:
    """Recalculate BOOK with a real engine, replay its games, and compare every formula cell."""
    from elo_sheets.validate import validate as check
    from elo_sheets.validate.report import as_record, as_text

    verdict = check(book, engine=engine, tolerance=tolerance)
    if as_json:
        echo_json(as_record(verdict))
    else:
        click.echo(as_text(verdict))
    sys.exit(verdict.exit_code)


COMMANDS = (new, import_, validate)
