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
    "  elo-sheets replay season.csv -o - > history.csv\n"
    "  elo-sheets replay season.csv --compare elo,glicko2,trueskill\n"
    "  elo-sheets replay season.csv --system elo --fit k=10:60,advantage=0:100"
)
@click.argument("logs", nargs=-1, required=True, metavar="LOG…")
@settings_option
@reading_options()
@click.option(
    "-o", "--output", metavar="HISTORY", help="Write the history: .csv, .json, .xlsx, or - for CSV on stdout."
)
@click.option(
    "--compare",
    metavar="SYSTEM,…",
    help="Print the ratings of these systems side by side, and how well each predicted the games.",
)
@click.option(
    "--fit",
    "ranges",
    metavar="NAME=LOW:HIGH,…",
    help="Find the settings within these ranges that predict best (smallest log-loss).",
)
@click.option(
    "--burn-in",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    metavar="GAMES",
    help="Leave games out of the score until both players have played so many.",
)
@click.option(
    "--start",
    metavar="FILE",
    help="A CSV list of what players start from: player, and rating or another state or personal setting.",
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
    compare: str | None,
    ranges: str | None,
    burn_in: int,
    start: str | None,
    raw: bool,
    as_json: bool,
    force: bool,
) -> None:
    """Replay game logs and print the final ratings.

    Without --player every player's rating follows from the games; with it that player's alone, from the
    opponents' published ratings. With --compare or --fit the predictions are scored too: what each rule expected of
    a game from what it knew before the rating period.
    """
    from elo_sheets.errors import UsageError
    from elo_sheets.exporting import replay_logs, write_history

    if compare is not None or ranges is not None:
        if player is not None or output is not None or start is not None:
            raise UsageError("--compare and --fit rate the whole pool and print: leave out --player, --start and -o")
        names = [name.strip() for name in (system if compare is None else compare).split(",") if name.strip()]
        if not names:
            raise UsageError("expected systems to compare, such as --compare elo,glicko2")
        _predict(logs, names, settings, ranges, burn_in, columns, dates, encoding, pool, as_json)
        return
    if player is not None and start is not None:
        raise UsageError("--start is for a pool: a journal starts from --set initial=…")
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
        start=start,
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
        say_log(log.problems, done.notes)
        if output != "-":
            rows = [
                [str(player), f"{rating:.1f}", *(f"{x:g}" if isinstance(x, float) else str(x) for x in others)]
                for player, rating, *others in ratings.itertuples(index=False)
            ]
            click.echo(text_table(list(ratings.columns), rows))
    if log.kept == 0:
        click.echo("elo-sheets: no game could be used", err=True)
        sys.exit(3)


def _predict(
    logs: tuple[str, ...],
    names: list[str],
    settings: Any,
    ranges: str | None,
    burn_in: int,
    columns: Any,
    dates: Any,
    encoding: str | None,
    pool: str | None,
    as_json: bool,
) -> None:
    from elo_sheets.prediction import comparison_record, parse_ranges, predict_logs

    done = predict_logs(
        inputs(logs),
        systems=names,
        settings=merged(settings),
        ranges=None if ranges is None else parse_ranges(ranges),
        burn_in=burn_in,
        columns=merged(columns),
        dates=dates,
        encoding=encoding,
        pool=pool,
        progress=progress(),
        fitting=_fitting(),
    )
    if as_json:
        echo_json(comparison_record(done) | {"problems": problem_records(done.log.problems)})
        return
    say_log(done.log.problems, done.notes)
    if done.fitted is not None:
        found = ", ".join(f"{name}={value:.4g}" for name, value in done.fitted.found.items())
        click.echo(f"best for system {done.fitted.system}: {found}   ({done.fitted.evaluations} replays)\n")
    compared = done.compared
    click.echo(f"{compared.scored} of {compared.games} games scored, after {compared.burn_in} games of each player")
    rows = [
        [one.system, *("–" if x is None else f"{x:.4f}" for x in (one.log_loss, one.brier_score, one.accuracy))]
        for one in compared.systems
    ]
    click.echo(text_table(["system", "log-loss", "Brier score", "accuracy"], rows))
    for one in compared.systems:
        if one.reason:
            click.echo(f"note: {one.reason}", err=True)
        else:
            bins = "  ".join(f"{b['expected']:.2f}→{b['score']:.2f} ({b['games']:.0f})" for b in one.calibration)
            click.echo(f"{one.system} expected → scored (games): {bins}")
    shown = [
        [name, *(f"{one.ratings[name]:.1f}" if name in one.ratings else "–" for one in compared.systems)]
        for name in compared.players
    ]
    click.echo("\n" + text_table(["player", *(one.system for one in compared.systems)], shown))


def _fitting() -> Any:
    """Return what shows the progress of a fit on a terminal, or None when nobody watches."""
    if not sys.stderr.isatty():
        return None

    def show(count: int, best: float) -> None:
        click.echo(f"\r{count} replays, log-loss {best:.6f}", err=True, nl=False)

    return show


COMMANDS = (replay,)
