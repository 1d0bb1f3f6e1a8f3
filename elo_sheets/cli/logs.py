"""`replay`: logs in, ratings out, no workbook."""

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
    settings_option,
    text_table,
)


@click.command(
    epilog="\b\nExamples:\n  elo-sheets replay season.csv --set k=40 --set initial=1000\n"
    '  elo-sheets replay games.pgn --player "Player 1" --system fide -o history.csv\n'
    "  elo-sheets replay season.csv -o - > history.csv"
)
@click.argument("logs", nargs=-1, required=True, metavar="LOG…")
@settings_option
@reading_options
@click.option(
    "-o", "--output", metavar="HISTORY", help="Write the history: .csv, .json, .xlsx, or - for CSV on stdout."
)
@click.option("--raw", is_flag=True, help="Leave names that begin with = + - @ as they are in CSV.")
@json_option
@force_option
def replay(
    logs: tuple[str, ...],
    system: str,
    settings: Any,
    columns: Any,
    dates: Any,
    encoding: str | None,
    pool: str | None,
    player: str | None,
    output: str | None,
    raw: bool,
    as_json: bool,
    force: bool,
) -> None:
    """Replay game logs and print the final ratings.

    Without --player every player's rating follows from the games; with it that player's alone, from the
    opponents' published ratings.
    """
    from elo_sheets.errors import UsageError
    from elo_sheets.exporting import replay_logs, write_history

    if output == "-" and as_json:
        raise UsageError("-o - and --json both print to the standard output: give -o a file, or leave one out")

    done = replay_logs(
        inputs(logs),
        system=system,
        settings=merged(settings),
        player=player,
        columns=merged(columns),
        dates=dates,
        encoding=encoding,
        pool=pool,
        progress=progress(),
    )
    if output is not None:
        write_history(done, output, raw=raw, overwrite=force)
    log = done.log
    ratings = done.replayed.ratings
    if as_json:
        echo_json(
            {
                "schema": 1,
                "system": done.system,
                "settings": done.settings,
                "ratings": ratings.to_dict("records"),
                "read": log.read,
                "kept": log.kept,
                "rejected": log.rejected,
                "problems": problem_records(log.problems),
                "notes": done.notes,
            }
        )
    else:
        say_log(log, done.notes)
        if output != "-":
            rows = [
                [str(player), f"{rating:.1f}", *map(str, counts)]
                for player, rating, *counts in ratings.itertuples(index=False)
            ]
            click.echo(text_table(list(ratings.columns), rows))
    if log.kept == 0:
        click.echo("elo-sheets: no game could be used", err=True)
        sys.exit(3)


COMMANDS = (replay,)
